from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.schedule import Schedule, pose_scale
from firegui.domain.sensitivity import (
    EffectivenessRow,
    PoseRow,
    RolloutSummary,
    SensitivityKind,
    SensitivitySettings,
    SideRow,
    fire_objective,
)
from firegui.domain.settings import Effectiveness, RetardantSide
from firegui.errors import CancelledError
from firegui.planning import sensitivity
from firegui.planning.sensitivity import (
    effectiveness_rows,
    off_target_rows,
    pose_noise,
    pose_rows,
    rows_of,
    side_rows,
)
from firegui.planning.stress import executed_only
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.support import stop

PAIRS = (Effectiveness(0.5, 0.9), Effectiveness(0.9, 0.2), Effectiveness(0.3, 0.3))
SCALES = (1e-2, 0.0, 1e-3)


def case(side: RetardantSide = RetardantSide.BOTH) -> tuple[Model, Schedule]:
    maps, fleet = random_maps(3), small_fleet()
    return model_of(maps, fleet, side=side), random_schedule(4, maps, fleet)


def ignore(done: int, total: int, text: str) -> None:
    pass


def unchecked() -> None:
    pass


def poses(draws: int = 3, seed: int = 5, scales: tuple[float, ...] = SCALES) -> tuple[PoseRow, ...]:
    return pose_rows(*case(), scales, draws, seed, hear=ignore, check=unchecked)


def test_every_pair_is_the_rollout_at_that_effectiveness_in_the_order_given() -> None:
    model, schedule = case()
    rows = effectiveness_rows(model, schedule, PAIRS, hear=ignore, check=unchecked)

    assert tuple(row.effectiveness for row in rows) == PAIRS
    nominal = simulate(model, schedule).metrics.final_extent_cells
    for row in rows:
        found = simulate(model.with_effectiveness(row.effectiveness), schedule).metrics
        assert row.reading == RolloutSummary.of(found, model.weights)
        assert row.relative == found.final_extent_cells / nominal
    assert rows[2].relative > rows[0].relative


def test_every_side_is_the_rollout_of_a_model_built_for_it() -> None:
    model, schedule = case()
    rows = side_rows(model, schedule, tuple(RetardantSide), hear=ignore, check=unchecked)

    readings = [RolloutSummary.of(simulate(*case(side)).metrics, model.weights) for side in RetardantSide]
    assert [row.reading for row in rows] == readings
    assert rows[0].relative == 1.0 < min(row.relative for row in rows[1:])


def test_a_pose_row_is_the_rollouts_of_the_schedule_with_noise_on_its_pose_logits() -> None:
    model, schedule = case()
    largest, still, smaller = poses()

    assert (largest.scale, still.scale, smaller.scale) == SCALES
    assert [len(row.draws) for row in (largest, still, smaller)] == [3, 1, 3]
    assert still.draws[0] == RolloutSummary.of(simulate(model, schedule).metrics, model.weights)
    z = np.arcsin(2.0 * schedule.poses / pose_scale(model.shape) - 1.0)
    moved = Schedule.from_pose_logits(schedule.logits, z + 1e-2 * pose_noise(schedule, 1, 5), model.shape)
    direct = fire_objective(simulate(model, moved).metrics, model.weights)
    assert largest.draws[1].fire_objective == pytest.approx(direct, rel=1e-9)
    assert largest.highest - largest.lowest > smaller.highest - smaller.lowest > 0.0


def test_a_schedule_with_its_own_pose_logits_is_moved_from_there() -> None:
    model, schedule = case()
    z = np.random.default_rng(0).normal(size=schedule.poses.shape)
    own = Schedule.from_pose_logits(schedule.logits, z, model.shape)
    (row,) = pose_rows(model, own, (0.01,), 1, 2, hear=ignore, check=unchecked)
    moved = Schedule.from_pose_logits(own.logits, z + 0.01 * pose_noise(own, 0, 2), model.shape)
    assert row.draws[0] == RolloutSummary.of(simulate(model, moved).metrics, model.weights)


def test_drops_off_target_land_that_many_metres_away_with_their_heading() -> None:
    model, schedule = case()
    still, far = off_target_rows(model, schedule, (0.0, 45.0), 2, 5, hear=ignore, check=unchecked)

    assert still.draws == (RolloutSummary.of(simulate(model, schedule).metrics, model.weights),)
    cells = 45.0 / model.maps.cell_size_m
    poses = schedule.poses.copy()
    poses[..., :2] += cells * pose_noise(schedule, 1, 5)[..., :2]
    poses[..., :2] = np.clip(poses[..., :2], 0.0, [model.shape[0] - 1, model.shape[1] - 1])
    moved = simulate(model, Schedule(executed_only(model, schedule).logits, poses))
    assert far.draws[1].fire_objective == pytest.approx(fire_objective(moved.metrics, model.weights), rel=1e-9)
    assert far.in_metres and far.text == "45 m" and len(far.draws) == 2


def test_the_same_seed_gives_the_same_rows_and_another_seed_others() -> None:
    assert poses() == poses()
    assert poses(seed=6)[0] != poses()[0]


def test_a_draw_depends_neither_on_the_other_draws_and_scales_nor_on_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    many = poses(draws=5)
    monkeypatch.setattr(sensitivity, "LARGEST_BATCH", 2)
    assert poses(draws=5) == many
    (alone,) = poses(draws=2, scales=SCALES[2:])
    assert alone.draws == many[2].draws[:2]


def test_what_comes_next_is_told_before_every_row() -> None:
    heard: list[tuple[int, int]] = []
    settings = SensitivitySettings(pairs=PAIRS, scales=SCALES, distances=(0.0, 10.0, 20.0), draws=1)
    expected = {SensitivityKind.EFFECTIVENESS: EffectivenessRow, SensitivityKind.RETARDANT_SIDE: SideRow}
    for kind in (kind for kind in SensitivityKind if kind is not SensitivityKind.DESIGN):
        rows = rows_of(
            *case(), kind, settings, hear=lambda done, total, _: heard.append((done, total)), check=unchecked
        )
        assert isinstance(rows[0], expected.get(kind, PoseRow))
    assert heard == [(number, 3) for _ in range(4) for number in range(3)]
    with pytest.raises(ValueError, match="plans"):
        rows_of(*case(), SensitivityKind.DESIGN, settings, hear=ignore, check=unchecked)


def test_a_stop_ends_the_rows() -> None:
    model, schedule = case()
    with pytest.raises(CancelledError):
        effectiveness_rows(model, schedule, PAIRS, hear=ignore, check=stop)
    with pytest.raises(CancelledError):
        pose_rows(replace(model), schedule, SCALES, 2, 0, hear=ignore, check=stop)

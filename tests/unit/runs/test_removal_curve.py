"""The removal curve of a run: what is kept, resumed and read, and that keeping it changes no result."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.removal_curve import RemovalCurve
from firegui.errors import InputError
from firegui.io.array_files import read_arrays, write_arrays
from firegui.io.project.schedule_file import read_project_schedule
from firegui.runs.events import RemovalCurveReady, RunEvent
from firegui.runs.run_folder import ELIMINATION_CHECKPOINT, PLAN, read_removal_curve
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import Stage
from tests.support import make_project
from tests.unit.runs.fakes import FakeEngine, carried_out, raise_at
from tests.unit.runs.test_plan_stages import listed


@pytest.fixture
def spec(tmp_path: Path) -> PlanSpec:
    return PlanSpec(
        make_project(epochs=6), tmp_path / "run", "firegui prune …", stages=(Stage.PRUNE,), warm_start=listed(6),
        snapshot_seconds=float("inf"), checkpoint_seconds=0.0,
    )  # fmt: skip


def curves(events: list[RunEvent]) -> list[RemovalCurve]:
    return [event.curve for event in events if isinstance(event, RemovalCurveReady)]


def saved(spec: PlanSpec) -> RemovalCurve:
    curve = read_removal_curve(spec.out)
    assert curve is not None
    return curve


def same_curves(one: RemovalCurve, other: RemovalCurve) -> None:
    assert one.arrays().keys() == other.arrays().keys()
    for name, array in one.arrays().items():
        np.testing.assert_array_equal(array, other.arrays()[name], err_msg=name)


def test_a_run_keeps_every_plan_on_the_way_and_scores_it_at_the_end(spec: PlanSpec) -> None:
    told = curves(carried_out(spec))
    assert [len(curve) for curve in told] == [1, 2, 3, 4, 5, 6, 6]
    assert [curve.is_scored for curve in told] == [False] * 6 + [True]
    curve = saved(spec)
    same_curves(curve, told[-1])
    assert [point.drops for point in curve.points] == [6, 5, 4, 3, 2, 1]
    assert curve.taken == 1
    # The fake fire burns less at nominal effectiveness than at design effectiveness.
    assert all(point.nominal_extent_ha < point.final_extent_ha for point in curve.points[1:])


def test_the_last_point_is_the_plan_of_the_run_and_each_other_one_has_its_drops(spec: PlanSpec) -> None:
    carried_out(spec)
    curve, plan = saved(spec), read_project_schedule(spec.out / PLAN, spec.project)
    last = curve.schedule(len(curve) - 1)
    assert np.array_equal(last.logits, plan.logits)
    assert np.array_equal(last.poses[last.proposed], plan.poses[plan.proposed])
    for index, point in enumerate(curve.points):
        assert curve.schedule(index).proposed.sum() == point.drops
        assert np.array_equal(curve.schedule(index).proposed.ravel()[6 - point.drops : 6], [True] * point.drops)


@pytest.mark.parametrize("removal", [0, 1, 3, 4])
def test_a_run_killed_at_any_moment_ends_with_the_curve_of_an_unbroken_one(
    spec: PlanSpec, tmp_path: Path, removal: int
) -> None:
    whole = replace(spec, out=tmp_path / "whole")
    carried_out(whole)
    with pytest.raises(KeyboardInterrupt):
        carried_out(spec, FakeEngine(during_removal=raise_at(removal, KeyboardInterrupt)))
    carried_out(replace(spec, resume=True, warm_start=None))
    same_curves(saved(spec), saved(whole))


def test_a_run_that_was_begun_without_a_curve_has_one_from_where_it_goes_on(spec: PlanSpec) -> None:
    with pytest.raises(KeyboardInterrupt):
        carried_out(spec, FakeEngine(during_removal=raise_at(2, KeyboardInterrupt)))
    path = spec.out / ELIMINATION_CHECKPOINT
    write_arrays(path, {name: array for name, array in read_arrays(path).items() if not name.startswith("curve.")})
    assert read_removal_curve(spec.out) is None
    carried_out(replace(spec, resume=True, warm_start=None))
    assert [point.drops for point in saved(spec).points] == [4, 3, 2, 1]


def test_a_run_without_a_second_stage_has_none_and_a_damaged_one_is_refused(spec: PlanSpec) -> None:
    carried_out(replace(spec, stages=(Stage.KEEP,)))
    assert read_removal_curve(spec.out) is None
    curve = RemovalCurve.of(listed(3)).arrays()
    write_arrays(spec.out / ELIMINATION_CHECKPOINT, curve | {"curve.pose_of": np.zeros(2, np.int64)})
    with pytest.raises(InputError, match="no removal curve that can be read"):
        read_removal_curve(spec.out)
    (spec.out / ELIMINATION_CHECKPOINT).write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot be read"):
        read_removal_curve(spec.out)

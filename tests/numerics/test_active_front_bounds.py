"""A rollout is given up only when it cannot keep its bounds, and whenever it does not keep them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.schedule import Schedule
from firegui.rollout.day_state import Bounds, Exceeded
from firegui.rollout.model import Model
from firegui.rollout.outcome import RolloutOptions
from firegui.rollout.simulate import resume, simulate, simulate_many
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.numerics.front_cases import busy_fleet, fitful_maps, many_drops, nothing_flies, roll

TERMS = ("burn", "final", "prot")
ROUNDING = 1.0 + 2e-6


def quiet_end(model: Model, schedule: Schedule, last: int) -> Schedule:
    """The schedule without a drop after ``last``."""
    logits = schedule.logits.copy()
    logits[last + 1 :] = -3.0
    return Schedule(logits, schedule.poses)


def case(seed: int) -> tuple[Model, Schedule]:
    """Fires that grow, die or do both, with drops to the end, to some step, or none."""
    rng = np.random.default_rng(seed)
    if seed % 3 == 0:
        maps, fleet = random_maps(seed, shape=(26, 40), days=3), small_fleet()
        schedule = random_schedule(seed, maps, fleet)
    else:
        maps, fleet = fitful_maps(seed, (30, 70), gain=float(rng.choice([0.1, 0.2, 0.5]))), busy_fleet()
        schedule = many_drops(seed, maps, fleet, share=float(rng.choice([0.1, 0.4, 0.7])))
    model = replace(model_of(maps, fleet), first_scored_step=int(rng.choice([0, 0, 1, 7, maps.n_steps])))
    return model, quiet_end(model, schedule, int(rng.choice([-1, 5, 21, maps.n_steps])))


def losses(metrics: object) -> dict[str, float]:
    return {term: getattr(metrics, f"loss_{term}") for term in TERMS}


def assert_given_up_rightly(exceeded: Exceeded | None, model: Model, limits: Bounds, whole: dict[str, float]) -> None:
    assert exceeded is not None
    assert exceeded.limit == getattr(limits, exceeded.term)
    assert 0 <= exceeded.step <= model.n_steps
    assert exceeded.limit < exceeded.value <= whole[exceeded.term] * ROUNDING


@pytest.mark.parametrize("seed", range(24))
def test_a_rollout_that_keeps_its_bounds_is_never_given_up(seed: int) -> None:
    model, schedule = case(seed)
    free, _ = roll(model, schedule)
    limits = {term: value * (1.0 + 1e-9) for term, value in losses(free.metrics).items()}
    for chosen in (limits, *({term: limits[term]} for term in TERMS)):
        bounded, _ = roll(model, schedule, RolloutOptions(bounds=Bounds(**chosen)))
        assert bounded.exceeded is None
        assert bounded.metrics == free.metrics


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("term", TERMS)
def test_a_rollout_that_breaks_a_bound_is_given_up(seed: int, term: str) -> None:
    model, schedule = case(seed)
    whole = losses(roll(model, schedule)[0].metrics)
    for share in (0.0, 0.3, 0.9, 0.999, 1.0 - 1e-5):
        limits = Bounds(**{term: whole[term] * share})
        exceeded = roll(model, schedule, RolloutOptions(bounds=limits))[0].exceeded
        if whole[term] > 0.0:
            assert_given_up_rightly(exceeded, model, limits, whole)
        else:
            assert exceeded is None


def test_an_unsuppressed_fire_that_is_too_large_is_given_up_within_the_first_days() -> None:
    model = model_of(fitful_maps(1, days=6), busy_fleet())
    free, _ = roll(model, nothing_flies(model))
    for term, value in losses(free.metrics).items():
        if value > 0.0:
            given_up, _ = roll(model, nothing_flies(model), RolloutOptions(bounds=Bounds(**{term: value * 0.1})))
            assert given_up.exceeded is not None
            assert given_up.exceeded.step < model.n_steps // 2
            assert given_up.metrics.occupancy_cell_days < 0.5 * free.metrics.occupancy_cell_days


def test_while_water_still_falls_only_what_has_burned_out_counts() -> None:
    # The very last step has a drop of water far from the fire: it might have put everything out again.
    maps = fitful_maps(2, days=6)
    model = model_of(maps, busy_fleet())
    schedule = nothing_flies(model)
    limits = Bounds(final=0.3 * roll(model, schedule)[0].metrics.loss_final)
    early = roll(model, schedule, RolloutOptions(bounds=limits))[0].exceeded
    schedule.logits[-1, 3], schedule.poses[-1, 3] = 3.0, (1.0, 1.0, 0.0)
    late = roll(model, schedule, RolloutOptions(bounds=limits))[0].exceeded
    assert early is not None and late is not None
    assert early.step < late.step < model.n_steps
    assert late.step % maps.steps_per_day == 0


def test_water_at_the_last_step_may_still_save_the_terminal_bound() -> None:
    # Everything that burned is burning still, and the last drop puts it all out.
    maps = random_maps(3, days=2)
    calm = np.zeros_like(maps.wind_speed)
    maps = replace(maps, phi=np.zeros_like(maps.phi), wind_speed=calm, t_burn=1000.0)
    model = model_of(maps, busy_fleet(payload_gal=5e6))
    schedule = nothing_flies(model)
    schedule.logits[-1, 3], schedule.poses[-1, 3] = 3.0, (7.0, 7.5, 0.0)
    free, _ = roll(model, schedule)
    assert free.metrics.loss_final < 0.1 * maps.ignition.sum() / model.n_cells
    bounded, _ = roll(model, schedule, RolloutOptions(bounds=Bounds(final=free.metrics.loss_final * (1.0 + 1e-9))))
    assert bounded.exceeded is None


def test_a_resumed_rollout_is_given_up_like_the_whole_one() -> None:
    model, schedule = case(4)
    whole = simulate(model, schedule, keep_states=True)
    limits = Bounds(burn=whole.metrics.loss_burn * 0.9)
    given_up = simulate(model, schedule, bounds=limits)
    assert given_up.exceeded is not None
    for state in whole.states:
        rest = resume(model, state, schedule, bounds=limits)
        assert_given_up_rightly(rest.exceeded, model, limits, losses(whole.metrics))


def test_each_of_many_is_given_up_for_itself() -> None:
    model, schedule = case(5)
    schedules = [schedule, nothing_flies(model)]
    free = [one.metrics.loss_burn for one in simulate_many(model, schedules)]
    assert free[0] < 0.99 * free[1]
    held, grown = simulate_many(model, schedules, bounds=Bounds(burn=free[0] * (1.0 + 1e-9)))
    assert held.exceeded is None
    assert grown.exceeded is not None

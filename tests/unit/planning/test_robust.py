"""The robust feasibility test: which rollouts a removal has to pass, and against what."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.schedule import Schedule
from firegui.domain.settings import EliminationSettings
from firegui.planning.trials import Trial, constraint_weights, displaced, passes, run
from firegui.planning.two_stage import displacements, front_shift, trials_of
from firegui.rollout.day_state import UNBOUNDED, Bounds
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet

TERMS = ("burn", "final")
SETTINGS = EliminationSettings(slack=1.02, floor=0.0, perturbations=3, perturbation_scale=0.05, front_shift=0.1)


def case(seed: int = 1) -> tuple[Model, Schedule]:
    maps, fleet = random_maps(seed, shape=(26, 40), days=3), small_fleet()
    return model_of(maps, fleet), random_schedule(seed, maps, fleet)


def test_without_extras_only_the_papers_own_test_is_left() -> None:
    model, schedule = case()
    (nominal,) = trials_of(model, schedule, replace(SETTINGS, perturbations=0, front_shift=0.0), TERMS, 0)
    metrics = simulate(model, schedule).metrics
    assert nominal.shift is None and nominal.alter is None
    assert nominal.bounds == Bounds(burn=1.02 * metrics.loss_burn, final=1.02 * metrics.loss_final)


def test_every_disturbance_has_thresholds_of_the_reference_under_it() -> None:
    model, schedule = case()
    trials = trials_of(model, schedule, SETTINGS, TERMS, 0)
    assert [trial.shift is None for trial in trials] == [True, False, False, False, True]
    assert [trial.alter is None for trial in trials] == [True, True, True, True, False]
    disturbed = [simulate(model, schedule)]
    disturbed += [simulate(model, displaced(schedule, t.shift, model.shape)) for t in trials if t.shift is not None]
    disturbed.append(simulate(model, schedule, alter=front_shift(0.1)))
    for trial, rollout in zip(trials, disturbed, strict=True):
        assert trial.bounds.burn == 1.02 * rollout.metrics.loss_burn
        assert trial.bounds.final == 1.02 * rollout.metrics.loss_final
        assert trial.bounds.prot == np.inf
        assert passes(trial, run(trial, schedule))
    assert len({trial.bounds.final for trial in trials}) == 5
    assert trials[-1].bounds.final > trials[0].bounds.final


def test_a_schedule_that_fails_under_a_disturbance_does_not_pass_its_trial() -> None:
    model, schedule = case()
    nothing = Schedule(np.full_like(schedule.logits, -3.0), schedule.poses)
    for trial in trials_of(model, schedule, SETTINGS, TERMS, 0):
        rollout = run(trial, nothing)
        assert rollout.exceeded is not None
        assert not passes(trial, rollout)
        assert run(trial, nothing, bounded=False).exceeded is None


def test_the_floor_is_the_tightest_threshold() -> None:
    model, schedule = case()
    for trial in trials_of(model, schedule, replace(SETTINGS, floor=0.9), ("prot",), 0):
        assert trial.bounds == Bounds(prot=0.9)


def test_the_seed_decides_the_displacements_and_more_of_them_leave_the_first_as_they_are() -> None:
    model, schedule = case()
    four = trials_of(model, schedule, replace(SETTINGS, perturbations=4), TERMS, 7)
    three = trials_of(model, schedule, SETTINGS, TERMS, 7)
    other = trials_of(model, schedule, SETTINGS, TERMS, 8)
    for index in (1, 2, 3):
        one, same, different = (trials[index].shift for trials in (three, four, other))
        assert one is not None and same is not None and different is not None
        np.testing.assert_array_equal(one, same)
        assert (one != different).any()
        assert one.std() == pytest.approx(0.05, rel=0.2)


def test_streams_of_a_seed_are_independent() -> None:
    fixed, fresh = (displacements((4, 5, 3), 1, 1.0, 3, stream)[0] for stream in (0, 1))
    assert (fixed != fresh).all()


def test_the_objective_under_the_constraints_weights_is_the_sum_of_their_ratios() -> None:
    model, schedule = case()
    bounds = Bounds(burn=0.01, prot=0.5)
    metrics = simulate(replace(model, weights=constraint_weights(bounds)), schedule).metrics
    assert metrics.objective == pytest.approx(metrics.loss_burn / 0.01 + metrics.loss_prot / 0.5, rel=1e-9)


def test_an_unbounded_trial_is_passed_by_anything() -> None:
    model, schedule = case()
    trial = Trial(model, UNBOUNDED)
    assert passes(trial, run(trial, schedule))

"""Pose smoothing: the same drops, at poses that hold under displacement."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.schedule import Schedule
from firegui.domain.settings import EliminationSettings
from firegui.errors import CancelledError, InputError
from firegui.planning.trials import Trial, passes, ratios, run
from firegui.planning.two_stage import PoseSmoothing, SmoothingSettings, SmoothingState, trials_of
from firegui.rollout.gates import apply_gates
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.support import stop

SETTINGS = SmoothingSettings(epochs=12, draws=2, scale=0.01, learning_rate=0.01)


def case(seed: int = 2) -> tuple[tuple[Trial, ...], Schedule]:
    """Trials, and the schedule of the reference's executed drops alone."""
    maps, fleet = random_maps(seed, shape=(22, 30), days=2), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(seed, maps, fleet)
    executed = apply_gates(schedule.proposed, fleet, maps.steps_per_day).executed
    fixed = Schedule(np.where(executed, 1.0, -3.0), schedule.poses)
    settings = EliminationSettings(perturbations=2, perturbation_scale=0.01)
    return trials_of(model, fixed, settings, ("burn", "final"), 0), fixed


def value(trials: tuple[Trial, ...], schedule: Schedule) -> float:
    sums = [np.nansum(list(ratios(run(trial, schedule).metrics, trial.bounds).values())) for trial in trials]
    return float(np.mean(sums))


def finished(smoothing: PoseSmoothing) -> PoseSmoothing:
    while not smoothing.finished:
        smoothing.epoch()
    return smoothing


def test_the_best_poses_hold_the_constraints_with_more_room_and_the_same_drops() -> None:
    trials, start = case()
    smoothing = finished(PoseSmoothing(trials, start, SETTINGS, 0))
    best = smoothing.best
    np.testing.assert_array_equal(best.logits, start.logits)
    assert all(passes(trial, run(trial, best)) for trial in trials)
    assert value(trials, best) < 0.999 * value(trials, start)
    assert smoothing.best_value == pytest.approx(value(trials, best), rel=1e-9)


def test_only_drops_that_are_flown_are_moved() -> None:
    trials, start = case()
    best = finished(PoseSmoothing(trials, start, SETTINGS, 0)).best
    moved = np.abs(best.poses - start.poses).max(axis=2)
    flown = start.logits > 0.0
    assert (moved[~flown] < 1e-6).all()
    assert (moved[flown] > 1e-3).any()


def test_poses_that_do_worse_are_never_the_best() -> None:
    trials, start = case()
    wild = replace(SETTINGS, learning_rate=0.5)
    smoothing = PoseSmoothing(trials, start, wild, 0)
    reports = []
    while not smoothing.finished:
        reports.append(smoothing.epoch())
    assert max(report.held for report in reports) > reports[0].held
    assert smoothing.best_value == min(report.held for report in reports)
    again = PoseSmoothing(trials, smoothing.best, SETTINGS, 0).epoch()
    assert again.held == smoothing.best_value


def test_the_seed_decides_and_a_broken_run_ends_like_an_unbroken_one(tmp_path: Path) -> None:
    trials, start = case()
    whole, other = (finished(PoseSmoothing(trials, start, SETTINGS, seed)) for seed in (0, 1))
    broken = PoseSmoothing(trials, start, SETTINGS, 0)
    for _ in range(5):
        broken.epoch()
    broken.state().save(tmp_path / "smoothing.safetensors")
    state = SmoothingState.load(tmp_path / "smoothing.safetensors")
    resumed = finished(PoseSmoothing(trials, start, SETTINGS, 0, state))
    np.testing.assert_array_equal(resumed.best.poses, whole.best.poses)
    np.testing.assert_array_equal(resumed.state().pose_logits, whole.state().pose_logits)
    assert (other.state().pose_logits != whole.state().pose_logits).any()


def test_a_cancelled_epoch_leaves_everything_as_it_was() -> None:
    trials, start = case()
    smoothing = PoseSmoothing(trials, start, SETTINGS, 0)
    smoothing.epoch()
    before = smoothing.state()

    with pytest.raises(CancelledError):
        smoothing.epoch(stop)
    assert smoothing.state() is before


def test_a_checkpoint_of_another_schedule_or_of_rubbish_is_refused(tmp_path: Path) -> None:
    trials, start = case()
    state = PoseSmoothing(trials, start, SETTINGS, 0).state()
    short = replace(state, pose_logits=state.pose_logits[:-1])
    with pytest.raises(InputError, match="not of this schedule"):
        PoseSmoothing(trials, start, SETTINGS, 0, short)
    (tmp_path / "rubbish").write_text("no state")
    with pytest.raises(InputError, match="cannot be read"):
        SmoothingState.load(tmp_path / "rubbish")

"""The slope of a misfit by the gains, in closed form on the active front, against autograd and finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.errors import CancelledError
from firegui.rollout.kernels import cpu_run
from firegui.rollout.kernels.cpu import ActiveFront
from firegui.rollout.model import Model
from firegui.rollout.outcome import Slopes
from firegui.rollout.simulate import gain_slopes, prepare
from tests.numerics.cases import random_maps
from tests.numerics.front_cases import assert_near, fitful_maps, lit, wide_fire

Floats = NDArray[np.float32]


def model_for(maps: FireMaps, backend: str = "cpu", precision: str = "float32") -> Model:
    return prepare(
        maps, Fleet(()), np.zeros((0, *maps.shape), bool), (), weights=ObjectiveWeights(), effectiveness=NOMINAL,
        backend=backend, precision=precision,
    )  # fmt: skip


def squared(target: Floats) -> tuple[list[float], Slopes]:
    """``Σ_d Σ_x (P_d − target_d)²`` over the ends of days, what it was at each call, and its slopes."""
    losses: list[float] = []

    def slopes(states: Floats) -> Floats:
        apart = (states - target).astype(np.float32)
        apart[0] = 0.0
        losses.append(float((apart.astype(np.float64) ** 2).sum()))
        return (2.0 * apart).astype(np.float32)

    return losses, slopes


def heard(model: Model, target: Floats, *, through_days: bool = True) -> tuple[Floats, Floats]:
    """The states, and the slopes by ``K`` of every day."""
    found = np.full(model.maps.phi.shape, np.nan, np.float32)

    def hear(day: int, slopes: Floats) -> None:
        assert np.isnan(found[day]).all()
        found[day] = slopes

    states = gain_slopes(model, squared(target)[1], hear, through_days=through_days)
    return states, found


def target_for(maps: FireMaps, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    return rng.uniform(size=(maps.days + 1, *maps.shape)).astype(np.float32)


@pytest.mark.parametrize("through_days", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_autograds_where_something_ignites(seed: int, through_days: bool) -> None:
    maps = random_maps(seed, shape=(21, 37), days=3, steps_per_day=10)
    target = target_for(maps, seed)
    states, found = heard(model_for(maps), target, through_days=through_days)
    truth, wanted = heard(model_for(maps, "reference", "float64"), target, through_days=through_days)
    assert_near(states.astype(np.float64), truth.astype(np.float64), 1e-4)
    lit_later = (truth[-1] > 1e-3) & ~maps.ignition
    wanted, found = wanted * lit_later, found * lit_later
    assert_near(found.astype(np.float64), wanted.astype(np.float64), 1e-4)


@pytest.mark.parametrize("through_days", [True, False])
def test_a_log_that_begins_anew_changes_nothing_but_rounding(
    through_days: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = fitful_maps(2, days=5)
    target = target_for(maps, 2)
    states, whole = heard(model_for(maps), target, through_days=through_days)
    monkeypatch.setattr(cpu_run, "MOST_LOGGED", 300)
    again, parts = heard(model_for(maps), target, through_days=through_days)
    np.testing.assert_array_equal(again, states)
    assert_near(parts.astype(np.float64), whole.astype(np.float64), 1e-5)


def test_it_is_the_change_of_the_misfit_when_a_gain_changes() -> None:
    # One day, and every cell burns from the start but one: nothing of the carry of B, which is cut, matters.
    maps = random_maps(5, shape=(7, 9), days=1, steps_per_day=5)
    maps = replace(maps, burnable=np.ones(maps.shape, bool), ignition=np.ones(maps.shape, bool), t_burn=1e6)
    maps.ignition[3, 4] = False
    target = np.zeros((2, 7, 9), np.float32)
    _, found = heard(model_for(maps, "cpu"), target)
    at = (0, 2, 3, 4)
    step = 1e-4
    ends = []
    for change in (step, -step):
        phi = np.asarray(maps.phi).astype(np.float64)
        phi[at] += change / float(maps.gamma[0, 3, 4])
        losses, slopes = squared(target)
        changed = model_for(replace(maps, phi=phi.astype(np.float32)), "reference", "float64")
        gain_slopes(changed, slopes, lambda day, by_gain: None)
        ends.append(losses[0])
    assert (ends[0] - ends[1]) / (2.0 * step) == pytest.approx(float(found[at]), rel=2e-2)


def test_a_day_alone_knows_nothing_of_the_days_after() -> None:
    maps = random_maps(7, shape=(21, 37), days=3, steps_per_day=10)
    target = target_for(maps, 7)
    other = target.copy()
    other[3] = 1.0 - other[3]
    one, two = (heard(model_for(maps), wanted, through_days=False)[1] for wanted in (target, other))
    np.testing.assert_array_equal(one[:2], two[:2])
    assert np.abs(one[2] - two[2]).max() > 0.0
    through = [heard(model_for(maps), wanted)[1] for wanted in (target, other)]
    assert np.abs(through[0][0] - through[1][0]).max() > 0.0


def test_a_second_run_and_two_threads_give_the_same_bits_and_leave_no_trace() -> None:
    maps = wide_fire(3)
    model, target = model_for(maps), target_for(maps, 3)
    found = []
    for threads in (1, 2, 2, 1):
        days = np.zeros((maps.days, 8, *maps.shape), np.float32)

        def hear(day: int, by_gain: Floats, days: Floats = days) -> None:
            days[day] = by_gain

        ActiveFront(threads).gain_slopes(model, squared(target)[1], hear, None, through_days=True)
        found.append(days)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)
    assert np.abs(found[0]).max() > 0.0


def test_it_can_be_cancelled_on_its_way_back() -> None:
    maps = lit(fitful_maps(2), (slice(10, 20), slice(30, 60)))
    model = model_for(maps)
    days: list[int] = []

    def check() -> None:
        if days:
            raise CancelledError("stopped")

    slopes = squared(target_for(maps, 2))[1]
    with pytest.raises(CancelledError):
        gain_slopes(model, slopes, lambda day, by_gain: days.append(day), check=check)
    assert days == [maps.days - 1]


def test_other_backends_answer_too() -> None:
    maps = random_maps(9, shape=(12, 17), days=2, steps_per_day=6)
    target = target_for(maps, 9)
    states, wanted = heard(model_for(maps), target)
    _, found = heard(model_for(maps, "reference"), target)
    lit_later = (states[-1] > 1e-3) & ~maps.ignition
    wanted, found = wanted * lit_later, found * lit_later
    assert_near(found.astype(np.float64), wanted.astype(np.float64), 1e-4)

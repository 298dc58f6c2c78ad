"""Ensembles against distributions that are known exactly, and sampled fields against what was asked for."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from firegui.domain.ensemble import BASELINE, PLAN, Ensemble
from firegui.domain.fleet import Fleet, Material
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.domain.uncertainty import PAPER_BEAR, UncertaintySettings
from firegui.ensembles.ensemble import run_ensemble
from firegui.ensembles.random_field import FieldSampler
from firegui.ensembles.residuals import fit_exponential, semivariogram
from firegui.rollout.alteration import Alteration, State
from firegui.rollout.model import Model
from firegui.rollout.observe import Window
from firegui.rollout.simulate import prepare, simulate
from tests.numerics.cases import aircraft
from tests.unit.ensembles.worlds import blown_project

MEMBERS = [400, pytest.param(10_000, marks=pytest.mark.slow)]
STANDARD_ERRORS = 4.0
DAYS, STEPS, T_BURN, GAIN = 3, 6, 8.0, 0.25
UNBURNED, BURNING, BURNED = range(3)


def cells(count: int, backend: str = "cpu") -> Model:
    """A row of cells: the first burns, and each can light the next one to the east."""
    phi = np.zeros((DAYS, 8, 1, count), np.float32)
    phi[:, 3] = GAIN  # from the west
    still = np.zeros((DAYS, 1, count), np.float32)
    ignition = np.zeros((1, count), bool)
    ignition[0, 0] = True
    ones = np.ones((DAYS, 1, count), np.float32)
    maps = FireMaps(phi, ones, np.ones((1, count), bool), still, still, ignition, T_BURN, STEPS, 30.0, 2.7)
    fleet = Fleet((aircraft("R", Material.RETARDANT, 1), aircraft("W", Material.WATER, 1)))
    return prepare(
        maps, fleet, np.ones((1, 1, count), bool), [1.0], weights=ObjectiveWeights(), effectiveness=NOMINAL,
        backend=backend,
    )  # fmt: skip


def suppressed(model: Model) -> Schedule:
    """Weak retardant over the second cell on the first day, and water on the second."""
    plan = Schedule.empty(model.n_steps, 2)
    plan.logits[1, 0], plan.logits[STEPS + 1, 1] = 1.0, 1.0
    plan.poses[1, 0], plan.poses[STEPS + 1, 1] = (0.55, 1.0, 0.0), (0.55, 0.5, 0.0)
    return plan


def exact(count: int, schedule: Schedule) -> np.ndarray:
    """``[D + 1, 3, cells]``: the marginal probabilities of every state, from the chain of all joint states.

    The chance of each joint state a day later is read from the dense reference, put into the state it comes from.
    """
    model = cells(count, "reference")
    joint = list(product(range(3), repeat=count))
    first = tuple(BURNING if cell == 0 else UNBURNED for cell in range(count))
    chances = {state: float(state == first) for state in joint}
    marginals = np.zeros((DAYS + 1, 3, count))
    # What follows from a state depends on the day, through drops and what of them lies there, and on nothing before.
    after = {state: _next_days(model, schedule, state) for state in joint}
    for day in range(DAYS + 1):
        for state, chance in chances.items():
            for cell, kind in enumerate(state):
                marginals[day, kind, cell] += chance
        if day == DAYS:
            return marginals
        following = dict.fromkeys(joint, 0.0)
        for state, chance in chances.items():
            if not chance:
                continue
            table = after[state][day]  # [3, cells]
            for state_after in joint:
                following[state_after] += chance * float(
                    np.prod([table[kind, c] for c, kind in enumerate(state_after)])
                )
        chances = following
    raise AssertionError


def _next_days(model: Model, schedule: Schedule, state: tuple[int, ...]) -> dict[int, np.ndarray]:
    """``[3, cells]`` at the end of every day that begins with ``state``."""
    kinds = np.array(state)[None]
    found = {}

    def put(day: int, window: Window, unburned: State, burning: State) -> tuple[State, State]:
        u, b = unburned[0].astype(np.float64), burning[0].astype(np.float64)
        found[day] = np.stack([u, b, 1.0 - u - b])
        return (kinds == UNBURNED).astype(unburned.dtype), (kinds == BURNING).astype(burning.dtype)

    simulate(model, schedule, alter=Alteration(put))
    first = tuple(BURNING if cell == 0 else UNBURNED for cell in range(len(state)))
    return found if state == first else {day: table for day, table in found.items() if day > 0}


def frequencies(found: Ensemble, case: int) -> np.ndarray:
    """``[D + 1, 3, cells]`` of the ensemble."""
    fire, burning = (states[case, :, 0].astype(np.float64) for states in (found.fire, found.burning))
    return np.stack([1.0 - fire, burning, np.maximum(fire - burning, 0.0)], axis=1)


def deviation(found: np.ndarray, wanted: np.ndarray, members: int) -> float:
    """The largest difference in standard errors; what is certain has to be met to rounding."""
    error = np.sqrt(np.maximum(wanted * (1.0 - wanted), 0.0) / members)
    certain = error < 1e-6
    np.testing.assert_allclose(found[certain], wanted[certain], atol=1e-6)
    return float((abs(found - wanted)[~certain] / error[~certain]).max())


@pytest.mark.parametrize("members", MEMBERS)
def test_one_cell_burns_out_as_a_power(members: int) -> None:
    model = cells(1)
    found = run_ensemble(blown_project(), model, None, UncertaintySettings(members=members, seed=11))
    left = (1.0 - 1.0 / T_BURN) ** (STEPS * np.arange(DAYS + 1))
    wanted = np.stack([np.zeros(DAYS + 1), left, 1.0 - left], axis=1)[:, :, None]
    off = deviation(frequencies(found, BASELINE), wanted, members)
    print(f"\none cell, {members:,} members: marginals at most {off:.2f} standard errors off")
    assert off < STANDARD_ERRORS


def test_the_chain_of_two_cells_begins_as_worked_out_by_hand() -> None:
    burning = (1.0 - 1.0 / T_BURN) ** np.arange(STEPS)
    chain = exact(2, Schedule.empty(DAYS * STEPS, 2))
    assert chain[1, UNBURNED, 1] == pytest.approx(np.exp(-GAIN * burning.sum()), rel=1e-5)
    assert chain[1, BURNING, 0] == pytest.approx(burning[-1] * (1.0 - 1.0 / T_BURN), rel=1e-5)
    np.testing.assert_allclose(chain.sum(axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize("members", MEMBERS)
def test_two_cells_follow_the_chain_of_their_joint_states_with_and_without_a_plan(members: int) -> None:
    model = cells(2)
    plan = suppressed(model)
    found = run_ensemble(blown_project(), model, plan, UncertaintySettings(members=members, seed=12))
    chains = exact(2, Schedule.empty(model.n_steps, 2)), exact(2, plan)
    apart = chains[PLAN][:, UNBURNED, 1] - chains[BASELINE][:, UNBURNED, 1]
    assert (apart[1:] > 0.1).all(), "retardant and water matter here"
    for case, name in ((BASELINE, "without drops"), (PLAN, "with retardant and water")):
        off = deviation(frequencies(found, case), chains[case], members)
        print(f"\ntwo cells {name}, {members:,} members: marginals at most {off:.2f} standard errors off")
        assert off < STANDARD_ERRORS
        extents = found.extent[case].mean(axis=0)
        np.testing.assert_allclose(extents, 2.0 - frequencies(found, case)[:, UNBURNED].sum(axis=1), atol=1e-5)


FIELDS = 200


@pytest.mark.parametrize(("size", "length"), [(192, 6.0), pytest.param(256, 10.0, marks=pytest.mark.slow)])
def test_sampled_fields_have_the_variance_and_the_correlation_that_were_asked_for(size: int, length: float) -> None:
    error = replace(PAPER_BEAR, correlation_cells=length)
    sampler, mask = FieldSampler(error, (size, size)), np.ones((size, size), bool)
    total = float(np.trace(error.covariance))
    variances, fits = [], []
    for member in range(FIELDS):
        field = sampler.field(7, member, 0)
        variances.append([float((part.astype(np.float64) ** 2).mean()) for part in field])
        fits.append(fit_exponential(semivariogram([field], mask)))
    ratios = np.hstack([np.array(variances) / np.diag(error.covariance), np.array(fits) / [total, length]])
    mean, deviations = ratios.mean(axis=0), ratios.std(axis=0, ddof=1)
    names = ("variance of the first", "variance of the second", "fitted sill", "fitted correlation length")
    for name, one, sd in zip(names, mean, deviations, strict=True):
        told = f"{name} {one:.4f} ± {sd / np.sqrt(FIELDS):.4f} of what was asked"
        print(f"\n{FIELDS} fields of {size}², ℓ = {length:g}: {told}")
    np.testing.assert_allclose(mean[[0, 1, 3]], 1.0, atol=0.05)
    np.testing.assert_allclose(mean[2:], 1.0, atol=0.1)


def test_their_covariance_falls_off_exponentially() -> None:
    length, size = 8.0, 160
    sampler = FieldSampler(replace(PAPER_BEAR, correlation_cells=length), (size, size))
    lags = np.array([1, 2, 4, 8, 16, 24])
    found = np.zeros((FIELDS, 2, len(lags)))
    for member in range(FIELDS):
        field = sampler.unit(8, member, 0).astype(np.float64)
        for index, lag in enumerate(lags):
            found[member, :, index] = (field[:, lag:] * field[:, :-lag]).mean(axis=(1, 2))
            found[member, :, index] += (field[:, :, lag:] * field[:, :, :-lag]).mean(axis=(1, 2))
    found /= 2.0
    error = found.std(axis=0, ddof=1) / np.sqrt(FIELDS)
    assert (abs(found.mean(axis=0) - np.exp(-lags / length)) < STANDARD_ERRORS * error).all()

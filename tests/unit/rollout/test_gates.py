"""The gates against the paper's counter, taken step by step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.io.project.scenario_toml import default_fleet
from firegui.rollout.gates import Gates, apply_gates

Bools = NDArray[np.bool_]


def stepped(proposed: Bools, fleet: Fleet, steps_per_day: int) -> Gates:
    """``d_t = 1[proposed ∧ c_t = 0 ∧ not grounded]``, ``c_{t+1} = d_t Δ + (1 − d_t) max(c_t − 1, 0)``, as written."""
    tails = fleet.tails
    turnaround = np.array([tail.type.turnaround_steps(steps_per_day) for tail in tails], np.int64)
    counter = np.zeros(len(tails), np.int64)
    open_, executed = np.zeros_like(proposed), np.zeros_like(proposed)
    for step, wanted in enumerate(proposed):
        flying = np.array([step // steps_per_day not in tail.type.grounded_days for tail in tails], bool)
        open_[step] = flying & (counter == 0)
        executed[step] = open_[step] & wanted
        counter = np.where(executed[step], turnaround, np.maximum(counter - 1, 0))
    return Gates(open_, executed)


def kind(name: str, count: int, turnaround_h: float, grounded: tuple[int, ...] = ()) -> AircraftType:
    return AircraftType(
        name, name, count, Material.RETARDANT, 900.0, turnaround_h, 60.0, 3.0, 50.0, 60.0, 6.0, grounded_days=grounded
    )


def assert_same(proposed: Bools, fleet: Fleet, steps_per_day: int) -> None:
    found, wanted = apply_gates(proposed, fleet, steps_per_day), stepped(proposed, fleet, steps_per_day)
    np.testing.assert_array_equal(found.executed, wanted.executed)
    np.testing.assert_array_equal(found.open, wanted.open)
    assert (found.open.dtype, found.executed.dtype) == (np.dtype(bool), np.dtype(bool))


days = st.lists(st.integers(0, 6), max_size=4).map(lambda found: tuple(sorted(set(found))))
kinds = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.3, 2.4, 5.0, 24.0, 60.0]), days), max_size=4)


@given(kinds, st.integers(0, 47), st.sampled_from([1, 7, 10]), st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.integers(0))
def test_every_fleet_and_proposal_gives_what_the_counter_gives(
    rows: list[tuple[int, float, tuple[int, ...]]], n_steps: int, steps_per_day: int, share: float, seed: int
) -> None:
    fleet = Fleet(tuple(kind(f"T{index}", *row) for index, row in enumerate(rows)))
    proposed = np.random.default_rng(seed).uniform(size=(n_steps, fleet.n_aircraft)) < share
    assert_same(proposed, fleet, steps_per_day)


@pytest.mark.parametrize("share", [0.02, 0.07, 0.5, 1.0])
def test_the_papers_fleet_over_fifteen_days_flies_what_the_counter_lets_it(share: float) -> None:
    proposed = np.random.default_rng(3).uniform(size=(750, 21)) < share
    assert_same(proposed, default_fleet(), 50)


@pytest.mark.parametrize("share", [0.02, 1.0])
def test_drops_that_have_flown_all_fly_again(share: float) -> None:
    proposed = np.random.default_rng(4).uniform(size=(750, 21)) < share
    flown = apply_gates(proposed, default_fleet(), 50).executed
    np.testing.assert_array_equal(apply_gates(flown, default_fleet(), 50).executed, flown)
    assert_same(flown, default_fleet(), 50)


def test_without_a_turnaround_every_proposal_is_executed_and_nothing_is_ever_closed() -> None:
    fleet = Fleet((kind("T", 2, 0.0),))
    proposed = np.random.default_rng(0).uniform(size=(40, 2)) < 0.5
    gates = apply_gates(proposed, fleet, 10)
    np.testing.assert_array_equal(gates.executed, proposed)
    assert gates.open.all()


def test_a_turnaround_runs_down_on_a_grounded_day() -> None:
    fleet = Fleet((kind("T", 1, 24.0, grounded=(1,)),))  # 10 steps from step 9 on: closed until 19, grounded until 19
    proposed = np.zeros((30, 1), bool)
    proposed[9:] = True
    assert np.flatnonzero(apply_gates(proposed, fleet, 10).executed[:, 0]).tolist() == [9, 20]


def test_the_proposals_are_left_as_they_were() -> None:
    proposed = np.ones((30, 3), bool)
    apply_gates(proposed, Fleet((kind("T", 3, 5.0),)), 10)
    assert proposed.all()

"""The gates under operational rules, against an oracle that walks step by step and aircraft by aircraft."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet, Material
from firegui.domain.schedule import Schedule
from firegui.rollout.gates import FlightRules, Gates, apply_gates, gates_of
from firegui.rollout.landing import drift_cells
from firegui.rollout.zones import axis_offsets, in_zones, nearby
from tests.numerics.cases import aircraft, random_maps, random_schedule, small_fleet

Bools = NDArray[np.bool_]
PER_DAY = 10


def walked(proposed: Bools, fleet: Fleet, rules: FlightRules, shut: Bools) -> Gates:
    """The rules as their docstring words them; pins are proposed wherever they are pinned."""
    n_steps, n_aircraft = proposed.shape
    none = np.zeros(proposed.shape, bool)
    pinned = none if rules.pinned is None else rules.pinned
    closed = (none if rules.closed is None else rules.closed) | shut
    waits = [tail.type.turnaround_steps(PER_DAY) for tail in fleet.tails]
    ready, flown, total = [0] * n_aircraft, np.zeros((n_aircraft, n_steps // PER_DAY + 1), int), 0
    open_, executed = none.copy(), none.copy()
    for step in range(n_steps):
        for column, tail in enumerate(fleet.tails):
            day = step // PER_DAY
            ahead = pinned[step + 1 : step + 1 + waits[column], column].any()
            pins_of_day = pinned[day * PER_DAY : (day + 1) * PER_DAY, column].sum()
            most = -1 if rules.sorties is None else int(rules.sorties[column])
            may = day not in tail.type.grounded_days and not closed[step, column] and step >= ready[column]
            if not pinned[step, column]:
                may &= not ahead
                may &= most < 0 or flown[column, day] < most - pins_of_day
                may &= rules.cap is None or total < rules.cap - int(pinned.sum())
            open_[step, column] = may
            if may and proposed[step, column]:
                executed[step, column] = True
                ready[column] = step + waits[column] + 1
                if not pinned[step, column]:
                    flown[column, day] += 1
                    total += 1
    return Gates(open_, executed)


@dataclass(frozen=True)
class Case:
    proposed: Bools
    fleet: Fleet
    rules: FlightRules
    shut: Bools


@st.composite
def cases(draw: st.DrawFn) -> Case:
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    fleet = small_fleet()
    size = (draw(st.sampled_from([7, 20, 33])), fleet.n_aircraft)
    closed = rng.uniform(size=size) < draw(st.sampled_from([0.0, 0.2, 0.6]))
    shut = rng.uniform(size=size) < draw(st.sampled_from([0.0, 0.2]))
    pinned = np.zeros(size, bool)
    for column, tail in enumerate(fleet.tails):
        # Pins as a checked project has them: on open steps, and a turnaround apart.
        for step in range(int(rng.integers(0, 6)), size[0], tail.type.turnaround_steps(PER_DAY) + 4):
            free = not closed[step, column] and not shut[step, column]
            pinned[step, column] = free and step // PER_DAY not in tail.type.grounded_days
    pinned &= draw(st.booleans())
    rules = FlightRules(
        closed=closed if draw(st.booleans()) else None,
        sorties=rng.integers(-1, 3, fleet.n_aircraft) if draw(st.booleans()) else None,
        cap=draw(st.sampled_from([None, 0, 1, 4, 9, 100])),
        pinned=pinned if draw(st.booleans()) else None,
    )
    proposed = rng.uniform(size=size) < draw(st.sampled_from([0.1, 0.5, 1.0]))
    return Case(proposed | (pinned if rules.pinned is not None else False), fleet, rules, shut)


@given(cases())
def test_every_rule_and_mixture_gives_what_walking_through_the_plan_gives(case: Case) -> None:
    found = apply_gates(case.proposed, case.fleet, PER_DAY, case.rules, case.shut)
    wanted = walked(case.proposed, case.fleet, case.rules, case.shut)
    np.testing.assert_array_equal(found.executed, wanted.executed)
    np.testing.assert_array_equal(found.open, wanted.open)


@pytest.mark.parametrize("rules", [FlightRules(), FlightRules(closed=np.zeros((20, 5), bool), cap=10_000)])
def test_rules_that_forbid_nothing_change_nothing(rules: FlightRules) -> None:
    proposed = np.random.default_rng(0).uniform(size=(20, 5)) < 0.4
    bare, ruled = apply_gates(proposed, small_fleet(), PER_DAY), apply_gates(proposed, small_fleet(), PER_DAY, rules)
    np.testing.assert_array_equal(bare.executed, ruled.executed)
    np.testing.assert_array_equal(bare.open, ruled.open)


def one_aircraft(**changes: float) -> Fleet:
    return Fleet((aircraft("R", Material.RETARDANT, 1, **changes),))


def test_after_its_sorties_an_aircraft_stays_down_for_the_rest_of_the_day() -> None:
    gates = apply_gates(np.ones((20, 1), bool), one_aircraft(turnaround_h=0.0), 10, FlightRules(sorties=np.array([3])))
    assert np.flatnonzero(gates.executed[:, 0]).tolist() == [0, 1, 2, 10, 11, 12]
    assert np.flatnonzero(gates.open[:, 0]).tolist() == [0, 1, 2, 10, 11, 12]


def test_a_sortie_is_kept_for_a_pinned_drop_even_when_the_schedule_does_not_propose_it() -> None:
    pinned = np.zeros((10, 1), bool)
    pinned[8] = True
    rules = FlightRules(sorties=np.array([2]), pinned=pinned)
    proposed = np.ones((10, 1), bool)
    fleet = one_aircraft(turnaround_h=0.0)
    assert np.flatnonzero(apply_gates(proposed, fleet, 10, rules).executed[:, 0]).tolist() == [0, 8]
    proposed[8] = False
    assert np.flatnonzero(apply_gates(proposed, fleet, 10, rules).executed[:, 0]).tolist() == [0]


def test_the_steps_from_which_a_drop_would_keep_a_pinned_one_from_flying_are_closed() -> None:
    pinned = np.zeros((10, 1), bool)
    pinned[6] = True
    gates = apply_gates(np.ones((10, 1), bool), one_aircraft(turnaround_h=5.0), 10, FlightRules(pinned=pinned))  # Δ = 3
    assert np.flatnonzero(gates.executed[:, 0]).tolist() == [0, 6]
    assert not gates.open[3:6].any()


def test_the_cap_closes_everything_after_the_last_drop_in_order_of_step_and_column() -> None:
    fleet = Fleet((aircraft("R", Material.RETARDANT, 3, turnaround_h=0.0),))
    gates = apply_gates(np.ones((4, 3), bool), fleet, 10, FlightRules(cap=5))
    assert [tuple(pair) for pair in np.argwhere(gates.executed).tolist()] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    np.testing.assert_array_equal(gates.open, gates.executed)


def test_a_drop_is_in_a_zone_when_any_point_of_its_long_axis_is() -> None:
    maps, fleet = random_maps(3, shape=(30, 34)), small_fleet()
    schedule = random_schedule(3, maps, fleet)
    zones = np.random.default_rng(1).uniform(size=maps.shape) < 0.01
    found = in_zones(schedule.poses, fleet, maps, zones, nearby(zones, fleet, maps))
    np.testing.assert_array_equal(found, in_zones(schedule.poses, fleet, maps, zones))
    for step in range(schedule.n_steps):
        for tail in fleet.tails:
            y, x, theta = schedule.poses[step, tail.index]
            drift = drift_cells(maps, tail.type, np.array([step]), np.array([y]), np.array([x]))
            reach = 2.0 * tail.type.sigma_parallel_m / maps.cell_size_m
            hit = False
            for along in [*np.arange(-int(2 * reach), int(2 * reach) + 1) / 2.0, -reach, reach]:
                row = int(np.floor(y + drift[0][0] - along * np.sin(theta) + 0.5))
                column = int(np.floor(x + drift[1][0] + along * np.cos(theta) + 0.5))
                hit |= 0 <= row < 30 and 0 <= column < 34 and bool(zones[row, column])
            assert found[step, tail.index] == hit
    assert 0 < found.sum() < found.size


def test_the_long_axis_is_looked_at_every_half_cell_to_two_sigma_and_at_its_ends() -> None:
    assert axis_offsets(0.6).tolist() == [-1.2, -1.0, -0.5, 0.0, 0.5, 1.0, 1.2]
    assert axis_offsets(0.5).tolist() == [-1.0, -0.5, 0.0, 0.5, 1.0]


def test_a_drop_bound_for_a_zone_is_neither_executed_nor_open() -> None:
    calm = replace(random_maps(0), wind_speed=np.zeros((2, 14, 17), np.float32))
    fleet = one_aircraft(turnaround_h=0.0, sigma_parallel_m=60.0)  # 2 σ∥ = 4 cells
    zones = np.zeros((14, 17), bool)
    zones[5, 10] = True
    poses = np.zeros((20, 1, 3))
    poses[:, 0] = (5.0, 6.0, 0.0)  # along the row: reaches column 10
    poses[1, 0] = (5.0, 5.0, 0.0)  # reaches column 9 only
    poses[2, 0] = (5.0, 6.0, np.pi / 2)  # along the column
    gates = gates_of(Schedule(np.ones((20, 1)), poses), fleet, calm, FlightRules(zones=zones))
    assert np.flatnonzero(gates.executed[:, 0]).tolist() == [1, 2]
    assert np.flatnonzero(gates.open[:, 0]).tolist() == [1, 2]

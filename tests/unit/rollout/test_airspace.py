"""Airspace limits on the gates, against a plain walk and a plain count on random schedules."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.airspace import AirspaceRule, crowded
from firegui.domain.fleet import Fleet, Material
from firegui.domain.schedule import LISTED_LOGIT, UNLISTED_LOGIT, Schedule
from firegui.rollout.airspace import Airspace, AirspaceLimit
from firegui.rollout.gates import FlightRules, apply_gates
from tests.numerics.cases import aircraft

PER_DAY, N_STEPS, SIZE = 12, 36, 40.0
FLEET = Fleet(
    (
        aircraft("R", Material.RETARDANT, 3, turnaround_h=4.0), aircraft("W", Material.WATER, 2, turnaround_h=0.0),
        aircraft("B", Material.RETARDANT, 2, turnaround_h=8.0),
    )
)  # fmt: skip
COUNT = FLEET.n_aircraft
Drop = tuple[int, int]


def limit(most: int, steps: int, radius: float | None = None, *types: str) -> AirspaceLimit:
    columns = np.array([not types or tail.type.id in types for tail in FLEET.tails])
    return AirspaceLimit(most, steps, radius, columns)


def is_kept(limits: tuple[AirspaceLimit, ...], drops: list[Drop], poses: np.ndarray) -> bool:
    """Return whether no steps in a row hold too many drops around any of them, by looking at all of them."""
    for one in limits:
        counted = [drop for drop in drops if one.columns[drop[1]]]
        for begin in range(-one.steps, N_STEPS):
            inside = [poses[drop][:2] for drop in counted if begin <= drop[0] < begin + one.steps]
            for centre in inside:
                near = sum(one.radius is None or math.dist(centre, place) <= one.radius for place in inside)
                if near > one.most:
                    return False
    return True


def random_case(seed: int, *, pins: int = 0) -> tuple[np.ndarray, np.ndarray, FlightRules]:
    """Return proposals, poses in a few clusters, and rules of every kind at once."""
    generator = np.random.default_rng(seed)
    clusters = generator.uniform(5.0, SIZE - 5.0, (4, 2))
    places = clusters[generator.integers(4, size=(N_STEPS, COUNT))] + generator.normal(0.0, 2.0, (N_STEPS, COUNT, 2))
    poses = np.concatenate([places, generator.uniform(0.0, np.pi, (N_STEPS, COUNT, 1))], axis=2)
    limits = [limit(int(generator.integers(1, 4)), int(generator.integers(2, 6)), float(generator.uniform(2.0, 8.0)))]
    if seed % 2:
        limits.append(limit(int(generator.integers(1, 3)), int(generator.integers(1, 5)), None, "R", "B"))
    if seed % 3 == 0:
        limits.append(limit(1, int(generator.integers(1, 4)), 3.0, "W"))
    rules = FlightRules(airspace=tuple(limits))
    if seed % 4 == 0:
        rules = replace(rules, sorties=np.array([2, 2, 2, -1, -1, -1, -1]), cap=int(generator.integers(20, 60)))
    if seed % 5 == 0:
        rules = replace(rules, duty=np.where(generator.random((3, COUNT)) < 0.5, -1, generator.integers(3, 8)))
    if pins:
        pinned = np.zeros((N_STEPS, COUNT), bool)
        while pinned.sum() < pins:
            at = int(generator.integers(N_STEPS)), int(generator.integers(COUNT))
            flown = [(int(step), int(column)) for step, column in np.argwhere(pinned)] + [at]
            apart = all(abs(step - at[0]) > 6 for step, column in flown[:-1] if column == at[1])
            pinned[at] = apart and is_kept(rules.airspace, flown, poses)
        rules = replace(rules, pinned=pinned, pinned_poses=poses, sorties=None, duty=None)
    return generator.random((N_STEPS, COUNT)) < 0.7, poses, rules


def by_hand(proposed: np.ndarray, poses: np.ndarray, rules: FlightRules) -> list[Drop]:
    """Return the drops of a walk in order of step and column that tries every one with all others."""
    flown = [] if rules.pinned is None else [(int(step), int(column)) for step, column in np.argwhere(rules.pinned)]
    pins, waits = list(flown), [tail.type.turnaround_steps(PER_DAY) for tail in FLEET.tails]
    for step, column in np.argwhere(proposed).tolist():
        day = step // PER_DAY
        own = [each for each, tail in flown if tail == column]
        today = [each for each in own if each // PER_DAY == day]
        if (step, column) in pins or any(abs(each - step) <= waits[column] for each in own):
            continue
        if rules.sorties is not None and 0 <= rules.sorties[column] <= len(today):
            continue
        if rules.duty is not None and today and 0 <= rules.duty[day, column] < step - today[0]:
            continue
        if rules.cap is not None and len(flown) >= rules.cap:
            continue
        if is_kept(rules.airspace, [*flown, (step, column)], poses):
            flown.append((step, column))
    return sorted(flown)


def executed(proposed: np.ndarray, poses: np.ndarray, rules: FlightRules) -> list[Drop]:
    found = apply_gates(proposed, FLEET, PER_DAY, rules, poses=poses).executed
    return [(int(step), int(column)) for step, column in np.argwhere(found)]


@pytest.mark.parametrize("seed", range(12))
def test_the_gates_are_those_of_a_plain_walk_and_keep_every_rule(seed: int) -> None:
    proposed, poses, rules = random_case(seed)
    drops = executed(proposed, poses, rules)
    assert drops == by_hand(proposed, poses, rules)
    assert is_kept(rules.airspace, drops, poses)
    free = executed(proposed, poses, replace(rules, airspace=()))
    assert not is_kept(rules.airspace, free, poses), "the rules hold nothing back"


@pytest.mark.parametrize("seed", range(1, 9))
def test_pinned_drops_are_flown_and_count_for_drops_before_them(seed: int) -> None:
    proposed, poses, rules = random_case(seed, pins=4)
    assert rules.pinned is not None
    drops = executed(proposed | rules.pinned, poses, rules)
    assert drops == by_hand(proposed | rules.pinned, poses, rules)
    assert is_kept(rules.airspace, drops, poses)
    assert {(int(step), int(column)) for step, column in np.argwhere(rules.pinned)} <= set(drops)
    # Room is kept for pinned drops that a schedule does not propose.
    without = executed(proposed & ~rules.pinned, poses, rules)
    pins = [(int(step), int(column)) for step, column in np.argwhere(rules.pinned)]
    assert is_kept(rules.airspace, without + pins, poses)


@pytest.mark.parametrize("seed", range(4))
def test_a_drop_that_is_given_up_lets_every_other_one_fly(seed: int) -> None:
    proposed, poses, rules = random_case(seed)
    drops = executed(proposed, poses, rules)
    kept = np.zeros_like(proposed)
    for drop in drops[::2]:
        kept[drop] = True
    assert executed(kept, poses, rules) == drops[::2]


@pytest.mark.parametrize(("seed", "first"), [(0, 12), (1, 7), (3, 20), (5, 31)])
def test_the_rest_of_a_plan_counts_the_drops_before_it(seed: int, first: int) -> None:
    proposed, poses, rules = random_case(seed)
    rules = FlightRules(airspace=rules.airspace)
    fleet = Fleet(tuple(replace(kind, turnaround_h=0.0) for kind in FLEET.types))
    whole = apply_gates(proposed, fleet, PER_DAY, rules, poses=poses).executed

    def rest(begin: int, before: FlightRules, flown: np.ndarray, at: np.ndarray) -> FlightRules:
        return FlightRules(airspace=tuple(one.later(begin, flown, at) for one in before.airspace))

    once = rest(first, rules, whole, poses)
    left = apply_gates(proposed[first:], fleet, PER_DAY, once, poses=poses[first:]).executed
    np.testing.assert_array_equal(left, whole[first:])
    twice = rest(first - 2, rest(2, rules, whole, poses), whole[2:], poses[2:])
    for one, other in zip(once.airspace, twice.airspace, strict=True):
        np.testing.assert_array_equal(np.unique(one.before, axis=0), np.unique(other.before, axis=0))


def test_a_limit_without_a_radius_closes_the_steps_that_are_full() -> None:
    rules = FlightRules(airspace=(limit(2, 3, None, "R"),))
    proposed = np.zeros((10, COUNT), bool)
    proposed[[4, 5], [0, 1]] = True
    gates = apply_gates(proposed, FLEET, PER_DAY, rules, poses=np.zeros((10, COUNT, 3)))
    closed = np.flatnonzero(~gates.open[:, 2]).tolist()
    assert closed == [3, 4, 5, 6]
    assert gates.open[:, 3:].all()
    assert gates.open[4, 0]
    for step in range(10):
        more = proposed.copy()
        more[step, 2] = True
        flown = apply_gates(more, FLEET, PER_DAY, rules, poses=np.zeros((10, COUNT, 3))).executed
        assert (int(flown.sum()) == 3 and bool(flown[step, 2])) == (step not in closed)


def test_a_drop_that_is_too_near_is_closed_and_one_at_the_radius_counts() -> None:
    rules = FlightRules(airspace=(limit(1, 2, 5.0),))
    proposed, poses = np.zeros((4, COUNT), bool), np.zeros((4, COUNT, 3))
    proposed[0, :3] = proposed[2, 3] = True
    poses[0, 1], poses[0, 2] = (3.0, 4.0, 0.0), (3.0, 4.001, 0.0)
    gates = apply_gates(proposed, FLEET, PER_DAY, rules, poses=poses)
    assert [tuple(pair) for pair in np.argwhere(gates.executed).tolist()] == [(0, 0), (0, 2), (2, 3)]
    assert not gates.open[0, 1]


def test_the_rules_of_the_domain_say_the_same_of_a_list_of_drops() -> None:
    generator = np.random.default_rng(3)
    for _ in range(40):
        most, steps = int(generator.integers(1, 4)), int(generator.integers(1, 5))
        radius = None if generator.random() < 0.3 else float(generator.uniform(20.0, 300.0))
        rule = AirspaceRule(most, steps * 120.0 - 1.0, radius)
        assert rule.steps(2.0) == steps
        drops = [(int(step), 0) for step in np.unique(generator.integers(0, N_STEPS, 7))]
        poses = generator.uniform(0.0, 12.0, (N_STEPS, COUNT, 3))
        one = limit(most, steps, None if radius is None else radius / 30.0)
        places = [(step, *poses[step, 0, :2].tolist()) for step, _ in drops]
        assert (not list(crowded(rule, places, 2.0, 30.0))) == is_kept((one,), drops, poses)


def test_the_gates_without_airspace_limits_do_not_look_at_the_poses() -> None:
    schedule = Schedule(np.full((4, COUNT), UNLISTED_LOGIT), np.full((4, COUNT, 3), np.nan))
    schedule.logits[1] = LISTED_LOGIT
    gates = apply_gates(schedule.proposed, FLEET, PER_DAY, FlightRules(cap=3), poses=schedule.poses)
    assert int(gates.executed.sum()) == 3
    assert Airspace((), COUNT, None, None).allows(0, 0, 0.0, 0.0)

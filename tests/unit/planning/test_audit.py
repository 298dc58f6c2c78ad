"""The audit, fed with schedules that break each rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from firegui.domain import fleet as domain_fleet
from firegui.domain.fleet import Fleet, Material
from firegui.domain.schedule import Schedule
from firegui.planning.audit import StatedUse, audit, replay, stated_use
from firegui.rollout.gates import apply_gates
from firegui.rollout.simulate import simulate
from tests.numerics.cases import aircraft, model_of, random_maps, random_schedule, small_fleet

FLEET = Fleet((aircraft("R", Material.RETARDANT, 2, turnaround_h=5.0, grounded_days=(1,)),))
SHAPE = (20, 20)


def listed(*drops: tuple[int, int]) -> Schedule:
    schedule = Schedule.empty(30, 2)
    for step, column in drops:
        schedule.logits[step, column] = 3.0
        schedule.poses[step, column] = (5.0, 5.0, 0.0)
    return schedule


def test_the_audits_own_reading_of_the_rules_agrees_with_the_gates() -> None:
    for seed in range(5):
        maps, fleet = random_maps(seed), small_fleet()
        schedule = random_schedule(seed, maps, fleet)
        executed = apply_gates(schedule.proposed, fleet, maps.steps_per_day).executed
        assert replay(schedule, fleet, maps.steps_per_day) == [tuple(pair) for pair in np.argwhere(executed).tolist()]


def test_what_the_gates_let_through_has_no_violation() -> None:
    maps, fleet = random_maps(1), small_fleet()
    schedule = random_schedule(1, maps, fleet, share=1.0)
    report = audit(schedule, fleet, maps.steps_per_day, maps.shape)
    assert report.ok
    assert report.candidate > report.executed > 0


def test_a_gap_of_the_turnaround_is_a_violation_and_one_step_more_is_not() -> None:
    schedule = listed((0, 0), (3, 0), (7, 0))
    report = audit(schedule, FLEET, 10, SHAPE, [(0, 0), (3, 0), (7, 0)])
    assert (report.turnaround, report.grounded, report.simultaneous, report.outside) == (1, 0, 0, 0)
    assert "steps 0 and 3" in report.violations[0]


def test_a_drop_on_a_grounded_day_is_a_violation() -> None:
    report = audit(listed((12, 1)), FLEET, 10, SHAPE, [(12, 1)])
    assert (report.grounded, report.ok) == (1, False)
    assert "R-2" in report.violations[0]


def test_two_drops_of_one_aircraft_at_one_step_are_a_violation() -> None:
    report = audit(listed((4, 0)), FLEET, 10, SHAPE, [(4, 0), (4, 0), (4, 1)])
    assert (report.simultaneous, report.turnaround) == (1, 0)


def test_a_drop_outside_the_grid_is_a_violation() -> None:
    schedule = listed((4, 0))
    schedule.poses[4, 0] = (5.0, 19.5, 0.0)
    assert audit(schedule, FLEET, 10, SHAPE, [(4, 0)]).outside == 1


def test_a_drop_outside_the_plan_is_a_violation() -> None:
    report = audit(listed((4, 0)), FLEET, 10, SHAPE, [(4, 0), (30, 0)])
    assert (report.outside, report.turnaround, report.grounded) == (1, 0, 0)
    assert "outside the plan" in report.violations[0]


def test_a_drop_at_no_place_is_a_violation() -> None:
    schedule = listed((4, 0))
    schedule.poses[4, 0, 1] = np.nan
    assert audit(schedule, FLEET, 10, SHAPE, [(4, 0)]).outside == 1


def test_a_drop_that_nobody_proposed_is_a_violation() -> None:
    schedule = listed((4, 0))
    schedule.poses[20, 1] = (5.0, 5.0, 0.0)
    report = audit(schedule, FLEET, 10, SHAPE, [(4, 0), (20, 1)])
    assert (report.unproposed, report.outside, report.ok) == (1, 0, False)
    assert "R-2 drops at step 20" in report.violations[0]
    assert report.counts.others == 1


def test_every_violation_is_counted_once_for_its_own_rule() -> None:
    drops = [(0, 0), (0, 0), (1, 0), (2, 0), (11, 1), (12, 1)]
    report = audit(listed(*drops), FLEET, 10, SHAPE, drops)
    assert (report.simultaneous, report.turnaround, report.grounded) == (1, 3, 2)
    assert len(report.violations) == 6
    assert not report.ok


def test_the_turnaround_of_another_aircraft_is_none_of_its_business() -> None:
    drops = [(0, 0), (1, 1), (4, 0), (5, 1)]
    assert audit(listed(*drops), FLEET, 10, SHAPE, drops).ok


def test_gates_that_forget_a_rule_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    maps, fleet = random_maps(2), small_fleet()
    schedule = random_schedule(2, maps, fleet, share=1.0)
    never = Fleet(tuple(kind.with_grounded_days(()) for kind in fleet.types))
    monkeypatch.setattr(domain_fleet, "turnaround_steps", lambda hours, steps_per_day: 0)
    executed = apply_gates(schedule.proposed, never, maps.steps_per_day).executed
    drops = [(step, column) for step, column in np.argwhere(executed).tolist()]
    report = audit(schedule, fleet, maps.steps_per_day, maps.shape, drops)
    assert report.turnaround > 0
    assert report.grounded > 0
    assert report.candidate == int(schedule.proposed.sum()) >= report.executed == len(drops)


def test_a_proposal_that_the_gates_refuse_is_a_candidate_and_no_violation() -> None:
    schedule = listed((0, 0), (1, 0), (12, 1))
    report = audit(schedule, FLEET, 10, SHAPE)
    assert (report.candidate, report.executed, report.ok) == (3, 1, True)


def test_material_flight_hours_and_cost_are_worked_out_anew() -> None:
    maps, fleet = random_maps(1), small_fleet()
    schedule = random_schedule(1, maps, fleet)
    bare = audit(schedule, fleet, maps.steps_per_day, maps.shape)
    prices: tuple[dict[str, Any], ...] = (
        {"hour_price": 700.0}, {"gallon_price": 4.12, "drop_price": 10.0}, {"drop_price": 3.0},
    )  # fmt: skip
    kinds = zip(fleet.types, prices, strict=True)
    priced = replace(fleet, types=tuple(replace(kind, **price) for kind, price in kinds))
    found = audit(schedule, priced, maps.steps_per_day, maps.shape)
    metrics = simulate(model_of(maps, priced), schedule).metrics
    assert found.gallons == pytest.approx(metrics.gallons) and found.flight_hours == pytest.approx(metrics.flight_hours)
    assert found.cost == pytest.approx(metrics.cost) and found.cost is not None and found.cost > 0.0
    assert bare.cost is None and (bare.gallons, bare.flight_hours) == (found.gallons, found.flight_hours)
    stated = [stated_use(replay(schedule, priced, maps.steps_per_day), metrics)]
    assert audit(schedule, priced, maps.steps_per_day, maps.shape, stated=stated).used == 0


def test_wrong_material_flight_hours_and_costs_are_named() -> None:
    drops = [(0, 0), (8, 0), (20, 1)]
    kind = replace(FLEET.types[0], hour_price=100.0, grounded_days=())
    priced = replace(FLEET, types=(kind,))
    wrong = StatedUse("the plan", drops, 3.0 * kind.payload_gal, 15.0, 1500.02)
    report = audit(listed(*drops), priced, 10, SHAPE, drops, stated=[wrong])
    assert report.used == 1 and not report.ok and report.counts.others == 1
    assert report.violations == ("the plan: 1,500.02 is stated as cost, and 1,500.00 follows from the fleet",)
    both = replace(wrong, gallons=1.0, flight_hours=12.0, cost=1500.0)
    assert [
        text.split(" stated as ")[1].split(",")[0]
        for text in audit(listed(*drops), priced, 10, SHAPE, drops, stated=[both]).violations
    ] == ["gallons", "flight hours"]
    unpriced = audit(listed(*drops), replace(FLEET, types=(kind.without_prices,)), 10, SHAPE, drops, stated=[wrong])
    assert unpriced.violations == ("the plan: a cost of 1,500.02 is stated, and a type that drops has no price",)

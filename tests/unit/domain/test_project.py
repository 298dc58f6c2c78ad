"""A project says what keeps it from running, and its calendar holds dates, not days."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np

from firegui.domain.fleet import Fleet
from firegui.domain.grid import Grid
from firegui.domain.project import differing_words, kept_inputs_text
from firegui.domain.regions import Region
from firegui.domain.settings import Margin, ObjectiveWeights, PlanSettings, RemovalOrder, Setting
from tests.support import make_project
from tests.unit.domain.samples import aircraft, project, scenario


def test_a_good_project_has_no_problem() -> None:
    assert project().problems() == []


def test_the_calendar_starts_on_the_start_day() -> None:
    calendar = project(plan=PlanSettings(start_day=2, days=4)).calendar

    assert calendar.start == datetime(2020, 8, 21, 7, tzinfo=UTC)
    assert calendar.n_steps == 200
    assert calendar.date_of_day(0) == date(2020, 8, 21)


def test_grounded_dates_become_days_of_the_plan() -> None:
    grounded = {"S-2T": (date(2020, 8, 21), date(2020, 8, 22))}

    assert project(grounded=grounded).planned_fleet.types[0].grounded_days == (2, 3)
    assert project(grounded=grounded).planned_fleet.types[1].grounded_days == ()


def test_moving_the_start_moves_the_days_and_not_the_dates() -> None:
    opened = project(grounded={"S-2T": (date(2020, 8, 21), date(2020, 8, 22))})

    later = replace(opened, plan=PlanSettings(start_day=2, days=5))

    assert later.grounded == opened.grounded
    assert later.planned_fleet.types[0].grounded_days == (0, 1)
    assert later.calendar.date_of_day(0) == date(2020, 8, 21)


def test_dates_outside_the_plan_ground_nobody_and_are_kept() -> None:
    opened = project(grounded={"S-2T": (date(2020, 8, 18), date(2020, 8, 19), date(2020, 8, 30))})

    assert opened.planned_fleet.types[0].grounded_days == (0,)
    assert len(opened.grounded["S-2T"]) == 3


def test_a_fleet_with_days_is_kept_with_dates() -> None:
    started = project(plan=PlanSettings(start_day=2, days=5))
    fleet = Fleet((aircraft(grounded_days=(0, 2)), aircraft("CL-415")))

    changed = started.with_fleet(fleet)

    assert changed.grounded["S-2T"] == (date(2020, 8, 21), date(2020, 8, 23))
    assert changed.fleet.types[0].grounded_days == ()
    assert changed.planned_fleet == fleet


def test_a_plan_beyond_the_weather_is_refused_with_what_is_left() -> None:
    problems = project(plan=PlanSettings(start_day=7, days=5)).problems()

    assert [problem.what for problem in problems] == ["days 7 to 11 with weather for 10 days"]
    assert problems[0].remedy == "plan at most 3 days from day 7"


def test_a_start_before_day_0_is_not_offered_as_one() -> None:
    problems = project(plan=PlanSettings(start_day=-3, days=20)).problems()

    assert "plan at most 10 days from day 0" in [problem.remedy for problem in problems]
    assert not any("day -3" in problem.remedy for problem in problems)


def test_a_start_without_fire_is_refused() -> None:
    unburned = replace(scenario(), observed=None, observed_dates=())

    assert any("nothing burns on day 0" in problem.what for problem in project(scenario=unburned).problems())


def test_protection_without_a_region_is_refused() -> None:
    protecting = PlanSettings(days=5, setting=Setting.B, weights=ObjectiveWeights.of(Setting.B))

    assert any("no region is drawn" in problem.what for problem in project(plan=protecting, regions=()).problems())
    assert project(plan=protecting).problems() == []


def test_every_part_reports_its_problems_at_once() -> None:
    bad = project(
        scenario=replace(scenario(), grid=Grid(20, 30, -1.0)),
        fleet=Fleet((aircraft(payload_gal=-1.0),)),
        regions=(Region.rectangle("Away", (50, 60), (3, 9)),),
        plan=PlanSettings(days=50, weights=ObjectiveWeights(burn=-1.0)),
    )

    places = [problem.where for problem in bad.problems()]

    assert places == ["grid", "aircraft S-2T", "region Away", "objective", "plan"]


def test_a_plan_starts_from_the_latest_perimeter_observed_by_then() -> None:
    event = scenario()
    assert event.observed is not None

    first, gap, third = (event.fire_on(day) for day in (0, 1, 2))

    assert first is not None
    assert gap is not None
    assert third is not None
    assert np.array_equal(first, event.observed[0])
    assert np.array_equal(gap, event.observed[0])
    assert np.array_equal(third, event.observed[1])
    assert [event.is_filled_forward(day) for day in (0, 1, 2, 3)] == [False, True, False, True]


def test_before_the_first_perimeter_only_the_ignition_of_day_0_burns() -> None:
    lit = np.zeros((20, 30), bool)
    lit[5, 5] = True
    later = replace(scenario(), observed_dates=(date(2020, 8, 21), date(2020, 8, 22)), ignition=lit)

    start = later.fire_on(0)

    assert start is not None
    assert np.array_equal(start, lit)
    assert later.fire_on(1) is None
    assert later.observed_on(1) is None


def test_what_differs_between_two_runs_is_said_in_a_few_words() -> None:
    project = make_project()
    plan = project.plan
    assert differing_words(project, project) == ()
    other = replace(
        project, regions=(), plan=replace(
            plan, weights=ObjectiveWeights(), days=1, optimizer=replace(plan.optimizer, seed=plan.optimizer.seed + 1),
            margin=replace(plan.margin, kind=Margin.STRESS),
        )
    )  # fmt: skip
    seed = f"seed {other.plan.optimizer.seed}"
    assert differing_words(project, other) == ("other weights", "no regions", "1 day", "stress margin", seed)
    assert differing_words(other, project)[1] == "1 region"
    moved = replace(project, regions=(replace(project.regions[0], name="R9"),))
    assert differing_words(project, moved) == ("other regions",)


def test_what_a_plan_keeps_of_its_own_project_is_said_with_the_numbers_that_differ() -> None:
    ran = make_project()
    assert kept_inputs_text(ran, ran) == ""
    kinds = ran.fleet.types
    now = replace(
        ran, fleet=Fleet((replace(kinds[0], count=kinds[0].count + 2), *kinds[1:])),
        plan=replace(ran.plan, days=ran.plan.days - 1),
    )  # fmt: skip
    had, has = (
        f"({each.fleet.n_aircraft} aircraft, {each.plan.days} day{'s' * (each.plan.days > 1)})" for each in (ran, now)
    )
    text = kept_inputs_text(ran, now)
    assert text.startswith(f"Uses the days, fleet and grounded days that the plan was made with {had}, not what")
    assert text.endswith(f"the project has now {has}.")
    other = replace(ran, plan=replace(ran.plan, weights=ObjectiveWeights()), regions=())
    said = "Uses the regions and goal that the plan was made with, not what the project has now."
    assert kept_inputs_text(ran, other) == said


def test_a_plan_in_which_cost_decides_needs_a_price_of_every_type() -> None:
    free = project()
    plan = replace(free.plan, weights=replace(free.plan.weights, cost=1.0))
    by_cost = replace(free.plan, elimination=replace(free.plan.elimination, order=RemovalOrder.COST))
    for paying in (plan, by_cost):
        (problem,) = replace(free, plan=paying).problems()
        assert "cost decides" in problem.what and free.fleet.types[0].id in problem.what and problem.remedy
        priced = tuple(replace(kind, drop_price=1.0) for kind in free.fleet.types)
        assert replace(free, plan=paying, fleet=replace(free.fleet, types=priced)).problems() == []

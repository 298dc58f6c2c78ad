"""Stress scenarios and sets as values."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from firegui.domain.settings import Effectiveness, ObjectiveWeights, PlanSettings, Setting
from firegui.domain.stress import (
    DEFAULT_SCENARIOS,
    NEEDS_EXERCISE,
    NOMINAL,
    StressDraw,
    StressResult,
    StressScenario,
    StressSet,
    StressTable,
    growth_left_text,
    growth_share,
    left_out_texts,
    missed_text,
    untested_names,
    verdict_text,
    worst_case_text,
)


def texts(stress: StressSet, steps_per_day: int = 50) -> str:
    return "\n".join(str(problem) for problem in stress.problems(steps_per_day))


def test_the_default_set_can_be_used_and_tests_one_thing_at_a_time() -> None:
    assert StressSet().problems(50) == []
    neutral = StressScenario("neutral")
    for scenario in DEFAULT_SCENARIOS:
        changed = {
            name
            for name in scenario.__dataclass_fields__
            if name not in ("name", "draws", "repair_hours") and getattr(scenario, name) != getattr(neutral, name)
        }
        assert len(changed) == 1 or changed == {"pose_noise_m", "heading_noise_deg"}, scenario


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"name": " "}, "has no name"),
        ({"name": "Nominal"}, "is the name of a world that plans are made for"),
        ({"name": " design"}, "is the name of a world that plans are made for"),
        ({"spread_factor": 0.0}, "Spread is 0.0"),
        ({"spread_factor": math.nan}, "Spread is nan"),
        ({"wind_speed_factor": -1.0}, "Wind speed is -1.0"),
        ({"wind_turn_deg": 181.0}, "Wind turn is 181.0"),
        ({"ignition_growth_m": -30.0}, "Wider at the start is -30.0"),
        ({"pose_noise_m": math.inf}, "Off target is inf"),
        ({"heading_noise_deg": -5.0}, "Off heading is -5.0"),
        ({"delay_minutes": -30.0}, "Late is -30.0"),
        ({"failure_rate": 1.1}, "Failures is 1.1"),
        ({"repair_hours": 48.0}, "Replanned every is 48.0"),
        ({"draws": 0}, "Draws is 0"),
        ({"seed": -1}, "Random seed is -1"),
        ({"effectiveness": Effectiveness(1.0, 0.9)}, "How well retardant works is 1.0"),
    ],
)
def test_what_is_wrong_with_a_scenario_is_named_with_it(changes: dict[str, object], named: str) -> None:
    scenario = replace(StressScenario("odd"), **changes)  # type: ignore[arg-type]
    (problem,) = StressSet((scenario,)).problems(50)
    assert named in str(problem)
    assert "odd" in problem.where or "name" in changes


def test_every_problem_of_a_set_is_listed_at_once() -> None:
    twice = StressScenario("twice", failure_rate=2.0)
    told = texts(StressSet((twice, replace(twice, failure_rate=0.1, repair_hours=7.3)), seed=-1))
    for words in (
        "Random seed is -1",
        "Failures is 2.0",
        "twice is used 2 times",
        "every 7.3 h, which is not a whole number",
    ):
        assert words in told
    assert "there is none" in texts(StressSet(()))


def test_a_repair_interval_is_a_multiple_of_the_step() -> None:
    mended = StressScenario("mended", repair_hours=0.96)
    assert StressSet((mended,)).problems(50) == []
    told = texts(StressSet((mended,)), steps_per_day=48)
    assert "is replanned every 0.96 h, which is not a whole number of steps" in told
    assert "use a multiple of 0.5 h" in told


def test_a_repair_interval_is_at_least_a_step() -> None:
    assert "not a whole number of steps" in texts(StressSet((StressScenario("mended", repair_hours=1e-9),)))


@pytest.mark.parametrize(("minutes", "steps"), [(0.0, 0), (1.0, 1), (30.0, 1), (43.0, 1), (44.0, 2), (288.0, 10)])
def test_a_delay_is_the_nearest_number_of_steps_and_at_least_one(minutes: float, steps: int) -> None:
    assert StressScenario("late", delay_minutes=minutes).delay_steps(50) == steps


@pytest.mark.parametrize(("metres", "cells"), [(0.0, 0), (5.0, 1), (30.0, 1), (44.0, 1), (46.0, 2)])
def test_growth_at_the_start_is_the_nearest_number_of_cells_and_at_least_one(metres: float, cells: int) -> None:
    assert StressScenario("wide", ignition_growth_m=metres).ignition_growth_cells(30.0) == cells


def test_draws_count_only_where_something_is_random() -> None:
    assert StressScenario("late", delay_minutes=30.0, draws=9).n_draws == 1
    assert StressScenario("failures", failure_rate=0.1, draws=9).n_draws == 9


@pytest.mark.parametrize(
    ("cells", "start", "no_drops", "share"),
    [(150.0, 100.0, 1100.0, 0.05), (90.0, 100.0, 1100.0, 0.0), (1100.0, 100.0, 1100.0, 1.0), (5.0, 5.0, 5.0, 0.0)],
)
def test_the_share_is_of_the_growth_and_at_least_0(cells: float, start: float, no_drops: float, share: float) -> None:
    assert growth_share(cells, start, no_drops) == pytest.approx(share)


def test_the_worst_case_is_the_scenario_with_the_largest_share_and_not_tested_without_a_table() -> None:
    def result(scenario: StressScenario, *shares: float) -> StressResult:
        return StressResult(scenario, 4.0, 104.0, tuple(StressDraw(4.0, 0.0, share, 2) for share in shares))

    late, failing = StressScenario("late"), StressScenario("failing")
    table = StressTable(2, result(NOMINAL, 0.02), (result(late, 0.3), result(failing, 0.1, 0.625, 0.2)))
    assert [one.scenario.name for one in table.worst_first] == ["failing", "late"]
    assert worst_case_text(table) == "62 % (failing)"
    equal = (result(late, 0.0002), StressResult(failing, 4.0, 104.0, (StressDraw(9.0, 0.0, 0.0, 2),)))
    assert [one.scenario.name for one in replace(table, results=equal).worst_first] == ["failing", "late"], "0.0 % both"
    assert growth_left_text(table) == (
        "Growth left, of what the fire would grow without drops: 2.0 % in the model, 62 % in the worst case "
        "(failing: as in the model)"
    )
    assert worst_case_text(replace(table, results=())) == "2.0 % (expected)"
    assert worst_case_text(None) == "not tested"


def test_a_table_is_completed_by_another_test_or_says_why_a_scenario_cannot_be_tested() -> None:
    def result(name: str) -> StressResult:
        return StressResult(StressScenario(name), 4.0, 104.0, (StressDraw(4.0, 0.0, 0.0, 2),))

    left_out = (("mended", NEEDS_EXERCISE), ("again", NEEDS_EXERCISE))
    table = StressTable(2, result(NOMINAL.name), (result("late"),), left_out)
    other = StressTable(2, result(NOMINAL.name), (result("mended"), result("late")), (("again", "there is no wind"),))
    completed = table.completed_by(other)
    assert [one.scenario.name for one in completed.results] == ["late", "mended"]
    assert completed.left_out == (("again", "there is no wind"),)
    assert untested_names(table) == ("mended", "again") and untested_names(completed) == ()
    assert left_out_texts(completed) == ("“again” cannot be tested: there is no wind",)


def test_a_goal_about_regions_alone_is_judged_by_the_growth_in_them() -> None:
    weak, nominal = StressScenario("weak"), StressScenario("model")
    table = StressTable(
        4,
        StressResult(nominal, 4.0, 104.0, (StressDraw(80.0, 0.0, 0.76, 4),), 0.0, 50.0),
        (StressResult(weak, 4.0, 104.0, (StressDraw(81.0, 2.0, 0.77, 4),), 0.0, 50.0),),
    )
    regions, both, whole = (
        replace(PlanSettings(), weights=weights)
        for weights in (ObjectiveWeights.of(Setting.B), ObjectiveWeights(prot=1.0), ObjectiveWeights())
    )
    assert missed_text(table, regions) == "" and table.holds(regions)
    assert not table.holds(whole)
    assert missed_text(table, both) == missed_text(table, whole)
    assert missed_text(table, whole) == "Does not hold: 77 % of the growth left in “weak” (limit 5.0 %)"
    lost = replace(table, results=(replace(table.results[0], protected_no_drops=10.0),))
    assert missed_text(lost, regions) == "Does not hold: 20 % of the growth in the regions left in “weak” (limit 5.0 %)"
    # Results of earlier versions do not know it: all growth counts.
    older = replace(lost, results=(replace(table.results[0], protected_no_drops=None),))
    assert missed_text(older, regions) == missed_text(table, whole)


def test_the_verdict_on_regions_alone_says_how_far_the_fire_grows() -> None:
    weak, nominal = StressScenario("weak"), StressScenario("model")
    model = StressResult(nominal, 4.0, 1000.0, (StressDraw(680.0, 0.0, 0.7, 4),), 0.0, 50.0)
    result = StressResult(weak, 4.0, 1000.0, (StressDraw(680.0, 0.0, 0.7, 4),), 0.0, 50.0)
    regions = replace(PlanSettings(), weights=ObjectiveWeights.of(Setting.B))
    table = StressTable(4, model, (result, result), (("late", "not possible"),))
    grows = "The regions hold in all 2 tested scenarios; the fire grows to 680 ha"
    assert verdict_text(table, regions, 1.0) == grows
    assert verdict_text(table, PlanSettings(), 1.0).startswith("⚠ Does not hold: 70 % of the growth left")
    worse = replace(table, results=(result, replace(result, draws=(StressDraw(902.0, 0.0, 0.9, 4),))))
    assert verdict_text(worse, regions, 1.0) == f"{grows}, to 902 ha in “weak”"
    # The largest fire is not always that with the largest share: without drops it is larger, too.
    fast = StressResult(StressScenario("fast"), 4.0, 2000.0, (StressDraw(1079.0, 0.0, 0.5, 4),), 0.0, 50.0)
    grown = replace(worse, results=(*worse.results, fast), left_out=())
    assert verdict_text(grown, regions, 1.0).endswith("grows to 680 ha, to 1,079 ha in “fast”")
    assert verdict_text(replace(table, results=(result,)), regions, 1.0).startswith("The regions hold in “weak”; ")
    small = replace(model, draws=(StressDraw(5.0, 0.0, 0.01, 4),))
    kept = replace(table, nominal=small, results=(small, small), left_out=())
    assert verdict_text(kept, regions, 1.0) == verdict_text(kept, PlanSettings(), 1.0) == "Holds in all 2 scenarios"


def test_a_verdict_is_final_and_names_only_the_scenarios_that_cannot_be_tested() -> None:
    def result(name: str) -> StressResult:
        return StressResult(StressScenario(name), 4.0, 104.0, (StressDraw(4.0, 0.0, 0.0, 2),))

    def verdict(*left_out: tuple[str, str]) -> str:
        table = StressTable(2, result(NOMINAL.name), (result("late"), result("weak")), left_out)
        return verdict_text(table, PlanSettings(), 1.0)

    mended, again, windy = ("mended", NEEDS_EXERCISE), ("again", NEEDS_EXERCISE), ("windy", "there is no wind")
    assert verdict() == "Holds in all 2 scenarios"
    assert verdict(mended) == "Holds in all 2 tested scenarios"
    assert verdict(mended, windy, again) == "Holds in all 2 tested scenarios; 1 of 3 cannot be tested: “windy”"
    own = "was not part of the test: the plan is replanned on the way, which takes longer"
    table = StressTable(2, result(NOMINAL.name), (result("late"),), (windy, mended, again))
    assert left_out_texts(table) == (f"“mended” {own}", f"“again” {own}", "“windy” cannot be tested: there is no wind")
    assert left_out_texts(None) == left_out_texts(replace(table, left_out=())) == ()

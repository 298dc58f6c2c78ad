"""A margin curve as a value."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firegui.domain.margin_curve import CurvePlan, MarginCurve, MarginCurveSettings, MarginPoint
from firegui.domain.settings import Margin, PlanSettings, Setting
from firegui.domain.stress import NOMINAL, StressDraw, StressResult, StressScenario, StressSet, StressTable

WEAK, FAILING = StressScenario("weak", spread_factor=1.2), StressScenario("failing", failure_rate=0.2, draws=2)
MENDED = StressScenario("mended", failure_rate=0.1, repair_hours=24.0, draws=3)
SET = StressSet((WEAK, FAILING, MENDED), seed=4)
CURVE = MarginCurve("Tiny", "model", Setting.A, 0.05, MarginCurveSettings())


def stress_table(fixed: float | None = None) -> StressTable:
    def result(scenario: StressScenario, *shares: float) -> StressResult:
        draws = tuple(StressDraw(10.0 + share, 0.0, share, 10 + k, fixed) for k, share in enumerate(shares))
        return StressResult(scenario, 10.0, 110.0, draws)

    results = (result(WEAK, 0.3), result(FAILING, 0.1, 0.6))
    return StressTable(12, result(NOMINAL, 0.01), results, (("windy", "unknown"),))


def test_a_plan_knows_its_margin_and_the_last_one_is_that_of_the_stress_margin() -> None:
    assert [plan.margin for plan in CurvePlan] == [Margin.NONE, Margin.DESIGN, Margin.STRESS, Margin.STRESS]
    assert MarginCurveSettings().plans == tuple(CurvePlan)
    assert MarginCurveSettings(repair_hours=0.0).plans == tuple(CurvePlan)[:3]


def test_scenarios_are_replanned_in_the_last_test_alone() -> None:
    settings = MarginCurveSettings(12.0, 7, 9)
    for plan in (CurvePlan.NONE, CurvePlan.DESIGN, CurvePlan.STRESS):
        test = settings.test(plan, SET)
        assert test.stress == StressSet((WEAK, FAILING), 9)
        assert [one.repair_hours for one in test.scenarios] == [0.0, 0.0]
    test = settings.test(CurvePlan.REPLANNED, SET)
    assert [one.name for one in test.scenarios] == ["weak", "failing", "mended"]
    assert [one.repair_hours for one in test.scenarios] == [12.0] * 3
    assert test.scenarios[1].draws == 7


def test_a_point_takes_the_worst_draw_of_all_scenarios() -> None:
    point = MarginPoint.of(CurvePlan.STRESS, "plan", "test", stress_table(), 14_400.0, 3.0)
    assert (point.drops, point.gallons, point.nominal_share) == (12, 14_400.0, 0.01)
    assert (point.worst_scenario, point.worst_share) == ("failing", 0.6)
    assert point.fixed_share is None
    assert (point.scenarios, point.draws, point.left_out) == (2, 2, (("windy", "unknown"),))


def test_a_share_just_above_the_limit_is_the_worst_of_a_point_also_beside_a_larger_fire() -> None:
    def result(scenario: StressScenario, share: float, bare: float) -> StressResult:
        return StressResult(scenario, 0.0, bare, (StressDraw(share * bare, 0.0, share, 10),))

    results = (result(WEAK, 0.0503, 100.0), result(FAILING, 0.0499, 900.0))
    table = StressTable(12, result(NOMINAL, 0.01, 100.0), results)
    assert table.worst.scenario is FAILING
    point = MarginPoint.of(CurvePlan.STRESS, "plan", "test", table, 1.0, 1.0)
    assert (point.worst_scenario, point.worst_share) == ("weak", 0.0503)
    assert point.worst_share > 0.05 and not table.holds(PlanSettings())


def test_with_replanning_the_drops_are_the_mean_number_flown_and_gallons_are_not_known() -> None:
    point = MarginPoint.of(CurvePlan.REPLANNED, "plan", "test", stress_table(0.7), 14_400.0, 3.0)
    assert point.drops == pytest.approx((10 + 10 + 11) / 3)
    assert (point.gallons, point.fixed_share) == (None, 0.7)


def test_a_curve_is_complete_when_every_plan_is_there_or_known_to_be_missing() -> None:
    curve = CURVE
    for plan in (CurvePlan.NONE, CurvePlan.DESIGN, CurvePlan.STRESS):
        assert not curve.complete
        curve = curve.with_point(MarginPoint.of(plan, "plan", "test", stress_table(), 1.0, 1.0))
    assert not curve.complete
    assert curve.without(CurvePlan.REPLANNED, "no such wind").complete
    assert replace(curve, settings=MarginCurveSettings(repair_hours=0.0)).complete


@pytest.mark.parametrize(
    ("settings", "stress", "told"),
    [
        (MarginCurveSettings(), SET, []),
        (MarginCurveSettings(repair_hours=0.0), SET, []),
        (MarginCurveSettings(5.0, 2_000, -1), SET, ["Draws is 2000", "Random seed is -1", "every 5 h, which is no"]),
        (MarginCurveSettings(36.0), SET, ["Replanned every is 36"]),
        (MarginCurveSettings(), StressSet((MENDED,)), ["all are replanned"]),
    ],
)  # fmt: skip
def test_every_problem_is_listed(settings: MarginCurveSettings, stress: StressSet, told: list[str]) -> None:
    found = [str(problem) for problem in settings.problems(stress, 10)]
    assert len(found) == len(told), found
    for words, text in zip(told, found, strict=True):
        assert words in text

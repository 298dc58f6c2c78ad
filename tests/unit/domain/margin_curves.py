"""Margin curves for tests that make none."""

from __future__ import annotations

from firegui.domain.margin_curve import CurvePlan, MarginCurve, MarginCurveSettings, MarginPoint
from firegui.domain.settings import Setting

_SHARES = ((CurvePlan.NONE, 355, 0.86), (CurvePlan.DESIGN, 502, 0.41), (CurvePlan.STRESS, 1032, 0.048))


def margin_curve(*, replanned: bool = True) -> MarginCurve:
    """Return a curve with a point for each margin, and one with replanning or the reason why it is missing."""
    points = tuple(
        MarginPoint(
            plan, f"margin-{plan.value}", f"stress-{plan.value}", drops, 900.0 * drops, 0.003, "weak", share, 8, 8, (),
            60.0 * number,
        )
        for number, (plan, drops, share) in enumerate(_SHARES, 1)
    )  # fmt: skip
    last = CurvePlan.REPLANNED
    curve = MarginCurve("Test Ridge", "model", Setting.A, 0.05, MarginCurveSettings(), points)
    if not replanned:
        return curve.without(last, "no such wind")
    test = f"stress-{last.value}"
    return curve.with_point(
        MarginPoint(last, "margin-stress", test, 914.5, None, 0.002, "failures, repaired", 0.021, 9, 8, (), 180.0, 0.34)
    )

"""A margin curve in words."""

from __future__ import annotations

from collections.abc import Iterator

from firegui.domain.margin_curve import CurvePlan, MarginCurve, MarginCurveSettings
from firegui.domain.settings import Setting
from firegui.domain.units import percent_text
from firegui.runs.messages import counted
from firegui.runs.stages import FinishReason

_TITLES = {
    CurvePlan.NONE: "No margin",
    CurvePlan.DESIGN: "Cautious margin",
    CurvePlan.STRESS: "Stress margin",
}
SHORT_TITLES = {plan: plan.value for plan in CurvePlan} | {CurvePlan.REPLANNED: "stress, replanned"}
"""Names of the plans where there is little room."""


def plan_title(plan: CurvePlan, settings: MarginCurveSettings) -> str:
    """Return the title of a plan, such as ``Stress margin, replanned every 12 h``."""
    if plan is CurvePlan.REPLANNED:
        return f"{_TITLES[CurvePlan.STRESS]}, replanned every {settings.repair_hours:g} h"
    return _TITLES[plan]


def curve_message(curve: MarginCurve, reason: FinishReason) -> str:
    """Return what a curve shows, in one sentence; of one that was stopped, how far it came."""
    if reason is FinishReason.STOPPED:
        wanted = counted(len(curve.settings.plans), "plan")
        return f"stopped on request after {len(curve.points)} of {wanted}; resume to go on"
    texts = (
        f"{plan_title(point.plan, curve.settings)}: {point.drops:,.0f} drops, {percent_text(point.worst_share)} of the "
        f"growth is left in {point.worst_scenario}"
        for point in curve.points
    )
    return "; ".join(texts) or "no plan could be tested in any scenario"


def curve_notes(curve: MarginCurve) -> Iterator[str]:
    """Yield what is approximate or missing in a curve, a sentence each."""
    settings = curve.settings
    if curve.points:
        draws = max(point.draws for point in curve.points)
        yield (
            f"Worst of up to {counted(draws, 'draw')} a scenario, seed {settings.seed}: more draws find worse ones. "
            "Each plan is the result of one search; another seed of the project gives other numbers."
        )
    for point in (point for point in curve.points if point.plan is CurvePlan.REPLANNED):
        yield (
            "With replanning the fire is drawn at every observation, and its drops are the mean number flown: its "
            "figures differ from the others for these reasons, too."
        )
        if point.fixed_share is not None:
            left = percent_text(point.fixed_share)
            yield f"On the same drawn fires up to {left} are left where nothing is replanned."
    if curve.setting is not Setting.A:
        yield "Shares count the whole fire, also where the objective does not."
    left_out = dict.fromkeys(one for point in curve.points for one in point.left_out)
    yield from (f"{name} is left out: {reason}." for name, reason in left_out)
    for plan, reason in curve.missing:
        yield f"{plan_title(plan, settings)} is missing: {reason}."

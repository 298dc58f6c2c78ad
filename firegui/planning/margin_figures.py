"""The margin curve as a picture: drops against the worst case."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from firegui.domain.margin_curve import CurvePlan, MarginCurve, MarginPoint
from firegui.domain.units import percent_text
from firegui.planning.picture_files import write_pictures

NAME = "margin"
_DPI = 150
_PLAN, _REPLANNED, _BASE = "#0b63ce", "#b3224f", "#5a6472"


def draw(curve: MarginCurve, folder: Path) -> list[Path]:
    """Write ``margin.png`` and ``margin.svg`` into ``folder``, which exists, and return their paths.

    A curve without points has no picture. Raises :class:`~firegui.errors.InputError` where the system refuses to write.
    """
    return write_pictures({NAME: figure(curve)}, folder) if curve.points else []


def figure(curve: MarginCurve) -> Figure:
    """Return the picture of ``curve``."""
    result = Figure(figsize=(7.0, 4.2), dpi=_DPI, layout="constrained")
    axes = result.subplots()
    replanned = CurvePlan.REPLANNED
    fixed = [_place(point) for point in curve.points if point.plan is not replanned]
    mended = [_place(point) for point in curve.points if point.plan is replanned]
    if fixed:
        axes.plot(*zip(*map(_place, curve.front), strict=True), color=_PLAN, linewidth=1.0)
        axes.scatter(*zip(*fixed, strict=True), color=_PLAN, label="as planned")
    if mended:
        label = f"replanned every {curve.settings.repair_hours:g} h, mean of the drops flown"
        axes.scatter(*zip(*mended, strict=True), color=_REPLANNED, marker="s", label=label)
    for point in curve.points:
        axes.annotate(point.plan.value, _place(point), textcoords="offset points", xytext=(7, 5), fontsize=7)
    axes.axhline(
        100.0 * curve.limit, color=_BASE, linewidth=1.0, linestyle=":", label=f"limit {percent_text(curve.limit)}"
    )
    axes.set_title(f"{curve.event}: what margin costs", fontsize=9, parse_math=False)
    axes.set_xlabel("drops", fontsize=8)
    axes.set_ylabel("largest share of a scenario's growth that is left, %", fontsize=8)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.margins(x=0.2, y=0.1)
    axes.set_ylim(bottom=0.0)
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.25)
    axes.set_axisbelow(True)
    axes.legend(fontsize=7, loc="upper right")
    return result


def _place(point: MarginPoint) -> tuple[float, float]:
    return point.drops, 100.0 * point.worst_share

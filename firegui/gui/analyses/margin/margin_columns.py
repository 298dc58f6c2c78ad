"""Columns of the table of a margin curve."""

from __future__ import annotations

from functools import lru_cache

from firegui.analyses.margin.report import SHORT_TITLES, plan_title
from firegui.domain.margin_curve import MarginCurveSettings, MarginPoint
from firegui.domain.stress import left_in_text
from firegui.domain.units import Units, percent_text
from firegui.gui.base.number_text import duration
from firegui.gui.widgets.table_model import Column

ABOVE = "▲ "
"""Prefix of a share above the limit, which also has the colour of a warning."""
_GROWTH = "share of the fire's growth that is left: what burns beyond the start, over the same without drops"


@lru_cache(maxsize=8)
def margin_columns(limit: float, settings: MarginCurveSettings, units: Units = Units.METRIC) -> tuple[Column, ...]:
    """Return the columns of a curve with these settings, with volumes in ``units``.

    Shares above ``limit`` are marked.
    """

    def worst_text(point: MarginPoint) -> str:
        left = left_in_text(point.worst_share, point.worst_scenario, limit)
        return f"{ABOVE if point.worst_share > limit else ''}{left}"

    return (
        Column("Margin", lambda point: SHORT_TITLES[point.plan], tip="the margin that the plan is made with",
               is_text=True, cell_tip=lambda point: plan_title(point.plan, settings)),
        Column("Drops", lambda point: point.drops, "{:,.0f}".format,
               "drops of the plan; with replanning, the mean number flown"),
        Column("Volume", lambda point: point.gallons, "{:,.0f}".format,
               "what the drops of the plan carry; not known with replanning", units.volume_unit,
               units.volume_value(1.0)),
        Column("Growth left", lambda point: point.nominal_share, percent_text, f"{_GROWTH}; in the model's own world",
               "model"),
        Column("Worst scenario", lambda point: point, worst_text,
               f"the scenario with the largest {_GROWTH}; largest over the draws. {ABOVE.strip()}: above the limit of "
               f"{percent_text(limit)}", is_text=True, sort_key=lambda point: point.worst_share,
               color=lambda point: "error" if point.worst_share > limit else None),
        Column("Time", lambda point: point.seconds, duration, "time to make the plan, without its tests"),
    )  # fmt: skip

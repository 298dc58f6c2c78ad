"""Columns of the stress table."""

from __future__ import annotations

from functools import lru_cache

from firegui.domain.settings import ObjectiveWeights
from firegui.domain.stress import StressResult, StressTable, scenario_text
from firegui.domain.units import Units, amount_text, percent_text
from firegui.gui.widgets.table_model import Column
from firegui.runs.messages import counted

ABOVE = "▲ "
"""Prefix of a share above the limit, which also has the colour of a warning."""
_ABOVE_LIMIT = "above the plan's limit of what would burn in the regions without drops"
_GROWTH = "share of the fire's growth that is left: what burns beyond the start, over the same without drops"


def stress_rows(table: StressTable) -> tuple[StressResult, ...]:
    """Return the model itself, then the scenarios, the worst first."""
    return (table.nominal, *table.worst_first)


@lru_cache(maxsize=8)
def stress_columns(
    limit: float,
    weights: ObjectiveWeights,
    cell_area_ha: float,
    units: Units = Units.METRIC,
    *,
    has_regions: bool = False,
) -> tuple[Column, ...]:
    """Return the columns; ``cell_area_ha`` is the area of a cell.

    Marked is what is above ``limit`` and counts by ``weights``, of the whole fire or in the regions. Areas are in
    ``units``. There are two for the protected regions if the project ``has_regions``.
    """

    def share_text(share: float) -> str:
        return f"{ABOVE if weights.counts_growth and share > limit else ''}{percent_text(share)}"

    def is_region_lost(share: float | None) -> bool:
        return weights.prot > 0.0 and (share or 0.0) > limit

    def region_text(share: float) -> str:
        return f"{ABOVE if is_region_lost(share) else ''}{percent_text(share)}"

    area = units.area_value(cell_area_ha)

    return (
        Column("Scenario", lambda result: result.scenario.title, tip="the model's own world comes first", is_text=True,
               cell_tip=lambda result: f"{scenario_text(result.scenario)}: {counted(len(result.draws), 'draw')} flown"),
        Column("Growth left", lambda result: result.share_worst, share_text,
               f"{_GROWTH}; largest over the draws, which are trials with errors of their own. {ABOVE.strip()}: above "
               f"the plan's limit of {percent_text(limit)}",
               "worst",
               color=lambda result: "error" if weights.counts_growth and result.share_worst > limit else None),
        *([] if not has_regions else [
            Column("Growth left", lambda result: result.region_share(), region_text,
                   f"{_GROWTH}, in the protected regions alone; largest over the draws. {ABOVE.strip()}: above the "
                   f"plan's limit of {percent_text(limit)}",
                   "regions", color=lambda result: "error" if is_region_lost(result.region_share()) else None,
                   cell_tip=lambda result: _ABOVE_LIMIT if is_region_lost(result.region_share()) else None),
        ]),
        Column("Burned", lambda result: result.cells_worst, amount_text, "final size in the draw with the largest",
               units.area_unit, area),
        Column("No drops", lambda result: result.cells_no_drops, amount_text,
               "final size without drops in the same scenario, in which the fire may be larger than in the model",
               units.area_unit, area),
        *([] if not has_regions else [
            Column("In regions", lambda result: result.protected_worst, amount_text,
                   "expected burned area inside the protected regions in the worst draw", units.area_unit, area),
        ]),
        Column("Growth left", lambda result: result.share_mean, percent_text, f"{_GROWTH}; mean of the draws",
               "mean"),
        Column("Drops flown", lambda result: result.flown_mean, "{:,.0f}".format, "drops that happened", "mean"),
        Column("What differs", lambda result: result.scenario, scenario_text, "from the model", is_text=True,
               sort_key=scenario_text, cell_tip=lambda result: scenario_text(result.scenario)),
    )  # fmt: skip

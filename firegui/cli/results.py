"""Summaries of plans and tables of metrics for people."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from firegui.cli.output import chosen_units, table
from firegui.domain.plan_summary import PlanSummary
from firegui.domain.results import Metrics

_LINES = (
    ("objective", "objective", "{:,.4f}"),
    ("loss_burn", "  burn", "{:.6f}"),
    ("loss_final", "  final", "{:.6f}"),
    ("loss_prot", "  protected", "{:.6f}"),
    ("loss_val", "  values lost", "{:.6f}"),
    ("final_extent_ha", "final size, ha", "{:,.1f}"),
    ("final_extent_cells", "final size, cells", "{:,.1f}"),
    ("occupancy_cell_days", "burned area over time, cell-days", "{:,.1f}"),
    ("protected_cells", "protected cells burned", "{:,.1f}"),
    ("drops_proposed", "drops proposed", "{:,}"),
    ("drops_executed", "drops executed", "{:,}"),
)


def metrics_table(columns: dict[str, Metrics]) -> list[str]:
    """Return metrics side by side, one named column each."""
    rows = [["", *columns]]
    has_values = any(metrics.value_lost for metrics in columns.values())
    for field, title, form in _LINES:
        if field == "loss_val" and not has_values:
            continue
        rows.append([title, *(form.format(getattr(metrics, field)) for metrics in columns.values())])
    return table(rows)


def summary_lines(summary: PlanSummary | None) -> list[str]:
    """Return what is reported of a plan first, and its table of days; nothing without a summary."""
    if summary is None:
        return []
    headline = summary.headline(chosen_units())
    width = max(len(title) for title, _ in headline)
    lines = [f"{title.ljust(width)}  {text}" for title, text in headline]
    titles, *days = summary.day_rows(chosen_units())
    return [*lines, *table([titles, *summary.start_row(chosen_units()), *days])]


def summary_data(summary: PlanSummary | None) -> dict[str, Any] | None:
    """Return a summary as programs read it: sizes in hectares, ``saved_share`` of 1, US gallons."""
    if summary is None:
        return None
    return {
        "start_ha": summary.start_ha, "final_ha": summary.final_ha, "final_ha_no_drops": summary.final_ha_no_drops,
        "saved_share": summary.saved_share, "drops": summary.drops, "gallons": summary.gallons,
        "flight_hours": summary.flight_hours, "cost": summary.cost, "currency": summary.currency,
        "types_without_price": list(summary.unpriced),
        "drops_at_night": summary.night,
        "drops_in_long_flames": summary.long_flames, "flame_limit_m": summary.flame_limit_m,
        "drops_fail_in_flames": summary.drops_fail_in_flames,
        "regions": [asdict(region) for region in summary.regions],
        "regions_together": None if summary.all_regions is None else asdict(summary.all_regions),
        **({"values": [asdict(layer) for layer in summary.values]} if summary.values else {}),
        "days": [
            asdict(day)
            | {"drops": day.drops, "gallons": day.gallons, "flight_hours": day.flight_hours, "cost": day.cost}
            for day in summary.days
        ],
    }  # fmt: skip

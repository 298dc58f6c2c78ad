"""Tables of metrics for people."""

from __future__ import annotations

from firegui.cli.output import table
from firegui.domain.results import Metrics

_LINES = (
    ("objective", "objective", "{:,.4f}"),
    ("loss_burn", "  burn", "{:.6f}"),
    ("loss_final", "  final", "{:.6f}"),
    ("loss_prot", "  protected", "{:.6f}"),
    ("final_extent_ha", "final extent, ha", "{:,.1f}"),
    ("final_extent_cells", "final extent, cells", "{:,.1f}"),
    ("occupancy_cell_days", "occupancy, cell-days", "{:,.1f}"),
    ("protected_cells", "protected cells burned", "{:,.1f}"),
    ("drops_proposed", "drops proposed", "{:,}"),
    ("drops_executed", "drops executed", "{:,}"),
)


def metrics_table(columns: dict[str, Metrics]) -> list[str]:
    """Return metrics side by side, one named column each."""
    rows = [["", *columns]]
    for field, title, form in _LINES:
        rows.append([title, *(form.format(getattr(metrics, field)) for metrics in columns.values())])
    return table(rows)

"""The card that shows a pinned cell."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from firegui.gui.map.floating_card import FloatingCard
from firegui.gui.map.map_colors import Ink
from firegui.gui.map.probe_series import Series, SeriesChart


class ProbeCard(FloatingCard):
    """Floats over the map beside its cell: its values, and how its fire goes over the steps of the plan."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Values of the pinned cell", "Unpin the cell", parent)
        self.chart = SeriesChart()
        self.column.addWidget(self.chart)

    def set_ink(self, ink: Ink) -> None:
        """Use other colours."""
        super().set_ink(ink)
        self.chart.set_ink(ink)

    def show_values(self, cell: tuple[int, int], rows: Sequence[tuple[str, str]], series: Series | None = None) -> None:
        """Show a cell's values, and its series where there is a fire."""
        self.chart.show_series(series)
        self.fill(f"Row {cell[0]}, column {cell[1]}", rows)

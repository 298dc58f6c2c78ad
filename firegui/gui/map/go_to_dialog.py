"""Dialog to go to a place on the map by its coordinates."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from firegui.domain.grid import Grid
from firegui.domain.units import Units
from firegui.errors import InputError
from firegui.gui.base.dialogs import TextDialog
from firegui.gui.map.map_content import CellLocation
from firegui.io.coordinates import parse_place

_HINT = "Decimal degrees, minutes, minutes and seconds, or UTM. Without letters the latitude comes first."


class GoToDialog(TextDialog):
    """Dialog for coordinates in any format. ``go_to`` receives the place in corner coordinates.

    What cannot be read, or lies outside the map, ends in one message below the field.
    """

    def __init__(
        self, grid: Grid, go_to: Callable[[float, float], object], parent: QWidget | None = None,
        units: Units = Units.METRIC,
    ) -> None:  # fmt: skip
        super().__init__("Go to coordinates", "&Coordinates (WGS 84)", self._go, parent, hint=_HINT, button="&Go to")
        self._units, self._grid, self._place, self._go_to = units, grid, CellLocation(grid), go_to
        self.field.setPlaceholderText("38°33.672′ N 122°38.406′ W")

    def _go(self, text: str) -> str:
        """Go to the place, or return why not."""
        try:
            lon, lat = parse_place(text)
        except InputError as error:
            problem = error.problems[0]
            return f"{problem.what}; {problem.remedy}."
        cell = self._place.cell(lon, lat)
        if cell is None:
            return "The grid of this fire has no place on the Earth, so that coordinates mean nothing on it."
        if not (0.0 <= cell[0] <= self._grid.rows and 0.0 <= cell[1] <= self._grid.columns):
            return f"The place lies outside the map, {self._units.length(_distance_m(self._grid, cell))} from its edge."
        self._go_to(*cell)
        return ""


def _distance_m(grid: Grid, cell: tuple[float, float]) -> float:
    outside = (max(-value, value - size, 0.0) for value, size in zip(cell, grid.shape, strict=True))
    down, across = outside
    return float((down**2 + across**2) ** 0.5 * grid.cell_size_m)

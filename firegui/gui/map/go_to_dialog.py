"""Dialog to go to a place on the map by its coordinates."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QWidget

from firegui.domain.grid import Grid
from firegui.domain.units import Units
from firegui.errors import InputError
from firegui.gui.base.dialogs import Dialog
from firegui.gui.base.layouts import muted_label, plain_label, vertical
from firegui.gui.map.map_content import CellLocation
from firegui.io.coordinates import parse_place

_HINT = "Decimal degrees, minutes, minutes and seconds, or UTM. Without letters the latitude comes first."


class GoToDialog(Dialog):
    """Dialog for coordinates in any format. ``go_to`` receives the place in corner coordinates.

    What cannot be read, or lies outside the map, ends in one message below the field.
    """

    def __init__(
        self, grid: Grid, go_to: Callable[[float, float], object], parent: QWidget | None = None,
        units: Units = Units.METRIC,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.setWindowTitle("Go to coordinates")
        self._units, self._grid, self._place, self._go_to = units, grid, CellLocation(grid), go_to
        self.field, self.trouble = QLineEdit(clearButtonEnabled=True), muted_label(role="warning")
        self.field.setAccessibleName("Coordinates")
        self.field.setToolTip(_HINT)
        self.field.setPlaceholderText("38°33.672′ N 122°38.406′ W")
        self.trouble.setAccessibleName("Why the place cannot be shown")
        label = plain_label("&Coordinates (WGS 84)")
        label.setBuddy(self.field)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.go_button = buttons.addButton("&Go to", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        vertical(self, label, self.field, muted_label(_HINT), self.trouble, buttons, least_width=420)
        # A dialog learns of its default button only once it holds the button.
        self.go_button.setDefault(True)

    def accept(self) -> None:
        """Go to the place and close, or say why not."""
        try:
            lon, lat = parse_place(self.field.text())
        except InputError as error:
            problem = error.problems[0]
            self._refuse(f"{problem.what}; {problem.remedy}.")
            return
        cell = self._place.cell(lon, lat)
        if cell is None:
            self._refuse("The grid of this fire has no place on the Earth, so that coordinates mean nothing on it.")
        elif not (0.0 <= cell[0] <= self._grid.rows and 0.0 <= cell[1] <= self._grid.columns):
            self._refuse(
                f"The place lies outside the map, {self._units.length(_distance_m(self._grid, cell))} from its edge."
            )
        else:
            self._go_to(*cell)
            super().accept()

    def _refuse(self, why: str) -> None:
        self.trouble.setText(why)
        # The text goes over several lines, for which a shown dialog makes no room by itself.
        layout = self.layout()
        assert layout is not None
        self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))
        self.field.setFocus()
        self.field.selectAll()


def _distance_m(grid: Grid, cell: tuple[float, float]) -> float:
    outside = (max(-value, value - size, 0.0) for value, size in zip(cell, grid.shape, strict=True))
    down, across = outside
    return float((down**2 + across**2) ** 0.5 * grid.cell_size_m)

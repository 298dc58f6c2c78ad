"""Tool that measures a distance along corners, or the area within them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt

from firegui.domain.region_geometry import clamped, ring_area
from firegui.domain.regions import Vertex
from firegui.gui.map.sketch import Outline
from firegui.gui.map.tools.draw_tools import CornerTool
from firegui.gui.map.tools.tool import Pointer, ToolContext


def length_of(corners: Sequence[Vertex], cell_m: float) -> float:
    """Return the length in metres along corners given in cells."""
    return cell_m * math.fsum(math.dist(a, b) for a, b in pairwise(corners))


class MeasureTool(CornerTool):
    """Tool that measures a distance along corners, or the area within them.

    On the keyboard, A closes or opens the outline.
    """

    hint = "Click, arrows and Enter · A: area · Backspace · Esc"

    def __init__(self, context: ToolContext) -> None:
        super().__init__(context)
        self._closed = self._done = False
        context.session.units_changed.connect(self._on_units)

    @property
    def text(self) -> str:
        """The current measurement as text, empty before the second corner."""
        return self._text(tuple(self._corners), closed=self._closed)

    # -- the mouse ---------------------------------------------------------------------------------------------------
    def press(self, at: Pointer) -> None:
        """Add a corner, close the outline at its first corner, or start again after the measurement has ended."""
        if self._done:
            self._start_again()
        if self._closes(at):
            self._closed = True
            self._end()
        else:
            self._add_corner(clamped(at.row, at.column, self.context.shape))

    def move(self, at: Pointer) -> None:
        """Show the outline with the pointer as its next corner."""
        if self._corners and not self._done:
            self._show(clamped(at.row, at.column, self.context.shape))

    def double_click(self, at: Pointer) -> None:
        """End the measurement. The first click of the double click has already added the last corner."""
        self._end()

    # -- the keyboard ------------------------------------------------------------------------------------------------
    def key(self, key: Qt.Key, *, shift: bool = False) -> bool:
        """End the measurement, close or open the outline, or remove the last corner."""
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._end()
        elif key == Qt.Key.Key_A and len(self._corners) >= 3:
            self._closed = not self._closed
            self._show(None)
        elif key == Qt.Key.Key_Backspace and self._corners:
            self._corners.pop()
            self._done = self._closed = False
            self._show(None)
        else:
            return False
        return True

    def cancel(self) -> bool:
        """Discard the measurement."""
        had_corners = bool(self._corners)
        if self._done:
            self.session.message.emit("")
        self._start_again()
        self.sketch.show(None)
        return had_corners

    # -- helpers -----------------------------------------------------------------------------------------------------
    def _start_again(self) -> None:
        self._corners.clear()
        self._closed = self._done = False

    def _end(self) -> None:
        if len(self._corners) >= 2:
            self._done = True
            self._show(None)
            self.session.message.emit(f"Measured: {self.text}")

    def _show(self, next_corner: Vertex | None) -> None:
        corners = (*self._corners, next_corner) if next_corner is not None and not self._done else tuple(self._corners)
        if not corners:
            self.sketch.show(None)
            return
        self.sketch.show(Outline(corners, self._text(corners, closed=self._closed), self._closed, dots=True))

    def _text(self, corners: Sequence[Vertex], *, closed: bool) -> str:
        if len(corners) < 2:
            return ""
        grid, units = self.session.project.scenario.grid, self.session.units
        if not closed:
            return units.length(length_of(corners, grid.cell_size_m))
        perimeter_m = length_of((*corners, corners[0]), grid.cell_size_m)
        area_ha = abs(ring_area(corners)) * grid.cell_area_ha
        return f"{units.measured_area(area_ha)} · {units.length(perimeter_m)} around"

    def _on_units(self) -> None:
        if self._corners:
            self._show(None)

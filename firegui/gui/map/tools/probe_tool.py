"""Pin a cell and read everything that is known of it."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import Qt

from firegui.gui.map.tools.tool import PanningTool, Pointer, Workplace

Pin = Callable[[tuple[int, int] | None], None]


class ProbeTool(PanningTool):
    """A click pins the cell under it; beside the grid it takes the pin away; dragging moves the map."""

    cursor = Qt.CursorShape.WhatsThisCursor
    hint = "Click a cell · Esc unpins"

    def __init__(self, place: Workplace, pin: Pin) -> None:
        super().__init__(place)
        self._pin = pin

    def click(self, at: Pointer) -> None:
        """Pin the cell."""
        row, column = math.floor(at.row), math.floor(at.column)
        rows, columns = self.place.shape
        self._pin((row, column) if 0 <= row < rows and 0 <= column < columns else None)

    def cancel(self) -> bool:
        """Take the pin away."""
        pinned = self.place.sketch.pin is not None
        self._pin(None)
        return super().cancel() or pinned

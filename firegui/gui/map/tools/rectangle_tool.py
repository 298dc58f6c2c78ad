"""Draw a rectangular region of whole cells by dragging."""

from __future__ import annotations

from PySide6.QtCore import Qt

from firegui.domain.regions import Region
from firegui.gui.map.region_edits import add_region, new_name, size_text
from firegui.gui.map.sketch import Outline
from firegui.gui.map.tools.shape_geometry import cell_rectangle
from firegui.gui.map.tools.tool import MapTool, Pointer


class RectangleTool(MapTool):
    """Covers every cell from the one where the button went down to the one where it went up."""

    cursor = Qt.CursorShape.CrossCursor
    hint = "Drag a rectangle · Esc cancels"
    _start: Pointer | None = None

    def press(self, at: Pointer) -> None:
        """Fix the first cell."""
        self._start = at

    def move(self, at: Pointer) -> None:
        """Show the rectangle and its size."""
        if self._start is None or not at.far_from(self._start):
            return
        region = self._region(self._start, at)
        grid = self.place.session.project.scenario.grid
        self.place.sketch.show(Outline(region.parts[0][0], size_text(region, grid)))

    def release(self, at: Pointer) -> None:
        """Add the region; a click adds none."""
        start, self._start = self._start, None
        self.place.sketch.show(None)
        if start is None:
            return
        if at.far_from(start):
            self._add(self._region(start, at))
        else:
            self.place.session.message.emit("Drag with the button held down to draw a rectangle.")

    def _name(self) -> str:
        """What the drawn shape is called at first."""
        return new_name(self.place.session.project.regions)

    def _add(self, region: Region) -> bool:
        """Take the drawn shape over; whether it was accepted."""
        return add_region(self.place.session, region)

    def cancel(self) -> bool:
        """Forget the rectangle."""
        start, self._start = self._start, None
        self.place.sketch.show(None)
        return start is not None

    def _region(self, start: Pointer, end: Pointer) -> Region:
        rows, columns = cell_rectangle((start.row, start.column), (end.row, end.column), self.place.shape)
        return Region.rectangle(self._name(), rows, columns)

"""Draw a polygonal region corner by corner."""

from __future__ import annotations

from PySide6.QtCore import Qt

from firegui.domain.regions import Region, Vertex
from firegui.gui.map.region_edits import add_region, new_name, size_text
from firegui.gui.map.sketch import Outline
from firegui.gui.map.snapping import REACH_PX
from firegui.gui.map.tools.shape_geometry import clamped, is_simple
from firegui.gui.map.tools.tool import MapTool, Pointer, Workplace


class PolygonTool(MapTool):
    """Click corners; double click, Enter or a click on the first corner closes."""

    cursor = Qt.CursorShape.CrossCursor
    hint = "Click corners · Enter closes · Esc cancels"

    _NEAR_PX = 8.0

    def __init__(self, place: Workplace) -> None:
        super().__init__(place)
        self._corners: list[Vertex] = []

    def press(self, at: Pointer) -> None:
        """Add a corner, or close on the first one."""
        if len(self._corners) >= 3 and self._is_first(at):
            self._close()
            return
        row, column = self._snapped(at)
        corner = (round(row, 2), round(column, 2))
        if not self._corners or corner != self._corners[-1]:
            self._corners.append(corner)
        self._show(None)

    def move(self, at: Pointer) -> None:
        """Show where the next edge would be."""
        if self._corners:
            self._show(self._snapped(at))

    def double_click(self, at: Pointer) -> None:
        """Close; the first click of the pair has set the last corner already."""
        self._close()

    def key(self, key: Qt.Key) -> bool:
        """Enter closes, Backspace takes the last corner back."""
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._corners:
            self._close()
            return True
        if key == Qt.Key.Key_Backspace and self._corners:
            self._corners.pop()
            self._show(None)
            return True
        return False

    def _name(self) -> str:
        """What the drawn shape is called at first."""
        return new_name(self.place.session.project.regions)

    def _add(self, region: Region) -> bool:
        """Take the drawn shape over; whether it was accepted."""
        return add_region(self.place.session, region)

    def cancel(self) -> bool:
        """Forget every corner."""
        corners, self._corners = self._corners, []
        self.place.sketch.show(None)
        return bool(corners)

    def _snapped(self, at: Pointer) -> Vertex:
        place = self.place
        shapes = (*place.session.project.regions, *place.session.project.operations.no_drop_zones)
        reach = REACH_PX / place.camera.pixels_per_cell
        return clamped(*place.snapping.snapped(at.row, at.column, shapes, reach), place.shape)

    def _is_first(self, at: Pointer) -> bool:
        step = self.place.camera.to_pixel(*self._corners[0]) - at.pixel
        return bool(abs(step.x()) <= self._NEAR_PX and abs(step.y()) <= self._NEAR_PX)

    def _region(self, corners: tuple[Vertex, ...]) -> Region:
        return Region(self._name(), ((corners,),))

    def _show(self, next_corner: Vertex | None) -> None:
        corners = (*self._corners, next_corner) if next_corner is not None else tuple(self._corners)
        if not corners:
            self.place.sketch.show(None)
            return
        region = self._region(corners)
        whole = len(corners) >= 3
        text = size_text(region, self.place.session.project.scenario.grid) if whole else ""
        # While two corners still coincide under the mouse the outline is not wrong, only unfinished.
        allowed = not whole or len(set(corners)) < len(corners) or is_simple(region)
        self.place.sketch.show(Outline(corners, text, closed=whole, allowed=allowed, dots=True))

    def _close(self) -> None:
        corners = tuple(self._corners)
        if len(corners) < 3:
            self.place.session.message.emit("A polygon needs at least three corners.")
            return
        # A refused polygon stays, so that its last corner can be taken back and set again.
        if self._add(self._region(corners)):
            self.cancel()

"""Crosshair that the arrow keys move over the map, and with which the tools work as with a mouse."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt

from firegui.domain.region_geometry import clamped
from firegui.domain.regions import Vertex
from firegui.gui.map.camera import Camera
from firegui.gui.map.sketch import Sketch
from firegui.gui.map.tools.tool import ARROWS, MapTool, Pointer

_STEP_PX, _LARGE = 12.0, 5
"""Length of a step on screen, and how many of them a step with Shift is."""
_EDGE_PX = 40.0
"""The map moves so far that the crosshair has this distance from its edge."""
_CLICKS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class KeyCursor:
    """Crosshair of one map, hidden until an arrow key is pressed.

    With a tool that marks points, Enter shows it as well.
    """

    def __init__(self, camera: Camera, sketch: Sketch) -> None:
        self._camera, self._sketch = camera, sketch
        self._last: Vertex | None = None
        self._clicked: Vertex | None = None

    @property
    def is_shown(self) -> bool:
        """Whether the crosshair is on the map."""
        return self._sketch.cursor is not None

    def pointer(self, *, shift: bool = False) -> Pointer:
        """Return the position of the crosshair, of the centre of the map while it is hidden."""
        place = self._sketch.cursor
        if place is None:
            pixel = QPointF(self._camera.viewport.rect().center())
            return Pointer(*self._camera.to_cell(pixel), pixel)
        return Pointer(*place, self._camera.to_pixel(*place), shift=shift)

    def hide(self) -> None:
        """Hide the crosshair. The next arrow key shows it again where it was."""
        self._clicked = None
        self._sketch.show_cursor(None)

    def follow(self, tool: MapTool) -> None:
        """Tell the tool where the crosshair is, after the tool has used a key."""
        if self.is_shown:
            tool.move(self.pointer())

    def begin(self, tool: MapTool, key: Qt.Key, *, shift: bool) -> bool:
        """Show the hidden crosshair and click there if the tool marks points; return whether it did."""
        if key not in _CLICKS or tool.cursor is not Qt.CursorShape.CrossCursor:
            return False
        self._last = self._start(tool)
        self._sketch.show_cursor(self._last)
        self._click(tool, self.pointer(shift=shift))
        return True

    def key(self, tool: MapTool, key: Qt.Key, *, shift: bool) -> bool:
        """Move the crosshair or click with it; return whether the key was used."""
        if not tool.uses_key_cursor:
            self.hide()
        elif key in ARROWS:
            self._step(tool, *ARROWS[key], large=shift)
            return True
        elif key in _CLICKS and self.is_shown:
            self._click(tool, self.pointer(shift=shift))
            return True
        return False

    def _step(self, tool: MapTool, rows: float, columns: float, *, large: bool) -> None:
        cells = max(round(_STEP_PX / self._camera.pixels_per_cell), 1) * (_LARGE if large else 1)
        row, column = self._sketch.cursor or self._start(tool)
        self._last = clamped(row + cells * rows, column + cells * columns, tool.context.shape)
        self._camera.bring_into_view(*self._last, margin=_EDGE_PX)
        self._sketch.show_cursor(self._last)
        self._clicked = None
        tool.move(self.pointer())

    def _start(self, tool: MapTool) -> Vertex:
        """Return where the crosshair was, or the centre of the map if that is not in view."""
        seen = QRectF(self._camera.viewport.rect())
        if self._last is not None and seen.contains(self._camera.to_pixel(*self._last)):
            return self._last
        row, column = clamped(*self._camera.to_cell(seen.center()), tool.context.shape)
        # Corners lie where cells meet. Other clicks mean a cell.
        half = 0.0 if tool.sets_corners else 0.5
        return round(row) + half, round(column) + half

    def _click(self, tool: MapTool, at: Pointer) -> None:
        """Click; a second click at one place is a double click. What a click picks up, the next one puts down."""
        clicked, self._clicked = self._clicked, None
        if tool.is_dragging:
            tool.release(at)
        elif clicked is not None and clicked == self._sketch.cursor:
            tool.double_click(at)
        else:
            tool.press(at)
            if not tool.is_dragging:
                tool.release(at)
                self._clicked = self._sketch.cursor

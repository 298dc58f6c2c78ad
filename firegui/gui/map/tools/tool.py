"""Base classes of the map's mouse tools, and the tools to pan and to probe."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, Qt

from firegui.domain.regions import Vertex
from firegui.gui.map.camera import Camera
from firegui.gui.map.drop_edits import drop_of
from firegui.gui.map.drop_menu import NEAR_PX, shown_drop_at
from firegui.gui.map.layers.layer_stack import LayerStack
from firegui.gui.map.shape_edits import shape_at
from firegui.gui.map.shape_menu import ShapeMenu
from firegui.gui.map.sketch import Sketch
from firegui.gui.session.session import Session

_REACH_PX, GRAB_PX = 10.0, 8.0
"""Reach of corners that are snapped to, and of symbols, lines and handles that are clicked."""
CLICK_PX = 4.0
"""A press that moves less than this is a click."""
ARROWS = {
    Qt.Key.Key_Up: (-1.0, 0.0), Qt.Key.Key_Down: (1.0, 0.0), Qt.Key.Key_Left: (0.0, -1.0), Qt.Key.Key_Right: (0.0, 1.0),
}  # fmt: skip
"""Arrow key → direction in rows and columns."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """Position of the mouse in corner coordinates and pixels, and whether Alt and Shift are held."""

    row: float
    column: float
    pixel: QPointF
    alt: bool = False
    shift: bool = False

    def far_from(self, other: Pointer) -> bool:
        """Return whether the mouse moved too far from ``other`` for a click."""
        step = self.pixel - other.pixel
        return bool(abs(step.x()) >= CLICK_PX or abs(step.y()) >= CLICK_PX)


@dataclass(frozen=True, slots=True, eq=False)
class ToolContext:
    """Objects shared by the tools."""

    session: Session
    camera: Camera
    sketch: Sketch
    layers: LayerStack
    menu: ShapeMenu

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return self.session.project.scenario.grid.shape

    def select_at(self, at: Pointer) -> bool:
        """Select the base, barrier or region under the mouse, or none; return whether there is one."""
        found = shape_at(self.session, at.row, at.column, GRAB_PX / self.camera.pixels_per_cell)
        if found is None:
            self.session.select_region("")
        else:
            self.session.select_shape(*found)
        return found is not None

    def snapped(self, at: Pointer, leave: str = "") -> Vertex:
        """Return the corner that a click at ``at`` sets, snapped as the drawing options say.

        Corners of regions and zones within reach take precedence over corners of cells. The shape called ``leave`` is
        being drawn, and is skipped.
        """
        project, options = self.session.project, self.session.drawing
        here = at.row, at.column
        if options.snap_corners:
            shapes = (shape for shape in (*project.regions, *project.operations.no_drop_zones) if shape.name != leave)
            corners = (corner for shape in shapes for part in shape.parts for ring in part for corner in ring)
            near = min(corners, key=lambda corner: math.dist(corner, here), default=None)
            if near is not None and math.dist(near, here) <= _REACH_PX / self.camera.pixels_per_cell:
                return near
        return (float(round(at.row)), float(round(at.column))) if options.snap_cells else here


class MapTool:
    """Base class of tools without any action. ``hint`` is shown above the map."""

    cursor = Qt.CursorShape.ArrowCursor
    hint = ""
    sets_corners = False
    """Whether a click sets a corner, where cells meet, and not a cell."""
    names_drops = False
    """Whether the drop under the mouse is named. It would hide what a drawing tool draws."""

    def __init__(self, context: ToolContext) -> None:
        self.context, self.session = context, context.session
        self.camera, self.sketch = context.camera, context.sketch

    @property
    def uses_key_cursor(self) -> bool:
        """Whether the arrow keys move the crosshair, which clicks in place of the mouse."""
        return True

    @property
    def is_dragging(self) -> bool:
        """Whether a press has begun or picked up something that the release ends or puts down."""
        return False

    def press(self, at: Pointer) -> None:
        """Handle a press of the left button."""

    def move(self, at: Pointer) -> None:
        """Handle a move of the mouse, with the left button down or up."""

    def release(self, at: Pointer) -> None:
        """Handle a release of the left button."""

    def double_click(self, at: Pointer) -> None:
        """Handle the second press of a double click; the first click was handled before."""

    def right_click(self, at: Pointer) -> bool:
        """Handle a right click and return whether the tool used it."""
        return False

    def key(self, key: Qt.Key, *, shift: bool = False) -> bool:
        """Handle a key that is not a map key and return whether the tool used it."""
        return False

    def cancel(self) -> bool:
        """Discard unfinished work (Esc, another tool or project). Return whether there was any."""
        return False


class PanningTool(MapTool):
    """Base class of tools with which a drag moves the map."""

    cursor = Qt.CursorShape.OpenHandCursor
    names_drops = True

    def __init__(self, context: ToolContext) -> None:
        super().__init__(context)
        self._pressed: Pointer | None = None
        self._last = QPointF()
        self._panning = False

    def press(self, at: Pointer) -> None:
        """Start a click or a drag."""
        self._pressed, self._last, self._panning = at, at.pixel, False

    def move(self, at: Pointer) -> None:
        """Pan the map once the mouse has moved far enough."""
        if self._pressed is None:
            return
        if not self._panning and at.far_from(self._pressed):
            self._panning = True
            self.camera.set_cursor(Qt.CursorShape.ClosedHandCursor)
        if self._panning:
            self.camera.pan(at.pixel - self._last)
            self._last = at.pixel

    def release(self, at: Pointer) -> None:
        """End the drag, or click."""
        pressed, self._pressed = self._pressed, None
        if self._panning:
            self._panning = False
            self.camera.set_cursor(self.cursor)
        elif pressed is not None:
            self.click(at)

    def click(self, at: Pointer) -> None:
        """Handle a click of the left button."""

    def cancel(self) -> bool:
        """Stop dragging."""
        panning, self._pressed, self._panning = self._panning, None, False
        return panning


class PanTool(PanningTool):
    """Tool that selects the clicked drop, base, barrier or region. Its arrow keys are those of playback."""

    @property
    def uses_key_cursor(self) -> bool:
        """Leave the arrow keys to playback."""
        return False

    def click(self, at: Pointer) -> None:
        """Select the drop under the mouse, else the shape, or none."""
        session, near = self.session, NEAR_PX / self.camera.pixels_per_cell
        drops, calendar = self.context.layers.drops.seen(), session.project.calendar
        record = shown_drop_at(drops, session.step, calendar, at.row, at.column, near)
        self.session.plan_editor.select(None if record is None else drop_of(self.session, record))
        if record is not None:
            self.session.select_region("")
            return
        self.context.select_at(at)

    def double_click(self, at: Pointer) -> None:
        """Rename the shape that the first click has selected."""
        self._rename()

    def key(self, key: Qt.Key, *, shift: bool = False) -> bool:
        """Rename the selected shape on F2."""
        return key == Qt.Key.Key_F2 and self._rename()

    def _rename(self) -> bool:
        chosen = self.session.selected_shape
        if chosen.name:
            self.context.menu.rename(chosen)
        return bool(chosen.name)


Pin = Callable[[tuple[int, int] | None], None]


class ProbeTool(PanningTool):
    """Tool that pins the clicked cell; a click outside the grid removes the pin."""

    cursor = Qt.CursorShape.WhatsThisCursor
    hint = "Click a cell, or arrows and Enter · Esc unpins"

    def __init__(self, context: ToolContext, pin: Pin) -> None:
        super().__init__(context)
        self._pin = pin

    def click(self, at: Pointer) -> None:
        """Pin the cell."""
        row, column = math.floor(at.row), math.floor(at.column)
        rows, columns = self.context.shape
        self._pin((row, column) if 0 <= row < rows and 0 <= column < columns else None)

    def cancel(self) -> bool:
        """Remove the pin."""
        pinned = self.sketch.pin is not None
        self._pin(None)
        return super().cancel() or pinned

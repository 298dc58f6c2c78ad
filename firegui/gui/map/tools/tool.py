"""What a tool is: it gets the mouse in map coordinates and asks the session for changes."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, Qt

from firegui.gui.map.camera import Camera
from firegui.gui.map.layers.regions_layer import RegionsLayer
from firegui.gui.map.region_menu import RegionMenu
from firegui.gui.map.sketch import Sketch
from firegui.gui.map.snapping import Snapping
from firegui.gui.session.session import Session

CLICK_PX = 4.0
"""A press that moves less than this is a click."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """The mouse: corner coordinates, viewport pixel, and whether Alt is held."""

    row: float
    column: float
    pixel: QPointF
    alt: bool = False

    def far_from(self, other: Pointer) -> bool:
        """Whether the mouse moved too far from ``other`` for a click."""
        step = self.pixel - other.pixel
        return bool(abs(step.x()) >= CLICK_PX or abs(step.y()) >= CLICK_PX)


@dataclass(frozen=True, slots=True, eq=False)
class Workplace:
    """What tools work with."""

    session: Session
    camera: Camera
    sketch: Sketch
    regions: RegionsLayer
    menu: RegionMenu
    snapping: Snapping

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        return self.session.project.scenario.grid.shape


class MapTool:
    """A tool that does nothing. ``hint`` tells on the map how to use it."""

    cursor = Qt.CursorShape.ArrowCursor
    hint = ""

    def __init__(self, place: Workplace) -> None:
        self.place = place

    def press(self, at: Pointer) -> None:
        """The left button went down."""

    def move(self, at: Pointer) -> None:
        """The mouse moved, with the left button down or up."""

    def release(self, at: Pointer) -> None:
        """The left button went up."""

    def double_click(self, at: Pointer) -> None:
        """The second press of a double click; its first click was delivered before."""

    def right_click(self, at: Pointer) -> bool:
        """A right click; whether the tool used it."""
        return False

    def key(self, key: Qt.Key) -> bool:
        """A key that is not a map key; whether the tool used it."""
        return False

    def cancel(self) -> bool:
        """Drop whatever is unfinished: Esc, another tool, another project. Whether there was anything."""
        return False


class PanningTool(MapTool):
    """A tool with which dragging moves the map and clicking does something."""

    cursor = Qt.CursorShape.OpenHandCursor

    def __init__(self, place: Workplace) -> None:
        super().__init__(place)
        self._pressed: Pointer | None = None
        self._last = QPointF()
        self._panning = False

    def press(self, at: Pointer) -> None:
        """Begin a click or a drag."""
        self._pressed, self._last, self._panning = at, at.pixel, False

    def move(self, at: Pointer) -> None:
        """Move the map once the mouse has moved enough."""
        if self._pressed is None:
            return
        if not self._panning and at.far_from(self._pressed):
            self._panning = True
            self.place.camera.set_cursor(Qt.CursorShape.ClosedHandCursor)
        if self._panning:
            self.place.camera.pan(at.pixel - self._last)
            self._last = at.pixel

    def release(self, at: Pointer) -> None:
        """End the drag, or click."""
        pressed, self._pressed = self._pressed, None
        if self._panning:
            self._panning = False
            self.place.camera.set_cursor(self.cursor)
        elif pressed is not None:
            self.click(at)

    def click(self, at: Pointer) -> None:
        """The left button was pressed and released in place."""

    def cancel(self) -> bool:
        """Stop dragging."""
        panning, self._pressed, self._panning = self._panning, None, False
        return panning

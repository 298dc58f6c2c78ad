"""Event filters of the map: mouse, wheel and keys for the active tool, and files dropped on the map."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QDropEvent, QInputEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from firegui.gui.map.camera import Camera
from firegui.gui.map.key_cursor import KeyCursor
from firegui.gui.map.shape_edits import import_regions
from firegui.gui.map.tools.tool import MapTool, Pointer
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import Session
from firegui.io.paths import PROJECT_FILE

WHEEL_STEP = 1.25
KEY_STEP = 1.5


class MouseRouter(QObject):
    """Event filter on the map's view and viewport. ``tool`` returns the active tool, if any.

    Keys go to the crosshair ``cursor`` first, then to the tool.
    """

    hovered = Signal(object)
    """The viewport pixel under the mouse, ``None`` when the mouse left."""
    menu_requested = Signal(object, object)
    """A right click that no tool used: :class:`Pointer` and global position."""

    def __init__(self, camera: Camera, cursor: KeyCursor, tool: Callable[[], MapTool | None]) -> None:
        super().__init__(camera)
        self._camera = camera
        self._cursor = cursor
        self._tool = tool
        self._dragged_from: QPointF | None = None
        self._double = False
        camera.widget.installEventFilter(self)
        camera.viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle mouse and wheel on the viewport, and keys on the view."""
        if watched is self._camera.widget:
            if isinstance(event, QContextMenuEvent) and event.reason() is QContextMenuEvent.Reason.Keyboard:
                at = self._cursor.pointer()
                self._right(at, self._camera.viewport.mapToGlobal(at.pixel.toPoint()))
                return True
            return isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and self._key(event)
        if event.type() == QEvent.Type.Resize:
            self._camera.resized()
            return False
        if event.type() == QEvent.Type.Leave:
            self.hovered.emit(None)
            return False
        if isinstance(event, QWheelEvent):
            return self._wheel(event)
        return isinstance(event, QMouseEvent) and self._mouse(event)

    def _mouse(self, event: QMouseEvent) -> bool:
        at, kind, button = self._pointer(event), event.type(), event.button()
        self._cursor.hide()
        if kind == QEvent.Type.MouseMove:
            self._move(at)
        elif button == Qt.MouseButton.MiddleButton:
            self._dragged_from = at.pixel if kind == QEvent.Type.MouseButtonPress else None
        elif button == Qt.MouseButton.RightButton and kind == QEvent.Type.MouseButtonPress:
            self._right(at, event.globalPosition().toPoint())
        elif button == Qt.MouseButton.LeftButton:
            self._left(kind, at)
        event.accept()
        return True

    def _right(self, at: Pointer, where: QPoint) -> None:
        tool = self._tool()
        if tool is not None and not tool.right_click(at):
            self.menu_requested.emit(at, where)

    def _left(self, kind: QEvent.Type, at: Pointer) -> None:
        self._camera.widget.setFocus(Qt.FocusReason.MouseFocusReason)
        tool = self._tool()
        if tool is None:
            return
        if kind == QEvent.Type.MouseButtonPress:
            # A dialog that a double click opened takes the release that ends the click.
            self._double = False
            tool.press(at)
        elif kind == QEvent.Type.MouseButtonDblClick:
            self._double = True
            tool.double_click(at)
        elif kind == QEvent.Type.MouseButtonRelease:
            # The release that ends a double click does not belong to a press of the tool.
            if not self._double:
                tool.release(at)
            self._double = False

    def _move(self, at: Pointer) -> None:
        if self._dragged_from is not None:
            self._camera.pan(at.pixel - self._dragged_from)
            self._dragged_from = at.pixel
        else:
            tool = self._tool()
            if tool is not None:
                tool.move(at)
        self.hovered.emit(at.pixel)

    def _wheel(self, event: QWheelEvent) -> bool:
        notches = event.angleDelta().y() / 120.0
        if notches:
            self._camera.zoom(WHEEL_STEP**notches, event.position())
        event.accept()
        return True

    def _key(self, event: QKeyEvent) -> bool:
        """Use a key. Other keys are left to the window, for playback."""
        key = Qt.Key(event.key())
        tool = self._tool()
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self._camera.zoom(KEY_STEP, self._cursor.pointer().pixel)
        elif key in (Qt.Key.Key_Minus, Qt.Key.Key_Underscore):
            self._camera.zoom(1.0 / KEY_STEP, self._cursor.pointer().pixel)
        elif key == Qt.Key.Key_F and not event.modifiers():
            self._camera.fit()
        elif tool is None or not self._tool_key(tool, key, event):
            # The graphics view itself would scroll with the arrow keys.
            event.ignore()
        if self._cursor.is_shown:
            self.hovered.emit(self._cursor.pointer().pixel)
        return True

    def _tool_key(self, tool: MapTool, key: Qt.Key, event: QKeyEvent) -> bool:
        shift = _has_shift(event)
        if key == Qt.Key.Key_Escape:
            return tool.cancel()
        if self._cursor.key(tool, key, shift=shift):
            return True
        used = tool.key(key, shift=shift)
        if used:
            self._cursor.follow(tool)
        return used or self._cursor.begin(tool, key, shift=shift)

    def _pointer(self, event: QMouseEvent) -> Pointer:
        row, column = self._camera.to_cell(event.position())
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        return Pointer(row, column, event.position(), alt, _has_shift(event))


def _has_shift(event: QInputEvent) -> bool:
    return bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)


_REGIONS = (".geojson", ".json", ".toml")
BASE_MAP = ".mbtiles"
_ENTERS = (QEvent.Type.DragEnter, QEvent.Type.DragMove)


class FileDrops(QObject):
    """Event filter for files that are dropped on the map's viewport."""

    def __init__(self, session: Session, viewport: QWidget) -> None:
        super().__init__(viewport)
        self._session = session
        viewport.setAcceptDrops(True)
        viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept regions and base maps; leave other files to the window."""
        if not isinstance(event, QDropEvent) or event.type() not in (*_ENTERS, QEvent.Type.Drop):
            return False
        path = self._wanted(event)
        if path is None:
            event.ignore()
            return True
        event.acceptProposedAction()
        if event.type() == QEvent.Type.Drop:
            self._take(path)
        return True

    def _wanted(self, event: QDropEvent) -> Path | None:
        urls = event.mimeData().urls()
        if len(urls) != 1 or not urls[0].isLocalFile() or not self._session.has_project:
            return None
        path = Path(urls[0].toLocalFile())
        mine = path.suffix.lower() in (*_REGIONS, BASE_MAP) and path.name != PROJECT_FILE
        return path if mine else None

    def _take(self, path: Path) -> None:
        if path.suffix.lower() == BASE_MAP:
            with refusing(self._session, str(path)):
                self._session.ground.choose(path)
        else:
            import_regions(self._session, path)

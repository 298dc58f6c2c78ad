"""Random user actions on a window: every method does one and returns its description."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from PySide6.QtCore import QAbstractTableModel, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from firegui.gui.window.main_window import MainWindow

_BUTTON, _KEYS = Qt.MouseButton, Qt.KeyboardModifier
LEFT, RIGHT, MIDDLE, NONE = _BUTTON.LeftButton, _BUTTON.RightButton, _BUTTON.MiddleButton, _KEYS.NoModifier
_K = Qt.Key
_PLAIN = (
    _K.Key_Escape, _K.Key_Delete, _K.Key_Space, _K.Key_Left, _K.Key_Right, _K.Key_Up, _K.Key_Down, _K.Key_Home,
    _K.Key_End, _K.Key_Tab, _K.Key_Backtab, _K.Key_Return, _K.Key_1, _K.Key_2, _K.Key_3, _K.Key_4, _K.Key_5, _K.Key_6,
    _K.Key_7, _K.Key_Plus, _K.Key_Minus, _K.Key_F, _K.Key_PageDown, _K.Key_Backspace, _K.Key_F1, _K.Key_F2, _K.Key_F3,
    _K.Key_F4, _K.Key_F5, _K.Key_F6, _K.Key_F7, _K.Key_F8, _K.Key_F9, _K.Key_F10,
)  # fmt: skip
_WITH_CONTROL = (
    _K.Key_Z, _K.Key_Z, _K.Key_Y, _K.Key_S, _K.Key_E, _K.Key_K, _K.Key_O, _K.Key_N, _K.Key_0, _K.Key_1, _K.Key_2,
    _K.Key_3, _K.Key_A, _K.Key_C, _K.Key_V,
)  # fmt: skip
_TEXTS = (
    "3", "0", "-5", "1e9", "0.25", "abc", "", "7", "1,200", "Ünï²", "--5", "R-1", "12:30", "nan", "2020-08-20",
    "a" * 60, "run",
)  # fmt: skip
"""Texts that are typed into a field or a cell."""
_LIVELY = (
    QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit, QMenuBar,
    QPlainTextEdit, QTabBar,
)  # fmt: skip
_DRAWS = (_K.Key_2, _K.Key_3, _K.Key_4, _K.Key_4, _K.Key_6, _K.Key_7)
_NEVER = {"Quit"}
"""Closing the window ends the sequence; other tests cover it."""


class Hands:
    """Random actions on one window. ``random`` decides everything."""

    def __init__(self, window: MainWindow, random: Random) -> None:
        self._window, self._random = window, random
        self._choices: tuple[tuple[int, Callable[[], str]], ...] = (
            (20, self._click_something), (12, self._key), (8, self._command), (9, self._drag_on_map),
            (5, self._click_on_map), (4, self._menu_on_map), (4, self._wheel), (12, self._edit_cell), (9, self._type),
            (4, self._undo_or_redo), (3, self._drag_timeline), (2, self._double_click), (1, self._resize),
            (8, self._draw), (6, self._turn_page),
        )  # fmt: skip

    def act(self) -> str:
        """Act on whatever is in front: an open menu, a dialog, or the window."""
        popup, dialog = QApplication.activePopupWidget(), QApplication.activeModalWidget()
        if popup is not None:
            return self._in_popup(popup)
        if dialog is not None:
            return self._in_dialog(dialog)
        page = self._window.start_page
        if page.isVisible() and self._window.workbench.session.has_project and self._random.random() < 0.5:
            QTest.keyClick(page, _K.Key_Escape)
            return "Esc on the start page"
        weights, doings = zip(*self._choices, strict=True)
        return str(self._random.choices(doings, weights)[0]())

    def give_up(self) -> str:
        """Close what is in front, as Esc does."""
        front = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if front is not None:
            QTest.keyClick(front, _K.Key_Escape)
        return f"Esc in {_name(front)}"

    # -- in front of the window --------------------------------------------------------------------------------------
    def _in_popup(self, popup: QWidget) -> str:
        if isinstance(popup, QMenu) and self._random.random() < 0.6:
            usable = [each for each in popup.actions() if _usable(each)]
            if usable:
                action = self._random.choice(usable)
                said = f"menu entry {action.text()!r}"
                QTest.mouseClick(popup, LEFT, NONE, popup.actionGeometry(action).center())
                return said
        key = self._random.choice((_K.Key_Escape, _K.Key_Escape, _K.Key_Down, _K.Key_Up, _K.Key_Return))
        # The list of a combo box is a frame around the view that handles the events.
        inside = popup.focusProxy() or popup.findChild(QAbstractItemView) or popup
        said = f"{_K(key).name} in popup {_name(popup)}"
        if _quits(popup, key):
            key = _K.Key_Escape
        QTest.keyClick(inside, key)
        return said

    def _in_dialog(self, dialog: QWidget) -> str:
        chance = self._random.random()
        if chance < 0.3:
            return self.give_up()
        if chance < 0.4:
            return self._press_key(dialog, self._random.choice(_PLAIN), NONE)
        if chance < 0.5:
            return self._type(dialog)
        return self._click_something(dialog)

    # -- anywhere ----------------------------------------------------------------------------------------------------
    def _click_something(self, inside: QWidget | None = None, button: Qt.MouseButton | None = None) -> str:
        widget = self._something(inside or self._window)
        if widget is None:
            return "nothing to click"
        spot, said = self._spot(widget), f"click {_name(widget)}"
        button = button or self._random.choices((LEFT, RIGHT), (12, 1))[0]
        target = widget.viewport() if isinstance(widget, QAbstractItemView | QPlainTextEdit) else widget
        if isinstance(widget, QMenuBar) or button is RIGHT:
            # A context menu has an event of its own, which Qt's test helper does not send.
            return self._context_menu(target, spot, said) if button is RIGHT else self._open_menu(widget, said)
        QTest.mouseClick(target, button, NONE, spot)
        return f"{said} at {spot.x()}, {spot.y()}"

    def _context_menu(self, target: QWidget, spot: QPoint, said: str) -> str:
        QTest.mouseClick(target, RIGHT, NONE, spot)
        owner: QWidget | None = target
        while owner is not None and owner.contextMenuPolicy() is Qt.ContextMenuPolicy.DefaultContextMenu:
            if owner.isWindow():
                return f"right-{said}"
            owner = owner.parentWidget()
        if owner is not None and owner.contextMenuPolicy() is Qt.ContextMenuPolicy.CustomContextMenu:
            owner.customContextMenuRequested.emit(spot)
        return f"right-{said}"

    def _open_menu(self, bar: QWidget, said: str) -> str:
        assert isinstance(bar, QMenuBar)
        heads = [each for each in bar.actions() if each.isVisible() and each.isEnabled()]
        QTest.mouseClick(bar, LEFT, NONE, bar.actionGeometry(self._random.choice(heads)).center())
        return said

    def _double_click(self) -> str:
        widget = self._something(self._window)
        if widget is None:
            return "nothing to double-click"
        target = widget.viewport() if isinstance(widget, QAbstractItemView) else widget
        spot, said = self._spot(widget), f"double-click {_name(widget)}"
        QTest.mouseClick(target, LEFT, NONE, spot)
        if QApplication.activePopupWidget() is None and QApplication.activeModalWidget() is None:
            QTest.mouseDClick(target, LEFT, NONE, spot)
        return said

    def _key(self) -> str:
        target = QApplication.focusWidget() or self._window
        if self._random.random() < 0.3:
            keys = _KEYS.ControlModifier
            if self._random.random() < 0.2:
                keys |= _KEYS.ShiftModifier
            return self._press_key(target, self._random.choice(_WITH_CONTROL), keys)
        shift = _KEYS.ShiftModifier if self._random.random() < 0.1 else NONE
        return self._press_key(target, self._random.choice(_PLAIN), shift)

    def _press_key(self, target: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier) -> str:
        said = f"{modifier.name} {key.name} in {_name(target)}"
        QTest.keyClick(target, key, modifier)
        return said

    def _type(self, inside: QWidget | None = None) -> str:
        place = inside or self._window
        every: list[QLineEdit | QAbstractSpinBox] = list(place.findChildren(QLineEdit))
        every += place.findChildren(QAbstractSpinBox)
        fields = [field for field in every if field.isEnabled() and not field.visibleRegion().isEmpty()]
        if not fields:
            return "no field to type into"
        field, text = self._random.choice(fields), self._random.choice(_TEXTS)
        said = f"type {text!r} into {_name(field)}"
        field.setFocus()
        field.selectAll()
        write(field, text)
        if self._random.random() < 0.6:
            QTest.keyClick(field, _K.Key_Return)
        return said

    def _command(self) -> str:
        usable = [each for each in self._window.actions() if _usable(each)]
        action = self._random.choice(usable)
        said = f"command {action.text()!r}"
        action.trigger()
        return said

    def _turn_page(self) -> str:
        bars = [bar for bar in self._window.findChildren(QTabBar) if not bar.visibleRegion().isEmpty()]
        if not bars:
            return "no page to turn to"
        bar = self._random.choice(bars)
        place = self._random.randrange(bar.count())
        QTest.mouseClick(bar, LEFT, NONE, bar.tabRect(place).center())
        return f"turn to {bar.tabText(place)!r}"

    def _undo_or_redo(self) -> str:
        undo = self._random.random() < 0.6
        key = _K.Key_Z if undo else _K.Key_Y
        for _turn in range(self._random.randrange(1, 5)):
            QTest.keyClick(self._window, key, _KEYS.ControlModifier)
        return "undo" if undo else "redo"

    def _resize(self) -> str:
        width, height = self._random.randrange(900, 1700), self._random.randrange(600, 1100)
        self._window.resize(width, height)
        return f"resize to {width} × {height}"

    # -- tables ------------------------------------------------------------------------------------------------------
    def _edit_cell(self) -> str:
        views = [view for view in self._window.findChildren(QAbstractItemView) if self._has_rows(view)]
        if not views:
            return "no table to edit"
        view = self._random.choice(views)
        model = view.model()
        # A list has no columns.
        columns = model.columnCount() if isinstance(model, QAbstractTableModel) else 1
        index = model.index(self._random.randrange(model.rowCount()), self._random.randrange(columns))
        view.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
        spot, text = view.visualRect(index).center(), self._random.choice(_TEXTS)
        said = f"type {text!r} into cell {index.row()}, {index.column()} of {_name(view)}"
        QTest.mouseClick(view.viewport(), LEFT, NONE, spot)
        QTest.mouseDClick(view.viewport(), LEFT, NONE, spot)
        field = view.viewport().findChild(QLineEdit)
        # The field of the previous cell may be hidden but not yet deleted: a user cannot type into it.
        if isinstance(field, QLineEdit) and field.isVisible():
            field.selectAll()
            write(field, text)
            QTest.keyClick(field, self._random.choice((_K.Key_Return, _K.Key_Return, _K.Key_Tab, _K.Key_Escape)))
        return said

    @staticmethod
    def _has_rows(view: QAbstractItemView) -> bool:
        model = view.model()
        shown = view.isEnabled() and not view.viewport().visibleRegion().isEmpty() and not isinstance(view, QHeaderView)
        return shown and model is not None and model.index(0, 0).isValid()

    # -- the map and the timeline ------------------------------------------------------------------------------------
    def _map(self) -> QWidget | None:
        viewports = [each.camera.viewport for each in self._window.workbench.maps.shown_maps]
        shown = [each for each in viewports if not each.visibleRegion().isEmpty()]
        return self._random.choice(shown) if shown else None

    def _click_on_map(self) -> str:
        target = self._map()
        if target is None:
            return "no map to click"
        spot = self._spot(target)
        modifier = self._random.choice((NONE, NONE, NONE, _KEYS.AltModifier, _KEYS.ShiftModifier))
        QTest.mouseClick(target, LEFT, modifier, spot)
        if self._random.random() < 0.2:
            QTest.mouseDClick(target, LEFT, modifier, spot)
        return f"click the map at {spot.x()}, {spot.y()}"

    def _menu_on_map(self) -> str:
        target = self._map()
        if target is None:
            return "no map to right-click"
        spot = self._spot(target)
        QTest.mouseClick(target, RIGHT, NONE, spot)
        return f"right-click the map at {spot.x()}, {spot.y()}"

    def _drag_on_map(self) -> str:
        target = self._map()
        if target is None:
            return "no map to drag on"
        button = self._random.choices((LEFT, MIDDLE), (9, 1))[0]
        return f"drag on the map {self._drag(target, button)}"

    def _draw(self) -> str:
        target, key = self._map(), self._random.choice(_DRAWS)
        if target is None:
            return "no map to draw on"
        QTest.keyClick(self._window, key)
        if key in (_K.Key_3, _K.Key_7):
            for _corner in range(self._random.randrange(2, 5)):
                QTest.mouseClick(target, LEFT, NONE, self._spot(target))
            QTest.keyClick(target.parentWidget() or target, _K.Key_Return)
            return f"{key.name} and corners on the map"
        return f"{key.name} and a drag on the map {self._drag(target, LEFT)}"

    def _drag_timeline(self) -> str:
        track = self._window.workbench.timeline.track
        if track.visibleRegion().isEmpty() or not track.isEnabled():
            return "no timeline to drag on"
        return f"drag on the timeline {self._drag(track, LEFT)}"

    def _drag(self, target: QWidget, button: Qt.MouseButton) -> str:
        spots = [self._spot(target) for _place in range(self._random.randrange(2, 5))]
        QTest.mousePress(target, button, NONE, spots[0])
        for spot in spots[1:]:
            move(target, spot, button)
            if self._random.random() < 0.1:
                QTest.keyClick(target, _K.Key_Escape)
        QTest.mouseRelease(target, button, NONE, spots[-1])
        return " → ".join(f"{spot.x()}, {spot.y()}" for spot in spots)

    def _wheel(self) -> str:
        target = self._map()
        if target is None:
            return "no map to zoom"
        spot, turn = self._spot(target), self._random.choice((-240, -120, 120, 240, 960))
        event = QWheelEvent(
            QPointF(spot), QPointF(target.mapToGlobal(spot)), QPoint(), QPoint(0, turn), _BUTTON.NoButton, NONE,
            Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(target, event)
        return f"wheel {turn} on the map"

    # -- choosing ----------------------------------------------------------------------------------------------------
    def _something(self, inside: QWidget) -> QWidget | None:
        found = [
            each
            for each in inside.findChildren(QWidget)
            if isinstance(each, _LIVELY) and each.isEnabled() and not each.visibleRegion().isEmpty()
        ]
        return self._random.choice(found) if found else None

    def _spot(self, widget: QWidget) -> QPoint:
        area = widget.visibleRegion().boundingRect()
        across, down = max(area.width() - 1, 1), max(area.height() - 1, 1)
        return area.topLeft() + QPoint(self._random.randrange(across), self._random.randrange(down))


def move(target: QWidget, spot: QPoint, button: Qt.MouseButton) -> None:
    """Move the mouse over ``target`` with ``button`` held; Qt's own helper would only set the cursor."""
    at = QPointF(spot)
    kind = QMouseEvent.Type.MouseMove
    QApplication.sendEvent(target, QMouseEvent(kind, at, QPointF(target.mapToGlobal(spot)), button, button, NONE))


def write(target: QWidget, text: str) -> None:
    """Type a text; Qt's own helper supports only ASCII."""
    for letter in text:
        for kind in (QKeyEvent.Type.KeyPress, QKeyEvent.Type.KeyRelease):
            QApplication.sendEvent(target, QKeyEvent(kind, 0, NONE, letter))


def _usable(action: QAction) -> bool:
    shown = action.isEnabled() and action.isVisible() and not action.isSeparator()
    return shown and action.text().replace("&", "") not in _NEVER


def _quits(popup: QWidget, key: Qt.Key) -> bool:
    chosen = popup.activeAction() if isinstance(popup, QMenu) else None
    return key is _K.Key_Return and chosen is not None and not _usable(chosen)


def _name(widget: QWidget | None) -> str:
    if widget is None:
        return "nothing"
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    named = widget.accessibleName() or widget.objectName() or text or widget.windowTitle()
    return f"{type(widget).__name__} {named!r}"

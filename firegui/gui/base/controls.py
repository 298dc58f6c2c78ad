"""Flat buttons, shortcuts and the keyboard focus."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QAction, QColor, QKeySequence, QPainter, QPaintEvent, QRegion, QShortcut
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QTableView,
    QToolButton,
    QWidget,
)

from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import current_colors

_FRAME_PX, _FOUND_MS = 2, 4_000
_SYNONYMS = "synonyms"
_FIELDS = (QAbstractSpinBox, QCheckBox, QComboBox, QLineEdit, QRadioButton, QTableView)


def tool_button(text: str, tip: str, *, checkable: bool = False) -> QToolButton:
    """Return a flat button with a tooltip."""
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tooltip(tip))
    button.setCheckable(checkable)
    button.setAutoRaise(True)
    return button


def action_button(action: QAction, style: Qt.ToolButtonStyle) -> QToolButton:
    """Return a flat button of an action, which Tab reaches."""
    button = QToolButton()
    dress_button(button, action, style)
    return button


def dress_button(button: QToolButton, action: QAction, style: Qt.ToolButtonStyle) -> None:
    """Make ``button`` a flat button that looks like an action, which Tab reaches."""
    button.setDefaultAction(action)
    button.setAutoRaise(True)
    button.setToolButtonStyle(style)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setAccessibleName(without_mnemonic(action.text()))


def close_button(name: str, keys: str, closed: Callable[[], object]) -> QToolButton:
    """Return a cross that calls ``closed``; ``name`` is what it closes and ``keys`` close it too."""
    button = tool_button("✕", f"Close {name} ({keys})")
    button.setAccessibleName(f"Close {name}")
    button.clicked.connect(lambda _checked=False: closed())
    return button


def without_mnemonic(text: str) -> str:
    """Return the text of a button, an action or a label without the mark of its mnemonic."""
    return text.replace("&", "")


def add_shortcut(widget: QWidget, keys: QKeySequence | str, run: Callable[[], object], *, below: bool = False) -> None:
    """Call ``run`` when ``keys`` are pressed in ``widget``, or also in its children if ``below``."""
    shortcut, context = QShortcut(QKeySequence(keys), widget), Qt.ShortcutContext
    shortcut.setContext(context.WidgetWithChildrenShortcut if below else context.WidgetShortcut)
    shortcut.activated.connect(run)


def press_focused_button(window: QWidget) -> bool:
    """Press the button of ``window`` that has the focus; returns whether there is one.

    Qt presses it on the space bar alone.
    """
    focus = window.focusWidget()
    if not isinstance(focus, QPushButton | QToolButton):
        return False
    focus.click()
    return True


def set_synonyms(widget: QWidget, words: str) -> None:
    """Set other words that find a widget in a search of the settings."""
    widget.setProperty(_SYNONYMS, words)


def synonyms_of(widget: QWidget) -> str:
    """Return the other words that find a widget; empty for none."""
    return str(widget.property(_SYNONYMS) or "")


def focus_first(content: QWidget) -> None:
    """Give the focus to ``content``, or to the first widget in it that Tab reaches."""
    reason = Qt.FocusReason.ShortcutFocusReason
    content.setFocus(reason)
    if content.focusPolicy() & Qt.FocusPolicy.TabFocus or content.focusProxy() is not None:
        return
    # The focus must not pass through other parts on its way: a panel would scroll to each of them.
    for stop in tab_stops(content)[:1]:
        stop.setFocus(reason)


def focus_first_field(part: QWidget) -> None:
    """Give the focus to the first field in ``part``, neither a button nor a scroll area, if it has one."""
    fields = (stop for stop in tab_stops(part) if isinstance(stop, _FIELDS))
    if (field := next(fields, None)) is not None:
        focus_in_view(field, Qt.FocusReason.OtherFocusReason)


def tab_stops(top: QWidget) -> list[QWidget]:
    """Return the parts of ``top`` that Tab stops at, as they are read: row by row, each from the left.

    A part with several controls is read to its end before what stands beside or below it.
    """
    found: list[tuple[QRect, list[QWidget]]] = []
    for part in top.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        # Menus and lists of boxes are windows of their own.
        if part.isWindow() or not part.isVisible():
            continue
        stops = [part, *tab_stops(part)] if is_tab_stop(part) else tab_stops(part)
        if stops:
            found.append((part.geometry(), stops))
    rows: list[list[tuple[QRect, list[QWidget]]]] = []
    for place, stops in sorted(found, key=lambda each: each[0].top()):
        # Parts of one row differ in height: the centre of one lies beside the first.
        if rows and place.center().y() <= rows[-1][0][0].bottom():
            rows[-1].append((place, stops))
        else:
            rows.append([(place, stops)])
    return [stop for row in rows for _, stops in sorted(row, key=lambda each: each[0].left()) for stop in stops]


def is_tab_stop(widget: QWidget) -> bool:
    """Return whether Tab stops at a widget, which must be shown and enabled.

    Of radio buttons only the chosen one is a stop: from there the arrow keys choose another.
    """
    has_policy = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None
    return has_policy and is_usable(widget) and not _is_passed_by(widget)


def _is_passed_by(widget: QWidget) -> bool:
    """Return whether a widget is a radio button of a group in which another one is chosen."""
    group = widget.group() if isinstance(widget, QRadioButton) else None
    chosen = None if group is None or not group.exclusive() else group.checkedButton()
    return chosen is not None and chosen is not widget and is_usable(chosen)


def focus_next(order: Sequence[QWidget], now: QWidget | None, *, forward: bool) -> bool:
    """Move the focus to the next widget of ``order`` that accepts it; return whether one does.

    From a widget that was just disabled or hidden, for which Qt asks too, it goes to the nearest one.
    """
    open_to = [each for each in order if is_usable(each)]
    if not open_to:
        return False
    if now is not None and not is_usable(now):
        focus_in_view(nearest_stop(open_to, now) or open_to[0], Qt.FocusReason.OtherFocusReason)
        return True
    here = next((place for place, each in enumerate(open_to) if each is now), -1 if forward else 0)
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    focus_in_view(open_to[(here + (1 if forward else -1)) % len(open_to)], reason)
    return True


def is_usable(widget: QWidget) -> bool:
    """Return whether a widget is shown and enabled."""
    return widget.isVisible() and widget.isEnabled()


def nearest_stop(stops: Sequence[QWidget], widget: QWidget) -> QWidget | None:
    """Return the stop nearest to ``widget`` in the smallest part around it that has any, if one has."""
    window, part = widget.window(), widget.parentWidget()
    place = widget.mapTo(window, widget.rect().center())
    while part is not None and part is not window:
        if inside := [stop for stop in stops if part.isAncestorOf(stop)]:
            return min(inside, key=lambda each: (each.mapTo(window, each.rect().center()) - place).manhattanLength())
        part = part.parentWidget()
    return None


def focus_in_view(widget: QWidget, reason: Qt.FocusReason) -> None:
    """Give the focus to a widget and scroll to it; Qt scrolls only at a step within one area."""
    widget.setFocus(reason)
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(widget)
        above = above.parentWidget()


def scroll_to_opened(part: QWidget, place: int | None = None) -> None:
    """Scroll just as far as the opened part needs, or the first of it that fills half of the view.

    ``place`` is where its head was in the view: it stays there if it can, so that the eye finds it again.
    """
    area = _scroll_area(part)
    if area is None:
        return
    # What was opened has its height after the next layout, and so has the scroll bar.
    QApplication.sendEvent(area, QEvent(QEvent.Type.LayoutRequest))
    bar, height = area.verticalScrollBar(), area.viewport().height()
    top = _place_in(area, part) + bar.value()
    start = bar.value() if place is None else top - place
    bar.setValue(min(max(start, top + min(part.height(), height // 2) - height), max(top, start)))


class OpenedScroll(QTimer):
    """Scrolls to ``part`` once it was opened by a press and has its height."""

    def __init__(self, part: QWidget) -> None:
        super().__init__(part, singleShot=True, interval=0)
        self._part = part
        self._place: int | None = None
        self.timeout.connect(lambda: scroll_to_opened(part, self._place))

    def begin(self) -> None:
        """Keep the place of the head, before anything moves, and scroll soon."""
        area = _scroll_area(self._part)
        self._place = None if area is None else _place_in(area, self._part)
        self.start()


def _scroll_area(part: QWidget) -> QScrollArea | None:
    area = part.parentWidget()
    while area is not None and not isinstance(area, QScrollArea):
        area = area.parentWidget()
    return area


def _place_in(area: QScrollArea, part: QWidget) -> int:
    return part.mapTo(area.viewport(), QPoint(0, 0)).y()


class EdgeFrame(QWidget):
    """Frame over the edge of a widget. It takes no room, as a border would.

    ``host`` is its parent, the widget itself by default.
    """

    def __init__(self, widget: QWidget, host: QWidget | None = None) -> None:
        super().__init__(host or widget)
        self._widget = widget
        self.hide()
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the widget."""
        if event.type() is QEvent.Type.Resize:
            self.fit()
        return super().eventFilter(watched, event)

    @property
    def _box(self) -> QRect:
        """Place of the frame in its parent."""
        return self._widget.rect()

    def fit(self) -> None:
        """Cover the edge of the widget."""
        self.setGeometry(self._box)
        box = self.rect()
        # What is masked belongs to the widget: its mouse, and its repaints.
        inner = box.adjusted(_FRAME_PX, _FRAME_PX, -_FRAME_PX, -_FRAME_PX)
        self.setMask(QRegion(box) - QRegion(inner))
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill what is not masked."""
        with QPainter(self) as painter:
            painter.fillRect(event.rect(), QColor(current_colors().focus))


class FocusFrame(EdgeFrame):
    """Frame over the edge of a widget while that has the keyboard."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size and the focus of the widget."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut, QEvent.Type.Resize):
            self.fit()
            self.setVisible(self._widget.hasFocus())
        return super().eventFilter(watched, event)


class FoundFrame(EdgeFrame):
    """Frame around a widget that a search has found. It goes after some seconds.

    It lies outside the widget, where there is room, because a text begins at the very edge of its label.
    """

    def __init__(self, widget: QWidget) -> None:
        self._host = _host_of(widget)
        super().__init__(widget, self._host)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.fit()
        self.show()
        QTimer.singleShot(_FOUND_MS, self, self.deleteLater)

    @property
    def _box(self) -> QRect:
        return _around(self._widget, self._host).intersected(self._host.rect())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the place of the widget, and go with it."""
        if event.type() is QEvent.Type.Move:
            self.fit()
        elif event.type() is QEvent.Type.Hide:
            self.deleteLater()
        return super().eventFilter(watched, event)


def _around(widget: QWidget, host: QWidget) -> QRect:
    """Return the place in ``host`` of a frame around ``widget``."""
    room = 2 * _FRAME_PX
    return QRect(widget.mapTo(host, QPoint()), widget.size()).adjusted(-room, -room, room, room)


def _host_of(widget: QWidget) -> QWidget:
    """Return the nearest part that holds a frame around ``widget``, at most what scrolls with it."""
    host = widget
    while (above := host.parentWidget()) is not None and not isinstance(above.parentWidget(), QAbstractScrollArea):
        host = above
        if host.rect().contains(_around(widget, host)):
            break
    return host

"""Guided tour: a card next to a framed widget, step by step; the rest of the window is dimmed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QMainWindow, QPushButton, QWidget

from firegui.gui.base.controls import focus_next
from firegui.gui.base.layouts import horizontal, muted_label, plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import current_colors

_MARGIN, _CARD_WIDTH = 12, 400
_DIM = QColor(0, 0, 0, 130)


@dataclass(frozen=True, slots=True)
class TourStep:
    """Step of the tour. ``panel`` is the name of a panel to show, empty for none.

    ``name`` is the object name of the widget to frame, empty for the whole panel. ``button`` replaces the text of the
    button for the next step.
    """

    title: str
    text: str
    panel: str = ""
    name: str = ""
    button: str = ""


TOUR_STEPS = (
    TourStep(
        "The map",
        "firegui plans where aircraft drop water and retardant on this fire. Six steps lead to a first plan. The map "
        "has the fire of the shown time: the wheel zooms, dragging moves. The bar above switches between the fire "
        "without drops, the plan, and what it saves.",
        name="map",
    ),
    TourStep(
        "Five workspaces",
        "Fire, Plan, Runs, Analyse and Hand over follow the work from top to bottom. Each has its panel; Ctrl+\\ hides "
        "it. This one tells what is loaded, and what is missing or uncertain.",
        panel="Scenario",
    ),
    TourStep(
        "What must be protected",
        "Press this button, then drag a rectangle on the map. A region has a name and a weight. Ctrl+Z takes anything "
        "back.",
        panel="Regions",
        name="rectangleButton",
    ),
    TourStep(
        "The fleet",
        "Aircraft types, their number, turnaround and payload. Double-click a cell to change it; the form below has "
        "the rest of the selected type.",
        panel="Fleet",
    ),
    TourStep(
        "Days and time",
        "Drag to a time, press Space to play. Right-click a day to ground aircraft on it.",
        panel="Timeline",
    ),
    TourStep(
        "A first plan",
        "Start plan searches for the best drops and takes minutes. The quick plan places them by rule within a minute; "
        "the project is saved first. The result is then shown in Runs; Space plays it on the map. F1 explains the "
        "panel you are in, Ctrl+K finds any command.",
        name="startTool",
        button="&Quick plan",
    ),
)


class TourCard(QFrame):
    """Card with the text of a step and the buttons of the tour."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tourCard")
        self.setAccessibleName("Guided tour")
        self.setFixedWidth(_CARD_WIDTH)
        self.title, self.text, self.count = muted_label(role="section"), plain_label(wordWrap=True), muted_label()
        self.count.setWordWrap(False)
        self.skip = _button("&Skip", "End the tour (Esc)")
        self.back = _button("&Back", "Previous step (Left)")
        self.next = _button("&Next", "Next step (Right, Enter)")
        self.next.setDefault(True)
        row = horizontal(None, (self.count, 1), self.skip, self.back, self.next)
        self._column = vertical(self, self.title, self.text, row, margins=(16, 14, 16, 12), spacing=10)

    def show_step(self, step: TourStep, number: int, count: int) -> None:
        """Show the text of a step; ``number`` is zero-based."""
        self.title.setText(step.title)
        self.text.setText(step.text)
        self.count.setText(f"{number + 1} of {count}")
        self.back.setEnabled(number > 0)
        self.next.setText(step.button or ("&Done" if number == count - 1 else "&Next"))
        for part in (self.title, self.text, self.count, self.skip, self.back, self.next):
            part.ensurePolished()
        # The text wraps at a fixed width, so the height follows from it.
        self._column.invalidate()
        self.setFixedHeight(self._column.totalHeightForWidth(_CARD_WIDTH))
        self.setAccessibleDescription(f"{step.title}. {step.text}")


class Tour(QWidget):
    """Guided tour, drawn over the whole window.

    ``show_panel`` shows the panel of a step by name. ``locate`` returns the widget of that panel.
    """

    ended = Signal()
    finished = Signal()
    """Emitted when the user presses the button of the last step."""

    def __init__(
        self,
        window: QMainWindow,
        show_panel: Callable[[str], object],
        locate: Callable[[str], QWidget | None],
        steps: Sequence[TourStep] = TOUR_STEPS,
    ) -> None:
        super().__init__(window)
        self._window, self._show_panel, self._locate, self._steps = window, show_panel, locate, steps
        self._number = 0
        self._frame = QRect()
        self.setObjectName("tour")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.card = TourCard(self)
        self.card.skip.clicked.connect(self.end)
        self.card.back.clicked.connect(lambda: self.go(self._number - 1))
        self.card.next.clicked.connect(lambda: self.go(self._number + 1))
        # A panel that was just shown gets its geometry in the next turn of the event loop.
        self._settle = QTimer(self, singleShot=True, interval=0)
        self._settle.timeout.connect(self._follow)
        window.installEventFilter(self)
        for button in (self.card.skip, self.card.back, self.card.next):
            # Without the filter the arrow keys would only move the focus between the buttons.
            button.installEventFilter(self)

    # -- steps -------------------------------------------------------------------------------------------------------
    @property
    def number(self) -> int:
        """Number of the step, zero-based."""
        return self._number

    @property
    def step(self) -> TourStep:
        """The shown step."""
        return self._steps[self._number]

    @property
    def framed(self) -> QRect:
        """The framed part of the window; empty if nothing is framed."""
        return self._frame

    def begin(self) -> None:
        """Show the first step."""
        self.setGeometry(self._window.rect())
        self.show()
        self.go(0)

    def go(self, number: int) -> None:
        """Go to a step; after the last one the tour ends."""
        if number >= len(self._steps):
            self.end()
            self.finished.emit()
            return
        self._number = max(number, 0)
        if self.step.panel:
            self._show_panel(self.step.panel)
        self.card.show_step(self.step, self._number, len(self._steps))
        self.raise_()
        self.card.next.setFocus()
        self._follow()
        self._settle.start()

    def end(self) -> None:
        """End the tour."""
        self._window.removeEventFilter(self)
        self.close()
        self.ended.emit()

    def target(self) -> QWidget | None:
        """Return the widget of the step; ``None`` if there is no such widget."""
        return find_target(self._window, self._locate, self.step)

    # -- drawing -----------------------------------------------------------------------------------------------------
    def _follow(self) -> None:
        """Frame the widget at its current position, and move the card next to it."""
        self.setGeometry(self._window.rect())
        target = self.target()
        self._frame = QRect()
        if target is not None and target.isVisible():
            self._frame = _seen_part(target, self._window)
        self.card.move(card_position(self._frame, self.card.size(), self.size()))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Dim everything but the framed widget."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath()
        path.addRect(QRectF(self.rect()))
        if not self._frame.isEmpty():
            hole = QPainterPath()
            hole.addRoundedRect(QRectF(self._frame), 4, 4)
            path = path.subtracted(hole)
        painter.fillPath(path, _DIM)
        if not self._frame.isEmpty():
            painter.setPen(QPen(QColor(current_colors().accent), 2.0))
            painter.drawRoundedRect(QRectF(self._frame).adjusted(1, 1, -1, -1), 4, 4)

    # -- events ------------------------------------------------------------------------------------------------------
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the size of the window. Let the arrow keys change the step, whichever button has the focus."""
        if watched is not self._window and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._on_key(event.key())
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._settle.start()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go forward with Right and Enter, go back with Left, end with Esc. The window gets no key."""
        if not self._on_key(event.key()) and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.go(self._number + 1)
        event.accept()

    def _on_key(self, key: int) -> bool:
        if key == Qt.Key.Key_Escape:
            self.end()
        elif key in (Qt.Key.Key_Right, Qt.Key.Key_PageDown):
            self.go(self._number + 1)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_PageUp):
            self.go(self._number - 1)
        else:
            return False
        return True

    def focusNextPrevChild(self, next: bool) -> bool:
        """Keep the Tab key within the card."""
        order = (self.card.skip, self.card.back, self.card.next)
        return focus_next(order, self.focusWidget(), forward=next) or super().focusNextPrevChild(next)


def find_target(window: QMainWindow, locate: Callable[[str], QWidget | None], step: TourStep) -> QWidget | None:
    """Return the widget of a step; ``None`` without a widget of that name."""
    inside: QWidget | None = locate(step.panel) if step.panel else window
    if inside is None or not step.name:
        return inside
    found = inside.findChild(QWidget, step.name)
    return found if isinstance(found, QWidget) else None


def _seen_part(widget: QWidget, window: QWidget) -> QRect:
    """Return the part of a widget that is not scrolled out of view, in coordinates of the window."""
    found = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
    above = widget.parentWidget()
    while above is not None:
        found = found.intersected(QRect(above.mapTo(window, QPoint(0, 0)), above.size()))
        above = None if above is window else above.parentWidget()
    return found


def card_position(frame: QRect, card: QSize, window: QSize) -> QPoint:
    """Return the position of the card, always inside the window.

    The card is next to the frame if there is room, else in the lower right corner of the frame. Without a frame it is
    in the middle of the window.
    """
    room = QRect(QPoint(0, 0), window).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
    if frame.isEmpty():
        return room.center() - QPoint(card.width() // 2, card.height() // 2)
    middle = frame.center().y() - card.height() // 2
    across = frame.center().x() - card.width() // 2
    for place in (
        QPoint(frame.right() + _MARGIN, middle), QPoint(frame.left() - _MARGIN - card.width(), middle),
        QPoint(across, frame.top() - _MARGIN - card.height()), QPoint(across, frame.bottom() + _MARGIN),
    ):  # fmt: skip
        box = _moved_into(QRect(place, card), room)
        if not box.intersects(frame):
            return box.topLeft()
    corner = frame.bottomRight() - QPoint(card.width() + _MARGIN, card.height() + _MARGIN)
    return _moved_into(QRect(corner, card), room).topLeft()


def _moved_into(box: QRect, room: QRect) -> QRect:
    left = min(max(box.left(), room.left()), max(room.right() + 1 - box.width(), room.left()))
    top = min(max(box.top(), room.top()), max(room.bottom() + 1 - box.height(), room.top()))
    return QRect(QPoint(left, top), box.size())


def _button(text: str, tip: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(tooltip(tip))
    button.setAutoDefault(True)
    return button

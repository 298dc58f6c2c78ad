"""Panel of three parts: settings and foot for the side panel, and a result for the centre."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from firegui.gui.base.layouts import (
    Content,
    column,
    fill_column,
    muted_label,
    plain_label,
    scroll_area,
    splitter,
    vertical,
)
from firegui.gui.widgets.table_buttons import ButtonRow

_WIDTHS = (320, 780)
_WIDEST_TEXT, _MARGIN, _SPACING = 640, 12, 10
_START_PLAN = "Plan the project as it is now; then the plan can be analysed here (F5)"


class Introduction(QWidget):
    """Text in place of a result that was not made yet, with the button that makes it.

    The text says what the result answers, what it needs and how long it takes, :attr:`cost` how long with the present
    settings, and :attr:`trouble` what prevents the start.
    """

    plan_requested = Signal()
    """The plan that the result needs is to be made."""

    def __init__(self, text: str, start: str, start_tip: str, pressed: Callable[[], object]) -> None:
        super().__init__()
        self.text, self.cost = plain_label(text, wordWrap=True), muted_label()
        self.trouble = muted_label(role="warning")
        self.cost.hide()
        buttons = ButtonRow()
        self.start = buttons.add("start", start, start_tip, pressed, show_text=True)
        self.start.setObjectName("introductionStart")
        self.start.setAutoRaise(False)
        self.start_plan = buttons.add("plan", "Start plan", _START_PLAN, self.plan_requested.emit, show_text=True)
        self.start_plan.setAutoRaise(False)
        self.start_plan.hide()
        # The limit is not on the labels: a layout would give them the height of a wider text.
        self.setMaximumWidth(_WIDEST_TEXT + 2 * _MARGIN)
        self._texts, self._buttons = column(self.text, self.cost, self.trouble, spacing=_SPACING), buttons
        # A small page has room for a part of the text only. The button does not scroll with it.
        scrolled = scroll_area(self._texts, horizontal=False)
        scrolled.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        vertical(self, (scrolled, 1), buttons, margins=_MARGIN, spacing=_SPACING)

    def set_trouble(self, text: str) -> None:
        """Show what prevents the start; nothing for an empty text."""
        self.trouble.setText(text)
        self.trouble.setVisible(bool(text))
        self.updateGeometry()

    def set_cost(self, text: str) -> None:
        """Show what a start costs with the present settings; nothing for an empty text."""
        self.cost.setText(text)
        self.cost.setVisible(bool(text))
        self.updateGeometry()

    def offer_plan(self, *, on: bool, is_possible: bool) -> None:
        """Offer to start a plan in place of the result, which needs one first."""
        self.start_plan.setVisible(on)
        self.start_plan.setEnabled(is_possible or not on)
        self.start.setHidden(on)

    def hasHeightForWidth(self) -> bool:
        """Return that the height may be less than the text needs: the text scrolls then."""
        return False

    def sizeHint(self) -> QSize:
        """Return the size at which the text needs no scroll bar."""
        wide = self.width() - 2 * _MARGIN
        high = self._texts.heightForWidth(wide) + _SPACING + self._buttons.sizeHint().height() + 2 * _MARGIN
        return QSize(super().sizeHint().width(), high)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for the height of the text at the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


class SplitPlaces(QWidget):
    """Hidden parent of a split panel, and the parents of its settings and its result."""

    def __init__(self, settings: QWidget, result: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.settings, self.result = settings, result
        self.hide()


class SplitPanel(QWidget):
    """Base of panels with settings and a result.

    Subclasses fill :attr:`settings`, the :attr:`foot` with the buttons that stay visible while the settings scroll, and
    the result with :meth:`fill_result`. The window takes the parts with :meth:`take_parts` and keeps the panel hidden:
    its parent is a :class:`SplitPlaces`. A panel that is shown itself has settings and result side by side.
    """

    result_requested = Signal()
    """A run was started or a saved result was opened: the result should be visible."""
    plan_requested = Signal()
    """The plan that the result needs is to be made."""
    refilled = Signal()
    """Settings or foot have other contents, which may need another width."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        settings, result = (parent.settings, parent.result) if isinstance(parent, SplitPlaces) else (self, self)
        self.settings, self.foot, self.result = QWidget(settings), QWidget(self), QWidget(result)
        self.filled = QWidget(self.result)
        """Part of the result in place of which the introduction is shown."""
        self._rest = QWidget(self.result)
        self._has_parts = True

    def fill_result(self, introduction: Introduction, *parts: Content, stretch: Content) -> None:
        """Fill the result with ``parts``. The introduction is shown first, see :meth:`show_introduction`."""
        self.introduction = introduction
        introduction.plan_requested.connect(self.plan_requested)
        whole = (introduction, self.filled, self._rest)
        fill_column(self.result, *whole, stretch=(self.filled, self._rest), margins=(6, 2, 6, 4))
        fill_column(self.filled, *parts, stretch=stretch)

    def show_introduction(self, on: bool, *, and_parts: bool = False) -> None:
        """Show the introduction in place of the parts, or above them if they can be used already."""
        self.introduction.setVisible(on)
        self.filled.setVisible(not on or and_parts)
        self._rest.setHidden(not on or and_parts)

    def take_parts(self) -> tuple[QWidget, QWidget, QWidget]:
        """Return settings, foot and result.

        The caller lays them out, and keeps this panel hidden.
        """
        self._has_parts = False
        return self.settings, self.foot, self.result

    def showEvent(self, event: QShowEvent) -> None:
        """Put the parts side by side, unless they were taken out."""
        super().showEvent(event)
        if self._has_parts:
            self._has_parts = False
            scrolled = scroll_area(self.settings)
            beside = column(scrolled, self.foot, stretch=scrolled)
            parts = splitter(beside, self.result, _WIDTHS, wide=1)
            parts.setCollapsible(1, False)
            fill_column(self, parts, stretch=parts)
            parts.show()

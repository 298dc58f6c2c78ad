"""Centre of the window: the map with its overlays, a result beside or below it, and a bar above them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QSizePolicy, QSplitter, QStackedWidget, QWidget

from firegui.gui.base.controls import action_button, close_button, tool_button
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.layouts import horizontal, vertical
from firegui.gui.base.legend_width import legend_width
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import set_role
from firegui.gui.widgets.notice import NoticeStack, OverlayNotice
from firegui.gui.window.pane_focus import FocusReturn

_EDGE, _NORTH_ARROW, _SCALE_BAR, _LEAST_CARD = 8, 56, 52, 200
_COLOR_SCALE = 66
"""Sizes of what a map paints at its lower edge; in a map with less room the colour scale is above the scale bar."""
_LEGEND_SHARE = 0.6
"""Largest share of the map's height for the legend."""
_LEAST_PANE = 260
"""Height that maps side by side keep above an unfolded legend."""
_ROOM_FOR_LEGEND, _ROOM_FOR_COLUMNS = QSize(700, 380), 560
"""On a smaller map the fire would not be clear of the legend: it is folded. On one that is lower than the second it is
folded where it needs more than one column."""
_LEAST_BAR, _TEXT_AIR, _REST_OF_BAR = 320, 17, 78
"""Least width of the bar; room around the text of a button; room for margins and note."""
_MAP_SHARE, _ROOM_FOR_RESULT = 0.6, 600
"""Share of the window's width that the map keeps, and least room beside it in which a result stands there."""
_TEXT = Qt.ToolButtonStyle.ToolButtonTextOnly


class CentreMode(StrEnum):
    """What the centre shows. The values are those of the actions."""

    MAP = "map"
    CHART = "chart"
    BOTH = "both"


@runtime_checkable
class ColumnedContent(Protocol):
    """Content of a card that can be laid out in several columns."""

    @property
    def columns(self) -> int:
        """Number of columns."""
        ...

    def set_columns(self, count: int) -> None:
        """Lay the content out in ``count`` columns."""
        ...

    def height_in(self, count: int) -> int:
        """Return the height of the content in ``count`` columns."""
        ...


class OverlayCard(QFrame):
    """Card over the map with a title that folds it, a button that closes it, and a content that scrolls."""

    closed = Signal()
    folded = Signal()
    """The content was hidden or shown again."""
    refilled = Signal()
    """The content may need another size."""
    released = Signal()
    """A button of the card was let go."""

    def __init__(self, title: str, content: QScrollArea, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("overlayCard")
        self.setAccessibleName(title)
        self.content = content
        if (body := content.widget()) is not None:
            body.installEventFilter(self)
        self.heading = tool_button(title, f"Show or hide the content: {title} (Space)")
        self.heading.setProperty("role", "section")
        self.heading.setCheckable(True)
        self.heading.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.heading.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.heading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.heading.clicked.connect(lambda opened: self.set_folded(not opened))
        self.close_button = close_button(title, "Esc", self.closed.emit)
        self.close_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for button in (self.heading, self.close_button):
            button.released.connect(self.released)
        self._head = horizontal(None, (self.heading, 1), self.close_button, margins=0)
        vertical(self, self._head, (content, 1), margins=(6, 4, 6, 6), spacing=2)
        self.set_folded(False)
        self.hide()

    @property
    def is_folded(self) -> bool:
        """Whether only the title is shown."""
        return not self.heading.isChecked()

    @property
    def is_pressed(self) -> bool:
        """Whether the mouse or a key holds a button of the card down."""
        return self.heading.isDown() or self.close_button.isDown()

    def set_folded(self, on: bool) -> None:
        """Show the title only, or the content, too."""
        self.heading.setChecked(not on)
        self.heading.setArrowType(Qt.ArrowType.RightArrow if on else Qt.ArrowType.DownArrow)
        self.content.setVisible(not on)
        self.folded.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell that the content was laid out anew."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.refilled.emit()
        return False

    def sizeHint(self) -> QSize:
        """Return the size at which the content needs no scroll bar."""
        return self.size_for(0)

    @property
    def air(self) -> QSize:
        """Width and height that an unfolded card needs around its content."""
        bar = self.content.verticalScrollBar().sizeHint().width()
        return QSize(bar + 20, self._head.sizeHint().height() + 16)

    def size_for(self, width: int) -> QSize:
        """Return the size at a width, or for 0 at the one that the content prefers."""
        body, air = self.content.widget(), self.air
        inner = body.sizeHint() if body is not None else QSize()
        wide = width or max(inner.width(), self.content.minimumWidth()) + air.width()
        if self.is_folded or body is None:
            return QSize(wide, self._head.sizeHint().height() + 10)
        room = wide - air.width()
        return QSize(wide, air.height() + (body.heightForWidth(room) if body.hasHeightForWidth() else inner.height()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)


_LEGEND = "Legend"


class MapStage(QWidget):
    """The map with cards over it: the layers at the right, the legend at the lower left.

    Maps side by side are too narrow for the legend: there it has a strip of its own below them.
    """

    card_toggled = Signal(str, bool)
    """Name of a card that was shown, closed or folded, and whether it is shown."""
    covered_changed = Signal(QRect)
    """Part of the map that the legend may cover; empty if the legend is closed."""
    placed = Signal()
    """The cards were placed."""

    def __init__(self, maps: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.maps = maps
        self.cards: dict[str, OverlayCard] = {}
        self._returns: dict[str, FocusReturn] = {}
        self._is_split = False
        self._covered = QRect()
        self.fire_box: Callable[[], QRect] = QRect
        """The part of the map with the fire, of which an unfolded legend on a small map keeps clear."""
        self.marks: Callable[[], list[QRect]] = list
        """The parts of the map with regions and drops, of which notices keep clear."""
        self.decorations: Callable[[], list[QRect]] = list
        """The parts of the map with captions and scales, which notices do not cover."""
        self._is_small = self._is_folded_on_large = False
        self._strip = 0
        """Height of the strip for the legend below maps side by side."""
        self._column = vertical(self, maps, margins=0)
        self.setFocusProxy(maps)

    def add_card(self, name: str, content: QScrollArea) -> None:
        """Add a hidden card."""
        card = self.cards[name] = OverlayCard(name, content, self)
        self._returns[name] = FocusReturn(card, self.maps)
        card.closed.connect(lambda: self.show_card(name, on=False))
        card.folded.connect(lambda: self._on_folded(name))
        card.refilled.connect(self._on_refilled)
        card.released.connect(self.place_cards)

    def show_card(self, name: str, *, on: bool) -> None:
        """Show or close a card."""
        card = self.cards[name]
        if on != card.isHidden():
            return
        if on:
            card.show()
        else:
            self._returns[name].hide_part()
        card.raise_()
        self.place_cards()
        self.card_toggled.emit(name, on)

    def _on_folded(self, name: str) -> None:
        self.place_cards()
        self.card_toggled.emit(name, not self.cards[name].isHidden())

    def _on_refilled(self) -> None:
        self._fold_on_small_map()
        self.place_cards()

    def split(self, on: bool) -> None:
        """Follow whether maps stand side by side. The legend explains all of them."""
        self._is_split = on
        self._fold_on_small_map()
        self.place_cards()

    @property
    def shown_cards(self) -> dict[str, bool]:
        """Whether each card is shown."""
        return {name: not card.isHidden() for name, card in self.cards.items()}

    @property
    def folded_cards(self) -> list[str]:
        """Names of the cards that are folded over a map with room for them."""
        large = {_LEGEND: self._is_folded_on_large} if self._is_small else {}
        return [name for name, card in self.cards.items() if large.get(name, card.is_folded)]

    def restore_folded(self, name: str, *, on: bool) -> None:
        """Fold or unfold a card over a map with room for it; the legend stays folded on a small map."""
        if name == _LEGEND and self._is_small:
            self._is_folded_on_large, on = on, True
        self.cards[name].set_folded(on)

    def _fold_on_small_map(self) -> None:
        """Fold the legend when the map becomes small, and restore it when there is room again."""
        needed, legend = _ROOM_FOR_LEGEND, self.cards.get(_LEGEND)
        is_small = self.width() < needed.width() or self.height() < needed.height()
        if self._is_split and legend is not None and isinstance(legends := legend.content.widget(), ColumnedContent):
            high = legends.height_in(self._columns_of_strip) + legend.air.height() + _EDGE
            is_small = self.height() - high < _LEAST_PANE
        elif self.height() < _ROOM_FOR_COLUMNS:
            # Once folded it stays so on a low map, whatever it explains next.
            is_small = is_small or self._is_small or self._needs_columns
        if legend is None or legend.is_pressed or is_small is self._is_small:
            return
        if is_small:
            self._is_folded_on_large = legend.is_folded
        self._is_small = is_small
        legend.set_folded(is_small or self._is_folded_on_large)

    def place_cards(self) -> None:
        """Move every visible card and notice to its place, within the map.

        While a button of a card is held down nothing moves, or the mouse would be let go beside it.
        """
        if any(card.is_pressed for card in self.cards.values()):
            return
        # First, because the map may move for it.
        self._arrange_legend()
        self._report_covered()
        for name, card in self.cards.items():
            if not card.isHidden():
                card.setGeometry(self._place(name, card))
        self.placed.emit()

    @property
    def _columns_of_strip(self) -> int:
        return max((self.width() - 2 * _EDGE) // legend_width(), 1)

    @property
    def _needs_columns(self) -> bool:
        """Whether the legend is higher than its room in one column."""
        card = self.cards.get(_LEGEND)
        if card is None or not isinstance(legends := card.content.widget(), ColumnedContent):
            return False
        return legends.height_in(1) + card.air.height() > self._legend_room.height()

    def _arrange_legend(self) -> None:
        """Give the legend its columns, and below maps side by side its strip."""
        card = self.cards.get(_LEGEND)
        if card is None:
            return
        has_strip = self._is_split and not card.isHidden()
        if isinstance(legends := card.content.widget(), ColumnedContent):
            is_wide = self._needs_columns and self.width() > 3 * legend_width()
            legends.set_columns(self._columns_of_strip if has_strip else 2 if is_wide else 1)
        self._strip = self._strip_size(card).height() + _EDGE if has_strip else 0
        if self._column.contentsMargins().bottom() != self._strip:
            self._column.setContentsMargins(0, 0, 0, self._strip)
            self._column.activate()

    def _strip_size(self, card: OverlayCard) -> QSize:
        wide = self.width() - 2 * _EDGE
        size = card.size_for(min(legend_width(), wide) if card.is_folded else wide)
        return size.boundedTo(QSize(wide, int(_LEGEND_SHARE * self.height())))

    @property
    def covered(self) -> list[QRect]:
        """Parts of the map below the visible cards."""
        return [card.geometry() for card in self.cards.values() if not card.isHidden()]

    def _place(self, name: str, card: OverlayCard) -> QRect:
        if name != _LEGEND:
            room = QSize(self.width() - 2 * _EDGE, self.height() - self._strip - _NORTH_ARROW - _EDGE)
            size = card.sizeHint().boundedTo(room)
            return QRect(self.width() - _EDGE - size.width(), _NORTH_ARROW, size.width(), size.height())
        if self._is_split:
            return QRect(QPoint(_EDGE, self.height() - self._strip + _EDGE // 2), self._strip_size(card))
        place = self._above_scale_bar(self._legend_size(card))
        if not self._is_small or card.is_folded:
            return place
        fire, right = self.fire_box(), self.width() - _EDGE - place.width()
        above = self.height() - _COLOR_SCALE - place.height()
        below = [place, QRect(right, above, place.width(), place.height())]
        corners = below + [each.translated(0, _NORTH_ARROW - each.top()) for each in below]

        def hidden(corner: QRect) -> int:
            part = corner & fire
            return 0 if part.isEmpty() else part.width() * part.height()

        # Of corners that are as good the first counts: the legend does not jump without a reason.
        return min(corners, key=hidden)

    def _legend_size(self, card: OverlayCard) -> QSize:
        room, legends = self._legend_room, card.content.widget()
        columns = legends.columns if isinstance(legends, ColumnedContent) and not card.is_folded else 1
        return card.size_for(room.width() * columns).boundedTo(QSize(room.width() * columns, room.height()))

    @property
    def _legend_room(self) -> QSize:
        widest = max(self.width() // 2, min(_LEAST_CARD, self.width() - 2 * _EDGE))
        return QSize(min(legend_width(), widest), int(_LEGEND_SHARE * self.height()))

    def _above_scale_bar(self, size: QSize) -> QRect:
        return QRect(_EDGE, self.height() - _SCALE_BAR - size.height(), size.width(), size.height())

    def _report_covered(self) -> None:
        """Tell what the legend covers, at its largest: the map must not jump with each other fire.

        On a small map the legend keeps clear of the fire instead; maps side by side are not covered.
        """
        covered, card = QRect(), self.cards.get(_LEGEND)
        if card is not None and not card.isHidden() and not self._is_split:
            if card.is_folded:
                covered = self._above_scale_bar(self._legend_size(card))
            elif not self._is_small:
                covered = self._above_scale_bar(self._legend_room)
        if covered != self._covered:
            self._covered = covered
            self.covered_changed.emit(covered)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the cards at their places."""
        super().resizeEvent(event)
        self._fold_on_small_map()
        self.place_cards()


def _state_notice(action: QAction, *others: QPushButton) -> OverlayNotice:
    """Return a notice on the state of the plan on the map, with the action that ends it and others."""
    button = action_button(action, _TEXT)
    button.setAutoRaise(False)
    return OverlayNotice(button, *others, role="warning")


class CentreBar(QWidget):
    """Bar above the map: which fire it shows, the way back from another result, and what the centre shows.

    The notice ``stopped`` says where the shown run stopped and resumes it. It stays until the run goes on or another is
    shown. The notice ``edited`` says that the shown drops were edited, and keeps them.
    """

    def __init__(
        self, views: Iterable[QAction], modes: Iterable[QAction], cards: Iterable[QAction], resume: QAction,
        keep: QAction,
    ) -> None:  # fmt: skip
        super().__init__()
        self.note = ElidedLabel(role="muted")
        self.back = tool_button("", "Show the run that was on the map before")
        self.table = tool_button("Numbers", "Open the table with the numbers of the compared runs")
        self.hidden = tool_button("", "Show the result beside the map")
        for button in (self.back, self.table, self.hidden):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            # A raised button looks like a checked one of the views beside it.
            set_role(button, "outlined")
        fire_buttons, self._modes, card_buttons = (
            [action_button(action, _TEXT) for action in actions] for actions in (views, modes, cards)
        )
        self._buttons = (*fire_buttons, *self._modes, *card_buttons)
        fires = horizontal(None, *fire_buttons, margins=0, spacing=2)
        choices = horizontal(None, *self._modes, margins=0, spacing=2)
        shown = horizontal(None, *card_buttons, margins=(12, 0, 0, 0), spacing=2)
        self.keep_stopped = QPushButton("Keep plan, resume")
        self.keep_stopped.setToolTip(tooltip("Save this plan as a run of its own, then resume the stopped run"))
        self.stopped, self.edited = _state_notice(resume, self.keep_stopped), _state_notice(keep)
        horizontal(
            self, fires, (self.note, 1), self.table, self.back, self.hidden, choices, shown, margins=(6, 2, 6, 2),
            spacing=8,
        )  # fmt: skip
        self.hidden.hide()
        self.show_back(is_shown=False, compares=False)
        # A narrow bar shows icons: its texts must not set the least width of the window.
        self.setMinimumWidth(_LEAST_BAR)

    def show_back(self, *, is_shown: bool, compares: bool) -> None:
        """Show the way back from another result than a run's, or the end of a comparison."""
        self.back.setText("End comparison" if compares else "Back to the run")
        self.back.setVisible(is_shown or compares)
        self.table.setVisible(compares)
        self._fit()

    def offer_result(self, title: str) -> None:
        """Offer to show the result of the panel ``title`` beside the map, where the map alone is shown.

        An empty title hides the offer.
        """
        self.hidden.setText(f"Show {title.lower()}")
        self.hidden.setVisible(bool(title))
        self._fit()

    def show_modes(self, shown: bool) -> None:
        """Show the switch of the centre, or hide it where there is no result."""
        for button in self._modes:
            button.setVisible(shown)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show texts, or icons where there is no room for texts."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        style = Qt.ToolButtonStyle
        texts = [each.text() for each in self._buttons if not each.isHidden()]
        wide = sum(self.fontMetrics().horizontalAdvance(text) + _TEXT_AIR for text in texts) + _REST_OF_BAR
        wide += sum(each.sizeHint().width() for each in (self.table, self.back, self.hidden) if not each.isHidden())
        for button in self._buttons:
            has_icon = not button.icon().isNull()
            is_short = has_icon and self.width() < wide
            button.setToolButtonStyle(style.ToolButtonIconOnly if is_short else style.ToolButtonTextOnly)


class Centre(QWidget):
    """The map, and the result of a panel with it or in its place.

    Beside the map where the map keeps most of the window's width, else below it. Notices are laid over the map, or over
    the result where it is alone: nothing moves under the mouse.
    """

    overlays_changed = Signal(list)
    """Parts of the map below the visible cards and notices, as rectangles."""

    def __init__(self, maps: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mode = CentreMode.MAP
        self._parts = QSplitter(Qt.Orientation.Horizontal, self)
        self._column = vertical(self, (self._parts, 1), margins=0, spacing=0)
        self.stage, self._results = MapStage(maps, self._parts), QStackedWidget(self._parts)
        for index in range(2):
            self._parts.setCollapsible(index, False)
            self._parts.setStretchFactor(index, 1)
        self._has_result = False
        self._overlays: list[QRect] = []
        self._pages: list[QWidget] = []
        self._results.hide()
        self.notices = NoticeStack(self)
        for signal in (self.notices.changed, self.stage.placed):
            signal.connect(self._place_notices)
        self._results.installEventFilter(self)

    def set_bar(self, bar: CentreBar) -> None:
        """Put a bar above the centre."""
        self.bar = bar
        self._column.insertWidget(0, bar)
        bar.show_modes(self._has_result)

    def add_result(self, result: QWidget, *, is_page: bool = False) -> None:
        """Add a result, which is not shown yet. No notice is laid over the preview of a page."""
        self._results.addWidget(result)
        if is_page:
            self._pages.append(result)

    def show_result(self, result: QWidget | None, mode: CentreMode) -> None:
        """Show a result as ``mode`` says; the map alone for ``None``."""
        self._has_result, self.mode = result is not None, mode
        if result is not None:
            self._results.setCurrentWidget(result)
        was_alone = self._results.isHidden()
        self._results.setVisible(result is not None and mode is not CentreMode.MAP)
        self.stage.setVisible(result is None or mode is not CentreMode.CHART)
        if was_alone and mode is CentreMode.BOTH:
            self._share_room()
        if hasattr(self, "bar"):
            self.bar.show_modes(self._has_result)
        self._place_notices()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Place the notices anew when the result has another size or place."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self._place_notices()
        return False

    def _place_notices(self) -> None:
        stage = self.stage
        part = self._results if stage.isHidden() else stage.maps
        at = part.mapTo(self, QPoint())
        obstacles, marks, fire = list[QRect](), list[QRect](), QRect()
        if self.notices.is_wanted and not stage.isHidden():
            # A plan may have thousands of drops, and the cards are placed at each size of the window.
            obstacles = [each.translated(at) for each in (*stage.covered, *stage.decorations())]
            marks, fire = [each.translated(at) for each in stage.marks()], stage.fire_box().translated(at)
        covers_page = stage.isHidden() and self._results.currentWidget() in self._pages
        places = self.notices.place(QRect() if covers_page else QRect(at, part.size()), obstacles, marks, fire)
        overlays = [*stage.covered, *(each.translated(-at) for each in places)]
        if overlays != self._overlays and not stage.isHidden():
            self._overlays = overlays
            self.overlays_changed.emit(overlays)

    @property
    def result(self) -> QWidget:
        """The part of the centre that shows results."""
        return self._results

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the result beside the map or below it."""
        super().resizeEvent(event)
        if self._direction is not self._parts.orientation():
            self._share_room()

    @property
    def _direction(self) -> Qt.Orientation:
        beside = self.width() - self._least_map >= _ROOM_FOR_RESULT
        return Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical

    @property
    def _least_map(self) -> int:
        return round(_MAP_SHARE * self.window().width())

    def _share_room(self) -> None:
        """Share the room between map and result."""
        self._parts.setOrientation(self._direction)
        across = self._direction is Qt.Orientation.Horizontal
        self._parts.setSizes([self._least_map, self.width() - self._least_map] if across else [1_000, 1_000])

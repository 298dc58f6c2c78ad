"""The list of recent projects: picture, name, what it is, when it was saved, and whether its folder is still there."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from firegui.gui.base.theme import current_colors
from firegui.gui.window.thumbnail_cache import Thumbnail, ago

_PICTURE = QSize(112, 70)
_EDGE = 8
_CARD = Qt.ItemDataRole.UserRole
MISSING = "folder not found"


def subtitle(card: Thumbnail, now: datetime) -> str:
    """The second line: facts and when it was saved, or that it is gone."""
    saved = MISSING if card.saved is None else f"saved {ago(card.saved, now)}"
    return " · ".join(part for part in (card.facts, saved) if part)


class _Row(QStyledItemDelegate):
    """Draws a postcard."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """As high as its picture."""
        return QSize(200, _PICTURE.height() + 2 * _EDGE)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Picture to the left, three lines beside it."""
        card = index.data(_CARD)
        if not isinstance(card, Thumbnail):
            return
        colors, area = current_colors(), QRect(option.rect)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        if chosen or hovered:
            painter.fillRect(area, QColor(colors.chosen if chosen else colors.raised))
        if chosen and option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(colors.accent))
            painter.drawRect(area.adjusted(0, 0, -1, -1))
        self._paint_picture(painter, card, QRect(area.topLeft() + QPoint(_EDGE, _EDGE), _PICTURE))
        text = area.adjusted(_PICTURE.width() + 3 * _EDGE, _EDGE, -_EDGE, -_EDGE)
        self._paint_lines(painter, option.font, card, text)
        painter.restore()

    def _paint_picture(self, painter: QPainter, card: Thumbnail, box: QRect) -> None:
        colors = current_colors()
        picture = QPixmap(str(card.picture)) if card.picture is not None else QPixmap()
        if picture.isNull():
            painter.fillRect(box, QColor(colors.alternate))
            painter.setPen(QColor(colors.muted))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "no picture")
        else:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.setOpacity(0.4 if card.is_missing else 1.0)
            painter.drawPixmap(box, picture)
            painter.setOpacity(1.0)
        painter.setPen(QColor(colors.border))
        painter.drawRect(box.adjusted(0, 0, -1, -1))

    def _paint_lines(self, painter: QPainter, font: QFont, card: Thumbnail, box: QRect) -> None:
        colors, bold = current_colors(), QFont(font)
        bold.setBold(True)
        second = colors.warning if card.is_missing else colors.muted
        lines = (
            (card.name, bold, colors.text),
            (subtitle(card, datetime.now()), font, second),
            (str(card.folder), font, colors.muted),
        )
        height, top = box.height() // len(lines), box.top()
        for text, face, color in lines:
            painter.setFont(face)
            painter.setPen(QColor(color))
            elide = Qt.TextElideMode.ElideMiddle if text == str(card.folder) else Qt.TextElideMode.ElideRight
            shown = painter.fontMetrics().elidedText(text, elide, box.width())
            painter.drawText(QRect(box.left(), top, box.width(), height), Qt.AlignmentFlag.AlignVCenter, shown)
            top += height


class RecentList(QListWidget):
    """Enter, a click or a double click opens a project; Delete takes it out of the list, never off the disk."""

    open_wanted = Signal(object)
    """The ``Path`` of a project."""
    removed = Signal(object)
    """The ``Path`` that was taken out of the list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("recentProjects")
        self.setAccessibleName("Recent projects")
        self.setToolTip("Click or Enter opens a project; Delete takes it out of this list and leaves its folder alone")
        self.setItemDelegate(_Row(self))
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda point: self._menu().exec(self.viewport().mapToGlobal(point)))
        self.itemClicked.connect(self._open)

    def show_cards(self, cards: Iterable[Thumbnail]) -> None:
        """List these, the newest first."""
        self.clear()
        for card in cards:
            item = QListWidgetItem(f"{card.name}, {subtitle(card, datetime.now())}")
            item.setData(_CARD, card)
            item.setToolTip(f"{card.folder}\n{item.text()}")
            self.addItem(item)
        if self.count():
            self.setCurrentRow(0)

    @property
    def cards(self) -> tuple[Thumbnail, ...]:
        """What is listed."""
        return tuple(self.item(row).data(_CARD) for row in range(self.count()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, Delete takes out of the list."""
        item = self.currentItem()
        if item is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._open(item)
        elif item is not None and event.key() == Qt.Key.Key_Delete:
            self._remove(item)
        else:
            super().keyPressEvent(event)

    def _menu(self) -> QMenu:
        menu, item = QMenu(self), self.currentItem()
        if item is not None:
            menu.addAction("Open").triggered.connect(lambda: self._open(item))
            menu.addAction("Take out of this list").triggered.connect(lambda: self._remove(item))
        return menu

    def _open(self, item: QListWidgetItem) -> None:
        self.open_wanted.emit(_folder(item))

    def _remove(self, item: QListWidgetItem) -> None:
        folder = _folder(item)
        self.takeItem(self.row(item))
        self.removed.emit(folder)


def _folder(item: QListWidgetItem) -> Path:
    card = item.data(_CARD)
    assert isinstance(card, Thumbnail)
    return card.folder

"""Start page: recent projects and ways to begin.

It is the first thing that the window paints, so it loads nothing of the rest of the program. A choice is a signal; the
window acts on it as soon as it is built.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QGridLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QScrollArea,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from firegui.gui.base.controls import focus_next
from firegui.gui.base.icons import icon
from firegui.gui.base.layouts import horizontal, muted_label, plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.theme import current_colors
from firegui.gui.window.action_registry import ACTIONS, START_PAGE
from firegui.gui.window.thumbnails import Thumbnail, ThumbnailCache, relative_time

_PICTURE = QSize(112, 70)
_EDGE = 8
_THUMBNAIL = Qt.ItemDataRole.UserRole
MISSING = "folder not found"
WARNING = "What it shows is the output of a model, and not advice for operations."
_NONE_YET = "No project yet. The demo is a good place to begin: a made-up fire, planned on this computer in minutes."


def subtitle(thumbnail: Thumbnail, now: datetime) -> str:
    """Return the second line of a project: facts and when it was saved, or that it is missing."""
    saved = MISSING if thumbnail.saved is None else f"saved {relative_time(thumbnail.saved, now)}"
    return " · ".join(part for part in (thumbnail.facts, saved) if part)


class _ProjectDelegate(QStyledItemDelegate):
    """Delegate for a recent project: its thumbnail at the left, three lines at the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of a picture and its margins."""
        return QSize(200, _PICTURE.height() + 2 * _EDGE)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one project."""
        thumbnail = index.data(_THUMBNAIL)
        if not isinstance(thumbnail, Thumbnail):
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
        self._paint_picture(painter, thumbnail, QRect(area.topLeft() + QPoint(_EDGE, _EDGE), _PICTURE))
        text = area.adjusted(_PICTURE.width() + 3 * _EDGE, _EDGE, -_EDGE, -_EDGE)
        self._paint_lines(painter, option.font, thumbnail, text)
        painter.restore()

    def _paint_picture(self, painter: QPainter, thumbnail: Thumbnail, box: QRect) -> None:
        colors = current_colors()
        picture = QPixmap(str(thumbnail.picture)) if thumbnail.picture is not None else QPixmap()
        if picture.isNull():
            painter.fillRect(box, QColor(colors.alternate))
            painter.setPen(QColor(colors.muted))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "no picture")
        else:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.setOpacity(0.4 if thumbnail.is_missing else 1.0)
            painter.drawPixmap(box, picture)
            painter.setOpacity(1.0)
        painter.setPen(QColor(colors.border))
        painter.drawRect(box.adjusted(0, 0, -1, -1))

    def _paint_lines(self, painter: QPainter, font: QFont, thumbnail: Thumbnail, box: QRect) -> None:
        colors, bold = current_colors(), QFont(font)
        bold.setBold(True)
        second = colors.warning if thumbnail.is_missing else colors.muted
        lines = (
            (thumbnail.name, bold, colors.text),
            (subtitle(thumbnail, datetime.now()), font, second),
            (str(thumbnail.folder), font, colors.muted),
        )
        height, top = box.height() // len(lines), box.top()
        for text, face, color in lines:
            painter.setFont(face)
            painter.setPen(QColor(color))
            elide = Qt.TextElideMode.ElideMiddle if text == str(thumbnail.folder) else Qt.TextElideMode.ElideRight
            shown = painter.fontMetrics().elidedText(text, elide, box.width())
            painter.drawText(QRect(box.left(), top, box.width(), height), Qt.AlignmentFlag.AlignVCenter, shown)
            top += height


class RecentProjects(QListWidget):
    """List of recent projects.

    Enter or a click opens one. Delete removes it from the list, never from the disk.
    """

    open_requested = Signal(object)
    """The ``Path`` of a project."""
    removed = Signal(object)
    """The ``Path`` that was removed from the list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("recentProjects")
        self.setAccessibleName("Recent projects")
        self.setToolTip(tooltip("Click or Enter opens a project; Delete removes it from this list; its folder stays"))
        self.setItemDelegate(_ProjectDelegate(self))
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda point: self._menu().exec(self.viewport().mapToGlobal(point)))
        self.itemClicked.connect(self._open)

    def show_thumbnails(self, thumbnails: Iterable[Thumbnail]) -> None:
        """List these projects, the newest first."""
        self.clear()
        for thumbnail in thumbnails:
            item = QListWidgetItem(f"{thumbnail.name}, {subtitle(thumbnail, datetime.now())}")
            item.setData(_THUMBNAIL, thumbnail)
            item.setToolTip(tooltip(f"{thumbnail.folder}\n{item.text()}"))
            self.addItem(item)
        if self.count():
            self.setCurrentRow(0)

    @property
    def thumbnails(self) -> tuple[Thumbnail, ...]:
        """The listed projects."""
        return tuple(self.item(row).data(_THUMBNAIL) for row in range(self.count()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the current project on Enter, remove it from the list on Delete."""
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
            menu.addAction("Remove from this list").triggered.connect(lambda: self._remove(item))
        return menu

    def _open(self, item: QListWidgetItem) -> None:
        self.open_requested.emit(_folder(item))

    def _remove(self, item: QListWidgetItem) -> None:
        folder = _folder(item)
        self.takeItem(self.row(item))
        self.removed.emit(folder)


def _folder(item: QListWidgetItem) -> Path:
    thumbnail = item.data(_THUMBNAIL)
    assert isinstance(thumbnail, Thumbnail)
    return thumbnail.folder


class StartPage(QScrollArea):
    """Page that covers the window below its menus.

    The focus stays within it, because the rest of the window is hidden.
    """

    action_chosen = Signal(str)
    """Name of an action in the registry."""
    open_requested = Signal(object)
    """The ``Path`` of a project to open."""
    closed = Signal()

    def __init__(self, preferences: Preferences, parent: QWidget) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._thumbnails = ThumbnailCache(preferences.pictures)
        self._buttons: dict[str, QPushButton] = {}
        self.recent = RecentProjects()
        self.recent.open_requested.connect(self.open_requested)
        self.recent.removed.connect(self._forget)
        self.state = muted_label("Loading the workbench…")
        self.state.setAccessibleName("Current activity")
        self.setObjectName("startPage")
        self.setAccessibleName("Start page")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(self._page())
        self._update_theme()
        self.refresh()

    # -- for the window ----------------------------------------------------------------------------------------------
    def button(self, action: str) -> QPushButton:
        """Return the button for an action."""
        return self._buttons[action]

    def open_over(self, may_close: bool) -> None:
        """Show the page, with a Close button if it ``may_close``."""
        self.refresh()
        self.close_button.setVisible(may_close)
        self.show()
        self.raise_()
        self.focus_first()

    def focus_first(self) -> None:
        """Give the keyboard to the first recent project, else to the first button."""
        (self.recent if self.recent.count() else self._buttons["new_demo"]).setFocus()

    def show_state(self, text: str) -> None:
        """Show the current activity at the foot of the page."""
        self.state.setText(text)

    def refresh(self) -> None:
        """Update the list of recent projects."""
        folders = self._preferences.recent
        self.recent.show_thumbnails(self._thumbnails.of(folder, self._preferences.units) for folder in folders)
        self.recent.setVisible(bool(folders))
        self._none.setVisible(not folders)

    # -- layout ------------------------------------------------------------------------------------------------------
    def _page(self) -> QWidget:
        page = QWidget()
        parts = horizontal(None, self._begin(), (self._recent_part(), 1), spacing=28)
        vertical(page, self._head(), (parts, 1), self.state, margins=(32, 24, 32, 16), spacing=14)
        return page

    def _head(self) -> QGridLayout:
        self.close_button = QPushButton("Back to the &workbench")
        self.close_button.setToolTip("Close the start page (Esc)")
        self.close_button.clicked.connect(lambda _checked=False: self.closed.emit())
        self.close_button.hide()
        head = QGridLayout()
        head.setVerticalSpacing(2)
        head.addWidget(muted_label("firegui", "title"), 0, 0)
        head.addWidget(plain_label("Plan the aerial attack on a wildfire."), 1, 0)
        head.addWidget(muted_label(WARNING, "warning"), 2, 0)
        head.addWidget(self.close_button, 0, 1, Qt.AlignmentFlag.AlignRight)
        head.setColumnStretch(0, 1)
        return head

    def _begin(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(6)
        for title, choices in START_PAGE.items():
            column.addWidget(muted_label(title, "section"))
            for choice in choices:
                button = self._buttons[choice.action] = QPushButton(choice.text)
                button.setObjectName(f"start-{choice.action}")
                button.setProperty("role", "start")
                button.setToolTip(tooltip(choice.help))
                button.setAccessibleDescription(choice.help)
                button.setIconSize(QSize(18, 18))
                button.clicked.connect(lambda _checked=False, name=choice.action: self.action_chosen.emit(name))
                column.addWidget(button)
            column.addSpacing(10)
        column.addStretch(1)
        return column

    def _recent_part(self) -> QVBoxLayout:
        self._none = muted_label(_NONE_YET)
        self._none.setAlignment(Qt.AlignmentFlag.AlignTop)
        return vertical(None, muted_label("Recent projects", "section"), self._none, (self.recent, 1), 0, spacing=6)

    def _update_theme(self) -> None:
        for action, button in self._buttons.items():
            button.setIcon(icon(ACTIONS[action].icon))

    # -- events ------------------------------------------------------------------------------------------------------
    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "close_button"):
            self._update_theme()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Press the focused button on Enter, close the page on Esc if there is a project behind it.

        No other key reaches the hidden workbench.
        """
        focus = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(focus, QPushButton):
            focus.click()
        elif event.key() == Qt.Key.Key_Escape and not self.close_button.isHidden():
            self.closed.emit()
        event.accept()

    def focusNextPrevChild(self, next: bool) -> bool:
        """Keep Tab within the page."""
        order = (*self._buttons.values(), self.recent, self.close_button)
        return focus_next(order, self.focusWidget(), forward=next) or super().focusNextPrevChild(next)

    def _forget(self, folder: object) -> None:
        if isinstance(folder, Path):
            self._preferences.forget_recent(folder)
            self._thumbnails.forget(folder)
            self.recent.setVisible(bool(self.recent.count()))
            self._none.setVisible(not self.recent.count())

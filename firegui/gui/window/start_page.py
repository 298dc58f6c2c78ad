"""The start page: what was open lately, how to begin, what is new. It is the first thing the window paints.

It knows nothing of the rest of the program and loads nothing of it: what a person chooses becomes a signal, which the
window obeys as soon as it is furnished.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from firegui.assets import resource
from firegui.gui.base.controls import go_round
from firegui.gui.base.icons import icon
from firegui.gui.base.layouts import horizontal, vertical
from firegui.gui.base.preferences import Preferences
from firegui.gui.window.recent_projects import RecentList
from firegui.gui.window.thumbnail_cache import ThumbnailCache

WARNING = "What it shows is the output of a model, and not advice for operations."
_NONE_YET = "No project yet. The demo is a good place to begin: a made-up fire, planned on this computer in minutes."


class Wish(StrEnum):
    """What can be begun from the start page."""

    DEMO = "new"
    TOUR = "tour"
    OPEN = "open"
    LANDSCAPE = "import"
    EVENTS = "events"
    FOLDER = "import-folder"
    MAPS = "map"
    HELP = "help"
    TUTORIAL = "tutorial"


_WORDS = {
    Wish.DEMO: ("Open the &demo fire", "Make the synthetic demo fire and open it"),
    Wish.TOUR: ("Take the guided &tour", "Open the demo and be shown around, step by step"),
    Wish.OPEN: ("&Open a project…", "Open a project folder, NAME.firegui"),
    Wish.LANDSCAPE: ("Import a &landscape…", "A wizard: raster layers, weather and a perimeter of your own"),
    Wish.EVENTS: ("Import an &HDF5 event…", "An event of the published file of six fires"),
    Wish.FOLDER: ("Import a &PyTorchFire folder…", "An event in the files of PyTorchFire's examples"),
    Wish.MAPS: ("Import &maps…", "The maps of any fire model that can state them, NPZ"),
    Wish.HELP: ("&Getting started", "Open the help where it begins (F1)"),
    Wish.TUTORIAL: ("T&utorial", "A plan from beginning to end, step by step, with pictures"),
}
_GROUPS = (("Begin", (Wish.DEMO, Wish.TOUR, Wish.OPEN)), ("Bring in a fire", (Wish.LANDSCAPE, Wish.EVENTS,
           Wish.FOLDER, Wish.MAPS)), ("Learn", (Wish.HELP, Wish.TUTORIAL)))  # fmt: skip


class StartPage(QScrollArea):
    """Covers the window below its menus. The focus stays within it, for what lies behind cannot be seen."""

    wanted = Signal(object)
    """A :class:`Wish`."""
    open_wanted = Signal(object)
    """The ``Path`` of a project to open."""
    closed = Signal()
    """A person wants the workbench back."""

    def __init__(self, preferences: Preferences, parent: QWidget) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._postcards = ThumbnailCache(preferences.pictures)
        self._buttons: dict[Wish, QPushButton] = {}
        self.recent = RecentList()
        self.recent.open_wanted.connect(self.open_wanted)
        self.recent.removed.connect(self._forget)
        self.news = QTextBrowser(openExternalLinks=True)
        self.state = QLabel("Getting the workbench ready…")
        self.setObjectName("startPage")
        self.setAccessibleName("Start page")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(self._page())
        self._dress()
        self.refresh()

    # -- for the window ----------------------------------------------------------------------------------------------
    def button(self, wish: Wish) -> QPushButton:
        """The button for a wish."""
        return self._buttons[wish]

    def open_over(self, may_close: bool) -> None:
        """Show the page; it can be shut when there is a workbench with a project behind it."""
        self.refresh()
        self.close_button.setVisible(may_close)
        self.show()
        self.raise_()
        self._first_focus()

    def set_ready(self) -> None:
        """The rest of the window is there."""
        self.say("")

    def say(self, text: str) -> None:
        """Say what is going on, at the foot of the page."""
        self.state.setText(text)

    def refresh(self) -> None:
        """List the recent projects anew."""
        folders = self._preferences.recent
        self.recent.show_cards(self._postcards.of(folder) for folder in folders)
        self.recent.setVisible(bool(folders))
        self._none.setVisible(not folders)

    # -- layout ------------------------------------------------------------------------------------------------------
    def _page(self) -> QWidget:
        page = QWidget()
        column = vertical(page, self._head(), margins=(32, 24, 32, 16), spacing=14)
        self._columns = horizontal(None, self._begin(), (self._recent_part(), 5), (self._news_part(), 4), spacing=28)
        column.addLayout(self._columns, 1)
        self.state.setProperty("role", "muted")
        self.state.setAccessibleName("What is going on")
        column.addWidget(self.state)
        return page

    def _head(self) -> QGridLayout:
        title, about, warning = QLabel("firegui"), QLabel("Plan the aerial attack on a wildfire."), QLabel(WARNING)
        title.setProperty("role", "title")
        warning.setProperty("role", "warning")
        warning.setWordWrap(True)
        self.close_button = QPushButton("Back to the &workbench")
        self.close_button.setToolTip("Shut the start page (Esc)")
        self.close_button.clicked.connect(lambda _checked=False: self.closed.emit())
        self.close_button.hide()
        head = QGridLayout()
        head.setVerticalSpacing(2)
        head.addWidget(title, 0, 0)
        head.addWidget(about, 1, 0)
        head.addWidget(warning, 2, 0)
        head.addWidget(self.close_button, 0, 1, Qt.AlignmentFlag.AlignRight)
        head.setColumnStretch(0, 1)
        return head

    def _begin(self) -> QVBoxLayout:
        column = QVBoxLayout()
        column.setSpacing(6)
        for title, wishes in _GROUPS:
            column.addWidget(_heading(title))
            for wish in wishes:
                text, tip = _WORDS[wish]
                button = self._buttons[wish] = QPushButton(text)
                button.setObjectName(f"start-{wish}")
                button.setProperty("role", "start")
                button.setToolTip(tip)
                button.setAccessibleDescription(tip)
                button.setIconSize(QSize(18, 18))
                button.clicked.connect(lambda _checked=False, wish=wish: self.wanted.emit(wish))
                column.addWidget(button)
            column.addSpacing(10)
        column.addStretch(1)
        return column

    def _recent_part(self) -> QVBoxLayout:
        self._none = QLabel(_NONE_YET, wordWrap=True)
        self._none.setProperty("role", "muted")
        self._none.setAlignment(Qt.AlignmentFlag.AlignTop)
        column = vertical(None, _heading("Recent projects"), self._none, (self.recent, 1), 0, spacing=6)
        return column

    def _news_part(self) -> QVBoxLayout:
        self.news.setAccessibleName("What is new")
        self.news.setToolTip("What has changed in firegui")
        self.news.setFrameShape(QFrame.Shape.NoFrame)
        self.news.setMinimumWidth(220)
        self.news.document().setDocumentMargin(10)
        self.news.document().setIndentWidth(20)
        column = vertical(None, _heading("What is new"), (self.news, 1), spacing=6)
        return column

    def _dress(self) -> None:
        for wish, button in self._buttons.items():
            button.setIcon(icon(wish.value))
        # Read again in another theme: a text browser keeps the colours that it was filled with.
        self.news.setMarkdown(resource("help/whats-new.md").read_text(encoding="utf-8"))

    # -- events ------------------------------------------------------------------------------------------------------
    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_columns"):
            self._dress()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc shuts the page where there is something behind it; no other key reaches the hidden workbench."""
        if event.key() == Qt.Key.Key_Escape and not self.close_button.isHidden():
            self.closed.emit()
        event.accept()

    def focusNextPrevChild(self, next: bool) -> bool:
        """Tab goes round within the page, as long as it is there."""
        order = (*self._buttons.values(), self.recent, self.news, self.close_button)
        return go_round(order, self.focusWidget(), forward=next) or super().focusNextPrevChild(next)

    def _first_focus(self) -> None:
        (self.recent if self.recent.count() else self._buttons[Wish.DEMO]).setFocus()

    def _forget(self, folder: object) -> None:
        if isinstance(folder, Path):
            self._preferences.forget_recent(folder)
            self._postcards.forget(folder)
            self.recent.setVisible(bool(self.recent.count()))
            self._none.setVisible(not self.recent.count())


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "section")
    return label

"""What leads a person through the window: help for the focused panel, palette of commands, tour, start page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu

from firegui.gui.base.controls import dock_with_focus
from firegui.gui.base.icons import icon
from firegui.gui.help.command_palette import Entry, Palette
from firegui.gui.help.help_pages import FIRST, page_of_panel
from firegui.gui.help.help_view import HelpView
from firegui.gui.help.tour import Tour
from firegui.gui.session.session import Session
from firegui.gui.window.documents import Documents

_NOT_NOW = "not now"
_FLOAT = "Make the dock a window of its own, or put it back."


class Guide(QObject):
    """See the module. ``show_dock`` shows a dock in front and gives it the focus."""

    def __init__(
        self,
        window: QMainWindow,
        docks: Mapping[str, QDockWidget],
        help: HelpView,
        show_dock: Callable[[str], object],
        session: Session,
        documents: Documents,
    ) -> None:
        super().__init__(window)
        self._window, self._docks, self._help, self._show_dock = window, docks, help, show_dock
        self._session, self._documents = session, documents
        self.tour: Tour | None = None
        self.palette: Palette | None = None

    # -- help --------------------------------------------------------------------------------------------------------
    def help_here(self) -> None:
        """Open the page of the panel that has the focus; on the map its own."""
        title = dock_with_focus(self._docks)
        self.show_page("map" if not title else page_of_panel(title))

    def show_page(self, name: str = FIRST) -> None:
        """Open a page of the help in its dock."""
        self._help.show_page(name)
        self._show_dock("Help")

    # -- the palette -------------------------------------------------------------------------------------------------
    def open_palette(self) -> None:
        """Let a person choose from everything there is, and do it."""
        if self.palette is not None:
            self.palette.give_up()
        self.palette = Palette(self.entries(), self._window)
        self.palette.closed.connect(self._on_palette_closed)
        self.palette.begin()

    def _on_palette_closed(self) -> None:
        if self.palette is not None:
            self.palette.deleteLater()
            self.palette = None

    def entries(self) -> Sequence[Entry]:
        """Every command, dock, recent project and page."""
        return [*self._commands(), *self._dock_entries(), *self._projects(), *self._pages()]

    def _commands(self) -> Iterator[Entry]:
        homes = dict(_homes(self._window))
        for action in self._window.actions():
            if action.isSeparator() or not action.text() or not action.isVisible():
                continue
            tip = action.toolTip().partition("\n")[2] or action.statusTip()
            why_not = "" if action.isEnabled() else _NOT_NOW
            kind, picture = homes.get(action, "Tool"), action.icon()
            yield Entry(kind, bare_title(action), keys_text(action), tip, picture, action.trigger, why_not)

    def _dock_entries(self) -> Iterator[Entry]:
        for title in self._docks:
            picture = icon(f"dock-{title.lower()}")
            yield Entry("Dock", title, "", f"Show {title} and go there.", picture, partial(self._show_dock, title))
            turn = partial(self._float, title)
            yield Entry("Dock", f"{title}, float or put back", "", _FLOAT, picture, turn)

    def _float(self, title: str) -> None:
        dock = self._docks[title]
        self._show_dock(title)
        dock.setFloating(not dock.isFloating())

    def _projects(self) -> Iterator[Entry]:
        for folder in self._documents.recent:
            yield Entry("Project", _name(folder), "", str(folder), icon("folder"), partial(self._open, folder))

    def _pages(self) -> Iterator[Entry]:
        for page in self._help.pages:
            yield Entry("Help", page.title, "", "Open this page.", icon("help"), partial(self.show_page, page.name))

    def _open(self, folder: Path) -> None:
        self._documents.open(folder)

    # -- the tour ----------------------------------------------------------------------------------------------------
    def begin_tour(self) -> None:
        """Show a person around, on the demo where nothing is open."""
        if not self._session.has_project and not self._documents.new_demo():
            return
        if self.tour is not None:
            self.tour.end()
        self.tour = Tour(self._window, self._docks, self._show_dock)
        self.tour.ended.connect(self._on_tour_end)
        self.tour.begin()

    def _on_tour_end(self) -> None:
        self.tour = None


def _homes(window: QMainWindow) -> Iterator[tuple[QAction, str]]:
    """Every action of the menus, with the title of the menu it is in."""
    for head in window.menuBar().actions():
        menu = head.menu()
        if isinstance(menu, QMenu):
            inner = [entry.menu() for entry in menu.actions()]
            menus = [menu, *(each for each in inner if isinstance(each, QMenu))]
            yield from ((action, bare_title(head)) for each in menus for action in each.actions())


def bare_title(action: QAction) -> str:
    """What an action is called, without the mark of its mnemonic."""
    return action.text().replace("&", "").rstrip("…")


def keys_text(action: QAction) -> str:
    """The first shortcut of an action as people read it."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def _name(folder: Path) -> str:
    return folder.name.removesuffix(".firegui")

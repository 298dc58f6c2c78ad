"""Help for the focused panel, command palette, and guided tour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow, QMessageBox, QToolButton, QWidget

from firegui.assets import installed_version
from firegui.gui.base.icons import icon
from firegui.gui.exporting.export_options import FORMAT_SYNONYMS
from firegui.gui.help.command_palette import HELP_KIND, Palette, PaletteEntry, meant_entries
from firegui.gui.help.help_view import FIRST, HelpView, read_pages
from firegui.gui.help.tour import Tour
from firegui.gui.planning.runs_panel import RunsPanel
from firegui.gui.session.session import Session
from firegui.gui.window.action_registry import ACTIONS, menu_of, plain_title
from firegui.gui.window.documents import Documents
from firegui.gui.window.shell import Shell
from firegui.io.exporters import FORMATS

_NATIVE = QKeySequence.SequenceFormat.NativeText
_NOT_NOW = "not now"
LIMITS = (
    "A plan is only as good as the fire model it was made with. The model is fitted to few fires, knows one wind per "
    "cell and day, and neither spotting nor people on the ground.",
    "Effectiveness, footprints and turnaround times are assumptions from the literature, not measurements of your "
    "aircraft.",
    "The optimizer finds a good plan, not the best one. Another seed may find another.",
    "firegui is for analysis and training. It does not replace air operations, and no drop should be ordered from it "
    "alone.",
)


class Guide(QObject):
    """Entry points of help, palette and tour.

    ``help`` and ``runs`` return the help and the list of runs, which are built at the first call.
    """

    export_requested = Signal(str)
    """Hand over the plan on the map in this format."""
    plan_requested = Signal()
    """The tour has ended with its last button: a quick plan is wanted."""

    workbench_needed = Signal()
    """The help or the tour is shown beside the map, where nothing may cover it."""

    def __init__(
        self,
        window: QMainWindow,
        shell: Shell,
        help: Callable[[], HelpView],
        runs: Callable[[], RunsPanel],
        session: Session,
        documents: Documents,
    ) -> None:
        super().__init__(window)
        self._window, self._shell, self._help, self._runs = window, shell, help, runs
        self._session, self._documents = session, documents
        self.tour: Tour | None = None
        self.palette: Palette | None = None

    # -- help --------------------------------------------------------------------------------------------------------
    def help_here(self) -> None:
        """Open the page about the focused panel or tool bar button; elsewhere the page about the map.

        From the help itself, or where that page is shown already, close the help.
        """
        title, focus = self._shell.panel_with_focus(), QApplication.focusWidget()
        action = focus.defaultAction() if isinstance(focus, QToolButton) else None
        spec = ACTIONS.get(action.objectName()) if isinstance(action, QAction) else None
        spec = ACTIONS[f"workspace:{self._shell.workspace}"] if focus is self._shell.side.entry else spec
        spec = ACTIONS[f"show_{title.lower()}"] if title else spec
        topic = spec.topic if spec is not None else "map"
        if self._shell.is_help_visible and (title == "Help" or self._help().page == topic):
            self._shell.close_help()
        else:
            self.show_page(topic)

    def show_page(self, name: str = FIRST) -> None:
        """Open a help page beside the map."""
        self.workbench_needed.emit()
        self._help().show_page(name)
        self._shell.show_panel("Help")

    # -- the palette -------------------------------------------------------------------------------------------------
    def open_palette(self, typed: str = "") -> None:
        """Open the palette of all commands, panels, recent projects and pages, with a text."""
        if self.palette is not None:
            self.palette.close_palette()
        self.palette = Palette(self.entries(), self._window)
        self.palette.closed.connect(self._on_palette_closed)
        self.palette.begin(typed)

    def _on_palette_closed(self) -> None:
        if self.palette is not None:
            self.palette.deleteLater()
            self.palette = None

    def find_commands(self, typed: str) -> Sequence[PaletteEntry]:
        """Return the entries of the palette of which words begin as typed, the best first."""
        return meant_entries(typed, self._entries())

    def entries(self) -> Sequence[PaletteEntry]:
        """Return all commands, panels, recent projects and pages."""
        return list(self._entries())

    def _entries(self) -> Iterator[PaletteEntry]:
        for action in self._window.actions():
            if action.objectName() in ACTIONS:
                why_not = "" if action.isEnabled() else _NOT_NOW
                title, keys, tip = plain_title(action.text()), action.shortcut().toString(_NATIVE), action.statusTip()
                kind, synonyms = menu_of(action.objectName()), ACTIONS[action.objectName()].synonyms
                yield PaletteEntry(kind, title, tip, action.icon(), action.trigger, keys, why_not, synonyms)
        if self._session.has_project:
            yield from self._format_entries()
        runs = self._runs()
        yield from map(partial(_run_entry, runs), runs.menu_buttons)
        for folder in self._documents.recent:
            name, open_project = folder.name.removesuffix(".firegui"), partial(self._documents.open, folder)
            yield PaletteEntry("Project", name, str(folder), icon("folder"), open_project)
        for page in read_pages():
            show_page = partial(self.show_page, page.name)
            # The page on a panel or command is called like it.
            yield PaletteEntry(HELP_KIND, f"{page.title} (help page)", "Open this page.", icon("help"), show_page)

    def _format_entries(self) -> Iterator[PaletteEntry]:
        """Yield a command for each format of an export."""
        for name, kind in FORMATS.items():
            title, tip = f"Export as {kind.title}…", f"Choose {kind.title} in Hand over: {kind.use}."
            words = f"{name} {name.replace('-', ' ')} {FORMAT_SYNONYMS.get(name, '')}"
            ask = partial(self.export_requested.emit, name)
            yield PaletteEntry("Hand over", title, tip, icon("export"), ask, synonyms=words)

    # -- the tour ----------------------------------------------------------------------------------------------------
    def begin_tour(self) -> None:
        """Start the guided tour, on the demo if no project is open."""
        if not self._session.has_project and not self._documents.new_demo():
            return
        if self.tour is not None:
            self.tour.end()
        self.workbench_needed.emit()
        self.tour = Tour(self._window, self._shell.show_panel, self._shell.widget_of)
        self.tour.ended.connect(self._on_tour_end)
        self.tour.finished.connect(self.plan_requested)
        self.tour.begin()

    def _on_tour_end(self) -> None:
        self.tour = None


def _run_entry(runs: RunsPanel, button: QToolButton) -> PaletteEntry:
    """Return the entry of a command for the selected run."""
    title, why_not = plain_title(button.accessibleName()), "" if button.isEnabled() else runs.why_no_action
    help = " ".join(button.toolTip().split())
    return PaletteEntry("Selected run", title, help, button.icon(), button.click, why_not=why_not)


def about_text() -> str:
    """Return the rich text of the about box."""
    items = "".join(f"<li>{limit}</li>" for limit in LIMITS)
    return (
        f"<h3>firegui {installed_version()}</h3>"
        "<p>Plans the aerial attack on a wildfire by gradient descent through a frozen, differentiable fire model.</p>"
        f"<p><b>What it cannot do</b></p><ul>{items}</ul><p>MIT licence.</p>"
    )


def show_about(parent: QWidget | None) -> None:
    """Show the about box: what firegui is and its limits."""
    QMessageBox.about(parent, "About firegui", about_text())

"""The window itself: what is on screen before anything else, what it remembers, and the events Qt sends to it.

It opens with its start page and nothing else, so that it is painted at once. Everything that needs the rest of the
program (map, docks, desks, actions) is :class:`~firegui.gui.window.workbench.Workbench`, which is brought in by name in
:meth:`MainWindow.build_ui`, the third deliberate late import beside the engine's and the command line's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from firegui.errors import InputError
from firegui.gui.base.dialogs import show_problems
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.tasks import IncrementalTask
from firegui.gui.base.theme import Theme, apply_theme, wanted_theme
from firegui.gui.window.dock_layout import SMALLEST, arrange, bring_back_to_screen, first_size, share_room
from firegui.gui.window.start_page import StartPage, Wish

if TYPE_CHECKING:
    from firegui.gui.jobs.run_queue import RunQueue
    from firegui.gui.session.session import Session
    from firegui.gui.window.workbench import Workbench

MENUS = ("&File", "&Edit", "&View", "&Plan", "&Help")
_WORKBENCH = "firegui.gui.window.workbench"
_BEFORE_IT = (
    "numpy", "pyqtgraph", "pyproj", "shapely", "rasterio", "pyogrio", "h5py", "firegui.domain.project",
    "firegui.gui.session.session", "firegui.runs.events", "firegui.runs.folder", "firegui.gui.jobs.run_queue",
    "firegui.gui.map.map_view", "firegui.gui.window.documents", "firegui.gui.planning.progress_panel",
    "firegui.gui.analyses.uncertainty.uncertainty_panel",
    _WORKBENCH,
)  # fmt: skip
"""Loaded one a turn of the event loop: together they would hold the window for a second or two."""


class MainWindow(QMainWindow):
    """See the module. With a ``session`` it is furnished at once; without one, :meth:`build_ui_stepwise` does it later.

    ``preferences`` left out: nothing is remembered. What the workbench has is there once it is furnished.
    """

    first_painted = Signal()
    """The window was painted for the first time."""
    ui_built = Signal()
    """Map, docks and actions are there."""

    def __init__(
        self,
        session: Session | None = None,
        queue: RunQueue | None = None,
        preferences: Preferences | None = None,
    ) -> None:
        super().__init__()
        self._preferences = preferences if preferences is not None else Preferences()
        self._workbench: Workbench | None = None
        self._turns: IncrementalTask | None = None
        self._painted, self._ready = False, False
        self._wishes: list[Callable[[], object]] = []
        self.setAcceptDrops(True)
        self.setMinimumSize(SMALLEST)
        for title in MENUS:
            self.menuBar().addMenu(title).setEnabled(False)
        self.menuBar().installEventFilter(self)
        self.start_page = StartPage(self._preferences, self)
        self.start_page.open_wanted.connect(self._open_wanted)
        self.start_page.wanted.connect(self._wish)
        self.start_page.closed.connect(self.hide_start_page)
        self._restore_geometry()
        self._show_title()
        if session is not None:
            self.build_ui(session, queue)

    # -- furnishing --------------------------------------------------------------------------------------------------
    def build_ui(self, session: Session, queue: RunQueue | None = None) -> None:
        """Bring everything in at once."""
        for _step in self._build_steps(session, queue):
            pass

    def build_ui_stepwise(self) -> None:
        """Bring everything in step by step, with a session of its own; :attr:`furnished` says when it is done.

        A second call changes nothing.
        """
        if self._turns is not None or self._workbench is not None:
            return
        self._turns = IncrementalTask(self._loading(), self)
        self._turns.begin()

    def when_ready(self, do: Callable[[], object]) -> None:
        """Do this now, or as soon as the window is furnished."""
        if self._ready:
            do()
        else:
            self._wishes.append(do)

    def _loading(self) -> Iterator[None]:
        for name in _BEFORE_IT:
            import_module(name)
            yield
        session: Session = import_module("firegui.gui.session.session").Session(self)
        yield from self._build_steps(session, None)

    def _build_steps(self, session: Session, queue: RunQueue | None) -> Iterator[None]:
        module = import_module(_WORKBENCH)
        look = module.Look(self.set_theme, self.reset_layout, self.show_start_page)
        workbench: Workbench = module.Workbench(self, session, queue, self._preferences, look)
        self._workbench = workbench
        for _step in workbench.build():
            # What is new stands in front of what is there.
            self.start_page.raise_()
            yield
        self._listen()
        self._restore_docks()
        self._ready = True
        self._on_project()
        self.start_page.set_ready()
        self.start_page.raise_()
        self.ui_built.emit()
        for wish in self._wishes:
            QTimer.singleShot(0, self, wish)
        self._wishes.clear()

    def _listen(self) -> None:
        session = self.workbench.session
        # Queued: a refusal may come out of the middle of a table's editing.
        session.refused.connect(self._show_problems, Qt.ConnectionType.QueuedConnection)
        session.dirty_changed.connect(self.setWindowModified)
        session.project_opened.connect(self._on_project)
        session.project_edited.connect(self._show_title)
        session.folder_changed.connect(self._show_title)
        session.backend_changed.connect(self._keep_backend)
        self.workbench.documents.recent_changed.connect(self.start_page.refresh)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.styleHints().colorSchemeChanged.connect(self._follow_system)

    @property
    def workbench(self) -> Workbench:
        """What the window is furnished with. Raises ``RuntimeError`` before it is."""
        if self._workbench is None:
            raise RuntimeError("the window is not furnished yet")
        return self._workbench

    # -- remembering -------------------------------------------------------------------------------------------------
    def _restore_geometry(self) -> None:
        self.resize(first_size(self.screen().availableSize()))
        geometry = self._preferences.geometry()
        if geometry is not None:
            self.restoreGeometry(geometry)
        bring_back_to_screen(self)

    def _restore_docks(self) -> None:
        self.workbench.session.set_backend(self._preferences.backend)
        share_room(self, self.workbench.docks)
        state = self._preferences.dock_state(tuple(self.workbench.docks))
        if state is not None and not self.restoreState(state, Preferences.LAYOUT_VERSION):
            arrange(self, self.workbench.docks)
        for dock in self.workbench.docks.values():
            if dock.isFloating():
                bring_back_to_screen(dock)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            # Without a choice the system is followed; a theme put on from outside, as in a test, is what is on.
            chosen = self._preferences.theme
            self.workbench.actions.themes[chosen].setChecked(True)

    def reset_layout(self) -> None:
        """Put every dock back where it was at first."""
        self._preferences.forget_layout()
        arrange(self, self.workbench.docks)

    def set_theme(self, theme: Theme | None) -> None:
        """Switch to dark or light, or (``None``) to what the system wants, and remember it."""
        self._preferences.theme = theme
        self._put_on(theme)
        self.workbench.actions.themes[theme].setChecked(True)

    def _put_on(self, theme: Theme | None) -> None:
        app = QApplication.instance()
        if isinstance(app, QApplication):
            apply_theme(app, wanted_theme(app, theme))
        if self._ready:
            self.workbench.actions.redress()

    def _follow_system(self) -> None:
        if self._preferences.theme is None:
            self._put_on(None)

    def _keep_backend(self, name: str) -> None:
        self._preferences.backend = name

    # -- the start page ----------------------------------------------------------------------------------------------
    def show_start_page(self) -> None:
        """Put the start page over everything; it can be shut again when a project is open."""
        self.start_page.open_over(self.workbench.session.has_project)
        self._place_start_page()

    def hide_start_page(self) -> None:
        """Show the workbench."""
        if self.start_page.isVisibleTo(self):
            self.start_page.hide()
            if self._ready:
                self.workbench.map.setFocus()

    def _on_project(self) -> None:
        self._show_title()
        if self.workbench.session.has_project:
            self.hide_start_page()

    def _open_wanted(self, folder: object) -> None:
        if isinstance(folder, Path):
            self.when_ready(lambda: self.workbench.documents.open(folder))

    def _wish(self, wish: Wish) -> None:
        if wish in (Wish.HELP, Wish.TUTORIAL):
            # The page of the help is a dock, which the start page would cover.
            self.when_ready(self.hide_start_page)
        self.when_ready(lambda: self.workbench.fulfil(wish))

    def _place_start_page(self) -> None:
        bar = self.menuBar()
        top = 0 if bar.isNativeMenuBar() or bar.isHidden() else bar.height()
        self.start_page.setGeometry(0, top, self.width(), self.height() - top)

    # -- showing -----------------------------------------------------------------------------------------------------
    def _show_title(self) -> None:
        there = self._ready and self.workbench.session.has_project
        name = self.workbench.session.project.scenario.name if there else "no project"
        badge = " (read-only)" if there and self.workbench.session.is_read_only else ""
        self.setWindowTitle(f"{name}[*]{badge} — firegui")
        self.setWindowModified(there and self.workbench.session.is_dirty)

    def _show_problems(self, error: InputError) -> None:
        # What ends with the window may still be refused something; a box would keep the program from ending.
        if self.isVisible():
            show_problems(self, error)

    # -- Qt's events -------------------------------------------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:
        """Say when it was painted for the first time."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            # After this event: the start page in front is painted in the same pass.
            QTimer.singleShot(0, self, self.first_painted.emit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the start page over everything below the menus."""
        super().resizeEvent(event)
        self._place_start_page()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the start page below the menu bar when that changes its height."""
        if event.type() == QEvent.Type.Resize:
            self._place_start_page()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that nothing with the focus had a use for: Delete deletes the region, Esc gives up a drawing."""
        if self._workbench is None or not self._ready or not self.workbench.take_key(event.key()):
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A folder or files of this computer may be dropped."""
        urls = event.mimeData().urls()
        if urls and all(url.isLocalFile() for url in urls):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        event.acceptProposedAction()
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls()]
        self.when_ready(lambda: self.workbench.documents.take_dropped(*paths))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about a run and unsaved edits; then stop every thread before the window goes."""
        if self._ready:
            if not self.workbench.may_close():
                event.ignore()
                return
            self._save_layout()
        self.stop_work()
        super().closeEvent(event)

    def _save_layout(self) -> None:
        geometry: QByteArray = self.saveGeometry()
        self._preferences.save_layout(geometry, self.saveState(Preferences.LAYOUT_VERSION), tuple(self.workbench.docks))

    def stop_work(self) -> None:
        """Stop all that works, keep what it has, and wait until every thread and process has ended."""
        if self._turns is not None:
            self._turns.stop()
        if self._workbench is not None:
            self._workbench.shutdown()

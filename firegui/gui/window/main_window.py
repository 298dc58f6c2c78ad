"""The main window: start page, saved layout and theme, and Qt's events.

It opens with its start page alone, so that it is painted at once. Everything that needs the rest of the program (map,
panels, controllers, actions) is in :class:`~firegui.gui.window.workbench.Workbench`. That class is imported by name
when the window is built, the third deliberate late import beside the engine's and the command line's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QToolBar

from firegui.errors import InputError
from firegui.gui.base.controls import is_usable, press_focused_button
from firegui.gui.base.dialogs import show_problems
from firegui.gui.base.export_place import ExportPlace
from firegui.gui.base.icons import TOOL_ICONS, icon
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.screen_geometry import SMALLEST, default_size, is_small, move_onto_screen
from firegui.gui.base.tasks import IncrementalTask
from firegui.gui.base.theme import Theme, apply_theme, resolve_theme
from firegui.gui.window.action_registry import MENUS
from firegui.gui.window.start_page import StartPage

if TYPE_CHECKING:
    from firegui.gui.jobs.run_queue import RunQueue
    from firegui.gui.session.session import Session
    from firegui.gui.window.workbench import Workbench

_WORKBENCH = "firegui.gui.window.workbench"
_READERS = "firegui.io.safe_open.processes"
_SYSTEM = "system"
_BESIDE_MENUS = 60
"""Width that Qt keeps free between the menus and the tool bar in their row, with some air."""
_LOADED_FIRST = (
    "numpy", "pyqtgraph", "pyproj", "shapely", "rasterio", "firegui.domain.project",
    "firegui.gui.session.session", "firegui.runs.events", "firegui.runs.run_folder", "firegui.gui.jobs.run_queue",
    "firegui.gui.map.map_view", "firegui.gui.window.documents", "firegui.gui.planning.progress_panel",
    "firegui.gui.analyses.uncertainty.uncertainty_panel",
    _WORKBENCH,
)  # fmt: skip
"""Loaded one per turn of the event loop: together they would block the window for a second or two."""


class MainWindow(QMainWindow):
    """Main window.

    With a ``session`` it is built at once, without one by :meth:`build_ui_stepwise` later. Without ``preferences``
    nothing is saved. :attr:`workbench` has the parts of the window once it is built.
    """

    first_painted = Signal()
    """The window was painted for the first time."""
    ui_built = Signal()
    """Map, panels and actions exist."""

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
        self._waiting: list[Callable[[], object]] = []
        self.setAcceptDrops(True)
        self.setMinimumSize(SMALLEST)
        for title in MENUS:
            self.menuBar().addMenu(title).setEnabled(False)
        self.menuBar().installEventFilter(self)
        self._make_room_for_tools()
        self.start_page = StartPage(self._preferences, self)
        self.start_page.open_requested.connect(self._open)
        self.start_page.action_chosen.connect(self._run_start_action)
        self.start_page.closed.connect(self.hide_start_page)
        self._restore_geometry()
        self._show_title()
        if session is not None:
            self.build_ui(session, queue)

    def _make_room_for_tools(self) -> None:
        """Give the menu bar the height that the tool bar will need in its corner.

        The start page lies below the menu bar and would move otherwise.
        """
        tools = QToolBar(self.menuBar())
        tools.setIconSize(TOOL_ICONS)
        tools.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        tools.addAction(icon("start"), "Start plan")
        self.menuBar().setMinimumHeight(tools.sizeHint().height())
        tools.setParent(None)

    # -- building ----------------------------------------------------------------------------------------------------
    def build_ui(self, session: Session, queue: RunQueue | None = None) -> None:
        """Build all parts at once."""
        for _step in self._build_steps(session, queue):
            pass

    def build_ui_stepwise(self) -> None:
        """Build all parts step by step, with a new session; :attr:`ui_built` is emitted at the end.

        A second call changes nothing.
        """
        if self._turns is not None or self._workbench is not None:
            return
        self._turns = IncrementalTask(self._loading(), self)
        self._turns.begin()

    def when_ready(self, do: Callable[[], object]) -> None:
        """Call ``run`` now, or as soon as the window is built."""
        if self._ready:
            do()
        else:
            self._waiting.append(do)

    def _loading(self) -> Iterator[None]:
        import_module(_READERS).READERS.warm()
        yield
        for name in _LOADED_FIRST:
            import_module(name)
            yield
        session: Session = import_module("firegui.gui.session.session").Session(self)
        yield from self._build_steps(session, None)

    def _build_steps(self, session: Session, queue: RunQueue | None) -> Iterator[None]:
        module = import_module(_WORKBENCH)
        handlers = {
            "theme": self._choose_theme, "reset_layout": self.reset_layout, "start_page": self.show_start_page,
            "quit": self.close,
        }  # fmt: skip
        workbench: Workbench = module.Workbench(self, session, queue, self._preferences, handlers)
        self._workbench = workbench
        for _step in workbench.build():
            # New widgets are in front of the start page.
            self.start_page.raise_()
            yield
        self._connect_session()
        self._restore_layout()
        self._ready = True
        self._fit_tool_bar()
        self._on_project()
        self.start_page.show_state("")
        self.start_page.raise_()
        self.ui_built.emit()
        for do in self._waiting:
            QTimer.singleShot(0, self, do)
        self._waiting.clear()

    def _connect_session(self) -> None:
        session = self.workbench.session
        # Queued, because a refusal may occur during the editing of a table.
        session.refused.connect(self._show_problems, Qt.ConnectionType.QueuedConnection)
        session.dirty_changed.connect(self.setWindowModified)
        session.project_opened.connect(self._on_project)
        session.project_edited.connect(self._show_title)
        session.folder_changed.connect(self._show_title)
        session.backend_changed.connect(self._keep_backend)
        session.units_changed.connect(self._keep_units)
        self.workbench.guide.workbench_needed.connect(self.hide_start_page)
        self.workbench.documents.recent_changed.connect(self.start_page.refresh)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.styleHints().colorSchemeChanged.connect(self._follow_system)

    @property
    def workbench(self) -> Workbench:
        """The parts of the window. Raises ``RuntimeError`` before they are built."""
        if self._workbench is None:
            raise RuntimeError("the window is not built yet")
        return self._workbench

    @property
    def export_place(self) -> ExportPlace | None:
        """Where exports of the open project go; ``None`` before the window is built."""
        return None if self._workbench is None else self._workbench.export_folder

    # -- remembering -------------------------------------------------------------------------------------------------
    def _restore_geometry(self) -> None:
        self.resize(default_size(self.screen().availableSize()))
        geometry = self._preferences.geometry()
        if geometry is not None:
            self.restoreGeometry(geometry)
        move_onto_screen(self)

    def show_on_screen(self) -> None:
        """Show the window where it was, the first time within the screen: maximised on a small one."""
        if self._preferences.geometry() is None and is_small(self.screen().availableSize()):
            self.showMaximized()
        else:
            self.show()
        # Not every desktop gives the keys to a new window before a click.
        self.activateWindow()
        self.start_page.focus_first()

    def _restore_layout(self) -> None:
        self.workbench.session.set_backend(self._preferences.backend)
        self.workbench.session.set_units(self._preferences.units)
        self.workbench.shell.restore(self._preferences.layout_state() or "{}")
        # Without a choice the window follows the system. A theme set from outside, as in a test, stays.
        self._check_theme()

    def reset_layout(self) -> None:
        """Restore the first arrangement of the window."""
        self._preferences.forget_layout()
        self.workbench.shell.reset()

    def set_theme(self, theme: Theme | None) -> None:
        """Switch to dark or light, or for ``None`` to the theme of the system, and save the choice."""
        self._preferences.theme = theme
        self._apply_theme(theme)
        self._check_theme()

    def _choose_theme(self, name: str) -> None:
        self.set_theme(None if name == _SYSTEM else Theme(name))

    def _check_theme(self) -> None:
        self.workbench.actions.choose("theme", self._preferences.theme or _SYSTEM)

    def _apply_theme(self, theme: Theme | None) -> None:
        app = QApplication.instance()
        if isinstance(app, QApplication):
            apply_theme(app, resolve_theme(app, theme))
        if self._ready:
            self.workbench.actions.redraw_icons()

    def _follow_system(self) -> None:
        if self._preferences.theme is None:
            self._apply_theme(None)

    def _keep_units(self) -> None:
        self._preferences.units = self.workbench.session.units

    def _keep_backend(self, name: str) -> None:
        self._preferences.backend = name

    # -- the start page ----------------------------------------------------------------------------------------------
    def show_start_page(self) -> None:
        """Show the start page over everything; it can be closed if a project is open."""
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

    def _open(self, folder: object) -> None:
        if isinstance(folder, Path):
            self.when_ready(lambda: self.workbench.documents.open(folder))

    def _run_start_action(self, name: str) -> None:
        self.when_ready(lambda: self.workbench.actions[name].trigger())

    def _place_start_page(self) -> None:
        bar = self.menuBar()
        top = 0 if bar.isNativeMenuBar() or bar.isHidden() else bar.height()
        self.start_page.setGeometry(0, top, self.width(), self.height() - top)

    # -- showing -----------------------------------------------------------------------------------------------------
    def _show_title(self) -> None:
        there = self._ready and self.workbench.session.has_project
        name = self.workbench.session.project.scenario.name if there else "no project"
        badge = self._badge if there else ""
        self.setWindowTitle(f"{name}[*]{badge} — firegui")
        self.setWindowModified(there and self.workbench.session.is_dirty)

    @property
    def _badge(self) -> str:
        """What the title adds to the name of the open project."""
        session = self.workbench.session
        return " (read-only)" if session.is_read_only else " (not saved yet)" if session.folder is None else ""

    def _show_problems(self, error: InputError) -> None:
        # Parts that end with the window may still report refusals. A dialog would keep the program from ending.
        if self.isVisible():
            show_problems(self, error)

    # -- Qt's events -------------------------------------------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:
        """Emit :attr:`first_painted` on the first paint event."""
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            # After this event: the start page in front is painted in the same pass.
            QTimer.singleShot(0, self, self.first_painted.emit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the start page over everything below the menus."""
        super().resizeEvent(event)
        self._fit_tool_bar()
        self._place_start_page()

    def _fit_tool_bar(self) -> None:
        if self._ready:
            menus = self.menuBar()
            titles = sum(menus.actionGeometry(action).width() for action in menus.actions())
            self.workbench.actions.fit_tool_bar(self.width() - titles - _BESIDE_MENUS)
            # The menu bar places its corner only when it is resized itself: a wider tool bar would lose its end.
            QApplication.sendEvent(menus, QResizeEvent(menus.size(), menus.size()))
            menus.update()

    def event(self, event: QEvent) -> bool:
        """Take the keyboard back when a dialog closes; not every window manager gives it back.

        Without a focused control the map takes it: Qt would choose the first line of text.
        """
        handled = super().event(event)
        if event.type() == QEvent.Type.WindowActivate and self._ready and not self.start_page.isVisible():
            focus = self.focusWidget()
            if focus is None or not is_usable(focus):
                self.workbench.maps.setFocus()
        if event.type() == QEvent.Type.WindowUnblocked:
            self.activateWindow()
        return handled

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the start page below the menu bar when the bar changes its height."""
        if event.type() == QEvent.Type.Resize:
            self._place_start_page()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle keys that the focused widget ignored.

        Enter presses the focused button, Delete deletes the region, Esc cancels a drawing.
        """
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and press_focused_button(self):
            return
        if self._workbench is None or not self._ready or not self.workbench.handle_key(event.key()):
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Move the focus by Tab through all controls as they are read, also those added later."""
        is_front = self._ready and not self.start_page.isVisible()
        return (is_front and self.workbench.focus_next(forward=next)) or super().focusNextPrevChild(next)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept local folders and files."""
        urls = event.mimeData().urls()
        if urls and all(url.isLocalFile() for url in urls):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the dropped folders and files."""
        event.acceptProposedAction()
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls()]
        self.when_ready(lambda: self.workbench.documents.open_dropped(*paths))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about unfinished work and unsaved edits; then stop every thread."""
        if self._ready and not self.workbench.confirm_close():
            event.ignore()
            return
        try:
            if self._ready:
                self._save_layout()
        finally:
            self.stop_work()
        super().closeEvent(event)

    def _save_layout(self) -> None:
        self.workbench.set_full_map(False)
        geometry: QByteArray = self.saveGeometry()
        self._preferences.save_layout(geometry, self.workbench.shell.state())

    def stop_work(self) -> None:
        """Stop all work, keep its results, and wait until every thread and process has ended."""
        if self._turns is not None:
            self._turns.stop()
        if self._workbench is not None:
            self._workbench.shutdown()

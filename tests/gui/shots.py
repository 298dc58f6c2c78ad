"""Pictures of the main states of the window, dark and light, for a person to look at.

``python -m tests.gui.shots OUT [--project PROJECT --run RUN] [--sizes 1280x800 2560x1440] [--themes dark light]
[--panels Progress Stress]`` or ``python -m tests.gui.shots --shares``

Without a project it is the demo fire, planned for a few epochs with the real engine. An analysis shows the latest of
its saved results in the project. ``--panels`` limits the pictures to those panels, each page of them. Set
``QT_SCALE_FACTOR=2`` to see what a 4K screen at 200 % shows. A person must judge the pictures: nothing is asserted
here. ``--shares`` takes no pictures; it prints the map's share of the window in every workspace and what is cut off,
as :mod:`tests.gui.layout_shares` measures them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QDeadlineTimer, QEvent, QSettings, QSize, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDialog, QTabWidget, QWidget

from firegui.domain.project import Project
from firegui.domain.settings import Margin, Setting
from firegui.fire.demo import make_demo
from firegui.gui.analyses.panel import AnalysisPanel
from firegui.gui.app import make_application
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.tasks import run_events
from firegui.gui.base.theme import Theme, apply_theme
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.progress_panel import CURVE, FIRST, RESULT, SECOND, ProgressPanel
from firegui.gui.session.session import FireView, Session
from firegui.gui.widgets.split_panel import SplitPanel
from firegui.gui.window.action_registry import plain_title
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.store import load_project, save_project
from tests.gui import layout_shares

_EPOCHS = 60
_ROOM_FOR_SIDE = 1360
_LOOK_MS, _SETTLE_MS, _PATIENCE_MS = 40, 700, 300_000


@dataclass(frozen=True, slots=True)
class ScreenshotCamera:
    """Takes every picture in each of ``sizes`` into ``album``."""

    window: MainWindow
    album: Path
    theme: Theme
    sizes: tuple[QSize, ...]

    def take(self, name: str, widget: QWidget | None = None) -> None:
        """Take a picture of the window, or of one widget of it."""
        if widget is not None:
            settle()
            widget.grab().save(str(self.album / f"{name}-{self.theme.value}.png"))
            return
        for size in self.sizes:
            self.window.resize(size)
            self.window.workbench.shell.set_side_visible(size.width() >= _ROOM_FOR_SIDE)
            settle()
            path = self.album / f"{name}-{self.theme.value}-{size.width()}x{size.height()}.png"
            self.window.grab().save(str(path))

    def action(self, title: str) -> QAction:
        """Return the command of that title. Raises ``StopIteration`` for another."""
        return next(action for action in self.window.actions() if plain_title(action.text()) == title)

    def dialog(self, name: str, opens: Callable[[], object]) -> None:
        """Take a picture of the dialog that ``opens`` shows, then cancel it."""

        def look() -> None:
            front = QApplication.activeModalWidget() or QApplication.activePopupWidget()
            if front is None or not front.isVisible():
                QTimer.singleShot(_LOOK_MS, look)
                return
            self.take(name, front)
            front.reject() if isinstance(front, QDialog) else front.close()

        QTimer.singleShot(_LOOK_MS, look)
        opens()
        settle()


def until(done: Callable[[], object]) -> None:
    """Process events until ``done``. Raises ``TimeoutError`` after some minutes."""
    deadline = QDeadlineTimer(_PATIENCE_MS)
    while not done():
        if deadline.hasExpired():
            raise TimeoutError("the window does not get there")
        run_events(_LOOK_MS)


def settle(milliseconds: int = _SETTLE_MS) -> None:
    """Wait until layouts, throttled charts and the map have been painted."""
    run_events(milliseconds)


@contextmanager
def workbench(place: Path) -> Iterator[MainWindow]:
    """Yield a window with its own settings and the real engine."""
    session = Session()
    store = QSettings(str(place / "preferences.ini"), QSettings.Format.IniFormat)
    window = MainWindow(session, RunQueue(session), Preferences(store, place / "recent"))
    window.show()
    window.activateWindow()
    try:
        yield window
    finally:
        session.undo_stack.setClean()
        window.stop_work()
        window.close()
        window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def visit_panels(
    camera: ScreenshotCamera, project: Project, folder: Path, run: Path | None, panels: Sequence[str]
) -> None:
    """Take every main state once, from the start page to the export; only ``panels`` if given."""
    window = camera.window
    session, queue = window.workbench.session, window.workbench.queue
    if not panels:
        camera.take("01-start")
    session.open_project(project, folder)
    until(lambda: session.result.baseline is not None and not queue.activity)
    session.set_step(session.project.calendar.n_steps)
    if not panels:
        camera.take("02-opened")
    if run is None:
        queue.plan()
        until(lambda: session.result.plan is not None)
        if not panels:
            camera.take("03-working")
        until(lambda: not queue.is_busy and not queue.activity)
    else:
        queue.show_folder(run)
        until(lambda: session.result.plan is not None and not queue.activity)
    if not panels:
        _results(camera)
    _panels(camera, panels or tuple(window.workbench.panels))
    if not panels:
        _dialogs(camera)


def _results(camera: ScreenshotCamera) -> None:
    session = camera.window.workbench.session
    session.set_view(FireView.PLAN)
    session.set_step(round(0.6 * session.project.calendar.n_steps))
    camera.take("04-plan")
    session.set_view(FireView.DIFFERENCE)
    camera.take("05-difference")
    session.set_side_by_side(True)
    camera.take("06-three-maps")
    session.set_side_by_side(False)
    session.set_view(FireView.PLAN)


def _panels(camera: ScreenshotCamera, names: Sequence[str]) -> None:
    shell = camera.window.workbench.shell
    for name in names:
        shell.reset()
        camera.window.workbench.show_panel(name)
        for number, show in enumerate(_pages(camera.window.workbench.panels[name])):
            show()
            camera.take(f"10-panel-{name.lower()}{f'-{number}' if number else ''}")
    shell.reset()


def _pages(panel: QWidget) -> Iterator[Callable[[], object]]:
    """Yield a function per page that brings it to the front, on the latest saved result of an analysis."""
    if isinstance(panel, ProgressPanel):
        yield from (partial(panel.show_page, page) for page in (FIRST, SECOND, CURVE, RESULT))
        return
    if isinstance(panel, AnalysisPanel) and panel.saved_list.count() > 1:
        panel.saved_list.setCurrentIndex(1)
        panel.saved_list.activated.emit(1)
        settle()
    pages = (panel.result if isinstance(panel, SplitPanel) else panel).findChild(QTabWidget)
    if not isinstance(pages, QTabWidget) or not pages.isVisible():
        yield lambda: None
        return
    yield from (partial(pages.setCurrentIndex, k) for k in range(pages.count()) if pages.isTabEnabled(k))


def _dialogs(camera: ScreenshotCamera) -> None:
    guide = camera.window.workbench.guide
    guide.open_palette()
    assert guide.palette is not None
    camera.take("20-palette", guide.palette)
    guide.palette.close_palette()
    for number, title in enumerate(("Import landscape", "Export", "Replan", "About"), 1):
        for action in camera.window.actions():
            if plain_title(action.text()).startswith(title) and action.isEnabled():
                camera.dialog(f"2{number}-{title.lower().replace(' ', '-')}", action.trigger)
                break
        else:
            print(f"no command {title!r} can be chosen here", file=sys.stderr)


def demo(place: Path) -> tuple[Project, Path]:
    """Return the demo fire with a search of some seconds."""
    project = make_demo().with_margin(Margin.NONE)
    optimizer = replace(project.plan.optimizer, epochs=_EPOCHS, patience=_EPOCHS)
    project = replace(project, plan=replace(project.plan, setting=Setting.A, optimizer=optimizer))
    save_project(project, place / "demo.firegui")
    return project, place / "demo.firegui"


def main(given: Sequence[str] | None = None) -> int:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("album", type=Path, nargs="?")
    parser.add_argument("--project", type=Path)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--sizes", nargs="+", default=["1280x800", "2560x1440"])
    parser.add_argument("--themes", nargs="+", choices=("dark", "light"), default=["dark", "light"])
    parser.add_argument("--panels", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--shares", action="store_true", help="print the map's share of the window instead")
    asked = parser.parse_args(given)
    if asked.shares:
        return layout_shares.main()
    if asked.album is None:
        parser.error("name the folder for the pictures")
    asked.album.mkdir(parents=True, exist_ok=True)
    sizes = tuple(QSize(*map(int, size.split("x"))) for size in asked.sizes)
    app = make_application(["firegui"])
    for theme in map(Theme, asked.themes):
        apply_theme(app, theme)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
            home = Path(place)
            project, folder = (load_project(asked.project), asked.project) if asked.project else demo(home)
            with workbench(home) as window:
                visit_panels(
                    ScreenshotCamera(window, asked.album, theme, sizes), project, folder, asked.run, asked.panels
                )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

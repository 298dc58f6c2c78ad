"""A workbench shared by the tests of a module: on the small project, or empty, with its own settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QSettings
from PySide6.QtWidgets import QApplication

from firegui.domain.project import FireModel, Project
from firegui.domain.regions import Region
from firegui.domain.settings import Margin, MarginSettings, OptimizerSettings, PlanSettings
from firegui.gui.base.preferences import Preferences
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.window.main_window import MainWindow
from tests.gui.conftest import quiet_execute, small_fleet, small_scenario


def ridge(name: str = "Test Ridge") -> Project:
    """Return a small project of four planned days with one region."""
    constants = {"p": 0.5, "wind_gain": 0.3, "wind_alignment": 0.3, "slope": 0.1, "gamma": 0.3, "fuel": 1.0}
    return Project(
        scenario=replace(small_scenario(), name=name),
        fleet=small_fleet(),
        grounded={},
        regions=(Region.rectangle("R1", (2, 10), (5, 25)),),
        plan=PlanSettings(
            days=4, optimizer=OptimizerSettings(epochs=3, patience=3), margin=MarginSettings(kind=Margin.NONE)
        ),
        fire_model=FireModel("scalar", "Scalar test model", constants),
    )


@contextmanager
def workbench(
    place: Path, *, opened: bool = True, size: tuple[int, int] = (1280, 800), project: Project | None = None
) -> Iterator[MainWindow]:
    """Yield a window on its own session, shown and active; runs end at once and closing asks nothing.

    ``project`` is opened, or that of :func:`ridge`, unless ``opened`` is false.
    """
    session = Session()
    if opened:
        session.open_project(project or ridge(), None)
    queue = RunQueue(session, execute=quiet_execute)
    store = QSettings(str(place / "preferences.ini"), QSettings.Format.IniFormat)
    window = MainWindow(session, queue, Preferences(store, place / "recent"))
    window.resize(*size)
    window.show()
    window.activateWindow()
    QApplication.processEvents()
    try:
        yield window
    finally:
        session.undo_stack.setClean()
        window.close()
        queue.shutdown()
        window.deleteLater()
        # Outside an event loop Qt deletes objects only on request.
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def build_panels(window: MainWindow) -> None:
    """Build all panels of a window. Otherwise each is built when it is first shown."""
    for _panel in window.workbench.panels.values():
        pass
    settle()


def settle(turns: int = 5) -> None:
    """Wait until layouts and delayed work have finished."""
    for _turn in range(turns):
        QApplication.processEvents()

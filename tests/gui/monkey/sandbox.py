"""Place for random actions: a workbench on a tiny fire in a folder of its own, with files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from unittest.mock import patch

import numpy as np
from PySide6.QtCore import QEvent, QEventLoop, QSettings
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QFileDialog

from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.gui.analyses.registry import ANALYSES
from firegui.gui.base.preferences import Preferences
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.window import documents as documents_module
from firegui.gui.window import workbench as workbench_module
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.regions_file import write_regions_geojson, write_regions_toml
from firegui.io.project.scenario_toml import write_fleet
from firegui.io.project.store import save_project
from firegui.runs.control import RunControl
from firegui.runs.events import Progress, RunEvent, RunFinished, StateChanged
from firegui.runs.runner import execute
from firegui.runs.spec import EvaluateSpec, PlanSpec, ReplanSpec, RunSpec, SkillSpec
from firegui.runs.stages import FinishReason, RunState
from tests.gui.fake_runs import FakeExecute
from tests.support import SHAPE, make_project, watched_project, write_random_maps, write_schedule

Execute = Callable[[RunSpec, Callable[[RunEvent], None], RunControl], None]
_SIZE = (1280, 800)
_PATIENCE_S = 10.0


class Leisurely(FakeExecute):
    """Stand-in runs that last long enough to be paused, stopped and edited during the run."""

    def _epoch(self, spec: PlanSpec, emit: Callable[[RunEvent], None], k: int) -> None:
        time.sleep(0.01)
        super()._epoch(spec, emit, k)


class Engine:
    """Runs the tiny fire's short runs with the real engine if ``real``, and others as stand-ins."""

    def __init__(self, *, real: bool) -> None:
        self._real = real
        self._fake = Leisurely(epochs=12)

    def __call__(self, spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        if self._real and isinstance(spec, (PlanSpec, EvaluateSpec, ReplanSpec, SkillSpec)):
            execute(spec, emit, control)
        elif isinstance(spec, (PlanSpec, EvaluateSpec, ReplanSpec)):
            self._fake(spec, emit, control)
        else:
            self._pretend(emit, control)

    @staticmethod
    def _pretend(emit: Callable[[RunEvent], None], control: RunControl) -> None:
        emit(StateChanged(RunState.RUNNING))
        for done in range(10):
            emit(Progress(done, 10, "pretending"))
            time.sleep(0.01)
            if control.stop_requested:
                break
        reason = FinishReason.STOPPED if control.stop_requested else FinishReason.COMPLETED
        emit(RunFinished(reason, "pretended", None, None, None))


class Files:
    """Answers every file dialog: with nothing, a suitable file, or an unsuitable one."""

    def __init__(self, place: Path, random: Random) -> None:
        self._random = random
        self._out = place / "out"
        self._out.mkdir()
        project = make_project()
        self.known = [*_write_inputs(place / "in", project), place]
        self.projects = [place / "other.firegui", place / "in", place / "nowhere"]
        other = replace(watched_project(), scenario=replace(watched_project().scenario, name="Other"))
        save_project(other, self.projects[0])

    def open_one(self, *_given: object, **_named: object) -> tuple[str, str]:
        """Replace ``QFileDialog.getOpenFileName``."""
        return self._maybe(self._random.choice(self.known)), ""

    def open_some(self, *_given: object, **_named: object) -> tuple[list[str], str]:
        """Replace ``QFileDialog.getOpenFileNames``."""
        return [str(path) for path in self._random.sample(self.known, self._random.randrange(3))], ""

    def folder(self, *_given: object, **_named: object) -> str:
        """Replace ``QFileDialog.getExistingDirectory``."""
        return self._maybe(self._random.choice([*self.projects, self._out]))

    def project(self, *_given: object) -> Path | None:
        """Replace :func:`firegui.gui.window.project_dialog.ask_project`."""
        chosen = self.folder()
        return Path(chosen) if chosen else None

    def save_as(self, _parent: object = None, _title: str = "", proposed: str = "", *_given: object,
                **_named: object) -> tuple[str, str]:  # fmt: skip
        """Replace ``QFileDialog.getSaveFileName``."""
        name = Path(proposed).name or "unnamed"
        return self._maybe(self._out / self._random.choice([name, f"{self._random.randrange(4)}-{name}"])), ""

    def _maybe(self, path: Path) -> str:
        return "" if self._random.random() < 0.25 else str(path)


def _write_inputs(folder: Path, project: Project) -> list[Path]:
    folder.mkdir()
    write_random_maps(folder / "maps.npz")
    regions = (Region.rectangle("Imported", (1, 5), (8, 12)), Region.rectangle("Village", (9, 12), (0, 6)))
    write_regions_toml(regions, folder / "regions.toml")
    write_regions_geojson(regions, folder / "regions.geojson", project.scenario.grid)
    write_fleet(project.planned_fleet, folder / "fleet.toml")
    write_schedule(folder / "schedule.csv", [(1, "R-1", 5.0, 6.0, 0.5), (12, "W-1", 8.0, 9.0, 1.5)])
    np.savez(folder / "seen.npz", fire=np.ones(SHAPE, bool))
    (folder / "garbage.toml").write_bytes(bytes(range(256)))
    (folder / "empty.geojson").write_text("")
    return sorted(folder.iterdir())


@contextmanager
def playground(place: Path, random: Random, *, real: bool) -> Iterator[MainWindow]:
    """Yield a shown window on a saved tiny project; whatever leads outside ``place`` is blocked."""
    files, engine = Files(place, random), Engine(real=real)
    with ExitStack() as stack:
        for name, stand_in in (
            ("getOpenFileName", files.open_one), ("getOpenFileNames", files.open_some),
            ("getExistingDirectory", files.folder), ("getSaveFileName", files.save_as),
        ):  # fmt: skip
            stack.enter_context(patch.object(QFileDialog, name, stand_in))
        stack.enter_context(patch.object(documents_module, "ask_project", files.project))
        stack.enter_context(patch.object(QDesktopServices, "openUrl", lambda *_: True))
        # The kernel cache is shared, because compiling takes minutes.
        cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
        stack.enter_context(patch.dict("os.environ", {"HOME": str(place), "XDG_CACHE_HOME": cache}))
        stack.enter_context(patch.object(documents_module, "make_demo", lambda: make_project(3)))
        made = tuple(replace(each, controller=partial(each.controller, execute=engine)) for each in ANALYSES)
        stack.enter_context(patch.object(workbench_module, "ANALYSES", made))
        yield from _opened(place, engine)


def _opened(place: Path, engine: Execute) -> Iterator[MainWindow]:
    session = Session()
    folder = place / "tiny.firegui"
    project = watched_project()
    save_project(project, folder)
    session.open_project(project, folder)
    queue = RunQueue(session, execute=engine)
    store = QSettings(str(place / "preferences.ini"), QSettings.Format.IniFormat)
    window = MainWindow(session, queue, Preferences(store, place / "recent"))
    window.resize(*_SIZE)
    window.show()
    window.activateWindow()
    # A window that is not active yet receives no shortcut.
    until = time.perf_counter() + _PATIENCE_S
    while not window.isActiveWindow() and time.perf_counter() < until:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
    try:
        yield window
    finally:
        session.undo_stack.setClean()
        # Closing asks about running work, and no action answers the question any more.
        window.stop_work()
        window.close()
        window.deleteLater()
        # Outside an event loop Qt deletes objects only on request.
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

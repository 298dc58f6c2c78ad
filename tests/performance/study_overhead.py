"""What a study costs beside its cells: thousands of cells of a stub objective, by a scheduler and by the window.

``python tests/performance/study_overhead.py [--cells N] [--workers N] [--window]`` prints milliseconds a cell, how long
a stop takes and, with ``--window``, how long the event loop was held up meanwhile. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEventLoop, QSettings, QTimer

from firegui.analyses.study.settings import StudyRequest
from firegui.domain.project import Project
from firegui.domain.study import StudySettings, Vary
from firegui.domain.workers import WorkerSettings
from firegui.gui.analyses.study.study_controller import StudyController
from firegui.gui.analyses.study.study_panel import StudyPanel
from firegui.gui.app import make_application
from firegui.gui.base.preferences import Preferences
from firegui.gui.session.session import Session
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.store import save_project
from firegui.io.project.study_file import StudyFile
from firegui.runs.control import RunControl
from firegui.runs.events import RunEvent, RunFinished, StudyProgress
from firegui.runs.spec import StudySpec
from tests.support import make_project
from tests.unit.analyses.study_stub import execute

_TICK_MS = 5


def study_of(cells: int, name: str = "stub") -> StudySettings:
    """A third of the cells for every count of an aircraft type."""
    vary = (Vary("fleet.R.count", (0, 1, 2)), Vary("seed", tuple(100 + k for k in range(-(-cells // 3)))))
    return StudySettings(name=name, vary=vary)


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds a cell while the study worked: by the clock, and of processor time in its own process.

    The second counts scheduler, client and keeping, whatever else the machine is at. ``whole`` are the seconds of all.
    """

    clock: float
    processor: float
    whole: float


def timed(project: Project, out: Path, cells: int, workers: int) -> Cost:
    """Carry a study of ``cells`` cells out by ``workers``."""
    spec = StudySpec(project, out, "again", study_of(cells), backend="cpu", workers=WorkerSettings(workers))
    first: list[float] = []
    last: list[float] = []

    def hear(event: RunEvent) -> None:
        if isinstance(event, StudyProgress) and event.done:
            last[:] = [time.monotonic(), time.process_time(), event.done]
            first[:] = first or last
        elif isinstance(event, RunFinished):
            print(f"  {event.reason.value}: {event.message}")

    began = time.monotonic()
    execute(spec, hear, RunControl())
    clock, used, done = (end - begin for begin, end in zip(first, last, strict=True))
    return Cost(1e3 * clock / max(done, 1), 1e3 * used / max(done, 1), time.monotonic() - began)


def stopped(project: Project, out: Path, workers: int) -> float:
    """Seconds from the wish to stop to the end, with every worker at a cell of a minute."""
    given = WorkerSettings(workers)
    spec = StudySpec(project, out, "again", study_of(30, "slow for ever"), backend="cpu", workers=given)
    control = RunControl()
    asked: list[float] = []

    def hear(event: RunEvent) -> None:
        if isinstance(event, StudyProgress) and len(event.running) == max(workers, 1) and not asked:
            asked.append(time.monotonic())
            control.request_stop()

    execute(spec, hear, control)
    return time.monotonic() - asked[0]


def in_window(folder: Path, project: Project, cells: int, workers: int) -> None:
    """Print how late a timer of :data:`_TICK_MS` came while the window carried a study out and showed it."""
    app = make_application([])
    place = folder / "p.firegui"
    save_project(project, place)
    window = MainWindow(preferences=Preferences(QSettings(str(folder / "s.ini"), QSettings.Format.IniFormat)))
    window.resize(1440, 900)
    window.show()
    window.build_ui(Session())
    window.workbench.session.open_project(project, place)
    window.workbench.controller(StudyController)._execute = execute  # the fire itself is not what is measured
    window.workbench.show_panel("Study")
    controller, panel = window.workbench.controller(StudyController), window.workbench.panel("Study", StudyPanel)
    for page in (1, 4):
        late = _lateness(
            controller,
            lambda: controller.start(StudyRequest(StudyFile(".", study_of(cells)), WorkerSettings(workers))),
            panel,
            page,
        )
        found = np.array(late)
        said = f"{np.percentile(found, 50):.1f} ms (median), {np.percentile(found, 99):.1f} ms (99 %)"
        print(f"  {panel.pages.tabText(page)}: late by {said}, {found.max():.0f} ms at worst, {len(found):,} ticks")
    window.stop_work()
    app.processEvents()


def _lateness(controller: StudyController, start: Callable[[], object], panel: StudyPanel, page: int) -> list[float]:
    """How late each tick came, in ms, from the start of a study to its end, with one of the dock's pages in front."""
    loop, late, last = QEventLoop(), [], [0.0]

    def tick() -> None:
        now = time.perf_counter()
        late.append(1e3 * (now - last[0]) - _TICK_MS)
        last[0] = now

    def leave() -> None:
        if not controller.is_busy:
            loop.quit()

    start()
    panel.pages.setCurrentIndex(page)
    timer = QTimer(interval=_TICK_MS)
    timer.timeout.connect(tick)
    controller.changed.connect(leave)
    last[0] = time.perf_counter()
    timer.start()
    loop.exec()
    controller.changed.disconnect(leave)
    return late


def main(words: Sequence[str] | None = None) -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--window", action="store_true")
    asked = parser.parse_args(words)
    project = make_project()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if asked.window:
            print(f"{asked.cells:,} cells in the window, {asked.workers} workers:")
            in_window(folder, project, asked.cells, asked.workers)
            return
        for workers in (0, asked.workers):
            print(f"{asked.cells:,} cells, {workers or 'no'} workers:")
            cost = timed(project, folder / f"s{workers}", asked.cells, workers)
            print(f"  {cost.clock:.2f} ms a cell by the clock, {cost.processor:.2f} ms of processor time;"
                  f" {cost.whole:.1f} s with everything")  # fmt: skip
        print(f"a stop with {asked.workers} workers at work: {stopped(project, folder / 'stop', asked.workers):.2f} s")


if __name__ == "__main__":
    main()

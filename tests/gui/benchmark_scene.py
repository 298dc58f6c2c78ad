"""Benchmark panels as tests of the window have them: of a saved project, shown, with a runner that computes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from pytestqt.qtbot import QtBot

from firegui.domain.benchmark import BenchmarkSettings, PlannerName
from firegui.gui.analyses.benchmark.benchmark_controller import BenchmarkController
from firegui.gui.analyses.benchmark.benchmark_panel import BenchmarkPanel
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from tests.gui.fake_benchmarks import Contest

NOW = datetime(2026, 3, 4, 5, 6, 7)
SMALL = BenchmarkSettings(
    planners=(PlannerName.NONE, PlannerName.TACTICAL, PlannerName.GRADIENT), seeds=2, allowance=600, budget=40
)
Made = tuple[BenchmarkPanel, BenchmarkController]
Make = Callable[..., Made]


def made_panels(qtbot: QtBot, session: Session, queue: RunQueue) -> Iterator[Make]:
    """Makes panels whose runner is ``execute`` and which show fires through ``on``; ends their desks afterwards."""
    desks: list[BenchmarkController] = []

    def made(execute: object = None, on: RunQueue = queue) -> Made:
        desk = BenchmarkController(session, clock=lambda: NOW, execute=execute or Contest())  # type: ignore[arg-type]
        desks.append(desk)
        panel = BenchmarkPanel(session, on, desk)
        panel.start_requested.connect(panel.start)
        qtbot.addWidget(panel)
        panel.resize(1180, 620)
        with qtbot.waitActive(panel):
            panel.show()
            panel.activateWindow()
        return panel, desk

    yield made
    for desk in desks:
        desk.shutdown()
        desk.deleteLater()


def reopen(panel: BenchmarkPanel, number: int = 1) -> None:
    """Choose an earlier benchmark from the list."""
    panel.earlier.setCurrentIndex(number)
    panel.earlier.activated.emit(number)

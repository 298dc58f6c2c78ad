"""Benchmark panels for tests: of a saved project, shown, with a runner that computes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from firegui.domain.benchmark import BenchmarkSettings, PlannerName
from firegui.domain.project import Project
from firegui.gui.analyses.benchmark.benchmark_controller import SAVED_BENCHMARKS, BenchmarkController
from firegui.gui.analyses.benchmark.benchmark_panel import BenchmarkPanel
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from tests.gui.fake_benchmarks import Contest, write_benchmark
from tests.gui.hands import LEFT, show_widget

NOW = datetime(2026, 3, 4, 5, 6, 7)
SMALL = BenchmarkSettings(
    planners=(PlannerName.NONE, PlannerName.TACTICAL, PlannerName.GRADIENT), seeds=2, allowance=600, budget=40
)
Made = tuple[BenchmarkPanel, BenchmarkController]
Make = Callable[..., Made]


def made_panels(qtbot: QtBot, session: Session, queue: RunQueue) -> Iterator[Make]:
    """Yield a function that makes panels with the runner ``execute``; shut them down afterwards.

    The panels show fires through ``on``.
    """
    controllers: list[BenchmarkController] = []

    def made(execute: object = None, on: RunQueue = queue) -> Made:
        controller = BenchmarkController(session, clock=lambda: NOW, execute=execute or Contest())  # type: ignore[arg-type]
        controllers.append(controller)
        panel = BenchmarkPanel(session, on, controller)
        panel.start_requested.connect(panel.start)
        show_widget(qtbot, panel, 1180, 620)
        return panel, controller

    yield made
    for controller in controllers:
        controller.shutdown()
        controller.deleteLater()


def reopen(panel: BenchmarkPanel, number: int = 1) -> None:
    """Select a saved benchmark in the list."""
    panel.saved_list.setCurrentIndex(number)
    panel.saved_list.activated.emit(number)


def save_benchmark(saved: Path, project: Project, **options: Any) -> Path:
    """Write a benchmark to a saved project, and return its folder; see :func:`write_benchmark`."""
    folder = saved / SAVED_BENCHMARKS.directory / "20260101-000000-A"
    write_benchmark(folder, project, SMALL, **options)
    return folder


def export_to(monkeypatch: pytest.MonkeyPatch, panel: BenchmarkPanel, folder: Path) -> None:
    """Press Export and choose ``folder``."""
    folder.mkdir(exist_ok=True)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_args, **_more: str(folder))
    QTest.mouseClick(panel.button("export"), LEFT)

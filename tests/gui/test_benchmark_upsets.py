"""Benchmarks with problems: interrupted, failed tasks, missing files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.domain.benchmark import PlannerName, PlannerTask, tasks_of
from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.gui.analyses.benchmark.benchmark_controller import seconds_left
from firegui.gui.base.theme import current_colors
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import FireView, Session, ShownResult
from firegui.runs.control import RunControl
from firegui.runs.events import BenchmarkProgress, BenchmarkReady, RunEvent, RunFinished
from firegui.runs.spec import BenchmarkSpec, RunSpec
from firegui.runs.stages import FinishReason
from tests.gui.benchmark_scene import SMALL, Make, export_to, made_panels, reopen, save_benchmark
from tests.gui.fake_benchmarks import Contest, table, write_benchmark
from tests.gui.fake_runs import FakeExecute, frames, metrics
from tests.gui.hands import LEFT, cell_text

P = PlannerName
LAST = PlannerTask(P.GRADIENT, 1)
WHY = "its process was ended (memory)"


class Failing:
    """Test double of the runner: all tasks but the last are done, which fails; ends when allowed."""

    def __init__(self) -> None:
        self.may_end = threading.Event()

    def __call__(self, spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        assert isinstance(spec, BenchmarkSpec)
        done = len(tasks_of(spec.settings)) - 1
        emit(BenchmarkReady(write_benchmark(spec.out, spec.project, spec.settings, done=done, reason=None)))
        emit(BenchmarkProgress((), done, done + 1, 60.0, ((LAST, WHY),)))
        while not self.may_end.wait(0.001) and not control.stop_requested:
            pass
        write_benchmark(spec.out, spec.project, spec.settings, done=done, reason=FinishReason.FAILED)
        emit(RunFinished(FinishReason.FAILED, "a task failed", None, None, spec.out))


@pytest.fixture
def make(qtbot: QtBot, session: Session, queue: RunQueue, saved: Path) -> Iterator[Make]:
    yield from made_panels(qtbot, session, queue)


# -- cut short ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("reason", [None, FinishReason.STOPPED, FinishReason.FAILED])
def test_one_that_was_cut_short_after_its_last_task_can_be_finished(
    qtbot: QtBot, make: Make, project: Project, saved: Path, reason: FinishReason | None
) -> None:
    save_benchmark(saved, project, reason=reason)
    execute = Contest()
    panel, controller = make(execute)
    reopen(panel)
    assert panel.saved_list.currentText().endswith("5 tasks, not finished")
    QTest.mouseClick(panel.button("resume"), LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy)
    (spec,) = execute.specs
    assert spec.resume and spec.settings == SMALL
    assert panel.saved_list.currentText().endswith("5 tasks")
    assert not panel.button("resume").isEnabled()


@pytest.mark.parametrize(
    ("reason", "done", "said"),
    [
        (None, None, "figures are drawn when you go on with it"),
        (FinishReason.STOPPED, 3, "figures are drawn once every task is done"),
        (FinishReason.COMPLETED, None, "it has no figures"),
    ],
    ids=["cut short", "tasks missing", "deleted"],
)
def test_an_export_without_figures_says_how_there_will_be_some(
    monkeypatch: pytest.MonkeyPatch, make: Make, session: Session, project: Project, saved: Path, tmp_path: Path,
    reason: FinishReason | None, done: int | None, said: str,
) -> None:  # fmt: skip
    save_benchmark(saved, project, done=done, reason=reason)
    panel, _controller = make()
    reopen(panel)
    told: list[str] = []
    session.message.connect(told.append)
    export_to(monkeypatch, panel, tmp_path / "out")
    assert told[-1].endswith(f"; {said}")


# -- tasks that fail ---------------------------------------------------------------------------------------------------
def test_a_task_that_failed_says_so_and_why_at_work_and_afterwards(
    qtbot: QtBot, make: Make, refusals: list[InputError]
) -> None:
    execute = Failing()
    panel, controller = make(execute)
    panel.form.set_settings(SMALL)
    QTest.mouseClick(panel.button("start"), LEFT)
    qtbot.waitUntil(lambda: bool(controller.failed))
    assert controller.activity == "4 of 5 tasks, 1 failed · 1:00"
    assert (controller.share, panel.bar.value()) == (1.0, 1000)

    def said(role: Qt.ItemDataRole) -> object:
        assert cell_text(panel.tasks_view, 0, 0) == "Gradient (seed 1)"
        return panel.tasks.index(0, 1).data(role)

    for at_work in (True, False):
        assert controller.is_busy is at_work
        assert said(Qt.ItemDataRole.DisplayRole) == "failed"
        assert said(Qt.ItemDataRole.ToolTipRole) == WHY
        assert said(Qt.ItemDataRole.ForegroundRole).name() == current_colors().error  # type: ignore[attr-defined]
        assert cell_text(panel.tasks_view, 1, 1) == "done"
        execute.may_end.set()
        qtbot.waitUntil(lambda: not controller.is_busy)
    assert "a task failed" in str(refusals[0])


def test_what_failed_before_waits_when_it_is_tried_again(qtbot: QtBot, make: Make, refusals: list[InputError]) -> None:
    execute = Failing()
    execute.may_end.set()
    panel, controller = make(execute)
    panel.form.set_settings(SMALL)
    QTest.mouseClick(panel.button("start"), LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy and bool(refusals))
    controller._execute = Contest(endless=True, at=4)
    QTest.mouseClick(panel.button("resume"), LEFT)
    qtbot.waitUntil(lambda: cell_text(panel.tasks_view, 0, 1) == "running")
    assert not controller.failed


def test_the_time_left_leaves_out_what_failed() -> None:
    found = table(replace(SMALL, allowance=1_000), done=4)
    charged = sum(row.evaluations for row in found.rows)
    assert seconds_left(found, charged, 10.0) == pytest.approx(1_000 * 10.0 / charged)
    assert seconds_left(found, charged, 10.0, {LAST}) == 0.0


# -- comparisons that are left -----------------------------------------------------------------------------------------
def test_a_comparison_that_gave_way_to_something_else_does_not_turn_the_map_later(
    qtbot: QtBot, make: Make, session: Session, project: Project, saved: Path
) -> None:
    folder = save_benchmark(saved, project)
    queue = RunQueue(session, execute=FakeExecute())
    panel, controller = make(on=queue)
    controller.open(folder)
    panel.compare(LAST, PlannerTask(P.TACTICAL, 0))
    qtbot.waitUntil(lambda: session.view is FireView.DIFFERENCE)
    panel.compare(LAST, PlannerTask(P.TACTICAL, 1))
    queue.show_baseline()
    qtbot.waitUntil(lambda: session.result.baseline is not None and not queue.activity)
    fires = (frames(project, 6), metrics(9.0), frames(project), metrics(3.0, 2))
    session.show_result(ShownResult("run 2", *fires, project=project, against="run 1"))
    assert session.view is FireView.PLAN
    queue.shutdown()
    queue.deleteLater()

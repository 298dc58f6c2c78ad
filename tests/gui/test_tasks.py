"""Background tasks: slow reading and writing in the window."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QProgressDialog, QWidget
from pytestqt.qtbot import QtBot

from firegui.errors import CancelledError, Check, InputError, Problem
from firegui.gui.base import tasks
from firegui.gui.base.tasks import LatestTask, Task, wait_for
from firegui.io.safe_open import processes
from tests.unit.io import reader_faults


def test_wait_for_returns_the_result_of_another_thread(qtbot: QtBot) -> None:
    threads = wait_for(None, "", lambda: threading.get_ident())
    assert threads != threading.get_ident()


def test_wait_for_raises_what_the_function_raised(qtbot: QtBot) -> None:
    error = InputError([Problem("there", "bad")])

    def fail() -> None:
        raise error

    with pytest.raises(InputError) as caught:
        wait_for(None, "", fail)
    assert caught.value is error


def test_the_event_loop_runs_while_waiting(qtbot: QtBot) -> None:
    ticks: list[int] = []
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append(1))
    timer.start(1)
    resume_stopped = threading.Event()
    QTimer.singleShot(50, resume_stopped.set)
    assert wait_for(None, "", lambda: resume_stopped.wait(10))
    assert ticks


def test_a_box_is_shown_during_a_long_wait(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_PATIENCE_MS", 1)
    parent = QWidget()
    qtbot.addWidget(parent)
    resume_stopped, seen = threading.Event(), []

    def look() -> None:
        boxes = [box for box in QApplication.topLevelWidgets() if isinstance(box, QProgressDialog) and box.isVisible()]
        if boxes:
            seen.append(boxes[0].labelText())
            resume_stopped.set()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(5)
    assert wait_for(parent, "Opening Bear…", lambda: resume_stopped.wait(10))
    assert set(seen) == {"Opening Bear…"}
    assert not any(isinstance(box, QProgressDialog) and box.isVisible() for box in QApplication.topLevelWidgets())


def test_the_waiting_box_cannot_be_closed(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_PATIENCE_MS", 1)
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    resume_stopped, seen = threading.Event(), []

    def try_to_shut() -> None:
        box = QApplication.activeModalWidget()
        if box is not None:
            QTest.keyClick(box, Qt.Key.Key_Escape)
            box.close()
            seen.append(QApplication.activeModalWidget() is box)
            resume_stopped.set()

    timer = QTimer()
    timer.timeout.connect(try_to_shut)
    timer.start(5)
    assert wait_for(parent, "Saving…", lambda: resume_stopped.wait(10))
    assert seen and all(seen)
    assert QApplication.activeModalWidget() is None


# -- the latest request ------------------------------------------------------------------------------------------------
@pytest.fixture
def latest(qtbot: QtBot) -> Iterator[LatestTask]:
    made = LatestTask(settle_ms=10)
    yield made
    made.shutdown()
    made.deleteLater()


def test_a_request_runs_in_another_thread(qtbot: QtBot, latest: LatestTask) -> None:
    with qtbot.waitSignal(latest.returned) as found:
        latest.request(lambda _check: threading.get_ident())
    assert found.args != [threading.get_ident()]
    assert not latest.is_busy


def test_only_the_last_of_several_quick_requests_runs(qtbot: QtBot, latest: LatestTask) -> None:
    begun: list[int] = []

    def work(number: int, _check: Check) -> int:
        begun.append(number)
        return number

    with qtbot.waitSignal(latest.returned) as found:
        for number in range(4):
            latest.request(partial(work, number))
    assert found.args == [3] and begun == [3]


class Endless:
    """Work that ends only when it is cancelled."""

    def __init__(self) -> None:
        self.at_work, self.ended = threading.Event(), threading.Event()

    def __call__(self, check: Check) -> None:
        self.at_work.set()
        try:
            while True:
                check()
                time.sleep(0.001)
        finally:
            self.ended.set()


def test_a_superseded_request_is_cancelled_without_a_signal(qtbot: QtBot, latest: LatestTask) -> None:
    endless, said = Endless(), list[object]()
    latest.returned.connect(said.append)
    latest.request(endless)
    qtbot.waitUntil(endless.at_work.is_set)
    with qtbot.waitSignal(latest.returned):
        latest.request(lambda _check: "the second")
    assert endless.ended.is_set() and said == ["the second"]


def test_an_exception_is_emitted(qtbot: QtBot, latest: LatestTask) -> None:
    error = InputError([Problem("there", "bad")])

    def fail(_check: Check) -> None:
        raise error

    with qtbot.waitSignal(latest.raised) as found:
        latest.request(fail)
    assert found.args == [error]


def test_shutdown_waits_for_cancelled_work_which_emits_nothing(qtbot: QtBot, latest: LatestTask) -> None:
    endless, said = Endless(), list[object]()
    for signal in (latest.returned, latest.raised):
        signal.connect(said.append)
    latest.request(endless)
    qtbot.waitUntil(endless.at_work.is_set)
    assert latest.is_busy
    latest.cancel()
    assert not latest.is_busy
    latest.shutdown()
    assert endless.ended.is_set()
    QApplication.processEvents()
    assert said == []


# -- ownership ---------------------------------------------------------------------------------------------------------
def test_a_task_ends_once_and_drops_its_function(qtbot: QtBot) -> None:
    ends: list[Task[int]] = []
    task = Task(lambda _task: 3)
    task.ended.connect(ends.append)
    with qtbot.waitSignal(task.ended):
        task.start()
    task.join()
    assert ends == [task] and task.result() == 3
    assert task._function is None


def test_a_stopped_task_is_cancelled_and_over(qtbot: QtBot) -> None:
    def endless(task: Task[None]) -> None:
        while True:
            task.check()
            time.sleep(0.001)

    task = Task(endless)
    task.start()
    task.stop()
    assert task.isFinished() and task.is_cancelled
    with pytest.raises(CancelledError):
        task.result()


def test_intermediate_results_arrive_in_the_thread_of_the_window(qtbot: QtBot) -> None:
    class Receiver(QObject):
        threads: ClassVar[list[int]] = []

        def receive(self, _number: int) -> None:
            self.threads.append(threading.get_ident())

    receiver = Receiver()
    task = Task(lambda task: task.reported.emit(1))
    task.reported.connect(receiver.receive, Qt.ConnectionType.QueuedConnection)
    with qtbot.waitSignal(task.ended):
        task.start()
    qtbot.waitUntil(lambda: receiver.threads == [threading.get_ident()])


@pytest.mark.skipif(sys.platform == "win32", reason="the fault is made with the library of POSIX")
def test_a_task_that_waits_for_a_hanging_reader_of_files_is_stopped(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_START", reader_faults.START)
    pool = processes.ReaderPool()
    task: Task[object] = Task(lambda task: pool.call("fault.hang", tmp_path / "hangs"))
    task.start()
    qtbot.waitUntil((tmp_path / "hangs").is_file)

    task.stop()

    with pytest.raises(CancelledError):
        task.result()
    pool.close()

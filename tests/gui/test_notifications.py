"""Notifications: running work, the machine kept awake, and the message at the end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from firegui.gui.jobs.run_job import UnfinishedWork
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.window.notifications import LONG_SECONDS, ActivityMonitor, CompletionNotifier, FinishedWork
from firegui.gui.window.sleep_inhibitor import Answer, ProgramBackend, SleepInhibitor, system_backends
from firegui.runs.stages import RunState
from tests.gui.fake_runs import FakeExecute

REPOSITORY = Path(__file__).resolve().parents[2]


class Clock:
    """Clock that shows the set time."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class AnalysisController(QObject):
    """Analysis controller beside the runs."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.works = False

    def work(self) -> UnfinishedWork | None:
        return UnfinishedWork("Calibration", "weights", lambda: None, lambda: None) if self.works else None

    def turn(self, on: bool) -> None:
        self.works = on
        self.changed.emit()

    def work_for(self, clock: Clock, seconds: float) -> None:
        self.turn(True)
        clock.now = seconds
        self.turn(False)


class FakeMeans:
    """Keeps the machine awake, or reports why not, when released."""

    def __init__(self, name: str, trouble: str = "", *, later: bool = False) -> None:
        self.name, self.trouble, self.later = name, trouble, later
        self.calls: list[str] = []
        self.answers: list[Answer] = []

    def begin(self, why: str, answer: Answer) -> None:
        self.calls.append("begin")
        self.answers.append(answer)
        if not self.later:
            answer(self.trouble)

    def end(self) -> None:
        self.calls.append("end")


@pytest.fixture
def execute(saved: Path) -> FakeExecute:
    return FakeExecute(endless=True)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def controller(qapp: object) -> AnalysisController:
    return AnalysisController()


@pytest.fixture
def work(queue: RunQueue, clock: Clock, controller: AnalysisController) -> ActivityMonitor:
    made = ActivityMonitor(queue, clock=clock)
    made.watch(controller.changed, controller.work)
    return made


# -- which work --------------------------------------------------------------------------------------------------------
def test_a_run_keeps_it_busy_until_it_is_paused_or_over(qtbot: QtBot, queue: RunQueue, work: ActivityMonitor) -> None:
    turns: list[bool] = []
    work.changed.connect(turns.append)
    entry = queue.plan()
    qtbot.waitUntil(lambda: entry.epoch > 0)
    queue.pause()
    qtbot.waitUntil(lambda: entry.state is RunState.PAUSED)
    assert turns == [True, False]
    queue.resume()
    qtbot.waitUntil(lambda: entry.state is RunState.RUNNING)
    queue.stop()
    qtbot.waitUntil(lambda: not queue.is_busy)
    assert turns == [True, False, True, False]


def test_what_ended_is_told_with_its_time_and_its_outcome(
    qtbot: QtBot, queue: RunQueue, work: ActivityMonitor, clock: Clock, controller: AnalysisController
) -> None:
    ended: list[FinishedWork] = []
    work.ended.connect(ended.append)
    entry = queue.plan()
    qtbot.waitUntil(lambda: entry.epoch > 0)
    controller.turn(True)
    clock.now = 90.0
    controller.turn(False)
    queue.stop()
    qtbot.waitUntil(lambda: len(ended) == 2)
    assert [(each.title, each.seconds) for each in ended] == [("Calibration", 90.0), (entry.title, 90.0)]
    assert ended[1].text.startswith("stopped: ")


# -- awake -------------------------------------------------------------------------------------------------------------
def test_the_first_means_that_works_is_used_and_let_go_of(
    controller: AnalysisController, work: ActivityMonitor
) -> None:
    means = [FakeMeans("bus", "there is none"), FakeMeans("helper"), FakeMeans("never")]
    awake = SleepInhibitor(work, means)
    said: list[tuple[str, str]] = []
    awake.reported.connect(lambda text, level: said.append((text, level)))
    controller.turn(True)
    assert awake.used == "helper"
    controller.turn(False)
    assert awake.used == ""
    assert [each.calls for each in means] == [["begin", "end"], ["begin", "end"], []]
    assert [level for _text, level in said] == ["info", "info"]
    assert "helper" in said[0][0]


def test_a_resumed_run_is_told_with_the_time_of_all_its_sessions(
    qtbot: QtBot, queue: RunQueue, work: ActivityMonitor, clock: Clock
) -> None:
    ended: list[FinishedWork] = []
    work.ended.connect(ended.append)
    entry = queue.plan()
    qtbot.waitUntil(lambda: entry.epoch > 0)
    clock.now = 67.0
    # What the folder of the run says, which is read when it ends.
    queue.changed.connect(lambda: setattr(entry, "seconds", 90.0))
    queue.stop()
    qtbot.waitUntil(lambda: bool(ended))
    assert ended[0].seconds == 90.0


def test_where_nothing_works_the_log_says_so_once(controller: AnalysisController, work: ActivityMonitor) -> None:
    awake = SleepInhibitor(work, [FakeMeans("bus", "there is none")])
    said: list[tuple[str, str]] = []
    awake.reported.connect(lambda text, level: said.append((text, level)))
    for _time in range(3):
        controller.turn(True)
        controller.turn(False)
    assert len(said) == 1
    assert said[0][1] == "warning" and "bus: there is none" in said[0][0]


def test_an_answer_that_comes_when_the_work_is_over_is_taken_back(
    controller: AnalysisController, work: ActivityMonitor
) -> None:
    slow = FakeMeans("bus", later=True)
    awake = SleepInhibitor(work, [slow])
    controller.turn(True)
    controller.turn(False)
    slow.answers[0]("")
    assert awake.used == "" and slow.calls == ["begin", "end"]


def test_a_means_that_ends_by_itself_is_followed_by_the_next(
    controller: AnalysisController, work: ActivityMonitor
) -> None:
    first, second = FakeMeans("first"), FakeMeans("second")
    awake = SleepInhibitor(work, [first, second])
    controller.turn(True)
    first.answers[0]("was killed")
    assert awake.used == "second"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such program")
def test_a_helper_runs_while_it_is_wanted_and_ends_with_its_input(qtbot: QtBot) -> None:
    answers: list[str] = []
    helper = ProgramBackend("cat", ("cat",))
    helper.begin("because", answers.append)
    qtbot.waitUntil(lambda: answers == [""])
    helper.end()
    assert answers == [""], "an end that was wanted is no trouble"


def test_a_helper_that_is_missing_or_fails_says_why(qtbot: QtBot) -> None:
    answers: list[str] = []
    ProgramBackend("none", ("no-such-program",)).begin("because", answers.append)
    assert answers == ["is not installed"]
    helper = ProgramBackend("python", (sys.executable, "-c", "import sys; sys.exit('access denied')"))
    answers.clear()
    helper.begin("because", answers.append)
    qtbot.waitUntil(lambda: len(answers) == 2)
    assert answers == ["", "access denied"]
    helper.end()


def test_this_system_has_means(qapp: object) -> None:
    parent = QObject()
    assert system_backends(parent)


DESKTOP = """
import sys
from PySide6.QtCore import ClassInfo, QCoreApplication, QObject, QTimer, Slot
from PySide6.QtDBus import QDBusConnection
@ClassInfo({"D-Bus Interface": "org.freedesktop.ScreenSaver"})
class Desktop(QObject):
    @Slot(str, str, result="uint")
    def Inhibit(self, program, why):
        print("INHIBIT", program, flush=True)
        return 41
app = QCoreApplication([])
desktop, bus = Desktop(), QDBusConnection.sessionBus()
everything = QDBusConnection.RegisterOption.ExportAllSlots
assert bus.registerObject("/org/freedesktop/ScreenSaver", desktop, everything)
assert bus.registerService("org.freedesktop.ScreenSaver")
bus.interface().serviceOwnerChanged.connect(lambda name, old, new: print("LEFT", flush=True) if not new else None)
print("READY", flush=True)
QTimer.singleShot(30000, app.quit)
app.exec()
"""
ASKER = """
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QTimer
from firegui.gui.window.sleep_inhibitor import ScreenSaverBackend
app = QCoreApplication([])
means = ScreenSaverBackend()
def seen():
    if "LEFT" in Path("said.txt").read_text():
        print("SEEN", flush=True)
        app.quit()
def answered(trouble):
    print("ANSWER", repr(trouble), flush=True)
    means.end()
    if trouble:
        app.quit()
    timer.start()
timer = QTimer(interval=50)
timer.timeout.connect(seen)
QTimer.singleShot(0, lambda: means.begin("a test", answered))
QTimer.singleShot(20000, app.quit)
app.exec()
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("dbus-run-session") is None, reason="there is no D-Bus to try it on")
@pytest.mark.parametrize("desktop", [True, False])
def test_the_desktop_is_asked_over_the_bus_and_told_when_it_is_over(tmp_path: Path, desktop: bool) -> None:
    (tmp_path / "desktop.py").write_text(DESKTOP)
    (tmp_path / "asker.py").write_text(ASKER)
    serve = f"{sys.executable} desktop.py > said.txt & while ! grep -q READY said.txt; do sleep 0.1; done; "
    stop = "kill $!" if desktop else "true"
    script = f"{serve if desktop else ''}{sys.executable} asker.py; {stop}"
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY), "QT_QPA_PLATFORM": "offscreen"}
    words = ["dbus-run-session", "--", "sh", "-c", script]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    if desktop:
        assert "ANSWER ''" in done.stdout, done.stderr
        assert "INHIBIT firegui" in (tmp_path / "said.txt").read_text()
        assert "SEEN" in done.stdout, "the connection was given up while the program went on"
    else:
        assert "ANSWER 'The name" in done.stdout, done.stdout + done.stderr


# -- the notice --------------------------------------------------------------------------------------------------------
@pytest.fixture
def told() -> list[tuple[str, str]]:
    return []


@pytest.fixture
def notice(
    qtbot: QtBot, session: Session, work: ActivityMonitor, told: list[tuple[str, str]]
) -> Callable[[bool], QWidget]:
    """Return a function that makes a window with a completion notifier, with a tray or without one."""

    def make(tray: bool) -> QWidget:
        window = QWidget()
        qtbot.addWidget(window)

        def tell(title: str, text: str) -> bool:
            told.append((title, text))
            return tray

        CompletionNotifier(work, session, window, tell)
        return window

    return make


def test_long_work_that_ends_unseen_is_told_by_the_tray_and_in_the_status_bar(
    controller: AnalysisController,
    clock: Clock,
    notice: Callable[[bool], QWidget],
    told: list[tuple[str, str]],
    messages: list[str],
) -> None:
    notice(True)
    controller.work_for(clock, LONG_SECONDS + 5.0)
    assert told == [("Calibration · 1:05", "Calibration has ended.")]
    assert messages == ["Calibration · 1:05 · Calibration has ended."]


def test_short_work_is_not_told(
    controller: AnalysisController, clock: Clock, notice: Callable[[bool], QWidget], told: list[tuple[str, str]]
) -> None:
    notice(True)
    controller.work_for(clock, LONG_SECONDS - 1.0)
    assert told == []


def test_without_a_tray_the_window_asks_for_attention(
    controller: AnalysisController, clock: Clock, notice: Callable[[bool], QWidget], monkeypatch: pytest.MonkeyPatch
) -> None:
    alerted: list[object] = []
    monkeypatch.setattr("firegui.gui.window.notifications.QApplication.alert", lambda window: alerted.append(window))
    window = notice(False)
    controller.work_for(clock, LONG_SECONDS + 5.0)
    assert alerted == [window]


def test_a_person_who_looks_on_is_not_called(
    qtbot: QtBot, controller: AnalysisController, clock: Clock, notice: Callable[[bool], QWidget],
    told: list[tuple[str, str]], messages: list[str],
) -> None:  # fmt: skip
    window = notice(True)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    controller.work_for(clock, LONG_SECONDS + 5.0)
    assert told == [] and len(messages) == 1

"""The choice of a schedule follows the run on screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from firegui.gui.analyses.schedule_choice import ScheduleChoice
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.widgets.fields import NameComboBox
from firegui.runs.stages import Stage
from tests.gui.fake_runs import FakeExecute, wait_idle
from tests.gui.hands import shown_tip

PLAN = "plan.safetensors"


@pytest.fixture
def execute(saved: Path) -> FakeExecute:
    return FakeExecute()


@pytest.fixture
def choice(qtbot: QtBot, queue: RunQueue, monkeypatch: pytest.MonkeyPatch) -> ScheduleChoice:
    """Return the choice of a queue whose runs all keep a plan."""
    monkeypatch.setattr("firegui.gui.analyses.schedule_choice.kept_plan", lambda folder: folder / PLAN)
    window = QWidget()
    qtbot.addWidget(window)
    return ScheduleChoice(queue, window, "A schedule")


def test_a_run_that_ends_on_screen_is_chosen(
    qtbot: QtBot, queue: RunQueue, execute: FakeExecute, choice: ScheduleChoice
) -> None:
    first = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    assert choice.file == first.folder / PLAN
    execute.endless = True
    second = queue.plan((Stage.OPTIMIZE,))
    qtbot.waitUntil(lambda: queue.shown is second and second.epoch > 1)
    assert choice.file == first.folder / PLAN, "it has no plan yet"
    queue.stop()
    wait_idle(qtbot, queue)
    assert choice.file == second.folder / PLAN


def test_what_the_user_chose_while_a_run_worked_stays(
    qtbot: QtBot, queue: RunQueue, execute: FakeExecute, choice: ScheduleChoice
) -> None:
    first = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    execute.endless = True
    second = queue.plan((Stage.OPTIMIZE,))
    qtbot.waitUntil(lambda: queue.shown is second and second.epoch > 1)
    choice.box.activated.emit(choice.box.currentIndex())
    queue.stop()
    wait_idle(qtbot, queue)
    assert choice.file == first.folder / PLAN


def test_what_the_user_chose_stays_when_another_run_is_shown_until_the_shown_run_is_chosen(
    qtbot: QtBot, queue: RunQueue, execute: FakeExecute, choice: ScheduleChoice
) -> None:
    runs = []
    for _ in range(3):
        runs.append(queue.plan((Stage.OPTIMIZE,)))
        wait_idle(qtbot, queue)
    files = [str(run.folder / PLAN) for run in runs]

    def show(number: int) -> None:
        # The plans of these runs cannot be computed.
        queue._presenter.set_shown(runs[number])
        assert queue.shown is runs[number]

    def choose(number: int) -> None:
        choice.box.setCurrentIndex(choice.box.findData(files[number]))
        choice.box.activated.emit(choice.box.currentIndex())

    show(0)
    assert str(choice.file) == files[0], "the run on the map is the default"
    choose(1)
    show(2)
    assert str(choice.file) == files[1], "chosen by hand"
    choose(2)
    show(0)
    assert str(choice.file) == files[0]


def test_the_ends_of_a_long_name_are_drawn_and_the_tooltip_has_all_of_it(
    qtbot: QtBot, queue: RunQueue, execute: FakeExecute, choice: ScheduleChoice
) -> None:
    run = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    assert isinstance(choice.box, NameComboBox)
    choice.box.resize(180, 24)
    run.title = "Whole fire and regions, 19 August 12:00, replanned 13:45"
    queue.changed.emit()
    drawn = choice.box.drawn_text
    assert drawn.startswith("Whole") and drawn.endswith("13:45") and len(drawn) < len(run.title)
    assert run.title in " ".join(shown_tip(choice.box).split())
    # A list that is filled while its signals are blocked has the right tip, too.
    run.title = "Whole fire and regions, 19 August 12:00, replanned 16:00"
    queue.changed.emit()
    assert run.title in " ".join(shown_tip(choice.box).split()) and choice.box.toolTip() in shown_tip(choice.box)

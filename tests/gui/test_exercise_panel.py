"""Exercise dock on the real engine: start, stop, view, edit drops, resume."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from firegui.domain.drops import DropList
from firegui.domain.exercise import Decision
from firegui.domain.fleet import Fleet
from firegui.domain.project import Project
from firegui.domain.stress import EXPECTED, StressScenario, StressSet
from firegui.domain.units import amount_text
from firegui.errors import InputError
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.planning.exercise_panel import ExercisePanel
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workbench import Workbench
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.io.project.store import load_project, save_project
from firegui.runs.control import RunControl
from firegui.runs.run_requests import WarmStart, plan_spec
from firegui.runs.runner import execute as run_execute
from firegui.runs.stages import FinishReason, Stage
from tests.gui.conftest import Execute
from tests.gui.fake_runs import wait_idle
from tests.gui.hands import LEFT, cell_text, centre_of, type_into_field
from tests.gui.readouts import cursor_of
from tests.support import STEPS_PER_DAY, assert_same_files
from tests.unit.runs.replan_scene import old_schedule, project_of

pytestmark = pytest.mark.usefixtures("short_repairs")

LONG_MS = 120_000
FAILING = StressScenario("failing", failure_rate=0.3, draws=3)
FILES = ("plan.safetensors", "closed_loop.csv", "fire.npz", "loop.safetensors")


@pytest.fixture
def project() -> Project:
    return replace(project_of(2), stress=StressSet((FAILING,), seed=4))


@pytest.fixture
def execute() -> Execute:
    return run_execute


@pytest.fixture
def bench(
    qtbot: QtBot, window: MainWindow, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Workbench:
    """Return the workbench on a saved project with one shown run, and the dock in front."""
    monkeypatch.setattr("firegui.gui.window.main_window.show_problems", lambda *_: None)
    folder, file, bench = tmp_path / "P.firegui", tmp_path / "old.safetensors", window.workbench
    save_project(project, folder)
    schedule = old_schedule(project)
    write_plan_safetensors(file, schedule)
    spec = plan_spec(
        project, folder, datetime(2026, 3, 4), stages=(Stage.KEEP,), start=WarmStart(schedule, file), backend="cpu"
    )
    run_execute(spec, lambda _event: None, RunControl())
    wait_idle(qtbot, bench.queue, LONG_MS)
    bench.session.open_project(load_project(folder), folder)
    wait_idle(qtbot, bench.queue, LONG_MS)
    bench.queue.show(bench.queue.entries[0])
    wait_idle(qtbot, bench.queue, LONG_MS)
    bench.actions["show_exercise"].trigger()
    return bench


def panel_of(bench: Workbench) -> ExercisePanel:
    panel = bench.panels["Exercise"]
    assert isinstance(panel, ExercisePanel)
    return panel


def press(bench: Workbench, name: str) -> None:
    button = panel_of(bench).button(name)
    assert button.isVisible() and button.isEnabled(), name
    QTest.mouseClick(button, LEFT)


def test_the_form_says_what_a_start_takes_and_which_fire_is_drawn(bench: Workbench) -> None:
    panel = panel_of(bench)
    panel.every.setCurrentIndex(panel.every.findData(12.0))
    assert panel.cost.isVisible() and panel.cost.text() == "7 short replannings, each of seconds to minutes."
    assert panel.draw.suffix() == ""
    panel.scenario.setCurrentIndex(panel.scenario.findText("failing"))
    assert panel.draw.suffix() == " of 3" and panel.draw.accessibleName() == "Drawn fire"
    panel.draw.setValue(5)
    assert panel.draw.suffix() == ""


def pick(box: QComboBox, text: str) -> None:
    """Select an entry with the keys, as a user does."""
    box.setFocus()
    for _each in range(box.count()):
        QTest.keyClick(box, Qt.Key.Key_Up)
    while box.currentText() != text:
        before = box.currentIndex()
        QTest.keyClick(box, Qt.Key.Key_Down)
        assert box.currentIndex() > before, f"{text} is not offered"


def fill(bench: Workbench, qtbot: QtBot, scenario: str = "failing", every: str = "12 h", stop: str = "the end") -> None:
    panel = panel_of(bench)
    pick(panel.scenario, scenario)
    pick(panel.every, every)
    type_into_field(qtbot, panel.draw, "2")
    pick(panel.stop_at, stop)


def fly(bench: Workbench, qtbot: QtBot, name: str) -> RunEntry:
    """Press a button and wait until the exercise has ended and is shown."""
    press(bench, name)
    wait_idle(qtbot, bench.queue, LONG_MS)
    entry = bench.queue.shown
    assert entry is not None and entry.flies_loop
    return entry


def column(bench: Workbench, title: str) -> list[str]:
    panel = panel_of(bench)
    at = [one.title for one in panel.model.columns].index(title)
    return [cell_text(panel.table, row, at) for row in range(panel.model.rowCount())]


def test_an_exercise_is_flown_shown_stopped_edited_and_gone_on_with(
    qtbot: QtBot, bench: Workbench, project: Project
) -> None:
    panel, session = panel_of(bench), bench.session
    fill(bench, qtbot)
    whole = fly(bench, qtbot, "start")
    assert whole.reason is FinishReason.COMPLETED
    assert whole.note is not None and whole.note.exercise is not None
    assert (whole.note.exercise.name, whole.note.exercise.repair_hours, whole.note.draw) == ("failing", 12.0, 1)
    area = project.scenario.grid.cell_area_ha
    # One row per observation: the fire that was observed is the fire that burned.
    assert column(bench, "Observed")[:3] == ["Day 1 · 00:00", "Day 1 · 12:00", "Day 2 · 00:00"]
    assert len(column(bench, "Seen")) == 2 * project.calendar.days
    assert column(bench, "Seen")[1:] == column(bench, "Burned")[:-1]
    assert column(bench, "Burned") == [amount_text(area * day.loop_cells) for day in whole.loop]
    assert column(bench, "Plan") == [str(day.decision) for day in whole.loop]
    assert panel.chart.curve_points(0)[1] == pytest.approx([area * day.loop_cells for day in whole.loop])
    # Selecting a row moves the map to its time.
    QTest.mouseClick(panel.table.viewport(), LEFT, pos=centre_of(panel.table, 3, 1))
    assert session.step == 3 * STEPS_PER_DAY // 2
    assert cursor_of(panel.chart) == pytest.approx(1.5)
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    assert session.step == 2 * STEPS_PER_DAY

    # Stop in the morning of the second day, and resume without edits: as if it had not been stopped.
    fill(bench, qtbot, stop="Day 2 · 00:00")
    stopped = fly(bench, qtbot, "start")
    assert stopped is not whole and stopped.reason is FinishReason.STOPPED
    assert stopped.loop == whole.loop[:2]
    assert "Stopped at Day 2 · 00:00" in panel.head.text()
    # The drops of the second day are removed; those of the first were flown.
    editor = session.plan_editor
    assert not editor.obstacle
    later = [drop for drop in editor.drops.drops if drop.step >= STEPS_PER_DAY]
    assert later
    editor.edit("no more drops", DropList(tuple(drop for drop in editor.drops.drops if drop not in later)), None)
    edited = fly(bench, qtbot, "resume")
    assert edited is not stopped and edited.reason is FinishReason.COMPLETED
    assert edited.loop[:2] == stopped.loop
    assert (edited.loop[2].decision, edited.loop[2].loop_drops) == (Decision.BY_HAND, 0)
    assert column(bench, "Plan")[2] == "by hand"
    # The edits belong to that run: they make no other run.
    assert len(bench.queue.entries) == 4
    # A plan that was named by its run folder has the name of that run.
    first = bench.queue.entries[0]
    for source in (first.folder, first.folder / "schedule.csv"):
        edited.source = source
        panel.refresh()
        assert panel.plan_name.text() == first.title
    bench.queue.show(stopped)
    wait_idle(qtbot, bench.queue, LONG_MS)
    assert fly(bench, qtbot, "resume") is stopped
    assert_same_files(stopped.folder, whole.folder, *FILES)


def test_drops_that_were_flown_cannot_be_edited(qtbot: QtBot, bench: Workbench, refusals: list[InputError]) -> None:
    fill(bench, qtbot, stop="Day 1 · 12:00")
    stopped = fly(bench, qtbot, "start")
    editor = bench.session.plan_editor
    assert editor.drops.drops[0].step < STEPS_PER_DAY // 2
    editor.edit("remove the first drop", DropList(editor.drops.drops[1:]), None)
    press(bench, "resume")
    qtbot.waitUntil(lambda: bool(refusals), timeout=LONG_MS)
    wait_idle(qtbot, bench.queue, LONG_MS)
    assert "changes drops of day 1, which have been flown" in str(refusals[0])
    assert "change drops from 12 h into day 1 on" in str(refusals[0])
    assert stopped.is_resumable


def test_an_exercise_uses_the_fleet_and_the_rules_of_its_plan(
    qtbot: QtBot, bench: Workbench, refusals: list[InputError]
) -> None:
    panel, session, plan = panel_of(bench), bench.session, bench.queue.entries[0].project
    assert plan is not None and "Uses" not in panel.cost.text()
    first, *others = session.project.fleet.types
    session.edit_planned_fleet("more", Fleet((replace(first, count=first.count + 2), *others)))
    session.set_operations("none", replace(session.project.operations, hard_cap=0))
    assert "Uses the fleet, grounded days and rules that the plan was made with" in panel.cost.text()
    assert panel.note.isHidden()
    fill(bench, qtbot)
    flown = fly(bench, qtbot, "start")
    assert not refusals and flown.project is not None
    assert flown.project.fleet == plan.fleet and flown.project.operations == plan.operations


def test_an_interval_of_no_whole_steps_is_refused_and_nothing_is_started(
    qtbot: QtBot, bench: Workbench, refusals: list[InputError]
) -> None:
    fill(bench, qtbot, EXPECTED, "6 h")
    press(bench, "start")
    assert "every 6 h, which is not a whole number of steps" in str(refusals[0])
    assert len(bench.queue.entries) == 1 and not bench.queue.is_busy


@pytest.mark.slow
def test_stop_keeps_the_observations_so_far_and_go_on_resumes(qtbot: QtBot, bench: Workbench) -> None:
    fill(bench, qtbot)
    whole = fly(bench, qtbot, "start")
    press(bench, "start")
    panel = panel_of(bench)
    # Rows arrive during the flight.
    qtbot.waitUntil(lambda: bench.queue.shown is not whole and panel.model.rowCount() > 0, timeout=LONG_MS)
    entry = bench.queue.shown
    assert entry is not None and not entry.is_over
    assert "observation" in panel.head.text()
    press(bench, "stop")
    wait_idle(qtbot, bench.queue, LONG_MS)
    assert entry.reason is FinishReason.STOPPED
    assert 0 < len(entry.loop) < len(whole.loop) and entry.loop == whole.loop[: len(entry.loop)]
    assert panel.model.rowCount() == len(entry.loop)
    assert fly(bench, qtbot, "resume") is entry
    assert_same_files(entry.folder, whole.folder, *FILES)


def test_without_a_plan_there_is_nothing_to_start(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.actions["show_exercise"].trigger()
    panel = panel_of(window.workbench)
    assert not any(panel.button(name).isEnabled() for name in ("start", "stop", "resume"))
    assert "has no plan yet" in panel.introduction.trouble.text() and panel.introduction.isVisibleTo(panel.result)
    assert [panel.scenario.itemText(k) for k in range(panel.scenario.count())] == [EXPECTED, "failing"]

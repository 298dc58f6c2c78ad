"""What can be done with a plan that does not hold: the buttons below its verdict, and the commands for them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from firegui.analyses.stress.results import STORE, StressTally, write_results
from firegui.domain.fleet import Fleet
from firegui.domain.plan_summary import DaySummary, TypeDrops
from firegui.domain.project import Project
from firegui.gui.analyses.stress.stress_controller import StressController
from firegui.gui.analyses.stress.stress_panel import StressPanel
from firegui.gui.jobs import run_queue
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.result_panel import ResultPanel
from firegui.gui.planning.run_cards import card_lines
from firegui.gui.planning.runs_table import TITLE
from firegui.gui.session.session import Session
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName
from firegui.runs.events import StressReady
from firegui.runs.leaks import LeakCounts
from firegui.runs.messages import kept_drops_text
from firegui.runs.run_folder import EliminationSummary, RunScores, kept_plan
from firegui.runs.stages import FinishReason, RunState, Stage
from tests.gui.analyses.scene import STRESS, FakeRun, stress_maps, stress_table, write_header
from tests.gui.fake_runs import FakeExecute, wait_idle
from tests.gui.hands import LEFT, to_front
from tests.gui.test_jobs_stages import keep_plan
from tests.gui.test_palette import choose
from tests.gui.test_run_cards import summary


@pytest.fixture
def execute() -> FakeExecute:
    return FakeExecute(epochs=3)


@pytest.fixture
def queue(session: Session, saved: Path, execute: FakeExecute) -> Iterator[RunQueue]:
    made = RunQueue(session, execute=execute)
    yield made
    made.shutdown()


@pytest.fixture
def entry(qtbot: QtBot, window: MainWindow, queue: RunQueue, project: Project) -> RunEntry:
    """Return a run on the map whose plan does not hold, in the workspace Runs."""
    to_front(qtbot, window)
    window.workbench.show_panel("Result")
    made = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    keep_plan(made, project)
    made.stress = stress_table()
    refresh(window)
    return made


def refresh(window: MainWindow) -> None:
    window.workbench.panel("Result", ResultPanel).refresh()


def steps(window: MainWindow) -> list[QPushButton]:
    view = window.workbench.panel("Result", ResultPanel).view
    return [view.continue_button, view.leaks_button]


def test_a_plan_that_does_not_hold_is_continued_by_a_key(
    qtbot: QtBot, window: MainWindow, entry: RunEntry, execute: FakeExecute, queue: RunQueue
) -> None:
    assert [button.isVisible() for button in steps(window)] == [True, True]
    button = steps(window)[0]
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Space)
    wait_idle(qtbot, queue)
    assert execute.runs[-1].warm_start_file == entry.folder / "plan.safetensors"


def test_the_map_of_leaks_is_one_press_away_and_a_test_for_it_is_started_by_its_button(
    qtbot: QtBot, window: MainWindow, entry: RunEntry, saved: Path, project: Project
) -> None:
    workbench, file = window.workbench, kept_plan(entry.folder)
    controller = workbench.controller(StressController)
    assert file is not None
    out = write_header(controller, project, saved, STRESS, seed=3, schedule_file=str(file))
    STORE.write(out, replace(STORE.read(out), reason=FinishReason.COMPLETED))
    write_results(out, StressTally(stress_table(), LeakCounts(*stress_maps(project))), project)
    moved = out.rename(saved.parent / "made")
    asked: list[Path] = []

    def events(spec: Any) -> tuple[StressReady, ...]:
        asked.append(spec.out)
        shutil.copytree(moved, spec.out)
        return (StressReady(stress_table()),)

    controller._execute = FakeRun(events)
    panel = workbench.panel("Stress", StressPanel)

    def open_map() -> None:
        workbench.show_panel("Result")
        QTest.mouseClick(steps(window)[1], LEFT)
        assert workbench.shell.workspace is WorkspaceName.ANALYSE

    open_map()
    assert not controller.is_busy and asked == [], "a test takes long, and nobody has asked for one"
    assert panel.introduction.isVisible() and "fire simulations" in panel.introduction.cost.text()
    QTest.mouseClick(panel.introduction.start, LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy and bool(asked))
    open_map()
    assert panel.map.isVisible() and panel.leak.count() == 3 and not panel.no_map.isVisible()
    open_map()
    assert panel.map.isVisible() and len(asked) == 1, "a test that was made is shown again"


def test_the_sizes_say_the_numbers_of_both_effectivenesses(window: MainWindow, entry: RunEntry) -> None:
    view = window.workbench.panel("Result", ResultPanel).view
    assert entry.project is not None
    plan = entry.project.plan
    tips = [" ".join(label.toolTip().split()) for label in view.findChildren(QLabel)]
    for one in (plan.design, plan.nominal):
        assert any(f"(retardant {one.retardant:g}, water {one.water:g})" in tip for tip in tips)


def test_a_plan_whose_aircraft_was_grounded_since_no_longer_fits_the_project(
    session: Session, window: MainWindow, entry: RunEntry
) -> None:
    first, *others = session.project.planned_fleet.types
    flown = TypeDrops(first.id, "retardant", 3, 3600.0)
    entry.summary = replace(summary(5.5, 3, 0), days=(DaySummary(0, None, (flown,), 0, 5.5, 1204.0),))

    def first_words() -> tuple[str, str]:
        refresh(window)
        view = window.workbench.panel("Result", ResultPanel).view
        return next(label.text() for label in view.findChildren(QLabel) if label.text()), card_lines(entry)[0]

    def ground(days: tuple[int, ...]) -> None:
        session.edit("Ground", session.project.with_fleet(Fleet((first.with_grounded_days(days), *others))))

    ground((1,))
    assert not any("No longer fits" in text for text in first_words())
    ground((0, 1))
    words = f"⚠ No longer fits the project: 3 drops of {first.id} cannot be flown"
    assert first_words() == (f"{words}.", words)
    session.edit("Without", session.project.with_fleet(Fleet(tuple(others))))
    assert first_words() == (f"{words}.", words)
    session.set_plan("More days", replace(session.project.plan, days=session.project.plan.days + 1))
    assert not any("No longer fits" in text for text in first_words())


def test_a_plan_that_holds_has_no_such_buttons(window: MainWindow, entry: RunEntry) -> None:
    entry.stress = None
    refresh(window)
    assert not any(button.isVisible() for button in steps(window))


def test_the_command_finds_a_plan_to_continue(
    qtbot: QtBot, window: MainWindow, entry: RunEntry, execute: FakeExecute, queue: RunQueue
) -> None:
    choose(window, "continue")
    wait_idle(qtbot, queue)
    assert execute.runs[-1].warm_start_file == entry.folder / "plan.safetensors"


def test_the_result_and_the_tip_of_a_card_say_why_more_drops_are_left(window: MainWindow, entry: RunEntry) -> None:
    runs, view = window.workbench.runs, window.workbench.panel("Result", ResultPanel).view
    pruned = EliminationSummary("leaking", 530, 530, 1, 80, 1.0)
    scores = RunScores(nominal=entry.nominal, pruned=pruned)
    header = SimpleNamespace(seconds=1.0, replan=None)
    entry.read_saved(SimpleNamespace(scores=scores, header=header, folder=entry.folder))  # type: ignore[arg-type]
    runs.model.refresh()
    refresh(window)
    reason = "More drops may be left than the limit needs: in the test of the removal, on other random draws"
    tip = str(runs.model.index(0, TITLE).data(Qt.ItemDataRole.ToolTipRole))
    assert reason in view.text and reason in " ".join(tip.split())
    # The advice is to continue, so its button is there.
    assert view.continue_button.isVisible() and not view.leaks_button.isVisible()
    for finished in ("minimal", "held", "enough"):
        assert kept_drops_text(replace(pruned, finished=finished)) == ""
    assert "used up" in kept_drops_text(replace(pruned, finished="allowance"))
    assert "Resume the run" in kept_drops_text(replace(pruned, finished=""))
    assert kept_drops_text(None) == ""


def test_the_scenario_that_a_plan_was_not_tested_in_is_tested_by_a_button_beside_the_verdict(
    qtbot: QtBot, window: MainWindow, queue: RunQueue, entry: RunEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    controller = window.workbench.controller(StressController)
    controller._execute = run = FakeRun(lambda _spec: ())
    view = window.workbench.panel("Result", ResultPanel).view
    # The style sheet of the window sets a minimum width of all buttons.
    view.test_button.setStyleSheet("QPushButton { min-width: 20px; }")
    assert entry.project is not None
    entry.project = replace(entry.project, stress=STRESS.stress)
    QTest.mouseClick(view.test_button, LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy and bool(run.specs))
    assert run.specs[0].schedule_file == kept_plan(entry.folder)
    assert run.specs[0].settings.scenarios == STRESS.stress.scenarios, "the map is of all scenarios"
    assert entry.stress is not None and entry.stress.left_out
    window.workbench.show_panel("Result")
    long = "Holds in all 9 tested scenarios; 3 of 12 cannot be tested: “wind stronger”, “wind turned left”, “windy”"
    entry.summary = replace(summary(5.5, 381, 193), verdict=long, stress=entry.stress)
    queue.changed.emit()
    said = "“mended” was not part of the test: the plan is replanned on the way, which takes longer"
    qtbot.waitUntil(lambda: said in view.text and view.continue_button.isVisible())
    assert long + "</p>" in view._verdict.text(), "what the verdict does not cover is a line of its own"

    def places() -> list[QRect]:
        return [QRect(each.mapTo(window, QPoint()), each.size()) for each in (view.test_button, *steps(window))]

    def settled() -> list[QRect]:
        found = [places()]

        def rest() -> bool:
            found.append(places())
            return len(found) > 9 and found[-1] == found[-9]

        qtbot.waitUntil(rest)
        return found[-1]

    before = settled()
    completed = replace(entry.stress, left_out=())

    def read_again(each: RunEntry) -> None:
        shown = replace(summary(5.5, 381, 193), verdict="Holds in all 10 scenarios", stress=completed)
        each.stress, each.summary = completed, shown

    monkeypatch.setattr(run_queue, "read_saved_scores", read_again)
    controller.plan_tested.emit(entry.folder)
    assert entry.stress == completed
    qtbot.waitUntil(lambda: view.test_button.text() == "Tested")
    assert view.test_button.isVisible() and not view.test_button.isEnabled()
    assert settled() == before, "the next click would hit another button"
    view.show_run(None)
    refresh(window)
    assert not view.test_button.isVisible(), "nothing is left to do for the run when it is shown again"
    entry.stress = None
    refresh(window)
    assert view.test_button.isVisible() and view.test_button.text() == "Test the plan"
    entry.state = RunState.RUNNING
    refresh(window)
    assert not view.test_button.isVisible(), "a run that was resumed is not tested yet"

"""Quick plan: the tactical heuristic as a run of its own, and what can be done with its plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QToolBar, QToolButton
from pytestqt.qtbot import QtBot

from firegui.gui.analyses.stress.stress_panel import StressPanel
from firegui.gui.base.number_text import number
from firegui.gui.exporting.hand_over_panel import HandOverPanel
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.planning.progress_panel import FIRST, RESULT, SECOND, ProgressPanel
from firegui.gui.planning.result_panel import ResultPanel
from firegui.gui.planning.result_view import details_html, report_html
from firegui.gui.planning.runs_panel import RunsPanel
from firegui.gui.session.session import Session, ShownResult
from firegui.gui.window.centre import CentreMode
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName
from firegui.io.project.store import load_project, save_project
from firegui.runs.run_folder import read_run
from firegui.runs.runner import execute as real_execute
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import FinishReason, RunState, Stage
from firegui.runs.titles import run_title
from tests.gui.conftest import Execute
from tests.gui.fake_runs import FakeExecute
from tests.gui.hands import LEFT
from tests.gui.readouts import run_cells, second_level_of
from tests.support import forget_checksums, tiny_project

LONG_MS = 120_000
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_project(tmp_path)


@pytest.fixture
def execute(session: Session, folder: Path) -> Execute:
    session.open_project(load_project(folder), folder)
    return real_execute


@pytest.fixture
def window(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """Return the workbench on a tiny saved fire, with the real engine."""
    wait_idle(qtbot, window)
    return window


@pytest.fixture
def endless(qtbot: QtBot, window: MainWindow) -> Iterator[FakeExecute]:
    """Test double of the engine of :func:`window` that runs until it is stopped."""
    window.workbench.queue._execute = made = FakeExecute(endless=True)
    yield made
    # A run that still waits would begin, and the window would wait for its end.
    for entry in reversed(window.workbench.queue.entries):
        window.workbench.queue.stop(entry)
    wait_idle(qtbot, window)


def wait_idle(qtbot: QtBot, window: MainWindow) -> None:
    queue = window.workbench.queue
    qtbot.waitUntil(lambda: not queue.is_busy and not queue.activity, timeout=LONG_MS)


def tool(window: MainWindow, action: QAction) -> QToolButton:
    bar = window.findChild(QToolBar, "toolBar")
    assert isinstance(bar, QToolBar)
    button = bar.widgetForAction(action)
    assert isinstance(button, QToolButton)
    return button


def runs(window: MainWindow) -> RunsPanel:
    panel = window.workbench.panels["Runs"]
    assert isinstance(panel, RunsPanel)
    return panel


def plots(window: MainWindow) -> ProgressPanel:
    panel = window.workbench.panels["Progress"]
    assert isinstance(panel, ProgressPanel)
    return panel


def press(button: QToolButton) -> None:
    assert button.isVisible()
    assert button.isEnabled()
    QTest.mouseClick(button, LEFT)


def click_quick(qtbot: QtBot, window: MainWindow) -> RunEntry:
    press(tool(window, window.workbench.actions["quick"]))
    wait_idle(qtbot, window)
    return window.workbench.queue.entries[-1]


def row_of(window: MainWindow, entry: RunEntry) -> dict[str, str]:
    model = runs(window).model
    return run_cells(model, model.place_of(entry))


def page_button(window: MainWindow, text: str) -> QToolButton:
    window.workbench.shell.show_panel("Progress")
    return next(button for button in plots(window).findChildren(QToolButton) if button.text() == text)


# -- one click ---------------------------------------------------------------------------------------------------------
def test_one_click_plans_by_rule_and_shows_it_like_any_run(qtbot: QtBot, window: MainWindow) -> None:
    entry = click_quick(qtbot, window)
    session, record = window.workbench.session, read_run(entry.folder)
    assert record.stages == (Stage.TACTICAL,)
    assert entry.reason is FinishReason.COMPLETED
    assert window.workbench.queue.shown is entry
    assert window.workbench.shell.workspace is WorkspaceName.RUNS and window.workbench.panels["Result"].isVisible()
    assert session.result.plan is not None
    assert record.metrics is not None
    assert sum(drop.executed for drop in session.result.drops) == record.metrics.drops_executed == entry.drops
    assert record.command.startswith("firegui tactical ")
    row = row_of(window, entry)
    assert row["Run"].startswith("Run 1, quick plan, ")
    assert (row["State"], row["Progress"]) == ("finished, does not hold", "3 rounds")
    assert "/" not in row["Progress"]
    assert entry.seconds == record.header.seconds
    assert record.scores.design is not None
    assert entry.best == record.scores.design.objective


def test_the_button_stands_beside_start_and_has_a_key_and_a_meaning(window: MainWindow) -> None:
    start, quick = tool(window, window.workbench.actions["start"]), tool(window, window.workbench.actions["quick"])
    assert (quick.y(), quick.text()) == (start.y(), "Quick plan")
    assert 0 <= quick.x() - start.geometry().right() < 12
    assert "(Shift+F5)" in quick.toolTip()
    assert "place drops by rule" in quick.toolTip()
    menus = [menu for menu in window.menuBar().findChildren(QMenu) if menu.title() == "&Plan"]
    assert window.workbench.actions["quick"] in menus[0].actions()


def test_its_key_starts_it_too(qtbot: QtBot, window: MainWindow, endless: FakeExecute) -> None:
    QTest.keyClick(window, Qt.Key.Key_F5, SHIFT)
    qtbot.waitUntil(lambda: len(endless.runs) == 1)
    assert endless.runs[0].stages == (Stage.TACTICAL,)
    assert endless.runs[0].warm_start is None


def test_while_it_works_its_passes_are_told_and_it_can_be_stopped(
    qtbot: QtBot, window: MainWindow, endless: FakeExecute
) -> None:
    press(tool(window, window.workbench.actions["quick"]))
    qtbot.waitUntil(lambda: window.workbench.queue.active is not None and window.workbench.queue.active.swept[1] == 3)
    entry = window.workbench.queue.active
    assert entry is not None
    assert entry.status == "placing drops"
    row = row_of(window, entry)
    assert row["Progress"] in ("round 1/3", "round 2/3", "round 3/3")
    assert row["ETA"] == "–"
    assert plots(window).page == RESULT
    window.workbench.show_panel("Progress")
    qtbot.waitUntil(lambda: "come when the run has ended" in plots(window).result.text)
    press(tool(window, window.workbench.actions["stop"]))
    wait_idle(qtbot, window)
    assert (entry.reason, entry.state) == (FinishReason.STOPPED, RunState.FINISHED)


# -- the pages under the map -------------------------------------------------------------------------------------------
def test_its_pages_say_why_there_are_no_curves(qtbot: QtBot, window: MainWindow) -> None:
    click_quick(qtbot, window)
    progress = plots(window)
    qtbot.waitUntil(lambda: progress.page == RESULT)
    for name, page in (("Place drops", FIRST), ("Remove drops", SECOND)):
        press(page_button(window, name))
        assert progress.page == page
        notes = [note for note in progress.findChildren(QLabel) if note.isVisible()]
        assert any("There are no curves" in note.text() for note in notes)
        assert not progress.objective.isVisible()
        assert not progress.left.isVisible()
        assert not page_button(window, "Log scale").isVisible()


def test_the_curves_come_back_with_a_run_that_has_some(qtbot: QtBot, window: MainWindow) -> None:
    click_quick(qtbot, window)
    press(page_button(window, "Place drops"))
    window.workbench.session.set_stages((Stage.OPTIMIZE,))
    press(tool(window, window.workbench.actions["start"]))
    wait_idle(qtbot, window)
    qtbot.waitUntil(lambda: plots(window).page == FIRST and plots(window).objective.isVisible())
    assert page_button(window, "Log scale").isVisible()


def test_its_result_counts_passes_and_rollouts_in_place_of_epochs(qtbot: QtBot, window: MainWindow) -> None:
    entry = click_quick(qtbot, window)
    html = details_html(entry)
    assert "Rounds · fire simulations · time" in html
    assert "3 · 4 · " in html
    assert "after stage" not in html
    assert "placed by rule" in report_html(entry)


def press_of_run(window: MainWindow, name: str) -> None:
    """Press a button of the runs; in a narrow panel it is in the menu More."""
    window.workbench.shell.show_panel("Runs")
    panel = runs(window)
    button = panel.button(name)
    if button.isVisible():
        press(button)
        return
    press(panel.button("more"))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    titles = {"prune": "Remove drops not needed", "branch": "Continue from this plan"}
    line = next(action for action in menu.actions() if action.text() == titles[name])
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(line).center())


# -- what follows ------------------------------------------------------------------------------------------------------
def test_a_search_starts_from_its_plan(qtbot: QtBot, window: MainWindow) -> None:
    entry = click_quick(qtbot, window)
    window.workbench.session.set_stages((Stage.OPTIMIZE,))
    runs(window).select(entry)
    press_of_run(window, "branch")
    wait_idle(qtbot, window)
    better = window.workbench.queue.entries[-1]
    assert read_run(better.folder).warm_start_file == entry.folder / "plan.safetensors"
    assert better.best is not None
    assert entry.best is not None
    assert better.best <= entry.best
    # The first epoch evaluates what the heuristic placed.
    assert better.history.column("objective")[0] == pytest.approx(entry.best, rel=1e-5)


def test_the_convergence_of_a_search_shows_what_the_heuristic_reached(qtbot: QtBot, window: MainWindow) -> None:
    chart = plots(window).objective
    window.workbench.show_panel("Progress")
    window.workbench.session.set_stages((Stage.OPTIMIZE,))
    press(tool(window, window.workbench.actions["start"]))
    wait_idle(qtbot, window)
    search = window.workbench.queue.entries[-1]
    assert "quick plan" not in chart.legend.text()
    entry = click_quick(qtbot, window)
    window.workbench.queue.show(search)
    wait_idle(qtbot, window)
    qtbot.waitUntil(lambda: "quick plan" in chart.legend.text())
    assert entry.best is not None
    assert f"quick plan {number(entry.best)}" in chart.legend.text()
    assert second_level_of(chart) == entry.best
    window.workbench.session.set_plan("other days", replace(window.workbench.session.project.plan, days=1))
    press(tool(window, window.workbench.actions["start"]))
    wait_idle(qtbot, window)
    qtbot.waitUntil(lambda: second_level_of(chart) is None)


def test_its_plan_is_pruned(qtbot: QtBot, window: MainWindow) -> None:
    entry = click_quick(qtbot, window)
    runs(window).select(entry)
    press_of_run(window, "prune")
    wait_idle(qtbot, window)
    pruned = window.workbench.queue.entries[-1]
    assert pruned.drops_before == entry.drops
    assert pruned.reason is FinishReason.COMPLETED


def test_it_is_listed_the_same_when_the_project_is_opened_again(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    entry = click_quick(qtbot, window)
    before = row_of(window, entry) | {"Final size": ""}
    window.workbench.session.open_project(load_project(folder), folder)
    wait_idle(qtbot, window)
    again = window.workbench.queue.entries[-1]
    assert again is not entry
    assert row_of(window, again) | {"Final size": ""} == before
    assert (again.rollouts, again.stale) == (4, False)
    window.workbench.queue.show(again)
    wait_idle(qtbot, window)
    assert plots(window).page == RESULT


def test_a_stopped_one_goes_on_as_what_it_was_with_its_budget(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = click_quick(qtbot, window)
    forget_checksums(entry.folder)
    header = (entry.folder / "run.toml").read_text()
    text = header.replace('project_folder = "', 'budget = 4\nproject_folder = "').replace("completed", "stopped")
    (entry.folder / "run.toml").write_text(text)
    asked: list[PlanSpec] = []
    queue = window.workbench.queue
    monkeypatch.setattr(queue, "_enqueue", lambda _entry, spec: asked.append(spec))
    entry.reason = FinishReason.STOPPED
    queue.resume_stopped(entry)
    assert [(spec.stages, spec.budget, spec.resume) for spec in asked] == [((Stage.TACTICAL,), 4, True)]
    assert "--budget 4" in asked[0].command


def test_its_folder_and_its_title_say_what_it_is(tmp_path: Path) -> None:
    assert run_title(tmp_path / "20260819-120005-A-tactical") == "Quick plan, whole fire, 19 Aug 12:00"


def test_a_reopened_project_shows_its_latest_plan_unless_it_was_edited_since(
    qtbot: QtBot, window: MainWindow, folder: Path
) -> None:
    entry, bench = click_quick(qtbot, window), window.workbench
    bench.session.open_project(load_project(folder), folder)
    qtbot.waitUntil(lambda: bench.queue.shown is not None and bench.session.result.plan is not None, timeout=LONG_MS)
    assert bench.queue.shown is not None and bench.queue.shown.folder == entry.folder
    wait_idle(qtbot, window)
    project = load_project(folder)
    weights = replace(project.plan.weights, burn=project.plan.weights.burn + 1.0)
    edited = replace(project, plan=replace(project.plan, weights=weights))
    save_project(edited, folder, replacing=True)
    bench.session.open_project(edited, folder)
    wait_idle(qtbot, window)
    assert bench.queue.shown is None and bench.session.result.plan is None


def test_the_bar_above_the_map_leads_from_an_ensemble_back_to_the_run(qtbot: QtBot, window: MainWindow) -> None:
    entry, bench = click_quick(qtbot, window), window.workbench
    before, back = bench.session.result, bench.shell.centre.bar.back
    assert back.isHidden() and before.drops
    bench.queue.show_means(ShownResult("Mean of 4 fires", baseline=before.baseline, project=before.project, mean_of=4))
    assert not back.isHidden() and "Mean of 4 fires: not a plan" in bench.shell.centre.bar.note.text()
    QTest.mouseClick(back, LEFT)
    qtbot.waitUntil(lambda: bench.queue.shown is entry and bool(bench.session.result.drops), timeout=LONG_MS)
    assert back.isHidden() and bench.session.result.title == before.title
    wait_idle(qtbot, window)


def test_the_worst_stress_draw_is_played_and_the_run_before_it_stays_the_plan_to_hand_over(
    qtbot: QtBot, window: MainWindow
) -> None:
    entry, bench = click_quick(qtbot, window), window.workbench
    session, queue, back = bench.session, bench.queue, bench.shell.centre.bar.back
    bench.actions["show_stress"].trigger()
    bench.shell.set_mode(CentreMode.BOTH)
    stress, steps = bench.panel("Stress", StressPanel), list[int]()
    bench.timeline.playing_changed.connect(lambda on: steps.append(session.step) if on else None)
    worst = entry.stress.worst.scenario.title if entry.stress is not None else ""
    for _ in range(2):
        bench.timeline.play(False)
        session.set_step(session.project.calendar.n_steps)
        press(stress.button("show"))
        wait_idle(qtbot, window)
    assert steps == [0, 0] and session.result.title.startswith(f"Stress: {worst}")
    assert stress.button("show").text() == f"Play worst draw of “{worst}”" and stress.table.isVisible()
    assert not back.isHidden() and session.no_drops_fire is None and bench.session.plan_editor.obstacle
    bench.shell.show_workspace(WorkspaceName.RUNS)
    result = bench.panel("Result", ResultPanel)
    result.refresh()
    shown = report_html(entry)
    assert session.result.title in result.view.text and shown.split("<")[1] in result.view.text
    bench.shell.show_workspace(WorkspaceName.HAND_OVER)
    hand_over = bench.panel("Export", HandOverPanel)
    qtbot.waitUntil(lambda: hand_over.dialog is not None and not hand_over.dialog.is_busy, timeout=LONG_MS)
    assert hand_over.dialog is not None and bench.plan.run_to_export is entry
    assert hand_over.dialog.note.text() == f"This is the plan of {entry.title}. The map shows {session.result.title}."
    assert hand_over.dialog.summary.text().startswith(f"{entry.title}: ")
    assert "not stress-tested" not in hand_over.dialog.verdict.text() and hand_over.dialog.verdict.text()
    QTest.mouseClick(back, LEFT)
    qtbot.waitUntil(lambda: queue.shown is entry and bool(session.result.drops), timeout=LONG_MS)
    assert back.isHidden() and session.result.title == entry.title
    wait_idle(qtbot, window)


def test_a_run_that_has_to_wait_says_for_which(qtbot: QtBot, window: MainWindow, endless: FakeExecute) -> None:
    bench, told = window.workbench, list[str]()
    bench.plan.start()
    qtbot.waitUntil(lambda: bench.queue.active is not None)
    active = bench.queue.active
    bench.session.message.connect(told.append)
    bench.plan.start()
    assert active is not None and bench.queue.entries[-1].state is RunState.QUEUED
    assert told[-1] == f"{bench.queue.entries[-1].title} waits for {active.title}"
    bench.queue.stop(bench.queue.entries[-1])

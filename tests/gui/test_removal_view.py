"""The removal curve in the window: its points, and a point that becomes the plan."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.domain.removal_curve import RemovalCurve
from firegui.domain.schedule import Schedule
from firegui.domain.settings import ObjectiveWeights, Setting
from firegui.domain.units import Units, amount_text
from firegui.gui.jobs import run_entry
from firegui.gui.jobs.run_entry import EpochHistory, RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.edited_plan_saver import BY_HAND
from firegui.gui.planning.progress_panel import CURVE, FIRST, SECOND, ProgressPanel
from firegui.gui.planning.removal_view import RemovalView, point_text
from firegui.gui.planning.result_view import report_html
from firegui.gui.planning.run_comparison import compared
from firegui.gui.session.session import Session
from firegui.io.array_files import write_arrays
from firegui.io.project.schedule_file import read_project_schedule
from firegui.runs.events import StageBegan
from firegui.runs.run_folder import ELIMINATION_CHECKPOINT
from firegui.runs.stages import FinishReason, RunState, Stage
from tests.gui.fake_runs import FakeExecute, metrics, removal, wait_idle
from tests.gui.readouts import cursor_of

POINTS = ((12, 10.0, 0.0, 0.4), (9, 11.0, 2.0, 0.9), (7, 300.0, 3.0, 1.4), (6, 20.0, 3.0, math.nan))
"""Drops, hectares, protected cells and excess of every point; the plan of the run has 6 drops."""


@pytest.fixture
def execute(saved: Path) -> FakeExecute:
    return FakeExecute(epochs=2)


def plan_of(drops: int, project: Project) -> Schedule:
    schedule = Schedule.empty(project.calendar.n_steps, project.planned_fleet.n_aircraft)
    schedule.logits.ravel()[:drops] = 3.0
    schedule.poses.reshape(-1, 3)[:drops] = (10.0, 20.0, 0.5)
    return schedule


def curve_of(project: Project) -> RemovalCurve:
    curve = RemovalCurve.of(plan_of(12, project))
    for drops, extent, protected, excess in POINTS:
        fire = replace(metrics(1.0, drops), final_extent_ha=extent, protected_cells=protected)
        curve = curve.with_plan(plan_of(drops, project), fire, excess, is_taken=drops in (12, 6))
    return curve


@pytest.fixture
def entry(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel, project: Project) -> RunEntry:
    """Return a finished run whose curve is shown."""
    found = queue.plan()
    wait_idle(qtbot, queue)
    found.curve = curve_of(project)
    plots.show_page(CURVE)
    plots.refresh()
    return found


def test_the_points_are_drawn_and_listed_and_those_that_exceed_a_limit_apart(
    plots: ProgressPanel, entry: RunEntry
) -> None:
    view = plots.removal
    x, y = view.extent.curve_points(0)
    assert (x.tolist(), y.tolist()) == ([6, 9, 12], [20.0, 11.0, 10.0])
    assert view.extent.curve_points(1)[0].tolist() == [7]
    assert view.extent.marks == {6.0: "this run's plan"}
    cells = [[column.text(row) for column in view.model.columns] for row in view.model.rows]
    assert [row[0] for row in cells] == ["12", "9", "7", "6"]
    assert entry.project is not None
    cell_ha = entry.project.scenario.grid.cell_area_ha
    assert view.protected.curve_points(1)[1].tolist() == pytest.approx([3.0 * cell_ha])
    assert view.model.columns[2].unit == "ha" and cells[2][2] == amount_text(3.0 * cell_ha)
    assert [row[3] for row in cells] == ["0.40", "0.90", "1.40", "not tested"]
    assert not view.show_button.isEnabled() and not view.use_button.isEnabled()


def test_the_protected_area_is_left_out_where_the_project_of_the_run_is_lost(project: Project) -> None:
    entry = RunEntry("lost", Path("lost"))
    entry.curve = curve_of(project)
    view = RemovalView()
    view.show_run(entry)
    assert view.protected.isHidden() and view.table.isColumnHidden(2)


def test_a_click_selects_the_nearest_point_and_its_numbers_are_said(plots: ProgressPanel, entry: RunEntry) -> None:
    view = plots.removal
    view.extent.clicked.emit(7.3)
    assert entry.project is not None
    burned = Units.METRIC.area(3.0 * entry.project.scenario.grid.cell_area_ha)
    assert view.selected == 2
    assert view.table.selectionModel().selectedRows()[0].row() == 2
    assert view.text.text() == (
        f"7 drops: 300 ha burned at the end, {burned} of it protected. At cautious effectiveness. The "
        "worst scenario exceeds its limit at least 1.40 times."
    )
    assert cursor_of(view.extent) == cursor_of(view.protected) == 7


def test_rows_are_chosen_with_the_keyboard(qtbot: QtBot, plots: ProgressPanel, entry: RunEntry) -> None:
    view = plots.removal
    view.select(12)
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_Down)
    assert view.selected == 1 and "The plan holds in every scenario" in view.text.text()


def test_a_point_stays_selected_while_points_are_added_and_is_let_go_when_it_goes(
    plots: ProgressPanel, entry: RunEntry, project: Project
) -> None:
    view = plots.removal
    view.select(9)
    assert entry.curve is not None
    longer = entry.curve.with_plan(plan_of(10, project), metrics(1.0, 10), 0.5, is_taken=False)
    entry.curve = longer
    plots.refresh()
    assert view.selected == 2
    assert [index.row() for index in view.table.selectionModel().selectedRows()] == [2]
    entry.curve = RemovalCurve.of(plan_of(12, project)).with_plan(
        plan_of(12, project), metrics(1.0, 12), math.nan, is_taken=True
    )
    plots.refresh()
    assert view.selected is None and not view.table.selectionModel().hasSelection()
    assert not view.use_button.isEnabled()


def test_a_point_becomes_a_run_of_its_own(
    qtbot: QtBot, session: Session, queue: RunQueue, plots: ProgressPanel, entry: RunEntry, execute: FakeExecute
) -> None:
    plots.removal.select(9)
    plots.removal.use_button.click()
    wait_idle(qtbot, queue)
    spec = execute.runs[-1]
    assert spec.stages == (Stage.KEEP,) and spec.warm_start is not None and spec.warm_start_file is not None
    expected = plan_of(9, session.project)
    assert np.array_equal(spec.warm_start.logits, expected.logits)
    assert np.array_equal(spec.warm_start.poses, expected.poses)
    assert session.folder is not None and spec.warm_start_file.parent == session.folder / BY_HAND
    again = read_project_schedule(spec.warm_start_file, session.project)
    assert np.array_equal(again.logits, expected.logits) and np.array_equal(again.poses, expected.poses)
    assert "firegui keep" in spec.command
    assert len(queue.entries) == 2


def test_a_point_of_an_active_run_waits_for_it(
    qtbot: QtBot, queue: RunQueue, plots: ProgressPanel, project: Project, execute: FakeExecute
) -> None:
    execute.endless = True
    active = queue.plan()
    qtbot.waitUntil(lambda: active.state is RunState.RUNNING and active.stage is not None)
    active.curve = curve_of(project)
    plots.show_page(CURVE)
    plots.refresh()
    plots.removal.select(9)
    plots.removal.use_button.click()
    assert queue.active is active and queue.entries[-1].state is RunState.QUEUED
    execute.endless = False
    queue.stop()
    wait_idle(qtbot, queue)
    assert execute.runs[-1].stages == (Stage.KEEP,)


def test_a_point_is_shown_on_the_map(
    qtbot: QtBot, queue: RunQueue, plots: ProgressPanel, entry: RunEntry, execute: FakeExecute
) -> None:
    plots.removal.select(9)
    plots.removal.show_button.click()
    wait_idle(qtbot, queue)
    shown = execute.evaluations[-1].schedule
    assert shown is not None and shown.proposed.sum() == 9


def test_the_curve_of_a_saved_run_is_read_when_it_is_shown(
    queue: RunQueue, plots: ProgressPanel, entry: RunEntry, project: Project
) -> None:
    write_arrays(entry.folder / ELIMINATION_CHECKPOINT, curve_of(project).arrays())
    entry.curve = None
    plots.refresh()
    assert entry.curve is not None and len(entry.curve) == len(POINTS)
    (entry.folder / ELIMINATION_CHECKPOINT).write_bytes(b"damaged")
    entry.curve = None
    plots.refresh()
    assert plots.removal.note.isVisible() and "made by an earlier version" in plots.removal.note.text()


def test_a_folder_without_a_curve_and_a_summary_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(run_entry, "read_removal_curve", lambda _folder: read.append("curve"))
    monkeypatch.setattr(run_entry, "read_run", lambda _folder: read.append("run"))
    monkeypatch.setattr(run_entry, "run_summary", lambda _record: read.append("summary"))
    found = RunEntry("A", Path("run"), stage=Stage.PRUNE, nominal=metrics(1.0))
    for state in (RunState.RUNNING, RunState.FINISHED, RunState.FINISHED):
        found.state = state
        found.complete_curve()
        found.complete_summary()
    assert read == ["curve", "run", "summary"]


def test_the_table_holds_its_own_numbers_while_a_run_without_a_curve_is_shown(
    plots: ProgressPanel, entry: RunEntry, project: Project
) -> None:
    view = plots.removal
    view.show_run(RunEntry("B", Path("run"), project))
    row, column = 1, 1
    assert view.model.index(row, column).data() == "11.0", "a repaint that comes late must find its row"
    view.show_run(entry)
    assert view.model.index(3, 1).data() == "20.0"


def test_scores_at_the_end_replace_those_of_the_planning(qtbot: QtBot, project: Project) -> None:
    curve = curve_of(project)
    for index, point in enumerate(curve.points):
        fire = replace(metrics(1.0), final_extent_ha=5.0 + index, protected_cells=0.0)
        curve = curve.with_point(index, point.with_nominal(fire))
    view = RemovalView()
    qtbot.addWidget(view)
    found = RunEntry("A", Path("run"), project, stages=(Stage.PRUNE,))
    found.curve = curve
    view.show_run(found)
    assert view.extent.curve_points(0)[1].tolist() == [8.0, 6.0, 5.0]
    # Nothing burns in the regions now, so nothing is said of them.
    assert view.protected.isHidden() and view.table.isColumnHidden(2)
    assert point_text(curve, curve.points[3], 0.09) == (
        "6 drops: 8.0 ha burned at the end. At expected effectiveness. The scenarios were not tested again "
        "with this plan. It is the plan of this run."
    )


# -- why charts are empty ----------------------------------------------------------------------------------------------
def without_first_stage(queue: RunQueue, project: Project, *, setting: Setting = Setting.B) -> RunEntry:
    plan = replace(project.plan, setting=setting, weights=ObjectiveWeights.of(setting))
    found = RunEntry("B", Path("run"), replace(project, plan=plan), stages=(Stage.OPTIMIZE, Stage.PRUNE))
    found.begin_stage(StageBegan(Stage.OPTIMIZE, 1, 3, ""))
    found.begin_stage(StageBegan(Stage.PRUNE, 3, 3, ""))
    found.removals.extend([removal(1)])
    found.state, found.reason = RunState.FINISHED, FinishReason.COMPLETED
    return found


def test_a_run_that_needed_no_first_stage_says_so_in_charts_and_comparison(
    qtbot: QtBot, queue: RunQueue, plots: ProgressPanel, project: Project, entry: RunEntry
) -> None:
    other = without_first_stage(queue, project)
    rows = {row.what: row for row in compared((entry, other))}
    assert (*rows["Search steps done"].values, rows["Search steps done"].change) == (
        "2",
        "none needed",
        "",
    )
    assert "the whole fire, with which the search begins" in rows["Search steps done"].help
    entry.history, entry.stages = EpochHistory(), (Stage.OPTIMIZE, Stage.PRUNE)
    plots.show_page(FIRST)
    assert plots.note.isVisible() and "none was needed" in plots.note.text()
    assert not plots.objective.isVisible()
    plots.show_page(SECOND)
    assert plots.left.isVisible() and not plots.note.isVisible()


def test_a_run_of_the_first_stage_says_that_nothing_was_removed(
    qtbot: QtBot, queue: RunQueue, plots: ProgressPanel
) -> None:
    queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    plots.refresh()
    plots.show_page(SECOND)
    assert "started to place drops only" in plots.note.text()
    plots.show_page(CURVE)
    assert "started to place drops only" in plots.removal.note.text()


# -- containment -------------------------------------------------------------------------------------------------------
def test_the_result_says_that_removing_drops_gave_up_containment(entry: RunEntry) -> None:
    entry.baseline = replace(metrics(1.0), final_extent_ha=1204.0)
    entry.reference = replace(metrics(1.0, 345), final_extent_ha=10.0)
    entry.nominal = replace(metrics(1.0, 149), final_extent_ha=680.0)
    text = report_html(entry).replace("&nbsp;", " ")
    assert "Removing drops gave up containment: 10.0 ha with 345 drops became 680 ha with 149." in text
    entry.nominal = replace(entry.nominal, final_extent_ha=11.0)
    assert "gave up" not in report_html(entry)

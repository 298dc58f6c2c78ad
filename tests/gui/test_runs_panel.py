"""Runs dock: list, buttons, notes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu
from pytestqt.qtbot import QtBot

from firegui.domain.film import Film
from firegui.domain.fleet import Fleet
from firegui.domain.plan_summary import DaySummary, PlanSummary
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.settings import Margin
from firegui.domain.stress import growth_left_text, worst_case_text
from firegui.errors import InputError
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning import runs_panel as runs_panel_module
from firegui.gui.planning.run_cards import card_lines, work_words
from firegui.gui.planning.run_order import RunGrouping, group_of
from firegui.gui.planning.runs_panel import RunsPanel
from firegui.gui.planning.runs_table import (
    COST,
    ELAPSED,
    ETA,
    HOURS,
    NIGHT,
    REGIONS,
    STATE,
    TITLE,
    VALUES,
    VOLUME,
    bar_part,
    progress_text,
    status_color,
    time_text,
)
from firegui.gui.session.session import Session, ShownResult
from firegui.gui.widgets.table_view import selected_rows
from firegui.runs.events import StageBegan, StressTestProgress
from firegui.runs.notes import read_notes
from firegui.runs.stages import FinishReason, RunState, Stage
from tests.gui.analyses.scene import stress_table
from tests.gui.fake_runs import FakeExecute, epoch_done, frames, metrics, removal, run_spec, wait_idle
from tests.gui.hands import LEFT, centre_of, show_widget
from tests.gui.readouts import run_cells
from tests.gui.test_dialogs import press, when_open

NO_KEYS, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def execute(saved: Path) -> FakeExecute:
    return FakeExecute(epochs=4)


@pytest.fixture
def panel(qtbot: QtBot, session: Session, queue: RunQueue) -> Iterator[RunsPanel]:
    made = RunsPanel(session, queue)
    show_widget(qtbot, made, 700, 240)
    yield made
    made.shutdown()


@pytest.fixture
def entry(qtbot: QtBot, queue: RunQueue, panel: RunsPanel) -> RunEntry:
    """Return a finished run."""
    made = queue.plan()
    wait_idle(qtbot, queue)
    return made


@pytest.fixture
def pair(qtbot: QtBot, queue: RunQueue, entry: RunEntry) -> tuple[RunEntry, RunEntry]:
    """Return two finished runs, the earlier one first."""
    later = queue.plan()
    wait_idle(qtbot, queue)
    return entry, later


def line(panel: RunsPanel, row: int = 0) -> dict[str, str]:
    return run_cells(panel.model, row)


def test_a_finished_run_has_its_numbers_in_its_line(qtbot: QtBot, queue: RunQueue, panel: RunsPanel) -> None:
    entry = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    assert line(panel) == {
        "Run": entry.title, "State": "finished", "Progress": "4/4", "Elapsed": "0:00", "ETA": "–",
        "Final size": "9.0 ha (0 %)", "Drops": "3", "Volume": "–", "Flight hours": "–", "Cost": "–", "At night": "–",
        "Worst case": "–",
        "In regions": "–", "Values lost": "–",
    }  # fmt: skip


def test_the_worst_case_stands_beside_the_other_numbers(qtbot: QtBot, queue: RunQueue, panel: RunsPanel) -> None:
    entry = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    entry.stress = stress_table()
    panel.model.refresh()
    assert line(panel)["Worst case"] == worst_case_text(entry.stress)
    tip = str(panel.model.index(0, STATE).data(Qt.ItemDataRole.ToolTipRole))
    assert growth_left_text(entry.stress) in " ".join(tip.split())


def test_a_run_says_how_far_its_stress_test_is(entry: RunEntry) -> None:
    entry.state, entry.reason = RunState.RUNNING, None
    entry.add_stress_progress(StressTestProgress(2, 10, "stress test: late", 0.2))
    assert entry.status == "stress test, scenario 3/10" and entry.progress == 0.2
    assert progress_text(entry) == ""
    entry.begin_stage(StageBegan(Stage.OPTIMIZE, 1, 1, "gradient descent"))
    assert entry.status == "placing drops" and entry.progress != 0.2 and progress_text(entry)


def test_the_newest_run_is_on_top(panel: RunsPanel, pair: tuple[RunEntry, RunEntry]) -> None:
    first, second = pair
    assert [panel.model.entry(row) for row in (0, 1)] == [second, first]


def test_with_several_runs_selected_the_notes_are_on_the_one_whose_result_is_shown(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, pair: tuple[RunEntry, RunEntry]
) -> None:
    first, second = pair
    assert queue.shown is second
    QTest.mouseClick(panel.table.viewport(), LEFT, NO_KEYS, centre_of(panel.table, 0, TITLE))
    QTest.mouseClick(panel.table.viewport(), LEFT, CTRL, centre_of(panel.table, 1, TITLE))
    assert panel.selected is first and panel.all_selected == (first, second)
    assert panel.notes.entry is second
    QTest.mouseClick(panel.table.viewport(), LEFT, NO_KEYS, centre_of(panel.table, 1, TITLE))
    assert panel.notes.entry is first


def test_a_plan_that_does_not_hold_does_not_just_say_that_it_is_finished(
    session: Session, panel: RunsPanel, entry: RunEntry
) -> None:
    assert entry.project is not None
    # Also where the plan was made without a margin.
    entry.stress, entry.project = stress_table(), entry.project.with_margin(Margin.NONE)
    panel.model.refresh()
    assert line(panel)["State"] == "finished, does not hold"
    assert card_lines(entry)[0] == "⚠ Does not hold: 50 % of the growth left in “failing” (limit 5.0 %)"
    assert group_of(entry, RunGrouping.STATE) == "Finished, does not hold"
    # What was edited since stands apart from it.
    entry.changes = ("fleet changed since",)
    assert card_lines(entry)[1] == "fleet changed since"
    assert status_color(entry) == "warning"
    project, worst = entry.project, entry.stress.worst.share_worst
    entry.project = replace(project, plan=replace(project.plan, margin=replace(project.plan.margin, limit=worst)))
    assert card_lines(entry)[0] == "Holds in all 2 tested scenarios"
    entry.stress = None
    assert line(panel)["State"] == "finished, fleet changed since" and status_color(entry) is None


def test_cards_say_the_number_of_aircraft_where_runs_differ_in_it(
    qtbot: QtBot, session: Session, queue: RunQueue, panel: RunsPanel, entry: RunEntry
) -> None:
    assert panel.model.fleet_text(entry) == ""
    fleet = session.project.planned_fleet
    session.edit("More", session.project.with_fleet(fleet.replace_type(0, replace(fleet.types[0], count=5))))
    second = queue.plan()
    wait_idle(qtbot, queue)
    assert "6 aircraft" in second.title and panel.model.fleet_text(second) == ""
    assert panel.model.fleet_text(entry) == "3 aircraft"
    assert card_lines(entry, fleet="3 aircraft")[-1].endswith("3 aircraft")


def test_an_edit_is_said_in_words_on_the_line(session: Session, panel: RunsPanel, entry: RunEntry) -> None:
    fleet = session.project.planned_fleet
    session.set_regions("Remove", ())
    assert line(panel)["State"] == "finished, regions changed since"
    tip, colour = (
        panel.model.index(0, STATE).data(role) for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.ForegroundRole)
    )
    assert "regions changed since" in str(tip) and "⚠ regions" not in str(tip) and colour is None
    session.undo_stack.undo()
    session.edit("Fewer", session.project.with_fleet(Fleet(fleet.types[:1])))
    assert line(panel)["State"] == "finished, fleet changed since"
    session.undo_stack.undo()
    first, *others = fleet.types
    session.edit("Ground", session.project.with_fleet(Fleet((first.with_grounded_days((0,)), *others))))
    assert line(panel)["State"] == "finished, grounded days changed since"


def test_a_run_says_which_region_of_the_project_it_does_not_protect(
    session: Session, panel: RunsPanel, entry: RunEntry
) -> None:
    session.set_regions("Draw", (*session.project.regions, Region.rectangle("Lake", (1, 3), (1, 3))))
    assert line(panel)["State"] == "finished, regions changed since"  # no plan protects a region with this goal
    session.edit("Protect", session.project.protecting())
    names = ", ".join(region.name for region in session.project.regions)
    tip, colour = (
        panel.model.index(0, STATE).data(role) for role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.ForegroundRole)
    )
    assert f"⚠ does not protect {names}" in " ".join(str(tip).split()) and colour is not None
    assert line(panel)["State"] == f"finished, does not protect {names}"
    assert card_lines(entry)[0] == f"⚠ does not protect {names}"
    session.set_regions("Draw", tuple(Region.rectangle(f"R{k}", (1, 3), (k, k + 1)) for k in range(4)))
    assert card_lines(entry)[0] == "⚠ does not protect 4 regions"


def test_a_run_says_only_that_the_fire_does_not_reach_a_new_region_where_it_never_does(
    session: Session, panel: RunsPanel, entry: RunEntry
) -> None:
    lake, farm = Region.rectangle("Lake", (1, 3), (1, 3)), Region.rectangle("Farm", (1, 3), (6, 8))
    session.set_regions("Draw", (lake, farm))
    session.edit("Protect", session.project.protecting())
    assert card_lines(entry)[0] == "⚠ does not protect Lake, Farm"
    film = np.zeros((3, *session.project.scenario.grid.shape), np.uint8)
    film[-1, 2, 7] = 200
    fire = ShownResult("Fire", baseline=replace(frames(session.project), fire=Film.of(film)), project=session.project)
    session.show_result(fire)
    assert card_lines(entry)[0] == "⚠ does not protect Farm · the fire does not reach Lake"
    # The judgement holds while another fire is on the map, and for regions that are drawn then.
    session.show_result(replace(fire, mean_of=3))
    session.set_regions("Draw", (lake, replace(farm, name="Mill"), Region.rectangle("Camp", (1, 3), (10, 12))))
    assert card_lines(entry)[0] == "⚠ does not protect Mill · the fire does not reach Lake, Camp"
    session.set_plan("More days", replace(session.project.plan, days=session.project.plan.days + 1))
    assert "does not reach" not in card_lines(entry)[0]


def test_start_asks_the_window_which_may_have_to_save_first(qtbot: QtBot, panel: RunsPanel) -> None:
    with qtbot.waitSignal(panel.start_requested):
        panel.button("start").click()


def test_pause_resume_and_stop(qtbot: QtBot, queue: RunQueue, panel: RunsPanel, execute: FakeExecute) -> None:
    execute.endless = True
    entry = queue.plan()
    qtbot.waitUntil(lambda: entry.epoch > 0)
    assert panel.button("pause").isVisible()
    panel.button("pause").click()
    qtbot.waitUntil(lambda: entry.state is RunState.PAUSED)
    assert not panel.button("pause").isVisible()
    panel.button("resume").click()
    qtbot.waitUntil(lambda: entry.state is RunState.RUNNING)
    panel.button("stop").click()
    assert entry.status == "stopping"
    wait_idle(qtbot, queue)
    assert entry.reason is FinishReason.STOPPED


def test_a_stopped_run_is_resumed_from_its_line(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, execute: FakeExecute
) -> None:
    execute.endless = True
    entry = queue.plan()
    qtbot.waitUntil(lambda: entry.epoch > 0)
    panel.button("stop").click()
    wait_idle(qtbot, queue)
    execute.endless = False
    panel.select(entry)
    session = panel._session
    kept: list[bool] = []
    session.result_changed.connect(lambda: kept.append(session.result.plan is not None))
    assert session.result.plan is not None
    panel.button("resume").click()
    wait_idle(qtbot, queue)
    assert kept and all(kept), "the map lost the plan that the run goes on with"
    assert [spec.resume for spec in execute.runs] == [False, True]


def test_the_card_of_a_resumed_run_has_no_number_of_the_stopped_one(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, execute: FakeExecute
) -> None:
    execute.endless = True
    entry = queue.plan()
    qtbot.waitUntil(lambda: entry.epoch > 0)
    queue.stop()
    wait_idle(qtbot, queue)
    days = (DaySummary(0, None, (), 0, 5.0, 20.0),)
    entry.summary, entry.stress = PlanSummary(days, 5.0, 20.0, "", False, 0.09), stress_table()
    assert "Final size 5.0 ha" in "".join(card_lines(entry))
    queue.resume_stopped(entry)
    qtbot.waitUntil(lambda: entry.state is RunState.RUNNING)
    assert (entry.status, entry.nominal) == ("placing drops", None)
    assert not any("Final size" in words or "worst case" in words for words in card_lines(entry))
    assert card_lines(entry)[0].startswith(f"step {entry.epoch:,} of {entry.epochs:,}")
    queue.stop()
    wait_idle(qtbot, queue)
    # Nothing of the first stop comes back where the end has no result.
    assert entry.summary is None and entry.stress is None


def test_buttons_act_on_the_selected_line(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, execute: FakeExecute
) -> None:
    execute.endless = True
    first, second = queue.plan(), queue.plan()
    qtbot.waitUntil(lambda: first.epoch > 0)
    panel.select(second)
    panel.button("stop").click()
    assert queue.entries == (first,)
    queue.stop()
    wait_idle(qtbot, queue)


@pytest.mark.parametrize(("answer", "remains"), [("Delete", False), ("Cancel", True)])
def test_discarding_asks_first(queue: RunQueue, panel: RunsPanel, answer: str, remains: bool, entry: RunEntry) -> None:
    when_open(press(answer))
    panel.select(entry)
    panel.button("delete").click()
    assert entry.folder.exists() is remains
    assert (entry in queue.entries) is remains


def test_the_line_of_the_run_on_screen_is_selected_and_bold(panel: RunsPanel, entry: RunEntry) -> None:
    assert panel.selected is entry
    assert panel.model.index(0, TITLE).data(Qt.ItemDataRole.FontRole).bold()


def test_a_run_that_is_selected_stays_so_whatever_key_is_held(panel: RunsPanel, entry: RunEntry) -> None:
    QTest.keyPress(panel.table, Qt.Key.Key_Control, CTRL)
    panel.select(entry)
    QTest.keyRelease(panel.table, Qt.Key.Key_Control, NO_KEYS)
    assert panel.selected is entry
    assert panel.button("delete").isEnabled()


def test_enter_shows_the_selected_run(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, pair: tuple[RunEntry, RunEntry]
) -> None:
    first, second = pair
    assert queue.shown is second
    with_plan(first, second)
    panel.select(first)
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: queue.shown is first and not queue.activity)


def test_a_run_that_is_selected_alone_is_shown_and_several_are_not(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, pair: tuple[RunEntry, RunEntry]
) -> None:
    first, second = pair
    with_plan(first, second)
    click_line(panel, 1)
    qtbot.waitUntil(lambda: queue.shown is first and not queue.activity)
    QTest.keyClick(panel.table, Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: queue.shown is second and not queue.activity)
    click_line(panel, 1, CTRL)
    settle(qtbot, panel)
    assert panel.all_selected == (first, second) and queue.shown is second


def test_a_click_on_the_selected_run_takes_the_map_back_from_the_fire_without_drops(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, entry: RunEntry
) -> None:
    with_plan(entry)
    queue.show_baseline()
    qtbot.waitUntil(lambda: queue.shown is None and not queue.activity)
    assert panel.selected is entry
    click_line(panel, 0)
    qtbot.waitUntil(lambda: queue.shown is entry and not queue.activity)


def test_a_selected_run_is_shown_also_while_another_is_at_work_which_its_card_brings_back(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, entry: RunEntry, execute: FakeExecute
) -> None:
    with_plan(entry)
    execute.endless = True
    second = queue.plan()
    qtbot.waitUntil(lambda: second.state is RunState.RUNNING)
    click_line(panel, 1)
    qtbot.waitUntil(lambda: queue.shown is entry and not queue.activity)
    assert panel.selected is entry and queue.active is second
    click_line(panel, 0)
    qtbot.waitUntil(lambda: queue.shown is second)
    assert panel.selected is second
    queue.stop()
    wait_idle(qtbot, queue)


def test_a_run_that_was_selected_while_it_waited_is_shown_once_it_begins(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, execute: FakeExecute
) -> None:
    execute.endless = True
    first, second = queue.plan(), queue.plan()
    qtbot.waitUntil(lambda: first.epoch > 0)
    click_line(panel, 0)
    settle(qtbot, panel)
    assert panel.selected is second and queue.shown is first
    queue.stop(first)
    qtbot.waitUntil(lambda: queue.shown is second)
    queue.stop()
    wait_idle(qtbot, queue)


def test_a_table_with_little_room_moves_the_times_onto_the_bars(panel: RunsPanel) -> None:
    panel.resize(900, 240)
    assert not panel.table.isColumnHidden(ELAPSED)
    panel.resize(700, 240)
    hidden = [column for column in range(panel.model.columnCount()) if panel.table.isColumnHidden(column)]
    assert hidden == [ELAPSED, ETA, VOLUME, HOURS, COST, NIGHT, REGIONS, VALUES]


def test_a_run_outside_the_project_is_listed_but_its_folder_is_never_deleted(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = queue.start(run_spec(project, tmp_path / "elsewhere"))
    wait_idle(qtbot, queue)
    monkeypatch.setattr("firegui.gui.planning.runs_panel.confirm", lambda *_args: True)
    panel.select(entry)
    panel.button("delete").click()
    assert entry.folder.exists()
    assert entry not in queue.entries


# -- a narrow dock -----------------------------------------------------------------------------------------------------
def test_in_a_narrow_dock_what_is_used_less_is_in_a_menu(panel: RunsPanel, entry: RunEntry) -> None:
    second = [panel.button(name) for name in ("prune", "branch", "export", "folder", "delete")]
    assert all(button.isVisible() for button in second) and not panel.button("more").isVisible()
    panel.resize(330, 240)
    assert not any(button.isVisible() for button in second)
    QTest.mouseClick(panel.button("more"), LEFT)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    names = [action.text() for action in menu.actions()]
    assert {"Compare", "Duplicate with changes…", "Remove drops not needed", "Delete…"} <= set(names)
    menu.close()


def test_everything_in_a_narrow_dock_fits_its_width(qtbot: QtBot, panel: RunsPanel) -> None:
    panel.resize(310, 240)
    # It had to be wider while all of its buttons were visible.
    qtbot.waitUntil(lambda: panel.minimumSizeHint().width() <= 300)
    panel.resize(310, 240)
    assert panel.width() == 310


# -- notes -------------------------------------------------------------------------------------------------------------
def test_what_is_typed_about_a_run_lies_in_its_folder_and_its_line_has_a_pencil(
    qtbot: QtBot, panel: RunsPanel, entry: RunEntry
) -> None:
    QTest.mouseClick(panel.notes.field.viewport(), LEFT)
    QTest.keyClicks(panel.notes.field, "Too many drops")
    qtbot.waitUntil(lambda: read_notes(entry.folder) == "Too many drops")
    assert line(panel)["Run"] == f"✎ {entry.title}"
    assert "✎ Too many drops" in str(panel.model.index(0, TITLE).data(Qt.ItemDataRole.ToolTipRole))


def test_notes_belong_to_the_selected_run_and_are_saved_when_another_is_selected(
    panel: RunsPanel, pair: tuple[RunEntry, RunEntry]
) -> None:
    first, second = pair
    panel.select(first)
    QTest.keyClicks(panel.notes.field, "the first")
    panel.select(second)
    assert read_notes(first.folder) == "the first", "at once, not a moment later"
    assert panel.notes.field.toPlainText() == ""
    QTest.keyClicks(panel.notes.field, "the second")
    panel.shutdown()
    assert read_notes(second.folder) == "the second"
    panel.select(first)
    assert panel.notes.field.toPlainText() == "the first"


def test_a_run_that_waits_takes_no_notes_yet(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, execute: FakeExecute
) -> None:
    execute.endless = True
    first, second = queue.plan(), queue.plan()
    qtbot.waitUntil(lambda: first.epoch > 0)
    panel.select(second)
    assert not panel.notes.field.isEnabled()
    panel.select(first)
    assert panel.notes.field.isEnabled()
    queue.stop(second)
    queue.stop()
    wait_idle(qtbot, queue)


def test_notes_on_a_run_that_is_discarded_go_with_it(
    queue: RunQueue, panel: RunsPanel, refusals: list[InputError], entry: RunEntry
) -> None:
    QTest.keyClicks(panel.notes.field, "never mind")
    queue.discard(entry)
    panel.shutdown()
    assert not entry.folder.exists()
    assert refusals == []


# -- two of them -------------------------------------------------------------------------------------------------------
def click_line(panel: RunsPanel, row: int, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    QTest.mouseClick(panel.table.viewport(), LEFT, keys, centre_of(panel.table, row, TITLE))


def settle(qtbot: QtBot, panel: RunsPanel) -> None:
    """Wait until the selected run would be shown."""
    qtbot.waitUntil(lambda: not panel.is_about_to_show)


def with_plan(*entries: RunEntry) -> None:
    for entry in entries:
        (entry.folder / "schedule.csv").write_text("step,aircraft,y,x,theta\n3,S-2T-1,10,20,0.5\n")


def test_two_runs_that_are_selected_are_compared_the_earlier_first(
    panel: RunsPanel, pair: tuple[RunEntry, RunEntry]
) -> None:
    first, second = pair
    with_plan(first, second)
    asked: list[tuple[RunEntry, RunEntry]] = []
    panel.compare_requested.connect(asked.append)
    click_line(panel, 0)
    click_line(panel, 1, CTRL)
    assert panel.all_selected == (first, second)
    QTest.mouseClick(panel.button("compare"), LEFT)
    assert asked == [(first, second)]


def test_one_run_is_compared_with_the_one_on_screen_and_one_alone_with_nothing(
    queue: RunQueue, panel: RunsPanel, pair: tuple[RunEntry, RunEntry]
) -> None:
    first, second = pair
    with_plan(first, second)
    assert queue.shown is second
    click_line(panel, 0)
    assert not panel.button("compare").isEnabled()
    click_line(panel, 1)
    asked: list[tuple[RunEntry, RunEntry]] = []
    panel.compare_requested.connect(asked.append)
    QTest.mouseClick(panel.button("compare"), LEFT)
    assert asked == [(first, second)]


def test_a_run_without_a_plan_is_not_compared(panel: RunsPanel, pair: tuple[RunEntry, RunEntry]) -> None:
    panel.table.selectAll()
    assert not panel.button("compare").isEnabled()


def test_a_run_whose_folder_is_gone_is_marked(panel: RunsPanel, queue: RunQueue, entry: RunEntry) -> None:
    queue.refresh_folder()
    assert entry.status != "missing"
    entry.folder.rename(entry.folder.with_name(".hidden"))
    queue.refresh_folder()
    assert entry.status == "missing" and not entry.is_resumable


def test_runs_are_found_by_words_of_their_name_and_notes(panel: RunsPanel, queue: RunQueue, qtbot: QtBot) -> None:
    for _number in range(6):
        queue.plan()
        wait_idle(qtbot, queue)
    assert panel.search.isVisible()
    queue.entries[2].notes = "windy afternoon"
    QTest.keyClicks(panel.search, "windy")
    assert tuple(panel.model.rows) == (queue.entries[2],)
    panel.search.clear()
    assert len(panel.model.rows) == 6


def test_the_table_is_asked_for_its_selection_once_for_a_report(
    queue: RunQueue, panel: RunsPanel, pair: tuple[RunEntry, RunEntry], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[QAbstractItemView]()

    def rows(view: QAbstractItemView) -> list[int]:
        asked.append(view)
        return selected_rows(view)

    monkeypatch.setattr(runs_panel_module, "selected_rows", rows)
    panel.select(pair[0])
    asked.clear()
    queue.changed.emit()
    assert [panel.selected for _ in range(3)] == [pair[0]] * 3
    assert len(asked) == 1
    panel.select(pair[1])
    assert panel.selected is pair[1] and panel.all_selected == (pair[1],)


def test_an_estimate_that_rounds_to_nothing_is_not_shown(entry: RunEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for left, follows in ((0.3, "more"), (0.3, ""), (3.0, "more")):
        monkeypatch.setattr(RunEntry, "eta", left)
        monkeypatch.setattr(RunEntry, "more_follows", follows)
        seen.append(time_text(entry))
    assert seen == [("", ""), ("almost done", ""), ("0:03+", " left")]


def test_what_is_prepared_is_said_until_the_first_step_is_done(project: Project) -> None:
    project = project.with_margin(Margin.STRESS)
    entry = RunEntry("run", Path("run"), project, epochs=400)
    said = [work_words(entry)]
    entry.state, entry.preparation = RunState.PREPARING, "Compiling the kernels…"
    said.append(work_words(entry))
    entry.preparation = ""
    said.append(work_words(entry))
    entry.baseline = metrics()
    said.append(work_words(entry))
    entry.state = RunState.RUNNING
    entry.begin_stage(StageBegan(Stage.OPTIMIZE, 1, 2, "search"))
    said.append(work_words(entry))
    assert progress_text(entry) == "preparing" and card_lines(entry)[0] == said[-1]
    whole = QRectF(0.0, 0.0, 100.0, 4.0)
    assert bar_part(entry, whole).width() == 25.0
    entry.add_epochs([epoch_done(0, 400)])
    said.append(work_words(entry))
    assert bar_part(entry, whole).width() == 100.0 / 400
    entry.begin_stage(StageBegan(Stage.PRUNE, 2, 2, "removal"))
    said.append(work_words(entry))
    entry.add_removals([removal(1)])
    said.append(work_words(entry))
    assert said == [
        "", "Compiling the kernels…", "Computing the fire without drops…", "Preparing the stress scenarios…",
        "Making the first of 400 steps…", "step 1 of 400", "Finding drops that the plan does not need…",
        "round 1, 3 fire simulations · until no more drops can be left out",
    ]  # fmt: skip
    entry.project = project.with_margin(Margin.NONE)
    assert work_words(entry).startswith("round 1, 1 of 10 drops tried")


def test_the_bar_of_a_run_that_prepares_moves(
    qtbot: QtBot, queue: RunQueue, panel: RunsPanel, execute: FakeExecute, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute.endless = True
    monkeypatch.setattr(RunEntry, "preparing", "Computing the fire without drops…")
    queue.plan()
    assert panel._moving.isActive()
    monkeypatch.undo()
    qtbot.waitUntil(lambda: not panel._moving.isActive())
    queue.stop()
    wait_idle(qtbot, queue)


def test_the_time_left_counts_down_and_changes_only_where_the_pace_does(project: Project) -> None:
    entry = RunEntry("run", Path("run"), project, RunState.RUNNING, epochs=200, stages=(Stage.OPTIMIZE,))
    entry.begin_stage(StageBegan(Stage.OPTIMIZE, 1, 1, "search"))
    seconds, left = 0.0, []
    for k in range(100):
        # Steps take one second and two by turns, and each tenth takes eight.
        seconds += 8.0 if k % 10 == 5 else 1.0 + k % 2
        entry.add_epochs([replace(epoch_done(k, 200), seconds=seconds)])
        left.append(entry.eta)
    assert left[:5] == [None] * 5 and work_words(entry).startswith("step 100 of 200 · about ")
    known = [each for each in left if each is not None]
    rises = sum(later > before for before, later in itertools.pairwise(known))
    assert rises == 0
    # A pace that is really slower counts at once.
    for k in range(100, 140):
        seconds += 20.0
        entry.add_epochs([replace(epoch_done(k, 200), seconds=seconds)])
    assert entry.eta is not None and entry.eta > known[-1]
    # The estimate is of the search, not of the stress test of its plan.
    entry.add_stress_progress(StressTestProgress(2, 10, "stress test: late", 0.2))
    assert entry.eta is None and work_words(entry) == ""
    entry.begin_stage(StageBegan(Stage.OPTIMIZE, 1, 1, "search"))
    entry.state = RunState.STOPPING
    assert entry.eta is None

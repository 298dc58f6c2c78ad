"""Runs as cards: what a card says, names, search, order and groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from firegui.domain.drops import DropList
from firegui.domain.plan_summary import DaySummary, PlanSummary, RegionSummary, TypeDrops, ValueSummary
from firegui.domain.project import Project
from firegui.domain.settings import Margin, ObjectiveWeights, Setting
from firegui.domain.stress import StressDraw, StressScenario, case_text
from firegui.domain.units import Units
from firegui.errors import InputError
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning import runs_table
from firegui.gui.planning.result_view import report_html
from firegui.gui.planning.run_cards import RunCards, card_lines, shortened_to, work_words, wrapped_lines
from firegui.gui.planning.run_order import RunGrouping, RunOrder, arranged, best_runs, group_of
from firegui.gui.planning.runs_panel import RunsPanel
from firegui.gui.planning.runs_table import NIGHT, SIZE, TITLE, run_columns
from firegui.gui.session.session import Session
from firegui.runs.events import StressTestProgress
from firegui.runs.notes import MOST_LETTERS, NAME, read_name, write_name
from firegui.runs.stages import FinishReason, ReplanNote, RunState, Stage
from tests.gui.analyses.scene import stress_table
from tests.gui.fake_runs import FakeExecute, metrics, removal, wait_idle
from tests.gui.hands import LEFT, centre_of, show_widget
from tests.gui.saved_runs import stopped_run
from tests.support import make_project


def summary(final: float, drops: int, night: int) -> PlanSummary:
    """Return the summary of a plan of one day in a fire of 1,204 ha without drops."""
    types = (TypeDrops("S-2T", "retardant", drops, 1200.0 * drops),)
    return PlanSummary((DaySummary(0, None, types, night, final, 1204.0),), final, 1204.0, "", False, 0.09)


def done(name: str, final: float | None = None, drops: int = 0, night: int = 0) -> RunEntry:
    """Return a finished run, with a summary if ``final`` is its size."""
    entry = RunEntry(name, Path(f"/runs/{name}"), state=RunState.FINISHED, reason=FinishReason.COMPLETED)
    entry.summary = None if final is None else summary(final, drops, night)
    return entry


def titles(entries: list[RunEntry]) -> list[str]:
    return [entry.title for entry in entries]


# -- what a card says --------------------------------------------------------------------------------------------------
def test_a_card_has_what_is_saved_drops_volume_night_and_the_worst_case() -> None:
    entry = done("one", 5.5, 381, 193)
    entry.stress = stress_table()
    first, second = card_lines(entry)
    assert first == "Final size 5.5 ha, 1,198 ha saved (99.5 %) · 1,731 m³"
    worst = entry.stress.worst.scenario
    assert second.startswith("193 at night · worst case ")
    assert "at night" not in " ".join(card_lines(done("two", 5.5, 381)))
    assert second.endswith(f" of the growth without drops ({case_text(worst)})")


def test_the_best_finished_plan_of_a_goal_is_named_and_by_what(project: Project) -> None:
    runs = [done("small", 5.5, 381), done("large", 9.0, 200), done("other goal", 1.0, 10), done("stopped", 2.0, 10)]
    for entry in runs:
        entry.project = project
    runs[2].project = project.protecting()
    runs[3].reason = FinishReason.STOPPED
    small, large = runs[:2]
    found = best_runs(runs)
    assert list(found) == [small.folder]
    assert found[small.folder] == (
        "Best of 2 finished plans of this goal by the smallest final size: 5.5 ha (99.5 % saved), 381 drops"
    )
    assert best_runs([small]) == {}
    # Of sizes that are shown alike, the one with fewer drops; of plans that are alike, none.
    assert small.summary is not None
    large.summary = replace(small.summary, final_ha=5.51)
    assert best_runs(runs) == {}
    large.summary = summary(5.51, 200, 0)
    assert list(best_runs(runs)) == [large.folder]
    # A plan that was tested and holds comes before.
    small.stress = replace(stress_table(), results=stress_table().results[:1])
    assert not small.missed
    assert "by its stress test" in best_runs(runs)[small.folder]
    # How far each fire stays below the limit is chance where the drops of all were removed until it.
    large.summary = summary(9.0, 200, 0)
    large.stress = small.stress
    assert list(best_runs(runs)) == [small.folder]
    small.removal_end = large.removal_end = "held"
    assert "by the fewest drops: 9.0 ha" in best_runs(runs)[large.folder]


def test_the_card_of_an_exercise_names_the_scenario_that_it_was_flown_in() -> None:
    entry, region = done("one", 5.5, 381), RegionSummary("R1", 52.0, 0.0, 31.0)
    assert entry.summary is not None
    entry.note = ReplanNote(1, "", closed_loop=True, exercise=StressScenario("weak"))
    entry.summary = replace(entry.summary, regions=(region,))
    assert card_lines(entry)[0] == "Flown in “weak”: no protected region burned"
    entry.summary = replace(entry.summary, regions=(replace(region, burned_ha=0.4),))
    assert card_lines(entry)[0] == "Flown in “weak”: R1: 0.4 ha burned"
    assert "Flown in “weak”" in report_html(entry) and "Not stress-tested" not in report_html(entry)
    assert ";flown</td>" in report_html(entry) and ";expected</td>" not in report_html(entry)


def test_the_card_and_the_tooltip_of_the_best_plan_say_so(queue: RunQueue, panel: RunsPanel) -> None:
    for entry, size in zip(queue.entries, (9.0, 5.5), strict=True):
        entry.summary = summary(size, 381, 0)
    panel.model.refresh()
    # The latest run is the first of the list.
    assert [panel.model.state(place) for place in (0, 1)] == ["Best so far · finished", "finished"]
    shown = [str(panel.model.index(place, 0).data(Qt.ItemDataRole.ToolTipRole)) for place in (0, 1)]
    tips = [" ".join(tip.split()) for tip in shown]
    assert "by the smallest final size: 5.5 ha" in tips[0] and "Best of" not in tips[1]


def test_a_card_begins_with_the_regions_that_the_goal_counts(project: Project) -> None:
    entry, region = done("one", 5.5, 381), RegionSummary("R1", 52.0, 0.4, 31.0)
    assert entry.summary is not None
    entry.summary = replace(entry.summary, regions=(region,))
    assert card_lines(entry) == [
        "Not stress-tested",
        "R1: 0.4 ha burned",
        "Final size 5.5 ha, 1,198 ha saved (99.5 %) · 1,731 m³",
    ]
    both = replace(region, name=""), replace(region, name="R2", burned_ha=1.8)
    entry.summary = replace(entry.summary, regions=(region, both[1]), together=replace(both[0], burned_ha=2.2))
    assert card_lines(entry, Units.US)[1] == "Regions: 5.4 acres burned, most in R2"
    assert entry.summary.together is not None
    entry.summary = replace(entry.summary, together=replace(entry.summary.together, burned_ha=1.8))
    assert card_lines(entry)[1] == "R2: 1.8 ha burned"
    entry.summary = replace(entry.summary, together=replace(region, name="", burned_ha=0.01))
    assert card_lines(entry)[1] == "No protected region burns at expected effectiveness"
    entry.summary = replace(entry.summary, regions=(replace(region, is_in_goal=False),), together=None)
    assert card_lines(entry)[1].startswith("Final size 5.5 ha, 1,198 ha saved")
    # The worst case is that of the regions, too.
    entry.stress = stress_table()
    assert "of the growth without drops" in card_lines(entry)[1]
    entry.summary = replace(entry.summary, regions=(region,), stress=entry.stress)
    assert "worst case" not in " ".join(card_lines(entry)), "nothing of the regions burns in any case"
    unburned = replace(entry.summary, regions=(replace(region, burned_ha=0.0),), together=None)
    entry.summary, counted = unburned, entry.summary
    assert card_lines(entry)[0] == "No protected region burns", "in no case"
    entry.summary = counted
    burning = replace(entry.stress.results[0], draws=(StressDraw(12.0, 7.0, 0.1, 12),))
    entry.stress = replace(entry.stress, results=(burning,))
    entry.summary = replace(entry.summary, stress=entry.stress)
    burned = max(draw.protected_cells for result in entry.stress.results for draw in result.draws) * 0.09
    differs = case_text(entry.stress.worst_for_regions.scenario)
    assert card_lines(entry)[2].endswith(f"worst case: {burned:.1f} ha of R1 ({differs})")
    # Each of the two lines says which case it is about.
    entry.summary, counted = replace(unburned, stress=entry.stress), entry.summary
    assert card_lines(entry)[0] == "No protected region burns at expected effectiveness"
    assert f"worst case: {burned:.1f} ha of R1" in card_lines(entry)[-1]
    entry.summary = counted
    # A limit for the growth in the regions may allow that.
    entry.project = project
    assert f"ha of R1 ({differs})" in " ".join(card_lines(entry)), "the limit is missed"
    weights, margin = ObjectiveWeights.of(Setting.B), replace(project.plan.margin, limit=1.0)
    entry.project = replace(project, plan=replace(project.plan, weights=weights, margin=margin))
    assert f"ha of R1, within the limit ({differs})" in " ".join(card_lines(entry))
    entry.summary = replace(entry.summary, regions=(region, both[1]))
    assert f"ha of the regions, within the limit ({differs})" in " ".join(card_lines(entry))
    entry.summary = counted
    entry.project = None
    # It is of those of the run, which may not be those of the project any more.
    entry.has_other_regions = True
    assert card_lines(entry)[2].endswith(f"worst case: {burned:.1f} ha of the regions of the run ({differs})")
    assert "; with the regions of the run)" in report_html(entry)


def test_the_size_of_a_plan_that_is_not_scored_yet_says_its_effectiveness() -> None:
    entry = RunEntry("one", Path("/runs/one"), state=RunState.RUNNING, plan=metrics(2.0), baseline=metrics(4.0))
    assert "9.0&nbsp;ha without drops<" in report_html(entry)
    assert "as if drops worked less well than expected. The expected size comes with" in report_html(entry)
    entry.state, entry.reason = RunState.FINISHED, FinishReason.STOPPED
    assert "as if drops worked less well than expected. Resume the run for" in report_html(entry)
    entry.nominal = entry.plan
    assert "cautious" not in report_html(entry)


def test_the_card_of_a_run_that_was_stopped_says_that_its_plan_was_not_stress_tested() -> None:
    entry = replace(done("one", 5.5, 381), reason=FinishReason.STOPPED)
    assert card_lines(entry)[0] == "Not stress-tested"
    entry.stress = stress_table()
    assert "Not stress-tested" not in card_lines(entry)
    waiting = RunEntry("one", Path("/runs/one"), state=RunState.QUEUED)
    assert "Not stress-tested" not in card_lines(waiting)


def test_a_card_says_when_the_plan_makes_the_fire_larger() -> None:
    assert card_lines(done("one", 1504.0, 3, 0))[1].startswith("Final size 1,504 ha, 300 ha larger")


def test_a_run_at_work_has_its_progress_first_and_no_empty_line() -> None:
    entry = RunEntry("one", Path("/runs/one"), state=RunState.RUNNING, epochs=40)
    assert card_lines(entry) == ["Making the first of 40 steps…"]
    entry.stage = Stage.PRUNE
    entry.removals.extend([removal(3, passes=4)])
    (progress,) = card_lines(entry)[:1]
    assert progress.startswith("round 4, 3 of 10 drops tried")


def test_the_removal_of_a_plan_with_a_margin_only_counts_forward() -> None:
    entry = RunEntry("one", Path("/runs/one"), make_project().with_margin(Margin.STRESS), state=RunState.RUNNING)
    entry.stage, words = Stage.PRUNE, []
    first = removal(3, passes=4)
    # The parts of a round are counted anew, which is not shown.
    for rollouts, tested in ((700, 9), (1_500, 0), (1_600, 3)):
        entry.add_removals([replace(first, rollouts=rollouts, tested=tested)])
        words.append(work_words(entry))
        assert entry.is_unmeasured and entry.progress == 0.0
    assert words == [
        f"round 4, {count} fire simulations · until no more drops can be left out"
        for count in ("700", "1,500", "1,600")
    ]
    entry.state = RunState.PAUSED
    assert not entry.is_unmeasured


# -- order and groups --------------------------------------------------------------------------------------------------
@pytest.fixture
def three() -> list[RunEntry]:
    return [done("b", 100.0, 50, 9), done("a", 20.0, 90, 0), done("c")]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (RunOrder.NEWEST, ["c", "a", "b"]),
        (RunOrder.NAME, ["a", "b", "c"]),
        (RunOrder.SAVED, ["a", "b", "c"]),
        (RunOrder.VOLUME, ["b", "a", "c"]),
        (RunOrder.NIGHT, ["a", "b", "c"]),
    ],
)
def test_runs_are_sorted_and_those_without_a_value_come_last(
    three: list[RunEntry], order: RunOrder, expected: list[str]
) -> None:
    assert titles(arranged(three, "", order, RunGrouping.NONE)) == expected


def test_runs_are_sorted_by_what_burns_of_the_regions(three: list[RunEntry]) -> None:
    for entry, burned in zip(three[:2], (0.4, 3.0), strict=True):
        assert entry.summary is not None
        entry.summary = replace(entry.summary, regions=(RegionSummary("R1", 52.0, burned, 31.0),))
    assert titles(arranged(three, "", RunOrder.REGIONS, RunGrouping.NONE)) == ["b", "a", "c"]
    (column,) = (each for each in run_columns(lambda: Units.US) if each.title == "In regions")
    assert [column.text(entry) for entry in three] == ["1.0 acres", "7.4 acres", "–"]


def test_values_lost_have_an_order_a_column_a_line_and_a_rank(three: list[RunEntry], project: Project) -> None:
    for entry, lost in zip(three[:2], (0.123, 0.5), strict=True):
        assert entry.summary is not None
        entry.nominal = replace(metrics(1.0), loss_val=lost, value_lost=(100.0 * lost,))
        entry.summary = replace(entry.summary, values=(ValueSummary("homes", 100.0, 100.0 * lost, 90.0),))
        entry.project = project
    (column,) = (each for each in run_columns(lambda: Units.METRIC) if each.title == "Values lost")
    by_name = {entry.title: entry for entry in three}
    shown = {name: column.text(entry) for name, entry in by_name.items()}
    assert sorted(shown.values()) == ["12 %", "50 %", "–"]
    assert titles(arranged(three, "", RunOrder.VALUES, RunGrouping.NONE))[-1] == "c"
    first = arranged(three, "", RunOrder.VALUES, RunGrouping.NONE)[0]
    assert "Values: 12 % lost" in card_lines(first)
    assert "by the least value lost" in best_runs(three)[first.folder]
    # Values that the goal does not count say nothing of which plan is better.
    for entry in three[:2]:
        assert entry.summary is not None
        entry.summary = replace(entry.summary, values=(replace(entry.summary.values[0], is_in_goal=False),))
    assert not [line for line in card_lines(first) if line.startswith("Values")]


def test_every_word_of_the_search_must_be_in_name_state_folder_or_notes(three: list[RunEntry]) -> None:
    three[0].notes = "More tankers"
    assert titles(arranged(three, "TANK finished", RunOrder.NEWEST, RunGrouping.NONE)) == ["b"]
    assert titles(arranged(three, "tank failed", RunOrder.NEWEST, RunGrouping.NONE)) == []


def test_groups_keep_the_order_within_them(project: Project, three: list[RunEntry]) -> None:
    own = replace(project, plan=replace(project.plan, setting=Setting.B))
    for entry, made in zip(three, (project, own, project), strict=True):
        entry.project = made
    assert titles(arranged(three, "", RunOrder.NEWEST, RunGrouping.GOAL)) == ["c", "b", "a"]


def test_runs_that_replan_are_grouped_apart_from_plans_and_exercises(three: list[RunEntry]) -> None:
    plan, replanned, exercise = three
    replanned.replans = exercise.replans = True
    replanned.note, exercise.note = ReplanNote(2, ""), ReplanNote(1, "", closed_loop=True)
    assert [group_of(entry, RunGrouping.KIND) for entry in three] == ["Plans", "Replanned", "Exercises"]
    later = done("later")
    mixed = arranged([plan, exercise, replanned, later], "", RunOrder.NEWEST, RunGrouping.KIND)
    assert mixed == [later, plan, replanned, exercise]


# -- in the panel ------------------------------------------------------------------------------------------------------
@pytest.fixture
def execute(saved: Path) -> FakeExecute:
    return FakeExecute(epochs=4)


@pytest.fixture
def panel(qtbot: QtBot, session: Session, queue: RunQueue) -> Iterator[RunsPanel]:
    """Return the list in a panel as wide as the side panel, with two finished runs."""
    made = RunsPanel(session, queue)
    show_widget(qtbot, made, 310, 480)
    for _run in range(2):
        queue.plan()
        wait_idle(qtbot, queue)
    yield made
    made.shutdown()


def test_runs_outside_the_training_of_their_model_are_marked_where_others_are_not(
    panel: RunsPanel, queue: RunQueue, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    badge = "wind beyond what the fire model learned from"
    first, second = (panel.model.index(row, TITLE) for row in range(2))
    assert panel.caution.isHidden()
    monkeypatch.setattr(runs_table, "outside_text", lambda _project: badge)
    queue.changed.emit()
    assert "⚠" not in first.data() + second.data()
    assert panel.caution.isVisible() and badge in panel.caution.text()
    assert panel.caution.property("role") == "warning"
    scenario = session.project.scenario
    session.edit("invent the fire", replace(session.project, scenario=replace(scenario, synthetic=True)))
    queue.changed.emit()
    assert panel.caution.property("role") == "muted", "an invented fire has no size to be sure of"

    inside = panel.model.row(1)
    monkeypatch.setattr(runs_table, "_outside", lambda entry: "" if entry is inside else badge)
    queue.changed.emit()
    assert first.data().endswith("⚠") and badge in first.data(Qt.ItemDataRole.ToolTipRole)
    assert "⚠" not in second.data() and "⚠" in panel.caution.text()


def test_a_narrow_panel_has_cards_and_a_wide_one_a_table(panel: RunsPanel) -> None:
    assert panel.has_cards
    assert panel.table.horizontalHeader().isHidden()
    assert panel.table.isColumnHidden(SIZE)
    panel.resize(1000, 480)
    assert not panel.has_cards
    assert not panel.table.horizontalHeader().isHidden()
    assert not panel.table.isColumnHidden(SIZE)
    assert not panel.table.isColumnHidden(NIGHT)


def test_parts_of_a_line_that_do_not_fit_go_to_the_next_and_nothing_is_cut(panel: RunsPanel) -> None:
    metrics = panel.table.fontMetrics()
    line = "1,198 ha saved (99.5 %) · 403 drops · 2,145 m³ in all"
    room = metrics.horizontalAdvance("1,198 ha saved (99.5 %) · 403 drops")
    assert wrapped_lines([line, "short"], metrics, room) == [
        "1,198 ha saved (99.5 %) · 403 drops", "2,145 m³ in all", "short",
    ]  # fmt: skip
    assert wrapped_lines([line], metrics, 10 * room) == [line]
    assert wrapped_lines([line], metrics, metrics.horizontalAdvance("1,198 ha saved (99.5 %)")) == line.split(" · ")
    # A number keeps its percent sign.
    assert wrapped_lines(["saved (99.5 %)"], metrics, 1) == ["saved", "(99.5 %)"]
    # A part that is wider than the card, such as the names of regions, breaks between its words.
    assert wrapped_lines(["does not protect Red Bluff"], metrics, 1) == ["does", "not", "protect", "Red", "Bluff"]


def test_a_long_name_has_a_line_of_its_own_and_the_card_follows_the_width(
    qtbot: QtBot, panel: RunsPanel, queue: RunQueue
) -> None:
    before = panel.table.rowHeight(0)
    queue.entries[-1].title = "Keep the fire out of the regions, 26 Nov 12:05"
    panel.model.refresh()
    line = panel.table.fontMetrics().height()
    qtbot.waitUntil(lambda: panel.table.rowHeight(0) == before + line)
    panel.resize(500, 480)
    qtbot.waitUntil(lambda: panel.table.rowHeight(0) == before)


def test_a_text_that_fills_its_line_is_not_elided_and_a_name_takes_the_lines_it_needs(
    qtbot: QtBot, panel: RunsPanel, queue: RunQueue
) -> None:
    metrics = panel.table.fontMetrics()
    for text in ("1,191 ha saved (99.0 %)", "Final size 12.1 ha,", "403 drops · 2,145 m³ in all", "retardant 70 %"):
        assert shortened_to(text, metrics, metrics.horizontalAdvance(text)) == text
    assert "…" in shortened_to("a name without any place to break", metrics, 60)
    names = [
        "Quick plan, whole fire and regions, 27 Nov 21:48",
        "Cautious margin, whole fire and regions, 27 Nov 21:48:05",
    ]
    cards = panel.table.itemDelegateForColumn(TITLE)
    assert isinstance(cards, RunCards)
    for name in names:
        queue.entries[-1].title = name
        panel.model.refresh()
        parts = cards.head(0, panel.table.font(), panel.table.columnWidth(TITLE) - 20).name
        assert " ".join(parts) == name and len(parts) > 1


def test_the_list_asks_for_its_cards_and_for_three_at_most(panel: RunsPanel, queue: RunQueue) -> None:
    def cards(count: int) -> int:
        return sum(panel.table.rowHeight(row) for row in range(count)) + 2 * panel.table.frameWidth()

    assert panel.has_cards
    for number in range(len(queue.entries), 5):
        queue.plan()
        assert panel.table.sizeHint().height() == cards(min(number + 1, 3))


def test_a_card_is_as_high_as_its_lines(panel: RunsPanel, queue: RunQueue) -> None:
    low = panel.table.rowHeight(0)
    queue.entries[-1].summary = summary(5.5, 381, 193)
    panel.model.refresh()
    assert panel.table.rowHeight(0) > low


def test_the_chosen_card_shows_whether_the_list_has_the_focus(panel: RunsPanel, queue: RunQueue) -> None:
    panel.select(queue.entries[0])
    pictures = []
    for part in (panel.button("rename"), panel.table):
        part.setFocus()
        assert part.hasFocus()
        pictures.append(panel.table.viewport().grab().toImage())
    assert pictures[0] != pictures[1]


def test_a_name_is_edited_in_the_list_and_kept_with_the_run(qtbot: QtBot, panel: RunsPanel, queue: RunQueue) -> None:
    entry = queue.entries[0]
    panel.select(entry)
    panel.button("rename").click()
    field = panel.table.viewport().findChild(QLineEdit)
    assert field is not None
    QTest.keyClicks(field, "Two more tankers")
    QTest.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: entry.title == "Two more tankers")
    assert read_name(entry.folder) == "Two more tankers"


def test_a_run_is_renamed_from_its_menu(panel: RunsPanel, queue: RunQueue) -> None:
    panel.select(queue.entries[0])
    panel.table.customContextMenuRequested.emit(QPoint(5, 5))
    (menu,) = (menu for menu in panel.findChildren(QMenu) if menu.isVisible())
    (rename,) = (action for action in menu.actions() if action.text() == "Rename")
    assert rename.isEnabled() and panel.table.viewport().findChild(QLineEdit) is None
    rename.trigger()
    assert panel.table.viewport().findChild(QLineEdit) is not None
    menu.close()


def test_a_saved_run_is_listed_under_its_name(saved: Path, session: Session, queue: RunQueue) -> None:
    write_name(stopped_run(saved, DropList()), "Two more tankers")
    session.open_project(session.project, saved)
    assert titles(list(queue.entries)) == ["Two more tankers"]


def test_a_run_that_was_copied_into_the_folder_is_listed(saved: Path, session: Session, queue: RunQueue) -> None:
    session.open_project(session.project, saved)
    assert not queue.entries
    copied = stopped_run(saved, DropList())
    for _time in range(2):
        queue.refresh_folder()
        assert [entry.folder for entry in queue.entries] == [copied]


def test_an_empty_name_restores_the_first_one(panel: RunsPanel, queue: RunQueue) -> None:
    entry = queue.entries[0]
    first = entry.title
    queue.rename(entry, "Mine")
    queue.rename(entry, "  ")
    assert entry.title == first
    assert not (entry.folder / NAME).exists()


def test_a_name_of_more_than_a_line_or_too_many_letters_is_refused(
    panel: RunsPanel, queue: RunQueue, refusals: list[InputError]
) -> None:
    entry = queue.entries[0]
    before = entry.title
    assert not queue.rename(entry, "x" * (MOST_LETTERS + 1))
    assert entry.title == before
    assert len(refusals) == 1
    with pytest.raises(InputError, match="more than one line"):
        write_name(entry.folder, "a\nb")


def test_the_shown_plan_takes_the_new_name(qtbot: QtBot, panel: RunsPanel, queue: RunQueue, session: Session) -> None:
    entry = queue.entries[-1]
    assert queue.shown is entry
    queue.rename(entry, "The last")
    assert session.result.title == "The last"


def test_search_order_and_groups_in_the_panel(panel: RunsPanel, queue: RunQueue) -> None:
    queue.rename(queue.entries[0], "North flank")
    panel.search.setText("north")
    assert [panel.model.index(row, TITLE).data() for row in range(panel.model.rowCount())] == ["North flank"]
    panel.search.clear()
    assert panel.model.index(1, TITLE).data() == "North flank", "the newest is first"
    panel.order.setCurrentIndex(panel.order.findData(RunOrder.NAME.value))
    assert panel.model.index(0, TITLE).data() == "North flank"
    panel.order.setCurrentIndex(panel.order.findData(RunOrder.NEWEST.value))
    low = panel.table.rowHeight(0)
    panel.grouping.setCurrentIndex(panel.grouping.findData(RunGrouping.STATE.value))
    assert panel.model.heading(0) == "Finished"
    assert panel.model.heading(1) == ""
    assert panel.table.rowHeight(0) > low


def test_a_run_of_edited_drops_names_its_parent_on_its_card_and_in_its_result() -> None:
    entry = RunEntry("one", Path("/runs/one"), state=RunState.FINISHED, parent="Evening plan <2>")
    entry.summary = PlanSummary((), 5.5, 1204.0, "", False, 0.09)
    assert card_lines(entry)[0] == "edited from Evening plan <2>"
    assert "Edited from Evening plan &lt;2&gt;" in report_html(entry)
    entry.parent = ""
    assert "dited from" not in report_html(entry) + str(card_lines(entry))


def test_a_card_under_the_pointer_keeps_its_place_while_runs_are_added(
    qtbot: QtBot, panel: RunsPanel, queue: RunQueue
) -> None:
    table, first = panel.table, queue.entries[0]
    panel.resize(310, 900)
    for _run in range(2):
        queue.plan()
        wait_idle(qtbot, queue)
    at = centre_of(table, panel.model.place_of(first), TITLE)
    QApplication.sendEvent(table.viewport(), QEnterEvent(QPointF(at), QPointF(at), QPointF(at)))
    top, search = table.mapTo(panel, QPoint()), panel.search.isVisible()
    for _run in range(3):
        new = queue.plan()
        wait_idle(qtbot, queue)
    assert table.mapTo(panel, QPoint()) == top and panel.search.isVisible() is search
    QTest.mouseClick(table.viewport(), LEFT, pos=at)
    assert panel.selected is first, "the card that was aimed at"
    assert panel.model.entry(panel.model.rowCount() - 1) is new
    # The list is in order again once the pointer has left it.
    QApplication.sendEvent(table.viewport(), QEvent(QEvent.Type.Leave))
    assert panel.model.entry(0) is new and panel.selected is first and panel.search.isVisible()


def test_the_card_of_a_run_at_work_has_one_height_from_the_queue_to_its_last_report(
    panel: RunsPanel,
) -> None:
    panel.resize(320, 500)
    entry = RunEntry("one", Path("/runs/one"), state=RunState.QUEUED, stages=(Stage.OPTIMIZE, Stage.PRUNE))
    cards, heights = RunCards(panel.model), []
    panel.model.set_rows([entry])

    def measure() -> None:
        heights.append(cards.height(0, panel.table, 300))

    measure()
    entry.state = RunState.PREPARING
    measure()
    entry.state, entry.stage, entry.number, entry.count = RunState.RUNNING, Stage.PRUNE, 2, 2
    entry.add_removals([removal(7)])
    measure()
    entry.add_stress_progress(StressTestProgress(3, 10, "late", 0.3))
    measure()
    assert len(set(heights)) == 1, heights

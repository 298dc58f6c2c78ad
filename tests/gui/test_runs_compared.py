"""Comparison of two runs, and duplication of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QHeaderView, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.plan_summary import DaySummary, PlanSummary, RegionSummary, TypeDrops, ValueSummary
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.settings import Margin, MarginSettings
from firegui.domain.stress import StressDraw, case_text, worst_case_text
from firegui.domain.units import Units, amount_text, percent_text
from firegui.errors import InputError
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.planning.duplicate_run_dialog import DuplicateRunDialog
from firegui.gui.planning.progress_panel import FIRST, ProgressPanel
from firegui.gui.planning.result_panel import ResultPanel
from firegui.gui.planning.run_comparison import (
    ComparisonPanel,
    compared,
    differing_inputs,
    limit_note,
    run_comparison_spec,
)
from firegui.gui.planning.runs_table import TITLE
from firegui.gui.session.session import FireView, ShownResult
from firegui.gui.window.action_registry import ACTIONS
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.workspaces import WorkspaceName
from firegui.io.project.store import load_project, save_project
from firegui.runs.stages import RunState
from firegui.runs.titles import compared_titles, short_title, short_titles
from tests.gui.analyses.scene import stress_table
from tests.gui.controls import report
from tests.gui.fake_runs import FakeExecute, frames, metrics, wait_idle
from tests.gui.hands import LEFT, centre_of, choose, to_front, type_into_field
from tests.gui.layout_shares import cut_titles
from tests.gui.shell_scene import settle
from tests.gui.test_dialogs import press, when_open

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def execute() -> FakeExecute:
    return FakeExecute(epochs=4)


@pytest.fixture
def bench(window: MainWindow, project: Project, tmp_path: Path) -> MainWindow:
    """Return a window on a saved project."""
    folder = tmp_path / "ridge.firegui"
    save_project(project, folder)
    assert window.workbench.documents.open(folder)
    return window


def run(qtbot: QtBot, window: MainWindow) -> RunEntry:
    """Press F5, and return the run."""
    to_front(qtbot, window)
    QTest.keyClick(window, Qt.Key.Key_F5)
    entry = window.workbench.queue.entries[-1]
    wait_idle(qtbot, window.workbench.queue)
    (entry.folder / "schedule.csv").write_text("step,aircraft,y,x,theta\n3,S-2T-1,10,20,0.5\n")
    return entry


def select_both(window: MainWindow) -> None:
    """Click the first row, and one with Ctrl on the second."""
    window.workbench.show_panel("Runs")
    table = window.workbench.runs.table
    QTest.mouseClick(table.viewport(), LEFT, pos=centre_of(table, 0, TITLE))
    QTest.mouseClick(table.viewport(), LEFT, CTRL, centre_of(table, 1, TITLE))


@pytest.mark.parametrize(
    ("titles", "short", "long"),
    [
        (("Run 2, whole fire", "Run 5, regions"), ("Run 2", "Run 5"), ("Run 2, whole fire", "Run 5, regions")),
        (("Mine", "Run 5, regions"), ("Mine", "Run 5"), ("Mine", "Run 5, regions")),
        (("Mine", "Mine"), ("Plan 1", "Plan 2"), ("Plan 1: Mine", "Plan 2: Mine")),
        (("The plan of the night shift", "Run 5"), ("Plan 1", "Plan 2"),
         ("Plan 1: The plan of the night shift", "Plan 2: Run 5")),
    ],
)  # fmt: skip
def test_compared_plans_have_the_names_of_their_runs_and_numbers_where_these_are_long_or_alike(
    titles: tuple[str, ...], short: tuple[str, ...], long: tuple[str, ...]
) -> None:
    assert short_titles(*titles) == short
    assert compared_titles(*titles) == long


# -- compare -----------------------------------------------------------------------------------------------------------
def test_two_selected_runs_are_put_on_maps_that_move_together_with_their_numbers_beside(
    qtbot: QtBot, bench: MainWindow, execute: FakeExecute
) -> None:
    first, second = run(qtbot, bench), run(qtbot, bench)
    select_both(bench)
    QTest.keyClick(bench, Qt.Key.Key_D, CTRL | SHIFT)
    wait_idle(qtbot, bench.workbench.queue)
    spec = execute.evaluations[-1]
    assert spec.against is not None and spec.against_project is None
    assert bench.workbench.session.side_by_side
    bench.workbench.actions["side_by_side"].trigger()
    assert bench.workbench.session.side_by_side and bench.workbench.actions["side_by_side"].isChecked()
    assert bench.workbench.session.result.names == (first.title, second.title)
    # An export has all that the run keeps: its fire without drops, not that of the other run, and its stress test.
    assert bench.workbench.session.result.folder == second.folder
    left, middle, _difference = bench.workbench.maps.panes
    left.camera.zoom(2.0)
    place = left.camera.to_pixel(20.0, 30.0)
    assert (middle.camera.to_pixel(20.0, 30.0) - place).manhattanLength() < 1.5
    charts = bench.workbench.panels["Progress"]
    assert isinstance(charts, ProgressPanel)
    charts.refresh()
    assert f"compares {first.title} and {second.title}" in charts.note.text() and charts.note.wordWrap()
    page = bench.workbench.panel("Compare", ComparisonPanel)
    shell, bar = bench.workbench.shell, bench.workbench.shell.centre.bar
    assert not shell.is_drawer_visible, "the maps come first"
    opens = shell.drawer.currentWidget()
    assert opens is page or opens.isAncestorOf(page), "F7 opens the table, too"
    assert bar.table.isVisible() and bar.table.text() == "Numbers"
    QTest.mouseClick(bar.table, LEFT)
    assert page.isVisible() and shell.drawer.isAncestorOf(page), "the numbers cover the maps"
    head = page.table.model()
    across = Qt.Orientation.Horizontal
    titles = [str(head.headerData(column, across)) for column in (1, 2)]
    assert titles == [first.title, second.title]
    names = [short_title(title) for title in titles]
    assert names == ["Run 1", "Run 2"]
    assert list(cut_titles(page)) == []
    for pane in bench.workbench.maps.panes:
        pane.flush()
    texts = bench.workbench.maps.panes[0].decorations.caption_texts()
    assert sum(font.bold() for _text, font, _color in texts) == 1, "the time in a second row would cover the map"
    captions = [pane.decorations.caption.title for pane in bench.workbench.maps.panes]
    assert captions[0].startswith(titles[0]) and captions[1].startswith(titles[1])
    assert captions[2].startswith("Run 2 − Run 1")
    assert report(page) == []
    shown = bench.workbench.panels["Result"]
    assert isinstance(shown, ResultPanel)
    shown.refresh()
    assert f"compares {first.title} and {second.title}" in shown.view.text
    # One legend explains all maps.
    legend = bench.workbench.shell.stage.cards["Legend"]
    assert legend.isVisible()
    bench.workbench.session.set_side_by_side(False)
    assert legend.isVisible()
    # A drawer that a comparison opened closes with its workspace and comes back with it; one that was open stays.
    for _again in range(2):
        QTest.keyClick(bench, Qt.Key.Key_4, CTRL)
        assert shell.workspace is WorkspaceName.ANALYSE and not shell.is_drawer_visible
        QTest.keyClick(bench, Qt.Key.Key_3, CTRL)
        assert page.isVisible() and page.table.isVisible()
    QTest.keyClick(bench, Qt.Key.Key_4, CTRL)
    shell.set_drawer_visible(True)
    QTest.keyClick(bench, Qt.Key.Key_3, CTRL)
    assert shell.is_drawer_visible
    shell.set_drawer_visible(False)
    QTest.keyClick(bench, Qt.Key.Key_4, CTRL)
    QTest.keyClick(bench, Qt.Key.Key_3, CTRL)
    assert not shell.is_drawer_visible, "closed by the user"


def test_a_comparison_names_the_views_opens_at_the_end_and_is_ended_above_the_map(
    qtbot: QtBot, bench: MainWindow
) -> None:
    first, second = run(qtbot, bench), run(qtbot, bench)
    workbench, session = bench.workbench, bench.workbench.session
    bar, views = workbench.shell.centre.bar, workbench.actions.group("view")
    names = [action.text() for action in views]
    assert names == ["No drops", "Plan", "Saved"] and bar.back.isHidden()
    high = bar.sizeHint().height()
    session.set_step(1)
    workbench.plan.compare((first, second))
    wait_idle(qtbot, workbench.queue)
    assert session.step == session.project.calendar.n_steps
    assert [action.text() for action in views] == ["Run 1", "Run 2", "Difference"]
    assert first.title in views[0].toolTip() and second.title in views[1].toolTip()
    beside = workbench.actions["side_by_side"]
    assert f"{first.title}, {second.title} and their difference" in beside.toolTip()
    assert beside.statusTip().startswith(first.title)
    # A view of one plan is part of the comparison still.
    QTest.keyClick(bench, Qt.Key.Key_1, ALT)
    assert session.view is FireView.BASELINE and session.result.against == first.title
    assert bar.back.isVisible() and bar.back.text() == "End comparison"
    # It is an action, and does not look like the checked view beside it; the map keeps its place.
    assert bar.back.property("role") == "outlined" and bar.sizeHint().height() == high
    QTest.mouseClick(bar.back, LEFT)
    wait_idle(qtbot, workbench.queue)
    assert not session.result.against and workbench.queue.shown is second
    assert [action.text() for action in views] == names and bar.back.isHidden()
    assert beside.statusTip() == ACTIONS["side_by_side"].help


def test_the_charts_say_which_plans_the_map_compares(qtbot: QtBot, bench: MainWindow) -> None:
    first, second = run(qtbot, bench), run(qtbot, bench)
    bench.workbench.plan.compare((first, second))
    wait_idle(qtbot, bench.workbench.queue)
    charts = bench.workbench.panel("Progress", ProgressPanel)
    charts.refresh()
    charts.show_page(FIRST)
    assert charts.note.text().startswith(f"The map compares {first.title} and {second.title}: ")


@pytest.mark.parametrize("was_open", [False, True])
def test_the_end_of_a_comparison_leaves_the_drawer_as_it_was_before(
    qtbot: QtBot, bench: MainWindow, was_open: bool
) -> None:
    first, second = run(qtbot, bench), run(qtbot, bench)
    workbench, shell = bench.workbench, bench.workbench.shell
    shell.show_workspace(WorkspaceName.RUNS)
    shell.reveal_panel("Log")
    shell.set_drawer_visible(was_open)
    log, bar = shell.drawer.currentIndex(), shell.centre.bar
    for _again in range(2):
        workbench.plan.compare((first, second))
        wait_idle(qtbot, workbench.queue)
        QTest.mouseClick(bar.table, LEFT)
        assert shell.is_drawer_visible and shell.drawer.currentIndex() != log
        QTest.mouseClick(bar.back, LEFT)
        wait_idle(qtbot, workbench.queue)
        assert shell.is_drawer_visible is was_open and shell.drawer.currentIndex() == log
    # A table that was left open in another workspace does not come back with it.
    workbench.plan.compare((first, second))
    wait_idle(qtbot, workbench.queue)
    QTest.mouseClick(bar.table, LEFT)
    QTest.keyClick(bench, Qt.Key.Key_4, CTRL)
    QTest.mouseClick(bar.back, LEFT)
    wait_idle(qtbot, workbench.queue)
    QTest.keyClick(bench, Qt.Key.Key_3, CTRL)
    assert shell.is_drawer_visible is was_open


def test_what_a_person_opens_in_the_drawer_during_a_comparison_stays(qtbot: QtBot, bench: MainWindow) -> None:
    first, second = run(qtbot, bench), run(qtbot, bench)
    workbench, shell = bench.workbench, bench.workbench.shell
    workbench.plan.compare((first, second))
    wait_idle(qtbot, workbench.queue)
    QTest.mouseClick(shell.centre.bar.table, LEFT)
    workbench.show_panel("Log")
    log = shell.drawer.currentIndex()
    QTest.mouseClick(shell.centre.bar.back, LEFT)
    wait_idle(qtbot, workbench.queue)
    assert shell.is_drawer_visible and shell.drawer.currentIndex() == log


def test_a_comparison_that_gave_way_to_something_else_does_not_split_the_map_later(
    qtbot: QtBot, bench: MainWindow, project: Project
) -> None:
    first, second = run(qtbot, bench), run(qtbot, bench)
    bench.workbench.plan.compare((first, second))
    bench.workbench.queue.show_baseline()
    wait_idle(qtbot, bench.workbench.queue)
    fires = (frames(project, 6), metrics(9.0), frames(project), metrics(3.0, 2))
    bench.workbench.session.show_result(ShownResult("Gradient", *fires, project=project, against="Tactical"))
    assert not bench.workbench.session.side_by_side


def test_each_plan_is_rolled_out_for_the_project_it_was_made_for(
    qtbot: QtBot, bench: MainWindow, execute: FakeExecute
) -> None:
    first = run(qtbot, bench)
    fleet = bench.workbench.session.project.planned_fleet
    more = replace(fleet.types[1], count=2)
    bench.workbench.session.edit_planned_fleet("two scoopers", fleet.replace_type(1, more))
    second = run(qtbot, bench)
    spec = run_comparison_spec(first, second, "auto")
    assert spec.project is second.project and spec.against_project is first.project
    apart = differing_inputs(first.project, second.project)
    assert [(line.what, *line.values) for line in apart] == [("CL-415: aircraft", "1", "2")]


def test_a_button_with_its_name_says_what_to_select_and_compares_once_two_runs_are(
    qtbot: QtBot, bench: MainWindow
) -> None:
    bench.workbench.show_panel("Runs")
    panel = bench.workbench.runs
    button, hint = panel.button("compare"), panel.compare_hint
    run(qtbot, bench)
    assert not button.isVisible(), "there is nothing to compare with"
    run(qtbot, bench)
    assert button.isVisible() and button.text() == "Compare"
    assert button.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    QTest.mouseClick(panel.table.viewport(), LEFT, pos=centre_of(panel.table, 0, TITLE))
    qtbot.waitUntil(lambda: bench.workbench.queue.shown is panel.selected)
    assert not button.isEnabled() and hint.text() == "Ctrl+click a second run" in button.toolTip()
    with qtbot.waitSignal(bench.workbench.session.message) as told:
        bench.workbench.actions["compare_runs"].trigger()
    assert told.args is not None and hint.text() in told.args[0]
    QTest.mouseClick(panel.table.viewport(), LEFT, CTRL, centre_of(panel.table, 1, TITLE))
    assert button.isEnabled() and hint.text() == "The two selected runs"
    (action,) = [each for each in panel._menu().actions() if each.text() == "Compare"]
    assert action.isEnabled()
    QTest.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: bool(bench.workbench.session.result.against))


def test_plans_of_other_days_are_refused_with_the_reason(
    qtbot: QtBot, bench: MainWindow, refusals: list[InputError], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firegui.gui.window.main_window.show_problems", lambda *_args: None)
    run(qtbot, bench)
    bench.workbench.session.set_plan("fewer", replace(bench.workbench.session.project.plan, days=3))
    run(qtbot, bench)
    select_both(bench)
    QTest.mouseClick(bench.workbench.runs.button("compare"), LEFT)
    assert "was planned for other days or another fire" in str(refusals[0])
    assert not bench.workbench.session.side_by_side


def test_the_numbers_are_copied_as_a_table(qtbot: QtBot, bench: MainWindow) -> None:
    first = run(qtbot, bench)
    bench.workbench.session.set_plan(
        "seed",
        replace(
            bench.workbench.session.project.plan,
            optimizer=replace(bench.workbench.session.project.plan.optimizer, seed=5),
        ),
    )
    second = run(qtbot, bench)
    bench.workbench.plan.compare((first, second))
    qtbot.waitUntil(lambda: bench.workbench.session.side_by_side)
    wait_idle(qtbot, bench.workbench.queue)
    to_front(qtbot, bench)
    bench.workbench.shell.reveal_panel("Compare")
    table = bench.workbench.panel("Compare", ComparisonPanel).table
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_C, CTRL)
    rows = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert rows[0] == ["", first.title, second.title, "Run\u00a02\u00a0−\u00a0Run\u00a01", "What it is"]
    assert ["Drops", "3", "3", "0"] in [row[:4] for row in rows]
    assert ["Random seed", "0", "5", ""] in [row[:4] for row in rows]


def test_a_change_has_a_sign_and_what_is_not_known_a_dash() -> None:
    one, other = RunEntry("one", Path("1")), RunEntry("other", Path("2"))
    lines = {line.what: line for line in compared((one, other))}
    assert (*lines["Drops"].values, lines["Drops"].change) == ("–", "–", "")


def test_what_is_counted_in_cells_is_compared_as_an_area(project: Project) -> None:
    one, other = (RunEntry(f"run {k}", Path(f"run{k}")) for k in range(2))
    for entry, protected in ((one, 100.0), (other, 50.0)):
        entry.project, entry.nominal = project, replace(metrics(1.0), protected_cells=protected)
    lines = {line.what: line for line in compared((one, other), Units.US)}
    line = lines[f"Protected area burned, {Units.US.area_unit}"]
    area = Units.US.area_value(100.0 * project.scenario.grid.cell_area_ha)
    assert line.values[0] == amount_text(area) and "in cells: 100, 50.0" in line.help
    assert not any("cell" in what.lower() for what in lines)


def test_drops_in_long_flames_are_compared_where_they_are_known() -> None:
    entries = [RunEntry(f"run {k}", Path(f"run{k}")) for k in range(2)]
    for entry, count in zip(entries, (3, 1), strict=True):
        day = DaySummary(0, None, (), 0, 1.0, 2.0, count)
        entry.summary = PlanSummary((day,), 1.0, 2.0, "", False, 0.09, flame_limit_m=2.4)
    lines = {line.what: line for line in compared(entries)}
    assert (lines["Drops in long flames"].values, lines["Drops in long flames"].change) == (("3", "1"), "−2")
    for entry in entries:
        entry.summary = PlanSummary((), 1.0, 2.0, "", False, 0.09)
    assert not any("flames" in line.what for line in compared(entries))


def test_what_burns_of_each_region_is_compared_first_and_only_within_one_outline(project: Project) -> None:
    regions = (Region.rectangle("R1", (0, 2), (0, 2)), Region.rectangle("R2", (4, 6), (0, 2)))
    moved = (replace(regions[0], parts=Region.rectangle("R1", (0, 3), (0, 2)).parts), regions[1])
    entries = []
    for outlines, burned in ((regions, 0.3), (moved, 0.1)):
        entry = RunEntry("one", Path("/runs/one"), replace(project, regions=outlines))
        shown = tuple(RegionSummary(each.name, 1.0, burned, 0.9) for each in outlines)
        entry.summary = PlanSummary((), 1.0, 2.0, "", False, 0.09, regions=shown)
        entries.append(entry)
    first, second = compared(entries)[:2]
    assert (first.what, *first.values) == ("Burned in R1", "0.3 ha", "0.1 ha")
    assert (first.shown_change, second.shown_change) == ("not comparable: the regions differ", "−0.2 ha")


def test_the_important_rows_come_first_and_are_on_screen_together_in_the_width_of_the_page(
    qtbot: QtBot, bench: MainWindow, project: Project
) -> None:
    entries = [RunEntry(f"Whole fire, 27 Nov 13:30:0{k}", Path(f"run{k}"), project) for k in range(2)]
    for entry in entries:
        entry.nominal, entry.stress = metrics(1.0), stress_table()
        entry.summary = PlanSummary((), 0.5, 2.0, "", False, 0.09, stress=entry.stress)
    bench.resize(1280, 720)
    bench.workbench._show_comparison(entries)
    settle()
    bench.workbench.shell.reveal_panel("Compare")
    settle()
    table = bench.workbench.panel("Compare", ComparisonPanel).table
    units = bench.workbench.session.units
    wanted = [
        "Verdict", f"Final size ({units.area_unit})", "Saved", "Drops", f"Volume ({units.volume_unit})",
        "Worst case, growth left", "Growth left in the model", "Drops at night",
    ]  # fmt: skip
    assert [table.model().index(row, 0).data() for row in range(len(wanted))] == wanted
    assert table.rowAt(table.viewport().height() - table.rowHeight(1)) >= len(wanted)
    assert sum(table.columnWidth(column) for column in range(5)) == table.viewport().width()
    header = table.horizontalHeader()
    assert header.height() < 2 * header.fontMetrics().height(), "the names of both runs are on one line"
    bench.resize(1440, 900)
    settle()
    for row in range(table.model().rowCount()):
        text = str(table.model().index(row, 4).data())
        assert table.fontMetrics().horizontalAdvance(text) < table.columnWidth(4) - 8, text
    bench.resize(1280, 720)
    settle()
    # A value that is longer than its column has more lines: nothing is cut off.
    cell = table.model().index(0, 1)
    verdict, metrics_of = str(cell.data()), table.fontMetrics()
    assert table.rowHeight(1) < 2 * metrics_of.height()
    table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Interactive)
    table.horizontalHeader().resizeSection(1, metrics_of.horizontalAdvance(verdict) // 2)
    settle()
    room = QRect(0, 0, table.columnWidth(1) - 8, 1_000)
    needed = metrics_of.boundingRect(room, Qt.TextFlag.TextWordWrap, verdict).height()
    assert table.wordWrap() and table.rowHeight(0) >= needed > metrics_of.height()
    table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
    settle()
    assert table.horizontalScrollBar().maximum() == 0 and list(cut_titles(table)) == []


def test_values_lost_come_before_the_size_and_costs_after_the_worst_case(project: Project) -> None:
    entries = []
    for lost, cost in ((3.0, 1000.0), (5.0, 400.0)):
        entry = RunEntry("one", Path("/runs/one"), project)
        types = (TypeDrops("S-2T", "retardant", 2, 2400.0, 1.0, cost),)
        entry.stress = stress_table()
        entry.summary = PlanSummary(
            (DaySummary(0, None, types, 0, 1.0, 2.0),), 1.0, 2.0, "", False, 0.09, stress=entry.stress,
            values=(ValueSummary("homes", 8.0, lost, 8.0),),
        )  # fmt: skip
        entries.append(entry)
    lines = compared(entries)
    at = {line.what: place for place, line in enumerate(lines)}
    assert at["Lost of homes"] < at["Final size (ha)"] < at["Worst case, growth left"] < at["Cost (USD)"]
    assert (*lines[at["Lost of homes"]].values, lines[at["Lost of homes"]].change) == ("3.0", "5.0", "+2.0")
    assert (*lines[at["Cost (USD)"]].values, lines[at["Cost (USD)"]].change) == ("1,000", "400", "−600")


def test_of_plans_that_end_at_one_limit_the_drops_come_first_and_a_sentence_says_why(
    qtbot: QtBot, bench: MainWindow, project: Project
) -> None:
    holds = replace(stress_table(), results=stress_table().results[:1])
    limited = replace(project, plan=replace(project.plan, margin=MarginSettings(Margin.STRESS, 0.1)))
    entries = [RunEntry(f"run {k}", Path(f"run{k}"), limited, RunState.FINISHED) for k in range(2)]
    for entry in entries:
        entry.nominal, entry.stress, entry.removal_end = metrics(1.0), holds, "held"
        entry.summary = PlanSummary((), 0.5, 2.0, "", False, 0.09, stress=entry.stress)
    bench.workbench._show_comparison(entries)
    bench.workbench.shell.reveal_panel("Compare")
    settle()
    page = bench.workbench.panel("Compare", ComparisonPanel)
    volume = f"Volume ({bench.workbench.session.units.volume_unit})"
    first = [line.what for line in page.lines[:4]]
    assert first == ["Drops", volume, "Drops at night", "Verdict"]
    assert [line.what for line in page.lines].count("Drops") == 1
    assert page.note.isVisible()
    assert page.note.text() == "Both plans end at the limit of the goal; drops decide, not hectares."
    assert limit_note(entries, Units.US).endswith("not acres.")
    third = replace(entries[0], title="run 3")
    assert limit_note((*entries, third)).startswith("All plans end")
    # Other goals, limits, scenarios or a plan whose removal did not end at the limit: the hectares count, too.
    plan = limited.plan
    for change in (
        {"plan": replace(plan, margin=replace(plan.margin, limit=0.4))},
        {"plan": replace(plan, weights=replace(plan.weights, burn=plan.weights.burn + 1.0))},
        {"stress": replace(limited.stress, seed=limited.stress.seed + 1)},
    ):
        entries[1].project = replace(limited, **change)
        assert limit_note(entries) == "" and compared(entries)[0].what == "Verdict"
    entries[1].project = limited
    for end in ("", "leaking", "allowance", "enough", "minimal"):
        entries[1].removal_end = end
        assert limit_note(entries) == ""
    entries[1].removal_end, entries[1].stress = "held", stress_table()
    assert entries[1].missed and limit_note(entries) == ""
    page.show_runs(entries)
    assert page.note.isHidden() and page.table.isVisible()
    page.clear()
    assert page.note.isHidden() and limit_note(()) == ""


@pytest.mark.parametrize(
    ("final", "change"), [(1.0, "−25 points"), (0.25, "+13 points"), (0.52, "−1 point"), (0.5, "0"), (None, "")]
)  # fmt: skip
def test_what_is_saved_has_a_change_in_points_of_percent(project: Project, final: float | None, change: str) -> None:
    one, other = (RunEntry(f"run {k}", Path(f"run{k}"), project) for k in range(2))
    one.summary = PlanSummary((), 0.5, 2.0, "", False, 0.09)
    other.summary = replace(one.summary, final_ha=final)
    (line,) = (line for line in compared((one, other)) if line.what == "Saved")
    assert line.change == change


def test_other_margins_are_named_setting_by_setting(project: Project) -> None:
    none, stress = project.with_margin(Margin.NONE), project.with_margin(Margin.STRESS)
    stress = replace(stress, plan=replace(stress.plan, margin=replace(stress.plan.margin, limit=0.1)))
    lines = [(line.what, *line.values) for line in differing_inputs(none, stress)]
    assert ("How much must hold", "The model alone", "Every stress scenario") in lines
    assert ("Limit", str(none.plan.margin.limit), "0.1") in lines


def test_the_page_of_the_drawer_shows_the_runs_compared_last_of_the_open_project(
    qtbot: QtBot, bench: MainWindow, project: Project
) -> None:
    page = bench.workbench.panel("Compare", ComparisonPanel)
    assert page.table.isHidden() and "press Compare" in page.hint.text()
    page.show_runs((RunEntry("one", Path("1")), RunEntry("other", Path("2"))))
    assert len(page.lines) > 8 and page.hint.isHidden()
    bench.workbench.session.set_units(Units.US)
    assert page.lines[0].what == "Final size (acres)"
    bench.workbench.session.open_project(project, None)
    assert page.lines == () and page.table.isHidden()


def test_a_verdict_of_fewer_scenarios_says_how_many_and_which_were_left_out_and_why(project: Project) -> None:
    held = stress_table()
    held = replace(held, results=tuple(replace(one, draws=(StressDraw(10.0, 0.0, 0.0, 12),)) for one in held.results))
    part = replace(held, left_out=(*held.left_out, ("windy", "imported maps have one wind")))
    tables = held, replace(held, left_out=()), part
    row = compared(
        [RunEntry(name, Path(name), project, stress=each) for name, each in zip("abc", tables, strict=True)]
    )[0]
    why = "“mended” was not part of the test: the plan is replanned on the way, which takes longer"
    assert row.values == (
        f"Holds in all 2 tested scenarios, 2 of 3; {why}",
        "Holds in all 2 scenarios",
        f"Holds in all 2 tested scenarios; 1 of 3 cannot be tested: “windy”; {why}",
    )
    assert "“windy” cannot be tested: imported maps have one wind" in row.tip


def test_the_worst_cases_of_two_runs_are_compared_and_one_is_perhaps_not_tested() -> None:
    one, other = RunEntry("one", Path("1")), RunEntry("other", Path("2"))
    assert not any(line.what == "Worst case, growth left" for line in compared((one, other)))
    one.stress = stress_table()
    lines = {line.what: line for line in compared((one, other))}
    worst = lines["Worst case, growth left"]
    assert worst.values == (worst_case_text(one.stress), "not tested")
    assert case_text(one.stress.worst.scenario) in worst.help
    assert lines["Growth left in the model"].values[0] == percent_text(one.stress.nominal.share_worst)
    assert "Worst case, regions burned" not in lines
    region = RegionSummary("R1", 52.0, 0.4, 31.0)
    one.summary = PlanSummary((), 5.0, 20.0, "", False, 0.09, regions=(region,))
    lines = {line.what: line for line in compared((one, other))}
    assert lines["Worst case, regions burned"].values[0] == f"0.0 ha ({one.stress.worst_for_regions.scenario.name})"


def test_three_selected_runs_are_compared_in_a_table_with_a_column_each(qtbot: QtBot, bench: MainWindow) -> None:
    entries = []
    for seed in (0, 5, 7):
        plan = bench.workbench.session.project.plan
        optimizer = replace(plan.optimizer, seed=seed)
        bench.workbench.session.set_plan("seed", replace(plan, optimizer=optimizer))
        entries.append(run(qtbot, bench))
    select_both(bench)
    panel = bench.workbench.runs
    QTest.mouseClick(panel.table.viewport(), LEFT, CTRL, centre_of(panel.table, 2, TITLE))
    assert panel.compare_hint.text() == "The 3 selected runs, in a table"
    QTest.mouseClick(panel.button("compare"), LEFT)
    page = bench.workbench.panel("Compare", ComparisonPanel)
    assert page.isVisible() and page.runs == tuple(entries)
    # Nothing is subtracted, and the map keeps the plan that it has.
    assert not bench.workbench.session.side_by_side and not bench.workbench.session.result.against
    model = page.table.model()
    titles = [str(model.headerData(column, Qt.Orientation.Horizontal)) for column in range(model.columnCount())]
    assert titles == ["", *(entry.title for entry in entries)]
    rows = {line.what: line for line in page.lines}
    assert rows["Random seed"].values == ("0", "5", "7")
    assert rows["Drops"].values == ("3", "3", "3") and rows["Drops"].shown_change == ""
    assert report(page) == []
    # Many columns keep a width in which they can be read; the table scrolls.
    page.show_runs([RunEntry(f"Whole fire, 27 Nov 13:3{k}", Path(f"run{k}")) for k in range(12)])
    settle()
    assert min(page.table.columnWidth(column) for column in range(1, 13)) >= 170
    assert page.table.horizontalScrollBar().maximum() > 0


def test_inputs_of_three_runs_are_named_where_one_differs(project: Project) -> None:
    fleet = project.planned_fleet
    more = replace(project, fleet=fleet.replace_type(1, replace(fleet.types[1], count=2)))
    moved = replace(project, regions=(Region.rectangle("R1", (0, 3), (0, 2)),))
    lines = {line.what: line.values for line in differing_inputs(project, more, moved)}
    assert lines["CL-415: aircraft"] == ("1", "2", "1")
    assert lines["Protected regions"] == ("R1", "R1", "of another shape or weight")
    assert differing_inputs(project, None, moved) == ()


# -- duplicate ---------------------------------------------------------------------------------------------------------
def fill_in(do: Callable[[DuplicateRunDialog], object], faults: list[str]) -> None:
    """Call a function with the form once it is open."""

    def look(dialog: QWidget) -> None:
        assert isinstance(dialog, DuplicateRunDialog)
        faults.extend(report(dialog))
        do(dialog)

    when_open(look)


def test_a_run_is_started_again_with_another_seed_on_the_inputs_it_had(
    qtbot: QtBot, bench: MainWindow, execute: FakeExecute
) -> None:
    first = run(qtbot, bench)
    bench.workbench.session.set_regions("clear", ())
    faults: list[str] = []

    def change(dialog: DuplicateRunDialog) -> None:
        type_into_field(qtbot, dialog.search.box("seed"), "11")
        press("Start")(dialog)

    bench.workbench.runs.select(first)
    fill_in(change, faults)
    QTest.keyClick(bench, Qt.Key.Key_D, CTRL)
    wait_idle(qtbot, bench.workbench.queue)
    assert faults == []
    project = execute.runs[-1].project
    assert [region.name for region in project.regions] == ["R1"]
    assert project.plan.optimizer.seed == 11
    assert bench.workbench.session.folder is not None
    assert load_project(bench.workbench.session.folder).plan.optimizer.seed == 11, "the command of the run repeats it"
    to_front(qtbot, bench)
    QTest.keyClick(bench, Qt.Key.Key_Z, CTRL)
    assert bench.workbench.session.project.regions == ()


def test_only_load_starts_nothing(qtbot: QtBot, bench: MainWindow, execute: FakeExecute) -> None:
    first = run(qtbot, bench)
    bench.workbench.session.set_regions("clear", ())

    def load(dialog: DuplicateRunDialog) -> None:
        choose(dialog.setting, dialog.setting.itemData(1))
        press("Only load")(dialog)

    bench.workbench.runs.select(first)
    fill_in(load, [])
    QTest.mouseClick(bench.workbench.runs.button("duplicate"), LEFT)
    assert len(execute.runs) == 1
    assert len(bench.workbench.session.project.regions) == 1
    assert bench.workbench.session.project.plan.weights.prot == 100.0
    assert bench.isWindowModified()


def test_giving_the_form_up_changes_nothing(qtbot: QtBot, bench: MainWindow, execute: FakeExecute) -> None:
    first = run(qtbot, bench)
    before = bench.workbench.session.project
    bench.workbench.runs.select(first)
    fill_in(lambda dialog: QTest.keyClick(dialog, Qt.Key.Key_Escape), [])
    QTest.keyClick(bench, Qt.Key.Key_D, CTRL)
    assert bench.workbench.session.project is before and len(execute.runs) == 1


def test_objectives_of_different_goals_are_not_subtracted(qtbot: QtBot, bench: MainWindow) -> None:
    first = run(qtbot, bench)
    session = bench.workbench.session
    session.edit("protect", session.project.protecting())
    assert bench.workbench.documents.save()
    second = run(qtbot, bench)
    changes = [(line.what, line.shown_change) for line in compared((first, second))]
    assert [what for what, change in changes if "goals differ" in change] == ["Objective", "Objective of the search"]
    assert "not comparable" not in str([line.shown_change for line in compared((first, first))])


def test_the_worst_cases_have_a_change_which_is_that_of_the_numbers_beside_it() -> None:
    one, other = (RunEntry(name, Path(f"/runs/{name}")) for name in ("one", "other"))
    one.stress = other.stress = stress_table()
    holds = replace(one.stress.worst, draws=(StressDraw(20.0, 0.0, 0.0496, 12),))
    other.stress = replace(one.stress, results=(holds,))
    (row,) = [each for each in compared((one, other)) if each.what == "Worst case, growth left"]
    assert (*row.values, row.change) == ("50 % (failing)", "5.0 % (failing)", "−45.0 points")


def test_a_tiny_change_is_written_like_the_numbers_beside_it() -> None:
    one, other = (RunEntry(name, Path(f"/runs/{name}")) for name in ("one", "other"))
    one.nominal, other.nominal = metrics(1.9e-10, 4), metrics(3.8e-10, 4)
    rows = [(*line.values, line.change) for line in compared((one, other))]
    assert ("1.9e-10", "3.8e-10", "+1.9e-10") in rows

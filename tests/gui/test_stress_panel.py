"""Stress dock: table, map, worst draw, and the project's scenarios with undo."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QTransform
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from firegui.analyses.requests import StressRequest
from firegui.analyses.stress.results import STORE, StressTally, write_results
from firegui.analyses.stress.run import complete_plan_table
from firegui.domain.drops import DropList
from firegui.domain.fleet import Fleet
from firegui.domain.operations import Daylight, Operations
from firegui.domain.plan_summary import VERDICT as VERDICT_ROW
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness, ObjectiveWeights, RetardantSide, Setting
from firegui.domain.stress import (
    DEFAULT_SCENARIOS,
    EXPECTED,
    StressDraw,
    StressResult,
    StressScenario,
    StressSet,
    scenario_text,
    untested_names,
    verdict_text,
)
from firegui.domain.units import Units
from firegui.errors import InputError
from firegui.gui.analyses.panel import WARNING, AnalysisPanel
from firegui.gui.analyses.stress.scenario_table import ScenarioTable
from firegui.gui.analyses.stress.stress_columns import ABOVE, stress_columns
from firegui.gui.analyses.stress.stress_controller import StressController
from firegui.gui.analyses.stress.stress_panel import StressPanel, head_text
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.result_panel import ResultPanel
from firegui.gui.planning.result_view import can_test
from firegui.gui.planning.run_comparison import compared
from firegui.gui.session.session import Session, ShownResult
from firegui.gui.widgets.fields import RefusingLine
from firegui.gui.widgets.split_panel import SplitPanel
from firegui.gui.widgets.table_view import select_row
from firegui.gui.window.centre import CentreMode
from firegui.gui.window.main_window import MainWindow
from firegui.gui.window.map_notices import ReadyNotice
from firegui.gui.window.status_bar import status_texts
from firegui.gui.window.workbench import Workbench
from firegui.gui.window.workspaces import WorkspaceName
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.io.project.store import load_project, save_project
from firegui.io.project.stress_toml import read_scenarios
from firegui.runs.events import Progress, StressReady
from firegui.runs.header import schedule_hash
from firegui.runs.leaks import LeakCounts, write_leaks
from firegui.runs.run_folder import LEAK, RunFolder, RunScores, kept_plan, kept_schedule, read_run
from firegui.runs.runner import execute as run_execute
from firegui.runs.spec import EvaluateSpec, StressDrawOf
from firegui.runs.stages import FinishReason
from firegui.runs.titles import schedule_title
from tests.gui.analyses.scene import STRESS, FakeRun, stress_maps, stress_table, write_header
from tests.gui.fake_runs import frames
from tests.gui.hands import LEFT, show_widget, type_refused_into_cell
from tests.gui.layout_shares import cut_cells, cut_titles
from tests.gui.saved_runs import stopped_run
from tests.gui.shell_scene import settle
from tests.gui.test_run_cards import summary

EDIT = Qt.ItemDataRole.EditRole


@pytest.fixture
def shown(
    qtbot: QtBot, session: Session, queue: RunQueue, saved: Path, project: Project, schedule_file: Path
) -> Iterator[StressPanel]:
    """Return a panel that shows a finished test of the schedule."""
    controller = StressController(session)
    schedule = Schedule.empty(project.calendar.n_steps, project.fleet.n_aircraft)
    out = write_header(
        controller, project, saved, STRESS, seed=3, schedule=schedule_hash(schedule), schedule_file=str(schedule_file)
    )
    write_results(out, StressTally(stress_table(), LeakCounts(*stress_maps(project))), project)
    panel = StressPanel(session, queue, controller)
    qtbot.addWidget(panel)
    controller.open(out)
    yield panel
    controller.shutdown()
    controller.deleteLater()


def texts(panel: StressPanel, title: str) -> list[str]:
    column = panel.model.titles.index(title)
    return [str(panel.model.index(row, column).data()) for row in range(panel.model.rowCount())]


# -- the result --------------------------------------------------------------------------------------------------------
def test_the_model_comes_first_then_the_worst_and_shares_above_the_limit_are_marked(shown: StressPanel) -> None:
    assert texts(shown, "Scenario") == [EXPECTED, "failing", "late"]
    assert texts(shown, "Growth left worst") == ["0.5 %", f"{ABOVE}50 %", "1.0 %"]
    assert texts(shown, "Growth left mean") == ["0.5 %", "26 %", "1.0 %"]
    assert texts(shown, "What differs") == ["as in the model", "20 % of the drops fail", "every drop 30 min late"]
    color = shown.model.index(1, shown.model.titles.index("Growth left worst")).data(Qt.ItemDataRole.ForegroundRole)
    assert color is not None
    assert f"1 of 2 scenarios above the limit of 5.0 % (▲; “{EXPECTED}” is not counted) · " in shown.head.text()
    result = shown._controller.shown
    assert result is not None
    plan = replace(result.project.plan, weights=ObjectiveWeights.of(Setting.B))
    of_regions = replace(result, project=replace(result.project, plan=plan))
    assert "above the limit of 5.0 % of the growth in the regions" in head_text(of_regions)
    assert "“mended” was not part of the test: the plan is replanned on the way" in shown.head.text()


def test_the_scenario_with_most_growth_left_is_chosen_until_the_user_chooses_another(shown: StressPanel) -> None:
    controller = shown._controller
    result = controller.shown
    assert result is not None and result.table is not None
    first = replace(result, table=replace(result.table, results=result.table.results[:1]))
    # While a test goes on, its first scenario is the worst so far.
    for part, name in ((first, "late"), (result, "failing")):
        controller._show(part)
        assert shown.button("show").text() == f"Play worst draw of “{name}”"
    select_row(shown.table, texts(shown, "Scenario").index("late"))
    controller._show(first)
    controller._show(result)
    assert shown.button("show").text() == "Play worst draw of “late”"


def test_the_worst_scenario_is_the_one_that_the_verdict_names(shown: StressPanel) -> None:
    result = shown._controller.shown
    assert result is not None and result.table is not None
    late, failing = result.table.results
    of_regions = replace(late, protected_no_drops=20.0, draws=(replace(late.draws[0], protected_cells=15.0),))
    table = replace(result.table, results=(of_regions, replace(failing, protected_no_drops=20.0)))
    plan = replace(result.project.plan, weights=ObjectiveWeights.of(Setting.B))
    regions = replace(result, table=table, project=replace(result.project, plan=plan))
    assert regions.worst is not None and regions.worst.scenario.name == "late"
    assert "in “late”" in verdict_text(table, plan, 1.0)


def completed(out: Path) -> Path:
    """Mark the stopped test in ``out`` as complete."""
    STORE.write(out, replace(STORE.read(out), reason=FinishReason.COMPLETED))
    return out


VERDICT = "⚠ Does not hold: 50 % of the growth left in “failing” (limit 5.0 %)"


def test_a_test_that_has_ended_says_its_verdict_once_above_the_table_and_in_the_list(
    shown: StressPanel, saved: Path
) -> None:
    assert shown.conclusion.isHidden()
    controller = shown._controller
    assert controller.shown is not None
    controller.open(completed(controller.shown.folder))
    controller.saved_changed.emit()
    label = shown.conclusion
    assert shown.result.isAncestorOf(label) and label.property("is_strong")
    assert label.text() == VERDICT and not label.isHidden() and label.property("role") == "warning"
    assert not any(VERDICT in each.text() for each in shown.foot.findChildren(QLabel)), "the verdict stands once"
    assert shown.saved_list.itemText(1).endswith(f" · {VERDICT}")


def quick_test(workbench: Workbench, saved: Path, project: Project, schedule_file: Path) -> StressController:
    """Return a controller whose tests end at once with a verdict."""
    controller = workbench.controller(StressController)
    schedule = schedule_hash(Schedule.empty(project.calendar.n_steps, project.fleet.n_aircraft))
    header = write_header(
        controller, project, saved, STRESS, seed=3, schedule=schedule, schedule_file=str(schedule_file)
    )
    out = completed(header)
    write_results(out, StressTally(stress_table(), LeakCounts(*stress_maps(project))), project)

    def events(spec: Any) -> tuple[StressReady, ...]:
        shutil.copytree(out, spec.out)
        return (StressReady(stress_table()),)

    controller._execute = FakeRun(events)
    return controller


def test_a_test_that_ends_beside_the_map_alone_tells_its_verdict_with_a_way_to_its_table(
    qtbot: QtBot, window: MainWindow, saved: Path, project: Project, schedule_file: Path
) -> None:
    workbench = window.workbench
    controller, shell = quick_test(workbench, saved, project, schedule_file), workbench.shell
    notice = window.findChild(ReadyNotice)
    assert isinstance(notice, ReadyNotice)
    workbench.show_panel("Stress")
    for mode, is_told in ((CentreMode.BOTH, False), (CentreMode.MAP, True)):
        shell.set_mode(mode)
        controller.start(StressRequest(STRESS, schedule_file))
        qtbot.waitUntil(lambda: not controller.is_busy)
        assert notice.isVisible() is is_told
    named = f"Stress test of {schedule_title(schedule_file)}"
    assert notice.label.text() == f"⚠ {named} is ready: {VERDICT[2].lower()}{VERDICT[3:]}"
    panel = workbench.panel("Stress", StressPanel)
    panel.pages.setCurrentWidget(panel.leaks_page)
    settle()
    QTest.mouseClick(notice.button, Qt.MouseButton.LeftButton)
    assert panel.table.isVisible() and not notice.isVisible()


def test_a_draw_that_is_played_beside_the_chart_alone_brings_the_map_into_view(
    qtbot: QtBot, window: MainWindow, session: Session, saved: Path, schedule_file: Path
) -> None:
    workbench = window.workbench
    qtbot.waitUntil(lambda: not workbench.queue.activity)
    controller, shell = quick_test(workbench, saved, session.project, schedule_file), workbench.shell
    workbench.show_panel("Stress")
    controller.start(StressRequest(STRESS, schedule_file))
    qtbot.waitUntil(lambda: not controller.is_busy)
    shell.set_mode(CentreMode.CHART)
    assert not workbench.maps.isVisible()
    QTest.mouseClick(workbench.panel("Stress", StressPanel).button("show"), Qt.MouseButton.LeftButton)
    assert workbench.maps.isVisible() and shell.mode is CentreMode.BOTH
    shell.set_mode(CentreMode.MAP)
    workbench.panel("Stress", StressPanel).play()
    assert not shell.centre.result.isVisible()
    qtbot.waitUntil(lambda: not workbench.queue.activity)


@pytest.mark.parametrize("end", ["run", "edit", "project"])
def test_the_verdict_over_the_map_ends_with_what_it_is_about(
    qtbot: QtBot, window: MainWindow, session: Session, saved: Path, schedule_file: Path, end: str
) -> None:
    qtbot.waitUntil(lambda: not window.workbench.queue.activity)
    session.show_result(ShownResult("A", plan=frames(session.project), project=session.project))
    controller = quick_test(window.workbench, saved, session.project, schedule_file)
    controller.start(StressRequest(STRESS, schedule_file))
    qtbot.waitUntil(lambda: not controller.is_busy)
    notice = window.findChild(ReadyNotice)
    assert isinstance(notice, ReadyNotice) and notice.isVisible()
    session.show_result(replace(session.result, baseline=frames(session.project)))
    assert notice.isVisible(), "the same plan"
    if end == "run":
        session.show_result(replace(session.result, title="B"))
    elif end == "edit":
        session.set_plan("fewer days", replace(session.project.plan, days=2))
    else:
        session.open_project(session.project, None)
    assert not notice.isVisible()


def test_no_page_and_no_field_moves_when_another_page_or_a_result_is_shown(shown: StressPanel) -> None:
    settle()
    heights = []
    for text in ("", "⚠ Does not hold: 73 % of the growth left in “late” (limit 5.0 %)"):
        shown.conclusion.setText(text)
        shown.conclusion.setVisible(bool(text))
        settle()
        heights.append(shown.form.y())
    assert heights[0] == heights[1]
    places = set()
    for number in range(shown.pages.count()):
        QTest.mouseClick(shown.pages.tabBar(), LEFT, pos=shown.pages.tabBar().tabRect(number).center())
        settle()
        assert shown.pages.currentIndex() == number
        places.add((shown.pages.y(), shown.pages.height()))
    assert len(places) == 1


def test_with_the_map_every_cell_of_the_default_scenarios_can_be_read_without_scrolling_sideways(
    qtbot: QtBot, shown: StressPanel, saved: Path
) -> None:
    table = stress_table()
    named = tuple(
        replace(table.results[0], scenario=scenario) for scenario in DEFAULT_SCENARIOS if not scenario.repair_hours
    )
    longest = replace(table.results[0], scenario=replace(table.results[0].scenario, name="failures, repaired"))
    result = shown._controller.shown
    assert result is not None
    shown._controller._show(replace(result, table=replace(table, results=(*named, longest))))
    part = shown.result
    part.setParent(None)
    # The least width beside a map, and that below the map of a window of 1280×720.
    for width in (600, 860):
        show_widget(qtbot, part, width, 400)
        settle()
        assert shown.table.horizontalScrollBar().maximum() == 0
        assert list(cut_titles(part)) == []
        assert list(cut_cells(shown.table)) == []


def test_drops_that_a_daylight_rule_leaves_out_are_named_before_the_start_and_in_the_result(
    qtbot: QtBot, shown: StressPanel, session: Session, saved: Path, project: Project, schedule_file: Path
) -> None:
    schedule = Schedule.empty(project.calendar.n_steps, project.fleet.n_aircraft)
    schedule.logits[[0, project.calendar.steps_per_day // 2], 0] = 3.0
    write_plan_safetensors(schedule_file, schedule)
    shown.form.schedules.add_file(schedule_file)
    assert "not flown" not in shown.notes.text() and shown.result_note.isHidden()
    lit = Operations(daylight=Daylight())
    session.set_operations("daylight", lit)
    said = "1 of 2 planned drops is not flown: it lies at night, and the project has a daylight rule. Plan again, or "
    assert f"{WARNING}{said}" in shown.notes.text() and shown.notes.wordWrap()
    controller = shown._controller
    assert controller.shown is not None
    shutil.rmtree(controller.shown.folder)
    out = write_header(
        controller, replace(project, operations=lit), saved, STRESS, seed=3, schedule=schedule_hash(schedule),
        schedule_file=str(schedule_file),
    )  # fmt: skip
    write_results(out, StressTally(stress_table(), LeakCounts(*stress_maps(project))), project)
    controller.open(out)
    assert shown.result_note.text().startswith(f"{WARNING}In this result {said}") and shown.result_note.wordWrap()
    session.undo_stack.undo()
    assert "not flown" not in shown.notes.text()


def test_the_map_shows_all_scenarios_or_one(shown: StressPanel) -> None:
    assert [shown.leak.itemText(k) for k in range(shown.leak.count())] == ["All scenarios", "late", "failing"]
    drawn = []
    for name in ("late", "failing"):
        shown.leak.setCurrentIndex(shown.leak.findData(name))
        assert shown.map.pixels is not None
        drawn.append(np.argwhere(shown.map.pixels >> 24 > 0).tolist())
    assert drawn == [[], [[3, 7], [4, 7], [5, 7]]]


def test_the_table_marks_the_growth_in_the_regions_that_the_verdict_is_about() -> None:
    late = stress_table().results[0]
    result = replace(late, protected_no_drops=20.0, draws=(replace(late.draws[0], protected_cells=10.2),))
    columns = stress_columns(0.05, ObjectiveWeights.of(Setting.B), 0.09, has_regions=True)
    (column,) = (each for each in columns if each.heading == "Growth left\nregions")
    assert column.text(result) == f"{ABOVE}51 %"
    assert column.cell_data(result, Qt.ItemDataRole.ForegroundRole) is not None
    assert not any("regions" in each.heading for each in stress_columns(0.05, ObjectiveWeights.of(Setting.B), 0.09))


def test_the_map_names_regions_and_places_while_there_is_a_result(
    qtbot: QtBot, shown: StressPanel, session: Session
) -> None:
    shown.map.setParent(None)
    show_widget(qtbot, shown.map, 600, 400)
    settle()

    def names() -> set[str]:
        area = QRectF(0.0, 0.0, 900.0, 600.0)
        return {label.text for _, label, _ in shown.map.labels.placed(QTransform.fromScale(10.0, 10.0), area)}

    def scale_bar() -> QImage:
        found = shown.map.grab().toImage()
        return found.copy(0, found.height() - 50, 150, 50)

    project, metric = session.project, scale_bar()
    session.set_units(Units.US)
    settle()
    assert scale_bar() != metric
    assert names() == {"R1", *(name for _, name, _ in project.scenario.markers)}
    session.set_regions("rename", [replace(project.regions[0], name="Upper village")])
    assert "Upper village" in names()
    shown.map.show_leaks(None, None)
    assert names() == set()


def test_the_map_of_leaks_shows_the_regions_at_first_and_has_terrain(shown: StressPanel, session: Session) -> None:
    session.set_regions("far", [Region("far", ((((0.0, 55.0), (0.0, 60.0), (5.0, 60.0), (5.0, 55.0)),),))])
    shown.map.show_leaks(session.project, next(iter(shown._controller.shown.leaks.values())))  # type: ignore[union-attr]
    assert shown.map._area().contains(QRectF(55.0, 0.0, 5.0, 5.0))
    assert shown.map.terrain.item.isVisible()
    shown.map.show_leaks(None, None)
    assert not shown.map.terrain.item.isVisible()


def test_the_worst_draw_can_be_played_beside_the_map_of_its_scenario(
    qtbot: QtBot, shown: StressPanel, queue: RunQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(queue, "show_member", lambda title, _spec, **_: asked.append(title))
    shown.pages.setCurrentWidget(shown.leaks_page)
    shown.leak.setCurrentIndex(shown.leak.findData("late"))
    assert not shown.button("show").isHidden() and shown.button("show").isEnabled()
    QTest.mouseClick(shown.button("show"), Qt.MouseButton.LeftButton)
    assert [title.partition(",")[0] for title in asked] == ["Stress: late"]


def test_the_panel_and_the_status_bar_say_the_same_time_left_of_the_whole_test(
    session: Session, queue: RunQueue, qtbot: QtBot, saved: Path, schedule_file: Path
) -> None:
    session.open_project(load_project(saved), saved)
    now = [datetime(2026, 1, 1)]
    run = FakeRun(lambda _spec: (), endless=True)
    controller = StressController(session, execute=run, clock=lambda: now[0])
    panel = StressPanel(session, queue, controller)
    qtbot.addWidget(panel)
    controller.start(StressRequest(STRESS, schedule_file))
    step = Progress(9, 10, "mended: draw 1 of 8, day 3", 0.25)
    controller._on_step(replace(step, share=0.0))
    assert panel.activity == "10 of 10 · mended: draw 1 of 8, day 3…"
    now[0] += timedelta(seconds=25.0)
    controller._on_step(step)
    assert panel.activity == "10 of 10 · about 1:15 left · mended: draw 1 of 8, day 3…"
    now[0] += timedelta(seconds=5.0)
    qtbot.waitUntil(lambda: "about 1:10 left" in panel.activity)
    assert "about 1:10 left" in status_texts(controller)[0]
    controller.shutdown()
    controller.deleteLater()


def test_the_worst_draw_of_the_chosen_scenario_goes_to_the_map(
    shown: StressPanel, queue: RunQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, EvaluateSpec]] = []
    monkeypatch.setattr(queue, "show_member", lambda title, spec, **_: asked.append((title, spec)))
    assert shown.button("show").isEnabled()
    shown.button("show").click()
    ((title, spec),) = asked
    assert title == "Stress: failing, draw 2 of 2"
    assert spec.stress == StressDrawOf(STRESS.stress.scenarios[1], 1, 3)


def test_a_draw_of_another_schedule_is_refused(
    shown: StressPanel, project: Project, schedule_file: Path, refusals: list[InputError]
) -> None:
    steps, aircraft = project.calendar.n_steps, project.fleet.n_aircraft
    write_plan_safetensors(schedule_file, Schedule(np.ones((steps, aircraft)), np.zeros((steps, aircraft, 3))))
    shown.play()
    assert "another schedule" in str(refusals[0])


@pytest.mark.slow
def test_a_test_of_the_projects_own_set_runs_and_its_worst_draw_is_that_of_the_table(
    qtbot: QtBot, session: Session, queue: RunQueue, saved: Path, project: Project, schedule_file: Path
) -> None:
    """Test the real runner, from the button to the saved map."""
    scenarios = (StressScenario("fast", spread_factor=1.5), StressScenario("wide", ignition_growth_m=30.0))
    session.edit("few scenarios", replace(project, stress=StressSet(scenarios)))
    controller = StressController(session, execute=run_execute)
    panel = StressPanel(session, queue, controller)
    qtbot.addWidget(panel)
    panel.form.schedules.add_file(schedule_file)
    controller.start(panel.form.request())
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=120_000)
    assert sorted(texts(panel, "Scenario")[1:]) == ["fast", "wide"]
    assert controller.shown is not None and list(controller.shown.leaks) == ["", "fast", "wide"]
    assert len(controller.saved()) == 1 and controller.saved()[0].is_complete
    controller.shutdown()
    controller.deleteLater()


# -- what is asked for -------------------------------------------------------------------------------------------------
def test_a_field_says_what_0_means(shown: StressPanel) -> None:
    hours = shown.form.fields.box("repair_hours")
    assert hours.text() == "as in each scenario"
    hours.setValue(12.0)
    assert hours.text() == "12 h"
    shown.form.set_settings(replace(shown.form.fields.value(), repair_hours=0.0))
    assert hours.text() == "as in each scenario"
    hours.setFocus()
    hours.selectAll()
    QTest.keyClicks(hours, "6")
    QTest.keyClick(hours, Qt.Key.Key_Return)
    assert (hours.text(), shown.form.fields.value().repair_hours) == ("6 h", 6.0)
    QTest.keyClick(hours, Qt.Key.Key_0)
    QTest.keyClick(hours, Qt.Key.Key_Return)
    assert (hours.text(), shown.form.fields.value().repair_hours) == ("as in each scenario", 0.0)
    hours.lineEdit().setCursorPosition(3)
    QTest.keyClicks(hours, "4")
    QTest.keyClick(hours, Qt.Key.Key_Return)
    assert (hours.text(), shown.form.fields.value().repair_hours) == ("4 h", 4.0)


def test_the_form_follows_the_set_and_keeps_what_was_typed(shown: StressPanel, session: Session) -> None:
    shown.form.fields.box("draws").setValue(7)
    shown.form.fields.box("stress_seed").setValue(99)
    one = StressScenario("windy", wind_speed_factor=2.0)
    session.edit("one scenario", replace(session.project, stress=StressSet((one,))))
    settings = shown.form.fields.value()
    assert (settings.draws, settings.stress) == (7, StressSet((one,), 99))
    session.edit("another seed", replace(session.project, stress=StressSet((one,), 5)))
    assert shown.form.fields.value().stress.seed == 5


# -- the set -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def editor(qtbot: QtBot, session: Session) -> ScenarioTable:
    made = ScenarioTable(session)
    qtbot.addWidget(made)
    return made


def edit(editor: ScenarioTable, name: str, title: str, value: Any) -> bool:
    names = [one.name for one in editor.model.rows]
    return editor.model.setData(editor.model.index(names.index(name), editor.model.titles.index(title)), value, EDIT)


@pytest.mark.parametrize(
    ("name", "title", "typed", "field", "expected"),
    [
        ("failures", "Failures %", "7.5", "failure_rate", 0.075),
        ("wide", "Wider at the start m", "45", "ignition_growth_m", 45.0),
        ("late", "Late min", "", "delay_minutes", 0.0),
        ("weak", "Effectiveness ret. / water", "0.5/0.4", "effectiveness", Effectiveness(0.5, 0.4)),
        ("weak", "Effectiveness ret. / water", "", "effectiveness", None),
        ("weak", "Retardant acts on", "emitter", "retardant_acts_on", RetardantSide.EMITTER),
        ("fast", "Name", "very fast", "name", "very fast"),
        ("failures", "Draws", "12", "draws", 12),
    ],
)  # fmt: skip
def test_an_edit_of_a_scenario_is_one_step_that_can_be_undone(
    editor: ScenarioTable, session: Session, name: str, title: str, typed: str, field: str, expected: object
) -> None:
    before, steps = session.project, session.undo_stack.count()
    position = [one.name for one in before.stress.scenarios].index(name)
    assert edit(editor, name, title, typed)
    assert getattr(session.project.stress.scenarios[position], field) == expected
    assert session.undo_stack.count() == steps + 1
    session.undo_stack.undo()
    assert session.project == before
    assert [one.name for one in editor.model.rows] == [one.name for one in before.stress.scenarios]


@pytest.mark.parametrize(
    ("name", "title", "typed", "what"),
    [
        ("failures", "Failures %", "120", "failures"),
        ("late", "Late min", "soon", "'soon' is not a number"),
        ("failures", "Draws", "2.5", "'2.5' is not a whole number"),
        ("weak", "Effectiveness ret. / water", "much", "'much' is not an effectiveness"),
        ("fast", "Name", "late", "late is used 2 times"),
        ("failures, repaired", "Replanned every h", "0.3", "not a whole number of steps"),
    ],
)  # fmt: skip
def test_an_impossible_value_is_refused_and_changes_nothing(
    editor: ScenarioTable, session: Session, name: str, title: str, typed: str, what: str
) -> None:
    before = session.project
    names = [one.name for one in editor.model.rows]
    error = editor.model.enter(editor.model.index(names.index(name), editor.model.titles.index(title)), typed)
    assert error is not None and what in str(error).lower()
    assert session.project == before


def test_the_table_fits_a_narrow_panel_and_the_form_edits_the_selected_scenario(
    qtbot: QtBot, editor: ScenarioTable, session: Session, refusals: list[InputError]
) -> None:
    show_widget(qtbot, editor, 500, 600)
    assert editor.view.horizontalScrollBar().maximum() == 0 and editor.width() == 500
    names = [one.name for one in session.project.stress.scenarios]
    select_row(editor.view, names.index("late"))
    field = editor.form.fields[editor.model.titles.index("Late min")]
    assert isinstance(field, RefusingLine) and "late" in editor.form.title()
    for typed in ("45", "soon"):
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, typed)
        QTest.keyClick(field, Qt.Key.Key_Tab)
        assert field.text() == typed
        assert session.project.stress.scenarios[names.index("late")].delay_minutes == 45.0
    assert field.hasFocus() and field.note is not None and field.note.isVisible()
    assert field.note.text() == "Late: 'soon' is not a number; write a number, or nothing. Esc keeps 45."
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.text() == "45" and not field.is_refused
    assert refusals == [], "no list of problems is opened"


def test_a_name_that_is_taken_is_refused_in_the_open_cell(
    qtbot: QtBot, editor: ScenarioTable, session: Session, refusals: list[InputError]
) -> None:
    show_widget(qtbot, editor, 500, 600)
    before = session.project
    taken = before.stress.scenarios[1].name
    why = type_refused_into_cell(qtbot, editor.view, 0, 0, taken)
    assert f"{taken} is used 2 times" in why
    assert session.project is before and refusals == [], "no list of problems is opened"


def test_scenarios_are_added_copied_removed_and_reset(editor: ScenarioTable, session: Session) -> None:
    count = len(session.project.stress.scenarios)
    editor.add()
    assert session.project.stress.scenarios[-1] == StressScenario("scenario")
    editor.view.selectRow(0)
    editor.duplicate()
    weak = session.project.stress.scenarios[0]
    assert session.project.stress.scenarios[-1] == replace(weak, name="weak 2")
    editor.view.selectRow(1)
    editor.remove()
    assert "fast" not in [one.name for one in session.project.stress.scenarios]
    assert len(session.project.stress.scenarios) == count + 1
    editor.reset()
    assert session.project.stress == StressSet()
    for _step in range(4):
        session.undo_stack.undo()
    assert session.project.stress == StressSet() and not session.undo_stack.canUndo()


def test_the_last_scenario_stays(editor: ScenarioTable, session: Session, refusals: list[InputError]) -> None:
    session.edit("one", replace(session.project, stress=StressSet((StressScenario("only"),))))
    editor.view.selectRow(0)
    editor.remove()
    assert len(session.project.stress.scenarios) == 1 and "there is none" in str(refusals[0])


def test_scenarios_are_saved_and_loaded(
    editor: ScenarioTable, session: Session, refusals: list[InputError], tmp_path: Path
) -> None:
    edit(editor, "failures", "Failures %", "7.5")
    edited = session.project.stress
    editor.save(tmp_path / "mine")
    scenario = session.project.scenario
    assert read_scenarios(tmp_path / "mine.toml", scenario.grid, scenario.steps_per_day) == edited
    editor.reset()
    editor.load(tmp_path / "mine.toml")
    assert session.project.stress == edited
    (tmp_path / "bad.toml").write_text("[[scenario]]\nname = 'x'\nfailure_rate = 2.0\nspeed = 1\n")
    editor.load(tmp_path / "bad.toml")
    assert session.project.stress == edited and len(refusals) == 1


def test_a_scenario_in_words_names_everything_that_differs() -> None:
    one = StressScenario(
        "x", Effectiveness(0.7, 0.6), RetardantSide.BOTH, 1.1, 1.2, -15.0, 30.0, 20.0, 5.0, 30.0, 0.05, 12.0
    )
    assert scenario_text(one) == (
        "retardant 70 % effective, water 60 %, "
        "retardant acts on both cells, fire spreads 10 % faster, wind 20 % stronger, "
        "wind turned 15° right, fire 30 m wider at the start, drops 20 m off target, headings 5° off, "
        "every drop 30 min late, 5 % of the drops fail, replanned every 12 h"
    )


@pytest.mark.parametrize("has_map", [True, False])
def test_the_table_that_the_plan_on_the_map_was_given_is_shown_and_named_in_the_list(
    window: MainWindow, session: Session, saved: Path, project: Project, *, has_map: bool
) -> None:
    workbench = window.workbench
    folder = stopped_run(saved, DropList(), RunScores(stress=stress_table()))
    if has_map:
        write_leaks(folder, LeakCounts(*stress_maps(project)).maps(stress_table()), project)
    session.open_project(load_project(saved), saved)
    workbench.queue.show_folder(folder)
    workbench.show_panel("Stress")
    workbench.shell.set_mode(CentreMode.BOTH)
    panel = workbench.panel("Stress", StressPanel)
    entry = workbench.queue.shown
    assert entry is not None and entry.folder == folder
    assert entry.verdict() and panel.conclusion.text() == entry.verdict()
    assert panel.saved_list.currentText() == f"Made with {entry.title} · {entry.verdict()}"
    assert panel.table.isVisible() and panel.model.rowCount() == 3
    assert panel.button("show").isEnabled() and not panel.button("export").isEnabled()
    panel.pages.setCurrentWidget(panel.leaks_page)
    settle()
    assert panel.no_map.isVisible() is not has_map and panel.map.isVisible() is has_map
    workbench.actions["show_leaks"].trigger()
    assert panel.map.isVisible() is has_map and panel.no_map.start.isEnabled()
    session.open_project(session.project, None)
    assert panel.saved_list.currentText() == "No earlier stress test" and panel.model.rowCount() == 0


def run_with_test(controller: StressController, place: Path) -> Path:
    """Save a complete test of a stopped run of the project in ``place``, whose plan is empty; return the run."""
    folder, project = stopped_run(place, DropList()), load_project(place)
    file = str(folder.resolve() / "plan.safetensors")
    schedule = schedule_hash(kept_schedule(folder, project))
    made = write_header(controller, project, place, STRESS, seed=3, schedule=schedule, schedule_file=file)
    write_results(completed(made), StressTally(stress_table(), LeakCounts(*stress_maps(project))), project)
    return folder


@pytest.mark.parametrize("is_made", [False, True])
@pytest.mark.parametrize("is_linked", [False, True])
def test_the_latest_test_of_the_run_on_the_map_is_opened_with_the_project(
    qtbot: QtBot, window: MainWindow, session: Session, saved: Path, *, is_made: bool, is_linked: bool
) -> None:
    workbench = window.workbench
    controller = workbench.controller(StressController)
    if is_made:
        workbench.panel("Stress", StressPanel)
    folder = run_with_test(controller, saved)
    place = saved
    if is_linked:
        place = saved.with_name("linked.firegui")
        place.symlink_to(saved, target_is_directory=True)
    session.open_project(load_project(place), place)
    qtbot.waitUntil(lambda: workbench.queue.shown is not None)
    workbench.actions["show_stress"].trigger()
    panel = workbench.panel("Stress", StressPanel)
    assert workbench.queue.shown is not None and workbench.queue.shown.folder.name == folder.name
    assert controller.shown is not None and panel.conclusion.text() == VERDICT
    assert VERDICT in panel.saved_list.currentText()


def test_a_test_of_a_plan_that_was_resumed_since_is_not_opened(
    qtbot: QtBot, window: MainWindow, session: Session, saved: Path, project: Project
) -> None:
    workbench = window.workbench
    controller = workbench.controller(StressController)
    folder = run_with_test(controller, saved)
    assert controller.tests_of(folder)
    schedule = Schedule.empty(project.calendar.n_steps, project.fleet.n_aircraft)
    write_plan_safetensors(folder / "plan.safetensors", replace(schedule, logits=schedule.logits + 1.0))
    session.open_project(load_project(saved), saved)
    qtbot.waitUntil(lambda: workbench.queue.shown is not None)
    workbench.show_panel("Stress")
    assert not controller.tests_of(folder) and controller.shown is None


def test_the_latest_test_of_the_plan_comes_where_another_was_stopped_before_it_had_a_result(
    qtbot: QtBot, window: MainWindow, session: Session, saved: Path, schedule_file: Path
) -> None:
    workbench = window.workbench
    controller, panel = workbench.controller(StressController), workbench.panel("Stress", StressPanel)
    folder = run_with_test(controller, saved)
    controller._execute = FakeRun(lambda _spec: (), endless=True)
    controller.start(StressRequest(STRESS, schedule_file))
    workbench.queue.show_folder(folder)
    assert controller.is_busy and workbench.queue.shown is not None
    controller.stop()
    qtbot.waitUntil(lambda: not controller.is_busy)
    assert controller.shown is not None and panel.conclusion.text() == VERDICT


def test_a_stopped_run_is_tested_by_a_button_and_has_the_verdict_everywhere(
    qtbot: QtBot, window: MainWindow, session: Session, project: Project, tmp_path: Path
) -> None:
    place = tmp_path / "stopped.firegui"
    save_project(replace(project, stress=STRESS.stress), place)
    folder = stopped_run(place, DropList(), RunScores())
    session.open_project(load_project(place), place)
    workbench = window.workbench
    workbench.queue.show_folder(folder)
    entry, controller = workbench.queue.shown, workbench.controller(StressController)
    assert entry is not None and entry.verdict() == ""
    entry.summary = summary(5.5, 381, 193)
    workbench.show_panel("Result")
    result = workbench.panel("Result", ResultPanel)
    result.refresh()
    assert "Not stress-tested" in result.view.text and result.view.test_button.isEnabled()
    assert result.view.test_button.isVisible() and result.view.test_button.text() == "Test the plan"
    mended = StressResult(STRESS.stress.scenarios[2], 10.0, 210.0, (StressDraw(10.0, 0.0, 0.0, 12),))
    whole = replace(stress_table(), results=(*stress_table().results, mended), left_out=())

    def events(spec: Any) -> tuple[StressReady, ...]:
        assert complete_plan_table(spec, whole, {})
        return (StressReady(whole),)

    controller._execute = FakeRun(events)
    QTest.mouseClick(result.view.test_button, LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy and entry.stress is not None)
    assert entry.verdict() == VERDICT and not can_test(entry)
    row = next(row for row in compared([entry, entry]) if row.what == VERDICT_ROW)
    assert row.values == (VERDICT, VERDICT)
    assert read_run(folder).scores.stress == whole, "exports read it from there"
    workbench.show_panel("Result")
    qtbot.waitUntil(lambda: result.view.test_button.text() == "Tested")
    assert not result.view.test_button.isEnabled()


def test_one_press_on_the_page_of_the_map_tests_the_plan_and_shows_the_map_there(
    qtbot: QtBot, window: MainWindow, session: Session, saved: Path, project: Project, schedule_file: Path
) -> None:
    workbench = window.workbench
    folder = stopped_run(saved, DropList(), RunScores(stress=stress_table()))
    session.open_project(load_project(saved), saved)
    workbench.queue.show_folder(folder)
    workbench.show_panel("Stress")
    workbench.shell.set_mode(CentreMode.BOTH)
    panel, controller = workbench.panel("Stress", StressPanel), quick_test(workbench, saved, project, schedule_file)
    made = controller._execute
    controller._execute = FakeRun(lambda _spec: (), endless=True)
    workbench.actions["show_leaks"].trigger()
    settle()
    assert not controller.is_busy and panel.pages.currentWidget() is panel.leaks_page
    assert panel.no_map.isVisible() and panel.no_map.start.isEnabled(), "a test takes long, and nobody asked for it"
    assert not panel.stop_here.isVisible() and "fire simulations" in panel.no_map.text.text()
    QTest.mouseClick(panel.no_map.start, LEFT)
    assert controller.is_busy and panel.pages.currentWidget() is panel.leaks_page
    stop = panel.button("stop_here")
    assert stop.isVisible() and not panel.no_map.start.isVisible()
    QTest.mouseClick(stop, LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy)
    assert panel.no_map.start.isVisible() and not stop.isVisible()
    controller._execute = made
    QTest.mouseClick(panel.no_map.start, LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy)
    assert panel.pages.currentWidget() is panel.leaks_page
    assert panel.map.isVisible() and panel.leak.count() == 3 and not panel.no_map.isVisible()


def test_a_plan_without_a_result_in_a_scenario_is_tested_in_all_and_has_its_map_then(
    qtbot: QtBot, window: MainWindow, session: Session, project: Project, tmp_path: Path
) -> None:
    saved = tmp_path / "tested.firegui"
    save_project(replace(project, stress=STRESS.stress), saved)
    folder = stopped_run(saved, DropList(), RunScores(stress=stress_table()))
    session.open_project(load_project(saved), saved)
    workbench = window.workbench
    workbench.queue.show_folder(folder)
    entry, controller = workbench.queue.shown, workbench.controller(StressController)
    panel = workbench.panel("Stress", StressPanel)
    assert entry is not None and texts(panel, "Scenario") == [EXPECTED, "failing", "late"]
    before = stress_table()
    mended = StressResult(STRESS.stress.scenarios[2], 10.0, 210.0, (StressDraw(10.0, 0.0, 0.0, 12),))
    first = replace(before, results=before.results[:1], left_out=())
    whole = replace(before, results=(*before.results, mended), left_out=())
    seen: list[list[str]] = []
    controller.result_changed.connect(lambda: seen.append(texts(panel, "Scenario")))

    def events(spec: Any) -> tuple[StressReady, ...]:
        file = str(spec.schedule_file)
        out = completed(write_header(controller, spec.project, saved, spec.settings, seed=3, schedule_file=file))
        burns, leaks = stress_maps(spec.project)
        write_results(out, StressTally(whole, LeakCounts(burns, {**leaks, "mended": leaks["late"]})), spec.project)
        out.rename(spec.out)
        record = read_run(folder)
        RunFolder(folder).add_scores(record, replace(record.scores, stress=before.completed_by(whole)))
        return (StressReady(first), StressReady(whole))

    controller._execute = run = FakeRun(events)
    workbench.show_panel("Stress")
    workbench.shell.set_mode(CentreMode.BOTH)
    panel.complete_test(entry)
    qtbot.waitUntil(lambda: not controller.is_busy and panel.model.rowCount() == 4)
    settle()
    assert run.specs[0].settings.scenarios == STRESS.stress.scenarios and run.specs[0].project is entry.project
    names = [EXPECTED, "failing", "late", "mended"]
    assert texts(panel, "Scenario") == names and seen and all(set(each) >= set(names[:3]) for each in seen)
    assert not untested_names(entry.stress) and panel.conclusion.text() == VERDICT
    panel.pages.setCurrentWidget(panel.leaks_page)
    settle()
    assert panel.map.isVisible() and panel.leak.count() == 4 and not panel.no_map.isVisible()


def made_test(controller: StressController, project: Project, saved: Path, file: Path, name: str) -> Path:
    """Write a complete test of the schedule in ``file`` into the folder ``name``, an hour after the one before."""
    tests = controller.saved_results.directory
    before = len(list((saved / tests).glob("*")))
    real = os.path.realpath(file)
    out = completed(write_header(controller, project, saved, STRESS, seed=3, schedule_file=real))
    header = STORE.read(out)
    STORE.write(out, replace(header, started=header.started + timedelta(hours=before)))
    write_results(out, StressTally(stress_table(), LeakCounts(*stress_maps(project))), project)
    return out.rename(out.with_name(name))


def test_the_latest_test_with_a_map_is_shown_of_a_project_that_was_opened_by_a_relative_path(
    window: MainWindow, session: Session, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(saved.parent)
    folder = Path(os.path.relpath(stopped_run(saved, DropList(), RunScores(stress=stress_table()))))
    project, file, workbench = load_project(saved), kept_plan(folder), window.workbench
    assert file is not None and not file.is_absolute()
    controller = workbench.controller(StressController)
    tests = [made_test(controller, project, saved, file, name) for name in ("first", "second", "third")]
    (tests[2] / LEAK).unlink()
    session.open_project(project, Path(saved.name))
    workbench.queue.show_folder(folder)
    workbench.show_panel("Stress")
    workbench.shell.set_mode(CentreMode.BOTH)
    panel = workbench.panel("Stress", StressPanel)

    def shown() -> Path | None:
        return None if controller.shown is None else controller.shown.folder.absolute()

    assert shown() == tests[1]
    controller.show_test_of_plan(panel._of_plan)
    workbench.actions["show_leaks"].trigger()
    settle()
    assert shown() == tests[1] and panel.map.isVisible() and not panel.no_map.isVisible()


def test_the_tests_of_a_plan_are_found_in_a_project_that_was_moved(
    window: MainWindow, session: Session, saved: Path
) -> None:
    folder, project = stopped_run(saved, DropList(), RunScores(stress=stress_table())), load_project(saved)
    file, controller = kept_plan(folder), window.workbench.controller(StressController)
    assert file is not None
    made_test(controller, project, saved, file, "first")
    moved = saved.rename(saved.with_name("moved"))
    session.open_project(load_project(moved), moved)
    assert [each.folder.name for each in controller.tests_of(moved / folder.relative_to(saved))] == ["first"]
    copy = saved.with_name("copy")
    shutil.copytree(moved, copy)
    session.open_project(load_project(copy), copy)
    found = controller.tests_of(copy / folder.relative_to(saved))
    assert [each.folder for each in found] == [copy / "stress" / "first"]
    assert not controller.tests_of(moved / folder.relative_to(saved)), "a copy has its own"


@pytest.mark.parametrize("is_stopped", [False, True])
def test_the_page_of_the_map_shows_that_of_a_test_of_some_scenarios_where_there_is_no_other(
    window: MainWindow, session: Session, saved: Path, is_stopped: bool
) -> None:
    folder, project, workbench = stopped_run(saved, DropList()), load_project(saved), window.workbench
    file, controller = kept_plan(folder), workbench.controller(StressController)
    assert file is not None
    table = stress_table()
    other = replace(table.results[0], scenario=StressScenario("other"))
    record = read_run(folder)
    whole = replace(table, results=(*table.results, other))
    RunFolder(folder).add_scores(record, replace(record.scores, stress=whole))
    out = made_test(controller, project, saved, file, "part")
    if is_stopped:
        STORE.write(out, replace(STORE.read(out), reason=FinishReason.STOPPED))
    session.open_project(project, saved)
    workbench.queue.show_folder(folder)
    workbench.show_panel("Stress")
    workbench.shell.set_mode(CentreMode.BOTH)
    panel = workbench.panel("Stress", StressPanel)
    assert controller.shown is not None and controller.shown.made_with_plan, "its verdict covers more"
    workbench.actions["show_leaks"].trigger()
    settle()
    assert panel.map.isVisible() and not panel.no_map.isVisible()
    entry = workbench.queue.shown
    assert entry is not None
    entry.stress = replace(whole, left_out=())
    workbench.queue.changed.emit()
    settle()
    assert controller.shown.folder == out and panel.map.isVisible(), "the plan was tested further"


def test_a_map_without_a_leak_says_so_in_words(shown: StressPanel) -> None:
    assert "Share of draws" in shown.key.text()
    result = shown._controller.shown
    assert result is not None
    none = {name: np.zeros_like(leaks) for name, leaks in result.leaks.items()}
    shown._controller._show(replace(result, leaks=none))
    assert shown.key.text().startswith("No fire gets through in any scenario.")
    shown.leak.setCurrentIndex(1)
    assert shown.key.text().startswith("No fire gets through in this scenario.")
    assert "fire at the start" in shown.key.text()


@pytest.mark.parametrize("name", ["Stress", "Sensitivity", "Uncertainty"])
def test_a_plan_of_a_run_is_analysed_with_the_fleet_it_was_made_with_and_the_page_says_so(
    qtbot: QtBot, window: MainWindow, session: Session, saved: Path, name: str
) -> None:
    folder = stopped_run(saved, DropList())
    session.open_project(load_project(saved), saved)
    workbench = window.workbench
    workbench.queue.show_folder(folder)
    workbench.show_panel(name)
    panel = workbench.panels[name]
    assert isinstance(panel, AnalysisPanel)
    controller = panel._controller
    controller._execute = run = FakeRun(lambda _spec: ())
    assert "was made with" not in panel.cost.text()
    ran = session.project
    kinds = ran.planned_fleet.types
    session.set_planned_fleet("add aircraft", Fleet((replace(kinds[0], count=5), *kinds[1:])))
    had, has = ran.fleet.n_aircraft, session.project.fleet.n_aircraft
    said = (
        f"Uses the fleet that the plan was made with ({had} aircraft), not what the project has now ({has} aircraft)."
    )
    assert had < has and panel.cost.text().endswith(said) and panel.introduction.cost.text().endswith(said)
    QTest.mouseClick(panel.button("start"), LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy and bool(run.specs))
    spec = run.specs[0]
    assert spec.schedule_file == kept_plan(folder) and spec.schedule.logits.shape[1] == had
    assert spec.project.fleet == ran.fleet and session.project.fleet != ran.fleet


def test_a_stopped_test_is_resumed_with_the_fleet_of_its_plan(
    qtbot: QtBot, window: MainWindow, session: Session, saved: Path
) -> None:
    session.open_project(load_project(saved), saved)
    file, controller = kept_plan(stopped_run(saved, DropList())), window.workbench.controller(StressController)
    assert file is not None
    controller._execute = run = FakeRun(lambda _spec: ())
    out = write_header(controller, session.project, saved, STRESS, seed=3, schedule_file=str(file))
    ran = session.project
    session.set_planned_fleet("take aircraft away", Fleet(ran.planned_fleet.types[1:]))
    (test,) = (each for each in controller.saved() if each.folder == out)
    controller.resume(test)
    qtbot.waitUntil(lambda: not controller.is_busy and bool(run.specs))
    assert run.specs[0].resume and run.specs[0].project.fleet == ran.fleet


def test_a_schedule_file_of_another_fleet_is_refused_in_plain_words(
    shown: StressPanel, session: Session, saved: Path, tmp_path: Path
) -> None:
    session.open_project(load_project(saved), saved)
    file = tmp_path / "elsewhere.safetensors"
    write_plan_safetensors(file, Schedule.empty(session.project.calendar.n_steps, 20))
    refused: list[InputError] = []
    session.refused.connect(refused.append)
    shown.form.schedules.add_file(file)
    shown.start()
    steps, has = session.project.calendar.n_steps, session.project.fleet.n_aircraft
    text = f"made for 20 aircraft and {steps} steps; this project has {has} aircraft and {steps} steps"
    assert len(refused) == 1 and text in str(refused[0]) and "shape" not in str(refused[0])


def test_without_a_plan_the_analyses_that_need_one_offer_to_start_it(
    qtbot: QtBot, window: MainWindow, session: Session, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    window.workbench.plan.started.connect(lambda: started.append("plan"))
    session.open_project(load_project(saved), saved)
    window.workbench.shell.go_to_workspace(WorkspaceName.ANALYSE)
    window.workbench.shell.set_mode(CentreMode.CHART)
    for name in ("Stress", "Sensitivity", "Exercise", "Uncertainty"):
        window.workbench.show_panel(name)
        settle()
        panel = window.workbench.panels[name]
        assert isinstance(panel, SplitPanel)
        offered, start = panel.introduction.start_plan, panel.introduction.start
        assert (offered.isVisible(), start.isVisible()) == ((False, True) if name == "Uncertainty" else (True, False))
    stress = window.workbench.panel("Stress", StressPanel)
    window.workbench.show_panel("Stress")
    assert "the project has no plan yet" in stress.introduction.trouble.text()
    QTest.mouseClick(stress.introduction.start_plan, LEFT)
    qtbot.waitUntil(lambda: bool(started))
    assert window.workbench.queue.entries


def test_a_start_says_its_cost_where_the_result_will_be(window: MainWindow, session: Session, saved: Path) -> None:
    session.open_project(load_project(saved), saved)
    window.workbench.show_panel("Uncertainty")
    window.workbench.shell.set_mode(CentreMode.CHART)
    settle()
    panel = window.workbench.panels["Uncertainty"]
    assert isinstance(panel, SplitPanel)
    assert panel.introduction.cost.isVisible() and "fire simulations" in panel.introduction.cost.text()


def test_the_legend_of_the_fire_at_the_start_is_a_line(shown: StressPanel) -> None:
    assert "<b>—</b></span>&nbsp;fire at the start" in shown.key.text() and "□" not in shown.key.text()


def test_the_legend_of_the_map_says_what_cells_without_colour_are(shown: StressPanel) -> None:
    assert "no colour: no leak, or burns in the model too" in shown.key.text()
    assert "the fire that is expected" in shown.key.toolTip()

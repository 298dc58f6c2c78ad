"""Robustness tables in the window: requested, stopped, resumed, sorted, copied, reopened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.analyses.sensitivity.results import AnyTable
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.sensitivity import (
    DesignRow,
    EffectivenessRow,
    MonteCarlo,
    PoseRow,
    RolloutSummary,
    Row,
    SensitivityKind,
    SensitivitySettings,
    SensitivityTable,
)
from firegui.domain.settings import Effectiveness, ObjectiveWeights, RetardantSide, Setting
from firegui.domain.units import Units
from firegui.errors import InputError
from firegui.gui.analyses.sensitivity.sensitivity_chart import MEASURES, SensitivityChart
from firegui.gui.analyses.sensitivity.sensitivity_controller import SAVED_TABLES, SensitivityController
from firegui.gui.analyses.sensitivity.sensitivity_panel import SensitivityPanel
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.runs.events import Progress, SensitivityReady
from firegui.runs.runner import execute as run_execute
from tests.gui.analyses.panels import open_panels
from tests.gui.analyses.scene import FakeRun
from tests.gui.hands import show_widget
from tests.gui.readouts import ticks_of

NOW = datetime(2026, 3, 4, 5, 6, 7)
RAN = SensitivityKind


def tables(found: AnyTable, *, endless: bool = False) -> FakeRun:
    """Return a run that makes a table."""
    return FakeRun(lambda _spec: (Progress(1, 4, "Scoring"), SensitivityReady(found)), endless=endless)


def reading(value: float, drops: int = 12) -> RolloutSummary:
    return RolloutSummary(value, 100.0 * value, 9.0 * value, value, drops)


def table_of(kind: SensitivityKind, rows: tuple[Row, ...], *, complete: bool = True) -> AnyTable:
    scored = None if kind is RAN.DESIGN else reading(1.0)
    return SensitivityTable(
        kind, "Test Ridge", "model", Setting.A, ObjectiveWeights.of(Setting.A), Effectiveness(0.9, 0.9),
        RetardantSide.BOTH, "run/plan.safetensors, 12 drops", reading(20.0), scored, rows,
        SensitivitySettings(), complete,
    )  # fmt: skip


EFFECTIVENESS = tuple(
    EffectivenessRow(Effectiveness(eta, eta), reading(value), value)
    for eta, value in ((0.9, 1.0), (0.88, 12.0), (0.86, 3.0))
)


Made = tuple[SensitivityPanel, SensitivityController]
Make = Callable[[object], Made]


@pytest.fixture
def make(qtbot: QtBot, session: Session, queue: RunQueue, saved: Path) -> Iterator[Make]:
    yield from open_panels(
        qtbot, lambda execute: SensitivityController(session, execute=execute, clock=lambda: NOW),
        lambda controller: SensitivityPanel(session, queue, controller), 1100, 500,
    )  # fmt: skip


def run(qtbot: QtBot, panel: SensitivityPanel, controller: SensitivityController) -> None:
    panel.button("start").click()
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=120_000)


def cells(panel: SensitivityPanel, column: int) -> list[str]:
    return [str(panel.model.index(row, column).data()) for row in range(panel.model.rowCount())]


def column(panel: SensitivityPanel, title: str) -> int:
    return panel.model.titles.index(title)


# -- asking ------------------------------------------------------------------------------------------------------------
def test_only_the_settings_of_the_kind_are_shown(make: Make) -> None:
    panel, _controller = make(tables(table_of(RAN.POSE, ())))
    shown = {}
    for kind in SensitivityKind:
        panel.form.set_kind(kind)
        boxes = {
            "draws": panel.form.fields.box("draws"),
            "members": panel.form.fields.box("members"),
            "schedule": panel.form.schedules.box,
        }
        shown[kind] = {name for name, box in boxes.items() if box.isVisible()}
    assert shown[RAN.POSE] == {"draws", "schedule"}
    assert shown[RAN.DESIGN] == {"members"}
    assert shown[RAN.EFFECTIVENESS] == shown[RAN.RETARDANT_SIDE] == {"schedule"}


def test_without_a_schedule_only_a_sweep_can_be_made_and_the_dock_says_why(make: Make) -> None:
    panel, _controller = make(tables(table_of(RAN.POSE, ())))
    panel.form.set_kind(RAN.POSE)
    assert not panel.button("start").isEnabled()
    assert "the project has no plan yet" in panel.notes.text()
    panel.form.set_kind(RAN.DESIGN)
    assert panel.button("start").isEnabled()
    assert not panel.notes.isVisible()


def test_the_fields_stay_where_they_are_when_a_note_goes(qtbot: QtBot, make: Make, schedule_file: Path) -> None:
    panel, _controller = make(tables(table_of(RAN.POSE, ())))
    panel.form.set_kind(RAN.POSE)
    qtbot.waitUntil(panel.notes.isVisible)
    fields = [panel.form.kind, panel.form.schedules.box, panel.form.fields.box("draws")]
    places = [field.mapTo(panel, QPoint()) for field in fields]
    panel.form.schedules.add_file(schedule_file)
    qtbot.waitUntil(lambda: not panel.notes.isVisible())
    qtbot.wait(1)
    assert [field.mapTo(panel, QPoint()) for field in fields] == places


def test_the_table_that_is_asked_for_goes_into_the_project(
    qtbot: QtBot, make: Make, saved: Path, schedule_file: Path
) -> None:
    execute = tables(table_of(RAN.POSE, (PoseRow(0.0, (reading(1.0),)),)))
    panel, controller = make(execute)
    panel.form.set_kind(RAN.POSE)
    panel.form.schedules.add_file(schedule_file)
    panel.form.fields.box("draws").setValue(7)
    panel.form.fields.box("scales").setText("0, 2e-3")
    run(qtbot, panel, controller)
    (spec,) = execute.specs
    assert spec.out == saved / SAVED_TABLES.directory / "20260304-050607-pose"
    assert (spec.settings.draws, spec.settings.scales) == (7, (0.0, 0.002))
    assert spec.schedule_file == schedule_file
    assert "--draws 7" in spec.command


def test_a_sweep_has_its_designs_members_and_epochs(qtbot: QtBot, make: Make) -> None:
    execute = tables(table_of(RAN.DESIGN, ()))
    panel, controller = make(execute)
    panel.form.set_kind(RAN.DESIGN)
    panel.form.fields.box("designs").setText("0.85/0.75")
    panel.form.fields.box("members").setValue(20)
    panel.form.epochs.setValue(11)
    run(qtbot, panel, controller)
    (spec,) = execute.specs
    assert spec.settings.designs == (Effectiveness(0.85, 0.75),)
    assert spec.settings.members == 20
    assert spec.project.plan.optimizer.epochs == 11
    assert spec.schedule is None


@pytest.mark.parametrize(("text", "said"), [("0.9", "cannot be read"), ("", "is empty"), ("1.4/0.9", "1.4")])
def test_designs_that_cannot_be_used_are_told_and_not_started(make: Make, text: str, said: str) -> None:
    panel, _controller = make(tables(table_of(RAN.DESIGN, ())))
    panel.form.set_kind(RAN.DESIGN)
    panel.form.fields.box("designs").setText(text)
    assert said in panel.notes.text()
    assert not panel.button("start").isEnabled()


def test_a_schedule_of_another_plan_is_refused(
    qtbot: QtBot, make: Make, project: Project, tmp_path: Path, refusals: list[InputError]
) -> None:
    execute = tables(table_of(RAN.POSE, ()))
    panel, controller = make(execute)
    path = tmp_path / "other.safetensors"
    write_plan_safetensors(path, Schedule.empty(7, project.fleet.n_aircraft))
    panel.form.set_kind(RAN.EFFECTIVENESS)
    panel.form.schedules.add_file(path)
    panel.button("start").click()
    assert not execute.specs
    assert refusals
    assert not controller.is_busy


# -- at work -----------------------------------------------------------------------------------------------------------
def test_work_shows_how_far_it_is_and_stops_with_what_there_is(qtbot: QtBot, make: Make) -> None:
    row = DesignRow(
        Effectiveness(0.9, 0.9), "design-0.9-0.9", reading(2.0), 0.5, MonteCarlo(0.4, 10, 0.02),
        MonteCarlo(None, reason="not sampled yet"), 30, 900, 12.0,
    )  # fmt: skip
    execute = tables(table_of(RAN.DESIGN, (row,), complete=False), endless=True)
    panel, controller = make(execute)
    panel.form.set_kind(RAN.DESIGN)
    panel.button("start").click()
    qtbot.waitUntil(lambda: "Scoring… (2 of 4)" in controller.activity)
    assert panel.bar.value() == 250
    assert panel.bar.isVisible()
    assert not panel.form.isEnabled()
    work = controller.work()
    assert work is not None and work.title == "The sensitivity table"
    panel.button("stop").click()
    assert controller.activity == "Stopping…"
    qtbot.waitUntil(lambda: not controller.is_busy)
    assert "1 of 3 plans so far" in panel.head.text()
    assert cells(panel, column(panel, "State sampling")) == ["40.0 % ± 2.0 %"]
    assert cells(panel, column(panel, "Model error")) == ["–"]
    index = panel.model.index(0, column(panel, "Model error"))
    assert index.data(Qt.ItemDataRole.ToolTipRole) == "not sampled yet"


# -- the table ---------------------------------------------------------------------------------------------------------
@pytest.fixture
def shown(qtbot: QtBot, make: Make, schedule_file: Path) -> SensitivityPanel:
    panel, controller = make(tables(table_of(RAN.EFFECTIVENESS, EFFECTIVENESS)))
    panel.form.set_kind(RAN.EFFECTIVENESS)
    panel.form.schedules.add_file(schedule_file)
    run(qtbot, panel, controller)
    return panel


def test_a_column_sorts_by_its_numbers_when_its_head_is_clicked(shown: SensitivityPanel) -> None:
    j = column(shown, "Objective")
    assert cells(shown, 0) == ["0.9", "0.88", "0.86"]
    header = shown.table.horizontalHeader()
    place = header.viewport().rect().center()
    place.setX(header.sectionViewportPosition(j) + 6)
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert cells(shown, j) == ["1.00", "3.00", "12.0"]


def test_the_table_is_copied_as_it_is_shown(shown: SensitivityPanel) -> None:
    shown.table.setFocus()
    QTest.keyClick(shown.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:2] == ["Effectiveness ret. / water", "Final size ha"]
    assert lines[2].split("\t")[0] == "0.88" and lines[2].split("\t")[-1] == "12.0"
    assert len(lines) == 4


def test_the_table_is_exported_with_every_digit(shown: SensitivityPanel, tmp_path: Path) -> None:
    shown.save(tmp_path / "table")
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert lines[0].startswith("eta_retardant,eta_water,fire_objective")
    assert lines[2].startswith("0.88,0.88,12.0,1200.0")


def test_the_chart_draws_what_is_chosen_beside_the_schedule_as_planned_for(shown: SensitivityPanel) -> None:
    assert shown.measure.currentText() == "Final size, ha"
    assert list(shown.chart.curve_points(0)[1]) == [9.0, 108.0, 27.0]
    assert not len(shown.chart.curve_points(3)[0]), "a line joins categories"
    assert shown.chart.names == ("0.9", "0.88", "0.86")
    shown.measure.setCurrentIndex(2)
    assert list(shown.chart.curve_points(0)[1]) == [1.0, 12.0, 3.0]
    assert shown.chart.level == 1.0


def test_every_row_has_its_name_below_the_axis(qtbot: QtBot) -> None:
    chart = SensitivityChart()
    show_widget(qtbot, chart, 400, 200)
    chart.show_table(table_of(RAN.EFFECTIVENESS, EFFECTIVENESS), MEASURES[RAN.EFFECTIVENESS][0])
    qtbot.waitUntil(lambda: ticks_of(chart) == ["0.9", "0.88", "0.86"])


def test_sizes_are_in_the_units_of_the_window(shown: SensitivityPanel, session: Session) -> None:
    session.set_units(Units.US)
    assert shown.measure.itemText(0) == "Final size, acres"
    assert shown.chart.curve_points(0)[1][0] == pytest.approx(9.0 / 0.40468564224)
    assert cells(shown, column(shown, "Final size acres"))[0] == "22.2"
    assert "22.2 acres" in shown.head.text()
    regions = shown.model.index(0, column(shown, "In regions acres"))
    assert "in cells" in " ".join(regions.data(Qt.ItemDataRole.ToolTipRole).split())


def test_perturbed_poses_are_drawn_with_their_spread(qtbot: QtBot, make: Make, schedule_file: Path) -> None:
    rows = (PoseRow(0.0, (reading(1.0),)), PoseRow(1e-3, (reading(1.5), reading(2.5))))
    panel, controller = make(tables(table_of(RAN.POSE, rows)))
    panel.form.set_kind(RAN.POSE)
    panel.form.schedules.add_file(schedule_file)
    run(qtbot, panel, controller)
    assert list(panel.chart.curve_points(0)[1]) == [1.0, 2.0]
    assert list(panel.chart.curve_points(3)[1]) == [1.0, 2.0], "the scales are not joined by a line"
    assert list(panel.chart.curve_points(1)[1]) == [1.0, 1.5]
    assert list(panel.chart.curve_points(2)[1]) == [1.0, 2.5]


# -- with the real engine ----------------------------------------------------------------------------------------------
def test_a_table_of_the_engine_lies_in_the_project_and_reopens(
    qtbot: QtBot, make: Make, session: Session, saved: Path, schedule_file: Path
) -> None:
    panel, controller = make(run_execute)
    panel.form.set_kind(RAN.EFFECTIVENESS)
    panel.form.schedules.add_file(schedule_file)
    pairs = panel.form.fields.box("pairs")
    assert pairs.document().size().height() > 1 and pairs.height() >= 2 * pairs.fontMetrics().lineSpacing()
    pairs.setText("0.9/0.9, 0.5/0.4")
    run(qtbot, panel, controller)
    assert cells(panel, 0) == ["0.9", "0.5/0.4"]
    (found,) = SAVED_TABLES.in_project(saved)
    assert found.folder.parent == saved / SAVED_TABLES.directory
    assert not found.can_resume()
    assert not (saved / "runs").exists()
    session.open_project(session.project, saved)
    assert panel.model.rowCount() == 0
    panel.saved_list.setCurrentIndex(1)
    panel.saved_list.activated.emit(1)
    assert cells(panel, 0) == ["0.9", "0.5/0.4"]
    assert panel.form.fields.box("pairs").text() == "0.9/0.9, 0.5/0.4"


def test_a_table_comes_to_a_sentence_on_its_worst_row(qtbot: QtBot, make: Make, schedule_file: Path) -> None:
    panel, controller = make(tables(table_of(RAN.EFFECTIVENESS, EFFECTIVENESS)))
    panel.form.schedules.add_file(schedule_file)
    run(qtbot, panel, controller)
    worst = max(EFFECTIVENESS, key=lambda row: row.reading.final_extent_ha)
    said = panel.conclusion.text()
    assert said.startswith(f"At worst the fire ends at {Units.METRIC.area(worst.reading.final_extent_ha)}")
    assert said.endswith(": with retardant 88 %, water 88 % effective.") and panel.conclusion.isVisible()

"""Study dock: a text and its problems, a running study, stop, resume, view and export."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QToolButton
from pytestqt.qtbot import QtBot

from firegui.domain.study import Case, Sampling, StudySettings, Vary
from firegui.domain.workers import WorkerSettings
from firegui.errors import InputError
from firegui.gui.analyses.study.study_controller import SAVED_STUDIES, StudyController, cost_text
from firegui.gui.analyses.study.study_panel import StudyPanel
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.io.project.store import save_project
from firegui.io.project.study_file import StudyFile, parse_study, read_study
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import RunEvent
from firegui.runs.spec import RunSpec, StudySpec
from tests.gui.hands import LEFT, show_widget
from tests.support import make_project
from tests.unit.analyses.study_stub import execute

TEXT = """
project = "."
name = "{name}"
measure = ["objective", "drops_executed", "final_extent_ha"]
[[vary]]
name = "fleet.R.count"
values = [0, 1, 2]
[[vary]]
name = "seed"
values = [0, 1, 2, 3]
"""


@pytest.fixture
def folder(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the open, saved project."""
    monkeypatch.setattr(Engine, "draw_study", lambda *_: [])
    place, project = tmp_path / "p.firegui", make_project()
    save_project(project, place)
    session.open_project(project, place)
    return place


@pytest.fixture
def controller(session: Session, folder: Path) -> Iterator[StudyController]:
    """Return a controller whose cells are made up, one after another in the thread of the study."""
    made = StudyController(session, execute=serially)
    yield made
    made.shutdown()
    made.deleteLater()


def serially(spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
    assert isinstance(spec, StudySpec)
    execute(replace(spec, workers=WorkerSettings()), emit, control)


@pytest.fixture
def panel(qtbot: QtBot, session: Session, queue: RunQueue, controller: StudyController) -> StudyPanel:
    made = StudyPanel(session, queue, controller)
    made.start_requested.connect(made.start)
    show_widget(qtbot, made, 900, 420)
    return made


def show_study(panel: StudyPanel, name: str) -> None:
    panel.form.set_study(parse_study(TEXT.format(name=name)))


def carry_out(qtbot: QtBot, panel: StudyPanel, controller: StudyController, name: str = "Counts") -> None:
    show_study(panel, name)
    QTest.mouseClick(panel.button("start"), LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=60_000)


def reopen(panel: StudyPanel) -> None:
    """Select the latest study in the list."""
    panel.saved_list.setCurrentIndex(1)
    panel.saved_list.activated.emit(1)


def type_into(line: QLineEdit, text: str) -> None:
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, text)


def test_what_is_wrong_is_said_while_the_form_is_filled_in(qtbot: QtBot, panel: StudyPanel) -> None:
    panel.form.set_study(parse_study(TEXT.format(name="x").replace("fleet.R.count", "fleet.UNKNOWN.count")))
    assert "fleet.UNKNOWN.count" in panel.notes.text() and not panel.button("start").isEnabled()
    show_study(panel, "x")
    assert panel.notes.text() == "" and panel.button("start").isEnabled()
    assert panel.cost.text().startswith("12 cases")
    type_into(panel.form.factors[0].levels, "1, two, 3")
    qtbot.waitUntil(lambda: "'two' is not a whole number" in panel.notes.text())
    assert not panel.button("start").isEnabled()
    type_into(panel.form.factors[0].levels, "1, 2, 3, 5")
    qtbot.waitUntil(lambda: panel.cost.text().startswith("16 cases"))
    assert panel.button("start").isEnabled()


def test_a_study_says_how_long_it_takes_before_its_first_case() -> None:
    settings = StudySettings(planner="gradient", allowance=600, vary=(Vary("days", (2, 3)),))
    assert cost_text(settings, None, 1).endswith("once a plan is on the map, or after the first cases.")
    assert cost_text(settings, None, 2, 0.5).endswith("At the pace of the plan on the map about 5 min.")
    ruled = replace(settings, planner="tactical")
    assert cost_text(ruled, None, 1, 2.0).endswith("At the pace of the plan on the map about 20 s.")
    assert cost_text(replace(settings, planner="two-stage"), None, 1, 2.0).endswith("about as long as a plan.")
    assert "the one shown" in cost_text(settings, 3.0, 1, 2.0)


def test_a_study_is_made_with_the_form_alone(qtbot: QtBot, panel: StudyPanel, controller: StudyController) -> None:
    form = panel.form
    assert "Nothing varies yet" in panel.notes.text() and not panel.button("start").isEnabled()
    button = {each.accessibleName(): each for each in form.findChildren(QToolButton)}
    QTest.mouseClick(button["Add factor"], LEFT)
    row = form.factors[0]
    assert row.factor.currentText() == "R: number of aircraft"
    assert not form.measures.horizontalScrollBar().isVisible() and form.measures.count() > 5
    assert not form.set_line.isVisible(), "what is set in every case is under Advanced"
    form.advanced.set_open(True)
    type_into(row.levels, "0 to 2 in 3 steps")
    QTest.mouseClick(button["Add case"], LEFT)
    QTest.mouseClick(button["Add case"], LEFT)
    type_into(form.cases[1].sets, "lifted.all = 0 1; seed = 4")
    type_into(form.set_line, "nominal = 0.8")
    form.planner.setCurrentIndex(form.planner.findData("gradient"))
    form.fields.box("allowance").setValue(12)
    item = next(
        form.measures.item(k) for k in range(form.measures.count()) if form.measures.item(k).toolTip() == "saved_ha"
    )
    item.setCheckState(Qt.CheckState.Checked)
    form.first.setCurrentIndex(form.first.findData("saved_ha"))
    assert form.study().settings == StudySettings(
        planner="gradient", allowance=12, set={"nominal": 0.8},
        vary=(Vary("fleet.R.count", low=0.0, high=2.0, steps=3),),
        cases=(Case("as it is"), Case("case 2", {"lifted.all": (0, 1), "seed": 4})),
        measure=("saved_ha", "objective", "final_extent_ha", "drops_executed"),
    )  # fmt: skip
    qtbot.waitUntil(lambda: panel.cost.text().startswith("6 cases") and panel.button("start").isEnabled())
    QTest.mouseClick(panel.button("start"), LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=60_000)
    assert controller.shown is not None and controller.shown.table is not None and controller.shown.table.complete
    form.factors[0].removed.emit()
    assert form.study().settings.vary == () and len(form.study().settings.cases) == 2


def test_the_study_of_a_saved_file_is_opened_and_saved_unchanged(
    panel: StudyPanel, session: Session, folder: Path, tmp_path: Path
) -> None:
    settings = StudySettings(
        name="Both", planner="schedule", allowance=7, budget=30, set={"days": 1}, seed=5, samples=9,
        vary=(Vary("nominal", (), 0.6, 0.95), Vary("grounded.all", ((), (0, 1)))), sampling=Sampling.LATIN,
        cases=(Case("as it is"), Case("more", {"fleet.R.count": 3})), measure=("saved_ha", "objective"),
    )  # fmt: skip
    file = tmp_path / "mine.toml"
    file.write_text(StudyFile("p.firegui", settings, "plan.csv").text(), encoding="utf-8")
    panel.open_file(file)
    assert panel.form.study() == StudyFile(".", settings, str(tmp_path / "plan.csv"))
    assert "made for" not in panel.notes.text()
    panel.save_file(tmp_path / "copy")
    assert read_study(tmp_path / "copy.toml") == StudyFile(str(folder), settings, str(tmp_path / "plan.csv"))


def test_a_file_that_cannot_be_read_is_refused_and_the_form_stays(
    panel: StudyPanel, session: Session, tmp_path: Path
) -> None:
    show_study(panel, "kept")
    refused: list[InputError] = []
    session.refused.connect(refused.append)
    file = tmp_path / "bad.toml"
    file.write_text('project = "p"\nmeasure = ["joy"]\nsize = 2\n', encoding="utf-8")
    panel.open_file(file)
    assert "joy" in str(refused[0]) and "size is not known" in str(refused[0])
    panel.open_file(tmp_path / "absent.toml")
    assert "absent.toml" in str(refused[1])
    assert panel.form.study().settings.name == "kept"


def test_a_file_of_another_project_becomes_a_study_of_the_open_one_and_says_so(
    panel: StudyPanel, tmp_path: Path
) -> None:
    file = tmp_path / "other.toml"
    file.write_text(TEXT.format(name="x").replace('"."', '"other.firegui"'), encoding="utf-8")
    panel.open_file(file)
    assert "The file was made for other.firegui" in panel.notes.text()
    assert panel.button("start").isEnabled()
    show_study(panel, "own")
    panel.begin("Fleet value")
    assert "made for" not in panel.notes.text()


def test_without_workers_it_runs_in_this_process(qtbot: QtBot, panel: StudyPanel, controller: StudyController) -> None:
    show_study(panel, "Here")
    assert panel.form.request().workers.in_process
    assert panel.form.workers.box("workers").text() == "in this process"


def test_a_new_study_of_the_project_can_be_carried_out_as_it_is(panel: StudyPanel) -> None:
    for action in panel.form.beginnings.actions():
        action.trigger()
        assert panel.notes.text() == ""
        assert panel.button("start").isEnabled()


def test_a_study_is_carried_out_shown_and_reopened(
    qtbot: QtBot, panel: StudyPanel, controller: StudyController, folder: Path
) -> None:
    carry_out(qtbot, panel, controller)
    assert controller.shown is not None and controller.shown.table is not None and controller.shown.table.complete
    assert panel.cells.rowCount() == 12
    assert "12 of 12 cases" in panel.head.text()
    assert panel.conclusion.isVisible() and panel.conclusion.text().startswith(
        "Final size depends most on fleet.R.count:"
    )
    out = controller.shown.folder
    assert out.parent == folder / SAVED_STUDIES.directory and out.with_name(f"{out.name}.toml").is_file()
    panel.pages.setCurrentWidget(panel.tornado)
    assert [bar.label for bar in panel.tornado_chart.bars] == ["fleet.R.count"]
    panel.pages.setCurrentWidget(panel.heat)
    heat = panel.heat_chart.heat
    assert heat is not None and len(heat.across) == 3 and len(heat.down) == 4
    panel.pages.setCurrentWidget(panel.pareto)
    assert [cell.number for cell in panel.pareto_chart.front] == [0, 4, 8]
    controller._show(None)
    assert panel.cells.rowCount() == 0
    reopen(panel)
    qtbot.waitUntil(lambda: panel.cells.rowCount() == 12)


def test_a_stopped_study_keeps_its_cells_is_shown_where_it_cannot_be_written_to_and_goes_on(
    qtbot: QtBot, panel: StudyPanel, controller: StudyController, session: Session, folder: Path
) -> None:
    show_study(panel, "slow")
    QTest.mouseClick(panel.button("start"), LEFT)

    def has_two_rows() -> bool:
        shown = controller.shown
        return shown is not None and shown.table is not None and len(shown.table.rows) > 1

    qtbot.waitUntil(has_two_rows, timeout=60_000)
    assert "of 12 cases" in controller.activity and panel.button("stop").isEnabled()
    QTest.mouseClick(panel.button("stop"), LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=60_000)
    assert controller.shown is not None and controller.shown.table is not None
    kept, out = len(controller.shown.table.rows), controller.shown.folder
    assert 1 < kept < 12
    session.open_project(session.project, None, folder)
    reopen(panel)
    assert controller.shown.folder == out and panel.cells.rowCount() == 12
    assert not panel.button("resume").isEnabled(), "another window has the folder"
    session.open_project(session.project, folder)
    reopen(panel)
    qtbot.waitUntil(lambda: panel.button("resume").isEnabled())
    panel.form.workers.box("workers").setValue(3)
    QTest.mouseClick(panel.button("resume"), LEFT)
    assert (
        controller._job is not None
        and isinstance(controller._job.spec, StudySpec)
        and controller._job.spec.workers == WorkerSettings(3)
    )
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=60_000)
    assert controller.shown.table is not None and controller.shown.table.complete


def test_a_double_click_on_a_point_of_the_front_asks_for_its_plan(
    qtbot: QtBot, panel: StudyPanel, controller: StudyController
) -> None:
    carry_out(qtbot, panel, controller)
    asked: list[int] = []
    panel.pareto.opened.connect(lambda cell: asked.append(cell.number))
    panel.pages.setCurrentWidget(panel.pareto)
    qtbot.waitUntil(lambda: panel.pareto_chart.item.vb.viewPixelSize()[0] < 1.0)
    chart = panel.pareto_chart
    cell = chart.front[1]
    table = panel.pareto.table
    assert table is not None
    point = QPointF(table.measured(cell, "drops_executed"), table.measured(cell, "final_extent_ha"))
    scene = chart.item.vb.mapViewToScene(point)
    place: QPoint = chart.plot.mapFromScene(scene)
    none, view = Qt.KeyboardModifier.NoModifier, chart.plot.viewport()
    QTest.mouseClick(view, LEFT, none, place)
    # As a window system sends it: the second press is a double click, where QTest sends a press before it too.
    at = QPointF(place)
    kind = QEvent.Type.MouseButtonDblClick
    QApplication.sendEvent(view, QMouseEvent(kind, at, QPointF(view.mapToGlobal(place)), LEFT, LEFT, none))
    QTest.mouseRelease(view, LEFT, none, place)
    assert asked == [cell.number]


def test_tables_are_handed_over_whole(
    qtbot: QtBot, panel: StudyPanel, controller: StudyController, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry_out(qtbot, panel, controller)
    out = tmp_path / "handed"
    out.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_args, **_more: str(out))
    QTest.mouseClick(panel.button("export"), LEFT)
    assert {"table.csv", "table.parquet", "cells.csv", "study.toml"} <= {path.name for path in out.iterdir()}


def test_a_plan_that_is_no_plan_is_refused(
    qtbot: QtBot, panel: StudyPanel, controller: StudyController, session: Session
) -> None:
    carry_out(qtbot, panel, controller)
    refused: list[InputError] = []
    session.refused.connect(refused.append)
    panel.play(panel.cells.row(0))
    assert len(refused) == 1

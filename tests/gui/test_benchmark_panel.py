"""Benchmark dock: request, progress, stop, resume, reopening and export."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton, QWidget
from pytestqt.qtbot import QtBot

from firegui.analyses.benchmark.results import HEADER
from firegui.analyses.task_files import task_folder
from firegui.domain.benchmark import BenchmarkSettings, PlannerName, PlannerTask
from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.gui.analyses.benchmark import benchmark_controller as benchmarks_module
from firegui.gui.analyses.benchmark.benchmark_controller import SAVED_BENCHMARKS, BenchmarkController, cost_text
from firegui.gui.analyses.benchmark.benchmark_panel import BenchmarkForm, BenchmarkPanel
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.widgets.settings_form import FoldedSection
from tests.gui.benchmark_scene import SMALL, Make, export_to, made_panels, reopen, save_benchmark
from tests.gui.fake_benchmarks import Contest, table
from tests.gui.hands import LEFT, cell_text, type_into_field

P = PlannerName


def tick(box: QCheckBox) -> None:
    """Click the indicator of a check box."""
    option = QStyleOptionButton()
    box.initStyleOption(option)
    square = box.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, box)
    QTest.mouseClick(box, LEFT, pos=square.center() if square.isValid() else QPoint(8, box.height() // 2))


def choose_planners(form: BenchmarkForm, *planners: PlannerName) -> None:
    for name, box in form.planners.items():
        if box.isChecked() != (name in planners):
            tick(box)


@pytest.fixture
def make(qtbot: QtBot, session: Session, queue: RunQueue, saved: Path) -> Iterator[Make]:
    yield from made_panels(qtbot, session, queue)


def run(qtbot: QtBot, panel: BenchmarkPanel, controller: BenchmarkController) -> None:
    panel.form.set_settings(SMALL)
    QTest.mouseClick(panel.button("start"), LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy)


# -- asking ------------------------------------------------------------------------------------------------------------
def test_what_is_ticked_and_typed_is_what_is_run_in_the_projects_folder(
    qtbot: QtBot, make: Make, saved: Path, session: Session
) -> None:
    execute = Contest()
    panel, controller = make(execute)
    choose_planners(panel.form, P.NONE, P.GRADIENT, P.CMA_ES)
    tick(panel.form.matched[P.GRADIENT])
    asked = {"seeds": "2", "seed": "7", "allowance": "900", "budget": "12"}
    for box, text in (
        *((panel.form.fields.box(name), text) for name, text in asked.items()), (panel.form.processes, "3"),
    ):  # fmt: skip
        type_into_field(qtbot, box, text)
    QTest.mouseClick(panel.button("start"), LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy)
    (spec,) = execute.specs
    assert spec.out == saved / SAVED_BENCHMARKS.directory / "20260304-050607-A"
    assert spec.project is session.project and spec.project_folder == saved
    assert (spec.processes, spec.resume) == (3, False)
    assert spec.settings == BenchmarkSettings(
        planners=(P.NONE, P.CMA_ES, P.GRADIENT), matched=(P.GRADIENT,), seeds=2, seed=7, allowance=900, budget=12
    )
    assert "--planners none,cma-es,gradient --matched gradient" in spec.command
    assert "--processes 3" in spec.command


def test_a_planner_whose_package_is_missing_cannot_be_ticked_says_why_and_is_noted_as_left_out(
    qtbot: QtBot, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmarks_module, "find_spec", lambda _name: None)
    execute = Contest()
    panel, controller = make(execute)
    for name in (P.DIFFERENTIAL_EVOLUTION, P.PARTICLE_SWARM):
        box = panel.form.planners[name]
        tick(box)
        assert not box.isChecked() and not panel.form.matched[name].isEnabled()
        assert "needs nevergrad" in box.text() and "pip install nevergrad" in box.toolTip()
    run(qtbot, panel, controller)
    assert any("Particle swarm is left out" in note for note in execute.specs[0].notes)


def test_without_a_planner_nothing_can_be_run_and_the_dock_says_so(make: Make) -> None:
    panel, _controller = make()
    choose_planners(panel.form)
    assert "no planner is given" in panel.notes.text()
    assert not panel.button("start").isEnabled()
    tick(panel.form.planners[P.NONE])
    assert panel.button("start").isEnabled()
    assert not panel.notes.isVisible()


def test_the_cost_counts_searches_and_says_what_nobody_knows_before() -> None:
    text = cost_text(SMALL)
    assert text.startswith("5 tasks, at most 1,200 fire simulations.")
    assert "two-stage" not in text and "shows after the first tasks" in text
    free = cost_text(replace(SMALL, budget=0, matched=(P.GRADIENT,)))
    assert free.startswith("7 tasks, at most 1,200") and "and 1 search at that cost again" in free
    assert "about 20:00 of processor time" in cost_text(SMALL, pace=1.0)


def test_workers_are_among_the_advanced_settings_and_the_button_names_what_it_does(make: Make) -> None:
    panel, _controller = make()
    advanced = panel.form.findChild(FoldedSection)
    assert isinstance(advanced, FoldedSection)
    for box in (panel.form.processes, panel.form.cluster.box("scheduler")):
        assert advanced.body.isAncestorOf(box) and not box.isVisible()
    assert panel.button("start").text() == "Compare planners"


def test_a_budget_of_0_is_explained(qtbot: QtBot, make: Make) -> None:
    panel, _controller = make()
    assert "the two-stage plan comes first" in panel.cost.text()
    choose_planners(panel.form, P.GRADIENT)
    type_into_field(qtbot, panel.form.fields.box("budget"), "30")
    assert "two-stage" not in panel.cost.text()


# -- at work -----------------------------------------------------------------------------------------------------------
def test_work_shows_every_task_and_how_far_it_is_and_stops_with_what_is_done(qtbot: QtBot, make: Make) -> None:
    execute = Contest(endless=True)
    panel, controller = make(execute)
    panel.form.set_settings(SMALL)
    QTest.mouseClick(panel.button("start"), LEFT)
    qtbot.waitUntil(
        lambda: controller.activity.startswith("1 of 5 tasks · 1:00") and controller.running[0].spent == 300
    )
    assert panel.pages.currentWidget() is panel.tasks_view
    lines = {cell_text(panel.tasks_view, row, 0): row for row in range(5)}
    assert cell_text(panel.tasks_view, lines["No drops"], 1) == "done"
    at_work = lines["Quick plan (seed 0)"]
    assert [cell_text(panel.tasks_view, at_work, column) for column in (1, 2, 4, 5)] == [
        "running",
        "300",
        "15.0",
        "0:15",
    ]
    assert cell_text(panel.tasks_view, lines["Gradient (seed 1)"], 1) == "waiting"
    assert panel.bar.value() == 300
    assert not panel.form.isEnabled()
    work = controller.work()
    assert work is not None and work.kept == "finished tasks"
    QTest.mouseClick(panel.button("stop"), LEFT)
    assert controller.activity == "Stopping…"
    qtbot.waitUntil(lambda: not controller.is_busy)
    assert execute.living == 0
    assert "incomplete: 1 of 5 tasks" in panel.head.text()
    assert "still missing: Quick plan (by rule) (seeds 0, 1)" in panel.remarks.text()


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (0, "0 of 2 tasks · 1:00"),
        # 25,686 of the plan and 3,000 so far took a minute, 3,000 are left.
        (1, "1 of 2 tasks · 1:00 · about 0:06 left"),
    ],
)
def test_the_time_left_is_told_once_the_two_stage_plan_has_shown_its_cost(
    qtbot: QtBot, make: Make, at: int, said: str
) -> None:
    panel, controller = make(Contest(endless=True, at=at))
    panel.form.set_settings(replace(SMALL, planners=(P.TWO_STAGE, P.GRADIENT), seeds=1, budget=0, allowance=6_000))
    panel.button("start").click()
    qtbot.waitUntil(lambda: controller.activity == said)


def test_what_was_stopped_goes_on_with_what_is_missing_and_with_what_was_ticked_since(
    qtbot: QtBot, make: Make, session: Session, project: Project, saved: Path
) -> None:
    save_benchmark(saved, project, done=2)
    execute = Contest()
    panel, controller = make(execute)
    reopen(panel)
    assert panel.saved_list.currentText().endswith("2 of 5 tasks")
    tick(panel.form.planners[P.GREEDY])
    QTest.mouseClick(panel.button("resume"), LEFT)
    qtbot.waitUntil(lambda: not controller.is_busy)
    (spec,) = execute.specs
    assert spec.resume and spec.out == saved / SAVED_BENCHMARKS.directory / "20260101-000000-A"
    assert spec.settings == replace(SMALL, planners=(*SMALL.planners, P.GREEDY))
    assert panel.table.lines.rowCount() == 4
    assert not panel.button("resume").isEnabled()


def test_a_finished_benchmark_takes_more_seeds_but_no_other_allowance(
    qtbot: QtBot, make: Make, project: Project, saved: Path
) -> None:
    save_benchmark(saved, project)
    panel, _controller = make()
    reopen(panel)
    assert not panel.button("resume").isEnabled()
    type_into_field(qtbot, panel.form.fields.box("seeds"), "3")
    assert panel.button("resume").isEnabled()
    type_into_field(qtbot, panel.form.fields.box("allowance"), "700")
    assert not panel.button("resume").isEnabled()


def test_another_event_is_refused_before_anything_is_run(
    make: Make, session: Session, project: Project, saved: Path, refusals: list[InputError]
) -> None:
    save_benchmark(saved, project, done=2)
    hotter = replace(project.fire_model, parameters={**project.fire_model.parameters, "p": 0.9})
    session.open_project(replace(project, fire_model=hotter), saved)
    execute = Contest()
    panel, _controller = make(execute)
    reopen(panel)
    panel.button("resume").click()
    assert not execute.specs
    assert "another event or fire model" in str(refusals[0])


# -- what lies there ---------------------------------------------------------------------------------------------------
def test_an_earlier_benchmark_is_opened_with_its_settings(make: Make, project: Project, saved: Path) -> None:
    save_benchmark(saved, project)
    panel, controller = make()
    assert panel.saved_list.itemText(0) == "Earlier benchmarks…"
    reopen(panel)
    assert panel.form.settings() == SMALL
    assert controller.shown is not None and controller.shown.table == table(SMALL)
    assert panel.pages.currentWidget() is panel.table
    assert "budget 40 drops" in panel.head.text() and "allowance 600" in panel.head.text()


def test_a_benchmark_with_a_damaged_row_is_refused(
    make: Make, project: Project, saved: Path, refusals: list[InputError]
) -> None:
    folder = save_benchmark(saved, project)
    (task_folder(folder, PlannerTask(P.NONE, 0)) / "row.json").write_text("{}")
    panel, controller = make()
    reopen(panel)
    assert controller.shown is None
    assert "row.json" in str(refusals[0])


# -- handing over ------------------------------------------------------------------------------------------------------
def test_the_export_copies_sheets_tables_and_figures_and_says_which(
    monkeypatch: pytest.MonkeyPatch, make: Make, session: Session, project: Project, saved: Path, tmp_path: Path
) -> None:
    folder, out = save_benchmark(saved, project), tmp_path / "out"
    (folder / "planner_convergence.png").write_bytes(b"picture")
    out.mkdir()
    (out / "rows.csv").write_text("an older one")
    panel, _controller = make()
    reopen(panel)
    said: list[str] = []
    session.message.connect(said.append)
    asked: list[str] = []
    answers = iter((False, True))

    def ask(_parent: QWidget, _title: str, text: str, _button: str) -> bool:
        asked.append(text)
        return next(answers)

    monkeypatch.setattr("firegui.gui.base.dialogs.confirm", ask)
    export_to(monkeypatch, panel, out)
    assert asked == [f"rows.csv already exists in {out}. Replace?"] and said == []
    assert [path.name for path in out.iterdir()] == ["rows.csv"] and (out / "rows.csv").read_text() == "an older one"
    export_to(monkeypatch, panel, out)
    names = {path.name for path in out.iterdir()}
    assert {"planner_benchmark.csv", "planner_benchmark.tex", "planner_convergence.png", "rows.csv", HEADER} <= names
    assert (out / "rows.csv").read_bytes() == (folder / "rows.csv").read_bytes()
    assert all(name in said[-1] for name in names) and str(out) in said[-1]
    assert not any(name.startswith(".") for name in names)


def test_the_table_is_copied_as_it_is_shown(qtbot: QtBot, make: Make) -> None:
    panel, controller = make()
    run(qtbot, panel, controller)
    panel.pages.setCurrentWidget(panel.table)
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert lines[0][:2] == ["Planner", "Drops"]
    assert [line[0] for line in lines[1:]] == ["Budgeted gradient", "Quick plan (by rule)", "No drops"]
    panel.pages.setCurrentWidget(panel.tasks_view)
    QTest.mouseClick(panel.button("copy"), LEFT)
    assert "Gradient (seed 1)" in QGuiApplication.clipboard().text()

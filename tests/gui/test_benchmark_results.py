"""Results of a benchmark: table with seeds, curves under the mouse, recommended planners, map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.analyses.task_files import task_folder
from firegui.domain.benchmark import BenchmarkTable, PlannerName, PlannerTask, joined_deployment, tasks_of
from firegui.domain.project import Project
from firegui.domain.results import Violations
from firegui.errors import InputError
from firegui.gui.analyses.benchmark.benchmark_charts import ConvergenceChart, ConvergenceLine, lines_of, pen_of
from firegui.gui.analyses.benchmark.benchmark_panel import BenchmarkPanel
from firegui.gui.analyses.benchmark.benchmark_tables import COLUMNS, BenchmarkModel, deployment_rows
from firegui.gui.analyses.benchmark.benchmark_text import notes
from firegui.gui.base.theme import current_colors
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.widgets.table_view import table_lines
from firegui.runs.spec import EvaluateSpec
from tests.gui.benchmark_scene import SMALL, made_panels, reopen, save_benchmark
from tests.gui.fake_benchmarks import row_of, table
from tests.gui.hands import LEFT
from tests.unit.domain.benchmark_samples import made_table, whole_table, with_stress

P = PlannerName
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def folder(project: Project, saved: Path) -> Path:
    """Return a finished benchmark in a saved project."""
    return save_benchmark(saved, project)


@pytest.fixture
def panel(qtbot: QtBot, session: Session, queue: RunQueue, folder: Path) -> Iterator[BenchmarkPanel]:
    for make in made_panels(qtbot, session, queue):
        made, _controller = make()
        reopen(made)
        yield made


Played = list[tuple[str, EvaluateSpec, str]]


@pytest.fixture
def played(queue: RunQueue, monkeypatch: pytest.MonkeyPatch) -> Played:
    """Return the list of requests to the map."""
    found: Played = []
    monkeypatch.setattr(
        queue, "show_evaluation", lambda asked: found.append((asked.title, asked.spec, asked.against))
    )  # fmt: skip
    return found


def titles(panel: BenchmarkPanel) -> list[str]:
    return [row[0] for row in list(table_lines(panel.table))[1:]]


def place_of(panel: BenchmarkPanel, text: str, above: str = "") -> QPoint:
    """Return the centre of a line's first cell, scrolled into view; ``above`` is the planner of a seed."""
    model = panel.table.model()
    tops = [model.index(row, 0) for row in range(model.rowCount())]
    found = next(top for top in tops if top.data() == (above or text))
    if above:
        found = next(
            seed for row in range(model.rowCount(found)) if (seed := model.index(row, 0, found)).data() == text
        )
    panel.table.scrollTo(found)
    return panel.table.visualRect(found).center()


def click(panel: BenchmarkPanel, text: str, above: str = "", *, ctrl: bool = False) -> None:
    keys = CTRL if ctrl else Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(panel.table.viewport(), LEFT, keys, place_of(panel, text, above))


# -- the table ---------------------------------------------------------------------------------------------------------
def test_a_line_has_mean_and_spread_over_the_seeds_and_the_best_comes_first(panel: BenchmarkPanel) -> None:
    headings, *lines = table_lines(panel.table)
    best = panel.conclusion
    assert best.isVisible() and best.text().startswith(f"Lowest objective: {lines[0][0]} (")
    rows = {line[0]: dict(zip(headings, line, strict=True)) for line in lines}
    assert list(rows) == ["Budgeted gradient", "Quick plan (by rule)", "No drops"]
    line = rows["Budgeted gradient"]
    assert line["Objective with penalty"] == "4.45 ± 0.13"
    assert line["Final size ha"] == "2,491 ± 6"
    index = panel.table.lines.index(0, 2)
    assert str(index.data(Qt.ItemDataRole.ToolTipRole)).endswith(" cells")
    assert (line["Drops"], line["Charged simulations"], line["Search dimension"]) == ("1,032", "600", "63,000")
    assert (line["Search step took / charged"], line["Rule violations"]) == ("2.05 / 3", "0")
    assert rows["No drops"]["Search step took / charged"] == "–"


def test_the_seeds_unfold_by_key_and_a_heading_sorts(qtbot: QtBot, panel: BenchmarkPanel) -> None:
    click(panel, "Budgeted gradient")
    QTest.keyClick(panel.table, Qt.Key.Key_Right)
    assert titles(panel)[:3] == ["Budgeted gradient", "seed 0", "seed 1"]
    header = panel.table.header()
    drops = QPoint(header.sectionViewportPosition(1) + 5, header.height() // 2)
    QTest.mouseClick(header.viewport(), LEFT, pos=drops)
    assert titles(panel)[0] == "No drops"
    QTest.mouseClick(header.viewport(), LEFT, pos=drops)
    assert titles(panel)[-1] == "No drops"


def test_more_of_a_benchmark_keeps_what_is_chosen_and_unfolded(panel: BenchmarkPanel, folder: Path) -> None:
    click(panel, "Budgeted gradient")
    QTest.keyClick(panel.table, Qt.Key.Key_Right)
    click(panel, "seed 1", "Budgeted gradient")
    panel.table.show_table(table(replace(SMALL, planners=(*SMALL.planners, P.GREEDY))), regions=True)
    assert "Greedy marginal benefit" in titles(panel) and "seed 1" in titles(panel)
    assert panel.table.best == (PlannerTask(P.GRADIENT, 1),)


def test_a_chosen_planner_that_gains_a_seed_stays_chosen_folded_and_where_it_is(panel: BenchmarkPanel) -> None:
    every = replace(SMALL, planners=tuple(P))
    panel.table.show_table(table(every, done=len(tasks_of(every)) - 1), regions=True)
    (last,) = (group for group in table(every).groups if group.planner is tasks_of(every)[-1].planner)
    panel.resize(1180, 320)
    click(panel, last.title)
    bar = panel.table.verticalScrollBar()
    for place in (bar.minimum(), bar.maximum()):
        bar.setValue(place)
        panel.table.show_table(table(every, done=len(tasks_of(every)) - 1), regions=True)
        panel.table.show_table(table(every), regions=True)
        assert bar.maximum() > 0 and bar.value() == place
        assert panel.table.all_chosen == {row.task for row in last.rows} and len(last.rows) == 2
        assert not any(title.startswith("seed") for title in titles(panel))


def test_a_seed_that_ends_joins_the_chosen_curves_of_its_planner(panel: BenchmarkPanel) -> None:
    shown = panel._controller.shown
    assert shown is not None
    panel._controller._show(replace(shown, table=table(SMALL, done=4)))
    click(panel, "Budgeted gradient")
    assert panel.curves.chart.highlighted == ("Gradient (seed 0)",)
    panel._controller._show(replace(shown, table=table(SMALL)))
    assert set(panel.curves.chart.highlighted) == {"Gradient (seed 0)", "Gradient (seed 1)"}
    assert [item.text() for item in panel.curves.names.selectedItems()] == ["Gradient"]


def test_without_regions_there_is_no_column_for_them(panel: BenchmarkPanel) -> None:
    assert "In regions ha" in next(table_lines(panel.table))
    panel.table.show_table(table(SMALL), regions=False)
    assert "In regions ha" not in next(table_lines(panel.table))


def test_a_violation_is_counted_over_the_seeds_and_stands_out() -> None:
    settings = replace(SMALL, planners=(P.TACTICAL,))
    rows = [row_of(task, settings, grounded=task.seed) for task in tasks_of(settings)]
    model = BenchmarkModel()
    model.show(BenchmarkTable(settings, tasks_of(settings), tuple(rows), 40))
    cell = model.index(0, len(COLUMNS) - 1)
    assert cell.data() == "1"
    assert "grounded 1" in cell.data(Qt.ItemDataRole.ToolTipRole)
    assert cell.data(Qt.ItemDataRole.ForegroundRole).name() == current_colors().error
    assert model.index(0, 0, model.index(0, 0)).siblingAtColumn(cell.column()).data() == "0"
    assert rows[0].violations == Violations(0, 0, 0)


# -- convergence -------------------------------------------------------------------------------------------------------
def test_searches_are_steps_to_their_end_and_fixed_costs_levels_across() -> None:
    found = table(SMALL)
    lines = {line.name: line for line in lines_of(found, {})}
    assert set(lines) == {"No drops", "Quick plan", "Gradient (seed 0)", "Gradient (seed 1)"}
    row = next(row for row in found.rows if row.task == PlannerTask(P.GRADIENT, 1))
    curve = lines["Gradient (seed 1)"]
    spent, best = row.curve[5]
    assert curve.at(spent) == best
    assert curve.at(spent - 0.5) == row.curve[4][1]
    assert (curve.x[-1], curve.at(600.0)) == (600.0, row.curve[-1][1])
    assert curve.at(601.0) is None
    tactical = [row.objective for row in found.rows if row.task.planner is P.TACTICAL]
    np.testing.assert_allclose(lines["Quick plan"].y, np.mean(tactical))
    assert lines["Quick plan"].is_level and tuple(lines["Quick plan"].x) == (1.0, 600.0)


def test_a_task_at_work_is_drawn_as_far_as_it_is() -> None:
    trail = {PlannerTask(P.GREEDY, 0): [(10, 9.0), (50, 7.0)]}
    (line,) = (line for line in lines_of(table(SMALL), trail) if line.planner is P.GREEDY)
    assert line.at(30.0) == 9.0
    assert line.at(50.0) == 7.0


def test_a_search_at_design_effectiveness_ends_with_a_diamond_at_its_nominal_score(
    qtbot: QtBot, panel: BenchmarkPanel
) -> None:
    found = table(replace(SMALL, planners=(P.NONE, P.GRADIENT, P.GRADIENT_DESIGN)))
    rows = tuple(replace(row, objective=row.objective + 1.0) for row in found.rows)
    panel.curves.show_table(replace(found, rows=rows), {})
    chart = panel.curves.chart
    scored = [row for row in rows if row.task.planner is P.GRADIENT_DESIGN]
    x, y = chart._diamonds.getOriginalDataset()
    assert list(zip(x, y, strict=True)) == [(row.evaluations, row.objective) for row in scored]
    assert "◆ score at expected effectiveness" in chart.legend.text()
    panel.curves.show_table(table(SMALL), {})
    assert chart._diamonds.getOriginalDataset()[0] is None or not len(chart._diamonds.getOriginalDataset()[0])
    assert "◆" not in chart.legend.text()


@pytest.mark.parametrize(
    ("planner", "matched", "style"),
    [
        (P.TACTICAL, False, Qt.PenStyle.DotLine), (P.TWO_STAGE, False, Qt.PenStyle.DotLine),
        (P.GRADIENT, False, Qt.PenStyle.SolidLine), (P.GRADIENT, True, Qt.PenStyle.DashLine),
        (P.GRADIENT_DESIGN, False, Qt.PenStyle.SolidLine),
    ],
)  # fmt: skip
def test_lines_look_on_the_screen_as_on_paper(planner: PlannerName, matched: bool, style: Qt.PenStyle) -> None:
    assert pen_of(planner, matched, current_colors()).style() is style


def spot_on(panel: BenchmarkPanel, line: ConvergenceLine, x: float) -> QPoint:
    """Return the position of a point of ``line`` in the chart's widget."""
    box, y = panel.curves.chart.item.vb, line.at(x)
    assert y is not None
    place = box.mapViewToScene(QPointF(float(np.log10(x)), float(np.log10(y))))
    spot: QPoint = panel.curves.chart.plot.mapFromScene(place)
    return spot


def move(panel: BenchmarkPanel, spot: QPoint) -> None:
    """Move the mouse to ``spot``. QTest.mouseMove would only set the cursor."""
    viewport, at, none = panel.curves.chart.plot.viewport(), QPointF(spot), Qt.MouseButton.NoButton
    where = QPointF(viewport.mapToGlobal(spot))
    QTest.qWait(30)  # A scene accepts only a limited number of moves per second.
    event = QMouseEvent(QEvent.Type.MouseMove, at, where, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(viewport, event)


def line_called(panel: BenchmarkPanel, name: str) -> ConvergenceLine:
    return next(line for line in panel.curves.chart.lines if line.name == name)


def show_curves(qtbot: QtBot, panel: BenchmarkPanel) -> None:
    panel.pages.setCurrentWidget(panel.curves)
    qtbot.waitUntil(lambda: panel.curves.chart.item.vb.width() > 200)
    QTest.qWait(50)


def test_the_curve_under_the_mouse_stands_out_and_is_read_out(qtbot: QtBot, panel: BenchmarkPanel) -> None:
    show_curves(qtbot, panel)
    chart = panel.curves.chart
    line = line_called(panel, "Gradient (seed 0)")
    move(panel, spot_on(panel, line, 500.0))
    qtbot.waitUntil(lambda: chart.highlighted == ("Gradient (seed 0)",))
    assert chart.legend.text().startswith("Gradient (seed 0): ")
    assert "ends at 4.35" in chart.legend.text()
    move(panel, spot_on(panel, line_called(panel, "Quick plan"), 500.0))
    qtbot.waitUntil(lambda: chart.highlighted == ("Quick plan",))


def test_a_click_on_a_curve_chooses_its_line_in_the_table_and_a_line_its_curve(
    qtbot: QtBot, panel: BenchmarkPanel
) -> None:
    show_curves(qtbot, panel)
    chart = panel.curves.chart
    spot = spot_on(panel, line_called(panel, "Gradient (seed 1)"), 500.0)
    move(panel, spot)
    QTest.mouseClick(chart.plot.viewport(), LEFT, pos=spot)
    qtbot.waitUntil(lambda: panel.table.best == (PlannerTask(P.GRADIENT, 1),))
    panel.pages.setCurrentWidget(panel.table)
    click(panel, "Quick plan (by rule)")
    assert set(chart.highlighted) >= {"Quick plan"}
    assert [item.text() for item in panel.curves.names.selectedItems()] == ["Quick plan"]


def test_a_name_beside_the_chart_chooses_all_of_its_seeds(qtbot: QtBot, panel: BenchmarkPanel) -> None:
    show_curves(qtbot, panel)
    names = panel.curves.names
    assert [names.item(k).text() for k in range(names.count())] == ["Gradient", "Quick plan", "No drops"]
    QTest.mouseClick(names.viewport(), LEFT, pos=names.visualItemRect(names.item(0)).center())
    assert set(panel.curves.chart.highlighted) == {"Gradient (seed 0)", "Gradient (seed 1)"}
    assert panel.table.all_chosen == {PlannerTask(P.GRADIENT, 0), PlannerTask(P.GRADIENT, 1)}


def test_both_axes_can_be_plain(qtbot: QtBot, panel: BenchmarkPanel) -> None:
    show_curves(qtbot, panel)
    chart = panel.curves.chart
    assert chart.item.vb.viewRect().right() < 4.0
    panel.curves.log.click()
    qtbot.waitUntil(lambda: chart.item.vb.viewRect().right() > 500.0)


# -- which planner, and what to bear in mind ---------------------------------------------------------------------------
def test_the_deployment_table_has_a_planner_for_every_time(panel: BenchmarkPanel) -> None:
    model = panel.deployment
    rows = [[str(model.index(row, k).data()) for k in range(model.columnCount())] for row in range(model.rowCount())]
    assert [row[0] for row in rows] == [row.decision for row in joined_deployment(table(SMALL))]
    assert len({row[2] for row in rows}) == len(rows)
    assert rows[0][2:] == ["Quick plan (by rule)", "5.2 s", "16.36 ± 1.39", "34.4 %"]
    assert rows[-1][1].endswith("no limit") and rows[-1][2] == "Budgeted gradient"


def test_a_time_for_which_nothing_is_fast_enough_says_so(panel: BenchmarkPanel) -> None:
    panel.deployment.set_rows(deployment_rows(table(replace(SMALL, planners=(P.GRADIENT,)))))
    assert panel.deployment.index(0, 2).data() == "none that was run takes so little"


def test_the_notes_say_what_is_missing_scored_charged_and_measured(panel: BenchmarkPanel, project: Project) -> None:
    text = panel.remarks.text()
    assert "scored at expected effectiveness (retardant 0.9, water 0.9)" in text
    assert "charged as 3 fire simulations" in text
    assert "processor seconds of one thread of this machine: a machine, 4 cores" in text
    assert "Incomplete" not in text
    partly = " ".join(notes(table(SMALL, done=3), None, project))
    assert "Incomplete: 3 of 5" in partly and "Budgeted gradient (seeds 0, 1)" in partly


def test_the_notes_name_unequal_effort_and_planners_that_found_no_drops(project: Project) -> None:
    assert "Effort is not equal" in " ".join(notes(whole_table(), None, project))
    made = made_table(P.NONE, P.GRADIENT)
    rows = (replace(row, metrics=replace(row.metrics, drops_executed=0)) for row in made.rows)
    text = " ".join(notes(replace(made, rows=tuple(rows)), None, project))
    assert "Effort is not equal" not in text
    assert "Found nothing better than no drops" in text and ": Budgeted gradient. " in text


# -- on the map --------------------------------------------------------------------------------------------------------
def test_a_double_click_shows_the_best_seed_of_a_line_on_the_map(
    qtbot: QtBot, panel: BenchmarkPanel, played: Played
) -> None:
    place = place_of(panel, "Budgeted gradient")
    QTest.mouseClick(panel.table.viewport(), LEFT, pos=place)
    QTest.mouseDClick(panel.table.viewport(), LEFT, pos=place)
    ((title, spec, against),) = played
    assert (title, against) == ("Gradient (seed 0)", "")
    assert spec.schedule is not None and spec.against is None
    assert spec.project.plan == panel._session.project.plan


def test_two_lines_are_compared_the_worse_in_place_of_no_drops(panel: BenchmarkPanel, played: Played) -> None:
    click(panel, "Budgeted gradient")
    assert panel.button("show").isEnabled() and not panel.button("compare").isEnabled()
    click(panel, "Quick plan (by rule)", ctrl=True)
    assert panel.button("compare").isEnabled() and not panel.button("show").isEnabled()
    QTest.mouseClick(panel.button("compare"), LEFT)
    ((title, spec, against),) = played
    assert (title, against) == ("Gradient (seed 0)", "Quick plan (seed 0)")
    assert spec.schedule is not None and spec.against is not None


def test_no_drops_can_be_shown_and_compared_with(panel: BenchmarkPanel, played: Played) -> None:
    click(panel, "No drops")
    QTest.mouseClick(panel.button("show"), LEFT)
    click(panel, "Quick plan (by rule)", ctrl=True)
    QTest.mouseClick(panel.button("compare"), LEFT)
    assert [(title, against) for title, _, against in played] == [("No drops", ""), ("Quick plan (seed 0)", "No drops")]
    assert played[0][1].schedule is None
    assert played[1][1].against is None


def test_a_plan_that_is_gone_is_refused(
    panel: BenchmarkPanel, folder: Path, played: Played, refusals: list[InputError]
) -> None:
    (task_folder(folder, PlannerTask(P.GRADIENT, 0)) / "plan.safetensors").unlink()
    click(panel, "Budgeted gradient")
    QTest.mouseClick(panel.button("show"), LEFT)
    assert not played
    assert "has no plan" in str(refusals[0])


@pytest.mark.parametrize(("low", "high"), [(18.05, 18.97), (0.55, 0.61), (300.0, 301.0), (0.5, 24.0), (1.0, 6000.0)])
def test_a_logarithmic_axis_has_numbers_however_little_is_in_view(qtbot: QtBot, low: float, high: float) -> None:
    chart = ConvergenceChart()
    qtbot.addWidget(chart)
    axis = chart.item.getAxis("left")
    axis.resize(50.0, 300.0)
    axis.setRange(float(np.log10(low)), float(np.log10(high)))
    ticks = axis.tickValues(*axis.range, 300.0)
    said = [text for spacing, values in ticks for text in axis.tickStrings(values, 1.0, spacing) if text]
    assert len(said) >= 2
    assert all(low <= float(text.replace(",", "")) <= high for text in said)


def test_the_worst_case_of_a_planner_stands_beside_its_objective_and_its_scenarios_in_the_tooltip() -> None:
    model, titles = BenchmarkModel(), [column.title for column in COLUMNS]
    model.show(with_stress(made_table(PlannerName.GRADIENT, PlannerName.NONE, seeds=2)))
    worst, plain = (model.index(row, titles.index("Worst case")) for row in (0, 1))
    assert worst.data() == "50.5 ± 0.7 % (late)"
    assert ": 25.5 ± 0.7 %" in str(worst.data(Qt.ItemDataRole.ToolTipRole))
    assert plain.data() == "–" and "not tested" in str(plain.data(Qt.ItemDataRole.ToolTipRole))

"""Story S1 of the fire model: quality of its forecast, in numbers, curves and maps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.domain.units import Units
from firegui.errors import InputError
from firegui.fire.skill import Skill
from firegui.gui.analyses.skill.skill_charts import METRICS
from firegui.gui.analyses.skill.skill_controller import SkillController
from firegui.gui.analyses.skill.skill_panel import FALSE, HIT, MISS, STALE, START, SkillPanel
from firegui.gui.analyses.skill.skill_table import conclusion_text, signed
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.widgets.table_model import EXPORT_ROLE
from firegui.gui.window.main_window import MainWindow
from tests.gui.hands import show_widget
from tests.gui.readouts import cursor_of
from tests.support import watched_project

DAYS = 4


@pytest.fixture
def project() -> Project:
    """Return a fire that grows by a cell a day; day 2 has no perimeter of its own."""
    return watched_project(DAYS, skipped=(2,))


@pytest.fixture
def controller(session: Session) -> Iterator[SkillController]:
    made = SkillController(session)
    yield made
    made.shutdown()
    made.deleteLater()


@pytest.fixture
def panel(qtbot: QtBot, session: Session, queue: RunQueue, controller: SkillController) -> SkillPanel:
    shown = SkillPanel(session, queue, controller)
    shown.start_requested.connect(shown.start)
    shown.fit_days.setValue(1)
    show_widget(qtbot, shown, 1100, 600)
    return shown


@pytest.fixture
def scored(qtbot: QtBot, panel: SkillPanel, controller: SkillController) -> SkillPanel:
    """Return the panel with the scores of the real engine."""
    score(qtbot, panel, controller)
    return panel


def score(qtbot: QtBot, panel: SkillPanel, controller: SkillController) -> None:
    panel.button("start").click()
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=120_000)
    assert controller.result is not None


def cell(table: QTableView, row: int, title: str) -> str:
    model = table.model()
    titles = [model.headerData(k, Qt.Orientation.Horizontal) for k in range(model.columnCount())]
    return str(model.data(model.index(row, titles.index(title))))


# -- scoring -----------------------------------------------------------------------------------------------------------
def test_before_anything_is_scored_the_dock_says_what_the_button_does(panel: SkillPanel) -> None:
    assert "from the perimeter of the first day" in panel.notes.text()
    assert panel.button("start").isEnabled()
    assert not panel.button("export").isEnabled()
    assert not panel.pages.isEnabled()


def test_the_button_scores_beside_the_window_and_fills_the_table(scored: SkillPanel) -> None:
    assert scored.model.rowCount() == DAYS
    assert [cell(scored.table, row, "Perimeter") for row in range(DAYS)] == ["20 Aug", "21 Aug", "22 Aug", "23 Aug"]
    assert 0.0 < float(cell(scored.table, 2, "Overlap (IoU)")) < 1.0
    assert float(cell(scored.table, 2, "Held")) == pytest.approx(16 / 64, abs=0.005)
    assert "Published" not in scored.model.titles


def test_areas_are_in_the_units_of_the_window_and_cells_in_tooltips(scored: SkillPanel, session: Session) -> None:
    observed = scored.model.titles.index("Observed ha")
    hectares = scored.model.index(0, observed).data(EXPORT_ROLE)
    session.set_units(Units.US)
    assert scored.model.titles[observed] == "Observed acres"
    assert scored.model.index(0, observed).data(EXPORT_ROLE) == pytest.approx(Units.US.area_value(hectares))
    tips = (
        scored.model.index(row, observed).data(Qt.ItemDataRole.ToolTipRole) for row in range(scored.model.rowCount())
    )
    assert any("in cells: " in tip for tip in tips)
    assert scored.day_text.text().endswith(" acres wrong")


def test_a_day_that_is_only_filled_forward_is_not_scored_and_that_is_said(scored: SkillPanel) -> None:
    assert cell(scored.table, 1, "Overlap (IoU)") == "–"
    assert "Not scored: day 2" in scored.notes.text()
    scored.show_day(2)
    assert scored.day_text.text() == "Day 2 · 21 Aug · perimeter filled forward, not scored"


def test_the_means_of_the_model_and_its_references_stand_beside_each_other(
    scored: SkillPanel, controller: SkillController
) -> None:
    assert controller.result is not None
    mean = controller.result.report.model.mean_iou(1, DAYS)
    for text in ("this model", "constant", "held", f"{mean:.2f}"):
        assert text in scored.summary.text()


def test_the_first_line_says_whether_the_model_is_better_than_no_forecast(
    scored: SkillPanel, controller: SkillController
) -> None:
    assert controller.result is not None
    report = controller.result.report
    said = scored.conclusion.text()
    assert scored.conclusion.isVisible() and "forecast and observed fire overlap by " in said
    skill = next(iter(report.model.days.values()))
    right = replace(skill, overlap=replace(skill.overlap, hits=10, likely=10, observed=10))
    wrong = replace(skill, overlap=replace(skill.overlap, hits=1, likely=10, observed=10))
    (held,) = (each for each in report.references if each.key == "held")

    def told(model: Skill, still: Skill) -> str:
        other = replace(held, days={2: still})
        return conclusion_text(replace(report, model=replace(report.model, days={2: model}), references=(other,)))

    assert told(right, wrong) == (
        "The fire model is better than no forecast: forecast and observed fire overlap by 100 % on day 2, a fire that "
        "does not grow by 5 %."
    )
    assert told(wrong, right).startswith("⚠ The fire model is no better than no forecast: ")


def test_days_and_fitted_days_are_those_asked_for(
    qtbot: QtBot, session: Session, panel: SkillPanel, controller: SkillController
) -> None:
    panel.days.setValue(3)
    panel.fit_days.setValue(2)
    score(qtbot, panel, controller)

    assert controller.result is not None
    assert (controller.result.report.days, controller.result.report.fit_days) == (3, 2)


def test_an_event_without_perimeters_cannot_be_scored_and_says_why(session: Session, panel: SkillPanel) -> None:
    event = session.project.scenario
    session.open_project(replace(session.project, scenario=replace(event, observed=None, observed_dates=())), None)

    assert not panel.button("start").isEnabled()
    assert "no observed perimeter on day 0" in panel.notes.text()
    assert panel.notes.property("role") == "warning"


def test_no_more_days_can_be_asked_for_than_there_are_maps(session: Session, panel: SkillPanel) -> None:
    assert (panel.days.maximum(), panel.days.value()) == (DAYS, DAYS)
    session.open_project(watched_project(2), None)
    assert (panel.days.maximum(), panel.days.value()) == (2, 2)


# -- staying true ------------------------------------------------------------------------------------------------------
def test_scores_of_another_fire_model_are_marked(
    session: Session, scored: SkillPanel, controller: SkillController
) -> None:
    session.set_regions("clear", ())
    assert not controller.is_stale
    session.edit("other model", replace(session.project, fire_model=replace(session.project.fire_model, label="x")))

    assert controller.is_stale
    assert scored.notes.text().startswith(STALE)
    session.undo_stack.undo()
    assert STALE not in scored.notes.text()


def test_another_project_begins_without_scores(session: Session, scored: SkillPanel) -> None:
    session.open_project(watched_project(2), None)

    assert scored.model.rowCount() == 0
    assert scored.chart.points("model") == {}
    assert scored.map.pixels(2) is None


# -- curves ------------------------------------------------------------------------------------------------------------
def test_the_curves_are_the_scores_with_the_fitted_days_shaded(scored: SkillPanel, controller: SkillController) -> None:
    assert controller.result is not None
    report = controller.result.report

    assert scored.chart.points("model") == {day: skill.iou for day, skill in report.model.days.items()}
    assert list(scored.chart.points("held")) == [1, 3, 4]
    assert scored.chart._fitted.isVisible() and scored.chart._fitted.getRegion() == (0.5, 1.5)
    assert scored.chart.points("published") == {}


def test_another_measure_can_be_drawn_and_the_area_beside_what_was_observed(scored: SkillPanel) -> None:
    titles = [metric.title for metric in METRICS]
    scored.measure.setCurrentIndex(titles.index("Overlap of new growth"))
    assert list(scored.chart.points("model")) == [3, 4]
    scored.measure.setCurrentIndex(titles.index("Area"))
    cell = scored._session.project.scenario.grid.cell_area_ha
    assert scored.chart.points("observed") == pytest.approx({1: 16 * cell, 3: 64 * cell, 4: 100 * cell})
    assert scored.chart.title.text().startswith("Area, ha")


def test_the_reliability_is_drawn_where_there_are_cells(scored: SkillPanel, controller: SkillController) -> None:
    assert controller.result is not None
    filled = [item for item in controller.result.report.reliability.bins if item.count]

    assert list(scored.diagram.points()) == pytest.approx([item.predicted for item in filled])
    assert len(scored.diagram.points(after=True)) > 0


def test_a_click_on_a_curve_or_a_row_shows_that_day(scored: SkillPanel) -> None:
    assert scored.day == DAYS
    scored.chart.clicked.emit(2.8)
    assert (scored.day, scored.slider.value(), cursor_of(scored.chart)) == (3, 3, 3.0)
    scored.table.selectRow(0)
    assert (scored.day, scored.slider.value()) == (1, 1)
    scored.slider.setValue(0)
    assert "the perimeter it starts from" in scored.day_text.text()
    assert not scored.table.selectionModel().hasSelection()


# -- maps --------------------------------------------------------------------------------------------------------------
def colors(panel: SkillPanel, column: int) -> dict[int, int]:
    pixels = panel.map.pixels(column)
    assert pixels is not None
    found, counts = np.unique(pixels, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def test_the_compared_map_counts_hits_misses_and_false_alarms(scored: SkillPanel, controller: SkillController) -> None:
    assert controller.result is not None
    overlap = controller.result.report.model.days[3].overlap
    scored.show_day(3)
    found = colors(scored, 2)
    counts = [found.get(QColor(color).rgba(), 0) for color in (START, HIT, MISS, FALSE)]

    assert counts[0] == 4
    assert counts[0] + counts[1] == overlap.hits
    assert counts[2] == overlap.observed - overlap.hits
    assert counts[3] == overlap.likely - overlap.hits
    assert sum(count for color, count in colors(scored, 1).items() if color) == overlap.observed


def test_the_three_maps_move_together(qtbot: QtBot, scored: SkillPanel) -> None:
    scored.pages.setCurrentIndex(2)
    qtbot.wait(50)
    before = scored.map.view[0]
    scored.map._panes[1].box.scaleBy((0.5, 0.5))
    first, second, third = scored.map.view

    assert first.width() < 0.7 * before.width()
    for other in (second, third):
        assert other.center().x() == pytest.approx(first.center().x(), abs=1.0)
        assert other.width() == pytest.approx(first.width(), rel=0.05)
    scored.map.fit()
    assert scored.map.view[0].width() == pytest.approx(before.width(), rel=0.05)


def test_the_whole_fire_is_in_view_at_first(qtbot: QtBot, scored: SkillPanel) -> None:
    scored.pages.setCurrentIndex(2)
    qtbot.wait(50)

    for view in scored.map.view:
        assert view.left() < 4 and view.right() > 15
        assert view.top() < 3 and view.bottom() > 13


# -- saving and the window ---------------------------------------------------------------------------------------------
def test_the_shown_scores_can_be_saved(scored: SkillPanel, tmp_path: Path) -> None:
    scored.save(tmp_path / "scores")

    assert (tmp_path / "scores" / "skill.csv").read_text().count("\n") == 10
    assert (tmp_path / "scores" / "skill-map.png").exists()


def test_a_place_that_cannot_be_written_is_refused(
    scored: SkillPanel, tmp_path: Path, refusals: list[InputError]
) -> None:
    (tmp_path / "file").write_text("mine")
    scored.save(tmp_path / "file")

    assert "cannot be written" in str(refusals[0])


def test_the_menu_scores_and_brings_the_dock_forward(qtbot: QtBot, window: MainWindow) -> None:
    window.workbench.actions["score"].trigger()
    qtbot.waitUntil(lambda: window.workbench.controller(SkillController).result is not None, timeout=20_000)
    qtbot.waitUntil(lambda: not window.workbench.controller(SkillController).is_busy)

    assert not window.workbench.panel("Skill", SkillPanel).settings.visibleRegion().isEmpty()
    assert window.workbench.panel("Skill", SkillPanel).model.rowCount() == DAYS


@pytest.mark.parametrize(("share", "text"), [(-0.004, "0 %"), (0.004, "0 %"), (0.126, "+13 %"), (-0.2, "-20 %")])
def test_an_area_that_is_right_has_no_sign(share: float, text: str) -> None:
    assert signed(share) == text


def test_the_key_of_the_map_names_the_outline_and_takes_a_second_line_in_a_small_dock(
    qtbot: QtBot, scored: SkillPanel
) -> None:
    scored.pages.setCurrentIndex(2)
    qtbot.waitUntil(lambda: scored.key.isVisible())
    assert "observed" in scored.key.text()
    wide = scored.key.height()
    scored.resize(560, 400)
    qtbot.waitUntil(lambda: scored.key.height() > wide)

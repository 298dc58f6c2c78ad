"""Margin dock: chart, table, and the plan of a point as a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.analyses.margin.results import read_curve, write_curve
from firegui.domain.margin_curve import CurvePlan
from firegui.domain.project import Project
from firegui.domain.settings import MarginSettings
from firegui.domain.stress import StressScenario, StressSet
from firegui.gui.analyses.margin.margin_controller import MarginController
from firegui.gui.analyses.margin.margin_panel import ABOVE, MarginPanel, conclusion_text
from firegui.gui.base.theme import COLORS, Theme
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.runs.events import MarginReady, Progress, StageBegan
from firegui.runs.runner import execute as run_execute
from firegui.runs.stages import EpochDone, RunState, Stage
from tests.gui.analyses.scene import MARGIN, FakeRun, write_header
from tests.gui.hands import LEFT, double_click, show_widget
from tests.unit.domain.margin_curves import margin_curve

PATIENCE = 120_000


@pytest.fixture
def shown(qtbot: QtBot, session: Session, queue: RunQueue, saved: Path, project: Project) -> Iterator[MarginPanel]:
    """Return a panel on screen that shows a finished curve with all four plans."""
    controller = MarginController(session)
    out = write_header(controller, project, saved, MARGIN)
    write_curve(out, margin_curve())
    panel = MarginPanel(session, queue, controller)
    show_widget(qtbot, panel, 1000, 320)
    controller.open(out)
    panel.pages.setCurrentWidget(panel.chart)
    panel.chart.update_axes()
    yield panel
    controller.shutdown()
    controller.deleteLater()


@pytest.fixture
def asked(queue: RunQueue, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the run folders that were requested to be shown."""
    folders: list[Path] = []
    monkeypatch.setattr(queue, "show_folder", folders.append)
    return folders


def texts(panel: MarginPanel, title: str) -> list[str]:
    column = panel.model.titles.index(title)
    return [str(panel.model.index(row, column).data()) for row in range(panel.model.rowCount())]


def on_chart(panel: MarginPanel, number: int) -> QPoint:
    """Return where the point of a plan is in the chart's view."""
    place: QPoint = panel.chart.plot.mapFromScene(panel.chart.place_of(panel.model.rows[number]))
    return place


def on_line(panel: MarginPanel, number: int) -> QPoint:
    return panel.table.visualRect(panel.model.index(number, 0)).center()


# -- the result --------------------------------------------------------------------------------------------------------
def test_the_table_has_a_line_for_each_plan_and_marks_shares_above_the_limit(shown: MarginPanel) -> None:
    titles = ("Margin", "Drops", "Volume m³", "Growth left model", "Worst scenario", "Time")
    assert tuple(shown.model.titles) == titles
    assert texts(shown, "Margin") == ["none", "design", "stress", "stress, replanned"]
    assert texts(shown, "Drops") == ["355", "502", "1,032", "914"]
    assert texts(shown, "Volume m³") == ["1,209", "1,710", "3,516", "–"]
    shares = [text.partition(" of the growth left in “")[0] for text in texts(shown, "Worst scenario")]
    assert shares == [f"{ABOVE}86 %", f"{ABOVE}41 %", "4.8 %", "2.1 %"]
    assert texts(shown, "Worst scenario")[-1] == "2.1 % of the growth left in “failures, repaired” (limit 5.0 %)"
    assert texts(shown, "Time")[0] == "1:00"
    assert "2 of 4 plans above the limit of 5.0 %" in shown.head.text()


def test_a_finished_curve_begins_with_its_answer(shown: MarginPanel) -> None:
    answer = "A plan that holds in every scenario needs 1,032 drops, 677 more than one without margin."
    assert shown.conclusion.text() == answer and shown.conclusion.isVisible()
    curve = margin_curve()
    text = conclusion_text(replace(curve, points=curve.points[:2]))
    assert text.startswith("⚠ No plan holds: even with 502 drops 41 % of the growth is left")


def test_the_panel_says_what_is_approximate_or_missing(shown: MarginPanel, saved: Path) -> None:
    assert "up to 8 draws a scenario" in shown.head.text()
    assert "up to 8 draws a scenario" in shown.approximate.text() and not shown.approximate.isVisible()
    shown.pages.setCurrentWidget(shown.notes_page)
    assert shown.approximate.isVisible()
    shown_folder = shown._shown_folder
    assert shown_folder is not None
    write_curve(shown_folder, margin_curve(replanned=False))
    shown._controller.open(shown_folder)
    assert "Stress margin, replanned every 12 h is missing: no such wind." in shown.approximate.text()
    assert shown.model.rowCount() == 3 and len(shown.chart.labels) == 3


def test_the_chart_has_every_plan_with_its_name_and_the_limit(shown: MarginPanel) -> None:
    assert shown.chart.labels == ["none", "design", "stress", "stress, replanned"]
    drops, left = shown.chart.curve_points(shown.chart._fixed)
    assert (drops.tolist(), left.tolist()) == ([355, 502, 1032], pytest.approx([86.0, 41.0, 4.8]))
    drops, _left = shown.chart.curve_points(shown.chart._replanned)
    assert drops.tolist() == [914.5]
    assert shown.chart.level == 5.0


@pytest.mark.parametrize("number", range(4))
def test_a_click_on_a_point_shows_its_plan_and_chooses_its_line(
    qtbot: QtBot, shown: MarginPanel, asked: list[Path], number: int
) -> None:
    view = shown.chart.plot.viewport()
    QTest.mouseMove(view, on_chart(shown, number))
    QTest.mouseClick(view, LEFT, pos=on_chart(shown, number))
    point = shown.model.rows[number]
    qtbot.waitUntil(lambda: len(asked) == 1)
    assert asked == [shown._shown_folder / point.folder]  # type: ignore[operator]
    assert asked[0].name == ("margin-none", "margin-design", "margin-stress", "margin-stress")[number]
    assert shown._selected == point
    assert shown.chart.curve_points(shown.chart._chosen)[0].tolist() == [point.drops]


def test_a_click_beside_the_points_shows_nothing(shown: MarginPanel, asked: list[Path]) -> None:
    view = shown.chart.plot.viewport()
    QTest.mouseClick(view, LEFT, pos=on_chart(shown, 0) + QPoint(40, 40))
    assert asked == []


def test_the_point_under_the_mouse_is_read_out(shown: MarginPanel) -> None:
    chart = shown.chart
    legend, place = chart.legend.text(), chart.place_of(shown.model.rows[1])
    assert legend.split(" · ") == [
        "worst share of the growth left, %", "as planned", "replanned, mean of the drops flown", "limit 5.0 %",
    ]  # fmt: skip
    chart.plot.scene().sigMouseMoved.emit(place)
    assert chart.legend.text() == "Cautious margin: 502 drops, 41 % of the growth left in “weak” (limit 5.0 %)"
    chart.plot.scene().sigMouseMoved.emit(place + QPointF(60.0, 30.0))
    assert chart.legend.text() == legend


@pytest.mark.parametrize("way", ["button", "double click", "enter"])
def test_a_line_shows_its_plan(shown: MarginPanel, asked: list[Path], way: str) -> None:
    assert not shown.button("show").isEnabled()
    shown.pages.setCurrentWidget(shown.table)
    viewport = shown.table.viewport()
    QTest.mouseClick(viewport, LEFT, pos=on_line(shown, 2))
    assert asked == [] and shown.button("show").isEnabled()
    match way:
        case "button":
            QTest.mouseClick(shown.button("show"), LEFT)
        case "double click":
            QTest.mouseDClick(viewport, LEFT, pos=on_line(shown, 2))
        case _:
            QTest.keyClick(shown.table, Qt.Key.Key_Return)
    assert [folder.name for folder in asked] == ["margin-stress"]


def test_the_names_follow_the_theme(shown: MarginPanel) -> None:
    for theme in (Theme.DARK, Theme.LIGHT):
        shown.chart.set_colors(COLORS[theme])
        assert shown.chart.labels == ["none", "design", "stress", "stress, replanned"]


# -- the run -----------------------------------------------------------------------------------------------------------
def test_progress_counts_the_plan_at_work(qtbot: QtBot, session: Session, queue: RunQueue, saved: Path) -> None:
    events = (
        Progress(2, 8, "Cautious margin: planning"),
        StageBegan(Stage.PRUNE, 2, 2, "pruning"),
        EpochDone(4, 10, 3, 1.0, 1.0, 0.1, 0.2, 0.3, 4, 5.0, 6.0),
    )
    run = FakeRun(lambda _spec: events, endless=True)
    controller = MarginController(session, execute=run)
    panel = MarginPanel(session, queue, controller)
    qtbot.addWidget(panel)
    controller.start(panel.form.request())
    qtbot.waitUntil(lambda: "step 5 of 10" in controller.activity, timeout=PATIENCE)
    assert controller.activity == "Cautious margin: planning… (3 of 8) · step 5 of 10"
    assert controller.share == pytest.approx((2 + 0.5 + 0.25) / 8)
    controller.shutdown()
    controller.deleteLater()


@pytest.mark.slow
def test_a_curve_is_made_and_the_plan_of_a_point_becomes_a_run(
    qtbot: QtBot, session: Session, queue: RunQueue, saved: Path, project: Project
) -> None:
    """Test the real runner, from the form to the run on screen."""
    stress = StressSet((StressScenario("fast", spread_factor=1.5), StressScenario("failing", failure_rate=0.3)))
    margin = MarginSettings(search_epochs=3, training_epochs=2, adapt_epochs=1, draws=2)
    plan = project.plan
    few = replace(
        plan, margin=margin, optimizer=replace(plan.optimizer, epochs=3),
        elimination=replace(plan.elimination, allowance=20),
    )  # fmt: skip
    session.edit("few", replace(project, stress=stress, plan=few))
    controller = MarginController(session, execute=run_execute)
    panel = MarginPanel(session, queue, controller)
    show_widget(qtbot, panel, 1000, 320)
    controller.start(panel.form.request())
    qtbot.waitUntil(lambda: not controller.is_busy, timeout=PATIENCE)
    assert texts(panel, "Margin") == ["none", "design", "stress", "stress, replanned"]
    assert [one.is_complete for one in controller.saved()] == [True]
    curve = read_curve(controller.saved()[0].folder)
    assert controller.curve == curve
    panel.pages.setCurrentWidget(panel.table)
    # Plans of few epochs may coincide in the chart.
    double_click(qtbot, panel.table, 2, 0)
    qtbot.waitUntil(lambda: queue.shown is not None and not queue.activity, timeout=PATIENCE)
    entry = queue.shown
    assert entry is not None and entry.folder == controller.saved()[0].folder / "margin-stress"
    assert entry in queue.entries and entry.state is RunState.FINISHED and not entry.stale
    assert session.result.folder == entry.folder
    controller.shutdown()
    controller.deleteLater()


def test_the_form_says_what_the_plans_are_made_with_and_refuses_what_cannot_be(
    shown: MarginPanel, session: Session
) -> None:
    plan = session.project.plan
    session.edit("limit", replace(session.project, plan=replace(plan, margin=replace(plan.margin, limit=0.123))))
    assert "limit (12 %)" in shown.about.text()
    assert shown.problems == ()
    only = StressSet((StressScenario("mended", failure_rate=0.1, repair_hours=24.0),))
    session.edit("only", replace(session.project, stress=only))
    assert "all are replanned" in shown.notes.text() and not shown.button("start").isEnabled()


def test_a_curve_grows_on_screen_and_keeps_the_chosen_line(
    qtbot: QtBot, session: Session, queue: RunQueue, saved: Path
) -> None:
    whole = margin_curve()
    first = replace(whole, points=whole.points[:1])
    run = FakeRun(lambda _spec: (MarginReady(first), Progress(2, 8, "x"), MarginReady(whole)), endless=True)
    controller = MarginController(session, execute=run)
    panel = MarginPanel(session, queue, controller)
    qtbot.addWidget(panel)
    controller.start(panel.form.request())
    qtbot.waitUntil(lambda: controller.curve == whole, timeout=PATIENCE)
    assert "4 of 4" not in panel.head.text() and [point.plan for point in panel.model.rows] == list(CurvePlan)
    controller.shutdown()
    controller.deleteLater()

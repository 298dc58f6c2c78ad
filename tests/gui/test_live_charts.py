"""Live charts: reading values, zooming, freezing and saving."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from firegui.errors import InputError
from firegui.gui.charts.chart import MOST_POINTS, Chart, decimate
from firegui.gui.charts.chart_export import save_chart, table_text
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.progress_panel import ProgressPanel
from firegui.runs.stages import Stage
from tests.gui.fake_runs import FakeExecute, epoch_done, wait_idle
from tests.gui.readouts import calls_of, cursor_of, drawn_points_of

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def execute(saved: Path) -> FakeExecute:
    return FakeExecute(epochs=20)


@pytest.fixture
def plots(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel) -> ProgressPanel:
    """Return the charts of a finished run."""
    plots.resize(1500, 260)
    queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    plots.refresh()
    return plots


@pytest.fixture
def entry(queue: RunQueue, plots: ProgressPanel) -> RunEntry:
    assert queue.shown is not None
    return queue.shown


def press(plots: ProgressPanel, text: str) -> None:
    (button,) = (each for each in plots.findChildren(QToolButton) if each.text() == text)
    QTest.mouseClick(button, LEFT)


def wheel(chart: Chart) -> None:
    viewport = chart.plot.viewport()
    at = QPointF(chart.item.vb.sceneBoundingRect().center())
    event = QWheelEvent(
        at, QPointF(viewport.mapToGlobal(at.toPoint())), QPoint(), QPoint(0, 360), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(viewport, event)


def test_every_number_of_the_run_has_a_chart(plots: ProgressPanel) -> None:
    names = [chart.title.text().split(" · ")[0] for chart in plots.epoch_charts]
    assert names == ["Objective", "Loss, weighted", "Drops", "Gradient", "Elapsed, s"]
    assert plots.elapsed.curve_points(0)[1] == pytest.approx([0.1 * k for k in range(1, 21)])


@pytest.mark.parametrize("width", [950, 1270])
def test_no_title_is_cut_in_the_room_of_a_small_window(plots: ProgressPanel, width: int) -> None:
    # The width of the drawer on a screen of 1920×1080 at 200 %, and in a window of 1280 pixels.
    plots.resize(width, 220)
    plots.refresh()
    QApplication.processEvents()
    for chart in (*plots.epoch_charts, plots.area):
        title = chart.title
        assert title.fontMetrics().horizontalAdvance(title.text()) <= title.width(), title.text()


def test_curves_can_be_drawn_against_time(plots: ProgressPanel) -> None:
    press(plots, "Time")
    assert plots.objective.curve_points(0)[0] == pytest.approx([0.1 * k for k in range(1, 21)])
    assert plots.objective.x_label == "seconds"
    press(plots, "Fire simulations")
    assert plots.objective.x_label == "fire simulations" and not plots.options.time
    press(plots, "Fire simulations")
    assert plots.objective.x_label == "search step"


def test_the_mouse_over_one_chart_reads_every_curve(plots: ProgressPanel) -> None:
    chart = plots.terms
    place = chart.item.vb.mapViewToScene(QPointF(10.0, 0.0))
    at = QPoint(round(place.x()), round(chart.item.vb.sceneBoundingRect().center().y()))
    QTest.mouseMove(chart.plot.viewport(), at)
    chart.plot.scene().sigMouseMoved.emit(QPointF(at))
    assert plots.objective.title.text() == "Objective, step 10"
    assert plots.terms.legend.text() == "burn 15.0 · final 10.0"
    assert plots.gradient.legend.text() == "0.500"
    assert plots.elapsed.legend.text() == "0:01"
    assert {cursor_of(each) for each in plots.epoch_charts} == {10.0}


def test_a_zoom_stays_while_epochs_come_until_auto_is_pressed(
    qtbot: QtBot, queue: RunQueue, plots: ProgressPanel, entry: RunEntry
) -> None:
    wheel(plots.objective)
    assert not plots.objective.is_fitted
    before = plots.objective.item.vb.viewRange()
    entry.add_epochs([epoch_done(k, 400) for k in range(20, 300)])
    queue.epochs_added.emit(entry)
    qtbot.waitUntil(lambda: len(plots.objective.curve_points(0)[0]) == 300)
    assert plots.objective.item.vb.viewRange() == before
    press(plots, "Follow")
    qtbot.waitUntil(lambda: plots.objective.item.vb.viewRange()[0][1] >= 300)


def test_frozen_charts_stand_still_and_catch_up(
    qtbot: QtBot, queue: RunQueue, plots: ProgressPanel, entry: RunEntry
) -> None:
    press(plots, "Hold charts")
    repaints = calls_of(plots.area, "refresh")
    entry.add_epochs([epoch_done(k, 400) for k in range(20, 60)])
    queue.epochs_added.emit(entry)
    done: list[bool] = []
    plots._throttle.timeout.connect(lambda: done.append(True))
    assert not plots._throttle.isActive() and not repaints
    assert len(plots.objective.curve_points(0)[0]) == 20
    press(plots, "Hold charts")
    assert len(plots.objective.curve_points(0)[0]) == 60


# -- long histories ----------------------------------------------------------------------------------------------------
def test_decimation_keeps_the_ends_and_every_extreme() -> None:
    x = np.arange(100_000.0)
    y = np.sin(x / 5000.0)
    y[[31_416, 77_777]] = 9.0, -9.0
    few_x, few_y = decimate(x, y)
    assert len(few_x) <= MOST_POINTS
    assert (few_x[0], few_x[-1]) == (x[0], x[-1])
    assert few_y[few_x == 31_416].tolist() == [9.0] and few_y[few_x == 77_777].tolist() == [-9.0]
    assert (np.diff(few_x) > 0).all()
    assert (y[few_x.astype(int)] == few_y).all()


def test_decimation_leaves_gaps_and_short_curves_alone() -> None:
    x = np.arange(50_000.0)
    y = np.ones(50_000)
    y[20_000:30_000] = np.nan
    few_x, few_y = decimate(x, y, 1000)
    inside = (few_x > 20_200) & (few_x < 29_800)
    assert inside.any() and np.isnan(few_y[inside]).all()
    assert np.isfinite(few_y[~((few_x >= 19_800) & (few_x <= 30_200))]).all()
    assert decimate(x[:10], y[:10], 1000)[0] is not None and len(decimate(x[:10], y[:10], 1000)[0]) == 10


def test_zooming_into_a_long_history_shows_every_epoch_there(qtbot: QtBot) -> None:
    chart = Chart("c", "epoch")
    qtbot.addWidget(chart)
    chart.resize(500, 200)
    chart.show()
    curve = chart.add_curve("accent", name="objective")
    chart.set_curve(curve, np.arange(100_000.0), np.random.default_rng(3).random(100_000))
    assert len(drawn_points_of(chart, curve)[0]) <= MOST_POINTS
    assert len(chart.curve_points(curve)[0]) == 100_000
    chart.item.vb.setRange(xRange=(50_000, 50_100), padding=0)
    qtbot.waitUntil(lambda: set(range(50_000, 50_101)) <= set(drawn_points_of(chart, curve)[0].astype(int).tolist()))
    chart.fit()
    x = drawn_points_of(chart, curve)[0]
    assert (x[0], x[-1]) == (0, 99_999)


# -- keeping -----------------------------------------------------------------------------------------------------------
def test_the_numbers_of_a_chart_are_those_in_view(plots: ProgressPanel, tmp_path: Path) -> None:
    save_chart(plots.terms, tmp_path / "all.csv")
    rows = list(csv.reader((tmp_path / "all.csv").read_text().splitlines()))
    # Setting A: the protected regions do not count, and their curve is hidden.
    assert rows[0] == ["search step", "burn", "final"]
    assert len(rows) == 21 and rows[1] == ["1", "15.0", "10.0"]
    plots.terms.item.vb.setRange(xRange=(4.5, 7.5), padding=0)
    assert [line.split(",")[0] for line in table_text(plots.terms).splitlines()[1:]] == ["5", "6", "7"]


def test_a_chart_is_kept_as_a_picture_and_as_a_drawing(plots: ProgressPanel, tmp_path: Path) -> None:
    save_chart(plots.objective, tmp_path / "o.png")
    picture = QImage(str(tmp_path / "o.png"))
    assert picture.size() == plots.objective.size() * plots.objective.devicePixelRatioF()
    save_chart(plots.objective, tmp_path / "o.svg")
    drawing = (tmp_path / "o.svg").read_text()
    assert "<svg" in drawing and "no drops" in drawing and "<path" in drawing
    with pytest.raises(InputError, match="no known kind"):
        save_chart(plots.objective, tmp_path / "o.doc")
    assert sorted(path.name for path in tmp_path.glob("o.*")) == ["o.png", "o.svg"]

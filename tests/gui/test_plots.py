"""The charts below the map."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.domain.film import Film
from firegui.domain.project import Project
from firegui.domain.results import Frames
from firegui.domain.values import ValueLayer
from firegui.gui.base.elided_label import ElidedLabel, Piece
from firegui.gui.base.number_text import duration, number
from firegui.gui.charts.chart import REPAINT_MS, Chart
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.progress_panel import FIRST, SECOND, ProgressPanel
from firegui.gui.planning.run_charts import ChartOptions, RunChart, area_curve
from firegui.gui.session.session import Session, ShownResult
from firegui.runs.stages import Stage
from tests.gui.fake_runs import FakeExecute, epoch_done, frames, metrics, wait_idle
from tests.gui.readouts import calls_of, cursor_of, level_text_of


@pytest.fixture
def execute(saved: Path) -> FakeExecute:
    return FakeExecute(epochs=8)


def run_to_end(qtbot: QtBot, queue: RunQueue) -> None:
    queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)


@pytest.fixture
def ended(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel) -> ProgressPanel:
    """Return the charts of a finished run."""
    run_to_end(qtbot, queue)
    plots.refresh()
    return plots


def test_the_curves_are_those_of_the_shown_run_and_the_fire_without_drops_is_a_level(ended: ProgressPanel) -> None:
    x, y = ended.objective.curve_points(1)
    assert x.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert y == pytest.approx([20 / k for k in range(1, 9)])
    assert ended.objective.title.text() == "Objective"
    assert ended.objective.legend.text() == "best 2.50 · now 2.50 · no drops 24.6 · step 8 of 8"
    assert ended.drops.legend.text() == "last step 7 · kept plan 3"
    assert ended.objective.level == pytest.approx(24.6)
    assert level_text_of(ended.objective) == "no drops"


def test_the_kept_plan_of_a_training_in_scenarios_is_named_and_the_axis_follows_the_curves(
    qtbot: QtBot, queue: RunQueue, ended: ProgressPanel
) -> None:
    entry, chart = queue.shown, ended.objective
    assert entry is not None
    entry.add_epochs([
        replace(epoch_done(8 + k), rollouts=24 + 12 * (k + 1), objective=2.5 - 0.01 * k, best=3.0) for k in range(92)
    ])  # fmt: skip
    ended.refresh()
    assert chart.legend.text().startswith("kept by scenarios 3.00 · now 1.59 · no drops 24.6")
    assert chart.marks == {9.0: "from here: kept by\nmean of scenarios"}
    # What is kept for another reason has a curve of its own: that of the best objective never rises.
    (best_steps, best), (steps, kept) = chart.curve_points(1), chart.curve_points(2)
    assert best_steps.tolist() == list(range(1, 9)) and steps.tolist() == list(range(9, 101))
    assert best[-1] == pytest.approx(2.5) and set(kept) == {3.0}
    chart.show_row(entry, ended.options, 3)
    assert chart.legend.text().startswith("best 5.00 · now 5.00")
    _, (low, high) = chart.item.vb.viewRange()
    assert 0.5 < low < 1.6 and 3.0 < high < 6.0
    assert chart.outside_text == "↑ no drops 24.6"
    ended.set_options(ChartOptions(log=True))
    _, (_, high) = chart.item.vb.viewRange()
    assert high >= np.log10(20.0)


def test_the_drops_of_the_last_step_and_of_the_kept_plan_are_told_apart(queue: RunQueue, ended: ProgressPanel) -> None:
    entry, chart = queue.shown, ended.drops
    assert entry is not None and entry.nominal is not None
    entry.reference, entry.nominal = None, replace(entry.nominal, drops_executed=688)
    last = round(float(entry.history.column("drops")[-1]))
    chart.show_row(entry, ended.options, None)
    assert chart.legend.text() == f"last step {last} · kept plan 688"
    chart.show_row(entry, ended.options, 2)
    assert chart.legend.text() == "2"
    # What was removed afterwards is not the search's.
    entry.reference = replace(entry.nominal, drops_executed=700)
    chart.show_row(entry, ended.options, None)
    assert chart.legend.text().endswith("kept plan 700")


def test_ten_thousand_epochs_do_not_repaint_ten_thousand_times(
    qtbot: QtBot, queue: RunQueue, plots: ProgressPanel
) -> None:
    run_to_end(qtbot, queue)
    entry = queue.shown
    assert entry is not None
    repaints = calls_of(plots.area, "refresh")
    for k in range(8, 10_008):
        entry.add_epochs([epoch_done(k, 20_000)])
        queue.epochs_added.emit(entry)
    qtbot.waitUntil(lambda: plots.objective.legend.text().endswith("step 10,008 of 20,000"))
    assert len(repaints) < 100


def test_a_chart_that_is_hidden_is_drawn_once_it_is_shown(
    qtbot: QtBot, queue: RunQueue, plots: ProgressPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, drawn = queue.plan(), list[RunChart]()
    wait_idle(qtbot, queue)
    plots.show_page(FIRST)
    plots.refresh()

    def show_run(chart: RunChart, *_: object) -> None:
        drawn.append(chart)

    monkeypatch.setattr(RunChart, "show_run", show_run)
    queue.epochs_added.emit(entry)
    qtbot.waitUntil(lambda: set(drawn) == set(plots.epoch_charts))
    plots.show_page(SECOND)
    assert set(plots.elimination_charts) <= set(drawn)
    qtbot.wait(2 * REPAINT_MS)
    plots.hide()
    drawn.clear()
    queue.epochs_added.emit(entry)
    qtbot.wait(2 * REPAINT_MS)
    assert drawn == []
    plots.show()
    qtbot.waitUntil(lambda: set(drawn) == set(plots.elimination_charts))


def test_another_run_starts_the_curves_afresh(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel) -> None:
    run_to_end(qtbot, queue)
    queue.show_baseline()
    qtbot.waitUntil(lambda: queue.shown is None and not queue.activity)
    plots.refresh()
    assert len(plots.objective.curve_points(0)[0]) == 0
    assert plots.objective.level is None


@pytest.mark.parametrize("is_held", [False, True])
def test_no_chart_keeps_the_curves_of_a_run_that_is_not_shown_any_more(
    qtbot: QtBot, queue: RunQueue, ended: ProgressPanel, is_held: bool
) -> None:
    assert all(len(chart.curve_points(0)[0]) for chart in ended.epoch_charts)
    ended.freeze_button.setChecked(is_held)
    queue.show_baseline()
    qtbot.waitUntil(lambda: queue.shown is None)
    # At once, before the charts are drawn one after the other.
    assert not any(len(chart.curve_points(0)[0]) for chart in ended.epoch_charts)


def test_a_chart_without_data_has_no_numbers_on_its_axes(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel) -> None:
    def numbered() -> tuple[bool, bool]:
        return tuple(plots.drops.item.getAxis(side).style["showValues"] for side in ("bottom", "left"))

    assert numbered() == (False, False)
    run_to_end(qtbot, queue)
    plots.refresh()
    assert numbered() == (True, True)
    queue.show_baseline()
    qtbot.waitUntil(lambda: queue.shown is None and not queue.activity)
    plots.refresh()
    assert numbered() == (False, False)


def test_terms_are_weighted_as_they_count_or_raw(ended: ProgressPanel) -> None:
    # Setting A: 50 burn + 50 final, and the protected regions do not count.
    assert ended.terms.curve_points(0)[1] == pytest.approx([50 * 0.3] * 8)
    assert ended.terms.legend.text() == "burn 15.0 · final 10.0"
    ended.set_options(replace(ended.options, weighted=False))
    assert ended.terms.curve_points(2)[1] == pytest.approx([0.1] * 8)
    assert ended.terms.legend.text() == "burn 0.300 · final 0.200 · protected 0.100"


def test_values_lost_are_a_term_of_a_project_that_has_values(queue: RunQueue, ended: ProgressPanel) -> None:
    entry = queue.entries[-1]
    assert entry.project is not None
    cells = np.ones(entry.project.scenario.grid.shape, np.float32)
    entry.project = replace(entry.project, values=(ValueLayer.of("homes", "", cells),))
    ended.set_options(replace(ended.options, weighted=False))
    assert ended.terms.legend.text().split(" · ")[-1].startswith("values lost ")
    ended.set_options(replace(ended.options, weighted=True))
    assert "values lost" not in ended.terms.legend.text(), "the goal does not count them"


def test_the_abscissa_can_count_rollouts(qtbot: QtBot, queue: RunQueue, plots: ProgressPanel) -> None:
    run_to_end(qtbot, queue)
    plots.set_options(ChartOptions(rollouts=True))
    assert plots.objective.curve_points(0)[0].tolist() == [3, 6, 9, 12, 15, 18, 21, 24]


def test_pointing_at_an_epoch_reads_it_out_on_every_chart(ended: ProgressPanel) -> None:
    ended.terms.hovered.emit(3.2)
    assert ended.objective.title.text() == "Objective, step 3"
    assert ended.objective.legend.text() == "best 6.67 · now 6.67 · no drops 24.6"
    assert ended.drops.title.text() == "Drops, step 3"
    assert cursor_of(ended.objective) == 3
    ended.terms.hovered.emit(None)
    assert ended.objective.title.text() == "Objective" and "step 8 of 8" in ended.objective.legend.text()


def test_a_view_that_a_person_chose_is_left_alone_until_it_is_asked_to_fit(qtbot: QtBot, plots: ProgressPanel) -> None:
    chart = plots.objective
    chart.item.vb.setRange(xRange=(2, 3), yRange=(0, 1), padding=0)
    chart.item.vb.sigRangeChangedManually.emit([True, True])
    assert plots.fit_button.isEnabled()
    chart.set_curve(0, np.arange(100), np.arange(100))
    assert chart.item.vb.viewRange() == [[2, 3], [0, 1]]
    plots.fit_button.click()
    assert chart.is_fitted
    assert not plots.fit_button.isEnabled()


def test_a_chart_that_goes_leaves_no_menu_behind(qapp: QApplication) -> None:
    before = set(qapp.topLevelWidgets())
    chart = Chart("Objective", "epoch")
    assert set(qapp.topLevelWidgets()) > before
    chart.deleteLater()
    for _turn in range(2):
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert set(qapp.topLevelWidgets()) <= before


def test_values_that_a_log_axis_cannot_show_leave_a_gap(qtbot: QtBot) -> None:
    chart = Chart("c", "x")
    qtbot.addWidget(chart)
    curve = chart.add_curve("accent")
    chart.set_log(True)
    chart.set_curve(curve, np.arange(3), np.array([1.0, 0.0, 100.0]))
    chart.set_level(0.0, "nothing")
    assert np.isnan(chart.curve_points(curve)[1][1])
    assert chart.level is None
    chart.set_level(10.0, "ten")
    assert chart.level == 10.0


# -- fire area ---------------------------------------------------------------------------------------------------------
def test_the_area_of_a_frame_is_the_sum_of_its_probabilities(project: Project) -> None:
    fire = np.zeros((3, 2, 2), np.uint8)
    fire[1] = 51
    fire[2] = 255
    steps, area = area_curve(Frames(5, Film.of(fire), Film.of(fire), Film.of(fire)), 8, 0.09)
    # The last frame is the state at the end, even if the stride does not divide the number of steps.
    assert steps.tolist() == [0, 5, 8]
    assert area == pytest.approx([0, 4 * 0.2 * 0.09, 4 * 0.09])


def test_the_area_chart_shows_both_fires_and_the_shown_day(
    session: Session, plots: ProgressPanel, project: Project
) -> None:
    session.show_result(ShownResult("r", frames(project, 6), metrics(), frames(project), metrics()))
    session.set_step(75)
    plots.refresh()
    days, with_plan = plots.area.curve_points(1)
    _, without = plots.area.curve_points(0)
    assert days[-1] == 4
    assert with_plan[0] == pytest.approx(16 * 0.09)
    assert without[0] == pytest.approx(36 * 0.09)
    assert cursor_of(plots.area) == 1.5
    assert plots.area.legend.text() == "plan 9.0 · no drops 9.0"
    # The fire of a run at work is larger than that of its result, so its number says why.
    session.show_result(replace(session.result, is_cautious=True))
    plots.refresh()
    assert plots.area.legend.text() == "plan (cautious effectiveness) 9.0 · no drops 9.0"


def test_a_click_on_the_area_chart_seeks(session: Session, plots: ProgressPanel) -> None:
    plots.area.clicked.emit(2.5)
    assert session.step == 125


# -- text --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (float("nan"), "–"), (0, "0"), (24.58, "24.6"), (2.412, "2.41"), (547, "547"), (14820.2, "14,820"),
     (0.0312, "0.0312"), (2.1e-5, "2.1e-05"), (-3.14159, "-3.14")],
)  # fmt: skip
def test_numbers_have_three_digits(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "–"), (0.4, "0:00"), (42, "0:42"), (725, "12:05"), (3723, "1:02:03"), (4e5, "4 days"),
     (1e11, "1,157,407 days")],
)  # fmt: skip
def test_durations_read_like_a_clock(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_a_piece_without_room_is_left_out_as_a_whole(qtbot: QtBot) -> None:
    label, other = ElidedLabel(), ElidedLabel()
    pieces = [Piece("kept 0.466", "accent"), Piece("no drops")]
    room = label.width_of(pieces[0].text) + 60
    for each, after in ((label, pieces[1]), (other, Piece("any text at all"))):
        qtbot.addWidget(each)
        each.setFixedSize(room, 20)
        each.set_pieces([pieces[0], after])
    assert label.width_of(pieces[1].text) > 40
    assert label.grab().toImage() == other.grab().toImage()


def test_a_line_without_room_has_everything_in_its_tooltip(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(30, 20)
    label.set_pieces([Piece("best 2.41", "accent"), Piece("current 2.50", "muted")])
    label.show()
    assert label.minimumSizeHint().width() < 40
    assert label.toolTip() == "best 2.41 · current 2.50"

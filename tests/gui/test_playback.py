"""Side-by-side playback: three linked maps on one scale, and what a step redraws."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.gui.map.layers.layer import RasterLayer
from firegui.gui.map.map_board import MapRenderer, best_columns, pixels_of
from firegui.gui.session.session import FireView, Session, ShownResult
from firegui.gui.window.main_window import MainWindow
from tests.gui.fake_runs import drop, frames, metrics
from tests.gui.readouts import view_buttons_of
from tests.gui.shell_scene import settle

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(autouse=True)
def result(qtbot: QtBot, session: Session, project: Project, window: MainWindow) -> None:
    """Return both fires, once the window's own computations have finished."""
    qtbot.waitUntil(lambda: not window.workbench.queue.activity)
    drops = (drop(3), drop(60, "water"), drop(61))
    session.show_result(ShownResult("run", frames(project, 12), metrics(), frames(project, 4), metrics(), drops))


@pytest.fixture
def together(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """Return the workbench with all three sides on screen."""
    QTest.mouseClick(view_buttons_of(window)[-1], LEFT)
    qtbot.waitUntil(lambda: all(pane.drawn_step >= 0 for pane in window.workbench.maps.panes))
    return window


def wheel(window: MainWindow, pane: int, place: QPoint, turn: int) -> None:
    viewport = window.workbench.maps.panes[pane].camera.viewport
    event = QWheelEvent(
        QPointF(place), QPointF(viewport.mapToGlobal(place)), QPoint(), QPoint(0, turn), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(viewport, event)


def test_a_button_shows_baseline_plan_and_difference_beside_each_other(together: MainWindow) -> None:
    captions = [pane.decorations.caption.title.split(" · ")[0] for pane in together.workbench.maps.panes]
    assert captions == ["No drops", "Plan", "Saved"]
    assert all(pane.isVisible() for pane in together.workbench.maps.panes)
    assert not together.workbench.map.isVisible()


def test_in_a_small_window_all_of_each_map_is_in_sight(qtbot: QtBot, together: MainWindow) -> None:
    together.resize(860, 700)
    qtbot.waitUntil(lambda: together.width() <= 900)
    board, panes = together.workbench.maps, together.workbench.maps.shown_maps
    edges = [(pane.x(), pane.x() + pane.width()) for pane in panes]
    assert edges[0][0] == 0 and edges[-1][1] <= board.width()
    assert all(before[1] <= after[0] for before, after in pairwise(edges))
    assert all(pane.width() < 300 for pane in panes)


def test_both_fires_are_on_one_fixed_scale(together: MainWindow) -> None:
    baseline, plan, _ = (pane.layers["occupancy"] for pane in together.workbench.maps.panes)
    assert isinstance(baseline, RasterLayer) and isinstance(plan, RasterLayer)
    assert (baseline.scale.rgba == plan.scale.rgba).all()
    assert (baseline.scale.low, baseline.scale.high) == (plan.scale.low, plan.scale.high) == ("0", "1")


def test_zooming_one_map_zooms_all_to_the_same_place(qtbot: QtBot, together: MainWindow) -> None:
    first, *others = together.workbench.maps.panes
    before = first.camera.pixels_per_cell
    wheel(together, 1, QPoint(60, 70), 240)
    qtbot.waitUntil(lambda: first.camera.pixels_per_cell > 1.2 * before)
    middle = first.camera.to_cell(QPointF(first.camera.viewport.rect().center()))
    for pane in others:
        assert pane.camera.pixels_per_cell == pytest.approx(first.camera.pixels_per_cell, rel=1e-5)
        assert pane.camera.to_cell(QPointF(pane.camera.viewport.rect().center())) == pytest.approx(middle, abs=0.6)


def test_space_plays_all_three(qtbot: QtBot, together: MainWindow) -> None:
    together.workbench.timeline.speed.setValue(30)
    QTest.keyClick(together, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: all(pane.drawn_step >= 30 for pane in together.workbench.maps.panes))
    QTest.keyClick(together, Qt.Key.Key_Space)
    assert not together.workbench.timeline.is_playing
    qtbot.waitUntil(
        lambda: {pane.drawn_step for pane in together.workbench.maps.panes} == {together.workbench.session.step}
    )


def test_between_side_panel_and_help_two_maps_stand_in_place_of_three_strips(
    qtbot: QtBot, together: MainWindow
) -> None:
    workbench = together.workbench
    together.resize(1280, 720)
    qtbot.waitUntil(lambda: len(workbench.maps.shown_maps) == 3)
    workbench.show_panel("Stress")
    workbench.show_panel("Help")
    qtbot.waitUntil(lambda: len(workbench.maps.shown_maps) == 2)
    settle()
    assert all(pane.isVisible() and pane.width() >= 200 for pane in workbench.maps.shown_maps)
    # A film still has all three.
    assert len(MapRenderer(workbench.session, workbench.maps)._maps) == 3
    workbench.shell.close_help()
    qtbot.waitUntil(lambda: len(workbench.maps.shown_maps) == 3)


@pytest.mark.parametrize(
    ("room", "shape", "columns"),
    [
        ((1500, 500), (200, 240), 3),
        ((980, 750), (200, 240), 2),
        ((980, 750), (200, 999), 1),
        ((700, 430), (200, 400), 3),
    ],
)
def test_maps_side_by_side_take_the_rows_in_which_they_are_largest(
    room: tuple[int, int], shape: tuple[int, int], columns: int
) -> None:
    assert best_columns(3, QSize(*room), shape) == columns


def test_in_a_high_window_the_third_map_stands_below_the_others(qtbot: QtBot, together: MainWindow) -> None:
    board = together.workbench.maps
    together.resize(1100, 1100)
    qtbot.waitUntil(lambda: board.panes[2].y() > 0)
    settle()
    first, second, third = board.panes
    assert third.x() == first.x() == 0 and first.y() == second.y() == 0 and third.y() >= first.height()
    for high in (1100, 1101):
        together.resize(1101, high)
        settle()
        assert len({(each.width(), each.height()) for each in board.panes}) == 1, "the same scale on all"
    together.resize(1500, 700)
    qtbot.waitUntil(lambda: board.panes[2].y() == 0)


def test_a_layer_that_is_hidden_is_hidden_on_all(together: MainWindow) -> None:
    together.workbench.map.layers.set_visible("graticule", False)
    together.workbench.map.layers.set_opacity("occupancy", 0.4)
    for pane in together.workbench.maps.panes:
        assert not pane.layers["graticule"].visible
        assert pane.layers["occupancy"].opacity == 0.4


def test_choosing_one_side_brings_the_one_map_back(together: MainWindow) -> None:
    QTest.mouseClick(view_buttons_of(together)[1], LEFT)
    assert together.workbench.map.isVisible() and not together.workbench.session.side_by_side
    assert together.workbench.session.view is FireView.PLAN


def test_a_key_for_a_side_leaves_the_three_too(together: MainWindow) -> None:
    together.workbench.session.set_view(together.workbench.session.view)
    assert not together.workbench.session.side_by_side


def test_what_is_selected_and_edited_on_one_of_the_three_is_so_everywhere(together: MainWindow) -> None:
    session = together.workbench.session
    mirror = together.workbench.maps.panes[0]._session
    mirror.select_region("R1")
    mirror.delete_region("R1")
    assert session.project.regions == ()
    session.undo_stack.undo()
    assert len(session.project.regions) == 1
    assert mirror.project is session.project


def test_without_a_plan_there_are_no_three(session: Session, project: Project, window: MainWindow) -> None:
    session.set_side_by_side(True)
    session.show_result(ShownResult("b", frames(project), metrics()))
    assert not session.side_by_side
    assert not view_buttons_of(window)[-1].isEnabled()
    session.set_side_by_side(True)
    assert not session.side_by_side


def test_a_map_nobody_sees_is_not_drawn_and_catches_up(qtbot: QtBot, together: MainWindow) -> None:
    before = together.workbench.map.drawn_step
    together.workbench.session.set_step(55)
    qtbot.waitUntil(lambda: together.workbench.maps.panes[0].drawn_step == 55)
    assert together.workbench.map.drawn_step == before
    together.workbench.session.set_view(FireView.PLAN)
    qtbot.waitUntil(lambda: together.workbench.map.drawn_step == 55)


def test_a_step_that_was_played_to_looks_like_one_that_was_sought(qtbot: QtBot, window: MainWindow) -> None:
    session = window.workbench.session
    session.set_view(FireView.PLAN)
    for step in range(40, 66, 5):
        session.set_step(step)
        window.workbench.map.snapshot()
    played = pixels_of(window.workbench.map.snapshot()).astype(int)
    session.set_step(199)
    window.workbench.map.snapshot()
    session.set_step(65)
    window.workbench.map.snapshot()
    sought = pixels_of(window.workbench.map.snapshot()).astype(int)
    # Drawn from a picture that grew, or at once: two shades of difference at most, by rounding.
    assert np.abs(played - sought).max() <= 2


def test_the_view_buttons_follow_what_there_is(
    qtbot: QtBot, window: MainWindow, session: Session, project: Project
) -> None:
    qtbot.waitUntil(lambda: not window.workbench.queue.activity)
    session.show_result(ShownResult())
    baseline, plan, saved, together = buttons = view_buttons_of(window)
    assert [button.isEnabled() for button in buttons] == [False] * 4
    session.show_result(ShownResult("r", baseline=frames(project)))
    assert [button.isEnabled() for button in buttons] == [True, False, False, False]
    session.show_result(ShownResult("r", baseline=frames(project), plan=frames(project)))
    saved.click()
    assert session.view is FireView.DIFFERENCE
    session.set_view(FireView.BASELINE)
    assert baseline.isChecked() and not saved.isChecked() and not plan.isChecked()
    together.click()
    assert session.side_by_side and together.isChecked()


def test_maps_side_by_side_show_the_whole_fire_and_time_scale_and_legends_once(
    qtbot: QtBot, window: MainWindow
) -> None:
    board = window.workbench.maps
    board.main.camera.zoom(6.0)
    zoomed = board.main.camera.pixels_per_cell
    QTest.mouseClick(view_buttons_of(window)[-1], LEFT)
    qtbot.waitUntil(lambda: all(pane.drawn_step >= 0 for pane in board.panes))
    rows, columns = window.workbench.session.project.scenario.grid.shape
    for pane in board.panes:
        corners = [pane.camera.to_point(*corner) for corner in ((0, 0), (rows, columns))]
        assert all(pane.camera.viewport.rect().contains(corner) for corner in corners)
    parts = [pane.decorations.parts for pane in board.panes]
    assert [each.time for each in parts] == [each.scale_bar for each in parts] == [True, False, False]
    assert [each.legend for each in parts] == [False, True, True] and sum(each.north for each in parts) == 1
    QTest.mouseClick(view_buttons_of(window)[1], LEFT)
    assert board.main.camera.pixels_per_cell == pytest.approx(zoomed)


def test_scale_bars_and_the_legend_keep_their_place_when_maps_side_by_side_are_resized(
    qtbot: QtBot, window: MainWindow
) -> None:
    workbench = window.workbench
    window.resize(1440, 900)
    workbench.session.set_side_by_side(True)
    board, legend = workbench.maps, workbench.shell.stage.cards["Legend"]
    qtbot.waitUntil(lambda: all(pane.drawn_step >= 0 for pane in board.panes))

    def foot(high: int) -> list[QImage]:
        """Return the lower edge of every map, where scale bar and colour scales are painted."""
        window.resize(1440, high)
        settle()
        for pane in board.panes:
            pane.flush()
            # The second painting takes what was kept of the first.
            pane.camera.viewport.grab()
            pane.camera.viewport.grab()
        pictures = [pane.camera.viewport.grab().toImage() for pane in board.panes]
        return [each.copy(0, each.height() - 60, each.width(), 60) for each in pictures]

    legend.close_button.click()
    before, scale = foot(700), board.panes[0].camera.pixels_per_cell
    low = foot(620)
    assert board.panes[0].camera.pixels_per_cell == pytest.approx(scale), "the maps are narrow: their scale stays"
    assert [one == other for one, other in zip(low, before, strict=True)] == [True] * 3
    workbench.shell.stage.show_card("Legend", on=True)
    settle()
    stage = workbench.shell.stage
    scales = {round(pane.camera.pixels_per_cell, 4) for pane in board.panes}
    rows, columns = workbench.session.project.scenario.grid.shape
    first = board.panes[0]
    grid = QRect(first.camera.to_point(0, 0), first.camera.to_point(rows, columns))
    assert len(scales) == 1 and stage.rect().contains(legend.geometry())
    assert not legend.geometry().intersects(grid.translated(first.mapTo(stage, QPoint()))), "the legend covers no map"

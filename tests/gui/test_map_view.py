"""Map widget: north up, playback, views, read-outs, keys, themes."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QTransform, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.film import Film
from firegui.domain.grid import Grid
from firegui.domain.model_range import OutsideTraining
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.units import FOOT_M, Units
from firegui.gui.base.theme import Theme, palette
from firegui.gui.map import map_view, readout
from firegui.gui.map.decorations import flow
from firegui.gui.map.items import Drawing, ScreenItem, map_font, text_width
from firegui.gui.map.layers.layer import MapLayer
from firegui.gui.map.map_content import CellLocation, MapState
from firegui.gui.map.map_view import STEP_MS, MapView
from firegui.gui.map.readout import SEPARATOR, probe_rows, wind_origin
from firegui.gui.session.plan_editor import EDITED
from firegui.gui.session.session import FireView, Session, ShownResult, Tool
from firegui.io.coordinates import CoordinateFormat
from tests.gui.map_scene import (
    MIDDLE,
    Hand,
    drop_at,
    growing,
    only,
    open_map,
    painted,
    placed_labels,
    repaint,
    undo_steps,
)


def show_fire(session: Session, hand: Hand, project: Project) -> None:
    """Show a baseline that spreads four columns a day and a plan that spreads one; only the fire is drawn."""
    session.show_result(ShownResult("run", baseline=growing(project, 4), plan=growing(project, 1)))
    only(hand.view, "extent", "occupancy", "difference")


# -- where things are ------------------------------------------------------------------------------------------------
def test_row_0_is_at_the_top_and_column_0_at_the_left(hand: Hand) -> None:
    north_west, south_east = hand.pixel((0.0, 0.0)), hand.pixel((40.0, 60.0))
    assert north_west.y() < south_east.y() and north_west.x() < south_east.x()


def test_a_fire_in_the_north_west_is_painted_there(session: Session, hand: Hand, project: Project) -> None:
    show_fire(session, hand, project)
    session.set_step(200)
    north_west, north_east = hand.color((2.5, 2.5)), hand.color((2.5, 50.5))
    south_west, south_east = hand.color((37.5, 2.5)), hand.color((37.5, 50.5))
    assert north_west != south_west
    assert north_east == south_west == south_east


def test_cells_are_square_at_every_size_of_the_window(hand: Hand) -> None:
    for size in ((900, 640), (500, 640), (1200, 400)):
        hand.view.resize(*size)
        QApplication.processEvents()
        right, down = hand.pixel((0.0, 50.0)) - hand.pixel((0.0, 0.0)), hand.pixel((40.0, 0.0)) - hand.pixel((0.0, 0.0))
        assert right.x() / 50 == pytest.approx(down.y() / 40, rel=0.01)


def test_the_whole_grid_stays_in_view_while_the_window_is_resized_until_someone_zooms(hand: Hand) -> None:
    hand.view.resize(500, 400)
    QApplication.processEvents()
    assert hand.viewport.rect().contains(hand.pixel((0, 0))) and hand.viewport.rect().contains(hand.pixel((40, 60)))
    hand.view.camera.zoom(3.0)
    scale = hand.view.camera.pixels_per_cell
    hand.view.resize(700, 500)
    QApplication.processEvents()
    assert not hand.viewport.rect().contains(hand.pixel((0, 0)))
    assert hand.view.camera.pixels_per_cell > 0.5 * scale


def test_dragging_with_the_hand_moves_the_map_with_the_mouse(session: Session, hand: Hand) -> None:
    pixel = hand.pixel((30.0, 40.0))
    hand.drag((30.0, 40.0), (20.0, 35.0))
    moved = hand.pixel((30.0, 40.0)) - pixel
    scale = hand.view.camera.pixels_per_cell
    assert moved.x() == pytest.approx(-5.0 * scale, abs=2) and moved.y() == pytest.approx(-10.0 * scale, abs=2)
    assert undo_steps(session) == 0


def test_the_middle_button_moves_the_map_with_every_tool(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.RECTANGLE)
    before = hand.pixel((30.0, 40.0))
    hand.drag((30.0, 40.0), (20.0, 35.0), button=MIDDLE)
    assert (hand.pixel((30.0, 40.0)) - before).manhattanLength() > 50
    assert len(session.project.regions) == 1


def test_the_wheel_zooms_about_the_mouse(hand: Hand) -> None:
    at = QPointF(hand.pixel((10.0, 15.0)))
    cell, scale = hand.view.camera.to_cell(at), hand.view.camera.pixels_per_cell
    event = QWheelEvent(
        at, hand.viewport.mapToGlobal(at), QPoint(), QPoint(0, 240), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(hand.viewport, event)
    assert hand.view.camera.pixels_per_cell > 1.4 * scale
    assert hand.view.camera.to_cell(at) == pytest.approx(cell, abs=0.1)


# -- keys ------------------------------------------------------------------------------------------------------------
def test_plus_and_minus_zoom_and_f_shows_everything_again(hand: Hand) -> None:
    scale = hand.view.camera.pixels_per_cell
    hand.key(Qt.Key.Key_Plus)
    assert hand.view.camera.pixels_per_cell == pytest.approx(1.5 * scale, rel=0.01)
    hand.key(Qt.Key.Key_Minus)
    hand.key(Qt.Key.Key_Minus)
    assert hand.view.camera.pixels_per_cell < scale
    hand.key(Qt.Key.Key_F)
    assert hand.view.camera.pixels_per_cell == pytest.approx(scale, rel=0.01)


class Window(QWidget):
    """Records the keys that the map leaves to it."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[int] = []

    def keyPressEvent(self, event: object) -> None:
        self.keys.append(event.key())  # type: ignore[attr-defined]


def test_the_keys_of_the_timeline_are_left_to_the_window(qtbot: QtBot, session: Session) -> None:
    window = Window()
    view = MapView(session)
    QVBoxLayout(window).addWidget(view)
    qtbot.addWidget(window)
    window.show()
    before = view.camera.to_cell(QPointF(50, 50))
    # Esc too, if there is nothing to cancel: the window selects the pan tool.
    keys = [Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Escape]
    for key in keys:
        QTest.keyClick(view.camera.widget, key)
    assert window.keys == keys
    assert view.camera.to_cell(QPointF(50, 50)) == before


# -- playback --------------------------------------------------------------------------------------------------------
def test_another_step_shows_another_fire(session: Session, hand: Hand, project: Project) -> None:
    show_fire(session, hand, project)
    session.set_view(FireView.BASELINE)
    ground = hand.color((10.5, 14.5))
    session.set_step(149)
    assert hand.color((10.5, 14.5)) == ground
    session.set_step(200)
    assert hand.color((10.5, 14.5)) != ground


def test_steps_are_repainted_by_the_timer_and_not_one_by_one(
    session: Session, hand: Hand, project: Project, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So long that the steps below are over before, on a busy machine as well.
    monkeypatch.setattr(map_view, "STEP_MS", 2_000)
    show_fire(session, hand, project)
    hand.view.flush()
    layer = hand.view.layers["occupancy"]
    drawn: list[int] = []
    paint = layer.draw
    layer.draw = lambda shown: (drawn.append(session.step), paint(shown))[1]  # type: ignore[method-assign, func-returns-value]
    for step in range(1, 100):
        session.set_step(step)
    assert drawn == []
    qtbot.waitUntil(lambda: bool(drawn))
    assert drawn == [99]


def paintings(view: MapView, *keys: str) -> list[str]:
    """Return a list that gets the key of a layer whenever the layer paints its content, and not its picture."""
    found: list[str] = []
    for key in keys:
        item = view.layers[key].item
        assert isinstance(item, ScreenItem)
        item._draw = partial(_note_and_draw, found, key, item._draw)
    return found


def _note_and_draw(
    found: list[str], key: str, draw: Drawing, painter: QPainter, transform: QTransform, visible: QRectF
) -> None:
    found.append(key)
    draw(painter, transform, visible)


def test_an_edit_of_the_plan_paints_no_layer_again_that_shows_nothing_of_it(session: Session, hand: Hand) -> None:
    repaint(hand)
    found = paintings(hand.view, "markers", "graticule", "wind", "regions", "zones", "pins")
    plan = session.project.plan
    session.set_plan("other seed", replace(plan, optimizer=replace(plan.optimizer, seed=plan.optimizer.seed + 1)))
    repaint(hand)
    assert found == []
    session.set_regions("delete all", ())
    repaint(hand)
    assert found == ["regions"]


def test_content_that_rested_is_painted_once_when_it_changes(session: Session, hand: Hand) -> None:
    repaint(hand, 3)
    found = paintings(hand.view, "regions")
    session.select_region(session.project.regions[0].name)
    repaint(hand, 3)
    assert found == ["regions"]


def test_a_step_asks_only_the_layers_that_follow_it_for_their_legend(
    session: Session, hand: Hand, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.show_result(ShownResult("run", baseline=growing(project, 4), plan=growing(project, 1)))
    hand.view.flush()
    asked: list[MapLayer] = []

    def missing(layer: MapLayer) -> str:
        asked.append(layer)
        return ""

    for kind in {type(layer) for layer in hand.view.layers}:
        monkeypatch.setattr(kind, "missing", missing)
    session.set_step(50)
    hand.view.layers.update()
    assert {layer.key for layer in asked} == {layer.key for layer in hand.view.layers if "step" in layer.follows}


def test_baseline_and_plan_have_the_same_colour_for_the_same_probability(
    session: Session, hand: Hand, project: Project
) -> None:
    show_fire(session, hand, project)
    session.set_step(200)
    plan = hand.color((10.5, 2.5))
    session.set_view(FireView.BASELINE)
    assert hand.color((10.5, 2.5)) == plan
    assert hand.color((10.5, 10.5)) == plan
    session.set_view(FireView.PLAN)
    assert hand.color((10.5, 10.5)) != plan


def test_the_difference_view_paints_only_what_the_plan_changed(session: Session, hand: Hand, project: Project) -> None:
    show_fire(session, hand, project)
    session.set_step(200)
    session.set_view(FireView.DIFFERENCE)
    ground = hand.color((37.5, 50.5))
    saved = hand.color((10.5, 10.5))
    assert hand.color((10.5, 2.5)) == ground
    assert saved.blue() > saved.red() + 40
    session.show_result(ShownResult("worse", baseline=growing(project, 1), plan=growing(project, 4)))
    worse = hand.color((10.5, 10.5))
    assert worse.red() > worse.blue() + 40


def test_probabilities_below_one_percent_are_not_painted(session: Session, hand: Hand, project: Project) -> None:
    frames = growing(project, 0)
    fire = frames.fire.whole()
    fire[:, 10, 10], fire[:, 10, 20] = 2, 5
    session.show_result(ShownResult("run", plan=replace(frames, fire=Film.of(fire))))
    only(hand.view, "extent", "occupancy")
    ground = hand.color((37.5, 50.5))
    assert hand.color((10.5, 10.5)) == ground
    assert hand.color((10.5, 20.5)) != ground


def test_frames_of_another_grid_are_not_shown(session: Session, hand: Hand, project: Project) -> None:
    frames = growing(project, 4)
    session.show_result(ShownResult("run", plan=replace(frames, fire=Film.of(frames.fire.whole()[:, :20]))))
    session.set_step(200)
    only(hand.view, "extent", "occupancy")
    assert hand.color((2.5, 2.5)) == hand.color((37.5, 50.5))


# -- words -----------------------------------------------------------------------------------------------------------
def hover(hand: Hand, qtbot: QtBot, place: tuple[float, float]) -> str:
    with qtbot.waitSignal(hand.view.hovered) as said:
        hand.move(place)
    return str(said.args[0])


def test_the_status_text_says_where_the_mouse_is_and_what_is_there(
    session: Session, hand: Hand, project: Project, qtbot: QtBot
) -> None:
    show_fire(session, hand, project)
    session.set_step(200)
    text = hover(hand, qtbot, (10.5, 2.5))
    assert "row 10 col 2" in text and "chance burned so far 1.00" in text
    # x = 75 m and y = 3 999 685 m of zone 10, which lies far west of it, in zone 9.
    assert text.startswith("36°00.804′ N 128°32.706′ W") and "540993" not in text
    session.drawing.set_coordinates(CoordinateFormat.UTM)
    assert hover(hand, qtbot, (11.5, 2.5)) and hover(hand, qtbot, (10.5, 2.5)).startswith("9S 540993 398553")
    # The wind of the scenario blows to 0.5 rad counter-clockwise from east: bearing 61°, so it comes from 241°.
    assert "wind 3.0 m/s from 241°" in text
    session.set_view(FireView.DIFFERENCE)
    assert "no drops − plan +1.00" in hover(hand, qtbot, (10.5, 12.5))


def test_the_status_text_follows_playback_under_a_still_mouse(
    session: Session, hand: Hand, project: Project, qtbot: QtBot
) -> None:
    show_fire(session, hand, project)
    assert "chance burned so far 0.00" in hover(hand, qtbot, (10.5, 2.5))
    with qtbot.waitSignal(hand.view.hovered) as said:
        session.set_step(200)
    assert "chance burned so far 1.00" in str(said.args[0])


def card_of(hand: Hand, place: tuple[float, float]) -> list[tuple[int, int]]:
    """Return pixels of the card above a drop, left of its text."""
    outline = hand.view.sketch.hovered
    assert outline is not None
    half = text_width(outline.text, map_font(9.0, bold=True)) / 2
    top = min(hand.view.camera.to_pixel(row, column).y() for row, column in outline.corners)
    middle = hand.view.camera.to_pixel(*place).x()
    return [(round(middle - half) - 4 + dx, round(top) - 14 + dy) for dx in range(2) for dy in range(6)]


def test_a_drop_under_the_mouse_is_named_and_marked(session: Session, hand: Hand, qtbot: QtBot) -> None:
    session.show_result(ShownResult(drops=(drop_at(20.0, 30.0, 0.0, step=10, material="water"),)))
    session.set_step(10)
    on, beside = (20.5, 30.5), (30.5, 30.5)
    plain = hand.view.snapshot()
    for tool in (Tool.PAN, Tool.PROBE, Tool.EDIT, Tool.DROP):
        session.set_tool(tool)
        text = hover(hand, qtbot, on)
        name, _, cell = text.partition(SEPARATOR)
        assert name == "S-2T-1 · 19 Aug 04:48 UTC-7 · water, 4,542 L" and "row 20 col 30" in cell
        assert hand.view.sketch.hovered is not None and hand.view.sketch.hovered.text == name
        assert "S-2T-1" not in hover(hand, qtbot, beside) and hand.view.sketch.hovered is None
    session.set_tool(Tool.PAN)
    hover(hand, qtbot, on)
    named = hand.view.snapshot()
    # The card below the name, which lies above the drop.
    changed = [named.pixel(x, y) != plain.pixel(x, y) for x, y in card_of(hand, (20.5, 30.5))]
    assert np.mean(changed) > 0.9
    # The name would hide the corners of a shape.
    session.set_tool(Tool.POLYGON)
    assert "S-2T-1" not in hover(hand, qtbot, on) and hand.view.sketch.hovered is None


def test_beside_the_grid_the_status_text_is_empty(hand: Hand, qtbot: QtBot) -> None:
    assert hover(hand, qtbot, (10.5, 2.5)) != ""
    assert hover(hand, qtbot, (10.5, -0.8)) == ""


def test_a_grid_without_a_place_is_read_out_in_rows_and_columns(
    session: Session, hand: Hand, project: Project, qtbot: QtBot
) -> None:
    session.open_project(replace(project, scenario=replace(project.scenario, grid=Grid(40, 60, 30.0))), None)
    hand.view.flush()
    text = hover(hand, qtbot, (10.5, 2.5))
    assert text.startswith("row 10 col 2") and "UTM" not in text
    assert hand.view.layers["graticule"].missing()


def test_captions_are_measured_once_for_what_is_shown(session: Session, hand: Hand) -> None:
    decorations = hand.view.decorations
    hand.view.flush()
    shown = decorations.caption_texts()
    assert decorations.boxes and decorations.caption_texts() is shown
    session.set_step(100)
    hand.view.flush()
    later = decorations.caption_texts()
    assert later is not shown and [text for text, *_ in later] != [text for text, *_ in shown]
    decorations.parts = replace(decorations.parts, time=False)
    assert decorations.caption_texts() is not later


@pytest.mark.parametrize("width", [420, 564, 900])
def test_some_meridian_is_labelled_however_narrow_the_map(hand: Hand, width: int) -> None:
    hand.view.resize(width, 440)
    hand.view.fit()
    hand.view.flush()
    labels = [label.text for _, label, _ in placed_labels(hand)]
    assert any(label.endswith("W") for label in labels)
    assert any(label.endswith("N") for label in labels)


@pytest.mark.parametrize(("psi", "bearing"), [(0.0, 270), (math.pi / 2, 180), (math.pi, 90), (-math.pi / 2, 0)])
def test_wind_is_told_by_where_it_comes_from(psi: float, bearing: int) -> None:
    assert wind_origin(psi) == bearing


def test_the_card_of_a_cell_has_one_row_for_the_slope_and_one_for_the_canopy(
    session: Session, project: Project
) -> None:
    values = {"slope": 10.0, "aspect": 122.0, "canopy_cover": 15.0, "canopy_height": 4.0, "canopy_base_height": 0.4}
    shape = project.scenario.grid.shape
    layers = {key: np.full(shape, value, np.float32) for key, value in values.items()}
    session.open_project(replace(project, scenario=replace(project.scenario, layers=layers)), None)
    shown = MapState.of(session)
    assert shown is not None
    rows = dict(probe_rows(shown, CellLocation(project.scenario.grid), (3, 4)))
    assert (rows["Slope, aspect"], rows["Canopy"]) == ("10 ° · 122°", "15 % · 4 m · 0.4 m")
    assert "Elevation" not in rows and "Fuel model" not in rows


def test_the_card_of_a_cell_names_the_regions_and_zones_that_it_lies_in(session: Session, project: Project) -> None:
    village, lake = (
        Region.rectangle(name, (0, 5), (0, 5), weight) for name, weight in (("Village", 1.0), ("Lake", 0.0))
    )
    camp = Region.rectangle("Camp", (4, 9), (0, 5))
    rules = replace(project.operations, no_drop_zones=(camp,))
    changed = replace(project, regions=(village, lake), operations=rules)
    plan = replace(changed.plan, weights=replace(changed.plan.weights, prot=10.0))
    session.open_project(replace(changed, plan=plan), None)
    shown = MapState.of(session)
    assert shown is not None
    place, names = CellLocation(project.scenario.grid), ("Protected region", "Region", "No-drop zone")

    def found(row: int) -> list[tuple[str, str]]:
        return [each for each in probe_rows(shown, place, (row, 4)) if each[0] in names]

    assert found(4) == [
        ("Protected region", "Village"), ("Region", "Lake (not in the goal)"), ("No-drop zone", "Camp"),
    ]  # fmt: skip
    assert found(5) == [("No-drop zone", "Camp")] and found(9) == []


def test_a_click_with_the_probe_pins_a_cell_and_escape_unpins_it(
    session: Session, hand: Hand, project: Project
) -> None:
    show_fire(session, hand, project)
    session.set_tool(Tool.PROBE)
    session.set_step(200)
    hand.click((10.6, 12.4))
    hand.view.flush()
    card = hand.view.card
    background = f"background: {hand.view.sketch.ink.card.name()};"
    assert background in card.styleSheet(), "names on the map do not shine through"
    assert card.isVisible() and hand.view.sketch.pin == (10, 12)
    assert "Chance burned so far, no drops 1.00" in card.text and "Chance burned so far, plan 0.00" in card.text
    assert "Elevation" in card.text and "Wind 3.0 m/s from 241°" in card.text
    session.set_step(0)
    hand.view.flush()
    assert "Chance burned so far, no drops 0.00" in card.text
    hand.key(Qt.Key.Key_Escape)
    hand.view.flush()
    assert not card.isVisible() and hand.view.sketch.pin is None


def test_the_card_of_a_pinned_cell_stays_inside_the_map(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.PROBE)
    for place in ((0.5, 0.5), (39.5, 59.5), (39.5, 0.5), (0.5, 59.5)):
        hand.click(place)
        hand.view.flush()
        assert hand.viewport.rect().contains(hand.view.card.geometry())


def test_the_title_says_day_time_and_that_a_result_is_stale(session: Session, hand: Hand, project: Project) -> None:
    session.show_result(ShownResult("run", plan=growing(project, 1), project=project))
    session.set_step(50)
    hand.view.flush()
    caption = hand.view.decorations.caption
    assert caption.title == "Plan · Day 2 · 20 Aug 2020 00:00 UTC-7"
    assert "filled forward" in caption.note
    session.set_plan("shorter", replace(session.project.plan, days=3))
    hand.view.flush()
    assert "days changed since" in hand.view.decorations.caption.note


def test_the_title_says_when_a_day_that_runs_past_midnight_began(
    session: Session, hand: Hand, project: Project
) -> None:
    start = project.scenario.start + timedelta(hours=6)
    morning = replace(project, scenario=replace(project.scenario, start=start))
    session.open_project(morning, None)
    session.show_result(ShownResult("run", plan=growing(morning, 1), project=morning))
    titles = []
    for step in (25, 45):
        session.set_step(step)
        hand.view.flush()
        titles.append(hand.view.decorations.caption.title)
    assert titles == ["Plan · Day 1 · 19 Aug 2020 18:00 UTC-7", "Plan · Day 1 (began 19 Aug) · 20 Aug 2020 03:36 UTC-7"]


def test_the_title_of_a_fire_without_drops_leaves_out_that_the_fleet_changed(
    session: Session, hand: Hand, project: Project
) -> None:
    run = ShownResult("run", growing(project, 2), plan=growing(project, 1), project=project)
    session.set_planned_fleet("fewer", replace(project.fleet, types=project.fleet.types[:1]))
    session.show_result(replace(run, stale=True))
    notes = []
    for view in (FireView.PLAN, FireView.BASELINE):
        session.set_view(view)
        hand.view.flush()
        notes.append("changed since" in hand.view.decorations.caption.note)
    assert notes == [True, False]
    session.set_plan("shorter", replace(session.project.plan, days=3))
    hand.view.flush()
    assert "days changed since" in hand.view.decorations.caption.note


def test_the_title_follows_the_step_before_the_next_paint(
    session: Session, hand: Hand, project: Project, qtbot: QtBot
) -> None:
    session.show_result(ShownResult("run", plan=growing(project, 1), project=project))
    hand.view.flush()
    qtbot.wait(2 * STEP_MS)
    session.set_step(50)
    assert hand.view.decorations.caption.title == "Plan · Day 2 · 20 Aug 2020 00:00 UTC-7"


def test_the_title_names_the_run_and_says_that_its_plan_was_edited(
    session: Session, hand: Hand, project: Project
) -> None:
    run = ShownResult("Whole fire", growing(project, 2), plan=growing(project, 1), folder=Path("run"))
    name = f"Whole fire, {EDITED}"
    edited = replace(run, title=name, plan_name=name, folder=None, by_hand=True)
    titles = []
    for result, view in (
        (run, FireView.PLAN), (run, FireView.DIFFERENCE), (edited, FireView.PLAN),
    ):  # fmt: skip
        session.show_result(result)
        session.set_view(view)
        hand.view.flush()
        titles.append(hand.view.decorations.caption.title.partition(" · ")[0])
    assert titles == ["Whole fire", "Saved by Whole fire", "Whole fire, edited by hand"]


def test_a_fire_outside_the_training_of_its_model_has_a_caution_that_mouse_and_keys_explain(
    session: Session, hand: Hand, project: Project, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, button, card = hand.view, hand.view.caution_button, hand.view.caution_card
    session.show_result(ShownResult("run", plan=growing(project, 1)))
    view.flush()
    assert view.decorations.caution_box.isEmpty() and button.isHidden()
    outside = OutsideTraining(("wind",), ("Winds reach 15 m/s, more than the model saw. " * 9,))
    monkeypatch.setattr(readout, "outside_training", lambda _project, _units: outside)
    session.set_step(session.step + 1)
    view.flush()
    assert view.decorations.caption.caution == "⚠ wind out of range"
    assert button.geometry() == view.decorations.caution_box.toAlignedRect() and card.isHidden()
    assert "Winds reach 15 m/s" in button.toolTip()
    assert button.accessibleName() == "Caution: wind out of range. Explain"
    place = view.decorations.caution_box
    view.resize(330, 300)
    view.flush()
    narrow, texts = view.decorations.caution_box, [text for text, *_ in view.decorations.caption_texts()]
    assert narrow.topLeft() == place.topLeft() and narrow.width() < place.width() and len(texts) <= 3
    assert texts[0] == "⚠", "the sign alone, where the words have no room beside the title"
    view.resize(900, 640)
    view.flush()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert card.isVisible() and card.text == outside.reasons[0].strip()
    assert not card.geometry().intersects(button.geometry()) and hand.viewport.rect().contains(card.geometry())
    hand.key(Qt.Key.Key_Escape)
    assert card.isHidden()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert card.isVisible()
    monkeypatch.setattr(readout, "outside_training", lambda _project, _units: None)
    session.set_step(session.step + 1)
    view.flush()
    assert card.isHidden() and button.isHidden()


def test_a_map_without_a_fire_says_so_or_what_is_computed(session: Session, hand: Hand) -> None:
    hand.view.flush()
    assert hand.view.decorations.caption.title.startswith("No result yet · Day 1")
    session.set_awaited("Computing the fire without drops…\nThe first time this can take a minute.")
    hand.view.flush()
    caption = hand.view.decorations.caption
    assert caption.title.startswith("Computing the fire without drops… · Day 1") and caption.note == ""


def test_a_title_that_is_longer_than_its_map_is_elided_in_its_middle(
    session: Session, hand: Hand, project: Project
) -> None:
    long = "Whole fire without any drop near the reservoir, 26 Nov 11:57, quick plan"
    session.show_result(ShownResult(long, plan=growing(project, 1), plan_name=long))
    hand.view.resize(330, 300)
    hand.view.flush()
    room = hand.viewport.width() - 60.0
    texts = [text for text, _font, _color in hand.view.decorations.caption_texts()]
    assert all(text_width(text, font) < room for text, font, _color in hand.view.decorations.caption_texts())
    assert texts[0].startswith("Whole fire") and texts[0].endswith("quick plan") and "…" in texts[0]


# -- looks -----------------------------------------------------------------------------------------------------------
def test_the_map_follows_the_palette_between_dark_and_light(hand: Hand) -> None:
    only(hand.view, "extent")
    hand.view.setPalette(palette(Theme.DARK))
    dark = hand.color((20.0, 30.0)).lightness()
    hand.view.setPalette(palette(Theme.LIGHT))
    assert dark < 80 and hand.color((20.0, 30.0)).lightness() > 200


def test_a_snapshot_has_the_size_of_the_map(hand: Hand) -> None:
    assert hand.view.snapshot().size() == hand.viewport.size()


def test_the_map_opens_without_a_project_and_ignores_the_mouse(qtbot: QtBot, project: Project) -> None:
    session = Session()
    hand = Hand(open_map(qtbot, session))
    for tool in Tool:
        session.set_tool(tool)
        hand.drag((0.2, 0.2), (0.5, 0.5))
        hand.key(Qt.Key.Key_Delete)
    assert not session.has_project
    session.open_project(project, None)
    hand.view.flush()
    assert hand.pixel((40.0, 60.0)).x() - hand.pixel((0.0, 0.0)).x() > 300


def test_the_scale_bar_has_the_length_it_says(hand: Hand) -> None:
    from firegui.gui.map.decorations import scale_bar

    for longest, text in ((130.0, "100 m"), (999.0, "500 m"), (2600.0, "2 km"), (50_000.0, "50 km"), (0.3, "0.2 m")):
        assert scale_bar(longest, Units.METRIC)[1] == text
    assert scale_bar(700.0, Units.US) == (2000.0 * FOOT_M, "2000 ft") and scale_bar(2600.0, Units.US)[1] == "1 mi"
    assert np.isfinite(hand.view.camera.pixels_per_cell)


def test_opening_another_project_drops_the_pin(session: Session, hand: Hand, project: Project) -> None:
    session.set_tool(Tool.PROBE)
    hand.click((10.6, 12.4))
    session.open_project(replace(project), None)
    hand.view.flush()
    assert hand.view.sketch.pin is None and not hand.view.card.isVisible()


def test_wind_is_painted_over_the_ground(hand: Hand) -> None:
    assert painted(hand.view, "wind").sum() > 200


@pytest.mark.parametrize(("room", "lines"), [(900.0, 1), (500.0, 2), (300.0, 3)])
def test_the_captions_go_below_each_other_before_they_reach_the_north_arrow(room: float, lines: int) -> None:
    widths = [260.0, 180.0, 150.0]
    places = flow(widths, room)
    assert len({top for _, top in places}) == lines
    assert all(left + width <= room for (left, _), width in zip(places, widths, strict=True))


def test_the_fitted_grid_is_large_near_the_centre_and_has_its_longitudes_in_a_row_below(hand: Hand) -> None:
    camera = hand.view.camera
    hand.view.resize(1040, 750)
    rows, columns = 50, 60
    camera.set_grid(rows, columns)
    camera.set_covered(QRect())
    free = camera.to_pixel(0, columns).x() - camera.to_pixel(0, 0).x()
    camera.set_covered(QRect(8, 248, 248, 450))
    left, right = camera.to_pixel(0, 0).x(), camera.to_pixel(0, columns).x()
    assert right - left > 0.95 * free, "beside the legend it would be a fifth smaller"
    assert abs((left + right) / 2 - 520) < 90
    part = QRectF(camera.to_pixel(0, 0), camera.to_pixel(rows, columns)) & QRectF(8, 248, 248, 450)
    assert part.width() * part.height() < 0.045 * (right - left) ** 2 * rows / columns
    assert camera.to_pixel(rows, 0).y() < 750 - 70, "the scales stand below the longitudes"

"""Layers and their list: visibility, opacity, what is missing, what the colours mean."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QCheckBox, QLabel, QSlider, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.fuel_groups import CUSTOM_COLOR, FUEL_GROUPS
from firegui.domain.project import Project
from firegui.domain.relief import hillshade_codes
from firegui.gui.map.items import edge_path, map_font, mask_path, text_width
from firegui.gui.map.layers.fire_layers import DifferenceLayer, EdgeLayer, ObservedLayer
from firegui.gui.map.layers.wind_layer import WindLayer
from firegui.gui.map.legends import sample_pixmap
from firegui.gui.map.map_colors import (
    ColorScale,
    burning_scale,
    change_scale,
    codes,
    comparison_scale,
    difference_codes,
    difference_scale,
    fire_scale,
    retardant_scale,
)
from firegui.gui.map.map_content import CellLocation, MapState
from firegui.gui.map.readout import probe_rows
from firegui.gui.scenario.layers_panel import LayersPanel
from firegui.gui.session.session import FireView, Session, ShownResult
from firegui.io.fuel_models_file import standard_fuel_models
from tests.gui.map_scene import Hand, drop_at, growing, only, painted


@pytest.fixture
def panel(qtbot: QtBot, hand: Hand) -> LayersPanel:
    made = LayersPanel(hand.view.layers)
    qtbot.addWidget(made)
    made.show()
    return made


def named(panel: QWidget, kind: type[QWidget], name: str) -> QWidget:
    return next(widget for widget in panel.findChildren(kind) if widget.accessibleName() == name)


def box(panel: QWidget, title: str) -> QCheckBox:
    found = named(panel, QCheckBox, f"Show {title}")
    assert isinstance(found, QCheckBox)
    return found


def slider(panel: QWidget, title: str) -> QSlider:
    found = named(panel, QSlider, f"Opacity of {title}, percent")
    assert isinstance(found, QSlider)
    return found


# -- the list --------------------------------------------------------------------------------------------------------
def test_a_check_box_hides_and_shows_its_layer(panel: LayersPanel, hand: Hand) -> None:
    assert painted(hand.view, "regions").any()
    box(panel, "Protected regions").click()
    assert not hand.view.layers["regions"].visible
    hidden = hand.color((2.0, 15.0))
    box(panel, "Protected regions").click()
    assert hand.color((2.0, 15.0)) != hidden


def test_the_slider_fades_its_layer(panel: LayersPanel, hand: Hand) -> None:
    only(hand.view, "extent", "hillshade")
    slider(panel, "Hillshade").setValue(0)
    flat = hand.view.snapshot()
    slider(panel, "Hillshade").setValue(100)
    assert hand.view.layers["hillshade"].opacity == 1.0
    assert hand.view.snapshot() != flat


def test_the_list_follows_changes_made_elsewhere(panel: LayersPanel, hand: Hand) -> None:
    hand.view.layers.set_visible("wind", False)
    hand.view.layers.set_opacity("occupancy", 0.25)
    assert not box(panel, "Wind").isChecked()
    assert slider(panel, "Chance burned so far").value() == 25


def test_every_control_has_a_name_and_a_tooltip(panel: LayersPanel, hand: Hand) -> None:
    controls = [*panel.findChildren(QCheckBox), *panel.findChildren(QSlider)]
    assert len(controls) == 2 * len(hand.view.layers.order) > 30
    assert all(control.accessibleName() and control.toolTip() for control in controls)
    assert "m/s" in box(panel, "Wind").toolTip()


def test_an_empty_layer_says_why(panel: LayersPanel, session: Session, project: Project, hand: Hand) -> None:
    assert "no canopy cover layer" in box(panel, "Canopy cover").toolTip()
    assert "no plan result yet" in box(panel, "Chance burned so far").toolTip()
    session.show_result(ShownResult("run", plan=growing(project, 1)))
    hand.view.flush()
    assert "no plan result" not in box(panel, "Chance burned so far").toolTip()
    assert "not part of the view" in box(panel, "Saved").toolTip() or "needs" in box(panel, "Saved").toolTip()


def texts(panel: LayersPanel) -> str:
    return "\n".join(label.text() for label in panel.findChildren(QLabel) if not label.isHidden())


def test_the_sign_of_the_edge_of_the_fire_is_seen_on_a_light_card(hand: Hand) -> None:
    entry = hand.view.layers["edge"].legend.entries[0]
    picture = sample_pixmap(entry).toImage()
    shades = [picture.pixelColor(picture.width() // 2, y) for y in range(picture.height())]
    opaque = [color.lightness() for color in shades if color.alpha() > 200]
    assert min(opaque) < 40 and max(opaque) > 100, "the colour of the edge on its dark casing"
    assert opaque[0] < 60 and opaque[-1] < 60, "the casing is on both sides"


def test_the_colour_scale_of_the_fire_is_on_the_map_and_not_once_more_in_the_legend(
    panel: LayersPanel, session: Session, project: Project, hand: Hand
) -> None:
    def scale() -> ColorScale:
        hand.view.flush()
        shown = hand.view.decorations.caption.scale
        assert shown is not None and shown.title not in texts(panel)
        return shown

    session.show_result(ShownResult("run", baseline=growing(project, 2), plan=growing(project, 1)))
    assert scale().title == "Chance burned so far"
    session.set_view(FireView.DIFFERENCE)
    assert (scale().low, scale().high) == ("more fire", "less fire")
    # All labels fit into the narrowest of three maps side by side, with the side panel.
    font = map_font(8.5)
    ends = sum(text_width(text, font) for text in (scale().low, scale().middle, scale().high))
    assert ends + 20.0 < 200
    saved = scale().rgba
    session.show_result(replace(session.result, against="Run 2, whole fire", plan_name="Run 5, regions"))
    assert scale().title == "Chance burned so far, Run 5 − Run 2"
    assert (scale().low, scale().high) == ("less fire with Run 5", "less fire with Run 2")
    ends = sum(text_width(text, font) for text in (scale().low, scale().middle, scale().high))
    assert ends + 20.0 < 280, "the names fit into a map alone"
    assert (scale().rgba == comparison_scale("Run 2", "Run 5").rgba).all()
    session.set_step(100)
    shown, layer = MapState.of(session), hand.view.layers["difference"]
    assert shown is not None and isinstance(layer, DifferenceLayer)
    drawn = layer.codes(shown)
    assert drawn is not None and drawn.min() < 127 and drawn.max() <= 128, "less fire with the second plan is negative"
    session.show_result(replace(session.result, against=""))
    assert (scale().rgba == saved).all()


# -- perimeter and wind ----------------------------------------------------------------------------------------------
def test_the_perimeter_of_a_gap_is_dashed_and_said_to_be_filled_forward(
    session: Session, hand: Hand, panel: LayersPanel
) -> None:
    layer = hand.view.layers["observed"]
    assert isinstance(layer, ObservedLayer)
    styles = []
    for day in range(3):
        session.set_step(50 * day)
        hand.view.flush()
        pen = layer._strokes.strokes[-1].pen
        styles.append((pen.style(), layer.filled_forward))
    solid, dashed = (Qt.PenStyle.SolidLine, False), (Qt.PenStyle.DashLine, True)
    assert styles == [solid, dashed, solid]
    session.set_step(50)
    hand.view.flush()
    assert "filled forward" in texts(panel)


def test_the_perimeter_grows_with_the_day(session: Session, hand: Hand) -> None:
    only(hand.view, "extent", "observed")
    first = np.count_nonzero(painted(hand.view, "observed"))
    session.set_step(100)
    assert np.count_nonzero(painted(hand.view, "observed")) > 1.5 * first


def test_wind_arrows_point_where_the_wind_blows_to(session: Session, hand: Hand) -> None:
    layer = hand.view.layers["wind"]
    assert isinstance(layer, WindLayer)
    arrows = layer.arrows(hand.view.camera.pixels_per_cell)
    assert arrows and all(direction == pytest.approx(0.5) for _, _, _, direction in arrows)
    assert all(0 < row < 40 and 0 < column < 60 for row, column, _, _ in arrows)
    # Zoomed in there are more of them per cell, so that their distance on screen stays about the same.
    assert len(layer.arrows(4 * hand.view.camera.pixels_per_cell)) > 8 * len(arrows)


def test_a_day_without_known_wind_has_no_arrows(session: Session, hand: Hand, project: Project) -> None:
    unknown = np.full_like(project.scenario.wind_speed, np.nan)
    session.open_project(replace(project, scenario=replace(project.scenario, wind_speed=unknown)), None)
    hand.view.flush()
    layer = hand.view.layers["wind"]
    assert isinstance(layer, WindLayer) and layer.arrows(10.0) == []
    assert not painted(hand.view, "wind").any()


def test_places_are_painted_where_they_are(session: Session, hand: Hand, project: Project) -> None:
    markers = (("village", "Berry Creek", ((30.0, 20.0),)), ("road", "Forest Road", ((5.0, 40.0), (35.0, 40.0))))
    session.open_project(replace(project, scenario=replace(project.scenario, markers=markers)), None)
    only(hand.view, "extent", "markers")
    ys, xs = np.nonzero(painted(hand.view, "markers"))
    village, road = hand.pixel((30.5, 20.5)), hand.pixel((10.5, 40.5))
    assert (np.hypot(ys - village.y(), xs - village.x()) < 3).any()
    assert (np.hypot(ys - road.y(), xs - road.x()) < 3).any()


def test_fuel_models_are_coloured_by_group(session: Session, hand: Hand, project: Project) -> None:
    fuel = np.full(project.scenario.grid.shape, 102.0, np.float32)
    fuel[:, 30:] = 98.0
    layers = {**project.scenario.layers, "fuel": fuel}
    session.open_project(replace(project, scenario=replace(project.scenario, layers=layers)), None)
    only(hand.view, "extent", "fuel")
    hand.view.layers.set_opacity("fuel", 1.0)
    expected = {group.name: QColor(group.color) for group in FUEL_GROUPS}
    assert hand.color((20.5, 10.5)) == expected["Grass (1–3, 101–109)"]
    assert hand.color((20.5, 50.5)) == expected["Water (98)"]
    # A custom model is shown and named as such as soon as the project has it.
    own = replace(standard_fuel_models()[0], code=102, name="MINE")
    session.edit("own", replace(session.project, fire_model=replace(project.fire_model, fuels=(own,))))
    assert hand.color((20.5, 10.5)) == QColor(CUSTOM_COLOR)
    assert hand.view.layers["fuel"].legend.entries[-1].label == "MINE (custom 102)"
    shown = MapState.of(session)
    assert shown is not None
    place = CellLocation(project.scenario.grid)
    assert dict(probe_rows(shown, place, (20, 10)))["Fuel model"] == "MINE (custom 102)"


# -- pieces ----------------------------------------------------------------------------------------------------------
def test_nothing_has_no_outline() -> None:
    assert mask_path(np.zeros((3, 3), bool)).isEmpty()


def test_a_slope_towards_the_north_west_is_lit_and_one_away_from_it_shaded() -> None:
    rows, columns = np.mgrid[0:20, 0:20].astype(np.float64)
    towards = hillshade_codes(5.0 * (rows + columns), 30.0)[10, 10]
    away = hillshade_codes(-5.0 * (rows + columns), 30.0)[10, 10]
    flat = hillshade_codes(np.zeros((20, 20)), 30.0)[10, 10]
    assert away < flat == 180 < towards


def test_relief_with_holes_has_no_warnings_and_no_holes() -> None:
    elevation = np.full((10, 10), 500.0)
    elevation[3, 3] = np.nan
    assert hillshade_codes(elevation, 30.0).shape == (10, 10)
    assert (hillshade_codes(np.full((10, 10), np.nan), 30.0) == 180).all()


def luminance(rgba: NDArray[np.uint8]) -> NDArray[np.float64]:
    return np.asarray(rgba[:, :3].astype(float) @ [0.2126, 0.7152, 0.0722])


def test_fire_scales_change_in_lightness_one_way() -> None:
    for scale in (fire_scale(), burning_scale()):
        steps = np.diff(luminance(scale.rgba)[::8])
        assert (steps > -0.5).all() or (steps < 0.5).all()
        assert scale.rgba[2, 3] == 0 and scale.rgba[5, 3] > 0 and scale.rgba[255, 3] == 255


def test_untreated_ground_has_no_retardant_colour() -> None:
    alpha = retardant_scale().rgba[:, 3]
    assert alpha[255] == 0 and (np.diff(alpha[:250].astype(int)) <= 0).all()


def test_equal_fires_differ_nowhere_and_the_scale_is_the_same_both_ways() -> None:
    alpha = difference_scale().rgba[:, 3]
    levels = np.arange(256, dtype=np.uint8)
    for scale in (difference_scale(), change_scale()):
        assert (scale.rgba[difference_codes(levels, levels), 3] == 0).all()
    all_of_it, nothing = np.full(1, 255, np.uint8), np.zeros(1, np.uint8)
    assert difference_codes(all_of_it, nothing)[0] == 255
    assert difference_codes(nothing, all_of_it)[0] == 0
    assert (np.abs(alpha[:128].astype(int) - alpha[128:][::-1].astype(int)) <= 2).all()


def test_codes_span_the_range_and_take_no_data_for_its_low_end() -> None:
    assert codes(np.array([0.0, 50.0, 100.0, 150.0, np.nan]), 0.0, 100.0).tolist() == [0, 128, 255, 255, 0]


def test_before_the_first_observation_there_is_no_perimeter_and_nothing_is_filled_forward(
    session: Session, hand: Hand, project: Project
) -> None:
    event = project.scenario
    later = replace(event, observed_dates=tuple(when + timedelta(days=2) for when in event.observed_dates))
    session.open_project(replace(project, scenario=later), None)
    assert not painted(hand.view, "observed").any()
    assert "filled forward" not in hand.view.decorations.caption.note


def test_the_edge_of_the_plans_fire_is_painted_over_its_drops(session: Session, hand: Hand, project: Project) -> None:
    only(hand.view, "extent", "drops", "edge")
    plan = growing(project, 4)
    row = project.scenario.grid.shape[0] // 4
    session.show_result(ShownResult(plan=plan, drops=(drop_at(row, 8.0, 0.0, step=100),)))
    session.set_step(100)
    hand.view.flush()
    layer = hand.view.layers["edge"]
    assert isinstance(layer, EdgeLayer)
    order = hand.view.layers.order
    assert order.index("edge") > order.index("drops") > order.index("occupancy")
    edge = layer.strokes.strokes[-1]
    assert edge.path.boundingRect() == mask_path(plan.fire.picture(plan.index_of_step(100)) >= 128).boundingRect()
    on_edge = hand.color((row + 0.5, 8.0))
    hand.view.layers.set_visible("drops", False)
    assert hand.color((row + 0.5, 8.0)) == on_edge, "no drop covers it"
    hand.view.layers.set_visible("edge", False)
    assert hand.color((row + 0.5, 8.0)) != on_edge
    hand.view.layers.set_visible("edge", True)
    session.set_step(0)
    hand.view.flush()
    assert layer.strokes.strokes[-1].path.isEmpty(), "it follows the shown time"
    session.set_step(100)
    session.set_view(FireView.BASELINE)
    assert not painted(hand.view, "edge").any()
    # In a comparison the first fire is that of a plan, too.
    session.show_result(ShownResult(baseline=plan, plan=growing(project, 2), against="Plan A"))
    session.set_step(100)
    hand.view.flush()
    assert painted(hand.view, "edge").any()
    first = mask_path(plan.fire.picture(plan.index_of_step(100)) >= 128).boundingRect()
    assert layer.strokes.strokes[-1].path.boundingRect() == first


def test_the_edge_of_a_mask_has_the_lines_of_its_rings() -> None:
    mask = np.random.default_rng(3).random((40, 60)) < 0.4
    mask[:, -1] = mask[0] = True
    lines, rings = edge_path(mask), mask_path(mask)
    assert lines.boundingRect() == rings.boundingRect()
    assert lines.length() == pytest.approx(rings.length())
    assert edge_path(np.zeros((5, 5), np.bool_)).isEmpty()

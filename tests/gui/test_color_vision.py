"""Colours that stand together stay apart for red-green blindness; what shares a colour has another shape."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.domain import plan_colors
from firegui.gui.analyses.stress.leak_map import leak_scale
from firegui.gui.base.theme import Theme, palette
from firegui.gui.map.legends import sample_pixmap, swatch_entry
from firegui.gui.map.map_colors import (
    EDGE_CASING,
    Ink,
    change_scale,
    comparison_scale,
    difference_scale,
    fire_scale,
    retardant_scale,
)
from firegui.gui.session.session import Session
from tests.gui.color_vision import distance
from tests.gui.contrast import of_colors, pixels
from tests.gui.map_scene import open_map

ENOUGH = 18.0
"""Distance in CIELAB at which two filled shapes side by side differ at a glance; about 2 is just noticeable."""


def ramp(scale_rgba: np.ndarray) -> list[QColor]:
    """Return five colours of a scale, from the first that is well visible to the last."""
    return [QColor(*map(int, scale_rgba[code, :3])) for code in (30, 90, 128, 190, 250)]


def pairs(ink: Ink) -> Iterator[tuple[str, QColor, QColor]]:
    """Yield what lies side by side or on one another on the map."""
    yield "retardant and water", ink.retardant, ink.water
    yield "retardant and a drop that is edited", ink.retardant, ink.text
    yield "water and a drop that is edited", ink.water, ink.text
    yield "region and no-drop zone", ink.region, ink.zone
    yield "region and observed perimeter", ink.region, ink.observed
    yield "zone and observed perimeter", ink.zone, ink.observed
    yield "region and pinned drop", ink.region, ink.text
    yield "region and retardant", ink.region, ink.retardant
    yield "region and water", ink.region, ink.water
    saved = QColor(*map(int, difference_scale().rgba[255, :3]))
    for name, color in (("retardant", ink.retardant), ("water", ink.water), ("region", ink.region)):
        yield f"{name} and saved", color, saved
    better = [QColor(*map(int, comparison_scale("one", "other").rgba[code, :3])) for code in (0, 255)]
    yield "the better of two plans", better[0], better[1]
    for color in better:
        yield "better plan and region", color, ink.region
        yield "better plan and land", color, ink.land
    # One drop changes the chance of fire by some tenths. Its colours are those of a change of 0.3.
    effect = [QColor(*map(int, change_scale().rgba[code, :3])) for code in (89, 166)]
    yield "more and less fire after an edit", effect[0], effect[1]
    for number, fire in enumerate(ramp(fire_scale().rgba)):
        yield f"more fire after an edit and fire {number}", effect[0], fire
        yield f"less fire after an edit and fire {number}", effect[1], fire
        yield f"line of a water drop and fire {number}", ink.water_line, fire
        yield f"first plan better and fire {number}", better[0], fire
        yield f"second plan better and fire {number}", better[1], fire
        yield f"observed perimeter and fire {number}", ink.observed, fire
        yield f"retardant and fire {number}", ink.retardant, fire
        yield f"water and fire {number}", ink.water, fire
        yield f"region and fire {number}", ink.region, fire
        yield f"saved and fire {number}", saved, fire
        yield f"treated fuel and fire {number}", QColor(*map(int, retardant_scale().rgba[0, :3])), fire
    for number, leak in enumerate(ramp(leak_scale().rgba)):
        for name in ("region", "land", "observed"):
            yield f"{name} and leak {number}", getattr(ink, name), leak


GROUNDS = {
    "dark relief": "#1b2b20",
    "light relief": "#e3ece4",
    "forest": "#3b5233",
    "soil": "#a98e68",
    "rock": "#8f8f8c",
}
"""What lies below drops and fire: the relief of both themes, and what aerial photographs show."""


@pytest.mark.parametrize("theme", list(Theme))
@pytest.mark.parametrize("ground", list(GROUNDS))
def test_drops_and_the_edge_of_the_fire_stand_out_from_every_ground(theme: Theme, ground: str) -> None:
    ink, below = Ink.of(palette(theme)), QColor(GROUNDS[ground])
    for line, casing in (
        (ink.retardant_line, ink.halo), (ink.water_line, ink.halo), (ink.edge, EDGE_CASING),
    ):  # fmt: skip
        solid = QColor(casing.rgb())
        assert max(distance(color, below)[0] for color in (line, solid)) > 2 * ENOUGH
        assert distance(line, solid)[0] > 2 * ENOUGH, "the line is seen on its casing"


@pytest.mark.parametrize(("theme", "ground"), [(Theme.DARK, "dark relief"), (Theme.LIGHT, "light relief")])
def test_footprints_are_as_strong_as_lines_of_drops_on_the_relief_of_their_theme(theme: Theme, ground: str) -> None:
    ink = Ink.of(palette(theme))
    assert of_colors(ink.retardant_line.name(), GROUNDS[ground]) > 3.0
    assert of_colors(ink.water_line.name(), GROUNDS[ground]) > 3.0


@pytest.mark.parametrize("theme", list(Theme))
def test_the_edge_of_the_fire_differs_from_what_it_is_painted_over(theme: Theme) -> None:
    ink = Ink.of(palette(theme))
    for name in ("retardant", "water", "retardant_line", "water_line", "region", "observed"):
        assert distance(ink.edge, getattr(ink, name))[0] > ENOUGH, name


def test_the_share_of_draws_that_leak_can_be_read_from_its_colour_and_is_not_violet() -> None:
    shades = ramp(leak_scale().rgba)
    assert distance(shades[0], shades[-1])[0] > 2 * ENOUGH
    for region in (plan_colors.REGION, plan_colors.REGION_ON_DARK):
        assert min(distance(shade, QColor(region))[0] for shade in shades) > 2 * ENOUGH


@pytest.mark.parametrize("theme", list(Theme))
def test_colours_of_the_map_that_stand_together_differ_for_red_green_blindness(theme: Theme) -> None:
    alike = {name: apart for name, one, other in pairs(Ink.of(palette(theme)))
             if (apart := distance(one, other))[0] < ENOUGH}  # fmt: skip
    assert alike == {}


def test_shades_of_aircraft_types_differ_between_materials_for_red_green_blindness() -> None:
    shades = product(plan_colors.RETARDANT_TYPES, plan_colors.WATER_TYPES)
    assert [pair for pair in shades if distance(*map(QColor, pair))[0] < ENOUGH] == []


def test_colours_that_only_hue_tells_apart_are_found() -> None:
    # Red and green of one lightness.
    apart, vision = distance(QColor("#c05050"), QColor("#4f8f30"))
    assert apart < ENOUGH
    assert vision in ("protanopia", "deuteranopia")


def test_black_and_white_differ_by_their_lightness_in_every_vision() -> None:
    assert distance(QColor("#000000"), QColor("#ffffff"))[0] == pytest.approx(100.0, abs=0.5)


def test_no_two_layers_have_the_same_swatch(qapp: QApplication, qtbot: QtBot, session: Session) -> None:
    view = open_map(qtbot, session)
    seen: dict[bytes, list[str]] = {}
    for layer in view.layers:
        if not layer.legend.scale:
            seen.setdefault(pixels(sample_pixmap(swatch_entry(layer)).toImage()).tobytes(), []).append(layer.key)
    assert [keys for keys in seen.values() if len(keys) > 1] == []


def test_the_two_materials_have_samples_of_different_shape(qtbot: QtBot, session: Session) -> None:
    view = open_map(qtbot, session)
    drops = next(layer for layer in view.layers if layer.key == "drops")
    one, other = (pixels(sample_pixmap(entry).toImage()) for entry in drops.legend.entries[:2])
    # The middle of a sample is filled for retardant and empty for water.
    middle = one.shape[0] // 2, one.shape[1] // 2
    assert one[middle].any()
    assert not other[middle].any()

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
from firegui.gui.base.theme import Theme, palette
from firegui.gui.map.legends import sample_pixmap, swatch_pixmap
from firegui.gui.map.map_colors import Ink, difference_scale, fire_scale, retardant_scale
from firegui.gui.session.session import Session
from tests.gui.color_vision import distance
from tests.gui.contrast import pixels
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
    for number, fire in enumerate(ramp(fire_scale().rgba)):
        yield f"observed perimeter and fire {number}", ink.observed, fire
        yield f"retardant and fire {number}", ink.retardant, fire
        yield f"water and fire {number}", ink.water, fire
        yield f"region and fire {number}", ink.region, fire
        yield f"saved and fire {number}", saved, fire
        yield f"treated fuel and fire {number}", QColor(*map(int, retardant_scale().rgba[0, :3])), fire


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
            seen.setdefault(pixels(swatch_pixmap(layer).toImage()).tobytes(), []).append(layer.key)
    assert [keys for keys in seen.values() if len(keys) > 1] == []


def test_the_two_materials_have_samples_of_different_shape(qtbot: QtBot, session: Session) -> None:
    view = open_map(qtbot, session)
    drops = next(layer for layer in view.layers if layer.key == "drops")
    one, other = (pixels(sample_pixmap(entry).toImage()) for entry in drops.legend.entries[:2])
    # The middle of a sample is filled for retardant and empty for water.
    middle = one.shape[0] // 2, one.shape[1] // 2
    assert one[middle].any()
    assert not other[middle].any()

"""Isochrones of the fire, and wind arrows coloured by speed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QSizeF
from PySide6.QtGui import QPainterPath, QPolygonF, QTransform

from firegui.gui.map.layers.isochrones_layer import IsochronesLayer, label_corners
from firegui.gui.map.layers.wind_layer import WindLayer
from firegui.gui.session.session import FireView, Session, ShownResult
from tests.gui.map_scene import Hand, growing, only, painted


def test_a_line_is_drawn_where_the_fire_has_arrived_after_each_interval(session: Session, hand: Hand) -> None:
    only(hand.view, "extent", "isochrones")
    session.show_result(ShownResult(baseline=growing(session.project, 5)))
    session.set_view(FireView.BASELINE)
    hand.view.flush()
    layer = hand.view.layers["isochrones"]
    assert isinstance(layer, IsochronesLayer)
    # A frame a day of 50 steps: the fire has five more columns each day.
    assert [path.boundingRect().right() for _, path in layer.lines] == [5.0, 10.0, 15.0, 20.0]
    assert [label.split()[0] for label, _ in layer.lines] == ["20", "21", "22", "23"]
    assert painted(hand.view, "isochrones").any()
    session.set_step(199)
    before = layer.lines
    hand.view.flush()
    assert layer.lines is before, "playing does not trace them again"


def test_interval_and_chance_are_properties_of_the_layer(session: Session, hand: Hand) -> None:
    hand.view.layers.set_visible("isochrones", True)
    frames = growing(session.project, 5, stride=25)
    session.show_result(ShownResult(baseline=replace(frames, fire=frames.burning)))
    session.set_view(FireView.BASELINE)
    layer = hand.view.layers["isochrones"]
    assert isinstance(layer, IsochronesLayer)
    hand.view.flush()
    assert not layer.lines, "its chance is below 50 % everywhere"
    hand.view.layers.set_option("isochrones", "chance", "0.1")
    assert len(layer.lines) == 4
    hand.view.layers.set_option("isochrones", "interval", "12")
    assert len(layer.lines) == 8 and "12 h" in layer.legend.entries[0].label


def test_the_labels_of_lines_one_in_the_other_are_spread_around_them() -> None:
    circle, size = QPainterPath(), QSizeF(40.0, 12.0)
    circle.addPolygon(QPolygonF([QPointF(100.0 * math.sin(a), -100.0 * math.cos(a)) for a in np.arange(0, 6.28, 0.05)]))
    wanted = (0.0, math.pi / 2.0, math.pi, -math.pi / 2.0)
    firsts = [label_corners(circle, QTransform(), direction, size)[0] for direction in wanted]
    middles = [(corner.x() + 20.0, corner.y() + 6.0) for corner in firsts]
    for (x, y), direction in zip(middles, wanted, strict=True):
        assert abs(math.remainder(math.atan2(x, -y) - direction, math.tau)) < 0.2
        assert math.hypot(x, y) == pytest.approx(100.0, abs=1.0)


def test_wind_arrows_have_the_colour_of_their_speed_and_can_be_denser(session: Session, hand: Hand) -> None:
    rows, columns = session.project.scenario.grid.shape
    speed = np.full((6, rows, columns), 1.0, np.float32)
    speed[:, :, 30:] = 9.0
    scenario = replace(session.project.scenario, wind_speed=speed)
    session.open_project(replace(session.project, scenario=scenario), None)
    only(hand.view, "extent", "wind")
    layer = hand.view.layers["wind"]
    assert isinstance(layer, WindLayer)
    assert len({entry.color.name() for entry in layer.legend.entries}) == 4
    hand.view.layers.set_opacity("wind", 1.0)
    image = hand.view.snapshot()
    seen = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    for number in (0, 3):
        wanted = layer.legend.entries[number].color
        assert any(
            max(abs(c.red() - wanted.red()), abs(c.green() - wanted.green()), abs(c.blue() - wanted.blue())) < 40
            for c in seen
        )
    few = len(layer.arrows(hand.view.camera.pixels_per_cell))
    hand.view.layers.set_option("wind", "density", "dense")
    assert len(layer.arrows(hand.view.camera.pixels_per_cell)) > 2 * few
    hand.view.layers.set_option("wind", "colors", "plain")
    assert len(layer.legend.entries) == 1

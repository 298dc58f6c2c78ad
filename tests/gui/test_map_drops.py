"""Drops as footprint ellipses: position, direction and day."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath
from PySide6.QtWidgets import QStyleOptionGraphicsItem
from pytestqt.qtbot import QtBot

from firegui.domain.schedule import DropRecord
from firegui.gui.map import items
from firegui.gui.map.items import Stroke, StrokesItem, around, cosmetic
from firegui.gui.map.layers.drop_layers import DROPS_SHOWN, THIS_DAY, UNTIL_NOW, WHOLE_PLAN, DropsLayer, Ellipses
from firegui.gui.map.map_content import MapState
from firegui.gui.session.session import FireView, Session, ShownResult, Tool
from tests.gui.contrast import of_colors
from tests.gui.map_scene import Hand, drop_at, only, painted, repaint


@pytest.fixture
def hand(hand: Hand) -> Hand:
    only(hand.view, "extent", "drops")
    return hand


def show(session: Session, *drops: DropRecord) -> None:
    """Show the drops at the step of the first day at which they land."""
    session.show_result(ShownResult(drops=drops))
    session.set_step(10)


def ink(hand: Hand) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Return ``(dy, dx)`` of the pixels of the drops layer around the landing point, in cells."""
    ys, xs = np.nonzero(painted(hand.view, "drops"))
    centre, scale = hand.view.camera.to_pixel(20.5, 30.5), hand.view.camera.pixels_per_cell
    return (ys + 0.5 - centre.y()) / scale, (xs + 0.5 - centre.x()) / scale


@pytest.mark.parametrize(
    ("theta", "east", "north"),
    [(0.0, 1.0, 0.0), (math.pi / 2, 0.0, 1.0), (math.pi / 4, 1.0, 1.0), (3 * math.pi / 4, -1.0, 1.0)],
    ids=["east-west", "north-south", "SW-NE", "SE-NW"],
)
def test_the_long_axis_lies_on_screen_as_theta_says(
    session: Session, hand: Hand, theta: float, east: float, north: float
) -> None:
    show(session, drop_at(20.0, 30.0, theta, long=5.0))
    dy, dx = ink(hand)
    axis = np.array([east, -north]) / math.hypot(east, north)
    along, across = dx * axis[0] + dy * axis[1], -dx * axis[1] + dy * axis[0]
    # Semi-axes are 2σ: ten cells and one, and the outline adds a pixel or two.
    assert np.abs(along).max() == pytest.approx(10.0, abs=0.5)
    assert np.abs(across).max() == pytest.approx(1.0, abs=0.5)


def test_the_ellipse_lies_around_the_landing_point_not_the_release_point(session: Session, hand: Hand) -> None:
    show(session, drop_at(20.0, 30.0, 0.0))
    dy, dx = ink(hand)
    assert (dy.min() + dy.max()) / 2 == pytest.approx(0.0, abs=0.15)
    assert (dx.min() + dx.max()) / 2 == pytest.approx(0.0, abs=0.15)


def test_proposals_that_the_gates_blocked_are_not_drawn(session: Session, hand: Hand) -> None:
    blocked = drop_at(20.0, 30.0, 0.0)
    object.__setattr__(blocked, "executed", False)
    show(session, blocked)
    assert not painted(hand.view, "drops").any()


def test_the_baseline_shows_no_drops(session: Session, hand: Hand) -> None:
    show(session, drop_at(20.0, 30.0, 0.0))
    session.set_view(FireView.BASELINE)
    assert not painted(hand.view, "drops").any()
    session.set_view(FireView.DIFFERENCE)
    assert painted(hand.view, "drops").any()


def test_a_drop_is_faint_before_its_step_strong_on_its_day_and_quiet_later(session: Session, hand: Hand) -> None:
    hand.view.layers.set_option("drops", DROPS_SHOWN, WHOLE_PLAN)
    session.show_result(ShownResult(drops=(drop_at(20.0, 30.0, 0.0, step=60),)))
    ground = hand.color((30.0, 55.0))
    seen = {}
    for name, step in (("later", 59), ("today", 60), ("earlier", 120)):
        session.set_step(step)
        # Between the middle and the edge: inside the footprint, but not on its long axis.
        color = hand.color((21.0, 30.5))
        seen[name] = abs(color.red() - ground.red()) + abs(color.green() - ground.green())
    assert seen["today"] > 60 and seen["later"] < 20 and seen["earlier"] < 20
    layer = hand.view.layers["drops"]
    assert isinstance(layer, DropsLayer)
    for step, filled in ((59, [True, False, False]), (60, [False, False, True]), (120, [False, True, False])):
        session.set_step(step)
        hand.view.flush()
        lines, today = ([stroke.path for stroke in item.strokes] for item in (layer.lines, layer.strokes))
        later, earlier = (lines[0], lines[-4]), (lines[4],)
        assert [any(not path.isEmpty() for path in group) for group in (later, earlier, today)] == filled


def test_drops_still_to_come_are_outlined_unless_they_are_to_be_hidden(session: Session, hand: Hand) -> None:
    session.show_result(ShownResult(drops=(drop_at(20.0, 30.0, 0.0, step=60), drop_at(10.0, 30.0, 0.0, step=20))))
    session.set_step(10)
    assert not painted(hand.view, "drops").any(), "neither of the same day nor of later days"
    assert "still to come" not in hand.view.layers["drops"].legend.note
    hand.view.layers.set_option("drops", DROPS_SHOWN, WHOLE_PLAN)
    assert painted(hand.view, "drops").any(), "a plan is seen from its first day on"
    assert "still to come" in hand.view.layers["drops"].legend.note


def test_one_choice_says_which_drops_are_shown_and_the_edit_tool_needs_all(session: Session, hand: Hand) -> None:
    drops = tuple(drop_at(20.0, 30.0, 0.0, step=step) for step in (10, 60, 90, 120))
    session.show_result(ShownResult(drops=drops))
    session.set_step(70)
    layer = hand.view.layers["drops"]
    assert isinstance(layer, DropsLayer)
    found = {}
    for value in (THIS_DAY, UNTIL_NOW, WHOLE_PLAN):
        hand.view.layers.set_option("drops", DROPS_SHOWN, value)
        hand.view.flush()
        drawn = [not stroke.path.isEmpty() for stroke in layer.lines.strokes[::4]]
        found[value] = [drop.step for drop in layer.seen()], drawn, layer.legend.note
    assert found == {
        THIS_DAY: ([60, 90], [False, False, True], "footprint: shown day · dotted: still to come"),
        UNTIL_NOW: ([10, 60], [False, True, False], "footprint: shown day · line: past day"),
        WHOLE_PLAN: (
            [10, 60, 90, 120], [True, True, True], "footprint: shown day · line: past day · dotted: still to come"
        ),
    }  # fmt: skip
    hand.view.layers.set_option("drops", DROPS_SHOWN, THIS_DAY)
    session.set_tool(Tool.DROP)
    assert layer.seen() == list(drops)


@pytest.mark.parametrize("view", [FireView.PLAN, FireView.DIFFERENCE])
def test_the_fire_and_what_is_saved_lie_above_past_drops(session: Session, hand: Hand, view: FireView) -> None:
    layers = hand.view.layers
    session.show_result(ShownResult(drops=(drop_at(20.0, 30.0, 0.0, step=10),)))
    session.set_view(view)
    session.set_step(199)
    hand.view.flush()
    layer, fire = layers["drops"], layers["occupancy" if view is FireView.PLAN else "difference"]
    assert isinstance(layer, DropsLayer) and layer.lines.strokes and not layer.strokes.strokes
    assert layer.lines.zValue() < fire.item.zValue() < layers["edge"].item.zValue()
    layers.move("drops", 3)
    assert layer.lines.zValue() < fire.item.zValue() < layer.strokes.zValue()
    layers.set_opacity("drops", 0.5)
    assert (layer.lines.opacity(), layer.strokes.opacity()) == (0.5, 0.5)
    layers.set_visible("drops", False)
    assert not layer.lines.isVisible() and not layer.strokes.isVisible()
    layers.set_visible("drops", True)
    session.set_tool(Tool.DROP)
    hand.view.flush()
    assert layer.strokes.strokes and not layer.lines.strokes, "a drop to aim at lies above the fire"


@pytest.mark.parametrize("step", [10, 100, 199], ids=["still to come", "shown day", "past"])
@pytest.mark.parametrize("ground", ["#20262b", "#f4efe6"])
def test_drops_stand_out_from_any_ground(session: Session, hand: Hand, step: int, ground: str) -> None:
    session.show_result(ShownResult(drops=(drop_at(20.0, 30.0, 0.0, step=100, long=5.0),)))
    hand.view.layers.set_option("drops", DROPS_SHOWN, WHOLE_PLAN)
    session.set_step(step)
    hand.view.flush()
    layer = hand.view.layers["drops"]
    assert isinstance(layer, DropsLayer)
    drawn = (*layer.lines.strokes, *layer.strokes.strokes)
    lines = [each for each in drawn if not each.path.isEmpty() and each.pen.style() is not Qt.PenStyle.NoPen]
    assert max(of_colors(line.pen.color().name(), ground) for line in lines) > 3.0
    casing, *_others, color = (
        line.pen.widthF() + 2.0 * max((math.hypot(*copy) for copy in line.copies), default=0.0) for line in lines
    )
    assert casing > color, "the casing shows on both sides of the line"


def test_past_drops_leave_the_fire_below_them_visible_and_can_be_hidden(session: Session, hand: Hand) -> None:
    session.show_result(ShownResult(drops=(drop_at(20.0, 30.0, 0.0, step=10),)))
    session.set_step(199)
    ground, inside, line = hand.color((30.0, 55.0)), hand.color((21.0, 30.5)), painted(hand.view, "drops")
    assert inside == ground, "a past drop is a line along its axis"
    assert line.any()
    hand.view.layers.set_option("drops", DROPS_SHOWN, THIS_DAY)
    assert not painted(hand.view, "drops").any()


def test_materials_have_their_own_colours(session: Session, hand: Hand) -> None:
    show(session, drop_at(10.0, 30.0, 0.0), drop_at(30.0, 30.0, 0.0, material="water"))
    retardant, water = hand.color((10.5, 30.5)), hand.color((30.5, 30.5))
    assert retardant.red() > retardant.green() and water.green() > water.red()


def test_ellipses_are_kept_in_order_of_step() -> None:
    ellipses = Ellipses.of([drop_at(1.0, 1.0, 0.0, step=9), drop_at(2.0, 2.0, 0.0, step=3)])
    assert ellipses.steps.tolist() == [3, 9]
    assert ellipses.between(0, 4).boundingRect().center().y() == pytest.approx(2.5)
    assert ellipses.between(4, 9).isEmpty()


def test_no_drops_make_no_ellipses() -> None:
    assert Ellipses.of([]).between(0, 100).isEmpty()


def test_four_thousand_drops_become_a_handful_of_paths(session: Session, hand: Hand) -> None:
    rng = np.random.default_rng(5)
    places = rng.uniform((0, 0, 0), (40, 60, math.pi), (4000, 3))
    drops = tuple(drop_at(y, x, theta, step=int(rng.integers(200))) for y, x, theta in places)
    hand.view.layers.set_option("drops", DROPS_SHOWN, WHOLE_PLAN)
    session.show_result(ShownResult(drops=drops))
    session.set_step(100)
    hand.view.flush()
    layer = hand.view.layers["drops"]
    assert isinstance(layer, DropsLayer)
    lines, paths = ([stroke.path for stroke in item.strokes] for item in (layer.lines, layer.strokes))
    assert len(lines) == 12 and len(paths) <= 6 * 50
    # 25 elements close an ellipse of the shown day, which is cased, filled and outlined. A line has two and is cased.
    ends = sum(path.elementCount() for path in lines) / 4
    assert ends + sum(path.elementCount() for path in paths[::3]) / 25 == 4000


def test_within_a_day_the_drops_of_other_days_are_not_made_again(session: Session, hand: Hand) -> None:
    hand.view.layers.set_option("drops", DROPS_SHOWN, WHOLE_PLAN)
    session.show_result(ShownResult(drops=tuple(drop_at(20.0, 30.0, 0.0, step=step) for step in (20, 60, 70, 120))))
    layer = hand.view.layers["drops"]
    assert isinstance(layer, DropsLayer)
    seen = []
    for step in (60, 70, 120):
        session.set_step(step)
        hand.view.flush()
        seen.append([id(stroke.path) for stroke in layer.lines.strokes[:8]])
    assert seen[0] == seen[1]
    assert not set(seen[1]) & set(seen[2])


def drawings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the number of strokes whenever those of past and shown day are drawn from now on."""
    found: list[int] = []

    def note(draw: Callable[..., None], strokes: Sequence[Stroke], painter: QPainter, first: int) -> None:
        # The edge of the grid is a stroke as well.
        found.extend([len(strokes)] if len(strokes) > 1 else [])
        draw(strokes, painter, first)

    monkeypatch.setattr(items, "_draw_from", partial(note, items._draw_from))
    return found


@pytest.fixture
def layer(hand: Hand) -> DropsLayer:
    found = hand.view.layers["drops"]
    assert isinstance(found, DropsLayer)
    return found


PLAN = drop_at(20.0, 30.0, 0.0), drop_at(24.0, 34.0, 1.0, step=55), drop_at(15.0, 25.0, 2.0, step=58)
"""A drop of the first day and two of the second."""


def test_the_pictures_of_a_new_plan_are_drawn_before_the_map_is_painted(
    session: Session, hand: Hand, layer: DropsLayer, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.set_step(60)
    repaint(hand, 1)
    found = drawings(monkeypatch)
    session.show_result(ShownResult(drops=PLAN))
    qtbot.waitUntil(lambda: bool(layer.lines.strokes))
    hand.viewport.repaint()
    assert found == [8, 6]
    shown = hand.viewport.grab().toImage()
    for item in (layer.lines, layer.strokes):
        item._still_picture.forget()
        item._growing_picture.forget()
    assert hand.viewport.grab().toImage() == shown
    assert found == [8, 6, 8, 6]


def test_a_map_that_moved_is_not_painted_from_pictures_drawn_before(
    session: Session, hand: Hand, layer: DropsLayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.set_step(60)
    repaint(hand, 1)
    found = drawings(monkeypatch)
    session.show_result(ShownResult(drops=PLAN))
    for _ in hand.view.layers.prepare(MapState.of(session)):
        pass
    hand.view.camera.centre_on(12.0, 28.0)
    repaint(hand, 1)
    assert found == [8, 6, 8, 6]


def test_displaced_thin_copies_of_a_path_reach_as_far_as_a_wider_pen(qapp: object) -> None:
    path = QPainterPath()
    path.addEllipse(QRectF(30.0, 20.0, 60.0, 24.0))
    ink = QColor("black")

    def shade(*strokes: Stroke) -> NDArray[np.float64]:
        item, image = StrokesItem(), QImage(120, 64, QImage.Format.Format_Grayscale8)
        image.fill(255)
        item.set_strokes(strokes)
        painter = QPainter(image)
        item.paint(painter, QStyleOptionGraphicsItem())
        # The copies leave the painter where it was.
        assert painter.worldTransform().isIdentity()
        painter.end()
        pixels = np.frombuffer(image.constBits(), np.uint8).reshape(64, image.bytesPerLine())[:, :120]
        return 1.0 - pixels / 255.0

    wide, thin = shade(Stroke(path, cosmetic(ink, 2.8))), shade(Stroke(path, cosmetic(ink)))
    copies = shade(Stroke(path, cosmetic(ink), copies=around(0.9, 3)))
    assert np.abs(copies - wide).mean() < 0.4 * np.abs(thin - wide).mean()
    assert copies.sum() == pytest.approx(wide.sum(), rel=0.25)
    assert thin.sum() < 0.5 * wide.sum()

"""Drawing polygonal regions."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from firegui.domain.regions import Region
from firegui.gui.map.shape_edits import add_zone
from firegui.gui.map.tools.draw_tools import CROSSES
from firegui.gui.session.session import Session, Tool
from tests.gui.map_scene import Hand, regions_of, undo_steps

CORNERS = ((15.0, 30.0), (15.0, 50.0), (30.0, 50.0), (35.0, 35.0))


@pytest.fixture
def hand(session: Session, hand: Hand) -> Hand:
    session.set_tool(Tool.POLYGON)
    return hand


def ring_of(session: Session, name: str) -> tuple[tuple[float, float], ...]:
    return regions_of(session)[name].parts[0][0]


def test_enter_closes_a_polygon_through_the_clicked_corners(session: Session, hand: Hand) -> None:
    hand.clicks(*CORNERS)
    hand.key(Qt.Key.Key_Return)
    ring = ring_of(session, "R2")
    assert len(ring) == 4
    for corner, clicked in zip(ring, CORNERS, strict=True):
        assert corner == pytest.approx(clicked, abs=0.1)
    assert undo_steps(session) == 1 and session.selected_region == "R2"
    assert hand.view.sketch.outline is None


def test_a_double_click_sets_the_last_corner_and_closes(session: Session, hand: Hand) -> None:
    hand.clicks(*CORNERS[:3])
    hand.double_click(CORNERS[3])
    ring = ring_of(session, "R2")
    assert len(ring) == 4 and ring[3] == pytest.approx(CORNERS[3], abs=0.1)
    assert undo_steps(session) == 1


def test_a_click_on_the_first_corner_closes(session: Session, hand: Hand) -> None:
    hand.clicks(*CORNERS, CORNERS[0])
    assert len(ring_of(session, "R2")) == 4


@pytest.mark.parametrize("how", ["Enter", "double click", "first corner"])
def test_a_closed_polygon_ends_the_tool_unless_shift_is_held(session: Session, hand: Hand, how: str) -> None:
    def close(modifier: Qt.KeyboardModifier) -> None:
        hand.clicks(*CORNERS)
        if how == "Enter":
            hand.key(Qt.Key.Key_Return, modifier)
        elif how == "double click":
            hand.double_click(CORNERS[3], modifier)
        else:
            hand.click(CORNERS[0], modifier)

    close(Qt.KeyboardModifier.ShiftModifier)
    assert hand.view.hint.startswith("Click corners") and set(regions_of(session)) == {"R1", "R2"}
    close(Qt.KeyboardModifier.NoModifier)
    assert session.tool is Tool.PAN and session.selected_region == "R3"


def test_backspace_takes_the_last_corner_back(session: Session, hand: Hand) -> None:
    for corner in (*CORNERS[:2], (5.0, 40.0), *CORNERS[2:]):
        hand.click(corner)
        if corner == (5.0, 40.0):
            hand.key(Qt.Key.Key_Backspace)
    hand.key(Qt.Key.Key_Enter)
    assert len(ring_of(session, "R2")) == 4


def test_escape_forgets_every_corner(session: Session, hand: Hand) -> None:
    hand.clicks(*CORNERS)
    hand.key(Qt.Key.Key_Escape)
    assert hand.view.sketch.outline is None
    hand.key(Qt.Key.Key_Return)
    assert set(regions_of(session)) == {"R1"} and hand.view.sketch.outline is not None
    assert len(hand.view.sketch.outline.corners) == 1, "a new polygon begins"


def test_two_corners_are_not_enough(session: Session, hand: Hand, qtbot: QtBot) -> None:
    hand.clicks(*CORNERS[:2])
    with qtbot.waitSignal(session.message):
        hand.key(Qt.Key.Key_Return)
    assert set(regions_of(session)) == {"R1"}


def test_an_outline_that_crosses_itself_is_refused_and_can_be_repaired(
    session: Session, hand: Hand, qtbot: QtBot
) -> None:
    hand.clicks(CORNERS[0], CORNERS[2], CORNERS[1], CORNERS[3])
    with qtbot.waitSignal(session.message) as said:
        hand.key(Qt.Key.Key_Return)
    assert "crosses itself" in str(said.args) and set(regions_of(session)) == {"R1"}
    for _ in range(3):
        hand.key(Qt.Key.Key_Backspace)
    hand.clicks(*CORNERS[1:])
    hand.key(Qt.Key.Key_Return)
    assert len(ring_of(session, "R2")) == 4


def test_a_zone_that_crosses_itself_is_refused_with_the_reason(session: Session, hand: Hand, qtbot: QtBot) -> None:
    session.set_tool(Tool.ZONE_POLYGON)
    hand.clicks(CORNERS[0], CORNERS[2], CORNERS[1], CORNERS[3])
    with qtbot.waitSignal(session.message) as said:
        hand.key(Qt.Key.Key_Return)
    assert "crosses itself" in str(said.args) and not session.project.operations.no_drop_zones


def test_a_crossing_outline_is_marked_before_it_is_closed(hand: Hand) -> None:
    hand.clicks(CORNERS[0], CORNERS[2], CORNERS[1])
    hand.move(CORNERS[3])
    outline = hand.view.sketch.outline
    assert outline is not None and not outline.allowed


def test_a_corner_set_beside_the_grid_lies_on_its_edge(session: Session, hand: Hand) -> None:
    hand.clicks((15.0, 50.0), (15.0, 62.0), (30.0, 50.0))
    hand.key(Qt.Key.Key_Return)
    assert ring_of(session, "R2")[1][1] == 60.0


def test_another_tool_drops_the_unfinished_polygon(session: Session, hand: Hand) -> None:
    hand.clicks(*CORNERS)
    session.set_tool(Tool.PAN)
    session.set_tool(Tool.POLYGON)
    hand.key(Qt.Key.Key_Return)
    assert set(regions_of(session)) == {"R1"}


def test_a_polygon_that_covers_no_cell_centre_is_refused(session: Session, hand: Hand, qtbot: QtBot) -> None:
    hand.view.camera.fit_bounds(20.0, 20.0, 22.0, 22.0)
    hand.clicks((20.05, 20.1), (20.05, 20.9), (20.3, 20.5))
    with qtbot.waitSignal(session.message) as said:
        hand.key(Qt.Key.Key_Return)
    assert "make it larger" in str(said.args) and set(regions_of(session)) == {"R1"}


def test_an_outline_that_crosses_itself_says_so_while_it_is_drawn(session: Session, hand: Hand) -> None:
    hand.clicks((15.0, 30.0), (30.0, 50.0), (15.0, 50.0), (30.0, 30.0))
    hand.move((31.0, 30.0))
    outline = hand.view.sketch.outline
    assert outline is not None and not outline.allowed and outline.text == CROSSES


def test_a_zone_over_most_of_the_fire_is_warned_of(session: Session, messages: list[str]) -> None:
    assert add_zone(session, Region.rectangle("Small", (0, 2), (0, 2)))
    assert not any("covers" in text for text in messages)
    assert add_zone(session, Region.rectangle("Large", (10, 30), (20, 40)))
    assert any("Large covers 100 %" in text for text in messages)

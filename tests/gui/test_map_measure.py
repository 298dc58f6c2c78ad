"""Distances and areas by mouse and by keyboard, in both systems of units."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from firegui.domain.units import Units
from firegui.gui.map.tools.measure_tool import MeasureTool
from firegui.gui.session.session import Session, Tool
from tests.gui.map_scene import Hand, undo_steps


@pytest.fixture
def hand(session: Session, hand: Hand) -> Hand:
    session.set_tool(Tool.MEASURE)
    return hand


@pytest.fixture
def tool(hand: Hand) -> MeasureTool:
    found = hand.view._tools[Tool.MEASURE]
    assert isinstance(found, MeasureTool)
    return found


def test_a_distance_is_the_sum_of_its_edges_in_metres(
    session: Session, hand: Hand, tool: MeasureTool, messages: list[str]
) -> None:
    # 10 cells of 30 m east, then 10 south.
    hand.clicks((10.0, 10.0), (10.0, 20.0), (20.0, 20.0))
    hand.key(Qt.Key.Key_Return)
    outline = hand.view.sketch.outline
    assert outline is not None and outline.text == tool.text
    assert float(tool.text.removesuffix(" m").replace(",", "")) == pytest.approx(600.0, abs=6.0)
    assert messages == [f"Measured: {tool.text}"] and undo_steps(session) == 0


def test_a_click_on_the_first_corner_closes_and_tells_the_area(hand: Hand, tool: MeasureTool) -> None:
    hand.clicks((10.0, 10.0), (10.0, 30.0), (20.0, 30.0), (20.0, 10.0), (10.0, 10.0))
    area, around = tool.text.split(" · ")
    assert float(area.removesuffix(" ha")) == pytest.approx(18.0, abs=0.4)
    assert around == "1.80 km around"


def test_the_size_follows_the_mouse_before_the_corner_is_set(hand: Hand) -> None:
    hand.click((10.0, 10.0))
    hand.move((10.0, 20.0))
    outline = hand.view.sketch.outline
    assert outline is not None and len(outline.corners) == 2
    assert float(outline.text.removesuffix(" m")) == pytest.approx(300.0, abs=3.0)


def test_by_keyboard_alone(session: Session, hand: Hand, tool: MeasureTool) -> None:
    hand.key(Qt.Key.Key_Right)
    hand.key(Qt.Key.Key_Return)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left):
        for _ in range(4):
            hand.key(key)
        hand.key(Qt.Key.Key_Return)
    assert len(tool._corners) == 4
    hand.key(Qt.Key.Key_A)
    assert "ha" in tool.text and "around" in tool.text
    hand.key(Qt.Key.Key_U)
    assert session.units is Units.METRIC, "units are chosen in the menu, for the whole window"
    session.set_units(Units.US)
    assert "acres" in tool.text
    hand.key(Qt.Key.Key_Backspace)
    assert len(tool._corners) == 3


def test_escape_forgets_it_and_leaves_the_tool_only_when_there_is_nothing(
    session: Session, hand: Hand, tool: MeasureTool
) -> None:
    hand.click((10.0, 10.0))
    hand.click((10.0, 20.0))
    hand.key(Qt.Key.Key_Escape)
    assert tool.text == "" and hand.view.sketch.outline is None
    assert not tool.cancel()


def test_after_an_end_a_click_begins_anew_and_another_tool_clears_it(
    session: Session, hand: Hand, tool: MeasureTool
) -> None:
    hand.clicks((10.0, 10.0), (10.0, 20.0))
    hand.key(Qt.Key.Key_Return)
    hand.click((30.0, 30.0))
    assert tool._corners == [pytest.approx((30.0, 30.0), abs=0.1)]
    session.set_tool(Tool.PAN)
    assert hand.view.sketch.outline is None

"""The tools of the map by keyboard alone: a crosshair that arrow keys move and Enter clicks with."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.domain.region_geometry import area
from firegui.gui.map.map_view import MapView
from firegui.gui.session.session import Session, Tool
from firegui.gui.window.main_window import MainWindow
from tests.gui.map_scene import Hand, Place, regions_of, undo_steps

KEY, SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier


def cursor_of(hand: Hand) -> Place:
    place = hand.view.sketch.cursor
    assert place is not None
    return place


def go(hand: Hand, place: Place) -> None:
    """Move the crosshair with arrow keys, on a map that was enlarged until a step is one cell."""
    while hand.view.camera.pixels_per_cell < 12.0:
        hand.key(KEY.Key_Plus)
    if hand.view.sketch.cursor is None:
        hand.key(KEY.Key_Right)
    for axis, (less, more) in enumerate(((KEY.Key_Up, KEY.Key_Down), (KEY.Key_Left, KEY.Key_Right))):
        while abs(away := place[axis] - cursor_of(hand)[axis]) > 0.5:
            hand.key(more if away > 0 else less)


def draw(hand: Hand, *places: Place) -> None:
    for place in places:
        go(hand, place)
        hand.key(KEY.Key_Return)


@pytest.mark.parametrize("tool", [Tool.POLYGON, Tool.ZONE_POLYGON])
def test_a_polygon_is_drawn_with_arrows_and_enter(session: Session, hand: Hand, tool: Tool) -> None:
    session.set_tool(tool)
    draw(hand, (15.0, 30.0), (15.0, 50.0), (2.0, 40.0))
    hand.key(KEY.Key_Backspace)
    draw(hand, (30.0, 40.0))
    hand.key(KEY.Key_Return)
    shapes = session.project.operations.no_drop_zones if tool is Tool.ZONE_POLYGON else session.project.regions
    assert shapes[-1].parts[0][0] == ((15.0, 30.0), (15.0, 50.0), (30.0, 40.0))
    assert undo_steps(session) == 1 and session.tool is Tool.PAN and hand.view.sketch.cursor is None


def test_the_first_enter_after_the_choice_of_a_tool_sets_a_corner(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.POLYGON)
    hand.key(KEY.Key_Return)
    start = cursor_of(hand)
    hand.view.flush()
    draw(hand, (15.0, 50.0), (30.0, 40.0))
    hand.key(KEY.Key_Return)
    assert session.project.regions[-1].parts[0][0] == (start, (15.0, 50.0), (30.0, 40.0))


def test_enter_on_the_first_corner_closes_and_shift_keeps_the_tool(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.POLYGON)
    draw(hand, (15.0, 30.0), (15.0, 50.0), (30.0, 40.0))
    go(hand, (15.0, 30.0))
    hand.key(KEY.Key_Space, SHIFT)
    assert len(regions_of(session)["R2"].parts[0][0]) == 3 and session.tool is Tool.POLYGON


@pytest.mark.parametrize("tool", [Tool.RECTANGLE, Tool.ZONE])
def test_a_rectangle_is_drawn_from_enter_to_enter(session: Session, hand: Hand, tool: Tool) -> None:
    session.set_tool(tool)
    draw(hand, (5.5, 10.5))
    go(hand, (8.5, 14.5))
    outline = hand.view.sketch.outline
    assert outline is not None and "5 × 4 (width × height)" in outline.text
    hand.key(KEY.Key_Return)
    shapes = session.project.operations.no_drop_zones if tool is Tool.ZONE else session.project.regions
    assert shapes[-1].as_rectangle == ((5.0, 9.0), (10.0, 15.0))


def test_escape_gives_the_drawing_up_and_the_crosshair_stays(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.POLYGON)
    draw(hand, (15.0, 30.0), (15.0, 50.0))
    hand.key(KEY.Key_Escape)
    assert hand.view.sketch.outline is None and session.tool is Tool.POLYGON
    draw(hand, (5.0, 10.0), (5.0, 20.0), (10.0, 15.0))
    hand.key(KEY.Key_Return)
    assert regions_of(session)["R2"].parts[0][0] == ((5.0, 10.0), (5.0, 20.0), (10.0, 15.0))


def test_identify_pins_the_cell_at_the_crosshair(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.PROBE)
    draw(hand, (12.5, 20.5))
    hand.view.flush()
    assert hand.view.card.heading == "Row 12, column 20"


def test_a_region_is_picked_up_moved_and_put_down(session: Session, hand: Hand) -> None:
    before = regions_of(session)["R1"]
    (top, _), (left, _) = before.as_rectangle or ((0.0, 0.0), (0.0, 0.0))
    session.set_tool(Tool.EDIT)
    draw(hand, (top + 2.0, left + 2.0))
    assert session.selected_region == "R1"
    draw(hand, (top + 5.0, left + 2.0))
    moved = regions_of(session)["R1"]
    assert moved == before.moved(3.0, 0.0) and undo_steps(session) == 1
    # Its corner is picked up in the same way.
    draw(hand, (top + 3.0, left), (top + 1.0, left))
    assert area(regions_of(session)["R1"]) > area(before)


def test_shift_makes_larger_steps_and_the_map_follows(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.POLYGON)
    for _ in range(4):
        hand.key(KEY.Key_Plus)
    hand.key(KEY.Key_Right)
    start = cursor_of(hand)
    hand.key(KEY.Key_Right)
    small = cursor_of(hand)[1] - start[1]
    hand.key(KEY.Key_Right, SHIFT)
    assert cursor_of(hand)[1] - start[1] == 6 * small
    for _ in range(30):
        hand.key(KEY.Key_Right, SHIFT)
    assert cursor_of(hand) == (start[0], 60.0)
    assert hand.viewport.rect().contains(hand.pixel(cursor_of(hand)))


def test_the_status_tells_where_the_crosshair_is(session: Session, hand: Hand, qtbot: QtBot) -> None:
    session.set_tool(Tool.MEASURE)
    go(hand, (12.0, 20.0))
    with qtbot.waitSignal(hand.view.hovered) as told:
        hand.view.flush()
    assert told.args and told.args[0] and hand.view.place == pytest.approx((12.0, 20.0))


def test_the_mouse_takes_over_and_enter_is_then_that_of_the_mouse(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.POLYGON)
    draw(hand, (15.0, 30.0), (15.0, 50.0))
    hand.view.fit()
    hand.click((30.0, 40.0))
    assert hand.view.sketch.cursor is None
    hand.key(KEY.Key_Return)
    assert len(regions_of(session)["R2"].parts[0][0]) == 3


def test_the_menu_key_opens_the_menu_of_the_region_at_the_crosshair(session: Session, hand: Hand) -> None:
    (top, _), (left, _) = regions_of(session)["R1"].as_rectangle or ((0.0, 0.0), (0.0, 0.0))
    session.set_tool(Tool.PROBE)
    go(hand, (top + 1.5, left + 1.5))
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), QPoint())
    QApplication.sendEvent(hand.view.camera.widget, event)
    assert hand.view.menu.menu is not None and hand.view.menu.menu.title() == "R1"
    hand.view.menu.menu.close()


def test_the_arrows_of_the_tool_pan_are_left_to_playback(session: Session, hand: Hand) -> None:
    hand.key(KEY.Key_Right)
    assert session.tool is Tool.PAN and hand.view.sketch.cursor is None


def test_a_tool_that_is_chosen_takes_the_keyboard_to_the_map(window: MainWindow, qapp: QApplication) -> None:
    shell, session = window.workbench.shell, window.workbench.session
    shell.show_panel("Regions")
    session.set_tool(Tool.POLYGON)
    view: MapView = window.workbench.map
    assert qapp.focusWidget() is view.camera.widget

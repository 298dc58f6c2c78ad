"""Protected regions on the map: drawing rectangles, moving, reshaping, renaming, deleting.

At first there is R1 at rows 2–10, columns 5–25, and an empty undo stack.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from firegui.domain.regions import Region
from firegui.gui.base.dialogs import TextDialog
from firegui.gui.map.map_board import MapBoard
from firegui.gui.map.map_view import MapView
from firegui.gui.map.tools.draw_tools import BESIDE, CUT_OFF
from firegui.gui.scenario.regions_panel import RegionModel
from firegui.gui.session.session import SelectedShape, Session, ShownResult, Tool
from tests.gui.hands import show_widget
from tests.gui.map_scene import RIGHT, Hand, Place, growing, regions_of, undo_steps

TRIANGLE = Region("T", ((((20.0, 30.0), (20.0, 50.0), (35.0, 40.0)),),))


def put(session: Session, *regions: Region) -> None:
    session.set_regions("put", regions)


def edit(session: Session, region: Region) -> None:
    """Replace the regions with ``region`` and select it with the edit tool."""
    put(session, region)
    session.set_tool(Tool.EDIT)
    session.select_region(region.name)


def answer(dialog: TextDialog, name: str) -> None:
    """Type a name in place of the selected one, and Enter."""
    QTest.keyClicks(dialog.field, name)
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ((20.4, 30.6), (25.5, 38.2), ((20, 26), (30, 39))),
        ((25.5, 38.2), (20.4, 30.6), ((20, 26), (30, 39))),
        ((35.5, 50.5), (41.0, 62.0), ((35, 40), (50, 60))),
    ],
    ids=["down and right", "up and left", "over the edge of the grid"],
)
def test_a_drag_makes_the_rectangle_of_every_cell_it_touched(
    session: Session, hand: Hand, start: Place, end: Place, expected: object
) -> None:
    session.set_tool(Tool.RECTANGLE)
    hand.drag(start, end)
    assert regions_of(session)["R2"].as_rectangle == expected
    assert undo_steps(session) == 1
    assert session.selected_region == "R2"


@pytest.mark.parametrize("tool", [Tool.RECTANGLE, Tool.ZONE])
def test_a_drawn_rectangle_ends_the_tool_so_that_the_next_drag_moves_the_map(
    session: Session, hand: Hand, tool: Tool
) -> None:
    session.set_tool(tool)
    hand.drag((20.5, 30.5), (25.5, 35.5))
    assert session.tool is Tool.PAN and hand.view.hint == ""
    hand.drag((30.5, 30.5), (35.5, 35.5))
    assert undo_steps(session) == 1


def test_with_shift_the_tool_draws_another_rectangle(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.RECTANGLE)
    hand.drag((20.5, 30.5), (25.5, 35.5), modifier=Qt.KeyboardModifier.ShiftModifier)
    hand.drag((30.5, 30.5), (35.5, 35.5))
    assert set(regions_of(session)) == {"R1", "R2", "R3"} and session.tool is Tool.PAN


def test_a_drawn_region_is_named_at_once_and_its_size_is_told(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.RECTANGLE)
    hand.drag((20.5, 30.5), (25.5, 35.5))
    dialog = hand.view.menu.name_dialog
    assert dialog is not None and dialog.isVisible()
    assert "6 × 6 (width × height) = 36 cells · 3.2 ha" in dialog.label.text()
    assert dialog.label.text().endswith("\n&Name of the new region:"), "the end of the line would wrap alone"
    assert dialog.field.selectedText() == "R2"
    answer(dialog, "Village")
    assert not dialog.isVisible()
    assert set(regions_of(session)) == {"R1", "Village"} and session.selected_region == "Village"


def test_a_polygon_has_the_same_size_in_the_naming_dialog_and_in_the_table(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.POLYGON)
    hand.clicks((20.2, 30.2), (25.3, 33.6), (22.4, 39.3))
    hand.key(Qt.Key.Key_Return)
    dialog = hand.view.menu.name_dialog
    assert dialog is not None
    (place,) = (k for k, region in enumerate(session.project.regions) if region.name == "R2")
    model = RegionModel(session)
    cells, size = (model.index(place, column).data() for column in (1, 2))
    assert dialog.label.text().startswith(f"{cells} cells · {size}\n")


def test_a_drawn_zone_is_named_at_once_too_and_cancel_takes_it_back(session: Session, hand: Hand) -> None:
    for name in ("Creek", ""):
        session.set_tool(Tool.ZONE)
        hand.drag((20.5, 30.5), (25.5, 35.5))
        dialog = hand.view.menu.name_dialog
        assert dialog is not None and dialog.isVisible() and "no-drop zone" in dialog.label.text()
        answer(dialog, name) if name else QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert [zone.name for zone in session.project.operations.no_drop_zones] == ["Creek"]


@pytest.mark.parametrize("edited_since", [False, True])
def test_cancel_of_the_name_takes_the_drawn_region_back(session: Session, hand: Hand, edited_since: bool) -> None:
    session.set_tool(Tool.RECTANGLE)
    hand.drag((20.5, 30.5), (25.5, 35.5))
    dialog = hand.view.menu.name_dialog
    assert dialog is not None and set(regions_of(session)) == {"R1", "R2"}
    if edited_since:
        session.set_plan("fewer days", replace(session.project.plan, days=session.project.plan.days - 1))
    dialog.reject()
    # Only the drawing itself is taken back.
    assert set(regions_of(session)) == ({"R1", "R2"} if edited_since else {"R1"})


def test_cancel_takes_a_region_back_that_was_drawn_on_a_map_side_by_side(
    qtbot: QtBot, session: Session, messages: list[str]
) -> None:
    board = MapBoard(session, MapView(session))
    show_widget(qtbot, board, 1200, 640)
    fire = growing(session.project, 4)
    session.show_result(ShownResult("run", baseline=fire, plan=fire, project=session.project))
    session.set_side_by_side(True)
    view = board.shown_maps[1]
    view.flush()
    session.set_tool(Tool.RECTANGLE)
    Hand(view).drag((20.5, 30.5), (25.5, 35.5))
    dialog = view.menu.name_dialog
    assert dialog is not None and set(regions_of(session)) == {"R1", "R2"}
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert set(regions_of(session)) == {"R1"} and "Undone: Draw region R2" in messages


def test_no_name_is_asked_for_while_the_tool_draws_on(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.RECTANGLE)
    hand.drag((20.5, 30.5), (25.5, 35.5), modifier=Qt.KeyboardModifier.ShiftModifier)
    assert hand.view.menu.name_dialog is None


def test_the_outline_shows_its_size_in_cells_and_hectares_while_it_is_drawn(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.RECTANGLE)
    hand.press((20.5, 30.5))
    hand.move((21.5, 32.0), (29.5, 39.5))
    outline = hand.view.sketch.outline
    assert outline is not None and outline.text == "10 × 10 (width × height) = 100 cells · 9.0 ha"
    hand.release((29.5, 39.5))
    assert hand.view.sketch.outline is None


def test_escape_leaves_no_rectangle(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.RECTANGLE)
    hand.press((20.5, 30.5))
    hand.move((25.5, 35.5))
    hand.key(Qt.Key.Key_Escape)
    assert hand.view.sketch.outline is None
    hand.release((25.5, 35.5))
    assert set(regions_of(session)) == {"R1"} and undo_steps(session) == 0


@pytest.mark.parametrize("tool", [Tool.RECTANGLE, Tool.POLYGON])
def test_a_region_that_is_cut_off_at_the_edge_of_the_map_is_told_of_where_it_is_named(
    session: Session, hand: Hand, tool: Tool
) -> None:
    session.set_tool(tool)
    if tool is Tool.RECTANGLE:
        hand.drag((20.0, 50.0), (30.0, 64.0))
    else:
        for corner in ((20.0, 50.0), (30.0, 50.0), (30.0, 64.0), (20.0, 64.0)):
            hand.click(corner)
        hand.key(Qt.Key.Key_Return)
    dialog = hand.view.menu.name_dialog
    assert dialog is not None and any(CUT_OFF in label.text() for label in dialog.findChildren(QLabel))
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert set(regions_of(session)) == {"R1"}
    session.set_tool(Tool.RECTANGLE)
    hand.drag((20.0, 50.0), (30.0, 58.0))
    inside = hand.view.menu.name_dialog
    assert inside is not None and not any(CUT_OFF in label.text() for label in inside.findChildren(QLabel))


def test_a_rectangle_beside_the_map_is_refused(session: Session, hand: Hand, qtbot: QtBot) -> None:
    session.set_tool(Tool.RECTANGLE)
    with qtbot.waitSignal(session.message, check_params_cb=lambda text: text == BESIDE):
        hand.drag((10.0, 62.0), (20.0, 64.0))
    assert set(regions_of(session)) == {"R1"}


def test_a_double_click_on_a_region_opens_its_name(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.PAN)
    hand.click((6.0, 12.0))
    hand.double_click((6.0, 12.0))
    dialog = hand.view.menu.name_dialog
    assert dialog is not None and dialog.isVisible()
    answer(dialog, "Village")
    assert set(regions_of(session)) == {"Village"}


def test_a_click_draws_no_rectangle(session: Session, hand: Hand, qtbot: QtBot) -> None:
    session.set_tool(Tool.RECTANGLE)
    with qtbot.waitSignal(session.message):
        hand.click((20.5, 30.5))
    assert set(regions_of(session)) == {"R1"} and session.tool is Tool.RECTANGLE


def test_default_names_fill_the_first_gap(session: Session, hand: Hand) -> None:
    put(session, Region.rectangle("R2", (0, 3), (0, 3)), Region.rectangle("R3", (5, 8), (0, 3)))
    session.set_tool(Tool.RECTANGLE)
    hand.drag((20.5, 30.5), (25.5, 35.5))
    assert set(regions_of(session)) == {"R1", "R2", "R3"}


def test_dragging_inside_a_region_moves_it_by_whole_cells_as_one_undo_step(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.EDIT)
    hand.press((6.0, 12.0))
    hand.move((8.0, 14.0), (12.3, 18.4), (16.2, 22.1))
    hand.release((16.2, 22.1))
    assert regions_of(session)["R1"].as_rectangle == ((12, 20), (15, 35))
    assert undo_steps(session) == 1
    session.undo_stack.undo()
    assert regions_of(session)["R1"].as_rectangle == ((2, 10), (5, 25))
    session.undo_stack.redo()
    assert regions_of(session)["R1"].as_rectangle == ((12, 20), (15, 35))


def test_a_region_cannot_be_moved_off_the_grid(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.EDIT)
    hand.drag((6.0, 12.0), (1.0, -1.0))
    assert regions_of(session)["R1"].as_rectangle == ((0, 8), (0, 20))


def test_escape_puts_a_dragged_region_back(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.EDIT)
    hand.press((6.0, 12.0))
    hand.move((16.0, 22.0))
    hand.key(Qt.Key.Key_Escape)
    hand.release((16.0, 22.0))
    assert regions_of(session)["R1"].as_rectangle == ((2, 10), (5, 25)) and undo_steps(session) == 0


def test_a_click_selects_and_changes_nothing(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.EDIT)
    hand.click((6.0, 12.0))
    assert session.selected_region == "R1" and undo_steps(session) == 0
    hand.click((30.0, 50.0))
    assert session.selected_region == ""


@pytest.mark.parametrize(
    ("grip", "to", "expected"),
    [
        ((10.0, 25.0), (15.2, 30.1), ((2, 15), (5, 30))),
        ((2.0, 5.0), (0.2, 1.9), ((0, 10), (2, 25))),
        ((6.0, 25.0), (9.0, 33.0), ((2, 10), (5, 33))),
        ((10.0, 15.0), (20.0, 40.0), ((2, 20), (5, 25))),
        ((10.0, 25.0), (1.0, 2.0), ((2, 3), (5, 6))),
    ],
)
def test_dragging_a_handle_reshapes_a_rectangle_into_a_rectangle(
    session: Session, hand: Hand, grip: Place, to: Place, expected: object
) -> None:
    session.set_tool(Tool.EDIT)
    session.select_region("R1")
    hand.drag(grip, to)
    assert regions_of(session)["R1"].as_rectangle == expected
    assert undo_steps(session) == 1


def test_dragging_a_corner_of_a_polygon_moves_that_corner_only(session: Session, hand: Hand) -> None:
    edit(session, TRIANGLE)
    hand.drag((35.0, 40.0), (38.0, 45.0))
    (ring,) = regions_of(session)["T"].parts[0]
    assert ring[:2] == TRIANGLE.parts[0][0][:2]
    assert ring[2] == pytest.approx((38.0, 45.0), abs=0.1)


def test_a_corner_dragged_through_the_opposite_side_is_refused_with_a_message(
    session: Session, hand: Hand, qtbot: QtBot
) -> None:
    square = Region("Q", ((((10.0, 30.0), (10.0, 50.0), (30.0, 50.0), (30.0, 40.0), (30.0, 30.0)),),))
    edit(session, square)
    with qtbot.waitSignal(session.message) as said:
        hand.drag((30.0, 40.0), (5.0, 40.0))
    assert "crosses itself" in str(said.args)
    assert regions_of(session)["Q"] == square and undo_steps(session) == 1


def test_a_double_click_on_an_edge_adds_a_corner_there(session: Session, hand: Hand) -> None:
    edit(session, TRIANGLE)
    hand.double_click((20.05, 40.0))
    (ring,) = regions_of(session)["T"].parts[0]
    assert len(ring) == 4 and ring[1] == pytest.approx((20.0, 40.0), abs=0.1)


@pytest.mark.parametrize("how", ["right click", "Alt and click"])
def test_a_corner_of_a_polygon_can_be_removed(session: Session, hand: Hand, how: str) -> None:
    edit(session, Region("T", (((*TRIANGLE.parts[0][0], (20.0, 32.0)),),)))
    if how == "right click":
        hand.click((20.0, 32.0), button=RIGHT)
    else:
        hand.click((20.0, 32.0), Qt.KeyboardModifier.AltModifier)
    assert regions_of(session)["T"] == TRIANGLE


def test_a_triangle_keeps_its_corners(session: Session, hand: Hand, qtbot: QtBot) -> None:
    edit(session, TRIANGLE)
    with qtbot.waitSignal(session.message):
        hand.click((20.0, 30.0), button=RIGHT)
    assert regions_of(session)["T"] == TRIANGLE


def test_delete_removes_the_selected_region_and_undo_brings_it_back(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.EDIT)
    hand.click((6.0, 12.0))
    hand.key(Qt.Key.Key_Delete)
    assert regions_of(session) == {} and session.selected_region == ""
    session.undo_stack.undo()
    assert set(regions_of(session)) == {"R1"}


def test_undoing_a_drawing_deselects_the_region_that_is_gone(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.RECTANGLE)
    hand.drag((20.5, 30.5), (25.5, 35.5))
    session.undo_stack.undo()
    assert session.selected_region == "" and set(regions_of(session)) == {"R1"}


@pytest.mark.parametrize("how", ["F2", "double click"])
def test_a_region_is_renamed_through_a_small_dialog(session: Session, hand: Hand, how: str) -> None:
    session.set_tool(Tool.EDIT)
    if how == "F2":
        hand.click((6.0, 12.0))
        hand.key(Qt.Key.Key_F2)
    else:
        hand.double_click((6.0, 12.0))
    dialog = hand.view.menu.name_dialog
    assert dialog is not None and dialog.field.text() == "R1"
    answer(dialog, "  Berry Creek ")
    assert set(regions_of(session)) == {"Berry Creek"} and session.selected_region == "Berry Creek"
    assert undo_steps(session) == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("R1", "name cannot be used: there is already a {} R1; choose another name."),
        ("r1", "there is already a {} R1"),
        ("   ", "empty"),
        ("A\x01", "control"),
    ],
)
@pytest.mark.parametrize("is_zone", [False, True])
def test_a_refused_name_of_a_drawn_shape_stays_selected_in_the_open_field_with_the_reason(
    session: Session, hand: Hand, name: str, why: str, is_zone: bool
) -> None:
    zones = (Region.rectangle("R1", (2, 10), (5, 25)),)
    session.set_operations("draw", replace(session.project.operations, no_drop_zones=zones))
    before = session.project
    session.set_tool(Tool.ZONE if is_zone else Tool.RECTANGLE)
    hand.drag((20.5, 30.5), (25.5, 35.5))
    dialog = hand.view.menu.name_dialog
    assert dialog is not None and not dialog.trouble.isVisible()
    dialog.field.setText(name)
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.isVisible() and dialog.field.text() == dialog.field.selectedText() == name
    assert dialog.focusWidget() is dialog.field and dialog.trouble.isVisible()
    assert why.format("no-drop zone" if is_zone else "region") in dialog.trouble.text()
    QTest.keyClicks(dialog.field, "V")
    assert not dialog.trouble.isVisible()
    QTest.keyClick(dialog.field, Qt.Key.Key_Escape)
    assert not dialog.isVisible() and session.project == before


def test_an_unchanged_name_makes_no_undo_step(session: Session, hand: Hand) -> None:
    hand.view.menu.rename(SelectedShape(name="R1"))
    dialog = hand.view.menu.name_dialog
    assert dialog is not None
    answer(dialog, "R1")
    assert not dialog.isVisible() and undo_steps(session) == 0


def test_the_context_menu_of_a_zone_renames_zooms_and_deletes(session: Session, hand: Hand) -> None:
    zone = Region.rectangle("Creek", (20, 30), (30, 40))
    session.set_operations("draw", replace(session.project.operations, no_drop_zones=(zone,)))
    hand.click((25.0, 35.0), button=RIGHT)
    menu = hand.view.menu.menu
    assert menu is not None
    actions = {action.text(): action for action in menu.actions() if action.text()}
    assert list(actions) == ["Rename…", "Zoom to", "Delete"]
    actions["Rename…"].trigger()
    dialog = hand.view.menu.name_dialog
    assert dialog is not None
    answer(dialog, "River")
    assert [each.name for each in session.project.operations.no_drop_zones] == ["River"]
    session.undo_stack.undo()
    actions["Delete"].trigger()
    assert session.project.operations.no_drop_zones == ()


def test_the_context_menu_renames_weighs_zooms_and_deletes(session: Session, hand: Hand) -> None:
    hand.click((6.0, 12.0), button=RIGHT)
    menu = hand.view.menu.menu
    assert menu is not None and session.selected_region == "R1"
    actions = {action.text(): action for action in menu.actions() if action.text()}
    assert list(actions) == ["Rename…", "Numbers…", "Weight…", "Add corner here", "Zoom to", "Delete"]

    actions["Weight…"].trigger()
    dialog = hand.view.menu.weight_dialog
    assert dialog is not None
    dialog.setDoubleValue(2.5)
    dialog.accept()
    assert regions_of(session)["R1"].weight == 2.5

    before = hand.view.camera.pixels_per_cell
    actions["Zoom to"].trigger()
    assert hand.view.camera.pixels_per_cell > 1.5 * before
    middle = hand.view.camera.to_cell(hand.viewport.rect().center().toPointF())
    assert middle == pytest.approx((6.0, 15.0), abs=0.2)

    actions["Delete"].trigger()
    assert regions_of(session) == {}
    menu.close()


def test_a_right_click_beside_every_region_opens_no_menu(hand: Hand) -> None:
    hand.click((30.0, 50.0), button=RIGHT)
    assert hand.view.menu.menu is None


def test_the_region_under_a_larger_one_can_be_selected(session: Session, hand: Hand) -> None:
    put(session, Region.rectangle("small", (4, 8), (8, 12)), Region.rectangle("large", (2, 20), (5, 25)))
    hand.click((6.0, 10.0))
    assert session.selected_region == "small"
    hand.click((15.0, 20.0))
    assert session.selected_region == "large"


def test_a_region_that_is_chosen_beside_the_map_is_brought_into_view(session: Session, hand: Hand) -> None:
    camera, region = hand.view.camera, regions_of(session)["R1"]
    top, left, bottom, right = region.bounds
    session.select_region("")
    camera.widget.clearFocus()
    camera.fit_bounds(34.0, 52.0, 38.0, 58.0)
    area = camera.area
    session.select_region("R1")
    assert camera.area == area, "a selection alone does not move the map"
    session.select_region("")
    session.show_region("R1")
    seen = camera.viewport.rect()
    assert seen.contains(hand.pixel((top, left))) and seen.contains(hand.pixel((bottom, right)))


def test_the_map_stays_where_it_is_while_a_drawn_region_is_named(session: Session, hand: Hand) -> None:
    camera = hand.view.camera
    session.set_tool(Tool.RECTANGLE)
    area = camera.area
    hand.drag((30.0, 50.0), (31.5, 51.5))
    dialog = hand.view.menu.name_dialog
    assert dialog is not None and dialog.isVisible()
    camera.widget.clearFocus()
    QTest.keyClicks(dialog.field, "Camp")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert session.selected_region == "Camp" and camera.area == area

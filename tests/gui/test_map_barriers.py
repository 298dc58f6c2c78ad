"""Barriers on the map: selected, moved, reshaped and drawn on the raster only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from firegui.domain.barriers import Barrier, BarrierKind
from firegui.gui.scenario.barriers_panel import KIND, NAME, WIDTH, BarriersPanel
from firegui.gui.session.session import Session, ShapeKind, Tool
from firegui.gui.widgets.table_view import selected_rows
from tests.gui.hands import show_widget
from tests.gui.map_scene import RIGHT, Hand, only, painted, placed_labels, undo_steps

KEY = Qt.Key


class NoRuns:
    """Takes the place of the queue of runs, which would compute the fire without drops."""

    shown_or_before = None


LINE = Barrier("Line 1", BarrierKind.DOZER, (((15.0, 30.0), (25.0, 40.0), (15.0, 50.0)),), width_m=4.0)
AREA = Barrier(
    "Burn", BarrierKind.BURNED_OUT, areas=((((28.0, 30.0), (28.0, 50.0), (38.0, 50.0), (38.0, 30.0)),),)
)  # fmt: skip
RIVER = Barrier("River", BarrierKind.RIVER, (((-30.0, 45.0), (80.0, 45.0)),), width_m=20.0)


def barriers_of(session: Session) -> dict[str, Barrier]:
    return {barrier.name: barrier for barrier in session.project.barriers}


def edit(session: Session, *barriers: Barrier) -> None:
    """Use the edit tool on these barriers, the first of them selected."""
    session.set_barriers("put", barriers)
    session.set_tool(Tool.EDIT)
    session.select_shape(ShapeKind.BARRIER, barriers[0].name)


def test_a_corner_of_a_line_is_dragged_as_one_step(session: Session, hand: Hand) -> None:
    edit(session, LINE)
    hand.press((25.0, 40.0))
    hand.move((28.0, 40.0), (35.0, 42.0))
    outline = hand.view.sketch.outline
    assert outline is not None and outline.text.endswith("km") and not outline.closed
    hand.release((35.0, 42.0))
    (line,) = barriers_of(session)["Line 1"].lines
    assert line[1] == pytest.approx((35.0, 42.0), abs=0.1)
    assert (line[0], line[2]) == (LINE.lines[0][0], LINE.lines[0][2]) and undo_steps(session) == 2
    session.undo_stack.undo()
    assert barriers_of(session)["Line 1"] == LINE


def test_a_whole_line_is_moved_and_keeps_its_numbers(session: Session, hand: Hand) -> None:
    edit(session, replace(LINE, strength=0.5))
    hand.drag((20.0, 35.0), (24.0, 37.0))
    moved = barriers_of(session)["Line 1"]
    assert moved.lines[0] == tuple(pytest.approx((row + 4.0, column + 2.0), abs=0.15) for row, column in LINE.lines[0])
    assert (moved.strength, moved.width_m, moved.kind) == (0.5, 4.0, BarrierKind.DOZER)


def test_a_double_click_adds_a_corner_and_never_between_the_ends_of_a_line(session: Session, hand: Hand) -> None:
    edit(session, LINE)
    hand.double_click((20.0, 35.0))
    (line,) = barriers_of(session)["Line 1"].lines
    assert len(line) == 4 and line[1] == pytest.approx((20.0, 35.0), abs=0.2)
    hand.double_click((15.0, 40.0))
    assert len(barriers_of(session)["Line 1"].lines[0]) == 4


@pytest.mark.parametrize("how", ["right click", "Alt and click"])
def test_a_corner_is_removed_but_not_the_last_two(session: Session, hand: Hand, how: str, messages: list[str]) -> None:
    def remove(place: tuple[float, float]) -> None:
        if how == "right click":
            hand.click(place, button=RIGHT)
        else:
            hand.click(place, Qt.KeyboardModifier.AltModifier)

    edit(session, LINE)
    remove((25.0, 40.0))
    assert barriers_of(session)["Line 1"].lines == (((15.0, 30.0), (15.0, 50.0)),)
    remove((15.0, 30.0))
    assert len(barriers_of(session)["Line 1"].lines[0]) == 2
    assert any("at least two corners" in text for text in messages)


def test_a_line_dragged_across_itself_is_refused(session: Session, hand: Hand, messages: list[str]) -> None:
    bent = replace(LINE, lines=(((10.0, 30.0), (10.0, 50.0), (20.0, 50.0), (20.0, 40.0)),))
    edit(session, bent)
    hand.drag((20.0, 40.0), (4.0, 40.0))
    assert barriers_of(session)["Line 1"] == bent
    assert any("crosses itself" in text for text in messages)


def test_an_area_is_reshaped_and_keeps_parts_of_cells(session: Session, hand: Hand) -> None:
    edit(session, AREA)
    hand.drag((28.0, 30.0), (26.3, 27.6))
    ((ring,),) = barriers_of(session)["Burn"].areas
    assert ring[0] == pytest.approx((26.3, 27.6), abs=0.1) and ring[1:] == AREA.areas[0][0][1:]
    hand.double_click((28.0, 40.0))
    assert len(barriers_of(session)["Burn"].areas[0][0]) == 4, "the edge is no longer there"
    hand.double_click((38.0, 40.0))
    assert len(barriers_of(session)["Burn"].areas[0][0]) == 5


def test_arrows_and_enter_move_a_corner(session: Session, hand: Hand) -> None:
    edit(session, LINE)
    hand.view.camera.fit_bounds(20.0, 30.0, 30.0, 50.0)
    hand.key(KEY.Key_Right)
    hand.key(KEY.Key_Left)
    hand.key(KEY.Key_Return)
    hand.key(KEY.Key_Down)
    hand.key(KEY.Key_Return)
    (line,) = barriers_of(session)["Line 1"].lines
    assert line[1][0] > 25.0 and line[1][1] == 40.0 and undo_steps(session) == 2


def test_a_corner_beside_the_map_stays_when_another_one_is_dragged(session: Session, hand: Hand) -> None:
    edit(session, replace(RIVER, lines=(((-30.0, 45.0), (20.0, 45.0), (80.0, 45.0)),)))
    hand.drag((20.0, 45.0), (20.0, 35.0))
    (line,) = barriers_of(session)["River"].lines
    assert (line[0], line[2]) == ((-30.0, 45.0), (80.0, 45.0)) and line[1] == pytest.approx((20.0, 35.0), abs=0.1)
    hand.drag((10.0, 37.0), (14.0, 37.0))
    (line,) = barriers_of(session)["River"].lines
    assert line[0][0] == pytest.approx(-26.0, abs=0.15) and line[2][0] == pytest.approx(84.0, abs=0.15)


def test_what_lies_beyond_the_raster_is_in_the_data_and_not_in_the_picture(session: Session, hand: Hand) -> None:
    session.set_barriers("put", (RIVER, replace(AREA, areas=((((30.0, -20.0), (30.0, 20.0), (70.0, 20.0)),),))))
    session.set_tool(Tool.EDIT)
    session.select_shape(ShapeKind.BARRIER, "River")
    view = hand.view
    view.camera.fit_bounds(-25.0, -25.0, 65.0, 85.0)
    only(view, "barriers")
    mask = painted(view, "barriers")
    top, bottom = hand.pixel((0.0, 0.0)), hand.pixel((40.0, 60.0))
    outside = mask.copy()
    outside[max(top.y() - 1, 0) : bottom.y() + 2, max(top.x() - 1, 0) : bottom.x() + 2] = False
    labels = np.zeros_like(mask)
    for _layer, _label, box in placed_labels(hand):
        # The name of a barrier at the edge may stand beside the raster.
        whole = box.toAlignedRect().adjusted(-3, -3, 3, 3)
        labels[max(whole.top(), 0) : whole.bottom(), max(whole.left(), 0) : whole.right()] = True
    assert mask.any() and not (outside & ~labels).any()
    middle = hand.pixel((20.0, 45.0))
    assert mask[middle.y(), middle.x()]
    assert {label.text for _layer, label, _box in placed_labels(hand)} == {"River", "Burn"}
    assert barriers_of(session)["River"] == RIVER


def test_the_part_beyond_the_raster_cannot_be_clicked(session: Session, hand: Hand) -> None:
    session.set_barriers("put", (RIVER,))
    hand.view.camera.fit_bounds(-25.0, -25.0, 65.0, 85.0)
    hand.click((-10.0, 45.0))
    assert session.selected_shape.name == ""
    hand.click((10.0, 45.0))
    assert session.selected_name(ShapeKind.BARRIER) == "River"


def test_a_region_in_a_burned_out_area_can_be_selected_and_a_line_across_it_too(session: Session, hand: Hand) -> None:
    whole = replace(AREA, areas=((((-5.0, -5.0), (-5.0, 65.0), (45.0, 65.0), (45.0, -5.0)),),))
    session.set_barriers("put", (whole, replace(LINE, lines=(((6.0, 2.0), (6.0, 30.0)),))))
    for place, kind, name in (
        ((4.0, 15.0), ShapeKind.REGION, "R1"), ((6.0, 15.0), ShapeKind.BARRIER, "Line 1"),
        ((30.0, 15.0), ShapeKind.BARRIER, "Burn"),
    ):  # fmt: skip
        hand.click(place)
        assert (session.selected_shape.kind, session.selected_shape.name) == (kind, name)


def test_the_menu_renames_adds_a_corner_zooms_and_deletes(session: Session, hand: Hand) -> None:
    session.set_barriers("put", (LINE, AREA))
    hand.click((20.0, 35.0), button=RIGHT)
    menu = hand.view.menu.menu
    assert menu is not None and session.selected_name(ShapeKind.BARRIER) == "Line 1"
    actions = {action.text(): action for action in menu.actions() if action.text()}
    assert list(actions) == ["Rename…", "Add corner here", "Zoom to", "Delete"]
    actions["Add corner here"].trigger()
    assert len(barriers_of(session)["Line 1"].lines[0]) == 4
    before = hand.view.camera.pixels_per_cell
    actions["Zoom to"].trigger()
    assert hand.view.camera.pixels_per_cell > 1.5 * before
    actions["Rename…"].trigger()
    dialog = hand.view.menu.name_dialog
    assert dialog is not None
    dialog.field.setText("Burn")
    QTest.keyClick(dialog.field, KEY.Key_Return)
    assert dialog.isVisible() and "used 2 times" in dialog.trouble.text()
    dialog.field.setText("Div A")
    QTest.keyClick(dialog.field, KEY.Key_Return)
    assert set(barriers_of(session)) == {"Div A", "Burn"} and session.selected_name(ShapeKind.BARRIER) == "Div A"
    session.undo_stack.undo()
    actions["Delete"].trigger()
    assert set(barriers_of(session)) == {"Burn"}
    menu.close()


def test_keys_rename_and_delete_the_selected_barrier(session: Session, hand: Hand) -> None:
    edit(session, LINE)
    hand.key(KEY.Key_F2)
    dialog = hand.view.menu.name_dialog
    assert dialog is not None and dialog.field.text() == "Line 1"
    dialog.reject()
    hand.key(KEY.Key_Delete)
    assert session.project.barriers == () and session.selected_shape.name == ""


def test_the_table_follows_the_map_and_the_map_the_table(session: Session, hand: Hand, qtbot: QtBot) -> None:
    panel = BarriersPanel(session, NoRuns())  # type: ignore[arg-type]
    show_widget(qtbot, panel, 360, 320)
    session.set_barriers("put", (LINE, AREA))
    hand.click((33.0, 40.0))
    assert selected_rows(panel.view) == [1]
    panel.view.selectRow(0)
    assert session.selected_name(ShapeKind.BARRIER) == "Line 1"
    assert panel.model.setData(panel.model.index(0, NAME), "Div A")
    assert session.selected_name(ShapeKind.BARRIER) == "Div A" and selected_rows(panel.view) == [0]
    hand.click((6.0, 12.0))
    assert session.selected_region == "R1" and selected_rows(panel.view) == []


def test_the_kind_sets_a_width_that_nobody_typed(session: Session, qtbot: QtBot) -> None:
    panel = BarriersPanel(session, NoRuns())  # type: ignore[arg-type]
    show_widget(qtbot, panel, 360, 320)
    session.set_barriers("put", (LINE,))
    assert panel.model.setData(panel.model.index(0, KIND), "river")
    assert session.project.barriers[0].width_m == 20.0
    assert panel.model.setData(panel.model.index(0, WIDTH), "33")
    assert panel.model.setData(panel.model.index(0, KIND), "road")
    assert session.project.barriers[0].width_m == 33.0

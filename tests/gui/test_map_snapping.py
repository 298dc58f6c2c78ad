"""Snapping to corners and cells, and regions by numbers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

from firegui.domain.regions import Region
from firegui.gui.map.shape_menu import RegionDialog
from firegui.gui.session.session import Session, Tool
from tests.gui.hands import type_into_field
from tests.gui.map_scene import Hand, regions_of, undo_steps

TRIANGLE = Region("T", ((((20.0, 10.0), (30.0, 12.5), (28.0, 30.0)),),))
OK = QDialogButtonBox.StandardButton.Ok


def draw(session: Session, hand: Hand, *corners: tuple[float, float]) -> Region:
    session.set_tool(Tool.POLYGON)
    hand.clicks(*corners)
    hand.key(Qt.Key.Key_Return)
    return session.project.regions[-1]


def test_without_snapping_a_corner_is_where_it_was_clicked(session: Session, hand: Hand) -> None:
    region = draw(session, hand, (10.4, 30.3), (10.4, 40.6), (18.7, 35.2))
    row, column = region.parts[0][0][0]
    assert (row, column) != (round(row), round(column))


def test_to_cells_it_rests_where_cells_meet(session: Session, hand: Hand) -> None:
    session.drawing.set_snap_cells(True)
    region = draw(session, hand, (10.4, 30.3), (10.4, 40.6), (18.7, 35.2))
    assert region.parts[0][0] == ((10.0, 30.0), (10.0, 41.0), (19.0, 35.0))


def test_to_corners_it_rests_on_a_near_corner_of_another_region_and_only_there(session: Session, hand: Hand) -> None:
    session.drawing.set_snap_corners(True)
    # R1 is rows 2 to 10, columns 5 to 25.
    region = draw(session, hand, (10.3, 25.2), (14.4, 40.3), (20.3, 30.7))
    corners = region.parts[0][0]
    assert corners[0] == (10.0, 25.0)
    assert corners[1] == pytest.approx((14.4, 40.3), abs=0.1)


def test_a_dragged_corner_snaps_to_others_but_not_to_its_own_region(session: Session, hand: Hand) -> None:
    session.set_regions("add", (*session.project.regions, TRIANGLE))
    session.drawing.set_snap_corners(True)
    session.set_tool(Tool.EDIT)
    session.select_region("T")
    hand.drag((20.0, 10.0), (10.3, 5.3))
    assert regions_of(session)["T"].parts[0][0][0] == (10.0, 5.0)
    session.undo_stack.undo()
    hand.drag((20.0, 10.0), (29.6, 12.9))
    assert regions_of(session)["T"].parts[0][0][0] != (30.0, 12.5)


# -- numbers ---------------------------------------------------------------------------------------------------------
def opened(qtbot: QtBot, session: Session, name: str) -> RegionDialog:
    dialog = RegionDialog(session, regions_of(session)[name], None)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def test_rows_and_columns_of_a_rectangle_are_entered_as_one_edit(qtbot: QtBot, session: Session) -> None:
    dialog = opened(qtbot, session, "R1")
    dialog.sides["bottom"].setFocus()
    dialog.sides["bottom"].selectAll()
    QTest.keyClicks(dialog.sides["bottom"], "12")
    QTest.keyClick(dialog.sides["bottom"], Qt.Key.Key_Tab)
    assert "20 × 10 (width × height) = 200 cells" in dialog.note.text()
    QTest.mouseClick(dialog.buttons.button(OK), Qt.MouseButton.LeftButton)
    assert regions_of(session)["R1"].as_rectangle == ((2, 12), (5, 25))
    assert undo_steps(session) == 1 and not dialog.isVisible()


def test_an_end_before_its_beginning_cannot_be_accepted(qtbot: QtBot, session: Session) -> None:
    dialog = opened(qtbot, session, "R1")
    type_into_field(qtbot, dialog.sides["right"], "3")
    assert "larger end" in dialog.trouble.text() and not dialog.buttons.button(OK).isEnabled()
    assert dialog.isVisible() and undo_steps(session) == 0


def test_corners_of_a_polygon_are_changed_inserted_and_removed(qtbot: QtBot, session: Session) -> None:
    session.set_regions("add", (TRIANGLE,))
    dialog = opened(qtbot, session, "T")
    item = dialog.corners.item(1, 1)
    assert item is not None and item.text() == "12.5"
    item.setText("15")
    dialog.corners.setCurrentCell(1, 0)
    QTest.mouseClick(dialog.insert, Qt.MouseButton.LeftButton)
    assert dialog.corners.rowCount() == 4
    QTest.mouseClick(dialog.buttons.button(OK), Qt.MouseButton.LeftButton)
    assert regions_of(session)["T"].parts[0][0] == ((20.0, 10.0), (30.0, 15.0), (29.0, 22.5), (28.0, 30.0))
    dialog = opened(qtbot, session, "T")
    dialog.corners.setCurrentCell(2, 0)
    QTest.mouseClick(dialog.remove, Qt.MouseButton.LeftButton)
    QTest.mouseClick(dialog.remove, Qt.MouseButton.LeftButton)
    assert "at least three" in dialog.trouble.text()


@pytest.mark.parametrize(("row", "text", "word"), [(0, "north", "not a number"), (1, "35", "crosses")])
def test_numbers_that_make_no_region_are_told(
    qtbot: QtBot, session: Session, row: int, text: str, word: str
) -> None:  # fmt: skip
    ring = ((20.0, 10.0), (20.0, 30.0), (28.0, 30.0), (30.0, 12.5))
    session.set_regions("add", (Region("T", ((ring,),)),))
    dialog = opened(qtbot, session, "T")
    item = dialog.corners.item(row, 0)
    assert item is not None
    item.setText(text)
    assert word in dialog.trouble.text() and not dialog.buttons.button(OK).isEnabled()


def test_the_tool_opens_the_numbers_with_enter_and_the_menu_too(session: Session, hand: Hand) -> None:
    session.set_tool(Tool.EDIT)
    session.select_region("R1")
    hand.key(Qt.Key.Key_Return)
    dialog = hand.view.menu.numbers
    assert dialog is not None and dialog.isVisible() and set(dialog.sides) == {"top", "bottom", "left", "right"}
    dialog.reject()

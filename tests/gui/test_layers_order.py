"""Layers drawn in another order, by mouse and by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QToolButton
from pytestqt.qtbot import QtBot

from firegui.gui.map.board import MapBoard
from firegui.gui.map.layers.stack import GROUND
from firegui.gui.panels.layers import LayersPanel
from firegui.gui.session import Session, ShownResult
from tests.gui.map_scene import Hand, growing, only, open_map


@pytest.fixture
def hand(qtbot: QtBot, session: Session) -> Hand:
    return Hand(open_map(qtbot, session))


@pytest.fixture
def panel(qtbot: QtBot, hand: Hand) -> LayersPanel:
    made = LayersPanel(hand.view.layers)
    qtbot.addWidget(made)
    made.resize(300, 700)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def grip(panel: LayersPanel, title: str) -> QToolButton:
    name = f"Draw {title} higher or lower"
    return next(each for each in panel.findChildren(QToolButton) if each.accessibleName() == name)


def listed(panel: LayersPanel) -> list[str]:
    """The titles from top to bottom, as they stand on screen."""
    boxes = sorted(panel.findChildren(QCheckBox), key=lambda box: box.mapToGlobal(QPoint()).y())
    return [box.text() for box in boxes]


def move_to(widget: QToolButton, pixel: QPoint) -> None:
    local = widget.mapFromGlobal(pixel)
    left = Qt.MouseButton.LeftButton
    event = QMouseEvent(
        QMouseEvent.Type.MouseMove, QPointF(local), QPointF(pixel), left, left, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(widget, event)


def test_a_grip_is_dragged_to_where_its_layer_belongs(panel: LayersPanel, hand: Hand) -> None:
    before = listed(panel)
    start, end = before.index("Wind"), before.index("Drops")
    assert end < start
    held, goal = grip(panel, "Wind"), grip(panel, "Drops")
    target = goal.mapToGlobal(goal.rect().center()) - QPoint(0, 4)
    QTest.mousePress(held, Qt.MouseButton.LeftButton)
    here = held.mapToGlobal(held.rect().center())
    for part in range(1, 21):
        move_to(held, here + (target - here) * part / 20)
        QApplication.processEvents()
    QTest.mouseRelease(held, Qt.MouseButton.LeftButton)
    after = listed(panel)
    assert after.index("Wind") == end and after.index("Drops") == end + 1
    assert sorted(after) == sorted(before)
    stack = hand.view.layers
    assert stack["wind"].item.zValue() > stack["drops"].item.zValue()


def test_what_is_higher_is_painted_over_what_is_lower(session: Session, panel: LayersPanel, hand: Hand) -> None:
    session.show_result(ShownResult("run", plan=growing(session.project, 10)))
    session.set_step(200)
    only(hand.view, "extent", "occupancy", "regions")
    hand.view.layers.set_opacity("occupancy", 1.0)
    seen = hand.color((2.0, 15.5))
    order = [key for key in hand.view.layers.order if key != "regions"]
    hand.view.layers.set_order([order[0], "regions", *order[1:]])
    assert hand.color((2.0, 15.5)) != seen


def test_by_keyboard_with_the_grip_and_from_the_whole_row(panel: LayersPanel, hand: Hand) -> None:
    wind = grip(panel, "Wind")
    place = hand.view.layers.order.index("wind")
    wind.setFocus()
    QTest.keyClick(wind, Qt.Key.Key_Up)
    assert hand.view.layers.order.index("wind") == place + 1 and wind.hasFocus()
    box = next(each for each in panel.findChildren(QCheckBox) if each.text() == "Wind")
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(box, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert hand.view.layers.order.index("wind") == place - 1


def test_tab_follows_the_new_order(panel: LayersPanel, hand: Hand) -> None:
    hand.view.layers.set_order([*(key for key in hand.view.layers.order if key != "wind"), "wind"])
    order = [hand.view.layers[key].title for key in reversed(hand.view.layers.order)]
    QApplication.processEvents()
    assert listed(panel) == order and order[0] == "Wind"
    box = next(each for each in panel.findChildren(QCheckBox) if each.text() == "Wind")
    names, after = list[str](), box.nextInFocusChain()
    while after is not None and len(names) < 6:
        names += [after.accessibleName()] if after.accessibleName() else []
        after = after.nextInFocusChain()
    assert names[:2] == ["Opacity of Wind, percent", f"Draw {order[1]} higher or lower"]


def test_the_ground_stays_below_and_the_first_order_comes_back(panel: LayersPanel, hand: Hand) -> None:
    stack = hand.view.layers
    first = stack.order
    stack.move(GROUND, 5)
    stack.move("drops", -100)
    assert stack.order[:2] == (GROUND, "drops")
    button = next(each for each in panel.findChildren(QToolButton) if each.accessibleName() == "Order of the beginning")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert stack.order == first


def test_maps_beside_each_other_are_drawn_in_the_same_order(session: Session, hand: Hand) -> None:
    board = MapBoard(session, hand.view)
    frames = growing(session.project, 1)
    session.show_result(ShownResult("run", baseline=frames, plan=frames))
    hand.view.layers.move("drops", 2)
    session.set_side_by_side(True)
    hand.view.layers.move("wind", 3)
    assert {pane.layers.order for pane in board.panes} == {hand.view.layers.order}
    board.deleteLater()

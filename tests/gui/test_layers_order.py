"""The order of layers, changed by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from firegui.gui.base.preferences import Preferences
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.layers.layer_stack import GROUND
from firegui.gui.map.legends import LegendView
from firegui.gui.map.map_board import MapBoard
from firegui.gui.scenario.layers_panel import LayersPanel
from firegui.gui.session.session import Session, ShownResult
from firegui.gui.window.main_window import MainWindow
from tests.gui.hands import show_widget
from tests.gui.map_scene import Hand, growing, only

Start = Callable[[], MainWindow]


@pytest.fixture
def panel(qtbot: QtBot, hand: Hand) -> LayersPanel:
    made = LayersPanel(hand.view.layers)
    show_widget(qtbot, made, 300, 700)
    return made


def grip(panel: LayersPanel, title: str) -> QToolButton:
    name = f"Draw {title} higher or lower"
    return next(each for each in panel.findChildren(QToolButton) if each.accessibleName() == name)


def listed(panel: LayersPanel) -> list[str]:
    """Return the titles from top to bottom, as shown."""
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


def test_the_legends_stand_in_the_order_of_what_is_shown_and_those_that_say_the_same_stay(
    panel: LayersPanel, hand: Hand
) -> None:
    def blocks() -> dict[str, QWidget]:
        view = panel.findChild(LegendView)
        assert view is not None
        found = [each for each in view.children() if isinstance(each, QWidget) and each.isVisibleTo(view)]
        found.sort(key=lambda block: block.y())
        texts = [[text for label in block.findChildren(QLabel) if (text := label.text())] for block in found]
        titles = [layer.title for layer in hand.view.layers]
        return {
            next(t for t in titles if text[0].startswith(t)): block for text, block in zip(texts, found, strict=True)
        }

    only(hand.view, "extent", "regions", "observed", "graticule")
    QApplication.processEvents()
    before = blocks()
    box = next(each for each in panel.findChildren(QCheckBox) if each.text() == "Wind")
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    hand.view.flush()
    QApplication.processEvents()
    after = blocks()
    assert set(after) - set(before) == {hand.view.layers["wind"].title}
    assert all(after[title] is block for title, block in before.items())
    shown = [layer.title for layer in reversed(list(hand.view.layers)) if layer.title in after]
    assert list(after) == shown
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    QApplication.processEvents()
    assert list(blocks().items()) == list(before.items())


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
    button = next(each for each in panel.findChildren(QToolButton) if each.accessibleName() == "Default order")
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


# -- from one start to the next ----------------------------------------------------------------------------------------
@pytest.fixture
def start(qtbot: QtBot, session: Session, queue: RunQueue, preferences_store: QSettings) -> Iterator[Start]:
    """Start the program and close the previous window."""
    windows: list[MainWindow] = []

    def shut() -> None:
        for opened in windows:
            opened.close()
            opened.deleteLater()
        windows.clear()

    def begin() -> MainWindow:
        shut()
        windows.append(MainWindow(session, queue, Preferences(preferences_store)))
        windows[0].resize(1280, 800)
        with qtbot.waitActive(windows[0]):
            windows[0].show()
            windows[0].activateWindow()
        return windows[0]

    yield begin
    shut()


def test_the_order_is_there_again_at_the_next_start_until_it_is_reset(start: Start) -> None:
    window = start()
    first = window.workbench.map.layers.order
    window.workbench.show_panel("Layers")
    held = window.workbench.panels["Layers"]
    assert isinstance(held, LayersPanel)
    wind = grip(held, "Wind")
    wind.setFocus()
    QTest.keyClick(wind, Qt.Key.Key_Up)
    moved = window.workbench.map.layers.order
    assert moved != first
    window = start()
    assert window.workbench.map.layers.order == moved
    window.workbench.show_panel("Layers")
    again = window.workbench.panels["Layers"]
    assert isinstance(again, LayersPanel)
    assert listed(again) == [window.workbench.map.layers[key].title for key in reversed(moved)]
    button = next(each for each in again.findChildren(QToolButton) if each.accessibleName() == "Default order")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert start().workbench.map.layers.order == first


def test_an_order_of_another_version_keeps_its_layers_and_takes_the_new_ones_in(hand: Hand) -> None:
    stack = hand.view.layers
    below = stack.order[stack.order.index("drops") - 1]
    kept = [key for key in stack.order if key not in ("drops", "wind")]
    stack.restore_order(["wind", "gone", *kept, "wind"])
    order = stack.order
    assert sorted(order) == sorted(stack[key].key for key in {*kept, "drops", "wind"})
    assert order[:2] == (GROUND, "wind") and order.index("drops") == order.index(below) + 1

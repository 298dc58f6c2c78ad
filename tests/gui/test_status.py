from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from firegui.gui.window.main_window import MainWindow
from tests.gui.map_scene import Hand


def test_a_message_has_the_bar_to_itself_while_the_mouse_is_not_on_the_map(qtbot: QtBot, window: MainWindow) -> None:
    status, hand = window.workbench.status, Hand(window.workbench.map)
    window.workbench.session.message.emit("a few words that would not fit beside the place under the mouse")
    assert status.message.isVisible() and not status.place.isVisible()
    hand.move((12.5, 33.5))
    qtbot.waitUntil(status.place.isVisible)
    layout = window.statusBar().layout()
    assert layout is not None
    layout.activate()
    beside = status.message.width()
    QApplication.sendEvent(hand.viewport, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: not status.place.isVisible())
    qtbot.waitUntil(lambda: status.message.width() > beside)


def test_the_place_goes_when_the_map_changes_just_after_the_mouse_left(qtbot: QtBot, window: MainWindow) -> None:
    view, place = window.workbench.map, window.workbench.status.place
    hand = Hand(view)
    hand.move((12.5, 33.5))
    view.flush()
    assert place.isVisible()
    QApplication.sendEvent(hand.viewport, QEvent(QEvent.Type.Leave))
    window.workbench.session.set_step(1)
    view.flush()
    assert not place.isVisible()


def test_a_message_without_room_has_a_button_that_shows_the_whole(qtbot: QtBot, window: MainWindow) -> None:
    status, session = window.workbench.status, window.workbench.session
    session.message.emit("short")
    qtbot.wait(1)
    assert not status.details.isVisible()
    whole = "The region R1 was not drawn: " + "it lies outside the domain, " * 12 + "draw it inside."
    session.message.emit(whole)
    qtbot.waitUntil(status.details.isVisible)
    QTest.mouseClick(status.details, Qt.MouseButton.LeftButton)
    (box,) = (each for each in window.findChildren(QMessageBox) if each.isVisible())
    assert box.text() == whole
    box.close()


def test_a_message_takes_the_place_of_the_tip_of_the_tool_under_the_mouse(qtbot: QtBot, window: MainWindow) -> None:
    status, bar = window.workbench.status, window.statusBar()
    bar.showMessage("click corners to measure a distance")
    window.workbench.session.message.emit("Whole fire: finished, 381 drops")
    assert bar.currentMessage() == "" and status.message.isVisible()


def test_a_message_waits_while_the_tip_of_a_command_is_shown(qtbot: QtBot, window: MainWindow) -> None:
    status, bar = window.workbench.status, window.statusBar()
    status._fade.setInterval(1)
    bar.showMessage("Stop and keep the best plan so far")
    window.workbench.session.message.emit("The run was stopped; its best plan is kept")
    bar.showMessage("Pause before the next step or test")
    qtbot.wait(30)
    assert not status.message.isVisible() and not status.details.isVisible()
    status._fade.setInterval(10_000)
    bar.clearMessage()
    assert status.message.isVisible() and "is kept" in status.message.text()

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.map.readout import SEPARATOR
from firegui.gui.session.session import Session
from firegui.gui.window.main_window import MainWindow
from firegui.io.coordinates import CoordinateFormat, format_place
from firegui.io.georeference import Georeference
from firegui.runs.stages import RunState, Stage
from tests.gui.fake_runs import epoch_done
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


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900)], ids=["1280x720", "1440x900"])
@pytest.mark.parametrize("form", CoordinateFormat)
def test_the_readout_is_whole_beside_a_long_message(
    qtbot: QtBot, window: MainWindow, size: tuple[int, int], form: CoordinateFormat
) -> None:
    window.resize(*size)
    session, status, hand = window.workbench.session, window.workbench.status, Hand(window.workbench.map)
    session.drawing.set_coordinates(form)
    session.message.emit("a message that has no room beside the place under the mouse " * 6)
    hand.move((12.5, 33.5))
    qtbot.waitUntil(status.place.isVisible)
    layout = window.statusBar().layout()
    assert layout is not None
    layout.activate()
    coordinates = status.place.text().split(SEPARATOR)[0]
    lonlat = Georeference(session.project.scenario.grid).lonlat(12.0, 33.0)
    assert lonlat is not None and len(coordinates) == len(format_place(*lonlat, form))
    assert status.place.text().count("UTM") == 0 and "col" in status.place.text()
    assert status.place.width() >= status.place.width_of(status.place.text()) and status.message.width() > 0


def test_the_readout_is_whole_beside_a_run_at_work(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, queue, hand = window.workbench.status, window.workbench.queue, Hand(window.workbench.map)
    activity = "A run with quite a long name of its own, removing drops, round 4, 128 of 530 drops tried"
    monkeypatch.setattr(type(queue), "activity", property(lambda _queue: activity))
    window.resize(1280, 720)
    queue.changed.emit()
    wide = status.work.width()
    hand.move((12.5, 33.5))
    long = status.place.text()
    while status.place.width_of(long) < 0.6 * window.width():
        long += f" · {status.place.text()}"
    status.place.set_text(long)
    qtbot.waitUntil(lambda: status.place.width() >= status.place.width_of(long))
    assert status.work.width() < wide
    assert window.statusBar().rect().contains(status.device.geometry())
    status.place.set_text(long[:-20])
    window.workbench.session.message.emit("Saved to p.firegui")
    # What stands beside does not move with every cell.
    qtbot.waitUntil(lambda: status.place.width() >= status.place.width_of(long))
    QApplication.sendEvent(hand.viewport, QEvent(QEvent.Type.Leave))
    qtbot.waitUntil(lambda: status.work.width() == wide)


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


def test_work_and_device_leave_room_for_a_message_and_keep_how_far_the_run_is(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, session, bar = window.workbench.status, window.workbench.session, window.statusBar()
    activity = "A run with quite a long name of its own, removing drops, round 4, 128 of 530 drops tried"
    monkeypatch.setattr(type(window.workbench.queue), "active", property(lambda _queue: None))
    monkeypatch.setattr(type(window.workbench.queue), "activity", property(lambda _queue: activity))
    session.set_device(session.backend, "the GPU NVIDIA H200 with a long name")
    for size in (1280, 900):
        window.resize(size, 720)
        window.workbench.queue.changed.emit()
        session.message.emit("The region R1 was not drawn: it lies outside the domain. Draw it inside.")
        layout = bar.layout()
        assert layout is not None
        qtbot.waitUntil(lambda: status.message.width() > 0.3 * bar.width())
        for part in (status.work, status.device, status.message, status.details):
            assert bar.rect().contains(part.geometry()), f"{size}: {part.geometry()}"
        assert activity in " ".join(status.work.toolTip().split()) and "H200" in status.device.toolTip()
        assert status.device.width() >= status.device.sizeHint().width(), "the device is whole"


def test_a_message_ends_with_an_undo_that_is_told_and_with_another_project(
    window: MainWindow, session: Session
) -> None:
    message = window.workbench.status.message
    session.set_plan("fewer days", replace(session.project.plan, days=2))
    for end, said in (
        (session.undo, "Undone: fewer days"),
        (session.redo, "Redone: fewer days"),
        (lambda: session.open_project(session.project, None), ""),
    ):
        session.message.emit("The plan has 2 days.")
        assert message.text()
        end()
        assert message.text() == said


def test_the_name_of_a_run_goes_before_how_far_it_is(window: MainWindow) -> None:
    status = window.workbench.status
    status._work = ("Whole fire, 24 November 11:56", "removing drops", "round 4, 128 of 530 drops tried")
    window.resize(2200, 720)
    status._fit_permanent()
    assert status.work.text().startswith("Whole fire")
    window.resize(640, 480)
    status._fit_permanent()
    assert "Whole fire" not in status.work.text() and status.work.text().endswith("128 of 530 drops tried")


def test_a_bar_says_how_far_the_run_at_work_is_and_moves_while_it_prepares(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, queue = window.workbench.status, window.workbench.queue
    assert status.progress.isHidden()
    entry = RunEntry("Whole fire, 24 Nov 11:56", Path("run"), state=RunState.PREPARING, epochs=400)
    monkeypatch.setattr(type(queue), "active", property(lambda _queue: entry))
    queue.changed.emit()
    assert not status.progress.isHidden() and status.progress.maximum() == 0
    assert status.work.text().endswith("preparing · Computing the fire without drops…")
    entry.state, entry.stage = RunState.RUNNING, Stage.OPTIMIZE
    entry.stages, entry.count, entry.number = (Stage.OPTIMIZE, Stage.PRUNE), 2, 1
    entry.add_epochs([epoch_done(k, 400) for k in range(100)])
    window.resize(1280, 720)
    queue.changed.emit()
    assert status.progress.value() == status.progress.maximum() / 4
    # Nothing of the progress is cut, also with the longest name of a device.
    window.workbench.session.set_device(window.workbench.session.backend, "the GPU NVIDIA H200 with a long name")
    words = "placing drops 1/2 · step 100 of 400 · about 0:30 left of this part"
    assert status.work.text().endswith(words)
    assert status.work.width() >= status.work.width_of(status.work.text())
    monkeypatch.undo()
    queue.changed.emit()
    assert status.progress.isHidden()

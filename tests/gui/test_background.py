"""Slow reading and writing beside the window."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QProgressDialog, QWidget
from pytestqt.qtbot import QtBot

from firegui.errors import InputError, Problem
from firegui.gui import background
from firegui.gui.background import wait_for


def test_the_result_comes_back_from_another_thread(qtbot: QtBot) -> None:
    threads = wait_for(None, "", lambda: threading.get_ident())
    assert threads != threading.get_ident()


def test_what_is_raised_there_is_raised_here(qtbot: QtBot) -> None:
    error = InputError([Problem("there", "bad")])

    def fail() -> None:
        raise error

    with pytest.raises(InputError) as caught:
        wait_for(None, "", fail)
    assert caught.value is error


def test_the_window_goes_on_painting_meanwhile(qtbot: QtBot) -> None:
    ticks: list[int] = []
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append(1))
    timer.start(1)
    go_on = threading.Event()
    QTimer.singleShot(50, go_on.set)
    assert wait_for(None, "", lambda: go_on.wait(10))
    assert ticks


def test_when_it_takes_long_a_box_says_what_is_being_done_and_goes_away(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_PATIENCE_MS", 1)
    parent = QWidget()
    qtbot.addWidget(parent)
    go_on, seen = threading.Event(), []

    def look() -> None:
        boxes = [box for box in QApplication.topLevelWidgets() if isinstance(box, QProgressDialog) and box.isVisible()]
        if boxes:
            seen.append(boxes[0].labelText())
            go_on.set()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(5)
    assert wait_for(parent, "Opening Bear…", lambda: go_on.wait(10))
    assert seen == ["Opening Bear…"]
    assert not any(isinstance(box, QProgressDialog) and box.isVisible() for box in QApplication.topLevelWidgets())

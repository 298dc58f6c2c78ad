"""The workbench in a real window: what offscreen drawing cannot show."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.regions import Region
from firegui.gui.window.main_window import MainWindow

pytestmark = pytest.mark.window


def on_screen(widget: QWidget) -> NDArray[np.uint8]:
    """Return the screen at ``widget``, ``[H, W, 3]``."""
    screen = QGuiApplication.primaryScreen()
    corner = widget.mapToGlobal(widget.rect().topLeft())
    picture = screen.grabWindow(0, corner.x(), corner.y(), widget.width(), widget.height())
    image = picture.toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


@pytest.fixture
def centre(window: MainWindow) -> QWidget:
    """Return the centre of the workbench: the map."""
    widget = window.centralWidget()
    assert widget is not None
    return widget


def test_the_workbench_opens_on_a_real_screen(window: MainWindow) -> None:
    assert QGuiApplication.platformName() not in ("offscreen", "minimal")
    handle = window.windowHandle()
    assert handle is not None
    assert handle.isExposed()
    assert "Test Ridge" in window.windowTitle()


def test_the_screen_shows_the_map_and_what_is_drawn_on_it(window: MainWindow, centre: QWidget, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: len(np.unique(on_screen(centre).reshape(-1, 3), axis=0)) > 50)
    before = on_screen(centre)

    window.workbench.session.set_regions("draw", (Region.rectangle("Across", (5, 35), (5, 55)),))

    qtbot.waitUntil(lambda: bool((on_screen(centre) != before).any()))


def test_resizing_the_window_resizes_the_map(window: MainWindow, centre: QWidget, qtbot: QtBot) -> None:
    before = centre.width()

    window.resize(window.width() - 120, window.height())

    qtbot.waitUntil(lambda: centre.width() < before)


def test_closing_the_window_takes_it_off_the_screen(window: MainWindow, qtbot: QtBot) -> None:
    window.close()

    qtbot.waitUntil(lambda: not window.isVisible())

"""Panels of analyses on screen, with the controllers that the tests give them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pytestqt.qtbot import QtBot

from firegui.gui.analyses.panel import AnalysisPanel
from firegui.gui.analyses.registry import Controller

P = TypeVar("P", bound=AnalysisPanel[Any, Any])
C = TypeVar("C", bound=Controller)


def open_panels(
    qtbot: QtBot, new_controller: Callable[[Any], C], new_panel: Callable[[C], P], width: int, height: int
) -> Iterator[Callable[[Any], tuple[P, C]]]:
    """Yield a function that shows a panel with a given runner, and shut the controllers down afterwards."""
    controllers: list[C] = []

    def open_panel(execute: Any) -> tuple[P, C]:
        controller = new_controller(execute)
        controllers.append(controller)
        panel = new_panel(controller)
        panel.start_requested.connect(panel.start)
        qtbot.addWidget(panel)
        panel.resize(width, height)
        with qtbot.waitActive(panel):
            panel.show()
            panel.activateWindow()
        return panel, controller

    yield open_panel
    for controller in controllers:
        controller.shutdown()
        controller.deleteLater()

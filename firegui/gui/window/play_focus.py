"""Puts the keys where Space plays what was planned, once a plan is started and once it has ended."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QDockWidget,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QTextEdit,
    QToolBar,
    QWidget,
)

from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.plan_control import PlanControl

_TYPED_IN = (QLineEdit, QTextEdit, QPlainTextEdit)
_NEED_KEYS = (QAbstractSpinBox, QComboBox, QAbstractItemView)


class PlayFocus(QObject):
    """Gives the focus to ``maps``, for keys that the map has no use for reach the timeline.

    It is never taken from a text, nor from what covers the window. Who starts a plan is done with numbers and tables;
    who is at one of them when it ends went there since, and keeps the keys.
    """

    def __init__(self, window: QMainWindow, maps: QWidget, plan: PlanControl, queue: RunQueue) -> None:
        super().__init__(window)
        self._window, self._maps, self._queue = window, maps, queue
        self._was_busy = queue.is_busy
        plan.started.connect(self._on_started)
        queue.changed.connect(self._on_queue)

    def _on_started(self) -> None:
        self._hand_over(_TYPED_IN)

    def _on_queue(self) -> None:
        was_busy, self._was_busy = self._was_busy, self._queue.is_busy
        if was_busy and not self._was_busy:
            self._hand_over((*_TYPED_IN, *_NEED_KEYS))

    def _hand_over(self, kept_by: tuple[type[QWidget], ...]) -> None:
        focus = self._window.focusWidget()
        if focus is None or focus is self._window or (_is_furniture(focus) and not isinstance(focus, kept_by)):
            self._maps.setFocus()


def _is_furniture(widget: QWidget) -> bool:
    """Whether it belongs to a dock or a tool bar, and to nothing in front of them."""
    above: QWidget | None = widget
    while above is not None and not isinstance(above, QDockWidget | QToolBar):
        above = above.parentWidget()
    return above is not None

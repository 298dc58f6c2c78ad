"""Delivery of run events from the worker thread to the GUI thread, at most twenty times a second.

A run may report thousands of epochs a second and a picture of a hundred megabytes. The window needs every number but
only the latest picture, and never more often than it can draw. So the worker puts its events into a locked buffer and
returns at once. A timer in the GUI thread empties the buffer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import groupby
from typing import TypeVar

from PySide6.QtCore import QObject, QTimer, Signal, SignalInstance

from firegui.runs.events import (
    BaselineReady,
    EnsembleReady,
    PlanUpdated,
    RemovalCurveReady,
    RunEvent,
    StressReady,
    StudyProgress,
    StudyReady,
)

INTERVAL_MS = 50
LATEST_ONLY = (BaselineReady, PlanUpdated, RemovalCurveReady, EnsembleReady, StressReady, StudyProgress, StudyReady)
"""Large events of which a newer one replaces an undelivered one."""

Event = TypeVar("Event", bound=RunEvent)


class EventBuffer:
    """Events in order, with only the latest of each type in :data:`LATEST_ONLY`. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[RunEvent] = []

    def push(self, event: RunEvent) -> None:
        """Add an event. Called by the worker."""
        with self._lock:
            if isinstance(event, LATEST_ONLY):
                self._events = [other for other in self._events if type(other) is not type(event)]
            self._events.append(event)

    def take(self) -> list[RunEvent]:
        """Return and remove every event."""
        with self._lock:
            events, self._events = self._events, []
        return events


class _EventSignals(QObject):
    """Signals of one type of event. Qt holds no reference to the objects whose bound methods it calls."""

    one = Signal(object)
    batch = Signal(object)


class EventBridge(QObject):
    """Delivery of the events of an :class:`EventBuffer`, in the bridge's thread and in their order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._buffer = EventBuffer()
        self._signals: dict[type[object], _EventSignals] = {}
        self._muted = False
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.drain)

    def subscribe(self, event_type: type[Event], slot: Callable[[Event], object] | SignalInstance) -> None:
        """Call ``slot`` with each event of ``event_type``.

        Pass a bound method or a signal, not a lambda: a reference cycle may be collected in the worker's thread.
        """
        self._signals_of(event_type).one.connect(slot)

    def subscribe_batches(self, event_type: type[Event], slot: Callable[[list[Event]], object]) -> None:
        """Call ``slot`` with lists of consecutive events of ``event_type``; see :meth:`subscribe`."""
        self._signals_of(event_type).batch.connect(slot)

    def push(self, event: RunEvent) -> None:
        """Take an event from any thread. Returns at once and uses nothing of Qt."""
        self._buffer.push(event)

    def start(self) -> None:
        """Start the delivery."""
        self._timer.start()

    def mute(self) -> None:
        """Deliver nothing from now on."""
        self._muted = True

    def stop(self) -> None:
        """Deliver the remaining events and stop."""
        self._timer.stop()
        self.drain()

    def drain(self) -> None:
        """Deliver all pending events."""
        for event_type, events in groupby(self._buffer.take(), type):
            signals = self._signals.get(event_type)
            if signals is not None:
                self._deliver(signals, list(events))

    def _deliver(self, signals: _EventSignals, events: list[RunEvent]) -> None:
        if not self._muted:
            signals.batch.emit(events)
        for event in events:
            # A slot may have muted the bridge.
            if not self._muted:
                signals.one.emit(event)

    def _signals_of(self, event_type: type[object]) -> _EventSignals:
        if event_type not in self._signals:
            self._signals[event_type] = _EventSignals(self)
        return self._signals[event_type]

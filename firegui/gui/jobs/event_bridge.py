"""From the worker's thread to the window's: events in, typed Qt signals out, at most twenty times a second.

A run may report thousands of epochs a second and a picture of a hundred megabytes; the window needs every number but
only the latest picture, and never more often than it can draw. So the worker drops its events into a locked buffer and
returns at once, and a timer in the window's thread empties it.
"""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject, QTimer, Signal

from firegui.runs.events import (
    BaselineReady,
    BenchmarkProgress,
    BenchmarkReady,
    EliminationStep,
    EnsembleReady,
    EpochDone,
    ErrorFitted,
    FieldDrawn,
    FitEpoch,
    MembersDone,
    Message,
    PlanUpdated,
    Progress,
    RunEvent,
    RunFinished,
    SensitivityReady,
    SkillReady,
    StageBegan,
    StateChanged,
    StudyProgress,
    StudyReady,
    WeightsReady,
)

INTERVAL_MS = 50


class EventBuffer:
    """Keeps every event in order, but only the latest picture of a kind (baseline, plan, ensemble). Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: list[RunEvent] = []

    def push(self, event: RunEvent) -> None:
        """Add an event; called by the worker."""
        with self._lock:
            if isinstance(event, (BaselineReady, PlanUpdated, EnsembleReady, StudyProgress, StudyReady)):
                # A picture that was never drawn is of no use once a newer one is here, and it is large.
                self._events = [other for other in self._events if type(other) is not type(event)]
            self._events.append(event)

    def take(self) -> list[RunEvent]:
        """Everything since the last call."""
        with self._lock:
            events, self._events = self._events, []
        return events


class EventBridge(QObject):
    """Empties an :class:`EventBuffer` in the thread it lives in and says what it found, in the order it happened."""

    epochs = Signal(list)
    """``list[EpochDone]``: neighbours in the stream come together."""
    removals = Signal(list)
    """``list[EliminationStep]``, likewise."""
    stage = Signal(object)
    baseline = Signal(object)
    plan = Signal(object)
    state = Signal(object)
    message = Signal(object)
    progress = Signal(object)
    skill = Signal(object)
    fit = Signal(object)
    weights = Signal(object)
    sensitivity = Signal(object)
    uncertainty = Signal(object)
    """What an ensemble says: its fitted error model, members that are done, the ensemble so far, a field of errors."""
    benchmark = Signal(object)
    """What a benchmark says: the tasks at work, its table so far."""
    study = Signal(object)
    """What a study says: how many cells are done, its table so far."""
    finished = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._buffer = EventBuffer()
        self._timer = QTimer(self)
        self._timer.setInterval(INTERVAL_MS)
        self._timer.timeout.connect(self.drain)

    def push(self, event: RunEvent) -> None:
        """Hand over an event from any thread; returns at once and touches nothing of Qt."""
        self._buffer.push(event)

    def start(self) -> None:
        """Begin to deliver."""
        self._timer.start()

    def stop(self) -> None:
        """Deliver what is left and fall silent."""
        self._timer.stop()
        self.drain()

    def drain(self) -> None:
        """Deliver everything that waits."""
        for group in _neighbours(self._buffer.take()):
            match group[0]:
                case EpochDone():
                    self.epochs.emit(group)
                case EliminationStep():
                    self.removals.emit(group)
                case event:
                    self._deliver(event)

    def _deliver(self, event: RunEvent) -> None:
        match event:
            case BaselineReady():
                self.baseline.emit(event)
            case PlanUpdated():
                self.plan.emit(event)
            case StageBegan():
                self.stage.emit(event)
            case StateChanged():
                self.state.emit(event)
            case Message():
                self.message.emit(event)
            case Progress():
                self.progress.emit(event)
            case SkillReady():
                self.skill.emit(event)
            case FitEpoch():
                self.fit.emit(event)
            case WeightsReady():
                self.weights.emit(event)
            case SensitivityReady():
                self.sensitivity.emit(event)
            case ErrorFitted() | MembersDone() | EnsembleReady() | FieldDrawn():
                self.uncertainty.emit(event)
            case BenchmarkProgress() | BenchmarkReady():
                self.benchmark.emit(event)
            case StudyProgress() | StudyReady():
                self.study.emit(event)
            case RunFinished():
                self.finished.emit(event)


def _neighbours(events: list[RunEvent]) -> list[list[RunEvent]]:
    """The events in order; epochs that follow one another, and tests likewise, in one list."""
    groups: list[list[RunEvent]] = []
    for event in events:
        if groups and isinstance(event, (EpochDone, EliminationStep)) and type(groups[-1][0]) is type(event):
            groups[-1].append(event)
        else:
            groups.append([event])
    return groups

"""Execution of one run in a thread.

The thread works on values and reports through the bridge. It never uses a widget.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from firegui.errors import FireguiError, InputError, Problem, reason_of
from firegui.gui.base.tasks import Task
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.runs.control import RunControl
from firegui.runs.events import Message, RunEvent, RunFinished
from firegui.runs.spec import PlanSpec, ReplanSpec, RunSpec
from firegui.runs.stages import FinishReason

Execute = Callable[[RunSpec, Callable[[RunEvent], None], RunControl], None]
"""Function that a job calls: :func:`firegui.runs.runner.execute`, or a test double."""

_GRACE_MS = 1500


class _Execution:
    """Function of a job's thread. Every exception becomes a :class:`RunFinished` with its message."""

    def __init__(self, execute: Execute, spec: RunSpec, control: RunControl, push: Callable[[RunEvent], None]) -> None:
        self._execute, self._spec, self._control, self._push = execute, spec, control, push
        self._has_finished = False

    def __call__(self, _task: Task[None]) -> None:
        try:
            self._execute(self._spec, self._emit, self._control)
        except InputError as error:
            self._fail(str(error), error.problems)
        except FireguiError as error:
            self._fail(str(error))
        except BaseException as error:
            self._push(Message(traceback.format_exc(), "error"))
            self._fail(f"An unexpected {_kind_and_reason(error)}. Please report it with the log of this run.")
        else:
            self._fail("The run ended without a result. Please report it with the log of this run.")

    def _emit(self, event: RunEvent) -> None:
        self._has_finished = self._has_finished or isinstance(event, RunFinished)
        self._push(event)

    def _fail(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        if not self._has_finished:
            folder = self._spec.out if isinstance(self._spec, (PlanSpec, ReplanSpec)) else None
            self._emit(RunFinished(FinishReason.FAILED, message, None, None, folder, problems))


def _kind_and_reason(error: BaseException) -> str:
    kind, reason = type(error).__name__, reason_of(error)
    return kind if reason == kind else f"{kind}: {reason}"


class RunJob(QObject):
    """Run of ``spec`` in a thread. :attr:`control` steers it, :attr:`bridge` delivers its events.

    The owner keeps a job until :attr:`ended`, and joins it before the program ends.
    """

    ended = Signal(object)
    """The job itself, once, in the GUI thread: its thread has finished and all events were delivered."""

    def __init__(self, spec: RunSpec, execute: Execute, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        self.control = RunControl()
        self.bridge = EventBridge(self)
        self._task = Task(_Execution(execute, spec, self.control, self.bridge.push), self)
        self._task.ended.connect(self._on_task_ended)
        self._has_ended = False

    def begin(self) -> None:
        """Start the thread and the delivery of its events."""
        self.bridge.start()
        self._task.start()

    def stop_silently(self) -> None:
        """Request that the run stops, and deliver no more of its events. :attr:`ended` is still emitted."""
        self.bridge.mute()
        self.control.request_stop()

    def join(self, grace_ms: int = _GRACE_MS) -> None:
        """Wait for the thread, deliver its last events and emit :attr:`ended`.

        A run that still works after ``grace_ms`` is requested to stop without its final score.
        """
        if not self._task.wait(grace_ms):
            self.control.request_stop(now=True)
        self._task.join()
        self._end()

    @Slot(object)
    def _on_task_ended(self, _task: Task[None]) -> None:
        self.bridge.stop()
        # Not in one go with the last events: each takes a moment, and the window does not react meanwhile.
        QTimer.singleShot(0, self, self._end)

    @Slot()
    def _end(self) -> None:
        if not self._has_ended:
            self._has_ended = True
            self.ended.emit(self)


def stop_and_join(jobs: Sequence[RunJob]) -> None:
    """Request that every job stops, then wait for each; see :meth:`RunJob.join`."""
    for job in jobs:
        job.control.request_stop()
    for job in jobs:
        job.join()


class RunSlot(QObject):
    """Thread for one run at a time. A new run replaces and stops the current one.

    :meth:`shutdown` must be called before the program ends.
    """

    changed = Signal()
    """A run started, ended or was replaced."""

    def __init__(self, execute: Execute, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._execute = execute
        self._job: RunJob | None = None
        self._stopping: list[RunJob] = []
        self._is_shut_down = False

    @property
    def is_busy(self) -> bool:
        """Whether there is a current run."""
        return self._job is not None

    def begin(self, spec: RunSpec, subscribe: Callable[[EventBridge], None]) -> None:
        """Run ``spec`` instead of the current run. ``subscribe`` connects the receivers of its events."""
        if self._is_shut_down:
            return
        self._release()
        job = self._job = RunJob(spec, self._execute, self)
        subscribe(job.bridge)
        job.ended.connect(self._on_ended)
        job.begin()
        self.changed.emit()

    def cancel(self) -> None:
        """Request that the current run stops, without waiting for it."""
        if self._job is not None:
            self._release()
            self.changed.emit()

    def shutdown(self) -> None:
        """Cancel the run, and wait until every thread has finished. No run starts after it."""
        self._is_shut_down = True
        self.cancel()
        stop_and_join(tuple(self._stopping))

    def _release(self) -> None:
        if self._job is not None:
            self._job.stop_silently()
            self._stopping.append(self._job)
            self._job = None

    def _on_ended(self, job: RunJob) -> None:
        job.deleteLater()
        if job is self._job:
            self._job = None
            self.changed.emit()
        else:
            self._stopping.remove(job)


@dataclass(frozen=True, slots=True)
class UnfinishedWork:
    """Long work that closing the project would end, and how to end it.

    ``stop`` ends it and keeps what ``kept`` names; with ``can_resume`` it can be resumed later. ``discard`` ends it and
    deletes what ``lost`` names; ``None`` if nothing is deleted. ``queued_runs`` runs wait for it and end with it.
    """

    title: str
    kept: str
    stop: Callable[[], object]
    discard: Callable[[], object] | None = None
    lost: str = ""
    can_resume: bool = True
    queued_runs: int = 0

    @property
    def outcome(self) -> str:
        """Sentences on what happens to the work."""
        text = f"Stopping keeps the {self.kept}" + ("; it can be resumed later." if self.can_resume else ".")
        text += f" Deleting removes {self.lost}." if self.discard is not None else " Nothing is deleted."
        if self.queued_runs == 1:
            text += " The run that waits behind it will not begin."
        elif self.queued_runs:
            text += f" The {self.queued_runs} runs that wait behind it will not begin."
        return text

"""One run in a thread of its own. It works on values and speaks through the bridge; it never sees a widget."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QThread, Signal, Slot

from firegui.errors import FireguiError, InputError, Problem
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.runs.control import RunControl
from firegui.runs.events import FinishReason, Message, RunEvent, RunFinished
from firegui.runs.spec import PlanSpec, ReplanSpec, RunSpec

Execute = Callable[[RunSpec, Callable[[RunEvent], None], RunControl], None]
"""What a job runs: :func:`firegui.runs.runner.execute`, or a stand-in."""

_GRACE_MS = 1500


class RunJob(QThread):
    """Executes ``spec``; steer it with :attr:`control`, listen to :attr:`bridge`.

    Whoever makes a job keeps it until :attr:`ended`: a thread object that is collected, or still at work when the
    program ends, takes the whole process down.
    """

    ended = Signal(object)
    """The job itself, once, in the window's thread: the thread is over and everything it said was delivered."""

    def __init__(self, spec: RunSpec, execute: Execute, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        self.control = RunControl()
        self.bridge = EventBridge(self)
        self._execute = execute
        self._finish_said = False
        self._closed = False
        self.finished.connect(self.close)

    def begin(self) -> None:
        """Start to work and to report."""
        self.bridge.start()
        self.start()

    def mute(self) -> None:
        """Nobody wants to hear from this job any more, only :attr:`ended`."""
        self.bridge.blockSignals(True)

    def wind_up(self, grace_ms: int) -> None:
        """Like :meth:`close`, for a job that was asked to stop; past ``grace_ms`` it is asked again, more firmly."""
        if not self.wait(grace_ms):
            self.control.request_stop(now=True)
        self.close()

    @Slot()
    def close(self) -> None:
        """Wait for the thread to end, deliver what it said last, and say that it ended. Does it once."""
        self.wait()
        if not self._closed:
            self._closed = True
            self.bridge.stop()
            self.ended.emit(self)

    def run(self) -> None:
        """Called by Qt in the new thread. Whatever goes wrong becomes a :class:`RunFinished` that says so."""
        try:
            self._execute(self.spec, self._emit, self.control)
        except InputError as error:
            self._fail(str(error), error.problems)
        except FireguiError as error:
            self._fail(str(error))
        except Exception as error:
            self.bridge.push(Message(traceback.format_exc(), "error"))
            self._fail(f"An unexpected {type(error).__name__}: {error}. Please report it with the log of this run.")
        else:
            if not self._finish_said:
                self._fail("The run ended without a result. Please report it with the log of this run.")

    def _emit(self, event: RunEvent) -> None:
        self._finish_said = self._finish_said or isinstance(event, RunFinished)
        self.bridge.push(event)

    def _fail(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        if not self._finish_said:
            folder = self.spec.out if isinstance(self.spec, (PlanSpec, ReplanSpec)) else None
            self._emit(RunFinished(FinishReason.FAILED, message, None, None, folder, problems))


def wind_up_all(jobs: Sequence[RunJob], grace_ms: int = _GRACE_MS) -> None:
    """Ask every job to stop, then wait for each; see :meth:`RunJob.wind_up`."""
    for job in jobs:
        job.control.request_stop()
    for job in jobs:
        job.wind_up(grace_ms)

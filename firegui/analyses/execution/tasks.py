"""Tasks and the workers that carry them out. Only plain values and the bytes of files are sent."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Protocol

from firegui.errors import CancelledError, InputError, Problem
from firegui.runs.control import RunControl
from firegui.runs.failures import failure_message, is_foreseen, write_log


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """Data that a worker is made from. Every worker receives it once.

    ``opener`` is the function that makes the worker, as ``module:name``; workers import it. ``analysis`` names the
    analysis in messages. ``project`` is an archive (:mod:`firegui.analyses.execution.archives`) and ``data`` what the
    opener needs beyond it. ``versions`` are the packages that the analysis began with. Errors in the program are logged
    in ``log_folder``, where there is one. ``name`` is the name of the worker.
    """

    opener: str
    analysis: str
    project: bytes = b""
    data: bytes = b""
    backend: str = "auto"
    versions: Mapping[str, str] = field(default_factory=dict)
    log_folder: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class WorkReport:
    """Progress of a task at work, or a ``warning`` about it.

    ``spent`` of ``allowance`` rollout-equivalents are charged, and ``best`` is the best objective, ``None`` before the
    first.
    """

    spent: int = 0
    allowance: int = 0
    best: float | None = None
    seconds: float = 0.0
    warning: str = ""


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """End of a task: its ``result``, the ``error`` that ended it, or ``cancelled`` where it was stopped.

    ``problems`` are those of an error in the input; ``worker`` carried the task out.
    """

    result: bytes = b""
    error: str = ""
    problems: tuple[Problem, ...] = ()
    cancelled: bool = False
    worker: str = ""


class TaskLink:
    """Connection of a running task to its run: the task checks ``control`` and sends reports."""

    def __init__(self, control: RunControl, send: Callable[[WorkReport], object]) -> None:
        self.control, self._send = control, send

    def send_progress(self, spent: int, best: float, seconds: float, allowance: int = 0) -> None:
        """Send the progress of the task. ``best`` is NaN before the first objective."""
        self._send(WorkReport(spent, allowance, best if math.isfinite(best) else None, seconds))

    def warn(self, text: str) -> None:
        """Send a warning."""
        self._send(WorkReport(warning=text))


class TaskWorker(Protocol):
    """Worker of one analysis. It carries out one task at a time."""

    def carry_out(self, task: bytes, link: TaskLink) -> bytes:
        """Carry out a task and return its result. Raises :class:`~firegui.errors.CancelledError` when stopped."""


def open_worker(setup: WorkerSetup, control: RunControl) -> TaskWorker:
    """Return the worker that ``setup`` describes. Raises whatever keeps the opener from making it."""
    module, name = setup.opener.split(":")
    worker: TaskWorker = getattr(import_module(module), name)(setup, control)
    return worker


def perform(worker: TaskWorker, setup: WorkerSetup, task: bytes, link: TaskLink) -> TaskOutcome:
    """Carry out ``task``. Errors of any kind become the outcome; nothing is raised."""
    try:
        return TaskOutcome(worker.carry_out(task, link), worker=setup.name)
    except CancelledError:
        return TaskOutcome(cancelled=True, worker=setup.name)
    except Exception as error:  # the boundary of a task: the others go on whatever happens in it
        return failed(error, setup)


def failed(error: Exception, setup: WorkerSetup) -> TaskOutcome:
    """Return the outcome of a task that ``error`` ended, after logging an error in the program."""
    if isinstance(error, InputError):
        return TaskOutcome(error="; ".join(map(str, error.problems)), problems=error.problems, worker=setup.name)
    message = " ".join(failure_message(error).split())
    if not is_foreseen(error):
        log = write_log(error, Path(setup.log_folder)) if setup.log_folder else None
        message = f"an error in firegui ({type(error).__name__}: {error})" + (f"; details are in {log}" if log else "")
    return TaskOutcome(error=message, worker=setup.name)

"""A benchmark's worker process: it reads the event once, makes the model once, and carries out one task after another.

It is begun by :mod:`firegui.analyses.worker_process` and computes on one thread.
"""

from __future__ import annotations

import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import numpy as np

from firegui.analyses.benchmark.results import BenchmarkHeader, read_header
from firegui.analyses.planner_task import PreparedEngine, TaskContext, carry_out_task
from firegui.analyses.task_channel import GRACE_SECONDS, MessageType, TaskReport, WorkerChannel
from firegui.analyses.task_files import TITLE, task_folder
from firegui.domain.project import Project
from firegui.domain.schedule import LISTED_LOGIT, Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.errors import CancelledError, Check, InputError, Problem
from firegui.io.project.store import load_project
from firegui.runs.engine import Engine
from firegui.runs.failures import failure_message, is_foreseen, write_log
from firegui.runs.header import event_hash
from firegui.runs.lock import is_held

if TYPE_CHECKING:
    from firegui.rollout.model import Model


def work(connection: Connection, folder: str) -> None:
    """Carry out the tasks that ``connection`` hands over, of the benchmark in ``folder``."""
    channel = WorkerChannel(connection)

    def stop(number: int, frame: FrameType | None) -> None:
        channel.end()

    signal.signal(signal.SIGTERM, stop)
    try:
        context = _task_context(Path(folder), channel)
    except CancelledError:
        return
    except Exception as error:
        channel.send(_failed(error, Path(folder)))
        return
    channel.send(TaskReport(MessageType.READY))
    for terms in channel.tasks():
        try:
            _await_release(task_folder(context.out, terms.task), channel)
            row = carry_out_task(context, terms)
            channel.send(TaskReport(MessageType.DONE, row=row))
        except CancelledError:
            channel.send(TaskReport(MessageType.STOPPED))
            return
        except Exception as error:
            channel.send(_failed(error, context.out))


def _task_context(out: Path, channel: WorkerChannel) -> TaskContext:
    header = read_header(out)
    project = _project(header)
    engine, check = Engine(), channel.control.check
    model = engine.build(project, project.plan.nominal, header.backend, check=check)
    _warm_up(engine, model, project.plan.optimizer, check)
    where = Path(header.project_folder)
    return TaskContext(
        out, where, header.backend, project, PreparedEngine(model), model, channel, header.checkpoint_seconds
    )  # fmt: skip


def _warm_up(engine: Engine, model: Model, settings: OptimizerSettings, check: Check) -> None:
    """What the engine loads and compiles at its first epoch and its first rollout belongs to no task's time."""
    size, (rows, columns) = (model.maps.n_steps, model.fleet.n_aircraft), model.shape
    poses = np.broadcast_to(np.array([rows / 2.0, columns / 2.0, 0.0]), (*size, 3))
    drops = Schedule(np.full(size, LISTED_LOGIT), poses)
    engine.planner(model, settings, drops).epoch(check)
    engine.simulate(model, drops, check=check)


def _project(header: BenchmarkHeader) -> Project:
    """The project as the benchmark began with it; edits since then count for nothing."""
    folder = Path(header.project_folder)
    if not folder.is_dir():
        remedy = "put it back, or go on with the benchmark of the folder where it is now"
        raise InputError([Problem(str(folder), "is gone since the benchmark was begun", remedy)], TITLE)
    project = header.project.on(load_project(folder))
    if event_hash(project) != header.event_hash:
        remedy = "restore it, or run the benchmark again in another folder"
        raise InputError([Problem(str(folder), "is not the event any more that the benchmark was begun on", remedy)],
                         TITLE)  # fmt: skip
    return project


def _await_release(place: Path, channel: WorkerChannel) -> None:
    """A worker of a benchmark that was killed may still be saving the same task."""
    until = time.monotonic() + GRACE_SECONDS
    while is_held(place) and time.monotonic() < until:
        channel.control.check()
        time.sleep(0.05)


def _failed(error: Exception, out: Path) -> TaskReport:
    message = failure_message(error)
    if not is_foreseen(error):
        log = write_log(error, out)
        message = f"an error in firegui ({type(error).__name__}: {error})" + (f"; details are in {log}" if log else "")
    return TaskReport(
        MessageType.FAILED, message=message, problems=error.problems if isinstance(error, InputError) else ()
    )

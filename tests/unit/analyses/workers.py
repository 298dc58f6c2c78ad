"""Workers of a benchmark without processes: every task is over at once, as the test says."""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from firegui.analyses.benchmark.worker import BenchmarkPlaces
from firegui.analyses.execution.folders import FolderAnswer, FolderTask
from firegui.analyses.execution.process_worker import OrderKind, WorkerMessage, WorkerOrder
from firegui.analyses.execution.processes import WorkerProcess
from firegui.analyses.execution.tasks import TaskOutcome, WorkerSetup, WorkReport
from firegui.analyses.task_files import task_folder, write_row
from firegui.domain.benchmark import BenchmarkRow, TaskTerms
from firegui.errors import Problem
from tests.unit.domain.benchmark_samples import made_row

READY = WorkerMessage()
STOPPED = WorkerMessage(outcome=TaskOutcome(cancelled=True))


def answer_of(row: BenchmarkRow) -> WorkerMessage:
    """The end of a task with this row."""
    return WorkerMessage(outcome=TaskOutcome(msgspec.msgpack.encode(FolderAnswer(msgspec.json.encode(row)))))


def done(terms: TaskTerms) -> WorkerMessage | None:
    """The end of the task with its made-up row."""
    return answer_of(made_row(terms.task))


def failure(error: str, *problems: Problem, begun: bool = True) -> WorkerMessage:
    """The end of a task, or of a worker that cannot begin."""
    return WorkerMessage(is_ready=begun, outcome=TaskOutcome(error=error, problems=problems))


def progress(spent: int, best: float, seconds: float) -> WorkerMessage:
    """A report on the task at work."""
    return WorkerMessage(report=WorkReport(spent, 0, best if math.isfinite(best) else None, seconds))


@dataclass
class Workplace:
    """What the workers of a test do, and what they were told.

    ``answer`` is what one says to a task, ``None`` for a process that ends; ``greeting`` what each says when it begins.
    """

    answer: Callable[[TaskTerms], WorkerMessage | None] = done
    greeting: Callable[[int], WorkerMessage | None] = lambda number: READY
    given: list[TaskTerms] = field(default_factory=list)
    told: list[OrderKind] = field(default_factory=list)
    begun: int = 0

    @property
    def names(self) -> list[str]:
        """The tasks in the order in which they were given."""
        return [terms.task.name for terms in self.given]


class Colleague(WorkerProcess):
    """A worker of ``place`` without a process."""

    def __init__(self, place: Workplace, name: str, setup_file: Path, environment: Mapping[str, str]) -> None:
        setup = msgspec.msgpack.decode(setup_file.read_bytes(), type=WorkerSetup)
        self._place, self.name = place, name
        self._folder = Path(msgspec.json.decode(setup.data, type=BenchmarkPlaces).out)
        self.connection, self._theirs = multiprocessing.Pipe()
        self.is_ready, self.task, self.processor = False, None, 0.0
        place.begun += 1
        self._say(place.greeting(place.begun - 1))

    def send(self, order: WorkerOrder) -> None:
        """Note the order; a task is over at once, and so is a stop."""
        self._place.told.append(order.kind)
        if order.kind is OrderKind.STOP and self.task is not None:
            self._say(STOPPED)
        if order.kind is OrderKind.TASK:
            terms = msgspec.json.decode(msgspec.msgpack.decode(order.task, type=FolderTask).data, type=TaskTerms)
            self._place.given.append(terms)
            self._say(self._place.answer(terms))

    def exit_reason(self) -> str:
        """Always the same."""
        return "its process was killed (signal 9)"

    def end(self) -> None:
        """Close both ends of the pipe."""
        self.connection.close()
        self._theirs.close()

    def _say(self, message: WorkerMessage | None) -> None:
        if message is None:
            self._theirs.close()
            return
        if message.outcome is not None and message.outcome.result:
            answer = msgspec.msgpack.decode(message.outcome.result, type=FolderAnswer)
            row = msgspec.json.decode(answer.data, type=BenchmarkRow)
            task_folder(self._folder, row.task).mkdir(parents=True, exist_ok=True)
            write_row(self._folder, row)
        self._theirs.send_bytes(msgspec.msgpack.encode(message))

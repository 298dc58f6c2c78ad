"""Workers of a benchmark without processes: every task is over at once, as the test says."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from firegui.analyses.benchmark.worker_pool import WorkerProcess
from firegui.analyses.task_channel import MessageType, TaskReport, WorkerOrder
from firegui.analyses.task_files import task_folder, write_row
from firegui.domain.benchmark import TaskTerms
from tests.unit.domain.benchmark_samples import made_row


def done(terms: TaskTerms) -> TaskReport | None:
    """The made-up row of the task."""
    return TaskReport(MessageType.DONE, row=made_row(terms.task))


@dataclass
class Workplace:
    """What the workers of a test do, and what they were told.

    ``answer`` is what one says to a task, ``None`` for a process that ends; ``greeting`` what each says when it begins.
    """

    answer: Callable[[TaskTerms], TaskReport | None] = done
    greeting: Callable[[int], TaskReport | None] = lambda number: TaskReport(MessageType.READY)
    given: list[TaskTerms] = field(default_factory=list)
    told: list[MessageType] = field(default_factory=list)
    begun: int = 0

    @property
    def names(self) -> list[str]:
        """The tasks in the order in which they were given."""
        return [terms.task.name for terms in self.given]


class Colleague(WorkerProcess):
    """A worker of ``place`` without a process."""

    def __init__(self, place: Workplace, folder: Path) -> None:
        self._place, self._folder = place, folder
        self.connection, self._theirs = multiprocessing.Pipe()
        self.is_ready, self.terms, self.progress, self.processor = False, None, None, 0.0
        place.begun += 1
        self._say(place.greeting(place.begun - 1))

    def send(self, order: WorkerOrder) -> None:
        """Note the order; a task is over at once, and so is a stop."""
        self._place.told.append(order.word)
        if order.word is MessageType.STOP and self.terms is not None:
            self._say(TaskReport(MessageType.STOPPED))
        if order.terms is not None:
            self._place.given.append(order.terms)
            self._say(self._place.answer(order.terms))

    def exit_reason(self) -> str:
        """Always the same."""
        return "its process was killed (signal 9)"

    def end(self) -> None:
        """Close both ends of the pipe."""
        self.connection.close()
        self._theirs.close()

    def _say(self, report: TaskReport | None) -> None:
        if report is None:
            self._theirs.close()
            return
        if report.row is not None:
            task_folder(self._folder, report.row.task).mkdir(parents=True, exist_ok=True)
            write_row(self._folder, report.row)
        self._theirs.send_bytes(report.encoded())

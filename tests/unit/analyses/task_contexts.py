"""TaskContexts at which tasks are carried out on the real engine, in the process of the test."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from firegui.analyses.execution.process_worker import WorkerChannel
from firegui.analyses.execution.tasks import TaskLink
from firegui.analyses.planner_task import TaskContext
from firegui.domain.benchmark import BenchmarkRow, PlannerName, PlannerTask, TaskTerms
from firegui.domain.project import Project
from firegui.errors import Check
from firegui.runs.engine import Engine
from tests.support import make_project

ALLOWANCE, BUDGET = 40, 9

TaskContexts = Callable[..., TaskContext]


def channel_of(context: TaskContext) -> WorkerChannel:
    """The end that stops the context's task."""
    assert isinstance(context.link, ChannelLink)
    return context.link.channel


class ChannelLink(TaskLink):
    """The link of a task in a worker process. ``other`` is the executor's end of the pipe."""

    def __init__(self, channel: WorkerChannel, other: Connection) -> None:
        super().__init__(channel.control, channel.send_report)
        self.channel, self.other = channel, other


class ObservedEngine(Engine):
    """The real one; ``before`` is told of every step of a task, counted from 0, before it is taken."""

    def __init__(self, before: Callable[[int], None] = lambda step: None) -> None:
        self.before = before

    def task_run(self, *arguments: Any) -> Any:  # type: ignore[override]
        task = super().task_run(*arguments)
        advance, steps = task.advance, iter(range(1_000_000))

        def told(check: Check | None = None) -> None:
            self.before(next(steps))
            advance(check)

        task.advance = told  # type: ignore[method-assign]
        return task


def terms_of(name: PlannerName, seed: int = 0) -> TaskTerms:
    two_stage = name is PlannerName.TWO_STAGE
    return TaskTerms(PlannerTask(name, seed), 0 if two_stage else ALLOWANCE, 0 if two_stage else BUDGET, 10.0)


def measured(row: BenchmarkRow) -> BenchmarkRow:
    """The row without what a clock says."""
    return replace(row, seconds=0.0, gradient_cost=None)


def make_contexts(tmp_path: Path) -> Iterator[TaskContexts]:
    """Makes contexts in folders of the test; the other end of a context's channel is ``context.link.other``."""
    ends = []

    def make(name: str, project: Project | None = None, **changes: Any) -> TaskContext:
        project = make_project(epochs=8) if project is None else project
        ours, theirs = multiprocessing.Pipe()
        ends.append(ours)
        engine = ObservedEngine()
        model = engine.build(project, project.plan.nominal, "cpu")
        channel = WorkerChannel(theirs, leave=lambda code: None)
        link = ChannelLink(channel, ours)
        return replace(TaskContext(tmp_path / name, tmp_path, "cpu", project, engine, model, link, 1e9), **changes)

    yield make
    for end in ends:
        end.close()

"""What of a benchmark is done, at work, and to come; which task is next. No processes and no files."""

from __future__ import annotations

from collections.abc import Iterable

from firegui.domain.benchmark import (
    FIXED_COST,
    BenchmarkRow,
    BenchmarkSettings,
    BenchmarkTable,
    PlannerName,
    Task,
    TaskTerms,
)
from firegui.runs.benchmark_folder import table_of, terms_of

NO_DROPS = (
    "the two-stage plan has no drops, so it gives no budget to compare the planners under: give a budget, or let it"
    " find a plan with more epochs, other weights or fewer grounded days"
)


class Agenda:
    """The tasks of ``settings``, of which ``rows`` are done; ``pinned`` says that some drops are pinned."""

    def __init__(self, settings: BenchmarkSettings, rows: Iterable[BenchmarkRow], *, pinned: bool) -> None:
        self._settings, self._pinned = settings, pinned
        self._rows = {row.task: row for row in rows}
        self._begun: set[Task] = set()
        self.failed: dict[Task, str] = {}

    @property
    def table(self) -> BenchmarkTable:
        """The rows so far."""
        return table_of(self._settings, self._rows.values())

    @property
    def obstacle(self) -> str:
        """Why no task can be begun any more although some are not done; empty where there is no such reason."""
        table, done = self.table, {task.planner for task in self._rows}
        if table.complete or PlannerName.TWO_STAGE not in done or table.budget > 0:
            return ""
        return NO_DROPS

    def ready(self) -> list[TaskTerms]:
        """Every task that can be begun now, the longest first."""
        table = self.table
        waiting = (task for task in table.missing if task not in self._begun and task not in self.failed)
        found = [terms_of(table, task) for task in waiting if self._is_known(task, table)]
        return sorted(found, key=_order)

    def begin(self, task: Task) -> None:
        """``task`` was given to somebody."""
        self._begun.add(task)

    def finish(self, row: BenchmarkRow) -> None:
        """A task is done."""
        self._rows[row.task] = row

    def fail(self, task: Task, why: str) -> None:
        """A task cannot be done; it is not begun again."""
        self.failed[task] = why

    def _is_known(self, task: Task, table: BenchmarkTable) -> bool:
        """Whether everything that ``task`` is run under is known."""
        if task.planner is PlannerName.TWO_STAGE:
            return True
        if task.matched and table.matched_allowance == 0:
            return False
        # Without a drop there is none over any budget.
        return table.budget > 0 or (task.planner is PlannerName.NONE and not self._pinned)


def _order(terms: TaskTerms) -> tuple[bool, bool, int, Task]:
    task = terms.task
    return task.planner is not PlannerName.TWO_STAGE, task.planner in FIXED_COST, -terms.allowance, task

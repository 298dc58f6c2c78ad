"""The lines of a benchmark: planners over their seeds, below them the seeds; tasks and how far they are; decisions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QColor

from firegui.domain.benchmark import (
    GRADIENT_CHARGE,
    LEVELS,
    BenchmarkRow,
    BenchmarkTable,
    DeploymentRow,
    Group,
    PlannerName,
    Task,
    deployment,
)
from firegui.gui.analyses.benchmark.benchmark_text import task_name
from firegui.gui.base.number_text import duration, number
from firegui.gui.base.theme import current_colors
from firegui.gui.widgets.columns_model import ROOT, SORT_ROLE, Column, ColumnsModel, Index
from firegui.runs.benchmark_printed import (
    NOTHING,
    cells_digits,
    dimension_text,
    duration_text,
    epoch_text,
    objective_text,
    seconds_text,
    spread_text,
)
from firegui.runs.events import TaskProgress

PROTECTED = 4
"""The column of the protected regions, of no use where there are none."""
OBJECTIVE = 5


def _cells(name: str) -> tuple[Callable[[Any], str], Callable[[Any], float]]:
    return (lambda group: spread_text(group.metric(name), cells_digits)), (lambda group: group.metric(name).mean)


def _violated(group: Group) -> int:
    return sum(asdict(group.violations).values())


def _epoch(group: Group) -> float:
    return math.nan if group.gradient_cost is None else group.gradient_cost.mean


COLUMNS = (
    Column("Planner", "mean ± standard deviation over the seeds, which are below it", lambda group: group.title,
           lambda group: list(PlannerName).index(group.planner) + 0.5 * group.matched),
    Column("Drops", "executed drops", *_cells("drops_executed")),
    Column("Final\nextent", "sum of the probabilities that cells have burned at the end, in cells",
           *_cells("final_extent_cells")),
    Column("Occupancy\ncell-days", "sum of the same over time, in cell-days", *_cells("occupancy_cell_days")),
    Column("Protected\ncells", "final extent inside the protected regions, in cells", *_cells("protected_cells")),
    Column("Objective\nwith penalty",
           "shared objective at nominal effectiveness, with the penalty for drops over the budget",
           objective_text, lambda group: group.objective.mean),
    Column("Charged\nrollouts", f"charged rollout-equivalents; a gradient epoch is charged {GRADIENT_CHARGE}",
           lambda group: spread_text(group.evaluations, lambda _: 0), lambda group: group.evaluations.mean),
    Column("Runtime\nprocessor s", "seconds of one thread's processor time on this machine",
           lambda group: seconds_text(group.seconds), lambda group: group.seconds.mean),
    Column("Epoch\ntook / charged", "what a gradient epoch took and is charged, in rollouts of the same schedules",
           epoch_text, _epoch),
    Column("Search\ndimension", "variables searched", dimension_text, lambda group: group.rows[0].dimension),
    Column("Drops\nproposed", "before the gates", lambda group: spread_text(group.candidates, lambda _: 0),
           lambda group: group.candidates.mean),
    Column("Rule\nviolations", "what the independent audit counts of the executed drops, all seeds together",
           lambda group: f"{_violated(group):,}", _violated),
)  # fmt: skip


class BenchmarkModel(QAbstractItemModel):
    """A line a planner, and below one that was run with several seeds a line a seed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[Group, ...] = ()
        self._seeds: tuple[tuple[Group, ...], ...] = ()

    def show(self, table: BenchmarkTable | None) -> None:
        """Show another table, or none."""
        self.beginResetModel()
        self._groups = () if table is None else table.groups
        self._seeds = tuple(
            tuple(Group(group.planner, group.matched, (row,)) for row in group.rows) if len(group.rows) > 1 else ()
            for group in self._groups
        )
        self.endResetModel()

    @property
    def titles(self) -> tuple[str, ...]:
        """The headings, each on one line."""
        return tuple(column.title.replace("\n", " ") for column in COLUMNS)

    def group(self, index: Index) -> Group:
        """The line of ``index``: a planner's, or one seed of it."""
        above = int(index.internalId())
        return self._seeds[above - 1][index.row()] if above else self._groups[index.row()]

    def row(self, index: Index) -> BenchmarkRow:
        """The task of a line; of several seeds the one with the lowest objective."""
        return min(self.group(index).rows, key=lambda row: row.objective)

    # -- Qt's questions ----------------------------------------------------------------------------------------------
    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        """A cell; it carries the number of the line above it from 1 on, 0 for none."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = ROOT) -> QModelIndex:  # type: ignore[override]
        """The planner of a seed."""
        above = int(index.internalId()) if index.isValid() else 0
        return self.createIndex(above - 1, 0, 0) if above else QModelIndex()

    def rowCount(self, parent: Index = ROOT) -> int:
        """The planners, or the seeds of one."""
        if not parent.isValid():
            return len(self._groups)
        return 0 if parent.internalId() or parent.column() else len(self._seeds[parent.row()])

    def columnCount(self, parent: Index = ROOT) -> int:
        """The same everywhere."""
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands above a column, and its explanation."""
        if orientation is not Qt.Orientation.Horizontal or section >= len(COLUMNS):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return COLUMNS[section].title
            case Qt.ItemDataRole.ToolTipRole:
                return COLUMNS[section].tip
            case Qt.ItemDataRole.TextAlignmentRole:
                return _side(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, in the given role."""
        group, column = self.group(index), COLUMNS[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                seed = bool(index.internalId()) and not index.column()
                return f"seed {group.rows[0].task.seed}" if seed else column.text(group)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _side(index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return _tip(group, column)
            case Qt.ItemDataRole.ForegroundRole if column is COLUMNS[-1] and _violated(group):
                return QColor(current_colors().error)
            case role if role == SORT_ROLE:
                value = column.value(group) if index.column() or not index.internalId() else group.rows[0].task.seed
                return math.inf if math.isnan(value) else value
        return None


def _tip(group: Group, column: Column) -> str:
    if column is COLUMNS[-1]:
        counts = ", ".join(f"{name} {count}" for name, count in asdict(group.violations).items())
        return f"{column.tip}\n{counts}"
    return f"{group.title}\n{column.tip}"


def _side(column: int) -> Qt.AlignmentFlag:
    return (Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter


# -- the tasks --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class TaskLine:
    """A task: done with its ``row``, at work as ``progress`` says, failed for what ``why`` says, or waiting."""

    task: Task
    row: BenchmarkRow | None = None
    progress: TaskProgress | None = None
    allowance: int = 0
    why: str = ""

    @property
    def state(self) -> str:
        """One word or two."""
        if self.row is not None:
            return "done"
        if self.progress is not None:
            return "at work"
        return "failed" if self.why else "waiting"

    @property
    def spent(self) -> float:
        """Rollout-equivalents charged so far."""
        if self.row is not None:
            return self.row.evaluations
        return math.nan if self.progress is None else self.progress.spent

    @property
    def best(self) -> float:
        """The best objective so far; of one that is done its score."""
        if self.row is not None:
            return self.row.objective
        return math.nan if self.progress is None else self.progress.best

    @property
    def seconds(self) -> float:
        """Processor time so far."""
        if self.row is not None:
            return self.row.seconds
        return math.nan if self.progress is None else self.progress.seconds


_STATES = ("at work", "failed", "waiting", "done")
_STATE = 1
"""The column of the state."""
_TASK_COLUMNS = (
    Column("Task", "planner and seed", lambda line: task_name(line.task), lambda line: line.task.seed),
    Column("State", "", lambda line: line.state, lambda line: _STATES.index(line.state)),
    Column("Spent", "rollout-equivalents charged so far", lambda line: _whole(line.spent), lambda line: line.spent),
    Column("Allowance", "what it may spend; fixed for planners without a search, unknown for the two-stage plan",
           lambda line: _whole(line.allowance or math.nan), lambda line: line.allowance or math.nan),
    Column("Best", "objective so far, at the effectiveness that is searched at; of one that is done its score",
           lambda line: number(line.best), lambda line: line.best),
    Column("Processor time", "of one thread", lambda line: duration(line.seconds), lambda line: line.seconds),
)  # fmt: skip


class TasksModel(ColumnsModel):
    """A line a task: those at work, failed, that wait, that are done; it stays while only numbers change."""

    def show(self, table: BenchmarkTable | None, running: Sequence[TaskProgress], failed: Mapping[Task, str]) -> None:
        """Show the tasks of ``table``, those ``running`` with how far they are, those that ``failed`` with why."""
        lines = () if table is None else _task_lines(table, running, failed)
        if lines and [line.task for line in lines] == [line.task for line in self._rows]:
            self._rows = lines
            self.dataChanged.emit(self.index(0, 0), self.index(len(lines) - 1, len(_TASK_COLUMNS) - 1))
        else:
            self.set_rows(lines, _TASK_COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows; why a task failed is said where the mouse rests on it."""
        line = self._rows[index.row()]
        if line.state == "failed":
            if role == Qt.ItemDataRole.ForegroundRole and index.column() == _STATE:
                return QColor(current_colors().error)
            if role == Qt.ItemDataRole.ToolTipRole:
                return line.why
        return super().data(index, role)


def _task_lines(
    table: BenchmarkTable, running: Sequence[TaskProgress], failed: Mapping[Task, str]
) -> tuple[TaskLine, ...]:
    rows, at_work = {row.task: row for row in table.rows}, {one.task: one for one in running}
    allowances = {False: table.settings.allowance, True: table.matched_allowance}
    lines = (
        TaskLine(
            task, rows.get(task), at_work.get(task),
            0 if task.planner in LEVELS else allowances[task.matched], failed.get(task, ""),
        )
        for task in table.tasks
    )  # fmt: skip
    return tuple(sorted(lines, key=lambda line: _STATES.index(line.state)))


def _whole(value: float) -> str:
    return NOTHING if math.isnan(value) else f"{value:,.0f}"


# -- which planner when -----------------------------------------------------------------------------------------------
_WORDS = 3
"""So many of the columns are words."""
_DEPLOYMENT = (
    Column("Decision", "what a plan is needed for", lambda row: row.decision, lambda row: row.available),
    Column("Time available", "", lambda row: duration_text(row.available), lambda row: row.available),
    Column("Planner", "the lowest mean objective of those whose slowest seed fits into the time",
           lambda row: "none that was run takes so little" if row.group is None else row.group.title,
           lambda row: row.available),
    Column("Runtime", "processor time of its slowest seed, one thread", lambda row: _time(row.seconds),
           lambda row: math.nan if row.seconds is None else row.seconds),
    Column("Objective", "mean over the seeds", lambda row: NOTHING if row.group is None else objective_text(row.group),
           lambda row: math.nan if row.group is None else row.group.objective.mean),
    Column("Extent\nreduction", "of the mean final extent, against the fire without drops",
           lambda row: NOTHING if row.reduction is None else f"{row.reduction:.1%}",
           lambda row: math.nan if row.reduction is None else row.reduction),
)  # fmt: skip


class DeploymentModel(ColumnsModel):
    """Which planner for the time available (paper, Table ``planner_deployment``)."""

    def show(self, table: BenchmarkTable | None) -> None:
        """Show what another table comes to."""
        rows: tuple[DeploymentRow, ...] = () if table is None or not table.rows else deployment(table)
        self.set_rows(rows, _DEPLOYMENT if rows else ())

    def _side(self, column: int) -> Qt.AlignmentFlag:
        return _side(0 if column < _WORDS else column)


def _time(seconds: float | None) -> str:
    return NOTHING if seconds is None else duration_text(seconds)

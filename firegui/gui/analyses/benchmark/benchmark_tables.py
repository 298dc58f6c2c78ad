"""Tables of a benchmark: planners with seeds, tasks with progress, and the recommended planners."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QSignalBlocker,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from firegui.analyses.benchmark.report import (
    cells_digits,
    dimension_text,
    duration_text,
    epoch_text,
    growth_text,
    objective_text,
    seconds_text,
    spread_text,
    time_available_text,
    used_digits,
    worst_text,
)
from firegui.domain.benchmark import (
    GRADIENT_CHARGE,
    LEVELS,
    BenchmarkRow,
    BenchmarkTable,
    DeploymentRow,
    Group,
    PlannerName,
    PlannerTask,
    SeedSpread,
    joined_deployment,
)
from firegui.domain.stress import case_text
from firegui.domain.units import Units, percent_text
from firegui.gui.analyses.benchmark.benchmark_text import Tasks, task_name
from firegui.gui.base.number_text import duration, number
from firegui.gui.base.plain_text import tooltip
from firegui.gui.widgets.table_model import ROOT, SORT_ROLE, Column, Index
from firegui.gui.widgets.wrapped_header import WrappedHeader
from firegui.runs.events import TaskProgress

_RowKey = tuple[PlannerName, bool, int | None]
"""Identifies a row independently of its tasks: planner, whether at the matched allowance, and seed."""
PROTECTED = 4
"""Column of the protected regions, hidden if there are none."""
OBJECTIVE = 5
_EXTENT, _EXTENT_DAYS = "cells", "cell-days"
"""Units of extents as the results have them."""
_VOLUME = "US gal"


# -- planners ---------------------------------------------------------------------------------------------------------
def _cells(title: str, tip: str, unit: str, name: str) -> Column:
    return Column(title, lambda group: group.metric(name), lambda spread: spread_text(spread, cells_digits), tip, unit,
                  sort_key=_mean)  # fmt: skip


def _used(title: str, tip: str, unit: str, name: str) -> Column:
    """Return the column of what drops take, with a dash where it is not known."""
    return Column(title, lambda group: group.used(name), lambda spread: spread_text(spread, used_digits(name)), tip,
                  unit, sort_key=_mean)  # fmt: skip


def _mean(spread: Any) -> Any:
    return spread.mean


def _rounded(spread: Any) -> str:
    return spread_text(spread, lambda _: 0)


def _violated(group: Group) -> int:
    return sum(asdict(group.violations).values())


def _violations_tip(group: Group) -> str:
    counts = ", ".join(f"{name} {count}" for name, count in asdict(group.violations).items())
    return f"{_AUDIT}\n{counts}"


def _stress_tip(group: Group) -> str:
    if not group.tested:
        return "Growth left in stress scenarios: not tested"
    scenarios = {one.scenario.name: one.scenario for table in group.tested for one in table.results}
    lines = [f"{case_text(one)}: {growth_text(group.growth_left(name))}" for name, one in scenarios.items()]
    return "\n".join(["Growth left in stress scenarios", f"in the model: {growth_text(group.growth_left())}", *lines])


_AUDIT = "what the independent audit counts of the planned drops, all seeds together"
COLUMNS = (
    Column("Planner", lambda group: group, lambda group: group.remark,
           "mean ± standard deviation over the seeds, which are below it", is_text=True,
           sort_key=lambda group: list(PlannerName).index(group.planner) + 0.5 * group.matched),
    _cells("Drops", "planned drops", "", "drops_executed"),
    _cells("Final size", "sum of the probabilities that cells have burned at the end", _EXTENT, "final_extent_cells"),
    _cells("Burned area over time", "sum of the same over time", _EXTENT_DAYS, "occupancy_cell_days"),
    _cells("In regions", "final size inside the protected regions", _EXTENT, "protected_cells"),
    Column("Objective", lambda group: group, objective_text,
           "shared objective at expected effectiveness, with the penalty for drops over the budget", "with penalty",
           sort_key=lambda group: group.objective.mean),
    Column("Worst case", lambda group: group if group.tested else None, worst_text,
           "growth of the fire left in the worst stress scenario, and the name of the scenario", "growth left",
           sort_key=lambda group: group.worst_growth_left.mean, cell_tip=_stress_tip),
    Column("Charged", lambda group: group.evaluations, _rounded,
           f"fire simulations that were charged; a search step is charged {GRADIENT_CHARGE}", "simulations",
           sort_key=_mean),
    Column("Runtime", lambda group: group.seconds, seconds_text,
           "seconds of one thread's processor time on this machine", "processor s", sort_key=_mean),
    Column("Search step", lambda group: None if group.gradient_cost is None else group, epoch_text,
           "what a search step took and is charged, in fire simulations of the same schedules", "took / charged",
           sort_key=lambda group: group.gradient_cost.mean),
    Column("Search", lambda group: group, dimension_text, "variables searched", "dimension",
           sort_key=lambda group: group.rows[0].dimension),
    Column("Drops", lambda group: group.candidates, _rounded, "before the gates", "proposed", sort_key=_mean),
    _used("Volume", "retardant and water of all drops", _VOLUME, "gallons"),
    _used("Flight hours", "turnarounds of all drops", "", "flight_hours"),
    _used("Cost", "by the prices of the fleet; a dash where a type that drops has none", "", "cost"),
    Column("Rule", _violated, "{:,}".format, _AUDIT, "violations", cell_tip=_violations_tip,
           color=lambda group: "error" if _violated(group) else None),
)  # fmt: skip


@lru_cache(maxsize=16)
def columns_in(units: Units, cell_ha: float) -> tuple[Column, ...]:
    """Return the columns with areas and volumes in ``units``; a cell has ``cell_ha`` hectares."""
    cell, gallon = units.area_value(cell_ha), units.volume_value(1.0)
    scales = {
        _EXTENT: (units.area_unit, cell), _EXTENT_DAYS: (units.area_days_unit, cell),
        _VOLUME: (units.volume_unit, gallon),
    }  # fmt: skip

    def scaled(factor: float, spread: SeedSpread) -> str:
        sd = None if spread.sd is None else factor * spread.sd
        return spread_text(SeedSpread(factor * spread.mean, sd), cells_digits)

    def tip(column: Column) -> Callable[[Group], str]:
        return lambda group: f"{group.title}\n{column.tip}\n{column.text(group)} {column.unit}"

    return tuple(
        replace(
            column, format=partial(scaled, scales[column.unit][1]), unit=scales[column.unit][0], cell_tip=tip(column)
        )
        if column.unit in scales
        else column
        for column in COLUMNS
    )


class BenchmarkModel(QAbstractItemModel):
    """Model with a row per planner, and child rows for the seeds of a planner with several."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: tuple[Group, ...] = ()
        self._seeds: tuple[tuple[Group, ...], ...] = ()
        self._columns: tuple[Column, ...] = COLUMNS

    def show(self, table: BenchmarkTable | None, columns: tuple[Column, ...] = COLUMNS) -> None:
        """Show another table, or none, in ``columns``."""
        self.beginResetModel()
        self._columns = columns
        self._groups = () if table is None else table.groups
        self._seeds = tuple(
            tuple(Group(group.planner, group.matched, (row,)) for row in group.rows) if len(group.rows) > 1 else ()
            for group in self._groups
        )
        self.endResetModel()

    def group(self, index: Index) -> Group:
        """Return the results of a row: those of a planner, or one of its seeds."""
        above = int(index.internalId())
        return self._seeds[above - 1][index.row()] if above else self._groups[index.row()]

    def row(self, index: Index) -> BenchmarkRow:
        """Return the task of a row; of several seeds the one with the lowest objective."""
        return min(self.group(index).rows, key=lambda row: row.objective)

    # -- Qt's model interface ----------------------------------------------------------------------------------------
    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        """Return the index of a cell.

        Its id is the number of its planner's row, counted from 1, and 0 for the planner itself.
        """
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = ROOT) -> QModelIndex:  # type: ignore[override]
        """Return the planner of a seed."""
        above = int(index.internalId()) if index.isValid() else 0
        return self.createIndex(above - 1, 0, 0) if above else QModelIndex()

    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of planners, or of the seeds of one."""
        if not parent.isValid():
            return len(self._groups)
        return 0 if parent.internalId() or parent.column() else len(self._seeds[parent.row()])

    def columnCount(self, parent: Index = ROOT) -> int:
        """Return the number of columns."""
        return len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the heading, tooltip or alignment of a column."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        return self._columns[section].heading_data(role)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the content of a cell in ``role``."""
        group, column = self.group(index), self._columns[index.column()]
        if index.internalId() and not index.column() and role in (Qt.ItemDataRole.DisplayRole, SORT_ROLE):
            seed = group.rows[0].task.seed
            return seed if role == SORT_ROLE else f"seed {seed}"
        if role == Qt.ItemDataRole.ToolTipRole and column.cell_tip is None:
            return tooltip(f"{group.title}\n{column.tip}")
        return column.cell_data(group, role)


class PlannersTable(QTreeView):
    """Planners of a benchmark with collapsible seeds, at first sorted by the best objective."""

    chosen = Signal()
    """The selected lines changed."""
    opened = Signal(object)
    """The ``PlannerTask`` of a line that was double-clicked or entered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines, self._sorted = BenchmarkModel(self), QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.lines)
        self._sorted.setSortRole(SORT_ROLE)
        self.setHeader(WrappedHeader(self))
        self.setModel(self._sorted)
        self.setAccessibleName("Planners")
        self.setToolTip(tooltip("Double-click a line to see its fire on the map; choose two to compare them"))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setAlternatingRowColors(True)
        self.setUniformRowHeights(True)
        # The same height as the lines of the other tables.
        self.setStyleSheet("QTreeView::item { padding: 3px 0; }")
        self.setExpandsOnDoubleClick(False)
        self.setSortingEnabled(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header = self.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(False)
        self.sortByColumn(OBJECTIVE, Qt.SortOrder.AscendingOrder)
        self.activated.connect(self._on_activated)
        self.selectionModel().selectionChanged.connect(self._on_selection)

    # -- for others --------------------------------------------------------------------------------------------------
    @property
    def best(self) -> tuple[PlannerTask, ...]:
        """The best task of every selected line; that with the highest objective first."""
        rows = {row.task: row for row in map(self.lines.row, self._chosen_lines())}
        return tuple(sorted(rows, key=lambda task: -rows[task].objective))

    @property
    def all_chosen(self) -> Tasks:
        """All tasks of the selected lines."""
        return frozenset(row.task for index in self._chosen_lines() for row in self.lines.group(index).rows)

    def show_table(self, table: BenchmarkTable | None, *, regions: bool, columns: tuple[Column, ...] = COLUMNS) -> None:
        """Show other lines; those that remain stay selected and expanded."""
        chosen = {self._row_key(index) for index in self._chosen_lines()}
        unfolded = {self._row_key(index) for index in self._all() if self.isExpanded(self._sorted.mapFromSource(index))}
        bars = [(bar, bar.value()) for bar in (self.verticalScrollBar(), self.horizontalScrollBar())]
        with QSignalBlocker(self.selectionModel()):
            self.lines.show(table, columns)
        for index in list(self._all()):
            if self._row_key(index) in unfolded:
                self.expand(self._sorted.mapFromSource(index))
        self.setColumnHidden(PROTECTED, not regions)
        self._select([index for index in self._all() if self._row_key(index) in chosen])
        for bar, value in bars:  # Keep the scroll position that the user chose.
            bar.setValue(value)

    def choose(self, tasks: Tasks) -> None:
        """Select exactly the lines of ``tasks`` and scroll to them, without emitting a signal."""
        found, left = [], set(tasks)
        for index in self._all():
            own = {row.task for row in self.lines.group(index).rows}
            if own <= left:
                left -= own
                found.append(index)
        self._select(found)
        for index in found:
            self.scrollTo(self._sorted.mapFromSource(index))

    # -- lines -------------------------------------------------------------------------------------------------------
    def _all(self) -> Iterator[QModelIndex]:
        """Yield all lines of the model, each planner before its seeds."""
        for row in range(self.lines.rowCount()):
            above = self.lines.index(row, 0)
            yield above
            yield from (self.lines.index(seed, 0, above) for seed in range(self.lines.rowCount(above)))

    def _row_key(self, index: QModelIndex) -> _RowKey:
        group = self.lines.group(index)
        return group.planner, group.matched, group.rows[0].task.seed if index.parent().isValid() else None

    def _select(self, lines: Iterable[QModelIndex]) -> None:
        """Select exactly ``lines``, without emitting a signal or scrolling."""
        flags, selection = QItemSelectionModel.SelectionFlag, self.selectionModel()
        with QSignalBlocker(selection):
            selection.clearSelection()
            for index in lines:
                selection.select(self._sorted.mapFromSource(index), flags.Select | flags.Rows)
        self.viewport().update()

    def _chosen_lines(self) -> list[QModelIndex]:
        return [self._sorted.mapToSource(index) for index in self.selectionModel().selectedRows()]

    # -- what happens ------------------------------------------------------------------------------------------------
    def _on_activated(self, index: QModelIndex) -> None:
        self.opened.emit(self.lines.row(self._sorted.mapToSource(index)).task)

    def _on_selection(self) -> None:
        self.chosen.emit()


# -- tasks ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class TaskStatus:
    """Status of a task: done (``row``), running (``progress``), failed (reason ``why``) or waiting."""

    task: PlannerTask
    row: BenchmarkRow | None = None
    progress: TaskProgress | None = None
    allowance: int = 0
    why: str = ""

    @property
    def state(self) -> str:
        """``done``, ``running``, ``failed`` or ``waiting``."""
        if self.row is not None:
            return "done"
        if self.progress is not None:
            return "running"
        return "failed" if self.why else "waiting"

    def failure(self) -> str | None:
        """Return why a task failed."""
        return self.why if self.state == "failed" else None

    @property
    def spent(self) -> float:
        """Rollout-equivalents charged so far."""
        if self.row is not None:
            return self.row.evaluations
        return math.nan if self.progress is None else self.progress.spent

    @property
    def best(self) -> float:
        """Best objective so far; the score of a finished task."""
        if self.row is not None:
            return self.row.objective
        return math.nan if self.progress is None else self.progress.best

    @property
    def seconds(self) -> float:
        """Processor time so far."""
        if self.row is not None:
            return self.row.seconds
        return math.nan if self.progress is None else self.progress.seconds


_STATES = ("running", "failed", "waiting", "done")
TASK_COLUMNS = (
    Column("Task", lambda line: line.task, task_name, "planner and seed", is_text=True,
           sort_key=lambda task: task.seed),
    Column("State", lambda line: line.state, is_text=True, sort_key=_STATES.index,
           color=lambda line: "error" if line.state == "failed" else None),
    Column("Spent", lambda line: line.spent, "{:,.0f}".format, "fire simulations charged so far"),
    Column("Allowance", lambda line: line.allowance or None, "{:,.0f}".format,
           "what it may spend; fixed for planners without a search, unknown for the two-stage plan"),
    Column("Best", lambda line: line.best, number,
           "objective so far, at the effectiveness that is searched at; of one that is done its score"),
    Column("Processor time", lambda line: line.seconds, duration, "of one thread"),
)  # fmt: skip


def task_rows(
    table: BenchmarkTable, running: Sequence[TaskProgress], failed: Mapping[PlannerTask, str]
) -> tuple[TaskStatus, ...]:
    """Return the tasks of ``table``: running ones first, then failed, waiting and finished ones."""
    rows, at_work = {row.task: row for row in table.rows}, {one.task: one for one in running}
    allowances = {False: table.settings.allowance, True: table.matched_allowance}
    lines = (
        TaskStatus(
            task, rows.get(task), at_work.get(task),
            0 if task.planner in LEVELS else allowances[task.matched], failed.get(task, ""),
        )
        for task in table.tasks
    )  # fmt: skip
    return tuple(sorted(lines, key=lambda line: _STATES.index(line.state)))


# -- which planner when -----------------------------------------------------------------------------------------------
DEPLOYMENT_COLUMNS = (
    Column("Decision", lambda row: row.decision, tip="what a plan is needed for", is_text=True),
    Column("Time available", lambda row: row, time_available_text, is_text=True, sort_key=lambda row: row.available),
    Column("Planner", lambda row: row.group, lambda group: group.remark,
           "the lowest mean objective of those whose slowest seed fits into the time", is_text=True,
           sort_key=lambda group: group.title, missing="none that was run takes so little"),
    Column("Runtime", lambda row: row.seconds, duration_text, "processor time of its slowest seed, one thread"),
    Column("Objective", lambda row: row.group, objective_text, "mean over the seeds",
           sort_key=lambda group: group.objective.mean),
    Column("Extent", lambda row: row.reduction, partial(percent_text, digits=1),
           "of the mean final extent, against the fire without drops", "reduction"),
)  # fmt: skip


def deployment_rows(table: BenchmarkTable | None) -> tuple[DeploymentRow, ...]:
    """Return the recommended planner for the time available (paper, Table ``planner_deployment``)."""
    return () if table is None or not table.rows else joined_deployment(table)

"""The table of a benchmark: a line a planner, its seeds folded below it; lines are chosen by what they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSignalBlocker, QSortFilterProxyModel, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from firegui.domain.benchmark import BenchmarkTable, PlannerName, Task
from firegui.gui.analyses.benchmark.benchmark_tables import OBJECTIVE, PROTECTED, BenchmarkModel
from firegui.gui.widgets.columns_model import SORT_ROLE

Tasks = frozenset[Task]
_Name = tuple[PlannerName, bool, int | None]
"""What a line stands for whatever rows it has by now: a planner, at the matched allowance or not, and a seed of it."""


class PlannersTable(QTreeView):
    """See the module. It is sorted by any column, at first by the objective, the best first."""

    chosen = Signal()
    """Other lines are chosen."""
    opened = Signal(object)
    """The ``Task`` of a line that was double-clicked or entered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lines, self._sorted = BenchmarkModel(self), QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.lines)
        self._sorted.setSortRole(SORT_ROLE)
        self.setModel(self._sorted)
        self.setAccessibleName("Planners")
        self.setToolTip("Double-click a line to see its fire on the map; choose two to compare them")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setAlternatingRowColors(True)
        self.setUniformRowHeights(True)
        # As high as the lines of the other tables.
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
    def titles(self) -> tuple[str, ...]:
        """The headings of the columns that are shown, each on one line."""
        return tuple(title for k, title in enumerate(self.lines.titles) if not self.isColumnHidden(k))

    @property
    def best(self) -> tuple[Task, ...]:
        """The task of every chosen line, of several seeds the best; that with the highest objective first."""
        rows = {row.task: row for row in map(self.lines.row, self._chosen_lines())}
        return tuple(sorted(rows, key=lambda task: -rows[task].objective))

    @property
    def all_chosen(self) -> Tasks:
        """Every task that the chosen lines stand for."""
        return frozenset(row.task for index in self._chosen_lines() for row in self.lines.group(index).rows)

    def show_table(self, table: BenchmarkTable | None, *, regions: bool) -> None:
        """Show other lines; those that are still there stay chosen and unfolded."""
        chosen = {self._name(index) for index in self._chosen_lines()}
        unfolded = {self._name(index) for index in self._all() if self.isExpanded(self._sorted.mapFromSource(index))}
        bars = [(bar, bar.value()) for bar in (self.verticalScrollBar(), self.horizontalScrollBar())]
        with QSignalBlocker(self.selectionModel()):
            self.lines.show(table)
        for index in list(self._all()):
            if self._name(index) in unfolded:
                self.expand(self._sorted.mapFromSource(index))
        self.setColumnHidden(PROTECTED, not regions)
        self._select([index for index in self._all() if self._name(index) in chosen])
        for bar, value in bars:  # where a person left it
            bar.setValue(value)

    def choose(self, tasks: Tasks) -> None:
        """Choose the lines that stand for ``tasks`` and nothing else, and bring them into view, without saying so."""
        found, left = [], set(tasks)
        for index in self._all():
            own = {row.task for row in self.lines.group(index).rows}
            if own <= left:
                left -= own
                found.append(index)
        self._select(found)
        for index in found:
            self.scrollTo(self._sorted.mapFromSource(index))

    def shown_rows(self) -> Iterator[list[str]]:
        """The texts of the lines as they are shown: sorted, seeds where they are unfolded."""
        for row in range(self._sorted.rowCount()):
            above = self._sorted.index(row, 0)
            yield self._texts(above)
            if self.isExpanded(above):
                yield from (self._texts(self._sorted.index(seed, 0, above)) for seed in range(self._seeds(above)))

    # -- lines -------------------------------------------------------------------------------------------------------
    def _all(self) -> Iterator[QModelIndex]:
        """Every line of the model, seeds after their planner."""
        for row in range(self.lines.rowCount()):
            above = self.lines.index(row, 0)
            yield above
            yield from (self.lines.index(seed, 0, above) for seed in range(self.lines.rowCount(above)))

    def _name(self, index: QModelIndex) -> _Name:
        group = self.lines.group(index)
        return group.planner, group.matched, group.rows[0].task.seed if index.parent().isValid() else None

    def _select(self, lines: Iterable[QModelIndex]) -> None:
        """Choose ``lines`` and nothing else, without saying so, where they are."""
        flags, selection = QItemSelectionModel.SelectionFlag, self.selectionModel()
        with QSignalBlocker(selection):
            selection.clearSelection()
            for index in lines:
                selection.select(self._sorted.mapFromSource(index), flags.Select | flags.Rows)
        self.viewport().update()

    def _chosen_lines(self) -> list[QModelIndex]:
        return [self._sorted.mapToSource(index) for index in self.selectionModel().selectedRows()]

    def _seeds(self, above: QModelIndex) -> int:
        return self._sorted.rowCount(above)

    def _texts(self, first: QModelIndex) -> list[str]:
        count = self._sorted.columnCount()
        return [str(first.siblingAtColumn(k).data()) for k in range(count) if not self.isColumnHidden(k)]

    # -- what happens ------------------------------------------------------------------------------------------------
    def _on_activated(self, index: QModelIndex) -> None:
        self.opened.emit(self.lines.row(self._sorted.mapToSource(index)).task)

    def _on_selection(self) -> None:
        self.chosen.emit()

"""A study as tables: a line a cell with what differs in it and what was measured, and a line a worker."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from firegui.domain.study import CASE, Cell, Value, value_text
from firegui.domain.study_table import MEASURES, StudyTable
from firegui.gui.base.number_text import duration, number
from firegui.gui.base.theme import current_colors
from firegui.gui.widgets.columns_model import Column, ColumnsModel, Index
from firegui.runs.events import CellProgress, WorkerSeen

_STATES = ("at work", "failed", "waiting", "done")


class CellsModel(ColumnsModel):
    """A line a cell. It sorts itself, and of thousands of cells says only of those that changed that they did.

    A proxy would ask for the number of every cell again and again, from the side of Qt, which takes seconds.
    """

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self.table: StudyTable | None = None
        self._running: dict[int, CellProgress] = {}
        self._places: dict[int, int] = {}
        self._by, self._order = 0, Qt.SortOrder.AscendingOrder

    def show(self, table: StudyTable | None, running: Sequence[CellProgress]) -> None:
        """Show the cells of ``table``, those ``running`` with how far they are; what is chosen stays chosen."""
        before, was_running = self.table, self._running
        self.table, self._running = table, {one.number: one for one in running}
        if table is None:
            self.set_rows((), ())
        elif before is None or before.cells is not table.cells or before.settings != table.settings:
            self.set_rows(table.cells, self._columns_of(table))
            self.sort(self._by, self._order)
        else:
            changed = (before.rows.keys() ^ table.rows.keys()) | (before.failed.keys() ^ table.failed.keys())
            self._say_changed(changed | was_running.keys() | self._running.keys())

    def set_rows(self, rows: Sequence[Any], columns: tuple[Column, ...]) -> None:
        """Show other cells."""
        super().set_rows(rows, columns)
        self._places = {cell.number: place for place, cell in enumerate(rows)}

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Put the cells in the order of a column; what has no number comes last. New numbers do not move them."""
        self._by, self._order = column, order
        if not 0 <= column < len(self._columns):
            return
        value, turn = self._columns[column].value, -1.0 if order is Qt.SortOrder.DescendingOrder else 1.0
        self.layoutAboutToBeChanged.emit()
        chosen = self.persistentIndexList()
        kept = [self._rows[index.row()].number for index in chosen]
        numbers = {cell.number: float(value(cell)) for cell in self._rows}
        self._rows = sorted(
            self._rows, key=lambda cell: (math.isnan(numbers[cell.number]), turn * numbers[cell.number], cell.number)
        )
        self._places = {cell.number: place for place, cell in enumerate(self._rows)}
        moved = [self.index(self._places[number], index.column()) for number, index in zip(kept, chosen, strict=True)]
        self.changePersistentIndexList(chosen, moved)
        self.layoutChanged.emit()

    def _say_changed(self, numbers: Collection[int]) -> None:
        """Of many changes it is enough to say the first line and the last: what is not in view is not drawn."""
        places = [self._places[number] for number in numbers]
        if places:
            last = self.columnCount() - 1
            self.dataChanged.emit(self.index(min(places), 0), self.index(max(places), last))

    def cell(self, row: int) -> Cell:
        """The cell in a line."""
        found: Cell = self._rows[row]
        return found

    def state(self, cell: Cell) -> str:
        """One word or two."""
        assert self.table is not None
        if cell.number in self.table.rows:
            return "done"
        if cell.number in self._running:
            return "at work"
        return "failed" if cell.number in self.table.failed else "waiting"

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows; why one failed is said where the mouse rests on it."""
        cell = self._rows[index.row()]
        failed = self.table is not None and cell.number in self.table.failed
        if failed and role == Qt.ItemDataRole.ForegroundRole and index.column() == 1:
            return QColor(current_colors().error)
        if failed and role == Qt.ItemDataRole.ToolTipRole and self.table is not None:
            return self.table.failed[cell.number]
        return super().data(index, role)

    def _side(self, column: int) -> Qt.AlignmentFlag:
        """Words to the left."""
        names = () if self.table is None else self.table.settings.names
        name = names[column - 2] if 2 <= column < 2 + len(names) else ""
        words = column == 1 or any(isinstance(cell.value(name), (str, tuple)) for cell in self._rows[:1] if name)
        return super()._side(0 if words else max(column, 1))

    def _columns_of(self, table: StudyTable) -> tuple[Column, ...]:
        head = (
            Column("Cell", "its number, from 0, as its files have it", lambda cell: f"{cell.number:,}",
                   lambda cell: cell.number),
            Column("State", "", self._said, lambda cell: _STATES.index(self.state(cell))),
        )  # fmt: skip
        varied = tuple(_varied(name) for name in table.settings.names)
        measured = tuple(self._measured(name) for name in table.settings.measure)
        took = Column("Took", "by the clock of its worker", lambda cell: duration(self._took(cell)), self._took)
        return (*head, *varied, *measured, took)

    def _said(self, cell: Cell) -> str:
        one = self._running.get(cell.number)
        if one is None or self.state(cell) != "at work":
            return self.state(cell)
        return f"at work, {one.spent:,}" + (f" of {one.allowance:,}" if one.allowance else "")

    def _measured(self, name: str) -> Column:
        about = MEASURES[name]
        title = about.label.replace(", ", "\n")
        return Column(title, _better(about.better), lambda cell: number(self._value(cell, name)),
                      lambda cell: self._value(cell, name))  # fmt: skip

    def _value(self, cell: Cell, name: str) -> float:
        table = self.table
        return math.nan if table is None or cell.number not in table.rows else table.measured(cell, name)

    def _took(self, cell: Cell) -> float:
        table = self.table
        return math.nan if table is None or cell.number not in table.rows else table.rows[cell.number].seconds


def _varied(name: str) -> Column:
    title = "Case" if name == CASE else name
    return Column(title, f"what {name} is set to; empty where it is as the project has it",
                  lambda cell: value_text(cell.value(name)), lambda cell: _rank(cell.value(name)))  # fmt: skip


def _rank(value: Value | None) -> float:
    """Words sort as they begin."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    text = value_text(value)
    return float(int.from_bytes(text.encode()[:6].ljust(6, b"\0"), "big"))


def _better(better: int) -> str:
    return {-1: "less is better", 1: "more is better"}.get(better, "")


_WORKER_COLUMNS = (
    Column("Worker", "its name or address", lambda worker: worker.name, lambda worker: 0.0),
    Column("State", "", lambda worker: "at work" if worker.busy else "waiting", lambda worker: worker.busy),
    Column("Cells done", "in this session", lambda worker: f"{worker.done:,}", lambda worker: worker.done),
    Column("Threads", "one of them is used", lambda worker: str(worker.threads), lambda worker: worker.threads),
)  # fmt: skip


class WorkersModel(ColumnsModel):
    """A line a worker of the study at work."""

    def show(self, workers: Sequence[WorkerSeen]) -> None:
        """Show who is there now."""
        if [worker.name for worker in workers] == [worker.name for worker in self._rows] and workers:
            self._rows = workers
            self.dataChanged.emit(self.index(0, 0), self.index(len(workers) - 1, len(_WORKER_COLUMNS) - 1))
        else:
            self.set_rows(workers, _WORKER_COLUMNS if workers else ())

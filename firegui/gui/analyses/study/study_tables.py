"""Tables of a study: its cells with their factors and measures, and its workers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from firegui.domain.stress import StressTable, case_text, worst_case_text
from firegui.domain.study import CASE, Cell, value_text
from firegui.domain.study_table import MEASURES, StudyTable
from firegui.domain.units import amount_text
from firegui.gui.base.number_text import duration, number
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.runs.events import CellProgress

_STATES = ("running", "failed", "waiting", "done")


def measure_text(name: str) -> Callable[[float], str]:
    """Return what formats the values of a measure: areas have the digits of areas, others three."""
    return amount_text if MEASURES[name].is_size else number


class CellsModel(TableModel[Cell]):
    """Cells of a study. Of thousands of cells only those that changed are repainted."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), parent, row_tip=self._failure)
        self.table: StudyTable | None = None
        self._running: dict[int, CellProgress] = {}
        self._positions: dict[int, int] = {}

    def show(self, table: StudyTable | None, running: Sequence[CellProgress]) -> None:
        """Show the cells of ``table``, and the progress of the ``running`` ones; the selection stays."""
        before, was_running = self.table, self._running
        self.table, self._running = table, {one.number: one for one in running}
        if table is None:
            self.set_rows((), ())
        elif (
            before is None
            or before.cells is not table.cells
            or before.settings != table.settings
            or before.scales != table.scales
        ):
            self._positions = {cell.number: position for position, cell in enumerate(table.cells)}
            self.set_rows(table.cells, self._columns_of(table))
        else:
            changed = (before.rows.keys() ^ table.rows.keys()) | (before.failed.keys() ^ table.failed.keys())
            changed = changed | was_running.keys() | self._running.keys()
            self.update_rows(self._positions[cell] for cell in changed)

    def state(self, cell: Cell) -> str:
        """Return ``done``, ``running``, ``failed`` or ``waiting``."""
        assert self.table is not None
        if cell.number in self.table.rows:
            return "done"
        if cell.number in self._running:
            return "running"
        return "failed" if cell.number in self.table.failed else "waiting"

    def _failure(self, cell: Cell) -> str | None:
        return None if self.table is None else self.table.failed.get(cell.number)

    def _columns_of(self, table: StudyTable) -> tuple[Column, ...]:
        return (
            Column("Cell", lambda cell: cell.number, "{:,}".format, "its number, from 0, as its files have it"),
            Column("State", lambda cell: cell, self._state_text, is_text=True,
                   sort_key=lambda cell: _STATES.index(self.state(cell)),
                   color=lambda cell: None if self._failure(cell) is None else "error"),
            *(_varied(name, table) for name in table.settings.names),
            *(self._measured(name, table) for name in table.settings.measure),
            Column("Worst case\ngrowth left", self._stress, worst_case_text, is_text=True,
                   sort_key=lambda one: one.worst.share_worst,
                   tip="growth of the fire left in the worst stress scenario, and the name of the scenario",
                   cell_tip=self._worst_tip),
            Column("Took", self._seconds, duration, "wall time of its worker"),
        )  # fmt: skip

    def _state_text(self, cell: Cell) -> str:
        one = self._running.get(cell.number)
        if one is None or self.state(cell) != "running":
            return self.state(cell)
        return f"running, {one.spent:,}" + (f" of {one.allowance:,}" if one.allowance else "")

    def _measured(self, name: str, table: StudyTable) -> Column:
        measure = MEASURES[name]
        tip = {-1: "less is better", 1: "more is better"}.get(measure.better, "")
        return Column(
            table.label(name).replace(", ", "\n"), lambda cell: self._value(cell, name), measure_text(name), tip
        )

    def _value(self, cell: Cell, name: str) -> float:
        table = self.table
        return math.nan if table is None or cell.number not in table.rows else table.measured(cell, name)

    def _stress(self, cell: Cell) -> StressTable | None:
        table = self.table
        return None if table is None or cell.number not in table.rows else table.rows[cell.number].stress

    def _worst_tip(self, cell: Cell) -> str:
        table = self._stress(cell)
        return "" if table is None else case_text(table.worst.scenario)

    def _seconds(self, cell: Cell) -> float:
        table = self.table
        return math.nan if table is None or cell.number not in table.rows else table.rows[cell.number].seconds


def _has_same_columns(one: StudyTable, other: StudyTable) -> bool:
    return one.cells is other.cells and one.settings == other.settings and one.scales == other.scales


def _varied(name: str, table: StudyTable) -> Column:
    words = any(isinstance(cell.value(name), (str, tuple)) for cell in table.cells)
    return Column("Case" if name == CASE else name, lambda cell: cell.value(name), value_text,
                  f"what {name} is set to; empty where it is as the project has it", is_text=words, missing="",
                  sort_key=value_text if words else None)  # fmt: skip


WORKER_COLUMNS = (
    Column("Worker", lambda worker: worker.name, tip="its name or address", is_text=True),
    Column("State", lambda worker: worker.busy, lambda busy: "running" if busy else "waiting", is_text=True),
    Column("Cases done", lambda worker: worker.done, "{:,}".format, "in this session"),
    Column("Threads", lambda worker: worker.threads, tip="one of them is used"),
)

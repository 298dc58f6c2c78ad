"""The required coverage of fuel models as a table, and what edited levels make for a whole landscape."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from firegui.domain.coverage import HIGHEST, LOWEST, RequiredCoverage, coverage_from_cells
from firegui.domain.fuel import NONBURNABLE, fuel_name
from firegui.domain.options import plain_number
from firegui.gui.widgets.path_fields import number
from firegui.io.coverage_toml import CoverageTable

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
LEVEL = 2
"""The column that can be edited."""

_COLUMNS = (
    ("Fuel model", "code of the 40 models of Scott and Burgan, or of the 13 before them"),
    ("Share", "of the cells that can burn"),
    ("Coverage", "gal per 100 ft² that this fuel needs; can be edited"),
    ("From", "what the level rests on"),
)


@dataclass(frozen=True, slots=True)
class CoverageChoice:
    """What was said of the required coverage: one ``value`` for all fuel, else ``levels`` by model.

    Both ``None``: the levels as they are published. ``source`` is where a value is from that nobody here chose.
    """

    levels: Mapping[int, float] | None = None
    value: float | None = None
    source: str = "one value for all fuel, chosen by hand"

    @property
    def is_published(self) -> bool:
        """Whether nobody changed anything."""
        return self.levels is None and self.value is None


def chosen_coverage(choice: CoverageChoice, cells: Mapping[int, int], table: CoverageTable) -> RequiredCoverage:
    """The required coverage of a landscape with so many ``cells`` of each fuel model; ``table`` is as published."""
    if choice.value is not None:
        return RequiredCoverage(choice.value, choice.source)
    levels = table.levels | dict(choice.levels or {})
    changed = sorted(code for code in cells if code in levels and levels[code] != table.levels.get(code))
    names = ", ".join(fuel_name(code) for code in changed)
    origin = f"{names} edited by hand; else {table.source}" if changed else table.source
    return coverage_from_cells(cells, levels, origin)


def choice_of(coverage: RequiredCoverage, cells: Mapping[int, int], table: CoverageTable) -> CoverageChoice:
    """The choice that ``coverage`` comes of, where ``cells`` are those of its landscape."""
    if not coverage.levels:
        published = chosen_coverage(CoverageChoice(), cells, table)
        return CoverageChoice() if coverage == published else CoverageChoice(None, coverage.c_req, coverage.source)
    changed = {code: level for code, level in coverage.levels.items() if level != table.levels.get(code)}
    return CoverageChoice(levels=changed or None)


class CoverageModel(QAbstractTableModel):
    """One row a fuel model of the landscape, the largest share first."""

    edited = Signal(object)
    """All levels, once a person has changed one."""
    refused = Signal(str)
    """Why a level was not taken."""

    def __init__(self, table: CoverageTable, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._basis = {model.code: model.basis for model in table.models}
        self._cells: Mapping[int, int] = {}
        self._levels: Mapping[int, float] = table.levels
        self._codes: tuple[int, ...] = ()

    @property
    def codes(self) -> tuple[int, ...]:
        """The fuel models, row by row."""
        return self._codes

    def show(self, cells: Mapping[int, int], levels: Mapping[int, float] | None) -> None:
        """Show the models that ``cells`` counts, with ``levels`` or the published ones."""
        burning = [code for code in cells if code not in NONBURNABLE]
        codes = tuple(sorted(burning, key=lambda code: (-cells[code], code)))
        self._cells, self._levels = cells, self._table.levels | dict(levels or {})
        if codes == self._codes:
            # The row that is being edited stays where it is.
            if codes:
                self.dataChanged.emit(self.index(0, 0), self.index(len(codes) - 1, len(_COLUMNS) - 1))
            return
        self.beginResetModel()
        self._codes = codes
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        """One row a fuel model; a cell has none below it."""
        return 0 if parent.isValid() else len(self._codes)

    def columnCount(self, parent: Index = ROOT) -> int:
        """The columns; a cell has none below it."""
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands above a column, and its explanation."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        shown = {Qt.ItemDataRole.DisplayRole: 0, Qt.ItemDataRole.ToolTipRole: 1}.get(Qt.ItemDataRole(role))
        return None if shown is None else _COLUMNS[section][shown]

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Levels can be edited, of models that are known."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        known = index.column() == LEVEL and self._codes[index.row()] in self._levels
        return flags | Qt.ItemFlag.ItemIsEditable if known else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, in the given role."""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole):
            return self._texts(self._codes[index.row()])[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in (1, LEVEL):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take another level in; one that cannot be is refused with a word."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or index.column() != LEVEL:
            return False
        code = self._codes[index.row()]
        try:
            level = number(str(value))
        except ValueError:
            level = math.nan
        if not LOWEST <= level <= HIGHEST:
            self.refused.emit(f"{fuel_name(code)}: {value} was refused; give {LOWEST:g} to {HIGHEST:g} gal/100 ft²")
            return False
        if level == self._levels[code]:
            return False
        changed = dict(self._levels) | {code: level}
        self.edited.emit({key: v for key, v in changed.items() if v != self._table.levels.get(key)})
        return True

    def _texts(self, code: int) -> tuple[str, ...]:
        total = sum(self._cells[one] for one in self._codes)
        share = f"{100.0 * self._cells[code] / total:.1f} %"
        level = self._levels.get(code)
        if level is None:
            return fuel_name(code), share, "", "no level: this code is no fuel model"
        own = level != self._table.levels.get(code)
        basis = "edited by hand" if own else self._basis.get(code, "")
        return fuel_name(code), share, plain_number(level), basis

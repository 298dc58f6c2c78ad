"""The protected regions as a table; name and weight can be edited."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from firegui.domain.options import plain_number
from firegui.domain.regions import Region, region_problems
from firegui.errors import InputError, Problem
from firegui.gui.session.reporting import refuse_new
from firegui.gui.session.session import Session
from firegui.io.rasterize import region_masks

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
NAME, CELLS, AREA, SHARE, WEIGHT = range(5)
HEADERS = ("Name", "Cells", "Area\nha", "Domain\n%", "Weight")
TOOLTIPS = (
    "name of the region; double-click to rename",
    "cells whose centre lies inside the region",
    "area in hectares",
    "share of the whole domain",
    "weight of the region in the protection loss; 1 gives the paper's plain mean",
)


@dataclass(frozen=True, slots=True)
class _Size:
    cells: int
    ha: float
    share: float


class RegionModel(QAbstractTableModel):
    """One row a region, in the project's order. Sizes are worked out once per shape."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._sizes: dict[object, _Size] = {}
        self._shown: tuple[Region, ...] = ()
        session.project_opened.connect(self._opened)
        session.regions_changed.connect(self._changed)
        self._changed()

    @property
    def regions(self) -> tuple[Region, ...]:
        """The rows."""
        return self._shown

    def row_of(self, name: str) -> int:
        """The row of a region, or −1."""
        return next((row for row, region in enumerate(self._shown) if region.name == name), -1)

    def union_share(self) -> float:
        """Share of the domain inside at least one region, 0 … 1."""
        if not self._shown:
            return 0.0
        shape = self._session.project.scenario.grid.shape
        return float(np.mean(region_masks(self._shown, shape).any(axis=0)))

    # -- Qt's questions ----------------------------------------------------------------------------------------------
    def rowCount(self, parent: Index = ROOT) -> int:
        """One row an entry; a cell has none below it."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = ROOT) -> int:
        """The columns; a cell has none below it."""
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One row an entry; a cell has none below it."""
        """The columns; a cell has none below it."""
        """What stands above a column or beside a row, and its explanation."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return TOOLTIPS[section]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section == NAME else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What a person may do with a cell."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() in (NAME, WEIGHT) else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, in the given role."""
        region, column = self._shown[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(region, column)
        if role == Qt.ItemDataRole.EditRole:
            return region.name if column == NAME else plain_number(region.weight)
        if role == Qt.ItemDataRole.TextAlignmentRole and column != NAME:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return TOOLTIPS[column]
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take in what was typed; ``False`` where it was refused or changes nothing."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        try:
            return self._edit(index.row(), index.column(), str(value).strip())
        except InputError as error:
            self._session.refuse(error)
            return False

    # -- editing -----------------------------------------------------------------------------------------------------
    def _edit(self, row: int, column: int, text: str) -> bool:
        region = self._shown[row]
        changed = replace(region, name=text) if column == NAME else replace(region, weight=_weight(region, text))
        if changed == region:
            return False
        regions = (*self._shown[:row], changed, *self._shown[row + 1 :])
        shape = self._session.project.scenario.grid.shape
        refuse_new(region_problems(self._shown, shape), region_problems(regions, shape), "The region stays as it was")
        was_selected = self._session.selected_region == region.name
        self._session.set_regions(f"rename {region.name}" if column == NAME else f"weigh {region.name}", regions)
        if was_selected:
            self._session.select_region(changed.name)
        return True

    def _text(self, region: Region, column: int) -> str:
        if column == NAME:
            return region.name
        if column == WEIGHT:
            return plain_number(region.weight)
        size = self._size(region)
        return {CELLS: f"{size.cells:,}", AREA: f"{size.ha:,.1f}", SHARE: f"{100 * size.share:.1f}"}[column]

    def _size(self, region: Region) -> _Size:
        if region.parts not in self._sizes:
            grid = self._session.project.scenario.grid
            cells = int(region_masks((region,), grid.shape).sum())
            self._sizes[region.parts] = _Size(cells, cells * grid.cell_area_ha, cells / grid.n_cells)
        return self._sizes[region.parts]

    def _opened(self) -> None:
        self._sizes.clear()
        self._changed()

    def _changed(self) -> None:
        regions = self._session.project.regions if self._session.has_project else ()
        current = {region.parts for region in regions}
        self._sizes = {parts: size for parts, size in self._sizes.items() if parts in current}
        if regions and len(regions) == len(self._shown):
            # The same rows with other values: keep selection, scroll position and open editor.
            self._shown = regions
            self.dataChanged.emit(self.index(0, 0), self.index(len(regions) - 1, len(HEADERS) - 1))
            return
        self.beginResetModel()
        self._shown = regions
        self.endResetModel()


def _weight(region: Region, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        problem = Problem(f"region {region.name}", f"weight '{text}' is not a number", "use 0 or more")
        raise InputError([problem], "The region stays as it was") from None

"""The grounded days as a grid: rows aircraft types, columns days of the plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from firegui.domain.fleet import AircraftType, Fleet
from firegui.gui.session.session import Session

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Cell = tuple[int, int]


class GroundingModel(QAbstractTableModel):
    """True where a type is grounded on a day. A stroke over several cells is previewed here and becomes one edit."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._types: tuple[AircraftType, ...] = ()
        self._days = 0
        self._preview: dict[Cell, bool] = {}
        for signal in (session.project_opened, session.fleet_changed, session.plan_changed):
            signal.connect(self._changed)
        self._changed()

    def is_grounded(self, row: int, day: int) -> bool:
        """Whether a cell is shown as grounded, a stroke in progress included."""
        return self._preview.get((row, day), day in self._types[row].grounded_days)

    # -- strokes -----------------------------------------------------------------------------------------------------
    def preview(self, cells: Mapping[Cell, bool]) -> None:
        """Show cells as they would be after the stroke."""
        self._preview = dict(cells)
        self._repaint()

    def commit(self, cells: Mapping[Cell, bool]) -> None:
        """Make the stroke one undoable edit; a stroke that changes nothing is none."""
        self._preview = {}
        types = tuple(self._edited(row, kind, cells) for row, kind in enumerate(self._types))
        changed = [kind.id for kind, before in zip(types, self._types, strict=True) if kind != before]
        if changed:
            self._session.edit_planned_fleet(f"change grounded days of {', '.join(changed)}", Fleet(types))
        else:
            self._repaint()

    @staticmethod
    def _edited(row: int, kind: AircraftType, cells: Mapping[Cell, bool]) -> AircraftType:
        days = set(kind.grounded_days)
        for (touched, day), grounded in cells.items():
            if touched == row:
                (days.add if grounded else days.discard)(day)
        return kind.with_grounded_days(tuple(days))

    # -- Qt's questions ----------------------------------------------------------------------------------------------
    def rowCount(self, parent: Index = ROOT) -> int:
        """One row an entry; a cell has none below it."""
        return 0 if parent.isValid() else len(self._types)

    def columnCount(self, parent: Index = ROOT) -> int:
        """The columns; a cell has none below it."""
        return 0 if parent.isValid() else self._days

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One row an entry; a cell has none below it."""
        """The columns; a cell has none below it."""
        """What stands above a column or beside a row, and its explanation."""
        if orientation is Qt.Orientation.Vertical:
            kind = self._types[section]
            texts = {Qt.ItemDataRole.DisplayRole: kind.id, Qt.ItemDataRole.ToolTipRole: kind.type}
            return texts.get(Qt.ItemDataRole(role))
        when = self._session.project.calendar.date_of_day(section)
        if role == Qt.ItemDataRole.DisplayRole:
            month = f"{when:%b}" if section == 0 or when.day == 1 else ""
            return f"{section + 1}\n{when.day}\n{month}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"Day {section + 1} · {when:%A %d %B %Y} (local date)"
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, in the given role."""
        grounded = self.is_grounded(index.row(), index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return "✕" if grounded else ""
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            when = self._session.project.calendar.date_of_day(index.column())
            state = "grounded" if grounded else "flies"
            return f"{self._types[index.row()].type}, day {index.column() + 1}, {when:%d %b %Y}: {state}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignCenter
        return None

    def _repaint(self) -> None:
        if self._types and self._days:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._types) - 1, self._days - 1))

    def _changed(self) -> None:
        types = self._session.project.planned_fleet.types if self._session.has_project else ()
        days = self._session.project.calendar.days if self._session.has_project else 0
        same = len(types) == len(self._types) and days == self._days
        if same:
            self._types, self._preview = types, {}
            self._repaint()
            if types:
                self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, len(types) - 1)
                self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(days - 1, 0))
            return
        self.beginResetModel()
        self._types, self._days, self._preview = types, days, {}
        self.endResetModel()

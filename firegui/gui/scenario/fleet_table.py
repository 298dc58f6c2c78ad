"""The fleet as a table: one row an aircraft type, every column editable, nothing impossible accepted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.domain.options import plain_number
from firegui.errors import InputError, Problem
from firegui.gui.base.theme import current_colors
from firegui.gui.session.reporting import refuse_new
from firegui.gui.session.session import Session

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
REFUSED = "The fleet stays as it was"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: the field it edits, what stands above it, what it means, and what kind of value it takes."""

    field: str
    header: str
    help: str
    kind: type


COLUMNS = (
    Column("count", "n", "number of identical aircraft", int),
    Column("material", "Material", "water changes the fire once; retardant treats the fuel for good", Material),
    Column("payload_gal", "Payload\ngal", "payload in US gallons", float),
    Column("turnaround_h", "Turn\nh", "turnaround: hours between two drops of one aircraft", float),
    Column("sigma_parallel_m", "σ∥\nm", "footprint scale along the run, metres", float),
    Column("sigma_perpendicular_m", "σ⊥\nm", "footprint scale across the run, metres", float),
    Column("drop_height_m", "Height\nm", "drop height above ground, metres", float),
    Column("speed_ms", "Speed\nm/s", "ground speed during the drop, metres per second", float),
    Column("drop_duration_s", "Drop\ns", "duration of a drop, seconds", float),
    Column("type", "Aircraft type", "make and model", str),
    Column("id", "Id", "short name; aircraft are called by it and a number, such as S-2T-1", str),
    Column("provenance", "Footprint from", "where the footprint scales come from", str),
)


class FleetModel(QAbstractTableModel):
    """See the module. A value that would make the fleet impossible is refused with every reason."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._types: tuple[AircraftType, ...] = ()
        session.project_opened.connect(self._changed)
        session.fleet_changed.connect(self._changed)
        self._changed()

    # -- Qt's questions ----------------------------------------------------------------------------------------------
    def rowCount(self, parent: Index = ROOT) -> int:
        """One row an entry; a cell has none below it."""
        return 0 if parent.isValid() else len(self._types)

    def columnCount(self, parent: Index = ROOT) -> int:
        """The columns; a cell has none below it."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands above a column or beside a row, and its explanation."""
        if orientation is Qt.Orientation.Vertical:
            kind = self._types[section]
            texts = {Qt.ItemDataRole.DisplayRole: kind.id, Qt.ItemDataRole.ToolTipRole: kind.type}
            return texts.get(Qt.ItemDataRole(role))
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section].header
        if role == Qt.ItemDataRole.TextAlignmentRole:
            right = COLUMNS[section].kind in (int, float)
            side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return COLUMNS[section].help if role == Qt.ItemDataRole.ToolTipRole else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What a person may do with a cell."""
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, in the given role."""
        kind, column = self._types[index.row()], COLUMNS[index.column()]
        value = getattr(kind, column.field)
        if role == Qt.ItemDataRole.DisplayRole:
            return _shown(column, value)
        if role == Qt.ItemDataRole.EditRole:
            return plain_number(value) if column.kind is float else str(value)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{value}" if column.kind is str else column.help
        if role == Qt.ItemDataRole.TextAlignmentRole and column.kind in (int, float):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and column.kind is Material:
            colors = current_colors()
            return QColor(colors.water if kind.material is Material.WATER else colors.retardant)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take in what was typed; ``False`` where it was refused or changes nothing."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        kind, column = self._types[index.row()], COLUMNS[index.column()]
        try:
            changed = replace(kind, **{column.field: _parsed(kind, column, str(value).strip())})
            if changed == kind:
                return False
            renamed = {kind.id: changed.id} if changed.id != kind.id else None
            rows = (*self._types[: index.row()], changed, *self._types[index.row() + 1 :])
            self._apply(f"change {column.field.split('_')[0]} of {kind.id}", rows, renamed)
        except InputError as error:
            self._session.refuse(error)
            return False
        return True

    # -- rows --------------------------------------------------------------------------------------------------------
    def add(self, after: int) -> int:
        """Insert a new type below row ``after`` and return its row."""
        fresh = AircraftType(
            id=self._free_id("NEW"), type="New type", count=1, material=Material.RETARDANT, payload_gal=1000.0,
            turnaround_h=1.0, speed_ms=60.0, drop_duration_s=4.0, drop_height_m=45.0, sigma_parallel_m=100.0,
            sigma_perpendicular_m=5.0, provenance="placeholder, to be replaced",
        )  # fmt: skip
        return self._insert("add a type", after, fresh)

    def duplicate(self, row: int) -> int:
        """Insert a copy of ``row`` below it and return its row."""
        kind = self._types[row]
        return self._insert(f"duplicate {kind.id}", row, replace(kind, id=self._free_id(kind.id)))

    def remove(self, row: int) -> None:
        """Take a type off the fleet; the last one stays, and the person is told."""
        try:
            self._apply(f"remove {self._types[row].id}", (*self._types[:row], *self._types[row + 1 :]))
        except InputError as error:
            self._session.refuse(error)

    def _insert(self, text: str, after: int, kind: AircraftType) -> int:
        row = min(after + 1, len(self._types))
        self._apply(text, (*self._types[:row], kind, *self._types[row:]))
        return row

    def _apply(self, text: str, types: tuple[AircraftType, ...], renamed: dict[str, str] | None = None) -> None:
        refuse_new(Fleet(self._types).problems(), Fleet(types).problems(), REFUSED)
        self._session.edit_planned_fleet(text, Fleet(types), renamed)

    def _free_id(self, stem: str) -> str:
        taken = {kind.id for kind in self._types}
        # A letter, not a number: "S-2T-2" is already the name of an aircraft.
        names = (stem, *(f"{stem}{letter}" for letter in "bcdefghijklmnopqrstuvwxyz"))
        return next((name for name in names if name not in taken), f"{stem}{len(taken)}x")

    def _changed(self) -> None:
        types = self._session.project.planned_fleet.types if self._session.has_project else ()
        if len(types) == len(self._types):
            # The same rows with other values: keep selection and scroll position.
            self._types = types
            if types:
                self.dataChanged.emit(self.index(0, 0), self.index(len(types) - 1, len(COLUMNS) - 1))
                self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, len(types) - 1)
            return
        self.beginResetModel()
        self._types = types
        self.endResetModel()


def _shown(column: Column, value: Any) -> str:
    if column.kind is not float:
        return str(value)
    digits = {"payload_gal": 0, "turnaround_h": 2, "sigma_perpendicular_m": 2}.get(column.field, 1)
    rounded = f"{value:,.{digits}f}"
    # What is shown must be what is stored: more digits than usual are shown rather than hidden.
    return rounded if float(rounded.replace(",", "")) == value else plain_number(value)


def _parsed(kind: AircraftType, column: Column, text: str) -> Any:
    name, where = column.header.replace("\n", " "), f"aircraft {kind.id}"
    try:
        if column.kind is Material:
            return Material(text.lower())
        return text if column.kind is str else column.kind(text.replace(",", ""))
    except ValueError:
        remedies = {Material: "use water or retardant", int: "use a whole number, 0 or more", float: "use a number"}
        raise InputError([Problem(where, f"{name} '{text}' cannot be read", remedies[column.kind])], REFUSED) from None

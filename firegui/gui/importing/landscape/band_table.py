"""The bands of a landscape file, each with the layer it is taken for, which can be changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from firegui.domain.scenario import LAYERS
from firegui.io.importers.lcp import UNUSED

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()

CHOICES: tuple[tuple[str, str], ...] = (
    *((key, title) for key, (title, _) in LAYERS.items()),
    *((role, words if role == "-" else f"{words.capitalize()} (not used)") for role, words in UNUSED.items()),
)
_WORDS = dict(CHOICES)


class BandTable(QAbstractTableModel):
    """One row a band, in the order of the file."""

    chosen = Signal(object)
    """The whole order, once a person has changed a band."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bands: tuple[str, ...] = ()

    def show(self, bands: Sequence[str]) -> None:
        """Show this order."""
        if tuple(bands) != self._bands:
            self.beginResetModel()
            self._bands = tuple(bands)
            self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        """One row a band; a cell has none below it."""
        return 0 if parent.isValid() else len(self._bands)

    def columnCount(self, parent: Index = ROOT) -> int:
        """Number and layer."""
        return 0 if parent.isValid() else 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands above a column."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return ("Band", "Is taken for")[section]
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """The layer of a band can be chosen."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == 1 else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, or what its editor begins with."""
        key = self._bands[index.row()]
        if role == Qt.ItemDataRole.EditRole:
            return key
        if role == Qt.ItemDataRole.DisplayRole:
            return str(index.row() + 1) if index.column() == 0 else _WORDS.get(key, key)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take a band for another layer; the band that was taken for it gets this one's: none is there twice."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or value == self._bands[index.row()]:
            return False
        bands = list(self._bands)
        if value != "-" and value in bands:
            bands[bands.index(value)] = bands[index.row()]
        bands[index.row()] = str(value)
        self.chosen.emit(tuple(bands))
        return True

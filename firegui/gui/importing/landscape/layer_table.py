"""The layers of the event in a table: which file each is from, and what was found in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from firegui.domain.scenario import LAYERS
from firegui.gui.base.theme import current_colors
from firegui.io.importers.landscape_source import LayerFile
from firegui.io.importers.landscape_survey import LayerFacts

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
KEYS = tuple(LAYERS)

_COLUMNS = (
    ("Layer", "what it is in firegui"),
    ("File", "the file it is read from, and the band where that is not the first"),
    ("Range", "lowest and highest value, in the layer's own unit"),
    ("Read as", "the unit its numbers are read in; (guessed) unless it was said"),
    ("No data", "share of the event's cells without a value"),
    ("CRS", "the coordinate reference system that the file states"),
    ("Size", "rows × columns of the file"),
    ("Cell", "width × height of a cell of the file, in the unit of its CRS"),
    ("Placed", "how it is brought onto the event's grid"),
)
_DERIVED = "derived from elevation"


class LayerTable(QAbstractTableModel):
    """One row a layer; those that nobody gave are muted."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._files: Mapping[str, LayerFile] = {}
        self._facts: dict[str, LayerFacts] = {}
        self._wrong: frozenset[str] = frozenset()

    def show(self, files: Mapping[str, LayerFile], facts: Sequence[LayerFacts], wrong: frozenset[str]) -> None:
        """Show what was said and found; ``wrong`` are the layers that something is wrong with."""
        self._files, self._facts, self._wrong = files, {fact.key: fact for fact in facts}, wrong
        self.dataChanged.emit(self.index(0, 0), self.index(len(KEYS) - 1, len(_COLUMNS) - 1))

    def facts_of(self, key: str) -> LayerFacts | None:
        """What was found of a layer."""
        return self._facts.get(key)

    def rowCount(self, parent: Index = ROOT) -> int:
        """One row a layer; a cell has none below it."""
        return 0 if parent.isValid() else len(KEYS)

    def columnCount(self, parent: Index = ROOT) -> int:
        """The columns; a cell has none below it."""
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands above a column, and its explanation."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        shown = {Qt.ItemDataRole.DisplayRole: 0, Qt.ItemDataRole.ToolTipRole: 1}.get(Qt.ItemDataRole(role))
        return None if shown is None else _COLUMNS[section][shown]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, in the given role."""
        key = KEYS[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                return self._texts(key)[index.column()]
            case Qt.ItemDataRole.ForegroundRole:
                colors = current_colors()
                if key in self._wrong:
                    return QColor(colors.error)
                return None if key in self._facts or key in self._files else QColor(colors.muted)
        return None

    def _texts(self, key: str) -> tuple[str, ...]:
        title, fact = LAYERS[key][0], self._facts.get(key)
        file = self._files.get(key) or (None if fact is None else fact.file)
        name = f"⚠ {title}" if key in self._wrong else title
        if fact is None:
            return name, _file_text(file, "not given"), "", "", "", "", "", "", ""
        guessed = "" if fact.unit_given or not fact.unit or len(fact.units) < 2 else " (guessed)"
        size = "" if fact.shape is None else f"{fact.shape[0]:,} × {fact.shape[1]:,}"
        cell = "" if fact.cell is None else f"{fact.cell[0]:g} × {fact.cell[1]:g}"
        return (
            name, _file_text(file, _DERIVED), range_text(fact), f"{fact.unit}{guessed}", share_text(fact.holes),
            fact.crs, size, cell, fact.placing,
        )  # fmt: skip


def range_text(fact: LayerFacts) -> str:
    """Lowest to highest, in the layer's own unit."""
    unit = LAYERS[fact.key][1].split(",")[0].split(" ")[0]
    if fact.key == "fuel":
        return f"{fact.low:g} to {fact.high:g}"
    return f"{_three(fact.low)} to {_three(fact.high)} {unit}"


def share_text(share: float) -> str:
    """A share in percent; a little is not nothing."""
    if 0.0 < share < 0.0005:
        return "< 0.1 %"
    return f"{share:.1%}".replace("%", " %") if share else "none"


def _three(value: float) -> str:
    return (f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}").replace("-", "−")


def _file_text(file: LayerFile | None, otherwise: str) -> str:
    if file is None:
        return otherwise
    return file.path.name if file.band is None else f"{file.path.name} · band {file.band}"

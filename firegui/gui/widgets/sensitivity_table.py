"""A robustness table as people read it, with the columns of the paper's; every column sorts by its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from firegui.domain.sensitivity import (
    DesignRow,
    EffectivenessRow,
    MonteCarlo,
    PoseRow,
    Reading,
    Row,
    SensitivityKind,
    SideRow,
)
from firegui.domain.settings import RetardantSide
from firegui.gui.base.number_text import duration, number
from firegui.runs.sensitivity_folder import AnyTable
from firegui.runs.sensitivity_text import pair_text

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
SORT_ROLE = Qt.ItemDataRole.UserRole
SIDES = {
    RetardantSide.BOTH: "both cells", RetardantSide.EMITTER: "emitting cell", RetardantSide.RECEIVER: "receiving cell",
}  # fmt: skip
_J = "J_fire: the objective without what drops cost, at nominal effectiveness unless the row names another"
_EXTENT = "final extent: sum of the probabilities that cells have burned at the end, in cells"


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    tip: str
    text: Callable[[Any], str]
    value: Callable[[Any], float]


def row_name(row: Row) -> str:
    """What varies in a row."""
    match row:
        case EffectivenessRow():
            return pair_text(row.effectiveness)
        case SideRow():
            return SIDES[row.side]
        case PoseRow():
            return f"{row.scale:g}" if row.scale else "none"
        case DesignRow():
            return pair_text(row.design)


class SensitivityModel(QAbstractTableModel):
    """One row a variation, in the table's order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Row, ...] = ()
        self._columns: tuple[_Column, ...] = ()

    def show(self, table: AnyTable | None) -> None:
        """Show another table, or none."""
        self.beginResetModel()
        self._rows = () if table is None else table.rows
        self._columns = () if table is None else _COLUMNS[table.kind]
        self.endResetModel()

    @property
    def titles(self) -> tuple[str, ...]:
        """The headings, each on one line."""
        return tuple(column.title.replace("\n", " ") for column in self._columns)

    # -- Qt's questions ----------------------------------------------------------------------------------------------
    def rowCount(self, parent: Index = ROOT) -> int:
        """One row a variation; a cell has none below it."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        """The columns; a cell has none below it."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands above a column, and its explanation."""
        if orientation is not Qt.Orientation.Horizontal or section >= len(self._columns):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._columns[section].title
            case Qt.ItemDataRole.ToolTipRole:
                return self._columns[section].tip
            case Qt.ItemDataRole.TextAlignmentRole:
                return _side(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, in the given role."""
        row, column = self._rows[index.row()], self._columns[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.text(row)
            case Qt.ItemDataRole.TextAlignmentRole:
                return _side(index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return _reason(row, column.title) or column.tip
            case role if role == SORT_ROLE:
                # What has no number stands at the end, whatever it is compared with.
                value = column.value(row)
                return math.inf if math.isnan(value) else value
        return None


def table_text(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lines with tabs between, as spreadsheets take them."""
    return "\n".join("\t".join(line) for line in (titles, *rows)) + "\n"


def _side(column: int) -> Qt.AlignmentFlag:
    return (Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft) | Qt.AlignmentFlag.AlignVCenter


def _reason(row: Row, title: str) -> str:
    if not isinstance(row, DesignRow):
        return ""
    return {"State\nsampling": row.state_sampling.reason, "Model\nerror": row.model_error.reason}.get(title, "")


def _sampled(column: MonteCarlo) -> str:
    if column.reduction is None:
        return "–"
    return f"{column.reduction:.1%}" + ("" if column.error is None else f" ± {column.error:.1%}")


def _reduction(column: MonteCarlo) -> float:
    return math.nan if column.reduction is None else column.reduction


def _reading(
    pick: Callable[[Reading], float], text: Callable[[float], str]
) -> tuple[Callable[[Any], str], Callable[[Any], float]]:
    return (lambda row: text(pick(row.reading))), (lambda row: pick(row.reading))


def _whole(value: float) -> str:
    return f"{value:,.0f}"


_SCORED = (
    _Column("Extent\ncells", _EXTENT, *_reading(lambda r: r.final_extent_cells, _whole)),
    _Column("Extent\nha", "final extent in hectares", *_reading(lambda r: r.final_extent_ha, number)),
    _Column("Relative", "final extent over that of the schedule as it was planned for, at nominal effectiveness",
            lambda row: f"{row.relative:.2f}", lambda row: row.relative),
    _Column("J_fire", _J, *_reading(lambda r: r.fire_objective, number)),
    _Column("Protected\ncells", "burned protected cells, a sum of probabilities",
            *_reading(lambda r: r.protected_cells, number)),
    _Column("Drops", "executed drops", *_reading(lambda r: r.drops, _whole)),
)  # fmt: skip
_COLUMNS: dict[SensitivityKind, tuple[_Column, ...]] = {
    SensitivityKind.EFFECTIVENESS: (
        _Column("Effectiveness η\nret. / water", "effectiveness that the schedule is scored at", row_name,
                lambda row: row.effectiveness.retardant + 1e-3 * row.effectiveness.water),
        *_SCORED,
    ),
    SensitivityKind.RETARDANT_SIDE: (
        _Column("Retardant acts on", "which use of the fuel factor retardant changes", row_name,
                lambda row: list(SIDES).index(row.side)),
        *_SCORED,
    ),
    SensitivityKind.POSE: (
        _Column("Perturbation\nof the logits", "standard deviation of the noise on all pose logits", row_name,
                lambda row: row.scale),
        _Column("J_fire\nmean", _J, lambda row: number(row.mean), lambda row: row.mean),
        _Column("J_fire\nlowest", "smallest of the draws", lambda row: number(row.lowest), lambda row: row.lowest),
        _Column("J_fire\nhighest", "largest of the draws", lambda row: number(row.highest), lambda row: row.highest),
        _Column("Extent\ncells, mean", _EXTENT, lambda row: _whole(row.mean_extent), lambda row: row.mean_extent),
        _Column("Draws", "perturbed schedules", lambda row: str(len(row.draws)), lambda row: len(row.draws)),
    ),
    SensitivityKind.DESIGN: (
        _Column("Design η\nret. / water", "effectiveness that the plan was made with", row_name,
                lambda row: row.design.retardant + 1e-3 * row.design.water),
        _Column("Drops", "executed drops", *_reading(lambda r: r.drops, _whole)),
        _Column("J_fire", _J, *_reading(lambda r: r.fire_objective, number)),
        _Column("Mean\nfield", "reduction of the final extent against no drops", lambda row: f"{row.reduction:.1%}",
                lambda row: row.reduction),
        _Column("State\nsampling", "the same as a mean over sampled fires, with its standard error",
                lambda row: _sampled(row.state_sampling), lambda row: _reduction(row.state_sampling)),
        _Column("Model\nerror", "the same with the model's error sampled too",
                lambda row: _sampled(row.model_error), lambda row: _reduction(row.model_error)),
        _Column("Epochs", "of the first stage", lambda row: f"{row.epochs:,}", lambda row: row.epochs),
        _Column("Pruning\nrollouts", "of the second stage", lambda row: f"{row.pruning_rollouts:,}",
                lambda row: row.pruning_rollouts),
        _Column("Time", "what the plan took", lambda row: duration(row.seconds), lambda row: row.seconds),
    ),
}  # fmt: skip

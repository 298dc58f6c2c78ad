"""The scores of a forecast as a table, one row a day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from firegui.fire.skill import ForecastSkill, Skill
from firegui.fire.skill_report import SkillReport
from firegui.gui.base.theme import current_colors

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
SHORT = {"uncorrected": "Uncorrected", "scalar": "Constant", "held": "Held"}
_NOT_SCORED = "no perimeter of its own, only filled forward from an earlier day: not scored"


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    tip: str
    text: Callable[[int], str]


class SkillModel(QAbstractTableModel):
    """Every day of the forecast; one that is not scored has dashes."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._report: SkillReport | None = None
        self._columns: tuple[_Column, ...] = ()

    def show(self, report: SkillReport | None) -> None:
        """Show other scores, or none."""
        self.beginResetModel()
        self._report = report
        self._columns = () if report is None else _columns(report)
        self.endResetModel()

    def day(self, row: int) -> int:
        """The day of a row."""
        return row + 1

    def row_of(self, day: int) -> int:
        """The row of a day."""
        return day - 1

    @property
    def titles(self) -> tuple[str, ...]:
        """The headings."""
        return tuple(column.title for column in self._columns)

    # -- Qt's questions ----------------------------------------------------------------------------------------------
    def rowCount(self, parent: Index = ROOT) -> int:
        """One row a day; a cell has none below it."""
        return 0 if parent.isValid() or self._report is None else self._report.days

    def columnCount(self, parent: Index = ROOT) -> int:
        """The columns; a cell has none below it."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands above a column, and its explanation."""
        if orientation is not Qt.Orientation.Horizontal or section >= len(self._columns):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._columns[section].title
        return self._columns[section].tip if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, in the given role."""
        report = self._report
        if report is None or not index.isValid():
            return None
        day = self.day(index.row())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._columns[index.column()].text(day)
            case Qt.ItemDataRole.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.ForegroundRole if day not in report.model.days:
                return QColor(current_colors().muted)
            case Qt.ItemDataRole.BackgroundRole if day <= report.fit_days:
                return QColor(current_colors().raised)
            case Qt.ItemDataRole.ToolTipRole:
                return _tip(report, day)
        return None


def _columns(report: SkillReport) -> tuple[_Column, ...]:
    model = report.model
    own = (
        _score(model, "Observed", "cells inside the observed perimeter", lambda s: f"{s.overlap.observed:,}"),
        _score(model, "Expected", "ΣP, the cells that the forecast expects", lambda s: f"{s.expected:,.0f}"),
        _score(model, "Area", "expected over observed cells, less one", lambda s: signed(s.area_error)),
        _score(model, "IoU", "intersection over union of P ≥ 0.5 and the perimeter", lambda s: f"{s.iou:.2f}"),
        _score(model, "Soft IoU", "the same with probabilities in place of a threshold", lambda s: f"{s.soft_iou:.2f}"),
        _score(model, "Precision", "share of the cells with P ≥ 0.5 that burned", lambda s: f"{s.precision:.2f}"),
        _score(model, "Recall", "share of the burned cells with P ≥ 0.5", lambda s: f"{s.recall:.2f}"),
        _score(model, "Σ|P−O|", "Manhattan distance, in cells", lambda s: f"{s.manhattan:,.0f}"),
        _score(model, "Brier", "mean of (P − O)² over the raster", lambda s: f"{s.brier:.3f}"),
        _score(model, "New IoU", f"IoU of what burned after day {report.fit_days} alone", lambda s: _two(s.new_iou)),
    )
    others = tuple(
        _score(item, SHORT.get(item.key, item.label), f"IoU: {item.label}", lambda s: f"{s.iou:.2f}")
        for item in report.references
    )
    return (
        _Column("Day", "days since the start of the forecast", str),
        _Column("Perimeter", "date of the perimeter it is compared with", lambda day: _date(report, day)),
        *own,
        *others,
        *_published(report),
    )


def _score(forecast: ForecastSkill, title: str, tip: str, text: Callable[[Skill], str]) -> _Column:
    return _Column(title, tip, lambda day: text(forecast.days[day]) if day in forecast.days else "–")


def _published(report: SkillReport) -> tuple[_Column, ...]:
    curve = report.published
    if curve is None:
        return ()
    return (_Column("Published", f"IoU: {curve.source}", lambda day: _two(curve.iou.get(day))),)


def signed(share: float) -> str:
    """Whole percent with its sign; what rounds to nothing has none."""
    percent = round(100.0 * share)
    return f"{percent:+d}%" if percent else "0%"


def _two(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _date(report: SkillReport, day: int) -> str:
    when = report.date_of_day(day)
    return f"{when.day} {when:%b}"


def _tip(report: SkillReport, day: int) -> str | None:
    if day not in report.model.days:
        return _NOT_SCORED
    return "its perimeter may have been read in training" if day <= report.fit_days else None

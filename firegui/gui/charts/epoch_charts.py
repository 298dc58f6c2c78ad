"""The charts over epochs: what each draws of a run, and how it says the latest number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QWidget

from firegui.domain.settings import ObjectiveWeights
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.number_text import duration, number
from firegui.gui.charts.chart import Chart
from firegui.gui.jobs.run_entry import RunEntry

TERMS = (("burn", "burn", "warning"), ("final", "final", "error"), ("prot", "protected", "accent"))
"""The fire terms of the objective: history column, what people read, colour."""


@dataclass(frozen=True, slots=True)
class ChartOptions:
    """How a person wants the curves: against epochs, rollouts or time, log or plain, terms weighted or raw."""

    rollouts: bool = False
    time: bool = False
    log: bool = False
    weighted: bool = True

    @property
    def x_column(self) -> str:
        """The history column on the abscissa."""
        return "rollouts" if self.rollouts else "seconds" if self.time else "epoch"

    @property
    def x_label(self) -> str:
        """What the abscissa counts, for people."""
        return "rollout equivalents" if self.rollouts else "seconds" if self.time else "epoch"


class EpochChart(Chart):
    """A chart of one run's history. ``row`` is the epoch under the mouse, or ``None`` for the latest."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, "epoch", parent)
        self._name = name

    def draw(self, entry: RunEntry, options: ChartOptions) -> None:
        """Draw the whole history."""
        raise NotImplementedError

    def read_out(self, entry: RunEntry, options: ChartOptions, row: int | None) -> tuple[str, list[Piece]]:
        """The title and the legend: name, unit and the numbers of a row."""
        raise NotImplementedError

    def clear(self) -> None:
        """Nothing to show."""
        for index in range(self.curve_count):
            self.set_curve(index, np.empty(0), np.empty(0))
        self.set_level(None)
        self.set_second_level(None)
        self.set_title(self._name)


class ObjectiveChart(EpochChart):
    """Current and best objective, that of the fire without drops, and that of the tactical heuristic if it is known."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Objective", parent)
        self._current = self.add_curve("muted", name="objective")
        self._best = self.add_curve("accent", name="best", width=2.0)
        self._tactical: float | None = None

    def set_tactical(self, objective: float | None) -> None:
        """What the tactical heuristic reached at design effectiveness, on the same inputs; ``None`` for nothing."""
        self._tactical = objective

    def draw(self, entry: RunEntry, options: ChartOptions) -> None:
        """See :class:`EpochChart`."""
        x = _abscissa(entry, options)
        self.set_curve(self._current, x, entry.history.column("objective"))
        self.set_curve(self._best, x, entry.history.column("best"))
        level = None if entry.baseline is None else entry.baseline.objective
        self.set_level(level, "no drops")
        self.set_second_level(self._tactical, "tactical")

    def read_out(self, entry: RunEntry, options: ChartOptions, row: int | None) -> tuple[str, list[Piece]]:
        """See :class:`EpochChart`."""
        if not len(entry.history):
            return self._name, []
        at = len(entry.history) - 1 if row is None else row
        best, current = number(_at(entry, "best", at)), number(_at(entry, "objective", at))
        pieces = [Piece(f"best {best}", "accent"), Piece(f"now {current}", "muted")]
        if entry.baseline is not None:
            pieces.append(Piece(f"no drops {number(entry.baseline.objective)}"))
        if self._tactical is not None:
            pieces.append(Piece(f"tactical {number(self._tactical)}"))
        if row is None:
            pieces.append(Piece(f"epoch {entry.epoch:,} of {entry.epochs:,}"))
        return f"{self._name}{_where(row)}", pieces


class TermsChart(EpochChart):
    """The fire terms of the objective, as they count in it or as they are."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Loss terms", parent)
        self._lines = [self.add_curve(role, name=title, width=1.5) for _, title, role in TERMS]

    def draw(self, entry: RunEntry, options: ChartOptions) -> None:
        """See :class:`EpochChart`."""
        x = _abscissa(entry, options)
        for line, (column, _, _) in zip(self._lines, TERMS, strict=True):
            weight = _weight(entry, options, column)
            self.set_curve(line, x, entry.history.column(column) * weight)
            # A term that does not count would only flatten the others.
            self.set_curve_visible(line, weight > 0)

    def read_out(self, entry: RunEntry, options: ChartOptions, row: int | None) -> tuple[str, list[Piece]]:
        """See :class:`EpochChart`."""
        name = "Loss × λ" if options.weighted else "Loss, raw"
        if not len(entry.history):
            return name, []
        at = len(entry.history) - 1 if row is None else row
        weights = {column: _weight(entry, options, column) for column, _, _ in TERMS}
        counting = [(column, title, role) for column, title, role in TERMS if weights[column] > 0]
        numbers = {column: number(_at(entry, column, at) * weights[column]) for column, _, _ in counting}
        return f"{name}{_where(row)}", [Piece(f"{title} {numbers[column]}", role) for column, title, role in counting]


class ColumnChart(EpochChart):
    """One column of the history."""

    def __init__(self, name: str, column: str, role: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._column, self._role = column, role
        self._line = self.add_curve(role, name=column, width=1.5)

    def draw(self, entry: RunEntry, options: ChartOptions) -> None:
        """See :class:`EpochChart`."""
        self.set_curve(self._line, _abscissa(entry, options), entry.history.column(self._column))

    def read_out(self, entry: RunEntry, options: ChartOptions, row: int | None) -> tuple[str, list[Piece]]:
        """See :class:`EpochChart`."""
        if not len(entry.history):
            return self._name, []
        value = _at(entry, self._column, len(entry.history) - 1 if row is None else row)
        text = f"{value:,.0f}" if self._column == "drops" else number(value)
        text = duration(value) if self._column == "seconds" else text
        return f"{self._name}{_where(row)}", [Piece(text, self._role)]


def _abscissa(entry: RunEntry, options: ChartOptions) -> NDArray[np.float64]:
    """Epochs count from 1 for people."""
    column = entry.history.column(options.x_column)
    return column + 1 if options.x_column == "epoch" else column


def _at(entry: RunEntry, column: str, row: int) -> float:
    return float(entry.history.column(column)[row])


def _weight(entry: RunEntry, options: ChartOptions, column: str) -> float:
    if not options.weighted:
        return 1.0
    weights = entry.project.plan.weights if entry.project is not None else ObjectiveWeights()
    return float(getattr(weights, column))


def _where(row: int | None) -> str:
    return "" if row is None else f", epoch {row + 1:,}"

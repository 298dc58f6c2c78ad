"""The charts of the second stage, over rollouts: what is left, how close the constraints are, what a pass removes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QWidget

from firegui.gui.base.elided_label import Piece
from firegui.gui.charts.chart import Chart
from firegui.gui.charts.epoch_charts import TERMS
from firegui.gui.jobs.run_entry import EliminationHistory, RunEntry

_WORDY_MARKS = 4


class EliminationChart(Chart):
    """A chart of one run's second stage, the begin of every pass after the first marked.

    ``row`` is the report under the mouse, or ``None`` for the latest.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, "rollouts", parent)
        self._name = name

    def draw(self, removals: EliminationHistory) -> None:
        """Draw all of it."""
        self.set_marks(_pass_marks(removals))
        self._draw(removals, removals.column("rollouts"))

    def clear(self) -> None:
        """Nothing to show."""
        self.draw(EliminationHistory())
        self.set_level(None)
        self.set_title(self._name)

    def _draw(self, removals: EliminationHistory, x: NDArray[np.float64]) -> None:
        raise NotImplementedError

    def read_out(self, entry: RunEntry, row: int | None) -> tuple[str, list[Piece]]:
        """The title and the legend: name and the numbers of a row."""
        if not len(entry.removals):
            return self._name, []
        at = len(entry.removals) - 1 if row is None else row
        return self._read_out(entry, at, row is None)

    def _read_out(self, entry: RunEntry, at: int, latest: bool) -> tuple[str, list[Piece]]:
        raise NotImplementedError


class DropsLeftChart(EliminationChart):
    """The drops that are left, and how many there were."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Drops left", parent)
        self._left = self.add_curve("retardant", width=2.0)

    def _draw(self, removals: EliminationHistory, x: NDArray[np.float64]) -> None:
        self.set_curve(self._left, x, removals.column("drops"))
        self.set_level(removals.last("drops_before"), "before")

    def _read_out(self, entry: RunEntry, at: int, latest: bool) -> tuple[str, list[Piece]]:
        left, before = _at(entry.removals, "drops", at), _at(entry.removals, "drops_before", at)
        where = f"pass {_at(entry.removals, 'passes', at)}"
        done, of = entry.tested
        if latest and not entry.is_over and of:
            where += f" · {done:,}/{of:,}"
        elif not latest:
            where += f" · rollout {_at(entry.removals, 'rollouts', at):,}"
        pieces = [Piece(f"{left:,}", "retardant"), Piece(f"before {before:,}")]
        if left < before:
            pieces.append(Piece(f"−{(before - left) / before:.0%}"))
        return f"{self._name} · {where}", pieces


class SlackChart(EliminationChart):
    """The constrained losses against what they may rise to: a removal that takes one past 1 is refused."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Loss ÷ its limit", parent)
        self._lines = [self.add_curve(role, width=1.5) for _, _, role in TERMS]

    def _draw(self, removals: EliminationHistory, x: NDArray[np.float64]) -> None:
        for line, (column, _, _) in zip(self._lines, TERMS, strict=True):
            values = removals.column(column)
            constrained = bool(np.isfinite(values).any())
            self.set_curve(line, x if constrained else x[:0], values if constrained else values[:0])
        self.set_level(1.0 if len(removals) else None, "limit")

    def _read_out(self, entry: RunEntry, at: int, latest: bool) -> tuple[str, list[Piece]]:
        values = [(title, float(entry.removals.column(column)[at]), role) for column, title, role in TERMS]
        return self._name, [Piece(f"{title} {value:.3f}", role) for title, value, role in values if np.isfinite(value)]


class RemovedChart(EliminationChart):
    """What every pass has removed so far; a pass that ends at none is the last."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Removed this pass", parent)
        self._removed = self.add_curve("warning", width=1.5)

    def _draw(self, removals: EliminationHistory, x: NDArray[np.float64]) -> None:
        self.set_curve(self._removed, x, removals.column("removed"))

    def _read_out(self, entry: RunEntry, at: int, latest: bool) -> tuple[str, list[Piece]]:
        removed, batch = _at(entry.removals, "removed", at), _at(entry.removals, "batch", at)
        pieces = [Piece(f"{removed:,} in pass {_at(entry.removals, 'passes', at)}", "warning")]
        if not (latest and entry.is_over):
            pieces.append(Piece(f"batches of {batch:,}"))
        return self._name, pieces


def _pass_marks(removals: EliminationHistory) -> list[tuple[float, str]]:
    """Where every pass after the first begins; the words only while there is room for them."""
    passes, rollouts = removals.column("passes"), removals.column("rollouts")
    begins = np.flatnonzero(np.diff(passes) > 0) + 1
    word = "pass " if len(begins) <= _WORDY_MARKS else ""
    return [(float(rollouts[at]), f"{word}{int(passes[at])}") for at in begins]


def _at(removals: EliminationHistory, column: str, row: int) -> int:
    return int(removals.column(column)[row])

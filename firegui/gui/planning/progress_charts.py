"""Charts of a run beside those over epochs: fire area, second stage, closed loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from firegui.domain.results import Frames, Metrics
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.number_text import number
from firegui.gui.charts.chart import Chart
from firegui.gui.charts.epoch_charts import TERMS
from firegui.gui.jobs.run_entry import EliminationHistory, RunEntry
from firegui.gui.session.session import Session

Floats = NDArray[np.float64]

_CURSOR_MS = 50
_WORDY_MARKS = 4
_BRANCHES = (
    ("replanned daily", "accent", Qt.PenStyle.SolidLine),
    ("fixed plan", "retardant", Qt.PenStyle.DashLine),
    ("no drops", "muted", Qt.PenStyle.DotLine),
)


def area_curve(frames: Frames, n_steps: int, cell_area_ha: float) -> tuple[Floats, Floats]:
    """``(step, ha)`` of every frame: ``Σ_x P`` times the area of a cell; approximate, for frames are quantised."""
    steps = np.minimum(np.arange(len(frames.fire)) * frames.stride, n_steps).astype(float)
    return steps, frames.fire.sums() / 255.0 * cell_area_ha


class AreaChart(Chart):
    """Follows :attr:`Session.result`; a click seeks."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Fire area", "day", parent)
        self._session = session
        self._without = self.add_curve("muted", width=1.0)
        self._with = self.add_curve("accent", width=2.0)
        self._drawn: tuple[Frames | None, Frames | None] = (None, None)
        self._pointed: float | None = None
        # Moving the cursor paints the whole chart, which playback must not wait for.
        self._cursor_timer = QTimer(self, singleShot=True, interval=_CURSOR_MS)
        self._cursor_timer.timeout.connect(self._show_step)
        session.step_changed.connect(self._on_step)
        session.project_opened.connect(self.fit)
        self.clicked.connect(self._seek)
        self.hovered.connect(self._on_hovered)

    def refresh(self) -> None:
        """Draw the result as it is now; adds frames up only when they are others."""
        result = self._session.result
        if not self._session.has_project:
            return
        wanted = (result.baseline, result.plan)
        for curve, frames, drawn in zip((self._without, self._with), wanted, self._drawn, strict=True):
            # Adding up the frames of a large event takes twenty milliseconds, and mostly only the plan's are others.
            if frames is not drawn:
                self._draw(curve, frames)
        self._drawn = wanted
        self.set_curve_visible(self._with, result.plan is not None)
        self._show_step()
        self._write_title()

    def _draw(self, curve: int, frames: Frames | None) -> None:
        if frames is None:
            self.set_curve(curve, np.empty(0), np.empty(0))
            return
        shown = self._session.result.project or self._session.project
        calendar = shown.calendar
        steps, area = area_curve(frames, calendar.n_steps, shown.scenario.grid.cell_area_ha)
        self.set_curve(curve, steps / calendar.steps_per_day, area)

    def _on_step(self, _: int) -> None:
        if not self._cursor_timer.isActive():
            self._cursor_timer.start()

    def _show_step(self) -> None:
        if self._session.has_project:
            self.set_cursor(self._session.step / self._session.project.calendar.steps_per_day)

    def _seek(self, day: float) -> None:
        if self._session.has_project:
            self._session.set_step(round(day * self._session.project.calendar.steps_per_day))

    def _on_hovered(self, day: float | None) -> None:
        self._pointed = day
        self._write_title()

    def _write_title(self) -> None:
        result = self._session.result
        name = "Mean fire area ≈ ha" if result.mean_of else "Fire area ≈ ha"
        if self._pointed is not None and any(frames is not None for frames in self._drawn):
            self.set_title(f"{name}, day {self._pointed:.1f}", *self._read_out(self._pointed))
            return
        plan, first = self._names
        ends = [_end(plan, "accent", result.plan_metrics), _end(first, "muted", result.baseline_metrics)]
        self.set_title(name, *(end for end in ends if end is not None))

    @property
    def _names(self) -> tuple[str, str]:
        """What the plan is called, and the fire that it is compared with."""
        result = self._session.result
        return result.plan_name or "plan", result.against or "no drops"

    def _read_out(self, day: float) -> list[Piece]:
        pieces = []
        plan, first = self._names
        for name, role, curve in ((plan, "accent", self._with), (first, "muted", self._without)):
            x, y = self.curve_points(curve)
            if len(x):
                pieces.append(Piece(f"{name} {number(float(np.interp(day, x, y)))}", role))
        return pieces


def _end(name: str, role: str, metrics: Metrics | None) -> Piece | None:
    return None if metrics is None else Piece(f"{name} {number(metrics.final_extent_ha)}", role)


# -- the second stage --------------------------------------------------------------------------------------------------
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


# -- the closed loop ---------------------------------------------------------------------------------------------------
class LoopChart(Chart):
    """Cells that have burned by the evening of every day of a closed loop."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Burned cells, closed loop", "day", parent)
        self._lines = [self.add_curve(role, width=1.5, style=style, symbol=5.0) for _, role, style in _BRANCHES]
        self.hide()

    def show_run(self, entry: RunEntry | None) -> None:
        """Draw the days of a closed loop; hide for any other run."""
        scores = None if entry is None else entry.replan
        days = () if scores is None else scores.loop
        self.setVisible(bool(days))
        x = np.array([row.day + 1 for row in days], float)
        branches = ([r.loop_cells for r in days], [r.open_cells for r in days], [r.none_cells for r in days])
        for line, values in zip(self._lines, branches, strict=True):
            self.set_curve(line, x, np.array(values, float))
        last = [f" {values[-1]:,}" if values else "" for values in branches]
        pieces = [Piece(f"{name}{text}", role) for (name, role, _), text in zip(_BRANCHES, last, strict=True)]
        self.set_title("Burned cells by day of the plan, closed loop", *pieces)

"""Charts of one run: over the epochs of its first stage, the rollouts of its second, and the days."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from firegui.domain.benchmark import GRADIENT_CHARGE
from firegui.domain.observation import OBSERVED
from firegui.domain.results import Frames, Metrics
from firegui.domain.settings import ObjectiveWeights
from firegui.domain.units import Units, amount_text, percent_text
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.number_text import duration, number
from firegui.gui.base.plain_text import tooltip
from firegui.gui.charts.chart import Chart
from firegui.gui.jobs.run_entry import EventColumns, RunEntry
from firegui.gui.session.session import Session

Floats = NDArray[np.float64]
Reading = tuple[str, list[Piece]]
"""Title of a chart and its legend."""

TERMS = (("burn", "burn", "warning"), ("final", "final", "error"), ("prot", "protected", "accent"),
         ("val", "values lost", "text"))  # fmt: skip
"""The fire terms of the objective: history column, title, colour."""
_OBJECTIVE_TIP = (
    "Objective of each search step in the model, at cautious effectiveness, and of the best plan so far. From the "
    "dotted line on, the plan that lets least grow in the mean of the stress scenarios is kept. The curve still shows "
    "the objective in the model, where that plan can be worse than an earlier one or than the present step."
)
_DROPS_TIP = (
    "Drops of the plan of each search step. The search keeps the plan of its best step, so the kept plan may have "
    "other drops than the last step. Drops that are removed afterwards have a chart of their own."
)
_TRAINING_MARK = "from here: kept by\nmean of scenarios"
_CURSOR_MS = 50
_BRANCHES = (
    ("replanned", "accent", Qt.PenStyle.SolidLine),
    ("fixed plan", "retardant", Qt.PenStyle.DashLine),
    ("no drops", "muted", Qt.PenStyle.DotLine),
)


@dataclass(frozen=True, slots=True)
class ChartOptions:
    """Display of the curves: by epochs, rollouts or time; logarithmic or linear; weighted or raw terms."""

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
        """Label of the abscissa."""
        return "fire simulations" if self.rollouts else "seconds" if self.time else "search step"


class RunChart(Chart):
    """Chart of the events of one stage of a run.

    A row is one event: the event under the mouse, or the latest.
    """

    def __init__(self, name: str, x_label: str, parent: QWidget | None = None, *, follows_curves: bool = False) -> None:
        super().__init__(name, x_label, parent, follows_curves=follows_curves)
        self._name = name

    def show_run(self, entry: RunEntry | None, options: ChartOptions) -> None:
        """Draw the stage of a run; ``None`` or a run without this stage clears the chart."""
        if entry is None or not self._has_stage(entry):
            self._clear()
        else:
            self._draw(entry, options)

    def show_row(self, entry: RunEntry | None, options: ChartOptions, row: int | None) -> None:
        """Show the numbers of a row, by default of the latest, and move the cursor there."""
        if entry is not None and self._has_stage(entry):
            events = self._events(entry)
            latest = len(events) - 1
            name, pieces = self._read(entry, options, latest if row is None else row, row is None)
            self.set_title(name, *(pieces if latest >= 0 else ()))
        self.set_cursor(None if entry is None or row is None else float(self.abscissa(entry, options)[row]))

    def row_at(self, entry: RunEntry | None, options: ChartOptions, x: float | None) -> int | None:
        """Return the row nearest to ``x``; ``None`` if there is none."""
        if entry is None or x is None or not len(self._events(entry)):
            return None
        return int(np.argmin(np.abs(self.abscissa(entry, options) - x)))

    def abscissa(self, entry: RunEntry, options: ChartOptions) -> Floats:
        """Return the abscissa of every row."""
        raise NotImplementedError

    def _events(self, entry: RunEntry) -> EventColumns[Any]:
        raise NotImplementedError

    def _has_stage(self, entry: RunEntry) -> bool:
        raise NotImplementedError

    def _draw(self, entry: RunEntry, options: ChartOptions) -> None:
        raise NotImplementedError

    def _read(self, entry: RunEntry, options: ChartOptions, row: int, is_latest: bool) -> Reading:
        """Return title and legend for a row.

        If there is no row, ``row`` is −1 and the legend is not used.
        """
        raise NotImplementedError

    def _clear(self) -> None:
        for index in range(self.curve_count):
            self.set_curve(index, np.empty(0), np.empty(0))
        self.set_marks([])
        self.set_level(None)
        self.set_second_level(None)
        self.set_title(self._name)


# -- the first stage ---------------------------------------------------------------------------------------------------
class EpochChart(RunChart):
    """Chart over the epochs of the first stage."""

    def __init__(self, name: str, parent: QWidget | None = None, *, follows_curves: bool = False) -> None:
        super().__init__(name, ChartOptions().x_label, parent, follows_curves=follows_curves)

    def abscissa(self, entry: RunEntry, options: ChartOptions) -> Floats:
        """Return the abscissa of every row. Epochs count from 1 on screen."""
        column = entry.history.column(options.x_column)
        return column + 1 if options.x_column == "epoch" else column

    def _events(self, entry: RunEntry) -> EventColumns[Any]:
        return entry.history

    def _has_stage(self, entry: RunEntry) -> bool:
        # Levels, such as that of the fire without drops, are shown before the first epoch.
        return True

    def _title(self, row: int, is_latest: bool) -> str:
        return self._name if is_latest else f"{self._name}, step {row + 1:,}"


class ObjectiveChart(EpochChart):
    """Chart of the current and best objective, of the fire without drops and of the quick plan by rule.

    While drops are trained in stress scenarios, the plan with the least mean growth in their tests is kept. Its
    objective in the model may rise, so it has a curve and a name of its own.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Objective", parent, follows_curves=True)
        self.plot.setToolTip(tooltip(_OBJECTIVE_TIP))
        self._current = self.add_curve("muted", name="objective")
        # The view follows the objective: a search alone is too short for its steep start to be told from the rest.
        self._best = self.add_curve("accent", name="best", width=2.0, in_view=False)
        self._kept = self.add_curve("retardant", name="kept by scenarios", width=2.0)
        self._tactical: float | None = None

    def set_tactical(self, objective: float | None) -> None:
        """Set the objective of the quick plan at design effectiveness on the same inputs, if known."""
        self._tactical = objective

    def _draw(self, entry: RunEntry, options: ChartOptions) -> None:
        x = self.abscissa(entry, options)
        self.set_curve(self._current, x, entry.history.column("objective"))
        training, best = _training_from(entry), entry.history.column("best")
        self.set_curve(self._best, x[:training], best[:training])
        kept = slice(len(x) if training is None else training, None)
        self.set_curve(self._kept, x[kept], best[kept])
        self.set_level(None if entry.baseline is None else entry.baseline.objective, "no drops")
        self.set_second_level(self._tactical, "quick plan")
        self.set_marks([] if training is None else [(float(x[training]), _TRAINING_MARK)])

    def _read(self, entry: RunEntry, options: ChartOptions, row: int, is_latest: bool) -> Reading:
        if row < 0:
            return self._name, []
        best, current = (number(float(entry.history.column(name)[row])) for name in ("best", "objective"))
        training = _training_from(entry)
        is_search = training is None or row < training
        kept = Piece(f"best {best}", "accent") if is_search else Piece(f"kept by scenarios {best}", "retardant")
        pieces = [kept, Piece(f"now {current}", "muted")]
        if entry.baseline is not None:
            pieces.append(Piece(f"no drops {number(entry.baseline.objective)}"))
        if self._tactical is not None:
            pieces.append(Piece(f"quick plan {number(self._tactical)}"))
        if is_latest:
            pieces.append(Piece(f"step {entry.epoch:,} of {entry.epochs:,}"))
        return self._title(row, is_latest), pieces


class TermsChart(EpochChart):
    """Chart of the fire terms of the objective, weighted as in the objective or raw."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Loss terms", parent, follows_curves=True)
        self._lines = [self.add_curve(role, name=title, width=1.5) for _, title, role in TERMS]

    def _draw(self, entry: RunEntry, options: ChartOptions) -> None:
        x = self.abscissa(entry, options)
        for line, (column, _, _) in zip(self._lines, TERMS, strict=True):
            weight = _weight(entry, options, column)
            self.set_curve(line, x, entry.history.column(column) * weight)
            # A term without weight would only flatten the others.
            self.set_curve_visible(line, weight > 0)

    def _read(self, entry: RunEntry, options: ChartOptions, row: int, is_latest: bool) -> Reading:
        name = "Loss, weighted" if options.weighted else "Loss, raw"
        if row < 0:
            return name, []
        pieces = [
            Piece(f"{title} {number(float(entry.history.column(column)[row]) * weight)}", role)
            for column, title, role in TERMS
            if (weight := _weight(entry, options, column)) > 0
        ]
        return name if is_latest else f"{name}, step {row + 1:,}", pieces


class ColumnChart(EpochChart):
    """Chart of one column of the history."""

    def __init__(self, name: str, column: str, role: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._column, self._role = column, role
        self._line = self.add_curve(role, name=column, width=1.5)

    def _draw(self, entry: RunEntry, options: ChartOptions) -> None:
        self.set_curve(self._line, self.abscissa(entry, options), entry.history.column(self._column))

    def _read(self, entry: RunEntry, options: ChartOptions, row: int, is_latest: bool) -> Reading:
        if row < 0:
            return self._name, []
        value = float(entry.history.column(self._column)[row])
        text = duration(value) if self._column == "seconds" else number(value)
        return self._title(row, is_latest), [Piece(text, self._role)]


class DropsChart(ColumnChart):
    """Chart of the drops of every search step. The kept plan may be that of an earlier one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Drops", "drops", "retardant", parent)
        self.set_whole("left")
        self.plot.setToolTip(tooltip(_DROPS_TIP))

    def _read(self, entry: RunEntry, options: ChartOptions, row: int, is_latest: bool) -> Reading:
        if row < 0:
            return self._name, []
        drops, kept = entry.history.column("drops")[row], entry.reference or entry.nominal
        if not is_latest or not entry.is_over or kept is None:
            return self._title(row, is_latest), [Piece(f"{drops:,.0f}", self._role)]
        last = Piece(f"last step {drops:,.0f}", self._role)
        return self._name, [last, Piece(f"kept plan {kept.drops_executed:,}")]


def _training_from(entry: RunEntry) -> int | None:
    """Return the first row of the training in stress scenarios, whose steps cost more; or ``None``."""
    dear = np.flatnonzero(np.diff(entry.history.column("rollouts")) > GRADIENT_CHARGE)
    return int(dear[0]) + 1 if len(dear) else None


def _weight(entry: RunEntry, options: ChartOptions, column: str) -> float:
    if column == "val" and not (entry.project is not None and entry.project.values):
        return 0.0
    if not options.weighted:
        return 1.0
    weights = entry.project.plan.weights if entry.project is not None else ObjectiveWeights()
    return float(getattr(weights, column))


# -- the second stage --------------------------------------------------------------------------------------------------
class EliminationChart(RunChart):
    """Chart over the rollouts of the second stage. The start of every further pass is marked."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, "fire simulations · dotted: next round", parent)
        self.set_whole("bottom")

    def abscissa(self, entry: RunEntry, options: ChartOptions) -> Floats:
        """Return the abscissa of every row."""
        return entry.removals.column("rollouts")

    def _events(self, entry: RunEntry) -> EventColumns[Any]:
        return entry.removals

    def _has_stage(self, entry: RunEntry) -> bool:
        return len(entry.removals) > 0

    def _draw(self, entry: RunEntry, options: ChartOptions) -> None:
        passes, rollouts = entry.removals.column("passes"), entry.removals.column("rollouts")
        begins = np.flatnonzero(np.diff(passes) > 0) + 1
        # Texts would cover the curves. The title names the round under the mouse.
        self.set_marks([(float(rollouts[at]), "") for at in begins])

    @staticmethod
    def _whole(entry: RunEntry, column: str, row: int) -> int:
        return int(entry.removals.column(column)[row])


class DropsLeftChart(EliminationChart):
    """Chart of the remaining drops, and their number at the start."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Drops left", parent)
        self.set_whole("left")
        self._left = self.add_curve("retardant", width=2.0)

    def _draw(self, entry: RunEntry, options: ChartOptions) -> None:
        super()._draw(entry, options)
        self.set_curve(self._left, self.abscissa(entry, options), entry.removals.column("drops"))
        self.set_level(entry.removals.last("drops_before"), "before")

    def _read(self, entry: RunEntry, options: ChartOptions, row: int, is_latest: bool) -> Reading:
        left, before = self._whole(entry, "drops", row), self._whole(entry, "drops_before", row)
        where = f"round {self._whole(entry, 'passes', row)}"
        done, of = entry.tested
        if is_latest and not entry.is_unmeasured and not entry.is_over and of:
            where += f" · {done:,}/{of:,}"
        elif not is_latest or entry.is_unmeasured:
            where += f" · simulation {self._whole(entry, 'rollouts', row):,}"
        pieces = [Piece(f"{left:,}", "retardant"), Piece(f"before {before:,}")]
        if left < before:
            pieces.append(Piece(f"−{percent_text((before - left) / before, 0)}"))
        return f"{self._name} · {where}", pieces


class SlackChart(EliminationChart):
    """Chart of the constrained losses relative to their limits.

    With a margin it is that of the worst scenario. A removal that would raise one above 1 is rejected.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Loss ÷ its limit", parent)
        self._lines = [self.add_curve(role, width=1.5) for _, _, role in TERMS]

    def _draw(self, entry: RunEntry, options: ChartOptions) -> None:
        super()._draw(entry, options)
        x = self.abscissa(entry, options)
        terms = self._terms(entry)
        for line, term in zip(self._lines, TERMS, strict=True):
            values = entry.removals.column(term[0]) if term in terms else x[:0]
            self.set_curve(line, x[: len(values)], values)
        self.set_level(1.0, "limit")

    def _read(self, entry: RunEntry, options: ChartOptions, row: int, is_latest: bool) -> Reading:
        pieces = []
        for column, title, role in self._terms(entry):
            value = float(entry.removals.column(column)[row])
            if np.isfinite(value):
                pieces.append(Piece(f"{'worst scenario' if entry.has_margin else title} {value:.3f}", role))
        return self._name, pieces

    @staticmethod
    def _terms(entry: RunEntry) -> tuple[tuple[str, str, str], ...]:
        """Return the terms that have a limit; with a margin one, as all are that of the worst scenario."""
        known = tuple(term for term in TERMS if np.isfinite(entry.removals.column(term[0])).any())
        return known[:1] if entry.has_margin else known


class RemovedChart(EliminationChart):
    """Chart of the drops that every pass has removed so far. A pass that removes none is the last."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Removed this round", parent)
        self.set_whole("left")
        self._removed = self.add_curve("warning", width=1.5)

    def _draw(self, entry: RunEntry, options: ChartOptions) -> None:
        super()._draw(entry, options)
        self.set_curve(self._removed, self.abscissa(entry, options), entry.removals.column("removed"))

    def _read(self, entry: RunEntry, options: ChartOptions, row: int, is_latest: bool) -> Reading:
        removed, passes = self._whole(entry, "removed", row), self._whole(entry, "passes", row)
        pieces = [Piece(f"{removed:,} in round {passes}", "warning")]
        # Drops that are removed for the stress scenarios are reported without a batch between two of them.
        if (batch := self._whole(entry, "batch", row)) and not (is_latest and entry.is_over):
            pieces.append(Piece(f"batches of {batch:,}"))
        return self._name, pieces


# -- the days ----------------------------------------------------------------------------------------------------------
def area_curve(frames: Frames, n_steps: int, cell_area_ha: float) -> tuple[Floats, Floats]:
    """Return ``(step, ha)`` of every frame: ``Σ_x P`` times the area of a cell.

    The values are approximate, because frames are quantised.
    """
    steps = np.minimum(np.arange(len(frames.fire)) * frames.stride, n_steps).astype(float)
    return steps, frames.fire.sums() / 255.0 * cell_area_ha


class AreaChart(Chart):
    """Chart of the fire area by day, with drops and without, from :attr:`Session.result`. A click seeks."""

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
        session.units_changed.connect(self._on_units)
        self.clicked.connect(self._seek)
        self.hovered.connect(self._on_hovered)

    def refresh(self) -> None:
        """Draw the current result. Frames are summed only if they have changed."""
        result = self._session.result
        if not self._session.has_project:
            return
        wanted = (result.baseline, result.plan)
        for curve, frames, drawn in zip((self._without, self._with), wanted, self._drawn, strict=True):
            # Summing the frames of a large event takes 20 ms, and mostly only the plan's have changed.
            if frames is not drawn:
                self._draw(curve, frames)
        self._drawn = wanted
        self.set_curve_visible(self._with, result.plan is not None)
        self._show_step()
        self._write_title()

    def _on_units(self) -> None:
        self._drawn = (None, None)
        self.refresh()
        self.fit()

    def _draw(self, curve: int, frames: Frames | None) -> None:
        if frames is None:
            self.set_curve(curve, np.empty(0), np.empty(0))
            return
        shown = self._session.result.project or self._session.project
        calendar = shown.calendar
        steps, area = area_curve(frames, calendar.n_steps, shown.scenario.grid.cell_area_ha)
        self.set_curve(curve, steps / calendar.steps_per_day, self._session.units.area_value(1.0) * area)

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
        units = self._session.units
        name = f"{'Mean fire area' if result.mean_of else 'Fire area'} ≈ {units.area_unit}"
        if self._pointed is not None and any(frames is not None for frames in self._drawn):
            self.set_title(f"{name}, day {self._pointed:.1f}", *self._read_out(self._pointed))
            return
        plan, first = self._names
        ends = [
            _end(plan, "accent", result.plan_metrics, units), _end(first, "muted", result.baseline_metrics, units),
        ]  # fmt: skip
        self.set_title(name, *(end for end in ends if end is not None))

    @property
    def _names(self) -> tuple[str, str]:
        """Return the names of the plan and of the fire that it is compared with."""
        result = self._session.result
        bare = "no further drops" if result.fire == OBSERVED else "no drops"
        # The finished plan is shown at expected effectiveness, so its fire is smaller.
        cautious = " (cautious effectiveness)" if result.is_cautious else ""
        return f"{result.plan_name or 'plan'}{cautious}", result.against or bare

    def _read_out(self, day: float) -> list[Piece]:
        pieces = []
        plan, first = self._names
        for name, role, curve in ((plan, "accent", self._with), (first, "muted", self._without)):
            x, y = self.curve_points(curve)
            if len(x):
                pieces.append(Piece(f"{name} {amount_text(float(np.interp(day, x, y)))}", role))
        return pieces


def _end(name: str, role: str, metrics: Metrics | None, units: Units) -> Piece | None:
    return None if metrics is None else Piece(f"{name} {units.area_number(metrics.final_extent_ha)}", role)


class LoopChart(Chart):
    """Chart of the burned area at the end of every day, or at every observation, of a closed loop."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Burned area, closed loop", "day", parent)
        self._lines = [self.add_curve(role, width=1.5, style=style, symbol=5.0) for _, role, style in _BRANCHES]
        self.hide()

    def show_run(self, entry: RunEntry | None, units: Units) -> None:
        """Draw the days of a closed loop with areas in ``units``; hide for any other run."""
        days = () if entry is None or entry.project is None else entry.loop
        self.setVisible(bool(days))
        if entry is None or entry.project is None:
            return
        scale = units.area_value(entry.project.scenario.grid.cell_area_ha)
        x = np.array([row.end for row in days])
        branches = ([r.loop_cells for r in days], [r.open_cells for r in days], [r.none_cells for r in days])
        for line, cells in zip(self._lines, branches, strict=True):
            self.set_curve(line, x, scale * np.array(cells, float))
        last = [f" {amount_text(scale * cells[-1])}" if cells else "" for cells in branches]
        pieces = [Piece(f"{name}{text}", role) for (name, role, _), text in zip(_BRANCHES, last, strict=True)]
        self.set_title(f"Burned area ≈ {units.area_unit}, closed loop", *pieces)

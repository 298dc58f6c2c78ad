"""Convergence of a calibration: its misfit by epoch, and the IoU of every fitted day."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QSplitter, QWidget

from firegui.domain.fit import FitProgress
from firegui.gui.analyses.calibration.calibration_controller import CalibrationController
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.layouts import fill_column
from firegui.gui.base.number_text import number
from firegui.gui.charts.chart import REPAINT_MS, Chart

_EVENT_ROLES = ("accent", "warning", "water", "retardant", "error", "text")
_SYMBOL = 4.5


class MisfitChart(Chart):
    """Chart of the misfit of every epoch and the lowest so far."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Misfit", "epoch", parent)
        self._current = self.add_curve("muted")
        self._best = self.add_curve("accent", width=2.0)

    def show_history(self, history: Sequence[FitProgress], row: int | None) -> None:
        """Draw the history; ``row`` is read out, by default the latest."""
        x = [epoch.epoch + 1 for epoch in history]
        self.set_curve(self._current, x, [epoch.loss for epoch in history])
        self.set_curve(self._best, x, [epoch.best_loss for epoch in history])
        self.set_cursor(None if row is None else row + 1)
        if not history:
            self.set_title("Misfit")
            return
        shown = history[-1 if row is None else row]
        where = f"round {shown.epoch + 1:,}" + (f" of {shown.epochs:,}" if row is None else "")
        best = f"best {number(shown.best_loss)} in round {shown.best_epoch + 1:,}"
        self.set_title(f"Misfit · {where}", Piece(best, "accent"), Piece(f"now {number(shown.loss)}", "muted"))

    def points(self, *, best: bool = False) -> dict[int, float]:
        """Return the misfit as drawn, or the lowest so far, by epoch counted from 1."""
        return {round(x): y for x, y in self.numbers(self._best if best else self._current).items()}


class FitDaysChart(Chart):
    """Chart of the IoU of every fitted day of every event in one epoch, dashed in the best one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Overlap (IoU) by day", "fitted day", parent)
        self._lines: list[int] = []

    def show_epochs(self, shown: FitProgress | None, best: FitProgress | None) -> None:
        """Draw an epoch and the best one; ``None`` clears the chart."""
        self._make_lines(0 if shown is None else len(shown.events))
        for k, line in enumerate(self._lines):
            epoch = best if k % 2 else shown
            event = None if epoch is None else next(iter(epoch.events[k // 2 : k // 2 + 1]), None)
            self.set_curve(line, () if event is None else event.days, () if event is None else event.iou)
        if shown is None:
            self.set_title("Overlap (IoU) by day")
            return
        pieces = [Piece(f"{event.name} {fmean(event.iou):.2f}", _role(k)) for k, event in enumerate(shown.events)]
        if best is not None:
            pieces.append(Piece(f"dashed: round {best.epoch + 1:,}"))
        self.set_title(f"Overlap (IoU) by day · round {shown.epoch + 1:,}", *pieces)

    def fit(self) -> None:
        """Show every day, and shares on their whole range, so that charts can be compared."""
        super().fit()
        self.item.setYRange(0.0, 1.0, padding=0.03)

    def points(self, event: int, *, best: bool = False) -> dict[int, float]:
        """Return the IoU of an event as drawn, by day; ``event`` is its position in the calibration."""
        return {round(x): y for x, y in self.numbers(self._lines[2 * event + best]).items()}

    def _make_lines(self, events: int) -> None:
        """Add a line for the shown epoch and one for the best epoch of every event."""
        while len(self._lines) < 2 * events:
            role = _role(len(self._lines) // 2)
            self._lines.append(self.add_curve(role, width=2.0, symbol=_SYMBOL))
            self._lines.append(self.add_curve(role, style=Qt.PenStyle.DashLine))


class FitPlots(QWidget):
    """Both charts of a calibration, repainted at most every 200 ms.

    The chart of days shows the epoch under the mouse on the misfit chart.
    """

    def __init__(self, controller: CalibrationController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._row: int | None = None
        self.misfit, self.days = MisfitChart(), FitDaysChart()
        self._throttle = QTimer(self, singleShot=True, interval=REPAINT_MS)
        self._throttle.timeout.connect(self.refresh)
        parts = QSplitter(Qt.Orientation.Horizontal)
        for chart in (self.misfit, self.days):
            parts.addWidget(chart)
            chart.fit()
        fill_column(self, parts, stretch=parts)
        controller.epochs_added.connect(self._schedule)
        self.misfit.hovered.connect(self._on_hovered)
        self.refresh()

    def refresh(self) -> None:
        """Draw the current history."""
        history = self._controller.history
        row = None if self._row is None or self._row >= len(history) else self._row
        self.misfit.show_history(history, row)
        shown = history[-1 if row is None else row] if history else None
        self.days.show_epochs(shown, self._controller.best)

    def _schedule(self) -> None:
        if not self._throttle.isActive():
            self._throttle.start()

    def _on_hovered(self, x: float | None) -> None:
        last = len(self._controller.history) - 1
        self._row = None if x is None or last < 0 else min(max(round(x) - 1, 0), last)
        self._schedule()


def _role(event: int) -> str:
    return _EVENT_ROLES[event % len(_EVENT_ROLES)]

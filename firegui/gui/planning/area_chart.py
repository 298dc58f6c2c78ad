"""Fire area over the days, with drops and without, from the frames that the map plays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from firegui.domain.results import Frames, Metrics
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.number_text import number
from firegui.gui.charts.chart import Chart
from firegui.gui.session.session import Session

Floats = NDArray[np.float64]

_CURSOR_MS = 50


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

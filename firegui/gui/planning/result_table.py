"""What came of a run, in a table: the fire without drops, the plan of the first stage, the plan that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from firegui.domain.results import Metrics
from firegui.gui.base.number_text import duration, number
from firegui.gui.jobs.run_entry import EventColumns, RunEntry
from firegui.gui.planning.replan_chart import replan_html

_NO_RUN = "No run is shown."
_ETAS = "design · nominal η"
_NO_CURVES = (
    "There are no curves: the tactical heuristic places drops by rule, in three passes, and searches for nothing. What "
    "came of it is under Result. A search can begin with its plan, and its drops can be pruned: see the buttons over "
    "the list of runs."
)
_AT_WORK = "The numbers at nominal effectiveness come when the run has ended."


class ResultView(QScrollArea):
    """Text that can be copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel(wordWrap=True)
        self._label.setTextFormat(Qt.TextFormat.RichText)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._label.setMargin(6)
        self._label.setAccessibleName("Result of the run")
        self.setWidget(self._label)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)

    @property
    def text(self) -> str:
        """What is said, as HTML."""
        return self._label.text()

    def show_run(self, entry: RunEntry | None) -> None:
        """Show another run, or its new numbers."""
        text = _NO_RUN if entry is None else result_html(entry)
        if text != self._label.text():
            self._label.setText(text)


def no_curves() -> QLabel:
    """What stands where the curves of a stage would be, for a run that has no stage."""
    label = QLabel(_NO_CURVES, wordWrap=True)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setProperty("role", "muted")
    label.setMargin(24)
    return label


def result_html(entry: RunEntry) -> str:
    """Drops, objective and fire with and without the plan, what every stage took, and how the run ended."""
    if entry.is_over and entry.replan is not None:
        return replan_html(entry, entry.replan)
    first = _FirstStage.of(entry)
    ended = _AT_WORK if not entry.is_over else f"<b>{escape(entry.status.capitalize())}</b>: {escape(entry.message)}"
    rows = _with_both(entry, first) if entry.prunes else _with_one(entry)
    lines = [_row("th", rows[0]), *(_row("td", row) for row in rows[1:])]
    return f"<table cellspacing='0' cellpadding='1'>{''.join(lines)}</table><p style='margin-top:4px'>{ended}</p>"


def _with_both(entry: RunEntry, first: _FirstStage) -> list[list[str]]:
    bare, plan, scored, before = entry.baseline, entry.plan, entry.nominal, first.nominal
    took: tuple[EventColumns[Any], ...] = (entry.history, entry.removals)
    objective = _pair(number(first.objective), _objective(before)), _pair(_objective(plan), _objective(scored))
    extent = _pair(number(first.extent_ha), _extent(before)), _pair(_extent(plan), _extent(scored))
    return [
        ["", "no drops", "after stage 1", "after stage 2"],
        ["Drops", "0", _count(first.drops), _drops(entry, first.drops)],
        [f"Objective, {_ETAS}", _objective(bare), *objective],
        [f"Fire at the end, ha, {_ETAS}", _extent(bare), *extent],
        ["Rollouts · time", "", *(_cost(columns) for columns in took)],
    ]


def _with_one(entry: RunEntry) -> list[list[str]]:
    bare, plan, scored = entry.baseline, entry.plan, entry.nominal
    cost = ["Rollouts · time", "", _cost(entry.history)]
    if entry.tactical:
        took = _count(entry.rollouts), duration(entry.seconds)
        cost = ["Passes · rollouts · time", "", " · ".join((_count(entry.swept[0]), *took))]
    return [
        ["", "no drops", "plan"],
        ["Drops", "0", _count(entry.drops)],
        [f"Objective, {_ETAS}", _objective(bare), _pair(_objective(plan), _objective(scored))],
        [f"Fire at the end, ha, {_ETAS}", _extent(bare), _pair(_extent(plan), _extent(scored))],
        cost,
    ]


@dataclass(frozen=True, slots=True)
class _FirstStage:
    """The plan of the first stage, as far as it is known: ``nominal`` once the run has ended."""

    drops: float | None
    objective: float | None
    extent_ha: float | None
    nominal: Metrics | None

    @staticmethod
    def of(entry: RunEntry) -> _FirstStage:
        """Read it off the best epoch; a run of the second stage alone has only the number of drops."""
        drops = entry.removals.last("drops_before")
        if not len(entry.history):
            return _FirstStage(drops, None, None, entry.reference)
        best = int(np.argmin(entry.history.column("objective")))
        objective, final, counted = (
            float(entry.history.column(name)[best]) for name in ("objective", "final", "drops")
        )
        bare = entry.baseline
        # Both are shares of the same raster, so the fire without drops says how many hectares a share is.
        extent = final * bare.final_extent_ha / bare.loss_final if bare is not None and bare.loss_final > 0 else None
        return _FirstStage(counted if drops is None else drops, objective, extent, entry.reference)


def _drops(entry: RunEntry, before: float | None) -> str:
    left = entry.drops
    text = _count(left)
    if left is not None and before and left < before:
        text += f" (−{(before - left) / before:.0%})"
    return text


def _pair(design: str, nominal: str) -> str:
    return f"{design} · {nominal}"


def _objective(metrics: Metrics | None) -> str:
    return number(None if metrics is None else metrics.objective)


def _extent(metrics: Metrics | None) -> str:
    return number(None if metrics is None else metrics.final_extent_ha)


def _cost(columns: EventColumns[Any]) -> str:
    return f"{_count(columns.last('rollouts'))} · {duration(columns.last('seconds'))}"


def _count(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"


def _row(tag: str, cells: Sequence[str]) -> str:
    first, *others = cells
    numbers = "".join(f"<{tag} align='right'>&nbsp;&nbsp;&nbsp;{text}</{tag}>" for text in others)
    return f"<tr><{tag} align='left'>{first}</{tag}>{numbers}</tr>"

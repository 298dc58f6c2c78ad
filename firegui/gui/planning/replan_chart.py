"""What came of a replanned run: the days from its first on, under three plans, or the days of a closed loop."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from firegui.domain.results import Metrics
from firegui.gui.base.elided_label import Piece
from firegui.gui.base.layouts import horizontal
from firegui.gui.base.number_text import number
from firegui.gui.charts.chart import Chart
from firegui.gui.jobs.run_entry import RunEntry
from firegui.runs.events import FinishReason
from firegui.runs.replan_base import LoopDay, ReplanScores

_BRANCHES = (
    ("replanned daily", "accent", Qt.PenStyle.SolidLine),
    ("fixed plan", "retardant", Qt.PenStyle.DashLine),
    ("no drops", "muted", Qt.PenStyle.DotLine),
)
_SHOWN = (
    "Shown after it ran, the map has the observed fire; opened again, it has the whole plan on the fire simulated from "
    "the first day."
)


def replan_html(entry: RunEntry, scores: ReplanScores) -> str:
    """The numbers of a replanned run and how it ended."""
    rows = _loop_rows(scores.loop) if scores.loop else _outlook_rows(scores)
    said = [f"<b>{escape(entry.status.capitalize())}</b>"]
    if entry.reason is not FinishReason.COMPLETED:
        said[0] += f": {escape(entry.message)} (days counted from 0)"
    if not scores.loop:
        flown = f"{scores.drops_flown:,} drop{'' if scores.drops_flown == 1 else 's'} flown before are not counted."
        said.append(f"Replanned from day {scores.day + 1} on, scored at nominal effectiveness; {flown} {_SHOWN}")
    else:
        said.append(
            "One drawn fire; every branch has the same random numbers. Burned cells by the evening replanned "
            "daily, with the fixed plan and without drops; drops flown that day; final extent expected that morning."
        )
    return f"{_table(rows)}<p style='margin-top:4px'>{'. '.join(said)}</p>"


def _outlook_rows(scores: ReplanScores) -> list[list[str]]:
    columns = (scores.nominal, scores.continued, scores.baseline)
    return [
        ["", "new plan", "old plan continued", "no further drops"],
        ["Further drops", *(_pick(each, "drops_executed") for each in columns)],
        ["Objective", *(_objective(each) for each in columns)],
        ["Fire at the end, ha", *(_pick(each, "final_extent_ha") for each in columns)],
        ["Fire at the end, cells", *(_pick(each, "final_extent_cells") for each in columns)],
        ["Burned protected cells", *(_pick(each, "protected_cells") for each in columns)],
    ]


def _loop_rows(days: Sequence[LoopDay]) -> list[list[str]]:
    head = ["Day", "replanned", "fixed", "no drops", "drops", "drops, fixed", "expected"]
    return [head] + [
        [
            f"{row.day + 1}", f"{row.loop_cells:,}", f"{row.open_cells:,}", f"{row.none_cells:,}",
            f"{row.loop_drops:,}", f"{row.open_drops:,}", "–" if row.expected is None else f"{row.expected:,.0f}",
        ]
        for row in days
    ]  # fmt: skip


def _pick(metrics: Metrics | None, name: str) -> str:
    return "–" if metrics is None else f"{getattr(metrics, name):,.0f}"


def _objective(metrics: Metrics | None) -> str:
    return number(None if metrics is None else metrics.objective)


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = []
    for k, (first, *others) in enumerate(rows):
        tag = "td" if k else "th"
        numbers = "".join(f"<{tag} align='right'>&nbsp;&nbsp;&nbsp;{text}</{tag}>" for text in others)
        lines.append(f"<tr><{tag} align='left'>{first}</{tag}>{numbers}</tr>")
    return f"<table cellspacing='0' cellpadding='1'>{''.join(lines)}</table>"


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


def side_by_side(left: QWidget, right: QWidget) -> QWidget:
    """Two widgets sharing a page; one that is hidden leaves it to the other."""
    page = QWidget()
    horizontal(page, (left, 3), (right, 2), margins=0)
    return page

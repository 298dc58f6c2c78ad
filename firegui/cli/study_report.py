"""A study as people read it, and as one object for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from firegui.cli.output import table as aligned
from firegui.cli.progress import clock
from firegui.domain.study_table import MEASURES, Bar, StudyTable, front_of, points_of, tornado_of
from firegui.runs.events import RunFinished
from firegui.runs.messages import counted
from firegui.studies.folder import StudyHeader
from firegui.studies.tables import columns_of
from firegui.studies.text import failures_text

_MOST_LINES = 20
_DROPS, _FIRE = "drops_executed", "final_extent_ha"


def result(table: StudyTable, header: StudyHeader, finished: RunFinished) -> dict[str, Any]:
    """The object that ``study --json`` prints; ``table`` in it has a list for every column."""
    measure = table.settings.measure[0]
    return {
        "run": str(finished.folder),
        "reason": finished.reason.value,
        "message": finished.message,
        "complete": table.complete,
        "cells": len(table.cells),
        "done": len(table.rows),
        "failed": {str(cell): why for cell, why in sorted(table.failed.items())},
        "seconds": header.seconds,
        "workers": header.workers,
        "scheduler": header.scheduler,
        "backend": header.backend,
        "machine": header.machine,
        "event": header.project.name,
        "fire_model": header.project.fire_model.label,
        "measure": list(table.settings.measure),
        "table": columns_of(table),
        "tornado": [
            {
                "label": bar.label, "low": bar.low, "high": bar.high, "low_value": bar.low_text,
                "high_value": bar.high_text, "reference": bar.reference, "spread": bar.spread, "pairs": bar.pairs,
            }
            for bar in tornado_of(table, measure)
        ],
        "pareto": [table.done[place].number for place in front_of(points_of(table, _DROPS, _FIRE))],
    }  # fmt: skip


def lines(table: StudyTable, header: StudyHeader, finished: RunFinished) -> Iterator[str]:
    """The report for people."""
    settings, project = table.settings, header.project
    yield f"{settings.name}: {counted(len(table.cells), 'cell')} on {project.name}, {counted(project.plan.days, 'day')}"
    yield f"Fire model: {project.fire_model.label}; planner {settings.planner}, allowance {settings.allowance:,}."
    if table.failed:
        yield f"{counted(len(table.failed), 'cell')} failed: {failures_text(table)}"
    for measure in settings.measure:
        yield from _measure_lines(table, measure)
    if table.rows:
        yield from _front_lines(table)
    yield ""
    processes = "one after another" if not header.workers else f"with {counted(header.workers, 'worker')}"
    yield f"{clock(header.seconds)} by the clock, {processes}, on {header.scheduler or header.machine}"
    yield finished.message
    yield f"study: {finished.folder}"


def _measure_lines(table: StudyTable, measure: str) -> Iterator[str]:
    about, bars = MEASURES[measure], tornado_of(table, measure)
    if not bars:
        return
    yield ""
    better = {-1: ", less is better", 1: ", more is better"}.get(about.better, "")
    yield f"{about.label}{better}:"
    yield from aligned([("", "from", "to", "change", "±"), *(_bar_line(bar) for bar in bars[:_MOST_LINES])])
    if len(bars) > _MOST_LINES:
        yield f"  … {len(bars) - _MOST_LINES} more in the table"


def _bar_line(bar: Bar) -> tuple[str, ...]:
    said = bar.label if bar.label == bar.high_text else f"{bar.label} {bar.low_text} → {bar.high_text}"
    spread = "" if math.isnan(bar.spread) else f"{bar.spread:.3g}"
    return said, f"{bar.low:.5g}", f"{bar.high:.5g}", f"{bar.change:+.3g}", spread


def _front_lines(table: StudyTable) -> Iterator[str]:
    front = [table.done[place] for place in front_of(points_of(table, _DROPS, _FIRE))]
    yield ""
    yield "Pareto front, drops against fire (no other cell has fewer of both):"
    rows = [
        (f"{cell.number}: {cell.title}", f"{table.measured(cell, _DROPS):,.0f}", f"{table.measured(cell, _FIRE):,.5g}")
        for cell in front[:_MOST_LINES]
    ]
    yield from aligned([("", "drops", "ha"), *rows])

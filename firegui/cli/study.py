"""``firegui study``: many plans of one project, on several processes or machines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from firegui.analyses.study.report import columns_of, failures_text
from firegui.analyses.study.results import STORE, TITLE, StudyHeader, read_header
from firegui.analyses.study.run import study_lacks
from firegui.api.gather import Gather
from firegui.api.running import refusal
from firegui.cli.arguments import FILE
from firegui.cli.carry_out import carry_out, exit_code
from firegui.cli.options import backend_option
from firegui.cli.output import json_option, report
from firegui.cli.output import table as aligned
from firegui.cli.progress import clock, emitter, plain_progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.stress import worst_case_text
from firegui.domain.study import Cell
from firegui.domain.study_table import MEASURES, StudyTable, TornadoBar, front_of, points_of, tornado_of
from firegui.domain.workers import WorkerSettings
from firegui.io.project.schedule_file import read_schedule
from firegui.io.project.store import load_project
from firegui.io.project.study_file import StudyFile, read_study
from firegui.runs.command import with_command
from firegui.runs.engine import Engine
from firegui.runs.events import RunFinished, StudyReady
from firegui.runs.messages import counted
from firegui.runs.spec import StudySpec
from firegui.runs.stages import FinishReason

_STOPPING, _AGAIN = "stopping; finished cases are kept", "already stopping"


@click.command()
@click.argument("study_file", metavar="STUDY.toml", type=FILE)
@click.option("--out", metavar="DIR", type=FILE, required=True, help="Folder for the cases and tables; new or empty.")
@setting_options(WorkerSettings())
@click.option("--resume", is_flag=True, help="Go on with DIR: only cases that are missing are computed.")
@backend_option
@plain_progress_option
@json_option
def study(
    study_file: Path,
    out: Path,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Plan every cell of STUDY.toml and write the tables into DIR.

    STUDY.toml names a project, what varies, and what is measured: see the help page "Study". Every cell is kept as it
    is done, and a cell that fails is told with its error and stops no other. Plans are the paper's, whatever the
    project's margin is, unless STUDY.toml sets margin.kind. Cells are computed in this process, one after another,
    unless --workers or --scheduler says otherwise. The tables are the same, bit for bit, however many workers there are
    and however often the study was interrupted.
    """
    gather, engine = Gather(), Engine()
    said = gather.attempt(lambda: read_study(study_file))
    project = None if said is None else gather.attempt(lambda: load_project(said.project_folder(study_file)))
    schedule = _schedule(said, study_file, project, gather)
    gather.attempt(lambda: STORE.check(out, resume))
    workers = given_settings(WorkerSettings(), given, gather)
    if not workers.scheduler:
        gather.attempt(lambda: engine.check_backend(backend))
    spec = None
    if said is not None and project is not None:
        spec = StudySpec(
            project, out, "", said.settings, schedule, resume, backend, workers=workers,
            project_folder=said.project_folder(study_file), schedule_file=said.schedule_file(study_file),
            study_file=study_file,
        )  # fmt: skip
        spec = with_command(spec)
        gather.extend(study_lacks(spec, engine))
    gather.raise_if_any(TITLE)
    assert spec is not None
    ready, finished = carry_out(spec, emitter(progress), StudyReady, _STOPPING, _AGAIN)
    table = None if ready is None else ready.table
    click.get_current_context().exit(_conclude(table, finished, spec, as_json))


def _schedule(said: StudyFile | None, study_file: Path, project: Project | None, gather: Gather) -> Schedule | None:
    path = None if said is None else said.schedule_file(study_file)
    if path is None or project is None:
        return None
    fleet, steps, shape = project.planned_fleet, project.calendar.n_steps, project.scenario.grid.shape
    return gather.attempt(lambda: read_schedule(path, fleet, steps, shape))


def _conclude(table: StudyTable | None, finished: RunFinished, spec: StudySpec, as_json: bool) -> int:
    failed = finished.reason is FinishReason.FAILED
    if table is None or (failed and not table.rows and not table.failed):
        raise refusal(finished, TITLE)
    header = read_header(spec.out)
    report(as_json, result(table, header, finished), lambda: lines(table, header, finished))
    return exit_code(finished)


_MOST_LINES = 20
_DROPS, _FIRE = "drops_executed", "final_extent_ha"


def result(table: StudyTable, header: StudyHeader, finished: RunFinished) -> dict[str, Any]:
    """Return the object that ``study --json`` prints; its ``table`` has a list for every column."""
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
    """Yield the report for people."""
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


def _bar_line(bar: TornadoBar) -> tuple[str, ...]:
    said = bar.label if bar.label == bar.high_text else f"{bar.label} {bar.low_text} → {bar.high_text}"
    spread = "" if math.isnan(bar.spread) else f"{bar.spread:.3g}"
    return said, f"{bar.low:.5g}", f"{bar.high:.5g}", f"{bar.change:+.3g}", spread


def _front_lines(table: StudyTable) -> Iterator[str]:
    front = [table.done[place] for place in front_of(points_of(table, _DROPS, _FIRE))]
    yield ""
    yield "Pareto front, drops against fire (no other cell has fewer of both):"
    rows = [("", "drops", "ha", "growth left, worst case"), *(_front_line(table, cell) for cell in front[:_MOST_LINES])]
    yield from aligned(rows if table.scenarios else [row[:-1] for row in rows])


def _front_line(table: StudyTable, cell: Cell) -> tuple[str, ...]:
    worst = worst_case_text(table.rows[cell.number].stress)
    drops, fire = (table.measured(cell, name) for name in (_DROPS, _FIRE))
    return f"{cell.number}: {cell.title}", f"{drops:,.0f}", f"{fire:,.5g}", worst

"""``firegui stress``: how a plan does in worlds that differ from the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from firegui.analyses.stress.results import STORE, TITLE, table_data
from firegui.analyses.stress.run import stress_problems
from firegui.cli.carry_out import carry_out, exit_code, refused
from firegui.cli.gather import Gather
from firegui.cli.inputs import PAPER_STEPS, gather_scenarios, gather_schedule
from firegui.cli.options import FILE, backend_option, project_argument, schedule_option
from firegui.cli.output import json_option, report, table
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.stress import StressResult, StressSet, StressTable, StressTestSettings
from firegui.io.project.store import load_project
from firegui.runs.command import with_command
from firegui.runs.engine import Engine
from firegui.runs.events import FinishReason, RunFinished, StressReady
from firegui.runs.messages import counted
from firegui.runs.spec import StressSpec


@click.command()
@project_argument
@schedule_option(required=True)
@click.option(
    "--scenarios", "scenarios_file", metavar="F.toml", type=FILE, help="Scenarios.  [default: those of the project]"
)
@setting_options(StressTestSettings())
@click.option("--out", metavar="RUN", type=FILE, required=True, help="Folder for the table; new or empty.")
@click.option("--resume", is_flag=True, help="Go on with the stress test in RUN; finished draws are kept.")
@backend_option
@plain_progress_option
@json_option
def stress(
    project_folder: Path,
    schedule_file: Path,
    scenarios_file: Path | None,
    out: Path,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Fly a schedule of PROJECT in worlds that differ from the model and write the table into RUN.

    In each scenario the fire spreads otherwise, drops work less, or they come late, off target or not at all. The share
    is the growth of the fire that is left: 0 % is a plan that holds, 100 % the fire without drops.
    """
    gather, engine = Gather(), Engine()
    project = gather.attempt(lambda: load_project(project_folder))
    earlier = gather.attempt(lambda: STORE.check(out, resume))
    base = StressTestSettings(stress=StressSet() if project is None else project.stress)
    if earlier is not None:
        base = earlier.settings
    read = gather_scenarios(scenarios_file, project, gather)
    base = base if read is None else replace(base, stress=read)
    settings = given_settings(base, given, gather)
    schedule = gather_schedule(schedule_file, project, gather)
    gather.attempt(lambda: engine.check_backend(backend))
    spec = None
    if project is not None and schedule is not None:
        spec = with_command(
            StressSpec(
                project=project,
                out=out,
                command="",
                settings=settings,
                schedule=schedule,
                resume=resume,
                backend=backend,
                project_folder=project_folder,
                schedule_file=schedule_file,
                scenarios_file=scenarios_file,
            )
        )
        gather.extend(stress_problems(spec))
    else:
        gather.extend(settings.problems(PAPER_STEPS if project is None else project.scenario.steps_per_day))
    gather.raise_if_any(TITLE)
    assert spec is not None
    ready, finished = carry_out(spec, emitter(progress), StressReady, "stopping; finished draws are kept")
    click.get_current_context().exit(_conclude(None if ready is None else ready.table, finished, as_json))


def _conclude(found: StressTable | None, finished: RunFinished, as_json: bool) -> int:
    if finished.reason is FinishReason.FAILED or found is None:
        return refused(finished, TITLE, as_json)
    extra = {"run": str(finished.folder), "reason": finished.reason.value, "message": finished.message}
    report(as_json, table_data(found) | extra, lambda: _lines(found, finished))
    return exit_code(finished)


def _lines(found: StressTable, finished: RunFinished) -> Iterator[str]:
    yield from stress_lines(found)
    yield finished.message
    yield f"table: {finished.folder}"


_HEAD = ("scenario", "worst", "mean", "cells, worst", "no drops", "drops flown", "draws")


def _hours(result: StressResult) -> float:
    return result.scenario.repair_hours


def stress_lines(found: StressTable) -> Iterator[str]:
    """Yield the table of a stress test for people: what is not repaired, then what is, the worst scenario first."""
    nominal = found.nominal
    extent = f"{nominal.cells_worst:,.0f} of {nominal.cells_no_drops:,.0f} cells"
    left = f"{nominal.share_worst:.1%} of the growth is left"
    yield f"{counted(found.drops, 'drop')}; in the model's world {left}, {extent}"
    blocks = groupby(sorted(found.worst_first, key=_hours), _hours)
    for hours, results in blocks:
        yield f"replanned every {hours:g} h:" if hours else "without repair:"
        yield from table([(*_HEAD, "not repaired, worst") if hours else _HEAD, *map(_row, results)])
    yield from (f"  {name} is left out: {reason}" for name, reason in found.left_out)


def _row(result: StressResult) -> tuple[str, ...]:
    return (
        result.scenario.name,
        f"{result.share_worst:.1%}",
        f"{result.share_mean:.1%}",
        f"{result.cells_worst:,.0f}",
        f"{result.cells_no_drops:,.0f}",
        f"{result.flown_mean:,.0f}",
        str(len(result.draws)),
        *(() if result.fixed_share_worst is None else (f"{result.fixed_share_worst:.1%}",)),
    )

"""``firegui benchmark``: every planner under one simulator, one objective, one drop budget and one allowance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from firegui.cli.benchmark_report import lines, result
from firegui.cli.carry_out import carry_out, exit_code, refused
from firegui.cli.gather import Gather
from firegui.cli.options import FILE, backend_option, project_argument
from firegui.cli.output import json_option, report
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.benchmark import DEFAULT_PLANNERS, MATCHED_PLANNERS, BenchmarkSettings, BenchmarkTable, PlannerName
from firegui.io.project_store import load_project
from firegui.runs.benchmark import asked_problems, usable_planners
from firegui.runs.benchmark_folder import PLACE, TITLE, BenchmarkHeader, read_header
from firegui.runs.command import with_command
from firegui.runs.engine import Engine
from firegui.runs.events import BenchmarkReady, FinishReason, RunFinished
from firegui.runs.spec import BenchmarkSpec

ALL = "all"
_STOPPING, _AGAIN = "stopping; finished tasks are kept and the others saved as they are", "already stopping"


def _options(command: Callable[..., None]) -> Callable[..., None]:
    names, both = ", ".join(PlannerName), ", ".join(MATCHED_PLANNERS)
    given = (
        click.option("--planners", metavar=f"{ALL}|NAME,…", help=f"Any of {names}.  [default: {ALL}]"),
        click.option("--out", metavar="RUN", type=FILE, required=True, help="Folder for the tables; new or empty."),
        click.option(
            "--matched", metavar=f"{ALL}|NAME,…",
            help=f"Planners that also run once at the two-stage plan's whole cost; {ALL}: {both}.",
        ),
        setting_options(BenchmarkSettings(), skip=("planners", "matched")),
        click.option("--processes", type=int, default=0, help="Of one thread each.  [default: one a core]"),
        click.option("--resume", is_flag=True, help="Go on with RUN; planners and seeds may be added."),
    )  # fmt: skip
    for option in reversed(given):
        command = option(command)
    return command


@click.command()
@project_argument
@_options
@backend_option
@plain_progress_option
@json_option
def benchmark(
    project_folder: Path,
    out: Path,
    processes: int,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Compare planners on PROJECT and write the tables into RUN.

    Every planner gets the same fire, fleet, objective and drop budget, a search the same allowance of rollouts, and
    every schedule is scored at nominal effectiveness. Without --budget the two-stage plan is made first, whose drops
    become the budget. Each task is one process on one thread, saved as it works: --resume computes nothing twice.
    """
    gather, engine = Gather(), Engine()
    project = gather.attempt(lambda: load_project(project_folder))
    earlier = gather.attempt(lambda: PLACE.check(out, resume))
    wanted = _wanted(given, earlier, engine, gather)
    gather.attempt(lambda: engine.check_backend(backend))
    # A list with an unknown name was told of already; it may be empty without it.
    found = asked_problems(wanted.settings, processes, engine)
    gather.extend(item for item in found if not (wanted.unread and item.where == "planners"))
    spec = None
    if project is None:
        if earlier is not None:
            place = earlier.project_folder or "a project that was not noted"
            gather.add(str(out), f"was run on {earlier.project.name}, kept in {place}", "give the folder it is in now")
    else:
        spec = BenchmarkSpec(
            project, out, "", wanted.settings, project_folder, resume, backend, processes, notes=wanted.notes
        )
        spec = with_command(spec)
        gather.extend(project.problems())
    gather.raise_if_any(TITLE)
    assert spec is not None
    ready, finished = carry_out(spec, emitter(progress), BenchmarkReady, _STOPPING, _AGAIN)
    table = None if ready is None else ready.table
    click.get_current_context().exit(_conclude(table, finished, spec, as_json))


@dataclass(frozen=True, slots=True)
class _Wanted:
    settings: BenchmarkSettings
    notes: tuple[str, ...] = ()
    unread: bool = False


def _wanted(given: Mapping[str, Any], earlier: BenchmarkHeader | None, engine: Engine, gather: Gather) -> _Wanted:
    """What is asked for, on top of what was asked for ``earlier``; every problem is noted."""
    base = BenchmarkSettings(planners=()) if earlier is None else earlier.settings
    notes = () if earlier is None else earlier.notes
    plain = {key: value for key, value in given.items() if key not in ("planners", "matched")}
    named = given["planners"] if given["planners"] is not None or earlier is not None else ALL
    if named == ALL:
        planners, notes = usable_planners(DEFAULT_PLANNERS, engine)
    else:
        planners = _names(named, "--planners", gather)
    if given["matched"] == ALL:
        matched, lacking = usable_planners(MATCHED_PLANNERS, engine)
        notes = tuple(dict.fromkeys((*notes, *lacking)))
    else:
        matched = _names(given["matched"], "--matched", gather)
    settings = replace(
        given_settings(base, plain, gather),
        planners=tuple(dict.fromkeys((*base.planners, *planners))),
        matched=tuple(dict.fromkeys((*base.matched, *matched))),
    )
    return _Wanted(settings, notes, any(item.where in ("--planners", "--matched") for item in gather))


def _names(text: str | None, option: str, gather: Gather) -> tuple[PlannerName, ...]:
    """The planners between the commas; what is unknown is noted and left out."""
    if text is None:
        return ()
    found = []
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        gather.add(option, "is empty", f"give {ALL}, or any of {', '.join(PlannerName)}")
    for part in parts:
        try:
            found.append(PlannerName(part))
        except ValueError:
            gather.add(option, f"{part!r} is not a planner", f"give {ALL}, or any of {', '.join(PlannerName)}")
    return tuple(found)


def _conclude(table: BenchmarkTable | None, finished: RunFinished, spec: BenchmarkSpec, as_json: bool) -> int:
    failed = finished.reason is FinishReason.FAILED
    if table is None or (failed and not table.rows):
        return refused(finished, TITLE, as_json)
    header = read_header(spec.out)
    report(as_json, result(table, header, finished), lambda: lines(table, header, finished))
    return exit_code(finished)

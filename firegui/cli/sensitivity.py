"""``firegui sensitivity``: how a plan fares when what it was planned for changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from firegui.cli.carry_out import carry_out, exit_code, refused
from firegui.cli.gather import Gather
from firegui.cli.inputs import gather_schedule
from firegui.cli.options import FILE, backend_option, project_argument, schedule_option
from firegui.cli.output import json_option, report
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.sensitivity_report import table_lines
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.project import Project
from firegui.domain.sensitivity import SensitivityKind, SensitivitySettings, SensitivityTable
from firegui.errors import InputError, Problem
from firegui.io.project_store import load_project
from firegui.runs.command import with_command
from firegui.runs.engine import Engine
from firegui.runs.events import FinishReason, RunFinished, SensitivityReady
from firegui.runs.sensitivity import sensitivity_problems
from firegui.runs.sensitivity_folder import PLACE, TITLE, AnyTable, SensitivityHeader, flat_rows
from firegui.runs.spec import SensitivitySpec

_STOPPING = "stopping; finished plans are kept, and so is the best of the one at work"


@click.command()
@project_argument
@schedule_option(required=False)
@click.option("--kind", "kind_name", metavar="|".join(SensitivityKind), required=True, help="What is varied.")
@click.option("--out", metavar="RUN", type=FILE, required=True, help="Folder for the table; new or empty.")
@setting_options(SensitivitySettings())
@click.option("--epochs", type=int, help="design: cap on the epochs of each plan.  [default: the project's]")
@click.option("--resume", is_flag=True, help="Go on with the table in RUN; finished plans of a sweep are kept.")
@backend_option
@plain_progress_option
@json_option
def sensitivity(
    project_folder: Path,
    schedule_file: Path | None,
    kind_name: str,
    out: Path,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Vary what a schedule of PROJECT depends on and write the table into RUN.

    effectiveness scores the schedule with other suppressants, pose with displaced drops, retardant-side with the other
    readings of where retardant acts. design needs no schedule: it makes a whole plan at each design effectiveness,
    which takes as long as that many plans, and scores them at nominal effectiveness.
    """
    gather, engine = Gather(), Engine()
    project = gather.attempt(lambda: load_project(project_folder))
    earlier = gather.attempt(lambda: PLACE.check(out, resume))
    wanted = _wanted(kind_name, given, earlier, gather)
    if project is not None:
        project = _with_optimizer(project, earlier, given["epochs"])
        wanted = _seeded(wanted, project, earlier, given["seed"])
    schedule = gather_schedule(schedule_file, project, gather)
    gather.attempt(lambda: engine.check_backend(backend))
    spec = None
    if project is not None and wanted is not None:
        spec = SensitivitySpec(
            project=project,
            out=out,
            command="",
            kind=wanted.kind,
            settings=wanted.settings,
            schedule=schedule,
            resume=resume,
            backend=backend,
            project_folder=project_folder,
            schedule_file=schedule_file,
        )
        spec = with_command(spec)
        # A schedule that cannot be read was told of already.
        unread = schedule_file is not None and schedule is None
        gather.extend(item for item in sensitivity_problems(spec) if not (unread and item.where == "schedule"))
    gather.raise_if_any(TITLE)
    assert spec is not None
    stopping = _STOPPING if spec.kind is SensitivityKind.DESIGN else "stopping"
    ready, finished = carry_out(spec, emitter(progress), SensitivityReady, stopping)
    table = None if ready is None else ready.table
    click.get_current_context().exit(_conclude(table, finished, as_json))


@dataclass(frozen=True, slots=True)
class _Wanted:
    kind: SensitivityKind
    settings: SensitivitySettings


def _wanted(name: str, given: Mapping[str, Any], earlier: SensitivityHeader | None, gather: Gather) -> _Wanted | None:
    """The kind of table and its settings, what is not given as it was ``earlier``; every problem is noted."""
    kind = gather.attempt(lambda: _kind(name))
    base = SensitivitySettings() if earlier is None else earlier.settings
    settings = given_settings(base, given, gather, kind=kind, noun="table")
    if kind is None:
        return None
    if given["epochs"] is not None and kind is not SensitivityKind.DESIGN:
        remedy = f"leave it out, or give --kind {SensitivityKind.DESIGN.value}"
        gather.add("--epochs", f"does not belong to the table {kind.value}", remedy)
    return _Wanted(kind, settings)


def _kind(name: str) -> SensitivityKind:
    try:
        return SensitivityKind(name)
    except ValueError as error:
        remedy = f"give one of {', '.join(SensitivityKind)}"
        raise InputError([Problem("--kind", f"{name!r} is not a table", remedy)]) from error


def _with_optimizer(project: Project, earlier: SensitivityHeader | None, epochs: int | None) -> Project:
    """The project with the optimizer as ``earlier``, and as given; only a sweep uses it."""
    plan = project.plan if earlier is None else replace(project.plan, optimizer=earlier.project.plan.optimizer)
    optimizer = plan.optimizer if epochs is None else replace(plan.optimizer, epochs=epochs)
    return replace(project, plan=replace(plan, optimizer=optimizer))


def _seeded(
    wanted: _Wanted | None, project: Project, earlier: SensitivityHeader | None, seed: int | None
) -> _Wanted | None:
    """A new sweep plans with the project's seed unless another is given."""
    if wanted is None or wanted.kind is not SensitivityKind.DESIGN or earlier is not None or seed is not None:
        return wanted
    return replace(wanted, settings=replace(wanted.settings, seed=project.plan.optimizer.seed))


def summary(table: SensitivityTable[Any], finished: RunFinished) -> dict[str, Any]:
    """The object that ``sensitivity --json`` prints."""
    return {
        "run": str(finished.folder),
        "kind": table.kind.value,
        "reason": finished.reason.value,
        "message": finished.message,
        "complete": table.complete,
        "event": table.event,
        "fire_model": table.fire_model,
        "setting": table.setting.value,
        "retardant_acts_on": table.retardant_acts_on.value,
        "nominal": asdict(table.nominal),
        "schedule": table.schedule,
        "baseline": asdict(table.baseline),
        "scored": None if table.scored is None else asdict(table.scored),
        "seed": table.settings.seed,
        "rows": flat_rows(table),
    }


def _conclude(table: AnyTable | None, finished: RunFinished, as_json: bool) -> int:
    if finished.reason is FinishReason.FAILED or table is None:
        return refused(finished, TITLE, as_json)
    report(as_json, summary(table, finished), lambda: _lines(table, finished))
    return exit_code(finished)


def _lines(table: AnyTable, finished: RunFinished) -> Iterator[str]:
    yield from table_lines(table)
    yield finished.message
    yield f"table: {finished.folder}"

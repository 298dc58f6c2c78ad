"""``firegui sensitivity``: how a plan fares when what it was planned for changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
from firegui.domain.project import Project
from firegui.domain.sensitivity import SensitivityKind, SensitivitySettings, SensitivityTable
from firegui.domain.settings import Effectiveness, RetardantSide
from firegui.domain.uncertainty import ErrorSource
from firegui.errors import InputError, Problem, Problems
from firegui.io.project_store import load_project
from firegui.runs.engine import Engine
from firegui.runs.events import FinishReason, RunFinished, SensitivityReady
from firegui.runs.sensitivity import sensitivity_problems
from firegui.runs.sensitivity_folder import PLACE, TITLE, AnyTable, SensitivityHeader, flat_rows
from firegui.runs.sensitivity_text import PRESET, sensitivity_command
from firegui.runs.spec import SensitivitySpec

_KINDS: Mapping[str, tuple[SensitivityKind, ...]] = {
    "--pairs": (SensitivityKind.EFFECTIVENESS,),
    "--scales": (SensitivityKind.POSE,),
    "--draws": (SensitivityKind.POSE,),
    "--sides": (SensitivityKind.RETARDANT_SIDE,),
    "--designs": (SensitivityKind.DESIGN,),
    "--epochs": (SensitivityKind.DESIGN,),
    "--members": (SensitivityKind.DESIGN,),
    "--preset": (SensitivityKind.DESIGN,),
    "--seed": (SensitivityKind.DESIGN, SensitivityKind.POSE),
}
"""The tables that an option belongs to."""


def _pair(text: str) -> Effectiveness:
    retardant, water = text.split("/")
    return Effectiveness(float(retardant), float(water))


_READERS: Mapping[str, Callable[[str], Any]] = {
    "pairs": _pair, "designs": _pair, "scales": float, "sides": RetardantSide,
}  # fmt: skip
"""How one part of an option with several is read."""
_STOPPING = "stopping; finished plans are kept, and so is the best of the one at work"


@click.command()
@project_argument
@schedule_option(required=False)
@click.option("--kind", "kind_name", metavar="|".join(SensitivityKind), required=True, help="What is varied.")
@click.option("--out", metavar="RUN", type=FILE, required=True, help="Folder for the table; new or empty.")
@click.option("--pairs", metavar="R/W,…", help="effectiveness: η of retardant/water.  [default: the paper's seven]")
@click.option("--scales", metavar="S,…", help="pose: noise on the pose logits.  [default: 0,1e-5,1e-4,3e-4,1e-3]")
@click.option("--draws", type=int, help="pose: perturbed schedules per scale.  [default: 4]")
@click.option("--sides", metavar="SIDE,…", help="retardant-side: both, emitter, receiver.  [default: all]")
@click.option("--designs", metavar="R/W,…", help="design: η to plan with.  [default: 0.9/0.9,0.85/0.75,0.8/0.7]")
@click.option("--epochs", type=int, help="design: cap on the epochs of each plan.  [default: the project's]")
@click.option("--members", type=int, help="design: sampled fires for the Monte Carlo columns.  [default: 0, none]")
@click.option("--preset", metavar=PRESET, help="design: the paper's model error, not one fitted to the perimeters.")
@click.option("--seed", type=int, help="pose, design: seed of every random choice.")
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
            command=sensitivity_command(
                project_folder,
                out,
                wanted.kind,
                wanted.settings,
                schedule=schedule_file,
                epochs=project.plan.optimizer.epochs,
                backend=backend,
            ),
            kind=wanted.kind,
            settings=wanted.settings,
            schedule=schedule,
            resume=resume,
            backend=backend,
            project_folder=project_folder,
            schedule_file=schedule_file,
        )
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
    changes: dict[str, Any] = {key: given[key] for key in ("draws", "members", "seed") if given[key] is not None}
    if given["preset"] == PRESET:
        changes["error"] = ErrorSource.PAPER
    elif given["preset"] is not None:
        gather.add("--preset", f"{given['preset']!r} is not known", f"give {PRESET}")
    for key, read in _READERS.items():
        values = () if given[key] is None else _listed(given[key], f"--{key}", read, gather)
        changes |= {key: values} if values else {}
    if kind is None:
        return None
    for option, kinds in _KINDS.items():
        if given[option[2:]] is not None and kind not in kinds:
            remedy = f"leave it out, or give --kind {' or '.join(item.value for item in kinds)}"
            gather.add(option, f"does not belong to the table {kind.value}", remedy)
    base = SensitivitySettings() if earlier is None else earlier.settings
    return _Wanted(kind, replace(base, **changes))


def _kind(name: str) -> SensitivityKind:
    try:
        return SensitivityKind(name)
    except ValueError as error:
        remedy = f"give one of {', '.join(SensitivityKind)}"
        raise InputError([Problem("--kind", f"{name!r} is not a table", remedy)]) from error


def _listed(text: str, option: str, read: Callable[[str], Any], problems: Problems) -> tuple[Any, ...]:
    """The parts of ``text`` between commas; what cannot be read is noted and left out."""
    values = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        try:
            values.append(read(part))
        except ValueError:
            problems.add(option, f"{part!r} cannot be read", "see firegui sensitivity --help")
    if not text.strip(" ,"):
        problems.add(option, "is empty", "see firegui sensitivity --help")
    return tuple(values)


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

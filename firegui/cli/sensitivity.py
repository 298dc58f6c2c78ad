"""``firegui sensitivity``: how a plan fares when what it was planned for changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from firegui.analyses.sensitivity.results import STORE, TITLE, AnyTable, SensitivityHeader, flat_rows
from firegui.analyses.sensitivity.run import sensitivity_problems
from firegui.api.gather import Gather
from firegui.api.inputs import gather_schedule, kept_schedule_file
from firegui.api.running import refusal
from firegui.cli.arguments import FILE, WHOLE, project_argument
from firegui.cli.carry_out import carry_out, exit_code
from firegui.cli.options import backend_option, schedule_option
from firegui.cli.output import json_option, report, table
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.project import Project
from firegui.domain.sensitivity import (
    DesignRow,
    EffectivenessRow,
    MonteCarlo,
    PoseRow,
    RolloutSummary,
    Row,
    SensitivityKind,
    SensitivitySettings,
    SensitivityTable,
    SideRow,
)
from firegui.domain.settings import SETTING_TITLES, RetardantSide, pair_text
from firegui.domain.uncertainty import ErrorSource
from firegui.domain.units import percent_text, sampled_percent_text
from firegui.domain.workers import WorkerSettings
from firegui.errors import InputError, Problem
from firegui.io.project.store import load_project
from firegui.runs.command import with_command
from firegui.runs.engine import Engine
from firegui.runs.events import RunFinished, SensitivityReady
from firegui.runs.spec import SensitivitySpec
from firegui.runs.stages import FinishReason

_STOPPING = "stopping; finished plans are kept, and so is the best of the one at work"


@click.command()
@project_argument
@schedule_option(required=False)
@click.option("--kind", "kind_name", metavar="|".join(SensitivityKind), required=True, help="What is varied.")
@click.option("--out", metavar="RUN", type=FILE, required=True, help="Folder for the table; new or empty.")
@setting_options(SensitivitySettings())
@setting_options(WorkerSettings())
@click.option("--epochs", type=WHOLE, help="design: most search steps of each plan.  [default: the project's]")
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

    effectiveness scores the schedule with other suppressants, off-target with drops that land elsewhere, pose with
    noise on the pose logits as in the paper, retardant-side with the other readings of where retardant acts. design
    needs no schedule: it makes a whole plan at each assumed effectiveness by the paper's method, which takes as long as
    that many plans, and scores them at expected effectiveness.
    """
    gather, engine = Gather(), Engine()
    project = gather.attempt(lambda: load_project(project_folder))
    earlier = gather.attempt(lambda: STORE.check(out, resume))
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
            schedule_file=kept_schedule_file(schedule_file),
            workers=given_settings(WorkerSettings(), given, gather),
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
class _SensitivityRequest:
    kind: SensitivityKind
    settings: SensitivitySettings


def _wanted(
    name: str, given: Mapping[str, Any], earlier: SensitivityHeader | None, gather: Gather
) -> _SensitivityRequest | None:
    """Return the kind of table and its settings; every problem is noted.

    Settings that are not given are those of ``earlier``.
    """
    kind = gather.attempt(lambda: _kind(name))
    base = SensitivitySettings() if earlier is None else earlier.settings
    settings = given_settings(base, given, gather, kind=kind, noun="table")
    if kind is None:
        return None
    if given["epochs"] is not None and kind is not SensitivityKind.DESIGN:
        remedy = f"leave it out, or give --kind {SensitivityKind.DESIGN.value}"
        gather.add("--epochs", f"does not belong to the table {kind.value}", remedy)
    return _SensitivityRequest(kind, settings)


def _kind(name: str) -> SensitivityKind:
    try:
        return SensitivityKind(name)
    except ValueError as error:
        remedy = f"give one of {', '.join(SensitivityKind)}"
        raise InputError([Problem("--kind", f"{name!r} is not a table", remedy)]) from error


def _with_optimizer(project: Project, earlier: SensitivityHeader | None, epochs: int | None) -> Project:
    """Return the project with the optimizer as ``earlier``, and as given; only a sweep uses it."""
    plan = project.plan if earlier is None else replace(project.plan, optimizer=earlier.project.plan.optimizer)
    optimizer = plan.optimizer if epochs is None else replace(plan.optimizer, epochs=epochs)
    return replace(project, plan=replace(plan, optimizer=optimizer))


def _seeded(
    wanted: _SensitivityRequest | None, project: Project, earlier: SensitivityHeader | None, seed: int | None
) -> _SensitivityRequest | None:
    """Return the settings with the project's seed for a new sweep without a given one."""
    if wanted is None or wanted.kind is not SensitivityKind.DESIGN or earlier is not None or seed is not None:
        return wanted
    return replace(wanted, settings=replace(wanted.settings, seed=project.plan.optimizer.seed))


def summary(table: SensitivityTable[Any], finished: RunFinished) -> dict[str, Any]:
    """Return the object that ``sensitivity --json`` prints."""
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
        raise refusal(finished, TITLE)
    report(as_json, summary(table, finished), lambda: _lines(table, finished))
    return exit_code(finished)


def _lines(table: AnyTable, finished: RunFinished) -> Iterator[str]:
    yield from table_lines(table)
    yield finished.message
    yield f"table: {finished.folder}"


_HEADS = {
    SensitivityKind.EFFECTIVENESS: ("effectiveness", "final size", "relative", "J_fire", "protected", "drops"),
    SensitivityKind.OFF_TARGET: ("laid off by", "J_fire, mean", "range", "final size", "draws"),
    SensitivityKind.POSE: ("perturbation", "J_fire, mean", "range", "final size", "draws"),
    SensitivityKind.RETARDANT_SIDE: ("acts on", "final size", "relative", "J_fire", "protected", "drops"),
    SensitivityKind.DESIGN: (
        "planned with", "drops", "J_fire", "mean field", "state sampling", "model error", "steps; simulations", "time",
    ),
}  # fmt: skip


def table_lines(found: SensitivityTable[Row]) -> list[str]:
    """Yield the table for people, with its kind and settings above it."""
    rows = table([_HEADS[found.kind], *map(_row, found.rows)]) if found.rows else []
    return [*_head(found), *rows, *_notes(found)]


def _head(found: SensitivityTable[Row]) -> Iterator[str]:
    side = f", retardant acts on {_side(found.retardant_acts_on)}"
    scored = f"scored at expected effectiveness {pair_text(found.nominal)}"
    yield f"{found.event}, goal: {SETTING_TITLES[found.setting].lower()}, {scored}{side}"
    yield f"Fire model: {found.fire_model}. Extents and protected cells are sums of probabilities, in cells."
    yield f"No drops: {_reading(found.baseline)}"
    if found.scored is not None:
        yield f"Schedule {found.schedule}: {_reading(found.scored)}"


def _reading(reading: RolloutSummary) -> str:
    extent = f"final size {reading.final_extent_cells:,.0f} cells"
    return f"{extent}, J_fire {_number(reading.fire_objective)}, protected {reading.protected_cells:,.0f}"


def _row(row: Row) -> tuple[str, ...]:
    match row:
        case EffectivenessRow():
            return (pair_text(row.effectiveness), *_scored(row.reading, row.relative))
        case SideRow():
            return (_side(row.side), *_scored(row.reading, row.relative))
        case PoseRow():
            spread = f"{_number(row.lowest)} to {_number(row.highest)}" if len(row.draws) > 1 else ""
            return (row.text, _number(row.mean), spread, f"{row.mean_extent:,.0f}", str(len(row.draws)))
        case DesignRow():
            return (
                pair_text(row.design),
                f"{row.reading.drops:,}",
                _number(row.reading.fire_objective),
                percent_text(row.reduction, 1),
                _sampled(row.state_sampling),
                _sampled(row.model_error),
                f"{row.epochs:,}; {row.pruning_rollouts:,}",
                f"{row.seconds:,.0f} s",
            )


def _scored(reading: RolloutSummary, relative: float) -> tuple[str, ...]:
    return (
        f"{reading.final_extent_cells:,.0f}",
        f"{relative:.2f}",
        _number(reading.fire_objective),
        f"{reading.protected_cells:,.0f}",
        f"{reading.drops:,}",
    )


def _notes(found: SensitivityTable[Row]) -> Iterator[str]:
    if found.kind is SensitivityKind.OFF_TARGET:
        seed = f"seed {found.settings.seed}"
        yield f"Normal errors of every drop, north and east, the same draws at every distance, {seed}."
    if found.kind is SensitivityKind.POSE:
        yield f"Normal noise on all pose logits, the same draws at every scale, seed {found.settings.seed}."
    plans = [row for row in found.rows if isinstance(row, DesignRow)]
    if not plans:
        return
    yield (
        "Reductions of the final size against no drops, at expected effectiveness; simulations are those of the "
        "removal of drops."
    )
    for title, column in (("State sampling", plans[0].state_sampling), ("Model error", plans[0].model_error)):
        if column.reduction is None:
            yield f"{title}: {column.reason}."
        else:
            fires = f"{column.members:,} sampled fires"
            yield f"{title}: means over {fires} with their standard error, seed {found.settings.seed}."
    if plans[0].model_error.reduction is not None and found.settings.error is ErrorSource.PAPER:
        yield "The model error is the paper's for Bear 2020 on its own fire model: approximate here."


def _sampled(column: MonteCarlo) -> str:
    if column.reduction is None:
        return "–"
    return sampled_percent_text(column.reduction, column.error)


def _side(side: RetardantSide) -> str:
    return {"both": "both cells", "emitter": "the emitting cell", "receiver": "the receiving cell"}[side.value]


def _number(value: float) -> str:
    """Return a number with three significant digits, as in the paper, and no exponent."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"

"""``firegui scaling``: the paper's table of scalability for a project, on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from firegui.analyses.scaling.report import (
    HEADS,
    QUALITY_HEADS,
    flat_row,
    flat_search,
    printed_points,
    printed_rows,
    ratios_text,
    repeats_text,
    searches_text,
    states_text,
    windows_text,
)
from firegui.analyses.scaling.results import STORE, TITLE, ScalingHeader, read_header
from firegui.analyses.scaling.run import scaling_problems
from firegui.api.gather import Gather
from firegui.api.running import refusal
from firegui.cli.arguments import FILE, option_group, project_argument
from firegui.cli.carry_out import carry_out, exit_code
from firegui.cli.options import backend_option
from firegui.cli.output import json_option, report, table
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.project import Project
from firegui.domain.scaling import ScalingSettings, ScalingTable, slope_of
from firegui.domain.settings import OptimizerSettings
from firegui.errors import Problems
from firegui.io.project.store import load_project
from firegui.runs.command import with_command
from firegui.runs.engine import Engine
from firegui.runs.events import RunFinished, ScalingReady
from firegui.runs.spec import ScalingSpec
from firegui.runs.stages import FinishReason

_STOPPING, _AGAIN = "stopping; whole rounds and the searches that are done are kept", "already stopping"


_options = option_group(
    click.option("--out", metavar="RUN", type=FILE, required=True, help="Folder for the study; new or empty."),
    setting_options(ScalingSettings()),
    setting_options(OptimizerSettings(), only=("full_carry",), show_defaults=False),
    click.option("--resume", is_flag=True, help="Go on with the study in RUN; may ask for more of it."),
)


@click.command()
@project_argument
@_options
@backend_option
@plain_progress_option
@json_option
def scaling(
    project_folder: Path, out: Path, resume: bool, backend: str, progress: str, as_json: bool, **given: Any,
) -> None:  # fmt: skip
    """Time rollouts and gradient steps of PROJECT as its fleet, raster and horizon grow.

    The table is written into RUN. The settings are the paper's fifteen, as shares of the project's own fleet,
    raster and days. At every fleet size the gradient planner and CMA-ES then search with the same few evaluations.
    Nothing else should run on the machine meanwhile.
    """
    gather, engine = Gather(), Engine()
    project = gather.attempt(lambda: load_project(project_folder))
    earlier = gather.attempt(lambda: STORE.check(out, resume))
    settings = given_settings(ScalingSettings() if earlier is None else earlier.settings, given, gather)
    gather.attempt(lambda: engine.check_backend(backend))
    spec = None
    if project is None:
        gather.extend(settings.problems())
    else:
        project = _with_carry(project, earlier, given, gather)
        spec = ScalingSpec(project, out, "", settings, resume, backend, project_folder=project_folder)
        spec = with_command(spec)
        gather.extend(scaling_problems(spec))
    gather.raise_if_any(TITLE)
    assert spec is not None
    ready, finished = carry_out(spec, emitter(progress), ScalingReady, _STOPPING, _AGAIN)
    study = None if ready is None else ready.table
    click.get_current_context().exit(_conclude(study, finished, spec, as_json))


def _with_carry(
    project: Project, earlier: ScalingHeader | None, given: Mapping[str, Any], problems: Problems
) -> Project:
    """Return the project with the carry as given, else as ``earlier``, else its own."""
    plan = project.plan
    kept = plan.optimizer.full_carry if earlier is None else earlier.project.plan.optimizer.full_carry
    # Other settings of the optimizer have no option here, though a seed has the same name.
    carry = {"full_carry": given["full_carry"]}
    optimizer = given_settings(replace(plan.optimizer, full_carry=kept), carry, problems)
    return replace(project, plan=replace(plan, optimizer=optimizer))


def summary(study: ScalingTable, header: ScalingHeader, finished: RunFinished) -> dict[str, Any]:
    """Return the object that ``scaling --json`` prints."""
    return {
        "run": str(finished.folder),
        "reason": finished.reason.value,
        "message": finished.message,
        "complete": study.complete,
        "event": study.event,
        "fire_model": study.fire_model,
        "backend": header.backend,
        "device": header.device,
        "machine": dict(header.machine),
        "seconds": header.seconds,
        "full_carry": study.full_carry,
        "notes": list(study.notes),
        "settings": asdict(study.settings),
        "rows": [flat_row(row) for row in study.rows],
        "slope": slope_of(study.rows),
        "flying_slope": slope_of(study.rows, flying=True),
        "searches": [flat_search(row) for row in study.quality],
        "quality": [asdict(point) for point in study.points],
    }


def _conclude(study: ScalingTable | None, finished: RunFinished, spec: ScalingSpec, as_json: bool) -> int:
    if finished.reason is FinishReason.FAILED or study is None:
        raise refusal(finished, TITLE)
    header = read_header(spec.out)
    report(as_json, summary(study, header, finished), lambda: _lines(study, header, finished))
    return exit_code(finished)


def _lines(study: ScalingTable, header: ScalingHeader, finished: RunFinished) -> Iterator[str]:
    machine = header.machine
    place = machine["card"] or f"{machine['processor']}, {machine['kernel_threads']} of {machine['cores']} cores"
    yield f"{study.event} ({study.fire_model}), on {place}"
    if study.rows:
        yield from table([HEADS, *printed_rows(study)])
        for text in (repeats_text(study), states_text(study), windows_text(study)):
            yield from [f"{text}."] if text else []
        yield f"A gradient step costs {ratios_text(study)}; flying {ratios_text(study, flying=True)}."
    if study.points:
        yield from table([QUALITY_HEADS, *printed_points(study)])
        yield f"{searches_text(study)}."
    yield from study.notes
    yield finished.message
    yield f"study: {finished.folder}"

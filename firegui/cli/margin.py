"""``firegui margin``: what margin costs, in drops and gallons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from firegui.analyses.margin.report import curve_notes, plan_title
from firegui.analyses.margin.results import STORE, TITLE, MarginHeader, point_data
from firegui.analyses.margin.run import margin_problems
from firegui.analyses.requests import MarginRequest, Paths
from firegui.api.gather import Gather
from firegui.api.running import refusal
from firegui.cli.arguments import FILE, project_argument
from firegui.cli.carry_out import carry_out, exit_code
from firegui.cli.options import backend_option
from firegui.cli.output import chosen_units, json_option, report, table
from firegui.cli.progress import clock, emitter, progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.margin_curve import MarginCurve, MarginCurveSettings, MarginPoint
from firegui.domain.settings import MarginSettings, OptimizerSettings, PlanSettings
from firegui.domain.units import percent_text
from firegui.io.project.store import load_project
from firegui.runs.command import CURVE_OWN
from firegui.runs.engine import Engine
from firegui.runs.events import MarginReady, RunFinished
from firegui.runs.stages import FinishReason

_STOPPING = "stopping; finished plans are kept, and so is the best of the one at work"


@click.command()
@project_argument
@click.option("--out", metavar="FOLDER", type=FILE, required=True, help="Folder for the curve; new or empty.")
@setting_options(MarginCurveSettings())
@setting_options(MarginSettings(), skip=CURVE_OWN, show_defaults=False)
@setting_options(OptimizerSettings(), only=("epochs",), suffix=" of each plan", show_defaults=False)
@click.option("--resume", is_flag=True, help="Go on with the curve in FOLDER; finished plans are kept.")
@backend_option
@progress_option
@json_option
def margin(
    project_folder: Path,
    out: Path,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Plan PROJECT with more and more margin and test each plan in every stress scenario.

    Plans and tests are written into FOLDER. Three plans are made: without margin, with the cautious margin and with
    the stress margin. The last one is tested once more with the rest replanned every so many hours. Each plan is a run
    folder of its own.
    """
    gather, engine = Gather(), Engine()
    project = gather.attempt(lambda: load_project(project_folder))
    earlier = gather.attempt(lambda: STORE.check(out, resume))
    settings = given_settings(MarginCurveSettings() if earlier is None else earlier.settings, given, gather)
    plan = _asked_plan(PlanSettings() if project is None else project.plan, earlier, given, gather)
    gather.attempt(lambda: engine.check_backend(backend))
    spec = None
    if project is not None:
        request, paths = MarginRequest(settings), Paths(project_folder, out)
        spec = replace(request.spec(replace(project, plan=plan), paths, backend), resume=resume)
        gather.extend(margin_problems(spec))
    gather.raise_if_any(TITLE)
    assert spec is not None
    ready, finished = carry_out(spec, emitter(progress), MarginReady, _STOPPING)
    click.get_current_context().exit(_conclude(None if ready is None else ready.curve, finished, as_json))


def _asked_plan(
    plan: PlanSettings, earlier: MarginHeader | None, given: dict[str, Any], gather: Gather
) -> PlanSettings:
    """Return the project's settings, or those of the curve to be resumed, with what was given replaced."""
    if earlier is not None:
        then = earlier.project.plan
        plan = replace(plan, optimizer=then.optimizer, elimination=then.elimination, margin=then.margin)
    # The draws that are given are those of the curve's tests.
    own = {name: value for name, value in given.items() if name not in CURVE_OWN}
    return replace(
        plan,
        margin=given_settings(plan.margin, own, gather),
        optimizer=given_settings(plan.optimizer, {"epochs": given["epochs"]}, gather),
    )


def _conclude(curve: MarginCurve | None, finished: RunFinished, as_json: bool) -> int:
    if finished.reason is FinishReason.FAILED or curve is None:
        raise refusal(finished, TITLE)
    report(as_json, curve_data(curve, finished), lambda: _lines(curve, finished))
    return exit_code(finished)


def curve_data(curve: MarginCurve, finished: RunFinished) -> dict[str, Any]:
    """Return the object that ``margin --json`` prints."""
    return {
        "plans": [point_data(point) for point in curve.points],
        "missing": [{"plan": plan.value, "reason": reason} for plan, reason in curve.missing],
        "limit": curve.limit,
        "complete": curve.complete,
        "event": curve.event,
        "fire_model": curve.fire_model,
        "setting": curve.setting.value,
        "seed": curve.settings.seed,
        "run": str(finished.folder),
        "reason": finished.reason.value,
        "message": finished.message,
    }


def _lines(curve: MarginCurve, finished: RunFinished) -> Iterator[str]:
    head = ("plan", "drops", "volume", "expected", "worst scenario", "worst share", "time")
    limit = percent_text(curve.limit)
    yield f"{curve.event}, setting {curve.setting.value}; shares of the growth that is left, limit {limit}"
    yield from table([head, *(_row(curve, point) for point in curve.points)]) if curve.points else []
    yield from (f"  {note}" for note in curve_notes(curve))
    if finished.reason is FinishReason.STOPPED:
        yield finished.message
    yield f"curve: {finished.folder}"


def _row(curve: MarginCurve, point: MarginPoint) -> tuple[str, ...]:
    return (
        plan_title(point.plan, curve.settings),
        f"{point.drops:,.0f}",
        "–" if point.gallons is None else chosen_units().volume(point.gallons),
        percent_text(point.nominal_share),
        point.worst_scenario,
        percent_text(point.worst_share),
        clock(point.seconds),
    )

"""``firegui replan``: one turn of a receding horizon from an observed fire, or all of it on a drawn one."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from firegui.cli.arguments import option_group
from firegui.cli.carry_out import carry_out, exit_code, refused
from firegui.cli.gather import Gather
from firegui.cli.inputs import check_source, gather_schedule
from firegui.cli.options import FILE, schedule_option
from firegui.cli.output import report, table
from firegui.cli.plan_runs import asked_plan, design_options, run_options, second_stage_options
from firegui.cli.progress import emitter
from firegui.cli.results import metrics_table
from firegui.cli.setting_options import setting_options
from firegui.cli.words import command_text
from firegui.domain.exercise import LoopDay
from firegui.domain.project import Project
from firegui.domain.settings import OptimizerSettings, PlanSettings
from firegui.domain.stress import NOMINAL, StressScenario
from firegui.io.project.observation_file import read_observation
from firegui.io.project.store import load_project
from firegui.runs.command import with_command
from firegui.runs.engine import Engine
from firegui.runs.events import FinishReason, RunFinished
from firegui.runs.messages import counted
from firegui.runs.replan_base import TITLE, ReplanScores, read_scores, replan_problems
from firegui.runs.run_folder import RunRecord, check_out, read_run
from firegui.runs.spec import ReplanSpec

_options = option_group(
    click.option("--day", type=int, help="Day of the plan to plan from, counted from 0.  [closed loop: 1]"),
    click.option(
        "--observed", "observed_file", metavar="F", type=FILE,
        help="The fire at the start of that day: GeoTIFF, GeoJSON, GeoPackage, shapefile, KML, or npz mask.  "
        "[default: the project's own perimeter]",
    ),
    click.option("--closed-loop", is_flag=True, help="Draw a fire; observe, replan and fly it day by day."),
    click.option(
        "--scenario", metavar="NAME",
        help="Closed loop: the true world, a stress scenario of the project that the planner does not know."
        "  [default: nominal]",
    ),
    click.option(
        "--every", type=float, metavar="H",
        help="Closed loop: hours between two observations.  [default: those of the scenario, or 24]",
    ),
    click.option("--draw", type=int, metavar="N", help="Closed loop: draw of the scenario.  [default: 0]"),
    click.option(
        "--stop-at", type=float, metavar="D",
        help="Closed loop: stop at the first observation D days or more after the start; --resume goes on.",
    ),
    click.option(
        "--after", metavar="RUN", type=FILE,
        help="Closed loop: go on where the one in RUN stopped, with FILE in place of what was left of its plan.",
    ),
    setting_options(OptimizerSettings(), skip=("start",), show_defaults=False),
    second_stage_options,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Request:
    """What the command line asks for; ``given`` holds the settings by their names, ``None`` where not given."""

    project_folder: Path
    out: Path
    schedule_file: Path
    observed_file: Path | None
    day: int | None
    closed_loop: bool
    scenario: str | None
    every: float | None
    draw: int | None
    stop_at: float | None
    after: Path | None
    resume: bool
    backend: str
    given: dict[str, Any]

    @property
    def turn(self) -> int:
        """The day to plan from."""
        return 1 if self.day is None else self.day


@click.command()
@run_options
@schedule_option(required=True)
@_options
@design_options
def replan(
    project_folder: Path,
    out: Path,
    schedule_file: Path,
    observed_file: Path | None,
    day: int | None,
    closed_loop: bool,
    scenario: str | None,
    every: float | None,
    draw: int | None,
    stop_at: float | None,
    after: Path | None,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Keep what FILE flies before --day, take the observed fire in, and plan the other days anew into RUN.

    What is new since the day before burns; the rest has burned out. Both stages run at design effectiveness from the
    rest of the old schedule; the numbers are of the days from --day on, at nominal effectiveness, beside the old
    schedule continued and no further drops. RUN holds the whole plan, flown drops included. With --closed-loop the fire
    is drawn from the model and the plan is observed, replanned and flown day by day, beside the fixed schedule. Both
    stages are the paper's, whatever the project's margin is. With --scenario or --every it is an exercise: the world
    differs from the model, and the plan is repaired in seconds.
    """
    asked = (day, closed_loop, scenario, every, draw, stop_at, after)
    request = _Request(project_folder, out, schedule_file, observed_file, *asked, resume, backend, given)
    finished = carry_out(_gathered(request), emitter(progress), RunFinished)[1]
    click.get_current_context().exit(_conclude(finished, as_json))


def _gathered(request: _Request) -> ReplanSpec:
    """Read everything. Raises :class:`~firegui.errors.InputError` with everything that is wrong with any of it."""
    gather = Gather()
    project = gather.attempt(lambda: load_project(request.project_folder))
    earlier = gather.attempt(lambda: check_out(request.out, request.resume))
    plan = asked_plan(PlanSettings() if project is None else project.plan, earlier, request.given, gather)
    if request.day is None and not request.closed_loop:
        gather.add("--day", "is missing", "give the day to plan from, counted from 0")
    if request.closed_loop and request.observed_file is not None:
        gather.add("--observed", "is of no use in a closed loop, which draws its fire", "leave one of them out")
    of_loop = (request.scenario, request.every, request.draw, request.stop_at, request.after)
    if not request.closed_loop and of_loop != (None,) * len(of_loop):
        what = "is of use in a closed loop only, as are --every, --draw, --stop-at and --after"
        gather.add("--scenario", what, "add --closed-loop, or leave them out")
    gather.attempt(lambda: Engine().check_backend(request.backend))
    spec = None
    if project is None:
        gather.extend(plan.problems())
        check_source(request.schedule_file, gather)
        check_source(request.observed_file, gather)
    else:
        spec = _spec(request, replace(project, plan=plan), gather)
    gather.raise_if_any(TITLE)
    assert spec is not None
    return spec


def _spec(request: _Request, project: Project, gather: Gather) -> ReplanSpec | None:
    """What is asked for on a project that could be read; ``None`` without a schedule, with all problems noted."""
    plan, turn, seen, unread = project.plan, request.turn, None, True
    schedule = gather_schedule(request.schedule_file, project, gather)
    # A day outside the plan is said below; what was observed on it would only confuse.
    if not request.closed_loop and 1 <= turn < plan.days:
        seen = gather.attempt(lambda: read_observation(request.observed_file, project, turn))
        unread = seen is None
    if schedule is None:
        gather.extend(project.problems())
        return None
    spec = ReplanSpec(
        project=project,
        out=request.out,
        command="",
        schedule=schedule,
        day=turn,
        observed=seen,
        closed_loop=request.closed_loop,
        exercise=_exercise(request, project, gather) if request.closed_loop else None,
        draw=request.draw or 0,
        stop_at=request.stop_at,
        after=request.after,
        resume=request.resume,
        backend=request.backend,
        frame_stride=project.calendar.n_steps,
        project_folder=request.project_folder,
        schedule_file=request.schedule_file,
    )
    spec = with_command(spec, request.observed_file)
    # Why there is no perimeter has been said by whoever read it.
    gather.extend(item for item in replan_problems(spec) if item.where != "observed" or not unread)
    return spec


def _exercise(request: _Request, project: Project, gather: Gather) -> StressScenario | None:
    """The scenario of an exercise with its hours between observations; ``None`` for the daily loop in the model."""
    if (request.scenario, request.every, request.draw) == (None, None, None):
        return None
    name = request.scenario or NOMINAL.name
    known = (NOMINAL, *project.stress.scenarios)
    found = next((one for one in known if one.name.casefold() == name.strip().casefold()), None)
    if found is None:
        remedy = f"use one of {', '.join(one.name for one in known)}"
        gather.add("--scenario", f"the project has no stress scenario {name}", remedy)
        return None
    hours = request.every if request.every is not None else found.repair_hours or 24.0
    return replace(found, repair_hours=hours)


def _conclude(finished: RunFinished, as_json: bool) -> int:
    if finished.reason is FinishReason.FAILED or finished.folder is None:
        return refused(finished, TITLE, as_json)
    record, scores = read_run(finished.folder), read_scores(finished.folder)
    report(as_json, _result(record, scores, finished), lambda: _lines(record, scores, finished))
    return exit_code(finished)


def _result(record: RunRecord, scores: ReplanScores, finished: RunFinished) -> dict[str, Any]:
    note = record.header.replan
    return {
        "run": str(record.folder),
        "reason": finished.reason.value,
        "message": finished.message,
        "seconds": record.header.seconds,
        "backend": record.header.backend,
        "device": record.header.device,
        "replan": None if note is None else asdict(note),
        "day": scores.day,
        "drops_flown": scores.drops_flown,
        "baseline": asdict(scores.baseline) if scores.baseline else None,
        "continued": asdict(scores.continued) if scores.continued else None,
        "nominal": asdict(scores.nominal) if scores.nominal else None,
        "design": asdict(scores.design) if scores.design else None,
        "audit": asdict(scores.audit) if scores.audit else None,
        "pruned": asdict(scores.pruned) if scores.pruned else None,
        "loop": [asdict(row) for row in scores.loop],
    }


def _lines(record: RunRecord, scores: ReplanScores, finished: RunFinished) -> list[str]:
    lines = [finished.message]
    if scores.loop:
        lines += table(_loop_rows(scores.loop))
    elif scores.nominal is not None and scores.baseline is not None and scores.continued is not None:
        columns = {"no more drops": scores.baseline, "old plan": scores.continued, "new plan": scores.nominal}
        flown = counted(scores.drops_flown, "drop")
        lines += [*metrics_table(columns), f"from day {scores.day} on; {flown} had been flown before"]
    if scores.audit is not None:
        found = counted(len(scores.audit.violations), "violation")
        lines.append(f"audit of the whole plan: {found} in {counted(scores.audit.executed, 'executed drop')}")
    hint = command_text("export", record.folder, "--format", "csv,geojson", "--out", "FOLDER")
    return [*lines, f"run folder: {record.folder}", f"Next: {hint}"]


def _loop_rows(rows: tuple[LoopDay, ...]) -> list[tuple[str, ...]]:
    head: tuple[str, ...] = ("after day", "replanned", "fixed", "no drops", "drops replanned", "drops fixed")
    return [head] + [
        (
            f"{row.end:g}" if row.until else str(row.day),
            f"{row.loop_cells:,}",
            f"{row.open_cells:,}",
            f"{row.none_cells:,}",
            str(row.loop_drops),
            str(row.open_drops),
        )
        for row in rows
    ]

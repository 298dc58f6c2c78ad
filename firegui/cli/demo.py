"""``firegui demo``: the demo fire in the window; without a display it is planned."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import click

from firegui.api.plans import BOTH, plan_spec
from firegui.cli.arguments import FILE
from firegui.cli.carry_out import carry_out
from firegui.cli.display import display_trouble
from firegui.cli.output import json_option, report
from firegui.cli.plan_runs import planned
from firegui.cli.progress import emitter, progress_option
from firegui.cli.project_report import next_step
from firegui.cli.shell import BAD_INPUT, DONE, FAILED, INTERRUPTED, report_problems
from firegui.cli.window import own_command, run_window
from firegui.cli.words import command_text
from firegui.domain.project import Project
from firegui.errors import InputError, Problem
from firegui.io.project.store import load_project, project_hash, save_project
from firegui.runs.command import with_command
from firegui.runs.engine import Engine
from firegui.runs.events import RunFinished
from firegui.runs.run_folder import RUN, RunRecord, read_run
from firegui.runs.stages import DONE_REASONS, FinishReason, RunState

DEFAULT_OUT = Path("firegui-demo")
PICTURE_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Demo:
    """Paths of the demo's project, runs and picture."""

    folder: Path

    @property
    def project(self) -> Path:
        """Folder of the project."""
        return self.folder / "demo.firegui"

    @property
    def picture(self) -> Path:
        """Picture of the workbench."""
        return self.folder / "workbench.png"

    def run(self, number: int) -> Path:
        """Return the folder of the demo's run of that number."""
        return self.project / "runs" / ("demo" if number == 1 else f"demo-{number}")


@click.command()
@click.option(
    "--out", metavar="DIR", type=FILE, default=DEFAULT_OUT, show_default=True, help="Folder for the demo project."
)
@click.option("--project-only", is_flag=True, help="Make the project and end: open and plan nothing.")
@progress_option
@json_option
@click.pass_context
def demo(context: click.Context, out: Path, progress: str, *, project_only: bool, as_json: bool) -> None:
    """Make the demo project and open it.

    Without a display it is planned, and the workbench is drawn into a picture. A demo that is there already is opened
    again, not made anew. The fire is synthetic.
    """
    if out.exists() and not out.is_dir():
        raise InputError([Problem(str(out), "is a file", "give a folder for the demo")], "The demo cannot be made")
    place = Demo(out)
    project = _demo_project(place)
    if project_only:
        data = {"project": str(place.project)}
        report(as_json, data, lambda: [f"project     {place.project}", "", next_step(place.project, project)])
        return
    trouble = display_trouble()
    if not trouble:
        context.exit(run_window(place.project))
    context.exit(_headless(place, project, trouble, progress, as_json))


def _demo_project(place: Demo) -> Project:
    if place.project.exists():
        return load_project(place.project)
    click.echo("making the demo fire (synthetic, not a real one)", err=True)
    project = Engine().make_demo()
    save_project(project, place.project)
    return project


def _headless(place: Demo, project: Project, no_window: str, progress: str, as_json: bool) -> int:
    run, earlier = _next_run(place, project)
    if earlier is not None and earlier.state is RunState.FINISHED and earlier.reason in DONE_REASONS:
        click.echo(f"{no_window}: this demo is planned already, and this is its result", err=True)
    else:
        click.echo(f"{no_window}: planning without a window", err=True)
        click.echo(planned(project), err=True)
        spec = with_command(plan_spec(project, place.project, run, stages=BOTH, resume=earlier is not None))
        finished = carry_out(spec, emitter(progress), RunFinished)[1]
        if finished.reason is FinishReason.FAILED:
            report_problems(finished.message, finished.problems, as_json)
            return BAD_INPUT if finished.problems else FAILED
        if finished.reason is FinishReason.STOPPED:
            click.echo(finished.message, err=True)
            click.echo(f"To go on: {command_text('demo', '--out', place.folder)}", err=True)
            return INTERRUPTED
    trouble = "" if _is_current(place.picture, run) else draw(place.project, run, place.picture)
    record = read_run(run)
    data = {
        "project": str(place.project),
        "run": str(run),
        "picture": None if trouble else str(place.picture),
        "message": record.header.message,
    }
    report(as_json, data, lambda: _lines(place, record, trouble))
    return FAILED if trouble else DONE


def _is_current(picture: Path, run: Path) -> bool:
    return picture.is_file() and picture.stat().st_mtime >= (run / RUN).stat().st_mtime


def _lines(place: Demo, record: RunRecord, trouble: str) -> list[str]:
    return [
        record.header.message,
        f"project     {place.project}",
        f"run folder  {record.folder}",
        f"picture     {'none: ' + trouble if trouble else place.picture}",
        f"With a display, {command_text('demo', '--out', place.folder)} opens it in the workbench.",
    ]


def _next_run(place: Demo, project: Project) -> tuple[Path, RunRecord | None]:
    """Return the demo's run folder and its run.

    That is a run of this very project, finished or to be resumed; else the first free name, without a run.
    """
    wanted = project_hash(project)
    number = 1
    while place.run(number).exists():
        try:
            record = read_run(place.run(number))
        except InputError:
            record = None
        usable = record is not None and record.project_hash == wanted and record.stages == BOTH
        if usable and record is not None and (record.can_resume or record.has_plan):
            return place.run(number), record
        number += 1
    return place.run(number), None


def draw(project: Path, run: Path, picture: Path) -> str:
    """Draw the workbench in a process of its own; return the error, empty for none.

    Qt ends the whole process when a system library is missing, and that must not take the finished plan's report along.
    """
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = own_command("snapshot", str(project), str(run), "--out", str(picture))
    try:
        done = subprocess.run(
            command, env=environ, capture_output=True, text=True, timeout=PICTURE_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0 and picture.is_file():
        return ""
    last = done.stderr.strip().splitlines()[-1:] or [f"it ended with code {done.returncode}"]
    return f"{last[0]} (firegui doctor says what is missing)"

"""``firegui study``: many plans of one project that differ in chosen ways, on several processes or machines."""

from __future__ import annotations

from pathlib import Path

import click

from firegui.cli.carry_out import carry_out, exit_code, refused
from firegui.cli.gather import Gather
from firegui.cli.options import FILE, backend_option
from firegui.cli.output import json_option, report
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.study_report import lines, result
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.study_table import StudyTable
from firegui.io.project_store import load_project
from firegui.io.schedule_file import read_schedule
from firegui.io.study_file import StudyFile, read_study
from firegui.runs.command import with_command
from firegui.runs.engine import Engine
from firegui.runs.events import FinishReason, RunFinished, StudyReady
from firegui.runs.spec import StudySpec
from firegui.studies.folder import PLACE, TITLE, read_header
from firegui.studies.run import study_lacks
from firegui.studies.runner import execute

_STOPPING, _AGAIN = "stopping; finished cells are kept", "already stopping"


@click.command()
@click.argument("study_file", metavar="STUDY.toml", type=FILE)
@click.option("--out", metavar="DIR", type=FILE, required=True, help="Folder for the cells and tables; new or empty.")
@click.option("--scheduler", metavar="tcp://…", default="", help="Give the cells to the workers of a Dask scheduler.")
@click.option("--workers", type=int, help="Processes of one thread each; 0: all in this one.  [default: one a core]")
@click.option("--resume", is_flag=True, help="Go on with DIR: only cells that are missing are computed.")
@backend_option
@plain_progress_option
@json_option
def study(
    study_file: Path,
    out: Path,
    scheduler: str,
    workers: int | None,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
) -> None:
    """Plan every cell of STUDY.toml and write the tables into DIR.

    STUDY.toml names a project, what varies, and what is measured: see the help page "Study". Every cell is kept as it
    is done, and a cell that fails is told with its error and stops no other. The tables are the same, bit for bit,
    however many workers there are and however often the study was interrupted.
    """
    gather, engine = Gather(), Engine()
    said = gather.attempt(lambda: read_study(study_file))
    project = None if said is None else gather.attempt(lambda: load_project(said.project_folder(study_file)))
    schedule = _schedule(said, study_file, project, gather)
    gather.attempt(lambda: PLACE.check(out, resume))
    if not scheduler:
        gather.attempt(lambda: engine.check_backend(backend))
    spec = None
    if said is not None and project is not None:
        spec = StudySpec(
            project, out, "", said.settings, schedule, resume, backend, workers, scheduler,
            said.project_folder(study_file), said.schedule_file(study_file), study_file,
        )  # fmt: skip
        spec = with_command(spec)
        gather.extend(study_lacks(spec, engine))
    gather.raise_if_any(TITLE)
    assert spec is not None
    ready, finished = carry_out(spec, emitter(progress), StudyReady, _STOPPING, _AGAIN, execute)
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
        return refused(finished, TITLE, as_json)
    header = read_header(spec.out)
    report(as_json, result(table, header, finished), lambda: lines(table, header, finished))
    return exit_code(finished)

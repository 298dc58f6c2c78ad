"""The folder of a study on disk.

::

    study.toml              what was asked, with what, on what, and how it ended
    cells/NNNNN.json        a finished cell's row, written last and never again
    cells/NNNNN.safetensors its plan
    at-work/NNNNN/          checkpoints of a cell that is not finished
    failed.json             the cells that have no row, and why; they are tried again
    table.csv, table.parquet, cells.csv, *.png, *.svg    what people read: see :mod:`firegui.analyses.study.report`

Every file is replaced whole, so that a study that is killed anywhere resumes with what is missing. There is no
``run.toml``, so that nothing takes it for a plan.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from firegui.analyses.study.cell_worker import AT_WORK, CellAnswer, cell_folder
from firegui.domain.project import Project
from firegui.domain.study import Cell, StudySettings
from firegui.domain.study_factors import prepared, study_cells
from firegui.domain.study_table import StudyRow, StudyTable
from firegui.errors import InputError, Problem
from firegui.io import atomic
from firegui.io.project.schedule_file import read_project_schedule
from firegui.io.toml import plain_words
from firegui.runs.fire_specs import project_then
from firegui.runs.header import NOT_INSTALLED, SavedHeader, schedule_hash
from firegui.runs.result_store import ResultStore
from firegui.runs.resume import differences
from firegui.runs.spec import EvaluateSpec, StudySpec

HEADER, CELLS, FAILED = "study.toml", "cells", "failed.json"
TITLE = "The study cannot be carried out"
_REMEDY = "set it back, or carry the study out in another folder"
_TABLES = {"set": "other values for every cell", "vary": "something else that varies", "cases": "other cases"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyHeader(SavedHeader):
    """The content of ``study.toml``. The hashes are those of a plan's ``run.toml``.

    ``seconds`` are by the clock, of every session. ``workers`` is how many processes there were at most, 0 where the
    cells were computed one after another, and ``scheduler`` the address of one that gave them out. ``schedule`` is the
    hash of the schedule that cells fly, where they do not plan.
    """

    settings: StudySettings
    machine: str = ""
    workers: int = 0
    scheduler: str = ""
    schedule: str = ""
    schedule_file: str = ""
    study_file: str = ""


STORE = ResultStore("a study", HEADER, TITLE, StudyHeader, "carry the study out again elsewhere")
read_header, write_header = STORE.read, STORE.write


def resume_problems(then: StudyHeader, spec: StudySpec, digest: str, backend: str) -> list[Problem]:
    """Return what keeps ``spec`` from resuming ``then``; ``digest`` is the hash of the project now."""
    where, tables = str(spec.out), {name: getattr(spec.settings, name) for name in _TABLES}
    found = [
        Problem(where, f"was begun with {title} = {before}, now {after}", _REMEDY)
        for title, before, after in differences(replace(then.settings, **tables), spec.settings)
    ]
    for name, what in _TABLES.items():
        if getattr(then.settings, name) != getattr(spec.settings, name):
            found.append(Problem(where, f"was begun with {what}", _REMEDY))
    found += [
        Problem(where, f"was begun with {title} = {before}, now {after}", _REMEDY)
        for title, before, after in differences(then.project.plan, spec.project.plan, all_of=True)
    ]
    if not found and then.project_hash != digest:
        found.append(Problem(where, "was begun on another project than this is now", _REMEDY))
    if then.schedule != schedule_hash(spec.schedule):
        found.append(Problem(where, "was begun with another schedule", _REMEDY))
    if then.backend != backend:
        found.append(
            Problem(
                where,
                f"was computed on {then.backend}, now {backend}",
                f"compute on {then.backend} (--backend {then.backend})",
            )
        )
    return found


def version_problems(then: StudyHeader, now: Mapping[str, str], where: Path) -> list[Problem]:
    """Cells that other programs computed do not belong into one table."""
    both = (then.versions.keys() & now.keys()) - {"python"}
    return [
        Problem(str(where), f"was begun with {name} {then.versions[name]}, now {now[name]}", "carry it out elsewhere")
        for name in sorted(both)
        if then.versions[name] != now[name] and NOT_INSTALLED not in (then.versions[name], now[name])
    ]


# -- the cells --------------------------------------------------------------------------------------------------------
def row_file(folder: Path, number: int) -> Path:
    """Return the path of the row of a cell."""
    return folder / CELLS / f"{number:05d}.json"


def plan_file(folder: Path, number: int) -> Path:
    """Return the path of the plan of a cell."""
    return folder / CELLS / f"{number:05d}.safetensors"


def write_answer(folder: Path, answer: CellAnswer) -> StudyRow:
    """Save a finished cell: its plan, then its row. Raises :class:`~firegui.errors.InputError`."""
    row = msgspec.json.decode(answer.row, type=StudyRow)
    if answer.plan:
        atomic.write_bytes(plan_file(folder, row.cell), answer.plan)
    atomic.write_text(row_file(folder, row.cell), msgspec.json.format(answer.row).decode() + "\n")
    discard_work(folder, row.cell)
    return row


def discard_work(folder: Path, number: int) -> None:
    """Remove what only going on with a cell would need, as far as possible."""
    shutil.rmtree(cell_folder(folder, number), ignore_errors=True)


def remove_empty_work_folder(folder: Path) -> None:
    """Remove the folder of the cells at work unless one is left; no worker may be making one."""
    with suppress(OSError):
        (folder / AT_WORK).rmdir()


def read_rows(folder: Path, cells: Iterable[Cell]) -> dict[int, StudyRow]:
    """Read the rows of those of ``cells`` that are finished.

    Raises :class:`~firegui.errors.InputError` listing every row that cannot be read.
    """
    place = folder / CELLS
    there = {entry.name for entry in place.iterdir()} if place.is_dir() else set()
    rows, problems = {}, []
    for cell in cells:
        path = row_file(folder, cell.number)
        if path.name not in there:
            continue
        try:
            row = msgspec.json.decode(path.read_bytes(), type=StudyRow)
            if row.cell != cell.number:
                raise ValueError(f"it is of cell {row.cell}")
            rows[cell.number] = row
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            problems.append(Problem(str(path), f"cannot be read ({plain_words(error)})", "delete it, then resume"))
    if problems:
        raise InputError(problems, TITLE)
    return rows


def write_failed(folder: Path, failed: Mapping[int, str]) -> None:
    """Replace ``failed.json``; without any failure there is none."""
    path = folder / FAILED
    if not failed:
        path.unlink(missing_ok=True)
        return
    atomic.write_json(path, {str(cell): why for cell, why in sorted(failed.items())})


def read_failed(folder: Path) -> dict[int, str]:
    """Read what :func:`write_failed` wrote; nothing where it cannot be read, for it is only shown."""
    try:
        found = msgspec.json.decode((folder / FAILED).read_bytes(), type=dict[str, str])
        return {int(cell): why for cell, why in found.items()}
    except (OSError, ValueError, msgspec.MsgspecError):
        return {}


def read_study(folder: Path) -> tuple[StudyHeader, StudyTable]:
    """Read a study as it stands on disk, finished or not.

    Raises :class:`~firegui.errors.InputError` where there is none, or none that can be read.
    """
    header = read_header(folder)
    cells = study_cells(header.settings, header.project.project())
    rows = read_rows(folder, cells)
    failed = {cell: why for cell, why in read_failed(folder).items() if cell not in rows}
    return header, StudyTable(header.settings, cells, rows, failed)


def done_in(folder: Path) -> int:
    """Return the number of finished cells, without reading them."""
    place = folder / CELLS
    return sum(1 for _ in _rows_in(place)) if place.is_dir() else 0


def _rows_in(place: Path) -> Iterator[Path]:
    return (entry for entry in place.iterdir() if entry.suffix == ".json" and not entry.name.startswith("."))


# -- on the map -------------------------------------------------------------------------------------------------------
def study_project(header: StudyHeader, project: Project) -> Project:
    """Return the project as the study had it. Raises :class:`InputError` if it does not fit any more."""
    return project_then(header, project, "study", "carried out", "carry it out again")


def cell_spec(folder: Path, cell: Cell, header: StudyHeader, project: Project, backend: str) -> EvaluateSpec:
    """Return the spec of the fire without drops and the fire of a finished cell.

    Raises :class:`InputError` if the event has changed, and for a cell that has no plan.
    """
    terms = prepared(study_project(header, project), header.settings, cell)
    path = plan_file(folder, cell.number)
    if not path.is_file():
        raise InputError([Problem(str(path), "is not there", "resume the study")], "The plan cannot be shown")
    schedule = read_project_schedule(path, terms.project)
    return EvaluateSpec(terms.project, schedule, backend=backend, wind=terms.wind)

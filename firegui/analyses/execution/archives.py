"""Projects and folders as one piece of bytes: their files in a ZIP archive, to be sent to a worker.

A project is archived in the open formats in which it would be saved, so that nothing has to be trusted that is not a
project.
"""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Collection
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.io.project.schedule_file import read_schedule, write_plan_safetensors
from firegui.io.project.store import load_project, save_project

_PROJECT, _PLAN, _CENTRES = "project.firegui", "plan.safetensors", "centres.json"


def pack_folder(folder: Path, leave_out: Collection[str] = ()) -> bytes:
    """Return an archive of the files below ``folder``, without those of the names ``leave_out``."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:  # rasters are compressed already
        for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in leave_out):
            archive.write(path, path.relative_to(folder).as_posix())
    return buffer.getvalue()


def unpack_folder(archive: bytes, folder: Path) -> None:
    """Write the files of an archive into ``folder``."""
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        files.extractall(folder)


def pack_project(project: Project, schedule: Schedule | None = None) -> bytes:
    """Return an archive of ``project`` and of the schedule that its tasks fly.

    Raises :class:`~firegui.errors.InputError`.
    """
    with tempfile.TemporaryDirectory(prefix="firegui-project-") as folder:
        save_project(project, Path(folder) / _PROJECT)
        # A worker that computed them anew could round a turnaround to another step.
        (Path(folder) / _CENTRES).write_text(json.dumps(project.burning_centres))
        if schedule is not None:
            write_plan_safetensors(Path(folder) / _PLAN, schedule)
        return pack_folder(Path(folder))


def unpack_project(archive: bytes) -> tuple[Project, Schedule | None]:
    """Return the project and the schedule of an archive, equal to those packed bit for bit.

    Raises :class:`~firegui.errors.InputError`.
    """
    with tempfile.TemporaryDirectory(prefix="firegui-project-") as folder:
        unpack_folder(archive, Path(folder))
        project = load_project(Path(folder) / _PROJECT)
        points = json.loads((Path(folder) / _CENTRES).read_text())
        project = project.with_centres(tuple((float(y), float(x)) for y, x in points))
        plan = Path(folder) / _PLAN
        if not plan.is_file():
            return project, None
        fleet, steps = project.planned_fleet, project.calendar.n_steps
        return project, read_schedule(plan, fleet, steps, project.scenario.grid.shape)

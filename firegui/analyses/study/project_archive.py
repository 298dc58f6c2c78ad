"""A project as one piece of bytes: the files of its folder in a ZIP archive, to be sent to whoever computes.

These are the open formats in which it would be saved, so that nothing has to be trusted that is not a project.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.io.project.schedule_file import read_schedule, write_plan_safetensors
from firegui.io.project.store import load_project, save_project

_PROJECT, _PLAN = "project.firegui", "plan.safetensors"


def pack_project(project: Project, schedule: Schedule | None = None) -> bytes:
    """``project``, and the schedule that its cells fly, as they are now. Raises :class:`~firegui.errors.InputError`."""
    with tempfile.TemporaryDirectory(prefix="firegui-study-") as folder:
        save_project(project, Path(folder) / _PROJECT)
        if schedule is not None:
            write_plan_safetensors(Path(folder) / _PLAN, schedule)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:  # rasters are compressed already
            for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
                archive.write(path, path.relative_to(folder).as_posix())
        return buffer.getvalue()


def unpack_project(parcel: bytes) -> tuple[Project, Schedule | None]:
    """What was :func:`pack_project`, equal to it bit for bit. Raises :class:`~firegui.errors.InputError`."""
    with tempfile.TemporaryDirectory(prefix="firegui-study-") as folder:
        with zipfile.ZipFile(io.BytesIO(parcel)) as archive:
            archive.extractall(folder)
        project = load_project(Path(folder) / _PROJECT)
        plan = Path(folder) / _PLAN
        if not plan.is_file():
            return project, None
        fleet, steps = project.planned_fleet, project.calendar.n_steps
        return project, read_schedule(plan, fleet, steps, project.scenario.grid.shape)

"""The fire as it was observed on a day: a raster, polygons or a mask, brought onto the project's grid."""

from __future__ import annotations

import hashlib
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.domain.observation import Observation
from firegui.domain.project import Project
from firegui.errors import InputError, Problem, Problems
from firegui.io import array_files
from firegui.io.rasters.masks import read_masks
from firegui.io.vectors.files import vector_file
from firegui.io.vectors.perimeters import read_outline

RASTERS, MASKS = (".tif", ".tiff"), (".npz",)

Bools = NDArray[np.bool_]


def read_observation(path: Path | None, project: Project, day: int) -> Observation:
    """Return the fire at the start of ``day`` of the plan.

    From ``path``, else the project's own perimeter of that day. The earlier perimeter is the project's of the day
    before, or the last one before that. Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    event = project.scenario
    notes: list[str] = []
    event_day = project.plan.start_day + day
    earlier = event.observed_on(event_day - 1)
    if earlier is not None and event.is_filled_forward(event_day - 1):
        notes.append(f"no perimeter of day {day - 1}: new is what the last one before it does not have")
    if path is not None:
        when = event.date_of_day(event_day)
        fire = read_mask(path, event.grid, when, event.utc_offset_h)
        return Observation(fire, earlier, str(path), _sha256(path), tuple(notes))
    fire_then = None if event.is_filled_forward(event_day) else event.observed_on(event_day)
    if fire_then is None:
        what = f"the project has no perimeter of day {day} ({event.date_of_day(event_day)})"
        raise InputError([Problem("observed", what, "choose a file with it (--observed)")])
    return Observation(fire_then, earlier, "the project", "", tuple(notes))


def read_mask(path: Path, grid: Grid, until: date, utc_offset_h: float | None = None) -> Bools:
    """Return what has burned, bool ``[H, W]`` on ``grid``: a GeoTIFF, an npz of one array, or polygons.

    A raster is 0, 1 (or 255) and is warped by nearest neighbour; of polygons with dates those after ``until``, in
    local time ``utc_offset_h`` from UTC, are left out. Raises :class:`~firegui.errors.InputError` with everything that
    is wrong, an empty mask included.
    """
    suffix, problems = path.suffix.lower(), Problems()
    if suffix not in (*RASTERS, *MASKS):
        return read_outline(path, grid, until, utc_offset_h)
    mask = _from_raster(path, grid, problems) if suffix in RASTERS else _from_npz(path, grid, problems)
    if mask is not None and not mask.any() and not problems:
        problems.add(path.name, "nothing has burned on the grid", "check that it holds this fire")
    problems.raise_if_any(f"The perimeter {path} cannot be used")
    assert mask is not None
    return mask


def _from_npz(path: Path, grid: Grid, problems: Problems) -> Bools | None:
    with array_files.opened(path, problems) as archive:
        if archive is None:
            return None
        names = list(archive)
        if len(names) != 1:
            what = f"holds {len(names)} arrays ({', '.join(names) or 'none'})"
            problems.add(path.name, what, "keep the mask alone in it")
            return None
        value = array_files.array(archive, names[0], path.name, problems)
    mask = None if value is None else array_files.flags(value, f"{path.name}, {names[0]}", problems)
    if mask is not None and mask.shape != grid.shape:
        problems.add(path.name, f"has shape {list(mask.shape)}, the grid {list(grid.shape)}", "give a mask of the grid")
        return None
    return mask


def _from_raster(path: Path, grid: Grid, problems: Problems) -> Bools | None:
    found = read_masks(path, grid, problems)
    if found is None:
        return None
    if len(found.masks) != 1:
        problems.add(path.name, f"has {len(found.masks)} bands", "keep the one with the perimeter")
        return None
    return np.asarray(found.masks[0])


def _sha256(path: Path) -> str:
    file = vector_file(path, Problems()) or path
    return hashlib.sha256(file.read_bytes()).hexdigest()

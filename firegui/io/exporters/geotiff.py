"""Fire occupancy and arrival times as GeoTIFF, and an event as GeoTIFFs that firegui reads back.

Of the occupancy runs have one band per day boundary; for others it is cloud-optimised. Of an event there is one file a
layer, the wind as speed and direction with a band a day, perimeters with a band a date, the ignition, and
``landscape.toml``, which says what is what (:mod:`firegui.io.importers.landscape_source`). Numbers are the event's own:
float32 to the last bit; directions are degrees in float64, from which the event's radians come back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio import shutil as raster_copies
from rasterio.errors import RasterioError
from rasterio.io import MemoryFile

from firegui.domain.calendar import DATE_UNKNOWN, Calendar
from firegui.domain.grid import Grid
from firegui.domain.names import shown_name
from firegui.domain.project import Project
from firegui.domain.scenario import LAYERS, Scenario
from firegui.errors import Check, InputError, Problem
from firegui.io.atomic import new_folder, write_bytes, write_text
from firegui.io.exporters.content import ExportContent, Occupancy, arrival_days, arrival_hours
from firegui.io.exporters.table import NOTICE, utc_text
from firegui.io.importers.landscape_source import LANDSCAPE_FILE, LANDSCAPE_FORMAT
from firegui.io.rasters.geotiff import raster_in_memory, without_place_warnings, write_raster
from firegui.io.source_files import error_text
from firegui.io.times import as_utc
from firegui.io.toml import dumps

PLAN_TITLE, BASELINE_TITLE = "P(fire)", "P(fire) without drops"


def write_occupancy_tif(
    path: Path, p_fire: NDArray[np.float32], project: Project, *, first: int = 0, title: str = PLAN_TITLE
) -> None:
    """Write ``p_fire [D+1, H, W]``, the probability that a cell burns or has burned, atomically.

    Band ``k`` (from 1) is the state at the start of day ``k − 1`` of the plan, the last one the state at its end; the
    band's description gives the local time. ``first`` is the boundary of band 1: with 1 and ``p_fire[1:]`` there is one
    band per day, at its end. ``title`` begins every description and says what the numbers are.
    """
    texts = _texts(Occupancy(p_fire, first), project, title)
    states = np.asarray(p_fire, np.float32)
    write_raster(path, states, project.scenario.grid, descriptions=texts, tags=_tags(project))


def write_occupancy_cog(path: Path, content: ExportContent) -> None:
    """Write the plan's fire as :func:`write_occupancy_tif` does, cloud-optimised."""
    assert content.plan is not None
    _occupancy(path, content, content.plan, PLAN_TITLE)


def write_baseline_cog(path: Path, content: ExportContent) -> None:
    """Write the fire without drops, cloud-optimised."""
    assert content.baseline is not None
    _occupancy(path, content, content.baseline, f"{PLAN_TITLE} {content.bare}")


def write_arrival_cog(path: Path, content: ExportContent) -> None:
    """Write when the plan's fire is as likely as not.

    Band 1 in days, band 2 in hours from the plan's start.
    """
    assert content.plan is not None
    _arrival(path, content, content.plan, "with the plan")


def write_baseline_arrival_cog(path: Path, content: ExportContent) -> None:
    """Write when fire without drops is as likely as not.

    Band 1 in days, band 2 in hours from the plan's start.
    """
    assert content.baseline is not None
    _arrival(path, content, content.baseline, content.bare)


def _occupancy(path: Path, content: ExportContent, fire: Occupancy, title: str) -> None:
    texts = _texts(fire, content.project, title)
    _write_cog(path, fire.days, content.project.scenario.grid, texts, ["1"] * len(texts), _tags(content.project))


def _arrival(path: Path, content: ExportContent, fire: Occupancy, which: str) -> None:
    project = content.project
    start, dated = project.calendar.time_of_step(0), project.calendar.is_dated
    texts = [
        f"Days from the plan's start to the first day boundary with P(fire) >= 0.5, {which}",
        f"Hours from the plan's start to P(fire) = 0.5, {which}, interpolated between day boundaries",
    ]
    tags = {
        "UNITS": "band 1: days, band 2: hours", "TIME_ORIGIN_UTC": utc_text(start) if dated else DATE_UNKNOWN,
        "TIME_ORIGIN_LOCAL": _local_text(start, project.calendar),
        "NO_DATA": "P(fire) stays below 0.5",
    }  # fmt: skip
    bands = np.stack([arrival_days(fire), arrival_hours(fire)])
    _write_cog(path, bands, project.scenario.grid, texts, ["days", "hours"], {**_tags(project), **tags}, "NEAREST")


def _local_text(when: datetime, calendar: Calendar) -> str:
    return when.astimezone(calendar.local_zone).isoformat(timespec="seconds") if calendar.is_dated else DATE_UNKNOWN


def _texts(fire: Occupancy, project: Project, title: str) -> list[str]:
    calendar = project.calendar
    if not calendar.is_dated:
        return [f"{title} start of day {day + 1}" for day in fire.boundaries]
    times = [calendar.time_of_step(day * calendar.steps_per_day) for day in fire.boundaries]
    return [f"{title} {time.astimezone(calendar.local_zone).isoformat(timespec='minutes')}" for time in times]


def _tags(project: Project) -> dict[str, str]:
    # GDAL keeps tags as XML, which may not hold control characters.
    named = {"EVENT": project.scenario.name, "FIRE_MODEL": project.fire_model.label}
    return {"NOTICE": NOTICE, **{tag: shown_name(name) for tag, name in named.items()}}


def _write_cog(
    path: Path,
    bands: NDArray[np.float32],
    grid: Grid,
    texts: Sequence[str],
    units: Sequence[str],
    tags: Mapping[str, str],
    overviews: str = "AVERAGE",
) -> None:
    """Write a cloud-optimised GeoTIFF, which can only be made as a copy of a plain one."""
    values = np.asarray(bands, np.float32)
    with raster_in_memory(values, grid, descriptions=texts, units=units, tags=tags) as plain, MemoryFile() as copied:
        try:
            with without_place_warnings():
                raster_copies.copy(
                    plain.name, copied.name, driver="COG", COMPRESS="DEFLATE", PREDICTOR="YES", BLOCKSIZE=256,
                    OVERVIEW_RESAMPLING=overviews, BIGTIFF="IF_SAFER",
                )  # fmt: skip
        except RasterioError as error:
            raise InputError([Problem(str(path), f"cannot be made ({error_text(error)})")]) from error
        write_bytes(path, copied.getbuffer())


SPEED, DIRECTION, PERIMETERS, IGNITION = "wind_speed", "wind_direction", "perimeters", "ignition"

_HEADER = (
    "# An event as rasters, written by firegui: import it with firegui import landscape --folder.\n"
    "# Wind: a band a day, m/s at 10 m, degrees clockwise from grid north, where it blows from.\n\n"
)


def write_layers_folder(event: Scenario, folder: Path, check: Check | None = None) -> list[Path]:
    """Write ``event`` into the new (or empty) ``folder``, all of it or nothing; returns the files.

    Raises :class:`~firegui.errors.InputError` for an event without a place on the map, and where the folder holds
    something or cannot be written.
    """
    if not event.grid.is_georeferenced:
        remedy = "import it with a CRS and a transform first"
        raise InputError([Problem("grid", "the event has no place on the map, so there is no GeoTIFF of it", remedy)])
    names = []
    with new_folder(folder) as temporary:
        for name, bands, descriptions, unit in _rasters(event):
            if check is not None:
                check()
            write_raster(temporary / name, bands, event.grid, descriptions=descriptions, tags={"UNIT": unit})
            names.append(name)
        write_text(temporary / LANDSCAPE_FILE, _HEADER + dumps(_text(event)))
    return [folder / name for name in (*names, LANDSCAPE_FILE)]


def _rasters(event: Scenario) -> Iterator[tuple[str, NDArray[Any], list[str], str]]:
    """Yield name, bands, what each band is called, and the unit, of every file."""
    for key, values in event.layers.items():
        yield f"{key}.tif", np.asarray(values, np.float32), [key], LAYERS[key][1]
    days = [event.date_of_day(day).isoformat() for day in range(event.days)]
    yield f"{SPEED}.tif", np.asarray(event.wind_speed, np.float32), days, "m/s at 10 m"
    came_from = (270.0 - np.rad2deg(event.wind_dir.astype(np.float64))) % 360.0
    yield f"{DIRECTION}.tif", came_from, days, "degrees clockwise from grid north, from"
    if event.observed is not None:
        dates = [when.isoformat() for when in event.observed_dates]
        yield f"{PERIMETERS}.tif", np.asarray(event.observed, np.bool_), dates, "1 has burned by that date"
    if event.ignition is not None:
        yield f"{IGNITION}.tif", np.asarray(event.ignition, np.bool_), [IGNITION], "1 where it starts"


def _text(event: Scenario) -> dict[str, Any]:
    fire = {PERIMETERS: f"{PERIMETERS}.tif"} if event.observed is not None else {}
    fire |= {IGNITION: f"{IGNITION}.tif"} if event.ignition is not None else {}
    return {
        "format": LANDSCAPE_FORMAT,
        "name": event.name,
        "start": as_utc(event.start),
        "utc_offset_h": float(event.utc_offset_h),
        "days": event.days,
        "layers": {key: f"{key}.tif" for key in event.layers},
        "wind": {"speed": f"{SPEED}.tif", "direction": f"{DIRECTION}.tif"},
        "fire": fire,
    }

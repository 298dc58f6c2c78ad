"""An event as GeoTIFFs that any GIS reads, and that firegui reads back as the same event.

One file a layer, the wind as speed and direction with a band a day, perimeters with a band a date, the ignition, and
``landscape.toml``, which says what is what (:mod:`firegui.io.importers.landscape_source`). Numbers are the event's own:
float32 to the last bit; directions are degrees in float64, from which the event's radians come back.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import LAYERS, Scenario
from firegui.errors import Check, InputError, Problem
from firegui.io.atomic import new_folder, write_text
from firegui.io.importers.landscape_source import LANDSCAPE_FILE, LANDSCAPE_FORMAT
from firegui.io.rasters.geotiff import write_raster
from firegui.io.times import as_utc
from firegui.io.toml_text import dumps

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
    """Name, bands, what each band is called, and the unit, of every file."""
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

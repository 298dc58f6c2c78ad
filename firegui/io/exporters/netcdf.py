"""Fire occupancy and arrival times as NetCDF by the Climate and Forecast conventions (CF-1.8)."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import h5netcdf
import numpy as np
from numpy.typing import NDArray
from pyproj import CRS

from firegui.domain.grid import Grid
from firegui.domain.names import shown_name
from firegui.io.atomic import writing
from firegui.io.crs import metres_per_unit, parse
from firegui.io.exporters.content import ExportContent, Occupancy, arrival_hours
from firegui.io.exporters.table import NOTICE, utc_text
from firegui.io.georeference import Georeference

CONVENTIONS = "CF-1.8"
_NAN = np.float32(np.nan)
_CRS_NAME = "crs"


def write_netcdf(path: Path, content: ExportContent) -> None:
    """Write the plan's fire, the fire without drops where it is known, and when each arrives.

    The fires are on the boundaries of the plan; boundaries that one of them does not have are missing values there. On
    a grid without a place there are metres from the south-west corner in place of a map projection.
    """
    fires = [fire for fire in (content.plan, content.baseline) if fire is not None]
    boundaries = sorted({boundary for fire in fires for boundary in fire.boundaries})
    with writing(path) as memory, h5netcdf.File(memory, "w") as file:
        grid, calendar = content.project.scenario.grid, content.project.calendar
        file.dimensions = {"time": len(boundaries), "y": grid.rows, "x": grid.columns}
        start = utc_text(calendar.time_of_step(0)).replace("T", " ").removesuffix("Z")
        hours = np.array([24.0 * boundary for boundary in boundaries])
        _variable(file, "time", ("time",), hours, {
            "standard_name": "time", "long_name": "boundary of a day of the plan", "axis": "T",
            "units": f"hours since {start}", "calendar": "proleptic_gregorian",
        })  # fmt: skip
        common = _write_place(file, grid)
        if content.plan is not None:
            _write_fire(file, "", "with the plan", content.plan, boundaries, common)
        if content.baseline is not None:
            _write_fire(file, "baseline_", content.bare, content.baseline, boundaries, common)
        for key, text in _attributes(content).items():
            file.attrs[key] = text


def _write_fire(
    file: Any, prefix: str, which: str, fire: Occupancy, boundaries: list[int], common: dict[str, str]
) -> None:
    height, width = fire.days.shape[1:]
    states = np.full((len(boundaries), height, width), np.nan, np.float32)
    states[[boundaries.index(boundary) for boundary in fire.boundaries]] = fire.days
    _variable(file, f"{prefix}fire_probability", ("time", "y", "x"), states, {
        "long_name": f"probability that a cell burns or has burned, {which}", "units": "1", **common,
    })  # fmt: skip
    _variable(file, f"{prefix}arrival_time", ("y", "x"), arrival_hours(fire), {
        "long_name": f"time from the plan's start to a fire probability of 0.5, {which}", "units": "h",
        "comment": "interpolated between day boundaries; missing where the probability stays below 0.5", **common,
    })  # fmt: skip


def _write_place(file: Any, grid: Grid) -> dict[str, str]:
    """Write the coordinates; return what every variable on the grid says of them."""
    easting = np.array([grid.to_world(0.0, float(column))[0] for column in range(grid.columns)])
    northing = np.array([grid.to_world(float(row), 0.0)[1] for row in range(grid.rows)])
    place = Georeference(grid)
    for name, axis, values in (("y", "Y", northing), ("x", "X", easting)):
        attributes = {"axis": axis, "units": "m", "long_name": f"metres from the south-west corner of the grid, {name}"}
        if place.has_place and grid.crs is not None:
            attributes |= {"standard_name": f"projection_{name}_coordinate", "units": _unit(grid.crs)}
            attributes["long_name"] = f"{name} coordinate of cell centres in the grid's projection"
        _variable(file, name, (name,), values, attributes)
    if not place.has_place or grid.crs is None:
        return {}
    _write_lonlat(file, grid, place)
    # CF holds one number for what is one number, and arrays as they are; None is nothing to write.
    crs = parse(grid.crs)
    assert crs is not None
    mapping = file.create_variable(_CRS_NAME, (), "i4")
    mapping[...] = np.int32(0)
    for key, value in _mapping(crs).items():
        mapping.attrs[key] = value
    return {"grid_mapping": _CRS_NAME, "coordinates": "lat lon"}


def _mapping(crs: CRS) -> dict[str, Any]:
    found = {key: value for key, value in crs.to_cf().items() if value is not None}
    return {key: np.array(value) if isinstance(value, (list, tuple)) else value for key, value in found.items()}


def _write_lonlat(file: Any, grid: Grid, place: Georeference) -> None:
    rows, columns = np.indices(grid.shape, np.float64)
    found = place.lonlat_many(rows.ravel(), columns.ravel())
    assert found is not None
    named = (("lon", "longitude", "degrees_east", found[0]), ("lat", "latitude", "degrees_north", found[1]))
    for name, title, unit, values in named:
        attributes = {"standard_name": title, "long_name": f"{title} of cell centres, WGS 84", "units": unit}
        _variable(file, name, ("y", "x"), values.reshape(grid.shape), attributes)


def _variable(
    file: Any, name: str, dimensions: tuple[str, ...], values: NDArray[Any], attributes: dict[str, str]
) -> None:
    packed = {"compression": "gzip", "compression_opts": 4, "shuffle": True} if values.ndim > 1 else {}
    missing = {"fillvalue": _NAN} if values.dtype == np.float32 else {}
    variable = file.create_variable(name, dimensions, values.dtype, data=values, **missing, **packed)
    for key, text in attributes.items():
        variable.attrs[key] = text


def _attributes(content: ExportContent) -> dict[str, str]:
    # HDF5 refuses a text with the character U+0000.
    project = content.project
    try:
        source = f"firegui {version('firegui')}"
    except PackageNotFoundError:
        source = "firegui"
    found = {
        "Conventions": CONVENTIONS,
        "title": f"{shown_name(project.scenario.name)}: fire occupancy",
        "source": f"{source}, fire model {shown_name(project.fire_model.label)}",
        "history": f"{utc_text(content.made)} planned, run {content.run or '(no name)'}",
        "comment": "\n".join(map(shown_name, content.notes)),
        "notice": NOTICE,
    }
    return {key: text for key, text in found.items() if text}


def _unit(crs: str) -> str:
    """Return the unit of a projection's coordinates as UDUNITS knows it."""
    scale = metres_per_unit(crs)
    return "m" if scale == 1.0 else f"{scale!r} m"

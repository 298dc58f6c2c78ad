"""Small wind files in every format, and what a wind should be by arithmetic of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5netcdf
import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio import Affine

from firegui.domain.grid import Grid
from firegui.errors import Problems
from firegui.io.crs import wkt
from firegui.io.rasters.geotiff import without_place_warnings
from firegui.io.weather.daily import WindFields
from firegui.io.weather.wind import WindSource, read_wind

GRID = Grid(6, 8, 1000.0, (1000.0, 0.0, 500_000.0, 0.0, -1000.0, 4_400_000.0), "EPSG:32610")
"""Its left edge is the zone's central meridian: grid north is true north to 0.06°."""

START = datetime(2020, 8, 19, 7, tzinfo=UTC)
OFFSET = -7.0


def read(source: WindSource, days: int | None = None, grid: Grid = GRID, start: datetime = START) -> WindFields:
    """The wind of a source that has nothing wrong."""
    problems = Problems()
    winds = read_wind(source, grid, start, OFFSET, days, problems)
    assert winds is not None, [str(problem) for problem in problems]
    assert not list(problems)
    return winds


def refused(source: WindSource, days: int | None = None, grid: Grid = GRID, start: datetime = START) -> str:
    """What is said of a source that cannot be used."""
    problems = Problems()
    assert read_wind(source, grid, start, OFFSET, days, problems) is None
    found = [str(problem) for problem in problems]
    assert found and all(problem.where.startswith("wind") and problem.remedy for problem in problems), found
    return "\n".join(found)


def vector(speed: float, blows_from: float) -> complex:
    """East + i·north of a wind, by the compass: 0 from the north, 90 from the east."""
    return speed * complex(-np.sin(np.radians(blows_from)), -np.cos(np.radians(blows_from)))


def mean_wind(samples: Sequence[complex]) -> tuple[float, float]:
    """Mean of the speeds, and radians towards, counter-clockwise from east, of the mean vector."""
    return float(np.mean(np.abs(samples))), float(np.angle(np.sum(samples)))


def turned(one: Any, other: Any) -> Any:
    """The angle between directions in degrees, in [0, 180]."""
    return np.abs((np.degrees(np.asarray(one) - np.asarray(other)) + 180.0) % 360.0 - 180.0)


def table(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def tiff(path: Path, bands: Any, grid: Grid = GRID, names: Sequence[str] = (), unit: str = "", **profile: Any) -> Path:
    """Bands ``[N, H, W]`` as a GeoTIFF; ``names`` are their descriptions."""
    stack = np.asarray(bands)
    told: dict[str, Any] = {
        "driver": "GTiff", "count": len(stack), "height": stack.shape[1], "width": stack.shape[2],
        "dtype": stack.dtype.name, "crs": None if grid.crs is None else wkt(grid.crs),
        "transform": None if grid.transform is None else Affine(*grid.transform),
    }  # fmt: skip
    with without_place_warnings(), rasterio.open(path, "w", **(told | profile)) as target:
        target.write(stack)
        for number, name in enumerate(names, 1):
            target.set_band_description(number, name)
        if unit:
            target.units = (unit,) * len(stack)
    return path


Variable = tuple[tuple[str, ...], NDArray[Any], Mapping[str, Any]]


def netcdf4(path: Path, variables: Mapping[str, Variable]) -> Path:
    """A NetCDF-4 file of variables ``(dimensions, values, attributes)``."""
    with h5netcdf.File(path, "w") as file:
        for dimensions, values, _ in variables.values():
            for name, size in zip(dimensions, values.shape, strict=True):
                if name not in file.dimensions:
                    file.dimensions[name] = size
        for name, (dimensions, values, attributes) in variables.items():
            fill = attributes.get("_FillValue")
            variable = file.create_variable(name, dimensions, values.dtype, data=values, fillvalue=fill)
            for key, value in attributes.items():
                if key != "_FillValue":
                    variable.attrs[key] = value
    return path


def era5(
    u: NDArray[Any], v: NDArray[Any], lats: NDArray[Any], lons: NDArray[Any], hours: NDArray[Any]
) -> dict[str, Variable]:
    """What a file of ERA5's single levels holds: ``u`` and ``v [N, lat, lon]``, hours since 1900."""
    space = ("time", "latitude", "longitude")
    return {
        "longitude": (("longitude",), lons, {"units": "degrees_east"}),
        "latitude": (("latitude",), lats, {"units": "degrees_north"}),
        "time": (("time",), hours, {"units": "hours since 1900-01-01 00:00:0.0", "calendar": "gregorian"}),
        "u10": (space, u, {"units": "m s**-1", "long_name": "10 metre U wind component"}),
        "v10": (space, v, {"units": "m s**-1", "long_name": "10 metre V wind component"}),
    }


def hours_since_1900(first: datetime, count: int, step: int = 1) -> NDArray[np.int32]:
    base = (first - datetime(1900, 1, 1, tzinfo=UTC)).total_seconds() / 3600.0
    return (base + np.arange(0, count * step, step)).astype(np.int32)

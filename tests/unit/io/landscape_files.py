"""Small landscapes to import: GeoTIFF layers, and HDF5 files in the layout of the six fires."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import rasterio
from rasterio import Affine

from firegui.domain.grid import Grid
from firegui.io.crs import wkt
from firegui.io.rasters.geotiff import without_place_warnings
from tests.unit.io.builders import PLACED

SHAPE = PLACED.shape
FIRST = date(2020, 8, 19)

FIRE, EASTWARD, NORTHWARD = "fire", "u_component_of_wind_10m", "v_component_of_wind_10m"


def write_layer(path: Path, values: Any, grid: Grid = PLACED, **profile: Any) -> Path:
    """One band as a GeoTIFF in the type of ``values``; ``profile`` overrides what rasterio is told."""
    band = np.asarray(values)
    bands = band[np.newaxis] if band.ndim == 2 else band
    told: dict[str, Any] = {
        "driver": "GTiff", "count": len(bands), "height": bands.shape[1], "width": bands.shape[2],
        "dtype": bands.dtype.name, "crs": wkt(grid.crs) if grid.crs else None,
        "transform": Affine(*grid.transform) if grid.transform else None,
    }  # fmt: skip
    scales, offsets = profile.pop("scales", None), profile.pop("offsets", None)
    with without_place_warnings(), rasterio.open(path, "w", **(told | profile)) as target:
        target.write(bands)
        if scales is not None:
            target.scales, target.offsets = scales, offsets
    return path


def full(value: float, dtype: Any = np.float32) -> Any:
    """A raster of one value."""
    return np.full(SHAPE, value, dtype)


def event_arrays(days: int = 3, fire_value: int = 1) -> dict[str, Any]:
    """What one event holds: rasters by name, and by subgroup and date."""
    spread = np.zeros((days, *SHAPE), np.uint8)
    for day in range(days):
        spread[day, 2:4, 2 : 4 + day] = fire_value
    dates = [(FIRST + timedelta(days=day)).isoformat() for day in range(days)]
    return {
        "ELEV2020": full(1200, np.int16), "SLPD2020": full(12, np.int16), "ASP2020": full(-1, np.int16),
        "230CBD": full(9, np.int16), "230CC": full(45, np.int16), "230CH": full(150, np.int16),
        "230FBFM40": full(122, np.int16),
        FIRE: dict(zip(dates, spread, strict=True)),
        EASTWARD: {when: full(3.0) for when in dates},
        NORTHWARD: {when: full(4.0) for when in dates},
    }  # fmt: skip


def write_events(path: Path, events: Mapping[str, Mapping[str, Any]], attributes: bool = True) -> Path:
    """An HDF5 file with one group an event; an array of ``None`` is left out."""
    with h5py.File(path, "w") as file:
        for name, arrays in events.items():
            group = file.create_group(name)
            if attributes:
                group.attrs.update({"fire_year": 2020, "height": SHAPE[0], "width": SHAPE[1]})
            for key, value in arrays.items():
                _write(group, key, value)
    return path


def _write(group: h5py.Group, key: str, value: Any) -> None:
    if isinstance(value, Mapping):
        inner = group.create_group(key)
        for name, raster in value.items():
            _write(inner, name, raster)
    elif value is not None:
        group.create_dataset(key, data=value)

"""Rasters on other grids than the one they are brought to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.io import crs
from firegui.io.importers.landscape import import_landscape
from firegui.io.importers.landscape_source import LandscapeSource, LayerBand
from firegui.io.weather.wind import WindSource
from tests.unit.io.landscape_files import write_layer

UTM = "EPSG:32610"
GRID = Grid(40, 50, 30.0, (30.0, 0.0, 500010.0, 0.0, -30.0, 4400010.0), UTM)
WIND = WindSource(3.0, 270.0)


def hills(grid: Grid = GRID) -> NDArray[np.float32]:
    """Elevation in metres: two hills on ground that rises to the north-east, a function of the place alone."""
    rows, columns = np.mgrid[0 : grid.rows, 0 : grid.columns].astype(float)
    x, y = grid.to_world(rows, columns)
    assert grid.crs is not None
    x, y = crs.transformer(grid.crs, UTM).transform(x, y)
    east, north = np.asarray(x) - 500700.0, np.asarray(y) - 4399400.0
    height = 600.0 + 0.08 * east + 0.12 * north
    for dx, dy, high in ((-200.0, 100.0, 150.0), (300.0, -150.0, 220.0)):
        height += high * np.exp(-((east - dx) ** 2 + (north - dy) ** 2) / 250.0**2)
    return height.astype(np.float32)


def degrees(rows: int = 160, columns: int = 200, cell: float = 1e-4) -> Grid:
    """A grid in degrees around :data:`GRID`; its cell size is a stand-in, since degrees have none in metres."""
    lon, lat = crs.transformer(UTM, "EPSG:4326").transform(500010.0 - 50.0, 4400010.0 + 50.0)
    return Grid(rows, columns, 10.0, (cell, 0.0, lon, 0.0, -cell, lat), "EPSG:4326")


def write(folder: Path, name: str, values: Any, grid: Grid = GRID, **profile: Any) -> LayerBand:
    """A raster as a layer's file."""
    return LayerBand(write_layer(folder / f"{name}.tif", values, grid, **profile))


def source(layers: dict[str, LayerBand], **more: Any) -> LandscapeSource:
    """The layers with a west wind over two days."""
    asked: dict[str, Any] = {"wind": WIND, "days": 2} | more
    return LandscapeSource(layers, **asked)


def event(layers: dict[str, LayerBand], **more: Any) -> Any:
    """The event that the layers make."""
    return import_landscape(source(layers, **more))

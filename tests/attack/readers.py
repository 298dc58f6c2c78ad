"""Readers of the window that have no command. Each is called with a file by :mod:`tests.unit.io.faults.worker`."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from firegui.io.importers.base_map import draw_base_map, open_base_map
from firegui.io.project.store import load_project
from firegui.io.vectors.perimeters import read_outline
from firegui.io.vectors.water import read_water
from tests.unit.io.faults.ground import GRID
from tests.unit.io.rasters.test_mbtiles import GRID as TILED


def base_map(path: Path) -> None:
    """Draw the file as the window draws a base map."""
    grid = TILED if path.suffix == ".mbtiles" else GRID
    draw_base_map(open_base_map(path, grid), grid, (0.0, 0.0, float(grid.rows), float(grid.columns)), (80, 120))


def water(path: Path) -> None:
    """Read open water."""
    read_water(path, GRID)


def outline(path: Path) -> None:
    """Read the outline of an observed fire."""
    read_outline(path, GRID, date(2020, 8, 19))


def project(path: Path) -> None:
    """Load the project in whose folder the file lies."""
    here = next(folder for folder in path.parents if folder.suffix == ".firegui")
    load_project(here)

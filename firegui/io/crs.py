"""What PROJ makes of a text that names a coordinate reference system."""

from __future__ import annotations

import math
import warnings
from functools import lru_cache

from pyproj import CRS, Transformer
from pyproj.enums import WktVersion
from pyproj.exceptions import CRSError, ProjError

from firegui.domain.grid import Grid
from firegui.errors import InputError, Problem
from firegui.io.safe_open import UnsafeFileError, check_crs
from firegui.io.source_files import MOST_CELLS, cells_problem, error_text

_SHORT, _LONG = 24, 80
_UNNAMED = "unknown"
"""What PROJ calls a CRS without a name."""


@lru_cache(maxsize=64)
def parse(text: str) -> CRS | None:
    """Return the CRS that ``text`` names; ``None`` where PROJ does not know it or cannot use it.

    ``text`` is ``EPSG:3310``, WKT, a PROJ string and so on, and names no file.
    """
    try:
        crs = _known(text)
        if crs.is_projected or crs.is_geographic:
            # A scale of 0, for example, is only refused when coordinates are to be changed.
            transformer(text, "EPSG:4326")
    except (ProjError, InputError):
        return None
    return crs


def problems(text: str, where: str = "crs") -> list[Problem]:
    """Return what is wrong with a grid's CRS: unknown to PROJ, or not measured along two ground axes."""
    crs = parse(text)
    if crs is None:
        return [Problem(where, f"the CRS {_shortened(text)!r} is unknown to PROJ", "give a code such as EPSG:3310")]
    if not (crs.is_projected or crs.is_geographic):
        return [
            Problem(
                where,
                f"the CRS {text!r} ({crs.name}) is not a map projection",
                "give a projected CRS such as EPSG:3310",
            )
        ]
    return []


def _shortened(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


def grid_problems(grid: Grid) -> list[Problem]:
    """Return everything wrong with a grid, its CRS and unit included.

    Cells must measure ``cell_size_m`` on the ground.
    """
    too_large = cells_problem("grid", grid.rows, grid.columns) if grid.n_cells > MOST_CELLS else None
    if too_large is not None:
        return [too_large]
    found = grid.problems()
    if grid.transform is not None and not all(math.isfinite(value) for value in grid.transform):
        found.append(
            Problem("grid", f"transform {grid.transform} holds values that are not numbers", "give six numbers")
        )
    if grid.crs is not None:
        found += problems(grid.crs, "grid")
        crs = parse(grid.crs)
        if crs is not None and crs.is_geographic:
            found.append(
                Problem("grid", f"the CRS {grid.crs} counts in degrees", "warp to a projected CRS in metres first")
            )
        elif crs is not None and grid.transform is not None and not found:
            found += _size_problems(grid, grid.transform[0] * metres_per_unit(grid.crs)) + _far_problems(grid)
    return found


def metres_per_unit(text: str) -> float:
    """Return the length in metres of the unit of a projected CRS; 1 where PROJ does not say."""
    crs = parse(text)
    return (
        float(crs.axis_info[0].unit_conversion_factor)
        if crs is not None and crs.is_projected and crs.axis_info
        else 1.0
    )


def _size_problems(grid: Grid, ground_m: float) -> list[Problem]:
    if abs(ground_m - grid.cell_size_m) <= 1e-6 * grid.cell_size_m:
        return []
    return [
        Problem(
            "grid",
            f"cell size {grid.cell_size_m:g} m, but the transform makes cells of {ground_m:g} m",
            "make the two agree",
        )
    ]


def _far_problems(grid: Grid) -> list[Problem]:
    """Return the problem of a grid whose middle is nowhere on the Earth.

    A slip in the transform or another CRS makes one.
    """
    assert grid.crs is not None
    easting, northing = grid.to_world(grid.rows / 2.0 - 0.5, grid.columns / 2.0 - 0.5)
    if all(math.isfinite(value) for value in transformer(grid.crs, "EPSG:4326").transform(easting, northing)):
        return []
    what = f"its middle (x {easting:.10g}, y {northing:.10g}) has no longitude and latitude in {short_name(grid.crs)}"
    return [Problem("grid", what, "likely a CRS mismatch: check the CRS and the transform")]


def same(one: str, other: str) -> bool:
    """Return whether two texts name the same CRS."""
    left, right = parse(one), parse(other)
    return left is not None and right is not None and left.equals(right, ignore_axis_order=True)


@lru_cache(maxsize=64)
def short_name(text: str) -> str:
    """Return what people read for a CRS: its code, else its name, else its projection and datum.

    A short text as it is.
    """
    crs = parse(text)
    if crs is None or len(text) <= _SHORT:
        return text
    authority = crs.to_authority()
    if authority is not None:
        return ":".join(authority)
    if crs.name != _UNNAMED:
        return str(crs.name)
    operation, datum = crs.coordinate_operation, crs.datum
    parts = (None if operation is None else operation.method_name, None if datum is None else datum.name)
    return ", ".join(part for part in parts if part) or text


def wkt(text: str) -> str | None:
    """Return the CRS as the WKT that GDAL understands, ``None`` when PROJ does not know it."""
    crs = parse(text)
    return None if crs is None else crs.to_wkt(WktVersion.WKT2_2019)


@lru_cache(maxsize=64)
def transformer(source: str, target: str) -> Transformer:
    """Return a transformer between two known CRSs, x (east, longitude) first on both sides.

    Raises :class:`~firegui.errors.InputError` where PROJ has no way from one to the other, as to a damaged ellipsoid.
    """
    try:
        return Transformer.from_crs(_known(source), _known(target), always_xy=True)
    except ProjError as error:
        what = (
            f"coordinates cannot be changed from {_shortened(source)!r} to {_shortened(target)!r} ({error_text(error)})"
        )
        raise InputError([Problem("CRS", what, "check the CRS of both files")]) from error


@lru_cache(maxsize=64)
def _known(text: str) -> CRS:
    try:
        check_crs(text)
    except UnsafeFileError as error:
        raise CRSError(str(error)) from error
    with warnings.catch_warnings(action="ignore", category=FutureWarning):  # +init=epsg:3310
        return CRS.from_user_input(text)

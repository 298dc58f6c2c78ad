"""A raster brought onto a grid: cut where the two share their cells, else interpolated."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.crs import CRS
from rasterio.enums import Resampling
from rasterio.errors import CRSError, RasterioError
from rasterio.warp import reproject

from firegui.domain.grid import Grid
from firegui.errors import Check, InputError, Problem
from firegui.io import crs
from firegui.io.rasters.geometry import RasterGeometry, offset_on
from firegui.io.rasters.geotiff import without_place_warnings
from firegui.io.rasters.terrain import turned

Raster = NDArray[np.float32]
Box = tuple[int, int, int, int]
"""First row, row behind the last, first column, column behind the last."""

_STRIP_CELLS = 500_000
_MARGIN = 3
_NO_DIRECTION = 1e-3
"""Mean of unit vectors under which directions cancel each other out."""


def needed_box(lie: RasterGeometry, grid: Grid) -> Box | None:
    """The part of a raster that ``grid`` needs, ``None`` where it lies apart from the grid."""
    rows, columns = lie.shape
    offset = offset_on(lie, grid)
    if offset is not None:
        row, column = offset
        box = (max(0, -row), min(rows, grid.rows - row), max(0, -column), min(columns, grid.columns - column))
        return box if box[0] < box[1] and box[2] < box[3] else None
    seen = _positions(lie, grid)
    if seen is None:
        return None
    down, across = seen
    # Coarse cells of the grid take in more of the raster than the points in their middle.
    reach = _MARGIN + math.ceil(max(np.ptp(down) / grid.rows, np.ptp(across) / grid.columns))
    top, bottom = max(0, math.floor(down.min()) - reach), min(rows, math.ceil(down.max()) + reach)
    left, right = max(0, math.floor(across.min()) - reach), min(columns, math.ceil(across.max()) + reach)
    return (top, bottom, left, right) if top < bottom and left < right else None


def how_placed(key: str, lie: RasterGeometry, grid: Grid) -> str:
    """How :func:`place_on` brings the layer ``key`` onto ``grid``, in words."""
    offset = offset_on(lie, grid)
    if offset is not None:
        return "as it is" if offset == (0, 0) and lie.shape == grid.shape else "cut"
    if key == "fuel":
        return "nearest"
    return "bilinear, as a direction" if key == "aspect" else "bilinear"


def place_on(key: str, values: Raster, lie: RasterGeometry, box: Box, grid: Grid, check: Check | None = None) -> Raster:
    """The layer ``key`` on ``grid``, ``[H, W]`` float32, NaN beyond the raster and where it has no data.

    ``values`` are the cells ``box`` of a raster that lies at ``lie``. Cells are copied bit for bit where the two share
    their edges. Otherwise categories are those of the nearest cell and numbers bilinear, weighted over the whole cell
    where the grid is coarser; an aspect is interpolated as a direction and turned by the angle between the two norths.
    A cell is without data where the nearest cell of the raster is.
    """
    offset = offset_on(lie, grid)
    if offset is not None:
        return _cut(values, (offset[0] + box[0], offset[1] + box[2]), grid)
    part = RasterGeometry(values.shape, _shifted(lie, box), lie.crs)
    nearest = _warp(values, part, grid, Resampling.nearest, check)
    if key == "fuel":
        return nearest
    if key != "aspect":
        smooth = _warp(values, part, grid, Resampling.bilinear, check)
        return np.where(np.isnan(nearest), np.float32(np.nan), np.where(np.isnan(smooth), nearest, smooth))
    facing = np.where(values < 0.0, np.nan, np.deg2rad(values.astype(np.float64)))
    vectors = [np.nan_to_num(part(facing)).astype(np.float32) for part in (np.sin, np.cos)]
    for vector in vectors:
        vector[np.isnan(values)] = np.nan
    east, north = (_warp(vector, part, grid, Resampling.bilinear, check) for vector in vectors)
    unclear = ~(np.hypot(east, north) > _NO_DIRECTION) | ~(nearest >= 0.0)
    mean = (np.rad2deg(np.arctan2(east, north)) % 360.0).astype(np.float32)
    return turned(np.where(unclear, nearest, mean), north_angle(lie, grid))


def north_angle(lie: RasterGeometry, grid: Grid) -> float:
    """Degrees, clockwise, from the grid's north to the north of ``lie``'s CRS, in the middle of the grid."""
    if lie.crs is None or grid.crs is None or crs.same(lie.crs, grid.crs):
        return 0.0
    to, back = crs.transformer(grid.crs, lie.crs), crs.transformer(lie.crs, grid.crs)
    x, y = grid.to_world((grid.rows - 1) / 2.0, (grid.columns - 1) / 2.0)
    there_x, there_y = to.transform(x, y)
    parsed = crs.parse(lie.crs)
    step = 1e-4 if parsed is not None and parsed.is_geographic else 10.0
    up_x, up_y = back.transform(there_x, there_y + step)
    x, y = back.transform(there_x, there_y)
    return math.degrees(math.atan2(up_x - x, up_y - y))


def _cut(values: Raster, first: tuple[int, int], grid: Grid) -> Raster:
    row, column = first
    height, width = values.shape
    if (row, column, height, width) == (0, 0, *grid.shape):
        return values
    result = np.full(grid.shape, np.nan, np.float32)
    result[row : row + height, column : column + width] = values
    return result


def _warp(values: Raster, lie: RasterGeometry, grid: Grid, how: Resampling, check: Check | None) -> Raster:
    assert grid.transform is not None and grid.crs is not None and lie.crs is not None
    source_crs, target_crs = _gdal_crs(lie.crs), _gdal_crs(grid.crs)
    result = np.full(grid.shape, np.nan, np.float32)
    strip = max(1, _STRIP_CELLS // grid.columns)
    affine = Affine(*grid.transform)
    for row in range(0, grid.rows, strip):
        if check is not None:
            check()
        target = result[row : row + strip]
        try:
            with without_place_warnings():
                reproject(
                    np.ascontiguousarray(values), target, src_transform=lie.affine, src_crs=source_crs,
                    src_nodata=np.nan, dst_transform=affine @ Affine.translation(0, row), dst_crs=target_crs,
                    dst_nodata=np.nan, resampling=how, num_threads=1,
                )  # fmt: skip
        except (RasterioError, CRSError) as error:
            text = " ".join(str(error).split())
            raise InputError(
                [Problem("grid", f"the layers cannot be warped ({text})", "choose another CRS")]
            ) from error
    return result


def _gdal_crs(text: str) -> CRS:
    found = crs.wkt(text)
    assert found is not None
    return CRS.from_wkt(found)


def _shifted(lie: RasterGeometry, box: Box) -> tuple[float, float, float, float, float, float]:
    a, b, c, d, e, f = (lie.affine @ Affine.translation(box[2], box[0]))[:6]
    return a, b, c, d, e, f


def _positions(lie: RasterGeometry, grid: Grid) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Rows and columns of ``lie`` (edges at integers) under a lattice of points on the whole of ``grid``."""
    if lie.transform is None or lie.crs is None or grid.crs is None:
        return None
    steps = np.linspace(0.0, 1.0, 33)
    rows, columns = np.meshgrid(steps * grid.rows - 0.5, steps * grid.columns - 0.5)
    x, y = grid.to_world(rows.ravel(), columns.ravel())  # type: ignore[arg-type]
    there_x, there_y = crs.transformer(grid.crs, lie.crs).transform(x, y)
    column, row = ~lie.affine @ (np.asarray(there_x), np.asarray(there_y))
    known = np.isfinite(row) & np.isfinite(column)
    return (row[known], column[known]) if known.any() else None

"""Base maps: map tiles, a raster or a vector file of one's own, drawn below the fire on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.enums import Resampling
from rasterio.features import rasterize
from rasterio.windows import Window

from firegui.domain.grid import Grid
from firegui.errors import InputError, Problem, Problems
from firegui.io import crs
from firegui.io.rasters import mbtiles
from firegui.io.rasters.files import LARGEST_BLOCK, RasterFile, read_header
from firegui.io.rasters.mbtiles import TITLE, Area, Pixels, TileArchive, picture_transform
from firegui.io.rasters.warp import Box, needed_box
from firegui.io.safe_open.rasters import RasterDataset, raster_dataset
from firegui.io.source_files import MOST_VALUES, error_text
from firegui.io.vectors.files import SUFFIXES as VECTOR_SUFFIXES
from firegui.io.vectors.files import crs_problems, layer_names, read_layer
from firegui.io.vectors.water import to_corners

RASTER_SUFFIXES = (".tif", ".tiff", ".img", ".asc", ".lcp")
SUFFIXES = (".mbtiles", *RASTER_SUFFIXES, *VECTOR_SUFFIXES)
"""Endings of the files that can be a base map."""

_ELSEWHERE = "give a base map of this part of the Earth"
_SAMPLE_PX = 512
_MOST_SAMPLE = 2_048
"""Side of the part of a raster that tells the range of its values: opening a file must be quick."""
_LOW, _HIGH = 2.0, 98.0
"""Percentiles of a band between which its values become grey levels."""
_LINE, _CASING = (38, 50, 66, 255), (255, 255, 255, 220)
_LINE_PX, _POINT_PX, _CASING_PX = 1, 5, 2
"""Pixels that a line, a point and the casing around them have on every side."""


@dataclass(frozen=True, slots=True, eq=False)
class RasterBaseMap:
    """A raster file that was looked at and can be drawn.

    ``bands`` become red, green and blue, or grey where there is one. ``limits`` are the values at both ends of each.
    ``palette [256, 4]`` has the colours of a band of categories, ``None`` for numbers.
    """

    path: Path
    name: str
    bands: tuple[int, ...]
    limits: tuple[tuple[float, float], ...]
    palette: Pixels | None
    attribution: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class VectorBaseMap:
    """The lines and points of a vector file, in raster corner coordinates ``(column, row)`` of the grid."""

    path: Path
    name: str
    lines: tuple[Any, ...]
    points: tuple[Any, ...]
    attribution: str = ""


BaseMapFile = TileArchive | RasterBaseMap | VectorBaseMap


def open_base_map(path: Path, grid: Grid) -> BaseMapFile:
    """Look at a file that is to lie under the fire on ``grid``: map tiles, a raster or a vector file.

    Raises :class:`~firegui.errors.InputError` for a file that cannot be read, does not say where it lies or lies
    elsewhere on the Earth, and where the grid itself has no place.
    """
    mbtiles.check_base_map(path, grid)
    if path.suffix.lower() in VECTOR_SUFFIXES:
        return _open_vector(path, grid)
    if path.suffix.lower() in RASTER_SUFFIXES:
        return _open_raster(path, grid)
    if path.suffix.lower() not in SUFFIXES and not mbtiles.is_database(path):
        remedy = f"give a file that ends in {', '.join(SUFFIXES)}"
        raise InputError([Problem(str(path), "is not a base map that firegui reads", remedy)], TITLE)
    return mbtiles.open_archive(path, grid)


def draw_base_map(file: BaseMapFile, grid: Grid, area: Area, size: tuple[int, int]) -> Pixels:
    """Return ``area`` of ``grid`` as ``[H, W, 4]`` RGBA of ``size = (H, W)``.

    It is transparent where the file has nothing.

    Raises :class:`~firegui.errors.InputError` where the file cannot be read any more.
    """
    match file:
        case RasterBaseMap():
            return _draw_raster(file, grid, area, size)
        case VectorBaseMap():
            return _draw_vector(file, area, size)
        case _:
            return mbtiles.draw(file, grid, area, size)


# -- rasters -----------------------------------------------------------------------------------------------------------
def _open_raster(path: Path, grid: Grid) -> RasterBaseMap:
    problems = Problems()
    header = read_header(path, str(path), problems)
    problems.raise_if_any(TITLE)
    assert header is not None
    problems.extend(_raster_problems(header))
    problems.raise_if_any(TITLE)
    box = needed_box(header.geometry, grid)
    if box is None:
        raise InputError([Problem(str(path), "has nothing where the fire is", _ELSEWHERE)], TITLE)
    try:
        return _described(path, raster_dataset(path), box)
    except OSError as error:
        raise _unreadable(path, error) from error


def _raster_problems(header: RasterFile) -> list[Problem]:
    where, found = str(header.path), []
    if header.geometry.crs is None or header.geometry.transform is None:
        found.append(Problem(where, "does not say where on the Earth it lies", "give it a CRS and a place in a GIS"))
    else:
        found += crs.problems(header.geometry.crs, where)
    rows, columns = header.geometry.shape
    if rows * columns > MOST_VALUES:
        found.append(Problem(where, f"has {rows:,} × {columns:,} cells", "cut it to the surroundings of the fire"))
    if header.block_bytes > LARGEST_BLOCK:
        what = f"is packed in blocks of {header.block_bytes:,} bytes, at most {LARGEST_BLOCK:,} can be held"
        found.append(Problem(where, what, "save it with tiles of 256 × 256 cells"))
    return found


def _described(path: Path, source: RasterDataset, box: Box) -> RasterBaseMap:
    """Return how to draw an open raster, with the range of values in the middle of ``box``."""
    data = [
        number
        for number, kind in enumerate(source.colors, start=1)
        if kind not in ("alpha", "undefined") or source.count < 3
    ]
    bands = tuple(data[:3] if len(data) >= 3 else data[:1] or [1])
    palette = source.palette if len(bands) == 1 else None
    if palette is not None or (len(bands) == 3 and all(source.dtypes[band - 1] == "uint8" for band in bands)):
        limits: tuple[tuple[float, float], ...] = ((0.0, 255.0),) * len(bands)
    else:
        rows, columns = (min(end - start, _MOST_SAMPLE) for start, end in (box[:2], box[2:]))
        top, left = (box[0] + box[1] - rows) // 2, (box[2] + box[3] - columns) // 2
        shape = min(rows, _SAMPLE_PX), min(columns, _SAMPLE_PX)
        sample = source.read_reduced(bands, Window(left, top, columns, rows), (len(bands), *shape))
        limits = tuple(_limits(band) for band in sample)
    return RasterBaseMap(path, path.stem, bands, limits, palette)


def _limits(band: Any) -> tuple[float, float]:
    values = np.asarray(band.compressed(), np.float64)
    values = values[np.isfinite(values)]
    low, high = np.percentile(values, (_LOW, _HIGH)) if len(values) else (0.0, 1.0)
    return float(low), float(high) if high > low else float(low) + 1.0


def _draw_raster(file: RasterBaseMap, grid: Grid, area: Area, size: tuple[int, int]) -> Pixels:
    assert grid.crs is not None
    how = Resampling.nearest if file.palette is not None else Resampling.bilinear
    try:
        place = picture_transform(grid, area, size)
        found = raster_dataset(file.path).warped(file.bands, crs.wkt(grid.crs) or "", place, size, how, alpha=True)
    except OSError as error:
        raise _unreadable(file.path, error) from error
    values, there = found.data, ~found.mask[0]
    picture = np.zeros((*size, 4), np.uint8)
    if file.palette is not None:
        picture[...] = file.palette[values[0]]
        picture[~there, 3] = 0
        return picture
    for k in range(3):
        band = min(k, len(file.bands) - 1)
        low, high = file.limits[band]
        share = np.nan_to_num((values[band].astype(np.float32) - low) / (high - low))
        picture[..., k] = np.rint(255.0 * np.clip(share, 0.0, 1.0)).astype(np.uint8)
        there &= np.isfinite(values[band])
    picture[there, 3] = 255
    return picture


def _unreadable(path: Path, error: BaseException) -> InputError:
    what = f"is cut short or damaged: it cannot be drawn ({error_text(error)})"
    return InputError([Problem(str(path), what, "get the file again from where it came")], TITLE)


# -- vectors -----------------------------------------------------------------------------------------------------------
def _open_vector(path: Path, grid: Grid) -> VectorBaseMap:
    problems = Problems()
    shapes: list[Any] = []
    layers = layer_names(path, problems)
    for layer in layers:
        features = read_layer(path, layer, layers, problems)
        if features is not None and not (wrong := crs_problems(features, path)):
            assert features.crs is not None
            shapes += _on_grid(features.geometries, features.crs, grid)
        elif features is not None:
            problems.extend(wrong)
    if problems:
        raise InputError([_of_base_map(problem) for problem in problems], TITLE)
    if not shapes:
        raise InputError([Problem(str(path), "has nothing where the fire is", _ELSEWHERE)], TITLE)
    points = tuple(shape for shape in shapes if shape.geom_type in ("Point", "MultiPoint"))
    lines = tuple(
        shape.boundary if shape.geom_type in ("Polygon", "MultiPolygon") else shape
        for shape in shapes
        if shape.geom_type not in ("Point", "MultiPoint")
    )
    return VectorBaseMap(path, path.stem, lines, points)


def _of_base_map(problem: Problem) -> Problem:
    """Return a problem of a vector file with a remedy for a base map."""
    return replace(problem, remedy="save it again in a GIS, with its CRS and with what is near the fire")


def _on_grid(geometries: NDArray[Any], source: str, grid: Grid) -> list[Any]:
    """Return the parts that meet the grid, in corner coordinates ``(column, row)``."""
    assert grid.crs is not None
    change = crs.transformer(source, grid.crs)

    def place(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return to_corners(np.column_stack(change.transform(points[:, 0], points[:, 1])), grid)

    known = [geometry for geometry in geometries if geometry is not None and not geometry.is_empty]
    parts = shapely.get_parts(np.array(known, object)) if known else np.array([], object)
    placed = shapely.transform(parts, place)
    frame = shapely.box(0.0, 0.0, float(grid.columns), float(grid.rows))
    finite = np.isfinite(shapely.bounds(placed)).all(axis=-1) if len(placed) else np.array([], bool)
    return [shape for shape in placed[finite] if shape.intersects(frame)]


def _draw_vector(file: VectorBaseMap, area: Area, size: tuple[int, int]) -> Pixels:
    top, left, bottom, right = area
    to_area = Affine((right - left) / size[1], 0.0, left, 0.0, (bottom - top) / size[0], top)
    lines = _widened(_drawn(file.lines, to_area, size), _LINE_PX)
    points = _widened(_drawn(file.points, to_area, size), _POINT_PX)
    drawn = lines | points
    picture = np.zeros((*size, 4), np.uint8)
    picture[_widened(drawn, _CASING_PX)] = _CASING
    picture[drawn] = _LINE
    return picture


def _drawn(shapes: Sequence[Any], transform: Affine, size: tuple[int, int]) -> NDArray[np.bool_]:
    if not shapes:
        return np.zeros(size, bool)
    burned = rasterize([(shape, 1) for shape in shapes], out_shape=size, transform=transform, dtype="uint8")
    return np.asarray(burned, bool)


def _widened(mask: NDArray[np.bool_], by: int) -> NDArray[np.bool_]:
    """Return ``mask`` with ``by`` pixels more on every side."""
    rows, columns = mask.shape
    padded, wide = np.pad(mask, by), np.zeros_like(mask)
    for down in range(2 * by + 1):
        for across in range(2 * by + 1):
            wide |= padded[down : down + rows, across : across + columns]
    return wide

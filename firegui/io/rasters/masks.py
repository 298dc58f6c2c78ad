"""Masks on a grid, from rasters of burned area and from polygons, and polygons from masks.

A raster of burned area holds 1 or 255 in burned cells and 0 elsewhere. A cell lies in a polygon if its centre does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.crs import CRS
from rasterio.errors import CRSError, RasterioError
from rasterio.features import rasterize, shapes
from rasterio.warp import Resampling, reproject

from firegui.domain.grid import Grid
from firegui.domain.regions import Region, Ring
from firegui.errors import Check, Problems
from firegui.io.crs import wkt
from firegui.io.rasters.geotiff import without_place_warnings
from firegui.io.safe_open.rasters import RasterDataset, raster_dataset
from firegui.io.source_files import MOST_DAYS, TIFF_STARTS, cells_problem, error_text, file_problem
from firegui.io.times import parse_stamp, parse_stamps
from firegui.io.toml import plain_words

Bools = NDArray[np.bool_]

_VALUES = (0, 1, 255)
_DATE_IN_NAME = re.compile(r"(?<!\d)(?:\d{4}([-_/.])\d{1,2}\1\d{1,2}|(?:19|20)\d{6})(?!\d)")


@dataclass(frozen=True, slots=True, eq=False)
class MaskRaster:
    """Masks ``[N, H, W]`` on a grid, and the dates in the names of the bands; empty if a band has no date."""

    masks: Bools
    dates: tuple[date, ...]


def is_tiff(path: Path) -> bool:
    """Return whether an existing file begins with the signature of a TIFF."""
    if file_problem(path) is not None:
        return False  # reading a pipe would wait for ever
    try:
        with path.open("rb") as file:
            return file.read(4) in TIFF_STARTS
    except OSError:
        return False


def band_dates(path: Path, problems: Problems) -> tuple[date, ...]:
    """Return the dates in the names of the bands of a raster, without reading the bands.

    The result is empty if a band has no date.
    """
    try:
        return _dates(raster_dataset(path, ("GTiff",)))
    except OSError as error:
        problems.add(path.name, f"cannot be read as a GeoTIFF ({error_text(error)})", "check the file")
        return ()


def read_masks(path: Path, grid: Grid, problems: Problems, check: Check | None = None) -> MaskRaster | None:
    """Return every band of a GeoTIFF as a mask on ``grid``, warped by nearest neighbour.

    A raster without georeferencing must have the rows and columns of the grid. Returns ``None`` with problems.
    """
    problem = file_problem(path)
    if problem is not None:
        problems.extend([problem])
        return None
    with without_place_warnings():
        try:
            return _read(raster_dataset(path, ("GTiff",)), path, grid, problems, check)
        except (RasterioError, CRSError, OSError, ValueError) as error:
            problems.add(path.name, f"cannot be read as a GeoTIFF ({error_text(error)})", "check the file")
            return None


def _read(source: RasterDataset, path: Path, grid: Grid, problems: Problems, check: Check | None) -> MaskRaster | None:
    problem = cells_problem(path.name, *source.shape)
    if problem is not None:
        problems.extend([problem])
        return None
    if source.count > MOST_DAYS:
        problems.add(path.name, f"claims {source.count:,} bands", f"give at most {MOST_DAYS}, one a day")
        return None
    masks = np.zeros((source.count, *grid.shape), np.bool_)
    for number, mask in enumerate(masks, 1):
        if check is not None:
            check()
        found = _band(source, number, path, problems)
        placed = None if found is None else _placed(found, source, grid, path, problems)
        if placed is None:
            return None
        mask[:] = placed
    return MaskRaster(masks, _dates(source))


def _dates(source: RasterDataset) -> tuple[date, ...]:
    stamps = parse_stamps([_date_text(name) for name in source.descriptions]).stamps
    known = [stamp.moment.date() for stamp in stamps if stamp is not None]
    return tuple(known) if len(known) == source.count else ()


def _date_text(name: str) -> str:
    """Return the date in the name of a band, ``fire 2020-08-19``, or the whole name without a date."""
    found = _DATE_IN_NAME.search(name) if parse_stamp(name) is None else None
    return name if found is None else found[0].replace("_", "-")


def _band(source: RasterDataset, number: int, path: Path, problems: Problems) -> Bools | None:
    band = source.read(number)
    nodata = source.nodatavals[number - 1]
    absent = np.zeros(band.shape, np.bool_)
    if band.dtype.kind == "f":
        absent |= np.isnan(band)
    if nodata is not None and not np.isnan(nodata):
        absent |= band == nodata
    other = int((~np.isin(band, _VALUES) & ~absent).sum())
    if other:
        where = path.name if source.count == 1 else f"{path.name}, band {number}"
        what = f"{other:,} cells hold neither 0, 1 nor 255"
        problems.add(where, what, "make it a mask: 1 where it has burned, 0 elsewhere")
        return None
    return np.asarray((band > 0) & ~absent)


def _placed(fire: Bools, source: RasterDataset, grid: Grid, path: Path, problems: Problems) -> Bools | None:
    lacking = source.crs is None or source.transform == Affine.identity()
    if lacking or not grid.is_georeferenced:
        if fire.shape == grid.shape:
            return fire
        which = "it has" if lacking else "the project has"
        what = f"cannot be laid on the grid: {which} no CRS or transform, and its shape is {list(fire.shape)}"
        problems.add(path.name, what, f"give a raster that says its place, or one of {list(grid.shape)} cells")
        return None
    assert grid.transform is not None and grid.crs is not None
    layers = np.stack([fire, np.ones_like(fire)]).astype(np.uint8)  # the second says what the raster covers
    target = np.zeros((2, *grid.shape), np.uint8)
    try:
        reproject(
            layers, target, src_transform=source.transform, src_crs=source.crs,
            dst_transform=Affine(*grid.transform), dst_crs=CRS.from_wkt(wkt(grid.crs)), resampling=Resampling.nearest,
        )  # fmt: skip
    except (RasterioError, CRSError, ValueError) as error:
        problems.add(path.name, f"cannot be warped to the grid ({plain_words(error)})", "warp it to the grid first")
        return None
    if not target[1].any():
        problems.add(path.name, "lies off the grid", "check the CRS of the project and of the file")
        return None
    return np.asarray(target[0], bool)


_HALF_CELLS = Affine.scale(2.0)
"""Transform of half cells, which keeps coordinates exact. rasterio warns about an identity transform, and the filters
of warnings belong to the whole process, where another thread may be changing them."""


def region_masks(regions: Sequence[Region], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return ``[R, H, W]``: the cells of each region, in the order of the regions.

    Cell ``(i, j)`` belongs to a region if its centre ``(i + ½, j + ½)`` lies inside a part of the region and in no hole
    of that part. The area of a region outside the raster is cut off.
    """
    masks = np.zeros((len(regions), *shape), np.bool_)
    for mask, region in zip(masks, regions, strict=True):
        mask[:] = polygon_mask([_geometry(part) for part in region.parts], _HALF_CELLS, shape)
    return masks


def region_cells(region: Region, shape: tuple[int, int]) -> int:
    """Return the number of cells inside a region. The number is cached by outline and shape."""
    return _cells_inside(region.parts, shape)


@lru_cache(maxsize=1024)
def _cells_inside(parts: tuple[tuple[Ring, ...], ...], shape: tuple[int, int]) -> int:
    return int(region_masks((Region("", parts),), shape).sum())


def polygon_mask(polygons: Iterable[Any], transform: Affine, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return the mask ``[H, W]`` of polygons.

    The cells are those whose centre lies in any of the polygons (GeoJSON-like mappings or shapely geometries).
    ``transform`` maps (column, row) corners to the coordinates of the polygons.
    """
    # One shape per polygon: inside a single multipolygon, overlapping parts would cancel out.
    shapes = [(polygon, 1) for polygon in polygons]
    if not shapes:
        return np.zeros(shape, np.bool_)
    with without_place_warnings():
        burned = rasterize(shapes, out_shape=shape, transform=transform, fill=0, dtype="uint8")
    return np.asarray(burned, np.bool_)


def mask_rings(mask: NDArray[np.bool_]) -> list[list[list[tuple[float, float]]]]:
    """Return the polygons around the true cells of ``mask [H, W]``, each an outer ring and its holes.

    A ring is closed and holds the ``(column, row)`` corners at which it turns. Cells that touch only at a corner belong
    to different polygons.
    """
    cells = np.ascontiguousarray(mask, np.bool_)
    with without_place_warnings():  # rasterio changes the filters of warnings here too
        found = list(shapes(cells.view(np.uint8), mask=cells, connectivity=4, transform=_HALF_CELLS))
    return [[[(x / 2.0, y / 2.0) for x, y in ring] for ring in shape["coordinates"]] for shape, _ in found]


def _geometry(part: tuple[Ring, ...]) -> dict[str, Any]:
    rings = [[(2.0 * column, 2.0 * row) for row, column in (*ring, ring[0])] for ring in part]
    return {"type": "Polygon", "coordinates": rings}

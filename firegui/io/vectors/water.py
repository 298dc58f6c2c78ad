"""Open water from the fuel layer, a raster or a vector file, and the drops close to water.

The United States' Interagency Policy for Aerial and Ground Delivery of Wildland Fire Chemicals Near Waterways keeps
retardant 300 ft away from waterways. Drops within that distance are marked, not refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.crs import CRS
from rasterio.enums import Resampling
from rasterio.errors import CRSError, RasterioError
from rasterio.warp import transform_bounds

from firegui.domain.grid import Grid
from firegui.domain.scenario import Scenario
from firegui.errors import Problems
from firegui.io import crs
from firegui.io.georeference import Georeference
from firegui.io.rasters.files import LARGEST_BLOCK
from firegui.io.rasters.masks import mask_rings
from firegui.io.safe_open.rasters import RasterDataset, raster_dataset
from firegui.io.safe_open.vectors import read_vector, vector_info, vector_layers
from firegui.io.source_files import error_text
from firegui.io.vectors.files import geometries_of

NEAR_M = 91.44
"""Distance of the policy from waterways, 300 ft in metres."""

WATER_FUEL = 98
"""Fuel model of open water: NB8 of Scott and Burgan's 40 models, and 98 with Anderson's 13 models."""


@dataclass(frozen=True, slots=True, eq=False)
class WaterLayer:
    """Water as shapely geometries in the corner coordinates ``(column, row)`` of a grid, in cells.

    ``cell_m`` is the side of a cell on the ground in metres. ``source`` names the source of the water.
    """

    geometries: NDArray[np.object_]
    cell_m: float
    source: str

    def near(self, outlines: NDArray[np.object_]) -> NDArray[np.bool_]:
        """Return which outlines, in the same coordinates, lie within :data:`NEAR_M` of water."""
        close = np.zeros(len(outlines), np.bool_)
        if len(self.geometries) and len(outlines):
            tree = shapely.STRtree(self.geometries)
            found = tree.query(outlines, predicate="dwithin", distance=NEAR_M / self.cell_m)
            close[found[0]] = True
        return close


def water_of_fuel(event: Scenario) -> WaterLayer | None:
    """Return the cells of fuel model 98 as water; ``None`` where the event has no fuel layer."""
    fuel = event.layers.get("fuel")
    if fuel is None:
        return None
    polygons = mask_polygons(np.asarray(fuel == WATER_FUEL))
    return WaterLayer(
        polygons, Georeference(event.grid).ground_cell_m, f"fuel model {WATER_FUEL} (NB8) of the landscape"
    )


def mask_polygons(mask: NDArray[np.bool_]) -> NDArray[np.object_]:
    """Return the cells of ``mask [H, W]`` as polygons with holes, in corner coordinates ``(column, row)``."""
    found = mask_rings(mask)
    polygons = np.empty(len(found), np.object_)
    for number, (outer, *holes) in enumerate(found):
        polygons[number] = shapely.Polygon(outer, holes)
    return polygons


def near_water(outlines: Sequence[Any], water: WaterLayer | None) -> list[bool | None]:
    """Return whether each outline lies within :data:`NEAR_M` of water; ``None`` without ``water``."""
    if water is None:
        return [None] * len(outlines)
    return [bool(close) for close in water.near(np.asarray(outlines, np.object_))]


_RASTERS = (".tif", ".tiff", ".img", ".vrt", ".asc", ".lcp")
_MOST_FEATURES = 2_000_000
_TITLE = "The water layer cannot be used"
_WATER_TYPES = (
    shapely.GeometryType.POLYGON, shapely.GeometryType.MULTIPOLYGON, shapely.GeometryType.LINESTRING,
    shapely.GeometryType.MULTILINESTRING, shapely.GeometryType.POINT, shapely.GeometryType.MULTIPOINT,
    shapely.GeometryType.GEOMETRYCOLLECTION,
)  # fmt: skip


def read_water(path: Path, grid: Grid) -> WaterLayer:
    """Read water for ``grid``.

    In a raster, values above 0 are water. The raster is warped to the grid so that a cell with any water is water. In a
    vector file, the areas, lines and points of all layers are water. Raises :class:`~firegui.errors.InputError` listing
    every problem.
    """
    problems = Problems()
    if not grid.is_georeferenced or grid.crs is None:
        problems.add("grid", "the event has no place, so a water layer cannot be laid over it", "leave it out")
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "the file does not exist"
        problems.add(str(path), what, "give a raster or a vector file of water")
    problems.raise_if_any(_TITLE)
    if path.suffix.lower() in _RASTERS:
        geometries = _from_raster(path, grid, problems)
    else:
        geometries = _from_vector(path, grid, problems)
    problems.raise_if_any(_TITLE)
    source = path.name if len(geometries) else f"{path.name}, which holds no water on this grid: check its CRS"
    return WaterLayer(geometries, Georeference(grid).ground_cell_m, source)


def _from_raster(path: Path, grid: Grid, problems: Problems) -> NDArray[np.object_]:
    """Return the water of a raster that is warped to the grid and a margin around the grid.

    Only the warped part is held in memory.
    """
    assert grid.transform is not None and grid.crs is not None
    margin = int(NEAR_M / grid.cell_size_m) + 1
    cell, _, west, _, _, north = grid.transform
    target = Affine(cell, 0.0, west - margin * cell, 0.0, -cell, north + margin * cell)
    size = grid.rows + 2 * margin, grid.columns + 2 * margin
    try:
        source = raster_dataset(path)
        if source.crs_wkt is None:
            problems.add(path.name, "does not say its CRS", "set it in a GIS")
            return np.empty(0, np.object_)
        if source.block_bytes > LARGEST_BLOCK:
            what = f"is packed in blocks of {source.block_bytes:,} bytes, at most {LARGEST_BLOCK:,} can be held"
            problems.add(path.name, what, "save it with tiles of 256 × 256 cells")
            return np.empty(0, np.object_)
        place = crs.wkt(grid.crs) or ""
        band = source.warped([1], place, target, size, Resampling.max)[0]
        # If 0 or less is the no-data value, cells without data are dry.
        nodata = source.nodatavals[0]
        has_dry_nodata = nodata is not None and nodata <= 0.0
        is_apart = not _overlaps(source, CRS.from_wkt(place), target, size)
    except (RasterioError, CRSError, OSError, ValueError) as error:
        problems.add(path.name, f"cannot be read as a raster ({error_text(error)})", "give a GeoTIFF")
        return np.empty(0, np.object_)
    water = np.asarray(np.ma.filled(band > 0, False), np.bool_)
    if is_apart or (bool(np.ma.getmaskarray(band).all()) and not has_dry_nodata):
        problems.add(path.name, "does not cover the grid", "check its CRS and extent")
    return np.asarray(shapely.transform(mask_polygons(water), lambda points: points - margin), np.object_)


def _overlaps(source: RasterDataset, place: CRS, target: Affine, size: tuple[int, int]) -> bool:
    """Return whether an opened raster overlaps the grid; true if its bounds cannot be transformed."""
    west, south, east, north = transform_bounds(source.crs, place, *source.bounds)
    left, top = target @ (0, 0)
    right, bottom = target @ (size[1], size[0])
    if not np.isfinite([west, south, east, north]).all():
        return True
    return bool(west < right and east > left and south < top and north > bottom)


def _from_vector(path: Path, grid: Grid, problems: Problems) -> NDArray[np.object_]:
    """Return the water of all layers of a vector file.

    The hydrography datasets of the United States have lakes, rivers and streams in separate layers.
    """
    found: list[NDArray[np.object_]] = []
    try:
        layers = vector_layers(path)
        count = sum(vector_info(path, layer).features for layer in layers)
        if count > _MOST_FEATURES:
            problems.add(path.name, f"holds {count:,} features", "cut it to the area of the fire")
            return np.empty(0, np.object_)
        for layer in layers:
            box = _bounds(grid, vector_info(path, layer).crs or "")
            read = read_vector(path, layer, columns=[], bbox=box)
            if read.crs is None:
                problems.add(path.name, f"does not say its CRS in its layer {layer}", "set it in a GIS")
            else:
                geometries = geometries_of(path, read.geometries, "raise", problems)
                found += [] if geometries is None else [_placed(geometries, read.crs, grid)]
    except (shapely.errors.ShapelyError, ValueError, OSError) as error:
        said = error_text(error)
        problems.add(path.name, f"cannot be read as a vector layer ({said})", "give a GeoPackage")
        return np.empty(0, np.object_)
    if not layers:
        problems.add(path.name, "holds no layer with geometry", "give a vector file of water")
    return np.concatenate([np.empty(0, np.object_), *found])


def _placed(geometries: NDArray[np.object_], source: str, grid: Grid) -> NDArray[np.object_]:
    """Return areas, lines and points of the CRS ``source`` in the corner coordinates of the grid."""
    assert grid.crs is not None
    kept = geometries[np.isin(shapely.get_type_id(geometries), _WATER_TYPES) & ~shapely.is_empty(geometries)]
    if not crs.same(source, grid.crs):
        kept = shapely.transform(kept, crs.transformer(source, grid.crs).transform, interleaved=False)
    placed = shapely.transform(kept, lambda points: to_corners(points, grid))
    return np.asarray(placed[np.isfinite(shapely.bounds(placed)).all(axis=1)], np.object_)


def _bounds(grid: Grid, source: str) -> tuple[float, float, float, float] | None:
    """Return the bounds of the grid and a margin in the CRS ``source``.

    ``None``, which reads everything, if the bounds cannot be transformed.
    """
    assert grid.crs is not None
    margin = NEAR_M / grid.cell_size_m + 1.0
    west, south = grid.to_world(grid.rows + margin, -1.0 - margin)
    east, north = grid.to_world(-1.0 - margin, grid.columns + margin)
    if crs.parse(source) is None:
        return None
    found = crs.transformer(grid.crs, source).transform_bounds(west, south, east, north)
    # Across the antimeridian the west bound is greater than the east bound: then everything is read.
    return found if np.isfinite(found).all() and found[0] <= found[2] else None


def projected_corners(points: NDArray[np.float64], system: str, grid: Grid) -> NDArray[np.float64]:
    """Return ``points [N, 2]`` of the CRS ``system`` in corner coordinates ``(column, row)`` of the grid."""
    assert grid.crs is not None
    if len(points) and not crs.same(system, grid.crs):
        points = np.column_stack(crs.transformer(system, grid.crs).transform(points[:, 0], points[:, 1]))
    return to_corners(points, grid)


def to_corners(points: NDArray[Any], grid: Grid) -> NDArray[Any]:
    """Return points of the grid's CRS in its corner coordinates ``(column, row)``.

    ``points [N, 2]`` are east and north. Infinite coordinates stay infinite, so that a ring stays closed.
    """
    assert grid.transform is not None
    cell, _, west, _, _, north = grid.transform
    return np.column_stack([(points[:, 0] - west) / cell, (north - points[:, 1]) / cell])

"""Polygons to masks by the cell-centre rule, and masks to polygons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.features import rasterize, shapes

from firegui.domain.regions import Region, Ring
from firegui.io.rasters.geotiff import without_place_warnings

_HALF_CELLS = Affine.scale(2.0)
"""Regions are burned in half cells, exactly. In whole ones rasterio would warn of a raster without a place, and what is
to be said of that is the whole process's, in which another thread may just be changing it."""


def region_masks(regions: Sequence[Region], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """``[R, H, W]``: the cells of each region, in the regions' order.

    Cell ``(i, j)`` belongs to a region when its centre ``(i + ½, j + ½)`` lies inside one of its parts and in none of
    that part's holes; what sticks out of the raster is cut off.
    """
    masks = np.zeros((len(regions), *shape), np.bool_)
    for mask, region in zip(masks, regions, strict=True):
        mask[:] = polygon_mask([_geometry(part) for part in region.parts], _HALF_CELLS, shape)
    return masks


def region_cells(region: Region, shape: tuple[int, int]) -> int:
    """Return the number of cells inside a region; computed once per outline and shape."""
    return _cells_inside(region.parts, shape)


@lru_cache(maxsize=1024)
def _cells_inside(parts: tuple[tuple[Ring, ...], ...], shape: tuple[int, int]) -> int:
    return int(region_masks((Region("", parts),), shape).sum())


def polygon_mask(polygons: Iterable[Any], transform: Affine, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """``[H, W]``: cells whose centre lies in any of the polygons (GeoJSON-like mappings or shapely geometries).

    ``transform`` takes (column, row) corners to the polygons' coordinates.
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

    A closed ring holds ``(column, row)`` corners where it turns. Cells that touch at a corner only are apart.
    """
    cells = np.ascontiguousarray(mask, np.bool_)
    found = shapes(cells.view(np.uint8), mask=cells, connectivity=4, transform=_HALF_CELLS)
    return [[[(x / 2.0, y / 2.0) for x, y in ring] for ring in shape["coordinates"]] for shape, _ in found]


def _geometry(part: tuple[Ring, ...]) -> dict[str, Any]:
    rings = [[(2.0 * column, 2.0 * row) for row, column in (*ring, ring[0])] for ring in part]
    return {"type": "Polygon", "coordinates": rings}

"""Where a raster lies, and how two rasters lie to each other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from rasterio import Affine
from rasterio.crs import CRS
from rasterio.errors import CRSError

from firegui.domain.grid import Grid
from firegui.io import crs
from firegui.io.importers.georeferencing import Six

CLOSE = 0.01
"""Two grids are one where no corner is further apart than this many cells: files round their coordinates."""


@dataclass(frozen=True, slots=True)
class RasterGeometry:
    """Where a file says that its raster lies; ``crs`` is any text that PROJ understands."""

    shape: tuple[int, int]
    transform: Six | None
    crs: str | None

    @property
    def affine(self) -> Affine:
        """From column and row to coordinates; from column and row to themselves where there is no transform."""
        return Affine.identity() if self.transform is None else Affine(*self.transform)

    @property
    def is_north_up(self) -> bool:
        """Whether rows run southward and columns eastward, in square cells."""
        if self.transform is None:
            return False
        a, b, _, d, e, _ = self.transform
        return b == 0.0 and d == 0.0 and a > 0.0 and abs(a + e) <= 1e-6 * a

    @property
    def lattice(self) -> tuple[float, float, float] | None:
        """Side of the cells, west and north of the square lattice that the raster's cells lie on, mirrored or not.

        ``None`` for a raster that is turned, whose cells are not square, or that has no transform.
        """
        if self.transform is None:
            return None
        a, b, _, d, e, _ = self.transform
        if b != 0.0 or d != 0.0 or abs(abs(a) - abs(e)) > 1e-6 * abs(a):
            return None
        west, _, _, north = self.bounds()
        return abs(a), west, north

    @property
    def oddity(self) -> str | None:
        """What keeps a raster from being north up and square, in words; ``None`` where nothing does."""
        if self.transform is None or self.is_north_up:
            return None
        a, b, _, d, e, _ = self.transform
        if b != 0.0 or d != 0.0:
            return f"is turned by {np.degrees(np.arctan2(d, a)):.0f}°"
        if e > 0.0:
            return "is upside down, its first row in the south"
        return "is mirrored, its first column in the east" if a < 0.0 else f"has cells of {a:g} by {-e:g}, not square"

    def bounds(self) -> tuple[float, float, float, float]:
        """West, south, east, north in the coordinates of its CRS, of a turned raster those of the box around it."""
        rows, columns = self.shape
        corners = [self.affine @ corner for corner in ((0, 0), (columns, 0), (0, rows), (columns, rows))]
        x, y = [float(corner[0]) for corner in corners], [float(corner[1]) for corner in corners]
        return min(x), min(y), max(x), max(y)


def differences_of(one: RasterGeometry, other: RasterGeometry) -> list[str]:
    """How the raster ``one`` lies otherwise than ``other``, in words; empty where they are on one grid."""
    found = []
    if one.shape != other.shape:
        found.append(f"{_size(one)} cells, not {_size(other)}")
    if (one.crs is None) != (other.crs is None) or (one.crs and other.crs and not crs.same(one.crs, other.crs)):
        # Coordinates of two CRSs cannot be compared.
        return [*found, f"CRS {crs_name(one.crs)}, not {crs_name(other.crs)}"]
    if one.transform is None or other.transform is None:
        return found if one.transform == other.transform else [*found, "one of the two has no transform"]
    width, height = one.transform[0], one.transform[4]
    if not np.allclose((width, height), (other.transform[0], other.transform[4]), rtol=CLOSE / max(one.shape), atol=0):
        found.append(f"cells of {width:g} by {-height:g}, not {other.transform[0]:g} by {-other.transform[4]:g}")
    east, south = one.transform[2] - other.transform[2], other.transform[5] - one.transform[5]
    if max(abs(east), abs(south)) > CLOSE * abs(other.transform[0]):
        found.append(f"its corner lies {_shift(east, 'east', 'west')} and {_shift(south, 'south', 'north')}")
    if one.transform[1::2][:2] != other.transform[1::2][:2]:
        found.append("it is turned")
    return found


def offset_on(lie: RasterGeometry, grid: Grid) -> tuple[int, int] | None:
    """Row and column of ``lie``'s first cell on ``grid`` where the two share the edges of their cells, else ``None``.

    Edges are shared where none is further apart than :data:`CLOSE` cells.
    """
    if lie.transform is None or grid.transform is None or lie.crs is None or grid.crs is None:
        return (0, 0) if lie.transform == grid.transform and lie.shape == grid.shape else None
    if not lie.is_north_up or not crs.same(lie.crs, grid.crs):
        return None
    size = grid.transform[0]
    longest = max(*lie.shape, *grid.shape)
    if abs(lie.transform[0] - size) > CLOSE / longest * size:
        return None
    column, row = (lie.transform[2] - grid.transform[2]) / size, (grid.transform[5] - lie.transform[5]) / size
    if max(abs(column - round(column)), abs(row - round(row))) > CLOSE:
        return None
    return round(row), round(column)


@lru_cache(maxsize=64)
def crs_text(wkt: str) -> str:
    """The shortest text for the same CRS: its EPSG code, else a PROJ string, else the WKT itself."""
    parsed = crs.parse(wkt)
    code = None if parsed is None else parsed.to_epsg()
    candidates = ([] if code is None else [f"EPSG:{code}"]) + [_proj_string(wkt)]
    return next((text for text in candidates if text and crs.same(text, wkt)), wkt)


def crs_name(text: str | None) -> str:
    """What people call a CRS; ``not given`` where there is none."""
    parsed = None if text is None else crs.parse(text)
    if parsed is None:
        return "not given"
    known = parsed.name not in ("unknown", "unnamed")
    return parsed.name if known else str(text)


def _proj_string(wkt: str) -> str:
    try:
        return str(CRS.from_wkt(wkt).to_proj4()).replace("=True", "")
    except CRSError:
        return ""


def _size(lie: RasterGeometry) -> str:
    return f"{lie.shape[0]} × {lie.shape[1]}"


def _shift(distance: float, positive: str, negative: str) -> str:
    return f"{abs(distance):g} {positive if distance >= 0 else negative}"

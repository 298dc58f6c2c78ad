"""Where rasters lie, and a raster brought onto a grid.

Cut where the two share their cells, else interpolated. Slope and aspect are computed from elevation by Horn's method.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from rasterio import Affine, Env
from rasterio.crs import CRS
from rasterio.enums import Resampling
from rasterio.errors import CRSError, RasterioError
from rasterio.warp import reproject

from firegui.domain.grid import Grid
from firegui.errors import Check, InputError, Problem
from firegui.io import crs
from firegui.io.georeference import Six
from firegui.io.rasters.geotiff import without_place_warnings

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
        """Side, west and north of the square lattice that the raster's cells lie on, mirrored or not.

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
        """West, south, east, north in the coordinates of its CRS.

        Of a turned raster they are those of the box around it.
        """
        rows, columns = self.shape
        corners = [self.affine @ corner for corner in ((0, 0), (columns, 0), (0, rows), (columns, rows))]
        x, y = [float(corner[0]) for corner in corners], [float(corner[1]) for corner in corners]
        return min(x), min(y), max(x), max(y)


def differences_of(one: RasterGeometry, other: RasterGeometry) -> list[str]:
    """Return how the raster ``one`` lies otherwise than ``other``, in words.

    Empty where they are on one grid.
    """
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


def offset_on(geometry: RasterGeometry, grid: Grid) -> tuple[int, int] | None:
    """Return row and column of ``geometry``'s first cell on ``grid``.

    ``None`` unless the two share the edges of their cells. Edges are shared where none is further apart than
    :data:`CLOSE` cells.
    """
    if geometry.transform is None or grid.transform is None or geometry.crs is None or grid.crs is None:
        return (0, 0) if geometry.transform == grid.transform and geometry.shape == grid.shape else None
    if not geometry.is_north_up or not crs.same(geometry.crs, grid.crs):
        return None
    size = grid.transform[0]
    longest = max(*geometry.shape, *grid.shape)
    if abs(geometry.transform[0] - size) > CLOSE / longest * size:
        return None
    column, row = (geometry.transform[2] - grid.transform[2]) / size, (grid.transform[5] - geometry.transform[5]) / size
    if max(abs(column - round(column)), abs(row - round(row))) > CLOSE:
        return None
    return round(row), round(column)


@lru_cache(maxsize=64)
def crs_text(wkt: str) -> str:
    """Return the shortest text for the same CRS: its EPSG code, else a PROJ string, else the WKT itself."""
    parsed = crs.parse(wkt)
    code = None if parsed is None else parsed.to_epsg()
    candidates = ([] if code is None else [f"EPSG:{code}"]) + [_proj_string(wkt)]
    return next((text for text in candidates if text and crs.same(text, wkt)), wkt)


def crs_name(text: str | None) -> str:
    """Return what people call a CRS; ``not given`` where there is none."""
    parsed = None if text is None else crs.parse(text)
    if parsed is None:
        return "not given"
    known = parsed.name not in ("unknown", "unnamed")
    return parsed.name if known else str(text)


def _proj_string(wkt: str) -> str:
    try:
        # Outside of an environment GDAL prints what has no such string.
        with Env():
            return str(CRS.from_wkt(wkt).to_proj4()).replace("=True", "")
    except CRSError:
        return ""


def _size(geometry: RasterGeometry) -> str:
    return f"{geometry.shape[0]} × {geometry.shape[1]}"


def _shift(distance: float, positive: str, negative: str) -> str:
    return f"{abs(distance):g} {positive if distance >= 0 else negative}"


FLAT_DEG = 0.05
"""Below this slope a cell has no direction that means anything."""

Floats = NDArray[np.float64]


def horn(elevation: NDArray[np.float32], cell_size_m: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return slope and aspect in degrees, each ``[H, W]`` float32.

    Aspect counts clockwise from the grid's north.

    With ``z`` of the eight neighbours, the opposite ones weighted 2 (Horn 1981, Proceedings of the IEEE 69(1), 14–47)::

        ∂z/∂x = ((z_NE + 2 z_E + z_SE) − (z_NW + 2 z_W + z_SW)) / (8 Δx)
        ∂z/∂y = ((z_NW + 2 z_N + z_NE) − (z_SW + 2 z_S + z_SE)) / (8 Δx)
        slope = atan √((∂z/∂x)² + (∂z/∂y)²),  aspect = the direction of −(∂z/∂x, ∂z/∂y)

    The aspect is the way the ground faces, −1 where the slope is under :data:`FLAT_DEG`. ``elevation [H, W]`` in m has
    row 0 in the north; where a neighbour is beyond the raster or without data, the line from the opposite one through
    the cell goes on, else the plane through the cell and its direct neighbours. Cells without data have neither slope
    nor aspect.
    """
    z = np.pad(elevation.astype(np.float64), 1, constant_values=np.nan)
    rows, columns = elevation.shape

    def at(south: int, east: int) -> Floats:
        return z[1 + south : 1 + south + rows, 1 + east : 1 + east + columns]

    centre = at(0, 0)

    def height(south: int, east: int, instead: Floats) -> Floats:
        found = np.where(np.isnan(at(south, east)), 2.0 * centre - at(-south, -east), at(south, east))
        return np.where(np.isnan(found), instead, found)

    n, s, w, e = (height(*side, centre) for side in ((-1, 0), (1, 0), (0, -1), (0, 1)))
    nw, ne = height(-1, -1, n + w - centre), height(-1, 1, n + e - centre)
    sw, se = height(1, -1, s + w - centre), height(1, 1, s + e - centre)
    eastward = ((ne + 2.0 * e + se) - (nw + 2.0 * w + sw)) / (8.0 * cell_size_m)
    northward = ((nw + 2.0 * n + ne) - (sw + 2.0 * s + se)) / (8.0 * cell_size_m)
    slope = np.rad2deg(np.arctan(np.hypot(eastward, northward)))
    # Its own height is no part of the differences.
    slope[np.isnan(centre)] = np.nan
    aspect = np.rad2deg(np.arctan2(-eastward, -northward)) % 360.0
    aspect = np.where(slope < FLAT_DEG, -1.0, aspect)
    aspect[np.isnan(slope)] = np.nan
    return slope.astype(np.float32), _below_360(aspect.astype(np.float32))


def turned(aspect: NDArray[np.float32], degrees: float) -> NDArray[np.float32]:
    """Return the aspect in a raster whose north lies ``degrees`` counter-clockwise of its own."""
    found = np.where(aspect < 0.0, aspect, (aspect.astype(np.float64) + degrees) % 360.0)
    return _below_360(found.astype(np.float32))


def _below_360(aspect: NDArray[np.float32]) -> NDArray[np.float32]:
    # Rounded to float32, what is just under 360 becomes 360.
    aspect[aspect >= 360.0] = 0.0
    return aspect


Raster = NDArray[np.float32]
Box = tuple[int, int, int, int]
"""First row, row behind the last, first column, column behind the last."""

_STRIP_CELLS, _PAUSE_SECONDS = 500_000, 0.001
_MARGIN = 3
_NO_DIRECTION = 1e-3
"""Mean of unit vectors under which directions cancel each other out."""


def needed_box(geometry: RasterGeometry, grid: Grid) -> Box | None:
    """Return the part of a raster that ``grid`` needs, ``None`` where it lies apart from the grid."""
    rows, columns = geometry.shape
    offset = offset_on(geometry, grid)
    if offset is not None:
        row, column = offset
        box = (max(0, -row), min(rows, grid.rows - row), max(0, -column), min(columns, grid.columns - column))
        return box if box[0] < box[1] and box[2] < box[3] else None
    seen = _positions(geometry, grid)
    if seen is None:
        return None
    down, across = seen
    # Coarse cells of the grid take in more of the raster than the points in their middle.
    reach = _MARGIN + math.ceil(max(np.ptp(down) / grid.rows, np.ptp(across) / grid.columns))
    top, bottom = max(0, math.floor(down.min()) - reach), min(rows, math.ceil(down.max()) + reach)
    left, right = max(0, math.floor(across.min()) - reach), min(columns, math.ceil(across.max()) + reach)
    return (top, bottom, left, right) if top < bottom and left < right else None


def how_placed(key: str, geometry: RasterGeometry, grid: Grid) -> str:
    """Describe how :func:`place_on` brings the layer ``key`` onto ``grid``, in words."""
    offset = offset_on(geometry, grid)
    if offset is not None:
        return "as it is" if offset == (0, 0) and geometry.shape == grid.shape else "cut"
    if key == "fuel":
        return "nearest"
    return "bilinear, as a direction" if key == "aspect" else "bilinear"


def place_on(
    key: str, values: Raster, geometry: RasterGeometry, box: Box, grid: Grid, check: Check | None = None
) -> Raster:
    """Return the layer ``key`` on ``grid``, ``[H, W]`` float32.

    NaN stands beyond the raster and where it has no data. ``values`` are the cells ``box`` of a raster that lies at
    ``geometry``. Cells are copied bit for bit where the two share their edges. Otherwise categories are those of the
    nearest cell and numbers bilinear, weighted over the whole cell where the grid is coarser; an aspect is interpolated
    as a direction and turned by the angle between the two norths. A cell is without data where the nearest cell of the
    raster is.
    """
    offset = offset_on(geometry, grid)
    if offset is not None:
        return _cut(values, (offset[0] + box[0], offset[1] + box[2]), grid)
    part = RasterGeometry(values.shape, _shifted(geometry, box), geometry.crs)
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
    return turned(np.where(unclear, nearest, mean), north_angle(geometry, grid))


def north_angle(geometry: RasterGeometry, grid: Grid) -> float:
    """Return the clockwise angle from the grid's north to that of ``geometry``'s CRS, in degrees.

    It is that in the middle of the grid.
    """
    if geometry.crs is None or grid.crs is None or crs.same(geometry.crs, grid.crs):
        return 0.0
    to, back = crs.transformer(grid.crs, geometry.crs), crs.transformer(geometry.crs, grid.crs)
    x, y = grid.to_world((grid.rows - 1) / 2.0, (grid.columns - 1) / 2.0)
    there_x, there_y = to.transform(x, y)
    parsed = crs.parse(geometry.crs)
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


def _warp(values: Raster, geometry: RasterGeometry, grid: Grid, how: Resampling, check: Check | None) -> Raster:
    assert grid.transform is not None and grid.crs is not None and geometry.crs is not None
    source_crs, target_crs = _gdal_crs(geometry.crs), _gdal_crs(grid.crs)
    result = np.full(grid.shape, np.nan, np.float32)
    strip = max(1, _STRIP_CELLS // grid.columns)
    affine = Affine(*grid.transform)
    for row in range(0, grid.rows, strip):
        if check is not None:
            check()
        # Who takes a lock again at once keeps it from a thread that waits for it, such as the window's.
        time.sleep(_PAUSE_SECONDS)
        target = result[row : row + strip]
        try:
            with without_place_warnings():
                reproject(
                    np.ascontiguousarray(values), target, src_transform=geometry.affine, src_crs=source_crs,
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


def _shifted(geometry: RasterGeometry, box: Box) -> tuple[float, float, float, float, float, float]:
    a, b, c, d, e, f = (geometry.affine @ Affine.translation(box[2], box[0]))[:6]
    return a, b, c, d, e, f


def _positions(geometry: RasterGeometry, grid: Grid) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return rows and columns of ``geometry`` under a lattice of points on the whole of ``grid``.

    Edges of cells are at integers.
    """
    if geometry.transform is None or geometry.crs is None or grid.crs is None:
        return None
    steps = np.linspace(0.0, 1.0, 33)
    rows, columns = np.meshgrid(steps * grid.rows - 0.5, steps * grid.columns - 0.5)
    x, y = grid.to_world(rows.ravel(), columns.ravel())  # type: ignore[arg-type]
    there_x, there_y = crs.transformer(grid.crs, geometry.crs).transform(x, y)
    column, row = ~geometry.affine @ (np.asarray(there_x), np.asarray(there_y))
    known = np.isfinite(row) & np.isfinite(column)
    return (row[known], column[known]) if known.any() else None

"""Where a raster position is on the Earth, how people write it, and what a compass shows there.

The magnetic declination follows from the World Magnetic Model, offline (pygeomag). The models of NOAA and the British
Geological Survey are valid for five years each; those of 2010 to 2030 ship with pygeomag. Their stated error is about
0.4° in mid-latitudes, far above what the rounding below costs.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from pyproj import Geod, Transformer

from firegui.domain.drops import grid_heading, half_turn
from firegui.domain.grid import Grid
from firegui.io.crs import parse, transformer

if TYPE_CHECKING:
    from pygeomag import GeoMag

WGS84 = "EPSG:4326"

Six = tuple[float, float, float, float, float, float]
"""The coefficients of an affine transform."""

_BANDS = "CDEFGHJKLMNPQRSTUVWX"

Floats = NDArray[np.float64]


class Georeference:
    """Conversions for one grid. Positions are ``(y, x)`` in cells, cell centres at integers.

    On a grid without a place, or whose CRS PROJ does not know, what needs a place is ``None``.
    """

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._to_lonlat: Transformer | None = None
        self._from_lonlat: Transformer | None = None
        self._geod = Geod(ellps="WGS84")
        if grid.is_georeferenced and grid.crs is not None and parse(grid.crs) is not None:
            self._to_lonlat = transformer(grid.crs, WGS84)
            self._from_lonlat = transformer(WGS84, grid.crs)

    @property
    def has_place(self) -> bool:
        """Whether positions have a longitude and latitude."""
        return self._to_lonlat is not None

    @property
    def ground_cell_m(self) -> float:
        """Side of a cell on the ground at the grid's centre in metres.

        The cell size without the projection's scale.
        """
        y, x = (self._grid.rows - 1) / 2.0, (self._grid.columns - 1) / 2.0
        corners = [self.lonlat(y + dy, x + dx) for dy, dx in ((-0.5, 0.0), (0.5, 0.0), (0.0, -0.5), (0.0, 0.5))]
        top, bottom, left, right = corners
        if top is None or bottom is None or left is None or right is None:
            return self._grid.cell_size_m
        return float(self._geod.inv(*top, *bottom)[2] + self._geod.inv(*left, *right)[2]) / 2.0

    def lonlat(self, y: float, x: float) -> tuple[float, float] | None:
        """Return WGS 84 longitude and latitude in degrees."""
        if self._to_lonlat is None:
            return None
        lon, lat = self._to_lonlat.transform(*self._grid.to_world(y, x))
        return (float(lon), float(lat)) if math.isfinite(lon) and math.isfinite(lat) else None

    def lonlat_many(self, ys: Floats, xs: Floats) -> tuple[Floats, Floats] | None:
        """Return :meth:`lonlat` of many positions at once."""
        if self._to_lonlat is None or self._grid.transform is None:
            return None
        a, b, c, d, e, f = self._grid.transform
        rows, columns = np.asarray(ys, np.float64) + 0.5, np.asarray(xs, np.float64) + 0.5
        # Drops of a damaged file may lie beyond all numbers. They are refused, and no place is infinite.
        with np.errstate(over="ignore", invalid="ignore"):
            easts, norths = a * columns + b * rows + c, d * columns + e * rows + f
        lon, lat = self._to_lonlat.transform(easts, norths)
        return np.asarray(lon, np.float64), np.asarray(lat, np.float64)

    def from_lonlat(self, lon: float, lat: float) -> tuple[float, float] | None:
        """Return the raster position ``(y, x)`` of a longitude and latitude; may lie outside the raster.

        ``None`` where the reference system or its numbers, however large, do not reach.
        """
        if self._from_lonlat is None:
            return None
        east, north = self._from_lonlat.transform(lon, lat)
        y, x = self._grid.from_world(float(east), float(north))
        return (y, x) if math.isfinite(y) and math.isfinite(x) else None

    def utm(self, y: float, x: float) -> tuple[str, float, float] | None:
        """Return UTM zone with its latitude band (``"10T"``), easting and northing in metres.

        ``None`` near the poles.
        """
        place = self.lonlat(y, x)
        return None if place is None else utm_of(*place)

    def run_heading_true(self, y: float, x: float, theta: float) -> float:
        """Return the true heading of a footprint's long axis in degrees, in [0, 180).

        A run may be flown either way. The axis runs along ``(cos θ, −sin θ)`` in ``(dx, dy)``, so its grid azimuth is
        ``90° − θ``. Where the grid has a place the azimuth is taken on the ellipsoid along that axis, which includes
        the meridian convergence.
        """
        dy, dx = -0.5 * math.sin(theta), 0.5 * math.cos(theta)
        tail, head = self.lonlat(y - dy, x - dx), self.lonlat(y + dy, x + dx)
        if tail is None or head is None:
            return grid_heading(theta)
        azimuth, _, _ = self._geod.inv(*tail, *head)
        return half_turn(float(azimuth))


def utm_of(lon: float, lat: float) -> tuple[str, float, float] | None:
    """Return UTM zone with its latitude band, easting and northing of a place; ``None`` near the poles."""
    if not -80.0 <= lat <= 84.0:
        return None
    zone = int((lon + 180.0) // 6.0) % 60 + 1
    band = _BANDS[min(int((lat + 80.0) // 8.0), len(_BANDS) - 1)]
    east, north = transformer(WGS84, f"EPSG:{32600 + zone if lat >= 0 else 32700 + zone}").transform(lon, lat)
    return f"{zone}{band}", float(east), float(north)


def format_ddm(lon: float, lat: float) -> str:
    """Return degrees and decimal minutes as air operations write them: ``40°12.345′ N 121°30.123′ W``."""
    return f"{_ddm(lat, 2)} {'N' if lat >= 0 else 'S'} {_ddm(lon, 3)} {'E' if lon >= 0 else 'W'}"


def _ddm(value: float, digits: int) -> str:
    # Rounded first, so that 59.9996′ becomes the next degree and never 60.000′.
    thousandths = round(abs(value) * 60_000)
    degrees, minutes = divmod(thousandths, 60_000)
    return f"{degrees:0{digits}d}°{minutes / 1000:06.3f}′"


FIRST_MODEL_YEAR, END_MODEL_YEAR = 2010, 2030
# The field is computed once per box of this size: the declination changes by some 0.2° per degree of place, ten times
# that where the field is weakest, 0.1° a year and 0.003° per kilometre of height. A box costs less than 0.03°.
_BOX_DEGREES, _BOX_YEARS, _BOX_KM = 0.02, 0.01, 0.5


class Compass:
    """Declinations of one planning area; remembers what it has worked out."""

    def __init__(self) -> None:
        self._models: dict[int, GeoMag] = {}
        self._known: dict[tuple[int, int, int, int], float | None] = {}

    def declination(self, lon: float, lat: float, when: datetime, altitude_m: float = 0.0) -> float | None:
        """Return degrees from true to magnetic north, east positive, at a place in WGS 84 and an aware time.

        ``altitude_m`` is above sea level. ``None`` outside 2010 to 2030, which no model covers, and around the
        magnetic poles, where the horizontal field is below 2,000 nT and a compass shows nothing of use.
        """
        year = decimal_year(when)
        if not FIRST_MODEL_YEAR <= year < END_MODEL_YEAR:
            return None
        key = (
            round(lon / _BOX_DEGREES), round(lat / _BOX_DEGREES), round(year / _BOX_YEARS),
            round(altitude_m / 1000.0 / _BOX_KM),
        )  # fmt: skip
        if key not in self._known:
            self._known[key] = self._worked_out(key, int(year))
        return self._known[key]

    def _worked_out(self, key: tuple[int, int, int, int], year: int) -> float | None:
        epoch = year - year % 5
        if epoch not in self._models:
            # Places are needed by every command, the compass by few.
            self._models[epoch] = import_module("pygeomag").GeoMag(base_year=epoch)
        model = self._models[epoch]
        field = model.calculate(
            glat=max(-90.0, min(90.0, key[1] * _BOX_DEGREES)),
            glon=key[0] * _BOX_DEGREES,
            alt=key[3] * _BOX_KM,
            time=min(key[2] * _BOX_YEARS, epoch + 5.0),
        )
        return None if field.in_blackout_zone else float(field.d)


def decimal_year(when: datetime) -> float:
    """Return an aware time as a year with its fraction, in UTC."""
    when = when.astimezone(UTC)
    begin, end = datetime(when.year, 1, 1, tzinfo=UTC), datetime(when.year + 1, 1, 1, tzinfo=UTC)
    return when.year + (when - begin) / (end - begin)

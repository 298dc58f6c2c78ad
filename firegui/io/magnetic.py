"""What a compass shows: the magnetic declination by the World Magnetic Model, offline (pygeomag).

The models of NOAA and the British Geological Survey are valid for five years each; those of 2010 to 2030 ship with
pygeomag. Their stated error is about 0.4° in mid-latitudes, far above what the rounding below costs.
"""

from __future__ import annotations

from datetime import UTC, datetime

from pygeomag import GeoMag

FIRST_YEAR, END_YEAR = 2010, 2030
# The field is asked for once per box of this size: the declination changes by some 0.2° per degree of place, ten times
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
        if not FIRST_YEAR <= year < END_YEAR:
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
        model = self._models.setdefault(epoch, GeoMag(base_year=epoch))
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

"""Units of measurement for people: metric, or US field units.

Files that programs read, and all values inside the program, keep SI units and US gallons. Metric volumes are cubic
metres, or litres for what one aircraft carries. Coverage levels are in US gallons per 100 square feet in both systems,
because they are rated so, and the forms of US agencies keep gallons, feet and knots.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

FOOT_M, MILE_M, ACRE_HA = 0.3048, 1609.344, 0.40468564224
"""International foot and mile, acre of 43,560 square feet (NIST SP 811, appendix B.8)."""
GALLON_L = 3.785411784
"""US liquid gallon of 231 cubic inches (NIST SP 811, appendix B.8)."""
CHAIN_M = 66.0 * FOOT_M
BTU_FT_S_KW_M = 1.05505585262 / FOOT_M
"""Kilowatts a metre in a Btu a foot and second (NIST SP 811, appendix B.8: international table Btu)."""
KNOT_MS = 1852.0 / 3600.0
MPH_MS = MILE_M / 3600.0
_SMALL = 99.95
"""Areas and metric volumes below this have a decimal."""
UNKNOWN = "–"
"""Text of an amount that is not known."""


_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_HECTARES = re.compile(rf"\b(?:({_NUMBER}) ± )?({_NUMBER}) ha\b")
"""An area in hectares, perhaps with the mean that its spread belongs to."""


def percent_text(share: float, digits: int | None = None) -> str:
    """Return a share in percent: ``59 %``, ``0.4 %``, or with ``digits`` decimals.

    Without them it has one where whole numbers hide the difference from 0 or 100.
    """
    percent = 100.0 * share
    # 99.6 % is not all of it, and 0.4 % is not nothing.
    is_near_end = abs(percent) < 10.0 or 90.0 < percent < 100.0
    return f"{percent:,.{is_near_end if digits is None else digits:d}f} %"


def amount_text(value: float | None, digits: int | None = None) -> str:
    """Return an area or a volume that is already in its unit: ``5.5``, ``1,204``; a dash for none.

    ``digits`` are its decimals. Without them one is shown below a hundred.
    """
    if value is None or math.isnan(value):
        return UNKNOWN
    shown = digits if digits is not None else 1 if abs(value) < _SMALL else 0
    # No fire is smaller than nothing: rounding must not leave a minus before a zero.
    return f"{round(value, shown) + 0.0:,.{shown}f}"


def three_digits_text(value: float) -> str:
    """Return a measured value with three significant digits: ``1.50``, ``12.3``, ``14,900``."""
    if not value or not math.isfinite(value):
        return f"{value:,.0f}"
    # A value such as 9.996 has one place more when it is rounded.
    rounded = float(f"{value:.3g}")
    decimals = 2 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{max(decimals, 0)}f}"


def sampled_percent_text(share: float, error: float | None) -> str:
    """Return a share found by sampling, with its standard error where that is known: ``62.5 % ± 1.2 %``."""
    return percent_text(share, 1) + ("" if error is None else f" ± {percent_text(error, 1)}")


class Units(StrEnum):
    """System of units of the window, reports and printed pages.

    US field units are acres, feet, miles, mph for wind and knots for aircraft: fire weather forecasts and weather
    stations in the US give the wind in mph, and aircraft fly by knots.
    """

    METRIC = "metric"
    US = "us"

    @property
    def area_unit(self) -> str:
        """Unit of areas."""
        return _SCALES[self].area_unit

    @property
    def area_days_unit(self) -> str:
        """Unit of areas summed over days."""
        return f"{self.area_unit.removesuffix('s')}-days"

    @property
    def wind_unit(self) -> str:
        """Unit of wind speeds."""
        return _SCALES[self].wind_unit

    @property
    def length_unit(self) -> str:
        """Unit of short lengths."""
        return _SCALES[self].short_unit

    def area_value(self, hectares: float) -> float:
        """Return an area in the unit of areas."""
        return hectares / _SCALES[self].area_ha

    def area(self, hectares: float, digits: int | None = None) -> str:
        """Return an area with its unit: ``5.5 ha``, ``1,204 ha``, or with ``digits`` decimals."""
        return f"{self.area_number(hectares, digits)} {self.area_unit}"

    def measured_area(self, hectares: float) -> str:
        """Return an area that was measured on a map, with its unit and three significant digits."""
        return f"{three_digits_text(self.area_value(hectares))} {self.area_unit}"

    def area_number(self, hectares: float, digits: int | None = None) -> str:
        """Return the number of :meth:`area`, for a column whose head has the unit."""
        return amount_text(self.area_value(hectares), digits)

    def large_area(self, hectares: float) -> str:
        """Return an area in square kilometres or square miles."""
        if self is Units.US:
            return f"{hectares * 10_000.0 / MILE_M**2:,.0f} sq mi"
        return f"{hectares / 100.0:,.0f} km²"

    def restate(self, text: str) -> str:
        """Return a stored sentence with its hectares in the unit of areas.

        Messages of runs are stored in hectares, whatever the units on screen.
        """
        if self is Units.METRIC:
            return text
        return _HECTARES.sub(self._restated, text)

    def _restated(self, found: re.Match[str]) -> str:
        mean, spread, digits = (found[1], found[2], len(found[2].partition(".")[2]))
        numbers = (float(each.replace(",", "")) for each in filter(None, (mean, spread)))
        return f"{' ± '.join(self.area_number(number, digits) for number in numbers)} {self.area_unit}"

    def length_value(self, metres: float) -> float:
        """Return a short length in metres or feet."""
        return metres / _SCALES[self].short_m

    def length(self, metres: float) -> str:
        """Return metres below a kilometre, else kilometres; feet below half a mile, else miles.

        Kilometres and miles have three significant digits.
        """
        scale = _SCALES[self]
        if metres < scale.far_m:
            return f"{metres / scale.short_m:,.0f} {scale.short_unit}"
        return f"{three_digits_text(metres / scale.long_m)} {scale.long_unit}"

    @property
    def volume_unit(self) -> str:
        """Unit of volumes of several drops."""
        return "gal" if self is Units.US else "m³"

    def volume_value(self, gallons: float) -> float:
        """Return the volume of several drops in cubic metres or gallons."""
        return gallons if self is Units.US else gallons * GALLON_L / 1000.0

    def volume_number(self, gallons: float) -> str:
        """Return the number of :meth:`volume`, for a column whose head has the unit."""
        return amount_text(self.volume_value(gallons), None if gallons and self is not Units.US else 0)

    def volume(self, gallons: float) -> str:
        """Return the volume of several drops with its unit: ``2,145 m³`` or ``566,662 gal``."""
        return f"{self.volume_number(gallons)} {self.volume_unit}"

    @property
    def load_unit(self) -> str:
        """Unit of what one aircraft carries."""
        return "gal" if self is Units.US else "L"

    def load_value(self, gallons: float) -> float:
        """Return what one aircraft carries in litres or gallons."""
        return gallons if self is Units.US else gallons * GALLON_L

    def load(self, gallons: float) -> str:
        """Return what one aircraft carries with its unit: ``4,542 L`` or ``1,200 gal``."""
        return f"{self.load_value(gallons):,.0f} {self.load_unit}"

    @property
    def aircraft_speed_unit(self) -> str:
        """Unit of the speed of aircraft."""
        return "kn" if self is Units.US else "m/s"

    def aircraft_speed_value(self, metres_per_second: float) -> float:
        """Return the speed of an aircraft in metres per second or knots."""
        return metres_per_second / KNOT_MS if self is Units.US else metres_per_second

    def wind(self, metres_per_second: float) -> str:
        """Return a wind speed with its unit."""
        scale = _SCALES[self]
        return f"{self.wind_value(metres_per_second):.{scale.wind_digits}f} {scale.wind_unit}"

    @property
    def spread_rate_unit(self) -> str:
        """Unit of rates of spread: chains an hour is that of US fire behavior tables."""
        return "ch/h" if self is Units.US else "m/min"

    def spread_rate_value(self, metres_per_minute: float) -> float:
        """Return a rate of spread in metres a minute or chains an hour."""
        return metres_per_minute * 60.0 / CHAIN_M if self is Units.US else metres_per_minute

    def spread_rate(self, metres_per_minute: float) -> str:
        """Return a rate of spread with its unit."""
        digits = 2 if self is not Units.US and metres_per_minute < 10.0 else 1
        return f"{self.spread_rate_value(metres_per_minute):,.{digits}f} {self.spread_rate_unit}"

    @property
    def intensity_unit(self) -> str:
        """Unit of fireline intensities."""
        return "Btu/(ft·s)" if self is Units.US else "kW/m"

    def intensity_value(self, kilowatts_per_metre: float) -> float:
        """Return a fireline intensity in kW/m or Btu/(ft·s)."""
        return kilowatts_per_metre / BTU_FT_S_KW_M if self is Units.US else kilowatts_per_metre

    def fireline_intensity(self, kilowatts_per_metre: float) -> str:
        """Return a fireline intensity with its unit."""
        return f"{self.intensity_value(kilowatts_per_metre):,.0f} {self.intensity_unit}"

    def flame_length(self, metres: float) -> str:
        """Return a flame length in metres or feet."""
        return f"{self.length_value(metres):,.1f} {self.length_unit}"

    def wind_value(self, metres_per_second: float) -> float:
        """Return a wind speed in the unit of wind speeds."""
        return metres_per_second / _SCALES[self].wind_ms


@dataclass(frozen=True, slots=True)
class _Scale:
    area_unit: str
    area_ha: float
    short_unit: str
    short_m: float
    long_unit: str
    long_m: float
    far_m: float
    wind_unit: str
    wind_ms: float
    wind_digits: int


_SCALES: Mapping[Units, _Scale] = {
    Units.METRIC: _Scale("ha", 1.0, "m", 1.0, "km", 1000.0, 1000.0, "m/s", 1.0, 1),
    Units.US: _Scale("acres", ACRE_HA, "ft", FOOT_M, "mi", MILE_M, MILE_M / 2.0, "mph", MPH_MS, 0),
}

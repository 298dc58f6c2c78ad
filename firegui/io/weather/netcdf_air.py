"""Temperature and humidity of the air from NetCDF, beside the wind.

ERA5 and its kin have the temperature and the dew point at 2 m instead of a relative humidity.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from firegui.domain.weather import AIR_C, HUMIDITY
from firegui.io.weather.air_names import AirColumn, AirPart, celsius, parse_air, relative_humidity
from firegui.io.weather.locations import Floats, Window
from firegui.io.weather.netcdf_file import NetcdfVariable

Reading = Callable[[NetcdfVariable, int, Window | None], Floats]
Air = Callable[[int, Window | None], tuple[float, float]]

_STANDARD = {"air_temperature": "temp", "relative_humidity": "rh", "dew_point_temperature": "dew"}
"""Of the CF standard name table."""
_DEW_POINTS = (
    "d2m", "td2m", "td", "dewpoint", "dew_point", "2m_dewpoint_temperature", "dpt", "dpt_2maboveground", "2d",
)  # fmt: skip
_SHARES = ("1", "", "0-1", "fraction")


def netcdf_air(variables: Mapping[str, NetcdfVariable], wind: NetcdfVariable, read: Reading) -> tuple[Air | None, str]:
    """Return the air of a file whose variables lie on the dimensions of ``wind``, and a note on it.

    Without a temperature, or without humidity and dew point, there is none, which the note says where it has the other.
    """
    found: dict[str, NetcdfVariable] = {}
    for item in variables.values():
        part = _part(item) if item.dimensions == wind.dimensions and item.is_numeric else None
        if part is not None:
            found.setdefault(part, item)
    heat = found.get("temp")
    damp = found.get("rh") or found.get("dew")
    if heat is None or damp is None:
        lacking = "temperature" if heat is None else "humidity and no dew point"
        said = f"The file has no {lacking} of the air: fuel moistures are those of the fire model."
        return None, said if found else ""

    def mean(number: int, window: Window | None) -> tuple[float, float]:
        try:
            warmth, moist = _celsius(heat, read(heat, number, window)), read(damp, number, window)
        except OSError:
            return math.nan, math.nan
        if _part(damp) == "dew":
            moist = relative_humidity(warmth, _celsius(damp, moist))
        elif damp.text("units").strip() in _SHARES and float(np.nanmax(moist, initial=0.0)) <= 1.0:
            moist = moist * 100.0
        known = np.isfinite(warmth) & np.isfinite(moist)
        if not known.any():
            return math.nan, math.nan
        return float(np.clip(warmth[known].mean(), *AIR_C)), float(np.clip(moist[known].mean(), *HUMIDITY))

    derived = " (from the dew point)" if _part(damp) == "dew" else ""
    return mean, f"Temperature of the air from {heat.name}, humidity from {damp.name}{derived}, means over the raster."


def _part(item: NetcdfVariable) -> str | None:
    standard = _STANDARD.get(item.text("standard_name"))
    if standard is not None:
        return standard
    if item.name.lower() in _DEW_POINTS:
        return "dew"
    column = parse_air(item.name, "")
    return None if column is None else "temp" if column.role is AirPart.TEMPERATURE else "rh"


def _celsius(item: NetcdfVariable, values: Floats) -> Floats:
    """Return temperatures in °C; without a unit what is above 150 is in K."""
    unit = item.text("units").strip().lower().removeprefix("deg").strip("_ °")[:1].upper()
    if unit not in ("C", "F", "K"):
        unit = "K" if float(np.nanmax(values, initial=0.0)) > 150.0 else "C"
    return celsius(values, AirColumn(AirPart.TEMPERATURE, unit, item.name))[0]

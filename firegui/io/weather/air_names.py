"""Columns of temperature and humidity in a table of the weather, by their names and units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from firegui.domain.weather import AIR_C, HUMIDITY
from firegui.errors import Problems
from firegui.io.weather.conventions import split_words
from firegui.io.weather.locations import Floats


class AirPart(StrEnum):
    """What a column says of the air."""

    TEMPERATURE = "temperature"
    HUMIDITY = "humidity"


_NAMES = {
    AirPart.TEMPERATURE: "temp|temperature|air temp|air temperature|airtemp|tair|t2m|tmp|ta|dry bulb|dry bulb temp|"
    "temperature 2m|dry bulb temperature",
    AirPart.HUMIDITY: "rh|relh|humidity|relative humidity|rel hum|rel humidity|relhum|rh 2m|hum",
}
_ROLES = {name: role for role, names in _NAMES.items() for name in names.split("|")}
_TEMPERATURE_IN = ("tmpf", "tmpc", "tempf", "tempc", "drybulbtempf", "drybulbtempc")
_FAHRENHEIT, _CELSIUS = (
    ("degf", "f", "fahrenheit", *(name for name in _TEMPERATURE_IN if name.endswith("f"))),
    ("degc", "c", "celsius", *(name for name in _TEMPERATURE_IN if name.endswith("c"))),
)
_KELVIN = ("k", "kelvin", "degk")
_NOISE = (
    "avg", "average", "mean", "deg", "degree", "degrees", "percent", "pct", "set", "1", "at", "2", "m", "maboveground",
    "value",
)  # fmt: skip
_WORDS = re.compile(r"[a-z]+\d*[a-z]*|\d+")
_LIKELY_FAHRENHEIT = 50.0
"""°C: a mean of the highest temperatures above it is more likely in °F."""
_KELVIN_ABOVE = 150.0
"""°F: no air is as hot."""


@dataclass(frozen=True, slots=True)
class AirColumn:
    """What a column holds, and ``unit`` C, F or K; empty where its title does not say it."""

    role: AirPart
    unit: str
    title: str


def parse_air(title: str, unit: str = "") -> AirColumn | None:
    """Return what a title, and the cell of a row of units, say of a column; ``None`` for another one."""
    words = _WORDS.findall(f"{split_words(title)} {unit}".lower())
    said = next((name for name, spelled in _UNITS.items() if any(word in spelled for word in words)), "")
    left = " ".join(word for word in words if word not in (*_FAHRENHEIT, *_CELSIUS, *_KELVIN, *_NOISE))
    if any(word in _TEMPERATURE_IN for word in words):
        left = "temp"
    role = _ROLES.get(left) or (AirPart.TEMPERATURE if left == "t" and said else None)
    return None if role is None else AirColumn(role, said, title.strip())


_UNITS = {"F": _FAHRENHEIT, "C": _CELSIUS, "K": _KELVIN}


def celsius(values: Floats, column: AirColumn) -> tuple[Floats, str]:
    """Return temperatures in °C, and a note on what was converted or guessed."""
    unit = temperature_unit(values, column)
    said = "" if column.unit else f"{column.title} names no unit: {unit if unit == 'K' else f'°{unit}'} was taken. "
    if unit == "F":
        return (values - 32.0) / 1.8, f"{said}The temperature was converted from °F."
    if unit == "K":
        return values - 273.15, f"{said}The temperature was converted from K."
    return values, said.strip()


def temperature_unit(values: Floats, column: AirColumn) -> str:
    """Return the unit of temperatures as the title says it, else the likeliest."""
    if column.unit:
        return column.unit
    highest = float(np.max(values[np.isfinite(values)], initial=-np.inf))
    return "K" if highest > _KELVIN_ABOVE else "F" if highest > _LIKELY_FAHRENHEIT else "C"


def relative_humidity(temperature_c: Floats, dew_point_c: Floats) -> Floats:
    """Return percent of relative humidity, at most 100.

    It follows from the ratio of the vapour pressures over water, ``e(T) = 6.1094 exp(17.625 T / (T + 243.04))`` hPa
    with ``T`` in °C (the Magnus formula with the constants of Alduchov and Eskridge 1996, J. Appl. Meteorol. 35,
    601–609): ``RH = 100 e(T_d) / e(T)``.
    """
    heat, dew = (17.625 * values / (values + 243.04) for values in (temperature_c, dew_point_c))
    return np.minimum(100.0 * np.exp(dew - heat), 100.0)


def check_air(values: Floats, role: AirPart, lines: Sequence[int], where: str, problems: Problems) -> None:
    """Add a value out of range to ``problems``."""
    low, high = AIR_C if role is AirPart.TEMPERATURE else HUMIDITY
    for line, value in zip(lines, values, strict=True):
        if value < low or value > high:
            unit = "°C" if role is AirPart.TEMPERATURE else "%"
            what = f"line {line} has a {role} of {value:g} {unit}"
            problems.add(where, what, f"use {low:g} to {high:g} {unit}, or leave the cell empty")
            return

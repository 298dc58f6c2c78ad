"""Weather of the periods of a day: wind on blocks of cells, temperature and humidity of the air."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from firegui.domain.compact_maps import BlockRaster, WindRaster
from firegui.domain.grid import Box
from firegui.errors import Problem

HOURS_PER_DAY = 24
AIR_C, HUMIDITY = (-40.0, 60.0), (0.0, 100.0)
"""Ranges of temperature in °C and relative humidity in percent."""

Raster = NDArray[np.float32]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class WeatherEnd:
    """The ``file`` that the weather of an event is from, and the time (UTC) ``until`` which it lasts."""

    file: str
    until: datetime


@dataclass(frozen=True, slots=True, eq=False)
class PeriodWeather:
    """Weather of ``P`` equal periods of each of ``D`` days, in the order of time.

    ``speed [D P, h, w]`` in m/s at 10 m and ``towards [D P, h, w]`` in radians, counter-clockwise from the grid's east,
    are the wind in the middle of blocks of ``block × block`` cells; the first block begins at the first cell, and the
    last ones may reach beyond the grid. ``temperature_c [D P]`` and ``humidity [D P]`` in percent are those of the air,
    the same everywhere; both are ``None`` where they are not known.
    """

    periods_per_day: int
    block: int
    speed: Raster
    towards: Raster
    temperature_c: NDArray[np.float64] | None = None
    humidity: NDArray[np.float64] | None = None

    @property
    def days(self) -> int:
        """``D``."""
        return len(self.speed) // self.periods_per_day

    @property
    def has_air(self) -> bool:
        """Whether temperature and humidity are known."""
        return self.temperature_c is not None and self.humidity is not None

    def wind(self, period: int, box: Box) -> tuple[Raster, Raster]:
        """Return speed and direction ``[h, w]`` of one period on the cells of ``box``.

        Between the middles of blocks, the speed is interpolated bilinearly and the direction by its unit vectors.
        """
        speed, towards = self.speed[period], self.towards[period]
        if self.block == 1:
            return speed[box], towards[box]
        rows, columns = (
            _between(side, self.block, count) for side, count in zip(box, self.speed.shape[1:], strict=True)
        )
        east, north = (_on_cells(part(towards), rows, columns) for part in (np.cos, np.sin))
        found: Raster = np.arctan2(north, east)
        return _on_cells(speed, rows, columns), found

    def wind_at(self, period: int, row: int, column: int) -> tuple[float, float]:
        """Return speed and direction of one period in one cell."""
        speed, towards = self.wind(period, (slice(row, row + 1), slice(column, column + 1)))
        return float(speed[0, 0]), float(towards[0, 0])

    def period_at(self, day: int, hour: int) -> int:
        """Return the number of the period that has the ``hour`` of a zero-based day."""
        return day * self.periods_per_day + hour * self.periods_per_day // HOURS_PER_DAY

    def wind_of_cells(self, period: int, rows: Places, columns: Places) -> tuple[Raster, Raster]:
        """Return speed and direction ``[...]`` of one period on cells, as :meth:`wind` does."""
        speed, towards = self.speed[period], self.towards[period]
        if self.block == 1:
            return speed[rows, columns], towards[rows, columns]
        at = tuple(_places(side, self.block, count) for side, count in zip((rows, columns), speed.shape, strict=True))
        east, north = (_at_cells(part(towards), *at) for part in (np.cos, np.sin))
        found: Raster = np.arctan2(north, east)
        return _at_cells(speed, *at), found

    def winds(self, periods: slice, shape: tuple[int, int]) -> tuple[WindRaster, WindRaster]:
        """Return speed and direction ``[n, H, W]`` of a row of periods on a grid of ``shape``.

        Cells of a block have the wind in its middle.
        """
        speed, towards = self.speed[periods], self.towards[periods]
        if self.block == 1:
            return speed, towards
        return BlockRaster(speed, self.block, shape), BlockRaster(towards, self.block, shape)

    def with_most_periods(self, most: int) -> PeriodWeather:
        """Return the weather of at most ``most`` periods a day.

        Their number is the largest divisor of ``P`` that is not above ``most``. A period has the mean of the speeds,
        temperatures and humidities, and the direction of the mean vector.
        """
        count = largest_divisor(self.periods_per_day, most)
        if count == self.periods_per_day:
            return self
        each = self.periods_per_day // count
        speed = self.speed.reshape(-1, each, *self.speed.shape[1:])
        towards = self.towards.reshape(speed.shape)
        east, north = (speed * np.cos(towards)).mean(axis=1), (speed * np.sin(towards)).mean(axis=1)
        heat, damp = (
            None if part is None else part.reshape(-1, each).mean(axis=1)
            for part in (self.temperature_c, self.humidity)
        )  # fmt: skip
        return PeriodWeather(count, self.block, speed.mean(axis=1), np.arctan2(north, east), heat, damp)

    def with_wind(self, speed: Raster, towards: Raster) -> PeriodWeather:
        """Return the same weather with another wind on the same blocks."""
        return replace(self, speed=np.asarray(speed, np.float32), towards=np.asarray(towards, np.float32))

    def problems(self, shape: tuple[int, int], days: int) -> list[Problem]:
        """Return everything that keeps the weather from being that of ``days`` days on a grid of ``shape``."""
        found = []
        if self.periods_per_day < 1 or HOURS_PER_DAY % self.periods_per_day:
            what = f"has {self.periods_per_day} periods a day"
            return [Problem("weather", what, "use 1, 2, 3, 4, 6, 8, 12 or 24")]
        if not 1 <= self.block <= max(shape):
            return [Problem("weather", f"has blocks of {self.block} cells", f"use 1 to {max(shape)}")]
        count = days * self.periods_per_day
        wanted = (count, *(math.ceil(size / self.block) for size in shape))
        for name, stack in (("speed", self.speed), ("direction", self.towards)):
            if stack.shape != wanted:
                what = f"the {name} by period has {_sizes(stack.shape)} values, {_sizes(wanted)} are needed"
                found.append(Problem("weather", what, "import the event again"))
            elif not np.isfinite(stack).all():
                found.append(Problem("weather", f"the {name} by period has gaps", "import the event again"))
        if (self.temperature_c is None) != (self.humidity is None):
            known = "temperature" if self.humidity is None else "humidity"
            found.append(Problem("weather", f"has the {known} of the air alone", "give temperature and humidity"))
        for name, part, (low, high), unit in (
            ("temperature", self.temperature_c, AIR_C, "°C"), ("humidity", self.humidity, HUMIDITY, "%"),
        ):  # fmt: skip
            if part is None:
                continue
            if len(part) != count:
                remedy = f"give one for each period: {count}"
                found.append(Problem("weather", f"{name} has {len(part)} values", remedy))
            elif not (np.isfinite(part).all() and low <= part.min() and part.max() <= high):
                found.append(Problem("weather", f"{name} has a value out of range", f"use {low:g} to {high:g} {unit}"))
        return found


def largest_divisor(number: int, most: int) -> int:
    """Return the largest divisor of ``number`` that is not above ``most``, which is 1 or more."""
    return next(each for each in range(min(most, number), 0, -1) if number % each == 0)


def _sizes(shape: tuple[int, ...]) -> str:
    return " × ".join(str(size) for size in shape)


_Weights = tuple[NDArray[np.int64], NDArray[np.int64], Raster]


def _between(side: slice, block: int, count: int) -> _Weights:
    return _places(np.arange(side.start, side.stop), block, count)


def _places(cells: Places, block: int, count: int) -> _Weights:
    """Return the two blocks between whose middles each cell lies, and the share of the second."""
    at = np.clip((cells + 0.5) / block - 0.5, 0.0, count - 1.0)
    low = at.astype(np.int64)
    return low, np.minimum(low + 1, count - 1), (at - low).astype(np.float32)


def _on_cells(blocks: Raster, rows: _Weights, columns: _Weights) -> Raster:
    """Interpolate ``blocks`` bilinearly to the cells of rows and columns."""
    upper, lower, down = rows
    wide = blocks[upper] + (blocks[lower] - blocks[upper]) * down[:, None]
    left, right, along = columns
    found: Raster = wide[:, left] + (wide[:, right] - wide[:, left]) * along
    return found


def _at_cells(blocks: Raster, rows: _Weights, columns: _Weights) -> Raster:
    """Interpolate ``blocks`` bilinearly to cells of any order, with the operations of :func:`_on_cells`."""
    upper, lower, down = rows
    left, right, along = columns
    first = blocks[upper, left] + (blocks[lower, left] - blocks[upper, left]) * down
    second = blocks[upper, right] + (blocks[lower, right] - blocks[upper, right]) * down
    found: Raster = first + (second - first) * along
    return found


def on_blocks(values: NDArray[np.floating], block: int) -> NDArray[np.float64]:
    """Return the means ``[..., h, w]`` of ``values [..., H, W]`` over blocks of ``block × block`` cells."""
    rows, columns = (np.arange(0, size, block) for size in values.shape[-2:])
    totals = np.add.reduceat(np.add.reduceat(values.astype(np.float64), rows, axis=-2), columns, axis=-1)
    cells = np.outer(
        *(np.diff([*starts, size]) for starts, size in zip((rows, columns), values.shape[-2:], strict=True))
    )
    means: NDArray[np.float64] = totals / cells
    return means

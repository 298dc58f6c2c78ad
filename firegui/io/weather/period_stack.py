"""Weather of the periods of a day from the samples of a file, on blocks of cells."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.domain.weather import HOURS_PER_DAY, PeriodWeather, largest_divisor, on_blocks
from firegui.io.weather.locations import ALL_CELLS, Cells, Everywhere, Floats, Placement, Stations, Turn, Window
from firegui.io.weather.series import WindSeries
from firegui.io.weather.time_axis import DAY_S, Days, Timing, stand_ins

MOST_VALUES = 8_000_000
"""Most values of speed that are kept; blocks are as large as it takes."""
_SMALLEST_BLOCK_M = 240.0
"""Smallest side of a block: winds over a fire are known no better."""


@dataclass(slots=True)
class PeriodStack:
    """Winds of the periods of an event, collected sample by sample.

    ``periods_per_day`` is 0 for a file with one sample a day or without times. ``period`` is that of each sample,
    counted from the start of the event. ``cells`` are those whose wind is averaged over the blocks, in each of them as
    many rows and columns as ``each_way`` says.
    """

    series: WindSeries
    window: Window | None
    periods_per_day: int
    block: int
    cells: Cells
    each_way: int
    period: NDArray[np.int64]
    speed: NDArray[np.float32]
    towards: NDArray[np.float32]
    air: Floats
    known: NDArray[np.bool_]
    filled: int = field(default=0, init=False)

    @staticmethod
    def of(
        series: WindSeries, timing: Timing, days: Days, grid: Grid, start: datetime, placement: Placement
    ) -> PeriodStack:
        """Return an empty stack for the samples of an event that begins at ``start`` (UTC)."""
        is_finer = timing.moments is not None and not timing.is_daily and days.expected > 1
        each = largest_divisor(HOURS_PER_DAY, days.expected) if is_finer else 0
        period = np.zeros(series.count, np.int64)
        if each and timing.moments is not None:
            begin = np.datetime64(start.astimezone(UTC).replace(tzinfo=None), "s")
            period = (timing.moments - begin).astype(np.int64) * each // DAY_S
        count = days.count * each
        block = _block(series, grid, count)
        speed, towards = np.empty((2, count, *grid.of_blocks(block).shape), np.float32)
        air = np.full((2, count), np.nan)
        cells, each_way = ALL_CELLS, block
        if placement.distance >= block > 2:
            # Between places that far apart the wind hardly bends within a block: four cells have its mean.
            cells, each_way = (_pairs(grid.rows, block), _pairs(grid.columns, block)), 2
        known = np.zeros(count, np.bool_)
        return PeriodStack(series, placement.window, each, block, cells, each_way, period, speed, towards, air, known)

    @property
    def is_wanted(self) -> bool:
        """Whether there are periods."""
        return self.periods_per_day > 0

    def groups(self, numbers: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
        """Yield the samples of each period among ``numbers``, all of them where there are no periods."""
        if not self.is_wanted:
            yield numbers
            return
        yield from np.split(numbers, np.flatnonzero(np.diff(self.period[numbers])) + 1)

    def put(self, numbers: NDArray[np.intp], parts: Floats, instead: Floats, turn: Turn) -> None:
        """Keep the mean speed and vector ``parts`` of the samples of one period, in :attr:`cells`.

        A cell without a value has that of its day, ``instead [3, H, W]``.
        """
        at = int(self.period[numbers[0]])
        rows, columns = self.cells
        speed, east, north = np.where(np.isfinite(parts[0]), parts, instead[:, rows][:, :, columns])
        towards = turn.towards(east, north, self.cells)
        self.speed[at] = on_blocks(speed, self.each_way)
        self.towards[at] = np.arctan2(*(on_blocks(part(towards), self.each_way) for part in (np.sin, np.cos)))
        self.air[:, at] = _means([self.series.air_of(int(number), self.window) for number in numbers])
        self.known[at] = True

    @property
    def weather(self) -> PeriodWeather | None:
        """Weather of all periods.

        One without samples has that of the one before. Before the first and after the last sample, it has that of the
        same hour of the next or the last day with samples, so that days and nights go on.
        """
        if not self.known.any():
            return None
        source = self._stand_ins(self.known)
        heat, damp = (None if np.isnan(part).all() else part[self._stand_ins(np.isfinite(part))] for part in self.air)
        if heat is None or damp is None:
            heat = damp = None
        return PeriodWeather(self.periods_per_day, self.block, self.speed[source], self.towards[source], heat, damp)

    @property
    def notes(self) -> list[str]:
        """What to say of the periods."""
        weather = self.weather
        if weather is None:
            return []
        lacking = int((~self.known).sum())
        air = ", with temperature and humidity" if weather.has_air else ""
        found = [f"The weather of {self.periods_per_day} periods a day is kept for the physical fire model{air}."]
        if lacking:
            found.append(
                f"{lacking:,} of its {len(self.known):,} periods have no wind: the one before stands in; before the "
                "first and after the last, the same hour of the day next to it."
            )
        return found

    def _stand_ins(self, known: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return for each period the one whose weather it takes."""
        numbers, each = np.arange(len(known)), self.periods_per_day
        first, last = np.flatnonzero(known)[[0, -1]]
        beyond = np.maximum(first - numbers, 0) - np.maximum(numbers - last, 0)
        same_hour = numbers + np.sign(beyond) * each * -(-np.abs(beyond) // each)
        inside = (same_hour >= first) & (same_hour <= last)
        return stand_ins(known)[np.where(inside, same_hour, numbers)]


def _block(series: WindSeries, grid: Grid, count: int) -> int:
    places = series.places
    if isinstance(places, Everywhere) or (isinstance(places, Stations) and len(places.lons) == 1):
        return max(grid.shape)
    block = max(1, math.ceil(_SMALLEST_BLOCK_M / grid.cell_size_m))
    while count * grid.of_blocks(block).n_cells > MOST_VALUES:
        block *= 2
    return min(block, max(grid.shape))


def _pairs(size: int, block: int) -> NDArray[np.intp]:
    """Return two places of each block, as far from its begin as from its end.

    The mean of what is linear there is that of the block.
    """
    starts = np.arange(0, size, block)
    ends = np.minimum(starts + block, size) - 1
    inwards = (ends - starts + 1) // 4
    return np.stack([starts + inwards, ends - inwards], axis=1).ravel()


def _means(samples: list[tuple[float, float]]) -> Floats:
    """Return the means of temperature and humidity over those that are known."""
    values = np.array(samples).T
    counts = np.isfinite(values).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: Floats = np.nansum(values, axis=1) / counts
    return means

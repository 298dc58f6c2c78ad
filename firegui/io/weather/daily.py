"""Daily maps of wind, from parts by date or from a series of samples, with their gaps filled and said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.domain.weather import PeriodWeather
from firegui.errors import Check, Problems
from firegui.io.array_files import Array
from firegui.io.source_files import MOST_DAYS, MOST_VALUES, cells_text, no_number
from firegui.io.weather.conventions import (
    HEIGHT_SOURCE,
    METRES_PER_SECOND,
    STRONGEST_MS,
    TO_10_M,
    Height,
    North,
    Sense,
    SpeedUnit,
    WindConventions,
)
from firegui.io.weather.locations import (
    ALL_CELLS,
    Cells,
    Everywhere,
    Floats,
    Placement,
    Turn,
    WindLocations,
    no_turn,
    turn_from_true,
)
from firegui.io.weather.period_stack import PeriodStack
from firegui.io.weather.series import MOST_CELLS_READ, WindSeries, check_values, vectors
from firegui.io.weather.time_axis import (
    Days,
    Timing,
    covered_until,
    describe_days,
    describe_filled_days,
    fill_days,
    moment_text,
    sort_into_days,
)

NO_DATA = -9999.0

Parts = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class DailyWind:
    """The wind of every day from ``first`` on.

    ``speed [D, H, W]`` is in m/s, ``towards [D, H, W]`` in radians counter-clockwise from east. ``notes`` say which
    days and cells had no wind of their own.
    """

    first: date
    speed: NDArray[np.float32]
    towards: NDArray[np.float32]
    notes: tuple[str, ...]


def daily_wind(
    eastward: Mapping[date, Array], northward: Mapping[date, Array], where: str, problems: Problems
) -> DailyWind | None:
    """Return the wind of every day from the first to the last that has both parts, ``[H, W]`` in m/s each.

    −9999, NaN and infinity are no data. A day without any takes the wind of the day before; single cells take their
    day's mean. Without a single day, or with speeds that cannot be, ``problems`` gets the reason under ``where``.
    """
    known: dict[date, Parts] = {}
    impossible = False
    patched: dict[date, int] = {}
    for when in sorted(set(eastward) & set(northward)):
        parts = np.stack([eastward[when], northward[when]]).astype(np.float64)
        holes = (no_number(parts) | (parts == NO_DATA)).any(axis=0)
        if holes.all():
            continue
        if np.abs(parts[:, ~holes]).max() > STRONGEST_MS:
            problems.add(f"{where}, wind of {when}", f"is above {STRONGEST_MS:g} m/s", "give wind in m/s")
            impossible = True
            continue
        if holes.any():
            patched[when] = int(holes.sum())
            parts[:, holes] = parts[:, ~holes].mean(axis=1, keepdims=True)
        known[when] = parts
    if not known:
        if not impossible:
            problems.add(where, "has no day with wind", "give u and v of the wind on at least one date")
        return None
    first = min(known)
    count = (max(known) - first).days + 1
    filled = fill_days([(day - first).days for day in known], count)
    days = [known[first + timedelta(days=filled.get(day, day))] for day in range(count)]
    # One day at a time: all days in double precision would take four times the room of the result.
    speed = np.stack([np.hypot(*parts).astype(np.float32) for parts in days])
    towards = np.stack([np.arctan2(parts[1], parts[0]).astype(np.float32) for parts in days])
    return DailyWind(first, speed, towards, (*describe_filled_days(filled, first), *_describe_patched(patched)))


_CALM_DEG = 0.05

When = tuple[datetime, float, int | None]
"""The start (UTC), the local offset in hours, and the requested days."""


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """The wind at each of ``times`` (UTC) that an event's days were made from.

    Without times there is none. ``mean_speed [N]`` in m/s at 10 m is the mean over the places of the file around the
    raster, ``mean_from [N]`` where the mean vector blows from, in degrees clockwise from the north that the file counts
    from.
    """

    times: tuple[datetime, ...]
    mean_speed: Floats
    mean_from: Floats


NO_COURSE = Course((), np.empty(0), np.empty(0))


@dataclass(frozen=True, slots=True, eq=False)
class WindFields:
    """The wind of every day of an event on its grid.

    ``speed [D, H, W]`` is in m/s at 10 m, ``towards [D, H, W]`` in radians counter-clockwise from the grid's east.
    ``notes`` say where they come from, what was assumed, averaged and filled. ``course`` is the wind at the file's own
    times, for a chart beside the daily means.
    """

    speed: NDArray[np.float32]
    towards: NDArray[np.float32]
    notes: tuple[str, ...]
    course: Course
    weather: PeriodWeather | None = None
    """Weather of the periods of the days, of a file with several samples a day."""
    until: datetime | None = None
    """The time (UTC) until which a file with times has weather."""


def constant_maps(grid: Grid, speed_ms: float, direction: float, conventions: WindConventions, days: int) -> WindFields:
    """Return maps of one speed (m/s at 10 m) and direction (degrees) everywhere on every day."""
    turn, notes = _turn(grid, conventions.north, Everywhere())
    sign = -1.0 if conventions.sense is Sense.FROM else 1.0
    angle = np.radians(direction)
    u, v = np.full(grid.shape, sign * np.sin(angle)), np.full(grid.shape, sign * np.cos(angle))
    towards = turn.towards(u, v)
    assert conventions.speed_unit is not None and conventions.height is not None
    said = (
        f"The wind is {speed_ms:.4g} m/s {conventions.sense} {direction:g}°, the same everywhere on all {days} days: "
    )
    factors = []
    if conventions.speed_unit is not SpeedUnit.MS:
        factors.append(f"{METRES_PER_SECOND[conventions.speed_unit]:.6g} m/s in one {conventions.speed_unit}")
    if conventions.height is not Height.M10:
        factors.append(f"{TO_10_M[conventions.height]:g} from {conventions.height} to 10 m, {HEIGHT_SOURCE}")
    converted = [f"The wind's speed was converted ({'; '.join(factors)})."] if factors else []
    shape = (days, *grid.shape)
    return WindFields(
        np.full(shape, speed_ms, np.float32),
        np.ascontiguousarray(np.broadcast_to(towards, shape)),
        (f"{said}it was given, not measured.", *converted, *notes),
        NO_COURSE,
    )


def daily_maps(
    series: WindSeries, conventions: WindConventions, timing: Timing, placement: Placement, grid: Grid, when: When,
    problems: Problems, check: Check | None,
) -> WindFields | None:  # fmt: skip
    """Return the mean wind of each day on ``grid``, ``placement`` the places of the series on it.

    What is wrong is added to ``problems`` and ``None`` returned.
    """
    days = _days(series, timing, when, problems)
    if days is None or not _is_affordable(placement, days, grid, series.where, problems):
        return None
    turn, notes = _turn(grid, conventions.north, series.places)
    reader = _SeriesReader(series, conventions, placement, problems, check)
    speed, towards = np.empty((2, days.count, *grid.shape), np.float32)
    known, patched = [], {}
    stack = PeriodStack.of(series, timing, days, grid, when[0], placement)
    for day, numbers in days.samples.items():
        groups = list(stack.groups(numbers))
        totals = reader.totals(groups)
        if totals is None:
            return None
        parts = reader.spread(reduce(np.add, totals))
        holes = ~np.isfinite(parts[0])
        if holes.all():
            continue
        if holes.any():
            patched[day] = int(holes.sum())
            for values in parts:
                values[holes] = values[~holes].mean()
        known.append(day)
        speed[day], towards[day] = parts[0], turn.towards(parts[1], parts[2])
        if stack.is_wanted:
            for group, total in zip(groups, totals, strict=True):
                stack.put(group, reader.spread(total, stack.cells), parts, turn)
    if not known:
        problems.add(series.where, "has no wind on any day of the event", "check its no-data value and its place")
        return None
    filled = fill_days(known, days.count)
    for day, other in filled.items():
        speed[day], towards[day] = speed[other], towards[other]
    first = (when[0] + timedelta(hours=when[1])).date()
    told = [] if timing.moments is None else describe_days(days, filled, first, timing.step_h)
    return WindFields(
        speed,
        towards,
        (*placement.notes, *notes, *reader.notes, *told, *_describe_patched(patched), *stack.notes),
        reader.course(timing),
        stack.weather,
        covered_until(timing, when[0]),
    )


class _SeriesReader:
    """Reader of a series' samples onto a grid, a day at a time; keeps the course of their means."""

    def __init__(
        self,
        series: WindSeries,
        conventions: WindConventions,
        placement: Placement,
        problems: Problems,
        check: Check | None,
    ) -> None:
        self._series, self._conventions, self._placement, self._problems = series, conventions, placement, problems
        self._check = check
        self._course: list[tuple[int, Floats]] = []
        self._holes, self._values = 0, 0

    def totals(self, groups: Sequence[NDArray[np.intp]]) -> list[Floats] | None:
        """Return the sums of speed, vector and number of the samples of each group at the places, ``[4, …]``.

        What is wrong is noted, and ``None`` returned.
        """
        numbers = [int(number) for group in groups for number in group]
        samples, totals = self._series.samples(numbers, self._placement.window), []
        for group in groups:
            total: Floats | None = None
            for number in map(int, group):
                parts = self._sample(samples)
                if parts is None:
                    return None
                known = np.asarray(np.isfinite(parts).all(axis=0))
                self._values, self._holes = self._values + known.size, self._holes + int((~known).sum())
                # The last of the four counts the samples that have a value.
                counted = np.concatenate([np.where(known, parts, 0.0), known[np.newaxis]])
                total = counted if total is None else total + counted
                if known.any():
                    self._course.append((number, parts[:, known].mean(axis=1)))
            assert total is not None
            totals.append(total)
        return totals

    def spread(self, total: Floats, cells: Cells = ALL_CELLS) -> Floats:
        """Return the mean speed and the mean vector of such sums in some cells, NaN where there is none.

        They are ``[3, rows, columns]``.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            return self._placement.spread(total[:3] / total[3], cells)

    @property
    def notes(self) -> list[str]:
        """What to say of values that are missing in the file."""
        if not self._holes:
            return []
        count = f"{self._holes:,} of {self._values:,} values"
        return [f"No wind in {count} of the file: the other hours of the day and the places around stand in."]

    def course(self, timing: Timing) -> Course:
        """Return the mean over the places of every sample that was read."""
        if timing.moments is None or not self._course:
            return NO_COURSE
        times = tuple(timing.moments[number].item().replace(tzinfo=UTC) for number, _ in self._course)
        speed, u, v = np.array([means for _, means in self._course]).T
        return Course(times, speed, np.degrees(np.arctan2(-u, -v)) % 360.0)

    def _sample(self, samples: Iterator[tuple[Floats, Floats]]) -> Floats | None:
        """Return speed, eastward and northward wind of the next sample, ``[3, …]``; what is wrong is noted."""
        if self._check is not None:
            self._check()
        try:
            one, other = next(samples)
        except OSError as error:
            self._problems.add(self._series.where, str(error), "get the file again from where it came")
            return None
        if not check_values(one, other, self._conventions, self._series.where, self._problems):
            return None
        return np.stack(vectors(one, other, self._conventions))


def _days(series: WindSeries, timing: Timing, when: When, problems: Problems) -> Days | None:
    start, _, asked = when
    if timing.moments is None:
        # One wind for ever: that of day 0 fills the others.
        return Days({0: np.array([0])}, asked or 1, 1)
    days = sort_into_days(timing, start, asked)
    if days.count > MOST_DAYS:
        problems.add(
            series.where, f"goes on for {days.count:,} days after the start", f"say how many, at most {MOST_DAYS}"
        )
        return None
    if not days.samples:
        span = f"{moment_text(timing.moments[0])} to {moment_text(timing.moments[-1])} UTC"
        what = f"is of {span}, the event begins on {start:%Y-%m-%d %H:%M} UTC"
        problems.add(series.where, what, "check the start, the length and the times of the wind")
        return None
    return days


def _is_affordable(placement: Placement, days: Days, grid: Grid, where: str, problems: Problems) -> bool:
    if days.count * grid.n_cells > MOST_VALUES:
        what = f"{days.count} days of wind on {grid.n_cells:,} cells are more than {MOST_VALUES:,} values"
        problems.add("wind", what, "take fewer days, or larger cells")
        return False
    samples = sum(len(numbers) for numbers in days.samples.values())
    cells = 1 if placement.window is None else placement.window.shape[0] * placement.window.shape[1]
    if samples * cells <= MOST_CELLS_READ:
        return True
    what = f"has {samples:,} samples of {cells:,} cells over the raster; at most {MOST_CELLS_READ:,} values are read"
    problems.add(where, what, "make its cells larger, or average it to days first")
    return False


def _turn(grid: Grid, north: North | None, places: WindLocations) -> tuple[Turn, list[str]]:
    """Return the turn from the file's north to the grid's, with a note about it."""
    from_true = turn_from_true(grid)
    if from_true is None:
        return no_turn(grid.shape), ["The layers have no place: the wind's north is taken for the top of the raster."]
    angle = from_true.largest_deg
    if north is North.GRID:
        own = places.grid_turn(grid)
        if own is None:
            return no_turn(grid.shape), ["Wind directions count from grid north, as was said."]
        return own, ["Wind directions count from the north of the wind's own raster, not from true north."]
    if angle < _CALM_DEG:
        return from_true, []
    said = (
        f"Wind directions count from true north; grid north differs by up to {angle:.2g}° here and was accounted for."
    )
    return from_true, [said]


def _describe_patched(patched: Mapping[date, int] | Mapping[int, int]) -> list[str]:
    if not patched:
        return []
    days = f"{len(patched)} days" if len(patched) != 1 else "1 day"
    return [f"No wind in {cells_text(sum(patched.values()))} of {days}: the day's mean stands in."]

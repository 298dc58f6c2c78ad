"""An opened wind file, whatever its format.

Samples in time of two numbers at every place, and their meaning. The numbers are meant as the user says, else as the
file says, else by a guess, which a note names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from firegui.errors import Problems
from firegui.io.weather.conventions import (
    HEIGHT_SOURCE,
    METRES_PER_SECOND,
    PAIRS,
    STRONGEST_MS,
    TO_10_M,
    Components,
    Height,
    North,
    ParsedName,
    Role,
    Sense,
    SpeedUnit,
    TimeBasis,
    WindConventions,
    speed_unit,
)
from firegui.io.weather.locations import Floats, WindLocations, Window
from firegui.io.weather.time_axis import Stamps

MOST_CELLS_READ = 500_000_000
"""Over all samples that are read: an hour of work, and far above a fire's surroundings in any public weather."""

ReadSample = Callable[[int, Window | None], Floats]
ReadSamples = Callable[[Sequence[int], Window | None], Iterator[Floats]]


@dataclass(frozen=True, slots=True, eq=False)
class WindField:
    """One of the two numbers that a file holds at every place and time.

    ``label`` names it in messages, ``named`` is what its name says of it, ``unit`` how the file writes its unit (empty
    where it does not). ``read`` yields samples at the places of a window (all of them without), NaN where there is
    none; it raises ``OSError`` where the file cannot be read there.
    """

    label: str
    named: ParsedName | None
    unit: str
    read: ReadSamples


@dataclass(frozen=True, slots=True, eq=False)
class WindSeries:
    """What an opened file holds: the two ``fields`` of a wind at ``places``, in ``count`` samples.

    ``kind`` in words and ``where`` its name; ``said`` what the file itself says of its numbers; ``stamps`` ``None``
    where it carries no times. ``air`` reads the temperature and humidity of a sample, the mean of the places, of a file
    that has them; ``in_fahrenheit`` says that the file's temperatures are in °F. ``step_h`` is set where the time
    between two samples of one place is not that of the stamps, as with stations that report at different minutes.
    """

    kind: str
    where: str
    said: WindConventions
    count: int
    stamps: Stamps | None
    places: WindLocations
    fields: tuple[WindField, WindField]
    notes: tuple[str, ...] = ()
    step_h: float | None = None
    air: Callable[[int, Window | None], tuple[float, float]] | None = None
    in_fahrenheit: bool = False

    def air_of(self, number: int, window: Window | None) -> tuple[float, float]:
        """Return temperature in °C and relative humidity in percent of a sample, NaN where they are not known.

        Of a raster they are the means of the ``window``.
        """
        return (math.nan, math.nan) if self.air is None else self.air(number, window)

    def samples(self, numbers: Sequence[int], window: Window | None) -> Iterator[tuple[Floats, Floats]]:
        """Yield both numbers of samples at the places of a window; ``OSError`` where they cannot be read."""
        one, other = self.fields
        return zip(one.read(numbers, window), other.read(numbers, window), strict=True)


def one_by_one(read: ReadSample) -> ReadSamples:
    """Return the way to read several samples of a file that is read sample by sample."""
    return lambda numbers, window: (read(number, window) for number in numbers)


T = TypeVar("T")


def choose_pair(
    found: Mapping[Role, T], wanted: Components | None, first: Components = Components.U_V
) -> tuple[Components, T, T] | None:
    """Return the two parts of a wind of what was found.

    Without ``wanted`` those of ``first`` go before the others.
    """
    for kind in sorted(PAIRS, key=lambda kind: kind is not first) if wanted is None else (wanted,):
        one, other = PAIRS[kind]
        if one in found and other in found:
            return kind, found[one], found[other]
    return None


def said_conventions(
    components: Components, fields: tuple[WindField, WindField], where: str, problems: Problems,
    north: North | None = None, clock: TimeBasis | None = None,
) -> WindConventions:  # fmt: skip
    """Return what a file says of its two numbers.

    The unit as written and ``north`` if given, else what names say. A unit of something else than a speed is a problem.
    """
    one, other = fields
    unit = speed_unit(one.unit)
    if one.unit and unit is None:
        what = f"{one.label} says its unit is {one.unit!r}, which is not a speed"
        problems.add(where, what, "give a wind, or correct its unit")
    names = [field.named for field in fields if field.named is not None]
    height = next((name.height for name in names if name.height), None)
    unit = unit or next((name.unit for name in names if name.unit), None)
    north = north or next((name.north for name in reversed(names) if name.north), None)
    sense = other.named.sense if other.named is not None and components is Components.SPEED_DIRECTION else None
    return WindConventions(components, unit, height, sense, north, clock)


_GALE = 40.0
"""m/s: what is stronger over a fire's surroundings is more likely in another unit."""

_PROBED, _PROBED_CELLS, _PROBED_SIDE = 25, 40_000, 200


def probe(series: WindSeries, window: Window | None) -> tuple[Floats, Floats]:
    """Return numbers of both parts at up to 25 samples and some thousands of places.

    Enough for ranges and guesses. Of a raster the ``window`` is looked at, else its middle. Raises ``OSError`` where
    the file cannot be read.
    """
    shape = series.places.raster
    if window is None and shape is not None:
        window = Window(*(slice(max(0, n // 2 - _PROBED_SIDE), min(n, n // 2 + _PROBED_SIDE)) for n in shape))
    numbers = np.unique(np.linspace(0, series.count - 1, _PROBED).astype(int)).tolist()
    parts: list[list[Floats]] = [[], []]
    for sample in series.samples(numbers, window):
        for found, values in zip(parts, sample, strict=True):
            flat = values.ravel()
            found.append(flat[:: max(1, flat.size // (_PROBED_CELLS // len(numbers)))])
    return np.concatenate(parts[0]), np.concatenate(parts[1])


def resolve_conventions(
    series: WindSeries, wanted: WindConventions, one: Floats, other: Floats
) -> tuple[WindConventions, list[str]]:
    """Return every trait, and notes on what was converted and what was guessed.

    ``one`` and ``other`` are probed numbers.
    """
    said, notes = series.said, []
    components = wanted.components or said.components or Components.SPEED_DIRECTION
    polar = components is Components.SPEED_DIRECTION
    unit = wanted.speed_unit or said.speed_unit
    if unit is None:
        unit, why = _guess_unit(one, other, polar, series.in_fahrenheit)
        notes.append(why)
    height = wanted.height or said.height
    if height is None:
        height = Height.M10
        notes.append(
            "The wind's height is not said: 10 m is assumed (a wind at 20 ft would have to be raised by 15 %)."
        )
    sense = wanted.sense or said.sense
    if polar and sense is None:
        sense = Sense.FROM
        notes.append("Directions are taken for where the wind blows from, as weather services give them.")
    north = wanted.north or said.north or North.TRUE
    clock = wanted.clock or said.clock
    notes += _conversions(unit, height, sense if polar else None)
    return WindConventions(components, unit, height, sense if polar else None, north, clock), notes


def _guess_unit(one: Floats, other: Floats, polar: bool, in_fahrenheit: bool) -> tuple[SpeedUnit, str]:
    if in_fahrenheit:
        return SpeedUnit.MPH, "The wind's unit is not said: mph is assumed, because the temperatures are in °F."
    strongest = float(np.nanmax(one if polar else np.hypot(one, other), initial=0.0))
    if strongest > _GALE:
        why = f"its strongest, {strongest:.3g}, would be a hurricane in m/s"
        return SpeedUnit.MPH, f"The wind's unit is not said: mph is assumed, because {why}."
    return SpeedUnit.MS, f"The wind's unit is not said: m/s is assumed (the strongest is {strongest:.3g})."


def _conversions(unit: SpeedUnit, height: Height, sense: Sense | None) -> list[str]:
    notes = []
    if unit is not SpeedUnit.MS:
        notes.append(f"Wind speeds in {unit} were multiplied by {METRES_PER_SECOND[unit]:.6g} to m/s.")
    if height is not Height.M10:
        notes.append(f"Wind at {height} was multiplied by {TO_10_M[height]:g} to 10 m ({HEIGHT_SOURCE}).")
    if sense is Sense.TOWARDS:
        notes.append("Directions are where the wind blows towards, as was said.")
    return notes


def vectors(one: Floats, other: Floats, conventions: WindConventions) -> tuple[Floats, Floats, Floats]:
    """Return speed, and the components towards the east and the north, in m/s at 10 m.

    North is that of ``conventions.north``. A direction α clockwise from north, where the wind comes from, gives ``u =
    −s sin α, v = −s cos α``.
    """
    assert conventions.speed_unit is not None and conventions.height is not None
    factor = METRES_PER_SECOND[conventions.speed_unit] * TO_10_M[conventions.height]
    if conventions.components is Components.U_V:
        u, v = one * factor, other * factor
        return np.hypot(u, v), u, v
    speed, angle = one * factor, np.radians(other)
    sign = -1.0 if conventions.sense is Sense.FROM else 1.0
    speed = np.where(np.isnan(angle), np.nan, speed)
    return speed, sign * speed * np.sin(angle), sign * speed * np.cos(angle)


def check_values(one: Floats, other: Floats, conventions: WindConventions, where: str, problems: Problems) -> bool:
    """Return whether all numbers can be a wind; else add a problem."""
    assert conventions.speed_unit is not None
    if conventions.components is Components.SPEED_DIRECTION:
        if np.nanmin(one, initial=0.0) < 0.0:
            what = f"has a speed of {np.nanmin(one):g}"
            problems.add(where, what, "declare it as no data if it stands for that, or say that these are u and v")
            return False
        low, high = np.nanmin(other, initial=0.0), np.nanmax(other, initial=0.0)
        if low < -180.0 or high > 360.0:
            what = f"has a direction of {high if high > 360.0 else low:g}"
            problems.add(where, what, "give degrees clockwise from north, 0 to 360; declare what stands for no data")
            return False
    with np.errstate(over="ignore"):
        strongest = float(np.nanmax(vectors(one, other, conventions)[0], initial=0.0))
    if not strongest <= STRONGEST_MS:
        remedy = f"check its unit ({conventions.speed_unit} was taken), or declare it as no data if it stands for that"
        problems.add(where, f"has a wind of {strongest:.4g} m/s", remedy)
        return False
    return True

"""A landscape of one's own: raster layers that lie on one grid, one wind for every day, and a fire.

Nothing is warped and no weather is invented: what does not fit is refused, what was assumed is in the notes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.domain.scenario import Scenario
from firegui.errors import Problems
from firegui.io.importers.ignition import ignition_at
from firegui.io.importers.layer_values import Layer, say_layers
from firegui.io.importers.observations import observe, say_coverage, say_observed
from firegui.io.importers.one_grid import read_landscape
from firegui.io.importers.placing import Began, Place, check_when, find_start

DAYS = 15
"""Days of weather where nothing says how many: the paper's horizon."""

MOST_DAYS = 366
STRONGEST_MS = 100.0


@dataclass(frozen=True, slots=True)
class LandscapeSource:
    """What an event is made from.

    ``layers`` maps keys of :data:`~firegui.domain.scenario.LAYERS` to raster files; ``wind_speed`` in m/s and
    ``wind_from`` in degrees clockwise from north hold everywhere on every day. ``perimeters`` is a vector file or a
    folder of one, ``ignition`` (longitude, latitude) takes its place. ``days`` is the length of the weather, ``start``
    the time of day 0 (UTC unless it says otherwise); ``None`` leaves them to be derived.
    """

    layers: Mapping[str, Path]
    wind_speed: float | None = None
    wind_from: float | None = None
    perimeters: Path | None = None
    ignition: tuple[float, float] | None = None
    days: int | None = None
    start: datetime | None = None
    utc_offset_h: float | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Fire:
    """What burns: observed perimeters, or a start, or nothing."""

    observed: NDArray[np.bool_] | None
    dates: tuple[date, ...]
    ignition: NDArray[np.bool_] | None


def import_landscape(source: LandscapeSource) -> Scenario:
    """The event that ``source`` describes.

    The weather lasts ``source.days``, else from day 0 to the last perimeter, else :data:`DAYS` days. Raises
    :class:`~firegui.errors.InputError` with everything that is wrong: layers on different grids or with values that
    cannot be, no wind, a fire off the raster.
    """
    problems = Problems()
    title = "The landscape cannot be imported"
    place, layers = read_landscape(source.layers, problems)
    _check_wind(source, problems)
    check_when(source.start, source.utc_offset_h, problems)
    fire = _fire(source, place, layers, problems)
    if source.days is not None and not 1 <= source.days <= MOST_DAYS:
        problems.add("days", f"{source.days} days of weather", f"give 1 to {MOST_DAYS}")
    problems.raise_if_any(title)
    assert place is not None
    began = find_start(place.grid, None, source.start, source.utc_offset_h, fire.dates)
    days = source.days if source.days is not None else _days(began, fire.dates)
    if days > MOST_DAYS:
        remedy = f"say for how many days there is wind, at most {MOST_DAYS}, or leave the far ones out"
        problems.add("perimeters", f"the last one ({fire.dates[-1]}) is {days:,} days after the start", remedy)
    problems.raise_if_any(title)
    event = _event(source, place.grid, layers, fire, began, days)
    return replace(event, notes=(*place.notes, *began.notes, *_notes(source, layers, event)))


def _fire(source: LandscapeSource, place: Place | None, layers: Mapping[str, Layer], problems: Problems) -> _Fire:
    observed, dates = observe(source.perimeters, place, problems)
    if source.ignition is None:
        return _Fire(observed, dates, None)
    if source.perimeters is not None:
        problems.add("ignition", "perimeters are given as well", "give the one or the other")
    if place is None:
        return _Fire(observed, dates, None)
    fuel = layers["fuel"].values if "fuel" in layers else None
    # On another grid than the others it is refused already and says nothing of the place.
    on_grid = fuel if fuel is not None and fuel.shape == place.grid.shape else None
    return _Fire(observed, dates, ignition_at(source.ignition, place.grid, on_grid, problems))


def _check_wind(source: LandscapeSource, problems: Problems) -> None:
    speed, wind_from = source.wind_speed, source.wind_from
    missing = [name for name, value in (("speed", speed), ("direction", wind_from)) if value is None]
    if missing:
        given = f"its {missing[0]} is" if len(missing) == 1 else "is"
        remedy = "give a speed in m/s and where it blows from in degrees, such as 3 from 270 for a west wind"
        problems.add("wind", f"{given} not given (--wind-speed, --wind-from)", f"{remedy}; none is assumed")
    if speed is not None and not 0.0 <= speed <= STRONGEST_MS:
        problems.add("wind speed", f"{speed:g} m/s", f"give 0 to {STRONGEST_MS:g} m/s")
    if wind_from is not None and not 0.0 <= wind_from <= 360.0:
        problems.add("wind direction", f"{wind_from:g} degrees", "give where it blows from, 0 to 360, 0 is north")


def _days(began: Began, dates: tuple[date, ...]) -> int:
    """Days of weather: from day 0 to the last perimeter; :data:`DAYS` where there is none after the start."""
    day_0 = (began.start + timedelta(hours=began.utc_offset_h)).date()
    span = (dates[-1] - day_0).days + 1 if dates else 0
    return span if span >= 1 else DAYS


def _event(
    source: LandscapeSource, grid: Grid, layers: Mapping[str, Layer], fire: _Fire, began: Began, days: int
) -> Scenario:
    assert source.wind_speed is not None and source.wind_from is not None
    # From, clockwise from north, becomes towards, counter-clockwise from east.
    towards = math.radians((270.0 - source.wind_from) % 360.0)
    first = next(iter(source.layers.values())).resolve()
    return Scenario(
        name=source.name or first.parent.name or first.stem,
        grid=grid,
        start=began.start,
        utc_offset_h=began.utc_offset_h,
        wind_speed=np.full((days, *grid.shape), source.wind_speed, np.float32),
        wind_dir=np.full((days, *grid.shape), towards, np.float32),
        layers={key: layer.values for key, layer in layers.items()},
        ignition=fire.ignition,
        observed=fire.observed,
        observed_dates=fire.dates,
    )


def _notes(source: LandscapeSource, layers: Mapping[str, Layer], event: Scenario) -> list[str]:
    notes = [
        f"The wind is {source.wind_speed:g} m/s from {source.wind_from:g}°, the same everywhere on all {event.days} "
        "days: it was given, not measured."
    ]
    if event.observed is not None:
        notes.append(say_observed(event.observed_dates))
    elif event.ignition is not None:
        notes.append("The fire starts in the one cell that was given; there are no observed perimeters.")
    else:
        notes.append("There are no observed perimeters and no ignition: give either to have a fire to plan for.")
    return notes + say_layers(layers) + say_coverage(event)

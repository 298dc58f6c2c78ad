"""A landscape of one's own: raster layers brought onto one grid, its weather, and a fire.

No weather and no fire is invented: what is missing is said, what cannot be used is refused, what was assumed,
converted, resampled or derived is in the notes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import Scenario
from firegui.domain.weather import WeatherEnd
from firegui.errors import Check, Problems
from firegui.io.importers.georeferencing import EventStart, GridPlacement, check_when, find_start, local_offset
from firegui.io.importers.landscape_layers import GriddedLandscape, read_ground
from firegui.io.importers.landscape_source import LandscapeSource
from firegui.io.importers.layer_values import describe_layers
from firegui.io.importers.observations import describe_coverage, describe_observed, ignition_at, observe
from firegui.io.paths import real_path
from firegui.io.source_files import MOST_DAYS
from firegui.io.times import guess_offset_h
from firegui.io.vectors.perimeters import PerimeterSource
from firegui.io.weather.conventions import METRES_PER_SECOND, SpeedUnit
from firegui.io.weather.daily import WindFields
from firegui.io.weather.wind import WindSurvey, read_wind, survey_wind

HURRICANE_MS = 32.7
"""From here on a wind is a hurricane on Beaufort's scale."""

DAYS = 15
"""Days of weather where nothing says how many: the paper's horizon."""

MOST_CELL_DAYS = 100_000_000
"""Cells times days: their wind takes 0.8 GB, the maps of a fire model four and a half times that."""

TITLE = "The landscape cannot be imported"


@dataclass(frozen=True, slots=True, eq=False)
class Fire:
    """What burns: observed perimeters ``[N, H, W]``, or an ignition ``[H, W]``, or nothing.

    ``notes`` on how read.
    """

    observed: NDArray[np.bool_] | None
    dates: tuple[date, ...]
    ignition: NDArray[np.bool_] | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class LandscapeLayout:
    """An event without its weather.

    The ground, the fire, when it began and for how many days there is wind.
    """

    ground: GriddedLandscape
    fire: Fire
    wind: WindSurvey
    began: EventStart | None
    days: int


def import_landscape(source: LandscapeSource, check: Check | None = None) -> Scenario:
    """Return the event that ``source`` describes.

    The weather lasts ``source.days``, else as long as the wind's own times, else from day 0 to the last perimeter, else
    :data:`DAYS` days. ``check`` is called often and may raise to cancel. Raises :class:`~firegui.errors.InputError`
    with everything that is wrong: files that cannot be read, layers with values that cannot be or without a place in
    common, no wind, a fire off the raster.
    """
    problems = Problems()
    lay = lay_out_landscape(source, problems, check)
    place, began = lay.ground.place, lay.began
    if place is None or began is None:
        problems.raise_if_any(TITLE)
    assert place is not None and began is not None
    winds = None
    if not lay.wind.problems and lay.days <= MOST_DAYS and place.grid.n_cells * lay.days <= MOST_CELL_DAYS:
        winds = read_wind(source.wind, place.grid, began.start, began.utc_offset_h, lay.days, problems, check)
    problems.raise_if_any(TITLE)
    assert winds is not None
    return _event(source, lay, began, winds)


def lay_out_landscape(source: LandscapeSource, problems: Problems, check: Check | None = None) -> LandscapeLayout:
    """Return everything of an event but its weather; what is wrong is added to ``problems``."""
    ground = read_ground(source, problems, check)
    wind = survey_wind(source.wind, check)
    problems.extend(wind.problems)
    source = _with_possible_times(source, problems)
    if source.days is not None and not 1 <= source.days <= MOST_DAYS:
        problems.add("days", f"{source.days} days of weather", f"give 1 to {MOST_DAYS}")
    fire = _fire(source, ground, problems, check)
    began = None if ground.place is None else _began(source, ground, fire, wind)
    days = DAYS if began is None else _days(source, began, fire, wind)
    if days > MOST_DAYS and source.days is None:
        what = f"there would be {days:,} days of weather from {began.start:%Y-%m-%d}" if began else f"{days:,} days"
        problems.add("days", what, f"say how many, at most {MOST_DAYS}, and check the dates of perimeters and wind")
    if ground.place is not None and days <= MOST_DAYS and ground.place.grid.n_cells * days > MOST_CELL_DAYS:
        cells = ground.place.grid.n_cells
        what = f"{days} days on {cells:,} cells, at most {MOST_CELL_DAYS:,} cells times days can be planned on"
        problems.add("days", what, f"give at most {MOST_CELL_DAYS // cells}, larger cells, or smaller bounds")
    return LandscapeLayout(ground, fire, wind, began, days)


def _with_possible_times(source: LandscapeSource, problems: Problems) -> LandscapeSource:
    """Return the source without a start or an offset that cannot be, so that the rest can be looked at.

    These are noted.
    """
    start, offset, asked = Problems(), Problems(), source.perimeters
    check_when(source.start, None, start)
    check_when(None, source.utc_offset_h, offset)
    problems.extend([*start, *offset])
    if offset and asked is not None:
        asked = replace(asked, utc_offset_h=None)
    return replace(
        source,
        start=None if start else source.start,
        utc_offset_h=None if offset else source.utc_offset_h,
        perimeters=asked,
    )


def _fire(source: LandscapeSource, ground: GriddedLandscape, problems: Problems, check: Check | None) -> Fire:
    seen = observe(perimeters_of(source, ground.place), ground.place, problems, check)
    start, notes = seen.ignition, seen.notes
    if isinstance(source.ignition, Path):
        mask = observe(PerimeterSource(source.ignition), ground.place, problems, check)
        start, notes = mask.ignition, (*notes, *mask.notes)
    elif source.ignition is not None:
        if source.perimeters is not None:
            problems.add("ignition", "perimeters are given as well", "give the one or the other")
        if ground.place is not None:
            fuel = ground.layers["fuel"].values if "fuel" in ground.layers else None
            start = ignition_at(source.ignition, ground.place.grid, fuel, problems)
    return Fire(seen.masks, seen.dates, start, notes)


def perimeters_of(source: LandscapeSource, place: GridPlacement | None) -> PerimeterSource | None:
    """Return the perimeters of ``source``.

    Their times are in the event's own local time unless they have another.
    """
    asked = source.perimeters
    if asked is None or place is None or asked.utc_offset_h is not None:
        return asked
    return replace(asked, utc_offset_h=local_offset(place.grid, None, source.start, source.utc_offset_h))


def _began(source: LandscapeSource, ground: GriddedLandscape, fire: Fire, wind: WindSurvey) -> EventStart:
    assert ground.place is not None
    grid = ground.place.grid
    dates = fire.dates
    if source.start is None and not dates:
        offset = source.utc_offset_h if source.utc_offset_h is not None else guess_offset_h(grid, None)
        first = wind.first_date(offset)
        return find_start(grid, None, None, source.utc_offset_h, () if first is None else (first,), "of the wind")
    return find_start(grid, None, source.start, source.utc_offset_h, dates)


def _days(source: LandscapeSource, began: EventStart, fire: Fire, wind: WindSurvey) -> int:
    """Return days of weather, as :func:`import_landscape` says."""
    if source.days is not None:
        return source.days
    timed = wind.days_from(began.start, began.utc_offset_h)
    if timed is not None:
        return max(1, timed)
    if wind.samples > 1 and wind.step_h is not None:
        return max(1, math.floor(wind.samples * wind.step_h / 24.0))
    day_0 = (began.start + timedelta(hours=began.utc_offset_h)).date()
    span = (fire.dates[-1] - day_0).days + 1 if fire.dates else 0
    return span if span >= 1 else DAYS


def _event(source: LandscapeSource, lay: LandscapeLayout, began: EventStart, winds: WindFields) -> Scenario:
    place = lay.ground.place
    assert place is not None
    fire, layers = fire_notes(lay.fire), layer_notes(lay.ground)
    event = Scenario(
        name=source.name or _name(source),
        grid=place.grid,
        start=began.start,
        utc_offset_h=began.utc_offset_h,
        wind_speed=winds.speed,
        wind_dir=winds.towards,
        layers={key: layer.values for key, layer in lay.ground.layers.items()},
        ignition=lay.fire.ignition,
        observed=lay.fire.observed,
        observed_dates=lay.fire.dates,
        weather=winds.weather,
        weather_end=None if winds.until is None else WeatherEnd(source.wind.files[0].name, winds.until),
        notes=(*source.notes, *place.notes, *began.notes, *winds.notes, *_strong(winds), *fire, *layers),
    )
    return event.with_notes(describe_coverage(event))


def _strong(winds: WindFields) -> list[str]:
    strongest = float(np.max(winds.speed, initial=0.0))
    if strongest < HURRICANE_MS:
        return []
    mph = f"{strongest / METRES_PER_SECOND[SpeedUnit.MPH]:.0f} mph"
    return [f"The wind reaches {strongest:.0f} m/s ({mph}), which is a hurricane: check its unit (--wind-unit)."]


def fire_notes(fire: Fire) -> list[str]:
    """Return what there is of a fire, and how it was read."""
    if fire.observed is not None:
        return [describe_observed(fire.dates), *fire.notes]
    if fire.ignition is None:
        said = "There are no observed perimeters and no ignition: give either to have a fire to plan for."
        return [said, *fire.notes]
    if fire.notes:
        return [*fire.notes, "There are no observed perimeters."]
    return ["The fire starts in the one cell that was given; there are no observed perimeters."]


def layer_notes(ground: GriddedLandscape) -> list[str]:
    """Return how the layers were read and brought onto the grid."""
    return describe_layers(ground.layers) + list(ground.notes)


def _name(source: LandscapeSource) -> str:
    """Return the folder of the layers, a landscape file's own name."""
    if not source.layers and source.lcp is not None:
        return source.lcp.stem
    path = real_path(next(iter(source.layers.values())).path)
    return path.parent.name or path.stem

"""One event of a six-fire HDF5 file: the layout is in :mod:`~firegui.io.importers.events_file`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import LAYERS, Scenario
from firegui.errors import InputError, Problems
from firegui.io.array_files import Array
from firegui.io.importers.events_file import (
    EASTWARD,
    FIRE,
    NORTHWARD,
    EventArrays,
    EventEntry,
    entries,
    read_event,
    read_file,
)
from firegui.io.importers.georeferencing import check_when, find_placement
from firegui.io.importers.layer_values import (
    DEGREES,
    HUNDREDTHS_KGM3,
    METRES,
    PERCENT,
    TENTHS_M,
    ImportedLayer,
    describe_layers,
    read_values,
)
from firegui.io.importers.observations import describe_coverage, describe_observed
from firegui.io.source_files import cells_text, no_number
from firegui.io.times import guess_offset_h, local_midnight, offset_text
from firegui.io.weather.daily import NO_DATA, DailyWind, daily_wind

_ENCODINGS = {
    "elevation": METRES, "slope": DEGREES, "canopy_cover": PERCENT, "canopy_height": TENTHS_M,
    "canopy_density": HUNDREDTHS_KGM3,
}  # fmt: skip
"""The layout states these, so nothing has to be recognised."""

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class EventFileSource:
    """Which event of which file; ``event`` may be ``None`` where there is only one.

    The layout has no place: ``crs`` and ``transform`` (six coefficients) give it one, ``utc_offset_h`` its local time.
    """

    file: Path
    event: str | None = None
    crs: str | None = None
    transform: tuple[float, ...] | None = None
    utc_offset_h: float | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Observed:
    masks: NDArray[np.bool_] | None
    dates: tuple[date, ...]
    notes: tuple[str, ...]


def list_events(path: Path) -> tuple[EventEntry, ...]:
    """Return the events in a file.

    Raises :class:`~firegui.errors.InputError` for a file that is none or holds none.
    """
    problems, title = Problems(), f"{path} cannot be imported"
    file = read_file(path, problems)
    found = () if file is None else entries(file)
    if not found and not problems:
        problems.add(path.name, "holds no event", "give a file with one group an event, such as Bear_2020")
    problems.raise_if_any(title)
    return found


def import_events(source: EventFileSource) -> Scenario:
    """Read one event, with its weather from the first to the last day that has wind.

    Raises :class:`~firegui.errors.InputError` with everything that is wrong; without ``source.event`` that is the list
    of events where there are several.
    """
    held = list_events(source.file)
    problems, title = Problems(), f"{source.file} cannot be imported"
    check_when(None, source.utc_offset_h, problems)
    name = _choose(source, held, problems)
    if name is None:
        find_placement(
            None, None, source.crs, source.transform, problems
        )  # what is wrong with the place is said as well
        raise InputError(problems, title)
    file = read_file(source.file, problems)
    if file is None:  # gone since it was listed
        raise InputError(problems, title)
    arrays = read_event(file, name, problems)
    layers = _layers(name, arrays, problems)
    wind = daily_wind(arrays.stacks[EASTWARD], arrays.stacks[NORTHWARD], name, problems)
    observed = _observed(name, arrays.stacks[FIRE], problems)
    place = find_placement(arrays.shape, None, source.crs, source.transform, problems)
    problems.raise_if_any(title)
    assert place is not None and wind is not None
    offset = source.utc_offset_h if source.utc_offset_h is not None else guess_offset_h(place.grid, None)
    event = Scenario(
        name=source.name or name.replace("_", " "),
        grid=place.grid,
        start=local_midnight(wind.first, offset),
        utc_offset_h=offset,
        wind_speed=wind.speed,
        wind_dir=wind.towards,
        layers={key: layer.values for key, layer in layers.items()},
        observed=observed.masks,
        observed_dates=observed.dates,
    )
    begins = f"Day 0 is {wind.first}, the first with wind, from midnight at {offset_text(offset)}."
    said = (*place.notes, begins, *_notes(event, arrays, layers, wind, observed))
    return replace(event, notes=said)


def _choose(source: EventFileSource, held: tuple[EventEntry, ...], problems: Problems) -> str | None:
    names = [entry.name for entry in held]
    if source.event in names:
        return source.event
    if source.event is None and len(names) == 1:
        return names[0]
    what = f"holds {len(names)} events:" if source.event is None else f"holds no event {source.event!r}, but"
    problems.add(source.file.name, f"{what} {', '.join(names)}", "name one of them (--event)")
    return None


def _layers(name: str, arrays: EventArrays, problems: Problems) -> dict[str, ImportedLayer]:
    layers = {}
    for key in LAYERS:
        if key in arrays.layers:
            label, values = arrays.layers[key]
            layer = read_values(key, values, f"{name}/{label}", problems, NO_DATA, _ENCODINGS.get(key))
            if layer is not None:
                layers[key] = layer
    return layers


def _observed(name: str, stack: Mapping[date, Array], problems: Problems) -> _Observed:
    """Return cumulative masks of the dates on which something burned."""
    masks: dict[date, NDArray[np.bool_]] = {}
    holes = 0
    for when, raster in stack.items():
        unknown = no_number(raster) | (raster == NO_DATA)
        odd = ~unknown & (raster != 0) & (raster != 1) & (raster != 255)
        if odd.any():
            what = f"{odd.sum():,} cells hold neither 0 nor 1 nor 255 (such as {raster[odd][0]:g})"
            problems.add(f"{name}/{FIRE}/{when}", what, "give 1 or 255 where it has burned, 0 elsewhere")
        holes += int(unknown.sum())
        burned = ~unknown & (raster > 0)
        if burned.any():
            masks[when] = burned
    notes = [f"No data in {cells_text(holes)} of the fire rasters, taken not to burn."] if holes else []
    blank = len(stack) - len(masks)
    if blank:
        notes.append(f"Fire rasters without a burning cell are left out ({blank} of {len(stack)}).")
    if not masks:
        return _Observed(None, (), tuple(notes))
    return _Observed(np.logical_or.accumulate(np.stack(list(masks.values())), axis=0), tuple(masks), tuple(notes))


def _notes(
    event: Scenario, arrays: EventArrays, layers: Mapping[str, ImportedLayer], wind: DailyWind, observed: _Observed
) -> list[str]:
    notes = [*wind.notes, *observed.notes]
    if event.observed is None:
        notes.append("There are no observed perimeters and no ignition: nothing burns in this event.")
    else:
        notes.append(describe_observed(event.observed_dates))
    notes += describe_layers(layers)
    if arrays.unused:
        more = ", …" if len(arrays.unused) > _SHOWN else ""
        notes.append(f"Not used: {', '.join(arrays.unused[:_SHOWN])}{more}.")
    return notes + describe_coverage(event)

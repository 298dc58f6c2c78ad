"""A PyTorchFire example folder to a scenario: the layout is in :mod:`~firegui.io.importers.pytorchfire_fields`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import LAYERS, Scenario
from firegui.errors import InputError, Problems
from firegui.io.importers.placing import Place, find_place, find_start
from firegui.io.importers.pytorchfire_fields import NO_FIELDS, Fields, read_fields
from firegui.io.local_time import start_problems
from firegui.io.perimeters import read_perimeters

_SIMULATED = "come from a simulated run of PyTorchFire, not from the fire"


def import_pytorchfire(
    folder: Path,
    *,
    perimeters: Path | None = None,
    crs: str | None = None,
    transform: tuple[float, ...] | None = None,
    start: datetime | None = None,
    utc_offset_h: float | None = None,
    name: str | None = None,
) -> Scenario:
    """Read ``folder``; a published example is recognised by its content and placed on the map without being told.

    ``perimeters`` is a vector file or folder of observed perimeters, ``crs`` and ``transform`` (six coefficients) place
    the raster, ``start`` is the time of wind day 0 (UTC unless it says otherwise). What is not given is recognised,
    derived or left out, and the scenario's notes say which. Raises :class:`~firegui.errors.InputError` with every
    problem.
    """
    problems = Problems()
    title = f"{folder} cannot be imported"
    if not folder.is_dir():
        problems.add(str(folder), "the folder does not exist", "name the folder that holds p_veg.npz")
    fields = read_fields(folder, problems) if folder.is_dir() else NO_FIELDS
    place = find_place(fields.shape, fields.known, crs, transform, problems)
    observed, dates = _observed(perimeters, place, problems)
    if utc_offset_h is not None and not -14.0 <= utc_offset_h <= 14.0:
        problems.add("UTC offset", f"{utc_offset_h} hours", "give the fire's local offset, such as -7")
    if start is not None:
        problems.extend(start_problems(start, "start"))
    problems.raise_if_any(title)
    assert place is not None and fields.wind_speed is not None and fields.wind_dir is not None
    began = find_start(place.grid, fields.known, start, utc_offset_h, dates)
    event = Scenario(
        name=name or (fields.known.name if fields.known else folder.resolve().name),
        grid=place.grid,
        start=began.start,
        utc_offset_h=began.utc_offset_h,
        wind_speed=fields.wind_speed,
        wind_dir=fields.wind_dir,
        layers=fields.layers,
        # Beside observations a simulated start has no business: it would be taken for one of them.
        ignition=fields.ignition if observed is None else None,
        observed=observed,
        observed_dates=dates,
        notes=(*place.notes, *began.notes, *_notes(folder, fields, observed, dates)),
    )
    return replace(event, notes=(*event.notes, *_say_coverage(event)))


def _observed(
    path: Path | None, place: Place | None, problems: Problems
) -> tuple[NDArray[np.bool_] | None, tuple[date, ...]]:
    if path is None:
        return None, ()
    if place is None:
        # The grid is already reported; a missing file can be too.
        if not path.exists():
            problems.add(str(path), "the file does not exist", "check the path")
        return None, ()
    try:
        return read_perimeters(path, place.grid)
    except InputError as error:
        problems.extend(error.problems)
        return None, ()


def _notes(folder: Path, fields: Fields, observed: NDArray[np.bool_] | None, dates: Sequence[date]) -> list[str]:
    notes = list(fields.known.notes) if fields.known else []
    if observed is not None:
        notes.append(_say_observed(dates))
    elif fields.ignition is not None:
        notes.append(
            f"The fire starts from initial_ignition.npz, cells that {_SIMULATED}; there are no observed perimeters."
        )
    else:
        notes.append("There are no observed perimeters and no ignition: give perimeters to have a fire to plan for.")
    if (folder / "target.npz").exists():
        notes.append(f"target.npz was left out: its perimeters {_SIMULATED}.")
    if "slope" in fields.layers:
        notes.append("Slope is the steepness worked out from slope.npz; it gives no aspect.")
    missing = [LAYERS[key][0].lower() for key in LAYERS if key not in fields.layers]
    notes.append(f"Missing layers: {', '.join(missing)}.")
    return notes


def _say_coverage(event: Scenario) -> list[str]:
    """What to know when wind and perimeters do not begin on the same day."""
    if not event.observed_dates:
        return []
    first, last = event.date_of_day(0), event.date_of_day(event.days - 1)
    if event.observed_dates[0] > last:
        return [f"There is wind for {first} to {last} only, before the first perimeter: check the start."]
    if event.observed_dates[-1] < first:
        return [f"There is wind from {first} only, after the last perimeter: check the start."]
    if event.observed_dates[0] > first:
        day = (event.observed_dates[0] - first).days
        return [f"Day 0 ({first}) has no perimeter yet: a plan can start on day {day} at the earliest."]
    return []


def _say_observed(dates: Sequence[date]) -> str:
    span = (dates[-1] - dates[0]).days + 1
    gaps = sorted({date.fromordinal(n) for n in range(dates[0].toordinal(), dates[-1].toordinal())} - set(dates))
    text = f"Observed perimeters on {len(dates)} of {span} days, {dates[0]} to {dates[-1]}"
    if not gaps:
        return text + "."
    shown = ", ".join(str(gap) for gap in gaps[:5]) + (", …" if len(gaps) > 5 else "")
    return f"{text}; days without one show the day before ({shown})."

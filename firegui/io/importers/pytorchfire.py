"""A PyTorchFire example folder to a scenario: the layout is in :mod:`~firegui.io.importers.pytorchfire_fields`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import LAYERS, Scenario
from firegui.errors import Problems
from firegui.io.importers.observations import observe, say_coverage, say_observed
from firegui.io.importers.placing import check_when, find_place, find_start, local_offset
from firegui.io.importers.pytorchfire_fields import NO_FIELDS, Fields, read_fields
from firegui.io.perimeters import PerimeterSource

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
    asked, when = None if perimeters is None else PerimeterSource(perimeters), Problems()
    check_when(start, utc_offset_h, when)
    if asked is not None and place is not None and not when:
        asked = replace(asked, utc_offset_h=local_offset(place.grid, fields.known, start, utc_offset_h))
    seen = observe(asked, place, problems)
    observed, dates = seen.masks, seen.dates
    problems.extend(when)
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
        ignition=seen.ignition if seen.ignition is not None else fields.ignition if observed is None else None,
        observed=observed,
        observed_dates=dates,
        notes=(*place.notes, *began.notes, *_notes(folder, fields, observed, dates), *seen.notes),
    )
    return replace(event, notes=(*event.notes, *say_coverage(event)))


def _notes(folder: Path, fields: Fields, observed: NDArray[np.bool_] | None, dates: Sequence[date]) -> list[str]:
    notes = list(fields.known.notes) if fields.known else []
    if observed is not None:
        notes.append(say_observed(dates))
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

"""A PyTorchFire example folder to a scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import EXPECTED_LAYERS, LAYERS, Scenario
from firegui.errors import Problem, Problems
from firegui.io import array_files
from firegui.io.importers.georeferencing import (
    KnownGrid,
    check_when,
    find_placement,
    find_start,
    local_offset,
    recognise,
)
from firegui.io.importers.observations import describe_coverage, describe_observed, observe
from firegui.io.paths import real_path
from firegui.io.source_files import cells_problem, days_problem
from firegui.io.vectors.perimeters import PerimeterSource
from firegui.io.weather.conventions import STRONGEST_MS

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
    """Read a PyTorchFire example ``folder``.

    A published example is recognised by its content and placed on the map without being told. ``perimeters`` is a
    vector file or folder of observed perimeters, ``crs`` and ``transform`` (six coefficients) place the raster,
    ``start`` is the time of wind day 0 (UTC unless it says otherwise). What is not given is recognised, derived or left
    out, and the scenario's notes say which. Raises :class:`~firegui.errors.InputError` with every problem.
    """
    problems = Problems()
    title = f"{folder} cannot be imported"
    if not folder.is_dir():
        problems.add(str(folder), "the folder does not exist", "name the folder that holds p_veg.npz")
    fields = read_fields(folder, problems) if folder.is_dir() else NO_FIELDS
    place = find_placement(fields.shape, fields.known, crs, transform, problems)
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
        name=name or (fields.known.name if fields.known else real_path(folder).name),
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
    return replace(event, notes=(*event.notes, *describe_coverage(event)))


def _notes(
    folder: Path, fields: PytorchFireFields, observed: NDArray[np.bool_] | None, dates: Sequence[date]
) -> list[str]:
    notes = list(fields.known.notes) if fields.known else []
    if observed is not None:
        notes.append(describe_observed(dates))
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
    missing = [LAYERS[key][0].lower() for key in EXPECTED_LAYERS if key not in fields.layers]
    notes.append(f"Missing layers: {', '.join(missing)}.")
    return notes


REQUIRED = ("p_veg", "p_den", "wind_velocity", "wind_towards_direction")
OPTIONAL = ("initial_ignition", "slope")
_LEAD = {"wind_velocity": 1, "wind_towards_direction": 1}
_TAIL = {"slope": (3, 3)}
_ONE_GRID = "bring every file onto one grid"

Raster = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class PytorchFireFields:
    """What could be read of an example folder.

    ``None`` stands for what was reported. ``shape`` is the raster's rows and columns.
    """

    shape: tuple[int, int] | None
    known: KnownGrid | None
    layers: dict[str, Raster]
    wind_speed: Raster | None
    wind_dir: Raster | None
    ignition: NDArray[np.bool_] | None


NO_FIELDS = PytorchFireFields(None, None, {}, None, None, None)
"""What can be read where there is no folder."""


def read_fields(folder: Path, problems: Problems) -> PytorchFireFields:
    """Read, decode and check every file of the folder, adding all that is wrong to ``problems``.

    The sizes are judged first, and what has a wrong one is not read.
    """
    headers = _headers(folder, problems)
    shape = _raster_shape(headers)
    fitting = _fitting(headers, shape, problems)
    arrays = _load(folder, fitting, problems)
    decoded = {
        "canopy_cover": _decoded(arrays, "p_veg", 0.4, 100.0, 100.0, problems),
        "canopy_density": _decoded(arrays, "p_den", 0.2, 0.5, 5.0, problems),
        "slope": _slope(arrays, problems),
    }
    ignition = arrays.get("initial_ignition")
    return PytorchFireFields(
        shape,
        recognise(arrays["p_veg"]) if "p_veg" in arrays else None,
        {key: layer for key, layer in decoded.items() if layer is not None},
        _speed(arrays, problems),
        _towards(arrays, problems),
        None if ignition is None else _ignition(ignition, problems),
    )


def _headers(folder: Path, problems: Problems) -> dict[str, array_files.Header]:
    headers = {}
    for key in (*REQUIRED, *OPTIONAL):
        path = folder / f"{key}.npz"
        if key in OPTIONAL and not path.exists():
            continue
        with array_files.opened(path, problems) as archive:
            header = None if archive is None else array_files.header(archive, "data", path.name, problems)
        if header is not None:
            headers[key] = header
    return headers


def _load(folder: Path, keys: Sequence[str], problems: Problems) -> dict[str, array_files.Array]:
    arrays = {}
    for key in keys:
        path = folder / f"{key}.npz"
        with array_files.opened(path, problems) as archive:
            value = None if archive is None else array_files.array(archive, "data", path.name, problems)
        if value is not None:
            arrays[key] = value
    return arrays


def _raster_shape(headers: Mapping[str, array_files.Header]) -> tuple[int, int] | None:
    """Return the rows and columns that most files have, of several the first.

    With them the odd files can be named.
    """
    shapes = Counter(
        header.shape[_LEAD.get(key, 0) :][:2]
        for key, header in headers.items()
        if header.ndim == _LEAD.get(key, 0) + 2 + len(_TAIL.get(key, ()))
    )
    found = next(iter(shapes.most_common(1)), None)
    return None if found is None else (found[0][0], found[0][1])


def _fitting(headers: Mapping[str, array_files.Header], shape: tuple[int, int] | None, problems: Problems) -> list[str]:
    """Return the files that are of a size with ``shape``.

    All others are reported, and every one where no raster can be.
    """
    if shape is None:
        problems.extend(
            Problem(f"{key}.npz", _describe_shape(key, header, header.shape, None), _ONE_GRID)
            for key, header in headers.items()
        )
        return []
    if (problem := cells_problem("p_veg.npz", *shape)) is not None:
        problems.extend([problem])
        return []
    fitting = []
    for key, header in headers.items():
        lead = _LEAD.get(key, 0)
        wanted = (*header.shape[:lead], *shape, *_TAIL.get(key, ()))
        found = [] if header.shape == wanted else [_describe_shape(key, header, wanted, shape)]
        problems.extend(Problem(f"{key}.npz", what, _ONE_GRID) for what in found)
        if lead and not found and (problem := days_problem(f"{key}.npz", header.shape[0])) is not None:
            problems.extend([problem])
        elif not found:
            fitting.append(key)
    days = {key: headers[key].shape[0] for key in _LEAD if key in headers and headers[key].ndim == 3}
    if len(set(days.values())) > 1:
        counts = " and ".join(f"{key}.npz has {n} days" for key, n in days.items())
        problems.add("wind", counts, "give speed and direction for the same days")
    return fitting


def _describe_shape(
    key: str, header: array_files.Header, wanted: tuple[int, ...], shape: tuple[int, int] | None
) -> str:
    named = [*("D" * _LEAD.get(key, 0)), *(str(n) for n in shape or ("H", "W")), *(str(n) for n in _TAIL.get(key, ()))]
    turned = ": its axes are transposed" if array_files.is_reordered(header.shape, wanted) else ""
    return f"has shape [{', '.join(str(n) for n in header.shape)}], not [{', '.join(named)}]{turned}"


def _decoded(
    arrays: Mapping[str, array_files.Array], key: str, offset: float, scale: float, high: float, problems: Problems
) -> Raster | None:
    """Return ``(value + offset) · scale`` in 0 … ``high``, rounded to take off the noise of the coding."""
    if key not in arrays:
        return None
    where = f"{key}.npz"
    if array_files.floats(arrays[key], where, problems) is None:
        return None
    value = np.round((np.asarray(arrays[key], np.float64) + offset) * scale, 4)
    if value.size and not 0.0 <= value.min() <= value.max() <= high:
        problems.add(
            where, f"decodes to {value.min():g} … {value.max():g}, outside 0 … {high:g}", "check how it is coded"
        )
        return None
    return np.asarray(value, np.float32)


def _speed(arrays: Mapping[str, array_files.Array], problems: Problems) -> Raster | None:
    raw = arrays.get("wind_velocity")
    if raw is None:
        return None
    return array_files.floats(raw, "wind_velocity.npz", problems, low=0.0, high=STRONGEST_MS, unit=" m/s")


def _towards(arrays: Mapping[str, array_files.Array], problems: Problems) -> Raster | None:
    """Convert degrees to radians; the sense (towards, counter-clockwise from east) is already ours."""
    raw = arrays.get("wind_towards_direction")
    if raw is None or array_files.floats(raw, "wind_towards_direction.npz", problems) is None:
        return None
    return np.deg2rad(np.asarray(raw, np.float64)).astype(np.float32)


def _ignition(raw: array_files.Array, problems: Problems) -> NDArray[np.bool_] | None:
    burning = array_files.flags(raw, "initial_ignition.npz", problems)
    if burning is not None and burning.size and not burning.any():
        remedy = "mark at least one cell, or leave the file out"
        problems.add("initial_ignition.npz", "no cell burns at the start", remedy)
    return burning


def _slope(arrays: Mapping[str, array_files.Array], problems: Problems) -> Raster | None:
    """Return steepness in degrees from the angles towards the four edge neighbours (central differences).

    Whether an angle counts up or down does not matter for it, and would for the aspect, which is left out.
    """
    raw = arrays.get("slope")
    if raw is None or array_files.floats(raw, "slope.npz", problems) is None or raw.shape[2:] != (3, 3):
        return None
    rise = np.tan(np.deg2rad(np.clip(np.asarray(raw, np.float64), -89.0, 89.0)))
    eastward = (rise[..., 1, 2] - rise[..., 1, 0]) / 2.0
    southward = (rise[..., 2, 1] - rise[..., 0, 1]) / 2.0
    return np.degrees(np.arctan(np.hypot(eastward, southward))).astype(np.float32)

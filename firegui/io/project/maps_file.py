"""Maps npz, through which the spread maps of any fire model come in, and ours go out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from firegui.domain.calendar import STEPS_PER_DAY_LIMITS
from firegui.domain.coverage import HIGHEST, LOWEST
from firegui.domain.grid import CELL_SIZES_M, Grid
from firegui.domain.maps import (
    BURN_STEPS_LIMITS,
    PERIODS_LIMITS,
    SPREAD_LIMITS,
    FireMaps,
    equal_periods_problems,
    speed_problems,
    whole_days_problems,
)
from firegui.domain.options import limits_text
from firegui.domain.scenario import EXPECTED_LAYERS, LAYERS, UNKNOWN_START, Scenario
from firegui.domain.stencil import EIGHT, STENCILS
from firegui.errors import Problems
from firegui.io import array_files
from firegui.io import crs as crs_io
from firegui.io.atomic import writing
from firegui.io.source_files import cells_problem, days_problem, first_few
from firegui.io.times import as_utc, guess_offset_h, offset_text, start_problems
from firegui.io.weather.conventions import STRONGEST_MS


@dataclass(frozen=True, slots=True, eq=False)
class MapsFile:
    """What a maps file holds.

    ``start`` is ``None`` where it gives none, ``unused`` names arrays not looked at.
    """

    maps: FireMaps
    grid: Grid
    start: datetime | None
    unused: tuple[str, ...]


def import_maps(path: Path) -> tuple[Scenario, FireMaps]:
    """Read a maps file as an event of its own: its wind, its ignition, no landscape layers.

    ``phi [D P, N, H, W]`` of 8 or 16 neighbours, ``gamma [D P, H, W]``, ``burnable [H, W]``, ``wind_speed`` and
    ``wind_dir [D P, H, W]``, ``ignition [H, W]``, scalars ``T_burn``, ``S_day``, ``dx`` (m), ``c_req`` (gal/100 ft²);
    optional ``transform [6]``, ``crs``, ``start``, ``periods_per_day`` P, else 1, ``moving_start`` 0 or 1, else 0. The
    event has the mean wind of each day, the maps that of each period.

    Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    held = read_maps(path)
    offset = guess_offset_h(held.grid, held.start)
    speed, towards = held.maps.daily_wind()
    scenario = Scenario(
        name=path.stem,
        grid=held.grid,
        start=held.start or UNKNOWN_START,
        utc_offset_h=offset,
        wind_speed=speed,
        wind_dir=towards,
        layers={},
        ignition=held.maps.ignition,
        steps_per_day=held.maps.steps_per_day,
        notes=tuple(_notes(path, held, offset)),
    )
    return scenario, held.maps


def read_maps(path: Path) -> MapsFile:
    """Read and check a maps file.

    Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    problems = Problems()
    title = f"The maps file {path.name} cannot be used"
    with array_files.opened(path, problems) as archive:
        problems.raise_if_any(title)
        assert archive is not None
        if not any(key in archive for key in _AXES):
            held = first_few(sorted(archive), 5) or "no arrays"
            remedy = (
                "choose a file with the arrays of a fire model (phi, gamma, burnable and more), as firegui maps writes "
                "them; the help page on file formats has the list"
            )
            problems.add(path.name, f"is not a maps file: it holds {held}", remedy)
            problems.raise_if_any(title)
        fields = read_fields(archive, problems)
    problems.raise_if_any(title)
    return MapsFile(fields.maps(), fields.grid(), fields.start, fields.unused)


def write_maps(path: Path, maps: FireMaps, grid: Grid, start: datetime | None) -> None:
    """Write ``maps`` on ``grid``, atomically.

    :func:`import_maps` reads back the same arrays bit for bit, but that burned-out cells become cells that do not burn.
    """
    burnable = maps.burnable if maps.burned_out is None else maps.burnable & ~maps.burned_out
    arrays: dict[str, Any] = {
        "phi": np.asarray(maps.phi, np.float32),
        "gamma": np.asarray(maps.gamma, np.float32),
        "burnable": np.asarray(burnable, np.bool_),
        "wind_speed": np.asarray(maps.wind_speed, np.float32),
        "wind_dir": np.asarray(maps.wind_dir, np.float32),
        "ignition": np.asarray(maps.ignition, np.bool_),
        "T_burn": np.float64(maps.t_burn),
        "S_day": np.int64(maps.steps_per_day),
        "dx": np.float64(maps.cell_size_m),
        "c_req": np.float64(maps.c_req),
    }
    if maps.periods_per_day != 1:
        arrays[_PERIODS] = np.int64(maps.periods_per_day)
    if maps.moving_start:
        arrays[_MOVING] = np.int64(1)
    if grid.transform is not None and grid.crs is not None:
        arrays |= {"transform": np.array(grid.transform, np.float64), "crs": np.str_(grid.crs)}
    if start is not None:
        arrays["start"] = np.str_(as_utc(start).astimezone(UTC).isoformat().replace("+00:00", "Z"))
    with writing(path) as file:
        np.savez(file, **arrays)


def _notes(path: Path, held: MapsFile, offset: float) -> list[str]:
    notes = [f"Fire model and wind from {path.name}; the landscape behind them is not known."]
    if held.maps.periods_per_day > 1:
        notes.append(
            f"{held.maps.periods_per_day} periods a day: the fire spreads and drops drift in the wind of the period; "
            "the wind of a day is the mean of its periods."
        )
    if held.start is None:
        notes.append("The date of the fire is not known: the file gives no start.")
    if held.grid.is_georeferenced:
        notes.append(f"Local time taken to be {offset_text(offset)}.")
    else:
        notes.append("No place on the map: the file gives no CRS and transform.")
    if held.unused:
        notes.append(f"Not used: {', '.join(held.unused)}.")
    notes.append(f"Missing layers: {', '.join(LAYERS[key][0].lower() for key in EXPECTED_LAYERS)}.")
    return notes


_FLOATS: Mapping[str, dict[str, Any]] = {
    "phi": {"low": SPREAD_LIMITS[0], "high": SPREAD_LIMITS[1]},
    "gamma": {"low": SPREAD_LIMITS[0], "high": SPREAD_LIMITS[1]},
    "wind_speed": {"low": 0.0, "high": STRONGEST_MS, "unit": " m/s"},
    "wind_dir": {},
}
"""What the values of each array have to keep to, as :func:`firegui.io.array_files.floats` takes it."""

_OF_NEIGHBOURS = ", N = 8 neighbours or 16"
_OF_PERIODS = ", D = days × periods_per_day"
_FLAGS = ("burnable", "ignition")
_SCALARS = ("T_burn", "S_day", "dx", "c_req")
_PERIODS = "periods_per_day"
_MOVING = "moving_start"
_OPTIONAL = (_PERIODS, _MOVING, "transform", "crs", "start")
_AXES = {"phi": "DNHW", "gamma": "DHW", "wind_speed": "DHW", "wind_dir": "DHW", "burnable": "HW", "ignition": "HW"}
_LIMITS: Mapping[str, tuple[tuple[float, float], str]] = {
    "T_burn": (BURN_STEPS_LIMITS, "burn duration in steps"),
    "S_day": (STEPS_PER_DAY_LIMITS, "steps a day, a whole number"),
    _PERIODS: (PERIODS_LIMITS, "periods of a day, a whole number"),
    _MOVING: ((0.0, 1.0), "number 1 for a front in motion at the start, else 0"),
    "dx": (CELL_SIZES_M, "cell size in metres"),
    "c_req": ((LOWEST, HIGHEST), "required coverage in gal/100 ft²"),
}


@dataclass(slots=True, eq=False)
class MapsFields:
    """What could be read; only complete once the problems have been raised."""

    arrays: dict[str, Any]
    numbers: dict[str, float]
    transform: tuple[float, ...] | None
    crs: str | None
    start: datetime | None
    unused: tuple[str, ...]

    def maps(self) -> FireMaps:
        """Return the maps, once everything is known to be right."""
        a, n = self.arrays, self.numbers
        return FireMaps(
            a["phi"], a["gamma"], a["burnable"], a["wind_speed"], a["wind_dir"], a["ignition"],
            n["T_burn"], int(n["S_day"]), n["dx"], n["c_req"], int(n.get(_PERIODS, 1)),
            moving_start=bool(n.get(_MOVING, 0)),
        )  # fmt: skip

    def grid(self) -> Grid:
        """Return the raster the maps are on."""
        rows, columns = self.arrays["burnable"].shape
        return Grid(int(rows), int(columns), self.numbers["dx"], self.transform, self.crs)  # type: ignore[arg-type]


def read_fields(archive: Mapping[str, array_files.Array], problems: Problems) -> MapsFields:
    """Read every entry, adding all that is wrong to ``problems``."""
    headers = {
        key: header
        for key in (*_FLOATS, *_FLAGS)
        if (header := array_files.header(archive, key, key, problems)) is not None
    }
    periods = _number(archive, _PERIODS, problems) if _PERIODS in archive else 1.0
    arrays: dict[str, Any] = {}
    for key in _fitting(headers, int(periods or 1), problems):
        value = array_files.array(archive, key, key, problems)
        if value is not None:
            arrays[key] = (
                array_files.flags(value, key, problems)
                if key in _FLAGS
                else array_files.floats(value, key, problems, **_FLOATS[key])
            )
    numbers = {key: number for key in _SCALARS if (number := _number(archive, key, problems)) is not None}
    if _MOVING in archive and (moving := _number(archive, _MOVING, problems)) is not None:
        numbers[_MOVING] = moving
    crs, start = _text(archive, "crs", problems), _start(archive, problems)
    transform = _transform(archive, problems)
    if periods is not None:
        numbers[_PERIODS] = periods
        if "S_day" in numbers:
            problems.extend(equal_periods_problems(int(periods), int(numbers["S_day"])))
    unused = [key for key in archive if key not in _AXES and key not in _SCALARS and key not in _OPTIONAL]
    # Either alone says nothing about the place; the fire can be planned without one.
    if "transform" in archive and "crs" not in archive:
        transform, unused = None, [*unused, "transform (without crs)"]
    elif "crs" in archive and "transform" not in archive:
        crs, unused = None, [*unused, "crs (without transform)"]
    fields = MapsFields(arrays, numbers, transform, crs, start, tuple(unused))
    _check_ignition(arrays, problems)
    if all(arrays.get(key) is not None for key in ("phi", "gamma", "burnable")):
        problems.extend(speed_problems(arrays["phi"], arrays["gamma"], arrays["burnable"]))
    if arrays.get("burnable") is not None and "dx" in numbers:
        problems.extend(crs_io.grid_problems(fields.grid()))
    return fields


def _fitting(headers: Mapping[str, array_files.Header], periods: int, problems: Problems) -> list[str]:
    """Return the arrays that have the sizes D, H, W of most of them.

    The others are reported, and all of a size beyond reason. Nothing has been read yet, so that what is only claimed
    costs nothing.
    """
    found: dict[str, Counter[int]] = {"N": Counter([_neighbours(headers)])}
    for key, header in headers.items():
        if header.ndim == len(_AXES[key]):
            for axis, size in zip(_AXES[key], header.shape, strict=True):
                found.setdefault(axis, Counter()).update([size] if axis != "N" else [])
    sizes = {axis: counts.most_common(1)[0][0] for axis, counts in found.items()}
    whole = [cells_problem("maps", sizes["H"], sizes["W"])] if "H" in sizes else []
    if "D" in sizes:
        days, rest = divmod(sizes["D"], periods)
        whole += [days_problem("maps", days + (rest > 0)), *whole_days_problems(periods, sizes["D"])]
    refused = [problem for problem in whole if problem is not None]
    problems.extend(refused)
    fitting = []
    for key, header in headers.items():
        wanted = tuple(sizes.get(axis, axis) for axis in _AXES[key])
        if header.shape == wanted:
            fitting += [] if refused else [key]
        else:
            turned = ": its axes are transposed" if array_files.is_reordered(header.shape, wanted) else ""
            what = f"has shape [{_listed(header.shape)}], not [{_listed(wanted)}]{turned}"
            more = (_OF_NEIGHBOURS if key == "phi" else "") + (_OF_PERIODS if periods > 1 and "D" in _AXES[key] else "")
            problems.add(key, what, f"axes are [{_listed(_AXES[key])}]{more}")
    return fitting


def _neighbours(headers: Mapping[str, array_files.Header]) -> int:
    """Return the size of the neighbour axis of ``phi`` where it is that of a stencil, else the paper's."""
    header = headers.get("phi")
    count = header.shape[1] if header is not None and header.ndim == len(_AXES["phi"]) else 0
    return count if count in STENCILS else len(EIGHT.offsets)


def _listed(sizes: Iterable[object]) -> str:
    return ", ".join(str(size) for size in sizes)


def _check_ignition(arrays: Mapping[str, Any], problems: Problems) -> None:
    ignition = arrays.get("ignition")
    if ignition is not None and not ignition.any():
        problems.add("ignition", "no cell burns at the start", "mark at least one cell")


def _number(archive: Mapping[str, array_files.Array], key: str, problems: Problems) -> float | None:
    value = array_files.array(archive, key, key, problems)
    if value is None:
        return None
    (low, high), meaning = _LIMITS[key]
    remedy = f"give the {meaning}, {limits_text(low, high)}"
    if value.size != 1 or value.dtype.kind not in "fiu":
        problems.add(key, f"is not one number (shape {list(value.shape)}, {value.dtype})", remedy)
        return None
    number = float(value.reshape(()))
    if not low <= number <= high or (key in ("S_day", _PERIODS, _MOVING) and number != int(number)):
        problems.add(key, f"is {number:g}", remedy)
        return None
    return number


def _transform(archive: Mapping[str, array_files.Array], problems: Problems) -> tuple[float, ...] | None:
    if "transform" not in archive:
        return None
    value = array_files.array(archive, "transform", "transform", problems)
    if value is None:
        return None
    if value.size == 9 and value.dtype.kind in "fiu" and tuple(value.reshape(9)[6:]) == (0, 0, 1):
        value = value.reshape(9)[:6]  # the whole affine matrix, as some libraries write it
    if value.shape != (6,) or value.dtype.kind not in "fiu" or not np.isfinite(value).all():
        problems.add(
            "transform",
            f"is not six numbers (shape {list(value.shape)})",
            "give a, b, c, d, e, f, or leave it out with crs",
        )
        return None
    return tuple(float(v) for v in value)


def _text(archive: Mapping[str, array_files.Array], key: str, problems: Problems) -> str | None:
    if key not in archive:
        return None
    value = array_files.array(archive, key, key, problems)
    if value is None:
        return None
    if value.size != 1 or value.dtype.kind not in "US":
        problems.add(key, f"is not one text ({value.dtype})", "save it as text, or leave it out")
        return None
    item = value.reshape(()).item()
    return item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)


def _start(archive: Mapping[str, array_files.Array], problems: Problems) -> datetime | None:
    text = _text(archive, "start", problems)
    if text is None:
        return None
    try:
        start = as_utc(datetime.fromisoformat(text))
        problems.extend(start_problems(start, "start"))
        return start
    except (ValueError, OverflowError):
        problems.add("start", f"{text!r} is not an ISO time", "write it as 2020-08-19T07:00:00Z")
        return None

"""The arrays and scalars of a maps file, checked one by one so that everything wrong is said at once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from firegui.domain.grid import Grid
from firegui.domain.maps import FireMaps
from firegui.errors import Problems
from firegui.io import crs as crs_io
from firegui.io import npz
from firegui.io.importers.daily_wind import STRONGEST_MS
from firegui.io.local_time import as_utc, start_problems
from firegui.io.source_files import cells_problem, days_problem

_FLOATS: Mapping[str, dict[str, Any]] = {
    "phi": {"low": 0.0},
    "gamma": {"low": 0.0},
    "wind_speed": {"low": 0.0, "high": STRONGEST_MS, "unit": " m/s"},
    "wind_dir": {},
}
"""What the values of each array have to keep to, as :func:`firegui.io.npz.floats` takes it."""

_FLAGS = ("burnable", "ignition")
_SCALARS = ("T_burn", "S_day", "dx", "c_req")
_OPTIONAL = ("transform", "crs", "start")
_AXES = {"phi": "D8HW", "gamma": "DHW", "wind_speed": "DHW", "wind_dir": "DHW", "burnable": "HW", "ignition": "HW"}
_LIMITS: Mapping[str, tuple[float, bool, str]] = {
    "T_burn": (1.0, True, "burn duration in steps, 1 or more"),
    "S_day": (1.0, True, "steps a day, 1 or more"),
    "dx": (0.0, False, "cell size in metres, above 0"),
    "c_req": (0.0, False, "required coverage in gal/100 ft², above 0"),
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
        """The maps, once everything is known to be right."""
        a, n = self.arrays, self.numbers
        return FireMaps(
            a["phi"], a["gamma"], a["burnable"], a["wind_speed"], a["wind_dir"], a["ignition"],
            n["T_burn"], int(n["S_day"]), n["dx"], n["c_req"],
        )  # fmt: skip

    def grid(self) -> Grid:
        """The raster the maps are on."""
        rows, columns = self.arrays["burnable"].shape
        return Grid(int(rows), int(columns), self.numbers["dx"], self.transform, self.crs)  # type: ignore[arg-type]


def read_fields(archive: Mapping[str, npz.Array], problems: Problems) -> MapsFields:
    """Read every entry, adding all that is wrong to ``problems``."""
    headers = {
        key: header for key in (*_FLOATS, *_FLAGS) if (header := npz.header(archive, key, key, problems)) is not None
    }
    arrays: dict[str, Any] = {}
    for key in _fitting(headers, problems):
        value = npz.array(archive, key, key, problems)
        if value is not None:
            arrays[key] = (
                npz.flags(value, key, problems) if key in _FLAGS else npz.floats(value, key, problems, **_FLOATS[key])
            )
    numbers = {key: number for key in _SCALARS if (number := _number(archive, key, problems)) is not None}
    crs, start = _text(archive, "crs", problems), _start(archive, problems)
    transform = _transform(archive, problems)
    unused = [key for key in archive if key not in _AXES and key not in _SCALARS and key not in _OPTIONAL]
    # Either alone says nothing about the place; the fire can be planned without one.
    if "transform" in archive and "crs" not in archive:
        transform, unused = None, [*unused, "transform (without crs)"]
    elif "crs" in archive and "transform" not in archive:
        crs, unused = None, [*unused, "crs (without transform)"]
    fields = MapsFields(arrays, numbers, transform, crs, start, tuple(unused))
    _check_ignition(arrays, problems)
    if arrays.get("burnable") is not None and "dx" in numbers:
        problems.extend(crs_io.grid_problems(fields.grid()))
    return fields


def _fitting(headers: Mapping[str, npz.Header], problems: Problems) -> list[str]:
    """The arrays that have the sizes D, H, W of most of them; the others are reported, and all of a size beyond reason.

    Nothing has been read yet, so that what is only claimed costs nothing.
    """
    found: dict[str, Counter[int]] = {"8": Counter([8])}
    for key, header in headers.items():
        if header.ndim == len(_AXES[key]):
            for axis, size in zip(_AXES[key], header.shape, strict=True):
                found.setdefault(axis, Counter()).update([size] if axis != "8" else [])
    sizes = {axis: counts.most_common(1)[0][0] for axis, counts in found.items()}
    whole = [cells_problem("maps", sizes["H"], sizes["W"])] if "H" in sizes else []
    whole += [days_problem("maps", sizes["D"])] if "D" in sizes else []
    refused = [problem for problem in whole if problem is not None]
    problems.extend(refused)
    fitting = []
    for key, header in headers.items():
        wanted = tuple(sizes.get(axis, axis) for axis in _AXES[key])
        if header.shape == wanted:
            fitting += [] if refused else [key]
        else:
            turned = ": its axes are transposed" if npz.is_reordered(header.shape, wanted) else ""
            what = f"has shape [{_listed(header.shape)}], not [{_listed(wanted)}]{turned}"
            problems.add(key, what, f"axes are [{_listed(_AXES[key])}]")
    return fitting


def _listed(sizes: Iterable[object]) -> str:
    return ", ".join(str(size) for size in sizes)


def _check_ignition(arrays: Mapping[str, Any], problems: Problems) -> None:
    ignition = arrays.get("ignition")
    if ignition is not None and not ignition.any():
        problems.add("ignition", "no cell burns at the start", "mark at least one cell")


def _number(archive: Mapping[str, npz.Array], key: str, problems: Problems) -> float | None:
    value = npz.array(archive, key, key, problems)
    if value is None:
        return None
    low, inclusive, meaning = _LIMITS[key]
    if value.size != 1 or value.dtype.kind not in "fiu":
        problems.add(key, f"is not one number (shape {list(value.shape)}, {value.dtype})", f"give the {meaning}")
        return None
    number = float(value.reshape(()))
    inside = number >= low if inclusive else number > low
    if not (math.isfinite(number) and inside) or (key == "S_day" and number != int(number)):
        problems.add(key, f"is {number:g}", f"give the {meaning}" + (", a whole number" if key == "S_day" else ""))
        return None
    return number


def _transform(archive: Mapping[str, npz.Array], problems: Problems) -> tuple[float, ...] | None:
    if "transform" not in archive:
        return None
    value = npz.array(archive, "transform", "transform", problems)
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


def _text(archive: Mapping[str, npz.Array], key: str, problems: Problems) -> str | None:
    if key not in archive:
        return None
    value = npz.array(archive, key, key, problems)
    if value is None:
        return None
    if value.size != 1 or value.dtype.kind not in "US":
        problems.add(key, f"is not one text ({value.dtype})", "save it as text, or leave it out")
        return None
    item = value.reshape(()).item()
    return item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)


def _start(archive: Mapping[str, npz.Array], problems: Problems) -> datetime | None:
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

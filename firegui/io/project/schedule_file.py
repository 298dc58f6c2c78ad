"""Schedules in: CSV and ``plan.safetensors``.

CSV is what people and other programs write; ``plan.safetensors`` holds the optimizer's own variables.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_safetensors
from safetensors.numpy import save as save_safetensors

from firegui.domain.fleet import Fleet
from firegui.domain.options import number_from_text
from firegui.domain.project import Project
from firegui.domain.schedule import LISTED_LOGIT, Schedule
from firegui.errors import Problem, Problems
from firegui.io.array_files import no_tensors
from firegui.io.atomic import write_bytes
from firegui.io.source_files import read_bytes
from firegui.io.tables import with_formula

REQUIRED_COLUMNS = ("step", "aircraft", "y", "x", "theta")
_SHOWN_ROWS = 20
_TRUE = ("true", "1", "yes")
_AS_WRITTEN = "use plan.safetensors as a run wrote it"
_FIT = "set the number of aircraft and the days of the project back, or use a plan that was made for them"


def read_schedule(path: Path, fleet: Fleet, n_steps: int, shape: tuple[int, int]) -> Schedule:
    """Read a schedule for ``fleet`` over ``n_steps`` steps on a raster of ``shape``.

    A CSV needs the columns ``step, aircraft, y, x, theta``; others are ignored. A listed drop gets the logit +3, an
    unlisted pair −3 and the pose (0, 0, 0). A ``.safetensors`` file holds ``D [T, A]`` with ``z [T, A, 3]`` (pose
    logits) or ``pose [T, A, 3]``. Raises :class:`~firegui.errors.InputError` listing every row that cannot be flown.
    """
    problems = Problems()
    title = f"The schedule {path.name} cannot be used"
    data = read_bytes(path, problems)
    problems.raise_if_any(title)
    assert data is not None
    if is_plan(path):
        schedule = _from_safetensors(data, fleet, n_steps, shape, problems)
    else:
        listing = _from_csv(data, _Limits(fleet_ids(fleet), n_steps, shape), problems)
        schedule = None if listing is None else listing.schedule
    problems.raise_if_any(title)
    assert schedule is not None
    return schedule


def read_project_schedule(path: Path, project: Project) -> Schedule:
    """Read a schedule for the planned fleet and days of ``project``. Raises like :func:`read_schedule`."""
    return read_schedule(path, project.planned_fleet, project.calendar.n_steps, project.scenario.grid.shape)


def is_plan(path: Path) -> bool:
    """Return whether the file holds the optimizer's own variables rather than a list of drops."""
    return path.suffix.lower() == ".safetensors"


@dataclass(frozen=True, slots=True)
class Claim:
    """Row of a CSV that claims to be an executed drop.

    ``flight_hours`` and ``cost`` are what it states in columns of these names, ``None`` without a number. A cost in
    another currency than the fleet's is ``None``, too.
    """

    step: int
    column: int
    flight_hours: float | None = None
    cost: float | None = None

    @property
    def pair(self) -> tuple[int, int]:
        """Step and column."""
        return self.step, self.column


def read_claims(path: Path, fleet: Fleet, n_steps: int) -> tuple[Schedule, list[Claim]]:
    """Read a CSV as what it claims to be executed, for the audit.

    Returns the listed drops and a claim for each row whose ``executed`` is true, or for every row where there is no
    such column. A second drop of an aircraft at a step and a drop off the raster are kept: to find them is the audit's
    work. Raises :class:`~firegui.errors.InputError` for rows that name no aircraft or step of the plan.
    """
    problems = Problems()
    title = f"The schedule {path.name} cannot be used"
    data = read_bytes(path, problems)
    problems.raise_if_any(title)
    assert data is not None
    listing = _from_csv(data, _Limits(fleet_ids(fleet), n_steps, None, fleet.currency), problems)
    problems.raise_if_any(title)
    assert listing is not None
    return listing.schedule, listing.claims


def write_plan_safetensors(path: Path, schedule: Schedule) -> None:
    """Write ``D`` and ``z`` (pose logits, from which the poses follow), or ``pose`` where there are none.

    Float64.
    """
    arrays = {"D": np.ascontiguousarray(schedule.logits, np.float64)}
    if schedule.pose_logits is not None:
        arrays["z"] = np.ascontiguousarray(schedule.pose_logits, np.float64)
    else:
        arrays["pose"] = np.ascontiguousarray(schedule.poses, np.float64)
    write_bytes(path, save_safetensors(arrays))


def fleet_ids(fleet: Fleet) -> dict[str, int]:
    """Return the column of every aircraft by its name in a schedule, such as ``S-2T-1``."""
    return {tail.name: tail.index for tail in fleet.tails}


@dataclass(frozen=True, slots=True)
class _Limits:
    columns: dict[str, int]
    n_steps: int
    shape: tuple[int, int] | None  # None: drops off the raster and repeated drops are let through
    currency: str = ""


@dataclass(frozen=True, slots=True)
class _Listing:
    schedule: Schedule
    claims: list[Claim]


def _from_csv(data: bytes, limits: _Limits, problems: Problems) -> _Listing | None:
    try:
        # utf-8-sig takes off the mark that spreadsheet programs put first.
        rows = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        header = [name.strip().lower() for name in next(rows, [])]
        where = _columns(header, problems)
        return None if where is None else _fill(rows, where, header, limits, problems)
    except UnicodeDecodeError:
        problems.add("file", "is not text in UTF-8", "save it as CSV UTF-8")
    except csv.Error as error:
        problems.add("file", f"is not valid CSV ({error})", "save it as comma-separated CSV")
    return None


def _columns(header: Sequence[str], problems: Problems) -> list[int] | None:
    missing = [name for name in REQUIRED_COLUMNS if name not in header]
    twice = [name for name in REQUIRED_COLUMNS if header.count(name) > 1]
    found = [
        *([f"the {_named(missing)} missing"] if missing else []),
        *([f"the {_named(twice)} there more than once"] if twice else []),
    ]
    if found:
        has = ", ".join(header[:_SHOWN_ROWS]) + (", …" if len(header) > _SHOWN_ROWS else "") or "nothing"
        remedy = f"the first line needs {', '.join(REQUIRED_COLUMNS)}, separated by commas; it has {has}"
        problems.add("header", " and ".join(found), remedy)
        return None
    executed = [header.index("executed")] if header.count("executed") == 1 else []
    return [*(header.index(name) for name in REQUIRED_COLUMNS), *executed]


def _named(columns: Sequence[str]) -> str:
    if len(columns) == 1:
        return f"column {columns[0]} is"
    return f"columns {', '.join(columns[:-1])} and {columns[-1]} are"


def _fill(rows: Any, where: Sequence[int], header: Sequence[str], limits: _Limits, problems: Problems) -> _Listing:
    schedule = Schedule.empty(limits.n_steps, len(limits.columns))
    seen: dict[tuple[int, int], int] = {}
    claims: list[Claim] = []
    bad: list[Problem] = []
    for cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        line = rows.line_num
        if len(cells) <= max(where):
            bad.append(Problem(f"line {line}", f"has {len(cells)} of {max(where) + 1} columns", "complete the row"))
            continue
        step, column, pose, found = _row([cells[i].strip() for i in where], limits)
        pair = (step, column)
        if not found and pair in seen and limits.shape is not None:
            found = [
                (
                    f"drops a second time with {cells[where[1]].strip()} at step {step} (first on line {seen[pair]})",
                    "keep one",
                )
            ]
        bad.extend(Problem(f"line {line}", what, remedy) for what, remedy in found)
        if not found:
            seen[pair] = line
            schedule.logits[pair], schedule.poses[pair] = LISTED_LOGIT, pose
            if len(where) == len(REQUIRED_COLUMNS) or cells[where[-1]].strip().lower() in _TRUE:
                claims.append(Claim(*pair, *_stated(header, cells, limits.currency)))
    problems.extend(capped(bad))
    return _Listing(schedule, claims)


def _stated(header: Sequence[str], cells: Sequence[str], currency: str) -> tuple[float | None, float | None]:
    """Return the flight hours and the cost of a row, in the currency of the fleet."""
    row = dict(zip(header, (cell.strip() for cell in cells), strict=False))
    hours, cost = (_number(row.get(name, ""), float) for name in ("flight_hours", "cost"))
    return hours, cost if row.get("currency", currency) in {currency, ""} else None


def _row(cells: Sequence[str], limits: _Limits) -> tuple[int, int, tuple[float, ...], list[tuple[str, str]]]:
    found: list[tuple[str, str]] = []
    step = _number(cells[0], int)
    if step is None:
        found.append((f"step {cells[0]!r} is not a whole number", f"use 0 to {limits.n_steps - 1}"))
    elif not 0 <= step < limits.n_steps:
        found.append((f"step {step} lies outside the plan", f"use 0 to {limits.n_steps - 1}"))
    column = limits.columns.get(with_formula(cells[1]))
    if column is None:
        found.append((f"aircraft {cells[1]!r} is not in the fleet", f"use one of {_some(limits.columns)}"))
    pose = tuple(_number(cell, float) for cell in cells[2:5])
    highest = (None, None, None) if limits.shape is None else (*limits.shape, None)
    for name, value, text, high in zip(("y", "x", "theta"), pose, cells[2:5], highest, strict=True):
        if value is None or not math.isfinite(value):
            found.append((f"{name} {text!r} is not a finite number", "give a number"))
        elif high is not None and not 0 <= value <= high - 1:
            found.append((f"{name} {text} lies outside the raster", f"use 0 to {high - 1}"))
    return step or 0, column or 0, tuple(value or 0.0 for value in pose), found


def _number(text: str, kind: Any) -> Any:
    try:
        return number_from_text(text, kind)
    except ValueError:
        return None


def _some(names: dict[str, int]) -> str:
    shown = list(names)[:6]
    return ", ".join(shown) + (", …" if len(names) > len(shown) else "")


def capped(found: Sequence[Problem]) -> Iterator[Problem]:
    """Yield the first twenty problems and how many more there are, so that a message stays readable."""
    yield from found[:_SHOWN_ROWS]
    if len(found) > _SHOWN_ROWS:
        yield Problem("…", f"{len(found) - _SHOWN_ROWS:,} more problems of this kind ({len(found):,} in all)")


def _from_safetensors(
    data: bytes, fleet: Fleet, n_steps: int, shape: tuple[int, int], problems: Problems
) -> Schedule | None:
    try:
        arrays = load_safetensors(data)
    except (SafetensorError, ValueError, LookupError, TypeError, OverflowError) as error:
        problems.add("file", no_tensors(data, error), "use plan.safetensors of a run, or a CSV")
        return None
    keys = ("D", "z" if "z" in arrays else "pose")
    logits, poses = (_checked(arrays, key, problems) for key in keys)
    if logits is None or poses is None:
        return None
    size = (n_steps, fleet.n_aircraft)
    if logits.ndim != 2 or poses.shape != (*logits.shape, 3):
        sizes = " and ".join(f"{key} of {' × '.join(map(str, arrays[key].shape)) or 1}" for key in keys)
        problems.add("file", f"holds no plan: its tables {sizes} do not fit together", _AS_WRITTEN)
        return None
    if logits.shape != size:
        made, needed = (f"{n:,} aircraft and {t:,} step{'s' if t != 1 else ''}" for t, n in (logits.shape, size))
        problems.add("plan", f"was made for {made}; this project has {needed}", _FIT)
        return None
    if "z" in arrays:
        return Schedule.from_pose_logits(logits, poses, shape)
    schedule = Schedule(logits, poses)
    problems.extend(capped(list(_off_raster(schedule, fleet, shape))))
    return schedule


def _checked(arrays: dict[str, NDArray[Any]], key: str, problems: Problems) -> NDArray[np.float64] | None:
    array = arrays.get(key)
    if array is None:
        what = f"has no table {key} (it holds {', '.join(arrays) or 'nothing'})"
        problems.add("file", what, "it needs D and z, or D and pose")
    elif array.dtype.kind != "f" or not np.isfinite(array).all():
        problems.add("file", f"holds values that are not finite numbers, in its table {key}", _AS_WRITTEN)
    else:
        return array.astype(np.float64)
    return None


def _off_raster(schedule: Schedule, fleet: Fleet, shape: tuple[int, int]) -> Iterator[Problem]:
    names = [tail.name for tail in fleet.tails]
    high = np.array(shape, np.float64) - 1.0
    outside = ((schedule.poses[..., :2] < 0) | (schedule.poses[..., :2] > high)).any(axis=2)
    for step, column in np.argwhere(outside & schedule.proposed):
        y, x, _ = schedule.poses[step, column]
        yield Problem(
            f"step {step}, {names[column]}",
            f"the drop at ({y:g}, {x:g}) lies outside the raster",
            "move it onto the raster",
        )

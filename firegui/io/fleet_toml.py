"""The fleet file: one ``[[aircraft]]`` table per type, in the order of the schedule's columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firegui.assets import resource
from firegui.domain.fleet import AircraftType, Fleet
from firegui.errors import Problems
from firegui.io import strict
from firegui.io.atomic import write_text
from firegui.io.toml_text import dumps

_HEADER = """\
# A firegui fleet: one table per aircraft type, in the order of a schedule's columns.
# US gallons, hours, m/s, seconds, metres. grounded_days are days of the plan, counted from 0.

"""


def default_fleet() -> Fleet:
    """The paper's 21 aircraft in eight types (Table ``aircraft_params``), with their grounded days."""
    return read_fleet(resource("fleet/default.toml"))


def read_fleet(path: Path) -> Fleet:
    """Read a fleet file. Raises :class:`~firegui.errors.InputError` with everything that is wrong with it."""
    problems = Problems()
    title = f"The fleet file {path.name} cannot be used"
    raw = strict.read_toml(path, problems)
    problems.raise_if_any(title)
    table = strict.Table(raw, path.name, problems)
    fleet = fleet_from_tables(table.tables("aircraft"), problems)
    table.finish()
    problems.raise_if_any(title)
    return fleet


def write_fleet(fleet: Fleet, path: Path) -> None:
    """Write a fleet file, atomically. Raises :class:`~firegui.errors.InputError` where that is not allowed."""
    write_text(path, _HEADER + dumps({"aircraft": fleet_to_tables(fleet)}))


def fleet_from_tables(tables: list[strict.Table], problems: Problems) -> Fleet:
    """Read the types one by one; what is wrong with any is added to ``problems`` and that type left out."""
    types = []
    broken = False
    for table in tables:
        kind = strict.read_dataclass(AircraftType, table, lenient=True)
        broken |= kind is None
        if kind is not None:
            types.append(kind)
    fleet = Fleet(tuple(types))
    # With a broken row left out, "no aircraft" would be a false alarm.
    problems.extend(problem for problem in fleet.problems() if types or not broken)
    return fleet


def fleet_to_tables(fleet: Fleet) -> list[dict[str, Any]]:
    """The fleet as plain tables, the inverse of :func:`fleet_from_tables`."""
    return [strict.as_table(kind) for kind in fleet.types]

"""The fleet file: one ``[[aircraft]]`` table per type, in the order of the schedule's columns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from firegui.assets import resource
from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.errors import Problems
from firegui.io import strict
from firegui.io.atomic import write_text
from firegui.io.toml_text import dumps

_HEADER = """\
# A firegui fleet: one table per aircraft type, in the order of a schedule's columns.
# US gallons, hours, m/s, seconds, metres. grounded_days are days of the plan, counted from 0.

"""

_SOUND = AircraftType("sound", "", 1, Material.WATER, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)


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
    types = [_read_type(table, problems) for table in tables]
    fleet = Fleet(tuple(kind for kind in types if kind is not None))
    # With a broken row left out, "no aircraft" would be a false alarm.
    problems.extend(problem for problem in fleet.problems() if fleet.types or not types)
    return fleet


def _read_type(table: strict.Table, problems: Problems) -> AircraftType | None:
    before = len(list(problems))
    values = strict.read_fields(AircraftType, table, lenient=True)
    if len(list(problems)) == before:
        return AircraftType(**values)
    # What could be read of a broken row is judged all the same, beside sound values for the rest.
    problems.extend(replace(problem, where=table.where) for problem in replace(_SOUND, **values).problems())
    return None


def fleet_to_tables(fleet: Fleet) -> list[dict[str, Any]]:
    """The fleet as plain tables, the inverse of :func:`fleet_from_tables`."""
    return [strict.as_table(kind) for kind in fleet.types]

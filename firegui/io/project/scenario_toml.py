"""Fleet, coverage levels and operational constraints as TOML.

Tables of a project, or files of their own. A fleet holds one ``[[aircraft]]`` table per type, in the order of the
schedule's columns. A coverage file holds ``source`` and ``[[model]]`` tables of ``code``, ``coverage`` (gal/100 ft²),
``name`` and ``basis``.

Every entry of the constraints is optional. A constraint without an entry is off::

    hard_cap = 400                        # the most drops of the whole plan
    gust_factor = 2.0                     # gusts over the wind of the weather, for gust limits of aircraft types
    hazards = ["Power line along Road 7"] # printed for the crews; no plan depends on them

    [daylight]                            # drops only between these two, by the sun at the centre of the grid
    after_sunrise_min = 30.0
    before_sunset_min = 30.0

    [sorties_per_day]                     # the most drops of one aircraft on one day of the plan, by type id
    S-2T = 6

    [[airspace]]                          # at most ``most`` drops within a radius in any ``minutes``
    most = 1
    minutes = 60.0
    radius_m = 300.0                      # between release points; without a radius, at any distance
    types = ["S-2T"]                      # ids of the types that count and are limited; without types, all

    [[grounding]]                         # a tail (S-2T-1) or a type (S-2T), from start up to, not including, end
    aircraft = "S-2T-1"
    start = 2020-08-20T14:00:00-07:00
    end = 2020-08-20T18:30:00-07:00

    [[no_drop_zone]]                      # area in which no drop may land; cells, half-open, as in a regions file
    name = "Reservoir"
    rows = [120, 140]                     # with columns; or polygon = [[row, column], …]; or polygons with holes
    columns = [300, 340]

    [[pinned]]                            # a drop that every planner keeps
    time = 2020-08-20T10:24:00-07:00
    aircraft = "S-2T-1"
    y = 131.5                             # release point in cells, cell centres at whole numbers
    x = 322.0
    theta = 0.8                           # long axis in radians

    [[base]]                              # place where aircraft load; sets the turnaround of the types it serves
    name = "Redding"
    kind = "airtanker_base"               # or reload_base, dip_site, scooping_lake
    y = -310.0                            # place in cells, cell centres at whole numbers, also outside the grid
    x = 905.0
    reload_min = 15.0
    opens_h = 8.0                         # hours of the local day; without opens_h and closes_h always open
    closes_h = 20.5
    serves = ["S-2T", "BAe-146"]

    [[frequency]]                         # printed for the crews; AM, FM or both
    use = "Air/Ground"
    am = "122.925"
    fm = "168.275 T110.9"

Times need an offset from UTC. A drop takes place at the start of a step (0.48 h at the paper's 50 steps a day): the
time of a pinned drop is rounded down to the start of its step. The ``[operations]`` table of a project is also read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from firegui.assets import resource
from firegui.domain.airspace import AirspaceRule
from firegui.domain.bases import Base
from firegui.domain.coverage import HIGHEST, LOWEST, RequiredCoverage, weighted_coverage
from firegui.domain.crew_notes import RadioFrequency
from firegui.domain.fleet import CURRENCY, AircraftType, Fleet, Material, currency_problems
from firegui.domain.fuel import FBFM13, FBFM40, NONBURNABLE, fuel_name
from firegui.domain.operations import GUST_FACTOR, Daylight, Grounding, Operations, PinnedDrop
from firegui.domain.scenario import Scenario
from firegui.errors import Problems
from firegui.io import toml
from firegui.io.atomic import write_text
from firegui.io.project.regions_file import crossing_problems, read_region, region_to_table
from firegui.io.toml import dumps

T = TypeVar("T")

_OPERATIONS_HEADER = (
    "# Operational constraints of a firegui project. What is not here is off. Times need an offset from UTC.\n\n"
)


def read_operations(path: Path) -> Operations:
    """Read a file of constraints.

    Raises :class:`~firegui.errors.InputError` listing every problem of the file.
    """
    problems = Problems()
    operations = operations_in(path, problems)
    problems.extend(operations.own_problems())
    problems.raise_if_any(f"The operations file {path.name} cannot be used")
    return operations


def operations_in(path: Path, problems: Problems) -> Operations:
    """Return the readable entries of a file of constraints. Problems of reading are added to ``problems``.

    Values are checked later, by :meth:`~firegui.domain.operations.Operations.problems`, so that a project reports wrong
    values together with values that do not fit its fleet.
    """
    raw = toml.read_toml(path, problems)
    if raw is None:
        return Operations()
    if set(raw) == {"operations"}:  # the table of a project
        raw = raw["operations"]
    operations = operations_from_table(toml.Table(raw, path.name, problems))
    problems.extend(crossing_problems(operations.no_drop_zones, "no-drop zone"))
    return operations


def write_operations(operations: Operations, path: Path) -> None:
    """Write a file of constraints, atomically.

    Raises :class:`~firegui.errors.InputError` where the file cannot be written.
    """
    write_text(path, _OPERATIONS_HEADER + dumps(operations_to_table(operations)))


def operations_from_table(table: toml.Table) -> Operations:
    """Return the constraints of a table. An unknown key is a problem.

    Problems are added to those of the table, and all readable entries are returned. :meth:`Operations.problems` finds
    what only keeps a run from starting, such as an aircraft that the fleet does not have.
    """
    daylight = toml.read_dataclass(Daylight, table.table("daylight"), lenient=True) if "daylight" in table else None
    operations = Operations(
        daylight=daylight,
        groundings=_without_none(toml.read_dataclass(Grounding, row) for row in table.tables("grounding")),
        sorties_per_day=table.take("sorties_per_day", dict[str, int], {}),
        hard_cap=table.take("hard_cap", int, None),
        no_drop_zones=_without_none(read_region(row) for row in table.tables("no_drop_zone")),
        pinned=_without_none(toml.read_dataclass(PinnedDrop, row) for row in table.tables("pinned")),
        bases=_without_none(toml.read_dataclass(Base, row, lenient=True) for row in table.tables("base")),
        gust_factor=table.take("gust_factor", float, GUST_FACTOR),
        frequencies=_without_none(
            toml.read_dataclass(RadioFrequency, row, lenient=True) for row in table.tables("frequency")
        ),
        hazards=tuple(table.take("hazards", list[str], [])),
        airspace=_without_none(
            toml.read_dataclass(AirspaceRule, row, lenient=True) for row in table.tables("airspace")
        ),
    )
    table.finish()
    return operations


def operations_to_table(operations: Operations) -> dict[str, Any]:
    """Return the inverse of :func:`operations_from_table`; empty when nothing is constrained."""
    table: dict[str, Any] = {}
    if operations.hard_cap is not None:
        table["hard_cap"] = operations.hard_cap
    if operations.daylight is not None:
        table["daylight"] = toml.as_table(operations.daylight)
    if operations.gust_factor != GUST_FACTOR:
        table["gust_factor"] = float(operations.gust_factor)
    if operations.hazards:
        table["hazards"] = list(operations.hazards)
    if operations.sorties_per_day:
        table["sorties_per_day"] = dict(sorted(operations.sorties_per_day.items()))
    rows = {
        "airspace": [_airspace_row(rule) for rule in operations.airspace],
        "grounding": [_row(item) for item in operations.groundings],
        "no_drop_zone": [region_to_table(zone) for zone in operations.no_drop_zones],
        "pinned": [_row(pin) for pin in operations.pinned],
        "base": [toml.as_table(base) for base in operations.bases],
        "frequency": [toml.as_table(item) for item in operations.frequencies],
    }
    return table | {key: entries for key, entries in rows.items() if entries}


def _airspace_row(rule: AirspaceRule) -> dict[str, Any]:
    return {key: value for key, value in toml.as_table(rule).items() if key != "types" or value}


def _row(item: Grounding | PinnedDrop) -> dict[str, Any]:
    # Times are written in UTC, because equal projects must give equal files and hashes.
    return {key: _instant(value) for key, value in toml.as_table(item).items()}


def _instant(value: Any) -> Any:
    if not isinstance(value, datetime) or value.tzinfo is None:
        return value
    try:
        return value.astimezone(UTC)
    except OverflowError:  # the time in UTC lies outside the years 1 to 9999 that Python can represent
        return value.replace(tzinfo=UTC)


def _without_none(entries: Iterable[T | None]) -> tuple[T, ...]:
    return tuple(entry for entry in entries if entry is not None)


_FLEET_HEADER = """\
# A firegui fleet: one table per aircraft type, in the order of a schedule's columns.
# US gallons, hours, m/s, seconds, metres. grounded_days are days of the plan, counted from 0. Prices are in the
# currency; a type without any price has no known cost.

"""

_VALID_TYPE = AircraftType("valid", "", 1, Material.WATER, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)


def default_fleet() -> Fleet:
    """Return the paper's 21 aircraft in eight types (Table ``aircraft_params``), with their grounded days."""
    return read_fleet(resource("fleet/default.toml"))


def read_fleet(path: Path) -> Fleet:
    """Read a fleet file. Raises :class:`~firegui.errors.InputError` listing every problem of the file."""
    problems = Problems()
    title = f"The fleet file {path.name} cannot be used"
    raw = toml.read_toml(path, problems)
    problems.raise_if_any(title)
    table = toml.Table(raw, path.name, problems)
    currency = table.take("currency", str, CURRENCY)
    fleet = fleet_from_tables(table.tables("aircraft"), problems, currency)
    table.finish()
    problems.raise_if_any(title)
    return fleet


def write_fleet(fleet: Fleet, path: Path) -> None:
    """Write a fleet file, atomically.

    Raises :class:`~firegui.errors.InputError` where the file cannot be written.
    """
    write_text(path, _FLEET_HEADER + dumps({"currency": fleet.currency, "aircraft": fleet_to_tables(fleet)}))


def fleet_from_tables(tables: list[toml.Table], problems: Problems, currency: str = CURRENCY) -> Fleet:
    """Return the fleet of valid types. The problems of all other types are added to ``problems``."""
    types = [_read_type(table, problems) for table in tables]
    fleet = Fleet(tuple(kind for kind in types if kind is not None), currency)
    # Where every type was left out, "no aircraft" would be a wrong message.
    problems.extend(fleet.problems() if fleet.types or not types else currency_problems(currency))
    return fleet


def _read_type(table: toml.Table, problems: Problems) -> AircraftType | None:
    before = len(problems)
    values = toml.read_fields(AircraftType, table, lenient=True)
    if len(problems) == before:
        return AircraftType(**values)
    # Values that could be read are checked too, with valid values in place of those that could not be read.
    problems.extend(replace(problem, where=table.where) for problem in replace(_VALID_TYPE, **values).problems())
    return None


def fleet_to_tables(fleet: Fleet) -> list[dict[str, Any]]:
    """Return the fleet as plain tables, the inverse of :func:`fleet_from_tables`."""
    return [toml.as_table(kind) for kind in fleet.types]


SHIPPED = "fuel/coverage.toml"


@dataclass(frozen=True, slots=True)
class FuelCoverage:
    """Coverage level of one fuel model in gal/100 ft². ``basis`` names the source of the value."""

    code: int
    coverage: float
    name: str = ""
    basis: str = ""


@dataclass(frozen=True, slots=True)
class CoverageTable:
    """Coverage levels by fuel model, and their source."""

    source: str
    models: tuple[FuelCoverage, ...]

    @property
    def levels(self) -> dict[int, float]:
        """Coverage level in gal/100 ft² by the code of the fuel model."""
        return {model.code: model.coverage for model in self.models}


def shipped_table() -> CoverageTable:
    """Return the coverage levels that are shipped with firegui.

    Raises :class:`~firegui.errors.InputError` when the installation is damaged.
    """
    return read_table(resource(SHIPPED))


def read_table(path: Path) -> CoverageTable:
    """Read a table of coverage levels.

    Raises :class:`~firegui.errors.InputError` listing every problem of the file.
    """
    problems = Problems()
    raw = toml.read_toml(path, problems)
    problems.raise_if_any(f"{path.name} cannot be used")
    table = toml.Table(raw, path.name, problems)
    source = table.take("source", str, "")
    rows = [(row.where, toml.read_dataclass(FuelCoverage, row, lenient=True)) for row in table.tables("model")]
    table.finish()
    if not rows:
        problems.add(path.name, "names no fuel model", "add [[model]] with code and coverage")
    seen: set[int] = set()
    for where, model in rows:
        if model is not None:
            _check(model, where, seen, problems)
            seen.add(model.code)
    problems.raise_if_any(f"{path.name} cannot be used")
    return CoverageTable(source or path.name, tuple(model for _, model in rows if model is not None))


def write_table(path: Path, coverage: RequiredCoverage) -> None:
    """Write the coverage levels of a project as a table that users can edit and :func:`read_table` reads."""
    models = [
        {"code": code, "name": fuel_name(code), "coverage": float(level)}
        for code, level in sorted(coverage.levels.items())
    ]
    write_text(path, dumps({"source": coverage.source, "model": models}))


def coverage_of(event: Scenario, table: CoverageTable | None = None) -> RequiredCoverage:
    """Return the coverage that the fuel of an event requires by ``table`` or the shipped table."""
    chosen = table or shipped_table()
    return weighted_coverage(event.layers.get("fuel"), chosen.levels, chosen.source)


def _check(model: FuelCoverage, where: str, seen: set[int], problems: Problems) -> None:
    if model.code in NONBURNABLE:
        problems.add(where, f"model {model.code} does not burn", "leave it out")
    elif model.code not in FBFM40 | FBFM13:
        problems.add(where, f"there is no fuel model {model.code}", "give a code of FBFM40 or FBFM13")
    if model.code in seen:
        problems.add(where, f"model {model.code} is given twice", "keep one")
    if not LOWEST <= model.coverage <= HIGHEST:
        what = f"the coverage of model {model.code} is {model.coverage:g} gal/100 ft²"
        problems.add(where, what, f"use a value from {LOWEST:g} to {HIGHEST:g}")

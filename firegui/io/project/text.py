"""``project.toml``: everything of a project that people can edit, as plain tables, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from firegui.domain.barriers import Barrier, in_utc
from firegui.domain.coverage import RequiredCoverage
from firegui.domain.fleet import AircraftType, Fleet
from firegui.domain.fuel_models import FuelModel, fuel_model_problems
from firegui.domain.grid import Grid
from firegui.domain.operations import Operations
from firegui.domain.options import bounds_problems
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import KINDS, FireModel, Project
from firegui.domain.regions import Region
from firegui.domain.scenario import Scenario
from firegui.domain.settings import PlanSettings
from firegui.domain.stress import StressSet
from firegui.domain.values import ValueTerms
from firegui.domain.weather import WeatherEnd
from firegui.errors import InputError, Problems
from firegui.io import crs, toml
from firegui.io.project.regions_file import Polygons, polygons_of
from firegui.io.project.scenario_toml import fleet_to_tables, operations_from_table, operations_to_table
from firegui.io.project.stress_toml import stress_from_table, stress_to_table
from firegui.io.times import as_utc, offset_problems, start_problems, steps_problems

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class WeatherText:
    """Weather of the periods of a day without its arrays."""

    periods_per_day: int
    block: int
    temperature_c: tuple[float, ...] | None
    humidity: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class Event:
    """The scenario without its arrays."""

    name: str
    grid: Grid
    start: datetime
    utc_offset_h: float
    steps_per_day: int
    synthetic: bool
    notes: tuple[str, ...]
    observed_dates: tuple[date, ...]
    markers: tuple[tuple[str, str, Points], ...]
    weather: WeatherText | None
    weather_end: WeatherEnd | None = None


@dataclass(frozen=True, slots=True)
class ArrayFile:
    """One file of arrays.

    Its path in the project folder, the hash of the file and that of the values in it.
    """

    file: str
    sha256: str
    content: str


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A value layer without its cells, and their file."""

    terms: ValueTerms
    file: ArrayFile


@dataclass(frozen=True, slots=True)
class ProjectText:
    """What ``project.toml`` says."""

    event: Event
    fleet: Fleet
    grounded: Mapping[str, tuple[date, ...]]
    regions: tuple[Region, ...]
    plan: PlanSettings
    fire_model: FireModel
    layers: Mapping[str, ArrayFile]
    weights: ArrayFile | None
    operations: Operations
    coverage: RequiredCoverage
    stress: StressSet
    values: tuple[ValueRow, ...]
    barriers: tuple[Barrier, ...]


def event_of(scenario: Scenario) -> Event:
    """Return the scenario's plain values."""
    return Event(
        scenario.name, scenario.grid, as_utc(scenario.start), scenario.utc_offset_h, scenario.steps_per_day,
        scenario.synthetic, tuple(scenario.notes), tuple(scenario.observed_dates), tuple(scenario.markers),
        _weather_text(scenario), scenario.weather_end,
    )  # fmt: skip


def _weather_text(scenario: Scenario) -> WeatherText | None:
    weather = scenario.weather
    if weather is None:
        return None
    heat, damp = (
        None if part is None else tuple(map(float, part)) for part in (weather.temperature_c, weather.humidity)
    )
    return WeatherText(weather.periods_per_day, weather.block, heat, damp)


def to_tables(project: Project) -> dict[str, Any]:
    """Return the editable part of a project as plain values; two equal projects give equal tables."""
    ids = {kind.id for kind in project.fleet.types}
    return {
        "currency": project.fleet.currency,
        "event": _event_table(event_of(project.scenario)),
        "plan": toml.as_table(project.plan),
        "fire_model": {
            "kind": project.fire_model.kind,
            "label": project.fire_model.label,
            "parameters": {key: float(value) for key, value in sorted(project.fire_model.parameters.items())},
        }
        | ({"fuel": [toml.as_table(fuel) for fuel in project.fire_model.fuels]} if project.fire_model.fuels else {}),
        "fleet": [_without_days(row) for row in fleet_to_tables(project.fleet)],
        "grounded": {key: list(days) for key, days in sorted(project.grounded.items()) if key in ids},
        "region": [region_table(region) for region in project.regions],
        "operations": operations_to_table(project.operations),
        "coverage": coverage_table(project.coverage),
        "stress": stress_to_table(project.stress),
        **({"values": [toml.as_table(layer.terms) for layer in project.values]} if project.values else {}),
        **({"barrier": [barrier_table(barrier) for barrier in project.barriers]} if project.barriers else {}),
    }


def _without_days(row: dict[str, Any]) -> dict[str, Any]:
    # A project keeps them as dates, under [grounded]; here they would be read and mean nothing.
    return {key: value for key, value in row.items() if key != "grounded_days"}


def region_table(region: Region) -> dict[str, Any]:
    """Return one region; polygons as lists of rings of (row, column) corners."""
    return {"name": region.name, "weight": float(region.weight), "polygons": polygons_of(region)}


def barrier_table(barrier: Barrier) -> dict[str, Any]:
    """Return one barrier; lines and areas as lists of ``[row, column]`` corners."""
    table = toml.as_table(in_utc(barrier)) | {
        "lines": [[[float(row), float(column)] for row, column in line] for line in barrier.lines],
        "areas": polygons_of(barrier.region),
    }
    return {key: value for key, value in table.items() if value != []}


def coverage_table(coverage: RequiredCoverage) -> dict[str, Any]:
    """Return the required coverage, its levels by fuel model as text: TOML has no other keys."""
    levels = {str(code): float(level) for code, level in sorted(coverage.levels.items())}
    return {"c_req": float(coverage.c_req), "source": coverage.source, "levels": levels}


def _event_table(event: Event) -> dict[str, Any]:
    grid = event.grid
    place: dict[str, Any] = {} if grid.transform is None else {"transform": [float(v) for v in grid.transform]}
    place |= {} if grid.crs is None else {"crs": grid.crs}
    markers = [
        {"kind": kind, "name": name, "points": [[float(y), float(x)] for y, x in points]}
        for kind, name, points in event.markers
    ]
    return {
        "name": event.name,
        "start": event.start.astimezone(UTC),
        "utc_offset_h": float(event.utc_offset_h),
        "steps_per_day": event.steps_per_day,
        "synthetic": event.synthetic,
        "notes": list(event.notes),
        "observed_dates": list(event.observed_dates),
        "grid": {"rows": grid.rows, "columns": grid.columns, "cell_size_m": float(grid.cell_size_m)} | place,
        "markers": markers,
    } | _weather_table(event)


def _weather_table(event: Event) -> dict[str, Any]:
    weather, end = event.weather, event.weather_end
    found = {} if end is None else {"weather_end": {"file": end.file, "until": end.until.astimezone(UTC)}}
    if weather is None:
        return found
    air = {"temperature_c": weather.temperature_c, "humidity": weather.humidity}
    known = {key: list(values) for key, values in air.items() if values is not None}
    return found | {"weather": {"periods_per_day": weather.periods_per_day, "block": weather.block} | known}


def read_text(table: toml.Table) -> ProjectText | None:
    """Read the current format, strictly: every key is required, and no other may be there.

    What is wrong goes into the table's problems; then the result is ``None``. Values that only keep a run from starting
    (a fleet without aircraft, a region off the grid) are left for :meth:`Project.problems`, so that the project opens
    and can be mended.
    """
    before = len(table.problems)
    event = _read_event(table.table("event"))
    plan = toml.read_dataclass(PlanSettings, table.table("plan"))
    fire_model = _read_fire_model(table.table("fire_model"))
    types = [_read_type(row) for row in table.tables("fleet")]
    currency = table.take("currency", str)
    grounded = table.take("grounded", dict[str, tuple[date, ...]])
    if None not in types:
        _check_grounded(grounded or {}, {kind.id for kind in types if kind is not None}, table)
    regions = tuple(_read_region(row) for row in table.tables("region"))
    layers = _read_layers(table.table("layers"))
    weights = toml.read_dataclass(ArrayFile, table.table("weights")) if "weights" in table else None
    operations = operations_from_table(table.table("operations"))
    coverage = _read_coverage(table.table("coverage"))
    stress = _read_stress(table.table("stress"), event)
    values = [_read_values(row) for row in table.tables("values")]
    barriers = [toml.read_dataclass(Barrier, row, lenient=True) for row in table.tables("barrier")]
    table.finish()
    if plan is not None:
        table.problems.extend(bounds_problems(plan, "plan"))
    if len(table.problems) > before or event is None or plan is None or coverage is None:
        return None
    assert stress is not None
    fleet = Fleet(tuple(kind for kind in types if kind is not None), currency)
    return ProjectText(
        event, fleet, grounded, regions, plan, fire_model, layers, weights, operations, coverage, stress,
        tuple(row for row in values if row is not None), tuple(row for row in barriers if row is not None),
    )  # fmt: skip


def listed_layers(table: toml.Table) -> dict[str, ArrayFile]:
    """Return the files that a project names and that can be understood.

    The rest of it may be wrong.
    """
    named = {"weights": table.raw("weights")} if "weights" in table else {}
    layers = _read_layers(toml.Table(table.raw("layers"), "layers", Problems()))
    return layers | _read_layers(toml.Table(named, "weights", Problems()))


def _read_event(table: toml.Table) -> Event | None:
    event = Event(
        name=table.take("name", str),
        grid=_read_grid(table.table("grid")),
        start=table.take("start", datetime),
        utc_offset_h=table.take("utc_offset_h", float),
        steps_per_day=table.take("steps_per_day", int),
        synthetic=table.take("synthetic", bool),
        notes=table.take("notes", tuple[str, ...]),
        observed_dates=table.take("observed_dates", tuple[date, ...]),
        markers=tuple(_read_marker(row) for row in table.tables("markers")),
        weather=_read_weather(table.table("weather")) if "weather" in table else None,
        weather_end=toml.read_dataclass(WeatherEnd, table.table("weather_end")) if "weather_end" in table else None,
    )
    table.finish()
    if event.steps_per_day is not None:
        table.problems.extend(steps_problems(event.steps_per_day, table.where))
    if event.utc_offset_h is not None:
        table.problems.extend(offset_problems(event.utc_offset_h, table.where))
    times = {"start": event.start, "until": None if event.weather_end is None else event.weather_end.until}
    for name, moment in times.items():
        if moment is not None:
            table.problems.extend(start_problems(moment, table.where))
        if moment is not None and moment.tzinfo is None:
            table.problems.add(table.where, f"{name} has no offset from UTC", "write it as 2020-08-19T07:00:00Z")
    return event


def _read_grid(table: toml.Table) -> Grid:
    grid = Grid(
        table.take("rows", int),
        table.take("columns", int),
        table.take("cell_size_m", float),
        table.take("transform", tuple[float, float, float, float, float, float], None),
        table.take("crs", str, None),
    )
    table.finish()
    if None not in (grid.rows, grid.columns, grid.cell_size_m):
        table.problems.extend(crs.grid_problems(grid))
    return grid


def _read_weather(table: toml.Table) -> WeatherText:
    text = WeatherText(
        table.take("periods_per_day", int),
        table.take("block", int),
        table.take("temperature_c", tuple[float, ...], None),
        table.take("humidity", tuple[float, ...], None),
    )
    table.finish()
    return text


def _read_marker(table: toml.Table) -> tuple[str, str, Points]:
    marker = table.take("kind", str), table.take("name", str), table.take("points", Points)
    table.finish()
    return marker


def _read_type(table: toml.Table) -> AircraftType | None:
    kind = toml.read_dataclass(AircraftType, table, lenient=True)
    # Projects written before the dates had their own table hold an empty list here.
    if kind is not None and kind.grounded_days:
        remedy = f"remove it, and write the dates on the ground under [grounded] as {kind.id} = [2020-08-21]"
        table.problems.add(table.where, "grounded_days has no effect in a project", remedy)
    return kind


def _check_grounded(grounded: Mapping[str, tuple[date, ...]], ids: set[str], table: toml.Table) -> None:
    for key in sorted(key for key, days in grounded.items() if days and key not in ids):
        remedy = f"use an id of the fleet: {', '.join(sorted(ids)) or 'it has none'}"
        table.problems.add(f"{table.where} [grounded]", f"{key} is not an aircraft of this project", remedy)


def _read_fire_model(table: toml.Table) -> FireModel:
    fuels = [toml.read_dataclass(FuelModel, row) for row in table.tables("fuel")]
    read = tuple(fuel for fuel in fuels if fuel is not None)
    model = FireModel(
        table.take("kind", str), table.take("label", str), table.take("parameters", dict[str, float]), read
    )
    table.finish()
    table.problems.extend(fuel_model_problems(read))
    if model.kind not in (None, *KINDS):
        *first, last = (f'"{kind}"' for kind in KINDS)
        table.problems.add(table.where, f"kind is {model.kind!r}", f"write {', '.join(first)} or {last}")
    if model.kind == "physical" and model.parameters is not None:
        try:
            PhysicalSettings.of(model.parameters)
        except InputError as error:
            table.problems.extend(error.problems)
    return model


def _read_coverage(table: toml.Table) -> RequiredCoverage | None:
    c_req, source = table.take("c_req", float), table.take("source", str)
    levels = table.take("levels", dict[str, float]) or {}
    table.finish()
    wrong = [code for code in levels if not code.isascii() or not code.isdecimal()]
    if wrong:
        table.problems.add(
            table.where, f"levels: {', '.join(wrong)} is not a fuel model", "write numbers, as 188 = 4.0"
        )
    if wrong or c_req is None or source is None:
        return None
    return RequiredCoverage(c_req, source, {int(code): level for code, level in levels.items()})


def _read_stress(table: toml.Table, event: Event | None) -> StressSet | None:
    """Return the stress set.

    ``None`` with the event unreadable, whose cells and steps some numbers are given in.
    """
    if event is None or not event.grid.cell_size_m or not event.steps_per_day or event.steps_per_day < 1:
        return None
    return stress_from_table(table, event.grid, event.steps_per_day)


def _read_region(table: toml.Table) -> Region:
    region = Region(table.take("name", str), table.take("polygons", Polygons), table.take("weight", float))
    table.finish()
    return region


def _read_values(table: toml.Table) -> ValueRow | None:
    file = ArrayFile(table.take("file", str), table.take("sha256", str), "")
    terms = toml.read_dataclass(ValueTerms, table)
    return None if terms is None else ValueRow(terms, file)


def _read_layers(table: toml.Table) -> dict[str, ArrayFile]:
    files = {key: toml.read_dataclass(ArrayFile, table.table(key)) for key in table.names}
    return {key: file for key, file in files.items() if file is not None}

"""Summary of a project, which ``info`` prints, and commands that make or change one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import date, datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from typing import Any

from firegui.cli.output import chosen_units, report_text, table
from firegui.cli.words import command_text, day_text, days_text
from firegui.domain.airspace import AirspaceRule
from firegui.domain.barriers import barriers_text
from firegui.domain.calendar import DATE_UNKNOWN, to_the_minute
from firegui.domain.coverage import coverage_shares
from firegui.domain.crew_notes import RadioFrequency
from firegui.domain.fleet import LIMITS, OF_BASES
from firegui.domain.fuel import fuel_name
from firegui.domain.fuel_models import FuelMoisture
from firegui.domain.grid import cells_text
from firegui.domain.options import plain_number, setting_fields, title_of
from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.scenario import LAYERS, Scenario
from firegui.domain.settings import BURNING_TITLES, SETTING_TITLES, BurningAtStart, ObjectiveWeights
from firegui.domain.spread_factors import FACTORS, SpreadFactors
from firegui.domain.stress import StressTable, worst_case_text
from firegui.domain.units import amount_text, percent_text
from firegui.domain.values import goal_shares
from firegui.errors import InputError
from firegui.fire.model_caveats import model_caveats
from firegui.fire.project_notes import Grade, project_notes
from firegui.io.crs import short_name
from firegui.io.daylight import dark_pin_problems, flying_windows
from firegui.io.georeference import Georeference
from firegui.io.project.scenario_toml import operations_to_table
from firegui.io.project.store import list_runs, load_project
from firegui.io.project.stress_toml import stress_to_table
from firegui.io.rasters.masks import region_masks
from firegui.runs.header import event_hash
from firegui.runs.messages import counted
from firegui.runs.notes import read_name
from firegui.runs.resume import settings_changed
from firegui.runs.run_folder import RunRecord, read_run

_SHOWN_LEVELS = 5


def summary_text(folder: Path, as_json: bool) -> str:
    """Return the report of ``firegui info`` on the project in ``folder``."""
    data = project_summary(load_project(folder), folder)
    return report_text(as_json, data, lambda: project_lines(data))


def project_summary(project: Project, folder: Path) -> dict[str, Any]:
    """Return everything that ``info`` reports, as plain values."""
    event, plan, grid = project.scenario, project.plan, project.scenario.grid
    return {
        "name": event.name,
        "synthetic": event.synthetic,
        "grid": {
            "rows": grid.rows,
            "columns": grid.columns,
            "cell_size_m": grid.cell_size_m,
            "crs": grid.crs,
            "transform": grid.transform,
            "middle_lonlat": Georeference(grid).lonlat((grid.rows - 1) / 2.0, (grid.columns - 1) / 2.0),
        },
        "dates": {
            "start": event.start,
            "utc_offset_h": event.utc_offset_h,
            "days": event.days,
            "first": event.date_of_day(0),
            "last": event.date_of_day(event.days - 1),
            "steps_per_day": event.steps_per_day,
            "known": event.is_dated,
        },
        "layers": {"present": [key for key in LAYERS if key in event.layers], "missing": list(event.missing_layers)},
        "perimeters": _perimeters(event),
        "fire_model": _fire_model(project),
        "plan": {
            "start_day": plan.start_day,
            "days": plan.days,
            "burning_at_start": plan.burning_at_start.value,
            "setting": plan.setting.value,
            "weights": {name: getattr(plan.weights, name) for name in ("burn", "final", "prot", "budget", "val")},
            "nominal": {"retardant": plan.nominal.retardant, "water": plan.nominal.water},
            "design": {"retardant": plan.design.retardant, "water": plan.design.water},
            "retardant_acts_on": plan.retardant_acts_on.value,
            "flame_limit_m": plan.flame_limit_m,
            "drops_fail_in_flames": plan.drops_fail_in_flames,
        },
        "required_coverage": _coverage(project),
        "fleet": _fleet(project),
        "regions": _regions(project),
        "values": value_rows(project),
        "barriers": {"text": barriers_text(project.barriers), "names": [one.name for one in project.barriers]},
        "operations": operations_summary(project),
        "stress": stress_to_table(project.stress),
        "runs": _runs(project, folder),
        "warnings": [note.text for note in project_notes(project) if note.grade is Grade.WARNING],
        "notes": [note.text for note in project_notes(project) if note.grade is Grade.NOTE],
        "problems": [str(problem) for problem in (*project.problems(), *dark_pin_problems(project))],
    }


def _fire_model(project: Project) -> dict[str, Any]:
    model, weights = project.fire_model, project.weights
    return {
        "kind": model.kind,
        "label": model.label,
        "parameters": dict(model.parameters),
        "fuel_models": [{"code": fuel.code, "name": fuel.label, "title": fuel.title} for fuel in model.fuels],
        "left_out": list(model_caveats(project)),
        "training": None if weights is None else asdict(weights.training),
    }


def _coverage(project: Project) -> dict[str, Any]:
    """Return the required coverage and the levels of the event's fuel models."""
    coverage, imported = project.coverage, project.fire_model.kind == "maps"
    fuel = project.scenario.layers.get("fuel")
    shares = {} if fuel is None or imported else coverage_shares(fuel)
    return {
        "c_req": project.required_coverage,
        "source": "the imported maps" if imported else coverage.source,
        "levels": [
            {
                "code": code,
                "name": fuel_name(code, project.fire_model.fuels),
                "share": share,
                "coverage": coverage.levels[code],
            }
            for code, share in shares.items()
            if code in coverage.levels
        ],
    }


def _perimeters(event: Scenario) -> dict[str, Any]:
    observed = event.observed_dates
    cells = {day: int(mask.sum()) for day in range(event.days) if (mask := event.observed_on(day)) is not None}
    return {
        "dates": list(observed),
        "filled_forward": _gaps(observed, event.date_of_day(event.days - 1)),
        "cells_by_day": {str(day): count for day, count in cells.items()},
    }


def _gaps(observed: Sequence[date], last: date) -> list[date]:
    """Return the days without an observation of their own.

    They lie after the first observation, up to the last one or to the last day of weather.
    """
    if not observed:
        return []
    span = (max(observed[-1], last) - observed[0]).days
    days = (observed[0] + timedelta(days=number) for number in range(span + 1))
    return [day for day in days if day not in observed]


def _fleet(project: Project) -> list[dict[str, Any]]:
    return [
        {
            "id": kind.id,
            "type": kind.type,
            "count": kind.count,
            "material": kind.material.value,
            "payload_gal": kind.payload_gal,
            "turnaround_h": kind.turnaround_h,
            **{name: value for name in (*OF_BASES, *LIMITS) if (value := getattr(kind, name)) is not None},
            "grounded_days": list(kind.grounded_days),
            "grounded_dates": list(project.grounded.get(kind.id, ())),
        }
        for kind in project.planned_fleet.types
    ]


def _regions(project: Project) -> list[dict[str, Any]]:
    grid = project.scenario.grid
    masks = region_masks(project.regions, grid.shape)
    counts = [int(mask.sum()) for mask in masks]
    return [
        {
            "name": region.name,
            "weight": region.weight,
            "cells": cells,
            "ha": cells * grid.cell_area_ha,
            "percent": 100.0 * cells / grid.n_cells,
            "beyond_grid": _is_beyond(region, grid.shape),
        }
        for region, cells in zip(project.regions, counts, strict=True)
    ]


def value_rows(project: Project) -> list[dict[str, Any]]:
    """Return the layers of values at risk as plain values.

    ``goal_share`` is the part of each in the value that the goal counts.
    """
    terms = [layer.terms for layer in project.values]
    return [
        {
            "name": one.name, "source": one.source, "total": one.total, "weight": one.weight,
            "susceptibility": one.susceptibility, "goal_share": share,
        }
        for one, share in zip(terms, goal_shares(terms), strict=True)
    ]  # fmt: skip


def value_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of :func:`value_rows` for people, nothing without a layer."""
    titles = ["Layer", "total", "weight", "susceptibility", "share of the values"]
    cells = [
        [row["name"], amount_text(row["total"]), f"{row['weight']:g}", percent_text(row["susceptibility"]),
         percent_text(row["goal_share"])]
        for row in rows
    ]  # fmt: skip
    return table([titles, *cells]) if cells else []


def _is_beyond(region: Region, shape: tuple[int, int]) -> bool:
    top, left, bottom, right = region.bounds
    return top < 0 or left < 0 or bottom > shape[0] or right > shape[1]


def _runs(project: Project, folder: Path) -> list[dict[str, Any]]:
    folders = list_runs(folder)
    # Hashing the event takes a moment on a large one, and a new project has no runs.
    event = event_hash(project) if folders else ""
    return [_run(path, project, event) for path in folders]


def _run(folder: Path, project: Project, event: str) -> dict[str, Any]:
    try:
        record = read_run(folder)
        return {**run_summary(record), "changed_since": settings_changed(record, project, event)}
    except InputError as error:
        return {"run": folder.name, "problems": [str(problem) for problem in error.problems]}


def run_summary(record: RunRecord) -> dict[str, Any]:
    """Return the values of a run that stand in one line."""
    header, plan, baseline = record.header, record.metrics, record.baseline
    return {
        "run": record.folder.name,
        "name": read_name(record.folder),
        "state": header.state.value,
        "reason": header.reason.value if header.reason else None,
        "epochs": header.epochs_done,
        "objective": plan.objective if plan else None,
        "baseline_objective": baseline.objective if baseline else None,
        "drops": plan.drops_executed if plan else None,
        "worst_case": worst_case_data(record.scores.stress),
        "has_plan": record.has_plan,
        "can_resume": record.can_resume,
        "command": header.command,
    }


def worst_case_data(table: StressTable | None) -> dict[str, Any] | None:
    """Return a plan's worst scenario and its share of the growth; ``None`` if not tested."""
    if table is None:
        return None
    worst = table.worst
    return {"scenario": worst.scenario.name, "share": worst.share_worst, "text": worst_case_text(table)}


def project_lines(data: dict[str, Any]) -> Iterator[str]:
    """Yield the report for people, from :func:`project_summary`."""
    grid, dates, plan = data["grid"], data["dates"], data["plan"]
    yield data["name"] + ("  (synthetic: not a real fire)" if data["synthetic"] else "")
    place = short_name(grid["crs"]) if grid["crs"] else "no CRS: not on the map"
    yield f"  grid       {cells_text((grid['rows'], grid['columns']))} of {grid['cell_size_m']:g} m, {place}"
    if grid["middle_lonlat"] is not None:
        lon, lat = grid["middle_lonlat"]
        yield f"  middle     {lat:.4f}, {lon:.4f} (latitude, longitude)"
    span = f"{dates['first']} to {dates['last']}, {counted(dates['days'], 'day')}"
    begins = f"begins {dates['start']:%Y-%m-%d %H:%M}Z"
    unknown = f"{DATE_UNKNOWN}, {counted(dates['days'], 'day')}"
    yield f"  dates      {f'{span}, {begins}' if dates['known'] else unknown}"
    yield f"  layers     {', '.join(data['layers']['present']) or 'none'}"
    yield f"  missing    {', '.join(data['layers']['missing']) or 'none'}"
    yield from _perimeter_lines(data["perimeters"])
    yield f"  fire       {data['fire_model']['label']}"
    yield from _physical_lines(data["fire_model"], dates["steps_per_day"])
    for fuel in data["fire_model"]["fuel_models"]:
        yield f"             fuel model {fuel['name']}{': ' if fuel['title'] else ''}{fuel['title']}"
    setting = next(title for key, title in SETTING_TITLES.items() if key.value == plan["setting"])
    weights = ", ".join(
        f"{title_of(ObjectiveWeights(), name).removeprefix('Weight of ')} {value:g}"
        for name, value in plan["weights"].items()
    )
    first = dates["first"] + timedelta(days=plan["start_day"]) if dates["known"] else None
    begin = day_text(plan["start_day"], first)
    yield f"  plan       {counted(plan['days'], 'day')} from {begin} of the event, {setting} (weights: {weights})"
    if plan["burning_at_start"] != BurningAtStart.WHOLE:
        yield f"             burning at start: {BURNING_TITLES[BurningAtStart(plan['burning_at_start'])].lower()}"
    if plan["drops_fail_in_flames"]:
        limit = chosen_units().flame_length(plan["flame_limit_m"])
        yield f"             drops have no effect where flames are over {limit} long"
    yield from _coverage_lines(data["required_coverage"])
    yield f"  fleet      {sum(kind['count'] for kind in data['fleet'])} aircraft"
    yield from table([_fleet_row(kind, first) for kind in data["fleet"]], "    ")
    yield f"  regions    {len(data['regions']) or 'none'}"
    rows = [
        (r["name"], counted(r["cells"], "cell"), f"{r['ha']:,.1f} ha", f"{r['percent']:.2f} %") for r in data["regions"]
    ]
    yield from table(rows, "    ")
    yield from (
        f"    {r['name']}: reaches beyond the grid; its {counted(r['cells'], 'cell')} on the grid count"
        for r in data["regions"]
        if r["beyond_grid"]
    )
    yield f"  values     {counted(len(data['values']), 'layer') if data['values'] else 'none'}"
    yield from (f"  {line}" for line in value_lines(data["values"]))
    if data["barriers"]["names"]:
        yield f"  barriers   {data['barriers']['text']}: {', '.join(data['barriers']['names'])}"
    yield from operations_lines(data["operations"], dates["utc_offset_h"])
    names = [row["name"] for row in data["stress"]["scenario"]]
    yield f"  stress     {counted(len(names), 'scenario')}{': ' if names else ''}{'; '.join(names)}"
    yield f"  runs       {len(data['runs']) or 'none'}"
    yield from (f"    {_run_line(run)}" for run in data["runs"])
    yield from (f"  warning    {warning}" for warning in data["warnings"])
    yield from (f"  note       {note}" for note in data["notes"])
    yield from (f"  problem    {problem}" for problem in data["problems"])


def next_step(folder: Path, project: Project) -> str:
    """Return the command to type next with the project in ``folder``."""
    if project.problems():
        return f"Next: correct the problems above with {command_text('configure', folder)} and its options"
    free = next(run for number in count(1) if not (run := folder / "runs" / f"run-{number}").exists())
    return f"Next: {command_text('plan', folder, '--out', free)}"


def _physical_lines(model: dict[str, Any], steps: int) -> Iterator[str]:
    """Yield the settings of the physical model and the steps that follow from them."""
    if model["kind"] != "physical":
        return
    named = {item.name: plain_number(model["parameters"][item.name]) for item in setting_fields(PhysicalSettings())}
    moisture = [named[item.name] for item in fields(FuelMoisture)]
    yield f"             moisture: dead {', '.join(moisture[:3])} %, live {', '.join(moisture[3:])} %"
    factors = SpreadFactors(**{name: model["parameters"][name] for name in FACTORS})
    if changes := list(factors.changes()):
        yield f"             calibrated: {', '.join(changes)}"
    if model["parameters"]["crown_fire"]:
        yield f"             crown fire, foliar moisture {named['foliar_moisture']} %; spotting is not modelled"
    percentile = named["speed_percentile"]
    limit = "" if percentile == "100" else f", speeds limited to the percentile {percentile}"
    minutes = plain_number(round(1440.0 / steps, 2))
    yield f"             a cell burns for {named['burn_hours']} h; {steps:,} steps a day of {minutes} min{limit}"


def _perimeter_lines(perimeters: dict[str, Any]) -> Iterator[str]:
    dates, filled = perimeters["dates"], perimeters["filled_forward"]
    if not dates:
        yield "  perimeters none observed"
        return
    yield f"  perimeters {len(dates)} observed, {dates[0]} to {dates[-1]}"
    if filled:
        yield f"             no observation on {', '.join(map(str, filled))}: the last one before is used"


def _coverage_lines(coverage: dict[str, Any]) -> Iterator[str]:
    yield f"  coverage   {coverage['c_req']:.2f} gal/100 ft² required: {coverage['source']}"
    levels = coverage["levels"]
    shown = [f"{row['name']} {percent_text(row['share'], 0)} at {row['coverage']:g}" for row in levels[:_SHOWN_LEVELS]]
    if shown:
        yield f"             {', '.join(shown)}{', …' if len(levels) > _SHOWN_LEVELS else ''}"


def _fleet_row(kind: dict[str, Any], first: date | None) -> tuple[str, ...]:
    days = kind["grounded_days"]
    grounded = days_text(days, [] if first is None else [first + timedelta(days=day) for day in days])
    load = f"{chosen_units().load(kind['payload_gal'])} {kind['material']}"
    return (
        f"{kind['count']} × {kind['type']}",
        load,
        f"{kind['turnaround_h']:g} h",
        f"grounded on {grounded}" if grounded else "",
    )


def _run_line(run: dict[str, Any]) -> str:
    if "problems" in run:
        return f"{run['run']}: {'; '.join(run['problems'])}"
    state = run["reason"] or ("interrupted" if run["can_resume"] else run["state"])
    name = f"{run['run']} ({run['name']})" if run["name"] else run["run"]
    head = f"{name}: {state}, {counted(run['epochs'], 'epoch')}"
    tail = f"; made with other settings ({'; '.join(run['changed_since'])})" if run["changed_since"] else ""
    if run["objective"] is None:
        return f"{head}, {'not scored' if run['has_plan'] else 'no plan yet'}{tail}"
    ratio = f"objective {run['objective']:.4g}"
    if run["baseline_objective"] is not None:
        ratio += f" against {run['baseline_objective']:.4g} without drops"
    worst = "" if run["worst_case"] is None else f", worst stress case {run['worst_case']['text']}"
    return f"{head}, {ratio}, {counted(run['drops'], 'drop')}{worst}{tail}"


def operations_summary(project: Project) -> dict[str, Any]:
    """Return the constraints that are set, as in their file; empty when none is.

    The first day's flying window is added.
    """
    operations, calendar = project.operations, project.calendar
    table = operations_to_table(operations)
    if operations.daylight is not None and not operations.daylight.problems():
        windows = flying_windows(operations.daylight, project.scenario.grid, calendar)
        first = next((window for window in windows if window[1] > calendar.start), None)
        table["daylight"]["first_window"] = None if first is None else list(first)
    notes = operations.notes(calendar)
    return table | ({"notes": list(notes)} if notes else {})


def operations_lines(table: dict[str, Any], utc_offset_h: float) -> Iterator[str]:
    """Yield the lines for people, from :func:`operations_summary`; none without a constraint."""
    zone = timezone(timedelta(hours=utc_offset_h))
    told = list(_lines(table, zone))
    yield from (f"  {'rules' if index == 0 else '':<10} {line}" for index, line in enumerate(told))


def _lines(table: dict[str, Any], zone: timezone) -> Iterator[str]:
    if "daylight" in table:
        light = table["daylight"]
        window = light.get("first_window")
        first = f"first {_span(window[0], window[1], zone)} local" if window else "never on the planned days"
        after, before = light["after_sunrise_min"], light["before_sunset_min"]
        yield f"drops from {after:g} min after sunrise to {before:g} min before sunset, {first}"
    for row in table.get("grounding", ()):
        yield f"{row['aircraft']} on the ground {_span(row['start'], row['end'], zone)} local"
    for kind, most in table.get("sorties_per_day", {}).items():
        yield f"each {kind} drops at most {counted(most, 'time')} a day"
    if "hard_cap" in table:
        yield f"at most {counted(table['hard_cap'], 'drop')} in all"
    for row in table.get("airspace", ()):
        yield AirspaceRule(**{**row, "types": tuple(row.get("types", ()))}).text(chosen_units())
    if "no_drop_zone" in table:
        yield f"no drop in {', '.join(row['name'] for row in table['no_drop_zone'])}"
    for row in table.get("base", ()):
        served = ", ".join(row["serves"]) or "no type"
        yield f"base {row['name']} serves {served}"
    if "pinned" in table:
        yield f"{counted(len(table['pinned']), 'pinned drop')}"
    for row in table.get("frequency", ()):
        yield f"frequency {RadioFrequency(**row).text}"
    yield from (f"hazard: {text}" for text in table.get("hazards", ()))
    yield from table.get("notes", ())


def _span(start: datetime, end: datetime, zone: timezone) -> str:
    begin, stop = (to_the_minute(when).astimezone(zone) for when in (start, end))
    until = f"{stop:%H:%M}" if begin.date() == stop.date() else f"{stop:%Y-%m-%d %H:%M}"
    return f"{begin:%Y-%m-%d %H:%M} to {until}"

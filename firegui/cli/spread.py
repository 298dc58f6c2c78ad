"""``firegui spread``: speed and shape of a fire at one place, to check against other tools."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from firegui.api.gather import Gather
from firegui.cli.arguments import FILE, NUMBER, WHOLE
from firegui.cli.output import chosen_units, json_option, report
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.fuel_models import STEEPEST, FuelModel, FuelMoisture, SurfaceConditions, model_named
from firegui.domain.physical import CROWN_SETTINGS, PhysicalSettings
from firegui.domain.project import Project
from firegui.domain.scenario import LAYERS, Scenario
from firegui.domain.units import percent_text
from firegui.domain.weather import AIR_C, HOURS_PER_DAY, HUMIDITY
from firegui.errors import InputError, Problem
from firegui.fire.behaviour_rasters import UNITS, behaviour_rasters, hours_text
from firegui.fire.crown_fire import CrownSpread, critical_intensity, crown_fire
from firegui.fire.fuel_moisture import fine_dead_moisture, moistures_of
from firegui.fire.landscape import missing_crown_layers
from firegui.fire.physical import fuel_problems
from firegui.fire.surface_spread import SurfaceSpread, surface_fire, wind_at_flames
from firegui.io.atomic import new_folder
from firegui.io.coordinates import parse_place
from firegui.io.fuel_models_file import read_fuel_models, standard_fuel_models
from firegui.io.georeference import Georeference
from firegui.io.project.store import load_project
from firegui.io.rasters.geotiff import write_raster
from firegui.runs.messages import counted

_TITLE = "The spread cannot be computed"
_PLANS = "Plans use the project's fire model."
_LAYERS = ("slope", "aspect", "canopy_cover", "canopy_height", "canopy_base_height", "canopy_density")
"""Layers of a project that are conditions of the same name."""
_CROWN_LAYERS = ("canopy_base_height", "canopy_density")
_MOISTURE, _CONDITIONS = FuelMoisture(), SurfaceConditions()
_OF_PROJECT = "; as in PROJECT's physical model where it is not given"


@click.command()
@click.argument("project_folder", metavar="[PROJECT]", type=FILE, required=False)
@click.option("--at", metavar="'LAT LON'", help="The place on PROJECT, in degrees or UTM.")
@click.option("--cell", metavar="ROW COLUMN", type=WHOLE, nargs=2, help="The place on PROJECT, counted from 0.")
@click.option("--day", metavar="N", type=WHOLE, help="The day whose wind blows, counted from 0.  [default: 0]")
@click.option(
    "--hour", metavar="N", type=WHOLE, help="The hour since the day began, where PROJECT has a weather by the hour."
)
@click.option("--fuel", metavar="MODEL", help="Fuel model: a name such as GR2, or its number.  [default: PROJECT's]")
@click.option(
    "--fuel-models", metavar="F.fmd", type=FILE, help="Custom fuel models, before PROJECT's and the standard ones."
)
@click.option("--temperature", metavar="°C", type=NUMBER, help="Temperature of the air, for --dead-1h and --dead-10h.")
@click.option("--humidity", metavar="PERCENT", type=NUMBER, help="Relative humidity, with --temperature.")
@setting_options(_MOISTURE, suffix=_OF_PROJECT)
@setting_options(_CONDITIONS, suffix="; PROJECT's where it is not given")
@setting_options(PhysicalSettings(), only=CROWN_SETTINGS, suffix=_OF_PROJECT)
@click.option(
    "--midflame-wind", metavar="M/S", type=NUMBER, help="Wind at the height of the flames, in place of --wind."
)
@click.option("--no-wind-limit", is_flag=True, help="Lift Rothermel's limit on the effective wind.")
@click.option(
    "--out", metavar="FOLDER", type=FILE, help="Write rasters of all of PROJECT there, in place of one place."
)
@json_option
def spread(
    project_folder: Path | None, at: str | None, cell: tuple[int, int] | None, day: int | None,
    hour: int | None, fuel: str | None,
    fuel_models: Path | None, temperature: float | None, humidity: float | None, midflame_wind: float | None,
    no_wind_limit: bool, out: Path | None, as_json: bool, **given: Any,
) -> None:  # fmt: skip
    """Print speed, direction and flame length of a surface fire by Rothermel's model, or of a crown fire.

    Fuel, slope, canopy and the day's wind are those of a place on PROJECT, or given with options, which come first. The
    wind is that in the open at 10 m. Moistures of fine dead fuel follow from temperature and humidity, or are given as
    the others are. With --crown-fire crowns burn, by Scott and Reinhardt (2001). Spotting is not modelled. With --out
    the new FOLDER gets GeoTIFFs of rate of spread, direction, flame length and fireline intensity of the day, a band
    for each period. This is a calculation beside the plan: it changes nothing.
    """
    gather = Gather()
    if out is not None:
        places = (at, cell, fuel, fuel_models, temperature, humidity, midflame_wind)
        asked = given_settings(_CONDITIONS, given, gather) != _CONDITIONS or no_wind_limit
        if asked or any(value is not None for value in places):
            gather.add("--out", "is of the whole project", "leave out the options of one place")
        _write_rasters(project_folder, out, (day or 0, hour), given, gather, as_json=as_json)
        return
    models = standard_fuel_models()
    custom = None if fuel_models is None else gather.attempt(lambda: read_fuel_models(fuel_models))
    conditions, code, air, time, settings = _CONDITIONS, None, _MOISTURE, None, PhysicalSettings()
    if project_folder is not None:
        project = gather.attempt(lambda: load_project(project_folder))
        if project is not None:
            settings, models = project.physical, (*project.fire_model.fuels, *models)
            found = gather.attempt(lambda: _on_project(project, at, cell, (day or 0, hour), given))
            conditions, code, air, time = found or (conditions, None, settings.moisture, None)
    elif any(value is not None for value in (at, cell, day, hour)):
        gather.add("--at, --cell, --day and --hour", "belong to a project", "name the project first, or leave them out")
    elif fuel is None:
        gather.add("--fuel", "is not given", "give a fuel model, or a project and a place on it")
    weathered = _weathered(temperature, humidity, settings.moisture, given, gather)
    moisture = given_settings(weathered or air, given, gather)
    conditions = replace(given_settings(conditions, given, gather), flame_wind=midflame_wind)
    settings = replace(given_settings(settings, given, gather), moisture=moisture)
    gather.extend([*settings.problems(), *conditions.problems()])
    if settings.crown_fire and midflame_wind is not None:
        remedy = "give --wind, or --no-crown-fire"
        gather.add("--midflame-wind", "does not tell the wind that drives a crown fire", remedy)
    model = _fuel_model((*(custom or ()), *models), fuel, code, gather)
    gather.raise_if_any(_TITLE)
    assert model is not None
    limit = not no_wind_limit
    fire = surface = surface_fire(model, moisture, conditions, limit_wind=limit)
    if settings.crown_fire:
        fire = crown_fire(surface, model, moisture, conditions, settings.foliar_moisture, limit_wind=limit)
    data = _data(model, moisture, conditions, fire) | {
        "time": time, "crown_fire": _crown_data(fire, surface, conditions, settings), "left_out": _left_out(settings),
    }  # fmt: skip
    report(as_json, data, lambda: _lines(model, moisture, conditions, fire, data))


def _write_rasters(
    folder: Path | None, out: Path, when: tuple[int, int | None], given: Mapping[str, Any], gather: Gather, *,
    as_json: bool,
) -> None:  # fmt: skip
    """Write the rasters of a day or an hour of a project into the new folder ``out``, all of them or none."""
    if folder is None:
        gather.add("--out", "needs a project", "name it first")
    project = None if folder is None else gather.attempt(lambda: load_project(folder))
    settings = PhysicalSettings()
    if project is not None:
        settings = project.physical
        problems = fuel_problems(project.scenario, project.fire_model.fuels)
        gather.extend([*_time_problems(project.scenario, *when), *problems])
    settings = given_settings(settings, given, gather)
    if when[1] is not None:
        settings = replace(settings, periods_per_day=HOURS_PER_DAY)
    gather.extend(settings.problems())
    gather.raise_if_any(_TITLE)
    assert project is not None
    scenario = project.scenario
    moistures = {item.name: given[item.name] for item in fields(FuelMoisture) if given[item.name] is not None}
    names, titles = [], list[str]()
    with new_folder(out) as temporary:
        for raster in behaviour_rasters(scenario, settings, project.fire_model.fuels, *when, moistures=moistures):
            name, titles, tags = f"{raster.name}.tif", [*raster.titles], {"UNIT": UNITS[raster.name]}
            write_raster(temporary / name, raster.bands, scenario.grid, descriptions=titles, tags=tags)
            names.append(name)
    left_out = _left_out(settings, scenario)
    data = {"folder": str(out), "files": names, "periods": titles, "left_out": left_out}
    bands = f"{counted(len(titles), 'band')} each: {titles[0]}{' and on' if len(titles) > 1 else ''}"
    report(as_json, data, lambda: [f"Wrote {', '.join(names)} to {out}, {bands}.", left_out])


def _time_problems(scenario: Scenario, day: int, hour: int | None) -> Iterator[Problem]:
    """Yield what is wrong with a day, and with an hour where one is named."""
    if not 0 <= day < scenario.days:
        yield Problem("--day", f"is {day}", f"use a day from 0 to {scenario.days - 1}")
    if hour is not None and not 0 <= hour < HOURS_PER_DAY:
        yield Problem("--hour", f"is {hour}", f"use an hour from 0 to {HOURS_PER_DAY - 1}")
    elif hour is not None and scenario.weather is None:
        yield Problem("--hour", "the project has one wind a day", "leave it out, or import an hourly wind")


def _weathered(
    temperature: float | None, humidity: float | None, usual: FuelMoisture, given: Mapping[str, Any], gather: Gather
) -> FuelMoisture | None:
    """Return ``usual`` with fine dead fuel by temperature and humidity, where both are given."""
    if temperature is None and humidity is None:
        return None
    if temperature is None or humidity is None:
        gather.add("--temperature and --humidity", "only one is given", "give both, or neither")
        return None
    if given["dead_1h"] is not None or given["dead_10h"] is not None:
        remedy = "leave out one or the other"
        gather.add("--dead-1h and --dead-10h", "are given besides temperature and humidity", remedy)
    for name, value, (low, high) in (("temperature", temperature, AIR_C), ("humidity", humidity, HUMIDITY)):
        if not low <= value <= high:
            gather.add(f"--{name}", f"is {value:g}", f"use a value from {low:g} to {high:g}")
    one, ten = fine_dead_moisture(temperature, humidity)
    return replace(usual, dead_1h=round(float(one), 2), dead_10h=round(float(ten), 2))


def _on_project(
    project: Project, at: str | None, cell: tuple[int, int] | None, when: tuple[int, int | None],
    given: Mapping[str, Any],
) -> tuple[SurfaceConditions, int | None, FuelMoisture, str]:  # fmt: skip
    """Return the conditions at a place, the code of its fuel model, the moisture and their time in words.

    The code is ``None`` without a fuel layer. Wind and moisture are those of the hour, or of the day without one.
    """
    scenario, grid, (day, hour) = project.scenario, project.scenario.grid, when
    if (at is None) == (cell is None):
        raise InputError(
            [Problem("the place", "is given " + ("not at all" if at is None else "twice"), "give --at or --cell")]
        )
    if at is not None:
        position = Georeference(grid).from_lonlat(*parse_place(at))
        if position is None:
            raise InputError([Problem("--at", "the project's grid has no place on the Earth", "give --cell")])
        row, column = (math.floor(value + 0.5) for value in position)
    else:
        assert cell is not None
        row, column = cell
    problems = []
    if not (0 <= row < grid.rows and 0 <= column < grid.columns):
        problems.append(
            Problem(
                "the place",
                f"row {row}, column {column} is not on the grid",
                f"it has {grid.rows} × {grid.columns} cells",
            )
        )
    problems += _time_problems(scenario, day, hour)
    if problems:
        raise InputError(problems)
    layers = {name: float(layer[row, column]) for name, layer in scenario.layers.items()}
    weather = scenario.weather_of(1 if hour is None else HOURS_PER_DAY)
    period = weather.period_at(day, hour or 0)
    speed, towards = weather.wind_at(period, row, column)
    known = {name: layers[name] for name in _LAYERS if math.isfinite(layers.get(name, math.nan))}
    known["slope"] = min(known.get("slope", 0.0), STEEPEST)
    if layers.get("aspect", -1.0) < 0.0:  # flat, or not known: level, as in the maps
        known.pop("aspect", None)
        if given["aspect"] is None:
            del known["slope"]
    if "canopy_base_height" not in known and all(given[name] is None for name in _CROWN_LAYERS):
        known.pop("canopy_density", None)  # without their base no crowns burn
    place = replace(_CONDITIONS, **known, wind=speed, wind_from=(270.0 - math.degrees(towards)) % 360.0)
    code = layers.get("fuel", math.nan)
    settings = project.physical
    moisture = moistures_of(weather, settings.moisture, from_air=settings.air_moisture)[period]
    hours = HOURS_PER_DAY // weather.periods_per_day
    time = hours_text(scenario, day, (hour or 0) // hours * hours, hours)
    return place, int(code) if math.isfinite(code) else None, moisture, time


def _fuel_model(models: tuple[FuelModel, ...], fuel: str | None, code: int | None, gather: Gather) -> FuelModel | None:
    if fuel is None and code is None:
        if not len(gather):
            gather.add("--fuel", "the project has no fuel model at this place", "give one")
        return None
    text = str(code) if fuel is None else fuel
    found = model_named(models, text)
    if found is None:
        where = "the fuel layer" if fuel is None else "--fuel"
        gather.add(where, f"{text!r} is not a fuel model that burns", "give one such as GR2 or 102, or a file of them")
    return found


def _data(
    model: FuelModel, moisture: FuelMoisture, conditions: SurfaceConditions, fire: SurfaceSpread
) -> dict[str, Any]:
    return {
        "fuel": {"code": model.code, "name": model.name, "title": model.title},
        "moisture_percent": asdict(moisture),
        "conditions": asdict(conditions),
        "midflame_wind_ms": wind_at_flames(model, conditions),
        "head_m_min": float(fire.head),
        "flank_m_min": float(fire.flank),
        "back_m_min": float(fire.back),
        "towards_deg": _towards(fire),
        "length_to_width": float(fire.length_to_width),
        "eccentricity": float(fire.eccentricity),
        "flame_length_m": float(fire.flame_length),
        "fireline_intensity_kw_m": float(fire.intensity),
        "reaction_intensity_kw_m2": float(fire.reaction_intensity),
        "residence_min": float(fire.residence),
    }


def _crown_data(
    fire: SurfaceSpread, surface: SurfaceSpread, conditions: SurfaceConditions, settings: PhysicalSettings
) -> dict[str, Any] | None:
    """Return what the crowns do, ``None`` without crown fire."""
    if not isinstance(fire, CrownSpread):
        return None
    fraction = float(fire.fraction)
    return {
        "type": "active" if fire.is_active else "passive" if fraction > 0.0 else "surface",
        "fraction_burned": fraction,
        "surface_head_m_min": float(surface.head),
        "surface_intensity_kw_m": float(surface.intensity),
        "critical_intensity_kw_m": float(critical_intensity(conditions.canopy_base_height, settings.foliar_moisture)),
        "foliar_moisture_percent": settings.foliar_moisture,
    }


def _left_out(settings: PhysicalSettings, scenario: Scenario | None = None) -> str:
    """Return what is not modelled, and which layers of a ``scenario`` crown fire lacks.

    Without ``scenario`` the fire is that of one place, by the published speeds.
    """
    ends = f"Factors of the calibration do not count here. {_PLANS}"
    ends = ends if scenario is None and settings.factors.are_set else _PLANS
    if not settings.crown_fire:
        return f"Crown fire is off and spotting is not modelled. {ends}"
    lacking = () if scenario is None else missing_crown_layers(scenario)
    crowns = f"No {' and '.join(LAYERS[key][0].lower() for key in lacking)}: no crowns burn. " if lacking else ""
    return f"{crowns}Spotting is not modelled. {ends}"


def _towards(fire: SurfaceSpread) -> float:
    """Return the direction of the head in degrees clockwise from north."""
    return float(90.0 - np.degrees(fire.direction)) % 360.0


def _lines(
    model: FuelModel, moisture: FuelMoisture, conditions: SurfaceConditions, fire: SurfaceSpread, data: dict[str, Any]
) -> Iterator[str]:
    units, crowns = chosen_units(), data["crown_fire"]
    kind = "Surface fire" if crowns is None or crowns["type"] == "surface" else f"{crowns['type'].title()} crown fire"
    yield f"{kind} in fuel model {model.code} {model.name}" + (f", {model.title.lower()}" if model.title else "")
    moistures = [f"{value:g}" for value in moisture.values]
    dead, live = moistures[:3], moistures[3:]
    flames = f"{units.wind(wind_at_flames(model, conditions))} at the flames"
    wind = flames if conditions.flame_wind is not None else f"{units.wind(conditions.wind)} in the open, {flames}"
    passes = f"front passes in {float(fire.residence):.1f} min"
    length, intensity = float(fire.flame_length), float(fire.intensity)
    rows = [
        *([("time", data["time"])] if data["time"] else []),
        ("moisture", f"dead {', '.join(dead)} %, live {', '.join(live)} %"),
        ("wind", f"{wind}, from {conditions.wind_from:.0f}°"),
        ("ground", f"slope {conditions.slope:.0f}°, facing {conditions.aspect:.0f}°"),
        ("spread", f"head {units.spread_rate(float(fire.head))} towards {_towards(fire):.0f}°"),
        ("", f"flanks {units.spread_rate(float(fire.flank))}, back {units.spread_rate(float(fire.back))}"),
        ("shape", f"{float(fire.length_to_width):.2f} times as long as wide"),
        ("flames", f"{units.flame_length(length)} long, {units.fireline_intensity(intensity)}, {passes}"),
        *([("crowns", _crowns_text(conditions, crowns))] if crowns else []),
    ]
    yield from (f"  {name:<10} {text}" for name, text in rows)
    yield data["left_out"]


def _crowns_text(conditions: SurfaceConditions, crowns: dict[str, Any]) -> str:
    """Return what the crowns do in words."""
    units = chosen_units()
    if conditions.canopy_density == 0.0:
        return "none here: the canopy bulk density is 0 or not known, or the base height is not known"
    intensity, critical = (units.fireline_intensity(crowns[f"{key}_intensity_kw_m"]) for key in ("surface", "critical"))
    starts = f"surface fire {intensity}, crowns catch fire from {critical}"
    if crowns["type"] == "surface":
        return f"do not burn: {starts}"
    head = units.spread_rate(crowns["surface_head_m_min"])
    return f"{percent_text(crowns['fraction_burned'])} burn ({starts}); without them the head moves {head}"

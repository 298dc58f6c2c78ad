"""``firegui import``: make a project of data in other formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import click

from firegui.api.gather import Gather
from firegui.api.new_projects import TITLE, new_landscape_project, new_maps_project
from firegui.api.projects import made_project, refuse_existing
from firegui.cli.arguments import FILE, NUMBER, WHOLE, F, option_group
from firegui.cli.options import parse_start, parse_transform
from firegui.cli.output import json_option, report
from firegui.cli.project_report import next_step, project_lines, project_summary
from firegui.domain.options import number_from_text
from firegui.domain.project import Project
from firegui.domain.scenario import LAYERS
from firegui.errors import InputError, Problem, Problems
from firegui.fire.first_project import first_project
from firegui.io.fuel_models_file import read_fuel_models
from firegui.io.importers.events import EventFileSource, import_events
from firegui.io.importers.folder import recognise
from firegui.io.importers.landscape_source import LandscapeSource, LayerBand, TargetGrid
from firegui.io.importers.layer_values import UNITS, find_unit
from firegui.io.importers.pytorchfire import import_pytorchfire
from firegui.io.vectors.perimeters import PerimeterGrowth, PerimeterSource
from firegui.io.weather.conventions import Components, Height, North, Sense, SpeedUnit, TimeBasis, WindConventions
from firegui.io.weather.wind import WindSource

perimeter_options = option_group(
    click.option(
        "--perimeters", metavar="F", type=FILE,
        help="Observed fire: dated polygons (shapefile, GeoPackage, GeoJSON, KML, or a folder of one), a GeoTIFF "
        "with a mask for every date, or where it starts (points, or a mask).",
    ),
    click.option("--perimeters-layer", metavar="NAME", help="Its layer, where it holds several."),
    click.option("--perimeters-date", metavar="COLUMN", help="Its column of dates; recognised otherwise."),
    click.option(
        "--perimeters-are", type=click.Choice([member.value for member in PerimeterGrowth]),
        help="Whether a date's polygons are that day's growth or the whole fire; told from them otherwise.",
    ),
)  # fmt: skip
"""Adds ``--perimeters`` and what goes with it."""


def perimeter_source(options: Mapping[str, Any], problems: Problems) -> PerimeterSource | None:
    """Return the requested perimeters; ``None`` where no file is given."""
    layer, column, growth = (options[f"perimeters_{name}"] for name in ("layer", "date", "are"))
    if options["perimeters"] is None:
        for name, value in (("layer", layer), ("date", column), ("are", growth)):
            if value is not None:
                problems.add(f"--perimeters-{name}", "is given without --perimeters", "give the file as well")
        return None
    return PerimeterSource(
        options["perimeters"],
        layer,
        column,
        None if growth is None else PerimeterGrowth(growth),
        options.get("utc_offset"),
    )


S = TypeVar("S")
T = TypeVar("T")
M = TypeVar("M", bound=StrEnum)


layer_options = option_group(
    *(
        click.option(f"--{key.replace('_', '-')}", key, metavar="F", type=FILE, help=f"{title} ({unit}), a raster.")
        for key, (title, unit) in LAYERS.items()
    ),
    click.option(
        "--fuel-models",
        metavar="F.fmd",
        type=FILE,
        help="Custom fuel models, whose codes the fuel model layer may hold; the project keeps them.",
    ),
    click.option("--lcp", metavar="F", type=FILE, help="A landscape file: .lcp, or a GeoTIFF of its bands."),
    click.option("--lcp-bands", metavar="A,B,…", help="Its bands in order, a dash for one to leave out."),
    click.option("--folder", metavar="DIR", type=FILE, help="Take what is recognised in DIR; other options win."),
    click.option("--band", "bands", metavar="LAYER=N", multiple=True, help="Which band of its file a layer is."),
    click.option("--unit", "units", metavar="LAYER=UNIT", multiple=True, help="A layer's unit, such as slope=percent."),
    click.option("--crs", metavar="C", help="CRS of the event's grid, such as EPSG:3310; else that of the layers."),
    click.option("--cell-size", type=NUMBER, metavar="M", help="Side of its cells in metres."),
    click.option("--bounds", metavar="W,S,E,N", help="Its extent in its CRS; else what all layers share."),
)
"""Adds everything that says which file is which layer, and the grid they are brought to."""


def _choice(option: str, kind: Any, help: str) -> Callable[[F], F]:
    return click.option(option, type=click.Choice([member.value for member in kind]), help=help)


wind_options = option_group(
    click.option("--wind-speed", type=NUMBER, metavar="V", help="Wind speed, the same everywhere on every day."),
    click.option("--wind-from", type=NUMBER, metavar="DEG", help="Where it blows from: 0 north, 90 east, 270 west."),
    click.option(
        "--wind", "wind_files", metavar="F", type=FILE, multiple=True,
        help="A CSV table, records of a station (.wxs, .fw9), a NetCDF file, one or two GeoTIFFs (speed and direction, "
        "or u and v, in this order), or WindNinja's …_vel.asc.",
    ),
    _choice("--wind-unit", SpeedUnit, "Unit of wind speed; m/s for --wind-speed, else told from the file."),
    _choice("--wind-height", Height, "Height above the ground that the wind was measured or computed for."),
    _choice("--wind-sense", Sense, "Whether directions say where the wind comes from or goes to."),
    _choice("--wind-components", Components, "The two numbers that the files hold."),
    _choice("--wind-north", North, "The north of directions: the pole, or the top of the file's raster."),
    _choice("--wind-clock", TimeBasis, "The clock of times without an offset."),
    click.option("--wind-first", metavar="ISO", help="Time of the first sample, for files without times."),
    click.option("--wind-step", type=NUMBER, metavar="H", help="Hours between its samples, likewise."),
)  # fmt: skip
"""Adds everything that says what the wind is and how its numbers are meant."""


def source_of(options: Mapping[str, Any], gather: Gather) -> LandscapeSource:
    """Return the source that the options ask for; note options that cannot be read."""
    base = LandscapeSource()
    if options["folder"] is not None:
        found = gather.attempt(lambda: recognise(options["folder"]))
        base = base if found is None else replace(found.source, notes=(*found.notes, *found.unreadable))
    layers = {**base.layers, **{key: LayerBand(options[key]) for key in LAYERS if options[key] is not None}}
    bands = _pairs("--band", options["bands"], gather)
    units = _pairs("--unit", options["units"], gather)
    names = {key: unit for key, text in units.items() if (unit := _unit(key, text, gather)) is not None}
    layers = {
        key: replace(file, band=_band(key, bands, gather) or file.band, unit=names.get(key, file.unit))
        for key, file in layers.items()
    }
    for key in sorted(set(bands) - set(layers)):
        gather.add("--band", f"{key} is given no file", f"give --{key.replace('_', '-')} too")
    lcp, text = options["lcp"], options["lcp_bands"]
    if text is not None and lcp is None and base.lcp is None:
        gather.add("--lcp-bands", "is given without a landscape file", "give the file too, with --lcp")
    return replace(
        base,
        layers=layers,
        lcp=base.lcp if lcp is None else lcp,
        lcp_bands=base.lcp_bands if text is None else tuple(_band_name(name) for name in text.split(",")),
        lcp_units={**base.lcp_units, **{key: unit for key, unit in names.items() if key not in layers}},
        target=_target(options, base.target, gather),
        wind=_wind(options, base.wind, gather),
        perimeters=_perimeters(options, base, gather),
        ignition=_read(options["ignition"], parse_ignition, gather)
        or (None if options["perimeters"] else base.ignition),
        days=options["days"] if options["days"] is not None else base.days,
        start=_read(options["start"], parse_start, gather) or base.start,
        utc_offset_h=options["utc_offset"] if options["utc_offset"] is not None else base.utc_offset_h,
        name=options["name"] or base.name,
        fuels=_read(options["fuel_models"], read_fuel_models, gather) or (),
    )


def parse_ignition(text: str) -> tuple[float, float] | Path:
    """Return longitude and latitude of a text with a comma between them, or a file.

    Raises :class:`~firegui.errors.InputError`.
    """
    found = _numbers(text)
    if len(found) == 2:
        return found[0], found[1]
    if Path(text).is_file():
        return Path(text)
    remedy = "write longitude,latitude in degrees, such as -122.63,38.61, or name a mask"
    raise InputError([Problem("--ignition", f"{text!r} is not a place", remedy)])


def _band_name(text: str) -> str:
    # A lone dash leaves a band out; elsewhere it stands for the underscore of a key.
    name = text.strip()
    return name if name == "-" else name.replace("-", "_")


def _perimeters(options: Mapping[str, Any], base: LandscapeSource, gather: Gather) -> PerimeterSource | None:
    asked = perimeter_source(options, gather)
    if asked is not None:
        return asked
    return None if options["ignition"] else base.perimeters


def _target(options: Mapping[str, Any], base: TargetGrid, gather: Gather) -> TargetGrid:
    bounds = _read(options["bounds"], _box, gather)
    return TargetGrid(
        options["crs"] or base.crs,
        base.cell_size_m if options["cell_size"] is None else options["cell_size"],
        bounds or base.bounds,
    )


def _wind(options: Mapping[str, Any], base: WindSource, gather: Gather) -> WindSource:
    files, speed, direction = tuple(options["wind_files"]), options["wind_speed"], options["wind_from"]
    if files or speed is not None or direction is not None:
        base = WindSource(speed, direction, files)
    said = base.conventions
    conventions = WindConventions(
        _member(Components, options["wind_components"]) or said.components,
        _member(SpeedUnit, options["wind_unit"]) or said.speed_unit,
        _member(Height, options["wind_height"]) or said.height,
        _member(Sense, options["wind_sense"]) or said.sense,
        _member(North, options["wind_north"]) or said.north,
        _member(TimeBasis, options["wind_clock"]) or said.clock,
    )
    first: datetime | None = _read(options["wind_first"], parse_start, gather)
    return replace(
        base,
        conventions=conventions,
        first=first or base.first,
        step_h=base.step_h if options["wind_step"] is None else options["wind_step"],
    )


def _member(kind: type[M], text: str | None) -> M | None:
    return None if text is None else kind(text)


def _pairs(option: str, texts: Sequence[str], problems: Problems) -> dict[str, str]:
    """Return the values of ``LAYER=VALUE`` texts by the key of the layer."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        key = name.strip().replace("-", "_")
        if not equals or key not in LAYERS:
            known = ", ".join(key.replace("_", "-") for key in LAYERS)
            problems.add(option, f"{text!r} names no layer", f"write LAYER=VALUE with one of {known}")
        else:
            found[key] = value.strip()
    return found


def _unit(key: str, text: str, problems: Problems) -> str | None:
    unit = find_unit(key, text)
    if unit is None:
        problems.add("--unit", f"{text!r} is not a unit of {LAYERS[key][0].lower()}", f"use {', '.join(UNITS[key])}")
    return unit


def _band(key: str, bands: Mapping[str, str], problems: Problems) -> int | None:
    text = bands.get(key)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        problems.add("--band", f"{text!r} is not a band of {LAYERS[key][0].lower()}", "give a number from 1 on")
        return None
    return int(text)


def _box(text: str) -> tuple[float, float, float, float]:
    found = _numbers(text)
    if len(found) != 4:
        remedy = "write west,south,east,north in the coordinates of the grid's CRS"
        raise InputError([Problem("--bounds", f"{text!r} is not a box", remedy)])
    return found[0], found[1], found[2], found[3]


def _numbers(text: str) -> list[float]:
    try:
        return [number_from_text(part.strip()) for part in text.split(",")]
    except ValueError:
        return []


def _read(text: S | None, parse: Callable[[S], T], gather: Gather) -> T | None:
    return None if text is None else gather.attempt(lambda: parse(text))


@click.group("import")
def import_group() -> None:
    """Make a project from existing data."""


def out_option(command: F) -> F:
    """Add ``--out``."""
    return click.option(
        "--out", metavar="PROJECT", type=FILE, required=True, help="Folder of the new project; must not exist."
    )(command)


_perimeters_option = click.option(
    "--perimeters", metavar="F", type=FILE, help="Observed perimeters: a vector file, or a folder of them."
)


def _place_options(command: F) -> F:
    command = click.option("--transform", metavar="a,b,c,d,e,f", help="Affine coefficients of the raster.")(command)
    return click.option("--crs", metavar="C", help="CRS of the raster, as PROJ understands it.")(command)


def _when_options(command: F) -> F:
    command = click.option("--name", help="Name of the event; recognised or taken from the folder otherwise.")(command)
    command = click.option("--utc-offset", type=NUMBER, metavar="HOURS", help="Local time at the fire, such as -7.")(
        command
    )
    help = "Time at which day 0 of the wind begins; UTC unless it says otherwise."
    return click.option("--start", metavar="ISO", help=help)(command)


@import_group.command("pytorchfire")
@click.argument("folder", type=FILE)
@out_option
@_perimeters_option
@_place_options
@_when_options
@json_option
def pytorchfire(
    folder: Path,
    out: Path,
    perimeters: Path | None,
    crs: str | None,
    transform: str | None,
    start: str | None,
    utc_offset: float | None,
    name: str | None,
    as_json: bool,
) -> None:
    """Import a PyTorchFire example FOLDER, with observed perimeters if there are any."""
    gather = Gather()
    refuse_existing(out, gather)
    coefficients = None if transform is None else gather.attempt(lambda: parse_transform(transform))
    began = None if start is None else gather.attempt(lambda: parse_start(start))
    event = gather.take(
        lambda: import_pytorchfire(
            folder,
            perimeters=perimeters,
            crs=crs,
            transform=coefficients,
            start=began,
            utc_offset_h=utc_offset,
            name=name,
        ),
        TITLE,
    )
    print_new(made_project(first_project(event), out), out, as_json)


@import_group.command("maps")
@click.argument("file", type=FILE)
@out_option
@json_option
def maps(file: Path, out: Path, as_json: bool) -> None:
    """Import the maps of any fire model from FILE, an npz as `firegui maps` writes it."""
    print_new(new_maps_project(file, out), out, as_json)


@import_group.command("landscape")
@layer_options
@wind_options
@perimeter_options
@click.option("--ignition", metavar="LON,LAT|F", help="Where the fire starts, in place of perimeters; or a mask.")
@click.option(
    "--days", type=WHOLE, metavar="N", help="Days of weather; those of the wind, to the last perimeter, or 15."
)
@_when_options
@out_option
@json_option
def landscape(out: Path, as_json: bool, **options: Any) -> None:
    """Import landscape layers or a landscape file, with a wind and a fire.

    Layers are rasters such as GeoTIFF, in any CRS and resolution.
    """
    gather = Gather()
    refuse_existing(out, gather)
    source = source_of(options, gather)
    print_new(new_landscape_project(source, out, gather), out, as_json)


@import_group.command("events")
@click.argument("file", type=FILE)
@click.option("--event", metavar="NAME", help="Which event of the file; may be left out where there is only one.")
@_place_options
@click.option("--utc-offset", type=NUMBER, metavar="HOURS", help="Local time at the fire, such as -7.")
@click.option("--name", help="Name of the event; its name in the file otherwise.")
@out_option
@json_option
def events(
    file: Path,
    event: str | None,
    crs: str | None,
    transform: str | None,
    utc_offset: float | None,
    name: str | None,
    out: Path,
    as_json: bool,
) -> None:
    """Import one event of the six-fire HDF5 FILE."""
    gather = Gather()
    refuse_existing(out, gather)
    coefficients = None if transform is None else gather.attempt(lambda: parse_transform(transform))
    source = EventFileSource(file, event, crs, coefficients, utc_offset, name)
    scenario = gather.take(lambda: import_events(source), TITLE)
    print_new(made_project(first_project(scenario), out), out, as_json)


def print_new(project: Project, folder: Path, as_json: bool) -> None:
    """Print what the new project in ``folder`` is."""
    data: dict[str, Any] = {"project": str(folder), **project_summary(project, folder)}
    lines = [f"Imported into {folder}", "", *project_lines(data), "", next_step(folder, project)]
    report(as_json, data, lambda: lines)

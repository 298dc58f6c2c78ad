"""``firegui import``: somebody else's data becomes a project."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from firegui.cli.gather import Gather
from firegui.cli.import_landscape import layer_options, source_of, wind_options
from firegui.cli.info import next_step, project_lines, project_summary
from firegui.cli.options import FILE, F, parse_start, parse_transform
from firegui.cli.output import json_option, report
from firegui.cli.perimeter_options import perimeter_options
from firegui.domain.project import Project
from firegui.errors import Problems
from firegui.fire.first_project import first_project
from firegui.io.importers.events import EventFileSource, import_events
from firegui.io.importers.landscape import import_landscape
from firegui.io.importers.maps import import_maps
from firegui.io.importers.pytorchfire import import_pytorchfire
from firegui.io.project_store import load_project, save_project

_TITLE = "The import cannot start"


@click.group("import")
def import_group() -> None:
    """Make a project from existing data."""


def out_option(command: F) -> F:
    """Adds ``--out``."""
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
    command = click.option("--utc-offset", type=float, metavar="HOURS", help="Local time at the fire, such as -7.")(
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
        _TITLE,
    )
    finish(out, lambda: first_project(event), as_json)


@import_group.command("maps")
@click.argument("file", type=FILE)
@out_option
@json_option
def maps(file: Path, out: Path, as_json: bool) -> None:
    """Import the maps of any fire model from FILE, an npz as `firegui maps` writes it."""
    gather = Gather()
    refuse_existing(out, gather)
    event, fire = gather.take(lambda: import_maps(file), _TITLE)
    finish(out, lambda: first_project(event, fire), as_json)


@import_group.command("landscape")
@layer_options
@wind_options
@perimeter_options
@click.option("--ignition", metavar="LON,LAT|F", help="Where the fire starts, in place of perimeters; or a mask.")
@click.option("--days", type=int, metavar="N", help="Days of weather; those of the wind, to the last perimeter, or 15.")
@_when_options
@out_option
@json_option
def landscape(out: Path, as_json: bool, **options: Any) -> None:
    """Import landscape layers (GeoTIFF, in any CRS and resolution) or a landscape file, with a wind and a fire."""
    gather = Gather()
    refuse_existing(out, gather)
    source = source_of(options, gather)
    event = gather.take(lambda: import_landscape(source), _TITLE)
    finish(out, lambda: first_project(event, grounded=False), as_json)


@import_group.command("events")
@click.argument("file", type=FILE)
@click.option("--event", metavar="NAME", help="Which event of the file; may be left out where there is only one.")
@_place_options
@click.option("--utc-offset", type=float, metavar="HOURS", help="Local time at the fire, such as -7.")
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
    scenario = gather.take(lambda: import_events(source), _TITLE)
    finish(out, lambda: first_project(scenario), as_json)


def refuse_existing(out: Path, problems: Problems) -> None:
    """Note a problem when ``out`` exists."""
    if out.exists():
        problems.add(str(out), "exists already", "give another name with --out, or remove it first")


def finish(out: Path, make: Callable[[], Project], as_json: bool) -> None:
    """Save the new project and say what it is."""
    project = make()
    save_project(project, out)
    saved = load_project(out)
    data: dict[str, Any] = {"project": str(out), **project_summary(saved, out)}
    report(as_json, data, lambda: [f"Imported into {out}", "", *project_lines(data), "", next_step(out, saved)])

"""``firegui barriers``: list, add, change, remove and export barriers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from firegui.api.gather import Gather
from firegui.cli.arguments import FILE, project_argument
from firegui.cli.configure import save_changed
from firegui.cli.output import chosen_units, json_option, report, table
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.barriers import (
    KIND_TITLES,
    USUAL_WIDTH_M,
    Barrier,
    BarrierKind,
    Line,
    barrier_problems,
)
from firegui.domain.names import with_named, without_named
from firegui.domain.project import Project
from firegui.domain.region_geometry import area
from firegui.domain.units import percent_text
from firegui.errors import InputError, Problem
from firegui.io.coordinates import parse_place
from firegui.io.georeference import Georeference
from firegui.io.importers.barriers import BarrierSource, ImportedBarriers, read_barriers, read_time, write_barriers
from firegui.io.project.store import load_project

_NEW = Barrier("", BarrierKind.OTHER)
_AT_START = "start"


@click.command()
@project_argument
@click.option("--add", "file", metavar="F.geojson|F.gpkg", type=FILE, help="Lines or polygons in a vector file.")
@click.option("--layer", metavar="NAME", help="Layer of a vector file that has several.")
@click.option(
    "--copy", "other", metavar="PROJECT", type=FILE, help="Add the barriers of another project at the same place."
)
@click.option("--name", metavar="NAME", help="Name of the barrier that is added with --line or --area, or changed.")
@click.option("--line", metavar="'LAT, LON; LAT, LON'", help="Corners of a line, as degrees or degrees and minutes.")
@click.option("--area", metavar="'LAT, LON; LAT, LON; …'", help="Corners of an area.")
@click.option("--kind", type=click.Choice([each.value for each in BarrierKind]), help="Kind of the barrier.")
@setting_options(_NEW, show_defaults=False)
@click.option(
    "--from", "begins", metavar="TIME|start", help="Time from which on it holds, such as 2020-08-20T14:00-07:00."
)
@click.option("--remove", "removed", metavar="NAME", multiple=True, help="Remove a barrier; give it once for each.")
@click.option("--export", "target", metavar="F.geojson", type=FILE, help="Write the barriers as GeoJSON.")
@json_option
def barriers(
    project_folder: Path, file: Path | None, layer: str | None, other: Path | None, name: str | None,
    line: str | None, area: str | None, kind: str | None, begins: str | None, removed: tuple[str, ...],
    target: Path | None, as_json: bool, **given: Any,
) -> None:  # fmt: skip
    """List the barriers of PROJECT, or change them.

    A barrier stops a share of the spread across a line or into an area, from a time on. One that is added takes the
    place of that with the same name. With --name alone, a barrier is changed.
    """
    told = [kind, begins, *given.values()]
    if name is None and file is None and any(value is not None for value in (line, area, *told)):
        raise click.UsageError("name the barrier with --name, or give a file with --add")
    if line is not None and area is not None:
        raise click.UsageError("give --line or --area, one of them")
    notes: list[str] = []

    def change(before: Project, gather: Gather) -> Project:
        grid, found = before.scenario.grid, before.barriers
        known = [barrier.name for barrier in found]
        when = None if begins in (None, _AT_START) else read_time(str(begins), "--from", gather)
        chosen = None if kind is None else BarrierKind(kind)
        if file is not None:
            terms = given_settings(_NEW, given, gather)
            width = terms.width_m if given.get("width_m") is not None else None
            source = BarrierSource(file, chosen, layer, width, terms.strength, when)
            read: ImportedBarriers | None = gather.attempt(lambda: read_barriers(source, grid))
            if read is not None:
                notes[:] = read.notes
                found = with_named(found, read.barriers)
        if other is not None:
            copied = gather.attempt(lambda: _of_other(other, before))
            found = found if copied is None else with_named(found, copied)
        if name is not None:
            one = next((barrier for barrier in found if barrier.name == name), None)
            if one is None and line is None and area is None and file is None:
                what = f"the project has no barrier {name!r} (it has: {', '.join(known) or 'none'})"
                gather.add("--name", what, "give --line or --area to add it")
            shapes = _shape(line, area, before, gather)
            is_new = one is None
            if one is not None or shapes is not None:
                made = one or Barrier(name, chosen or BarrierKind.OTHER)
                made = replace(made, width_m=USUAL_WIDTH_M[made.kind]) if is_new else made
                made = given_settings(replace(made, kind=chosen or made.kind), given, gather)
                made = made if shapes is None else replace(made, lines=shapes[0], areas=shapes[1])
                made = made if begins is None else replace(made, exists_from=when)
                kept = [made if barrier.name == name else barrier for barrier in found]
                found = (*kept, made) if is_new else tuple(kept)
        for asked in removed:
            if asked not in [barrier.name for barrier in found]:
                what = f"has no barrier {asked!r}"
                gather.add(project_folder.name, what, f"the project has: {', '.join(known) or 'none'}")
        return replace(before, barriers=without_named(found, removed))

    is_edit = bool(removed) or any(value is not None for value in (file, other, name))
    project = save_changed(change, project_folder) if is_edit else load_project(project_folder)
    if target is not None:
        write_barriers(project.barriers, target, project.scenario.grid)
        notes.append(f"{len(project.barriers)} barriers written to {target}")
    rows = barrier_rows(project)
    report(
        as_json, {"project": str(project_folder), "barriers": rows, "notes": notes},
        lambda: [*(barrier_lines(rows) or ["There are no barriers."]), *notes],
    )  # fmt: skip


def _of_other(folder: Path, project: Project) -> tuple[Barrier, ...]:
    """Return the barriers of another project in the cells of this one."""
    other = load_project(folder)
    grid, own = other.scenario.grid, project.scenario.grid
    is_same = grid.crs is not None and grid.crs == own.crs and grid.is_georeferenced and own.is_georeferenced
    if grid != own and not is_same:
        what = "lies in another CRS or has no place on the map"
        raise InputError([Problem(str(folder), what, "export its barriers with --export, and add that file")])

    def moved(corners: Line) -> Line:
        return tuple(_in_cells(own, *grid.to_world(row - 0.5, column - 0.5)) for row, column in corners)

    found = other.barriers if grid == own else tuple(
        replace(
            barrier, lines=tuple(map(moved, barrier.lines)),
            areas=tuple(tuple(map(moved, part)) for part in barrier.areas),
        )
        for barrier in other.barriers
    )  # fmt: skip
    if not found:
        raise InputError([Problem(str(folder), "has no barriers", "give a project that has some")])
    if problems := barrier_problems(found, own.shape):
        raise InputError(problems)
    return found


def _in_cells(grid: Any, east: float, north: float) -> tuple[float, float]:
    row, column = grid.from_world(east, north)
    return row + 0.5, column + 0.5


def _shape(
    line: str | None, area: str | None, project: Project, gather: Gather
) -> tuple[tuple[Line, ...], tuple[tuple[Line, ...], ...]] | None:
    """Return lines and areas that were typed, ``None`` for none; places that are none are noted."""
    text, flag = (line, "--line") if line is not None else (area, "--area")
    if text is None:
        return None
    place, corners = Georeference(project.scenario.grid), []
    if not place.has_place:
        gather.add(flag, "the event has no place on the map", "give its CRS and transform, then add barriers")
        return None
    for part in filter(str.strip, text.split(";")):
        at = gather.attempt(lambda part=part: parse_place(part.strip()))  # type: ignore[misc]
        found = None if at is None else place.from_lonlat(*at)
        if found is not None:
            corners.append((found[0] + 0.5, found[1] + 0.5))
    return ((tuple(corners),), ()) if line is not None else ((), ((tuple(corners),),))


def barrier_rows(project: Project) -> list[dict[str, Any]]:
    """Return the barriers as plain values; times in the fire's local offset."""
    cell, zone = project.scenario.grid.cell_size_m, project.calendar.local_zone
    return [
        {
            "name": barrier.name, "kind": str(barrier.kind), "shape": "area" if barrier.is_area else "line",
            "width_m": None if barrier.is_area else barrier.width_m, "strength": barrier.strength,
            "exists_from": None if barrier.exists_from is None else barrier.exists_from.astimezone(zone),
            "length_m": None if barrier.is_area else barrier.length * cell,
            "ha": area(barrier.region) * project.scenario.grid.cell_area_ha if barrier.is_area else None,
        }
        for barrier in project.barriers
    ]  # fmt: skip


def barrier_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of :func:`barrier_rows` for people, nothing without a barrier."""
    units = chosen_units()
    cells = [
        [
            row["name"], KIND_TITLES[BarrierKind(row["kind"])],
            units.area(row["ha"], 1) if row["shape"] == "area" else units.length(row["length_m"]),
            "" if row["width_m"] is None else f"{row['width_m']:g} m", percent_text(row["strength"]),
            "start" if row["exists_from"] is None else f"{row['exists_from']:%Y-%m-%d %H:%M %z}",
        ]
        for row in rows
    ]  # fmt: skip
    return table([["Barrier", "kind", "size", "width", "strength", "from"], *cells]) if cells else []

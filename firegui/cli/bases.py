"""``firegui bases``: list, add and remove bases, and limit the types that fly from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from firegui.api.gather import Gather
from firegui.cli.arguments import FILE, project_argument
from firegui.cli.configure import save_changed
from firegui.cli.output import json_option, report, table
from firegui.domain.bases import KIND_TITLES, USUAL_RELOAD_MIN, Base, BaseKind, flights, hour_of, hours_text
from firegui.domain.fleet import LIMITS, OF_BASES, AircraftType
from firegui.domain.names import with_named
from firegui.domain.operations import GUST_FACTOR
from firegui.domain.options import declared_option, number_from_text
from firegui.domain.project import Project
from firegui.errors import Problems
from firegui.io.coordinates import parse_place
from firegui.io.georeference import Georeference
from firegui.io.importers.bases import BaseSource, ImportedBases, read_bases
from firegui.io.project.store import load_project
from firegui.runs.engine import Engine

_OF_TYPE = (*OF_BASES, *LIMITS)


def _type_options(command: Any) -> Any:
    for name in reversed(_OF_TYPE):
        declared = declared_option(AircraftType, name)
        flag = "--" + name.replace("_", "-")
        help = f"{declared.title} of the type, {declared.unit}: {declared.help.removesuffix('; empty for none')}."
        command = click.option(flag, name, metavar="NUMBER|none", help=help)(command)
    return command


@click.command()
@project_argument
@click.option("--add", "file", metavar="F.csv|F.geojson", type=FILE, help="Bases in CSV or a vector file.")
@click.option("--layer", metavar="NAME", help="Layer of a vector file that has several.")
@click.option("--name", metavar="NAME", help="Name of the base that is added with --place, or changed.")
@click.option("--place", metavar="'LAT, LON'", help="Place of the base, as degrees or degrees and minutes.")
@click.option("--kind", type=click.Choice([each.value for each in BaseKind]), help="Kind of the base.")
@click.option("--reload-min", metavar="MINUTES", help="Reload time.")
@click.option("--hours", metavar="HH:MM-HH:MM|always", help="Hours of the local day in which the base loads.")
@click.option("--serves", metavar="ID,ID|none", help="Aircraft types that load there.")
@click.option("--remove", metavar="NAME", help="Remove a base.")
@click.option("--type", "kind_id", metavar="ID", help="Aircraft type that the following options change.")
@_type_options
@click.option(
    "--gust-factor", metavar="NUMBER", help=f"Gusts over the wind of the weather, for gust limits; {GUST_FACTOR:g}."
)
@click.option("--turnarounds", is_flag=True, help="Compute the turnaround of each type on each day.")
@json_option
def bases(
    project_folder: Path, file: Path | None, layer: str | None, name: str | None, place: str | None, kind: str | None,
    reload_min: str | None, hours: str | None, serves: str | None, remove: str | None, kind_id: str | None,
    gust_factor: str | None, *, turnarounds: bool, as_json: bool, **of_type: str | None,
) -> None:  # fmt: skip
    """List the bases of PROJECT, or change them.

    The turnaround of a type that a base serves is computed: reload time + 2 × distance / cruise speed + time in the
    target area, from the nearest base that is open. Other types keep their fixed turnaround.
    """
    if name is None and file is None and any(value is not None for value in (place, reload_min, hours)):
        raise click.UsageError("name the base with --name")
    if kind_id is None and any(value is not None for value in of_type.values()):
        raise click.UsageError("name the aircraft type with --type")
    notes: list[str] = []

    def change(before: Project, gather: Gather) -> Project:
        found = list(before.operations.bases)
        chosen = None if kind is None else BaseKind(kind)
        ids = None if serves is None else tuple(part.strip() for part in serves.split(",") if part.strip() != "none")
        if file is not None:
            source = BaseSource(file, chosen or BaseKind.AIRTANKER, ids or (), layer)
            read: ImportedBases | None = gather.attempt(lambda: read_bases(source, before.scenario.grid))
            if read is not None:
                notes[:] = read.notes
                found = list(with_named(found, read.bases))
        if name is not None:
            found = _with_named(found, name, place, chosen, reload_min, hours, ids, before, gather)
        if remove is not None and remove not in [base.name for base in found]:
            known = ", ".join(base.name for base in found) or "none"
            gather.add(project_folder.name, f"has no base {remove!r}", f"the project has: {known}")
        operations = replace(before.operations, bases=tuple(base for base in found if base.name != remove))
        if gust_factor is not None:
            factor = _number(gust_factor, "--gust-factor", gather)
            operations = operations if factor is None else replace(operations, gust_factor=factor)
        after = replace(before, operations=operations)
        return after if kind_id is None else _with_type(after, kind_id, of_type, gather)

    is_edit = any(value is not None for value in (file, name, remove, kind_id, gust_factor))
    project = save_changed(change, project_folder) if is_edit else load_project(project_folder)
    if turnarounds and project.needs_centres:
        project = Engine().with_burning_centres(project)
    rows, days, types = base_rows(project), turnaround_rows(project) if turnarounds else [], type_rows(project)
    data = {"project": str(project_folder), "bases": rows, "notes": notes, "turnarounds": days, "types": types}
    minutes = 1440.0 / project.calendar.steps_per_day
    report(
        as_json,
        data,
        lambda: [
            *(base_lines(rows) or ["There are no bases."]),
            *notes,
            *type_lines(types),
            *turnaround_lines(days, minutes),
        ],
    )


def _number(text: str, flag: str, problems: Problems) -> float | None:
    """Return the number of an option, ``None`` for none or for what is not a number, which is noted."""
    try:
        return None if text == "none" else number_from_text(text)
    except ValueError:
        problems.add(flag, f"{text!r} is not a number", "give a number, or none")
        return None


def _with_named(
    bases: Sequence[Base], name: str, place: str | None, kind: BaseKind | None, reload_min: str | None,
    hours: str | None, serves: tuple[str, ...] | None, project: Project, problems: Gather,
) -> list[Base]:  # fmt: skip
    """Return the bases with the one of this name changed, or added at ``place``."""
    known = next((base for base in bases if base.name == name), None)
    at = None if place is None else _placed(place, project, problems)
    if known is None and place is None:
        names = ", ".join(base.name for base in bases) or "none"
        problems.add("--name", f"the project has no base {name!r} (it has: {names})", "give --place to add it")
    if known is None and at is None:
        return list(bases)
    if known is None:
        assert at is not None
        known = Base(name, kind or BaseKind.AIRTANKER, *at, USUAL_RELOAD_MIN[kind or BaseKind.AIRTANKER])
    y, x = (known.y, known.x) if at is None else at
    minutes = None if reload_min is None else _number(reload_min, "--reload-min", problems)
    opens, closes = (known.opens_h, known.closes_h) if hours is None else _hours(hours, problems)
    changed = replace(
        known, y=y, x=x, kind=kind or known.kind, reload_min=known.reload_min if minutes is None else minutes,
        opens_h=opens, closes_h=closes, serves=known.serves if serves is None else serves,
    )  # fmt: skip
    return [changed if base.name == name else base for base in bases] + (
        [] if any(base.name == name for base in bases) else [changed]
    )


def _placed(place: str, project: Project, problems: Gather) -> tuple[float, float] | None:
    """Return the cells of a place that was typed, ``None`` for what is none, which is noted."""
    at = problems.attempt(lambda: parse_place(place))
    if at is None:
        return None
    found = Georeference(project.scenario.grid).from_lonlat(*at)
    if found is None:
        problems.add("--place", "the event has no place on the map", "give its CRS and transform, then add bases")
    return found


def _hours(text: str, problems: Problems) -> tuple[float | None, float | None]:
    if text == "always":
        return None, None
    begin, dash, end = text.partition("-")
    try:
        opens, closes = hour_of(begin), hour_of(end)
    except ValueError:
        opens = closes = None
    if not dash or opens is None or closes is None:
        problems.add("--hours", f"{text!r} are not hours of the day", "write them as 08:00-20:30, or always")
    return opens, closes


def _with_type(project: Project, kind_id: str, given: Mapping[str, str | None], problems: Problems) -> Project:
    types = project.fleet.types
    if kind_id not in [kind.id for kind in types]:
        known = ", ".join(kind.id for kind in types) or "none"
        problems.add("--type", f"{kind_id!r} is not an aircraft type of the fleet", f"use one of {known}")
        return project
    changes = {
        name: _number(text, "--" + name.replace("_", "-"), problems) for name, text in given.items() if text is not None
    }
    kinds = tuple(replace(kind, **changes) if kind.id == kind_id else kind for kind in types)  # type: ignore[arg-type]
    return replace(project, fleet=replace(project.fleet, types=kinds))


def base_rows(project: Project) -> list[dict[str, Any]]:
    """Return the bases as plain values; places in degrees where the grid has one."""
    place = Georeference(project.scenario.grid)
    return [
        {
            "name": base.name, "kind": str(base.kind), "y": base.y, "x": base.x,
            "lonlat": None if (at := place.lonlat(base.y, base.x)) is None else list(at), "reload_min": base.reload_min,
            "opens_h": base.opens_h, "closes_h": base.closes_h, "hours": hours_text(base), "serves": list(base.serves),
        }
        for base in project.operations.bases
    ]  # fmt: skip


def base_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of :func:`base_rows` for people, nothing without a base."""
    cells = [
        [
            row["name"], KIND_TITLES[BaseKind(row["kind"])],
            "" if row["lonlat"] is None else f"{row['lonlat'][1]:.4f}, {row['lonlat'][0]:.4f}",
            f"{row['reload_min']:g} min", row["hours"], ", ".join(row["serves"]) or "none",
        ]
        for row in rows
    ]  # fmt: skip
    return table([["Base", "kind", "place", "reload", "open", "serves"], *cells]) if cells else []


def type_rows(project: Project) -> list[dict[str, Any]]:
    """Return what the aircraft types that have any of them need for bases, and their limits."""
    rows = [{"type": kind.id, **{name: getattr(kind, name) for name in _OF_TYPE}} for kind in project.fleet.types]
    return [row for row in rows if any(row[name] is not None for name in ("cruise_ms", *LIMITS))]


def type_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the table of :func:`type_rows` for people, nothing without a row."""
    names = [name for name in _OF_TYPE if any(row[name] is not None for row in rows)]
    declared = [declared_option(AircraftType, name) for name in names]
    titles = ["Type", *(f"{each.title.lower()}, {each.unit}" for each in declared)]
    cells = [[row["type"], *("" if row[name] is None else f"{row[name]:g}" for name in names)] for row in rows]
    return ["", *table([titles, *cells])] if cells else []


def turnaround_rows(project: Project) -> list[dict[str, Any]]:
    """Return the computed turnaround of each served type on each planned day, by its nearest base."""
    centres, calendar, found = project.burning_centres, project.calendar, []
    for kind in project.planned_fleet.types:
        if not kind.cycles:
            continue
        for day, centre in enumerate(centres):
            way = flights(kind, project.operations.bases, centre, project.scenario.grid.cell_size_m)[0]
            steps = range(day * calendar.steps_per_day, (day + 1) * calendar.steps_per_day)
            waits = [kind.wait_steps(step, calendar.steps_per_day) for step in steps]
            found.append(
                {
                    "type": kind.id, "day": day, "date": calendar.date_text(day), "base": way.base.name,
                    "distance_km": way.distance_km, "turnaround_h": way.turnaround_h, "flight_h": way.flight_h,
                    "fewest_steps": min(waits), "most_steps": max(waits),
                }
            )  # fmt: skip
    return found


def turnaround_lines(rows: Sequence[Mapping[str, Any]], minutes: float) -> list[str]:
    """Return the table of :func:`turnaround_rows` for people, with time steps of so many ``minutes``.

    Nothing without a row.
    """
    cells = [
        [
            row["type"], f"{row['day'] + 1}", row["base"], f"{row['distance_km']:,.0f} km",
            f"{60.0 * row['turnaround_h']:.0f} min",
            f"{row['fewest_steps']}" + ("" if row["fewest_steps"] == row["most_steps"] else f" to {row['most_steps']}"),
        ]
        for row in rows
    ]  # fmt: skip
    titles = ["Type", "day", "nearest base", "distance", "turnaround", "time steps"]
    return ["", *table([titles, *cells]), f"A time step is {minutes:g} min."] if cells else []

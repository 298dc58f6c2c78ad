"""Bases as they are handed over: their places and attributes, and the nearest one of a type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from firegui.domain.bases import Base, BaseFlight, Point, flights, hours_text
from firegui.domain.fleet import AircraftType
from firegui.domain.project import Project
from firegui.io.exporters.table import NOTICE, DropRow
from firegui.io.georeference import Georeference, format_ddm

BASE = "base"
"""Kind of a base among the areas of a file."""


def placed_bases(project: Project) -> Iterator[tuple[Base, tuple[float, float]]]:
    """Yield the bases that have longitude and latitude."""
    place = Georeference(project.scenario.grid)
    for base in project.operations.bases:
        if (at := place.lonlat(base.y, base.x)) is not None:
            yield base, at


def base_attributes(base: Base, lonlat: tuple[float, float]) -> dict[str, Any]:
    """Return the attributes of a base, the same in every format for a GIS.

    ``opens_h`` and ``closes_h`` are ``None`` for one that is always open.
    """
    return {
        "kind": BASE,
        "name": base.name,
        "base_kind": base.kind.value,
        "reload_min": float(base.reload_min),
        "hours": hours_text(base),
        "opens_h": None if base.opens_h is None else float(base.opens_h),
        "closes_h": None if base.closes_h is None else float(base.closes_h),
        "serves": ", ".join(base.serves) or None,
        "place_ddm": format_ddm(*lonlat),
        "notice": NOTICE,
    }


def fire_place(project: Project, day: int, rows: Sequence[DropRow]) -> Point:
    """Return where the fire burns on a day.

    That is its centre; where it is not known, the middle of the day's drops ``rows``, or else of the grid.
    """
    centres = project.burning_centres
    if day < len(centres):
        return centres[day]
    if rows:
        ys, xs = [row.drop.landing_y for row in rows], [row.drop.landing_x for row in rows]
        return sum(ys) / len(ys), sum(xs) / len(xs)
    height, width = project.scenario.grid.shape
    return (height - 1) / 2.0, (width - 1) / 2.0


def nearest_flight(project: Project, kind: AircraftType, place: Point) -> BaseFlight | None:
    """Return the way from a place to the nearest base that serves a type; ``None`` without one."""
    bases = [base for base in project.operations.bases if not base.problems()]
    return next(iter(flights(kind, bases, place, project.scenario.grid.cell_size_m)), None)

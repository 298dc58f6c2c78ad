"""One region as a TOML table: rows and columns, one ring of corners, or polygons with holes."""

from __future__ import annotations

from typing import Any

from firegui.domain.regions import Region
from firegui.io import strict

Polygons = tuple[tuple[tuple[tuple[float, float], ...], ...], ...]


def read_region(table: strict.Table) -> Region | None:
    """Read ``name``, optional ``weight``, and where it is: ``rows`` with ``columns``, ``polygon``, or ``polygons``.

    ``None`` when anything was wrong; the table's problems then say what.
    """
    before = len(list(table.problems))
    name = table.take("name", str)
    weight = table.take("weight", float, 1.0)
    ways = [key for key in ("rows", "polygon", "polygons") if key in table]
    parts: Polygons = ()
    if len(ways) != 1:
        table.problems.add(
            table.where, "needs rows with columns, or polygon, or polygons, and only one of them", "say where it is"
        )
    elif ways[0] == "rows":
        parts = _rectangle(table)
    elif ways[0] == "polygon":
        ring = table.take("polygon", tuple[tuple[float, float], ...])
        parts = ((ring,),)
    else:
        parts = table.take("polygons", Polygons)
    for key in ("rows", "columns", "polygon", "polygons"):
        table.raw(key)
    table.finish()
    return Region(name, parts, weight) if len(list(table.problems)) == before else None


def _rectangle(table: strict.Table) -> Polygons:
    rows, columns = table.take("rows", tuple[float, float]), table.take("columns", tuple[float, float])
    for key, pair in (("rows", rows), ("columns", columns)):
        if pair is not None and not pair[0] < pair[1]:
            table.problems.add(table.where, f"{key} {list(pair)} is empty", "write [first, one past the last]")
    return () if rows is None or columns is None else Region.rectangle("", rows, columns).parts


def polygons_of(region: Region) -> list[list[list[list[float]]]]:
    """A region's parts as plain lists of rings of ``[row, column]`` corners."""
    return [[[[float(row), float(column)] for row, column in ring] for ring in part] for part in region.parts]


def region_to_table(region: Region) -> dict[str, Any]:
    """A region for people to edit: a rectangle as rows and columns, anything else as polygons."""
    table: dict[str, Any] = {"name": region.name, "weight": float(region.weight)}
    box = region.as_rectangle
    if box is not None and Region.rectangle(region.name, *box, region.weight) == region:
        return table | {"rows": [float(v) for v in box[0]], "columns": [float(v) for v in box[1]]}
    return table | {"polygons": polygons_of(region)}

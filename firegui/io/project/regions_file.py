"""Protected regions in and out: GeoJSON polygons (lon/lat) and TOML (cells).

In TOML a region is a table of rows and columns, one ring of corners, or polygons with holes. Polygons that cross
themselves are refused, because their inside is not defined.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from pyproj import Transformer

from firegui.domain.grid import Grid
from firegui.domain.regions import Region, Ring, region_problems
from firegui.errors import InputError, Problem, Problems
from firegui.io import crs, toml
from firegui.io.atomic import write_text
from firegui.io.georeference import WGS84, Georeference
from firegui.io.source_files import read_text
from firegui.io.toml import dumps, plain_words

_CROSSING = re.compile(r"Self-intersection\[(\S+) (\S+)\]")


def crossing_problems(regions: Iterable[Region], kind: str = "region") -> list[Problem]:
    """Return one problem for each ring with edges that cross.

    Rings that only touch, with too few corners or with a corner that is not a number pass.
    """
    found = []
    for region in regions:
        for ring in (ring for part in region.parts for ring in part if len(ring) >= 3 and np.isfinite(ring).all()):
            place = _crossing(ring)
            if place is not None:
                what = f"crosses itself near row {place[0]:g}, column {place[1]:g}"
                found.append(Problem(f"{kind} {region.name}", what, "draw it again, or split it there"))
    return found


def is_simple(region: Region) -> bool:
    """Return whether no edge crosses or touches another and every hole lies inside."""
    return all(len(part[0]) >= 3 and bool(shapely.Polygon(part[0], part[1:]).is_valid) for part in region.parts)


def _crossing(ring: Ring) -> tuple[float, float] | None:
    with np.errstate(all="ignore"):  # corners beyond all sense, which the project refuses
        match = _CROSSING.match(str(shapely.is_valid_reason(shapely.Polygon(ring))))
    return None if match is None else (float(match[1]), float(match[2]))


Polygons = tuple[tuple[tuple[tuple[float, float], ...], ...], ...]


def read_region(table: toml.Table) -> Region | None:
    """Read ``name``, optional ``weight``, and where it is.

    ``rows`` with ``columns``, ``polygon``, or ``polygons``. ``None`` when anything was wrong; the table's problems then
    say what.
    """
    before = len(table.problems)
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
    return Region(name, parts, weight) if len(table.problems) == before else None


def _rectangle(table: toml.Table) -> Polygons:
    rows, columns = table.take("rows", tuple[float, float]), table.take("columns", tuple[float, float])
    for key, pair in (("rows", rows), ("columns", columns)):
        if pair is not None and not pair[0] < pair[1]:
            table.problems.add(table.where, f"{key} {list(pair)} is empty", "write [first, one past the last]")
    return () if rows is None or columns is None else Region.rectangle("", rows, columns).parts


def polygons_of(region: Region) -> list[list[list[list[float]]]]:
    """Return a region's parts as plain lists of rings of ``[row, column]`` corners."""
    return [[[[float(row), float(column)] for row, column in ring] for ring in part] for part in region.parts]


def region_to_table(region: Region) -> dict[str, Any]:
    """Return a region for people to edit: a rectangle as rows and columns, anything else as polygons."""
    table: dict[str, Any] = {"name": region.name, "weight": float(region.weight)}
    box = region.as_rectangle
    if box is not None and Region.rectangle(region.name, *box, region.weight) == region:
        return table | {"rows": [float(v) for v in box[0]], "columns": [float(v) for v in box[1]]}
    return table | {"polygons": polygons_of(region)}


_HEADER = """\
# Protected regions of a firegui project. rows and columns are half-open, in cells: [0, 200] is rows 0 to 199.
# polygons hold rings of [row, column] corners; after its outer ring a polygon may have holes.

"""
_SUFFIXES = (".toml", ".geojson", ".json")


def read_regions(path: Path, grid: Grid) -> tuple[Region, ...]:
    """Read the regions of a ``.toml``, ``.geojson`` or ``.json`` file onto ``grid``.

    TOML: ``[[region]]`` with ``name``, optional ``weight``, and ``rows`` with ``columns``, or ``polygon`` (one ring of
    ``[row, column]`` corners), or ``polygons``. GeoJSON: polygons and multipolygons in longitude and latitude, or in
    the CRS that an older file names. Raises :class:`~firegui.errors.InputError` with everything that is wrong.
    """
    problems = Problems()
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES:
        problems.add(path.name, f"a {suffix or 'nameless'} file cannot hold regions", f"use {', '.join(_SUFFIXES)}")
        regions: list[Region] = []
    elif suffix == ".toml":
        regions = _from_toml(path, problems)
    else:
        regions = _from_geojson_file(path, grid, problems)
    if not problems and not regions:
        problems.add(path.name, "holds no region", "give at least one polygon")
    # Regions that could be read are checked even when others could not.
    problems.extend(region_problems(regions, grid.shape) + crossing_problems(regions))
    problems.raise_if_any(f"The regions of {path.name} cannot be used")
    return tuple(regions)


def write_regions_toml(regions: Sequence[Region], path: Path) -> None:
    """Write regions in cells, atomically; rectangles as rows and columns, so that people can edit them."""
    write_text(path, _HEADER + dumps({"region": [region_to_table(region) for region in regions]}))


def write_regions_geojson(regions: Sequence[Region], path: Path, grid: Grid) -> None:
    """Write regions as RFC 7946 GeoJSON, atomically.

    Raises :class:`~firegui.errors.InputError` on a grid without a place.
    """
    write_text(path, json.dumps(regions_to_geojson(regions, grid), indent=1, ensure_ascii=False) + "\n")


def _from_toml(path: Path, problems: Problems) -> list[Region]:
    raw = toml.read_toml(path, problems)
    if raw is None:
        return []
    table = toml.Table(raw, path.name, problems)
    regions = [region for row in table.tables("region") if (region := read_region(row)) is not None]
    table.finish()
    return regions


def _from_geojson_file(path: Path, grid: Grid, problems: Problems) -> list[Region]:
    text = read_text(path, problems)
    if text is None:
        return []
    try:
        root = json.loads(text)
    except json.JSONDecodeError as error:
        ended = error.pos >= len(text.rstrip()) or "Unterminated" in error.msg
        what = "is cut short" if ended else "is not valid JSON"
        problems.add(path.name, f"{what} ({error})", "export it as GeoJSON again")
    except (ValueError, RecursionError) as error:
        problems.add(path.name, f"is not valid JSON ({plain_words(error)})", "export it as GeoJSON again")
    else:
        return regions_from_geojson(root, grid, problems)
    return []


_NO_PLACE = Problem(
    "grid", "the event has no place on the map", "give its CRS and transform, or use a .toml file in cells"
)
_BEYOND = 1e15  # no coordinate of any CRS; a whole number with more digits may not even fit a float
_DEGREES = (WGS84, "OGC:CRS84")

Feature = tuple[Any, dict[str, Any]]


def regions_from_geojson(root: Any, grid: Grid, problems: Problems) -> list[Region]:
    """Return every polygon and multipolygon of a parsed GeoJSON document as a region.

    What is wrong goes into ``problems``. Names come from the property ``name``, weights from ``weight``. A geometry
    collection is one region.
    """
    if not grid.is_georeferenced or grid.crs is None:
        problems.extend([_NO_PLACE])
        return []
    source = _source_crs(root, problems)
    if source is None:
        return []
    change = crs.transformer(source, grid.crs)
    regions = []
    for number, (geometry, properties) in enumerate(_features(root, problems), start=1):
        name = _name(properties, number)
        where = f"feature {number} ({name})"
        parts = [
            _part(polygon, grid, change, source, where, problems) for polygon in _polygons(geometry, where, problems)
        ]
        weight = properties.get("weight", 1.0)
        if not _is_number(weight):
            problems.add(where, f"weight is {str(weight)[:60]!r}", "use a number, 0 or more")
        elif parts and all(part is not None for part in parts):
            regions.append(Region(name, tuple(part for part in parts if part is not None), float(weight)))
    return regions


def regions_to_geojson(regions: Sequence[Region], grid: Grid) -> dict[str, Any]:
    """Return a FeatureCollection of multipolygons and polygons.

    Outer rings run counter-clockwise, holes clockwise.
    """
    place = Georeference(grid)
    if not place.has_place:
        raise InputError([_NO_PLACE], "The regions cannot be written as GeoJSON")
    corners = [(region.name, corner) for region in regions for part in region.parts for ring in part for corner in ring]
    lost = sorted({name for name, (row, column) in corners if place.lonlat(row - 0.5, column - 0.5) is None})
    if lost:
        found = [Problem(f"region {name}", "has a corner with no longitude and latitude", "redraw it") for name in lost]
        raise InputError(found, "The regions cannot be written as GeoJSON")
    return {"type": "FeatureCollection", "features": [_feature(region, place) for region in regions]}


def _feature(region: Region, place: Georeference) -> dict[str, Any]:
    polygons = [[_closed(ring, place, outer=i == 0) for i, ring in enumerate(part)] for part in region.parts]
    single = len(polygons) == 1
    geometry = {"type": "Polygon" if single else "MultiPolygon", "coordinates": polygons[0] if single else polygons}
    return {"type": "Feature", "properties": {"name": region.name, "weight": region.weight}, "geometry": geometry}


def _closed(ring: Ring, place: Georeference, *, outer: bool) -> list[list[float]]:
    # Corner coordinates are half a cell off the cell-centre positions that Georeference speaks.
    points = [list(place.lonlat(row - 0.5, column - 0.5) or (math.nan, math.nan)) for row, column in ring]
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, points[1:] + points[:1], strict=True))
    if (area > 0) != outer:
        points.reverse()
    return [*points, points[0]]


def _source_crs(root: Any, problems: Problems) -> str | None:
    """Return WGS 84, or what the ``crs`` member of a pre-RFC file names."""
    member = root.get("crs") if isinstance(root, dict) else None
    if member is None:
        return WGS84
    properties = member.get("properties") if isinstance(member, dict) else None
    name = properties.get("name") if isinstance(properties, dict) else None
    if not isinstance(name, str) or crs.parse(name) is None:
        problems.add("crs", f"the file's CRS {name!r} is unknown to PROJ", "export it in WGS 84 longitude and latitude")
        return None
    return name


def _features(root: Any, problems: Problems) -> Iterator[Feature]:
    kind = root.get("type") if isinstance(root, dict) else None
    if kind == "FeatureCollection" and isinstance(root.get("features"), list):
        for item in root["features"]:
            if isinstance(item, dict) and item.get("type") == "FeatureCollection":
                problems.add("GeoJSON", "a FeatureCollection is nested in another", "keep its features in one list")
            else:
                yield from _features(item, problems)
    elif kind == "Feature":
        properties = root.get("properties")
        yield root.get("geometry"), properties if isinstance(properties, dict) else {}
    elif kind in ("Polygon", "MultiPolygon", "GeometryCollection"):
        yield root, {}
    else:
        problems.add(
            "GeoJSON", f"holds {kind or 'no type'}, not a FeatureCollection of polygons", "export polygons as GeoJSON"
        )


def _polygons(geometry: Any, where: str, problems: Problems) -> list[Any]:
    kind = _kind(geometry)
    if kind == "GeometryCollection":
        members = geometry.get("geometries")
        if isinstance(members, list) and not any(_kind(member) == kind for member in members):
            return [polygon for member in members for polygon in _polygons(member, where, problems)]
        problems.add(where, "is a GeometryCollection without a plain list, or nested in another", "keep only polygons")
        return []
    held = geometry.get("coordinates") if isinstance(geometry, dict) else None
    if kind not in ("Polygon", "MultiPolygon") or not isinstance(held, list) or not held:
        problems.add(where, f"is {kind or 'without a geometry'}, not a polygon", "keep only polygons")
        return []
    return [held] if kind == "Polygon" else held


def _kind(geometry: Any) -> Any:
    return geometry.get("type") if isinstance(geometry, dict) else None


def _part(
    polygon: Any, grid: Grid, change: Transformer, source: str, where: str, problems: Problems
) -> tuple[Ring, ...] | None:
    rings = []
    for raw in polygon if isinstance(polygon, list) else [None]:
        points = _points(raw)
        if points is None:
            problems.add(where, "a ring is not a closed list of at least four [lon, lat] positions", "draw it again")
            return None
        if source in _DEGREES and any(abs(lon) > 180 or abs(lat) > 90 for lon, lat in points):
            lon, lat = next(p for p in points if abs(p[0]) > 180 or abs(p[1]) > 90)
            problems.add(
                where,
                f"({lon:g}, {lat:g}) is not a longitude and a latitude",
                "likely a CRS mismatch: export it in WGS 84",
            )
            return None
        rings.append(_ring(points, grid, change))
    return tuple(rings)


def _points(raw: Any) -> list[tuple[float, float]] | None:
    if not isinstance(raw, list) or len(raw) < 4:
        return None
    points = []
    for position in raw:
        if not isinstance(position, list) or len(position) < 2:
            return None
        pair = position[:2]
        if not all(_is_number(value) for value in pair):
            return None
        points.append((float(pair[0]), float(pair[1])))
    return points[:-1] if points[0] == points[-1] else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _BEYOND


def _ring(points: list[tuple[float, float]], grid: Grid, change: Transformer) -> Ring:
    corners = []
    for lon, lat in points:
        y, x = grid.from_world(*change.transform(lon, lat))
        corners.append((y + 0.5, x + 0.5))
    return tuple(corners)


def _name(properties: dict[str, Any], number: int) -> str:
    held = {key.lower(): value for key, value in properties.items()}.get("name")
    return str(held).strip() if held not in (None, "") else f"Region {number}"

"""A plan as GeoJSON (RFC 7946), for any GIS: one file of points, the drops, and one of polygons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from firegui.io.atomic import write_text
from firegui.io.exporters.areas import Area, drawn_areas, footprints, perimeters
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.properties import drop_attributes
from firegui.io.exporters.table import NOTICE, DropRow, utc_text
from firegui.io.exporters.wgs84 import DIGITS, bounds_of, coordinates


def write_drops_geojson(path: Path, content: ExportContent) -> None:
    """Write one point per proposed drop at its release in WGS 84, with where it lands among its properties."""
    cell = content.project.scenario.grid.cell_size_m
    features = [_drop(row, cell) for row in content.rows]
    lonlats = [row.lonlat for row in content.rows if row.lonlat is not None]
    _write(path, content, features, _bounds_of_points(lonlats))


def write_areas_geojson(path: Path, content: ExportContent) -> None:
    """Write the polygons: footprints of executed drops, regions, no-drop zones, perimeters; ``kind`` tells which."""
    areas = [*footprints(content), *drawn_areas(content), *perimeters(content)]
    _write(path, content, [_area(area) for area in areas], bounds_of([area.shape for area in areas]))


def _write(path: Path, content: ExportContent, features: list[dict[str, Any]], bounds: list[float] | None) -> None:
    document: dict[str, Any] = {"type": "FeatureCollection", "name": content.project.scenario.name, "notice": NOTICE}
    document |= {} if bounds is None else {"bbox": bounds}
    document |= {"notes": list(content.notes), "features": features}
    write_text(path, json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def _drop(row: DropRow, cell_size_m: float) -> dict[str, Any]:
    point = None
    if row.lonlat is not None:
        point = {"type": "Point", "coordinates": [round(value, DIGITS) for value in row.lonlat]}
    return {"type": "Feature", "geometry": point, "properties": drop_attributes(row, cell_size_m)}


def _area(area: Area) -> dict[str, Any]:
    properties: dict[str, Any] = {"kind": str(area.kind), "name": area.name}
    properties |= {"begin": utc_text(area.begin), "end": utc_text(area.end)} if area.begin and area.end else {}
    if area.row is not None:
        drop = area.row.drop
        properties |= {"step": drop.step, "day": area.row.day, "material": str(drop.material)}
        properties |= {"time_local": area.row.time_local, "near_water": area.row.near_water}
    if area.weight is not None:
        properties["weight"] = area.weight
    properties["notice"] = NOTICE
    geometry = {"type": area.shape.geom_type, "coordinates": coordinates(area.shape)}
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _bounds_of_points(lonlats: list[tuple[float, float]]) -> list[float] | None:
    if not lonlats:
        return None
    lons, lats = [lon for lon, _ in lonlats], [lat for _, lat in lonlats]
    west, east = min(lons), max(lons)
    if east - west > 180.0:
        # Across the antimeridian a box's west is more than its east (RFC 7946, section 5.2).
        west, east = min(lon for lon in lons if lon >= 0.0), max(lon for lon in lons if lon < 0.0)
    return [round(value, DIGITS) for value in (west, min(lats), east, max(lats))]

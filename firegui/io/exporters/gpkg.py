"""A plan as one GeoPackage.

Drops, footprints, regions, no-drop zones, perimeters, barriers and bases, with styles for QGIS. Everything is in WGS
84, so that the event's own CRS is not needed. Times are in UTC. QGIS takes the default style of a layer from the table
``layer_styles`` (a convention of QGIS's, outside the standard OGC 12-128r18).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any
from xml.etree import ElementTree as XML

import numpy as np
import pyogrio
import shapely
from numpy.typing import NDArray
from pyogrio.errors import DataLayerError, DataSourceError

from firegui.domain.barriers import KIND_TITLES, BarrierKind
from firegui.domain.plan_colors import BARRIERS, REGION, RETARDANT, WATER, ZONE
from firegui.io.atomic import replacing
from firegui.io.exporters.areas import Area, Kind, drawn_areas, footprints, perimeters
from firegui.io.exporters.barrier_places import barrier_attributes, placed_barriers
from firegui.io.exporters.base_places import BASE, base_attributes, placed_bases
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.table import (
    BASELINE,
    NOTICE,
    OBSERVED,
    PLANNED,
    drop_attributes,
)
from firegui.io.source_files import error_text, first_few
from firegui.io.tables import without_formula

_NOT_FLOWN, _GREY = "not flown", "#9a9a9a"
_WHITE, _BLACK = "#ffffff", "#111111"

Category = tuple[str, str, str, Mapping[str, str]]
"""``(value, label, kind of symbol layer, its properties)``."""


def _drops() -> str:
    markers = ((RETARDANT, "retardant", "2.2"), (WATER, "water", "2.2"), (_GREY, _NOT_FLOWN, "1.2"))
    return _categorised("if(\"executed\", \"material\", 'not flown')", "marker", [
        (value, value.capitalize(), "SimpleMarker", {
            "name": "circle", "color": _rgba(colour), "outline_color": _rgba("#ffffff"), "outline_width": "0.2",
            "size": size, "size_unit": "MM", "outline_width_unit": "MM",
        })
        for colour, value, size in markers
    ])  # fmt: skip


def _footprints() -> str:
    fills = ((RETARDANT, "retardant"), (WATER, "water"))
    return _categorised("material", "fill", [
        (value, value.capitalize(), "SimpleFill", _fill(colour, 0.45, "solid")) for colour, value in fills
    ])  # fmt: skip


def _regions() -> str:
    return _categorised("kind", "fill", [(Kind.REGION, "Protected region", "SimpleFill", _fill(REGION, 0.2, "solid"))])


def _zones() -> str:
    return _categorised("kind", "fill", [(Kind.ZONE, "No-drop zone", "SimpleFill", _fill(ZONE, 0.8, "b_diagonal"))])


def _perimeters() -> str:
    lines = ((OBSERVED, Kind.OBSERVED), (PLANNED, Kind.PLANNED), (BASELINE, Kind.BASELINE))
    return _categorised("kind", "fill", [
        (kind, kind.capitalize(), "SimpleFill", _fill(colour, 0.0, "no")) for colour, kind in lines
    ])  # fmt: skip


def _bases() -> str:
    look = {
        "name": "triangle", "color": _rgba(_WHITE), "outline_color": _rgba(_BLACK), "outline_width": "0.5", "size": "4",
        "size_unit": "MM", "outline_width_unit": "MM",
    }  # fmt: skip
    return _categorised("kind", "marker", [(BASE, "Base", "SimpleMarker", look)])


_DASHES = {
    BarrierKind.HAND: "dash", BarrierKind.FUEL_BREAK: "dash dot", BarrierKind.BURNED_OUT: "dot",
}  # fmt: skip


def _barrier_lines() -> str:
    return _categorised("barrier_kind", "line", [
        (kind, KIND_TITLES[kind], "SimpleLine", {
            "line_color": _rgba(BARRIERS.get(kind, _BLACK)), "line_style": _DASHES.get(kind, "solid"),
            "line_width": "0.9" if kind is BarrierKind.DOZER else "0.6", "line_width_unit": "MM",
        })
        for kind in BarrierKind
    ])  # fmt: skip


def _barrier_areas() -> str:
    return _categorised("barrier_kind", "fill", [
        (kind, KIND_TITLES[kind], "SimpleFill", _fill(BARRIERS.get(kind, _BLACK), 0.8, "f_diagonal"))
        for kind in BarrierKind
    ])  # fmt: skip


def _fill(colour: str, opacity: float, style: str) -> dict[str, str]:
    return {
        "color": _rgba(colour, opacity), "style": style, "outline_color": _rgba(colour), "outline_style": "solid",
        "outline_width": "0.4", "outline_width_unit": "MM",
    }  # fmt: skip


def _categorised(attribute: str, kind: str, categories: Sequence[Category]) -> str:
    """Return a document whose symbol goes by the value of ``attribute``, a field or an expression."""
    root = XML.Element("qgis", version="3.22.0", styleCategories="Symbology")
    renderer = XML.SubElement(root, "renderer-v2", type="categorizedSymbol", attr=attribute, symbollevels="0",
                              enableorderby="0", forceraster="0")  # fmt: skip
    listed, symbols = XML.SubElement(renderer, "categories"), XML.SubElement(renderer, "symbols")
    for number, (value, label, layer_class, properties) in enumerate(categories):
        name = str(number)
        XML.SubElement(listed, "category", symbol=name, value=value, label=label, render="true")
        symbol = XML.SubElement(symbols, "symbol", type=kind, name=name, alpha="1", clip_to_extent="1", force_rhr="0")
        layer = XML.SubElement(symbol, "layer", {"class": layer_class, "pass": "0", "locked": "0", "enabled": "1"})
        options = XML.SubElement(layer, "Option", type="Map")
        for key, text in properties.items():
            XML.SubElement(options, "Option", type="QString", name=key, value=text)
        # QGIS before 3.22 reads these instead.
        for key, text in properties.items():
            XML.SubElement(layer, "prop", k=key, v=text)
    head = "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n"
    return head + XML.tostring(root, encoding="unicode")


def _rgba(colour: str, opacity: float = 1.0) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"{red},{green},{blue},{round(opacity * 255)}"


LAYERS: Mapping[str, str] = MappingProxyType({
    "drops": _drops(), "footprints": _footprints(), "protected_regions": _regions(), "no_drop_zones": _zones(),
    "perimeters": _perimeters(), "bases": _bases(), "barrier_lines": _barrier_lines(),
    "barrier_areas": _barrier_areas(),
})  # fmt: skip
"""The name of each layer in the GeoPackage and its style."""


DROPS, FOOTPRINTS, REGIONS, ZONES, LINES, BASES, BARRIER_LINES, BARRIER_AREAS = LAYERS
CREW_NOTES = "crew_notes"
"""The table of hazards and frequencies, which has no places."""
_GEOMETRY = "geom"
_STYLE_TABLE = """
CREATE TABLE layer_styles (
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, f_table_catalog TEXT(256), f_table_schema TEXT(256),
  f_table_name TEXT(256), f_geometry_column TEXT(256), styleName TEXT(30), styleQML TEXT, styleSLD TEXT,
  useAsDefault BOOLEAN, description TEXT, owner TEXT(30), ui TEXT(30), update_time DATETIME
)
"""

# Attributes that may be unknown for every drop.
_NUMBERS = (
    "run_heading_true", "run_heading_magnetic", "declination", "landing_lon", "landing_lat", "height_agl_ft",
    "speed_kt", "opens_h", "closes_h", "width_m",
)  # fmt: skip

Columns = Mapping[str, Sequence[Any]]


def write_gpkg(path: Path, content: ExportContent) -> None:
    """Write every layer that has something in it; the drops always."""
    with replacing(path, _check) as temporary:
        try:
            _write_drops(temporary, content)
            _write_areas(temporary, content)
            _write_barriers(temporary, content)
            _write_bases(temporary, content)
            _write_crew_notes(temporary, content)
            _finish(temporary, content)
        except (DataSourceError, DataLayerError, sqlite3.Error) as error:
            raise OSError(error_text(error)) from error


def _check(path: Path) -> None:
    """Raise ``OSError`` where the database is not whole."""
    try:
        with closing(sqlite3.connect(path)) as base:
            found = [text for (text,) in base.execute("PRAGMA integrity_check")]
    except sqlite3.Error as error:
        raise OSError(error_text(error)) from error
    if found != ["ok"]:
        raise OSError(f"it is damaged: {first_few(found, 1)}")


def _write_drops(path: Path, content: ExportContent) -> None:
    cell = content.project.scenario.grid.cell_size_m
    table = [drop_attributes(row, cell, has_flames=content.flames is not None) for row in content.rows]
    names = list(table[0]) if table else ["step", "aircraft", "material", "executed"]
    columns: dict[str, Sequence[Any]] = {name: [line[name] for line in table] for name in names}
    calendar = content.project.calendar
    columns["time"] = [calendar.time_of_step(row.drop.step) if calendar.is_dated else None for row in content.rows]
    points = [None if row.lonlat is None else shapely.Point(row.lonlat) for row in content.rows]
    about = "Planned drops at their release points; executed is false for proposals that are not flown."
    _write_layer(path, DROPS, points, columns, "Point", about, dataset=content)


def _write_areas(path: Path, content: ExportContent) -> None:
    shown = footprints(content)
    drawn, lines = drawn_areas(content), perimeters(content)
    layers = (
        (FOOTPRINTS, shown, "Footprints of executed drops where they land, at two standard deviations."),
        (REGIONS, [area for area in drawn if area.kind is Kind.REGION], "Protected regions."),
        (ZONES, [area for area in drawn if area.kind is Kind.ZONE], "Zones in which nothing may be dropped."),
        (LINES, lines, "Observed perimeters, and where fire is as likely as not at the ends of days."),
    )
    for name, areas, about in layers:
        if areas:
            _write_layer(path, name, [area.shape for area in areas], _columns(areas), "MultiPolygon", about)


def _write_bases(path: Path, content: ExportContent) -> None:
    bases = list(placed_bases(content.project))
    if bases:
        table = [base_attributes(base, at) for base, at in bases]
        columns = {name: [line[name] for line in table] for name in table[0]}
        about = "Bases of aircraft: where they load, and which types they serve."
        _write_layer(path, BASES, [shapely.Point(at) for _, at in bases], columns, "Point", about)


def _write_barriers(path: Path, content: ExportContent) -> None:
    placed = placed_barriers(content.project)
    for name, kind, is_area in ((BARRIER_LINES, "MultiLineString", False), (BARRIER_AREAS, "MultiPolygon", True)):
        chosen = [(barrier, shape) for barrier, shape in placed if barrier.is_area is is_area]
        if chosen:
            table = [barrier_attributes(barrier) for barrier, _ in chosen]
            columns = {column: [line[column] for line in table] for column in table[0]}
            about = "Barriers that stop a share of the spread, from exists_from on."
            _write_layer(path, name, [shape for _, shape in chosen], columns, kind, about)


def _write_crew_notes(path: Path, content: ExportContent) -> None:
    """Write hazards and radio frequencies as a table without places."""
    operations = content.project.operations
    table: list[dict[str, Any]] = [
        {"kind": "hazard", "text": text.strip(), "am": None, "fm": None} for text in operations.hazards
    ]
    table += [
        {"kind": "frequency", "text": item.use, "am": item.am or None, "fm": item.fm or None}
        for item in operations.frequencies
    ]
    if table:
        columns = {name: [line[name] for line in table] for name in table[0]} | {"notice": [NOTICE] * len(table)}
        _write_layer(path, CREW_NOTES, None, columns, None, "Hazards, and radio frequencies by their use.")


def _columns(areas: Sequence[Area]) -> Columns:
    columns: dict[str, Sequence[Any]] = {
        "kind": [str(area.kind) for area in areas],
        "name": [area.name for area in areas],
        "begin": [area.begin for area in areas],
        "end": [area.end for area in areas],
    }
    if areas[0].kind is Kind.REGION:
        columns["weight"] = [area.weight for area in areas]
    rows = [area.row for area in areas if area.row is not None]
    if rows:
        columns |= {"step": [row.drop.step for row in rows], "day": [row.day for row in rows]}
        columns["material"] = [str(row.drop.material) for row in rows]
        columns["near_water"] = [row.near_water for row in rows]
        columns |= {"drop": [row.number for row in rows], "plan_day": [row.day + 1 for row in rows]}
    return columns | {"notice": [NOTICE] * len(areas)}


def _write_layer(
    path: Path,
    name: str,
    shapes: Sequence[Any] | None,
    columns: Columns,
    kind: str | None,
    about: str,
    dataset: ExportContent | None = None,
) -> None:
    fields = [_field(_kind(key, values), values) for key, values in columns.items()]
    # GDAL's 100 means UTC.
    times = {key: np.full(len(values), 100) for key, values in columns.items() if _kind(key, values) is datetime}
    pyogrio.raw.write(
        path,
        None if shapes is None else shapely.to_wkb(np.array([*shapes, None], np.object_)[:-1]),
        [values for values, _ in fields],
        list(columns),
        field_mask=[mask for _, mask in fields],
        layer=name,
        driver="GPKG",
        geometry_type=kind,
        crs=None if shapes is None else "EPSG:4326",
        promote_to_multi=kind is not None and kind.startswith("Multi"),
        gdal_tz_offsets=times,
        dataset_metadata=None if dataset is None else _metadata(dataset),
        layer_metadata={"DESCRIPTION": f"{about} {NOTICE}", "IDENTIFIER": name},
    )


def _field(kind: type, values: Sequence[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the values of an attribute as GDAL takes them, and where there are none."""
    missing = np.array([value is None for value in values], np.bool_)
    if kind is str:
        texts = [None if value is None else without_formula(str(value)) for value in values]
        return np.array([*texts, None], np.object_)[:-1], missing
    if kind is datetime:
        naive = [None if value is None else value.astimezone(UTC).replace(tzinfo=None) for value in values]
        return np.array(naive, "datetime64[ms]"), missing
    plain = [kind() if value is None else value for value in values]
    return np.array(plain, {bool: np.bool_, int: np.int64, float: np.float64}[kind]), missing


def _kind(name: str, values: Sequence[Any]) -> type:
    """Return the type of an attribute by its first value, else by its name.

    A layer looks the same when nothing is known.
    """
    found = next((value for value in values if value is not None), None)
    if found is None:
        return {"near_water": bool, "drop": int, "begin": datetime, "end": datetime, "time": datetime}.get(
            name, float if name in _NUMBERS else str
        )
    return next(kind for kind in (bool, int, float, datetime, str) if isinstance(found, kind))


def _metadata(content: ExportContent) -> dict[str, str]:
    project = content.project
    found = {
        "NOTICE": NOTICE,
        "EVENT": project.scenario.name,
        "RUN": content.run,
        "MADE": content.made.astimezone(project.calendar.local_zone).isoformat(timespec="seconds"),
        "FIRE_MODEL": project.fire_model.label,
        "NOTES": "\n".join((*content.crew_notes, *content.table_notes)),
    }
    return {key: text for key, text in found.items() if text}


def _finish(path: Path, content: ExportContent) -> None:
    """Add the styles, and put the plan's time where the clock's was: the same plan gives the same file."""
    stamp = content.made.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    with closing(sqlite3.connect(path)) as base, base:
        there = {name for (name,) in base.execute("SELECT table_name FROM gpkg_contents")}
        base.execute(_STYLE_TABLE)
        base.executemany(
            "INSERT INTO layer_styles (f_table_catalog, f_table_schema, f_table_name, f_geometry_column, styleName, "
            "styleQML, useAsDefault, description, update_time) VALUES ('', '', ?, ?, ?, ?, 1, ?, ?)",
            [(name, _GEOMETRY, name, style, NOTICE, stamp) for name, style in LAYERS.items() if name in there],
        )
        base.execute(
            "INSERT INTO gpkg_contents (table_name, data_type, identifier, last_change) "
            "VALUES ('layer_styles', 'attributes', 'layer_styles', ?)",
            (stamp,),
        )
        base.execute("UPDATE gpkg_contents SET last_change = ?", (stamp,))
        base.execute("UPDATE gpkg_metadata_reference SET timestamp = ?", (stamp,))

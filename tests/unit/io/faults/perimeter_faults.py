"""Faults of what is in perimeters."""

from __future__ import annotations

import shutil
import zipfile
from typing import Any

import shapely

from tests.unit.io.faults.cases import EITHER, WORKS, Damage, Fault, Rng, Sound
from tests.unit.io.faults.edits import swap, text
from tests.unit.io.faults.ground import (
    geojson,
    polygon,
    shapes,
)

SHP, GPKG, JSON, KML = ("perimeters shp",), ("perimeters gpkg",), ("perimeters geojson",), ("perimeters kml",)
VECTORS = (*SHP, *GPKG, *JSON)


def _crossed(polygons: list[Any], fields: Any, rng: Rng) -> None:
    a, b, c, d = list(polygons[-1].exterior.coords)[:4]
    polygons[-1] = shapely.Polygon([a, c, b, d])


def _dates(*dates: Any) -> Any:
    return lambda polygons, fields, rng: fields.update({"Date": list(dates)})


def _lost(suffix: str) -> Damage:
    def damage(sound: Sound, rng: Rng) -> None:
        sound.path.with_suffix(suffix).unlink()

    return damage


def _shrunk(polygons: list[Any], fields: Any, rng: Rng) -> None:
    polygons.reverse()


def _points(root: Any, rng: Rng) -> None:
    for feature in root["features"]:
        feature["geometry"] = {"type": "LineString", "coordinates": feature["geometry"]["coordinates"][0]}


def _emptied(root: Any, rng: Rng) -> None:
    root["features"] = []


def _projected(root: Any, rng: Rng) -> None:
    for feature in root["features"]:
        feature["geometry"]["coordinates"] = [[[500_100 + 60 * n, 4_400_000 - n % 2] for n in (0, 1, 2, 3, 0)]]


def _bomb_kmz(sound: Sound, rng: Rng) -> None:
    """A KMZ of a kilobyte a megabyte, in place of the KML."""
    target = sound.path.with_suffix(".zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("doc.kml", "w") as file:
        head, _, _ = sound.path.read_text(encoding="utf-8").partition("<Placemark>")
        file.write(head.encode())
        for _ in range(64):
            file.write(b"<!-- " + b" " * 2**24 + b" -->")
        file.write(b"</Document></kml>")
    shutil.move(target, sound.path)


def _entities(held: str, rng: Rng) -> str:
    """A billion laughs: entities of entities."""
    names = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    kind = f'<!DOCTYPE kml [<!ENTITY a0 "haha">{names}]>'
    return held.replace("<kml", kind + "<kml", 1).replace("<name>", "<name>&a9;", 1)


PERIMETER_FAULTS = (
    Fault("self-crossing", (*VECTORS, *KML), shapes(_crossed), r"crosses itself|cross(es|ing)", EITHER),
    Fault(
        "dates: impossible",
        VECTORS,
        shapes(_dates("2020-08-19", "2020-02-31", "2020-08-21")),
        r"2020-02-31|out of range",
    ),
    Fault("dates: centuries", VECTORS, shapes(_dates("2020-08-19", "2220-08-20", "2020-08-21")), r"2220|at most 366"),
    Fault("dates: shrinking", VECTORS, shapes(_shrunk), r"", EITHER),
    Fault("dates: backwards", (*VECTORS, *KML), shapes(_dates("2020-08-21", "2020-08-20", "2020-08-19")), r"", EITHER),
    Fault("twice", VECTORS, shapes(_dates("2020-08-19", "2020-08-19", "2020-08-19")), r"2020-08-19", WORKS),
    Fault(
        "missing part: dates",
        VECTORS,
        shapes(lambda p, fields, rng: fields.update({"Date": ["a", "b", "c"]})),
        r"no column holds dates|no date|dates",
    ),
    Fault("missing part: prj", SHP, _lost(".prj"), r"does not say its CRS"),
    Fault("missing part: dbf", SHP, _lost(".dbf"), r"\.dbf|no column holds dates|dates|columns"),
    Fault("missing part: shx", SHP, _lost(".shx"), r"", EITHER),
    Fault("wrong CRS", (*SHP, *GPKG), shapes(lambda p, f, rng: None, crs="EPSG:32650"), r"off the grid"),
    Fault("wrong CRS", JSON, geojson(_projected), r"off the grid|longitude|cannot be brought|CRS"),
    Fault("wrong type", JSON, geojson(_points), r"LineString"),
    Fault("zero size", JSON, geojson(_emptied), r"no perimeter|no feature|no layer|0 layers|nothing"),
    Fault(
        "zero size: tiny",
        (*VECTORS, *KML),
        shapes(lambda p, f, rng: p.__setitem__(slice(None), [polygon(1.1, 1.1, 1.2, 1.2)] * 3)),
        r"no perimeter covers|too small|no cell",
    ),
    Fault(
        "not a number",
        JSON,
        geojson(lambda root, rng: root["features"][0]["geometry"]["coordinates"][0].__setitem__(1, ["x", None])),
        r"geometry|coordinates|cannot be read|position",
    ),
    Fault("zip bomb", KML, _bomb_kmz, r"zip|bomb|unpack|KMZ|cannot be read|too large", alone=True),
    Fault("zip bomb: entities", KML, text(_entities), r"entit|cannot be read|not valid|DOCTYPE", alone=True),
    swap("missing part", KML, "<coordinates>", "<koordinaten>", r"cannot be read|not valid|mismatched|XML"),
)

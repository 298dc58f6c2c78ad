"""Faults of what is in regions, and of tables of every kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.unit.io.faults.cases import Damage, Fault, Rng
from tests.unit.io.faults.edits import swap, text

GEOJSON, TOML, CSV = ("regions geojson",), ("regions toml",), ("schedule csv",)
TABLES = (*TOML, "fleet toml", "operations toml", "project text")
DIGITS = "9" * 5000


def _geojson(change: Callable[[Any, Rng], Any]) -> Damage:
    def changed(held: str, rng: Rng) -> str:
        root = json.loads(held)
        return json.dumps(change(root, rng) or root)

    return text(changed)


def _ring(change: Callable[[list[Any], Rng], Any]) -> Damage:
    """Change the outer ring of one region."""

    def changed(root: Any, rng: Rng) -> None:
        geometry = root["features"][rng.integers(len(root["features"]))]["geometry"]
        geometry["coordinates"][0] = change(geometry["coordinates"][0], rng)

    return _geojson(changed)


def _property(key: str, value: Any) -> Damage:
    return _geojson(lambda root, rng: root["features"][0]["properties"].update({key: value}))


def _crossed(ring: list[Any], rng: Rng) -> list[Any]:
    return [ring[0], ring[2], ring[1], ring[3], ring[4]]


def _projected(ring: list[Any], rng: Rng) -> list[Any]:
    return [[-104000.0 + 30 * n, 209000.0 - n % 2] for n in (*range(len(ring) - 1), 0)]


def _elsewhere(ring: list[Any], rng: Rng) -> list[Any]:
    return [[lon + 40.0, lat] for lon, lat in ring]


def _nested(held: str, rng: Rng) -> str:
    return '{"type": "FeatureCollection", "features": [' * 200 + held + "]}" * 200


def _collected(held: str, rng: Rng) -> str:
    start = '{"type": "GeometryCollection", "geometries": ['
    return start * 700 + '{"type": "Point", "coordinates": [0, 0]}' + "]}" * 700


_NAN = r"is nan|NaN|no number|not a number|not a finite number|not finite|is not a pose"


REGION_FAULTS = (
    Fault(
        "noise: digits", TABLES, text(lambda held, rng: held + f"\nsurplus = {DIGITS}\n"), r"is not valid TOML|surplus"
    ),
    Fault(
        "noise: nested",
        TABLES,
        text(lambda held, rng: held + "\nsurplus = " + "[" * 3000 + "]" * 3000 + "\n"),
        r"is not valid TOML",
    ),
    Fault(
        "wrong type: encoding",
        TABLES,
        lambda s, rng: s.path.write_bytes(s.path.read_bytes().decode().encode("utf-16")),
        r"not text in UTF-8",
    ),
    Fault(
        "wrong type: encoding",
        (*GEOJSON, *CSV),
        lambda s, rng: s.path.write_bytes(s.path.read_bytes().decode().encode("utf-16")),
        r"not text in UTF-8",
    ),
    Fault(
        "missing part: surplus", TABLES, text(lambda held, rng: held + "\nsurplus = 1\n"), r"surplus is not known here"
    ),
    Fault("self-crossing", GEOJSON, _ring(_crossed), r"crosses itself"),
    swap(
        "self-crossing",
        TOML,
        "[[1.0, 1.0], [1.0, 9.5], [8.5, 9.5], [8.5, 1.0]]",
        "[[1.0, 1.0], [8.5, 9.5], [1.0, 9.5], [8.5, 1.0]]",
        r"odd: crosses itself",
    ),
    Fault("wrong CRS", GEOJSON, _ring(_projected), r"is not a longitude and a latitude — likely a CRS mismatch"),
    Fault("wrong CRS: far", GEOJSON, _ring(_elsewhere), r"lies outside the grid"),
    Fault("wrong CRS: swapped", GEOJSON, _ring(lambda ring, rng: [[lat, lon] for lon, lat in ring]), r"latitude"),
    Fault(
        "wrong CRS: unknown",
        GEOJSON,
        _geojson(lambda root, rng: root.update({"crs": {"type": "name", "properties": {"name": "EPSG:999999"}}})),
        r"CRS 'EPSG:999999' is unknown",
    ),
    Fault("zero size", GEOJSON, _geojson(lambda root, rng: root.update({"features": []})), r"holds no region"),
    Fault("zero size: point", GEOJSON, _ring(lambda ring, rng: [ring[0]] * 5), r"too narrow|no area"),
    Fault(
        "zero size",
        TOML,
        text(lambda held, rng: held.replace("rows = [", "rows = [99, 99] # ", 1)),
        r"rows \[99\.?0?, 99\.?0?\] is empty",
    ),
    Fault(
        "not a number",
        GEOJSON,
        _ring(lambda ring, rng: [[float("nan"), 1.0], *ring[1:]]),
        r"not a closed list|not a number",
    ),
    Fault(
        "not a number: huge",
        GEOJSON,
        _ring(lambda ring, rng: [[int(DIGITS[:400]), 1.0], *ring[1:-1], [int(DIGITS[:400]), 1.0]]),
        r"no longitude and latitude|not a closed list",
    ),
    swap("not a number", TOML, "weight = 2.0", "weight = nan", _NAN),
    swap("not a number: corner", TOML, "[1.0, 9.5]", "[inf, 9.5]", r"a corner is not a number"),
    Fault("wrong type", GEOJSON, _property("weight", "heavy"), r"weight is 'heavy'"),
    Fault("wrong type: list", GEOJSON, _geojson(lambda root, rng: [1, 2, 3]), r"not a FeatureCollection"),
    Fault(
        "wrong type: point",
        GEOJSON,
        _geojson(
            lambda root, rng: root["features"][0].update({"geometry": {"type": "Point", "coordinates": [-120.0, 39.0]}})
        ),
        r"is Point, not a polygon",
    ),
    Fault("wrong type: nested", GEOJSON, text(_nested), r"FeatureCollection is nested"),
    Fault("wrong type: collected", GEOJSON, text(_collected), r"nested|recursion"),
    Fault("wrong type: ring", GEOJSON, _ring(lambda ring, rng: {"a": 1}), r"not a closed list"),
    swap("wrong type", TOML, "weight = 2.0", 'weight = "much"', r"weight: is text, not a number"),
    Fault(
        "missing part",
        GEOJSON,
        _geojson(lambda root, rng: root["features"][0].update({"geometry": None})),
        r"without a geometry",
    ),
    Fault("missing part: open", GEOJSON, _ring(lambda ring, rng: ring[:-1]), r"not a closed list"),
    swap("missing part", TOML, 'name = "odd"\n', "", r"name is missing"),
    swap("missing part: key", TOML, "columns = ", "kolumns = ", r"columns is missing|kolumns is not known"),
    Fault("impossible unit", GEOJSON, _property("weight", -3), r"weight is -3"),
    Fault(
        "impossible unit",
        TOML,
        text(lambda held, rng: held.replace("rows = [", "rows = [9000, 9100] # ", 1)),
        r"lies outside the grid",
    ),
    Fault(
        "twice", GEOJSON, _geojson(lambda root, rng: root["features"].append(root["features"][0])), r"is used 2 times"
    ),
    swap("twice", TOML, '"odd"', '"Dörfli"', r"the name Dörfli is used 2 times"),
)

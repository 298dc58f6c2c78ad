"""Names that break formats: every file that is written with them is read by a strict parser."""

from __future__ import annotations

import csv
import re
import sqlite3
import xml.etree.ElementTree as XML
import zipfile
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import gpxpy
import msgspec
import pyogrio
import pytest

from firegui.domain.bases import Base, BaseKind
from firegui.domain.crew_notes import RadioFrequency
from firegui.domain.operations import Operations
from firegui.io.exporters import export
from firegui.io.exporters.content import ExportContent, Sheet
from tests.unit.io.builders import drop
from tests.unit.io.exporters.plans import plan
from tests.unit.io.exporters.sheets import GRID, around, content, planned

NAMES = {
    "controls, lines and markup": "a\x00b\x07c\x1fd\x7fe\x85f\ufffeg first\nsecond\r\nthird\tfourth\u2028fifth"
    "<script>&amp; \"'x' ]]> --> <![CDATA[ <?x?>",
    "long": "W" * 1000,
    "formula, right to left": "=1+1 \u202egnp.exe\u2066 \u200f\u0645\u062f\u06cc\u0646\u0629",
}
FORMATS = ("csv", "geojson", "geojson-areas", "kml", "kmz", "gpx", "gpkg", "svg", "ics220", "report", "orders")


def named(name: str) -> ExportContent:
    """Return a plan in which everything that people name is called so."""
    whole = planned(days=1)
    places = (("village", name, ((5.0, 60.0),)), ("road", name, ((50.0, 0.0), (52.0, 79.0))))
    (zone,), (region,) = whole.operations.no_drop_zones, whole.regions
    whole = replace(
        whole, scenario=replace(whole.scenario, name=name, markers=places, notes=(name,)),
        regions=(replace(region, name=name),), operations=Operations(
            no_drop_zones=(replace(zone, name=name),), frequencies=(RadioFrequency(name, name, name),), hazards=(name,),
            bases=(Base(name, BaseKind.LAKE, -20.0, 5.0, serves=(name,)),),
        ),
        fire_model=replace(whole.fire_model, label=name),
    )  # fmt: skip
    drops = [replace(drop, aircraft=name, type=name) for drop in around(GRID, 4)]
    return content(project=whole, drops=drops, days=1, sheet=Sheet(author=name, incident_number=name), run=name)


@pytest.fixture(scope="module", params=NAMES)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of every format, made of one of the names."""
    folder = tmp_path_factory.mktemp("hostile")
    export(named(NAMES[request.param]), FORMATS, folder, "p")
    return folder


def test_xml_is_well_formed(written: Path) -> None:
    for name in ("p.kml", "p.gpx", "p-map.svg"):
        assert list(XML.parse(written / name).getroot())
    with zipfile.ZipFile(written / "p.kmz") as packed:
        assert packed.testzip() is None and list(XML.fromstring(packed.read("doc.kml")))


def test_tables_have_their_columns_and_no_formula(written: Path) -> None:
    for name in ("p.csv", "p-orders.csv"):
        with (written / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file, strict=True))
        assert len(rows) == 5 and {len(row) for row in rows} == {len(rows[0])}
        assert not [cell for row in rows for cell in row if re.match(r"[=+@\t\r]|-(?!\d)", cell)]


def test_json_is_strict(written: Path) -> None:
    for name in ("p.geojson", "p-areas.geojson"):
        assert msgspec.json.decode((written / name).read_bytes())["features"]


def test_the_geopackage_is_whole_and_has_no_formula(written: Path) -> None:
    path = written / "p.gpkg"
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    for layer, _ in pyogrio.list_layers(path):
        _, _, _, columns = pyogrio.raw.read(path, layer=layer)
        texts = [value for column in columns for value in column if isinstance(value, str)]
        assert not [text for text in texts if text.startswith(("=", "+", "@"))], layer


def test_receivers_read_every_layer_of_the_gpx_file(written: Path) -> None:
    # Four drops and a base.
    assert len(gpxpy.parse((written / "p.gpx").read_text(encoding="utf-8")).waypoints) == 5
    for layer, _ in pyogrio.list_layers(written / "p.gpx"):
        pyogrio.raw.read(written / "p.gpx", layer=layer)


@pytest.mark.parametrize("name", ["p-ics220.pdf", "p-orders.pdf"])
def test_the_briefing_and_the_orders_are_whole_pdfs(written: Path, name: str) -> None:
    data = (written / name).read_bytes()
    table = int(re.findall(rb"startxref\s+(\d+)\s+%%EOF\s*$", data)[0])
    entries = re.match(rb"xref\s+0 (\d+)\s+", data[table:])
    assert entries is not None
    rows = re.findall(rb"(\d{10}) \d{5} ([nf])", data[table:])
    assert len(rows) == int(entries[1])
    for number, (place, kind) in enumerate(rows):
        assert kind == b"f" or re.match(rb"%d 0 obj\b" % number, data[int(place) :])
    for stream in re.findall(rb"/FlateDecode[^>]*>>\s+stream\r?\n(.*?)endstream", data, re.DOTALL):
        # The last byte of a stream may be a carriage return, so that its end cannot be told from the line's.
        unpacked = zlib.decompressobj()
        unpacked.decompress(stream)
        assert unpacked.eof and unpacked.unused_data in (b"\n", b"\r\n")


def test_a_folder_of_a_run_whose_name_is_no_unicode_is_shown_with_escapes(tmp_path: Path) -> None:
    made = content(1, days=1, run="caf\udce9")
    assert made.run == "caf\\udce9"
    assert export(made, ("csv", "kml", "svg"), tmp_path, "p")


def test_a_day_with_one_drop_makes_a_valid_gpx_file(tmp_path: Path) -> None:
    (path,) = export(plan(drops=[drop(20, 1)]), ["gpx"], tmp_path, "p")
    found = gpxpy.parse(path.read_text(encoding="utf-8"))
    assert len(found.waypoints) == 1 and not found.routes and not found.tracks
    counts = {str(name): len(pyogrio.raw.read(path, layer=name)[2]) for name, _ in pyogrio.list_layers(path)}
    assert counts.pop("waypoints") == 1 and not any(counts.values())

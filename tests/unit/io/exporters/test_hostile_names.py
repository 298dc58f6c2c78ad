"""Names that break formats: every file that is written with them is read by a strict parser."""

from __future__ import annotations

import csv
import re
import sqlite3
import xml.etree.ElementTree as XML
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import gpxpy
import h5netcdf
import msgspec
import pyogrio
import pytest
import rasterio
from PIL import Image

from firegui.domain.bases import Base, BaseKind
from firegui.domain.crew_notes import RadioFrequency
from firegui.domain.names import character_problems
from firegui.domain.operations import Operations
from firegui.io.exporters import FORMATS, export
from firegui.io.exporters.content import ExportContent, Sheet
from tests.unit.io.builders import drop
from tests.unit.io.exporters.html_page import Page
from tests.unit.io.exporters.plans import plan
from tests.unit.io.exporters.sheets import GRID, around, content, planned

NAMES = {
    "controls, lines and markup": "a\x00b\x07c\x1fd\x7fe\x85f\ufffeg first\nsecond\r\nthird\tfourth\u2028fifth"
    "<script>&amp; \"'x' ]]> --> <![CDATA[ <?x?>",
    "formula, right to left, long": "=1+1 \u202egnp.exe\u2066 \u200f\u0645\u062f\u06cc\u0646\u0629" + "W" * 1000,
}


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


@pytest.fixture(
    scope="module",
    params=[name if number == 0 else pytest.param(name, marks=pytest.mark.slow) for number, name in enumerate(NAMES)],
)
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of every format, made of one of the names."""
    folder = tmp_path_factory.mktemp("hostile")
    export(named(NAMES[request.param]), list(FORMATS), folder, "p")
    return folder


def read_csv(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, strict=True))
    assert len(rows) == 5 and {len(row) for row in rows} == {len(rows[0])}
    assert not [cell for row in rows for cell in row if re.match(r"[=+@\t\r]|-(?!\d)", cell)]


def read_geojson(path: Path) -> None:
    assert msgspec.json.decode(path.read_bytes())["features"]


def read_xml(path: Path) -> None:
    assert list(XML.parse(path).getroot())


def read_kmz(path: Path) -> None:
    with zipfile.ZipFile(path) as packed:
        assert packed.testzip() is None and list(XML.fromstring(packed.read("doc.kml")))


def read_gpx(path: Path) -> None:
    read_xml(path)
    # Four drops and a base.
    assert len(gpxpy.parse(path.read_text(encoding="utf-8")).waypoints) == 5
    for layer, _ in pyogrio.list_layers(path):
        pyogrio.raw.read(path, layer=layer)


def read_gpkg(path: Path) -> None:
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    for layer, _ in pyogrio.list_layers(path):
        _, _, _, columns = pyogrio.raw.read(path, layer=layer)
        texts = [value for column in columns for value in column if isinstance(value, str)]
        assert not [text for text in texts if text.startswith(("=", "+", "@"))], layer


def read_tif(path: Path) -> None:
    with rasterio.open(path) as raster:
        tags = raster.tags()
        assert raster.read().size and tags["EVENT"] and not character_problems("", tags["EVENT"] + tags["FIRE_MODEL"])


def read_netcdf(path: Path) -> None:
    with h5netcdf.File(path, "r") as file:
        assert all(variable[...].size for variable in file.variables.values())
        assert not character_problems("", file.attrs["title"] + file.attrs["source"])


def read_png(path: Path) -> None:
    with Image.open(path) as picture:
        picture.load()
        assert picture.format == "PNG"


def read_html(path: Path) -> None:
    assert not Page(path.read_text(encoding="utf-8")).all("script")


def read_pdf(path: Path) -> None:
    data = path.read_bytes()
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


READERS: Mapping[str, Callable[[Path], None]] = {
    "csv": read_csv, "geojson": read_geojson, "kml": read_xml, "kmz": read_kmz, "gpx": read_gpx, "gpkg": read_gpkg,
    "tif": read_tif, "nc": read_netcdf, "png": read_png, "svg": read_xml, "pdf": read_pdf, "html": read_html,
}  # fmt: skip
"""Strict parsers by the ending of a file."""


@pytest.mark.parametrize("ending", sorted({product.ending for kind in FORMATS.values() for product in kind.products}))
def test_every_file_is_read_by_a_strict_parser(written: Path, ending: str) -> None:
    paths = sorted(written.glob(f"*.{ending}"))
    assert paths
    for path in paths:
        READERS[ending](path)


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

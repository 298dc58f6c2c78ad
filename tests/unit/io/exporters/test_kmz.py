from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from xml.etree import ElementTree as XML

import pyogrio.raw
import pytest
import shapely
from PIL import Image

from firegui.domain.fleet import Fleet
from firegui.domain.scenario import UNKNOWN_START
from firegui.io.exporters import export
from firegui.io.exporters.content import ExportContent
from firegui.io.exporters.kml_gpx_geojson import NAMESPACE
from firegui.io.exporters.kmz import DOCUMENT, type_colours
from firegui.io.exporters.table import NOTICE
from tests.unit.io.builders import PLACED, START, aircraft, project
from tests.unit.io.exporters.plans import plan, random_drops


def written(folder: Path, content: ExportContent) -> Path:
    (path,) = export(content, ["kmz"], folder, "plan")
    assert path.name == "plan.kmz"
    return path


def document(path: Path) -> XML.Element:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None and archive.namelist()[0] == DOCUMENT
        return XML.fromstring(archive.read(DOCUMENT))


def named(root: XML.Element, tag: str) -> list[XML.Element]:
    return root.findall(f".//{{{NAMESPACE}}}{tag}")


def drops_of(root: XML.Element) -> list[XML.Element]:
    return [placemark for placemark in named(root, "Placemark") if named(placemark, "Point")]


def test_drops_lie_and_are_timed_as_in_the_schedule(tmp_path: Path) -> None:
    content = plan(drops=random_drops(PLACED, 9))
    placemarks = drops_of(document(written(tmp_path, content)))
    assert len(placemarks) == len(content.flown) == 9
    for placemark, row in zip(placemarks, content.flown, strict=True):
        lon, lat = (float(text) for text in (named(placemark, "coordinates")[0].text or "").split(","))
        assert row.lonlat == pytest.approx((lon, lat), abs=1e-7)
        when = datetime.fromisoformat(named(placemark, "when")[0].text or "")
        assert abs((when - content.project.calendar.time_of_step(row.drop.step)).total_seconds()) < 1.0


def test_every_drop_has_a_mark_of_its_type_turned_to_its_heading(tmp_path: Path) -> None:
    content = plan(drops=random_drops(PLACED, 30))
    path = written(tmp_path, content)
    root = document(path)
    styles = {f"#{style.get('id')}": style for style in named(root, "Style")}
    colours = set()
    with zipfile.ZipFile(path) as archive:
        for placemark, row in zip(drops_of(root), content.flown, strict=True):
            style = styles[named(placemark, "styleUrl")[0].text or ""]
            heading, known = float(named(style, "heading")[0].text or ""), row.heading_true
            assert known is not None and abs((heading - known + 90.0) % 180.0 - 90.0) <= 0.5
            colours.add((row.drop.aircraft.rpartition("-")[0], named(style, "color")[0].text))
            picture = Image.open(io.BytesIO(archive.read(named(style, "href")[0].text or "")))
            assert picture.size == (64, 64)
    assert len(colours) == len({kind for kind, _ in colours}) == 2


def test_the_document_is_read_by_gdal(tmp_path: Path) -> None:
    content = plan()
    with zipfile.ZipFile(written(tmp_path, content)) as archive:
        (tmp_path / "doc.kml").write_bytes(archive.read(DOCUMENT))
    layers = [str(name) for name, _ in pyogrio.list_layers(tmp_path / "doc.kml")]
    day = next(name for name in layers if name.startswith("Day 1") and name.endswith("drops"))
    shapes = shapely.from_wkb(pyogrio.raw.read(tmp_path / "doc.kml", layer=day)[2])
    rows = [row for row in content.flown if row.day == 0]
    assert [(point.x, point.y) for point in shapes] == [pytest.approx(row.lonlat, abs=1e-6) for row in rows]
    assert any("Protected regions" in name for name in layers)


def test_types_of_one_material_differ_in_colour() -> None:
    fleet = Fleet(tuple(aircraft(id=f"T{number}", type=f"Type {number}", count=1) for number in range(5)))
    found = type_colours(plan(drops=[], project=replace(project(), fleet=fleet, grounded={})))
    assert len(set(found.values())) == 5


def test_an_event_without_a_date_has_no_times_in_it(tmp_path: Path) -> None:
    whole = project()
    undated = replace(whole, scenario=replace(whole.scenario, start=UNKNOWN_START), grounded={})
    content = plan(project=undated, made=START)
    root = document(written(tmp_path, content))
    assert not named(root, "when") and len(named(root, "TimeSpan")) == len(whole.scenario.observed_dates)
    text = XML.tostring(root, encoding="unicode")
    assert "2000-01" not in text and "date unknown" in text


def test_the_same_plan_makes_the_same_bytes_with_the_notice(tmp_path: Path) -> None:
    one, other = (written(tmp_path / name, plan()).read_bytes() for name in ("a", "b"))
    assert one == other
    assert NOTICE in XML.tostring(document(tmp_path / "a" / "plan.kmz"), encoding="unicode")

"""Barriers in the files for a GIS, which read them back, and with their symbols on printed maps."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree as XML

import numpy as np
import pyogrio
import pytest

from firegui.domain.barriers import EVENT_LINE_CATEGORIES, KIND_TITLES, Barrier, BarrierKind
from firegui.domain.bases import Base, BaseKind
from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.io.exporters import export
from firegui.io.exporters.content import Sheet
from firegui.io.exporters.gpkg import BARRIER_AREAS, BARRIER_LINES, write_gpkg
from firegui.io.exporters.kml_gpx_geojson import NAMESPACE, kml_problems, write_areas_geojson, write_kml
from firegui.io.exporters.map_figure import map_page, map_picture
from firegui.io.importers.barriers import CATEGORIES, BarrierSource, read_barriers, write_barriers
from tests.unit.io.exporters.sheets import content, outside, overlaps, planned, texts_of

LATER = datetime(2020, 8, 21, 7, 30, tzinfo=UTC)
LINES = tuple(
    Barrier(f"Line {kind}", kind, (((5.0 + 4 * number, 10.0), (8.0 + 4 * number, 60.0)),), width_m=3.25 + number,
            strength=0.85)
    for number, kind in enumerate(BarrierKind)
)  # fmt: skip
LATE = replace(LINES[2], name="Late", lines=(((50.0, -20.0), (55.0, 30.0)), ((52.0, 40.0), (52.0, 120.0))),
               exists_from=LATER)  # fmt: skip
AREA = Barrier("Burn", BarrierKind.BURNED_OUT, strength=0.5, areas=(
    (((40.0, 10.0), (40.0, 30.0), (55.0, 30.0), (55.0, 10.0)), ((45.0, 15.0), (50.0, 15.0), (50.0, 20.0))),
))  # fmt: skip


@pytest.fixture
def barred() -> Project:
    base = Base("Redding", BaseKind.AIRTANKER, -100.0, 20.0)
    whole = planned()
    return replace(
        whole, barriers=(*LINES, LATE, AREA), operations=replace(whole.operations, bases=(base,)),
    )  # fmt: skip


def assert_same(found: tuple[Barrier, ...], wanted: tuple[Barrier, ...]) -> None:
    """Assert that all numbers of lines and areas are the same, corners to a hundredth of a metre."""
    assert [barrier.name for barrier in found] == [barrier.name for barrier in wanted]
    for one, other in zip(found, wanted, strict=True):
        assert (one.kind, one.strength, one.exists_from) == (other.kind, other.strength, other.exists_from)
        assert one.is_area == other.is_area
        if one.is_area:
            corners = [{tuple(np.round(corner, 3)) for corner in each.corners} for each in (one, other)]
            assert corners[0] == corners[1]
        else:
            assert one.width_m == other.width_m
            assert np.allclose(list(one.corners), list(other.corners), atol=1e-3)
            assert [len(line) for line in one.lines] == [len(line) for line in other.lines]


def test_every_kind_has_the_category_that_is_read_as_that_kind() -> None:
    assert {kind: CATEGORIES[text.lower()] for kind, text in EVENT_LINE_CATEGORIES.items()} == {
        kind: kind for kind in BarrierKind if kind is not BarrierKind.RIVER
    }


def test_barriers_of_a_geopackage_are_read_back_with_the_same_numbers(barred: Project, tmp_path: Path) -> None:
    write_gpkg(tmp_path / "plan.gpkg", content(project=barred))
    layers = dict(pyogrio.list_layers(tmp_path / "plan.gpkg"))
    assert (layers[BARRIER_LINES], layers[BARRIER_AREAS]) == ("MultiLineString", "MultiPolygon")
    grid = barred.scenario.grid
    lines = read_barriers(BarrierSource(tmp_path / "plan.gpkg", layer=BARRIER_LINES), grid).barriers
    areas = read_barriers(BarrierSource(tmp_path / "plan.gpkg", layer=BARRIER_AREAS), grid).barriers
    assert_same((*lines, *areas), barred.barriers)
    meta, _, _, columns = pyogrio.raw.read(tmp_path / "plan.gpkg", layer=BARRIER_LINES)
    table = dict(zip(meta["fields"], columns, strict=True))
    categories = dict(zip(table["name"], table["FeatureCategory"], strict=True))
    assert categories["Late"] == "Completed Dozer Line" and categories["Line river"] is None
    styled = pyogrio.raw.read(tmp_path / "plan.gpkg", layer="layer_styles", columns=["f_table_name"])[3][0]
    assert {BARRIER_LINES, BARRIER_AREAS} <= set(styled)


def test_barriers_among_the_areas_of_geojson_are_read_back_and_nothing_else(barred: Project, tmp_path: Path) -> None:
    file = tmp_path / "areas.geojson"
    write_areas_geojson(file, content(project=barred))
    found = read_barriers(BarrierSource(file), barred.scenario.grid)
    assert_same(found.barriers, barred.barriers)
    assert any("not barriers left out" in note for note in found.notes)
    features = json.loads(file.read_text(encoding="utf-8"))["features"]
    (late,) = [each["properties"] for each in features if each["properties"]["name"] == "Late"]
    assert {name: late[name] for name in ("kind", "barrier_kind", "width_m", "strength", "exists_from")} == {
        "kind": "barrier", "barrier_kind": "dozer_line", "width_m": LATE.width_m, "strength": 0.85,
        "exists_from": "2020-08-21T07:30:00+00:00",
    }  # fmt: skip


def test_the_file_of_barriers_alone_has_the_categories_too(barred: Project, tmp_path: Path) -> None:
    file, grid = tmp_path / "barriers.geojson", barred.scenario.grid
    write_barriers(barred.barriers, file, grid)
    assert_same(read_barriers(BarrierSource(file), grid).barriers, barred.barriers)
    features = json.loads(file.read_text(encoding="utf-8"))["features"]
    assert [each["properties"].get("FeatureCategory") for each in features[:3]] == [
        "Road as Completed Line", None, "Completed Dozer Line",
    ]  # fmt: skip


def test_a_file_of_areas_without_barriers_is_refused_as_such(tmp_path: Path) -> None:
    file, whole = tmp_path / "areas.geojson", planned()
    write_areas_geojson(file, content(project=whole))
    with pytest.raises(InputError):
        read_barriers(BarrierSource(file), whole.scenario.grid)


def test_kml_has_a_folder_of_barriers_with_their_times(barred: Project, tmp_path: Path) -> None:
    write_kml(tmp_path / "plan.kml", content(project=barred))
    tag = f"{{{NAMESPACE}}}"
    root = XML.parse(tmp_path / "plan.kml").getroot()
    (folder,) = [each for each in root.iter(f"{tag}Folder") if each.findtext(f"{tag}name") == "Barriers"]
    marks = {mark.findtext(f"{tag}name"): mark for mark in folder.iter(f"{tag}Placemark")}
    assert set(marks) == {barrier.name for barrier in barred.barriers}
    assert len(list(marks["Late"].iter(f"{tag}LineString"))) == 2
    assert marks["Late"].findtext(f"{tag}TimeSpan/{tag}begin") == "2020-08-21T07:30:00Z"
    assert marks["Line road"].find(f"{tag}TimeSpan") is None
    assert len(list(marks["Burn"].iter(f"{tag}innerBoundaryIs"))) == 1
    assert "Dozer line, 5.25 m wide, stops 85 % of the spread" in str(marks["Late"].findtext(f"{tag}description"))
    styles = {style.get("id") for style in root.iter(f"{tag}Style")}
    assert {mark.findtext(f"{tag}styleUrl", "")[1:] for mark in marks.values()} <= styles


def test_barriers_count_towards_the_limit_of_kml(barred: Project) -> None:
    many = tuple(replace(LINES[0], name=f"Road {number}") for number in range(9_999))
    assert kml_problems(content(project=barred)) == []
    assert kml_problems(content(project=replace(barred, barriers=many))) != []


def test_without_barriers_no_file_names_any(tmp_path: Path) -> None:
    for path in export(content(3), ["geojson-areas", "kml", "gpkg"], tmp_path, "p"):
        data = path.read_bytes()
        assert b"barrier" not in data and b"Barriers" not in data


def test_the_printed_map_draws_barriers_and_explains_their_symbols(barred: Project) -> None:
    bare = replace(barred, barriers=())
    pages = [map_page(content(project=each), lambda: None) for each in (bare, barred)]
    without, said = (set(texts_of(page.figure)) for page in pages)
    new = {" ".join(text.split()) for text in said - without}
    assert {barrier.name for barrier in barred.barriers} <= new
    titles = {KIND_TITLES[kind] for kind in BarrierKind} - {"Road", "Burned-out area"}
    assert titles | {"Road that stops spread", "Burned-out line", "Burned-out area"} <= new
    for page in pages:
        assert overlaps(page.figure) == [] and outside(page.figure) == []
    pictures = [map_picture(content(project=each), 60.0).astype(np.int16) for each in (bare, barred)]
    assert (np.abs(pictures[0] - pictures[1]) > 8).any()


def test_a_line_that_is_finished_later_is_not_on_the_map_of_the_days_before(barred: Project) -> None:
    calendar = barred.calendar
    late = replace(LATE, lines=(((28.0, 20.0), (33.0, 60.0)),), exists_from=calendar.start + timedelta(days=1, hours=6))
    whole = replace(barred, barriers=(late,))
    for day, is_there in ((0, False), (1, True)):
        sheet = Sheet(author="A. Núñez", first_day=day, last_day=day)
        said = texts_of(map_page(content(project=whole, sheet=sheet), lambda: None).figure)
        assert ("Late" in said) is is_there and ("Dozer line" in said) is is_there


def test_a_barrier_beside_the_map_has_no_entry_in_the_legend(barred: Project) -> None:
    aside = replace(LINES[2], name="Aside", lines=(((-30.0, -30.0), (-1.0, -10.0), (-20.0, 50.0)),))
    said = texts_of(map_page(content(project=replace(barred, barriers=(aside,))), lambda: None).figure)
    assert "Aside" not in said and "Dozer line" not in said

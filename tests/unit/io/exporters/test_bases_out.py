"""Bases, limits, frequencies and hazards of a plan in the briefing, and bases in every format for a GIS."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as XML

import gpxpy
import pyogrio
import pytest
import shapely

from firegui.domain.bases import Base, BaseKind
from firegui.domain.crew_notes import RadioFrequency
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.io.exporters import export
from firegui.io.exporters.briefing import base_notes, briefing_pages
from firegui.io.exporters.briefing_days import periods_of, remarks, type_lines
from firegui.io.exporters.content import ExportContent, Sheet
from firegui.io.exporters.gpkg import BASES, CREW_NOTES, write_gpkg
from firegui.io.exporters.ics220 import FREQUENCIES, TITLES
from firegui.io.exporters.kml_gpx_geojson import NAMESPACE, write_areas_geojson, write_gpx, write_kml
from firegui.io.exporters.kmz import write_kmz
from firegui.io.exporters.report_page import report_text
from firegui.io.georeference import Georeference
from tests.unit.io.exporters.sheets import content, outside, overlaps, planned, texts_of

ONE = Sheet(author="A. Núñez", first_day=0, last_day=0)
LONG = "Northern California Interagency Airtanker Base at Redding Municipal Airport"


@pytest.fixture
def served() -> Project:
    whole = planned()
    kind = replace(whole.fleet.types[0], cruise_ms=100.0, most_flight_h=7.0, most_wind_ms=15.0)
    base = Base("Redding", BaseKind.AIRTANKER, -1200.0, 20.0, 12.0, 8.0, 20.5, (kind.id,))
    project = replace(
        whole, fleet=replace(whole.fleet, types=(kind, *whole.fleet.types[1:])), operations=Operations(bases=(base,))
    )
    return project.with_centres(((0.0, 20.0),) * project.plan.days)


def test_the_briefing_names_bases_turnarounds_and_limits(served: Project) -> None:
    kind, cell = served.fleet.types[0].id, served.scenario.grid.cell_size_m
    minutes = 12.0 + 2.0 * 1200.0 * cell / 100.0 / 60.0
    said = "\n".join(base_notes(served))
    assert "Redding, " in said
    assert f"Airtanker base, open 08:00 to 20:30, 12 min to load, for {kind}." in said
    assert f"{kind}: turnaround {minutes:.0f} " in said
    assert f"{kind}: at most flight hours a day 7 h, wind 29.2 kt." in said
    assert "Smoke is not modelled" in said
    assert base_notes(planned()) == []


def test_the_turnaround_of_a_days_first_drop_is_in_its_order(served: Project) -> None:
    plan = content(project=served)
    line = type_lines(served, periods_of(plan)[0])[0]
    assert line.turnaround_h == served.planned_fleet.types[0].wait_h_at(plan.flown[0].drop.step)
    assert line.turnaround_h != served.fleet.types[0].turnaround_h
    other = type_lines(served, periods_of(plan)[0])[1]
    assert other.turnaround_h == served.fleet.types[1].turnaround_h


def test_bases_are_places_of_kml_and_gpx(served: Project, tmp_path: Path) -> None:
    plan, place = content(project=served), Georeference(served.scenario.grid).lonlat(-1200.0, 20.0)
    assert place is not None
    write_kml(tmp_path / "plan.kml", plan)
    folders = XML.parse(tmp_path / "plan.kml").getroot().iter(f"{{{NAMESPACE}}}Folder")
    (bases,) = [each for each in folders if each.findtext(f"{{{NAMESPACE}}}name") == "Bases"]
    text = bases.findtext(f".//{{{NAMESPACE}}}coordinates")
    assert text is not None
    assert [float(part) for part in text.split(",")[:2]] == pytest.approx(list(place), abs=1e-6)
    write_gpx(tmp_path / "plan.gpx", plan)
    points = gpxpy.parse((tmp_path / "plan.gpx").read_text(encoding="utf-8")).waypoints
    (base,) = [point for point in points if point.type == "base"]
    assert base.name == "Redding"
    assert [base.longitude, base.latitude] == pytest.approx(list(place))


def with_base(whole: Project, **changes: object) -> Project:
    """The same project with its base changed."""
    (base,) = whole.operations.bases
    return replace(whole, operations=replace(whole.operations, bases=(replace(base, **changes),)))  # type: ignore[arg-type]


def noted(whole: Project, frequencies: tuple[RadioFrequency, ...] = (), hazards: tuple[str, ...] = ()) -> Project:
    """The same project with frequencies and hazards."""
    return replace(whole, operations=replace(whole.operations, frequencies=frequencies, hazards=hazards))


def pages(what: ExportContent) -> list[list[str]]:
    return [texts_of(page.figure) for page in briefing_pages(what)]


def forms(what: ExportContent) -> list[list[str]]:
    """The pages of the form that have its blocks, the first one and those that it goes on to."""
    return [page for page in pages(what) if TITLES[11] in page]


def base_column(what: ExportContent) -> list[str]:
    return [line.base for line in type_lines(what.project, periods_of(what)[0])]


def test_bases_are_points_of_geojson_and_geopackage(served: Project, tmp_path: Path) -> None:
    plan, place = content(project=served), Georeference(served.scenario.grid).lonlat(-1200.0, 20.0)
    assert place is not None
    write_areas_geojson(tmp_path / "areas.geojson", plan)
    found = json.loads((tmp_path / "areas.geojson").read_text(encoding="utf-8"))
    (base,) = [each for each in found["features"] if each["properties"]["kind"] == "base"]
    assert base["geometry"]["type"] == "Point"
    assert base["geometry"]["coordinates"] == pytest.approx(list(place), abs=1e-6)
    kind = served.fleet.types[0].id
    wanted = {"name": "Redding", "base_kind": "airtanker_base", "reload_min": 12.0, "opens_h": 8.0, "closes_h": 20.5,
              "hours": "08:00 to 20:30", "serves": kind}  # fmt: skip
    assert {name: base["properties"][name] for name in wanted} == wanted
    assert found["bbox"][3] == pytest.approx(place[1], abs=1e-6)
    write_gpkg(tmp_path / "plan.gpkg", plan)
    meta, _, shapes, columns = pyogrio.raw.read(tmp_path / "plan.gpkg", layer=BASES)
    row = dict(zip(meta["fields"], (column[0] for column in columns), strict=True))
    assert {name: row[name] for name in wanted} == wanted
    point = shapely.from_wkb(shapes[0])
    assert (point.x, point.y) == pytest.approx(place)
    styled = pyogrio.raw.read(tmp_path / "plan.gpkg", layer="layer_styles", columns=["f_table_name"])[3][0]
    assert BASES in styled


def test_a_base_that_is_always_open_and_serves_nothing_is_a_row_like_any_other(served: Project, tmp_path: Path) -> None:
    plan = content(project=with_base(served, opens_h=None, closes_h=None, serves=(), name="=1+1"))
    write_gpkg(tmp_path / "plan.gpkg", plan)
    meta, _, _, columns = pyogrio.raw.read(tmp_path / "plan.gpkg", layer=BASES)
    row = dict(zip(meta["fields"], (column[0] for column in columns), strict=True))
    assert row["hours"] == "always" and row["serves"] is None and not str(row["name"]).startswith("=")


def test_without_bases_no_file_names_any(tmp_path: Path) -> None:
    plan = content(3)
    for path in export(plan, ["geojson-areas", "kml", "gpx", "gpkg"], tmp_path, "p"):
        data = path.read_bytes()
        assert b"base_kind" not in data and b"<name>Bases</name>" not in data and b">base<" not in data
    assert BASES not in dict(pyogrio.list_layers(tmp_path / "p.gpkg"))
    assert base_column(plan) == ["", ""]
    (form,) = forms(replace(plan, sheet=ONE))
    assert any("obstacles, airspace and bases are not in the model" in text for text in [" ".join(form)])


def test_the_form_names_the_nearest_base_of_each_type(served: Project) -> None:
    kind, other = served.fleet.types
    near = Base("Chester", BaseKind.RELOAD, -100.0, 20.0, serves=(kind.id,))
    lake = Base("Lake Almanor", BaseKind.LAKE, 10.0, 20.0, serves=(other.id,))
    bases = (*served.operations.bases, near, lake)
    whole = replace(
        served, fleet=replace(served.fleet, types=(kind, replace(other, cruise_ms=60.0))),
        operations=replace(served.operations, bases=bases),
    )  # fmt: skip
    what = content(6, project=whole, sheet=ONE)
    assert base_column(what) == ["Chester", "Lake Almanor"]
    (form,) = forms(what)
    assert {"Chester", "Lake Almanor"} <= set(form) and "Redding" not in form
    # A type without a cruise speed has no way to any base.
    slow = replace(whole, fleet=replace(whole.fleet, types=(replace(kind, cruise_ms=None), other)))
    assert base_column(content(6, project=slow, sheet=ONE)) == ["", ""]
    # The nearest is known before the fire's place is, from the drops or the grid.
    for count in (6, 0):
        assert base_column(content(count, project=replace(whole, centres=None))) == ["Chester", "Lake Almanor"]


def test_long_names_of_bases_leave_their_neighbours_free(served: Project) -> None:
    whole = with_base(served, name=LONG * 2)
    for page in briefing_pages(content(6, project=whole, sheet=ONE)):
        assert overlaps(page.figure) == []
        assert outside(page.figure) == []


def test_frequencies_stand_on_the_lines_of_block_8_and_hazards_in_block_4(served: Project) -> None:
    frequencies = (
        RadioFrequency("air/ground", "", "168.275 T110.9"), RadioFrequency("Air Guard", "121.5"),
        RadioFrequency("Division Z tactical", "", "169.950"),
    )  # fmt: skip
    what = content(6, project=noted(served, frequencies, ("Wires across the river", "  Drones  ")), sheet=ONE)
    assert remarks(what, periods_of(what)[0])[:2] == ["Hazard: Wires across the river", "Hazard: Drones"]
    (form,) = forms(what)
    assert {"168.275 T110.9", "121.5", "169.950", "Division Z tactical"} <= set(form)
    assert form[form.index("Air/Ground") + 1] == "168.275 T110.9"
    assert set(FREQUENCIES) <= set(form)
    first = " ".join(pages(what)[0])
    assert "• Hazard: Wires across the river" in first and "• Frequency, Air Guard: AM 121.5" in first
    page = report_text(replace(what, plan=None, baseline=None), lambda: None)
    assert "<li>Hazard: Drones</li>" in page and "<li>Frequency, Division Z tactical: FM 169.950</li>" in page


def test_more_frequencies_than_fit_go_on_over_pages_and_none_is_lost(served: Project) -> None:
    many = tuple(
        RadioFrequency(f"Net {number:02d} " + "W" * 50, f"1{number:02d}.000 " + "W" * 30, f"2{number:02d}.000")
        for number in range(40)
    )
    what = content(6, project=noted(served, many, tuple(f"Hazard number {n} " + "wide " * 50 for n in range(40))))
    what = replace(what, sheet=ONE)
    found = forms(what)
    assert len(found) > 1 and all(f"{TITLES[8]} (continued)" in page for page in found[1:3])
    said = [text for page in found for text in page]
    for number in range(40):
        assert sum(text.startswith(f"Net {number:02d}") for text in said) == 1
        assert said.count(f"2{number:02d}.000") == 1
        assert sum(text.startswith(f"• Hazard: Hazard number {number} ") for text in said) == 1
    assert sum("W" in text and set(text) == {"W"} for text in said) > 40
    for page in briefing_pages(what):
        assert overlaps(page.figure) == []
        assert outside(page.figure) == []


def test_frequencies_and_hazards_are_in_the_files_for_a_gis(served: Project, tmp_path: Path) -> None:
    frequencies = RadioFrequency("Air/Ground", "", "168.275 T110.9"), RadioFrequency("Air Guard", "121.5")
    plan = content(project=noted(served, frequencies, ("Wires across the river",)))
    lines = ["Hazard: Wires across the river", "Frequency, Air/Ground: FM 168.275 T110.9",
             "Frequency, Air Guard: AM 121.5"]  # fmt: skip
    for path in export(plan, ["geojson", "geojson-areas", "kml", "gpx", "gpkg"], tmp_path, "p"):
        if path.suffix == ".geojson":
            assert json.loads(path.read_text(encoding="utf-8"))["notes"][:3] == lines
        elif path.suffix == ".gpkg":
            assert pyogrio.read_info(path, layer="drops")["dataset_metadata"]["NOTES"].startswith("\n".join(lines))
            meta, _, _, columns = pyogrio.raw.read(path, layer=CREW_NOTES)
            table = dict(zip(meta["fields"], (list(column) for column in columns), strict=True))
            assert table["kind"] == ["hazard", "frequency", "frequency"]
            assert table["text"] == ["Wires across the river", "Air/Ground", "Air Guard"]
            assert (table["am"], table["fm"]) == ([None, None, "121.5"], [None, "168.275 T110.9", None])
            assert dict(pyogrio.list_layers(path))[CREW_NOTES] is None
        else:
            assert all(line in path.read_text(encoding="utf-8") for line in lines)


def test_a_plan_without_notes_prints_none() -> None:
    said = [text for page in pages(content(3, sheet=ONE)) for text in page]
    assert not [text for text in said if "Hazard" in text or text.startswith("• Frequency")]


def test_bases_are_in_the_kmz_as_well(served: Project, tmp_path: Path) -> None:
    write_kmz(tmp_path / "plan.kmz", content(3, project=served))
    with zipfile.ZipFile(tmp_path / "plan.kmz") as packed:
        text = packed.read("doc.kml").decode()
    assert "<name>Redding</name>" in text and "open 08:00 to 20:30, 12 min to load" in text

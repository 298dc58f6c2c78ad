from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as XML

import numpy as np
import pytest

from firegui.domain.fleet import Fleet
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.errors import InputError
from firegui.io.exporters import export, kml_gpx_geojson, refusals
from firegui.io.exporters.kml_gpx_geojson import NAMESPACE, kml_colour
from firegui.io.exporters.table import NOTICE, both_ways
from tests.unit.io.builders import aircraft, drop, project
from tests.unit.io.exporters.plans import plan

# The order in which OGC 07-147r2 wants the children of each element, as far as they are used.
ORDER = {
    "Document": ["name", "open", "description", "Style", "Folder"],
    "Folder": ["name", "Placemark"],
    "Placemark": ["name", "description", "TimeSpan", "styleUrl", "Point", "Polygon", "MultiGeometry"],
    "Style": ["IconStyle", "LabelStyle", "LineStyle", "PolyStyle"],
    "IconStyle": ["color", "scale"],
    "LineStyle": ["color", "width"],
    "PolyStyle": ["color", "fill"],
    "Polygon": ["tessellate", "outerBoundaryIs", "innerBoundaryIs"],
    "TimeSpan": ["begin", "end"],
}


def written(folder: Path, **changes: object) -> XML.Element:
    (path,) = export(plan(**changes), ["kml"], folder, "plan")  # type: ignore[arg-type]
    return XML.fromstring(path.read_bytes())


def named(root: XML.Element, tag: str) -> list[XML.Element]:
    return root.findall(f".//{{{NAMESPACE}}}{tag}")


def text(element: XML.Element, tag: str) -> str:
    return element.findtext(f"{{{NAMESPACE}}}{tag}") or ""


def features(root: XML.Element) -> int:
    return sum(len(named(root, tag)) for tag in ("Document", "Folder", "Placemark"))


def many(count: int, types: int = 40) -> tuple[Project, list[DropRecord]]:
    """A plan of two days on which ``count`` drops are flown by ``types`` aircraft of one each."""
    whole = replace(project(), fleet=Fleet(tuple(aircraft(id=f"T{n}", count=1) for n in range(types))), grounded={})
    drops = [
        replace(drop(number * 100 // count, 0), aircraft=f"T{number % types}-1", column=number % types)
        for number in range(count)
    ]
    return whole, drops


def test_every_element_has_its_children_in_the_order_of_the_standard(tmp_path: Path) -> None:
    root = written(tmp_path)
    assert root.tag == f"{{{NAMESPACE}}}kml" and len(root) == 1
    for tag, order in ORDER.items():
        assert named(root, tag), tag
        for element in named(root, tag):
            places = [order.index(child.tag.partition("}")[2]) for child in element]
            assert places == sorted(places), tag


def test_every_style_that_is_used_is_there(tmp_path: Path) -> None:
    root = written(tmp_path)
    there = {f"#{style.get('id')}" for style in named(root, "Style")}
    used = {text(placemark, "styleUrl") for placemark in named(root, "Placemark")}
    assert {"#retardant", "#water", "#footprint-retardant", "#perimeter-without-drops"} < used <= there
    assert kml_colour("#b3224f", 0.4) == "664f22b3"  # alpha, blue, green, red


def test_drops_are_in_a_folder_a_day_and_hold_from_their_step_to_the_end_of_the_day(tmp_path: Path) -> None:
    root = written(tmp_path)
    titles = [text(folder, "name") for folder in named(root, "Folder")]
    assert titles[:2] == ["Day 1, 2020-08-20, drops", "Day 2, 2020-08-21, drops"]
    assert "Day 1, 2020-08-20, footprints" in titles and titles[-1] == "Perimeters"
    first = named(root, "Placemark")[0]
    # The number is that of the printed table, the time is rounded as there.
    assert text(first, "name") == "#1 S-2T-2 09:36"
    (span,) = first.findall(f"{{{NAMESPACE}}}TimeSpan")
    assert (text(span, "begin"), text(span, "end")) == ("2020-08-20T16:36:00Z", "2020-08-21T07:00:00Z")
    balloon, heading = text(first, "description"), plan().flown[0].run_headings[1]
    for part in (
        "1,200 gal retardant",
        "2020-08-20 09:36-07:00",
        "2020-08-20 16:36Z",
        "39°44.981′ N",
        both_ways(heading),
        "magnetic",
        "184 ft AGL",
        NOTICE,
    ):
        assert part in balloon


def test_what_people_wrote_is_escaped_in_the_balloon_and_in_the_file(tmp_path: Path) -> None:
    bad = "<script>\x07&\u0000 ]]> “fire”"
    whole = project()
    whole = replace(whole, scenario=replace(whole.scenario, name=bad))
    root = written(tmp_path, project=whole, drops=[drop(1, 1, type=bad)])
    assert text(named(root, "Document")[0], "name") == "<script>& ]]> “fire”"
    assert "&lt;script&gt;&amp; ]]&gt; “fire”" in text(named(root, "Placemark")[0], "description")


def test_proposals_that_are_not_flown_are_left_out(tmp_path: Path) -> None:
    root = written(tmp_path)  # three drops, of which two are flown
    assert len(named(root, "Point")) == 2


@pytest.mark.parametrize(
    ("count", "footprints", "points", "said"),
    [(240, True, 240, None), (260, False, 260, "Footprints are left out"), (520, False, 520, "one placemark")],
)
def test_a_large_plan_stays_under_the_most_features(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, footprints: bool, points: int, said: str | None
) -> None:
    monkeypatch.setattr(kml_gpx_geojson, "MOST_FEATURES", 500)
    whole, drops = many(count)
    root = written(tmp_path, project=whole, drops=drops, baseline=False)
    about = text(named(root, "Document")[0], "description")
    assert features(root) < 500
    assert len(named(root, "Point")) == points
    assert any("footprints" in text(folder, "name") for folder in named(root, "Folder")) is footprints
    assert ("left out" in about) is (said is not None)
    assert said is None or said in about


def test_a_plan_that_is_too_large_even_so_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kml_gpx_geojson.MOST_FEATURES == 10_000
    monkeypatch.setattr(kml_gpx_geojson, "MOST_FEATURES", 500)
    whole, drops = many(520, types=260)
    content = plan(project=whole, drops=drops)
    assert "one for each aircraft and day" in refusals(content)["kml"]
    with pytest.raises(InputError, match="export a GeoPackage"):
        export(content, ["kml", "csv"], tmp_path, "plan")
    assert list(tmp_path.iterdir()) == []


def test_coordinates_are_longitude_first_and_rings_are_closed(tmp_path: Path) -> None:
    root = written(tmp_path)
    for ring in named(root, "LinearRing"):
        points = np.array([part.split(",") for part in text(ring, "coordinates").split()], np.float64)
        assert np.array_equal(points[0], points[-1])
        assert (points[:, 0] < -122.9).all() and (points[:, 1] > 39.7).all()

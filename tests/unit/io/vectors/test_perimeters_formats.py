"""Perimeters as the incident's GIS hands them over: formats, names of dates, growth, and what has to be mended."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import shapely

from firegui.errors import CancelledError, InputError, Problems
from firegui.io.crs import transformer
from firegui.io.vectors.dates import find_dates
from firegui.io.vectors.perimeter_survey import survey_perimeters
from firegui.io.vectors.perimeters import PerimeterGrowth, Perimeters, PerimeterSource, read_perimeters
from tests.support import stop
from tests.unit.io.builders import PLACED, SHARED_DATA
from tests.unit.io.vectors.test_perimeters import DATES, TWO, box, write

WHOLE = [box((0, 2), (0, 2)), box((0, 3), (0, 3)), box((0, 4), (0, 5))]
THREE = ["2020-08-19", "2020-08-20", "2020-08-21"]


def read(file: Path, **more: Any) -> Perimeters:
    return read_perimeters(PerimeterSource(file, **more), PLACED)


def refused(file: Path, **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        read(file, **more)
    return str(caught.value)


@pytest.mark.parametrize("suffix", [".shp", ".gpkg", ".geojson", ".kml"])
def test_every_format_gives_the_same_fire(tmp_path: Path, suffix: str) -> None:
    lonlat = [
        shapely.transform(shape, transformer("EPSG:32610", "EPSG:4326").transform, interleaved=False) for shape in TWO
    ]
    folder = tmp_path / "Feuer über Käsewil — 火"
    folder.mkdir()
    found = read(write(folder / f"perimeter no 1{suffix}", list(lonlat), DATES, "EPSG:4326"))
    assert found.dates == (date(2020, 8, 19), date(2020, 8, 20))
    assert found.masks.sum(axis=(1, 2)).tolist() == [9, 13]


def kml(*placemarks: str) -> str:
    body = "".join(placemarks)
    return f'<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>{body}</Document></kml>'


def placemark(shape: Any, inside: str) -> str:
    ring = shapely.transform(shape, transformer("EPSG:32610", "EPSG:4326").transform, interleaved=False).exterior
    corners = " ".join(f"{x:.9f},{y:.9f},0" for x, y in ring.coords)
    outline = f"<LinearRing><coordinates>{corners}</coordinates></LinearRing>"
    polygon = f"<Polygon><outerBoundaryIs>{outline}</outerBoundaryIs></Polygon>"
    label = "<Point><coordinates>-123,39.7</coordinates></Point>"
    return f"<Placemark>{inside}<MultiGeometry>{label}{polygon}</MultiGeometry></Placemark>"


@pytest.mark.parametrize(
    "dates",
    [
        (
            "<TimeStamp><when>2020-08-19T20:00:00Z</when></TimeStamp>",
            "<TimeStamp><when>2020-08-20T20:00:00Z</when></TimeStamp>",
        ),
        ("<TimeSpan><begin>2020-08-19</begin></TimeSpan>", "<TimeSpan><begin>2020-08-20</begin></TimeSpan>"),
        ("<name>Bear IR 2020-08-19 0230</name>", "<name>Bear IR 2020-08-20 0215</name>"),
        ("<name>Aug 19, 2020</name>", "<name>Aug 20, 2020</name>"),
    ],
)
def test_kml_says_its_dates_in_stamps_spans_or_names_and_may_have_points_beside_its_polygons(
    tmp_path: Path, dates: tuple[str, str]
) -> None:
    path = tmp_path / "fire.kml"
    path.write_text(kml(placemark(TWO[1], dates[0]), placemark(TWO[0], dates[1])), encoding="utf-8")
    found = read(path)
    assert found.dates == (date(2020, 8, 19), date(2020, 8, 20))
    assert found.masks.sum(axis=(1, 2)).tolist() == [9, 13]


@pytest.mark.parametrize(
    "fields",
    [
        {"DATE_CUR": ["8/20/2020 11:30:00 PM", "8/19/2020 2:00:00 AM"]},
        {"poly_DateCurrent": np.array([1597968000000, 1597881600000])},  # 00:00 UTC on 21 and 20 August
        {"perDatTime": ["8/8/2020 1:00:00 AM", "8/7/2020 11:00:00 PM"]},
        {"CreateDate": np.array(["2020-08-20T10:00", "2020-08-19T10:00"], "datetime64[ms]")},
        {"CreateDate": ["2020-09-01", "2020-09-02"], "DateCurrent": ["2020-08-20", "2020-08-19"]},
        {"FireDiscoveryDateTime": ["2020-08-17", "2020-08-17"], "poly_PolygonDateTime": ["2020-08-20", "2020-08-19"]},
        {"Name": ["Bear_20200820_2315", "Bear_20200819_0100"], "acres": [1.0, 2.0]},
        {"DateModified": ["2020-09-09", "2020-09-09"], "map_name": ["IR 08/20/2020", "IR 08/19/2020"]},
    ],
)
def test_dates_are_found_under_the_names_that_the_services_use(
    tmp_path: Path, fields: Mapping[str, Sequence[Any]]
) -> None:
    found = read(write(tmp_path / "p.gpkg", TWO, fields))
    days = {"perDatTime": (7, 8)}.get(next(iter(fields)), (19, 20))
    assert found.dates == tuple(date(2020, 8, day) for day in days)


def test_times_in_utc_become_local_days(tmp_path: Path) -> None:
    path = write(tmp_path / "p.gpkg", TWO, {"DateCurrent": ["2020-08-20T05:00:00+00:00", "2020-08-19T05:00:00+00:00"]})
    found = read(path, utc_offset_h=-7.0)
    assert found.dates == (date(2020, 8, 18), date(2020, 8, 19))
    assert any("brought to local time, -7 hours" in note for note in found.notes)
    assert read(path, utc_offset_h=0.0).dates == (date(2020, 8, 19), date(2020, 8, 20))


def test_the_column_of_dates_may_be_chosen(tmp_path: Path) -> None:
    path = write(
        tmp_path / "p.gpkg", TWO, {"Date": ["2020-08-20", "2020-08-19"], "FlightDate": ["2020-08-22", "2020-08-21"]}
    )
    assert read(path).dates == (date(2020, 8, 19), date(2020, 8, 20))
    assert read(path, date_column="flightdate").dates == (date(2020, 8, 21), date(2020, 8, 22))
    assert "'area' holds no dates" in refused(path, date_column="area")
    assert survey_perimeters(PerimeterSource(path)).columns == ("Date", "FlightDate")


def test_one_date_for_all_is_kept_where_nothing_else_tells_the_day(tmp_path: Path) -> None:
    columns = {
        "Date": np.array(["2020-08-19"] * 2, object),
        "CreateDate": np.array(["2020-09-01", "2020-09-02"], object),
    }
    found = find_dates(columns, 2, "p", Problems(), None, 0.0)
    assert found is not None and found.column == "Date"


def test_whole_perimeters_are_recognised_and_stand_as_they_were_mapped(tmp_path: Path) -> None:
    shrunk = [*WHOLE[:2], shapely.difference(WHOLE[2], box((0, 1), (0, 1)))]
    path = write(tmp_path / "p.gpkg", shrunk, {"Date": THREE})
    found = read(path)
    # One of nine cells is taken back, so eight ninths are covered: still increments, which lose nothing.
    assert found.growth is PerimeterGrowth.INCREMENTS and found.masks[2, 0, 0]
    whole = read(path, growth=PerimeterGrowth.CUMULATIVE)
    assert whole.masks.sum(axis=(1, 2)).tolist() == [4, 9, 19] and not whole.masks[2, 0, 0]
    assert any("take back cells of earlier ones (1 on 2020-08-21)" in note for note in whole.notes)
    nested = read(write(tmp_path / "q.gpkg", WHOLE, {"Date": THREE}))
    assert nested.growth is PerimeterGrowth.CUMULATIVE
    assert any("whole fire of their date: every one covers at least 100 %" in note for note in nested.notes)


def test_rings_around_the_fire_of_the_day_before_are_increments(tmp_path: Path) -> None:
    rings = [WHOLE[0], shapely.difference(WHOLE[1], WHOLE[0]), shapely.difference(WHOLE[2], WHOLE[1])]
    path = write(tmp_path / "p.gpkg", rings, {"Date": THREE})
    found = read(path)
    assert found.growth is PerimeterGrowth.INCREMENTS
    assert found.masks.sum(axis=(1, 2)).tolist() == [4, 9, 20]
    assert any("daily increments and add up: one covers only 0 %" in note for note in found.notes)
    survey = survey_perimeters(PerimeterSource(path))
    assert survey.growth is PerimeterGrowth.INCREMENTS and "add up" in survey.growth_reason
    assert (survey.features, survey.dates, survey.date_column) == (3, found.dates, "Date")


def test_a_figure_of_eight_is_repaired_with_both_of_its_halves_and_it_is_said(tmp_path: Path) -> None:
    corners = [PLACED.to_world(y, x) for y, x in ((-0.5, -0.5), (-0.5, 3.5), (3.5, -0.5), (3.5, 3.5))]
    eight = shapely.Polygon([corners[0], corners[1], corners[2], corners[3]])
    assert not eight.is_valid
    found = read(write(tmp_path / "p.gpkg", [eight], {"Date": ["2020-08-19"]}))
    expected = np.zeros((6, 8), np.bool_)
    # By hand: the lobes meet in the middle of the square of four cells.
    expected[0, 0:4], expected[1, 1:3], expected[2, 1:3], expected[3, 0:4] = True, True, True, True
    assert (found.masks[0] & ~expected).sum() == 0 and found.masks[0].sum() >= 8
    assert any("1 perimeter crosses itself (feature 1) and was repaired" in note for note in found.notes)


def test_an_outline_drawn_twice_around_has_burned(tmp_path: Path) -> None:
    ring = list(box((0, 3), (0, 3)).exterior.coords)
    inner = list(box((1, 2), (1, 2)).exterior.coords)
    twice = shapely.Polygon([*ring[:-1], ring[0], *inner[:-1], inner[0], ring[0]])
    found = read(write(tmp_path / "p.gpkg", [twice], {"Date": ["2020-08-19"]}))
    assert found.masks[0, 1, 1] and found.masks.sum() == 9


def test_a_polygon_without_an_area_is_refused(tmp_path: Path) -> None:
    line = shapely.Polygon([PLACED.to_world(0, 0), PLACED.to_world(2, 2), PLACED.to_world(4, 4)])
    assert "encloses no area" in refused(write(tmp_path / "p.gpkg", [line], {"Date": ["2020-08-19"]}))


def test_of_several_layers_one_is_chosen(tmp_path: Path) -> None:
    path = write(tmp_path / "p.gpkg", TWO, DATES)
    wkb = np.array([shapely.to_wkb(shapely.Point(0, 0))], object)
    pyogrio.raw.write(
        path, wkb, [np.array([1])], ["n"], layer="camps", geometry_type="Point", crs="EPSG:32610", append=True
    )
    assert "holds 2 layers with geometry (p, camps)" in refused(path)
    assert read(path, layer="p").masks.shape[0] == 2
    assert "has no layer 'q'" in refused(path, layer="q")
    survey = survey_perimeters(PerimeterSource(path))
    assert any(
        "holds 2 layers" in str(problem) and problem.where.startswith("perimeters") for problem in survey.problems
    )


def test_what_lies_off_the_raster_is_said(tmp_path: Path) -> None:
    found = read(write(tmp_path / "p.gpkg", [box((0, 4), (-4, 4))], {"Date": ["2020-08-19"]}))
    assert any("Of the perimeters' area 50 % lies off the raster" in note for note in found.notes)


def points(path: Path, fields: Mapping[str, Sequence[Any]]) -> Path:
    features = [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-123.0 + 0.001 * n, 39.7]},
         "properties": {name: values[n] for name, values in fields.items()}}
        for n in range(len(next(iter(fields.values()))))
    ]  # fmt: skip
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def test_detections_of_a_satellite_are_no_perimeters_and_it_is_said(tmp_path: Path) -> None:
    path = points(tmp_path / "viirs.geojson", {"ACQ_DATE": ["2017-10-09", "2017-10-10"], "FRP": [1.0, 2.0]})
    text = refused(path)
    assert (
        "holds 2 points of 2017-10-09 to 2017-10-10: places where a satellite saw heat, which have no outline" in text
    )
    survey = survey_perimeters(PerimeterSource(path))
    assert not survey.ignition and "satellite" in str(survey.problems[0])
    assert survey_perimeters(PerimeterSource(points(tmp_path / "p.geojson", {"name": ["start"]}))).ignition


@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the real fires are not beside the repository (../shared/data)")
def test_the_detections_of_tubbs_are_told_from_perimeters() -> None:
    survey = survey_perimeters(PerimeterSource(SHARED_DATA / "tubbs2017" / "viirs_tubbs.shp"))
    assert "holds 1,168 points of 2017-10-09 to 2017-10-12" in str(survey.problems[0])


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("suffix", [".shp", ".dbf", ".gpkg", ".geojson", ".kml"])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, suffix: str, share: float) -> None:
    rng = np.random.default_rng(1)
    ring = np.radians(np.arange(0, 360, 2))
    shapes = [shapely.Polygon(np.column_stack([
        500_120 + (60 + 9 * rng.random(len(ring))) * np.cos(ring), 4_399_910 + 60 * np.sin(ring)
    ])) for _ in range(12)]  # fmt: skip
    lonlat = shapely.transform(np.array(shapes), transformer("EPSG:32610", "EPSG:4326").transform, interleaved=False)
    base = tmp_path / f"p{'.shp' if suffix == '.dbf' else suffix}"
    write(base, list(lonlat), {"Date": [f"2020-08-{day:02d}" for day in range(10, 22)]}, "EPSG:4326")
    victim = base.with_suffix(suffix)
    data = victim.read_bytes()
    victim.write_bytes(data[: int(len(data) * share)])
    assert "p." in refused(base)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("p.shp", b"a text", "it is not a shapefile, GeoPackage, GeoJSON or KML"),
        ("p.kmz", b"PK\x03\x04....", "is a zip archive"),
        ("p.geojson", b"", "the file is empty"),
        ("p.gpkg", b"SQLite format 3\0" + bytes(500), "cannot be read as vector data"),
        ("p.kml", b"<html></html>", "it is not a shapefile"),
        ("p.vrt", b"<OGRVRTDataSource></OGRVRTDataSource>", "it is not a shapefile"),
    ],
)
def test_a_file_that_is_something_else_is_named(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(data)
    assert said in refused(tmp_path / name)
    survey = survey_perimeters(PerimeterSource(tmp_path / name))
    assert survey.problems and all(problem.where.startswith("perimeters") for problem in survey.problems)


def test_degrees_that_are_none_are_taken_for_a_wrong_crs(tmp_path: Path) -> None:
    assert "these are not degrees" in refused(write(tmp_path / "p.gpkg", TWO, DATES, "EPSG:4326"))
    latitude_first = [shapely.box(39.70, -123.01, 39.75, -122.99), shapely.box(39.71, -123.0, 39.72, -122.99)]
    swapped = refused(write(tmp_path / "swapped.gpkg", latitude_first, DATES, "EPSG:4326"))
    assert "longitude comes first: the two seem to be exchanged" in swapped and "no degrees" not in swapped


@pytest.mark.parametrize("suffix", [".shx", ".dbf", ".prj", ".cpg"])
def test_a_pipe_beside_a_shapefile_is_not_waited_for(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / "p.shp", TWO, DATES)
    path.with_suffix(suffix).unlink(missing_ok=True)
    os.mkfifo(path.with_suffix(suffix))
    assert f"p{suffix}: is a pipe or a device" in refused(path)


def test_a_shapefile_needs_the_files_beside_it(tmp_path: Path) -> None:
    path = write(tmp_path / "p.shp", TWO, DATES)
    (tmp_path / "p.dbf").unlink()
    (tmp_path / "p.shx").unlink()
    assert "its .shx and its .dbf file is not beside it" in refused(path)


def test_reading_stops_when_it_is_told_to(tmp_path: Path) -> None:
    with pytest.raises(CancelledError):
        read_perimeters(write(tmp_path / "p.gpkg", TWO, DATES), PLACED, stop)


@pytest.mark.parametrize(
    "name",
    [
        "FireDiscoveryDateTime",
        "Ig_Date",
        "ALARM_DATE",
        "attr_ContainmentDateTime",
        "FireDiscov",
        "attr_FireD",
        "attr_Contr",
    ],
)
def test_a_date_of_the_whole_incident_is_no_day_of_a_perimeter_unless_it_is_asked_for(
    tmp_path: Path, name: str
) -> None:
    path = write(tmp_path / "final.gpkg", TWO[:1], {name: ["2020-08-17"]})
    said = refused(path)
    assert f"its only date is {name}" in said and f"--perimeters-date {name}" in said
    survey = survey_perimeters(PerimeterSource(path))
    assert survey.columns == (name,) and survey.problems
    assert read(path, date_column=name).dates == (date(2020, 8, 17),)


def test_the_date_in_the_name_of_a_file_counts_where_no_column_has_one(tmp_path: Path) -> None:
    path = write(tmp_path / "bear_ir_20200820_0230.gpkg", TWO[:1], {"Acres": [12.0]})
    found = read(path)
    assert found.dates == (date(2020, 8, 20),)
    assert "taken from the name of bear_ir_20200820_0230.gpkg" in " ".join(found.notes)
    assert survey_perimeters(PerimeterSource(path)).dates == found.dates
    with_column = write(tmp_path / "x_2020-08-25.gpkg", TWO[:1], {"Date": ["2020-08-20"]})
    assert read(with_column).dates == found.dates

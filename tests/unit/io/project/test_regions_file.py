from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from firegui.domain.regions import Region
from firegui.errors import InputError
from firegui.io.crs import transformer
from firegui.io.project.regions_file import read_regions, write_regions_geojson, write_regions_toml
from firegui.io.rasters.masks import region_masks
from tests.unit.io.builders import BEAR_GRID, PLACED, UNPLACED, files_below, project, refused_for, said


def lonlat_box(rows: tuple[float, float], columns: tuple[float, float]) -> list[list[float]]:
    change = transformer(str(PLACED.crs), "EPSG:4326")
    corners = [
        (rows[0], columns[0]),
        (rows[1], columns[0]),
        (rows[1], columns[1]),
        (rows[0], columns[1]),
        (rows[0], columns[0]),
    ]
    return [list(change.transform(*PLACED.to_world(r - 0.5, c - 0.5))) for r, c in corners]


def feature(geometry: Any, **properties: Any) -> dict[str, Any]:
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def polygon(*rings: Any) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": list(rings)}


def collection(*features: Any, **members: Any) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": list(features), **members}


def geojson(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def toml(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_and_columns_are_half_open_cells(tmp_path: Path) -> None:
    path = toml(tmp_path / "r.toml", '[[region]]\nname = "R1"\nrows = [0, 2]\ncolumns = [3, 8]\n')
    regions = read_regions(path, UNPLACED)
    assert regions == (Region.rectangle("R1", (0, 2), (3, 8)),)
    assert region_masks(regions, UNPLACED.shape)[0].sum() == 10


def test_polygons_in_cells_and_weights_are_read(tmp_path: Path) -> None:
    text = """
    [[region]]
    name = "a"
    weight = 2
    polygon = [[0, 0], [0, 4], [4, 4.5]]
    [[region]]
    name = "b"
    polygons = [[[[0, 0], [0, 4], [4, 4]], [[1, 1], [1, 2], [2, 2]]], [[[5, 5], [5, 6], [6, 6]]]]
    """
    first, second = read_regions(toml(tmp_path / "r.toml", text), UNPLACED)
    assert first == Region("a", ((((0, 0), (0, 4), (4, 4.5)),),), 2.0)
    assert [len(part) for part in second.parts] == [2, 1]


def test_regions_written_as_toml_read_back_equal(tmp_path: Path) -> None:
    regions = project().regions
    write_regions_toml(regions, tmp_path / "r.toml")
    assert read_regions(tmp_path / "r.toml", PLACED) == regions
    assert "rows = [0.0, 3.0]" in (tmp_path / "r.toml").read_text()
    assert files_below(tmp_path) == {"r.toml"}


def test_regions_written_as_geojson_cover_the_same_cells_when_read_back(tmp_path: Path) -> None:
    regions = project().regions
    write_regions_geojson(regions, tmp_path / "r.geojson", PLACED)
    again = read_regions(tmp_path / "r.geojson", PLACED)
    assert [(r.name, r.weight) for r in again] == [(r.name, r.weight) for r in regions]
    assert np.array_equal(region_masks(again, PLACED.shape), region_masks(regions, PLACED.shape))
    for one, other in zip(regions, again, strict=True):
        assert other.bounds == pytest.approx(one.bounds, abs=1e-6)


def test_the_papers_regions_survive_geojson_on_bears_grid(tmp_path: Path) -> None:
    regions = [Region.rectangle("R2", (201, 549), (450, 744)), Region.rectangle("R3", (550, 618), (0, 744))]
    write_regions_geojson(regions, tmp_path / "r.geojson", BEAR_GRID)
    masks = region_masks(read_regions(tmp_path / "r.geojson", BEAR_GRID), BEAR_GRID.shape)
    assert [int(mask.sum()) for mask in masks] == [102_312, 50_592]


def test_written_geojson_is_longitude_latitude_with_outer_rings_counter_clockwise(tmp_path: Path) -> None:
    write_regions_geojson(project().regions, tmp_path / "r.geojson", PLACED)
    document = json.loads((tmp_path / "r.geojson").read_text())
    assert document["type"] == "FeatureCollection" and "crs" not in document
    for item in document["features"]:
        shape = shapely.geometry.shape(item["geometry"])
        assert -124 < shape.bounds[0] < -122 and 39 < shape.bounds[1] < 40
        for part in getattr(shape, "geoms", [shape]):
            assert part.exterior.is_ccw and not any(ring.is_ccw for ring in part.interiors)


def test_polygons_multipolygons_and_collections_are_read(tmp_path: Path) -> None:
    one, two = lonlat_box((0, 2), (0, 2)), lonlat_box((3, 5), (3, 5))
    document = collection(
        feature(polygon(one), name="a", weight=3),
        feature({"type": "MultiPolygon", "coordinates": [[one], [two]]}, NAME="b"),
        feature({"type": "GeometryCollection", "geometries": [polygon(two)]}),
    )
    regions = read_regions(geojson(tmp_path / "r.json", document), PLACED)
    assert [(r.name, r.weight) for r in regions] == [("a", 3.0), ("b", 1.0), ("Region 3", 1.0)]
    assert [int(mask.sum()) for mask in region_masks(regions, PLACED.shape)] == [4, 8, 4]
    assert len(read_regions(geojson(tmp_path / "bare.json", polygon(one)), PLACED)) == 1


def test_an_older_file_in_another_crs_is_honoured(tmp_path: Path) -> None:
    corners = [(0, 0), (2, 0), (2, 2), (0, 2), (0, 0)]
    ring = [list(PLACED.to_world(r - 0.5, c - 0.5)) for r, c in corners]
    name = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32610"}}
    path = geojson(tmp_path / "r.geojson", collection(feature(polygon(ring), name="a"), crs=name))
    (region,) = read_regions(path, PLACED)
    assert region.as_rectangle is not None
    assert region_masks([region], PLACED.shape)[0].sum() == 4


def test_coordinates_that_are_no_longitude_and_latitude_are_a_crs_mismatch(tmp_path: Path) -> None:
    ring = [[500000, 4400000], [500060, 4400000], [500060, 4399940], [500000, 4400000]]
    with pytest.raises(InputError, match="is not a longitude and a latitude — likely a CRS mismatch"):
        read_regions(geojson(tmp_path / "r.geojson", polygon(ring)), PLACED)


def test_a_region_off_the_grid_is_refused(tmp_path: Path) -> None:
    ring = [[10, 10], [11, 10], [11, 11], [10, 10]]
    with pytest.raises(InputError, match=r"lies outside the grid .* check its CRS"):
        read_regions(geojson(tmp_path / "r.geojson", feature(polygon(ring), name="far")), PLACED)
    text = '[[region]]\nname = "far"\nrows = [6, 9]\ncolumns = [0, 2]\n'
    with pytest.raises(InputError, match="region far: lies outside the grid"):
        read_regions(toml(tmp_path / "r.toml", text), PLACED)


def test_geojson_needs_a_grid_with_a_place(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no place on the map"):
        read_regions(geojson(tmp_path / "r.geojson", polygon(lonlat_box((0, 2), (0, 2)))), UNPLACED)
    with pytest.raises(InputError, match="has no place on the map"):
        write_regions_geojson(project().regions, tmp_path / "out.geojson", UNPLACED)
    assert files_below(tmp_path) == {"r.geojson"}


def test_a_region_with_a_corner_off_the_earth_is_not_written(tmp_path: Path) -> None:
    far = Region.rectangle("far", (0, 1e12), (0, 1e12))
    with pytest.raises(InputError, match="region far: has a corner with no longitude and latitude"):
        write_regions_geojson([far], tmp_path / "r.geojson", PLACED)
    assert files_below(tmp_path) == set()


def test_every_problem_of_a_toml_file_is_reported_at_once(tmp_path: Path) -> None:
    text = """
    title = "x"
    [[region]]
    name = "empty"
    rows = [5, 5]
    columns = [3, 1]
    [[region]]
    rows = [0, 2]
    columns = [0]
    [[region]]
    name = "both"
    rows = [0, 2]
    columns = [0, 2]
    polygon = [[0, 0], [1, 1], [2, 0]]
    [[region]]
    name = "nowhere"
    weight = "heavy"
    [[region]]
    name = "line"
    polygon = [[0, 0], [1, 1]]
    [[region]]
    name = "off"
    weight = -1
    rows = [99, 100]
    columns = [0, 1]
    """
    with refused_for(
        "title is not known",
        "region 1: rows [5.0, 5.0] is empty",
        "region 1: columns [3.0, 1.0] is empty",
        "region 2: name is missing",
        "region 2: columns",
        "region 3: needs rows with columns, or polygon",
        "region 4: weight",
        "region 4: needs rows",
        "region line: a polygon needs at least three corners",
        "region off: weight is -1",
        "region off: lies outside the grid",
    ):
        read_regions(toml(tmp_path / "r.toml", text), PLACED)


def test_every_problem_of_a_geojson_file_is_reported_at_once(tmp_path: Path) -> None:
    good = lonlat_box((0, 2), (0, 2))
    document = collection(
        feature(polygon(good), name="twice"),
        feature(polygon(good), name="twice"),
        feature({"type": "Point", "coordinates": [0, 0]}),
        feature(polygon(good[:-1]), name="open"),
        feature(polygon([["a", 1], [2, 3], [4, 5], ["a", 1]]), name="text"),
        feature(None, name="none"),
        feature(polygon(good), name="w", weight="much"),
        {"type": "Topology"},
    )
    with refused_for(
        "name twice is used 2 times",
        "feature 3 (Region 3): is Point",
        "feature 4 (open): a ring",
        "feature 5 (text): a ring",
        "feature 6 (none): is without a geometry",
        "feature 7 (w): weight is 'much'",
        "holds Topology",
    ) as caught:
        read_regions(geojson(tmp_path / "r.geojson", document), PLACED)
    assert len(said(caught.value)) == 7


@pytest.mark.parametrize(
    "content", ["", "[]", "null", '{"type": 5}', "{", '{"type": "FeatureCollection", "features": []}']
)
def test_a_file_without_regions_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "r.geojson").write_text(content)
    with pytest.raises(InputError):
        read_regions(tmp_path / "r.geojson", PLACED)


def test_a_missing_file_and_an_unknown_ending_are_refused(tmp_path: Path) -> None:
    for name, part in (
        ("none.geojson", "does not exist"),
        ("none.toml", "does not exist"),
        ("r.kml", "cannot hold regions"),
    ):
        with pytest.raises(InputError, match=part):
            read_regions(tmp_path / name, PLACED)


def test_a_polygon_that_crosses_itself_is_refused_with_the_place(tmp_path: Path) -> None:
    path = toml(tmp_path / "r.toml", '[[region]]\nname = "bow"\npolygon = [[0, 0], [4, 4], [0, 4], [4, 0]]\n')
    with pytest.raises(InputError) as caught:
        read_regions(path, UNPLACED)
    assert said(caught.value) == ["region bow: crosses itself near row 2, column 2 — draw it again, or split it there"]


@pytest.mark.parametrize("corner", ["[nan, 1.0]", "[1.0, inf]"])
def test_a_corner_that_is_not_a_number_is_refused(tmp_path: Path, corner: str) -> None:
    path = tmp_path / "regions.toml"
    path.write_text(f"[[region]]\nname = 'a'\npolygon = [{corner}, [1.0, 9.5], [8.5, 9.5], [8.5, 1.0]]\n")
    with pytest.raises(InputError, match="a corner is not a number"):
        read_regions(path, UNPLACED)


def test_a_corner_beyond_all_sense_is_read_without_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "far.toml"
    corners = "[1.0, 1.0], [1.0, 4.0], [4.0, 1e308], [1e308, -1e308], [4.0, 1.0]"
    path.write_text(f'[[region]]\nname = "far"\npolygon = [{corners}]\n', encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [region.name for region in read_regions(path, PLACED)] == ["far"]


def test_rings_that_touch_and_holes_pass(tmp_path: Path) -> None:
    touching = "[[0, 0], [0, 2], [2, 2], [2, 4], [4, 4], [4, 2], [2, 2], [2, 0]]"
    holed = "[[[[0, 0], [0, 6], [6, 6], [6, 0]], [[1, 1], [1, 2], [2, 2], [2, 1]]]]"
    text = f'[[region]]\nname = "a"\npolygon = {touching}\n[[region]]\nname = "b"\npolygons = {holed}\n'
    assert [region.name for region in read_regions(toml(tmp_path / "r.toml", text), UNPLACED)] == ["a", "b"]


@pytest.mark.parametrize(
    ("geometry", "what"),
    [
        ({"type": "GeometryCollection", "geometries": 7}, "without a plain list"),
        ({"type": "GeometryCollection", "geometries": [{"type": "GeometryCollection"}]}, "nested in another"),
        (polygon([[10**400, 1], [2, 2], [3, 1], [10**400, 1]]), "not a closed list"),
        (polygon([[1, 1], [2, 2], [3, 1], [1.5, 1]]), "not a closed list"),
    ],
)
def test_odd_geometries_are_refused_without_a_traceback(tmp_path: Path, geometry: Any, what: str) -> None:
    path = geojson(tmp_path / "r.geojson", collection(feature(geometry, name="odd")))
    with pytest.raises(InputError, match=what):
        read_regions(path, PLACED)

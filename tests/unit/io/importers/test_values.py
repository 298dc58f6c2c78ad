"""Values at risk from tables, vector files and rasters: sums on the grid, and every kind of bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import shapely
from pyproj import Transformer

from firegui.domain.grid import Grid
from firegui.io.georeference import WGS84
from firegui.io.importers.values import RasterMeaning, ValueSource, read_values
from firegui.io.rasters.geotiff import write_raster
from tests.unit.io.builders import PLACED, UNPLACED, refused_for

GRID = Grid(20, 30, 30.0, PLACED.transform, PLACED.crs)
assert GRID.transform is not None
WEST, NORTH = GRID.transform[2], GRID.transform[5]


def at(row: float, column: float) -> tuple[float, float]:
    """Easting and northing of corner coordinates."""
    return WEST + 30.0 * column, NORTH - 30.0 * row


def lonlat(row: float, column: float) -> tuple[float, float]:
    lon, lat = Transformer.from_crs(GRID.crs, WGS84, always_xy=True).transform(*at(row, column))
    return float(lon), float(lat)


def square(row: float, column: float, size: float) -> shapely.Polygon:
    return shapely.Polygon(
        [at(row, column), at(row, column + size), at(row + size, column + size), at(row + size, column)]
    )


def table(path: Path, rows: list[tuple[Any, ...]], header: str = "lon,lat,people") -> Path:
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def vector(path: Path, shapes: list[Any], kind: str, crs: str | None = "EPSG:32610", **columns: Any) -> Path:
    values = [np.asarray(column) for column in columns.values()]
    wkb = shapely.to_wkb(np.array(shapes, object))
    pyogrio.raw.write(path, wkb, values, list(columns), driver="GPKG", geometry_type=kind, crs=crs)
    return path


def raster(path: Path, values: Any, cell: float, row: float = 0.0, column: float = 0.0, crs: str | None = None) -> Path:
    x, y = at(row, column)
    rows, columns = np.shape(values)
    grid = Grid(rows, columns, cell, (cell, 0.0, x, 0.0, -cell, y), crs or GRID.crs)
    write_raster(path, np.asarray(values, np.float32), grid)
    return path


def test_points_of_a_table_count_in_the_cell_in_which_they_lie(tmp_path: Path) -> None:
    rows = [(*lonlat(3.5, 7.5), 4), (*lonlat(3.1, 7.9), 2.5), (*lonlat(19.9, 29.9), 1), (*lonlat(-5.0, 3.0), 2.5)]
    found = read_values(ValueSource(table(tmp_path / "people.csv", rows), column="people", weight=2.0), GRID)
    cells = np.zeros(GRID.shape)
    cells[3, 7], cells[19, 29] = 6.5, 1.0
    np.testing.assert_allclose(found.layer.cells, cells)
    assert (found.layer.name, found.layer.terms.weight, found.layer.terms.total) == ("people", 2.0, 7.5)
    assert found.notes == ("25 % of the values lies off the grid and is left out.",)


def test_a_table_in_the_projects_coordinates_counts_each_row_once_or_by_its_weight(tmp_path: Path) -> None:
    rows = [(*at(2.5, 2.5), 3.0), (*at(2.5, 2.5), 4.0)]
    once = read_values(
        ValueSource(table(tmp_path / "homes.csv", rows, "easting;northing;size".replace(";", ","))), GRID
    )
    assert once.layer.cells[2, 2] == 2.0
    assert "Every feature counts 1." in once.notes
    weighed = read_values(ValueSource(table(tmp_path / "homes.csv", rows, "x,y,Value")), GRID)
    assert weighed.layer.cells[2, 2] == 7.0
    assert "Values are those of the column Value." in weighed.notes


def test_points_of_a_geojson_and_of_a_geopackage_count_alike(tmp_path: Path) -> None:
    points = [((4.5, 4.5), 3.0), ((9.5, 2.5), 2.0)]
    features = [
        {"type": "Feature", "properties": {"weight": weight},
         "geometry": {"type": "Point", "coordinates": list(lonlat(*place))}} for place, weight in points
    ]  # fmt: skip
    path = tmp_path / "homes.geojson"
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
    shapes = [shapely.Point(at(*place)) for place, _ in points]
    package = vector(tmp_path / "homes.gpkg", shapes, "Point", weight=[weight for _, weight in points])
    one, other = (read_values(ValueSource(each), GRID).layer for each in (path, package))
    assert one.cells[4, 4] == 3.0 and one.terms.total == 5.0
    np.testing.assert_allclose(one.cells, other.cells)


def test_a_polygon_is_spread_over_the_cells_whose_centres_lie_inside(tmp_path: Path) -> None:
    shapes = [square(2.0, 3.0, 2.0), square(10.6, 10.6, 0.2), square(18.0, 28.0, 4.0)]
    path = vector(tmp_path / "stands.gpkg", shapes, "Polygon", value=[8.0, 5.0, 16.0])
    found = read_values(ValueSource(path), GRID)
    np.testing.assert_allclose(found.layer.cells[2:4, 3:5], 2.0)
    assert found.layer.cells[10, 10] == 5.0
    np.testing.assert_allclose(found.layer.cells[18:, 28:], 1.0)  # a quarter of its area is on the grid
    assert found.layer.terms.total == pytest.approx(17.0)
    assert any("off the grid" in note for note in found.notes)


def test_the_parts_of_a_multipoint_share_its_value(tmp_path: Path) -> None:
    path = vector(tmp_path / "two.gpkg", [shapely.MultiPoint([at(1.5, 1.5), at(2.5, 2.5)])], "MultiPoint", value=[3.0])
    found = read_values(ValueSource(path), GRID).layer
    assert found.cells[1, 1] == found.cells[2, 2] == 1.5


def test_a_raster_with_the_cells_of_the_grid_is_copied(tmp_path: Path) -> None:
    values = np.random.default_rng(1).random((8, 9)).astype(np.float32)
    found = read_values(ValueSource(raster(tmp_path / "habitat.tif", values, 30.0, 4.0, 5.0)), GRID).layer
    np.testing.assert_array_equal(found.cells[4:12, 5:14], values)
    assert found.cells.sum(dtype=np.float64) == pytest.approx(values.sum(dtype=np.float64))


@pytest.mark.parametrize("cell", [7.0, 30.0, 100.0])
def test_counts_keep_their_sum_on_another_grid(cell: float, tmp_path: Path) -> None:
    values = np.random.default_rng(2).integers(0, 9, (4, 5))
    path = raster(tmp_path / "people.tif", values, cell, 3.3, 4.4)
    found = read_values(ValueSource(path, meaning=RasterMeaning.COUNTS), GRID)
    assert found.layer.terms.total == pytest.approx(float(values.sum()), rel=1e-6)
    assert "Counts are summed by cell." in found.notes


def test_counts_of_large_cells_are_spread_by_area_and_those_off_the_grid_are_left_out(tmp_path: Path) -> None:
    path = raster(tmp_path / "people.tif", [[16.0, 32.0]], 60.0, 0.0, 27.0)
    found = read_values(ValueSource(path, meaning=RasterMeaning.COUNTS), GRID).layer
    np.testing.assert_allclose(found.cells[:2, 27:], [[4.0, 4.0, 8.0], [4.0, 4.0, 8.0]])


def test_densities_are_averaged(tmp_path: Path) -> None:
    values = np.zeros((6, 6))
    values[:2, :2] = 4.0
    path = raster(tmp_path / "cover.tif", values, 15.0, 2.0, 2.0)
    found = read_values(ValueSource(path, meaning=RasterMeaning.DENSITIES), GRID)
    assert found.layer.cells[2, 2] == pytest.approx(4.0)
    assert found.layer.terms.total == pytest.approx(4.0)


def test_no_data_is_no_value(tmp_path: Path) -> None:
    values = np.full((20, 30), np.nan)  # files of this house say that NaN is no data
    values[5, 5] = 2.0
    assert read_values(ValueSource(raster(tmp_path / "homes.tif", values, 30.0)), GRID).layer.terms.total == 2.0


def test_a_raster_on_other_cells_must_say_what_its_numbers_are(tmp_path: Path) -> None:
    path = raster(tmp_path / "people.tif", np.ones((4, 4)), 50.0)
    with refused_for("counts or densities", "--cells counts"):
        read_values(ValueSource(path), GRID)


@pytest.mark.parametrize(
    ("value", "what"),
    [("nan", "not a number"), ("inf", "infinite"), ("-2", "below 0"), ("0", "every value is 0"), ("many", "row 2")],
)
def test_a_table_with_a_bad_value_is_refused(value: str, what: str, tmp_path: Path) -> None:
    path = table(tmp_path / "people.csv", [(*lonlat(1.0, 1.0), value)])
    with refused_for("people.csv", what):
        read_values(ValueSource(path, column="people"), GRID)


@pytest.mark.parametrize(("value", "what"), [(np.inf, "infinite"), (-1.0, "below 0"), (0.0, "every value is 0")])
def test_a_raster_with_bad_values_is_refused(value: float, what: str, tmp_path: Path) -> None:
    path = raster(tmp_path / "cover.tif", np.full((20, 30), value), 30.0)
    with refused_for("cover.tif", what):
        read_values(ValueSource(path), GRID)


def test_a_vector_file_with_bad_values_is_refused(tmp_path: Path) -> None:
    shapes = [shapely.Point(at(1.5, 1.5)), shapely.Point(at(2.5, 2.5))]
    path = vector(tmp_path / "homes.gpkg", shapes, "Point", value=[np.nan, -1.0], name=["a", "b"])
    with refused_for("1 value is not a number", "1 value is below 0"):
        read_values(ValueSource(path), GRID)
    with refused_for("the column name holds no numbers"):
        read_values(ValueSource(path, column="name"), GRID)


def test_every_problem_of_a_table_is_named_together(tmp_path: Path) -> None:
    path = table(tmp_path / "people.csv", [(1, 2)], "here,there")
    with refused_for("no columns of longitude and latitude", "no column 'people'"):
        read_values(ValueSource(path, column="people"), GRID)


def test_what_is_off_the_grid_or_without_a_place_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "people.csv", [(0.0, 51.5, 3.0)])
    with refused_for("none of its points lies on the grid", "CRS"):
        read_values(ValueSource(path, column="people"), GRID)
    with refused_for("not on the Earth"):
        read_values(ValueSource(table(tmp_path / "far.csv", [(500_000.0, 4_000_000.0, 3.0)])), GRID)
    with refused_for("no place on the map"):
        read_values(ValueSource(path), UNPLACED)
    with refused_for("does not cover the grid"):
        read_values(ValueSource(raster(tmp_path / "far.tif", np.ones((4, 4)), 30.0, 500.0, 500.0)), GRID)


def test_a_file_without_a_crs_is_refused(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="crs"):
        path = vector(tmp_path / "homes.gpkg", [shapely.Point(at(1.5, 1.5))], "Point", crs=None)
    with refused_for("does not say its CRS"):
        read_values(ValueSource(path), GRID)
    bare = tmp_path / "bare.tif"
    write_raster(bare, np.ones((4, 4), np.float32), Grid(4, 4, 30.0))
    with refused_for("does not say its CRS"):
        read_values(ValueSource(bare), GRID)


def test_lines_and_files_of_another_kind_are_refused(tmp_path: Path) -> None:
    with refused_for("holds lines", "points or polygons"):
        read_values(ValueSource(vector(
            tmp_path / "road.gpkg", [shapely.LineString([at(1, 1), at(2, 2)])], "LineString"
        )), GRID)  # fmt: skip
    other = tmp_path / "photo.png"
    other.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    with refused_for("cannot be read as vector data"):
        read_values(ValueSource(other), GRID)
    with refused_for("does not exist"):
        read_values(ValueSource(tmp_path / "missing.gpkg"), GRID)
    empty = tmp_path / "empty.csv"
    empty.write_text("lon,lat\n", encoding="utf-8")
    with refused_for("holds no row"):
        read_values(ValueSource(empty), GRID)

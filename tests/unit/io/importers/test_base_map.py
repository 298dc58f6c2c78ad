"""Rasters and vector files as base maps: drawn where they belong, and one message for what cannot be one."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import rasterio
import shapely
from numpy.typing import NDArray
from pyproj import CRS
from rasterio import Affine

from firegui.domain.grid import Grid
from firegui.errors import InputError
from firegui.io.crs import transformer
from firegui.io.importers.base_map import RasterBaseMap, VectorBaseMap, draw_base_map, open_base_map
from tests.unit.io.rasters.test_mbtiles import write_tiles

GRID = Grid(40, 60, 30.0, (30.0, 0.0, 500_000.0, 0.0, -30.0, 4_500_000.0), "EPSG:32610")
WHOLE = (0.0, 0.0, 40.0, 60.0)
SIZE = (80, 120)
CELL = Affine(30.0, 0.0, 500_000.0, 0.0, -30.0, 4_500_000.0)


def write_raster(path: Path, values: NDArray[Any], transform: Affine = CELL, **options: Any) -> Path:
    colors = options.pop("colormap", None)
    shape = {"count": values.shape[0], "height": values.shape[1], "width": values.shape[2]}
    options = {"crs": GRID.crs, **options}
    with rasterio.open(path, "w", driver="GTiff", dtype=values.dtype, transform=transform, **shape, **options) as file:
        file.write(values)
        if colors is not None:
            file.write_colormap(1, colors)
    return path


def write_vector(path: Path, shapes: list[Any], crs: str | None = "EPSG:32610", layer: str = "lines") -> Path:
    wkb = shapely.to_wkb(np.array(shapes, object))
    kinds = {shape.geom_type for shape in shapes}
    kind = kinds.pop() if len(kinds) == 1 else "Unknown"
    driver = "GPKG" if path.suffix == ".gpkg" else "GeoJSON"
    with warnings.catch_warnings():
        # A file without a CRS is one of the cases.
        warnings.simplefilter("ignore", UserWarning)
        pyogrio.raw.write(
            path, wkb, [], [], geometry_type=kind, crs=crs, driver=driver, layer=layer, append=path.exists()
        )
    return path


def at(row: float, column: float) -> tuple[float, float]:
    """Coordinates of a place on the grid, in corner coordinates."""
    x, y = CELL @ (column, row)
    return float(x), float(y)


def drawn(path: Path) -> NDArray[np.uint8]:
    return draw_base_map(open_base_map(path, GRID), GRID, WHOLE, SIZE)


def test_a_picture_of_three_bytes_keeps_its_colours_and_is_empty_beyond_its_edge(tmp_path: Path) -> None:
    values = np.zeros((3, 40, 30), np.uint8)
    values[0, :20], values[1, 20:], values[2] = 200, 100, 7
    picture = drawn(write_raster(tmp_path / "photo.tif", values))
    assert picture[10, 20].tolist() == [200, 0, 7, 255] and picture[70, 20].tolist() == [0, 100, 7, 255]
    assert not picture[:, 70:, 3].any(), "the right half of the grid has no picture"


def test_a_part_of_the_grid_is_drawn_larger(tmp_path: Path) -> None:
    values = np.zeros((3, 40, 60), np.uint8)
    values[:, 10:20, 10:20] = 250
    file = open_base_map(write_raster(tmp_path / "photo.tif", values), GRID)
    picture = draw_base_map(file, GRID, (5.0, 5.0, 25.0, 25.0), (100, 100))
    bright = picture[..., 0] > 125
    rows, columns = np.flatnonzero(bright.any(axis=1)), np.flatnonzero(bright.any(axis=0))
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == pytest.approx((25, 74, 25, 74), abs=1)


def test_numbers_are_grey_from_low_to_high_and_no_data_is_transparent(tmp_path: Path) -> None:
    values = np.linspace(1_000.0, 2_000.0, 60, dtype=np.float32)[None, None].repeat(40, axis=1)
    values[0, :10] = -9999.0
    picture = drawn(write_raster(tmp_path / "height.tif", values, nodata=-9999.0))
    assert not picture[:18, :, 3].any() and picture[22:, :, 3].all()
    grey = picture[60, :, 0].astype(int)
    assert grey[2] < 10 and grey[-3] > 245 and (np.diff(grey) >= 0).all()
    assert (picture[..., 0] == picture[..., 2]).all()


def test_categories_have_the_colours_of_their_palette(tmp_path: Path) -> None:
    values = np.ones((1, 40, 60), np.uint8)
    values[0, :, 30:] = 2
    path = write_raster(tmp_path / "fuel.tif", values, colormap={1: (10, 200, 30, 255), 2: (90, 60, 20, 255)})
    picture = drawn(path)
    assert picture[40, 20].tolist() == [10, 200, 30, 255] and picture[40, 100].tolist() == [90, 60, 20, 255]
    assert len(np.unique(picture.reshape(-1, 4), axis=0)) == 2, "colours of categories are not mixed"


def test_a_raster_in_another_crs_lies_where_it_belongs(tmp_path: Path) -> None:
    assert GRID.crs is not None
    longitude, latitude = transformer(GRID.crs, "EPSG:4326").transform(*at(20.0, 30.0))
    step = 1e-4
    transform = Affine(step, 0.0, longitude - 100 * step, 0.0, -step, latitude + 100 * step)
    values = np.zeros((3, 200, 200), np.uint8)
    values[:, 98:102, 98:102] = 255
    picture = drawn(write_raster(tmp_path / "degrees.tif", values, transform, crs="EPSG:4326"))
    row, column = np.argwhere(picture[..., 0] > 100).mean(axis=0)
    assert (row, column) == pytest.approx((40.0, 60.0), abs=1.5)


def test_lines_points_and_outlines_of_all_layers_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "places.gpkg"
    write_vector(path, [shapely.box(*at(30.0, 10.0), *at(10.0, 30.0))], layer="areas")
    write_vector(path, [shapely.Point(at(20.0, 50.0))], layer="points")
    file = open_base_map(path, GRID)
    assert isinstance(file, VectorBaseMap) and (len(file.lines), len(file.points)) == (1, 1)
    picture = draw_base_map(file, GRID, WHOLE, SIZE)
    there = picture[..., 3] == 255
    assert there[40, 20] and there[20, 40], "the outline of the area"
    assert there[40, 100], "the point"
    assert not picture[40, 40, 3] and not picture[5, 5, 3], "inside of an outline, and beyond it"


def test_a_vector_file_in_another_crs_lies_where_it_belongs(tmp_path: Path) -> None:
    assert GRID.crs is not None
    to_degrees = transformer(GRID.crs, "EPSG:4326")
    line = shapely.LineString([to_degrees.transform(*at(5.0, 15.0)), to_degrees.transform(*at(35.0, 15.0))])
    picture = drawn(write_vector(tmp_path / "road.geojson", [line], "EPSG:4326"))
    _rows, columns = np.nonzero(picture[..., 3] == 255)
    assert columns.mean() == pytest.approx(30.0, abs=1.0)


def test_map_tiles_still_are_base_maps_under_any_name(tmp_path: Path) -> None:
    grid = Grid(40, 60, 30.0, (30.0, 0.0, 0.0, 0.0, -30.0, 4_000_000.0), "EPSG:32610")
    path = write_tiles(tmp_path / "own.mbtiles").rename(tmp_path / "own.sqlite")
    assert draw_base_map(open_base_map(path, grid), grid, WHOLE, SIZE)[..., 3].mean() > 200


def _far(path: Path) -> None:
    write_raster(path, np.ones((1, 4, 4), np.uint8), Affine(30.0, 0.0, 900_000.0, 0.0, -30.0, 4_500_000.0))


def _without_place(path: Path) -> None:
    write_raster(path, np.ones((1, 4, 4), np.uint8), crs=None)


def _on_no_earth(path: Path) -> None:
    write_raster(path, np.ones((1, 4, 4), np.uint8), crs='LOCAL_CS["site",UNIT["metre",1]]')


def _beyond_numbers(path: Path) -> None:
    crs = CRS("+proj=tmerc +lon_0=-123 +k=1 +x_0=1e30 +datum=WGS84 +units=m").to_wkt()
    write_vector(path, [shapely.box(0.0, 0.0, 100.0, 100.0)], crs)


def _cut(path: Path) -> None:
    values = np.random.default_rng(1).integers(0, 255, (3, 400, 400), np.uint8)
    write_raster(path, values, CELL @ Affine.scale(0.1))
    path.write_bytes(path.read_bytes()[:5_000])


def _pointer(path: Path) -> None:
    path.write_text("<VRTDataset rasterXSize='4' rasterYSize='4'></VRTDataset>", encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "make", "said"),
    [
        ("far.tif", _far, "has nothing where the fire is"),
        ("plain.tif", _without_place, "does not say where on the Earth it lies"),
        ("site.tif", _on_no_earth, "is not a map projection"),
        ("cut.tif", _cut, "cut short or damaged"),
        ("pointer.tif", _pointer, "cannot be read as a raster"),
        ("pointer.vrt", _pointer, "is not a base map that firegui reads"),
        ("bad.geojson", lambda path: path.write_text("{", encoding="utf-8"), "cannot be read as vector data"),
        ("far.gpkg", lambda path: write_vector(path, [shapely.Point(at(900.0, 900.0))]), "nothing where the fire is"),
        ("lost.gpkg", lambda path: write_vector(path, [shapely.Point(at(9.0, 9.0))], None), "does not say its CRS"),
        ("beyond.gpkg", _beyond_numbers, "nothing where the fire is"),
        ("none.tif", lambda path: None, "does not exist"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_base_map_is_refused_with_one_message(tmp_path: Path, name: str, make: Any, said: str) -> None:
    make(tmp_path / name)
    with pytest.raises(InputError) as refused:
        draw_base_map(open_base_map(tmp_path / name, GRID), GRID, WHOLE, SIZE)
    (problem,) = refused.value.problems
    assert said in problem.what and name in problem.where and problem.remedy
    assert refused.value.title == "The base map cannot be used"


def test_a_grid_without_a_place_has_no_base_map(tmp_path: Path) -> None:
    path = write_raster(tmp_path / "photo.tif", np.ones((1, 4, 4), np.uint8))
    assert isinstance(open_base_map(path, GRID), RasterBaseMap)
    with pytest.raises(InputError, match="no coordinate system"):
        open_base_map(path, Grid(40, 60, 30.0, None, None))

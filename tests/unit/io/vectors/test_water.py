from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import rasterio
import shapely
from pyproj import Transformer

from firegui.domain.grid import Grid
from firegui.errors import InputError
from firegui.io.exporters.content import export_content
from firegui.io.exporters.table import outline_polygons
from firegui.io.rasters.geotiff import write_raster
from firegui.io.vectors.water import NEAR_M, WaterLayer, near_water, read_water, water_of_fuel
from tests.unit.io.builders import PLACED, UNPLACED, drop, project, scenario

GRID = Grid(60, 80, 30.0, PLACED.transform, PLACED.crs)
CREEK = shapely.LineString([(500_000.0, 4_399_000.0), (503_000.0, 4_399_000.0)])  # along row 33.3 in corner coordinates


def vector(path: Path, shapes: list[Any], crs: str | None = "EPSG:32610", kind: str = "LineString") -> Path:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "'crs' was not provided")
        pyogrio.raw.write(path, shapely.to_wkb(np.array(shapes)), [], [], driver="GPKG", geometry_type=kind, crs=crs)
    return path


def write_nodata(path: Path, grid: Grid, values: Any, nodata: int) -> None:
    with rasterio.open(
        path, "w", driver="GTiff", count=1, height=grid.rows, width=grid.columns, dtype="uint8", nodata=nodata,
        crs=grid.crs, transform=rasterio.Affine(*(grid.transform or ())),
    ) as file:  # fmt: skip
        file.write(values[np.newaxis])


def dropped(y: float, theta: float = 0.0, **changes: Any) -> Any:
    """A drop that comes down at column 40, with an outline of 7.4 cells along and 0.2 across to either side."""
    return drop(1, 1, landing_y=y, landing_x=40.0, theta=theta, **changes)


def close(water: WaterLayer, *drops: Any) -> list[bool | None]:
    return near_water(list(outline_polygons(drops)), water)


def test_three_hundred_feet_are_measured_from_the_outline(tmp_path: Path) -> None:
    water = read_water(vector(tmp_path / "creek.gpkg", [CREEK]), GRID)
    assert pytest.approx(91.44) == NEAR_M
    # The creek lies at 1,000 m south of the top: row 32.83 as poses count; 91.44 m and the outline are 3.27 cells.
    assert close(water, dropped(32.83 - 3.30), dropped(32.83 - 3.20), dropped(32.83 + 3.20)) == [False, True, True]
    # Across the creek's direction the outline is seven cells long on either side.
    assert close(water, dropped(32.83 - 10.3, np.pi / 2), dropped(32.83 - 10.6, np.pi / 2)) == [True, False]


def test_corners_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    corners = np.array([(500_000.0, 4_399_000.0), (np.nan, np.nan), (503_000.0, 4_399_000.0)])
    with np.errstate(invalid="ignore"):
        odd = shapely.LineString(corners)
    with pytest.raises(InputError, match=r"corners that are not a number or infinite \(feature 2\)"):
        read_water(vector(tmp_path / "creeks.gpkg", [CREEK, odd]), GRID)


def test_a_layer_in_another_crs_is_brought_onto_the_grid(tmp_path: Path) -> None:
    moved = shapely.transform(CREEK, Transformer.from_crs("EPSG:32610", "EPSG:3310", always_xy=True).transform,
                              interleaved=False)  # fmt: skip
    water = read_water(vector(tmp_path / "creek.gpkg", [moved], "EPSG:3310"), GRID)
    assert close(water, dropped(32.83 - 3.5), dropped(32.83 - 3.0)) == [False, True]


def test_the_fuel_models_water_is_water_and_other_fuels_are_not() -> None:
    fuel = np.full(GRID.shape, 93.0, np.float32)
    fuel[10, 10] = 98.0
    fuel[0, 0] = np.nan
    event = scenario(GRID, layers={"fuel": fuel}, observed=None, observed_dates=(), ignition=None)
    water = water_of_fuel(event)
    assert water is not None and "98" in water.source
    near, far = (drop(1, 1, landing_y=10.0, landing_x=x, theta=np.pi / 2) for x in (13.5, 14.0))
    assert close(water, near, far) == [True, False]
    assert water_of_fuel(scenario(GRID)) is None and close_of(None) == [None]


def close_of(water: WaterLayer | None) -> list[bool | None]:
    return near_water(list(outline_polygons([dropped(1.0)])), water)


def test_a_raster_of_another_resolution_loses_no_narrow_water(tmp_path: Path) -> None:
    fine = Grid(600, 800, 3.0, (3.0, 0.0, 500000.0, 0.0, -3.0, 4400000.0), "EPSG:32610")
    mask = np.zeros(fine.shape, np.uint8)
    mask[333, :] = 1  # one cell of 3 m, in row 33 of the grid
    write_raster(tmp_path / "river.tif", mask, fine)
    water = read_water(tmp_path / "river.tif", GRID)
    assert close(water, dropped(33.0 - 4.0), dropped(33.0 - 3.5), dropped(33.0 + 3.5)) == [False, True, True]


def test_a_grid_without_water_has_no_drop_near_it(tmp_path: Path) -> None:
    write_raster(tmp_path / "dry.tif", np.zeros(GRID.shape, np.uint8), GRID)
    assert close(read_water(tmp_path / "dry.tif", GRID), dropped(3.0)) == [False]
    write_nodata(tmp_path / "nothing.tif", GRID, np.zeros(GRID.shape, np.uint8), 0)
    assert close(read_water(tmp_path / "nothing.tif", GRID), dropped(3.0)) == [False]
    far = vector(tmp_path / "far.gpkg", [shapely.transform(CREEK, lambda points: points + 90_000.0)])
    assert close(read_water(far, GRID), dropped(3.0)) == [False]
    assert read_water(far, GRID).source == "far.gpkg, which holds no water on this grid: check its CRS"


def test_every_layer_of_a_file_is_water(tmp_path: Path) -> None:
    lake = shapely.box(501_000.0, 4_399_700.0, 501_400.0, 4_399_800.0)
    path = vector(tmp_path / "hydrography.gpkg", [lake], kind="Polygon")
    creek = shapely.to_wkb(np.array([CREEK]))
    pyogrio.raw.write(path, creek, [], [], layer="creeks", geometry_type="LineString", crs="EPSG:32610", append=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        water = read_water(path, GRID)
    assert close(water, dropped(32.0), dropped(20.0), dropped(8.0)) == [True, False, True]


def test_a_ring_that_is_not_closed_is_refused_without_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "open.geojson"
    ring = "[-122.99, 39.73], [-122.98, 39.73], [-122.98, 39.74], [-122.99, 39.74]"
    path.write_text(f'{{"type": "Polygon", "coordinates": [[{ring}]]}}', encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match="do not form a closed"):
            read_water(path, GRID)


@pytest.mark.parametrize(
    ("name", "said"),
    [("absent.gpkg", "does not exist"), ("folder", "is a folder"), ("text.gpkg", "cannot be read as a vector"),
     ("text.tif", "cannot be read as a raster"), ("bare.gpkg", "does not say its CRS"),
     ("bare.tif", "does not say its CRS"), ("elsewhere.tif", "does not cover the grid"),
     ("elsewhere0.tif", "does not cover the grid")],
)  # fmt: skip
def test_a_layer_that_cannot_be_used_is_named_with_its_trouble(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "folder").mkdir()
    for text in ("text.gpkg", "text.tif"):
        (tmp_path / text).write_text("no layer")
    vector(tmp_path / "bare.gpkg", [CREEK], None)
    write_raster(tmp_path / "bare.tif", np.ones((5, 5), np.uint8), Grid(5, 5, 30.0))
    away = Grid(60, 80, 30.0, (30.0, 0.0, 700000.0, 0.0, -30.0, 4300000.0), "EPSG:32610")
    write_nodata(tmp_path / "elsewhere.tif", away, np.ones(away.shape, np.uint8), 255)
    write_nodata(tmp_path / "elsewhere0.tif", away, np.ones(away.shape, np.uint8), 0)
    with pytest.raises(InputError, match=said) as caught:
        read_water(tmp_path / name, GRID)
    assert name in str(caught.value.problems[0])


def test_a_grid_without_a_place_takes_no_layer(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no place"):
        read_water(vector(tmp_path / "creek.gpkg", [CREEK]), UNPLACED)


def test_an_export_says_how_many_drops_are_near_water_and_how_it_knows(tmp_path: Path) -> None:
    whole = replace(project(GRID), scenario=scenario(GRID, observed=None, observed_dates=(), ignition=None))
    drops = [dropped(32.0), replace(dropped(31.0), step=40, executed=False), replace(dropped(5.0), step=20)]
    water = read_water(vector(tmp_path / "creek.gpkg", [CREEK]), GRID)
    content = export_content(whole, drops, water=water)
    assert content.near_water == 1
    assert "1 of 2 drops lie within 300 ft of water (1 of retardant), by creek.gpkg" in content.notes
    unknown = export_content(whole, drops)
    assert unknown.near_water is None and any("nobody looked for water" in note for note in unknown.notes)

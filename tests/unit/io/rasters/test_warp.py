from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from rasterio.crs import CRS

from firegui.domain.grid import Grid
from firegui.errors import CancelledError
from firegui.io import crs
from firegui.io.rasters.masks import mask_rings
from firegui.io.rasters.warp import RasterGeometry, crs_text, how_placed, needed_box, north_angle, place_on
from tests.support import stop
from tests.unit.io.builders import assert_same_bits

UTM = "EPSG:32610"
GRID = Grid(40, 50, 30.0, (30.0, 0.0, 500000.0, 0.0, -30.0, 4400000.0), UTM)


def placement(
    key: str, values: NDArray[np.float32], geometry: RasterGeometry, grid: Grid = GRID
) -> NDArray[np.float32]:
    box = needed_box(geometry, grid)
    assert box is not None
    return place_on(key, values[box[0] : box[1], box[2] : box[3]], geometry, box, grid)


def centres(grid: Grid, to: str | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Easting and northing of every cell's middle, in the grid's CRS or another."""
    rows, columns = np.mgrid[0 : grid.rows, 0 : grid.columns].astype(float)
    x, y = grid.to_world(rows, columns)
    if to is not None:
        assert grid.crs is not None
        x, y = crs.transformer(grid.crs, to).transform(x, y)
    return np.asarray(x), np.asarray(y)


def on_lie(geometry: RasterGeometry, of: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """East and north in the CRS ``of`` of the middle of every cell of a raster."""
    rows, columns = np.mgrid[0 : geometry.shape[0], 0 : geometry.shape[1]] + 0.5
    x, y = geometry.affine @ (columns, rows)
    assert geometry.crs is not None
    x, y = crs.transformer(geometry.crs, of).transform(x, y)
    return np.asarray(x), np.asarray(y)


def degrees_around(shape: tuple[int, int] = (90, 110)) -> RasterGeometry:
    """A raster in degrees that holds :data:`GRID` with room to spare, its cells a third of a second."""
    lon, lat = crs.transformer(UTM, "EPSG:4326").transform(500000.0 - 300.0, 4400000.0 + 300.0)
    return RasterGeometry(shape, (2e-4, 0.0, lon, 0.0, -2e-4, lat), "EPSG:4326")


def test_a_raster_on_the_grid_is_taken_as_it_is_bit_for_bit() -> None:
    values = np.random.default_rng(1).random(GRID.shape, np.float32)
    values[3, 4] = np.nan
    same = RasterGeometry(GRID.shape, GRID.transform, GRID.crs)
    assert_same_bits(placement("elevation", values, same), values)
    assert how_placed("elevation", same, GRID) == "as it is"


def test_a_larger_raster_with_the_same_cells_is_cut_and_one_too_small_leaves_holes() -> None:
    large = RasterGeometry((60, 60), (30.0, 0.0, 500000.0 - 150.0, 0.0, -30.0, 4400000.0 + 90.0), UTM)
    values = np.random.default_rng(1).random(large.shape, np.float32)
    assert_same_bits(placement("slope", values, large), np.ascontiguousarray(values[3:43, 5:55]))
    small = RasterGeometry((10, 20), (30.0, 0.0, 500000.0 + 60.0, 0.0, -30.0, 4400000.0 - 30.0), UTM)
    found = placement("slope", values[:10, :20], small)
    assert_same_bits(np.ascontiguousarray(found[1:11, 2:22]), np.ascontiguousarray(values[:10, :20]))
    assert np.isfinite(found).sum() == 200
    assert how_placed("slope", small, GRID) == "cut"


def test_a_raster_of_another_place_is_not_needed() -> None:
    far = RasterGeometry((10, 10), (30.0, 0.0, 600000.0, 0.0, -30.0, 4400000.0), UTM)
    assert needed_box(far, GRID) is None
    assert (
        needed_box(replace(degrees_around(), crs="EPSG:4326", transform=(1e-3, 0, 10.0, 0, -1e-3, 50.0)), GRID) is None
    )


@pytest.mark.parametrize("key", ["elevation", "slope", "canopy_cover"])
def test_numbers_from_degrees_are_bilinear_and_north_stays_up(key: str) -> None:
    geometry = degrees_around()
    east, north = on_lie(geometry, UTM)
    ramp = ((east - 500000.0) * 0.01 + (4400000.0 - north) * 0.02 + 100.0).astype(np.float32)
    found = placement(key, ramp, geometry)
    x, y = centres(GRID)
    assert np.abs(found - ((x - 500000.0) * 0.01 + (4400000.0 - y) * 0.02 + 100.0)).max() < 0.05
    assert (np.diff(found, axis=0) > 0).all() and (np.diff(found, axis=1) > 0).all()


def test_categories_are_those_of_the_nearest_cell() -> None:
    geometry = degrees_around()
    codes = np.random.default_rng(2).choice(np.array([101.0, 188.0, 98.0], np.float32), geometry.shape)
    found = placement("fuel", codes, geometry)
    assert set(np.unique(found)) == {98.0, 101.0, 188.0}
    lon, lat = centres(GRID, "EPSG:4326")
    column, row = ~geometry.affine @ (lon, lat)
    inside = np.minimum(np.abs(column - np.round(column)), np.abs(row - np.round(row))) > 0.15
    expected = codes[np.floor(row).astype(int), np.floor(column).astype(int)]
    assert inside.mean() > 0.3
    assert (found[inside] == expected[inside]).all()


def test_an_aspect_is_interpolated_as_a_direction_across_north() -> None:
    geometry = RasterGeometry((80, 100), (15.0, 0.0, 500000.0 - 7.0, 0.0, -15.0, 4400000.0 + 4.0), UTM)
    aspect = np.where(np.arange(100) % 2, 350.0, 10.0).astype(np.float32) * np.ones((80, 1), np.float32)
    found = placement("aspect", aspect, geometry)
    known = found[~np.isnan(found)]
    assert known.size > 1900
    assert (np.cos(np.deg2rad(known)) > np.cos(np.deg2rad(11.0))).all()
    assert ((known >= 0.0) & (known < 360.0)).all()


def test_flat_cells_stay_flat_and_do_not_turn_their_neighbours() -> None:
    geometry = RasterGeometry((45, 55), (30.0, 0.0, 500000.0 - 40.0, 0.0, -30.0, 4400000.0 + 40.0), UTM)
    aspect = np.full(geometry.shape, 90.0, np.float32)
    aspect[:, 27:] = -1.0
    found = placement("aspect", aspect, geometry)
    assert set(np.round(found[~np.isnan(found)], 3)) == {-1.0, 90.0}


def test_an_aspect_from_another_crs_is_turned_by_the_angle_between_their_norths() -> None:
    geometry = degrees_around((90, 130))
    moved = Grid(40, 50, 30.0, (30.0, 0.0, 0.0, 0.0, -30.0, 0.0), "EPSG:3310")
    x, y = crs.transformer(UTM, "EPSG:3310").transform(500200.0, 4399800.0)
    moved = replace(moved, transform=(30.0, 0.0, x, 0.0, -30.0, y))
    turn = north_angle(geometry, moved)
    lon, _ = crs.transformer("EPSG:3310", "EPSG:4326").transform(x, y)
    # In California Albers the meridian of 120° west is north; west of it true north lies to the right.
    assert turn == pytest.approx(np.sin(np.deg2rad(37.25)) * -(lon + 120.0), abs=0.02)
    assert turn > 1.0
    found = placement("aspect", np.full(geometry.shape, 45.0, np.float32), geometry, moved)
    assert np.nanmax(np.abs(found - (45.0 + turn))) < 1e-3


def test_no_data_is_neither_mixed_in_nor_filled() -> None:
    geometry = RasterGeometry((45, 55), (30.0, 0.0, 500000.0 - 40.0, 0.0, -30.0, 4400000.0 + 40.0), UTM)
    values = np.full(geometry.shape, 10.0, np.float32)
    values[:, :20] = np.nan
    found = placement("slope", values, geometry)
    assert set(np.unique(found[~np.isnan(found)])) == {10.0}
    x, _ = centres(GRID)
    nearest = np.floor((x - geometry.affine.c) / 30.0)
    assert np.array_equal(np.isnan(found), nearest < 20)


def test_a_turned_raster_is_brought_upright() -> None:
    turn = np.deg2rad(20.0)
    geometry = RasterGeometry(
        (120, 130),
        (30 * np.cos(turn), 30 * np.sin(turn), 499600.0, 30 * np.sin(turn), -30 * np.cos(turn), 4400100.0),
        UTM,
    )  # fmt: skip
    east, _ = on_lie(geometry, UTM)
    found = placement("elevation", (east - 499000.0).astype(np.float32), geometry)
    x, _ = centres(GRID)
    known = ~np.isnan(found)
    assert known.mean() > 0.6
    # At its edge the neighbours on one side are missing.
    assert np.quantile(np.abs(found[known] - (x[known] - 499000.0)), 0.95) < 3.0


def test_warping_can_be_cancelled() -> None:
    geometry = degrees_around()
    box = needed_box(geometry, GRID)
    assert box is not None
    with pytest.raises(CancelledError):
        place_on("elevation", np.zeros((box[1] - box[0], box[3] - box[2]), np.float32), geometry, box, GRID, stop)


def test_another_thread_finds_rings_between_the_strips_of_a_raster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firegui.io.rasters.warp._STRIP_CELLS", 10 * GRID.columns)
    found: list[object] = []

    def pause(seconds: float) -> None:
        with ThreadPoolExecutor(1) as window:
            found.append(window.submit(mask_rings, np.eye(2, dtype=bool)).result(timeout=60))

    monkeypatch.setattr("firegui.io.rasters.warp.time.sleep", pause)
    placement("fuel", np.ones((90, 110), np.float32), degrees_around())

    assert len(found) == GRID.rows // 10


def test_a_crs_that_proj_cannot_write_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    known = CRS.from_epsg(32610).to_wkt()
    unknown = known.replace("Transverse_Mercator", "Transver_Mercator")
    assert unknown != known
    assert crs_text(unknown) == unknown
    assert capfd.readouterr() == ("", "")

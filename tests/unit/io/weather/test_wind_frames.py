from __future__ import annotations

import numpy as np
import pytest
from pyproj import CRS, Geod, Proj, Transformer

from firegui.domain.grid import Grid
from firegui.errors import Problems
from firegui.io.georeference import Georeference
from firegui.io.weather.conventions import North, WindConventions
from firegui.io.weather.locations import resample_to_grid, turn_from_raster, turn_from_true
from firegui.io.weather.raster_locations import AffineRaster
from firegui.io.weather.wind import WindSource
from tests.unit.io.builders import BEAR_GRID, UNPLACED
from tests.unit.io.weather.weather_files import read, turned

EDGE = Grid(40, 50, 500.0, (500.0, 0.0, 740_000.0, 0.0, -500.0, 4_620_000.0), "EPSG:32610")
"""At the edge of its zone, where grid north is 2° west of true north."""

SPHERE = "+proj=lcc +lat_0=35.5 +lon_0=-122.7 +lat_1=35.5 +lat_2=41.5 +R=6371200 +units=m +no_defs"


def along(grid: Grid, y: float, x: float, bearing: float) -> float:
    """Radians counter-clockwise from the grid's east of ten metres along a true bearing, walked on the ellipsoid."""
    assert grid.crs is not None
    change = Transformer.from_crs("EPSG:4326", CRS.from_user_input(grid.crs), always_xy=True)
    place = Georeference(grid).lonlat(y, x)
    assert place is not None
    lon, lat, _ = Geod(ellps="WGS84").fwd(*place, bearing, 10.0)
    here, there = change.transform(*place), change.transform(lon, lat)
    return float(np.arctan2(there[1] - here[1], there[0] - here[0]))


@pytest.mark.parametrize(
    "grid", [BEAR_GRID, EDGE, Grid(30, 30, 900.0, (900.0, 0.0, -9000.0, 0.0, -900.0, 3.4e5), SPHERE)]
)
@pytest.mark.parametrize("bearing", [0.0, 30.0, 90.0, 225.0])
def test_a_true_bearing_lies_on_the_grid_as_the_projection_lays_it(grid: Grid, bearing: float) -> None:
    turn = turn_from_true(grid)
    assert turn is not None
    u, v = (np.full(grid.shape, part) for part in (np.sin(np.radians(bearing)), np.cos(np.radians(bearing))))
    towards = turn.towards(u, v)
    for y, x in ((0, 0), (grid.rows // 2, grid.columns // 3), (grid.rows - 1, grid.columns - 1)):
        # On the sphere PROJ takes longitudes and latitudes as they are, the walk is on WGS 84.
        assert turned(towards[y, x], along(grid, y, x, bearing)) < (0.2 if grid.crs == SPHERE else 1e-3)


def test_the_convergence_is_projs_own() -> None:
    turn = turn_from_true(EDGE)
    assert turn is not None
    place = Georeference(EDGE)
    lonlat = place.lonlat(0, EDGE.columns - 1)
    assert lonlat is not None
    convergence = Proj("EPSG:32610").get_factors(*lonlat).meridian_convergence
    assert convergence == pytest.approx(2.25, abs=0.3)
    assert turn.largest_deg == pytest.approx(abs(convergence), abs=1e-4)


def test_a_wind_from_the_north_of_the_pole_and_of_the_grid_differ_by_the_convergence_and_it_is_said() -> None:
    true, grid = (
        read(WindSource(5.0, 0.0, conventions=WindConventions(north=north)), 1, EDGE)
        for north in (North.TRUE, North.GRID)
    )
    assert turned(grid.towards, -np.pi / 2).max() < 1e-4
    middle = turned(true.towards[0, 20, 25], along(EDGE, 20, 25, 180.0))
    assert middle < 1e-3
    assert turned(true.towards, grid.towards).min() > 1.5
    assert any("grid north differs by up to 2" in note for note in true.notes)
    assert any("count from grid north" in note for note in grid.notes)


def test_between_the_rasters_of_two_crs_the_axes_are_turned_by_both_convergences() -> None:
    turn = turn_from_raster(EDGE, "EPSG:3310")
    assert turn is not None
    towards = turn.towards(np.zeros(EDGE.shape), np.ones(EDGE.shape))
    change = Transformer.from_crs("EPSG:32610", "EPSG:3310", always_xy=True)
    back = Transformer.from_crs("EPSG:3310", "EPSG:32610", always_xy=True)
    here = EDGE.to_world(20, 25)
    x, y = change.transform(*here)
    there = back.transform(x, y + 10.0)
    assert turned(towards[20, 25], np.arctan2(there[1] - here[1], there[0] - here[0])) < 1e-3


def test_without_a_place_the_top_of_the_raster_is_north_and_it_is_said() -> None:
    winds = read(WindSource(5.0, 0.0), 1, UNPLACED)
    assert turned(winds.towards, -np.pi / 2).max() < 1e-4
    assert any("north is taken for the top of the raster" in note for note in winds.notes)


@pytest.mark.parametrize("far", [1e30, 1e303, -1e303])
def test_a_raster_that_lies_immeasurably_far_away_lies_off_the_grid(far: float) -> None:
    grid, problems = Grid(4, 5, 30.0, (30.0, 0.0, 0.0, 0.0, -30.0, 0.0)), Problems()
    placed = resample_to_grid(grid, (8, 8), lambda x, y: (y + 0.0 * x, x + far + 0.0 * y), "a.tif", problems)
    assert placed is None
    assert "lies off the raster of the layers" in str(next(iter(problems)))


def test_a_raster_whose_crs_has_an_endless_scale_lies_off_the_grid() -> None:
    crs, problems = "+proj=tmerc +lat_0=0 +lon_0=-123 +k=1e308 +x_0=500000 +datum=WGS84 +units=m", Problems()
    raster = AffineRaster(8, 8, (1000.0, 0.0, 440_000.0, 0.0, -1000.0, 4_450_000.0), crs)
    assert raster.on(BEAR_GRID, "a.tif", problems) is None
    assert "lies off the raster of the layers" in str(next(iter(problems)))

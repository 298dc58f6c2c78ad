"""The raster and its place on the Earth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firegui.domain.grid import Grid, bounding_box, grown

BEAR = Grid(619, 748, 30.0, (30.0, 0.0, -104430.0, 0.0, -30.0, 210000.0), "EPSG:3310")
PLACELESS = Grid(20, 30, 30.0)
cells = st.floats(-2000.0, 2000.0)


def test_the_centre_of_the_north_west_cell_is_half_a_cell_inside_its_corner() -> None:
    assert BEAR.to_world(0.0, 0.0) == (-104415.0, 209985.0)
    assert BEAR.to_world(-0.5, -0.5) == (-104430.0, 210000.0)


def test_rows_run_south_and_columns_east() -> None:
    east, north = BEAR.to_world(3.0, 5.0)

    assert (east, north) == (-104415.0 + 5 * 30.0, 209985.0 - 3 * 30.0)


def test_without_a_place_metres_count_from_the_south_west_corner() -> None:
    assert PLACELESS.to_world(19.5, -0.5) == (0.0, 0.0)
    assert PLACELESS.to_world(-0.5, 29.5) == (900.0, 600.0)


@pytest.mark.parametrize("grid", [BEAR, PLACELESS], ids=["placed", "placeless"])
@given(y=cells, x=cells)
def test_the_way_to_the_world_leads_back(grid: Grid, y: float, x: float) -> None:
    assert grid.from_world(*grid.to_world(y, x)) == pytest.approx((y, x), abs=1e-6)


def test_the_area_of_a_cell_is_that_of_the_paper() -> None:
    assert BEAR.cell_area_ha == pytest.approx(0.09)


def test_a_grid_with_transform_and_crs_has_a_place() -> None:
    assert BEAR.is_georeferenced
    assert not PLACELESS.is_georeferenced


@pytest.mark.parametrize("grid", [BEAR, PLACELESS, Grid(3, 3, 1.0)])
def test_a_north_up_square_grid_has_no_problem(grid: Grid) -> None:
    assert grid.problems() == []


@pytest.mark.parametrize(
    ("grid", "named"),
    [
        (Grid(2, 30, 30.0), "2 × 30 cells"),
        (Grid(20, 30, 0.0), "cell size 0.0 m"),
        (Grid(20, 30, float("nan")), "cell size nan m"),
        (Grid(20, 30, float("inf")), "cell size inf m"),
        (Grid(20, 30, 1e-9), "cell size 1e-09 m"),
        (Grid(20, 30, 1e30), "cell size 1e+30 m"),
        (Grid(20, 30, 30.0, (30.0, 0.0, float("inf"), 0.0, -30.0, 0.0), "EPSG:32610"), "is not finite"),
        (Grid(20, 30, 30.0, (30.0, 0.0, 0.0, 0.0, -20.0, 0.0), "EPSG:3310"), "not square"),
        (Grid(20, 30, 30.0, (30.0, 1.0, 0.0, 1.0, -30.0, 0.0), "EPSG:3310"), "not north-up"),
        (Grid(20, 30, 30.0, (30.0, 0.0, 0.0, 0.0, 30.0, 0.0), "EPSG:3310"), "not north-up"),
        (Grid(20, 30, 30.0, (30.0, 0.0, 0.0, 0.0, -30.0, 0.0)), "without a CRS"),
        (Grid(20, 30, 30.0, None, "EPSG:3310"), "without a transform"),
    ],
)
def test_an_unusable_grid_says_why_and_what_to_do(grid: Grid, named: str) -> None:
    problems = grid.problems()

    assert len(problems) == 1
    assert named in problems[0].what
    assert problems[0].remedy


def test_a_bounding_box_is_the_smallest_around_the_cells_and_grows_as_far_as_the_raster() -> None:
    cells = np.zeros((5, 7), bool)
    assert bounding_box(cells) is None
    cells[1, 5] = cells[3, 2] = True
    box = bounding_box(cells)
    assert box == (slice(1, 4), slice(2, 6))
    assert grown(box, 2, cells.shape) == (slice(0, 5), slice(0, 7))

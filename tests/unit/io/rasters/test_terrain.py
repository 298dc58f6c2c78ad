from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from firegui.io.rasters.warp import horn, turned


def plane(east_per_m: float, north_per_m: float, cell: float, shape: tuple[int, int] = (7, 9)) -> Any:
    """Ground that rises by so many metres a metre eastward and northward; row 0 is in the north."""
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]]
    return (500.0 + east_per_m * columns * cell - north_per_m * rows * cell).astype(np.float32)


@pytest.mark.parametrize(
    ("east", "north", "faces"),
    [(0.5, 0.0, 270.0), (-0.5, 0.0, 90.0), (0.0, 0.5, 180.0), (0.0, -0.5, 0.0), (-0.5, -0.5, 45.0), (0.5, 0.5, 225.0)],
)
def test_a_plane_faces_downhill_and_is_as_steep_as_it_rises_up_to_the_edge(
    east: float, north: float, faces: float
) -> None:
    slope, aspect = horn(plane(east, north, 30.0), 30.0)
    assert np.allclose(slope, np.rad2deg(np.arctan(np.hypot(east, north))), atol=1e-3)
    assert np.allclose(np.cos(np.deg2rad(aspect - faces)), 1.0, atol=1e-5)
    assert aspect.max() < 360.0


def test_the_size_of_the_cells_counts() -> None:
    ground = plane(0.5, 0.0, 30.0)
    assert horn(ground, 30.0)[0].mean() == pytest.approx(26.565, abs=1e-3)
    assert horn(ground, 10.0)[0].mean() == pytest.approx(np.rad2deg(np.arctan(1.5)), abs=1e-3)


def test_flat_ground_has_no_direction() -> None:
    slope, aspect = horn(np.full((4, 4), 7.0, np.float32), 30.0)
    assert not slope.any()
    assert (aspect == -1.0).all()


def test_horn_weights_the_direct_neighbours_twice() -> None:
    ground = np.zeros((3, 3), np.float32)
    ground[1, 2] = 8.0
    slope, aspect = horn(ground, 1.0)
    assert slope[1, 1] == pytest.approx(np.rad2deg(np.arctan(2.0)), abs=1e-4)
    assert aspect[1, 1] == 270.0
    ground = np.zeros((3, 3), np.float32)
    ground[0, 2] = 8.0
    slope, aspect = horn(ground, 1.0)
    assert slope[1, 1] == pytest.approx(np.rad2deg(np.arctan(np.sqrt(2.0))), abs=1e-4)
    assert aspect[1, 1] == pytest.approx(225.0)


def test_a_hole_has_neither_and_its_neighbours_go_on_from_their_other_side() -> None:
    ground = plane(0.5, 0.0, 30.0)
    ground[3, 4] = np.nan
    slope, aspect = horn(ground, 30.0)
    assert np.isnan(slope[3, 4]) and np.isnan(aspect[3, 4])
    assert np.isnan(slope).sum() == np.isnan(aspect).sum() == 1
    known = ~np.isnan(slope)
    assert np.allclose(slope[known], 26.565, atol=1e-3)
    assert np.allclose(aspect[known], 270.0)


def test_a_turned_north_turns_directions_and_leaves_flat_cells_flat() -> None:
    aspect = np.array([-1.0, 0.0, 359.0, 180.0, np.nan], np.float32)
    assert np.array_equal(turned(aspect, 2.0), np.array([-1.0, 2.0, 1.0, 182.0, np.nan], np.float32), equal_nan=True)
    assert turned(np.array([0.5], np.float32), -1.0)[0] == 359.5

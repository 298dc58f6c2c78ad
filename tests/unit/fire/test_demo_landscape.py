from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from firegui.fire.demo import (
    daily_wind,
    easiest_way,
    grown,
    hourly_wind,
    power_law_field,
    ranked,
    relief_of,
    spread_over,
)


def test_a_random_field_is_standard_and_smoother_with_a_steeper_law() -> None:
    rough = power_law_field(np.random.default_rng(1), (60, 70), 1.0)
    smooth = power_law_field(np.random.default_rng(1), (60, 70), 4.0)

    assert rough.shape == smooth.shape == (60, 70)
    for field in (rough, smooth):
        assert (field.mean(), field.std()) == pytest.approx((0.0, 1.0), abs=1e-9)
    assert np.abs(np.diff(smooth, axis=1)).mean() < 0.3 * np.abs(np.diff(rough, axis=1)).mean()


def test_opposite_edges_of_a_field_do_not_continue_each_other() -> None:
    field = power_law_field(np.random.default_rng(2), (60, 70), 4.0)

    assert np.abs(field[:, 0] - field[:, -1]).mean() > 5.0 * np.abs(field[:, 0] - field[:, 1]).mean()


@pytest.mark.parametrize(
    ("east", "south", "aspect"), [(1.0, 0.0, 270.0), (-1.0, 0.0, 90.0), (0.0, 1.0, 0.0), (0.0, -1.0, 180.0)]
)
def test_slope_and_aspect_of_a_plane(east: float, south: float, aspect: float) -> None:
    rows, columns = np.mgrid[0:6, 0:7]

    relief = relief_of(30.0 * (east * columns + south * rows), 30.0)

    assert (relief.slope == 45.0).all()
    assert (relief.aspect == aspect).all()


def test_level_ground_has_no_aspect() -> None:
    relief = relief_of(np.full((4, 4), 500.0), 30.0)

    assert (relief.slope == 0.0).all()
    assert (relief.aspect == -1.0).all()


def test_ranks_are_shares_in_order() -> None:
    assert ranked(np.array([[3.0, 1.0], [2.0, 9.0]])).tolist() == [[0.5, 0.0], [0.25, 0.75]]


def test_a_patch_grows_over_the_cheapest_cells_and_stays_connected() -> None:
    cost = np.array([[5.0, 5.0, 5.0], [0.0, 1.0, 9.0], [5.0, 9.0, 0.0]])

    patch = grown(cost, (1, 0), 4)

    assert patch.sum() == 4
    assert patch[1, 0]
    assert patch[1, 1]
    assert not patch[2, 2]  # cheap, but behind a dear cell


def test_a_patch_keeps_to_the_allowed_cells() -> None:
    allowed = np.array([[True, True, False, True]])

    assert grown(np.zeros((1, 4)), (0, 0), 4, allowed).tolist() == [[True, True, False, False]]


def test_the_road_goes_around_a_hill() -> None:
    elevation = np.zeros((7, 9))
    elevation[2:5, 4] = 50.0

    way = easiest_way(elevation, 3)

    assert way[-1] == 3
    assert way[4] not in (2, 3, 4)
    assert max(abs(a - b) for a, b in pairwise(way)) == 1


def test_the_daily_wind_is_the_mean_of_the_hourly_vectors() -> None:
    east, north = np.array([[3.0, -3.0], [4.0, 4.0]]), np.array([[1.0, 1.0], [0.0, -2.0]])

    speed, towards = daily_wind(east, north)

    assert speed == pytest.approx([1.0, np.hypot(4.0, 1.0)])
    assert towards == pytest.approx([np.pi / 2, np.arctan2(-1.0, 4.0)])


def test_the_hourly_wind_is_strongest_in_the_afternoon_and_weakest_at_night() -> None:
    east, north = hourly_wind(np.random.default_rng(0), 3)
    speed = np.hypot(east, north)

    assert speed.shape == (3, 24)
    assert (speed.argmax(axis=1) == 15).all()
    assert (speed.argmin(axis=1) == 3).all()
    assert speed.max(axis=1) == pytest.approx(3.0 * speed.min(axis=1))


def test_wind_is_stronger_on_high_ground() -> None:
    elevation = np.array([[0.0, 100.0, 200.0]])

    speed, towards = spread_over(np.array([4.0]), np.array([0.3]), elevation, np.zeros((1, 3)))

    assert speed.dtype == towards.dtype == np.float32
    assert speed[0, 0, 0] < speed[0, 0, 1] < speed[0, 0, 2]
    assert towards[0] == pytest.approx(0.3)

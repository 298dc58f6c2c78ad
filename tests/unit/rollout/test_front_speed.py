"""The speed of the front on uniform ground, by formula and measured."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.front import FrontSettings
from firegui.domain.stencil import stencil_of
from firegui.errors import InputError
from firegui.rollout.front_speed import (
    directions_of,
    ellipse_front,
    ellipse_speed,
    fit_gains,
    front_speed,
    measure_front,
    measure_straight_fronts,
    support_speed,
)


def blown(count: int, wind: float, towards_deg: float) -> np.ndarray:
    """Gains whose sum is 1, larger where fire goes with the wind."""
    ways = np.array([stencil_of(count).displacement(n) for n in range(count)], np.float64)
    angle = np.arctan2(-ways[:, 0], ways[:, 1])
    gains = np.exp(wind * np.cos(angle - math.radians(towards_deg))) / (ways**2).sum(axis=1)
    return np.asarray(gains / gains.sum())


@pytest.mark.parametrize("count", [8, 16])
def test_the_formula_is_the_least_speed_over_all_exponential_fronts(count: int) -> None:
    gains, where = blown(count, 1.0, 30.0), directions_of(8)
    for direction, found in zip(where, front_speed(gains, 10.0, where), strict=True):

        def speed(steepness: float, direction: float = float(direction)) -> float:
            total = 1.0 - 1.0 / 10.0
            for n in range(count):
                south, east = stencil_of(count).displacement(n)
                total += gains[n] * math.exp(steepness * (east * math.cos(direction) - south * math.sin(direction)))
            return math.log(total) / steepness

        assert found == pytest.approx(min(map(speed, np.linspace(0.05, 6.0, 4000))), rel=1e-5)


def test_the_wind_carries_the_front_east_and_north_as_it_blows() -> None:
    east, north, west, south = front_speed(blown(16, 1.0, 0.0), 10.0, directions_of(4))
    assert north == pytest.approx(south) and east > north > west
    assert np.argmax(front_speed(blown(16, 1.0, 90.0), 10.0, directions_of(4))) == 1


@pytest.mark.parametrize(("count", "towards"), [(8, 22.5), pytest.param(16, 11.0, marks=pytest.mark.slow)])
def test_a_measured_front_is_a_few_percent_slower_than_the_formula(count: int, towards: float) -> None:
    gains = 0.6 * blown(count, 0.5, towards)
    found = measure_front(gains, 10.0, cells=40)
    assert len(found.directions) == 32
    np.testing.assert_allclose(found.support, found.formula, rtol=2e-3)
    assert found.errors.min() > -0.12 and found.errors.max() < 0.0
    longer = measure_front(gains, 10.0, cells=80)
    assert abs(longer.errors.mean()) < abs(found.errors.mean())


def test_the_shape_of_a_fire_is_never_faster_than_its_front() -> None:
    gains, where = blown(8, 3.0, 22.5), directions_of()
    assert (support_speed(gains, 30.0, where) <= front_speed(gains, 30.0, where) * (1.0 + 1e-4)).all()


@pytest.mark.parametrize(
    ("gains", "burn", "part"),
    [
        (np.ones(9), 10.0, "maps: have 9 neighbours"),
        (np.array([-0.1] + 7 * [0.2]), 10.0, "gains: some are negative or not finite"),
        (np.array([np.nan] + 7 * [0.2]), 10.0, "gains: some are negative or not finite"),
        (np.full(8, 0.2), 0.5, "burn duration: is 0.5 steps"),
        (np.full(8, 0.001), 10.0, "gains: the fire does not advance in every direction"),
        (np.zeros(16), 1.0, "gains: the fire does not advance in every direction"),
    ],
)
def test_gains_that_cannot_be_measured_are_refused(gains: np.ndarray, burn: float, part: str) -> None:
    with pytest.raises(InputError, match=part):
        measure_front(gains, burn)


def test_a_gain_of_one_on_a_knights_move_is_as_fast_as_the_neighbour_is_far() -> None:
    gains = np.full(16, 0.01)
    south, east = stencil_of(16).displacement(12)  # from WSW, so fire goes east-north-east
    along = np.array([math.atan2(-south, east)])
    found = []
    for gain in (0.3, 1.0, 3.0):
        gains[12] = gain
        found.append(front_speed(gains, 10.0, along)[0])
    assert found[0] < 0.8 * math.hypot(south, east)
    assert found[1:] == pytest.approx([math.hypot(south, east)] * 2, rel=0.01)


def test_the_ellipse_starts_in_its_rear_focus() -> None:
    head, left, back, right = ellipse_speed(FrontSettings(0.6, 2.0, 90.0), np.radians([90.0, 180.0, 270.0, 0.0]))
    eccentricity = math.sqrt(0.75)
    assert head == pytest.approx(0.6) and left == pytest.approx(right)
    assert back == pytest.approx(0.6 * (1.0 - eccentricity) / (1.0 + eccentricity))
    assert (head + back) / (left + right) == pytest.approx(2.0)
    np.testing.assert_allclose(ellipse_speed(FrontSettings(0.3), directions_of()), 0.3)


@pytest.mark.parametrize(
    ("neighbours", "ratio", "towards", "most"),
    [
        (8, 1.3, 22.5, 0.003),
        (8, 2.0, 22.5, 0.022),
        (16, 1.0, 0.0, 0.001),
        (16, 2.0, 22.5, 0.002),
        (16, 4.0, 45.0, 0.002),
    ],
)
def test_fitted_gains_have_the_speeds_that_the_stencil_can_have(
    neighbours: int, ratio: float, towards: float, most: float
) -> None:
    where = directions_of()
    wanted = ellipse_speed(FrontSettings(0.6, ratio, towards), where)
    gains = fit_gains(wanted, neighbours, 10.0, where)
    assert gains.shape == (neighbours,) and gains.min() >= 0.0
    assert np.sqrt(np.mean((front_speed(gains, 10.0, where) / wanted - 1.0) ** 2)) < most


def test_a_correction_brings_the_measured_front_to_the_ellipse() -> None:
    settings = FrontSettings(0.6, 1.3, 22.5, neighbours=8, distance=40)
    plain, corrected = (ellipse_front(replace(settings, corrections=times)) for times in (0, 2))
    assert plain.from_ellipse.mean() < -0.02
    assert np.abs(corrected.from_ellipse).mean() < 0.25 * np.abs(plain.from_ellipse).mean()
    assert corrected.from_formula.mean() < -0.02


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"neighbours": 12}, "Neighbours is 12 — use 8, or 16"),
        ({"speed": 1.5}, "Head speed is 1.5 — use a value from 0.05 to 1"),
        ({"length_to_width": 0.5}, "Length to width is 0.5"),
    ],
)
def test_ellipses_that_cannot_be_measured_are_refused(changes: dict[str, float], part: str) -> None:
    with pytest.raises(InputError, match=part):
        ellipse_front(replace(FrontSettings(), **changes))  # type: ignore[arg-type]


def test_a_straight_front_is_as_fast_as_one_on_a_line() -> None:
    settings, where = FrontSettings(0.6, 2.0, 11.0, burn_steps=30.0), directions_of()
    gains = fit_gains(ellipse_speed(settings, where), 16, 30.0, where)
    some = where[1::10]  # ahead, across and against the wind
    found = measure_straight_fronts(gains, 30.0, cells=60, directions=some)
    assert np.abs(found.corrected / found.formula - 1.0).max() < 0.02
    np.testing.assert_allclose(found.corrected / found.formula, found.measured / found.line)
    # Without the correction the front against the wind is far off.
    assert found.measured.min() < 0.95 * found.formula[found.measured.argmin()]


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [1.0, 2.0, 3.0, 4.0])
@pytest.mark.parametrize("towards", [0.0, 11.0, 22.5, 45.0])
def test_straight_fronts_of_every_ellipse_are_within_two_percent_of_the_formula(ratio: float, towards: float) -> None:
    settings, where = FrontSettings(0.6, ratio, towards, burn_steps=30.0), directions_of()
    gains = fit_gains(ellipse_speed(settings, where), 16, 30.0, where)
    found = measure_straight_fronts(gains, 30.0, cells=60, directions=where)
    assert np.abs(found.corrected / found.formula - 1.0).max() < 0.02

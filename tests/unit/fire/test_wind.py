"""What the published wind does to a fire: its head never slows and the fire does not shrink as the wind rises."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd import gradcheck

from firegui.calibration.forecast import roll_out
from firegui.domain.stencil import NEIGHBOURS
from firegui.fire.learned import network_maps
from firegui.fire.prior import EVEN_AT_MS, PRIOR
from firegui.fire.shipped import network_weights
from firegui.fire.spread import SpreadFields, evening, potentials
from tests.unit.fire.events import event, layer, square

WINDS = (0.0, 2.0, 4.0, 8.0, 16.0)
RATE = 0.03
SIZE, DAYS = 121, 2


def gains(speed: float, towards_deg: float = 0.0, *, even: bool = True) -> NDArray[np.float64]:
    """``φ`` of the eight neighbours of a cell on flat ground, with the published gains."""
    fields = SpreadFields(
        RATE, PRIOR["wind_gain"], PRIOR["wind_alignment"], 0.0, 1.0, 1.0, even_at_ms=EVEN_AT_MS if even else None
    )
    wind = torch.full((3, 3), speed, dtype=torch.float64)
    towards = torch.full_like(wind, math.radians(towards_deg))
    return np.asarray(potentials(fields, wind, towards, None)[:, 1, 1].numpy())


def head_speed(speed: float, towards_deg: float = 0.0, *, even: bool = True) -> float:
    """Cells per step of a straight front that runs with the wind, in the mean field.

    Ahead of the front the burning probability falls like ``e^(−κ a)`` and grows by
    ``e^(−1/10) + Σ φ_n e^(κ a_n)`` a step, ``a_n`` how far neighbour n lies upwind; the slowest such wave is the front.
    """
    way = math.radians(towards_deg)
    upwind = np.array([row * math.sin(way) - column * math.cos(way) for row, column in NEIGHBOURS])
    steepness = np.linspace(0.01, 6.0, 3000)[:, None]
    growth = math.exp(-0.1) + (gains(speed, towards_deg, even=even) * np.exp(steepness * upwind)).sum(axis=1)
    return float((np.log(growth) / steepness[:, 0]).min())


@cache
def burned(speed: float, towards_deg: float = 0.0) -> NDArray[np.float32]:
    """``P [H, W]`` after two days of 50 steps under the shipped network, from a square on flat, even ground."""
    shape = (SIZE, SIZE)
    layers = {"canopy_cover": layer(shape, 40.0), "canopy_density": layer(shape, 0.1)}
    where = event(shape, DAYS, speed=speed, towards=math.radians(towards_deg), layers=layers)
    where = replace(where, steps_per_day=50)
    weights = replace(network_weights(), corrections=())
    states = roll_out(network_maps(where, weights, square(shape, 3), 0, DAYS), backend="cpu")
    return np.asarray(states[-1], np.float32)


def area(fire: NDArray[np.float32]) -> float:
    return float(fire.sum(dtype=np.float64))


def reach(fire: NDArray[np.float32], towards_deg: float = 0.0) -> float:
    """How far downwind of the middle it burned with even odds, in cells."""
    rows, columns = np.nonzero(fire >= 0.5)
    way, middle = math.radians(towards_deg), SIZE // 2
    return float(((columns - middle) * math.cos(way) - (rows - middle) * math.sin(way)).max())


def test_the_head_goes_further_the_stronger_the_wind() -> None:
    reached = [reach(burned(speed)) for speed in WINDS]

    assert reached == sorted(reached)
    assert reached[-1] > 2.0 * reached[0]


def test_the_fire_does_not_shrink_as_the_wind_rises() -> None:
    areas = [area(burned(speed)) for speed in WINDS]

    assert areas == sorted(areas)


def test_the_fire_leans_downwind_the_more_the_stronger_the_wind() -> None:
    columns = np.arange(SIZE) - SIZE // 2
    lean = [float((burned(speed) * columns).sum() / area(burned(speed))) for speed in WINDS]

    assert lean[0] == pytest.approx(0.0, abs=0.01)
    assert lean == sorted(lean)


@pytest.mark.parametrize(("towards_deg", "turns"), [(90.0, 1), (180.0, 2), (-90.0, 3)])
def test_the_same_wind_from_another_side_makes_the_same_fire_turned(towards_deg: float, turns: int) -> None:
    np.testing.assert_allclose(burned(8.0, towards_deg), np.rot90(burned(8.0), turns), atol=2e-3)


def test_a_wind_across_the_raster_burns_as_much_as_one_along_it() -> None:
    along, across = burned(8.0), burned(8.0, 45.0)

    assert area(across) == pytest.approx(area(along), rel=0.01)
    assert reach(across, 45.0) == pytest.approx(reach(along), rel=0.1)


@pytest.mark.parametrize("towards_deg", [0.0, 22.5, 45.0])
def test_a_straight_head_runs_faster_with_every_bit_of_wind(towards_deg: float) -> None:
    speeds = [head_speed(0.5 * step, towards_deg) for step in range(61)]

    assert all(faster > slower for slower, faster in pairwise(speeds))


def test_as_published_a_straight_head_would_slow_down_which_is_why() -> None:
    assert head_speed(8.0, even=False) < head_speed(0.0, even=False)
    assert gains(8.0, even=False).sum() < 0.7 * gains(0.0, even=False).sum()


@pytest.mark.parametrize("speed", [*WINDS, 25.0])
@pytest.mark.parametrize("towards_deg", [0.0, 30.0, 45.0])
def test_what_all_neighbours_get_grows_by_the_published_wind_gain(speed: float, towards_deg: float) -> None:
    grown = gains(speed, towards_deg).sum() / gains(0.0).sum()

    assert grown == pytest.approx(math.exp(0.045 * speed), rel=1e-3)


@pytest.mark.parametrize("speed", WINDS)
def test_the_ratios_between_directions_are_the_published_ones(speed: float) -> None:
    even, published = gains(speed, 20.0), gains(speed, 20.0, even=False)

    np.testing.assert_allclose(even / even[0], published / published[0], rtol=1e-12)


def test_in_weak_wind_the_rates_are_about_those_published_and_at_that_of_the_training_exactly() -> None:
    np.testing.assert_allclose(gains(EVEN_AT_MS), gains(EVEN_AT_MS, even=False), rtol=1e-12)
    for speed in (0.0, 0.5, 1.0, 1.5):
        np.testing.assert_allclose(gains(speed), gains(speed, even=False), rtol=0.11)


def test_evening_is_the_mean_of_the_alignment_over_all_directions() -> None:
    angles = np.linspace(0.0, 2.0 * math.pi, 720, endpoint=False)
    wind = torch.tensor([0.0, 3.0, 20.0], dtype=torch.float64)

    found = evening(1.31, wind, 1.0).numpy()

    means = [np.exp(0.131 * speed * (np.cos(angles) - 1.0)).mean() for speed in (1.0, 0.0, 3.0, 20.0)]
    np.testing.assert_allclose(found, means[0] / np.array(means[1:]), rtol=1e-12)


def test_evening_belongs_to_the_neighbour_that_the_fire_comes_from() -> None:
    wind = torch.zeros(3, 4, dtype=torch.float64)
    wind[1, 1] = 10.0
    fields = SpreadFields(RATE, 0.0, 1.31, 0.0, 1.0, 1.0, even_at_ms=EVEN_AT_MS)

    phi = potentials(fields, wind, torch.zeros_like(wind), None)

    windy, calm = (float(evening(1.31, torch.tensor(speed), EVEN_AT_MS)) for speed in (10.0, 0.0))
    assert float(phi[3, 1, 2]) == pytest.approx(RATE * windy, rel=1e-6)
    assert float(phi[4, 1, 1]) == pytest.approx(RATE * calm, rel=1e-6)


def test_an_evened_alignment_has_the_derivatives_of_finite_differences() -> None:
    wind, towards = (torch.tensor([[0.5, 4.0], [9.0, 1.0]], dtype=torch.float64) for _ in range(2))
    alignment = torch.full((2, 2), 1.2, dtype=torch.float64, requires_grad=True)

    def spread(value: Tensor) -> Tensor:
        return potentials(SpreadFields(RATE, 0.4, value, 0.0, 1.0, 1.0, even_at_ms=EVEN_AT_MS), wind, towards, None)

    assert gradcheck(spread, [alignment])

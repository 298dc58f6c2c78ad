from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck

from firegui.domain.stencil import NEIGHBOURS
from firegui.fire.spread import (
    Field,
    SpreadFields,
    Terrain,
    direction_from,
    ignition_gains,
    potentials,
    spread_gains,
)
from tests.unit.fire.events import layer

SHAPE = (4, 5)
NW, N, NE, W, E, SW, S, SE = range(8)
# The way a fire runs from each neighbour into the cell, as (east, north).
TRAVEL = {NW: (1, -1), N: (0, -1), NE: (-1, -1), W: (1, 0), E: (-1, 0), SW: (1, 1), S: (0, 1), SE: (-1, 1)}


def constant(value: float) -> Tensor:
    return torch.full(SHAPE, value)


def fields(
    p: Field = 0.1, w1: Field = 0.0, w2: Field = 0.0, slope: Field = 0.0, gamma: Field = 1.0, fuel: Field = 1.0
) -> SpreadFields:
    return SpreadFields(p, w1, w2, slope, gamma, fuel)


def hillside(slope_deg: float, aspect_deg: float) -> Terrain:
    return Terrain.of_layers(layer(SHAPE, slope_deg), layer(SHAPE, aspect_deg))


class Case:
    """Random fields, wind, slope (steepness and the way up) and what burns."""

    def __init__(self, seed: int, scale: float = 1.0, dtype: torch.dtype = torch.float32) -> None:
        generator = torch.Generator().manual_seed(seed)

        def draw(low: float, high: float) -> Tensor:
            return torch.rand(SHAPE, generator=generator, dtype=torch.float64).mul_(high - low).add_(low).to(dtype)

        wind, alignment, slope = (draw(0.0, 3.0 * scale) for _ in range(3))
        self.fields = SpreadFields(draw(0.01, 0.5), wind, alignment, slope, draw(0.1, 2.0), draw(0.1, 2.0))
        self.speed, self.towards = draw(0.0, 12.0), draw(-4.0, 7.0)
        self.steepness, self.up = draw(0.0, 0.6), draw(-4.0, 7.0)
        self.burnable = draw(0.0, 1.0) > 0.2

    @property
    def terrain(self) -> Terrain:
        return Terrain(self.steepness * torch.cos(self.up), self.steepness * torch.sin(self.up))

    @property
    def leaves(self) -> list[Tensor]:
        model = self.fields
        six = (
            model.base_rate, model.wind_gain, model.wind_alignment, model.slope_gain, model.ignition_gain, model.fuel,
        )  # fmt: skip
        return [leaf for leaf in six if isinstance(leaf, Tensor)]

    def gains(self, *leaves: Tensor) -> Tensor:
        return spread_gains(SpreadFields(*leaves), self.speed, self.towards, self.terrain, self.burnable)

    def potentials(self) -> Tensor:
        return potentials(self.fields, self.speed, self.towards, self.terrain)

    def by_hand(self, n: int, row: int, column: int) -> float:
        """φ of one pair of cells by the published formula, in float64 and with nothing shared."""
        d_row, d_column = NEIGHBOURS[n]
        source = (row + d_row, column + d_column)
        if not (0 <= source[0] < SHAPE[0] and 0 <= source[1] < SHAPE[1]):
            return 0.0
        p, w1, w2, a_s = (float(leaf[row, column]) for leaf in self.leaves[:4])
        beta = math.atan2(TRAVEL[n][1], TRAVEL[n][0])
        wind = float(self.speed[source]) / 10.0
        exponents = (
            w1 * wind,
            w2 * wind * (math.cos(beta - float(self.towards[source])) - 1.0),
            a_s * float(self.steepness[source]) * math.cos(beta - float(self.up[source])),
        )
        factor = math.prod(math.exp(min(max(e, -20.0), 20.0)) for e in exponents)
        return min(max(p * float(self.leaves[5][source]) * factor, 0.0), 100.0)

    def all_by_hand(self, gain: bool) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """φ, or K, of every pair of cells."""
        out = np.zeros((8, *SHAPE))
        for n, row, column in np.ndindex(out.shape):
            here = (row, column)
            gamma = min(max(float(self.leaves[4][here]) * float(self.leaves[5][here]), 0.0), 100.0)
            out[n, row, column] = self.by_hand(n, row, column)
            out[n, row, column] *= gamma * float(self.burnable[here]) if gain else 1.0
        return out


@pytest.mark.parametrize(("seed", "scale"), [(0, 1.0), (1, 1.0), (2, 25.0)])
def test_every_pair_of_cells_follows_the_published_formula(seed: int, scale: float) -> None:
    case = Case(seed, scale)

    phi = case.potentials()

    assert phi.dtype == torch.float32
    np.testing.assert_allclose(phi.numpy(), case.all_by_hand(gain=False), rtol=2e-4, atol=1e-30)


@pytest.mark.parametrize(("seed", "scale"), [(3, 1.0), (4, 25.0)])
def test_in_double_precision_the_spread_gains_are_the_formulas(seed: int, scale: float) -> None:
    case = Case(seed, scale, torch.float64)

    found = case.gains(*case.leaves)

    np.testing.assert_allclose(found.numpy(), case.all_by_hand(gain=True), rtol=1e-12, atol=1e-300)


def test_the_large_case_above_reaches_both_clips() -> None:
    phi = Case(2, 25.0).potentials()

    assert (phi == 100.0).any()
    assert (phi[phi > 0] < 1e-5).any()


def test_the_derivatives_of_the_spread_gains_are_those_of_finite_differences() -> None:
    case = Case(5, dtype=torch.float64)

    assert gradcheck(case.gains, [leaf.requires_grad_() for leaf in case.leaves])


def test_numbers_and_rasters_of_that_number_spread_alike() -> None:
    values = (0.1, 0.5, 1.2, 3.0, 0.8, 1.5)
    case = Case(6)

    numbers = spread_gains(SpreadFields(*values), case.speed, case.towards, case.terrain, case.burnable)
    rasters = case.gains(*(constant(value) for value in values))

    np.testing.assert_allclose(numbers.numpy(), rasters.numpy(), rtol=1e-6)


def test_a_cell_that_cannot_burn_gains_nothing_and_still_passes_fire_on() -> None:
    case = Case(7)
    case.burnable = torch.ones(SHAPE, dtype=torch.bool)
    case.burnable[1, 2] = False

    gains = case.gains(*case.leaves)

    assert (gains[:, 1, 2] == 0.0).all()
    assert gains[W, 1, 3] > 0.0
    assert (gains[:, 2, 2] > 0.0).all()


def test_neighbours_outside_the_raster_give_nothing_and_there_is_no_wraparound() -> None:
    phi = potentials(fields(), constant(0.0), constant(0.0), None).numpy()

    for n, (d_row, d_column) in enumerate(NEIGHBOURS):
        rows, columns = np.mgrid[: SHAPE[0], : SHAPE[1]]
        inside = (
            (rows + d_row >= 0)
            & (rows + d_row < SHAPE[0])
            & (columns + d_column >= 0)
            & (columns + d_column < SHAPE[1])
        )
        np.testing.assert_array_equal(phi[n], np.where(inside, np.float32(0.1), 0.0), err_msg=f"neighbour {n}")


def test_fire_from_the_west_travels_east_and_fire_from_the_south_travels_north() -> None:
    for n, (east, north) in TRAVEL.items():
        beta = direction_from(NEIGHBOURS[n])
        length = math.hypot(east, north)
        assert (math.cos(beta), math.sin(beta)) == pytest.approx((east / length, north / length), abs=1e-12)


@pytest.mark.parametrize(("towards_deg", "fastest", "slowest"), [(0, W, E), (90, S, N), (180, E, W), (-45, NW, SE)])
def test_wind_drives_the_fire_the_way_it_blows(towards_deg: float, fastest: int, slowest: int) -> None:
    phi = potentials(fields(w1=0.5, w2=1.0), constant(8.0), constant(math.radians(towards_deg)), None)[:, 2, 2]

    assert int(phi.argmax()) == fastest
    assert int(phi.argmin()) == slowest
    assert float(phi[fastest]) == pytest.approx(0.1 * math.exp(0.5 * 0.8))
    assert float(phi[slowest]) == pytest.approx(0.1 * math.exp(0.5 * 0.8 - 2.0 * 0.8))


def test_fire_runs_faster_up_a_slope_than_down_it() -> None:
    # A slope that faces south rises toward the north: fire from the south climbs.
    hill = hillside(30.0, 180.0)

    phi = potentials(fields(slope=3.0), constant(0.0), constant(0.0), hill)[:, 2, 2]

    assert float(phi[S]) == pytest.approx(0.1 * math.exp(1.0), rel=1e-6)
    assert float(phi[N]) == pytest.approx(0.1 * math.exp(-1.0), rel=1e-6)
    assert float(phi[W]) == pytest.approx(0.1, rel=1e-6)


@pytest.mark.parametrize(("aspect", "climber"), [(0.0, N), (90.0, E), (180.0, S), (270.0, W), (225.0, SW)])
def test_aspect_is_the_way_the_slope_faces(aspect: float, climber: int) -> None:
    hill = hillside(20.0, aspect)

    phi = potentials(fields(slope=2.0), constant(0.0), constant(0.0), hill)[:, 2, 2]

    assert int(phi.argmax()) == climber


@pytest.mark.parametrize(("slope", "aspect"), [(25.0, -1.0), (math.nan, 90.0), (25.0, math.nan)])
def test_flat_cells_and_cells_without_data_have_no_slope_effect(slope: float, aspect: float) -> None:
    hill = hillside(slope, aspect)

    phi = potentials(fields(slope=3.0), constant(0.0), constant(0.0), hill).numpy()

    assert (phi[:, 1:-1, 1:-1] == np.float32(0.1)).all()


def test_wind_slope_and_fuel_are_those_of_the_emitting_neighbour() -> None:
    fuel, speed, steepness = constant(1.0), constant(0.0), constant(0.0)
    fuel[1, 1], speed[1, 1], steepness[1, 1] = 3.0, 10.0, 0.5
    hill = Terrain(steepness, constant(0.0))  # it rises toward the east

    phi = potentials(fields(w1=1.0, slope=1.0, fuel=fuel), speed, constant(0.0), hill)

    assert float(phi[W, 1, 2]) == pytest.approx(0.1 * 3.0 * math.exp(1.0 + 0.5), rel=1e-6)
    assert float(phi[E, 1, 1]) == pytest.approx(0.1)


def test_rates_and_gains_are_those_of_the_receiving_cell() -> None:
    rate, gain = constant(0.1), constant(0.0)
    rate[1, 2], gain[1, 2] = 0.2, 1.0

    phi = potentials(fields(p=rate, w1=gain), constant(10.0), constant(0.0), None)

    assert float(phi[W, 1, 2]) == pytest.approx(0.2 * math.e, rel=1e-6)
    assert float(phi[W, 1, 3]) == pytest.approx(0.1)


def test_ignition_gain_uses_the_receivers_own_fuel_and_is_clipped() -> None:
    fuel = constant(0.5)
    fuel[0, 0] = 1000.0

    gamma = ignition_gains(fields(gamma=0.8, fuel=fuel), constant(0.0))

    assert float(gamma[1, 1]) == pytest.approx(0.4)
    assert gamma[0, 0] == 100.0
    assert ignition_gains(fields(gamma=0.8), constant(0.0)).shape == SHAPE


def test_a_window_of_the_terrain_is_that_window() -> None:
    case = Case(8)

    window = case.terrain.cropped(slice(1, 3), slice(2, 5))

    assert torch.equal(window.east, case.terrain.east[1:3, 2:5])
    assert torch.equal(window.north, case.terrain.north[1:3, 2:5])

from __future__ import annotations

import math

import numpy as np
import pytest

from firegui.domain.maps import NEIGHBOUR_NAMES, NEIGHBOURS
from firegui.fire.spread import (
    Field,
    Raster,
    SpreadFields,
    Terrain,
    daily_potentials,
    direction_from,
    ignition_gains,
    potentials,
)

SHAPE = (4, 5)
NW, N, NE, W, E, SW, S, SE = range(8)
# The way a fire runs from each neighbour into the cell, as (east, north).
TRAVEL = {NW: (1, -1), N: (0, -1), NE: (-1, -1), W: (1, 0), E: (-1, 0), SW: (1, 1), S: (0, 1), SE: (-1, 1)}


def constant(value: float, shape: tuple[int, int] = SHAPE) -> Raster:
    return np.full(shape, value, np.float32)


def fields(
    p: Field = 0.1, w1: Field = 0.0, w2: Field = 0.0, slope: Field = 0.0, gamma: Field = 1.0, fuel: Field = 1.0
) -> SpreadFields:
    return SpreadFields(p, w1, w2, slope, gamma, fuel)


def random_case(seed: int, scale: float = 1.0) -> tuple[SpreadFields, Raster, Raster, Terrain]:
    rng = np.random.default_rng(seed)

    def raster(low: float, high: float) -> Raster:
        return rng.uniform(low, high, SHAPE).astype(np.float32)

    model = SpreadFields(
        raster(0.01, 0.5),
        raster(0.0, 3.0 * scale),
        raster(0.0, 3.0 * scale),
        raster(0.0, 3.0 * scale),
        raster(0.1, 2.0),
        raster(0.1, 2.0),
    )
    return model, raster(0.0, 12.0), raster(-4.0, 7.0), Terrain(raster(0.0, 0.6), raster(-4.0, 7.0))


def by_hand(model: SpreadFields, speed: Raster, towards: Raster, hill: Terrain, n: int, row: int, column: int) -> float:
    """The published formula for one pair of cells, in float64 and with nothing shared."""
    d_row, d_column = NEIGHBOURS[n]
    source = (row + d_row, column + d_column)
    if not (0 <= source[0] < SHAPE[0] and 0 <= source[1] < SHAPE[1]):
        return 0.0
    here = (row, column)
    beta = math.atan2(TRAVEL[n][1], TRAVEL[n][0])
    p, w1, w2, a_s = (
        np.asarray(f)[here] for f in (model.base_rate, model.wind_gain, model.wind_alignment, model.slope_gain)
    )
    wind = float(speed[source]) / 10.0
    exponents = (
        float(w1) * wind,
        float(w2) * wind * (math.cos(beta - float(towards[source])) - 1.0),
        float(a_s) * float(hill.steepness[source]) * math.cos(beta - float(hill.upslope[source])),
    )
    factor = math.prod(math.exp(min(max(e, -20.0), 20.0)) for e in exponents)
    return min(max(float(p) * float(np.asarray(model.fuel)[source]) * factor, 0.0), 100.0)


@pytest.mark.parametrize(("seed", "scale"), [(0, 1.0), (1, 1.0), (2, 25.0)])
def test_every_pair_of_cells_follows_the_published_formula(seed: int, scale: float) -> None:
    model, speed, towards, hill = random_case(seed, scale)

    phi = potentials(model, speed, towards, hill)

    expected = [
        [[by_hand(model, speed, towards, hill, n, i, j) for j in range(SHAPE[1])] for i in range(SHAPE[0])]
        for n in range(8)
    ]
    assert phi.dtype == np.float32
    np.testing.assert_allclose(phi, np.array(expected), rtol=2e-4, atol=1e-30)


def test_the_large_case_above_reaches_both_clips() -> None:
    phi = potentials(*random_case(2, 25.0))

    assert (phi == 100.0).any()
    assert (phi[phi > 0] < 1e-5).any()


def test_neighbours_outside_the_raster_give_nothing_and_there_is_no_wraparound() -> None:
    phi = potentials(fields(), constant(0.0), constant(0.0), None)

    for n, (d_row, d_column) in enumerate(NEIGHBOURS):
        rows, columns = np.mgrid[: SHAPE[0], : SHAPE[1]]
        inside = (
            (rows + d_row >= 0)
            & (rows + d_row < SHAPE[0])
            & (columns + d_column >= 0)
            & (columns + d_column < SHAPE[1])
        )
        np.testing.assert_array_equal(phi[n], np.where(inside, np.float32(0.1), 0.0), err_msg=NEIGHBOUR_NAMES[n])


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
    assert phi[fastest] == pytest.approx(0.1 * math.exp(0.5 * 0.8))
    assert phi[slowest] == pytest.approx(0.1 * math.exp(0.5 * 0.8 - 2.0 * 0.8))


def test_fire_runs_faster_up_a_slope_than_down_it() -> None:
    # A slope that faces south rises toward the north: fire from the south climbs.
    hill = Terrain.of_layers(constant(30.0), constant(180.0))

    phi = potentials(fields(slope=3.0), constant(0.0), constant(0.0), hill)[:, 2, 2]

    assert phi[S] == pytest.approx(0.1 * math.exp(1.0), rel=1e-6)
    assert phi[N] == pytest.approx(0.1 * math.exp(-1.0), rel=1e-6)
    assert phi[W] == pytest.approx(0.1, rel=1e-6)


@pytest.mark.parametrize(("aspect", "climber"), [(0.0, N), (90.0, E), (180.0, S), (270.0, W), (225.0, SW)])
def test_aspect_is_the_way_the_slope_faces(aspect: float, climber: int) -> None:
    hill = Terrain.of_layers(constant(20.0), constant(aspect))

    phi = potentials(fields(slope=2.0), constant(0.0), constant(0.0), hill)[:, 2, 2]

    assert int(phi.argmax()) == climber


@pytest.mark.parametrize(("slope", "aspect"), [(25.0, -1.0), (math.nan, 90.0), (25.0, math.nan)])
def test_flat_cells_and_cells_without_data_have_no_slope_effect(slope: float, aspect: float) -> None:
    hill = Terrain.of_layers(constant(slope), constant(aspect))

    assert (potentials(fields(slope=3.0), constant(0.0), constant(0.0), hill)[:, 1:-1, 1:-1] == np.float32(0.1)).all()


def test_wind_slope_and_fuel_are_those_of_the_emitting_neighbour() -> None:
    fuel, speed, steepness = constant(1.0), constant(0.0), constant(0.0)
    fuel[1, 1], speed[1, 1], steepness[1, 1] = 3.0, 10.0, 0.5
    hill = Terrain(steepness, constant(0.0))

    phi = potentials(fields(w1=1.0, slope=1.0, fuel=fuel), speed, constant(0.0), hill)

    assert phi[W, 1, 2] == pytest.approx(0.1 * 3.0 * math.exp(1.0 + 0.5), rel=1e-6)
    assert phi[E, 1, 1] == pytest.approx(0.1)


def test_rates_and_gains_are_those_of_the_receiving_cell() -> None:
    rate, gain = constant(0.1), constant(0.0)
    rate[1, 2], gain[1, 2] = 0.2, 1.0

    phi = potentials(fields(p=rate, w1=gain), constant(10.0), constant(0.0), None)

    assert phi[W, 1, 2] == pytest.approx(0.2 * math.e, rel=1e-6)
    assert phi[W, 1, 3] == pytest.approx(0.1)


def test_ignition_gain_uses_the_receivers_own_fuel_and_is_clipped() -> None:
    fuel = constant(0.5)
    fuel[0, 0] = 1000.0

    gamma = ignition_gains(fields(gamma=0.8, fuel=fuel), SHAPE)

    assert gamma[1, 1] == pytest.approx(0.4)
    assert gamma[0, 0] == 100.0
    assert ignition_gains(fields(gamma=0.8), SHAPE).shape == SHAPE


def test_every_day_has_its_own_wind() -> None:
    speed = np.stack([constant(0.0), constant(10.0)])

    phi = daily_potentials(fields(w1=1.0), speed, np.zeros_like(speed), None)

    assert phi.shape == (2, 8, *SHAPE)
    assert phi[1, W, 1, 1] == pytest.approx(phi[0, W, 1, 1] * math.e, rel=1e-6)

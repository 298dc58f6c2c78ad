"""The demo fire under the shipped network, and an untrained one, with the published gains: it looks like a fire."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.domain.fleet import Fleet
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.domain.weights import NetworkWeights
from firegui.fire.demo import make_demo
from firegui.fire.learned import network_maps
from firegui.fire.network import initial, weights_of
from firegui.fire.shipped import network_weights
from firegui.rollout.simulate import prepare, simulate
from tests.unit.domain.samples import training

DAYS = 2
WATER = 98


@cache
def demo() -> Scenario:
    return make_demo().scenario


@cache
def weights_called(name: str) -> NetworkWeights:
    return network_weights() if name == "shipped" else weights_of(initial(0), training())


both = pytest.mark.parametrize("model", ["shipped", "untrained"])


def burned(event: Scenario, name: str) -> NDArray[np.float32]:
    """``P [H, W]`` after two days without drops."""
    assert event.ignition is not None
    maps = network_maps(event, weights_called(name), event.ignition, 0, DAYS)
    nothing = np.zeros((0, *maps.shape), bool)
    model = prepare(maps, Fleet(()), nothing, (), weights=ObjectiveWeights(), effectiveness=NOMINAL)
    states = simulate(model, Schedule.empty(maps.n_steps, 0), keep_days=True).p_fire_days
    assert states is not None
    return np.asarray(states[-1], np.float32)


def mean_of(values: NDArray[np.float32], fire: NDArray[np.float32]) -> float:
    return float((fire * values).sum(dtype=np.float64) / fire.sum(dtype=np.float64))


def without_wind(event: Scenario) -> Scenario:
    return replace(event, wind_speed=np.zeros_like(event.wind_speed))


def without_slope(event: Scenario) -> Scenario:
    return replace(event, layers={key: values for key, values in event.layers.items() if key != "slope"})


@both
def test_it_climbs(model: str) -> None:
    still = without_wind(demo())
    height = demo().layers["elevation"]

    climbed = mean_of(height, burned(still, model)) - mean_of(height, burned(without_slope(still), model))

    assert climbed > 1.5


@both
@pytest.mark.parametrize("towards_deg", [0.0, 120.0, 250.0])
def test_it_follows_the_wind(towards_deg: float, model: str) -> None:
    way = np.deg2rad(towards_deg)
    flat = without_slope(demo())
    blown = replace(flat, wind_speed=np.full_like(flat.wind_speed, 5.0), wind_dir=np.full_like(flat.wind_dir, way))
    rows, columns = np.indices(flat.grid.shape, dtype=np.float32)
    still, windy = burned(without_wind(flat), model), burned(blown, model)

    east = mean_of(columns, windy) - mean_of(columns, still)
    north = mean_of(rows, still) - mean_of(rows, windy)

    assert east * np.cos(way) + north * np.sin(way) > 3.0


@both
def test_it_stops_at_the_reservoir(model: str) -> None:
    water = demo().layers["fuel"] == WATER
    shore = spread(water, 1) & ~water
    around = spread(water, 3) & ~spread(water, 2)

    fire = burned(replace(demo(), ignition=around), model)

    assert (fire[water] == 0.0).all()
    assert fire[shore].mean() > 0.3


def spread(mask: NDArray[np.bool_], cells: int) -> NDArray[np.bool_]:
    """The mask and everything within that many steps of it."""
    wide = np.pad(mask, cells)
    for _ in range(cells):
        wide = wide | np.roll(wide, 1, 0) | np.roll(wide, -1, 0)
        wide = wide | np.roll(wide, 1, 1) | np.roll(wide, -1, 1)
    return wide[cells:-cells, cells:-cells]

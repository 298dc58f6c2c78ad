"""The compiled daily part of the network states the maps that the network states."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from firegui.domain.weights import MAPS
from firegui.fire.features import NetworkFeatures
from firegui.fire.frozen_network import FrozenNetwork
from firegui.fire.learned import TorchMaps, daily_maps
from tests.unit.fire.test_network import lively, random_features, random_wind

SHAPE = (40, 53)


def features() -> NetworkFeatures:
    return random_features(3, SHAPE)


def winds() -> NDArray[np.float32]:
    return random_wind(4, SHAPE).numpy()


def forecast(row: int, column: int) -> NDArray[np.float32]:
    """Four even winds that meet at a cell."""
    wind = np.zeros((2, *SHAPE), np.float32)
    wind[:, :row, :column] = np.array([0.3, -0.7])[:, None, None]
    wind[:, row:, :column] = np.array([0.3, 0.2])[:, None, None]
    wind[:, :row, column:] = np.array([-0.2, 0.4])[:, None, None]
    return wind


def assert_same(found: dict[str, torch.Tensor], expected: dict[str, torch.Tensor]) -> None:
    assert list(found) == list(expected)
    for name, values in expected.items():
        torch.testing.assert_close(found[name], values, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("wind", [winds(), forecast(20, 31), forecast(3, 48), forecast(0, 0), forecast(39, 1)])
def test_in_any_wind_the_maps_are_those_of_the_convolutions(wind: NDArray[np.float32]) -> None:
    network, there = lively(), features()
    with torch.no_grad():
        expected = network.daily(network.static(there), torch.from_numpy(wind))
        assert min(values.std() for values in expected.values()) > 0.01

        assert_same(FrozenNetwork.of(network, there).daily(wind), expected)


@pytest.mark.parametrize("rows", [slice(0, 40), slice(7, 30)])
@pytest.mark.parametrize("columns", [slice(0, 53), slice(0, 9), slice(5, 22), slice(16, 48), slice(31, 53)])
def test_a_window_has_the_maps_of_the_convolutions_on_it(rows: slice, columns: slice) -> None:
    network, there, wind = lively(), features(), winds()[:, rows, columns]
    wind[:, :12] = wind[:, :1, :1]
    with torch.no_grad():
        part = tuple(shared[:, :, rows, columns] for shared in network.static(there))
        expected = network.daily(part, torch.from_numpy(wind))

        assert_same(FrozenNetwork.of(network, there).cropped(rows, columns).daily(wind), expected)


def test_without_numba_the_convolutions_state_the_maps_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    network, there, wind, window = lively(), features(), winds(), (slice(4, 30), slice(9, 44))
    fast = daily_maps(network, there)
    monkeypatch.setitem(sys.modules, "firegui.fire.frozen_network", None)
    slow = daily_maps(network, there)

    assert isinstance(fast, FrozenNetwork) and isinstance(slow, TorchMaps)
    assert_same(fast.daily(wind), slow.daily(wind))
    assert_same(fast.cropped(*window).daily(wind[:, *window]), slow.cropped(*window).daily(wind[:, *window]))


def test_only_the_maps_that_are_wanted_are_made_in_their_order() -> None:
    frozen, wind = FrozenNetwork.of(lively(), features()), winds()
    everything = frozen.daily(wind)

    found = frozen.daily(wind, ("fuel", "base_rate"))

    assert list(everything) == list(MAPS)
    assert list(found) == ["fuel", "base_rate"]
    for name, values in found.items():
        assert torch.equal(values, everything[name])

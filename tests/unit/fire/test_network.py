from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional

from firegui.domain.weights import MAPS, TENSOR_SHAPES
from firegui.errors import InputError
from firegui.fire.features import NetworkFeatures, wind_inputs
from firegui.fire.network import START, STRIP, Partial, SpreadNetwork, initial, network_of, weights_of
from tests.unit.domain.samples import training, weights

SHAPE = (11, 13)


def random_features(seed: int = 0, shape: tuple[int, int] = SHAPE) -> NetworkFeatures:
    rng = np.random.default_rng(seed)
    present = (rng.uniform(size=(7, *shape)) > 0.3).astype(np.float32)
    return NetworkFeatures(rng.random((7, *shape), np.float32), rng.integers(0, 205, shape), present)


def random_wind(seed: int = 1, shape: tuple[int, int] = SHAPE) -> Tensor:
    rng = np.random.default_rng(seed)
    return torch.from_numpy(wind_inputs(rng.random(shape, np.float32) * 9, rng.random(shape, np.float32) * 6))


def in_one_go(network: SpreadNetwork, features: NetworkFeatures, wind: Tensor) -> Tensor:
    """The published form: one convolution over all channels, concatenated, then 1 × 1."""
    parts = {name: torch.from_numpy(values) for name, values in weights_of(network, training()).tensors.items()}
    values, present = torch.from_numpy(features.values), torch.from_numpy(features.present)
    fuel = parts["fuel.weight"][torch.from_numpy(features.fuel)].permute(2, 0, 1) * present[3]
    channels = torch.cat([values, fuel, present, wind])[None]
    branches = [
        functional.relu(
            functional.conv2d(channels, parts[f"branches.{k}.weight"], parts[f"branches.{k}.bias"], padding=k + 1)
        )
        for k in range(3)
    ]
    maps = functional.conv2d(torch.cat(branches, dim=1), parts["head.weight"], parts["head.bias"])[0]
    return torch.cat([maps[:1].sigmoid(), functional.softplus(maps[1:])])


def lively() -> SpreadNetwork:
    """A network whose maps differ from cell to cell, and whose fuel vectors say something."""
    loud = {name: 40.0 * values for name, values in weights().tensors.items()}
    return network_of(replace(weights(), tensors=loud))


def daily(network: SpreadNetwork, partial: Partial, wind: Tensor) -> Tensor:
    return torch.stack(list(network.daily(partial, wind).values()))


def test_maps_that_are_not_wanted_are_left_out_and_change_no_other() -> None:
    network, wind = lively(), random_wind()
    partial = network.static(random_features())
    everything = network.daily(partial, wind)

    found = network.daily(partial, wind, ("fuel", "base_rate"))

    assert list(found) == ["fuel", "base_rate"]
    for name, values in found.items():
        torch.testing.assert_close(values, everything[name], rtol=1e-5, atol=1e-6)


def test_the_shared_and_the_daily_part_together_are_one_convolution() -> None:
    network, features, wind = lively(), random_features(), random_wind()

    found = daily(network, network.static(features), wind)

    expected = in_one_go(network, features, wind)
    assert found.shape == (6, *SHAPE)
    assert expected.std(dim=(1, 2)).min() > 0.01
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_a_raster_of_several_strips_has_no_seams() -> None:
    shape = (2 * STRIP + 3, 5)
    network, features, wind = lively(), random_features(shape=shape), random_wind(shape=shape)

    found = daily(network, network.static(features), wind)

    torch.testing.assert_close(found, in_one_go(network, features, wind), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("row", "column"), [(30, 41), (0, 0), (5, 60), (90, 3)])
def test_where_the_wind_is_the_same_all_around_the_maps_are_those_of_the_convolution(row: int, column: int) -> None:
    shape = (95, 66)
    network, features = lively(), random_features(shape=shape)
    wind = torch.empty(2, *shape)
    for number, part in enumerate((wind[:, :row], wind[:, row:])):
        part[..., :column] = torch.tensor([0.3, -0.7 + number])[:, None, None]
        part[..., column:] = torch.tensor([-0.2 * number, 0.4])[:, None, None]

    found = daily(network, network.static(features), wind)

    torch.testing.assert_close(found, in_one_go(network, features, wind), rtol=1e-4, atol=1e-5)


def test_the_shared_part_serves_every_day() -> None:
    network, features = lively(), random_features()
    partial = network.static(features)

    for seed in (1, 2):
        wind = random_wind(seed)
        torch.testing.assert_close(
            daily(network, partial, wind), in_one_go(network, features, wind), rtol=1e-4, atol=1e-5
        )


def test_a_cell_without_a_fuel_code_has_no_fuel_vector() -> None:
    features = random_features()
    features.present[3, 2, 2] = 0.0
    fuel = lively().static_channels(features)[7:11]

    assert (fuel[:, 2, 2] == 0.0).all()
    assert (fuel[:, features.present[3] == 1.0] != 0.0).all()


def test_what_lies_outside_the_raster_reads_as_absent() -> None:
    network, features, wind = lively(), random_features(), random_wind()

    def framed(
        values: np.ndarray[tuple[int, ...], np.dtype[np.float32]],
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return np.pad(values, ((0, 0), (3, 3), (3, 3)))

    wider = NetworkFeatures(framed(features.values), np.pad(features.fuel, 3), framed(features.present))
    around = daily(network, network.static(wider), functional.pad(wind, (3, 3, 3, 3)))

    torch.testing.assert_close(
        daily(network, network.static(features), wind), around[:, 3:-3, 3:-3], rtol=1e-4, atol=1e-5
    )


def test_the_rate_is_a_probability_and_the_other_maps_are_positive() -> None:
    maps = daily(lively(), lively().static(random_features()), random_wind())

    assert (maps > 0.0).all()
    assert (maps[0] < 1.0).all()


def test_an_untrained_network_states_the_starting_values_nearly_everywhere() -> None:
    network = initial(3)

    maps = daily(network, network.static(random_features()), random_wind())

    for name, found in zip(MAPS, maps, strict=True):
        assert found.mean().item() == pytest.approx(START[name], rel=0.1), name
        assert found.std().item() < 0.03 * START[name], name


def test_the_same_seed_begins_alike_and_another_does_not() -> None:
    one, same, other = (weights_of(initial(seed), training()).tensors for seed in (0, 0, 1))

    assert all(np.array_equal(one[name], same[name]) for name in TENSOR_SHAPES)
    assert not np.array_equal(one["branches.1.weight"], other["branches.1.weight"])


def test_a_fuel_code_that_no_training_saw_says_nothing() -> None:
    assert (weights_of(initial(0), training()).tensors["fuel.weight"] == 0.0).all()


def test_every_parameter_learns_from_the_maps() -> None:
    network = initial(0)
    features = random_features()
    torch.autograd.backward(daily(network, network.static(features), random_wind()).sum())

    for name, parameter in network.named_parameters():
        assert parameter.grad is not None
        assert parameter.grad.abs().max() > 0.0, name


def test_weights_survive_the_way_through_a_network() -> None:
    before = weights()

    after = weights_of(network_of(before), before.training, before.corrections)

    assert after.problems() == []
    assert all(np.array_equal(after.tensors[name], values) for name, values in before.tensors.items())


def test_a_network_and_its_weights_do_not_share_memory() -> None:
    network = initial(0)
    kept = weights_of(network, training())
    before = kept.tensors["head.bias"].copy()

    with torch.no_grad():
        network.get_parameter("head.bias").zero_()

    np.testing.assert_array_equal(kept.tensors["head.bias"], before)


def test_weights_that_do_not_fit_are_refused_with_every_reason() -> None:
    tensors = {name: values for name, values in weights().tensors.items() if "head" not in name}

    with pytest.raises(InputError) as caught:
        network_of(replace(weights(), tensors=tensors))

    assert {problem.where for problem in caught.value.problems} == {"head.weight", "head.bias"}

"""Network that turns landscape and wind into the six maps of the spread form.

The design is in ``design/3-model.md``. Three parallel convolutions of 3, 5 and 7 cells with 32 channels each and ReLU,
then a 1 × 1 convolution to six maps: ``p`` through a sigmoid, the others through a softplus. A convolution is linear,
so the part of its sum that does not change from day to day is computed once per event (:meth:`SpreadNetwork.static`)
and the wind's part is added before the ReLU (:meth:`SpreadNetwork.daily`); that is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from firegui.domain.weights import (
    CHANNELS,
    FUEL_CODES,
    FUEL_SIZE,
    KERNELS,
    MAPS,
    OPTIONAL_LAYERS,
    STATIC_CHANNELS,
    WIDTH,
    Correction,
    NetworkWeights,
    Training,
)
from firegui.errors import InputError
from firegui.fire.features import NetworkFeatures
from firegui.fire.prior import PRIOR

Partial = tuple[Tensor, ...]
"""The day-independent part of each convolution's sum, ``[1, 32, H, W]`` per kernel."""

START = {"base_rate": 0.03, "ignition_gain": 1.0, "fuel": 1.0, **PRIOR}
"""What an untrained network states everywhere."""

HEAD_WEIGHT = 0.01
HALO = max(KERNELS) // 2
STRIP = 64
"""Rows that are computed together: a third less time than the whole of a large raster at once."""

FUEL_FLAG = OPTIONAL_LAYERS.index("fuel")


class SpreadNetwork(nn.Module):
    """Spread network.

    Its parameters are named and shaped as in :data:`firegui.domain.weights.TENSOR_SHAPES`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fuel = nn.Embedding(FUEL_CODES, FUEL_SIZE)
        self.branches = nn.ModuleList(nn.Conv2d(CHANNELS, WIDTH, size, padding=size // 2) for size in KERNELS)
        self.head = nn.Conv2d(WIDTH * len(KERNELS), len(MAPS), 1)

    def static_channels(self, features: NetworkFeatures) -> Tensor:
        """Return every channel but the wind, ``[18, H, W]``: layers, fuel vectors, presence flags."""
        weight = self.fuel.weight
        values, present = (torch.from_numpy(part).to(weight) for part in (features.values, features.present))
        codes = torch.from_numpy(np.ascontiguousarray(features.fuel)).to(weight.device)
        # The flag keeps the vector of code 0 out where there is no code.
        fuel = self.fuel(codes).permute(2, 0, 1) * present[FUEL_FLAG]
        return torch.cat([values, fuel, present])

    def static(self, features: NetworkFeatures) -> Partial:
        """Return the part of the three sums that the days share, biases included."""
        channels = _packed(self.static_channels(features))
        return tuple(
            functional.conv2d(channels, weight[:, :STATIC_CHANNELS], bias, padding="same")
            for weight, bias in self._branches()
        )

    def daily(self, partial: Partial, wind: Tensor, wanted: Sequence[str] = MAPS) -> dict[str, Tensor]:
        """Return the maps ``wanted`` of a day by their names, ``[H, W]`` each.

        The names are in :data:`firegui.domain.weights.MAPS`. ``wind [2, H, W]`` is what
        :func:`firegui.fire.features.wind_inputs` gives.
        """
        chosen = [MAPS.index(name) for name in wanted]
        head, bias = self.head.weight[chosen], self._head_bias[chosen, None, None]
        framed = _packed(functional.pad(wind, (HALO, HALO, HALO, HALO)))
        starts = range(0, int(wind.shape[1]), STRIP)
        total = torch.cat([self._strip(partial, framed, head, row) for row in starts], dim=1) + bias
        return {name: activated(name, part) for name, part in zip(wanted, total, strict=True)}

    def _strip(self, partial: Partial, framed: Tensor, head: Tensor, row: int) -> Tensor:
        """Return the head's sums on :data:`STRIP` rows from ``row`` on.

        ``framed`` is the wind with :data:`HALO` cells around. A few rows and one kernel at a time, and in place: so the
        32 channels stay in the processor's cache.
        """
        sums: list[Tensor] = []
        for (weight, _), part, shared in zip(self._branches(), torch.split(head, WIDTH, dim=1), partial, strict=True):
            here = shared[:, :, row : row + STRIP]
            spare = HALO - int(weight.shape[-1]) // 2
            wind = framed[:, :, row + spare : row + int(here.shape[2]) + 2 * HALO - spare, spare:][
                ..., : -spare or None
            ]
            hidden = functional.conv2d(wind, weight[:, STATIC_CHANNELS:]).add_(here).relu_()
            sums.append(functional.conv2d(hidden, part)[0])
        return torch.stack(sums).sum(dim=0)

    @property
    def _head_bias(self) -> Tensor:
        return self.get_parameter("head.bias")

    def _branches(self) -> list[tuple[Tensor, Tensor]]:
        # The convolutions are called as functions, because static and daily channels are used apart.
        names = (f"branches.{index}" for index in range(len(KERNELS)))
        return [(self.get_parameter(f"{name}.weight"), self.get_parameter(f"{name}.bias")) for name in names]


def initial(seed: int) -> SpreadNetwork:
    """Return an untrained network, the same for the same seed.

    It gives :data:`START` everywhere, within about a percent. Convolutions are uniform within ``± 1/√(inputs)``. Fuel
    vectors are 0, so that a code no training ever saw says nothing.
    """
    generator = torch.Generator().manual_seed(seed)
    network = SpreadNetwork()
    with torch.no_grad():
        network.fuel.weight.zero_()
        for index, size in enumerate(KERNELS):
            bound = 1.0 / math.sqrt(CHANNELS * size * size)
            for part in network.branches[index].parameters():
                part.uniform_(-bound, bound, generator=generator)
        network.head.weight.uniform_(-HEAD_WEIGHT, HEAD_WEIGHT, generator=generator)
        network._head_bias.copy_(torch.tensor([_before_activation(name) for name in MAPS]))
    return network


def network_of(weights: NetworkWeights) -> SpreadNetwork:
    """Return the network with these weights, on the CPU.

    Raises :class:`~firegui.errors.InputError` with every problem of the weights.
    """
    problems = weights.problems()
    if problems:
        raise InputError(problems, "The weights of the fire model cannot be used")
    network = SpreadNetwork()
    network.load_state_dict({name: torch.tensor(tensor) for name, tensor in weights.tensors.items()})
    return network


def weights_of(network: SpreadNetwork, training: Training, corrections: tuple[Correction, ...] = ()) -> NetworkWeights:
    """Return a copy of the network's weights as plain arrays, with what they were trained on."""
    tensors = {
        name: np.array(tensor.detach().to("cpu", torch.float32).numpy())
        for name, tensor in network.state_dict().items()
    }
    return NetworkWeights(tensors, training, corrections)


def activated(name: str, total: Tensor) -> Tensor:
    """Return the map of this name from the head's sums.

    It is a sigmoid for the base rate and a softplus for the others.
    """
    return torch.sigmoid(total) if name == "base_rate" else functional.softplus(total)


def _packed(channels: Tensor) -> Tensor:
    """Return ``channels`` as a batch of one, ``[1, C, H, W]``, with a cell's channels side by side.

    The convolutions are faster in this layout.
    """
    return channels[None].contiguous(memory_format=torch.channels_last)


def _before_activation(name: str) -> float:
    """Return the inverse of sigmoid and softplus at the starting value of a map."""
    value = START[name]
    return math.log(value / (1.0 - value)) if name == "base_rate" else math.log(math.expm1(value))

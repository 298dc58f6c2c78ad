"""The network that turns landscape and wind into the six maps of the spread form (``design/3-model.md``).

Three parallel convolutions of 3, 5 and 7 cells with 32 channels each and ReLU, then a 1 × 1 convolution to six maps:
``p`` through a sigmoid, the others through a softplus. A convolution is linear, so the part of its sum that does not
change from day to day is computed once per event (:meth:`SpreadNetwork.static`) and the wind's part is added before the
ReLU (:meth:`SpreadNetwork.daily`); that is exact.
"""

from __future__ import annotations

import math

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
from firegui.fire.features import Features
from firegui.fire.prior import PRIOR

Partial = tuple[Tensor, ...]
"""The day-independent part of each convolution's sum, ``[1, 32, H, W]`` per kernel."""

START = {"base_rate": 0.03, "ignition_gain": 1.0, "fuel": 1.0, **PRIOR}
"""What an untrained network states everywhere."""

HEAD_WEIGHT = 0.01
FUEL_FLAG = OPTIONAL_LAYERS.index("fuel")


class SpreadNetwork(nn.Module):
    """The network; its parameters are named and shaped as :data:`firegui.domain.weights.TENSOR_SHAPES` says."""

    def __init__(self) -> None:
        super().__init__()
        self.fuel = nn.Embedding(FUEL_CODES, FUEL_SIZE)
        self.branches = nn.ModuleList(nn.Conv2d(CHANNELS, WIDTH, size, padding=size // 2) for size in KERNELS)
        self.head = nn.Conv2d(WIDTH * len(KERNELS), len(MAPS), 1)

    def static_channels(self, features: Features) -> Tensor:
        """Every channel but the wind, ``[18, H, W]``: layers, fuel vectors, presence flags."""
        weight = self.fuel.weight
        values, present = (torch.from_numpy(part).to(weight) for part in (features.values, features.present))
        codes = torch.from_numpy(np.ascontiguousarray(features.fuel)).to(weight.device)
        # The flag keeps the vector of code 0 out where there is no code.
        fuel = self.fuel(codes).permute(2, 0, 1) * present[FUEL_FLAG]
        return torch.cat([values, fuel, present])

    def static(self, features: Features) -> Partial:
        """The part of the three sums that the days share, biases included."""
        channels = _packed(self.static_channels(features))
        return tuple(
            functional.conv2d(channels, weight[:, :STATIC_CHANNELS], bias, padding="same")
            for weight, bias in self._branches()
        )

    def daily(self, partial: Partial, wind: Tensor) -> Tensor:
        """The six maps of a day ``[6, H, W]``, in the order of :data:`firegui.domain.weights.MAPS`.

        ``wind [2, H, W]`` is what :func:`firegui.fire.features.wind_inputs` gives.
        """
        heads = torch.split(self.head.weight, WIDTH, dim=1)
        total = self._head_bias[:, None, None]
        for (weight, _), head, shared in zip(self._branches(), heads, partial, strict=True):
            blown = functional.conv2d(_packed(wind), weight[:, STATIC_CHANNELS:], padding="same")
            # Kernel by kernel, because the 96 channels of a large raster together would fill the memory.
            total = total + functional.conv2d(functional.relu(blown + shared), head)[0]
        return torch.cat([torch.sigmoid(total[:1]), functional.softplus(total[1:])])

    @property
    def _head_bias(self) -> Tensor:
        return self.get_parameter("head.bias")

    def _branches(self) -> list[tuple[Tensor, Tensor]]:
        # The convolutions are called as functions, because static and daily channels are used apart.
        names = (f"branches.{index}" for index in range(len(KERNELS)))
        return [(self.get_parameter(f"{name}.weight"), self.get_parameter(f"{name}.bias")) for name in names]


def initial(seed: int) -> SpreadNetwork:
    """An untrained network, the same for the same seed: it states :data:`START` everywhere, within about a percent.

    Convolutions are uniform within ``± 1/√(inputs)``. Fuel vectors are 0, so that a code no training ever saw says
    nothing.
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
    """The network with these weights, on the CPU; :class:`~firegui.errors.InputError` lists what is wrong with them."""
    problems = weights.problems()
    if problems:
        raise InputError(problems, "The weights of the fire model cannot be used")
    network = SpreadNetwork()
    network.load_state_dict({name: torch.tensor(tensor) for name, tensor in weights.tensors.items()})
    return network


def weights_of(network: SpreadNetwork, training: Training, corrections: tuple[Correction, ...] = ()) -> NetworkWeights:
    """A copy of the network's weights as plain arrays, with what they were trained on."""
    tensors = {
        name: np.array(tensor.detach().to("cpu", torch.float32).numpy())
        for name, tensor in network.state_dict().items()
    }
    return NetworkWeights(tensors, training, corrections)


def _packed(channels: Tensor) -> Tensor:
    """As a batch of one ``[1, C, H, W]``, a cell's channels side by side: the convolutions are faster that way."""
    return channels[None].contiguous(memory_format=torch.channels_last)


def _before_activation(name: str) -> float:
    """The inverse of sigmoid and softplus at the starting value of a map."""
    value = START[name]
    return math.log(value / (1.0 - value)) if name == "base_rate" else math.log(math.expm1(value))

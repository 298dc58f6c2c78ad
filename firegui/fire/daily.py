"""The maps of a day where nothing is learned: compiled, or for want of numba in torch and several times slower."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.weights import MAPS
from firegui.fire.features import Features
from firegui.fire.network import Partial, SpreadNetwork


class DailyMaps(Protocol):
    """The network on an event, what days share computed once."""

    def cropped(self, rows: slice, columns: slice) -> DailyMaps:
        """A window of the event, in whose outermost cells the wind outside counts as 0."""

    def daily(self, wind: NDArray[np.float32], wanted: Sequence[str] = MAPS) -> dict[str, Tensor]:
        """The maps ``wanted`` of a day, ``[H, W]`` each; see :meth:`firegui.fire.network.SpreadNetwork.daily`."""


@dataclass(frozen=True, slots=True, eq=False)
class TorchMaps:
    """:class:`DailyMaps` by the convolutions themselves."""

    network: SpreadNetwork
    partial: Partial

    def cropped(self, rows: slice, columns: slice) -> TorchMaps:
        """See :meth:`DailyMaps.cropped`."""
        return replace(self, partial=tuple(shared[:, :, rows, columns] for shared in self.partial))

    def daily(self, wind: NDArray[np.float32], wanted: Sequence[str] = MAPS) -> dict[str, Tensor]:
        """See :meth:`DailyMaps.daily`."""
        with torch.no_grad():
            return self.network.daily(self.partial, torch.from_numpy(wind), wanted)


def daily_maps(network: SpreadNetwork, features: Features) -> DailyMaps:
    """The faster way that this computer has."""
    try:
        # By name: numba is not on every machine that has torch.
        made: DailyMaps = import_module("firegui.fire.frozen_network").FrozenNetwork.of(network, features)
    except ImportError:
        with torch.no_grad():
            return TorchMaps(network, network.static(features))
    return made

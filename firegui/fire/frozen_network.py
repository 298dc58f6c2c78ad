"""The network on an event where nothing is learned: what days share is laid out once for the compiled daily part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from firegui.domain.weights import KERNELS, MAPS, STATIC_CHANNELS, WIDTH
from firegui.fire.daily_kernel import CHANNELS, HALO, LANES, Floats, Weights, head_sums, taps_of
from firegui.fire.features import Features
from firegui.fire.network import SpreadNetwork, activated


@dataclass(frozen=True, slots=True, eq=False)
class FrozenNetwork:
    """:class:`~firegui.fire.network.SpreadNetwork` where nothing is learned: the same but for rounding, and faster.

    ``shared [H, W / 16, 96, 16]`` is what the three convolutions share from day to day, of the whole event; ``rows``
    and ``columns`` are the window that is asked for. The other fields are as
    :class:`~firegui.fire.daily_kernel.Weights` has them.
    """

    shared: Floats
    rows: slice
    columns: slice
    taps: Floats
    even: Floats
    head: Floats
    bias: Floats

    @staticmethod
    def of(network: SpreadNetwork, features: Features) -> FrozenNetwork:
        """Computes the shared part."""
        rows, columns = features.fuel.shape
        pieces = -(-columns // LANES)
        shared = np.zeros((rows, pieces, CHANNELS, LANES), np.float32)
        with torch.no_grad():
            for branch, part in enumerate(network.static(features)):
                wide = functional.pad(part[0], (0, pieces * LANES - columns)).reshape(WIDTH, rows, pieces, LANES)
                shared[:, :, branch * WIDTH : (branch + 1) * WIDTH] = wide.permute(1, 2, 0, 3).numpy()
        state = {name: tensor.detach().numpy() for name, tensor in network.state_dict().items()}
        taps, even = taps_of([state[f"branches.{k}.weight"][:, STATIC_CHANNELS:] for k in range(len(KERNELS))])
        head, bias = np.array(state["head.weight"][:, :, 0, 0]), np.array(state["head.bias"])
        return FrozenNetwork(shared, slice(0, rows), slice(0, columns), taps, even, head, bias)

    def cropped(self, rows: slice, columns: slice) -> FrozenNetwork:
        """A window of the event, in whose outermost :data:`HALO` cells the wind outside counts as 0."""
        return replace(self, rows=rows, columns=columns)

    def daily(self, wind: NDArray[np.float32], wanted: Sequence[str] = MAPS) -> dict[str, Tensor]:
        """The maps ``wanted`` of a day, ``[H, W]`` each; see :meth:`firegui.fire.network.SpreadNetwork.daily`."""
        rows, columns = self.rows, self.columns
        height, lead = rows.stop - rows.start, columns.start % LANES
        pieces = -(-columns.stop // LANES) - columns.start // LANES
        width = pieces * LANES + 2 * HALO
        framed = np.zeros((2, height + 2 * HALO, width), np.float32)
        left = HALO + lead
        framed[:, HALO:-HALO, left : left + columns.stop - columns.start] = wind
        chosen = [MAPS.index(name) for name in wanted]
        weights = Weights(self.taps, self.even, self.head[chosen], self.bias[chosen])
        out = np.empty((len(chosen), height, pieces * LANES), np.float32)
        stride = self.shared[0].size
        first = rows.start * stride + columns.start // LANES * LANES * CHANNELS
        sums = np.empty(len(chosen) * LANES, np.float32)
        head_sums(self.shared.reshape(-1), first, stride, weights, framed.reshape(2, -1), width, out, sums)
        total = torch.from_numpy(out[..., lead : lead + columns.stop - columns.start])
        return {name: activated(name, part) for name, part in zip(wanted, total, strict=True)}

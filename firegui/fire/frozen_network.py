"""Network without training: what days share is computed once for the compiled daily part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from firegui.domain.weights import KERNELS, MAPS, STATIC_CHANNELS, WIDTH
from firegui.fire.features import NetworkFeatures
from firegui.fire.network import SpreadNetwork, activated
from firegui.native.compiled import inlined, kernel
from firegui.native.vectors import fma, load16, splat16, store, where_above


@dataclass(frozen=True, slots=True, eq=False)
class FrozenNetwork:
    """:class:`~firegui.fire.network.SpreadNetwork` without training: faster, equal but for rounding.

    ``shared [H, W / 16, 96, 16]`` is what the three convolutions share from day to day, of the whole event; ``rows``
    and ``columns`` are the requested window. The other fields are as
    :class:`~firegui.fire.frozen_network.Weights` has them.
    """

    shared: Floats
    rows: slice
    columns: slice
    taps: Floats
    even: Floats
    head: Floats
    bias: Floats

    @staticmethod
    def of(network: SpreadNetwork, features: NetworkFeatures) -> FrozenNetwork:
        """Compute the shared part."""
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
        """Return a window of the event, in whose outermost :data:`HALO` cells the wind outside counts as 0."""
        return replace(self, rows=rows, columns=columns)

    def daily(self, wind: NDArray[np.float32], wanted: Sequence[str] = MAPS) -> dict[str, Tensor]:
        """Return the maps ``wanted`` of a day, ``[H, W]`` each.

        See :meth:`firegui.fire.network.SpreadNetwork.daily`.
        """
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


Floats = NDArray[np.float32]

LANES = 16
CHANNELS = WIDTH * len(KERNELS)
HALO = max(KERNELS) // 2


class Weights(NamedTuple):
    """The network's weights as the kernel reads them.

    ``taps`` of the three convolutions behind each other, ``[size, size, 2, 32]`` each; ``even [2, 96]``, their sums;
    ``head [M, 96]`` and ``bias [M]`` of the maps that are wanted.
    """

    taps: Floats
    even: Floats
    head: Floats
    bias: Floats


@inlined
def _is_even(wind: Floats, width: int, at: int, cells: int) -> bool:
    """Return whether ``cells`` in a row from ``at`` on, and :data:`HALO` around them, have one wind."""
    for row in range(2 * HALO + 1):
        for place in range(at + row * width, at + row * width + cells + 2 * HALO):
            if wind[0, place] != wind[0, at] or wind[1, place] != wind[1, at]:
                return False
    return True


@inlined
def _give(sums: Floats, head: Floats, channel: int, a: Any, b: Any, c: Any, d: Any) -> None:
    """Add the share of four hidden channels to the head's sums of a piece."""
    nothing = splat16(np.float32(0.0))
    a, b = where_above(a, nothing, a), where_above(b, nothing, b)
    c, d = where_above(c, nothing, c), where_above(d, nothing, d)
    for wanted in range(len(head)):
        total = fma(a, splat16(head[wanted, channel]), load16(sums, wanted * LANES))
        total = fma(b, splat16(head[wanted, channel + 1]), total)
        total = fma(c, splat16(head[wanted, channel + 2]), total)
        store(sums, wanted * LANES, fma(d, splat16(head[wanted, channel + 3]), total))


@inlined
def _sum_even(shared: Floats, begin: int, weights: Weights, u: Any, v: Any, sums: Floats) -> None:
    """Compute the head's sums of a piece in an even wind."""
    west, north = weights.even[0], weights.even[1]
    for channel in range(0, CHANNELS, 4):
        at = begin + channel * LANES
        a = fma(v, splat16(north[channel]), fma(u, splat16(west[channel]), load16(shared, at)))
        b = fma(v, splat16(north[channel + 1]), fma(u, splat16(west[channel + 1]), load16(shared, at + 16)))
        c = fma(v, splat16(north[channel + 2]), fma(u, splat16(west[channel + 2]), load16(shared, at + 32)))
        d = fma(v, splat16(north[channel + 3]), fma(u, splat16(west[channel + 3]), load16(shared, at + 48)))
        _give(sums, weights.head, channel, a, b, c, d)


@inlined
def _sum_swept(shared: Floats, begin: int, weights: Weights, wind: Floats, width: int, at: int, sums: Floats) -> None:
    """Compute the head's sums of a piece in any wind.

    ``at`` is the first cell in reach of the largest convolution from the piece's first.
    """
    plane, first_tap = wind.shape[1], 0
    for branch in range(3):
        size = 3 + 2 * branch
        corner = at + (2 - branch) * (width + 1)
        for channel in range(0, 32, 4):
            hidden = branch * 32 + channel
            place = begin + hidden * LANES
            a, b = load16(shared, place), load16(shared, place + 16)
            c, d = load16(shared, place + 32), load16(shared, place + 48)
            for row in range(size):
                for column in range(size):
                    tap = first_tap + (row * size + column) * 64 + channel
                    blown = load16(wind, corner + row * width + column)
                    a, b = fma(blown, splat16(weights.taps[tap]), a), fma(blown, splat16(weights.taps[tap + 1]), b)
                    c, d = fma(blown, splat16(weights.taps[tap + 2]), c), fma(blown, splat16(weights.taps[tap + 3]), d)
                    tap += 32
                    blown = load16(wind, plane + corner + row * width + column)
                    a, b = fma(blown, splat16(weights.taps[tap]), a), fma(blown, splat16(weights.taps[tap + 1]), b)
                    c, d = fma(blown, splat16(weights.taps[tap + 2]), c), fma(blown, splat16(weights.taps[tap + 3]), d)
            _give(sums, weights.head, hidden, a, b, c, d)
        first_tap += size * size * 64


@kernel
def head_sums(
    shared: Floats, first: int, stride: int, weights: Weights, wind: Floats, width: int, out: Floats, sums: Floats
) -> None:  # fmt: skip
    """Compute the head's sums of a window into ``out [M, rows, columns]``.

    ``columns`` is a multiple of :data:`LANES`. ``shared`` is cut into pieces of :data:`LANES` cells of a row,
    ``[96, 16]`` each: the window begins at number ``first``, its rows are ``stride`` numbers apart. ``wind [2, n]`` has
    rows of ``width``, :data:`HALO` more cells on every side of the window, and enough behind the last row for whole
    pieces. ``sums [M · 16]`` is written over.
    """
    for y in range(out.shape[1]):
        for piece in range(out.shape[2] // LANES):
            for wanted in range(len(weights.head)):
                store(sums, wanted * LANES, splat16(weights.bias[wanted]))
            at = y * width + piece * LANES
            begin = first + y * stride + piece * LANES * CHANNELS
            if _is_even(wind, width, at, LANES):
                _sum_even(shared, begin, weights, splat16(wind[0, at]), splat16(wind[1, at]), sums)
            else:
                _sum_swept(shared, begin, weights, wind, width, at, sums)
            for wanted in range(len(weights.head)):
                for lane in range(LANES):
                    out[wanted, y, piece * LANES + lane] = sums[wanted * LANES + lane]


def taps_of(kernels: list[Floats]) -> tuple[Floats, Floats]:
    """Return ``taps`` and ``even`` of :class:`Weights`.

    They are made of the wind's weights ``[32, 2, size, size]`` of each convolution.
    """
    assert [weight.shape for weight in kernels] == [(WIDTH, 2, size, size) for size in KERNELS]
    taps = np.concatenate([weight.transpose(2, 3, 1, 0).ravel() for weight in kernels])
    even = np.concatenate([weight.sum(axis=(2, 3), dtype=np.float64) for weight in kernels]).T
    return np.ascontiguousarray(taps, np.float32), np.ascontiguousarray(even, np.float32)

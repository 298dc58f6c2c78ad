"""The stencil in kernels: gains, exposures of a row, and what emitters and passed cells are given.

What the knight's moves add is in tuples of 8 vectors in the order of :data:`firegui.domain.stencil.KNIGHTS`, or of none
for 8 neighbours. A condition on the length of a tuple is decided when the kernel is compiled, so that 8 neighbours pay
nothing for 16.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from firegui.native.compiled import inlined
from firegui.native.vectors import first_lane, fma, last_lane, load16, splat16, store, to_left, to_right
from firegui.rollout.kernels.cpu_arithmetic import bright16, wake
from firegui.rollout.kernels.layout import Decay, Floats, Marks, Sizes, Slots, Words

Rows = tuple[Any, ...]
"""A vector of 16 lanes per neighbour."""


# -- gains and exposures ----------------------------------------------------------------------------------------------
@inlined
def row_gains(shape: Sizes) -> int:
    """Return the number of gains of a row of a tile: 16 for each neighbour."""
    return 16 * (8 + len(shape.knights))


@inlined
def period_start(step: int, clock: Decay, shape: Sizes) -> int:
    """Return the number of tiles of the periods before that of a step."""
    return step // clock.steps_per_period * shape.tile_rows * shape.tile_columns


@inlined
def gain_place(start: int, chunk: int, shape: Sizes, slots: Slots) -> int:
    """Return where the gains of a row of a tile begin, ``start`` being :func:`period_start`.

    Those of a tile that has not been made are nowhere, and the place is negative.
    """
    if len(slots) > 0:
        return int(slots[start + (chunk >> 2)] * 4 + (chunk & 3)) * row_gains(shape)
    return (start * 4 + chunk) * row_gains(shape)


@inlined
def near_gains(gains: Floats, gain: int) -> Rows:
    """Return ``K_n`` of the eight nearest neighbours of a row, whose gains begin at ``gain``."""
    return (
        load16(gains, gain), load16(gains, gain + 16), load16(gains, gain + 32), load16(gains, gain + 48),
        load16(gains, gain + 64), load16(gains, gain + 80), load16(gains, gain + 96), load16(gains, gain + 112),
    )  # fmt: skip


@inlined
def near_shares(emission: Floats, at: int, stride: int, gains: Rows) -> Rows:
    """Return ``p_n = K_n S_n`` of the eight nearest neighbours."""
    return (
        load16(emission, at - stride - 1) * gains[0], load16(emission, at - stride) * gains[1],
        load16(emission, at - stride + 1) * gains[2], load16(emission, at - 1) * gains[3],
        load16(emission, at + 1) * gains[4], load16(emission, at + stride - 1) * gains[5],
        load16(emission, at + stride) * gains[6], load16(emission, at + stride + 1) * gains[7],
    )  # fmt: skip


@inlined
def far_gains(
    gains: Floats, retardant: Floats, at: int, gain: int, stride: int, treated: bool, knights: tuple[int, ...]
) -> Rows:
    """Return ``K_n Π_z r(z)`` of the knight's moves, whose two passed cells are ``z``.

    Without ``treated`` all factors are 1. Faint products are 0, as faint factors are.
    """
    if len(knights) > 0:
        k0, k1, k2, k3 = (
            load16(gains, gain + 128), load16(gains, gain + 144), load16(gains, gain + 160), load16(gains, gain + 176)
        )  # fmt: skip
        k4, k5, k6, k7 = (
            load16(gains, gain + 192), load16(gains, gain + 208), load16(gains, gain + 224), load16(gains, gain + 240)
        )  # fmt: skip
        if treated:
            north_west, north_east = load16(retardant, at - stride - 1), load16(retardant, at - stride + 1)
            south_west, south_east = load16(retardant, at + stride - 1), load16(retardant, at + stride + 1)
            north, west = load16(retardant, at - stride), load16(retardant, at - 1)
            east, south = load16(retardant, at + 1), load16(retardant, at + stride)
            k0, k1 = k0 * bright16(north * north_west), k1 * bright16(north * north_east)
            k2, k3 = k2 * bright16(west * north_west), k3 * bright16(east * north_east)
            k4, k5 = k4 * bright16(west * south_west), k5 * bright16(east * south_east)
            k6, k7 = k6 * bright16(south * south_west), k7 * bright16(south * south_east)
        return k0, k1, k2, k3, k4, k5, k6, k7
    return ()


@inlined
def far_shares(emission: Floats, at: int, stride: int, gains: Rows) -> Rows:
    """Return ``p_n`` of the knight's moves."""
    if len(gains) > 0:
        up, down = at - 2 * stride, at + 2 * stride
        return (
            load16(emission, up - 1) * gains[0], load16(emission, up + 1) * gains[1],
            load16(emission, at - stride - 2) * gains[2], load16(emission, at - stride + 2) * gains[3],
            load16(emission, at + stride - 2) * gains[4], load16(emission, at + stride + 2) * gains[5],
            load16(emission, down - 1) * gains[6], load16(emission, down + 1) * gains[7],
        )  # fmt: skip
    return ()


@inlined
def added(heat: Any, shares: Rows) -> Any:
    """Return ``heat + Σ shares``, added one after another."""
    if len(shares) > 0:
        heat = heat + shares[0] + shares[1] + shares[2] + shares[3] + shares[4] + shares[5] + shares[6] + shares[7]
    return heat


@inlined
def row_heat(emission: Floats, gains: Floats, retardant: Floats, at: int, gain: int, shape: Sizes) -> Any:
    """Return ``Σ p_n`` of a row, in the order of the forward pass."""
    near = near_shares(emission, at, shape.stride, near_gains(gains, gain))
    heat = near[0] + near[1] + near[2] + near[3] + near[4] + near[5] + near[6] + near[7]
    far = far_gains(gains, retardant, at, gain, shape.stride, True, shape.knights)
    return added(heat, far_shares(emission, at, shape.stride, far))


# -- what a row gives back --------------------------------------------------------------------------------------------
@inlined
def passed(shares: Rows) -> Rows:
    """Return what passes each of the eight nearest cells on knight's moves, in the order of those cells."""
    return (
        shares[0] + shares[2], shares[0] + shares[1], shares[1] + shares[3], shares[2] + shares[4],
        shares[3] + shares[5], shares[4] + shares[6], shares[6] + shares[7], shares[5] + shares[7],
    )  # fmt: skip


@inlined
def with_passed(near: Rows, far: Rows) -> Rows:
    """Return the shares of the eight nearest cells with what passes them."""
    if len(far) > 0:
        by = passed(far)
        return (
            near[0] + by[0], near[1] + by[1], near[2] + by[2], near[3] + by[3],
            near[4] + by[4], near[5] + by[5], near[6] + by[6], near[7] + by[7],
        )  # fmt: skip
    return near


@inlined
def give(field: Floats, at: int, flow: Any, share: Any) -> None:
    """Add ``field += flow · share`` on a row."""
    store(field, at, fma(flow, share, load16(field, at)))


@inlined
def _add_row(field: Floats, at: int, west: Any, middle: Any, east: Any) -> None:
    """Add to a row of emitters.

    Lane ``k`` of ``west`` belongs to column ``k − 1``, of ``east`` to ``k + 1``. The three meet in registers: storing
    and loading pieces that overlap would stall the processor.
    """
    store(field, at, load16(field, at) + (to_left(west) + middle + to_right(east)))
    field[at - 1] += first_lane(west)
    field[at + 16] += last_lane(east)


@inlined
def _add_wide_row(field: Floats, at: int, far_west: Any, west: Any, middle: Any, east: Any, far_east: Any) -> None:
    """Do the same with ``far_west`` for the columns ``k − 2`` and ``far_east`` for ``k + 2``."""
    _add_row(field, at, west + to_left(far_west), middle, east + to_right(far_east))
    field[at - 2] += first_lane(far_west)
    field[at + 17] += last_lane(far_east)


@inlined
def give_around(field: Floats, at: int, stride: int, flow: Any, near: Rows, middle: Any, far: Rows) -> None:
    """Add ``flow`` times its share to each neighbour of a row, and ``flow · middle`` to the row itself."""
    nothing = splat16(np.float32(0.0))
    if len(far) > 0:
        _add_row(field, at - 2 * stride, flow * far[0], nothing, flow * far[1])
        _add_wide_row(field, at - stride, flow * far[2], flow * near[0], flow * near[1], flow * near[2], flow * far[3])
        _add_row(field, at, flow * near[3], flow * middle, flow * near[4])
        _add_wide_row(field, at + stride, flow * far[4], flow * near[5], flow * near[6], flow * near[7], flow * far[5])
        _add_row(field, at + 2 * stride, flow * far[6], nothing, flow * far[7])
    else:
        _add_row(field, at - stride, flow * near[0], flow * near[1], flow * near[2])
        _add_row(field, at + stride, flow * near[5], flow * near[6], flow * near[7])
        _add_row(field, at, flow * near[3], flow * middle, flow * near[4])


@inlined
def give_passed(field: Floats, at: int, stride: int, flow: Any, far: Rows) -> None:
    """Add ``flow`` times what passes them to the cells around a row."""
    if len(far) > 0:
        give_around(field, at, stride, flow, passed(far), splat16(np.float32(0.0)), ())


@inlined
def _take_row(field: Floats, retardant: Floats, emitter: bool, at: int, west: Any, middle: Any, east: Any) -> None:
    """Subtract from a row of emitters, by their retardant factor, what :func:`_add_row` would add."""
    share = to_left(west) + middle + to_right(east)
    left, right = first_lane(west), last_lane(east)
    if emitter:
        share = share * load16(retardant, at)
        left, right = left * retardant[at - 1], right * retardant[at + 16]
    store(field, at, load16(field, at) - share)
    field[at - 1] -= left
    field[at + 16] -= right


@inlined
def _take_wide_row(
    field: Floats, retardant: Floats, emitter: bool, at: int, far_west: Any, west: Any, middle: Any, east: Any,
    far_east: Any,
) -> None:  # fmt: skip
    """Do the same with two more columns; see :func:`_add_wide_row`."""
    _take_row(field, retardant, emitter, at, west + to_left(far_west), middle, east + to_right(far_east))
    left, right = first_lane(far_west), last_lane(far_east)
    if emitter:
        left, right = left * retardant[at - 2], right * retardant[at + 17]
    field[at - 2] -= left
    field[at + 17] -= right


@inlined
def take_around(
    field: Floats, retardant: Floats, emitter: bool, at: int, stride: int, flow: Any, near: Rows, far: Rows
) -> None:
    """Subtract what :func:`give_around` would add to the neighbours, by their retardant factor."""
    nothing = splat16(np.float32(0.0))
    if len(far) > 0:
        _take_row(field, retardant, emitter, at - 2 * stride, flow * far[0], nothing, flow * far[1])
        _take_wide_row(
            field, retardant, emitter, at - stride, flow * far[2], flow * near[0], flow * near[1], flow * near[2],
            flow * far[3],
        )  # fmt: skip
        _take_row(field, retardant, emitter, at, flow * near[3], nothing, flow * near[4])
        _take_wide_row(
            field, retardant, emitter, at + stride, flow * far[4], flow * near[5], flow * near[6], flow * near[7],
            flow * far[5],
        )  # fmt: skip
        _take_row(field, retardant, emitter, at + 2 * stride, flow * far[6], nothing, flow * far[7])
    else:
        _take_row(field, retardant, emitter, at - stride, flow * near[0], flow * near[1], flow * near[2])
        _take_row(field, retardant, emitter, at, flow * near[3], nothing, flow * near[4])
        _take_row(field, retardant, emitter, at + stride, flow * near[5], flow * near[6], flow * near[7])


# -- sets of tiles ----------------------------------------------------------------------------------------------------
@inlined
def treated_tiles(marks: Marks, tile_row: int, word: int, shape: Sizes, knights: tuple[int, ...]) -> int:
    """Return the tiles of a word in which retardant acts on some exposure.

    That is where it lies. A knight's move passes cells beside its receiver, which may lie in a neighbouring tile.
    """
    found = marks.treated[tile_row * shape.words + word]
    if len(knights) > 0:
        for row in range(max(tile_row - 1, 0), min(tile_row + 2, shape.tile_rows)):
            here = marks.treated[row * shape.words + word]
            found |= here | here << 1 | here >> 1 & np.int64(0x7FFFFFFFFFFFFFFF)
            if word > 0:
                found |= marks.treated[row * shape.words + word - 1] >> 63 & 1
            if word + 1 < shape.words:
                found |= marks.treated[row * shape.words + word + 1] << 63
    return int(found)


@inlined
def wake_around(
    marks: Words, tile_row: int, tile_column: int, either: int, first: int, second: int, third: int, last: int,
    shape: Sizes, knights: tuple[int, ...],
) -> None:  # fmt: skip
    """Wake a tile, and each neighbour that has a cell with a neighbour that ignited.

    The bits are those of all rows, and of each.
    """
    west, east = 1, 0x8000
    up, up_west, up_east, down, down_west, down_east = first, first & 1, first & 0x8000, last, last & 1, last & 0x8000
    if len(knights) > 0:
        west, east = 3, 0xC000
        up, up_west, up_east = first | second, first & 3 | second & 1, first & 0xC000 | second & 0x8000
        down, down_west, down_east = last | third, last & 3 | third & 1, last & 0xC000 | third & 0x8000
    wake(marks, tile_row, tile_column, shape)
    if up != 0:
        wake(marks, tile_row - 1, tile_column, shape)
        if up_west:
            wake(marks, tile_row - 1, tile_column - 1, shape)
        if up_east:
            wake(marks, tile_row - 1, tile_column + 1, shape)
    if down != 0:
        wake(marks, tile_row + 1, tile_column, shape)
        if down_west:
            wake(marks, tile_row + 1, tile_column - 1, shape)
        if down_east:
            wake(marks, tile_row + 1, tile_column + 1, shape)
    if either & west:
        wake(marks, tile_row, tile_column - 1, shape)
    if either & east:
        wake(marks, tile_row, tile_column + 1, shape)

"""Start, packing, scores and clean-up of a rollout's fields, at the cost of its touched tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firegui.native.compiled import inlined, kernel
from firegui.native.vectors import bits_above, load8, load16, lowest_bit, splat8, splat16, store, total
from firegui.rollout.kernels.cpu_arithmetic import FAINT, GONE, emit16, tile_start, touch
from firegui.rollout.kernels.cpu_drops import DropLog
from firegui.rollout.kernels.cpu_footprints import Box
from firegui.rollout.kernels.cpu_reading import Watching
from firegui.rollout.kernels.layout import MARGIN_ROWS, Floats, Marks, Sizes, StateFields, Words

LISTED = -2
"""Stamp of a row of a tile that is on the list."""


@dataclass(frozen=True, slots=True, eq=False)
class CpuDayState:
    """State at a day's start.

    It has the burning tiles with ``U`` and ``S``, the treated tiles with ``r``, and the running sums. At a day's start
    ``S`` is ``B``. ``burning [n, 2, 64]`` and ``retardant [m, 64]`` are in raster order of the tiles.
    """

    touched: Words
    treated: Words
    burning: Floats
    retardant: Floats
    sums: NDArray[np.float64]


class Ends(NamedTuple):
    """Sums over the last state: Σ P, Σ P · density, Σ P in the regions, Σ (P − B), Σ (P − B) · density."""

    fire: float
    fire_density: float
    protected: float
    burned: float
    burned_density: float


@kernel
def light(
    fields: StateFields, marks: Marks, cells: NDArray[np.int64], burning: float, density: Floats, shape: Sizes
) -> float:  # fmt: skip
    """Set cells burned that burn, with 1 for ``burning``, or have burned out, with 0.

    Returns the sum of the density over them.
    """
    guarded, level = 0.0, np.float32(burning)
    for at in cells:
        fields.unburned[at], fields.scaled[at], fields.emission[at] = 0.0, level, level
        guarded += density[at]
        touch(marks, (at // shape.stride - MARGIN_ROWS) // 4, (at % shape.stride - 16) // 16, shape)
    return guarded


@kernel
def light_ahead(
    fields: StateFields, marks: Marks, cells: NDArray[np.int64], shares: Floats, density: Floats, shape: Sizes
) -> tuple[float, float]:  # fmt: skip
    """Set what burns ahead of the fire at the start.

    Returns the sums of ``P`` over the cells, and of ``P`` times the density.
    """
    fire, guarded = 0.0, 0.0
    for number in range(len(cells)):
        at, share = cells[number], shares[number]
        fields.unburned[at], fields.scaled[at], fields.emission[at] = np.float32(1.0) - share, share, share
        fire += share
        guarded += share * density[at]
        touch(marks, (at // shape.stride - MARGIN_ROWS) // 4, (at % shape.stride - 16) // 16, shape)
    return fire, guarded


@kernel
def overwrite(
    fields: StateFields,
    marks: Marks,
    shape: Sizes,
    top: int,
    left: int,
    unburned: Floats,
    burning: Floats,
    emitter: bool,
) -> bool:
    """Write another state ``[h, w]`` into the fields at a day's end, where ``S`` is ``B``.

    Its corner is at a given cell.

    Returns whether any cell differs from what was there; where none does, no bit changes.
    """
    changed = False
    for i in range(unburned.shape[0]):
        first = (top + i + MARGIN_ROWS) * shape.stride + 16 + left
        for j in range(unburned.shape[1]):
            scaled = burning[i, j]
            if scaled <= FAINT:
                scaled = np.float32(0.0)
            at = first + j
            if unburned[i, j] == fields.unburned[at] and scaled == fields.scaled[at]:
                continue
            changed = True
            emission = scaled
            if emitter:
                emission = scaled * fields.retardant[at]
            if emission <= FAINT:
                emission = np.float32(0.0)
            fields.unburned[at], fields.scaled[at], fields.emission[at] = unburned[i, j], scaled, emission
            if unburned[i, j] < 1.0 or scaled > 0.0:
                touch(marks, (top + i) // 4, (left + j) // 16, shape)
    return changed


@kernel
def measure(
    fields: StateFields, marks: Marks, shape: Sizes, protected: Floats, density: Floats, decay: np.float32
) -> Ends:
    """Return sums over the tiles that ever burned, in raster order."""
    fire, exposed, inside, burned, guarded = 0.0, 0.0, 0.0, 0.0, 0.0
    one = splat16(np.float32(1.0))
    for word in range(len(marks.touched)):
        bits = marks.touched[word]
        while bits != 0:
            first = tile_start(word, lowest_bit(bits), shape)
            bits &= bits - 1
            for row in range(4):
                at = first + row * shape.stride
                probability = one - load16(fields.unburned, at)
                out = probability - load16(fields.scaled, at) * splat16(decay)
                fire += total(probability)
                exposed += total(probability * load16(density, at))
                inside += total(probability * load16(protected, at))
                burned += total(out)
                guarded += total(out * load16(density, at))
    return Ends(fire, exposed, inside, burned, guarded)


@kernel
def pack(fields: StateFields, marks: Marks, shape: Sizes, burning: Floats, retardant: Floats) -> None:
    """Copy ``U`` and ``S`` of the burning tiles and ``r`` of the treated ones."""
    burned, laid = 0, 0
    for word in range(len(marks.touched)):
        bits = marks.touched[word]
        while bits != 0:
            first = tile_start(word, lowest_bit(bits), shape)
            bits &= bits - 1
            for row in range(4):
                store(burning, burned, load16(fields.unburned, first + row * shape.stride))
                store(burning, burned + 64, load16(fields.scaled, first + row * shape.stride))
                burned += 16
            burned += 64
        bits = marks.treated[word]
        while bits != 0:
            first = tile_start(word, lowest_bit(bits), shape)
            bits &= bits - 1
            for row in range(4):
                store(retardant, laid, load16(fields.retardant, first + row * shape.stride))
                laid += 16


@kernel
def unpack(fields: StateFields, marks: Marks, shape: Sizes, burning: Floats, retardant: Floats, emitter: bool) -> None:
    """Undo :func:`pack` on fields at rest, with the marks of the packed state."""
    burned, laid = 0, 0
    for word in range(len(marks.touched)):
        bits = marks.treated[word]
        while bits != 0:
            first = tile_start(word, lowest_bit(bits), shape)
            bits &= bits - 1
            for row in range(4):
                store(fields.retardant, first + row * shape.stride, load16(retardant, laid))
                laid += 16
        bits = marks.touched[word]
        while bits != 0:
            first = tile_start(word, lowest_bit(bits), shape)
            bits &= bits - 1
            for row in range(4):
                at = first + row * shape.stride
                scaled = load16(burning, burned + 64)
                store(fields.unburned, at, load16(burning, burned))
                store(fields.scaled, at, scaled)
                emit16(fields, at, scaled, emitter)
                burned += 16
            burned += 64


@kernel
def start_adjoint(
    fields: StateFields, marks: Marks, shape: Sizes, start: np.float32, value_slope: Floats, wet: DropLog, end: int,
    watching: Watching, box: Box,
) -> int:  # fmt: skip
    """Set ``a = start − value_slope`` where it burned by the step ``end``.

    Lists the rows for :class:`Watching`. Returns the number of listed rows.
    """
    count, has_values = 0, len(value_slope) > 0
    for word in range(len(marks.touched)):
        bits = marks.touched[word]
        while bits != 0:
            bit = lowest_bit(bits)
            bits &= bits - 1
            first = tile_start(word, bit, shape)
            for row in range(4):
                at = first + row * shape.stride
                begin = splat16(start)
                if has_values:
                    begin = begin - load16(value_slope, at)
                store(fields.adjoint, at, begin)
            if watching.has_water:
                tile = word // shape.words * shape.tile_columns + word % shape.words * 64 + bit
                for row in range(4):
                    count = _list(fields.unburned, first + row * shape.stride, tile * 4 + row, box, watching,
                                  shape, count)  # fmt: skip
    if watching.has_water:
        for piece in range(wet.first[end]):  # where water fell U may have been gone before
            at = wet.places[piece]
            if bits_above(load8(wet.before, piece * 16 + 8), splat8(GONE)) != 0xFF:
                row, column = at // shape.stride - MARGIN_ROWS, at % shape.stride - 16
                for j in (column // 16, (column + 7) // 16):
                    if 0 <= j < shape.tile_columns:
                        place = (row + MARGIN_ROWS) * shape.stride + 16 + j * 16
                        chunk = (row // 4 * shape.tile_columns + j) * 4 + row % 4
                        count = _note(place, chunk, box, watching, shape, count)
    return count


@inlined
def _list(unburned: Floats, place: int, chunk: int, box: Box, watching: Watching, shape: Sizes, count: int) -> int:
    if bits_above(load16(unburned, place), splat16(GONE)) == 0xFFFF:
        return count
    return _note(place, chunk, box, watching, shape, count)


@inlined
def _note(place: int, chunk: int, box: Box, watching: Watching, shape: Sizes, count: int) -> int:
    """Add a row to the list, if water reads it and it is not there yet."""
    tile_row, tile_column = (chunk >> 2) // shape.tile_columns, (chunk >> 2) % shape.tile_columns
    row, column = tile_row * 4 + (chunk & 3), tile_column * 16
    outside = not (box.top <= row < box.bottom and box.left - 16 < column < box.right)
    if outside or watching.stamps[chunk] == LISTED:
        return count
    watching.stamps[chunk] = LISTED
    watching.starts[count], watching.chunks[count] = place, chunk
    for i in range(max(tile_row - 1, 0), min(tile_row + 2, shape.tile_rows)):
        for j in range(max(tile_column - 1, 0), min(tile_column + 2, shape.tile_columns)):
            watching.near[i * shape.tile_columns + j] = 1
    return count + 1


@kernel
def clean(fields: StateFields, marks: Marks, shape: Sizes, stamps: NDArray[np.int32], adjoint: bool) -> None:
    """Put everything back to rest."""
    one, nothing, reach = splat16(np.float32(1.0)), splat16(np.float32(0.0)), 2 if len(shape.knights) > 0 else 1
    for word in range(len(marks.touched)):
        bits = marks.treated[word]
        while bits != 0:
            first = tile_start(word, lowest_bit(bits), shape)
            bits &= bits - 1
            for row in range(4):
                store(fields.retardant, first + row * shape.stride, one)
        bits = marks.touched[word]
        while bits != 0:
            bit = lowest_bit(bits)
            first = tile_start(word, bit, shape)
            bits &= bits - 1
            for row in range(4):
                at = first + row * shape.stride
                store(fields.unburned, at, one)
                store(fields.scaled, at, nothing)
                store(fields.emission, at, nothing)
            if adjoint:
                tile = word // shape.words * shape.tile_columns + word % shape.words * 64 + bit
                stamps[tile * 4 : tile * 4 + 4] = -1
                for row in range(-reach, 4 + reach):
                    for side in range(-16, 32, 16):
                        store(fields.collected, first + row * shape.stride + side, nothing)
                        store(fields.collected, shape.cells + first + row * shape.stride + side, nothing)
                for row in range(4):
                    store(fields.adjoint, first + row * shape.stride, nothing)
        marks.now[word], marks.after[word], marks.beyond[word] = 0, 0, 0
        marks.touched[word], marks.treated[word] = 0, 0
    marks.rows[0], marks.rows[1] = shape.tile_rows, -1


def restore(fields: StateFields, marks: Marks, shape: Sizes, body: CpuDayState, emitter: bool) -> None:
    """Put a packed state into fields at rest."""
    marks.touched[:], marks.treated[:] = body.touched, body.treated
    rows = np.flatnonzero(body.touched.reshape(shape.tile_rows, shape.words).any(axis=1))
    if len(rows):
        marks.rows[:] = rows[0], rows[-1]
    unpack(fields, marks, shape, body.burning, body.retardant, emitter)


def packed(fields: StateFields, marks: Marks, shape: Sizes, sums: NDArray[np.float64]) -> CpuDayState:
    """Return the state at the start of a day."""
    burning = np.empty(128 * int(np.bitwise_count(marks.touched.view(np.uint64)).sum()), np.float32)
    retardant = np.empty(64 * int(np.bitwise_count(marks.treated.view(np.uint64)).sum()), np.float32)
    pack(fields, marks, shape, burning, retardant)
    return CpuDayState(marks.touched.copy(), marks.treated.copy(), burning, retardant, sums.copy())


def bounding_box(touched: Words, shape: Sizes) -> tuple[slice, slice]:
    """Return rows and columns of the raster that hold every tile of a set."""
    by_row = touched.reshape(shape.tile_rows, shape.words)
    rows = np.flatnonzero(by_row.any(axis=1))
    if len(rows) == 0:
        return slice(0, 0), slice(0, 0)
    words = np.bitwise_or.reduce(by_row, axis=0).view(np.uint8)
    columns = np.flatnonzero(np.unpackbits(words, bitorder="little"))
    return (
        slice(int(rows[0]) * 4, min(int(rows[-1]) * 4 + 4, shape.rows)),
        slice(int(columns[0]) * 16, min(int(columns[-1]) * 16 + 16, shape.columns)),
    )

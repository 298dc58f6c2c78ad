"""The arithmetic that every kernel shares: survival, what is too faint to matter, sets of tiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from firegui.native.compiled import inlined
from firegui.native.vectors import (
    fma,
    load8,
    load16,
    minimum,
    power_of_half,
    rounded,
    set_bits,
    splat8,
    splat16,
    store,
    where_above,
)
from firegui.rollout.kernels.layout import MARGIN_ROWS, Marks, Sizes, StateFields, Words

GONE = np.float32(2.0**-100)
"""Up to here ``U`` can be so small that ``U (1 − e^{−h})`` rounds to 0 though ``h`` is above the cut-off."""
TREATED = 1 << 30
"""Marks a logged row of a tile where retardant lies; elsewhere the factor is 1 and is not looked at."""
FAINT = np.float32(2.0**-43)
"""Retardant factors, ``S`` after water or a rescaling, and emissions up to here are 0.

With gains of at most 16 · 100 · 100 no exposure from them passes the cut-off; smaller numbers would soon be subnormal,
which processors compute with slowly.
"""


@inlined
def survival16(exposure: Any) -> Any:
    """Return ``e^{−h}``, correctly rounded near 0, where the cut-off of the model lies.

    ``h = n ln 2 − f`` with whole ``n`` and ``|f| ≤ ln 2 / 2``; the last operation of ``e^f`` is ``f p + 1``.
    """
    bounded = minimum(exposure, splat16(np.float32(87.0)))
    whole = rounded(bounded * splat16(np.float32(1.4426950408889634)))
    part = fma(whole, splat16(np.float32(0.6931471805599453)), splat16(np.float32(0.0)) - bounded)
    series = splat16(np.float32(1.0 / 720.0))
    series = fma(series, part, splat16(np.float32(1.0 / 120.0)))
    series = fma(series, part, splat16(np.float32(1.0 / 24.0)))
    series = fma(series, part, splat16(np.float32(1.0 / 6.0)))
    series = fma(series, part, splat16(np.float32(0.5)))
    series = fma(series, part, splat16(np.float32(1.0)))
    return fma(part, series, splat16(np.float32(1.0))) * power_of_half(whole)


@inlined
def survival8(exposure: Any) -> Any:
    """Return ``e^{−E}`` of 8 doses."""
    bounded = minimum(exposure, splat8(np.float32(50.0)))
    whole = rounded(bounded * splat8(np.float32(1.4426950408889634)))
    part = fma(whole, splat8(np.float32(0.693359375)), splat8(np.float32(0.0)) - bounded)
    part = fma(whole, splat8(np.float32(-2.12194440e-4)), part)
    series = splat8(np.float32(1.0 / 5040.0))
    series = fma(series, part, splat8(np.float32(1.0 / 720.0)))
    series = fma(series, part, splat8(np.float32(1.0 / 120.0)))
    series = fma(series, part, splat8(np.float32(1.0 / 24.0)))
    series = fma(series, part, splat8(np.float32(1.0 / 6.0)))
    series = fma(series, part, splat8(np.float32(0.5)))
    series = fma(series, part, splat8(np.float32(1.0)))
    return fma(part, series, splat8(np.float32(1.0))) * power_of_half(whole)


@inlined
def bright8(value: Any) -> Any:
    """Return ``value`` where it is more than :data:`FAINT`."""
    return where_above(value, splat8(FAINT), value)


@inlined
def bright16(value: Any) -> Any:
    """Return ``value`` where it is more than :data:`FAINT`."""
    return where_above(value, splat16(FAINT), value)


@inlined
def emit8(fields: StateFields, at: int, scaled: Any, emitter: bool) -> None:
    """Store what 8 cells with this ``S`` emit."""
    if emitter:
        scaled = scaled * load8(fields.retardant, at)
    store(fields.emission, at, bright8(scaled))


@inlined
def emit16(fields: StateFields, at: int, scaled: Any, emitter: bool) -> None:
    """Store what 16 cells with this ``S`` emit."""
    if emitter:
        scaled = scaled * load16(fields.retardant, at)
    store(fields.emission, at, bright16(scaled))


@inlined
def wake(marks: Words, tile_row: int, tile_column: int, shape: Sizes) -> None:
    """Add a tile to a set, if there is one at that place."""
    if 0 <= tile_row < shape.tile_rows and 0 <= tile_column < shape.tile_columns:
        marks[tile_row * shape.words + (tile_column >> 6)] |= np.int64(1) << (tile_column & 63)


@inlined
def touch(marks: Marks, tile_row: int, tile_column: int, shape: Sizes) -> None:
    """Note that a tile has burned."""
    wake(marks.touched, tile_row, tile_column, shape)
    marks.rows[0], marks.rows[1] = min(marks.rows[0], tile_row), max(marks.rows[1], tile_row)


@inlined
def touched(marks: Marks, shape: Sizes) -> int:
    """Return how many tiles have burned."""
    count = 0
    for word in range(marks.rows[0] * shape.words, (marks.rows[1] + 1) * shape.words):
        if marks.touched[word] != 0:
            count += set_bits(marks.touched[word])
    return count


@inlined
def awake(marks: Marks, shape: Sizes) -> int:
    """Return how many tiles run at this step."""
    return awake_between(marks, max(marks.rows[0] - 1, 0), min(marks.rows[1] + 2, shape.tile_rows), shape)


@inlined
def awake_between(marks: Marks, begin: int, end: int, shape: Sizes) -> int:
    """Return how many of them lie in the rows ``begin … end − 1`` of tiles."""
    count = 0
    for word in range(begin * shape.words, end * shape.words):
        if marks.now[word] != 0:
            count += set_bits(marks.now[word])
    return count


@inlined
def mark(marks: Words, at: int, shape: Sizes) -> None:
    """Add the tiles of an 8-cell piece to a set."""
    tile_row, column = (at // shape.stride - MARGIN_ROWS) // 4, at % shape.stride - 16
    wake(marks, tile_row, column // 16, shape)
    wake(marks, tile_row, (column + 7) // 16, shape)


@inlined
def tile_start(word: int, bit: int, shape: Sizes) -> int:
    """Return where the first cell of a tile lies, from its bit in its word."""
    tile_row = word // shape.words
    return (tile_row * 4 + MARGIN_ROWS) * shape.stride + 16 + (word % shape.words * 64 + bit) * 16

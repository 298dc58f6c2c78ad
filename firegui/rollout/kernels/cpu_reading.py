"""Slopes that drops read: products of footprints with ``C`` and with the slope by water's dose."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firegui.native.compiled import inlined, kernel
from firegui.native.vectors import (
    any_nonzero,
    fma,
    lanes8,
    load8,
    prefetch,
    splat8,
    store,
    total,
    where_above,
)
from firegui.rollout.kernels.cpu_drops import HIGHEST_DOSE, DropLog
from firegui.rollout.kernels.cpu_footprints import ACROSS, ALONG, AMOUNT, COS, MEAN_U, MEAN_UV, MEAN_V, SIN, Pieces
from firegui.rollout.kernels.layout import Floats, StateFields

AHEAD = 128
"""Distance of prefetching, in weights: the tables are larger than a cache."""


class Watching(NamedTuple):
    """Rows and pieces that water drops may read later.

    ``starts`` and ``chunks`` list the rows of tiles that have burned to ``U = 0`` somewhere, ``hot`` the last step at
    which an exposure in each can be above the cut-off; no water asks before the step ``since``. Per tile:
    ``near`` 1 where a change can make a listed row hot, ``asked`` the step at which water last asked about it or a
    neighbour. ``stamps`` holds per row of a tile the step at which it was last logged; ``kept`` has
    room for what lies under the capped doses of a step. ``uncarried`` is empty: it stands for ``∂𝓛/∂S`` where the
    carry is cut.
    """

    has_water: bool
    since: int
    starts: NDArray[np.int32]
    chunks: NDArray[np.int32]
    hot: NDArray[np.int32]
    near: NDArray[np.uint8]
    asked: NDArray[np.int32]
    stamps: NDArray[np.int32]
    kept: Floats
    uncarried: Floats


class Listed(NamedTuple):
    """Pairs by step, ``first[t] … first[t + 1]``, with their footprints.

    Executed ones also get a pose gradient.
    """

    pairs: NDArray[np.int64]
    first: NDArray[np.int64]
    pieces: Pieces
    executed: bool


class SlopeReader(NamedTuple):
    """Reader of the slopes, and the destination of their derivatives.

    The drops of water and of retardant, and the open pairs of each that do not drop.
    """

    poured: Listed
    laid: Listed
    water: Listed
    retardant: Listed
    decision: NDArray[np.float64]
    pose: NDArray[np.float64]


@inlined
def _hide(field: Floats, log: DropLog, step: int, kept: Floats, first: int, aside: int) -> None:
    """Set ``field`` to 0 where the dose is capped; what was there goes to ``kept``."""
    for piece in range(log.first[step], log.first[step + 1]):
        at = log.places[piece] + aside
        value = load8(field, at)
        store(kept, (first + piece - log.first[step]) * 8, value)
        store(field, at, value - where_above(load8(log.dose, piece * 8), splat8(HIGHEST_DOSE), value))


@inlined
def _show(field: Floats, log: DropLog, step: int, kept: Floats, first: int, aside: int) -> None:
    """Undo :func:`_hide`."""
    for piece in range(log.first[step + 1] - 1, log.first[step] - 1, -1):
        store(field, log.places[piece] + aside, load8(kept, (first + piece - log.first[step]) * 8))


@kernel
def read(
    listed: Listed, reading: SlopeReader, fields: StateFields, slope: Floats, later: np.float32, decay: np.float32,
    water: bool, aside: int, step: int, carried: Floats,
) -> None:  # fmt: skip
    """Compute inner products of the footprints of one step with the slope by their dose.

    That is ``C`` for retardant and ``B̃ g e^{−h} + M B̃ ρ_e`` for water, or ``S̃ (d^k g̃ − q̃)`` with the full carry, where
    ``carried`` is ``q̃``.
    """
    nothing = splat8(np.float32(0.0))
    pieces, moving = listed.pieces, listed.executed
    for k in range(listed.first[step], listed.first[step + 1]):
        column = listed.pairs[k, 1]
        about, axis = pieces.about, 8 * k
        to_u, to_v = splat8(np.float32(about[axis + COS])), splat8(np.float32(about[axis + SIN]))
        plain, by_u, by_v, by_uv = nothing, nothing, nothing, nothing
        for piece in range(pieces.first[k], pieces.first[k + 1]):
            at = pieces.places[piece]
            prefetch(pieces.weights, piece * 8 + AHEAD)
            value = load8(fields.collected, at + aside)
            if water:
                scaled = load8(fields.scaled, at)
                if any_nonzero(scaled):
                    adjoint = load8(fields.adjoint, at) - load8(slope, at) * splat8(later)
                    if len(carried) > 0:
                        value = splat8(np.float32(0.0)) - scaled * load8(carried, at)
                    value = fma(scaled * splat8(decay), adjoint, value)
            if not any_nonzero(value):
                continue
            weighted = load8(pieces.weights, piece * 8) * value
            plain = plain + weighted
            if moving:
                u = fma(lanes8(), to_u, splat8(pieces.corner[piece * 2]))
                v = fma(lanes8(), to_v, splat8(pieces.corner[piece * 2 + 1]))
                by_u, by_v = fma(weighted, u, by_u), fma(weighted, v, by_v)
                by_uv = fma(weighted * u, v, by_uv)
        whole = float(total(plain))
        reading.decision[step, column] = about[axis + AMOUNT] * whole
        if moving:
            in_u, in_v = (
                float(total(by_u)) - about[axis + MEAN_U] * whole,
                float(total(by_v)) - about[axis + MEAN_V] * whole,
            )
            turn = float(total(by_uv)) - about[axis + MEAN_UV] * whole
            reading.pose[step, column, 0] = about[axis + AMOUNT] * (
                about[axis + ACROSS] * about[axis + COS] * in_v - about[axis + ALONG] * about[axis + SIN] * in_u
            )
            reading.pose[step, column, 1] = about[axis + AMOUNT] * (
                about[axis + ACROSS] * about[axis + SIN] * in_v + about[axis + ALONG] * about[axis + COS] * in_u
            )
            reading.pose[step, column, 2] = about[axis + AMOUNT] * (about[axis + ALONG] - about[axis + ACROSS]) * turn


@inlined
def read_retardant(
    watching: Watching,
    reading: SlopeReader,
    fields: StateFields,
    slope: Floats,
    later: np.float32,
    decay: np.float32,
    laid: DropLog,
    step: int,
    carried: Floats,
) -> None:
    """Read ``C``, which is 0 where the dose of the step is capped."""
    capped = laid.capped[step] != 0
    if capped:
        _hide(fields.collected, laid, step, watching.kept, 0, 0)
    read(reading.laid, reading, fields, slope, later, decay, False, 0, step, carried)
    read(reading.retardant, reading, fields, slope, later, decay, False, 0, step, carried)
    if capped:
        _show(fields.collected, laid, step, watching.kept, 0, 0)


@inlined
def read_water(
    watching: Watching,
    reading: SlopeReader,
    fields: StateFields,
    slope: Floats,
    later: np.float32,
    decay: np.float32,
    wet: DropLog,
    step: int,
    aside: int,
    carried: Floats,
) -> None:
    """Read the slope by water's dose, which is 0 where that is capped."""
    capped, count = wet.capped[step] != 0, wet.first[step + 1] - wet.first[step]
    if capped:
        _hide(fields.scaled, wet, step, watching.kept, 0, 0)
        _hide(fields.collected, wet, step, watching.kept, count, aside)
    read(reading.poured, reading, fields, slope, later, decay, True, aside, step, carried)
    read(reading.water, reading, fields, slope, later, decay, True, aside, step, carried)
    if capped:
        _show(fields.collected, wet, step, watching.kept, count, aside)
        _show(fields.scaled, wet, step, watching.kept, 0, 0)

"""The adjoint sweep over the logged pieces, one day at a time. Derivation: ``rollout/DESIGN.md``.

With ``p_n = K_n S_n`` at a receiver ``y`` (``S_n`` with the emitter's retardant), ``h = ρ_x d Σ p_n`` for the day's
``decay`` ``d``, and ``w_n = g U_{t+1} ρ_x d p_n``: every ``w_n`` belongs to the emission of neighbour ``n`` and
``Σ w_n = V h`` to ``y`` itself. So the gains are read once and nothing is transposed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.native.compiled import inlined, kernel
from firegui.native.vectors import (
    bits_above,
    fma,
    load16,
    prefetch,
    splat16,
    store,
)
from firegui.rollout.kernels.board import (
    BEGIN,
    DONE,
    EDGE,
    END,
    HALF,
    OTHER,
    PRESENT,
    STEP,
    Board,
    left_to_me,
    next_ticket,
    offer,
    post,
    take_place,
    wait_for,
)
from firegui.rollout.kernels.cpu_arithmetic import GONE, TREATED, emit16, survival16
from firegui.rollout.kernels.cpu_drops import DropLog, unlay, unpour
from firegui.rollout.kernels.cpu_footprints import NEVER
from firegui.rollout.kernels.cpu_forward import NEAR_TILES, unscale
from firegui.rollout.kernels.cpu_reading import Listed, SlopeReader, Watching, read_retardant, read_water
from firegui.rollout.kernels.cpu_stencil import (
    added,
    far_gains,
    far_shares,
    gain_place,
    give,
    give_around,
    give_passed,
    near_gains,
    near_shares,
    period_start,
    row_gains,
    row_heat,
    with_passed,
)
from firegui.rollout.kernels.layout import CUT_OFF, MARGIN_ROWS, Constants, Decay, Floats, Gains, Sizes, StateFields

AHEAD = 6
"""Distance of prefetching, in pieces."""


@kernel
def unburn(
    fields: StateFields, clock: Decay, step: int, emitter: bool, places: NDArray[np.int32], values: Floats, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Undo :func:`~firegui.rollout.kernels.cpu_forward.burn`; the log holds ``new`` again."""
    scale = splat16(clock.decay[step % clock.steps_per_day % clock.period + 1])
    for piece in range(begin, end):
        at = places[piece, 0]
        before, after = load16(values, piece * 16), load16(fields.scaled, at)
        store(fields.scaled, at, before)
        store(values, piece * 16, (after - before) * scale)
        emit16(fields, at, before, emitter and places[piece, 1] >= TREATED)


@kernel
def descend(
    fields: StateFields, slope: Floats, gains: Gains, clock: Decay, shape: Sizes, setting: Constants,
    places: NDArray[np.int32], values: Floats, begin: int, end: int, watching: Watching, step: int,
) -> None:  # fmt: skip
    """Take one step of the adjoint on the pieces that ignited.

    What emitters are given goes to ``C``, or is put aside where water asks about this step.
    """
    stride, emission = shape.stride, fields.emission
    start, nothing, k_values = period_start(step, clock, shape), splat16(np.float32(0.0)), gains.values
    scale = splat16(clock.decay[step % clock.steps_per_day % clock.period])
    count = splat16(scored_after(setting, step))
    prefetched, listed = end - begin > NEAR_TILES * 2, len(watching.starts) > 0
    unprotected = splat16(setting.plain_slope) * count
    for piece in range(begin, end):
        at, chunk, treated = places[piece, 0], places[piece, 1] & (TREATED - 1), places[piece, 1] >= TREATED
        gain = gain_place(start, chunk, shape, gains.slots)
        if piece + AHEAD < end and prefetched:
            coming = gain_place(start, places[piece + AHEAD, 1] & (TREATED - 1), shape, gains.slots)
            for line in range(row_gains(shape) // 16):
                prefetch(k_values, coming + line * 16)
            there = places[piece + AHEAD, 0]
            prefetch(fields.emission, there + stride)
            prefetch(fields.collected, there + stride)
            prefetch(fields.unburned, there)
            prefetch(fields.adjoint, there)
        if listed:
            watching.stamps[chunk] = step
        to = at  # an offset, not another array: counting references would stall the processor
        if not setting.emitter or (watching.has_water and watching.asked[chunk >> 2] == step):
            to = at + shape.cells
        owed = unprotected
        if setting.has_density[chunk >> 2]:
            owed = load16(slope, at) * count
        adjoint = load16(fields.adjoint, at) - owed  # g
        unburned = load16(fields.unburned, at)
        per_heat = scale
        if setting.receiver and treated:
            per_heat = per_heat * load16(fields.retardant, at)
        flow = adjoint * unburned * per_heat
        near = near_shares(emission, at, stride, near_gains(k_values, gain))
        far = far_shares(
            emission, at, stride, far_gains(k_values, fields.retardant, at, gain, stride, treated, shape.knights)
        )
        heat = added(near[0] + near[1] + near[2] + near[3] + near[4] + near[5] + near[6] + near[7], far)
        if to == at:
            give_around(
                fields.collected, at, stride, flow, with_passed(near, far), heat if setting.receiver else nothing, far
            )
        else:
            give_around(fields.collected, to, stride, flow, near, nothing, far)
            give_passed(fields.collected, at, stride, flow, far)
            if setting.receiver:
                give(fields.collected, at, flow, heat)
        store(fields.adjoint, at, fma(adjoint, survival16(heat * per_heat), owed))
        store(fields.unburned, at, unburned + load16(values, piece * 16))


@inlined
def scored_after(setting: Constants, step: int) -> np.float32:
    """Return the number of scored states after a step."""
    return np.float32(setting.n_steps - max(step + 1, setting.first_scored) + 1)


@inlined
def _tile_row(places: NDArray[np.int32], piece: int, shape: Sizes) -> int:
    return int((places[piece, 1] & (TREATED - 1)) // (4 * shape.tile_columns))


@inlined
def _below(places: NDArray[np.int32], middle: int, end: int, shape: Sizes) -> int:
    """Return the first piece of the second half that is not of its first row of tiles."""
    row, piece = _tile_row(places, middle, shape), middle
    while piece < end and _tile_row(places, piece, shape) == row:
        piece += 1
    return piece


@kernel
def assist_sweep(
    board: Board, fields: StateFields, slope: Floats, gains: Gains, clock: Decay, shape: Sizes, setting: Constants,
    places: NDArray[np.int32], values: Floats, watching: Watching,
) -> None:  # fmt: skip
    """Compute second halves of steps in a second thread during :func:`sweep`."""
    words = board.words
    if take_place(board):
        ticket = next_ticket(board)
        while ticket != 0:
            step, middle, end = words[STEP], words[BEGIN], words[END]
            unburn(fields, clock, step, setting.emitter, places, values, middle, end)
            post(words, HALF, ticket)
            below = _below(places, middle, end, shape)
            wait_for(board, OTHER, ticket)
            descend(fields, slope, gains, clock, shape, setting, places, values, middle, below, watching, step)
            post(words, EDGE, ticket)
            descend(fields, slope, gains, clock, shape, setting, places, values, below, end, watching, step)
            post(words, DONE, ticket)
            ticket = next_ticket(board)
    post(words, PRESENT, 0)


@inlined
def _back_in_halves(
    board: Board, fields: StateFields, slope: Floats, gains: Gains, clock: Decay, shape: Sizes, setting: Constants,
    places: NDArray[np.int32], values: Floats, begin: int, middle: int, end: int, watching: Watching, step: int,
) -> None:  # fmt: skip
    """Run a step of the adjoint in two halves.

    A piece gives to the rows above and below it. So the second half begins with its first row of tiles, and the first
    ends with its last, the seam, when that is done: two rows of tiles further down nothing meets it.
    """
    seam = middle
    while seam > begin and _tile_row(places, seam - 1, shape) == _tile_row(places, middle - 1, shape):
        seam -= 1
    ticket = offer(board, step, middle, end)
    unburn(fields, clock, step, setting.emitter, places, values, begin, middle)
    post(board.words, OTHER, ticket)
    alone = left_to_me(board, ticket)
    if alone:
        unburn(fields, clock, step, setting.emitter, places, values, middle, end)
    else:
        wait_for(board, HALF, ticket)
    descend(fields, slope, gains, clock, shape, setting, places, values, begin, seam, watching, step)
    if alone:
        descend(fields, slope, gains, clock, shape, setting, places, values, middle, end, watching, step)
    else:
        wait_for(board, EDGE, ticket)
    descend(fields, slope, gains, clock, shape, setting, places, values, seam, middle, watching, step)
    if not alone:
        wait_for(board, DONE, ticket)


@kernel
def damp(
    fields: StateFields, slope: Floats, gains: Gains, start: int, clock: Decay, now: int, later: np.float32,
    shape: Sizes, setting: Constants, watching: Watching, step: int,
) -> None:  # fmt: skip
    """Scale ``g ← g e^{−h}`` where a water drop will read it although nothing ignites any more.

    A cell that has burned (``U = 0``) passes nothing on, but water that makes it unburned again does see that it would
    burn once more. Where nothing ignites although every ``U`` is above :data:`GONE`, every exposure is under the
    cut-off, so only the other rows are listed. Within a period and without a change nearby exposures only grow on the
    way back.
    """
    count, gone = splat16(later), splat16(GONE)
    for k in range(len(watching.starts)):
        if watching.hot[k] < step or watching.stamps[watching.chunks[k]] == step:
            continue
        at = watching.starts[k]
        if bits_above(load16(fields.unburned, at), gone) == 0xFFFF:
            continue
        gain = gain_place(start, watching.chunks[k], shape, gains.slots)
        if gain < 0:  # no exposure of the period is above the cut-off, or its gains would have been made
            continue
        heat = row_heat(fields.emission, gains.values, fields.retardant, at, gain, shape)
        if setting.receiver:
            heat = heat * load16(fields.retardant, at)
        exposure = heat * splat16(clock.decay[now])
        if bits_above(exposure, splat16(CUT_OFF)) == 0:
            watching.hot[k] = step - now + hottest(heat, clock, now)
            continue
        owed = load16(slope, at) * count
        adjoint = load16(fields.adjoint, at) - owed
        store(fields.adjoint, at, fma(adjoint, survival16(exposure), owed))


@inlined
def hottest(heat: Any, clock: Decay, now: int) -> int:
    """Return the last power of ``decay`` before ``now`` at which ``heat`` can exceed the cut-off.

    The result may be a little later. Rounding of the product is why the limit is taken a little lower.
    """
    cut = splat16(np.float32(CUT_OFF * np.float32(0.999)))
    power = now
    while power > 0 and bits_above(heat * splat16(clock.decay[power - 1]), cut) == 0:
        power -= 1
    return power - 1


@inlined
def touches(watching: Watching, log: DropLog, step: int, shape: Sizes) -> bool:
    """Return whether a drop of ``step`` changed something beside a listed row."""
    for piece in range(log.first[step], log.first[step + 1]):
        at = log.places[piece]
        tile_row, column = (at // shape.stride - MARGIN_ROWS) // 4, at % shape.stride - 16
        left = tile_row * shape.tile_columns + max(column // 16, 0)
        right = tile_row * shape.tile_columns + min((column + 7) // 16, shape.tile_columns - 1)
        if watching.near[left] or watching.near[right]:
            return True
    return False


@kernel
def ask(watching: Watching, listed: Listed, step: int, shape: Sizes) -> None:
    """Mark the tiles that a water drop of ``step`` reads, and their neighbours."""
    for k in range(listed.first[step], listed.first[step + 1]):
        last, last_right = -1, -1
        for piece in range(listed.pieces.first[k], listed.pieces.first[k + 1]):
            at = listed.pieces.places[piece]
            tile_row, column = (at // shape.stride - MARGIN_ROWS) // 4, at % shape.stride - 16
            left, right = column // 16, (column + 7) // 16
            if tile_row * shape.tile_columns + left == last and right == last_right:
                continue
            last, last_right = tile_row * shape.tile_columns + left, right
            for i in range(max(tile_row - 1, 0), min(tile_row + 2, shape.tile_rows)):
                for j in range(max(left - 1, 0), min(right + 2, shape.tile_columns)):
                    watching.asked[i * shape.tile_columns + j] = step


@kernel
def merge(
    collected: Floats, emitter: bool, places: NDArray[np.int32], begin: int, end: int, shape: Sizes,
    watching: Watching, step: int,
) -> None:  # fmt: skip
    """Move what :func:`descend` stored for the water of one step to ``C``.

    This is for retardant that acts on emitters.
    """
    for piece in range(begin, end):
        if emitter and watching.asked[(places[piece, 1] & (TREATED - 1)) >> 2] != step:
            continue
        _merge_rows(collected, emitter, places[piece, 0], shape, shape.knights)


@inlined
def _merge_rows(collected: Floats, emitter: bool, place: int, shape: Sizes, knights: tuple[int, ...]) -> None:
    reach, nothing = 1, splat16(np.float32(0.0))
    if len(knights) > 0:
        reach = 2
    for row in range(-reach, reach + 1):
        at = place + row * shape.stride
        aside = at + shape.cells
        if emitter:
            store(collected, at, load16(collected, at) + load16(collected, aside))
            for side in range(1, reach + 1):
                collected[at - side] += collected[aside - side]
                collected[at + 15 + side] += collected[aside + 15 + side]
        store(collected, aside, nothing)
        for side in range(1, reach + 1):
            collected[aside - side], collected[aside + 15 + side] = 0.0, 0.0


@kernel
def sweep(
    fields: StateFields, slope: Floats, gains: Gains, clock: Decay, shape: Sizes, setting: Constants,
    wet: DropLog, laid: DropLog, places: NDArray[np.int32], values: Floats, log: NDArray[np.int64],
    watching: Watching, reading: SlopeReader, first: int, last: int, board: Board,
) -> None:  # fmt: skip
    """Run steps ``last − 1 … first``: undo the step, take its gradient on, read its footprints."""
    for step in range(last - 1, first - 1, -1):
        start = period_start(step, clock, shape)
        now = step % clock.steps_per_day % clock.period
        if (step + 1) % clock.steps_per_day % clock.period == 0:
            unscale(fields, setting.emitter, places, values, log[step, 1], log[step + 1, 0])
            watching.hot[:] = NEVER
        elif (step + 1) % clock.steps_per_period == 0:  # other gains
            watching.hot[:] = NEVER
        begin, end, middle = log[step, 0], log[step, 1], log[step, 2]
        later = scored_after(setting, step)
        if watching.has_water:
            ask(watching, reading.poured, step, shape)
            ask(watching, reading.water, step, shape)
        if middle < end:
            _back_in_halves(board, fields, slope, gains, clock, shape, setting, places, values, begin, middle, end,
                            watching, step)  # fmt: skip
        else:
            unburn(fields, clock, step, setting.emitter, places, values, begin, end)
            descend(fields, slope, gains, clock, shape, setting, places, values, begin, end, watching, step)
        if watching.has_water:
            if watching.since <= step:
                damp(fields, slope, gains, start, clock, now, later, shape, setting, watching, step)
            read_water(
                watching, reading, fields, slope, later, clock.decay[now], wet, step, shape.cells, watching.uncarried
            )
        if watching.has_water or not setting.emitter:
            merge(fields.collected, setting.emitter, places, begin, end, shape, watching, step)
        read_retardant(watching, reading, fields, slope, later, clock.decay[now], laid, step, watching.uncarried)
        if len(watching.starts) > 0 and (touches(watching, laid, step, shape) or touches(watching, wet, step, shape)):
            watching.hot[:] = NEVER
        unlay(fields, laid, step, setting.emitter)
        unpour(fields, wet, step, setting.emitter)

"""The adjoint sweep with the full carry: the gradient by ``B`` is followed from step to step too.

Equations as in :mod:`firegui.rollout.closed_form`, with ``S`` in place of ``B``. With ``q = ∂𝓛/∂S_{t+1}`` beside
``g``, ``b = q / d^{k+1}`` on what ignites (elsewhere ``q`` stays), the day's decay ``d^k`` and ``flow = (g − b) U_{t+1}
ρ_x d^k``:

    C as without the carry, from this flow           g̃ = b + (g − b) e^{−h}
    q̃(x_n) = q(x_n) − ρ_e(x_n) flow K_n              ∂𝓛/∂E^water = S̃ (d^k g̃ − q̃)
    water, s = e^{−E}:  q ← s q̃ + d^k (1 − s) g̃      a rescaling by f:  q ← f q, and 0 where S was too faint to be kept

A lane whose exposure is under the cut-off passes nothing on: nothing ignites there, whatever ``B`` does a little. One
thread; the cut gradient, which planners use, is :mod:`firegui.rollout.kernels.cpu_backward`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.native.compiled import inlined, kernel
from firegui.native.vectors import (
    bits_above,
    first_lane,
    fma,
    last_lane,
    load8,
    load16,
    splat8,
    splat16,
    store,
    to_left,
    to_right,
    where_above,
)
from firegui.rollout.kernels.cpu_arithmetic import CUT_OFF, GONE, TREATED, survival8, survival16
from firegui.rollout.kernels.cpu_backward import give, give_row, hottest, row_heat, scored_after, touches, unburn
from firegui.rollout.kernels.cpu_drops import DropLog, unlay, unpour
from firegui.rollout.kernels.cpu_footprints import NEVER
from firegui.rollout.kernels.cpu_forward import unscale
from firegui.rollout.kernels.cpu_reading import Reading, Watching, read_retardant, read_water
from firegui.rollout.kernels.layout import Clock, Fields, Floats, Setting, Shape


@inlined
def _take_row(
    carried: Floats, retardant: Floats, emitter: bool, at: int, flow: Any, west: Any, middle: Any, east: Any
) -> None:
    """Take from a row of emitters what :func:`give_row` would give it, by their retardant factor."""
    west, east = flow * west, flow * east
    share = to_left(west) + flow * middle + to_right(east)
    left, right = first_lane(west), last_lane(east)
    if emitter:
        share = share * load16(retardant, at)
        left, right = left * retardant[at - 1], right * retardant[at + 16]
    store(carried, at, load16(carried, at) - share)
    carried[at - 1] -= left
    carried[at + 16] -= right


@kernel
def note(
    carried: Floats, before: Floats, rows: Floats, growth: np.float32, places: NDArray[np.int32], begin: int, end: int,
    watching: Watching, step: int,
) -> None:  # fmt: skip
    """Keep ``b`` of the pieces that ignited, and of the rows that water may ask about, before anything is taken."""
    scale = splat16(growth)
    for piece in range(begin, end):
        store(before, (piece - begin) * 16, load16(carried, places[piece, 0]) * scale)
        if len(watching.starts) > 0:
            watching.stamps[places[piece, 1] & (TREATED - 1)] = step
    if watching.since <= step:
        for k in range(len(watching.starts)):
            store(rows, k * 16, load16(carried, watching.starts[k]) * scale)


@kernel
def descend_carried(
    fields: Fields, carried: Floats, before: Floats, slope: Floats, gains: Floats, clock: Clock, shape: Shape,
    setting: Setting, places: NDArray[np.int32], values: Floats, begin: int, end: int, step: int,
) -> None:  # fmt: skip
    """One step of both adjoints on the pieces that ignited."""
    stride, emission, nothing = shape.stride, fields.emission, splat16(np.float32(0.0))
    day_start = step // clock.steps_per_day * shape.tile_rows * shape.tile_columns * 512
    scale = splat16(clock.decay[step % clock.steps_per_day % clock.period])
    count, cut = splat16(scored_after(setting, step)), splat16(CUT_OFF)
    for piece in range(begin, end):
        at, chunk, treated = places[piece, 0], places[piece, 1] & (TREATED - 1), places[piece, 1] >= TREATED
        gain = day_start + chunk * 128
        owed, b = load16(slope, at) * count, load16(before, (piece - begin) * 16)
        adjoint, unburned = load16(fields.adjoint, at) - owed, load16(fields.unburned, at)
        per_heat = scale
        if setting.receiver and treated:
            per_heat = per_heat * load16(fields.retardant, at)
        k0, k1, k2, k3 = (
            load16(gains, gain), load16(gains, gain + 16), load16(gains, gain + 32), load16(gains, gain + 48)
        )  # fmt: skip
        k4, k5, k6, k7 = (
            load16(gains, gain + 64), load16(gains, gain + 80), load16(gains, gain + 96), load16(gains, gain + 112)
        )  # fmt: skip
        p0, p1 = load16(emission, at - stride - 1) * k0, load16(emission, at - stride) * k1
        p2, p3 = load16(emission, at - stride + 1) * k2, load16(emission, at - 1) * k3
        p4, p5 = load16(emission, at + 1) * k4, load16(emission, at + stride - 1) * k5
        p6, p7 = load16(emission, at + stride) * k6, load16(emission, at + stride + 1) * k7
        heat = p0 + p1 + p2 + p3 + p4 + p5 + p6 + p7
        exposure, sensitive = heat * per_heat, adjoint - b
        flow = where_above(exposure, cut, sensitive * unburned * per_heat)
        if setting.emitter:
            give_row(fields.collected, at - stride, flow, p0, p1, p2)
            give_row(fields.collected, at, flow, p3, nothing, p4)
            give_row(fields.collected, at + stride, flow, p5, p6, p7)
        if setting.receiver:
            give(fields.collected, at, flow, heat)
        _take_row(carried, fields.retardant, setting.emitter, at - stride, flow, k0, k1, k2)
        _take_row(carried, fields.retardant, setting.emitter, at, flow, k3, nothing, k4)
        _take_row(carried, fields.retardant, setting.emitter, at + stride, flow, k5, k6, k7)
        store(fields.adjoint, at, fma(sensitive, survival16(exposure), owed + b))
        store(fields.unburned, at, unburned + load16(values, piece * 16))


@kernel
def damp_carried(
    fields: Fields, rows: Floats, slope: Floats, gains: Floats, clock: Clock, shape: Shape, setting: Setting,
    watching: Watching, step: int,
) -> None:  # fmt: skip
    """:func:`~firegui.rollout.kernels.cpu_backward.damp` towards ``b``: ``g ← b + (g − b) e^{−h}``."""
    count, gone = splat16(scored_after(setting, step)), splat16(GONE)
    now = step % clock.steps_per_day % clock.period
    day_start = step // clock.steps_per_day * shape.tile_rows * shape.tile_columns * 512
    for k in range(len(watching.starts)):
        if watching.hot[k] < step or watching.stamps[watching.chunks[k]] == step:
            continue
        at = watching.starts[k]
        if bits_above(load16(fields.unburned, at), gone) == 0xFFFF:
            continue
        heat = row_heat(fields.emission, gains, at, day_start + watching.chunks[k] * 128, shape.stride)
        if setting.receiver:
            heat = heat * load16(fields.retardant, at)
        exposure = heat * splat16(clock.decay[now])
        if bits_above(exposure, splat16(CUT_OFF)) == 0:
            watching.hot[k] = step - now + hottest(heat, clock, now)
            continue
        owed, b = load16(slope, at) * count, load16(rows, k * 16)
        store(fields.adjoint, at, fma(load16(fields.adjoint, at) - owed - b, survival16(exposure), owed + b))


@kernel
def carry_over_night(
    fields: Fields, carried: Floats, factor: np.float32, places: NDArray[np.int32], begin: int, end: int
) -> None:
    """``q ← f q`` where a rescaling kept something; before it is undone."""
    nothing, scale = splat16(np.float32(0.0)), splat16(factor)
    for piece in range(begin, end):
        at = places[piece, 0]
        store(carried, at, where_above(load16(fields.scaled, at), nothing, load16(carried, at) * scale))


@kernel
def carry_through_water(
    fields: Fields, carried: Floats, slope: Floats, later: np.float32, decay: np.float32, wet: DropLog, step: int
) -> None:
    """``q ← s q̃ + d^k (1 − s) g̃`` under the water of a step, last piece first; before it is undone."""
    one = splat8(np.float32(1.0))
    for piece in range(wet.first[step + 1] - 1, wet.first[step] - 1, -1):
        at = wet.places[piece]
        spared = survival8(load8(wet.dose, piece * 8))
        adjoint = load8(fields.adjoint, at) - load8(slope, at) * splat8(later)
        back = (one - spared) * splat8(decay) * adjoint
        store(carried, at, fma(spared, load8(carried, at), back))


@kernel
def sweep_carried(
    fields: Fields, slope: Floats, gains: Floats, clock: Clock, shape: Shape, setting: Setting,
    wet: DropLog, laid: DropLog, places: NDArray[np.int32], values: Floats, log: NDArray[np.int64],
    watching: Watching, reading: Reading, first: int, last: int, carried: Floats, before: Floats, rows: Floats,
) -> None:  # fmt: skip
    """Steps ``last − 1 … first``: undo the step, take both adjoints on, read its footprints."""
    for step in range(last - 1, first - 1, -1):
        now, later = step % clock.steps_per_day % clock.period, scored_after(setting, step)
        begin, end = log[step, 0], log[step, 1]
        if (step + 1) % clock.steps_per_day % clock.period == 0:
            carry_over_night(fields, carried, clock.decay[now + 1], places, end, log[step + 1, 0])
            unscale(fields, setting.emitter, places, values, end, log[step + 1, 0])
            watching.hot[:] = NEVER
        unburn(fields, clock, step, setting.emitter, places, values, begin, end)
        note(carried, before, rows, clock.growth[now + 1], places, begin, end, watching, step)
        descend_carried(fields, carried, before, slope, gains, clock, shape, setting, places, values, begin, end, step)
        if watching.has_water:
            if watching.since <= step:
                damp_carried(fields, rows, slope, gains, clock, shape, setting, watching, step)
            read_water(watching, reading, fields, slope, later, clock.decay[now], wet, step, shape.cells, carried)
        read_retardant(watching, reading, fields, slope, later, clock.decay[now], laid, step, carried)
        if len(watching.starts) > 0 and (touches(watching, laid, step, shape) or touches(watching, wet, step, shape)):
            watching.hot[:] = NEVER
        carry_through_water(fields, carried, slope, later, clock.decay[now], wet, step)
        unlay(fields, laid, step, setting.emitter)
        unpour(fields, wet, step, setting.emitter)

"""Triton kernels of the backward pass.

They compute the closed form of :mod:`firegui.rollout.closed_form` by gathering instead of scattering.
``g_{t+1} = a − n l`` with ``n`` the number of scored states from ``t + 1`` on, so that ``a`` changes only where an
exposure counted and a sleeping tile costs nothing. What the emitters gather, ``Z = g U_{t+1} ρ_x`` where an exposure
counted, lies in two buffers that swap roles at every step. So do ``ρ_e S`` and ``r``, which knight's moves make the
cells between gather.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, misc"

from __future__ import annotations

import triton
import triton.language as tl

from firegui.rollout.kernels.gpu_arithmetic import (
    ACROSS,
    ALONG,
    BETWEEN,
    CAPPED,
    CENTRE_X,
    CENTRE_Y,
    COS,
    DOSE,
    DROP,
    HALF,
    LEFT,
    NEAREST,
    OFFSETS,
    SCALE,
    SIN,
    TABLE,
    WATER,
    band,
    beside,
    ignition,
    passed,
    weigh,
    works_at,
)
from firegui.rollout.kernels.gpu_forward import near


@triton.jit
def spread(number, like):
    """Return whether ``number`` is above 0, for every element of a block."""
    return (like * 0 + number) > 0


@triton.jit
def _received(heats, afters, past, adjoint, slope, left, r, ran, RECEIVER: tl.constexpr):
    """Return ``Z = g U_{t+1} ρ_x`` where an exposure counted, else 0."""
    heat = tl.load(heats + past, mask=ran, other=0.0)
    flow = (adjoint - left * slope) * tl.load(afters + past, mask=ran, other=0.0)
    if RECEIVER:
        flow = flow * r
    return tl.where(heat > 0.0, flow, 0.0)


@triton.jit(do_not_specialize=["k", "rows", "columns", "tile_rows", "tile_columns", "per_day"])
def seed(
    heats, afters, burnings, log, adjoint, slopes, remaining, current, flows, sources, passing, emitted, table, clock,
    k, rows, columns, tile_rows, tile_columns, per_day,
    COUNT: tl.constexpr, RECEIVER: tl.constexpr, EMITTER: tl.constexpr,
    TILE_HEIGHT: tl.constexpr, TILE_WIDTH: tl.constexpr,
):  # fmt: skip
    """Start the sweep of a day at its last step ``k``.

    That sets what is gathered of the step, and zeros where the sweep will write.
    """
    at = tl.program_id(0)
    day, span = tl.load(clock), tl.load(clock + 1)
    width = tile_columns * TILE_WIDTH
    plane = tile_rows.to(tl.int64) * TILE_HEIGHT * width
    row = (at // tile_columns) * TILE_HEIGHT + tl.arange(0, TILE_HEIGHT)[:, None]
    column = (at % tile_columns) * TILE_WIDTH + tl.arange(0, TILE_WIDTH)[None, :]
    cell = row * width + column
    inside = (row < rows) & (column < columns)
    slope = tl.load(slopes + row * columns + column, mask=inside, other=0.0)
    left = tl.load(table + (day * per_day + k) * TABLE + LEFT)
    ran = inside & spread(tl.load(log + (span + k).to(tl.int64) * (tile_rows * tile_columns) + at), cell)
    r = tl.load(remaining + cell)
    past = (span + k) * plane + cell
    flow = _received(heats, afters, past, tl.load(adjoint + cell), slope, left, r, ran, RECEIVER)
    here = k % 2
    tl.store(flows + here * plane + cell, flow)
    tl.store(flows + (1 - here) * plane + cell, tl.zeros_like(flow))
    tl.store(emitted + cell, tl.zeros_like(flow))
    if COUNT > NEAREST:
        s = tl.load(current + cell)
        s = tl.where(ran, tl.load(burnings + past, mask=ran, other=0.0), s)
        for buffer in tl.static_range(2):
            tl.store(sources + buffer * plane + cell, r * s if EMITTER else s)
            tl.store(passing + buffer * plane + cell, r)


@triton.jit
def _flow(flows, gains, row, column, rows, columns, width, DY: tl.constexpr, DX: tl.constexpr, N: tl.constexpr):
    """Return ``Z(y) K_n(y)`` of the receivers ``y`` at an offset, for their neighbour ``N``."""
    plane = rows.to(tl.int64) * columns
    gain = beside(gains + N * plane, row, column, rows, columns, columns, DY, DX, 0.0)
    return beside(flows, row, column, rows, columns, width, DY, DX, 0.0) * gain


@triton.jit
def _to(flows, passing, gains, row, column, rows, columns, width, N: tl.constexpr):
    """Return ``Z(y) K_{x→y}(y) Π_z r(z)`` of the receivers ``y`` that are neighbours ``N`` of the block.

    Seen from ``y``, ``x`` is the opposite neighbour, and the line passes between the same two cells.
    """
    OPPOSITE: tl.constexpr = (NEAREST - 1 if N < NEAREST else 3 * NEAREST - 1) - N
    flow = _flow(flows, gains, row, column, rows, columns, width, OFFSETS[N][0], OFFSETS[N][1], OPPOSITE)
    if N >= NEAREST:
        flow = flow * passed(passing, row, column, rows, columns, width, N)
    return flow


@triton.jit
def _past(flows, sources, passing, gains, row, column, rows, columns, width, Z: tl.constexpr):
    """Return ``w_n(y)`` of a knight's move that passes the block's cells, up to their ``r`` and the scale.

    Seen from the receivers ``y``, these cells are number ``Z`` of ``BETWEEN``.
    """
    N: tl.constexpr = NEAREST + Z // 2
    OTHER: tl.constexpr = Z + 1 - 2 * (Z % 2)
    DY: tl.constexpr = -BETWEEN[Z][0]
    DX: tl.constexpr = -BETWEEN[Z][1]
    flow = _flow(flows, gains, row, column, rows, columns, width, DY, DX, N)
    DY_OTHER: tl.constexpr = DY + BETWEEN[OTHER][0]
    DX_OTHER: tl.constexpr = DX + BETWEEN[OTHER][1]
    flow = flow * beside(passing, row, column, rows, columns, width, DY_OTHER, DX_OTHER, 1.0)
    DY_SOURCE: tl.constexpr = DY + OFFSETS[N][0]
    DX_SOURCE: tl.constexpr = DX + OFFSETS[N][1]
    return flow * beside(sources, row, column, rows, columns, width, DY_SOURCE, DX_SOURCE, 0.0)


@triton.jit(do_not_specialize=["k", "newest", "oldest", "rows", "columns", "tile_rows", "tile_columns", "per_day"])
def back(
    gains, heats, afters, burnings, log, before, slots, adjoint, slopes, remaining, flows, sources, passing, emitted,
    collected, current, table, clock, k, newest, oldest, rows, columns, tile_rows, tile_columns, per_day, periods,
    COUNT: tl.constexpr, RECEIVER: tl.constexpr, EMITTER: tl.constexpr,
    TILE_HEIGHT: tl.constexpr, TILE_WIDTH: tl.constexpr,
):  # fmt: skip
    """Undo step ``k`` of a day: ``M``, ``C``, ``a``, and ``Z`` of the step before. One program per tile.

    A tile has work when it or a neighbour was run at this step or at the later one (whose results are to be cleared),
    or it was run at the earlier one. ``newest`` and ``oldest`` mark the day's last and first step. ``gains`` are those
    of :func:`~firegui.rollout.kernels.gpu_forward.step`.
    """
    at = tl.program_id(0)
    tiles = tile_rows * tile_columns
    day, span = tl.load(clock), tl.load(clock + 1)
    tile_y, tile_x = at // tile_columns, at % tile_columns
    ran_log = log + (span + k).to(tl.int64) * tiles
    now = near(ran_log, at, at >= 0, tile_y, tile_x, tile_rows, tile_columns, 1)
    later = near(ran_log + tiles, at, newest == 0, tile_y, tile_x, tile_rows, tile_columns, 1)
    earlier = tl.load(ran_log - tiles + at, mask=oldest == 0, other=0)
    if (now | later | earlier) > 0:
        own = tl.load(ran_log + at)
        width = tile_columns * TILE_WIDTH
        plane = tile_rows.to(tl.int64) * TILE_HEIGHT * width
        row = tile_y * TILE_HEIGHT + tl.arange(0, TILE_HEIGHT)[:, None]
        column = tile_x * TILE_WIDTH + tl.arange(0, TILE_WIDTH)[None, :]
        inside = (row < rows) & (column < columns)
        cell = row * width + column
        past = (span + k) * plane + cell
        here = k % 2
        received = flows + here * plane
        between = passing + here * plane
        of_period = gains + day * periods * COUNT * (rows.to(tl.int64) * columns)
        total = _to(received, between, of_period, row, column, rows, columns, width, 0)
        for n in tl.static_range(1, COUNT):
            total += _to(received, between, of_period, row, column, rows, columns, width, n)
        clocked = table + (day * per_day + k) * TABLE
        slope = tl.load(slopes + row * columns + column, mask=inside, other=0.0)
        r = tl.load(remaining + cell)
        if EMITTER:
            total = total * r
        ran = inside & spread(own, cell)
        heat = tl.load(heats + past, mask=ran, other=0.0)
        after = tl.load(afters + past, mask=ran, other=0.0)
        s = tl.load(current + cell)
        s = tl.where(ran, tl.load(burnings + past, mask=ran, other=0.0), s)
        a = tl.load(adjoint + cell)
        g = a - tl.load(clocked + LEFT) * slope
        c = tl.load(collected + cell)
        if RECEIVER:
            c += g * after * heat
        if EMITTER:
            c += total * (s * tl.load(clocked + SCALE))
        if COUNT > NEAREST:
            around = tl.zeros_like(c)
            emitting = sources + here * plane
            for z in tl.static_range(2 * (COUNT - NEAREST)):
                around += _past(received, emitting, between, of_period, row, column, rows, columns, width, z)
            c += around * (r * tl.load(clocked + SCALE))
        a -= ignition(heat) * g
        tl.store(collected + cell, c)
        tl.store(adjoint + cell, a)
        tl.store(current + cell, s)
        tl.store(emitted + cell, total)
        drop = tl.load(slots + (span + k).to(tl.int64) * tiles + at)
        if drop >= 0:
            local = tl.arange(0, TILE_HEIGHT)[:, None] * TILE_WIDTH + tl.arange(0, TILE_WIDTH)[None, :]
            r = tl.load(before + drop.to(tl.int64) * (TILE_HEIGHT * TILE_WIDTH) + local)
            tl.store(remaining + cell, r)
        ran = inside & spread(earlier, cell)
        if COUNT > NEAREST:
            s = tl.where(ran, tl.load(burnings + past - plane, mask=ran, other=0.0), s)
            tl.store(sources + (1 - here) * plane + cell, r * s if EMITTER else s)
            tl.store(passing + (1 - here) * plane + cell, r)
        left = tl.load(clocked - TABLE + LEFT, mask=oldest == 0, other=0.0)
        flow = _received(heats, afters, past - plane, a, slope, left, r, ran, RECEIVER)
        tl.store(flows + (1 - here) * plane + cell, flow)


@triton.jit(do_not_specialize=["k", "rows", "columns", "tile_rows", "tile_columns", "per_day", "per_period"])
def products(
    drops, offsets, results, collected, current, adjoint, slopes, emitted, slots, wet, laid, working, table, clock,
    k, rows, columns, tile_rows, tile_columns, per_day, per_period,
    LIMITED: tl.constexpr, TILE_HEIGHT: tl.constexpr, TILE_WIDTH: tl.constexpr, LONG: tl.constexpr, WIDE: tl.constexpr,
):  # fmt: skip
    """Compute inner products of the footprints of step ``k`` with the gradient of the dose.

    There is one program per (step, pair). ``results [pair, 4]`` float64: ``∂𝓛/∂d``, ``∂𝓛/∂y``, ``∂𝓛/∂x``, ``∂𝓛/∂θ``.
    With ``F`` the gradient of the dose and ``ℓ`` the logarithmic slopes of ``G``: ``P α (Σ F Ḡ ℓ − Σ F Ḡ · Σ Ḡ ℓ)``. A
    capped dose has ``F = 0``, and so has a cell where drops do not work.
    """
    day, span = tl.load(clock), tl.load(clock + 1)
    t = day * per_day + k
    pair = tl.load(offsets + t) + tl.program_id(0)
    if pair < tl.load(offsets + t + 1):
        drop = drops + pair * DROP
        cos, sin = tl.load(drop + COS), tl.load(drop + SIN)
        along, across = tl.load(drop + ALONG), tl.load(drop + ACROSS)
        qxx = cos * cos * along + sin * sin * across
        qyy = sin * sin * along + cos * cos * across
        qxy = -cos * sin * (along - across)
        centre_y, centre_x = tl.load(drop + CENTRE_Y), tl.load(drop + CENTRE_X)
        is_water = tl.load(drop + WATER).to(tl.int32)
        width = tile_columns * TILE_WIDTH
        tiles = tile_rows * tile_columns
        clocked = table + t * TABLE
        scale, left = tl.load(clocked + SCALE), tl.load(clocked + LEFT)
        n = tl.full([], 0.0, tl.float64)
        ny, nx, nt = n, n, n
        f, fy, fx, ft = n, n, n, n
        side = 2 * tl.load(drop + HALF).to(tl.int32) + 1
        for first in range(0, side, LONG):
            d_row, d_column = band(drop, first, LONG, WIDE)
            weight, dy, dx = weigh(drop, d_row, d_column)
            row, column = (centre_y + d_row).to(tl.int32), (centre_x + d_column).to(tl.int32)
            inside = (weight > 0.0) & (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
            if LIMITED:
                inside = inside & works_at(working, t // per_period, row, column, rows, columns)
            cell = row * width + column
            doused = inside & spread(is_water, cell)
            coated = inside & spread(1 - is_water, cell)
            a = tl.load(adjoint + cell, mask=doused, other=0.0)
            slope = tl.load(slopes + row * columns + column, mask=doused, other=0.0)
            m = tl.load(emitted + cell, mask=doused, other=0.0)
            burning = tl.load(current + cell, mask=doused, other=0.0) * scale
            treated = tl.load(collected + cell, mask=coated, other=0.0)
            field = tl.where(doused, burning * ((a - left * slope) + m), treated)
            tile = (row // TILE_HEIGHT) * tile_columns + column // TILE_WIDTH
            slot = tl.load(slots + (span + k).to(tl.int64) * tiles + tile, mask=inside, other=-1)
            local = slot.to(tl.int64) * (TILE_HEIGHT * TILE_WIDTH)
            local += (row % TILE_HEIGHT) * TILE_WIDTH + column % TILE_WIDTH
            left_wet = tl.load(wet + local, mask=doused & (slot >= 0), other=1.0)
            left_laid = tl.load(laid + local, mask=coated & (slot >= 0), other=1.0)
            field = tl.where((left_wet <= CAPPED) | (left_laid <= CAPPED), 0.0, field).to(tl.float64)
            ly, lx = qxy * dx + qyy * dy, qxx * dx + qxy * dy
            lt = (along - across) * (cos * sin * (dx * dx - dy * dy) + (cos * cos - sin * sin) * dx * dy)
            seen = weight * field
            n += tl.sum(tl.sum(weight, 1), 0)
            ny += tl.sum(tl.sum(weight * ly, 1), 0)
            nx += tl.sum(tl.sum(weight * lx, 1), 0)
            nt += tl.sum(tl.sum(weight * lt, 1), 0)
            f += tl.sum(tl.sum(seen, 1), 0)
            fy += tl.sum(tl.sum(seen * ly, 1), 0)
            fx += tl.sum(tl.sum(seen * lx, 1), 0)
            ft += tl.sum(tl.sum(seen * lt, 1), 0)
        share = 1.0 / (n + 1e-12)
        dose = tl.load(drop + DOSE) * share
        out = results + pair * 4
        tl.store(out, dose * f)
        tl.store(out + 1, dose * (fy - f * ny * share))
        tl.store(out + 2, dose * (fx - f * nx * share))
        tl.store(out + 3, dose * (ft - f * nt * share))

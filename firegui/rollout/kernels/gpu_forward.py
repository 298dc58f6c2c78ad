"""Triton kernels of the forward pass: doses of a span of days, drops of a step, fused step.

A program never reads what another program of the same launch writes. What neighbours read of each other, the
emission ``ρ_e S``, for knight's moves ``r``, and the flags of tiles, lies in two buffers that swap roles at every step;
everything else belongs to one tile.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, misc"

from __future__ import annotations

import triton
import triton.language as tl

from firegui.rollout.kernels.gpu_arithmetic import (
    AGAIN,
    CENTRE_X,
    CENTRE_Y,
    CUT_OFF,
    DOSE,
    DROP,
    END,
    FIRST,
    FOLD,
    GAIN,
    HALF,
    IGNITED,
    KEEP,
    KEPT,
    MAXIMUM_DOSE,
    NEAREST,
    OFFSETS,
    PAIR,
    ROUSE,
    RUN,
    SCALE,
    SCORED,
    STEP,
    TABLE,
    TILE_LEFT,
    TILE_TOP,
    TILES_DOWN,
    TILES_RIGHT,
    TOUCHED,
    TREATED,
    WATER,
    band,
    beside,
    ignition,
    passed,
    weigh,
    works_at,
)


@triton.jit
def norms(drops, shares, LONG: tl.constexpr, WIDE: tl.constexpr):
    """Compute ``P α / (Σ_W G + 1e-12)`` of every drop. There is one program per drop."""
    one = tl.program_id(0)
    drop = drops + one * DROP
    side = 2 * tl.load(drop + HALF).to(tl.int32) + 1
    total = tl.full([], 0.0, tl.float64)
    for first in range(0, side, LONG):
        row, column = band(drop, first, LONG, WIDE)
        weight, _, _ = weigh(drop, row, column)
        total += tl.sum(tl.sum(weight, 1), 0)
    tl.store(shares + one, tl.load(drop + DOSE) / (total + 1e-12))


@triton.jit
def place(drops, pairs, pair, tile_columns):
    """Return ``(drop, row of tiles, column of tiles)`` of a (drop, tile) pair."""
    one = tl.load(pairs + pair)
    drop = drops + one * DROP
    local = pair - tl.load(drop + PAIR).to(tl.int32)
    wide = tl.load(drop + TILES_RIGHT).to(tl.int32)
    top, left = tl.load(drop + TILE_TOP).to(tl.int32), tl.load(drop + TILE_LEFT).to(tl.int32)
    return one, top + local // wide, left + local % wide


@triton.jit(
    do_not_specialize=["begin", "first_step", "runs", "rows", "columns", "tile_rows", "tile_columns", "per_period"]
)
def doses(
    drops, shares, pairs, wet, laid, slots, working, begin, first_step, runs, rows, columns, tile_rows, tile_columns,
    per_period, LIMITED: tl.constexpr, TILE_HEIGHT: tl.constexpr, TILE_WIDTH: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """Compute the part of a tile's response that the drops of a step leave: ``exp(−min(E, 50))``.

    There is one of water and one of retardant. One program per (drop, tile) pair. The first drop of the fleet that
    reaches a tile at a step sums for all of them, in fleet order, and leaves the number of its pair in
    ``slots [step, tile, run]``; the others have nothing to do.
    """
    pair = tl.program_id(0)
    one, tile_y, tile_x = place(drops, pairs, begin + pair, tile_columns)
    drop = drops + one * DROP
    first, end = tl.load(drop + FIRST).to(tl.int32), tl.load(drop + END).to(tl.int32)
    index = first + tl.arange(0, GROUP)
    listed = index < end
    top = tl.load(drops + index * DROP + TILE_TOP, mask=listed, other=0.0).to(tl.int32)
    left = tl.load(drops + index * DROP + TILE_LEFT, mask=listed, other=0.0).to(tl.int32)
    down = tl.load(drops + index * DROP + TILES_DOWN, mask=listed, other=0.0).to(tl.int32)
    right = tl.load(drops + index * DROP + TILES_RIGHT, mask=listed, other=0.0).to(tl.int32)
    here = listed & (tile_y >= top) & (tile_y < top + down) & (tile_x >= left) & (tile_x < left + right)
    leader = tl.min(tl.where(here, index, end), 0)
    if leader == one:
        row = tile_y * TILE_HEIGHT + tl.arange(0, TILE_HEIGHT)[:, None]
        column = tile_x * TILE_WIDTH + tl.arange(0, TILE_WIDTH)[None, :]
        water = tl.zeros((TILE_HEIGHT, TILE_WIDTH), tl.float64)
        retardant = tl.zeros((TILE_HEIGHT, TILE_WIDTH), tl.float64)
        if LIMITED:
            works = works_at(working, tl.load(drop + STEP).to(tl.int32) // per_period, row, column, rows, columns)
        for other in range(one, end):
            if tl.sum(tl.where(here & (index == other), 1, 0), 0) > 0:
                that = drops + other * DROP
                dy = row.to(tl.float64) - tl.load(that + CENTRE_Y)
                dx = column.to(tl.float64) - tl.load(that + CENTRE_X)
                weight, _, _ = weigh(that, dy, dx)
                if LIMITED:
                    weight = tl.where(works, weight, 0.0)
                dose = weight * tl.load(shares + other)
                is_water = tl.load(that + WATER)
                water += dose * is_water
                retardant += dose * (1.0 - is_water)
        cell = pair.to(tl.int64) * (TILE_HEIGHT * TILE_WIDTH)
        cell += tl.arange(0, TILE_HEIGHT)[:, None] * TILE_WIDTH + tl.arange(0, TILE_WIDTH)[None, :]
        tl.store(wet + cell, tl.exp(-tl.minimum(water, MAXIMUM_DOSE)).to(tl.float32))
        tl.store(laid + cell, tl.exp(-tl.minimum(retardant, MAXIMUM_DOSE)).to(tl.float32))
        step = tl.load(drop + STEP).to(tl.int32) - first_step
        tile = tile_y * tile_columns + tile_x
        item = (step * (tile_rows * tile_columns) + tile).to(tl.int64) * runs + tl.load(drop + RUN).to(tl.int32)
        tl.store(slots + item, pair)


@triton.jit
def _suppressed(unburned, scaled, factor, survival):
    """Return ``Ũ = clip(U + B (1 − s), 0, 1)`` and ``S̃ = S s`` with ``B = factor · S``."""
    freed = unburned + scaled * factor * (1.0 - survival)
    return tl.minimum(tl.maximum(freed, 0.0), 1.0), scaled * survival


@triton.jit(do_not_specialize=["begin", "offset", "k", "runs", "tile_rows", "tile_columns", "per_day"])
def drop_now(
    drops, pairs, wet, laid, before, slots, unburned, scaled, retardant, emission, passing, flags, table, clock,
    begin, offset, k, runs, tile_rows, tile_columns, per_day,
    COUNT: tl.constexpr, EMITTER: tl.constexpr, HISTORY: tl.constexpr,
    TILE_HEIGHT: tl.constexpr, TILE_WIDTH: tl.constexpr,
):  # fmt: skip
    """Apply the drops of the coming step, at a day's start and where a state was looked at.

    One program per (drop, tile) pair of the step; pair ``begin + offset + i`` is number ``offset + i`` of its span.
    """
    pair = offset + tl.program_id(0)
    one, tile_y, tile_x = place(drops, pairs, begin + pair, tile_columns)
    day, slot = tl.load(clock), tl.load(clock + 1) + k
    run = tl.load(drops + one * DROP + RUN).to(tl.int32)
    tiles = tile_rows * tile_columns
    item = (tile_y * tile_columns + tile_x) * runs + run
    if tl.load(slots + slot.to(tl.int64) * (tiles * runs) + item) == pair:
        width = tile_columns * TILE_WIDTH
        plane = tile_rows * TILE_HEIGHT * width
        row = tile_y * TILE_HEIGHT + tl.arange(0, TILE_HEIGHT)[:, None]
        column = tile_x * TILE_WIDTH + tl.arange(0, TILE_WIDTH)[None, :]
        cell = run.to(tl.int64) * plane + row * width + column
        local = tl.arange(0, TILE_HEIGHT)[:, None] * TILE_WIDTH + tl.arange(0, TILE_WIDTH)[None, :]
        local += pair.to(tl.int64) * (TILE_HEIGHT * TILE_WIDTH)
        clocked = table + (day * per_day + k) * TABLE
        factor = tl.load(clocked + SCALE) * tl.load(clocked + FOLD)
        u, s, r = tl.load(unburned + cell), tl.load(scaled + cell), tl.load(retardant + cell)
        u, s = _suppressed(u, s, factor, tl.load(wet + local))
        if HISTORY:
            tl.store(before + local, r)
        r = r * tl.load(laid + local)
        tl.store(unburned + cell, u)
        tl.store(scaled + cell, s)
        tl.store(retardant + cell, r)
        here = (k % 2).to(tl.int64)
        tl.store(emission + here * runs * plane + cell, r * s if EMITTER else s)
        if COUNT > NEAREST:
            tl.store(passing + here * runs * plane + cell, r)
        flag = flags + here * (tiles * runs) + item
        tl.store(flag, tl.load(flag) | AGAIN | TREATED)


@triton.jit
def near(flags, item, valid, tile_y, tile_x, tile_rows, tile_columns, runs):
    """Return the flags of a tile and its eight neighbours, or-ed."""
    found = tl.load(flags + item, mask=valid, other=0)
    for dy in tl.static_range(3):
        for dx in tl.static_range(3):
            y, x = tile_y + (dy - 1), tile_x + (dx - 1)
            inside = valid & (y >= 0) & (y < tile_rows) & (x >= 0) & (x < tile_columns)
            found |= tl.load(flags + item + ((dy - 1) * tile_columns + (dx - 1)) * runs, mask=inside, other=0)
    return found


@triton.jit
def _from(emission, passing, gains, row, column, rows, columns, width, fold, N: tl.constexpr):
    """Return ``ρ_e B̃(n) K_n(x) Π_z r(z)`` of neighbour ``N``, up to the day's scale."""
    source = beside(emission, row, column, rows, columns, width, OFFSETS[N][0], OFFSETS[N][1], 0.0)
    plane = rows.to(tl.int64) * columns
    inside = (row < rows) & (column < columns)
    gain = tl.load(gains + N * plane + row * columns + column, mask=inside, other=0.0)
    if N >= NEAREST:
        gain = gain * passed(passing, row, column, rows, columns, width, N)
    return source * fold * gain


_STEP_NUMBERS = ["k", "last", "dense", "programs", "runs", "rows", "columns", "tile_rows", "tile_columns", "per_day"]


@triton.jit(do_not_specialize=_STEP_NUMBERS)
def step(
    gains, unburned, scaled, retardant, emission, passing, flags, sums, protection, slots, wet, laid, before,
    heats, afters, burnings, log, table, clock,
    k, last, dense, programs, runs, rows, columns, tile_rows, tile_columns, per_day, periods,
    COUNT: tl.constexpr, RECEIVER: tl.constexpr, EMITTER: tl.constexpr, PROTECTED: tl.constexpr,
    HISTORY: tl.constexpr, TILE_HEIGHT: tl.constexpr, TILE_WIDTH: tl.constexpr, CHUNK: tl.constexpr,
):  # fmt: skip
    """Run one step of every tile that can change, and apply the drops of the next one.

    Each of the ``programs`` looks after ``CHUNK`` (tile, run) items, far apart so that their work is even. A tile
    sleeps when none of its neighbourhood ignited at the last step and none of its own exposures counted: within a
    period ``S`` and ``K`` are then what they were and the scale falls, so no exposure can count now. ``gains`` are
    those of the first day from the period of ``k`` on, with ``COUNT`` neighbours and ``periods`` a day. ``last`` leaves
    the next step's drops alone. ``sums [5, tile, run]`` float64: Σ P and Σ p P of the state, and over time Σ P, scored
    Σ P and scored Σ p P.
    """
    tiles = tile_rows * tile_columns
    items = tiles * runs
    day, span = tl.load(clock), tl.load(clock + 1)
    clocked = table + (day * per_day + k) * TABLE
    scale, fold = tl.load(clocked + SCALE), tl.load(clocked + FOLD)
    keep, gain = tl.load(clocked + KEEP), tl.load(clocked + GAIN)
    scored, rouse = tl.load(clocked + SCORED).to(tl.float64), tl.load(clocked + ROUSE).to(tl.int32)
    here = k % 2
    old, new_flags = flags + here * items, flags + (1 - here) * items

    j = tl.arange(0, CHUNK)
    item = tl.program_id(0) + j * programs
    valid = item < items
    tile = item // runs
    own = tl.load(old + item, mask=valid, other=0)
    around = near(old, item, valid, tile // tile_columns, tile % tile_columns, tile_rows, tile_columns, runs)
    slot = tl.load(slots + (span + k + 1).to(tl.int64) * items + item, mask=item < items * (1 - last), other=-1)
    # Numbers, not truth values: a truth value of the whole program does not spread over a block alike everywhere.
    reason = (around & IGNITED) | (own & AGAIN) | ((around & TOUCHED) * rouse) | dense
    awake = valid & ((reason > 0) | (slot >= 0))
    asleep = valid & (reason == 0) & (slot < 0)
    tl.store(new_flags + item, own & KEPT, mask=asleep)
    if HISTORY:
        tl.store(log + (span + k).to(tl.int64) * items + item, awake.to(tl.int32), mask=valid)
    counted = asleep & ((own & TOUCHED) > 0)
    fire = tl.load(sums + item, mask=counted, other=0.0)
    guarded = tl.load(sums + items + item, mask=counted, other=0.0)
    for part in tl.static_range(3):
        over_time = sums + (2 + part) * items + item
        added = fire if part == 0 else (fire * scored if part == 1 else guarded * scored)
        tl.store(over_time, tl.load(over_time, mask=counted, other=0.0) + added, mask=counted)

    for i in range(CHUNK):
        chosen = j == i
        if tl.sum(tl.where(chosen & awake, 1, 0), 0) > 0:
            one = tl.sum(tl.where(chosen, item, 0), 0)
            flag = tl.sum(tl.where(chosen, own, 0), 0)
            drop = tl.sum(tl.where(chosen, slot, 0), 0)
            run, at = one % runs, one // runs
            width = tile_columns * TILE_WIDTH
            plane = tile_rows.to(tl.int64) * TILE_HEIGHT * width
            row = (at // tile_columns) * TILE_HEIGHT + tl.arange(0, TILE_HEIGHT)[:, None]
            column = (at % tile_columns) * TILE_WIDTH + tl.arange(0, TILE_WIDTH)[None, :]
            base = run * plane
            cell = base + row * width + column
            source = emission + here * runs * plane + base
            between = passing + here * runs * plane + base
            of_period = gains + day * periods * COUNT * (rows.to(tl.int64) * columns)
            total = _from(source, between, of_period, row, column, rows, columns, width, fold, 0)
            for n in tl.static_range(1, COUNT):
                total += _from(source, between, of_period, row, column, rows, columns, width, fold, n)
            u, s, r = tl.load(unburned + cell), tl.load(scaled + cell) * fold, tl.load(retardant + cell)
            heat = total * scale
            if RECEIVER:
                heat = heat * r
            ignited = u * ignition(heat)
            u = u - ignited
            if HISTORY:
                past = (span + k) * plane + row * width + column
                tl.store(heats + past, tl.where(heat > CUT_OFF, heat, 0.0))
                tl.store(afters + past, u)
                tl.store(burnings + past, s)
            s = s * keep + ignited * gain
            spread = tl.max(tl.max(tl.where(ignited > 0.0, 1, 0), 1), 0)
            counts = tl.max(tl.max(tl.where(heat > CUT_OFF, 1, 0), 1), 0)
            flag = (flag & KEPT) | (spread * (IGNITED | TOUCHED))
            flag |= tl.where((counts > 0) | (fold != 1.0) | (keep != 1.0), AGAIN, 0)
            # Nothing outside the raster ever burns, so that the margin of the last tiles adds zeros.
            burnt = (1.0 - u).to(tl.float64)
            fire_now = tl.sum(tl.sum(burnt, 1), 0)
            tl.store(sums + one, fire_now)
            tl.store(sums + 2 * items + one, tl.load(sums + 2 * items + one) + fire_now)
            tl.store(sums + 3 * items + one, tl.load(sums + 3 * items + one) + fire_now * scored)
            if PROTECTED:
                inside = (row < rows) & (column < columns)
                density = tl.load(protection + row * columns + column, mask=inside, other=0.0)
                guarded_now = tl.sum(tl.sum(burnt * density, 1), 0)
                tl.store(sums + items + one, guarded_now)
                tl.store(sums + 4 * items + one, tl.load(sums + 4 * items + one) + guarded_now * scored)
            if drop >= 0:
                local = tl.arange(0, TILE_HEIGHT)[:, None] * TILE_WIDTH + tl.arange(0, TILE_WIDTH)[None, :]
                local += drop.to(tl.int64) * (TILE_HEIGHT * TILE_WIDTH)
                factor = tl.load(clocked + TABLE + SCALE) * tl.load(clocked + TABLE + FOLD)
                u, s = _suppressed(u, s, factor, tl.load(wet + local))
                if HISTORY:
                    tl.store(before + local, r)
                r = r * tl.load(laid + local)
                tl.store(retardant + cell, r)
                flag |= AGAIN | TREATED
            tl.store(unburned + cell, u)
            tl.store(scaled + cell, s)
            tl.store(emission + (1 - here) * runs * plane + cell, r * s if EMITTER else s)
            if COUNT > NEAREST:
                tl.store(passing + (1 - here) * runs * plane + cell, r)
            tl.store(new_flags + one, flag)

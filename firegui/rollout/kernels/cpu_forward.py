"""One day and the next of the forward pass, on the tiles where something can ignite.

A tile runs at ``t + 1`` if it, or a cell at its edge or corner, ignited anything at ``t``. That is exact: the gains are
those of the day, ``S`` changes only by ignitions, and ``decay[k]`` and the retardant factor only fall, so without a new
ignition nearby every exposure can only fall, and what did not ignite does not. Three things can raise an exposure or
what it acts on, and each wakes tiles: a new day (new gains), a rescaling (rounding), water (``U`` grows).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firegui.rollout.kernels.compiled import inlined, kernel
from firegui.rollout.kernels.layout import Clock, Fields, Floats, Marks, Shape
from firegui.rollout.kernels.vectors import (
    bits_above,
    fma,
    load8,
    load16,
    lowest_bit,
    minimum,
    power_of_half,
    prefetch,
    rounded,
    set_bits,
    splat8,
    splat16,
    store,
    total,
    where_above,
)

CUT_OFF = np.float32(2.0**-25)
"""Exposures up to here ignite nothing in float32: ``1 − e^{−h}`` rounds to 0."""
FAINT = np.float32(2.0**-43)
"""Retardant factors, ``S`` after water or a night, and emissions up to here are 0. With gains of at most 8 · 100 · 100 no
exposure from them passes the cut-off; smaller numbers would soon be subnormal, which processors compute with slowly."""
NEAR_TILES = 256
"""So many tiles have their gains in the cache from the step before; of more, the coming ones are asked for."""
SUM_FIRE, SUM_PROT, SCORED, SCORED_PROT, UNSCORED, ALIGHT = range(6)
"""Running sums: Σ P_t, Σ P_t · density, and what they add up to over the scored states; Σ P_t over the others. Last, a
step from which on nothing burns any more, as far as is known."""


class Print(NamedTuple):
    """Footprints of one material, by step: drops ``first[t] … first[t + 1]`` with their 8-cell pieces.

    ``weights [n · 8]`` are not normalised; ``amounts`` scale them to doses.
    """

    first: NDArray[np.int64]
    pieces: NDArray[np.int64]
    places: NDArray[np.int32]
    weights: Floats
    amounts: Floats


class DropLog(NamedTuple):
    """What drops changed, for undoing: per step ``first[t]``, the places, 8 values of one or two fields each, and the doses."""

    first: NDArray[np.int64]
    places: NDArray[np.int32]
    before: Floats
    dose: Floats

    def most(self) -> int:
        """The most pieces that any step changed."""
        return int(np.diff(self.first).max(initial=0))


class Setting(NamedTuple):
    """What does not change during a rollout."""

    density: Floats
    has_density: NDArray[np.uint8]
    receiver: bool
    emitter: bool
    first_scored: int
    n_steps: int
    last_water: int
    burn_limit: float
    final_limit: float
    prot_limit: float
    dense: bool
    keep: bool


@inlined
def survival16(exposure):  # type: ignore[no-untyped-def]
    """``e^{−h}``, correctly rounded near 0, where the cut-off of the model lies.

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
def survival8(exposure):  # type: ignore[no-untyped-def]
    """``e^{−E}`` of 8 doses."""
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
def bright8(value):  # type: ignore[no-untyped-def]
    """``value`` where it is more than :data:`FAINT`."""
    return where_above(value, splat8(FAINT), value)


@inlined
def bright16(value):  # type: ignore[no-untyped-def]
    """``value`` where it is more than :data:`FAINT`."""
    return where_above(value, splat16(FAINT), value)


@inlined
def emit8(fields, at, scaled, emitter):  # type: ignore[no-untyped-def]
    """Store what 8 cells with this ``S`` emit."""
    if emitter:
        scaled = scaled * load8(fields.retardant, at)
    store(fields.emission, at, bright8(scaled))


@inlined
def emit16(fields, at, scaled, emitter):  # type: ignore[no-untyped-def]
    """Store what 16 cells with this ``S`` emit."""
    if emitter:
        scaled = scaled * load16(fields.retardant, at)
    store(fields.emission, at, bright16(scaled))


@inlined
def wake(marks, tile_row, tile_column, shape):  # type: ignore[no-untyped-def]
    """Add a tile to a set, if there is one at that place."""
    if 0 <= tile_row < shape.tile_rows and 0 <= tile_column < shape.tile_columns:
        marks[tile_row * shape.words + (tile_column >> 6)] |= np.int64(1) << (tile_column & 63)


@inlined
def touch(marks, tile_row, tile_column, shape):  # type: ignore[no-untyped-def]
    """Note that a tile has burned."""
    wake(marks.touched, tile_row, tile_column, shape)
    marks.rows[0], marks.rows[1] = min(marks.rows[0], tile_row), max(marks.rows[1], tile_row)


@inlined
def awake(marks, shape):  # type: ignore[no-untyped-def]
    """How many tiles run at this step."""
    count = 0
    for word in range(max(marks.rows[0] - 1, 0) * shape.words, min(marks.rows[1] + 2, shape.tile_rows) * shape.words):
        if marks.now[word] != 0:
            count += set_bits(marks.now[word])
    return count


@inlined
def _mark(marks, at, shape):  # type: ignore[no-untyped-def]
    """Add the tiles of an 8-cell piece to a set."""
    tile_row, column = (at // shape.stride - 1) // 4, at % shape.stride - 16
    wake(marks, tile_row, column // 16, shape)
    wake(marks, tile_row, (column + 7) // 16, shape)


@kernel
def wake_touched(marks: Marks, shape: Shape) -> None:
    """Every tile that ever burned, and its eight neighbours, run at the coming step."""
    for tile_row in range(marks.rows[0], marks.rows[1] + 1):
        for word in range(shape.words):
            bits = marks.touched[tile_row * shape.words + word]
            while bits != 0:
                tile_column = word * 64 + lowest_bit(bits)
                bits &= bits - 1
                for up in range(-1, 2):
                    for left in range(-1, 2):
                        wake(marks.now, tile_row + up, tile_column + left, shape)


@kernel
def rescale(fields: Fields, marks: Marks, shape: Shape, factor: np.float32, emitter: bool) -> bool:
    """``S ← S · factor`` wherever anything ever burned. Returns whether anything burns still."""
    alight, nothing = False, splat16(np.float32(0.0))
    for tile_row in range(marks.rows[0], marks.rows[1] + 1):
        for word in range(shape.words):
            bits = marks.touched[tile_row * shape.words + word]
            while bits != 0:
                tile_column = word * 64 + lowest_bit(bits)
                bits &= bits - 1
                first = (tile_row * 4 + 1) * shape.stride + 16 + tile_column * 16
                for row in range(4):
                    at = first + row * shape.stride
                    scaled = bright16(load16(fields.scaled, at) * splat16(factor))
                    store(fields.scaled, at, scaled)
                    emit16(fields, at, scaled, emitter)
                    alight = alight or bits_above(scaled, nothing) != 0
    return alight


@kernel
def gather_doses(field: Floats, prints: Print, step: int) -> None:
    """Sum the doses of a step's drops, in the order of the fleet."""
    for drop in range(prints.first[step], prints.first[step + 1]):
        amount = splat8(prints.amounts[drop])
        for piece in range(prints.pieces[drop], prints.pieces[drop + 1]):
            at = prints.places[piece]
            store(field, at, fma(load8(prints.weights, piece * 8), amount, load8(field, at)))


@kernel
def lay_retardant(
    fields: Fields, prints: Print, log: DropLog, marks: Marks, step: int, shape: Shape, emitter: bool
) -> None:
    """``r ← r e^{−E}`` under the drops of ``step``."""
    gather_doses(fields.dose, prints, step)
    count = log.first[step]
    nothing = splat8(np.float32(0.0))
    for piece in range(prints.pieces[prints.first[step]], prints.pieces[prints.first[step + 1]]):
        at = prints.places[piece]
        dose = load8(fields.dose, at)
        if bits_above(dose, nothing) != 0:
            before = load8(fields.retardant, at)
            log.places[count] = at
            store(log.before, count * 8, before)
            store(log.dose, count * 8, dose)
            count += 1
            store(fields.retardant, at, bright8(before * survival8(dose)))
            store(fields.dose, at, nothing)
            emit8(fields, at, load8(fields.scaled, at), emitter)
            _mark(marks.treated, at, shape)
    log.first[step + 1] = count


@kernel
def pour_water(
    fields: Fields, prints: Print, log: DropLog, marks: Marks, step: int, decay: np.float32,
    shape: Shape, setting: Setting, sums: NDArray[np.float64],
) -> None:  # fmt: skip
    """``Ũ = U + B (1 − s)`` and ``B̃ = B s`` with ``s = e^{−E}`` under the drops of ``step``."""
    gather_doses(fields.dose, prints, step)
    count = log.first[step]
    nothing, one = splat8(np.float32(0.0)), splat8(np.float32(1.0))
    for piece in range(prints.pieces[prints.first[step]], prints.pieces[prints.first[step + 1]]):
        at = prints.places[piece]
        dose = load8(fields.dose, at)
        if bits_above(dose, nothing) != 0:
            store(fields.dose, at, nothing)
            scaled, unburned = load8(fields.scaled, at), load8(fields.unburned, at)
            log.places[count] = at
            store(log.before, count * 16, scaled)
            store(log.before, count * 16 + 8, unburned)
            store(log.dose, count * 8, dose)
            count += 1
            if bits_above(scaled, nothing) != 0:
                spared = survival8(dose)
                raised = minimum(fma(scaled * splat8(decay), one - spared, unburned), one)
                store(fields.unburned, at, raised)
                scaled = bright8(scaled * spared)
                store(fields.scaled, at, scaled)
                emit8(fields, at, scaled, setting.emitter)
                back = unburned - raised
                sums[SUM_FIRE] += total(back)
                sums[SUM_PROT] += total(back * load8(setting.density, at))
                _mark(marks.now, at, shape)
    log.first[step + 1] = count


@kernel
def ignite(
    fields: Fields, marks: Marks, gains: Floats, day_start: int, decay: np.float32, shape: Shape, setting: Setting,
    places: NDArray[np.int32], values: Floats, used: int, sums: NDArray[np.float64],
) -> int:  # fmt: skip
    """``new = U (1 − e^{−h})`` on the tiles that are awake; logs the 16-cell pieces that ignite and lowers ``U`` there.

    ``S`` is left for :func:`burn`, because other tiles still read it. Returns how many pieces the log holds.
    """
    stride = shape.stride
    cut, nothing, scale = splat16(CUT_OFF), splat16(np.float32(0.0)), splat16(decay)
    one = splat16(np.float32(1.0))
    far = awake(marks, shape) > NEAR_TILES
    for tile_row in range(max(marks.rows[0] - 1, 0), min(marks.rows[1] + 2, shape.tile_rows)):
        for word in range(shape.words):
            bits = marks.now[tile_row * shape.words + word]
            marks.now[tile_row * shape.words + word] = 0
            while bits != 0:
                tile_column = word * 64 + lowest_bit(bits)
                bits &= bits - 1
                first = (tile_row * 4 + 1) * stride + 16 + tile_column * 16
                chunk = (tile_row * shape.tile_columns + tile_column) * 4
                gain = day_start + chunk * 128
                if bits != 0 and far:
                    coming = gain + (word * 64 + lowest_bit(bits) - tile_column) * 512
                    for line in range(32):
                        prefetch(gains, coming + line * 16)
                above = first - stride
                north_west, north = load16(fields.emission, above - 1), load16(fields.emission, above)
                north_east = load16(fields.emission, above + 1)
                west, here = load16(fields.emission, first - 1), load16(fields.emission, first)
                east = load16(fields.emission, first + 1)
                fallen, guarded = nothing, nothing
                guards = setting.has_density[chunk >> 2]
                top, bottom, either = np.int64(0), np.int64(0), np.int64(0)
                for row in range(4):
                    at = first + row * stride
                    south_west, south = load16(fields.emission, at + stride - 1), load16(fields.emission, at + stride)
                    south_east = load16(fields.emission, at + stride + 1)
                    heat = north_west * load16(gains, gain)
                    heat = heat + north * load16(gains, gain + 16)
                    heat = heat + north_east * load16(gains, gain + 32)
                    heat = heat + west * load16(gains, gain + 48)
                    heat = heat + east * load16(gains, gain + 64)
                    heat = heat + south_west * load16(gains, gain + 80)
                    heat = heat + south * load16(gains, gain + 96)
                    heat = heat + south_east * load16(gains, gain + 112)
                    heat = heat * scale
                    if setting.receiver:
                        heat = heat * load16(fields.retardant, at)
                    gain += 128
                    north_west, north, north_east = west, here, east
                    west, here, east = south_west, south, south_east
                    if bits_above(heat, cut) != 0:
                        unburned = load16(fields.unburned, at)
                        new = where_above(heat, cut, unburned * (one - survival16(heat)))
                        lit = bits_above(new, nothing)
                        if lit != 0:
                            left = unburned - new
                            store(fields.unburned, at, left)
                            places[used, 0] = at
                            places[used, 1] = chunk + row
                            store(values, used * 16, new)
                            used += 1
                            gone = unburned - left
                            fallen = fallen + gone
                            if guards:
                                guarded = guarded + gone * load16(setting.density, at)
                            either |= lit
                            if row == 0:
                                top = lit
                            if row == 3:
                                bottom = lit
                if either != 0:
                    sums[SUM_FIRE] += total(fallen)
                    if guards:
                        sums[SUM_PROT] += total(guarded)
                    _wake_around(marks.after, tile_row, tile_column, either, top, bottom, shape)
                    touch(marks, tile_row, tile_column, shape)
    return used


@inlined
def _wake_around(marks, tile_row, tile_column, either, top, bottom, shape):  # type: ignore[no-untyped-def]
    """The tile, and each neighbour that touches a cell that ignited: bits of all rows, the first and the last."""
    wake(marks, tile_row, tile_column, shape)
    if top != 0:
        wake(marks, tile_row - 1, tile_column, shape)
        if top & 1:
            wake(marks, tile_row - 1, tile_column - 1, shape)
        if top & 0x8000:
            wake(marks, tile_row - 1, tile_column + 1, shape)
    if bottom != 0:
        wake(marks, tile_row + 1, tile_column, shape)
        if bottom & 1:
            wake(marks, tile_row + 1, tile_column - 1, shape)
        if bottom & 0x8000:
            wake(marks, tile_row + 1, tile_column + 1, shape)
    if either & 1:
        wake(marks, tile_row, tile_column - 1, shape)
    if either & 0x8000:
        wake(marks, tile_row, tile_column + 1, shape)


@kernel
def burn(
    fields: Fields, growth: np.float32, emitter: bool, keep: bool, places: NDArray[np.int32], values: Floats,
    begin: int, end: int,
) -> None:  # fmt: skip
    """``S ← S + new · growth`` for the logged pieces; with ``keep`` the log holds the old ``S`` from then on."""
    scale = splat16(growth)
    for piece in range(begin, end):
        at = places[piece, 0]
        before = load16(fields.scaled, at)
        after = fma(load16(values, piece * 16), scale, before)
        store(fields.scaled, at, after)
        emit16(fields, at, after, emitter)
        if keep:
            store(values, piece * 16, before)


@kernel
def forward(
    fields: Fields, marks: Marks, gains: Floats, clock: Clock, shape: Shape, setting: Setting, water: Print,
    retardant: Print, wet: DropLog, laid: DropLog, places: NDArray[np.int32], values: Floats, log: NDArray[np.int64],
    sums: NDArray[np.float64], first: int, last: int,
) -> int:  # fmt: skip
    """Steps ``first … last − 1``. Returns ``last``, or the step before which the log has to grow, or −1 − t when a
    bound cannot hold any more in the state at ``t``."""
    tiles = shape.tile_rows * shape.tile_columns
    for step in range(first, last):
        now = step % clock.steps_per_day % clock.period
        used = log[step] if setting.keep else 0
        if setting.dense:
            marks.rows[0], marks.rows[1] = 0, shape.tile_rows - 1
            for tile in range(tiles):
                wake(marks.now, tile // shape.tile_columns, tile % shape.tile_columns, shape)
        if water.first[step] < water.first[step + 1]:
            pieces = water.pieces[water.first[step + 1]] - water.pieces[water.first[step]]
            room = 4 * (awake(marks, shape) + 2 * pieces)
            if used + room > len(places):
                return step
            pour_water(fields, water, wet, marks, step, clock.decay[now], shape, setting, sums)
        else:
            wet.first[step + 1] = wet.first[step]
            if used + 4 * awake(marks, shape) > len(places):
                return step
        if retardant.first[step] < retardant.first[step + 1]:
            lay_retardant(fields, retardant, laid, marks, step, shape, setting.emitter)
        else:
            laid.first[step + 1] = laid.first[step]
        day_start = step // clock.steps_per_day * tiles * 512
        end = ignite(fields, marks, gains, day_start, clock.decay[now], shape, setting, places, values, used, sums)
        burn(fields, clock.growth[now + 1], setting.emitter, setting.keep, places, values, used, end)
        log[step + 1] = end
        _next_step(marks, shape)
        if (step + 1) % clock.steps_per_day % clock.period == 0:
            if rescale(fields, marks, shape, clock.decay[now + 1], setting.emitter):
                sums[ALIGHT] = step + 1 + clock.period
            wake_touched(marks, shape)
        if score(sums, setting, step + 1):
            return -2 - step
    return last


@inlined
def _next_step(marks, shape):  # type: ignore[no-untyped-def]
    for word in range(max(marks.rows[0] - 1, 0) * shape.words, min(marks.rows[1] + 2, shape.tile_rows) * shape.words):
        marks.now[word] = marks.after[word]
        marks.after[word] = 0


@inlined
def score(sums, setting, state):  # type: ignore[no-untyped-def]
    """Add the state at step ``state`` to the sums. True when a bound cannot hold: from the last water drop on, ``P``
    never falls, so every state to come counts at least as much as this one."""
    if state < setting.first_scored:
        sums[UNSCORED] += sums[SUM_FIRE]
    else:
        sums[SCORED] += sums[SUM_FIRE]
        sums[SCORED_PROT] += sums[SUM_PROT]
    if state <= setting.last_water:
        return False
    left = setting.n_steps - max(state, setting.first_scored - 1)
    if sums[SCORED] + left * sums[SUM_FIRE] > setting.burn_limit or sums[SUM_FIRE] > setting.final_limit:
        return True
    return sums[SCORED_PROT] + left * sums[SUM_PROT] > setting.prot_limit

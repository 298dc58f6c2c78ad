"""One day and the next of the forward pass, on the tiles where something can ignite.

A tile runs at ``t + 1`` if it, or a cell beside it, ignited anything at ``t``. That is exact: the gains are those of
the period, ``S`` changes only by ignitions, and ``decay[k]`` and the retardant factor only fall, so without a new
ignition nearby every exposure can only fall, and what did not ignite does not. Three things can raise an exposure or
what it acts on, and each wakes tiles: a new period (new gains), a rescaling (rounding), water (``U`` grows).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from firegui.native.compiled import inlined, kernel
from firegui.native.vectors import (
    bits_above,
    fma,
    load16,
    lowest_bit,
    prefetch,
    splat16,
    store,
    total,
    where_above,
)
from firegui.rollout.kernels.board import (
    BEGIN,
    DONE,
    END,
    FOUND,
    HALF,
    LINE,
    OTHER,
    PRESENT,
    STEP,
    TO,
    Board,
    left_to_me,
    next_ticket,
    offer,
    post,
    take_place,
    wait_for,
)
from firegui.rollout.kernels.cpu_arithmetic import (
    TREATED,
    awake,
    awake_between,
    bright16,
    emit16,
    survival16,
    tile_start,
    touched,
    wake,
)
from firegui.rollout.kernels.cpu_drops import DropLog, PlacedFootprints, lay_retardant, pour_water
from firegui.rollout.kernels.cpu_stencil import (
    added,
    far_gains,
    far_shares,
    gain_place,
    period_start,
    row_gains,
    treated_tiles,
    wake_around,
)
from firegui.rollout.kernels.layout import (
    ALIGHT,
    CUT_OFF,
    MARGIN_ROWS,
    SCORED,
    SCORED_PROT,
    SUM_FIRE,
    SUM_PROT,
    UNSCORED,
    Constants,
    Decay,
    Floats,
    Gains,
    Marks,
    Sizes,
    Slots,
    StateFields,
    Words,
)

NEAR_TILES = 256
"""This many tiles keep their gains in the cache from the step before. Of more, coming ones are prefetched."""
WORTH_HALVING = 64
"""From so many tiles on a step is done in two halves."""


@kernel
def wake_touched(marks: Marks, shape: Sizes) -> None:
    """Wake every tile that ever burned, and its eight neighbours, for the coming step."""
    for tile_row in range(marks.rows[0], marks.rows[1] + 1):
        for word in range(shape.words):
            bits = marks.touched[tile_row * shape.words + word]
            while bits != 0:
                tile_column = word * 64 + lowest_bit(bits)
                bits &= bits - 1
                for up in range(-1, 2):
                    for left in range(-1, 2):
                        wake(marks.now, tile_row + up, tile_column + left, shape)


@inlined
def needs_more(
    fields: StateFields, marks: Marks, gains: Gains, made: Slots, step: int, clock: Decay, shape: Sizes
) -> bool:
    """Return whether an awake tile needs gains of the step's period that have not been made.

    That is one that something burns around which could ignite it. What the others are given ignites nothing.
    """
    if len(made) > 0:
        base = step // clock.steps_per_period * shape.tile_rows * shape.words
        top, bottom = max(marks.rows[0] - 1, 0), min(marks.rows[1] + 2, shape.tile_rows)
        for word in range(top * shape.words, bottom * shape.words):
            bits = marks.now[word] & ~made[base + word]
            while bits != 0:
                if _could_ignite(fields, gains, word, lowest_bit(bits), step, clock, shape):
                    return True
                bits &= bits - 1
    return False


@inlined
def _could_ignite(
    fields: StateFields, gains: Gains, word: int, bit: int, step: int, clock: Decay, shape: Sizes
) -> bool:  # fmt: skip
    """Return whether what burns around a tile is not too faint to ignite anything in it."""
    faintest = splat16(gains.faintest * clock.growth[step % clock.steps_per_day % clock.period])
    start, reach = tile_start(word, bit, shape), 2 if len(shape.knights) > 0 else 1
    for row in range(-reach, 4 + reach):
        for side in (-reach, reach):
            if bits_above(load16(fields.emission, start + row * shape.stride + side), faintest) != 0:
                return True
    return False


@kernel
def choose_needed(
    fields: StateFields, marks: Marks, gains: Gains, step: int, clock: Decay, shape: Sizes, chosen: Words
) -> int:  # fmt: skip
    """Add the tiles of :func:`needs_more` to ``chosen`` and return their number."""
    found, base = 0, step // clock.steps_per_period * shape.tile_rows * shape.words
    for word in range(shape.tile_rows * shape.words):
        bits = marks.now[word] & ~gains.made[base + word]
        while bits != 0:
            bit = lowest_bit(bits)
            bits &= bits - 1
            if _could_ignite(fields, gains, word, bit, step, clock, shape):
                chosen[word] |= np.int64(1) << bit
                found += 1
    return found


@inlined
def keep_made(marks: Marks, made: Slots, step: int, clock: Decay, shape: Sizes) -> None:
    """Put the tiles without gains to sleep, of which :func:`needs_more` has said that none needs them.

    Water has woken tiles since. It only lowers what a cell gives, so that these need none either.
    """
    if len(made) > 0:
        base = step // clock.steps_per_period * shape.tile_rows * shape.words
        top, bottom = max(marks.rows[0] - 1, 0), min(marks.rows[1] + 2, shape.tile_rows)
        for word in range(top * shape.words, bottom * shape.words):
            marks.now[word] &= made[base + word]


@kernel
def rescale(
    fields: StateFields, marks: Marks, shape: Sizes, factor: np.float32, setting: Constants, places: NDArray[np.int32],
    values: Floats, used: int,
) -> tuple[int, bool]:  # fmt: skip
    """Scale ``S ← S · factor`` wherever anything burns. What was there is logged where it is kept.

    Returns how many pieces the log holds and whether anything burns still. Logged, because what becomes faint here was
    a fire once, and no factor brings it back.
    """
    alight, nothing = False, splat16(np.float32(0.0))
    for tile_row in range(marks.rows[0], marks.rows[1] + 1):
        for word in range(shape.words):
            bits = marks.touched[tile_row * shape.words + word]
            while bits != 0:
                tile_column = word * 64 + lowest_bit(bits)
                bits &= bits - 1
                first = (tile_row * 4 + MARGIN_ROWS) * shape.stride + 16 + tile_column * 16
                for row in range(4):
                    at = first + row * shape.stride
                    before = load16(fields.scaled, at)
                    if bits_above(before, nothing) == 0:
                        continue
                    if setting.keep:
                        places[used, 0] = at
                        store(values, used * 16, before)
                        used += 1
                    scaled = bright16(before * splat16(factor))
                    store(fields.scaled, at, scaled)
                    emit16(fields, at, scaled, setting.emitter)
                    alight = alight or bits_above(scaled, nothing) != 0
    return used, alight


@kernel
def sum_again(fields: StateFields, marks: Marks, shape: Sizes, density: Floats, sums: NDArray[np.float64]) -> None:
    """Compute the running sums of the state from the state itself.

    Where water has put a large fire out, what rounding left of it in the sums can be more than what still burns.
    """
    fire, guarded, one = 0.0, 0.0, splat16(np.float32(1.0))
    for tile_row in range(marks.rows[0], marks.rows[1] + 1):
        for word in range(shape.words):
            bits = marks.touched[tile_row * shape.words + word]
            while bits != 0:
                tile_column = word * 64 + lowest_bit(bits)
                bits &= bits - 1
                first = (tile_row * 4 + MARGIN_ROWS) * shape.stride + 16 + tile_column * 16
                for row in range(4):
                    probability = one - load16(fields.unburned, first + row * shape.stride)
                    fire += total(probability)
                    guarded += total(probability * load16(density, first + row * shape.stride))
    sums[SUM_FIRE], sums[SUM_PROT] = fire, guarded


@kernel
def unscale(
    fields: StateFields, emitter: bool, places: NDArray[np.int32], values: Floats, begin: int, end: int
) -> None:
    """Undo :func:`rescale`."""
    for piece in range(begin, end):
        at = places[piece, 0]
        scaled = load16(values, piece * 16)
        store(fields.scaled, at, scaled)
        emit16(fields, at, scaled, emitter)


@kernel
def ignite(
    fields: StateFields, marks: Marks, after: Words, of: Gains, step: int, clock: Decay, shape: Sizes,
    setting: Constants, begin: int, end: int, prefetched: bool, places: NDArray[np.int32], values: Floats, used: int,
    sums: NDArray[np.float64], share: int,
) -> int:  # fmt: skip
    """Compute ``new = U (1 − e^{−h})`` on the awake tiles in rows ``begin … end − 1`` of tiles.

    Logs the 16-cell pieces that ignite, lowers ``U`` there, adds the tiles to run at the next step to ``after`` and
    leaves what ``Σ U`` and ``Σ U · density`` fell by in ``sums[share …]``. ``S`` is left for :func:`burn`, because
    other tiles still read it. Returns how many pieces the log holds.
    """
    stride = shape.stride
    decay = clock.decay[step % clock.steps_per_day % clock.period]
    gains, start = of.values, period_start(step, clock, shape)
    cut, nothing, scale = splat16(CUT_OFF), splat16(np.float32(0.0)), splat16(decay)
    one = splat16(np.float32(1.0))
    fire, exposed = 0.0, 0.0
    for tile_row in range(begin, end):
        for word in range(shape.words):
            bits = marks.now[tile_row * shape.words + word]
            marks.now[tile_row * shape.words + word] = 0
            shielded = treated_tiles(marks, tile_row, word, shape, shape.knights) if bits != 0 else 0
            while bits != 0:
                tile_column = word * 64 + lowest_bit(bits)
                bits &= bits - 1
                first = (tile_row * 4 + MARGIN_ROWS) * stride + 16 + tile_column * 16
                chunk = (tile_row * shape.tile_columns + tile_column) * 4
                gain = gain_place(start, chunk, shape, of.slots)
                if bits != 0 and prefetched:
                    coming = gain_place(
                        start, chunk + (word * 64 + lowest_bit(bits) - tile_column) * 4, shape, of.slots
                    )
                    for line in range(row_gains(shape) // 4):
                        prefetch(gains, coming + line * 16)
                    there = first + (word * 64 + lowest_bit(bits) - tile_column) * 16
                    for row in range(4):
                        prefetch(fields.unburned, there + row * stride)
                        prefetch(fields.emission, there + (row + 1) * stride)
                above = first - stride
                north_west, north = load16(fields.emission, above - 1), load16(fields.emission, above)
                north_east = load16(fields.emission, above + 1)
                west, here = load16(fields.emission, first - 1), load16(fields.emission, first)
                east = load16(fields.emission, first + 1)
                fallen, guarded = nothing, nothing
                guards = setting.has_density[chunk >> 2]
                treated = (shielded >> (tile_column & 63)) & 1
                top, second, third, bottom, either = 0, 0, 0, 0, 0
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
                    far = far_gains(gains, fields.retardant, at, gain, stride, treated != 0, shape.knights)
                    heat = added(heat, far_shares(fields.emission, at, stride, far)) * scale
                    if setting.receiver and treated:
                        heat = heat * load16(fields.retardant, at)
                    gain += row_gains(shape)
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
                            places[used, 1] = chunk + row + treated * TREATED
                            store(values, used * 16, new)
                            used += 1
                            gone = unburned - left
                            fallen = fallen + gone
                            if guards:
                                guarded = guarded + gone * load16(setting.density, at)
                            either |= lit
                            if row == 0:
                                top = lit
                            if row == 1:
                                second = lit
                            if row == 2:
                                third = lit
                            if row == 3:
                                bottom = lit
                if either != 0:
                    fire += total(fallen)
                    if guards:
                        exposed += total(guarded)
                    wake_around(after, tile_row, tile_column, either, top, second, third, bottom, shape, shape.knights)
                    wake(marks.touched, tile_row, tile_column, shape)
    sums[share], sums[share + 1] = fire, exposed
    return used


@kernel
def burn(
    fields: StateFields, clock: Decay, step: int, emitter: bool, keep: bool, places: NDArray[np.int32], values: Floats,
    begin: int, end: int, to: int,
) -> None:  # fmt: skip
    """Add ``S ← S + new · growth`` for the logged pieces.

    With ``keep`` the log has them from ``to ≤ begin`` on, with the old ``S``, from then on.
    """
    scale = splat16(clock.growth[step % clock.steps_per_day % clock.period + 1])
    for piece in range(begin, end):
        at = places[piece, 0]
        before = load16(fields.scaled, at)
        after = fma(load16(values, piece * 16), scale, before)
        store(fields.scaled, at, after)
        emit16(fields, at, after, emitter and places[piece, 1] >= TREATED)
        if keep:
            kept = piece - begin + to
            places[kept, 0], places[kept, 1] = at, places[piece, 1]
            store(values, kept * 16, before)


@inlined
def _ignite_second(
    board: Board, fields: StateFields, marks: Marks, gains: Gains, clock: Decay, shape: Sizes, setting: Constants,
    places: NDArray[np.int32], values: Floats,
) -> None:  # fmt: skip
    words, bottom = board.words, min(marks.rows[1] + 2, shape.tile_rows)
    words[FOUND] = ignite(fields, marks, marks.beyond, gains, words[STEP], clock, shape, setting, words[BEGIN], bottom,
                          True, places, values, words[END], board.sums, LINE)  # fmt: skip


@inlined
def _burn_second(
    board: Board,
    fields: StateFields,
    clock: Decay,
    setting: Constants,
    places: NDArray[np.int32],
    values: Floats,
) -> None:
    words = board.words
    burn(fields, clock, words[STEP], setting.emitter, setting.keep, places, values, words[END], words[FOUND], words[TO])


@kernel
def assist_forward(
    board: Board, fields: StateFields, marks: Marks, gains: Gains, clock: Decay, shape: Sizes, setting: Constants,
    places: NDArray[np.int32], values: Floats,
) -> None:  # fmt: skip
    """Compute second halves of steps in a second thread during :func:`forward`."""
    if take_place(board):
        ticket = next_ticket(board)
        while ticket != 0:
            _ignite_second(board, fields, marks, gains, clock, shape, setting, places, values)
            post(board.words, HALF, ticket)
            wait_for(board, OTHER, ticket)
            _burn_second(board, fields, clock, setting, places, values)
            post(board.words, DONE, ticket)
            ticket = next_ticket(board)
    post(board.words, PRESENT, 0)


@inlined
def _in_halves(
    board: Board, fields: StateFields, marks: Marks, gains: Gains, clock: Decay, shape: Sizes, setting: Constants,
    places: NDArray[np.int32], values: Floats, used: int, seam: int, step: int,
) -> tuple[int, int]:  # fmt: skip
    """Run a step in two halves that meet at the row ``seam`` of tiles.

    The second half leaves room in the log for all that the first can ignite, which is closed when ``S`` is brought up
    to date. Returns where the pieces of the second half begin in the log and where they end.
    """
    words, top = board.words, max(marks.rows[0] - 1, 0)
    begin = used + 4 * awake_between(marks, top, seam, shape)
    ticket = offer(board, step, seam, begin)
    middle = ignite(fields, marks, marks.after, gains, step, clock, shape, setting, top, seam, True, places, values,
                    used, board.sums, 0)  # fmt: skip
    words[TO] = middle
    post(words, OTHER, ticket)
    alone = left_to_me(board, ticket)
    if alone:
        _ignite_second(board, fields, marks, gains, clock, shape, setting, places, values)
    else:
        wait_for(board, HALF, ticket)
    burn(fields, clock, step, setting.emitter, setting.keep, places, values, used, middle, used)
    if alone:
        _burn_second(board, fields, clock, setting, places, values)
    else:
        wait_for(board, DONE, ticket)
    return middle, middle + words[FOUND] - begin


@inlined
def _seam(marks: Marks, shape: Sizes) -> int:
    """Return the row of tiles that has about half of the awake tiles before it.

    The result is −1 where there are few.
    """
    whole = awake(marks, shape)
    if whole < WORTH_HALVING:
        return -1
    row: int = max(marks.rows[0] - 1, 0)
    count = 0
    while 2 * count < whole:
        count += awake_between(marks, row, row + 1, shape)
        row += 1
    return row


@kernel
def forward(
    fields: StateFields, marks: Marks, gains: Gains, clock: Decay, shape: Sizes, setting: Constants,
    water: PlacedFootprints, retardant: PlacedFootprints, wet: DropLog, laid: DropLog, places: NDArray[np.int32],
    values: Floats, log: NDArray[np.int64], sums: NDArray[np.float64], first: int, last: int, board: Board,
) -> int:  # fmt: skip
    """Run steps ``first … last − 1``.

    ``log[t]`` says where the pieces that ignite at ``t`` begin and end, and where those of a second half begin; what
    follows them is of the rescaling after it.
    Returns ``last``, or the step before which gains have to be made, the log has to grow or to begin anew, or the pass
    stops (:func:`is_beyond_extent`), or −1 − t when a bound cannot hold any more in the state at ``t``.
    """
    tiles = shape.tile_rows * shape.tile_columns
    for step in range(first, last):
        if is_beyond_extent(sums, step, clock, setting):
            return step
        if is_log_full(log, step, clock, setting) or needs_more(fields, marks, gains, gains.made, step, clock, shape):
            return step
        now = step % clock.steps_per_day % clock.period
        used = log[step, 0] if setting.keep else 0
        night = (step + 1) % clock.steps_per_day % clock.period == 0
        pieces = water.pieces[water.first[step + 1]] - water.pieces[water.first[step]]
        room = tiles if setting.dense else awake(marks, shape) + 2 * pieces
        if night and setting.keep:
            room += room + touched(marks, shape)
        if used + 4 * room > len(places):
            return step
        if pieces > 0:
            pour_water(fields, water, wet, marks, step, clock.decay[now], shape, setting, sums)
        else:
            wet.first[step + 1] = wet.first[step]
        if retardant.first[step] < retardant.first[step + 1]:
            lay_retardant(fields, retardant, laid, marks, step, shape, setting.emitter)
        else:
            laid.first[step + 1] = laid.first[step]
        seam = _seam(marks, shape)
        if setting.dense:  # after the seam was found, so that sums are formed in the same order
            marks.rows[0], marks.rows[1] = 0, shape.tile_rows - 1
            for tile in range(tiles):
                wake(marks.now, tile // shape.tile_columns, tile % shape.tile_columns, shape)
        keep_made(marks, gains.made, step, clock, shape)
        if seam >= 0:
            middle, end = _in_halves(board, fields, marks, gains, clock, shape, setting, places, values, used, seam,
                                     step)  # fmt: skip
            sums[SUM_FIRE] += board.sums[0] + board.sums[LINE]
            sums[SUM_PROT] += board.sums[1] + board.sums[LINE + 1]
        else:
            top, bottom = max(marks.rows[0] - 1, 0), min(marks.rows[1] + 2, shape.tile_rows)
            end = ignite(fields, marks, marks.after, gains, step, clock, shape, setting, top, bottom, False, places,
                         values, used, board.sums, 0)  # fmt: skip
            burn(fields, clock, step, setting.emitter, setting.keep, places, values, used, end, used)
            sums[SUM_FIRE] += board.sums[0]
            sums[SUM_PROT] += board.sums[1]
            middle = end
        _next_step(marks, shape)
        log[step, 1], log[step, 2] = end, middle
        if night:
            end, alight = rescale(fields, marks, shape, clock.decay[now + 1], setting, places, values, end)
            if alight:
                sums[ALIGHT] = step + 1 + clock.period
            wake_touched(marks, shape)
            if step >= setting.first_water:
                sum_again(fields, marks, shape, setting.density, sums)
        elif (step + 1) % clock.steps_per_period == 0:
            wake_touched(marks, shape)
        log[step + 1, 0] = end
        if score(sums, setting, step + 1):
            return -2 - step
    return last


@inlined
def is_beyond_extent(sums: NDArray[np.float64], step: int, clock: Decay, setting: Constants) -> bool:
    """Return whether a pass stops at a step: at the start of a day, but for the first one."""
    return step > 0 and step % clock.steps_per_day == 0 and sums[SUM_FIRE] > setting.extent


@inlined
def is_log_full(log: NDArray[np.int64], step: int, clock: Decay, setting: Constants) -> bool:
    """Return whether the log begins anew at a step.

    It does so only at the start of a day, whatever the time the days take: the same pass has the same bits.
    """
    return setting.keep and step % clock.steps_per_day == 0 and log[step, 0] > setting.most_logged


@inlined
def _next_step(marks: Marks, shape: Sizes) -> None:
    top, bottom = max(marks.rows[0] - 1, 0), min(marks.rows[1] + 2, shape.tile_rows)
    for word in range(top * shape.words, bottom * shape.words):
        marks.now[word] = marks.after[word] | marks.beyond[word]
        marks.after[word], marks.beyond[word] = 0, 0
    for word in range(shape.words):
        if marks.touched[top * shape.words + word] != 0:
            marks.rows[0] = top
        if marks.touched[(bottom - 1) * shape.words + word] != 0:
            marks.rows[1] = bottom - 1


@inlined
def score(sums: NDArray[np.float64], setting: Constants, state: int) -> bool:
    """Add the state at step ``state`` to the sums; true when a bound cannot hold any more.

    From the last water drop on ``P`` never falls, so every state to come counts at least as much as this one.
    """
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
    guarded: bool = sums[SCORED_PROT] + left * sums[SUM_PROT] > setting.prot_limit
    return guarded


@kernel
def score_start(sums: NDArray[np.float64], setting: Constants) -> None:
    """Add the state before the first step to the sums."""
    score(sums, setting, 0)

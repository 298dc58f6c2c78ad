"""The backward pass of a run."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from firegui.errors import Check
from firegui.native.compiled import kernel
from firegui.native.vectors import (
    bits_above,
    fma,
    load8,
    load16,
    splat8,
    splat16,
    store,
    where_above,
)
from firegui.rollout.kernels.cpu_arithmetic import GONE, TREATED, survival8, survival16
from firegui.rollout.kernels.cpu_backward import (
    assist_sweep,
    hottest,
    scored_after,
    sweep,
    touches,
    unburn,
)
from firegui.rollout.kernels.cpu_drops import DropLog, unlay, unpour
from firegui.rollout.kernels.cpu_footprints import NEVER, Box, reach_of, relevant
from firegui.rollout.kernels.cpu_forward import unscale
from firegui.rollout.kernels.cpu_reading import Listed, SlopeReader, Watching, read_retardant, read_water
from firegui.rollout.kernels.cpu_run import Run
from firegui.rollout.kernels.cpu_state import bounding_box, start_adjoint
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
    row_heat,
    take_around,
    with_passed,
)
from firegui.rollout.kernels.layout import ALIGHT, CUT_OFF, Constants, Decay, Floats, Gains, Sizes, StateFields

STRETCH_DAYS = 8
"""Days whose open pairs have their footprints in one table."""


class BackwardPass:
    """The backward pass of a run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.decision, self.pose = np.zeros(run.schedule.logits.shape), np.zeros(run.schedule.poses.shape)
        rows, columns = bounding_box(run.space.marks.touched, run.shape)
        ignited = np.flatnonzero(run.log[:, 1] > run.log[:, 0])
        last = int(ignited[-1]) if len(ignited) else -1
        self._burned = Box(rows.start, rows.stop, columns.start, columns.stop, last)
        self._idle_water, self._idle_retardant = self._idle()

    def _idle(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Open pairs without a drop whose gradient is not 0 for certain, of water and of retardant."""
        run = self._run
        idle = run.gates.open & ~run.gates.executed & (not run.model.flown_only)
        pairs = np.ascontiguousarray(np.argwhere(idle))
        chosen, poses, alight = np.empty(len(pairs), bool), run.poses, int(run.sums[ALIGHT])
        relevant(pairs, poses, run.aircraft, run.wind, run.shape, run.water, self._burned, alight, chosen)
        pairs = pairs[chosen]
        water = run.water[pairs[:, 1]]
        return pairs[water], pairs[~water]

    def sweep(self, check: Check | None) -> None:
        """Run all steps backward, last first, some days at a time."""
        run, watching = self._run, self._watching()
        carrying = self._carrying(watching) if run.model.full_carry else ()
        for begin, end in run.back(check):
            self._sweep_segment(begin, end, watching, carrying, check)
        run.space.stamps[watching.chunks] = -1  # some lie in tiles that never burned, which cleaning does not visit

    def _sweep_segment(
        self, begin: int, end: int, watching: Watching, carrying: tuple[Floats, ...], check: Check | None
    ) -> None:  # fmt: skip
        run, length = self._run, STRETCH_DAYS * self._run.clock.steps_per_day
        for first in range((end - 1) // length * length, begin // length * length - 1, -length):
            if check is not None:
                check()
            first, last = max(first, begin), min(first + length, end)
            idle_water, idle_retardant = self._tables(first, last)
            reading = SlopeReader(
                run.drops_of_water, run.drops_of_retardant, idle_water, idle_retardant, self.decision, self.pose
            )
            for earliest, latest in self._parts(first, last):
                run.make_again(earliest // run.clock.steps_per_period, watching.chunks)
                if check is not None:
                    check()
                with run.layout.reading():
                    self._sweep(watching, reading, earliest, latest, carrying)

    def _parts(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield steps that are run at once, last first.

        They are all, or those of a period where gains are made.
        """
        length = last if self._run.layout.on_demand is None else self._run.clock.steps_per_period
        end = last
        while end > first:
            begin = max((end - 1) // length * length, first)
            yield begin, end
            end = begin

    def _sweep(
        self, watching: Watching, reading: SlopeReader, first: int, last: int, carrying: tuple[Floats, ...]
    ) -> None:  # fmt: skip
        run, space = self._run, self._run.space
        fire = (space.fields, run.objective.slope, run.layout.gains, run.clock, run.shape, run.setting)
        log = (space.log_places, space.log_values)
        if run.model.full_carry:
            sweep_carried(*fire, run.wet, run.laid, *log, run.log, watching, reading, first, last, *carrying)
            return
        halved = run.threads > 1 and bool((run.log[first:last, 2] < run.log[first:last, 1]).any())
        with space.partner.helping(assist_sweep, *fire, *log, watching, wanted=halved) as board:
            sweep(*fire, run.wet, run.laid, *log, run.log, watching, reading, first, last, board)

    def _carrying(self, watching: Watching) -> tuple[Floats, Floats, Floats]:
        """Return the state of ``q`` at 0, with room for its pieces and for the listed rows."""
        run, space = self._run, self._run.space
        carried = space.room("carried", run.shape.cells, np.float32)
        carried[:] = 0.0
        most = int((run.log[:-1, 1] - run.log[:-1, 0]).max(initial=0))
        before = space.room("carried before", 16 * most, np.float32)
        return carried, before, space.room("carried rows", 16 * len(watching.starts), np.float32)

    def _tables(self, first: int, last: int) -> tuple[Listed, Listed]:
        """Return footprints of the open pairs of some steps, of water and of retardant."""
        beside: Future[Listed] | None = None
        if self._run.threads > 1 and len(self._idle_water) > 0:
            with suppress(RuntimeError):  # no thread is to be had, as when the interpreter is leaving
                beside = self._run.space.partner.submit(self._listed, self._idle_water, first, last, "idle water")
        retardant = self._listed(self._idle_retardant, first, last, "idle retardant")
        if beside is not None:
            return beside.result(), retardant
        return self._listed(self._idle_water, first, last, "idle water"), retardant

    def _listed(self, pairs: NDArray[np.int64], first: int, last: int, name: str) -> Listed:
        begin, end = np.searchsorted(pairs[:, 0], [first, last])
        return self._run.listed(pairs[begin:end], name, executed=False)

    def _watching(self) -> Watching:
        run, space, shape = self._run, self._run.space, self._run.shape
        pairs = np.concatenate([run.drops_of_water.pairs, self._idle_water])
        asked_for = reach_of(pairs, run.poses, run.aircraft, run.wind, shape, self._burned)
        has_water = asked_for.step < NEVER
        tiles = shape.tile_rows * shape.tile_columns if has_water else 0
        near, asked = space.room("near", tiles, np.uint8), space.room("asked", tiles, np.int32)
        near[:], asked[:] = 0, -1
        rows = 4 * tiles
        starts, chunks = space.room("rows", rows, np.int32), space.room("chunks", rows, np.int32)
        hot = space.room("hot", rows, np.int32)
        kept = space.room("kept", 16 * max(run.wet.most(), run.laid.most()), np.float32)
        watching = Watching(
            has_water, asked_for.step, starts, chunks, hot, near, asked, space.stamps, kept, np.empty(0, np.float32)
        )
        count = start_adjoint(
            space.fields, space.marks, shape, np.float32(-run.model.terminal_slope),
            run.objective.value_slope, run.wet, run.step, watching, asked_for,
        )  # fmt: skip
        hot[:count] = NEVER
        return watching._replace(starts=starts[:count], chunks=chunks[:count], hot=hot[:count])


@kernel
def note(
    carried: Floats, before: Floats, rows: Floats, growth: np.float32, places: NDArray[np.int32], begin: int, end: int,
    watching: Watching, step: int,
) -> None:  # fmt: skip
    """Store ``b`` of the pieces that ignited, and of the rows that water may read later.

    Nothing has been changed at this point.
    """
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
    fields: StateFields, carried: Floats, before: Floats, slope: Floats, gains: Gains, clock: Decay, shape: Sizes,
    setting: Constants, places: NDArray[np.int32], values: Floats, begin: int, end: int, step: int,
) -> None:  # fmt: skip
    """Take one step of both adjoints on the pieces that ignited."""
    stride, emission, nothing = shape.stride, fields.emission, splat16(np.float32(0.0))
    start = period_start(step, clock, shape)
    scale = splat16(clock.decay[step % clock.steps_per_day % clock.period])
    count, cut = splat16(scored_after(setting, step)), splat16(CUT_OFF)
    for piece in range(begin, end):
        at, chunk, treated = places[piece, 0], places[piece, 1] & (TREATED - 1), places[piece, 1] >= TREATED
        gain = gain_place(start, chunk, shape, gains.slots)
        owed, b = load16(slope, at) * count, load16(before, (piece - begin) * 16)
        adjoint, unburned = load16(fields.adjoint, at) - owed, load16(fields.unburned, at)
        per_heat = scale
        if setting.receiver and treated:
            per_heat = per_heat * load16(fields.retardant, at)
        near_k = near_gains(gains.values, gain)
        far_k = far_gains(gains.values, fields.retardant, at, gain, stride, treated, shape.knights)
        near, far = near_shares(emission, at, stride, near_k), far_shares(emission, at, stride, far_k)
        heat = added(near[0] + near[1] + near[2] + near[3] + near[4] + near[5] + near[6] + near[7], far)
        exposure, sensitive = heat * per_heat, adjoint - b
        flow = where_above(exposure, cut, sensitive * unburned * per_heat)
        if setting.emitter:
            give_around(fields.collected, at, stride, flow, with_passed(near, far), nothing, far)
        else:
            give_passed(fields.collected, at, stride, flow, far)
        if setting.receiver:
            give(fields.collected, at, flow, heat)
        take_around(carried, fields.retardant, setting.emitter, at, stride, flow, near_k, far_k)
        store(fields.adjoint, at, fma(sensitive, survival16(exposure), owed + b))
        store(fields.unburned, at, unburned + load16(values, piece * 16))


@kernel
def damp_carried(
    fields: StateFields, rows: Floats, slope: Floats, gains: Gains, clock: Decay, shape: Sizes, setting: Constants,
    watching: Watching, step: int,
) -> None:  # fmt: skip
    """Damp towards ``b``: ``g ← b + (g − b) e^{−h}``.

    See :func:`~firegui.rollout.kernels.cpu_backward.damp`.
    """
    count, gone = splat16(scored_after(setting, step)), splat16(GONE)
    now = step % clock.steps_per_day % clock.period
    start = period_start(step, clock, shape)
    for k in range(len(watching.starts)):
        if watching.hot[k] < step or watching.stamps[watching.chunks[k]] == step:
            continue
        at = watching.starts[k]
        if bits_above(load16(fields.unburned, at), gone) == 0xFFFF:
            continue
        gain = gain_place(start, watching.chunks[k], shape, gains.slots)
        if gain < 0:  # see damp
            continue
        heat = row_heat(fields.emission, gains.values, fields.retardant, at, gain, shape)
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
    fields: StateFields, carried: Floats, factor: np.float32, places: NDArray[np.int32], begin: int, end: int
) -> None:
    """Scale ``q ← f q`` where a rescaling kept something, before it is undone."""
    nothing, scale = splat16(np.float32(0.0)), splat16(factor)
    for piece in range(begin, end):
        at = places[piece, 0]
        store(carried, at, where_above(load16(fields.scaled, at), nothing, load16(carried, at) * scale))


@kernel
def carry_through_water(
    fields: StateFields, carried: Floats, slope: Floats, later: np.float32, decay: np.float32, wet: DropLog, step: int
) -> None:
    """Set ``q ← s q̃ + d^k (1 − s) g̃`` under the water of a step, before it is undone.

    The last piece is first.
    """
    one = splat8(np.float32(1.0))
    for piece in range(wet.first[step + 1] - 1, wet.first[step] - 1, -1):
        at = wet.places[piece]
        spared = survival8(load8(wet.dose, piece * 8))
        adjoint = load8(fields.adjoint, at) - load8(slope, at) * splat8(later)
        back = (one - spared) * splat8(decay) * adjoint
        store(carried, at, fma(spared, load8(carried, at), back))


@kernel
def sweep_carried(
    fields: StateFields, slope: Floats, gains: Gains, clock: Decay, shape: Sizes, setting: Constants,
    wet: DropLog, laid: DropLog, places: NDArray[np.int32], values: Floats, log: NDArray[np.int64],
    watching: Watching, reading: SlopeReader, first: int, last: int, carried: Floats, before: Floats, rows: Floats,
) -> None:  # fmt: skip
    """Run steps ``last − 1 … first``: undo the step, take both adjoints on, read its footprints."""
    for step in range(last - 1, first - 1, -1):
        now, later = step % clock.steps_per_day % clock.period, scored_after(setting, step)
        begin, end = log[step, 0], log[step, 1]
        if (step + 1) % clock.steps_per_day % clock.period == 0:
            carry_over_night(fields, carried, clock.decay[now + 1], places, end, log[step + 1, 0])
            unscale(fields, setting.emitter, places, values, end, log[step + 1, 0])
            watching.hot[:] = NEVER
        elif (step + 1) % clock.steps_per_period == 0:  # other gains
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

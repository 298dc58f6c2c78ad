"""Active-front engine on the CPU: exact, in float32, at a cost that follows the fire.

The design is in ``rollout/DESIGN.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.native.compiled import inlined, kernel
from firegui.native.vectors import load16, lowest_bit, splat16, store
from firegui.rollout.kernels.board import (
    BEGIN,
    DONE,
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
from firegui.rollout.kernels.cpu_arithmetic import TREATED, survival16, tile_start
from firegui.rollout.kernels.cpu_backward import unburn
from firegui.rollout.kernels.cpu_forward import unscale
from firegui.rollout.kernels.cpu_model import layout_of, objective_of
from firegui.rollout.kernels.cpu_run import Run
from firegui.rollout.kernels.cpu_stencil import gain_place, period_start, row_gains
from firegui.rollout.kernels.cpu_sweep import BackwardPass
from firegui.rollout.kernels.layout import (
    MARGIN_ROWS,
    Constants,
    Decay,
    Floats,
    Gains,
    Marks,
    Sizes,
    StateFields,
    aligned,
)
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer
from firegui.rollout.outcome import WHOLE, Hear, Outcome, RolloutOptions, Slopes


class ActiveFront:
    """Engine for float32 on the CPU on up to ``threads`` threads: two in a rollout, or each with its own."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def prepare(self, model: Model) -> None:
        """Lay out the gains and the objective."""
        layout_of(model)
        objective_of(model)

    def simulate(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, wanted: RolloutOptions,
        *, dense: bool = False, alone: bool = False,
    ) -> Outcome:  # fmt: skip
        """Roll a schedule out.

        ``dense`` runs every tile at every step, for comparison; ``alone`` takes one thread only.
        """
        layout = layout_of(model)
        with layout.workspace() as space:
            run = Run(
                model, schedule, layout, space, wanted, keep=False, dense=dense, threads=1 if alone else self._threads
            )
            run.advance(observer, check)
            outcome = run.outcome()
            run.clean()
        return outcome

    def simulate_many(
        self, model: Model, schedules: Sequence[Schedule], check: Check | None, wanted: Sequence[RolloutOptions]
    ) -> list[Outcome]:
        """Roll schedules out, one after another on each thread."""
        nobody = Observer(model, None, keep_days=False)
        jobs = [
            partial(self.simulate, model, one, how.last or nobody, check, how, alone=True)
            for one, how in zip(schedules, wanted, strict=True)
        ]
        return layout_of(model).spaces.threads(self._threads).results(jobs)

    def gradient(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, *, dense: bool = False,
        alone: bool = False,
    ) -> tuple[Outcome, NDArray[np.float64], NDArray[np.float64]]:  # fmt: skip
        """Roll a schedule out and differentiate the objective; ``dense`` and ``alone`` as in :meth:`simulate`."""
        layout = layout_of(model)
        with layout.workspace() as space:
            threads, extent = 1 if alone else self._threads, model.gradient_extent
            run = Run(model, schedule, layout, space, WHOLE, keep=True, dense=dense, threads=threads, extent=extent)
            run.advance(observer, check)
            outcome = run.outcome()
            if not model.is_differentiated(outcome.metrics):
                run.clean()
                return outcome, np.zeros(schedule.logits.shape), np.zeros(schedule.poses.shape)
            back = BackwardPass(run)
            back.sweep(check)
            run.clean(swept=True)
        probability = 1.0 / (1.0 + np.exp(-schedule.logits))
        soft = probability * (1.0 - probability) * run.gates.open
        return outcome, (back.decision + model.drop_weights) * soft, back.pose

    def gain_slopes(
        self, model: Model, slopes: Slopes, hear: Hear, check: Check | None, *, through_days: bool
    ) -> NDArray[np.float32]:
        """Roll the fire out without drops and differentiate a misfit of its days by the gains."""
        layout, observer = layout_of(model), Observer(model, None, keep_days=True)
        schedule = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
        with layout.workspace() as space:
            run = Run(model, schedule, layout, space, WHOLE, keep=True, dense=False, threads=self._threads)
            run.advance(observer, check)
            days = observer.days()
            assert days is not None
            hear_gain_slopes(run, slopes(days), hear, check, through_days=through_days)
            run.clean(swept=True)
        return days


@inlined
def _give_gain(slopes: Floats, gains: Floats, fields: StateFields, to: int, gain: int, source: int, flow: Any) -> Any:
    """Add one neighbour's share; returns what the neighbour adds to the exposure."""
    emitted = load16(fields.emission, source)
    store(slopes, to, load16(slopes, to) - flow * emitted)
    return emitted * load16(gains, gain)


@inlined
def _give_far_gains(
    heat: Any, slopes: Floats, gains: Floats, fields: StateFields, to: int, gain: int, at: int, flow: Any, stride: int,
    knights: tuple[int, ...],
) -> Any:  # fmt: skip
    """Add the shares of the knight's moves; returns the exposure with theirs."""
    if len(knights) > 0:
        up, down = at - 2 * stride, at + 2 * stride
        heat = heat + _give_gain(slopes, gains, fields, to, gain, up - 1, flow)
        heat = heat + _give_gain(slopes, gains, fields, to + 16, gain + 16, up + 1, flow)
        heat = heat + _give_gain(slopes, gains, fields, to + 32, gain + 32, at - stride - 2, flow)
        heat = heat + _give_gain(slopes, gains, fields, to + 48, gain + 48, at - stride + 2, flow)
        heat = heat + _give_gain(slopes, gains, fields, to + 64, gain + 64, at + stride - 2, flow)
        heat = heat + _give_gain(slopes, gains, fields, to + 80, gain + 80, at + stride + 2, flow)
        heat = heat + _give_gain(slopes, gains, fields, to + 96, gain + 96, down - 1, flow)
        heat = heat + _give_gain(slopes, gains, fields, to + 112, gain + 112, down + 1, flow)
    return heat


@kernel
def descend_gains(
    fields: StateFields, gains: Gains, slopes: Floats, clock: Decay, shape: Sizes, places: NDArray[np.int32],
    values: Floats, begin: int, end: int, step: int,
) -> None:  # fmt: skip
    """Take one step of the adjoint on the pieces that ignited, and add to the day's slopes by ``K``."""
    stride, start, k_values = shape.stride, period_start(step, clock, shape), gains.values
    scale = splat16(clock.decay[step % clock.steps_per_day % clock.period])
    for piece in range(begin, end):
        at, chunk = places[piece, 0], places[piece, 1] & (TREATED - 1)
        to, gain = chunk * row_gains(shape), gain_place(start, chunk, shape, gains.slots)
        unburned, adjoint = load16(fields.unburned, at), load16(fields.adjoint, at)
        flow = adjoint * unburned * scale
        heat = _give_gain(slopes, k_values, fields, to, gain, at - stride - 1, flow)
        heat = heat + _give_gain(slopes, k_values, fields, to + 16, gain + 16, at - stride, flow)
        heat = heat + _give_gain(slopes, k_values, fields, to + 32, gain + 32, at - stride + 1, flow)
        heat = heat + _give_gain(slopes, k_values, fields, to + 48, gain + 48, at - 1, flow)
        heat = heat + _give_gain(slopes, k_values, fields, to + 64, gain + 64, at + 1, flow)
        heat = heat + _give_gain(slopes, k_values, fields, to + 80, gain + 80, at + stride - 1, flow)
        heat = heat + _give_gain(slopes, k_values, fields, to + 96, gain + 96, at + stride, flow)
        heat = heat + _give_gain(slopes, k_values, fields, to + 112, gain + 112, at + stride + 1, flow)
        heat = _give_far_gains(heat, slopes, k_values, fields, to + 128, gain + 128, at, flow, stride, shape.knights)
        store(fields.adjoint, at, adjoint * survival16(heat * scale))
        store(fields.unburned, at, unburned + load16(values, piece * 16))


@kernel
def assist_gains(
    board: Board, fields: StateFields, gains: Gains, slopes: Floats, clock: Decay, shape: Sizes, setting: Constants,
    places: NDArray[np.int32], values: Floats,
) -> None:  # fmt: skip
    """Compute second halves of steps in a second thread during :func:`sweep_gains`."""
    words = board.words
    if take_place(board):
        ticket = next_ticket(board)
        while ticket != 0:
            step, middle, end = words[STEP], words[BEGIN], words[END]
            unburn(fields, clock, step, setting.emitter, places, values, middle, end)
            post(words, HALF, ticket)
            wait_for(board, OTHER, ticket)
            descend_gains(fields, gains, slopes, clock, shape, places, values, middle, end, step)
            post(words, DONE, ticket)
            ticket = next_ticket(board)
    post(words, PRESENT, 0)


@kernel
def sweep_gains(
    fields: StateFields, gains: Gains, slopes: Floats, clock: Decay, shape: Sizes, setting: Constants,
    places: NDArray[np.int32], values: Floats, log: NDArray[np.int64], first: int, last: int, board: Board,
) -> None:  # fmt: skip
    """Run steps ``last − 1 … first``.

    Pieces write only what is theirs, so the halves of a step meet nowhere.
    """
    for step in range(last - 1, first - 1, -1):
        if (step + 1) % clock.steps_per_day % clock.period == 0:
            unscale(fields, setting.emitter, places, values, log[step, 1], log[step + 1, 0])
        begin, end, middle = log[step, 0], log[step, 1], log[step, 2]
        ticket, alone = 0, True
        if middle < end:
            ticket = offer(board, step, middle, end)
        unburn(fields, clock, step, setting.emitter, places, values, begin, middle)
        if middle < end:
            post(board.words, OTHER, ticket)
            alone = left_to_me(board, ticket)
            if alone:
                unburn(fields, clock, step, setting.emitter, places, values, middle, end)
            else:
                wait_for(board, HALF, ticket)
        descend_gains(fields, gains, slopes, clock, shape, places, values, begin, middle, step)
        if alone:
            descend_gains(fields, gains, slopes, clock, shape, places, values, middle, end, step)
        else:
            wait_for(board, DONE, ticket)


@kernel
def take_slopes(fields: StateFields, marks: Marks, shape: Sizes, slopes: NDArray[np.float32], keep: bool) -> None:
    """Set ``g ← g − l`` where it burned, with ``l = slopes [H, W]`` of the current state.

    Without ``keep``, ``g ← −l``.
    """
    for word in range(len(marks.touched)):
        bits = marks.touched[word]
        while bits != 0:
            first = tile_start(word, lowest_bit(bits), shape)
            bits &= bits - 1
            top, left = first // shape.stride - MARGIN_ROWS, first % shape.stride - 16
            for i in range(top, min(top + 4, shape.rows)):
                for j in range(left, min(left + 16, shape.columns)):
                    at = (i + MARGIN_ROWS) * shape.stride + 16 + j
                    held = fields.adjoint[at] if keep else np.float32(0.0)
                    fields.adjoint[at] = held - slopes[i, j]


@kernel
def lay_back(slopes: Floats, shape: Sizes, rasters: NDArray[np.float32]) -> None:
    """Move tiles to ``[N, H, W]`` and leave the tiles at 0."""
    nothing = splat16(np.float32(0.0))
    for i in range(shape.rows):
        for tile_column in range(shape.tile_columns):
            at = ((i // 4 * shape.tile_columns + tile_column) * 4 + i % 4) * row_gains(shape)
            for n in range(len(rasters)):
                for j in range(min(16, shape.columns - tile_column * 16)):
                    rasters[n, i, tile_column * 16 + j] = slopes[at + n * 16 + j]
                store(slopes, at + n * 16, nothing)


def hear_gain_slopes(
    run: Run, slopes: NDArray[np.float32], hear: Hear, check: Check | None, *, through_days: bool
) -> None:
    """Sweep a run back; see :meth:`firegui.rollout.kernels.cpu.ActiveFront.gain_slopes`."""
    space, shape, steps, maps = run.space, run.shape, run.clock.steps_per_period, run.model.maps
    neighbours = len(maps.stencil.offsets)
    by_gain = aligned(shape.tile_rows * shape.tile_columns * 4 * neighbours * 16)
    rasters = np.empty((neighbours, shape.rows, shape.columns), np.float32)
    fire = (space.fields, run.layout.gains, by_gain, run.clock, shape, run.setting)
    for period in (each for begin, end in run.back(check) for each in reversed(range(begin // steps, end // steps))):
        if check is not None:
            check()
        if (period + 1) % maps.periods_per_day == 0:
            state = (period + 1) // maps.periods_per_day
            take_slopes(space.fields, space.marks, shape, slopes[state], through_days)
        first, last = period * steps, (period + 1) * steps
        run.make_again(period, np.empty(0, np.int32))
        halved = run.threads > 1 and bool((run.log[first:last, 2] < run.log[first:last, 1]).any())
        log = (space.log_places, space.log_values)
        helping = space.partner.helping(assist_gains, *fire, *log, wanted=halved)
        with run.layout.reading(), helping as board:
            sweep_gains(*fire, *log, run.log, first, last, board)
        lay_back(by_gain, shape, rasters)
        hear(period, rasters)

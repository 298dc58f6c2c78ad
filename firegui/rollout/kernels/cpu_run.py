"""The forward pass of one schedule on a workspace."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.fleet import Material
from firegui.domain.grid import widened
from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.native.compiled import kernel
from firegui.rollout.alteration import Alteration
from firegui.rollout.day_state import Bounds, DayState, Exceeded, exceeded, state_of
from firegui.rollout.footprint import CELL_VARIANCE
from firegui.rollout.gates import Gates, gates_of
from firegui.rollout.kernels.cpu_arithmetic import TREATED
from firegui.rollout.kernels.cpu_drops import DropLog, PlacedFootprints
from firegui.rollout.kernels.cpu_footprints import (
    AMOUNT,
    REACH,
    Aircraft,
    Pieces,
    Wind,
    Working,
    evaluate,
    landings,
)
from firegui.rollout.kernels.cpu_forward import (
    WORTH_HALVING,
    assist_forward,
    choose_needed,
    forward,
    is_beyond_extent,
    is_log_full,
    score_start,
    sum_again,
    wake_touched,
)
from firegui.rollout.kernels.cpu_model import aircraft_of, objective_of, wind_of
from firegui.rollout.kernels.cpu_reading import Listed
from firegui.rollout.kernels.cpu_state import (
    CpuDayState,
    Ends,
    bounding_box,
    clean,
    light,
    light_ahead,
    measure,
    overwrite,
    packed,
    restore,
)
from firegui.rollout.kernels.layout import (
    ALIGHT,
    SCORED,
    SCORED_PROT,
    SUM_FIRE,
    SUM_PROT,
    UNSCORED,
    Constants,
    Layout,
    Sizes,
    Workspace,
    raster_of,
    unset,
    usual,
)
from firegui.rollout.measure import losses_of, metrics_of, values_lost
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer, StateView
from firegui.rollout.outcome import Outcome, RolloutOptions
from firegui.rollout.values import Window

LEAST_SECONDS = 0.005
"""A stretch of days that took less is followed by one twice as long, so that asking to cancel costs nothing."""
MOST_LOGGED = 3_000_000
"""The log begins anew at the start of a day once it has more pieces than this; a piece takes 72 bytes."""
SLACK = 1.0 + 1e-6
"""Running sums and final ones differ by rounding: a rollout is given up only well beyond its bound."""


EVERYWHERE = Working(np.zeros((0, 0, 0), np.uint8), np.zeros(0, np.int64))
"""Drops work in all cells."""

Pairs = NDArray[np.int64]


class Segment(NamedTuple):
    """Part of a pass whose log is in memory at a time: its first step, and the state there.

    ``None`` stands for the start of the pass.
    """

    step: int
    state: CpuDayState | None


class Run:
    """One forward pass on a workspace."""

    def __init__(
        self, model: Model, schedule: Schedule, layout: Layout, space: Workspace, wanted: RolloutOptions, *, keep: bool,
        dense: bool, threads: int, extent: float = math.inf,
    ) -> None:  # fmt: skip
        """Begin a pass, which stops after the first day on which the fire has more than ``extent`` cells."""
        self.model, self.schedule, self.layout, self.space, self.wanted = model, schedule, layout, space, wanted
        self.shape, self.clock, self.objective = layout.shape, layout.clock, objective_of(model)
        self.gates: Gates = gates_of(schedule, model.fleet, model.maps, model.rules)
        self.proposed = int(schedule.proposed.sum())
        self.poses = usual(schedule.poses, np.float64)
        self.aircraft, self.wind = aircraft_of(model), wind_of(model)
        self.water = np.zeros(model.fleet.n_aircraft, bool)
        self.water[model.columns_of(Material.WATER)] = True
        self.threads = threads
        self.step = 0 if wanted.start is None else wanted.start.day * self.clock.steps_per_day
        self.drops_of_water = self._listed(self.gates.executed & self.water, "water")
        self.drops_of_retardant = self._listed(self.gates.executed & ~self.water, "retardant")
        self.poured, self.wet = self._printed(self.drops_of_water, 16, "water")
        self.laid_down, self.laid = self._printed(self.drops_of_retardant, 8, "retardant")
        self.log = np.zeros((model.n_steps + 1, 3), np.int64)
        bounds, scored = wanted.bounds, model.n_scored * SLACK
        # The bounds in the units of the running sums.
        self.limits = Bounds(
            bounds.burn * scored * model.n_cells, bounds.final * model.n_cells * SLACK, bounds.prot * scored
        )
        self.setting = self._setting(keep, dense, extent)
        self.sums = np.zeros(6)
        self.states: list[DayState] = []
        self.segments: list[Segment] = [Segment(self.step, None)]
        self.exceeded: Exceeded | None = None
        self._begin(wanted.start)

    def _listed(self, wanted: NDArray[np.bool_], name: str) -> Listed:
        """Return the wanted pairs from the first step on, by step and column, with their footprints."""
        pairs = np.ascontiguousarray(np.argwhere(wanted))  # one layout, or numba compiles for another
        pairs = pairs[np.searchsorted(pairs[:, 0], self.step) :]
        return self.listed(pairs, name, executed=True)

    def listed(self, pairs: NDArray[np.int64], name: str, *, executed: bool) -> Listed:
        """Return ``pairs`` with their footprints, in the workspace's memory of that name."""
        working = self._working(pairs)
        pieces = pieces_of(
            pairs, self.poses, self.aircraft, self.wind, self.shape, self.space, name, working=working, moving=executed
        )
        first = np.searchsorted(pairs[:, 0], np.arange(self.model.n_steps + 1)).astype(np.int64)
        return Listed(pairs, first, pieces, executed)

    def _working(self, pairs: Pairs) -> Working:
        """Return where drops work, which is known then for all cells that the footprints of ``pairs`` reach."""
        cells = self.model.maps.drop_cells
        if cells is None:
            return EVERYWHERE
        places = np.empty((2, len(pairs)), np.int64)
        landings(pairs, self.poses, self.aircraft, self.wind, self.shape, places)
        periods, reach = pairs[:, 0] // self.wind.steps_per_period, self.aircraft.half[pairs[:, 1]]
        cells.ask(periods, places[0], places[1], reach)
        return Working(cells.values, usual(cells.periods, np.int64))

    def _printed(self, listed: Listed, width: int, name: str) -> tuple[PlacedFootprints, DropLog]:
        """Return the doses of the listed drops, and the log of what they will change."""
        pieces, drops, space = listed.pieces, len(listed.pairs), self.space
        count = int(pieces.first[drops])
        log = DropLog(
            np.zeros(self.model.n_steps + 1, np.int64), np.zeros(self.model.n_steps, np.uint8),
            space.room(f"{name} changed", count, np.int32),
            space.room(f"{name} before", count * width, np.float32), space.room(f"{name} dose", count * 8, np.float32),
        )  # fmt: skip
        amounts = pieces.about[: 8 * drops].reshape(-1, 8)[:, AMOUNT].astype(np.float32)
        return PlacedFootprints(listed.first, pieces.first, pieces.places, pieces.weights, amounts), log

    def _setting(self, keep: bool, dense: bool, extent: float) -> Constants:
        model, limits = self.model, self.limits
        flown = np.flatnonzero((self.gates.executed & self.water).any(axis=1))
        first_water = int(flown[0]) if len(flown) else model.n_steps
        return Constants(
            self.objective.density, self.objective.has_density, self.objective.plain_slope,
            model.receiver_treated, model.emitter_treated,
            model.first_scored_step, model.n_steps, first_water, self._last_water(flown),
            limits.burn, limits.final, limits.prot, dense, keep, MOST_LOGGED, extent,
        )  # fmt: skip

    def _last_water(self, flown: NDArray[np.int64]) -> int:
        """Return the last step at which ``P`` can fall: of water, or of any change that may make it fall."""
        if self.wanted.alter is not None and not self.wanted.alter.only_grows:
            return self.model.n_steps
        return int(flown[-1]) if len(flown) else -1

    def _begin(self, start: DayState | None) -> None:
        space, emitter = self.space, self.setting.emitter
        if start is None:
            cells, out, density = self.layout.ignition, self.layout.burned_out, self.objective.density
            self.sums[SUM_FIRE], self.sums[ALIGHT] = len(cells) + len(out), self.clock.period
            self.sums[SUM_PROT] = light(space.fields, space.marks, cells, 1.0, density, self.shape)
            self.sums[SUM_PROT] += light(space.fields, space.marks, out, 0.0, density, self.shape)
            ahead, shares = self.layout.ahead, self.layout.ahead_shares
            fire, guarded = light_ahead(space.fields, space.marks, ahead, shares, density, self.shape)
            self.sums[SUM_FIRE] += fire
            self.sums[SUM_PROT] += guarded
            score_start(self.sums, self.setting)
        else:
            body = start.body
            if not isinstance(body, CpuDayState):
                raise ValueError("the state is of another engine")
            restore(space.fields, space.marks, self.shape, body, emitter)
            self.sums[:] = body.sums
        wake_touched(space.marks, self.shape)

    def advance(self, observer: Observer, check: Check | None) -> None:
        """Run all steps, in stretches that end where the observer looks or ``check`` may cancel.

        Where the fire exceeds the extent of the pass, the states to come are counted as equal to the one there.
        """
        per_day, days = self.clock.steps_per_day, 1
        while True:
            if observer.next_look(self.step) == self.step:
                self._show(observer)
            if self.wanted.keep_states and self.step % per_day == 0 and self.step < self.model.n_steps:
                self._keep_state()
            if self.step >= self.model.n_steps or self.exceeded is not None:
                return
            if is_beyond_extent(self.sums, self.step, self.clock, self.setting):
                self._count_the_rest()
                return
            if check is not None:
                check()
            if self.wanted.keep_states or not self.wanted.bounds.none or self.wanted.alter is not None:
                days = 1
            target = min(observer.next_look(self.step + 1), (self.step // per_day + days) * per_day, self.model.n_steps)
            began = time.perf_counter()
            self._steps(target, check)
            if self.wanted.alter is not None and self.step % per_day == 0 and self.exceeded is None:
                self._alter(self.wanted.alter)
            days = days * 2 if time.perf_counter() - began < LEAST_SECONDS else 1

    def _begin_segment(self) -> None:
        """Begin the log anew at a day's start. What is lost of it is computed again on the way back."""
        state = packed(self.space.fields, self.space.marks, self.shape, self.sums)
        self.segments.append(Segment(self.step, state))
        self.log[self.step, 0] = 0

    def back(self, check: Check | None) -> Iterator[tuple[int, int]]:
        """Yield first step and end of each segment, last first.

        Its log is in memory then, and its end is the state.
        """
        marks, end = self.space.marks, self.step
        whole, touched, treated = end, marks.touched.copy(), marks.treated.copy()
        for segment in reversed(self.segments):
            if segment is not self.segments[-1]:
                self._rewind(segment, end, check)
            yield segment.step, end
            end = segment.step
        # Cleaning visits every tile that the pass changed.
        self.step, marks.touched[:], marks.treated[:] = whole, touched, treated

    def _rewind(self, segment: Segment, end: int, check: Check | None) -> None:
        """Compute the steps of a segment again, up to ``end``, and log them. The adjoint stays as it is."""
        space = self.space
        clean(space.fields, space.marks, self.shape, space.stamps, False)
        self.step, self.log[segment.step, 0] = segment.step, 0
        self.setting = self.setting._replace(extent=math.inf)
        if segment.state is None:
            self._begin(self.wanted.start)
        else:
            restore(space.fields, space.marks, self.shape, segment.state, self.setting.emitter)
            wake_touched(space.marks, self.shape)
        while self.step < end:
            if check is not None:
                check()
            self._steps(min(self.step + self.clock.steps_per_day, end), check)

    def _count_the_rest(self) -> None:
        """Count the states to come as equal to this one."""
        left = self.model.n_steps - self.step
        scored = self.model.n_steps - max(self.step, self.model.first_scored_step - 1)
        self.sums[SCORED] += scored * self.sums[SUM_FIRE]
        self.sums[SCORED_PROT] += scored * self.sums[SUM_PROT]
        self.sums[UNSCORED] += (left - scored) * self.sums[SUM_FIRE]

    def _steps(self, target: int, check: Check | None) -> None:
        space = self.space
        fire = (space.fields, space.marks, self.layout.gains, self.clock, self.shape, self.setting)
        while self.step < target:
            log = (space.log_places, space.log_values)
            helping = space.partner.helping(assist_forward, *fire, *log, wanted=self._halved())
            with self.layout.reading(), helping as board:
                reached = forward(
                    *fire, self.poured, self.laid_down, self.wet, self.laid, *log, self.log, self.sums, self.step,
                    target, board,
                )  # fmt: skip
            self.step = reached if reached >= 0 else -1 - reached
            if reached < 0:
                self._look_closer()
                if self.exceeded is not None:
                    return
                never = math.inf
                self.setting = self.setting._replace(burn_limit=never, final_limit=never, prot_limit=never)
            elif reached < target:
                if is_beyond_extent(self.sums, self.step, self.clock, self.setting):
                    return
                if is_log_full(self.log, self.step, self.clock, self.setting):
                    self._begin_segment()
                elif not self._make_gains(check):
                    self._grow()
        if not self.wanted.bounds.none and self.step < self.model.n_steps:
            self._look_closer()

    def _alter(self, alter: Alteration) -> None:
        """Replace a day's end by the result of ``alter``.

        The sums, which have counted it already, are corrected.
        """
        space, sums = self.space, self.sums
        window = bounding_box(space.marks.touched, self.shape)
        fields = (raster_of(space.fields.unburned, self.shape), raster_of(space.fields.scaled, self.shape))
        day = self.step // self.clock.steps_per_day - 1
        unburned, burning = alter.applied(day, window, *(field[window].copy() for field in fields))
        corner = (window[0].start, window[1].start)
        if not overwrite(space.fields, space.marks, self.shape, *corner, unburned, burning, self.setting.emitter):
            return
        fire, guarded = sums[SUM_FIRE], sums[SUM_PROT]
        sum_again(space.fields, space.marks, self.shape, self.objective.density, sums)
        if self.step < self.model.first_scored_step:
            sums[UNSCORED] += sums[SUM_FIRE] - fire
        else:
            sums[SCORED] += sums[SUM_FIRE] - fire
            sums[SCORED_PROT] += sums[SUM_PROT] - guarded
        sums[ALIGHT] = self.step + self.clock.period
        wake_touched(space.marks, self.shape)

    def _halved(self) -> bool:
        """Return whether a second thread would have work."""
        awake = int(np.bitwise_count(self.space.marks.now.view(np.uint64)).sum())
        return self.threads > 1 and awake >= WORTH_HALVING

    def _look_closer(self) -> None:
        """Give up if a bound cannot hold, judged by the state itself.

        The running sums that a step is judged by carry rounding from when the fire was larger. Where they raised a
        false alarm, from then on only the ends of days are judged.
        """
        ends = self._measure()
        if self.step > self.setting.last_water:  # nothing can make P fall any more
            self._give_up(ends.fire, ends.fire_density)
        elif self.wanted.alter is None:
            self._give_up(ends.burned, ends.burned_density)
        else:  # what has burned out may be unburned again
            self._give_up(0.0, 0.0)

    def _make_gains(self, check: Check | None) -> bool:
        """Make the gains that the next step needs, and those of the tiles around.

        Returns whether any were missing.
        """
        layout, shape, marks = self.layout, self.shape, self.space.marks
        if layout.on_demand is None:
            return False
        chosen = np.zeros_like(marks.now)
        if choose_needed(self.space.fields, marks, layout.gains, self.step, self.clock, shape, chosen) == 0:
            return False
        if check is not None:
            check()
        bits = np.unpackbits(chosen.reshape(shape.tile_rows, -1).view(np.uint8), axis=1, bitorder="little")
        # The front comes to the tiles around within the period.
        wanted = widened(bits[:, : shape.tile_columns] > 0, 1)
        layout.on_demand.make(self.step // self.clock.steps_per_period, wanted.reshape(-1))
        return True

    def make_again(self, period: int, watched: NDArray[np.int32]) -> None:
        """Make the gains again that a backward pass needs of a period; see :meth:`GainsOnDemand.make_again`."""
        if self.layout.on_demand is not None:
            per = self.clock.steps_per_period
            log = self.log[period * per : min((period + 1) * per, self.step)]
            ignited = [self.space.log_places[begin:end, 1] for begin, end, _ in log]
            places = np.concatenate([np.empty(0, np.int32), *ignited]) & (TREATED - 1)
            self.layout.on_demand.make_again(period, places, watched)

    def _grow(self) -> None:
        """Make room for twice the pieces and keep what is there."""
        space = self.space
        space.log_places = np.concatenate([space.log_places, np.empty_like(space.log_places)])
        values = unset(2 * len(space.log_values))
        values[: len(space.log_values)] = space.log_values
        space.log_values = values

    def _give_up(self, fire: float, guarded: float) -> None:
        """Stop if every state to come has at least ``fire`` cells and that breaks a bound."""
        model, limits = self.model, self.limits
        left = model.n_steps - max(self.step, model.first_scored_step - 1)
        scored, scored_prot = self.sums[SCORED] + left * fire, self.sums[SCORED_PROT] + left * guarded
        bounds, cells = self.wanted.bounds, model.n_cells
        for term, value, limit, sharp in (
            ("burn", scored, limits.burn, bounds.burn),
            ("final", fire, limits.final, bounds.final),
            ("prot", scored_prot, limits.prot, bounds.prot),
        ):
            if value > limit:
                scale = {"burn": model.n_scored * cells, "final": cells, "prot": model.n_scored}[term]
                self.exceeded = Exceeded(self.step, term, float(value) / scale, sharp)
                return

    def _measure(self) -> Ends:
        space = self.space
        decay = self.clock.decay[self.step % self.clock.steps_per_day % self.clock.period]
        return measure(space.fields, space.marks, self.shape, self.objective.protected, self.objective.density, decay)

    def _keep_state(self) -> None:
        body = packed(self.space.fields, self.space.marks, self.shape, self.sums)
        day = self.step // self.clock.steps_per_day
        self.states.append(state_of(self.model, self.schedule, self.gates.executed, day, body))

    def _show(self, observer: Observer) -> None:
        fields, marks = self.space.fields, self.space.marks
        window, treated = (bounding_box(each, self.shape) for each in (marks.touched, marks.treated))
        decay = self.clock.decay[self.step % self.clock.steps_per_day % self.clock.period]
        unburned, scaled, retardant = (
            raster_of(each, self.shape) for each in (fields.unburned, fields.scaled, fields.retardant)
        )
        observer.see(self.step, StateView(
            window, torch.from_numpy(unburned[window]), torch.from_numpy(scaled[window] * decay),
            treated, torch.from_numpy(retardant[treated]), levels_of,
        ))  # fmt: skip

    def outcome(self) -> Outcome:
        """Return the numbers of the state that was reached."""
        ends, sums, model = self._measure(), self.sums, self.model
        executed = self.gates.executed.sum(axis=0)
        window = bounding_box(self.space.marks.touched, self.shape)
        lost = values_lost(model, lambda: self._fire(window), window)
        losses = losses_of(model, float(sums[SCORED]), float(sums[SCORED_PROT]), ends.fire, executed, lost)
        occupancy = float(sums[SCORED] + sums[UNSCORED])
        flown = self.gates.executed
        metrics = metrics_of(model, ends.fire, ends.protected, occupancy, losses, self.proposed, executed, flown)
        over = self.exceeded or exceeded(model, metrics, self.wanted.bounds)
        return Outcome(metrics, self.gates.executed, tuple(self.states), over)

    def _fire(self, window: Window) -> Tensor:
        """Return ``P`` on a window, float64."""
        return torch.from_numpy(1.0 - raster_of(self.space.fields.unburned, self.shape)[window]).double()

    def clean(self, *, swept: bool = False) -> None:
        """Leave the workspace at rest, after a backward pass too."""
        clean(self.space.fields, self.space.marks, self.shape, self.space.stamps, swept)


def pieces_of(
    pairs: Pairs, poses: NDArray[np.float64], fleet: Aircraft, wind: Wind, shape: Sizes, space: Workspace, name: str,
    *, working: Working = EVERYWHERE, moving: bool = True,
) -> Pieces:  # fmt: skip
    """Return the footprints of ``pairs [n, 2]`` = ``(step, column)``.

    They are in the memory that ``space`` has under ``name``.
    """
    count, done = _estimate(pairs, fleet), 0
    pieces = _room(len(pairs), count, space, name)
    pieces.first[0] = 0
    while True:
        done = evaluate(pairs, done, poses, fleet, wind, working, shape, pieces, moving)
        if done == len(pairs):
            return pieces
        count = 2 * count + 1024
        more = _room(len(pairs), count, space, name)
        for field, old in pieces._asdict().items():
            getattr(more, field)[: len(old)] = old
        pieces = more


def _estimate(pairs: Pairs, fleet: Aircraft) -> int:
    """Return as many pieces as the ellipses need: their area, and one more per row."""
    along, across = np.sqrt(fleet.parallel**2 + CELL_VARIANCE), np.sqrt(fleet.perpendicular**2 + CELL_VARIANCE)
    each = 2.0 * REACH * np.pi * along * across / 8.0 + 2.0 * np.sqrt(2.0 * REACH) * along + 4.0
    return int(each[pairs[:, 1]].sum()) + 64


def _room(pairs: int, count: int, space: Workspace, name: str) -> Pieces:
    return Pieces(
        space.room(f"{name} first", pairs + 1, np.int64),
        space.room(f"{name} places", count, np.int32),
        space.room(f"{name} weights", 8 * count, np.float32),
        space.room(f"{name} corner", 2 * count, np.float32),
        space.room(f"{name} about", 8 * pairs, np.float64),
    )


@kernel
def grey_levels(probability: NDArray[np.float32], complement: bool, levels: NDArray[np.uint8]) -> None:
    """Compute ``levels = rint(255 p)``, cut to 0 … 255.

    ``p`` is ``probability``, or ``1 − probability``. All arrays are ``[h, w]``. Every operation is one of 32 bits, as
    it is where a picture is made by torch: the levels are the same.
    """
    one, most, least = np.float32(1.0), np.float32(255.0), np.float32(0.0)
    for row in range(probability.shape[0]):
        for column in range(probability.shape[1]):
            value = probability[row, column]
            if complement:
                value = one - value
            levels[row, column] = np.uint8(min(max(np.rint(value * most), least), most))


def levels_of(probability: Tensor, complement: bool) -> NDArray[np.uint8]:
    """Return :func:`firegui.rollout.observe.levels_of` of a 32-bit tensor in the computer's memory."""
    levels = np.empty(tuple(probability.shape), np.uint8)
    grey_levels(probability.numpy(), complement, levels)
    return levels

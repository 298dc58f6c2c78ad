"""The active-front engine on the CPU: exact, in float32, at a cost that follows the fire (``rollout/DESIGN.md``)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.fleet import Material
from firegui.domain.schedule import Schedule
from firegui.rollout.day_state import DayState, Exceeded, exceeded, state_of
from firegui.rollout.deposits import scales_of
from firegui.rollout.gates import Gates, apply_gates
from firegui.rollout.kernels.cpu_backward import Listed, Reading, Watching, sweep
from firegui.rollout.kernels.cpu_footprints import AMOUNT, NEVER, Aircraft, Box, Wind, reach_of, relevant
from firegui.rollout.kernels.cpu_forward import (
    ALIGHT,
    SCORED,
    SCORED_PROT,
    SUM_FIRE,
    SUM_PROT,
    UNSCORED,
    DropLog,
    Print,
    Setting,
    forward,
    score,
    wake_touched,
)
from firegui.rollout.kernels.cpu_pieces import pieces_of
from firegui.rollout.kernels.cpu_state import (
    Body,
    bounding_box,
    clean,
    light,
    measure,
    packed,
    restore,
    start_adjoint,
)
from firegui.rollout.kernels.layout import Floats, Layout, Workspace, aligned, field_of, raster_of
from firegui.rollout.landing import fall_time_s
from firegui.rollout.measure import losses_of, metrics_of
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer
from firegui.rollout.outcome import WHOLE, Check, Outcome, Wanted
from firegui.rollout.suppression import dose_of_payload

LEAST_SECONDS = 0.005
"""A stretch of days that took less is followed by one twice as long, so that asking to cancel costs nothing."""
SLACK = 1.0 + 1e-6
"""Running sums and final ones differ by rounding: a rollout is given up only well beyond its bound."""
STRETCH_DAYS = 8
"""Days whose open pairs have their footprints in one table."""


class Objective(NamedTuple):
    """The objective as fields: protection density, tiles that have any, slope ``l``, 1 in the regions."""

    density: Floats
    has_density: NDArray[np.uint8]
    slope: Floats
    protected: Floats


class ActiveFront:
    """Engine for float32 on the CPU. ``threads`` bounds how many rollouts run at once and who helps with a gradient."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def prepare(self, model: Model) -> None:
        """Lay out the gains and the objective and compile the kernels."""
        layout_of(model)
        objective_of(model)

    def simulate(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, wanted: Wanted,
        *, dense: bool = False,
    ) -> Outcome:  # fmt: skip
        """Roll a schedule out; ``dense`` runs every tile at every step, for comparison."""
        layout = layout_of(model)
        with layout.workspace() as space:
            run = _Run(model, schedule, layout, space, wanted, keep=False, dense=dense)
            run.advance(observer, check)
            outcome = run.outcome()
            run.clean()
        return outcome

    def simulate_many(
        self, model: Model, schedules: Sequence[Schedule], check: Check | None, wanted: Sequence[Wanted]
    ) -> list[Outcome]:
        """Roll schedules out, one after another on each thread."""
        nobody = Observer(model, None, keep_days=False)
        with ThreadPoolExecutor(max(1, min(self._threads, len(schedules)))) as pool:
            jobs = [
                pool.submit(self.simulate, model, one, nobody, check, how)
                for one, how in zip(schedules, wanted, strict=True)
            ]
            try:
                return [job.result() for job in jobs]
            except BaseException:
                for job in jobs:
                    job.cancel()
                raise

    def gradient(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, *, dense: bool = False
    ) -> tuple[Outcome, NDArray[np.float64], NDArray[np.float64]]:
        """Roll a schedule out and differentiate the objective."""
        layout = layout_of(model)
        with layout.workspace() as space:
            run = _Run(model, schedule, layout, space, WHOLE, keep=True, dense=dense)
            run.advance(observer, check)
            outcome = run.outcome()
            back = _Back(run)
            back.sweep(check)
            run.clean(swept=True)
        probability = 1.0 / (1.0 + np.exp(-schedule.logits))
        soft = probability * (1.0 - probability) * run.gates.open
        return outcome, (back.decision + model.weights.budget) * soft, back.pose


def layout_of(model: Model) -> Layout:
    """The model's fire, laid out once."""
    return model.gains.layout("active front", lambda: Layout(model.maps))


def objective_of(model: Model) -> Objective:
    """The model's objective as fields, made once for each set of weights."""

    def make() -> Objective:
        shape = layout_of(model).shape
        density = field_of(model.protection.numpy(), shape)
        tiles = density.reshape(-1, shape.stride)[1:-1, 16:-16].reshape(shape.tile_rows, 4, shape.tile_columns, 16)
        slope = field_of(model.occupancy_slope().numpy(), shape)
        has_density = (tiles > 0.0).any(axis=(1, 3)).reshape(-1).astype(np.uint8)
        return Objective(density, has_density, slope, field_of(model.protected.numpy(), shape))

    return model.gains.layout(f"objective {model.weights} from {model.first_scored_step}", make)


def aircraft_of(model: Model) -> Aircraft:
    """The fleet per column, in the order of the types."""
    kinds = model.fleet.types
    shapes = [scales_of(kind, model) for kind in kinds]
    counts = [kind.count for kind in kinds]
    maps = model.maps
    strongest = model.gains.layout("strongest wind", lambda: float(maps.wind_speed.max(initial=0.0)))
    farthest = strongest / maps.cell_size_m
    return Aircraft(
        np.repeat(np.array([fall_time_s(kind) for kind in kinds], np.float64), counts),
        np.repeat(np.array([shape.parallel for shape in shapes], np.float64), counts),
        np.repeat(np.array([shape.perpendicular for shape in shapes], np.float64), counts),
        np.repeat(np.array([shape.half_width for shape in shapes], np.int64), counts),
        np.repeat(
            np.array([dose_of_payload(kind, model.maps, model.effectiveness) for kind in kinds], np.float64), counts
        ),
        np.repeat(np.array([fall_time_s(kind) for kind in kinds], np.float64), counts) * farthest,
    )


def wind_of(model: Model) -> Wind:
    """The wind that drops drift in."""
    maps = model.maps
    return Wind(
        np.ascontiguousarray(maps.wind_speed, np.float32), np.ascontiguousarray(maps.wind_dir, np.float32),
        maps.steps_per_day, maps.cell_size_m,
    )  # fmt: skip


class _Run:
    """One forward pass on a workspace."""

    def __init__(
        self, model: Model, schedule: Schedule, layout: Layout, space: Workspace, wanted: Wanted, *, keep: bool,
        dense: bool,
    ) -> None:  # fmt: skip
        self.model, self.schedule, self.layout, self.space, self.wanted = model, schedule, layout, space, wanted
        self.shape, self.clock, self.objective = layout.shape, layout.clock, objective_of(model)
        self.gates: Gates = apply_gates(schedule.proposed, model.fleet, model.maps.steps_per_day)
        self.proposed = int(schedule.proposed.sum())
        self.aircraft, self.wind = aircraft_of(model), wind_of(model)
        self.water = np.zeros(model.fleet.n_aircraft, bool)
        self.water[model.columns_of(Material.WATER)] = True
        self.step = 0 if wanted.start is None else wanted.start.day * self.clock.steps_per_day
        self.drops_of_water = self._listed(self.gates.executed & self.water, "water")
        self.drops_of_retardant = self._listed(self.gates.executed & ~self.water, "retardant")
        self.poured, self.wet = self._printed(self.drops_of_water, 16, "water")
        self.laid_down, self.laid = self._printed(self.drops_of_retardant, 8, "retardant")
        self.log = np.zeros(model.n_steps + 1, np.int64)
        self.setting = self._setting(keep, dense)
        self.sums = np.zeros(6)
        self.states: list[DayState] = []
        self.exceeded: Exceeded | None = None
        self._begin(wanted.start)

    def _listed(self, wanted: NDArray[np.bool_], name: str) -> Listed:
        """The wanted pairs from the first step on, by step and column, with their footprints."""
        pairs = np.argwhere(wanted)
        pairs = pairs[np.searchsorted(pairs[:, 0], self.step) :]
        return self.listed(pairs, name, executed=True)

    def listed(self, pairs: NDArray[np.int64], name: str, *, executed: bool) -> Listed:
        """``pairs`` with their footprints, in the workspace's memory of that name."""
        pieces = pieces_of(pairs, self.schedule.poses, self.aircraft, self.wind, self.shape, self.space, name)
        first = np.searchsorted(pairs[:, 0], np.arange(self.model.n_steps + 1)).astype(np.int64)
        return Listed(pairs, first, pieces, executed)

    def _printed(self, listed: Listed, width: int, name: str) -> tuple[Print, DropLog]:
        """The doses of the listed drops, and the log of what they will change."""
        pieces, drops, space = listed.pieces, len(listed.pairs), self.space
        count = int(pieces.first[drops])
        log = DropLog(
            np.zeros(self.model.n_steps + 1, np.int64), space.room(f"{name} changed", count, np.int32),
            space.room(f"{name} before", count * width, np.float32), space.room(f"{name} dose", count * 8, np.float32),
        )  # fmt: skip
        amounts = pieces.about[: 8 * drops].reshape(-1, 8)[:, AMOUNT].astype(np.float32)
        return Print(listed.first, pieces.first, pieces.places, pieces.weights, amounts), log

    def _setting(self, keep: bool, dense: bool) -> Setting:
        model, bounds = self.model, self.wanted.bounds
        flown = np.flatnonzero((self.gates.executed & self.water).any(axis=1))
        return Setting(
            self.objective.density, self.objective.has_density, model.receiver_treated, model.emitter_treated,
            model.first_scored_step, model.n_steps, int(flown[-1]) if len(flown) else -1,
            bounds.burn * model.n_scored * model.n_cells * SLACK, bounds.final * model.n_cells * SLACK,
            bounds.prot * model.n_scored * SLACK, dense, keep,
        )  # fmt: skip

    def _begin(self, start: DayState | None) -> None:
        space, emitter = self.space, self.setting.emitter
        if start is None:
            self.sums[SUM_FIRE], self.sums[ALIGHT] = len(self.layout.ignition), self.clock.period
            ignition, density = self.layout.ignition, self.objective.density
            self.sums[SUM_PROT] = light(space.fields, space.marks, ignition, density, self.shape)
            score(self.sums, self.setting, 0)
        else:
            body = start.body
            if not isinstance(body, Body):
                raise TypeError("the state is of another engine")
            restore(space.fields, space.marks, self.shape, body, emitter)
            self.sums[:] = body.sums
        wake_touched(space.marks, self.shape)

    def advance(self, observer: Observer, check: Check | None) -> None:
        """All steps, in stretches that end where somebody wants to look or to cancel."""
        per_day, days = self.clock.steps_per_day, 1
        while True:
            if observer.next_look(self.step) == self.step:
                self._show(observer)
            if self.wanted.keep_states and self.step % per_day == 0 and self.step < self.model.n_steps:
                self._keep_state()
            if self.step >= self.model.n_steps or self.exceeded is not None:
                return
            if check is not None:
                check()
            if self.wanted.keep_states or not self.wanted.bounds.none:
                days = 1
            target = min(
                observer.next_look(self.step + 1), (self.step // per_day + days) * per_day, self.model.n_steps
            )
            began = time.perf_counter()
            self._steps(target)
            days = days * 2 if time.perf_counter() - began < LEAST_SECONDS else 1

    def _steps(self, target: int) -> None:
        space = self.space
        while self.step < target:
            reached = forward(
                space.fields, space.marks, self.layout.gains, self.clock, self.shape, self.setting, self.poured,
                self.laid_down, self.wet, self.laid, space.log_places, space.log_values, self.log, self.sums,
                self.step, target,
            )  # fmt: skip
            if reached < 0:
                self.step = -1 - reached
                self._give_up(self.sums[SUM_FIRE], self.sums[SUM_PROT])
                return
            self.step = reached
            if reached < target:
                self._grow()
        if not self.wanted.bounds.none and self.step < self.model.n_steps:
            ends = self._measure()
            self._give_up(ends.burned, ends.burned_density)

    def _grow(self) -> None:
        """Room for twice the pieces; what is there is kept."""
        space = self.space
        space.log_places = np.concatenate([space.log_places, np.empty_like(space.log_places)])
        values = aligned(2 * len(space.log_values))
        values[: len(space.log_values)] = space.log_values
        space.log_values = values

    def _give_up(self, fire: float, guarded: float) -> None:
        """Stop if every state to come has at least ``fire`` cells and that breaks a bound."""
        model, setting = self.model, self.setting
        left = model.n_steps - max(self.step, model.first_scored_step - 1)
        scored, scored_prot = self.sums[SCORED] + left * fire, self.sums[SCORED_PROT] + left * guarded
        bounds, cells = self.wanted.bounds, model.n_cells
        for term, value, limit, sharp in (
            ("burn", scored, setting.burn_limit, bounds.burn),
            ("final", fire, setting.final_limit, bounds.final),
            ("prot", scored_prot, setting.prot_limit, bounds.prot),
        ):
            if value > limit:
                scale = {"burn": model.n_scored * cells, "final": cells, "prot": model.n_scored}[term]
                self.exceeded = Exceeded(self.step, term, float(value) / scale, sharp)
                return

    def _measure(self):  # type: ignore[no-untyped-def]
        space = self.space
        decay = self.clock.decay[self.step % self.clock.steps_per_day % self.clock.period]
        return measure(space.fields, space.marks, self.shape, self.objective.protected, self.objective.density, decay)

    def _keep_state(self) -> None:
        body = packed(self.space.fields, self.space.marks, self.shape, self.sums)
        day = self.step // self.clock.steps_per_day
        self.states.append(state_of(self.model, self.schedule, self.gates.executed, day, body))

    def _show(self, observer: Observer) -> None:
        fields = self.space.fields
        window = bounding_box(self.space.marks.touched, self.shape)
        decay = self.clock.decay[self.step % self.clock.steps_per_day % self.clock.period]
        observer.see(
            self.step, window, torch.from_numpy(raster_of(fields.unburned, self.shape)[window]),
            torch.from_numpy(raster_of(fields.scaled, self.shape)[window] * decay),
            torch.from_numpy(raster_of(fields.retardant, self.shape)),
        )  # fmt: skip

    def outcome(self) -> Outcome:
        """The numbers of the state that was reached."""
        ends, sums, model = self._measure(), self.sums, self.model
        executed = int(self.gates.executed.sum())
        losses = losses_of(model, float(sums[SCORED]), float(sums[SCORED_PROT]), ends.fire, executed)
        occupancy = float(sums[SCORED] + sums[UNSCORED])
        metrics = metrics_of(model, ends.fire, ends.protected, occupancy, losses, self.proposed, executed)
        over = self.exceeded or exceeded(model, metrics, self.wanted.bounds)
        return Outcome(metrics, self.gates.executed, tuple(self.states), over)

    def clean(self, *, swept: bool = False) -> None:
        """Leave the workspace at rest, after a backward pass too."""
        clean(self.space.fields, self.space.marks, self.shape, self.space.stamps, swept)


class _Back:
    """The backward pass of a run."""

    def __init__(self, run: _Run) -> None:
        self._run = run
        self.decision, self.pose = np.zeros(run.schedule.logits.shape), np.zeros(run.schedule.poses.shape)
        rows, columns = bounding_box(run.space.marks.touched, run.shape)
        last = int(np.searchsorted(run.log, run.log[-1])) - 1
        self._burned = Box(rows.start, rows.stop, columns.start, columns.stop, last)
        self._idle_water, self._idle_retardant = self._idle()

    def _idle(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Open pairs without a drop whose gradient is not 0 for certain, of water and of retardant."""
        run = self._run
        pairs = np.argwhere(run.gates.open & ~run.gates.executed)
        chosen, poses, alight = np.empty(len(pairs), bool), run.schedule.poses, int(run.sums[ALIGHT])
        relevant(pairs, poses, run.aircraft, run.wind, run.shape, run.water, self._burned, alight, chosen)
        pairs = pairs[chosen]
        water = run.water[pairs[:, 1]]
        return pairs[water], pairs[~water]

    def sweep(self, check: Check | None) -> None:
        """All steps, last first, some days at a time."""
        run, space, length = self._run, self._run.space, STRETCH_DAYS * self._run.clock.steps_per_day
        watching = self._watching()
        for first in range((run.model.n_steps - 1) // length * length, -1, -length):
            if check is not None:
                check()
            last = min(first + length, run.model.n_steps)
            reading = Reading(
                run.drops_of_water, run.drops_of_retardant, self._listed(self._idle_water, first, last, "idle water"),
                self._listed(self._idle_retardant, first, last, "idle retardant"), self.decision, self.pose,
            )  # fmt: skip
            sweep(
                space.fields, space.marks, run.objective.slope, run.layout.gains, run.clock, run.shape, run.setting,
                run.wet, run.laid, space.log_places, space.log_values, run.log, watching, reading, first, last,
            )  # fmt: skip

    def _listed(self, pairs: NDArray[np.int64], first: int, last: int, name: str) -> Listed:
        begin, end = np.searchsorted(pairs[:, 0], [first, last])
        return self._run.listed(pairs[begin:end], name, executed=False)

    def _watching(self) -> Watching:
        run, space, shape = self._run, self._run.space, self._run.shape
        pairs = np.concatenate([run.drops_of_water.pairs, self._idle_water])
        asked_for = reach_of(pairs, run.schedule.poses, run.aircraft, run.wind, shape, self._burned)
        has_water = asked_for.step < NEVER
        tiles = shape.tile_rows * shape.tile_columns if has_water else 0
        near, asked = space.room("near", tiles, np.uint8), space.room("asked", tiles, np.int32)
        near[:], asked[:] = 0, -1
        rows = 4 * tiles
        starts, chunks = space.room("rows", rows, np.int32), space.room("chunks", rows, np.int32)
        hot = space.room("hot", rows, np.int32)
        kept = space.room("kept", 16 * max(run.wet.most(), run.laid.most()), np.float32)
        watching = Watching(has_water, asked_for.step, starts, chunks, hot, near, asked, space.stamps, kept)
        count = start_adjoint(
            space.fields, space.marks, shape, np.float32(-run.model.terminal_slope), run.wet, run.model.n_steps,
            watching, asked_for,
        )  # fmt: skip
        hot[:count] = NEVER
        return watching._replace(starts=starts[:count], chunks=chunks[:count], hot=hot[:count])

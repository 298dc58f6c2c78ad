"""Rollouts of one fire on the GPU, side by side: launches by day, states at day starts, results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.fleet import Material
from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.rollout.day_state import Bounds, DayState, Exceeded, exceeded, state_of
from firegui.rollout.gates import Gates, gates_of
from firegui.rollout.kernels.gpu_arena import TOUCHED, TREATED, Arena, RolloutHistory
from firegui.rollout.kernels.gpu_drops import DeviceDrops, Request, drop_list, upload
from firegui.rollout.kernels.gpu_launch import Graphs, Kernels, KernelSetting, field_of
from firegui.rollout.measure import losses_of, metrics_of, values_lost
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer, StateView
from firegui.rollout.outcome import Outcome, RolloutOptions

SLACK = 1.0 + 1e-6
"""Running sums and final ones differ by rounding: a rollout is given up only well beyond its bound."""


@dataclass(frozen=True, slots=True, eq=False)
class GpuDayState:
    """State of this engine in a :class:`DayState`.

    It has the tiles that fire or drops have reached; all others are new. ``tiles [n]``;
    ``fields [3, n, height, width]`` U, S, r; ``flags [tiles]``; ``sums [5, tiles]``.
    """

    tiles: Tensor
    fields: Tensor
    flags: Tensor
    sums: Tensor


@dataclass(slots=True)
class _Lane:
    """One rollout of the batch."""

    schedule: Schedule
    gates: Gates
    wanted: RolloutOptions
    states: list[DayState]
    last_water: int
    outcome: Outcome | None = None

    @property
    def first_day(self) -> int:
        return 0 if self.wanted.start is None else self.wanted.start.day


class Rollouts:
    """Up to ``arena.runs`` rollouts at once.

    ``history`` records the days from ``recorded`` on, for one rollout.
    """

    def __init__(
        self, model: Model, arena: Arena, kernels: Kernels, graphs: Graphs, setting: KernelSetting,
        schedules: Sequence[Schedule], wanted: Sequence[RolloutOptions], history: RolloutHistory | None = None,
    ) -> None:  # fmt: skip
        self.model, self.arena, self.kernels, self.graphs, self.setting = model, arena, kernels, graphs, setting
        self.history = history
        self.per_day, self.days = model.maps.steps_per_day, model.maps.days
        water = model.columns_of(Material.WATER)
        self.lanes = [_lane(model, one, how, water) for one, how in zip(schedules, wanted, strict=True)]
        self.first_day = min(lane.first_day for lane in self.lanes)
        requests = [Request(i, lane.schedule, self._flown(lane)) for i, lane in enumerate(self.lanes)]
        self.drops: DeviceDrops = upload(drop_list(model, arena.tiling, requests), arena.device)
        most = self.drops.host.most_pairs(arena.span * self.per_day)
        if arena.pools.hold(most + 1, history=history is not None):
            graphs.forget()
        kernels.shares(self.drops, setting)
        table = arena.load_objective(model)
        self._factor = table[:, 0] * table[:, 1]  # B_t = S · factor
        arena.clear()

    def _flown(self, lane: _Lane) -> NDArray[np.bool_]:
        flown = lane.gates.executed.copy()
        flown[: lane.first_day * self.per_day] = False
        return flown

    def run(self, observer: Observer | None, check: Check | None) -> list[Outcome]:
        """Run all days and return the outcome of every rollout."""
        for day in range(self.first_day, self.days):
            if check is not None:
                check()
            self._begin(day)
            self._judge(day)
            if all(lane.outcome is not None for lane in self.lanes):
                return self._outcomes()
            self._keep(day)
            self.enter(day)
            recorded = self.history if self._recorded(day) else None
            self.run_day(day, recorded, observer)
            if recorded is not None:
                recorded.ends[day % self.arena.span].copy_(self.arena.scaled[0])
        end = self.model.n_steps
        observers = [lane.wanted.last for lane in self.lanes] if observer is None else [observer]
        for run, each in enumerate(observers):
            if each is not None and each.next_look(end) == end:
                self._show(end, each, run)
        return self._outcomes()

    def _recorded(self, day: int) -> bool:
        """Return whether ``day`` is in the last span, which is recorded.

        The earlier spans are run again for the backward pass.
        """
        return self.history is not None and day // self.arena.span == (self.days - 1) // self.arena.span

    def enter(self, day: int) -> None:
        """At the first day of a span: its drops, and where the sweep goes on from."""
        span = self.arena.span
        if day % span and day != self.first_day:
            return
        first = day // span * span
        self.kernels.doses(self.arena, self.drops, self.steps(first))
        number = first // span
        if self.history is not None and number < len(self.history.checkpoints):
            fields = (self.arena.unburned, self.arena.scaled, self.arena.retardant)
            for kept, field in zip(self.history.checkpoints[number], fields, strict=True):
                kept.copy_(field[0])
            self.history.checkpoint_flags[number].copy_(self.arena.flags[0, :, 0])

    def steps(self, first: int) -> range:
        """Return the number of steps of the span that begins on day ``first``."""
        return range(first * self.per_day, min(first + self.arena.span, self.days) * self.per_day)

    def run_day(self, day: int, history: RolloutHistory | None, observer: Observer | None) -> None:
        """Run the steps of a day: as one graph, or in stretches between the observed states."""
        begin, end = day * self.per_day, (day + 1) * self.per_day
        self.arena.set_day(day)
        cuts = [begin]
        if observer is not None:
            look = observer.next_look(begin)
            while look < end:
                cuts.append(look)
                look = observer.next_look(look + 1)
        stops = sorted({*cuts, end})
        steps = self.steps(day // self.arena.span * self.arena.span)
        for start, stop in pairwise(stops):
            if observer is not None and start in cuts[1:]:
                self._show(start, observer)
            self.kernels.drop_now(self.arena, self.drops, self.setting, steps, start, history=history is not None)
            if len(stops) == 2:
                self.graphs.play(("forward", self.setting, history is not None), lambda: self._launch(0, 0, history))
            else:
                self._launch(start - begin, end - stop, history)
        if self.per_day % 2:
            self.arena.even_out()

    def _launch(self, first: int, left: int, history: RolloutHistory | None) -> None:
        """Launch the steps of a day from ``first`` on, except the ``left`` last."""
        end = self.per_day - left
        for k in range(first, end):
            if left and k == end - 1 and history is not None:
                self.arena.wake_for_drops(end)
            self.kernels.step(self.arena, history, self.setting, k, last=k == end - 1)

    def _begin(self, day: int) -> None:
        for run, lane in enumerate(self.lanes):
            if lane.first_day == day:
                if lane.wanted.start is None:
                    self.arena.ignite(run, scored=self.model.first_scored_step == 0)
                else:
                    unpack(self.arena, run, lane.wanted.start.body, emitter=self.setting.emitter)

    def _keep(self, day: int) -> None:
        for run, lane in enumerate(self.lanes):
            if lane.wanted.keep_states and lane.outcome is None and lane.first_day <= day:
                body = pack(self.arena, run)
                lane.states.append(state_of(self.model, lane.schedule, lane.gates.executed, day, body))

    def _judge(self, day: int) -> None:
        """Give up the rollouts that cannot end within their bounds.

        This is the only wait for the device in a day.
        """
        running = [lane.outcome is None and lane.first_day < day and not lane.wanted.bounds.none for lane in self.lanes]
        if not any(running):
            return
        sums = self.arena.sums.cpu().numpy()
        for run, lane in enumerate(self.lanes):
            if not running[run]:
                continue
            over = self._over(day, run, lane, sums[:, :, run].sum(axis=1))
            if over is not None:
                lane.outcome = self._outcome(run, lane, sums[:, :, run], over)
                self.arena.flags[:, :, run] = 0
                self.arena.emission[:, run] = 0.0

    def _over(self, day: int, run: int, lane: _Lane, sums: NDArray[np.float64]) -> Exceeded | None:
        """Return the bound that a run exceeds, if any.

        ``P`` never falls after the last water drop, and never below the burned-out ``1 − U − B``.
        """
        model, step = self.model, day * self.per_day
        fire, guarded = float(sums[0]), float(sums[1])
        if lane.last_water >= step:
            burning = float(self.arena.scaled[run].double().sum()) * float(self._factor[step])
            fire, guarded = max(fire - burning, 0.0), 0.0
        ahead = model.n_steps - max(step, model.first_scored_step - 1)
        none = np.zeros(model.fleet.n_aircraft, np.int64)
        least = losses_of(model, float(sums[3]) + ahead * fire, float(sums[4]) + ahead * guarded, fire, none)
        return _broken(step, lane.wanted.bounds, {"burn": least.burn, "final": least.final, "prot": least.prot})

    def _outcomes(self) -> list[Outcome]:
        sums = self.arena.sums.cpu().numpy()
        return [lane.outcome or self._outcome(run, lane, sums[:, :, run], None) for run, lane in enumerate(self.lanes)]

    def _outcome(self, run: int, lane: _Lane, tiles: NDArray[np.float64], over: Exceeded | None) -> Outcome:
        sums = np.ascontiguousarray(tiles).sum(axis=1)
        metrics = self._metrics(run, lane, sums)
        return Outcome(
            metrics, lane.gates.executed, tuple(lane.states), over or exceeded(self.model, metrics, lane.wanted.bounds)
        )

    def _metrics(self, run: int, lane: _Lane, sums: NDArray[np.float64]) -> Metrics:
        model = self.model
        fire = 1.0 - field_of(self.arena.unburned[run], model.shape)
        extent = float(sums[0])
        protected = float(fire.double()[model.protected].sum())
        executed = lane.gates.executed.sum(axis=0)
        lost = values_lost(model, fire.double)
        losses = losses_of(model, float(sums[3]), float(sums[4]), extent, executed, lost)
        proposed = int(lane.schedule.proposed.sum())
        flown = lane.gates.executed
        return metrics_of(model, extent, protected, float(sums[2]), losses, proposed, executed, flown)

    def _show(self, step: int, observer: Observer, run: int = 0) -> None:
        """Let ``observer`` see the state of a run at ``step``, before its drops."""
        arena, shape = self.arena, self.model.shape
        burning = field_of(arena.scaled[run], shape) * float(self._factor[step])
        whole = (slice(0, shape[0]), slice(0, shape[1]))
        unburned, retardant = field_of(arena.unburned[run], shape), field_of(arena.retardant[run], shape)
        observer.see(step, StateView(whole, unburned, burning, whole, retardant))


def _lane(model: Model, schedule: Schedule, wanted: RolloutOptions, water: list[int]) -> _Lane:
    gates = gates_of(schedule, model.fleet, model.maps, model.rules)
    wet = np.flatnonzero(gates.executed[:, water].any(axis=1))
    return _Lane(schedule, gates, wanted, [], int(wet[-1]) if len(wet) else -1)


def _broken(step: int, bounds: Bounds, least: dict[str, float]) -> Exceeded | None:
    for term, value in least.items():
        limit = getattr(bounds, term)
        if math.isfinite(limit) and value > limit * SLACK:
            return Exceeded(step, term, value, limit)
    return None


def pack(arena: Arena, run: int) -> GpuDayState:
    """Copy a run's state. Waits for the device, to learn how many tiles it takes."""
    flags = arena.flags[0, :, run] & (TOUCHED | TREATED)
    tiles = torch.nonzero(flags).flatten()
    row, column = tiles // arena.tiling.tile_columns, tiles % arena.tiling.tile_columns
    fields = (arena.unburned[run], arena.scaled[run], arena.retardant[run])
    return GpuDayState(
        tiles, torch.stack([arena.tiled(field)[row, :, column] for field in fields]),
        arena.flags[0, :, run].clone(), arena.sums[:, :, run].clone(),
    )  # fmt: skip


def unpack(arena: Arena, run: int, body: object, *, emitter: bool) -> None:
    """Go on from a state, in one run of an arena in which that run holds no fire."""
    assert isinstance(body, GpuDayState)
    row, column = body.tiles // arena.tiling.tile_columns, body.tiles % arena.tiling.tile_columns
    fields = (arena.unburned[run], arena.scaled[run], arena.retardant[run])
    for field, values in zip(fields, body.fields, strict=True):
        arena.tiled(field)[row, :, column] = values
    arena.set_shared(run, emitter=emitter)
    arena.flags[:, :, run] = body.flags
    arena.sums[:, :, run] = body.sums

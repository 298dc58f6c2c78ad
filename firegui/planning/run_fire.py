"""The fire of a replanned run: known at some steps, expected by the model in between and after them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.film import Film
from firegui.domain.observation import NO_DROPS, DayStates, FireRecord, FireState
from firegui.domain.results import Frames, Metrics
from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.planning.replan import counted, executed, ground_factor, remaining, rows
from firegui.rollout.measure import losses_of, metrics_of, values_lost
from firegui.rollout.model import Model
from firegui.rollout.simulate import Rollout, simulate

Singles = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class RunFire:
    """The fire of a plan in a world that is known from day ``first`` on.

    ``metrics`` and ``p_fire_days [D − first + 1, H, W]`` are of the days from ``first`` on. ``frames`` show the whole
    plan, as simulated before that day.
    """

    metrics: Metrics
    first: int
    frames: Frames | None = None
    p_fire_days: Singles | None = None


def fire_without_drops(
    whole: Model, schedule: Schedule, kept: FireRecord, *, frame_stride: int | None = None, keep_days: bool = False,
    check: Check | None = None,
) -> RunFire:  # fmt: skip
    """Return the fire without drops.

    It is as drawn where it was drawn, else that without drops from the day of observation on.
    """
    none, known = kept.where(NO_DROPS), kept.plan
    if none is None:
        bare = schedule.until(known.first * whole.maps.steps_per_day)
        none = replace(known, codes=known.codes[:1], steps=known.steps[:1])
    else:
        bare = Schedule.empty(schedule.n_steps, schedule.n_aircraft)
    return run_fire(whole, bare, none, frame_stride=frame_stride, keep_days=keep_days, check=check)


def run_fire(
    whole: Model, schedule: Schedule, known: DayStates, *, frame_stride: int | None = None, keep_days: bool = False,
    check: Check | None = None,
) -> RunFire:  # fmt: skip
    """Return the fire in which ``schedule`` of the ``whole`` plan is flown.

    The effectiveness is that of this model. From each known state the model goes on to the next one, which replaces
    what it expected, and from the last to the end of the plan. ``frame_stride`` is lowered, so that every known state
    and the starts of all days are shown.
    """
    per_day, n_steps = whole.maps.steps_per_day, whole.n_steps
    steps = known.steps_known(per_day)
    stride = None if frame_stride is None else _divisor(math.gcd(per_day, *steps), frame_stride)
    starts, is_whole = [step for step in steps if step < n_steps], steps[-1] == n_steps
    single = len(starts) == 1 and not is_whole
    flown = executed(whole, schedule)
    sums, films = _Sums(whole), _Films(whole, stride)
    if stride is not None and known.first > 0:
        films.begin(simulate(whole, schedule, check=check, frame_stride=stride))
    states: list[Singles] = []
    metrics: Metrics | None = None
    ground = ground_factor(whole, schedule, flown[: starts[0]])
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], n_steps], strict=True)):
        state = known.state(number)
        now = remaining(
            whole, schedule, start, state, end - start, check=check, ground=ground, is_observed=single
        )  # fmt: skip
        want_days = keep_days or not single
        rollout = simulate(now, rows(schedule, start, end), check=check, frame_stride=stride, keep_days=want_days)
        metrics = counted(rollout, now, whole.fleet, state.burned, start)
        films.add(rollout, start, state, ground)
        if rollout.p_fire_days is not None:
            rollout.p_fire_days[:, state.burned] = 1.0
            sums.add(metrics, now, rollout.p_fire_days[-1], rollout.executed)
            at = range(start, end, now.maps.steps_per_day)
            states += [one for step, one in zip(at, rollout.p_fire_days, strict=False) if step % per_day == 0]
            states += [rollout.p_fire_days[-1]] if end == n_steps else []
        if end < n_steps:
            ground = ground_factor(whole, schedule, flown[:end], start, ground)
    if is_whole:
        last = known.state(len(starts))
        films.end(last)
        states[-1] = last.fire.astype(np.float32)
    if not single:
        metrics = sums.metrics(states[-1], known.first)
    assert metrics is not None
    return RunFire(metrics, known.first, films.frames(), np.stack(states) if keep_days else None)


class _Sums:
    """Sums over the states of consecutive rollouts.

    The first state of each takes the place of the last state before it.
    """

    def __init__(self, whole: Model) -> None:
        self._whole = whole
        self._protection: NDArray[np.float64] = whole.protection.cpu().numpy()
        self._protected: NDArray[np.bool_] = whole.protected.cpu().numpy()
        self._occupied = self._guarded = 0.0
        self._proposed, self._executed = 0, np.zeros(whole.fleet.n_aircraft, np.int64)
        self._flown: list[NDArray[np.bool_]] = []

    def add(self, metrics: Metrics, model: Model, last: Singles, executed: NDArray[np.bool_]) -> None:
        """Add every state of a rollout but its ``last [H, W]``, and its ``executed`` drops ``[T, A]``."""
        count = model.n_steps + 1
        self._occupied += metrics.occupancy_cell_days * count / model.maps.days - float(last.sum(dtype=np.float64))
        self._guarded += metrics.loss_prot * count - self._guard(last)
        self._proposed += metrics.drops_proposed
        self._executed += executed.sum(axis=0)
        self._flown.append(executed)

    def metrics(self, last: Singles, first: int) -> Metrics:
        """Return the metrics from day ``first`` to the state ``last [H, W]`` at the end of the plan."""
        maps = self._whole.maps
        model = replace(self._whole, maps=maps.window(first, maps.days - first))
        extent = float(last.sum(dtype=np.float64))
        occupied, guarded = self._occupied + extent, self._guarded + self._guard(last)
        lost = values_lost(model, lambda: torch.from_numpy(last).to(model.device))
        losses = losses_of(model, occupied, guarded, extent, self._executed, lost)
        protected = float(last[self._protected].sum(dtype=np.float64))
        flown, begin = np.concatenate(self._flown), first * maps.steps_per_day
        return metrics_of(
            model, extent, protected, occupied, losses, self._proposed, self._executed, flown, begin
        )  # fmt: skip

    def _guard(self, state: Singles) -> float:
        return float((self._protection * state).sum())


class _Films:
    """Frames of consecutive rollouts, each of which takes the place of the last frame before it."""

    def __init__(self, whole: Model, stride: int | None) -> None:
        self._whole, self._stride = whole, stride
        self._frames: Frames | None = None

    def begin(self, rollout: Rollout) -> None:
        """Start with the frames as simulated; those from the first known day on are replaced."""
        self._frames = rollout.frames

    def add(self, rollout: Rollout, step: int, state: FireState, ground: Singles) -> None:
        """Go on with the frames of a rollout from ``step`` on, with ``state`` and ``ground [H, W]`` there."""
        found, stride, before = rollout.frames, self._stride, self._frames
        if found is None or stride is None:
            return
        burned = state.burned.astype(np.uint8) * np.uint8(255)
        fire, burning, laid = found.fire.raised(burned), found.burning, found.retardant.scaled(ground)
        if before is not None:
            cut = step // stride
            fire, burning = before.fire.until(cut, fire), before.burning.until(cut, burning)
            laid = before.retardant.until(cut, laid)
        self._frames = Frames(stride, fire, burning, laid, self._whole.n_steps)

    def end(self, state: FireState) -> None:
        """Replace the last frame of the fire by ``state``."""
        frames = self._frames
        if frames is not None:
            fire, burning = (Film.of(mask[None].astype(np.uint8) * 255) for mask in (state.fire, state.burning))
            last = len(frames.fire) - 1
            self._frames = replace(
                frames, fire=frames.fire.until(last, fire), burning=frames.burning.until(last, burning)
            )

    def frames(self) -> Frames | None:
        """Return the frames, or ``None`` where they were not requested."""
        return self._frames


def _divisor(number: int, most: int) -> int:
    """Return the largest divisor of ``number`` that is at most ``most``."""
    return max(each for each in range(1, min(number, max(most, 1)) + 1) if number % each == 0)

"""Start of the first stage on the fire front of the baseline (paper, step 4, "Initialization")."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.fleet import Material
from firegui.domain.schedule import (
    Schedule,
    pose_logits_of,  # the inverse of the variables, for planners
)
from firegui.domain.settings import OptimizerSettings, Start
from firegui.errors import Check
from firegui.planning.placement import across_wind, dispersed_maxima
from firegui.planning.tactical_sweep import TACTICAL_ROLLOUTS, tactical_schedule
from firegui.rollout.model import Model
from firegui.rollout.simulate import watch

Floats = NDArray[np.float64]

START_ROLLOUTS: Mapping[Start, int] = {Start.FRONT: 1, Start.CENTROID: 1, Start.TACTICAL: 1 + TACTICAL_ROLLOUTS}
"""How many rollouts :func:`start_schedule` takes."""


def start_schedule(
    model: Model, settings: OptimizerSettings, *, budget: int | None = None, check: Check | None = None
) -> Schedule:
    """Return the schedule at which the first stage begins, as ``settings.start`` says.

    ``budget`` limits the drops of a tactical start.
    """
    if settings.start is Start.CENTROID:
        return centroid_schedule(model, settings, check=check)
    front = front_schedule(model, settings, check=check)
    if settings.start is Start.FRONT:
        return front
    tactical = tactical_schedule(model, settings, budget=budget, check=check)
    logits = np.where(tactical.proposed, abs(settings.initial_logit), front.logits)
    poses = np.where(tactical.proposed[:, :, None], tactical.poses, front.poses)
    return Schedule.from_pose_logits(logits, pose_logits_of(poses, model.shape), model.shape)


def centroid_schedule(model: Model, settings: OptimizerSettings, *, check: Check | None = None) -> Schedule:
    """Return poses at the centroid of ``p^B_t`` of the baseline, with uniform random headings.

    Logits as in :func:`front_schedule`. A step at which nothing burns keeps the place of the step before it.
    """
    generator = np.random.default_rng(settings.seed)
    n_steps, n_aircraft = model.n_steps, model.fleet.n_aircraft
    places = np.zeros((n_steps, 2))

    def see(step: int, burning: torch.Tensor) -> None:
        if step == n_steps:
            return
        mass = burning.double().cpu().numpy()
        total = mass.sum()
        if total > 0.0:
            rows, columns = mass.sum(axis=1), mass.sum(axis=0)
            places[step] = rows @ np.arange(len(rows)) / total, columns @ np.arange(len(columns)) / total
        elif step > 0:
            places[step] = places[step - 1]

    watch(model, Schedule.empty(n_steps, n_aircraft), see, check=check)
    poses = np.empty((n_steps, n_aircraft, 3))
    poses[:, :, :2] = places[:, None]
    poses[:, :, 2] = generator.uniform(0.0, np.pi, (n_steps, n_aircraft))
    logits = np.full((n_steps, n_aircraft), settings.initial_logit)
    return Schedule.from_pose_logits(logits, pose_logits_of(poses, model.shape), model.shape)


def front_schedule(model: Model, settings: OptimizerSettings, *, check: Check | None = None) -> Schedule:
    """Return a schedule on each step's front, with headings across the wind.

    Every logit is ``settings.initial_logit``. Water: dispersed maxima of ``p^B_t``. Retardant: dispersed maxima of the
    forecast ignition ``max(0, p^B_{min(t + S_day/2, T)} − p^B_t)``. Exclusion radius and jitter (normal, per axis) are
    ``settings``' in cells, the generator is seeded with ``settings.seed``. With fewer maxima than aircraft the
    strongest are used again. A step without any front keeps the places of the step before it (so does the last, where
    nothing ignites any more).
    """
    generator = np.random.default_rng(settings.seed)
    placer = _Placer(model, settings, generator)
    watch(model, Schedule.empty(model.n_steps, model.fleet.n_aircraft), placer.see, check=check)
    placer.finish()
    logits = np.full((model.n_steps, model.fleet.n_aircraft), settings.initial_logit)
    return Schedule.from_pose_logits(logits, pose_logits_of(placer.poses, model.shape), model.shape)


class _Placer:
    """Placer of a step's drops once its half-day forecast has been simulated.

    It holds half a day of states.
    """

    def __init__(self, model: Model, settings: OptimizerSettings, generator: np.random.Generator) -> None:
        self._model, self._settings, self._generator = model, settings, generator
        self._lead = model.maps.half_day
        self._pending: deque[NDArray[np.float32]] = deque()
        self._next = 0
        self._last = {material: np.argwhere(model.maps.ignition)[:1] for material in Material}
        self.poses: Floats = np.zeros((model.n_steps, model.fleet.n_aircraft, 3))

    def see(self, step: int, burning: torch.Tensor) -> None:
        """Take in ``p^B`` at ``step`` and place whatever can be placed."""
        self._pending.append(burning.cpu().numpy().copy())
        if step >= self._lead:
            self._place(self._pending[-1])

    def finish(self) -> None:
        """Place the last half day, whose forecast is the state at T."""
        while self._next < self._model.n_steps:
            self._place(self._pending[-1])

    def _place(self, forecast: NDArray[np.float32]) -> None:
        if self._next >= self._model.n_steps:
            return
        now = self._pending.popleft()
        step, self._next = self._next, self._next + 1
        for material in Material:
            columns = self._model.columns_of(material)
            if columns:
                field = now if material is Material.WATER else np.maximum(forecast - now, 0.0)
                self.poses[step, columns] = self._wave(step, material, field, len(columns))

    def _wave(self, step: int, material: Material, field: NDArray[np.float32], count: int) -> Floats:
        maxima = dispersed_maxima(field, count, self._settings.exclusion_cells)
        if len(maxima) == 0:
            maxima = self._last[material]
        self._last[material] = maxima
        cells = maxima[np.arange(count) % len(maxima)].astype(np.float64)
        rows, columns = self._model.shape
        jitter = self._generator.normal(0.0, self._settings.jitter_cells, (count, 2))
        places = np.clip(cells + jitter, 0.0, [rows - 1, columns - 1])
        nearest = np.rint(places).astype(np.int64)
        wind = self._model.maps.wind_dir[step // self._model.maps.steps_per_period]
        return np.column_stack([places, across_wind(wind, nearest[:, 0], nearest[:, 1])])


def initial_schedule(
    model: Model, settings: OptimizerSettings, warm_start: Schedule | None, check: Check | None, *,
    reopen: bool = False,
) -> Schedule:  # fmt: skip
    """Return the schedule that the first stage starts from.

    It is that of ``settings.start``, or ``warm_start`` where there is one. ``reopen`` puts whatever the warm start does
    not propose back on the front, just below the threshold.
    """
    if warm_start is None:
        return start_schedule(model, settings, check=check)
    front = front_schedule(model, settings, check=check)
    begin = warmed(front, warm_start, pose_logits_of(warm_start.poses, model.shape))
    return reopened(front, begin) if reopen else begin


def warmed(front: Schedule, warm_start: Schedule, pose_logits: NDArray[np.float64]) -> Schedule:
    """Return ``warm_start`` in the optimizer's variables.

    Where it proposes nothing, it has the front's pose. A file lists only drops; an unlisted pair has no pose of its
    own, and the corner ``(0, 0, 0)`` would have no gradient to leave by. ``pose_logits [T, A, 3]`` are those of
    ``warm_start.poses``. A warm start that carries its own is kept as it is.
    """
    if warm_start.pose_logits is not None or front.pose_logits is None:
        return warm_start
    listed = warm_start.proposed[:, :, None]
    poses = np.where(listed, warm_start.poses, front.poses)
    return Schedule(warm_start.logits, poses, np.where(listed, pose_logits, front.pose_logits))


def reopened(front: Schedule, begin: Schedule) -> Schedule:
    """Return ``begin`` with the front's logit and pose wherever it proposes nothing.

    What a plan has pruned stands at −3, and a short descent would not bring it back; from a fire that is not the one it
    was pruned for, every aircraft has to be free again.
    """
    if begin.pose_logits is None or front.pose_logits is None:
        return begin
    listed, keeps = begin.proposed, begin.proposed[:, :, None]
    return Schedule(
        np.where(listed, begin.logits, front.logits),
        np.where(keeps, begin.poses, front.poses),
        np.where(keeps, begin.pose_logits, front.pose_logits),
    )

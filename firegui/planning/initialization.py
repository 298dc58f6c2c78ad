"""Where the first stage starts (paper, step 4, "Initialization"): on the fire front of the baseline rollout."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.fleet import Material
from firegui.domain.schedule import Schedule, pose_scale
from firegui.domain.settings import OptimizerSettings
from firegui.planning.placement import across_wind, dispersed_maxima
from firegui.rollout.model import Model
from firegui.rollout.simulate import watch

Floats = NDArray[np.float64]

POSE_LOGIT_LIMIT = 1.0 - 1e-9
"""Sines are kept this far from ±1, where ``arcsin`` is still exact and a pose still has a gradient."""


def pose_logits_of(poses: Floats, shape: tuple[int, int]) -> Floats:
    """The ``z [T, A, 3]`` that the paper's maps take to ``poses``: ``z = arcsin(2 pose / range − 1)``.

    A heading outside ``[0, π]`` is the same axis as the one it is congruent to modulo π.
    """
    poses = poses.copy()
    turned = (poses[..., 2] < 0.0) | (poses[..., 2] > np.pi)
    poses[turned, 2] = np.mod(poses[turned, 2], np.pi)
    sine = 2.0 * poses / np.maximum(pose_scale(shape), 1.0) - 1.0
    logits: Floats = np.arcsin(np.clip(sine, -POSE_LOGIT_LIMIT, POSE_LOGIT_LIMIT))
    return logits


def front_schedule(model: Model, settings: OptimizerSettings, *, check: Callable[[], None] | None = None) -> Schedule:
    """Every logit at ``settings.initial_logit``, every position on its step's front, every heading across the wind.

    Water: dispersed maxima of ``p^B_t``. Retardant: dispersed maxima of the forecast ignition
    ``max(0, p^B_{min(t + S_day/2, T)} − p^B_t)``. Exclusion radius and jitter (normal, per axis) are ``settings``' in
    cells, the generator is seeded with ``settings.seed``. With fewer maxima than aircraft the strongest are used again.
    A step without any front keeps the places of the step before it (so does the last, where nothing ignites any more).
    """
    generator = np.random.default_rng(settings.seed)
    placer = _Placer(model, settings, generator)
    watch(model, Schedule.empty(model.n_steps, model.fleet.n_aircraft), placer.see, check=check)
    placer.finish()
    logits = np.full((model.n_steps, model.fleet.n_aircraft), settings.initial_logit)
    return Schedule.from_pose_logits(logits, pose_logits_of(placer.poses, model.shape), model.shape)


class _Placer:
    """Places the drops of a step as soon as its half-day forecast has been simulated; holds half a day of states."""

    def __init__(self, model: Model, settings: OptimizerSettings, generator: np.random.Generator) -> None:
        self._model, self._settings, self._generator = model, settings, generator
        self._lead = model.maps.steps_per_day // 2
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
        wind = self._model.maps.wind_dir[step // self._model.maps.steps_per_day]
        return np.column_stack([places, across_wind(wind, nearest[:, 0], nearest[:, 1])])

"""The tactical heuristic (paper, appendix ``planners``): direct attack with water, indirect attack with retardant.

No optimization: a forecast, one sweep of placements over the horizon, and again on the fire that these leave.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.fleet import Material
from firegui.domain.schedule import LISTED_LOGIT, Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.planning.placement import across_wind, dispersed_maxima
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate, watch

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

PASSES = 3
"""The paper: a fourth changes the schedule by less than one drop."""


def tactical_schedule(
    model: Model, settings: OptimizerSettings, *, budget: int | None = None, check: Callable[[], None] | None = None
) -> Schedule:
    """The best of :data:`PASSES` sweeps, each on a forecast of the fire under the schedule of the one before.

    Water goes to dispersed maxima of ``b_t``, retardant to those of ``max(0, b_{t + S_day/2} − b_t)``, across the wind
    of their cell, with the exclusion radius and the jitter of ``settings`` (cells) and its seed. Whoever is ready drops
    while there are targets, until ``budget`` drops are spent. Listed drops have the logit +3.
    """
    generator = np.random.default_rng(settings.seed)
    schedule = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    best, lowest = schedule, np.inf
    for _ in range(PASSES):
        sweep = _Sweep(model, settings, generator, budget)
        watch(model, schedule, sweep.see, check=check)
        sweep.finish()
        schedule = sweep.schedule
        objective = simulate(model, schedule, check=check).metrics.objective
        if objective < lowest:
            best, lowest = schedule, objective
    return best


class _Sweep:
    """Places the drops of a step as soon as its half-day forecast is known; holds half a day of states."""

    def __init__(
        self, model: Model, settings: OptimizerSettings, generator: np.random.Generator, budget: int | None
    ) -> None:
        self._model, self._settings, self._generator = model, settings, generator
        self._left = model.n_steps * model.fleet.n_aircraft if budget is None else budget
        self._lead = model.maps.steps_per_day // 2
        self._pending: deque[NDArray[np.float32]] = deque()
        self._next = 0
        self._turnaround = np.array(
            [tail.type.turnaround_steps(model.maps.steps_per_day) for tail in model.fleet.tails], np.int64
        )
        self._ready = np.zeros(model.fleet.n_aircraft, np.int64)
        self.schedule = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
        # Who may fly at all: the gates of a schedule that proposes nothing.
        self._flying = gates_of(self.schedule, model.fleet, model.maps, model.rules).open

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
        able = self._flying[step] & (self._ready <= step)
        for material in Material:
            columns = [column for column in self._model.columns_of(material) if able[column]][: self._left]
            if columns:
                field = now if material is Material.WATER else np.maximum(forecast - now, 0.0)
                self._wave(step, columns, field)

    def _wave(self, step: int, columns: list[int], field: NDArray[np.float32]) -> None:
        cells = dispersed_maxima(field, len(columns), self._settings.exclusion_cells)
        flown = columns[: len(cells)]
        rows, width = self._model.shape
        jitter = self._generator.normal(0.0, self._settings.jitter_cells, (len(flown), 2))
        places = np.clip(cells + jitter, 0.0, [rows - 1, width - 1])
        nearest = np.rint(places).astype(np.int64)
        wind = self._model.maps.wind_dir[step // self._model.maps.steps_per_day]
        headings = across_wind(wind, nearest[:, 0], nearest[:, 1])
        self.schedule.poses[step, flown] = np.column_stack([places, headings])
        self.schedule.logits[step, flown] = LISTED_LOGIT
        self._ready[flown] = step + self._turnaround[flown] + 1
        self._left -= len(flown)

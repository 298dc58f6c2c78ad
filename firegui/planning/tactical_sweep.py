"""Tactical heuristic: direct attack with water, indirect attack with retardant.

It is in the paper's appendix ``planners``. No optimization: a forecast, one sweep of placements over the horizon, and
again on the fire that these leave.
"""

from __future__ import annotations

from collections import deque

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.fleet import Material
from firegui.domain.schedule import LISTED_LOGIT, UNLISTED_LOGIT, Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.errors import Check
from firegui.planning.evaluations import Evaluations
from firegui.planning.flight_rules import with_pins
from firegui.planning.placement import across_wind, dispersed_maxima
from firegui.planning.shared_objective import SharedObjective
from firegui.rollout.gates import gates_of, waits_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import watch

PASSES = 3
"""The paper: a fourth changes the schedule by less than one drop."""

TACTICAL_ROLLOUTS = PASSES + 1
"""A forecast for each pass, which also scores the schedule of the one before, and a score of the last schedule."""


def tactical_schedule(
    model: Model, settings: OptimizerSettings, *, budget: int | None = None, check: Check | None = None
) -> Schedule:
    """Return the best of :data:`PASSES` sweeps.

    Each is on a forecast of the fire under the schedule of the one before. Takes :data:`TACTICAL_ROLLOUTS`. Without
    ``budget`` every ready aircraft drops while there are targets.
    """
    limit = model.n_steps * model.fleet.n_aircraft if budget is None else budget
    evaluations = Evaluations(model, SharedObjective(limit), TACTICAL_ROLLOUTS)
    schedule = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
    for number in range(PASSES):
        schedule = tactical_pass(evaluations, settings, number, schedule, check)
    return evaluations.best


def tactical_pass(
    evaluations: Evaluations, settings: OptimizerSettings, number: int, schedule: Schedule, check: Check | None = None
) -> Schedule:
    """Run pass ``number`` of the heuristic: a forecast under ``schedule`` and a sweep on it.

    ``schedule`` is that of the pass before. Water goes to dispersed maxima of ``b_t``, retardant to those of
    ``max(0, b_{t + S_day/2} − b_t)``, across the wind of their cell, with the exclusion radius and the jitter of
    ``settings`` (cells) and its seed. Every ready aircraft drops while there are targets, until the budget is spent.
    Listed drops have the logit +3.
    """
    sweep = _Sweep(evaluations.model, settings, number, evaluations.objective.budget)
    if number == 0:  # the fire without drops is no answer of this planner
        watch(evaluations.model, with_pins(schedule, evaluations.model), sweep.see, check=check)
        evaluations.charge(1)
    else:
        evaluations.forecast(schedule, sweep.see, check)
    sweep.finish()
    if number == PASSES - 1:
        evaluations.score([sweep.schedule], check)
    return sweep.schedule


class _Sweep:
    """Placer of the drops of a step once its half-day forecast is known; holds half a day of states."""

    def __init__(self, model: Model, settings: OptimizerSettings, number: int, budget: int) -> None:
        self._model, self._settings = model, settings
        self._generator = np.random.default_rng([settings.seed, number])
        self._lead = model.maps.half_day
        self._pending: deque[NDArray[np.float32]] = deque()
        self._next = 0
        self._waits = waits_of(model.fleet, model.n_steps, model.maps.steps_per_day, model.rules)
        self.schedule = with_pins(Schedule.empty(model.n_steps, model.fleet.n_aircraft), model)
        gates = gates_of(self.schedule, model.fleet, model.maps, model.rules)
        self._free = gates.open & ~gates.executed  # [T, A]: who may still be sent
        self._left = budget - int(gates.executed.sum())

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
            free = [column for column in self._model.columns_of(material) if self._free[step, column]]
            columns = free[: max(self._left, 0)]
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
        wind = self._model.maps.wind_dir[step // self._model.maps.steps_per_period]
        headings = across_wind(wind, nearest[:, 0], nearest[:, 1])
        self.schedule.poses[step, flown] = np.column_stack([places, headings])
        self.schedule.logits[step, flown] = LISTED_LOGIT
        self._left -= self._keep(step, flown)

    def _keep(self, step: int, flown: list[int]) -> int:
        """Close the turnarounds of those who fly at ``step``; how many do."""
        model = self._model
        if model.rules is None:
            for column in flown:
                self._free[step : step + int(self._waits[step, column]) + 1, column] = False
            return len(flown)
        # Sorties, the cap and zones are for the gates to say; who may not drop there stays on the ground for now.
        gates = gates_of(self.schedule, model.fleet, model.maps, model.rules)
        # A drop of a lower column can take the room in the airspace of one that was listed before at this step.
        listed = np.flatnonzero(self.schedule.proposed[step]).tolist() if model.rules.airspace else flown
        refused = [column for column in listed if not gates.executed[step, column]]
        self.schedule.logits[step, refused] = UNLISTED_LOGIT
        self._free = gates.open & ~gates.executed
        return len(flown) - len(refused)

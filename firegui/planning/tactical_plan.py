"""Tactical heuristic as a plan that keeps every rule of the project; a start of the first stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.schedule import LISTED_LOGIT, Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.errors import Check
from firegui.io.array_files import read_arrays, write_arrays
from firegui.planning.evaluations import Evaluations
from firegui.planning.planner_context import PlannerContext
from firegui.planning.planners.tactical import Tactical
from firegui.planning.shared_objective import SharedObjective
from firegui.planning.tactical_sweep import PASSES, TACTICAL_ROLLOUTS
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model

_SWEEP, _SCORE = "sweep.", "score."


@dataclass(frozen=True, slots=True, eq=False)
class TacticalState:
    """State from which the passes can resume.

    It is that of the heuristic and of its count of rollouts.
    """

    sweep: Mapping[str, NDArray[Any]]
    score: Mapping[str, NDArray[Any]]

    def save(self, path: Path) -> None:
        """Write as safetensors, atomically."""
        parts = ((_SWEEP, self.sweep), (_SCORE, self.score))
        write_arrays(path, {head + name: array for head, part in parts for name, array in part.items()})

    @staticmethod
    def load(path: Path) -> TacticalState:
        """Read what :meth:`save` wrote.

        Raises :class:`~firegui.errors.InputError` when the file cannot be used.
        """
        stored = read_arrays(path)
        sweep, score = (
            {name.removeprefix(head): array for name, array in stored.items() if name.startswith(head)}
            for head in (_SWEEP, _SCORE)
        )
        return TacticalState(sweep, score)


class TacticalPlan:
    """Pass after pass of the heuristic on ``model``, which is at the effectiveness that is planned with.

    ``budget`` is the most drops, pinned ones included; the rules of the model hold beside it. A cancelled pass is made
    again from its beginning.
    """

    passes = PASSES

    def __init__(
        self, model: Model, settings: OptimizerSettings, budget: int | None, state: TacticalState | None = None
    ) -> None:
        self._model, self._settings = model, settings
        limit = model.n_steps * model.fleet.n_aircraft if budget is None else budget
        score, sweep = (None, None) if state is None else (state.score, state.sweep)
        self._evaluations = Evaluations(model, SharedObjective(limit), TACTICAL_ROLLOUTS, score)
        self._planner = Tactical(PlannerContext(model, self._evaluations, settings), sweep)
        self._state = self._now()

    @property
    def passes_done(self) -> int:
        """Number of finished passes."""
        return int(self._state.sweep["passes"][0])

    @property
    def rollouts(self) -> int:
        """Rollouts so far; the forecast of a pass is also the score of the one before."""
        return self._evaluations.spent

    @property
    def best(self) -> Schedule:
        """The drops that are flown of the best schedule, of the first pass as long as that is the only one.

        Their logits are those of a tactical start: every pair is an epoch or two away from the other decision, so that
        the first stage can begin with it (:func:`firegui.planning.initialization.start_schedule`).
        """
        found = self._evaluations.best
        if not np.isfinite(self._evaluations.best_objective):
            found = Schedule(self._state.sweep["logits"], self._state.sweep["poses"])
        executed = gates_of(found, self._model.fleet, self._model.maps, self._model.rules).executed
        near = abs(self._settings.initial_logit) or LISTED_LOGIT
        return replace(found, logits=np.where(executed, near, -near))

    def advance(self, check: Check | None = None) -> None:
        """Run the next pass."""
        self._planner.advance(check)
        self._state = self._now()

    def state(self) -> TacticalState:
        """Return everything needed to go on after the last whole pass."""
        return self._state

    def _now(self) -> TacticalState:
        return TacticalState(self._planner.state(), self._evaluations.state())


def tactical_plan(
    model: Model, settings: OptimizerSettings, budget: int | None, checkpoint: Path | None
) -> TacticalPlan:
    """See :class:`TacticalPlan`; goes on from ``checkpoint`` where there is one.

    Raises :class:`~firegui.errors.InputError` for one that cannot be read.
    """
    return TacticalPlan(model, settings, budget, None if checkpoint is None else TacticalState.load(checkpoint))

"""Task of the planner benchmark: a planner, its counter, its clock, and its checkpoint."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from firegui.domain.benchmark import TaskTerms
from firegui.domain.schedule import Schedule
from firegui.domain.settings import PlanSettings
from firegui.errors import Check, InputError, Problem
from firegui.io.array_files import read_arrays, write_arrays
from firegui.planning.benchmark import planner_of, searches_at
from firegui.planning.evaluations import Arrays, Evaluations
from firegui.planning.planner_context import PlannerContext
from firegui.planning.shared_objective import SharedObjective
from firegui.rollout.model import Model

_PLANNER, _EVALUATIONS, _SECONDS, _TERMS = "planner.", "evaluations.", "seconds", "terms"


class TaskRun:
    """Run of the planner of ``terms`` on ``model``, snapshot after snapshot.

    The model is at the effectiveness that the planner searches at. Begins with ``checkpoint`` where there is one, and
    then ends with the bits of an unbroken one; only :attr:`seconds` and :attr:`gradient_cost` are measured, and so
    differ. Raises :class:`~firegui.errors.InputError` for a checkpoint that cannot be read.
    """

    def __init__(self, model: Model, plan: PlanSettings, terms: TaskTerms, checkpoint: Path | None = None) -> None:
        name = terms.task.planner
        self._terms = np.frombuffer(msgspec.json.encode(terms), np.uint8)
        stored = {} if checkpoint is None else _read(checkpoint, self._terms)
        held = _part(stored, _EVALUATIONS) if stored else None
        searched = model.with_effectiveness(searches_at(name, plan))
        objective = SharedObjective(terms.budget, terms.excess)
        self._evaluations = Evaluations(searched, objective, terms.allowance, held)
        context = PlannerContext(searched, self._evaluations, replace(plan.optimizer, seed=terms.task.seed))
        self._planner = planner_of(name, context, _part(stored, _PLANNER) if stored else None)
        self._seconds = float(stored[_SECONDS][0]) if stored else 0.0
        self._take()

    @property
    def finished(self) -> bool:
        """Whether the planner has nothing more to do."""
        return self._planner.finished

    @property
    def spent(self) -> int:
        """Rollout-equivalents charged so far."""
        return self._evaluations.spent

    @property
    def best(self) -> Schedule:
        """The schedule with the lowest shared objective so far; no drops before the first."""
        return self._evaluations.best

    @property
    def best_objective(self) -> float:
        """Its shared objective at the effectiveness searched at, infinite before the first."""
        return self._evaluations.best_objective

    @property
    def curve(self) -> tuple[tuple[int, float], ...]:
        """``(spent, best objective)`` at every improvement."""
        return self._evaluations.curve

    @property
    def dimension(self) -> int:
        """Number of variables that the planner searches."""
        return self._planner.dimension

    @property
    def gradient_cost(self) -> float | None:
        """Cost of a gradient epoch in rollouts of the same schedules, ``None`` without any."""
        return self._evaluations.gradient_cost

    @property
    def seconds(self) -> float:
        """Processor time of the planner, every session's."""
        return self._seconds - self._evaluations.measuring_seconds

    def advance(self, check: Check | None = None) -> None:
        """Run the planner's next step.

        After a cancelled step only :meth:`save` may be called: it saves the state before.
        """
        began = time.process_time()
        self._planner.advance(check)
        self._seconds += time.process_time() - began
        self._take()

    def save(self, path: Path) -> None:
        """Write everything that going on needs, as of the last whole step, atomically."""
        write_arrays(path, self._snapshot)

    def _take(self) -> None:
        planner, evaluations = self._planner.state(), self._evaluations.state()
        self._snapshot: Mapping[str, NDArray[Any]] = {
            **{_PLANNER + name: array for name, array in planner.items()},
            **{_EVALUATIONS + name: array for name, array in evaluations.items()},
            _SECONDS: np.array([self._seconds]),
            _TERMS: self._terms,
        }


def _read(path: Path, terms: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
    remedy = "delete this file and resume: the task then begins anew"
    stored = read_arrays(path, remedy=remedy)
    if not {_SECONDS, _TERMS} <= stored.keys() or not np.array_equal(stored[_TERMS], terms):
        raise InputError([Problem(str(path), "is of another task, or of other terms", remedy)])
    return stored


def _part(stored: Arrays, prefix: str) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(prefix): array for name, array in stored.items() if name.startswith(prefix)}

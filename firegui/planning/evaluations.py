"""Counter of rollout-equivalents of the benchmark, and the best schedule seen.

The rules are in the paper, ``planner_benchmark``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.benchmark import GRADIENT_CHARGE
from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.planning.flight_rules import with_pins
from firegui.planning.shared_objective import SharedObjective
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate, simulate_many, watch

Arrays = Mapping[str, NDArray[Any]]

_MEASURED_EVERY = 50
_FIRST_MEASURED = 1  # a process's first epoch may still load something


class Evaluations:
    """Scorer of schedules by the shared objective; charges every rollout and keeps the best.

    ``model`` is at the effectiveness that is searched at. What is charged is never more than ``allowance``: asking for
    more raises :class:`ValueError`, so a planner looks at :attr:`left` first. A cancelled call charges nothing. Pinned
    drops are put into every schedule.
    """

    def __init__(self, model: Model, objective: SharedObjective, allowance: int, state: Arrays | None = None) -> None:
        self.model, self.objective, self.allowance = model, objective, allowance
        self._spent, self._epochs, self._best_objective = 0, 0, np.inf
        self._best = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
        self._curve: list[tuple[int, float]] = []
        self._gradient_seconds, self._rollout_seconds = 0.0, 0.0
        if state is not None:
            self._restore(state)

    @property
    def spent(self) -> int:
        """Rollout-equivalents charged so far."""
        return self._spent

    @property
    def left(self) -> int:
        """Rollouts that may still be charged."""
        return self.allowance - self._spent

    @property
    def measuring_seconds(self) -> float:
        """Processor time of the rollouts that measure what a gradient epoch costs: none of the planner's."""
        return self._rollout_seconds

    @property
    def best(self) -> Schedule:
        """The schedule with the lowest shared objective so far; no drops before the first."""
        return self._best

    @property
    def best_objective(self) -> float:
        """Its shared objective, infinite before the first."""
        return self._best_objective

    @property
    def curve(self) -> tuple[tuple[int, float], ...]:
        """``(spent, best objective)`` at every improvement."""
        return tuple(self._curve)

    @property
    def gradient_cost(self) -> float | None:
        """Cost of a gradient epoch in rollouts of the same schedules, ``None`` without any.

        Every fiftieth epoch is measured.
        """
        return self._gradient_seconds / self._rollout_seconds if self._rollout_seconds > 0.0 else None

    def score(self, schedules: Sequence[Schedule], check: Check | None = None) -> list[float]:
        """Return the shared objective of each, charged one rollout each."""
        self._afford(len(schedules))
        flown = [with_pins(schedule, self.model) for schedule in schedules]
        rollouts = simulate_many(self.model, flown, check=check)
        values = []
        for schedule, rollout in zip(flown, rollouts, strict=True):
            values.append(self.objective.value(rollout.metrics))
            self._note(schedule, values[-1], 1)
        return values

    def forecast(self, schedule: Schedule, see: Callable[[int, Tensor], None], check: Check | None = None) -> float:
        """Roll one schedule out and show every ``p^B_t`` to ``see``.

        This is as in :func:`~firegui.rollout.simulate.watch`.
        """
        self._afford(1)
        flown = with_pins(schedule, self.model)
        value = self.objective.value(watch(self.model, flown, see, check=check).metrics)
        self._note(flown, value, 1)
        return value

    def charge(self, rollouts: int) -> None:
        """Charge rollouts that only showed a fire, such as the baseline's.

        They are no answers of the planner, so none can be the best.
        """
        self._afford(rollouts)
        self._spent += rollouts

    def charge_gradient(self, schedule: Schedule, metrics: Metrics, seconds: float, check: Check | None = None) -> None:
        """Charge an epoch that evaluated ``schedule`` and took ``seconds`` of processor time.

        Every fiftieth epoch is measured. ``metrics.objective`` is the project's own. The rollout that measures it is
        not the planner's and not charged.
        """
        self._afford(GRADIENT_CHARGE)
        if self._epochs % _MEASURED_EVERY == _FIRST_MEASURED:
            began = time.process_time()
            simulate(self.model, schedule, check=check)
            self._rollout_seconds += time.process_time() - began
            self._gradient_seconds += seconds
        self._epochs += 1
        self._note(schedule, self.objective.value(metrics), GRADIENT_CHARGE)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return everything that an interrupted search needs to go on with the same count and the same best."""
        best = self._best
        z = np.zeros((0,)) if best.pose_logits is None else best.pose_logits
        counts = np.array([self._spent, self._epochs], np.int64)
        spans = np.array([self._best_objective, self._gradient_seconds, self._rollout_seconds])
        curve = np.array(self._curve, np.float64).reshape(-1, 2)
        return {"counts": counts, "spans": spans, "curve": curve, "best_logits": best.logits, "best_poses": best.poses,
                "best_pose_logits": z}  # fmt: skip

    def _restore(self, state: Arrays) -> None:
        self._spent, self._epochs = (int(value) for value in state["counts"])
        self._best_objective, self._gradient_seconds, self._rollout_seconds = (float(v) for v in state["spans"])
        self._curve = [(int(spent), float(best)) for spent, best in state["curve"]]
        z = state["best_pose_logits"] if state["best_pose_logits"].size else None
        self._best = Schedule(state["best_logits"], state["best_poses"], z)

    def _afford(self, charge: int) -> None:
        if charge > self.left:
            raise ValueError(f"{charge} rollouts asked for, {self.left} of {self.allowance} left")

    def _note(self, schedule: Schedule, value: float, charge: int) -> None:
        self._spent += charge
        if value < self._best_objective:
            self._best, self._best_objective = schedule, value
            self._curve.append((self._spent, value))

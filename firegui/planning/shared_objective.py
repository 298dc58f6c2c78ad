"""Shared objective, the score of every planner of the benchmark.

It is from the paper, appendix ``planners``, "Common protocol".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from firegui.domain.benchmark import EXCESS_WEIGHT
from firegui.domain.results import Metrics
from firegui.domain.settings import ObjectiveWeights


@dataclass(frozen=True, slots=True)
class SharedObjective:
    """Shared objective ``J + λ max(0, N_drop − B) / B``.

    It is the project's objective and a penalty for drops over the budget ``B``. Tables, black-box searches and the
    differentiated objective all come from here. A budget of 0 counts as 1.
    """

    budget: int
    excess: float = EXCESS_WEIGHT

    def penalty(self, drops: int) -> float:
        """Return ``λ max(0, N_drop − B) / B``."""
        return self._per_drop * max(0, drops - self.budget)

    def value(self, metrics: Metrics) -> float:
        """Return the shared objective of a rollout whose ``objective`` is the project's own."""
        return metrics.objective + self.penalty(metrics.drops_executed)

    def slope(self, drops: int) -> float:
        """Return what one more drop adds to the penalty.

        It is the cost that the straight-through gate differentiates.
        """
        return self._per_drop if drops > self.budget else 0.0

    def weights(self, weights: ObjectiveWeights, drops: int) -> ObjectiveWeights:
        """Return the project's weights with :meth:`slope` on top of ``λ_budget``.

        Their gradient is that of the shared objective.
        """
        return replace(weights, budget=weights.budget + self.slope(drops))

    @property
    def _per_drop(self) -> float:
        return self.excess / max(self.budget, 1)

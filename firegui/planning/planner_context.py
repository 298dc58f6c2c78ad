"""Input and protocol of the planners of the benchmark (paper, appendix ``planners``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from firegui.domain.settings import OptimizerSettings
from firegui.errors import Check
from firegui.planning.evaluations import Arrays, Evaluations
from firegui.rollout.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class PlannerContext:
    """The same for every planner.

    Frozen simulator, fleet and gates are in ``model``, the shared objective with its budget and the allowance in
    ``evaluations``; ``settings.seed`` is the seed of everything that a planner draws.
    """

    model: Model
    evaluations: Evaluations
    settings: OptimizerSettings

    @property
    def budget(self) -> int:
        """``B``."""
        return self.evaluations.objective.budget


class BudgetedPlanner(Protocol):
    """Planner of the benchmark.

    Its rollouts go through the context's evaluations, which keep the best schedule. One that begins with ``state`` goes
    on from there, with evaluations restored to the same moment, and ends with the bits of an unbroken one.
    """

    @property
    def dimension(self) -> int:
        """Number of variables that it searches, 0 for none."""

    @property
    def finished(self) -> bool:
        """Whether it has nothing more to do, or not enough of the allowance left to do it."""

    def advance(self, check: Check | None = None) -> None:
        """Run the next round, generation or epoch.

        After a cancelled call only the state from before it can be used.
        """

    def state(self) -> Arrays:
        """Return everything needed to go on. The arrays are not changed afterwards."""

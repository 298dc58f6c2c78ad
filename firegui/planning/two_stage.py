"""The second stage of a project's plan, with the trials that its settings ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from firegui.domain.schedule import Schedule
from firegui.domain.settings import PlanSettings
from firegui.planning.elimination import Elimination, EliminationState
from firegui.planning.robust import trials_of
from firegui.planning.trials import constrained_terms
from firegui.rollout.backend import kernel_threads
from firegui.rollout.model import Model


def eliminator(
    model: Model, plan: PlanSettings, reference: Schedule, checkpoint: Path | None = None,
    check: Callable[[], None] | None = None,
) -> Elimination:  # fmt: skip
    """The elimination of ``reference`` on ``model``, which is at design effectiveness (paper, section ``step5``).

    Goes on from ``checkpoint`` where there is one. Raises :class:`~firegui.errors.InputError` for one of another
    schedule.
    """
    settings, terms = plan.elimination, constrained_terms(plan.setting, plan.weights)
    trials = trials_of(model, reference, settings, terms, plan.optimizer.seed, check=check)
    state = None if checkpoint is None else EliminationState.load(checkpoint)
    ahead = kernel_threads() if model.backend == "cpu" else 1
    return Elimination(model, settings, trials, reference, ahead=ahead, state=state, check=check)

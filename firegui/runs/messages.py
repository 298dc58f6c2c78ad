"""What a run says at its end: why, and what to do next."""

from __future__ import annotations

import math

from firegui.domain.results import Metrics
from firegui.domain.settings import Effectiveness, OptimizerSettings, RetardantSide
from firegui.runs.run_folder import EliminationSummary, TacticalProgress
from firegui.runs.stages import FinishReason

FORMING_EPOCHS = 100
"""A plan without a drop is no surprise before so many epochs; after them, something is wrong with what was asked."""
NO_DROP_YET = (
    "no drop has formed yet; the first usually do after some 15 to 20 epochs at the default learning rate: "
    "raise the epochs"
)
RETARDANT_SIDES = {
    RetardantSide.BOTH: "both cells", RetardantSide.EMITTER: "emitting cell", RetardantSide.RECEIVER: "receiving cell",
}  # fmt: skip
"""Cells on which retardant acts, for people."""


def pair_text(effectiveness: Effectiveness) -> str:
    """Return ``0.85/0.75``: retardant, then water."""
    return f"{effectiveness.retardant:g}/{effectiveness.water:g}"


def counted(number: int, thing: str, things: str = "") -> str:
    """Return ``1 epoch`` or ``1,200 epochs``.

    ``things`` is an irregular plural.
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def finish_message(
    reason: FinishReason, settings: OptimizerSettings, done: int, best_epoch: int, best: float = math.nan
) -> str:
    """Say why stage 1 ended, with the remedy to go on. Epochs are counted from 1 for people.

    Only a run that was stopped is to be resumed: one that ended by itself has done what it was asked.
    ``best`` is the objective of the best plan at design effectiveness, NaN where it is not known.
    """
    kept = f"the best plan is from epoch {best_epoch + 1:,}"
    if math.isfinite(best):
        kept += f" (objective {best:.4g} at design effectiveness)"
    match reason:
        case FinishReason.PATIENCE:
            remedy = "raise the patience or the learning rate"
            return f"stopped after {counted(settings.patience, 'epoch')} without improvement; {kept}; {remedy}"
        case FinishReason.STOPPED if best_epoch < 0:
            return "stopped before the first epoch was done, so there is no plan yet; resume the run to get one"
        case FinishReason.STOPPED:
            return f"stopped on request after {counted(done, 'epoch')}; {kept}; resume the run to go on"
        case _:
            return f"completed {counted(done, 'epoch')}; {kept}; for a better one, raise the epochs"


def pruned_message(reason: FinishReason, pruned: EliminationSummary) -> str:
    """Return how the second stage ended, and its result."""
    done = f"{pruned.drops_before:,} drops pruned to {pruned.drops:,}"
    cost = f"{counted(pruned.passes, 'pass', 'passes')} and {counted(pruned.rollouts, 'rollout')}"
    then = ""
    if pruned.smoothed:
        then = f"; then the poses were smoothed over {counted(pruned.smoothed, 'epoch')}, which may exceed the slack"
    match pruned.finished:
        case "" | "minimal" if reason is FinishReason.STOPPED:
            return f"stopped on request while pruning: {done} so far, in {cost}{then}; resume the run to go on"
        case "minimal":
            return f"{done} in {cost}: no single remaining drop can be removed{then}"
        case "held":
            return f"{done} in {counted(pruned.passes, 'round')}: the plan holds in every scenario"
        case "leaking":
            rounds = counted(pruned.passes, "round")
            return f"{done} in {rounds}: with all drops, too, some scenarios exceed the limit"
        case "enough":
            return f"{done} in {cost}: as few as were to be kept{then}"
        case "allowance":
            return f"{done} in {cost}, when its allowance was used up; a larger one may remove more{then}"
        case _:
            return f"nothing pruned: the {pruned.drops_before:,} drops break a constraint of their own{then}"


def tactical_message(reason: FinishReason, swept: TacticalProgress | None) -> str:
    """Return how far the tactical heuristic came, if it began, and the next step."""
    if swept is None or swept.done == 0:
        return "stopped before the first pass was done, so there is no plan yet; resume the run to get one"
    if reason is FinishReason.STOPPED and swept.done < swept.passes:
        done = f"stopped on request after {swept.done} of {counted(swept.passes, 'pass', 'passes')}"
        return f"{done} of the tactical heuristic; the best so far is saved; resume the run to make them all"
    made = f"the tactical heuristic, best of {counted(swept.done, 'pass', 'passes')} at design effectiveness"
    return f"placed by rule, not searched for: {made}; with more time, a search finds better plans"


def gain_message(baseline: Metrics, plan: Metrics, epochs: int | None = None) -> str:
    """Compare the plan with the fire without drops in one sentence; ``epochs`` made it, if any did."""
    drops = counted(plan.drops_executed, "drop")
    text = f"objective {plan.objective:.4g} with {drops}, {baseline.objective:.4g} without"
    if plan.drops_executed == 0 and epochs is not None and epochs < FORMING_EPOCHS:
        return f"{text}; {NO_DROP_YET}"
    if plan.objective >= baseline.objective:
        text += "; the plan does not help: check the weights, the regions, the fleet, its grounded days and the"
        text += " operational constraints" + ("" if epochs is None else ", or run more epochs")
    return text


def engine_words(method: str, device_name: str) -> str:
    """Return the device and the method of a run as text: ``the CPU, active-front kernels``."""
    return f"{device_name}, {method}"

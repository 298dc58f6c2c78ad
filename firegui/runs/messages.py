"""What a run says at its end: why, and what to do next."""

from __future__ import annotations

import math

from firegui.domain.results import Metrics
from firegui.domain.settings import Margin, OptimizerSettings, PlanSettings
from firegui.domain.stress import StressTable, missed_text, search_test_text
from firegui.domain.units import percent_text
from firegui.runs.run_folder import EliminationSummary, TacticalProgress
from firegui.runs.stages import FinishReason

FORMING_EPOCHS = 100
"""A plan without a drop is no surprise before so many epochs; after them, something is wrong with what was asked."""
NO_DROP_YET = (
    "no drop has formed yet; the first usually do after some 15 to 20 search steps of the default size: "
    "allow more search steps"
)


def counted(number: int, thing: str, things: str = "") -> str:
    """Return ``1 step`` or ``1,200 steps``.

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
    kept = f"the best plan is from step {best_epoch + 1:,}"
    if math.isfinite(best):
        kept += f" (objective {best:.4g} at cautious effectiveness)"
    match reason:
        case FinishReason.PATIENCE:
            remedy = "for a better one, allow more steps without gain, or larger steps"
            return f"stopped after {counted(settings.patience, 'search step')} without gain; {kept}; {remedy}"
        case FinishReason.STOPPED if best_epoch < 0:
            return "stopped before the first search step was done, so there is no plan yet; resume the run to get one"
        case FinishReason.STOPPED:
            return f"stopped on request after {counted(done, 'search step')}; {kept}; resume the run to go on"
        case _ if done < settings.epochs:
            return f"did {counted(done, 'search step')}; {kept}"
        case _:
            return f"did {counted(done, 'search step')}; {kept}; for a better one, allow more search steps"


def pruned_message(
    reason: FinishReason, pruned: EliminationSummary, plan: PlanSettings, stress: StressTable | None = None
) -> str:
    """Return how the second stage ended, and its result; ``stress`` is the stress test of the plan."""
    if pruned.drops_before == 0 and reason is not FinishReason.STOPPED:
        return "no drops were removed, because the plan had none"
    done = f"{pruned.drops_before:,} drops reduced to {pruned.drops:,}"
    if pruned.drops == pruned.drops_before:
        done = f"no drop of {pruned.drops:,} could be removed"
    cost = f"{counted(pruned.passes, 'round')} and {counted(pruned.rollouts, 'fire simulation')}"
    then = ""
    if pruned.smoothed:
        then = f"; then the drops were moved over {counted(pruned.smoothed, 'search step')}, which may exceed the slack"
    match pruned.finished:
        case "" | "minimal" if reason is FinishReason.STOPPED:
            return f"stopped on request while removing drops: {done} so far, in {cost}{then}; resume the run to go on"
        case "minimal":
            return f"{done} in {cost}: no single remaining drop can be removed{then}"
        case "held":
            return f"{done} in {counted(pruned.passes, 'round')}: {_held_text(pruned, plan, stress)}"
        case "leaking":
            return f"{done} in {counted(pruned.passes, 'round')}: {_own_test_text(pruned)}"
        case "enough" if pruned.removed_to:
            return f"{done} in {cost}: {_held_text(pruned, plan, stress)}"
        case "enough":
            return f"{done} in {cost}: as few as were to be kept{then}"
        case "allowance":
            return f"{done} in {cost}, when its fire simulations were used up; more of them may remove more drops{then}"
        case _:
            return f"nothing removed: the {pruned.drops_before:,} drops break a constraint of their own{then}"


def _held_text(pruned: EliminationSummary, plan: PlanSettings, stress: StressTable | None) -> str:
    """Return in which test the plan of a removal held, as a clause."""
    if pruned.removed_to:
        return (
            f"with fewer, down to {pruned.removed_to:,}, it held on the random draws of the removal but not in the "
            "stress test"
        )
    if plan.margin.kind is Margin.DESIGN:
        return "the plan held in the model as drops were removed"
    if missed_text(stress, plan):
        return "the plan held on the random draws of the removal, but does not in the stress test"
    return "the plan held in every scenario as drops were removed"


def _own_test_text(pruned: EliminationSummary) -> str:
    """Return what the test of the removal came to, as a clause."""
    own = "in the test of the removal, on other random draws than those of the stress test, "
    return own + ("the plan does not hold" if pruned.missed is None else search_test_text(pruned.missed))


def kept_drops_text(
    pruned: EliminationSummary | None, plan: PlanSettings | None = None, stress: StressTable | None = None
) -> str:
    """Return why a plan may have more drops than it needs, as sentences; empty where it has not.

    ``stress`` is the stress test of the plan, whose settings are ``plan``. Where it holds there, it is not said that it
    does not hold.
    """
    if pruned is None:
        return ""
    match pruned.finished:
        case "minimal" | "held" | "enough":
            return ""
        case "leaking":
            own = _own_test_text(pruned)
            if stress is None or plan is None or missed_text(stress, plan):
                return (
                    f"More drops may be left than the limit needs: {own}. Continue from this plan to mend that first."
                )
            same = None if pruned.missed is None else stress.result_of(pruned.missed.scenario)
            tested = "" if same is None else f"; in the stress test {percent_text(same.held_share(plan.weights))}"
            return (
                f"The plan holds, but may have more drops than the limit needs: {own}{tested}. To remove them, "
                "continue from this plan."
            )
        case "allowance":
            return (
                "More drops may be left than the limit needs: the fire simulations allowed for removing them were used "
                "up."
            )
        case "":
            return "More drops may be left than the limit needs: their removal was stopped. Resume the run to go on."
        case _:
            return "No drop was removed, because the plan with all of its drops breaks a constraint of its own."


def tactical_message(reason: FinishReason, swept: TacticalProgress | None) -> str:
    """Return how far the quick plan came, if it began, and the next step."""
    if swept is None or swept.done == 0:
        return "stopped before the first round was done, so there is no plan yet; resume the run to get one"
    if reason is FinishReason.STOPPED and swept.done < swept.passes:
        done = f"stopped on request after {swept.done} of {counted(swept.passes, 'round')}"
        return f"{done} of the quick plan; the best so far is saved; resume the run to make them all"
    made = f"the best of {counted(swept.done, 'round')} at cautious effectiveness"
    return f"placed by rule, not searched for: {made}; with more time, a search finds better plans"


def gain_message(baseline: Metrics, plan: Metrics, epochs: int | None = None) -> str:
    """Compare the plan with the fire without drops in one sentence; ``epochs`` made it, if any did."""
    drops = counted(plan.drops_executed, "drop")
    text = f"objective {plan.objective:.4g} with {drops}, {baseline.objective:.4g} without"
    if plan.drops_executed == 0 and epochs is not None and epochs < FORMING_EPOCHS:
        return f"{text}; {NO_DROP_YET}"
    if plan.objective >= baseline.objective:
        text += "; the plan does not help: check the weights, the regions, the fleet, its grounded days and the"
        text += " operational constraints" + ("" if epochs is None else ", or allow more search steps")
    return text


def engine_words(method: str, device_name: str) -> str:
    """Return the device and the method of a run as text: ``the CPU, active-front kernels``."""
    return f"{device_name}, {method}"

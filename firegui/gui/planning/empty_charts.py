"""Why the charts of a run are empty: a stage that was not needed, not asked for, or not reached."""

from __future__ import annotations

from firegui.domain.settings import Setting
from firegui.gui.jobs.run_entry import RunEntry
from firegui.runs.stages import Stage

_TACTICAL = (
    "There are no curves: the quick plan places drops by rule, in three rounds, and searches for nothing. What "
    "came of it is under Result. A search can begin with its plan, and drops not needed can be removed: see the "
    "buttons over the list of runs."
)
_KEPT = "There are no curves: the schedule was saved as it was given. Nothing was searched or removed."
_GIVEN = "There are no curves of a search: this run only removes the drops that a given plan does not need."
_NOT_NEEDED = "There are no curves of a search, because none was needed: "
_FIRST_ONLY = "No drops were removed: the run was started to place drops only."
_NOT_REACHED = "No drops were removed: the run ended before that."
_REPLANNED = "A replanned run keeps no removal curve."
_NOT_KEPT = (
    "The run has no removal curve: it was made by an earlier version. Remove drops of its plan, or start "
    "it again, to get one."
)


def needs_no_first_stage(entry: RunEntry) -> bool:
    """Return whether the run was to have a first stage, whose beginning was good enough already."""
    return Stage.OPTIMIZE in entry.stages and entry.prunes and not len(entry.history) and not entry.replans


def why_no_first_stage(entry: RunEntry) -> str:
    """Return why the charts of the first stage stay empty; empty text where they do not."""
    if entry.tactical:
        return _TACTICAL
    if Stage.KEEP in entry.stages:
        return _KEPT
    if Stage.OPTIMIZE not in entry.stages:
        return _GIVEN
    return _NOT_NEEDED + not_needed_text(entry) if needs_no_first_stage(entry) else ""


def not_needed_text(entry: RunEntry) -> str:
    """Return why a run needed no first stage of its own."""
    if entry.source is not None:
        return "the plan that the run began with keeps the fire out of the regions already."
    setting = None if entry.project is None else entry.project.plan.setting
    if setting is Setting.B:
        return "the plan for the whole fire, with which the search begins, keeps the fire out of the regions already."
    return "the plan that it began with was good enough already."


def why_no_second_stage(entry: RunEntry) -> str:
    """Return why the charts of the second stage stay empty; empty text where they do not, or not yet."""
    if entry.prunes:
        return ""
    if entry.tactical:
        return _TACTICAL
    if Stage.KEEP in entry.stages:
        return _KEPT
    if Stage.PRUNE not in entry.stages:
        return _FIRST_ONLY
    return _NOT_REACHED if entry.is_over else ""


def why_no_curve(entry: RunEntry) -> str:
    """Return why a run has no removal curve yet, or none at all."""
    if entry.replans:
        return _REPLANNED
    reason = why_no_second_stage(entry)
    if reason:
        return reason
    return _NOT_KEPT if entry.is_over else "The removal curve begins when drops are removed."

"""Order, groups and search of the list of runs."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from functools import partial
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.settings import SETTING_TITLES, Margin
from firegui.domain.units import Units
from firegui.domain.values import ValueTerms
from firegui.gui.jobs.run_entry import RunEntry
from firegui.runs.messages import counted
from firegui.runs.stages import DONE_REASONS, FinishReason
from firegui.runs.titles import made_text

_DIGITS = 12
"""Digits of a number in a name while names are sorted."""


class RunOrder(StrEnum):
    """Orders of the list."""

    NEWEST = "Newest first"
    NAME = "Name"
    SAVED = "Most saved"
    REGIONS = "Least burned in regions"
    VALUES = "Least value lost"
    DROPS = "Fewest drops"
    VOLUME = "Least volume"
    COST = "Lowest cost"
    NIGHT = "Fewest drops at night"
    WORST = "Best worst case"


class RunGrouping(StrEnum):
    """Groups of the list."""

    NONE = "No groups"
    DAY = "By day"
    GOAL = "By goal"
    KIND = "By kind"
    STATE = "By state"


def saved_ha(entry: RunEntry) -> float | None:
    """Return the hectares that the plan saves; ``None`` if they are not known."""
    found = entry.summary
    if found is None or found.final_ha is None or found.final_ha_no_drops is None:
        return None
    return found.final_ha_no_drops - found.final_ha


def burned_in_regions(entry: RunEntry) -> float | None:
    """Return the hectares that burn in the protected regions.

    ``None`` without regions, and where it is not known.
    """
    found = None if entry.summary is None else entry.summary.all_regions
    return None if found is None else found.burned_ha


def values_lost(entry: RunEntry) -> float | None:
    """Return the share of the values at risk that is lost.

    ``None`` without values, and where it is not known.
    """
    return entry.nominal.loss_val if entry.nominal is not None and entry.nominal.value_lost else None


def gallons(entry: RunEntry) -> float | None:
    """Return the US gallons of the plan; ``None`` if they are not known."""
    return None if entry.summary is None else entry.summary.gallons


def flight_hours(entry: RunEntry) -> float | None:
    """Return the flight hours of the plan; ``None`` if they are not known."""
    return None if entry.summary is None else entry.summary.flight_hours


def cost(entry: RunEntry) -> tuple[float, str] | None:
    """Return the cost of the plan with its currency; ``None`` if it is not known."""
    found = entry.summary
    return None if found is None or found.cost is None else (found.cost, found.currency)


def night_drops(entry: RunEntry) -> int | None:
    """Return the drops at night; ``None`` if they are not known."""
    return None if entry.summary is None else entry.summary.night


def worst_share(entry: RunEntry) -> float | None:
    """Return the growth that the worst stress case leaves; ``None`` without a test."""
    return None if entry.stress is None else entry.stress.worst.share_worst


def group_of(entry: RunEntry, grouping: RunGrouping) -> str:
    """Return the heading of the group that a run belongs to; empty without groups."""
    match grouping:
        case RunGrouping.DAY:
            return _day_text(entry)
        case RunGrouping.GOAL:
            return "Other event" if entry.project is None else SETTING_TITLES[entry.project.plan.setting]
        case RunGrouping.KIND:
            return _kind_text(entry)
        case RunGrouping.STATE:
            return _state_text(entry)
    return ""


def arranged(entries: Iterable[RunEntry], search: str, order: RunOrder, grouping: RunGrouping) -> list[RunEntry]:
    """Return the runs that match every word of ``search``, in order and by groups.

    ``entries`` are the oldest first. Runs without a value of the order come last. A group stands where its first run
    would.
    """
    words = search.casefold().split()
    found = [entry for entry in reversed(list(entries)) if all(word in _searched(entry) for word in words)]
    if order is RunOrder.NAME:
        found.sort(key=lambda entry: name_key(entry.title))
    elif order is not RunOrder.NEWEST:
        found.sort(key=lambda entry: _key(entry, order))
    first: dict[str, int] = {}
    for entry in found:
        first.setdefault(group_of(entry, grouping), len(first))
    return sorted(found, key=lambda entry: first[group_of(entry, grouping)])


def name_key(title: str) -> str:
    """Return what names are sorted by: ``Run 10`` comes after ``Run 9``."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(_DIGITS), title.casefold())


def best_runs(entries: Iterable[RunEntry], units: Units = Units.METRIC) -> dict[Path, str]:
    """Return the best plan of each goal by its folder, with a sentence that says by what it is the best.

    Only finished plans of the same goal, days and effectiveness are compared, at least two. A plan that holds in every
    stress scenario is before one that was not tested, and that before one that does not hold. Then the burned area of
    the regions counts and then the values lost, if the goal has them, then the final size, then the drops. Where all
    plans end at the same limit, the drops come before the final size. Equal plans have no best one.
    """
    groups: dict[Hashable, list[RunEntry]] = {}
    for entry in entries:
        if _is_comparable(entry) and entry.project is not None:
            plan = entry.project.plan
            values = _counted_values(entry.project)
            goal = (plan.weights, values, plan.nominal, plan.start_day, plan.days, plan.margin.limit)
            groups.setdefault(goal, []).append(entry)
    found: dict[Path, str] = {}
    for group in groups.values():
        if len(group) < 2:
            continue
        drops_first = end_at_one_limit(group)
        rank = partial(_rank, drops_first=drops_first)
        best, second = sorted(group, key=rank)[:2]
        ranks = rank(best), rank(second)
        differs = next((at for at, (one, other) in enumerate(zip(*ranks, strict=True)) if one != other), None)
        if differs is not None and best.summary is not None:
            by = [
                "its stress test", "the least burned in regions", "the least value lost", "the smallest final size",
                "the fewest drops",
            ]  # fmt: skip
            if drops_first:
                by[3:] = reversed(by[3:])
            size = f"{best.summary.short_size_text(units)}, {counted(best.summary.drops, 'drop')}"
            found[best.folder] = f"Best of {len(group)} finished plans of this goal by {by[differs]}: {size}"
    return found


def end_at_one_limit(entries: Sequence[RunEntry]) -> bool:
    """Return whether drops were removed from all plans until the same limit.

    The fewest drops are best then. How far each fire stays below the limit is chance, and says little of the plans.
    """
    projects = [entry.project for entry in entries if entry.project is not None]
    if len(projects) < max(len(entries), 2) or not all(entry.ends_at_limit for entry in entries):
        return False
    first, *others = map(_limit, projects)
    return all(limit == first for limit in others)


def _limit(project: Project) -> tuple[object, ...]:
    """Return what a plan of ``project`` must hold: goal, limit, and the worlds of its test."""
    plan, margin = project.plan, project.plan.margin
    regions = project.regions if plan.weights.prot > 0.0 else ()
    stress = project.stress if margin.kind is Margin.STRESS else None
    values = _counted_values(project)
    return plan.weights, regions, values, margin.kind, margin.limit, stress, plan.design, plan.nominal


def _counted_values(project: Project) -> tuple[ValueTerms, ...]:
    """Return the values at risk that the goal of a project counts."""
    return tuple(layer.terms for layer in project.values) if project.plan.weights.val > 0.0 else ()


def _is_comparable(entry: RunEntry) -> bool:
    is_plan = entry.is_over and entry.reason in DONE_REASONS and not (entry.replans or entry.missing or entry.elsewhere)
    return is_plan and entry.summary is not None and entry.summary.final_ha is not None and not entry.has_other_regions


def _rank(entry: RunEntry, *, drops_first: bool) -> tuple[float, ...]:
    """Return what plans of one goal are compared by; the smallest is the best.

    Areas count as they are shown. ``drops_first`` puts the drops before the final size.
    """
    summary = entry.summary
    assert summary is not None and summary.final_ha is not None
    holds = 2.0 if entry.missed else 1.0 if entry.stress is None else 0.0
    regions = (burned_in_regions(entry) or 0.0) if summary.protects_regions else 0.0
    lost = (values_lost(entry) or 0.0) if summary.counts_values else 0.0
    size, drops = round(summary.final_ha, 1), float(summary.drops)
    return holds, round(regions, 1), round(lost, 3), *((drops, size) if drops_first else (size, drops))


def _key(entry: RunEntry, order: RunOrder) -> tuple[bool, float]:
    saved, paid = saved_ha(entry), cost(entry)
    values: dict[RunOrder, float | None] = {
        RunOrder.SAVED: None if saved is None else -saved, RunOrder.REGIONS: burned_in_regions(entry),
        RunOrder.VALUES: values_lost(entry), RunOrder.DROPS: entry.drops,
        RunOrder.COST: None if paid is None else paid[0],
        RunOrder.VOLUME: gallons(entry), RunOrder.NIGHT: night_drops(entry), RunOrder.WORST: worst_share(entry),
    }  # fmt: skip
    value = values[order]
    return value is None, 0.0 if value is None else float(value)


def _searched(entry: RunEntry) -> str:
    return "\n".join((entry.title, made_text(entry.folder), entry.folder.name, entry.status, entry.notes)).casefold()


def _day_text(entry: RunEntry) -> str:
    try:
        when = datetime.strptime(entry.folder.name[:8], "%Y%m%d")
    except ValueError:
        return "Day not known"
    return f"{when.day} {when:%b %Y}"


def _kind_text(entry: RunEntry) -> str:
    if entry.flies_loop:
        return "Exercises"
    if entry.replans:
        return "Replanned"
    return "Quick plans" if entry.tactical else "Plans"


def _state_text(entry: RunEntry) -> str:
    if not entry.is_over:
        return "At work"
    if entry.reason is FinishReason.FAILED:
        return "Failed"
    if entry.is_resumable:
        return "Can be resumed"
    if entry.missed:
        return "Finished, does not hold"
    return "Finished, inputs changed since" if entry.stale else "Finished"

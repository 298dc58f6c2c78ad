"""Summaries of the sections of the Plan workspace, shown below their headings while they are folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from firegui.domain.barriers import barriers_text
from firegui.domain.bases import serving
from firegui.domain.project import Project
from firegui.domain.settings import MARGIN_TITLES, SETTING_TITLES
from firegui.runs.messages import counted

_MOST_DAYS = 4
"""Number of grounded days up to which a summary names each."""


def goal_summary(project: Project) -> str:
    """Return goal, planned days and margin."""
    plan = project.plan
    margin = MARGIN_TITLES[plan.margin.kind]
    return f"{SETTING_TITLES[plan.setting]} · {counted(plan.days, 'day')} · margin: {margin[0].lower()}{margin[1:]}"


def regions_summary(project: Project) -> str:
    """Return the names of the protected regions and whether the settings protect them."""
    names = [region.name for region in project.regions]
    if not names:
        return "No region yet"
    listed = ", ".join(names) if len(names) <= 3 else counted(len(names), "region")
    return f"{listed}: not protected yet" if project.unprotected_regions else listed


def values_summary(project: Project) -> str:
    """Return the names of the value layers and whether the settings count them; empty without layers."""
    names = [layer.name for layer in project.values]
    if not names:
        return ""
    listed = ", ".join(names) if len(names) <= 3 else counted(len(names), "layer")
    return listed if project.plan.weights.val > 0.0 else f"{listed}: not in the goal yet"


def barriers_summary(project: Project) -> str:
    """Return how many lines and areas stop spread; empty without barriers."""
    return barriers_text(project.barriers)


def bases_summary(project: Project) -> str:
    """Return the number of bases and of the types whose turnarounds follow from them; empty without bases."""
    bases = project.operations.bases
    if not bases:
        return ""
    served = sum(bool(serving(bases, kind.id)) for kind in project.fleet.types)
    return f"{counted(len(bases), 'base')} for {counted(served, 'aircraft type')}"


def fleet_summary(project: Project) -> str:
    """Return the numbers of aircraft types and of aircraft."""
    fleet = project.planned_fleet
    return f"{counted(len(fleet.types), 'aircraft type')}, {fleet.n_aircraft:,} aircraft"


def grounding_summary(project: Project) -> str:
    """Return how many aircraft types are grounded on the worst day, and when any is."""
    types, days = project.planned_fleet.types, project.calendar.days
    grounded = [{day for day in kind.grounded_days if day < days} for kind in types]
    when = sorted(set().union(*grounded))
    if not when:
        return "All aircraft fly every day"
    on_each = [sum(day in one for one in grounded) for day in when]
    up_to = "up to " if len(set(on_each)) > 1 else ""
    many = f"{up_to}{max(on_each)} of {counted(len(types), 'type')} grounded"
    if len(when) > _MOST_DAYS:
        return f"{many}, on {len(when)} of {days} days"
    *first, last = (str(day + 1) for day in when)
    return f"{many}, on days {', '.join(first)} and {last}" if first else f"{many}, on day {last}"


def rules_summary(project: Project) -> str:
    """Return the rules that a plan keeps, and how many notes for crews there are."""
    operations = project.operations
    rules = (
        "drops in daylight only" if operations.daylight is not None else "",
        counted(len(operations.groundings), "grounding for part of a day", "groundings for part of a day"),
        "limited drops a day" if operations.sorties_per_day else "",
        f"at most {counted(operations.hard_cap, 'drop')}" if operations.hard_cap is not None else "",
        counted(len(operations.airspace), "airspace rule"),
        counted(len(operations.no_drop_zones), "no-drop zone"),
        counted(len(operations.pinned), "pinned drop"),
        counted(len(operations.frequencies), "frequency", "frequencies"),
        counted(len(operations.hazards), "hazard"),
    )
    kept = " · ".join(rule for rule in rules if rule and not rule.startswith("0 "))
    return f"{kept[0].upper()}{kept[1:]}" if kept else "No rule is set"


SECTION_SUMMARIES: Mapping[str, Callable[[Project], str]] = {
    "Objective": goal_summary,
    "Regions": regions_summary,
    "Values": values_summary,
    "Barriers": barriers_summary,
    "Fleet": fleet_summary,
    "Bases": bases_summary,
    "Calendar": grounding_summary,
    "Constraints": rules_summary,
}
"""Summary of a project by the name of the panel that edits this part of it."""

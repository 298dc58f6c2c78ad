"""Tables of a benchmark (paper, ``planner_benchmark``) for people: LaTeX, terminal and window."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firegui.domain.benchmark import (
    GRADIENT_CHARGE,
    PLANNERS,
    BenchmarkTable,
    DeploymentRow,
    Group,
    PlannerName,
    PlannerTask,
    SeedSpread,
    joined_deployment,
)
from firegui.domain.options import plain_number
from firegui.domain.project import Project
from firegui.domain.settings import SETTING_TITLES, Effectiveness, Setting
from firegui.domain.stress import case_text
from firegui.domain.units import percent_text
from firegui.runs.messages import counted
from firegui.runs.stages import FinishReason

BENCHMARK, COST, MATCHED = "planner_benchmark", "planner_cost", "planner_matched"
RESOURCES = "planner_resources"
FEASIBILITY, DEPLOYMENT, STRESS = "schedule_feasibility", "planner_deployment", "planner_stress"
BEST_FIRST = "The lowest objective comes first."
_WORST_CASE = (
    "Worst case is the largest share of the fire's growth that is left in a stress scenario; the scenario is that of"
    " the seed with the largest."
)
NOTHING = "–"
"""Where there is no number."""
_UNITS = ((172_800.0, 86_400.0, "d"), (3_600.0, 3_600.0, "h"), (60.0, 60.0, "min"))
"""From how many seconds on a unit is used, its seconds and its name."""


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table of texts: ``name`` is its file, the first ``left`` columns are words and the others numbers."""

    name: str
    title: str
    caption: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1


def printed_tables(table: BenchmarkTable, project: Project) -> tuple[PrintedTable, ...]:
    """Yield all tables; that at the matched allowance if asked for, that of stress if plans have it."""
    found = [benchmark_table(table, project), cost_table(table, project)]
    if any(task.matched for task in table.tasks):
        found.append(matched_table(table, project))
    if table.scenarios:
        found.append(stress_table(table, project))
    if any(group.used("gallons") for group in table.groups):
        found.append(resources_table(table, project))
    return (*found, feasibility_table(table, project), deployment_table(table, project))


def benchmark_table(table: BenchmarkTable, project: Project) -> PrintedTable:
    """Paper, Tables ``planner_benchmark`` and ``planner_benchmark_b``."""
    rows = tuple(
        (
            group.remark,
            drops_text(group),
            spread_text(group.metric("final_extent_cells"), cells_digits),
            spread_text(group.metric("occupancy_cell_days"), cells_digits),
            spread_text(group.metric("protected_cells"), cells_digits),
            objective_text(group) + (_before_penalty(group, table.budget) if _is_two_stage(group) else ""),
            *([worst_text(group)] if table.scenarios else []),
        )
        for group in table.groups
    )
    caption = [
        f"Planners under one simulator and one objective: {_facts(table, project)}.",
        *_allowances(table),
        _seeds(table),
        "Final size in cells, burned area over time in cell-days and protected fire in cells are sums of "
        f"probabilities of one fire simulation at expected effectiveness ({effectiveness_text(project.plan.nominal)}); "
        f"lower is better.",
        *([_WORST_CASE] if table.scenarios else []),
        BEST_FIRST,
        *_design(table, project),
        *_two_stage_over(table),
        *_unprotected(project),
        *unequal_effort(table),
        *dropless(table),
        *incomplete(table),
    ]
    worst = ("Worst case",) if table.scenarios else ()
    heads = ("Planner", "Drops", "Final extent", "Burned area over time", "Protected", "Objective", *worst)
    return PrintedTable(BENCHMARK, "Performance", " ".join(caption), heads, rows)


def cost_table(table: BenchmarkTable, project: Project) -> PrintedTable:
    """Paper, Table ``planner_cost``, with what a gradient epoch took beside what it is charged."""
    rows = tuple(
        (
            group.title,
            dimension_text(group),
            spread_text(group.evaluations, _whole),
            seconds_text(group.seconds),
            epoch_text(group),
        )
        for group in table.groups
    )
    caption = [
        f"What each planner searches and costs: {_facts(table, project)}.",
        *_allowances(table),
        "Search dimension is the number of variables searched, simulator evaluations are fire simulations, a"
        f" search step charged as {GRADIENT_CHARGE}; the last column is what a step took in simulations of the same"
        " schedules, beside that charge. Runtime is processor time of one thread.",
        "Planners without a search have a fixed cost and cannot use a larger allowance.",
        BEST_FIRST,
        _seeds(table),
        *incomplete(table),
    ]
    heads = ("Planner", "Search dim.", "Sim. evals", "Runtime (s)", "Step, took / charged")
    return PrintedTable(COST, "Cost", " ".join(caption), heads, rows)


def matched_table(table: BenchmarkTable, project: Project) -> PrintedTable:
    """Paper, Table ``planner_matched``: the two-stage plan, and others at what it cost."""
    groups = [group for group in table.groups if group.matched or group.planner is PlannerName.TWO_STAGE]
    rows = tuple(
        (
            PLANNERS[group.planner].title,
            dimension_text(group),
            drops_text(group),
            spread_text(group.metric("final_extent_cells"), cells_digits),
            spread_text(group.metric("protected_cells"), cells_digits),
            objective_text(group) + _before_penalty(group, table.budget),
            spread_text(group.evaluations, _whole),
        )
        for group in groups
    )
    allowance = f"{table.matched_allowance:,} fire simulations" if table.matched_allowance else "not yet known"
    caption = [
        f"Planners at the measured cost of the two-stage plan, {allowance}, one seed each: {_facts(table, project)}.",
        "Where drops exceed the budget, the objective before the penalty is in brackets.",
        BEST_FIRST,
        *_unprotected(project),
        *incomplete(table, lambda task: task.matched or task.planner is PlannerName.TWO_STAGE),
    ]
    heads = ("Planner", "Search dim.", "Drops", "Final extent", "Protected", "Objective", "Sim. evals")
    return PrintedTable(MATCHED, "Matched allowance", " ".join(caption), heads, rows)


def stress_table(table: BenchmarkTable, project: Project) -> PrintedTable:
    """Return the growth left under each planner's plans in each scenario of the project's stress set."""
    rows = tuple(
        (
            group.title,
            *(growth_text(group.growth_left(name)) for name in (None, *table.scenarios)),
            worst_text(group),
        )
        for group in table.groups
    )
    caption = [
        f"What holds in worlds that differ from the model: {_facts(table, project)}.",
        "Growth is what burns at the end beyond the start, over the same without drops in the same world; every number"
        f" is of the worst draw, with seed {project.stress.seed} of the stress set. {_WORST_CASE}",
        f"Scenarios: {'; '.join(case_text(one) for one in project.stress.scenarios if one.name in table.scenarios)}.",
        "Nobody replans. Plans without drops were not tested.",
        BEST_FIRST,
        _seeds(table),
        *incomplete(table),
    ]
    heads = ("Planner", "Model", *table.scenarios, "Worst case")
    return PrintedTable(STRESS, "Growth left in stress scenarios", " ".join(caption), heads, rows)


def resources_table(table: BenchmarkTable, project: Project) -> PrintedTable:
    """Return material, flight hours and cost of each planner's plans."""
    currency = project.fleet.currency
    rows = tuple(
        (group.title, drops_text(group), *(used_text(group, name) for name in ("gallons", "flight_hours", "cost")))
        for group in table.groups
    )
    unpriced = project.fleet.unpriced
    caption = [
        f"What the plans take: {_facts(table, project)}.",
        "A drop takes the turnaround of its type in flight hours. Cost is by the prices of the fleet.",
        *(
            [f"No price for {', '.join(unpriced)}: the cost of plans with their drops is not known."]
            if unpriced
            else []
        ),
        BEST_FIRST,
        _seeds(table),
        *incomplete(table),
    ]
    heads = ("Planner", "Drops", "US gallons", "Flight hours", f"Cost ({currency})")
    return PrintedTable(RESOURCES, "Material, flight hours and cost", " ".join(caption), heads, rows)


def feasibility_table(table: BenchmarkTable, project: Project) -> PrintedTable:
    """Return the paper's Table ``schedule_feasibility``, with our other rules in one more column."""
    rows = []
    for group in table.groups:
        found = group.violations
        counts = (found.grounded, found.turnaround, found.simultaneous, found.others)
        sums = tuple(f"{count:,}" for count in counts)
        rows.append((group.title, spread_text(group.candidates, _whole), drops_text(group), *sums))
    caption = [
        f"Audit of the executed drops, derived again from each schedule alone: {_facts(table, project)}.",
        "Candidates are drops proposed before the gates, executed those that the simulator performs, both means over"
        " the seeds; violations are sums over them. Grounded: a drop on a day on which the aircraft is grounded."
        " Turnaround: two drops of one aircraft closer together than its turnaround time. Simultaneous: more than one"
        " drop of one aircraft in a step. Other rules: those of the project's operations, the raster, and drops that"
        " the paper's rules let through but the simulator withheld.",
        BEST_FIRST,
        _seeds(table),
        *incomplete(table),
    ]
    heads = ("Planner", "Candidate", "Executed", "Grounded", "Turnaround", "Simultaneous", "Other rules")
    return PrintedTable(FEASIBILITY, "Audit", " ".join(caption), heads, tuple(rows))


def deployment_table(table: BenchmarkTable, project: Project) -> PrintedTable:
    """Paper, Table ``planner_deployment``, from what was measured here."""
    caption = [
        f"Best planner for the time you have: {_facts(table, project)}.",
        "Of the planners whose slowest seed fits into the time, the one with the lowest mean objective. Runtime is"
        " that seed's processor time in one thread on the machine of this benchmark, for the allowance it was run"
        " with; extent reductions are means, against the fire without drops. All of it holds in the simulator, whose"
        " answer to drops has not been validated.",
        *incomplete(table),
    ]
    heads = ("Decision", "Time available", "Planner", "Runtime", "Objective", "Extent reduction")
    rows = tuple(_deployed(row) for row in joined_deployment(table))
    return PrintedTable(DEPLOYMENT, "Best planner for the time", " ".join(caption), heads, rows, left=3)


def _deployed(row: DeploymentRow) -> tuple[str, ...]:
    time = time_available_text(row)
    if row.group is None or row.seconds is None:
        return (row.decision, time, "none of those run takes so little", NOTHING, NOTHING, NOTHING)
    reduction = NOTHING if row.reduction is None else percent_text(row.reduction, 1)
    return (row.decision, time, row.group.remark, duration_text(row.seconds), objective_text(row.group), reduction)


def incomplete(table: BenchmarkTable, about: Callable[[PlannerTask], bool] = lambda _: True) -> list[str]:
    """Yield a sentence that names the tasks of ``about`` that are not done; nothing where all are done."""
    asked = [task for task in table.tasks if about(task)]
    missing: dict[tuple[PlannerName, bool], list[str]] = {}
    for task in table.missing:
        if about(task):
            missing.setdefault((task.planner, task.matched), []).append(str(task.seed))
    if not missing:
        return []
    done = len(asked) - sum(map(len, missing.values()))
    named = [
        f"{Group(planner, matched, ()).title} (seed{'' if len(seeds) == 1 else 's'} {', '.join(seeds)})"
        for (planner, matched), seeds in missing.items()
    ]
    return [f"Incomplete: {done} of {counted(len(asked), 'task')} done; still missing: {'; '.join(named)}."]


def dropless(table: BenchmarkTable) -> list[str]:
    """Yield a sentence that names the planners without a drop in any seed; nothing where all have drops."""
    found = [group.title for group in table.groups if group.is_dropless]
    if not found:
        return []
    allowance = f"within the allowance of {table.settings.allowance:,} fire simulations"
    return [f"Found nothing better than no drops {allowance}: {'; '.join(found)}. Allow more to compare them."]


def unequal_effort(table: BenchmarkTable) -> list[str]:
    """Yield a sentence that names the planners that spent more than the shared allowance, if any."""
    allowance = table.settings.allowance
    over = [group for group in table.groups if not group.matched and group.evaluations.mean > 1.05 * allowance]
    if not over:
        return []
    spent = "; ".join(f"{group.title} {group.evaluations.mean:,.0f}" for group in over)
    return [
        f"Effort is not equal: others were allowed {allowance:,} fire simulations and these spent more: {spent}. Rank "
        "them beside planners at the matched allowance."
    ]


def time_available_text(row: DeploymentRow) -> str:
    """Return the time that a decision leaves: ``10 min``, or ``10 s to 10 min`` where rows were joined."""
    first = duration_text(row.available)
    return first if row.longest is None else f"{first} to {duration_text(row.longest)}"


def spread_text(spread: SeedSpread, digits: Callable[[float], int]) -> str:
    """Return ``1,033 ± 3`` with the decimals of its mean, or the mean alone where nothing varies."""
    places = digits(spread.mean)
    return f"{spread.mean:,.{places}f}" + (f" ± {spread.sd:,.{places}f}" if spread.sd else "")


def growth_text(spread: SeedSpread | None) -> str:
    """Return a share of the growth as text: ``62.5 %``, ``62.5 ± 1.2 %``."""
    if spread is None:
        return NOTHING
    percent = SeedSpread(100.0 * spread.mean, None if spread.sd is None else 100.0 * spread.sd)
    return f"{spread_text(percent, lambda _: 1)} %"


def worst_text(group: Group) -> str:
    """Return the growth that is left in the worst scenario, and its name: ``62.5 % (late)``."""
    scenario = f" ({group.worst_scenario})" if group.worst_scenario else ""
    return f"{growth_text(group.worst_growth_left)}{scenario}"


def cells_digits(value: float) -> int:
    """Decimals of a number of cells."""
    return 0 if abs(value) >= 100.0 or value == 0.0 else 1


def objective_digits(value: float) -> int:
    """Decimals of an objective: two, and three significant digits at least."""
    return 2 if value == 0.0 else min(max(2, 2 - math.floor(math.log10(abs(value)))), 9)


def objective_text(group: Group) -> str:
    """Return the shared objective."""
    return spread_text(group.objective, objective_digits)


def drops_text(group: Group) -> str:
    """Return the executed drops."""
    return spread_text(group.metric("drops_executed"), _whole)


def used_text(group: Group, name: str) -> str:
    """Return gallons, flight hours or cost of a planner's plans; a dash where they are not known."""
    spread = group.used(name)
    return NOTHING if spread is None else spread_text(spread, used_digits(name))


def used_digits(name: str) -> Callable[[float], int]:
    """Return the decimals of gallons, flight hours or a cost."""
    return lambda _: int(name == "flight_hours")


def dimension_text(group: Group) -> str:
    """Variables searched."""
    return f"{max(row.dimension for row in group.rows):,}"


def seconds_text(seconds: SeedSpread) -> str:
    """Processor time as a number of seconds: ``301.7``, ``5.23 ± 0.14``, ``<0.01``."""
    if seconds.mean < 0.01:
        return "<0.01"
    return spread_text(seconds, lambda value: 1 if value >= 10.0 else 2 if value >= 1.0 else 3)


def epoch_text(group: Group) -> str:
    """Return the measured and the charged cost of a gradient epoch in rollouts: ``2.05 / 3``."""
    cost = group.gradient_cost
    return NOTHING if cost is None else f"{spread_text(cost, lambda _: 2)} / {GRADIENT_CHARGE}"


def duration_text(seconds: float) -> str:
    """Return a duration in two digits, as in a table of deadlines: ``5.2 s``, ``7 min``, ``no limit``."""
    if math.isinf(seconds):
        return "no limit"
    if seconds < 0.095:
        return "<0.1 s"
    for least, size, unit in _UNITS:
        if seconds >= least:
            return f"{_two_digits(seconds / size)} {unit}"
    return f"{_two_digits(seconds)} s"


def effectiveness_text(effectiveness: Effectiveness) -> str:
    """Return ``retardant 0.9, water 0.9``."""
    return f"retardant {effectiveness.retardant:g}, water {effectiveness.water:g}"


def setting_text(project: Project) -> str:
    """Return ``goal: keep the whole fire small, weights burn 50, final 50, protected 0, drop 0.000001``."""
    plan, weights = project.plan, project.plan.weights
    goal = SETTING_TITLES[plan.setting]
    name = "own weights" if plan.setting is Setting.CUSTOM else f"goal: {goal[:1].lower()}{goal[1:]}, weights"
    drop = plain_number(weights.budget)
    return f"{name} burn {weights.burn:g}, final {weights.final:g}, protected {weights.prot:g}, drop {drop}"


def _two_digits(value: float) -> str:
    return f"{value:,.1f}".removesuffix(".0") if value < 9.95 else f"{value:,.0f}"


def _whole(_: float) -> int:
    return 0


def _facts(table: BenchmarkTable, project: Project) -> str:
    days = counted(project.plan.days, "day")
    if table.budget:
        budget = f"a soft limit of {counted(table.budget, 'drop')} (twice as many cost λ = {table.settings.excess:g})"
    else:
        budget = "a soft limit on drops that the two-stage plan will give"
    model = project.fire_model.label
    return f"{project.scenario.name}, {days}, fire model {model}, {setting_text(project)}, {budget}"


def _allowances(table: BenchmarkTable) -> list[str]:
    found = [f"Each search was allowed {table.settings.allowance:,} fire simulations."]
    if table.matched_allowance and any(task.matched for task in table.tasks):
        allowance = f"{table.matched_allowance:,}, what the two-stage plan cost"
        found.append(f"Rows at the matched allowance had {allowance}, and one seed.")
    if any(task.planner is PlannerName.TWO_STAGE for task in table.tasks):
        found.append("The two-stage plan has the cost that it has, outside the shared allowance.")
    return found


def _seeds(table: BenchmarkTable) -> str:
    if table.settings.seeds == 1:
        return "Every number is of one seed."
    return (
        f"Mean ± standard deviation over {table.settings.seeds} seeds; a number without ± is of a single run or the"
        " same in all."
    )


def _design(table: BenchmarkTable, project: Project) -> list[str]:
    if not any(task.planner is PlannerName.GRADIENT_DESIGN for task in table.tasks):
        return []
    return [
        f"{PLANNERS[PlannerName.GRADIENT_DESIGN].title}: searched at {effectiveness_text(project.plan.design)}, and"
        " scored like the others."
    ]


def _unprotected(project: Project) -> list[str]:
    return [] if project.regions else ["No region is protected."]


def _is_two_stage(group: Group) -> bool:
    return group.planner is PlannerName.TWO_STAGE


def _two_stage_over(table: BenchmarkTable) -> list[str]:
    """Explain the brackets, where the two-stage plan was made without the budget it is scored under."""
    if not any(_is_two_stage(group) and _before_penalty(group, table.budget) for group in table.groups):
        return []
    return ["The two-stage plan was not asked to keep to this budget; its objective before the penalty is in brackets."]


def _before_penalty(group: Group, budget: int) -> str:
    if not budget or all(row.metrics.drops_executed <= budget for row in group.rows):
        return ""
    return f" ({spread_text(group.metric('objective'), objective_digits)})"


def benchmark_message(
    table: BenchmarkTable, reason: FinishReason, failed: Mapping[PlannerTask, str], obstacle: str = ""
) -> str:
    """Summarize the table in one sentence; say of an unfinished one how far it came, and why."""
    done, asked = len(table.rows), counted(len(table.tasks), "task")
    if reason is FinishReason.STOPPED:
        return f"stopped on request after {done} of {asked}; resume to go on"
    if reason is FinishReason.FAILED:
        whys = [f"{task.name}: {why}" for task, why in sorted(failed.items())] + ([obstacle] if obstacle else [])
        again = "" if obstacle else "; resume to try again"
        return f"{done} of {asked} done and kept; {'; '.join(whys)}{again}"
    best = table.groups[0]
    spent = f"; the best used {best.evaluations.mean:,.0f} fire simulations" if unequal_effort(table) else ""
    text = f"lowest mean objective {best.objective.mean:.4g}: {best.title}"
    return f"{asked} under a budget of {counted(table.budget, 'drop')}{spent}; {text}"

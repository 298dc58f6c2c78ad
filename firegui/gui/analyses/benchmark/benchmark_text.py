"""Texts of a benchmark in the window: short names, a headline and its caveats."""

from __future__ import annotations

from collections.abc import Iterator

from firegui.analyses.benchmark.report import dropless, effectiveness_text, incomplete, objective_text, unequal_effort
from firegui.analyses.benchmark.results import BenchmarkHeader
from firegui.domain.benchmark import GRADIENT_CHARGE, PLANNERS, BenchmarkTable, PlannerName, PlannerTask
from firegui.domain.project import Project
from firegui.domain.settings import SETTING_TITLES
from firegui.runs.messages import counted

Tasks = frozenset[PlannerTask]
NOTHING = "No benchmark is shown: run one, or open an earlier one."


def group_name(planner: PlannerName, matched: bool) -> str:
    """Return the short name of a line of the table."""
    return PLANNERS[planner].short + (", two-stage cost" if matched else "")


def task_name(task: PlannerTask) -> str:
    """Return a name such as ``Gradient, two-stage cost (seed 0)``; the fire without drops has no seed."""
    seed = "" if task.planner is PlannerName.NONE else f" (seed {task.seed})"
    return f"{group_name(task.planner, task.matched)}{seed}"


def head_text(table: BenchmarkTable, project: Project) -> str:
    """Return one line on what a benchmark compares and how much of it is done."""
    done, asked = len(table.rows), len(table.tasks)
    parts = [f"{asked} tasks" if done >= asked else f"incomplete: {done} of {asked} tasks"]
    parts += [SETTING_TITLES[project.plan.setting], f"scored with {effectiveness_text(project.plan.nominal)}"]
    source = "" if table.settings.budget else ", the two-stage plan's"
    parts.append(f"budget {counted(table.budget, 'drop')}{source}" if table.budget else "budget not known yet")
    parts.append(f"allowance {table.settings.allowance:,}")
    return " · ".join(parts)


def conclusion_text(table: BenchmarkTable) -> str:
    """Return the planners with the two lowest mean objectives; empty for a single planner."""
    groups = [group for group in table.groups if not group.matched]
    if len(groups) < 2:
        return ""
    best, second = (f"{group.title} ({objective_text(group)})" for group in groups[:2])
    return f"Lowest objective: {best}, then {second}."


def notes(table: BenchmarkTable, header: BenchmarkHeader | None, project: Project) -> Iterator[str]:
    """Yield the caveats of a benchmark, each in one or two sentences."""
    yield from incomplete(table)
    yield from unequal_effort(table)
    yield from dropless(table)
    if header is not None:
        yield from header.notes
    nominal = effectiveness_text(project.plan.nominal)
    yield (
        f"Every line is scored at expected effectiveness ({nominal}) by one fire simulation. The objective has"
        f" in it the penalty for drops over the budget, {table.settings.excess:g} for a budget more. Lower is better."
    )
    yield (
        f"A search step is charged as {GRADIENT_CHARGE} fire simulations, whatever it takes. The column “Search step” "
        "has what it took in fire simulations of the same schedules; where that is less, the charge favours the other "
        "planners."
    )
    machine = f" of this machine: {header.machine}" if header is not None and header.machine else ""
    yield (
        f"Runtimes are processor seconds of one thread{machine}. On another machine, or with more threads, they differ."
    )
    if table.matched_allowance and any(task.matched for task in table.tasks):
        cost = f"{table.matched_allowance:,} fire simulations"
        yield f"Lines with “two-stage cost” had what the two-stage plan cost, {cost}, and one seed."
    if {task.planner for task in table.tasks} & {PlannerName.CMA_ES, PlannerName.CMA_ES_NATIVE}:
        yield (
            "Evolution (CMA-ES) improves a population of plans without gradients: coarse with one choice for each "
            "aircraft and day, fine with one for each step."
        )
    yield (
        "For a time available “Best planner for your time” names the one with the lowest mean objective of those whose "
        "slowest seed fits into it, with the whole of its allowance: no shorter run of a search was measured."
    )
    yield (
        "All of this holds in the simulator, whose answer to drops has not been validated: a planner that searches"
        " longer may also find its weaknesses."
    )


def curves_note(*, diamonds: bool) -> str:
    """Return the key of the convergence chart; searches at the design effectiveness have ``diamonds``."""
    note = "Best so far as it was searched · dotted: fixed cost, two-stage · dashed: at the two-stage plan's cost"
    return f"{note} · ◆ score at expected effectiveness" if diamonds else note


DEPLOYMENT_NOTE = "One thread here, whole allowance · in the simulator, whose answer to drops has not been validated"

"""Violations of every rule in the plans of all planners: the proof that they keep the rules.

    python tests/performance/every_rule.py PROJECT.firegui --out DIR [--planners all] [--allowance 30] [--budget 40]

Run it from the repository with ``PYTHONPATH=.``. The project gets every rule at once: daylight, groundings, grounded
days, sorties, cap, airspace, a no-drop zone, pinned drops, bases with hours, flight and duty hours, limits of wind and
gusts, with values at risk and the cost of drops in its goal, and two barriers, one of them from the middle of the plan
on. Then the benchmark makes a plan by every planner, the default plan among them, and ``firegui tactical`` makes the
quick plan. Each is audited by code that shares nothing with the gates. The rules are made to fit the fire and are no
rules of a real operation.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from pathlib import Path

import numpy as np

import firegui
from firegui.cli.main import main as command
from firegui.domain.airspace import AirspaceRule
from firegui.domain.barriers import Barrier, BarrierKind
from firegui.domain.bases import Base, BaseKind
from firegui.domain.operations import Daylight, Grounding, Operations, PinnedDrop
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Margin, ObjectiveWeights, Setting
from firegui.domain.stress import StressScenario, StressSet
from firegui.domain.values import ValueLayer
from firegui.io.project.store import load_project, save_project
from firegui.planning.audit import Conditions, audit, stated_use
from firegui.planning.flight_rules import flight_rules, most_drops_of, rule_problems
from firegui.planning.problem import build, with_burning_centres
from firegui.rollout.gates import gates_of
from firegui.rollout.simulate import simulate

PINS, SHORT_REMOVAL = 2, 40


@dataclass(frozen=True, slots=True)
class AuditedPlan:
    """Plan of a planner: its executed drops, and a sentence for each violation."""

    planner: str
    drops: int
    violations: tuple[str, ...]


def with_every_rule(project: Project, epochs: int, budget: int = 0) -> Project:
    """Return ``project`` with every rule at once, fitted to its fleet, its wind and its fire.

    The default plan is short: ``epochs``, and a removal that keeps half of the ``budget``.
    """
    grid, calendar, kinds = project.scenario.grid, project.calendar, project.fleet.types
    speed = np.asarray(project.planned_wind[0][np.arange(len(project.planned_wind[0]))], np.float64)
    limit = float(np.quantile(speed, 0.9))
    types = tuple(
        replace(
            kind, cruise_ms=kind.cruise_ms or 80.0, target_min=6.0, most_flight_h=6.0, most_duty_h=9.0,
            most_wind_ms=limit if number % 2 else None, most_gust_ms=2.0 * limit if not number % 2 else None,
            hour_price=3000.0 + 500.0 * number, gallon_price=3.0,
        )
        for number, kind in enumerate(kinds)
    )  # fmt: skip
    served, last = tuple(kind.id for kind in types[:-1]) or (types[0].id,), types[-1].id
    start_of_fire = project.scenario.fire_on(project.plan.start_day)
    assert start_of_fire is not None
    rows, columns = np.nonzero(start_of_fire)
    y, x = float(rows.mean()), float(columns.mean())
    away = 15_000.0 / grid.cell_size_m
    bases = (
        Base("Day base", BaseKind.AIRTANKER, y, x - away, 12.0, 7.0, 19.0, served),
        Base("Night base", BaseKind.RELOAD, y + 2.0 * away, x, 20.0, serves=served),
    )
    start = calendar.start.replace(hour=0, minute=0)
    shift = timedelta(hours=calendar.utc_offset_h)
    groundings = tuple(
        Grounding(name, start - shift + timedelta(hours=12.0 + number), start - shift + timedelta(hours=15.0 + number))
        for number, name in enumerate((f"{types[0].id}-1", last))
    )
    size = max(2, grid.rows // 12)
    top, left = max(int(y) - 2 * size, 0), max(int(x) - size // 2, 0)
    zone = Region.rectangle("Reservoir", (top, top + size), (left, min(left + size, grid.columns)))
    rules = Operations(
        daylight=Daylight() if grid.is_georeferenced and calendar.is_dated else None, groundings=groundings,
        sorties_per_day={types[0].id: 3}, no_drop_zones=(zone,),
        bases=bases, gust_factor=2.0, airspace=(
            AirspaceRule(1, 60.0, 2.0 * grid.cell_size_m), AirspaceRule(3, 45.0, 12.0 * grid.cell_size_m),
            AirspaceRule(4, 60.0, None, served),
        ),
    )  # fmt: skip
    weights = replace(ObjectiveWeights.of(Setting.A), cost=1e-3, val=1.0)
    plan = replace(
        project.plan, setting=Setting.CUSTOM, weights=weights, optimizer=replace(project.plan.optimizer, epochs=epochs),
        margin=replace(project.plan.margin, kind=Margin.NONE),
        elimination=replace(project.plan.elimination, allowance=SHORT_REMOVAL, keep=budget // 2),
    )  # fmt: skip
    homes = np.zeros(grid.shape, np.float32)
    homes[:: max(grid.rows // 20, 1), :: max(grid.columns // 20, 1)] = 1.0
    fleet, weak = replace(project.fleet, types=types), StressScenario("weak", effectiveness=project.plan.design)
    low, right = min(int(y) + size, grid.rows - 1), min(int(x) + size, grid.columns - 1)
    edge = max(top - 0.5, 0.5)
    corners = ((low, right), (low, grid.columns), (grid.rows, grid.columns), (grid.rows, right))
    barriers = (
        Barrier("Dozer line", BarrierKind.DOZER, (((edge, 0.0), (edge, float(grid.columns))),), width_m=4.0,
                strength=0.9, exists_from=calendar.start + timedelta(days=project.plan.days / 2)),
        Barrier("Lake", BarrierKind.RIVER, areas=((tuple((float(r), float(c)) for r, c in corners),),)),
    )  # fmt: skip
    ruled = replace(project, fleet=fleet, operations=rules, plan=plan, stress=StressSet((weak,)), barriers=barriers)
    ruled = with_burning_centres(ruled.with_value_layer(ValueLayer.of("Synthetic homes", "made up", homes)), "cpu")
    pinned = replace(ruled, operations=replace(rules, hard_cap=max(most_drops_of(ruled) // 2, PINS + 1)))
    return _with_pins(pinned, y, x)


def _with_pins(project: Project, y: float, x: float) -> Project:
    """Return ``project`` with :data:`PINS` pinned drops near the fire that keep every other rule."""
    calendar, fleet, grid = project.calendar, project.planned_fleet, project.scenario.grid
    noon = calendar.steps_per_day // 2
    steps = sorted(range(min(2 * calendar.steps_per_day, calendar.n_steps)), key=lambda step: abs(step - noon))
    places = np.stack(np.meshgrid(*(np.linspace(0.0, n - 1.0, 7) for n in grid.shape), indexing="ij"), axis=-1)
    near = sorted(places.reshape(-1, 2).tolist(), key=lambda place: abs(place[0] - y) + abs(place[1] - x))
    for step in steps:
        for tail in fleet.tails[:: max(len(fleet.tails) // 4, 1)]:
            pins = project.operations.pinned
            if tail.name in [one.aircraft for one in pins]:
                continue
            for row, column in near[1:12:2]:
                pin = PinnedDrop(calendar.time_of_step(step), tail.name, row, column, 0.4)
                more = replace(project, operations=replace(project.operations, pinned=(*pins, pin)))
                if not more.operations.problems(fleet, calendar, grid) and not rule_problems(more):
                    project = more
                    break
            if len(project.operations.pinned) == PINS:
                return project
    raise ValueError("no pinned drop fits the rules")


def audited(project: Project, planner: str, schedule: Schedule) -> AuditedPlan:
    """Audit the drops of ``schedule`` that the gates execute, and what the plan states of them."""
    project = with_burning_centres(project, "cpu")
    model = build(project, project.plan.nominal, "cpu")
    assert flight_rules(project) is not None
    flown = gates_of(schedule, model.fleet, model.maps, model.rules).executed
    drops = [(int(step), int(column)) for step, column in np.argwhere(flown)]
    metrics = simulate(model, schedule).metrics
    found = audit(
        schedule, model.fleet, model.maps.steps_per_day, model.shape, drops, conditions=Conditions.of(project),
        stated=[stated_use(drops, metrics)],
    )  # fmt: skip
    return AuditedPlan(planner, len(drops), found.violations)


def audited_plans(
    project: Project, out: Path, *, planners: str | Sequence[str] = "all", allowance: int = 30, budget: int = 0
) -> Iterator[AuditedPlan]:
    """Yield the audited plan of every planner of the benchmark and the quick plan.

    The default plan is the two-stage plan of the benchmark.
    """
    folder = out / "ruled.firegui"
    save_project(project, folder)
    report = firegui.benchmark(
        folder, planners=planners, seeds=1, allowance=allowance, budget=budget, processes=1, out=out / "benchmark"
    )
    for row in report.table.rows:
        broken = {name: count for name, count in asdict(row.violations).items() if count}
        yield AuditedPlan(row.task.name, row.metrics.drops_executed, tuple(f"{broken[name]} {name}" for name in broken))
    quick = out / "quick"
    command(["tactical", str(folder), "--out", str(quick)], standalone_mode=False)
    schedule = firegui.evaluate(folder, quick).schedule
    assert schedule is not None
    yield audited(project, "quick plan", schedule)


def main() -> None:
    """Print a line for every plan."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--planners", default="all")
    parser.add_argument("--allowance", type=int, default=30)
    parser.add_argument("--budget", type=int, default=40, help="soft limit on drops of the planners")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--days", type=int, default=0, help="planned days, 0 for those of the project")
    given = parser.parse_args()
    project = load_project(given.project)
    days = given.days or project.plan.days
    ruled = with_every_rule(replace(project, plan=replace(project.plan, days=days)), given.epochs, given.budget)
    given.out.mkdir(parents=True)
    for plan in audited_plans(
        ruled, given.out, planners=given.planners, allowance=given.allowance, budget=given.budget
    ):
        print(f"{plan.planner:28} {plan.drops:6,} drops  {len(plan.violations):4,} violations", flush=True)
        for sentence in plan.violations[:5]:
            print(f"    {sentence}", flush=True)


if __name__ == "__main__":
    main()

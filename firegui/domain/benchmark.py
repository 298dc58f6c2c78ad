"""Planner benchmark: settings, tasks and rows (paper, section ``planner_benchmark``).

The planners are described in the paper's appendix ``planners``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from statistics import fmean, stdev

from firegui.domain.options import bounds_problems, option
from firegui.domain.results import Metrics, Violations
from firegui.domain.settings import MORE
from firegui.domain.stress import StressTable, scenario_names
from firegui.errors import Problem


class PlannerName(StrEnum):
    """A planner of the benchmark, as commands and files call it."""

    NONE = "none"
    UNIFORM = "random-uniform"
    FOOTPRINT = "random-footprint"
    TACTICAL = "tactical"
    GREEDY = "greedy"
    CMA_ES = "cma-es"
    CMA_ES_NATIVE = "cma-es-native"
    DIFFERENTIAL_EVOLUTION = "differential-evolution"
    PARTICLE_SWARM = "particle-swarm"
    GRADIENT = "gradient"
    GRADIENT_DESIGN = "gradient-design"
    GRADIENT_TACTICAL = "gradient-tactical"
    TWO_STAGE = "two-stage"


@dataclass(frozen=True, slots=True)
class PlannerCard:
    """Long and short display name of a planner, and the package that it needs."""

    title: str
    short: str
    package: str = ""


PLANNERS: Mapping[PlannerName, PlannerCard] = {
    PlannerName.NONE: PlannerCard("No drops", "No drops"),
    PlannerName.UNIFORM: PlannerCard("Random (anywhere)", "Random, anywhere"),
    PlannerName.FOOTPRINT: PlannerCard("Random (burn footprint)", "Random, where it burns"),
    PlannerName.TACTICAL: PlannerCard("Quick plan (by rule)", "Quick plan"),
    PlannerName.GREEDY: PlannerCard("Greedy marginal benefit", "Greedy"),
    PlannerName.CMA_ES: PlannerCard("CMA-ES (daily basis)", "Evolution, coarse", "cma"),
    PlannerName.CMA_ES_NATIVE: PlannerCard("CMA-ES (native space, diagonal)", "Evolution, fine", "cma"),
    PlannerName.DIFFERENTIAL_EVOLUTION: PlannerCard("Differential evolution", "Differential evolution", "nevergrad"),
    PlannerName.PARTICLE_SWARM: PlannerCard("Particle swarm", "Particle swarm", "nevergrad"),
    PlannerName.GRADIENT: PlannerCard("Budgeted gradient", "Gradient"),
    PlannerName.GRADIENT_DESIGN: PlannerCard("Budgeted gradient, cautious effectiveness", "Gradient, cautious"),
    PlannerName.GRADIENT_TACTICAL: PlannerCard("Budgeted gradient, quick-plan start", "Gradient, quick-plan start"),
    PlannerName.TWO_STAGE: PlannerCard("Two-stage", "Two-stage"),
}

ALWAYS_ONE_SEED = frozenset({PlannerName.NONE, PlannerName.TWO_STAGE})
"""Nothing is drawn for the first; the second defines the budget, as the paper's reported schedule does."""

FIXED_COST = frozenset({PlannerName.NONE, PlannerName.UNIFORM, PlannerName.FOOTPRINT, PlannerName.TACTICAL})
"""They return one schedule and cannot use a larger allowance."""

LEVELS = FIXED_COST | {PlannerName.TWO_STAGE}
"""One schedule at a cost of its own: they have no curve on an allowance, and are drawn as lines across."""

CURVES_AT_DESIGN = frozenset({PlannerName.GRADIENT_DESIGN})
"""Searches whose curves are at design effectiveness: the nominal score of each is drawn as a diamond at its end."""

DEFAULT_PLANNERS = tuple(name for name in PlannerName if name is not PlannerName.CMA_ES_NATIVE)
"""``--planners all``. The native-space control is run at the matched allowance alone, as in the paper."""

MATCHED_PLANNERS = (PlannerName.GRADIENT, PlannerName.CMA_ES, PlannerName.CMA_ES_NATIVE)
"""``--matched all``: what the paper repeats at the measured cost of the two-stage plan."""

EXCESS_WEIGHT = 10.0
"""``λ`` of the paper's shared objective."""

GRADIENT_CHARGE = 3
"""A gradient epoch is charged as three rollouts, whatever it takes (paper: 2.05 on average)."""

TEMPOS: tuple[tuple[str, float], ...] = (
    ("At once", 10.0),
    ("In-flight retasking", 60.0),
    ("In-flight retasking", 600.0),
    ("Re-planning within a period", 3600.0),
    ("Operational-period plan", 12.0 * 3600.0),
    ("Study without a deadline", math.inf),
)
"""Decisions and the seconds that they leave for a plan (paper, section ``which_planner``)."""


@dataclass(frozen=True, slots=True)
class BenchmarkSettings:
    """Settings of a benchmark: planners, seeds and allowance.

    ``budget`` 0 takes the drops of the two-stage plan, which is then made first. ``matched`` are planners that also run
    once, with the first seed, at the two-stage plan's whole cost. Seeds are ``seed, seed + 1, …``.
    """

    planners: tuple[PlannerName, ...] = option(
        DEFAULT_PLANNERS, "Planners", "planners that are compared", restarts=False
    )
    matched: tuple[PlannerName, ...] = option(
        (),
        "At the two-stage plan's cost",
        "planners that also run once at the two-stage plan's whole cost",
        restarts=False,
    )
    seeds: int = option(
        3, "Seeds", "how often each planner that draws random numbers is run", low=1, high=100, restarts=False
    )
    seed: int = option(0, "First seed", "first seed; the others follow it", low=0, high=2**31)
    allowance: int = option(
        6_000,
        "Fire simulations",
        "fire simulations of each search; a step of the gradient search counts as three",
        low=1,
        high=10**9,
    )
    budget: int = option(
        0, "Drop budget", "soft limit on planned drops; 0 is the two-stage plan's count", low=0, high=10**9
    )
    excess: float = option(
        EXCESS_WEIGHT,
        "Cost of excess drops",
        "cost of drops over the budget, per budget",
        low=0.0,
        high=1e6,
        group=MORE,
        symbol="λ",
    )

    def problems(self) -> list[Problem]:
        """Return everything out of bounds or missing."""
        found = bounds_problems(self, "benchmark")
        if not self.planners and not self.matched:
            found.append(Problem("planners", "no planner is given", "name at least one"))
        if PlannerName.TWO_STAGE in self.matched:
            what = "the two-stage plan sets the matched allowance, so it cannot be repeated at it"
            found.append(Problem("benchmark", what, "leave it out of the planners at the matched allowance"))
        fixed = [name for name in dict.fromkeys(self.matched) if name in FIXED_COST]
        if fixed:
            what = f"{', '.join(fixed)} cannot use a larger allowance"
            found.append(Problem("benchmark", what, "give only searches at the matched allowance"))
        return found


@dataclass(frozen=True, slots=True, order=True)
class PlannerTask:
    """One run of one planner.

    With ``matched`` the allowance is the cost of the two-stage plan instead of the shared one.
    """

    planner: PlannerName
    seed: int
    matched: bool = False

    @property
    def name(self) -> str:
        """Its folder: ``gradient-0``, ``gradient-matched-0``."""
        return f"{self.planner.value}{'-matched' if self.matched else ''}-{self.seed}"


def tasks_of(settings: BenchmarkSettings) -> tuple[PlannerTask, ...]:
    """Return every task in the order in which tasks are started.

    The two-stage plan is first, because the others may need its budget.
    """
    planners = list(dict.fromkeys(settings.planners))
    needs_plan = settings.budget == 0 or settings.matched
    if needs_plan and PlannerName.TWO_STAGE not in planners:
        planners.append(PlannerName.TWO_STAGE)
    planners.sort(key=lambda name: name is not PlannerName.TWO_STAGE)
    tasks = [
        PlannerTask(name, settings.seed + number)
        for name in planners
        for number in range(1 if name in ALWAYS_ONE_SEED else settings.seeds)
    ]
    return (*tasks, *(PlannerTask(name, settings.seed, matched=True) for name in dict.fromkeys(settings.matched)))


class LineStyle(StrEnum):
    """Style of a line of a convergence chart, on the screen and on paper."""

    SOLID = "solid"
    DASHED = "dashed"
    DOTTED = "dotted"


def line_style(planner: PlannerName, matched: bool) -> LineStyle:
    """Return dotted for a level, dashed at the matched allowance, else solid."""
    if planner in LEVELS:
        return LineStyle.DOTTED
    return LineStyle.DASHED if matched else LineStyle.SOLID


@dataclass(frozen=True, slots=True)
class TaskTerms:
    """Under what a task is run: its allowance, and the drop budget with the weight of drops over it.

    The two-stage plan has no allowance; ``budget`` 0 says that its own drops become the budget.
    """

    task: PlannerTask
    allowance: int
    budget: int
    excess: float


@dataclass(frozen=True, slots=True)
class BenchmarkRow:
    """One finished task, scored at nominal effectiveness.

    ``objective`` is the shared objective, penalty included; ``metrics.objective`` is without it. ``dimension`` is how
    many variables were searched, ``evaluations`` the charged rollout-equivalents and ``seconds`` the processor time of
    its one thread. ``gradient_cost`` is what a gradient epoch took, in rollouts of the same schedules, where any were
    made. ``curve`` are ``(evaluations, best objective)`` of every improvement, at the effectiveness searched at.
    ``stress`` is the stress table of a schedule that drops anything.
    """

    task: PlannerTask
    metrics: Metrics
    objective: float
    dimension: int
    evaluations: int
    seconds: float
    candidate: int
    violations: Violations
    gradient_cost: float | None = None
    curve: tuple[tuple[int, float], ...] = ()
    stress: StressTable | None = None


@dataclass(frozen=True, slots=True)
class SeedSpread:
    """Mean and sample standard deviation over seeds; ``sd`` is ``None`` for a single one."""

    mean: float
    sd: float | None

    @staticmethod
    def of(values: Sequence[float]) -> SeedSpread:
        """Return the spread of at least one value."""
        return SeedSpread(fmean(values), stdev(values) if len(values) > 1 else None)


@dataclass(frozen=True, slots=True)
class BenchmarkTable:
    """Rows of the finished tasks among ``tasks``.

    ``budget`` is 0 until it is known, ``matched_allowance`` likewise.
    """

    settings: BenchmarkSettings
    tasks: tuple[PlannerTask, ...]
    rows: tuple[BenchmarkRow, ...] = ()
    budget: int = 0
    matched_allowance: int = 0

    @property
    def complete(self) -> bool:
        """Whether every task is done."""
        return {row.task for row in self.rows} >= set(self.tasks)

    @property
    def missing(self) -> tuple[PlannerTask, ...]:
        """The tasks that are not done."""
        done = {row.task for row in self.rows}
        return tuple(task for task in self.tasks if task not in done)

    @property
    def seconds(self) -> float:
        """Processor time of all rows: of the searches alone."""
        return sum(row.seconds for row in self.rows)

    @property
    def scenarios(self) -> tuple[str, ...]:
        """Names of the stress scenarios that any plan was tested in; none where rows have no stress table."""
        return scenario_names(row.stress for row in self.rows)

    @property
    def groups(self) -> tuple[Group, ...]:
        """The rows by planner and allowance, the lowest mean objective first."""
        found: dict[tuple[PlannerName, bool], list[BenchmarkRow]] = {}
        for row in sorted(self.rows, key=lambda row: row.task):
            found.setdefault((row.task.planner, row.task.matched), []).append(row)
        groups = [Group(name, matched, tuple(rows)) for (name, matched), rows in found.items()]
        return tuple(sorted(groups, key=lambda group: group.objective.mean))

    def group(self, planner: PlannerName, *, matched: bool = False) -> Group | None:
        """Return the rows of one planner, or ``None`` while there are none."""
        found = (group for group in self.groups if group.planner is planner and group.matched is matched)
        return next(found, None)


@dataclass(frozen=True, slots=True)
class Group:
    """One line of the tables: a planner's rows over its seeds."""

    planner: PlannerName
    matched: bool
    rows: tuple[BenchmarkRow, ...]

    @property
    def title(self) -> str:
        """As people call it."""
        return PLANNERS[self.planner].title + (", matched allowance" if self.matched else "")

    @property
    def is_dropless(self) -> bool:
        """Whether a search found no drop in any seed that is better than none."""
        return self.planner is not PlannerName.NONE and not any(row.metrics.drops_executed for row in self.rows)

    @property
    def remark(self) -> str:
        """Title with what to know before it is ranked: that it found no drops."""
        return f"{self.title} (found no drops)" if self.is_dropless else self.title

    @property
    def objective(self) -> SeedSpread:
        """Of the shared objective."""
        return SeedSpread.of([row.objective for row in self.rows])

    def metric(self, name: str) -> SeedSpread:
        """Return the spread of a field of :class:`~firegui.domain.results.Metrics`.

        Raises ``KeyError`` for an unknown field.
        """
        if name not in {item.name for item in fields(Metrics)}:
            raise KeyError(name)
        return SeedSpread.of([float(getattr(row.metrics, name)) for row in self.rows])

    def used(self, name: str) -> SeedSpread | None:
        """Return the spread of ``gallons``, ``flight_hours`` or ``cost``; ``None`` where it is not known."""
        found = [getattr(row.metrics, name) for row in self.rows]
        return None if None in found else SeedSpread.of(found)

    @property
    def tested(self) -> tuple[StressTable, ...]:
        """The stress tables of the rows that have one."""
        return tuple(row.stress for row in self.rows if row.stress is not None)

    def growth_left(self, scenario: str | None = None) -> SeedSpread | None:
        """Of the growth that is left in the worst draw of a scenario; without one in the model's own world.

        ``None`` where no row was tested in it.
        """
        found = [table.nominal if scenario is None else table.result(scenario) for table in self.tested]
        shares = [result.share_worst for result in found if result is not None]
        return SeedSpread.of(shares) if shares else None

    @property
    def worst_growth_left(self) -> SeedSpread | None:
        """Of the growth that is left in the worst scenario of each row; ``None`` where no row was tested."""
        shares = [table.worst.share_worst for table in self.tested]
        return SeedSpread.of(shares) if shares else None

    @property
    def worst_scenario(self) -> str:
        """The scenario in which most of the growth is left in any row; empty where no row was tested."""
        worst = max((table.worst for table in self.tested), key=lambda result: result.share_worst, default=None)
        return "" if worst is None else worst.scenario.name

    @property
    def seconds(self) -> SeedSpread:
        """Processor time."""
        return SeedSpread.of([row.seconds for row in self.rows])

    @property
    def evaluations(self) -> SeedSpread:
        """Charged rollout-equivalents."""
        return SeedSpread.of([float(row.evaluations) for row in self.rows])

    @property
    def candidates(self) -> SeedSpread:
        """Drops proposed before the gates."""
        return SeedSpread.of([float(row.candidate) for row in self.rows])

    @property
    def gradient_cost(self) -> SeedSpread | None:
        """What a gradient epoch took, in rollouts; ``None`` where none was measured."""
        found = [row.gradient_cost for row in self.rows if row.gradient_cost is not None]
        return SeedSpread.of(found) if found else None

    @property
    def violations(self) -> Violations:
        """The sums over the seeds: one in any of them is one too many."""
        names = [item.name for item in fields(Violations)]
        return Violations(**{name: sum(getattr(row.violations, name) for row in self.rows) for name in names})


@dataclass(frozen=True, slots=True)
class DeploymentRow:
    """Recommended planner for ``available`` seconds (paper, Table ``planner_deployment``).

    An infinite ``available`` means that there is no deadline. ``group`` is ``None`` where nothing that was run takes so
    little. ``seconds`` is its slowest seed's processor time and ``reduction`` the mean final extent against the fire
    without drops, a fraction; ``None`` without that row.
    """

    decision: str
    available: float
    group: Group | None = None
    seconds: float | None = None
    reduction: float | None = None
    longest: float | None = None
    """Where rows of one planner were joined, the longest of their times; ``available`` is then the shortest."""


def joined_deployment(table: BenchmarkTable) -> tuple[DeploymentRow, ...]:
    """Return the rows of :func:`deployment` with neighbours of the same planner as one row."""
    found: list[DeploymentRow] = []
    for row in deployment(table):
        last = found[-1] if found else None
        if last is None or last.group != row.group:
            found.append(row)
            continue
        first = last.decision.partition(" to ")[0]
        decision = (
            last.decision if row.decision == first else f"{first} to {row.decision[:1].lower()}{row.decision[1:]}"
        )
        found[-1] = replace(last, decision=decision, longest=row.available)
    return tuple(found)


def deployment(table: BenchmarkTable) -> tuple[DeploymentRow, ...]:
    """Return the recommended planner for each of :data:`TEMPOS`.

    It is the planner with the lowest mean objective of those whose slowest seed fits into the time. Where two are
    equally good it is the faster. A search counts with all of its allowance: no shorter run of it was measured.
    """
    baseline = table.group(PlannerName.NONE)
    without = None if baseline is None else baseline.metric("final_extent_cells").mean
    ranked = sorted((group.objective.mean, _slowest(group), group.title, group) for group in table.groups)
    rows = []
    for decision, available in TEMPOS:
        group = next((group for _, seconds, _, group in ranked if seconds <= available), None)
        if group is None:
            rows.append(DeploymentRow(decision, available))
            continue
        extent = group.metric("final_extent_cells").mean
        reduction = 1.0 - extent / without if without else None
        rows.append(DeploymentRow(decision, available, group, _slowest(group), reduction))
    return tuple(rows)


def _slowest(group: Group) -> float:
    return max(row.seconds for row in group.rows)

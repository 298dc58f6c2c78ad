"""Stress scenarios: worlds that differ from the model and in which a plan is tested.

The results of such tests are defined here as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from statistics import fmean

from firegui.domain.names import character_problems, repeated_names, shown_name
from firegui.domain.options import bounds_problems, option, plain_number
from firegui.domain.settings import RETARDANT_SIDES, Effectiveness, ObjectiveWeights, PlanSettings, RetardantSide
from firegui.domain.units import Units, percent_text
from firegui.errors import Problem

MOST_DRAWS = 1_000
MOST_REPAIR_HOURS = 24.0
NOMINAL_NAME, DESIGN_NAME = "nominal", "design"
EXPECTED = "expected"
"""What the world of the model itself is called on screen."""
OWN_WORLDS = (NOMINAL_NAME, DESIGN_NAME)
"""Names of the worlds that every plan is made for; no scenario of a set can have them."""
NEEDS_EXERCISE = "it is replanned on the way; run a stress test for it"
"""Why the table of a plan leaves a scenario with repair out."""
NOT_STRESS_TESTED = "not stress-tested"
"""What stands for the verdict on a plan without a stress table."""
NOT_TESTED = "not tested"
"""What stands for the worst case of a plan without a stress table."""


@dataclass(frozen=True, slots=True)
class StressScenario:
    """One way in which the world differs from the model, without its random draws.

    ``effectiveness`` and ``retardant_acts_on`` replace the project's nominal ones, ``None`` keeps them. Everything else
    is neutral by default. With ``repair_hours`` above 0 the drops that are left are replanned that often, from the fire
    as it then is. ``draws`` counts for scenarios with something random; ``seed`` tells two scenarios of one kind apart.
    """

    name: str
    effectiveness: Effectiveness | None = None
    retardant_acts_on: RetardantSide | None = None
    spread_factor: float = option(1.0, "Spread", "factor of the ignition gain γ", low=0.01, high=100.0)
    wind_speed_factor: float = option(1.0, "Wind speed", "factor of the wind speed", low=0.0, high=10.0)
    wind_turn_deg: float = option(
        0.0, "Wind turn", "turn of the wind, counter-clockwise", unit="°", low=-180.0, high=180.0
    )
    ignition_growth_m: float = option(
        0.0, "Wider at the start", "the fire at the start reaches this much farther on all sides", unit="m", low=0.0,
        high=100_000.0,
    )  # fmt: skip
    pose_noise_m: float = option(
        0.0, "Off target", "standard deviation of each coordinate of a landing point", unit="m", low=0.0, high=100_000.0
    )
    heading_noise_deg: float = option(
        0.0, "Off heading", "standard deviation of a drop's heading", unit="°", low=0.0, high=180.0
    )
    delay_minutes: float = option(0.0, "Late", "every drop comes this much later", unit="min", low=0.0, high=100_000.0)
    failure_rate: float = option(0.0, "Failures", "share of the drops that do not happen", low=0.0, high=1.0)
    repair_hours: float = option(
        0.0, "Replanned every", "the rest is replanned this often; 0: never", unit="h", low=0.0, high=MOST_REPAIR_HOURS
    )
    draws: int = option(1, "Draws", "how often a scenario with random errors is drawn", low=1, high=MOST_DRAWS)
    seed: int = option(0, "Random seed", "seed of the scenario's draws, beside that of the set", low=0, high=2**32 - 1)

    @property
    def title(self) -> str:
        """Name on screen and paper; the world of the model itself is ``expected``."""
        return EXPECTED if self.name == NOMINAL_NAME else self.name

    @property
    def is_random(self) -> bool:
        """Whether its draws differ. Where the plan is repaired, the fire is drawn too."""
        flights = self.failure_rate > 0.0 or self.pose_noise_m > 0.0 or self.heading_noise_deg > 0.0
        return flights or self.repair_hours > 0.0

    @property
    def has_other_wind(self) -> bool:
        """Whether its wind is not the project's."""
        return self.wind_speed_factor != 1.0 or self.wind_turn_deg != 0.0

    @property
    def has_other_fire(self) -> bool:
        """Whether the fire without drops is not the project's."""
        return self.has_other_wind or self.spread_factor != 1.0 or self.ignition_growth_m > 0.0

    @property
    def n_draws(self) -> int:
        """How many draws are made: one where nothing is random."""
        return self.draws if self.is_random else 1

    def delay_steps(self, steps_per_day: int) -> int:
        """Return the delay in whole steps: the nearest number, and at least one for any delay."""
        steps = self.delay_minutes * steps_per_day / (24.0 * 60.0)
        return 0 if steps == 0.0 else max(1, round(steps))

    def ignition_growth_cells(self, cell_size_m: float) -> int:
        """Return the growth at the start in whole cells: the nearest number, and at least one for any growth."""
        cells = self.ignition_growth_m / cell_size_m
        return 0 if cells == 0.0 else max(1, round(cells))

    def problems(self) -> list[Problem]:
        """Return everything that is wrong with it."""
        where = f"stress scenario {shown_name(self.name) or '(without a name)'}"
        found = [] if self.name.strip() else [Problem("stress scenario", "has no name", "give it a name")]
        if self.name.strip().casefold() in OWN_WORLDS:
            found.append(Problem(where, "is the name of a world that plans are made for", "give it another name"))
        found += character_problems(where, self.name) + bounds_problems(self, where, has_flag=False)
        if self.effectiveness is not None:
            found += bounds_problems(self.effectiveness, where, has_flag=False)
        return found

    def repair_steps(self, steps_per_day: int) -> int:
        """Return the steps between two repairs; 0 without repair."""
        return round(self.repair_hours * steps_per_day / 24.0)

    def repair_problems(self, steps_per_day: int) -> list[Problem]:
        """Return the problem of a repair interval that is not a whole number of steps."""
        return interval_problems(f"stress scenario {self.name}", self.repair_hours, steps_per_day)


def interval_problems(where: str, hours: float, steps_per_day: int) -> list[Problem]:
    """Return the problem of a repair interval of ``where`` that is not a whole number of steps.

    0 hours mean that nothing is repaired.
    """
    if not 0.0 < hours <= MOST_REPAIR_HOURS:
        return []  # the bounds of the setting tell of what is outside of them
    steps = hours * steps_per_day / 24.0
    # A fire that is observed every 0 steps would never burn on.
    if steps < 0.5 or abs(steps - round(steps)) > 1e-6:
        what = f"is replanned every {hours:g} h, which is not a whole number of steps"
        return [Problem(where, what, f"use a multiple of {plain_number(24.0 / steps_per_day)} h")]
    return []


def scenario_text(scenario: StressScenario) -> str:
    """Return what differs from the model, such as ``wind 20 % stronger, every drop 30 min late``."""
    return ", ".join(_differences(scenario)) or "as in the model"


def case_text(scenario: StressScenario) -> str:
    """Return the name of a scenario and what differs in it: ``late: every drop 30 min late``."""
    return f"{scenario.title}: {scenario_text(scenario)}"


def _differences(scenario: StressScenario) -> Iterator[str]:
    if scenario.effectiveness is not None:
        works = scenario.effectiveness
        yield f"retardant {100.0 * works.retardant:.4g} % effective, water {100.0 * works.water:.4g} %"
    if scenario.retardant_acts_on is not None:
        yield f"retardant acts on the {RETARDANT_SIDES[scenario.retardant_acts_on]}".replace("the both", "both")
    if scenario.spread_factor != 1.0:
        yield f"fire spreads {_more_or_less(scenario.spread_factor, 'faster', 'slower')}"
    if scenario.wind_speed_factor != 1.0:
        yield f"wind {_more_or_less(scenario.wind_speed_factor, 'stronger', 'weaker')}"
    if scenario.wind_turn_deg != 0.0:
        yield f"wind turned {abs(scenario.wind_turn_deg):g}° {'left' if scenario.wind_turn_deg > 0 else 'right'}"
    if scenario.ignition_growth_m > 0.0:
        yield f"fire {scenario.ignition_growth_m:g} m wider at the start"
    if scenario.pose_noise_m > 0.0:
        yield f"drops {scenario.pose_noise_m:g} m off target"
    if scenario.heading_noise_deg > 0.0:
        yield f"headings {scenario.heading_noise_deg:g}° off"
    if scenario.delay_minutes > 0.0:
        yield f"every drop {scenario.delay_minutes:g} min late"
    if scenario.failure_rate > 0.0:
        yield f"{100.0 * scenario.failure_rate:g} % of the drops fail"
    if scenario.repair_hours > 0.0:
        yield f"replanned every {scenario.repair_hours:g} h"


def _more_or_less(factor: float, more: str, less: str) -> str:
    """Return a factor in words: ``20 % stronger``."""
    return f"{100.0 * abs(factor - 1.0):.4g} % {more if factor > 1.0 else less}"


NOMINAL = StressScenario(NOMINAL_NAME)
"""The world of the model itself."""

DEFAULT_SCENARIOS = (
    StressScenario("weak", effectiveness=Effectiveness(0.7, 0.6)),
    StressScenario("fast", spread_factor=1.15),
    StressScenario("wind stronger", wind_speed_factor=1.2),
    StressScenario("wind turned left", wind_turn_deg=15.0),
    StressScenario("wind turned right", wind_turn_deg=-15.0),
    StressScenario("wide", ignition_growth_m=30.0),
    StressScenario("off target", pose_noise_m=30.0, heading_noise_deg=5.0, draws=4),
    StressScenario("late", delay_minutes=30.0),
    StressScenario("failures", failure_rate=0.05, draws=8),
    StressScenario("failures, repaired", failure_rate=0.1, repair_hours=24.0, draws=8),
)
"""The default set of the design: each scenario differs from the model in one way."""


@dataclass(frozen=True, slots=True)
class StressSet:
    """Scenarios in which a plan is tested and, with the stress margin, made.

    ``seed`` decides all draws.
    """

    scenarios: tuple[StressScenario, ...] = DEFAULT_SCENARIOS
    seed: int = option(0, "Random seed", "seed of all draws of the set", low=0, high=2**32 - 1)

    @property
    def unrepaired(self) -> tuple[StressScenario, ...]:
        """The scenarios in which nothing is replanned."""
        return tuple(one for one in self.scenarios if not one.repair_hours)

    @property
    def repaired(self) -> tuple[StressScenario, ...]:
        """The scenarios in which the drops that are left are replanned on the way."""
        return tuple(one for one in self.scenarios if one.repair_hours)

    def problems(self, steps_per_day: int) -> list[Problem]:
        """Return everything that is wrong with the set."""
        found = bounds_problems(self, "stress scenarios")
        found += [problem for item in self.scenarios for problem in item.problems()]
        if not self.scenarios:
            found.append(Problem("stress scenarios", "there is none", "add at least one scenario"))
        found += repeated_names("stress scenarios", (item.name for item in self.scenarios))
        for item in self.scenarios:
            found += item.repair_problems(steps_per_day)
        return found


@dataclass(frozen=True, slots=True)
class StressTestSettings:
    """Settings of a stress test: the set, and what replaces values of all its scenarios."""

    draws: int = option(
        0, "Draws", "draws of every scenario that has something random; 0: as many as the scenario says; more take "
        "longer, most of all in replanned scenarios", low=0, high=MOST_DRAWS, zero_text="as in each scenario",
    )  # fmt: skip
    repair_hours: float = option(
        0.0, "Replanned every", "replan what is left this often in every scenario; 0: as the scenario says", unit="h",
        low=0.0, high=MOST_REPAIR_HOURS, flag="--repair", zero_text="as in each scenario",
    )  # fmt: skip
    stress: StressSet = field(default_factory=StressSet)

    @property
    def scenarios(self) -> tuple[StressScenario, ...]:
        """The scenarios as they are flown."""
        return tuple(
            replace(one, draws=self.draws or one.draws, repair_hours=self.repair_hours or one.repair_hours)
            for one in self.stress.scenarios
        )

    def problems(self, steps_per_day: int) -> list[Problem]:
        """Return everything out of bounds."""
        found = bounds_problems(self, "stress test") + self.stress.problems(steps_per_day)
        return found + interval_problems("stress test", self.repair_hours, steps_per_day)


@dataclass(frozen=True, slots=True)
class StressDraw:
    """A plan in one draw of a scenario.

    ``cells`` and ``protected_cells`` burn at the end, and the share ``loss_val`` of the values at risk is lost.
    ``share`` is the part of the growth that is left and ``flown`` the drops that happened. ``fixed_share`` is known
    where the plan was repaired: the share with the plan as it was, on the same drawn fire.
    """

    cells: float
    protected_cells: float
    share: float
    flown: int
    fixed_share: float | None = None
    loss_val: float = 0.0


@dataclass(frozen=True, slots=True)
class StressResult:
    """A plan in one scenario.

    ``start_cells`` burn at the start and ``cells_no_drops`` at the end of the same world without drops;
    ``start_protected`` and ``protected_no_drops`` of them are in protected regions. The last is ``None`` in results of
    earlier versions. ``start_val`` and ``val_no_drops`` are the shares of the values at risk that are lost, 0 without.
    """

    scenario: StressScenario
    start_cells: float
    cells_no_drops: float
    draws: tuple[StressDraw, ...]
    start_protected: float = 0.0
    protected_no_drops: float | None = None
    start_val: float = 0.0
    val_no_drops: float = 0.0

    @property
    def share_worst(self) -> float:
        """Largest share of the growth over the draws."""
        return max(draw.share for draw in self.draws)

    @property
    def worst_draw(self) -> int:
        """Number of the draw with the largest share, the first of equal ones."""
        return max(range(len(self.draws)), key=lambda number: self.draws[number].share)

    @property
    def share_mean(self) -> float:
        """Mean share of the growth over the draws."""
        return fmean(draw.share for draw in self.draws)

    @property
    def fixed_share_worst(self) -> float | None:
        """Largest share over the draws with the plan as it was; ``None`` where it was not repaired."""
        return max((draw.fixed_share for draw in self.draws if draw.fixed_share is not None), default=None)

    @property
    def cells_worst(self) -> float:
        """Most cells over the draws."""
        return max(draw.cells for draw in self.draws)

    @property
    def protected_worst(self) -> float:
        """Most cells of protected regions over the draws."""
        return max(draw.protected_cells for draw in self.draws)

    @property
    def flown_mean(self) -> float:
        """Mean number of drops that happened."""
        return fmean(draw.flown for draw in self.draws)

    def region_share(self) -> float | None:
        """Return the largest share of the growth in protected regions; ``None`` where it is not known."""
        if self.protected_no_drops is None:
            return None
        return growth_share(self.protected_worst, self.start_protected, self.protected_no_drops)

    def value_share(self) -> float:
        """Return the largest share of the values lost after the start without drops that is lost all the same."""
        return growth_share(max(draw.loss_val for draw in self.draws), self.start_val, self.val_no_drops)

    def held_share(self, weights: ObjectiveWeights) -> float:
        """Return the largest share of the growth that a goal counts.

        Where that in regions is not known, all growth counts.
        """
        in_regions = self.region_share()
        in_regions = self.share_worst if in_regions is None else in_regions
        return counted_share(weights, self.share_worst, in_regions, self.value_share())


@dataclass(frozen=True, slots=True)
class StressTable:
    """The stress table of a plan of ``drops`` drops.

    ``nominal`` is the world of the model itself. ``left_out`` are scenarios that cannot be computed, with the reason.
    """

    drops: int
    nominal: StressResult
    results: tuple[StressResult, ...]
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def worst_first(self) -> tuple[StressResult, ...]:
        """The scenarios, the largest share first, to 0.1 %; of equal ones the largest fire first."""
        return tuple(sorted(self.results, key=lambda result: (-round(result.share_worst, 3), -result.cells_worst)))

    @property
    def worst(self) -> StressResult:
        """The first scenario of :attr:`worst_first`; the nominal world where there is no other."""
        return self.worst_first[0] if self.results else self.nominal

    @property
    def largest(self) -> StressResult:
        """The result with the largest fire, the nominal world included.

        It is not always the worst: without drops the fire of a scenario may be larger, too.
        """
        return max((self.nominal, *self.results), key=lambda result: result.cells_worst)

    def worst_held(self, weights: ObjectiveWeights) -> StressResult:
        """Return the result with most growth left of what the goal counts, the nominal world included."""
        return max((self.nominal, *self.worst_first), key=lambda result: result.held_share(weights))

    def holds(self, plan: PlanSettings) -> bool:
        """Return whether no tested world leaves more growth than the limit of the plan.

        The nominal world is one of them. It is the growth that the goal of the plan counts.
        """
        return self.worst_held(plan.weights).held_share(plan.weights) <= plan.margin.limit

    @property
    def worst_for_regions(self) -> StressResult:
        """The scenario in which most of the protected regions burns.

        The nominal world where there is no other.
        """
        return max(self.results or (self.nominal,), key=lambda result: result.protected_worst)

    def result(self, name: str) -> StressResult | None:
        """Return the result in the scenario ``name``; ``None`` where it was not computed."""
        return next((one for one in self.results if one.scenario.name == name), None)

    def result_of(self, name: str) -> StressResult | None:
        """Return the result in the scenario ``name``, which may be nominal; ``None`` without one."""
        return self.nominal if name == NOMINAL_NAME else self.result(name)

    def completed_by(self, other: StressTable) -> StressTable:
        """Return the table with the scenarios that it leaves out and another test of the same plan has.

        Where the other test leaves a scenario out as well, the latest reason stays.
        """
        found = [one for one in map(other.result, dict(self.left_out)) if one is not None]
        reasons = dict(self.left_out) | {name: why for name, why in other.left_out if name in dict(self.left_out)}
        left_out = tuple((name, why) for name, why in reasons.items() if other.result(name) is None)
        return replace(self, results=(*self.results, *found), left_out=left_out)


@dataclass(frozen=True, slots=True)
class LimitCheck:
    """Result of a planner's own test in one scenario, and what that allows.

    ``share`` of the growth is left. It is the mean over the draws with ``is_mean``, else that of a single draw.
    """

    scenario: str
    share: float
    allowed: float
    is_mean: bool = False


WHAT_HOLDS = (
    "A scenario is a world that differs from the model, such as more wind or drops that come late. A plan holds in it "
    "if no more of the growth is left than the limit of the plan."
)
"""What the verdict means, for a tooltip."""

GROWTH_LEFT = "Growth left, of what the fire would grow without drops"
"""Name of what a stress test measures, with what it is a share of."""


def scenario_names(tables: Iterable[StressTable | None]) -> tuple[str, ...]:
    """Return the names of all scenarios in some tables, each once, in the order of the tables."""
    return tuple(dict.fromkeys(one.scenario.name for table in tables if table is not None for one in table.results))


def worst_case_text(table: StressTable | None) -> str:
    """Return the share of the growth that is left in the worst scenario, and its name: ``62 % (late)``."""
    if table is None:
        return NOT_TESTED
    return f"{percent_text(table.worst.share_worst)} ({table.worst.scenario.title})"


def search_test_text(check: LimitCheck) -> str:
    """Return what the test of a search came to as a clause without a stop.

    ``5.3 % of the growth was left in “off target”, where it allows 5.0 %``.
    """
    own = {NOMINAL_NAME: "at expected effectiveness", DESIGN_NAME: "at cautious effectiveness"}
    mean = " on average" if check.is_mean else ""
    where = own.get(check.scenario, f"in “{check.scenario}”")
    return (
        f"{percent_text(check.share)} of the growth was left{mean} {where}, where it allows "
        f"{percent_text(check.allowed)}"
    )


def growth_left_text(table: StressTable) -> str:
    """Return the remaining growth in the model and in the worst scenario as a clause without a stop."""
    model, worst = (percent_text(one.share_worst) for one in (table.nominal, table.worst))
    worst_case = f"{worst} in the worst case ({case_text(table.worst.scenario)})"
    return f"{GROWTH_LEFT}: {model} in the model, {worst_case}"


def missed_text(table: StressTable | None, plan: PlanSettings) -> str:
    """Return by what a plan misses its limit of growth left, as a clause without a stop.

    ``Does not hold: 73 % of the growth left in “late” (limit 5.0 %)``; empty where it holds or was not tested. Where
    the goal is about protected regions alone, the growth is that in them.
    """
    if table is None or table.holds(plan):
        return ""
    weights, limit = plan.weights, plan.margin.limit
    worst = table.worst_held(weights)
    share = worst.held_share(weights)
    if weights.val > 0.0 and share == worst.value_share():
        where = " in values lost"
    else:
        where = "" if share == worst.share_worst else " in the regions"
    return f"Does not hold: {left_in_text(share, worst.scenario.title, limit, where)}"


def fire_grows(table: StressTable, plan: PlanSettings) -> bool:
    """Return whether the whole fire grows beyond the limit, whatever the goal counts."""
    return max(result.share_worst for result in (table.nominal, *table.results)) > plan.margin.limit


def verdict_text(table: StressTable | None, plan: PlanSettings, cell_ha: float) -> str:
    """Return whether a plan holds in every scenario, as a clause without a stop.

    ``⚠ Does not hold: …`` or ``Holds in all 10 scenarios``, with the names of those that cannot be tested; empty where
    the plan was not tested. Scenarios with repair that the test left out do not make it a lesser one:
    :func:`left_out_texts` names them. Where the goal counts the regions alone and the fire grows elsewhere, the clause
    says both. ``cell_ha`` is the area of a cell in hectares.
    """
    if table is None:
        return ""
    if missed := missed_text(table, plan):
        return f"⚠ {missed}"
    tested = len(table.results)
    impossible = [name for name, why in table.left_out if why != NEEDS_EXERCISE]
    where = f"in all {tested} {'tested ' if table.left_out else ''}scenarios"
    if tested < 2:
        where = f"in “{table.worst.scenario.title}”"
    if not fire_grows(table, plan):
        if not impossible:
            return f"Holds {where}"
        names, count = ", ".join(f"“{name}”" for name in impossible), len(impossible)
        return f"Holds {where}; {count} of {tested + count} cannot be tested: {names}"
    # The plan does not miss its limit although the fire grows: the goal counts regions or values alone.
    expected, most = (Units.METRIC.area(one.cells_worst * cell_ha) for one in (table.nominal, table.largest))
    beyond = "" if most == expected else f", to {most} in “{table.largest.scenario.title}”"
    weights = plan.weights
    kept = "The values" if weights.prot == 0.0 else "The regions and values" if weights.val > 0.0 else "The regions"
    return f"{kept} hold {where}; the fire grows to {expected}{beyond}"


def untested_names(table: StressTable | None) -> tuple[str, ...]:
    """Return the replanned scenarios that the table of a plan leaves out."""
    return () if table is None else tuple(name for name, why in table.left_out if why == NEEDS_EXERCISE)


def untested_texts(table: StressTable | None) -> tuple[str, ...]:
    """Return why replanned scenarios have no result: ``“mended” was not part of the test: …``."""
    why = "was not part of the test: the plan is replanned on the way, which takes longer"
    return tuple(f"“{name}” {why}" for name in untested_names(table))


def untestable_texts(table: StressTable | None) -> tuple[str, ...]:
    """Return why scenarios cannot be tested: ``“windy” cannot be tested: imported maps have one wind``."""
    left_out = () if table is None else table.left_out
    return tuple(f"“{name}” cannot be tested: {why}" for name, why in left_out if why != NEEDS_EXERCISE)


def left_out_texts(table: StressTable | None) -> tuple[str, ...]:
    """Return why scenarios have no result, as clauses without a stop."""
    return (*untested_texts(table), *untestable_texts(table))


def left_in_text(share: float, scenario: str, limit: float, where: str = "") -> str:
    """Return the growth left in a scenario: ``73 % of the growth left in “late” (limit 5.0 %)``.

    ``where`` is `` in the regions`` or `` in values lost`` where only that growth counts.
    """
    return f"{percent_text(share)} of the growth{where} left in “{scenario}” (limit {percent_text(limit)})"


def counted_share(weights: ObjectiveWeights, share: float, in_regions: float, of_values: float = 0.0) -> float:
    """Return the largest share of the growth that a goal counts.

    It is all growth, that in regions, or that of the values lost.
    """
    counted = ((weights.counts_growth, share), (weights.prot > 0.0, in_regions), (weights.val > 0.0, of_values))
    return max(0.0, *(each for is_counted, each in counted if is_counted))


def growth_share(cells: float, start_cells: float, cells_no_drops: float) -> float:
    """Return the share of the growth that is left, at least 0.

    It is ``(cells − start) / (cells without drops − start)``. A fire that does not grow without drops leaves nothing:
    0.
    """
    growth = cells_no_drops - start_cells
    return max((cells - start_cells) / growth, 0.0) if growth > 0.0 else 0.0

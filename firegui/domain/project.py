"""A project: an event, what is to be protected, with what, and how to plan. An edit makes a new value."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Self

import numpy as np
from numpy.typing import NDArray

from firegui.domain.barriers import Barrier, barrier_problems
from firegui.domain.bases import Base, Point, base_problems, lake_problems, planned_cycles
from firegui.domain.calendar import STEPS_PER_DAY, Calendar
from firegui.domain.compact_maps import WindRaster
from firegui.domain.coverage import RequiredCoverage
from firegui.domain.fleet import Fleet
from firegui.domain.fuel_models import FuelModel
from firegui.domain.maps import FireMaps
from firegui.domain.names import character_problems
from firegui.domain.operations import Operations
from firegui.domain.physical import PERIODS, PhysicalSettings
from firegui.domain.regions import Region, region_problems
from firegui.domain.scenario import Scenario
from firegui.domain.settings import MARGIN_SHORT, SETTING_TITLES, Margin, ObjectiveWeights, PlanSettings, Setting
from firegui.domain.stress import StressSet
from firegui.domain.units import percent_text
from firegui.domain.values import ValueLayer, value_problems
from firegui.domain.weather import PeriodWeather
from firegui.domain.weights import NetworkWeights
from firegui.errors import Problem

KINDS = ("network", "scalar", "physical", "maps")
"""The fire models that there are."""
FIRE, DAYS, REGIONS, VALUES, GOAL = "fire", "days", "regions", "values at risk", "goal"
BARRIERS = "barriers"
FLEET, GROUNDED, RULES, EFFECTIVENESS = "fleet", "grounded days", "rules", "effectiveness"
"""Inputs of a plan, as :func:`changed_inputs` names them."""
NOT_PROTECTED = "does not protect"
"""Begins the change of a project that leaves a region without protection in an earlier plan."""
VALUES_WEIGHT = 100.0
"""Weight of values at risk in a goal that begins to count them: that of the regions in the goal of both."""
_MOST_NAMES = 3
"""Regions that are named one by one."""


@dataclass(frozen=True, slots=True)
class FireModel:
    """Kind and parameters of the frozen fire model.

    ``kind`` is one of :data:`KINDS`: ``"network"`` has the project's weights, ``"maps"`` were imported, and the others
    have ``parameters``. With ``"physical"`` the steps a day of the event follow from its fire; with the others they are
    the usual ones. ``label`` is what people read beside every result made with it. ``fuels`` are custom fuel models,
    which only ``"physical"`` reads; they stay when another fire model is chosen.
    """

    kind: str
    label: str
    parameters: Mapping[str, float]
    fuels: tuple[FuelModel, ...] = ()

    @property
    def physical(self) -> PhysicalSettings:
        """Settings of the physical model; the standard ones where the model is another.

        Raises :class:`~firegui.errors.InputError` for settings out of range.
        """
        return PhysicalSettings.of(self.parameters) if self.kind == "physical" else PhysicalSettings()

    @property
    def most_periods(self) -> int:
        """Most periods a day whose weather the model takes."""
        return int(self.parameters[PERIODS]) if self.kind == "physical" else 1


@dataclass(frozen=True, slots=True, eq=False)
class BurningCentres:
    """Centre of the burning area of every planned day, in the fire without drops of the project ``of``.

    With ``is_preview`` they are of pictures of that fire. A run works them out anew, so that its plan is the same
    wherever it is made.
    """

    points: tuple[Point, ...]
    of: Project
    is_preview: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Project:
    """Complete input of a run.

    ``fleet`` carries no grounded days: ``grounded`` keeps them as dates per type id, so that moving the start does not
    move the weather; :attr:`planned_fleet` turns them into days of the plan. ``maps`` are the imported
    maps of the whole event when ``fire_model.kind == "maps"``, ``weights`` the network's when it is ``"network"``.
    ``operations`` are the constraints beyond the paper's, all off unless set. ``coverage`` is what the fuel requires;
    imported maps bring their own. ``stress`` are the worlds in which plans are tested, ``values`` the values at risk.
    ``barriers`` reduce the spread of every fire model. ``centres`` follow from the rest where a base serves a type, and
    no file of a project has them.
    """

    scenario: Scenario
    fleet: Fleet
    grounded: Mapping[str, tuple[date, ...]]
    regions: tuple[Region, ...]
    plan: PlanSettings
    fire_model: FireModel
    maps: FireMaps | None = None
    weights: NetworkWeights | None = None
    operations: Operations = field(default_factory=Operations)
    coverage: RequiredCoverage = field(default_factory=RequiredCoverage)
    stress: StressSet = field(default_factory=StressSet)
    values: tuple[ValueLayer, ...] = ()
    centres: BurningCentres | None = None
    barriers: tuple[Barrier, ...] = ()

    @property
    def required_coverage(self) -> float:
        """Coverage level ``c_req`` in gal/100 ft².

        Imported maps bring their own; otherwise it is the project's.
        """
        return (self.imported_maps or self.coverage).c_req

    @property
    def physical(self) -> PhysicalSettings:
        """Settings of the physical model: those of the project, or those that it would begin with.

        Raises :class:`~firegui.errors.InputError` for settings out of range.
        """
        model = self.fire_model
        return model.physical if model.kind == "physical" else self.first_physical

    @property
    def first_physical(self) -> PhysicalSettings:
        """Settings that the physical model begins with on the cells of this project."""
        return PhysicalSettings.first(self.scenario.grid.cell_size_m)

    @property
    def calendar(self) -> Calendar:
        """The planning window."""
        event = self.scenario
        start = event.time_of_day(self.plan.start_day)
        return Calendar(start, self.plan.days, event.steps_per_day, event.utc_offset_h, event.is_dated)

    @property
    def usual_event(self) -> Scenario:
        """Event with the steps a day that every fire model but the physical one has."""
        return self._with_usual_steps().scenario

    @property
    def planned_fleet(self) -> Fleet:
        """Fleet with ``grounded_days`` as zero-based days of the plan, and cycles where bases serve a type.

        Days outside the window are left out. Turnarounds are fixed until the :attr:`burning_centres` are known.
        """
        calendar, types = self.calendar, []
        size = self.scenario.grid.cell_size_m
        cycles = planned_cycles(self.fleet, self.operations.bases, self.burning_centres, calendar, size)
        for kind, own in zip(self.fleet.types, cycles, strict=True):
            days = (calendar.day_of_date(when) for when in self.grounded.get(kind.id, ()))
            planned = kind.with_grounded_days(tuple(day for day in days if 0 <= day < calendar.days))
            types.append(replace(planned, cycles=own))
        return replace(self.fleet, types=tuple(types))

    @property
    def burning_centres(self) -> tuple[Point, ...]:
        """Centre of the burning area of every planned day; none where it is not known of this fire."""
        known = self.centres
        return known.points if known is not None and same_spread(known.of, self) else ()

    @property
    def needs_centres(self) -> bool:
        """Whether a turnaround depends on where the fire burns, which is not known but for a preview."""
        is_known = bool(self.burning_centres) and self.centres is not None and not self.centres.is_preview
        return self.operations.serves(self.fleet) and not is_known

    def with_centres(self, points: tuple[Point, ...], *, is_preview: bool = False) -> Self:
        """Return the same project with the centres of its burning area, one a planned day."""
        return replace(self, centres=BurningCentres(points, replace(self, centres=None), is_preview))

    @property
    def planned_wind(self) -> tuple[WindRaster, WindRaster]:
        """Wind speed (m/s) and direction of the planned days, each ``[D P, H, W]``.

        A day has P = :attr:`wind_periods` periods. The direction is as in the fire's maps.
        """
        first, count = (number * self.wind_periods for number in (self.plan.start_day, self.plan.days))
        if self.imported_maps is not None:
            maps = self.imported_maps
            return maps.wind_speed[first : first + count], maps.wind_dir[first : first + count]
        return self.model_weather.winds(slice(first, first + count), self.scenario.grid.shape)

    def planned_wind_at(self, period: int, row: int, column: int) -> tuple[float, float]:
        """Return wind speed (m/s) and direction of one cell in a period of the plan."""
        number = self.plan.start_day * self.wind_periods + period
        maps = self.imported_maps
        if maps is not None:
            return float(maps.wind_speed[number, row, column]), float(maps.wind_dir[number, row, column])
        return self.model_weather.wind_at(number, row, column)

    @property
    def model_weather(self) -> PeriodWeather:
        """Weather of the event's days, by as many periods as the fire model takes."""
        return self.scenario.weather_of(self.fire_model.most_periods)

    @property
    def imported_maps(self) -> FireMaps | None:
        """The imported maps, where they are the fire model."""
        return self.maps if self.fire_model.kind == "maps" else None

    @property
    def wind_periods(self) -> int:
        """Periods of a day of :attr:`planned_wind`."""
        return (self.imported_maps or self.model_weather).periods_per_day

    @property
    def daily_wind(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Wind of the planned days, each ``[D, H, W]``: the mean vector of a day's periods."""
        if self.imported_maps is None:
            first, count = self.plan.start_day, self.plan.days
            return self.scenario.wind_speed[first : first + count], self.scenario.wind_dir[first : first + count]
        return self.imported_maps.window(self.plan.start_day, self.plan.days).daily_wind()

    def with_notes_of(self, other: Project) -> Self:
        """Return the same project with the notes for crews of ``other``."""
        operations = self.operations.with_notes_of(other.operations)
        return self if operations == self.operations else replace(self, operations=operations)

    def with_fleet(self, fleet: Fleet) -> Self:
        """Replace the fleet by one whose ``grounded_days`` are days of the current plan; they become dates."""
        calendar = self.calendar
        grounded = {kind.id: tuple(calendar.date_of_day(day) for day in kind.grounded_days) for kind in fleet.types}
        bare = replace(fleet, types=tuple(kind.unplanned for kind in fleet.types))
        return replace(self, fleet=bare, grounded=grounded)

    def with_network(self, weights: NetworkWeights) -> Self:
        """Return the same project with the network fire model of these weights."""
        model = FireModel("network", weights.training.label, {}, self.fire_model.fuels)
        return replace(self._with_usual_steps(), fire_model=model, weights=weights)

    def with_model(self, model: FireModel) -> Self:
        """Return the same project with a fire model that needs no weights, and that has the usual steps a day.

        Existing weights are dropped. Custom fuel models stay.
        """
        kept = replace(model, fuels=self.fire_model.fuels)
        return replace(self._with_usual_steps(), fire_model=kept, weights=None)

    def with_steps_per_day(self, steps: int) -> Self:
        """Return the same project on an event with another number of steps a day."""
        event = self.scenario
        same = event.steps_per_day == steps
        return self if same else replace(self, scenario=replace(event, steps_per_day=steps))

    def _with_usual_steps(self) -> Self:
        """Return the same project without the steps a day of the physical model.

        They become those of the imported maps, or the paper's.
        """
        if self.fire_model.kind != "physical":
            return self
        return self.with_steps_per_day(STEPS_PER_DAY if self.maps is None else self.maps.steps_per_day)

    def with_margin(self, kind: Margin) -> Self:
        """Return the same project with a margin of this kind for its plans."""
        return replace(self, plan=replace(self.plan, margin=replace(self.plan.margin, kind=kind)))

    @property
    def unprotected_regions(self) -> tuple[str, ...]:
        """Names of the regions that the objective gives no weight: plans do not protect them."""
        if self.plan.weights.prot > 0.0:
            return tuple(region.name for region in self.regions if region.weight == 0.0)
        return tuple(region.name for region in self.regions)

    @property
    def protected_regions(self) -> tuple[str, ...]:
        """Names of the regions that the objective gives a weight."""
        return tuple(region.name for region in self.regions if region.name not in self.unprotected_regions)

    def protecting(self) -> Self:
        """Return the same project with a weight for every region.

        A goal that counts the whole fire alone then counts the regions as well. Weights of the user's own stay, except
        those that are 0.
        """
        plan, weights = self.plan, ObjectiveWeights.of(Setting.BOTH)
        regions = tuple(region if region.weight > 0.0 else replace(region, weight=1.0) for region in self.regions)
        if plan.weights.prot > 0.0:
            return replace(self, regions=regions)
        if plan.setting is Setting.CUSTOM:
            plan = replace(plan, weights=replace(plan.weights, prot=weights.prot))
        else:
            plan = replace(plan, setting=Setting.BOTH, weights=weights)
        return replace(self, regions=regions, plan=plan)

    def with_value_layer(self, layer: ValueLayer) -> Self:
        """Return the same project with a value layer, in place of that of the same name."""
        if any(one.name == layer.name for one in self.values):
            return replace(self, values=tuple(layer if one.name == layer.name else one for one in self.values))
        return replace(self, values=(*self.values, layer))

    def counting_values(self) -> Self:
        """Return the same project with values at risk in its goal. Their weight stays where it is not 0."""
        if self.plan.weights.val > 0.0:
            return self
        weights = replace(self.plan.weights, val=VALUES_WEIGHT)
        return replace(self, plan=replace(self.plan, setting=Setting.CUSTOM, weights=weights))

    def input_problems(self) -> list[Problem]:
        """Return everything wrong with what is planned, apart from the fire and its weather."""
        event = self.scenario
        return (
            event.grid.problems()
            + character_problems("event", event.name)
            + self.fleet.problems()
            + region_problems(self.regions, event.grid.shape)
            + value_problems(self.values, event.grid.shape)
            + barrier_problems(self.barriers, event.grid.shape)
            + self.plan.problems()
            + self.coverage.problems()
            + self.operations.problems(self.planned_fleet, self.calendar, event.grid)
            + self._lake_problems(self.operations.bases)
            + self.stress.problems(event.steps_per_day)
        )

    def base_problems(self, bases: Sequence[Base]) -> list[Problem]:
        """Return every problem of other bases for this project, beside those of each base itself."""
        found = base_problems(bases, self.fleet, self.calendar, self.scenario.grid)
        return found + self._lake_problems(bases)

    def _lake_problems(self, bases: Sequence[Base]) -> list[Problem]:
        return lake_problems(bases, self.scenario.grid, self.scenario.layers.get("fuel"))

    def problems(self) -> list[Problem]:
        """Return everything that would keep a run from starting."""
        event, plan, found = self.scenario, self.plan, self.input_problems()
        if plan.start_day + plan.days > event.days:
            first = max(plan.start_day, 0)
            remedy = f"plan at most {max(event.days - first, 0)} days from day {first}"
            found.append(
                Problem(
                    "plan",
                    f"days {plan.start_day} to {plan.start_day + plan.days - 1} with weather for {event.days} days",
                    remedy,
                )
            )
        if plan.drops_fail_in_flames and self.fire_model.kind != "physical":
            what = "drops fail in long flames, and only the physical fire model knows how long flames are"
            remedy = "choose the physical model, or let drops work in long flames"
            found.append(Problem("plan", what, remedy))
        if plan.counts_cost and (unpriced := self.fleet.unpriced):
            what = f"cost decides, and {', '.join(unpriced)} {'has' if len(unpriced) == 1 else 'have'} no price"
            remedy = "give each type a price, or set the weight of cost to 0 and remove drops of least effect first"
            found.append(Problem("fleet", what, remedy))
        ignition = event.fire_on(plan.start_day)
        if ignition is None or not ignition.any():
            found.append(
                Problem(
                    "plan", f"nothing burns on day {plan.start_day}", "start on a day that has an observed perimeter"
                )
            )
        if plan.weights.prot > 0 and not self.regions:
            found.append(
                Problem(
                    "objective",
                    "protected places have a weight but no region is drawn",
                    f"draw a protected region or choose the goal “{SETTING_TITLES[Setting.A]}”",
                )
            )
        if plan.weights.val > 0 and not self.values:
            what = "values at risk have a weight but there is no value layer"
            found.append(Problem("objective", what, "import values at risk, or set their weight to 0"))
        return found


def same_spread(one: Project, other: Project) -> bool:
    """Return whether both have the same fire without drops."""
    return same_fire(one, other) and _same_days(one, other)


def same_fire(one: Project, other: Project) -> bool:
    """Return whether both have the same event, fire model and barriers, whatever days are planned."""
    return _same_model(one, other) and one.barriers == other.barriers


def _same_model(one: Project, other: Project) -> bool:
    """Return whether both have the same event and fire model."""
    return (
        one.scenario is other.scenario
        and one.plan.burning_at_start is other.plan.burning_at_start
        and one.maps is other.maps
        and one.fire_model == other.fire_model
        and one.weights is other.weights
    )


def _same_days(one: Project, other: Project) -> bool:
    return (one.plan.start_day, one.plan.days) == (other.plan.start_day, other.plan.days)


def changed_inputs(one: Project, other: Project) -> tuple[str, ...]:
    """Return which inputs differ that decide the effect of a plan, in words: ``regions``, ``fleet``.

    Settings of the optimizer and pinned drops decide how a plan is searched for, not its effect, so they do not count.
    Nor do frequencies and hazards, notes on aircraft types, types without an aircraft, and prices where the objective
    has no weight of cost.
    """
    free = [replace(project.operations.rules, pinned=()) for project in (one, other)]
    fleets = [
        [
            replace(kind if each.plan.weights.cost else kind.without_prices, type="", provenance="", price_source="")
            for kind in each.planned_fleet.types
            if kind.count
        ]
        for each in (one, other)
    ]
    flying = [[kind.unplanned for kind in types] for types in fleets]
    grounded = [{kind.id: kind.grounded_days for kind in types} for types in fleets]
    works = [
        (each.plan.nominal, each.plan.design, each.plan.retardant_acts_on, each.plan.failing_flame_m)
        for each in (one, other)
    ]
    is_changed = {
        FIRE: not _same_model(one, other),
        BARRIERS: one.barriers != other.barriers,
        DAYS: not _same_days(one, other),
        REGIONS: one.regions != other.regions,
        VALUES: one.values != other.values,
        GOAL: one.plan.weights != other.plan.weights,
        FLEET: flying[0] != flying[1],
        # A type that only one of them has is a change of the fleet.
        GROUNDED: any(grounded[1].get(kind, days) != days for kind, days in grounded[0].items()),
        RULES: free[0] != free[1],
        EFFECTIVENESS: works[0] != works[1],
    }
    return tuple(name for name, is_other in is_changed.items() if is_other)


def same_inputs(one: Project, other: Project) -> bool:
    """Return whether a plan has the same effect in both: the same fire, fleet, rules and objective."""
    return not changed_inputs(one, other)


def changes_text(
    ran: Project | None, project: Project, *, without_drops: bool = False, unreached: Collection[str] = ()
) -> tuple[str, ...]:
    """Return what a plan of ``ran`` lacks of ``project``, in words.

    Such as ``does not protect R1`` and ``fleet changed since``. ``None`` is a project of another event. With
    ``without_drops`` only what the fire without drops depends on counts. Of the ``unreached`` regions, which that fire
    does not reach, the text says only this: there is nothing to protect them from.
    """
    changed = (FIRE,) if ran is None else changed_inputs(ran, project)
    if without_drops:
        changed = tuple(name for name in changed if name in (FIRE, BARRIERS, DAYS))
    if ran is None or without_drops or not changed:
        return (f"{' and '.join(changed)} changed since",) if changed else ()
    kept = ran.protected_regions
    names = [name for name in project.protected_regions if name not in kept]
    if not names:
        return (f"{' and '.join(changed)} changed since",)
    found = []
    if lacking := [name for name in names if name not in unreached]:
        found.append(f"{NOT_PROTECTED} {_few_names(lacking)}")
    if spared := [name for name in names if name in unreached]:
        found.append(f"the fire does not reach {_few_names(spared)}")
    others = [one for one in changed if one not in (REGIONS, GOAL)]
    return (*found, *([f"{' and '.join(others)} changed since"] if others else []))


def _few_names(names: Sequence[str]) -> str:
    """Return the names of regions, or how many there are."""
    return ", ".join(names) if len(names) <= _MOST_NAMES else f"{len(names)} regions"


def kept_inputs_text(ran: Project, project: Project) -> str:
    """Return in a sentence which inputs a plan of ``ran`` keeps although ``project`` has others.

    ``Uses the fleet that the plan was made with (20 aircraft), not what the project has now (18 aircraft).`` Empty
    where the inputs are the same.
    """
    changed = changed_inputs(ran, project)
    if not changed:
        return ""
    had, has = (
        [
            _count_text(other.fleet.n_aircraft, one.fleet.n_aircraft, "aircraft", "aircraft"),
            _count_text(other.plan.days, one.plan.days, "day"),
        ]
        for one, other in ((ran, project), (project, ran))
    )
    names = " and ".join(filter(None, (", ".join(changed[:-1]), changed[-1])))
    before, now = (f" ({', '.join(filter(None, counts))})" if any(counts) else "" for counts in (had, has))
    return f"Uses the {names} that the plan was made with{before}, not what the project has now{now}."


def differing_words(before: Project, project: Project) -> tuple[str, ...]:
    """Return in a few words each which inputs of ``project`` differ from those ``before``, the goal first.

    Such as ``8 aircraft``, ``no grounded days`` and ``limit 10 %``: a number where it differs, else ``other fleet``.
    """
    changed, margins = changed_inputs(before, project), (before.plan.margin, project.plan.margin)
    grounded = _count_text(_days_grounded(before), _days_grounded(project), "grounded day")
    found = {
        GOAL: "other weights",
        FLEET: fleet_words(before, project),
        GROUNDED: grounded or "other grounded days",
        REGIONS: _count_text(len(before.regions), len(project.regions), "region") or "other regions",
        VALUES: _count_text(len(before.values), len(project.values), "value layer") or "other values at risk",
        BARRIERS: _count_text(len(before.barriers), len(project.barriers), "barrier") or "other barriers",
        DAYS: _count_text(before.plan.days, project.plan.days, "day") or "other days",
        RULES: "other rules",
        EFFECTIVENESS: "other effectiveness",
        FIRE: "other fire",
    }
    if DAYS in changed and before.grounded == project.grounded:
        # The same dates are other days of the plan.
        del found[GROUNDED]
    words = [text for name, text in found.items() if name in changed]
    if margins[0].kind is not margins[1].kind:
        words.append(MARGIN_SHORT[margins[1].kind])
    elif margins[0].limit != margins[1].limit and margins[1].kind is not Margin.NONE:
        words.append(f"limit {percent_text(margins[1].limit)}")
    if before.plan.optimizer.seed != project.plan.optimizer.seed:
        words.append(f"seed {project.plan.optimizer.seed}")
    return tuple(words)


def fleet_words(before: Project, project: Project) -> str:
    """Return how the fleet of ``project`` differs: ``8 aircraft``; empty where it is that ``before``."""
    if FLEET not in changed_inputs(before, project):
        return ""
    return _count_text(before.fleet.n_aircraft, project.fleet.n_aircraft, "aircraft", "aircraft") or "other fleet"


def _days_grounded(project: Project) -> int:
    """Return the number of days of the plan on which a type cannot fly."""
    return len({day for kind in project.planned_fleet.types for day in kind.grounded_days})


def _count_text(before: int, now: int, thing: str, things: str = "") -> str:
    """Return ``8 aircraft`` or ``no regions``; empty where both numbers are the same."""
    if before == now:
        return ""
    return f"{now or 'no'} {thing if now == 1 else things or thing + 's'}"

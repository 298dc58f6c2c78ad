"""Summary of a plan: what an analyst reports of it.

One value for the result view, reports of commands, comparison, briefing and exports. Its fires are expected areas at
the ends of days: the sum of each cell's chance to burn or to have burned, times the area of a cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import DATE_UNKNOWN
from firegui.domain.fleet import CURRENCY, AircraftType, Material, cost_text
from firegui.domain.model_range import outside_text
from firegui.domain.observation import OBSERVED
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.domain.stress import NOT_STRESS_TESTED, StressTable, case_text, missed_text, verdict_text
from firegui.domain.units import Units, amount_text, percent_text

NO_DATE = "the date of the fire is not known"
NO_PLACE = "the fire has no place on the map"
CAUTION = "Caution"
"""Title of the headline that says what makes the result less certain."""
PUT_OUT = "the fire ends smaller: water puts cells out, which then count as unburned"
"""Why a fire can end smaller than it was at the start."""
VERDICT = "Verdict"
"""Title of the headline that says whether the plan holds in every stress scenario."""
NO_REGION_BURNS = "no protected region burns"
_FINAL_SIZE, _SAVED, _LARGER = "Final size", "Saved", "Larger by"
SIZE_TITLES = (_FINAL_SIZE, _SAVED, _LARGER)
"""Titles of the figures of :func:`size_figures`."""
_MOST_REGIONS = 8
"""Regions with a line each in the headline."""


@dataclass(frozen=True, slots=True)
class TypeDrops:
    """Executed drops of one aircraft type on one day.

    ``type`` is its id, and ``gallons`` are US gallons. ``flight_hours`` is ``None`` for a type that the fleet does not
    have, ``cost`` also for one without a price.
    """

    type: str
    material: str
    drops: int
    gallons: float
    flight_hours: float | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class DaySummary:
    """One day of a plan, counted from 0.

    ``when`` is its local date, ``None`` where the date of the fire is not known. ``types`` are the types that drop, in
    the order of the fleet. ``night`` are the drops before sunrise or after sunset, ``None`` where the sun is not known.
    ``fire_ha`` and ``fire_ha_no_drops`` are the fire at the end of the day in hectares, ``None`` where it is not known.
    ``long_flames`` are the drops where flames are above the limit, ``None`` where no flame length is known.
    """

    day: int
    when: date | None
    types: tuple[TypeDrops, ...]
    night: int | None
    fire_ha: float | None
    fire_ha_no_drops: float | None
    long_flames: int | None = None

    @property
    def drops(self) -> int:
        """All executed drops."""
        return sum(line.drops for line in self.types)

    @property
    def gallons(self) -> float:
        """US gallons of both materials."""
        return sum(line.gallons for line in self.types)

    @property
    def flight_hours(self) -> float | None:
        """Flight hours of all drops; ``None`` where they are not known."""
        return _sum_of(line.flight_hours for line in self.types)

    @property
    def cost(self) -> float | None:
        """Cost of all drops; ``None`` where a type drops that has no price."""
        return _sum_of(line.cost for line in self.types)

    def use_text(self, currency: str) -> str:
        """Return ``4.5 flight hours, 51,203 USD``, without what is not known."""
        hours = [] if self.flight_hours is None else [f"{self.flight_hours:,.1f} flight hours"]
        return ", ".join([*hours, *([] if self.cost is None else [cost_text(self.cost, currency)])])

    def drops_of(self, material: Material) -> int:
        """Return the drops of a material."""
        return sum(line.drops for line in self.types if line.material == material.value)

    def gallons_of(self, material: Material) -> float:
        """Return the US gallons of a material."""
        return sum(line.gallons for line in self.types if line.material == material.value)


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """Figure that is reported of a plan.

    ``value`` is a number with its unit, and ``note`` what it is compared with.
    """

    title: str
    value: str
    note: str = ""

    @property
    def text(self) -> str:
        """The number with the note in brackets: ``5.5 ha (1,204 ha without drops)``."""
        return f"{self.value} ({self.note})" if self.note else self.value


@dataclass(frozen=True, slots=True)
class RegionSummary:
    """Protected region at the end of a plan.

    ``area_ha`` is the area of its cells, ``burned_ha`` and ``burned_ha_no_drops`` the expected burned area in it in
    hectares, ``None`` where the fire is not known. ``is_in_goal`` tells whether the goal of the plan counts it.
    """

    name: str
    area_ha: float
    burned_ha: float | None
    burned_ha_no_drops: float | None
    is_in_goal: bool = True

    def is_unreached(self, units: Units = Units.METRIC) -> bool:
        """Return whether neither the fire with the drops nor that without them burns a shown area of it."""
        fires = (self.burned_ha, self.burned_ha_no_drops)
        return all(fire is not None and not is_shown_area(fire, units) for fire in fires)

    def figure(self, title: str, bare: str, units: Units = Units.METRIC) -> KeyFigure:
        """Return what burns of it, such as ``0.4 ha (31.0 ha without drops; area 52.0 ha)``.

        ``bare`` says what the other fire is without.
        """
        without, whole = self.burned_ha_no_drops, f"area {units.area(self.area_ha)}"
        if self.is_unreached(units):
            missed = f"the fire {bare} " + ("does not reach it" if self.name else "reaches none of them")
            return KeyFigure(title, burned_text(0.0, units), f"{missed}; {whole}")
        known = self.burned_ha is not None and without is not None
        notes = [f"{units.area(without)} {bare}"] if known and without is not None else []
        notes += [whole, *([] if self.is_in_goal else ["not in the goal"])]
        return KeyFigure(
            title, "not known" if self.burned_ha is None else burned_text(self.burned_ha, units), "; ".join(notes)
        )


@dataclass(frozen=True, slots=True)
class ValueSummary:
    """Layer of values at risk at the end of a plan, in its own unit.

    ``at_risk`` is lost where every cell burns, ``lost`` and ``lost_no_drops`` are expected to be, ``None`` where
    that is not known. ``is_in_goal`` tells whether the goal of the plan counts it.
    """

    name: str
    at_risk: float
    lost: float | None
    lost_no_drops: float | None
    is_in_goal: bool = True

    def figure(self, bare: str) -> KeyFigure:
        """Return what is lost of it, such as ``12.3 (212 without drops; of 300 at risk)``."""
        notes = [] if self.lost_no_drops is None else [f"{amount_text(self.lost_no_drops)} {bare}"]
        notes += [f"of {amount_text(self.at_risk)} at risk", *([] if self.is_in_goal else ["not in the goal"])]
        lost = "not known" if self.lost is None else amount_text(self.lost)
        return KeyFigure(f"Value lost: {self.name}", lost, "; ".join(notes))


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """What an analyst reports of a plan.

    ``final_ha`` and ``final_ha_no_drops`` are the fire at the end of the plan. ``night_unknown`` says why the drops at
    night are not known, and is empty where they are. ``has_daylight_rule`` tells whether the plan was made with one.
    ``fire`` is ``"observed"`` or ``"drawn"`` for a replanned run, whose fire is not the expected one. ``stress`` is
    the stress table of a plan that was tested, and ``cell_ha`` the area of a cell. ``outside`` says
    what of the fire the training of its model never saw, ``missed`` by what the plan misses its limit; both are empty
    where nothing is. ``verdict`` says whether the plan holds in every stress scenario, with areas in hectares; it is
    empty where the plan was not tested. ``start_ha`` is the fire at the start of the plan, in hectares, ``None`` where
    it is not known. ``regions`` are the protected regions, and ``together`` is their union where there are several.
    ``values`` are the layers of values at risk. ``has_other_regions`` tells whether the stress test counted others.
    ``flame_limit_m`` is the flame length above which :attr:`long_flames` counts drops, ``None``
    where no flame length is known; ``drops_fail_in_flames`` tells whether drops have no effect there. ``currency`` is
    that of costs.
    """

    days: tuple[DaySummary, ...]
    final_ha: float | None
    final_ha_no_drops: float | None
    night_unknown: str
    has_daylight_rule: bool
    cell_ha: float
    fire: str = ""
    stress: StressTable | None = None
    outside: str = ""
    missed: str = ""
    verdict: str = ""
    start_ha: float | None = None
    regions: tuple[RegionSummary, ...] = ()
    together: RegionSummary | None = None
    has_other_regions: bool = False
    flame_limit_m: float | None = None
    drops_fail_in_flames: bool = False
    currency: str = CURRENCY
    values: tuple[ValueSummary, ...] = ()

    @property
    def counts_values(self) -> bool:
        """Whether the goal counts values at risk."""
        return any(layer.is_in_goal for layer in self.values)

    @property
    def protects_regions(self) -> bool:
        """Whether the goal of the plan counts a region."""
        return any(region.is_in_goal for region in self.regions)

    @property
    def all_regions(self) -> RegionSummary | None:
        """The only region, or the union of all; ``None`` without a region."""
        return self.regions[0] if len(self.regions) == 1 else self.together

    @property
    def drops(self) -> int:
        """All executed drops."""
        return sum(day.drops for day in self.days)

    @property
    def gallons(self) -> float:
        """US gallons of both materials."""
        return sum(day.gallons for day in self.days)

    @property
    def flight_hours(self) -> float | None:
        """Flight hours of all drops; ``None`` where they are not known."""
        return _sum_of(day.flight_hours for day in self.days)

    @property
    def cost(self) -> float | None:
        """Cost of all drops; ``None`` where a type drops that has no price."""
        return _sum_of(day.cost for day in self.days)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Types that drop and have no price."""
        return tuple(dict.fromkeys(line.type for day in self.days for line in day.types if line.cost is None))

    @property
    def night(self) -> int | None:
        """Drops before sunrise or after sunset; ``None`` where the sun is not known."""
        counts = [day.night for day in self.days if day.night is not None]
        return sum(counts) if len(counts) == len(self.days) else None

    @property
    def long_flames(self) -> int | None:
        """Drops where flames are longer than the limit; ``None`` where no flame length is known."""
        return None if self.flame_limit_m is None else sum(day.long_flames or 0 for day in self.days)

    @property
    def saved_share(self) -> float | None:
        """Part of the fire without drops that the plan saves; negative where the plan makes the fire larger."""
        return None if self.final_ha is None else saved_share(self.final_ha, self.final_ha_no_drops)

    @property
    def bare(self) -> str:
        """What the other fire is without, in words."""
        return "without further drops" if self.fire == OBSERVED else "without drops"

    def verdict_line(self, units: Units = Units.METRIC) -> str:
        """Return the verdict in ``units``, or that the plan was not stress-tested."""
        return units.restate(self.verdict) or NOT_STRESS_TESTED

    def drops_of(self, material: Material) -> int:
        """Return the drops of a material."""
        return sum(day.drops_of(material) for day in self.days)

    def gallons_of(self, material: Material) -> float:
        """Return the US gallons of a material."""
        return sum(day.gallons_of(material) for day in self.days)

    # -- texts -------------------------------------------------------------------------------------------------------
    def short_size_text(self, units: Units = Units.METRIC) -> str:
        """Return the final size and what is saved in few words: ``5.5 ha (99.5 % saved)``."""
        if self.final_ha is None:
            return "final size not known"
        share = self.saved_share
        return units.area(self.final_ha) + ("" if share is None else f" ({saved_text(share)})")

    def key_figures(self, units: Units = Units.METRIC) -> list[KeyFigure]:
        """Return the figures that are reported first.

        The protected regions come before the final size where the goal counts them. Single ones of several come last.
        """
        size = self._size_figures(units)
        regions = self.region_figures(units)
        return [
            *([*regions[:1], *size] if self.protects_regions else size),
            KeyFigure("Drops", f"{self.drops:,}"),
            self._volume_figure(units),
            *self._cost_figures(),
            self._night_figure(),
            *self._flame_figures(units),
            *self.worst_figures(units),
            *(regions[1:] if self.protects_regions else regions),
            *self.value_figures(),
        ]

    def plan_figures(self, units: Units = Units.METRIC) -> list[KeyFigure]:
        """Return the figures beside what burns: part saved, size at the start, and those of the drops."""
        size, *others = self._size_figures(units)
        sizes = [replace(figure, note=size.note) if figure.title in SIZE_TITLES else figure for figure in others]
        return [
            *sizes, KeyFigure("Drops", f"{self.drops:,}"), self._volume_figure(units), *self._cost_figures(),
            self._night_figure(), *self._flame_figures(units),
        ]  # fmt: skip

    def _size_figures(self, units: Units) -> list[KeyFigure]:
        """Return the final size, what part is saved, and the size at the start."""
        sizes = size_figures(self.final_ha, self.final_ha_no_drops, self.bare, units)
        return [*sizes, *start_figures(self.start_ha, self.final_ha, units)]

    def _volume_figure(self, units: Units) -> KeyFigure:
        """Return the volume of all drops, and of each material where there are two."""
        parts = [(kind.value, self.gallons_of(kind)) for kind in (Material.RETARDANT, Material.WATER)]
        used = [(name, gallons) for name, gallons in parts if gallons]
        split = [name if len(used) == 1 else f"{units.volume_number(gallons)} {name}" for name, gallons in used]
        return KeyFigure("Volume", units.volume(self.gallons), ", ".join(split))

    def _cost_figures(self) -> list[KeyFigure]:
        """Return the flight hours, and the cost where a type that drops has a price.

        ``not known (no price for S-2T and 747; 51,203 USD for the others)``.
        """
        hours = self.flight_hours
        if not self.drops or hours is None:
            return []
        found = [KeyFigure("Flight hours", f"{hours:,.1f}")]
        costs = [line.cost for day in self.days for line in day.types if line.cost is not None]
        if not costs:
            return found
        known = cost_text(sum(costs), self.currency)
        if not self.unpriced:
            return [*found, KeyFigure("Cost", known)]
        names = " and ".join(filter(None, (", ".join(self.unpriced[:-1]), self.unpriced[-1])))
        return [*found, KeyFigure("Cost", "not known", f"no price for {names}; {known} for the others")]

    def _night_figure(self) -> KeyFigure:
        """Return the drops at night, and whether a daylight rule holds: ``193 (of 381; no daylight rule)``."""
        title = "Drops at night"
        if self.drops and self.night is None:
            return KeyFigure(title, "not known", self.night_unknown)
        if not self.night:
            return KeyFigure(title, "none")
        rule = "the daylight rule allows them" if self.has_daylight_rule else "no daylight rule"
        return KeyFigure(title, f"{self.night:,}", f"of {self.drops:,}; {rule}")

    def _flame_figures(self, units: Units) -> list[KeyFigure]:
        """Return the drops in long flames, such as ``31 (of 381; where flames are over 2.4 m long)``.

        Empty where no flame length is known.
        """
        if self.flame_limit_m is None:
            return []
        title, where = "Drops in long flames", f"where flames are over {units.flame_length(self.flame_limit_m)} long"
        if self.drops_fail_in_flames:
            where = f"no effect {where}"
        if not self.long_flames:
            return [KeyFigure(title, "none", where)]
        return [KeyFigure(title, f"{self.long_flames:,}", f"of {self.drops:,}; {where}")]

    def worst_figures(self, units: Units) -> list[KeyFigure]:
        """Return the worst stress case with that case's own fire without drops.

        A larger fire of another case is named beside it. Where the goal counts regions, the case in which most of them
        burns comes before. Empty without a test.
        """
        if self.stress is None:
            return []
        worst, largest = self.stress.worst, self.stress.largest
        cells = worst.cells_worst, worst.cells_no_drops, largest.cells_worst
        burned, bare, most = (units.area(each * self.cell_ha) for each in cells)
        left = f"{percent_text(worst.share_worst)} of the growth left"
        note = f"{case_text(worst.scenario)}; {bare} {self.bare} in that case, {left}"
        if most != burned:
            note += f"; largest fire {most} in “{largest.scenario.title}”"
        figure = KeyFigure("Worst stress case", burned, note)
        if not self.protects_regions:
            return [figure]
        inside = self.stress.worst_for_regions
        of_run = "with the regions of the run" if self.has_other_regions else ""
        area_ha = inside.protected_worst * self.cell_ha
        if not is_shown_area(area_ha, units):
            return [KeyFigure("Worst stress case, regions", NO_REGION_BURNS, of_run), figure]
        note = "; ".join(filter(None, (case_text(inside.scenario), of_run)))
        return [KeyFigure("Worst stress case, regions", units.area(area_ha), note), figure]

    def region_figures(self, units: Units = Units.METRIC) -> list[KeyFigure]:
        """Return what burns of the protected regions, together first."""
        shown = list(self.regions)
        if len(shown) > _MOST_REGIONS:
            shown = sorted(shown, key=lambda region: -(region.burned_ha or 0.0))[:_MOST_REGIONS]
        found = [region.figure(f"Burned in {region.name}", self.bare, units) for region in shown]
        if self.together is not None:
            found.insert(0, self.together.figure("Burned in all regions", self.bare, units))
        if others := len(self.regions) - len(shown):
            most = max(region.burned_ha or 0.0 for region in self.regions if region not in shown)
            found.append(KeyFigure(f"Other regions: {others:,}", units.area(most), "or less burned in each"))
        return found

    def value_figures(self) -> list[KeyFigure]:
        """Return what is lost of every layer of values at risk."""
        return [layer.figure(self.bare) for layer in self.values]

    def headline(self, units: Units = Units.METRIC) -> list[tuple[str, str]]:
        """Return the verdict, the key figures and the caution as titles and texts."""
        return [
            (VERDICT, self.verdict_line(units)),
            *((figure.title, figure.text) for figure in self.key_figures(units)),
            *([(CAUTION, f"⚠ {self.outside}")] if self.outside else []),
        ]

    def start_row(self, units: Units = Units.METRIC, *, is_narrow: bool = False) -> list[list[str]]:
        """Return the row of the start for a table of days, if the size at the start is known."""
        if self.start_ha is None:
            return []
        number = (units.area_number if is_narrow else units.area)(self.start_ha)
        return [["Start", *[""] * (2 if is_narrow else 5), number, number, *([""] if is_narrow else [])]]

    def day_rows(self, units: Units = Units.METRIC) -> list[list[str]]:
        """Return the table of days, titles first: drops by type, volume, drops at night, fire at the end."""
        volume = f"Volume, {units.volume_unit}"
        titles = ["Day", "Date", "Drops", "By type", volume, "At night", "Fire at end", self.bare.capitalize()]
        return [titles, *(_day_row(day, units) for day in self.days)]

    def narrow_day_rows(self, units: Units = Units.METRIC) -> list[list[str]]:
        """Return the table of days for a narrow page, titles first.

        The last column has what does not fit beside the numbers: drops by type and drops at night.
        """
        unit, volume = units.area_unit, f"Volume, {units.volume_unit}"
        titles = ["Day", "Drops", volume, f"Fire, {unit}", f"{self.bare.capitalize()}, {unit}", ""]
        return [titles, *(_narrow_day_row(day, units) for day in self.days)]


def _narrow_day_row(day: DaySummary, units: Units) -> list[str]:
    name = f"{day.day + 1}" if day.when is None else f"{day.day + 1} · {day.when.day} {day.when:%b}"
    fires = ("–" if area is None else units.area_number(area) for area in (day.fire_ha, day.fire_ha_no_drops))
    more = [f"{line.type} {line.drops:,}" for line in day.types]
    more += [f"{day.night:,} at night"] if day.night else []
    return [name, f"{day.drops:,}", units.volume_number(day.gallons), *fires, ", ".join(more)]


def _day_row(day: DaySummary, units: Units) -> list[str]:
    by_type = ", ".join(f"{line.type} {line.drops:,}" for line in day.types) or "–"
    fires = ("–" if area is None else units.area(area) for area in (day.fire_ha, day.fire_ha_no_drops))
    night = "–" if day.night is None else f"{day.night:,}"
    date_text = DATE_UNKNOWN if day.when is None else day.when.isoformat()
    return [f"{day.day + 1}", date_text, f"{day.drops:,}", by_type, units.volume_number(day.gallons), night, *fires]


def is_shown_area(area_ha: float, units: Units = Units.METRIC) -> bool:
    """Return whether an area in hectares is more than 0 with the digits that are shown."""
    return units.area(area_ha) != units.area(0.0)


def burned_text(area_ha: float, units: Units = Units.METRIC) -> str:
    """Return a burned area in hectares as text, ``none`` for one that is shown as 0."""
    return units.area(area_ha) if is_shown_area(area_ha, units) else "none"


def start_area(project: Project) -> float | None:
    """Return the fire at the start of the plan in hectares, ``None`` where nothing burns or is not known."""
    burning = project.scenario.fire_on(project.plan.start_day)
    cells = 0 if burning is None else int(np.count_nonzero(burning))
    return cells * project.scenario.grid.cell_area_ha if cells else None


def saved_share(final_ha: float, final_ha_no_drops: float | None) -> float | None:
    """Return the part of a fire without drops that a plan saves, ``None`` where there is no such fire."""
    return 1.0 - final_ha / final_ha_no_drops if final_ha_no_drops else None


def size_figures(
    final_ha: float | None, final_ha_no_drops: float | None, bare: str, units: Units = Units.METRIC
) -> list[KeyFigure]:
    """Return the size of a fire and what part is saved. ``bare`` says what the other fire is without."""
    without = "" if final_ha_no_drops is None else f"{units.area(final_ha_no_drops)} {bare}"
    if final_ha is None:
        return [KeyFigure(_FINAL_SIZE, "not known", without)]
    size, share = KeyFigure(_FINAL_SIZE, units.area(final_ha), without), saved_share(final_ha, final_ha_no_drops)
    if share is None:
        return [size]
    return [size, KeyFigure(_SAVED if share >= 0.0 else _LARGER, percent_text(abs(share)))]


def start_figures(start_ha: float | None, final_ha: float | None, units: Units = Units.METRIC) -> list[KeyFigure]:
    """Return the size at the start, and why a fire ends smaller. Empty where it is not known."""
    if start_ha is None:
        return []
    note = PUT_OUT if final_ha is not None and final_ha < start_ha else ""
    return [KeyFigure("Size at the start", units.area(start_ha), note)]


def misfit_text(summary: PlanSummary, ran: Project, project: Project) -> str:
    """Return which drops of a plan of ``ran`` the aircraft of ``project`` cannot fly, as a clause.

    ``No longer fits the project: 24 drops of S-2T cannot be flown``. These are drops on days on which their type is
    grounded, and those of types that the fleet lacks. Empty without any, and where ``project`` has other days.
    """
    if (ran.plan.start_day, ran.plan.days) != (project.plan.start_day, project.plan.days):
        return ""
    grounded = {kind.id: kind.grounded_days for kind in project.planned_fleet.types if kind.count}
    counts: Counter[str] = Counter()
    for day in summary.days:
        for line in day.types:
            if line.type not in grounded or day.day in grounded[line.type]:
                counts[line.type] += line.drops
    lost = ", ".join(f"{count:,} {'drop' if count == 1 else 'drops'} of {kind}" for kind, count in counts.items())
    return f"No longer fits the project: {lost} cannot be flown" if lost else ""


def saved_text(share: float) -> str:
    """Return what part of a fire is saved: ``87 % saved``, or how much larger the fire becomes."""
    return f"{percent_text(share)} saved" if share >= 0.0 else f"{percent_text(-share)} larger"


# -- making one --------------------------------------------------------------------------------------------------------
Areas = Mapping[int, float]
"""Area of the fire in hectares by day boundary; boundary ``k`` is the start of day ``k``."""


def boundary_areas(states: NDArray[np.float32], first: int, project: Project) -> Areas:
    """Return the expected areas of ``states [N, H, W]``, the first of them at day boundary ``first``."""
    sums = np.asarray(np.sum(states, axis=(1, 2), dtype=np.float64)) * project.scenario.grid.cell_area_ha
    return {first + number: float(area) for number, area in enumerate(sums)}


def plan_summary(
    project: Project,
    drops: Sequence[DropRecord],
    night: NDArray[np.bool_] | None,
    plan: Areas,
    baseline: Areas,
    *,
    fire: str = "",
    stress: StressTable | None = None,
    flames: Mapping[tuple[int, int], float] | None = None,
) -> PlanSummary:
    """Return the summary of ``drops``, of which those that are not executed do not count.

    ``night [T]`` are the steps before sunrise or after sunset, ``None`` where the sun is not known. ``plan`` and
    ``baseline`` are the fire with the drops and without them, as far as it is known. ``flames`` are the flame lengths
    in m where drops land, by step and column, ``None`` where they are not known.
    """
    limit = project.plan.flame_limit_m
    calendar, event = project.calendar, project.scenario
    flown = [drop for drop in drops if drop.executed and 0 <= drop.step < calendar.n_steps]
    by_day: list[list[DropRecord]] = [[] for _ in range(calendar.days)]
    for drop in flown:
        by_day[calendar.day_of_step(drop.step)].append(drop)
    types = {tail.name: tail.type for tail in project.planned_fleet.tails}
    days = tuple(
        DaySummary(
            day,
            calendar.date_of_day(day) if event.is_dated else None,
            _by_type(group, types),
            None if night is None else sum(bool(night[drop.step]) for drop in group),
            plan.get(day + 1),
            baseline.get(day + 1),
            None if flames is None else sum(flames.get((drop.step, drop.column), 0.0) > limit for drop in group),
        )
        for day, group in enumerate(by_day)
    )
    unknown = "" if night is not None else NO_PLACE if event.is_dated else NO_DATE
    return PlanSummary(
        days, plan.get(calendar.days), baseline.get(calendar.days), unknown, project.operations.daylight is not None,
        event.grid.cell_area_ha, fire, stress, outside_text(project),
        missed_text(stress, project.plan), verdict_text(stress, project.plan, event.grid.cell_area_ha), plan.get(0),
        flame_limit_m=None if flames is None else limit, drops_fail_in_flames=project.plan.drops_fail_in_flames,
        currency=project.fleet.currency,
    )  # fmt: skip


def with_regions(
    summary: PlanSummary,
    project: Project,
    masks: NDArray[np.bool_],
    plan: NDArray[np.float32] | None,
    baseline: NDArray[np.float32] | None,
) -> PlanSummary:
    """Return the summary with what burns of every protected region.

    Where there are several, it has their union too.
    ``masks [R, H, W]`` are the cells of the regions. ``plan`` and ``baseline`` ``[H, W]`` are the fires with the drops
    and without them at the end of the plan, ``None`` where they are not known.
    """
    cell, unprotected = project.scenario.grid.cell_area_ha, project.unprotected_regions

    def burned(fire: NDArray[np.float32] | None, mask: NDArray[np.bool_]) -> float | None:
        return None if fire is None else float(np.sum(fire[mask], dtype=np.float64)) * cell

    def region(name: str, mask: NDArray[np.bool_], *, is_in_goal: bool) -> RegionSummary:
        return RegionSummary(name, int(mask.sum()) * cell, burned(plan, mask), burned(baseline, mask), is_in_goal)

    regions = tuple(
        region(each.name, mask, is_in_goal=each.name not in unprotected)
        for each, mask in zip(project.regions, masks, strict=True)
    )
    together = None
    if len(regions) > 1:
        together = region("", np.any(masks, axis=0), is_in_goal=any(each.is_in_goal for each in regions))
    return replace(summary, regions=regions, together=together)


def _sum_of(values: Iterable[float | None]) -> float | None:
    """Return the sum; ``None`` where a value is."""
    found = list(values)
    known = [value for value in found if value is not None]
    return sum(known) if len(known) == len(found) else None


def value_summaries(
    project: Project, lost: Sequence[float | None], lost_no_drops: Sequence[float | None]
) -> tuple[ValueSummary, ...]:
    """Return what is lost of every value layer, with the drops and without them.

    Both have an element a layer, or none where nothing is known.
    """
    terms = [layer.terms for layer in project.values]
    known = [each if len(each) == len(terms) else [None] * len(terms) for each in (lost, lost_no_drops)]
    counted = project.plan.weights.val > 0.0
    return tuple(
        ValueSummary(one.name, one.at_risk, plan, bare, counted and one.counts > 0.0)
        for one, plan, bare in zip(terms, *known, strict=True)
    )


def _type_drops(name: str, material: str, drops: Sequence[DropRecord], kind: AircraftType | None) -> TypeDrops:
    count, gallons = len(drops), sum(drop.payload_gal for drop in drops)
    if kind is None:
        return TypeDrops(name, material, count, gallons)
    if kind.cycles:
        hours = sum(kind.flight_h_at(drop.step) for drop in drops)
        costs = [kind.cost_at(drop.step) for drop in drops]
        return TypeDrops(name, material, count, gallons, hours, _sum_of(costs) if kind.drop_cost is not None else None)
    cost = None if kind.drop_cost is None else count * kind.drop_cost
    return TypeDrops(name, material, count, gallons, count * kind.turnaround_h, cost)


def _by_type(drops: Sequence[DropRecord], types: Mapping[str, AircraftType]) -> tuple[TypeDrops, ...]:
    """Return the drops by type and material.

    ``types`` are those of the aircraft, in the order of the fleet.
    """
    groups: dict[tuple[str, str], list[DropRecord]] = {}
    kinds = {kind.id: kind for kind in types.values()}
    order = list(kinds)
    for drop in drops:
        name = types[drop.aircraft].id if drop.aircraft in types else drop.type
        groups.setdefault((name, str(drop.material)), []).append(drop)
    ordered = sorted(groups.items(), key=lambda item: order.index(item[0][0]) if item[0][0] in order else len(order))
    return tuple(_type_drops(name, material, group, kinds.get(name)) for (name, material), group in ordered)

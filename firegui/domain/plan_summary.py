"""Summary of a plan: what an analyst reports of it.

One value for the result view, reports of commands, comparison, briefing and exports. Its fires are expected areas at
the ends of days: the sum of each cell's chance to burn or to have burned, times the area of a cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from firegui.domain.calendar import DATE_UNKNOWN
from firegui.domain.fleet import Material
from firegui.domain.model_range import outside_text
from firegui.domain.observation import OBSERVED
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.domain.stress import NOT_STRESS_TESTED, StressTable, case_text, missed_text, verdict_text
from firegui.domain.units import Units, percent_text

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
    """Executed drops of one aircraft type on one day. ``type`` is its id, and ``gallons`` are US gallons."""

    type: str
    material: str
    drops: int
    gallons: float


@dataclass(frozen=True, slots=True)
class DaySummary:
    """One day of a plan, counted from 0.

    ``when`` is its local date, ``None`` where the date of the fire is not known. ``types`` are the types that drop, in
    the order of the fleet. ``night`` are the drops before sunrise or after sunset, ``None`` where the sun is not known.
    ``fire_ha`` and ``fire_ha_no_drops`` are the fire at the end of the day in hectares, ``None`` where it is not known.
    """

    day: int
    when: date | None
    types: tuple[TypeDrops, ...]
    night: int | None
    fire_ha: float | None
    fire_ha_no_drops: float | None

    @property
    def drops(self) -> int:
        """All executed drops."""
        return sum(line.drops for line in self.types)

    @property
    def gallons(self) -> float:
        """US gallons of both materials."""
        return sum(line.gallons for line in self.types)

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
    ``has_other_regions`` tells whether the stress
    test counted others.
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
    def night(self) -> int | None:
        """Drops before sunrise or after sunset; ``None`` where the sun is not known."""
        counts = [day.night for day in self.days if day.night is not None]
        return sum(counts) if len(counts) == len(self.days) else None

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
            self._night_figure(),
            *self.worst_figures(units),
            *(regions[1:] if self.protects_regions else regions),
        ]

    def plan_figures(self, units: Units = Units.METRIC) -> list[KeyFigure]:
        """Return the figures beside what burns: the part saved, the size at the start, drops, volume, night."""
        size, *others = self._size_figures(units)
        sizes = [replace(figure, note=size.note) if figure.title in SIZE_TITLES else figure for figure in others]
        return [*sizes, KeyFigure("Drops", f"{self.drops:,}"), self._volume_figure(units), self._night_figure()]

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

    def _night_figure(self) -> KeyFigure:
        """Return the drops at night, and whether a daylight rule holds: ``193 (of 381; no daylight rule)``."""
        title = "Drops at night"
        if self.drops and self.night is None:
            return KeyFigure(title, "not known", self.night_unknown)
        if not self.night:
            return KeyFigure(title, "none")
        rule = "the daylight rule allows them" if self.has_daylight_rule else "no daylight rule"
        return KeyFigure(title, f"{self.night:,}", f"of {self.drops:,}; {rule}")

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
) -> PlanSummary:
    """Return the summary of ``drops``, of which those that are not executed do not count.

    ``night [T]`` are the steps before sunrise or after sunset, ``None`` where the sun is not known. ``plan`` and
    ``baseline`` are the fire with the drops and without them, as far as it is known.
    """
    calendar, event = project.calendar, project.scenario
    flown = [drop for drop in drops if drop.executed and 0 <= drop.step < calendar.n_steps]
    by_day: list[list[DropRecord]] = [[] for _ in range(calendar.days)]
    for drop in flown:
        by_day[calendar.day_of_step(drop.step)].append(drop)
    types = _types_of(project)
    days = tuple(
        DaySummary(
            day,
            calendar.date_of_day(day) if event.is_dated else None,
            _by_type(group, types),
            None if night is None else sum(bool(night[drop.step]) for drop in group),
            plan.get(day + 1),
            baseline.get(day + 1),
        )
        for day, group in enumerate(by_day)
    )
    unknown = "" if night is not None else NO_PLACE if event.is_dated else NO_DATE
    return PlanSummary(
        days, plan.get(calendar.days), baseline.get(calendar.days), unknown, project.operations.daylight is not None,
        event.grid.cell_area_ha, fire, stress, outside_text(project),
        missed_text(stress, project.plan), verdict_text(stress, project.plan, event.grid.cell_area_ha), plan.get(0),
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


def _types_of(project: Project) -> dict[str, str]:
    """Return the type id of every aircraft, in the order of the fleet."""
    return {tail.name: tail.type.id for tail in project.fleet.tails}


def _by_type(drops: Sequence[DropRecord], types: Mapping[str, str]) -> tuple[TypeDrops, ...]:
    groups: dict[tuple[str, str], list[DropRecord]] = {}
    order = list(dict.fromkeys(types.values()))
    for drop in drops:
        groups.setdefault((types.get(drop.aircraft, drop.type), str(drop.material)), []).append(drop)
    ordered = sorted(groups.items(), key=lambda item: order.index(item[0][0]) if item[0][0] in order else len(order))
    return tuple(
        TypeDrops(kind, material, len(group), sum(drop.payload_gal for drop in group))
        for (kind, material), group in ordered
    )

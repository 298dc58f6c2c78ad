"""What is handed over: one value that every format writes from, with the times at which fire arrives.

A :class:`Sheet` says how a map or a briefing of it is to be printed: paper, days, author.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from firegui.domain.behaviour_classes import FLAME_LENGTH, INTENSITY, SPREAD_RATE, BehaviourClasses
from firegui.domain.calendar import Calendar
from firegui.domain.fire_hours import BURNED
from firegui.domain.model_range import outside_training
from firegui.domain.names import shown_name
from firegui.domain.observation import OBSERVED
from firegui.domain.plan_summary import Areas, PlanSummary, boundary_areas, plan_summary, value_summaries, with_regions
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.domain.stress import StressTable, missed_text
from firegui.domain.units import Units
from firegui.errors import Check, Problem
from firegui.io.daylight import Sunlight, night_steps, place_of, sunlight
from firegui.io.exporters.table import DropRow, drop_rows
from firegui.io.georeference import END_MODEL_YEAR, FIRST_MODEL_YEAR
from firegui.io.rasters.masks import region_masks
from firegui.io.vectors.water import WaterLayer, water_of_fuel

_EDITED_SINCE = "Shown as it was planned; the project was edited after that"


class Paper(StrEnum):
    """Paper to print on."""

    LETTER = "letter"
    A4 = "a4"
    TABLOID = "tabloid"


class Orientation(StrEnum):
    """Which side of the paper lies at the bottom."""

    LANDSCAPE = "landscape"
    PORTRAIT = "portrait"


class WrittenDrops(StrEnum):
    """Drops that tables and layers list. Maps, briefings, KML and GPX show the flown drops."""

    FLOWN = "flown"
    ALL = "all"


class MapBackground(StrEnum):
    """What lies under the fire."""

    RELIEF = "relief"
    FUEL = "fuel"
    ARRIVAL = "arrival"
    SPREAD = "spread"
    FLAMES = "flames"
    INTENSITY = "intensity"
    NONE = "none"


INCHES: Mapping[Paper, tuple[float, float]] = MappingProxyType(
    {Paper.LETTER: (8.5, 11.0), Paper.A4: (210.0 / 25.4, 297.0 / 25.4), Paper.TABLOID: (11.0, 17.0)}
)
"""Short and long side of each paper in inches."""

PAPER_TITLES: Mapping[Paper, str] = MappingProxyType(
    {Paper.LETTER: "Letter, 8.5 × 11 in", Paper.A4: "A4, 210 × 297 mm", Paper.TABLOID: "Tabloid, 11 × 17 in"}
)
GROUND_TITLES: Mapping[MapBackground, str] = MappingProxyType(
    {
        MapBackground.RELIEF: "relief or canopy",
        MapBackground.FUEL: "fuel classes on relief",
        MapBackground.ARRIVAL: "arrival time without drops",
        MapBackground.SPREAD: "rate of spread",
        MapBackground.FLAMES: "flame length",
        MapBackground.INTENSITY: "fireline intensity",
        MapBackground.NONE: "none",
    }
)
BEHAVIOUR: Mapping[MapBackground, BehaviourClasses | None] = MappingProxyType(
    {
        MapBackground.ARRIVAL: None,
        MapBackground.SPREAD: SPREAD_RATE,
        MapBackground.FLAMES: FLAME_LENGTH,
        MapBackground.INTENSITY: INTENSITY,
    }
)
"""Backgrounds that show the fire itself, without its chance over them, and the classes of its behaviour."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What people choose for a map and a briefing.

    ``first_day`` to ``last_day`` are days of the plan counted from 0, both included; ``None`` is the plan's last.
    ``whole_grid`` shows the modelled area, else the map is zoomed to fire and drops. ``prepared`` is the date and time
    of preparation (aware); left out, it is when the plan was made. ``incident_number`` is as ``CA-PNF-001308``.
    ``units`` are those of texts and tables; data files keep theirs.
    """

    author: str = ""
    incident_number: str = ""
    paper: Paper = Paper.LETTER
    orientation: Orientation = Orientation.LANDSCAPE
    ground: MapBackground = MapBackground.RELIEF
    first_day: int = 0
    last_day: int | None = None
    whole_grid: bool = False
    prepared: datetime | None = None
    units: Units = Units.METRIC

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches."""
        short, long = INCHES[self.paper]
        return (long, short) if self.orientation is Orientation.LANDSCAPE else (short, long)

    @property
    def size_name(self) -> str:
        """The paper in a file's name."""
        return self.paper.value

    @property
    def orientation_name(self) -> str:
        """The orientation in a file's name, as PMS 936 shortens it."""
        return "land" if self.orientation is Orientation.LANDSCAPE else "port"

    def days(self, calendar: Calendar) -> range:
        """Return the chosen days of the plan; :meth:`problems` says which lie outside it."""
        last = calendar.days - 1 if self.last_day is None else min(self.last_day, calendar.days - 1)
        return range(max(self.first_day, 0), last + 1)

    def problems(self, calendar: Calendar) -> list[Problem]:
        """Return everything that is wrong with it for a plan."""
        found = []
        last = calendar.days - 1 if self.last_day is None else self.last_day
        if not 0 <= self.first_day <= last < calendar.days:
            what = f"day {self.first_day + 1} to day {last + 1} of a plan of {calendar.days}"
            found.append(Problem("days", what, f"choose days from 1 to {calendar.days}, the first not after the last"))
        if self.prepared is not None and self.prepared.tzinfo is None:
            found.append(Problem("prepared", "has no offset from UTC", "write it as 2020-08-21T14:30:00-07:00"))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Occupancy:
    """``days [N, H, W]``: the probability that a cell burns or has burned, at day boundaries of the plan.

    ``days[k]`` is the state at the start of day ``first + k``, which is the end of the day before; the states of a
    whole plan of ``D`` days have ``first = 0`` and ``N = D + 1``.
    """

    days: NDArray[np.float32]
    first: int

    @property
    def boundaries(self) -> range:
        """The boundary of each state."""
        return range(self.first, self.first + len(self.days))

    def state(self, boundary: int) -> NDArray[np.float32] | None:
        """Return the state ``[H, W]`` at a boundary, ``None`` where it is not known."""
        return self.days[boundary - self.first] if boundary in self.boundaries else None


@dataclass(frozen=True, eq=False)
class ExportContent:
    """A plan as it is handed over.

    ``rows`` are all proposed drops, by step and then by the aircraft's column. With ``left_out`` proposals that are not
    flown left out, they are the flown ones alone. ``run`` is what people call the run, empty for none; ``made`` the
    time when the plan was made (aware). ``plan`` and ``baseline`` are the fire with and without the plan, where they
    are known. ``notes`` say what to know of the numbers, and ``warnings`` are those of them that must not be
    overlooked. ``background`` are those on fire model and event, the same for every plan of the fire. ``sheet`` is what
    people choose of printed maps. ``fire`` is ``"observed"`` or ``"drawn"`` for a run that was replanned in such a
    fire. ``stress`` is the stress table of a plan that was tested, and ``has_other_regions`` tells
    whether the plan was made and tested with other regions than those of ``project``. ``unfinished`` says that the
    search of the plan has not ended, and is empty where it has; ``outdated`` says what changed since the plan was made.
    ``flames`` are the flame lengths in m where the drops land, by step and column, ``None`` where they are not known.
    ``behaviour`` returns the highest values ``[H, W]`` of a named quantity of the fire on days of the plan, ``None``
    where they are not known.
    """

    project: Project
    rows: tuple[DropRow, ...]
    run: str
    made: datetime
    plan: Occupancy | None
    baseline: Occupancy | None
    notes: tuple[str, ...]
    sheet: Sheet = field(default_factory=Sheet)
    warnings: tuple[str, ...] = ()
    fire: str = ""
    stress: StressTable | None = None
    has_other_regions: bool = False
    background: tuple[str, ...] = ()
    left_out: int = 0
    unfinished: str = ""
    outdated: str = ""
    flames: Mapping[tuple[int, int], float] | None = None
    behaviour: Callable[[str, range, Check], NDArray[np.float32] | None] = lambda name, days, check: None

    def only(self, drops: WrittenDrops) -> ExportContent:
        """Return the content with the rows of ``drops``."""
        if drops is WrittenDrops.ALL:
            return self
        return replace(self, rows=self.flown, left_out=self.not_flown)

    @property
    def not_flown(self) -> int:
        """Number of proposed drops that the plan does not execute, those that are left out among them."""
        return len(self.rows) - len(self.flown) + self.left_out

    @property
    def cautions(self) -> tuple[str, ...]:
        """What must be known before the plan is flown: its doubts, and that it does not hold."""
        said = (*self.doubts, missed_text(self.stress, self.project.plan))
        return tuple(f"⚠ {text}" for text in said if text)

    @property
    def doubts(self) -> tuple[str, ...]:
        """That the plan is unfinished or outdated, or its fire outside what the fire model learned from."""
        outside = outside_training(self.project)
        unsure = "" if outside is None else f"The fire is less certain: {outside.badge}"
        return tuple(filter(None, (self.unfinished, self.outdated, unsure)))

    @property
    def crew_notes(self) -> tuple[str, ...]:
        """The hazards and radio frequencies that were typed."""
        operations = self.project.operations
        hazards = (f"Hazard: {shown_name(text.strip())}" for text in operations.hazards)
        return (*hazards, *(f"Frequency, {shown_name(item.text)}" for item in operations.frequencies))

    @property
    def table_notes(self) -> tuple[str, ...]:
        """The notes, with what a table of drops says of its rows."""
        count, held = len(self.rows), len(self.rows) - len(self.flown)
        mixed = f"{held:,} of {count:,} drops are proposals that are not flown: executed is false"
        return (mixed, *self.notes) if held else self.notes

    @property
    def bare(self) -> str:
        """What the fire without the plan is without, in words."""
        return "without further drops" if self.fire == OBSERVED else "without drops"

    @cached_property
    def flown(self) -> tuple[DropRow, ...]:
        """The drops that the plan executes."""
        return tuple(row for row in self.rows if row.drop.executed)

    @cached_property
    def night(self) -> NDArray[np.bool_] | None:
        """``[T]``: steps before sunrise or after sunset; ``None`` where the sun is not known."""
        return night_steps(self.project)

    @cached_property
    def summary(self) -> PlanSummary:
        """What is reported of the plan first."""
        project, fires = self.project, (self.plan, self.baseline)
        plan, baseline = (_areas(fire, project) for fire in fires)
        drops = [row.drop for row in self.rows]
        found = plan_summary(
            project, drops, self.night, plan, baseline, fire=self.fire, stress=self.stress, flames=self.flames
        )
        found = replace(found, has_other_regions=self.has_other_regions)
        ends = [None if fire is None else fire.state(project.calendar.days) for fire in fires]
        lost = ([layer.lost(end) for layer in project.values] for end in ends)
        found = replace(found, values=value_summaries(project, *lost))
        return with_regions(found, project, region_masks(project.regions, project.scenario.grid.shape), *ends)

    @property
    def near_water(self) -> int | None:
        """Number of flown drops near water; ``None`` where it is unknown."""
        if any(row.near_water is None for row in self.flown):
            return None
        return sum(bool(row.near_water) for row in self.flown)


def export_content(
    project: Project,
    drops: Sequence[DropRecord],
    *,
    run: str = "",
    made: datetime | None = None,
    plan: Occupancy | None = None,
    baseline: Occupancy | None = None,
    water: WaterLayer | None = None,
    sheet: Sheet | None = None,
    limits: Sequence[str] = (),
    numbers: Mapping[tuple[int, int], int] | None = None,
    unfinished: str = "",
    changes: Sequence[str] = (),
    flames: Mapping[tuple[int, int], float] | None = None,
) -> ExportContent:
    """Work out everything that the formats share.

    ``limits`` are what the fire model is known not to know of this fire; they come first among the notes. ``numbers``
    are those of the whole plan's drops, where ``drops`` are some of them. ``unfinished`` comes first of all, and
    then ``changes``, what changed since the plan was made in the words of
    :func:`~firegui.domain.project.changes_text`.
    Without ``made`` the plan counts as made when it starts; without ``water`` that is taken from the fuel layer.
    ``flames`` are the flame lengths in m where drops land, by step and column.
    """
    ordered = sorted(drops, key=lambda drop: (drop.step, drop.column))
    water = water_of_fuel(project.scenario) if water is None else water
    rows = tuple(drop_rows(ordered, project, water, numbers, flames))
    warnings = (*_night_notes(rows, project), *_flame_notes(rows, project, sheet))
    outdated = f"{_EDITED_SINCE}: {'; '.join(changes)}" if changes else ""
    notes = (
        *filter(None, (unfinished, outdated)), *limits, *_date_notes(project), *warnings, *_water_notes(rows, water),
        *_compass_notes(rows), *project.scenario.notes,
    )  # fmt: skip
    made, background = made or project.calendar.start, (*limits, *project.scenario.notes)
    return ExportContent(
        project,
        rows,
        shown_name(run),
        made,
        plan,
        baseline,
        notes,
        sheet or Sheet(),
        warnings,
        background=background,
        unfinished=unfinished,
        outdated=outdated,
        flames=flames,
    )


def _areas(fire: Occupancy | None, project: Project) -> Areas:
    return {} if fire is None else boundary_areas(fire.days, fire.first, project)


def light_of(project: Project, first: int, last: int) -> list[Sunlight]:
    """Return sunrises and sunsets around the plan's days ``first`` to ``last`` at the middle of the grid.

    Empty without a place, and where the date of the fire is not known.
    """
    place, calendar = place_of(project.scenario.grid), project.calendar
    if place is None or not project.scenario.is_dated:
        return []
    return list(sunlight(place, calendar.date_of_day(first - 2), calendar.date_of_day(last + 2)))


def _date_notes(project: Project) -> list[str]:
    if project.scenario.is_dated:
        return []
    return [
        "the date of the fire is not known: dates and clock times are left out or have a stand-in, and sunrise, sunset "
        "and magnetic north are not known"
    ]


def _night_notes(rows: Sequence[DropRow], project: Project) -> list[str]:
    night = night_steps(project)
    flown = [row.drop for row in rows if row.drop.executed]
    # Steps outside the plan are refused elsewhere, with their drops.
    dark = 0 if night is None else sum(bool(night[drop.step]) for drop in flown if 0 <= drop.step < len(night))
    if not dark:
        return []
    rule = "the plan was made without a daylight rule" if project.operations.daylight is None else "as its rule allows"
    return [f"{dark:,} of {len(flown):,} drops lie before sunrise or after sunset: {rule}"]


def _flame_notes(rows: Sequence[DropRow], project: Project, sheet: Sheet | None) -> list[str]:
    flown, limit = [row for row in rows if row.drop.executed], project.plan.flame_limit_m
    count = sum((row.flame_length_m or 0.0) > limit for row in flown)
    if not count:
        return []
    length = (sheet or Sheet()).units.flame_length(limit)
    works = "have no effect there" if project.plan.drops_fail_in_flames else "rarely work there"
    return [f"{count:,} of {len(flown):,} drops land where flames are over {length} long: drops {works}"]


def _water_notes(rows: Sequence[DropRow], water: WaterLayer | None) -> list[str]:
    if water is None:
        return ["nobody looked for water near the drops: the event has no fuel layer at hand and no water was given"]
    flown = [row for row in rows if row.drop.executed]
    close = [row for row in flown if row.near_water]
    chemical = sum(row.drop.material == "retardant" for row in close)
    text = f"{len(close):,} of {len(flown):,} drops lie within 300 ft of water"
    return [f"{text} ({chemical:,} of retardant), by {water.source}"]


def _compass_notes(rows: Sequence[DropRow]) -> list[str]:
    bare = sum(row.lonlat is not None and row.declination is None for row in rows)
    if not bare:
        return []
    reach = f"the World Magnetic Model covers {FIRST_MODEL_YEAR} to {END_MODEL_YEAR}, away from the magnetic poles"
    return [f"no magnetic heading for {bare:,} drops: {reach}"]


Times = NDArray[np.float32]


def arrival_days(fire: Occupancy) -> Times:
    """Return ``[H, W]``: days from the plan's start to the first boundary at which ``P ≥ 0.5``.

    NaN where that never is. What burns already in the first state that is known arrives at that state's boundary.
    """
    burned = fire.days >= BURNED
    first = burned.argmax(axis=0) + fire.first
    return np.where(burned.any(axis=0), first, np.nan).astype(np.float32)


def arrival_hours(fire: Occupancy) -> Times:
    """Return the hours ``[H, W]`` until fire is as likely as not.

    Hours count from the plan's start to ``P = 0.5``, by a straight line between boundaries; else NaN. An approximation:
    the states between the boundaries are not kept, and fire spreads unevenly over a day.
    """
    burned = fire.days >= BURNED
    after = burned.argmax(axis=0)[None]
    high = np.take_along_axis(fire.days, after, axis=0)[0].astype(np.float64)
    low = np.take_along_axis(fire.days, np.maximum(after - 1, 0), axis=0)[0].astype(np.float64)
    inside = burned.any(axis=0) & (after[0] > 0)
    back = np.divide(high - BURNED, high - low, out=np.zeros_like(high), where=inside)
    hours = 24.0 * (after[0] + fire.first - back)
    return np.where(burned.any(axis=0), hours, np.nan).astype(np.float32)

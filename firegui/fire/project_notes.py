"""Notes on a project, graded by how much they matter to its results. No torch is needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from enum import StrEnum
from itertools import chain

from firegui.domain.model_range import outside_training
from firegui.domain.operations import Daylight
from firegui.domain.project import Project
from firegui.domain.scenario import UNKNOWN_START
from firegui.domain.units import Units
from firegui.domain.weather import WeatherEnd
from firegui.errors import Problem
from firegui.fire.model_caveats import model_caveats, model_warnings

NO_DATE = (
    "The date of the fire is not known: there is no sunrise, sunset, daylight rule or magnetic north. Import it again "
    "with its start."
)
MANY_STEPS = 500
"""Steps a day from which it is noted before a plan starts that it takes longer."""
NO_DAYLIGHT = "No daylight rule: drops may be planned at night."


class Grade(StrEnum):
    """How much a note matters, the gravest first."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Remedy(StrEnum):
    """Changes of a project that settle a note."""

    PROTECT = "protect"
    DAYLIGHT = "daylight"


REMEDY_TITLES = {Remedy.PROTECT: "Protect", Remedy.DAYLIGHT: "Drop in daylight only"}


@dataclass(frozen=True, slots=True)
class GradedNote:
    """One note. An error keeps runs from starting; a warning makes results less certain or less usable.

    ``remedy`` is the change that settles it, ``None`` where there is no simple one.
    """

    grade: Grade
    text: str
    remedy: Remedy | None = None

    @property
    def line(self) -> str:
        """The note with its grade, ``Warning: …``."""
        return f"{self.grade.value.capitalize()}: {self.text}"


def project_notes(project: Project, units: Units = Units.METRIC) -> tuple[GradedNote, ...]:
    """Return everything to know of a project in ``units``, each text once, the gravest first."""
    return _once(_notes(project, units))


def start_notes(
    project: Project, units: Units = Units.METRIC, problems: Iterable[Problem] = (), unreached: Collection[str] = ()
) -> tuple[GradedNote, ...]:
    """Return what to know before a plan is started in ``units``, the gravest first.

    ``problems`` prevent the run, beside those of the project. Regions that are ``unreached`` by the fire without drops
    need no protection.
    """
    errors = (GradedNote(Grade.ERROR, str(problem)) for problem in problems)
    return _once(chain(errors, _start_notes(project, units, unreached)))


def unprotected_text(names: Sequence[str]) -> str:
    """Return that plans by these settings do not protect the regions called ``names``."""
    *others, last = names
    return f"The settings do not protect {', '.join(others)}{' and ' if others else ''}{last} yet."


def short_weather_text(weather: WeatherEnd, start: datetime, utc_offset_h: float, first: int, last: int) -> str:
    """Return that the weather ends before a plan from day ``first`` to ``last``; empty if it does not.

    Days count from ``start``, that of day 0.
    """
    lacking = round((start + timedelta(days=last) - weather.until) / timedelta(hours=1))
    if lacking < 1:
        return ""
    local = weather.until.astimezone(timezone(timedelta(hours=utc_offset_h)))
    when = f" on {local:%Y-%m-%d} at {local:%H:%M} local time" if start != UNKNOWN_START else ""
    whole = (weather.until - start) // timedelta(days=1)
    instead = "that of the day before" if whole >= 1 else "its last hour"
    covered = whole - first
    remedy = f"Plan at most {covered} day{'' if covered == 1 else 's'}, or import" if covered >= 1 else "Import"
    return (
        f"The weather of {weather.file} ends{when}, {lacking:,} hour{'' if lacking == 1 else 's'} before the plan: "
        f"there {instead} stands in. {remedy} weather that lasts longer."
    )


def settled(project: Project, remedy: Remedy) -> Project:
    """Return ``project`` with the change that ``remedy`` names."""
    if remedy is Remedy.PROTECT:
        return project.protecting()
    return replace(project, operations=replace(project.operations, daylight=Daylight()))


def _once(notes: Iterable[GradedNote]) -> tuple[GradedNote, ...]:
    found: dict[str, GradedNote] = {}
    for note in notes:
        found.setdefault(note.text, note)
    return tuple(found.values())


def _notes(project: Project, units: Units) -> Iterator[GradedNote]:
    yield from _errors(project)
    yield from _undated(project)
    yield from _short_weather(project)
    yield from _dark(project)
    yield from _unusual(project, units)
    yield from (GradedNote(_model_grade(project), text) for text in model_warnings(project, units))
    yield from (GradedNote(Grade.NOTE, text) for text in model_caveats(project, units))
    yield from (GradedNote(Grade.NOTE, text) for text in project.scenario.notes)


def _start_notes(project: Project, units: Units, unreached: Collection[str]) -> Iterator[GradedNote]:
    yield from _errors(project)
    if names := [name for name in project.unprotected_regions if name not in unreached]:
        yield GradedNote(Grade.WARNING, unprotected_text(names), Remedy.PROTECT)
    yield from _undated(project)
    yield from _short_weather(project)
    yield from _dark(project)
    yield from _unusual(project, units)
    yield from _long(project)
    outside = outside_training(project, units)
    yield from (GradedNote(_model_grade(project), text) for text in (() if outside is None else outside.reasons))


def _model_grade(project: Project) -> Grade:
    """Return how much limits of the fire model matter: the sizes of an invented fire do not count."""
    return Grade.NOTE if project.scenario.synthetic else Grade.WARNING


def _errors(project: Project) -> Iterator[GradedNote]:
    yield from (GradedNote(Grade.ERROR, str(problem)) for problem in project.problems())


def _unusual(project: Project, units: Units) -> Iterator[GradedNote]:
    """Yield a warning for every number of the fleet that no aircraft is known to have."""
    yield from (GradedNote(Grade.WARNING, text) for text in project.fleet.unusual(units))


def _long(project: Project) -> Iterator[GradedNote]:
    """Yield a note on the steps that the physical model needs where a plan takes much longer for them."""
    steps = project.scenario.steps_per_day
    if project.fire_model.kind == "physical" and steps >= MANY_STEPS:
        text = (
            f"The fire is fast: a day has {steps:,} steps, and a plan takes longer the more there are. A lower speed "
            "limit of the fire model or larger cells save steps."
        )
        yield GradedNote(Grade.NOTE, text)


def _undated(project: Project) -> Iterator[GradedNote]:
    if not project.scenario.is_dated:
        yield GradedNote(Grade.WARNING, NO_DATE)


def _short_weather(project: Project) -> Iterator[GradedNote]:
    """Yield a warning where the weather of a file ends before the plan does."""
    event, plan, end = project.scenario, project.plan, project.scenario.weather_end
    last = min(plan.start_day + plan.days, event.days)
    said = "" if end is None else short_weather_text(end, event.start, event.utc_offset_h, plan.start_day, last)
    if said:
        yield GradedNote(Grade.WARNING, said)


def _dark(project: Project) -> Iterator[GradedNote]:
    event = project.scenario
    if project.operations.daylight is None and event.is_dated:
        yield GradedNote(Grade.WARNING, NO_DAYLIGHT, Remedy.DAYLIGHT if event.grid.is_georeferenced else None)

"""Skill report of a forecast: the model, its references, and the days left out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.assets import resource
from firegui.domain.scenario import Scenario
from firegui.errors import Problems
from firegui.fire.reliability import Reliability, reliability
from firegui.fire.skill import ForecastSkill, held_skill, scored_days
from firegui.io import toml
from firegui.io.georeference import Georeference


@dataclass(frozen=True, slots=True)
class Span:
    """Days ``first … last`` of the forecast under one name; empty where ``last < first``."""

    key: str
    label: str
    first: int
    last: int

    def __contains__(self, day: int) -> bool:
        return self.first <= day <= self.last


@dataclass(frozen=True, slots=True, eq=False)
class SkillReport:
    """Scores of a forecast of ``days`` days from ``start`` (local date).

    Perimeters up to day ``fit_days`` may have been read. ``references`` were scored in the same way, ``published`` is a
    curve from a publication. The reliability diagram is over all scored days and over those after the fitted ones.
    ``not_scored`` are days whose perimeter is only filled forward.
    """

    event: str
    start: date
    days: int
    fit_days: int
    model: ForecastSkill
    references: tuple[ForecastSkill, ...]
    published: PublishedCurve | None
    reliability: Reliability
    reliability_after: Reliability
    not_scored: tuple[int, ...]

    @property
    def forecasts(self) -> tuple[ForecastSkill, ...]:
        """The model first, then what it is compared with."""
        return (self.model, *self.references)

    @property
    def spans(self) -> tuple[Span, ...]:
        """All days, the fitted ones and those after them."""
        fitted = min(self.fit_days, self.days)
        return (
            Span("all", f"days 1–{self.days}", 1, self.days),
            Span("fitted", f"days 1–{fitted}, fitted", 1, fitted),
            Span("after", f"days {fitted + 1}–{self.days}, after", fitted + 1, self.days),
        )

    def date_of_day(self, day: int) -> date:
        """Return local date of the perimeter that the state after ``day`` days is compared with."""
        return self.start + timedelta(days=day)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the reader, as sentences."""
        said = []
        if self.not_scored:
            listed = ", ".join(str(day) for day in self.not_scored)
            head = "day" if len(self.not_scored) == 1 else "days"
            said.append(f"Not scored: {head} {listed}, whose perimeter is only filled forward from an earlier day.")
        if self.fit_days and not any(day > self.fit_days for day in self.model.days):
            said.append(f"No perimeter after day {self.fit_days} was scored, so this says nothing of a forecast.")
        if self.published is not None:
            said.append(f"Published curve: {self.published.source}; made with terrain and fuel models.")
        return tuple(said)


def skill_report(
    event: Scenario,
    states: NDArray[np.float32],
    fit_days: int,
    model: ForecastSkill,
    references: Sequence[ForecastSkill] = (),
) -> SkillReport:
    """Put together what was scored; holding the last perimeter is added to ``references``.

    ``states [D + 1, H, W]`` are those of ``model``. Raises :class:`~firegui.errors.InputError` for an event without a
    perimeter on day 0.
    """
    days = len(states) - 1
    scored = scored_days(event, days)
    return SkillReport(
        event=event.name,
        start=event.date_of_day(0),
        days=days,
        fit_days=fit_days,
        model=model,
        references=(*references, held_skill(event, days, fit_days)),
        published=published_for(event),
        reliability=reliability(event, states),
        reliability_after=reliability(event, states, after=fit_days),
        not_scored=tuple(day for day in range(1, days + 1) if day not in scored),
    )


_KM_PER_DEGREE = 111.2


@dataclass(frozen=True, slots=True)
class PublishedCurve:
    """Published IoU at threshold 0.5 by day of the forecast, and the mean over all days.

    The mean covers more days than those listed. It is of the fire that began on the local date ``start`` within
    ``within_km`` of ``longitude, latitude`` (WGS 84, degrees). ``source`` is the publication, ``label`` what stands
    beside the curve.
    """

    label: str
    source: str
    event: str
    start: date
    longitude: float
    latitude: float
    within_km: float
    mean: float
    iou: Mapping[int, float]

    def is_of(self, event: Scenario) -> bool:
        """Return whether ``event`` is that fire: its first day, and where its first perimeter lies."""
        first = event.observed_on(0)
        if event.date_of_day(0) != self.start or first is None or not first.any() or event.synthetic:
            return False
        rows, columns = np.nonzero(first)
        place = Georeference(event.grid).lonlat(float(rows.mean()), float(columns.mean()))
        return place is not None and self._distance_km(*place) <= self.within_km

    def _distance_km(self, longitude: float, latitude: float) -> float:
        east = (longitude - self.longitude) * math.cos(math.radians(self.latitude))
        return _KM_PER_DEGREE * math.hypot(east, latitude - self.latitude)


def published_for(event: Scenario) -> PublishedCurve | None:
    """Return the shipped curve of ``event``, if there is one."""
    curves = read_published(resource("fire/published_skill.toml"))
    return next((curve for curve in curves if curve.is_of(event)), None)


def read_published(path: Path) -> tuple[PublishedCurve, ...]:
    """Read the curves; :class:`~firegui.errors.InputError` lists everything wrong with the file."""
    problems, title = Problems(), f"The published scores {path.name} cannot be used"
    raw = toml.read_toml(path, problems)
    problems.raise_if_any(title)
    table = toml.Table(raw, path.name, problems)
    curves = tuple(_curve(row) for row in table.tables("curve"))
    table.finish()
    problems.raise_if_any(title)
    return curves


def _curve(row: toml.Table) -> PublishedCurve:
    days, values = row.take("days", list[int]), row.take("iou", list[float])
    if days is not None and values is not None and len(days) != len(values):
        row.problems.add(row.where, f"{len(days)} days and {len(values)} values", "write one value for each day")
    curve = PublishedCurve(
        label=row.take("label", str),
        source=row.take("source", str),
        event=row.take("event", str),
        start=row.take("start", date),
        longitude=row.take("longitude", float),
        latitude=row.take("latitude", float),
        within_km=row.take("within_km", float),
        mean=row.take("mean", float),
        iou=dict(zip(days or (), values or (), strict=False)),
    )
    row.finish()
    return curve

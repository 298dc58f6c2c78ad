"""Scores that others have published for an event, to be shown beside our own (``resources/fire/published_skill.toml``).

They were obtained with layers that our event may lack, so they say what is possible, not what ours should reach.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from firegui.assets import resource
from firegui.domain.scenario import Scenario
from firegui.errors import Problems
from firegui.io import strict
from firegui.io.georeference import Georeference

_KM_PER_DEGREE = 111.2


@dataclass(frozen=True, slots=True)
class PublishedCurve:
    """IoU at threshold 0.5 by day of the forecast, and their mean over all days, which are more than those listed.

    It is of the fire that began on the local date ``start`` within ``within_km`` of ``longitude, latitude`` (WGS 84,
    degrees). ``source`` is the publication, ``label`` what stands beside the curve.
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
        """Whether ``event`` is that fire: its first day, and where its first perimeter lies."""
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
    """The shipped curve of ``event``, if there is one."""
    curves = read_published(resource("fire/published_skill.toml"))
    return next((curve for curve in curves if curve.is_of(event)), None)


def read_published(path: Path) -> tuple[PublishedCurve, ...]:
    """Read the curves; :class:`~firegui.errors.InputError` lists everything wrong with the file."""
    problems, title = Problems(), f"The published scores {path.name} cannot be used"
    raw = strict.read_toml(path, problems)
    problems.raise_if_any(title)
    table = strict.Table(raw, path.name, problems)
    curves = tuple(_curve(row) for row in table.tables("curve"))
    table.finish()
    problems.raise_if_any(title)
    return curves


def _curve(row: strict.Table) -> PublishedCurve:
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

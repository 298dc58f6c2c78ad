"""One row per proposed drop, with everything people ask of it; every exporter writes from these rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.io.georeference import Georeference

NOTICE = "PLANNED – MODEL OUTPUT, not for operational use without review"


@dataclass(frozen=True, slots=True)
class DropRow:
    """A drop and what follows from its place and time.

    ``day`` counts from 0. ``lonlat`` and ``landing_lonlat`` (WGS 84, degrees) and ``east_north`` (grid CRS) are
    ``None`` on a grid without a place. ``heading_true`` is the axis of the run in degrees, [0, 180).
    """

    drop: DropRecord
    day: int
    time_utc: str
    time_local: str
    lonlat: tuple[float, float] | None
    landing_lonlat: tuple[float, float] | None
    east_north: tuple[float, float] | None
    heading_true: float | None


def drop_rows(drops: Sequence[DropRecord], project: Project) -> list[DropRow]:
    """Work out the rows, in the order of ``drops``."""
    grid, calendar = project.scenario.grid, project.calendar
    place = Georeference(grid)
    released = _places(place, [(drop.y, drop.x) for drop in drops])
    landed = _places(place, [(drop.landing_y, drop.landing_x) for drop in drops])
    rows = []
    for drop, at, landing in zip(drops, released, landed, strict=True):
        time = calendar.time_of_step(drop.step)
        rows.append(
            DropRow(
                drop,
                calendar.day_of_step(drop.step),
                time.isoformat(timespec="seconds").replace("+00:00", "Z"),
                time.astimezone(calendar.local_zone).isoformat(timespec="seconds"),
                at,
                landing,
                grid.to_world(drop.y, drop.x) if place.has_place else None,
                place.run_heading_true(drop.y, drop.x, drop.theta) if place.has_place else None,
            )
        )
    return rows


def _places(place: Georeference, positions: Sequence[tuple[float, float]]) -> list[tuple[float, float] | None]:
    cells = np.array(positions, np.float64).reshape(-1, 2)
    found = place.lonlat_many(cells[:, 0], cells[:, 1])
    if found is None:
        return [None] * len(positions)
    pairs = ((float(lon), float(lat)) for lon, lat in zip(*found, strict=True))
    return [pair if math.isfinite(pair[0]) and math.isfinite(pair[1]) else None for pair in pairs]

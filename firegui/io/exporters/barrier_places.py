"""Barriers as they are handed over: shapes in WGS 84, and attributes that firegui reads again."""

from __future__ import annotations

from typing import Any

import shapely

from firegui.domain.barriers import EVENT_LINE_CATEGORIES, KIND_TITLES, Barrier, in_utc
from firegui.domain.project import Project
from firegui.io.exporters.areas import region_shape, to_wgs84
from firegui.io.exporters.table import NOTICE

BARRIER = "barrier"
"""Kind of a barrier among the features of a file."""


def placed_barriers(project: Project) -> list[tuple[Barrier, Any]]:
    """Return the barriers with their lines or polygons in WGS 84, whole beyond the grid too."""
    barriers = [barrier for barrier in project.barriers if not barrier.problems()]
    placed = to_wgs84(
        [region_shape(barrier.region) if barrier.is_area else line_shape(barrier) for barrier in barriers],
        project.scenario.grid,
    )
    return list(zip(barriers, placed, strict=True))


def line_shape(barrier: Barrier) -> Any:
    """Return the lines of a barrier in corner coordinates ``(column, row)``."""
    return shapely.MultiLineString([[(column, row) for row, column in line] for line in barrier.lines])


def barrier_attributes(barrier: Barrier) -> dict[str, Any]:
    """Return the attributes of a barrier, the same in every format for a GIS.

    ``FeatureCategory`` is the category of NWCG's Event Line standard, ``None`` for a river, which has none.
    """
    when = in_utc(barrier).exists_from
    return {
        "kind": BARRIER,
        "name": barrier.name,
        "barrier_kind": barrier.kind.value,
        "FeatureCategory": EVENT_LINE_CATEGORIES.get(barrier.kind),
        "width_m": None if barrier.is_area else float(barrier.width_m),
        "strength": float(barrier.strength),
        "exists_from": None if when is None else when.isoformat(),
        "notice": NOTICE,
    }


def barrier_text(barrier: Barrier) -> str:
    """Return kind, width, strength and time of a barrier in one line."""
    when = in_utc(barrier).exists_from
    parts = [KIND_TITLES[barrier.kind]]
    parts += [] if barrier.is_area else [f"{barrier.width_m:g} m wide"]
    parts.append(f"stops {100.0 * barrier.strength:g} % of the spread")
    parts += [] if when is None else [f"from {when:%Y-%m-%d %H:%M} UTC on"]
    return ", ".join(parts)

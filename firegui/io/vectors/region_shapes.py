"""Checks for polygons that cross themselves, whose inside is not defined."""

from __future__ import annotations

import re
from collections.abc import Iterable

import shapely

from firegui.domain.regions import Region, Ring
from firegui.errors import Problem

_CROSSING = re.compile(r"Self-intersection\[(\S+) (\S+)\]")


def crossing_problems(regions: Iterable[Region], kind: str = "region") -> list[Problem]:
    """One problem for each ring with edges that cross; rings that only touch, or with too few corners, pass."""
    found = []
    for region in regions:
        for ring in (ring for part in region.parts for ring in part if len(ring) >= 3):
            place = _crossing(ring)
            if place is not None:
                what = f"crosses itself near row {place[0]:g}, column {place[1]:g}"
                found.append(Problem(f"{kind} {region.name}", what, "draw it again, or split it there"))
    return found


def is_simple(region: Region) -> bool:
    """Return whether no edge crosses or touches another and every hole lies inside."""
    return all(len(part[0]) >= 3 and bool(shapely.Polygon(part[0], part[1:]).is_valid) for part in region.parts)


def _crossing(ring: Ring) -> tuple[float, float] | None:
    match = _CROSSING.match(str(shapely.is_valid_reason(shapely.Polygon(ring))))
    return None if match is None else (float(match[1]), float(match[2]))

"""One row per proposed drop, with everything people ask of it and its outline on the ground.

Every exporter writes from these rows: as attributes for a GIS, or in words for people.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from firegui.domain.calendar import to_the_minute
from firegui.domain.drops import DropList, half_turn
from firegui.domain.fleet import OUTLINE_SIGMAS, AircraftType, cost_text
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.io.georeference import Compass, Georeference, format_ddm
from firegui.io.vectors.water import WaterLayer, near_water, water_of_fuel

_POINTS = 24


def outlines(drops: Sequence[DropRecord]) -> NDArray[np.float64]:
    """Return the outlines of drops, ``[n, 24, 2]``.

    They are ellipses around the landing points as ``(column, row)``, raster corner coordinates in cells. The long axis
    runs along ``(dx, dy) = (cos θ, −sin θ)``; rings are not closed.
    """
    poses = [(d.landing_y, d.landing_x, d.theta, d.sigma_parallel_cells, d.sigma_perpendicular_cells) for d in drops]
    table = np.array(poses, np.float64).reshape(-1, 5)
    y, x, theta, parallel, perpendicular = (column[:, None] for column in table.T)
    turn = np.linspace(0.0, 2.0 * np.pi, _POINTS, endpoint=False)[None, :]
    along, across = OUTLINE_SIGMAS * parallel * np.cos(turn), OUTLINE_SIGMAS * perpendicular * np.sin(turn)
    dx = along * np.cos(theta) + across * np.sin(theta)
    dy = -along * np.sin(theta) + across * np.cos(theta)
    # A pose counts cell centres at integers, corner coordinates are half a cell further.
    return np.stack([x + 0.5 + dx, y + 0.5 + dy], axis=2)


def outline_polygons(drops: Sequence[DropRecord]) -> NDArray[np.object_]:
    """Return :func:`outlines` as shapely polygons, in the same coordinates."""
    return np.asarray(shapely.polygons(outlines(drops)), np.object_).reshape(-1)


NOTICE = "PLANNED – MODEL OUTPUT, not for operational use without review"

FEET_PER_M = 1.0 / 0.3048
KNOTS_PER_MS = 3600.0 / 1852.0

Places = tuple[tuple[float, float] | None, tuple[float, float] | None]


@dataclass(frozen=True, slots=True)
class DropRow:
    """A drop and what follows from its place and time.

    ``day`` counts from 0. ``lonlat`` and ``landing_lonlat`` (WGS 84, degrees), their texts in degrees and decimal
    minutes ``release_ddm`` and ``landing_ddm``, and ``east_north`` (grid CRS) are ``None`` on a grid without a place.
    ``heading_true`` is the axis of the run in degrees; ``declination`` is from true to magnetic north, east positive,
    ``None`` where the magnetic model does not reach. ``height_ft`` is above ground and
    ``speed_kt`` the aircraft's, ``None`` for an aircraft that the fleet does not have. ``near_water``: whether the
    footprint lies within 300 ft of water, ``None`` where the places of water are unknown. Where the date of the fire is
    not known, ``time_utc`` and ``time_local`` are empty and ``clock`` is the time since the start of the day.
    ``number`` is the drop's among the flown drops of the plan (:attr:`DropList.numbers`), ``None`` if it is not flown.
    ``flame_length_m`` is that of the fire where the drop lands, ``None`` where it is not known. ``flight_hours`` and
    ``cost`` are ``None`` where they are not known; ``currency`` is that of the cost, empty for a fleet without prices.
    """

    drop: DropRecord
    day: int
    time_utc: str
    time_local: str
    lonlat: tuple[float, float] | None
    landing_lonlat: tuple[float, float] | None
    east_north: tuple[float, float] | None
    heading_true: float | None
    release_ddm: str | None = None
    landing_ddm: str | None = None
    declination: float | None = None
    height_ft: float | None = None
    speed_kt: float | None = None
    near_water: bool | None = None
    clock: str = ""
    number: int | None = None
    flame_length_m: float | None = None
    flight_hours: float | None = None
    cost: float | None = None
    currency: str = ""

    @property
    def run_headings(self) -> tuple[float | None, float | None]:
        """True and magnetic heading of the same one of the two ways to fly the run, to 0.1°.

        The true one is in [0, 180), the magnetic one in [0, 360).
        """
        true = whole_heading(self.heading_true)
        if true is None or self.declination is None:
            return true, None
        return true, round(true - self.declination, 1) % 360.0

    @property
    def when(self) -> str:
        """The local time to the minute, or the day and the time since its start."""
        return _minute(self.time_local) or f"day {self.day + 1}, {self.clock}"


def drop_rows(
    drops: Sequence[DropRecord],
    project: Project,
    water: WaterLayer | None = None,
    numbers: Mapping[tuple[int, int], int] | None = None,
    flames: Mapping[tuple[int, int], float] | None = None,
) -> list[DropRow]:
    """Work out the rows, in the order of ``drops``.

    Without ``water`` it is taken from the event's fuel layer. ``numbers`` are those of the whole plan
    (:attr:`DropList.numbers`), for some of its drops. ``flames`` are the flame lengths in m where drops land, by step
    and column.
    """
    numbers = DropList.of(drops).numbers if numbers is None else numbers
    water = water_of_fuel(project.scenario) if water is None else water
    place, compass = Georeference(project.scenario.grid), Compass()
    released = _places(place, [(drop.y, drop.x) for drop in drops])
    landed = _places(place, [(drop.landing_y, drop.landing_x) for drop in drops])
    close = near_water(list(outline_polygons(drops)), water)
    tails = {tail.name: tail.type for tail in project.planned_fleet.tails}
    return [
        _row(drop, project, place, compass, tails.get(drop.aircraft), places, near, numbers, flames or {})
        for drop, places, near in zip(drops, zip(released, landed, strict=True), close, strict=True)
    ]


def _row(
    drop: DropRecord,
    project: Project,
    place: Georeference,
    compass: Compass,
    kind: AircraftType | None,
    places: Places,
    near: bool | None,
    numbers: Mapping[tuple[int, int], int],
    flames: Mapping[tuple[int, int], float],
) -> DropRow:
    calendar = project.calendar
    time, (at, landing) = calendar.time_of_step(drop.step), places
    heading = place.run_heading_true(drop.y, drop.x, drop.theta) if place.has_place else None
    known = at is not None and calendar.is_dated
    turn = compass.declination(*at, time, _altitude(drop, project, kind)) if at is not None and known else None
    return DropRow(
        drop=drop,
        day=calendar.day_of_step(drop.step),
        time_utc=utc_text(time) if calendar.is_dated else "",
        time_local=time.astimezone(calendar.local_zone).isoformat(timespec="seconds") if calendar.is_dated else "",
        lonlat=at,
        landing_lonlat=landing,
        east_north=project.scenario.grid.to_world(drop.y, drop.x) if place.has_place else None,
        heading_true=heading,
        release_ddm=None if at is None else format_ddm(*at),
        landing_ddm=None if landing is None else format_ddm(*landing),
        declination=turn,
        height_ft=None if kind is None else kind.drop_height_m * FEET_PER_M,
        speed_kt=None if kind is None else kind.speed_ms * KNOTS_PER_MS,
        near_water=near,
        clock=calendar.clock_text(time),
        number=numbers.get((drop.step, drop.column)) if drop.executed else None,
        flame_length_m=flames.get((drop.step, drop.column)),
        flight_hours=None if kind is None else kind.flight_h_at(drop.step),
        cost=None if kind is None else kind.cost_at(drop.step),
        currency=project.fleet.currency if project.fleet.has_prices else "",
    )


def utc_text(when: datetime) -> str:
    """Return an aware time in UTC, such as ``2020-08-19T07:28:48Z``."""
    return when.isoformat(timespec="seconds").replace("+00:00", "Z")


def _minute(time: str) -> str:
    """Return an ISO time to the nearest minute, as printed tables give it; empty without a time."""
    return time and to_the_minute(datetime.fromisoformat(time)).isoformat(" ", "minutes")


def both_ways(heading: float | None) -> str:
    """Return the axis of a run as its two headings to the degree, ``010/190``; north is 360."""
    known = whole_heading(heading)
    return heading_pair(None if known is None else round(known) % 180)


def heading_pair(degrees: float | None) -> str:
    """Return a heading and the opposite one to the degree, ``005/185``; north is 360.

    Empty where it is not known.
    """
    if degrees is None:
        return ""
    first = round(degrees) % 360 or 360
    return f"{first:03d}/{(first + 180) % 360 or 360:03d}"


def flag_text(value: bool | None) -> str:
    """Return ``true`` or ``false``; empty where it is not known."""
    return "" if value is None else "true" if value else "false"


def number_text(value: float | None, digits: int) -> str:
    """Return a number with so many digits after the point; empty where it is not known."""
    return "" if value is None else f"{value:.{digits}f}"


def whole_heading(degrees: float | None) -> float | None:
    """Return an axis direction as tables give it: to 0.1° in [0, 180)."""
    return None if degrees is None else half_turn(round(degrees, 1))


def _altitude(drop: DropRecord, project: Project, kind: AircraftType | None) -> float:
    """Return metres above sea level, as far as the landscape knows them.

    The declination hardly depends on it.
    """
    above = 0.0 if kind is None else kind.drop_height_m
    ground = project.scenario.layers.get("elevation")
    rows, columns = project.scenario.grid.shape
    row, column = round(drop.y), round(drop.x)
    if ground is None or not (0 <= row < rows and 0 <= column < columns):
        return above
    height = float(ground[row, column])
    return above + height if math.isfinite(height) else above


def _places(place: Georeference, positions: Sequence[tuple[float, float]]) -> list[tuple[float, float] | None]:
    cells = np.array(positions, np.float64).reshape(-1, 2)
    found = place.lonlat_many(cells[:, 0], cells[:, 1])
    if found is None:
        return [None] * len(positions)
    pairs = ((float(lon), float(lat)) for lon, lat in zip(*found, strict=True))
    return [pair if math.isfinite(pair[0]) and math.isfinite(pair[1]) else None for pair in pairs]


OBSERVED, PLANNED, BASELINE = "#2b2b2b", "#d1460f", "#8c5a3c"


LEVELS = {True: "yes", False: "no", None: "not known"}


def drop_attributes(row: DropRow, cell_size_m: float, *, has_flames: bool) -> dict[str, Any]:
    """Return the attributes of a drop, the same in every format for a GIS; what is not known is ``None``.

    ``has_flames`` tells whether the flame length is one of them. Flight hours and cost are where the fleet has prices.
    """
    drop = row.drop
    more: dict[str, Any] = {"flame_length_m": _rounded(row.flame_length_m, 2)} if has_flames else {}
    if row.currency:
        more |= {"flight_hours": row.flight_hours, "cost": _rounded(row.cost, 2), "currency": row.currency}
    return {
        "step": drop.step,
        "aircraft": drop.aircraft,
        "type": drop.type,
        "material": str(drop.material),
        "payload_gal": drop.payload_gal,
        "executed": drop.executed,
        "day": row.day,
        "time_utc": row.time_utc or None,
        "time_local": row.time_local or None,
        "run_heading_true": row.run_headings[0],
        "run_heading_magnetic": row.run_headings[1],
        "declination": _rounded(row.declination, 2),
        "release_ddm": row.release_ddm,
        "landing_ddm": row.landing_ddm,
        "landing_lon": _at(row.landing_lonlat, 0),
        "landing_lat": _at(row.landing_lonlat, 1),
        "height_agl_ft": _rounded(row.height_ft, 0),
        "speed_kt": _rounded(row.speed_kt, 0),
        "near_water": row.near_water,
        "sigma_parallel_m": round(drop.sigma_parallel_cells * cell_size_m, 3),
        "sigma_perpendicular_m": round(drop.sigma_perpendicular_cells * cell_size_m, 3),
        "y": drop.y,
        "x": drop.x,
        "theta": drop.theta,
        "notice": NOTICE,
        "drop": row.number,
        "plan_day": row.day + 1,
    } | more


def drop_words(row: DropRow) -> list[tuple[str, str]]:
    """Return ``(title, text)`` of a drop, in the order in which people ask; what is not known is left out."""
    drop = row.drop
    height = "" if row.height_ft is None else f"{row.height_ft:,.0f} ft AGL"
    speed = "" if row.speed_kt is None else f"{row.speed_kt:,.0f} kt"
    found = [
        ("Drop", "" if row.number is None else f"{row.number:,}"),
        ("Aircraft", f"{drop.aircraft} ({drop.type})"),
        ("Load", f"{drop.payload_gal:,.0f} gal {drop.material}"),
        ("Local time" if row.time_local else "Time", row.when),
        ("UTC", _minute(row.time_utc).replace("+00:00", "Z")),
        ("Release (WGS 84)", row.release_ddm or ""),
        ("Landing (WGS 84)", row.landing_ddm or ""),
        ("Run heading, either way", heading_words(row)),
        ("Drop height", height),
        ("Speed", speed),
        ("Within 300 ft of water", LEVELS[row.near_water]),
        ("Cost", "" if row.cost is None else cost_text(row.cost, row.currency)),
        ("Notice", NOTICE),
    ]
    return [(title, text) for title, text in found if text]


def heading_words(row: DropRow) -> str:
    """Return ``034/214 true, 021/201 magnetic (declination 13.5° E)``; empty without a place."""
    true, magnetic = row.run_headings
    if true is None:
        return ""
    if magnetic is None or row.declination is None:
        return f"{both_ways(true)} true"
    side = "E" if row.declination >= 0 else "W"
    return f"{both_ways(true)} true, {both_ways(magnetic)} magnetic (declination {abs(row.declination):.1f}° {side})"


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _at(pair: tuple[float, float] | None, index: int) -> float | None:
    return None if pair is None else round(pair[index], 7)

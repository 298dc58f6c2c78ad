"""How a map or a briefing is to be printed: paper, days, author."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from firegui.domain.calendar import Calendar
from firegui.errors import Problem


class Paper(StrEnum):
    """Paper to print on."""

    LETTER = "letter"
    A4 = "a4"
    TABLOID = "tabloid"


class Orientation(StrEnum):
    """Which side of the paper lies at the bottom."""

    LANDSCAPE = "landscape"
    PORTRAIT = "portrait"


class MapBackground(StrEnum):
    """What lies under the fire."""

    RELIEF = "relief"
    FUEL = "fuel"
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
        MapBackground.RELIEF: "relief, or canopy where there is none",
        MapBackground.FUEL: "fuel classes on relief",
        MapBackground.NONE: "none",
    }
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """What people choose for a map and a briefing.

    ``first_day`` to ``last_day`` are days of the plan counted from 0, both included; ``None`` is the plan's last.
    ``whole_grid`` shows the modelled area, else the map is zoomed to fire and drops. ``prepared`` is the date and time
    of preparation (aware); left out, it is when the plan was made. ``incident_number`` is as ``CA-PNF-001308``.
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
        """The chosen days of the plan. What lies outside it is left out; :meth:`problems` says so."""
        last = calendar.days - 1 if self.last_day is None else min(self.last_day, calendar.days - 1)
        return range(max(self.first_day, 0), last + 1)

    def problems(self, calendar: Calendar) -> list[Problem]:
        """Everything that is wrong with it for a plan."""
        found = []
        last = calendar.days - 1 if self.last_day is None else self.last_day
        if not 0 <= self.first_day <= last < calendar.days:
            what = f"day {self.first_day + 1} to day {last + 1} of a plan of {calendar.days}"
            found.append(Problem("days", what, f"choose days from 1 to {calendar.days}, the first not after the last"))
        if self.prepared is not None and self.prepared.tzinfo is None:
            found.append(Problem("prepared", "has no offset from UTC", "write it as 2020-08-21T14:30:00-07:00"))
        return found

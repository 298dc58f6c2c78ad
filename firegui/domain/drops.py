"""A plan as the drops that are flown, each of which a person may change."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from firegui.domain.fleet import Fleet
from firegui.domain.schedule import LISTED_LOGIT, DropRecord, Schedule


@dataclass(frozen=True, slots=True, order=True)
class Drop:
    """Drop of aircraft ``column`` at ``step``.

    It is released at ``(y, x)`` in cells, with the long axis at ``theta`` in radians.
    """

    step: int
    column: int
    y: float
    x: float
    theta: float

    @property
    def key(self) -> tuple[int, int]:
        """``(step, column)``: an aircraft drops at most once in a step."""
        return self.step, self.column

    def moved(self, dy: float, dx: float, shape: tuple[int, int]) -> Drop:
        """Return the drop shifted by ``(dy, dx)`` cells and kept on a raster of ``shape``."""
        y, x = (min(max(value, 0.0), size - 1.0) for value, size in zip((self.y + dy, self.x + dx), shape, strict=True))
        return replace(self, y=y, x=x)


@dataclass(frozen=True, slots=True)
class DropList:
    """Drops in order of step and column."""

    drops: tuple[Drop, ...] = ()

    @staticmethod
    def of(records: Iterable[DropRecord]) -> DropList:
        """Return the flown drops of ``records``. Proposed drops that were blocked are left out."""
        flown = (Drop(each.step, each.column, each.y, each.x, each.theta) for each in records if each.executed)
        return DropList(tuple(sorted(flown)))

    def at(self, key: tuple[int, int]) -> Drop | None:
        """Return the drop with this ``(step, column)``, or ``None``."""
        return next((drop for drop in self.drops if drop.key == key), None)

    @property
    def numbers(self) -> dict[tuple[int, int], int]:
        """The number of every drop by its ``(step, column)``, from 1 in order of step and column.

        Tables, the map, briefings and exports show this number.
        """
        return {drop.key: number for number, drop in enumerate(self.drops, start=1)}

    def plus(self, drop: Drop) -> DropList:
        """Return the list with ``drop`` added."""
        return DropList(tuple(sorted((*self.drops, drop))))

    def minus(self, drop: Drop) -> DropList:
        """Return the list without ``drop``."""
        kept = list(self.drops)
        kept.remove(drop)
        return DropList(tuple(kept))

    def exchanged(self, drop: Drop, by: Drop) -> DropList:
        """Return the list with ``by`` in the place of ``drop``."""
        return self.minus(drop).plus(by)

    def first_change(self, other: DropList) -> int | None:
        """Return the earliest step at which the two lists differ, or ``None`` where they are equal."""
        return min((drop.step for drop in set(self.drops) ^ set(other.drops)), default=None)

    def schedule(self, n_steps: int, n_aircraft: int) -> Schedule:
        """Return the schedule that proposes exactly these drops, each with the logit of a listed drop."""
        schedule = Schedule.empty(n_steps, n_aircraft)
        for drop in self.drops:
            schedule.logits[drop.key] = LISTED_LOGIT
            schedule.poses[drop.key] = drop.y, drop.x, drop.theta
        return schedule


def grid_heading(theta: float) -> float:
    """Return the heading of a long axis in degrees clockwise from grid north, in [0, 180).

    The axis is flown either way.
    """
    return half_turn(90.0 - math.degrees(theta))


def half_turn(degrees: float) -> float:
    """Return an axis direction in [0, 180)."""
    wrapped = degrees % 180.0
    # A hair below 0 wraps to exactly 180 in floating point.
    return 0.0 if wrapped >= 180.0 else wrapped


def columns_of(fleet: Fleet) -> dict[str, int]:
    """Return the column of every aircraft by its name."""
    return {tail.name: tail.index for tail in fleet.tails}

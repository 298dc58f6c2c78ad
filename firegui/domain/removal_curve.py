"""Removal curve: plans with fewer and fewer drops that the second stage of a run came through."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.domain.units import Units

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MOST_POINTS = 48
"""A curve keeps so many points. Where there are more, the one that bends the curve least is left out."""
GIVEN_UP = 0.1
"""Share of what a plan saves. A removal of drops that loses more of it gave up containment."""
_PREFIX = "curve."


@dataclass(frozen=True, slots=True)
class RemovalPoint:
    """A plan on the curve: its executed ``drops`` and the fire at the end.

    ``final_extent_ha`` and ``protected_cells`` are at design effectiveness, in which drops are removed. ``excess`` is
    by what factor the worst scenario of a margin exceeds its limit, at most 1 where the plan holds. Where it does not
    hold, ``excess`` is the least that was found, because such a test ends early. It is NaN without a margin, or where
    the scenarios were not tested again. ``nominal_extent_ha`` and ``nominal_protected_cells`` are at nominal
    effectiveness, NaN until the run has ended.
    """

    drops: int
    final_extent_ha: float
    protected_cells: float
    excess: float = math.nan
    nominal_extent_ha: float = math.nan
    nominal_protected_cells: float = math.nan

    @property
    def is_tested(self) -> bool:
        """Whether the scenarios of a margin were tested."""
        return not math.isnan(self.excess)

    @property
    def is_scored(self) -> bool:
        """Whether the plan was scored at nominal effectiveness."""
        return not math.isnan(self.nominal_extent_ha)

    def with_nominal(self, metrics: Metrics) -> RemovalPoint:
        """Return the point with its score at nominal effectiveness."""
        extent, protected = metrics.final_extent_ha, metrics.protected_cells
        return replace(self, nominal_extent_ha=extent, nominal_protected_cells=protected)


@dataclass(frozen=True, slots=True, eq=False)
class RemovalCurve:
    """Points of a removal with the schedule of each, the one with the most drops first.

    ``size`` is ``(T, A)``. ``elements [n]`` are the flat indices of the drops that the removal began with, and
    ``logits [n]`` theirs. Point ``p`` keeps the drops ``kept[p]`` (bool ``[n]``) in the poses ``poses[pose_of[p]]``
    (``[n, 3]``). ``taken`` is the number of drops of the plan that the stage has taken over latest; −1 before any.
    """

    size: tuple[int, int]
    elements: Ints
    logits: Floats
    points: tuple[RemovalPoint, ...] = ()
    kept: tuple[Bools, ...] = ()
    poses: tuple[Floats, ...] = ()
    pose_of: tuple[int, ...] = ()
    taken: int = -1

    @staticmethod
    def of(schedule: Schedule) -> RemovalCurve:
        """Return the empty curve of a removal that begins with the proposed drops of ``schedule``."""
        elements = np.flatnonzero(schedule.proposed).astype(np.int64)
        size = (schedule.n_steps, schedule.n_aircraft)
        return RemovalCurve(size, elements, schedule.logits.ravel()[elements].astype(np.float64))

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.points)

    @property
    def is_scored(self) -> bool:
        """Whether every point was scored at nominal effectiveness."""
        return bool(self.points) and all(point.is_scored for point in self.points)

    @property
    def has_margin(self) -> bool:
        """Whether a point was tested in the scenarios of a margin."""
        return any(point.is_tested for point in self.points)

    def schedule(self, index: int) -> Schedule:
        """Return the schedule of the point ``index``. What it does not drop has the pose (0, 0, 0)."""
        schedule = Schedule.empty(*self.size)
        kept = self.kept[index]
        flat = self.elements[kept]
        schedule.logits.ravel()[flat] = self.logits[kept]
        schedule.poses.reshape(-1, 3)[flat] = self.poses[self.pose_of[index]][kept]
        return schedule

    def place_of(self, drops: int) -> int | None:
        """Return the index of the point with so many drops, ``None`` where there is none."""
        return next((index for index, point in enumerate(self.points) if point.drops == drops), None)

    def extents(self) -> tuple[float, ...]:
        """Return the hectares at the end of every point, at nominal effectiveness once all are scored."""
        if self.is_scored:
            return tuple(point.nominal_extent_ha for point in self.points)
        return tuple(point.final_extent_ha for point in self.points)

    def protected(self) -> tuple[float, ...]:
        """Return the burned protected cells of every point, like :meth:`extents`."""
        if self.is_scored:
            return tuple(point.nominal_protected_cells for point in self.points)
        return tuple(point.protected_cells for point in self.points)

    # -- adding points -----------------------------------------------------------------------------------------------
    def with_plan(self, schedule: Schedule, metrics: Metrics, excess: float, *, is_taken: bool) -> RemovalCurve:
        """Return the curve with one more plan, whose ``metrics`` are at design effectiveness.

        Of two plans with as many drops the one stays that was tested and exceeds its limits less. A plan that the stage
        takes over stays in any case.
        """
        kept = schedule.proposed.ravel()[self.elements]
        point = RemovalPoint(int(kept.sum()), metrics.final_extent_ha, metrics.protected_cells, excess)
        place = self.place_of(point.drops)
        if place is not None and not is_taken and not self._is_better(point, place):
            return self
        curve = self if place is None else self._without(place)
        where = sum(other.drops > point.drops for other in curve.points)
        poses = schedule.poses.reshape(-1, 3)[self.elements].astype(np.float64)
        number = next((k for k, known in enumerate(curve.poses) if np.array_equal(known, poses)), len(curve.poses))
        curve = replace(
            curve,
            points=(*curve.points[:where], point, *curve.points[where:]),
            kept=(*curve.kept[:where], kept, *curve.kept[where:]),
            pose_of=(*curve.pose_of[:where], number, *curve.pose_of[where:]),
            poses=curve.poses if number < len(curve.poses) else (*curve.poses, poses),
            taken=point.drops if is_taken else curve.taken,
        )
        return curve._thinned() if len(curve) > MOST_POINTS else curve._with_used_poses()

    def with_point(self, index: int, point: RemovalPoint) -> RemovalCurve:
        """Return the curve with other numbers of one point."""
        return replace(self, points=(*self.points[:index], point, *self.points[index + 1 :]))

    def fewer(self, count: int) -> tuple[int, ...]:
        """Return the indices of ``count`` points that show the curve best.

        The ends and the plan taken over are always among them.
        """
        curve = self
        while len(curve) > max(count, 2):
            place = curve._least_bend()
            if place is None:
                break
            curve = curve._without(place)
        drops = {point.drops for point in curve.points}
        return tuple(index for index, point in enumerate(self.points) if point.drops in drops)

    def _is_better(self, point: RemovalPoint, place: int) -> bool:
        then = self.points[place]
        if then.drops == self.taken or not point.is_tested:
            return not then.is_tested and then.drops != self.taken
        return not then.is_tested or point.excess <= then.excess

    def _without(self, place: int) -> RemovalCurve:
        cut = slice(place + 1, None)
        return replace(
            self,
            points=(*self.points[:place], *self.points[cut]),
            kept=(*self.kept[:place], *self.kept[cut]),
            pose_of=(*self.pose_of[:place], *self.pose_of[cut]),
        )

    def _thinned(self) -> RemovalCurve:
        place = self._least_bend()
        return (self if place is None else self._without(place))._with_used_poses()

    def _least_bend(self) -> int | None:
        """Return the point whose removal changes the curve least: neither an end nor the plan taken over."""
        drops = np.array([point.drops for point in self.points], float)
        bend = np.zeros(len(drops))
        # At design effectiveness: scores that come later must not decide which points stay.
        for name in ("final_extent_ha", "protected_cells"):
            heights = np.array([getattr(point, name) for point in self.points], float)
            # What differs by less than a hundredth is no bend.
            span = max(float(np.ptp(heights)), 0.01 * float(np.abs(heights).max(initial=0.0)))
            if span > 0.0:
                share = (drops[1:-1] - drops[2:]) / np.maximum(drops[:-2] - drops[2:], 1.0)
                line = heights[2:] + share * (heights[:-2] - heights[2:])
                bend[1:-1] += np.abs(heights[1:-1] - line) / span
        # Among points on a line the one goes whose neighbours are nearest.
        bend[1:-1] += (drops[:-2] - drops[2:]) / max(drops[0] - drops[-1], 1.0)
        free = [place for place in range(1, len(drops) - 1) if self.points[place].drops != self.taken]
        return min(free, key=lambda place: bend[place], default=None)

    def _with_used_poses(self) -> RemovalCurve:
        used = sorted(set(self.pose_of))
        if len(used) == len(self.poses):
            return self
        number = {old: new for new, old in enumerate(used)}
        poses = tuple(self.poses[old] for old in used)
        return replace(self, poses=poses, pose_of=tuple(number[old] for old in self.pose_of))

    # -- storage -----------------------------------------------------------------------------------------------------
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the curve as arrays for a file, with names that begin with ``curve.``."""
        count = len(self.elements)
        rows = [
            (p.drops, p.final_extent_ha, p.protected_cells, p.excess, p.nominal_extent_ha, p.nominal_protected_cells)
            for p in self.points
        ]
        kept = np.array(self.kept, bool).reshape(len(self), count)
        found: dict[str, NDArray[Any]] = {
            "about": np.array([*self.size, self.taken], np.int64),
            "elements": self.elements,
            "logits": self.logits,
            "points": np.array(rows, np.float64).reshape(len(self), 6),
            "kept": np.packbits(kept, axis=1),
            "poses": np.array(self.poses, np.float64).reshape(len(self.poses), count, 3),
            "pose_of": np.array(self.pose_of, np.int64),
        }
        return {_PREFIX + name: array for name, array in found.items()}

    @staticmethod
    def of_arrays(arrays: Mapping[str, NDArray[Any]]) -> RemovalCurve | None:
        """Return what :meth:`arrays` gave; ``None`` where there is no curve.

        Raises ``ValueError`` for a damaged one.
        """
        if _PREFIX + "about" not in arrays:
            return None
        try:
            found = {name: arrays[_PREFIX + name] for name in _NAMES}
            steps, aircraft, taken = map(int, found["about"])
            elements, poses = found["elements"].astype(np.int64), found["poses"].astype(np.float64)
            kept = np.unpackbits(found["kept"], axis=1, count=len(elements)).astype(bool)
            points = tuple(RemovalPoint(int(row[0]), *map(float, row[1:])) for row in found["points"])
            numbers = tuple(map(int, found["pose_of"]))
            fits = kept.shape == (len(points), len(elements)) and poses.shape[1:] == (len(elements), 3)
            fits = fits and len(numbers) == len(points) and found["logits"].shape == elements.shape
            fits = fits and all(0 <= number < len(poses) for number in numbers)
            fits = fits and bool(((elements >= 0) & (elements < steps * aircraft)).all())
            if not fits:
                raise ValueError("its arrays do not fit together")
            logits = found["logits"].astype(np.float64)
            return RemovalCurve((steps, aircraft), elements, logits, points, tuple(kept), tuple(poses), numbers, taken)
        except (KeyError, TypeError, IndexError) as error:
            raise ValueError(f"it has no {error}") from error


_NAMES = ("about", "elements", "logits", "points", "kept", "poses", "pose_of")


def given_up_text(before: Metrics | None, plan: Metrics | None, baseline: Metrics | None) -> str:
    """Return what the removal of drops lost, where it gave up containment; empty where it did not.

    ``before`` is the plan that the removal began with, ``plan`` what it left, ``baseline`` the fire without drops.
    """
    if before is None or plan is None or baseline is None or plan.drops_executed >= before.drops_executed:
        return ""
    saved, lost = baseline.final_extent_ha - before.final_extent_ha, plan.final_extent_ha - before.final_extent_ha
    if saved <= 0.0 or lost <= GIVEN_UP * saved:
        return ""
    return (
        f"Removing drops gave up containment: {_hectares(before)} with {before.drops_executed:,} drops became "
        f"{_hectares(plan)} with {plan.drops_executed:,}"
    )


def _hectares(metrics: Metrics) -> str:
    return Units.METRIC.area(metrics.final_extent_ha)

"""Airspace limits on the gates: which drops of a place and a time are too many.

This module needs only NumPy and runs once per rollout. Without limits it does not run at all.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def _no_drops() -> Floats:
    return np.zeros((0, 3))


@dataclass(frozen=True, slots=True, eq=False)
class AirspaceLimit:
    """Airspace rule in steps, columns and cells.

    Of the drops of ``columns [A]`` in any ``steps`` steps in a row that hold one of them, at most ``most``, that one
    included, are released within ``radius`` cells of it; ``None`` is anywhere. ``before [n, 3]`` are drops before step
    0 that still count: their steps, below 0, and release points ``y, x``.
    """

    most: int
    steps: int
    radius: float | None
    columns: Bools
    before: Floats = field(default_factory=_no_drops)

    def later(self, first: int, flown: Bools, poses: Floats) -> AirspaceLimit:
        """Return the limit of a plan that begins at step ``first``.

        ``flown [T, A]`` are drops of the whole plan at ``poses [T, A, 3]``; those before ``first`` may still count.
        """
        begin = max(first - self.steps + 1, 0)
        at = np.argwhere(flown[begin:first] & self.columns)
        recent = np.column_stack([at[:, 0] + begin - first, poses[begin:first][at[:, 0], at[:, 1], :2]])
        older = self.before - np.array([first, 0, 0])
        before = np.concatenate([older[older[:, 0] > -self.steps], recent])
        return AirspaceLimit(self.most, self.steps, self.radius, self.columns, before)


class Airspace:
    """Airspace limits, and the drops that were let through so far.

    Drops are tested and added in order of step and column. Pinned drops count from the start, also for drops before
    them.
    """

    def __init__(
        self, limits: Sequence[AirspaceLimit], n_aircraft: int, pinned: Bools | None, pinned_poses: Floats | None
    ) -> None:
        pins: Floats = _no_drops()
        self._of: list[list[_Timed | _Placed]] = [[] for _ in range(n_aircraft)]
        self._limited: list[_Timed | _Placed] = []
        for limit in sorted(limits, key=lambda one: (one.radius is not None, one.most)):  # the fastest ones first
            if pinned is not None and pinned_poses is not None:
                at = np.argwhere(pinned & limit.columns)
                pins = np.column_stack([at[:, 0], pinned_poses[at[:, 0], at[:, 1], :2]])
            limited = _Timed(limit, pins) if limit.radius is None else _Placed(limit, pins)
            self._limited.append(limited)
            for column in np.flatnonzero(limit.columns).tolist():
                self._of[column].append(limited)

    def allows(self, step: int, column: int, y: float, x: float) -> bool:
        """Return whether every limit lets a drop at this release point through beside those that were added."""
        return all(limited.allows(step, y, x) for limited in self._of[column])

    def add(self, step: int, column: int, y: float, x: float) -> None:
        """Count a drop that is flown."""
        for limited in self._of[column]:
            limited.add(step, y, x)

    def full(self, n_steps: int) -> Bools:
        """Return ``[T, A]``: where the limits without a radius leave no room for one more drop."""
        found = np.zeros((n_steps, len(self._of)), bool)
        for limited in self._limited:
            if isinstance(limited, _Timed):
                found |= limited.full(n_steps)[:, None] & limited.columns
        return found


class _Timed:
    """Drops under a limit that counts them wherever they are."""

    def __init__(self, limit: AirspaceLimit, pins: Floats) -> None:
        self.columns = limit.columns
        self._most, self._length = limit.most, limit.steps
        self._has_pins = len(pins) > 0
        self._steps: list[int] = sorted(map(int, [*limit.before[:, 0], *pins[:, 0]]))

    def allows(self, step: int, _y: float, _x: float) -> bool:
        steps, length = self._steps, self._length
        if not self._has_pins:  # then none is later
            return len(steps) < self._most or steps[-self._most] <= step - length
        near = steps[bisect_left(steps, step - length + 1) : bisect_right(steps, step + length - 1)]
        return not _is_over(near, step, step, step, self._most, length)

    def add(self, step: int, _y: float, _x: float) -> None:
        insort(self._steps, step)

    def full(self, n_steps: int) -> Bools:
        """Return ``[T]``: the steps at which one more drop is too many."""
        length = self._length
        steps = np.array(self._steps, np.int64) + length - 1
        counts = np.bincount(steps[steps < n_steps + length - 1], minlength=n_steps + 2 * (length - 1))
        over = _sums(counts, length) >= self._most  # by the first of so many steps in a row
        return _sums(over.astype(np.int64), length) > 0


@dataclass(slots=True)
class _Flown:
    """Drop that is flown.

    ``steps`` are those of all drops within the radius of it, in order, its own among them.
    """

    step: int
    y: float
    x: float
    steps: list[int]


class _Placed:
    """Drops under a limit with a radius."""

    def __init__(self, limit: AirspaceLimit, pins: Floats) -> None:
        assert limit.radius is not None
        self._most, self._length, self._reach = limit.most, limit.steps, limit.radius * limit.radius
        self._flown: list[_Flown] = []  # by step
        self._steps: list[int] = []
        self._pins: list[int] = sorted(map(int, pins[:, 0]))
        for step, y, x in [*limit.before.tolist(), *pins.tolist()]:
            self.add(int(step), y, x)

    def allows(self, step: int, y: float, x: float) -> bool:
        if self._is_ahead(step):
            return self._allows_before_pins(step, y, x)
        # No drop is later: only the steps up to this one can hold too many.
        reach, flown, most, begin, count = self._reach, self._flown, self._most, step - self._length, 0
        for index in range(bisect_right(self._steps, step) - 1, bisect_right(self._steps, begin) - 1, -1):
            one = flown[index]
            down, across = one.y - y, one.x - x
            if down * down + across * across <= reach:
                count += 1
                if count == most or (len(one.steps) >= most and one.steps[-most] > begin):
                    return False
        return True

    def add(self, step: int, y: float, x: float) -> None:
        steps = [step]
        for one in self._near(step, y, x):
            insort(one.steps, step)
            insort(steps, one.step)
        index = bisect_right(self._steps, step)
        self._steps.insert(index, step)
        self._flown.insert(index, _Flown(step, y, x, steps))

    def _allows_before_pins(self, step: int, y: float, x: float) -> bool:
        near, most, length = self._near(step, y, x), self._most, self._length
        return not _is_over(sorted(one.step for one in near), step, step, step, most, length) and not any(
            _is_over(one.steps, step, min(step, one.step), max(step, one.step), most, length) for one in near
        )

    def _is_ahead(self, step: int) -> bool:
        """Return whether a pinned drop after ``step`` can share ``length`` steps with one at it."""
        ahead = bisect_right(self._pins, step)
        return ahead < len(self._pins) and self._pins[ahead] < step + self._length

    def _near(self, step: int, y: float, x: float) -> list[_Flown]:
        """Return the drops within the radius that can share ``length`` steps with one at ``step``."""
        begin, end = bisect_right(self._steps, step - self._length), bisect_left(self._steps, step + self._length)
        return [
            one
            for one in self._flown[begin:end]
            if (one.y - y) * (one.y - y) + (one.x - x) * (one.x - x) <= self._reach
        ]


def _is_over(steps: Sequence[int], added: int, low: int, high: int, most: int, length: int) -> bool:
    """Return whether ``length`` steps in a row hold too many drops with one more.

    Only steps in a row that hold ``low`` and ``high`` count. ``steps`` are those of the drops in order, and the one
    more is at step ``added``.
    """
    if len(steps) < most:
        return False
    known = [*steps]
    insort(known, added)
    # Steps in a row with too many drops can be moved to begin with one of them.
    return any(
        first <= low and high < first + length and bisect_left(known, first + length) - index > most
        for index, first in enumerate(known)
    )


def _sums(counts: Ints, length: int) -> Ints:
    """Return the sums of every ``length`` numbers in a row."""
    whole: Ints = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return whole[length:] - whole[:-length]

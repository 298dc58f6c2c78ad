"""Agreement of a rolled-out fire with the observed perimeters, per day and pooled.

This module needs NumPy and nothing else. ``P [H, W]`` is the forecast's probability that a cell burns or has burned,
``O`` the observed perimeter as 0 or 1 and ``L`` the likely cells, ``P ≥ 0.5``. Sums run over all cells of the raster.
Days are counted from the start of the forecast: the state after ``d`` days is compared with the perimeter of event day
``d``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.scenario import Scenario
from firegui.errors import Check, InputError, Problem
from firegui.fire.card import DayScore

Bools = NDArray[np.bool_]

LIKELY = 0.5
"""A cell counts as predicted to burn from this probability on."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """Predicted and observed cells: ``observed`` ΣO, ``likely`` ΣL, ``hits`` ΣLO.

    Overlaps of several days add up.
    """

    observed: int
    likely: int
    hits: int

    @staticmethod
    def of(likely: Bools, observed: Bools) -> Overlap:
        """Count two masks ``[H, W]``."""
        return Overlap(_count(observed), _count(likely), _count(likely & observed))

    def __add__(self, other: Overlap) -> Overlap:
        return Overlap(self.observed + other.observed, self.likely + other.likely, self.hits + other.hits)

    @property
    def iou(self) -> float:
        """``ΣLO / Σ(L + O − LO)``; 1 when nothing was predicted and nothing observed."""
        return _ratio(self.hits, self.observed + self.likely - self.hits)

    @property
    def precision(self) -> float:
        """``ΣLO / ΣL``, the share of the predicted cells that burned; 1 when none was predicted."""
        return _ratio(self.hits, self.likely)

    @property
    def recall(self) -> float:
        """``ΣLO / ΣO``, the share of the burned cells that were predicted; 1 when none burned."""
        return _ratio(self.hits, self.observed)


@dataclass(frozen=True, slots=True)
class Skill:
    """Counts and scores of a forecast against the perimeter of one day, or of several added up.

    ``cells`` of the raster, ``expected`` ΣP, ``expected_hits`` ΣPO, ``squares`` ΣP². ``new`` compares only outside the
    last perimeter that the model may have seen; ``None`` on the days up to that one.
    """

    cells: int
    overlap: Overlap
    expected: float
    expected_hits: float
    squares: float
    new: Overlap | None = None

    def __add__(self, other: Skill) -> Skill:
        news = [item for item in (self.new, other.new) if item is not None]
        return Skill(
            self.cells + other.cells,
            self.overlap + other.overlap,
            self.expected + other.expected,
            self.expected_hits + other.expected_hits,
            self.squares + other.squares,
            reduce(add, news) if news else None,
        )

    @property
    def iou(self) -> float:
        """Intersection over union of the likely and the observed cells."""
        return self.overlap.iou

    @property
    def soft_iou(self) -> float:
        """``ΣPO / Σ(P + O − PO)``; 1 when both are empty."""
        return _ratio(self.expected_hits, self.expected + self.overlap.observed - self.expected_hits)

    @property
    def precision(self) -> float:
        """Share of the likely cells that burned."""
        return self.overlap.precision

    @property
    def recall(self) -> float:
        """Share of the burned cells that were likely."""
        return self.overlap.recall

    @property
    def manhattan(self) -> float:
        """``Σ|P − O|`` in cells: each cell counts by how far its probability is from what happened."""
        # P lies between 0 and 1, so each term is P + O − 2PO.
        return self.expected + self.overlap.observed - 2.0 * self.expected_hits

    @property
    def area_error(self) -> float:
        """``(ΣP − ΣO) / ΣO``: above 0 the forecast burns too much."""
        return (self.expected - self.overlap.observed) / max(self.overlap.observed, 1)

    @property
    def brier(self) -> float:
        """``Σ(P − O)² / cells``; the lower the better. It compares forecasts on one raster, not rasters."""
        return (self.squares - 2.0 * self.expected_hits + self.overlap.observed) / self.cells

    @property
    def new_iou(self) -> float | None:
        """IoU on the cells burned after the last fitted day: the fitted perimeter is taken out of both."""
        return None if self.new is None else self.new.iou

    def scores(self) -> dict[str, int | float | None]:
        """Return every number by its name, in the order of tables and files."""
        return {
            "observed_cells": self.overlap.observed,
            "expected_cells": self.expected,
            "likely_cells": self.overlap.likely,
            "iou": self.iou,
            "soft_iou": self.soft_iou,
            "precision": self.precision,
            "recall": self.recall,
            "manhattan_cells": self.manhattan,
            "area_error": self.area_error,
            "brier": self.brier,
            "new_iou": self.new_iou,
        }


@dataclass(frozen=True, slots=True)
class BurnGrowth:
    """Cells burned after the last fitted day, on the last scored day.

    ``observed``: in its perimeter and not in the fitted one. ``expected`` and ``likely``: by how much ΣP and ΣL of the
    forecast grew since the fitted day. ``expected_outside`` and ``likely_outside``: ΣP and ΣL outside the fitted
    perimeter, which also hold what the forecast had burned too much before.
    """

    day: int
    observed: int
    expected: float
    likely: int
    expected_outside: float
    likely_outside: int

    @property
    def ratio(self) -> float:
        """Expected over observed growth; 1 is right, infinite where nothing grew but the forecast."""
        if self.observed:
            return self.expected / self.observed
        return 1.0 if self.expected == 0.0 else float("inf")


@dataclass(frozen=True, slots=True)
class ForecastSkill:
    """Skill of one model on one event.

    ``key`` is its name for programs, ``label`` the display name; ``days`` are the scored days.
    """

    key: str
    label: str
    days: Mapping[int, Skill]
    growth: BurnGrowth | None

    def mean_iou(self, first: int, last: int) -> float | None:
        """Return mean of the daily IoU over the scored days ``first … last``; ``None`` where there is none."""
        found = [skill.iou for skill in self._between(first, last).values()]
        return fmean(found) if found else None

    def lowest(self, first: int, last: int) -> tuple[int, float] | None:
        """Return the day and the IoU of the worst of those days."""
        found = self._between(first, last)
        return min(((day, skill.iou) for day, skill in found.items()), key=lambda item: item[1], default=None)

    def pooled(self, first: int, last: int) -> Skill | None:
        """Return those days added up: every cell of every day counts once."""
        found = list(self._between(first, last).values())
        return reduce(add, found) if found else None

    def _between(self, first: int, last: int) -> dict[int, Skill]:
        return {day: skill for day, skill in self.days.items() if first <= day <= last}


def iou(first: Bools, second: Bools) -> float:
    """Return intersection over union of two masks; 1 when both are empty."""
    return Overlap.of(first, second).iou


def soft_iou(probability: NDArray[Any], observed: Bools) -> float:
    """Return ``ΣPO / Σ(P + O − PO)`` of a probability field ``[H, W]`` and a mask; 1 when both are empty."""
    return skill_of(probability, observed).soft_iou


def skill_of(probability: NDArray[Any], observed: Bools, fitted: Bools | None = None) -> Skill:
    """Compare ``P [H, W]`` with a perimeter.

    ``fitted`` is the last perimeter that the model may have seen.
    """
    likely = probability >= LIKELY
    wide = probability.astype(np.float64)
    new = None if fitted is None else Overlap.of(likely & ~fitted, observed & ~fitted)
    hits = float(wide[observed].sum())
    return Skill(
        probability.size, Overlap.of(likely, observed), float(wide.sum()), hits, float(np.vdot(wide, wide)), new
    )


def day_score(day: int, probability: NDArray[Any], observed: Bools, held: Bools) -> DayScore:
    """Return the score at the end of ``day`` days as in a model card.

    ``held`` is compared with the same perimeter.
    """
    skill = skill_of(probability, observed)
    return DayScore(
        day=day,
        observed_cells=skill.overlap.observed,
        expected_cells=round(skill.expected),
        likely_cells=skill.overlap.likely,
        iou=skill.iou,
        soft_iou=skill.soft_iou,
        area_error=skill.area_error,
        held_iou=iou(held, observed),
    )


def observed_start(event: Scenario) -> Bools:
    """Return the observed perimeter of day 0; a drawn or simulated ignition does not count.

    Raises :class:`~firegui.errors.InputError` for an event without one.
    """
    start = event.observed_on(0)
    if start is None or not start.any():
        remedy = "import the event with perimeters that begin on its first day"
        raise InputError([Problem("forecast", "there is no observed perimeter on day 0", remedy)])
    return start


def scored_days(event: Scenario, days: int) -> tuple[int, ...]:
    """Return the days ``1 … days`` that have a perimeter of their own.

    A perimeter that is only filled forward is not scored.
    """
    if event.observed is None:
        return ()
    return tuple(day for day in range(1, days + 1) if not event.is_filled_forward(day))


def forecast_skill(
    key: str, label: str, event: Scenario, states: NDArray[np.float32], fit_days: int, base: NDArray[Any] | None = None
) -> ForecastSkill:
    """Score the states ``[D + 1, H, W]``, of which the first ``fit_days`` days may have been fitted.

    ``base [H, W]`` is the state that growth after the fitted days is counted from, that of day ``fit_days`` unless
    given. Raises :class:`~firegui.errors.InputError` for an event without a perimeter on day 0.
    """
    observed_start(event)
    last = len(states) - 1
    fitted = _perimeter(event, fit_days)
    scored = scored_days(event, last)
    days = {day: skill_of(states[day], _perimeter(event, day), fitted if day > fit_days else None) for day in scored}
    late = [day for day in scored if day > fit_days]
    if not late:
        return ForecastSkill(key, label, days, None)
    end = late[-1]
    growth = _growth(end, states[end], states[fit_days] if base is None else base, _perimeter(event, end), fitted)
    return ForecastSkill(key, label, days, growth)


def held_skill(event: Scenario, days: int, fit_days: int) -> ForecastSkill:
    """Return the skill of holding the last perimeter that training could read.

    It is that of day 0 on the fitted days, then that of the last fitted day.
    """
    start, fitted = _perimeter(event, 0), _perimeter(event, fit_days)
    states = np.stack([fitted if day > fit_days else start for day in range(days + 1)]).astype(np.float32)
    return forecast_skill("held", "last perimeter held", event, states, fit_days, base=fitted.astype(np.float32))


def start_skill(event: Scenario, days: int, fit_days: int) -> ForecastSkill:
    """Return the skill of holding the perimeter of day 0."""
    start = _perimeter(event, 0).astype(np.float32)
    states = np.broadcast_to(start, (days + 1, *start.shape))
    return forecast_skill("start", "day 0 held", event, states, fit_days)


def disc_skill(event: Scenario, days: int, fit_days: int, check: Check | None = None) -> ForecastSkill:
    """Return the skill of growing the perimeter of day 0 by a constant distance a day.

    The distance is that which gives the observed number of cells on the last fitted day with a perimeter of its own.
    ``check`` may raise to cancel.
    """
    distance = distance_from(_perimeter(event, 0), check)
    last = max(scored_days(event, fit_days), default=0)
    burned = _count(_perimeter(event, last))
    a_day = float(np.partition(distance, burned - 1, axis=None)[burned - 1]) / last if last else 0.0
    states = np.stack([distance <= a_day * day for day in range(days + 1)]).astype(np.float32)
    metres = a_day * event.grid.cell_size_m
    return forecast_skill("disc", f"disc of {metres:.0f} m a day", event, states, fit_days)


def distance_from(mask: Bools, check: Check | None = None) -> NDArray[np.float32]:
    """Return the distance in cells of every cell ``[H, W]`` from the nearest one of ``mask``.

    ``check`` is called often and may raise to cancel.
    """
    height, width = mask.shape
    along = np.full(mask.shape, height + width, np.float32)
    # Along the rows first, then the shortest way over the rows above and below.
    columns = np.arange(width)
    for row, cells in enumerate(mask):
        if cells.any():
            there = np.flatnonzero(cells)
            after = np.searchsorted(there, columns)
            left, right = there[np.maximum(after - 1, 0)], there[np.minimum(after, len(there) - 1)]
            along[row] = np.minimum(np.abs(columns - left), np.abs(columns - right))
    squares, nearest = along**2, along**2
    for shift in range(1, height):
        if shift**2 >= nearest.max():  # no row so far away is nearer
            break
        if check is not None:
            check()
        farther = squares + np.float32(shift**2)
        np.minimum(nearest[shift:], farther[:-shift], out=nearest[shift:])
        np.minimum(nearest[:-shift], farther[shift:], out=nearest[:-shift])
    return np.sqrt(nearest)


def _growth(day: int, state: NDArray[Any], base: NDArray[Any], observed: Bools, fitted: Bools) -> BurnGrowth:
    likely = state >= LIKELY
    return BurnGrowth(
        day,
        _count(observed & ~fitted),
        float(state.sum(dtype=np.float64)) - float(base.sum(dtype=np.float64)),
        _count(likely) - _count(base >= LIKELY),
        float(state[~fitted].sum(dtype=np.float64)),
        _count(likely & ~fitted),
    )


def _perimeter(event: Scenario, day: int) -> Bools:
    found = event.observed_on(day)
    assert found is not None  # there is one on day 0, and later days are filled forward
    return found


def _count(mask: Bools) -> int:
    return int(np.count_nonzero(mask))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 1.0

"""A study: many plans of one project that differ in chosen ways, and the cells that this makes.

A *factor* is something that can differ (:mod:`firegui.domain.study_factors` knows all of them). What varies is given as
values, as an evenly spaced range, or as a range to draw from; *cases* are chosen combinations, each with a name. Every
case is combined with everything that varies, and each combination is a *cell*: one plan, one line of the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product

import numpy as np

from firegui.domain.benchmark import EXCESS_WEIGHT
from firegui.domain.options import bounds_problems, option
from firegui.errors import Problem

Value = bool | int | float | str | tuple[int, ...]
"""What a factor may be set to: a number, a word, or days of the plan."""
Values = tuple[tuple[str, Value], ...]
"""Factors by name with what each is set to, in the order in which they are set."""

SCHEDULE = "schedule"
"""The planner that plans nothing: it flies the study's own schedule in every cell."""
MOST_CELLS = 200_000
SAMPLING_TITLES: Mapping[str, str] = {"grid": "Every combination", "latin": "Latin hypercube: drawn from ranges"}
CASE = "case"
"""The column of the cases' names."""


class Sampling(StrEnum):
    """Sampling of the cells: every combination, or a Latin hypercube."""

    GRID = "grid"
    LATIN = "latin"


@dataclass(frozen=True, slots=True)
class Vary:
    """Factor and its values: ``values``, or ``steps`` evenly spaced ones from ``low`` to ``high``.

    A Latin hypercube draws from ``low`` to ``high``, or from the ``values``.
    """

    name: str
    values: tuple[Value, ...] = ()
    low: float | None = None
    high: float | None = None
    steps: int = 0

    @property
    def levels(self) -> tuple[Value, ...]:
        """The values of a grid."""
        if self.values or self.low is None or self.high is None:
            return self.values
        return tuple(float(value) for value in np.linspace(self.low, self.high, max(self.steps, 1)))

    def drawn(self, place: float, whole: bool) -> Value:
        """Return the value at ``place`` in [0, 1) of the range.

        With ``whole`` each whole number has the same share of the range.
        """
        if self.values:
            return self.values[int(place * len(self.values))]
        assert self.low is not None and self.high is not None
        if whole:
            return int(math.ceil(self.low) + math.floor(place * (math.floor(self.high) - math.ceil(self.low) + 1)))
        return float(self.low + place * (self.high - self.low))

    def problems(self, sampling: Sampling) -> list[Problem]:
        """Return the problems of the factor's values, whatever the factor is."""
        where, range_given = f"vary {self.name}", self.low is not None or self.high is not None
        if self.values and (range_given or self.steps):
            return [Problem(where, "has both values and a range", "give values, or low and high")]
        if self.values:
            return []
        if self.low is None or self.high is None:
            return [Problem(where, "has no values", "give values, or a range from low to high")]
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            return [Problem(where, f"goes from {self.low:g} to {self.high:g}", "give a low below a high")]
        if sampling is Sampling.GRID and self.steps < 2:
            remedy = "give 2 steps or more, or draw the cells as a Latin hypercube"
            return [Problem(where, f"has {self.steps} steps", remedy)]
        return []


@dataclass(frozen=True, slots=True)
class Case:
    """A chosen combination, called ``name``; the first of a study is what the others are compared with."""

    name: str
    set: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StudySettings:
    """Factors that vary around a project, and measures.

    ``planner`` is one of the benchmark's, or :data:`SCHEDULE`; it may vary like everything else. ``set`` holds for
    every cell. ``budget`` 0 is no limit but what the fleet can fly.
    """

    name: str = option("Study", "Name", "name of the study", restarts=False)
    planner: str = option("tactical", "Planner", f"planner of every case, or {SCHEDULE}")
    allowance: int = option(
        600,
        "Fire simulations",
        "fire simulations of each search; a step of the gradient search counts as three",
        low=1,
        high=10**9,
    )
    budget: int = option(0, "Drop budget", "soft limit on planned drops; 0 is none", low=0, high=10**9)
    excess: float = option(
        EXCESS_WEIGHT,
        "Cost of excess drops",
        "cost of drops over the budget, per budget",
        low=0.0,
        high=1e6,
        symbol="λ",
    )
    set: Mapping[str, Value] = field(default_factory=dict)
    vary: tuple[Vary, ...] = ()
    cases: tuple[Case, ...] = ()
    sampling: Sampling = option(
        Sampling.GRID, "Sampling", "every combination, or a Latin hypercube", choices=SAMPLING_TITLES
    )
    samples: int = option(32, "Samples", "cells that a Latin hypercube draws, for every case", low=1, high=MOST_CELLS)
    seed: int = option(0, "Random seed", "of the Latin hypercube", low=0, high=2**32 - 1)
    measure: tuple[str, ...] = option(
        ("objective", "final_extent_ha", "drops_executed"), "Measures", "columns of the table", restarts=False
    )

    @property
    def names(self) -> tuple[str, ...]:
        """Columns of the factors.

        They are the case, where there are several, then the factors that vary, then those that cases set.
        """
        varied = tuple(each.name for each in self.vary)
        chosen = dict.fromkeys(name for case in self.cases for name in case.set if name not in varied)
        return (*((CASE,) if self.cases else ()), *varied, *chosen)

    @property
    def count(self) -> int:
        """Number of cells."""
        drawn = self.samples if self.sampling is Sampling.LATIN and self.vary else 1
        if self.sampling is Sampling.GRID:
            drawn = math.prod(len(each.values) or each.steps for each in self.vary)
        return drawn * max(len(self.cases), 1)

    def problems(self) -> list[Problem]:
        """Return everything wrong with the settings that can be said without a project."""
        found = bounds_problems(self, "study")
        found += [problem for each in self.vary for problem in each.problems(self.sampling)]
        if not self.vary and not self.cases:
            found.append(Problem("study", "nothing varies", "add a factor or a case"))
        for what, names in (("vary", [each.name for each in self.vary]), ("case", [case.name for case in self.cases])):
            twice = sorted({name for name in names if names.count(name) > 1})
            found += [Problem(f"{what} {name}", "is there more than once", "give it once") for name in twice]
        if not found and self.count > MOST_CELLS:
            found.append(Problem("study", f"has {self.count:,} cells", f"ask for at most {MOST_CELLS:,}"))
        return found


@dataclass(frozen=True, slots=True)
class Cell:
    """Cell ``number`` from 0: the name of its ``case`` and the values of its factors.

    The name is empty in a study without cases.
    """

    number: int
    values: Values
    case: str = ""

    def value(self, name: str) -> Value | None:
        """Return the value of the factor ``name``.

        It is ``None`` where this cell keeps the project's value.
        """
        return self.case if name == CASE else dict(self.values).get(name)

    @property
    def title(self) -> str:
        """For people: ``no S-2T, seed 3``."""
        said = [f"{name} {value_text(value)}" for name, value in self.values]
        return ", ".join([self.case, *said[-_SHOWN:]] if self.case else said) or f"cell {self.number}"


_SHOWN = 3
"""So much of what a case sets is said beside its name."""


def value_text(value: Value | None) -> str:
    """Return a value as text, with days counted as in the study file."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def cells_of(settings: StudySettings, whole: frozenset[str] = frozenset()) -> tuple[Cell, ...]:
    """Return every cell in order.

    Cases follow one another. Within a case the last factor varies fastest. ``whole`` names the factors that only whole
    numbers make sense for.
    """
    draws = list(_draws(settings, whole))
    cases = settings.cases or (Case(""),)
    return tuple(
        Cell(number, _joined(case, draw), case.name) for number, (case, draw) in enumerate(product(cases, draws))
    )


def _joined(case: Case, draw: Values) -> Values:
    """Return the values of a cell. What varies overrides what the case sets."""
    varied = dict(draw)
    return (*((name, value) for name, value in case.set.items() if name not in varied), *draw)


def _draws(settings: StudySettings, whole: frozenset[str]) -> Iterator[Values]:
    names = [each.name for each in settings.vary]
    if settings.sampling is Sampling.GRID or not names:
        for values in product(*(_levels(each, each.name in whole) for each in settings.vary)):
            yield tuple(zip(names, values, strict=True))
        return
    # Each factor's range in as many strata as there are samples, each used once, in an order of its own.
    rng = np.random.default_rng(np.random.SeedSequence(settings.seed))
    count = settings.samples
    places = np.stack([(rng.permutation(count) + rng.random(count)) / count for _ in names], axis=1)
    for row in places:
        yield tuple(
            (each.name, each.drawn(float(place), each.name in whole))
            for each, place in zip(settings.vary, row, strict=True)
        )


def _levels(each: Vary, whole: bool) -> tuple[Value, ...]:
    if not whole:
        return each.levels
    return tuple(round(value) if isinstance(value, float) else value for value in each.levels)

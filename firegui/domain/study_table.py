"""Results of a study: a row for each cell, measures of a row, and their comparisons.

Nothing in a table is measured by a clock, so that the same study gives the same table wherever it is carried out; what
cells took is kept beside it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from statistics import fmean, stdev

from firegui.domain.results import Metrics, Violations
from firegui.domain.stress import StressResult, StressTable, scenario_names
from firegui.domain.study import CASE, Cell, StudySettings, Value, value_text
from firegui.domain.units import Units

_AREAS = ("ha", "cells", "cell-days")
"""Units of areas."""
_VOLUME = "gal"


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A finished cell: the fire without drops and with its plan, both at the cell's nominal effectiveness.

    ``objective`` has in it the penalty for drops over a budget. ``evaluations`` are charged rollout-equivalents,
    ``violations`` what the audit found. ``seconds`` by the clock and ``worker`` say what it took and where it was done.
    ``stress`` is the stress table of a plan that drops anything.
    """

    cell: int
    baseline: Metrics
    plan: Metrics
    objective: float
    candidate: int
    evaluations: int
    violations: Violations
    seconds: float = 0.0
    worker: str = ""
    stress: StressTable | None = None


@dataclass(frozen=True, slots=True)
class StudyMeasure:
    """Quantity of a row.

    ``is_ratio`` is set for an area per something, which may be small. ``better`` is −1 where less is better, 1 where
    more is better, and 0 for neither. ``value`` is NaN where a row has none.
    """

    title: str
    unit: str
    value: Callable[[StudyRow], float]
    better: int = -1
    is_ratio: bool = False

    @property
    def is_size(self) -> bool:
        """Whether it is an area, or an area over time."""
        return self.unit in _AREAS and not self.is_ratio

    @property
    def label(self) -> str:
        """With its unit."""
        return f"{self.title}, {self.unit}" if self.unit else self.title


def _of_plan(name: str) -> Callable[[StudyRow], float]:
    def value(row: StudyRow) -> float:
        found = getattr(row.plan, name)
        return math.nan if found is None else float(found)

    return value


def _of_baseline(name: str) -> Callable[[StudyRow], float]:
    return lambda row: float(getattr(row.baseline, name))


def _growth_left(result: Callable[[StressTable], StressResult]) -> Callable[[StudyRow], float]:
    return lambda row: math.nan if row.stress is None else 100.0 * result(row.stress).share_worst


MEASURES: Mapping[str, StudyMeasure] = {
    "objective": StudyMeasure("Objective with penalty", "", lambda row: row.objective),
    "objective_before_penalty": StudyMeasure("Objective", "", _of_plan("objective")),
    "final_extent_ha": StudyMeasure("Final size", "ha", _of_plan("final_extent_ha")),
    "final_extent_cells": StudyMeasure("Final size", "cells", _of_plan("final_extent_cells")),
    "occupancy_cell_days": StudyMeasure("Burned area over time", "cell-days", _of_plan("occupancy_cell_days")),
    "protected_cells": StudyMeasure("Fire in protected regions", "cells", _of_plan("protected_cells")),
    "loss_burn": StudyMeasure("Burn loss", "", _of_plan("loss_burn")),
    "loss_final": StudyMeasure("Final loss", "", _of_plan("loss_final")),
    "loss_prot": StudyMeasure("Protection loss", "", _of_plan("loss_prot")),
    "drops_executed": StudyMeasure("Drops", "", _of_plan("drops_executed")),
    "gallons": StudyMeasure("Volume", _VOLUME, _of_plan("gallons")),
    "flight_hours": StudyMeasure("Flight hours", "", _of_plan("flight_hours")),
    "cost": StudyMeasure("Cost", "", _of_plan("cost")),
    "drops_proposed": StudyMeasure("Proposed drops", "", _of_plan("drops_proposed"), 0),
    "baseline_objective": StudyMeasure("Objective without drops", "", _of_baseline("objective"), 0),
    "baseline_final_extent_ha": StudyMeasure("Final size without drops", "ha", _of_baseline("final_extent_ha"), 0),
    "saved_ha": StudyMeasure(
        "Area saved", "ha", lambda row: row.baseline.final_extent_ha - row.plan.final_extent_ha, 1
    ),
    "saved_objective": StudyMeasure(
        "Objective saved", "", lambda row: row.baseline.objective - row.plan.objective, 1
    ),
    "saved_ha_per_drop": StudyMeasure(
        "Area saved per drop", "ha",
        lambda row: (row.baseline.final_extent_ha - row.plan.final_extent_ha) / max(row.plan.drops_executed, 1), 1,
        is_ratio=True,
    ),
    "evaluations": StudyMeasure("Fire simulations", "", lambda row: float(row.evaluations), 0),
    "violations": StudyMeasure(
        "Rule violations", "",
        lambda row: float(sum(astuple(row.violations))),
    ),
    "growth_left": StudyMeasure("Growth left", "%", _growth_left(lambda table: table.nominal)),
    "worst_growth_left": StudyMeasure(
        "Growth left in the worst stress case", "%", _growth_left(lambda table: table.worst)
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class StudyTable:
    """The ``rows`` of a study so far, by cell, and why those of ``failed`` have none.

    Files have measures as they are. :meth:`in_units` returns the table with ``scales`` by unit, for people: the unit
    that is shown, and the factor to it.
    """

    settings: StudySettings
    cells: tuple[Cell, ...]
    rows: Mapping[int, StudyRow]
    failed: Mapping[int, str]
    scales: Mapping[str, tuple[str, float]] = field(default_factory=dict)

    def in_units(self, units: Units, cell_ha: float) -> StudyTable:
        """Return the table with its areas in ``units``, also those in cells of ``cell_ha`` hectares."""
        scales = {
            "ha": (units.area_unit, units.area_value(1.0)),
            "cells": (units.area_unit, units.area_value(cell_ha)),
            "cell-days": (units.area_days_unit, units.area_value(cell_ha)),
            _VOLUME: (units.volume_unit, units.volume_value(1.0)),
        }
        return replace(self, scales=scales)

    def label(self, measure: str) -> str:
        """Return the title of a measure, with the unit that :meth:`measured` has."""
        about = MEASURES[measure]
        return replace(about, unit=self._scale(about)[0]).label

    def _scale(self, about: StudyMeasure) -> tuple[str, float]:
        return self.scales.get(about.unit, (about.unit, 1.0))

    @property
    def complete(self) -> bool:
        """Whether every cell has its row."""
        return len(self.rows) == len(self.cells)

    @property
    def done(self) -> tuple[Cell, ...]:
        """The cells that have a row, in order."""
        return tuple(cell for cell in self.cells if cell.number in self.rows)

    @property
    def scenarios(self) -> tuple[str, ...]:
        """Names of the stress scenarios that any plan was tested in; none where rows have no stress table."""
        return scenario_names(row.stress for row in self.rows.values())

    def measured(self, cell: Cell, measure: str) -> float:
        """Return ``measure`` of a finished cell, NaN where it has none."""
        about = MEASURES[measure]
        return about.value(self.rows[cell.number]) * self._scale(about)[1]

    def mean(self, cells: Sequence[Cell], measure: str) -> float:
        """Return the mean of ``measure`` over those of ``cells`` that have it, NaN where none has."""
        found = [self.measured(cell, measure) for cell in cells if self.has(cell, measure)]
        return fmean(found) if found else math.nan

    def has(self, cell: Cell, measure: str) -> bool:
        """Return whether a cell is done and ``measure`` says anything of it."""
        return cell.number in self.rows and not math.isnan(self.measured(cell, measure))


# -- axes -------------------------------------------------------------------------------------------------------------
MOST_LEVELS = 14
"""A factor with more different values than this is shown in as many intervals as :data:`INTERVALS`."""
INTERVALS = 8


@dataclass(frozen=True, slots=True)
class FactorLevel:
    """A value of a factor, or an interval of its values, with the cells that have it."""

    text: str
    place: float
    cells: tuple[Cell, ...]


def levels_of(table: StudyTable, name: str) -> tuple[FactorLevel, ...]:
    """Return the cells of a study grouped by the value of the factor ``name``, in order.

    Cells that are not done are included.
    """
    by_value: dict[Value | None, list[Cell]] = {}
    for cell in table.cells:
        by_value.setdefault(cell.value(name), []).append(cell)
    numeric = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in by_value)
    if not numeric:
        return tuple(
            FactorLevel(_name(name, value), float(place), tuple(cells))
            for place, (value, cells) in enumerate(by_value.items())
        )
    numbers = sorted(float(value) for value in by_value)  # type: ignore[arg-type]
    if len(numbers) <= MOST_LEVELS:
        found = sorted(by_value.items(), key=lambda pair: float(pair[0]))  # type: ignore[arg-type]
        return tuple(FactorLevel(value_text(value), float(value), tuple(cells)) for value, cells in found)  # type: ignore[arg-type]
    return _intervals(numbers, {float(value): cells for value, cells in by_value.items()})  # type: ignore[arg-type]


def _name(name: str, value: Value | None) -> str:
    return value_text(value) if value is not None or name == CASE else "as it is"


def _intervals(numbers: Sequence[float], by_value: Mapping[float, Sequence[Cell]]) -> tuple[FactorLevel, ...]:
    low, width = numbers[0], (numbers[-1] - numbers[0]) / INTERVALS
    found = []
    for number in range(INTERVALS):
        begin, end = low + number * width, low + (number + 1) * width
        last = number == INTERVALS - 1
        inside = [cell for value in numbers if begin <= value < end or (last and value >= begin)
                  for cell in by_value[value]]  # fmt: skip
        found.append(FactorLevel(f"{begin:.3g} – {end:.3g}", 0.5 * (begin + end), tuple(inside)))
    return tuple(found)


# -- what the rows come to --------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Heat:
    """The means of a measure over two factors: ``values[down][across]``, NaN where no cell is done."""

    across: tuple[FactorLevel, ...]
    down: tuple[FactorLevel, ...]
    values: tuple[tuple[float, ...], ...]
    cells: tuple[tuple[tuple[Cell, ...], ...], ...]


def heat_of(table: StudyTable, across: str, down: str, measure: str) -> Heat:
    """Return means of ``measure`` by the factors ``across`` and ``down``; over whatever else varies."""
    columns, lines = levels_of(table, across), levels_of(table, down)
    inside = [{cell.number for cell in level.cells} for level in columns]
    cells = tuple(
        tuple(tuple(cell for cell in line.cells if cell.number in numbers) for numbers in inside) for line in lines
    )
    values = tuple(tuple(table.mean(place, measure) for place in line) for line in cells)
    return Heat(columns, lines, values, cells)


@dataclass(frozen=True, slots=True)
class TornadoBar:
    """Effect of a factor on a measure.

    It has the mean at ``low_text`` and at ``high_text``, beside the ``reference``. Of a case ``low`` is the reference,
    the first case. ``spread`` is the sample standard deviation of the difference over whatever else varies, NaN where
    nothing does; ``pairs`` is over how many cells the difference was taken.
    """

    label: str
    low: float
    high: float
    low_text: str
    high_text: str
    reference: float
    spread: float = math.nan
    pairs: int = 0
    cells: tuple[Cell, ...] = ()

    @property
    def length(self) -> float:
        """Distance that the measure moves."""
        ends = (self.low, self.high, self.reference)
        return max(ends) - min(ends)

    @property
    def change(self) -> float:
        """From the low end to the high one."""
        return self.high - self.low


_SEEDS = ("seed", "optimizer.seed")
"""What they do is chance: the spread of the others."""


def tornado_of(table: StudyTable, measure: str) -> tuple[TornadoBar, ...]:
    """Return a bar for every factor and every case but the first, the longest first.

    Bars without enough finished cells are left out. Cases are compared with the first, cell by cell with what else
    varies the same (paired), which is fairer than means of what happens to be done.
    """
    bars = [*_case_bars(table, measure)]
    factors = (each.name for each in table.settings.vary if each.name not in _SEEDS)
    bars += [bar for name in factors if (bar := _factor_bar(table, name, measure)) is not None]
    return tuple(sorted(bars, key=lambda bar: -bar.length))


def _case_bars(table: StudyTable, measure: str) -> list[TornadoBar]:
    cases = table.settings.cases
    if len(cases) < 2:
        return []
    per_case = len(table.cells) // len(cases)
    first = table.cells[:per_case]
    bars = []
    for place, case in enumerate(cases[1:], start=1):
        own = table.cells[place * per_case : (place + 1) * per_case]
        both = [(one, other) for one, other in zip(first, own, strict=True)
                if table.has(one, measure) and table.has(other, measure)]  # fmt: skip
        if not both:
            continue
        before = [table.measured(one, measure) for one, _ in both]
        after = [table.measured(other, measure) for _, other in both]
        changes = [b - a for a, b in zip(before, after, strict=True)]
        spread = stdev(changes) if len(changes) > 1 else math.nan
        base = fmean(before)
        others = tuple(other for _, other in both)
        end = base + fmean(changes)
        bars.append(TornadoBar(case.name, base, end, cases[0].name, case.name, base, spread, len(both), others))
    return bars


def _factor_bar(table: StudyTable, name: str, measure: str) -> TornadoBar | None:
    found = [(level, table.mean(level.cells, measure)) for level in levels_of(table, name)]
    found = [(level, mean) for level, mean in found if not math.isnan(mean)]
    if len(found) < 2:
        return None
    ordered = all(isinstance(cell.value(name), (int, float)) for cell in table.cells)
    if not ordered:
        found.sort(key=lambda pair: pair[1])
    (low, at_low), (high, at_high) = found[0], found[-1]
    middle = table.mean(table.cells, measure)
    return TornadoBar(name, at_low, at_high, low.text, high.text, middle, pairs=len(table.rows), cells=high.cells)


def front_of(points: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Return the Pareto front of ``points`` from left to right, less being better in both.

    Points with a NaN are on no front.
    """
    front: list[int] = []
    best = math.inf
    known = [number for number, point in enumerate(points) if not any(map(math.isnan, point))]
    for number in sorted(known, key=lambda k: (*points[k], k)):
        if points[number][1] < best:
            front.append(number)
            best = points[number][1]
    return tuple(front)


def points_of(
    table: StudyTable, x: str, y: str, cells: Sequence[Cell] | None = None
) -> tuple[tuple[float, float], ...]:
    """Return ``(x, y)`` of ``cells``, all finished ones by default.

    The sign is turned where more is better.
    """
    turns = [-1.0 if MEASURES[name].better > 0 else 1.0 for name in (x, y)]
    return tuple(
        (turns[0] * table.measured(cell, x), turns[1] * table.measured(cell, y))
        for cell in (table.done if cells is None else cells)
    )

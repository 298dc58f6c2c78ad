"""Comparison of two runs: evaluation for the map, metrics, differing inputs, page of the drawer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any

from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from firegui.domain.fleet import AircraftType
from firegui.domain.options import option_of, title_of
from firegui.domain.plan_summary import PlanSummary, saved_text
from firegui.domain.project import Project, same_inputs, same_spread
from firegui.domain.stress import NOT_TESTED, StressResult, StressTable, case_text, worst_case_text
from firegui.domain.units import Units, percent_text
from firegui.errors import InputError, Problem
from firegui.gui.base.layouts import muted_label, vertical
from firegui.gui.base.number_text import duration, number
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_list import other_event_error
from firegui.gui.planning.empty_charts import needs_no_first_stage, not_needed_text
from firegui.gui.session.session import Session
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.gui.widgets.table_view import show_table
from firegui.runs.fire_specs import run_spec
from firegui.runs.messages import counted
from firegui.runs.spec import EvaluateSpec

_TITLE = "The runs cannot be compared"
_TABLE_TIP = "First the results, then every input in which the two runs differ"
_NO_RUNS = "Click a run in the list, Ctrl+click a second one, and press Compare"
NO_EPOCHS = "none needed"
"""Epochs of a run whose first stage was not needed."""
_OF_REGIONS = ("protected_cells", "loss_prot")
"""Figures over the protected regions of a run."""
_OF_REGION = "expected burned area inside the protected region at the end of the plan"
_PARTS = ("optimizer", "elimination", "weights", "nominal", "design", "margin")


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Row of a comparison. ``change`` is the second value minus the first, for numbers."""

    what: str
    one: str
    other: str
    change: str = ""
    help: str = ""


def run_comparison_spec(one: RunEntry, other: RunEntry, backend: str) -> EvaluateSpec:
    """Return the evaluation of two plans, each for its own project and fire.

    The plan of ``other`` is compared with that of ``one``. Raises :class:`InputError` for runs of another event, of
    different days or fires, or without a plan.
    """
    if one.project is None or other.project is None:
        raise other_event_error(one if one.project is None else other)
    if not same_spread(one.project, other.project):
        problem = Problem(other.title, f"was planned for other days or another fire than {one.title}", "choose another")
        raise InputError([problem], _TITLE)
    apart = None if same_inputs(one.project, other.project) else one.project
    first, _ = run_spec(one.folder, one.project, backend, replans=one.replans)
    second, _ = run_spec(other.folder, other.project, backend, replans=other.replans)
    return replace(second, against=first.schedule, against_fire=first.fire, against_project=apart)


def compared(one: RunEntry, other: RunEntry, units: Units = Units.METRIC) -> tuple[ComparisonRow, ...]:
    """Return the metrics of two runs in ``units``, then every input in which they differ."""
    for entry in (one, other):
        entry.complete_summary()
    return (*_results(one, other, units), *_numbers(one, other, units), *differing_inputs(one.project, other.project))


def _results(one: RunEntry, other: RunEntry, units: Units) -> Iterator[ComparisonRow]:
    """Yield what is reported first of each plan: size, saved, drops, volume, worst cases, night drops.

    What burns of the regions comes before where a goal protects them, else after.
    """
    left, right = one.summary, other.summary
    protects = any(each is not None and each.protects_regions for each in (left, right))
    if protects:
        yield from _region_lines(one, other, units)
    sizes = [
        None if entry.nominal is None else units.area_value(entry.nominal.final_extent_ha) for entry in (one, other)
    ]
    yield _line(f"Final size ({units.area_unit})", sizes[0], sizes[1], "expected fire at the end of the plan")
    if left is not None and right is not None:
        change = _share_change([left.saved_share, right.saved_share])
        help = "of the fire without drops at the end of the plan"
        yield ComparisonRow("Saved", _saved(left), _saved(right), change, help)
    yield _line("Drops", one.drops, other.drops, "drops of the plan")
    if left is not None and right is not None:
        volumes = [units.volume_value(each.gallons) for each in (left, right)]
        yield _line(f"Volume ({units.volume_unit})", volumes[0], volumes[1], "retardant and water of all drops")
    yield from _worst_cases(one, other, units, protects=protects)
    if left is not None and right is not None:
        yield _line("Drops at night", left.night, right.night, "before sunrise or after sunset")
    if not protects:
        yield from _region_lines(one, other, units)


def _region_lines(one: RunEntry, other: RunEntry, units: Units) -> Iterator[ComparisonRow]:
    """Yield what burns of every protected region of either run.

    Regions of different outlines are not subtracted.
    """
    burned = [_burned_by_region(entry) for entry in (one, other)]
    outlines = [_outlines(entry) for entry in (one, other)]
    for name in dict.fromkeys([*burned[0], *burned[1]]):
        areas = [each.get(name) for each in burned]
        texts = ["–" if area is None else units.area(area) for area in areas]
        change = _change(areas[0], areas[1], units.area)
        row = ComparisonRow(f"Burned in {name}", texts[0], texts[1], change, _OF_REGION)
        is_other = name in burned[0] and name in burned[1] and outlines[0].get(name) != outlines[1].get(name)
        yield _with_change(row, "not comparable: the regions differ" if is_other else "")


def _burned_by_region(entry: RunEntry) -> dict[str, float | None]:
    regions = () if entry.summary is None else entry.summary.regions
    return {region.name: region.burned_ha for region in regions}


def _outlines(entry: RunEntry) -> dict[str, object]:
    regions = () if entry.project is None else entry.project.regions
    return {region.name: region.parts for region in regions}


def _saved(summary: PlanSummary) -> str:
    return "–" if summary.saved_share is None else saved_text(summary.saved_share)


def _numbers(one: RunEntry, other: RunEntry, units: Units) -> Iterator[ComparisonRow]:
    yield _area_line("occupancy_cell_days", one, other, units)
    yield _with_change(
        _area_line("protected_cells", one, other, units), why_not_subtracted("protected_cells", one, other)
    )
    both = (one.nominal, other.nominal)
    for what, name, help in (
        ("Objective", "objective", "each by its own weights, at expected effectiveness"),
        ("Objective, burned area day by day", "loss_burn", "this part of the objective, without its weight"),
        ("Objective, final size", "loss_final", "this part of the objective, without its weight"),
        ("Objective, protected places", "loss_prot", "this part of the objective, without its weight"),
    ):
        values = [None if metrics is None else float(getattr(metrics, name)) for metrics in both]
        yield _with_change(_line(what, values[0], values[1], help), why_not_subtracted(name, one, other))
    best = _line("Objective of the search", one.best, other.best, "of the search, at cautious effectiveness")
    yield _with_change(best, why_not_subtracted("objective", one, other))
    yield _epochs(one, other)
    if one.fire != other.fire:
        kinds = (one.fire or "simulated", other.fire or "simulated")
        yield ComparisonRow("Fire", *kinds, help="the fire in which each plan is flown")
    yield ComparisonRow("Time worked", duration(one.elapsed), duration(other.elapsed), help="wall time of the run")


def why_not_subtracted(name: str, one: RunEntry, other: RunEntry) -> str:
    """Return why the figure called ``name`` of two runs cannot be subtracted; empty if it can."""
    if one.project is None or other.project is None:
        return ""
    weights = one.project.plan.weights != other.project.plan.weights
    regions = one.project.regions != other.project.regions
    if name == "objective" and weights:
        return "not comparable: the goals differ"
    weighed = one.project.plan.weights.prot > 0.0 and name == "objective"
    return "not comparable: the regions differ" if regions and (weighed or name in _OF_REGIONS) else ""


def _with_change(row: ComparisonRow, why_not: str) -> ComparisonRow:
    return replace(row, change=why_not) if why_not else row


def _epochs(one: RunEntry, other: RunEntry) -> ComparisonRow:
    """Return the epochs of two runs; for a run whose first stage was not needed, that it was not."""
    help = "done in the search"
    counts = _line("Search steps done", one.epoch, other.epoch, help)
    reasons = [needs_no_first_stage(entry) for entry in (one, other)]
    if not any(reasons):
        return counts
    first, second = (
        NO_EPOCHS if none else text for none, text in zip(reasons, (counts.one, counts.other), strict=True)
    )
    notes = [
        f"{entry.title}: {not_needed_text(entry)}" for entry, none in zip((one, other), reasons, strict=True) if none
    ]
    return ComparisonRow("Search steps done", first, second, help=". ".join([help, *notes]))


def _worst_cases(one: RunEntry, other: RunEntry, units: Units, *, protects: bool) -> Iterator[ComparisonRow]:
    """Yield what the worst stress case of each run leaves, of protected regions and of the growth.

    The growth left in the model follows. Yields nothing without a stress table.
    """
    tables = one.stress, other.stress
    if not any(tables):
        return
    if protects:
        cases = [None if table is None else table.worst_for_regions for table in tables]
        texts = [_worst_in_regions(entry, units) for entry in (one, other)]
        burned = [_worst_in_regions_ha(entry) for entry in (one, other)]
        change = _change(burned[0], burned[1], units.area)
        help = _of_cases("burned area of the regions", cases)
        yield ComparisonRow("Worst case, regions burned", texts[0], texts[1], change, help)
    cases = [None if table is None else table.worst for table in tables]
    help = _of_cases("growth left, a share of the fire's growth without drops", cases)
    change = _share_change([None if table is None else table.worst.share_worst for table in tables])
    yield ComparisonRow(
        "Worst case, growth left", worst_case_text(one.stress), worst_case_text(other.stress), change, help
    )
    help = "share of the fire's growth without drops, at expected effectiveness"
    change = _share_change([None if table is None else table.nominal.share_worst for table in tables])
    shares = [_nominal_share(table) for table in tables]
    yield ComparisonRow("Growth left in the model", shares[0], shares[1], change, help)


def _worst_in_regions_ha(entry: RunEntry) -> float | None:
    if entry.stress is None or entry.summary is None:
        return None
    return entry.stress.worst_for_regions.protected_worst * entry.summary.cell_ha


def _worst_in_regions(entry: RunEntry, units: Units) -> str:
    burned = _worst_in_regions_ha(entry)
    if entry.stress is None or burned is None:
        return NOT_TESTED
    return f"{units.area(burned)} ({entry.stress.worst_for_regions.scenario.name})"


def _of_cases(what: str, cases: Sequence[StressResult | None]) -> str:
    """Return the help of a line on ``what`` the worst cases leave, with the cases in words."""
    words = dict.fromkeys(case_text(case.scenario) for case in cases if case is not None)
    return ". ".join((f"{what}, in the worst stress case, and its name", *words))


def _nominal_share(table: StressTable | None) -> str:
    return NOT_TESTED if table is None else percent_text(table.nominal.share_worst)


def _line(what: str, one: float | None, other: float | None, help: str) -> ComparisonRow:
    return ComparisonRow(what, _text(one), _text(other), _change(one, other, _text), help)


def _share_change(shares: Sequence[float | None]) -> str:
    one, other = shares
    return re.sub(r"^(.1) points$", r"\1 point", _change(one, other, percent_text).replace(" %", " points"))


def _change(one: float | None, other: float | None, text: Callable[[float], str]) -> str:
    """Return the difference of two values as ``text`` shows them; empty where one is unknown.

    It is that of the rounded numbers beside it, so that a reader who subtracts finds the same.
    """
    if one is None or other is None:
        return ""
    first, second = (text(value) for value in (one, other))
    numbers = [re.match(r"-?[\d,]+(\.\d+)?(e[+-]?\d+)?", each) for each in (first, second)]
    if first == second:
        return "0"
    if None in numbers:
        return f"{'+' if other > one else '−'}{text(abs(other - one))}"
    one_shown, other_shown = (Decimal(found[0].replace(",", "")) for found in numbers if found is not None)
    unit = second[len(numbers[1][0]) :] if numbers[1] is not None else ""
    difference = f"{abs(other_shown - one_shown):,}".replace("E", "e")
    return f"{'+' if other_shown > one_shown else '−'}{difference}{unit}"


def _area_line(name: str, one: RunEntry, other: RunEntry, units: Units) -> ComparisonRow:
    """Return the row of a metric that counts cells, as an area; the cells are in its help."""
    if name == "protected_cells":
        what, help = f"Protected area burned, {units.area_unit}", "expected, in the union of each run's own regions"
    else:
        what, help = f"Burned area over time, {units.area_days_unit}", "days times the mean of what has burned"
    counts = [None if each.nominal is None else float(getattr(each.nominal, name)) for each in (one, other)]
    areas = [
        None if count is None or entry.project is None
        else units.area_value(count * entry.project.scenario.grid.cell_area_ha)
        for count, entry in zip(counts, (one, other), strict=True)
    ]  # fmt: skip
    return _line(what, areas[0], areas[1], f"{help}; in cells: {_text(counts[0])} and {_text(counts[1])}")


def _text(value: float | None) -> str:
    return f"{value:,}" if isinstance(value, int) else number(value)


def differing_inputs(one: Project | None, other: Project | None) -> tuple[ComparisonRow, ...]:
    """Return every input in which two projects differ; nothing if a project is unknown."""
    if one is None or other is None:
        return ()
    return (*_differing_settings(one.plan, other.plan), *_differing_fleets(one, other), *_other_differences(one, other))


def _differing_settings(one: Any, other: Any) -> Iterator[ComparisonRow]:
    for item in fields(one):
        left, right = getattr(one, item.name), getattr(other, item.name)
        if item.name in _PARTS:
            yield from _differing_settings(left, right)
        elif left != right:
            declared = option_of(one, item.name)
            help, titles = ("", {}) if declared is None else (declared.help, declared.choices)
            left, right = (str(titles.get(value, value)) for value in (left, right))
            yield ComparisonRow(title_of(one, item.name), left, right, help=help)


def _differing_fleets(one: Project, other: Project) -> Iterator[ComparisonRow]:
    left, right = ({kind.id: kind for kind in project.planned_fleet.types} for project in (one, other))
    for name in sorted({*left, *right}):
        a, b = left.get(name), right.get(name)
        if a == b:
            continue
        if a is None or b is None or a.count != b.count:
            yield ComparisonRow(f"{name}: aircraft", _count(a), _count(b))
        elif a.grounded_days != b.grounded_days:
            help = "days of the plan on which it does not fly"
            days = (counted(len(a.grounded_days), "day"), counted(len(b.grounded_days), "day"))
            yield ComparisonRow(f"{name}: grounded", days[0], days[1], help=help)
        else:
            yield ComparisonRow(
                f"{name}: figures", "", "others", help="payload, turnaround, speed, height or footprint"
            )


def _count(kind: AircraftType | None) -> str:
    return "none" if kind is None else str(kind.count)


def _other_differences(one: Project, other: Project) -> Iterator[ComparisonRow]:
    if one.regions != other.regions:
        left, right = (", ".join(region.name for region in each.regions) or "none" for each in (one, other))
        yield ComparisonRow("Protected regions", left, right if right != left else "of another shape or weight")
    if one.operations != other.operations:
        yield ComparisonRow("Constraints", "", "others", help="daylight, groundings, sorties, zones or pinned drops")
    if one.required_coverage != other.required_coverage:
        yield ComparisonRow("Required coverage", number(one.required_coverage), number(other.required_coverage))


def plan_titles(one: RunEntry, other: RunEntry) -> tuple[str, str]:
    """Return the titles of two compared runs, numbered as on their maps."""
    return f"Plan 1: {one.title}", f"Plan 2: {other.title}"


class ComparisonPanel(QWidget):
    """Page of the drawer with the metrics and inputs of two runs, below the maps that show both plans."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.runs: tuple[RunEntry, RunEntry] | None = None
        self.lines: tuple[ComparisonRow, ...] = ()
        self.hint = muted_label(_NO_RUNS)
        self.model: TableModel[ComparisonRow] = TableModel((), self, row_tip=lambda row: row.help or row.what)
        self.table = QTableView()
        # Low rows: the important ones are on screen together.
        height = self.table.fontMetrics().height() + 4
        show_table(self.table, self.model, "Two runs compared", row_height=height, is_sortable=False)
        self.table.setToolTip(_TABLE_TIP)
        vertical(self, self.hint, (self.table, 1), margins=(6, 4, 6, 4), spacing=4)
        session.project_opened.connect(self.clear)
        session.units_changed.connect(self._fill)
        self.clear()

    def show_runs(self, one: RunEntry, other: RunEntry) -> None:
        """Show the numbers of two runs."""
        self.runs = one, other
        self._fill()

    def clear(self) -> None:
        """Show no runs."""
        self.runs, self.lines = None, ()
        self.model.set_rows((), ())
        self._show_table(False)

    def _show_table(self, on: bool) -> None:
        self.table.setVisible(on)
        self.hint.setVisible(not on)

    def _fill(self) -> None:
        if self.runs is None:
            return
        self.lines = compared(*self.runs, self._session.units)
        first, second = plan_titles(*self.runs)
        columns = (
            Column("", lambda row: row.what, is_text=True),
            Column(first, lambda row: row.one, tip=first),
            Column(second, lambda row: row.other, tip=second),
            Column("Change", lambda row: row.change, tip="Plan 2 minus plan 1"),
            Column("What it is", lambda row: row.help, is_text=True),
        )
        self.model.set_rows(self.lines, columns)
        for place, column in enumerate(columns):
            is_wide = column.title in (first, second, "What it is")
            mode = QHeaderView.ResizeMode.Stretch if is_wide else QHeaderView.ResizeMode.ResizeToContents
            self.table.horizontalHeader().setSectionResizeMode(place, mode)
        self._show_table(True)

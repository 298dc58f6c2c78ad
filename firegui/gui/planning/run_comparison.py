"""Comparison of runs: evaluation of two for the map, metrics, differing inputs, page of the drawer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import partial
from typing import Any

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from firegui.domain.fleet import AircraftType
from firegui.domain.options import option_of, title_of
from firegui.domain.plan_summary import VERDICT, PlanSummary, saved_text
from firegui.domain.project import Project, same_inputs, same_spread
from firegui.domain.stress import (
    NOT_STRESS_TESTED,
    NOT_TESTED,
    StressResult,
    StressTable,
    case_text,
    untestable_texts,
    untested_texts,
    worst_case_text,
)
from firegui.domain.units import UNKNOWN, Units, amount_text, percent_text
from firegui.errors import InputError, Problem
from firegui.gui.base.layouts import muted_label, plain_label, vertical
from firegui.gui.base.number_text import duration, number
from firegui.gui.base.plain_text import tooltip
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_list import other_event_error
from firegui.gui.planning.empty_charts import needs_no_first_stage, not_needed_text
from firegui.gui.planning.run_order import end_at_one_limit
from firegui.gui.session.session import Session
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.gui.widgets.table_view import show_table
from firegui.runs.fire_specs import run_spec
from firegui.runs.messages import counted
from firegui.runs.spec import EvaluateSpec
from firegui.runs.titles import compared_titles, short_titles

_TITLE = "The runs cannot be compared"
_TABLE_TIP = "First the results, then every input in which the runs differ"
_NO_RUNS = "Click a run in the list, Ctrl+click others, and press Compare"
_OTHER_REGIONS = "not comparable: the regions differ"
_OTHER_SHAPE = "of another shape or weight"
_LEAST_COLUMN = 170
"""Least width of the column of a run in pixels, of three runs or more."""
_CELL_AIR, _ROW_AIR = 10, 4
"""Width and height of a cell beyond its text, in pixels."""
NO_EPOCHS = "none needed"
"""Epochs of a run whose first stage was not needed."""
_OF_REGIONS = ("protected_cells", "loss_prot")
"""Figures over the protected regions of a run."""
_OF_REGION = "expected burned area of the region at the end of the plan"
_OF_VALUES = "expected loss of this layer of values at risk at the end of the plan, in its unit"
_OTHER_VALUES_TEXT = "other values or weights"
_OTHER_VALUES = "not comparable: the values differ"
_PARTS = ("optimizer", "elimination", "weights", "nominal", "design", "margin")


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Row of a comparison: a value for each run.

    ``change`` is the second value minus the first where two runs are compared. ``why_not`` says why the values cannot
    be subtracted.
    """

    what: str
    values: tuple[str, ...]
    change: str = ""
    help: str = ""
    why_not: str = ""

    @property
    def shown_change(self) -> str:
        """The change, or why there is none."""
        return self.why_not or self.change

    @property
    def tip(self) -> str:
        """What it is, and why the values cannot be subtracted."""
        return ". ".join(filter(None, (self.help or self.what, self.why_not)))


def check_comparable(entries: Sequence[RunEntry]) -> None:
    """Raise :class:`InputError` for runs of another event, of different days or of different fires."""
    first = entries[0]
    for entry in entries:
        if entry.project is None:
            raise other_event_error(entry)
        if first.project is not None and not same_spread(first.project, entry.project):
            what = f"was planned for other days or another fire than {first.title}"
            raise InputError([Problem(entry.title, what, "choose another")], _TITLE)


def run_comparison_spec(one: RunEntry, other: RunEntry, backend: str) -> EvaluateSpec:
    """Return the evaluation of two plans, each for its own project and fire.

    The plan of ``other`` is compared with that of ``one``. Raises :class:`InputError` for runs that are not comparable,
    or without a plan.
    """
    check_comparable((one, other))
    assert one.project is not None and other.project is not None
    apart = None if same_inputs(one.project, other.project) else one.project
    first, _ = run_spec(one.folder, one.project, backend, replans=one.replans)
    second, _ = run_spec(other.folder, other.project, backend, replans=other.replans)
    return replace(second, against=first.schedule, against_fire=first.fire, against_project=apart)


def compared(entries: Sequence[RunEntry], units: Units = Units.METRIC) -> tuple[ComparisonRow, ...]:
    """Return the metrics of runs in ``units``, then every input in which they differ."""
    for entry in entries:
        entry.complete_summary()
    inputs = differing_inputs(*(entry.project for entry in entries))
    return (*_results(entries, units), *_numbers(entries, units), *inputs)


def limit_note(entries: Sequence[RunEntry], units: Units = Units.METRIC) -> str:
    """Return what decides between plans that end at the same limit; empty for others."""
    if not end_at_one_limit(entries):
        return ""
    plans = "Both" if len(entries) == 2 else "All"
    areas = "hectares" if units is Units.METRIC else units.area_unit
    return f"{plans} plans end at the limit of the goal; drops decide, not {areas}."


def _results(entries: Sequence[RunEntry], units: Units) -> Iterator[ComparisonRow]:
    """Yield what is reported first of each plan: verdict, sizes, drops, worst cases.

    What burns of the regions comes before where a goal protects them, else after. The drops come first where all plans
    end at one limit.
    """
    summaries = [entry.summary for entry in entries]
    drops = [_line("Drops", [entry.drops for entry in entries], "drops of the plan")]
    nights, used = [], []
    known = [each for each in summaries if each is not None]
    if len(known) == len(entries):
        volumes, help = [each.gallons for each in known], "retardant and water of all drops"
        drops.append(_line(f"Volume ({units.volume_unit})", volumes, help, units.volume_number))
        help = "a drop takes the turnaround of its type"
        used.append(_line("Flight hours", [each.flight_hours for each in known], help, "{:,.1f}".format))
        currencies = {each.currency for each in known}
        if any(each.cost is not None for each in known) and len(currencies) == 1:
            help = "by the prices that each run was planned with; not known where a type that drops has none"
            used.append(_line(f"Cost ({currencies.pop()})", [each.cost for each in known], help, "{:,.0f}".format))
        nights.append(_line("Drops at night", [each.night for each in known], "before sunrise or after sunset"))
        long_flames, help = [each.long_flames for each in known], "where flames are above the flame limit of the plan"
        if any(count is not None for count in long_flames):
            nights.append(_line("Drops in long flames", long_flames, help))
    if leads := end_at_one_limit(entries):
        yield from (*drops, *nights)
    protects = any(each is not None and each.protects_regions for each in summaries)
    verdicts = [entry.verdict(units) for entry in entries]
    if any(verdicts):
        said = tuple(map(_verdict, entries, verdicts))
        reasons = dict.fromkeys(text for entry in entries for text in untestable_texts(entry.stress))
        yield ComparisonRow(
            VERDICT, said, help=". ".join(("whether the plan holds in every stress scenario", *reasons))
        )
    if protects:
        yield from _region_lines(entries, units)
    yield from _value_lines(entries)
    sizes = [None if entry.nominal is None else entry.nominal.final_extent_ha for entry in entries]
    help = "expected fire at the end of the plan"
    yield _line(f"Final size ({units.area_unit})", sizes, help, units.area_number)
    if len(known) == len(entries):
        change = _share_change([each.saved_share for each in known])
        help = "of the fire without drops at the end of the plan"
        yield ComparisonRow("Saved", tuple(map(_saved, known)), change, help)
    if not leads:
        yield from drops
    yield from _worst_cases(entries, units, protects=protects)
    if not leads:
        yield from nights
    yield from used
    if not protects:
        yield from _region_lines(entries, units)


def _verdict(entry: RunEntry, verdict: str) -> str:
    """Return the verdict of a run, with the scenarios that its test left out of a plan that holds."""
    table = entry.stress
    left_out = untested_texts(table)
    if table is None or not left_out or entry.missed:
        return verdict or NOT_STRESS_TESTED
    tested = len(table.results)
    # Where others cannot be tested, the verdict counts them.
    count = f", {tested} of {tested + len(left_out)}" if len(left_out) == len(table.left_out) else ""
    return "; ".join((f"{verdict}{count}", *left_out))


def _region_lines(entries: Sequence[RunEntry], units: Units) -> Iterator[ComparisonRow]:
    """Yield what burns of every protected region of any run.

    Regions of different outlines are not subtracted.
    """
    burned = [_burned_by_region(entry) for entry in entries]
    outlines = [_outlines(entry) for entry in entries]
    for name in dict.fromkeys(name for each in burned for name in each):
        row = _line(f"Burned in {name}", [each.get(name) for each in burned], _OF_REGION, units.area)
        shapes = [shape[name] for shape, areas in zip(outlines, burned, strict=True) if name in shape and name in areas]
        yield _with_reason(row, _OTHER_REGIONS if _differs(shapes) else "")


def _value_lines(entries: Sequence[RunEntry]) -> Iterator[ComparisonRow]:
    """Yield what is lost of every layer of values at risk of any run. Different layers are not subtracted."""
    found = [{} if entry.summary is None else {one.name: one for one in entry.summary.values} for entry in entries]
    for name in dict.fromkeys(name for each in found for name in each):
        layers = [each.get(name) for each in found]
        row = _line(f"Lost of {name}", [None if one is None else one.lost for one in layers], _OF_VALUES, amount_text)
        yield _with_reason(row, _OTHER_VALUES if _differs([one.at_risk for one in layers if one is not None]) else "")


def _burned_by_region(entry: RunEntry) -> dict[str, float | None]:
    regions = () if entry.summary is None else entry.summary.regions
    return {region.name: region.burned_ha for region in regions}


def _outlines(entry: RunEntry) -> dict[str, object]:
    regions = () if entry.project is None else entry.project.regions
    return {region.name: region.parts for region in regions}


def _saved(summary: PlanSummary) -> str:
    return UNKNOWN if summary.saved_share is None else saved_text(summary.saved_share)


def _numbers(entries: Sequence[RunEntry], units: Units) -> Iterator[ComparisonRow]:
    yield _area_line("occupancy_cell_days", entries, units)
    row = _area_line("protected_cells", entries, units)
    yield _with_reason(row, why_not_subtracted("protected_cells", entries))
    for what, name, help in (
        ("Objective", "objective", "each by its own weights, at expected effectiveness"),
        ("Objective, burned area day by day", "loss_burn", "this part of the objective, without its weight"),
        ("Objective, final size", "loss_final", "this part of the objective, without its weight"),
        ("Objective, protected places", "loss_prot", "this part of the objective, without its weight"),
        ("Objective, values at risk", "loss_val", "share of all values that is lost, without its weight"),
    ):
        if name == "loss_val" and not any(entry.nominal is not None and entry.nominal.value_lost for entry in entries):
            continue
        values = [None if entry.nominal is None else float(getattr(entry.nominal, name)) for entry in entries]
        yield _with_reason(_line(what, values, help), why_not_subtracted(name, entries))
    best = _line("Objective of the search", [each.best for each in entries], "of the search, at cautious effectiveness")
    yield _with_reason(best, why_not_subtracted("objective", entries))
    yield _epochs(entries)
    if _differs([entry.fire for entry in entries]):
        kinds = tuple(entry.fire or "simulated" for entry in entries)
        yield ComparisonRow("Fire", kinds, help="the fire in which each plan is flown")
    times = tuple(duration(entry.elapsed) for entry in entries)
    yield ComparisonRow("Time worked", times, help="wall time of the run")


def why_not_subtracted(name: str, entries: Sequence[RunEntry]) -> str:
    """Return why the figure called ``name`` of some runs cannot be subtracted; empty if it can."""
    projects = [entry.project for entry in entries if entry.project is not None]
    if len(projects) < len(entries):
        return ""
    if name == "objective" and _differs([each.plan.weights for each in projects]):
        return "not comparable: the goals differ"
    if name == "loss_val" and _differs([each.values for each in projects]):
        return _OTHER_VALUES
    weighed = name in _OF_REGIONS or (name == "objective" and projects[0].plan.weights.prot > 0.0)
    return _OTHER_REGIONS if weighed and _differs([each.regions for each in projects]) else ""


def _with_reason(row: ComparisonRow, why_not: str) -> ComparisonRow:
    return replace(row, why_not=why_not)


def _epochs(entries: Sequence[RunEntry]) -> ComparisonRow:
    """Return the epochs of runs; for a run whose first stage was not needed, that it was not."""
    row = _line("Search steps done", [entry.epoch for entry in entries], "done in the search")
    unneeded = [entry for entry in entries if needs_no_first_stage(entry)]
    if not unneeded:
        return row
    texts = [NO_EPOCHS if entry in unneeded else text for entry, text in zip(entries, row.values, strict=True)]
    notes = [f"{entry.title}: {not_needed_text(entry)}" for entry in unneeded]
    return ComparisonRow(row.what, tuple(texts), help=". ".join([row.help, *notes]))


def _worst_cases(entries: Sequence[RunEntry], units: Units, *, protects: bool) -> Iterator[ComparisonRow]:
    """Yield what the worst stress case of each run leaves, of protected regions and of the growth.

    The growth left in the model follows. Yields nothing without a stress table.
    """
    tables = [entry.stress for entry in entries]
    if not any(tables):
        return
    if protects:
        cases = [None if table is None else table.worst_for_regions for table in tables]
        texts = tuple(_worst_in_regions(entry, units) for entry in entries)
        change = _change([_worst_in_regions_ha(entry) for entry in entries], units.area)
        yield ComparisonRow("Worst case, regions burned", texts, change, _of_cases("burned area of the regions", cases))
    cases = [None if table is None else table.worst for table in tables]
    help = _of_cases("share of the growth left", cases)
    change = _share_change([None if case is None else case.share_worst for case in cases])
    yield ComparisonRow("Worst case, growth left", tuple(map(worst_case_text, tables)), change, help)
    help = "share of the growth without drops left, as expected"
    change = _share_change([None if table is None else table.nominal.share_worst for table in tables])
    yield ComparisonRow("Growth left in the model", tuple(map(_nominal_share, tables)), change, help)


def _worst_in_regions_ha(entry: RunEntry) -> float | None:
    if entry.stress is None or entry.summary is None:
        return None
    return entry.stress.worst_for_regions.protected_worst * entry.summary.cell_ha


def _worst_in_regions(entry: RunEntry, units: Units) -> str:
    burned = _worst_in_regions_ha(entry)
    if entry.stress is None or burned is None:
        return NOT_TESTED
    return f"{units.area(burned)} ({entry.stress.worst_for_regions.scenario.title})"


def _of_cases(what: str, cases: Sequence[StressResult | None]) -> str:
    """Return the help of a line on ``what`` the worst cases leave, with the cases in words."""
    words = dict.fromkeys(case_text(case.scenario) for case in cases if case is not None)
    return ". ".join((f"{what} in the worst stress case", *words))


def _nominal_share(table: StressTable | None) -> str:
    return NOT_TESTED if table is None else percent_text(table.nominal.share_worst)


def _text(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else number(value)


def _line(what: str, values: Sequence[float | None], help: str, text: Callable[[float], str] = _text) -> ComparisonRow:
    texts = tuple(UNKNOWN if value is None else text(value) for value in values)
    return ComparisonRow(what, texts, _change(values, text), help)


def _share_change(shares: Sequence[float | None]) -> str:
    return re.sub(r"^(.1) points$", r"\1 point", _change(shares, percent_text).replace(" %", " points"))


def _change(values: Sequence[float | None], text: Callable[[float], str]) -> str:
    """Return the difference of two values as ``text`` shows them.

    It is empty where a value is unknown, and for more than two. Else it is that of the rounded numbers beside it, so
    that a reader who subtracts finds the same.
    """
    if len(values) != 2 or values[0] is None or values[1] is None:
        return ""
    one, other = values[0], values[1]
    first, second = text(one), text(other)
    numbers = [re.match(r"-?[\d,]+(\.\d+)?(e[+-]?\d+)?", each) for each in (first, second)]
    if first == second:
        return "0"
    if None in numbers:
        return f"{'+' if other > one else '−'}{text(abs(other - one))}"
    one_shown, other_shown = (Decimal(found[0].replace(",", "")) for found in numbers if found is not None)
    unit = second[len(numbers[1][0]) :] if numbers[1] is not None else ""
    difference = f"{abs(other_shown - one_shown):,}".replace("E", "e")
    return f"{'+' if other_shown > one_shown else '−'}{difference}{unit}"


def _area_line(name: str, entries: Sequence[RunEntry], units: Units) -> ComparisonRow:
    """Return the row of a metric that counts cells, as an area; the cells are in its help."""
    if name == "protected_cells":
        what, help = f"Protected area burned, {units.area_unit}", "expected, in the union of each run's own regions"
    else:
        what, help = f"Burned area over time, {units.area_days_unit}", "days times the mean of what has burned"
    counts = [None if each.nominal is None else float(getattr(each.nominal, name)) for each in entries]
    areas = [
        None if count is None or entry.project is None else count * entry.project.scenario.grid.cell_area_ha
        for count, entry in zip(counts, entries, strict=True)
    ]
    cells = ", ".join(amount_text(count) for count in counts)
    return _line(what, areas, f"{help}; in cells: {cells}", units.area_number)


def differing_inputs(*projects: Project | None) -> tuple[ComparisonRow, ...]:
    """Return every input in which projects differ; nothing if a project is unknown."""
    known = [project for project in projects if project is not None]
    if len(known) < len(projects):
        return ()
    return (
        *_differing_settings([project.plan for project in known]), *_differing_fleets(known), *_other_differences(known)
    )  # fmt: skip


def _differs(values: Sequence[object]) -> bool:
    return any(value != values[0] for value in values[1:])


def _as_others(values: Sequence[object]) -> tuple[str, ...]:
    """Return ``others`` for every value that differs from the first."""
    return tuple("others" if value != values[0] else "" for value in values)


def _differing_settings(settings: Sequence[Any]) -> Iterator[ComparisonRow]:
    first = settings[0]
    for item in fields(first):
        values = [getattr(each, item.name) for each in settings]
        if item.name in _PARTS:
            yield from _differing_settings(values)
        elif _differs(values):
            declared = option_of(first, item.name)
            help, titles = ("", {}) if declared is None else (declared.help, declared.choices)
            texts = tuple(str(titles.get(value, value)) for value in values)
            yield ComparisonRow(title_of(first, item.name), texts, help=help)


def _differing_fleets(projects: Sequence[Project]) -> Iterator[ComparisonRow]:
    fleets = [{kind.id: kind for kind in project.planned_fleet.types} for project in projects]
    for name in sorted({name for fleet in fleets for name in fleet}):
        kinds = [fleet.get(name) for fleet in fleets]
        if not _differs(kinds):
            continue
        known = [kind for kind in kinds if kind is not None]
        grounded = [kind.grounded_days for kind in known]
        if len(known) < len(kinds) or _differs([kind.count for kind in known]):
            yield ComparisonRow(f"{name}: aircraft", tuple(map(_count, kinds)))
        elif _differs(grounded):
            days = tuple(counted(len(each), "day") for each in grounded)
            yield ComparisonRow(f"{name}: grounded", days, help="days of the plan on which it does not fly")
        else:
            help = "payload, turnaround, speed, height or footprint"
            yield ComparisonRow(f"{name}: figures", _as_others(kinds), help=help)


def _count(kind: AircraftType | None) -> str:
    return "none" if kind is None else str(kind.count)


def _other_differences(projects: Sequence[Project]) -> Iterator[ComparisonRow]:
    first = projects[0]
    if _differs([project.regions for project in projects]):
        names = [_region_names(project) for project in projects]
        texts = [
            _OTHER_SHAPE if project.regions != first.regions and name == names[0] else name
            for project, name in zip(projects, names, strict=True)
        ]
        yield ComparisonRow("Protected regions", tuple(texts))
    if _differs(values := [project.values for project in projects]):
        names = [", ".join(layer.name for layer in layers) or "none" for layers in values]
        texts = [
            _OTHER_VALUES_TEXT if layers != values[0] and name == names[0] else name
            for layers, name in zip(values, names, strict=True)
        ]
        yield ComparisonRow("Values at risk", tuple(texts))
    if _differs(operations := [project.operations.rules for project in projects]):
        help = "daylight, groundings, sorties, zones or pinned drops"
        yield ComparisonRow("Rules of the operation", _as_others(operations), help=help)
    if _differs(coverage := [project.required_coverage for project in projects]):
        yield ComparisonRow("Required coverage", tuple(map(number, coverage)))


def _region_names(project: Project) -> str:
    return ", ".join(region.name for region in project.regions) or "none"


class ComparisonPanel(QWidget):
    """Page of the drawer with the metrics and inputs of runs."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.runs: tuple[RunEntry, ...] = ()
        self.lines: tuple[ComparisonRow, ...] = ()
        self.hint = muted_label(_NO_RUNS)
        self.note = plain_label(wordWrap=True)
        self.model: TableModel[ComparisonRow] = TableModel((), self, row_tip=lambda row: row.tip)
        self.table = QTableView()
        # Low rows: the important ones are on screen together.
        height = self.table.fontMetrics().height() + _ROW_AIR
        show_table(self.table, self.model, "Runs compared", row_height=height, is_sortable=False)
        self.table.setToolTip(tooltip(_TABLE_TIP))
        # A verdict or a worst case may be longer than its column.
        self.table.setWordWrap(True)
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit_rows)
        self.table.horizontalHeader().sectionResized.connect(lambda *_: self._fitting.start())
        vertical(self, self.hint, self.note, (self.table, 1), margins=(6, 4, 6, 4), spacing=4)
        session.project_opened.connect(self.clear)
        session.units_changed.connect(self._fill)
        self.clear()

    def show_runs(self, entries: Sequence[RunEntry]) -> None:
        """Show the numbers of two runs or more."""
        self.runs = tuple(entries)
        self._fill()

    def clear(self) -> None:
        """Show no runs."""
        self.runs, self.lines = (), ()
        self.model.set_rows((), ())
        self._show_table(False)

    def _show_table(self, on: bool) -> None:
        self.table.setVisible(on)
        self.hint.setVisible(not on)
        self.note.setText(limit_note(self.runs, self._session.units))
        self.note.setVisible(bool(self.note.text()))

    def _fill(self) -> None:
        if not self.runs:
            return
        self.lines = compared(self.runs, self._session.units)
        columns = [Column("", lambda row: row.what, is_text=True)]
        titles = [entry.title for entry in self.runs]
        for place, title in enumerate(compared_titles(*titles)):
            columns.append(Column(title, partial(_value_of, place=place), tip=title))
        if len(self.runs) == 2:
            first, second = short_titles(*titles)
            # The words of the map. Its narrow column would break them into three lines.
            change = f"{second} − {first}".replace(" ", "\u00a0")
            columns.append(Column(change, lambda row: row.shown_change, tip=f"{second} minus {first}"))
            columns.append(Column("What it is", lambda row: re.split("[.;] ", row.help)[0], is_text=True))
        self.model.set_rows(self.lines, tuple(columns))
        self._show_table(True)
        self._share_width()

    def _share_width(self) -> None:
        """Give the runs equal widths, with a scroll bar where many need more than the page has."""
        header, count = self.table.horizontalHeader(), len(self.runs)
        header.setMinimumSectionSize(_LEAST_COLUMN if count > 2 else -1)
        wide = (*range(1, count + 1), *((count + 2,) if count == 2 else ()))
        for place in range(header.count()):
            mode = QHeaderView.ResizeMode.Stretch if place in wide else QHeaderView.ResizeMode.ResizeToContents
            header.setSectionResizeMode(place, mode)
        self._fitting.start()

    def _fit_rows(self) -> None:
        """Give each row the lines that its values need; what it is stands in the tooltip, too."""
        metrics, room = self.table.fontMetrics(), QRect(0, 0, 0, 10_000)
        for place, line in enumerate(self.lines):
            high = metrics.height()
            for column, value in enumerate(line.values, start=1):
                room.setWidth(self.table.columnWidth(column) - _CELL_AIR)
                high = max(high, metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, value).height())
            self.table.setRowHeight(place, high + _ROW_AIR)


def _value_of(row: ComparisonRow, place: int) -> str:
    return row.values[place]

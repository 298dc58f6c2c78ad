"""Exercise panel: a plan is flown in a stress scenario and repaired at every observation of the fire."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QFormLayout, QTableView, QTabWidget, QToolButton, QWidget

from firegui.domain.calendar import Calendar
from firegui.domain.exercise import Decision, LoopDay
from firegui.domain.project import kept_inputs_text
from firegui.domain.stress import MOST_DRAWS, NOMINAL, StressScenario, scenario_text
from firegui.domain.units import Units, amount_text
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.layouts import column, fill_column, labelled, muted_label
from firegui.gui.base.number_text import about_text
from firegui.gui.base.plain_text import tooltip
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.plan_control import ExerciseRequest, PlanControl
from firegui.gui.planning.run_charts import LoopChart
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import WholeField, choice_combo, narrow_combo
from firegui.gui.widgets.split_panel import Introduction, SplitPanel
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.gui.widgets.table_view import selected_rows, show_table
from firegui.runs.drops_not_flown import NotFlownNote
from firegui.runs.messages import counted
from firegui.runs.run_folder import kept_plan

_HOURS = (24.0, 12.0, 6.0)
_INTRODUCTION = (
    "Shows how a plan does, observation by observation, in a fire that differs from the model. The planner does not "
    "know the scenario: it sees the perimeter at each observation and repairs the plan. It takes a short replanning "
    "for each observation, which is seconds to minutes."
)
_START = "Fly the plan of the shown run; the project is saved first"
_DRAWN_TIP = (
    "Plain number of the fire that is drawn at random, with errors of the scenario. Another number is another fire. "
    "A stress test flies the first ones."
)
_START_TEXT = "Start exercise"
_NO_PLAN_YET = "⚠ The project has no plan yet: start one. It can be flown here once it has ended."
_NO_PLAN = "⚠ Show a run that has ended with a plan of two days or more."
_STOPPED = "Stopped at {when}: change drops if needed, then click Resume"
_COLORS = {Decision.KEPT: None, Decision.BY_HAND: "accent"}


@dataclass(frozen=True, slots=True)
class _Observation:
    """Row of the table: the fire is observed at ``step``, and ``day`` follows."""

    step: int
    when: str
    day: LoopDay


def exercise_columns(units: Units, cell_ha: float) -> tuple[Column, ...]:
    """Return the columns of the table, with areas in ``units`` and the cells of ``cell_ha`` in tooltips."""

    def area(name: str, cells: Callable[[_Observation], float | None], tip: str) -> Column:
        def value(row: _Observation) -> float | None:
            count = cells(row)
            return None if count is None else units.area_value(count * cell_ha)

        def tip_of(row: _Observation) -> str:
            count = cells(row)
            return tip if count is None else f"{tip}; in cells: {count:,.0f}"

        return Column(name, value, amount_text, tip, units.area_unit, cell_tip=tip_of)

    return (
        Column("Observed", lambda row: row.when, tip="when the fire was observed", is_text=True),
        area("Seen", lambda row: row.day.seen, "area inside the perimeter that the planner saw"),
        area("Expected", lambda row: row.day.forecast,
             "area that the planner then expected to have burned at the next observation"),
        area("Burned", lambda row: row.day.loop_cells, "area of the true fire at the next observation"),
        Column("Drops", lambda row: row.day.loop_drops, "{:,}".format,
               "drops that happened until the next observation", "flown"),
        Column("Plan", lambda row: row.day.decision, str,
               "kept, drops of the time until the next observation withdrawn, what is left replanned, or edited by "
               "hand", is_text=True, color=lambda row: _COLORS.get(row.day.decision, "warning")),
        area("Fixed plan", lambda row: row.day.open_cells,
             "area at the next observation with the plan as it was, on the same drawn fire"),
        area("No drops", lambda row: row.day.none_cells,
             "area at the next observation without drops, on the same drawn fire"),
    )  # fmt: skip


class ExercisePanel(SplitPanel):
    """Form of an exercise, its observations as a table and a chart.

    A selected row moves the map to that time.
    """

    def __init__(self, session: Session, queue: RunQueue, plan: PlanControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._queue, self._plan = session, queue, plan
        self._settings_of: RunEntry | None = None
        self.head, self.plan_name = ElidedLabel(role="muted"), ElidedLabel()
        self.note, self.cost = muted_label(role="warning"), muted_label()
        self._lost = NotFlownNote()
        self.scenario = narrow_combo("The scenario that the fire follows, unknown to the planner", "scenario")
        self.every = choice_combo("Hours between two observations, at which the plan is repaired", "every")
        self.draw = WholeField(0, MOST_DRAWS - 1, offset=1)
        self.draw.setAccessibleName("Drawn fire")
        self.draw.setToolTip(tooltip(_DRAWN_TIP))
        self.draw.valueChanged.connect(self._show_draws)
        self.stop_at = choice_combo("Observation at which the exercise stops, to be taken over by hand", "stopAt")
        self.model = TableModel[_Observation](exercise_columns(session.units, 0.0), self, key=lambda row: row.step)
        self.table, self.chart = QTableView(), LoopChart()
        self._lay_out()
        for signal in (session.project_opened, session.project_edited):
            signal.connect(self._show_project)
        for box in (self.scenario, self.every):
            box.currentIndexChanged.connect(self._on_chosen)
        self.stop_at.currentIndexChanged.connect(self.refresh)
        for signal in (
            queue.changed, queue.shown_changed, plan.changed, session.plan_editor.edited, session.units_changed,
        ):  # fmt: skip
            signal.connect(self.refresh)
        self.table.selectionModel().selectionChanged.connect(self._on_selected)
        self._show_project()

    def button(self, name: str) -> QToolButton:
        """Return a button. Raises ``KeyError`` for another name."""
        return self._button[name]

    # -- commands ----------------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Fly the plan of the shown run in the chosen scenario."""
        scenario = self.scenario.currentData()
        if isinstance(scenario, StressScenario):
            scenario = replace(scenario, repair_hours=self.every.currentData())
            self._plan.exercise(ExerciseRequest(scenario, self.draw.value(), self.stop_at.currentData()))
            self.result_requested.emit()

    def stop(self) -> None:
        """Stop the running exercise; the observations so far are kept."""
        self._queue.stop()

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setContentsMargins(0, 0, 4, 0)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("Plan", self.plan_name)
        for text, box in (
            ("S&cenario", self.scenario), ("O&bserved every", self.every), ("D&rawn fire", self.draw),
            ("Stop a&t", self.stop_at),
        ):  # fmt: skip
            form.addRow(labelled(text, box), box)
        buttons, texts = ButtonRow(), {"show_text": True}
        self._button = {
            "start": buttons.add("start", _START_TEXT, _START, self.start, is_primary=True, **texts),
            "stop": buttons.add("stop", "Stop", "Stop; the observations so far are kept", self.stop, **texts),
            "resume": buttons.add("resume", "Resume", "Resume the exercise that was stopped, with the drops as they "
                                  "are on the map", self._plan.resume_exercise, **texts),
        }  # fmt: skip
        show_table(self.table, self.model, "Observations", is_sortable=False)
        fill_column(self.settings, form, self.note, spacing=4, margins=(6, 2, 6, 4))
        fill_column(self.foot, self.cost, buttons, spacing=6, margins=(8, 6, 6, 6))
        pages = QTabWidget(documentMode=True)
        pages.addTab(self.table, "Observations")
        # The chart hides itself if there is nothing to draw; a page must not.
        pages.addTab(column(self.chart, stretch=self.chart), "Chart")
        introduction = Introduction(_INTRODUCTION, _START_TEXT, _START, self.start)
        self.fill_result(introduction, self.head, pages, stretch=pages)

    # -- the form ----------------------------------------------------------------------------------------------------
    def _show_project(self) -> None:
        """Offer the scenarios of the project."""
        if not self._session.has_project:
            return
        chosen = self.scenario.currentData()
        scenarios = (NOMINAL, *self._session.project.stress.scenarios)
        with QSignalBlocker(self.scenario):
            self.scenario.clear()
            for one in scenarios:
                self.scenario.addItem(one.title, one)
            names = [one.name for one in scenarios]
            self.scenario.setCurrentIndex(names.index(chosen.name) if chosen and chosen.name in names else 0)
        self._on_chosen()

    def _on_chosen(self, *_: object) -> None:
        """Offer the intervals of the scenario, and the observations at which it can be stopped."""
        scenario, hours, stop = self.scenario.currentData(), self.every.currentData(), self.stop_at.currentData()
        if scenario is None:
            return
        tip = f"The scenario that the fire follows, unknown to the planner: {scenario_text(scenario)}"
        self.scenario.setToolTip(tooltip(tip))
        offered = sorted({*_HOURS, scenario.repair_hours or 24.0, hours or 24.0}, reverse=True)
        _fill(self.every, [(f"{each:g} h", each) for each in offered], hours or 24.0)
        calendar, days = self._plan.exercise_project.calendar, self.every.currentData() / 24.0
        times = (number * days for number in range(1, _whole_parts(calendar.days / days)))
        stops = ((_when(calendar, _step(calendar, time)), time) for time in times)
        _fill(self.stop_at, [("the end", None), *stops], stop)
        self._show_draws()
        self.refresh()

    def _take_settings(self, entry: RunEntry) -> None:
        """Show the settings of the shown exercise in the form."""
        note = entry.note
        if note is None or note.exercise is None:
            return
        names = [self.scenario.itemText(k) for k in range(self.scenario.count())]
        if note.exercise.title in names:
            self.scenario.setCurrentIndex(names.index(note.exercise.title))
        hours = note.exercise.repair_hours
        if self.every.findData(hours) < 0:
            self.every.addItem(f"{hours:g} h", hours)
        self.every.setCurrentIndex(self.every.findData(hours))
        self.draw.setValue(note.draw)

    # -- what is shown -----------------------------------------------------------------------------------------------
    def refresh(self, *_: object) -> None:
        """Show the observations of the shown run, and enable the possible commands."""
        entry, plan = self._queue.shown, self._plan
        if entry is not self._settings_of:
            self._settings_of = entry
            if entry is not None:
                self._take_settings(entry)
                # Another run may plan other days.
                self._on_chosen()
        self.plan_name.set_text(plan.exercise_plan or "–")
        note = self._not_flown(entry)
        self.note.setText(note)
        self.note.setVisible(bool(note))
        self._button["start"].setEnabled(plan.can_exercise)
        self.cost.setText(self._cost() if plan.can_exercise else "")
        self.cost.setVisible(plan.can_exercise)
        active = self._queue.active
        self._button["stop"].setEnabled(active is not None and active.flies_loop)
        self._button["resume"].setEnabled(plan.can_resume_exercise)
        rows = [] if entry is None else self._rows(entry)
        units = self._session.units
        grid = None if entry is None or entry.project is None else entry.project.scenario.grid
        self.model.set_rows(rows, exercise_columns(units, 0.0 if grid is None else grid.cell_area_ha))
        self.chart.show_run(entry, units)
        self.show_introduction(entry is None or not entry.flies_loop)
        self.introduction.start.setEnabled(plan.can_exercise)
        has_none = self._session.has_project and not self._queue.entries
        self.introduction.set_trouble("" if plan.can_exercise else _NO_PLAN_YET if has_none else _NO_PLAN)
        self.introduction.offer_plan(on=has_none, is_possible=plan.can_start and plan.starts_at_once)
        self.head.set_text("" if entry is None else self._head(entry, rows))

    def _show_draws(self, *_: object) -> None:
        """Say beside the drawn fire of how many it is, where the scenario has so many."""
        scenario = self.scenario.currentData()
        draws = scenario.draws if isinstance(scenario, StressScenario) else 1
        self.draw.setSuffix(f" of {draws}" if self.draw.value() < draws > 1 else "")

    def _cost(self) -> str:
        """Return how many replannings a start makes, how long they take, and which inputs the plan keeps."""
        project = self._plan.exercise_project
        stop, days = self.stop_at.currentData(), project.plan.days
        count = max(_whole_parts((stop or days) * 24.0 / (self.every.currentData() or 24.0)) - 1, 0)
        flown = (entry for entry in reversed(self._queue.entries) if entry.flies_loop and entry.is_over and entry.loop)
        text = f"{counted(count, 'short replanning')}, "
        if (latest := next((entry for entry in flown if entry.elapsed), None)) is None:
            text += "each of seconds to minutes."
        else:
            pace = (latest.elapsed or 0.0) / max(len(latest.loop), 1)
            text += f"{about_text((count + 1) * pace)} at the pace of the latest exercise."
        return f"{text} {kept_inputs_text(project, self._session.project)}".strip()

    def _not_flown(self, entry: RunEntry | None) -> str:
        """Return which drops of the plan its project refuses, and what to do; empty for none."""
        file = None if entry is None or entry.flies_loop or not entry.is_over else kept_plan(entry.folder)
        if file is None or not self._session.has_project:
            return ""
        found = self._lost.text(file, self._plan.exercise_project)
        return f"⚠ {found}" if found else ""

    def _rows(self, entry: RunEntry) -> list[_Observation]:
        days = entry.loop
        if not days or entry.project is None:
            return []
        calendar = entry.project.calendar
        steps = [_step(calendar, start) for start in (0.0, *(day.end for day in days[:-1]))]
        return [_Observation(step, _when(calendar, step), day) for step, day in zip(steps, days, strict=True)]

    def _head(self, entry: RunEntry, rows: Sequence[_Observation]) -> str:
        if entry.is_resumable:
            calendar = self._session.project.calendar
            when = _when(calendar, _step(calendar, rows[-1].day.end)) if rows else "the start"
            return _STOPPED.format(when=when)
        parts, (done, of) = [entry.status], entry.swept
        if entry.is_over:
            parts += [f"{entry.drops or 0:,} drops flown"]
        elif of:
            parts += [f"observation {done + 1} of {of}"]
        if entry.note is not None and entry.note.exercise is not None:
            exercise = entry.note.exercise
            drawn = f"drawn fire {entry.note.draw + 1}"
            parts += [exercise.title, f"every {exercise.repair_hours:g} h", drawn]
        return " · ".join(parts)

    def _on_selected(self, *_: object) -> None:
        """Move the map to the selected observation."""
        rows = selected_rows(self.table)
        if rows:
            step = self.model.row(rows[0]).step
            self._session.set_step(step)
            self.chart.set_cursor(step / self._session.project.calendar.steps_per_day)


def _whole_parts(parts: float) -> int:
    """Return how many intervals a time has, the last of which may be shorter; ``3 / 0.1`` are 30."""
    return math.ceil(parts - 1e-9)


def _step(calendar: Calendar, days: float) -> int:
    return round(days * calendar.steps_per_day)


def _when(calendar: Calendar, step: int) -> str:
    """Return ``Day 6 · 14:24``, in the fire's local time."""
    return f"{calendar.day_name(step)} · {calendar.clock_text(calendar.time_of_step(step))}"


def _fill(box: QComboBox, entries: Sequence[tuple[str, float | None]], chosen: float | None) -> None:
    """Offer ``entries``, texts with their values, and select ``chosen``, by default the first."""
    with QSignalBlocker(box):
        box.clear()
        for text, value in entries:
            box.addItem(text, value)
        values = [value for _text, value in entries]
        box.setCurrentIndex(values.index(chosen) if chosen in values else 0)

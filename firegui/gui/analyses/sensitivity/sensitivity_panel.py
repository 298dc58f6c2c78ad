"""Sensitivity panel: how much a plan depends on its assumptions, as in the paper's robustness tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QFormLayout, QTableView, QWidget

from firegui.analyses.requests import SensitivityRequest
from firegui.analyses.sensitivity.results import AnyTable, table_csv
from firegui.domain.sensitivity import (
    KIND_TITLES,
    EffectivenessRow,
    PoseRow,
    Row,
    SensitivityKind,
    SensitivitySettings,
    SideRow,
)
from firegui.domain.settings import SETTING_TITLES, OptimizerSettings, effectiveness_words
from firegui.domain.units import Units
from firegui.domain.workers import GROUP, WorkerSettings
from firegui.errors import Problem, Problems
from firegui.gui.analyses.cost import simulations_text
from firegui.gui.analyses.panel import AnalysisPanel, AnalysisTexts, PanelButton
from firegui.gui.analyses.schedule_choice import ScheduleChoice
from firegui.gui.analyses.sensitivity.sensitivity_chart import MEASURES, Measure, SensitivityChart
from firegui.gui.analyses.sensitivity.sensitivity_controller import SavedTable, SensitivityController
from firegui.gui.analyses.sensitivity.sensitivity_table import columns_in, row_name
from firegui.gui.base.layouts import column, describe, plain_label, row
from firegui.gui.base.number_text import about_text, number
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.reporting import problems_of
from firegui.gui.widgets.fields import NoScrollComboBox, choice_combo
from firegui.gui.widgets.settings_form import SettingsForm
from firegui.gui.widgets.table_model import TableModel
from firegui.gui.widgets.table_view import show_table
from firegui.runs.messages import counted
from firegui.runs.titles import schedule_title

_HELP = {
    SensitivityKind.EFFECTIVENESS: "Scores the schedule as if suppressants worked better or worse.",
    SensitivityKind.OFF_TARGET: "Scores the plan with every drop laid off target, several draws for each distance.",
    SensitivityKind.POSE: "Scores the plan with noise on the pose logits, the paper's table.",
    SensitivityKind.DESIGN: (
        "Plans the project again at every assumed effectiveness and scores each plan at expected effectiveness. "
        "It takes as long as that many plans."
    ),
    SensitivityKind.RETARDANT_SIDE: "Scores the schedule with each reading of where retardant acts.",
}


_CASES = {
    SensitivityKind.EFFECTIVENESS: "with",
    SensitivityKind.RETARDANT_SIDE: "retardant acts on",
    SensitivityKind.OFF_TARGET: "drops laid off by",
    SensitivityKind.POSE: "perturbation",
}
"""What the rows of a table are, before their names; for the tables with a conclusion."""
_INTRODUCTION = (
    "Scores a plan again and again while one assumption differs: how well drops work, where they land, or where "
    "retardant acts. It needs a plan of this project. A table takes seconds to minutes; one that plans anew for each "
    "assumed value takes as long as so many plans."
)


class SensitivityForm(QWidget):
    """Form of a robustness table; its settings are saved with the table."""

    changed = Signal()

    def __init__(self, queue: RunQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = choice_combo("Vary", "kind")
        for kind in SensitivityKind:
            self.kind.addItem(KIND_TITLES[kind], kind.value)
        self.schedules = ScheduleChoice(queue, self, "A schedule to vary")
        self.fields = SettingsForm(SensitivitySettings())
        self.workers = SettingsForm(WorkerSettings())
        self.search = SettingsForm(OptimizerSettings(), only=("epochs",))
        self.epochs = self.search.box("epochs")
        self.epochs.setToolTip("Most search steps of each plan of the sweep")
        self.about = plain_label(wordWrap=True)
        self.about.setProperty("role", "muted")
        form = self._form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.addRow("Vary", self.kind)
        form.addRow(self.about)
        form.addRow("Schedule", self.schedules.box)
        self.fields.add_rows(form)
        form.addRow("Search steps, at most", self.epochs)
        form.addRow(self.workers.folded(GROUP))
        self.kind.currentIndexChanged.connect(self._on_kind)
        for part in (self.fields, self.search, self.workers, self.schedules):
            part.changed.connect(self.changed)
        self._on_kind()

    @property
    def chosen_kind(self) -> SensitivityKind:
        """The kind of table."""
        return SensitivityKind(self.kind.currentData())

    @property
    def schedule_file(self) -> Path | None:
        """The chosen schedule; ``None`` for none, and for the kind that plans instead."""
        return None if self.chosen_kind is SensitivityKind.DESIGN else self.schedules.file

    def set_kind(self, kind: SensitivityKind) -> None:
        """Choose a kind."""
        self.kind.setCurrentIndex(self.kind.findData(kind.value))

    def set_settings(self, settings: SensitivitySettings, epochs: int) -> None:
        """Show other settings."""
        self.search.set_value(OptimizerSettings(epochs=epochs))
        self.fields.set_value(settings)

    def request(self) -> SensitivityRequest:
        """Return the request for the table. Raises :class:`InputError` with all its problems."""
        problems, kind = Problems(), self.chosen_kind
        for editor in self.fields.editors.values():
            if kind in editor.option.kinds:
                problems.extend(editor.problems())
        settings = self.fields.value()
        file = self.schedule_file
        if kind is not SensitivityKind.DESIGN and file is None:
            problems.add("schedule", "the project has no plan yet", "start a plan, or choose a file")
        if not problems:
            problems.extend(settings.problems(kind))
        problems.raise_if_any("The table cannot be made")
        return SensitivityRequest(kind, settings, self.search.value().epochs, file, self.workers.value())

    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong with the entries."""
        return problems_of(self.request)

    def _on_kind(self) -> None:
        kind = self.chosen_kind
        self.about.setText(_HELP[kind])
        self.fields.show_kind(kind)
        self._form.setRowVisible(self.schedules.box, kind is not SensitivityKind.DESIGN)
        self._form.setRowVisible(self.epochs, kind is SensitivityKind.DESIGN)
        self.changed.emit()


class SensitivityPanel(AnalysisPanel[SensitivityController, SavedTable]):
    """Form of a robustness table next to the table and its chart."""

    texts = AnalysisTexts(
        thing="table",
        start="Make table",
        start_tip="Make the table; the project is saved first",
        stop_tip="Stop; the rows of a sweep so far are kept",
        introduction=_INTRODUCTION,
        resume_tip="Finish the sweep that is chosen below; plans that are done are kept",
        progress="Share of the table that is done",
        saved_results="Earlier tables",
        no_saved_results="No earlier table",
        nothing="No table is shown: make one, or open an earlier one.",
    )

    def _make_form(self) -> SensitivityForm:
        self.form = SensitivityForm(self._queue)
        return self.form

    def _build(self) -> None:
        self.model = TableModel[Row]((), self, key=lambda row: row)
        self.table, self.chart, self.measure = QTableView(), SensitivityChart(), NoScrollComboBox()
        self._lay_out()
        self.measure.currentIndexChanged.connect(self._draw)

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        show_table(self.table, self.model, "Sensitivity table", copy=self.copy)
        describe(self.measure, "What is drawn")
        measure = row(self.measure)
        self._add_pages(
            ("Table", self.table), ("Chart", column(measure, self.chart, stretch=self.chart, margins=(0, 2, 0, 0)))
        )
        every = "Write the table as CSV with every digit"
        buttons = self._button_row(self._copy_button(), PanelButton("export", "Export CSV…", every, self._ask_file))
        self.pages.setCornerWidget(buttons)
        content = column(self.pages, self.head, stretch=self.pages)
        self._lay_out_beside(content, self.form, self.notes)

    # -- hooks -------------------------------------------------------------------------------------------------------
    def _show_settings(self, saved: SavedTable) -> None:
        self.form.set_kind(saved.header.kind)
        self.form.set_settings(saved.header.settings, saved.header.project.plan.optimizer.epochs)

    def _on_project(self) -> None:
        if self._session.has_project:
            optimizer = self._session.project.plan.optimizer
            settings = replace(self.form.fields.value(), seed=optimizer.seed)
            self.form.set_settings(settings, optimizer.epochs)

    def _schedule(self) -> Path | None:
        return self.form.schedule_file

    def _conclusion(self) -> str:
        return "" if self._table is None else conclusion_text(self._table, self._session.units)

    def _lacks_plan(self) -> bool:
        # A table that plans anew for each value needs no plan.
        return self._schedule() is None and self.form.chosen_kind is not SensitivityKind.DESIGN

    def _cost(self) -> str:
        settings, kind, planned = self.form.fields.value(), self.form.chosen_kind, self._planned
        if kind is SensitivityKind.DESIGN:
            plans, took = len(settings.designs), None if planned is None else planned.seconds
            text = counted(plans, "plan")
            return f"{text}: {about_text(plans * took)} by the time of the plan on the map." if took else f"{text}."
        counts = {
            SensitivityKind.EFFECTIVENESS: len(settings.pairs),
            SensitivityKind.OFF_TARGET: len(settings.distances) * settings.draws,
            SensitivityKind.POSE: len(settings.scales) * settings.draws,
            SensitivityKind.RETARDANT_SIDE: len(settings.sides),
        }
        return f"{simulations_text(2 + counts[kind], self._simulation_seconds)}."

    def _find_problems(self) -> Sequence[Problem]:
        return self.form.problems()

    def _enabled(self) -> dict[str, bool]:
        some = self._table is not None and bool(self._table.rows)
        return {"copy": some, "export": some}

    def _front(self) -> QTableView:
        return self.table

    def _csv(self) -> str:
        return "" if self._table is None else table_csv(self._table)

    def _ask_file(self) -> None:
        self._save_csv("sensitivity.csv")

    # -- what is shown -----------------------------------------------------------------------------------------------
    @property
    def _table(self) -> AnyTable | None:
        return self._controller.table

    def _show(self) -> None:
        table = self._table
        if table is None:
            self.model.set_rows((), ())
        else:
            self.model.set_rows(table.rows, columns_in(table.kind, self._session.units))
        titles = [measure.title for measure in self._measures]
        if titles != [self.measure.itemText(k) for k in range(self.measure.count())]:
            with QSignalBlocker(self.measure):
                self.measure.clear()
                self.measure.addItems(titles)
        self.measure.setVisible(bool(titles))
        self._set_head("" if table is None else head_text(table, self._session.units, self._schedule_text))
        self._draw()

    def _draw(self, *_: object) -> None:
        table, index = self._table, self.measure.currentIndex()
        self.chart.show_table(table, self._measures[index] if 0 <= index < len(self._measures) else None)

    @property
    def _schedule_text(self) -> str:
        """The schedule of the shown table and its drops, empty for none."""
        shown, table = self._controller.shown, self._table
        header = None if shown is None else shown.header
        if table is None or header is None or not header.schedule_file or table.scored is None:
            return "" if table is None else table.schedule
        return f"{schedule_title(Path(header.schedule_file))}, {counted(table.scored.drops, 'drop')}"

    @property
    def _measures(self) -> tuple[Measure, ...]:
        """The numbers that the chart can draw of the shown table."""
        table = self._table
        return () if table is None else tuple(each.in_units(self._session.units) for each in MEASURES[table.kind])


def conclusion_text(table: AnyTable, units: Units) -> str:
    """Return the sentence that a table of final sizes comes to; empty for other tables."""
    rows = [row for row in table.rows if isinstance(row, EffectivenessRow | SideRow | PoseRow)]
    if not rows:
        return ""
    worst = max(rows, key=_size_of)
    planned = "" if table.scored is None else f" ({units.area(table.scored.final_extent_ha)} as planned for)"
    case = effectiveness_words(worst.effectiveness) if isinstance(worst, EffectivenessRow) else row_name(worst)
    return f"At worst the fire ends at {units.area(_size_of(worst))}{planned}: {_CASES[table.kind]} {case}."


def _size_of(row: EffectivenessRow | SideRow | PoseRow) -> float:
    """Return the final size of a row in hectares."""
    return row.mean_extent_ha if isinstance(row, PoseRow) else row.reading.final_extent_ha


def head_text(table: AnyTable, units: Units = Units.METRIC, schedule: str = "") -> str:
    """Return one line on what a table was made of; ``schedule`` is what people call its schedule."""
    schedule = schedule or table.schedule
    parts = [f"Of {schedule}"] if schedule else []
    if not table.complete:
        parts.append(f"{len(table.rows)} of {len(table.settings.designs)} plans so far")
    for name, reading in (("as planned for", table.scored), ("without drops", table.baseline)):
        if reading is not None:
            parts.append(f"{name} objective {number(reading.fire_objective)}, {units.area(reading.final_extent_ha)}")
    parts.append(f"goal: {SETTING_TITLES[table.setting].lower()}, expected: {effectiveness_words(table.nominal)}")
    return " · ".join(parts)

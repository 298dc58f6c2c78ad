"""Skill panel: quality of the forecast of the open event, in tables, curves and maps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QSignalBlocker, Qt
from PySide6.QtWidgets import QGridLayout, QSlider, QTableView, QToolButton, QWidget

from firegui.analyses.skill.results import write_skill
from firegui.analyses.skill.run import available_days, default_settings, fitted_days, skill_problems
from firegui.domain.fit import SkillSettings
from firegui.domain.weights import NetworkWeights
from firegui.errors import Problem
from firegui.gui.analyses.panel import WARNING, AnalysisPanel, AnalysisTexts, PanelButton
from firegui.gui.analyses.saved_results import SavedResult
from firegui.gui.analyses.skill.comparison_map import FALSE, HIT, MISS, START, ComparisonMap
from firegui.gui.analyses.skill.skill_charts import METRICS, ReliabilityChart, SkillChart
from firegui.gui.analyses.skill.skill_controller import SkillController, SkillRequest
from firegui.gui.analyses.skill.skill_table import SkillModel, conclusion_text, day_text, summary_html
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.export_place import ask_export_folder
from firegui.gui.base.layouts import column, describe, rich_label, row
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.tasks import wait_for
from firegui.gui.map.decorations import scale_html
from firegui.gui.map.map_colors import Ink, fire_scale
from firegui.gui.session.reporting import refusing
from firegui.gui.widgets.fields import NoScrollComboBox, NoScrollSlider
from firegui.gui.widgets.settings_form import SettingsForm
from firegui.gui.widgets.table_view import select_row, selected_rows, show_table
from firegui.runs.engine import Engine
from firegui.runs.spec import SkillSpec

STALE = f"{WARNING}The event or its fire model has changed since: run the check again."
_ASK = (
    "Rolls the fire model out from the perimeter of the first day and compares it with every perimeter that follows. "
    "No later perimeter is read but to score."
)
_MARKS = ((HIT, "hit"), (MISS, "missed"), (FALSE, "false alarm"), (START, "at the start"))
_KEY = (
    "hit: P ≥ 0.5 and burned\nmissed: burned, but P < 0.5\nfalse alarm: P ≥ 0.5, but not burned\n"
    "at the start: the perimeter that the forecast was started from\n"
    "observed: the perimeter of the day, an outline on the predicted map and filled on the observed one"
)


class SkillPanel(AnalysisPanel[SkillController, SavedResult[Any]]):
    """Scores of the forecast. Table, curves and maps follow the shown day of this panel."""

    texts = AnalysisTexts(
        thing="scores",
        start="Run model check",
        start_tip=_ASK,
        stop_tip="Stop the scoring; nothing is kept",
        introduction=_ASK + " It needs two observed perimeters and takes about as long as one fire simulation.",
    )
    needs_folder = False

    def _build(self) -> None:
        self._day = 0
        self._weights: NetworkWeights | None = None
        self.form = SettingsForm(SkillSettings())
        self.days, self.fit_days = self.form.box("days"), self.form.box("fit_days")
        self.model, self.table = SkillModel(self), QTableView()
        self.chart, self.diagram, self.map = SkillChart(), ReliabilityChart(), ComparisonMap()
        self.measure, self.slider = NoScrollComboBox(), NoScrollSlider(Qt.Orientation.Horizontal)
        self.summary, self.key, self.day_text = rich_label(), rich_label(wordWrap=True), ElidedLabel()
        self._lay_out()
        self._session.project_edited.connect(self._note_weights)
        self.form.changed.connect(self._check)
        self.slider.valueChanged.connect(self.show_day)
        self.chart.day_chosen.connect(self.show_day)
        self.measure.currentIndexChanged.connect(self._draw_curves)
        self.table.selectionModel().selectionChanged.connect(self._on_row)

    # -- for others --------------------------------------------------------------------------------------------------
    @property
    def day(self) -> int:
        """The shown day of the forecast, 0 at its start."""
        return self._day

    def show_day(self, day: int) -> None:
        """Show a day in the table, on the curves and on the maps."""
        result = self._controller.result
        self._day = 0 if result is None else min(max(day, 0), result.report.days)
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._day)
        self.map.set_day(self._day)
        self.chart.set_cursor(None if result is None else self._day)
        if result is not None:
            self.day_text.set_text(day_text(result.report, self._day, self._session.units, self._cell_ha))
        with QSignalBlocker(self.table.selectionModel()):
            if self._day:
                select_row(self.table, self.model.place(self._day - 1))
            else:
                self.table.clearSelection()

    def save(self, path: Path) -> None:
        """Write tables, pictures and daily probabilities of the shown scores to the folder ``path``."""
        result, project = self._controller.result, self._controller.scored
        if result is None or project is None:
            return
        with refusing(self._session, str(path)):
            files = wait_for(
                self.window(),
                f"Writing {path.name}…",
                lambda: write_skill(result.report, result.states, project, path, Engine()),
            )
            self._session.message.emit(f"Wrote {len(files)} files to {path}")

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        show_table(self.table, self.model, "Scores by day", is_sortable=False)
        self._add_pages(("Days", self.table), ("Curves", self._curves()), ("Map", self._maps()))
        fields = [part for pair in self.form.pairs(self.form.editors) for part in pair]
        self.summary.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.summary.setAccessibleName("Mean scores")
        self._lay_out_beside(self.pages, row(*fields), self.notes, self.summary)

    def _work_buttons(self) -> tuple[PanelButton, ...]:
        help = "Save tables, pictures and the daily probabilities"
        return (*super()._work_buttons(), PanelButton("export", "Save…", help, self._ask_folder))

    def _curves(self) -> QWidget:
        self.measure.addItems([metric.title for metric in METRICS])
        describe(self.measure, "What is drawn by day")
        page = QWidget()
        grid = QGridLayout(page)
        grid.setContentsMargins(0, 2, 0, 0)
        grid.addWidget(self.measure, 0, 0, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(self.chart, 1, 0)
        grid.addWidget(self.diagram, 0, 1, 2, 1)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        grid.setRowStretch(1, 1)
        return page

    def _maps(self) -> QWidget:
        self.key.setToolTip(tooltip(_KEY))
        # The text wraps to two lines in a narrow panel. It must not set the minimum width of the panel.
        self.key.setMinimumWidth(1)
        self._write_key()
        whole = QToolButton(autoRaise=True)
        whole.setText("Fit")
        whole.setToolTip("Show the whole fire")
        whole.clicked.connect(self.map.fit)
        describe(self.slider, "Day of the forecast")
        self.slider.setPageStep(1)
        self.slider.setTickPosition(QSlider.TickPosition.TicksBelow)
        time = row(self.slider, self.day_text, whole, stretch=(self.slider, self.day_text))
        return column(self.map, self.key, time, stretch=self.map, margins=(0, 2, 0, 0))

    def _write_key(self) -> None:
        observed = (Ink.of(self.palette()).observed.name(), "□", "observed")
        parts = [f"Chance burned so far&nbsp;0&nbsp;{scale_html(fire_scale())}&nbsp;1"]
        for color, sign, text in (*((color, "■", text) for color, text in _MARKS), observed):
            # No entry is broken over two lines.
            parts.append(f'<span style="color:{color}">{sign}</span>&nbsp;{text.replace(" ", "&nbsp;")}')
        self.key.setText(" &nbsp;".join(parts))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the change between dark and light palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "key"):
            self._write_key()

    # -- hooks -------------------------------------------------------------------------------------------------------
    def _request(self) -> SkillRequest:
        return SkillRequest(self.days.value(), self.fit_days.value())

    def _on_project(self) -> None:
        if self._session.has_project:
            project = self._session.project
            self.days.setMaximum(max(available_days(project), 1))
            self._weights = project.weights
            self.form.set_value(default_settings(project))
        else:
            self.form.set_value(SkillSettings())

    def _find_problems(self) -> Sequence[Problem]:
        return skill_problems(SkillSpec(self._session.project, self.days.value(), self.fit_days.value()))

    def _conclusion(self) -> str:
        result = self._controller.result
        return "" if result is None else conclusion_text(result.report)

    def _remarks(self) -> Sequence[str]:
        result = self._controller.result
        if result is None:
            return () if self.problems else (_ASK,)
        return (*([STALE] if self._controller.is_stale else []), *result.report.notes)

    def _enabled(self) -> dict[str, bool]:
        return {"export": self._controller.result is not None and not self._controller.is_busy}

    # -- events ------------------------------------------------------------------------------------------------------
    def _note_weights(self) -> None:
        """Show the fitted days of other weights."""
        project = self._session.project
        if project.weights is not self._weights:
            self._weights = project.weights
            self.fit_days.setValue(fitted_days(project))

    def _on_row(self) -> None:
        if rows := selected_rows(self.table):
            self.show_day(self.model.row(rows[0]))

    def _ask_folder(self) -> None:
        chosen = ask_export_folder(self, "Save the scores into")
        if chosen is not None:
            self.save(chosen)

    # -- what is shown -----------------------------------------------------------------------------------------------
    def _show(self) -> None:
        result, scored = self._controller.result, self._controller.scored
        report = None if result is None else result.report
        self.model.show(report, self._session.units, self._cell_ha)
        self._draw_curves()
        self.diagram.show_report(report)
        self.map.show_forecast(None if scored is None else scored.scenario, None if result is None else result.states)
        self.slider.setRange(0, 0 if report is None else report.days)
        self.summary.setText("" if report is None else summary_html(report, self._session.units, self._cell_ha))
        self.summary.setVisible(report is not None)
        self.pages.setEnabled(report is not None)
        self.show_day(0 if report is None else report.days)

    @property
    def _cell_ha(self) -> float:
        return self._session.project.scenario.grid.cell_area_ha if self._session.has_project else 1.0

    def _draw_curves(self) -> None:
        result = self._controller.result
        report, metric = None if result is None else result.report, METRICS[self.measure.currentIndex()]
        self.chart.show_report(report, metric, self._cell_ha, self._session.units)

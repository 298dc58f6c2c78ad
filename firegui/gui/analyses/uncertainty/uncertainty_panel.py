"""Uncertainty panel: fires without and with a plan under the same random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QCheckBox, QFormLayout, QTableView, QWidget

from firegui.analyses.requests import UncertaintyRequest
from firegui.analyses.uncertainty.report import MEAN_OF_DRAWS, UNBURNED, below_start_text, error_text, summary_message
from firegui.analyses.uncertainty.results import member_spec
from firegui.analyses.uncertainty.summary import ensemble_csv, summarised, summary_csv
from firegui.domain.uncertainty import KIND_TITLES, ErrorSource, UncertaintyKind, UncertaintySettings
from firegui.domain.units import Units
from firegui.domain.workers import GROUP, WorkerSettings
from firegui.errors import InputError, Problem
from firegui.gui.analyses.cost import ensemble_cost
from firegui.gui.analyses.panel import WARNING, AnalysisPanel, AnalysisTexts, PanelButton
from firegui.gui.analyses.schedule_choice import ScheduleChoice
from firegui.gui.analyses.uncertainty.error_maps import ErrorFields
from firegui.gui.analyses.uncertainty.export_ensemble_dialog import EnsembleExportDialog
from firegui.gui.analyses.uncertainty.uncertainty_charts import (
    BenefitChart,
    EnsembleConvergenceChart,
    EnsembleView,
    FanChart,
    VariogramChart,
)
from firegui.gui.analyses.uncertainty.uncertainty_controller import (
    EnsembleResult,
    MeanMaps,
    SavedEnsemble,
    UncertaintyController,
    missing_requirements,
)
from firegui.gui.analyses.uncertainty.uncertainty_tables import EnsembleTables
from firegui.gui.base.layouts import column, describe, muted_label, plain_label, row
from firegui.gui.base.plain_text import tooltip
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.widgets.fields import NoScrollComboBox
from firegui.gui.widgets.settings_form import SettingEditor, SettingsForm
from firegui.runs.header import file_of
from firegui.runs.titles import schedule_title

_HELP = {
    UncertaintyKind.ALEATORIC: "Every cell's state is drawn at the end of every day.",
    UncertaintyKind.EPISTEMIC: f"The fire is disturbed by a correlated error of the fire model. {UNBURNED}.",
    UncertaintyKind.WEATHER: "The wind of a whole fire is off. How far is a guess, not a fit.",
}


_APPROXIMATE = "The paper's, of Bear 2020 and its own fire model: approximate here."
_PRESET = "paper"
_MEANS, _BACK = "Mean maps", "Back"
_MEANS_HELP = "Show the mean chance burned so far over the fires on the map, day by day: no drops, and the plan"
_BACK_HELP = "Show the run that was on the map before the mean maps, or else the fire without drops"
_INTRODUCTION = (
    "Draws many fires in pairs, without drops and under a plan, with the same random numbers: how large the fire may "
    "become, and how sure the gain of the plan is. It needs no plan for the fire alone."
)
_COVERED = {
    UncertaintyKind.ALEATORIC: (
        "The ± is the chance of spread from cell to cell alone: wind, fuel and the effect of drops are as in the model."
        " The other kinds of uncertainty and the stress test vary these."
    ),
    UncertaintyKind.EPISTEMIC: (
        "The ± is the error of the fire model alone: wind and the effect of drops are as in the plan. The kind Wind "
        "and the stress test vary these."
    ),
    UncertaintyKind.WEATHER: (
        "The ± is the wind alone: fire model and effect of drops are as in the plan. The kind Model error and the "
        "stress test vary these."
    ),
}
_WHY_OTHER = {
    UncertaintyKind.ALEATORIC: "It is of the mean fire, which never goes out; a drawn fire can go out.",
    UncertaintyKind.EPISTEMIC: "It is of the forecast as it is, while each drawn fire has errors of the fire model.",
    UncertaintyKind.WEATHER: "It is of the wind as it is forecast, while each drawn fire has another wind.",
}


class UncertaintyForm(QWidget):
    """Form of an ensemble; its settings are saved with the ensemble."""

    changed = Signal()

    def __init__(self, queue: RunQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields = SettingsForm(UncertaintySettings())
        self.workers = SettingsForm(WorkerSettings())
        self.schedules = ScheduleChoice(queue, self, "A schedule to try", "none: no drops only")
        self.about = plain_label(wordWrap=True)
        self.about.setProperty("role", "muted")
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        kind, *others = self.fields.editors
        self.fields.add_rows(form, [kind])
        form.addRow(self.about)
        form.addRow("Schedule", self.schedules.box)
        self.fields.add_rows(form, others, units=True)
        form.addRow(self.workers.folded(GROUP))
        self.fields.changed.connect(self._refresh)
        for part in (self.schedules, self.workers):
            part.changed.connect(self.changed)
        self._refresh()

    def set_kind(self, kind: UncertaintyKind) -> None:
        """Choose a kind."""
        box = self.fields.box("kind")
        box.setCurrentIndex(box.findData(kind.value))

    def set_settings(self, settings: UncertaintySettings) -> None:
        """Show other settings."""
        self.fields.set_value(settings)

    def settings(self) -> UncertaintySettings:
        """Return the settings in the fields."""
        return self.fields.value().of_kind()

    def request(self) -> UncertaintyRequest:
        """Return the request for the ensemble."""
        return UncertaintyRequest(self.settings(), self.schedules.file, self.workers.value())

    def _refresh(self) -> None:
        settings = self.fields.value()
        self.about.setText(_HELP[settings.kind])
        fitted = settings.error is ErrorSource.FITTED

        def needs_fit(editor: SettingEditor) -> bool:
            return editor.path == ("softening",) and not fitted

        self.fields.show_kind(settings.kind, needs_fit)
        self.changed.emit()


class UncertaintyPanel(AnalysisPanel[UncertaintyController, SavedEnsemble]):
    """Form of an ensemble next to its charts, tables and error maps."""

    texts = AnalysisTexts(
        thing="ensemble",
        start="Run ensemble",
        start_tip="Draw the ensemble; the project is saved first",
        stop_tip="Stop; fires that are done are kept",
        introduction=_INTRODUCTION,
        resume_tip="Run the rest of the chosen ensemble, or more fires of it; those that are done are kept",
        progress="Share of the fires that is done",
        saved_results="Earlier ensembles",
        no_saved_results="No earlier ensemble",
        nothing="No ensemble is shown: draw one, or open an earlier one.",
    )

    def _make_form(self) -> UncertaintyForm:
        self.form = UncertaintyForm(self._queue)
        return self.form

    def _build(self) -> None:
        self.tables = EnsembleTables(self, self.copy)
        self.summary_view, self.members_view = self.tables.summary_view, self.tables.members_view
        self.mean_maps = MeanMaps(self._session, self._queue, self._controller, self)
        self.errors = ErrorFields(self._controller)
        self.fan, self.benefit = FanChart(), BenefitChart()
        self.convergence, self.variogram = EnsembleConvergenceChart(), VariogramChart()
        self.quantity, self.unit = NoScrollComboBox(), NoScrollComboBox()
        self.show_members, self.show_quantiles = QCheckBox("Fires"), QCheckBox("5–95 %")
        self.error_text, self.means = plain_label(wordWrap=True), plain_label(wordWrap=True)
        self.caution, self.means_note = muted_label(role="warning"), muted_label()
        self._lay_out()
        self._session.result_changed.connect(self._refresh)
        for box in (self.quantity, self.unit):
            box.currentIndexChanged.connect(self._draw)
        for check in (self.show_members, self.show_quantiles):
            check.toggled.connect(self._draw)
        self.tables.member_activated.connect(self.play)
        self.tables.selection_changed.connect(self._refresh)

    # -- for others --------------------------------------------------------------------------------------------------
    def play(self, member: int) -> None:
        """Compute both fires of a member for the map; refuse one that cannot be computed."""
        shown = self._controller.shown
        if shown is None or shown.header is None:
            return
        try:
            spec = member_spec(shown.header, member, self._session.project, self._session.backend)
        except InputError as error:
            self._session.refuse(error)
            return
        kind = KIND_TITLES[shown.header.settings.kind].lower()
        self._queue.show_member(f"Fire {member} ({kind})", spec, plays=True)

    def export(self) -> None:
        """Open the dialog that exports the ensemble."""
        shown = self._controller.shown
        if shown is not None and shown.header is not None and self._controller.is_settled:
            exports, window = self._controller.exports, self.window()
            dialog = EnsembleExportDialog(self._session, exports, shown.folder, shown.header, window)
            dialog.exec()
            dialog.deleteLater()

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        margins = (0, 2, 0, 0)
        self.error_page = column(self.error_text, self.variogram, stretch=self.variogram, margins=margins)
        self._add_pages(
            ("Spread over time", self.fan), ("Benefit", self.benefit), ("Table", self.summary_view),
            ("Fires", self.members_view), ("Convergence", self.convergence),
            ("Error fit", self.error_page), ("Error maps", self.errors),
        )  # fmt: skip
        self._show_on((self.fan,), self.show_members, self.show_quantiles)
        self._show_on((self.fan, self.benefit, self.convergence), self.quantity, self.unit)
        self._show_on((self.errors,), self.errors.controls)
        parts = (self._choices(), self.pages, self.caution, self.means_note, self._foot())
        content = column(*parts, stretch=self.pages)
        self._lay_out_beside(content, self.means, self.form, self.notes)

    def _choices(self) -> QWidget:
        """Return the row above the pages, with the choice of display."""
        self.quantity.addItems(["Final size", "Regions"])
        self.unit.addItems([self._session.units.area_unit, "cells"])
        describe(self.quantity, "What is shown of the fire")
        describe(self.unit, "Unit of the pictures")
        self.show_members.setToolTip("Draw every fire as a thin line")
        self.show_quantiles.setToolTip("Draw the 5 and the 95 % quantile, dashed")
        self.show_members.setChecked(True)
        self.show_quantiles.setChecked(True)
        play = "Play the chosen fire on the map (double-click)"
        tables = (self.members_view, self.summary_view)
        buttons = self._button_row(
            PanelButton("show", "Play", play, self._play_chosen, (self.members_view,)),
            self._copy_button(*tables),
            PanelButton("csv", "CSV…", "Write the table as CSV with every digit", self._ask_file, tables),
        )
        choices = (self.quantity, self.unit, self.show_members, self.show_quantiles, self.errors.controls)
        return row(*choices, buttons)

    def _foot(self) -> QWidget:
        """Return what is below the pages: the summary and the buttons for the whole ensemble."""
        every = "Write tables, maps and figures of the ensemble"
        buttons = self._button_row(
            PanelButton("map", _MEANS, _MEANS_HELP, self.mean_maps.toggle, show_text=True),
            PanelButton("export", "Export…", every, self.export),
            PanelButton("folder", "Open folder", "Open the ensemble's folder", self._open_folder),
        )
        return column(self.head, buttons, spacing=2)

    # -- hooks -------------------------------------------------------------------------------------------------------
    def _settings(self) -> UncertaintySettings:
        return self.form.settings()

    def _show_settings(self, saved: SavedEnsemble) -> None:
        self.form.set_settings(saved.header.settings)

    def _schedule(self) -> Path | None:
        return self.form.schedules.file

    def _cost(self) -> str:
        has_plan = self.form.schedules.file is not None
        return ensemble_cost(self.form.settings(), has_plan=has_plan, pace=self._simulation_seconds)

    def _find_problems(self) -> Sequence[Problem]:
        return missing_requirements(self._project, self.form.settings())

    def _enabled(self) -> dict[str, bool]:
        shown = self._controller.shown
        some = shown is not None and shown.ensemble is not None
        saved = shown is not None and shown.header is not None
        return {
            "show": saved and self.tables.selected_member is not None, "copy": some, "csv": some, "folder": saved,
            "export": some and self._controller.is_settled, "map": self.mean_maps.can_show,
        }  # fmt: skip

    def _conclusion(self) -> str:
        """Return what the run has reported at its end, once it has ended."""
        shown = self._ended
        if shown is None or shown.ensemble is None or shown.header is None or shown.header.reason is None:
            return ""
        summary = summarised(shown.ensemble, regions=shown.regions)
        text = summary_message(summary, shown.header.reason, shown.ensemble.cell_area_ha)
        return self._session.units.restate(f"{text[0].upper()}{text[1:]}.")

    def _explanation(self) -> str:
        """Return what the spread covers, then the result of the plan of the fires and why it differs."""
        shown = self._ended
        if shown is None:
            return ""
        return self._session.units.restate(" ".join((_COVERED[shown.settings.kind], *self._compared(shown))))

    @property
    def _ended(self) -> EnsembleResult | None:
        """The shown ensemble, once its run has ended; ``None`` without a fire."""
        shown = self._controller.shown
        if shown is None or shown.ensemble is None or not shown.ensemble.members:
            return None
        return shown if shown.header is not None and shown.header.reason is not None else None

    def _compared(self, shown: EnsembleResult) -> list[str]:
        """Return the sentences on the result of the plan that the fires were drawn with."""
        header, project = shown.header, self._session.folder
        file = None if header is None else file_of(header, header.schedule_file, project)
        entry = None if file is None else self._queue.run_in(file.parent)
        if entry is None or entry.nominal is None or entry.baseline is None:
            return []
        size, bare = (Units.METRIC.area(each.final_extent_ha) for each in (entry.nominal, entry.baseline))
        missed = [f"{WARNING}{entry.missed}."] if entry.missed else []
        return [f"Result of the plan: {size} ({bare} without drops).", _WHY_OTHER[shown.settings.kind], *missed]

    def _front(self) -> QTableView:
        return self.members_view if self._shows_members else self.summary_view

    def _csv(self) -> str:
        shown = self._controller.shown
        if shown is None or shown.ensemble is None:
            return ""
        if self._shows_members:
            return ensemble_csv(shown.ensemble, regions=shown.regions)
        return summary_csv(summarised(shown.ensemble, regions=shown.regions))

    # -- events ------------------------------------------------------------------------------------------------------
    @property
    def _shows_members(self) -> bool:
        """Whether the members are copied and written, not the summary."""
        return self.pages.currentWidget() is self.members_view

    def _play_chosen(self) -> None:
        if (member := self.tables.selected_member) is not None:
            self.play(member)

    def _open_folder(self) -> None:
        folder = self._shown_folder
        if folder is not None and folder.exists():
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))

    def _ask_file(self) -> None:
        self._save_csv("ensemble.csv" if self._shows_members else "summary.csv")

    # -- what is shown -----------------------------------------------------------------------------------------------
    def _show(self) -> None:
        shown = self._controller.shown
        regions = shown is not None and shown.regions
        error = None if shown is None else shown.error
        self.tables.show(None if shown is None else shown.ensemble, regions=regions, units=self._session.units)
        for page in (self.error_page, self.errors):
            self.pages.setTabVisible(self.pages.indexOf(page), error is not None)
        self.variogram.show_error(error, None if shown is None else shown.variogram)
        self.error_text.setText(_error_description(shown))
        self.error_text.setToolTip(tooltip(UNBURNED))
        self.quantity.setEnabled(regions)
        if not regions:
            with QSignalBlocker(self.quantity):
                self.quantity.setCurrentIndex(0)
        self._set_head("" if shown is None else _head_text(shown))
        self.caution.setText(_caution_text(shown, self._session.units))
        drawn = shown is not None and shown.ensemble is not None and shown.ensemble.members
        self.means_note.setText(f"{MEAN_OF_DRAWS}." if drawn else "")
        self._draw()

    def _draw(self, *_: object) -> None:
        ensemble = None if self._controller.shown is None else self._controller.shown.ensemble
        units = self._session.units
        self.unit.setItemText(0, units.area_unit)
        protected, as_area = self.quantity.currentIndex() == 1, self.unit.currentIndex() == 0
        view = EnsembleView(protected, as_area, self.show_members.isChecked(), self.show_quantiles.isChecked(), units)
        for chart in (self.fan, self.benefit, self.convergence):
            chart.show_ensemble(ensemble, view)

    def _refresh(self, *_: object) -> None:
        self.mean_maps.follow()
        super()._refresh()
        back = self.mean_maps.are_shown
        self._buttons["map"].setText(_BACK if back else _MEANS)
        self._buttons["map"].setToolTip(tooltip(_BACK_HELP if back else _MEANS_HELP))
        on_errors = self.pages.currentWidget() in (self.error_page, self.errors)
        self.caution.setVisible(bool(self.caution.text()) and not on_errors)
        self.means_note.setVisible(bool(self.means_note.text()) and not on_errors)
        self.means.setText(self._controller.running_means)
        self.means.setVisible(bool(self.means.text()))


def _error_description(shown: EnsembleResult | None) -> str:
    """Return the numbers of an error model, and their source."""
    if shown is None or shown.error is None:
        return ""
    text = error_text(shown.error)
    return f"{text}\n{_APPROXIMATE}" if shown.error.source.startswith(_PRESET) else text


def _caution_text(shown: EnsembleResult | None, units: Units) -> str:
    """Return the approximations and warnings of an ensemble."""
    if shown is None:
        return ""
    texts = [] if shown.header is None else [note for note in shown.header.notes if note != UNBURNED]
    if shown.ensemble is not None and shown.ensemble.members:
        texts += filter(None, [below_start_text(shown.ensemble, units)])
    return f"{WARNING}{'. '.join(texts)}" if texts else ""


def _head_text(shown: EnsembleResult) -> str:
    """Return one line on how an ensemble was drawn; empty for one without a fire yet."""
    ensemble, header = shown.ensemble, shown.header
    if ensemble is None:
        return ""
    size = f"{ensemble.members:,}" if ensemble.complete else f"{ensemble.members:,} of {ensemble.asked:,}"
    parts = [KIND_TITLES[ensemble.kind], f"{size} fires"]
    if header is not None:
        file = Path(header.schedule_file)
        parts.append(f"of {schedule_title(file)}" if header.schedule_file else "no drops only")
        parts.append(f"seed {header.seed}")
    return " · ".join(parts)

"""Calibration panel: fit the fire model to the observed perimeters of this event and of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from statistics import fmean
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QMessageBox, QWidget

from firegui.analyses.calibration import factors_table
from firegui.analyses.calibration.checkpoint import part_of, read_checkpoint
from firegui.analyses.calibration.factors_run import default_factor_settings
from firegui.analyses.calibration.run import default_settings, input_problems
from firegui.calibration.fittable import factor_fit_problems
from firegui.domain.fit import STEPS, EventProgress, FactorFitSettings, NetworkFitSettings
from firegui.domain.project import Project
from firegui.domain.units import percent_text
from firegui.domain.weights import NetworkWeights
from firegui.errors import InputError, Problem
from firegui.fire.physical import with_factors
from firegui.fire.training_coverage import training_coverage
from firegui.gui.analyses.calibration.calibration_charts import FitPlots
from firegui.gui.analyses.calibration.calibration_controller import (
    Calibrated,
    CalibrationController,
    CalibrationRequest,
    Companion,
    SavedCalibration,
)
from firegui.gui.analyses.panel import WARNING, AnalysisPanel, AnalysisTexts, PanelButton
from firegui.gui.analyses.saved_results import SavedResult
from firegui.gui.base.dialogs import message_box
from firegui.gui.base.export_place import ask_export_file
from firegui.gui.base.layouts import column, labelled, rich_label, row
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.tasks import wait_for
from firegui.gui.session.reporting import refusing
from firegui.gui.widgets.fields import NoScrollComboBox, WholeField
from firegui.gui.widgets.settings_form import SettingsForm
from firegui.io.paths import real_path
from firegui.io.project.store import load_project
from firegui.io.project.weights_file import write_weights
from firegui.runs.events import FactorsReady, FireComparison, WeightsReady

_NOT_COMPARED = (
    "The calibration was not compared with the present fire model, because it was stopped. The check of the fire model "
    "does it once it is in use."
)
_WORSE = "The calibrated weights do worse than the present fire model on the days that they were fitted to."
_ABOUT = "Overlap (IoU) of the forecast with the observed perimeters, mean over the fitted days: 1 is a perfect match."


_ASK = (
    "Fits the fire model to the observed perimeters of the first days: factors of a physical model, otherwise weights "
    "of the network. Later perimeters are not read, so the model can be checked on those days."
)
_JOINTLY = "Calibrate jointly with"
_LIST_LINES = 3
_SUFFIX = ".safetensors"


def is_worse(found: WeightsReady | FactorsReady) -> bool:
    """Return whether the calibrated model fits the perimeters worse than the present fire model."""
    if isinstance(found, FactorsReady):
        return factors_table.is_worse(found)
    return bool(found.before) and mean_overlap(found.after) < mean_overlap(found.before)


def ask_use(parent: QWidget | None, found: WeightsReady | FactorsReady, present: str) -> bool:
    """Return whether to use the calibration instead of the fire model called ``present``.

    The default answer is no if it does worse.
    """
    has_factors = isinstance(found, FactorsReady)
    thing, warning = ("factors", factors_table.WORSE) if has_factors else ("weights", _WORSE)
    is_compared = bool(found.fires if isinstance(found, FactorsReady) else found.before)
    worse = is_worse(found)
    icon = QMessageBox.Icon.Warning if worse or not is_compared else QMessageBox.Icon.Question
    text = warning if worse else f"Use the calibrated {thing} in this project?"
    box = message_box(parent, icon, f"Use calibrated {thing}", text)
    box.setInformativeText(comparison_html(found, present))
    use = box.addButton(f"&Use the new {thing}", QMessageBox.ButtonRole.AcceptRole)
    keep = box.addButton("&Keep the present model", QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep if worse else use)
    box.setEscapeButton(keep)
    box.exec()
    return box.clickedButton() is use


def comparison_html(found: WeightsReady | FactorsReady, present: str) -> str:
    """Return the scores before and after as HTML, for the physical model with its references."""
    if isinstance(found, FactorsReady):
        changes = f"<p>Factors: {escape(factors_table.factors_text(found))}.</p>"
        is_joint = len(found.fires) > 1
        # A table for each fire would not fit on the screen.
        table = _table_html(factors_table.overview_rows(found)) if is_joint else factors_html(found)
        return changes + (f"{table}<p>{factors_table.about_text(found)}</p>" if found.fires else _NOT_COMPARED)
    if not found.before:
        return f"<p>{_NOT_COMPARED}</p>"
    titles = "".join(f"<th>&nbsp;{text}</th>" for text in (escape(f"present: {present}"), "calibrated"))
    rows = "".join(
        f"<tr><td>{escape(one.name)}</td><td align='right'>{fmean(one.iou):.2f}</td>"
        f"<td align='right'>{fmean(other.iou):.2f}</td></tr>"
        for one, other in zip(found.before, found.after, strict=True)
    )
    return f"<table><tr><th></th>{titles}</tr>{rows}</table><p>{_ABOUT}</p>"


def factors_html(found: FactorsReady) -> str:
    """Return the tables of a calibration of the physical model, empty where nothing was compared."""
    return "".join(_fire_html(fire, with_name=len(found.fires) > 1) for fire in found.fires)


def _fire_html(fire: FireComparison, *, with_name: bool) -> str:
    name = f"<p><b>{escape(fire.fire)}</b></p>" if with_name else ""
    return name + _table_html(factors_table.comparison_rows(fire)) + escape(factors_table.others_text(fire))


def _table_html(table: Sequence[tuple[str, ...]]) -> str:
    (head, *titles), *rows = table
    cells = "".join(f"<th align='right'>&nbsp;&nbsp;{escape(title)}</th>" for title in titles)
    lines = "".join(f"<tr><td>{escape(label)}</td>{''.join(map(_cell, values))}</tr>" for label, *values in rows)
    return f"<table cellspacing='0' cellpadding='2'><tr><th align='left'>{head}</th>{cells}</tr>{lines}</table>"


def _cell(text: str) -> str:
    return f"<td align='right'>{text}</td>"


def mean_overlap(events: tuple[EventProgress, ...]) -> float:
    """Return the mean overlap (IoU) over the events, each the mean of its days."""
    return fmean(fmean(event.iou) for event in events)


class CalibrationPanel(AnalysisPanel[CalibrationController, SavedResult[Any]]):
    """Settings of a calibration, which are saved with its weights, next to its charts."""

    texts = AnalysisTexts(
        thing="calibration",
        start="Calibrate",
        start_tip=_ASK,
        stop_tip="Stop and keep the best so far",
        introduction=_ASK + " It takes minutes, for a network up to hours; Stop keeps the best so far.",
        resume_tip="Resume the unfinished calibration of this project; the result is the same as without the stop",
    )

    def _build(self) -> None:
        self._companions: list[Companion] = []
        self._used: tuple[WeightsReady, NetworkWeights] | None = None
        self.form, self.factor_form = SettingsForm(NetworkFitSettings()), SettingsForm(FactorFitSettings())
        self.origin, self.others = NoScrollComboBox(), QListWidget()
        self.plots, self.summary = FitPlots(self._controller), rich_label(wordWrap=True)
        self._lay_out()
        self._controller.epochs_added.connect(self._show_activity)
        self.form.changed.connect(self._check)
        self.factor_form.changed.connect(self._check)
        self.others.currentRowChanged.connect(self._refresh)

    # -- for others --------------------------------------------------------------------------------------------------
    def add_project(self, folder: Path) -> None:
        """Also fit the project in ``folder``; refuse one with problems."""
        with refusing(self._session, str(folder)):
            taken = [self._session.folder, *(each.folder for each in self._companions)]
            if any(other is not None and real_path(other) == real_path(folder) for other in taken):
                raise InputError([Problem(str(folder), "is already in the list", "choose another project")])
            found = wait_for(self.window(), f"Opening {folder.name}…", lambda: _companion(folder))
            self._show_companions([*self._companions, found])

    def remove_project(self) -> None:
        """Remove the selected project from the list."""
        chosen = self.others.currentRow()
        self._show_companions([each for k, each in enumerate(self._companions) if k != chosen])

    def use(self) -> None:
        """Use the calibrated weights or factors in the open project after a comparison with its present model.

        Weights are named after the time of their calibration. It is one undoable step.
        """
        found, session = self._controller.result, self._session
        if found is None or not self.button("apply").isEnabled():
            return
        if not ask_use(self.window(), found, session.project.fire_model.label):
            return
        if isinstance(found, FactorsReady):
            with refusing(session, "the fire model"):
                project, text = session.project, "Computing the speed of the fire…"
                changed = wait_for(self.window(), text, lambda: with_factors(project, found.factors))
                session.edit("use the calibrated factors", changed)
        else:
            training = found.weights.training
            label = f"{training.label}, calibrated {self._controller.calibrated_at:%Y-%m-%d %H:%M}"
            self._used = found, replace(found.weights, training=replace(training, label=label))
            session.edit("use the calibrated fire model", session.project.with_network(self._used[1]))

    def save(self, path: Path) -> None:
        """Write the calibrated weights to ``path``."""
        if isinstance(self._controller.result, WeightsReady):
            path = path if path.suffix else path.with_suffix(_SUFFIX)
            with refusing(self._session, str(path)):
                write_weights(path, self._controller.result.weights)
                self._session.message.emit(f"Wrote {path}")

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        self.summary.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.summary.setAccessibleName("Result of the calibration")
        use = "Plan and simulate with this fire model from now on; can be undone"
        keep = "Write the weights to a file, for other projects"
        self._result_row = self._button_row(
            PanelButton("apply", "Use in this project", use, self.use, show_text=True),
            PanelButton("save", "Save weights as…", keep, self._ask_file, show_text=True),
        )
        self.origin.setAccessibleName("Initial weights of the calibration")
        self.origin.setToolTip(tooltip("Random weights, chosen by the seed, or those that this project plans with"))
        self._network_part = column(
            self.form.grid(self.form.names(group="")),
            row(labelled("Start from", self.origin), self.origin, stretch=self.origin),
            self.form.folded(STEPS),
            spacing=6,
        )
        self._factor_part = column(
            self.factor_form.grid(self.factor_form.names(group="")), self.factor_form.folded(STEPS), spacing=6
        )
        self._lay_out_beside(
            self.plots,
            # Above the summary, which grows: the buttons for the result must stay in view.
            self._result_row,
            self.notes,
            self.summary,
            self._network_part,
            self._factor_part,
            self._companion_list(),
        )

    def _companion_list(self) -> QWidget:
        add = "Add a project whose fire is fitted by the same model"
        buttons = self._button_row(
            PanelButton("add", "Add project…", add, self._ask_project),
            PanelButton("delete", "Remove", "Remove the selected project from the list", self.remove_project),
        )
        self.others.setAccessibleName("Further projects")
        self.others.setToolTip(tooltip("Projects whose fires are fitted by the same network, or the same factors"))
        self.others.setFixedHeight(_LIST_LINES * self.others.fontMetrics().height() + 10)
        title = labelled(_JOINTLY, self.others)
        return column(row(title, buttons, stretch=title), self.others, spacing=1)

    # -- hooks -------------------------------------------------------------------------------------------------------
    def _request(self) -> CalibrationRequest:
        if self._is_physical:
            return CalibrationRequest(self.factor_form.value(), self._companions)
        return CalibrationRequest(self.form.value(), self._companions, self._origin())

    def _resume(self) -> None:
        """Resume the interrupted calibration of this project, with its own settings and projects."""
        out = self._controller.interrupted
        if out is None:
            return
        with refusing(self._session, str(out)):
            kept = read_checkpoint(part_of(out))
            folders = [Path(event.folder) for event in kept.events[1:]]
            found = wait_for(self.window(), "Opening its projects…", lambda: [_companion(folder) for folder in folders])
            self._show_companions(found)
            self.form.set_value(kept.settings)
            self._controller.resume(SavedCalibration(out, kept), CalibrationRequest(kept.settings, found))

    def _can_resume(self) -> bool:
        return self._session.has_project and self._controller.interrupted is not None

    def _on_project(self) -> None:
        if self._session.has_project:
            project = self._session.project
            for form in (self.form, self.factor_form):
                days = form.box("fit_days")
                assert isinstance(days, WholeField)
                days.setMaximum(max(project.scenario.days, 1))
            self.form.set_value(default_settings(project))
            self.factor_form.set_value(default_factor_settings(project))
        self._show_companions([])

    def _find_problems(self) -> Sequence[Problem]:
        request = self._request()
        projects, settings = request.projects(self._session.project), request.settings
        if isinstance(settings, FactorFitSettings):
            return factor_fit_problems(projects, settings)
        return input_problems(projects, settings)

    def _conclusion(self) -> str:
        result = self._controller.result
        return "" if result is None else conclusion_text(result)

    def _remarks(self) -> Sequence[str]:
        controller = self._controller
        if self._is_used:
            thing = "weights" if isinstance(controller.result, WeightsReady) else "factors"
            return (f"This project uses these {thing}.",)
        if controller.interrupted is not None:
            return ("A calibration of this project is unfinished: Resume continues it.",)
        idle = controller.result is None and not controller.is_busy and not self.problems
        return (_ASK,) if idle else ()

    def _enabled(self) -> dict[str, bool]:
        there, busy, some = self._session.has_project, self._controller.is_busy, self._controller.result is not None
        return {
            "apply": some and there and not self._is_used and self._can_use,
            "save": isinstance(self._controller.result, WeightsReady), "add": there and not busy,
            "delete": self.others.currentRow() >= 0 and not busy,
        }  # fmt: skip

    # -- events ------------------------------------------------------------------------------------------------------
    def _ask_project(self) -> None:
        chosen = self._choose_folder(f"{_JOINTLY} (a folder NAME.firegui)")
        if chosen is not None:
            self.add_project(chosen)

    def _ask_file(self) -> None:
        chosen = ask_export_file(self, "Save the weights as", f"fire{_SUFFIX}", f"Weights (*{_SUFFIX})")
        if chosen is not None:
            self.save(chosen)

    # -- what is shown -----------------------------------------------------------------------------------------------
    @property
    def _is_physical(self) -> bool:
        """Whether the project's fire model is the physical one, whose factors are fitted."""
        return self._session.has_project and self._session.project.fire_model.kind == "physical"

    @property
    def _can_use(self) -> bool:
        """Whether the result can be used with the project's fire model: factors are of the physical one."""
        return self._is_physical or not isinstance(self._controller.result, FactorsReady)

    @property
    def _is_used(self) -> bool:
        """Whether the project plans with the weights or factors of the result."""
        result, session = self._controller.result, self._session
        if isinstance(result, FactorsReady):
            return self._is_physical and session.project.physical.factors == result.factors
        if result is None or not session.has_project or self._used is None:
            return False
        return self._used[0] is result and session.project.weights is self._used[1]

    def _origin(self) -> NetworkWeights | None:
        return self._session.project.weights if self.origin.currentData() == "project" else None

    def _show_companions(self, companions: list[Companion]) -> None:
        self._companions = companions
        if not companions:
            self.factor_form.box("leave_one_out").setChecked(False)
        self.others.clear()
        for each in companions:
            self.others.addItem(f"{each.project.scenario.name} · {each.folder.name}")
            self.others.item(self.others.count() - 1).setToolTip(tooltip(str(each.folder)))
        self._check()

    def _offer_origins(self, project: Project | None) -> None:
        offered = [("new weights", "new")]
        if project is not None and project.weights is not None:
            offered.append(("this project's weights", "project"))
        if [self.origin.itemData(k) for k in range(self.origin.count())] != [key for _text, key in offered]:
            self.origin.clear()
            for text, key in offered:
                self.origin.addItem(text, key)
        self.origin.setEnabled(len(offered) > 1 and not self._controller.is_busy)

    def _show(self) -> None:
        result = self._controller.result
        self.summary.setText("" if result is None else _result_html(result))
        for part in (self.summary, self._result_row):
            part.setVisible(result is not None)
        self.button("save").setVisible(isinstance(result, WeightsReady))

    def _refresh(self, *_: object) -> None:
        there = self._session.has_project
        self._offer_origins(self._session.project if there else None)
        for form in (self.form, self.factor_form):
            form.set_enabled(there and not self._controller.is_busy)
        if not self._companions:
            self.factor_form.box("leave_one_out").setEnabled(False)
        self._factor_part.setVisible(self._is_physical)
        self._network_part.setVisible(not self._is_physical)
        super()._refresh()


def _companion(folder: Path) -> Companion:
    return Companion(folder, load_project(folder))


def conclusion_text(found: Calibrated) -> str:
    """Return the sentence that a calibration comes to; a warning where the present fire model is better."""
    if isinstance(found, FactorsReady):
        return f"{WARNING if is_worse(found) else ''}{factors_table.conclusion_text(found)}"
    if not found.before:
        overlap = percent_text(mean_overlap(found.best.events), 0)
        return (
            f"The calibrated model overlaps the perimeters of the fitted days by {overlap}; it was not compared with "
            "the present one."
        )
    before, after = (percent_text(mean_overlap(events), 0) for events in (found.before, found.after))
    numbers = f"it overlaps the perimeters of the fitted days by {after}, the present one by {before}"
    if is_worse(found):
        return f"{WARNING}The calibrated model is worse than the present one: {numbers}."
    better = "better than" if mean_overlap(found.after) > mean_overlap(found.before) else "as good as"
    return f"The calibrated model is {better} the present one: {numbers}."


def _result_html(found: Calibrated) -> str:
    """Return the scores of the best epoch with the training coverage, or the factors with scores."""
    if isinstance(found, FactorsReady):
        changes = escape(factors_table.factors_text(found))
        return f"<b>Factors</b>: {changes}{factors_html(found)}"
    head = f"<b>Best round {found.best.epoch + 1:,} of {found.epochs_done:,}</b>"
    rows = "".join(map(_row, found.best.events))
    titles = "<tr><th align='left'>Fitted days</th><th>&nbsp;mean overlap (IoU)</th><th>&nbsp;lowest</th></tr>"
    notes = "".join(f"<li>{escape(text)}</li>" for text in training_coverage(found.weights))
    style = "margin-left: 14px; -qt-list-indent: 0; margin-top: 4px"
    return f"{head}<table cellspacing='0' cellpadding='2'>{titles}{rows}</table><ul style='{style}'>{notes}</ul>"


def _row(event: EventProgress) -> str:
    lowest = min(event.iou)
    day = event.days[event.iou.index(lowest)]
    return (
        f"<tr><td>{escape(event.name)}</td><td align='right'>{fmean(event.iou):.2f}</td>"
        f"<td align='right'>&nbsp;{lowest:.2f}, day {day}</td></tr>"
    )

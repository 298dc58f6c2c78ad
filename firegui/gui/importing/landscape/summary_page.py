"""Steps 5 and 6 of the wizard: required coverage, and the summary of the import."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListWidget, QListWidgetItem

from firegui.domain.calendar import DATE_UNKNOWN
from firegui.domain.scenario import EXPECTED_LAYERS, LAYERS
from firegui.domain.units import Units
from firegui.errors import Problem
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import set_role
from firegui.gui.importing.landscape.grid_page import size_text
from firegui.gui.importing.landscape.survey import ImportDraft, SurveyResult
from firegui.gui.importing.landscape.wizard_page import WizardPage, copyable_label, form, problem_text, put_text
from firegui.gui.widgets.coverage_form import CoverageForm
from firegui.gui.widgets.fields import PathField, text_line
from firegui.runs.messages import counted


class CoveragePage(WizardPage):
    """Step for the required coverage of the fuel models."""

    title = "Coverage"
    overlays = frozenset({"coverage"})
    about = (
        "How much retardant or water the fuel of a cell needs, in gal per 100 ft². A plan reckons with one value, the "
        "mean over all cells that can burn, each weighted by its area."
    )

    def __init__(self, draft: ImportDraft) -> None:
        super().__init__(draft)
        self.form = CoverageForm()
        self.column.addWidget(self.form, 1)
        self.column.addWidget(self.note("coverage", "required coverage", field=self.form.view))
        self.form.edited.connect(lambda choice: self.draft.answer(coverage=choice))

    def show_answers(self) -> None:
        """Show the choice for the fuel models that were found last."""
        self.form.show_fuel(
            {} if self.survey_result is None else self.survey_result.survey.fuel_cells, self.draft.answers.coverage
        )

    def show_survey(self, survey_result: SurveyResult) -> None:
        """Show the fuel models of the landscape."""
        super().show_survey(survey_result)
        self.show_answers()


_KEEP = "chosen at the first save, unless entered here"


class SummaryPage(WizardPage):
    """Step that lists the content of the import and all problems of all steps."""

    title = "Summary"
    overlays = frozenset({"wind", "fire"})
    about = "Summary of the import. Nothing has been written yet; the button below creates the project."

    def __init__(self, draft: ImportDraft) -> None:
        super().__init__(draft)
        self.name = text_line("name", "the name of the folder", "what to call the event")
        self.folder = PathField("folder", _KEEP, kind="new", files="firegui project (*.firegui)", place=self._place)
        self._state, self._facts = copyable_label(""), copyable_label("")
        self.problems = _list("Problems", "Problems to fix, with place and remedy")
        self.remarks = _list("What to know", "Warnings, and what was assumed")
        self._lay_out()
        self.show_answers()

    def _lay_out(self) -> None:
        note = self.note("name", field=self.name)
        self.add(form(("N&ame", self.name), ("", note), ("Keep it &in", self.folder)), self._facts, self._state)
        self.column.addWidget(self.problems, 2)
        self.column.addWidget(self.remarks, 3)
        self.name.editingFinished.connect(self._on_name)
        self.folder.settled.connect(self._on_folder)

    def show_answers(self) -> None:
        """Show name and folder."""
        folder = self.draft.answers.folder
        put_text(self.name, self.draft.source.name or "")
        put_text(self.folder.line, "" if folder is None else str(folder))

    def show_survey(self, survey_result: SurveyResult) -> None:
        """Show the content of the import."""
        super().show_survey(survey_result)
        self._facts.setText("\n".join(fact_lines(survey_result, self.draft.units)))
        warnings = [f"Warning: {text}" for text in survey_result.warnings]
        _fill(self.remarks, [*warnings, *(f"Note: {text}" for text in survey_result.remarks)])

    def show_problems(self, problems: Sequence[Problem], *, surveyed: bool) -> None:
        """List the problems of all steps."""
        _fill(self.problems, [problem_text(problem, indent="") for problem in problems])
        if problems:
            many = f"{len(problems)} problems" if len(problems) != 1 else "1 problem"
            self._state.setText(f"⚠ {many} to fix before the import; nothing is written until then.")
        else:
            count = 0 if self.survey_result is None else len(self.survey_result.warnings)
            warned = f"⚠ Ready to import, with {counted(count, 'warning')}."
            self._state.setText("Choose files first." if not surveyed else warned if count else "Ready to import.")
            set_role(self._state, "warning" if surveyed and count else "muted")
            return
        set_role(self._state, "error")

    def _on_name(self) -> None:
        self.name.setModified(False)
        self.draft.change(name=self.name.text().strip() or None)

    def _on_folder(self) -> None:
        self.folder.line.setModified(False)
        self.draft.answer(folder=self.folder.path)

    def _place(self) -> str:
        files = [file.path for file in self.draft.source.layers.values()]
        lcp = self.draft.source.lcp
        first = files[0] if files else lcp
        return str(first.parent.parent if first is not None else Path.home())


def fact_lines(survey_result: SurveyResult, units: Units = Units.METRIC) -> list[str]:
    """Return one line each on grid, layers, wind, fire and coverage."""
    survey = survey_result.survey
    lines = [] if survey.grid is None else [size_text(survey.grid, units)]
    found = {fact.key for fact in survey.layers}
    present = [LAYERS[key][0].lower() for key in LAYERS if key in found]
    missing = [LAYERS[key][0].lower() for key in EXPECTED_LAYERS if key not in found]
    lines += [f"Layers: {', '.join(present) or 'none'}", f"Missing: {', '.join(missing) or 'nothing'}"]
    if survey_result.winds is not None and survey.start is not None:
        known = survey_result.first_date is not None
        begin = f"from {survey.start:%Y-%m-%d %H:%M} UTC" if known else f"({DATE_UNKNOWN})"
        lines.append(f"Wind: {days_text(len(survey_result.winds.speed))} {begin}")
    lines.append(f"Fire: {survey_result.fire_text}")
    lines.append(f"Required coverage: {survey_result.coverage.c_req:.2f} gal/100 ft², {survey_result.coverage.source}")
    return lines


def days_text(days: int) -> str:
    """Return ``1 day``, ``15 days``."""
    return "1 day" if days == 1 else f"{days} days"


def _list(name: str, tip: str) -> QListWidget:
    view = QListWidget()
    view.setToolTip(tooltip(tip))
    view.setAccessibleName(name)
    view.setWordWrap(True)
    view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setFrameShape(QFrame.Shape.StyledPanel)
    return view


def _fill(view: QListWidget, lines: Sequence[str]) -> None:
    view.clear()
    for line in lines:
        view.addItem(QListWidgetItem(line))
    view.setVisible(bool(lines))

"""Form of a robustness table: its kind, the schedule, and the settings of the kind."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from firegui.analyses.requests import SensitivityRequest
from firegui.domain.sensitivity import KIND_TITLES, SensitivityKind, SensitivitySettings
from firegui.domain.settings import OptimizerSettings
from firegui.domain.workers import GROUP, WorkerSettings
from firegui.errors import Problem, Problems
from firegui.gui.analyses.schedule_choice import ScheduleChoice
from firegui.gui.base.layouts import plain_label
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.reporting import problems_of
from firegui.gui.widgets.fields import choice_combo
from firegui.gui.widgets.settings_form import SettingsForm

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

"""Form of an ensemble: its kind, the schedule, and the settings of the kind."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from firegui.analyses.requests import UncertaintyRequest
from firegui.analyses.uncertainty.report import UNBURNED
from firegui.domain.uncertainty import ErrorSource, UncertaintyKind, UncertaintySettings
from firegui.domain.workers import GROUP, WorkerSettings
from firegui.gui.analyses.schedule_choice import ScheduleChoice
from firegui.gui.base.layouts import plain_label
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.widgets.settings_form import SettingEditor, SettingsForm

_HELP = {
    UncertaintyKind.ALEATORIC: "Every cell's state is drawn at the end of every day.",
    UncertaintyKind.EPISTEMIC: f"The fire is disturbed by a correlated error of the fire model. {UNBURNED}.",
    UncertaintyKind.WEATHER: "The wind of a whole fire is off. How far is a guess, not a fit.",
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

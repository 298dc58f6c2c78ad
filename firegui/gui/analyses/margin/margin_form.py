"""Form of a margin curve: how its plans are tested."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

from firegui.domain.margin_curve import MarginCurveSettings
from firegui.domain.project import Project
from firegui.domain.settings import PlanSettings
from firegui.errors import Problem
from firegui.gui.widgets.settings_form import SettingsForm
from firegui.runs.requests import MarginRequest

_HELP = (
    "Plans the project three times: without margin, with the design margin and with the stress margin. Each plan is "
    "tested in every scenario of the project, that of the stress margin once more with replanning. It takes as long as "
    "three plans. How they are made is set in Objective: limit {limit:.1%}, seed {seed}."
)


class MarginForm(QWidget):
    """Form of a margin curve of the open project; its settings are saved with the curve."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields = SettingsForm(MarginCurveSettings())
        self._project: Project | None = None
        self.about = QLabel(wordWrap=True)
        self.about.setProperty("role", "muted")
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        form.addRow(self.about)
        self.fields.add_rows(form, units=True)
        self.fields.changed.connect(self.changed)
        self.show_project(None)

    def show_project(self, project: Project | None) -> None:
        """Make curves of ``project``."""
        self._project = project
        plan = PlanSettings() if project is None else project.plan
        self.about.setText(_HELP.format(limit=plan.margin.limit, seed=plan.optimizer.seed))

    def set_settings(self, settings: MarginCurveSettings) -> None:
        """Show other settings."""
        self.fields.set_value(settings)

    def request(self) -> MarginRequest:
        """Return the request for the curve."""
        return MarginRequest(self.fields.value())

    def problems(self) -> tuple[Problem, ...]:
        """Return what keeps a curve of the project from being made."""
        project = self._project
        if project is None:
            return ()
        own = self.fields.value().problems(project.stress, project.scenario.steps_per_day)
        return (*project.problems(), *own)

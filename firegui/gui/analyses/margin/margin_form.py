"""Form of a margin curve: how its plans are tested."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from firegui.analyses.requests import MarginRequest
from firegui.domain.margin_curve import MarginCurveSettings
from firegui.domain.project import Project
from firegui.errors import Problem
from firegui.gui.widgets.settings_form import SettingsForm


class MarginForm(QWidget):
    """Form of a margin curve of the open project; its settings are saved with the curve."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields = SettingsForm(MarginCurveSettings())
        self._project: Project | None = None
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        self.fields.add_rows(form, units=True)
        self.fields.changed.connect(self.changed)

    def show_project(self, project: Project) -> None:
        """Use ``project`` for the curves."""
        self._project = project

    def set_settings(self, settings: MarginCurveSettings) -> None:
        """Show other settings."""
        self.fields.set_value(settings)

    def request(self) -> MarginRequest:
        """Return the request for the curve."""
        return MarginRequest(self.fields.value())

    def problems(self) -> tuple[Problem, ...]:
        """Return why the curve of the project cannot be made."""
        project = self._project
        if project is None:
            return ()
        own = self.fields.value().problems(project.stress, project.scenario.steps_per_day)
        return (*project.problems(), *own)

"""Form of a stress test: the schedule, and the settings of the test."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QWidget

from firegui.analyses.requests import StressRequest
from firegui.domain.project import Project
from firegui.domain.stress import StressTestSettings
from firegui.errors import Problem, Problems
from firegui.gui.analyses.schedule_choice import ScheduleChoice
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.reporting import problems_of
from firegui.gui.widgets.settings_form import SettingsForm


class StressForm(QWidget):
    """Form of a stress test of the project's own scenarios; its settings are saved with the test."""

    changed = Signal()

    def __init__(self, queue: RunQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields = SettingsForm(StressTestSettings())
        self.schedules = ScheduleChoice(queue, self, "A schedule to test")
        self._project: Project | None = None
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        form.addRow("Schedule", self.schedules.box)
        self.fields.add_rows(form, units=True)
        for part in (self.fields, self.schedules):
            part.changed.connect(self.changed)

    def show_project(self, project: Project) -> None:
        """Use the scenarios of ``project``. Typed settings stay, unless the set has a new seed."""
        shown, stress = self.fields.value(), project.stress
        seed = shown.stress.seed if self._project is not None and self._project.stress.seed == stress.seed else None
        self._project = project
        stress = stress if seed is None else replace(stress, seed=seed)
        if stress != shown.stress:
            self.fields.set_value(replace(shown, stress=stress))

    def set_settings(self, settings: StressTestSettings) -> None:
        """Show other settings; the scenarios stay those of the project."""
        scenarios = self.fields.value().stress.scenarios
        self.fields.set_value(replace(settings, stress=replace(settings.stress, scenarios=scenarios)))

    def request(self) -> StressRequest:
        """Return the request for the test. Raises :class:`InputError` with all its problems."""
        problems, settings, file = Problems(), self.fields.value(), self.schedules.file
        if file is None:
            problems.add("schedule", "the project has no plan yet", "start a plan, or choose a file")
        if self._project is not None:
            problems.extend(settings.problems(self._project.scenario.steps_per_day))
        problems.raise_if_any("The stress test cannot be made")
        assert file is not None
        return StressRequest(settings, file)

    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong with the entries."""
        return problems_of(self.request)

"""Dialog for a replanning: start day, fire and search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QFormLayout,
    QWidget,
)  # fmt: skip

from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.gui.base.dialogs import Dialog, show_problems
from firegui.gui.base.layouts import plain_label, vertical
from firegui.gui.base.number_text import duration
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.tasks import wait_for
from firegui.gui.base.theme import set_role
from firegui.gui.widgets.fields import NoScrollComboBox, PathField
from firegui.gui.widgets.settings_form import SettingsForm
from firegui.runs.run_requests import replan_spec, with_optimizer
from firegui.runs.spec import ReplanSpec

_OWN, _FILE = "own", "file"
_KINDS = "Perimeters (*.tif *.tiff *.npz *.geojson *.json *.gpkg *.shp *.kml *.kmz);;All files (*)"
_HELP = (
    "What was flown before the day is kept. What is new since the day before burns, the rest has burned out, and the "
    "remaining days are planned again from the rest of the old plan: drops are placed, then those are removed that the "
    "limit does not need."
)
_LOOP_HELP = (
    "A fire is drawn from the model. Every day from this one on it is observed, the rest is replanned, and a day is "
    "flown, beside the fixed plan and no drops. It takes one replanning for each remaining day."
)
_SEARCH = ("epochs", "patience", "seed")


@dataclass(frozen=True, slots=True)
class ReplanSource:
    """Plan whose rest is planned again: name, file of the plan, and the seconds that its run took."""

    title: str
    file: Path
    took_s: float | None = None


class ReplanDialog(Dialog):
    """Dialog for the settings of a replanning.

    Invalid input is listed at once and the dialog stays open.
    """

    def __init__(
        self, project: Project, project_folder: Path, out: Path, plan: ReplanSource, backend: str,
        parent: QWidget | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.setWindowTitle("Replan")
        self._project, self._folder, self._out, self._backend = project, project_folder, out, backend
        self._plan = plan
        self.spec: ReplanSpec | None = None
        self.day, self.source = NoScrollComboBox(), NoScrollComboBox()
        self.day.setToolTip("First day that is planned again")
        self.source.setToolTip("Where the observed fire of that day comes from")
        self.file = PathField("observed", "GeoTIFF, npz mask or polygons of what has burned", files=_KINDS)
        self.loop = QCheckBox("Closed loop: simulate it on a fire drawn at random")
        self.about = plain_label(wordWrap=True)
        self.search = SettingsForm(project.plan.optimizer, only=_SEARCH)
        self._lay_out()
        self._on_change()

    def accept(self) -> None:
        """Read the form, and close it if the settings are valid."""
        project, day = with_optimizer(self._project, self.search.value()), self.day.currentData()
        closed = self.loop.isChecked()
        observed = self.file.path if not closed and self.source.currentData() == _FILE else None
        try:
            self.spec = wait_for(
                self,
                "Reading the perimeter…",
                lambda: replan_spec(
                    project, self._folder, self._out, self._plan.file, day, observed_file=observed, closed_loop=closed,
                    backend=self._backend,
                ),
            )  # fmt: skip
        except InputError as error:
            show_problems(self, error)
            return
        super().accept()

    # -- putting together --------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        calendar = self._project.calendar
        for day in range(1, calendar.days):
            self.day.addItem(calendar.day_title(day), day)
        self.source.addItem("The project's perimeter of that day", _OWN)
        self.source.addItem("A file", _FILE)
        self.loop.setToolTip(tooltip(_LOOP_HELP))
        self.about.setProperty("role", "muted")
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow("Plan", plain_label(self._plan.title))
        for text, box in (("&From", self.day), ("", self.loop), ("&Observed", self.source), ("", self.file)):
            form.addRow(text, box)
        self.search.add_rows(form, _SEARCH)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.go = buttons.addButton("Replan", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        vertical(self, form, self.about, buttons, least_width=560)
        # A button can be the default only once it is in the dialog; otherwise Enter would cancel.
        self.go.setDefault(True)
        for combo, name in ((self.day, "Day to plan from"), (self.source, "Where the observed fire comes from")):
            combo.setAccessibleName(name)
            combo.currentIndexChanged.connect(lambda _index: self._on_change())
        self.loop.toggled.connect(lambda _on: self._on_change())
        self.file.line.textChanged.connect(lambda _text: self._on_change())

    def _on_change(self) -> None:
        closed, day = self.loop.isChecked(), self.day.currentData()
        from_file = self.source.currentData() == _FILE
        self.source.setEnabled(not closed)
        self.file.setEnabled(not closed and from_file)
        said = _LOOP_HELP if closed else _HELP
        lacking = not closed and not from_file and not has_perimeter(self._project, day)
        if lacking:
            said = "⚠ The project has no perimeter of that day: choose a file with it, or the closed loop."
        set_role(self.about, "warning" if lacking else "muted")
        self.about.setText(said if lacking else f"{said} {self._estimate(day, closed=closed)}".strip())
        self.go.setEnabled(closed or (self.file.path is not None if from_file else not lacking))

    def _estimate(self, day: int, *, closed: bool) -> str:
        """Return about how long it takes, by the time that the whole plan took; empty if that is not known."""
        if not self._plan.took_s:
            return ""
        days = self._project.plan.days
        shares = [(days - each) / days for each in (range(day, days) if closed else (day,))]
        about = duration(self._plan.took_s * sum(shares))
        return f"Expect about {about}: the whole plan took {duration(self._plan.took_s)}."


def has_perimeter(project: Project, day: int) -> bool:
    """Return whether the project has an observed perimeter of its own on ``day`` of the plan."""
    event, event_day = project.scenario, project.plan.start_day + day
    return event.observed_on(event_day) is not None and not event.is_filled_forward(event_day)

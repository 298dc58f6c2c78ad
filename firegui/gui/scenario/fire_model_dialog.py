"""Choice of the project's fire model, with the settings of the physical one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from firegui.domain.physical import PhysicalSettings
from firegui.domain.project import KINDS, Project
from firegui.fire.first_project import with_model
from firegui.fire.physical import fuel_problems, with_physical_model
from firegui.gui.base.dialogs import Dialog
from firegui.gui.base.layouts import column, group_box, labelled, muted_label, vertical
from firegui.gui.base.tasks import wait_for
from firegui.gui.session.reporting import problems_of, refusing
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import choice_combo
from firegui.gui.widgets.settings_form import SettingsForm

_TITLES: Mapping[str, str] = {
    "network": "Network", "scalar": "Constant parameters", "physical": "Physical (Rothermel)", "maps": "Imported maps",
}  # fmt: skip
_ABOUT: Mapping[str, str] = {
    "network": "The shipped network. It was trained on one fire and reads no fuel moisture. For other weights, use "
    "Load weights… in the Scenario panel.",
    "scalar": "One number in place of each map of the network: the reference that the network must beat.",
    "physical": "Published equations of surface fire on the event's fuel models, with wind, slope, canopy and the "
    "moistures below. Crown fire and spotting are left out. The steps of a day follow from the fastest fire.",
    "maps": "The maps that the project was imported with.",
}
_WIDTH = 460


@dataclass(frozen=True, slots=True)
class FireModelChoice:
    """Kind of a fire model; ``physical`` are the settings of the physical one."""

    kind: str
    physical: PhysicalSettings | None = None

    def on(self, project: Project) -> Project:
        """Return ``project`` with this fire model.

        Raises :class:`~firegui.errors.InputError` where the event lacks what the model needs.
        """
        if self.physical is not None:
            return with_physical_model(project, self.physical)
        return with_model(project, self.kind)


class FireModelDialog(Dialog):
    """Chooses a fire model. Nothing changes before OK; it is disabled where the model cannot be used."""

    def __init__(self, project: Project, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Fire model")
        self._before = choice_of(project)
        self._lacking = tuple(map(str, fuel_problems(project.scenario)))
        self.kind = choice_combo("Fire model", "fire_model")
        for kind in KINDS:
            if kind != "maps" or project.maps is not None:
                self.kind.addItem(_TITLES[kind], kind)
        self.about, self.trouble = muted_label(), muted_label(role="warning")
        for text in (self.about, self.trouble):
            text.setWordWrap(True)
        self.form = SettingsForm(self._before.physical or PhysicalSettings())
        moistures, others = self.form.names("moisture"), self.form.names()
        self.settings = column(
            group_box("Fuel moisture", self.form.grid(moistures, units=True)),
            group_box("Fire and time", self.form.grid(others, units=True)),
            spacing=8,
        )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self.ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        label = labelled("Fire model", self.kind)
        vertical(self, label, self.kind, self.about, self.trouble, self.settings, 1, buttons, least_width=_WIDTH)
        self.kind.setCurrentIndex(self.kind.findData(self._before.kind))
        self.kind.currentIndexChanged.connect(self._show_kind)
        self._show_kind()

    @property
    def choice(self) -> FireModelChoice | None:
        """The chosen model; ``None`` if it is that of the project."""
        kind = str(self.kind.currentData())
        chosen = FireModelChoice(kind, self.form.value() if kind == "physical" else None)
        return None if chosen == self._before else chosen

    def _show_kind(self) -> None:
        kind = str(self.kind.currentData())
        is_physical = kind == "physical"
        self.about.setText(_ABOUT[kind])
        self.trouble.setText("\n".join(self._lacking))
        self.trouble.setVisible(is_physical and bool(self._lacking))
        self.settings.setVisible(is_physical)
        self.form.set_enabled(not self._lacking)
        self.ok.setEnabled(not (is_physical and self._lacking))
        self.adjustSize()


def choice_of(project: Project) -> FireModelChoice:
    """Return the project's fire model as a choice; damaged settings become the first ones."""
    model = project.fire_model
    if model.kind != "physical":
        return FireModelChoice(model.kind)
    is_damaged = problems_of(lambda: model.physical)
    return FireModelChoice("physical", PhysicalSettings() if is_damaged else model.physical)


def choose_fire_model(session: Session, window: QWidget) -> None:
    """Let the user choose the fire model of the open project, as one undoable step.

    A model that cannot be used is refused.
    """
    if not session.has_project:
        return
    project = session.project
    dialog = FireModelDialog(project, window)
    choice = dialog.choice if dialog.exec() == QDialog.DialogCode.Accepted else None
    dialog.deleteLater()
    if choice is None:
        return
    with refusing(session, "the fire model"):
        changed = wait_for(window, "Computing the speed of the fire…", lambda: choice.on(project))
        session.edit("choose the fire model", changed)
        session.message.emit(f"The fire model is {changed.fire_model.label}.")

"""Choice of the project's fire model, with the settings of the physical one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QPushButton, QWidget

from firegui.domain.fuel_models import FuelModel, labels_text
from firegui.domain.physical import CROWN_FIRE, PhysicalSettings
from firegui.domain.project import KINDS, Project
from firegui.domain.scenario import LAYERS, Scenario
from firegui.domain.spread_factors import SpreadFactors
from firegui.errors import InputError
from firegui.fire.first_project import with_model
from firegui.fire.landscape import missing_crown_layers
from firegui.fire.physical import fuel_problems, with_physical_model
from firegui.gui.base.dialogs import Dialog, show_problems
from firegui.gui.base.layouts import column, group_box, horizontal, labelled, muted_label, plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.screen_geometry import resize_on_screen
from firegui.gui.base.tasks import wait_for
from firegui.gui.session.reporting import problems_of, refusing
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import FUEL_MODEL_FILES, choice_combo
from firegui.gui.widgets.settings_form import SettingsForm
from firegui.io.fuel_models_file import read_fuel_models

_TITLES: Mapping[str, str] = {
    "network": "Network", "scalar": "Constant parameters", "physical": "Physical (Rothermel)", "maps": "Imported maps",
}  # fmt: skip
_ABOUT: Mapping[str, str] = {
    "network": "The shipped network. It was trained on one fire and reads no fuel moisture. For other weights, use "
    "Load weights… in the Scenario panel.",
    "scalar": "One number in place of each map of the network: the reference that the network must beat.",
    "physical": "Published equations of surface fire on the event's fuel models, with wind, slope, canopy and the "
    "moistures below. Crown fire is an option. Spotting is not modelled. The steps of a day follow from the fastest "
    "fire. Calibrate fits the factors below to observed perimeters.",
    "maps": "The maps that the project was imported with.",
}
_WIDTH = 600
_MOST_NAMES = 3
"""Custom fuel models that are named."""


@dataclass(frozen=True, slots=True)
class FireModelChoice:
    """Kind of a fire model.

    ``physical`` and ``fuels`` are settings and custom fuel models of the physical one.
    """

    kind: str
    physical: PhysicalSettings | None = None
    fuels: tuple[FuelModel, ...] = ()

    def on(self, project: Project) -> Project:
        """Return ``project`` with this fire model.

        Raises :class:`~firegui.errors.InputError` where the event lacks what the model needs.
        """
        if self.physical is not None:
            return with_physical_model(project, self.physical, fuels=self.fuels)
        return with_model(project, self.kind)


class FireModelDialog(Dialog):
    """Chooses a fire model. Nothing changes before OK; it is disabled where the model cannot be used."""

    def __init__(self, project: Project, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Fire model")
        self._before = choice_of(project)
        self._scenario, self._fuels = project.scenario, project.fire_model.fuels
        self._lacking = _lacking(self._scenario, self._fuels)
        crowns = " and ".join(LAYERS[key][0].lower() for key in missing_crown_layers(project.scenario))
        self._crowns = f" The event has no {crowns}: no crowns burn." if crowns else ""
        self.kind = choice_combo("Fire model", "fire_model")
        for kind in KINDS:
            if kind != "maps" or project.maps is not None:
                self.kind.addItem(_TITLES[kind], kind)
        self.about, self.trouble = muted_label(), muted_label(role="warning")
        for text in (self.about, self.trouble):
            text.setWordWrap(True)
        self.form = SettingsForm(self._before.physical or project.first_physical)
        self.fuels, self.load = plain_label(wordWrap=True), QPushButton("Fuel &models…", autoDefault=False)
        self.fuels.setAccessibleName("Fuel models")
        self.load.setToolTip(tooltip("Use custom fuel models from a file of FARSITE or FlamMap (.fmd)"))
        self.load.clicked.connect(lambda _checked=False: self._load_fuels())
        self.remove = QPushButton("&Remove", autoDefault=False)
        self.remove.setToolTip(tooltip("Remove the custom fuel models and use the standard ones alone"))
        self.remove.clicked.connect(lambda _checked=False: self._use_fuels(()))
        self.reset = QPushButton("R&eset", autoDefault=False)
        self.reset.setToolTip(tooltip("Set every factor back: the published model"))
        self.reset.clicked.connect(lambda _checked=False: self._reset_factors())
        factors = self.form.grid(self.form.names("factors"), 3, units=True)
        factors.addWidget(self.reset, factors.rowCount() - 1, 5)
        moistures, others = self.form.names("moisture"), self.form.names(group="")
        self.settings = column(
            group_box("Fuel models", horizontal(None, (self.fuels, 1), self.load, self.remove)),
            group_box("Fuel moisture", self.form.grid(moistures, 3, units=True)),
            group_box("Fire and time", self.form.grid(others, 4, units=True)),
            group_box(CROWN_FIRE, self.form.grid(self.form.names(group=CROWN_FIRE), 2, units=True)),
            group_box("Calibration: factors of the speed in each fuel and of the wind", factors),
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
        is_physical = kind == "physical"
        chosen = FireModelChoice(kind, self.form.value(), self._fuels) if is_physical else FireModelChoice(kind)
        return None if chosen == self._before else chosen

    def _load_fuels(self) -> None:
        """Let the user choose a file of custom fuel models; one that cannot be used changes nothing."""
        name, _filter = QFileDialog.getOpenFileName(self, "Load fuel models", "", FUEL_MODEL_FILES)
        if not name:
            return
        try:
            self._use_fuels(read_fuel_models(Path(name)))
        except InputError as error:
            show_problems(self, error)

    def _use_fuels(self, fuels: tuple[FuelModel, ...]) -> None:
        self._fuels, self._lacking = fuels, _lacking(self._scenario, fuels)
        self._show_kind()

    def _reset_factors(self) -> None:
        self.form.set_value(replace(self.form.value(), factors=SpreadFactors()))

    def _show_kind(self) -> None:
        kind = str(self.kind.currentData())
        is_physical = kind == "physical"
        self.about.setText(_ABOUT[kind] + (self._crowns if is_physical else ""))
        self.trouble.setText("\n".join(self._lacking))
        self.trouble.setVisible(is_physical and bool(self._lacking))
        self.fuels.setText(_fuels_text(self._fuels))
        self.remove.setEnabled(bool(self._fuels))
        self.settings.setVisible(is_physical)
        self.form.set_enabled(not self._lacking)
        self.ok.setEnabled(not (is_physical and self._lacking))
        layout = self.layout()
        assert layout is not None
        layout.activate()
        hint = layout.sizeHint()
        # A dialog that adjusts its own size takes at most two thirds of the screen, and presses the fields together.
        resize_on_screen(self, QSize(hint.width(), max(layout.totalHeightForWidth(hint.width()), hint.height())))


def _lacking(scenario: Scenario, fuels: Sequence[FuelModel]) -> tuple[str, ...]:
    """Return why the physical model cannot burn the fuel of the event; it looks at every cell."""
    return tuple(str(problem.for_window()) for problem in fuel_problems(scenario, fuels))


def _fuels_text(fuels: Sequence[FuelModel]) -> str:
    """Return how many custom models there are and which."""
    if not fuels:
        return "The standard ones: 13 and 40"
    return f"{len(fuels)} besides the standard ones: {labels_text(fuels, _MOST_NAMES)}"


def choice_of(project: Project) -> FireModelChoice:
    """Return the project's fire model as a choice; damaged settings become the first ones."""
    model = project.fire_model
    if model.kind != "physical":
        return FireModelChoice(model.kind)
    is_damaged = problems_of(lambda: model.physical)
    return FireModelChoice("physical", project.first_physical if is_damaged else model.physical, model.fuels)


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

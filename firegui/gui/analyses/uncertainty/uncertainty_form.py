"""What an ensemble is made of: the kind, the schedule, and the settings that belong to the kind."""

from __future__ import annotations

import math
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QFormLayout, QLabel, QWidget

from firegui.domain.options import limits_text
from firegui.domain.uncertainty import (
    KIND_TITLES,
    ErrorSource,
    ResidualMode,
    UncertaintyKind,
    UncertaintySettings,
    WeatherSpread,
)
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.widgets.number_fields import DecimalField, WholeField
from firegui.gui.widgets.plan_choices import narrow_combo
from firegui.gui.widgets.settings_paths import description_of
from firegui.runs.folder import kept_plan
from firegui.runs.requests import UncertaintyRequest
from firegui.runs.uncertainty_text import UNBURNED

_HELP = {
    UncertaintyKind.ALEATORIC: "Every cell's state is drawn at the end of every day.",
    UncertaintyKind.EPISTEMIC: f"The fire is disturbed by a correlated error of the fire model. {UNBURNED}.",
    UncertaintyKind.WEATHER: "The wind of a whole member is off. How far is a guess, not a fit.",
}
_SOURCES = {
    ErrorSource.FITTED: "fitted to the perimeters",
    ErrorSource.PAPER: "paper's Bear, approximate",
}
_MODES = {ResidualMode.CUMULATIVE: "cumulative", ResidualMode.INCREMENTAL: "incremental"}
_NONE, _BROWSE = "", "browse"
_FILES = "Schedules (*.safetensors *.csv);;All files (*)"
_BELONGS = {
    "keep": UncertaintyKind.ALEATORIC,
    "error": UncertaintyKind.EPISTEMIC,
    "mode": UncertaintyKind.EPISTEMIC,
    "softening": UncertaintyKind.EPISTEMIC,
    "threshold": UncertaintyKind.EPISTEMIC,
    "speed": UncertaintyKind.WEATHER,
    "direction": UncertaintyKind.WEATHER,
    "timing": UncertaintyKind.WEATHER,
}


class UncertaintyForm(QWidget):
    """See the module. The settings are the form's own; they are kept with the ensemble that comes of them."""

    changed = Signal()

    def __init__(self, queue: RunQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._queue = queue
        self._files: list[Path] = []
        self.kind, self.schedule = narrow_combo("Kind of uncertainty", "kind"), narrow_combo("Schedule", "schedule")
        self.error, self.mode = narrow_combo("Error model", "error"), narrow_combo("Residuals", "mode")
        self.members, self.seed = _whole("members"), _whole("seed")
        self.softening, self.threshold = _decimal("softening"), _decimal("threshold")
        spread = WeatherSpread()
        self.speed, self.timing = _decimal("speed_sd", spread), _decimal("timing_sd", spread, " h")
        self.direction = _degrees()
        self.keep = QCheckBox("Keep drawn states")
        self.about = QLabel(wordWrap=True)
        self.about.setProperty("role", "muted")
        self._lay_out()
        self.set_settings(UncertaintySettings())
        queue.changed.connect(self.offer_schedules)
        queue.shown_changed.connect(self._follow_shown)
        self.offer_schedules()
        self._follow_shown()

    # -- for others --------------------------------------------------------------------------------------------------
    @property
    def chosen_kind(self) -> UncertaintyKind:
        """What differs between members."""
        return UncertaintyKind(self.kind.currentData())

    @property
    def chosen_file(self) -> Path | None:
        """The schedule; ``None`` for fires without drops alone."""
        data = self.schedule.currentData()
        return Path(data) if isinstance(data, str) and data not in (_NONE, _BROWSE) else None

    def set_kind(self, kind: UncertaintyKind) -> None:
        """Choose a kind."""
        self.kind.setCurrentIndex(self.kind.findData(kind.value))

    def set_settings(self, settings: UncertaintySettings) -> None:
        """Show other settings."""
        wind = settings.weather
        parts: tuple[tuple[WholeField | DecimalField, float], ...] = (
            (self.members, settings.members), (self.seed, settings.seed), (self.softening, settings.softening),
            (self.threshold, settings.threshold), (self.speed, wind.speed_sd),
            (self.direction, round(math.degrees(wind.direction_sd), 9)), (self.timing, wind.timing_sd),
        )  # fmt: skip
        for box, value in parts:
            with QSignalBlocker(box):
                if isinstance(box, WholeField):
                    box.setValue(int(value))
                else:
                    box.setValue(value)
        for combo, name in ((self.error, settings.error.value), (self.mode, settings.mode.value)):
            with QSignalBlocker(combo):
                combo.setCurrentIndex(combo.findData(name))
        with QSignalBlocker(self.keep):
            self.keep.setChecked(settings.keep_members)
        with QSignalBlocker(self.kind):
            self.set_kind(settings.kind)
        self._show_rows()

    def settings(self) -> UncertaintySettings:
        """What the form asks for."""
        kind = self.chosen_kind
        weather = WeatherSpread(self.speed.value(), math.radians(self.direction.value()), self.timing.value())
        return UncertaintySettings(
            kind=kind, members=self.members.value(), seed=self.seed.value(), threshold=self.threshold.value(),
            keep_members=self.keep.isChecked() and kind is UncertaintyKind.ALEATORIC,
            error=ErrorSource(self.error.currentData()), mode=ResidualMode(self.mode.currentData()),
            softening=self.softening.value(), weather=weather,
        )  # fmt: skip

    def request(self) -> UncertaintyRequest:
        """What the form asks for, with its schedule."""
        return UncertaintyRequest(self.settings(), self.chosen_file)

    def add_file(self, file: Path) -> None:
        """Offer a schedule file, and choose it."""
        if file not in self._files:
            self._files.append(file)
        self.offer_schedules()
        self.schedule.setCurrentIndex(self.schedule.findData(str(file)))
        self.changed.emit()

    # -- the schedules -----------------------------------------------------------------------------------------------
    def offer_schedules(self) -> None:
        """Offer the plans of the project's runs, the latest first, the files that were chosen, and none."""
        kept = ((entry, kept_plan(entry.folder)) for entry in reversed(self._queue.entries) if entry.is_over)
        offers = [(entry.title, str(file)) for entry, file in kept if file is not None and entry.project is not None]
        offers += [(file.name, str(file)) for file in self._files if str(file) not in dict(offers).values()]
        offers += [("none: no drops only", _NONE), ("File…", _BROWSE)]
        if offers == [(self.schedule.itemText(k), self.schedule.itemData(k)) for k in range(self.schedule.count())]:
            return
        chosen = self.schedule.currentData()
        with QSignalBlocker(self.schedule):
            self.schedule.clear()
            for title, file in offers:
                self.schedule.addItem(title, file)
            found = self.schedule.findData(chosen) if chosen else -1
            self.schedule.setCurrentIndex(found if found >= 0 else self._first())
        self.changed.emit()

    def _first(self) -> int:
        """The entry to fall back on: the shown run's plan, else the latest, else none."""
        shown = self._shown_index()
        return shown if shown >= 0 else 0

    def _shown_index(self) -> int:
        shown = self._queue.shown
        file = None if shown is None or not shown.is_over else kept_plan(shown.folder)
        return -1 if file is None else self.schedule.findData(str(file))

    def _follow_shown(self) -> None:
        index = self._shown_index()
        if index >= 0:
            self.schedule.setCurrentIndex(index)

    def _on_schedule(self, _index: int) -> None:
        if self.schedule.currentData() != _BROWSE:
            self.changed.emit()
            return
        with QSignalBlocker(self.schedule):
            self.schedule.setCurrentIndex(self._first())
        self.changed.emit()
        name, _filter = QFileDialog.getOpenFileName(self.window(), "A schedule to try", "", _FILES)
        if name:
            self.add_file(Path(name))

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        form = self._form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        for kind in UncertaintyKind:
            self.kind.addItem(KIND_TITLES[kind], kind.value)
        for source, text in _SOURCES.items():
            self.error.addItem(text, source.value)
        for mode, text in _MODES.items():
            self.mode.addItem(text, mode.value)
        for name in ("error", "mode"):
            getattr(self, name).setToolTip(description_of(UncertaintySettings(), (name,)).help)
        self.keep.setToolTip("Keep every member's drawn states in the folder too; this takes room")
        self._rows: dict[str, QWidget] = {}
        rows: tuple[tuple[str, str, QWidget], ...] = (
            ("kind", "Kind", self.kind), ("about", "", self.about), ("schedule", "Schedule", self.schedule),
            ("members", "Members", self.members), ("seed", "Seed", self.seed), ("keep", "", self.keep),
            ("error", "Error model", self.error), ("mode", "Residuals", self.mode),
            ("softening", "Softening ε", self.softening), ("threshold", "Threshold P", self.threshold),
            ("speed", "Speed, sd of log", self.speed), ("direction", "Direction, sd", self.direction),
            ("timing", "Timing, sd", self.timing),
        )  # fmt: skip
        for name, title, field in rows:
            if title:
                form.addRow(title, field)
                field.setAccessibleName(title)
            else:
                form.addRow(field)
            self._rows[name] = field
        for number in (self.members, self.seed):
            number.valueChanged.connect(self._on_edited)
        for decimal in (self.softening, self.threshold, self.speed, self.direction, self.timing):
            decimal.valueChanged.connect(self._on_edited)
        self.keep.toggled.connect(self._on_edited)
        for combo in (self.kind, self.error, self.mode):
            combo.currentIndexChanged.connect(self._on_choice)
        self.schedule.currentIndexChanged.connect(self._on_schedule)

    def _on_edited(self, _value: object) -> None:
        self.changed.emit()

    def _on_choice(self, _index: int) -> None:
        self._show_rows()

    def _show_rows(self) -> None:
        kind = self.chosen_kind
        self.about.setText(_HELP[kind])
        fitted = self.error.currentData() == ErrorSource.FITTED.value
        for name, owner in _BELONGS.items():
            self._form.setRowVisible(self._rows[name], kind is owner and (fitted or name != "softening"))
        self.changed.emit()


def _whole(name: str) -> WholeField:
    about = description_of(UncertaintySettings(), (name,))
    box = WholeField(about.low, about.high)
    box.setToolTip(about.tooltip())
    box.setObjectName(name)
    return box


def _decimal(name: str, owner: UncertaintySettings | WeatherSpread | None = None, suffix: str = "") -> DecimalField:
    about = description_of(owner or UncertaintySettings(), (name,))
    box = DecimalField(about.low, about.high)
    box.setToolTip(about.tooltip())
    box.setObjectName(name)
    box.setSuffix(suffix)
    return box


def _degrees() -> DecimalField:
    """The wind's direction in degrees, which the settings keep in radians."""
    about = description_of(WeatherSpread(), ("direction_sd",))
    box = DecimalField(0.0, 180.0)
    box.setToolTip(f"{about.help} (degrees)\n{limits_text(0.0, 180.0)}")
    box.setObjectName("direction_sd")
    box.setSuffix(" °")
    return box

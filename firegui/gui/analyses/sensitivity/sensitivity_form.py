"""What a robustness table is made of: the kind, the schedule, and the settings that belong to the kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QFileDialog, QFormLayout, QLabel, QLineEdit, QWidget

from firegui.domain.sensitivity import DESIGNS, KIND_TITLES, PAIRS, SCALES, SensitivityKind, SensitivitySettings
from firegui.domain.settings import Effectiveness, OptimizerSettings
from firegui.errors import InputError, Problem, Problems
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.widgets.number_fields import WholeField
from firegui.gui.widgets.plan_choices import narrow_combo
from firegui.gui.widgets.settings_paths import description_of
from firegui.runs.folder import kept_plan
from firegui.runs.requests import SensitivityRequest
from firegui.runs.sensitivity_text import pair_text

_HELP = {
    SensitivityKind.EFFECTIVENESS: "Scores the schedule as if suppressants worked better or worse.",
    SensitivityKind.POSE: "Scores the schedule with every drop displaced a little, several draws for each size.",
    SensitivityKind.DESIGN: (
        "Plans the project anew at every design effectiveness and scores each plan at nominal effectiveness. "
        "It takes as long as that many plans."
    ),
    SensitivityKind.RETARDANT_SIDE: "Scores the schedule with each reading of where retardant acts.",
}
_BROWSE = "browse"
_FILES = "Schedules (*.safetensors *.csv);;All files (*)"
_BELONGS = {
    "schedule": (SensitivityKind.EFFECTIVENESS, SensitivityKind.POSE, SensitivityKind.RETARDANT_SIDE),
    "pairs": (SensitivityKind.EFFECTIVENESS,),
    "scales": (SensitivityKind.POSE,),
    "draws": (SensitivityKind.POSE,),
    "designs": (SensitivityKind.DESIGN,),
    "epochs": (SensitivityKind.DESIGN,),
    "members": (SensitivityKind.DESIGN,),
    "seed": (SensitivityKind.POSE, SensitivityKind.DESIGN),
}


class SensitivityForm(QWidget):
    """See the module. The settings are the form's own; they are kept with the table that comes of them."""

    changed = Signal()

    def __init__(self, queue: RunQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._queue = queue
        self._files: list[Path] = []
        self.kind, self.schedule = narrow_combo("Kind of table", "kind"), narrow_combo("Schedule", "schedule")
        self.pairs, self.scales, self.designs = QLineEdit(), QLineEdit(), QLineEdit()
        self.draws, self.members, self.seed = (self._whole(name) for name in ("draws", "members", "seed"))
        about = description_of(OptimizerSettings(), ("epochs",))
        self.epochs = WholeField(about.low, about.high)
        self.epochs.setToolTip("Cap on the epochs of each plan of the sweep")
        self.about = QLabel(wordWrap=True)
        self.about.setProperty("role", "muted")
        self._lay_out()
        self.set_settings(SensitivitySettings(), OptimizerSettings().epochs)
        queue.changed.connect(self.offer_schedules)
        queue.shown_changed.connect(self._follow_shown)
        self.offer_schedules()

    # -- for others --------------------------------------------------------------------------------------------------
    @property
    def chosen_kind(self) -> SensitivityKind:
        """The kind of table."""
        return SensitivityKind(self.kind.currentData())

    @property
    def chosen_file(self) -> Path | None:
        """The schedule that is varied."""
        data = self.schedule.currentData()
        return Path(data) if isinstance(data, str) and data != _BROWSE else None

    def set_kind(self, kind: SensitivityKind) -> None:
        """Choose a kind."""
        self.kind.setCurrentIndex(self.kind.findData(kind.value))

    def set_settings(self, settings: SensitivitySettings, epochs: int) -> None:
        """Show other settings."""
        self.pairs.setText(", ".join(map(pair_text, settings.pairs)))
        self.designs.setText(", ".join(map(pair_text, settings.designs)))
        self.scales.setText(", ".join(f"{scale:g}" for scale in settings.scales))
        for line in (self.pairs, self.designs, self.scales):
            line.setCursorPosition(0)
        for box, value in (
            (self.draws, settings.draws), (self.members, settings.members), (self.seed, settings.seed),
            (self.epochs, epochs),
        ):  # fmt: skip
            with QSignalBlocker(box):
                box.setValue(value)
        self.changed.emit()

    def request(self) -> SensitivityRequest:
        """What the form asks for. Raises :class:`InputError` with everything that is wrong with it."""
        problems, kind = Problems(), self.chosen_kind
        pairs = _listed(self.pairs.text(), "effectiveness", _pair, problems, kind is SensitivityKind.EFFECTIVENESS)
        designs = _listed(self.designs.text(), "design η", _pair, problems, kind is SensitivityKind.DESIGN)
        scales = _listed(self.scales.text(), "perturbations", float, problems, kind is SensitivityKind.POSE)
        settings = SensitivitySettings(
            pairs=pairs or PAIRS, scales=scales or SCALES, draws=self.draws.value(), designs=designs or DESIGNS,
            members=self.members.value(), seed=self.seed.value(),
        )  # fmt: skip
        file = self.chosen_file if kind in _BELONGS["schedule"] else None
        if kind in _BELONGS["schedule"] and file is None:
            problems.add("schedule", "none is chosen", "choose a run that kept a plan, or a file")
        if not problems:
            problems.extend(settings.problems(kind))
        problems.raise_if_any("The table cannot be made")
        return SensitivityRequest(kind, settings, self.epochs.value(), file)

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the entries."""
        try:
            self.request()
        except InputError as error:
            return error.problems
        return ()

    def add_file(self, file: Path) -> None:
        """Offer a schedule file, and choose it."""
        if file not in self._files:
            self._files.append(file)
        self.offer_schedules()
        self.schedule.setCurrentIndex(self.schedule.findData(str(file)))
        self.changed.emit()

    # -- the schedules -----------------------------------------------------------------------------------------------
    def offer_schedules(self) -> None:
        """Offer the plans of the project's runs, the latest first, and the files that were chosen."""
        kept = ((entry, kept_plan(entry.folder)) for entry in reversed(self._queue.entries) if entry.is_over)
        offers = [(entry.title, str(file)) for entry, file in kept if file is not None and entry.project is not None]
        offers += [(file.name, str(file)) for file in self._files]
        if offers != [(self.schedule.itemText(k), self.schedule.itemData(k)) for k in range(self.schedule.count() - 1)]:
            chosen = self.schedule.currentData()
            with QSignalBlocker(self.schedule):
                self.schedule.clear()
                for title, file in offers:
                    self.schedule.addItem(title, file)
                self.schedule.addItem("File…", _BROWSE)
                found = self.schedule.findData(chosen)
                self.schedule.setCurrentIndex(found if found >= 0 and chosen != _BROWSE else (0 if offers else -1))
            self.changed.emit()

    def _follow_shown(self) -> None:
        shown = self._queue.shown
        file = None if shown is None or not shown.is_over else kept_plan(shown.folder)
        index = -1 if file is None else self.schedule.findData(str(file))
        if index >= 0:
            self.schedule.setCurrentIndex(index)

    def _on_schedule(self, _index: int) -> None:
        if self.schedule.currentData() != _BROWSE:
            self.changed.emit()
            return
        with QSignalBlocker(self.schedule):
            self.schedule.setCurrentIndex(0 if self.schedule.count() > 1 else -1)
        name, _filter = QFileDialog.getOpenFileName(self.window(), "A schedule to vary", "", _FILES)
        if name:
            self.add_file(Path(name))

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        form = self._form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        for kind in SensitivityKind:
            self.kind.addItem(KIND_TITLES[kind], kind.value)
        pair = "pairs of retardant/water with commas between, such as 0.9/0.9, 0.85/0.8"
        for box, tip in (
            (self.pairs, f"Effectiveness to score at: {pair}"), (self.designs, f"Effectiveness to plan with: {pair}"),
            (self.scales, "Standard deviations of the noise on the pose logits, with commas between; 0 is no noise"),
        ):  # fmt: skip
            box.setToolTip(tip)
            box.setAccessibleDescription(tip)
            box.textChanged.connect(lambda _text: self.changed.emit())
        self._rows: dict[str, QWidget] = {}
        rows: tuple[tuple[str, str, QWidget], ...] = (
            ("kind", "Vary", self.kind), ("about", "", self.about), ("schedule", "Schedule", self.schedule),
            ("pairs", "Scored at η", self.pairs), ("scales", "Noise", self.scales), ("draws", "Draws", self.draws),
            ("designs", "Planned with η", self.designs), ("epochs", "Epochs, at most", self.epochs),
            ("members", "Sampled fires", self.members), ("seed", "Seed", self.seed),
        )  # fmt: skip
        for name, title, field in rows:
            if title:
                form.addRow(title, field)
                field.setAccessibleName(title)
            else:
                form.addRow(field)
            self._rows[name] = field
        for number in (self.draws, self.members, self.seed, self.epochs):
            number.valueChanged.connect(lambda _value: self.changed.emit())
        self.kind.currentIndexChanged.connect(lambda _index: self._on_kind())
        self.schedule.currentIndexChanged.connect(self._on_schedule)
        self._on_kind()

    def _on_kind(self) -> None:
        kind = self.chosen_kind
        self.about.setText(_HELP[kind])
        for name, kinds in _BELONGS.items():
            self._form.setRowVisible(self._rows[name], kind in kinds)
        self.changed.emit()

    @staticmethod
    def _whole(name: str) -> WholeField:
        about = description_of(SensitivitySettings(), (name,))
        box = WholeField(about.low, about.high)
        box.setToolTip(about.tooltip())
        box.setObjectName(name)
        return box


def _pair(text: str) -> Effectiveness:
    retardant, water = text.split("/")
    return Effectiveness(float(retardant), float(water))


def _listed(text: str, where: str, read: Callable[[str], Any], problems: Problems, counts: bool) -> tuple[Any, ...]:
    """The values between commas; what cannot be read is a problem where the list ``counts``."""
    values = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        try:
            values.append(read(part))
        except ValueError:
            if counts:
                problems.add(where, f"'{part}' cannot be read", "see the tooltip of the field")
    if counts and not text.strip(" ,"):
        problems.add(where, "is empty", "give at least one")
    return tuple(values)

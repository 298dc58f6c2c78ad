"""Form of a benchmark: planners, those run also at the matched allowance, and settings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFormLayout, QGridLayout, QWidget

from firegui.analyses.requests import BenchmarkRequest
from firegui.domain.benchmark import (
    LEVELS,
    PLANNERS,
    BenchmarkSettings,
    PlannerName,
)
from firegui.domain.settings import MORE
from firegui.domain.workers import WorkerSettings
from firegui.gui.analyses.benchmark.benchmark_controller import missing_package
from firegui.gui.base.layouts import labelled, muted_label, plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.widgets.fields import WholeField
from firegui.gui.widgets.settings_form import FoldedSection, SettingsForm

_ORDER = (PlannerName.TWO_STAGE, *(name for name in PlannerName if name is not PlannerName.TWO_STAGE))
_MOST_PROCESSES = 256
_MATCHED_TIP = "also once, with the first seed, at what the two-stage plan cost"
_MATCHED_LINE = "Same cost: also once at what the two-stage plan cost, so that both had the same effort."
_PROCESSES_TIP = "number of tasks that run at the same time, each in a process of one thread; 0 is one per core"


class BenchmarkForm(QWidget):
    """Form of a benchmark; its settings are saved with the benchmark."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.planners = {name: QCheckBox() for name in _ORDER}
        self.matched = {name: QCheckBox() for name in _ORDER if name not in LEVELS}
        self.fields = SettingsForm(BenchmarkSettings(), skip=("planners", "matched"))
        self.cluster = SettingsForm(WorkerSettings(), only=("scheduler",))
        self.processes = WholeField(0, _MOST_PROCESSES)
        self.processes.setToolTip(tooltip(_PROCESSES_TIP))
        self.processes.setObjectName("processes")
        self._lay_out()
        self.set_settings(BenchmarkSettings())

    # -- for others --------------------------------------------------------------------------------------------------
    def settings(self) -> BenchmarkSettings:
        """Return the settings in the fields."""
        return replace(self.fields.value(), planners=_ticked(self.planners), matched=_ticked(self.matched))

    def request(self) -> BenchmarkRequest:
        """Return the request for the benchmark."""
        scheduler = self.cluster.value().scheduler
        return BenchmarkRequest(self.settings(), self.processes.value(), scheduler=scheduler)

    def set_settings(self, settings: BenchmarkSettings) -> None:
        """Show other settings; a planner that cannot run here stays unticked."""
        self.fields.set_value(settings)
        for boxes, names in ((self.planners, settings.planners), (self.matched, settings.matched)):
            for name, box in boxes.items():
                with QSignalBlocker(box):
                    box.setChecked(name in names and box.isEnabledTo(self))
        self._on_edited()

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        vertical(self, self._numbers(), self._choices(), muted_label(_MATCHED_LINE), margins=0, spacing=8)

    def _numbers(self) -> QFormLayout:
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        self._from_plan = plain_label("0: the two-stage plan's drops")
        self._from_plan.setProperty("role", "muted")
        self.fields.add_rows(form, self.fields.names(group=""))
        form.addRow(self._from_plan)
        every_core = plain_label("0: one for every core")
        every_core.setProperty("role", "muted")
        more = QFormLayout()
        more.setVerticalSpacing(4)
        self.fields.add_rows(more, self.fields.names(group=MORE))
        more.addRow(labelled("Processes", self.processes), self.processes)
        more.addRow(every_core)
        self.cluster.add_rows(more)
        form.addRow(FoldedSection(MORE, more))
        self.processes.setAccessibleName("Processes")
        self.processes.valueChanged.connect(self._on_edited)
        for part in (self.fields, self.cluster):
            part.changed.connect(self._on_edited)
        return form

    def _choices(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(0, 1)
        for place, (text, tip) in enumerate((("Planners", ""), ("same cost", _MATCHED_TIP))):
            head = plain_label(text)
            head.setProperty("role", "muted" if place else "heading")
            head.setToolTip(tooltip(tip))
            grid.addWidget(head, 0, place, Qt.AlignmentFlag.AlignBottom)
        for row, name in enumerate(_ORDER, start=1):
            self._dress(self.planners[name], name, PLANNERS[name].short, PLANNERS[name].title)
            grid.addWidget(self.planners[name], row, 0)
            if name in self.matched:
                self._dress(self.matched[name], name, "", f"{PLANNERS[name].title}: {_MATCHED_TIP}")
                grid.addWidget(self.matched[name], row, 1, Qt.AlignmentFlag.AlignHCenter)
        return grid

    def _dress(self, box: QCheckBox, name: PlannerName, text: str, tip: str) -> None:
        package = missing_package(name)
        box.setEnabled(not package)
        if package:
            text, tip = f"{text} · needs {package}" if text else "", f"{tip}\nneeds {package}: pip install {package}"
        box.setText(text)
        box.setToolTip(tooltip(tip))
        box.setAccessibleName(tip.replace("\n", ", "))
        box.toggled.connect(self._on_edited)

    def _on_edited(self, _value: object = None) -> None:
        self._from_plan.setVisible(self.fields.box("budget").value() == 0)
        self.processes.setEnabled(not self.cluster.value().scheduler)
        self.changed.emit()


def _ticked(boxes: dict[PlannerName, QCheckBox]) -> tuple[PlannerName, ...]:
    """Return the ticked planners in the order of their names, in which the rows of a table are computed."""
    ticked: Iterable[PlannerName] = (name for name, box in boxes.items() if box.isChecked())
    return tuple(sorted(ticked, key=list(PlannerName).index))

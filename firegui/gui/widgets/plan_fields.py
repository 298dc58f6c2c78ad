"""Fields bound to one setting of the plan: they follow the session and edit it, one undoable step per visit."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QLabel

from firegui.domain.options import replaced_at, value_at
from firegui.domain.settings import PlanSettings
from firegui.gui.session.session import Session
from firegui.gui.widgets.number_fields import DecimalField, WholeField
from firegui.gui.widgets.settings_paths import Path, description_of

_MERGE_KEYS = count(1_000)

Change = Callable[[PlanSettings, float], PlanSettings]


class PlanField(QObject):
    """A spin box for the setting at ``path``, with title, unit, bounds and help from the settings themselves.

    ``change`` may replace the plain substitution, for a setting that takes others with it.
    """

    refused = Signal(str)
    """``title: what was refused and why``; empty when a good value has been given since."""

    def __init__(self, session: Session, path: Path, *, offset: int = 0, change: Change | None = None) -> None:
        super().__init__()
        plan = session.project.plan if session.has_project else PlanSettings()
        self._session, self._path = session, path
        self._change: Change = change or (lambda settings, value: replaced_at(settings, path, value))
        self._merge = next(_MERGE_KEYS)
        self.about = description_of(plan, path)
        self.box = self._make_box(isinstance(value_at(plan, path), int), offset)
        self.label = QLabel(self.about.field_label)
        self.label.setBuddy(self.box)
        self.label.setToolTip(self.box.toolTip())
        session.project_opened.connect(self._read)
        session.plan_changed.connect(self._read)
        self._read()

    def _make_box(self, whole: bool, offset: int) -> DecimalField | WholeField:
        about = self.about
        box: DecimalField | WholeField
        box = WholeField(about.low, about.high, offset) if whole else DecimalField(about.low, about.high)
        box.setToolTip(about.tooltip(offset))
        box.setAccessibleName(about.accessible_name)
        box.setAccessibleDescription(about.help)
        box.setObjectName("_".join(self._path))
        box.valueChanged.connect(self._write)
        box.editingFinished.connect(self._finish)
        box.refused.connect(lambda why: self.refused.emit(f"{about.title}: {why}"))
        return box

    def _read(self) -> None:
        if not self._session.has_project:
            return
        value = value_at(self._session.project.plan, self._path)
        if value != self.box.value():
            with QSignalBlocker(self.box):
                self.box.setValue(value)

    def _write(self, value: float) -> None:
        plan = self._session.project.plan
        changed = self._change(plan, value)
        if changed != plan:
            self.refused.emit("")
            self._session.set_plan(f"change {self.about.title.lower()}", changed, self._merge)

    def _finish(self) -> None:
        # What is typed on the next visit to this field is a step of its own.
        self._merge = next(_MERGE_KEYS)

"""Settings of the plan that are no numbers: a choice among a few words, and a yes or no."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel

from firegui.domain.options import replaced_at, value_at
from firegui.domain.settings import PlanSettings
from firegui.gui.session.session import Session
from firegui.gui.widgets.settings_paths import Path, description_of

Value = TypeVar("Value", bound=StrEnum)


class PlanCheck(QObject):
    """A check box for the yes or no at ``path``, with title and help from the settings themselves."""

    def __init__(self, session: Session, path: Path) -> None:
        super().__init__()
        self._session, self._path = session, path
        self.about = description_of(PlanSettings(), path)
        self.box = QCheckBox(self.about.title)
        self.box.setToolTip(self.about.help)
        self.box.setAccessibleDescription(self.about.help)
        self.box.setObjectName("_".join(path))
        self.box.toggled.connect(self._write)
        session.project_opened.connect(self._read)
        session.plan_changed.connect(self._read)
        self._read()

    def _read(self) -> None:
        if self._session.has_project:
            with QSignalBlocker(self.box):
                self.box.setChecked(value_at(self._session.project.plan, self._path))

    def _write(self, on: bool) -> None:
        changed = replaced_at(self._session.project.plan, self._path, on)
        self._session.set_plan(f"change {self.about.title.lower()}", changed)


class PlanChoice(QObject, Generic[Value]):
    """A list to choose from for the value at ``path``; ``titles`` are its values and what people read for them."""

    def __init__(self, session: Session, path: Path, title: str, help: str, titles: Mapping[Value, str]) -> None:
        super().__init__()
        self._session, self._path, self._title = session, path, title
        self._values = tuple(titles)
        self.box = narrow_combo(title, "_".join(path))
        self.box.setToolTip(help)
        for value, text in titles.items():
            self.box.addItem(text, value)
        self.label = QLabel(title)
        self.label.setBuddy(self.box)
        self.box.activated.connect(self.write)
        session.project_opened.connect(self.read)
        session.plan_changed.connect(self.read)
        self.read()

    def read(self) -> None:
        """Show what the plan says."""
        if self._session.has_project:
            with QSignalBlocker(self.box):
                self.box.setCurrentIndex(self._values.index(value_at(self._session.project.plan, self._path)))

    def write(self, index: int) -> None:
        """Give the plan the value of an entry, as one undoable step."""
        plan, value = self._session.project.plan, self._values[index]
        if value != value_at(plan, self._path):
            self._session.set_plan(f"change {self._title.lower()}", replaced_at(plan, self._path, value))


def narrow_combo(title: str, name: str) -> QComboBox:
    """A combo box whose longest entry does not dictate the width of the dock."""
    box = QComboBox()
    box.setAccessibleName(title)
    box.setToolTip(title)
    box.setObjectName(name)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(12)
    return box

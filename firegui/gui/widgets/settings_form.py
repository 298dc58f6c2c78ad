"""Fields for a settings dataclass that is not part of the project, made from what it says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QLabel, QWidget

from firegui.domain.options import Option
from firegui.gui.widgets.number_fields import DecimalField, WholeField
from firegui.gui.widgets.settings_paths import description_of

Settings = TypeVar("Settings")
Box = WholeField | DecimalField | QCheckBox


class SettingsForm(QObject, Generic[Settings]):
    """A field for every number and every yes or no of ``settings``; lay them out with :meth:`pairs`."""

    changed = Signal()
    """A person, or :meth:`set_value`, has changed a field."""
    refused = Signal(str)
    """``title: what was refused and why``; empty when a good value has been given since."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._about = {item.name: description_of(settings, (item.name,)) for item in fields(settings)}  # type: ignore[arg-type]
        self._boxes = {name: self._make(name, about) for name, about in self._about.items()}
        self.set_value(settings)

    def box(self, name: str) -> Box:
        """The field of a setting. Raises ``KeyError`` for another name."""
        return self._boxes[name]

    def pairs(self, names: Sequence[str]) -> list[tuple[QLabel, QWidget]]:
        """Label and field of each; the text of a yes or no stands beside its own box."""
        found: list[tuple[QLabel, QWidget]] = []
        for name in names:
            box = self._boxes[name]
            label = QLabel("" if isinstance(box, QCheckBox) else self._about[name].field_label)
            label.setToolTip(box.toolTip())
            found.append((label, box))
        return found

    def value(self) -> Settings:
        """The settings as they stand in the fields."""
        values: dict[str, Any] = {}
        for name, box in self._boxes.items():
            values[name] = box.isChecked() if isinstance(box, QCheckBox) else box.value()
        return replace(self._settings, **values)  # type: ignore[type-var]

    def set_value(self, settings: Settings) -> None:
        """Show other settings."""
        for name, box in self._boxes.items():
            value = getattr(settings, name)
            with QSignalBlocker(box):
                if isinstance(box, QCheckBox):
                    box.setChecked(value)
                else:
                    box.setValue(value)
        self.changed.emit()

    def set_enabled(self, enabled: bool) -> None:
        """Let the fields be changed, or not."""
        for box in self._boxes.values():
            box.setEnabled(enabled)

    def _make(self, name: str, about: Option) -> Box:
        value = getattr(self._settings, name)
        if isinstance(value, bool):
            check = QCheckBox(about.title)
            check.toggled.connect(lambda _checked: self._on_changed())
            _dress(check, name, about, about.help)
            return check
        box: WholeField | DecimalField
        box = WholeField(about.low, about.high) if isinstance(value, int) else DecimalField(about.low, about.high)
        box.valueChanged.connect(lambda _value: self._on_changed())
        box.refused.connect(lambda why: self.refused.emit(f"{about.title}: {why}"))
        _dress(box, name, about, about.tooltip())
        return box

    def _on_changed(self) -> None:
        self.refused.emit("")
        self.changed.emit()


def _dress(box: QWidget, name: str, about: Option, tip: str) -> None:
    box.setToolTip(tip)
    box.setAccessibleName(about.accessible_name)
    box.setAccessibleDescription(about.help)
    box.setObjectName(name)

"""The formats of an export to tick; those that a plan cannot be written in are grey and say why."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QWidget

from firegui.io.exporters import FORMATS

FIRST_CHOICE = ("csv", "geojson", "pdf", "ics220")


class FormatList(QWidget):
    """One box a format, with what it is for, or why it is refused, beside it."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.boxes: dict[str, QCheckBox] = {}
        self._notes: dict[str, QLabel] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for row, (name, kind) in enumerate(FORMATS.items()):
            box, note = QCheckBox(kind.title), QLabel(kind.use, wordWrap=True)
            box.setObjectName(f"format-{name}")
            box.setChecked(name in FIRST_CHOICE)
            box.toggled.connect(self.changed)
            note.setProperty("role", "muted")
            self.boxes[name], self._notes[name] = box, note
            grid.addWidget(box, row, 0)
            grid.addWidget(note, row, 1)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The formats that are ticked and can be written."""
        # Grey of its own, not because the whole list waits for something.
        return tuple(name for name, box in self.boxes.items() if box.isChecked() and box.isEnabledTo(self))

    def note(self, name: str) -> str:
        """What stands beside a format."""
        return self._notes[name].text()

    def refuse(self, reasons: Mapping[str, str]) -> None:
        """Grey the formats in ``reasons``; what was ticked there counts again once they can be written."""
        for name, box in self.boxes.items():
            reason = reasons.get(name, "")
            box.setEnabled(not reason)
            box.setToolTip(reason)
            self._notes[name].setText(reason or FORMATS[name].use)
        self.changed.emit()

"""Device in the status bar: the choice for the next run, the detected device, and a menu."""

from __future__ import annotations

import os

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from firegui.gui.base.plain_text import tooltip
from firegui.gui.session.session import Session
from firegui.runs.engine import CPU_NAME

BACKENDS = {
    "auto": "Automatic (best available)",
    "cpu": "This computer (CPU)",
    "cuda": "NVIDIA GPU",
    "reference": "Plain reference (slow)",
}
_SHORT = {"auto": "automatic", "cpu": "this computer", "cuda": "NVIDIA GPU", "reference": "plain reference, slow"}
_HELP = "Device of the next run. Click to choose; saved on this computer, not in the project."


class DeviceButton(QToolButton):
    """Menu of devices. It never loads the engine: a run reports the device when it starts."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._is_short = False
        self.setObjectName("device")
        self.setAutoRaise(True)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu, group = QMenu(self), QActionGroup(self)
        self._choices: dict[str, QAction] = {}
        for name, title in BACKENDS.items():
            action = self._choices[name] = menu.addAction(title)
            action.setCheckable(True)
            group.addAction(action)
            action.triggered.connect(lambda _checked=False, name=name: session.set_backend(name))
        self.setMenu(menu)
        session.backend_changed.connect(self._show)
        session.device_changed.connect(self._show)
        self._show()

    def set_short(self, on: bool) -> None:
        """Show the choice only; the tooltip has the detected device."""
        self._is_short = on
        self._show()

    def width_of(self, *, short: bool) -> int:
        """Return the width that the button would have."""
        shown = self.fontMetrics().horizontalAdvance(self.text())
        return self.sizeHint().width() - shown + self.fontMetrics().horizontalAdvance(self._text(short=short))

    def _text(self, *, short: bool) -> str:
        return device_text(self._session.backend, "" if short else self._session.device)

    def _show(self) -> None:
        text = self._text(short=False)
        self.setText(self._text(short=self._is_short))
        self.setAccessibleName(text)
        self.setToolTip(tooltip(f"{text}\n{_HELP}"))
        choice = self._choices.get(self._session.backend)
        if choice is not None:
            choice.setChecked(True)


def device_text(backend: str, device: str) -> str:
    """Return the choice, with the detected ``device`` in brackets; ``device`` is empty before a run."""
    chosen = f"Device: {_SHORT.get(backend, backend)}"
    if device == CPU_NAME:
        cores = os.cpu_count() or 1
        device = f"this computer's CPU, {cores} core{'' if cores == 1 else 's'}"
    return f"{chosen} ({device})" if device else chosen

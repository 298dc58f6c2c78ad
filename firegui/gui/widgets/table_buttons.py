"""Row of small buttons below a table."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QToolButton, QWidget

from firegui.gui.base.flow_layout import FlowLayout
from firegui.gui.base.icons import icon
from firegui.gui.base.plain_text import tooltip
from firegui.gui.widgets.fields import commit_editing


class ButtonRow(QWidget):
    """Buttons with an icon if there is one; tooltip and accessible name have the text. A narrow row wraps."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = FlowLayout(self)
        self._buttons: dict[str, QToolButton] = {}

    def add(
        self, name: str, text: str, help: str, pressed: Callable[[], object], *, show_text: bool = False,
        is_primary: bool = False,
    ) -> QToolButton:  # fmt: skip
        """Append a button that calls ``pressed``; ``name`` names its icon.

        A primary one is green below a panel.
        """
        button = QToolButton()
        button.setText(text)
        button.setAutoRaise(True)
        button.setObjectName(f"{name}Button")
        button.setToolTip(tooltip(help))
        button.setAccessibleName(text)
        button.setIconSize(QSize(18, 18))
        button.setProperty("showText", show_text)
        button.setProperty("role", "primary" if is_primary else "")

        def clicked(_checked: bool = False) -> None:
            # A click leaves the focus in place, so a half-typed cell is applied, as with every action.
            commit_editing()
            pressed()

        button.clicked.connect(clicked)
        self._buttons[name] = button
        self._row.addWidget(button)
        self._dress(name, button)
        return button

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            for name, button in self._buttons.items():
                self._dress(name, button)

    @staticmethod
    def _dress(name: str, button: QToolButton) -> None:
        picture = icon(name, "white" if button.property("role") == "primary" else None)
        button.setIcon(picture)
        style = Qt.ToolButtonStyle
        with_text = style.ToolButtonTextBesideIcon if button.property("showText") else style.ToolButtonIconOnly
        button.setToolButtonStyle(style.ToolButtonTextOnly if picture.isNull() else with_text)

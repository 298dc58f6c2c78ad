"""Widgets that are built when they are needed for the first time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from firegui.gui.base.layouts import vertical


class LazyWidget(QWidget):
    """Empty widget that calls ``build`` when it is first shown, before it is painted.

    ``build`` calls :meth:`put` with the content. Several widgets may share one ``build`` that fills all of them.
    """

    filled = Signal()
    """The content was put in."""

    def __init__(self, build: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._build = build
        self.is_filled = False
        self._column = vertical(self, margins=0, spacing=0)

    def build(self) -> None:
        """Build the content now, unless it is there."""
        if not self.is_filled:
            self._build()

    def put(self, content: QWidget) -> None:
        """Show ``content`` in the whole of this widget."""
        self.is_filled = True
        self._column.addWidget(content)
        if content.focusProxy() is not None:
            self.setFocusProxy(content)
        # Qt itself would show a new child of a visible widget one turn of the event loop later.
        content.show()
        # All layouts around must know the new size at once: the side panel scrolls to it before the next turn.
        widget: QWidget | None = self
        while widget is not None and not widget.isWindow():
            widget.updateGeometry()
            widget = widget.parentWidget()
        self.filled.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """Build the content."""
        super().showEvent(event)
        self.build()


class LazyPanels(Mapping[str, QWidget]):
    """Panels by name, each built at the first access."""

    def __init__(self) -> None:
        self._makers: dict[str, Callable[[], QWidget]] = {}
        self._built: dict[str, QWidget] = {}

    def add(self, name: str, make: Callable[[], QWidget]) -> None:
        """Add a panel that ``make`` will build."""
        self._makers[name] = make

    def keep(self, name: str, panel: QWidget) -> None:
        """Add a panel that is built already."""
        self._built[name] = panel

    def is_built(self, name: str) -> bool:
        """Return whether a panel is built."""
        return name in self._built

    def __getitem__(self, name: str) -> QWidget:
        """Return a panel. Raises ``KeyError`` for another name."""
        if name not in self._built:
            self._built[name] = self._makers[name]()
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._built | self._makers)

    def __len__(self) -> int:
        return len(self._built | self._makers)

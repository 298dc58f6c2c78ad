"""Notice over the map: a region was drawn that plans do not protect."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent, Qt
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from firegui.fire.project_notes import Remedy, settled, unprotected_text
from firegui.gui.base.controls import close_button
from firegui.gui.base.layouts import horizontal, plain_label
from firegui.gui.session.session import Session


class RegionNotice(QFrame):
    """Card that offers to protect regions that were added without a weight in the objective.

    It goes when they are protected or deleted, or when it is closed.
    """

    changed = Signal()
    """It was shown, hidden, or has another text."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("overlayCard")
        self._session = session
        self._known: frozenset[str] = frozenset()
        self._named: tuple[str, ...] = ()
        self.text = plain_label()
        self.button = QPushButton("Protect it")
        self.button.setToolTip("Change the goal: keep the fire out of the protected regions")
        self.button.clicked.connect(lambda _checked=False: self._protect())
        self._close = close_button("this notice", "Esc", self._dismiss)
        horizontal(self, self.text, self.button, self._close, margins=(10, 6, 6, 6), spacing=10)
        self.hide()
        session.project_opened.connect(self._open)
        for signal in (session.regions_changed, session.plan_changed):
            signal.connect(self._follow)
        self._open()

    def tell_all(self) -> None:
        """Name every region that plans do not protect."""
        self._named = self._session.project.unprotected_regions
        self._show()

    def _open(self) -> None:
        self._known, self._named = self._names(), ()
        self._show()

    def _names(self) -> frozenset[str]:
        if not self._session.has_project:
            return frozenset()
        return frozenset(region.name for region in self._session.project.regions)

    def _follow(self) -> None:
        names, unprotected = self._names(), self._session.project.unprotected_regions
        # A renamed region is not a new one.
        added = names - self._known if len(names) > len(self._known) else frozenset()
        self._named = tuple(name for name in unprotected if name in added or name in self._named)
        self._known = names
        self._show()

    def _show(self) -> None:
        if self._named:
            self.text.setText(unprotected_text(self._named))
            self.setAccessibleName(self.text.text())
            self.button.setText("Protect it" if len(self._named) == 1 else "Protect them")
        self.setVisible(bool(self._named))
        self.changed.emit()

    def _protect(self) -> None:
        project = settled(self._session.project, Remedy.PROTECT)
        self._session.edit("protect the regions", project)
        self._session.message.emit("The goal of plans is now to keep the fire out of the protected regions.")

    def _dismiss(self) -> None:
        self._named = ()
        self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self._dismiss()
        else:
            super().keyPressEvent(event)

"""Notice over the map: a region was drawn that plans do not protect, or something was deleted."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent, Qt
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from firegui.domain.regions import Region
from firegui.fire.project_notes import Remedy, settled, unprotected_text
from firegui.gui.base.controls import close_button
from firegui.gui.base.layouts import horizontal, plain_label
from firegui.gui.session.session import Session

_PROTECT_TIP = "Change the goal: keep the fire out of the protected regions"


class RegionNotice(QFrame):
    """Card that offers to protect drawn regions that no plan protects, or to undo a deletion.

    It goes when they are protected or deleted, with the next edit after a deletion, or when it is closed.
    """

    changed = Signal()
    """It was shown, hidden, or has another text."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("overlayCard")
        self._session = session
        self._known: set[Region] = set()
        self._count = 0
        self._named: tuple[str, ...] = ()
        self._deleted, self._deleted_at = "", -1
        self.text = plain_label()
        self.button = QPushButton("Protect it")
        self.button.setToolTip(_PROTECT_TIP)
        self.button.clicked.connect(lambda _checked=False: session.undo() if self._deleted else self._protect())
        self._close = close_button("this notice", "Esc", self._dismiss)
        horizontal(self, self.text, self.button, self._close, margins=(10, 6, 6, 6), spacing=10)
        self.hide()
        session.project_opened.connect(self._open)
        for signal in (session.regions_changed, session.plan_changed):
            signal.connect(self._follow)
        session.deleted.connect(self._on_deleted)
        session.undo_stack.indexChanged.connect(self._on_edit)
        self._open()

    def tell_all(self) -> None:
        """Name every region that plans do not protect."""
        self._named = self._session.project.unprotected_regions
        self._show()

    def _open(self) -> None:
        self._known, self._count = set(self._regions), len(self._regions)
        self._named, self._deleted = (), ""
        self._show()

    def _on_deleted(self, text: str) -> None:
        self._deleted, self._deleted_at = text, self._session.undo_stack.index()
        self._show()

    def _on_edit(self, index: int) -> None:
        if self._deleted and index != self._deleted_at:
            self._deleted = ""
            self._show()

    @property
    def _regions(self) -> tuple[Region, ...]:
        return self._session.project.regions if self._session.has_project else ()

    def _follow(self) -> None:
        regions, unprotected = self._regions, self._session.project.unprotected_regions
        # A renamed region is not a new one, nor is one that undo brings back.
        has_new = len(regions) > self._count
        added = {region.name for region in regions if has_new and region not in self._known}
        self._named = tuple(name for name in unprotected if name in added or name in self._named)
        self._known.update(regions)
        self._count = len(regions)
        self._show()

    def _show(self) -> None:
        if self._deleted:
            self.button.setToolTip("Bring it back (Ctrl+Z)")
            self._say(self._deleted, "Undo")
        elif self._named:
            button = "Protect it" if len(self._named) == 1 else "Protect them"
            self.button.setToolTip(_PROTECT_TIP)
            self._say(unprotected_text(self._named), button)
        self.setVisible(bool(self._deleted or self._named))
        self.changed.emit()

    def _say(self, text: str, button: str) -> None:
        self.text.setText(text)
        self.setAccessibleName(text)
        self.button.setText(button)

    def _protect(self) -> None:
        project = settled(self._session.project, Remedy.PROTECT)
        self._session.edit("protect the regions", project)
        self._session.message.emit("The goal of plans is now to keep the fire out of the protected regions.")

    def _dismiss(self) -> None:
        self._named, self._deleted = (), ""
        self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close on Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self._dismiss()
        else:
            super().keyPressEvent(event)

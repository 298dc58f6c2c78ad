"""Start panel: what to know before a plan is started, and the button that starts it."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from firegui.fire.project_notes import GradedNote, start_notes
from firegui.gui.base.layouts import muted_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import set_role
from firegui.gui.planning.plan_control import PlanControl
from firegui.gui.session.session import Session
from firegui.gui.widgets.note_list import NoteList

_NOTHING = "Nothing stands against a plan."
_AFTER = "the result then opens in Runs."
_STARTS = "Save the project and plan it; a plan waits for the run that is active (F5)"


class StartPanel(QWidget):
    """Graded notes on the open project above a button that starts a plan. They follow every edit."""

    def __init__(self, session: Session, plan: PlanControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._plan = session, plan
        self.notes = NoteList(session, _NOTHING)
        self.notes.setAccessibleName("Before you start")
        self.start_button = QPushButton("Start plan")
        self.start_button.clicked.connect(lambda _checked=False: plan.start())
        self.after = muted_label()
        """How long a plan takes, and where its result is."""
        vertical(self, self.notes, self.start_button, self.after, margins=(8, 4, 8, 4), spacing=4)
        for signal in (plan.checked, session.units_changed):
            signal.connect(self.refresh)
        session.result_changed.connect(self._on_result)
        self._unreached = session.unreached_regions
        # A run reports many times a second, which changes nothing of the project.
        plan.changed.connect(self._enable)
        self.refresh()

    def refresh(self) -> None:
        """Show the notes of the open project."""
        notes = tuple[GradedNote, ...]()
        if self._session.has_project:
            session = self._session
            notes = start_notes(session.project, session.units, self._plan.problems, session.unreached_regions)
        self.notes.show_notes(notes)
        self._enable()

    def _on_result(self) -> None:
        """Follow which regions the fire reaches; results come many times a second."""
        if self._session.unreached_regions != self._unreached:
            self._unreached = self._session.unreached_regions
            self.refresh()

    def _enable(self) -> None:
        takes = self._plan.time_text or "Takes minutes"
        self.after.setText(f"{takes}; {_AFTER}")
        self.start_button.setEnabled(self._plan.can_start)
        self.start_button.setToolTip(tooltip(self._plan.obstacle or _STARTS))
        self.start_button.setText(self._plan.start_text)
        set_role(self.start_button, "primary" if self._plan.starts_at_once else "")

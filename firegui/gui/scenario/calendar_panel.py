"""The calendar dock: on which days which aircraft type is grounded."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from firegui.domain.fleet import availability_cap
from firegui.gui.scenario.grounding_table import GroundingModel
from firegui.gui.scenario.grounding_view import GroundingView
from firegui.gui.session.session import Session


class CalendarPanel(QWidget):
    """See the module."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.model = GroundingModel(session, self)
        self.view = GroundingView(self.model)
        self._head = QLabel(wordWrap=True)
        self._footer = QLabel(wordWrap=True)
        hint = QLabel("Click or drag to ground (✕) or free; Space toggles the current cell.", wordWrap=True)
        for label in (self._footer, hint):
            label.setProperty("role", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.addWidget(self._head)
        column.addWidget(self.view, 1)
        column.addWidget(self._footer)
        column.addWidget(hint)
        for signal in (session.project_opened, session.fleet_changed, session.plan_changed):
            signal.connect(self._refresh)
        self._refresh()

    @property
    def footer(self) -> str:
        """The line under the grid."""
        return self._footer.text()

    def _refresh(self) -> None:
        if not self._session.has_project:
            self._head.setText("")
            self._footer.setText("")
            return
        project = self._session.project
        fleet, calendar = project.planned_fleet, project.calendar
        first, last = calendar.date_of_day(0), calendar.date_of_day(calendar.days - 1)
        span = f"{first.day} {first:%b %Y} – {last.day} {last:%b %Y}"
        self._head.setText(f"By day of the plan and local date, {span}")
        grounded = sum(kind.count * len(kind.grounded_days) for kind in fleet.types)
        total = fleet.n_aircraft * calendar.days
        self._footer.setText(
            f"{grounded:,} of {total:,} aircraft-days grounded · at most {availability_cap(fleet, calendar):,} drops"
        )

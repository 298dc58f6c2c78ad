"""The residuals that an error model was fitted to, day by day, beside fields that are drawn from it."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from firegui.errors import InputError
from firegui.gui.analyses.uncertainty.error_field_maps import ErrorMaps
from firegui.gui.analyses.uncertainty.uncertainty_controller import EnsembleResult, UncertaintyController
from firegui.gui.widgets.table_buttons import ButtonRow

_RESIDUALS = "Residuals"
_OF_PAPER = "The paper gives its numbers alone: there are no residuals of this fire behind them."
_GONE = "The residuals are not in the ensemble's folder any more."


class ErrorFields(QWidget):
    """Follows the desk; ``controls`` choose the day and draw again, for whoever has room for them.

    A field is what a member of the ensemble meets at the end of the chosen day. It is drawn in a thread of the desk's,
    and not before somebody looks.
    """

    def __init__(self, desk: UncertaintyController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._shown: EnsembleResult | None = None
        self._member = 0
        self.maps, self.day, self.controls = ErrorMaps(), QComboBox(), QWidget()
        self.day.setAccessibleName("Day of the residuals and of the drawn field")
        self.day.setToolTip("The day whose residuals and whose drawn field are shown")
        row = ButtonRow()
        again = "Show the field of another member: every member of the ensemble meets one like it at the end of a day"
        self.again = row.add("again", "Another draw", again, self.draw_another, show_text=True)
        line = QHBoxLayout(self.controls)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.day)
        line.addWidget(row)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.maps)
        self.day.currentIndexChanged.connect(self._on_day)
        desk.result_changed.connect(self._on_result)
        desk.field_changed.connect(self._show_field)
        self._on_result()

    @property
    def has_error(self) -> bool:
        """Whether there is an error model to show."""
        return self._shown is not None and self._shown.error is not None

    def draw_another(self) -> None:
        """Draw the field that the next member meets on the chosen day."""
        self._member += 1
        self._draw()

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the first field once somebody looks."""
        super().showEvent(event)
        self._draw_first()

    # -- what happens ------------------------------------------------------------------------------------------------
    def _on_result(self) -> None:
        before, self._shown = self._shown, self._desk.shown
        shown = self._shown
        if shown is None or shown.error is None:
            return
        known = before is not None and before.folder == shown.folder and before.error == shown.error
        if known and before is not None and before.residuals.days == shown.residuals.days:
            return
        self._member = 0
        days = shown.residuals.days or range(1, shown.project.plan.days + 1)
        with QSignalBlocker(self.day):
            self.day.clear()
            for day in days:
                self.day.addItem(f"End of day {day}", day)
        self.maps.set_error(shown.error)
        self._show_residuals()
        self._show_field()
        self._draw_first()

    def _on_day(self, _index: int) -> None:
        self._show_residuals()
        self._draw()

    def _draw_first(self) -> None:
        if self.isVisible() and self._desk.field is None and not self._desk.draws_field:
            self._draw()

    def _draw(self) -> None:
        if self.has_error and self.isVisible():
            self._desk.draw_field(self._member, self._chosen_day)

    @property
    def _chosen_day(self) -> int:
        return int(self.day.currentData() or 1)

    # -- what is shown -----------------------------------------------------------------------------------------------
    def _show_residuals(self) -> None:
        shown, day = self._shown, self._chosen_day
        if shown is None or shown.error is None:
            return
        if day not in shown.residuals.days:
            self.maps.show_no_residuals(_RESIDUALS, _GONE if shown.is_fitted else _OF_PAPER)
            return
        try:
            values = shown.residuals.of(day)
        except InputError as error:
            self.maps.show_no_residuals(_RESIDUALS, str(error.problems[0]))
            return
        self.maps.show_residuals(f"{_RESIDUALS}, end of day {day}", values)

    def _show_field(self) -> None:
        found, busy = self._desk.field, self._desk.draws_field
        if not self.has_error:
            return
        if found is None:
            self.maps.show_field("Drawing a field…" if busy else "", None)
            return
        spec = found.spec
        said = f"Draw: seed {spec.seed}, member {spec.member}, end of day {spec.day + 1}"
        self.maps.show_field("Drawing another…" if busy else said, found.field)

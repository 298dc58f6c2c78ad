"""The numbers of one drop: when, by whom, where and along which heading, checked while they are typed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QDateTime, QSignalBlocker, Qt, QTimeZone, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDateTimeEdit,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QVBoxLayout,
    QWidget,
)

from firegui.domain.drops import Drop
from firegui.gui.map.drop_card import signed
from firegui.gui.session.plan_editor import DropChange
from firegui.gui.session.session import Session
from firegui.gui.widgets.number_fields import DecimalField, WholeField
from firegui.io.georeference import Georeference, half_turn

_HUNDREDTHS = 100.0


class DropDialog(QDialog):
    """Fields that follow each other: step and time, row and column and easting and northing.

    Whatever is entered is wondered about at once, so that the map and its card show what it does; a drop that breaks a
    rule cannot be accepted, and the dialog says which.
    """

    accepted_change = Signal(object)
    """The :class:`Change` that was accepted."""

    def __init__(
        self, session: Session, title: str, drop: Drop, change_to: Callable[[Drop], DropChange], parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self._session, self._editor = session, session.plan_editor
        self._project, self._drop, self._change_to = session.plan_editor.project, drop, change_to
        self._place = Georeference(self._project.scenario.grid)
        self.change = change_to(drop)
        rows, columns = self._project.scenario.grid.shape
        self.aircraft, self.time = QComboBox(), QDateTimeEdit()
        self.step = WholeField(0, self._project.calendar.n_steps - 1)
        self.row, self.column = DecimalField(0.0, rows - 1.0), DecimalField(0.0, columns - 1.0)
        self.easting, self.northing = DecimalField(None, None), DecimalField(None, None)
        self.heading = DecimalField(0.0, 360.0)
        self.note, self.trouble = QLabel(wordWrap=True), QLabel(wordWrap=True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )  # fmt: skip
        self._dress()
        self._lay_out()
        self._connect()
        self._show()

    # -- making ------------------------------------------------------------------------------------------------------
    def _dress(self) -> None:
        calendar = self._project.calendar
        metres = "metres in the grid's coordinate system" if self._place.has_place else "metres from the south-west"
        dressed: tuple[tuple[QWidget, str, str], ...] = (
            (self.aircraft, "Aircraft", "Who drops"),
            (self.step, "Step", f"Steps from the start of the plan, {calendar.hours_per_step * 60:g} minutes each"),
            (
                self.time,
                "Local time",
                f"Day, hours and minutes of the drop, {calendar.zone_name}; it takes the step they fall into",
            ),
            (self.row, "Row", "Release point, cells from the north; whole numbers are middles of cells"),
            (self.column, "Column", "Release point, cells from the west; whole numbers are middles of cells"),
            (self.easting, "Easting", f"Release point, {metres}"),
            (self.northing, "Northing", f"Release point, {metres}"),
            (self.heading, "Heading", "Along which the drop is laid, degrees clockwise from grid north, either way"),
        )
        for widget, name, tip in dressed:
            widget.setAccessibleName(name)
            widget.setToolTip(tip)
        for field, unit in (
            (self.row, " cells"), (self.column, " cells"), (self.easting, " m"), (self.northing, " m"),
            (self.heading, "°"),
        ):  # fmt: skip
            field.setSuffix(unit)
        for tail in self._editor.rules.tails:
            self.aircraft.addItem(f"{tail.name} · {tail.type.material.value}", tail.index)
        self.time.setTimeZone(QTimeZone(round(calendar.utc_offset_h * 3600)))
        self.time.setDisplayFormat("d MMM yyyy HH:mm")
        self.time.setKeyboardTracking(False)
        self.trouble.setProperty("role", "warning")
        self.trouble.setAccessibleName("Rules that it would break")
        self.note.setProperty("role", "muted")

    def _lay_out(self) -> None:
        form = QFormLayout()
        zone = self._project.calendar.zone_name
        for label, field in (
            ("&Aircraft", self.aircraft), ("&Step", self.step), (f"&Time, {zone}", self.time),
            ("&Heading", self.heading), ("&Row", self.row), ("&Column", self.column), ("&Easting", self.easting),
            ("&Northing", self.northing),
        ):  # fmt: skip
            form.addRow(label, field)
        column = QVBoxLayout(self)
        column.addLayout(form)
        for part in (self.note, self.trouble, self.buttons):
            column.addWidget(part)
        self.setMinimumWidth(360)

    def _connect(self) -> None:
        self.aircraft.activated.connect(lambda _: self._take(column=int(self.aircraft.currentData())))
        self.step.valueChanged.connect(lambda step: self._take(step=step))
        self.time.dateTimeChanged.connect(self._take_time)
        self.heading.valueChanged.connect(lambda value: self._take(theta=math.radians(half_turn(90.0 - value))))
        self.row.valueChanged.connect(lambda y: self._take(y=y))
        self.column.valueChanged.connect(lambda x: self._take(x=x))
        for field in (self.easting, self.northing):
            field.valueChanged.connect(self._take_world)
        for number in (self.step, self.heading, self.row, self.column, self.easting, self.northing):
            number.refused.connect(self.trouble.setText)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._editor.preview_ready.connect(self._show_effect)

    # -- what is entered ---------------------------------------------------------------------------------------------
    def _take(self, **fields: float) -> None:
        self._drop = replace(self._drop, **fields)  # type: ignore[arg-type]  # step and column come as whole numbers
        self.change = self._change_to(self._drop)
        self._show()
        self._editor.request_preview(self.change)

    def _take_time(self, when: QDateTime) -> None:
        calendar = self._project.calendar
        seconds = when.toSecsSinceEpoch() - calendar.start.timestamp()
        step = math.floor(seconds / 3600.0 / calendar.hours_per_step + 1e-6)
        self._take(step=min(max(step, 0), calendar.n_steps - 1))

    def _take_world(self, _: float) -> None:
        y, x = self._project.scenario.grid.from_world(self.easting.value(), self.northing.value())
        rows, columns = self._project.scenario.grid.shape
        self._take(y=min(max(y, 0.0), rows - 1.0), x=min(max(x, 0.0), columns - 1.0))

    def accept(self) -> None:
        """Take the drop, unless it breaks a rule."""
        if self.change.broken:
            return
        super().accept()
        self.accepted_change.emit(self.change)

    def done(self, result: int) -> None:
        """Leave the map as it is; an accepted drop is shown by the edit that follows."""
        self._editor.preview_ready.disconnect(self._show_effect)
        if result != QDialog.DialogCode.Accepted:
            self._editor.request_preview(None)
        super().done(result)

    # -- showing -----------------------------------------------------------------------------------------------------
    def _show(self) -> None:
        """Every field as the drop is now."""
        drop, calendar, grid = self._drop, self._project.calendar, self._project.scenario.grid
        world = grid.to_world(drop.y, drop.x)
        numbers = (
            (self.row, round(drop.y, 3)), (self.column, round(drop.x, 3)), (self.easting, round(world[0], 2)),
            (self.northing, round(world[1], 2)),
            (self.heading, round(half_turn(90.0 - math.degrees(drop.theta)) * _HUNDREDTHS) / _HUNDREDTHS),
        )  # fmt: skip
        for field, value in numbers:
            with QSignalBlocker(field):
                field.setValue(value)
        with QSignalBlocker(self.aircraft), QSignalBlocker(self.step), QSignalBlocker(self.time):
            self.aircraft.setCurrentIndex(self.aircraft.findData(drop.column, Qt.ItemDataRole.UserRole))
            self.step.setValue(drop.step)
            self.time.setDateTime(
                QDateTime.fromSecsSinceEpoch(round(calendar.time_of_step(drop.step).timestamp()), self.time.timeZone())
            )
        true = self._place.run_heading_true(drop.y, drop.x, drop.theta)
        lies = f"Day {calendar.day_of_step(drop.step) + 1} · heading {true:03.0f}° or {true + 180:03.0f}° true"
        self.note.setText(lies if self._place.has_place else f"Day {calendar.day_of_step(drop.step) + 1}")
        self.trouble.setText("\n".join(f"⚠ {sentence}" for sentence in self.change.broken[:4]))
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setEnabled(not self.change.broken)
        ok.setToolTip("It would break a rule" if self.change.broken else "Take it; can be undone")

    def _show_effect(self) -> None:
        look = self._editor.preview
        if look is None or look.before is None or look.request.after != self.change.after:
            return
        cells = look.after.final_extent_cells - look.before.final_extent_cells
        hectares = cells * self._project.scenario.grid.cell_area_ha
        effect = f"{signed(cells)} cells, {signed(hectares, 2)} ha burned at the end"
        first = self.note.text().split("\n")[0]
        self.note.setText(f"{first}\n{effect}")

"""Context menu of a drop and the dialog for its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QDateTime, QPoint, QSignalBlocker, Qt, QTimeZone, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QMenu,
    QWidget,
)

from firegui.domain.calendar import Calendar
from firegui.domain.drops import Drop, grid_heading, half_turn
from firegui.domain.fleet import OUTLINE_SIGMAS
from firegui.domain.schedule import DropRecord
from firegui.gui.base.controls import without_mnemonic
from firegui.gui.base.dialogs import Dialog
from firegui.gui.base.layouts import plain_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.map.drop_edits import (
    added,
    drop_of,
    make,
    moved,
    pin_for,
    proposed_drop,
    removed,
    signed,
    tail_name,
    when_text,
)
from firegui.gui.map.shape_edits import add_pins, pinned_row, remove_pins
from firegui.gui.session.plan_editor import DropChange
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import DecimalField, NoScrollComboBox, NoScrollDateTimeEdit, WholeField
from firegui.io.georeference import Georeference

_HUNDREDTHS = 100.0
NEAR_PX = 4.0
"""A drop is hit this far from its footprint."""


class DropDialog(Dialog):
    """Form for the numbers of one drop.

    Step and time are synchronised, and so are cells and coordinates. Every entry requests a preview, which the map and
    its card show. A drop that breaks a rule cannot be accepted, and the dialog lists the rules.
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
        self.aircraft, self.time = NoScrollComboBox(), NoScrollDateTimeEdit()
        self.step = WholeField(0, self._project.calendar.n_steps - 1)
        self.row, self.column = DecimalField(0.0, rows - 1.0), DecimalField(0.0, columns - 1.0)
        self.easting, self.northing = DecimalField(None, None), DecimalField(None, None)
        self.heading = DecimalField(0.0, 360.0)
        self.note, self.trouble = plain_label(wordWrap=True), plain_label(wordWrap=True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )  # fmt: skip
        self._fill_choices()
        self._lay_out()
        self._connect()
        self._show()

    # -- set-up ------------------------------------------------------------------------------------------------------
    def _fill_choices(self) -> None:
        for tail in self._editor.rules.tails:
            self.aircraft.addItem(f"{tail.name} · {tail.type.material.value}", tail.index)
        self.time.setTimeZone(QTimeZone(round(self._project.calendar.utc_offset_h * 3600)))
        self.time.setDisplayFormat("d MMM yyyy HH:mm")
        self.time.setKeyboardTracking(False)
        self.trouble.setProperty("role", "warning")
        self.trouble.setAccessibleName("Rules that it would break")
        self.note.setProperty("role", "muted")

    def _lay_out(self) -> None:
        calendar = self._project.calendar
        metres = "metres in the grid's coordinate system" if self._place.has_place else "metres from the south-west"
        length = calendar.hours_per_step * 60.0
        minutes = f"{'' if math.isclose(length, round(length)) else 'about '}{max(round(length), 1)} minutes each"
        time_tip = f"Day, hours and minutes of the drop, {calendar.zone_name}; it takes the step they fall into"
        form = QFormLayout()
        for label, field, tip in (
            ("&Aircraft", self.aircraft, "Aircraft that drops"),
            ("&Step", self.step, f"Steps from the start of the plan, {minutes}"),
            (f"&Time, {calendar.zone_name}", self.time, time_tip),
            ("&Heading", self.heading, "Along which the drop is laid, degrees clockwise from grid north, either way"),
            ("&Row", self.row, "Release point, cells from the north; whole numbers are middles of cells"),
            ("&Column", self.column, "Release point, cells from the west; whole numbers are middles of cells"),
            ("&Easting", self.easting, f"Release point, {metres}"),
            ("&Northing", self.northing, f"Release point, {metres}"),
        ):
            form.addRow(label, field)
            field.setAccessibleName("Local time" if field is self.time else without_mnemonic(label))
            field.setToolTip(tooltip(tip))
        units = (self.row, " cells"), (self.column, " cells"), (self.easting, " m"), (self.northing, " m")
        for number, unit in (*units, (self.heading, "°")):
            number.setSuffix(unit)
        vertical(self, form, self.note, self.trouble, self.buttons, least_width=360)

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
        """Accept the drop, unless it breaks a rule."""
        if self.change.broken:
            return
        super().accept()
        self.accepted_change.emit(self.change)

    def done(self, result: int) -> None:
        """Stop the preview, unless the drop was accepted: the edit that follows shows it."""
        self._editor.preview_ready.disconnect(self._show_effect)
        if result != QDialog.DialogCode.Accepted:
            self._editor.request_preview(None)
        super().done(result)

    # -- showing -----------------------------------------------------------------------------------------------------
    def _show(self) -> None:
        """Show the drop in all fields."""
        drop, calendar, grid = self._drop, self._project.calendar, self._project.scenario.grid
        world = grid.to_world(drop.y, drop.x)
        numbers = (
            (self.row, round(drop.y, 3)), (self.column, round(drop.x, 3)), (self.easting, round(world[0], 2)),
            (self.northing, round(world[1], 2)),
            (self.heading, round(grid_heading(drop.theta) * _HUNDREDTHS) / _HUNDREDTHS),
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
        ok.setToolTip(tooltip("The drop would break a rule" if self.change.broken else "Apply the drop; can be undone"))

    def _show_effect(self) -> None:
        preview = self._editor.preview
        if preview is None or preview.before is None or preview.request.after != self.change.after:
            return
        cells = preview.after.final_extent_cells - preview.before.final_extent_cells
        hectares = cells * self._project.scenario.grid.cell_area_ha
        units = self._session.units
        area = f"{signed(units.area_value(hectares), 2)} {units.area_unit}"
        effect = f"{area} burned at the end, {signed(cells)} cells"
        first = self.note.text().split("\n")[0]
        self.note.setText(f"{first}\n{effect}")


def drop_at(drops: Iterable[DropRecord], row: float, column: float, within: float) -> DropRecord | None:
    """Return the executed drop whose 2σ footprint, widened by ``within`` cells, covers the point.

    The point is in corner coordinates. Of several drops the one with the nearest centre is returned; of those at the
    same place, the latest.
    """
    near = (
        (away, drop) for drop in drops if drop.executed and (away := _distance(drop, row, column, within)) is not None
    )
    found = min(near, key=lambda pair: (pair[0], -pair[1].step), default=None)
    return None if found is None else found[1]


def shown_drop_at(
    drops: Sequence[DropRecord], step: int, calendar: Calendar, row: float, column: float, within: float
) -> DropRecord | None:
    """Return the drop at a point, as :func:`drop_at`, preferably one that is a footprint at ``step``.

    Drops of the shown day until ``step`` come first, then later ones of that day, then earlier days, then later days.
    """
    day = calendar.day_of_state(step)
    groups: tuple[list[DropRecord], ...] = ([], [], [], [])
    for drop in drops:
        away = calendar.day_of_step(drop.step) - day
        groups[(0 if drop.step <= step else 1) if away == 0 else 2 if away < 0 else 3].append(drop)
    found = (drop_at(group, row, column, within) for group in groups)
    return next((drop for drop in found if drop is not None), None)


def _distance(drop: DropRecord, row: float, column: float, within: float) -> float | None:
    dy, dx = row - 0.5 - drop.landing_y, column - 0.5 - drop.landing_x
    reach = OUTLINE_SIGMAS * max(drop.sigma_parallel_cells, drop.sigma_perpendicular_cells) + within
    if abs(dy) > reach or abs(dx) > reach:
        # Most drops: the mouse asks for all of them at each move.
        return None
    # The long axis lies along (dx, dy) = (cos θ, −sin θ).
    along = dx * math.cos(drop.theta) - dy * math.sin(drop.theta)
    across = dx * math.sin(drop.theta) + dy * math.cos(drop.theta)
    sigmas = drop.sigma_parallel_cells, drop.sigma_perpendicular_cells
    long, wide = (OUTLINE_SIGMAS * sigma + within for sigma in sigmas)
    return math.hypot(dx, dy) if (along / long) ** 2 + (across / wide) ** 2 <= 1.0 else None


class DropMenu:
    """Context menu of drops, with a window-modal dialog for their numbers."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        self._session, self._parent = session, parent
        self.menu: QMenu | None = None
        self.dialog: DropDialog | None = None

    def open(self, record: DropRecord, at: QPoint, more: Sequence[QAction] = ()) -> None:
        """Show the menu of the shown drop ``record`` at a global position; it ends with ``more``."""
        session = self._session
        drop = drop_of(session, record)
        if drop is None:
            return
        session.plan_editor.select(drop)
        menu = self._new_menu(f"Drop of {record.aircraft}", f"{record.aircraft} · {when_text(session, drop.step)}")
        question = menu.addAction("Preview without this drop", lambda: self.preview_without(drop))
        question.setToolTip(tooltip("show the fire without the drop, and how the burned area changes"))
        edit = menu.addAction("Edit…", lambda: self.edit(drop))
        edit.setToolTip("step, aircraft, heading and place as numbers")
        menu.addAction(
            "Unpin this drop" if self._pinned_row(drop) >= 0 else "Pin this drop", lambda: self.toggle_pin(drop)
        )
        menu.addSeparator()
        remove = menu.addAction("Remove", lambda: make(session, removed(session, drop)))
        remove.setShortcut(QKeySequence("Del"))
        for action in (edit, remove, question):
            action.setEnabled(not session.plan_editor.obstacle)
        if more:
            menu.addSeparator()
            menu.addActions(list(more))
        menu.popup(at)

    def open_ground(self, row: float, column: float, at: QPoint, more: Sequence[QAction] = ()) -> None:
        """Show the menu of a position without drops, in corner coordinates; it ends with ``more``."""
        session = self._session
        menu = self._new_menu("Drops", when_text(session, session.step) if session.has_project else "")
        add = menu.addAction("Add a drop here…", lambda: self.add(row, column))
        add.setEnabled(not session.plan_editor.obstacle)
        keep = menu.addAction("Keep the edited drops as a run", session.plan_editor.save_requested.emit)
        keep.setEnabled(session.plan_editor.plan is not None)
        if more:
            menu.addSeparator()
            menu.addActions(list(more))
        menu.popup(at)

    # -- commands ----------------------------------------------------------------------------------------------------
    def preview_without(self, drop: Drop) -> None:
        """Preview the fire without ``drop``; nothing is changed."""
        session = self._session
        if self._is_refused(session.plan_editor.obstacle):
            return
        session.plan_editor.select(drop)
        # Broken rules are not shown here, because the drop stays in the plan.
        session.plan_editor.request_preview(replace(removed(session, drop), broken=(), text="Without this drop"))

    def edit(self, drop: Drop) -> None:
        """Open the dialog for the numbers of ``drop``."""
        self._ask(f"Drop of {tail_name(self._session, drop)}", drop, is_new=False)

    def add(self, row: float, column: float) -> None:
        """Open the dialog for a new drop at a position in corner coordinates, at the shown step."""
        session = self._session
        obstacle = session.plan_editor.obstacle
        found = None if obstacle else proposed_drop(session, session.step, row - 0.5, column - 0.5)
        if found is not None:
            self._ask("New drop", found, is_new=True)
        else:
            self._is_refused(obstacle or f"no aircraft may drop here on {when_text(session, session.step)}")

    def toggle_pin(self, drop: Drop) -> None:
        """Pin ``drop``, or unpin it so that planning can move it again."""
        row = self._pinned_row(drop)
        if row >= 0:
            remove_pins(self._session, [row])
        else:
            add_pins(self._session, [pin_for(self._session, drop)])

    # -- helpers -----------------------------------------------------------------------------------------------------
    def _is_refused(self, reason: str) -> bool:
        """Report ``reason``, if there is one, at the map."""
        if reason:
            self._session.refuse_map_edit(f"Not done: {reason}")
        return bool(reason)

    def _ask(self, title: str, drop: Drop, *, is_new: bool) -> None:
        session = self._session
        if self._is_refused(session.plan_editor.obstacle):
            return

        def change_to(to: Drop) -> DropChange:
            return added(session, to) if is_new else moved(session, drop, to)

        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = DropDialog(session, title, drop, change_to, self._parent)
        self.dialog.accepted_change.connect(lambda change: make(session, change))
        self.dialog.open()

    def _pinned_row(self, drop: Drop) -> int:
        return pinned_row(self._session.project.operations, pin_for(self._session, drop))

    def _new_menu(self, name: str, head: str) -> QMenu:
        menu = QMenu(self._parent)
        menu.setAccessibleName(name)
        menu.setToolTipsVisible(True)
        menu.addAction(head).setEnabled(False)
        if self.menu is not None:
            self.menu.deleteLater()
        self.menu = menu
        return menu

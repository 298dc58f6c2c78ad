"""Which drop is under the mouse, and everything that can be done with one by name: question, edit, pin, remove."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QPoint
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from firegui.domain.drops import Drop
from firegui.domain.operations import PinnedDrop
from firegui.domain.schedule import DropRecord
from firegui.gui.map.drop_dialog import DropDialog
from firegui.gui.map.drop_edits import added, drop_of, free_aircraft, make, moved, removed, tail_name, when_text
from firegui.gui.map.layers.drops_layer import SIGMAS
from firegui.gui.map.zone_edits import add_pins, pinned_row, remove_pins
from firegui.gui.session.plan_editor import DropChange
from firegui.gui.session.session import Session


def drop_at(drops: Iterable[DropRecord], row: float, column: float, within: float) -> DropRecord | None:
    """The executed drop whose 2σ footprint covers the corner-coordinate point, widened by ``within`` cells.

    Of several the one whose middle is nearest, of those in one place the latest.
    """
    best: tuple[float, int] | None = None
    found = None
    for drop in drops:
        away = _distance(drop, row, column, within) if drop.executed else None
        if away is not None and (best is None or (away, -drop.step) < best):
            best, found = (away, -drop.step), drop
    return found


def _distance(drop: DropRecord, row: float, column: float, within: float) -> float | None:
    dy, dx = row - 0.5 - drop.landing_y, column - 0.5 - drop.landing_x
    # The long axis lies along (dx, dy) = (cos θ, −sin θ).
    along = dx * math.cos(drop.theta) - dy * math.sin(drop.theta)
    across = dx * math.sin(drop.theta) + dy * math.cos(drop.theta)
    long, wide = (SIGMAS * sigma + within for sigma in (drop.sigma_parallel_cells, drop.sigma_perpendicular_cells))
    return math.hypot(dx, dy) if (along / long) ** 2 + (across / wide) ** 2 <= 1.0 else None


class DropMenu:
    """Opens over ``parent``; nothing here blocks."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        self._session, self._parent = session, parent
        self.menu: QMenu | None = None
        self.dialog: DropDialog | None = None

    def open(self, record: DropRecord, at: QPoint) -> None:
        """Show the menu of the drop ``record``, which the shown result has, at a global position."""
        session = self._session
        drop = drop_of(session, record)
        if drop is None:
            return
        session.plan_editor.select(drop)
        menu = self._new_menu(f"Drop of {record.aircraft}", f"{record.aircraft} · {when_text(session, drop.step)}")
        question = menu.addAction("What is it for?", lambda: self.question(drop))
        question.setToolTip("show the fire without it, and how many cells and hectares that changes")
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
        menu.popup(at)

    def open_ground(self, row: float, column: float, at: QPoint) -> None:
        """Show what can be done beside drops at a place in corner coordinates."""
        session = self._session
        menu = self._new_menu("Drops", when_text(session, session.step) if session.has_project else "")
        add = menu.addAction("Add a drop here…", lambda: self.add(row, column))
        add.setEnabled(not session.plan_editor.obstacle)
        keep = menu.addAction("Keep the edited drops as a run", session.plan_editor.keep_requested.emit)
        keep.setEnabled(session.plan_editor.plan is not None)
        menu.popup(at)

    # -- what can be done --------------------------------------------------------------------------------------------
    def question(self, drop: Drop) -> None:
        """See what the fire would do without ``drop``; nothing is changed."""
        session = self._session
        if session.plan_editor.obstacle:
            session.message.emit(f"Not done: {session.plan_editor.obstacle}")
            return
        session.plan_editor.select(drop)
        # Leaving a drop out breaks no rule worth telling here: it stays.
        session.plan_editor.request_preview(replace(removed(session, drop), broken=(), text="Without this drop"))

    def edit(self, drop: Drop) -> None:
        """Ask for the numbers of ``drop``."""
        self._ask(f"Drop of {tail_name(self._session, drop)}", drop, is_new=False)

    def add(self, row: float, column: float) -> None:
        """Ask for the numbers of a new drop at a place in corner coordinates, at the shown step."""
        session = self._session
        obstacle = session.plan_editor.obstacle
        found = None if obstacle else free_aircraft(session, session.step, row - 0.5, column - 0.5)
        if found is None:
            why = obstacle or f"no aircraft may drop here on {when_text(session, session.step)}"
            session.message.emit(f"Not done: {why}")
            return
        self._ask("New drop", found, is_new=True)

    def toggle_pin(self, drop: Drop) -> None:
        """Pin ``drop``, or let planning move it again."""
        row = self._pinned_row(drop)
        if row >= 0:
            remove_pins(self._session, [row])
        else:
            add_pins(self._session, [self._pin(drop)])

    # -- helpers -----------------------------------------------------------------------------------------------------
    def _ask(self, title: str, drop: Drop, *, is_new: bool) -> None:
        session = self._session
        if session.plan_editor.obstacle:
            session.message.emit(f"Not done: {session.plan_editor.obstacle}")
            return

        def change_to(to: Drop) -> DropChange:
            return added(session, to) if is_new else moved(session, drop, to)

        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = DropDialog(session, title, drop, change_to, self._parent)
        self.dialog.accepted_change.connect(lambda change: make(session, change))
        self.dialog.open()

    def _pin(self, drop: Drop) -> PinnedDrop:
        session = self._session
        when = session.plan_editor.project.calendar.time_of_step(drop.step)
        return PinnedDrop(when, tail_name(session, drop), drop.y, drop.x, drop.theta)

    def _pinned_row(self, drop: Drop) -> int:
        return pinned_row(self._session.project.operations, self._pin(drop))

    def _new_menu(self, name: str, head: str) -> QMenu:
        menu = QMenu(self._parent)
        menu.setAccessibleName(name)
        menu.setToolTipsVisible(True)
        menu.addAction(head).setEnabled(False)
        if self.menu is not None:
            self.menu.deleteLater()
        self.menu = menu
        return menu

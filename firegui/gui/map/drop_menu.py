"""Which drop is under the mouse, and the menu that pins it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from firegui.domain.schedule import DropRecord
from firegui.gui.map.layers.drops import SIGMAS
from firegui.gui.map.zone_edits import add_pins, pin_of, pinned_row, remove_pins
from firegui.gui.session import Session


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

    def open(self, drop: DropRecord, at: QPoint) -> None:
        """Show the menu of ``drop``, which the shown result has, at a global position."""
        session = self._session
        project = session.result.project or session.project
        pin, calendar = pin_of(drop, project.calendar), project.calendar
        when = pin.time.astimezone(calendar.local_zone)
        menu = QMenu(self._parent)
        menu.setAccessibleName(f"Drop of {drop.aircraft}")
        head = menu.addAction(f"{drop.aircraft} · {when.day} {when:%b %H:%M} {calendar.zone_name}")
        head.setEnabled(False)
        row = pinned_row(session.project.operations, pin)
        if row < 0:
            menu.addAction("Pin this drop", lambda: add_pins(session, [pin]))
        else:
            menu.addAction("Unpin this drop", lambda: remove_pins(session, [row]))
        if self.menu is not None:
            self.menu.deleteLater()
        self.menu = menu
        menu.popup(at)

"""How a person wants to draw and measure on the map. No part of a project."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal


class DrawingOptions(QObject):
    """Belongs to a session, which made it."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._corners = self._cells = self._us_units = False

    @property
    def snap_corners(self) -> bool:
        """Whether a corner comes to rest on a near corner of another region."""
        return self._corners

    def set_snap_corners(self, on: bool) -> None:
        """Let corners come to rest on corners, or not."""
        if on != self._corners:
            self._corners = on
            self.changed.emit()

    @property
    def snap_cells(self) -> bool:
        """Whether a corner comes to rest where cells meet."""
        return self._cells

    def set_snap_cells(self, on: bool) -> None:
        """Let corners come to rest where cells meet, or not."""
        if on != self._cells:
            self._cells = on
            self.changed.emit()

    @property
    def us_units(self) -> bool:
        """Whether distances and areas are measured in feet, miles and acres, not in metres and hectares."""
        return self._us_units

    def set_us_units(self, on: bool) -> None:
        """Measure in feet, miles and acres, or in metres and hectares."""
        if on != self._us_units:
            self._us_units = on
            self.changed.emit()

"""What can be done with a region by name: its context menu and the small dialogs behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QPoint
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QInputDialog, QMenu, QWidget

from firegui.domain.regions import Region
from firegui.gui.map.region_dialog import RegionDialog
from firegui.gui.map.region_edits import change_region, rename_region
from firegui.gui.session.session import Session


class RegionMenu:
    """Opens over ``parent``; nothing here blocks."""

    def __init__(self, session: Session, parent: QWidget, zoom_to: Callable[[Region], None]) -> None:
        self._session = session
        self._parent = parent
        self._zoom_to = zoom_to
        self.menu: QMenu | None = None
        self.dialog: QInputDialog | None = None
        self.numbers: RegionDialog | None = None

    def open(self, region: Region, at: QPoint) -> None:
        """Show the menu of ``region`` at a global position."""
        name = region.name
        menu = QMenu(name, self._parent)
        menu.setAccessibleName(f"Region {name}")
        rename = menu.addAction("Rename…", lambda: self.rename(name))
        rename.setShortcut(QKeySequence("F2"))
        menu.addAction("Numbers…", lambda: self.edit_numbers(name))
        menu.addAction("Weight…", lambda: self.weigh(name))
        menu.addAction("Zoom to", lambda: self._zoom_to(region))
        menu.addSeparator()
        delete = menu.addAction("Delete", lambda: self._session.delete_region(name))
        delete.setShortcut(QKeySequence("Del"))
        if self.menu is not None:
            self.menu.deleteLater()
        self.menu = menu
        menu.popup(at)

    def edit_numbers(self, name: str) -> None:
        """Ask for its corners, or its rows and columns."""
        region = next((region for region in self._session.project.regions if region.name == name), None)
        if region is not None:
            if self.numbers is not None:
                self.numbers.deleteLater()
            self.numbers = RegionDialog(self._session, region, self._parent)
            self.numbers.open()

    def rename(self, name: str) -> None:
        """Ask for a new name."""
        dialog = self._ask("Rename region", f"New name of region {name}:")
        dialog.setTextValue(name)
        dialog.textValueSelected.connect(lambda to: rename_region(self._session, name, to))
        dialog.open()

    def weigh(self, name: str) -> None:
        """Ask for a new weight."""
        region = next((region for region in self._session.project.regions if region.name == name), None)
        if region is None:
            return
        dialog = self._ask("Region weight", f"Weight of region {name} in the mean over regions (1 unless changed):")
        dialog.setInputMode(QInputDialog.InputMode.DoubleInput)
        dialog.setDoubleRange(0.0, 1e6)
        dialog.setDoubleDecimals(3)
        dialog.setDoubleValue(region.weight)
        dialog.doubleValueSelected.connect(lambda weight: self._set_weight(name, weight))
        dialog.open()

    def _set_weight(self, name: str, weight: float) -> None:
        region = next((region for region in self._session.project.regions if region.name == name), None)
        if region is not None:
            change_region(self._session, f"Weight of {name}", name, replace(region, weight=weight))

    def _ask(self, title: str, label: str) -> QInputDialog:
        if self.dialog is not None:
            self.dialog.deleteLater()
        self.dialog = QInputDialog(self._parent)
        self.dialog.setWindowTitle(title)
        self.dialog.setLabelText(label)
        return self.dialog

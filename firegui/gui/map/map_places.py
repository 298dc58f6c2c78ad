"""Views of the map: those that are kept for a project, and a dialog to go to a place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QMenu, QWidget

from firegui.domain.grid import Grid
from firegui.domain.units import Units
from firegui.errors import InputError
from firegui.gui.base.dialogs import TextDialog
from firegui.gui.base.preferences import Preferences
from firegui.gui.map.camera import Camera, MapArea
from firegui.gui.map.map_content import CellLocation
from firegui.gui.session.session import Session
from firegui.io.coordinates import parse_place

_HINT = "Decimal degrees, minutes, minutes and seconds, or UTM. Without letters the latitude comes first."


_SETTLE_MS = 500


class GoToDialog(TextDialog):
    """Dialog for coordinates in any format. ``go_to`` receives the place in corner coordinates.

    What cannot be read, or lies outside the map, ends in one message below the field.
    """

    def __init__(
        self, grid: Grid, go_to: Callable[[float, float], object], parent: QWidget | None = None,
        units: Units = Units.METRIC,
    ) -> None:  # fmt: skip
        super().__init__("Go to coordinates", "&Coordinates (WGS 84)", self._go, parent, hint=_HINT, button="&Go to")
        self._units, self._grid, self._place, self._go_to = units, grid, CellLocation(grid), go_to
        self.field.setPlaceholderText("38°33.672′ N 122°38.406′ W")

    def _go(self, text: str) -> str:
        """Go to the place, or return why not."""
        try:
            lon, lat = parse_place(text)
        except InputError as error:
            problem = error.problems[0]
            return f"{problem.what}; {problem.remedy}."
        cell = self._place.cell(lon, lat)
        if cell is None:
            return "The grid of this fire has no place on the Earth, so that coordinates mean nothing on it."
        if not (0.0 <= cell[0] <= self._grid.rows and 0.0 <= cell[1] <= self._grid.columns):
            return f"The place lies outside the map, {self._units.length(_distance_m(self._grid, cell))} from its edge."
        self._go_to(*cell)
        return ""


def _distance_m(grid: Grid, cell: tuple[float, float]) -> float:
    outside = (max(-value, value - size, 0.0) for value, size in zip(cell, grid.shape, strict=True))
    down, across = outside
    return float((down**2 + across**2) ** 0.5 * grid.cell_size_m)


class ViewMemory(QObject):
    """Bookmarks of the open project, and its last view, which is shown again when the project is opened.

    Both belong to the user and to the folder of the project. Those of an unsaved project are kept when it is saved.
    """

    changed = Signal()
    """Other bookmarks are kept."""

    def __init__(self, session: Session, camera: Camera, preferences: Preferences) -> None:
        super().__init__(camera)
        self._session, self._camera, self._preferences = session, camera, preferences
        self.bookmarks: dict[str, MapArea] = {}
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self._keep_view)
        session.project_opened.connect(self._on_opened)
        session.folder_changed.connect(self._on_saved)
        camera.moved.connect(self._settle.start)
        self._on_opened()

    def add(self, name: str) -> None:
        """Keep the present view under a name, unless it is empty; a view of the same name is replaced."""
        if name.strip():
            self.bookmarks[name.strip()] = self._camera.area
            self._keep()

    def remove(self, name: str) -> None:
        """Forget a bookmark; do nothing if there is none."""
        if self.bookmarks.pop(name, None) is not None:
            self._keep()

    def show(self, name: str) -> None:
        """Show the view of a bookmark; do nothing if there is none."""
        if name in self.bookmarks:
            self._camera.show_area(self.bookmarks[name])

    def free_name(self) -> str:
        """Return the first of View 1, View 2, … that no bookmark has."""
        return next(
            name for number in range(1, len(self.bookmarks) + 2) if (name := f"View {number}") not in self.bookmarks
        )

    @property
    def _folder(self) -> Path | None:
        return self._session.source

    def _on_opened(self) -> None:
        self._settle.stop()
        folder = self._folder
        self.bookmarks = {} if folder is None else self._preferences.bookmarks(folder)
        last = None if folder is None else self._preferences.map_view(folder)
        if last is not None:
            self._camera.show_area(last)
        self.changed.emit()

    def _on_saved(self) -> None:
        self._keep()
        self._keep_view()

    def _keep(self) -> None:
        if (folder := self._folder) is not None:
            self._preferences.set_bookmarks(folder, self.bookmarks)
        self.changed.emit()

    def _keep_view(self) -> None:
        if (folder := self._folder) is not None:
            self._preferences.set_map_view(folder, None if self._camera.shows_whole else self._camera.area)


class BookmarksMenu(QMenu):
    """Menu of the bookmarks: an entry shows its view, and a submenu removes one."""

    def __init__(self, views: ViewMemory, parent: QWidget) -> None:
        super().__init__("Boo&kmarks", parent)
        self._views = views
        views.changed.connect(self._fill)
        self._fill()

    def _fill(self) -> None:
        self.clear()
        names = sorted(self._views.bookmarks)
        for name in names:
            self.addAction(name.replace("&", "&&"), partial(self._views.show, name))
        if names:
            self.addSeparator()
            remove = self.addMenu("Remove")
            for name in names:
                remove.addAction(name.replace("&", "&&"), partial(self._views.remove, name))
        self.setEnabled(bool(names))

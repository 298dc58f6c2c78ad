"""Base map from map tiles, a raster or a vector file, drawn on the grid in a thread without a network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from firegui.domain.grid import Grid
from firegui.errors import Check, InputError, Problem
from firegui.gui.base.tasks import LatestTask
from firegui.io.importers.base_map import BaseMapFile, draw_base_map, open_base_map
from firegui.io.rasters.mbtiles import Area, Pixels
from firegui.runs.failures import failure_message

if TYPE_CHECKING:
    from firegui.gui.session.session import Session

_WHOLE_PX = 1400
"""Longest side of the picture of the whole grid, which is shown until a sharper one is drawn."""
_MOST_PX = 2600
_SETTLE_MS = 120
_SHARPER = 1.3


@dataclass(frozen=True, slots=True, eq=False)
class BaseMapPicture:
    """Picture ``pixels [H, W, 4]`` (RGBA) of ``area`` of the grid, in corner coordinates."""

    area: Area
    pixels: Pixels

    @property
    def pixels_per_cell(self) -> float:
        """Resolution of the picture."""
        return float(self.pixels.shape[1]) / max(self.area[3] - self.area[1], 1e-9)

    def covers(self, area: Area) -> bool:
        """Return whether the picture covers all of ``area``."""
        mine = self.area
        return mine[0] <= area[0] and mine[1] <= area[1] and mine[2] >= area[2] and mine[3] >= area[3]


class BaseMap(QObject):
    """Base map of a session. :meth:`shutdown` must be called before the program ends."""

    changed = Signal()
    """The file or its picture changed."""
    chosen = Signal(object)
    """The file that the user chose for the open project, ``None`` when it was removed."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.file: BaseMapFile | None = None
        self.whole: BaseMapPicture | None = None
        self.sharp: BaseMapPicture | None = None
        self._grid: Grid | None = None
        self._wanted: tuple[Area, tuple[int, int]] | None = None
        self._first, self._later = LatestTask(self, settle_ms=0), LatestTask(self, settle_ms=_SETTLE_MS)
        for worker, take in ((self._first, self._take_whole), (self._later, self._take_sharp)):
            worker.returned.connect(take)
            worker.raised.connect(self._on_trouble)
        session.project_opened.connect(self._on_opened)

    def open(self, path: Path) -> None:
        """Show a file below the open project.

        Raises :class:`InputError` for a bad file and keeps the former one.
        """
        if not self._session.has_project:
            raise InputError(
                [Problem(str(path), "no project is open", "open one first")], "The base map was not opened"
            )
        grid = self._session.project.scenario.grid
        file = open_base_map(path, grid)
        self._forget()
        self.file, self._grid = file, grid
        rows, columns = grid.shape
        scale = _WHOLE_PX / max(rows, columns)
        area, size = (0.0, 0.0, float(rows), float(columns)), (round(rows * scale), round(columns * scale))
        self._first.request(partial(_picture, file, grid, area, size))
        self.changed.emit()

    def choose(self, path: Path) -> None:
        """:meth:`open` a file, and save the choice for this project."""
        self.open(path)
        self.chosen.emit(path)

    def close(self) -> None:
        """Remove the base map, also from the choices of this project."""
        self._forget()
        self.changed.emit()
        self.chosen.emit(None)

    def request_view(self, area: Area, pixels_per_cell: float) -> None:
        """Request a sharper picture of the visible part of the grid, if needed."""
        if self.file is None or self._grid is None or self.whole is None:
            return
        if pixels_per_cell <= _SHARPER * self.whole.pixels_per_cell or area[2] <= area[0] or area[3] <= area[1]:
            return
        rows, columns = area[2] - area[0], area[3] - area[1]
        scale = min(pixels_per_cell, _MOST_PX / max(rows, columns))
        wanted = area, (max(round(rows * scale), 1), max(round(columns * scale), 1))
        there = self.sharp
        if wanted == self._wanted or (
            there is not None and there.covers(area) and scale <= _SHARPER * there.pixels_per_cell
        ):
            return
        self._wanted = wanted
        self._later.request(partial(_picture, self.file, self._grid, *wanted))

    def shutdown(self) -> None:
        """End the threads."""
        self._first.shutdown()
        self._later.shutdown()

    # -- what comes in -----------------------------------------------------------------------------------------------
    def _take_whole(self, picture: BaseMapPicture) -> None:
        self.whole = picture
        self.changed.emit()

    def _take_sharp(self, picture: BaseMapPicture) -> None:
        self.sharp = picture
        self.changed.emit()

    def _on_trouble(self, error: Exception) -> None:
        self._forget()
        self.changed.emit()
        trouble = InputError([Problem("base map", failure_message(error))])
        self._session.refuse(error if isinstance(error, InputError) else trouble)

    def _on_opened(self) -> None:
        self._forget()
        self.changed.emit()

    def _forget(self) -> None:
        self._first.cancel()
        self._later.cancel()
        self.file = self.whole = self.sharp = self._grid = self._wanted = None


def _picture(file: BaseMapFile, grid: Grid, area: Area, size: tuple[int, int], check: Check) -> BaseMapPicture:
    check()
    found = BaseMapPicture(area, draw_base_map(file, grid, area, size))
    check()
    return found

"""A small landscape on disk, and user actions on the wizard that imports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyogrio
import rasterio
import shapely
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.grid import Grid
from firegui.domain.project import Project
from firegui.gui.importing.landscape.survey import make_landscape
from firegui.gui.importing.landscape.wizard import LandscapeWizard, MakeProject
from tests.gui.hands import LEFT
from tests.unit.io.landscape_files import write_layer

ROWS, COLUMNS = 60, 80
GRID = Grid(ROWS, COLUMNS, 30.0, (30.0, 0.0, 500_000.0, 0.0, -30.0, 4_400_000.0), "EPSG:32610")
HALF = Grid(ROWS // 2, COLUMNS // 2, 60.0, (60.0, 0.0, 500_000.0, 0.0, -60.0, 4_400_000.0), "EPSG:32610")
PATIENCE_MS = 20_000


def hill() -> np.ndarray:
    """Return a round hill in the centre, 300 m above the plain."""
    rows, columns = np.mgrid[0:ROWS, 0:COLUMNS]
    distance = np.hypot(rows - ROWS / 2, columns - COLUMNS / 2)
    return np.asarray(400.0 + np.maximum(300.0 - 12.0 * distance, 0.0), np.float32)


def write_landscape(folder: Path) -> Path:
    """Write elevation and fuel at 30 m, canopy cover at 60 m, wind for three days and two perimeters."""
    folder.mkdir(parents=True, exist_ok=True)
    fuel = np.full((ROWS, COLUMNS), 165, np.int16)
    fuel[:10] = 98
    fuel[:, :20] = 122
    write_layer(folder / "dem.tif", hill(), GRID)
    write_layer(folder / "fbfm40.tif", fuel, GRID)
    write_layer(folder / "cc.tif", np.full(HALF.shape, 45, np.int16), HALF)
    write_wind(folder / "wind.csv")
    write_perimeters(folder / "perimeters.gpkg")
    return folder


def write_wind(path: Path) -> Path:
    """Write three days of hourly wind, from the west, the south and the east, in m/s."""
    lines = ["time,speed_ms,direction"]
    for day, came in enumerate((270, 180, 90)):
        lines += [f"2020-08-{19 + day}T{hour:02d}:00-08:00,{4 + day},{came}" for hour in range(24)]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_perimeters(path: Path) -> Path:
    """Write whole perimeters of 19 and 20 August 2020, the second around the first."""
    boxes = [shapely.box(501_000, 4_398_900, 501_200, 4_399_100), shapely.box(500_900, 4_398_800, 501_500, 4_399_200)]
    wkb = np.array([shapely.to_wkb(box) for box in boxes], object)
    dates = np.array(["2020-08-19", "2020-08-20"], object)
    pyogrio.raw.write(path, wkb, [dates], ["Date"], geometry_type="Polygon", crs="EPSG:32610")
    return path


def write_lcp(path: Path, order: tuple[int, ...] = (0, 1, 2, 3, 4, 5, 6, 7)) -> Path:
    """Write a landscape file of eight bands in FARSITE's order or another one, without band names."""
    elevation = hill()
    south, east = np.gradient(elevation, 30.0)
    slope = np.degrees(np.arctan(np.hypot(south, east)))
    aspect = np.where(slope < 0.5, -1.0, np.degrees(np.arctan2(-east, south)) % 360.0)
    rows, columns = np.mgrid[0:ROWS, 0:COLUMNS]
    fuel = np.where((rows + columns) % 3 == 0, 165, 188)
    cover, height = 20 + 5 * ((rows // 7) % 10), 100 + 10 * ((columns // 9) % 9)
    bands = [elevation, slope, aspect, fuel, cover, height, np.full_like(height, 12), np.full_like(height, 9)]
    stack = np.stack([np.asarray(np.round(band), np.int16) for band in bands])[list(order)]
    return write_layer(path, stack, GRID)


def band_of(path: Path) -> np.ndarray:
    """Return the first band of a raster."""
    with rasterio.open(path) as source:
        return np.asarray(source.read(1))


class Hands:
    """User actions on a shown wizard. Projects that it makes are in ``made``."""

    def __init__(self, qtbot: QtBot, make: MakeProject = make_landscape, taken: bool = True) -> None:
        self.qtbot = qtbot
        self.made: list[tuple[Project, Path | None]] = []
        self.wizard = LandscapeWizard(make, self._take)
        self._taken = taken
        self.wizard.resize(1024, 740)
        with qtbot.waitActive(self.wizard):
            self.wizard.show()
            self.wizard.activateWindow()

    def _take(self, project: Project, folder: Path | None) -> bool:
        self.made.append((project, folder))
        return self._taken

    def settle(self) -> None:
        """Wait until everything was read."""
        self.qtbot.waitUntil(lambda: not self.wizard.is_busy, timeout=PATIENCE_MS)

    def go(self, title: str) -> None:
        """Click a step in the bar."""
        names = [page.title for page in self.wizard.pages]
        QTest.mouseClick(self.wizard.steps[names.index(title)], LEFT)
        self.settle()

    def type(self, field: str | QLineEdit, text: object) -> None:
        """Click into a field, replace its text, and press Enter."""
        line = field if isinstance(field, QLineEdit) else self.line(field)
        QTest.mouseClick(line, LEFT)
        line.selectAll()
        QTest.keyClick(line, Qt.Key.Key_Delete)
        QTest.keyClicks(line, str(text))
        QTest.keyClick(line, Qt.Key.Key_Return)
        self.settle()

    def line(self, name: str) -> QLineEdit:
        """Return the field called ``name``."""
        found = self.wizard.findChild(QLineEdit, name)
        assert isinstance(found, QLineEdit), f"no line {name}"
        return found

    def pick(self, box: QComboBox, text: str) -> None:
        """Select the entry that begins with ``text``, with the keyboard."""
        index = next(n for n in range(box.count()) if box.itemText(n).startswith(text))
        box.setFocus()
        key = Qt.Key.Key_Down if index > box.currentIndex() else Qt.Key.Key_Up
        while box.currentIndex() != index:
            QTest.keyClick(box, key)
        self.settle()

    def click_map(self, row: float, column: float) -> None:
        """Click the preview at corner coordinates of the preview's grid."""
        camera = self.wizard.preview.map.camera
        QTest.mouseClick(camera.viewport, LEFT, pos=camera.to_point(row, column))
        self.settle()

    def press(self, button: QWidget) -> None:
        """Click a button."""
        QTest.mouseClick(button, LEFT)

    def make(self) -> Project:
        """Press the button of the last step and wait for the project."""
        self.go("Summary")
        before = len(self.made)
        assert self.wizard.finish.isEnabled(), [str(problem) for problem in self.wizard.problems]
        self.press(self.wizard.finish)
        self.qtbot.waitUntil(lambda: len(self.made) > before, timeout=PATIENCE_MS)
        return self.made[-1][0]

    @property
    def said(self) -> str:
        """Return all problems that the current step shows."""
        return "\n".join(note.text() for note in self.wizard.page.notes if not note.isHidden())

    def close(self) -> None:
        """Close, and wait for the threads."""
        self.wizard.done(0)
        self.wizard.deleteLater()


def opened(qtbot: QtBot) -> Iterator[Hands]:
    """Yield hands on a wizard that is closed after the test."""
    hands = Hands(qtbot)
    yield hands
    hands.close()


OpenHands = Callable[[], Hands]

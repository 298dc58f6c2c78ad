"""A map on screen and user actions on it, for the tests of the map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from firegui.domain.film import Film
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.results import Frames
from firegui.domain.schedule import DropRecord
from firegui.gui.map.labels import Label, LabelledLayer
from firegui.gui.map.map_view import MapView
from firegui.gui.session.session import Session
from tests.unit.domain.samples import untreated

NONE = Qt.KeyboardModifier.NoModifier
LEFT, RIGHT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton
BACKGROUNDS = ("canopy", "fuel", "hillshade", "graticule", "wind", "observed", "regions", "markers")

Place = tuple[float, float]


class Hand:
    """Works on a map with real mouse and key events, at ``(row, column)`` in corner coordinates."""

    def __init__(self, view: MapView) -> None:
        self.view = view
        self.viewport = view.camera.viewport

    def pixel(self, place: Place) -> QPoint:
        return self.view.camera.to_point(*place)

    def press(self, place: Place, modifier: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT) -> None:
        QTest.mousePress(self.viewport, button, modifier, self.pixel(place))

    def move(self, *places: Place) -> None:
        # Not QTest.mouseMove: without a button it only sets the cursor, and sends nothing if it is there already.
        for place in places:
            self._move(self.pixel(place))

    def _move(self, pixel: QPoint) -> None:
        at = QPointF(pixel)
        button = Qt.MouseButton.NoButton
        kind = QEvent.Type.MouseMove
        event = QMouseEvent(kind, at, QPointF(self.viewport.mapToGlobal(pixel)), button, button, NONE)
        QApplication.sendEvent(self.viewport, event)

    def release(self, place: Place, button: Qt.MouseButton = LEFT) -> None:
        QTest.mouseRelease(self.viewport, button, NONE, self.pixel(place))

    def drag(
        self, start: Place, end: Place, button: Qt.MouseButton = LEFT, modifier: Qt.KeyboardModifier = NONE
    ) -> None:
        """Press, move over the centre, release. The pixel of ``end`` is fixed before the map may move."""
        pixels = [self.pixel(p) for p in (start, ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), end)]
        QTest.mousePress(self.viewport, button, modifier, pixels[0])
        self._move(pixels[1])
        self._move(pixels[2])
        QTest.mouseRelease(self.viewport, button, modifier, pixels[2])

    def click(self, place: Place, modifier: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT) -> None:
        QTest.mouseClick(self.viewport, button, modifier, self.pixel(place))

    def clicks(self, *places: Place) -> None:
        """Click several positions."""
        for place in places:
            self.click(place)

    def double_click(self, place: Place, modifier: Qt.KeyboardModifier = NONE) -> None:
        """Send a double click like a window system: a whole click, then the second press as a double click."""
        QTest.mouseClick(self.viewport, LEFT, modifier, self.pixel(place))
        QTest.mouseDClick(self.viewport, LEFT, modifier, self.pixel(place))

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = NONE) -> None:
        QTest.keyClick(self.view.camera.widget, key, modifier)

    def color(self, place: Place) -> QColor:
        """Return the painted colour at a position."""
        return self.view.snapshot().pixelColor(self.pixel(place))


def placed_labels(hand: Hand) -> list[tuple[LabelledLayer, Label, QRectF]]:
    """Return the labels on the map, each with its layer and its box in pixels."""
    labels, camera = hand.view.layers.labels, hand.view.camera
    transform = labels.item.sceneTransform() * camera.widget.viewportTransform()
    return labels.placed(transform, QRectF(camera.viewport.rect()))


def open_map(qtbot: QtBot, session: Session) -> MapView:
    """Return a map of 900 × 640 pixels on screen."""
    view = MapView(session)
    qtbot.addWidget(view)
    view.resize(900, 640)
    view.show()
    qtbot.waitExposed(view)
    view.fit()
    view.flush()
    return view


def only(view: MapView, *keys: str) -> None:
    """Hide every layer but these."""
    for layer in view.layers:
        view.layers.set_visible(layer.key, layer.key in keys)


def regions_of(session: Session) -> dict[str, Region]:
    return {region.name: region for region in session.project.regions}


def undo_steps(session: Session) -> int:
    return session.undo_stack.index()


def growing(project: Project, cells: int, *, stride: int = 50) -> Frames:
    """Return a fire that fills ``cells`` more columns per frame, in the northern half of the grid."""
    rows, columns = project.scenario.grid.shape
    count = project.calendar.n_steps // stride + 1
    fire = np.zeros((count, rows, columns), np.uint8)
    for frame in range(count):
        fire[frame, : rows // 2, : cells * frame] = 255
    whole = Film.of(fire)
    return Frames(stride, whole, Film.of(fire // 2), untreated(whole))


def drop_at(
    y: float, x: float, theta: float, *, step: int = 10, material: str = "retardant", long: float = 5.0
) -> DropRecord:
    """Return an executed drop, σ∥ ``long`` and σ⊥ half a cell, released two cells north of its landing."""
    return DropRecord(
        step=step, aircraft="S-2T-1", column=0, type="S-2T", material=material, payload_gal=1200.0, executed=True,
        y=y - 2.0, x=x, theta=theta, landing_y=y, landing_x=x, sigma_parallel_cells=long, sigma_perpendicular_cells=0.5,
    )  # fmt: skip


def repaint(hand: Hand, times: int = 2) -> None:
    """Draw what is out of date and paint the map some times."""
    hand.view.flush()
    for _ in range(times):
        hand.viewport.repaint()


def painted(view: MapView, key: str) -> NDArray[np.bool_]:
    """Return where showing the layer ``key`` changes the picture ``[height, width]`` of the viewport.

    Another layer that is drawn from its cached picture the second time may differ by an invisible shade.
    """
    pictures = []
    for on in (False, True):
        view.layers.set_visible(key, on)
        image = view.snapshot()
        data = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
        pictures.append(data[:, : 4 * image.width()].reshape(image.height(), image.width(), 4).astype(np.int16))
    return np.asarray((np.abs(pictures[0] - pictures[1]) > 4).any(axis=2))

"""The base map: pictures of an MBTiles file, as sharp as the zoom asks for."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QTransform

from firegui.gui.map.items import ScreenItem
from firegui.gui.map.layers.layer import Layer, Legend
from firegui.gui.map.map_content import Shown
from firegui.gui.session.base_map import Picture
from firegui.gui.session.session import Session


class BaseMapLayer(Layer):
    """Under everything but the bare ground."""

    key = "basemap"
    title = "Base map"
    help = "Map tiles of an MBTiles file of your own, warped to the grid; opened with View, Base map…"
    follows = frozenset({"ground"})

    def __init__(self, session: Session) -> None:
        self._screen = ScreenItem(self._paint)
        super().__init__(session, self._screen)
        self._shape = (1, 1)
        self._drawn: list[tuple[Picture, QImage]] = []

    @property
    def swatch(self) -> QColor:
        """Neither land nor water."""
        return QColor("#a9b98f")

    @property
    def legend(self) -> Legend:
        """What the file calls itself, and whom it thanks."""
        archive = self.session.ground.archive
        return Legend() if archive is None else Legend(note=f"{archive.name} {archive.attribution}".strip())

    def missing(self) -> str:
        """Says when no file is open."""
        if self.session.ground.archive is None:
            return "no MBTiles file is open: View, Base map…, or drop one on the map"
        return ""

    def draw(self, shown: Shown | None) -> None:
        """Take the pictures over."""
        if shown is not None:
            self._shape = shown.scenario.grid.shape
            self._screen.set_grid(*self._shape)
        ground = self.session.ground
        known = {id(picture): image for picture, image in self._drawn}
        pictures = [picture for picture in (ground.whole, ground.sharp) if picture is not None]
        self._drawn = [(picture, known.get(id(picture)) or _image(picture)) for picture in pictures]
        self._screen.update()

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        if not self._drawn:
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        for picture, image in self._drawn:
            top, left, bottom, right = picture.area
            painter.drawImage(transform.mapRect(QRectF(left, top, right - left, bottom - top)), image)
        back, possible = transform.inverted()
        if possible:
            rows, columns = self._shape
            seen = back.mapRect(visible).intersected(QRectF(0.0, 0.0, columns, rows))
            self.session.ground.want((seen.top(), seen.left(), seen.bottom(), seen.right()), transform.m11())


def _image(picture: Picture) -> QImage:
    rows, columns = picture.pixels.shape[:2]
    # copy(): the image must not outlive the array whose memory it borrows.
    return QImage(picture.pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888).copy()

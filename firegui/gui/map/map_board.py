"""The middle of the window: one map, or baseline, plan and difference beside each other on maps that move together."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QWidget

from firegui.gui.map.camera import Camera
from firegui.gui.map.layers.perimeter_layer import ObservedLayer
from firegui.gui.map.map_view import MapView
from firegui.gui.map.mirrored_session import MirrorSession
from firegui.gui.session.session import Session, View

SIDES = (View.BASELINE, View.PLAN, View.DIFFERENCE)
"""From left to right."""
GAP_PX = 3
_NARROWEST_PX = 120


class MapBoard(QStackedWidget):
    """``main`` alone, or three maps made when they are first asked for. Their layers are those of ``main``."""

    def __init__(self, session: Session, main: MapView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self.main = session, main
        self.panes: tuple[MapView, ...] = ()
        self._following = False
        self.addWidget(main)
        self.setFocusProxy(main)
        main.layers.changed.connect(self._copy_layer)
        main.layers.reordered.connect(self._copy_order)
        session.side_by_side_changed.connect(self._turn)
        self._turn(session.side_by_side)

    @property
    def shown_maps(self) -> tuple[MapView, ...]:
        """The maps on screen, from left to right."""
        return self.panes if self._session.side_by_side else (self.main,)

    def fit(self) -> None:
        """Show the whole grid."""
        for each in self.shown_maps:
            each.fit()

    def snapshot(self) -> QImage:
        """What is on screen, up to date."""
        return joined([each.snapshot() for each in self.shown_maps])

    def _turn(self, side_by_side: bool) -> None:
        if side_by_side:
            self._make_panes()
            self.setCurrentIndex(1)
            self.panes[0].camera.follow(self.main.camera)
            self.setFocusProxy(self.panes[1])
        elif self.panes:
            self.main.camera.follow(self.panes[0].camera)
            self.setCurrentIndex(0)
            self.setFocusProxy(self.main)

    # -- the three ---------------------------------------------------------------------------------------------------
    def _make_panes(self) -> None:
        if self.panes:
            return
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP_PX)
        self.panes = tuple(MapView(MirrorSession(self._session, side, self)) for side in SIDES)
        for pane, side in zip(self.panes, SIDES, strict=True):
            pane.camera.widget.setAccessibleName(f"Map, {side.value}")
            # Three maps in a small window are narrower than one may be; wider than their place they would be cut.
            pane.setMinimumWidth(_NARROWEST_PX)
            pane.hovered.connect(self.main.hovered)
            pane.camera.moved.connect(lambda camera=pane.camera: self._link(camera))
            row.addWidget(pane, 1)
            share_outlines(self.main, pane)
        for layer in self.main.layers:
            self._copy_layer(layer.key)
        self._copy_order()
        self.addWidget(page)

    def _link(self, moved: Camera) -> None:
        if self._following:
            return
        self._following = True
        for pane in self.panes:
            if pane.camera is not moved:
                pane.camera.follow(moved)
        self._following = False

    def _copy_layer(self, key: str) -> None:
        layer = self.main.layers[key]
        for pane in self.panes:
            pane.layers.set_visible(key, layer.visible)
            pane.layers.set_opacity(key, layer.opacity)

    def _copy_order(self) -> None:
        for pane in self.panes:
            pane.layers.set_order(self.main.layers.order)


def share_outlines(main: MapView, other: MapView) -> None:
    """Let ``other`` use the perimeters that ``main`` has traced."""
    known, wanting = main.layers["observed"], other.layers["observed"]
    if isinstance(known, ObservedLayer) and isinstance(wanting, ObservedLayer):
        wanting.outlines = known.outlines


def joined(pictures: list[QImage], gap: int = GAP_PX) -> QImage:
    """Pictures of one height beside each other."""
    if len(pictures) == 1:
        return pictures[0]
    ratio = pictures[0].devicePixelRatio()
    space = round(gap * ratio)
    width = sum(each.width() for each in pictures) + space * (len(pictures) - 1)
    found = QImage(QSize(width, max(each.height() for each in pictures)), QImage.Format.Format_RGB32)
    found.fill(0)
    painter, left = QPainter(found), 0
    for each in pictures:
        plain = QImage(each)
        plain.setDevicePixelRatio(1.0)
        painter.drawImage(left, 0, plain)
        left += plain.width() + space
    painter.end()
    found.setDevicePixelRatio(ratio)
    return found

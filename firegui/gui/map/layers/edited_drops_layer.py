"""Drops changed by hand: the chosen one, the one on the move, and what that does to the fire."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QTransform

from firegui.domain.drops import Drop
from firegui.domain.fleet import Material
from firegui.gui.map.color_scales import Bytes, difference_scale
from firegui.gui.map.items import ScreenItem
from firegui.gui.map.layers.drops_layer import SIGMAS
from firegui.gui.map.layers.layer import Layer, Legend, LegendEntry, RasterLayer, Sample
from firegui.gui.map.map_colors import faded
from firegui.gui.map.map_content import Shown
from firegui.gui.session.session import Session, View
from firegui.planning.drop_validator import DropValidator

_HANDLE_CELLS, _HANDLE_PX = 2.0, 5.0
"""The handle stands that many cells beyond the end of the footprint's long axis."""


def handle_of(rules: DropValidator, drop: Drop) -> tuple[float, float]:
    """Where the handle is that turns ``drop``, in corner coordinates."""
    y, x = rules.landing(drop)
    sigma = rules.tails[drop.column].type.sigma_parallel_m / rules.project.scenario.grid.cell_size_m
    reach = SIGMAS * sigma + _HANDLE_CELLS
    return y + 0.5 - reach * math.sin(drop.theta), x + 0.5 + reach * math.cos(drop.theta)


class ChangeLayer(RasterLayer):
    """Before minus after, at the end of the plan."""

    key = "change"
    title = "What a change does"
    help = "While a drop is moved or questioned: P(fire) at the end of the plan, before minus after, −1 to +1"
    follows = frozenset({"plan_editor", "result", "view"})

    def __init__(self, session: Session) -> None:
        scale = replace(difference_scale(), title="P(fire) at the end, before − after the change")
        super().__init__(session, scale, opacity=0.9)

    @property
    def in_view(self) -> bool:
        """Not on the baseline, which has no drops."""
        return self.session.view is not View.BASELINE

    def missing(self) -> str:
        """Says when nothing is being changed."""
        look = self.session.plan_editor.preview
        return "" if look is not None and look.change is not None else "shown while a drop is moved: tool Drops"

    def identity(self, shown: Shown) -> object:
        """The answer that is shown."""
        return shown.look

    def codes(self, shown: Shown) -> Bytes | None:
        """Codes of the difference."""
        look = shown.look
        if look is None or look.change is None or look.change.shape != shown.scenario.grid.shape:
            return None
        return np.asarray((look.change + 255) >> 1, np.uint8)


class ChosenLayer(Layer):
    """The chosen drop with its handle; on the move it is drawn where it would be, with a line from where it was."""

    key = "chosen"
    title = "Chosen drop"
    help = "The drop chosen with the tool Drops: 2σ footprint where it lands, release point, handle to turn it"
    follows = frozenset({"plan_editor", "result", "view", "tool"})

    def __init__(self, session: Session) -> None:
        self._screen = ScreenItem(self._paint)
        super().__init__(session, self._screen)

    @property
    def swatch(self) -> QColor:
        """The outline's colour."""
        return self.ink.accent

    @property
    def legend(self) -> Legend:
        """The chosen drop, and one that breaks a rule."""
        return Legend(
            entries=(
                LegendEntry("chosen, or on the move", self.ink.accent, Sample.OUTLINE),
                LegendEntry("would break a rule", self.ink.observed, Sample.OUTLINE),
            )
        )

    @property
    def in_view(self) -> bool:
        """The baseline has no drops."""
        return self.session.view is not View.BASELINE

    def missing(self) -> str:
        """Says when none is chosen."""
        editor = self.session.plan_editor
        return "" if editor.selected is not None or editor.change is not None else "none chosen: see the tool Drops"

    def draw(self, shown: Shown | None) -> None:
        """It is placed while painting."""
        if shown is not None:
            self._screen.set_grid(*shown.scenario.grid.shape)
        self._screen.update()

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        editor = self.session.plan_editor
        if not self.session.has_project:
            return
        selected, change = editor.selected, editor.change
        if change is not None:
            self._paint_drop(painter, transform, change.drop, broken=bool(change.broken))
            if selected is not None and selected != change.drop and change.drop in change.after.drops:
                self._paint_way(painter, transform, selected, change.drop)
        elif selected is not None:
            self._paint_drop(painter, transform, selected, broken=False)

    def _paint_drop(self, painter: QPainter, transform: QTransform, drop: Drop, *, broken: bool) -> None:
        rules = self.session.plan_editor.rules
        kind, cell = rules.tails[drop.column].type, rules.project.scenario.grid.cell_size_m
        fill = self.ink.water if kind.material is Material.WATER else self.ink.retardant
        color = self.ink.observed if broken else self.ink.accent
        long, wide = (SIGMAS * sigma / cell for sigma in (kind.sigma_parallel_m, kind.sigma_perpendicular_m))
        y, x = rules.landing(drop)
        ellipse = QPainterPath()
        ellipse.addEllipse(QPointF(0.0, 0.0), long, wide)
        turn = QTransform().translate(x + 0.5, y + 0.5).rotateRadians(-drop.theta)
        path = transform.map(turn.map(ellipse))
        painter.fillPath(path, QBrush(faded(fill, 0.45)))
        for pen in (QPen(self.ink.halo, 5.0), QPen(color, 2.2)):
            painter.strokePath(path, pen)
        released, landed = (transform.map(QPointF(c + 0.5, r + 0.5)) for r, c in ((drop.y, drop.x), (y, x)))
        handle = transform.map(QPointF(*reversed(handle_of(rules, drop))))
        painter.setBrush(QBrush(self.ink.card))
        for pen in (QPen(self.ink.halo, 4.0), QPen(color, 1.5)):
            painter.setPen(pen)
            painter.drawLine(released, landed)
            painter.drawEllipse(handle, _HANDLE_PX, _HANDLE_PX)
            painter.drawRect(QRectF(released.x() - 3.0, released.y() - 3.0, 6.0, 6.0))

    def _paint_way(self, painter: QPainter, transform: QTransform, drop: Drop, to: Drop) -> None:
        """From where it lands now to where it would."""
        landings = map(self.session.plan_editor.rules.landing, (drop, to))
        ends = [transform.map(QPointF(x + 0.5, y + 0.5)) for y, x in landings]
        for pen in (QPen(self.ink.halo, 3.5), QPen(self.ink.text, 1.2, Qt.PenStyle.DashLine)):
            painter.setPen(pen)
            painter.drawLine(*ends)

"""Executed drops as footprint ellipses to scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QPainterPath

from firegui.domain.fleet import Material
from firegui.domain.schedule import DropRecord
from firegui.gui.map.items import Stroke, StrokesItem, cosmetic
from firegui.gui.map.layers.layer import Layer, Legend, LegendEntry, Sample
from firegui.gui.map.map_colors import faded
from firegui.gui.map.map_content import Shown
from firegui.gui.session.session import Session, View

SIGMAS = 2.0
"""The ellipse is the contour at two standard deviations: semi-axes 2σ∥ and 2σ⊥."""

_POINTS = 24
_STEP = attrgetter("step")
_POSE = attrgetter("landing_y", "landing_x", "theta", "sigma_parallel_cells", "sigma_perpendicular_cells")
_LATER, _EARLIER = 0.30, 0.85


@dataclass(frozen=True, slots=True, eq=False)
class Ellipses:
    """Footprints of one material in order of step: ``steps [n]``, ``points [n, 24, 2]`` as ``(row, column)``."""

    steps: NDArray[np.int64]
    points: NDArray[np.float64]

    @staticmethod
    def of(drops: Sequence[DropRecord]) -> Ellipses:
        """Ellipses around the landing points, long axis along ``(dx, dy) = (cos θ, −sin θ)``."""
        ordered = sorted(drops, key=_STEP)
        table = np.array([_POSE(drop) for drop in ordered], np.float64).reshape(-1, 5)
        y, x, theta, parallel, perpendicular = (column[:, None] for column in table.T)
        turn = np.linspace(0.0, 2.0 * np.pi, _POINTS, endpoint=False)[None, :]
        along, across = SIGMAS * parallel * np.cos(turn), SIGMAS * perpendicular * np.sin(turn)
        dx = along * np.cos(theta) + across * np.sin(theta)
        dy = -along * np.sin(theta) + across * np.cos(theta)
        # A pose counts cell centres at integers, the map counts corners: half a cell further.
        return Ellipses(np.array([d.step for d in ordered], np.int64), np.stack([y + 0.5 + dy, x + 0.5 + dx], axis=2))

    def between(self, first: int, end: int) -> QPainterPath:
        """One path of the drops with ``first ≤ step < end``."""
        low, high = np.searchsorted(self.steps, [first, end])
        chosen = self.points[low:high]
        if not len(chosen):
            return QPainterPath()
        closed = np.concatenate([chosen, chosen[:, :1]], axis=1).reshape(-1, 2)
        joined = np.ones(len(closed), np.int32)
        joined[_POINTS :: _POINTS + 1] = 0
        path: QPainterPath = pg.arrayToQPath(closed[:, 1], closed[:, 0], connect=joined, finiteCheck=True)
        return path


class DropsLayer(Layer):
    """Earlier drops quiet, the shown day's strong, later ones faint."""

    key = "drops"
    title = "Drops"
    help = "Executed drops at their landing points, 2σ footprints to scale; strong on the shown day, faint when later"
    follows = frozenset({"step", "view", "result"})

    def __init__(self, session: Session) -> None:
        self.strokes = StrokesItem()
        super().__init__(session, self.strokes)
        self._source: tuple[DropRecord, ...] | None = None
        self._ellipses: dict[Material, Ellipses] = {}
        self._other_days: tuple[Stroke, ...] = ()
        self._today: dict[int, tuple[Stroke, ...]] = {}
        self._made_of: tuple[object, int, object] = (None, -1, None)

    @property
    def swatch(self) -> QColor:
        """Retardant's colour."""
        return self.ink.retardant

    @property
    def legend(self) -> Legend:
        """One entry per material."""
        return Legend(
            entries=(
                LegendEntry("retardant", self.ink.retardant, Sample.ELLIPSE),
                LegendEntry("water", self.ink.water, Sample.ELLIPSE),
            ),
            note="2σ footprints to scale; strong: shown day, faint: still to come",
        )

    @property
    def in_view(self) -> bool:
        """The baseline has no drops."""
        return self.session.view is not View.BASELINE

    def missing(self) -> str:
        """Says when there is no plan."""
        if self.session.result.mean_of:
            return "not shown with means over an ensemble: show the plan's run"
        return "" if any(drop.executed for drop in self.session.result.drops) else "no executed drops yet: start a run"

    def draw(self, shown: Shown | None) -> None:
        """The days after and before, which stand still within a day, then the shown day, which grows, then its rest."""
        if shown is None or not shown.result.drops:
            self.strokes.set_strokes(())
            return
        self._make(shown)
        per_day = shown.project.calendar.steps_per_day
        begin, now = shown.day * per_day, shown.step + 1
        flown = [stroke for step in range(begin, now) for stroke in self._strokes_of(step)]
        later = [
            Stroke(self._ellipses[material].between(now, begin + per_day), cosmetic(faded(color, _LATER)))
            for material, color in self._materials
        ]
        still = self._other_days
        self.strokes.set_strokes([*still, *flown, *later], still=len(still), growing=len(flown))

    def prepare(self, shown: Shown | None) -> None:
        """Make the shapes of a new plan, a part of the work that needs no painting."""
        if shown is not None and shown.result.drops and self.visible and self.in_view:
            self._make(shown)

    def _make(self, shown: Shown) -> None:
        per_day = shown.project.calendar.steps_per_day
        self._load(shown.result.drops)
        self._turn_to(shown.day * per_day, (shown.day + 1) * per_day, shown.project.calendar.n_steps + 1)

    @property
    def _materials(self) -> tuple[tuple[Material, QColor], ...]:
        return (Material.RETARDANT, self.ink.retardant), (Material.WATER, self.ink.water)

    def _turn_to(self, begin: int, end: int, after: int) -> None:
        """Make the strokes of the days before and after, unless they are at hand: the same objects look the same."""
        wanted = (self._source, begin, self.ink)
        if all(new is old or new == old for new, old in zip(wanted, self._made_of, strict=True)):
            return
        self._made_of = wanted
        later = [(self._ellipses[material].between(end, after), color, _LATER) for material, color in self._materials]
        earlier = [(self._ellipses[material].between(0, begin), color, _EARLIER) for material, color in self._materials]
        self._other_days = tuple(
            Stroke(path, cosmetic(faded(color, strength))) for path, color, strength in (*later, *earlier)
        )
        self._today = {}

    def _strokes_of(self, step: int) -> tuple[Stroke, ...]:
        """A casing and a filled outline for each material of a step, made when it is shown for the first time."""
        if step not in self._today:
            paths = [(self._ellipses[material].between(step, step + 1), color) for material, color in self._materials]
            drawn = [stroke for path, color in paths if not path.isEmpty() for stroke in self._outlined(path, color)]
            self._today[step] = tuple(drawn)
        return self._today[step]

    def _outlined(self, path: QPainterPath, color: QColor) -> tuple[Stroke, Stroke]:
        pens = cosmetic(self.ink.halo, 3.5), cosmetic(color, 1.8)
        for pen in pens:
            # An ellipse has 24 corners and no sharp one; rounding them all would take three times as long.
            pen.setJoinStyle(Qt.PenJoinStyle.BevelJoin)
        return Stroke(path, pens[0]), Stroke(path, pens[1], QBrush(faded(color, 0.55), Qt.BrushStyle.SolidPattern))

    def _load(self, drops: tuple[DropRecord, ...]) -> None:
        if drops is self._source:
            return
        self._source = drops
        for material in Material:
            self._ellipses[material] = Ellipses.of([d for d in drops if d.executed and d.material == material.value])

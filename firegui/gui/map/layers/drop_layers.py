"""Layers of drops: executed, recently removed, and edited."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QTransform

from firegui.domain.drops import Drop
from firegui.domain.fleet import OUTLINE_SIGMAS, Material
from firegui.domain.schedule import DropRecord
from firegui.gui.map.items import Stroke, StrokesItem, around, cosmetic
from firegui.gui.map.layers.layer import (
    DROP_VIEWS,
    Content,
    LayerChoice,
    Legend,
    MapLayer,
    PaintedLayer,
    RasterLayer,
    Sample,
    class_choice,
    same_content,
    threshold_range,
)
from firegui.gui.map.map_colors import Bytes, change_scale, faded
from firegui.gui.map.map_content import MapState
from firegui.gui.session.session import Session, ShownResult, Tool
from firegui.planning.drop_validator import DropValidator
from firegui.runs.stages import Stage

_POINTS = 24
_STEP = attrgetter("step")
_POSE = attrgetter("landing_y", "landing_x", "theta", "sigma_parallel_cells", "sigma_perpendicular_cells")
_EARLIER = 0.85
_LINE_PX = 1.4
_OUTLINE, _CASING, _LINE_CASING = around(0.25, 2), around(0.9, 3), around(1.1, 3)
"""Displacements of thin lines that together make the outline of a footprint, 1.5 px wide, its casing, 2.8 px, and the
casing of a line, 3.2 px."""
DROPS_SHOWN, UNTIL_NOW, THIS_DAY, WHOLE_PLAN = "shown", "now", "day", "plan"
"""Property of the layer of drops, and its values."""
_RETARDANT_FILL, _WATER_FILL = 0.5, 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Ellipses:
    """Footprints of one material in order of step.

    ``steps [n]``, and corners ``points [n, 24, 2]`` as ``(row, column)``.
    """

    steps: NDArray[np.int64]
    points: NDArray[np.float64]

    @staticmethod
    def of(drops: Sequence[DropRecord]) -> Ellipses:
        """Return ellipses around the landing points, long axis along ``(dx, dy) = (cos θ, −sin θ)``."""
        ordered = sorted(drops, key=_STEP)
        table = np.array([_POSE(drop) for drop in ordered], np.float64).reshape(-1, 5)
        y, x, theta, parallel, perpendicular = (column[:, None] for column in table.T)
        turn = np.linspace(0.0, 2.0 * np.pi, _POINTS, endpoint=False)[None, :]
        along, across = OUTLINE_SIGMAS * parallel * np.cos(turn), OUTLINE_SIGMAS * perpendicular * np.sin(turn)
        dx = along * np.cos(theta) + across * np.sin(theta)
        dy = -along * np.sin(theta) + across * np.cos(theta)
        # Poses have cell centres at integers, the map has cell corners: an offset of half a cell.
        return Ellipses(np.array([d.step for d in ordered], np.int64), np.stack([y + 0.5 + dy, x + 0.5 + dx], axis=2))

    def between(self, first: int, end: int) -> QPainterPath:
        """Return one path of the drops with ``first ≤ step < end``."""
        chosen = self._chosen(first, end)
        if not len(chosen):
            return QPainterPath()
        closed = np.concatenate([chosen, chosen[:, :1]], axis=1).reshape(-1, 2)
        joined = np.ones(len(closed), np.int32)
        joined[_POINTS :: _POINTS + 1] = 0
        path: QPainterPath = pg.arrayToQPath(closed[:, 1], closed[:, 0], connect=joined, finiteCheck=True)
        return path

    def axes_between(self, first: int, end: int) -> QPainterPath:
        """Return one path of the long axes of the drops with ``first ≤ step < end``."""
        ends = self._chosen(first, end)[:, :: _POINTS // 2].reshape(-1, 2)
        path: QPainterPath = pg.arrayToQPath(ends[:, 1], ends[:, 0], connect="pairs", finiteCheck=True)
        return path

    def steps_between(self, first: int, end: int) -> NDArray[np.int64]:
        """Return the step of each drop with ``first ≤ step < end``."""
        return self.steps[slice(*np.searchsorted(self.steps, [first, end]))]

    def _chosen(self, first: int, end: int) -> NDArray[np.float64]:
        return self.points[slice(*np.searchsorted(self.steps, [first, end]))]


_Parts = tuple[Sequence[Stroke], int, int]
_NO_DROPS = "no drops yet: start a run"


class DropsLayer(MapLayer):
    """Executed drops: footprints on the shown day, lines on others and for those still to come.

    Lines lie below the fire, unless drops are edited.
    """

    key = "drops"
    title = "Drops"
    help = "Planned drops at their landing points: footprints on the shown day, lines on other days"
    follows = frozenset({"step", "view", "result", "tool"})
    samples = (("retardant", "retardant_line", Sample.ELLIPSE), ("water", "water_line", Sample.OUTLINE))
    swatch_ink = "retardant_line"
    views = DROP_VIEWS
    options = (
        LayerChoice(
            DROPS_SHOWN, "Drops shown", "Which drops are on the map: until the shown time, of its day, or of all days",
            ((UNTIL_NOW, "Until now"), (THIS_DAY, "This day"), (WHOLE_PLAN, "Whole plan")),
        ),
    )  # fmt: skip

    def __init__(self, session: Session) -> None:
        self.strokes, self.lines = StrokesItem(), StrokesItem()
        super().__init__(session, self.strokes, self.lines)
        self._source: tuple[DropRecord, ...] | None = None
        self._ellipses: dict[Material, Ellipses] = {}
        self._box = QRectF()
        self._other_days: tuple[Stroke, ...] = ()
        self._today: dict[int, tuple[Stroke, ...]] = {}
        self._made_of: Content = ()

    @property
    def legend(self) -> Legend:
        """The materials; the note says which drops are drawn how."""
        past = "" if self.shown == THIS_DAY else " · line: past day"
        future = "" if self.shown == UNTIL_NOW else " · dotted: still to come"
        return replace(super().legend, note=f"footprint: shown day{past}{future}")

    @property
    def in_view(self) -> bool:
        """Whether the shown view has drops: also the first fire where it is that of a plan."""
        return super().in_view or bool(self._drops)

    @property
    def _drops(self) -> tuple[DropRecord, ...]:
        """Drops of the plan whose fire is shown."""
        return self.session.result.drops_in(self.session.view)

    @property
    def is_edited(self) -> bool:
        """Whether drops are edited with the tool, which needs all of them within reach."""
        return self.session.tool is Tool.DROP

    @property
    def shown(self) -> str:
        """Which drops are drawn: those of the whole plan while they are edited, else the chosen ones."""
        return WHOLE_PLAN if self.is_edited else str(self._values[DROPS_SHOWN])

    def _steps(self, shown: MapState) -> tuple[int, int]:
        """Return the first step whose drops are drawn and the step after the last."""
        per_day = shown.project.calendar.steps_per_day
        first = shown.day * per_day if self.shown == THIS_DAY else 0
        ends = {UNTIL_NOW: shown.step + 1, THIS_DAY: first + per_day}
        return first, ends.get(self.shown, shown.project.calendar.n_steps + 1)

    def bounds(self) -> QRectF | None:
        """Return the area of all drops that are drawn."""
        area = self.strokes.boundingRect().united(self.lines.boundingRect())
        return None if area.isEmpty() else area

    def crowd(self, transform: QTransform) -> QRectF:
        """Return the box in pixels around the drops of the whole plan, which stays the same during playback."""
        is_drawn = self.visible and self.in_view
        return transform.mapRect(self._box) if is_drawn and not self._box.isEmpty() else QRectF()

    def seen(self) -> list[DropRecord]:
        """Return the executed drops that are drawn now."""
        shown = MapState.of(self.session)
        if shown is None or not (self.visible and self.in_view):
            return []
        first, end = self._steps(shown)
        return [drop for drop in self._drops if drop.executed and first <= drop.step < end]

    def missing(self) -> str:
        """Return why there are no drops."""
        if self.session.result.mean_of:
            return "not shown with means over an ensemble: show the plan's run"
        return "" if any(drop.executed for drop in self._drops or self.session.result.drops) else _NO_DROPS

    def draw(self, shown: MapState | None) -> None:
        """Draw the other days, which stay the same within a day, then the shown day, which grows."""
        if shown is None or not self._drops:
            self.strokes.set_strokes(())
            self.lines.set_strokes(())
            self._source, self._ellipses, self._other_days, self._today, self._made_of = None, {}, (), {}, ()
            self._box = QRectF()
            return
        self._make(shown)
        lines, strokes = self._divided(shown)
        self.lines.set_strokes(*lines)
        self.strokes.set_strokes(*strokes)

    def _divided(self, shown: MapState) -> tuple[_Parts, _Parts]:
        """Return the strokes below the fire and those above it, with the numbers that stay and grow."""
        per_day = shown.project.calendar.steps_per_day
        flown = self._flown(shown)
        end = min((shown.day + 1) * per_day, self._steps(shown)[1])
        later = self._future_strokes(shown.step + 1, end)
        still = self._other_days
        if self.is_edited:
            # A drop below the fire could not be aimed at.
            return ((), 0, 0), ([*still, *flown, *later], len(still), len(flown))
        return ([*still, *later], len(still), 0), (flown, 0, len(flown))

    def prepare(self, shown: MapState | None) -> Iterator[None]:
        """Compute the shapes of a new plan and draw its pictures, without painting."""
        if shown is not None and self._drops and self.visible and self.in_view:
            self._make(shown)
            lines, strokes = self._divided(shown)
            yield
            self.lines.draw_ahead(*lines)
            yield
            self.strokes.draw_ahead(*strokes)
            yield

    def _make(self, shown: MapState) -> None:
        per_day = shown.project.calendar.steps_per_day
        self._load(self._drops)
        self._turn_to(shown.day * per_day, (shown.day + 1) * per_day, shown.project.calendar.n_steps + 1)

    @property
    def _lines(self) -> tuple[tuple[Material, QColor], ...]:
        return (Material.RETARDANT, self.ink.retardant_line), (Material.WATER, self.ink.water_line)

    def _turn_to(self, begin: int, end: int, after: int) -> None:
        """Make the strokes of the other days, unless they exist; identical objects are not drawn again."""
        wanted = (self._source, begin, self.ink, self.shown)
        if same_content(wanted, self._made_of):
            return
        self._made_of = wanted
        earlier = self._axes(0, 0 if self.shown == THIS_DAY else begin, _EARLIER)
        future = self._future_strokes(end, after if self.shown == WHOLE_PLAN else end)
        self._other_days = (*future, *earlier)
        self._today = {}

    def _future_strokes(self, first: int, end: int) -> list[Stroke]:
        """Return dotted lines of drops that are still to come."""
        return self._axes(first, end, 1.0, Qt.PenStyle.DotLine)

    def _axes(self, first: int, end: int, alpha: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> list[Stroke]:
        """Return the long axes of each material, above the casings of both, to set them off."""
        paths = [(self._ellipses[material].axes_between(first, end), color) for material, color in self._lines]
        casing = cosmetic(faded(self.ink.halo, alpha * self.ink.halo.alphaF()))
        return [
            *(Stroke(path, casing, copies=_LINE_CASING) for path, _color in paths),
            *(Stroke(path, cosmetic(faded(color, alpha), _LINE_PX, style)) for path, color in paths),
        ]

    def _flown(self, shown: MapState) -> list[Stroke]:
        """Return the footprints of the shown day until now."""
        between = shown.day * shown.project.calendar.steps_per_day, shown.step + 1
        steps = np.unique(np.concatenate([each.steps_between(*between) for each in self._ellipses.values()]))
        return [stroke for step in steps.tolist() for stroke in self._strokes_of(step)]

    def _strokes_of(self, step: int) -> tuple[Stroke, ...]:
        """Return a casing and a filled outline for each material of a step, made when first drawn."""
        if step not in self._today:
            paths = [(self._ellipses[material].between(step, step + 1), color) for material, color in self._lines]
            drawn = [stroke for path, color in paths if not path.isEmpty() for stroke in self._outlined(path, color)]
            self._today[step] = tuple(drawn)
        return self._today[step]

    def _outlined(self, path: QPainterPath, color: QColor) -> tuple[Stroke, Stroke, Stroke]:
        casing, pen = cosmetic(self.ink.halo), cosmetic(color)
        # Water is nearly hollow, so that the two materials differ by more than their colour.
        is_water = color == self.ink.water_line
        fill = faded(self.ink.water, _WATER_FILL) if is_water else faded(self.ink.retardant, _RETARDANT_FILL)
        filling = Stroke(path, QPen(Qt.PenStyle.NoPen), QBrush(fill, Qt.BrushStyle.SolidPattern))
        return Stroke(path, casing, copies=_CASING), filling, Stroke(path, pen, copies=_OUTLINE)

    def _load(self, drops: tuple[DropRecord, ...]) -> None:
        if drops is self._source:
            return
        self._source = drops
        for material in Material:
            self._ellipses[material] = Ellipses.of([d for d in drops if d.executed and d.material == material.value])
        points = np.concatenate([each.points.reshape(-1, 2) for each in self._ellipses.values()])
        (top, left), (bottom, right) = (points.min(axis=0), points.max(axis=0)) if len(points) else ((0, 0), (0, 0))
        self._box = QRectF(left, top, right - left, bottom - top)


FADE_SECONDS = 1.5
_OTHER_DAYS = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class _Removal:
    """Drops removed together, and when."""

    ellipses: Ellipses
    began: float


class RemovedLayer(MapLayer):
    """Removed drops: opaque on the shown day, fainter on other days, gone after 1.5 seconds.

    While :attr:`is_fading`, the layer must be redrawn, because time alone changes it.
    """

    key = "removed"
    title = "Drops removed"
    help = "While drops are removed: drops that it has just removed, fading out"
    follows = frozenset({"step", "view", "result", "time"})
    samples = (("", "text", Sample.OUTLINE),)
    swatch_ink = "text"
    views = DROP_VIEWS

    def __init__(self, session: Session, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.strokes = StrokesItem()
        super().__init__(session, self.strokes)
        self._clock = clock
        self._seen = ShownResult()
        self._removals: list[_Removal] = []

    @property
    def is_fading(self) -> bool:
        """Whether the next redraw shows something fainter."""
        return bool(self._removals)

    @property
    def legend(self) -> Legend:
        """The outline, while one is on the map."""
        return super().legend if self.is_fading else Legend()

    def missing(self) -> str:
        """Return when drops are shown, unless the second stage runs."""
        return "" if self.session.result.stage is Stage.PRUNE else "shown while drops are removed"

    def update(self) -> None:
        """Record removed drops even while the layer is hidden, so that it does not show them as new later."""
        self._note(self.session.result)
        now = self._clock()
        self._removals = [removal for removal in self._removals if now - removal.began < FADE_SECONDS]
        super().update()

    def draw(self, shown: MapState | None) -> None:
        """Draw four strokes per removal: the days before, those after, and the shown day on its halo."""
        strokes: list[Stroke] = []
        if shown is None:
            self._seen, self._removals = ShownResult(), []
        else:
            now = self._clock()
            for removal in self._removals:
                left = max(1.0 - (now - removal.began) / FADE_SECONDS, 0.0)
                strokes += self._strokes(removal.ellipses, shown, left)
        self.strokes.set_strokes(strokes)

    def _strokes(self, ellipses: Ellipses, shown: MapState, strength: float) -> list[Stroke]:
        calendar, ink = shown.project.calendar, self.ink
        begin, end = shown.day * calendar.steps_per_day, (shown.day + 1) * calendar.steps_per_day
        quiet = cosmetic(faded(ink.text, _OTHER_DAYS * strength), 1.2)
        today = ellipses.between(begin, end)
        return [
            Stroke(ellipses.between(0, begin), quiet),
            Stroke(ellipses.between(end, calendar.n_steps + 1), quiet),
            Stroke(today, cosmetic(faded(ink.halo, strength * ink.halo.alphaF()), 4.0)),
            Stroke(today, cosmetic(faded(ink.text, strength), 1.8)),
        ]

    def _note(self, result: ShownResult) -> None:
        if result is self._seen:
            return
        before, self._seen = self._seen, result
        if result.stage is not Stage.PRUNE or before.title != result.title:
            self._removals = []
        elif before.stage is Stage.PRUNE and before.drops is not result.drops:
            # Only the second stage removes drops. In the first, drops come and go between pictures.
            left = {(drop.step, drop.column) for drop in result.drops if drop.executed}
            self._add([drop for drop in before.drops if drop.executed and (drop.step, drop.column) not in left])

    def _add(self, gone: list[DropRecord]) -> None:
        if gone:
            self._removals.append(_Removal(Ellipses.of(gone), self._clock()))


_HANDLE_CELLS, _HANDLE_PX = 2.0, 5.0
"""Distance of the handle from the end of the footprint's long axis, in cells and pixels."""


def handle_of(rules: DropValidator, drop: Drop) -> tuple[float, float]:
    """Return the position of the rotation handle of ``drop``, in corner coordinates."""
    y, x = rules.landing(drop)
    sigma = rules.tails[drop.column].type.sigma_parallel_m / rules.project.scenario.grid.cell_size_m
    reach = OUTLINE_SIGMAS * sigma + _HANDLE_CELLS
    return y + 0.5 - reach * math.sin(drop.theta), x + 0.5 + reach * math.cos(drop.theta)


def bounds_of(rules: DropValidator, drop: Drop) -> tuple[float, float, float, float]:
    """Return top, left, bottom, right of a drop with handle and release point, in corner coordinates."""
    (y, x), kind, cell = rules.landing(drop), rules.tails[drop.column].type, rules.project.scenario.grid.cell_size_m
    long, wide = (
        OUTLINE_SIGMAS * kind.sigma_parallel_m / cell + _HANDLE_CELLS,
        OUTLINE_SIGMAS * kind.sigma_perpendicular_m / cell,
    )
    dy = math.hypot(long * math.sin(drop.theta), wide * math.cos(drop.theta))
    dx = math.hypot(long * math.cos(drop.theta), wide * math.sin(drop.theta))
    top, bottom = min(y - dy, drop.y), max(y + dy, drop.y)
    left, right = min(x - dx, drop.x), max(x + dx, drop.x)
    return top + 0.5, left + 0.5, bottom + 0.5, right + 0.5


class ChangeLayer(RasterLayer):
    """Effect of a change on the fire at the end of the plan: before minus after."""

    key = "change"
    title = "Effect of my edit"
    help = "While a drop is moved or questioned: P(fire) at the end of the plan, before minus after, −1 to +1"
    follows = frozenset({"plan_editor", "result", "view"})
    views = DROP_VIEWS
    start_opacity = 0.9
    options = (class_choice(5, 7, 9), threshold_range())
    is_signed = True
    make_scale = staticmethod(change_scale)

    def missing(self) -> str:
        """Return when a change is shown, unless there is one."""
        preview = self.session.plan_editor.preview
        return "" if preview is not None and preview.change is not None else "shown while a drop is moved: tool Drops"

    def identity(self, shown: MapState) -> object:
        """Return the preview that is shown."""
        return shown.preview

    def codes(self, shown: MapState) -> Bytes | None:
        """Return the codes of the difference."""
        preview = shown.preview
        if preview is None or preview.change is None or preview.change.shape != shown.scenario.grid.shape:
            return None
        return np.asarray((preview.change + 255) >> 1, np.uint8)


class ChosenLayer(PaintedLayer):
    """The selected drop, with its handle in the tool that turns it.

    While it is moved, a line starts at its former position.
    """

    key = "chosen"
    title = "Selected drop"
    help = "The drop selected with the tool Edit drops: footprint at its landing, release point, turning handle"
    follows = frozenset({"plan_editor", "result", "view", "tool"})
    samples = (("dashed if it breaks a rule", "text", Sample.ELLIPSE),)
    swatch_ink = "text"
    views = DROP_VIEWS

    def content(self, shown: MapState) -> Content | None:
        """Return nothing as long as no drop is selected: every plan of a search marks this layer."""
        return () if self.missing() else None

    def missing(self) -> str:
        """Return how to select a drop, if none is selected."""
        editor = self.session.plan_editor
        return "" if editor.marked or editor.change is not None else "none chosen: see the tool Drops"

    def _paint(self, painter: QPainter, transform: QTransform, visible: QRectF) -> None:
        editor = self.session.plan_editor
        if not self.session.has_project:
            return
        selected, change = editor.selected, editor.change
        for drop in editor.marked:
            if drop != selected:
                self._paint_mark(painter, transform, drop)
        if change is not None:
            self._paint_drop(painter, transform, change.drop, broken=bool(change.broken))
            if selected is not None and selected != change.drop and change.drop in change.after.drops:
                self._paint_way(painter, transform, selected, change.drop)
        elif selected is not None:
            self._paint_drop(painter, transform, selected, broken=False)

    def _paint_mark(self, painter: QPainter, transform: QTransform, drop: Drop) -> None:
        """Paint a drop that is selected together with others, in the colour of its material with a rim."""
        path, color = self._footprint(transform, drop), self._material_color(drop)
        for pen in (QPen(self.ink.accent, 6.0), QPen(self.ink.halo, 3.0), QPen(color, 1.5)):
            painter.strokePath(path, pen)
        painter.fillPath(path, QBrush(faded(color, 0.6)))

    def _material_color(self, drop: Drop) -> QColor:
        material = self.session.plan_editor.rules.tails[drop.column].type.material
        return self.ink.water if material is Material.WATER else self.ink.retardant

    def _footprint(self, transform: QTransform, drop: Drop) -> QPainterPath:
        rules = self.session.plan_editor.rules
        kind, cell = rules.tails[drop.column].type, rules.project.scenario.grid.cell_size_m
        long, wide = (OUTLINE_SIGMAS * sigma / cell for sigma in (kind.sigma_parallel_m, kind.sigma_perpendicular_m))
        y, x = rules.landing(drop)
        ellipse = QPainterPath()
        ellipse.addEllipse(QPointF(0.0, 0.0), long, wide)
        turn = QTransform().translate(x + 0.5, y + 0.5).rotateRadians(-drop.theta)
        return transform.map(turn.map(ellipse))

    def _paint_drop(self, painter: QPainter, transform: QTransform, drop: Drop, *, broken: bool) -> None:
        rules = self.session.plan_editor.rules
        # The outline has neither the colours of the fire nor those of other drops: what is edited must stand out from
        # both. What it carries shows inside.
        color = self.ink.text
        line = Qt.PenStyle.DashLine if broken else Qt.PenStyle.SolidLine
        y, x = rules.landing(drop)
        path = self._footprint(transform, drop)
        for pen in (QPen(self.ink.halo, 5.0), QPen(color, 2.2, line)):
            painter.strokePath(path, pen)
        painter.fillPath(path, QBrush(faded(self._material_color(drop), 0.2 if broken else 0.7)))
        released, landed = (transform.map(QPointF(c + 0.5, r + 0.5)) for r, c in ((drop.y, drop.x), (y, x)))
        handle = transform.map(QPointF(*reversed(handle_of(rules, drop))))
        turns = self.session.tool is Tool.DROP
        painter.setBrush(QBrush(self.ink.card))
        for pen in (QPen(self.ink.halo, 4.0), QPen(color, 1.5)):
            painter.setPen(pen)
            painter.drawLine(released, landed)
            if turns:
                painter.drawEllipse(handle, _HANDLE_PX, _HANDLE_PX)
            painter.drawRect(QRectF(released.x() - 3.0, released.y() - 3.0, 6.0, 6.0))

    def _paint_way(self, painter: QPainter, transform: QTransform, drop: Drop, to: Drop) -> None:
        """Paint a line from the present landing point to the new one."""
        landings = map(self.session.plan_editor.rules.landing, (drop, to))
        ends = [transform.map(QPointF(x + 0.5, y + 0.5)) for y, x in landings]
        for pen in (QPen(self.ink.halo, 3.5), QPen(self.ink.text, 1.2, Qt.PenStyle.DashLine)):
            painter.setPen(pen)
            painter.drawLine(*ends)

"""Painted part of the timeline: days, grounded days, drops per step, and the playhead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QWheelEvent,
)  # fmt: skip
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from firegui.domain.calendar import Calendar
from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.domain.plan_colors import RETARDANT, WATER
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import Colors, current_colors

_HEADER, _BAND, _MARGIN, _KNOB = 18, 14, 8, 6
_HEIGHT = 56


@dataclass(frozen=True, slots=True, eq=False)
class TrackData:
    """Content of the track.

    ``grounded[day]`` are the ids of the grounded types, out of ``types`` types. ``in_project[day]`` are those of the
    open project, where the plan was made with other ones on any day. ``water`` and ``retardant`` are drops per step,
    and ``compared`` those of the plan that this one is compared with: water, then retardant. ``names`` are those of the
    plans that are compared, of the other one first.
    """

    calendar: Calendar
    grounded: tuple[tuple[str, ...], ...]
    types: int
    water: NDArray[np.int64]
    retardant: NDArray[np.int64]
    compared: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    in_project: tuple[tuple[str, ...], ...] | None = None
    names: tuple[str, str] = ("", "")

    @staticmethod
    def of(
        project: Project, drops: Sequence[DropRecord], compared: Sequence[DropRecord] | None = None,
        plan_project: Project | None = None, names: tuple[str, str] = ("", ""),
    ) -> TrackData:  # fmt: skip
        """Return the data of a plan of the open ``project`` and of one to compare with.

        Only executed drops inside the window count. The groundings are those of ``plan_project``, from which the plan
        was made, on the days of the open project.
        """
        calendar, made = project.calendar, plan_project or project
        fleet = replace(project, fleet=made.fleet, grounded=made.grounded).planned_fleet
        grounded, in_project = _grounded(fleet, calendar.days), _grounded(project.planned_fleet, calendar.days)
        water, retardant = _by_material(drops, calendar.n_steps)
        other = None if compared is None else _by_material(compared, calendar.n_steps)
        return TrackData(
            calendar, grounded, len(_flying(fleet)), water, retardant, other,
            None if in_project == grounded else in_project, names,
        )  # fmt: skip

    @property
    def plans(self) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]:
        """Water and retardant of each plan, the first of compared ones first."""
        own = self.water, self.retardant
        return (own,) if self.compared is None else (self.compared, own)

    def all_grounded(self, day: int) -> bool:
        """Return whether all types are grounded on ``day``."""
        return self.types > 0 and len(self.grounded[day]) == self.types

    def differs_from_project(self, day: int) -> bool:
        """Return whether the open project grounds other types on ``day`` than the plan was made with."""
        return self.in_project is not None and self.in_project[day] != self.grounded[day]


def _flying(fleet: Fleet) -> list[AircraftType]:
    return [kind for kind in fleet.types if kind.count > 0]


def _grounded(fleet: Fleet, days: int) -> tuple[tuple[str, ...], ...]:
    """Return the ids of the grounded types of each day."""
    flying = _flying(fleet)
    return tuple(tuple(kind.id for kind in flying if day in kind.grounded_days) for day in range(days))


def _by_material(drops: Sequence[DropRecord], n_steps: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return _per_step(drops, Material.WATER, n_steps), _per_step(drops, Material.RETARDANT, n_steps)


def _per_step(drops: Sequence[DropRecord], material: Material, n_steps: int) -> NDArray[np.int64]:
    name = material.value
    steps = [drop.step for drop in drops if drop.material == name and drop.executed]
    return np.bincount(steps, minlength=n_steps)[:n_steps] if steps else np.zeros(n_steps, np.int64)


class TimelineTrack(QWidget):
    """Timeline of days and drops. A click or drag seeks, the wheel steps.

    A right click, G, or a click on the words about grounded aircraft asks to ground aircraft on a day.
    """

    seeked = Signal(int)
    """The user requests this step."""
    stepped = Signal(int)
    """The user requests to step by this many frames."""
    grounding_requested = Signal(int, QPoint)
    """Day on which aircraft are to be grounded, and a point below it in global pixels."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data: TrackData | None = None
        self._step = 0
        self._drags = False
        # Everything but the playhead, redrawn only if it changes.
        self._ground = QPixmap()
        self._ground_of: tuple[object, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Timeline")

    def sizeHint(self) -> QSize:
        """Return the preferred size: wide and low."""
        return QSize(600, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """Return the smallest useful size."""
        return QSize(160, _HEIGHT)

    def set_data(self, data: TrackData | None) -> None:
        """Show another plan."""
        self._data = data
        self.update()

    def set_step(self, step: int) -> None:
        """Move the playhead."""
        self._step = step
        self.update()

    # -- places ------------------------------------------------------------------------------------------------------
    def x_of_step(self, step: float) -> float:
        """Return the x coordinate of ``step`` in pixels."""
        return _MARGIN + (self.width() - 2 * _MARGIN) * step / self._n_steps()

    def step_at(self, x: float) -> int:
        """Return the step nearest to ``x``, clamped to the plan."""
        share = (x - _MARGIN) / max(self.width() - 2 * _MARGIN, 1)
        return round(min(max(share, 0.0), 1.0) * self._n_steps())

    def day_at(self, x: float) -> int:
        """Return the day at ``x``, clamped to the plan; 0 without one."""
        if self._data is None:
            return 0
        calendar, share = self._data.calendar, (x - _MARGIN) / max(self.width() - 2 * _MARGIN, 1)
        return min(max(int(share * calendar.n_steps / calendar.steps_per_day), 0), calendar.days - 1)

    def _n_steps(self) -> int:
        return max(self._data.calendar.n_steps, 1) if self._data is not None else 1

    # -- the mouse ---------------------------------------------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Seek to the clicked step; on the words about grounded aircraft, offer to change them."""
        if event.button() == Qt.MouseButton.LeftButton and self._data is not None:
            self._drags = not self._is_on_words(event.position())
            if self._drags:
                self.seeked.emit(self.step_at(event.position().x()))
            else:
                self.ask_grounding(self.day_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Seek while dragging."""
        if self._data is not None and event.buttons() & Qt.MouseButton.LeftButton and self._drags:
            self.seeked.emit(self.step_at(event.position().x()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask to ground aircraft on the clicked day; by key, on the shown one."""
        if self._data is not None:
            by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
            self.ask_grounding(self._data.calendar.day_of_step(self._step) if by_key else self.day_at(event.pos().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask to ground aircraft on the shown day on G."""
        if event.key() == Qt.Key.Key_G and self._data is not None and not event.modifiers():
            self.ask_grounding(self._data.calendar.day_of_step(self._step))
        else:
            super().keyPressEvent(event)

    def _is_on_words(self, at: QPointF) -> bool:
        """Return whether a point is on the words about the grounded aircraft of a day."""
        data = self._data
        if data is None or not _HEADER <= at.y() < _HEADER + _BAND:
            return False
        day, per_day = self.day_at(at.x()), data.calendar.steps_per_day
        left, right = self.x_of_step(day * per_day), self.x_of_step((day + 1) * per_day)
        words = grounded_text(self.fontMetrics(), data, day, right - left - 4)
        return abs(at.x() - (left + right) / 2) <= self.fontMetrics().horizontalAdvance(words) / 2 if words else False

    def ask_grounding(self, day: int) -> None:
        """Emit :attr:`grounding_requested` for a day, clamped to the plan."""
        if self._data is not None:
            day = min(max(day, 0), self._data.calendar.days - 1)
            x = self.x_of_step(day * self._data.calendar.steps_per_day)
            self.grounding_requested.emit(day, self.mapToGlobal(QPoint(round(x), _HEADER + _BAND)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Step by one frame per notch of the wheel."""
        turn = event.angleDelta().y() or event.angleDelta().x()
        if turn:
            self.stepped.emit(-1 if turn > 0 else 1)

    def event(self, event: QEvent) -> bool:
        """Show the tooltip of the day under the mouse."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self._data is not None:
            QToolTip.showText(event.globalPos(), tooltip(self.describe(self.step_at(event.pos().x()))), self)
            return True
        return super().event(event)

    def describe(self, step: int) -> str:
        """Return the day of ``step``, its drops and its grounded aircraft."""
        if self._data is None:
            return ""
        data, calendar = self._data, self._data.calendar
        day = calendar.day_of_state(step)
        steps = slice(day * calendar.steps_per_day, (day + 1) * calendar.steps_per_day)
        date = calendar.date_of_day(day)
        dated = f"{date:%A} {date.day} {date:%B %Y}" if calendar.is_dated else calendar.date_text(day)
        lines = [f"Day {day + 1} · {dated}", *filter(None, (calendar.day_span_text(day),))]
        names = [f"{name}: " for name in data.names] if data.compared is not None else [""]
        for whose, (water, retardant) in zip(names, data.plans, strict=True):
            drops = f"{int(retardant[steps].sum())} retardant and {int(water[steps].sum())} water drops this day"
            lines.append(whose + drops)
        if data.in_project is not None and data.differs_from_project(day):
            plan = data.names[1] if data.compared is not None else "this plan"
            lines.append(f"grounded when {plan} was made: {', '.join(data.grounded[day]) or 'none'}")
            lines.append(f"grounded in the project now: {', '.join(data.in_project[day]) or 'none'}")
        elif data.all_grounded(day):
            lines.append("all aircraft grounded")
        elif data.grounded[day]:
            lines.append("grounded: " + ", ".join(data.grounded[day]))
        lines.append("Right-click, or press G, to ground aircraft" + " in the project" * (data.in_project is not None))
        return "\n".join(lines)

    # -- painting ----------------------------------------------------------------------------------------------------
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the background from its picture, and the playhead."""
        painter, colors = QPainter(self), current_colors()
        wanted = (self._data, self.size(), self.devicePixelRatioF(), colors)
        if wanted != self._ground_of:
            self._ground, self._ground_of = self._painted_ground(colors), wanted
        painter.drawPixmap(0, 0, self._ground)
        if self._data is not None:
            self._paint_playhead(painter, colors)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            painter.setPen(QPen(QColor(colors.focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def _painted_ground(self, colors: Colors) -> QPixmap:
        picture = QPixmap(self.size() * self.devicePixelRatioF())
        picture.setDevicePixelRatio(self.devicePixelRatioF())
        picture.fill(QColor(colors.window))
        painter = QPainter(picture)
        painter.setFont(self.font())
        body = QRectF(_MARGIN, 1, self.width() - 2 * _MARGIN, self.height() - 2)
        painter.fillRect(body, QColor(colors.base))
        if self._data is not None:
            for day in range(self._data.calendar.days):
                self._paint_day(painter, colors, self._data, day)
            self._paint_drops(painter, colors, self._data)
        painter.setPen(QColor(colors.border))
        painter.drawRect(body.adjusted(0, 0, -1, 0))
        painter.end()
        return picture

    def _paint_day(self, painter: QPainter, colors: Colors, data: TrackData, day: int) -> None:
        per_day = data.calendar.steps_per_day
        left, right = self.x_of_step(day * per_day), self.x_of_step((day + 1) * per_day)
        head = QRectF(left, 1, right - left, _HEADER - 1)
        painter.fillRect(head, QColor(colors.raised if day % 2 == 0 else colors.alternate))
        if data.grounded[day]:
            self._paint_grounded(painter, colors, QRectF(left, 1, right - left, self.height() - 2), data, day)
        painter.setPen(QColor(colors.border))
        painter.drawLine(QPointF(left, 1), QPointF(left, self.height() - 2))
        painter.drawLine(QPointF(left, _HEADER + _BAND), QPointF(right, _HEADER + _BAND))
        painter.setPen(QColor(colors.text))
        band = QRectF(left, _HEADER, right - left, _BAND)
        if data.differs_from_project(day):
            painter.setPen(QPen(QColor(colors.text), 1, Qt.PenStyle.DashLine))
            painter.drawRect(QRectF(left, 1, right - left, self.height() - 2).adjusted(2, 1, -2, -3))
        words = grounded_text(painter.fontMetrics(), data, day, band.width() - 4)
        painter.drawText(band, Qt.AlignmentFlag.AlignCenter, words)
        painter.drawText(head, Qt.AlignmentFlag.AlignCenter, _day_text(painter, data.calendar, day, head.width() - 4))

    @staticmethod
    def _paint_grounded(painter: QPainter, colors: Colors, area: QRectF, data: TrackData, day: int) -> None:
        """Hatch a day on which all types are grounded; otherwise shade it by the share of grounded types."""
        shade = QColor(colors.grounded)
        if data.all_grounded(day):
            shade.setAlpha(110)
            painter.fillRect(area, shade)
            shade.setAlpha(255)
            painter.fillRect(area, QBrush(shade, Qt.BrushStyle.BDiagPattern))
        else:
            shade.setAlpha(40 + round(80 * len(data.grounded[day]) / data.types))
            painter.fillRect(area, shade)

    def _paint_drops(self, painter: QPainter, colors: Colors, data: TrackData) -> None:
        """Paint drops per step, stacked by material. Steps within one pixel share the highest bar.

        Compared plans have a row each, of one scale, with a line between them.
        """
        count, whole = len(data.plans), self.height() - _HEADER - _BAND - 5.0
        room = whole / count - (count - 1)
        highest = max(max(int((water + retardant).max(initial=0)) for water, retardant in data.plans), 1)
        width = max(self.x_of_step(1) - self.x_of_step(0) - 0.5, 1.0)
        for number, (water, retardant) in enumerate(data.plans, start=1):
            floor = self.height() - 2.0 - whole * (count - number) / count
            if number < count:
                painter.fillRect(QRectF(_MARGIN, floor, self.width() - 2 * _MARGIN, 1.0), QColor(colors.border))
            for place, (first, second) in self._tops(retardant, water).items():
                low, high = room * first / highest, room * second / highest
                painter.fillRect(QRectF(place, floor - low, width, low), QColor(RETARDANT))
                painter.fillRect(QRectF(place, floor - low - high, width, high), QColor(WATER))

    def _tops(self, retardant: NDArray[np.int64], water: NDArray[np.int64]) -> dict[int, tuple[int, int]]:
        """Return the most drops of the steps that share a pixel, by its x coordinate."""
        tops: dict[int, tuple[int, int]] = {}
        for step in np.flatnonzero(water + retardant):
            pair = int(retardant[step]), int(water[step])
            place = int(self.x_of_step(int(step)))
            if sum(pair) > sum(tops.get(place, (0, 0))):
                tops[place] = pair
        return tops

    def _paint_playhead(self, painter: QPainter, colors: Colors) -> None:
        x = self.x_of_step(self._step)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colors.accent), 2))
        painter.drawLine(QPointF(x, _KNOB), QPointF(x, self.height() - 1))
        painter.setBrush(QColor(colors.accent))
        painter.setPen(QPen(QColor(colors.on_accent), 1))
        corners = ((-_KNOB, 0.5), (_KNOB, 0.5), (_KNOB, 6.0), (0.0, 13.0), (-_KNOB, 6.0))
        painter.drawPolygon(QPolygonF([QPointF(x + dx, y) for dx, y in corners]))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus frame."""
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the focus frame."""
        self.update()


def grounded_text(metrics: QFontMetrics, data: TrackData, day: int, room: float) -> str:
    """Return as much of the number of grounded types as fits.

    Where the open project grounds others, its number is added.
    """
    count = len(data.grounded[day])
    texts: tuple[str, ...] = ()
    if data.in_project is not None and data.differs_from_project(day):
        in_project = len(data.in_project[day])
        plan, project = str(count or "none"), "others" if in_project == count else str(in_project or "none")
        texts = (
            f"grounded: {plan} in the plan shown, {project} in the project now",
            f"grounded: {plan} in the plan, now {project}", f"grounded: {plan}, now {project}",
            f"{plan}, now {project}", "≠",
        )  # fmt: skip
    elif count:
        texts = f"grounded: {count} of {data.types} types", f"{count} grounded", f"{count} of {data.types}", "✕"
    return next((text for text in texts if metrics.horizontalAdvance(text) <= room), "")


def _day_text(painter: QPainter, calendar: Calendar, day: int, room: float) -> str:
    """Return as much of the day as fits: number and date, the number, or nothing."""
    for text in (calendar.day_title(day), f"Day {day + 1}", str(day + 1)):
        if painter.fontMetrics().horizontalAdvance(text) <= room:
            return text
    return ""

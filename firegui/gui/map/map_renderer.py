"""What the map shows, drawn again out of sight, step after step: the same layers, place, size and scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from firegui.gui.map.map_board import SIDES, MapBoard, joined, share_outlines
from firegui.gui.map.map_view import MapView
from firegui.gui.session.session import Session, View

_SAMPLES = 3


class MapRenderer(QWidget):
    """Maps nobody sees, each with a session of its own: what is played or edited meanwhile does not come into the film.

    ``views`` are the sides beside each other; left out, they are those on screen. Of a single side where three are on
    screen, or the other way round, every map is as large as those on screen.
    """

    def __init__(self, session: Session, board: MapBoard, views: tuple[View, ...] = ()) -> None:
        super().__init__()
        shown = board.shown_maps
        own = SIDES if session.side_by_side else (session.view,)
        self._views = views or own
        self._sessions = tuple(_still(session, view, self) for view in self._views)
        self._maps = []
        for view, copy in zip(self._views, self._sessions, strict=True):
            like = shown[own.index(view)] if view in own else shown[0]
            self._maps.append(self._map(copy, like, board))

    def picture(self, step: int) -> NDArray[np.uint8]:
        """``[H, W, 3]`` of a step."""
        for session in self._sessions:
            session.set_step(step)
        return pixels_of(joined([each.snapshot() for each in self._maps]))

    def _map(self, session: Session, like: MapView, board: MapBoard) -> MapView:
        made = MapView(session, self)
        made.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        made.setWindowFlag(Qt.WindowType.Window)
        made.setMinimumSize(like.minimumSize())
        made.resize(like.size())
        made.show()
        for layer in board.main.layers:
            made.layers.set_visible(layer.key, layer.visible)
            made.layers.set_opacity(layer.key, layer.opacity)
        made.layers.set_order(board.main.layers.order)
        share_outlines(board.main, made)
        made.camera.follow(like.camera)
        return made


def film_steps(session: Session, first_day: int = 0, days: int | None = None) -> tuple[int, ...]:
    """Every frame there is of ``days`` days from ``first_day`` on, the last one's end with them."""
    calendar, result = session.project.calendar, session.result
    frames = result.plan or result.baseline
    stride = frames.stride if frames is not None else 1
    begin = first_day * calendar.steps_per_day
    end = begin + (calendar.days - first_day if days is None else days) * calendar.steps_per_day
    return (*range(begin - begin % stride, end, stride), min(end, calendar.n_steps))


def sample_steps(steps: Sequence[int]) -> tuple[int, ...]:
    """The first, the middle and the last: from their pictures a GIF takes its colours."""
    return tuple(dict.fromkeys(steps[k * (len(steps) - 1) // (_SAMPLES - 1)] for k in range(_SAMPLES)))


def _still(session: Session, view: View, parent: QWidget) -> Session:
    """A session that shows what ``session`` shows now, and no later change of it."""
    copy = Session(parent)
    copy.open_project(session.project, session.folder)
    copy.show_result(session.result)
    copy.set_view(view)
    copy.select_region(session.selected_region)
    copy.ground = session.ground
    return copy


def pixels_of(image: QImage) -> NDArray[np.uint8]:
    """``[H, W, 3]`` of an image, in its own pixels."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).copy()

"""One map, or baseline, plan and difference side by side, on screen and rendered off screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction, QImage, QPainter, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QStackedWidget, QWidget

from firegui.domain.project import Project
from firegui.domain.units import Units
from firegui.errors import InputError
from firegui.gui.map.camera import Camera
from firegui.gui.map.decorations import DecorationParts
from firegui.gui.map.layers.fire_layers import ObservedLayer
from firegui.gui.map.map_content import MapState
from firegui.gui.map.map_view import MapView
from firegui.gui.session.session import FireView, Session, ShapeKind, ShownResult, Tool


class MirrorSession(Session):
    """Session of a side map.

    It follows ``main`` and forwards edits to it, but always shows ``view``.
    """

    def __init__(self, main: Session, view: FireView, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._main, self._view = main, view
        # Drops are edited, previewed and undone in the main session only.
        self.plan_editor, self.ground, self.drawing = main.plan_editor, main.ground, main.drawing
        self.behaviour = main.behaviour
        main.project_opened.connect(self._follow_project)
        main.project_edited.connect(self._follow_edit)
        main.step_changed.connect(super().set_step)
        main.result_changed.connect(self._follow_result)
        main.shape_selected.connect(self._follow_selection)
        main.region_shown.connect(self.region_shown)
        main.tool_changed.connect(self._follow_tool)
        main.units_changed.connect(self._follow_units)
        self.deleted.connect(main.deleted)
        self.message.connect(main.message)
        self._follow_units()
        self._follow_project()
        self._follow_result()
        super().set_step(main.step)
        self._follow_tool(main.tool.value)

    # -- following ---------------------------------------------------------------------------------------------------
    def _follow_project(self) -> None:
        if self._main.has_project:
            self.open_project(self._main.project, self._main.folder)

    def _follow_edit(self) -> None:
        self._set_project(self._main.project)

    def _follow_result(self) -> None:
        self.show_result(self._main.result)

    def _follow_selection(self) -> None:
        chosen = self._main.selected_shape
        super().select_shape(chosen.kind, chosen.name)

    def _follow_tool(self, name: str) -> None:
        super().set_tool(Tool(name))

    def _follow_units(self) -> None:
        super().set_units(self._main.units)

    # -- handing on --------------------------------------------------------------------------------------------------
    def edit(self, text: str, project: Project, merge: int = -1) -> None:
        """Edit the project of the main session."""
        self._main.edit(text, project, merge)

    def undo(self) -> None:
        """Undo the last edit of the main session."""
        self._main.undo()

    def refuse(self, error: InputError) -> None:
        """Report through the main session."""
        self._main.refuse(error)

    def select_shape(self, kind: ShapeKind, name: str) -> None:
        """Select a shape on all maps."""
        self._main.select_shape(kind, name)

    def set_tool(self, tool: Tool) -> None:
        """Select a tool on all maps."""
        self._main.set_tool(tool)

    def set_units(self, units: Units) -> None:
        """Set the units of all maps."""
        self._main.set_units(units)

    def set_step(self, step: int) -> None:
        """Show a step on all maps."""
        self._main.set_step(step)

    def set_view(self, view: FireView) -> None:
        """Keep the view of this session."""

    def show_result(self, result: ShownResult) -> None:
        """Show a result without changing the view."""
        self._result = result
        self.result_changed.emit()


SIDES = (FireView.BASELINE, FireView.PLAN, FireView.DIFFERENCE)
"""The sides, from left to right."""
_PARTS = (
    DecorationParts(legend=False, north=False),
    DecorationParts(time=False, scale_bar=False, north=False),
    DecorationParts(time=False, scale_bar=False),
)
"""What each of the sides shows: the time and the scale once, and the legend of each colour scale once."""
GAP_PX = 3
_ROOM_FOR_THREE_PX = 600
"""On a narrower board what the plan saves has no map of its own: three would be strips."""
_NARROWEST_PX = 120
_LOWEST_PX = 240
"""Least height of each of several rows of maps."""
_GAIN = 1.1
"""How much larger the maps must be in fewer columns, which are not as easily compared."""


class MapBoard(QStackedWidget):
    """Map ``main`` alone, or three maps with its layers (two on a narrow board), created when first shown."""

    def __init__(self, session: Session, main: MapView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self.main = session, main
        self.panes: tuple[MapView, ...] = ()
        self._following = False
        self._arrangement = 0, 0
        self._menu_actions: tuple[QAction, ...] = ()
        self._overlays: Sequence[QRect] = ()
        self._covered = QRect()
        self.addWidget(main)
        self.setFocusProxy(main)
        main.layers.changed.connect(self._copy_layers)
        main.layers.reordered.connect(self._copy_layers)
        session.side_by_side_changed.connect(self._turn)
        self._turn(session.side_by_side)

    @property
    def shown_maps(self) -> tuple[MapView, ...]:
        """The maps on screen, from left to right."""
        if not self._session.side_by_side:
            return (self.main,)
        return tuple(pane for pane in self.panes if not pane.isHidden())

    @property
    def active_map(self) -> MapView:
        """The shown map whose context menu was opened last, else the one with the focus, else the first."""
        shown = self.shown_maps
        opened = [each for each in shown if each.has_menu_place]
        focused = [each for each in shown if each.camera.widget.hasFocus()]
        return (*opened, *focused, *shown)[0]

    def set_menu_actions(self, actions: Sequence[QAction]) -> None:
        """Set the actions that the context menus of all maps end with."""
        self._menu_actions = tuple(actions)
        for each in (self.main, *self.panes):
            each.set_menu_actions(actions)

    def set_overlays(self, parts: Sequence[QRect]) -> None:
        """Keep the cards of all maps clear of ``parts`` of the board, which something else covers."""
        self._overlays = parts
        for each in (self.main, *self.panes):
            each.set_overlays(parts, self)

    def set_covered(self, box: QRect) -> None:
        """Keep what is fitted in view clear of ``box``, a part of the first map that the legend covers."""
        self._covered = box
        for each in (self.main, *self.panes):
            each.camera.set_covered(box)

    @property
    def fire_box(self) -> QRect:
        """The part of the board with the fire of the first map; empty without a result."""
        first = self.shown_maps[0]
        box = first.fire_box
        return box if box.isEmpty() else box.translated(first.mapTo(self, QPoint()))

    @property
    def marks(self) -> list[QRect]:
        """The parts of the board with regions and drops of the shown maps."""
        return self._on_board(lambda each: each.marks)

    @property
    def decoration_boxes(self) -> list[QRect]:
        """The parts of the board with captions and scales of the shown maps."""
        return self._on_board(lambda each: each.decoration_boxes)

    def _on_board(self, boxes: Callable[[MapView], list[QRect]]) -> list[QRect]:
        """Return ``boxes`` of the shown maps in the coordinates of the board."""
        corners = [(each, each.mapTo(self, QPoint())) for each in self.shown_maps]
        return [box.translated(corner) for each, corner in corners for box in boxes(each)]

    def fit(self) -> None:
        """Show the whole grid."""
        for each in self.shown_maps:
            each.fit()

    def snapshot(self) -> QImage:
        """Return a current picture of the shown maps."""
        return join_images([each.snapshot() for each in self.shown_maps])

    def _turn(self, side_by_side: bool) -> None:
        if side_by_side:
            self._make_panes()
            self._fit_panes()
            self.setCurrentIndex(1)
            # The zoom of one wide map would crop the fire in narrow ones.
            for pane in self.panes:
                pane.fit()
            self.setFocusProxy(self.panes[1])
        elif self.panes:
            if not self.panes[0].camera.shows_whole:
                self.main.camera.follow(self.panes[0].camera)
            self.setCurrentIndex(0)
            self.setFocusProxy(self.main)

    # -- the three ---------------------------------------------------------------------------------------------------
    def _make_panes(self) -> None:
        if self.panes:
            return
        page = QWidget()
        self._grid = QGridLayout(page)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP_PX)
        self.panes = tuple(MapView(MirrorSession(self._session, side, self)) for side in SIDES)
        for pane, side, parts in zip(self.panes, SIDES, _PARTS, strict=True):
            # The timeline shows the time too.
            pane.decorations.parts = replace(parts, one_row=True)
            pane.camera.widget.setAccessibleName(f"Map, {side.value}")
            # Three maps in a small window are narrower than the minimum of one. Wider ones would be clipped.
            pane.setMinimumSize(_NARROWEST_PX, _NARROWEST_PX)
            pane.hovered.connect(self.main.hovered)
            pane.camera.moved.connect(lambda camera=pane.camera: self._link(camera))
            self._grid.addWidget(pane, 0, self._grid.count())
            share_outlines(self.main, pane)
            pane.set_menu_actions(self._menu_actions)
            pane.set_overlays(self._overlays, self)
            # The same on all: maps side by side show the same place at the same scale.
            pane.camera.set_covered(self._covered)
            pane.layers.copy_from(self.main.layers)
        self.addWidget(page)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many maps side by side as there is room for, as large as they can be."""
        super().resizeEvent(event)
        self._fit_panes()

    def _fit_panes(self) -> None:
        for pane in self.panes[2:]:
            pane.setHidden(self.width() < _ROOM_FOR_THREE_PX)
        shown = [pane for pane in self.panes if not pane.isHidden()]
        if not shown:
            return
        shape = self._session.project.scenario.grid.shape if self._session.has_project else (1, 1)
        columns = best_columns(len(shown), self.size(), shape)
        rows = -(-len(shown) // columns)
        # Maps of different sizes would have different scales: pixels that cannot be shared stay empty.
        rest = (self.width() - GAP_PX * (columns - 1)) % columns, (self.height() - GAP_PX * (rows - 1)) % rows
        self._grid.setContentsMargins(0, 0, *rest)
        if (columns, rows) != self._arrangement:
            self._arrangement = columns, rows
            for place, pane in enumerate(self.panes):
                self._grid.addWidget(pane, *divmod(place, columns))
            for line in range(len(self.panes)):
                self._grid.setColumnStretch(line, 1 if line < columns else 0)
                self._grid.setRowStretch(line, 1 if line < rows else 0)
            # Before a camera is moved, all maps have their size.
            self._grid.activate()

    def _link(self, moved: Camera) -> None:
        if self._following:
            return
        self._following = True
        for pane in self.panes:
            if pane.camera is not moved:
                pane.camera.share_view(moved)
        self._following = False

    def _copy_layers(self, _key: str = "") -> None:
        for pane in self.panes:
            pane.layers.copy_from(self.main.layers)


def best_columns(count: int, room: QSize, shape: tuple[int, int]) -> int:
    """Return in how many columns ``count`` maps are largest in ``room``.

    ``shape`` is that of their grid: rows and columns.
    """
    best, largest = count, 0.0
    for columns in range(count, 0, -1):
        rows = -(-count // columns)
        high = (room.height() - GAP_PX * (rows - 1)) / rows
        size = min((room.width() - GAP_PX * (columns - 1)) / columns / shape[1], high / shape[0])
        if size > _GAIN * largest and (rows == 1 or high >= _LOWEST_PX):
            best, largest = columns, size
    return best


def share_outlines(main: MapView, other: MapView) -> None:
    """Let ``other`` use the perimeters that ``main`` has traced."""
    known, wanting = main.layers["observed"], other.layers["observed"]
    if isinstance(known, ObservedLayer) and isinstance(wanting, ObservedLayer):
        wanting.outlines = known.outlines


def join_images(pictures: list[QImage], gap: int = GAP_PX) -> QImage:
    """Return pictures of one height, joined side by side."""
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


_SAMPLES = 3


class MapRenderer(QWidget):
    """Hidden maps with sessions of their own, so that playback and edits do not appear in the film.

    ``views`` are the sides; by default those on screen. If their number differs from the maps on screen, every map has
    the size of those on screen. ``size`` is the size of a picture with all sides, in which the maps are scaled.
    """

    def __init__(
        self, session: Session, board: MapBoard, views: tuple[FireView, ...] = (), size: QSize | None = None
    ) -> None:
        super().__init__()
        self._size = size
        shown = board.shown_maps
        own = SIDES if session.side_by_side else (session.view,)
        self._views = views or own
        self._sessions = tuple(_frozen_session(session, view, self) for view in self._views)
        self._maps = []
        for view, copy in zip(self._views, self._sessions, strict=True):
            like = shown[own.index(view)] if view in own[: len(shown)] else shown[0]
            self._maps.append(self._map(copy, like, board))
        if self._views == SIDES:
            for made, parts in zip(self._maps, _PARTS, strict=True):
                made.decorations.parts = parts

    def picture(self, step: int) -> NDArray[np.uint8]:
        """Return the pixels ``[H, W, 3]`` of a step."""
        for session, made in zip(self._sessions, self._maps, strict=True):
            session.set_step(step)
            made.layers.complete(MapState.of(session))
        return pixels_of(join_images([each.snapshot() for each in self._maps]))

    def _map(self, session: Session, like: MapView, board: MapBoard) -> MapView:
        made = MapView(session, self)
        made.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        made.setWindowFlag(Qt.WindowType.Window)
        made.setMinimumSize(like.minimumSize())
        if self._size is not None:
            made.setMinimumSize(1, 1)
        made.resize(self._size_of_one(like.size()))
        made.show()
        made.layers.copy_from(board.main.layers)
        share_outlines(board.main, made)
        made.camera.follow(like.camera)
        scale = min(made.width() / like.width(), made.height() / like.height())
        if scale != 1.0:
            made.camera.zoom(scale)
        return made

    def _size_of_one(self, shown: QSize) -> QSize:
        """Return the size of one map; that on screen if no size was chosen."""
        if self._size is None:
            return shown
        count = len(self._views)
        return QSize((self._size.width() - GAP_PX * (count - 1)) // count, self._size.height())


def film_steps(session: Session, first_day: int = 0, days: int | None = None) -> tuple[int, ...]:
    """Return the step of every frame of ``days`` days from ``first_day``, including the end of the last."""
    calendar, result = session.project.calendar, session.result
    frames = result.plan or result.baseline
    stride = frames.stride if frames is not None else 1
    begin = first_day * calendar.steps_per_day
    end = begin + (calendar.days - first_day if days is None else days) * calendar.steps_per_day
    return (*range(begin - begin % stride, end, stride), min(end, calendar.n_steps))


def sample_steps(steps: Sequence[int]) -> tuple[int, ...]:
    """Return the first, middle and last step, whose pictures determine the palette of a GIF."""
    return tuple(dict.fromkeys(steps[k * (len(steps) - 1) // (_SAMPLES - 1)] for k in range(_SAMPLES)))


def _frozen_session(session: Session, view: FireView, parent: QWidget) -> Session:
    """Return a copy of the current state of ``session``, which does not follow its changes."""
    copy = Session(parent)
    copy.open_project(session.project, session.folder)
    copy.show_result(session.result)
    copy.set_view(view)
    copy.select_shape(session.selected_shape.kind, session.selected_shape.name)
    copy.ground, copy.behaviour = session.ground, session.behaviour
    return copy


def pixels_of(image: QImage) -> NDArray[np.uint8]:
    """Return the pixels ``[H, W, 3]`` of an image."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : 3 * plain.width()].reshape(plain.height(), plain.width(), 3).copy()

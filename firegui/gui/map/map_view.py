"""Map widget of layers, tools and read-outs, which timers update in place of events."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QHideEvent, QImage, QShortcut, QShowEvent
from PySide6.QtWidgets import QMenu, QWidget

from firegui.domain.drops import Drop
from firegui.domain.grid import bounding_box
from firegui.domain.region_geometry import region_at
from firegui.domain.schedule import DropRecord
from firegui.gui.base.controls import FocusFrame, tool_button
from firegui.gui.base.layouts import vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.map.camera import Camera, MapArea
from firegui.gui.map.cards import FloatingCard, ProbeCard, series_of
from firegui.gui.map.decorations import Decorations
from firegui.gui.map.drop_edits import card_rows, drop_of, record_text
from firegui.gui.map.drop_menu import NEAR_PX, DropMenu, shown_drop_at
from firegui.gui.map.event_filters import FileDrops, MouseRouter
from firegui.gui.map.key_cursor import KeyCursor
from firegui.gui.map.layers.drop_layers import Ellipses, bounds_of
from firegui.gui.map.layers.layer import RasterLayer
from firegui.gui.map.layers.layer_stack import LayerStack
from firegui.gui.map.map_colors import Ink
from firegui.gui.map.map_content import CellLocation, MapState
from firegui.gui.map.readout import SEPARATOR, caption_of, hover_text, probe_rows
from firegui.gui.map.shape_edits import find_region, shape_at, shape_bounds
from firegui.gui.map.shape_menu import ShapeMenu
from firegui.gui.map.sketch import Outline, Sketch
from firegui.gui.map.tools.draw_tools import (
    BarrierAreaTool,
    BarrierLineTool,
    BaseTool,
    PolygonTool,
    RectangleTool,
    ZonePolygonTool,
    ZoneRectangleTool,
)
from firegui.gui.map.tools.drop_tool import DropTool
from firegui.gui.map.tools.edit_tool import EditTool
from firegui.gui.map.tools.measure_tool import MeasureTool
from firegui.gui.map.tools.tool import GRAB_PX, MapTool, PanTool, Pointer, ProbeTool, ToolContext
from firegui.gui.session.session import FireView, Session, Tool
from firegui.io.coordinates import place_text

REPAINT_MS = 50
"""Interval of repaints: twenty a second."""
_FIRE_CODE = 12
"""Above this code, 5 %, a cell counts as part of the fire."""
_NEAR_DROP, _DROP_TILE = 8, 24
"""Distance around a drop that notices leave free, and size of the tiles by which drops are gathered; pixels."""
_CAUTION_PX = 340
"""Width of the lines that explain a caution."""
STEP_MS = 12
"""Shortest time between the repaints of two steps; playback shows thirty steps a second."""


class _Cause(QObject):
    """Reason to redraw.

    The bound method of a ``QObject`` is disconnected by Qt if the map is deleted before the session.
    """

    def __init__(self, name: str, mark: Callable[[str], None], parent: QObject) -> None:
        super().__init__(parent)
        self._name, self._mark = name, mark

    def mark(self, *_: object) -> None:
        """Mark the layers that follow this cause."""
        self._mark(self._name)


class MapView(QWidget):
    """North-up map of the session's project. It reads and changes only the session."""

    hovered = Signal(object)
    """Text for the status bar on the cell under the mouse; empty outside the grid."""

    hint_changed = Signal()
    """How to use the current tool; empty for none. It is shown beside the map, where it covers nothing."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.camera = Camera(self)
        self.layers = LayerStack(session, self)
        self.sketch = Sketch()
        self.decorations = Decorations()
        self.menu = ShapeMenu(session, self, self._zoom_to)
        self.drop_menu = DropMenu(session, self)
        self.card = ProbeCard(self.camera.viewport)
        self.drop_card = FloatingCard("Selected drop", "Deselect the drop", self.camera.viewport)
        self.edit_button = tool_button("Edit drops (9) to move it", "Take the tool Edit drops, which moves this drop")
        self.edit_button.setAutoRaise(False)
        self.edit_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.edit_button.clicked.connect(lambda _checked=False: session.set_tool(Tool.DROP))
        self.drop_card.column.addWidget(self.edit_button)
        self.caution_button = tool_button("", "Explain the caution")
        self.caution_button.setAccessibleName("Caution")
        self.caution_button.setParent(self.camera.viewport)
        self.caution_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.caution_button.setCursor(Qt.CursorShape.PointingHandCursor)
        self.caution_button.setCheckable(True)
        self.caution_card = FloatingCard("Limits of the fire model", "Close the explanation", self.camera.viewport)
        self._files = FileDrops(session, self.camera.viewport)
        self._place = CellLocation(None)
        self._pinned: tuple[int, int] | None = None
        self._mouse_at: QPointF | None = None
        self._menu_place: tuple[float, float] | None = None
        self._menu_actions: tuple[QAction, ...] = ()
        self.ground_menu: QMenu | None = None
        self._hover_dirty = False
        self._drawn_step = -1
        self._overlays: Sequence[QRect] = ()
        self._stage: QWidget = self
        self._tools = self._make_tools()
        self._key_cursor = KeyCursor(self.camera, self.sketch)
        self._router = MouseRouter(self.camera, self._key_cursor, self._active_tool)
        self._timer = QTimer(self, singleShot=True, interval=REPAINT_MS)
        self._timer.timeout.connect(self._flush_if_seen)
        self._ahead = QTimer(self, singleShot=True, interval=0)
        self._ahead.timeout.connect(self._prepare)
        self._slices: Iterator[None] = iter(())
        self._flush_waits = False
        self._step_timer = QTimer(self, singleShot=True)
        self._step_timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._step_timer.timeout.connect(self._flush_if_seen)
        self._since_flush = QElapsedTimer()
        self._since_flush.start()
        self._lay_out()
        self._connect()
        self._set_ink()
        self._open()

    # -- public -----------------------------------------------------------------------------------------------------
    def fit(self) -> None:
        """Show the whole grid."""
        self.camera.fit()

    def set_menu_actions(self, actions: Sequence[QAction]) -> None:
        """Set the actions that every context menu of the map ends with."""
        self._menu_actions = tuple(actions)
        if self.ground_menu is not None:
            self.ground_menu.deleteLater()
            self.ground_menu = None

    def set_overlays(self, parts: Sequence[QRect], stage: QWidget) -> None:
        """Keep the cards clear of ``parts`` of ``stage``, on which the map lies; something else covers them."""
        self._overlays, self._stage = parts, stage
        self._schedule()

    @property
    def has_menu_place(self) -> bool:
        """Whether a context menu was opened and the mouse has not moved on the map since."""
        return self._menu_place is not None

    @property
    def place(self) -> tuple[float, float]:
        """Where the context menu was opened, else where the mouse is, else the centre; in corner coordinates."""
        if self._menu_place is not None:
            return self._menu_place
        at = self._mouse_at if self._mouse_at is not None else QPointF(self.camera.viewport.rect().center())
        return self.camera.to_cell(at)

    @property
    def place_text(self) -> str:
        """The coordinates of :attr:`place` in the chosen format."""
        row, column = self.place
        form = self._session.drawing.coordinates
        return place_text(self._session.project.scenario.grid, row - 0.5, column - 0.5, form)

    def identify_here(self) -> None:
        """Show the values of the cell at :attr:`place`."""
        row, column = (math.floor(value) for value in self.place)
        rows, columns = self._session.project.scenario.grid.shape
        self._pin((row, column) if 0 <= row < rows and 0 <= column < columns else None)

    def go_to(self, row: float, column: float) -> None:
        """Centre the map on a position and mark its cell."""
        self.camera.centre_on(row, column)
        rows, columns = self._session.project.scenario.grid.shape
        self._pin((min(math.floor(row), rows - 1), min(math.floor(column), columns - 1)))

    @property
    def fire_box(self) -> QRect:
        """The part of the view with the fire at the end of what is shown; empty without a result."""
        shown = MapState.of(self._session)
        frames = None if shown is None else shown.result.plan or shown.frames
        if frames is None or not len(frames.fire):
            return QRect()
        box = bounding_box(frames.fire.picture(len(frames.fire) - 1) > _FIRE_CODE)
        if box is None:
            return QRect()
        rows, columns = box
        return QRect(self.camera.to_point(rows.start, columns.start), self.camera.to_point(rows.stop, columns.stop))

    @property
    def marks(self) -> list[QRect]:
        """The parts of the view with regions and with drops of the shown plan, which notices should not cover."""
        session = self._session
        boxes: list[QRect] = []
        if not session.has_project:
            return boxes
        for region in session.project.regions:
            top, left, bottom, right = region.bounds
            boxes.append(QRect(self.camera.to_point(top, left), self.camera.to_point(bottom, right)))
        landed = [drop for drop in session.result.drops_in(session.view) if drop.executed]
        places = np.array([(drop.landing_y, drop.landing_x) for drop in landed]).reshape(-1, 2)
        # A plan may have thousands of drops, most of them close together: those of one tile share a box.
        corners = (self.camera.to_pixels(places) // _DROP_TILE * _DROP_TILE - _NEAR_DROP).astype(int)
        size = _DROP_TILE + 2 * _NEAR_DROP
        return boxes + [QRect(left, top, size, size) for left, top in dict.fromkeys(map(tuple, corners.tolist()))]

    @property
    def decoration_boxes(self) -> list[QRect]:
        """The parts of the view with captions and scales, as they will be drawn next."""
        self._update_decorations(MapState.of(self._session))
        return [box.toAlignedRect() for box in self.decorations.boxes]

    def zoom_to_fire(self) -> None:
        """Show the fire of the shown step; without a result the observed fire or the ignition."""
        shown = MapState.of(self._session)
        if shown is None:
            return
        fire = shown.plan_fire() if shown.view is not FireView.BASELINE else None
        fire = shown.frame(shown.frames, "fire") if fire is None else fire
        cells = None if fire is None else fire > _FIRE_CODE
        if cells is None or not cells.any():
            observed = shown.scenario.observed_on(shown.observed_day)
            cells = shown.scenario.ignition if observed is None else observed
        self._zoom_to_cells(cells)

    def show_drop(self, drop: Drop) -> None:
        """Bring the footprint of a drop well into view."""
        self.camera.show_part(*bounds_of(self._session.plan_editor.rules, drop))

    def zoom_to_selection(self) -> None:
        """Show the selected drops, else the selected region or barrier."""
        editor = self._session.plan_editor
        if editor.marked:
            rows, columns = zip(*(editor.rules.landing(drop) for drop in editor.marked), strict=True)
            self.camera.fit_bounds(min(rows), min(columns), max(rows) + 1.0, max(columns) + 1.0)
        elif (bounds := shape_bounds(self._session, self._session.selected_shape)) is not None:
            self._zoom_to(bounds)

    def zoom_to_layer(self, key: str) -> None:
        """Show what a layer draws; the whole grid for a layer that is drawn everywhere."""
        layer, shown = self.layers[key], MapState.of(self._session)
        if isinstance(layer, RasterLayer) and shown is not None and (codes := layer.codes(shown)) is not None:
            self._zoom_to_cells(layer.scale.rgba[codes, 3] > 0)
            return
        bounds = layer.bounds() if shown is not None else None
        if bounds is None:
            self.fit()
        else:
            self.camera.fit_bounds(bounds.top(), bounds.left(), bounds.bottom(), bounds.right())

    def _zoom_to_cells(self, cells: NDArray[np.bool_] | None) -> None:
        box = None if cells is None else bounding_box(cells)
        if box is None:
            self.fit()
        else:
            rows, columns = box
            self.camera.fit_bounds(rows.start, columns.start, rows.stop, columns.stop)

    @property
    def hint(self) -> str:
        """How to use the current tool; empty for none."""
        tool = self._active_tool()
        return tool.hint if tool is not None else ""

    @property
    def drawn_step(self) -> int:
        """The step that the layers show; the session may be ahead."""
        return self._drawn_step

    def snapshot(self) -> QImage:
        """Return a current picture of the map."""
        self.flush()
        return self.camera.viewport.grab().toImage()

    def flush(self) -> None:
        """Update everything that is out of date now, without waiting for the timer."""
        self._timer.stop()
        self._step_timer.stop()
        self._since_flush.start()
        self._ahead.stop()
        self._flush_waits = False
        shown = MapState.of(self._session)
        self._drawn_step = self._session.step
        self.layers.update()
        if self.layers.removed.is_fading:
            self.layers.mark("time")
            self._schedule()
        self._update_decorations(shown)
        self.layers.labels.set_hidden((*map(QRectF, self._covered()), *self.decorations.boxes))
        self._update_caution()
        self._update_card(shown)
        self._update_drop_card()
        if self._hover_dirty:
            self._hover_dirty = False
            self._update_hover(shown)

    def _prepare(self) -> None:
        # A new plan is prepared separately from its drawing, so that the window handles events in between.
        if self.isVisible():
            for _ in self._slices:
                self._ahead.start()
                return
        if self._flush_waits:
            self._flush_if_seen()

    def _flush_if_seen(self) -> None:
        self._flush_waits = self._ahead.isActive()
        if self.isVisible() and not self._flush_waits:
            self.flush()

    def showEvent(self, event: QShowEvent) -> None:
        """Update the map; nothing was drawn while it was hidden."""
        super().showEvent(event)
        self._schedule()

    def hideEvent(self, event: QHideEvent) -> None:
        """Take back what is under the mouse: Qt reports no leaving of a widget that is hidden."""
        super().hideEvent(event)
        self._mouse_at, self._hover_dirty = None, False
        self._update_hover(None)

    # -- set-up ------------------------------------------------------------------------------------------------------
    def _make_tools(self) -> dict[Tool, MapTool]:
        context = ToolContext(self._session, self.camera, self.sketch, self.layers, self.menu)
        return {
            Tool.PAN: PanTool(context), Tool.RECTANGLE: RectangleTool(context), Tool.POLYGON: PolygonTool(context),
            Tool.EDIT: EditTool(context), Tool.PROBE: ProbeTool(context, self._pin),
            Tool.ZONE: ZoneRectangleTool(context), Tool.ZONE_POLYGON: ZonePolygonTool(context),
            Tool.BARRIER: BarrierLineTool(context), Tool.BARRIER_AREA: BarrierAreaTool(context),
            Tool.BASE: BaseTool(context),
            Tool.MEASURE: MeasureTool(context), Tool.DROP: DropTool(context, self.drop_menu),
        }  # fmt: skip

    def _lay_out(self) -> None:
        vertical(self, self.camera.widget, margins=0)
        for layer in self.layers:
            for item in layer.items:
                self.camera.add(item)
        self.camera.add(self.layers.labels.item)
        self.camera.add(self.sketch.item)
        self.camera.add_fixed(self.decorations)
        self.setFocusProxy(self.camera.widget)
        self.setMinimumSize(240, 180)
        self._frame = FocusFrame(self.camera.widget)
        self.camera.widget.setAccessibleName("Map")
        self.camera.widget.setAccessibleDescription(
            "Map of the fire, north up. Plus and minus zoom, F shows everything. With every tool but Pan, arrow keys "
            "move a crosshair and Enter clicks there. Escape cancels a drawing."
        )

    def _connect(self) -> None:
        session = self._session
        session.project_opened.connect(self._open)
        editor = session.plan_editor
        for cause, signals in (
            ("project", (session.project_edited,)),
            ("regions", (session.regions_changed, session.region_selected)),
            ("selection", (session.shape_selected,)),
            ("operations", (session.operations_changed,)),
            ("values", (session.values_changed,)),
            ("barriers", (session.barriers_changed,)),
            ("view", (session.view_changed,)),
            ("plan_editor", (editor.preview_ready, editor.selected_changed, editor.edited)),
            ("ground", (session.ground.changed,)),
            ("behaviour", (session.behaviour.changed,)),
        ):
            mark = _Cause(cause, self._mark, self).mark
            for signal in signals:
                signal.connect(mark)
        session.step_changed.connect(self._on_step)
        session.result_changed.connect(self._on_result)
        session.awaited_changed.connect(self._schedule)
        session.units_changed.connect(self._schedule)
        session.tool_changed.connect(self._on_tool)
        session.region_shown.connect(self._on_region_shown)
        self.layers.reordered.connect(self._schedule)
        self.drop_card.closed.connect(self._deselect_drop)
        self.caution_button.toggled.connect(self._update_caution)
        self.caution_card.closed.connect(partial(self.caution_button.setChecked, False))
        self._escape = QShortcut("Esc", self, self.caution_card.closed.emit)
        self._escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        # The open help has the same key.
        self._escape.activatedAmbiguously.connect(self.caution_card.closed.emit)
        self.camera.moved.connect(self._schedule)
        self.layers.changed.connect(self._schedule)
        self._router.hovered.connect(self._on_hover)
        self._router.menu_requested.connect(self._open_menu)
        self.card.closed.connect(self._unpin)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the palette between dark and light."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_timer"):
            self._set_ink()

    def _set_ink(self) -> None:
        ink = Ink.of(self.palette())
        self.camera.widget.setBackgroundBrush(ink.ground)
        self.layers.set_ink(ink)
        self.sketch.ink = self.decorations.ink = ink
        self.card.set_ink(ink)
        self.drop_card.set_ink(ink)
        self.caution_card.set_ink(ink)
        # The caption itself is painted below the button, so that pictures and films have it too.
        self.caution_button.setStyleSheet(
            "QToolButton, QToolButton:checked { background: transparent; border-radius: 5px; "
            f"border: 1px solid {ink.frame.name()}; }} "
            f"QToolButton:hover, QToolButton:checked {{ border-color: {ink.text.name()}; }} "
            f"QToolButton:focus {{ border: 2px solid {ink.accent.name()}; }}"
        )
        self._schedule()

    # -- the session -------------------------------------------------------------------------------------------------
    def _open(self) -> None:
        for tool in self._tools.values():
            tool.cancel()
        self._key_cursor.hide()
        self._pin(None)
        self.hint_changed.emit()
        shown = MapState.of(self._session)
        grid = shown.scenario.grid if shown is not None else None
        self._place = CellLocation(grid)
        if grid is not None:
            self.sketch.item.set_grid(*grid.shape)
            self.layers.labels.item.set_grid(*grid.shape)
            self.camera.set_grid(*grid.shape)
        self._slices = iter(())
        # A map on screen is drawn again soon. What it shows until then must not flicker.
        self.layers.clear(hidden_only=self.isVisible())
        self._mark("project")

    def _mark(self, cause: str) -> None:
        self.layers.mark(cause)
        # A mouse that has just left must still be reported.
        self._hover_dirty |= self._mouse_at is not None
        self._schedule()

    def _schedule(self, _: str = "") -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _on_step(self, _: int) -> None:
        # Another project or result is drawn later, so that the window handles events first.
        waits_for_more = self._timer.isActive() or self._flush_waits
        self._mark("step")
        wait = STEP_MS - int(self._since_flush.elapsed())
        if wait <= 0 and self.isVisible() and not waits_for_more:
            # At once: the clock of the timeline is painted with the same event.
            self.flush()
        elif not self._step_timer.isActive():
            self._step_timer.start(max(wait, 0))

    def _on_result(self) -> None:
        self._mark("result")
        if not self._flush_waits:
            self._slices = self.layers.prepare(MapState.of(self._session))
            self._ahead.start()

    def _deselect_drop(self) -> None:
        self._session.plan_editor.request_preview(None)
        self._session.plan_editor.select(None)

    def _on_tool(self, _: str) -> None:
        for kind, tool in self._tools.items():
            if kind is not self._session.tool:
                tool.cancel()
        self._key_cursor.hide()
        self.camera.set_cursor(self._tools[self._session.tool].cursor)
        self.hint_changed.emit()
        self._mark("regions")
        self._mark("tool")

    def _on_region_shown(self, name: str) -> None:
        region = find_region(self._session, name)
        if region is not None:
            self.camera.show_part(*region.bounds)

    def _active_tool(self) -> MapTool | None:
        return self._tools[self._session.tool] if self._session.has_project else None

    # -- the mouse ---------------------------------------------------------------------------------------------------
    def _on_hover(self, pixel: QPointF | None) -> None:
        self._mouse_at, self._hover_dirty = pixel, True
        if pixel is not None:
            self._menu_place = None
        self._schedule()

    def _update_hover(self, shown: MapState | None) -> None:
        """Report what is under the mouse, and mark the drop there."""
        if shown is None or self._mouse_at is None:
            self.sketch.show_hovered(None)
            self.hovered.emit("")
            return
        place, tool = self.camera.to_cell(self._mouse_at), self._tools[self._session.tool]
        drop = self._drop_at(*place) if tool.names_drops and not tool.is_dragging else None
        name = "" if drop is None else record_text(self._session, drop)
        cell = hover_text(shown, self._place, *place, self._session.drawing.coordinates)
        self.hovered.emit(SEPARATOR.join(text for text in (name, cell) if text))
        if drop is None or drop_of(self._session, drop) in self._session.plan_editor.marked:
            self.sketch.show_hovered(None)
        else:
            corners = tuple((row, column) for row, column in Ellipses.of([drop]).points[0].tolist())
            self.sketch.show_hovered(Outline(corners, name))

    def _drop_at(self, row: float, column: float) -> DropRecord | None:
        session, near = self._session, NEAR_PX / self.camera.pixels_per_cell
        return shown_drop_at(self.layers.drops.seen(), session.step, session.project.calendar, row, column, near)

    def _open_menu(self, at: Pointer, where: QPoint) -> None:
        self._menu_place = at.row, at.column
        session, drop = self._session, self._drop_at(at.row, at.column)
        if drop is not None:
            self.drop_menu.open(drop, where, self._menu_actions)
            return
        if session.tool is Tool.DROP:
            self.drop_menu.open_ground(at.row, at.column, where, self._menu_actions)
            return
        shape = shape_at(session, at.row, at.column, GRAB_PX / self.camera.pixels_per_cell)
        if shape is not None:
            session.select_shape(*shape)
            self.menu.open(session.selected_shape, where, (at.row, at.column), self._menu_actions)
            return
        zone = region_at(self._session.project.operations.no_drop_zones, at.row, at.column)
        if zone is not None:
            self.menu.open_zone(zone, where, self._menu_actions)
            return
        self._open_ground_menu(where)

    def _open_ground_menu(self, where: QPoint) -> None:
        if not self._menu_actions:
            return
        # Not filled anew each time: clear() of PySide ends actions that belong to other menus, such as a submenu's.
        if self.ground_menu is None:
            self.ground_menu = QMenu("Map", self)
            self.ground_menu.setAccessibleName("Map")
            self.ground_menu.addActions(self._menu_actions)
        self.ground_menu.popup(where)

    def _zoom_to(self, bounds: MapArea) -> None:
        self.camera.fit_bounds(*bounds)

    # -- probe and decorations ---------------------------------------------------------------------------------------
    def _pin(self, cell: tuple[int, int] | None) -> None:
        self._pinned = cell
        self.sketch.show_pin(cell)
        self._schedule()

    def _unpin(self) -> None:
        self._pin(None)

    def _update_card(self, shown: MapState | None) -> None:
        if shown is None or self._pinned is None:
            self.card.hide()
            return
        series = series_of(shown, self._pinned)
        self.card.show_values(self._pinned, probe_rows(shown, self._place, self._pinned), series)
        row, column = self._pinned
        self._place_card(self.card, (row, column, row + 1.0, column + 1.0))

    def _update_caution(self, _is_open: bool = False) -> None:
        """Lay the button over the caution, and show the card that explains it while the button is down."""
        button, card, caption = self.caution_button, self.caution_card, self.decorations.caption
        box, room = self.decorations.caution_box.toAlignedRect(), self.camera.viewport.width()
        button.setVisible(not box.isEmpty())
        button.setChecked(button.isChecked() and not box.isEmpty())
        self._escape.setEnabled(button.isChecked())
        if box.isEmpty():
            card.hide()
            return
        what = caption.caution.removeprefix("⚠ ")
        button.setGeometry(box)
        button.setAccessibleName(f"Caution: {what}. Explain")
        button.setToolTip(tooltip("\n".join((*caption.reasons, "Click to keep this open."))))
        if not button.isChecked():
            card.hide()
            return
        width = min(_CAUTION_PX, room - 40)
        card.fill(f"{what[0].upper()}{what[1:]}", [("", text) for text in caption.reasons], width)
        card.move(max(min(box.left(), room - card.width() - 6), 6), box.bottom() + 6)
        card.raise_()

    def _update_drop_card(self) -> None:
        editor = self._session.plan_editor
        found = card_rows(self._session) if self._session.view is not FireView.BASELINE else None
        drop = editor.change.drop if editor.change is not None else editor.selected
        if found is None or drop is None:
            self.drop_card.hide()
            return
        self.edit_button.setVisible(self._session.tool is not Tool.DROP)
        self.drop_card.fill(*found)
        others = () if self.card.isHidden() else (self.card.geometry(),)
        self._place_card(self.drop_card, bounds_of(editor.rules, drop), others)

    def _place_card(self, card: FloatingCard, part: MapArea, others: Sequence[QRect] = ()) -> None:
        """Move a card beside a part of the map, clear of ``others``."""
        top, left, bottom, right = part
        box = QRectF(self.camera.to_pixel(top, left), self.camera.to_pixel(bottom, right)).toAlignedRect()
        viewport = self.camera.viewport
        card.move_beside(box, viewport.rect(), [*self._covered(), *self.decoration_boxes, *others])

    def _covered(self) -> list[QRect]:
        """Return the parts of the viewport that are covered by something else."""
        origin = self.camera.viewport.mapTo(self._stage, QPoint())
        return [each.translated(-origin) for each in self._overlays]

    def _update_decorations(self, shown: MapState | None) -> None:
        caption = caption_of(shown, self.layers)
        self.decorations.show_caption(caption, self.camera.pixels_per_cell, QRectF(self.camera.viewport.rect()))

"""Tools that draw regions, no-drop zones, barriers and bases: drag, corners or one click."""

from __future__ import annotations

import math
from itertools import pairwise

from PySide6.QtCore import Qt

from firegui.domain.barriers import USUAL_WIDTH_M, Barrier, BarrierKind, crossing
from firegui.domain.region_geometry import cell_rectangle, clamped, touches_grid
from firegui.domain.regions import Region, Vertex
from firegui.gui.map.shape_edits import (
    add_barrier,
    add_base,
    add_region,
    add_zone,
    free_shape_name,
    numbered_name,
    size_text,
)
from firegui.gui.map.sketch import Outline
from firegui.gui.map.tools.tool import MapTool, PanningTool, Pointer, ToolContext
from firegui.gui.session.session import Tool
from firegui.io.project.regions_file import is_simple

_NEAR_PX = 8.0
_BESIDE_CELLS = 1.0
"""A corner that lies further off the grid than this is told of when the shape is cut off."""
CUT_OFF = "It reached beyond the map and was cut off at the edge."
BESIDE = "The shape lies beside the map: draw it over the modelled area."


class ShapeTool(MapTool):
    """Base class of the tools that draw one new shape, after which the map has the tool Pan again.

    Shift at the end keeps the tool for another one; without it, a dialog asks for the name. Subclasses with
    ``draws_zones`` draw no-drop zones.
    """

    cursor = Qt.CursorShape.CrossCursor
    draws_zones = False

    def __init__(self, context: ToolContext) -> None:
        super().__init__(context)
        self._is_cut = False

    def _on_grid(self, row: float, column: float) -> Vertex:
        """Return the nearest point on the grid, and note a point that lies beside it."""
        kept = clamped(row, column, self.context.shape)
        self._is_cut = self._is_cut or math.dist(kept, (row, column)) > _BESIDE_CELLS
        return kept

    def _new_name(self) -> str:
        project = self.session.project
        if self.draws_zones:
            return free_shape_name("Z", project.operations.no_drop_zones)
        return free_shape_name("R", project.regions)

    def _finish(self, shape: Region, *, draws_on: bool) -> None:
        """Add the shape, and leave the tool unless it ``draws_on``. A refused polygon stays, to be repaired."""
        note = CUT_OFF if self._is_cut else ""
        if (add_zone if self.draws_zones else add_region)(self.session, shape):
            self.cancel()
            if not draws_on:
                self.session.set_tool(Tool.PAN)
                self.context.menu.name_new(shape, is_zone=self.draws_zones, note=note)
            elif note:
                self.session.message.emit(f"{shape.name}: {note}")

    def _size_text(self, shape: Region) -> str:
        return size_text(shape, self.session.project.scenario.grid, self.session.units)


class RectangleTool(ShapeTool):
    """Tool for a rectangle of whole cells, from the cell of the press to that of the release."""

    hint = "Drag, or arrows and Enter at two corners · Esc"
    _start: Pointer | None = None

    @property
    def is_dragging(self) -> bool:
        """Whether the first cell is fixed."""
        return self._start is not None

    def press(self, at: Pointer) -> None:
        """Fix the first cell."""
        self._start = at

    def move(self, at: Pointer) -> None:
        """Show the rectangle and its size."""
        if self._start is not None and at.far_from(self._start):
            shape = self._shape(self._start, at)
            self.sketch.show(Outline(shape.parts[0][0], self._size_text(shape)))

    def release(self, at: Pointer) -> None:
        """Add the shape; a click adds none."""
        start, self._start = self._start, None
        self.sketch.show(None)
        if start is None:
            return
        corners = [(point.row, point.column) for point in (start, at)]
        if at.far_from(start) and not touches_grid(corners[0], corners[1], self.context.shape):
            self.session.refuse_map_edit(BESIDE)
        elif at.far_from(start):
            self._is_cut = False
            for corner in corners:
                self._on_grid(*corner)
            self._finish(self._shape(start, at), draws_on=at.shift)
        else:
            self.session.refuse_map_edit(
                "A rectangle needs two corners: drag from one to the other, or press Enter at each of them."
            )

    def cancel(self) -> bool:
        """Discard the rectangle."""
        start, self._start = self._start, None
        self.sketch.show(None)
        return start is not None

    def _shape(self, start: Pointer, end: Pointer) -> Region:
        rows, columns = cell_rectangle((start.row, start.column), (end.row, end.column), self.context.shape)
        return Region.rectangle(self._new_name(), rows, columns)


CROSSES = "the outline crosses itself: move the corner"
"""Said at the outline of a polygon that would be refused."""
LINE_CROSSES = "the line crosses itself: move the corner"


class CornerTool(MapTool):
    """Base class of the tools that set corners. Subclasses draw them in :meth:`_show`."""

    cursor = Qt.CursorShape.CrossCursor
    sets_corners = True

    def __init__(self, context: ToolContext) -> None:
        super().__init__(context)
        self._corners: list[Vertex] = []

    def _closes(self, at: Pointer) -> bool:
        """Return whether a click at ``at`` closes the outline: on its first corner, with three or more set."""
        if len(self._corners) < 3:
            return False
        step = self.camera.to_pixel(*self._corners[0]) - at.pixel
        return bool(abs(step.x()) <= _NEAR_PX and abs(step.y()) <= _NEAR_PX)

    def _add_corner(self, corner: Vertex) -> None:
        if not self._corners or corner != self._corners[-1]:
            self._corners.append(corner)
        self._show(None)

    def _show(self, next_corner: Vertex | None) -> None:
        raise NotImplementedError


class PolygonTool(CornerTool, ShapeTool):
    """Tool for polygons: clicks set corners; a double click, Enter or the first corner closes."""

    hint = "Click corners, or arrows and Enter · Enter again closes · Backspace · Esc"

    def press(self, at: Pointer) -> None:
        """Add a corner, or close on the first one."""
        if self._closes(at):
            self._close(draws_on=at.shift)
            return
        if not self._corners:
            self._is_cut = False
        row, column = self._on_grid(*self.context.snapped(at))
        self._add_corner((round(row, 2), round(column, 2)))

    def move(self, at: Pointer) -> None:
        """Show the next edge."""
        if self._corners:
            self._show(self._snapped(at))

    def double_click(self, at: Pointer) -> None:
        """Close; the first click of the pair has already set the last corner."""
        self._close(draws_on=at.shift)

    def key(self, key: Qt.Key, *, shift: bool = False) -> bool:
        """Close on Enter, remove the last corner on Backspace."""
        if not self._corners:
            return False
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._close(draws_on=shift)
        elif key == Qt.Key.Key_Backspace:
            self._corners.pop()
            rows, columns = map(float, self.context.shape)
            self._is_cut = self._is_cut and any(y in (0.0, rows) or x in (0.0, columns) for y, x in self._corners)
            self._show(None)
        else:
            return False
        return True

    def cancel(self) -> bool:
        """Discard all corners."""
        corners, self._corners = self._corners, []
        self.sketch.show(None)
        return bool(corners)

    def _snapped(self, at: Pointer) -> Vertex:
        return clamped(*self.context.snapped(at), self.context.shape)

    def _show(self, next_corner: Vertex | None) -> None:
        corners = (*self._corners, next_corner) if next_corner is not None else tuple(self._corners)
        if not corners:
            self.sketch.show(None)
            return
        shape = Region(self._new_name(), ((corners,),))
        whole = len(corners) >= 3
        # While two corners coincide under the mouse, the outline is unfinished, not wrong.
        allowed = not whole or len(set(corners)) < len(corners) or is_simple(shape)
        text = (self._size_text(shape) if allowed else CROSSES) if whole else ""
        self.sketch.show(Outline(corners, text, closed=whole, allowed=allowed, dots=True))

    def _close(self, *, draws_on: bool) -> None:
        corners = tuple(self._corners)
        if len(corners) < 3:
            self.session.refuse_map_edit("A polygon needs at least three corners.")
            return
        self._finish(Region(self._new_name(), ((corners,),)), draws_on=draws_on)


class ZoneRectangleTool(RectangleTool):
    """Tool for a rectangular no-drop zone of whole cells."""

    draws_zones = True


class ZonePolygonTool(PolygonTool):
    """Tool for a no-drop zone, corner by corner."""

    draws_zones = True


class BarrierAreaTool(PolygonTool):
    """Tool for a barrier that is an area, corner by corner. Its kind and strength are set in the panel."""

    def _new_name(self) -> str:
        return numbered_name("Area", self.session.project.barriers)

    def _finish(self, shape: Region, *, draws_on: bool) -> None:
        self._keep(Barrier(shape.name, BarrierKind.BURNED_OUT, areas=shape.parts), draws_on=draws_on)

    def _keep(self, barrier: Barrier, *, draws_on: bool) -> None:
        """Add the barrier, and leave the tool unless it ``draws_on``. A refused one stays, to be repaired."""
        if add_barrier(self.session, barrier):
            self.cancel()
            if not draws_on:
                self.session.set_tool(Tool.PAN)


class BarrierLineTool(BarrierAreaTool):
    """Tool for a barrier that is a line; a double click or Enter ends it."""

    hint = "Click corners, or arrows and Enter · Enter again ends · Backspace · Esc"

    def _new_name(self) -> str:
        return numbered_name("Line", self.session.project.barriers)

    def _closes(self, at: Pointer) -> bool:
        return False

    def _show(self, next_corner: Vertex | None) -> None:
        corners = (*self._corners, next_corner) if next_corner is not None else tuple(self._corners)
        if not corners:
            self.sketch.show(None)
            return
        size = self.session.project.scenario.grid.cell_size_m
        length = sum(math.dist(a, b) for a, b in pairwise(corners)) * size
        allowed = len(corners) < 2 or crossing(corners, is_ring=False) is None
        text = (self.session.units.length(length) if allowed else LINE_CROSSES) if len(corners) > 1 else ""
        self.sketch.show(Outline(corners, text, closed=False, allowed=allowed, dots=True))

    def _close(self, *, draws_on: bool) -> None:
        corners = tuple(self._corners)
        if len(corners) < 2:
            self.session.refuse_map_edit("A line needs at least two corners.")
            return
        kind = BarrierKind.DOZER
        self._keep(Barrier(self._new_name(), kind, (corners,), width_m=USUAL_WIDTH_M[kind]), draws_on=draws_on)


class BaseTool(PanningTool):
    """Tool that sets a base at the clicked place, also beside the grid; a drag moves the map."""

    cursor = Qt.CursorShape.CrossCursor
    names_drops = False
    hint = "Click the place of a base, or arrows and Enter · Shift sets more · Esc"

    def click(self, at: Pointer) -> None:
        """Add the base, and leave the tool without Shift."""
        if add_base(self.session, at.row, at.column) and not at.shift:
            self.session.set_tool(Tool.PAN)

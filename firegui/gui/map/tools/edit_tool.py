"""Tool to select, move and reshape regions."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt

from firegui.domain.region_geometry import (
    Handle,
    handles_of,
    region_at,
    shift_on_grid,
    with_handle_at,
    with_vertex_on_edge,
    without_vertex,
)
from firegui.domain.regions import Region
from firegui.gui.map.shape_edits import change_region, find_region, size_text
from firegui.gui.map.sketch import Outline
from firegui.gui.map.tools.tool import PanningTool, Pointer, ToolContext
from firegui.io.project.regions_file import is_simple

_GRAB_PX = 8.0


@dataclass(slots=True)
class _RegionDrag:
    """State of a drag that moves a region or one of its handles."""

    before: Region
    handle: Handle | None
    start: Pointer
    after: Region
    started: bool = False


class EditTool(PanningTool):
    """Tool that edits regions: a click selects, a drag moves, a drag of a handle reshapes."""

    cursor = Qt.CursorShape.ArrowCursor
    hint = "Drag moves or reshapes, or arrows and Enter · F2 renames · Del deletes"
    sets_corners = True

    def __init__(self, context: ToolContext) -> None:
        super().__init__(context)
        self._drag: _RegionDrag | None = None

    @property
    def is_dragging(self) -> bool:
        """Whether a region or a handle was picked up."""
        return self._drag is not None

    # -- the mouse ---------------------------------------------------------------------------------------------------
    def press(self, at: Pointer) -> None:
        """Start dragging a handle, a region, or the map."""
        selected = self._selected()
        handle = self._handle_at(selected, at)
        if selected is not None and handle is not None:
            if at.alt:
                self._remove_corner(selected, handle)
            else:
                self._drag = _RegionDrag(selected, handle, at, selected)
            return
        region = self._region_at(at)
        if region is None:
            super().press(at)
            return
        self.session.select_region(region.name)
        self._drag = _RegionDrag(region, None, at, region)

    def move(self, at: Pointer) -> None:
        """Show the region at its new position."""
        drag = self._drag
        if drag is None:
            super().move(at)
            if not self._panning:
                self._show_grip(at)
            return
        if not drag.started and not at.far_from(drag.start):
            return
        drag.started = True
        drag.after = self._dragged(drag, at)
        self._show(drag)

    def release(self, at: Pointer) -> None:
        """Apply the drag as one undoable step."""
        drag, self._drag = self._drag, None
        if drag is None:
            super().release(at)
            return
        self._hide()
        if drag.started:
            verb = "Move" if drag.handle is None else "Edit"
            name = drag.before.name
            change_region(self.session, f"{verb} region {name}", name, self._dragged(drag, at))

    def click(self, at: Pointer) -> None:
        """Deselect the region."""
        self.session.select_region("")

    def double_click(self, at: Pointer) -> None:
        """Add a corner on a polygon's edge; inside a region, rename it."""
        selected = self._selected()
        if selected is not None and selected.as_rectangle is None and self._handle_at(selected, at) is None:
            changed = with_vertex_on_edge(selected, at.row, at.column, _GRAB_PX / self.camera.pixels_per_cell)
            if changed is not None:
                change_region(self.session, f"Add a corner to {selected.name}", selected.name, changed)
                return
        region = self._region_at(at)
        if region is not None:
            self.context.menu.rename(region.name)

    def right_click(self, at: Pointer) -> bool:
        """Remove the corner of a polygon under the mouse."""
        selected = self._selected()
        handle = self._handle_at(selected, at)
        if selected is None or handle is None or selected.as_rectangle is not None:
            return False
        self._remove_corner(selected, handle)
        return True

    # -- the keyboard ------------------------------------------------------------------------------------------------
    def key(self, key: Qt.Key, *, shift: bool = False) -> bool:
        """Delete and rename the selected region."""
        selected = self._selected()
        if selected is None or self._drag is not None:
            return False
        if key == Qt.Key.Key_Delete:
            self.session.delete_region(selected.name)
            return True
        if key == Qt.Key.Key_F2:
            self.context.menu.rename(selected.name)
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.context.menu.edit_numbers(selected.name)
            return True
        return False

    def cancel(self) -> bool:
        """Undo the drag."""
        drag, self._drag = self._drag, None
        self._hide()
        return super().cancel() or drag is not None

    # -- helpers -----------------------------------------------------------------------------------------------------
    def _selected(self) -> Region | None:
        return find_region(self.session, self.session.selected_region)

    def _region_at(self, at: Pointer) -> Region | None:
        session = self.session
        return region_at(session.project.regions, at.row, at.column, session.selected_region)

    def _handle_at(self, region: Region | None, at: Pointer) -> Handle | None:
        if region is None:
            return None
        reach = _GRAB_PX / self.camera.pixels_per_cell
        near = [h for h in handles_of(region) if abs(h.row - at.row) <= reach and abs(h.column - at.column) <= reach]
        return min(near, key=lambda h: (h.row - at.row) ** 2 + (h.column - at.column) ** 2, default=None)

    def _dragged(self, drag: _RegionDrag, at: Pointer) -> Region:
        if drag.handle is not None:
            row, column = self.context.snapped(at, leave=drag.before.name)
            return with_handle_at(drag.before, drag.handle, row, column, self.context.shape)
        shift = (at.row - drag.start.row, at.column - drag.start.column)
        return drag.before.moved(*shift_on_grid(drag.before, *shift, self.context.shape))

    def _show(self, drag: _RegionDrag) -> None:
        self.context.regions.preview(drag.before.name, drag.after)
        text = size_text(drag.after, self.session.project.scenario.grid, self.session.units)
        self.sketch.show(Outline(drag.after.parts[0][0], text, allowed=is_simple(drag.after)))

    def _hide(self) -> None:
        self.context.regions.preview("", None)
        self.sketch.show(None)

    def _remove_corner(self, region: Region, handle: Handle) -> None:
        changed = without_vertex(region, handle) if region.as_rectangle is None else region
        if changed is None:
            self.session.refuse_map_edit("A polygon needs at least three corners.")
        else:
            change_region(self.session, f"Remove a corner of {region.name}", region.name, changed)

    def _show_grip(self, at: Pointer) -> None:
        handle = self._handle_at(self._selected(), at)
        inside = self._region_at(at) is not None
        shape = Qt.CursorShape.SizeAllCursor if inside else Qt.CursorShape.ArrowCursor
        if handle is not None:
            shape = _grip(handle)
        self.camera.set_cursor(shape)


def _grip(handle: Handle) -> Qt.CursorShape:
    if handle.vertical and handle.horizontal:
        same = handle.vertical == handle.horizontal
        return Qt.CursorShape.SizeFDiagCursor if same else Qt.CursorShape.SizeBDiagCursor
    if handle.vertical:
        return Qt.CursorShape.SizeVerCursor
    return Qt.CursorShape.SizeHorCursor if handle.horizontal else Qt.CursorShape.PointingHandCursor

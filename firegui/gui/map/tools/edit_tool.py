"""Tool to select, move and reshape regions, barriers and bases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt

from firegui.domain.region_geometry import Handle
from firegui.gui.map.shape_edits import shape_at
from firegui.gui.map.tools.shape_editors import BarrierEditor, BaseEditor, RegionEditor, ShapeEditor, near
from firegui.gui.map.tools.tool import GRAB_PX, PanningTool, Pointer, ToolContext
from firegui.gui.session.session import ShapeKind


@dataclass(slots=True)
class _ShapeDrag:
    """State of a drag that moves a shape or one of its handles."""

    editor: ShapeEditor[Any]
    before: Any
    handle: Handle | None
    start: Pointer
    after: Any
    started: bool = False


class EditTool(PanningTool):
    """Tool that edits shapes: a click selects, a drag moves, a drag of a handle reshapes."""

    cursor = Qt.CursorShape.ArrowCursor
    hint = "Drag moves or reshapes, or arrows and Enter · F2 renames · Del deletes"
    sets_corners = True

    def __init__(self, context: ToolContext) -> None:
        super().__init__(context)
        session, layers = context.session, context.layers
        self._editors: dict[ShapeKind, ShapeEditor[Any]] = {
            ShapeKind.REGION: RegionEditor(session, layers.regions),
            ShapeKind.BARRIER: BarrierEditor(session, layers.barriers),
            ShapeKind.BASE: BaseEditor(session, layers.bases),
        }
        self._drag: _ShapeDrag | None = None

    @property
    def is_dragging(self) -> bool:
        """Whether a shape or a handle was picked up."""
        return self._drag is not None

    # -- the mouse ---------------------------------------------------------------------------------------------------
    def press(self, at: Pointer) -> None:
        """Start dragging a handle, a shape, or the map."""
        handle, editor, selected = self._handle_at(at), self._editor, self._editor.selected()
        if selected is not None and handle is not None:
            if at.alt:
                self._remove_corner(selected, handle)
            else:
                self._drag = _ShapeDrag(editor, selected, handle, at, selected)
            return
        if self._shape_at(at) is None:
            super().press(at)
            return
        self.context.select_at(at)
        found = self._editor.selected()
        self._drag = _ShapeDrag(self._editor, found, None, at, found)

    def move(self, at: Pointer) -> None:
        """Show the shape at its new position."""
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
        drag.editor.layer.preview(drag.before.name, drag.after)
        self.sketch.show(drag.editor.outline(drag.after, drag.handle))

    def release(self, at: Pointer) -> None:
        """Apply the drag as one undoable step."""
        drag, self._drag = self._drag, None
        if drag is None:
            super().release(at)
            return
        self._hide(drag)
        if drag.started:
            verb, name = "Move" if drag.handle is None else "Edit", drag.before.name
            drag.editor.change(f"{verb} {drag.editor.kind} {name}", name, self._dragged(drag, at))

    def click(self, at: Pointer) -> None:
        """Deselect the shape."""
        self.session.select_region("")

    def double_click(self, at: Pointer) -> None:
        """Add a corner on an edge; inside a shape, rename it."""
        editor, selected = self._editor, self._editor.selected()
        if selected is not None and editor.has_corners(selected) and self._handle_at(at) is None:
            changed = editor.with_corner(selected, at.row, at.column, self._reach)
            if changed is not None:
                editor.change(f"Add a corner to {selected.name}", selected.name, changed)
                return
        if self._shape_at(at) is not None:
            self.context.select_at(at)
            self.context.menu.rename(self.session.selected_shape)

    def right_click(self, at: Pointer) -> bool:
        """Remove the corner under the mouse."""
        handle, selected = self._handle_at(at), self._editor.selected()
        if selected is None or handle is None or not self._editor.has_corners(selected):
            return False
        self._remove_corner(selected, handle)
        return True

    # -- the keyboard ------------------------------------------------------------------------------------------------
    def key(self, key: Qt.Key, *, shift: bool = False) -> bool:
        """Delete and rename the selected shape."""
        chosen = self.session.selected_shape
        if not chosen.name or self._drag is not None:
            return False
        if key == Qt.Key.Key_Delete:
            self.session.delete_shape(chosen.kind, chosen.name)
            return True
        if key == Qt.Key.Key_F2:
            self.context.menu.rename(chosen)
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and chosen.kind is ShapeKind.REGION:
            self.context.menu.edit_numbers(chosen.name)
            return True
        return False

    def cancel(self) -> bool:
        """Undo the drag."""
        drag, self._drag = self._drag, None
        if drag is not None:
            self._hide(drag)
        self.sketch.show(None)
        return super().cancel() or drag is not None

    # -- helpers -----------------------------------------------------------------------------------------------------
    @property
    def _editor(self) -> ShapeEditor[Any]:
        """The editor of the selected kind."""
        return self._editors[self.session.selected_shape.kind]

    @property
    def _reach(self) -> float:
        return GRAB_PX / self.camera.pixels_per_cell

    def _shape_at(self, at: Pointer) -> tuple[ShapeKind, str] | None:
        return shape_at(self.session, at.row, at.column, self._reach)

    def _handle_at(self, at: Pointer) -> Handle | None:
        selected = self._editor.selected()
        return None if selected is None else near(self._editor.handles(selected), at.row, at.column, self._reach)

    def _dragged(self, drag: _ShapeDrag, at: Pointer) -> Any:
        if drag.handle is not None:
            row, column = self.context.snapped(at, leave=drag.before.name)
            return drag.editor.reshaped(drag.before, drag.handle, row, column)
        return drag.editor.moved(drag.before, at.row - drag.start.row, at.column - drag.start.column)

    def _hide(self, drag: _ShapeDrag) -> None:
        drag.editor.layer.preview("", None)
        self.sketch.show(None)

    def _remove_corner(self, selected: Any, handle: Handle) -> None:
        editor = self._editor
        changed = editor.without_corner(selected, handle)
        if changed is None:
            self.session.refuse_map_edit(editor.needs)
        else:
            editor.change(f"Remove a corner of {selected.name}", selected.name, changed)

    def _show_grip(self, at: Pointer) -> None:
        handle = self._handle_at(at)
        inside = self._shape_at(at) is not None
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

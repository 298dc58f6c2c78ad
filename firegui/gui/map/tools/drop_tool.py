"""Tool to select, move, turn, add and remove drops of the shown plan, with a preview of the fire."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, Qt

from firegui.domain.drops import Drop, DropList
from firegui.gui.map.drop_edits import MERGE_KEYS, drop_of, make, moved, removed
from firegui.gui.map.drop_menu import DropMenu, drop_at, shown_drop_at
from firegui.gui.map.layers.drop_layers import handle_of
from firegui.gui.map.tools.tool import ARROWS, PanningTool, Pointer, ToolContext
from firegui.gui.session.plan_editor import DropChange

_GRAB_PX = 9.0
_NEAR_PX = 4.0
_TURN = math.radians(5.0)
_TURNS = {Qt.Key.Key_BracketLeft: _TURN, Qt.Key.Key_BracketRight: -_TURN}
_NEIGHBOURS = {Qt.Key.Key_N: 1, Qt.Key.Key_B: -1}


@dataclass(slots=True)
class _DropDrag:
    """State of a drag that moves a drop or turns it by its handle."""

    drop: Drop
    start: Pointer
    turns: bool
    change: DropChange | None = None


class DropTool(PanningTool):
    """Tool that edits drops: a drag moves a drop, its handle turns it; every command has a key."""

    cursor = Qt.CursorShape.ArrowCursor
    hint = "Drag, arrows · [ ] turn · N next · Enter edits · Ins adds · Del · Esc"

    def __init__(self, context: ToolContext, menu: DropMenu) -> None:
        super().__init__(context)
        self._menu = menu
        self._drag: _DropDrag | None = None
        self._key_run: tuple[object, int, DropList] = (None, -1, DropList(()))

    @property
    def uses_key_cursor(self) -> bool:
        """Whether no drop is selected: the keys change a selected one, unless it was picked up."""
        return self.is_dragging or self.session.plan_editor.selected is None

    @property
    def is_dragging(self) -> bool:
        """Whether a drop or its handle was picked up."""
        return self._drag is not None

    # -- the mouse ---------------------------------------------------------------------------------------------------
    def press(self, at: Pointer) -> None:
        """Start dragging the handle of the selected drop, a drop, or the map."""
        editor = self.session.plan_editor
        chosen = editor.selected
        if chosen is not None and self._on_handle(chosen, at):
            self._begin(chosen, at, turns=True)
            return
        drop = self._drop_at(at)
        if drop is None:
            super().press(at)
            return
        editor.select(drop)
        self._begin(drop, at, turns=False)

    def _begin(self, drop: Drop, at: Pointer, *, turns: bool) -> None:
        obstacle = self.session.plan_editor.obstacle
        if obstacle:
            self.session.refuse_map_edit(f"Not done: {obstacle}")
            return
        self._drag = _DropDrag(drop, at, turns)
        # The present position is computed at once, so that the fire before the change is ready early.
        self.session.plan_editor.request_preview(moved(self.session, drop, drop))

    def move(self, at: Pointer) -> None:
        """Show the drop at its new position and request a preview."""
        drag = self._drag
        if drag is None:
            super().move(at)
            if not self._panning:
                self._show_grip(at)
            return
        if drag.change is None and not at.far_from(drag.start):
            return
        to = self._turned(drag.drop, at) if drag.turns else self._moved(drag, at)
        if drag.change is None or to != drag.change.drop:
            drag.change = moved(self.session, drag.drop, to)
            self.session.plan_editor.request_preview(drag.change)

    def release(self, at: Pointer) -> None:
        """Apply the drag as one undoable step; undo and report one that breaks a rule."""
        drag, self._drag = self._drag, None
        if drag is None:
            super().release(at)
            return
        if drag.change is None or not make(self.session, drag.change):
            self.session.plan_editor.request_preview(None)

    def click(self, at: Pointer) -> None:
        """Deselect the drop."""
        self.session.plan_editor.request_preview(None)
        self.session.plan_editor.select(None)

    def double_click(self, at: Pointer) -> None:
        """Edit the numbers of a drop; outside drops, add one."""
        drop = self._drop_at(at)
        if drop is not None:
            self.session.plan_editor.request_preview(None)
            self._drag = None
            self._menu.edit(drop)
        else:
            self._menu.add(at.row, at.column)

    # -- the keyboard ------------------------------------------------------------------------------------------------
    def key(self, key: Qt.Key, *, shift: bool = False) -> bool:
        """Move with the arrow keys, turn with brackets, select with N and B, add with Ins."""
        editor = self.session.plan_editor
        if self._drag is not None:
            return False
        if key in _NEIGHBOURS:
            self._choose(_NEIGHBOURS[key])
        elif key == Qt.Key.Key_Insert:
            rows, columns = self.context.shape
            chosen = editor.selected
            y, x = (rows / 2.0, columns / 2.0) if chosen is None else (chosen.y + 0.5, chosen.x + 0.5)
            self._menu.add(y, x)
        elif editor.selected is not None:
            return self._key_on(editor.selected, key)
        else:
            return False
        return True

    def _key_on(self, drop: Drop, key: Qt.Key) -> bool:
        session = self.session
        if key in ARROWS:
            self._nudge(drop, drop.moved(*ARROWS[key], self.context.shape))
        elif key in _TURNS:
            self._nudge(drop, replace(drop, theta=(drop.theta + _TURNS[key]) % math.pi))
        elif key == Qt.Key.Key_Delete:
            make(session, removed(session, drop))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._menu.edit(drop)
        elif key == Qt.Key.Key_P:
            self._menu.toggle_pin(drop)
        elif key == Qt.Key.Key_Question:
            self._menu.preview_without(drop)
        else:
            return False
        return True

    def _nudge(self, drop: Drop, to: Drop) -> None:
        """Move a drop by key. Consecutive moves of one drop are one undoable step with one effect."""
        change = moved(self.session, drop, to)
        run, merge, before = self._key_run
        if run != (drop.key, self.session.undo_stack.index()):
            merge, before = next(MERGE_KEYS), change.before
        if make(self.session, replace(change, before=before), merge):
            self._key_run = (to.key, self.session.undo_stack.index()), merge, before

    def _choose(self, onwards: int) -> None:
        """Select the next drop in time, from the shown step on, and scroll it into view."""
        session = self.session
        drops, chosen = session.plan_editor.drops.drops, session.plan_editor.selected
        if not drops:
            session.message.emit("The shown plan has no drops: Ins adds one.")
            return
        if chosen is None:
            later = (number for number, drop in enumerate(drops) if drop.step >= session.step)
            number = next(later, 0)
        else:
            number = (drops.index(chosen) + onwards) % len(drops)
        session.plan_editor.request_preview(None)
        session.plan_editor.select(drops[number])
        session.set_step(drops[number].step)
        self.camera.bring_into_view(drops[number].y + 0.5, drops[number].x + 0.5)

    def cancel(self) -> bool:
        """Undo the drag, or else deselect the drop."""
        drag, self._drag = self._drag, None
        editor = self.session.plan_editor
        had = drag is not None or editor.change is not None or editor.selected is not None
        if editor.change is not None:
            editor.request_preview(None)
        if drag is None:
            editor.select(None)
        return super().cancel() or had

    # -- helpers -----------------------------------------------------------------------------------------------------
    def _drop_at(self, at: Pointer) -> Drop | None:
        """Return the drop under the mouse: preferably the selected one, then one of the shown day."""
        session = self.session
        drops, chosen = session.result.drops, session.plan_editor.selected
        place = at.row, at.column, _NEAR_PX / self.camera.pixels_per_cell
        own = [each for each in drops if chosen is not None and (each.step, each.column) == chosen.key]
        record = drop_at(own, *place) or shown_drop_at(drops, session.step, session.project.calendar, *place)
        return None if record is None else drop_of(session, record)

    def _on_handle(self, drop: Drop, at: Pointer) -> bool:
        row, column = handle_of(self.session.plan_editor.rules, drop)
        away = self.camera.to_pixel(row, column) - at.pixel
        return bool(math.hypot(away.x(), away.y()) <= _GRAB_PX)

    def _moved(self, drag: _DropDrag, at: Pointer) -> Drop:
        return drag.drop.moved(at.row - drag.start.row, at.column - drag.start.column, self.context.shape)

    def _turned(self, drop: Drop, at: Pointer) -> Drop:
        y, x = self.session.plan_editor.rules.landing(drop)
        along = QPointF(at.column - 0.5 - x, at.row - 0.5 - y)
        if not along.manhattanLength():
            return drop
        # The long axis is along (dx, dy) = (cos θ, −sin θ), in either direction.
        return replace(drop, theta=math.atan2(-along.y(), along.x()) % math.pi)

    def _show_grip(self, at: Pointer) -> None:
        chosen = self.session.plan_editor.selected
        if chosen is not None and self._on_handle(chosen, at):
            shape = Qt.CursorShape.CrossCursor
        else:
            over = self._drop_at(at) is not None
            shape = Qt.CursorShape.SizeAllCursor if over else Qt.CursorShape.ArrowCursor
        self.camera.set_cursor(shape)

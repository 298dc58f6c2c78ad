"""Table of the shown plan's drops: sort, filter, select on the map and back, copy, and edit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QPoint, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QLineEdit, QMenu, QTableView, QWidget

from firegui.domain.drops import Drop, DropList
from firegui.domain.operations import PinnedDrop
from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.domain.units import Units
from firegui.gui.base.controls import action_button, add_shortcut
from firegui.gui.base.elided_label import ElidedLabel
from firegui.gui.base.flow_layout import FlowLayout
from firegui.gui.base.layouts import horizontal, muted_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.map.drop_edits import drop_of, remove_marked
from firegui.gui.session.session import Session
from firegui.gui.widgets.fields import narrow_combo
from firegui.gui.widgets.table_model import Column, TableModel
from firegui.gui.widgets.table_view import add_table_actions, selected_rows, show_table
from firegui.io.coordinates import format_place
from firegui.io.daylight import night_steps
from firegui.io.georeference import Georeference
from firegui.runs.messages import counted

_SETTLE_MS = 200
_NO_DROPS = "No drops: start a plan, or show one from the list of runs."
_ANY = ""
_SAME_TIME = timedelta(seconds=1)
_ACTIONS = ("go_to_drop", "edit_drop", "pin_drops", "unpin_drops", "remove_drops", "export_drops")
"""Actions of the buttons and of the context menu, by their names in the registry."""


@dataclass(frozen=True, slots=True, eq=False)
class ListedDrop:
    """One drop of the plan; ``number`` is that of :attr:`DropList.numbers`.

    ``flames`` is the flame length in m where the drop lands, ``None`` where it is not known. ``is_marked`` tells
    whether that is above the limit of the plan.
    """

    number: int
    record: DropRecord
    day: int
    time: str
    position: str
    heading: float
    status: str
    flames: float | None = None
    is_marked: bool = False

    @property
    def key(self) -> tuple[int, int]:
        """Step and column of the aircraft."""
        return self.record.step, self.record.column

    @property
    def words(self) -> str:
        """Everything that the text filter looks at, in lower case."""
        record = self.record
        texts = (
            f"day {self.day}",
            self.time,
            record.type,
            record.material,
            record.aircraft,
            self.position,
            self.status,
        )
        return " ".join(texts).lower()


@cache
def drop_columns(units: Units, *, has_flames: bool = False) -> tuple[Column, ...]:
    """Return the columns of the table, with loads and flame lengths in ``units``."""
    load = Column("Load", lambda row: row.record.payload_gal, "{:,.0f}".format, "What the aircraft carries",
                  units.load_unit, units.load_value(1.0))  # fmt: skip
    flames = Column("Flames", lambda row: row.flames, "{:,.1f}".format, _FLAMES_TIP, units.length_unit,
                    units.length_value(1.0), color=lambda row: "warning" if row.is_marked else None)  # fmt: skip
    return *_BEFORE, load, *_AFTER, *((flames,) if has_flames else ()), _STATUS


_BEFORE = (
    Column("Drop", lambda row: row.number, tip="Number in order of time; the map, briefings and exports show the same"),
    Column("Day", lambda row: row.day, tip="Day of the plan, from 1"),
    Column("Time", lambda row: row, lambda row: row.time, is_text=True, sort_key=lambda row: row.record.step,
           tip="Local time of the drop"),
    Column("Type", lambda row: row.record.type, is_text=True, tip="Type of aircraft"),
    Column("Aircraft", lambda row: row.record.aircraft, is_text=True, tip="Name of the aircraft"),
)  # fmt: skip
_AFTER = (
    Column("Position", lambda row: row.position, is_text=True, tip="Release point; the format is chosen under View"),
    Column("Heading", lambda row: row.heading, "{:03.0f}°".format, tip="True heading of the line, flown either way"),
)  # fmt: skip
_STATUS = Column(
    "Status", lambda row: row.status, is_text=True, missing="", tip="Pinned, edited by hand, at night, in long flames"
)
_FLAMES_TIP = (
    "Flame length where the drop lands, in the weather of its time: that of the head of a fire that arrives there "
    "unhindered.\nA drop ahead of the fire counts by what would burn there. Flanks and edges that drops have cooled "
    "have shorter flames.\nAbove the flame limit of the plan (How well drops work) drops rarely work. They are marked, "
    "and have no effect where drops fail in long flames."
)


class DropsPanel(QWidget):
    """Page of the drawer with the drops of the shown plan.

    Selected rows are selected on the map, and the other way round. The buttons are actions of the window, which
    :meth:`add_actions` brings.
    """

    go_to_requested = Signal(object)
    """Show this :class:`Drop` on the map, at its time."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._editor = session, session.plan_editor
        self._rows: tuple[ListedDrop, ...] = ()
        self._is_following = self._is_stale = False
        self._actions: tuple[QAction, ...] = ()
        self._night: tuple[Project | None, frozenset[int]] = None, frozenset()
        self.model = TableModel[ListedDrop](drop_columns(session.units), self, key=lambda row: row.key)
        self.view = QTableView()
        self.words = QLineEdit(clearButtonEnabled=True, placeholderText="Filter")
        self.day_box, self.type_box = narrow_combo("Day", "dropDay"), narrow_combo("Type of aircraft", "dropType")
        self.count, self.empty = ElidedLabel(role="muted"), muted_label(_NO_DROPS)
        self._buttons = QWidget()
        self._button_row = FlowLayout(self._buttons)
        self._settle = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settle.timeout.connect(self.refresh)
        self._lay_out()
        self._connect()

    def add_actions(self, actions: dict[str, QAction]) -> None:
        """Show the actions of the window that work on the selected drops."""
        self._actions = tuple(actions[name] for name in _ACTIONS)
        for action in self._actions:
            self._button_row.addWidget(action_button(action, Qt.ToolButtonStyle.ToolButtonTextBesideIcon))

    # -- set-up ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        show_table(self.view, self.model, "Drops", has_menu=False)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.horizontalHeader().setStretchLastSection(True)
        self.words.setAccessibleName("Filter")
        self.words.setToolTip(tooltip("Show the drops whose day, time, aircraft, position or status has these words"))
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        top = horizontal(
            None, (self.words, 1), self.day_box, self.type_box, (self.count, 2), self._buttons, margins=0, spacing=6
        )
        vertical(self, top, self.empty, (self.view, 1), margins=(6, 4, 6, 4), spacing=4)

    def _connect(self) -> None:
        session = self._session
        for signal in (
            session.project_opened, session.result_changed, session.operations_changed, session.drawing.changed,
            session.units_changed, session.plan_changed, session.drop_flames.changed,
        ):  # fmt: skip
            signal.connect(self._on_changed)
        self._editor.selected_changed.connect(self._follow_map)
        self.words.textChanged.connect(lambda _: self._filter_selected())
        for box in (self.day_box, self.type_box):
            box.currentIndexChanged.connect(lambda _: self._filter_selected())
        self.view.selectionModel().selectionChanged.connect(lambda *_: self._select_on_map())
        self.view.doubleClicked.connect(lambda _: self._go_to())
        add_shortcut(self.view, "Return", self._go_to)
        self.view.customContextMenuRequested.connect(self._open_menu)

    # -- rows --------------------------------------------------------------------------------------------------------
    def _on_changed(self) -> None:
        self._is_stale = True
        if self.isVisible() and not self._settle.isActive():
            self._settle.start()

    def showEvent(self, event: QShowEvent) -> None:
        """List the drops; nothing was listed while the page was hidden."""
        super().showEvent(event)
        if self._is_stale or not self._rows:
            self.refresh()

    def refresh(self) -> None:
        """List the drops of the shown plan."""
        self._settle.stop()
        self._is_stale = False
        self._rows = tuple(self._listed()) if self._session.has_project else ()
        days = dict.fromkeys(row.day for row in self._rows)
        _offer(self.day_box, [("All days", _ANY), *((f"Day {day}", str(day)) for day in days)])
        types = sorted({row.record.type for row in self._rows})
        _offer(self.type_box, [("All types", _ANY), *((name, name) for name in types)])
        self._filter()

    def _listed(self) -> Iterable[ListedDrop]:
        session, editor = self._session, self._editor
        project, result = editor.project, session.result
        if result.is_sample:
            return
        calendar, place = project.calendar, Georeference(project.scenario.grid)
        form, dark = session.drawing.coordinates, self._night_of(project)
        flames, limit = session.drop_flames.lengths(project, result.drops) or {}, session.project.plan.flame_limit_m
        pins: dict[str, list[PinnedDrop]] = {}
        for pin in session.project.operations.pinned:
            pins.setdefault(pin.aircraft, []).append(pin)
        plan = editor.plan
        before = None if plan is None else {(d.step, d.column): d for d in plan.origin.drops if d.executed}
        records = {(d.step, d.column): d for d in result.drops if d.executed}
        for key, number in DropList.of(result.drops).numbers.items():
            record = records[key]
            when = calendar.time_of_step(record.step)
            lonlat = place.lonlat(record.y, record.x)
            where = f"row {record.y:.1f}, column {record.x:.1f}" if lonlat is None else format_place(*lonlat, form)
            states = []
            if any(_is_at(pin, when) for pin in pins.get(record.aircraft, ())):
                states.append("pinned")
            if before is not None and before.get(key) != record:
                states.append("edited")
            if record.step in dark:
                states.append("at night")
            length = flames.get(key)
            is_marked = length is not None and length > limit
            if is_marked:
                fails = project.plan.drops_fail_in_flames
                states.append("no effect in long flames" if fails else "long flames")
            local = when.astimezone(calendar.local_zone)
            yield ListedDrop(
                number, record, calendar.day_of_step(record.step) + 1, calendar.clock_text(local), where,
                place.run_heading_true(record.y, record.x, record.theta), ", ".join(states), length, is_marked,
            )  # fmt: skip

    def _night_of(self, project: Project) -> frozenset[int]:
        if self._night[0] is not project:
            dark = night_steps(project)
            self._night = project, frozenset() if dark is None else frozenset(int(step) for step in dark.nonzero()[0])
        return self._night[1]

    def _filter_selected(self) -> None:
        """Filter the rows, and drop those that are hidden now from the selection: no action may reach them."""
        self._filter()
        keys = {row.key for row in self.model.rows}
        if any(drop.key not in keys for drop in self._editor.marked):
            self._editor.select_all([drop for drop in self._editor.marked if drop.key in keys])

    def _filter(self) -> None:
        words = self.words.text().lower().split()
        day, kind = self.day_box.currentData() or _ANY, self.type_box.currentData() or _ANY
        shown = [
            row for row in self._rows
            if (not day or str(row.day) == day) and (not kind or row.record.type == kind)
            and all(word in row.words for word in words)
        ]  # fmt: skip
        self._is_following = True
        has_flames = self._session.has_project and self._editor.project.fire_model.kind == "physical"
        self.model.set_rows(shown, drop_columns(self._session.units, has_flames=has_flames))
        self._is_following = False
        self._follow_map()

    def _show_count(self) -> None:
        shown, all_of, marked = self.model.rows, len(self._rows), len(self._editor.marked)
        self.empty.setVisible(not all_of)
        if not all_of:
            self.count.set_text("")
            return
        gallons = sum(row.record.payload_gal for row in shown)
        text = counted(all_of, "drop") if len(shown) == all_of else f"{len(shown):,} of {counted(all_of, 'drop')}"
        self.count.set_text(
            f"{text}, {self._session.units.volume(gallons)}" + (f" · {marked:,} selected" if marked else "")
        )

    # -- selection ---------------------------------------------------------------------------------------------------
    @property
    def selected(self) -> tuple[Drop, ...]:
        """The drops of the selected rows."""
        rows = (self.model.row(place).record for place in selected_rows(self.view))
        return tuple(drop for record in rows if (drop := drop_of(self._session, record)) is not None)

    def _select_on_map(self) -> None:
        if not self._is_following:
            self._is_following = True
            self._editor.select_all(self.selected)
            self._is_following = False
            self._show_count()

    def _follow_map(self) -> None:
        """Select the rows of the drops that are selected on the map."""
        if self._is_following or not self.isVisible():
            return
        keys = {drop.key for drop in self._editor.marked}
        places = [place for place in range(len(self.model.rows)) if self.model.row(place).key in keys]
        chosen, flags = QItemSelection(), QItemSelectionModel.SelectionFlag
        for place in places:
            index = self.model.index(place, 0)
            chosen.select(index, index)
        self._is_following = True
        self.view.selectionModel().select(chosen, flags.ClearAndSelect | flags.Rows)
        self._is_following = False
        if places:
            self.view.scrollTo(self.model.index(places[0], 0))
        self._show_count()

    def _go_to(self) -> None:
        if (drop := self._editor.selected) is not None:
            self.go_to_requested.emit(drop)

    # -- menu and keys -----------------------------------------------------------------------------------------------
    def _open_menu(self, point: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self._actions)
        menu.addSeparator()
        add_table_actions(menu, self.view)
        menu.popup(self.view.viewport().mapToGlobal(point))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove the selected drops on Delete."""
        if event.key() == Qt.Key.Key_Delete:
            remove_marked(self._session)
        else:
            super().keyPressEvent(event)


def _is_at(pin: PinnedDrop, when: datetime) -> bool:
    return abs(pin.time - when) < _SAME_TIME


def _offer(box: QComboBox, entries: Sequence[tuple[str, str]]) -> None:
    """Offer ``entries`` in a combo box; the chosen one stays if it is still there."""
    if [(box.itemText(place), box.itemData(place)) for place in range(box.count())] == list(entries):
        return
    chosen = box.currentData()
    with QSignalBlocker(box):
        box.clear()
        for text, value in entries:
            box.addItem(text, value)
        box.setCurrentIndex(max(box.findData(chosen), 0))

"""Context menus of shapes on the map, and the dialog for the numbers of a region."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFormLayout,
    QHeaderView,
    QInputDialog,
    QMenu,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from firegui.domain.barriers import with_corner
from firegui.domain.options import number_from_text
from firegui.domain.region_geometry import with_vertex_on_edge
from firegui.domain.regions import Region, Vertex
from firegui.errors import InputError
from firegui.gui.base.controls import without_mnemonic
from firegui.gui.base.dialogs import Dialog, TextDialog
from firegui.gui.base.layouts import horizontal, plain_label, vertical
from firegui.gui.base.plain_text import plain, tooltip
from firegui.gui.map.camera import MapArea
from firegui.gui.map.shape_edits import (
    change_barrier,
    change_region,
    delete_zone,
    find_barrier,
    find_region,
    refusal_of,
    rename_barrier,
    rename_base,
    rename_region,
    rename_zone,
    shape_bounds,
    size_text,
)
from firegui.gui.session.session import SelectedShape, Session, ShapeKind
from firegui.gui.widgets.fields import NoScrollComboBox, WholeField, commit_editing

_RENAMES: Mapping[ShapeKind, Callable[[Session, str, str], None]] = {
    ShapeKind.REGION: rename_region, ShapeKind.BARRIER: rename_barrier, ShapeKind.BASE: rename_base,
}  # fmt: skip
_HINT = "Rows are counted from the north, columns from the west, both at the edges of cells: 0 is the edge of the grid."


class RegionDialog(Dialog):
    """Form for the numbers of a region, validated during typing.

    Accepting a valid region is one undoable step.
    """

    def __init__(self, session: Session, region: Region, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Region {region.name}")
        self._session, self._name, self.region = session, region.name, region
        self.note, self.trouble = plain_label(wordWrap=True), plain_label(wordWrap=True)
        self.sides: dict[str, WholeField] = {}
        self.rings, self.corners = NoScrollComboBox(), QTableWidget(0, 2)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        hint = plain_label(_HINT, wordWrap=True)
        hint.setProperty("role", "muted")
        self.trouble.setProperty("role", "warning")
        self.trouble.setAccessibleName("Problems of the region")
        fields = self._corner_table() if region.as_rectangle is None else self._side_form()
        vertical(self, hint, fields, self.note, self.trouble, self.buttons, least_width=340)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._check()

    def accept(self) -> None:
        """Accept the region, unless it is invalid."""
        self._check()
        commit_editing()
        if not self.trouble.text() and change_region(
            self._session, f"Numbers of region {self._name}", self._name, self.region
        ):
            super().accept()

    # -- a rectangle -------------------------------------------------------------------------------------------------
    def _side_form(self) -> QFormLayout:
        form, box = QFormLayout(), self.region.as_rectangle
        rows, columns = self._session.project.scenario.grid.shape
        assert box is not None
        for key, label, value, most in (
            ("top", "&First row", box[0][0], rows), ("bottom", "&End row", box[0][1], rows),
            ("left", "First &column", box[1][0], columns), ("right", "End c&olumn", box[1][1], columns),
        ):  # fmt: skip
            field = self.sides[key] = WholeField(0, most)
            field.setValue(round(value))
            field.setSuffix(" cells")
            field.setAccessibleName(without_mnemonic(label))
            is_row = most == rows and key in ("top", "bottom")
            field.setToolTip(tooltip("Cells from the north" if is_row else "Cells from the west"))
            field.valueChanged.connect(self._take_sides)
            field.refused.connect(self.trouble.setText)
            form.addRow(label, field)
        return form

    def _take_sides(self, _: int) -> None:
        top, bottom, left, right = (self.sides[key].value() for key in ("top", "bottom", "left", "right"))
        if top < bottom and left < right:
            self.region = Region.rectangle(self._name, (top, bottom), (left, right), self.region.weight)
            self._check()
        else:
            self._show_trouble("The end must lie behind the beginning: give a larger end row and end column.")

    # -- a polygon ---------------------------------------------------------------------------------------------------
    def _corner_table(self) -> QVBoxLayout:
        for p, part in enumerate(self.region.parts):
            for r in range(len(part)):
                self.rings.addItem(f"Part {p + 1}, {f'hole {r}' if r else 'outline'}", (p, r))
        self.rings.setAccessibleName("Outline or hole")
        self.rings.setToolTip("Which ring of corners is listed")
        self.rings.setVisible(self.rings.count() > 1)
        self.rings.currentIndexChanged.connect(lambda _: self._list_corners())
        self.corners.setHorizontalHeaderLabels(["Row", "Column"])
        self.corners.setAccessibleName("Corners of the region, in cells")
        self.corners.setToolTip(
            tooltip("Corners in cells from the north-west of the grid; double-click or F2 to change one")
        )
        self.corners.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.corners.setTabKeyNavigation(False)
        self.corners.itemChanged.connect(self._take_item)
        self.insert, self.remove = QPushButton("&Insert after"), QPushButton("&Remove")
        for button, tip, run in (
            (self.insert, "Add a corner half-way to the next one", self._insert),
            (self.remove, "Remove the chosen corner", self._remove),
        ):
            button.setToolTip(tooltip(tip))
            button.setAutoDefault(False)
            button.clicked.connect(run)
        self._list_corners()
        return vertical(None, self.rings, self.corners, horizontal(None, self.insert, self.remove, 1))

    @property
    def _ring(self) -> tuple[Vertex, ...]:
        part, ring = self._place
        return self.region.parts[part][ring]

    @property
    def _place(self) -> tuple[int, int]:
        part, ring = self.rings.currentData()
        return int(part), int(ring)

    def _list_corners(self) -> None:
        self.corners.blockSignals(True)
        self.corners.setRowCount(len(self._ring))
        for line, vertex in enumerate(self._ring):
            for place, value in enumerate(vertex):
                self.corners.setItem(line, place, QTableWidgetItem(f"{value:g}"))
        self.corners.blockSignals(False)

    def _take_item(self, item: QTableWidgetItem) -> None:
        try:
            value = number_from_text(item.text().strip())
        except ValueError:
            self._show_trouble(f"{item.text()!r} is not a number: give the corner in cells, such as 12.5.")
            return
        ring, line = list(self._ring), item.row()
        vertex = list(ring[line])
        vertex[item.column()] = value
        ring[line] = (vertex[0], vertex[1])
        self._take_ring(ring)

    def _insert(self) -> None:
        ring, line = list(self._ring), max(self.corners.currentRow(), 0)
        here, there = ring[line], ring[(line + 1) % len(ring)]
        ring.insert(line + 1, (round((here[0] + there[0]) / 2, 2), round((here[1] + there[1]) / 2, 2)))
        self._take_ring(ring)
        self._list_corners()
        self.corners.setCurrentCell(line + 1, 0)

    def _remove(self) -> None:
        ring, line = list(self._ring), self.corners.currentRow()
        if line < 0 or len(ring) <= 3:
            self._show_trouble("A polygon needs at least three corners." if line >= 0 else "Choose a corner first.")
            return
        del ring[line]
        self._take_ring(ring)
        self._list_corners()

    def _take_ring(self, ring: list[Vertex]) -> None:
        p, r = self._place
        parts = [list(part) for part in self.region.parts]
        parts[p][r] = tuple(ring)
        self.region = replace(self.region, parts=tuple(tuple(part) for part in parts))
        self._check()

    # -- checking ----------------------------------------------------------------------------------------------------
    def _check(self) -> None:
        self.note.setText(size_text(self.region, self._session.project.scenario.grid, self._session.units))
        self._show_trouble(refusal_of(self._session, self._name, self.region))

    def _show_trouble(self, trouble: str) -> None:
        self.trouble.setText(trouble)
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setEnabled(not trouble)
        ok.setToolTip(tooltip(trouble or "Apply these numbers; can be undone"))


class ShapeMenu:
    """Context menus of regions, barriers, bases and no-drop zones, with window-modal dialogs."""

    def __init__(self, session: Session, parent: QWidget, zoom_to: Callable[[MapArea], None]) -> None:
        self._session = session
        self._parent = parent
        self._zoom_to = zoom_to
        self.menu: QMenu | None = None
        self.name_dialog: TextDialog | None = None
        self.weight_dialog: QInputDialog | None = None
        self.numbers: RegionDialog | None = None

    def open(self, shape: SelectedShape, at: QPoint, place: Vertex, more: Sequence[QAction] = ()) -> None:
        """Show the menu of ``shape``, opened at ``place``, at a global position; it ends with ``more``."""
        kind, name = shape.kind, shape.name
        menu = QMenu(name, self._parent)
        menu.setAccessibleName(f"{kind.title()} {name}")
        rename = menu.addAction("Rename…", lambda: self.rename(shape))
        rename.setShortcut(QKeySequence("F2"))
        if kind is ShapeKind.REGION:
            menu.addAction("Numbers…", lambda: self.edit_numbers(name))
            menu.addAction("Weight…", lambda: self.edit_weight(name))
        if kind is not ShapeKind.BASE:
            corner = menu.addAction("Add corner here", lambda: self.add_corner(shape, place))
            corner.setToolTip(tooltip(f"Add a corner to the nearest edge of the {kind}"))
            if (bounds := shape_bounds(self._session, shape)) is not None:
                menu.addAction("Zoom to", lambda: self._zoom_to(bounds))
        menu.addSeparator()
        delete = menu.addAction("Delete", lambda: self._session.delete_shape(kind, name))
        delete.setShortcut(QKeySequence("Del"))
        if more:
            menu.addSeparator()
            menu.addActions(list(more))
        self._popup(menu, at)

    def open_zone(self, zone: Region, at: QPoint, more: Sequence[QAction] = ()) -> None:
        """Show the menu of a no-drop zone at a global position; it ends with ``more``."""
        session, name = self._session, zone.name
        menu = QMenu(name, self._parent)
        menu.setAccessibleName(f"No-drop zone {name}")
        rename = partial(rename_zone, session, name)
        menu.addAction("Rename…", lambda: self._ask_name(f"Rename no-drop zone {name}", "New &name:", name, rename))
        menu.addAction("Zoom to", lambda: self._zoom_to(zone.bounds))
        menu.addSeparator()
        zones = session.project.operations.no_drop_zones
        menu.addAction("Delete", lambda: delete_zone(session, zones.index(zone)))
        if more:
            menu.addSeparator()
            menu.addActions(list(more))
        self._popup(menu, at)

    def _popup(self, menu: QMenu, at: QPoint) -> None:
        if self.menu is not None:
            self.menu.deleteLater()
        self.menu = menu
        menu.popup(at)

    def add_corner(self, shape: SelectedShape, place: Vertex) -> None:
        """Add a corner to the edge of a region or barrier that is nearest to ``place``."""
        session, name, text = self._session, shape.name, f"Add a corner to {shape.name}"
        region = find_region(session, name) if shape.kind is ShapeKind.REGION else None
        if region is not None and (changed := with_vertex_on_edge(region, *place, within=math.inf)) is not None:
            change_region(session, text, name, changed)
        barrier = find_barrier(session, name) if shape.kind is ShapeKind.BARRIER else None
        if barrier is not None and (longer := with_corner(barrier, *place, within=math.inf)) is not None:
            change_barrier(session, text, name, longer)

    def edit_numbers(self, name: str) -> None:
        """Open the dialog for corners, or rows and columns."""
        region = find_region(self._session, name)
        if region is not None:
            if self.numbers is not None:
                self.numbers.deleteLater()
            self.numbers = RegionDialog(self._session, region, self._parent)
            self.numbers.open()

    def rename(self, shape: SelectedShape) -> None:
        """Open the dialog for a new name."""
        rename = partial(_RENAMES[shape.kind], self._session, shape.name)
        self._ask_name(f"Rename {shape.kind} {shape.name}", "New &name:", shape.name, rename)

    def name_new(self, shape: Region, *, is_zone: bool, note: str = "") -> None:
        """Open the dialog for the name of a drawn region or zone, which tells its size; Cancel removes it.

        ``note`` is what else to know of it before it is kept.
        """
        session, kind = self._session, "no-drop zone" if is_zone else "region"
        size = size_text(shape, session.project.scenario.grid, session.units)
        drawn = session.project
        rename = partial(rename_zone if is_zone else rename_region, session, shape.name)
        said = f"{note}\n" if note else ""
        dialog = self._ask_name(f"New {kind}", f"{said}{size}\n&Name of the new {kind}:", shape.name, rename)

        def take_back() -> None:
            if session.project is drawn:
                session.undo()

        dialog.rejected.connect(take_back)

    def _ask_name(self, title: str, label: str, name: str, rename: Callable[[str], object]) -> TextDialog:
        def take(text: str) -> str:
            try:
                rename(text)
            except InputError as error:
                problem = error.problems[0]
                return f"{error.title}: {problem.what}; {problem.remedy}."
            return ""

        if self.name_dialog is not None:
            self.name_dialog.deleteLater()
        self.name_dialog = TextDialog(title, label, take, self._parent, text=name)
        self.name_dialog.open()
        return self.name_dialog

    def edit_weight(self, name: str) -> None:
        """Open the dialog for a new weight."""
        region = find_region(self._session, name)
        if region is None:
            return
        if self.weight_dialog is not None:
            self.weight_dialog.deleteLater()
        dialog = self.weight_dialog = QInputDialog(self._parent)
        dialog.setWindowTitle("Region weight")
        dialog.setLabelText(plain(f"Weight of region {name} in the mean over regions (1 unless changed):"))
        dialog.setInputMode(QInputDialog.InputMode.DoubleInput)
        dialog.setDoubleRange(0.0, 1e6)
        dialog.setDoubleDecimals(3)
        dialog.setDoubleValue(region.weight)
        dialog.doubleValueSelected.connect(lambda weight: self._set_weight(name, weight))
        dialog.open()

    def _set_weight(self, name: str, weight: float) -> None:
        region = find_region(self._session, name)
        if region is not None:
            change_region(self._session, f"Weight of {name}", name, replace(region, weight=weight))

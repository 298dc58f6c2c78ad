"""Set-up of table views: selection, sorting, copying and CSV export."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QItemSelectionModel, QKeyCombination, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QTableView,
    QTreeView,
    QWidget,
)

from firegui.errors import InputError
from firegui.gui.base.controls import add_shortcut
from firegui.gui.base.dialogs import ProblemsDialog
from firegui.gui.base.export_place import ask_export_file
from firegui.gui.base.layouts import muted_label, vertical
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import set_role
from firegui.gui.widgets.editable_table import EditableTable
from firegui.gui.widgets.table_buttons import ButtonRow
from firegui.gui.widgets.table_model import EXPORT_ROLE, ROOT, Index, TableModel
from firegui.gui.widgets.wrapped_header import WrappedHeader
from firegui.io.atomic import write_text
from firegui.io.tables import csv_text, without_formula

_FILTER = "CSV table (*.csv)"
_SPACE = QKeyCombination(Qt.Key.Key_Space)
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_MEASURED_ROWS = 50
"""Rows, from the first on screen, for which a column is made wide enough."""


class _TableKeys(QObject):
    """Leaves Space to the window, which plays, unless it ticks the current cell; edits it on Enter."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._view = view
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ignore Space for the table, where Ctrl+Space still selects, and edit on Enter."""
        # A key that the editor of a cell leaves reaches the table too.
        if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress or not self._view.hasFocus():
            return False
        current, keys = self._view.currentIndex(), event.keyCombination()
        flags = self._view.model().flags(current)
        if keys == _SPACE and not flags & Qt.ItemFlag.ItemIsUserCheckable:
            event.ignore()
            return True
        edits = bool(self._view.editTriggers() & QAbstractItemView.EditTrigger.AnyKeyPressed)
        if edits and keys.key() in _ENTER and flags & Qt.ItemFlag.ItemIsEditable:
            # The editor of another cell may be open still, and Qt warns about a second.
            if self._view.state() is not QAbstractItemView.State.EditingState:
                self._view.edit(current)
            return True
        return False


def show_table(
    view: QTableView,
    model: QAbstractItemModel,
    name: str,
    *,
    row_height: int | None = None,
    lines: int | None = None,
    stretch: int | None = None,
    is_sortable: bool = True,
    has_menu: bool = True,
    copy: Callable[[], object] | None = None,
) -> None:
    """Show ``model`` in ``view``, with row selection, Ctrl+C and a context menu.

    ``name`` is the accessible name of the table. ``lines`` fixes the height of the view to that many rows. ``stretch``
    is the column that takes the spare width. ``copy`` replaces :func:`copy_table`. ``has_menu`` is false if the panel
    opens a context menu of its own.
    """
    if not isinstance(view.horizontalHeader(), WrappedHeader):
        view.setHorizontalHeader(WrappedHeader(view))
    view.setModel(model)
    view.setAccessibleName(name)
    view.setToolTip(tooltip(name))
    # Arrow keys move between cells; Tab must lead out of the table.
    view.setTabKeyNavigation(False)
    _TableKeys(view)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setAlternatingRowColors(True)
    view.setShowGrid(False)
    view.setWordWrap(False)
    rows, header = view.verticalHeader(), view.horizontalHeader()
    rows.setDefaultSectionSize(row_height or view.fontMetrics().height() + 8)
    rows.hide()
    header.setHighlightSections(False)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    # Qt would measure a thousand rows after every change.
    header.setResizeContentsPrecision(_MEASURED_ROWS)
    if stretch is not None:
        header.setSectionResizeMode(stretch, QHeaderView.ResizeMode.Stretch)
    if lines is not None:
        fit_rows(view, lines, lines)
    if is_sortable:
        # The first click sorts, the third restores the given order.
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        view.setSortingEnabled(True)
    for number, column in enumerate(model.columns if isinstance(model, TableModel) else ()):
        if column.delegate is not None:
            view.setItemDelegateForColumn(number, column.delegate(view))
    if has_menu:
        add_copying(view, copy)
    else:
        add_shortcut(view, QKeySequence(QKeySequence.StandardKey.Copy), copy or (lambda: copy_table(view)))


def fit_rows(view: QTableView, fewest: int, most: int) -> None:
    """Keep a table as high as its header and its rows, at least ``fewest`` and at most ``most`` of them."""
    header = view.horizontalHeader()

    def fit(*_: object) -> None:
        rows, bar = view.verticalHeader().defaultSectionSize(), view.horizontalScrollBar()
        never = view.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        count = min(max(view.model().rowCount(), fewest), most)
        below = 0 if never or header.stretchSectionCount() else bar.sizeHint().height()
        view.setFixedHeight(header.sizeHint().height() + count * rows + below + 4)

    for signal in (view.model().modelReset, view.model().rowsInserted, view.model().rowsRemoved):
        signal.connect(fit)
    # The titles need more lines in narrow columns.
    header.sectionResized.connect(fit)
    fit()


def wrap_rows(view: QTableView) -> None:
    """Break the texts of a table between words, and give each row the height of its lines."""
    view.setWordWrap(True)
    # Within the signal of a resized column, Qt would measure the rows at the width before.
    fit = QTimer(view, singleShot=True, interval=0)
    fit.timeout.connect(view.resizeRowsToContents)
    model, header = view.model(), view.horizontalHeader()
    for changed in (model.modelReset, model.layoutChanged, model.dataChanged, header.sectionResized):
        changed.connect(lambda *_: fit.start())


def add_copying(view: QAbstractItemView, copy: Callable[[], object] | None = None) -> None:
    """Add Ctrl+C to a table, and a context menu with "Copy" and "Save as CSV…"."""
    copy = copy or (lambda: copy_table(view))
    add_shortcut(view, QKeySequence(QKeySequence.StandardKey.Copy), copy)

    def open_menu(point: QPoint) -> None:
        menu = QMenu(view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add_table_actions(menu, view, copy)
        menu.popup(view.viewport().mapToGlobal(point))

    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.customContextMenuRequested.connect(open_menu)


def add_table_actions(menu: QMenu, view: QAbstractItemView, copy: Callable[[], object] | None = None) -> None:
    """Append "Copy" and "Save as CSV…" to a table's context menu."""
    for text, run in (("Copy", copy or (lambda: copy_table(view))), ("Save as CSV…", lambda: ask_csv(view))):
        action = QAction(text, menu)
        action.triggered.connect(lambda _checked=False, run=run: run())
        action.setEnabled(view.model().rowCount() > 0)
        menu.addAction(action)


# -- content ----------------------------------------------------------------------------------------------------------
def table_text(view: QAbstractItemView, *, only_selected: bool = False) -> str:
    """Return the table as shown, with tabs between columns as spreadsheets read them."""
    lines = table_lines(view, only_selected=only_selected)
    return "".join("\t".join(without_formula(str(cell)) for cell in line) + "\n" for line in lines)


def table_csv(view: QAbstractItemView) -> str:
    """Return the shown rows and columns as CSV, numbers with every digit."""
    return csv_text(table_lines(view, EXPORT_ROLE))


def table_lines(
    view: QAbstractItemView, role: int = Qt.ItemDataRole.DisplayRole, *, only_selected: bool = False
) -> Iterator[Sequence[Any]]:
    """Yield the headings, then the shown rows.

    Row headings are included if visible. In a tree only expanded rows are yielded.
    """
    assert isinstance(view, (QTableView, QTreeView))
    model, selection = view.model(), view.selectionModel()
    columns = [column for column in range(model.columnCount()) if not view.isColumnHidden(column)]
    across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    has_row_headings = isinstance(view, QTableView) and not view.verticalHeader().isHidden()
    yield [""] * has_row_headings + [
        str(model.headerData(column, across) or "").replace("\n", " ") for column in columns
    ]

    def below(parent: Index) -> Iterator[Sequence[Any]]:
        for row in range(model.rowCount(parent)):
            first = model.index(row, 0, parent)
            if not only_selected or selection.isRowSelected(row, parent):
                cells = [first.siblingAtColumn(column) for column in columns]
                heading = [str(model.headerData(row, down) or "")] if has_row_headings else []
                yield heading + [_cell(cell.data(role), cell.data()) for cell in cells]
            if isinstance(view, QTreeView) and view.isExpanded(first):
                yield from below(first)

    yield from below(ROOT)


def copy_table(view: QAbstractItemView) -> None:
    """Copy the selected rows to the clipboard, or the whole table if it has no multiple selection."""
    several = view.selectionMode() is not QAbstractItemView.SelectionMode.SingleSelection
    text = table_text(view, only_selected=several and bool(view.selectionModel().selectedRows()))
    QGuiApplication.clipboard().setText(text)


def ask_csv(view: QAbstractItemView) -> None:
    """Let the user choose a file and write the table to it."""
    suggested = f"{view.accessibleName().lower().replace(' ', '-') or 'table'}.csv"
    path = ask_export_file(view, "Save table as CSV", suggested, _FILTER)
    if path is None:
        return
    path = path if path.suffix else path.with_suffix(".csv")
    try:
        write_text(path, table_csv(view))
    except InputError as error:
        ProblemsDialog(error, view).open()


def _cell(value: Any, text: Any) -> Any:
    chosen = text if value is None else value
    return "" if chosen is None else chosen


# -- selection --------------------------------------------------------------------------------------------------------
def select_row(view: QTableView, row: int, column: int = 0) -> None:
    """Select one row only; its cell in ``column`` becomes the current one.

    Qt's ``selectRow`` depends on the keyboard: with Ctrl held it would deselect.
    """
    flags = QItemSelectionModel.SelectionFlag
    view.selectionModel().setCurrentIndex(view.model().index(row, column), flags.ClearAndSelect | flags.Rows)


def selected_rows(view: QAbstractItemView) -> list[int]:
    """Return the selected rows from top to bottom, numbered as shown."""
    return sorted(index.row() for index in view.selectionModel().selectedRows())


class TableForm(QWidget):
    """Panel with a table, buttons above it and a line of text below; Delete removes the selected row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = EditableTable()
        self._footer = muted_label()

    @property
    def footer(self) -> str:
        """Text below the table."""
        return self._footer.text()

    def set_footer(self, text: str, *, warns: bool = False) -> None:
        """Set the text below the table, in the colour of a warning if it ``warns``."""
        self._footer.setText(text)
        set_role(self._footer, "warning" if warns else "muted")

    def lay_out(self, buttons: ButtonRow) -> None:
        """Put ``buttons`` above the table. Must be called once."""
        vertical(self, buttons, (self.view, 1), self._footer, margins=6)

    def remove(self) -> None:
        """Remove the selected row."""
        raise NotImplementedError

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Remove the selected row on Delete."""
        if event.key() == Qt.Key.Key_Delete:
            self.remove()
        else:
            super().keyPressEvent(event)

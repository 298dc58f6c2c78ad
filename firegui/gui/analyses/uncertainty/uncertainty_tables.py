"""The tables of an ensemble: the paper's summary, and its members, to be sorted, copied and played."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from firegui.domain.ensemble import Ensemble
from firegui.gui.analyses.uncertainty.ensemble_table import MembersModel, SummaryModel
from firegui.gui.widgets.columns_model import SORT_ROLE, ColumnsModel
from firegui.gui.widgets.sensitivity_table import table_text
from firegui.gui.widgets.table_panel import dress_table, select_row
from firegui.runs.uq_summary import summarised


class EnsembleTables(QObject):
    """Two views over their models; whoever makes it lays the views out."""

    played = Signal(int)
    """A person wants to see this member (double-click, Enter)."""
    copied = Signal()
    """A person pressed the keys for copying in one of the tables."""
    chosen_changed = Signal()
    """Another member was chosen, or none."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.summary, self.members = SummaryModel(self), MembersModel(self)
        self.summary_view, self.members_view = QTableView(parent), QTableView(parent)
        self.sorted_members = QSortFilterProxyModel(self)
        self._sorted_with: tuple[str, ...] = ()
        self.summary_view.setModel(self.summary)
        self._dress(self.summary_view, "Summary of the ensemble")
        self.sorted_members.setSourceModel(self.members)
        self.sorted_members.setSortRole(SORT_ROLE)
        self.members_view.setModel(self.sorted_members)
        self._dress(self.members_view, "Members of the ensemble")
        self.members_view.setSortingEnabled(True)
        self.members_view.activated.connect(self._on_activated)
        self.members_view.selectionModel().selectionChanged.connect(self._on_chosen)

    def show(self, ensemble: Ensemble | None, *, regions: bool) -> None:
        """Show another ensemble, or none; the chosen member stays chosen."""
        chosen = self.chosen
        some = ensemble is not None and ensemble.members > 0
        self.summary.show(summarised(ensemble, regions=regions) if ensemble is not None and some else None)
        self.members.show(ensemble, regions=regions)
        self._sort(chosen)

    @property
    def chosen(self) -> int | None:
        """The chosen member."""
        rows = self.members_view.selectionModel().selectedRows()
        return self._member(rows[0]) if rows else None

    def text(self, view: QTableView) -> str:
        """A table for a spreadsheet, tabs between its columns."""
        model: ColumnsModel = self.members if view is self.members_view else self.summary
        shown = view.model()
        count = range(shown.columnCount())
        rows = [[str(shown.index(row, column).data()) for column in count] for row in range(shown.rowCount())]
        return table_text(model.titles, rows)

    def _dress(self, view: QTableView, name: str) -> None:
        dress_table(view, name, view.fontMetrics().height() + 8)
        view.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        view.verticalHeader().hide()
        view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), view)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copied)

    def _sort(self, chosen: int | None) -> None:
        """Where the plan does least first, until a person sorts otherwise."""
        titles = self.members.titles
        if titles and titles != self._sorted_with:
            self._sorted_with = titles
            saved = "saved" in titles[1]
            order = Qt.SortOrder.AscendingOrder if saved else Qt.SortOrder.DescendingOrder
            self.members_view.sortByColumn(1, order)
        if chosen is not None and chosen < self.members.rowCount():
            row = self.sorted_members.mapFromSource(self.members.index(chosen, 0)).row()
            select_row(self.members_view, row)

    def _member(self, index: QModelIndex) -> int:
        return self.members.member(self.sorted_members.mapToSource(index).row())

    def _on_activated(self, index: QModelIndex) -> None:
        self.played.emit(self._member(index))

    def _on_chosen(self, _now: object, _before: object) -> None:
        self.chosen_changed.emit()

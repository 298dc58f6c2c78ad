"""The numbers of two runs beside each other, while the maps behind show both fires."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)  # fmt: skip

from firegui.gui.base.layouts import vertical
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.planning.run_comparison import compared

_SIZE = (500, 300)
_MARGIN = 12


class CompareRunsDialog(QDialog):
    """Stands beside the work: nothing waits for it."""

    def __init__(self, one: RunEntry, other: RunEntry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"{one.title} and {other.title}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # The keys stay with the maps and the timeline.
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.resize(*_SIZE)
        self.lines = compared(one, other)
        self._heads = ("", one.title, other.title, "Change")
        self.table = self._make_table()
        self._fill()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda _checked=False: self.copy())
        keys = QShortcut(QKeySequence.StandardKey.Copy, self.table)
        keys.setContext(Qt.ShortcutContext.WidgetShortcut)
        keys.activated.connect(self.copy)
        buttons.rejected.connect(self.close)
        vertical(self, (self.table, 1), buttons)
        self._stand_aside(parent)

    def copy(self) -> None:
        """Put the whole table on the clipboard, columns apart by tabs."""
        rows = [self._heads, *((line.what, line.one, line.other, line.change) for line in self.lines)]
        QGuiApplication.clipboard().setText("\n".join("\t".join(row) for row in rows))

    def _stand_aside(self, window: QWidget | None) -> None:
        """In the lower right corner, away from the maps."""
        if window is not None:
            corner = window.mapToGlobal(QPoint(window.width(), window.height()))
            self.move(corner - QPoint(self.width() + _MARGIN, self.height() + _MARGIN))

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(len(self.lines), len(self._heads))
        table.setHorizontalHeaderLabels(list(self._heads))
        table.setAccessibleName("Two runs compared")
        table.setToolTip("First the results, then every input in which the two runs differ")
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setAlternatingRowColors(True)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 8)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        return table

    def _fill(self) -> None:
        for row, line in enumerate(self.lines):
            for column, text in enumerate((line.what, line.one, line.other, line.change)):
                item = QTableWidgetItem(text)
                item.setToolTip(line.help or line.what)
                if column:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                self.table.setItem(row, column, item)

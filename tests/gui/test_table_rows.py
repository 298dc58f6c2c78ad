"""Rows of tables whose texts wrap."""

from __future__ import annotations

from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QHeaderView, QTableView
from pytestqt.qtbot import QtBot

from firegui.gui.widgets.table_view import wrap_rows


def test_rows_have_the_height_of_their_lines_at_the_width_that_the_column_has(qtbot: QtBot) -> None:
    model = QStandardItemModel()
    for number in range(9):
        text = "retardant 70 % effective, water 60 %, headings off"
        model.appendRow([QStandardItem(f"scenario {number}"), QStandardItem(text)])
    view = QTableView()
    qtbot.addWidget(view)
    view.setModel(model)
    header = view.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
    wrap_rows(view)
    view.resize(140, 150)
    view.show()
    qtbot.waitUntil(lambda: view.rowHeight(0) >= 3 * view.fontMetrics().height())
    view.resize(600, 150)
    qtbot.waitUntil(lambda: all(view.rowHeight(row) < 2 * view.fontMetrics().height() for row in range(9)))

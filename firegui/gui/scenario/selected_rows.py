"""Selection of the map and of a table of shapes, which follow each other."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QTableView

from firegui.gui.session.session import Session, ShapeKind
from firegui.gui.widgets.table_model import TableModel
from firegui.gui.widgets.table_view import select_row, selected_rows


def follow_selection(view: QTableView, model: TableModel[Any], session: Session, kind: ShapeKind) -> None:
    """Select the row of a table of shapes and the shape on the map together."""

    def select() -> None:
        names = [model.row(row).name for row in selected_rows(view)]
        if names and session.selected_name(kind) not in names:
            session.select_shape(kind, names[0])

    def follow() -> None:
        name = session.selected_name(kind)
        places = [model.place(position) for position, shape in enumerate(model.rows) if shape.name == name]
        if not name:
            view.clearSelection()
        elif places and places[0] not in selected_rows(view):
            select_row(view, places[0])

    view.selectionModel().selectionChanged.connect(lambda *_: select())
    session.shape_selected.connect(follow)
    # A changed table has lost its selection.
    model.modelReset.connect(follow)

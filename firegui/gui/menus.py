"""The menu bar and the tool bar, put together from the actions."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QToolButton, QWidget

from firegui.gui.actions import Actions
from firegui.gui.documents import Documents


def fill_menus(window: QMainWindow, actions: Actions, documents: Documents, docks: Iterable[QAction]) -> None:
    """File, Edit, View, Plan and Help."""
    bar = window.menuBar()
    file = bar.addMenu("&File")
    file.addActions([actions.new_demo, actions.open])
    _add_recent(file, documents)
    file.addActions([actions.import_landscape, actions.import_events, actions.import_folder, actions.import_maps])
    file.addSeparator()
    file.addActions([actions.save, actions.save_as, actions.export])
    file.addSeparator()
    file.addAction(actions.quit)
    edit = bar.addMenu("&Edit")
    edit.addActions([actions.undo, actions.redo])
    edit.addSeparator()
    edit.addAction(actions.delete_region)
    edit.addActions(actions.zone_tools)
    view = bar.addMenu("&View")
    view.addActions(list(actions.views.values()))
    view.addSeparator()
    view.addAction(actions.fit)
    view.addMenu(_submenu("&Docks", docks, view))
    view.addAction(actions.reset_layout)
    view.addMenu(_submenu("&Theme", actions.themes.values(), view))
    plan = bar.addMenu("&Plan")
    plan.addActions([actions.start, actions.quick, actions.pause, actions.resume, actions.stop])
    plan.addSeparator()
    plan.addActions(list(actions.stages.values()))
    plan.addSeparator()
    plan.addActions([actions.replan, actions.constrain, actions.vary, actions.doubt, actions.contest])
    plan.addSeparator()
    plan.addActions([actions.calibrate, actions.load_weights, actions.score])
    bar.addMenu("&Help").addAction(actions.about)


def fill_tool_bar(bar: QToolBar, actions: Actions) -> None:
    """Tools of the map, then the run."""
    bar.setObjectName("toolBar")
    bar.setMovable(False)
    bar.setIconSize(QSize(17, 17))
    bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    bar.addActions(actions.map_tools)
    bar.addSeparator()
    short = {
        actions.start: "Start", actions.quick: "Quick", actions.pause: "Pause", actions.resume: "Resume",
        actions.stop: "Stop, keep best",
    }  # fmt: skip
    for action, text in short.items():
        action.setIconText(text)
        bar.addAction(action)
    start = bar.widgetForAction(actions.start)
    if isinstance(start, QToolButton):
        start.setObjectName("startButton")
        start.setMenu(_submenu("Stages", actions.stages.values(), start))
        start.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)


def _submenu(title: str, actions: Iterable[QAction], parent: QWidget) -> QMenu:
    menu = QMenu(title, parent)
    menu.addActions(list(actions))
    return menu


def _add_recent(file: QMenu, documents: Documents) -> None:
    menu = file.addMenu("Open &recent")

    def fill() -> None:
        menu.clear()
        for folder in documents.recent:
            entry = menu.addAction(folder.name)
            entry.setToolTip(str(folder))
            entry.triggered.connect(lambda _checked=False, folder=folder: documents.open(folder))
        menu.setEnabled(not menu.isEmpty())

    menu.setToolTipsVisible(True)
    documents.recent_changed.connect(fill)
    # A project may have been moved away since.
    file.aboutToShow.connect(fill)
    fill()

"""The menu bar and the tool bar, put together from the actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QMenuBar, QToolBar, QToolButton, QWidget

from firegui.gui.base.icons import icon
from firegui.gui.window.actions import Actions
from firegui.gui.window.documents import Documents

_TOOL_ICONS = QSize(17, 17)


def fill_menus(window: QMainWindow, actions: Actions, documents: Documents, docks: Mapping[str, QDockWidget]) -> None:
    """File, Edit, View, Plan and Help; a menu that the bar holds already is filled."""
    bar = window.menuBar()
    file = _menu(bar, "&File")
    file.addActions([actions.new_demo, actions.open])
    actions.dress_menu(_add_recent(file, documents), "recent", "projects opened lately")
    file.addActions([actions.import_landscape, actions.import_events, actions.import_folder, actions.import_maps])
    file.addSeparator()
    file.addActions([actions.save, actions.save_as, actions.export])
    file.addSeparator()
    file.addAction(actions.quit)
    edit = _menu(bar, "&Edit")
    edit.addActions([actions.undo, actions.redo])
    edit.addSeparator()
    edit.addAction(actions.delete_region)
    edit.addActions(actions.zone_tools)
    edit.addSeparator()
    edit.addActions([actions.snap_corners, actions.snap_cells, actions.us_units])
    edit.addSeparator()
    edit.addAction(actions.keep_drops)
    view = _menu(bar, "&View")
    view.addActions(list(actions.views.values()))
    view.addSeparator()
    view.addAction(actions.fit)
    view.addActions([actions.base_map, actions.no_base_map])
    actions.dress_docks(docks)
    toggles = [dock.toggleViewAction() for dock in docks.values()]
    actions.dress_menu(view.addMenu(_submenu("&Docks", toggles, view)), "docks", "show and hide the docks")
    view.addAction(actions.reset_layout)
    actions.dress_menu(view.addMenu(_submenu("&Theme", actions.themes.values(), view)), "theme", "dark or light")
    view.addSeparator()
    view.addAction(actions.start_page)
    plan = _menu(bar, "&Plan")
    plan.addActions([actions.start, actions.quick, actions.pause, actions.resume, actions.stop])
    plan.addActions([actions.duplicate, actions.compare])
    plan.addSeparator()
    plan.addActions(list(actions.stages.values()))
    plan.addSeparator()
    plan.addActions([actions.replan, actions.constrain, actions.vary, actions.doubt, actions.contest, actions.study])
    plan.addSeparator()
    plan.addActions([actions.calibrate, actions.load_weights, actions.score])
    help = _menu(bar, "&Help")
    help.addActions([actions.help, actions.begin, actions.tutorial, actions.keys, actions.palette, actions.tour])
    help.addSeparator()
    help.addActions([actions.start_page, actions.news, actions.about])
    for menu in bar.findChildren(QMenu):
        menu.setToolTipsVisible(True)


def fill_tool_bar(bar: QToolBar, actions: Actions) -> None:
    """Tools of the map, then the run."""
    bar.setObjectName("toolBar")
    bar.setMovable(False)
    bar.setIconSize(_TOOL_ICONS)
    bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    bar.addActions(actions.map_tools)
    bar.addSeparator()
    short = {
        actions.start: "Start plan", actions.quick: "Quick", actions.pause: "Pause", actions.resume: "Resume",
        actions.stop: "Stop, keep best",
    }  # fmt: skip
    for action, text in short.items():
        action.setIconText(text)
        bar.addAction(action)
    for action in bar.actions():
        button = bar.widgetForAction(action)
        if isinstance(button, QToolButton):
            # Qt leaves the buttons of a tool bar out of the way of Tab.
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            if action is actions.start:
                _stand_out(button, actions)


def _stand_out(button: QToolButton, actions: Actions) -> None:
    """Start plan is the one coloured button; its icon is white in both themes, which that of its menu entry is not."""
    button.setObjectName("startTool")
    button.setMenu(_submenu("Stages", actions.stages.values(), button))
    button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
    # Every change of the action puts the action's own icon on the button, before it says so.
    actions.start.changed.connect(lambda: button.setIcon(icon("start", "white")))
    button.setIcon(icon("start", "white"))


def _menu(bar: QMenuBar, title: str) -> QMenu:
    held = (head.menu() for head in bar.actions() if head.text() == title)
    menu = next((each for each in held if isinstance(each, QMenu)), None) or bar.addMenu(title)
    menu.setEnabled(True)
    return menu


def _submenu(title: str, actions: Iterable[QAction], parent: QWidget) -> QMenu:
    menu = QMenu(title, parent)
    menu.addActions(list(actions))
    return menu


def _add_recent(file: QMenu, documents: Documents) -> QAction:
    menu = file.addMenu("Open &recent")

    def fill() -> None:
        menu.clear()
        for folder in documents.recent:
            entry = menu.addAction(folder.name)
            entry.setToolTip(str(folder))
            entry.triggered.connect(lambda _checked=False, folder=folder: documents.open(folder))
        menu.setEnabled(not menu.isEmpty())

    documents.recent_changed.connect(fill)
    # A project may have been moved away since.
    file.aboutToShow.connect(fill)
    fill()
    return menu.menuAction()

"""Actions, menus and tool bar of the window, made from the registry of actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QToolButton, QWidget

from firegui.gui.base.icons import TOOL_ICONS, icon
from firegui.gui.base.plain_text import tooltip
from firegui.gui.base.theme import set_role
from firegui.gui.map.shape_edits import shape_bounds
from firegui.gui.planning.plan_control import PlanControl
from firegui.gui.session.session import FireView, Session
from firegui.gui.widgets.fields import commit_editing, focused_entry_is_refused
from firegui.gui.window.action_registry import (
    ACTIONS,
    GROUPS,
    MAP_MENU,
    MENUS,
    SEPARATOR,
    SUBMENUS,
    TOOL_BAR,
    ActionSpec,
    Condition,
    plain_title,
)
from firegui.gui.window.documents import Documents
from firegui.gui.window.workspaces import PLACES
from firegui.runs.stages import Stage

STAGES = {"both": (Stage.OPTIMIZE, Stage.PRUNE), "first": (Stage.OPTIMIZE,)}
"""Stages by the value of their action."""
Handler = Callable[..., object]
_START_TOOLS = ("start", "quick")
"""Tools that start a plan; their names are shown in every window."""
_QUEUES = "save the project and plan it once the active run has ended"
_STOP_NOW = "do not wait for the final score of the kept plan"


class Actions(QObject):
    """Actions by name, enabled and checked according to the session and the runs.

    ``handlers`` has the function of each action. The function of a choice receives the selected value, that of a
    checkable action whether it is checked.
    """

    def __init__(
        self, window: QMainWindow, session: Session, plan: PlanControl, handlers: Mapping[str, Handler]
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._plan = window, session, plan
        self._icons: list[tuple[QAction, str]] = []
        self._groups: dict[str, QActionGroup] = {}
        self._submenus: dict[str, QAction] = {}
        self._tool_buttons: list[QToolButton] = []
        self._run_buttons: list[QToolButton] = []
        self._full_width = self._run_names_width = 0
        self._actions = {spec.name: self._make(spec, handlers) for spec in ACTIONS.values()}
        # Tables and fields use Delete themselves. The key reaches the window only if they do not.
        self["delete_shape"].setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self["quit"].setMenuRole(QAction.MenuRole.QuitRole)
        stack = session.undo_stack
        stack.undoTextChanged.connect(self._name_undo)
        stack.redoTextChanged.connect(self._name_redo)
        stack.canUndoChanged.connect(self["undo"].setEnabled)
        stack.canRedoChanged.connect(self["redo"].setEnabled)
        for signal in (
            session.project_opened, session.project_edited, session.result_changed, session.shape_selected,
            session.plan_editor.edited, session.plan_editor.selected_changed, session.ground.changed, plan.changed,
        ):  # fmt: skip
            signal.connect(self._enable)
        for signal in (
            session.tool_changed, session.view_changed, session.drawing.changed, session.next_run_changed,
            session.side_by_side_changed, session.units_changed,
        ):  # fmt: skip
            signal.connect(self._check)
        session.result_changed.connect(self._name_views)
        self._enable()
        self._check()

    def __getitem__(self, name: str) -> QAction:
        """Return the action called ``name`` in the registry."""
        return self._actions[name]

    def choose(self, group: str, value: str) -> None:
        """Check the selected action of a group without triggering it; an unknown value checks none."""
        if action := self._actions.get(f"{group}:{value}"):
            action.setChecked(True)

    def _make(self, spec: ActionSpec, handlers: Mapping[str, Handler]) -> QAction:
        action = QAction(spec.text, self._window)
        action.setObjectName(spec.name)
        action.setShortcuts([QKeySequence(keys) for keys in spec.keys])
        action.setCheckable(spec.checkable or bool(spec.group))
        if spec.tool_text:
            action.setIconText(spec.tool_text)
        run = partial(handlers[spec.group], spec.value) if spec.group else handlers[spec.name]

        def triggered(checked: bool = False) -> None:
            # A plan would begin with another number than the one that is seen.
            if spec.name in _START_TOOLS and focused_entry_is_refused():
                return
            # A half-typed number must be applied first: Start must use it, and Undo must include it.
            commit_editing()
            run(*((checked,) if spec.checkable else ()))
            # Qt has checked the action itself, whatever the choice is now.
            self._check()

        action.triggered.connect(triggered)
        if spec.group:
            group = self._groups.setdefault(spec.group, QActionGroup(self._window))
            if spec.group == "view":
                # None of the fires is the one on screen while all three are side by side.
                group.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
            group.addAction(action)
        self.describe(action, spec.icon, spec.help)
        self._window.addAction(action)
        return action

    # -- pictures and explanations -----------------------------------------------------------------------------------
    def describe(self, action: QAction, picture: str, help: str) -> None:
        """Set the icon, which follows the theme, and the explanation of an action."""
        self._icons.append((action, picture))
        action.setIcon(icon(picture))
        _explain(action, help)

    def redraw_icons(self) -> None:
        """Draw the icons again in the colours of the current theme."""
        for action, picture in self._icons:
            action.setIcon(icon(picture))

    # -- when they can be used ---------------------------------------------------------------------------------------
    def _enable(self) -> None:
        session, plan, result = self._session, self._plan, self._session.result
        has_project, has_plan, has_baseline = session.has_project, result.plan is not None, result.baseline is not None
        can_export = (has_plan and not result.pending) or plan.run_to_export is not None
        holds = {
            Condition.ALWAYS: True,
            Condition.PROJECT: has_project,
            Condition.CAN_EXPORT: has_project and can_export,
            Condition.BASE_MAP: session.ground.file is not None,
            Condition.EDITED_DROPS: has_project and session.plan_editor.plan is not None,
            Condition.SELECTED_SHAPE: bool(session.selected_shape.name),
            Condition.SELECTION: has_project
            and bool(session.plan_editor.marked or shape_bounds(session, session.selected_shape)),
            Condition.SELECTED_DROPS: has_project and bool(session.plan_editor.marked),
            Condition.BASELINE_SHOWN: has_baseline,
            Condition.PLAN_SHOWN: has_plan,
            Condition.BOTH_SHOWN: has_baseline and has_plan,
            Condition.CAN_UNDO: session.undo_stack.canUndo(),
            Condition.CAN_REDO: session.undo_stack.canRedo(),
            Condition.CAN_START: plan.can_start,
            Condition.CAN_REPLAN: plan.can_replan,
            Condition.CAN_PAUSE: plan.can_pause,
            Condition.CAN_RESUME: plan.can_resume,
            Condition.CAN_STOP: plan.can_stop,
        }
        for name, action in self._actions.items():
            action.setEnabled(holds[ACTIONS[name].when])
        self["start"].setText(f"&{plan.start_text}")
        _explain(self["start"], plan.obstacle or (ACTIONS["start"].help if plan.starts_at_once else _QUEUES))
        _explain(self["quick"], plan.obstacle or ACTIONS["quick"].help)
        _explain(self["stop"], _STOP_NOW if plan.is_stopping else ACTIONS["stop"].help)

    def _check(self) -> None:
        session, drawing = self._session, self._session.drawing
        self.choose("tool", session.tool.value)
        self.choose("units", session.units.value)
        self["side_by_side"].setChecked(session.side_by_side)
        for action in self.group("view"):
            value = ACTIONS[action.objectName()].value
            action.setChecked(not session.side_by_side and session.view.value == value)
        self.choose("stages", next((name for name, stages in STAGES.items() if stages == session.stages), ""))
        self["snap_corners"].setChecked(drawing.snap_corners)
        self["snap_cells"].setChecked(drawing.snap_cells)
        self.choose("coordinates", drawing.coordinates.value)

    def _name_views(self) -> None:
        """Name the views of the map after what they show: two plans where these are compared."""
        result = self._session.result
        names = {}
        if result.against:
            first, second = result.short_names
            names = {
                FireView.BASELINE: (first, f"the fire of {result.against}"),
                FireView.PLAN: (second, f"the fire of {result.plan_name}"),
                FireView.DIFFERENCE: ("Difference", f"chance burned with {second} minus that with {first}"),
            }
        for view in FireView:
            spec = ACTIONS[f"view:{view.value}"]
            text, help = names.get(view, (spec.text, spec.help))
            self[spec.name].setText(text)
            _explain(self[spec.name], help)
        compared = f"{result.against}, {result.plan_name} and their difference, on maps that move together"
        _explain(self["side_by_side"], compared if result.against else ACTIONS["side_by_side"].help)

    def _name_undo(self, text: str) -> None:
        self._name_step("undo", f"&Undo {text}")

    def _name_redo(self, text: str) -> None:
        self._name_step("redo", f"&Redo {text}")

    def _name_step(self, name: str, text: str) -> None:
        self[name].setText(text.strip())
        _explain(self[name], ACTIONS[name].help)

    # -- menus and tool bar ------------------------------------------------------------------------------------------
    def group(self, name: str) -> list[QAction]:
        """Return the actions of a choice, such as the workspaces."""
        return self._groups[name].actions() if name in self._groups else []

    def fill_menus(self, documents: Documents, bookmarks: QMenu) -> None:
        """Fill the menus of the window, which are in its menu bar already."""
        bar = self._window.menuBar()
        panels = [self[f"show_{name.lower()}"] for name in PLACES]
        menus = {head.text(): head.menu() for head in bar.actions()}
        for title, names in MENUS.items():
            menu = menus[title]
            assert isinstance(menu, QMenu)
            menu.setEnabled(True)
            for name in names:
                if name == SEPARATOR:
                    menu.addSeparator()
                elif name in SUBMENUS:
                    spec = SUBMENUS[name]
                    entries = panels if name == "panels" else self.group(name)
                    entries = [self[entry] for entry in GROUPS[name]] if name in GROUPS else entries
                    inner = _recent(spec.text, menu, documents) if name == "recent" else _menu(spec.text, entries, menu)
                    inner = bookmarks if name == "bookmarks" else inner
                    self._submenus[name] = menu.addMenu(inner)
                    self.describe(self._submenus[name], spec.icon, spec.help)
                else:
                    menu.addAction(self[name])
        for menu in bar.findChildren(QMenu):
            menu.setToolTipsVisible(True)

    def map_menu(self) -> list[QAction]:
        """Return the actions and submenus of the map's context menus, once the menus are filled."""
        return [self._submenus[name] if name in self._submenus else self[name] for name in MAP_MENU]

    def tool_bar(self) -> QToolBar:
        """Create the tool bar: tools of the map, then the run."""
        bar = self.bar = QToolBar("Tools", self._window)
        bar.setObjectName("toolBar")
        bar.setAccessibleName("Tools")
        bar.setMovable(False)
        bar.setIconSize(TOOL_ICONS)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        for name in TOOL_BAR:
            if name == SEPARATOR:
                bar.addSeparator()
                continue
            bar.addAction(self[name])
            button = bar.widgetForAction(self[name])
            assert isinstance(button, QToolButton)
            # Qt excludes the buttons of a tool bar from the tab order.
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            if name == "start":
                self._highlight(button)
            elif name not in _START_TOOLS:
                (self._tool_buttons if name.startswith("tool:") else self._run_buttons).append(button)
        return bar

    def fit_tool_bar(self, room: int) -> None:
        """Show the tool bar, with the names of tools, then of run controls, as ``room`` allows."""
        if not self._full_width:
            self._reserve_start()
            # The names are beside the icons until now.
            self._full_width = self.bar.sizeHint().width()
            self._run_names_width = _width(self._run_buttons)
            _show_names(self._run_buttons, on=False)
            self._run_names_width -= _width(self._run_buttons)
        _show_names(self._run_buttons, on=self._full_width <= room)
        _show_names(self._tool_buttons, on=self._full_width - self._run_names_width <= room)
        # A menu bar that is visible already, as behind the start page, leaves a new corner widget hidden. Shown before
        # it fits, it would push menus behind the arrow of the menu bar.
        self.bar.show()

    def _reserve_start(self) -> None:
        """Give Start plan the width that it needs in colour and bold.

        The menu bar gives the tool bar no new width when a button grows, until the window is resized.
        """
        button, action = self.bar.widgetForAction(self["start"]), self["start"]
        role, is_enabled = button.property("role"), action.isEnabled()
        button.setEnabled(True)
        set_role(button, "primary")
        button.setMinimumWidth(button.sizeHint().width())
        set_role(button, role)
        button.setEnabled(is_enabled)

    def _highlight(self, button: QToolButton) -> None:
        """Make Start plan the only coloured button, unless a run is active or the plan cannot be started.

        Its icon on the colour is white in both themes, unlike that of its menu entry.
        """

        def show_state() -> None:
            is_primary = self._plan.starts_at_once and self._plan.can_start
            set_role(button, "primary" if is_primary else "")
            button.setIcon(icon("start", "white") if is_primary else icon("start"))

        button.setObjectName("startTool")
        button.setMenu(_menu("What Start does", self.group("stages"), button))
        button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        # Every change of the action sets the action's own icon on the button, before ``changed`` is emitted.
        self["start"].changed.connect(show_state)
        show_state()


def _show_names(buttons: Sequence[QToolButton], *, on: bool) -> None:
    """Show or hide the names beside the icons; a tool without an icon keeps its name."""
    style = Qt.ToolButtonStyle
    wanted = style.ToolButtonTextBesideIcon if on else style.ToolButtonIconOnly
    for button in buttons:
        button.setToolButtonStyle(style.ToolButtonTextOnly if button.icon().isNull() else wanted)


def _width(buttons: Sequence[QToolButton]) -> int:
    return sum(button.sizeHint().width() for button in buttons)


def _explain(action: QAction, help: str) -> None:
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    title = plain_title(action.text())
    action.setToolTip(tooltip("\n".join(part for part in (f"{title} ({keys})" if keys else title, help) if part)))
    action.setStatusTip(help)


def _menu(title: str, actions: Iterable[QAction], parent: QWidget) -> QMenu:
    menu = QMenu(title, parent)
    menu.addActions(list(actions))
    return menu


def _recent(title: str, parent: QMenu, documents: Documents) -> QMenu:
    menu = QMenu(title, parent)

    def fill() -> None:
        menu.clear()
        for folder in documents.recent:
            entry = menu.addAction(folder.name)
            entry.setToolTip(tooltip(str(folder)))
            entry.triggered.connect(lambda _checked=False, folder=folder: documents.open(folder))
        menu.setEnabled(not menu.isEmpty())

    documents.recent_changed.connect(fill)
    # A project may have been moved since.
    parent.aboutToShow.connect(fill)
    fill()
    return menu

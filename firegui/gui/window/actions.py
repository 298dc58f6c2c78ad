"""Every action of the window, with its shortcut, its icon and when it can be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QDockWidget, QMainWindow

from firegui.gui.base.icons import icon
from firegui.gui.base.theme import Theme
from firegui.gui.planning.plan_control import PlanControl
from firegui.gui.session.session import FireView, Session, Tool
from firegui.gui.widgets.next_run_form import STAGES
from firegui.gui.widgets.number_fields import settle_editing
from firegui.gui.window.documents import Documents
from firegui.gui.window.guide import Guide, bare_title, keys_text
from firegui.gui.window.start_page import Wish

Choice = TypeVar("Choice")
Keys = QKeySequence.StandardKey | str | None

_TOOLS = {
    Tool.PAN: ("Pan", "move and zoom the map; click a region to select it", "1"),
    Tool.RECTANGLE: ("Region", "drag a rectangular protected region", "2"),
    Tool.POLYGON: ("Polygon", "click the corners of a protected region; double-click ends it, Esc gives it up", "3"),
    Tool.EDIT: ("Reshape", "move regions and their corners", "4"),
    Tool.PROBE: ("Probe", "click a cell to see everything known of it, and how it burns over the plan", "5"),
    Tool.MEASURE: ("Measure", "click corners to measure a distance, the first again for an area; U changes units", "8"),
    Tool.DROP: ("Drops", "move, turn, add and remove drops of the shown plan and see the fire change meanwhile", "9"),
}
_ZONE_TOOLS = {
    Tool.ZONE: ("No-drop &rectangle", "drag a rectangle in which no drop may come down", "6"),
    Tool.ZONE_POLYGON: (
        "No-drop &polygon", "click the corners of an area in which no drop may come down; double-click ends it", "7",
    ),
}  # fmt: skip
_VIEWS = {
    FireView.BASELINE: ("Baseline", "the fire without drops", "Ctrl+1"),
    FireView.PLAN: ("Plan", "the fire with the plan's drops", "Ctrl+2"),
    FireView.DIFFERENCE: ("Difference", "what the plan changes", "Ctrl+3"),
}
_THEMES: dict[Theme | None, tuple[str, str, str]] = {
    None: ("Like the &system", "dark or light, as the desktop wants it", ""),
    Theme.DARK: ("&Dark", "light text on dark ground", ""),
    Theme.LIGHT: ("&Light", "dark text on light ground", ""),
}

_STUDIES = {
    "calibrate": (
        "&Calibrate fire model…", "F9",
        "fit the fire model to the observed perimeters of this event, alone or with others",
    ),
    "constraints": (
        "C&onstraints…", "F3",
        "what an operation may not do: darkness, groundings, sorties, no-drop zones, pinned drops",
    ),
    "sensitivity": (
        "Sensiti&vity…", "F4", "how much a plan hangs on what it assumed: the robustness tables",
    ),
    "uncertainty": (
        "&Uncertainty…", "F10",
        "how sure a plan is: fires with and without it under drawn states, model error or wind",
    ),
    "benchmark": (
        "&Benchmark…", "F12",
        "how good planners are: all of them under one objective, one drop budget and one allowance",
    ),
    "study": (
        "St&udy…", "Shift+F12",
        "many plans that differ in chosen ways: fleet, grounded days, effectiveness, weights, seeds, wind",
    ),
}  # fmt: skip
_QUICK = "for when there is a minute: place drops by rule, the tactical heuristic; nothing is optimized"
_STOP = "stop and keep the best plan so far"
_STOP_NOW = "do not wait for the final score of the kept plan"


@dataclass(frozen=True, slots=True)
class WindowCommands:
    """What only the window itself can do."""

    fit_map: Callable[[], object]
    base_map: Callable[[], object]
    export: Callable[[], object]
    score: Callable[[], object]
    show_dock: Callable[[str], object]
    duplicate_run: Callable[[], object]
    compare_runs: Callable[[], object]
    set_theme: Callable[[Theme | None], object]
    reset_layout: Callable[[], object]
    start_page: Callable[[], object]
    about: Callable[[], object]
    quit: Callable[[], object]
    guide: Guide


class Actions(QObject):
    """See the module. Menus and tool bar are put together from these by name."""

    def __init__(
        self, window: QMainWindow, session: Session, documents: Documents, plan: PlanControl, commands: WindowCommands
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._documents, self._plan = window, session, documents, plan
        self._icons: list[tuple[QAction, str]] = []
        self._make_file(commands)
        self._make_edit()
        self._make_view(commands)
        self._make_plan(commands)
        self._make_studies(commands)
        self._make_help(commands)
        for signal in (session.project_opened, session.project_edited, session.result_changed):
            signal.connect(self._enable)
        session.region_selected.connect(self._enable)
        plan.changed.connect(self._enable)
        self._enable()
        self._check()

    # -- making ------------------------------------------------------------------------------------------------------
    def _make_file(self, commands: WindowCommands) -> None:
        keys, documents = QKeySequence.StandardKey, self._documents
        demo = "make the synthetic demo fire"
        self.new_demo = self._action("&New demo", documents.new_demo, keys.New, "new", demo)
        self.open = self._action("&Open…", documents.choose_and_open, keys.Open, "open", "open a project folder")
        layers = "make a project from raster layers, a wind and a fire of your own"
        self.import_landscape = self._action("Import &landscape…", documents.import_landscape, None, "import", layers)
        event = "make a project from an event of the published file of six fires"
        self.import_events = self._action("Import &HDF5 event…", documents.import_events, None, "events", event)
        example = "make a project from an event in the files of PyTorchFire's examples"
        self.import_folder = self._action(
            "Import &PyTorchFire folder…", documents.import_folder, None, "import-folder", example
        )
        maps = "make a project from the maps of any fire model that can state them, NPZ"
        self.import_maps = self._action("Import &maps…", documents.choose_and_import_maps, None, "map", maps)
        self.save = self._action("&Save", documents.save, keys.Save, "save", "save the project")
        elsewhere = "save the project in another folder, and go on with it there"
        self.save_as = self._action("Save &as…", documents.save_as, "Ctrl+Shift+S", "save-as", elsewhere)
        self.export = self._action(
            "&Export…", commands.export, "Ctrl+E", "export", "hand over the schedule and the map"
        )
        self.quit = self._action("&Quit", commands.quit, "Ctrl+Q", "quit", "shut the window; asks before losing work")
        self.quit.setMenuRole(QAction.MenuRole.QuitRole)

    def _make_edit(self) -> None:
        stack = self._session.undo_stack
        self.undo = self._action("&Undo", stack.undo, QKeySequence.StandardKey.Undo, "undo", "take the last edit back")
        self.redo = self._action("&Redo", stack.redo, "Ctrl+Shift+Z", "redo", "do again what was taken back")
        self.redo.setShortcuts([QKeySequence("Ctrl+Shift+Z"), QKeySequence("Ctrl+Y")])
        stack.undoTextChanged.connect(self._name_undo)
        stack.redoTextChanged.connect(self._name_redo)
        stack.canUndoChanged.connect(self.undo.setEnabled)
        stack.canRedoChanged.connect(self.redo.setEnabled)
        self.undo.setEnabled(stack.canUndo())
        self.redo.setEnabled(stack.canRedo())
        self.delete_region = self._action(
            "&Delete region", self._delete_region, "Del", "delete", "remove the region that is selected"
        )
        # Tables and fields have their own use for Delete; the key reaches the window only when they have none.
        self.delete_region.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)

    def _make_view(self, commands: WindowCommands) -> None:
        self.fit = self._action("&Fit map", commands.fit_map, "Ctrl+0", "fit", "show the whole domain")
        first = "put every dock back where it was at first"
        self.reset_layout = self._action("&Reset layout", commands.reset_layout, None, "reset", first)
        self.tools = self._choice(_TOOLS | _ZONE_TOOLS, self._session.set_tool)
        self.map_tools = [self.tools[tool] for tool in _TOOLS]
        self.zone_tools = [self.tools[tool] for tool in _ZONE_TOOLS]
        for tool, action in self.tools.items():
            self._dress(action, tool.value)
        self.views = self._choice(_VIEWS, self._session.set_view)
        self.themes = self._choice(_THEMES, commands.set_theme)
        for view, action in self.views.items():
            self._dress(action, f"view-{view.value}")
        for theme, action in self.themes.items():
            self._dress(action, f"theme-{theme or 'system'}")
        tiles = "lay an MBTiles file of your own under the map; no network is needed"
        self.base_map = self._action("&Base map…", commands.base_map, None, "basemap", tiles)
        off = "take the base map away"
        self.no_base_map = self._action("&No base map", self._session.ground.close, None, "basemap-off", off)
        self._make_drawing()
        self._session.tool_changed.connect(self._check)
        self._session.view_changed.connect(self._check)

    def _make_drawing(self) -> None:
        choices, editor = self._session.drawing, self._session.plan_editor
        corners = "let a corner that is drawn or dragged come to rest on a near corner of another region or zone"
        cells = "let a corner that is drawn or dragged come to rest where cells meet"
        units = "measure in feet, miles and acres instead of metres and hectares"
        self.snap_corners = self._toggle("Snap to co&rners", choices.set_snap_corners, "snap-corners", corners)
        self.snap_cells = self._toggle("Snap to &cells", choices.set_snap_cells, "snap-cells", cells)
        self.us_units = self._toggle("Measure in &US units", choices.set_us_units, "units", units)
        choices.changed.connect(self._check)
        kept = "score the drops that were changed by hand and keep them as a run; saving the project does it too"
        self.keep_drops = self._action("&Keep edited drops as a run", editor.keep_requested.emit, None, "keep", kept)
        editor.edited.connect(self._enable)
        self._session.ground.changed.connect(self._enable)

    def _toggle(self, text: str, choose: Callable[[bool], object], picture: str, help: str) -> QAction:
        action = self._action(text, lambda: choose(action.isChecked()), None, picture, help)
        action.setCheckable(True)
        return action

    def _make_plan(self, commands: WindowCommands) -> None:
        plan = self._plan
        self.start = self._action("&Start plan", plan.start, "F5", "start", "save the project and plan it")
        self.quick = self._action("&Quick plan", plan.quick, "Shift+F5", "quick", _QUICK)
        self.stages = self._choice({key: (*words, "") for key, words in STAGES.items()}, self._session.set_stages)
        for key, action in self.stages.items():
            self._dress(action, "both-stages" if len(key) > 1 else "first-stage")
        self._session.next_run_changed.connect(self._check)
        self.pause = self._action("&Pause", plan.pause, "F6", "pause", "hold before the next epoch or test")
        self.resume = self._action(
            "&Resume", plan.resume, None, "resume", "let the run go on, or take a stopped one up"
        )
        self.stop = self._action("S&top, keep best", plan.stop, "F7", "stop", _STOP)
        anew = "take the observed fire of a later day in and plan what is left of the shown plan anew"
        self.replan = self._action("&Replan…", plan.replan, "Ctrl+F5", "branch", anew)
        like, both = "a new run like the selected one, with changes", "the two selected runs on maps that move together"
        self.duplicate = self._action("&Duplicate run…", commands.duplicate_run, "Ctrl+D", "duplicate", like)
        self.compare = self._action("Co&mpare runs", commands.compare_runs, "Ctrl+Shift+D", "compare", both)

    def _make_studies(self, commands: WindowCommands) -> None:
        documents, show_dock = self._documents, commands.show_dock
        use = "use the network fire model with weights from a file"
        self.load_weights = self._action("&Load fire weights…", documents.choose_and_load_weights, None, "weights", use)
        skill = "compare the fire model's forecast with the observed perimeters"
        self.score = self._action("Score the &forecast", commands.score, "F8", "dock-skill", skill)
        self.calibrate, self.constrain, self.vary, self.doubt, self.contest, self.study = (
            self._action(text, partial(show_dock, name.capitalize()), keys, f"dock-{name}", help)
            for name, (text, keys, help) in _STUDIES.items()
        )

    def _make_help(self, commands: WindowCommands) -> None:
        guide = commands.guide
        self.help = self._action("&Help for this panel", guide.help_here, "F1", "help", "explain where the focus is")
        self.begin = self._action("&Getting started", guide.show_page, None, "begin", "the help from its beginning")
        steps = partial(guide.show_page, "tutorial")
        self.tutorial = self._action("T&utorial", steps, None, "tutorial", "a plan from beginning to end, step by step")
        keys = partial(guide.show_page, "shortcuts")
        self.keys = self._action("&Keyboard shortcuts", keys, None, "keyboard", "every key and what it does")
        found = "find any command, dock, project or page of the help by a few letters"
        self.palette = self._action("Find a &command…", guide.open_palette, "Ctrl+K", "find", found)
        self.palette.setShortcuts([QKeySequence("Ctrl+K"), QKeySequence("Ctrl+Shift+P")])
        around = "be shown around, station by station; the demo is opened where nothing is open"
        self.tour = self._action("Guided &tour", guide.begin_tour, None, "tour", around)
        page = "recent projects, how to begin, what is new"
        self.start_page = self._action("&Start page", commands.start_page, "Ctrl+Shift+H", "home", page)
        news = partial(guide.show_page, "whats-new")
        self.news = self._action("&What is new", news, None, "news", "what has changed in firegui")
        self.about = self._action("&About firegui", commands.about, None, "about", "what it is and what it cannot do")

    def for_wish(self, wish: Wish) -> QAction:
        """The action that fulfils what was chosen on the start page."""
        return {
            Wish.DEMO: self.new_demo, Wish.TOUR: self.tour, Wish.OPEN: self.open, Wish.LANDSCAPE: self.import_landscape,
            Wish.EVENTS: self.import_events, Wish.FOLDER: self.import_folder, Wish.MAPS: self.import_maps,
            Wish.HELP: self.begin, Wish.TUTORIAL: self.tutorial,
        }[wish]  # fmt: skip

    def _action(self, text: str, run: Callable[[], object], keys: Keys, picture: str | None, help: str) -> QAction:
        action = QAction(text, self._window)
        if keys is not None:
            action.setShortcut(QKeySequence(keys))

        def triggered(_checked: bool = False) -> None:
            # What is half typed counts: Start must not run, and Undo not miss, what stands in a field.
            settle_editing()
            run()

        action.triggered.connect(triggered)
        if picture is not None:
            self._dress(action, picture)
        _explain(action, help)
        self._window.addAction(action)
        return action

    def _choice(
        self, titles: Mapping[Choice, tuple[str, str, str]], choose: Callable[[Choice], object]
    ) -> dict[Choice, QAction]:
        group = QActionGroup(self._window)
        actions = {}
        for value, (text, help, keys) in titles.items():
            action = self._action(text, partial(choose, value), keys or None, None, help)
            action.setCheckable(True)
            group.addAction(action)
            actions[value] = action
        return actions

    def _dress(self, action: QAction, picture: str) -> None:
        self._icons.append((action, picture))
        action.setIcon(icon(picture))

    def dress_docks(self, docks: Mapping[str, QDockWidget]) -> None:
        """Give the entries that show and hide the docks their pictures and explanations."""
        for title, dock in docks.items():
            action = dock.toggleViewAction()
            self._dress(action, f"dock-{title.lower()}")
            _explain(action, f"show or hide {title}")

    def dress_menu(self, action: QAction, picture: str, help: str) -> None:
        """Give the entry that opens a menu its picture and its explanation."""
        self._dress(action, picture)
        _explain(action, help)

    def redress(self) -> None:
        """Draw the icons again in the colours of the theme that is on."""
        for action, picture in self._icons:
            action.setIcon(icon(picture))

    # -- when they can be used ---------------------------------------------------------------------------------------
    def _enable(self) -> None:
        there, plan, result = self._session.has_project, self._plan, self._session.result
        whole = (
            self.save, self.save_as, self.fit, self.score, self.calibrate, self.load_weights, self.constrain, self.vary,
            self.doubt, self.contest, self.study, self.duplicate, self.compare,
        )  # fmt: skip
        for action in (*whole, *self.tools.values(), *self.stages.values()):
            action.setEnabled(there)
        self.export.setEnabled(there and result.plan is not None and not result.pending)
        self.base_map.setEnabled(there)
        self.no_base_map.setEnabled(self._session.ground.archive is not None)
        self.keep_drops.setEnabled(there and self._session.plan_editor.plan is not None)
        self.delete_region.setEnabled(bool(self._session.selected_region))
        self.views[FireView.BASELINE].setEnabled(result.baseline is not None)
        self.views[FireView.PLAN].setEnabled(result.plan is not None)
        self.views[FireView.DIFFERENCE].setEnabled(result.baseline is not None and result.plan is not None)
        self.start.setEnabled(plan.can_start)
        self.quick.setEnabled(plan.can_start)
        self.replan.setEnabled(plan.can_replan)
        self.pause.setEnabled(plan.can_pause)
        self.resume.setEnabled(plan.can_resume)
        self.stop.setEnabled(plan.can_stop)
        _explain(self.stop, _STOP_NOW if plan.is_stopping else _STOP)

    def _check(self) -> None:
        self.tools[self._session.tool].setChecked(True)
        self.views[self._session.view].setChecked(True)
        choices = self._session.drawing
        self.snap_corners.setChecked(choices.snap_corners)
        self.snap_cells.setChecked(choices.snap_cells)
        self.us_units.setChecked(choices.us_units)
        if self._session.stages in self.stages:
            self.stages[self._session.stages].setChecked(True)

    def _name_undo(self, text: str) -> None:
        self.undo.setText(f"&Undo {text}".strip())

    def _name_redo(self, text: str) -> None:
        self.redo.setText(f"&Redo {text}".strip())

    def _delete_region(self) -> None:
        self._session.delete_region(self._session.selected_region)


def _explain(action: QAction, help: str) -> None:
    keys, title = keys_text(action), bare_title(action)
    action.setToolTip("\n".join(part for part in (f"{title} ({keys})" if keys else title, help) if part))
    action.setStatusTip(help)

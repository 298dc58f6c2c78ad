"""Contents of the main window: map, panels, the controllers behind them, menus and tool bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QInputDialog,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from firegui.domain.drops import Drop
from firegui.domain.units import Units
from firegui.gui.analyses.panel import AnalysisPanel
from firegui.gui.analyses.registry import ANALYSES, Analysis, Controller, SaveFirst
from firegui.gui.analyses.skill.skill_panel import SkillPanel
from firegui.gui.analyses.stress.stress_panel import StressPanel
from firegui.gui.base.controls import is_usable
from firegui.gui.base.preferences import Preferences
from firegui.gui.exporting.animation_dialog import AnimationDialog
from firegui.gui.exporting.export_dialog import ExportDialog
from firegui.gui.exporting.hand_over_panel import HandOverPanel, plan_export
from firegui.gui.help.help_view import HelpView
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.drop_edits import pin_marked, remove_marked, unpin_marked
from firegui.gui.map.layer_properties import LayerPropertiesDialog
from firegui.gui.map.layers.drop_layers import DROPS_SHOWN
from firegui.gui.map.map_board import MapBoard
from firegui.gui.map.map_places import BookmarksMenu, GoToDialog, ViewMemory
from firegui.gui.map.map_view import MapView
from firegui.gui.map.timeline import TimelineBar
from firegui.gui.planning.drops_panel import DropsPanel
from firegui.gui.planning.exercise_panel import ExercisePanel
from firegui.gui.planning.plan_control import PlanControl
from firegui.gui.planning.plan_preview import PlanPreview
from firegui.gui.planning.progress_panel import ProgressPanel
from firegui.gui.planning.result_panel import ResultPanel
from firegui.gui.planning.run_comparison import ComparisonPanel
from firegui.gui.planning.run_notices import FollowNotice, RunEndNotice
from firegui.gui.planning.runs_panel import RunsPanel
from firegui.gui.planning.start_panel import StartPanel
from firegui.gui.scenario.barriers_panel import BarriersPanel
from firegui.gui.scenario.bases_panel import BasesPanel
from firegui.gui.scenario.calendar_panel import CalendarPanel, GroundedDayMenu
from firegui.gui.scenario.constraints_panel import ConstraintsPanel
from firegui.gui.scenario.edit_notices import EditNotice, RefusedEditNotice, RegionNotice, UnreachedNotice
from firegui.gui.scenario.fire_model_dialog import choose_fire_model
from firegui.gui.scenario.fleet_panel import FleetPanel
from firegui.gui.scenario.layers_panel import BaseMapSelector, LayersPanel
from firegui.gui.scenario.objective_panel import ObjectivePanel
from firegui.gui.scenario.regions_panel import RegionsPanel
from firegui.gui.scenario.scenario_panel import ScenarioPanel
from firegui.gui.scenario.section_summaries import SECTION_SUMMARIES
from firegui.gui.scenario.values_panel import ValuesPanel
from firegui.gui.session.export_folder import ExportFolder
from firegui.gui.session.reporting import refusing
from firegui.gui.session.session import SHAPE_TOOLS, FireView, Session, Tool
from firegui.gui.widgets.fields import commit_editing
from firegui.gui.widgets.lazy_widget import LazyPanels, LazyWidget
from firegui.gui.widgets.split_panel import SplitPanel, SplitPlaces
from firegui.gui.window.action_registry import ACTIONS, GROUPS
from firegui.gui.window.actions import STAGES, Actions, Handler
from firegui.gui.window.centre import CentreBar, CentreMode
from firegui.gui.window.documents import Documents
from firegui.gui.window.event_log import EventLog, LogPanel
from firegui.gui.window.guide import Guide, show_about
from firegui.gui.window.map_notices import DemoNotice, ReadyNotice
from firegui.gui.window.memory import MemoryTrimmer
from firegui.gui.window.notifications import ActivityMonitor, CompletionNotifier, TrayMessage
from firegui.gui.window.pane_focus import FocusKeeper, Pane, focus_next_control, focus_next_pane
from firegui.gui.window.recovery import Recovery
from firegui.gui.window.shell import Rail, Shell
from firegui.gui.window.sleep_inhibitor import InhibitorBackend, SleepInhibitor, system_backends
from firegui.gui.window.status_bar import StatusBar
from firegui.gui.window.thumbnails import ThumbnailCache, ThumbnailRenderer
from firegui.gui.window.workspaces import PLACES, WorkspaceName
from firegui.io.coordinates import CoordinateFormat
from firegui.runs.run_folder import kept_plan

ControllerT = TypeVar("ControllerT", bound=Controller)
PanelT = TypeVar("PanelT", bound=QWidget)
_TYPED_IN = (QLineEdit, QTextEdit, QPlainTextEdit)
_NEED_KEYS = (QAbstractSpinBox, QComboBox, QAbstractItemView)
_HELP_ACTIONS = ("getting_started", "tutorial", "shortcuts", "news")
_EDITED = "Drops edited by hand: the plan on the map is in no run yet"


class Workbench(QObject):
    """Parts of the window around one session. :meth:`build` creates them, one step per part.

    ``handlers`` has the functions of the actions that the window itself handles.
    """

    def __init__(
        self,
        window: QMainWindow,
        session: Session,
        queue: RunQueue | None,
        preferences: Preferences,
        handlers: Mapping[str, Handler],
    ) -> None:
        super().__init__(window)
        self._window, self._preferences, self._window_handlers = window, preferences, handlers
        self.session = session
        self.queue = queue if queue is not None else RunQueue(session, parent=window, preferences=preferences)
        self.panels = LazyPanels()
        self.recovery: Recovery | None = None
        self._sleep_inhibitor: SleepInhibitor | None = None
        self._properties: LayerPropertiesDialog | None = None
        self._is_comparing = False

    # -- building ----------------------------------------------------------------------------------------------------
    def build(self) -> Iterator[None]:
        """Create all parts; the window may be painted between two steps."""
        window, session = self._window, self.session
        self._make_controllers()
        yield
        self._make_map()
        yield
        self.shell = Shell(self.maps, self.timeline, window)
        window.setCentralWidget(self.shell)
        self._focus_keeper = FocusKeeper(self.shell, self.maps)
        regions = RegionNotice(session)
        ready = ReadyNotice(self.controllers, session, self.shell.shows_result_of)
        ready.show_requested.connect(self._show_analysis)
        self.shell.changed.connect(ready.follow)
        end = self._run_end = RunEndNotice(session, self.queue, self._shows_result)
        end.show_requested.connect(self._show_result)
        self.shell.changed.connect(end.follow)
        self.queue.map_requested.connect(self.shell.show_map)
        self.plan.started.connect(end.dismiss)
        self._edit_notice = EditNotice(session)
        edits = UnreachedNotice(session), self._edit_notice, RefusedEditNotice(session)
        demo = DemoNotice(session, self.documents)
        for notice in (regions, *edits, demo, ready, FollowNotice(self.queue), end):
            self.shell.centre.notices.add(notice)
        self.shell.centre.notices.faded.connect(self.event_log.keep)
        self.plan.started.connect(regions.tell_all)
        self.plan.result_ready.connect(partial(self.shell.reveal_panel, "Result"))
        self._add_panels()
        yield
        self.guide = Guide(window, self.shell, lambda: self.help, lambda: self.runs, session, self.documents)
        self.shell.side.find_commands = self.guide.find_commands
        self.shell.side.palette_requested.connect(self.guide.open_palette)
        self.actions = Actions(window, session, self.plan, self._handlers())
        self.guide.plan_requested.connect(self.plan.quick)
        self.guide.export_requested.connect(self._choose_format)
        self.bookmarks_menu = BookmarksMenu(self.views, window)
        self.actions.fill_menus(self.documents, self.bookmarks_menu)
        self.maps.set_menu_actions(self.actions.map_menu())
        self._add_bars()
        yield
        thumbnails = ThumbnailCache(self._preferences.pictures)
        self.thumbnail_renderer = ThumbnailRenderer(session, thumbnails, self.map.snapshot, window)
        self.documents.recent_changed.connect(self.thumbnail_renderer.render_soon)
        PlayFocus(window, self.shell, self.maps, self.plan, self.queue)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.applicationStateChanged.connect(self._on_activated)
        self.status = StatusBar(session, self.queue, self.map, window.statusBar(), self.controllers)
        self.status.analysis.requested.connect(self._show_analysis)
        self._memory = MemoryTrimmer(session, self.queue, window)
        yield

    def _make_controllers(self) -> None:
        session, window = self.session, self._window
        self.controllers: dict[str, Controller] = {
            analysis.name: analysis.controller(session, parent=window) for analysis in ANALYSES
        }
        self.plan_preview = PlanPreview(session, self.queue, parent=window)
        self.export_folder = ExportFolder(session, self._preferences)
        self.base_maps = BaseMapSelector(session, self._preferences, window)
        self.documents = Documents(session, self.queue, self._preferences, window)
        for controller in self.controllers.values():
            self.documents.watch(controller.work)
        self.plan = PlanControl(session, self.queue, self.documents.save_for_work, self.plan_preview.saver, window)
        self.event_log = EventLog(session, self.queue, window)
        if (folder := self._preferences.recovery) is not None:
            saver = self.plan_preview.saver
            self.recovery = Recovery(session, self.queue, self.documents, saver, folder, window)
            self.recovery.autosave.failed.connect(self._on_autosave_failed)

    def _make_map(self) -> None:
        self.map, self.timeline = MapView(self.session), TimelineBar(self.session)
        self.map.setObjectName("map")
        self.map.layers.restore_order(self._preferences.layer_order)
        self.map.layers.restore_styles(self._preferences.layer_styles)
        self.map.layers.reordered.connect(self._save_layer_order)
        self.map.layers.changed.connect(self._save_layer_styles)
        self.maps = MapBoard(self.session, self.map)
        self.views = ViewMemory(self.session, self.map.camera, self._preferences)
        if (form := self._preferences.coordinates) in set(CoordinateFormat):
            self.session.drawing.set_coordinates(CoordinateFormat(form))
        self.timeline.film_requested.connect(self._export_film)
        self.timeline.grounding_requested.connect(self._ground)

    def _add_panels(self) -> None:
        """Create the panels that other parts of the window need at once, and the places of all others."""
        layers = LayersPanel(self.map.layers)
        layers.properties_requested.connect(self.show_layer_properties)
        layers.zoom_requested.connect(lambda key: self.maps.active_map.zoom_to_layer(key))
        made: dict[str, QWidget] = {"Layers": layers, "Legend": layers.take_legend()}
        for name, panel in made.items():
            self.shell.add_panel(name, panel)
        for name, panel in {"Timeline": self.timeline, **made}.items():
            self.panels.keep(name, panel)
        for name, make in self._panel_makers():
            places = [
                LazyWidget(partial(self.panels.__getitem__, name)) for _part in range(1 + PLACES[name].has_result)
            ]
            self.panels.add(name, partial(self._build_panel, name, make, places))
            self.shell.add_panel(name, *places)
        for signal in (self.session.project_opened, self.session.project_edited):
            signal.connect(self._summarize_sections)
        self._summarize_sections()
        self.plan.listed = self._listed_run
        self.plan.compared.connect(self._show_comparison)
        self.shell.changed.connect(self.plan.changed)

    def _summarize_sections(self) -> None:
        """Say below the heading of each folded section what the project has there."""
        if self.session.has_project:
            for name, summary in SECTION_SUMMARIES.items():
                self.shell.side.sections[name].set_summary(summary(self.session.project))

    def _make_runs(self, parent: QWidget) -> RunsPanel:
        runs = RunsPanel(self.session, self.queue, parent)
        if self.queue.shown is not None:
            runs.select(self.queue.shown)
        self.plan.selected = lambda: runs.selected
        runs.table.selectionModel().selectionChanged.connect(lambda *_: self.plan.changed.emit())
        runs.start_requested.connect(self.plan.start)
        runs.prune_requested.connect(self.plan.prune)
        runs.start_from_requested.connect(self.plan.start_from)
        runs.duplicate_requested.connect(self.plan.duplicate)
        runs.compare_requested.connect(self.plan.compare)
        runs.export_requested.connect(self._export)
        return runs

    def _panel_makers(self) -> Iterator[tuple[str, Callable[[QWidget], QWidget]]]:
        """Yield the panels that are built when they are first shown, in the order of the tabs of the drawer.

        Each is made with its parent.
        """
        session, queue = self.session, self.queue
        yield "Scenario", self._make_scenario
        yield "Help", HelpView
        yield "Runs", self._make_runs
        yield "Start", partial(StartPanel, session, self.plan)
        yield "Regions", partial(RegionsPanel, session)
        yield "Values", partial(ValuesPanel, session)
        yield "Barriers", partial(BarriersPanel, session, queue)
        yield "Fleet", partial(FleetPanel, session)
        yield "Bases", partial(BasesPanel, session)
        yield "Calendar", partial(CalendarPanel, session)
        yield "Objective", partial(ObjectivePanel, session)
        yield "Constraints", partial(ConstraintsPanel, session)
        yield "Progress", partial(ProgressPanel, session, queue)
        yield "Result", self._make_result
        yield "Drops", self._make_drops
        yield "Compare", partial(ComparisonPanel, session)
        yield "Log", partial(LogPanel, self.event_log)
        yield "Exercise", partial(ExercisePanel, session, queue, self.plan)
        for analysis in ANALYSES:
            yield analysis.name, partial(self._make_analysis, analysis)
        yield "Export", partial(HandOverPanel, session, queue, self._preferences, lambda: self.plan.run_to_export)

    def _make_scenario(self, parent: QWidget) -> QWidget:
        panel = ScenarioPanel(self.session, parent)
        panel.weights_wanted.connect(self.documents.choose_and_load_weights)
        return panel

    def _make_result(self, parent: QWidget) -> QWidget:
        panel = ResultPanel(self.session, self.queue, parent)
        panel.start_from_requested.connect(self.plan.start_from)
        panel.leaks_requested.connect(self._show_leaks)
        panel.test_requested.connect(self._test_plan)
        return panel

    def _make_drops(self, parent: QWidget) -> QWidget:
        panel = DropsPanel(self.session, parent)
        panel.go_to_requested.connect(self._go_to_drop)
        panel.add_actions({name: self.actions[name] for name in GROUPS["selected_drops"]})
        return panel

    def _make_analysis(self, analysis: Analysis, parent: QWidget) -> QWidget:
        panel = analysis.make_panel(self.session, self.queue, self.controllers[analysis.name], parent)
        panel.start_requested.connect(partial(self._start, analysis, panel))
        return panel

    def _build_panel(self, name: str, make: Callable[[QWidget], QWidget], places: Sequence[LazyWidget]) -> QWidget:
        """Build a panel, or the two parts of it, in its places."""
        # At a later move Qt would apply the style sheet to all of the panel again.
        panel = make(SplitPlaces(places[0], places[1], self._window) if PLACES[name].has_result else places[0])
        parts: Sequence[QWidget] = (panel,)
        if isinstance(panel, SplitPanel):
            panel.result_requested.connect(partial(self.shell.show_result_of, name))
            panel.refilled.connect(self.shell.side.content_built)
            panel.plan_requested.connect(self.plan.start)
            settings, foot, result = panel.take_parts()
            parts = settings, result
            self.shell.side.set_foot(name, foot)
        for place, part in zip(places, parts, strict=True):
            place.put(part)
        return panel

    def _show_comparison(self, entries: Sequence[RunEntry]) -> None:
        self.panel("Compare", ComparisonPanel).show_runs(entries)
        if len(entries) == 2:
            # The maps come first: the table opens with its button.
            self.shell.begin_comparison("Compare")
        else:
            self.shell.reveal_panel("Compare")

    def _add_bars(self) -> None:
        """Add tool bar, rail and the bar above the map, which show actions."""
        actions, shell, session = self.actions, self.shell, self.session
        bar, menus = actions.tool_bar(), self._window.menuBar()
        if menus.isNativeMenuBar():
            self._window.addToolBar(bar)
        else:
            # Menus and tools share one row: the map needs the height.
            menus.setCornerWidget(bar)
        shell.set_rail(Rail(actions.group("workspace"), actions["side_panel"]))
        views = (*actions.group("view"), actions["side_by_side"])
        shell.centre.set_bar(
            CentreBar(
                views, actions.group("centre"), (actions["show_layers"], actions["show_legend"]), actions["resume"],
                actions["keep_drops"],
            )
        )  # fmt: skip
        # Where a run stopped is said after its result.
        shell.centre.notices.add(shell.centre.bar.stopped, after=self._run_end)
        shell.centre.notices.add(shell.centre.bar.edited)
        shell.centre.bar.keep_stopped.clicked.connect(lambda _checked=False: self.plan.keep_and_resume())
        self.plan.changed.connect(self._show_stopped)
        for signal in (session.plan_editor.edited, session.result_changed, self.queue.changed):
            signal.connect(self._show_edited)
        shell.centre.bar.back.clicked.connect(lambda _checked=False: self.queue.show_run_again())
        shell.centre.bar.table.clicked.connect(lambda _checked=False: shell.reveal_panel("Compare"))
        shell.centre.bar.hidden.clicked.connect(lambda _checked=False: shell.set_mode(CentreMode.BOTH))
        for signal in (shell.changed, *(controller.result_changed for controller in self.controllers.values())):
            signal.connect(self._offer_result)
        session.result_changed.connect(self._show_way_back)
        session.tool_changed.connect(self._focus_tool)
        session.side_by_side_changed.connect(shell.stage.split)
        session.project_opened.connect(shell.forget_drawer)
        shell.stage.covered_changed.connect(self.maps.set_covered)
        shell.stage.fire_box = lambda: self.maps.fire_box
        shell.stage.marks = lambda: self.maps.marks
        shell.stage.decorations = lambda: self.maps.decoration_boxes
        shell.centre.overlays_changed.connect(self.maps.set_overlays)
        self.map.hint_changed.connect(self._show_hint)
        self.map.layers.changed.connect(self._check_drops_shown)
        self._check_drops_shown()
        shell.changed.connect(self._check_layout)
        shell.workspace_changed.connect(self._end_drawing)
        shell.workspace_changed.connect(self._edit_notice.dismiss)
        self._check_layout()

    def _focus_tool(self, name: str) -> None:
        # A tool works with the keys of the map, wherever it was chosen.
        if name != Tool.PAN:
            self.maps.setFocus()

    def _check_layout(self) -> None:
        """Check the actions of the layout as it is."""
        actions, shell = self.actions, self.shell
        actions.choose("workspace", shell.workspace.value)
        actions.choose("centre", shell.mode.value)
        actions["centre:chart"].setIconText("Page" if shell.workspace is WorkspaceName.HAND_OVER else "Chart")
        actions["side_panel"].setChecked(shell.is_side_visible)
        actions["drawer"].setChecked(shell.is_drawer_visible)
        actions["full_map"].setChecked(shell.is_full_map)
        for name, card in shell.stage.cards.items():
            actions[f"show_{name.lower()}"].setChecked(not (card.isHidden() or shell.stage.isHidden()))
        self._show_hint()

    def _end_drawing(self) -> None:
        # What is drawn belongs to the workspace that was left.
        if self.session.tool in SHAPE_TOOLS:
            self.session.set_tool(Tool.PAN)

    def _on_activated(self, state: Qt.ApplicationState) -> None:
        """Look at the folder of the project again: it may have been changed in a file manager."""
        if state is Qt.ApplicationState.ApplicationActive and self.session.has_project:
            self.queue.refresh_folder()

    def _check_drops_shown(self, _key: str = "drops") -> None:
        self.actions.choose("drops_shown", str(self.map.layers["drops"].option_values[DROPS_SHOWN]))

    def _show_way_back(self) -> None:
        result = self.session.result
        was_comparing, self._is_comparing = self._is_comparing, bool(result.against)
        # Recovered drops are shown before any run.
        has_run = self.queue.shown_or_before is not None
        is_shown = result.is_sample or (result.is_aside and has_run)
        self.shell.centre.bar.show_back(is_shown=is_shown, compares=self._is_comparing)
        if was_comparing and not self._is_comparing:
            self.shell.end_comparison("Compare")
        self._show_hint()

    def _offer_result(self) -> None:
        """Offer the result of an analysis that the map alone hides."""
        name = self.shell.hidden_result
        controller = self.controllers.get(name)
        has_result = controller is not None and controller.shown is not None
        self.shell.centre.bar.offer_result(PLACES[name].title if has_result else "")

    def _show_stopped(self) -> None:
        stopped, bar = self.plan.stopped, self.shell.centre.bar
        has_plan = self.plan.can_keep_stopped
        bar.keep_stopped.setVisible(has_plan)
        text = "" if stopped is None else stopped.stop_text
        bar.stopped.show_text(f"{text}. Resume replaces this plan by a later one." if has_plan else text)

    def _keep_drops(self) -> None:
        # The run lies in the folder of the project.
        if self.session.folder is not None or self.documents.save():
            self.session.plan_editor.save_requested.emit()

    def _show_edited(self) -> None:
        is_edited = self.session.plan_editor.plan is not None
        is_unsaved = is_edited and self.plan_preview.saver.has_unsaved
        self.shell.centre.bar.edited.show_text(_EDITED if is_unsaved else "")

    def _show_hint(self) -> None:
        """Show how the tool is used, or else what is on the map instead of a plan."""
        result = self.session.result
        other = f"{result.title}: not a plan" if result.is_sample else ""
        hint = "" if self.shell.stage.isHidden() else self.map.hint
        self.shell.centre.bar.note.set_text(hint or other)

    def set_full_map(self, on: bool) -> None:
        """Hide everything but the map, or show again what was shown before."""
        self.shell.set_full_map(on)
        for bar in (self._window.menuBar(), self._window.statusBar()):
            bar.setHidden(self.shell.is_full_map)

    def _ask_place(self) -> None:
        view = self.maps.active_map
        GoToDialog(self.session.project.scenario.grid, view.go_to, self._window, self.session.units).open()

    def _copy_place(self) -> None:
        text = self.maps.active_map.place_text
        QGuiApplication.clipboard().setText(text)
        self.session.message.emit(f"Copied: {text}")

    def _choose_coordinates(self, value: str) -> None:
        self.session.drawing.set_coordinates(CoordinateFormat(value))
        self._preferences.coordinates = value

    def _ask_bookmark(self) -> None:
        dialog = QInputDialog(self._window)
        dialog.setWindowTitle("Add bookmark")
        dialog.setLabelText("Name of the present view:")
        dialog.setTextValue(self.views.free_name())
        dialog.textValueSelected.connect(self.views.add)
        dialog.open()

    def show_layer_properties(self, key: str = "") -> None:
        """Open the dialog for the properties of a layer, by default of the one that was shown last."""
        if self._properties is None:
            self._properties = LayerPropertiesDialog(self.map.layers, self._window)
            self._properties.choose("occupancy")
        if key:
            self._properties.choose(key)
        self._properties.show()
        self._properties.raise_()
        self._properties.activateWindow()

    def _ground(self, day: int, place: QPoint) -> None:
        GroundedDayMenu(self.session, day, self._window).popup(place)

    def _handlers(self) -> dict[str, Handler]:
        """Return what each action of the registry does."""
        session, documents, plan, guide = self.session, self.documents, self.plan, self.guide
        shell = self.shell
        return {
            "new_demo": documents.new_demo,
            "open": documents.choose_and_open,
            "import_landscape": documents.import_landscape,
            "import_events": documents.import_events,
            "import_folder": documents.import_folder,
            "import_maps": documents.choose_and_import_maps,
            "save": documents.save,
            "save_as": lambda: documents.save_as(),
            "export": self._export,
            "undo": session.undo,
            "redo": session.redo,
            "delete_shape": lambda: session.delete_shape(session.selected_shape.kind, session.selected_shape.name),
            "fit": self.maps.fit,
            "zoom_fire": lambda: self.maps.active_map.zoom_to_fire(),
            "zoom_selection": lambda: self.maps.active_map.zoom_to_selection(),
            "full_map": self.set_full_map,
            "go_to": self._ask_place,
            "copy_coordinates": self._copy_place,
            "identify_here": lambda: self.maps.active_map.identify_here(),
            "coordinates": self._choose_coordinates,
            "add_bookmark": self._ask_bookmark,
            "tool": lambda value: session.set_tool(Tool(value)),
            "view": lambda value: session.set_view(FireView(value)),
            "layer_properties": self.show_layer_properties,
            "drops_shown": lambda value: self.map.layers.set_option("drops", DROPS_SHOWN, value),
            "base_map": self.base_maps.ask,
            "no_base_map": session.ground.close,
            "snap_corners": session.drawing.set_snap_corners,
            "snap_cells": session.drawing.set_snap_cells,
            "units": lambda value: session.set_units(Units(value)),
            "go_to_drop": lambda: self._go_to_drop(session.plan_editor.selected),
            "edit_drop": self._edit_drop,
            "pin_drops": lambda: pin_marked(session),
            "unpin_drops": lambda: unpin_marked(session),
            "remove_drops": lambda: remove_marked(session),
            "export_drops": self._export_selected,
            "keep_drops": self._keep_drops,
            "start": plan.start,
            "quick": plan.quick,
            "stages": lambda value: session.set_stages(STAGES[value]),
            "pause": plan.pause,
            "resume": plan.resume,
            "stop": plan.stop,
            "replan": plan.replan,
            "duplicate_run": lambda: self.runs.duplicate(),
            "continue_run": self._continue_run,
            "show_leaks": self._show_leaks,
            "compare_runs": self._compare_runs,
            "rename_run": self._rename_run,
            "choose_model": lambda: choose_fire_model(session, self._window),
            "load_weights": documents.choose_and_load_weights,
            "score": self._score,
            # A second press keeps them, as for a single fire: each of the four buttons has its view.
            "side_by_side": lambda _on: session.set_side_by_side(True),
            "workspace": lambda value: shell.go_to_workspace(WorkspaceName(value)),
            "next_pane": lambda: focus_next_pane(self._panes, forward=True),
            "previous_pane": lambda: focus_next_pane(self._panes, forward=False),
            "side_panel": shell.set_side_visible,
            "drawer": shell.set_drawer_visible,
            "centre": lambda value: shell.set_mode(CentreMode(value)),
            **{f"show_{name.lower()}": partial(self.show_panel, name) for name in PLACES},
            "show_layers": lambda on: shell.show_card("Layers", on=on),
            "show_legend": lambda on: shell.show_card("Legend", on=on),
            "help": guide.help_here,
            **{name: partial(guide.show_page, ACTIONS[name].topic) for name in _HELP_ACTIONS},
            "palette": guide.open_palette,
            "tour": guide.begin_tour,
            "about": lambda: show_about(self._window),
            **self._window_handlers,
        }

    def _export(self) -> None:
        """Export the plan of the run that is selected in the open list of runs, else the plan on the map."""
        run, dialog, note = self.plan.run_to_export, None, self._why_not_selected()
        with refusing(self.session, "the plan" if run is None else str(run.folder)):
            dialog = plan_export(self.session, self.queue, run, self._window, self._preferences, note)
        if dialog is not None:
            if run is None:
                dialog.follow_map(self.queue)
            dialog.exec()

    def _why_not_selected(self) -> str:
        """Return why the plan on the map is exported instead of the selected run; empty if they are one."""
        listed, shown = self._listed_run(), self.session.result
        if listed is None or not shown.drops or shown.folder == listed.folder:
            return ""
        return f"This is the plan on the map. {listed.title}, which is selected in the list, has no plan to export."

    def _listed_run(self) -> RunEntry | None:
        """Return the only run that is selected in the list of runs, if the list is in view."""
        in_view = self.shell.workspace is WorkspaceName.RUNS and self.shell.is_side_visible
        chosen = self.runs.all_selected if in_view else ()
        return chosen[0] if len(chosen) == 1 else None

    def _choose_format(self, name: str) -> None:
        """Open the export of the plan on the map with a format ticked."""
        self.set_full_map(False)
        self.show_panel("Export")
        self.panel("Export", HandOverPanel).choose_format(name)

    def _export_selected(self) -> None:
        keys = {drop.key for drop in self.session.plan_editor.marked}
        ExportDialog(self.session, self._window, keys, preferences=self._preferences).exec()

    def _compare_runs(self) -> None:
        if not self.runs.compare():
            self.show_panel("Runs")

    def _continue_run(self) -> None:
        """Start a run from the plan of the selected run; show the runs if none has one."""
        if not self.runs.start_from():
            self.show_panel("Runs")

    def _show_leaks(self) -> None:
        """Show where fire gets through the plan of the shown run, or how to test it if that is not known."""
        self._show_analysis("Stress")
        if (shown := self.queue.shown_or_before) is not None:
            self.panel("Stress", StressPanel).show_leaks(shown.folder)

    def _test_plan(self, entry: RunEntry) -> None:
        """Test the plan of a run in all its stress scenarios, once the test has a folder."""
        if self.session.folder is None and not self.documents.save_for_work():
            return
        self._show_analysis("Stress")
        self.panel("Stress", StressPanel).complete_test(entry)

    def _rename_run(self) -> None:
        self.show_panel("Runs")
        self.runs.rename()

    def _go_to_drop(self, drop: Drop | None) -> None:
        """Show a drop on the map at its time."""
        if drop is None:
            return
        self.session.set_step(drop.step)
        self.maps.active_map.show_drop(drop)

    def _edit_drop(self) -> None:
        if (drop := self.session.plan_editor.selected) is not None:
            self.map.drop_menu.edit(drop)

    def _export_film(self) -> None:
        # Non-modal: the user can work while the film is made.
        dialog = AnimationDialog(self.session, self.maps, self._window)
        dialog.show()

    # -- long work ---------------------------------------------------------------------------------------------------
    def monitor_work(self, backends: Sequence[InhibitorBackend] | None = None) -> None:
        """Prevent sleep while the machine computes, and notify when long work has ended.

        Tests do not call it.
        """
        monitor = ActivityMonitor(self.queue, self)
        for controller in self.controllers.values():
            monitor.watch(controller.changed, controller.work)
        backends = system_backends(self) if backends is None else backends
        self._sleep_inhibitor = SleepInhibitor(monitor, backends, self)
        self._sleep_inhibitor.reported.connect(self.event_log.add)
        CompletionNotifier(monitor, self.session, self._window, TrayMessage(self._window).show)

    def _save_layer_order(self) -> None:
        layers = self.map.layers
        self._preferences.layer_order = layers.order if layers.is_reordered else ()

    def _save_layer_styles(self, _key: str) -> None:
        self._preferences.layer_styles = self.map.layers.styles

    def _on_autosave_failed(self, why: str) -> None:
        text = f"Unsaved edits could not be stored for recovery after a crash; save the project. {why}"
        self.event_log.add(text, "warning")
        self.session.message.emit(text)

    # -- the focus ---------------------------------------------------------------------------------------------------
    @property
    def _panes(self) -> list[Pane]:
        bar = self.actions.bar
        return [(bar, bar), *self.shell.panes]

    def focus_next(self, *, forward: bool) -> bool:
        """Move the focus to the next control of the window, as it is read; return whether there is one."""
        focus = QApplication.focusWidget()
        if focus is not None and not is_usable(focus):
            # Qt asks for the next control also when the focused one was disabled or hidden.
            self._focus_keeper.take_over(focus)
            return True
        return focus_next_control((self.actions.bar, self.shell, self._window.statusBar()), forward=forward)

    # -- for the window ----------------------------------------------------------------------------------------------
    def show_panel(self, name: str) -> None:
        """Show a panel at its place and give it the focus. Raises ``KeyError`` for another name."""
        self.shell.show_panel(name)

    def handle_key(self, key: int) -> bool:
        """Delete the selection on Delete; close the help, leave the tool or deselect on Esc.

        Return whether the key was used.
        """
        window, focus = self._window, self._window.focusWidget()
        # While another table has the focus, Delete must not delete a shape.
        on_map = focus is None or focus is window or focus is self.maps or self.maps.isAncestorOf(focus)
        if key == Qt.Key.Key_Delete and on_map:
            self.actions["remove_drops" if self.session.plan_editor.marked else "delete_shape"].trigger()
        elif key == Qt.Key.Key_Escape and self.shell.is_help_visible:
            self.shell.close_help()
        elif key == Qt.Key.Key_Escape and self.shell.is_full_map:
            self.set_full_map(False)
        elif key == Qt.Key.Key_Escape and self.session.tool is not Tool.PAN:
            self.session.set_tool(Tool.PAN)
        elif key == Qt.Key.Key_Escape:
            self.session.plan_editor.select(None)
            self.session.select_region("")
        else:
            return False
        return True

    def confirm_close(self) -> bool:
        """Ask about a run and about unsaved edits; return whether the window may close."""
        commit_editing()
        if not self.documents.confirm_close("close"):
            return False
        if not self.session.is_dirty:
            self.thumbnail_renderer.render()
        # Saved, or discarded by the user.
        self.plan_preview.saver.discard()
        if self.recovery is not None:
            self.recovery.autosave.discard()
        return True

    def shutdown(self) -> None:
        """Stop all work, keep its results, and wait until every thread and process has ended."""
        for dialog in self._window.findChildren(AnimationDialog):
            dialog.close()
        for export in self._window.findChildren(ExportDialog):
            export.done(0)
        # Some parts are missing if the window is closed while it is being built.
        made, runs = vars(self), self.runs if self.panels.is_built("Runs") else None
        parts = (
            self.recovery and self.recovery.autosave, runs, self.queue, self._sleep_inhibitor,
            self.session.ground, self.session.behaviour, self.session.drop_flames, made.get("plan_preview"),
            made.get("_memory"), *made.get("controllers", {}).values(),
        )  # fmt: skip
        # An error in one part must not leave the threads of the others alive.
        with ExitStack() as stack:
            if "documents" in made:
                stack.callback(self.documents.release)
            for part in reversed(parts):
                if part is not None:
                    stack.callback(part.shutdown)

    @property
    def runs(self) -> RunsPanel:
        """The list of runs, which is built if need be."""
        return self.panel("Runs", RunsPanel)

    @property
    def help(self) -> HelpView:
        """The help, which is built if need be."""
        return self.panel("Help", HelpView)

    # -- analyses ----------------------------------------------------------------------------------------------------
    def controller(self, kind: type[ControllerT]) -> ControllerT:
        """Return the controller of an analysis by its class."""
        return next(each for each in self.controllers.values() if isinstance(each, kind))

    def panel(self, name: str, kind: type[PanelT]) -> PanelT:
        """Return a panel, which is built if need be. Raises ``KeyError`` for another name or class."""
        panel = self.panels[name]
        if not isinstance(panel, kind):
            raise KeyError(name)
        return panel

    def _shows_result(self, entry: RunEntry) -> bool:
        """Return whether the result of a run is in view."""
        shell = self.shell
        in_view = shell.workspace is WorkspaceName.RUNS and shell.is_side_visible and not shell.is_full_map
        return in_view and self.queue.shown is entry

    def _show_result(self, entry: RunEntry) -> None:
        """Show the plan of an ended run and its result; of a run without a plan its card."""
        self.set_full_map(False)
        has_plan = kept_plan(entry.folder) is not None
        if has_plan and entry is not self.queue.shown:
            self.queue.show(entry)
        self.shell.reveal_panel("Result" if has_plan else "Runs")
        self.runs.select(entry)

    def _score(self) -> None:
        self.show_panel("Skill")
        self.panel("Skill", SkillPanel).start()

    def _show_analysis(self, name: str) -> None:
        """Show the page of an analysis, and its result beside the map."""
        self.set_full_map(False)
        self.show_panel(name)
        if self.shell.mode is CentreMode.MAP:
            self.shell.set_mode(CentreMode.BOTH)
        if name == "Stress":
            panel = self.panel(name, StressPanel)
            panel.pages.setCurrentWidget(panel.table)

    def _start(self, analysis: Analysis, panel: AnalysisPanel[Any, Any]) -> None:
        """Start an analysis once what it needs is saved."""
        session, needed = self.session, analysis.save_first
        unsaved = session.folder is None or (session.is_dirty and needed is SaveFirst.PROJECT)
        if needed is SaveFirst.NOTHING or not unsaved or self.documents.save_for_work():
            panel.start()


class PlayFocus(QObject):
    """Focus on ``maps`` when a plan is started and when it has ended, so that Space plays it.

    The focus is never taken from a text field or a dialog. When a plan ends, number fields and tables also keep it,
    because they were entered after the start.
    """

    def __init__(self, window: QMainWindow, shell: QWidget, maps: QWidget, plan: PlanControl, queue: RunQueue) -> None:
        super().__init__(window)
        self._window, self._shell, self._maps, self._queue = window, shell, maps, queue
        self._was_busy = queue.is_busy
        plan.started.connect(self._on_started)
        queue.changed.connect(self._on_queue)

    def _on_started(self) -> None:
        self._focus_map(_TYPED_IN)

    def _on_queue(self) -> None:
        was_busy, self._was_busy = self._was_busy, self._queue.is_busy
        if was_busy and not self._was_busy:
            self._focus_map((*_TYPED_IN, *_NEED_KEYS))

    def _focus_map(self, kept_by: tuple[type[QWidget], ...]) -> None:
        focus = self._window.focusWidget()
        if focus is None or focus is self._window or (self._is_ours(focus) and not isinstance(focus, kept_by)):
            self._maps.setFocus()

    def _is_ours(self, widget: QWidget) -> bool:
        """Return whether a widget belongs to the layout or a bar, not to start page, palette or tour."""
        return any(part.isAncestorOf(widget) for part in (self._shell, self._window.menuBar()))

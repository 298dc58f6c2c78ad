"""What the window is furnished with: the map in the middle, docks around it, desks behind them, menus and shortcuts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QToolBar, QWidget

from firegui.gui.analyses.benchmark.benchmark_controller import BenchmarkController
from firegui.gui.analyses.benchmark.benchmark_panel import BenchmarkPanel
from firegui.gui.analyses.calibration.calibration_controller import CalibrationController
from firegui.gui.analyses.calibration.calibration_panel import CalibratePanel
from firegui.gui.analyses.sensitivity.sensitivity_controller import SensitivityController
from firegui.gui.analyses.sensitivity.sensitivity_panel import SensitivityPanel
from firegui.gui.analyses.skill.skill_controller import SkillController
from firegui.gui.analyses.skill.skill_panel import SkillPanel
from firegui.gui.analyses.study.study_controller import StudyController
from firegui.gui.analyses.study.study_panel import StudyPanel
from firegui.gui.analyses.uncertainty.uncertainty_controller import UncertaintyController
from firegui.gui.analyses.uncertainty.uncertainty_panel import UncertaintyPanel
from firegui.gui.base.controls import focus_first
from firegui.gui.base.preferences import Preferences
from firegui.gui.base.theme import Theme
from firegui.gui.exporting.animation_dialog import AnimationDialog
from firegui.gui.exporting.export_dialog import ExportDialog
from firegui.gui.help.about_dialog import show_about
from firegui.gui.help.help_view import HelpView
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.map.map_board import MapBoard
from firegui.gui.map.map_view import MapView
from firegui.gui.map.timeline import TimelineBar
from firegui.gui.planning.plan_control import PlanControl
from firegui.gui.planning.plan_preview import PlanPreview
from firegui.gui.planning.progress_panel import ProgressPanel
from firegui.gui.planning.runs_panel import RunsPanel
from firegui.gui.scenario.base_map_dialog import BaseMapSelector
from firegui.gui.scenario.calendar_panel import CalendarPanel
from firegui.gui.scenario.constraints_panel import ConstraintsPanel
from firegui.gui.scenario.fleet_panel import FleetPanel
from firegui.gui.scenario.layers_panel import LayersPanel
from firegui.gui.scenario.objective_panel import ObjectivePanel
from firegui.gui.scenario.regions_panel import RegionsPanel
from firegui.gui.scenario.scenario_panel import ScenarioPanel
from firegui.gui.session.session import Session, Tool
from firegui.gui.widgets.number_fields import settle_editing
from firegui.gui.window.actions import Actions, WindowCommands
from firegui.gui.window.activity_monitor import ActivityMonitor
from firegui.gui.window.completion_notifier import Notice, Tray
from firegui.gui.window.dock_layout import arrange
from firegui.gui.window.documents import Documents
from firegui.gui.window.event_log import EventLog
from firegui.gui.window.guide import Guide
from firegui.gui.window.log_panel import LogPanel
from firegui.gui.window.menus import fill_menus, fill_tool_bar
from firegui.gui.window.panel_dock import PanelDock
from firegui.gui.window.play_focus import PlayFocus
from firegui.gui.window.recovery import Recovery
from firegui.gui.window.sleep_inhibitor import Means, SleepInhibitor
from firegui.gui.window.sleep_inhibitor_backends import system_means
from firegui.gui.window.start_page import Wish
from firegui.gui.window.status_bar import StatusBar
from firegui.gui.window.thumbnail_cache import ThumbnailCache
from firegui.gui.window.thumbnail_renderer import ThumbnailRenderer

_Area = Qt.DockWidgetArea
Study = TypeVar("Study", SkillPanel, CalibratePanel, SensitivityPanel, UncertaintyPanel, BenchmarkPanel, StudyPanel)
_ENLARGED = (1180, 640)


@dataclass(frozen=True, slots=True)
class Look:
    """What the window itself does when it is asked to through an action."""

    set_theme: Callable[[Theme | None], object]
    reset_layout: Callable[[], object]
    start_page: Callable[[], object]


class Workbench(QObject):
    """See the module. Nothing is there until :meth:`build` has been gone through, a step for each part of it."""

    def __init__(
        self, window: QMainWindow, session: Session, queue: RunQueue | None, preferences: Preferences, look: Look
    ) -> None:
        super().__init__(window)
        self._window, self._preferences, self._look = window, preferences, look
        self.session = session
        self.queue = queue if queue is not None else RunQueue(session, parent=window)
        self.docks: dict[str, QDockWidget] = {}
        self.recovery: Recovery | None = None
        self._awake: SleepInhibitor | None = None

    # -- putting together --------------------------------------------------------------------------------------------
    def build(self) -> Iterator[None]:
        """Make everything; between two steps the window may be painted."""
        window, session = self._window, self.session
        self._make_desks()
        yield
        self.map, self.timeline = MapView(session), TimelineBar(session)
        self.map.setObjectName("map")
        self.map.layers.restore_order(self._preferences.layer_order)
        self.map.layers.reordered.connect(self._keep_layer_order)
        self.maps = MapBoard(session, self.map)
        self.timeline.film_wanted.connect(self._keep_film)
        window.setCentralWidget(self.maps)
        window.setDockNestingEnabled(True)
        window.setTabPosition(_Area.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        # The left column reaches down to the status bar: scenario and layers are long lists.
        window.setCorner(Qt.Corner.BottomLeftCorner, _Area.LeftDockWidgetArea)
        window.setCorner(Qt.Corner.BottomRightCorner, _Area.BottomDockWidgetArea)
        yield
        for docks in (self._side_docks(), self._plan_docks(), self._lower_docks(), self._study_docks()):
            yield from docks
        arrange(window, self.docks)
        yield
        self.guide = Guide(window, self.docks, self.help, self.show_dock, session, self.documents)
        self.actions = Actions(window, session, self.documents, self.plan, self._commands())
        fill_menus(window, self.actions, self.documents, self.docks)
        self._make_tool_bar()
        cards = ThumbnailCache(self._preferences.pictures)
        self.thumbnail_renderer = ThumbnailRenderer(session, cards, self.map.snapshot, window)
        self.documents.recent_changed.connect(self.thumbnail_renderer.take_soon)
        PlayFocus(window, self.maps, self.plan, self.queue)
        self.status = StatusBar(session, self.queue, self.map, window.statusBar())
        yield

    def _make_desks(self) -> None:
        session, window = self.session, self._window
        self.skill_controller = SkillController(session, parent=window)
        self.calibration_controller = CalibrationController(session, parent=window)
        self.sensitivity_controller = SensitivityController(session, parent=window)
        self.uncertainty_controller = UncertaintyController(session, parent=window)
        self.benchmark_controller = BenchmarkController(session, parent=window)
        self.study_controller = StudyController(session, parent=window)
        self.plan_preview = PlanPreview(session, self.queue, parent=window)
        self.base_maps = BaseMapSelector(session, self._preferences, window)
        self.documents = Documents(session, self.queue, self._preferences, window)
        for desk in self._long_desks:
            self.documents.watch(desk.work)
        self.plan = PlanControl(session, self.queue, self.documents.save, window)
        self.event_log = EventLog(session, self.queue, window)
        if self._preferences.recovery is not None:
            place = self._preferences.recovery
            saver = self.plan_preview.saver
            self.recovery = Recovery(session, self.queue, self.documents, saver, place, window)
            self.recovery.autosave.failed.connect(self._on_not_kept)

    def _side_docks(self) -> Iterator[None]:
        scenario = ScenarioPanel(self.session)
        scenario.weights_wanted.connect(self.documents.choose_and_load_weights)
        self._dock("Scenario", scenario, _Area.LeftDockWidgetArea)
        yield
        self._dock("Layers", LayersPanel(self.map.layers), _Area.LeftDockWidgetArea)
        yield
        self.help = HelpView()
        self._dock("Help", self.help, _Area.RightDockWidgetArea)
        yield

    def _plan_docks(self) -> Iterator[None]:
        for title, panel in (
            ("Regions", RegionsPanel), ("Fleet", FleetPanel), ("Calendar", CalendarPanel),
            ("Objective", ObjectivePanel), ("Constraints", ConstraintsPanel),
        ):  # fmt: skip
            self._dock(title, panel(self.session), _Area.RightDockWidgetArea)
            yield

    def _lower_docks(self) -> Iterator[None]:
        timeline = self._dock("Timeline", self.timeline, _Area.BottomDockWidgetArea, scrolls=False)
        timeline.setFeatures(timeline.features() | QDockWidget.DockWidgetFeature.DockWidgetVerticalTitleBar)
        # The bar is too low for a title at its side.
        timeline.setWindowTitle("")
        timeline.toggleViewAction().setText("Timeline")
        yield
        self._dock("Progress", ProgressPanel(self.session, self.queue), _Area.BottomDockWidgetArea)
        yield
        runs = RunsPanel(self.session, self.queue)
        runs.start_requested.connect(self.plan.start)
        runs.prune_requested.connect(self.plan.prune)
        runs.start_from_requested.connect(self.plan.start_from)
        runs.duplicate_requested.connect(self.plan.duplicate)
        runs.compare_requested.connect(self.plan.compare)
        runs.export_requested.connect(self._export)
        self.runs = runs
        self._dock("Runs", runs, _Area.BottomDockWidgetArea)
        yield
        self.log = LogPanel(self.event_log)
        self._dock("Log", self.log, _Area.BottomDockWidgetArea)
        yield

    def _study_docks(self) -> Iterator[None]:
        session, queue = self.session, self.queue
        self.skill = self._study("Skill", SkillPanel(session, self.skill_controller))
        yield
        self.calibration = self._study("Calibrate", CalibratePanel(session, self.calibration_controller))
        self.calibration.start_requested.connect(self._calibrate)
        yield
        self.sensitivity = self._study("Sensitivity", SensitivityPanel(session, queue, self.sensitivity_controller))
        self.sensitivity.start_requested.connect(lambda: self._once_saved(self.sensitivity.start))
        yield
        self.uncertainty = self._study("Uncertainty", UncertaintyPanel(session, queue, self.uncertainty_controller))
        self.uncertainty.start_requested.connect(lambda: self._once_saved(self.uncertainty.start))
        yield
        self.benchmark = self._study("Benchmark", BenchmarkPanel(session, queue, self.benchmark_controller))
        self.benchmark.start_requested.connect(lambda: self._once_saved(self.benchmark.start))
        yield
        self.study = self._study("Study", StudyPanel(session, queue, self.study_controller))
        self.study.start_requested.connect(lambda: self._once_saved(self.study.start))
        yield

    def _study(self, title: str, panel: Study) -> Study:
        dock = self._dock(title, panel, _Area.BottomDockWidgetArea)
        panel.enlarge_requested.connect(lambda: self._enlarge(dock))
        return panel

    def _dock(self, title: str, content: QWidget, area: Qt.DockWidgetArea, *, scrolls: bool = True) -> QDockWidget:
        dock = self.docks[title] = PanelDock(title, content, self._window, scrolls=scrolls)
        self._window.addDockWidget(area, dock)
        return dock

    def _commands(self) -> WindowCommands:
        window, look = self._window, self._look
        return WindowCommands(
            fit_map=self.maps.fit,
            base_map=self.base_maps.ask,
            export=self._export,
            score=self._score,
            show_dock=self.show_dock,
            duplicate_run=self.runs.duplicate,
            compare_runs=self.runs.compare,
            set_theme=look.set_theme,
            reset_layout=look.reset_layout,
            start_page=look.start_page,
            about=lambda: show_about(window),
            quit=window.close,
            guide=self.guide,
        )

    def _make_tool_bar(self) -> None:
        bar = QToolBar("Tools", self._window)
        fill_tool_bar(bar, self.actions)
        self._window.addToolBar(bar)

    def _export(self) -> None:
        ExportDialog(self.session, self._window).exec()

    def _keep_film(self) -> None:
        # Beside the window, not before it: the film is made while people go on.
        dialog = AnimationDialog(self.session, self.maps, self._window)
        dialog.show()

    @property
    def _long_desks(
        self,
    ) -> tuple[
        CalibrationController | SensitivityController | UncertaintyController | BenchmarkController | StudyController,
        ...,
    ]:
        """What may work for hours."""
        return (
            self.calibration_controller, self.sensitivity_controller, self.uncertainty_controller,
            self.benchmark_controller, self.study_controller,
        )  # fmt: skip

    # -- while nobody looks ------------------------------------------------------------------------------------------
    def attend(self, means: Sequence[Means] | None = None) -> None:
        """Keep the machine awake while it computes, and tell when long work has ended. Tests do without."""
        work = ActivityMonitor(self.queue, self)
        for desk in self._long_desks:
            work.watch(desk.changed, desk.work)
        self._awake = SleepInhibitor(work, system_means(self) if means is None else means, self)
        self._awake.said.connect(self.event_log.add)
        Notice(work, self.session, self._window, Tray(self._window).tell)

    def _keep_layer_order(self) -> None:
        layers = self.map.layers
        self._preferences.layer_order = layers.order if layers.is_reordered else ()

    def _on_not_kept(self, why: str) -> None:
        text = f"Unsaved edits could not be kept for the case of a crash; save the project. {why}"
        self.event_log.add(text, "warning")
        self.session.message.emit(text)

    # -- what the window asks for ------------------------------------------------------------------------------------
    def fulfil(self, wish: Wish) -> None:
        """Do what a person chose on the start page."""
        self.actions.for_wish(wish).trigger()

    def show_dock(self, title: str) -> None:
        """Show the dock called ``title`` in front and give it the focus. Raises ``KeyError`` for another name."""
        dock = self.docks[title]
        dock.show()
        dock.raise_()
        focus_first(dock.widget())

    def take_key(self, key: int) -> bool:
        """Delete deletes the region, Esc gives up a drawing; whether the key was of use."""
        window, focus = self._window, self._window.focusWidget()
        # From a table of something else, Delete must not reach for a region.
        on_map = focus is None or focus is window or focus is self.maps or self.maps.isAncestorOf(focus)
        if key == Qt.Key.Key_Delete and on_map:
            self.actions.delete_region.trigger()
        elif key == Qt.Key.Key_Escape:
            self.session.set_tool(Tool.PAN)
        else:
            return False
        return True

    def may_close(self) -> bool:
        """Ask about a run and about unsaved edits."""
        settle_editing()
        if not self.documents.may_leave("close"):
            return False
        if not self.session.is_dirty:
            self.thumbnail_renderer.take()
        # Saved, or thrown away by a person.
        self.plan_preview.saver.give_up()
        if self.recovery is not None:
            self.recovery.autosave.give_up()
        return True

    def shutdown(self) -> None:
        """Stop all that works, keep what it has, and wait until every thread and process has ended."""
        for dialog in self._window.findChildren(AnimationDialog):
            dialog.close()
        made = vars(self)
        if self.recovery is not None:
            self.recovery.autosave.shutdown()
        if "runs" in made:
            self.runs.shutdown()
        self.queue.shutdown()
        if self._awake is not None:
            self._awake.shutdown()
        self.session.ground.shutdown()
        desks = (
            "plan_preview", "skill_controller", "calibration_controller", "sensitivity_controller",
            "uncertainty_controller",
            "benchmark_controller",
            "study_controller",
        )  # fmt: skip
        for name in desks:
            if name in made:
                made[name].shutdown()
        if "documents" in made:
            self.documents.release()

    # -- the desks ---------------------------------------------------------------------------------------------------
    def _score(self) -> None:
        self.show_dock("Skill")
        self.skill.start()

    def _calibrate(self) -> None:
        # Its state and its weights are kept in the project's folder.
        if self.session.folder is not None or self.documents.save():
            self.calibration.start()

    def _once_saved(self, start: Callable[[], object]) -> None:
        # The command that is kept with the result repeats it on the project as it was saved.
        saved = self.session.folder is not None and not self.session.is_dirty
        if saved or self.documents.save():
            start()

    def _enlarge(self, dock: QDockWidget) -> None:
        dock.setFloating(not dock.isFloating())
        dock.raise_()
        if dock.isFloating():
            screen = dock.screen().availableSize()
            dock.resize(min(_ENLARGED[0], screen.width()), min(_ENLARGED[1], screen.height()))

"""The workbench: the map in the middle, docks around it, menus and shortcuts. Nothing else lives here."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QTabWidget, QToolBar, QWidget

from firegui.errors import InputError
from firegui.gui.actions import Actions, WindowCommands
from firegui.gui.dialogs.about import show_about
from firegui.gui.dialogs.export import ExportDialog
from firegui.gui.dialogs.problems import show_problems
from firegui.gui.documents import Documents
from firegui.gui.forms.numbers import settle_editing
from firegui.gui.jobs.benchmark import BenchmarkDesk
from firegui.gui.jobs.calibrate import CalibrationDesk
from firegui.gui.jobs.queue import RunQueue
from firegui.gui.jobs.sensitivity import SensitivityDesk
from firegui.gui.jobs.skill import SkillDesk
from firegui.gui.jobs.uncertainty import UncertaintyDesk
from firegui.gui.map.view import MapView
from firegui.gui.menus import fill_menus, fill_tool_bar
from firegui.gui.panels.benchmark import BenchmarkPanel
from firegui.gui.panels.calendar import CalendarPanel
from firegui.gui.panels.calibrate import CalibratePanel
from firegui.gui.panels.constraints import ConstraintsPanel
from firegui.gui.panels.fleet import FleetPanel
from firegui.gui.panels.layers import LayersPanel
from firegui.gui.panels.objective import ObjectivePanel
from firegui.gui.panels.regions import RegionsPanel
from firegui.gui.panels.runs import RunsPanel
from firegui.gui.panels.scenario import ScenarioPanel
from firegui.gui.panels.sensitivity import SensitivityPanel
from firegui.gui.panels.skill import SkillPanel
from firegui.gui.panels.timeline import TimelineBar
from firegui.gui.panels.uncertainty import UncertaintyPanel
from firegui.gui.plan_control import PlanControl
from firegui.gui.plots.live import LivePlots
from firegui.gui.preferences import Preferences
from firegui.gui.session import Session, Tool
from firegui.gui.status import StatusLine
from firegui.gui.theme import Theme, apply_theme, current_theme

_FIRST_SIZE = QSize(1440, 900)
_SMALLEST = QSize(1024, 680)
_LARGE = QSize(1180, 640)
_LEFT, _RIGHT = 262, 444
_LOWER = 212
_BESIDE_PROGRESS = ("Skill", "Calibrate", "Sensitivity", "Uncertainty", "Benchmark")


class MainWindow(QMainWindow):
    """See the module. ``preferences`` left out: nothing is remembered."""

    def __init__(self, session: Session, queue: RunQueue | None = None, preferences: Preferences | None = None) -> None:
        super().__init__()
        self.session = session
        self.queue = queue if queue is not None else RunQueue(session, parent=self)
        self.skill_desk = SkillDesk(session, parent=self)
        self.calibration_desk = CalibrationDesk(session, parent=self)
        self.sensitivity_desk = SensitivityDesk(session, parent=self)
        self.uncertainty_desk = UncertaintyDesk(session, parent=self)
        self.benchmark_desk = BenchmarkDesk(session, parent=self)
        self._preferences = preferences if preferences is not None else Preferences()
        self.documents = Documents(session, self.queue, self._preferences, self)
        self.documents.watch(self.calibration_desk.work)
        self.documents.watch(self.sensitivity_desk.work)
        self.documents.watch(self.uncertainty_desk.work)
        self.documents.watch(self.benchmark_desk.work)
        self.plan = PlanControl(session, self.queue, self.documents, self)
        self.map = MapView(session)
        self.timeline = TimelineBar(session)
        self.docks: dict[str, QDockWidget] = {}
        self.setCentralWidget(self.map)
        self._make_docks()
        self.actions_ = Actions(self, session, self.documents, self.plan, self._commands())
        fill_menus(self, self.actions_, self.documents, [dock.toggleViewAction() for dock in self.docks.values()])
        self._make_tool_bar()
        self._status = StatusLine(session, self.queue, self.map, self.statusBar())
        self._listen()
        self.setAcceptDrops(True)
        self.setMinimumSize(_SMALLEST)
        self._restore()
        self._show_title()

    # -- putting together --------------------------------------------------------------------------------------------
    def _make_docks(self) -> None:
        area = Qt.DockWidgetArea
        self.setDockNestingEnabled(True)
        self.setTabPosition(area.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        # The left column reaches down to the status bar: scenario and layers are long lists.
        self.setCorner(Qt.Corner.BottomLeftCorner, area.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, area.BottomDockWidgetArea)
        session = self.session
        scenario = ScenarioPanel(session)
        scenario.weights_wanted.connect(self.documents.choose_and_load_weights)
        self._dock("Scenario", scenario, area.LeftDockWidgetArea)
        self._dock("Layers", LayersPanel(self.map.layers), area.LeftDockWidgetArea)
        self._dock("Regions", RegionsPanel(session), area.RightDockWidgetArea)
        self._dock("Fleet", FleetPanel(session), area.RightDockWidgetArea)
        self._dock("Calendar", CalendarPanel(session), area.RightDockWidgetArea)
        self._dock("Objective", ObjectivePanel(session), area.RightDockWidgetArea)
        self._dock("Constraints", ConstraintsPanel(session), area.RightDockWidgetArea)
        self._dock("Timeline", self.timeline, area.BottomDockWidgetArea)
        self._dock("Progress", LivePlots(session, self.queue), area.BottomDockWidgetArea)
        runs = RunsPanel(session, self.queue)
        runs.start_requested.connect(self.plan.start)
        runs.prune_requested.connect(self.plan.prune)
        runs.start_from_requested.connect(self.plan.start_from)
        self._dock("Runs", runs, area.BottomDockWidgetArea)
        self.skill = SkillPanel(session, self.skill_desk)
        self.skill.enlarge_requested.connect(lambda: self._enlarge("Skill"))
        self._dock("Skill", self.skill, area.BottomDockWidgetArea)
        self.calibration = CalibratePanel(session, self.calibration_desk)
        self.calibration.start_requested.connect(self._calibrate)
        self.calibration.enlarge_requested.connect(lambda: self._enlarge("Calibrate"))
        self._dock("Calibrate", self.calibration, area.BottomDockWidgetArea)
        self.sensitivity = SensitivityPanel(session, self.queue, self.sensitivity_desk)
        self.sensitivity.start_requested.connect(self._tabulate)
        self.sensitivity.enlarge_requested.connect(lambda: self._enlarge("Sensitivity"))
        self._dock("Sensitivity", self.sensitivity, area.BottomDockWidgetArea)
        self.uncertainty = UncertaintyPanel(session, self.queue, self.uncertainty_desk)
        self.uncertainty.start_requested.connect(self._draw_ensemble)
        self.uncertainty.enlarge_requested.connect(lambda: self._enlarge("Uncertainty"))
        self._dock("Uncertainty", self.uncertainty, area.BottomDockWidgetArea)
        self.benchmark = BenchmarkPanel(session, self.queue, self.benchmark_desk)
        self.benchmark.start_requested.connect(self._run_benchmark)
        self.benchmark.enlarge_requested.connect(lambda: self._enlarge("Benchmark"))
        self._dock("Benchmark", self.benchmark, area.BottomDockWidgetArea)
        timeline = self.docks["Timeline"]
        timeline.setFeatures(timeline.features() | QDockWidget.DockWidgetFeature.DockWidgetVerticalTitleBar)
        # The bar is too low for a title at its side.
        timeline.setWindowTitle("")
        timeline.toggleViewAction().setText("Timeline")
        self._arrange()

    def _dock(self, title: str, content: QWidget, area: Qt.DockWidgetArea) -> None:
        dock = QDockWidget(title, self)
        dock.setObjectName(f"{title.lower()}Dock")
        dock.setWidget(content)
        self.addDockWidget(area, dock)
        self.docks[title] = dock

    def _arrange(self) -> None:
        docks, area = self.docks, Qt.DockWidgetArea
        places: dict[Qt.DockWidgetArea, tuple[str, ...]] = {
            area.LeftDockWidgetArea: ("Scenario", "Layers"),
            area.RightDockWidgetArea: ("Regions", "Fleet", "Calendar", "Objective", "Constraints"),
            area.BottomDockWidgetArea: ("Timeline", "Progress", *_BESIDE_PROGRESS, "Runs"),
        }
        for place, titles in places.items():
            for title in titles:
                docks[title].setFloating(False)
                self.addDockWidget(place, docks[title])
        self.splitDockWidget(docks["Scenario"], docks["Layers"], Qt.Orientation.Vertical)
        for title in ("Fleet", "Calendar", "Objective", "Constraints"):
            self.tabifyDockWidget(docks["Regions"], docks[title])
        self.splitDockWidget(docks["Timeline"], docks["Progress"], Qt.Orientation.Vertical)
        self.splitDockWidget(docks["Progress"], docks["Runs"], Qt.Orientation.Horizontal)
        for title in _BESIDE_PROGRESS:
            self.tabifyDockWidget(docks["Progress"], docks[title])
        for dock in docks.values():
            dock.show()
        docks["Fleet"].raise_()
        docks["Progress"].raise_()
        self._share_room()

    def _share_room(self) -> None:
        docks, across, down = self.docks, Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self.resizeDocks([docks["Scenario"], docks["Fleet"]], [_LEFT, _RIGHT], across)
        self.resizeDocks([docks["Timeline"], docks["Progress"]], [64, _LOWER], down)
        self.resizeDocks([docks["Progress"], docks["Runs"]], [2 * self.width() // 3, self.width() // 3], across)
        self.resizeDocks([docks["Scenario"], docks["Layers"]], [1, 1], down)

    def _commands(self) -> WindowCommands:
        return WindowCommands(
            fit_map=self.map.fit,
            export=self._export,
            set_theme=self.set_theme,
            reset_layout=self.reset_layout,
            score=self._score,
            calibrate=self._show_calibration,
            constrain=lambda: self._bring("Constraints"),
            vary=lambda: self._bring("Sensitivity"),
            doubt=lambda: self._bring("Uncertainty"),
            contest=lambda: self._bring("Benchmark"),
            about=lambda: show_about(self),
            quit=self.close,
        )

    def _make_tool_bar(self) -> None:
        bar = QToolBar("Tools", self)
        fill_tool_bar(bar, self.actions_)
        self.addToolBar(bar)

    def _listen(self) -> None:
        session = self.session
        # Queued: a refusal may come out of the middle of a table's editing.
        session.refused.connect(self._show_problems, Qt.ConnectionType.QueuedConnection)
        session.dirty_changed.connect(self.setWindowModified)
        session.project_opened.connect(self._show_title)
        session.project_edited.connect(self._show_title)
        session.backend_changed.connect(self._keep_backend)

    # -- remembering -------------------------------------------------------------------------------------------------
    def _restore(self) -> None:
        self.session.set_backend(self._preferences.backend)
        screen = self.screen().availableSize()
        self.resize(_FIRST_SIZE.boundedTo(screen))
        self._share_room()
        layout = self._preferences.layout()
        if layout is not None:
            self.restoreGeometry(layout[0])
            self.restoreState(layout[1])
        app = QApplication.instance()
        if isinstance(app, QApplication):
            self.actions_.themes[current_theme(app)].setChecked(True)

    def reset_layout(self) -> None:
        """Put every dock back where it was at first."""
        self._preferences.forget_layout()
        self._arrange()

    def set_theme(self, theme: Theme) -> None:
        """Switch between dark and light, and remember it."""
        app = QApplication.instance()
        if isinstance(app, QApplication):
            apply_theme(app, theme)
        self._preferences.theme = theme
        self.actions_.themes[theme].setChecked(True)
        self.actions_.redress()

    def _keep_backend(self, name: str) -> None:
        self._preferences.backend = name

    # -- showing -----------------------------------------------------------------------------------------------------
    def _show_title(self) -> None:
        name = self.session.project.scenario.name if self.session.has_project else "no project"
        self.setWindowTitle(f"{name}[*] — firegui")
        self.setWindowModified(self.session.is_dirty)

    def _show_problems(self, error: InputError) -> None:
        show_problems(self, error)

    def _export(self) -> None:
        ExportDialog(self.session, self).exec()

    def _score(self) -> None:
        self.docks["Skill"].show()
        self.docks["Skill"].raise_()
        self.skill.score()

    def _show_calibration(self) -> None:
        self.docks["Calibrate"].show()
        self.docks["Calibrate"].raise_()
        self.calibration.setFocus()

    def _calibrate(self) -> None:
        # Its state and its weights are kept in the project's folder.
        if self.session.folder is not None or self.documents.save():
            self.calibration.start()

    def _bring(self, title: str) -> None:
        self.docks[title].show()
        self.docks[title].raise_()
        self.docks[title].widget().setFocus()

    def _tabulate(self) -> None:
        # The command that is kept with the table repeats it on the project as it was saved.
        saved = self.session.folder is not None and not self.session.is_dirty
        if saved or self.documents.save():
            self.sensitivity.start()

    def _draw_ensemble(self) -> None:
        saved = self.session.folder is not None and not self.session.is_dirty
        if saved or self.documents.save():
            self.uncertainty.start()

    def _run_benchmark(self) -> None:
        # The worker processes read the event where it was saved.
        saved = self.session.folder is not None and not self.session.is_dirty
        if saved or self.documents.save():
            self.benchmark.start()

    def _enlarge(self, title: str) -> None:
        dock = self.docks[title]
        dock.setFloating(not dock.isFloating())
        dock.raise_()
        if dock.isFloating():
            dock.resize(_LARGE.boundedTo(self.screen().availableSize()))

    # -- Qt's events -------------------------------------------------------------------------------------------------
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that nothing with the focus had a use for: Delete deletes the region, Esc gives up a drawing."""
        focus = self.focusWidget()
        # From a table of something else, Delete must not reach for a region.
        on_map = focus is None or focus is self or focus is self.map or self.map.isAncestorOf(focus)
        if event.key() == Qt.Key.Key_Delete and on_map:
            self.actions_.delete_region.trigger()
        elif event.key() == Qt.Key.Key_Escape:
            self.session.set_tool(Tool.PAN)
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A folder or file of this computer may be dropped."""
        urls = event.mimeData().urls()
        if len(urls) == 1 and urls[0].isLocalFile():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        event.acceptProposedAction()
        self.documents.take_dropped(Path(event.mimeData().urls()[0].toLocalFile()))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about a run and unsaved edits; then stop every thread before the window goes."""
        settle_editing()
        if not self.documents.may_leave("close"):
            event.ignore()
            return
        self._preferences.save_layout(self.saveGeometry(), self.saveState())
        self.stop_work()
        super().closeEvent(event)

    def stop_work(self) -> None:
        """Stop all that works, keep what it has, and wait until every thread and process has ended."""
        self.queue.shutdown()
        self.skill_desk.shutdown()
        self.calibration_desk.shutdown()
        self.sensitivity_desk.shutdown()
        self.uncertainty_desk.shutdown()
        self.benchmark_desk.shutdown()

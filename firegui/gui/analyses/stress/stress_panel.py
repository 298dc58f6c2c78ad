"""Stress panel: the plan in scenarios that differ from the model, and where fire gets through."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QSignalBlocker, QTimer
from PySide6.QtWidgets import QHeaderView, QTableView, QToolButton, QWidget

from firegui.analyses.stress.results import stress_draw_spec, table_csv
from firegui.domain.stress import EXPECTED, WHAT_HOLDS, StressResult, StressTable, left_out_texts
from firegui.domain.units import percent_text
from firegui.errors import InputError, Problem
from firegui.gui.analyses.cost import simulations_text
from firegui.gui.analyses.panel import WARNING, AnalysisPanel, AnalysisTexts, PanelButton
from firegui.gui.analyses.stress.leak_map import LeakMap, leak_scale
from firegui.gui.analyses.stress.scenario_table import ScenarioTable
from firegui.gui.analyses.stress.stress_columns import ABOVE, stress_columns, stress_rows
from firegui.gui.analyses.stress.stress_controller import (
    PlanStressTest,
    SavedStressTest,
    StressController,
    StressTestResult,
    is_plan_in,
)
from firegui.gui.analyses.stress.stress_form import StressForm
from firegui.gui.base.layouts import column, describe, horizontal, rich_label, row
from firegui.gui.base.plain_text import tooltip
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.map.decorations import scale_html
from firegui.gui.map.map_colors import Ink
from firegui.gui.widgets.fields import NoScrollComboBox
from firegui.gui.widgets.split_panel import Introduction
from firegui.gui.widgets.table_model import TableModel
from firegui.gui.widgets.table_view import select_row, selected_rows, show_table, wrap_rows
from firegui.runs.messages import counted
from firegui.runs.titles import schedule_title

_ABOUT = (
    "Flies the schedule in every scenario of the project: worlds that differ from the model. Growth left compares each "
    "with its own fire without drops: at 0 % nothing grows, at 100 % the plan is as good as none. A draw is one trial "
    "of a scenario with errors of its own."
)
_INTRODUCTION = (
    "Tests a plan in the scenarios below, worlds that differ from the model. It needs a plan of this project."
)
_NO_MAP = (
    "The map shows the cells that burn in a scenario although the plan holds them in the model. The table of this plan "
    "has no map: test the plan to see where fire gets through."
)
_MAP_FOLLOWS = "The plan is being tested. The map of where fire gets through is here once the first scenario is done."
_START = "Test the plan"
_MAP_TIP = "Fly the schedule in every scenario, then show the map here; the project is saved first"
_KEY = (
    "The share of the draws in which a cell burns although the plan holds it in the model. A draw is one trial of a "
    "scenario with errors of its own.\n"
    "With all scenarios it is the mean of theirs. A cell without colour burns in no draw, or burns in the model with "
    "the plan, too: that is the fire that is expected, and no leak. It lies around the fire at the start."
)
_NO_COLOR = "no colour: no leak, or burns in the model too"
_PLAY = "Play worst draw"
_PLAY_TIP = "Play the draw of the chosen scenario in which most is left, on the map (double-click)"
_TICK_MS = 1000


class StressPanel(AnalysisPanel[StressController, SavedStressTest]):
    """Form of a stress test next to its table, its map and the scenarios of the project."""

    texts = AnalysisTexts(
        thing="stress test",
        start=_START,
        start_tip="Fly the schedule in every scenario; the project is saved first",
        stop_tip="Stop; draws that are done are kept",
        introduction=_INTRODUCTION,
        resume_tip="Finish the stress test that is chosen; draws that are done are kept",
        progress="Share of the scenarios that is done",
        saved_results="Earlier stress tests",
        no_saved_results="No earlier stress test",
        nothing="No stress test is shown: make one, or open an earlier one.",
    )

    def _make_form(self) -> StressForm:
        self.form = StressForm(self._queue)
        return self.form

    def _build(self) -> None:
        self._followed: tuple[Path, str, StressTable | None] | None = None
        self._of_plan: PlanStressTest | None = None
        self._proposed = ""
        """Name of the scenario that was selected without the user."""
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._refresh)
        self.model = TableModel[StressResult]((), self, key=lambda result: result.scenario.name)
        self.table, self.map, self.scenarios = QTableView(), LeakMap(self._session), ScenarioTable(self._session)
        self.leak, self.key = NoScrollComboBox(), rich_label(wordWrap=True)
        self.about.setText(_ABOUT)
        self._lay_out()
        self._session.project_edited.connect(self._on_project)
        self.leak.currentIndexChanged.connect(self._draw)
        self.leak.currentIndexChanged.connect(self._refresh)
        self.table.activated.connect(lambda _index: self.play())
        self.table.selectionModel().selectionChanged.connect(self._refresh)

    # -- for others --------------------------------------------------------------------------------------------------
    def play(self) -> None:
        """Compute both fires of the worst draw of the selected scenario for the map, or refuse."""
        shown, result = self._controller.shown, self._played
        if shown is None or shown.header is None or result is None:
            return
        number, session = result.worst_draw, self._session
        try:
            spec = stress_draw_spec(shown.header, result.scenario, number, session.project, session.backend)
        except InputError as error:
            session.refuse(error)
            return
        draw = f", draw {number + 1} of {len(result.draws)}" if len(result.draws) > 1 else ""
        self._queue.show_member(f"Stress: {result.scenario.title}{draw}", spec, plays=True)

    def show_leaks(self, folder: Path) -> None:
        """Show where fire gets through the plan of a run; without a test of it, the cost and button of one."""
        controller = self._controller
        self._follow_plan()
        if not controller.is_busy and not (self._is_of(folder) and self._has_map):
            tests = self._tests_of(folder, for_map=True)
            if tests:
                controller.open(tests[0].folder)
            else:
                self.form.schedules.choose_run(folder)
                controller.show_test_of_plan(self._of_plan)
        # Without any result the introduction of the whole test stands in place of the pages.
        if controller.is_busy or controller.shown is not None:
            self.pages.setCurrentWidget(self.leaks_page)

    def complete_test(self, entry: RunEntry) -> None:
        """Test the plan of a run in all its scenarios, unless a test is at work."""
        if not self._controller.is_busy:
            self.form.schedules.choose_run(entry.folder)
            self._controller.complete_test(entry)

    def _test_for_map(self) -> None:
        """Test the plan, and stay on the page of the map, which is shown as soon as a scenario is done."""
        self.start_requested.emit()
        self.pages.setCurrentWidget(self.leaks_page)

    # -- layout ------------------------------------------------------------------------------------------------------
    def _lay_out(self) -> None:
        show_table(self.table, self.model, "Stress table", copy=self.copy)
        wrap_rows(self.table)
        describe(self.leak, "Scenario whose map is shown")
        whole = QToolButton(autoRaise=True)
        whole.setText("Fit")
        whole.setToolTip("Show all cells where fire gets through")
        whole.clicked.connect(self.map.fit)
        # The text must not set the minimum width of the panel; the tooltip has all of it.
        self.key.setMinimumWidth(1)
        self.key.setToolTip(tooltip(_KEY))
        above = row(self.leak, self.key, whole, stretch=self.key)
        self.no_map = Introduction(_NO_MAP, _START, _MAP_TIP, self._test_for_map)
        stop = PanelButton("stop_here", "Stop", self.texts.stop_tip, self._controller.stop, show_text=True)
        self.stop_here = self._button_row(stop)
        self._with_map = column(above, self.map, stretch=self.map, margins=(0, 2, 0, 0))
        self._below = QWidget()
        # Start and Stop of the side panel are out of sight while that is hidden.
        parts = (self.no_map, horizontal(None, self.stop_here, 1, margins=(12, 0, 0, 0)), self._with_map, self._below)
        self.leaks_page = column(*parts, stretch=(self._with_map, self._below))
        result = (self.table, self.leaks_page)
        self._lay_out_pages(
            (("Table", self.table), ("Where fire gets through", self.leaks_page), ("Scenarios", self.scenarios)),
            PanelButton("show", _PLAY, _PLAY_TIP, self.play, result, show_text=True),
            self._copy_button(self.table),
            PanelButton("csv", "CSV…", "Write a row for each draw as CSV with every digit", self._ask_file,
                        (self.table,)),
            PanelButton("export", "Export…", "Write table and map into a folder", self._export, result),
        )  # fmt: skip
        self.conclusion.setToolTip(tooltip(WHAT_HOLDS))
        # A test has no conclusion while it runs, and its pages must not move.
        self.conclusion.keep_line()
        self.work_page, self.lasting_page = self.table, self.scenarios

    def _write_key(self) -> None:
        start = f'<span style="color:{Ink.of(self.palette()).observed.name()}"><b>—</b></span>&nbsp;fire at the start'
        shown, name = self._controller.shown, self.leak.currentData()
        leaks = None if shown is None else shown.leaks.get(name)
        scale = f"Share of draws&nbsp;0&nbsp;{scale_html(leak_scale())}&nbsp;1"
        if leaks is not None and not leaks.any():
            scale = f"No fire gets through in {'this' if name else 'any'} scenario."
        self.key.setText(f"{scale} &nbsp;{start} &nbsp;{_NO_COLOR}")

    def changeEvent(self, event: QEvent) -> None:
        """Follow the change between dark and light palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "key"):
            self._write_key()

    # -- the plan on the map -----------------------------------------------------------------------------------------
    def _connect(self) -> None:
        super()._connect()
        for signal in (self._queue.changed, self._queue.shown_changed):
            signal.connect(self._follow_plan)
        self._controller.plan_tested.connect(self._queue.read_scores)
        self._controller.saved_changed.connect(self._follow_again)

    def _take_project(self) -> None:
        self._followed = self._of_plan = None
        super()._take_project()
        self._follow_plan()

    def _follow_plan(self) -> None:
        """Show the latest test of the plan on the map, else the table that it was given when it was made."""
        entry, session = self._queue.shown_or_before, self._session
        is_ready = entry is not None and session.has_project and entry.is_over and not entry.elsewhere
        followed = (entry.folder, entry.title, entry.stress) if entry is not None and is_ready else None
        before = self._followed
        if followed == before:
            return
        self._followed, self._of_plan = followed, None
        if entry is not None and followed is not None and entry.stress is not None:
            self._of_plan = PlanStressTest.of(entry.folder, entry.title, entry.stress, session.project)
        self._offer_saved()
        if self._controller.is_busy:
            return
        shown = self._controller.shown
        is_own = shown is not None and shown.made_with_plan
        is_same = before is not None and followed is not None and before[0] == followed[0] and not is_own
        if is_same and followed is not None and self._is_of(followed[0]) and self._has_map:
            # The test that completed the table of the run stays, with its map.
            return
        for_map = self.pages.currentWidget() is self.leaks_page
        tests = [] if followed is None else self._tests_of(followed[0], for_map=for_map)
        if tests:
            self._controller.open(tests[0].folder)
        elif self._of_plan is not None or is_own:
            self._controller.show_test_of_plan(self._of_plan)

    def _follow_again(self) -> None:
        """Show the latest test of the plan on the map where nothing is shown, as after an early stop."""
        if not self._controller.is_busy and self._controller.shown is None:
            self._followed = None
            self._follow_plan()

    def _tests_of(self, folder: Path, *, for_map: bool) -> list[SavedStressTest]:
        """Return the tests of the plan of a run: first those with a map, and of these the latest.

        A test that was stopped, or of a part of what the plan was tested in, counts only ``for_map`` where no other
        has one, nor has the table that the plan was given. A test of another plan, which the run had before it was
        resumed, does not count.
        """
        entry = self._queue.shown_or_before
        known = entry.stress if entry is not None and entry.folder == folder else None
        names = set() if known is None else {one.scenario.name for one in known.results}
        with_map: list[SavedStressTest] = []
        without: list[SavedStressTest] = []
        incomplete: list[SavedStressTest] = []
        for each in self._controller.tests_of(folder):
            if each.verdict and names <= {one.name for one in each.header.settings.stress.scenarios}:
                (with_map if each.has_map else without).append(each)
            elif for_map and each.has_map:
                incomplete.append(each)
        if for_map and self._of_plan is not None and self._of_plan.has_map:
            return with_map
        return with_map or incomplete or without

    def _is_of(self, folder: Path) -> bool:
        """Return whether the shown test is of the plan of the run in ``folder``."""
        shown = self._controller.shown
        header = None if shown is None else shown.header
        return header is not None and is_plan_in(folder, header, self._session.folder)

    @property
    def _has_map(self) -> bool:
        return self._controller.shown is not None and bool(self._controller.shown.leaks)

    def _more_saved(self) -> Sequence[SavedStressTest]:
        return () if self._of_plan is None else (self._of_plan,)

    def _open(self, saved: SavedStressTest) -> None:
        if isinstance(saved, PlanStressTest):
            self._controller.show_test_of_plan(saved)
        else:
            super()._open(saved)

    # -- hooks -------------------------------------------------------------------------------------------------------
    def _refresh(self, *args: object) -> None:
        super()._refresh(*args)
        busy = self._controller.is_busy
        if busy is not self._tick.isActive():
            # The time left falls between two reports.
            (self._tick.start if busy else self._tick.stop)()
        parts = (_MAP_FOLLOWS, self._controller.activity) if busy else (_NO_MAP, self._cost_text())
        self.no_map.text.setText("\n".join(filter(None, parts)))
        self.stop_here.setVisible(busy and not self._has_map)
        played = self._played
        self.button("show").setText(_PLAY if played is None else f"{_PLAY} of “{played.scenario.title}”")
        self.no_map.start.setEnabled(self._can_start)
        self.no_map.start.setHidden(busy)
        self.no_map.set_trouble("" if busy else "\n".join(f"{WARNING}{problem}" for problem in self.problems))

    def _show_settings(self, saved: SavedStressTest) -> None:
        self.form.set_settings(saved.header.settings)

    def _on_project(self) -> None:
        if self._session.has_project:
            self.form.show_project(self._session.project)

    def _schedule(self) -> Path | None:
        return self.form.schedules.file

    def _cost(self) -> str:
        settings, days = self.form.fields.value(), self._project.plan.days
        flown = [1 + one.n_draws for one in settings.scenarios if not one.repair_hours]
        repaired = [
            one.n_draws * math.ceil(24.0 * days / one.repair_hours) for one in settings.scenarios if one.repair_hours
        ]
        text = simulations_text(1 + sum(flown), self._simulation_seconds)
        return f"{text}, and {counted(sum(repaired), 'replanning')}, which take longer." if repaired else f"{text}."

    def _lacks_plan(self) -> bool:
        return self._schedule() is None

    def _find_problems(self) -> Sequence[Problem]:
        return self.form.problems()

    def _enabled(self) -> dict[str, bool]:
        shown = self._controller.shown
        some = shown is not None and shown.table is not None
        settled = shown is not None and shown.header is not None and not self._controller.shows_running
        return {
            "stop_here": self._controller.is_busy and not self._controller.is_stopping,
            "show": settled and self._played is not None, "copy": some, "csv": some,
            "export": some and settled and shown is not None and not shown.made_with_plan,
        }  # fmt: skip

    def _conclusion(self) -> str:
        shown = self._controller.shown
        return "" if shown is None else self._session.units.restate(shown.verdict)

    def _front(self) -> QTableView:
        return self.table

    def _csv(self) -> str:
        table = None if self._controller.shown is None else self._controller.shown.table
        return "" if table is None else table_csv(table)

    def _ask_file(self) -> None:
        self._save_csv("stress.csv")

    # -- what is shown -----------------------------------------------------------------------------------------------
    @property
    def _selected(self) -> StressResult | None:
        rows = selected_rows(self.table)
        return self.model.row(rows[0]) if rows else None

    @property
    def _played(self) -> StressResult | None:
        """The scenario of the map while that is on top, else the selected one of the table."""
        name = self.leak.currentData() if self.pages.currentWidget() is self.leaks_page else ""
        return next((result for result in self.model.rows if name and result.scenario.name == name), self._selected)

    def _show(self) -> None:
        shown, selected = self._controller.shown, self._selected
        if shown is None or shown.table is None:
            self.model.set_rows((), ())
        else:
            area, has_regions = shown.project.scenario.grid.cell_area_ha, bool(shown.project.regions)
            columns = stress_columns(shown.limit, shown.weights, area, self._session.units, has_regions=has_regions)
            self.model.set_rows(stress_rows(shown.table), columns)
            header = self.table.horizontalHeader()
            header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            # What differs takes the room that is left, on as many lines as it needs.
            header.setSectionResizeMode(len(columns) - 1, QHeaderView.ResizeMode.Stretch)
            self._select(shown, selected)
        self._set_head("" if shown is None else head_text(shown))
        names = [] if shown is None else list(shown.leaks)
        if names != [self.leak.itemData(k) for k in range(self.leak.count())]:
            chosen = self.leak.currentData()
            with QSignalBlocker(self.leak):
                self.leak.clear()
                for name in names:
                    self.leak.addItem(name or "All scenarios", name)
                self.leak.setCurrentIndex(max(self.leak.findData(chosen), 0) if names else -1)
        self.no_map.setHidden(bool(names))
        self._below.setHidden(bool(names))
        self._with_map.setVisible(bool(names))
        self._draw()

    def _select(self, shown: StressTestResult, before: StressResult | None) -> None:
        """Keep the scenario selected that the user selected; else select the worst, as it is known so far."""
        names = [result.scenario.name for result in self.model.rows]
        name = "" if before is None else before.scenario.name
        if (name == self._proposed or name not in names) and shown.worst is not None:
            name = self._proposed = shown.worst.scenario.name
        select_row(self.table, self.model.place(names.index(name)))

    def _draw(self, *_: object) -> None:
        shown, name = self._controller.shown, self.leak.currentData()
        if shown is None or name not in shown.leaks:
            self.map.show_leaks(None, None)
        else:
            self.map.show_leaks(shown.project, shown.leaks[name])
        self._write_key()


def head_text(shown: StressTestResult) -> str:
    """Return one line on a stress test and its outcome; empty for one without a table yet."""
    table, limit = shown.table, shown.limit
    if table is None:
        return ""
    above = sum(result.held_share(shown.weights) > limit for result in table.results)
    scenarios = counted(len(table.results), "scenario")
    # The first column has all growth, and the goal may count that in the regions alone.
    of_what = " of the growth in the regions" if shown.weights.counts_regions_only else ""
    aside = f"({ABOVE.strip()}; “{EXPECTED}” is not counted)"
    parts = [f"{above} of {scenarios} above the limit of {percent_text(limit)}{of_what} {aside}"]
    parts += left_out_texts(table)
    if shown.header is not None:
        title = schedule_title(Path(shown.header.schedule_file))
        parts += [f"{table.drops:,} drops of {title}", f"seed {shown.header.seed}"]
    return " · ".join(parts)

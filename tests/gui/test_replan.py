"""Replanning in the window: requested in a dialog, run in the Runs dock, shown in the result view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.operations import Operations, PinnedDrop
from firegui.domain.project import Project, same_inputs
from firegui.domain.schedule import Schedule
from firegui.domain.units import Units
from firegui.errors import InputError
from firegui.gui.base.number_text import duration, number
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_list import new_entry, saved_runs
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning import plan_control as plan_control_module
from firegui.gui.planning.plan_control import PlanControl
from firegui.gui.planning.progress_panel import ProgressPanel
from firegui.gui.planning.replan_dialog import ReplanDialog, ReplanSource, has_perimeter
from firegui.gui.planning.result_view import replan_html
from firegui.gui.session.session import Session
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.io.project.store import save_project
from firegui.runs.control import RunControl
from firegui.runs.run_requests import new_replan_folder, replan_spec, resume_spec
from firegui.runs.runner import execute as run_execute
from firegui.runs.spec import ReplanSpec
from firegui.runs.stages import FinishReason, RunState, Stage
from firegui.runs.titles import run_title
from tests.gui.fake_runs import FakeExecute
from tests.gui.test_dialogs import when_open

DAY_WITH_PERIMETER = 2


@pytest.fixture
def folder(project: Project, tmp_path: Path) -> Path:
    made = tmp_path / "p.firegui"
    save_project(project, made)
    return made


Open = Callable[..., ReplanDialog]


@pytest.fixture
def ask(qtbot: QtBot, project: Project, folder: Path, schedule_file: Path) -> Open:
    def opened(plan: Path = schedule_file) -> ReplanDialog:
        dialog = ReplanDialog(project, folder, folder / "runs" / "new", ReplanSource("demo", plan, 100.0), "auto")
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return opened


# -- the dialog --------------------------------------------------------------------------------------------------------
def test_days_are_counted_from_one_and_the_first_cannot_be_replanned(ask: Open) -> None:
    dialog = ask()
    texts = [dialog.day.itemText(k) for k in range(dialog.day.count())]
    assert texts == ["Day 2 · 20 Aug", "Day 3 · 21 Aug", "Day 4 · 22 Aug"]


def test_a_day_without_a_perimeter_of_its_own_asks_for_a_file_or_the_loop(ask: Open, project: Project) -> None:
    assert [has_perimeter(project, day) for day in (1, 2, 3)] == [False, True, False]
    dialog = ask()
    assert not dialog.go.isEnabled()
    assert "no perimeter of that day" in dialog.about.text()
    dialog.loop.setChecked(True)
    assert dialog.go.isEnabled()
    assert not dialog.source.isEnabled()
    dialog.loop.setChecked(False)
    dialog.source.setCurrentIndex(1)
    assert not dialog.go.isEnabled()
    dialog.file.line.setText("/somewhere/mask.npz")
    assert dialog.go.isEnabled()


def test_the_projects_own_perimeter_is_taken_and_the_search_is_the_dialogs(ask: Open, project: Project) -> None:
    dialog = ask()
    dialog.day.setCurrentIndex(1)
    for name, value in (("epochs", 7), ("patience", 5), ("seed", 11)):
        dialog.search.box(name).setValue(value)
    dialog.go.click()
    spec = dialog.spec
    assert spec is not None and spec.observed is not None
    assert spec.day == DAY_WITH_PERIMETER
    seen = project.scenario.observed_on(2)
    assert seen is not None and np.array_equal(spec.observed.fire, seen)
    optimizer = spec.project.plan.optimizer
    assert (optimizer.epochs, optimizer.patience, optimizer.seed) == (7, 5, 11)
    assert "--epochs 7" in spec.command and "--day 2" in spec.command and "--observed" not in spec.command


def test_a_file_is_read_as_the_perimeter(ask: Open, project: Project, tmp_path: Path) -> None:
    mask = np.zeros(project.scenario.grid.shape, bool)
    mask[10:30, 20:45] = True
    np.savez(tmp_path / "seen.npz", fire=mask)
    dialog = ask()
    dialog.source.setCurrentIndex(1)
    dialog.file.line.setText(str(tmp_path / "seen.npz"))
    dialog.go.click()
    assert dialog.spec is not None and dialog.spec.observed is not None
    assert np.array_equal(dialog.spec.observed.fire, mask)
    assert "seen.npz" in dialog.spec.command


def test_everything_wrong_is_listed_at_once_and_the_form_stays(
    ask: Open, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[InputError] = []
    monkeypatch.setattr("firegui.gui.planning.replan_dialog.show_problems", lambda _parent, error: said.append(error))
    other = tmp_path / "other.safetensors"
    write_plan_safetensors(other, Schedule.empty(7, project.fleet.n_aircraft))
    dialog = ask(other)
    dialog.source.setCurrentIndex(1)
    dialog.file.line.setText(str(tmp_path / "none.npz"))
    dialog.go.click()
    assert "and 7 steps; this project has" in str(said[0]) and "does not exist" in str(said[0])
    assert dialog.spec is None
    assert dialog.isVisible()


# -- in the window -----------------------------------------------------------------------------------------------------
@pytest.fixture
def execute(session: Session, project: Project, folder: Path) -> FakeExecute:
    session.open_project(project, folder)
    return FakeExecute(epochs=2)


def planned(qtbot: QtBot, window: MainWindow) -> None:
    """Return a shown run with a saved plan."""
    project = window.workbench.session.project
    entry = window.workbench.queue.plan((Stage.OPTIMIZE,))
    qtbot.waitUntil(lambda: not window.workbench.queue.is_busy and not window.workbench.queue.activity)
    schedule = Schedule.empty(project.calendar.n_steps, project.fleet.n_aircraft)
    write_plan_safetensors(entry.folder / "plan.safetensors", schedule)
    window.workbench.plan.changed.emit()


def replan(qtbot: QtBot, window: MainWindow, *, loop: bool = False) -> None:
    def answer(dialog: QWidget) -> None:
        assert isinstance(dialog, ReplanDialog)
        dialog.day.setCurrentIndex(DAY_WITH_PERIMETER - 1)
        dialog.loop.setChecked(loop)
        dialog.go.click()

    when_open(answer)
    window.workbench.actions["replan"].trigger()
    qtbot.waitUntil(lambda: not window.workbench.queue.is_busy and not window.workbench.queue.activity)


def test_only_a_run_that_ended_with_a_plan_can_be_replanned(qtbot: QtBot, window: MainWindow) -> None:
    assert not window.workbench.actions["replan"].isEnabled()
    planned(qtbot, window)
    assert window.workbench.actions["replan"].isEnabled()


def test_a_replanned_run_is_listed_shown_and_told_in_numbers(
    qtbot: QtBot, window: MainWindow, execute: FakeExecute, folder: Path
) -> None:
    planned(qtbot, window)
    replan(qtbot, window)
    (spec,) = execute.replannings
    entry = window.workbench.queue.entries[-1]
    assert spec.out.parent == folder / "runs"
    assert entry.title.startswith("Run 2, replanned, ")
    assert window.workbench.queue.shown is entry
    result = window.workbench.session.result
    assert result.plan is not None and result.plan_metrics is not None and result.plan_metrics.objective == 2.0
    live = window.workbench.panels["Progress"]
    assert isinstance(live, ProgressPanel)
    live.refresh()
    for words in ("new plan", "old plan continued", "no further drops", "from day 3 on", "4 drops flown before"):
        assert words in live.result.text
    assert not live.loop.isVisibleTo(live)


def test_a_closed_loop_has_its_days_as_table_and_chart_and_is_shown_once_flown(
    qtbot: QtBot, window: MainWindow, execute: FakeExecute
) -> None:
    planned(qtbot, window)
    replan(qtbot, window, loop=True)
    entry = window.workbench.queue.entries[-1]
    assert execute.replannings[0].observed is None
    assert entry.drops == 4
    assert entry.best is None
    live = window.workbench.panels["Progress"]
    assert isinstance(live, ProgressPanel)
    live.refresh()
    assert entry.project is not None
    area, drawn = entry.project.scenario.grid.cell_area_ha, [[10, 11], [20, 21], [300, 301]]
    assert f">{number(301 * area)}<" in live.result.text.replace("&nbsp;", "")
    for curve, cells in enumerate(drawn):
        assert live.loop.curve_points(curve)[1] == pytest.approx(area * np.array(cells))
    window.workbench.session.set_units(Units.US)
    acres = Units.US.area_value(area)
    live.refresh()
    assert f">{number(301 * acres)}<" in live.result.text.replace("&nbsp;", "")
    assert live.loop.curve_points(2)[1] == pytest.approx(acres * np.array(drawn[2]))
    assert list(live.loop.curve_points(0)[0]) == [1, 2]


# -- on disk -----------------------------------------------------------------------------------------------------------
def test_a_folder_that_is_taken_gets_a_number(project: Project, tmp_path: Path) -> None:
    now = datetime(2026, 3, 4, 5, 6, 7)
    first = new_replan_folder(tmp_path, project.plan.setting, now)
    assert first.name == "20260304-050607-A-replan"
    assert new_replan_folder(tmp_path, project.plan.setting, now, [first]).name == "20260304-050607-A-replan-2"
    assert run_title(first) == "Replanned, whole fire, 4 Mar 05:06"


def test_a_plan_under_other_rules_is_another(project: Project) -> None:
    assert same_inputs(project, replace(project))
    assert not same_inputs(project, replace(project, operations=Operations(hard_cap=3)))


def test_a_pin_leaves_the_runs_that_are_there_as_they_are(project: Project) -> None:
    pin = PinnedDrop(project.calendar.time_of_step(10), "S-2T-1", 20.0, 30.0, 0.0)
    assert same_inputs(project, replace(project, operations=Operations(pinned=(pin,))))


def test_a_real_replanning_reopens_with_its_numbers_and_can_be_taken_up_again(
    project: Project, folder: Path, schedule_file: Path
) -> None:
    ruled = replace(project, operations=Operations(hard_cap=30))
    out = folder / "runs" / "20260304-050607-A-replan"
    run_execute(replan_spec(ruled, folder, out, schedule_file, DAY_WITH_PERIMETER), lambda event: None, RunControl())
    (entry,), problems = saved_runs([out], ruled)
    assert not problems
    assert entry.replans and entry.replan is not None and entry.replan.day == DAY_WITH_PERIMETER
    assert entry.project is not None and entry.project.operations == ruled.operations
    assert "old plan continued" in replan_html(entry, entry.replan)
    assert "Protected area burned, ha" in replan_html(entry, entry.replan)
    again = resume_spec(ruled, folder, out)
    assert isinstance(again, ReplanSpec)
    assert again.resume and again.day == DAY_WITH_PERIMETER and again.observed is not None
    schedule_file.unlink()
    with pytest.raises(InputError):
        resume_spec(ruled, folder, out)


def test_the_dialog_says_about_how_long_it_takes(ask: Open) -> None:
    dialog = ask()
    dialog.loop.setChecked(True)
    dialog.day.setCurrentIndex(0)
    # Of 4 days in 100 s, three, two and one are planned: 75 + 50 + 25.
    assert duration(150.0) in dialog.about.text()
    dialog.day.setCurrentIndex(2)
    assert duration(25.0) in dialog.about.text()


def test_the_selected_run_is_replanned_before_the_shown_one(
    session: Session, queue: RunQueue, project: Project, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.open_project(project, folder)
    control = PlanControl(session, queue, lambda: True, Mock())
    selected = RunEntry("chosen", folder / "runs" / "one", session.project, RunState.FINISHED, FinishReason.COMPLETED)
    monkeypatch.setattr(plan_control_module, "kept_plan", lambda folder: folder / "plan.safetensors")
    dialog = Mock(return_value=Mock(exec=lambda: 0))
    dialog.DialogCode = ReplanDialog.DialogCode
    monkeypatch.setattr(plan_control_module, "ReplanDialog", dialog)
    assert not control.can_replan
    control.selected = lambda: selected
    assert control.can_replan
    control.replan()
    assert dialog.call_args.args[3].title == "chosen"
    control.deleteLater()


def test_closed_loops_have_a_name_of_their_own(project: Project, folder: Path, schedule_file: Path) -> None:
    out = folder / "runs" / "20260101-120000-A-replan"
    spec = replan_spec(project, folder, out, schedule_file, 1, closed_loop=True, backend="auto")
    assert run_title(out) == "Replanned, whole fire, 1 Jan 12:00"
    assert new_entry(spec).title == "Closed loop, replanned, whole fire, 1 Jan 12:00"

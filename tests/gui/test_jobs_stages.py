"""Story S4, both stages: what the queue and the window's buttons show of a run that also prunes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QComboBox, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.schedule import Schedule
from firegui.domain.settings import ObjectiveWeights, Setting
from firegui.errors import InputError
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.run_entry import EliminationHistory, RunEntry, pass_left
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.runs_panel import RunsPanel
from firegui.gui.planning.runs_table import RunsModel
from firegui.gui.session.session import Session
from firegui.gui.window.main_window import MainWindow
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.runs.events import RunFinished, StageBegan
from firegui.runs.run_requests import WarmStart, new_run_folder
from firegui.runs.stages import EliminationStep, EpochDone, FinishReason, RunState, Stage
from firegui.runs.titles import run_title
from tests.gui.fake_runs import FakeExecute, epoch_done, metrics, removal, wait_idle
from tests.gui.test_dialogs import press, when_open

NOON = datetime(2026, 8, 19, 12, 0, 5)
BOTH = (Stage.OPTIMIZE, Stage.PRUNE)


@pytest.fixture
def execute() -> FakeExecute:
    return FakeExecute(epochs=3, removals=4)


@pytest.fixture
def queue(session: Session, saved: Path, execute: FakeExecute) -> Iterator[RunQueue]:
    made = RunQueue(session, execute=execute, clock=lambda: NOON)
    yield made
    made.shutdown()


def runs(window: MainWindow) -> RunsPanel:
    panel = window.workbench.panels["Runs"]
    assert isinstance(panel, RunsPanel)
    return panel


def keep_plan(entry: RunEntry, project: Project) -> Path:
    """Write a plan into the folder of a stand-in's run, which writes none; return the file."""
    schedule = empty_schedule(project)
    write_plan_safetensors(entry.folder / "plan.safetensors", schedule)
    return entry.folder / "plan.safetensors"


def empty_schedule(project: Project) -> Schedule:
    return Schedule.empty(project.calendar.n_steps, project.planned_fleet.n_aircraft)


# -- the stream --------------------------------------------------------------------------------------------------------
def test_decisions_that_follow_one_another_come_together_and_stages_in_their_place(qtbot: QtBot) -> None:
    bridge = EventBridge()
    heard: list[object] = []
    bridge.subscribe_batches(EpochDone, heard.append)
    bridge.subscribe_batches(EliminationStep, heard.append)
    bridge.subscribe(StageBegan, heard.append)
    first, second = StageBegan(Stage.OPTIMIZE, 1, 2, "search"), StageBegan(Stage.PRUNE, 2, 2, "prune")
    for event in (first, epoch_done(0), epoch_done(1), second, removal(1), removal(2), removal(3)):
        bridge.push(event)
    bridge.drain()
    assert heard[:3] == [first, [epoch_done(0), epoch_done(1)], second]
    assert [step.rollouts for step in heard[3]] == [3, 6, 9]  # type: ignore[attr-defined]


def test_a_plan_goes_through_both_stages(qtbot: QtBot, session: Session, queue: RunQueue, execute: FakeExecute) -> None:
    entry = queue.plan()
    wait_idle(qtbot, queue)
    assert [spec.stages for spec in execute.runs] == [BOTH]
    assert (entry.epoch, entry.stage, entry.drops_before, entry.removals.last("drops")) == (3, Stage.PRUNE, 12, 8)
    assert session.result.stage is Stage.PRUNE


@pytest.mark.parametrize(("stages", "kind"), [(BOTH, "plan"), (BOTH[:1], "optimize"), (BOTH[1:], "prune")])
def test_the_folder_of_a_run_says_what_it_does(
    project: Project, tmp_path: Path, stages: tuple[Stage], kind: str
) -> None:
    folder = new_run_folder(tmp_path, project.plan.setting, NOON, stages=stages)
    assert folder.name == f"20260819-120005-A-{kind}"


def test_a_run_that_only_prunes_is_called_so(tmp_path: Path) -> None:
    assert run_title(tmp_path / "20260819-120005-A-prune-2") == "Drops removed, whole fire, 19 Aug 12:00 (2)"


# -- where it is -------------------------------------------------------------------------------------------------------
@pytest.fixture
def entry(tmp_path: Path) -> RunEntry:
    return RunEntry("Whole fire, 19 Aug 12:00", tmp_path, state=RunState.RUNNING, epochs=40, stages=BOTH)


def test_the_status_names_the_stage_and_how_many_there_are(entry: RunEntry) -> None:
    assert entry.status == "running"
    entry.begin_stage(StageBegan(Stage.OPTIMIZE, 1, 2, ""))
    assert entry.status == "placing drops 1/2"
    entry.begin_stage(StageBegan(Stage.PRUNE, 2, 2, ""))
    assert entry.status == "removing drops 2/2"
    entry.state = RunState.PAUSED
    assert entry.status == "paused"
    entry.state = RunState.RUNNING
    entry.begin_stage(StageBegan(Stage.PRUNE, 1, 1, ""))
    assert entry.status == "removing drops"


def test_the_second_stage_counts_the_drops_decided_in_its_pass(entry: RunEntry) -> None:
    entry.begin_stage(StageBegan(Stage.PRUNE, 2, 2, ""))
    assert entry.progress == 0.0
    entry.removals.extend([removal(1), removal(2), removal(4)])
    assert (entry.tested, entry.progress, entry.drops) == ((4, 10), 0.4, 8)


def test_the_time_left_is_that_of_the_pass_and_more_may_follow(entry: RunEntry) -> None:
    entry.begin_stage(StageBegan(Stage.PRUNE, 2, 2, ""))
    entry.add_removals([removal(k) for k in range(1, 5)])
    # Half a second per drop, and six of ten are undecided.
    assert entry.eta == pytest.approx(3.0)
    assert "rounds go on" in entry.more_follows


def test_a_new_pass_has_a_pace_of_its_own() -> None:
    slow = [removal(k) for k in range(1, 9)]
    fresh = [replace(removal(k), passes=2, rollouts=100 + k, tested=k - 1, seconds=50.0 + 2.0 * k) for k in (1, 2, 3)]
    assert pass_left(EliminationHistory([*slow, fresh[0]])) is None
    # Two seconds per drop since the pass began, and eight undecided.
    assert pass_left(EliminationHistory([*slow, *fresh])) == pytest.approx(16.0)


def test_the_first_stage_of_two_says_that_another_follows(entry: RunEntry) -> None:
    entry.begin_stage(StageBegan(Stage.OPTIMIZE, 1, 2, ""))
    entry.add_epochs([epoch_done(k) for k in range(4)])
    assert entry.eta is None
    entry.add_epochs([epoch_done(k) for k in range(4, 8)])
    assert entry.eta == pytest.approx(3.2)
    assert "then drops are removed" in entry.more_follows


def test_both_stages_count_as_time_worked(entry: RunEntry) -> None:
    entry.add_epochs([epoch_done(9)])
    entry.removals.extend([removal(4)])
    assert entry.elapsed == pytest.approx(1.0 + 2.0)
    # The whole run has more: the last scores and the stress test.
    entry.seconds = 5.0
    assert entry.elapsed == 5.0


@pytest.mark.parametrize(
    ("first", "following", "epoch"),
    [
        (StageBegan(Stage.OPTIMIZE, 1, 3, "of setting A"), StageBegan(Stage.OPTIMIZE, 2, 3, ""), 0),
        (StageBegan(Stage.OPTIMIZE, 1, 3, "of setting A"), StageBegan(Stage.PRUNE, 3, 3, ""), 0),
        (StageBegan(Stage.OPTIMIZE, 1, 2, ""), StageBegan(Stage.PRUNE, 2, 2, ""), 9),
        (None, StageBegan(Stage.OPTIMIZE, 2, 3, "of setting B"), 9),
    ],
    ids=["setting A then B", "setting A then pruning", "both stages", "resumed"],
)
def test_epochs_ahead_of_setting_b_are_not_the_runs_own(
    entry: RunEntry, first: StageBegan | None, following: StageBegan, epoch: int
) -> None:
    if first is not None:
        entry.begin_stage(first)
    entry.add_epochs([epoch_done(k) for k in range(9)])
    entry.begin_stage(following)
    assert entry.epoch == epoch


def test_the_line_of_a_run_that_prunes_and_has_pruned(qtbot: QtBot, queue: RunQueue) -> None:
    entry = queue.plan()
    wait_idle(qtbot, queue)
    model = RunsModel(queue._session, queue)

    def texts() -> list[str]:
        return [str(model.index(0, column).data()) for column in range(model.columnCount())]

    unknown = ["–"] * 7
    assert texts() == [entry.title, "finished", "1 round", "0:02", "–", "9.0 ha (0 %)", "3", *unknown]
    entry.state, entry.reason, entry.nominal = RunState.RUNNING, None, None
    size = "9.0 ha at cautious effectiveness (0 %)"
    assert texts()[1:] == ["removing drops 2/2", "1: 4/10", "0:02", "0:03+", size, "8", *unknown]


# -- stopping and going on ---------------------------------------------------------------------------------------------
def test_a_run_stopped_in_its_second_stage_goes_on_with_the_stages_it_had(
    qtbot: QtBot, session: Session, queue: RunQueue, execute: FakeExecute, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute.endless = True
    keep_running = queue.plan((Stage.PRUNE,), WarmStart(empty_schedule(session.project), Path("plan.safetensors")))
    qtbot.waitUntil(lambda: len(keep_running.removals) > 2)
    queue.stop()
    wait_idle(qtbot, queue)
    assert keep_running.is_resumable
    execute.endless = False

    class Record:
        warm_start_file, stages = Path("plan.safetensors"), (Stage.PRUNE,)
        header = SimpleNamespace(replan=None, budget=None)

    monkeypatch.setattr("firegui.runs.run_requests.check_out", lambda _folder, *, resume: Record() if resume else None)
    queue.resume_stopped(keep_running)
    wait_idle(qtbot, queue)
    assert [(spec.stages, spec.resume) for spec in execute.runs] == [((Stage.PRUNE,), False), ((Stage.PRUNE,), True)]
    assert keep_running.reason is FinishReason.COMPLETED


# -- the buttons -------------------------------------------------------------------------------------------------------
def test_start_does_what_was_chosen_next_to_it(
    qtbot: QtBot, window: MainWindow, queue: RunQueue, execute: FakeExecute
) -> None:
    window.workbench.actions["start"].trigger()
    wait_idle(qtbot, queue)
    window.workbench.actions["stages:first"].trigger()
    stages = window.workbench.panels["Objective"].findChild(QComboBox, "stages")
    assert isinstance(stages, QComboBox)
    assert stages.currentText() == "Place drops only"
    window.workbench.actions["start"].trigger()
    wait_idle(qtbot, queue)
    assert [spec.stages for spec in execute.runs] == [BOTH, (Stage.OPTIMIZE,)]
    assert [spec.out.name[-8:] for spec in execute.runs] == ["5-A-plan", "optimize"]


@pytest.mark.parametrize(("button", "stages"), [("prune", (Stage.PRUNE,)), ("branch", BOTH)])
def test_a_kept_plan_is_pruned_or_begun_with_in_a_run_of_its_own(
    qtbot: QtBot, window: MainWindow, queue: RunQueue, project: Project, execute: FakeExecute, button: str,
    stages: tuple[Stage, ...],
) -> None:  # fmt: skip
    entry = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    runs(window).select(entry)
    assert not runs(window).button(button).isEnabled()
    file = keep_plan(entry, project)
    queue.changed.emit()
    runs(window).select(entry)
    runs(window).button(button).click()
    wait_idle(qtbot, queue)
    spec = execute.runs[-1]
    assert (spec.stages, spec.warm_start_file, spec.resume) == (stages, file, False)
    assert spec.warm_start is not None
    assert spec.out != entry.folder
    assert spec.command.startswith(f"firegui {'prune' if button == 'prune' else 'plan'} ")


@pytest.mark.parametrize(
    ("button", "answer", "setting"),
    [
        ("branch", "Use this run's goal", Setting.A), ("branch", "Use the present goal", Setting.B),
        ("prune", "Use this run's goal", Setting.A), ("branch", "Cancel", None),
    ],
)  # fmt: skip
def test_a_plan_of_another_goal_is_begun_with_only_for_the_goal_that_is_chosen(
    qtbot: QtBot, window: MainWindow, queue: RunQueue, project: Project, execute: FakeExecute, button: str,
    answer: str, setting: Setting | None,
) -> None:  # fmt: skip
    session = window.workbench.session
    entry = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    keep_plan(entry, project)
    kept = session.project.plan
    regions = (Region.rectangle("R1", (2.0, 6.0), (2.0, 6.0)),)
    plan = replace(kept, setting=Setting.B, weights=ObjectiveWeights.of(Setting.B))
    session.edit("other goal", replace(session.project, plan=plan, regions=regions))
    runs(window).select(entry)
    asked = []

    def reply(dialog: QWidget) -> None:
        assert isinstance(dialog, QMessageBox)
        asked.append(f"{dialog.text()}\n{dialog.informativeText()}")
        press(answer)(dialog)

    when_open(reply)
    runs(window).button(button).click()
    assert "Goal of the run: Whole fire" in asked[0] and "Goal of the project now: Regions" in asked[0]
    assert "Changed since: regions." in asked[0]
    wait_idle(qtbot, queue)
    if setting is None:
        assert len(execute.runs) == 1 and session.project.plan == plan
        return
    assert len(execute.runs) == 2
    new = execute.runs[-1].project.plan
    assert (new.setting, new.weights) == (setting, ObjectiveWeights.of(setting))
    if setting is Setting.A:
        session.undo()
        assert session.project.plan == plan


def test_a_plan_of_another_fleet_is_refused_and_nothing_starts(
    qtbot: QtBot,
    window: MainWindow,
    queue: RunQueue,
    project: Project,
    execute: FakeExecute,
    refusals: list[InputError],
) -> None:
    entry = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    keep_plan(entry, project)
    session = window.workbench.session
    fleet = session.project.planned_fleet
    session.set_planned_fleet("One more", fleet.replace_type(0, replace(fleet.types[0], count=3)))
    window.workbench.session.refused.disconnect()
    session.refused.connect(refusals.append)
    window.workbench.plan.prune(entry)
    assert "plan.safetensors cannot be used" in str(refusals[0])
    assert len(execute.runs) == 1


def test_the_file_that_was_chosen_is_what_the_next_run_begins_with(
    qtbot: QtBot, window: MainWindow, queue: RunQueue, project: Project, execute: FakeExecute, tmp_path: Path
) -> None:
    file = tmp_path / "mine.safetensors"
    write_plan_safetensors(file, empty_schedule(project))
    window.workbench.session.set_start_file(file)
    window.workbench.actions["start"].trigger()
    wait_idle(qtbot, queue)
    assert execute.runs[0].warm_start_file == file
    assert f"--warm-start {file}" in execute.runs[0].command


def test_another_project_begins_without_the_chosen_file(session: Session, project: Project, tmp_path: Path) -> None:
    session.set_start_file(tmp_path / "mine.safetensors")
    session.open_project(replace(project), None)
    assert session.start_file is None


def test_what_ended_last_keeps_its_own_scores(entry: RunEntry) -> None:
    entry.plan = metrics(2.6, 8)
    entry.finish(RunFinished(FinishReason.COMPLETED, "done", metrics(2.1, 8), metrics(24.6), None))
    assert (entry.plan.objective, entry.nominal and entry.nominal.objective) == (2.6, 2.1)

"""The worker thread, the bridge and the queue, with stand-ins for the engine."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from firegui.domain.fleet import Fleet
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness, Margin, ObjectiveWeights, Setting
from firegui.errors import CancelledError, InputError, Problem
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.gui.jobs.result_presenter import _SETTLE_MS
from firegui.gui.jobs.run_entry import EpochHistory, RunEntry
from firegui.gui.jobs.run_job import RunJob
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.planning.run_order import RunGrouping, RunOrder, arranged
from firegui.gui.planning.runs_table import TITLE, RunsModel
from firegui.gui.session.export_folder import export_stem
from firegui.gui.session.session import FireView, Session, ShownResult
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.runs.control import RunControl
from firegui.runs.events import (
    BaselineReady,
    BenchmarkProgress,
    BenchmarkReady,
    EnsembleReady,
    ErrorFitted,
    FactorsReady,
    FieldDrawn,
    FitEpoch,
    LoopAdvanced,
    MarginReady,
    MembersDone,
    Message,
    PlanUpdated,
    Progress,
    RemovalCurveReady,
    RunEvent,
    RunFinished,
    ScalingReady,
    SensitivityReady,
    SkillReady,
    StageBegan,
    StateChanged,
    StressReady,
    StressTestProgress,
    StudyProgress,
    StudyReady,
    WeightsReady,
)
from firegui.runs.header import new_header
from firegui.runs.run_folder import STORE
from firegui.runs.run_requests import new_run_folder, next_run_number, resume_spec
from firegui.runs.spec import PlanSpec, RunSpec
from firegui.runs.stages import EliminationStep, EpochDone, FinishReason, RunState, Stage
from firegui.runs.titles import run_title, schedule_title
from tests.gui.fake_runs import FakeExecute, drop, epoch_done, frames, metrics, run_spec, wait_idle

NOON = datetime(2026, 8, 19, 12, 0, 5)
MakeQueue = Callable[..., tuple[RunQueue, FakeExecute]]
Execute = Callable[[RunSpec, Callable[[RunEvent], None], RunControl], None]


@pytest.fixture
def make_queue(session: Session, project: Project, tmp_path: Path) -> Iterator[MakeQueue]:
    """Return a function that makes queues on a saved project; they are shut down afterwards."""
    made: list[RunQueue] = []

    def make(clock: Callable[[], datetime] = lambda: NOON, **options: object) -> tuple[RunQueue, FakeExecute]:
        execute = FakeExecute(**options)  # type: ignore[arg-type]
        queue = RunQueue(session, execute=execute, clock=clock)
        session.open_project(project, tmp_path / "p.firegui")
        made.append(queue)
        return queue, execute

    yield make
    for queue in made:
        queue.shutdown()


# -- the bridge --------------------------------------------------------------------------------------------------------
def listening(bridge: EventBridge) -> list[object]:
    heard: list[object] = []
    bridge.subscribe_batches(EpochDone, heard.append)
    for event_type in (BaselineReady, PlanUpdated, StateChanged, Message, RunFinished):
        bridge.subscribe(event_type, heard.append)
    return heard


def test_events_come_in_the_order_in_which_they_happened(qtbot: QtBot) -> None:
    bridge = EventBridge()
    heard = listening(bridge)
    first, second, third = epoch_done(0), epoch_done(1), epoch_done(2)
    end = RunFinished(FinishReason.COMPLETED, "done", None, None, None)
    running, note = StateChanged(RunState.RUNNING), Message("a note")
    for event in (running, first, second, note, third, end):
        bridge.push(event)
    bridge.drain()
    assert heard == [running, [first, second], note, [third], end]


def test_of_the_pictures_only_the_latest_is_kept_and_of_the_epochs_all(qtbot: QtBot, project: Project) -> None:
    bridge = EventBridge()
    heard = listening(bridge)
    pictures = [PlanUpdated(k, metrics(), frames(project), (drop(k),)) for k in range(3)]
    for k, picture in enumerate(pictures):
        bridge.push(epoch_done(k))
        bridge.push(picture)
    bridge.drain()
    assert heard == [[epoch_done(0), epoch_done(1), epoch_done(2)], pictures[-1]]


def push_many(bridge: EventBridge, count: int) -> None:
    for k in range(count):
        bridge.push(epoch_done(k, count))


def test_a_muted_bridge_delivers_nothing_more_even_of_the_same_batch(qtbot: QtBot) -> None:
    bridge = EventBridge()
    heard: list[object] = []

    def mute(event: EpochDone) -> None:
        heard.append(event)
        bridge.mute()

    bridge.subscribe(EpochDone, mute)
    bridge.subscribe(Message, heard.append)
    for event in (epoch_done(0), epoch_done(1), Message("a note")):
        bridge.push(event)
    bridge.stop()
    assert heard == [epoch_done(0)]


def test_ten_thousand_epochs_arrive_in_a_few_signals(qtbot: QtBot) -> None:
    bridge = EventBridge()
    heard: list[list[EpochDone]] = []
    bridge.subscribe_batches(EpochDone, heard.append)
    bridge.start()
    worker = threading.Thread(target=push_many, args=(bridge, 10_000))
    worker.start()
    qtbot.waitUntil(lambda: sum(map(len, heard)) == 10_000)
    worker.join()
    bridge.stop()
    assert [event.epoch for part in heard for event in part] == list(range(10_000))
    assert len(heard) < 500


# -- the worker --------------------------------------------------------------------------------------------------------
def test_a_job_works_in_its_own_thread_and_reports_in_the_windows(
    qtbot: QtBot, project: Project, tmp_path: Path
) -> None:
    execute = FakeExecute()
    job = RunJob(run_spec(project, tmp_path / "run"), execute)
    heard_in: list[int] = []
    job.bridge.subscribe_batches(EpochDone, lambda _epochs: heard_in.append(threading.get_ident()))
    with qtbot.waitSignal(job.ended):
        job.begin()
    assert set(heard_in) == {threading.get_ident()}
    assert execute.threads != [threading.get_ident()]


@pytest.mark.parametrize(
    ("execute", "message"),
    [
        (FakeExecute(raises=ZeroDivisionError("by zero")), "ZeroDivisionError: by zero"),
        (lambda spec, emit, control: None, ""),
    ],
    ids=["exception", "no end reported"],
)
def test_a_run_that_raises_or_reports_no_end_has_failed(
    qtbot: QtBot, project: Project, tmp_path: Path, execute: Execute, message: str
) -> None:
    job = RunJob(run_spec(project, tmp_path / "run"), execute)
    ends: list[RunFinished] = []
    job.bridge.subscribe(RunFinished, ends.append)
    with qtbot.waitSignal(job.ended):
        job.begin()
    assert [end.reason for end in ends] == [FinishReason.FAILED]
    assert message in ends[0].message


def test_joining_a_job_delivers_its_last_events_before_it_returns(
    qtbot: QtBot, project: Project, tmp_path: Path
) -> None:
    job = RunJob(run_spec(project, tmp_path / "run"), FakeExecute(epochs=5))
    heard: list[RunEvent] = []
    job.bridge.subscribe(RunFinished, heard.append)
    ended: list[RunJob] = []
    job.ended.connect(ended.append)
    job.begin()
    job.join()
    assert len(heard) == 1
    assert ended == [job]


# -- the queue ---------------------------------------------------------------------------------------------------------
def test_opening_a_project_shows_its_fire_without_drops(qtbot: QtBot, session: Session, make_queue: MakeQueue) -> None:
    queue, execute = make_queue()
    wait_idle(qtbot, queue)
    assert session.result.baseline is not None
    assert session.result.plan is None
    assert [spec.schedule for spec in execute.evaluations] == [None]
    assert not execute.evaluations[0].waits, "kernels are not waited for"


def test_a_run_feeds_history_map_and_list(qtbot: QtBot, session: Session, make_queue: MakeQueue) -> None:
    queue, _ = make_queue(epochs=7)
    entry = queue.plan((Stage.OPTIMIZE,))
    wait_idle(qtbot, queue)
    assert (entry.state, entry.reason, entry.epoch, entry.epochs) == (RunState.FINISHED, FinishReason.COMPLETED, 7, 7)
    assert np.array_equal(entry.history.column("epoch"), np.arange(7))
    assert entry.best == pytest.approx(20 / 7)
    assert len(session.result.drops) == 3
    assert session.result.epoch == 6
    assert session.result.project is session.project
    assert queue.shown is entry


def test_a_run_has_a_folder_a_title_and_the_command_that_repeats_it(
    qtbot: QtBot, make_queue: MakeQueue, tmp_path: Path
) -> None:
    queue, execute = make_queue()
    entry = queue.plan()
    wait_idle(qtbot, queue)
    assert entry.folder == tmp_path / "p.firegui" / "runs" / "20260819-120005-A-plan"
    assert entry.title == "Run 1, whole fire"
    command = execute.runs[0].command
    assert command.startswith(f"firegui plan {tmp_path / 'p.firegui'} --out {entry.folder} --search auto --epochs 3")


def test_run_folders_never_coincide(tmp_path: Path) -> None:
    first = new_run_folder(tmp_path, Setting.B, NOON)
    first.mkdir(parents=True)
    second = new_run_folder(tmp_path, Setting.B, NOON)
    third = new_run_folder(tmp_path, Setting.B, NOON, [second])
    assert [path.name for path in (first, second, third)] == [
        "20260819-120005-B-plan",
        "20260819-120005-B-plan-2",
        "20260819-120005-B-plan-3",
    ]
    assert run_title(third) == "Regions, 19 Aug 12:00 (3)"
    assert run_title(first) == "Regions, 19 Aug 12:00"
    assert run_title(tmp_path / "my run") == "my run"


def write_headers(execute: FakeExecute) -> None:
    """Write the headers that the runs would write."""
    for spec in execute.runs:
        if spec.out.is_dir():
            (spec.out / "run.toml").write_text(new_header(spec, "cpu", "cpu", None).text(), encoding="utf-8")


def test_runs_without_a_number_have_their_time_in_the_title_with_seconds_in_one_minute(
    qtbot: QtBot, session: Session, project: Project, make_queue: MakeQueue, tmp_path: Path
) -> None:
    seconds = iter((5, 42))
    queue, execute = make_queue(clock=lambda: datetime(2026, 8, 19, 12, 0, next(seconds)))
    for _run in range(2):
        queue.plan()
        wait_idle(qtbot, queue)
    # As a version before the numbers wrote them.
    for spec in execute.runs:
        header = new_header(replace(spec, number=None), "cpu", "cpu", None).text()
        assert "\nnumber = " not in header
        (spec.out / "run.toml").write_text(header, encoding="utf-8")
    session.open_project(project, tmp_path / "p.firegui")
    titles = [entry.title for entry in queue.entries]
    assert titles == ["Whole fire, 19 Aug 12:00:05", "Whole fire, 19 Aug 12:00:42"]
    for entry in queue.entries:
        assert schedule_title(entry.folder) == schedule_title(entry.folder / "plan.safetensors") == entry.title
    first, second = queue.entries
    assert queue.rename(first, "Two more tankers") and queue.rename(first, "")
    assert first.title == titles[0] and not first.is_named
    assert queue.rename(first, "Two more tankers")
    queue.discard(second)
    assert [entry.title for entry in queue.entries] == ["Two more tankers"]
    assert schedule_title(first.folder) == "Two more tankers"


def test_runs_are_numbered_and_keep_their_numbers(
    qtbot: QtBot, session: Session, project: Project, make_queue: MakeQueue, tmp_path: Path
) -> None:
    folder = tmp_path / "p.firegui"
    queue, execute = make_queue(clock=Mock(side_effect=[datetime(2026, 8, 19, 12, minute) for minute in range(10)]))
    # Those that wait have no folder yet and count as well.
    for _run in range(3):
        queue.plan()
    assert [entry.title for entry in queue.entries] == [f"Run {number}, whole fire" for number in (1, 2, 3)]
    wait_idle(qtbot, queue)
    write_headers(execute)
    first, second, third = queue.entries
    assert next_run_number(folder / "runs" / "my-run", folder) == 4
    assert next_run_number(folder / "runs" / "my-run", folder, [7, 2]) == 8
    assert next_run_number(tmp_path / "my-run", folder) is next_run_number(tmp_path / "my-run", None) is None
    assert [schedule_title(entry.folder) for entry in queue.entries] == [entry.title for entry in queue.entries]
    assert queue.rename(first, "Two more tankers") and queue.rename(first, "")
    assert first.title == "Run 1, whole fire"
    # The tooltip and the search have the time, which the title has not.
    assert arranged(queue.entries, "12:01", RunOrder.NEWEST, RunGrouping.NONE) == [second]
    model = RunsModel(session, queue)
    tip = model.data(model.index(model.place_of(second), TITLE), Qt.ItemDataRole.ToolTipRole)
    assert "made 19 Aug 12:01" in str(tip)
    # A number is not given twice while a later run is there.
    queue.discard(second)
    assert queue.plan().title == "Run 4, whole fire"
    wait_idle(qtbot, queue)
    write_headers(execute)
    header = STORE.read(third.folder)
    assert header.number == 3
    resumed = resume_spec(project, folder, third.folder)
    assert isinstance(resumed, PlanSpec)
    assert new_header(resumed, "cpu", "cpu", header).number == 3
    # A run that was copied here has the number of another: the time tells both apart.
    shutil.copytree(first.folder, first.folder.with_name("20260820-130000-A-plan"))
    queue.refresh_folder()
    titles = sorted(entry.title for entry in queue.entries)
    assert titles[:2] == ["Run 3, whole fire", "Run 4, whole fire"]
    assert titles[2:] == ["Whole fire, 19 Aug 12:00", "Whole fire, 20 Aug 13:00"]
    # All of it stays when the project is opened again.
    session.open_project(project, folder)
    assert sorted(entry.title for entry in queue.entries) == titles


def test_names_are_sorted_by_their_numbers(tmp_path: Path) -> None:
    titles = ["Run 10, regions", "Run 9, whole fire", "A first try"]
    entries = [RunEntry(title, tmp_path / str(place)) for place, title in enumerate(titles)]
    found = arranged(entries, "", RunOrder.NAME, RunGrouping.NONE)
    assert [entry.title for entry in found] == ["A first try", "Run 9, whole fire", "Run 10, regions"]


def test_names_of_files_have_the_number_of_the_run_and_not_its_goal(session: Session, project: Project) -> None:
    event = project.scenario.name.lower().replace(" ", "-")
    assert export_stem(session, ShownResult("Run 3, cautious margin, whole fire")) == f"{event}-run-3"
    edited = ShownResult("Run 3, whole fire, edited by hand", by_hand=True)
    assert export_stem(session, edited) == f"{event}-run-3-edited-by-hand"
    # A run of drops that were edited by hand has its kind before the goal.
    assert export_stem(session, ShownResult("Run 4, edited by hand, whole fire")) == f"{event}-run-4"
    assert export_stem(session, ShownResult("Two more tankers, B")) == f"{event}-two-more-tankers-b"
    # Captions of the map are cut at such points.
    assert " · " not in run_title(Path("20260819-120005-A-plan"), number=3)
    assert export_stem(session, ShownResult("Whole fire, 19 Aug 12:00")) == f"{event}-whole-fire-19-aug-12-00"


def start_endless(qtbot: QtBot, make_queue: MakeQueue) -> tuple[RunQueue, FakeExecute, RunEntry]:
    """Start a run that works until it is stopped, and wait for its first epochs."""
    queue, execute = make_queue(endless=True)
    entry = queue.plan()
    qtbot.waitUntil(lambda: entry.epoch > 2)
    return queue, execute, entry


def test_a_default_title_says_the_goal_and_what_differs_from_the_run_before(
    qtbot: QtBot, session: Session, saved: Path
) -> None:
    execute = FakeExecute()
    clock = Mock(side_effect=[datetime(2026, 8, 19, 12, minute) for minute in range(10, 20)])
    queue = RunQueue(session, execute=execute, clock=clock)
    project = session.project
    own = replace(project.plan, setting=Setting.CUSTOM, weights=ObjectiveWeights(50.0, 50.0, 100.0))
    regions = (Region.rectangle("R1", (2.0, 6.0), (2.0, 6.0)),)
    both = replace(project, plan=own, regions=regions)
    fewer = both.with_fleet(Fleet(both.planned_fleet.types[:1]))
    stricter = replace(fewer, plan=replace(own, margin=replace(own.margin, kind=Margin.DESIGN)))
    other_goal = replace(fewer, plan=project.plan)
    titles = []
    try:
        for each in (project, both, fewer, stricter, other_goal, project):
            session.edit("change", each)
            titles.append(queue.plan().title)
        wait_idle(qtbot, queue)
        assert titles[:2] == ["Run 1, whole fire", "Run 2, whole fire and regions"]
        aircraft = fewer.fleet.n_aircraft
        assert titles[2] == f"Run 3, {aircraft} aircraft, whole fire and regions"
        # Also beside runs with the same fleet, and of another goal.
        assert titles[3] == f"Run 4, {aircraft} aircraft, cautious margin, whole fire and regions"
        assert titles[4].startswith(f"Run 5, {aircraft} aircraft, ") and titles[4].endswith("whole fire")
        assert f"{project.fleet.n_aircraft} aircraft" in titles[5] and titles[5].startswith("Run 6")
        # They stay when the project is opened again, and follow the run wherever its plan is named.
        write_headers(execute)
        session.open_project(project, saved)
        assert [entry.title for entry in queue.entries] == titles
        assert [schedule_title(entry.folder) for entry in queue.entries] == titles
    finally:
        queue.shutdown()


def test_a_run_is_stopped_at_once_keeps_the_best_and_goes_on_in_its_folder(qtbot: QtBot, make_queue: MakeQueue) -> None:
    queue, execute, entry = start_endless(qtbot, make_queue)
    queue.stop()
    assert entry.state is RunState.STOPPING
    wait_idle(qtbot, queue)
    assert entry.reason is FinishReason.STOPPED
    assert entry.folder.exists()
    assert entry.is_resumable
    execute.endless, execute.epochs = False, 9
    queue.resume_stopped(entry)
    wait_idle(qtbot, queue)
    assert [spec.resume for spec in execute.runs] == [False, True]
    assert {spec.out for spec in execute.runs} == {entry.folder}
    assert (entry.reason, entry.epoch) == (FinishReason.COMPLETED, 9)
    assert queue.entries == (entry,)


def test_a_stopped_run_in_which_no_drop_is_possible_is_not_resumed(
    qtbot: QtBot, make_queue: MakeQueue, session: Session
) -> None:
    queue, execute = make_queue(endless=True)
    session.set_operations("no drops", Operations(hard_cap=0))
    entry = queue.plan()
    qtbot.waitUntil(lambda: entry.epoch > 2)
    queue.stop()
    wait_idle(qtbot, queue)
    refused = list[InputError]()
    session.refused.connect(refused.append)
    queue.resume_stopped(entry)
    assert [len(error.problems) for error in refused] == [1] and "No drop is possible" in str(refused[0])
    assert len(execute.runs) == 1 and entry.is_resumable and queue.active is None


def test_a_run_that_is_resumed_after_an_edit_says_that_it_keeps_the_inputs_it_was_started_with(
    qtbot: QtBot, make_queue: MakeQueue, session: Session
) -> None:
    queue, execute, entry = start_endless(qtbot, make_queue)
    queue.stop()
    wait_idle(qtbot, queue)
    days = tuple(range(session.project.calendar.days))
    grounded = (kind.with_grounded_days(days) for kind in session.project.planned_fleet.types)
    session.edit_planned_fleet("ground everything", Fleet(tuple(grounded)))
    logged = list[tuple[str, str]]()
    queue.logged.connect(lambda text, level: logged.append((text, level)))
    execute.endless = False
    queue.resume_stopped(entry)
    text = f"{entry.title} goes on with the inputs that it was started with: grounded days changed since."
    assert logged[0] == (text, "warning")
    wait_idle(qtbot, queue)
    assert entry.reason is FinishReason.COMPLETED


def test_a_paused_run_does_nothing_until_it_is_resumed_or_stopped(qtbot: QtBot, make_queue: MakeQueue) -> None:
    queue, _, entry = start_endless(qtbot, make_queue)
    queue.pause()
    assert entry.status == "pausing"
    qtbot.waitUntil(lambda: entry.state is RunState.PAUSED)
    done = entry.epoch
    qtbot.wait(120)
    assert entry.epoch == done
    queue.resume()
    qtbot.waitUntil(lambda: entry.epoch > done)
    queue.pause()
    qtbot.waitUntil(lambda: entry.state is RunState.PAUSED)
    queue.stop()
    wait_idle(qtbot, queue)
    assert entry.reason is FinishReason.STOPPED


def test_runs_wait_for_each_other_and_one_that_waits_can_be_taken_back(qtbot: QtBot, make_queue: MakeQueue) -> None:
    queue, execute = make_queue(endless=True)
    first, second, third = queue.plan(), queue.plan(), queue.plan()
    qtbot.waitUntil(lambda: first.epoch > 0)
    assert (second.state, third.state) == (RunState.QUEUED, RunState.QUEUED)
    queue.stop(second)
    assert second not in queue.entries
    queue.stop(first)
    qtbot.waitUntil(lambda: third.epoch > 0)
    queue.stop(third)
    wait_idle(qtbot, queue)
    assert [spec.out for spec in execute.runs] == [first.folder, third.folder]


@pytest.mark.parametrize("project_changes", [False, True])
def test_discarding_deletes_the_folder_once_the_run_has_ended(
    qtbot: QtBot, session: Session, project: Project, make_queue: MakeQueue, project_changes: bool
) -> None:
    queue, _, entry = start_endless(qtbot, make_queue)
    assert entry.folder.exists()
    queue.discard()
    if project_changes:
        session.open_project(replace(project), None)
    qtbot.waitUntil(lambda: not entry.folder.exists())
    wait_idle(qtbot, queue)
    assert entry not in queue.entries


def test_only_folders_among_the_runs_of_a_project_are_ever_deleted(
    qtbot: QtBot, make_queue: MakeQueue, project: Project, tmp_path: Path
) -> None:
    queue, _ = make_queue()
    elsewhere = tmp_path / "precious"
    entry = queue.start(run_spec(project, elsewhere))
    wait_idle(qtbot, queue)
    queue.discard(entry)
    assert elsewhere.exists()


def test_a_failure_is_shown_with_everything_that_is_wrong(
    qtbot: QtBot, session: Session, make_queue: MakeQueue
) -> None:
    problems = [Problem("wind", "is NaN", "give numbers"), Problem("grid", "is empty")]
    queue, _ = make_queue(raises=InputError(problems, "Cannot run"))
    with qtbot.waitSignal(session.refused) as refused:
        entry = queue.plan()
    wait_idle(qtbot, queue)
    assert entry.reason is FinishReason.FAILED
    assert list(refused.args[0].problems) == problems


def test_a_run_pushes_the_baseline_aside(qtbot: QtBot, session: Session, make_queue: MakeQueue) -> None:
    queue, _ = make_queue(endless=True)
    queue.show_baseline()
    entry = queue.plan()
    qtbot.waitUntil(lambda: session.result.plan is not None)
    assert session.result.title == entry.title
    queue.show_baseline()
    qtbot.waitUntil(lambda: not queue.activity)
    assert session.result.plan is None and queue.shown is None and queue.active is entry
    queue.stop()
    wait_idle(qtbot, queue)
    assert queue.shown is None


def test_a_finished_run_is_shown_during_another_and_the_live_view_comes_back_at_once(
    qtbot: QtBot, session: Session, make_queue: MakeQueue
) -> None:
    queue, _ = make_queue(endless=True)
    first = queue.plan()
    qtbot.waitUntil(lambda: first.epoch > 2)
    queue.stop()
    wait_idle(qtbot, queue)
    write_plan_safetensors(
        first.folder / "plan.safetensors",
        Schedule.empty(session.project.calendar.n_steps, session.project.fleet.n_aircraft),
    )
    second = queue.plan()
    qtbot.waitUntil(lambda: second.epoch > 2 and session.result.title == second.title)
    queue.show(first)
    qtbot.waitUntil(lambda: session.result.plan is not None and not queue.activity)
    assert queue.shown is first and queue.active is second and session.result.title == first.title
    assert second.preparation == ""
    with qtbot.waitSignal(queue.epochs_added):
        pass
    queue.show(second)
    # Before another picture of it comes.
    assert session.result.title == second.title
    assert session.result.plan is not None and session.result.baseline is not None
    assert session.result.stage is second.stage
    queue.stop()
    wait_idle(qtbot, queue)


def test_the_plan_before_stays_on_the_map_with_a_word_until_that_of_the_selected_run_is_there(
    qtbot: QtBot, session: Session, make_queue: MakeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, execute = make_queue()
    first = queue.plan()
    wait_idle(qtbot, queue)
    second = queue.plan()
    wait_idle(qtbot, queue)
    steps, aircraft = session.project.calendar.n_steps, session.project.fleet.n_aircraft
    for entry in (first, second):
        write_plan_safetensors(entry.folder / "plan.safetensors", Schedule.empty(steps, aircraft))
    before = session.result
    assert before.title == second.title and before.plan is not None
    seen: list[tuple[str, bool]] = []
    session.result_changed.connect(lambda: seen.append((session.result.title, session.result.plan is not None)))
    queue.show(first)
    assert session.result.plan is before.plan and session.result.next_title == first.title
    assert session.view is FireView.PLAN and queue.shown is first
    wait_idle(qtbot, queue)
    assert session.result.title == first.title and not session.result.next_title
    assert all(has_plan for _title, has_plan in seen), "the fire without drops was not shown in between"
    # What comes first instead ends the word.
    queue.show(second)
    queue.show_baseline()
    assert not session.result.next_title
    wait_idle(qtbot, queue)
    # A plan that cannot be computed does not leave another on the map under its name.
    queue.show(first)
    wait_idle(qtbot, queue)
    failed = RunFinished(FinishReason.FAILED, "no memory", None, None, None)
    monkeypatch.setattr(execute, "_evaluate", lambda _spec, emit: emit(failed))
    queue.show(second)
    wait_idle(qtbot, queue)
    assert session.result.title == second.title and session.result.plan is None and not session.result.next_title


def test_shutting_down_waits_for_every_thread(qtbot: QtBot, make_queue: MakeQueue) -> None:
    queue, execute, entry = start_endless(qtbot, make_queue)
    queue.shutdown()
    assert execute.living == 0
    assert entry.reason is FinishReason.STOPPED
    assert not queue.is_busy


def test_a_second_stop_and_a_shutdown_that_takes_long_do_not_wait_for_the_final_score(
    qtbot: QtBot, session: Session, project: Project, tmp_path: Path
) -> None:
    def scores_for_ever(spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        emit(StateChanged(RunState.RUNNING))
        while True:
            try:
                control.check_abandoned()
            except CancelledError:
                emit(RunFinished(FinishReason.STOPPED, "saved, not scored", None, None, None))
                return
            time.sleep(0.005)

    queue = RunQueue(session, execute=scores_for_ever, clock=lambda: NOON)
    first = queue.start(run_spec(project, tmp_path / "1"))
    qtbot.waitUntil(lambda: first.state is RunState.RUNNING)
    queue.stop()
    queue.stop()
    qtbot.waitUntil(lambda: not queue.is_busy)
    second = queue.start(run_spec(project, tmp_path / "2"))
    queue.shutdown()
    assert [first.message, second.message] == ["saved, not scored"] * 2


def test_opening_another_project_stops_the_run_and_keeps_it_off_the_new_map(
    qtbot: QtBot, session: Session, project: Project, make_queue: MakeQueue
) -> None:
    queue, execute = make_queue(endless=True)
    entry = queue.plan()
    qtbot.waitUntil(lambda: session.result.plan is not None)
    session.open_project(replace(project), None)
    assert queue.entries == ()
    qtbot.waitUntil(lambda: execute.living == 0 and not queue.activity)
    assert session.result.plan is None
    assert session.result.baseline is not None
    assert entry.folder.exists()


# -- staleness ---------------------------------------------------------------------------------------------------------
def edited(project: Project) -> Project:
    return replace(project, plan=replace(project.plan, nominal=Effectiveness(0.5, 0.5)))


def searched_longer(project: Project) -> Project:
    return replace(project, plan=replace(project.plan, optimizer=replace(project.plan.optimizer, epochs=99)))


@pytest.mark.parametrize(("edit", "stale"), [(edited, True), (searched_longer, False)])
def test_an_edit_of_more_than_the_search_makes_runs_and_result_stale_until_it_is_undone(
    qtbot: QtBot, session: Session, make_queue: MakeQueue, edit: Callable[[Project], Project], stale: bool
) -> None:
    queue, _ = make_queue()
    entry = queue.plan()
    wait_idle(qtbot, queue)
    session.edit("Edit", edit(session.project))
    assert (entry.stale, session.result.stale) == (stale, stale)
    session.undo_stack.undo()
    assert not entry.stale
    assert not session.result.stale


def test_a_run_started_before_an_edit_delivers_stale_pictures(
    qtbot: QtBot, session: Session, make_queue: MakeQueue
) -> None:
    queue, _ = make_queue(endless=True)
    entry = queue.plan()
    qtbot.waitUntil(lambda: session.result.plan is not None)
    session.edit("Weaker drops", edited(session.project))
    epoch = session.result.epoch
    qtbot.waitUntil(lambda: session.result.epoch > epoch)
    assert session.result.stale
    assert entry.stale
    queue.stop()
    wait_idle(qtbot, queue)


def with_one_more_aircraft(project: Project) -> Project:
    fleet = project.planned_fleet
    return project.with_fleet(fleet.replace_type(0, replace(fleet.types[0], count=3)))


def all_grounded(project: Project) -> Project:
    days = tuple(range(project.calendar.days))
    return project.with_fleet(Fleet(tuple(kind.with_grounded_days(days) for kind in project.planned_fleet.types)))


FREE_EDITS = {
    "regions": lambda project: replace(project, regions=(Region.rectangle("R9", (1, 4), (1, 4)),)),
    "fleet": with_one_more_aircraft,
    "grounded days": all_grounded,
    "goal": lambda project: replace(project, plan=replace(project.plan, weights=ObjectiveWeights.of(Setting.B))),
    "rules": lambda project: replace(project, operations=Operations(hard_cap=3)),
    "search": searched_longer,
    "effectiveness": edited,
}
"""Edits of which the fire without drops is independent."""
FIRE_EDITS = {
    "weather": lambda project: replace(project, scenario=replace(project.scenario)),
    "start": lambda project: replace(project, plan=replace(project.plan, start_day=2, days=2)),
    "days": lambda project: replace(project, plan=replace(project.plan, days=3)),
    "fire model": lambda project: replace(
        project, fire_model=replace(project.fire_model, parameters={**project.fire_model.parameters, "p0": 0.9})
    ),
    "maps": lambda project: replace(project, maps=Mock()),
}
"""Edits that change the fire without drops."""


class HeldExecute(FakeExecute):
    """Test double of the runner whose evaluations end when ``held`` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.held = threading.Event()

    def __call__(self, spec: RunSpec, emit: Callable[[RunEvent], None], control: RunControl) -> None:
        def emit_later(event: RunEvent) -> None:
            self.held.wait(20)
            emit(event)

        super().__call__(spec, emit_later, control)


@pytest.fixture
def held(session: Session, project: Project, qtbot: QtBot) -> Iterator[HeldExecute]:
    """Return the runner of a queue that works on the fire without drops of the project until it is let go."""
    execute = HeldExecute()
    queue = RunQueue(session, execute=execute)
    session.open_project(project, None)
    qtbot.waitUntil(lambda: len(execute.evaluations) == 1)
    yield execute
    execute.held.set()
    queue.shutdown()


@pytest.mark.parametrize("name", FREE_EDITS)
def test_the_fire_without_drops_is_not_computed_again_for_what_it_does_not_depend_on(
    qtbot: QtBot, session: Session, make_queue: MakeQueue, name: str
) -> None:
    queue, execute = make_queue()
    wait_idle(qtbot, queue)
    before = session.result
    session.edit("Edit", FREE_EDITS[name](session.project))
    qtbot.wait(2 * _SETTLE_MS)
    assert len(execute.evaluations) == 1 and not queue.activity
    assert session.result.baseline is before.baseline and before.baseline is not None
    assert not session.result.stale


@pytest.mark.parametrize("name", FREE_EDITS)
def test_the_fire_without_drops_that_is_being_computed_is_not_begun_again_for_such_an_edit(
    qtbot: QtBot, session: Session, held: HeldExecute, name: str
) -> None:
    session.edit("Edit", FREE_EDITS[name](session.project))
    qtbot.wait(2 * _SETTLE_MS)
    held.held.set()
    qtbot.waitUntil(lambda: session.result.baseline is not None)
    assert len(held.evaluations) == 1 and not session.result.stale


@pytest.mark.parametrize("name", FIRE_EDITS)
def test_the_fire_without_drops_is_computed_again_when_its_inputs_change(
    qtbot: QtBot, session: Session, held: HeldExecute, name: str
) -> None:
    # Once while it is being computed, once after it was.
    session.edit("Edit", FIRE_EDITS[name](session.project))
    qtbot.waitUntil(lambda: len(held.evaluations) == 2)
    held.held.set()
    qtbot.waitUntil(lambda: session.result.baseline is not None)
    assert held.evaluations[-1].project is session.project
    session.undo()
    assert session.result.stale
    qtbot.waitUntil(lambda: len(held.evaluations) == 3)
    qtbot.waitUntil(lambda: session.result.baseline is not None and not session.result.stale)
    assert held.evaluations[-1].project is session.project


def test_a_fire_that_could_not_be_computed_is_computed_once_that_is_mended(
    qtbot: QtBot, session: Session, make_queue: MakeQueue
) -> None:
    queue, execute = make_queue()
    wait_idle(qtbot, queue)
    session.edit("Break", replace(session.project, plan=replace(session.project.plan, days=99)))
    qtbot.wait(2 * _SETTLE_MS)
    assert len(execute.evaluations) == 1
    session.edit("Mend", replace(session.project, plan=replace(session.project.plan, days=2)))
    qtbot.waitUntil(lambda: len(execute.evaluations) == 2)
    wait_idle(qtbot, queue)
    assert session.result.baseline is not None and not session.result.stale


# -- the history -------------------------------------------------------------------------------------------------------
def test_a_history_grows_past_its_first_size() -> None:
    history = EpochHistory()
    for start in range(0, 1000, 100):
        history.extend([epoch_done(k) for k in range(start, start + 100)])
    assert np.array_equal(history.column("epoch"), np.arange(1000))
    assert history.last("rollouts") == 3000


def test_epochs_that_a_resumed_run_repeats_replace_the_old_ones() -> None:
    history = EpochHistory([epoch_done(k) for k in range(10)])
    history.extend([epoch_done(6), epoch_done(7)])
    assert history.column("epoch").tolist() == [0, 1, 2, 3, 4, 5, 6, 7]


def test_the_kinds_of_events_are_all_delivered() -> None:
    """Fail if a new kind of event has no signal and is not one of a command alone."""
    drawn = {
        BaselineReady,
        PlanUpdated,
        EpochDone,
        EliminationStep,
        SkillReady,
        FitEpoch,
        WeightsReady,
        FactorsReady,
        SensitivityReady,
        ErrorFitted,
        MembersDone,
        EnsembleReady,
        FieldDrawn,
        BenchmarkProgress,
        BenchmarkReady,
        StudyProgress,
        StudyReady,
        StressReady,
        StressTestProgress,
        LoopAdvanced,
        MarginReady,
        RemovalCurveReady,
    }
    of_commands = {ScalingReady}
    assert set(RunEvent.__args__) == drawn | of_commands | {StateChanged, StageBegan, Message, Progress, RunFinished}


def test_a_run_that_waited_leaves_the_map_to_the_result_before_it(qtbot: QtBot, make_queue: MakeQueue) -> None:
    queue, _ = make_queue(endless=True)
    first, second = queue.plan(), queue.plan()
    qtbot.waitUntil(lambda: first.epoch > 0)
    queue.stop(first)
    qtbot.waitUntil(lambda: second.epoch > 0)
    assert queue.shown is first
    queue.stop(second)
    wait_idle(qtbot, queue)
    third = queue.plan()
    assert queue.shown is third
    queue.stop(third)
    wait_idle(qtbot, queue)


def test_the_first_plan_of_an_opened_project_is_shown_at_its_end_and_later_ones_leave_the_time_alone(
    qtbot: QtBot, make_queue: MakeQueue, session: Session
) -> None:
    queue, _ = make_queue()
    assert session.step == 0
    queue.plan()
    qtbot.waitUntil(lambda: session.result.plan is not None)
    assert session.step == session.project.calendar.n_steps
    wait_idle(qtbot, queue)
    session.set_step(0)
    queue.plan()
    wait_idle(qtbot, queue)
    assert session.result.plan is not None and session.step == 0


def test_a_time_that_was_chosen_before_the_first_plan_stays(
    qtbot: QtBot, make_queue: MakeQueue, session: Session
) -> None:
    queue, _ = make_queue()
    session.set_step(12)
    queue.plan()
    wait_idle(qtbot, queue)
    assert session.result.plan is not None and session.step == 12

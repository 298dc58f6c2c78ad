from __future__ import annotations

import errno
import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firegui.analyses.benchmark import run as benchmark_module
from firegui.analyses.benchmark.results import HEADER, read_benchmark, read_header, write_header
from firegui.analyses.benchmark.tables import write_tables
from firegui.analyses.execution.process_worker import OrderKind, WorkerMessage
from firegui.analyses.execution.processes import ProcessExecutor
from firegui.analyses.task_files import task_folder
from firegui.cli.progress import scalars
from firegui.domain.benchmark import BenchmarkSettings, BenchmarkTable, PlannerName, PlannerTask, TaskTerms
from firegui.domain.project import Project
from firegui.domain.settings import Effectiveness, Margin
from firegui.errors import InputError, Problem
from firegui.io.project.store import list_runs, save_project
from firegui.planning.benchmark_figures import CONVERGENCE, CONVERGENCE_MATCHED
from firegui.runs.control import RunControl
from firegui.runs.events import BenchmarkProgress, BenchmarkReady, RunEvent, StateChanged
from firegui.runs.lock import FolderLock
from firegui.runs.result_store import SavedResultFolder
from firegui.runs.run_folder import CHECKPOINT, ELIMINATION_CHECKPOINT, PLAN, REFERENCE, SMOOTHING_CHECKPOINT, read_run
from firegui.runs.spec import BenchmarkSpec
from firegui.runs.stages import FinishReason, RunState
from tests.support import make_project
from tests.unit.analyses.workers import READY, STOPPED, Workplace, answer_of, done, failure, progress
from tests.unit.domain.benchmark_samples import AT_ITS_COST, BUDGET, made_row
from tests.unit.runs.fakes import FakeEngine, carried_out, end, warnings

NONE, UNIFORM, GRADIENT, CMA_ES, DE = (
    PlannerName.NONE, PlannerName.UNIFORM, PlannerName.GRADIENT, PlannerName.CMA_ES, PlannerName.DIFFERENTIAL_EVOLUTION,
)  # fmt: skip
SETTINGS = BenchmarkSettings((NONE, UNIFORM, GRADIENT), seeds=2, allowance=600)
NAMES = {"two-stage-0", "none-0", "random-uniform-0", "random-uniform-1", "gradient-0", "gradient-1"}


def spec_of(out: Path, settings: BenchmarkSettings = SETTINGS, **changes: Any) -> BenchmarkSpec:
    project = changes.pop("project_folder", out.parent / "tiny.firegui")
    if not project.is_dir():
        save_project(make_project(), project)
    return replace(BenchmarkSpec(make_project(), out, "again", settings, project, processes=2), **changes)


def last_table(events: Sequence[RunEvent]) -> BenchmarkTable:
    return [event.table for event in events if isinstance(event, BenchmarkReady)][-1]


def no_drops(terms: TaskTerms) -> WorkerMessage:
    row = made_row(terms.task)
    return answer_of(replace(row, metrics=replace(row.metrics, drops_executed=0)))


def refused(spec: BenchmarkSpec) -> tuple[Problem, ...]:
    """The problems of a benchmark that does not begin and leaves its folder as it is."""
    before = {path: path.read_bytes() for path in spec.out.rglob("*") if path.is_file()}
    finished = end(carried_out(spec))
    assert finished.reason is FinishReason.FAILED and finished.folder is None
    assert {path: path.read_bytes() for path in spec.out.rglob("*") if path.is_file()} == before
    return finished.problems


def test_a_benchmark_is_saved_with_what_it_was_run_with(workplace: Workplace, tmp_path: Path) -> None:
    out = tmp_path / "run"
    events = carried_out(spec_of(out, notes=("one is left out",)))

    finished = end(events)
    assert (finished.reason, finished.folder) == (FinishReason.COMPLETED, out)
    assert finished.baseline is not None and finished.baseline.drops_executed == 0
    header, table = read_benchmark(out)
    best = min(table.groups, key=lambda group: group.objective.mean)
    assert finished.message == header.message and f"mean objective {best.objective.mean:.4g}: " in finished.message
    assert finished.message.endswith(best.title) and len({group.objective.mean for group in table.groups}) > 1
    assert {row.task.name for row in table.rows} == {task.name for task in table.tasks} == NAMES
    assert (header.command, header.settings, header.processes) == ("again", SETTINGS, 2)
    assert (header.budget, header.matched_allowance) == (table.budget, table.matched_allowance) == (BUDGET, AT_ITS_COST)
    assert (header.state, header.reason) == (RunState.FINISHED, FinishReason.COMPLETED)
    assert header.project_hash and header.event_hash and {"python", "cma", "nevergrad"} <= set(header.versions)
    assert header.notes == ("one is left out",) and "one is left out" in warnings(events)
    assert (header.project.project().plan, header.backend) == (make_project().plan, "fake")
    with pytest.raises(InputError, match=r"run\.toml"):
        read_run(out)


def test_the_planners_are_the_papers_whatever_the_margin_of_the_project_is(
    workplace: Workplace, tmp_path: Path
) -> None:
    project = make_project().with_margin(Margin.STRESS)
    spec = replace(spec_of(tmp_path / "run"), project=project)
    assert end(carried_out(spec)).reason is FinishReason.COMPLETED
    assert read_benchmark(spec.out)[0].project.plan == make_project().plan
    again = end(carried_out(replace(spec, resume=True)))
    assert again.reason is FinishReason.COMPLETED, again.message


def test_tables_that_cannot_be_written_for_a_while_are_told_of_and_end_nothing(
    workplace: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []

    def write(folder: Path, table: BenchmarkTable, project: Project) -> None:
        written.append(len(table.rows))
        if 0 < len(table.rows) < 3:
            raise InputError([Problem("rows.csv", "no space left on the disk", "make room")], "Nothing was written")
        write_tables(folder, table, project)

    monkeypatch.setattr(benchmark_module, "write_tables", write)
    out = tmp_path / "run"
    events = carried_out(spec_of(out))
    assert end(events).reason is FinishReason.COMPLETED
    told = [text for text in warnings(events) if "no space left" in text]
    assert len(told) == 2 and all("the benchmark goes on" in text for text in told)
    assert {row.task.name for row in read_benchmark(out)[1].rows} == NAMES


def test_every_number_of_a_row_reads_back_exactly(workplace: Workplace, tmp_path: Path) -> None:
    events = carried_out(spec_of(tmp_path / "run"))
    assert set(read_benchmark(tmp_path / "run")[1].rows) == set(last_table(events).rows)


def test_a_benchmark_among_a_projects_runs_is_not_taken_for_a_plan(workplace: Workplace, tmp_path: Path) -> None:
    carried_out(spec_of(tmp_path / "runs" / "benchmark", project_folder=tmp_path / "tiny.firegui"))
    assert list_runs(tmp_path) == []


def test_the_two_stage_plan_comes_first_and_gives_budget_and_matched_allowance(
    workplace: Workplace, tmp_path: Path
) -> None:
    settings = BenchmarkSettings((UNIFORM, GRADIENT), matched=(GRADIENT, CMA_ES), seeds=2, allowance=600)
    carried_out(spec_of(tmp_path / "run", settings, processes=1))

    terms = {one.task.name: one for one in workplace.given}
    assert (terms["two-stage-0"].allowance, terms["two-stage-0"].budget) == (0, 0)
    assert (terms["gradient-matched-0"].allowance, terms["gradient-matched-0"].budget) == (AT_ITS_COST, BUDGET)
    assert (terms["gradient-1"].allowance, terms["gradient-1"].budget) == (600, BUDGET)
    assert workplace.names[0] == "two-stage-0"
    assert set(workplace.names[1:3]) == {"gradient-matched-0", "cma-es-matched-0"}, "the longest are begun first"
    assert set(workplace.names[-2:]) == {"random-uniform-0", "random-uniform-1"}


def test_a_given_budget_needs_no_two_stage_plan(workplace: Workplace, tmp_path: Path) -> None:
    carried_out(spec_of(tmp_path / "run", replace(SETTINGS, budget=7)))
    assert "two-stage-0" not in workplace.names and {terms.budget for terms in workplace.given} == {7}
    assert read_header(tmp_path / "run").budget == 7


def test_without_a_budget_only_the_fire_without_drops_is_run_beside_the_two_stage_plan(
    workplace: Workplace, tmp_path: Path
) -> None:
    workplace.answer = lambda terms: None if terms.task.name == "two-stage-0" else done(terms)
    events = carried_out(spec_of(tmp_path / "run"))

    assert set(workplace.names) == {"two-stage-0", "none-0"}
    assert end(events).reason is FinishReason.FAILED and "two-stage-0: its process was killed" in end(events).message
    assert [row.task.name for row in read_benchmark(tmp_path / "run")[1].rows] == ["none-0"]


def test_a_two_stage_plan_without_drops_ends_the_benchmark_and_says_what_to_do(
    workplace: Workplace, tmp_path: Path
) -> None:
    workplace.answer = no_drops
    events = carried_out(spec_of(tmp_path / "run"))

    assert end(events).reason is FinishReason.FAILED
    assert "the two-stage plan has no drops" in end(events).message and "give a budget" in end(events).message
    assert set(workplace.names) == {"two-stage-0", "none-0"}
    assert read_header(tmp_path / "run").message == end(events).message


def test_what_befalls_one_task_is_told_and_the_others_are_kept(workplace: Workplace, tmp_path: Path) -> None:
    out = tmp_path / "run"
    answers = {"gradient-0": None, "random-uniform-1": failure("the disk is full")}
    workplace.answer = lambda terms: answers.get(terms.task.name, done(terms))
    events = carried_out(spec_of(out))

    finished = end(events)
    assert (finished.reason, finished.folder) == (FinishReason.FAILED, out)
    for text in ("4 of 6 tasks", "gradient-0: its process was killed", "random-uniform-1: the disk is full", "resume"):
        assert text in finished.message
    assert sorted(warnings(events)) == [
        "gradient-0: its process was killed (signal 9)", "random-uniform-1: the disk is full",
    ]  # fmt: skip
    assert len(workplace.given) == 6, "a task that went wrong is not begun again by itself"

    workplace.given.clear()
    workplace.answer = done
    assert end(carried_out(spec_of(out, resume=True))).reason is FinishReason.COMPLETED
    assert set(workplace.names) == {"gradient-0", "random-uniform-1"}


@pytest.mark.parametrize(
    ("greeting", "said"),
    [(None, "its process was killed"), (failure("out of memory", begun=False), "out of memory")],
    ids=["no process", "no memory"],
)
def test_a_process_that_cannot_work_leaves_the_work_to_the_others(
    workplace: Workplace, tmp_path: Path, greeting: WorkerMessage | None, said: str
) -> None:
    workplace.greeting = lambda number: greeting if number else READY
    events = carried_out(spec_of(tmp_path / "run", processes=3))
    assert end(events).reason is FinishReason.COMPLETED
    assert any(said in text and "the benchmark goes on with 1 process" in text for text in warnings(events))

    workplace.greeting = lambda number: greeting
    finished = end(carried_out(spec_of(tmp_path / "none")))
    assert finished.reason is FinishReason.FAILED and f"no task could be begun: {said}" in finished.message
    assert read_header(tmp_path / "none").reason is FinishReason.FAILED


def test_processes_that_the_system_refuses_leave_the_work_to_the_others(
    workplace: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_worker = ProcessExecutor._start_worker

    def refuse_the_third(executor: ProcessExecutor) -> None:
        if len(executor.workers) == 2:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        start_worker(executor)

    monkeypatch.setattr(ProcessExecutor, "_start_worker", refuse_the_third)
    settings = replace(SETTINGS, budget=BUDGET)
    events = carried_out(spec_of(tmp_path / "run", settings, processes=5))
    assert end(events).reason is FinishReason.COMPLETED and workplace.begun == 2
    (told,) = warnings(events)
    assert "the system refuses it" in told and "goes on with 2 processes" in told


def test_what_a_process_finds_wrong_with_the_project_is_listed(workplace: Workplace, tmp_path: Path) -> None:
    problem = Problem("tiny.firegui", "is not the event any more", "restore it")
    workplace.greeting = lambda number: failure("it", problem, begun=False)
    assert end(carried_out(spec_of(tmp_path / "run"))).problems == (problem,)


def test_a_stop_keeps_what_is_done_and_resuming_computes_nothing_twice(workplace: Workplace, tmp_path: Path) -> None:
    out, control = tmp_path / "run", RunControl()

    def answer(terms: TaskTerms) -> WorkerMessage | None:
        if terms.task.name == "gradient-0":
            control.request_stop()
            return STOPPED
        return done(terms)

    workplace.answer = answer
    events = carried_out(spec_of(out, processes=1), control=control)
    assert end(events).reason is FinishReason.STOPPED and "resume to go on" in end(events).message
    assert workplace.told[-1] is OrderKind.STOP and not warnings(events)
    before = {row.task.name for row in read_benchmark(out)[1].rows}
    assert before and "gradient-0" not in before

    workplace.given.clear()
    workplace.answer = done
    assert end(carried_out(spec_of(out, resume=True))).reason is FinishReason.COMPLETED
    assert set(workplace.names) == NAMES - before


def test_resuming_may_ask_for_more_planners_seeds_and_the_matched_allowance(
    workplace: Workplace, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    carried_out(spec_of(out))
    workplace.given.clear()
    more = replace(SETTINGS, planners=(*SETTINGS.planners, CMA_ES), seeds=3, matched=(GRADIENT,))
    events = carried_out(spec_of(out, more, resume=True))

    assert set(workplace.names) == {
        "random-uniform-2", "gradient-2", "cma-es-0", "cma-es-1", "cma-es-2", "gradient-matched-0",
    }  # fmt: skip
    assert end(events).reason is FinishReason.COMPLETED and len(last_table(events).rows) == 12
    assert read_header(out).settings == more


def test_a_complete_benchmark_is_resumed_without_a_process(workplace: Workplace, tmp_path: Path) -> None:
    carried_out(spec_of(tmp_path / "run"))
    begun = workplace.begun
    events = carried_out(spec_of(tmp_path / "run", resume=True))
    assert end(events).reason is FinishReason.COMPLETED and last_table(events).complete
    assert workplace.begun == begun
    told = [event for event in events if isinstance(event, BenchmarkProgress)]
    assert (told[-1].done, told[-1].tasks, told[-1].running) == (6, 6, ()), "however fast it was"


def test_resuming_clears_up_after_tasks_that_are_done_and_leaves_the_others_their_checkpoints(
    workplace: Workplace, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    carried_out(spec_of(out))
    done, plan = (task_folder(out, task) for task in (PlannerTask(GRADIENT, 0), PlannerTask(PlannerName.TWO_STAGE, 0)))
    (task_folder(out, PlannerTask(GRADIENT, 1)) / "row.json").unlink()
    unfinished = task_folder(out, PlannerTask(GRADIENT, 1)) / CHECKPOINT
    left = [done / CHECKPOINT, plan / CHECKPOINT, plan / ELIMINATION_CHECKPOINT, plan / SMOOTHING_CHECKPOINT]
    kept = [unfinished, done / PLAN, plan / PLAN, plan / REFERENCE]
    for path in (*left, *kept):
        path.write_bytes(b"numbers")
    assert end(carried_out(spec_of(out, resume=True))).reason is FinishReason.COMPLETED
    assert not any(path.exists() for path in left) and all(path.exists() for path in kept)


def test_a_header_whose_lines_are_in_another_order_is_read_and_gone_on_with(
    workplace: Workplace, tmp_path: Path
) -> None:
    # As earlier versions wrote them: settings and what is of the kind alone among the others.
    out = tmp_path / "run"
    carried_out(spec_of(out))
    header = read_header(out)
    text = (out / HEADER).read_text(encoding="utf-8").partition("\n")[2]  # without its checksum
    plain, _, tables = text.partition("\n\n")
    (out / HEADER).write_text("\n".join(reversed(plain.splitlines())) + "\n\n" + tables, encoding="utf-8")
    assert read_header(out) == header
    assert end(carried_out(spec_of(out, resume=True))).reason is FinishReason.COMPLETED


def test_resuming_with_anything_else_is_refused_with_everything_that_differs(
    workplace: Workplace, tmp_path: Path
) -> None:
    out, project = tmp_path / "run", make_project()
    carried_out(spec_of(out))
    other = replace(project, plan=replace(project.plan, nominal=Effectiveness(0.8, 0.9)))
    settings = replace(SETTINGS, planners=(NONE, GRADIENT), allowance=900, budget=5, excess=2.0, seed=1)
    found = [problem.what for problem in refused(spec_of(out, settings, project=other, resume=True))]

    for text in ("Fire simulations = 600, now 900", "Drop budget = 0, now 5", "Cost of excess drops = 10.0, now 2.0",
                 "First seed = 0", "How well retardant works = 0.9, now 0.8", "random-uniform-0"):  # fmt: skip
        assert any(text in what for what in found), text
    elsewhere = spec_of(out, project=make_project(seed=1), resume=True)
    assert "another event" in refused(elsewhere)[0].what
    fleet = replace(project, grounded={})
    assert "another fleet" in refused(spec_of(out, project=fleet, resume=True))[0].what


def test_rows_of_another_engine_are_not_added_to(workplace: Workplace, tmp_path: Path) -> None:
    out = tmp_path / "run"
    carried_out(spec_of(out))
    header = read_header(out)
    then = replace(header, backend="another", versions={**header.versions, "numpy": "1.0", "cma": "not installed"})
    write_header(out, then)
    found = [problem.what for problem in refused(spec_of(out, resume=True))]
    assert len(found) == 2 and "backend another" in found[0] and "numpy 1.0" in found[1]


def test_bad_input_is_listed_at_once_and_nothing_is_written(workplace: Workplace, tmp_path: Path) -> None:
    project = make_project()
    settings = BenchmarkSettings((DE,), matched=(PlannerName.TWO_STAGE,), seeds=0, allowance=0)
    bad = replace(project, plan=replace(project.plan, days=99))
    spec = spec_of(tmp_path / "run", settings, project=bad, processes=-1)
    finished = end(carried_out(spec, FakeEngine(missing={DE: "nevergrad"})))

    found = [str(problem) for problem in finished.problems]
    for text in ("Seeds", "Fire simulations", "-1 of them", "needs the package nevergrad", "pip install",
                 "matched allowance", "weather for 2 days"):  # fmt: skip
        assert any(text in problem for problem in found), text
    assert not (tmp_path / "run").exists() and workplace.begun == 0


def test_a_folder_that_is_taken_is_refused(workplace: Workplace, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert "no benchmark to resume" in refused(spec_of(out, resume=True))[0].what
    carried_out(spec_of(out))
    assert "holds a benchmark" in refused(spec_of(out))[0].what
    lock = FolderLock(out)
    try:
        assert "another run is writing" in refused(spec_of(out, resume=True))[0].what
    finally:
        lock.release()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    assert "is not empty" in refused(spec_of(tmp_path / "other"))[0].what


def test_pictures_of_less_than_is_asked_for_now_do_not_stay(workplace: Workplace, tmp_path: Path) -> None:
    out = tmp_path / "run"
    carried_out(spec_of(out))
    pictures = [out / f"{name}.{kind}" for name in (CONVERGENCE, CONVERGENCE_MATCHED) for kind in ("png", "svg")]
    for picture in pictures:
        picture.write_text("of two seeds")
    carried_out(spec_of(out, resume=True))
    assert all(picture.exists() for picture in pictures), "nothing was added"
    control = RunControl()
    control.request_stop()
    carried_out(spec_of(out, replace(SETTINGS, seeds=3), resume=True), control=control)
    assert read_header(out).settings.seeds == 3 and not any(picture.exists() for picture in pictures)


def test_rows_and_headers_that_cannot_be_read_are_named(workplace: Workplace, tmp_path: Path) -> None:
    out = tmp_path / "run"
    carried_out(spec_of(out))
    _header, table = read_benchmark(out)
    for row in table.rows[:2]:
        (task_folder(out, row.task) / "row.json").write_text("{")
    with pytest.raises(InputError) as error:
        read_benchmark(out)
    assert len(error.value.problems) == 2 and all("row.json" in problem.where for problem in error.value.problems)
    # Nothing is asked for in the header of what cannot be gone on with.
    assert refused(spec_of(out, replace(SETTINGS, seeds=5), resume=True)) == error.value.problems
    text = (out / HEADER).read_text().partition("\n")[2]
    (out / HEADER).write_text(text.replace("format = 1", "format = 99"))
    with pytest.raises(InputError, match="newer firegui"):
        read_header(out)


def test_a_budget_is_known_as_soon_as_the_plans_row_is_there_whatever_the_header_says(
    workplace: Workplace, tmp_path: Path
) -> None:
    carried_out(spec_of(tmp_path / "run"))
    header = tmp_path / "run" / HEADER
    header.write_text(header.read_text().partition("\n")[2].replace(f"budget = {BUDGET}", "budget = 0"))
    assert read_benchmark(tmp_path / "run")[1].budget == BUDGET


def test_progress_tells_of_the_tasks_at_work(workplace: Workplace, tmp_path: Path) -> None:
    control = RunControl()

    def answer(terms: TaskTerms) -> WorkerMessage | None:
        if terms.task.planner is not GRADIENT:
            return done(terms)
        return progress(30, 4.5, 1.25)

    events: list[RunEvent] = []

    def stop_when_told(event: RunEvent) -> None:
        events.append(event)
        if isinstance(event, BenchmarkProgress) and any(one.spent for one in event.running):
            control.request_stop(now=True)

    workplace.answer = answer
    settings = BenchmarkSettings((GRADIENT,), seeds=1, allowance=600, budget=9)
    carried_out(spec_of(tmp_path / "run", settings), control=control, hear=stop_when_told)
    told = [event for event in events if isinstance(event, BenchmarkProgress)]
    first, at_work = told[0], told[-1].running[0]
    assert (at_work.task.name, at_work.spent, at_work.allowance, at_work.best) == ("gradient-0", 30, 600, 4.5)
    assert (told[-1].done, told[-1].tasks) == (0, 1) and scalars(told[-1])["task.gradient-0"] == 30
    assert all(math.isnan(one.best) for one in first.running if not one.spent)


def test_a_pause_holds_the_workers_until_it_is_over(workplace: Workplace, tmp_path: Path) -> None:
    control = RunControl()
    states: list[RunState] = []

    def steer(event: RunEvent) -> None:
        if isinstance(event, BenchmarkReady) and len(event.table.rows) == 1:
            control.request_pause()
        if isinstance(event, StateChanged):
            states.append(event.state)
            if event.state is RunState.PAUSED:
                assert read_header(tmp_path / "run").state is not RunState.FINISHED
                control.request_resume()

    events = carried_out(spec_of(tmp_path / "run"), control=control, hear=steer)
    assert end(events).reason is FinishReason.COMPLETED
    assert states[-4:] == [RunState.RUNNING, RunState.PAUSED, RunState.RUNNING, RunState.FINISHED]
    assert list(dict.fromkeys(word for word in workplace.told if word is not OrderKind.TASK)) == [
        OrderKind.PAUSE,
        OrderKind.RESUME,
        OrderKind.STOP,
    ]


def test_a_disk_that_is_full_during_a_pause_ends_nothing(
    workplace: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    control, update = RunControl(), SavedResultFolder.update

    def refuse_pauses(folder: SavedResultFolder[Any], **values: Any) -> None:
        if values["state"] is RunState.PAUSED:
            raise InputError([Problem(HEADER, "no space left on the disk", "make room")], "Nothing was written")
        update(folder, **values)

    def steer(event: RunEvent) -> None:
        if isinstance(event, BenchmarkReady) and len(event.table.rows) == 1:
            control.request_pause()
        if isinstance(event, StateChanged) and event.state is RunState.PAUSED:
            control.request_resume()

    monkeypatch.setattr(SavedResultFolder, "update", refuse_pauses)
    events = carried_out(spec_of(tmp_path / "run"), control=control, hear=steer)
    assert end(events).reason is FinishReason.COMPLETED
    assert any("the pause could not be written" in text for text in warnings(events))


def test_progress_names_the_tasks_that_failed(workplace: Workplace, tmp_path: Path) -> None:
    answers = {"gradient-0": failure("the disk is full")}
    workplace.answer = lambda terms: answers.get(terms.task.name, done(terms))
    events = carried_out(spec_of(tmp_path / "run"))
    told = [event for event in events if isinstance(event, BenchmarkProgress)]
    assert told[0].failed == () and told[-1].failed == ((PlannerTask(GRADIENT, 0), "the disk is full"),)

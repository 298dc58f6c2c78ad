"""Tasks on the real engine, in this process."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from firegui.analyses import planner_task as benchmark_task
from firegui.analyses.execution.process_worker import OrderKind, WorkerMessage, WorkerOrder
from firegui.analyses.execution.tasks import WorkReport
from firegui.analyses.planner_task import SECONDS, TaskContext, carry_out_task
from firegui.analyses.task_files import read_rows, task_folder, write_row
from firegui.domain.benchmark import BenchmarkRow, PlannerName, PlannerTask
from firegui.domain.results import Violations
from firegui.domain.schedule import DropRecord, Schedule
from firegui.domain.settings import ObjectiveWeights, Setting
from firegui.domain.stress import StressScenario, StressSet
from firegui.errors import CancelledError, Check, InputError
from firegui.io.project.schedule_file import read_schedule
from firegui.planning.stress import stress_table
from firegui.runs.history import read_history
from firegui.runs.lock import is_held
from firegui.runs.run_folder import CHECKPOINT, HISTORY, PLAN, PRELIMINARY_HISTORY, SCHEDULE, read_run
from tests.support import assert_same_files, make_project
from tests.unit.analyses.task_contexts import (
    ALLOWANCE,
    BUDGET,
    ChannelLink,
    ObservedEngine,
    TaskContexts,
    channel_of,
    measured,
    terms_of,
)
from tests.unit.runs.fakes import raise_at

SEARCHES = [PlannerName.TACTICAL, PlannerName.GREEDY, PlannerName.CMA_ES, PlannerName.GRADIENT_DESIGN]


def other_end(context: TaskContext) -> Connection:
    assert isinstance(context.link, ChannelLink)
    return context.link.other


def received(other: Connection) -> WorkReport:
    report = msgspec.msgpack.decode(other.recv_bytes(), type=WorkerMessage).report
    assert report is not None
    return report


def reports(context: TaskContext) -> list[WorkReport]:
    other, found = other_end(context), []
    while other.poll():
        found.append(received(other))
    return found


def stopping_at(context: TaskContext, number: int) -> ObservedEngine:
    return ObservedEngine(lambda step: channel_of(context).end() if step == number else None)


def test_a_row_says_what_its_schedule_does_at_nominal_effectiveness(contexts: TaskContexts) -> None:
    context = contexts("run")
    row = carry_out_task(context, terms_of(PlannerName.GRADIENT))

    folder, model = task_folder(context.out, row.task), context.model
    schedule = read_schedule(folder / PLAN, model.fleet, model.maps.n_steps, model.maps.shape)
    scored = context.engine.simulate(model, schedule).metrics
    assert row.metrics == scored
    over = max(0, scored.drops_executed - BUDGET)
    assert row.objective == pytest.approx(scored.objective + 10.0 * over / BUDGET)
    assert row.objective == row.curve[-1][1], "it searched at nominal effectiveness"
    assert row.evaluations <= ALLOWANCE < row.evaluations + 3
    assert row.dimension == 4 * model.maps.n_steps * model.fleet.n_aircraft
    assert row.candidate == int(schedule.proposed.sum()) and row.violations == Violations(0, 0, 0)
    assert row.seconds > 0.0 and row.gradient_cost is not None
    listed = read_schedule(folder / SCHEDULE, model.fleet, model.maps.n_steps, model.maps.shape)
    assert np.array_equal(listed.proposed, schedule.proposed)


@pytest.mark.parametrize("planner", [PlannerName.TACTICAL, PlannerName.TWO_STAGE])
def test_a_row_has_the_stress_table_of_its_schedule_on_draws_of_the_sets_own_seed(
    contexts: TaskContexts, planner: PlannerName
) -> None:
    stress = StressSet((StressScenario("late", delay_minutes=30.0), StressScenario("off", pose_noise_m=60.0, draws=2)))
    project = replace(make_project(epochs=3), stress=replace(stress, seed=7))
    context = contexts("run", project)
    row = carry_out_task(context, terms_of(planner))
    folder, model = task_folder(context.out, row.task), context.model
    schedule = read_schedule(folder / PLAN, model.fleet, model.maps.n_steps, model.maps.shape)
    assert row.metrics.drops_executed
    assert row.stress == stress_table(project, model, schedule, project.stress)
    assert read_rows(context.out, (row.task,)) == (row,)


def test_a_row_of_a_schedule_without_drops_has_no_stress_table(contexts: TaskContexts) -> None:
    assert carry_out_task(contexts("run"), terms_of(PlannerName.NONE)).stress is None


class Unstressed(ObservedEngine):
    def stress_table(self, *_: Any, **_named: Any) -> Any:
        raise ValueError("a shape")


def test_a_stress_test_that_fails_leaves_the_row_without_a_table(contexts: TaskContexts) -> None:
    context = contexts("run", engine=Unstressed())
    row = carry_out_task(context, terms_of(PlannerName.TACTICAL))
    assert row.stress is None and row.metrics.drops_executed
    assert any("stress-tested (a shape)" in report.warning for report in reports(context))


def test_a_row_that_was_written_before_there_were_stress_tables_is_read(contexts: TaskContexts) -> None:
    context = contexts("run")
    row = carry_out_task(context, terms_of(PlannerName.TACTICAL))
    path = task_folder(context.out, row.task) / "row.json"
    plain = msgspec.json.decode(path.read_bytes())
    del plain["stress"]
    path.write_bytes(msgspec.json.encode(plain))
    assert read_rows(context.out, (row.task,)) == (replace(row, stress=None),)


class Withholding(ObservedEngine):
    """Its gates keep back the last drop that they should have let through."""

    def drops(self, model: Any, schedule: Schedule, *, flown: bool = False) -> tuple[DropRecord, ...]:
        kept = list(super().drops(model, schedule, flown=flown))
        last = max(number for number, drop in enumerate(kept) if drop.executed)
        kept[last] = replace(kept[last], executed=False)
        return tuple(kept)


def test_a_drop_that_the_rules_let_through_and_the_gates_did_not_is_counted(contexts: TaskContexts) -> None:
    row = carry_out_task(replace(contexts("run"), engine=Withholding()), terms_of(PlannerName.TACTICAL))
    # Its gallons and flight hours are then wrong as well.
    assert row.violations == Violations(0, 0, 0, 3)


def test_a_task_that_another_worker_has_finished_is_not_done_again(contexts: TaskContexts) -> None:
    def fail(step: int) -> None:
        raise AssertionError(step)

    row = carry_out_task(contexts("run"), terms_of(PlannerName.TACTICAL))
    assert carry_out_task(replace(contexts("run"), engine=ObservedEngine(fail)), terms_of(PlannerName.TACTICAL)) == row


def test_a_row_is_written_before_anybody_else_may_have_the_task(
    contexts: TaskContexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[bool] = []

    def write(folder: Path, row: BenchmarkRow) -> None:
        held.append(is_held(task_folder(folder, row.task)))
        write_row(folder, row)

    monkeypatch.setattr(benchmark_task, "write_row", write)
    context = contexts("run")
    carry_out_task(context, terms_of(PlannerName.TACTICAL))
    assert held == [True] and not is_held(task_folder(context.out, PlannerTask(PlannerName.TACTICAL, 0)))


def test_a_search_at_design_effectiveness_is_scored_at_the_nominal_one(contexts: TaskContexts) -> None:
    row = carry_out_task(contexts("run"), terms_of(PlannerName.GRADIENT_DESIGN))
    assert row.objective < row.curve[-1][1], "the same drops do more at the higher effectiveness"


def test_doing_nothing_costs_one_rollout_whether_the_budget_is_known_or_not(contexts: TaskContexts) -> None:
    row = carry_out_task(contexts("run"), replace(terms_of(PlannerName.NONE), budget=0))
    assert (row.evaluations, row.metrics.drops_executed, row.candidate, row.dimension) == (1, 0, 0, 0)
    assert row.objective == row.metrics.objective and row.gradient_cost is None
    known = carry_out_task(contexts("known"), terms_of(PlannerName.NONE))
    assert measured(known) == measured(row)


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHES)
def test_a_task_that_was_stopped_goes_on_to_the_very_same_row(contexts: TaskContexts, name: PlannerName) -> None:
    context, broken = contexts("run"), contexts("broken")
    whole = carry_out_task(context, terms_of(name, seed=1))
    with pytest.raises(CancelledError):
        carry_out_task(replace(broken, engine=stopping_at(broken, 1)), terms_of(name, seed=1))
    folder = task_folder(broken.out, whole.task)
    assert (folder / CHECKPOINT).is_file() and not (folder / PLAN).exists()

    assert measured(carry_out_task(contexts("broken"), terms_of(name, seed=1))) == measured(whole)
    assert_same_files(folder, task_folder(context.out, whole.task), PLAN, SCHEDULE)


def test_a_checkpoint_written_as_it_works_is_enough_to_go_on(contexts: TaskContexts) -> None:
    whole = carry_out_task(contexts("run"), terms_of(PlannerName.GRADIENT))

    killed = ObservedEngine(raise_at(5, MemoryError))
    with pytest.raises(MemoryError):
        carry_out_task(contexts("killed", checkpoint_seconds=0.0, engine=killed), terms_of(PlannerName.GRADIENT))
    steps: list[int] = []
    row = carry_out_task(contexts("killed", engine=ObservedEngine(steps.append)), terms_of(PlannerName.GRADIENT))
    assert measured(row) == measured(whole)
    everything: list[int] = []
    carry_out_task(contexts("again", engine=ObservedEngine(everything.append)), terms_of(PlannerName.GRADIENT))
    assert len(steps) == len(everything) - 5, "nothing was computed twice"


def test_a_stop_while_the_end_is_scored_keeps_the_search(contexts: TaskContexts) -> None:
    whole = carry_out_task(contexts("run"), terms_of(PlannerName.UNIFORM))
    context = contexts("broken")

    class Scoring(ObservedEngine):
        def simulate(self, model: Any, schedule: Any, *, check: Check | None = None, **rest: Any) -> Any:
            channel_of(context).end()
            return super().simulate(model, schedule, check=check, **rest)

    with pytest.raises(CancelledError):
        carry_out_task(replace(context, engine=Scoring()), terms_of(PlannerName.UNIFORM))
    steps: list[int] = []
    row = carry_out_task(contexts("broken", engine=ObservedEngine(steps.append)), terms_of(PlannerName.UNIFORM))
    assert measured(row) == measured(whole) and steps == []


def test_a_checkpoint_that_cannot_be_read_is_named(contexts: TaskContexts) -> None:
    context = contexts("run")
    folder = task_folder(context.out, PlannerTask(PlannerName.GRADIENT, 0))
    folder.mkdir(parents=True)
    (folder / CHECKPOINT).write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="delete this file and resume"):
        carry_out_task(context, terms_of(PlannerName.GRADIENT))


def test_a_checkpoint_of_another_task_is_refused_and_stays(contexts: TaskContexts) -> None:
    broken = contexts("run")
    stopped = terms_of(PlannerName.CMA_ES)
    with pytest.raises(CancelledError):
        carry_out_task(replace(broken, engine=stopping_at(broken, 2)), stopped)
    held = (task_folder(broken.out, stopped.task) / CHECKPOINT).read_bytes()

    other = terms_of(PlannerName.GRADIENT)
    place = task_folder(broken.out, other.task) / CHECKPOINT
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(held)
    with pytest.raises(InputError, match="of another task"):
        carry_out_task(contexts("run"), other)
    assert place.read_bytes() == held


def test_a_disk_that_is_full_for_a_moment_does_not_end_a_search(
    contexts: TaskContexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = carry_out_task(contexts("run"), terms_of(PlannerName.GRADIENT))
    context = contexts("full", checkpoint_seconds=0.0)
    (task_folder(context.out, whole.task) / CHECKPOINT).mkdir(parents=True)
    assert measured(carry_out_task(context, terms_of(PlannerName.GRADIENT))) == measured(whole)
    warned = [report.warning for report in reports(context) if report.warning]
    assert warned and "no checkpoint could be written" in warned[0]


def test_progress_is_told_with_what_is_spent_and_the_best(
    contexts: TaskContexts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark_task, "REPORT_SECONDS", 0.0)
    context = contexts("run")
    row = carry_out_task(context, terms_of(PlannerName.GRADIENT))
    told = [report for report in reports(context) if not report.warning]
    assert told[0].spent == 0 and told[0].best is None
    assert told[-1].spent == row.evaluations and told[-1].best == row.objective
    assert [report.spent for report in told] == sorted(report.spent for report in told)


def test_a_paused_task_is_saved_and_goes_on_when_told(contexts: TaskContexts) -> None:
    context = contexts("run")
    other = other_end(context)
    # The disk is full: that nothing can be saved is said, which here tells that the task is held.
    (task_folder(context.out, PlannerTask(PlannerName.GRADIENT, 0)) / CHECKPOINT).mkdir(parents=True)
    warned: list[str] = []

    def resume_when_held() -> None:
        while not warned:
            report = received(other)
            warned.extend([report.warning] if report.warning else [])
        other.send_bytes(msgspec.msgpack.encode(WorkerOrder(OrderKind.RESUME)))

    watcher = threading.Thread(target=resume_when_held, daemon=True)

    def hold(step: int) -> None:
        if step == 2:
            watcher.start()
            other.send_bytes(msgspec.msgpack.encode(WorkerOrder(OrderKind.PAUSE)))
            while not context.link.control.pause_requested:
                time.sleep(0.01)

    row = carry_out_task(replace(context, engine=ObservedEngine(hold)), terms_of(PlannerName.GRADIENT))
    watcher.join()
    assert "no checkpoint could be written" in warned[0]
    assert measured(row) == measured(carry_out_task(contexts("again"), terms_of(PlannerName.GRADIENT)))


# -- the two-stage plan -----------------------------------------------------------------------------------------------
def test_the_two_stage_plan_is_a_run_that_is_charged_for_all_that_it_takes(contexts: TaskContexts) -> None:
    context = contexts("run")
    row = carry_out_task(context, terms_of(PlannerName.TWO_STAGE))

    record = read_run(task_folder(context.out, row.task))
    assert record.scores.pruned is not None and record.settings.optimizer.seed == 0
    pruned = record.scores.pruned
    assert row.evaluations == 3 * len(record.history) + pruned.rollouts + 2 * pruned.passes and pruned.passes > 0
    assert row.metrics == record.metrics and row.objective == row.metrics.objective, "its drops are the budget"
    spent, best = row.curve[-1]
    assert best == min(epoch.objective for epoch in record.history) and spent <= 3 * len(record.history)
    assert row.violations == Violations(0, 0, 0) and row.seconds > 0.0 and row.gradient_cost is None


def test_setting_b_is_charged_for_the_first_stage_that_it_begins_with(contexts: TaskContexts) -> None:
    project = make_project(epochs=8)
    plan = replace(project.plan, setting=Setting.B, weights=ObjectiveWeights.of(Setting.B))
    context = contexts("run", replace(project, plan=plan))
    row = carry_out_task(context, terms_of(PlannerName.TWO_STAGE))

    folder = task_folder(context.out, row.task)
    preliminary, main = (len(read_history(folder / name, 8)) for name in (PRELIMINARY_HISTORY, HISTORY))
    pruned = read_run(folder).scores.pruned
    assert pruned is not None and preliminary == 8
    assert row.evaluations == 3 * (preliminary + main) + pruned.rollouts + 2 * pruned.passes
    assert all(spent > 3 * preliminary for spent, _ in row.curve)


def test_a_given_budget_is_what_the_two_stage_plan_is_scored_under(contexts: TaskContexts) -> None:
    row = carry_out_task(contexts("run"), replace(terms_of(PlannerName.TWO_STAGE), budget=2))
    over = row.metrics.drops_executed - 2
    assert over > 0 and row.objective == pytest.approx(row.metrics.objective + 10.0 * over / 2)


def test_a_two_stage_plan_that_was_stopped_goes_on_and_adds_its_time(contexts: TaskContexts) -> None:
    whole = carry_out_task(contexts("run"), terms_of(PlannerName.TWO_STAGE))
    context = contexts("broken", checkpoint_seconds=0.0)
    folder = task_folder(context.out, whole.task)
    heard: list[int] = []

    def stop(spent: int, best: float, seconds: float, allowance: int = 0) -> None:
        heard.append(spent)
        channel_of(context).end()

    context.link.send_progress = stop  # type: ignore[method-assign]
    with pytest.raises(CancelledError):
        carry_out_task(context, terms_of(PlannerName.TWO_STAGE))
    before = float((folder / SECONDS).read_text())
    assert before > 0.0 and heard

    row = carry_out_task(contexts("broken"), terms_of(PlannerName.TWO_STAGE))
    assert measured(row) == measured(whole) and row.seconds > before
    kept = carry_out_task(contexts("broken"), terms_of(PlannerName.TWO_STAGE))
    assert measured(kept) == measured(whole) and kept.seconds >= row.seconds
    assert (folder / PLAN).read_bytes() == (task_folder(contexts("run").out, whole.task) / PLAN).read_bytes()

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from firegui.domain.schedule import Schedule
from firegui.domain.settings import ObjectiveWeights, Setting
from firegui.errors import InputError
from firegui.runs.control import RunControl
from firegui.runs.events import Message, PlanUpdated, Progress, RunEvent, StageBegan
from firegui.runs.history import elimination_text, read_elimination
from firegui.runs.run_folder import ELIMINATION, PRELIMINARY, REFERENCE, read_run
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import EliminationStep, EpochDone, FinishReason, RunState, Stage
from firegui.runs.titles import warm_start_text
from tests.support import assert_same_files, make_project
from tests.unit.runs.fakes import FakeEngine, FakeRollout, carried_out, end, problems_of, raise_at

BOTH = (Stage.OPTIMIZE, Stage.PRUNE)


def listed(drops: int, steps: int = 20, aircraft: int = 4) -> Schedule:
    schedule = Schedule.empty(steps, aircraft)
    schedule.logits.ravel()[:drops] = 3.0
    return schedule


@pytest.fixture
def spec(tmp_path: Path) -> PlanSpec:
    return PlanSpec(
        make_project(epochs=6), tmp_path / "run", "firegui plan …", stages=BOTH, snapshot_seconds=float("inf"),
        checkpoint_seconds=0.0,
    )  # fmt: skip


@pytest.fixture
def prune(spec: PlanSpec, tmp_path: Path) -> PlanSpec:
    return replace(spec, stages=(Stage.PRUNE,), warm_start=listed(6), warm_start_file=tmp_path / "s.csv")


def of_setting_b(spec: PlanSpec) -> PlanSpec:
    plan = replace(spec.project.plan, setting=Setting.B, weights=ObjectiveWeights.of(Setting.B))
    return replace(spec, project=replace(spec.project, plan=plan))


def began(events: list[RunEvent]) -> list[tuple[Stage, int, int]]:
    return [(event.stage, event.number, event.count) for event in events if isinstance(event, StageBegan)]


def test_a_plan_goes_through_both_stages(spec: PlanSpec) -> None:
    events = carried_out(spec)
    assert began(events) == [(Stage.OPTIMIZE, 1, 2), (Stage.PRUNE, 2, 2)]
    record = read_run(spec.out)
    assert record.stages == BOTH
    assert len(record.history) == 6
    assert record.scores.pruned is not None
    assert record.scores.pruned.finished == "minimal"
    assert record.scores.reference is not None
    assert (spec.out / REFERENCE).is_file()
    assert end(events).reason is FinishReason.COMPLETED


def test_pruning_alone_begins_with_the_schedule_it_is_given(prune: PlanSpec) -> None:
    events = carried_out(prune)
    steps = [event for event in events if isinstance(event, EliminationStep)]
    assert began(events) == [(Stage.PRUNE, 1, 1)]
    assert [step.drops for step in steps] == [5, 4, 3, 2, 1]
    assert not any(isinstance(event, EpochDone) for event in events)
    assert "6 drops reduced to 1" in end(events).message
    assert "no single remaining drop can be removed" in end(events).message
    drops = [event for event in events if isinstance(event, PlanUpdated)][-1]
    assert (drops.stage, len(drops.drops)) == (Stage.PRUNE, 1)


def test_a_run_says_whose_plan_it_begins_with_and_for_which_goal(spec: PlanSpec, tmp_path: Path) -> None:
    carried_out(spec)
    file = spec.out / "plan.safetensors"
    weights = "burned area day by day 50, final size 50, protected places 10, number of drops 0.000001"
    goal = f"Whole fire and regions (own weights: {weights})"
    later = replace(spec, out=tmp_path / "later", warm_start=listed(6), warm_start_file=file)
    assert Message(f"begins with the plan of run; goal: {goal}") in carried_out(later)
    other = of_setting_b(replace(later, out=tmp_path / "other"))
    said = f"begins with the plan of run, made for another goal ({goal}); the goal of this run: Regions"
    assert Message(said) in carried_out(other)
    assert warm_start_text(tmp_path / "a.csv", other.project.plan) == "begins with the plan of a.csv; goal: Regions"


def test_pruning_nothing_is_refused_before_anything_is_written(prune: PlanSpec) -> None:
    assert "there is none to prune" in problems_of(carried_out(replace(prune, warm_start=None)))
    assert not prune.out.exists()


def test_the_steps_of_the_elimination_are_kept_as_a_table(prune: PlanSpec) -> None:
    events = carried_out(prune)
    steps = tuple(event for event in events if isinstance(event, EliminationStep))
    assert repr(read_run(prune.out).elimination) == repr(steps)


def test_the_table_reads_back_what_was_written(tmp_path: Path) -> None:
    row = EliminationStep(9, 1, 7, 9, 2, 3, 9, 4, 0.1 + 0.2, 0.9, float("nan"), 1.5)
    (tmp_path / ELIMINATION).write_text(elimination_text([row]))
    assert repr(read_elimination(tmp_path / ELIMINATION)) == repr((row,))
    (tmp_path / ELIMINATION).write_text("rollouts,drops\n1,2\n")
    with pytest.raises(InputError, match="not a log of an elimination"):
        read_elimination(tmp_path / ELIMINATION)


@pytest.mark.parametrize(("epoch", "removal"), [(0, None), (3, None), (None, 0), (None, 2), (None, 4)])
def test_a_run_killed_in_either_stage_ends_like_an_unbroken_one(
    spec: PlanSpec, tmp_path: Path, epoch: int | None, removal: int | None
) -> None:
    start = replace(spec, stages=BOTH if epoch is not None else (Stage.PRUNE,))
    if epoch is None:
        start = replace(start, warm_start=listed(6))
    whole = replace(start, out=tmp_path / "whole")
    carried_out(whole)
    with pytest.raises(KeyboardInterrupt):
        carried_out(
            start,
            FakeEngine(
                during_epoch=raise_at(epoch, KeyboardInterrupt), during_removal=raise_at(removal, KeyboardInterrupt)
            ),
        )
    broken = read_run(start.out)
    assert broken.state is not RunState.FINISHED
    carried_out(replace(start, resume=True, warm_start=None if broken.can_resume else start.warm_start))
    assert_same_files(start.out, whole.out, "plan.safetensors", "schedule.csv")
    then, now = read_run(whole.out), read_run(start.out)
    assert [row.epoch for row in now.history] == [row.epoch for row in then.history]
    assert [row.rollouts for row in now.elimination] == [row.rollouts for row in then.elimination]
    assert now.scores.nominal == then.scores.nominal


def test_a_stop_while_pruning_keeps_what_is_left_and_can_go_on(prune: PlanSpec) -> None:
    control = RunControl()
    engine = FakeEngine(during_removal=lambda number: control.request_stop() if number == 2 else None)
    finished = end(carried_out(prune, engine, control))
    assert finished.reason is FinishReason.STOPPED
    assert "6 drops reduced to 4 so far" in finished.message
    assert finished.nominal is not None
    assert finished.nominal.drops_executed == 4
    again = end(carried_out(replace(prune, resume=True)))
    assert again.reason is FinishReason.COMPLETED
    assert "6 drops reduced to 1" in again.message


class Exposed(FakeEngine):
    """Protected exposure is ``exposure`` under any schedule with a drop."""

    exposure = 1.0

    def rollout(self, model: object, result: object, frame_stride: int | None) -> FakeRollout:
        made = super().rollout(model, result, frame_stride)  # type: ignore[arg-type]
        return replace(made, metrics=replace(made.metrics, loss_prot=self.exposure))


def test_setting_b_begins_with_the_first_stage_of_setting_a(spec: PlanSpec) -> None:
    engine = Exposed()
    weighed: list[ObjectiveWeights] = []
    plain = engine.planner

    def planner(model: object, *rest: object) -> object:
        weighed.append(model.weights)  # type: ignore[attr-defined]
        return plain(model, *rest)  # type: ignore[arg-type]

    engine.planner = planner  # type: ignore[method-assign,assignment]
    events = carried_out(of_setting_b(spec), engine)
    assert began(events) == [(Stage.OPTIMIZE, 1, 3), (Stage.OPTIMIZE, 2, 3), (Stage.PRUNE, 3, 3)]
    assert weighed[0] == ObjectiveWeights.of(Setting.A)
    assert weighed[1] != weighed[0]
    assert (spec.out / PRELIMINARY).is_file()


def test_setting_b_needs_no_first_stage_when_the_floor_is_met(spec: PlanSpec) -> None:
    engine = Exposed()
    engine.exposure = 0.5e-4
    events = carried_out(of_setting_b(spec), engine)
    assert began(events) == [(Stage.OPTIMIZE, 1, 3), (Stage.PRUNE, 3, 3)]
    assert any("no search is needed" in event.text for event in events if isinstance(event, Message))


@pytest.mark.parametrize("epoch", [2, 7])
def test_setting_b_killed_in_either_first_stage_ends_like_an_unbroken_one(
    spec: PlanSpec, tmp_path: Path, epoch: int
) -> None:
    spec = of_setting_b(spec)
    whole = replace(spec, out=tmp_path / "whole")
    carried_out(whole, Exposed())
    count = [0]

    def die(_: int) -> None:
        count[0] += 1
        if count[0] == epoch + 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carried_out(spec, Exposed(during_epoch=die))
    carried_out(replace(spec, resume=True), Exposed())
    assert_same_files(spec.out, whole.out, "plan.safetensors", "schedule.csv", REFERENCE, PRELIMINARY)


def smoothed(spec: PlanSpec, epochs: int) -> PlanSpec:
    settings = replace(spec.project.plan.elimination, smoothing=epochs)
    return replace(spec, project=replace(spec.project, plan=replace(spec.project.plan, elimination=settings)))


def test_what_is_left_is_smoothed_where_that_was_asked_for(prune: PlanSpec) -> None:
    events = carried_out(smoothed(prune, 5))
    assert [event.done for event in events if isinstance(event, Progress)] == [0, 1, 2, 3, 4]
    assert "the drops were moved over 5 search steps" in end(events).message
    record = read_run(prune.out)
    assert record.scores.pruned is not None
    assert (record.scores.pruned.drops, record.scores.pruned.smoothed) == (1, 5)


@pytest.mark.parametrize("epoch", [0, 3])
def test_a_run_killed_while_smoothing_ends_like_an_unbroken_one(prune: PlanSpec, tmp_path: Path, epoch: int) -> None:
    spec = smoothed(prune, 5)
    whole = replace(spec, out=tmp_path / "whole")
    carried_out(whole)

    with pytest.raises(KeyboardInterrupt):
        carried_out(spec, FakeEngine(during_smoothing=raise_at(epoch, KeyboardInterrupt)))
    carried_out(replace(spec, resume=True))
    assert_same_files(spec.out, whole.out, "plan.safetensors", "schedule.csv")


def test_a_stop_while_smoothing_keeps_the_best_poses_so_far(prune: PlanSpec) -> None:
    control = RunControl()
    engine = FakeEngine(during_smoothing=lambda number: control.request_stop() if number == 2 else None)
    finished = end(carried_out(smoothed(prune, 5), engine, control))
    assert finished.reason is FinishReason.STOPPED
    record = read_run(prune.out)
    assert record.scores.pruned is not None
    assert record.scores.pruned.smoothed == 2
    assert "the drops were moved over 5" in end(carried_out(replace(smoothed(prune, 5), resume=True))).message


def test_a_run_goes_on_only_with_the_stages_it_was_begun_with(prune: PlanSpec) -> None:
    carried_out(prune)
    said = problems_of(carried_out(replace(prune, stages=BOTH, resume=True)))
    assert "is a run of prune alone" in said and "firegui prune" in said


def test_the_first_stage_cannot_go_on_once_the_second_has_begun(spec: PlanSpec) -> None:
    carried_out(spec)
    settings = replace(spec.project.plan.optimizer, epochs=60)
    more = replace(spec.project, plan=replace(spec.project.plan, optimizer=settings))
    assert "has done its search" in problems_of(carried_out(replace(spec, project=more, resume=True)))


def test_setting_b_that_was_given_a_start_goes_on_from_its_checkpoint_without_setting_a(
    spec: PlanSpec, tmp_path: Path
) -> None:
    spec = replace(of_setting_b(spec), warm_start=listed(6), warm_start_file=tmp_path / "s.csv")
    whole = replace(spec, out=tmp_path / "whole")
    carried_out(whole, Exposed())
    with pytest.raises(KeyboardInterrupt):
        carried_out(spec, Exposed(during_epoch=raise_at(3, KeyboardInterrupt)))
    events = carried_out(replace(spec, warm_start=None, resume=True), Exposed())
    assert began(events) == [(Stage.OPTIMIZE, 1, 2), (Stage.PRUNE, 2, 2)]
    assert (spec.out / REFERENCE).read_bytes() == (whole.out / REFERENCE).read_bytes()


def test_a_run_does_not_go_on_from_another_schedule(prune: PlanSpec) -> None:
    control = RunControl()
    engine = FakeEngine(during_removal=lambda number: control.request_stop() if number == 2 else None)
    carried_out(prune, engine, control)
    other = replace(prune, warm_start=listed(5), resume=True)
    assert "was started from another schedule" in problems_of(carried_out(other))


def test_a_run_that_used_up_its_allowance_goes_on_with_a_larger_one(prune: PlanSpec) -> None:
    carried_out(prune)
    settings = replace(prune.project.plan.elimination, allowance=90_000)
    more = replace(prune.project, plan=replace(prune.project.plan, elimination=settings))
    assert end(carried_out(replace(prune, project=more, resume=True))).reason is FinishReason.COMPLETED

"""The stress test at the end of every plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.analyses.nested_plan import nested_spec
from firegui.analyses.stress.results import read_table
from firegui.domain.removal_curve import RemovalCurve
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Margin
from firegui.domain.stress import (
    StressScenario,
    StressSet,
    StressTable,
    StressTestSettings,
    growth_left_text,
    missed_text,
    untested_names,
    verdict_text,
)
from firegui.planning import margin
from firegui.planning.margin import MarginPlanning
from firegui.planning.problem import build
from firegui.planning.stress import stress_table
from firegui.runs.control import RunControl
from firegui.runs.events import RunEvent, StateChanged, StressReady, StressTestProgress
from firegui.runs.leaks import read_leaks
from firegui.runs.run_folder import (
    ELIMINATION_CHECKPOINT,
    LEAK,
    METRICS,
    PLAN,
    SCHEDULE,
    kept_schedule,
    read_removal_curve,
    read_run,
)
from firegui.runs.run_repair import damaged_files
from firegui.runs.runner import execute
from firegui.runs.second_stage import SecondStage
from firegui.runs.spec import PlanSpec, StressSpec
from firegui.runs.stages import FinishReason, RunState, Stage
from firegui.runs.summary import run_summary
from tests.support import make_project
from tests.unit.planning.test_margin import project as margin_project
from tests.unit.runs.fakes import PAUSED_ONCE, FakeEngine, carried_out, end, raise_at, states, two_drops, warnings

pytestmark = pytest.mark.usefixtures("short_repairs")

SET = StressSet((
    StressScenario("late", delay_minutes=30.0),
    StressScenario("failing", failure_rate=0.5, draws=2),
    StressScenario("repaired", failure_rate=0.5, repair_hours=24.0),
))  # fmt: skip
PROJECT = replace(make_project(epochs=4), stress=SET)


@pytest.fixture
def spec(tmp_path: Path) -> PlanSpec:
    return PlanSpec(PROJECT, tmp_path / "run", "firegui plan …", snapshot_seconds=float("inf"))


@pytest.mark.parametrize("stages", [(Stage.OPTIMIZE, Stage.PRUNE), (Stage.TACTICAL,), (Stage.KEEP,), (Stage.PRUNE,)])
def test_a_plan_of_any_stages_keeps_the_table_of_the_projects_set(spec: PlanSpec, stages: tuple[Stage, ...]) -> None:
    assert PROJECT.plan.margin.kind is Margin.NONE
    start = two_drops(PROJECT) if stages in ((Stage.KEEP,), (Stage.PRUNE,)) else None
    events: list[RunEvent] = []
    execute(replace(spec, stages=stages, warm_start=start), events.append, RunControl())
    scores = read_run(spec.out).scores
    assert scores.stress is not None and scores.nominal is not None
    model = build(PROJECT, PROJECT.plan.nominal)
    assert scores.stress == stress_table(PROJECT, model, kept_schedule(spec.out, PROJECT), SET)
    assert [result.scenario.name for result in scores.stress.results] == ["late", "failing"]
    maps, files = read_leaks(spec.out, scores.stress), read_run(spec.out).header.files
    assert list(maps) == ["", "late", "failing"] and files is not None and LEAK in files
    assert set(np.unique(maps["failing"])) <= {0.0, 0.5, 1.0}
    assert scores.stress.nominal.draws[0].cells == scores.nominal.final_extent_cells
    assert end(events).message.endswith(growth_left_text(scores.stress))
    assert [event.table for event in events if isinstance(event, StressReady)] == [scores.stress]
    told = [event for event in events if isinstance(event, StressTestProgress)]
    # Those of the table without the model itself, which comes first.
    assert [(event.done, event.total) for event in told] == [(0, 2), (0, 2), (1, 2)]
    assert [event.share for event in told] == [0.0, 1 / 3, 2 / 3]


def test_a_plan_without_drops_is_tested_and_does_not_hold(spec: PlanSpec) -> None:
    empty = Schedule.empty(PROJECT.calendar.n_steps, PROJECT.fleet.n_aircraft)
    carried_out(replace(spec, stages=(Stage.KEEP,), warm_start=empty), FakeEngine())
    record = read_run(spec.out)
    assert record.scores.nominal is not None and record.scores.nominal.drops_executed == 0
    summary = run_summary(record)
    assert summary is not None and summary.headline()[0][1].startswith("⚠ Does not hold: ")


def test_a_stop_during_the_stress_test_keeps_a_complete_plan_without_a_table(spec: PlanSpec) -> None:
    control = RunControl()
    finished = end(carried_out(spec, FakeEngine(during_scenario=lambda _number: control.request_stop()), control))
    record = read_run(spec.out)
    assert finished.reason is FinishReason.COMPLETED and finished.nominal is not None
    assert record.scores.nominal is not None and record.scores.stress is None
    assert "stress" not in finished.message


def test_a_stopped_plan_is_not_tested_until_it_is_resumed_to_its_end(spec: PlanSpec) -> None:
    control = RunControl()

    def stop(epoch: int) -> None:
        if epoch == 2:
            control.request_stop()

    carried_out(spec, FakeEngine(during_epoch=stop), control)
    assert read_run(spec.out).scores.stress is None
    # The map of another plan would be taken for that of this one.
    (spec.out / LEAK).write_bytes(b"")
    control = RunControl()
    broken_off = FakeEngine(during_scenario=lambda _number: control.request_stop())
    carried_out(replace(spec, resume=True), broken_off, control)
    assert read_run(spec.out).scores.stress is None and not (spec.out / LEAK).exists()


def test_a_damaged_map_of_leaks_is_made_again_when_the_run_is_resumed(spec: PlanSpec) -> None:
    carried_out(spec, FakeEngine())
    (spec.out / LEAK).write_bytes(b"")
    assert damaged_files(spec.out, read_run(spec.out).header) == {LEAK}
    carried_out(replace(spec, resume=True), FakeEngine())
    table = table_of(spec.out)
    assert not damaged_files(spec.out, read_run(spec.out).header) and len(read_leaks(spec.out, table)) == 3


@pytest.mark.parametrize("error", [MemoryError(), ValueError("a shape"), OSError(28, "No space left on device")])
def test_a_stress_test_that_fails_does_not_lose_the_plan(spec: PlanSpec, error: Exception) -> None:
    events = carried_out(spec, FakeEngine(during_scenario=raise_at(1, error)))
    assert end(events).reason is FinishReason.COMPLETED
    record = read_run(spec.out)
    assert record.has_plan and record.scores.nominal is not None and record.scores.stress is None
    assert any("could not be stress-tested" in text for text in warnings(events))
    assert (spec.out / "error.log").is_file() == isinstance(error, ValueError)


def test_the_stress_test_can_be_paused(spec: PlanSpec) -> None:
    control = RunControl()

    def note(event: RunEvent) -> None:
        if isinstance(event, StressTestProgress) and event.done == 0:
            control.request_pause()
        if isinstance(event, StateChanged) and event.state is RunState.PAUSED:
            control.request_resume()

    events = carried_out(spec, control=control, hear=note)
    assert states(events) == PAUSED_ONCE
    assert read_run(spec.out).scores.stress is not None


def test_where_every_scenario_is_replanned_there_is_no_table(spec: PlanSpec) -> None:
    project = replace(PROJECT, stress=StressSet(SET.scenarios[2:]))
    events = carried_out(replace(spec, project=project))
    assert read_run(spec.out).scores.stress is None
    assert not any(isinstance(event, (StressReady, StressTestProgress)) for event in events)


def margin_spec(out: Path) -> PlanSpec:
    """Return a plan with the stress margin whose removal comes through several plans."""
    return PlanSpec(margin_project(), out, "firegui plan …", stages=(Stage.OPTIMIZE, Stage.PRUNE))


def saved_curve(out: Path) -> RemovalCurve:
    curve = read_removal_curve(out)
    assert curve is not None
    return curve


Table = Callable[..., StressTable]


def stricter_table(least: int) -> Table:
    """Return a stress test that leaves all of the growth in “late” where there are fewer drops than ``least``."""
    table = MarginPlanning.table

    def stricter(self: MarginPlanning, model: Any, schedule: Schedule, **named: Any) -> StressTable:
        found = table(self, model, schedule, **named)
        if found.drops >= least:
            return found
        results = tuple(
            replace(one, draws=tuple(replace(draw, share=1.0) for draw in one.draws))
            if one.scenario.name == "late"
            else one
            for one in found.results
        )
        return replace(found, results=results)

    return stricter


@pytest.mark.parametrize("needs", [0, 1, 2])
def test_the_last_plan_of_a_removal_that_holds_in_the_stress_test_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, needs: int
) -> None:
    whole = margin_spec(tmp_path / "whole")
    execute(whole, lambda _event: None, RunControl())
    curve = saved_curve(whole.out)
    assert not missed_text(read_run(whole.out).scores.stress, whole.project.plan)
    held = [point.drops for point in curve.points if point.drops >= curve.taken and not point.excess > 1.0]
    assert held[-1] == curve.taken
    least = held[-1 - needs]
    monkeypatch.setattr(MarginPlanning, "table", stricter_table(least))
    spec, events = margin_spec(tmp_path / "run"), list[RunEvent]()
    execute(spec, events.append, RunControl())
    record, kept = read_run(spec.out), saved_curve(spec.out)
    assert record.metrics is not None and record.scores.stress is not None and record.scores.pruned is not None
    assert record.metrics.drops_executed == least == record.scores.stress.drops == record.scores.pruned.drops
    assert not missed_text(record.scores.stress, spec.project.plan)
    assert kept.taken == least and record.scores.pruned.removed_to == (curve.taken if needs else 0)
    assert [event.table for event in events if isinstance(event, StressReady)] == [record.scores.stress]
    place = kept.place_of(least)
    assert place is not None
    plan = kept_schedule(spec.out, spec.project)
    assert np.array_equal(plan.proposed, kept.schedule(place).proposed)
    assert ("but not in the stress test" in end(events).message) is bool(needs)
    assert_same_maps(spec.out, record.scores.stress, stress_tested(spec, tmp_path / "test"))


def test_a_plan_that_no_plan_of_the_removal_replaces_stays_and_says_which_test_it_held_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: MarginPlanning, model: Any, schedule: Schedule, **named: Any) -> StressTable:
        found = table(self, model, schedule, **named)
        return replace(found, nominal=replace(found.nominal, draws=(replace(found.nominal.draws[0], share=1.0),)))

    table = MarginPlanning.table
    monkeypatch.setattr(MarginPlanning, "table", fails)
    spec, events = margin_spec(tmp_path / "run"), list[RunEvent]()
    execute(spec, events.append, RunControl())
    record, curve = read_run(spec.out), saved_curve(spec.out)
    assert record.scores.pruned is not None and record.metrics is not None
    assert record.metrics.drops_executed == curve.taken == record.scores.pruned.drops
    assert record.scores.pruned.removed_to == 0
    assert untested_names(record.scores.stress) == ("failures, repaired",), "the verdict stands without it"
    assert "held on the random draws of the removal, but does not in the stress test" in end(events).message


def test_a_run_that_took_an_earlier_plan_keeps_it_when_it_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = margin_spec(tmp_path / "whole")
    execute(whole, lambda _event: None, RunControl())
    curve = saved_curve(whole.out)
    least = min(point.drops for point in curve.points if point.drops > curve.taken and not point.excess > 1.0)
    monkeypatch.setattr(MarginPlanning, "table", stricter_table(least))
    spec = margin_spec(tmp_path / "run")
    execute(spec, lambda _event: None, RunControl())
    files = (PLAN, SCHEDULE, METRICS, ELIMINATION_CHECKPOINT)
    before, control = {name: (spec.out / name).read_bytes() for name in files}, RunControl()

    def stop(event: RunEvent) -> None:
        if isinstance(event, StressTestProgress):
            control.request_stop()

    execute(replace(spec, resume=True), stop, control)
    record = read_run(spec.out)
    assert record.scores.stress is None and record.scores.pruned is not None
    assert (record.scores.pruned.drops, record.scores.pruned.removed_to) == (least, curve.taken)
    assert (spec.out / PLAN).read_bytes() == before[PLAN]
    execute(replace(spec, resume=True), lambda _event: None, RunControl())
    assert {name: (spec.out / name).read_bytes() for name in files} == before


def test_earlier_plans_that_cannot_be_tested_do_not_lose_the_last_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails, calls = stricter_table(1_000), iter(range(9))

    def once(self: MarginPlanning, model: Any, schedule: Schedule, **named: Any) -> StressTable:
        if next(calls) > 0:
            raise MemoryError
        return fails(self, model, schedule, **named)

    monkeypatch.setattr(MarginPlanning, "table", once)
    spec, events = margin_spec(tmp_path / "run"), list[RunEvent]()
    execute(spec, events.append, RunControl())
    assert end(events).reason is FinishReason.COMPLETED
    assert any("earlier plans of the removal could not be stress-tested" in text for text in warnings(events))
    assert read_run(spec.out).has_plan and missed_text(table_of(spec.out), spec.project.plan)


def test_a_removal_curve_that_cannot_be_scored_does_not_lose_the_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: SecondStage, model: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(SecondStage, "score_curve", fails)
    spec, events = margin_spec(tmp_path / "run"), list[RunEvent]()
    execute(spec, events.append, RunControl())
    assert end(events).reason is FinishReason.COMPLETED and table_of(spec.out) is not None
    assert any("the removal curve could not be scored" in text for text in warnings(events))


REPAIRED = "failures, repaired"


def stress_tested(spec: PlanSpec, out: Path) -> Path:
    """Return the folder of a stress test of the plan of a run in all scenarios of its project."""
    schedule, settings = kept_schedule(spec.out, spec.project), StressTestSettings(stress=spec.project.stress)
    file = spec.out / PLAN
    execute(
        StressSpec(spec.project, out, "again", settings, schedule, schedule_file=file),
        lambda _event: None,
        RunControl(),
    )
    return out


def assert_same_maps(run: Path, table: StressTable, test: Path) -> None:
    """Compare the maps of a run with those of a stress test, which simulates one draw after the other."""
    found, expected = read_leaks(run, table), read_leaks(test, read_table(test))
    assert any(share.any() for share in expected.values())
    for name in filter(None, found):
        np.testing.assert_array_equal(found[name], expected[name])


def table_of(out: Path) -> StressTable:
    table = read_run(out).scores.stress
    assert table is not None
    return table


def test_a_plan_that_holds_is_tested_with_repair_as_a_stress_test_does_it(tmp_path: Path) -> None:
    spec, events = margin_spec(tmp_path / "run"), list[RunEvent]()
    execute(spec, events.append, RunControl())
    table, project = table_of(spec.out), spec.project
    assert [one.scenario for one in table.results] == list(project.stress.scenarios) and not table.left_out
    assert verdict_text(table, project.plan, 1.0) == f"Holds in all {len(project.stress.scenarios)} scenarios"
    assert [event.table for event in events if isinstance(event, StressReady)] == [table]
    told = [event for event in events if isinstance(event, StressTestProgress)]
    scenarios = len(table.results)
    assert [(event.done, event.total) for event in told] == [(max(step - 1, 0), scenarios) for step in range(7)]
    assert [event.share for event in told] == [step / 7 for step in range(7)]
    assert told[-1].text == f"stress test: {REPAIRED}, draw 1 of 1"
    test = stress_tested(spec, tmp_path / "test")
    assert read_table(test).result(REPAIRED) == table.result(REPAIRED)
    assert_same_maps(spec.out, table, test)


def test_a_stop_in_the_test_with_repair_keeps_the_table_of_the_others(tmp_path: Path) -> None:
    spec, events, control = margin_spec(tmp_path / "run"), list[RunEvent](), RunControl()

    def hear(event: RunEvent) -> None:
        events.append(event)
        if isinstance(event, StressTestProgress) and REPAIRED in event.text:
            control.request_stop()

    execute(spec, hear, control)
    table = table_of(spec.out)
    assert untested_names(table) == (REPAIRED,) and len(table.results) == 5
    finished = end(events)
    assert finished.reason is FinishReason.COMPLETED and finished.message.endswith(growth_left_text(table))
    assert verdict_text(table, spec.project.plan, 1.0) == "Holds in all 5 tested scenarios"
    assert REPAIRED not in read_leaks(spec.out, table)
    # A later test of the plan adds the scenario to the table, and its map.
    test = stress_tested(spec, tmp_path / "test")
    assert REPAIRED in read_leaks(spec.out, table_of(spec.out))
    assert_same_maps(spec.out, table_of(spec.out), test)


@pytest.mark.parametrize("most", [-1, 810])
def test_the_test_with_repair_is_left_out_where_it_takes_too_long_or_is_not_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(margin, "MOST_REPLANNING_EPOCHS", most)
    spec = replace(margin_spec(tmp_path / "run"), tests_repair=most < 0)
    execute(spec, lambda _event: None, RunControl())
    assert untested_names(table_of(spec.out)) == (REPAIRED,) and len(table_of(spec.out).results) == 5
    assert not nested_spec(spec.project, tmp_path, "auto", 1.0, None).tests_repair


def test_a_world_with_repair_that_cannot_be_computed_is_named_with_the_reason(tmp_path: Path) -> None:
    spec = margin_spec(tmp_path / "run")
    windy = StressScenario("windy", wind_speed_factor=1.2, repair_hours=24.0)
    stress = StressSet((*spec.project.stress.scenarios[:2], windy))
    execute(replace(spec, project=replace(spec.project, stress=stress)), lambda _event: None, RunControl())
    assert table_of(spec.out).left_out == (("windy", "imported maps cannot be computed for another wind"),)

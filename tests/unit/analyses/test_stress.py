"""A stress test as a run: its folder, what it says, stopping, resuming, refusals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.analyses.stress.results import DRAWS, HEADER, SHEET, STORE, TABLE, read_table, table_data
from firegui.analyses.stress.run import table_message
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness
from firegui.domain.stress import NEEDS_EXERCISE, StressScenario, StressSet, StressTestSettings, untested_names
from firegui.errors import InputError
from firegui.io.project.store import list_runs
from firegui.io.rasters.geotiff import read_raster
from firegui.planning.exercise import exercise_of_draw
from firegui.planning.problem import build
from firegui.planning.repair import PlanRepair
from firegui.planning.stress import executed_only, flight_errors, stress_table, stress_world
from firegui.rollout.simulate import simulate
from firegui.runs.control import RunControl
from firegui.runs.events import (
    BaselineReady,
    Message,
    PlanUpdated,
    Progress,
    RunEvent,
    RunFinished,
    StateChanged,
    StressReady,
)
from firegui.runs.header import new_header
from firegui.runs.leaks import read_leaks
from firegui.runs.run_folder import LEAK, METRICS, RunFolder, RunScores, kept_plan, kept_schedule, read_run
from firegui.runs.run_folder import STORE as RUN_STORE
from firegui.runs.run_repair import damaged_files
from firegui.runs.runner import execute
from firegui.runs.spec import EvaluateSpec, PlanSpec, RunSpec, StressDrawOf, StressSpec
from firegui.runs.stages import EpochDone, FinishReason, ReplanNote, RunState
from tests.numerics.cases import random_schedule
from tests.support import assert_same_files, csv_rows, make_project

pytestmark = pytest.mark.usefixtures("short_repairs")

FAILING = StressScenario("failing", failure_rate=0.4, draws=3)
MENDED = StressScenario("mended", failure_rate=0.1, repair_hours=24.0, draws=2)
STRESS = StressSet(
    (
        StressScenario("weak", effectiveness=Effectiveness(0.3, 0.2)),
        FAILING,
        StressScenario("windy", wind_speed_factor=1.3),
        MENDED,
        StressScenario("fast", spread_factor=1.4),
    ),
    seed=5,
)
PROJECT = replace(make_project(), stress=STRESS)
RESULTS = (SHEET, TABLE, LEAK)


def plan() -> Schedule:
    assert PROJECT.maps is not None
    made = random_schedule(4, PROJECT.maps, PROJECT.planned_fleet, share=0.7)
    near = np.array([8.0, 10.0, 0.0]) + (made.poses - [8.0, 10.0, 0.0]) * [0.5, 0.5, 1.0]
    return Schedule(made.logits, near)


PLAN = plan()


def spec(out: Path, **changes: Any) -> StressSpec:
    return replace(StressSpec(PROJECT, out, "again", StressTestSettings(stress=STRESS), PLAN, backend="cpu"), **changes)


def run(what: RunSpec, control: RunControl | None = None, hear: Any = None) -> list[RunEvent]:
    events: list[RunEvent] = []

    def emit(event: RunEvent) -> None:
        events.append(event)
        if hear is not None:
            hear(event)

    execute(what, emit, control or RunControl())
    return events


def finished(events: list[RunEvent]) -> RunFinished:
    end = events[-1]
    assert isinstance(end, RunFinished)
    return end


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("stress") / "whole"
    assert finished(run(spec(out))).reason is FinishReason.COMPLETED
    return out


def test_the_table_is_that_of_the_planners_and_says_what_was_left_out(whole: Path) -> None:
    model = build(PROJECT, PROJECT.plan.nominal, backend="cpu")
    expected = stress_table(PROJECT, model, PLAN, STRESS)
    found = read_table(whole)
    results = tuple(one for one in found.results if not one.scenario.repair_hours)
    assert (found.drops, found.nominal, results) == (expected.drops, expected.nominal, expected.results)
    assert dict(found.left_out) == {"windy": "imported maps cannot be computed for another wind"}
    assert dict(expected.left_out)["mended"] == NEEDS_EXERCISE


@pytest.mark.slow
def test_scenarios_with_repair_are_exercises(whole: Path) -> None:
    model = build(PROJECT, PROJECT.plan.nominal, backend="cpu")
    world, repair = stress_world(PROJECT, model, MENDED), PlanRepair(PROJECT, model)
    (found,) = (one for one in read_table(whole).results if one.scenario == MENDED)
    assert len(found.draws) == 2
    leaks = []
    for draw, row in enumerate(found.draws):
        exercise = exercise_of_draw(world, model, repair, draw, STRESS.seed)
        state = exercise.begin(PLAN)
        while not exercise.finished(state):
            state = exercise.advance(state)
        assert exercise.result(state, exercise.fixed_fire(PLAN)) == row
        assert row.fixed_share is not None
        leaks.append(state.fire.fire)
    assert found.draws[0] != found.draws[1]
    last = simulate(model, executed_only(model, PLAN), keep_days=True).p_fire_days
    assert last is not None
    expected = np.mean(leaks, axis=0) * (last[-1] <= 0.5)
    np.testing.assert_allclose(read_raster(whole / LEAK).bands[3], expected, atol=1e-6)


def test_the_sheet_has_a_row_for_each_scenario_and_draw(whole: Path) -> None:
    rows = csv_rows(whole / SHEET)
    assert [(row["scenario"], row["draw"]) for row in rows] == [
        ("nominal", "0"), ("weak", "0"), ("failing", "0"), ("failing", "1"), ("failing", "2"), ("mended", "0"),
        ("mended", "1"), ("fast", "0"),
    ]  # fmt: skip
    draws = next(one for one in read_table(whole).results if one.scenario == FAILING).draws
    assert [float(row["share"]) for row in rows if row["scenario"] == "failing"] == [draw.share for draw in draws]


def test_the_json_has_the_documented_keys_first(whole: Path) -> None:
    data = table_data(read_table(whole))
    assert list(data)[:3] == ["drops", "nominal", "scenarios"]
    assert list(data["nominal"]) == ["final_extent_cells", "share"]
    for row in data["scenarios"]:
        assert list(row)[:7] == [
            "name", "draws", "share_worst", "share_mean", "cells_worst", "cells_no_drops", "drops_flown_mean",
        ]  # fmt: skip
    failing = next(row for row in data["scenarios"] if row["name"] == "failing")
    shares = [float(row["share"]) for row in csv_rows(whole / SHEET) if row["scenario"] == "failing"]
    assert (failing["draws"], failing["share_worst"], failing["worst_draw"]) == (3, max(shares), int(np.argmax(shares)))
    assert failing["share_mean"] == pytest.approx(np.mean(shares))


def test_the_map_shows_the_share_of_draws_in_which_a_held_cell_burns(whole: Path) -> None:
    model = build(PROJECT, PROJECT.plan.nominal, backend="cpu")
    flown = executed_only(model, PLAN)

    def burns(scenario: StressScenario, draw: int) -> np.ndarray:
        place = stress_world(PROJECT, model, scenario)
        schedule = flight_errors(scenario, place.model, draw, STRESS.seed).applied(flown, model.shape)
        days = simulate(place.model, schedule, keep_days=True).p_fire_days
        assert days is not None
        return np.asarray(days[-1] > 0.5)

    held = ~burns(StressScenario("n"), 0)
    bands = read_raster(whole / LEAK).bands
    shares = [
        np.mean([burns(one, draw) & held for draw in range(one.n_draws)], axis=0)
        for one in (STRESS.scenarios[0], FAILING, STRESS.scenarios[4])
    ]
    assert all(share.any() for share in shares)
    mended = bands[3]
    expected = [*shares[:2], mended, shares[2]]
    np.testing.assert_allclose(bands, [np.mean(expected, axis=0), *expected], atol=1e-6)


def test_the_folder_keeps_what_repeats_it_and_is_no_plan(whole: Path, tmp_path: Path) -> None:
    header = STORE.read(whole)
    assert (header.settings.stress, header.seed, header.state) == (STRESS, 5, RunState.FINISHED)
    assert header.project.stress == STRESS
    assert not (whole / DRAWS).exists()
    (tmp_path / "runs" / "a").mkdir(parents=True)
    (tmp_path / "runs" / "a" / HEADER).write_bytes((whole / HEADER).read_bytes())
    assert list_runs(tmp_path) == []


def test_events_tell_progress_left_out_scenarios_and_tables(tmp_path: Path) -> None:
    events = run(spec(tmp_path / "out"))
    told = [event.text for event in events if isinstance(event, Message) and event.level == "warning"]
    assert any(text.startswith("windy is left out") for text in told)
    progress = [event for event in events if isinstance(event, Progress)]
    assert any(event.text == "failing: draw 2 of 3" and event.total == 5 for event in progress)
    sizes = [len(event.table.results) for event in events if isinstance(event, StressReady)]
    assert sizes == [1, 2, 3, 4, 4]
    maps = [list(event.leaks) for event in events if isinstance(event, StressReady)]
    assert [len(names) for names in maps] == [2, 3, 4, 5, 5] and maps[0][0] == ""
    shares = [event.share for event in progress if event.share is not None]
    assert len(shares) == len(progress) and shares == sorted(shares) and shares[-1] < 1.0
    first = next(event for event in progress if event.text.startswith("mended: draw 1 of 2"))
    second = next(event for event in progress if event.text.startswith("mended: draw 2 of 2"))
    assert first.share is not None and second.share is not None
    assert first.share < 0.2 and second.share - first.share > 0.4, "a repaired draw is most of the work"
    assert "worst in" in finished(events).message


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("weak: draw 1 of 1", marks=pytest.mark.slow),
        pytest.param("failing: draw 1 of 3", marks=pytest.mark.slow),
        "failing: draw 3 of 3",
        "mended: draw 2 of 2, day 1",
        pytest.param("fast: draw 1 of 1", marks=pytest.mark.slow),
    ],
)
def test_a_stopped_test_goes_on_with_the_same_bits(whole: Path, tmp_path: Path, text: str) -> None:
    control = RunControl()

    def stop(event: RunEvent) -> None:
        if isinstance(event, Progress) and event.text == text:
            control.request_stop()

    out = tmp_path / "out"
    first = finished(run(spec(out), control, stop))
    assert first.reason is FinishReason.STOPPED
    assert "resume to go on" in first.message
    assert (out / SHEET).is_file()
    again = run(spec(out, resume=True))
    assert finished(again).reason is FinishReason.COMPLETED
    assert_same_files(whole, out, *RESULTS)
    draws = (event.text for event in again if isinstance(event, Progress) and ": draw" in event.text)
    assert next(draws) == text.removesuffix(", day 1")  # a draw that was broken off begins anew


def test_a_test_that_is_stopped_in_its_last_scenario_does_not_read_as_complete(whole: Path) -> None:
    table = read_table(whole)
    weak, failing, mended, _fast = table.results
    tested = len(STRESS.scenarios)
    begun = replace(table, results=(weak, failing, replace(mended, draws=mended.draws[:1])))
    said = [table_message(one, tested, FinishReason.STOPPED, 0.09) for one in (table, begun)]
    # A scenario that cannot be tested is over as well, one with draws to come is not.
    assert said[0].startswith("stopped on request before the last draws were done; worst in")
    assert said[1].startswith(f"stopped on request after {tested - 2} of {tested} scenarios; worst in")
    none = table_message(replace(table, results=()), tested, FinishReason.STOPPED, 0.09)
    assert none.startswith(
        "stopped on request after 1 of 5 scenarios; no scenario was tested; in the model's own world: "
    )


@pytest.mark.slow
def test_a_killed_test_goes_on_from_its_last_draws(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, control = tmp_path / "out", RunControl()

    def die(event: RunEvent) -> None:
        if isinstance(event, Progress) and event.text == "failing: draw 3 of 3":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(spec(out, checkpoint_seconds=0.0), control, die)
    assert STORE.read(out).state is RunState.RUNNING
    again = run(spec(out, resume=True))
    assert_same_files(whole, out, *RESULTS)
    assert [event.text for event in again if isinstance(event, Progress)][1] == "failing: draw 3 of 3"


def test_a_complete_test_has_nothing_left_to_do(whole: Path) -> None:
    before = (whole / HEADER).read_bytes()
    events = run(spec(whole, resume=True))
    assert finished(events).message.startswith("nothing left to do: worst in")
    assert [len(event.table.results) for event in events if isinstance(event, StressReady)] == [4]
    assert (whole / HEADER).read_bytes() == before


@pytest.mark.slow
def test_a_pause_holds_between_two_draws(whole: Path, tmp_path: Path) -> None:
    control, out = RunControl(), tmp_path / "out"

    def hear(event: RunEvent) -> None:
        if isinstance(event, Progress) and event.text == "failing: draw 1 of 3":
            control.request_pause()
        if event == StateChanged(RunState.PAUSED):
            control.request_resume()

    events = run(spec(out), control, hear)
    states = [event.state for event in events if isinstance(event, StateChanged)]
    assert RunState.PAUSED in states
    assert_same_files(whole, out, *RESULTS)


@pytest.mark.slow
def test_a_test_of_all_scenarios_completes_the_table_of_a_plan_and_has_their_maps(tmp_path: Path) -> None:
    stress = replace(STRESS, scenarios=(STRESS.scenarios[0], MENDED))
    optimizer = replace(PROJECT.plan.optimizer, epochs=1)
    project = replace(PROJECT, stress=stress, plan=replace(PROJECT.plan, optimizer=optimizer))
    made = finished(run(PlanSpec(project, tmp_path / "run", "again", warm_start=PLAN, backend="cpu")))
    before = read_run(tmp_path / "run")
    assert made.reason is FinishReason.COMPLETED and untested_names(before.scores.stress) == ("mended",)
    file = kept_plan(tmp_path / "run")
    assert file is not None
    settings = StressTestSettings(stress=stress)
    schedule = kept_schedule(tmp_path / "run", project)
    rest = replace(spec(tmp_path / "rest"), project=project, settings=settings, schedule=schedule, schedule_file=file)
    other = replace(rest, out=tmp_path / "other", settings=replace(settings, draws=1))
    finished(run(other))
    assert untested_names(read_run(tmp_path / "run").scores.stress) == ("mended",), "other draws are another test"
    finished(run(rest))
    after = read_run(tmp_path / "run")
    assert after.scores.stress is not None and before.scores.stress is not None
    assert after.scores.stress.left_out == ()
    assert [one.scenario for one in after.scores.stress.results] == list(stress.scenarios)
    table = read_table(tmp_path / "rest")
    assert after.scores.stress.result("mended") == table.result("mended")
    assert set(read_leaks(tmp_path / "rest", table)) == {"", *(one.name for one in stress.scenarios)}
    assert after.scores.stress.results[0] == before.scores.stress.results[0]
    assert after.header.files and damaged_files(tmp_path / "run", after.header) == frozenset()


def stopped_plan(folder: Path, project: Project) -> PlanSpec:
    """Save a run of ``project`` that was stopped with :data:`PLAN` and never tested; return its spec."""
    made = PlanSpec(project, folder, "again", backend="cpu")
    folder.mkdir()
    written = RunFolder(folder)
    written.claim(None, new_header(made, "cpu", "the CPU", None))
    written.write_plan(PLAN)
    written.write_scores(RunScores())
    written.update(state=RunState.FINISHED, reason=FinishReason.STOPPED)
    written.close()
    return made


def test_a_stopped_run_gets_the_table_of_a_test_of_its_plan_in_all_scenarios(tmp_path: Path) -> None:
    stress = replace(STRESS, scenarios=(STRESS.scenarios[0], STRESS.scenarios[2], FAILING))
    project, folder = replace(PROJECT, stress=stress), tmp_path / "run"
    stopped_plan(folder, project)

    def test(name: str, scenarios: StressSet = stress, **changes: Any) -> None:
        settings, schedule = StressTestSettings(stress=scenarios), kept_schedule(folder, project)
        made = replace(spec(tmp_path / name), settings=settings, schedule=schedule, project=project)
        made = replace(made, schedule_file=kept_plan(folder), **changes)
        assert finished(run(made)).reason is FinishReason.COMPLETED

    test("part", replace(stress, scenarios=stress.scenarios[:1]))
    test("seeds", replace(stress, seed=stress.seed + 1))
    test("unlike", project=replace(project, plan=replace(project.plan, design=Effectiveness(0.5, 0.4))))
    test("empty", schedule=Schedule.empty(PLAN.n_steps, PLAN.n_aircraft))
    assert read_run(folder).scores.stress is None, "each is another test, or of another plan"
    test("whole")
    after = read_run(folder)
    assert after.scores.stress == read_table(tmp_path / "whole")
    assert [name for name, _ in after.scores.stress.left_out] == ["windy"]
    assert after.header.reason is FinishReason.STOPPED
    assert after.header.files and damaged_files(folder, after.header) == frozenset()


def test_a_replanned_run_keeps_scores_without_a_table(tmp_path: Path) -> None:
    project, folder = replace(PROJECT, stress=replace(STRESS, scenarios=STRESS.scenarios[:1])), tmp_path / "run"
    stopped_plan(folder, project)
    RUN_STORE.write(folder, replace(read_run(folder).header, replan=ReplanNote(1, "flown")))
    before = (folder / METRICS).read_bytes()
    run(spec(
        tmp_path / "whole", project=project, settings=StressTestSettings(stress=project.stress),
        schedule=kept_schedule(folder, project), schedule_file=kept_plan(folder),
    ))  # fmt: skip
    assert (folder / METRICS).read_bytes() == before


@pytest.mark.slow
def test_a_run_that_is_resumed_forgets_the_test_of_its_plan_at_once(tmp_path: Path) -> None:
    optimizer = replace(PROJECT.plan.optimizer, epochs=3)
    stress = replace(STRESS, scenarios=STRESS.scenarios[:1])
    project = replace(PROJECT, stress=stress, plan=replace(PROJECT.plan, optimizer=optimizer))
    made, control = PlanSpec(project, tmp_path / "run", "again", warm_start=PLAN, backend="cpu"), RunControl()
    run(made, control, lambda event: control.request_stop() if isinstance(event, EpochDone) else None)
    assert read_run(made.out).reason is FinishReason.STOPPED
    settings, schedule = StressTestSettings(stress=stress), kept_schedule(made.out, project)
    test = replace(spec(tmp_path / "test"), project=project, settings=settings, schedule=schedule)
    run(replace(test, schedule_file=kept_plan(made.out)))
    assert read_run(made.out).scores.stress is not None
    seen: list[bool] = []

    def hear(event: RunEvent) -> None:
        if isinstance(event, EpochDone):
            seen.append(read_run(made.out).scores.stress is None)

    finished(run(replace(made, resume=True, warm_start=None), None, hear))
    assert seen and all(seen), "the plan is another one by now"


def test_another_number_of_draws_replaces_that_of_random_scenarios(tmp_path: Path) -> None:
    run(spec(tmp_path / "out", settings=StressTestSettings(draws=2, stress=STRESS)))
    assert [len(one.draws) for one in read_table(tmp_path / "out").results] == [1, 2, 2, 1]


@pytest.mark.slow
def test_with_repair_everywhere_every_scenario_is_an_exercise(tmp_path: Path) -> None:
    events = run(spec(tmp_path / "out", settings=StressTestSettings(draws=2, repair_hours=12.0, stress=STRESS)))
    table = read_table(tmp_path / "out")
    assert {one.scenario.name: len(one.draws) for one in table.results} == {
        "weak": 2, "failing": 2, "mended": 2, "fast": 2,
    }  # fmt: skip
    assert all(one.scenario.repair_hours == 12.0 for one in table.results)
    assert [name for name, _ in table.left_out] == ["windy"]
    told = [event.text for event in events if isinstance(event, Progress)]
    assert "weak: draw 2 of 2, day 1.5" in told


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"schedule": Schedule.empty(3, 4)}, ["has 3 steps and 4 aircraft"]),
        (
            {"settings": StressTestSettings(2000, 5.0, StressSet((FAILING, FAILING), -1))},
            [
                "Draws is 2000",
                "failing is used 2 times",
                "Random seed is -1",
                "every 5 h, which is not a whole number of steps",
            ],
        ),
        ({"settings": StressTestSettings(stress=StressSet(()))}, ["there is none"]),
    ],
)
def test_bad_input_is_told_at_once_and_nothing_is_written(
    tmp_path: Path, changes: dict[str, Any], told: list[str]
) -> None:
    end = finished(run(spec(tmp_path / "out", **changes)))
    assert end.reason is FinishReason.FAILED
    assert len(end.problems) == len(told)
    for words in told:
        assert any(words in str(problem) for problem in end.problems), words
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"schedule": Schedule.empty(PLAN.n_steps, PLAN.n_aircraft)}, "another schedule"),
        ({"settings": StressTestSettings(stress=replace(STRESS, seed=6))}, "Random seed = 5, now 6"),
        ({"settings": StressTestSettings(stress=replace(STRESS, scenarios=(FAILING,)))}, "other scenarios"),
        ({"settings": StressTestSettings(draws=4, stress=STRESS)}, "Draws = 0, now 4"),
        # “mended” is repaired for the scenarios of the project.
        ({"project": replace(PROJECT, stress=replace(STRESS, scenarios=(FAILING,)))}, "scenarios of the project"),
    ],
)
def test_a_test_of_something_else_is_not_gone_on_with(whole: Path, changes: dict[str, Any], told: str) -> None:
    end = finished(run(spec(whole, resume=True, **changes)))
    (problem,) = end.problems
    assert told in str(problem)


def test_a_damaged_table_or_draws_file_is_said_to_be_so(whole: Path, tmp_path: Path) -> None:
    (tmp_path / TABLE).write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        read_table(tmp_path)
    out = tmp_path / "out"
    control = RunControl()
    run(spec(out), control, lambda event: control.request_stop() if isinstance(event, StressReady) else None)
    (out / DRAWS).write_bytes(b"nothing")
    end = finished(run(spec(out, resume=True)))
    assert any("cannot be read" in str(problem) for problem in end.problems)


@pytest.mark.parametrize("draw", [0, 2])
def test_a_draw_is_rolled_out_again_for_the_map(whole: Path, draw: int) -> None:
    events = run(EvaluateSpec(PROJECT, PLAN, "cpu", stress=StressDrawOf(FAILING, draw, STRESS.seed)))
    end = finished(events)
    expected = next(one for one in read_table(whole).results if one.scenario == FAILING)
    assert end.nominal is not None
    assert end.baseline is not None
    assert end.nominal.final_extent_cells == expected.draws[draw].cells
    assert end.nominal.drops_executed == expected.draws[draw].flown
    assert end.baseline.final_extent_cells == expected.cells_no_drops
    assert end.message.startswith(f"failing, draw {draw}: ")
    (shown,) = [event for event in events if isinstance(event, PlanUpdated)]
    assert sum(drop.executed for drop in shown.drops) == expected.draws[draw].flown
    assert any(isinstance(event, BaselineReady) for event in events)


@pytest.mark.slow
@pytest.mark.parametrize("hours", [24.0, 7.2])
def test_a_draw_with_repair_is_shown_as_it_was_repaired(hours: float, tmp_path: Path) -> None:
    mended = replace(MENDED, repair_hours=hours)
    stress = StressTestSettings(stress=StressSet((mended,), STRESS.seed))
    run(spec(tmp_path / "out", settings=stress))
    (expected,) = read_table(tmp_path / "out").results
    events = run(EvaluateSpec(PROJECT, PLAN, "cpu", stress=StressDrawOf(mended, 1, STRESS.seed)))
    end = finished(events)
    assert end.nominal is not None
    assert end.baseline is not None
    assert end.nominal.final_extent_cells == expected.draws[1].cells
    assert end.nominal.drops_executed == expected.draws[1].flown
    assert end.baseline.final_extent_cells == pytest.approx(expected.cells_no_drops, rel=1e-6)
    (shown,) = [event for event in events if isinstance(event, PlanUpdated)]
    assert sum(drop.executed for drop in shown.drops) == expected.draws[1].flown
    (baseline,) = [event for event in events if isinstance(event, BaselineReady)]
    assert len(shown.frames.fire) == PROJECT.calendar.n_steps // shown.frames.stride + 1
    assert baseline.frames.stride <= 5

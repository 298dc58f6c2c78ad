"""Replanning and the closed loop as runs, on the real engine and a fire of a blink."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.analyses.stress.results import read_table
from firegui.domain.exercise import Decision
from firegui.domain.observation import FIXED, NO_DROPS, REPLANNED, Observation
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness, Margin
from firegui.domain.stress import StressScenario, StressSet, StressTestSettings, growth_share
from firegui.io.project.observation_file import read_observation
from firegui.io.project.schedule_file import read_schedule
from firegui.runs.command import repeat_command
from firegui.runs.control import RunControl
from firegui.runs.events import LoopAdvanced, Message, PlanUpdated, Progress, RunEvent
from firegui.runs.export import run_content
from firegui.runs.header import schedule_hash
from firegui.runs.kept_fire import saved_fire
from firegui.runs.replan_base import read_scores
from firegui.runs.run_folder import read_drops, read_run
from firegui.runs.runner import execute
from firegui.runs.spec import ReplanSpec, StressSpec
from firegui.runs.stages import EliminationStep, EpochDone, FinishReason
from tests.support import STEPS_PER_DAY, assert_same_files, csv_rows
from tests.unit.runs.fakes import end, problems_of
from tests.unit.runs.replan_scene import DAY, DAYS, FIRST, carry_out, loop_spec, project_of, replan_spec, saved_plan

pytestmark = pytest.mark.usefixtures("short_repairs")


def test_the_run_holds_what_was_flown_bit_for_bit_and_a_better_rest(tmp_path: Path) -> None:
    spec = replan_spec(tmp_path / "run", project_of(25))
    finished = end(carry_out(spec))
    assert finished.reason is FinishReason.COMPLETED, finished.message
    new, old = saved_plan(spec.out, spec.project), spec.schedule
    np.testing.assert_array_equal(new.logits[:FIRST], old.logits[:FIRST])
    np.testing.assert_array_equal(new.poses[:FIRST], old.poses[:FIRST])
    assert (new.logits[FIRST:] != old.logits[FIRST:]).any()
    scores = read_scores(spec.out)
    assert scores.nominal is not None
    assert scores.continued is not None
    assert scores.baseline is not None
    assert scores.audit is not None
    assert scores.nominal.objective < scores.continued.objective < scores.baseline.objective
    assert scores.audit.violations == ()
    flown = [drop for drop in read_drops(spec.out) if drop.executed]
    assert sum(drop.step < FIRST for drop in flown) == scores.drops_flown > 0
    assert sum(drop.step >= FIRST for drop in flown) == scores.nominal.drops_executed
    assert scores.pruned is not None
    assert scores.pruned.finished == "minimal"


@pytest.mark.parametrize("closed_loop", [False, True])
def test_the_rest_is_planned_by_the_papers_method_whatever_the_margin_of_the_project_is(
    tmp_path: Path, closed_loop: bool
) -> None:
    make = loop_spec if closed_loop else replan_spec
    plain, other = make(tmp_path / "plain"), make(tmp_path / "stress")
    stress = replace(other, project=other.project.with_margin(Margin.STRESS))
    for spec in (plain, stress):
        assert end(carry_out(spec)).reason is FinishReason.COMPLETED
    assert_same_files(plain.out, stress.out, "plan.safetensors")
    assert read_run(stress.out).settings.margin.kind is Margin.NONE
    again = end(carry_out(replace(stress, resume=True)))
    assert again.reason is FinishReason.COMPLETED, again.message


def test_the_run_remembers_what_it_was_planned_from(tmp_path: Path) -> None:
    spec = replan_spec(tmp_path / "run")
    carry_out(spec)
    note = read_run(spec.out).header.replan
    assert note is not None
    assert (note.day, note.observed, note.flown) == (DAY, "the project", schedule_hash(spec.schedule))
    assert len(note.fire) == 64


def test_burning_and_burned_out_cells_are_those_of_the_two_perimeters(tmp_path: Path) -> None:
    heard = carry_out(replan_spec(tmp_path / "run"))
    # Squares of 4 × 4 and 6 × 6 cells.
    assert any(isinstance(event, Message) and "20 cells burning, 16 cells burned out" in event.text for event in heard)


def test_without_an_earlier_perimeter_the_simulated_fire_takes_its_place_and_it_is_said(tmp_path: Path) -> None:
    spec = replan_spec(tmp_path / "run")
    assert spec.observed is not None
    heard = carry_out(replace(spec, observed=replace(spec.observed, earlier=None)))
    assert end(heard).reason is FinishReason.COMPLETED
    assert any(isinstance(event, Message) and "as simulated" in event.text for event in heard)


def test_a_replanned_run_can_be_replanned_on_a_later_day(tmp_path: Path) -> None:
    first = replan_spec(tmp_path / "one")
    carry_out(first)
    project, whole = first.project, saved_plan(first.out, first.project)
    seen = read_observation(None, project, DAY + 1)
    second = replace(first, out=tmp_path / "two", schedule=whole, day=DAY + 1, observed=seen)
    assert end(carry_out(second)).reason is FinishReason.COMPLETED
    later = FIRST + STEPS_PER_DAY
    np.testing.assert_array_equal(saved_plan(second.out, project).logits[:later], whole.logits[:later])
    report = read_scores(second.out).audit
    assert report is not None
    assert report.violations == ()


def test_the_same_seed_gives_the_same_plan(tmp_path: Path) -> None:
    for name in ("one", "two"):
        carry_out(replan_spec(tmp_path / name))
    for name in ("plan.safetensors", "schedule.csv", "metrics.json"):
        texts = [(tmp_path / folder / name).read_bytes() for folder in ("one", "two")]
        if name != "metrics.json":  # it has the seconds of the second stage
            assert texts[0] == texts[1], name


@pytest.mark.parametrize("kind", [EpochDone, EliminationStep])
def test_a_run_that_was_stopped_goes_on_to_the_end_of_an_unbroken_one(tmp_path: Path, kind: type) -> None:
    carry_out(replan_spec(tmp_path / "unbroken"))
    seen: list[RunEvent] = []

    def stop(event: RunEvent, control: RunControl) -> None:
        if isinstance(event, kind):
            seen.append(event)
            if len(seen) == 2:
                control.request_stop()

    broken = replan_spec(tmp_path / "broken")
    assert end(carry_out(broken, stop)).reason is FinishReason.STOPPED
    np.testing.assert_array_equal(saved_plan(broken.out, broken.project).logits[:FIRST], broken.schedule.logits[:FIRST])
    assert end(carry_out(replace(broken, resume=True))).reason is FinishReason.COMPLETED
    assert_same_files(tmp_path / "broken", tmp_path / "unbroken", "plan.safetensors", "schedule.csv")


def test_a_resumed_run_must_be_asked_for_the_same(tmp_path: Path) -> None:
    spec = replan_spec(tmp_path / "run")
    carry_out(spec)
    seen = read_observation(None, spec.project, DAY + 1)
    assert "another day" in problems_of(carry_out(replace(spec, resume=True, day=DAY + 1, observed=seen)))


def test_pictures_cover_the_whole_plan(tmp_path: Path) -> None:
    events = carry_out(replan_spec(tmp_path / "run"))
    shown = [event for event in events if isinstance(event, PlanUpdated)][-1]
    assert len(shown.frames.fire) == DAYS * STEPS_PER_DAY // 5 + 1
    assert shown.frames.fire.sums()[FIRST // 5] == 36 * 255  # the observed fire


def test_every_problem_is_listed_and_nothing_is_written(tmp_path: Path) -> None:
    shape = (3, 3)
    spec = replan_spec(tmp_path / "run", day=9, schedule=Schedule.empty(5, 2))
    spec = replace(spec, observed=Observation(np.ones(shape, bool), None, "test"))
    finished = end(carry_out(spec))
    assert finished.reason is FinishReason.FAILED
    assert {problem.where for problem in finished.problems} == {"day", "schedule", "observed"}
    assert not spec.out.exists()


def test_a_fire_that_did_not_grow_is_refused(tmp_path: Path) -> None:
    spec = replan_spec(tmp_path / "run")
    assert spec.observed is not None
    finished = end(carry_out(replace(spec, observed=replace(spec.observed, earlier=spec.observed.fire))))
    assert finished.reason is FinishReason.FAILED
    assert "nothing burns any more" in finished.message
    assert not spec.out.exists()


# -- the closed loop --------------------------------------------------------------------------------------------------
def test_the_loop_flies_every_day_beside_the_fixed_schedule_and_no_drops(tmp_path: Path) -> None:
    spec = loop_spec(tmp_path / "run")
    finished = end(carry_out(spec))
    assert finished.reason is FinishReason.COMPLETED, finished.message
    rows = read_scores(spec.out).loop
    assert [row.day for row in rows] == list(range(DAYS))
    first = rows[0]  # the day before the first replanning
    assert (first.loop_cells, first.loop_drops, first.expected) == (first.open_cells, first.open_drops, None)
    assert rows[-1].open_cells < rows[-1].none_cells
    assert all(a.none_cells <= b.none_cells for a, b in pairwise(rows))
    table = csv_rows(spec.out / "closed_loop.csv")
    assert [int(row["loop_cells"]) for row in table] == [row.loop_cells for row in rows]
    drops = [drop for drop in read_drops(spec.out) if drop.executed]
    by_day = [sum(drop.step // STEPS_PER_DAY == day for drop in drops) for day in range(DAYS)]
    assert by_day == [row.loop_drops for row in rows]
    report = read_scores(spec.out).audit
    assert report is not None
    assert report.violations == ()


@pytest.fixture(scope="module")
def unbroken_loop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a closed loop flown to its end. Only to be read."""
    spec = loop_spec(tmp_path_factory.mktemp("loop") / "unbroken")
    assert end(carry_out(spec)).reason is FinishReason.COMPLETED
    return spec.out


@pytest.mark.parametrize("day", [1, 3])
def test_a_loop_that_was_broken_off_ends_as_an_unbroken_one(tmp_path: Path, unbroken_loop: Path, day: int) -> None:
    def kill(event: RunEvent, control: RunControl) -> None:
        if isinstance(event, Progress) and event.done == day:
            raise KeyboardInterrupt  # nothing of firegui catches it: as if the process had been killed

    broken = loop_spec(tmp_path / "broken")
    with pytest.raises(KeyboardInterrupt):
        carry_out(broken, kill)
    assert not (broken.out / "plan.safetensors").exists()
    assert end(carry_out(replace(broken, resume=True))).reason is FinishReason.COMPLETED
    files = ("plan.safetensors", "schedule.csv", "closed_loop.csv", "metrics.json", "loop.safetensors")
    assert_same_files(tmp_path / "broken", unbroken_loop, *files)


def test_a_stopped_loop_keeps_the_days_it_has_flown(tmp_path: Path) -> None:
    def stop(event: RunEvent, control: RunControl) -> None:
        if isinstance(event, EpochDone):
            control.request_stop()

    spec = loop_spec(tmp_path / "run")
    finished = end(carry_out(spec, stop))
    assert finished.reason is FinishReason.STOPPED
    assert len(read_scores(spec.out).loop) == 1
    assert "resume" in finished.message


def test_another_seed_is_another_fire(tmp_path: Path) -> None:
    fires = []
    for seed in (1, 2):
        spec = loop_spec(tmp_path / str(seed))
        optimizer = replace(spec.project.plan.optimizer, seed=seed)
        plan = replace(spec.project.plan, optimizer=optimizer)
        carry_out(replace(spec, project=replace(spec.project, plan=plan)))
        fires.append([row.none_cells for row in read_scores(spec.out).loop])
    assert fires[0] != fires[1]


def test_a_loop_is_not_resumed_with_other_epochs(tmp_path: Path) -> None:
    spec = loop_spec(tmp_path / "run")
    carry_out(spec)
    assert "Search steps = 5, now 9" in problems_of(carry_out(replace(spec, project=project_of(9), resume=True)))


# -- exercises ---------------------------------------------------------------------------------------------------------
WEAK = StressScenario("weak", effectiveness=Effectiveness(0.4, 0.3), failure_rate=0.2, draws=2)


def exercise_spec(out: Path, hours: float = 12.0, **changes: object) -> ReplanSpec:
    project = replace(project_of(), stress=StressSet((WEAK,), seed=11))
    spec = replan_spec(out, project, closed_loop=True, day=1, observed=None)
    return replace(spec, exercise=replace(WEAK, repair_hours=hours), draw=1, **changes)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def unbroken_exercise(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an exercise flown to its end. Only to be read."""
    spec = exercise_spec(tmp_path_factory.mktemp("exercise") / "unbroken")
    assert end(carry_out(spec)).reason is FinishReason.COMPLETED
    return spec.out


@pytest.mark.parametrize(
    ("changes", "hours"),
    [
        ({}, 24.0),
        pytest.param({}, 12.0, marks=pytest.mark.slow),
        pytest.param({}, 7.2, marks=pytest.mark.slow),
        pytest.param({"effectiveness": None, "ignition_growth_m": 30.0}, 12.0, marks=pytest.mark.slow),
    ],
)
def test_an_exercise_is_the_draw_of_a_stress_test_and_keeps_the_fire_at_every_observation(
    tmp_path: Path, changes: dict[str, Any], hours: float
) -> None:
    scenario = replace(WEAK, **changes)
    spec = exercise_spec(tmp_path / "run", hours)
    spec = replace(
        spec,
        exercise=replace(scenario, repair_hours=hours),
        project=replace(spec.project, stress=replace(spec.project.stress, scenarios=(scenario,))),
    )
    finished = end(carry_out(spec))
    assert finished.reason is FinishReason.COMPLETED, finished.message
    every, n_steps = round(hours * STEPS_PER_DAY / 24.0), DAYS * STEPS_PER_DAY
    rows = read_scores(spec.out).loop
    steps = [*range(0, n_steps, every), n_steps]
    assert [row.end for row in rows] == pytest.approx([step / STEPS_PER_DAY for step in steps[1:]])
    scores = read_scores(spec.out)
    assert scores.nominal is not None
    failed = scores.nominal.drops_executed - scores.drops_flown
    assert failed > 0 and failed == sum(drop.executed for drop in read_drops(spec.out)) - sum(
        row.loop_drops for row in rows
    )
    told = f"{failed} of {scores.nominal.drops_executed} ordered drops did not happen"
    assert told in finished.message
    assert any(text.startswith(told) for text in run_content(spec.out).notes)
    kept = saved_fire(spec.out).kept
    assert kept is not None
    assert [fire.flown for fire in kept.fires] == [REPLANNED, FIXED, NO_DROPS]
    for fire, name in zip(kept.fires, ("loop_cells", "open_cells", "none_cells"), strict=True):
        assert (fire.world, fire.seed, fire.steps_known(STEPS_PER_DAY)) == ("weak", 11, tuple(steps))
        assert [int(fire.state(k + 1).fire.sum()) for k in range(len(rows))] == [getattr(row, name) for row in rows]

    settings = StressTestSettings(repair_hours=hours, stress=spec.project.stress)
    tested = StressSpec(spec.project, tmp_path / "stress", "again", settings, spec.schedule, backend="cpu")
    execute(tested, lambda _event: None, RunControl())
    draw = read_table(tested.out).results[0].draws[1]
    assert (draw.cells, draw.flown) == (rows[-1].loop_cells, sum(row.loop_drops for row in rows))
    result = read_table(tested.out).results[0]
    fixed = growth_share(rows[-1].open_cells, result.start_cells, result.cells_no_drops)
    assert draw.fixed_share == pytest.approx(fixed, rel=1e-12)
    assert finished.nominal is not None
    assert finished.nominal.final_extent_cells == draw.cells
    assert f"replanned every {hours:g} h" in finished.message


def test_an_exercise_that_was_broken_off_ends_as_an_unbroken_one(tmp_path: Path, unbroken_exercise: Path) -> None:
    def kill(event: RunEvent, control: RunControl) -> None:
        if isinstance(event, Progress) and event.done == 3:
            raise KeyboardInterrupt

    broken = exercise_spec(tmp_path / "broken")
    with pytest.raises(KeyboardInterrupt):
        carry_out(broken, kill)
    other = replace(broken, draw=0, resume=True)
    assert "another day, perimeter or schedule" in problems_of(carry_out(other))
    assert end(carry_out(replace(broken, resume=True))).reason is FinishReason.COMPLETED
    files = ("plan.safetensors", "schedule.csv", "closed_loop.csv", "metrics.json", "loop.safetensors", "fire.npz")
    assert_same_files(tmp_path / "broken", unbroken_exercise, *files)


def stopped_spec(out: Path, days: float) -> ReplanSpec:
    return exercise_spec(out, stop_at=days)


def gone_on(out: Path, before: ReplanSpec, schedule: Schedule) -> ReplanSpec:
    """The exercise that goes on after ``before`` with the drops of ``schedule``."""
    return replace(before, out=out, stop_at=None, after=before.out, schedule=schedule)


LOOP_FILES = ("plan.safetensors", "schedule.csv", "closed_loop.csv", "metrics.json", "loop.safetensors", "fire.npz")


@pytest.mark.parametrize("days", [pytest.param(0.5, marks=pytest.mark.slow), 1.5])
def test_an_exercise_stops_where_it_is_told_and_goes_on_unedited_as_an_unbroken_one(
    tmp_path: Path, unbroken_exercise: Path, days: float
) -> None:
    stopped = stopped_spec(tmp_path / "stopped", days)
    events = carry_out(stopped)
    assert end(events).reason is FinishReason.STOPPED
    assert len(read_scores(stopped.out).loop) == round(2 * days)
    told = [event.days for event in events if isinstance(event, LoopAdvanced)]
    assert [len(rows) for rows in told] == list(range(round(2 * days) + 1))
    after = gone_on(tmp_path / "after", stopped, saved_plan(stopped.out, stopped.project))
    assert end(carry_out(after)).reason is FinishReason.COMPLETED
    assert_same_files(tmp_path / "after", unbroken_exercise, *LOOP_FILES)
    # The drops as a table says them are the same drops.
    shape, fleet = stopped.project.scenario.grid.shape, stopped.project.planned_fleet
    table = read_schedule(stopped.out / "schedule.csv", fleet, DAYS * STEPS_PER_DAY, shape)
    assert end(carry_out(gone_on(tmp_path / "table", stopped, table))).reason is FinishReason.COMPLETED
    assert_same_files(tmp_path / "table", unbroken_exercise, *LOOP_FILES)
    # And the one that was stopped can still go on by itself.
    assert end(carry_out(replace(stopped, resume=True, stop_at=None))).reason is FinishReason.COMPLETED
    assert_same_files(stopped.out, unbroken_exercise, *LOOP_FILES)


def test_an_exercise_stops_at_an_observation_whose_days_are_no_exact_number(tmp_path: Path) -> None:
    hours, step = 16.8, 7
    assert hours / 24.0 * STEPS_PER_DAY > step == round(hours / 24.0 * STEPS_PER_DAY)
    spec = exercise_spec(tmp_path / "run", hours, stop_at=hours / 24.0)
    assert end(carry_out(spec)).reason is FinishReason.STOPPED
    (row,) = read_scores(spec.out).loop
    assert row.end == step / STEPS_PER_DAY


def test_the_command_of_an_exercise_has_every_digit_of_its_times(tmp_path: Path) -> None:
    hours, days = 24.0 * 8.0 / 144.0, 1.0 / 3.0
    spec = replace(exercise_spec(tmp_path / "run", hours, stop_at=days), project_folder=tmp_path)
    words = repeat_command(spec).split()
    assert [float(words[words.index(option) + 1]) for option in ("--every", "--stop-at")] == [hours, days]


def without_drops(schedule: Schedule, first: int, end: int) -> Schedule:
    logits = schedule.logits.copy()
    logits[first:end] = -3.0
    return Schedule(logits, schedule.poses)


def test_edited_drops_are_flown_until_the_next_observation_and_what_was_flown_before_stays(
    tmp_path: Path, unbroken_exercise: Path
) -> None:
    stopped = stopped_spec(tmp_path / "stopped", 1.0)
    carry_out(stopped)
    plan, step = saved_plan(stopped.out, stopped.project), STEPS_PER_DAY
    empty = without_drops(plan, step, DAYS * STEPS_PER_DAY)
    after = gone_on(tmp_path / "after", stopped, empty)
    assert end(carry_out(after)).reason is FinishReason.COMPLETED
    before, rows = read_scores(stopped.out).loop, read_scores(after.out).loop
    assert rows[:2] == before
    assert (rows[2].decision, rows[2].loop_drops) == (Decision.BY_HAND, 0)
    assert all(row.decision is not Decision.BY_HAND for row in (*rows[:2], *rows[3:]))
    ended = saved_plan(after.out, after.project)
    np.testing.assert_array_equal(ended.logits[:step], plan.logits[:step])
    np.testing.assert_array_equal(ended.poses[:step], plan.poses[:step])
    # The plan that is not repaired is still the one of the beginning.
    unbroken = read_scores(unbroken_exercise).loop
    assert [row.open_cells for row in rows] == [row.open_cells for row in unbroken]
    assert [row.open_drops for row in rows] == [row.open_drops for row in unbroken]

    def kill(event: RunEvent, control: RunControl) -> None:
        if isinstance(event, Progress) and event.done == 2:
            raise KeyboardInterrupt

    broken = gone_on(tmp_path / "broken", stopped, empty)
    with pytest.raises(KeyboardInterrupt):
        carry_out(broken, kill)
    assert end(carry_out(replace(broken, resume=True))).reason is FinishReason.COMPLETED
    assert_same_files(broken.out, after.out, *LOOP_FILES)


def test_an_exercise_does_not_go_on_from_what_cannot_be(tmp_path: Path) -> None:
    stopped = stopped_spec(tmp_path / "stopped", 1.0)
    carry_out(stopped)
    plan = saved_plan(stopped.out, stopped.project)
    out = tmp_path / "after"
    flown = gone_on(out, stopped, without_drops(plan, 0, 1))
    assert "changes drops of day 1, which have been flown" in problems_of(carry_out(flown))
    other = replace(gone_on(out, stopped, plan), draw=0)
    other = replace(other, project=replace(other.project, stress=StressSet((WEAK,), seed=12)))
    told = problems_of(carry_out(other))
    assert "in another scenario or draw" in told and "another stress set" in told
    assert "changed" not in told
    late = replace(stopped, out=out, stop_at=float(DAYS))
    assert "day 4 of a plan of 4 days" in problems_of(carry_out(late))
    carry_out(replace(stopped, resume=True, stop_at=None))
    assert "was flown to its end" in problems_of(carry_out(gone_on(out, stopped, plan)))
    begun = replace(stopped, out=tmp_path / "begun", stop_at=None)
    carry_out(begun, lambda event, control: control.request_stop() if isinstance(event, LoopAdvanced) else None)
    assert "stopped before a day was flown" in problems_of(carry_out(replace(flown, after=begun.out)))
    single = replan_spec(tmp_path / "single")
    carry_out(single)
    assert "is not a closed loop" in problems_of(carry_out(replace(flown, after=single.out)))
    assert not out.exists()


def test_a_row_says_what_was_decided_and_expected(unbroken_exercise: Path) -> None:
    rows = read_scores(unbroken_exercise).loop
    assert rows[0].decision is Decision.KEPT
    assert {row.decision for row in rows} <= set(Decision) - {Decision.BY_HAND}
    forecasts = [row.forecast for row in rows]
    # In a world with weaker drops that fail, more burns than the model expects.
    assert all(forecast is not None for forecast in forecasts)
    assert sum(row.loop_cells for row in rows) > sum(forecast or 0.0 for forecast in forecasts)
    table = csv_rows(unbroken_exercise / "closed_loop.csv")
    assert [row["decision"] for row in table] == [str(row.decision) for row in rows]
    assert [float(row["forecast"]) for row in table] == forecasts


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"repair_hours": 5.0}, "every 5 h, which is not a whole number of steps"),
        ({"repair_hours": 0.0}, "the fire is never observed"),
        ({"repair_hours": 48.0}, "Replanned every is 48"),
        ({"repair_hours": 12.0, "wind_turn_deg": 10.0}, "imported maps cannot be computed for another wind"),
    ],
)
def test_an_exercise_that_cannot_be_flown_writes_nothing(tmp_path: Path, changes: dict[str, float], told: str) -> None:
    spec = exercise_spec(tmp_path / "run")
    scenario = replace(WEAK, **changes)  # type: ignore[arg-type]
    assert told in problems_of(carry_out(replace(spec, exercise=scenario)))
    assert not spec.out.exists()

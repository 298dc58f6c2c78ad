"""A margin curve as a run: its plans, what it says, stopping, resuming, refusals."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from firegui.analyses.margin.report import curve_notes, plan_title
from firegui.analyses.margin.results import CURVE, HEADER, SHEET, STORE, curve_csv, read_curve, write_curve
from firegui.analyses.stress.results import DRAWS, read_table
from firegui.cli.progress import scalars
from firegui.domain.margin_curve import CurvePlan, MarginCurve, MarginCurveSettings
from firegui.domain.project import Project
from firegui.domain.settings import Margin, OptimizerSettings, Setting
from firegui.domain.stress import StressSet
from firegui.domain.units import percent_text
from firegui.errors import InputError
from firegui.io.project.store import list_runs
from firegui.runs.control import RunControl
from firegui.runs.events import MarginReady, Message, Progress, RunEvent, RunFinished, StateChanged
from firegui.runs.run_folder import METRICS, read_drops, read_run
from firegui.runs.runner import execute
from firegui.runs.spec import RunSpec
from firegui.runs.stages import EpochDone, FinishReason, RunState
from tests.support import csv_rows
from tests.unit.analyses.margin_scene import SETTINGS, STRESS, margin_project, margin_spec

pytestmark = pytest.mark.usefixtures("short_repairs")

FIXED = (CurvePlan.NONE, CurvePlan.DESIGN, CurvePlan.STRESS)


def run(spec: RunSpec, control: RunControl | None = None, hear: Any = None) -> list[RunEvent]:
    events: list[RunEvent] = []

    def emit(event: RunEvent) -> None:
        events.append(event)
        if hear is not None:
            hear(event)

    execute(spec, emit, control or RunControl())
    return events


def finished(events: list[RunEvent]) -> RunFinished:
    end = events[-1]
    assert isinstance(end, RunFinished)
    return end


def timeless(curve: MarginCurve) -> MarginCurve:
    return replace(curve, points=tuple(replace(point, seconds=0.0) for point in curve.points))


@pytest.fixture(scope="module")
def events() -> list[RunEvent]:
    return []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, events: list[RunEvent]) -> Path:
    out = tmp_path_factory.mktemp("margin") / "whole"
    events += run(margin_spec(out))
    assert finished(events).reason is FinishReason.COMPLETED, finished(events).message
    return out


# -- the result --------------------------------------------------------------------------------------------------------
def test_every_margin_has_a_plan_of_its_own_that_is_a_run(whole: Path) -> None:
    curve = read_curve(whole)
    assert [point.plan for point in curve.points] == list(CurvePlan)
    for point in curve.points[:3]:
        record = read_run(whole / point.folder)
        assert record.settings.margin.kind is Margin(point.plan.value)
        assert record.reason is FinishReason.COMPLETED and record.metrics is not None and record.has_plan
        assert f"--margin {point.plan.value}" in record.command


def test_a_point_has_the_drops_of_its_run_and_the_worst_of_its_stress_test(whole: Path) -> None:
    for point in read_curve(whole).points[:3]:
        drops = [drop for drop in read_drops(whole / point.folder) if drop.executed]
        table = read_table(whole / point.test)
        assert point.drops == len(drops) == table.drops > 0
        assert point.gallons == sum(drop.payload_gal for drop in drops)
        shares = {one.scenario.name: max(draw.share for draw in one.draws) for one in table.results}
        assert (point.worst_scenario, point.worst_share) == max(shares.items(), key=lambda pair: pair[1])
        assert (point.nominal_share, point.scenarios, point.draws) == (table.nominal.share_worst, 2, 2)


def test_the_tests_have_the_seed_of_the_curve_and_say_what_they_leave_out(whole: Path) -> None:
    curve = read_curve(whole)
    for point in curve.points:
        reasons = dict(point.left_out)
        assert reasons["windy"] == "imported maps cannot be computed for another wind"
        assert ("mended" in reasons) == (point.plan is not CurvePlan.REPLANNED)
    assert "replanning alone" in dict(curve.points[0].left_out)["mended"]
    notes = "\n".join(curve_notes(curve))
    assert "up to 2 draws a scenario, seed 7" in notes
    assert "windy is left out: imported maps" in notes and "mended is left out: it is replanned" in notes
    assert "Shares count the whole fire" in notes
    assert "Shares" not in "\n".join(curve_notes(replace(curve, setting=Setting.A)))


def test_without_a_test_with_replanning_a_replanned_scenario_is_not_said_to_count_there(tmp_path: Path) -> None:
    run(margin_spec(tmp_path / "run", replace(SETTINGS, repair_hours=0.0)))
    curve = read_curve(tmp_path / "run")
    assert [point.plan for point in curve.points] == list(FIXED)
    notes = "\n".join(curve_notes(curve))
    assert "mended is left out: it is replanned, and the curve has no test with replanning." in notes


def test_the_last_point_is_the_stress_margins_plan_replanned_in_every_scenario(whole: Path) -> None:
    stress, last = read_curve(whole).points[2:]
    assert (last.folder, last.test, last.seconds) == (stress.folder, "stress-stress-replanned", stress.seconds)
    table = read_table(whole / last.test)
    assert [one.scenario.repair_hours for one in table.results] == [24.0] * 3
    flown = [draw.flown for one in table.results for draw in one.draws]
    assert last.drops == pytest.approx(sum(flown) / len(flown)) and last.gallons is None
    assert last.worst_share == max(draw.share for one in table.results for draw in one.draws)
    assert stress.fixed_share is None and last.fixed_share is not None
    assert last.fixed_share == max(draw.fixed_share or 0.0 for one in table.results for draw in one.draws)
    notes = "\n".join(curve_notes(read_curve(whole)))
    assert "drawn at every observation" in notes
    assert f"up to {percent_text(last.fixed_share)} are left where nothing is replanned" in notes


def test_a_plan_that_cannot_be_tested_is_missing_and_named(tmp_path: Path) -> None:
    project = replace(margin_project(), stress=StressSet(STRESS.scenarios[2:3]))
    end = finished(run(margin_spec(tmp_path / "out", project=project)))
    curve = read_curve(tmp_path / "out")
    reason = "imported maps cannot be computed for another wind"
    assert curve.complete and curve.missing == tuple((plan, reason) for plan in CurvePlan)
    assert f"Stress margin, replanned every 24 h is missing: {reason}." in list(curve_notes(curve))
    assert end.message == "no plan could be tested in any scenario"
    assert not (tmp_path / "out" / "margin.png").exists()


def test_without_an_interval_nothing_is_replanned(tmp_path: Path) -> None:
    curve = MarginCurve("Tiny", "model", Setting.A, 0.05, MarginCurveSettings(repair_hours=0.0))
    assert plan_title(CurvePlan.REPLANNED, SETTINGS) == "Stress margin, replanned every 24 h"
    assert curve.settings.plans == FIXED


def test_the_sheet_has_a_line_for_each_plan_and_the_picture_is_there(whole: Path) -> None:
    curve, rows = read_curve(whole), csv_rows(whole / SHEET)
    assert [row["plan"] for row in rows] == ["none", "design", "stress", "stress-replanned"]
    assert [float(row["worst_share"]) for row in rows] == [point.worst_share for point in curve.points]
    assert (whole / "margin.png").is_file() and (whole / "margin.svg").is_file()
    assert rows[3]["gallons"] == "" and curve_csv(curve) == (whole / SHEET).read_text()


def test_the_folder_keeps_what_repeats_it_and_is_no_plan(whole: Path, tmp_path: Path) -> None:
    header = STORE.read(whole)
    assert (header.settings, header.state, header.backend) == (SETTINGS, RunState.FINISHED, "cpu")
    assert header.command.startswith("firegui margin tiny.firegui --out") and "--seed 7" in header.command
    assert header.project.stress == STRESS
    (tmp_path / "runs" / "a").mkdir(parents=True)
    (tmp_path / "runs" / "a" / HEADER).write_bytes((whole / HEADER).read_bytes())
    assert list_runs(tmp_path) == []


def test_events_tell_each_step_the_device_once_and_the_curve_as_it_grows(whole: Path, events: list[RunEvent]) -> None:
    progress = [event for event in events if isinstance(event, Progress)]
    assert {event.total for event in progress} == {8}
    assert [event.done for event in progress] == sorted(event.done for event in progress)
    texts = [event.text for event in progress]
    assert {"No margin: planning", "Stress margin: stress test, failing: draw 2 of 2"} <= set(texts)
    assert sum(isinstance(event, Message) and event.device is not None for event in events) == 1
    sizes = [len(event.curve.points) for event in events if isinstance(event, MarginReady)]
    assert sizes == [1, 2, 3, 4, 4]
    assert any(isinstance(event, EpochDone) for event in events)
    assert "No margin: " in finished(events).message and "of the growth is left in" in finished(events).message
    last = next(event for event in reversed(events) if isinstance(event, MarginReady))
    assert json.loads(json.dumps(scalars(last))) == {"event": "margin", "plans": 4, "complete": True}


# -- stopping and resuming ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "epoch", "done"),
    [
        pytest.param("No margin: planning", 2, 0, marks=pytest.mark.slow),
        pytest.param("No margin: stress test, failing: draw 2 of 2", None, 0, marks=pytest.mark.slow),
        pytest.param("Cautious margin: planning", None, 1, marks=pytest.mark.slow),
        pytest.param("Stress margin: planning", 1, 2, marks=pytest.mark.slow),
        pytest.param("Stress margin: stress test, weak: draw 1 of 1", None, 2, marks=pytest.mark.slow),
        pytest.param("Stress margin, replanned every 24 h: stress test", None, 3, marks=pytest.mark.slow),
        ("Stress margin, replanned every 24 h: stress test, failing: draw 2 of 2, day 1", None, 3),
    ],
)
def test_a_stopped_curve_goes_on_to_the_same_numbers(
    whole: Path, tmp_path: Path, text: str, epoch: int | None, done: int
) -> None:
    control, out, at = RunControl(), tmp_path / "out", [""]

    def stop(event: RunEvent) -> None:
        if isinstance(event, Progress):
            at[0] = re.sub(r", about [^,]* left", "", event.text)
        here = at[0] == text if isinstance(event, Progress) else isinstance(event, EpochDone) and at[0] == text
        if here and (epoch is None or (isinstance(event, EpochDone) and event.epoch == epoch)):
            control.request_stop()

    end = finished(run(margin_spec(out), control, stop))
    assert end.reason is FinishReason.STOPPED and f"after {done} of 4 plans" in end.message
    assert len(read_curve(out).points) == done
    again = run(margin_spec(out, resume=True))
    assert finished(again).reason is FinishReason.COMPLETED
    assert timeless(read_curve(out)) == timeless(read_curve(whole))
    for plan in ("none", "design", "stress"):
        assert read_drops(out / f"margin-{plan}") == read_drops(whole / f"margin-{plan}")
    if epoch is not None:
        first = next(event.epoch for event in again if isinstance(event, EpochDone))
        assert first == epoch + 1


def test_a_plan_that_is_stopped_is_not_scored_first(tmp_path: Path) -> None:
    """The score of a plan with a margin is a whole stress table, which takes longer than a stop may."""
    control, out = RunControl(), tmp_path / "out"

    def stop(event: RunEvent) -> None:
        if isinstance(event, EpochDone) and event.epoch == 1:
            control.request_stop()

    run(margin_spec(out), control, stop)
    assert json.loads((out / "margin-none" / METRICS).read_text())["nominal"] is None


@pytest.mark.slow
def test_a_killed_curve_goes_on_where_it_was(whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    def die(event: RunEvent) -> None:
        if isinstance(event, Progress) and event.text == "Cautious margin: stress test, failing: draw 2 of 2":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(margin_spec(out, checkpoint_seconds=0.0), None, die)
    assert STORE.read(out).state is RunState.RUNNING and (out / "stress-design" / DRAWS).is_file()
    again = run(margin_spec(out, resume=True))
    assert timeless(read_curve(out)) == timeless(read_curve(whole))
    tested = [event.text for event in again if isinstance(event, Progress) and ": draw" in event.text]
    assert tested[0] == "Cautious margin: stress test, failing: draw 2 of 2"


def test_a_complete_curve_has_nothing_left_to_do(whole: Path) -> None:
    before = (whole / HEADER).read_bytes()
    events = run(margin_spec(whole, resume=True))
    assert finished(events).message.startswith("nothing left to do: No margin")
    assert [event.curve for event in events if isinstance(event, MarginReady)] == [read_curve(whole)]
    assert (whole / HEADER).read_bytes() == before


@pytest.mark.slow
def test_a_curve_holds_while_it_is_paused(whole: Path, tmp_path: Path) -> None:
    control, out = RunControl(), tmp_path / "out"

    def hear(event: RunEvent) -> None:
        if isinstance(event, Progress) and event.text.endswith("Cautious margin: stress test, failing: draw 1 of 2"):
            control.request_pause()
        if isinstance(event, EpochDone) and event.epoch == 1:
            control.request_pause()
        if event == StateChanged(RunState.PAUSED):
            time.sleep(0.01)
            control.request_resume()

    events = run(margin_spec(out), control, hear)
    assert sum(event == StateChanged(RunState.PAUSED) for event in events) >= 2
    assert timeless(read_curve(out)) == timeless(read_curve(whole))


# -- bad input ---------------------------------------------------------------------------------------------------------
def test_bad_input_is_told_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    project = margin_project()
    bad = replace(project, stress=StressSet((STRESS.scenarios[3],)), plan=replace(project.plan, days=99))
    end = finished(run(margin_spec(tmp_path / "out", MarginCurveSettings(5.0, -1), project=bad)))
    assert end.reason is FinishReason.FAILED
    told = ("weather for 2 days", "Draws is -1", "every 5 h, which is not a whole number of steps", "all are replanned")
    assert len(end.problems) == len(told), end.problems
    for words in told:
        assert any(words in str(problem) for problem in end.problems), words
    assert not (tmp_path / "out").exists()


def changed(change: str) -> tuple[MarginCurveSettings, Project]:
    settings, project = SETTINGS, margin_project()
    plan = project.plan
    match change:
        case "seed":
            settings = replace(settings, seed=8)
        case "scenarios":
            project = replace(project, stress=StressSet(STRESS.scenarios[:2], STRESS.seed))
        case "limit":
            project = replace(project, plan=replace(plan, margin=replace(plan.margin, limit=0.1)))
        case "epochs":
            project = replace(project, plan=replace(plan, optimizer=OptimizerSettings(epochs=9)))
        case "margin":
            project = replace(project, plan=replace(plan, margin=replace(plan.margin, kind=Margin.STRESS)))
    return settings, project


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("seed", "Random seed = 7, now 8"),
        ("scenarios", "other stress scenarios"),
        ("limit", "Limit = 0.05, now 0.1"),
        ("epochs", "Search steps = 4, now 9"),
        ("margin", "nothing left to do"),
    ],
)
def test_a_curve_of_something_else_is_not_gone_on_with(whole: Path, change: str, told: str) -> None:
    """The project's own margin is no part of a curve, which has all of them."""
    settings, project = changed(change)
    end = finished(run(margin_spec(whole, settings, project=project, resume=True)))
    assert told in "\n".join([*map(str, end.problems), end.message])


def test_a_folder_with_a_curve_is_not_overwritten(whole: Path) -> None:
    end = finished(run(margin_spec(whole)))
    assert "holds a margin curve" in str(end.problems[0])


def test_a_damaged_curve_is_said_to_be_so(tmp_path: Path, whole: Path) -> None:
    write_curve(tmp_path, read_curve(whole))
    assert read_curve(tmp_path) == read_curve(whole)
    (tmp_path / CURVE).write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        read_curve(tmp_path)

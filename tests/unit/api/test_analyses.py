"""The other functions of the Python interface: the numbers of the commands, folders that go on, problems listed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firegui
from firegui.analyses.benchmark.results import read_benchmark
from firegui.analyses.stress.results import STORE, StressHeader, read_table
from firegui.analyses.uncertainty.results import read_ensemble
from firegui.api.projects import OpenProject
from firegui.domain.settings import MarginSettings
from firegui.domain.stress import NOMINAL, StressScenario, StressSet, untested_names
from firegui.domain.uncertainty import ErrorSource, UncertaintyKind, UncertaintySettings
from firegui.errors import CancelledError
from firegui.io.project.schedule_file import read_project_schedule
from firegui.runs.events import MembersDone, RunEvent, StressReady
from firegui.runs.run_folder import PLAN, read_run
from tests.support import assert_same_files, make_project
from tests.unit.analyses.workers import Workplace
from tests.unit.api.conftest import Command

pytestmark = pytest.mark.usefixtures("short_repairs")


# -- evaluate ----------------------------------------------------------------------------------------------------------
def test_an_evaluation_has_the_numbers_and_the_states_of_the_command(
    command: Command, folder: Path, drops: Path, tmp_path: Path
) -> None:
    words = ("evaluate", folder, "--schedule", drops, "--eta-water", 0.5, "--state", tmp_path / "states.npz")
    printed = command(*words)
    found = firegui.evaluate(folder, drops, eta_water=0.5, states=True)
    assert {**found.data(), "seconds": 0.0} == {**printed, "seconds": 0.0}
    with np.load(tmp_path / "states.npz") as states:
        assert found.p_fire is not None and (found.p_fire == states["p_fire"]).all()
    place = found.save(tmp_path / "saved")
    assert {path.name for path in place.iterdir()} == {"evaluation.json", "plan.safetensors", "states.npz"}
    again = firegui.evaluate(folder, place, eta_water=0.5)
    assert (again.metrics, again.baseline) == (found.metrics, found.baseline)
    assert firegui.evaluate(folder).metrics == firegui.evaluate(folder).baseline


def test_an_evaluation_lists_every_problem_and_can_be_stopped(project: OpenProject, tmp_path: Path) -> None:
    with pytest.raises(firegui.InputError) as refused:
        firegui.evaluate(project, tmp_path / "gone.csv", eta_water=2.0, backend="gpu9")
    assert len(refused.value.problems) == 3
    token = firegui.RunControl()
    token.request_stop()
    with pytest.raises(CancelledError):
        firegui.evaluate(project, cancel=token)


# -- stress ------------------------------------------------------------------------------------------------------------
def test_a_stress_test_has_the_table_of_the_command(
    command: Command, folder: Path, drops: Path, tmp_path: Path, temporary: Path
) -> None:
    printed = command("stress", folder, "--schedule", drops, "--draws", 2, "--seed", 3, "--out", tmp_path / "one")
    tested = firegui.stress_test(folder, drops, draws=2, seed=3)
    assert list(temporary.iterdir()) == []
    assert tested.verdict.startswith("⚠ Does not hold: ") and not tested.holds
    loose = replace(tested.project, plan=replace(tested.project.plan, margin=MarginSettings(limit=1.0)))
    assert replace(tested, project=loose).holds and replace(tested, project=loose).verdict.startswith("Holds in all ")
    assert [result.share_worst for result in tested.stress.results] == [
        row["share_worst"] for row in printed["scenarios"]
    ]
    place = tested.save(tmp_path / "two")
    assert_same_files(tmp_path / "one", place, "table.csv", "stress.json")
    assert read_table(place) == tested.stress


def test_a_stress_test_that_is_stopped_goes_on(project: OpenProject, drops: Path, tmp_path: Path) -> None:
    token = firegui.RunControl()

    def stop(event: RunEvent) -> None:
        if isinstance(event, StressReady):
            token.request_stop()

    out = tmp_path / "run"
    part = firegui.stress_test(project, drops, draws=1, out=out, progress=stop, cancel=token)
    whole = firegui.stress_test(project, drops, draws=1, out=out, resume=True)
    assert len(part.stress.results) < len(whole.stress.results)
    with pytest.raises(firegui.InputError) as refused:
        firegui.stress_test(project, drops, draws=-1, repair_hours="often", out=out)  # type: ignore[arg-type]
    assert len(refused.value.problems) == 3


def test_a_stress_test_that_goes_on_still_names_the_file_of_its_scenarios(
    folder: Path, drops: Path, tmp_path: Path
) -> None:
    file = tmp_path / "scenarios.toml"
    file.write_text('[[scenario]]\nname = "a"\nspread_factor = 1.1\n[[scenario]]\nname = "b"\n', encoding="utf-8")

    def stopped_and_resumed(out: Path, scenarios: Path | StressSet) -> StressHeader:
        token = firegui.RunControl()

        def stop(event: RunEvent) -> None:
            if isinstance(event, StressReady):
                token.request_stop()

        firegui.stress_test(folder, drops, scenarios=scenarios, out=out, progress=stop, cancel=token)
        before = STORE.read(out)
        whole = firegui.stress_test(folder, drops, out=out, resume=True)
        assert [one.scenario.name for one in whole.stress.results] == ["a", "b"]
        after = STORE.read(out)
        assert (after.command, after.scenarios_file) == (before.command, before.scenarios_file)
        return after

    named = stopped_and_resumed(tmp_path / "named", file)
    assert f"--scenarios {file}" in named.command
    # No command repeats a test of scenarios that are in no file.
    given = StressSet((StressScenario("a", spread_factor=1.1), StressScenario("b")))
    assert stopped_and_resumed(tmp_path / "given", given).command == ""


def test_the_plan_in_the_folder_of_a_run_is_known_as_that_of_the_run(folder: Path, tmp_path: Path) -> None:
    plan = firegui.plan(folder, prune=False, out=folder / "runs" / "one")
    assert plan.folder is not None and plan.stress is not None and untested_names(plan.stress)
    out = tmp_path / "test"
    tested = firegui.stress_test(folder, plan.folder, out=out)
    assert STORE.read(out).schedule_file == str(plan.folder / PLAN)
    assert read_run(plan.folder).scores.stress == tested.stress, "the run counts the test of its plan"
    # A result is a schedule also where its folder does not hold it.
    assert firegui.evaluate(folder, tested).metrics == firegui.evaluate(folder, plan.folder).metrics


def test_scenarios_of_another_type_are_a_problem(project: OpenProject, drops: Path) -> None:
    with pytest.raises(firegui.InputError, match=r"scenarios: .* cannot be used") as refused:
        firegui.stress_test(project, drops, scenarios=(StressScenario("a"),))  # type: ignore[arg-type]
    assert len(refused.value.problems) == 1


# -- uncertainty -------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_an_ensemble_has_the_members_of_the_command(
    command: Command, folder: Path, drops: Path, tmp_path: Path
) -> None:
    words = ("--kind", "aleatoric", "--members", 6, "--seed", 5, "--schedule", drops)
    command("uq", folder, *words, "--out", tmp_path / "one")
    report = firegui.uncertainty(folder, drops, members=6, seed=5)
    place = report.save(tmp_path / "two")
    assert_same_files(tmp_path / "one", place, "ensemble.csv", "summary.csv")
    assert read_ensemble(place)[1].members == report.ensemble.members == 6
    row = report.summary.row("final_extent")
    assert row is not None and row.plan is not None
    evaluated = firegui.evaluate(folder, drops)
    assert (report.metrics, report.baseline) == (evaluated.metrics, evaluated.baseline)


@pytest.mark.slow
def test_an_ensemble_without_a_schedule_may_get_more_members(project: OpenProject, tmp_path: Path) -> None:
    first = firegui.uncertainty(project, members=3, out=tmp_path / "run")
    assert first.schedule is None and first.metrics is None
    more = firegui.uncertainty(project, members=5, out=tmp_path / "run", resume=True)
    assert more.ensemble.members == 5
    with pytest.raises(firegui.InputError, match="give one of aleatoric, epistemic, weather"):
        firegui.uncertainty(project, kind="luck")


@pytest.mark.slow
def test_an_ensemble_is_of_the_kind_of_its_settings_and_stays_so(project: OpenProject, tmp_path: Path) -> None:
    settings = UncertaintySettings(kind=UncertaintyKind.EPISTEMIC, error=ErrorSource.PAPER)
    firegui.uncertainty(project, settings=settings, members=2, out=tmp_path / "run")
    whole = firegui.uncertainty(project, members=3, out=tmp_path / "run", resume=True)
    assert (whole.ensemble.kind, whole.ensemble.members) == (UncertaintyKind.EPISTEMIC, 3)


def test_an_ensemble_tells_how_far_it_is(project: OpenProject) -> None:
    events: list[RunEvent] = []
    firegui.uncertainty(project, members=3, progress=events.append)
    assert any(isinstance(event, MembersDone) for event in events)


# -- replan ------------------------------------------------------------------------------------------------------------
def test_replanning_has_the_bits_of_the_command(
    command: Command, watched: OpenProject, drops: Path, tmp_path: Path
) -> None:
    assert watched.folder is not None
    words = ("replan", watched.folder, "--schedule", drops, "--day", 1, "--epochs", 3, "--seed", 5)
    printed = command(*words, "--out", tmp_path / "one")
    report = firegui.replan(watched, drops, day=1, epochs=3, seed=5)
    place = report.save(tmp_path / "two")
    assert_same_files(tmp_path / "one", place, "plan.safetensors", "schedule.csv", "occupancy.tif")
    assert report.metrics.final_extent_cells == printed["nominal"]["final_extent_cells"]
    assert report.continued is not None and report.baseline is not None
    # The fire that was observed stays with the result.
    scored = firegui.evaluate(watched, report)
    assert scored.fire is not None and scored.metrics == firegui.evaluate(watched, place).metrics == report.metrics


def test_replanning_lists_every_problem_in_the_words_of_python(watched: OpenProject, tmp_path: Path) -> None:
    with pytest.raises(firegui.InputError) as refused:
        firegui.replan(watched, tmp_path / "gone.csv", scenario="late", epochs=0)
    text = str(refused.value)
    for part in ("day: is missing", "add `closed_loop=True`", "gone.csv", "epochs is 0"):
        assert part in text
    assert "--" not in text


@pytest.mark.parametrize(
    ("given", "keyword"),
    [
        ({"scenario": NOMINAL}, "scenario"),
        ({"every_hours": "12"}, "every_hours"),
        ({"draw": 1.5}, "draw"),
        ({"stop_at_day": "1"}, "stop_at_day"),
        ({"day": "1", "closed_loop": False}, "day"),
    ],
)
def test_a_value_of_another_type_is_one_problem(
    given: dict[str, Any], keyword: str, watched: OpenProject, drops: Path
) -> None:
    with pytest.raises(firegui.InputError) as refused:
        firegui.replan(watched, drops, **({"closed_loop": True} | given))
    (problem,) = refused.value.problems
    assert problem.where == keyword and "cannot be used" in problem.what


# -- benchmark ---------------------------------------------------------------------------------------------------------
def test_a_benchmark_returns_its_best_plan_and_leaves_nothing(
    project: OpenProject, temporary: Path, tmp_path: Path
) -> None:
    report = firegui.benchmark(project, planners=["none", "tactical"], seeds=1, allowance=30, processes=1)
    assert [path.name for path in temporary.iterdir() if not path.name.startswith("pymp-")] == []
    assert {row.task.name for row in report.table.rows} == {"none-0", "tactical-0", "two-stage-0"}
    assert report.best.objective == min(row.objective for row in report.table.rows)
    assert report.metrics == report.best.metrics
    assert report.schedule is not None and report.schedule.proposed.sum() >= report.metrics.drops_executed
    header, table = read_benchmark(report.save(tmp_path / "run"))
    assert table.rows == report.table.rows
    assert header.command.startswith(f"firegui benchmark {project.folder}")


def test_a_benchmark_of_a_project_that_is_not_saved_names_no_folder(
    workplace: Workplace, temporary: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    firegui.benchmark(make_project(), planners="none", seeds=1, allowance=30, budget=5, processes=1, out=out)
    header, _table = read_benchmark(out)
    assert (header.command, header.project_folder) == ("", "")
    assert list(temporary.iterdir()) == []


def test_a_benchmark_lists_every_problem(project: OpenProject) -> None:
    with pytest.raises(firegui.InputError) as refused:
        firegui.benchmark(project, planners="none,luck", seeds=0, processes=-1)
    assert {problem.where for problem in refused.value.problems} == {"planners", "benchmark", "processes"}


# -- export ------------------------------------------------------------------------------------------------------------
def test_a_plan_is_exported_from_memory_as_from_its_folder(
    command: Command, project: OpenProject, tmp_path: Path
) -> None:
    plan = firegui.plan(project, epochs=5)
    place = plan.save(tmp_path / "run")
    command("export", place, "--format", "csv,geojson", "--name", "plan", "--out", tmp_path / "one")
    written = firegui.export(plan, ["csv", "geojson"], tmp_path / "two", name="plan")
    assert sorted(path.name for path in written.files) == sorted(path.name for path in (tmp_path / "one").iterdir())
    table = next(path for path in written.files if path.suffix == ".csv")
    assert_same_files(tmp_path / "one", tmp_path / "two", table.name)
    one, other = read_project_schedule(table, project), read_project_schedule(place / "schedule.csv", project)
    assert (one.proposed == other.proposed).all()
    assert written.replaced == ()
    assert firegui.export(place, "csv", tmp_path / "two", name="plan").replaced != ()


def test_an_export_refuses_films_and_names_with_slashes(project: OpenProject, tmp_path: Path) -> None:
    plan = firegui.plan(project, epochs=2, prune=False)
    with pytest.raises(firegui.InputError) as refused:
        firegui.export(plan, "csv,mp4", tmp_path / "out", name="a/b", units="furlongs")  # type: ignore[arg-type]
    assert [problem.where for problem in refused.value.problems] == ["formats", "name", "units"]
    assert not (tmp_path / "out").exists()


def test_pages_for_people_are_in_the_units_asked_for(project: OpenProject, tmp_path: Path) -> None:
    plan = firegui.plan(project, epochs=2, prune=False)
    pages = {}
    for units in ("metric", "us"):
        (page,) = firegui.export(plan, "report", tmp_path / units, units=units).files
        pages[units] = page.read_text(encoding="utf-8")
    assert " ha" in pages["metric"] and " acres" not in pages["metric"]
    assert " acres" in pages["us"]


def test_a_run_of_every_kind_is_read_back_by_the_commands(command: Command, project: OpenProject) -> None:
    assert project.folder is not None
    place = firegui.plan(project, epochs=3).save(project.folder / "runs" / "mine")
    (listed,) = command("info", project.folder)["runs"]
    assert listed["run"] == "mine" and listed["has_plan"]
    assert command("audit", project.folder, "--schedule", place)["ok"]
    assert read_run(place).header.project_folder == str(project.folder)

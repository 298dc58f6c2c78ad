"""``firegui.plan`` and ``firegui.prune``: the same bits as the commands, nothing left behind, every problem listed."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firegui
from firegui.api.projects import OpenProject
from firegui.domain.settings import Margin, MarginSettings
from firegui.domain.stress import untested_names
from firegui.errors import CancelledError, FireguiError, RunFailedError
from firegui.runs.engine import Engine
from firegui.runs.events import Message, RunEvent, RunFinished, StressTestProgress
from firegui.runs.run_folder import read_run
from firegui.runs.stages import EpochDone, FinishReason
from tests.support import assert_same_files, make_project
from tests.unit.api.conftest import Command

SAME = ("plan.safetensors", "schedule.csv", "drops.json", "occupancy.tif", "baseline.tif", "reference.safetensors")


def test_a_plan_has_the_bits_of_the_command_with_the_same_seed(command: Command, folder: Path, tmp_path: Path) -> None:
    printed = command("plan", folder, "--out", tmp_path / "one", "--epochs", 5, "--seed", 7, "--backend", "cpu")
    plan = firegui.plan(folder, epochs=5, seed=7, backend="cpu")
    place = plan.save(tmp_path / "two")

    assert_same_files(tmp_path / "one", place, *SAME)
    assert {path.name for path in place.iterdir()} == {
        path.name for path in (tmp_path / "one").iterdir() if not path.name.startswith(".")
    }
    one, two = read_run(tmp_path / "one"), read_run(place)
    assert two.header.command == one.header.command.replace(str(tmp_path / "one"), str(place))
    assert (two.scores.nominal, two.scores.audit) == (one.scores.nominal, one.scores.audit)
    assert plan.metrics.final_extent_cells == printed["nominal"]["final_extent_cells"]
    assert plan.metrics.objective < plan.baseline.objective
    assert plan.drops and plan.schedule.proposed.sum() == len(plan.drops)
    assert plan.audit is not None and plan.audit.ok
    assert len(plan.history) == 5
    assert plan.stress is not None and plan.stress.drops == plan.metrics.drops_executed
    assert plan.holds is plan.stress.holds(plan.project.plan)
    assert plan.metrics.drops_proposed == plan.metrics.drops_executed
    assert plan.removal is not None
    of_plan = plan.removal.schedule(plan.removal.place_of(plan.removal.taken) or 0)
    assert np.array_equal(of_plan.proposed, plan.schedule.proposed)


def test_settings_that_are_not_given_are_those_of_the_project(project: OpenProject) -> None:
    plan = firegui.plan(project, prune=False)
    assert plan.holds is (None if plan.stress is None else plan.stress.holds(project.plan))
    assert len(plan.history) == project.plan.optimizer.epochs == 6
    assert plan.project.plan == project.plan
    other = firegui.plan(project, epochs=2, learning_rate=0.1, margin="none", seed=9, prune=False).project.plan
    assert (other.optimizer.epochs, other.optimizer.learning_rate, other.optimizer.seed) == (2, 0.1, 9)
    assert other.margin.kind is Margin.NONE


@pytest.mark.parametrize("prune", [True, False])
def test_a_search_that_was_too_short_for_a_drop_says_so(project: OpenProject, prune: bool) -> None:
    plan = firegui.plan(project, epochs=1, margin="none", prune=prune)
    assert plan.metrics.drops_executed == 0
    assert "no drop has formed yet" in plan.message and "could be removed" not in plan.message
    assert "check the weights" not in plan.message


def test_nothing_is_left_without_a_folder(project: OpenProject, temporary: Path) -> None:
    files = set(project.folder.rglob("*")) if project.folder else set()
    plan = firegui.plan(project, epochs=2)
    assert plan.folder is None
    assert list(temporary.iterdir()) == []
    assert project.folder is not None and set(project.folder.rglob("*")) == files


@pytest.mark.parametrize("error", [RuntimeError("broken"), KeyboardInterrupt()])
def test_nothing_is_left_of_a_run_that_fails(
    project: OpenProject, temporary: Path, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **keywords: object) -> None:
        raise error

    monkeypatch.setattr(Engine, "build", fail)
    with pytest.raises((RunFailedError, KeyboardInterrupt)):
        firegui.plan(project, epochs=2)
    assert [path.name for path in temporary.iterdir() if path.suffix != ".log"] == []


def test_a_folder_is_written_as_the_run_goes_and_gone_on_with(project: OpenProject, tmp_path: Path) -> None:
    out = tmp_path / "run"
    first = firegui.plan(project, epochs=3, prune=False, out=out)
    assert first.folder == out and read_run(out).metrics == first.metrics
    more = firegui.plan(project, epochs=6, prune=False, out=out, resume=True)
    whole = firegui.plan(project, epochs=6, prune=False)
    assert len(more.history) == 6
    assert (more.schedule.logits == whole.schedule.logits).all()
    done = firegui.plan(project, epochs=6, prune=False, out=out, resume=True)
    assert done.message == "nothing left to do: give `epochs` above 6"
    copy = more.save(tmp_path / "copy")
    assert_same_files(out, copy, "plan.safetensors", "schedule.csv", "history.csv")


def test_the_events_of_the_run_are_passed_on_in_their_order(project: OpenProject) -> None:
    events: list[RunEvent] = []
    firegui.plan(project, epochs=3, prune=False, progress=events.append)
    assert [event.epoch for event in events if isinstance(event, EpochDone)] == [0, 1, 2]
    assert isinstance(events[-1], RunFinished)


def test_a_token_stops_the_run_and_the_best_so_far_is_returned(project: OpenProject) -> None:
    token = firegui.RunControl()

    def stop(event: RunEvent) -> None:
        if isinstance(event, EpochDone) and event.epoch == 3:
            token.request_stop()

    plan = firegui.plan(project, epochs=500, progress=stop, cancel=token)
    assert plan.reason is FinishReason.STOPPED
    assert 4 <= len(plan.history) < 20
    assert plan.metrics.final_extent_cells > 0


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param("stress test: late", marks=pytest.mark.slow),
        "stress test: failures, repaired, draw 2 of 2",
        pytest.param("scoring the removal curve", marks=pytest.mark.slow),
    ],
)
def test_tests_that_were_stopped_are_made_when_the_plan_is_resumed(
    moment: str, project: OpenProject, tmp_path: Path
) -> None:
    margin = MarginSettings(search_epochs=2, training_epochs=2, adapt_epochs=2, limit=1.0)
    few = tuple(replace(one, draws=2) if one.repair_hours else one for one in project.stress.scenarios)
    project = replace(project, plan=replace(project.plan, margin=margin), stress=replace(project.stress, scenarios=few))
    project = project.save(tmp_path / "short.firegui")
    whole = firegui.plan(project, out=tmp_path / "whole")
    assert whole.holds and whole.stress is not None and not untested_names(whole.stress)
    token = firegui.RunControl()

    def stop(event: RunEvent) -> None:
        if isinstance(event, StressTestProgress | Message) and event.text == moment:
            token.request_stop()

    stopped = firegui.plan(project, out=tmp_path / "run", progress=stop, cancel=token)
    assert stopped.reason is FinishReason.COMPLETED and token.stop_requested
    assert stopped.stress != whole.stress or stopped.removal is None or not stopped.removal.is_scored
    resumed = firegui.plan(project, out=tmp_path / "run", resume=True)
    assert resumed.stress == whole.stress and resumed.message == whole.message
    assert_same_files(tmp_path / "run", tmp_path / "whole", *SAME, "elimination.safetensors")
    assert firegui.plan(project, out=tmp_path / "run", resume=True).message.startswith("nothing left to do")


def test_a_plan_that_was_not_scored_says_so(project: OpenProject) -> None:
    token = firegui.RunControl()

    def stop(event: RunEvent) -> None:
        if isinstance(event, EpochDone) and event.epoch == 3:
            token.request_stop(now=True)

    plan = firegui.plan(project, epochs=500, progress=stop, cancel=token)
    with pytest.raises(FireguiError, match=r"firegui\.evaluate scores it"):
        _ = plan.metrics
    assert firegui.evaluate(project, plan).metrics.drops_proposed == plan.schedule.proposed.sum()


def test_a_run_that_is_stopped_before_it_began_is_cancelled(project: OpenProject, temporary: Path) -> None:
    token = firegui.RunControl()
    token.request_stop()
    with pytest.raises(CancelledError, match="there is no plan yet"):
        firegui.plan(project, cancel=token)
    assert list(temporary.iterdir()) == []


def test_every_problem_is_listed_in_the_words_of_python_and_nothing_is_written(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(firegui.InputError) as refused:
        firegui.plan(
            tmp_path / "nowhere.firegui", epochs=-1, patience=True, margin="wide", seed="x",  # type: ignore[arg-type]
            warm_start=tmp_path / "gone.csv", backend="gpu9", out=tmp_path / "run", resume=True,
        )  # fmt: skip
    problems = {problem.where: problem for problem in refused.value.problems}
    assert set(problems) == {
        str(tmp_path / "nowhere.firegui"), str(tmp_path / "run"), "patience", "margin", "seed", "optimizer",
        f"warm_start {tmp_path / 'gone.csv'}", "backend",
    }  # fmt: skip
    assert problems["margin"].remedy == "give one of none, design, stress"
    assert "`resume=True`" in problems[str(tmp_path / "run")].remedy
    assert "--" not in str(refused.value)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("project", [None, 3])
def test_what_is_no_project_is_refused_in_one_message(project: Any) -> None:
    with pytest.raises(firegui.InputError, match=f"is {type(project).__name__} — give a project, or the folder"):
        firegui.plan(project)


def test_a_schedule_of_another_fleet_is_refused(project: OpenProject) -> None:
    plan = firegui.plan(project, epochs=2, prune=False)
    smaller = project.with_counts({"R": 1})
    with pytest.raises(firegui.InputError, match="has 20 steps and 4 aircraft, the project 20 and 3"):
        firegui.prune(smaller, plan)


def test_pruning_has_the_bits_of_the_command(command: Command, folder: Path, tmp_path: Path) -> None:
    first = firegui.plan(folder, epochs=20, prune=False, out=tmp_path / "first")
    command("prune", folder, "--schedule", tmp_path / "first", "--slack", 1.1, "--out", tmp_path / "one")
    pruned = firegui.prune(folder, first, slack=1.1)
    place = pruned.save(tmp_path / "two")
    assert_same_files(tmp_path / "one", place, "plan.safetensors", "schedule.csv", "occupancy.tif")
    assert read_run(place).header.command == read_run(tmp_path / "one").header.command.replace(
        str(tmp_path / "one"), str(place)
    )
    in_memory = firegui.prune(folder, first.schedule, slack=1.1)
    assert (in_memory.schedule.logits == pruned.schedule.logits).all()
    assert read_run(in_memory.save(tmp_path / "three")).header.command == ""


def test_a_project_that_is_not_saved_or_was_changed_has_no_command(project: OpenProject, tmp_path: Path) -> None:
    unsaved = firegui.plan(make_project(epochs=2), prune=False).save(tmp_path / "unsaved")
    assert (read_run(unsaved).header.command, read_run(unsaved).header.project_folder) == ("", "")
    smaller = firegui.plan(project.with_counts({"R": 1}), epochs=2, prune=False).save(tmp_path / "smaller")
    header = read_run(smaller).header
    assert header.command == "" and header.project_folder == str(project.folder)
    assert header.project.fleet[0].count == 1
    longer = replace(project, plan=replace(project.plan, optimizer=replace(project.plan.optimizer, epochs=2)))
    same = firegui.plan(longer, prune=False).save(tmp_path / "same")
    assert shlex.split(read_run(same).header.command)[:2] == ["firegui", "optimize"]


def test_a_result_is_saved_whole_or_not_at_all(project: OpenProject, tmp_path: Path) -> None:
    plan = firegui.plan(project, epochs=2, prune=False)
    place = plan.save(tmp_path / "run")
    for taken in (place, project.folder, tmp_path / "run" / "run.toml"):
        assert taken is not None
        before = sorted(taken.rglob("*"))
        with pytest.raises(firegui.InputError):
            plan.save(taken)
        assert sorted(taken.rglob("*")) == before
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]

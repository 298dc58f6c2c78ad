from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.analyses.uncertainty import run as uncertainty
from firegui.analyses.uncertainty.ensemble_file import write_members
from firegui.analyses.uncertainty.results import (
    DIFFERENCE,
    HEADER,
    MEAN_BASELINE,
    MEAN_PLAN,
    MEMBERS,
    RESIDUALS,
    STATE,
    SUMMARY,
    TABLE,
    read_ensemble,
    read_header,
    read_residual,
    residual_days,
    write_fit,
)
from firegui.cli.progress import scalars
from firegui.domain.options import degrees_text
from firegui.domain.project import FireModel, Project
from firegui.domain.regions import Region
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness, OptimizerSettings
from firegui.domain.uncertainty import (
    PAPER_BEAR,
    ErrorFit,
    ErrorSource,
    ResidualMode,
    Semivariogram,
    UncertaintyKind,
    UncertaintySettings,
    WeatherSpread,
)
from firegui.errors import InputError, Problem
from firegui.fire.card import scalar_card
from firegui.io.project.store import list_runs
from firegui.io.rasters.geotiff import read_raster, write_raster
from firegui.runs.control import RunControl
from firegui.runs.events import (
    BaselineReady,
    EnsembleReady,
    ErrorFitted,
    MembersDone,
    Message,
    PlanUpdated,
    RunEvent,
    StateChanged,
)
from firegui.runs.lock import FolderLock
from firegui.runs.run_folder import read_run
from firegui.runs.runner import execute
from firegui.runs.spec import EvaluateSpec, MemberOf, UncertaintySpec
from firegui.runs.stages import FinishReason, RunState
from tests.support import assert_same_files, csv_rows, make_project, watched_project
from tests.unit.runs.fakes import PAUSED_ONCE, FakeEngine, carried_out, end, raise_at, states, two_drops, warnings

ALEATORIC = UncertaintySettings(members=8, seed=5)
EPISTEMIC = UncertaintySettings(UncertaintyKind.EPISTEMIC, members=3, threshold=0.2)


def uq_spec(out: Path, **changes: Any) -> UncertaintySpec:
    """An ensemble that is known beforehand, of a project with perimeters and a fire model that heeds the wind."""
    project = watched_project(2).with_model(FireModel("scalar", "constant", {}))
    return replace(UncertaintySpec(project, out, "again", ALEATORIC, two_drops(project)), **changes)


def stopped_at(member: int, out: Path, **changes: Any) -> list[RunEvent]:
    """An ensemble that is stopped in its ``member``-th member, counted from 0."""
    control = RunControl()
    engine = FakeEngine(during_member=lambda number: control.request_stop() if number == member else None)
    return carried_out(uq_spec(out, **changes), engine, control)


def files(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}


def members_of(folder: Path) -> list[dict[str, str]]:
    return csv_rows(folder / MEMBERS)


def test_an_ensemble_is_saved_with_what_made_it(tmp_path: Path) -> None:
    out = tmp_path / "run"
    events = carried_out(uq_spec(out))

    assert (end(events).reason, end(events).folder) == (FinishReason.COMPLETED, out)
    assert files(out) == {HEADER, STATE, MEMBERS, SUMMARY, TABLE, MEAN_BASELINE, MEAN_PLAN, DIFFERENCE}
    header = read_header(out)
    assert (header.command, header.seed, header.settings, header.members_done) == ("again", 5, ALEATORIC, 8)
    assert (header.state, header.reason) == (RunState.FINISHED, FinishReason.COMPLETED)
    assert header.schedule and header.project_hash and header.event_hash and header.versions["python"]
    with pytest.raises(InputError, match=r"run\.toml"):
        read_run(out)


def test_an_ensemble_among_a_projects_runs_is_not_taken_for_a_plan(tmp_path: Path) -> None:
    carried_out(uq_spec(tmp_path / "runs" / "ensemble"))
    (tmp_path / "runs" / "plan").mkdir()
    assert [folder.name for folder in list_runs(tmp_path)] == ["plan"]


def test_the_sheet_has_a_line_a_member_with_its_days_and_its_benefit(tmp_path: Path) -> None:
    carried_out(uq_spec(tmp_path / "run"))
    rows = members_of(tmp_path / "run")

    assert [row["member"] for row in rows] == [str(member) for member in range(8)]
    for member, row in enumerate(rows):
        without = 100.0 + member
        plan = 1.5 * without if member % 4 == 3 else 0.5 * without
        assert [float(row[f"baseline_extent_{day}"]) for day in range(3)] == [0.0, without / 2, without]
        assert float(row["plan_extent_2"]) == plan and float(row["benefit_extent"]) == without - plan
        assert float(row["plan_protected_2"]) == pytest.approx(0.1 * plan)


def test_the_summary_has_the_papers_table_and_the_pairs(tmp_path: Path) -> None:
    carried_out(uq_spec(tmp_path / "run"))
    found = json.loads((tmp_path / "run" / SUMMARY).read_text())
    row = {one["quantity"]: one for one in found["rows"]}

    without = 100.0 + np.arange(8)
    plan = np.where(np.arange(8) % 4 == 3, 1.5, 0.5) * without
    final = row["final_extent"]
    assert final["baseline"]["mean"] == pytest.approx(without.mean())
    assert final["baseline"]["sd"] == pytest.approx(without.std(ddof=1))
    assert final["plan"]["mean"] == pytest.approx(plan.mean())
    assert final["benefit"]["reduction"] == pytest.approx(1 - plan.mean() / without.mean())
    assert final["benefit"]["worse"] == 0.25 and 0.0 < final["benefit"]["worse_error"] < 0.25
    assert row["final_area"]["plan"]["mean"] == pytest.approx(0.09 * plan.mean())
    assert row["protected"]["plan"]["mean"] == pytest.approx(0.1 * plan.mean())
    assert row["exposure"]["baseline"]["mean"] == pytest.approx(1.5 * without.mean())
    assert [member["member"] for member in found["worst"][:3]] == [7, 3, 0]
    assert found["kind"] == "aleatoric" and found["members"] == 8 and found["seed"] == 5
    assert found["deterministic"]["plan"]["drops_executed"] == 2
    ends = [one for one in found["by_day"] if (one["case"], one["quantity"], one["day"]) == ("plan", "extent", 2)]
    assert len(ends) == 1 and ends[0]["mean"] == pytest.approx(plan.mean())


def test_the_table_of_another_kind_can_be_put_below(tmp_path: Path) -> None:
    carried_out(uq_spec(tmp_path / "a"))
    carried_out(uq_spec(tmp_path / "b", settings=EPISTEMIC))
    tables = [csv_rows(tmp_path / name / TABLE) for name in ("a", "b")]
    assert tables[0][0].keys() == tables[1][0].keys()
    assert {row["kind"] for row in tables[0]} == {"aleatoric"} and tables[1][0]["kind"] == "epistemic"
    assert float(tables[0][0]["reduction_percent"]) == pytest.approx(24.5, abs=1.0)


def test_the_maps_are_the_means_and_their_difference_a_band_a_day_boundary(tmp_path: Path) -> None:
    carried_out(uq_spec(tmp_path / "run"))
    maps = {name: read_raster(tmp_path / "run" / name) for name in (MEAN_BASELINE, MEAN_PLAN, DIFFERENCE)}

    assert maps[MEAN_BASELINE].bands.shape == (3, 16, 20)
    assert (maps[MEAN_BASELINE].bands == 0.5).all() and (maps[MEAN_PLAN].bands == 0.0).all()
    assert (maps[DIFFERENCE].bands == 0.5).all()
    assert maps[DIFFERENCE].descriptions[1].startswith("mean P(fire) without drops less")


def test_without_a_schedule_there_is_only_the_fire_without_drops(tmp_path: Path) -> None:
    events = carried_out(uq_spec(tmp_path / "run", schedule=None))
    assert end(events).reason is FinishReason.COMPLETED and end(events).nominal is None
    assert files(tmp_path / "run") == {HEADER, STATE, MEMBERS, SUMMARY, TABLE, MEAN_BASELINE}
    assert "benefit_extent" not in members_of(tmp_path / "run")[0]
    last = [event for event in events if isinstance(event, MembersDone)][-1]
    assert last.plan is None and last.worse is None


def test_without_regions_nothing_is_protected(tmp_path: Path) -> None:
    project = watched_project(2)
    plan = replace(project.plan, weights=replace(project.plan.weights, prot=0.0))
    carried_out(uq_spec(tmp_path / "run", project=replace(project, regions=(), plan=plan)))
    assert not [name for name in members_of(tmp_path / "run")[0] if "protected" in name]
    assert {one["quantity"] for one in json.loads((tmp_path / "run" / SUMMARY).read_text())["rows"]} == {
        "final_extent", "final_area", "exposure",
    }  # fmt: skip


def test_progress_tells_the_means_so_far_and_what_is_left(tmp_path: Path) -> None:
    events = carried_out(uq_spec(tmp_path / "run", snapshot_seconds=0.0))
    told = [event for event in events if isinstance(event, MembersDone)]

    assert told[-1].done == told[-1].members == 8 and told[-1].left == 0.0
    assert told[-1].baseline == pytest.approx(103.5) and told[-1].worse == 0.25
    assert told[0].done == 1 and scalars(told[0])["left"] is not None
    shown = [event.ensemble.members for event in events if isinstance(event, EnsembleReady)]
    assert shown == list(range(1, 9)), "a snapshot after every member, and the one that is saved"
    assert scalars(events[-2])["event"] == "state"


def test_one_member_has_no_scatter_and_is_told_of_all_the_same(tmp_path: Path) -> None:
    carried_out(uq_spec(tmp_path / "run", settings=replace(ALEATORIC, members=1)))
    (row,) = [r for r in json.loads((tmp_path / "run" / SUMMARY).read_text())["rows"] if r["quantity"] == "protected"]
    assert row["baseline"]["sd"] is None and row["baseline"]["mean"] == 10.0


def test_a_stop_keeps_the_members_and_resuming_ends_as_if_unbroken(tmp_path: Path) -> None:
    carried_out(uq_spec(tmp_path / "whole"))
    events = stopped_at(3, tmp_path / "run")

    assert end(events).reason is FinishReason.STOPPED and "3 of 8 members" in end(events).message
    assert files(tmp_path / "run") == {HEADER, STATE, MEMBERS, SUMMARY, TABLE}, "a stop does not wait for pictures"
    assert len(members_of(tmp_path / "run")) == 3 and read_header(tmp_path / "run").members_done == 3
    drawn: list[int] = []
    again = carried_out(uq_spec(tmp_path / "run", resume=True), FakeEngine(during_member=drawn.append))
    assert end(again).reason is FinishReason.COMPLETED and drawn == [3, 4, 5, 6, 7]
    assert_same_files(tmp_path / "run", tmp_path / "whole", MEMBERS, TABLE, SUMMARY, STATE)


def test_a_stop_before_the_first_member_can_be_resumed(tmp_path: Path) -> None:
    events = stopped_at(0, tmp_path / "run")
    assert end(events).reason is FinishReason.STOPPED and "before the first fire" in end(events).message
    assert files(tmp_path / "run") == {HEADER}
    assert end(carried_out(uq_spec(tmp_path / "run", resume=True))).reason is FinishReason.COMPLETED


def test_members_can_be_added_and_not_taken_away(tmp_path: Path) -> None:
    carried_out(uq_spec(tmp_path / "run"))
    drawn: list[int] = []
    engine = FakeEngine(during_member=drawn.append)
    more = uq_spec(tmp_path / "run", resume=True, settings=replace(ALEATORIC, members=10))
    assert end(carried_out(more, engine)).reason is FinishReason.COMPLETED and drawn == [8, 9]
    assert len(members_of(tmp_path / "run")) == 10
    fewer = end(carried_out(uq_spec(tmp_path / "run", resume=True)))
    assert "has 10 fires, more than the 8 asked for" in str(fewer.problems[0])
    assert len(members_of(tmp_path / "run")) == 10


def test_a_killed_ensemble_goes_on_from_its_last_save(tmp_path: Path) -> None:
    killing = raise_at(4, KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        carried_out(uq_spec(tmp_path / "run", checkpoint_seconds=0.0), FakeEngine(during_member=killing))
    assert read_header(tmp_path / "run").state is RunState.RUNNING
    drawn: list[int] = []
    carried_out(uq_spec(tmp_path / "run", resume=True), FakeEngine(during_member=drawn.append))
    assert drawn == [4, 5, 6, 7] and len(members_of(tmp_path / "run")) == 8


def test_a_failure_keeps_the_members(tmp_path: Path) -> None:
    finished = end(carried_out(uq_spec(tmp_path / "run"), FakeEngine(during_member=raise_at(2, MemoryError))))
    assert finished.reason is FinishReason.FAILED and "memory" in finished.message
    header = read_header(tmp_path / "run")
    assert (header.reason, header.members_done) == (FinishReason.FAILED, 2)
    drawn: list[int] = []
    carried_out(uq_spec(tmp_path / "run", resume=True), FakeEngine(during_member=drawn.append))
    assert drawn[0] == 2


def test_a_disk_that_is_full_for_a_moment_does_not_end_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved, real = [0], write_members

    def write(path: Path, *what: Any) -> None:
        saved[0] += 1
        if saved[0] == 1:
            raise InputError([Problem("disk", "is full")])
        real(path, *what)

    monkeypatch.setattr(uncertainty, "write_members", write)
    events = carried_out(uq_spec(tmp_path / "run", checkpoint_seconds=0.0))
    assert end(events).reason is FinishReason.COMPLETED and len(members_of(tmp_path / "run")) == 8
    warned = warnings(events)
    assert len(warned) == 1 and "is full" in warned[0]


def test_it_holds_while_it_is_paused(tmp_path: Path) -> None:
    control = RunControl()
    engine = FakeEngine(during_member=lambda number: control.request_pause() if number == 2 else None)

    def resume(event: RunEvent) -> None:
        if event == StateChanged(RunState.PAUSED):
            assert (tmp_path / "run" / STATE).is_file()
            control.request_resume()

    assert states(carried_out(uq_spec(tmp_path / "run"), engine, control, resume)) == PAUSED_ONCE


def test_the_model_error_is_fitted_once_and_kept_for_resuming(tmp_path: Path) -> None:
    events = stopped_at(1, tmp_path / "run", settings=EPISTEMIC)
    (fitted,) = [event.fit.error for event in events if isinstance(event, ErrorFitted)]
    assert read_header(tmp_path / "run").error == fitted and fitted.correlation_cells == 5.0
    assert read_raster(tmp_path / "run" / RESIDUALS).bands.shape == (2, 16, 20)
    assert residual_days(tmp_path / "run") == (1,) and (read_residual(tmp_path / "run", 1) == 0.0).all()
    record = scalars(next(event for event in events if isinstance(event, ErrorFitted)))
    assert record["correlation_cells"] == 5.0 and record["days"] == 1
    engine = FakeEngine()
    again = carried_out(uq_spec(tmp_path / "run", resume=True, settings=EPISTEMIC), engine)
    assert end(again).reason is FinishReason.COMPLETED
    assert engine.error_fits == 0 and engine.drawn_with == [fitted]


def test_the_residuals_of_a_day_are_read_back_by_themselves(tmp_path: Path) -> None:
    project, mask = watched_project(4), np.zeros((16, 20), bool)
    mask[3:9, 4:7] = True
    residuals = np.where(mask, np.arange(6.0).reshape(3, 2, 1, 1), np.nan).astype(np.float32)
    nothing = Semivariogram(np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
    fit = ErrorFit(PAPER_BEAR, nothing, ResidualMode.CUMULATIVE, (1, 2, 4), residuals, mask, np.zeros((2, 3)))
    write_fit(tmp_path, fit, project)

    assert residual_days(tmp_path) == (1, 2, 4)
    for number, day in enumerate((1, 2, 4)):
        np.testing.assert_array_equal(read_residual(tmp_path, day), residuals[number])
    with pytest.raises(InputError, match="end of day 3"):
        read_residual(tmp_path, 3)


def test_a_folder_without_residuals_has_none_and_another_raster_is_refused(tmp_path: Path) -> None:
    assert residual_days(tmp_path) == ()
    project = watched_project(2)
    write_raster(
        tmp_path / RESIDUALS, np.zeros((2, 16, 20), np.float32), project.scenario.grid, descriptions=["a", "b"]
    )
    with pytest.raises(InputError, match="not a file of residuals"):
        residual_days(tmp_path)


def test_the_papers_model_error_is_said_to_be_approximate(tmp_path: Path) -> None:
    settings = replace(EPISTEMIC, error=ErrorSource.PAPER, mode=ResidualMode.INCREMENTAL)
    engine = FakeEngine()
    events = carried_out(uq_spec(tmp_path / "run", settings=settings), engine)
    assert engine.error_fits == 0
    assert engine.drawn_with == [replace(PAPER_BEAR, mode=ResidualMode.INCREMENTAL, threshold=0.2)]
    warned = warnings(events)
    assert len(warned) == 2 and "approximate" in warned[0] and "another fire" in warned[0]
    assert "may unburn them" in warned[1]
    header = read_header(tmp_path / "run")
    assert list(header.notes) == warned and header.error == engine.drawn_with[0]
    assert json.loads((tmp_path / "run" / SUMMARY).read_text())["error_model"]["source"].startswith("paper")


def test_a_weather_ensemble_says_that_its_spread_is_a_guess(tmp_path: Path) -> None:
    settings = UncertaintySettings(UncertaintyKind.WEATHER, members=2)
    events = carried_out(uq_spec(tmp_path / "run", settings=settings))
    assert any("guess" in event.text and "±15°" in event.text for event in events if isinstance(event, Message))


def test_everything_wrong_is_listed_and_nothing_written(tmp_path: Path) -> None:
    out = tmp_path / "run"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    bad = UncertaintySettings(UncertaintyKind.WEATHER, members=0, weather=WeatherSpread(-1.0, 0.0, 0.0))
    found = end(carried_out(uq_spec(out, settings=bad, schedule=Schedule.empty(3, 1))))
    texts = " ".join(map(str, found.problems))
    for part in ("Number of fires is 0", "Wind speed error is -1", "3 steps and 1 aircraft", "not empty"):
        assert part in texts
    assert files(out) == {"mine.txt"}


def test_what_the_project_lacks_for_a_kind_is_said_before_anything_is_computed(tmp_path: Path) -> None:
    engine = FakeEngine()
    weather = UncertaintySettings(UncertaintyKind.WEATHER)
    for settings, text in ((EPISTEMIC, "no perimeters"), (weather, "only for the wind")):
        found = end(carried_out(uq_spec(tmp_path / "run", project=make_project(), settings=settings), engine))
        assert text in str(found.problems[0])
    assert not engine.built_with and not (tmp_path / "run").exists()


def test_an_ensemble_is_not_overwritten_and_only_resumed_with_the_same(tmp_path: Path) -> None:
    out = tmp_path / "run"
    carried_out(uq_spec(out))
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    project = uq_spec(out).project

    def problems(**changes: Any) -> str:
        return "\n".join(map(str, end(carried_out(uq_spec(out, **changes))).problems))

    def planned(**changes: Any) -> Project:
        return replace(project, plan=replace(project.plan, **changes))

    assert "holds an ensemble" in problems()
    assert "Random seed = 5, now 6" in problems(resume=True, settings=replace(ALEATORIC, seed=6))
    other = UncertaintySettings(UncertaintyKind.WEATHER, members=8, seed=5)
    assert "Kind = aleatoric, now weather" in problems(resume=True, settings=other)
    assert "How well water works = 0.9, now 0.5" in problems(
        resume=True, project=planned(nominal=Effectiveness(0.9, 0.5))
    )
    assert "another event" in problems(resume=True, project=watched_project(2, skipped=(1,)))
    moved = (Region.rectangle("Village", (0, 5), (0, 6)),)
    assert "other protected regions" in problems(resume=True, project=replace(project, regions=moved))
    assert "another schedule" in problems(resume=True, schedule=None)
    assert "no ensemble to resume" in str(end(carried_out(uq_spec(tmp_path / "no", resume=True))).problems[0])
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    searched = planned(optimizer=OptimizerSettings(epochs=77))
    assert problems(resume=True, project=searched) == "", "how a plan was searched for counts for nothing"


def test_a_folder_that_another_run_is_writing_is_refused(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "run")
    finished = end(carried_out(uq_spec(tmp_path / "run")))
    lock.release()
    assert "another run" in str(finished.problems[0]) and not (tmp_path / "run" / HEADER).exists()


def test_an_ensemble_reads_back_as_it_was_shown(tmp_path: Path) -> None:
    settings = UncertaintySettings(UncertaintyKind.WEATHER, members=3)
    events = carried_out(uq_spec(tmp_path / "run", settings=settings))
    (shown,) = [event.ensemble for event in events if isinstance(event, EnsembleReady)]
    header, found = read_ensemble(tmp_path / "run")
    assert header.settings == settings and (found.kind, found.asked) == (UncertaintyKind.WEATHER, 3)
    assert (found.extent == shown.extent).all() and (found.protected == shown.protected).all()
    assert (found.fire == shown.fire).all() and (found.burning == shown.burning).all()
    assert found.weather == shown.weather and len(found.weather) == 3
    assert float(members_of(tmp_path / "run")[2]["speed_factor"]) == 3.0


def test_a_member_can_be_opened_on_the_map(tmp_path: Path) -> None:
    project = make_project()
    spec = EvaluateSpec(project, two_drops(project), member=MemberOf(3, ALEATORIC))
    events = carried_out(spec)
    (baseline,) = [event for event in events if isinstance(event, BaselineReady)]
    (plan,) = [event for event in events if isinstance(event, PlanUpdated)]
    assert baseline.metrics.objective == 3.0 and plan.metrics.drops_executed == 2 and len(plan.drops) == 2
    assert end(events).message.startswith("member 3: ")
    missing = end(carried_out(replace(spec, member=MemberOf(8, ALEATORIC))))
    assert "8 of an ensemble of 8" in str(missing.problems[0])


@pytest.mark.parametrize("kind", list(UncertaintyKind))
def test_the_member_that_is_played_is_the_one_of_the_ensemble(kind: UncertaintyKind, tmp_path: Path) -> None:
    card = scalar_card()
    project = watched_project(2).with_model(FireModel("scalar", card.label, card.parameters.as_mapping()))
    settings = UncertaintySettings(kind, members=3, error=ErrorSource.PAPER)
    spec = UncertaintySpec(project, tmp_path / "run", "", settings, two_drops(project))
    ended: list[RunEvent] = []
    execute(spec, ended.append, RunControl())
    assert end(ended).reason is FinishReason.COMPLETED, end(ended).message
    header, ensemble = read_ensemble(tmp_path / "run")
    events: list[RunEvent] = []
    member = MemberOf(2, header.settings, header.error)
    execute(EvaluateSpec(project, two_drops(project), member=member), events.append, RunControl())
    found = [event.metrics.final_extent_cells for event in events if isinstance(event, (BaselineReady, PlanUpdated))]
    assert found == pytest.approx(list(ensemble.extent[:, 2, -1]), rel=1e-6)


def test_a_damaged_file_of_members_is_refused(tmp_path: Path) -> None:
    stopped_at(3, tmp_path / "run")
    path = tmp_path / "run" / STATE
    path.write_bytes(path.read_bytes()[:-9])
    finished = end(carried_out(uq_spec(tmp_path / "run", resume=True)))
    assert STATE in str(finished.problems[0]) and len(members_of(tmp_path / "run")) == 3


def test_a_damaged_or_newer_header_is_refused(tmp_path: Path) -> None:
    carried_out(uq_spec(tmp_path / "run"))
    path = tmp_path / "run" / HEADER
    path.write_text(path.read_text().partition("\n")[2].replace("format = 1", "format = 9"))
    assert "newer firegui" in str(end(carried_out(uq_spec(tmp_path / "run", resume=True))).problems[0])
    path.write_text("kind =")
    assert "cannot be read" in str(end(carried_out(uq_spec(tmp_path / "run", resume=True))).problems[0])


def test_degrees_are_read_back_as_the_same_angle() -> None:
    assert degrees_text(WeatherSpread().direction_sd) == "15"
    for angle in np.random.default_rng(0).uniform(0.0, 3.1, 50):
        assert np.radians(float(degrees_text(float(angle)))) == pytest.approx(angle, rel=1e-15)

"""What is handed over of a run, and what is refused because it breaks a rule."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.fleet import Fleet
from firegui.domain.operations import Daylight, Grounding, Operations
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.domain.schedule import DropRecord
from firegui.errors import InputError
from firegui.io.exporters.content import export_content
from firegui.io.project.store import load_project, save_project
from firegui.io.rasters.geotiff import write_raster
from firegui.runs.export import hand_over, rule_problems, run_content
from firegui.runs.notes import write_name
from firegui.runs.run_folder import STORE
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import FinishReason
from tests.support import GRID, forget_checksums, make_project
from tests.unit.io.builders import change_text
from tests.unit.runs.fakes import carried_out

PROJECT = make_project()
TAILS = {tail.name: tail for tail in PROJECT.planned_fleet.tails}
# R waits 3 h and BIG 6 h between drops, BIG is grounded on day 1; a step is 24 h by the steps of a day.
PER_DAY = PROJECT.scenario.steps_per_day


def record(step: int, name: str, /, **changes: object) -> DropRecord:
    tail = TAILS[name]
    kind = tail.type
    drop = DropRecord(
        step, name, tail.index, kind.type, str(kind.material), kind.payload_gal, True, 4.0, 5.0, 0.5, 4.0, 5.0,
        kind.sigma_parallel_m / 30.0, kind.sigma_perpendicular_m / 30.0,
    )  # fmt: skip
    return replace(drop, **changes)  # type: ignore[arg-type]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    save_project(PROJECT, tmp_path / "X.firegui")
    spec = PlanSpec(PROJECT, tmp_path / "best run", "firegui optimize X", project_folder=tmp_path / "X.firegui")
    carried_out(spec)
    return spec.out


def test_a_run_is_handed_over_with_its_projects_layers_and_the_state_at_the_start(run: Path) -> None:
    content = run_content(run)
    assert content.run == "best run" and content.rows
    assert content.project.scenario.ignition is not None
    assert content.outdated == ""
    assert content.plan is not None and content.plan.first == 0 and len(content.plan.days) == PROJECT.plan.days + 1
    np.testing.assert_array_equal(content.plan.days[0], PROJECT.scenario.ignition)
    assert content.baseline is not None and content.baseline.days.shape == content.plan.days.shape


def test_the_name_that_a_person_gave_a_run_is_that_of_its_export(run: Path) -> None:
    assert run_content(run).run == run.name
    write_name(run, "Two more tankers")
    assert run_content(run).run == "Two more tankers"


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (FinishReason.COMPLETED, ""),
        (FinishReason.STOPPED, "The search was stopped: the plan is unfinished"),
        (None, "The search has not ended: the plan is unfinished"),
    ],
)
def test_the_export_of_a_search_that_has_not_ended_says_so(run: Path, reason: FinishReason | None, text: str) -> None:
    STORE.write(run, replace(STORE.read(run), reason=reason))
    content = run_content(run)
    assert content.unfinished == text
    assert (text in content.notes) is bool(text)


def test_without_its_project_a_run_is_handed_over_from_its_own_record(run: Path, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "X.firegui")
    content = run_content(run)
    assert content.project.scenario.ignition is None
    assert content.plan is not None and content.plan.first == 1 and len(content.plan.days) == PROJECT.plan.days
    assert any("no longer readable" in note for note in content.notes)


def test_a_project_that_has_another_event_by_now_is_left_alone(run: Path, tmp_path: Path) -> None:
    event = PROJECT.scenario
    assert event.ignition is not None
    other = replace(PROJECT, scenario=replace(event, ignition=np.roll(event.ignition, 1)))
    shutil.rmtree(tmp_path / "X.firegui")
    save_project(other, tmp_path / "X.firegui")
    content = run_content(run)
    assert content.project.scenario.ignition is None
    assert any("another event" in note for note in content.notes)
    assert content.outdated == "Shown as it was planned; the project was edited after that: fire changed since"


def test_edits_of_the_project_do_not_change_what_a_run_hands_over(run: Path, tmp_path: Path) -> None:
    project = load_project(tmp_path / "X.firegui")
    save_project(replace(project, regions=()), tmp_path / "X.firegui", replacing=True)
    content = run_content(run)
    assert [region.name for region in content.project.regions] == ["Village"]
    assert content.project.scenario.ignition is not None
    assert content.outdated == "Shown as it was planned; the project was edited after that: regions changed since"


def test_notes_on_the_fleet_leave_the_plan_what_it_is_and_its_numbers_do_not(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "X.firegui"
    project = load_project(folder)
    kind = project.fleet.types[0]
    spare = replace(kind, id="SPARE", count=0, payload_gal=99.0)
    noted = Fleet((replace(kind, type="Other name", provenance="a page"), *project.fleet.types[1:], spare))
    save_project(replace(project, fleet=noted), folder, replacing=True)
    assert run_content(run).outdated == ""
    save_project(replace(project, fleet=Fleet((replace(kind, count=kind.count + 1),))), folder, replacing=True)
    said = "Shown as it was planned; the project was edited after that: fleet changed since"
    assert run_content(run).outdated == said
    assert run_content(run).project.fleet == PROJECT.fleet


def test_a_raster_of_another_grid_is_refused(run: Path) -> None:
    write_raster(run / "occupancy.tif", np.zeros((2, 5, 5), np.float32), replace(GRID, rows=5, columns=5))
    forget_checksums(run)
    with pytest.raises(InputError, match=r"occupancy\.tif: has 5 × 5 cells"):
        run_content(run)


def test_everything_wrong_with_a_run_is_listed_at_once(run: Path, tmp_path: Path) -> None:
    (run / "drops.json").unlink()
    (run / "occupancy.tif").write_text("torn")
    forget_checksums(run)
    with pytest.raises(InputError) as caught:
        run_content(run, tmp_path / "no.gpkg", ["csv", "doc"])
    said = [str(problem) for problem in caught.value.problems]
    assert len(said) == 4
    for part in ("doc", "no finished plan", "no.gpkg", "occupancy.tif"):
        assert any(part in line for line in said)


@pytest.mark.parametrize("value", ["1e308", "9" * 400])
@pytest.mark.parametrize("name", ["step", "landing_x", "sigma_parallel_cells"])
def test_a_number_of_a_drop_beyond_all_sense_is_refused(run: Path, name: str, value: str) -> None:
    path = run / "drops.json"
    path.write_text(re.sub(rf'"{name}": *[-0-9.e]+', f'"{name}": {value}', path.read_text(encoding="utf-8"), count=1))
    forget_checksums(run)
    with pytest.raises(InputError, match=r"drops\.json: (\w+ of a drop is not within ±10,000,000|cannot be read)"):
        run_content(run)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("drop_height_m = 50.0", "drop_height_m = 1e308", r"aircraft R: Drop height is 1e\+308"),
        ("parts = [[[[0,", "parts = [[[[nan,", r"region \w+: a corner is not a number"),
    ],
)
def test_numbers_that_no_run_was_started_with_are_refused(run: Path, before: str, after: str, said: str) -> None:
    forget_checksums(run)
    change_text(run / "run.toml", (before, after))
    with pytest.raises(InputError, match=rf"run\.toml, {said}"):
        run_content(run)


def test_a_sound_plan_breaks_no_rule() -> None:
    drops = [record(0, "R-1"), record(0, "R-2"), record(3, "R-1"), record(0, "BIG-1"), record(1, "W-1")]
    assert [str(problem) for problem in rule_problems(PROJECT, drops)] == []


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ([record(2, "R-1", y=-0.6)], ["R-1 drops at step 2 outside the grid"]),
        ([record(2, "R-1", x=1e6)], ["outside the grid"]),
        ([record(PER_DAY, "BIG-1")], ["on which it is grounded"]),
        ([record(0, "R-1"), record(1, "R-1")], ["closer than its turnaround"]),
        ([record(4, "R-1"), record(4, "R-1")], ["drops more than once at step 4"]),
        ([record(10**6, "R-1")], ["outside the plan"]),
        ([record(-1, "R-1")], ["outside the plan"]),
        ([record(3, "R-1", aircraft="Z-9")], ["not a drop of the fleet"]),
        ([record(3, "R-1", column=3)], ["not a drop of the fleet"]),
        ([record(PER_DAY, "BIG-1"), record(2, "R-1", y=99.0)], ["grounded", "outside the grid"]),
    ],
)
def test_executed_drops_that_break_a_rule_are_all_listed(broken: list[DropRecord], said: list[str]) -> None:
    found = [str(problem) for problem in rule_problems(PROJECT, [record(0, "R-2"), *broken])]
    assert len(found) == len(said)
    for part in said:
        assert any(part in line for line in found), found


def test_what_is_only_proposed_may_break_any_rule() -> None:
    drops = [record(0, "R-1"), record(1, "R-1", executed=False), record(2, "R-2", y=-3.0, executed=False)]
    assert rule_problems(PROJECT, drops) == []


def with_rules(**rules: object) -> Project:
    return replace(PROJECT, operations=Operations(**rules))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (lambda: {"hard_cap": 1}, "over the cap of 1"),
        (lambda: {"sorties_per_day": {"R": 1}}, "of 1 allowed"),
        (lambda: {"daylight": Daylight()}, "outside daylight"),
        (lambda: {"groundings": (Grounding("R-1", begin(), begin() + timedelta(hours=1)),)}, "while it is grounded"),
        (lambda: {"no_drop_zones": (Region.rectangle("creek", (0, 2), (0, 9)),)}, "no-drop zone creek"),
    ],
)
def test_the_projects_own_constraints_hold_too(rules: Callable[[], dict[str, object]], said: str) -> None:
    drops = [record(0, "R-1"), record(3, "R-1", landing_y=1.0, theta=0.0)]
    found = [str(problem) for problem in rule_problems(with_rules(**rules()), drops)]
    assert found and all(said in line for line in found)


def begin() -> datetime:
    return PROJECT.calendar.start


def test_a_drop_counts_as_in_a_zone_by_where_it_comes_down_not_by_where_it_is_let_go() -> None:
    zone = with_rules(no_drop_zones=(Region.rectangle("creek", (0, 1), (0, 20)),))
    over, into = record(0, "R-1", y=0.0, landing_y=7.0, theta=0.0), record(0, "R-2", y=7.0, landing_y=0.2, theta=0.0)
    assert rule_problems(zone, [over]) == []
    assert len(rule_problems(zone, [into])) == 1


def test_a_plan_that_breaks_a_rule_is_not_written_and_wrong_formats_are_said_with_it(tmp_path: Path) -> None:
    content = export_content(PROJECT, [record(0, "R-1"), record(1, "R-1")])
    with pytest.raises(InputError) as caught:
        hand_over(content, ["csv", "geotiff"], tmp_path / "out", "plan")
    said = [str(problem) for problem in caught.value.problems]
    assert len(said) == 2 and "needs the fire" in said[0] and "turnaround" in said[1]
    assert list(tmp_path.iterdir()) == []
    sound = export_content(PROJECT, [record(0, "R-1")])
    assert [path.name for path in hand_over(sound, ["csv"], tmp_path / "out", "plan")] == ["plan.csv"]

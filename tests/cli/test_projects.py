from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.fleet import Fleet
from firegui.fire.first_project import first_project
from firegui.io.project.scenario_toml import write_fleet
from firegui.io.project.store import load_project, save_project
from firegui.runs.notes import write_name
from tests.cli.conftest import Run
from tests.support import make_project, small_fleet, write_random_maps, write_schedule

DATA = Path(__file__).resolve().parents[2] / "../shared/data"


def test_imported_maps_are_a_project_with_the_papers_fleet_and_setting_a(firegui: Run, tmp_path: Path) -> None:
    write_random_maps(tmp_path / "fire.npz", seed=4)
    answer = firegui("import", "maps", tmp_path / "fire.npz", "--out", tmp_path / "fire.firegui", "--json")
    assert answer.code == 0
    assert answer.json["project"] == str(tmp_path / "fire.firegui")
    saved = load_project(tmp_path / "fire.firegui")
    assert saved.fleet.n_aircraft == 21
    assert saved.plan.setting.value == "A"
    assert saved.plan.days == 2
    assert saved.problems() == []
    assert saved.fire_model.kind == "maps"


def test_an_existing_project_is_not_overwritten(firegui: Run, project: Path, tmp_path: Path) -> None:
    write_random_maps(tmp_path / "fire.npz")
    before = (project / "project.toml").read_bytes()
    answer = firegui("import", "maps", tmp_path / "fire.npz", "--out", project)
    answer.assert_refused("exists already", "--out")
    assert (project / "project.toml").read_bytes() == before


def test_maps_of_the_wrong_shape_are_refused_whole(firegui: Run, tmp_path: Path) -> None:
    write_random_maps(tmp_path / "fire.npz")
    with np.load(tmp_path / "fire.npz") as file:
        arrays = dict(file)
    arrays["wind_speed"][0, 0, 0] = np.nan
    arrays["gamma"] = arrays["gamma"][:, :-1]
    np.savez(tmp_path / "bad.npz", **arrays)
    answer = firegui("import", "maps", tmp_path / "bad.npz", "--out", tmp_path / "bad.firegui")
    answer.assert_refused("gamma", "wind_speed")
    assert not (tmp_path / "bad.firegui").exists()


def test_a_new_project_starts_on_the_first_day_on_which_something_burns() -> None:
    event = make_project().scenario
    later = np.asarray(event.ignition)[None]
    event = replace(event, ignition=None, observed=later, observed_dates=(event.date_of_day(0) + timedelta(days=1),))
    assert (first_project(event).plan.start_day, first_project(event).plan.days) == (1, 1)


def test_info_shortens_a_long_crs_for_people_alone(firegui: Run, tmp_path: Path) -> None:
    own = "+proj=aea +lat_0=36.1 +lon_0=-118.7 +lat_1=36.0 +lat_2=36.2 +x_0=0 +y_0=0 +datum=NAD83 +units=m +no_defs"
    project = make_project()
    grid = replace(project.scenario.grid, crs=own)
    save_project(replace(project, scenario=replace(project.scenario, grid=grid)), tmp_path / "p.firegui")

    assert (
        "cells (width × height) of 30 m, Albers Equal Area, North American Datum 1983"
        in firegui("info", tmp_path / "p.firegui").out
    )
    assert firegui("info", tmp_path / "p.firegui", "--json").json["grid"]["crs"] == own


def test_info_says_what_is_there_and_what_is_missing(firegui: Run, tmp_path: Path) -> None:
    project = make_project()
    event, mask = project.scenario, np.asarray(project.scenario.ignition)
    event = replace(
        event,
        layers={"slope": np.zeros(mask.shape, np.float32)},
        observed=mask[None],
        observed_dates=(event.date_of_day(0),),
    )
    save_project(replace(project, scenario=event), tmp_path / "p.firegui")
    answer = firegui("info", tmp_path / "p.firegui", "--json")
    found = answer.json
    assert found["grid"]["rows"] == 16
    assert found["grid"]["crs"] == "EPSG:3310"
    lon, lat = found["grid"]["middle_lonlat"]
    assert f"middle     {lat:.4f}, {lon:.4f} (latitude, longitude)" in firegui("info", tmp_path / "p.firegui").out
    assert found["layers"]["present"] == ["slope"]
    assert "fuel" in found["layers"]["missing"]
    assert found["perimeters"]["dates"] == ["2020-08-19"]
    assert found["perimeters"]["filled_forward"] == ["2020-08-20"]
    assert found["regions"] == [
        {
            "name": "Village",
            "weight": 1.0,
            "cells": 24,
            "ha": pytest.approx(2.16),
            "percent": 7.5,
            "beyond_grid": False,
        }
    ]
    assert [kind["grounded_days"] for kind in found["fleet"]] == [[], [1], []]
    assert found["runs"] == []
    report = firegui("info", tmp_path / "p.firegui").out
    for said in (
        "20 × 16 cells (width × height) of 30 m",
        "no observation on 2020-08-20",
        "24 cells",
        "grounded on day 2 (20 Aug)",
        "from day 1 (19 Aug)",
    ):
        assert said in report


def test_info_lists_runs_good_and_damaged(firegui: Run, project: Path) -> None:
    firegui("optimize", project, "--out", project / "runs" / "one", "--epochs", 3, "--progress", "none")
    (project / "runs" / "two").mkdir()
    one, two = firegui("info", project, "--json").json["runs"]
    assert (one["run"], one["reason"], one["epochs"]) == ("one", "completed", 3)
    assert one["objective"] < one["baseline_objective"]
    assert "is not a run" in two["problems"][0]
    assert "one: completed, 3 epochs" in firegui("info", project).out
    write_name(project / "runs/one", "Two more tankers")
    assert "one (Two more tankers): completed, 3 epochs" in firegui("info", project).out
    assert one["worst_case"]["text"] in firegui("info", project).out


def test_an_audit_without_violations_exits_with_0(firegui: Run, project: Path, tmp_path: Path) -> None:
    schedule = write_schedule(tmp_path / "s.csv", [(0, "R-1", 7.0, 9.0, 0.5), (1, "R-2", 7.0, 9.0, 0.5)])
    answer = firegui("audit", project, "--schedule", schedule, "--json")
    assert answer.code == 0
    assert answer.json["ok"] is True
    assert (answer.json["candidate"], answer.json["executed"]) == (2, 2)
    assert "No rule is broken." in firegui("audit", project, "--schedule", schedule).out


def test_without_a_column_executed_every_row_is_taken_as_flown(firegui: Run, project: Path, tmp_path: Path) -> None:
    schedule = write_schedule(tmp_path / "s.csv", [(0, "R-1", 7.0, 9.0, 0.5), (1, "R-1", 7.0, 9.0, 0.5)])
    answer = firegui("audit", project, "--schedule", schedule, "--json")
    assert (answer.code, answer.json["turnaround"]) == (1, 1)


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """Two drops within one turnaround and one on a grounded day, all claimed to be executed; a fourth is not."""
    path = tmp_path / "claims.csv"
    lines = ["step,aircraft,y,x,theta,executed", "0,R-1,7,9,0.5,true", "1,R-1,7,9,0.5,true", "12,BIG-1,7,9,0.5,true"]
    path.write_text("\n".join([*lines, "13,BIG-1,7,9,0.5,false"]) + "\n", encoding="utf-8")
    return path


def test_an_audit_checks_what_a_schedule_claims_to_execute(firegui: Run, project: Path, claims: Path) -> None:
    answer = firegui("audit", project, "--schedule", claims, "--json")
    assert answer.code == 1
    found = answer.json
    assert (found["candidate"], found["executed"]) == (4, 3)
    assert (found["turnaround"], found["grounded"], found["ok"]) == (1, 1, False)


def test_the_audit_report_names_every_violation(firegui: Run, project: Path, claims: Path) -> None:
    report = firegui("audit", project, "--schedule", claims).out
    assert "2 violations:" in report
    assert "R-1 drops at steps 0 and 1" in report
    assert "BIG-1 drops at step 12 on day 2 (20 Aug)" in report


def test_the_audit_counts_drops_over_the_limits_that_are_set(firegui: Run, project: Path, claims: Path) -> None:
    before = firegui("audit", project, "--schedule", claims).out
    assert "in too much wind" not in before and "hours" not in before.replace("flight hours", "")
    saved = load_project(project)
    types = tuple(replace(kind, most_wind_ms=0.01, most_duty_h=0.0) for kind in saved.fleet.types)
    save_project(replace(saved, fleet=replace(saved.fleet, types=types)), project, replacing=True)
    report = firegui("audit", project, "--schedule", claims).out
    found = firegui("audit", project, "--schedule", claims, "--json").json
    assert found["wind"] > 0
    for words, name in (("in too much wind", "wind"), ("over a day's duty hours", "duty")):
        assert re.search(rf"{words}\s+{found[name]}\n", report), report
    assert "over a day's flight hours" not in report


def test_the_audit_names_a_wrong_cost_in_a_file(firegui: Run, project: Path, tmp_path: Path) -> None:
    before = load_project(project)
    kinds = tuple(replace(kind, drop_price=100.0) for kind in before.fleet.types)
    save_project(replace(before, fleet=replace(before.fleet, types=kinds)), project, replacing=True)
    told = []
    for cost in (100, 90):
        path = tmp_path / f"{cost}.csv"
        path.write_text(f"step,aircraft,y,x,theta,cost,currency\n0,R-1,7,9,0.5,{cost},USD\n", encoding="utf-8")
        told.append(firegui("audit", project, "--schedule", path))
    assert [answer.code for answer in told] == [0, 1]
    assert "R-1 at step 0: 90.00 is stated as cost, and 100.00 follows from the fleet" in told[1].out


def test_programs_get_the_days_of_violations_counted_from_0(firegui: Run, project: Path, claims: Path) -> None:
    found = firegui("audit", project, "--schedule", claims, "--json").json
    assert any("at step 12 on day 1," in text for text in found["violations"])


def test_a_region_that_reaches_beyond_the_grid_is_said_to_be_cut(firegui: Run, project: Path, tmp_path: Path) -> None:
    regions = tmp_path / "regions.toml"
    regions.write_text('[[region]]\nname = "Edge"\nrows = [10, 30]\ncolumns = [0, 3]\n', encoding="utf-8")
    said = "Edge: reaches beyond the grid; its 18 cells on the grid count"
    assert said in firegui("configure", project, "--regions", regions).out
    assert said in firegui("info", project).out
    assert "reaches beyond" not in firegui("configure", project, "--regions", _inside(tmp_path)).out


def _inside(folder: Path) -> Path:
    path = folder / "inside.toml"
    path.write_text('[[region]]\nname = "In"\nrows = [0, 16]\ncolumns = [0, 20]\n', encoding="utf-8")
    return path


def test_info_marks_the_runs_that_other_settings_made(firegui: Run, project: Path) -> None:
    out = project / "runs" / "one"
    firegui("optimize", project, "--out", out, "--epochs", 2, "--seed", 9, "--progress", "none")
    # How the plan was searched for is the run's own business.
    assert "other settings" not in firegui("info", project).out
    firegui("configure", project, "--days", 1, "--weights", "burn=1")
    report = firegui("info", project).out
    assert "made with other settings (days 2, now 1; weight of burned area day by day 50.0, now 1.0)" in report
    assert "other fleet" not in report


def test_info_marks_the_runs_of_another_fleet_or_other_regions(firegui: Run, project: Path, tmp_path: Path) -> None:
    firegui("optimize", project, "--out", project / "runs" / "one", "--epochs", 1, "--progress", "none")
    write_fleet(Fleet(small_fleet().types[:1]), tmp_path / "fleet.toml")
    firegui("configure", project, "--fleet", tmp_path / "fleet.toml", "--regions", _inside(tmp_path))
    (run,) = firegui("info", project, "--json").json["runs"]
    assert run["changed_since"] == ["another fleet or other grounded days", "other protected regions"]


def test_a_project_says_what_to_type_next(firegui: Run, project: Path) -> None:
    (project / "runs" / "run-1").mkdir(parents=True)
    last = firegui("configure", project, "--days", 1).out.splitlines()[-1]
    assert last == f"Next: firegui plan {project} --out {project / 'runs' / 'run-2'}"


def test_an_import_says_what_to_type_next(firegui: Run, tmp_path: Path) -> None:
    write_random_maps(tmp_path / "fire.npz", seed=4)
    out = firegui("import", "maps", tmp_path / "fire.npz", "--out", tmp_path / "fire.firegui").out
    assert f"Next: firegui plan {tmp_path / 'fire.firegui'}" in out


@pytest.mark.parametrize("command", ["audit", "evaluate"])
def test_the_folder_of_a_run_stands_for_its_schedule(firegui: Run, project: Path, tmp_path: Path, command: str) -> None:
    run = tmp_path / "run"
    firegui("optimize", project, "--out", run, "--epochs", 3, "--progress", "none")
    name = "schedule.csv" if command == "audit" else "plan.safetensors"
    whole, file = (firegui(command, project, "--schedule", path, "--json").json for path in (run, run / name))
    keys = set(whole) - {"seconds"}
    assert {key: whole[key] for key in keys} == {key: file[key] for key in keys}


@pytest.mark.parametrize("command", ["audit", "evaluate"])
def test_a_folder_without_a_schedule_is_refused_with_what_to_give(
    firegui: Run, project: Path, tmp_path: Path, command: str
) -> None:
    (tmp_path / "empty").mkdir()
    answer = firegui(command, project, "--schedule", tmp_path / "empty")
    answer.assert_refused("is a folder without a schedule — give a CSV, plan.safetensors, or the folder of a run")


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the real fires are not beside the repository (../shared/data)")
def test_bear_2020_is_imported_placed_and_said_to_lack_its_terrain(firegui: Run, tmp_path: Path) -> None:
    bear = DATA / "bear2020"
    answer = firegui(
        "import",
        "pytorchfire",
        bear / "pytorchfire",
        "--perimeters",
        bear / "perimeters",
        "--out",
        tmp_path / "b.firegui",
        "--json",
    )
    assert answer.code == 0
    found = answer.json
    assert (found["grid"]["rows"], found["grid"]["columns"], found["grid"]["crs"]) == (619, 748, "EPSG:3310")
    assert found["layers"]["present"] == ["canopy_cover", "canopy_density"]
    assert found["perimeters"]["cells_by_day"]["0"] == 2391
    assert found["plan"]["days"] == 15
    assert found["problems"] == []

"""The physical fire model from the command line: chosen, changed, refused, planned with."""

from __future__ import annotations

import csv
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.physical import PhysicalSettings
from firegui.fire.maps import project_maps
from firegui.io.project.store import load_project, project_hash, save_project
from firegui.io.rasters.geotiff import read_raster
from firegui.runs.run_folder import read_run
from firegui.runs.snapshot import add_missing_settings
from tests.cli.conftest import Run
from tests.support import make_project


@pytest.fixture
def grass(tmp_path: Path) -> Path:
    """A fire in grass with a strip of shrubs, which had imported maps."""
    project = make_project()
    event = project.scenario
    fuel = np.full(event.grid.shape, 101.0, np.float32)
    fuel[:, ::4] = 141.0
    calm = np.full_like(event.wind_speed, 0.5)
    landscape = replace(event, layers={"fuel": fuel}, wind_speed=calm)
    folder = tmp_path / "grass.firegui"
    save_project(replace(project, scenario=landscape), folder)
    return folder


def test_choosing_it_saves_its_settings_and_the_steps_a_day(firegui: Run, grass: Path) -> None:
    before = load_project(grass).scenario.steps_per_day
    answer = firegui("configure", grass, "--model", "physical", "--dead-1h", 4, "--burn-hours", 6, "--json")
    assert answer.code == 0
    saved = load_project(grass)
    settings = PhysicalSettings.of(saved.fire_model.parameters)
    assert (settings.moisture.dead_1h, settings.burn_hours) == (4.0, 6.0)
    assert saved.scenario.steps_per_day == answer.json["dates"]["steps_per_day"] != before
    assert answer.json["fire_model"]["parameters"]["dead_1h"] == 4.0
    assert "spotting" in str(answer.json["fire_model"]["left_out"])
    shown = firegui("info", grass).out
    assert "physical model (Rothermel 1972)" in shown
    assert "moisture: dead 4, 7, 8 %, live 60, 90 %" in shown
    assert f"a cell burns for 6 h; {saved.scenario.steps_per_day:,} steps a day" in shown


def test_its_settings_are_changed_one_by_one_and_the_steps_follow(firegui: Run, grass: Path) -> None:
    assert firegui("configure", grass, "--model", "physical", "--dead-1h", 12).code == 0
    wet = load_project(grass)
    assert firegui("configure", grass, "--dead-1h", 3, "--cells-per-step", 0.2).code == 0
    dry = load_project(grass)
    assert PhysicalSettings.of(dry.fire_model.parameters).moisture.dead_1h == 3.0
    assert dry.scenario.steps_per_day > wet.scenario.steps_per_day
    assert project_maps(dry).steps_per_day == dry.scenario.steps_per_day
    # Back to the maps that it was imported with, with their steps.
    assert firegui("configure", grass, "--model", "maps").code == 0
    back = load_project(grass)
    assert back.maps is not None and back.scenario.steps_per_day == back.maps.steps_per_day


def test_crown_fire_is_chosen_and_raises_the_steps_a_day(firegui: Run, grass: Path) -> None:
    project = load_project(grass)
    shape = project.scenario.grid.shape
    crowns = {
        "fuel": 165.0,
        "canopy_cover": 50.0,
        "canopy_height": 18.0,
        "canopy_base_height": 0.5,
        "canopy_density": 0.2,
    }
    layers = {key: np.full(shape, value, np.float32) for key, value in crowns.items()}
    wind = np.full_like(project.scenario.wind_speed, 8.0)
    forest = grass.with_name("forest.firegui")
    save_project(replace(project, scenario=replace(project.scenario, layers=layers, wind_speed=wind)), forest)
    steps = []
    for words in (("--model", "physical"), ("--crown-fire",), ("--foliar-moisture", 300), ("--no-crown-fire",)):
        answer = firegui("configure", forest, *words, "--json")
        assert answer.code == 0, answer.err
        steps.append(answer.json["dates"]["steps_per_day"])
    assert steps[1] > steps[2] > steps[3] == steps[0]
    assert firegui("configure", forest, "--crown-fire").code == 0
    assert "crown fire, foliar moisture 300 %; spotting is not modelled" in firegui("info", forest).out
    text = (forest / "project.toml").read_bytes()
    firegui("configure", forest, "--foliar-moisture", 20).assert_refused(
        "--foliar-moisture is 20.0 — use a value from 30"
    )
    assert (forest / "project.toml").read_bytes() == text


@pytest.fixture
def shrubs(grass: Path) -> Path:
    """The fire in grass with cells of a fuel model that is no standard one."""
    project = load_project(grass)
    fuel = project.scenario.layers["fuel"].copy()
    fuel[:, 1::4] = 14.0
    folder = grass.with_name("shrubs.firegui")
    save_project(replace(project, scenario=replace(project.scenario, layers={"fuel": fuel})), folder)
    return folder


TALL = "14 CH1 1.0 1.0 0 9.0 0 dynamic 1800 1600 1500 5.0 40 8000 8000 Tall grass of our own"


def written(folder: Path, *lines: str) -> Path:
    path = folder / "own.fmd"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_custom_fuel_models_are_set_listed_used_and_removed(firegui: Run, shrubs: Path, tmp_path: Path) -> None:
    own = written(tmp_path, TALL)
    firegui("configure", shrubs, "--model", "physical").assert_refused("14 (")
    firegui("configure", shrubs, "--fuel-models", own).assert_refused("--fuel-models: is of the physical model")
    fine = ("--cells-per-step", 0.1)
    answer = firegui("configure", shrubs, "--model", "physical", "--fuel-models", own, *fine, "--json")
    assert answer.code == 0, answer.err
    named = {"code": 14, "name": "CH1 (custom 14)", "title": "Tall grass of our own"}
    assert answer.json["fire_model"]["fuel_models"] == [named]
    assert "CH1 (custom 14)" in str(answer.json["fire_model"]["left_out"])
    assert "fuel model CH1 (custom 14): Tall grass of our own" in firegui("info", shrubs).out
    # One place and the whole area burn by the models of the project.
    place = firegui("spread", shrubs, "--cell", 2, 1, "--json").json
    assert place["fuel"]["name"] == "CH1" and place["head_m_min"] > 0.0
    assert firegui("spread", shrubs, "--out", tmp_path / "behaviour").code == 0
    assert (read_raster(tmp_path / "behaviour" / "rate_of_spread.tif").bands[:, :, 1::4] > 0.0).all()
    # Other models make the steps of a day anew.
    steps = load_project(shrubs).scenario.steps_per_day
    assert firegui("configure", shrubs, "--fuel-models", written(tmp_path, TALL.replace("5.0 40", "0.2 12"))).code == 0
    assert load_project(shrubs).scenario.steps_per_day < steps
    firegui("configure", shrubs, "--fuel-models", "none").assert_refused("14 (")
    assert firegui("configure", shrubs, "--fuel-models", written(tmp_path, TALL, TALL.replace("14", "101"))).code == 0
    assert [fuel.code for fuel in load_project(shrubs).fire_model.fuels] == [14, 101]


def test_custom_fuel_models_are_removed_and_a_bad_file_changes_nothing(
    firegui: Run, grass: Path, tmp_path: Path
) -> None:
    before = load_project(grass)
    assert firegui("configure", grass, "--model", "physical", "--fuel-models", written(tmp_path, TALL)).code == 0
    text = (grass / "project.toml").read_bytes()
    no_dead = "17 WOOD 0 0 0 0 2 static 2000 1500 1600 3.0 20 8000 8000"
    bad = written(tmp_path, TALL, TALL, TALL.replace("14", "95"), "16 x 1", no_dead, TALL.replace("14", "300"))
    firegui("configure", grass, "--fuel-models", bad, "--dead-1h", 0.5).assert_refused(
        "14 is given twice", "91 to 99 do not burn", "has 3 fields", "it has no dead fuel", "its number is 300", "0.5"
    )
    assert (grass / "project.toml").read_bytes() == text
    assert firegui("configure", grass, "--fuel-models", "none").code == 0
    after = load_project(grass)
    assert after.fire_model.fuels == () and after.fire_model.kind == "physical"
    assert before.fire_model.fuels == ()


def test_bad_input_changes_nothing(firegui: Run, grass: Path, project: Path) -> None:
    text = (grass / "project.toml").read_bytes()
    firegui("configure", grass, "--model", "physical", "--dead-1h", 0.5).assert_refused("0.5")
    firegui("configure", grass, "--dead-1h", 5).assert_refused("is of the physical model")
    firegui("configure", grass, "--model", "scalar", "--dead-1h", 5).assert_refused("is of the physical model")
    assert (grass / "project.toml").read_bytes() == text
    firegui("configure", project, "--model", "physical").assert_refused("no fuel model layer")


def test_settings_that_were_damaged_by_hand_are_named(firegui: Run, grass: Path) -> None:
    assert firegui("configure", grass, "--model", "physical").code == 0
    text = (grass / "project.toml").read_text(encoding="utf-8")
    (grass / "project.toml").write_text(text.replace("dead_1h = 6.0", "dead_1h = 0.1"), encoding="utf-8")
    firegui("info", grass).assert_refused("Moisture of dead 1-h fuel is 0.1")
    (grass / "project.toml").write_text(text.replace("burn_hours = 4.8\n", ""), encoding="utf-8")
    firegui("info", grass).assert_refused("burn_hours is missing")


def test_a_plan_on_it_breaks_no_rule(firegui: Run, shrubs: Path, tmp_path: Path) -> None:
    grass, own = shrubs, written(tmp_path, TALL.replace("5.0 40", "0.2 12"))
    assert firegui("configure", grass, "--model", "physical", "--fuel-models", own).code == 0
    run = tmp_path / "run"
    answer = firegui("plan", grass, "--out", run, "--margin", "none", "--epochs", 4, "--allowance", 150, "--json")
    assert answer.code == 0, answer.err
    assert answer.json["audit"]["violations"] == []
    audited = firegui("audit", grass, "--schedule", run, "--json")
    assert audited.code == 0, audited.out
    # The run keeps the steps that it was made with, whatever the project has since.
    made = load_project(grass)
    assert firegui("configure", grass, "--model", "maps").code == 0
    read = read_run(run).header.project.on(load_project(grass))
    assert read.scenario.steps_per_day == made.scenario.steps_per_day
    assert read.fire_model == made.fire_model
    assert [fuel.name for fuel in read.fire_model.fuels] == ["CH1"]
    # A run of before there was crown fire is one without.
    header = tomllib.loads((run / "run.toml").read_text(encoding="utf-8"))
    older = header["project"]["fire_model"]["parameters"]
    del older["crown_fire"], older["foliar_moisture"]
    add_missing_settings(header)
    assert header["project"]["fire_model"]["parameters"] == made.fire_model.parameters
    # A run of before there were gains of a front in motion keeps its own.
    del older["steady_front"]
    add_missing_settings(header)
    assert older["steady_front"] == 0.0


def test_drops_in_long_flames_are_counted_and_their_limit_is_a_setting(
    firegui: Run, grass: Path, tmp_path: Path
) -> None:
    project = load_project(grass)
    fuel = np.full(project.scenario.grid.shape, 101.0, np.float32)
    fuel[:, ::2] = 145.0
    shrubs = tmp_path / "shrubs.firegui"
    save_project(replace(project, scenario=replace(project.scenario, layers={"fuel": fuel})), shrubs)
    assert firegui("configure", shrubs, "--model", "physical", "--flame-limit", 1.0).code == 0
    assert load_project(shrubs).plan.flame_limit_m == 1.0
    run = tmp_path / "run"
    answer = firegui("optimize", shrubs, "--out", run, "--epochs", 4, "--json")
    assert answer.code == 0, answer.err
    found = answer.json["summary"]
    with (run / "schedule.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    lengths = [float(row["flame_length_m"]) for row in table if row["executed"] == "true"]
    count = found["drops_in_long_flames"]
    assert len(lengths) > count == sum(length > 1.0 for length in lengths) > 0
    assert found["flame_limit_m"] == 1.0
    assert sum(day["long_flames"] for day in found["days"]) == count
    line = f"{count:,} (of {found['drops']:,}; where flames are over 1.0 m long)"
    assert line in firegui("evaluate", shrubs, "--schedule", run).out
    # Another limit is no change of the plan, so that the run can still be resumed.
    hashed = project_hash(load_project(shrubs))
    assert firegui("configure", shrubs, "--flame-limit", 30).code == 0
    assert project_hash(load_project(shrubs)) == hashed
    assert firegui("info", shrubs, "--json").json["plan"]["flame_limit_m"] == 30.0
    assert firegui("optimize", shrubs, "--out", run, "--resume", "--epochs", 5).code == 0
    assert "none (where flames are over 30.0 m long)" in firegui("evaluate", shrubs, "--schedule", run).out
    firegui("configure", shrubs, "--flame-limit", 0.1).assert_refused("--flame-limit is 0.1")
    handed = tmp_path / "handed"
    assert firegui("export", run, "--format", "csv", "--name", "plan", "--out", handed).code == 0
    assert (handed / "plan.csv").read_text(encoding="utf-8").splitlines()[0].endswith(",flame_length_m")


def test_drops_that_fail_in_long_flames_save_nothing_and_are_not_planned(
    firegui: Run, grass: Path, tmp_path: Path
) -> None:
    before = (grass / "project.toml").read_text(encoding="utf-8")
    firegui("configure", grass, "--drops-fail-in-flames").assert_refused("only the physical fire model knows")
    assert (grass / "project.toml").read_text(encoding="utf-8") == before
    fuel = np.full(load_project(grass).scenario.grid.shape, 145.0, np.float32)
    project, brush = load_project(grass), tmp_path / "brush.firegui"
    save_project(replace(project, scenario=replace(project.scenario, layers={"fuel": fuel})), brush)
    assert firegui("configure", brush, "--model", "physical", "--flame-limit", 0.5).code == 0
    placed, flown = tmp_path / "placed", ("--schedule", tmp_path / "placed")
    works = firegui("optimize", brush, "--out", placed, "--epochs", 4, "--json").json["summary"]
    assert works["drops_in_long_flames"] == works["drops"] > 0 and works["drops_fail_in_flames"] is False
    assert works["final_ha"] < 0.999 * works["final_ha_no_drops"]
    # The same drops where they fail: in the score and in the stress test.
    answer = firegui("configure", brush, "--drops-fail-in-flames", "--json")
    assert answer.code == 0, answer.err
    assert answer.json["plan"]["drops_fail_in_flames"] is True
    assert load_project(brush).plan.failing_flame_m == 0.5
    assert "drops have no effect where flames are over 0.5 m long" in firegui("info", brush).out
    fails = firegui("evaluate", brush, *flown, "--json").json
    assert fails["drops_executed"] == works["drops"]
    assert fails["final_extent_ha"] == fails["baseline"]["final_extent_ha"]
    assert "no effect where flames are over 0.5 m long" in firegui("evaluate", brush, *flown).out
    tested = firegui("stress", brush, *flown, "--out", tmp_path / "tested", "--draws", 2, "--json").json["scenarios"]
    # With repair the fire is another one.
    assert {row["share_worst"] for row in tested if not row["repair_hours"]} == {1.0}
    handed = tmp_path / "handed"
    assert firegui("export", placed, "--format", "geojson", "--name", "plan", "--out", handed).code == 0
    # A search finds that no drop is worth its cost. Another limit makes other plans: no run goes on with it.
    run = tmp_path / "none"
    found = firegui("optimize", brush, "--out", run, "--epochs", 4, "--json").json["summary"]
    assert found["drops"] == 0
    assert firegui("configure", brush, "--flame-limit", 1.0).code == 0
    firegui("optimize", brush, "--out", run, "--resume", "--epochs", 5).assert_refused("Flame limit = 0.5, now 1.0")
    firegui("configure", brush, "--model", "scalar").assert_refused("only the physical fire model knows")
    assert firegui("configure", brush, "--model", "scalar", "--no-drops-fail-in-flames").code == 0


def test_runs_from_before_crowns_could_burn_are_still_of_their_project(firegui: Run, grass: Path) -> None:
    assert firegui("configure", grass, "--model", "physical").code == 0
    project = load_project(grass)
    model = project.fire_model

    def with_changes(**changes: float) -> str:
        return project_hash(replace(project, fire_model=replace(model, parameters={**model.parameters, **changes})))

    before = project_hash(project)
    assert with_changes(foliar_moisture=80.0) == before, "nothing depends on it where no crown burns"
    assert with_changes(burn_hours=3.0) != before
    burning = with_changes(crown_fire=1.0)
    assert before != burning != with_changes(crown_fire=1.0, foliar_moisture=80.0)

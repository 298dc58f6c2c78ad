"""The physical fire model from the command line: chosen, changed, refused, planned with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.physical import PhysicalSettings
from firegui.fire.maps import project_maps
from firegui.io.project.store import load_project, save_project
from firegui.runs.run_folder import read_run
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


def test_a_plan_on_it_breaks_no_rule(firegui: Run, grass: Path, tmp_path: Path) -> None:
    assert firegui("configure", grass, "--model", "physical").code == 0
    run = tmp_path / "run"
    answer = firegui("plan", grass, "--out", run, "--epochs", 4, "--json")
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

"""``import maps``, ``evaluate`` and ``gradient`` on the command line against a second, float64 reading of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.io.exporters.csv import write_schedule_csv
from firegui.io.project.scenario_toml import write_fleet
from firegui.io.project.schedule_file import read_schedule
from firegui.io.project.store import load_project
from firegui.rollout.drops import drop_records
from tests.cli.conftest import Run
from tests.numerics import independent
from tests.numerics.cases import random_maps, random_schedule, small_fleet

REGIONS = """
[[region]]
name = "north-west"
rows = [0, 4]
columns = [0, 6]
[[region]]
name = "south-east"
rows = [18, 21]
columns = [17, 26]
"""


def loaded(path: Path) -> dict[str, Any]:
    with np.load(path) as archive:
        return dict(archive)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_random_model_evaluates_and_differentiates_as_the_paper_says(firegui: Run, tmp_path: Path, seed: int) -> None:
    maps, fleet = random_maps(seed, shape=(21, 26), days=3, steps_per_day=12), small_fleet()
    np.savez(
        tmp_path / "maps.npz", phi=maps.phi, gamma=maps.gamma, burnable=maps.burnable, wind_speed=maps.wind_speed,
        wind_dir=maps.wind_dir, ignition=maps.ignition, T_burn=maps.t_burn, S_day=12, dx=30.0, c_req=2.7,
    )  # fmt: skip
    write_fleet(fleet, tmp_path / "fleet.toml")
    (tmp_path / "regions.toml").write_text(REGIONS, encoding="utf-8")
    project = tmp_path / "random.firegui"
    weights = "burn=50,final=30,prot=20,budget=0.001"
    assert firegui("import", "maps", tmp_path / "maps.npz", "--out", project).code == 0
    assert firegui("configure", project, "--fleet", tmp_path / "fleet.toml", "--weights", weights,
                   "--regions", tmp_path / "regions.toml").code == 0  # fmt: skip

    drops = drop_records(maps, fleet, random_schedule(seed, maps, fleet, share=0.35))
    write_schedule_csv(tmp_path / "drops.csv", drops, load_project(project))
    schedule = read_schedule(tmp_path / "drops.csv", fleet, maps.n_steps, maps.shape)
    chosen = ("--schedule", tmp_path / "drops.csv", "--eta-retardant", 0.9, "--eta-water", 0.8)
    evaluated = firegui("evaluate", project, *chosen, "--state", tmp_path / "state.npz", "--json").json
    assert firegui("gradient", project, *chosen, "--out", tmp_path / "gradient.npz").code == 0

    masks = np.zeros((2, *maps.shape), bool)
    masks[0, :4, :6], masks[1, 18:, 17:] = True, True
    goal = independent.Objective(50.0, 30.0, 20.0, 1e-3, masks, (1.0, 1.0), {"retardant": 0.9, "water": 0.8})
    truth = independent.read(maps, fleet, schedule, goal)
    state, found = loaded(tmp_path / "state.npz")["p_fire"], loaded(tmp_path / "gradient.npz")
    assert np.abs(state - truth.fire[:: maps.steps_per_day]).max() < 1e-4
    assert evaluated["objective"] == pytest.approx(truth.objective, rel=1e-5)
    assert evaluated["drops_executed"] == len(truth.executed)
    assert float(found["loss"]) == pytest.approx(truth.objective, rel=1e-5)
    assert np.abs(found["logit"] - truth.logit).max() < 1e-4 * np.abs(truth.logit).max()
    assert np.abs(found["pose"] - truth.pose).max() < 1e-4 * np.abs(truth.pose).max()
    exact = firegui("evaluate", project, *chosen, "--precision", "float64", "--json").json
    assert exact["objective"] == pytest.approx(truth.objective, rel=1e-12)
    assert found["aircraft"].tolist() == [tail.name for tail in fleet.tails]

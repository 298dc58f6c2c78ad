"""``import maps``, ``evaluate`` and ``gradient`` from the command line against readings of the paper that share no code
with the engine: loops in float64 for the state, and float64 autograd through the dense reference for the gradient.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from firegui.domain.settings import Effectiveness, ObjectiveWeights
from firegui.io.exporters.csv import write_schedule_csv
from firegui.io.fleet_toml import write_fleet
from firegui.io.project_store import load_project
from firegui.io.schedule_file import read_schedule
from firegui.rollout import reference
from firegui.rollout.drops import drop_records
from firegui.rollout.simulate import prepare
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
    assert firegui("evaluate", project, *chosen, "--state", tmp_path / "state.npz").code == 0
    assert firegui("gradient", project, *chosen, "--out", tmp_path / "gradient.npz").code == 0

    truth = independent.rollout(maps, fleet, schedule, {"retardant": 0.9, "water": 0.8})
    state = np.load(tmp_path / "state.npz")["p_fire"]
    assert np.abs(state - truth[:: maps.steps_per_day]).max() < 1e-4

    masks = np.zeros((2, *maps.shape), bool)
    masks[0, :4, :6], masks[1, 18:, 17:] = True, True
    model = prepare(maps, fleet, masks, [1.0, 1.0], weights=ObjectiveWeights(50.0, 30.0, 20.0, 1e-3),
                    effectiveness=Effectiveness(0.9, 0.8))  # fmt: skip
    values = reference.variables(schedule, differentiable=True)
    exact = reference.simulate(model, schedule, dtype=torch.float64, differentiable=True, values=values)
    logit, pose = (slope.numpy() for slope in torch.autograd.grad(exact.objective, [values.logits, values.poses]))
    pose = pose * exact.gates.executed[:, :, None]
    found = np.load(tmp_path / "gradient.npz")
    assert float(found["loss"]) == pytest.approx(float(exact.objective.detach()), rel=1e-5)
    assert np.abs(found["logit"] - logit).max() < 1e-4 * np.abs(logit).max()
    assert np.abs(found["pose"] - pose).max() < 1e-4 * np.abs(pose).max()
    assert found["aircraft"].tolist() == [tail.name for tail in fleet.tails]

"""Stage 1 as a person relies on it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from firegui.domain.schedule import Schedule
from firegui.domain.settings import ObjectiveWeights, OptimizerSettings
from firegui.errors import CancelledError, InputError
from firegui.planning.gradient import GradientPlanner, PlannerState, adam_step
from firegui.planning.initialization import front_schedule
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate
from tests.numerics.cases import model_of, random_maps, small_fleet
from tests.support import stop

SETTINGS = OptimizerSettings(epochs=25, learning_rate=0.02, exclusion_cells=3.0)


def planner(settings: OptimizerSettings = SETTINGS) -> tuple[Model, GradientPlanner]:
    maps = random_maps(1, shape=(24, 26))
    model = model_of(maps, small_fleet(), weights=ObjectiveWeights())
    return model, GradientPlanner(model, settings, front_schedule(model, settings))


def test_epochs_bring_the_objective_down_and_the_best_is_kept() -> None:
    model, plan = planner()
    baseline = simulate(model, Schedule.empty(model.n_steps, model.fleet.n_aircraft)).metrics
    reports = [plan.epoch() for _ in range(25)]
    objectives = [report.metrics.objective for report in reports]
    assert plan.best_objective == min(objectives) < 0.9 * baseline.objective
    assert plan.best_epoch == int(np.argmin(objectives))
    assert simulate(model, plan.best).metrics.objective == pytest.approx(plan.best_objective, abs=0.0)
    assert plan.finished == "epochs"


def test_a_restored_planner_ends_with_the_bits_of_an_unbroken_one(tmp_path: Path) -> None:
    model, unbroken = planner()
    for _ in range(12):
        unbroken.epoch()
    _, broken = planner()
    for _ in range(5):
        broken.epoch()
    broken.state().save(tmp_path / "state.safetensors")
    resumed = GradientPlanner.restore(model, SETTINGS, PlannerState.load(tmp_path / "state.safetensors"))
    for _ in range(7):
        resumed.epoch()
    for name in ("logits", "pose_logits", "best_logits", "pose_square", "progress"):
        np.testing.assert_array_equal(getattr(resumed.state(), name), getattr(unbroken.state(), name))


def test_a_cancelled_epoch_leaves_the_planner_as_it_was() -> None:
    _, plan = planner()
    plan.epoch()
    before = plan.state()

    with pytest.raises(CancelledError):
        plan.epoch(check=stop)
    assert plan.state() is before
    assert plan.epochs_done == 1


def test_patience_ends_a_run_that_no_longer_improves() -> None:
    maps = random_maps(2)
    model = model_of(maps, small_fleet())
    settings = replace(SETTINGS, patience=3, learning_rate=1e-6)
    plan = GradientPlanner(model, settings, Schedule.empty(model.n_steps, model.fleet.n_aircraft))
    epochs = 0
    while not plan.finished:
        plan.epoch()
        epochs += 1
    assert plan.finished == "patience"
    assert epochs == plan.best_epoch + 1 + 3 < 25


def test_logits_stay_within_the_clamp() -> None:
    _, plan = planner(replace(SETTINGS, learning_rate=5.0))
    for _ in range(3):
        plan.epoch()
    assert np.abs(plan.state().logits).max() == 3.0


def test_the_budget_weight_alone_switches_idle_drops_off() -> None:
    maps = random_maps(3)
    model = model_of(maps, small_fleet(), weights=ObjectiveWeights(0.0, 0.0, 0.0, 1e-6))
    size = (model.n_steps, model.fleet.n_aircraft)
    plan = GradientPlanner(model, SETTINGS, Schedule(np.full(size, 0.01), np.full((*size, 3), 1.0)))
    assert plan.epoch().metrics.drops_executed > 0
    for _ in range(20):
        report = plan.epoch()
    assert report.metrics.drops_executed == 0


def test_a_state_of_another_problem_or_a_broken_file_is_refused(tmp_path: Path) -> None:
    _, plan = planner()
    other = model_of(random_maps(1, shape=(24, 26), days=1), small_fleet())
    with pytest.raises(InputError, match="steps"):
        GradientPlanner.restore(other, SETTINGS, plan.state())
    broken = tmp_path / "state.safetensors"
    broken.write_bytes(b"not a checkpoint")
    with pytest.raises(InputError, match="cannot be read"):
        PlannerState.load(broken)


def test_a_step_of_adam_does_not_load_torchs_compiler() -> None:
    program = (
        "import sys; import numpy as np; from firegui.planning.gradient import adam_step;"
        "zero = np.zeros((2, 2)); adam_step(zero, zero + 1.0, zero, zero, 1, 0.1);"
        "print('torch._dynamo' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "False"


def test_adam_with_stored_moments_is_torchs_adam() -> None:
    rng = np.random.default_rng(0)
    value, mean, square = rng.normal(size=(3, 2)), np.zeros((3, 2)), np.zeros((3, 2))
    parameter = torch.nn.Parameter(torch.from_numpy(value.copy()))
    optimizer = torch.optim.Adam([parameter], lr=0.1)
    for step in range(1, 6):
        slope = rng.normal(size=(3, 2))
        value, mean, square = adam_step(value, slope.copy(), mean, square, step, 0.1)
        parameter.grad = torch.from_numpy(slope)
        optimizer.step()
    np.testing.assert_array_equal(value, parameter.detach().numpy())

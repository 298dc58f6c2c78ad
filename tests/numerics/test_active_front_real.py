"""The active front at real size: the Bear fire's grid and horizon, unsuppressed and under a thousand drops."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.domain.fleet import Material
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.io.project.maps_file import read_maps
from firegui.io.project.scenario_toml import default_fleet
from firegui.rollout import closed_form
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer
from firegui.rollout.outcome import RolloutOptions
from firegui.rollout.simulate import prepare
from firegui.rollout.synthetic_fires import holding_schedule, poised_schedule
from tests.numerics.front_cases import (
    assert_near,
    assert_same_gradient,
    assert_same_outcome,
    differentiate,
    nothing_flies,
    roll,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"
DROPS = 1000

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """Fifteen days of constant parameters from the Bear fire's first perimeter, with the default fleet."""
    tool, bear = SHARED / "tools" / "constant_maps.py", SHARED / "data" / "bear2020"
    if not (tool.exists() and bear.exists()):
        pytest.skip("the data of the Bear fire are not beside this checkout")
    file = tmp_path_factory.mktemp("maps") / "bear165k.npz"
    subprocess.run([sys.executable, str(tool), str(bear), str(file)], check=True, capture_output=True)
    maps = read_maps(file).maps
    guarded = np.zeros((1, *maps.shape), bool)
    guarded[0, 200:260, 300:380] = True
    return prepare(
        maps, default_fleet(), guarded, [1.0], weights=ObjectiveWeights(), effectiveness=NOMINAL, backend="cpu"
    )


@pytest.fixture(scope="module", params=["unsuppressed", "attacked"])
def schedule(request: pytest.FixtureRequest, model: Model) -> Schedule:
    if request.param == "attacked":
        return holding_schedule(model, DROPS, 8)
    return poised_schedule(model, roll(model, nothing_flies(model))[1][-1])  # nobody drops, everybody might


def windowed(model: Model, schedule: Schedule) -> NDArray[np.float32]:
    """``P`` at day ends by torch, on the window of the fire: the dense answer, whose equality is tested elsewhere."""
    observer = Observer(model, None, keep_days=True)
    closed_form.simulate(model, schedule, observer, None)
    days = observer.days()
    assert days is not None
    return days


def test_the_thousand_drops_are_of_both_materials(model: Model) -> None:
    flown = holding_schedule(model, DROPS, 8).proposed
    water = model.columns_of(Material.WATER)
    assert flown.sum() == DROPS
    assert 0 < flown[:, water].sum() < DROPS


def test_sleeping_tiles_change_no_bit_in_750_steps(model: Model, schedule: Schedule) -> None:
    kept = partial(roll, model, schedule, RolloutOptions(keep_states=True))
    active, dense = kept(), kept(dense=True)
    assert_same_outcome(active[0], dense[0])
    np.testing.assert_array_equal(active[1], dense[1])


def test_sleeping_tiles_change_no_bit_of_the_gradient(model: Model, schedule: Schedule) -> None:
    gradient = differentiate(model, schedule)
    assert_same_gradient(gradient, differentiate(model, schedule, dense=True))
    assert_same_gradient(gradient, differentiate(model, schedule, threads=2))


def test_750_steps_agree_with_torch(model: Model, schedule: Schedule) -> None:
    outcome, days = roll(model, schedule)
    truth = windowed(model, schedule)
    assert outcome.metrics.drops_executed == schedule.proposed.sum()
    np.testing.assert_allclose(
        days.sum(axis=(1, 2), dtype=np.float64), truth.sum(axis=(1, 2), dtype=np.float64), rtol=1e-5
    )
    assert float(np.abs(days - truth).max()) <= 5e-3


def test_the_gradient_of_750_steps_agrees_with_torch(model: Model, schedule: Schedule) -> None:
    _, logit, pose = differentiate(model, schedule)
    nobody = Observer(model, None, keep_days=False)
    truth = closed_form.gradient(model, schedule, nobody, None)[1:]
    water = model.columns_of(Material.WATER)  # its gradient is small: to be near, it has to be judged by itself
    assert_near(logit[:, water], truth[0][:, water], 1e-3, "logit of water")
    assert_near(logit, truth[0], 1e-3, "logit")
    if schedule.proposed.any():
        assert_near(pose, truth[1], 1e-3, "pose")


def test_going_on_from_the_middle_gives_the_bits_of_the_whole(model: Model, schedule: Schedule) -> None:
    whole, _ = roll(model, schedule, RolloutOptions(keep_states=True))
    for day in (1, 7, 14):
        rest, _ = roll(model, schedule, RolloutOptions(start=whole.states[day]))
        assert rest.metrics == whole.metrics

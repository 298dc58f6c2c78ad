"""Cells that burned out before the start: every engine against the dense reference and the fire without them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.maps import FireMaps
from firegui.domain.settings import RetardantSide
from firegui.planning.replan import counted
from firegui.rollout import reference
from firegui.rollout.benchmark import DenseRollout
from firegui.rollout.simulate import simulate, simulate_with_gradient
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.numerics.test_full_carry import autograd as full_autograd
from tests.numerics.test_gradient import assert_agree, autograd

SIDES = list(RetardantSide)


def burned_maps(seed: int, neighbours: int = 8) -> FireMaps:
    """A fire of which the middle, and a place far off, burned out before the start."""
    maps = random_maps(seed, neighbours=neighbours)
    out = np.zeros(maps.shape, bool)
    out[6:8, 7:9] = True
    out[1:3, 1:4] = True
    return maps.with_ignition(maps.ignition & ~out, out)


def test_the_start_has_both_and_no_cell_is_none() -> None:
    maps = burned_maps(0)
    assert maps.burned_out is not None and not (maps.ignition & maps.burned_out).any()
    assert maps.start.fire.sum() == maps.ignition.sum() + maps.burned_out.sum()
    again = maps.with_ignition(maps.ignition, np.zeros(maps.shape, bool))
    assert again.burned_out is None and not again.start.burned.any()
    np.testing.assert_array_equal(again.start.fire, again.ignition)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("neighbours", [8, 16])
@pytest.mark.parametrize("seed", range(3))
def test_a_rollout_counts_them_and_ignites_nothing_from_them(seed: int, neighbours: int, backend: str) -> None:
    maps, fleet = burned_maps(seed, neighbours), small_fleet()
    schedule = random_schedule(seed, maps, fleet)
    model = model_of(maps, fleet, side=SIDES[seed], backend=backend)
    rollout = simulate(model, schedule, keep_days=True)
    assert rollout.p_fire_days is not None and maps.burned_out is not None
    assert (rollout.p_fire_days[:, maps.burned_out] == 1.0).all()
    truth = reference.simulate(model, schedule)
    assert rollout.metrics.objective == pytest.approx(float(truth.objective), rel=1e-5)
    fire = np.stack([1.0 - state.numpy() for state in truth.unburned[:: maps.steps_per_day]])
    np.testing.assert_allclose(rollout.p_fire_days, fire, atol=1e-5)
    if neighbours == 16:
        return  # a knight's move passes cells that have burned out, and none that do not burn
    # The same as cells that do not burn, counted afterwards.
    without = replace(maps, burnable=maps.burnable & ~maps.burned_out, burned_out=None)
    other = model_of(without, fleet, side=SIDES[seed], backend=backend)
    again = counted(simulate(other, schedule), other, other.fleet, maps.burned_out)
    for name in ("final_extent_cells", "protected_cells", "loss_burn", "loss_prot", "objective"):
        assert getattr(rollout.metrics, name) == pytest.approx(getattr(again, name), rel=1e-5), name


@pytest.mark.parametrize("neighbours", [8, 16])
@pytest.mark.parametrize("seed", range(4))
def test_gradients_agree_with_the_dense_reference(seed: int, neighbours: int) -> None:
    maps, fleet = burned_maps(seed, neighbours), small_fleet()
    schedule = random_schedule(seed, maps, fleet)
    model = model_of(maps, fleet, side=SIDES[seed % 3], precision="float64")
    for carry, truth in ((False, autograd), (True, full_autograd)):
        _, found = simulate_with_gradient(replace(model, full_carry=carry), schedule)
        assert_agree((found.logit, found.pose), truth(model, schedule))


def test_a_workspace_is_at_rest_after_them() -> None:
    maps, fleet = burned_maps(1), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(1, maps, fleet)
    first, _ = simulate_with_gradient(model, schedule)
    again, _ = simulate_with_gradient(model, schedule)
    assert first.metrics == again.metrics == simulate(model, schedule).metrics


def test_the_dense_rollout_of_the_benchmark_has_them() -> None:
    maps, fleet = burned_maps(2), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(2, maps, fleet)
    dense = DenseRollout(model)(schedule)
    assert float((1.0 - dense.unburned).sum()) == pytest.approx(simulate(model, schedule).metrics.final_extent_cells)

"""Drops that work in a part of the cells: every engine against the dense reference, and what is left of a drop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.domain.compact_maps import UNKNOWN, DropCells
from firegui.domain.fleet import Material
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import RetardantSide
from firegui.planning.replan import ground_factor, remaining, split_days
from firegui.planning.scaling import part_of_maps
from firegui.rollout.deposits import step_doses
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.outcome import WHOLE
from firegui.rollout.simulate import simulate, simulate_with_gradient
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.numerics.front_cases import (
    assert_near,
    assert_same_gradient,
    busy_fleet,
    differentiate,
    fitful_maps,
    many_drops,
    nothing_flies,
    roll,
)
from tests.numerics.gpu_cases import case, exact, gpu, needs_triton, nobody
from tests.numerics.gpu_cases import roll as roll_on_gpu
from tests.numerics.test_full_carry import autograd as full_autograd
from tests.numerics.test_gradient import assert_agree, autograd

SIDES = list(RetardantSide)
Bools = NDArray[np.bool_]


def limited(maps: FireMaps, works: Bools) -> FireMaps:
    """The same fire, in which drops work where ``works [D P, H, W]`` says so."""
    cells = DropCells.of(lambda number, rows, columns: works[number, rows, columns], len(works), maps.shape)
    return replace(maps, drop_cells=cells)


def patchy(maps: FireMaps, seed: int) -> FireMaps:
    """Drops work in a random half of the cells, other ones in each period."""
    return limited(maps, np.random.default_rng(seed + 50).uniform(size=(len(maps.phi), *maps.shape)) < 0.5)


@pytest.mark.parametrize("neighbours", [8, 16])
@pytest.mark.parametrize("seed", range(3))
def test_gradients_agree_with_the_dense_reference_on_either_carry(seed: int, neighbours: int) -> None:
    maps, fleet = patchy(random_maps(seed, periods=2, neighbours=neighbours), seed), small_fleet()
    schedule = random_schedule(seed, maps, fleet)
    model = model_of(maps, fleet, side=SIDES[seed], precision="float64")
    everywhere = replace(model, maps=replace(maps, drop_cells=None))
    single = replace(model_of(maps, fleet, side=SIDES[seed]), full_carry=False)
    for carry, truth in ((False, autograd), (True, full_autograd)):
        expected = truth(model, schedule)
        assert np.abs(expected[1] - truth(everywhere, schedule)[1]).max() > 0.1 * np.abs(expected[1]).max()
        _, found = simulate_with_gradient(replace(model, full_carry=carry), schedule)
        assert_agree((found.logit, found.pose), expected)
        _, found = simulate_with_gradient(replace(single, full_carry=carry), schedule)
        for actual, wanted in zip((found.logit, found.pose), expected, strict=True):
            assert_near(actual, wanted, 1e-3)


@pytest.mark.parametrize("full_carry", [False, True])
def test_drops_that_work_everywhere_give_the_bits_of_before(full_carry: bool) -> None:
    maps, fleet = fitful_maps(3, neighbours=16), busy_fleet()
    schedule = many_drops(3, maps, fleet)
    one, other = (
        replace(model_of(each, fleet), full_carry=full_carry)
        for each in (maps, limited(maps, np.ones((len(maps.phi), *maps.shape), bool)))
    )
    assert_same_gradient(differentiate(other, schedule), differentiate(one, schedule))


@pytest.mark.parametrize("full_carry", [False, True])
def test_drops_that_work_nowhere_leave_the_fire_alone_and_have_no_gradient(full_carry: bool) -> None:
    maps, fleet = fitful_maps(4, neighbours=16), busy_fleet()
    works = np.ones((len(maps.phi), *maps.shape), bool)
    works[1] = False
    model = replace(model_of(limited(maps, works), fleet), full_carry=full_carry)
    schedule, per = many_drops(4, maps, fleet), maps.steps_per_period
    schedule.logits[:per] = schedule.logits[2 * per :] = -3.0
    outcome, logit, pose = differentiate(model, schedule)
    free, days = roll(model, nothing_flies(model))
    assert outcome.metrics.drops_executed > 0
    assert outcome.metrics.final_extent_cells == free.metrics.final_extent_cells
    np.testing.assert_array_equal(roll(model, schedule)[1], days)
    executed = outcome.executed
    assert not pose[executed].any()
    chance = 1.0 / (1.0 + np.exp(-schedule.logits[executed]))
    np.testing.assert_allclose(logit[executed], model.weights.budget * chance * (1.0 - chance), rtol=1e-12)
    # Drops of the other days would still work.
    assert np.abs(logit[:per]).max() > 10.0 * np.abs(logit[per : 2 * per]).max()


def test_only_blocks_near_drops_are_found_out_and_what_others_asked_for_changes_no_bit() -> None:
    maps, fleet = patchy(fitful_maps(5, (150, 330)), 5), busy_fleet()
    model, schedule = model_of(maps, fleet), many_drops(5, maps, fleet)
    first = differentiate(model, schedule)
    assert maps.drop_cells is not None
    assert 0.0 < (maps.drop_cells.values != UNKNOWN).mean() < 0.5
    maps.drop_cells.whole()
    assert_same_gradient(differentiate(model, schedule), first)


def test_parts_of_a_plan_keep_the_cells_of_their_periods_and_places() -> None:
    maps = patchy(random_maps(6, days=3, steps_per_day=12, periods=3), 6)
    assert maps.drop_cells is not None
    whole = maps.drop_cells.whole()

    def cells(of: FireMaps) -> Bools:
        assert of.drop_cells is not None
        return of.drop_cells.whole()

    np.testing.assert_array_equal(cells(maps.window(1, 2)), whole[3:])
    np.testing.assert_array_equal(cells(split_days(maps, 8, 24)), whole[2:8])
    window = slice(3, 11), slice(4, 13)
    np.testing.assert_array_equal(cells(part_of_maps(maps, window)), whole[:, 3:11, 4:13])


def test_retardant_of_before_a_plan_lies_where_it_worked() -> None:
    maps, fleet = patchy(random_maps(7, days=3), 7), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(7, maps, fleet)
    flown = gates_of(schedule, fleet, maps).executed
    assert maps.drop_cells is not None
    lies = ground_factor(model, schedule, flown[:10]) < 1.0
    assert lies.any() and not (lies & ~maps.drop_cells.whole()[0]).any()
    # The rest of the plan goes on with its own days.
    state = replace(maps.start, burning=maps.ignition)
    rest = remaining(model, schedule, 10, state)
    laid = step_doses(rest, Schedule(schedule.logits[10:], schedule.poses[10:]), flown[10:])[Material.RETARDANT]
    for step, dose in laid.items():
        assert maps.drop_cells.whole()[1 + step // 10].flat[dose.cells.numpy()].all()


@pytest.mark.parametrize("triton", [False, pytest.param(True, marks=[needs_triton, pytest.mark.slow])])
def test_the_gpu_agrees_with_the_reference(triton: bool) -> None:
    maps = patchy(random_maps(8, (14, 17), days=2, steps_per_day=4, neighbours=16, periods=2), 8)
    model, schedule = case(8, maps=maps)
    outcome, *found = gpu(triton=triton, span=1).gradient(model, schedule, nobody(model), None)
    for actual, expected in zip(found, exact(model, schedule), strict=True):
        assert_near(actual, expected, 1e-4)
    on_cpu = simulate(cpu_model(maps), schedule)
    assert outcome.metrics.objective == pytest.approx(on_cpu.metrics.objective, rel=1e-5)
    assert roll_on_gpu(model, schedule, WHOLE, triton=triton).metrics == outcome.metrics
    free = case(8, maps=replace(maps, drop_cells=None))[0]
    assert roll_on_gpu(free, schedule, WHOLE, triton=triton).metrics.objective < outcome.metrics.objective


def cpu_model(maps: FireMaps) -> Model:
    """The model of :func:`~tests.numerics.gpu_cases.case` on the processor."""
    return model_of(maps, small_fleet())

"""A front that has its full speed from the start: what burns ahead of the fire, and that all engines start with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.physical import PhysicalSettings
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.domain.stencil import SIXTEEN
from firegui.ensembles.aleatoric import sampled_fire, state_sampling
from firegui.fire.maps import project_maps
from firegui.fire.physical import PhysicalGround, with_physical_model
from firegui.fire.physical_maps import FrontTable
from firegui.planning.replan import drawn_state
from firegui.rollout import closed_form, reference
from firegui.rollout.front_speed import front_speed
from firegui.rollout.kernels.cpu import ActiveFront
from firegui.rollout.moving_start import ahead_of_start, start_fields
from firegui.rollout.observe import Observer
from firegui.rollout.outcome import WHOLE
from firegui.rollout.simulate import prepare, simulate
from tests.numerics.cases import model_of, random_maps, random_schedule, small_fleet
from tests.numerics.front_cases import assert_near, roll
from tests.numerics.gpu_cases import TILE, case, exact, gpu, needs_triton, nobody
from tests.numerics.test_full_carry import autograd
from tests.numerics.test_on_demand import on_demand
from tests.numerics.test_physical_fire import USUAL, project_of, rolled


def moving(seed: int, **changes: int) -> FireMaps:
    maps = random_maps(seed, **{"neighbours": 16, "periods": 2, **changes})  # type: ignore[arg-type]
    return replace(maps, moving_start=True)


def uniform(size: int = 41, gain: float = 0.06) -> FireMaps:
    """A fire of one cell amid calm uniform ground."""
    shape = (size, size)
    ignition = np.zeros(shape, bool)
    ignition[size // 2, size // 2] = True
    maps = random_maps(0, shape, days=1, neighbours=16)
    return replace(
        maps, phi=np.full(maps.phi.shape, gain, np.float32), gamma=np.ones((1, *shape), np.float32),
        burnable=np.ones(shape, bool), ignition=ignition, t_burn=30.0, moving_start=True,
    )  # fmt: skip


def ahead(maps: FireMaps) -> np.ndarray:
    found = ahead_of_start(maps)
    assert found is not None
    return found


def test_without_it_only_the_fire_burns() -> None:
    maps = random_maps(1)
    assert ahead_of_start(maps) is None
    fire, burning = start_fields(maps)
    np.testing.assert_array_equal(fire, maps.start.fire)
    np.testing.assert_array_equal(burning, maps.ignition)


def test_the_tail_falls_as_that_of_a_pulled_front() -> None:
    maps = uniform()
    line = ahead(maps)[20, 21:34]
    assert np.all(np.diff(line) < 0.0) and line[0] == pytest.approx(0.45, abs=0.01)
    # In the axis λ is where ln(1 − 1/T_b + Σ K exp(λ n·d)) / λ is least, here searched anew.
    steep = np.linspace(0.5, 4.0, 35_001)
    ways = np.array([SIXTEEN.displacement(k)[1] for k in range(16)])
    growth = np.log(1.0 - 1.0 / 30.0 + 0.06 * np.exp(steep[:, None] * ways).sum(axis=1)) / steep
    best = steep[growth.argmin()]
    assert growth.min() == pytest.approx(front_speed(np.full(16, 0.06), 30.0, np.zeros(1))[0], rel=1e-4)
    far = np.arange(5, 13) - 0.5
    np.testing.assert_allclose(line[4:12], 0.9 * (1.0 + best * far) * np.exp(-best * far), rtol=2e-3)
    assert not ahead(maps)[20, 34:].any(), "it ends where float32 does"


def test_it_is_a_share_of_what_burns_behind_a_weak_front_and_nothing_without_a_front() -> None:
    # A cell ignites 30 · 16 · 0.0025 = 1.2 others: 31.4 % burn.
    assert ahead(uniform(gain=0.0025)).max() <= 0.45 * 0.314**2
    assert not ahead(uniform(gain=0.002)).any(), "30 · 16 · 0.002 < 1"


def test_nothing_burns_beyond_a_road_or_in_what_burned_or_does_not_burn() -> None:
    maps = uniform()
    burnable = maps.burnable.copy()
    burnable[:, 24] = False
    burned_out = np.zeros_like(burnable)
    burned_out[20, 18:20] = True
    found = ahead(replace(maps, burnable=burnable, burned_out=burned_out))
    assert not found[:, 24:].any() and not found[20, 18:21].any()
    assert found[20, 21:24].all() and found[20, 17] > 0.0


def test_nothing_burns_beyond_ground_that_lets_no_front_through() -> None:
    maps = uniform()
    phi = maps.phi.copy()  # type: ignore[union-attr]
    phi[:, :, :, 23:25] = 0.001
    assert not ahead(replace(maps, phi=phi))[:, 23:].any()


def test_the_gains_are_those_of_the_first_period_and_of_maps_made_on_demand() -> None:
    maps = moving(4)
    later = maps.phi.copy()  # type: ignore[union-attr]
    later[1:] = 0.0
    np.testing.assert_array_equal(ahead(replace(maps, phi=later)), ahead(maps))
    np.testing.assert_allclose(ahead(on_demand(maps)), ahead(maps), atol=1e-7)
    assert ahead(maps).any() and not ahead(maps.scaled(0.01)).any()


@pytest.mark.parametrize("seed", range(3))
def test_the_engines_start_with_it(seed: int) -> None:
    maps, fleet = moving(seed), small_fleet()
    model, schedule = model_of(maps, fleet), random_schedule(seed, maps, fleet)
    truth = reference.simulate(model, schedule)
    states = np.asarray(1.0 - torch.stack(truth.unburned[:: maps.steps_per_day]))
    np.testing.assert_allclose(states[0], start_fields(maps)[0], atol=1e-7)
    outcome, days = roll(model, schedule)
    np.testing.assert_allclose(days, states, atol=5e-6)
    assert outcome.metrics.loss_burn == pytest.approx(float(truth.burn), rel=1e-5)
    assert outcome.metrics.loss_prot == pytest.approx(float(truth.prot), rel=1e-5)
    dense = closed_form.simulate(model, schedule, Observer(model, None, keep_days=False), None)
    assert dense.metrics.loss_burn == pytest.approx(float(truth.burn), rel=1e-5)


def test_the_gradient_goes_through_it() -> None:
    maps, fleet = moving(5), small_fleet()
    model, schedule = replace(model_of(maps, fleet), full_carry=True), random_schedule(5, maps, fleet)
    outcome = ActiveFront(1).gradient(model, schedule, Observer(model, None, keep_days=False), None)
    for found, expected in zip(outcome[1:], autograd(model, schedule), strict=True):
        assert_near(found, expected, 1e-3)


@pytest.mark.parametrize("triton", [False, pytest.param(True, marks=[needs_triton, pytest.mark.slow])])
def test_the_gpu_starts_with_it(triton: bool) -> None:
    model, schedule = case(7, maps=moving(7, days=1))
    engine = gpu(triton=triton, tile=TILE)
    observer = Observer(model, None, keep_days=True)
    engine.simulate(model, schedule, observer, None, WHOLE)
    days = observer.days()
    assert days is not None
    np.testing.assert_allclose(days[0], start_fields(model.maps)[0], atol=1e-7)
    truth = reference.simulate(replace(model, protection=model.protection.cpu()), schedule)
    np.testing.assert_allclose(days[-1], np.asarray(1.0 - truth.unburned[-1]), atol=5e-6)
    for found, wanted in zip(engine.gradient(model, schedule, nobody(model), None)[1:], exact(model, schedule),
                             strict=True):  # fmt: skip
        assert_near(found, wanted, 1e-3)


@pytest.mark.parametrize(("cell", "within"), [(30.0, 0.01), (60.0, 0.015), (120.0, 0.031)])
def test_a_fire_has_the_size_of_the_ellipse_at_any_cell_size(cell: float, within: float) -> None:
    count = int(5760.0 / cell)
    middle = (np.arange(count) + 0.5) * cell
    ignition = (np.abs(middle - 2880.0) <= 240.0)[:, None] & (np.abs(middle - 2160.0) <= 240.0)
    project = project_of(np.full((count, count), 102.0), ignition, cell, wind=1.5, towards=0.4)
    hours = PhysicalSettings.first(cell).burn_hours
    project = with_physical_model(project, replace(USUAL, burn_hours=hours))
    event = project.scenario
    ground = PhysicalGround.of(event, USUAL)
    spread = ground.spread(0, ground.wind(0))
    speed, ratio = float(spread.speed[0, 0]), float(spread.ratio[0, 0])
    half, side = 1440.0 * speed / (1.0 + np.sqrt(1.0 - ratio**-2)), 480.0
    # The ellipse swept over the square of the start, as in test_physical_fire.
    wanted = np.pi / ratio * half**2 + 2.0 * (1.0 + 1.0 / ratio) * half * side + side**2
    maps = replace(project_maps(project), moving_start=True)
    assert float(rolled(maps)[-1].sum()) * cell**2 == pytest.approx(wanted, rel=within)
    still = float(rolled(replace(maps, moving_start=False))[-1].sum()) * cell**2
    assert still < 0.9 * wanted, "without its tail the fire is smaller by more than a tenth"


@pytest.mark.parametrize("way", ["members", "states", "replanned"])
def test_fires_drawn_after_a_day_have_the_mean_of_the_mean_field(way: str) -> None:
    middle = np.abs(np.arange(41) - 20) <= 4
    project = project_of(np.full((41, 41), 101.0), middle[:, None] & middle, 30.0, wind=1.0, towards=0.4)
    maps, draws = replace(project_maps(project), moving_start=True), 60
    mean = rolled(maps)[-1].astype(np.float64)
    model = prepare(
        maps, Fleet(()), np.zeros((0, *maps.shape), bool), (), weights=ObjectiveWeights(), effectiveness=NOMINAL
    )
    nothing = Schedule.empty(maps.n_steps, 0)
    found = []
    for number in range(draws):
        generator = np.random.default_rng([5, number])
        if way == "members":
            found.append(sampled_fire(maps, generator)[-1])
        elif way == "states":
            days = simulate(model, nothing, keep_days=True, alter=state_sampling(maps.shape, 5, number)).p_fire_days
            assert days is not None
            found.append(days[-1])
        else:
            found.append(drawn_state(model, nothing, 0, maps.n_steps, maps.start, generator).fire)
    areas = np.array([fire.sum() for fire in found])
    error = float(np.sqrt((mean * (1.0 - mean)).sum() / draws))
    assert error < 0.01 * mean.sum()
    assert areas.mean() == pytest.approx(mean.sum(), abs=4.0 * error)
    assert areas.std() == pytest.approx(error * np.sqrt(draws), rel=0.4)
    still = float(rolled(replace(maps, moving_start=False))[-1].sum())
    assert still + 10.0 * error < mean.sum(), "the start of the mean field is seen"


@pytest.mark.parametrize(("ratio", "least", "most"), [(1.2, 0.07, 0.11), (2.0, 0.18, 0.25)])
def test_where_the_front_crosses_four_cells_in_the_burn_duration_a_tenth_behind_it_stays_unburned(
    ratio: float, least: float, most: float
) -> None:
    for steps in (10.0, 40.0):
        head, shape, towards = (np.full((1, 1), value, np.float32) for value in (4.0 / steps, ratio, 0.4))
        ignitions, burned = steps * float(FrontTable.of(steps).gains(head, shape, towards).sum()), 1.0
        for _ in range(60):
            burned = 1.0 - np.exp(-ignitions * burned)
        assert least < 1.0 - burned < most


def test_a_coarse_fire_is_too_small_by_the_cells_that_stay_unburned_behind_its_front() -> None:
    middle = np.abs(np.arange(60) - 29.5) < 2.0
    project = project_of(np.full((60, 60), 102.0), middle[:, None] & middle, 120.0, wind=1.5, towards=0.4)
    areas = []
    for hours in (4.8, 9.6):
        made = with_physical_model(project, replace(USUAL, burn_hours=hours))
        states = rolled(replace(project_maps(made), moving_start=True))[-1]
        areas.append((float(states.sum()), int((states >= 0.45).sum()), float(states[29, 29 + 4])))
    (short, edge, behind), (long, edge_long, behind_long) = areas
    assert behind < 0.98 < behind_long
    assert long > 1.05 * short
    assert edge == pytest.approx(edge_long, rel=0.03), "the front is at the same place"

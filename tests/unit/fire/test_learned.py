from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
import torch

from firegui.domain.project import Project
from firegui.domain.scenario import Scenario
from firegui.domain.weights import GAINS, Correction, NetworkWeights, TrainedEvent
from firegui.errors import CancelledError, InputError
from firegui.fire.features import event_features, wind_inputs
from firegui.fire.first_project import first_project
from firegui.fire.learned import correction_field, network_fields, network_maps
from firegui.fire.maps import project_maps
from firegui.fire.network import initial, network_of
from firegui.fire.prior import EVEN_AT_MS, PRIOR
from firegui.fire.spread import SpreadFields, Terrain, spread_gains
from tests.support import StopAt
from tests.unit.domain.samples import training, weights
from tests.unit.fire.events import START, event, layer, square

SHAPE = (9, 11)


def lively(**changes: Any) -> NetworkWeights:
    """Weights whose maps differ from cell to cell and feel the wind."""
    loud = {name: 20.0 * values for name, values in weights().tensors.items()}
    return replace(weights(), tensors=loud, **changes)


def landscape(speed: float = 0.0, **more: float) -> Scenario:
    rng = np.random.default_rng(4)
    layers = {key: layer(SHAPE, value) for key, value in more.items()}
    layers["canopy_cover"] = rng.uniform(0.0, 100.0, SHAPE).astype(np.float32)
    return event(SHAPE, speed=speed, layers=layers)


def fields(ours: NetworkWeights, where: Scenario, day: int = 0) -> SpreadFields:
    network = network_of(ours)
    wind = torch.from_numpy(wind_inputs(where.wind_speed[day], where.wind_dir[day]))
    partial = network.static(event_features(where, ours.training.layers))
    return network_fields(network, partial, wind, learned=ours.training.learned)


def test_gains_that_were_not_learned_are_the_published_constants() -> None:
    found = fields(lively(), landscape())

    assert (found.wind_gain, found.wind_alignment, found.slope_gain) == pytest.approx((0.45, 1.31, 7.02))
    assert isinstance(found.base_rate, torch.Tensor)


@pytest.mark.parametrize("name", GAINS)
def test_a_learned_gain_is_the_networks_own_and_the_others_stay(name: str) -> None:
    found = fields(lively(training=training(learned=(name,))), landscape())

    own = getattr(found, name)
    assert isinstance(own, torch.Tensor)
    assert own.shape == SHAPE
    assert all(getattr(found, other) == PRIOR[other] for other in GAINS if other != name)


def test_constants_teach_the_network_nothing() -> None:
    network, where = initial(0), landscape(speed=2.0)
    wind = torch.from_numpy(wind_inputs(where.wind_speed[0], where.wind_dir[0]))
    days_fields = network_fields(network, network.static(event_features(where)), wind, learned=("wind_gain",))
    speed, towards = torch.tensor(where.wind_speed[0]), torch.tensor(where.wind_dir[0])

    torch.autograd.backward(spread_gains(days_fields, speed, towards, None, torch.ones(SHAPE)).sum())

    slope = network.get_parameter("head.bias").grad
    assert slope is not None
    assert [value != 0.0 for value in slope.tolist()] == [True, True, False, False, True, True]


def test_a_correction_multiplies_the_base_rate_and_never_beyond_one() -> None:
    ours, where = lively(), landscape()
    network = network_of(ours)
    partial = network.static(event_features(where, ours.training.layers))
    wind = torch.zeros(2, *SHAPE)
    field = torch.zeros(SHAPE)
    field[0, 0], field[0, 1] = -0.7, 50.0
    plain = network_fields(network, partial, wind)

    found = network_fields(network, partial, wind, correction=field)

    assert isinstance(found.base_rate, torch.Tensor)
    assert isinstance(plain.base_rate, torch.Tensor)
    torch.testing.assert_close(found.base_rate[0, 0], plain.base_rate[0, 0] * np.exp(-0.7))
    assert found.base_rate[0, 1] == 1.0
    torch.testing.assert_close(found.base_rate[1:], plain.base_rate[1:])
    torch.testing.assert_close(found.fuel, plain.fuel)


def test_the_nodes_of_a_correction_lie_on_the_corner_cells_with_straight_lines_between() -> None:
    nodes = torch.tensor([[0.0, 10.0], [20.0, 30.0]])

    field = correction_field(nodes, SHAPE)

    expected = np.linspace(0.0, 20.0, SHAPE[0])[:, None] + np.linspace(0.0, 10.0, SHAPE[1])[None, :]
    np.testing.assert_allclose(field.numpy(), expected, rtol=1e-5)


def test_a_correction_can_be_fitted() -> None:
    nodes = torch.zeros(3, 4, dtype=torch.float64, requires_grad=True)

    assert torch.autograd.gradcheck(lambda values: correction_field(values, SHAPE), [nodes])


def test_the_maps_are_those_of_the_fields_day_by_day() -> None:
    where = landscape(speed=1.0, fuel=165.0, slope=20.0, aspect=90.0)
    where.layers["fuel"][4, 7] = 98.0
    where.wind_speed[2] = 0.5
    ours = lively(training=training(learned=("wind_gain",)))

    maps = network_maps(where, ours, square(SHAPE), 1, 2)

    for number, day in enumerate((1, 2)):
        speed, towards = torch.tensor(where.wind_speed[day]), torch.tensor(where.wind_dir[day])
        burnable = torch.from_numpy(maps.burnable)
        whole = spread_gains(fields(ours, where, day), speed, towards, Terrain.of_event(where), burnable)
        found = maps.phi[number] * maps.gamma[number] * maps.burnable
        np.testing.assert_allclose(found, whole.detach().numpy(), rtol=1e-5, atol=1e-9)
    assert not maps.burnable[4, 7]
    assert maps.burnable.sum() == 98
    assert np.asarray(maps.phi).dtype == maps.gamma.dtype == np.float32
    assert (maps.t_burn, maps.c_req, maps.steps_per_day) == (10.0, 2.7, 10)
    assert not np.array_equal(maps.phi[0], maps.phi[1])


def test_the_network_reads_wind_and_slope_only_as_strong_as_it_was_trained_and_the_formula_all_of_it() -> None:
    trained = TrainedEvent("Bear", date(2020, 8, 19), 10, ("canopy_cover", "slope"), 1.3, 10.0)
    ours = lively(training=training(events=(trained,)))
    weak, strong = landscape(speed=1.3, slope=10.0), landscape(speed=13.0, slope=40.0)

    calm, storm = (network_maps(where, ours, square(SHAPE), 0, 1) for where in (weak, strong))

    np.testing.assert_array_equal(storm.gamma, calm.gamma)  # the receiving cell's fuel and gain: all from the network
    inside = (0, 3, slice(1, -1), slice(1, -1))  # from the west, with the wind
    gain = np.exp((0.045 + 0.131) * (13.0 - 1.3)) * np.i0(0.131 * 1.3) / np.i0(0.131 * 13.0)  # evened
    np.testing.assert_allclose(storm.phi[inside], calm.phi[inside] * gain, rtol=1e-4)


def test_only_an_alignment_that_was_not_learned_is_evened() -> None:
    where = landscape(speed=8.0)

    assert fields(lively(), where).even_at_ms == EVEN_AT_MS
    assert fields(lively(training=training(learned=("wind_gain",))), where).even_at_ms == EVEN_AT_MS
    assert fields(lively(training=training(learned=("wind_alignment",))), where).even_at_ms is None


def test_a_layer_that_the_training_never_had_changes_nothing() -> None:
    ours = lively()

    bare = network_maps(landscape(), ours, square(SHAPE), 0, 1)
    rich = network_maps(landscape(elevation=700.0, canopy_height=20.0), ours, square(SHAPE), 0, 1)

    np.testing.assert_array_equal(bare.phi, rich.phi)


def test_a_correction_is_applied_on_its_own_raster_alone() -> None:
    where = landscape()
    nodes = np.full((2, 2), np.log(0.5), np.float32)
    plain = network_maps(where, lively(), square(SHAPE), 0, 1)

    ours, other = (
        network_maps(where, lively(corrections=(Correction("Small", shape, None, nodes),)), square(SHAPE), 0, 1)
        for shape in (SHAPE, (9, 12))
    )

    np.testing.assert_allclose(np.asarray(ours.phi), 0.5 * np.asarray(plain.phi), rtol=1e-4)
    np.testing.assert_array_equal(other.phi, plain.phi)


def factors(trend: float, start_day: int, days: int, **more: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """By what a correction without a field multiplies the spread of each day; three days from 19 August were fitted."""
    where = event(SHAPE, days=8, layers=dict(landscape().layers))
    where = replace(where, **more)
    moving = Correction("Small", SHAPE, None, np.zeros((2, 2), np.float32), trend, date(2020, 8, 19), 3)
    plain, ours = (
        network_maps(where, lively(corrections=corrections), square(SHAPE), start_day, days)
        for corrections in ((), (moving,))
    )
    potentials = [np.asarray(maps.phi) for maps in (plain, ours)]
    before, after = (part[potentials[0] > 1e-6].reshape(days, -1) for part in potentials)
    ratios: np.ndarray = (after / before).astype(np.float64)
    np.testing.assert_allclose(ratios, ratios[:, :1].repeat(ratios.shape[1], axis=1), rtol=1e-4)
    return ratios[:, 0]


def test_a_falling_trend_slows_the_fire_day_by_day_and_beyond_the_fitted_days() -> None:
    np.testing.assert_allclose(factors(-0.3, 0, 6), np.exp([0.3, 0.0, -0.3, -0.6, -0.9, -1.2]), rtol=1e-4)


def test_a_rising_trend_stops_where_the_fitted_days_end() -> None:
    np.testing.assert_allclose(factors(0.3, 0, 5), np.exp([-0.3, 0.0, 0.3, 0.3, 0.3]), rtol=1e-4)


def test_the_trend_goes_by_the_date_and_not_by_the_day_of_the_plan() -> None:
    np.testing.assert_allclose(factors(-0.3, 2, 3), np.exp([-0.3, -0.6, -0.9]), rtol=1e-4)
    # The event begins two days later, or a day earlier by the local clock.
    later, west = START + timedelta(days=2), -7.0
    np.testing.assert_allclose(factors(-0.3, 0, 2, start=later), np.exp([-0.3, -0.6]), rtol=1e-4)
    np.testing.assert_allclose(factors(-0.3, 0, 3, utc_offset_h=west), np.exp([0.3, 0.3, 0.0]), rtol=1e-4)


def network_project() -> Project:
    return first_project(landscape()).with_network(lively())


def test_a_projects_network_makes_the_maps_of_its_window() -> None:
    project = network_project()

    maps = project_maps(project)

    assert project.scenario.ignition is not None
    expected = network_maps(project.scenario, lively(), project.scenario.ignition, 0, 3)
    np.testing.assert_array_equal(maps.phi, expected.phi)


def test_a_network_without_weights_is_refused() -> None:
    with pytest.raises(InputError, match="no weights for the network"):
        project_maps(replace(network_project(), weights=None))


def test_the_maps_have_the_same_bits_on_any_number_of_threads_and_leave_that_number_alone() -> None:
    shape, before, found = (60, 80), torch.get_num_threads(), []
    where = event(shape, days=1, speed=1.0, layers={"canopy_cover": layer(shape, 30.0)})
    where.layers["canopy_cover"][:] = np.random.default_rng(2).uniform(0.0, 100.0, shape)
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            found.append(network_maps(where, lively(), square(shape), 0, 1))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert np.asarray(found[0].phi).tobytes() == np.asarray(found[1].phi).tobytes()
    assert found[0].gamma.tobytes() == found[1].gamma.tobytes()


def test_it_can_be_stopped_before_each_day() -> None:
    check = StopAt(2)
    where = event(SHAPE, days=3)
    with pytest.raises(CancelledError):
        network_maps(where, lively(), square(SHAPE), 0, 3, check)
    assert check.calls == 2

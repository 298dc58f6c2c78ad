from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from firegui.calibration import network_misfit
from firegui.calibration.network_fit import CorrectionVariables, EventFit, half_of, nodes_of, trained_event
from firegui.calibration.network_misfit import Misfit
from firegui.domain.scenario import Scenario
from firegui.domain.weights import GAINS, TrainedEvent
from firegui.errors import CancelledError
from firegui.fire.features import event_features, wind_inputs
from firegui.fire.landscape import T_BURN_STEPS, burnable
from firegui.fire.learned import correction_field, network_fields
from firegui.fire.network import SpreadNetwork, initial
from firegui.fire.spread import Terrain, spread_gains
from firegui.rollout.reference import exposure
from tests.unit.calibration.watched import watched
from tests.unit.domain.samples import training
from tests.unit.fire.events import event, layer

SHAPE = (15, 17)
NODES = (3, 4)
WHOLE = 100
STRONGEST, STEEPEST = 2.5, 30.0
PARAMETERS = [name for name, _ in initial(0).named_parameters()]
Gradients = dict[str, NDArray[np.float64]]


def lively(seed: int = 1) -> SpreadNetwork:
    """A network whose maps differ from cell to cell and whose fuel vectors say something."""
    network, generator = initial(seed), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        network.get_parameter("head.weight").mul_(10.0)
        network.get_parameter("fuel.weight").uniform_(-0.5, 0.5, generator=generator)
    return network


def correction(seed: int = 2) -> CorrectionVariables:
    nodes = torch.from_numpy(np.random.default_rng(seed).normal(0.0, 0.5, NODES).astype(np.float32))
    return CorrectionVariables(nodes.requires_grad_(), torch.tensor(0.4, requires_grad=True))


def fit_of(
    small: Scenario, days: int, *, margin: int = WHOLE, learned: tuple[str, ...] = GAINS, steepest: float = STEEPEST
) -> EventFit:
    seen = TrainedEvent("Small", small.date_of_day(0), days, tuple(small.layers), STRONGEST, steepest)
    return EventFit(small, days, margin, training(events=(seen,), learned=learned))


def differentiated(
    fit: EventFit, network: SpreadNetwork, fitted: CorrectionVariables | None, share: float = 1.0
) -> tuple[Misfit, Gradients]:
    """The misfit and its gradient by every parameter, nodes and trend included."""
    named: dict[str, Tensor] = dict(network.named_parameters())
    if fitted is not None:
        named |= {"nodes": fitted.nodes, "trend": fitted.trend}
    for value in named.values():
        value.grad = None
    found = fit.differentiate(network, fitted, share, None)
    return found, {name: value.grad.double().numpy() for name, value in named.items() if value.grad is not None}


# -- against the change of the misfit ----------------------------------------------------------------------------------
def one_step() -> EventFit:
    """A single step: there is no carry of the burning state that the gradient leaves out."""
    return fit_of(watched(SHAPE, (2, 4), steps_per_day=1), 1)


def assert_steepest(fit: EventFit, name: str, step: float, rel: float) -> None:
    """Along the gradient the misfit changes by the gradient's length; along a wrong one it would change by less."""
    network, fitted = lively(), correction()
    value = {**dict(network.named_parameters()), "nodes": fitted.nodes, "trend": fitted.trend}[name]
    slope = differentiated(fit, network, fitted)[1][name]
    length, begin = float(np.linalg.norm(slope)), value.detach().clone()
    way = torch.tensor(slope / length, dtype=torch.float32)

    def at(distance: float) -> float:
        with torch.no_grad():
            value.copy_(begin + distance * way)
        return fit.differentiate(network, fitted, 1.0, None).loss

    assert length > 5e-3
    assert (at(step) - at(-step)) / (2.0 * step) == pytest.approx(length, rel=rel)


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_gradient_by_the_network_is_the_change_of_the_misfit(name: str) -> None:
    assert_steepest(one_step(), name, step=2e-3, rel=2e-2)


def test_the_gradient_by_the_nodes_is_the_change_of_the_misfit() -> None:
    assert_steepest(one_step(), "nodes", step=2e-2, rel=5e-3)


def test_the_gradient_by_the_trend_is_the_change_of_the_misfit() -> None:
    # Only the first of two days has a perimeter, so that nothing crosses from one day to the next.
    fit = fit_of(watched(SHAPE, (2, 4, 5), steps_per_day=1, skipped=(2,)), 2)

    assert_steepest(fit, "trend", step=2e-2, rel=5e-3)


# -- against autograd of the same truncated equations ------------------------------------------------------------------
def in_double(event_: Scenario, network: SpreadNetwork, fitted: CorrectionVariables, days: int) -> list[Tensor]:
    """``K`` of every day in float64, written out once more; differentiable in the network and the correction."""
    partial = network.static(event_features(event_, tuple(event_.layers), STEEPEST))
    field = correction_field(fitted.nodes, event_.grid.shape)
    found = Terrain.of_event(event_)
    assert found is not None
    terrain, mask = Terrain(found.east.double(), found.north.double()), torch.from_numpy(burnable(event_))
    gains = []
    for day in range(days):
        speed, towards = event_.wind_speed[day], event_.wind_dir[day]
        wind = torch.from_numpy(wind_inputs(speed, towards, STRONGEST)).double()
        share = (day - 0.5 * (days - 1)) / (0.5 * (days - 1))
        fields = network_fields(network, partial, wind, correction=field + fitted.trend * share)
        blown = torch.from_numpy(speed).double(), torch.from_numpy(towards).double()
        gains.append(spread_gains(fields, *blown, terrain, mask))
    return gains


def rolled_out(event_: Scenario, gains: list[Tensor]) -> Tensor:
    """``P [D + 1, H, W]``; what burns is not differentiated, nor the state that a day starts from."""
    start = event_.observed_on(0)
    assert start is not None
    burning = torch.from_numpy(start).double()
    unburned, ends = 1.0 - burning, [burning]
    for day in gains:
        unburned = unburned.detach()
        for _ in range(event_.steps_per_day):
            new = unburned * (1.0 - torch.exp(-exposure(burning, day)))
            unburned, burning = unburned - new, (burning + new - burning / T_BURN_STEPS).detach()
        ends.append(1.0 - unburned)
    return torch.stack(ends)


def truncated(small: Scenario, fit: EventFit, days: int) -> tuple[Misfit, Gradients]:
    network, fitted = lively().double(), correction()
    doubled = CorrectionVariables(*(part.detach().double().requires_grad_() for part in (fitted.nodes, fitted.trend)))
    states = rolled_out(small, in_double(small, network, doubled, days))
    found = fit.target.misfit(states.detach().float().numpy())
    torch.autograd.backward(states, torch.from_numpy(found.slopes).double())
    named = dict(network.named_parameters()) | {"nodes": doubled.nodes, "trend": doubled.trend}
    return found, {name: value.grad.numpy() for name, value in named.items() if value.grad is not None}


def test_the_gradient_over_several_days_is_autograds_through_the_whole_chain() -> None:
    small = watched(SHAPE, (1, 3, 4, 5), steps_per_day=5, skipped=(2,))
    fit = fit_of(small, 3)

    found, slopes = differentiated(fit, lively(), correction())

    truth, wanted = truncated(small, fit, 3)
    assert found.loss == pytest.approx(truth.loss, rel=1e-5)
    assert found.iou == truth.iou
    assert set(slopes) == set(wanted) == {*PARAMETERS, "nodes", "trend"}
    for name, slope in wanted.items():
        largest = float(np.abs(slope).max())
        assert largest > 1e-4, name
        np.testing.assert_allclose(slopes[name], slope, atol=1e-3 * largest, err_msg=name)


def test_a_share_of_the_gradient_is_added_to_what_is_there() -> None:
    fit, network, fitted = one_step(), lively(), correction()
    _, whole = differentiated(fit, network, fitted)
    _, half = differentiated(fit, network, fitted, share=0.5)
    fit.differentiate(network, fitted, 0.5, None)

    for name, value in {**dict(network.named_parameters()), "nodes": fitted.nodes}.items():
        assert value.grad is not None
        largest = float(np.abs(whole[name]).max())
        np.testing.assert_allclose(half[name], 0.5 * whole[name], atol=1e-5 * largest)
        np.testing.assert_allclose(value.grad.numpy(), whole[name], atol=1e-5 * largest)


def test_gains_that_are_not_learned_and_an_absent_correction_get_no_gradient() -> None:
    fit, network = fit_of(watched(SHAPE, (2, 4)), 1, learned=()), lively()

    _, slopes = differentiated(fit, network, None)

    assert set(slopes) == set(PARAMETERS)
    assert [bool(value) for value in slopes["head.bias"]] == [True, False, False, False, True, True]


def test_a_zero_correction_is_none() -> None:
    fit, network = fit_of(watched(SHAPE, (2, 4, 5)), 2), lively()
    nothing = CorrectionVariables(torch.zeros(NODES, requires_grad=True), torch.zeros((), requires_grad=True))

    corrected, slopes = differentiated(fit, network, nothing)
    plain, wanted = differentiated(fit, network, None)

    assert corrected.loss == plain.loss
    np.testing.assert_array_equal(slopes["head.weight"], wanted["head.weight"])


def test_a_single_day_has_no_trend() -> None:
    fitted = correction()

    _, slopes = differentiated(one_step(), lively(), fitted)

    assert "trend" not in slopes
    assert "nodes" in slopes


def test_a_falling_trend_quickens_the_first_days_and_slows_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    fit, network = fit_of(watched(SHAPE, (1, 3, 4, 5), steps_per_day=2), 3), lively()
    compare, areas = fit.target.misfit, []

    def spy(states: NDArray[np.float32]) -> Misfit:
        areas.append(states.sum(axis=(1, 2), dtype=np.float64))
        return compare(states)

    monkeypatch.setattr(fit.target, "misfit", spy)
    for trend in (0.0, -1.0):
        nodes = torch.zeros(NODES, requires_grad=True)
        fit.differentiate(network, CorrectionVariables(nodes, torch.tensor(trend, requires_grad=True)), 1.0, None)

    level, falling = np.diff(areas[0]), np.diff(areas[1])
    assert falling[0] > 2.0 * level[0]
    assert falling[2] < level[2]


# -- what is read ------------------------------------------------------------------------------------------------------
def test_days_that_are_filled_forward_are_not_scored() -> None:
    fit = fit_of(watched(SHAPE, (1, 2, 3, 4), skipped=(2,)), 3)

    found, _ = differentiated(fit, lively(), None)

    assert fit.target.days == (1, 3)
    assert len(found.iou) == 2


def test_perimeters_and_weather_after_the_fitted_days_are_never_read() -> None:
    small = watched(SHAPE, (1, 3, 4, 5, 5))
    assert small.observed is not None
    observed, speed, towards = small.observed.copy(), small.wind_speed.copy(), small.wind_dir.copy()
    observed[3:] = np.random.default_rng(0).random(observed[3:].shape) < 0.5
    speed[2:], towards[2:] = 99.0, np.nan
    garbage = replace(small, observed=observed, wind_speed=speed, wind_dir=towards)

    found, slopes = differentiated(fit_of(small, 2, margin=2), lively(), correction())
    other, others = differentiated(fit_of(garbage, 2, margin=2), lively(), correction())

    assert found.slopes.shape == (3, 13, 14)
    assert found.loss == other.loss
    assert found.terms == other.terms
    for name, slope in slopes.items():
        np.testing.assert_array_equal(slope, others[name])


def test_cutting_the_raster_changes_nothing_while_the_margin_holds_the_fire(monkeypatch: pytest.MonkeyPatch) -> None:
    # Terms that are means over cells know how many cells there are; the others must not notice.
    monkeypatch.setattr(network_misfit, "WEIGHTS", {**network_misfit.WEIGHTS, "bce": 0.0, "mse": 0.0, "means": 0.0})
    wide = watched((31, 35), (1, 3), shift=(2, -3))
    network, fitted = lively(), correction()

    whole, slopes = differentiated(fit_of(wide, 1), network, fitted)
    cut, others = differentiated(fit_of(wide, 1, margin=9), network, fitted)

    assert cut.slopes.shape == (2, 25, 26)
    assert cut.iou == whole.iou
    for name in ("area", "shape", "growth"):
        assert cut.terms[name] == pytest.approx(whole.terms[name], rel=1e-5)
    assert cut.terms["mse"] * cut.slopes[0].size == pytest.approx(whole.terms["mse"] * whole.slopes[0].size, rel=1e-4)
    for name, slope in slopes.items():
        np.testing.assert_allclose(others[name], slope, atol=1e-4 * np.abs(slope).max(), err_msg=name)


def test_cells_without_data_give_numbers() -> None:
    holes = {key: np.full(SHAPE, np.nan, np.float32) for key in ("elevation", "slope", "aspect", "fuel")}
    small = watched(SHAPE, (1, 3, 4), layers={**holes, "canopy_cover": layer(SHAPE, 40.0)})

    found, slopes = differentiated(fit_of(small, 2, steepest=0.0), lively(), correction())

    assert np.isfinite(found.loss)
    assert all(np.isfinite(slope).all() for slope in slopes.values())


def test_a_stop_gets_through_from_every_place_that_asks() -> None:
    fit, network, fitted = fit_of(watched(SHAPE, (1, 3, 4)), 2), lively(), correction()
    asked = 0

    def count() -> None:
        nonlocal asked
        asked += 1

    fit.differentiate(network, fitted, 1.0, count)

    assert asked >= 4  # the maps of two days and two days back
    for last in range(1, asked + 1):
        left = last

        def stop() -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise CancelledError("stopped")

        with pytest.raises(CancelledError):
            fit.differentiate(network, fitted, 1.0, stop)


# -- the correction and what an event can teach ------------------------------------------------------------------------
def test_the_penalty_is_that_of_rough_and_of_large_nodes() -> None:
    nodes = torch.tensor([[0.0, 2.0], [1.0, -1.0]])
    steps = 1.0**2 + 3.0**2 + 2.0**2 + 2.0**2

    found = CorrectionVariables(nodes, torch.tensor(5.0)).penalty()

    assert float(found) == pytest.approx(1e-3 * steps + 1e-6 * 6.0)


def test_an_even_field_costs_next_to_nothing() -> None:
    even, uneven = torch.full((4, 5), 2.0), torch.full((4, 5), 2.0)
    uneven[1, 2] = 0.0
    costs = [float(CorrectionVariables(nodes, torch.zeros(())).penalty()) for nodes in (even, uneven)]

    assert costs[0] < 1e-2 * costs[1]


@pytest.mark.parametrize(("spacing_m", "wanted"), [(30.0, (16, 18)), (450.0, (2, 2)), (150.0, (4, 4)), (1e6, (2, 2))])
def test_nodes_lie_about_as_far_apart_as_asked(spacing_m: float, wanted: tuple[int, int]) -> None:
    assert nodes_of(event(SHAPE), spacing_m) == wanted


def test_half_of_the_fitted_days_is_the_way_from_the_middle_to_an_end() -> None:
    assert [half_of(days) for days in (2, 3, 10)] == [0.5, 1.0, 4.5]
    assert half_of(1) > 0.0


def test_an_event_teaches_what_its_fitted_days_and_its_layers_show() -> None:
    slope = layer(SHAPE, 12.0)
    slope[0, 0], slope[1, 1] = np.nan, 31.0
    # No network reads the height of the crowns' base.
    small = event(SHAPE, days=3, speed=2.0, layers={"slope": slope, "canopy_base_height": layer(SHAPE, 2.0)})
    small.wind_speed[1, 4, 4], small.wind_speed[2, 4, 4] = 6.0, 30.0

    taught = trained_event(small, 2)

    assert (taught.name, taught.start, taught.fit_days) == ("Small", small.date_of_day(0), 2)
    assert (taught.layers, taught.wind_max_ms, taught.slope_max_deg) == (("slope",), 6.0, 31.0)


def test_an_event_without_a_known_slope_teaches_none() -> None:
    bare, empty = event(SHAPE), event(SHAPE, layers={"slope": layer(SHAPE, np.nan)})

    assert trained_event(bare, 2).slope_max_deg == trained_event(empty, 2).slope_max_deg == 0.0

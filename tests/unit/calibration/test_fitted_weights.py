from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from firegui.calibration.forecast import roll_out
from firegui.calibration.network_fit import fit_network, weights_of_state
from firegui.calibration.network_misfit import Target
from firegui.domain.fit import FitState
from firegui.domain.grid import Grid
from firegui.domain.scenario import Scenario
from firegui.domain.weights import GAINS, TENSOR_SHAPES, Correction, NetworkWeights, TrainedEvent
from firegui.errors import InputError
from firegui.fire.learned import network_maps
from firegui.io.project.weights_file import weights_bytes, weights_of_bytes
from tests.unit.calibration.fits import QUICK, SHAPE, fitted, joint, other, small, usual, weighted, weights_from
from tests.unit.calibration.watched import DAY_0
from tests.unit.domain.samples import training, weights


def test_the_weights_are_those_of_the_best_epoch_not_of_the_last() -> None:
    state, found = usual().last[0], weights_from(usual())
    assert 0 < state.best_epoch < QUICK.epochs - 1

    # What the epoch was tried with is what the one before it left.
    tried = usual().kept[state.best_epoch - 1].tensors
    for name in TENSOR_SHAPES:
        np.testing.assert_array_equal(found.tensors[name], tried[f"now.{name}"])
    np.testing.assert_array_equal(found.corrections[0].log_rate, tried["now.nodes.0"])
    assert found.training.epochs == state.best_epoch + 1


def test_before_the_first_epoch_the_weights_are_those_it_starts_with() -> None:
    begun = usual().kept[0]
    untried = FitState(begun.tensors, 0, -1, np.inf)

    found = weights_of_state([small()], QUICK, untried)

    np.testing.assert_array_equal(found.tensors["head.weight"], begun.tensors["now.head.weight"])
    assert found.training.epochs == 0


def forecast_misfit(found: NetworkWeights, where: Scenario, days: int) -> tuple[float, tuple[float, ...]]:
    """What the weights give when they are planned with, without anything of the fit."""
    start, observed = where.observed_on(0), where.observed
    assert start is not None
    assert observed is not None
    states = roll_out(network_maps(where, found, start, 0, days), backend="cpu")
    misfit = Target(start, tuple(range(1, days + 1)), observed[1 : days + 1]).misfit(states)
    return misfit.loss, misfit.iou


@pytest.mark.parametrize("correction", [True, False])
def test_a_forecast_with_the_weights_is_the_rollout_that_was_fitted(correction: bool) -> None:
    settings = replace(QUICK, fit_days=3, correction=correction)
    heard = fitted(small(), settings=settings)
    found = weights_of_bytes(weights_bytes(weights_from(heard, settings=settings)), "weights")
    best = heard.progress[heard.last[0].best_epoch]

    loss, iou = forecast_misfit(found, small(), 3)

    assert loss == pytest.approx(weighted(best.terms), rel=1e-4)
    assert iou == best.events[0].iou


def test_a_forecast_of_each_event_fitted_together_is_the_rollout_that_was_fitted() -> None:
    events, best = (small(), other()), joint().progress[joint().last[0].best_epoch]
    found = weights_from(joint(), *events)

    (loss, iou), (other_loss, other_iou) = (forecast_misfit(found, where, 2) for where in events)

    assert 0.5 * (loss + other_loss) == pytest.approx(weighted(best.terms), rel=1e-4)
    assert (iou, other_iou) == tuple(seen.iou for seen in best.events)


def test_without_a_correction_none_is_fitted_and_none_written() -> None:
    settings = replace(QUICK, correction=False, epochs=2)
    heard = fitted(small(), settings=settings)

    found = weights_from(heard, settings=settings)

    assert found.corrections == ()
    assert not any("nodes" in name or "trend" in name for name in heard.last[0].tensors)
    assert not any("correction" in limit for limit in found.training.limits)


def test_a_single_fitted_day_teaches_no_trend() -> None:
    settings = replace(QUICK, fit_days=1)

    found = weights_from(fitted(small(), settings=settings), settings=settings).corrections[0]

    assert found.trend == 0.0
    assert found.log_rate.any()


def test_the_correction_says_how_the_rate_changes_per_day() -> None:
    settings = replace(QUICK, fit_days=3)
    heard = fitted(small(), settings=settings)
    found = weights_from(heard, settings=settings).corrections[0]

    # The variable is the change from the middle of the fitted days to their last, which is one day away.
    assert found.trend == pytest.approx(float(heard.last[0].tensors["best.trend.0"]))
    assert (found.start, found.fit_days) == (DAY_0, 3)
    assert found.trend != 0.0


def test_the_weights_say_what_they_were_trained_on_and_what_not_to_trust() -> None:
    found = weights_from(usual()).training

    (taught,) = found.events
    assert (taught.name, taught.start, taught.fit_days) == ("Small", DAY_0, 2)
    assert found.seed == QUICK.seed
    assert found.label == "network trained on Small"
    said = " ".join(found.limits)
    assert "first 2 days of Small" in said
    assert f"winds up to {found.wind_max_ms:.1f} m/s" in said
    assert "slope is a published value" not in said
    assert "correction" in said


def test_what_was_taught_before_is_remembered() -> None:
    first = weights_from(usual())
    before = replace(
        first,
        training=replace(
            first.training, learned=("wind_gain",), events=(replace(first.training.events[0], name="Old"),)
        ),
        corrections=(replace(first.corrections[0], shape=(7, 9)),),
    )

    after = weights_from(usual(), begin=before)

    assert [event.name for event in after.training.events] == ["Old", "Small"]
    assert "wind_gain" in after.training.learned
    assert [each.shape for each in after.corrections] == [SHAPE, (7, 9)]


def test_a_placed_raster_is_where_the_correction_belongs() -> None:
    place = (30.0, 0.0, 1000.0, 0.0, -30.0, 2000.0)
    placed = replace(small(), grid=Grid(*SHAPE, 30.0, place, "EPSG:3310"))
    settings = replace(QUICK, epochs=1, margin_cells=3)

    (found,) = weights_from(fitted(placed, settings=settings), placed, settings=settings).corrections

    # Of the whole raster, although only a part of it is fitted.
    assert (found.shape, found.transform) == (SHAPE, place)
    assert found.log_rate.shape == (5, 5)


# -- going on from weights ---------------------------------------------------------------------------------------------
def test_a_fit_begins_with_the_weights_it_is_given_and_their_correction() -> None:
    settings = replace(QUICK, fit_days=3)
    before = fitted(small(), settings=settings)
    begin = weights_from(before, settings=settings)

    heard = fitted(small(), settings=replace(settings, epochs=3), begin=begin)

    assert begin.corrections[0].trend != 0.0
    assert heard.losses[0] == pytest.approx(before.last[0].best_loss, rel=1e-5)
    assert heard.progress[0].events[0].iou == before.progress[before.last[0].best_epoch].events[0].iou


def first_tried(begin: NetworkWeights, where: Scenario) -> NetworkWeights:
    """What the first epoch was tried with."""
    settings = replace(QUICK, epochs=1)
    return weights_from(fitted(where, settings=settings, begin=begin), where, settings=settings, begin=begin)


@pytest.mark.parametrize("shape", [(17, 23), (3, 4)])
def test_a_correction_of_another_raster_or_other_nodes_is_not_begun_with(shape: tuple[int, int]) -> None:
    raster, nodes = ((17, 23), (4, 5)) if shape == (17, 23) else (SHAPE, shape)
    foreign = Correction("Small", raster, None, np.ones(nodes, np.float32), 0.3, DAY_0, 2)

    tried = first_tried(weights(corrections=(foreign,)), small())

    assert not tried.corrections[0].log_rate.any()
    assert tried.corrections[0].trend == 0.0
    np.testing.assert_array_equal(tried.tensors["head.weight"], weights().tensors["head.weight"])


def test_a_forecast_with_weights_that_went_on_is_the_rollout_that_was_fitted() -> None:
    # What was learned before, from other layers and stronger wind, goes on being read and moved.
    strong = TrainedEvent("Storm", DAY_0, 3, ("canopy_height",), 30.0, 60.0)
    begin = weights(training=training(events=(strong,), learned=GAINS))
    heard = fitted(other(), begin=begin)
    best = heard.progress[heard.last[0].best_epoch]

    found = weights_from(heard, other(), begin=begin)

    loss, iou = forecast_misfit(found, other(), 2)
    assert loss == pytest.approx(weighted(best.terms), rel=1e-4)
    assert iou == best.events[0].iou
    assert found.training.learned == GAINS
    assert found.training.wind_max_ms == 30.0


def test_roughness_counts_in_the_misfit_and_is_evened_out_where_the_fire_says_nothing() -> None:
    settings = replace(QUICK, fit_days=1, epochs=1)
    nodes = np.zeros((5, 5), np.float32)
    nodes[0, 0] = 1.0  # a corner that the fire does not come near in a day
    begin = weights(corrections=(Correction("Small", SHAPE, None, nodes),))

    heard = fitted(small(), settings=settings, begin=begin)

    assert heard.losses[0] == pytest.approx(weighted(heard.progress[0].terms) + 2e-3 + 1e-6, rel=1e-9)
    after = heard.last[0].tensors["now.nodes.0"]
    assert after[0, 0] < 1.0
    assert after[0, 1] > 0.0


@pytest.mark.parametrize("trend", [-0.4, 0.4])
def test_a_trend_fitted_to_more_days_goes_on_at_the_same_rate_on_the_same_dates(trend: float) -> None:
    nodes = np.random.default_rng(1).normal(size=(5, 5)).astype(np.float32)
    early = Correction("Small", SHAPE, None, nodes, trend, DAY_0 - timedelta(days=1), 6)

    tried = first_tried(weights(corrections=(early,)), small())

    assert (tried.corrections[0].start, tried.corrections[0].fit_days) == (DAY_0, 2)
    on_days = [early.trend_on(DAY_0 + timedelta(days=day)) + nodes for day in (0, 1)]
    found = [
        tried.corrections[0].trend_on(DAY_0 + timedelta(days=day)) + tried.corrections[0].log_rate for day in (0, 1)
    ]
    np.testing.assert_allclose(found, on_days, rtol=1e-5, atol=1e-5)


def test_weights_that_cannot_be_used_are_refused() -> None:
    broken = replace(weights(), tensors={**weights().tensors, "head.bias": np.full(6, np.nan, np.float32)})

    with pytest.raises(InputError, match="not finite"):
        fit_network([small()], QUICK, begin=broken)

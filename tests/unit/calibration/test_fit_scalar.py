from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.calibration.forecast import misfit, scalar_forecast, score_days
from firegui.calibration.scalar import (
    SEARCHED_PARAMETERS,
    FitSettings,
    ScalarFitProgress,
    fit_scalar,
    searched_parameters,
)
from firegui.domain.scenario import Scenario
from firegui.errors import CancelledError, InputError
from firegui.fire.card import scalar_card
from firegui.fire.parameters import ScalarParameters
from firegui.fire.skill import day_score
from firegui.io.importers.pytorchfire import import_pytorchfire
from tests.unit.fire.events import event, layer, square

SHAPE = (31, 41)
TRUTH = ScalarParameters(p=0.05, wind_gain=2.0, wind_alignment=1.5, slope=1.5, gamma=1.0, fuel=1.0)
BAD = replace(TRUTH, p=0.008, fuel=0.0)
QUICK = FitSettings(fit_days=2, samples=6, sweeps=3, margin_cells=12)
BEAR = Path(__file__).resolve().parents[3] / "../shared/data/bear2020"


@cache
def invented() -> Scenario:
    """Perimeters that the model itself made with :data:`TRUTH`, on a canopy denser in the east."""
    cover = np.tile(np.linspace(0.0, 80.0, SHAPE[1], dtype=np.float32), (SHAPE[0], 1))
    small = event(SHAPE, days=3, speed=4.0, layers={"canopy_cover": cover})
    start = replace(small, observed=square(SHAPE, 2)[None], observed_dates=(date(2020, 8, 19),))
    states = scalar_forecast(start, TRUTH, 3)
    dates = tuple(date(2020, 8, 19) + timedelta(days=day) for day in range(4))
    return replace(start, observed=states >= 0.5, observed_dates=dates)


def loss_of(parameters: ScalarParameters) -> float:
    scores = score_days(invented(), scalar_forecast(invented(), parameters, 2), 2)
    return misfit(scores, int(square(SHAPE, 2).sum()))


def test_the_fit_improves_on_a_bad_start_and_comes_near_the_truth() -> None:
    found = fit_scalar(invented(), QUICK, start=BAD)

    assert loss_of(found.parameters) < 0.5 * loss_of(BAD)
    assert loss_of(found.parameters) < loss_of(TRUTH) + 0.15


def test_the_same_seed_finds_the_same_parameters() -> None:
    settings = replace(QUICK, samples=4, sweeps=1)

    assert fit_scalar(invented(), settings) == fit_scalar(invented(), settings)
    assert fit_scalar(invented(), replace(settings, seed=1)) != fit_scalar(invented(), settings)


def test_later_perimeters_are_not_read() -> None:
    settings = replace(QUICK, samples=4, sweeps=1)
    observed = np.array(invented().observed)
    observed[3] = True

    changed = fit_scalar(replace(invented(), observed=observed), settings)

    assert changed == fit_scalar(invented(), settings)


def test_terms_without_layers_and_the_ignition_gain_are_left_alone() -> None:
    names = {knob.name for knob in searched_parameters(invented())}
    found = fit_scalar(invented(), replace(QUICK, samples=5, sweeps=1), start=BAD)

    assert names == {"p", "wind_gain", "wind_alignment", "fuel"}
    assert (found.parameters.slope, found.parameters.gamma) == (BAD.slope, BAD.gamma)


def test_slope_is_searched_where_there_is_terrain() -> None:
    layers = {"slope": layer(SHAPE, 10.0), "aspect": layer(SHAPE, 0.0)}

    assert {knob.name for knob in searched_parameters(event(SHAPE, layers=layers))} == {
        "p",
        "wind_gain",
        "wind_alignment",
        "slope",
    }


def test_every_candidate_stays_within_the_bounds() -> None:
    tried: list[ScalarParameters] = []
    fit_scalar(invented(), replace(QUICK, samples=8, sweeps=2), progress=lambda done: tried.append(done.best))

    for knob in SEARCHED_PARAMETERS:
        assert all(knob.low <= getattr(parameters, knob.name) <= knob.high * (1 + 1e-12) for parameters in tried)


@pytest.mark.parametrize("knob", SEARCHED_PARAMETERS, ids=lambda knob: knob.name)
def test_shares_and_values_are_inverse(knob: object) -> None:
    assert knob in SEARCHED_PARAMETERS
    found = next(item for item in SEARCHED_PARAMETERS if item is knob)

    assert (found.value(0.0), found.value(1.0)) == pytest.approx((found.low, found.high))
    assert found.share(found.value(0.3)) == pytest.approx(0.3)
    assert found.share(1e9) == 1.0


def test_progress_is_told_and_the_best_only_gets_better() -> None:
    heard: list[ScalarFitProgress] = []

    found = fit_scalar(invented(), QUICK, start=BAD, progress=heard.append)

    assert [item.done for item in heard] == list(range(1, len(heard) + 1))
    assert len(heard) == found.evaluations <= heard[0].total
    best = [item.best_loss for item in heard]
    assert best == sorted(best, reverse=True)
    assert heard[-1].best == found.parameters
    assert heard[-1].best_loss == found.loss == min(item.loss for item in heard)


def test_a_stop_is_honoured_and_the_best_so_far_was_told() -> None:
    heard: list[ScalarFitProgress] = []

    def check() -> None:
        if len(heard) == 3:
            raise CancelledError("stopped")

    with pytest.raises(CancelledError):
        fit_scalar(invented(), QUICK, start=BAD, progress=heard.append, check=check)

    assert len(heard) == 3


def test_an_event_that_cannot_be_fitted_says_everything_that_is_missing() -> None:
    with pytest.raises(InputError) as caught:
        fit_scalar(event(SHAPE, days=1), replace(QUICK, samples=-1))

    message = str(caught.value)
    assert len(caught.value.problems) == 3
    assert "Samples is -1" in message
    assert "no observed perimeter on day 0" in message
    assert "2 days with weather for 1" in message


def test_one_perimeter_is_not_enough() -> None:
    lonely = replace(event(SHAPE), observed=square(SHAPE)[None], observed_dates=(date(2020, 8, 19),))

    with pytest.raises(InputError, match="no perimeter on days 1 to 2"):
        fit_scalar(lonely, QUICK)


@pytest.mark.skipif(not BEAR.exists(), reason="the Bear 2020 data are not here")
def test_the_shipped_scores_are_what_the_shipped_model_gives_on_bear() -> None:
    bear = import_pytorchfire(BEAR / "pytorchfire", perimeters=BEAR / "perimeters")
    card = scalar_card()

    scores = score_days(bear, scalar_forecast(bear, card.parameters, 3), card.fit_days)

    for found, shipped in zip(scores, card.scores, strict=False):
        assert found.observed_cells == shipped.observed_cells
        assert found.expected_cells == pytest.approx(shipped.expected_cells, rel=1e-3)
        assert found.iou == pytest.approx(shipped.iou, abs=2e-3)


def states(areas: list[int]) -> list[NDArray[np.float32]]:
    return [(np.arange(100) < area).astype(np.float32)[None] for area in areas]


def loss(areas: list[int]) -> float:
    observed = [state > 0 for state in states([20, 30, 32])]
    scores = [
        day_score(day, state, truth, truth)
        for day, (state, truth) in enumerate(zip(states(areas), observed, strict=True))
    ]
    return misfit(scores, 10)


def test_the_misfit_is_zero_for_the_observed_fire_and_grows_with_the_error() -> None:
    assert loss([20, 30, 32]) == pytest.approx(0.0)
    assert loss([20, 30, 34]) < loss([20, 30, 44])


def test_the_misfit_prefers_the_fire_that_slows_down_when_the_observed_one_does() -> None:
    # Both are off by the same number of cells on as many days.
    assert loss([16, 26, 28]) < loss([16, 34, 28])

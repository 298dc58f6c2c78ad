from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.calibration.forecast import cropped, forecast, score_days
from firegui.domain.grid import Grid
from firegui.domain.scenario import Scenario
from firegui.errors import InputError
from firegui.fire.parameters import ScalarParameters
from tests.unit.fire.events import event, layer, square

SHAPE = (31, 41)
TRUTH = ScalarParameters(p=0.06, wind_gain=1.0, wind_alignment=1.0, slope=1.5, gamma=1.0, fuel=0.5)


def watched(masks: list[NDArray[np.bool_]], skipped: tuple[int, ...] = ()) -> Scenario:
    """An event with these perimeters on its first days."""
    kept = [day for day in range(len(masks)) if day not in skipped]
    dates = tuple(date(2020, 8, 19) + timedelta(days=day) for day in kept)
    small = event(SHAPE, days=4, speed=3.0, layers={"canopy_cover": layer(SHAPE, 50.0)})
    return replace(small, observed=np.stack([masks[day] for day in kept]), observed_dates=dates)


def test_a_forecast_starts_from_the_perimeter_and_only_grows() -> None:
    start = square(SHAPE, 2)

    states = forecast(watched([start]), TRUTH, 3)

    assert states.shape == (4, *SHAPE)
    np.testing.assert_array_equal(states[0], start)
    extents = states.sum(axis=(1, 2))
    assert (np.diff(extents) > 0).all()
    assert (states[3][start] == 1.0).all()


def test_a_forecast_needs_a_perimeter_and_weather() -> None:
    with pytest.raises(InputError, match="no observed perimeter on day 0"):
        forecast(event(SHAPE), TRUTH, 2)
    with pytest.raises(InputError, match="weather for 4"):
        forecast(watched([square(SHAPE)]), TRUTH, 5)


def test_a_stop_gets_through() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        forecast(watched([square(SHAPE)]), TRUTH, 2, check=stop)


def test_days_without_a_perimeter_of_their_own_are_not_scored() -> None:
    masks = [square(SHAPE, half) for half in (1, 2, 3, 4)]
    states = np.stack(masks).astype(np.float32)

    scores = score_days(watched(masks, skipped=(2,)), states, 3)

    assert [score.day for score in scores] == [1, 3]
    assert [score.iou for score in scores] == [1.0, 1.0]


def test_the_reference_holds_the_last_perimeter_the_fit_has_seen() -> None:
    masks = [square(SHAPE, half) for half in (1, 2, 3, 4)]

    scores = score_days(watched(masks), np.stack(masks).astype(np.float32), 2)

    assert [score.held_iou for score in scores] == pytest.approx([9 / 25, 9 / 49, 25 / 81 * 49 / 25])


def test_cropping_keeps_the_fire_its_margin_and_its_place() -> None:
    small = watched([square(SHAPE, 1), square(SHAPE, 3)])
    placed = replace(small, grid=Grid(*SHAPE, 30.0, (30.0, 0.0, 1000.0, 0.0, -30.0, 9000.0), "EPSG:3310"))

    cut = cropped(placed, 1, 4)

    assert cut.grid.shape == (15, 15)
    assert cut.observed is not None
    np.testing.assert_array_equal(cut.observed[1], square((15, 15), 3))
    assert cut.wind_speed.shape == (4, 15, 15)
    assert cut.layers["canopy_cover"].shape == (15, 15)
    assert cut.grid.to_world(0, 0) == placed.grid.to_world(15 - 7, 20 - 7)


def test_cropping_stops_at_the_edge() -> None:
    assert cropped(watched([square(SHAPE, 1)]), 0, 100).grid.shape == SHAPE


def test_a_forecast_on_the_cut_is_that_on_the_whole_while_the_fire_stays_inside() -> None:
    small = watched([square(SHAPE, 2)])

    whole, cut = forecast(small, TRUTH, 1), forecast(cropped(small, 0, 12), TRUTH, 1)

    rows, columns = (slice(15 - 14, 15 + 15), slice(20 - 14, 20 + 15))
    np.testing.assert_allclose(cut[1], whole[1][rows, columns], atol=1e-6)

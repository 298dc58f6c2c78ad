from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.domain.scenario import Scenario
from firegui.fire.reliability import reliability
from tests.unit.fire.events import event, observed

SHAPE = (40, 50)


def watched(masks: NDArray[np.bool_]) -> Scenario:
    return observed(event(SHAPE, days=len(masks)), masks)


def drawn(p: NDArray[np.float32]) -> Scenario:
    """A fire whose every cell burned with the probability that was predicted; it starts in one corner."""
    rng = np.random.default_rng(3)
    start = np.zeros(SHAPE, bool)
    start[0, 0] = True
    return watched(np.stack([start, *((rng.uniform(size=SHAPE) < day) | start for day in p[1:])]))


def test_a_forecast_that_means_what_it_says_lies_on_the_diagonal() -> None:
    p = np.random.default_rng(1).uniform(0.01, 1.0, (9, *SHAPE)).astype(np.float32)
    found = reliability(drawn(p), p)

    for item in found.bins:
        assert item.low <= item.predicted < item.high
        assert item.observed == pytest.approx(item.predicted, abs=0.05)
    assert found.error is not None and found.error < 0.02
    assert found.missed == 0
    assert found.count == 8 * (SHAPE[0] * SHAPE[1] - 1)


def test_a_forecast_that_is_too_sure_of_itself_does_not() -> None:
    p = np.full((3, *SHAPE), 0.35, np.float32)
    found = reliability(drawn(p), np.full_like(p, 0.95))

    (only,) = (item for item in found.bins if item.count)
    assert only.low == 0.9
    assert only.predicted == pytest.approx(0.95)
    assert only.observed == pytest.approx(0.35, abs=0.03)
    assert found.error == pytest.approx(0.6, abs=0.03)


def test_certain_cells_fall_into_the_last_bin_and_empty_bins_say_nothing() -> None:
    p = np.ones((2, *SHAPE), np.float32)
    found = reliability(drawn(p), p)

    assert found.bins[-1].count == SHAPE[0] * SHAPE[1] - 1
    assert np.isnan(found.bins[0].predicted) and np.isnan(found.bins[0].observed)


def test_cells_far_from_the_predicted_fire_only_count_where_they_burned() -> None:
    masks = np.zeros((2, *SHAPE), bool)
    masks[:, 0, 0] = True
    masks[1, 5, :7] = True
    found = reliability(watched(masks), np.zeros((2, *SHAPE), np.float32))

    assert (found.count, found.missed, found.error) == (0, 7, None)


def test_only_days_after_the_given_one_are_taken() -> None:
    p = np.full((3, *SHAPE), 0.5, np.float32)
    both, late = reliability(drawn(p), p), reliability(drawn(p), p, after=1)

    assert both.count == 2 * late.count > 0
    assert reliability(drawn(p), p, after=2).count == 0

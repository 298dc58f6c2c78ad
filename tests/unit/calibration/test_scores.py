from __future__ import annotations

import numpy as np
import pytest

from firegui.calibration.scores import day_score, iou, misfit, soft_iou

OBSERVED = np.array([[True, True, False, False]])


def test_overlap_of_masks() -> None:
    assert iou(OBSERVED, np.array([[False, True, True, False]])) == pytest.approx(1 / 3)
    assert iou(OBSERVED, OBSERVED) == 1.0
    assert iou(~OBSERVED & OBSERVED, ~OBSERVED & OBSERVED) == 1.0


def test_soft_overlap_counts_probabilities_and_equals_the_hard_one_on_masks() -> None:
    assert soft_iou(np.array([[0.5, 1.0, 0.5, 0.0]]), OBSERVED) == pytest.approx(1.5 / 2.5)
    assert soft_iou(np.array([[0.0, 1.0, 1.0, 0.0]]), OBSERVED) == pytest.approx(1 / 3)
    assert soft_iou(np.zeros((1, 4)), np.zeros((1, 4), bool)) == 1.0


def test_a_day_is_scored_by_shape_and_size_and_against_holding_still() -> None:
    score = day_score(
        3, np.array([[0.4, 0.9, 0.6, 0.5]], np.float32), OBSERVED, np.array([[True, False, False, False]])
    )

    assert (score.day, score.observed_cells, score.expected_cells, score.likely_cells) == (3, 2, 2, 3)
    assert score.iou == pytest.approx(1 / 4)
    assert score.area_error == pytest.approx(0.2)
    assert score.held_iou == pytest.approx(0.5)


def states(areas: list[int]) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
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

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.domain.scenario import Scenario
from firegui.errors import InputError
from firegui.fire.skill import (
    Overlap,
    Skill,
    day_score,
    forecast_skill,
    held_skill,
    iou,
    scored_days,
    skill_of,
    soft_iou,
)
from tests.unit.fire.events import event, observed, square

OBSERVED = np.array([[True, True, False, False]])
FORECAST = np.array([[0.4, 0.9, 0.6, 0.5]], np.float32)
SHAPE = (15, 17)
FIRST = date(2020, 8, 19)


def watched(halves: list[int], skipped: tuple[int, ...] = ()) -> Scenario:
    """An event with a square perimeter a day, of that half width."""
    return observed(event(SHAPE, days=len(halves) - 1), [square(SHAPE, half) for half in halves], skipped)


def states(halves: list[int]) -> NDArray[np.float32]:
    """Certain squares."""
    return np.stack([square(SHAPE, half) for half in halves]).astype(np.float32)


def cells(half: int) -> int:
    return (2 * half + 1) ** 2


def test_overlap_of_masks() -> None:
    assert iou(OBSERVED, np.array([[False, True, True, False]])) == pytest.approx(1 / 3)
    assert iou(OBSERVED, OBSERVED) == 1.0
    assert iou(~OBSERVED & OBSERVED, ~OBSERVED & OBSERVED) == 1.0


def test_soft_overlap_counts_probabilities_and_equals_the_hard_one_on_masks() -> None:
    assert soft_iou(np.array([[0.5, 1.0, 0.5, 0.0]]), OBSERVED) == pytest.approx(1.5 / 2.5)
    assert soft_iou(np.array([[0.0, 1.0, 1.0, 0.0]]), OBSERVED) == pytest.approx(1 / 3)
    assert soft_iou(np.zeros((1, 4)), np.zeros((1, 4), bool)) == 1.0


def test_every_score_of_a_day_is_what_its_equation_says() -> None:
    skill = skill_of(FORECAST, OBSERVED)
    p, o = FORECAST.astype(float).ravel(), OBSERVED.astype(float).ravel()

    assert (skill.overlap.observed, skill.overlap.likely, skill.overlap.hits) == (2, 3, 1)
    assert skill.iou == pytest.approx(1 / 4)
    assert (skill.precision, skill.recall) == pytest.approx((1 / 3, 1 / 2))
    assert skill.soft_iou == pytest.approx((p * o).sum() / (p + o - p * o).sum())
    assert skill.manhattan == pytest.approx(np.abs(p - o).sum())
    assert skill.brier == pytest.approx(((p - o) ** 2).mean())
    assert skill.area_error == pytest.approx(0.2)
    assert skill.new_iou is None


def test_many_cells_are_added_up_exactly_enough() -> None:
    rng = np.random.default_rng(0)
    probability = rng.uniform(size=(300, 400)).astype(np.float32)
    observed = rng.uniform(size=(300, 400)) < probability
    skill = skill_of(probability, observed)

    exact = probability.astype(float) - observed
    assert skill.manhattan == pytest.approx(np.abs(exact).sum(), rel=1e-9)
    assert skill.brier == pytest.approx((exact**2).mean(), rel=1e-9)


def test_the_cells_burned_since_the_fitted_perimeter_are_compared_alone() -> None:
    fitted = np.array([[True, False, False, False]])

    assert skill_of(FORECAST, OBSERVED, fitted).new == Overlap(observed=1, likely=3, hits=1)
    assert skill_of(FORECAST, OBSERVED, fitted).new_iou == pytest.approx(1 / 3)


def test_days_add_up_by_their_cells_and_not_by_their_scores() -> None:
    small, large = Skill(100, Overlap(1, 1, 0), 1.0, 0.0, 1.0), Skill(100, Overlap(9, 9, 9), 9.0, 9.0, 9.0)
    late = replace(large, new=Overlap(2, 3, 1))

    assert (small + large).iou == pytest.approx(9 / 11)
    assert (small + large).new is None
    assert (small + late).new == Overlap(2, 3, 1)
    assert (late + late).new == Overlap(4, 6, 2)
    assert (small + large).brier == pytest.approx(2 / 200)


def test_a_card_keeps_shape_size_and_holding_still() -> None:
    score = day_score(3, FORECAST, OBSERVED, np.array([[True, False, False, False]]))

    assert (score.day, score.observed_cells, score.expected_cells, score.likely_cells) == (3, 2, 2, 3)
    assert score.iou == pytest.approx(1 / 4)
    assert score.area_error == pytest.approx(0.2)
    assert score.held_iou == pytest.approx(0.5)


def test_days_whose_perimeter_is_only_filled_forward_are_not_scored() -> None:
    small = watched([1, 2, 3, 4], skipped=(2,))

    assert scored_days(small, 3) == (1, 3)
    assert list(forecast_skill("m", "m", small, states([1, 2, 3, 4]), 1).days) == [1, 3]


def test_a_forecast_is_averaged_and_its_worst_day_named() -> None:
    skill = forecast_skill("m", "m", watched([1, 2, 3, 4]), states([1, 2, 2, 3]), 2)
    daily = [1.0, cells(2) / cells(3), cells(3) / cells(4)]

    assert [found.iou for found in skill.days.values()] == pytest.approx(daily)
    assert skill.mean_iou(1, 3) == pytest.approx(np.mean(daily))
    assert skill.mean_iou(4, 9) is None
    assert skill.lowest(1, 3) == (2, skill.days[2].iou)
    assert skill.pooled(2, 3) == skill.days[2] + skill.days[3]
    assert (skill.lowest(4, 9), skill.pooled(4, 9)) == (None, None)


def test_new_growth_is_judged_only_after_the_fitted_days() -> None:
    skill = forecast_skill("m", "m", watched([1, 2, 3, 4]), states([1, 2, 3, 3]), 2)

    assert [found.new_iou for found in skill.days.values()] == [None, None, 0.0]


def test_growth_is_counted_from_the_last_fitted_day_and_outside_its_perimeter() -> None:
    skill = forecast_skill("m", "m", watched([1, 2, 3, 4]), states([1, 3, 4, 5]), 1)

    assert skill.growth is not None
    assert skill.growth.day == 3
    assert skill.growth.observed == cells(4) - cells(2)
    assert skill.growth.expected == skill.growth.likely == cells(5) - cells(3)
    assert skill.growth.expected_outside == skill.growth.likely_outside == cells(5) - cells(2)
    assert skill.growth.ratio == pytest.approx((cells(5) - cells(3)) / (cells(4) - cells(2)))


def test_without_a_later_day_there_is_no_growth_to_judge() -> None:
    assert forecast_skill("m", "m", watched([1, 2, 3]), states([1, 2, 3]), 2).growth is None


def test_growth_where_nothing_was_observed_is_right_only_when_none_was_expected() -> None:
    still = watched([1, 2, 2])
    right = forecast_skill("m", "m", still, states([1, 2, 2]), 1).growth
    wrong = forecast_skill("m", "m", still, states([1, 2, 3]), 1).growth

    assert right is not None and wrong is not None
    assert (right.ratio, wrong.ratio) == (1.0, float("inf"))


def test_holding_still_holds_the_last_perimeter_that_training_could_read() -> None:
    held = held_skill(watched([1, 2, 3, 4]), 3, 2)

    assert [found.iou for found in held.days.values()] == pytest.approx([9 / 25, 9 / 49, 49 / 81])
    assert held.days[3].new_iou == 0.0
    assert held.growth is not None
    assert (held.growth.expected, held.growth.likely, held.growth.expected_outside) == (0.0, 0, 0.0)


def test_nothing_is_scored_without_a_perimeter_on_day_0() -> None:
    with pytest.raises(InputError, match="no observed perimeter on day 0"):
        forecast_skill("m", "m", event(SHAPE), states([1, 2]), 0)

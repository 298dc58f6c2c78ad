from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.calibration.network_misfit import WEIGHTS, Misfit, Target
from firegui.fire.skill import iou, soft_iou
from tests.unit.fire.events import square

SHAPE = (7, 9)
START = square(SHAPE, 0)
DAYS = (1, 3)
Bools = NDArray[np.bool_]


def perimeters() -> Bools:
    """Those of days 1 and 3, ragged and not symmetric."""
    first, third = square(SHAPE, 1), square(SHAPE, 2)
    first[3, 6] = third[0, 8] = third[6, 3] = True
    third[2, 4] = False
    return np.stack([first, third])


def states(seed: int = 0) -> NDArray[np.float64]:
    """Days 0 to 3, nowhere near certain."""
    return np.random.default_rng(seed).uniform(0.05, 0.95, (4, *SHAPE))


def misfit(forecast: NDArray[Any], observed: Bools | None = None, start: Bools = START) -> Misfit:
    return Target(start, DAYS, perimeters() if observed is None else observed).misfit(forecast)


def certain(*masks: Bools) -> NDArray[np.float32]:
    """Day 0, the perimeter of day 1, a day 2 that nobody looks at, the perimeter of day 3."""
    first, third = masks
    return np.stack([START, first, np.ones(SHAPE, bool), third]).astype(np.float32)


def means(field: NDArray[Any]) -> NDArray[np.float64]:
    padded = np.pad(field.astype(np.float64), 1)
    rows, columns = SHAPE
    total = np.zeros(SHAPE)
    for i, j in np.ndindex(3, 3):
        total += padded[i : i + rows, j : j + columns]
    return total / 9.0


def on_the_frontier(observed: Bools, row: int, column: int) -> bool:
    around = observed[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
    return bool((around != observed[row, column]).any())


def weights(observed: Bools) -> NDArray[np.float64]:
    found = np.ones(SHAPE)
    for cell in np.ndindex(SHAPE):
        found[cell] = 10.0 if on_the_frontier(observed, *cell) else 1.0
    return found / float(found.mean())


def entropy(probability: NDArray[Any], observed: Bools) -> float:
    likelihood = np.where(observed, probability, 1.0 - probability)
    return float((weights(observed) * -np.log(likelihood)).mean())


def by_hand(forecast: NDArray[Any], observed: Bools) -> dict[str, float]:
    """The terms as the module states them, one day after another."""
    pairs = [(forecast[day], observed[k]) for k, day in enumerate(DAYS)]
    expected = [float(START.sum()), *(float(state.sum()) for state, _ in pairs)]
    seen = [float(START.sum()), *(float(mask.sum()) for _, mask in pairs)]
    grown, spread = np.diff(expected), np.diff(seen)
    return {
        "bce": float(np.mean([entropy(*pair) for pair in pairs])),
        "mse": float(np.mean([((state - mask) ** 2).mean() for state, mask in pairs])),
        "means": float(np.mean([((means(state) - means(mask)) ** 2).mean() for state, mask in pairs])),
        "area": float(np.mean([abs(state.sum() - mask.sum()) / mask.sum() for state, mask in pairs])),
        "shape": float(np.mean([1.0 - soft_iou(state, mask) for state, mask in pairs])),
        "growth": float(np.abs(grown - spread).sum() / spread.sum()),
    }


@pytest.mark.parametrize("seed", range(3))
def test_every_term_is_what_it_says(seed: int) -> None:
    forecast = states(seed)

    found = misfit(forecast.astype(np.float32))

    assert found.terms == pytest.approx(by_hand(forecast, perimeters()), rel=1e-5)
    stated = {"bce": 0.5, "mse": 0.1, "means": 0.1, "area": 0.5, "shape": 4.0, "growth": 1.0}
    assert found.loss == pytest.approx(sum(stated[name] * found.terms[name] for name in found.terms))
    assert dict(WEIGHTS) == stated


def test_the_slopes_are_those_of_the_misfit() -> None:
    forecast, step = states(), 1e-6
    slopes = misfit(forecast).slopes

    for cell in np.ndindex(forecast.shape):
        apart = np.zeros_like(forecast)
        apart[cell] = step
        change = misfit(forecast + apart).loss - misfit(forecast - apart).loss
        assert slopes[cell] == pytest.approx(change / (2.0 * step), rel=1e-4, abs=1e-6), cell


def test_the_slopes_come_in_the_type_and_shape_of_the_states_and_spare_days_without_a_perimeter() -> None:
    found = misfit(states().astype(np.float32))

    assert found.slopes.dtype == np.float32
    assert found.slopes.shape == (4, *SHAPE)
    assert not found.slopes[[0, 2]].any()
    assert found.slopes[[1, 3]].all()


def test_days_without_a_perimeter_change_nothing() -> None:
    one, other = states(), states()
    other[[0, 2]] = states(7)[[0, 2]]

    assert misfit(one).loss == misfit(other).loss


def test_the_observed_fire_has_no_misfit_but_what_certainty_costs() -> None:
    found = misfit(certain(*perimeters()))

    assert found.iou == (1.0, 1.0)
    assert {name: value for name, value in found.terms.items() if name != "bce"} == pytest.approx(
        {"mse": 0.0, "means": 0.0, "area": 0.0, "shape": 0.0, "growth": 0.0}, abs=1e-12
    )
    assert 0.0 < found.loss < 1e-3


def test_a_cell_on_the_frontier_weighs_ten_times_in_the_cross_entropy() -> None:
    block = np.stack([square(SHAPE, 2), square(SHAPE, 2)])
    begun = misfit(certain(*block), block).terms["bce"]

    def costs(row: int, column: int) -> float:
        wrong = certain(*block)
        wrong[1, row, column] = 0.25
        return misfit(wrong, block).terms["bce"] - begun

    inside, edge = costs(3, 4), costs(1, 4)
    beside, far = costs(0, 4), costs(3, 0)
    assert edge == pytest.approx(10.0 * inside, rel=1e-3)
    assert beside == pytest.approx(10.0 * far, rel=1e-3)  # the frontier is on both sides


def test_the_edge_of_the_raster_is_no_frontier() -> None:
    full = np.ones((2, *SHAPE), bool)
    wrong = certain(*full)
    wrong[1, 0, 0] = 0.5

    assert misfit(wrong, full).terms["bce"] == pytest.approx(np.log(2.0) / (2 * full[0].size), abs=2e-4)


def test_being_certain_and_wrong_costs_a_finite_amount() -> None:
    forecast = certain(~perimeters()[0], ~perimeters()[1])

    found = misfit(forecast)

    assert found.terms["bce"] == pytest.approx(-np.log(1e-4), rel=1e-3)
    assert found.iou == (0.0, 0.0)
    assert np.isfinite(found.slopes).all()


def test_a_cell_counts_as_burnt_from_one_half_on() -> None:
    forecast = certain(*perimeters())
    forecast[1, 3, 4], forecast[1, 3, 5] = 0.5, np.nextafter(np.float32(0.5), np.float32(0.0))
    forecast[3, 0, 0] = 0.5

    found = misfit(forecast)

    assert found.iou == pytest.approx((9 / 10, 26 / 27))
    assert found.iou == tuple(iou(forecast[day] >= 0.5, mask) for day, mask in zip(DAYS, perimeters(), strict=True))


def test_a_fire_that_grows_on_when_the_observed_one_has_stopped_is_worse_than_one_that_was_early() -> None:
    # Areas 1, 9, 9 were seen. Both forecasts are as wrong by area in sum, but only one still grows at the end.
    stopped = np.stack([square(SHAPE, 1), square(SHAPE, 1)])
    wide = square(SHAPE, 2)

    early = misfit(certain(wide, wide), stopped).terms
    late = misfit(certain(square(SHAPE, 0), wide), stopped).terms

    assert early["growth"] == pytest.approx(16 / 8)
    assert late["growth"] == pytest.approx((8 + 24) / 8)


@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.parametrize("forecast", [0.0, 0.3, 1.0])
def test_empty_and_full_perimeters_give_numbers(filled: bool, forecast: float) -> None:
    observed = np.full((2, *SHAPE), filled)

    found = misfit(np.full((4, *SHAPE), forecast, np.float32), observed)

    assert np.isfinite(found.loss)
    assert all(np.isfinite(value) for value in found.terms.values())
    assert np.isfinite(found.slopes).all()


def test_a_fire_that_never_grew_gives_numbers() -> None:
    found = misfit(states().astype(np.float32), np.stack([START, START]))

    assert np.isfinite(found.loss)
    assert np.isfinite(found.slopes).all()


def test_the_states_are_left_as_they_were() -> None:
    forecast = states().astype(np.float32)
    before = forecast.copy()

    misfit(forecast)

    np.testing.assert_array_equal(forecast, before)

"""ILR coordinates: the formulas of the design, there and back, and moving along them."""

from __future__ import annotations

import numpy as np
import pytest

from firegui.domain.uncertainty import FLOOR, PAPER_BEAR, ErrorModel
from firegui.ensembles.ilr import BASIS, factors, ilr, inverse


def states(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet((1.0, 1.0, 1.0), size=shape).transpose(-1, *range(len(shape)))


def test_the_coordinates_are_those_of_the_design() -> None:
    u, b, r = 0.7, 0.2, 0.1
    z = ilr(np.array(u), np.array(b), np.array(r))
    assert z[0] == pytest.approx((np.log(u) - np.log(b)) / np.sqrt(2.0), rel=1e-15)
    assert z[1] == pytest.approx((np.log(u) + np.log(b) - 2.0 * np.log(r)) / np.sqrt(6.0), rel=1e-15)
    np.testing.assert_allclose(BASIS @ BASIS.T, np.eye(2), atol=1e-15)


@pytest.mark.parametrize("shape", [(), (7,), (12, 31)])
def test_there_and_back_gives_the_state(shape: tuple[int, ...]) -> None:
    state = np.maximum(states(3, *shape), 2.0 * FLOOR)
    state = state / state.sum(axis=0)
    z = ilr(*state)
    assert z.shape == (2, *shape)
    np.testing.assert_allclose(np.stack(inverse(z)), state, rtol=0.0, atol=1e-12)


def test_back_and_there_gives_the_coordinates() -> None:
    z = np.random.default_rng(4).normal(scale=2.0, size=(2, 50))
    np.testing.assert_allclose(ilr(*inverse(z)), z, rtol=0.0, atol=1e-12)


def test_what_is_certain_is_taken_for_almost_certain() -> None:
    z = ilr(np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([0.0, 0.0]))
    assert np.isfinite(z).all()
    unburned, burning, burned = inverse(z)
    np.testing.assert_allclose(unburned, [1.0, FLOOR], atol=3.0 * FLOOR)
    np.testing.assert_allclose(burning, [FLOOR, 1.0], atol=3.0 * FLOOR)
    np.testing.assert_allclose(burned, [FLOOR, FLOOR], rtol=1e-5)


def test_any_coordinates_are_probabilities_again() -> None:
    parts = np.stack(inverse(np.array([[1e4, -1e4, 0.0], [-1e4, 30.0, 0.0]])))
    assert (parts >= 0.0).all()
    np.testing.assert_allclose(parts.sum(axis=0), 1.0, rtol=1e-15)


def test_moving_the_coordinates_multiplies_the_odds() -> None:
    state, shift = np.maximum(states(5, 40), 1e-3), np.array([-0.7, 0.4])
    moved = np.stack(inverse(ilr(*state) + shift[:, None]))
    multiplied = factors(shift)[:, None] * state
    np.testing.assert_allclose(moved, multiplied / multiplied.sum(axis=0), rtol=1e-12)


def test_the_papers_error_model_is_the_table_of_the_paper() -> None:
    assert PAPER_BEAR.mean == (-4.289, -1.175)
    assert PAPER_BEAR.covariance == ((28.39, 21.95), (21.95, 26.91))
    assert (PAPER_BEAR.correlation_cells, PAPER_BEAR.sill, PAPER_BEAR.nugget) == (53.79, 36.17, 0.0)
    assert (PAPER_BEAR.softening, PAPER_BEAR.threshold, PAPER_BEAR.floor) == (0.01, 0.1, 1e-6)
    assert "grf_params" in PAPER_BEAR.source


def test_the_principal_direction_is_that_of_the_largest_variance_towards_more_fire() -> None:
    deviation, direction = PAPER_BEAR.principal()
    covariance = np.array(PAPER_BEAR.covariance)
    np.testing.assert_allclose(covariance @ direction, deviation**2 * direction, rtol=1e-12)
    assert deviation**2 > np.trace(covariance) / 2.0
    odds = factors(0.1 * direction)
    assert odds[0] < min(odds[1], odds[2])


@pytest.mark.parametrize(
    ("covariance", "length", "what"),
    [
        (((1.0, 0.5), (0.4, 1.0)), 5.0, "symmetric"),
        (((1.0, 2.0), (2.0, 1.0)), 5.0, "negative variance"),
        (((1.0, 0.0), (0.0, np.nan)), 5.0, "symmetric"),
        (((1.0, 0.0), (0.0, 1.0)), 0.0, "positive"),
    ],
)
def test_what_is_no_error_model_is_refused(
    covariance: tuple[tuple[float, float], tuple[float, float]], length: float, what: str
) -> None:
    with pytest.raises(ValueError, match=what):
        ErrorModel((0.0, 0.0), covariance, length, 1.0)

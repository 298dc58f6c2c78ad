"""The empirical semivariogram against pairs counted one by one, and its fit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from firegui.domain.uncertainty import Semivariogram
from firegui.ensembles.residuals import fit_exponential, semivariogram
from firegui.errors import InputError


def by_pairs(fields: list[np.ndarray], mask: np.ndarray) -> dict[float, tuple[float, int]]:
    """``(mean ½ ‖R − R'‖², pairs)`` at every distance."""
    places = np.argwhere(mask)
    found: dict[float, list[float]] = {}
    for field in fields:
        for index, first in enumerate(places):
            for second in places[index + 1 :]:
                gap = field[:, first[0], first[1]] - field[:, second[0], second[1]]
                found.setdefault(round(float(np.hypot(*(first - second))), 9), []).append(0.5 * float(gap @ gap))
    return {distance: (float(np.mean(values)), len(values)) for distance, values in found.items()}


def test_it_is_that_of_every_pair_of_cells_in_the_mask() -> None:
    generator = np.random.default_rng(0)
    mask = np.zeros((14, 15), bool)
    mask[2:9, 3:11] = generator.uniform(size=(7, 8)) > 0.3
    fields = [np.where(mask, generator.normal(size=(2, 14, 15)), np.nan) for _ in range(2)]
    found, pairs = semivariogram(fields, mask), by_pairs(fields, mask)
    edges = [0.5, 1.5, 2.5, 3.5, 4.5]
    assert len(found.distance) == 4
    for index, (low, high) in enumerate(pairwise(edges)):
        inside = {distance: at for distance, at in pairs.items() if low <= distance < high and distance <= 4.0}
        count = sum(at[1] for at in inside.values())
        assert found.pairs[index] == count
        assert found.distance[index] == pytest.approx(sum(d * at[1] for d, at in inside.items()) / count)
        assert found.value[index] == pytest.approx(sum(at[0] * at[1] for at in inside.values()) / count)


def test_an_exponential_is_found_again() -> None:
    distance = np.linspace(1.0, 90.0, 40)
    exact = Semivariogram(distance, 36.17 * -np.expm1(-distance / 53.79), np.full(40, 10))
    sill, length = fit_exponential(exact)
    assert sill == pytest.approx(36.17, rel=1e-6)
    assert length == pytest.approx(53.79, rel=1e-6)


def test_without_correlation_the_length_is_below_a_cell() -> None:
    mask = np.ones((60, 60), bool)
    sill, length = fit_exponential(semivariogram([np.random.default_rng(1).normal(size=(2, 60, 60))], mask))
    assert sill == pytest.approx(2.0, rel=0.05)
    assert length < 0.5


def test_errors_that_do_not_vary_are_refused() -> None:
    mask = np.ones((30, 30), bool)
    with pytest.raises(InputError, match="do not vary"):
        fit_exponential(semivariogram([np.zeros((2, 30, 30))], mask))


def test_too_few_cells_are_refused() -> None:
    single = np.zeros((9, 9), bool)
    single[4, 4] = True
    with pytest.raises(InputError, match="too few cells"):
        semivariogram([np.zeros((2, 9, 9))], single)
    single[4, 5] = True
    with pytest.raises(InputError, match="too few cells"):
        fit_exponential(semivariogram([np.arange(162.0).reshape(2, 9, 9)], single))


def test_a_value_that_is_no_number_is_refused() -> None:
    fields = np.zeros((2, 9, 9))
    fields[1, 3, 3] = np.nan
    with pytest.raises(InputError, match="without a number"):
        semivariogram([fields], np.ones((9, 9), bool))

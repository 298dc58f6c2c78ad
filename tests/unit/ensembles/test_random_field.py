"""Correlated fields: their variance, their colours, their seed, and what cannot be sampled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.uncertainty import PAPER_BEAR, ErrorModel, ResidualMode
from firegui.ensembles.random_field import FieldSampler, error_field, fast_size
from firegui.errors import InputError

SHAPE = (60, 80)
ERROR = replace(PAPER_BEAR, correlation_cells=4.0)


def test_the_numbers_follow_from_seed_member_and_day_alone() -> None:
    first = error_field(ERROR, SHAPE, 1, 2, 3)
    np.testing.assert_array_equal(first, FieldSampler(ERROR, SHAPE).field(1, 2, 3))
    for other in ((0, 2, 3), (1, 0, 3), (1, 2, 0)):
        assert abs(error_field(ERROR, SHAPE, *other) - first).min() < abs(first).max()
        assert not np.array_equal(error_field(ERROR, SHAPE, *other), first)


def test_the_two_fields_are_coloured_by_the_covariance() -> None:
    sampler = FieldSampler(ERROR, SHAPE)
    values = np.concatenate([sampler.field(0, member, 0).reshape(2, -1) for member in range(60)], axis=1)
    np.testing.assert_allclose(np.cov(values), ERROR.covariance, rtol=0.1)


def test_the_two_fields_before_colouring_have_nothing_to_do_with_each_other() -> None:
    sampler = FieldSampler(ERROR, SHAPE)
    products = [
        float((first * second).mean()) for first, second in (sampler.unit(0, member, 0) for member in range(80))
    ]
    assert abs(np.mean(products)) < 4.0 * np.std(products, ddof=1) / np.sqrt(80)


def test_only_one_step_forecasts_have_the_mean_of_the_residuals() -> None:
    one_step = replace(ERROR, mode=ResidualMode.INCREMENTAL)
    difference = error_field(one_step, SHAPE, 0, 0, 0) - error_field(ERROR, SHAPE, 0, 0, 0)
    np.testing.assert_allclose(difference[0], ERROR.mean[0], atol=1e-4)
    np.testing.assert_allclose(difference[1], ERROR.mean[1], atol=1e-4)


def test_opposite_edges_of_the_raster_do_not_know_each_other() -> None:
    sampler = FieldSampler(ERROR, SHAPE)
    fields = np.stack([sampler.unit(0, member, 0)[0] for member in range(150)])
    near = float((fields[:, :, 0] * fields[:, :, 1]).mean())
    around = float((fields[:, :, 0] * fields[:, :, -1]).mean())
    assert near == pytest.approx(np.exp(-1.0 / 4.0), abs=0.05)
    assert abs(around) < 0.06


def test_a_correlation_longer_than_the_raster_still_has_variance_1() -> None:
    sampler = FieldSampler(replace(ERROR, correlation_cells=5_000.0), (20, 30))
    fields = np.stack([sampler.unit(0, member, 0) for member in range(400)])
    assert float((fields**2).mean()) == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"covariance": ((1.0, 1.0), (1.0, 1.0))}, "singular"),
        ({"covariance": ((0.0, 0.0), (0.0, 0.0))}, "do not vary"),
        ({"mean": (float("nan"), 0.0)}, "not numbers"),
        ({"correlation_cells": float("inf")}, "not numbers"),
    ],
)
def test_what_cannot_be_sampled_is_said(changes: dict[str, object], named: str) -> None:
    error: ErrorModel = replace(ERROR, **changes)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=named):
        FieldSampler(error, SHAPE)


def test_sizes_are_rounded_up_to_products_of_small_primes() -> None:
    assert [fast_size(size) for size in (1, 7, 11, 97, 835)] == [1, 8, 12, 100, 864]

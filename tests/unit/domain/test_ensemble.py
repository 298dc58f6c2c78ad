from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.ensemble import (
    BASELINE,
    PLAN,
    UNIT,
    Ensemble,
    EnsembleState,
    below_start,
    convergence,
    fan_of,
    packed,
    probability_worse,
    spread_of,
    unpacked,
    worst_members,
)
from firegui.domain.uncertainty import UncertaintyKind, WeatherDraw


def ensemble(baseline: list[float], plan: list[float] | None) -> Ensemble:
    """An ensemble of one day whose members end like this; half of it is protected."""
    finals = [baseline] if plan is None else [baseline, plan]
    extent = np.array([[[1.0, last] for last in case] for case in finals])
    maps = np.zeros((len(finals), 2, 2, 3), np.float32)
    return Ensemble(UncertaintyKind.ALEATORIC, extent, extent / 2.0, maps, maps, 0.09, len(baseline))


def state(samples: tuple[tuple[bytes, ...], ...] = ()) -> EnsembleState:
    series = np.arange(12.0).reshape(2, 2, 3)
    fire = np.full((2, 3, 2, 2), UNIT, np.uint32)
    return EnsembleState(series, series / 2.0, fire, fire // 2, (1, 2), samples)


def test_the_benefit_is_taken_member_by_member() -> None:
    found = ensemble([10.0, 20.0, 5.0], [4.0, 4.0, 6.0])
    np.testing.assert_array_equal(found.benefit(), [6.0, 16.0, -1.0])
    np.testing.assert_array_equal(found.benefit(protected=True), [3.0, 8.0, -0.5])
    assert probability_worse(found.benefit())[0] == pytest.approx(1.0 / 3.0)


def test_without_a_plan_there_is_no_benefit() -> None:
    with pytest.raises(ValueError, match="without a plan"):
        ensemble([1.0], None).benefit()


def test_no_difference_is_not_worse_and_the_error_is_not_0_where_nothing_is_worse() -> None:
    share, error = probability_worse(np.zeros(100))
    assert share == 0.0
    assert 0.0 < error < 0.01


def test_the_worst_members_have_the_least_benefit_then_the_largest_fire() -> None:
    found = ensemble([10.0, 20.0, 5.0, 30.0], [4.0, 14.0, 6.0, 30.0])
    assert worst_members(found, 3) == (2, 3, 1)
    assert worst_members(ensemble([10.0, 20.0, 5.0], None), 2) == (1, 0)


def test_a_spread_has_the_mean_the_deviation_and_the_quantiles() -> None:
    values = np.random.default_rng(0).normal(50.0, 3.0, 2_000)
    found = spread_of(values)
    assert found.mean == pytest.approx(values.mean())
    assert found.sd == pytest.approx(3.0, rel=0.1)
    assert found.error == pytest.approx(found.sd / math.sqrt(2_000))
    assert found.quantiles[2] == pytest.approx(np.median(values))
    assert list(found.quantiles) == sorted(found.quantiles)
    assert math.isnan(spread_of(np.array([1.0])).sd)
    with pytest.raises(ValueError, match="no member"):
        spread_of(np.zeros(0))


def test_a_fan_has_a_value_for_every_day_boundary() -> None:
    series = np.random.default_rng(1).uniform(size=(40, 4))
    fan = fan_of(series, (0.0, 1.0))
    np.testing.assert_allclose(fan.mean, series.mean(axis=0))
    np.testing.assert_allclose(fan.sd, series.std(axis=0, ddof=1))
    np.testing.assert_array_equal(fan.quantiles, [series.min(axis=0), series.max(axis=0)])


def test_convergence_is_the_mean_of_the_first_members_with_its_error() -> None:
    values = 1e6 + np.random.default_rng(2).normal(size=50)
    means, errors = convergence(values)
    for count in (2, 7, 50):
        assert means[count - 1] == pytest.approx(values[:count].mean(), rel=1e-12)
        assert errors[count - 1] == pytest.approx(values[:count].std(ddof=1) / math.sqrt(count), rel=1e-6)
    assert math.isnan(errors[0])


def test_a_mean_below_the_start_is_found_with_its_first_day() -> None:
    found = ensemble([10.0, 30.0], [10.0, 30.0])
    extent = np.array([[[20.0, 21.0, 19.0, 18.0], [20.0, 23.0, 17.0, 30.0]], [[20.0, 20.0, 21.0, 25.0]] * 2])
    assert below_start(replace(found, extent=extent)) == ((0, 2),)
    assert below_start(replace(found, extent=extent - 1e-6 * (np.arange(4) > 0))) == ((0, 2),), "that was rounding"
    extent[1, :, 1] = 12.0
    assert below_start(replace(found, extent=extent)) == ((0, 2), (1, 1))


def test_exposure_counts_the_ends_of_days() -> None:
    extent = np.array([[[1.0, 2.0, 4.0]]])
    maps = np.zeros((1, 3, 1, 1), np.float32)
    found = Ensemble(UncertaintyKind.WEATHER, extent, extent, maps, maps, 1.0, 1)
    assert found.exposure(BASELINE).tolist() == [6.0]


def test_kept_states_come_back_as_they_were() -> None:
    generator = np.random.default_rng(3)
    fire, burning = generator.uniform(size=(2, 4, 5, 7)) > 0.5
    back = unpacked(packed(fire, burning), (4, 5, 7))
    np.testing.assert_array_equal(back[0], fire)
    np.testing.assert_array_equal(back[1], burning)


def test_a_state_is_put_back_where_it_belongs_on_the_raster() -> None:
    winds = [WeatherDraw(1.0, 0.0, 0.0)] * 5
    found = state().ensemble(UncertaintyKind.WEATHER, (5, 6), 0.09, 5, winds)
    assert (found.members, found.asked, found.complete, len(found.weather)) == (2, 5, False, 2)
    assert found.fire[PLAN, 1, 1:3, 2:4].tolist() == [[0.5, 0.5], [0.5, 0.5]]
    assert found.fire.sum() == pytest.approx(2 * 3 * 4 * 0.5)
    assert found.burning[BASELINE, 2, 1, 2] == pytest.approx(0.25)


@pytest.mark.parametrize("samples", [(), ((b"a", b"bcd"), (b"", b"ef"))])
def test_a_state_survives_being_written_as_tensors(samples: tuple[tuple[bytes, ...], ...]) -> None:
    back = EnsembleState.of_tensors(state(samples).tensors())
    assert (back.corner, back.samples, back.members) == ((1, 2), samples, 2)
    for name in ("extent", "protected", "fire", "burning"):
        np.testing.assert_array_equal(getattr(back, name), getattr(state(), name))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("extent", np.zeros((2, 2, 4))),
        ("protected", np.zeros((2, 1, 3))),
        ("fire", np.zeros((2, 4, 2, 2), np.uint32)),
        ("burning", np.zeros((2, 3, 2, 1), np.uint32)),
        ("sample_sizes", np.array([1, 2, 3])),
        ("sample_sizes", np.array([1, 1, 1, 1])),
    ],
)
def test_tensors_that_do_not_fit_together_are_refused(name: str, value: np.ndarray) -> None:
    tensors = state().tensors()
    tensors[name] = value
    with pytest.raises(ValueError):
        EnsembleState.of_tensors(tensors)
    del tensors[name]
    with pytest.raises(ValueError, match=f"{name} is missing"):
        EnsembleState.of_tensors(tensors)

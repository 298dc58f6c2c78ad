"""Perturbed wind: what a draw does to it, and the fire's maps under it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from firegui.domain.uncertainty import WeatherDraw, WeatherSpread
from firegui.domain.weather import PeriodWeather
from firegui.ensembles.weather import ForecastWind, moved, union, weather_of
from firegui.errors import InputError
from tests.numerics.cases import random_maps, random_schedule, small_fleet

WHOLE = (slice(0, 4), slice(0, 5))


def daily() -> PeriodWeather:
    generator = np.random.default_rng(0)
    speed = generator.uniform(1.0, 9.0, (5, 4, 5)).astype(np.float32)
    return PeriodWeather(1, 1, speed, generator.uniform(-np.pi, np.pi, (5, 4, 5)).astype(np.float32))


def test_a_member_has_one_error_of_its_own() -> None:
    spread = WeatherSpread(0.2, 0.3, 4.0)
    draws = [weather_of(spread, 0, member) for member in range(4_000)]
    assert weather_of(spread, 0, 7) == draws[7] != weather_of(spread, 1, 7)
    for values, wanted in (
        ([math.log(draw.speed_factor) for draw in draws], 0.2),
        ([draw.direction for draw in draws], 0.3),
        ([draw.delay_h for draw in draws], 4.0),
    ):
        assert np.mean(values) == pytest.approx(0.0, abs=4.0 * wanted / math.sqrt(4_000))
        assert np.std(values) == pytest.approx(wanted, rel=0.06)


def test_what_is_not_off_stays_as_it_is() -> None:
    here = daily()
    speed, towards = ForecastWind.of(here).perturbed(WeatherDraw(1.0, 0.0, 0.0), 1, 3, WHOLE)
    np.testing.assert_array_equal(speed, here.speed[1:4])
    np.testing.assert_array_equal(towards, here.towards[1:4])


def test_the_speed_is_multiplied_and_the_direction_turned() -> None:
    here, box = daily(), (slice(1, 3), slice(2, 5))
    speed, towards = ForecastWind.of(here).perturbed(WeatherDraw(1.5, 0.4, 0.0), 0, 5, box)
    np.testing.assert_allclose(speed, 1.5 * here.speed[:, 1:3, 2:5], rtol=1e-6)
    np.testing.assert_allclose(towards, here.towards[:, 1:3, 2:5] + 0.4, rtol=1e-6, atol=1e-6)


def test_a_delay_of_a_day_brings_the_weather_of_the_day_before() -> None:
    here = daily()
    speed, towards = ForecastWind.of(here).perturbed(WeatherDraw(1.0, 0.0, 24.0), 0, 5, WHOLE)
    np.testing.assert_array_equal(speed, here.speed[[0, 0, 1, 2, 3]])
    np.testing.assert_array_equal(towards, here.towards[[0, 0, 1, 2, 3]])
    early, _ = ForecastWind.of(here).perturbed(WeatherDraw(1.0, 0.0, -24.0), 0, 5, WHOLE)
    np.testing.assert_array_equal(early, here.speed[[1, 2, 3, 4, 4]])


@pytest.mark.parametrize(("hours", "before"), [(6.0, 0.25), (-6.0, -0.25), (30.0, 1.25)])
def test_a_part_of_a_day_mixes_two_days(hours: float, before: float) -> None:
    here = daily()
    speed, towards = ForecastWind.of(here).perturbed(WeatherDraw(1.0, 0.0, hours), 2, 1, WHOLE)
    first = 2 - math.floor(before)
    share = before - math.floor(before)
    now, earlier = here.speed[first], here.speed[first - 1]
    np.testing.assert_allclose(speed[0], (1.0 - share) * now + share * earlier, rtol=1e-5)
    both = (1.0 - share) * now * np.exp(1j * here.towards[first]) + share * earlier * np.exp(
        1j * here.towards[first - 1]
    )
    np.testing.assert_allclose(np.exp(1j * towards[0]), both / abs(both), atol=1e-5)


@pytest.mark.parametrize("broken", ["speed", "towards"])
def test_a_wind_with_holes_is_refused(broken: str) -> None:
    here = daily()
    fields = {"speed": here.speed.copy(), "towards": here.towards.copy()}
    fields[broken][2, 1, 1] = np.nan
    with pytest.raises(InputError, match="without a number"):
        ForecastWind.of(here.with_wind(**fields))


def test_a_delay_counts_in_hours_whatever_the_periods() -> None:
    here = daily()
    hourly = PeriodWeather(24, 1, np.repeat(here.speed, 24, axis=0), np.repeat(here.towards, 24, axis=0))
    speed, towards = ForecastWind.of(hourly).perturbed(WeatherDraw(2.0, 0.0, 3.0), 0, 120, WHOLE)
    np.testing.assert_array_equal(speed[3:], 2.0 * hourly.speed[:-3])
    np.testing.assert_array_equal(towards[3:], hourly.towards[:-3])


def test_only_what_was_executed_is_flown_and_moves_with_the_box() -> None:
    maps, fleet = random_maps(1), small_fleet()
    schedule = random_schedule(1, maps, fleet)
    executed = schedule.proposed & (np.arange(schedule.n_aircraft) == 1)
    there = moved(schedule, executed, (slice(3, 9), slice(4, 9)))
    np.testing.assert_array_equal(there.proposed, executed)
    np.testing.assert_allclose(there.poses, schedule.poses - [3.0, 4.0, 0.0])


def test_a_union_contains_its_boxes() -> None:
    assert union([(slice(3, 5), slice(2, 9)), (slice(1, 4), slice(5, 11))]) == (slice(1, 5), slice(2, 11))

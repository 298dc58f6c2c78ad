from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.compact_maps import BlockRaster
from firegui.domain.weather import PeriodWeather, on_blocks

WHOLE = (slice(0, 7), slice(0, 10))


def weather(block: int = 3, periods: int = 24, days: int = 2) -> PeriodWeather:
    rng = np.random.default_rng(1)
    shape = (days * periods, -(-7 // block), -(-10 // block))
    speed = rng.uniform(1.0, 9.0, shape).astype(np.float32)
    towards = rng.uniform(-np.pi, np.pi, shape).astype(np.float32)
    return PeriodWeather(periods, block, speed, towards, rng.uniform(5.0, 35.0, shape[0]), rng.uniform(5, 95, shape[0]))


def test_in_the_middle_of_a_block_the_wind_is_its_own_and_beyond_the_outermost_middles_it_is_theirs() -> None:
    here = weather()
    speed, towards = here.wind(5, WHOLE)
    assert speed.shape == towards.shape == (7, 10) and speed.dtype == np.float32
    np.testing.assert_allclose(speed[1::3, 1::3], here.speed[5][:2, :3], rtol=1e-6)
    np.testing.assert_allclose(np.exp(1j * towards[1::3, 1::3]), np.exp(1j * here.towards[5][:2, :3]), atol=1e-6)
    np.testing.assert_allclose(speed[0, 0], here.speed[5, 0, 0], rtol=1e-6)


def test_between_two_middles_speed_and_direction_change_evenly() -> None:
    here = PeriodWeather(1, 4, np.array([[[2.0, 6.0]]], np.float32), np.array([[[3.0, -3.0]]], np.float32))
    speed, towards = here.wind(0, (slice(0, 4), slice(0, 8)))
    np.testing.assert_allclose(speed[0], [2.0, 2.0, 2.5, 3.5, 4.5, 5.5, 6.0, 6.0], rtol=1e-6)
    middle = np.angle(0.625 * np.exp(3.0j) + 0.375 * np.exp(-3.0j))  # by π and not by 0
    np.testing.assert_allclose(towards[2, 3], middle, rtol=1e-5)


def test_a_box_has_the_wind_of_the_whole_raster_there() -> None:
    here = weather()
    box = (slice(2, 6), slice(3, 9))
    for part, whole in zip(here.wind(7, box), here.wind(7, WHOLE), strict=True):
        np.testing.assert_array_equal(part, whole[box])
    rows, columns = np.array([[6, 0], [3, 2]]), np.array([[9, 5], [3, 3]])
    for part, whole in zip(here.wind_of_cells(7, rows, columns), here.wind(7, WHOLE), strict=True):
        np.testing.assert_array_equal(part, whole[rows, columns])


def test_winds_of_many_periods_are_those_of_the_blocks() -> None:
    here = weather()
    speeds, towards = here.winds(slice(6, 9), (7, 10))
    assert speeds.shape == towards.shape == (3, 7, 10) and len(speeds) == 3
    for kept, blocks in ((speeds, here.speed), (towards, here.towards)):
        whole = np.asarray(kept)
        for row, column in np.ndindex(7, 10):
            np.testing.assert_array_equal(whole[:, row, column], blocks[6:9, row // here.block, column // here.block])
        np.testing.assert_array_equal(kept[np.array([2, 0]), np.array([6, 3]), [9, 1]], whole[[2, 0], [6, 3], [9, 1]])
        np.testing.assert_array_equal(kept[1][3, 4], whole[1, 3, 4])
        np.testing.assert_array_equal(kept[..., 2:5, 1:3], whole[..., 2:5, 1:3])
        assert isinstance(kept, BlockRaster) and kept.max(initial=-9.0) == whole.max()


def test_fewer_periods_have_mean_speeds_and_the_direction_of_the_mean_vector() -> None:
    here = weather()
    fewer = here.with_most_periods(7)
    assert (fewer.periods_per_day, fewer.days, fewer.speed.shape[0]) == (6, 2, 12)
    np.testing.assert_allclose(fewer.speed[1], here.speed[4:8].mean(axis=0), rtol=1e-6)
    vector = (here.speed[4:8] * np.exp(1j * here.towards[4:8])).mean(axis=0)
    np.testing.assert_allclose(np.exp(1j * fewer.towards[1]), vector / abs(vector), atol=1e-5)
    assert here.temperature_c is not None and fewer.temperature_c is not None
    assert fewer.temperature_c[1] == pytest.approx(here.temperature_c[4:8].mean())
    assert here.with_most_periods(24) is here


def test_blocks_have_the_mean_of_the_cells_they_cover() -> None:
    values = np.arange(70.0).reshape(7, 10)
    means = on_blocks(values, 3)
    assert means.shape == (3, 4)
    assert means[0, 0] == values[:3, :3].mean() and means[2, 3] == values[6:, 9:].mean()
    np.testing.assert_array_equal(on_blocks(values, 1), values)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"periods_per_day": 5}, "5 periods a day"),
        ({"block": 0}, "blocks of 0 cells"),
        ({"block": 10**310}, "use 1 to 10"),
        ({"block": 4}, "48 × 3 × 4 values, 48 × 2 × 3 are needed"),
        ({"humidity": None}, "temperature of the air alone"),
        ({"humidity": np.full(48, 101.0)}, "humidity has a value out of range"),
        ({"temperature_c": np.full(47, 20.0)}, "temperature has 47 values"),
        ({"speed": np.full((48, 3, 4), np.nan, np.float32)}, "has gaps"),
    ],
)
def test_what_is_no_weather_of_the_event_is_named(changes: dict[str, object], said: str) -> None:
    assert weather().problems((7, 10), 2) == []
    problems = replace(weather(), **changes).problems((7, 10), 2)  # type: ignore[arg-type]
    assert said in " ".join(map(str, problems)) and all(problem.remedy for problem in problems)

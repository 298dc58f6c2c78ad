from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest

from firegui.errors import Problems
from firegui.io.weather.daily import DailyWind, daily_wind

DAYS = [date(2020, 8, day) for day in (19, 20, 21, 22)]


def flat(value: float, **cells: float) -> Any:
    raster = np.full((2, 2), value, np.float32)
    for place, other in cells.items():
        raster[int(place[1]), int(place[2])] = other
    return raster


def wind(eastward: dict[date, Any], northward: dict[date, Any]) -> DailyWind:
    problems = Problems()
    found = daily_wind(eastward, northward, "Bear_2020", problems)
    assert found is not None and not problems
    return found


@pytest.mark.parametrize(
    ("u", "v", "speed", "towards"),
    [(3, 4, 5, np.arctan2(4, 3)), (-2, 0, 2, np.pi), (0, -2, 2, -np.pi / 2), (0, 0, 0, 0)],
)
def test_parts_become_speed_and_direction_towards(u: float, v: float, speed: float, towards: float) -> None:
    found = wind({DAYS[0]: flat(u)}, {DAYS[0]: flat(v)})
    assert found.speed.dtype == found.towards.dtype == np.float32
    assert found.speed == pytest.approx(np.full((1, 2, 2), speed))
    assert found.towards == pytest.approx(np.full((1, 2, 2), towards))
    assert found.notes == ()


def test_a_day_without_wind_takes_that_of_the_day_before_and_is_said() -> None:
    eastward = {DAYS[0]: flat(1), DAYS[2]: flat(-9999), DAYS[3]: flat(4)}
    found = wind(eastward, {day: flat(0) for day in DAYS})
    assert found.first == DAYS[0]
    assert found.speed[:, 0, 0].tolist() == [1.0, 1.0, 1.0, 4.0]
    assert found.notes == ("No wind on 2020-08-20, 2020-08-21: the wind of the day before stands in.",)


def test_days_before_and_after_the_first_and_last_wind_are_not_invented() -> None:
    found = wind({DAYS[1]: flat(2)}, {DAYS[0]: flat(0), DAYS[1]: flat(0), DAYS[3]: flat(0)})
    assert (found.first, len(found.speed)) == (DAYS[1], 1)


def test_cells_without_wind_take_the_mean_of_their_day_and_are_said() -> None:
    found = wind({DAYS[0]: flat(2, c00=-9999, c11=5)}, {DAYS[0]: flat(0, c01=np.nan)})
    assert found.speed[0, 0, 0] == found.speed[0, 0, 1] == pytest.approx(3.5)
    assert found.speed[0, 1].tolist() == [2.0, 5.0]
    assert found.notes == ("No wind in 2 cells of 1 day: the day's mean stands in.",)


@pytest.mark.parametrize("eastward", [{}, {DAYS[0]: flat(-9999)}, {DAYS[1]: flat(1)}])
def test_without_a_day_that_has_both_parts_there_is_no_wind(eastward: dict[date, Any]) -> None:
    problems = Problems()
    assert daily_wind(eastward, {DAYS[0]: flat(0)}, "Bear_2020", problems) is None
    assert ["has no day with wind" in str(problem) for problem in problems] == [True]


def test_a_wind_that_cannot_be_is_refused_with_its_day() -> None:
    problems = Problems()
    assert daily_wind({DAYS[0]: flat(1, c00=-500)}, {DAYS[0]: flat(0)}, "Bear_2020", problems) is None
    assert ["wind of 2020-08-19: is above 100 m/s" in str(problem) for problem in problems] == [True]

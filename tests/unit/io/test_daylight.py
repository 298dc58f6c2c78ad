"""Sun times against published ones."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest

from firegui.domain.calendar import Calendar
from firegui.domain.grid import Grid
from firegui.domain.operations import Daylight
from firegui.io.daylight import dark_steps, flying_windows, sunlight

GOLDEN = (-105.1786, 39.742476)
UTQIAGVIK = (-156.79, 71.29)


def test_the_worked_example_of_the_solar_position_algorithm_is_met_within_two_seconds() -> None:
    # Reda and Andreas, Solar Position Algorithm for Solar Radiation Applications, NREL/TP-560-34302, rev. 2008, Table
    # A5.1: on 17 October 2003 at this place sunrise 06:12:43 and sunset 17:20:19 of the clock at UTC-7. Its times are
    # of the UTC day, on which the sunset is that of the local evening before.
    (_, evening), (morning, _) = sunlight(GOLDEN, date(2003, 10, 16), date(2003, 10, 17))
    assert abs(morning - datetime(2003, 10, 17, 13, 12, 43, tzinfo=UTC)) < timedelta(seconds=2)
    assert abs(evening - datetime(2003, 10, 17, 0, 20, 19, tzinfo=UTC)) < timedelta(seconds=2)


def test_the_polar_day_and_night_begin_when_the_weather_service_says() -> None:
    # Alaska's News Source, 19 November 2020: the sun was up for 34 minutes on the 18th, set at about 1:30 pm and would
    # not rise for two months. The continuous day begins on 10 or 11 May (US National Weather Service).
    spring = list(sunlight(UTQIAGVIK, date(2020, 5, 7), date(2020, 5, 14)))
    assert [down - rise < timedelta(hours=23, minutes=59) for rise, down in spring] == [True] * 3 + [False] * 5
    autumn = list(sunlight(UTQIAGVIK, date(2020, 11, 15), date(2020, 11, 25)))
    assert [rise.date() for rise, _ in autumn] == [date(2020, 11, day) for day in (15, 16, 17, 18)]
    rise, down = autumn[-1]
    assert abs(down - datetime(2020, 11, 18, 22, 30, tzinfo=UTC)) < timedelta(minutes=2)
    assert abs(down - rise - timedelta(minutes=34)) < timedelta(minutes=2)
    assert list(sunlight(UTQIAGVIK, date(2020, 12, 1), date(2021, 1, 10))) == []


def test_a_solar_day_in_the_far_east_and_west_is_one_stretch_around_noon() -> None:
    for longitude in (-179.0, -120.0, 0.0, 151.2, 179.0):
        ((rise, down),) = sunlight((longitude, -33.9), date(2020, 1, 5), date(2020, 1, 5))
        noon = datetime(2020, 1, 5, 12, tzinfo=UTC) - timedelta(hours=longitude / 15.0)
        assert rise < noon < down
        assert timedelta(hours=14) < down - rise < timedelta(hours=15)


def grid_at(easting: float, northing: float, crs: str) -> Grid:
    return Grid(100, 100, 30.0, (30.0, 0.0, easting - 1500.0, 0.0, -30.0, northing + 1500.0), crs)


BEAR = grid_at(-104430.0, 210000.0, "EPSG:3310")  # northern California


def test_steps_are_dark_but_from_the_margin_after_sunrise_to_the_margin_before_sunset() -> None:
    calendar = Calendar(datetime(2020, 8, 19, 7, tzinfo=UTC), 2, 50, -7.0)
    dark = dark_steps(Daylight(30.0, 45.0), BEAR, calendar)
    (begin, end), *_ = (
        window for window in flying_windows(Daylight(30.0, 45.0), BEAR, calendar) if window[1] > calendar.start
    )
    assert begin.astimezone(calendar.local_zone).hour == 6  # the sun rises at about 06:25 there
    light = np.flatnonzero(~dark[:50])
    assert calendar.time_of_step(int(light[0]) - 1) < begin <= calendar.time_of_step(int(light[0]))
    assert calendar.time_of_step(int(light[-1])) <= end < calendar.time_of_step(int(light[-1]) + 1)
    assert np.array_equal(light, np.arange(light[0], light[-1] + 1))
    wider = dark_steps(Daylight(0.0, 0.0), BEAR, calendar)
    assert (~wider).sum() > (~dark).sum()


@pytest.mark.parametrize(("month", "share"), [(6, 1.0), (12, 0.0)])
def test_the_midnight_sun_closes_nothing_and_the_polar_night_everything(month: int, share: float) -> None:
    north = grid_at(500000.0, 7910000.0, "EPSG:32604")
    calendar = Calendar(datetime(2020, month, 15, 9, tzinfo=UTC), 3, 50, -9.0)
    assert (~dark_steps(Daylight(), north, calendar)).mean() == share


def test_an_evening_that_ends_after_midnight_belongs_to_the_day_before() -> None:
    interior_alaska = grid_at(466000.0, 7190000.0, "EPSG:32606")
    calendar = Calendar(datetime(2020, 6, 20, 8, tzinfo=UTC), 2, 50, -8.0)
    dark = dark_steps(Daylight(0.0, 0.0), interior_alaska, calendar)
    assert not dark[0]  # 00:00 local, some 47 minutes before sunset
    assert dark[3]  # 01:26
    assert not dark[10]  # 04:48


def test_a_grid_without_a_place_has_no_window() -> None:
    calendar = Calendar(datetime(2020, 8, 19, 7, tzinfo=UTC), 2, 50, -7.0)
    assert flying_windows(Daylight(), Grid(10, 10, 30.0), calendar) == ()

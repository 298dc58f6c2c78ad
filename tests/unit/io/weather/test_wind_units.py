from __future__ import annotations

import pytest

from firegui.io.weather.conventions import (
    Height,
    North,
    ParsedName,
    Role,
    Sense,
    SpeedUnit,
    TimeBasis,
    WindConventions,
    parse_name,
    speed_unit,
)
from firegui.io.weather.wind import WindSource
from tests.unit.io.weather.weather_files import GRID, mean_wind, read, refused, turned, vector


@pytest.mark.parametrize(
    ("unit", "in_ms"),
    [
        (SpeedUnit.MS, 1.0),
        (SpeedUnit.MPH, 5280 * 12 * 2.54 / 100 / 3600),
        (SpeedUnit.KNOTS, 1852 / 3600),
        (SpeedUnit.KMH, 1000 / 3600),
        (SpeedUnit.FT_MIN, 12 * 2.54 / 100 / 60),
    ],
)
@pytest.mark.parametrize(("height", "factor"), [(Height.M10, 1.0), (Height.FT20, 1.15)])
def test_a_speed_comes_to_metres_per_second_at_10_m(
    unit: SpeedUnit, in_ms: float, height: Height, factor: float
) -> None:
    winds = read(WindSource(17.0, 270.0, conventions=WindConventions(speed_unit=unit, height=height)), 2)
    assert winds.speed.shape == (2, *GRID.shape)
    assert winds.speed == pytest.approx(17.0 * in_ms * factor)
    notes = " ".join(winds.notes)
    assert (f"m/s in one {unit}" in notes) == (unit is not SpeedUnit.MS)
    assert ("Turner and Lawson 1978" in notes) == (height is Height.FT20)


@pytest.mark.parametrize("degrees", [0.0, 45.0, 90.0, 200.0, 270.0, 360.0])
def test_a_wind_blows_away_from_where_it_comes_from_and_towards_where_it_goes(degrees: float) -> None:
    _, expected = mean_wind([vector(3.0, degrees)])
    came = read(WindSource(3.0, degrees))
    assert turned(came.towards, expected).max() < 0.07
    went = read(WindSource(3.0, degrees, conventions=WindConventions(sense=Sense.TOWARDS)))
    assert turned(went.towards, came.towards).min() == pytest.approx(180.0, abs=1e-3)


def test_a_number_needs_a_speed_and_a_direction_that_can_be() -> None:
    assert "is not given" in refused(WindSource())
    assert "its direction is not given" in refused(WindSource(3.0))
    assert "wind speed: 150 m/s" in refused(WindSource(150.0, 0.0))
    assert "wind direction: 400 degrees" in refused(WindSource(1.0, 400.0))
    # 150 mph is 67 m/s.
    assert read(WindSource(150.0, 0.0, conventions=WindConventions(speed_unit=SpeedUnit.MPH))).speed.max() < 70.0
    assert "is asked for on 400 days" in refused(WindSource(1.0, 0.0), 400)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("m s**-1", SpeedUnit.MS), ("m/s", SpeedUnit.MS), ("M s-1", SpeedUnit.MS), ("[m/s]", SpeedUnit.MS),
        ("m s^-1", SpeedUnit.MS), ("meters per second", SpeedUnit.MS), ("mph", SpeedUnit.MPH),
        ("miles/hour", SpeedUnit.MPH), ("kt", SpeedUnit.KNOTS), ("knots", SpeedUnit.KNOTS), ("km/h", SpeedUnit.KMH),
        ("kph", SpeedUnit.KMH), ("ft/min", SpeedUnit.FT_MIN), ("ft min−1", SpeedUnit.FT_MIN), ("Degrees", None),
        ("", None), ("m", None), ("mm", None),
    ],
)  # fmt: skip
def test_units_are_known_by_the_ways_in_which_files_write_them(text: str, unit: SpeedUnit | None) -> None:
    assert speed_unit(text) is unit


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("u10", ParsedName(Role.U, height=Height.M10)),
        ("10v", ParsedName(Role.V, height=Height.M10)),
        ("u_component_of_wind_10m", ParsedName(Role.U, height=Height.M10)),
        ("UGRD_10maboveground", ParsedName(Role.U, height=Height.M10)),
        ("x_wind", ParsedName(Role.U, north=North.GRID)),
        ("ws20ft_mph", ParsedName(Role.SPEED, SpeedUnit.MPH, Height.FT20)),
        ("Wind Speed [km/h]", ParsedName(Role.SPEED, SpeedUnit.KMH)),
        ("wind_speed_10m_ms", ParsedName(Role.SPEED, SpeedUnit.MS, Height.M10)),
        ("ws_10_m_s", ParsedName(Role.SPEED, SpeedUnit.MS, Height.M10)),
        ("sknt", ParsedName(Role.SPEED, SpeedUnit.KNOTS)),
        ("wind_speed_set_1", ParsedName(Role.SPEED)),
        ("wind_from_direction", ParsedName(Role.DIRECTION, sense=Sense.FROM)),
        ("wind_towards_direction", ParsedName(Role.DIRECTION, sense=Sense.TOWARDS)),
        ("Wind Dir (deg true)", ParsedName(Role.DIRECTION)),
        ("time_utc", ParsedName(Role.TIME, clock=TimeBasis.UTC)),
        ("local time", ParsedName(Role.TIME, clock=TimeBasis.LOCAL)),
        ("Longitude", ParsedName(Role.LON)),
        ("wind_gust", None),
        ("peak_wind_speed", None),
        ("u100", None),
        ("temperature", None),
        ("", None),
        (f"{'[' * 500} wind speed", None),
    ],
)
def test_a_name_says_what_a_column_or_a_variable_holds(name: str, says: ParsedName | None) -> None:
    assert parse_name(name) == says

"""Records of fire programs: FARSITE's weather stream and WIMS's fixed columns."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import numpy as np
import pytest

from firegui.io.weather.conventions import Height, SpeedUnit, TimeBasis
from firegui.io.weather.wind import WindSource, survey_wind
from tests.unit.io.weather.weather_files import OFFSET, read, refused, table, turned, vector


def stream(path: Path, units: str = "English", rows: int = 24) -> Path:
    lines = [f"2020 8 19 {100 * hour:04d} {60 + hour} {40 - hour} 0.00 {5 + hour} 225 10" for hour in range(rows)]
    return table(path, f"RAWS_UNITS: {units}", "RAWS_ELEVATION: 2501", f"RAWS: {rows}", *lines)


def record(hour: int, kind: str = "R", moisture: str = "2", units: str = "1", head: str = "W98") -> str:
    cells = [" "] * 75
    for start, text in (
        (1, head), (4, "044701"), (10, "20200819"), (18, f"{100 * hour:04d}"), (22, kind), (24, f"{60 + hour:3d}"),
        (27, f"{40 - hour:3d}"), (30, "225"), (33, f"{5 + hour:3d}"), (62, moisture), (63, units),
    ):  # fmt: skip
        cells[start - 1 : start - 1 + len(text)] = text
    return "".join(cells)


@pytest.mark.parametrize("name", ["a.wxs", "a.input"])
def test_a_weather_stream_is_local_and_in_its_own_units_at_20_ft(tmp_path: Path, name: str) -> None:
    source = WindSource(files=(stream(tmp_path / name),))
    said = survey_wind(source).conventions
    assert (said.speed_unit, said.height, said.clock) == (SpeedUnit.MPH, Height.FT20, TimeBasis.LOCAL)
    weather = read(source).weather
    assert weather is not None and weather.temperature_c is not None and weather.humidity is not None
    assert weather.speed[:, 0, 0] == pytest.approx((5 + np.arange(24)) * 0.44704 * 1.15)
    assert turned(weather.towards[:, 0, 0], np.angle(vector(1.0, 225))).max() < 0.07
    np.testing.assert_allclose(weather.temperature_c, (28 + np.arange(24)) / 1.8)
    np.testing.assert_allclose(weather.humidity, 40 - np.arange(24))


def test_a_metric_stream_is_in_celsius_and_km_h_at_10_m(tmp_path: Path) -> None:
    lines = [f"2020 8 19 {100 * hour} {hour - 1} 40 0 {10 + hour} 225 0" for hour in range(24)]
    weather = read(WindSource(files=(table(tmp_path / "a.wxs", "METRIC", *lines),))).weather
    assert weather is not None and weather.temperature_c is not None
    assert weather.temperature_c[0] == -1.0 and weather.speed[0, 0, 0] == pytest.approx(10 / 3.6)


def test_a_stream_without_units_is_english(tmp_path: Path) -> None:
    path = stream(tmp_path / "a.wxs")
    path.write_text("\r\n".join(path.read_text().splitlines()[1:]))
    assert survey_wind(WindSource(files=(path,))).conventions.speed_unit is SpeedUnit.MPH


@pytest.mark.parametrize("lines", [["ENGLISH", "8 19 0 1 54 0", "8 19 100 2 67 0"], ["8 19 00 600 1500 48 99 94 11 0"]])
def test_records_without_years_are_refused_with_what_to_do(tmp_path: Path, lines: list[str]) -> None:
    said = refused(WindSource(files=(table(tmp_path / "a.wnd", *lines),)))
    assert ("(.wnd, .wtr), whose records have no year" in said and ".wxs" in said) == (lines[0] == "ENGLISH")


def test_a_wind_along_the_slope_is_named(tmp_path: Path) -> None:
    path = stream(tmp_path / "a.wxs", rows=3)
    path.write_text(path.read_text().replace("6 225", "6 -1"))
    assert "line 5 has 'upslope'" in refused(WindSource(files=(path,)))


def test_a_line_of_a_stream_that_is_cut_is_named(tmp_path: Path) -> None:
    path = stream(tmp_path / "a.wxs")
    path.write_text(path.read_text() + "2020 8 20 0000 61\n")
    assert "line 28" in refused(WindSource(files=(path,)))


@pytest.mark.parametrize("head", ["W98", "W13"])
def test_fire_weather_records_are_read_by_their_columns_and_forecasts_are_left_out(tmp_path: Path, head: str) -> None:
    rows = [record(hour, head=head) for hour in range(24)] + [record(23, "F", head=head)]
    rows.insert(5, record(5, "O", head=head))  # as published, beside what the station sent
    weather = read(WindSource(files=(table(tmp_path / "a.fw9", *rows),))).weather
    assert weather is not None and weather.temperature_c is not None and weather.humidity is not None
    assert weather.speed[:, 0, 0] == pytest.approx((5 + np.arange(24)) * 0.44704 * 1.15)
    np.testing.assert_allclose(weather.temperature_c, (28 + np.arange(24)) / 1.8)
    np.testing.assert_allclose(weather.humidity, 40 - np.arange(24))


def test_records_of_one_file_may_be_in_either_unit(tmp_path: Path) -> None:
    rows = [record(0), record(1, units="2"), record(2, units="4", head="W13")]
    rows[1:] = [row[:23] + " 21" + row[26:] for row in rows[1:]]
    weather = read(WindSource(files=(table(tmp_path / "a.fw9", *rows),))).weather
    assert weather is not None and weather.temperature_c is not None
    assert weather.speed[:3, 0, 0] == pytest.approx(np.array([5 * 1.609344, 6, 7]) / 3.6 * 1.15, rel=1e-4)
    np.testing.assert_allclose(weather.temperature_c[:3], [28 / 1.8, 21.0, 21.0], rtol=1e-4)


def test_a_dew_point_gives_the_humidity_and_a_record_without_moisture_none(tmp_path: Path) -> None:
    """At 60 °F a dew point of 40 °F is 47.5 % by the Magnus formula."""
    rows = [record(0, moisture="3"), record(1, moisture=" "), record(2), record(3)]
    weather = read(WindSource(files=(table(tmp_path / "a.fw9", *rows),))).weather
    assert weather is not None and weather.humidity is not None
    assert weather.humidity[:4] == pytest.approx([47.5, 47.5, 38.0, 37.0], abs=0.05)


def test_an_azimuth_of_0_is_no_direction_but_in_a_calm(tmp_path: Path) -> None:
    rows = [record(hour).replace("225", "  0") for hour in range(3)] + [record(3)]
    rows[0] = rows[0][:32] + "  0" + rows[0][35:]
    weather = read(WindSource(files=(table(tmp_path / "a.fw9", *rows),))).weather
    assert weather is not None and weather.speed[0, 0, 0] == 0.0
    assert turned(weather.towards[1:, 0, 0], np.angle(vector(1.0, 225))).max() < 0.07


def test_an_observation_a_day_is_that_of_its_date(tmp_path: Path) -> None:
    rows = [record(13).replace("20200819", f"202008{day}") for day in (19, 20, 21)]
    source = WindSource(files=(table(tmp_path / "a.fw9", *rows),))
    assert survey_wind(source).first_date(OFFSET) == date(2020, 8, 19)
    assert not any("stands in" in note for note in read(source, 3).notes)


@pytest.mark.parametrize(
    ("header", "row", "metres_per_second", "clock"),
    [
        ("HOURLY,HOUR,TEMP,RH,WD,WS,PRECIP", "19/08/2020,{hour},20,30,270,36,0", 10.0, TimeBasis.LOCAL),
        ("Scenario,Date,TEMP,RH,WS,WD,FFMC,DMC", "0,2020-08-19 {hour:02d}:00:00,20,30,36,270,83,53", 10.0, None),
        (
            "StationID,DateTime,Temperature(F),RelativeHumidity(%),WindSpeed(mph),WindAzimuth(degrees),GustSpeed(mph)",
            "44701,2020-08-19T{hour:02d}:00:00-07:00,68,30,10,270,20", 4.4704 * 1.15, None,
        ),
        (
            "Date,Hour of Day (LST),Wind Speed (mph),Wind Direction (Deg),Air Temperature Average (Deg F),RH (%)",
            "08/19/2020,{hour},10,270,68,30", 4.4704, TimeBasis.LOCAL,
        ),
        ("MM,DD,YYYY,HH,MI,TMPF,RELH,SKNT,DRCT", "8,19,2020,{hour},0,68,30,10,270", 1852 / 360, None),
    ],
)  # fmt: skip
def test_tables_of_fire_programs_are_in_their_units(
    tmp_path: Path, header: str, row: str, metres_per_second: float, clock: TimeBasis | None
) -> None:
    source = WindSource(files=(table(tmp_path / "a.csv", header, *[row.format(hour=hour) for hour in range(24)]),))
    survey = survey_wind(source)
    assert (survey.samples, survey.conventions.clock) == (24, clock)
    weather = read(source).weather
    assert weather is not None and weather.temperature_c is not None and weather.humidity is not None
    assert weather.speed == pytest.approx(metres_per_second, rel=1e-6)
    assert turned(weather.towards[:, 0, 0], 0.0).max() < 0.07
    assert weather.temperature_c == pytest.approx(20.0) and weather.humidity == pytest.approx(30.0)


def test_a_wet_bulb_is_no_humidity_and_a_short_record_is_named(tmp_path: Path) -> None:
    wet = read(WindSource(files=(table(tmp_path / "a.fw9", *[record(hour, moisture="1") for hour in range(24)]),)))
    assert wet.weather is not None and not wet.weather.has_air
    path = table(tmp_path / "b.fw9", *[record(hour) for hour in range(23)], record(23)[:30])
    assert "line 24" in refused(WindSource(files=(path,)))

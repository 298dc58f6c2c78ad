"""Records of fire programs: FARSITE's weather stream and WIMS's fixed columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from firegui.io.weather.conventions import Height, SpeedUnit, TimeBasis
from firegui.io.weather.wind import WindSource, survey_wind
from tests.unit.io.weather.weather_files import read, refused, table, turned, vector


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


def test_a_metric_stream_is_in_celsius_and_km_h(tmp_path: Path) -> None:
    lines = [f"2020 8 19 {100 * hour} {10 + hour} 40 0 {10 + hour} 225 0" for hour in range(24)]
    weather = read(WindSource(files=(table(tmp_path / "a.wxs", "METRIC", *lines),))).weather
    assert weather is not None and weather.temperature_c is not None
    assert weather.temperature_c[0] == 10.0 and weather.speed[0, 0, 0] == pytest.approx(10 / 3.6 * 1.15)


def test_a_line_of_a_stream_that_is_cut_is_named(tmp_path: Path) -> None:
    path = stream(tmp_path / "a.wxs")
    path.write_text(path.read_text() + "2020 8 20 0000 61\n")
    assert "line 28" in refused(WindSource(files=(path,)))


@pytest.mark.parametrize("head", ["W98", "W13"])
def test_fire_weather_records_are_read_by_their_columns_and_forecasts_are_left_out(tmp_path: Path, head: str) -> None:
    rows = [record(hour, head=head) for hour in range(24)] + [record(23, "F", head=head)]
    weather = read(WindSource(files=(table(tmp_path / "a.fw9", *rows),))).weather
    assert weather is not None and weather.temperature_c is not None and weather.humidity is not None
    assert weather.speed[:, 0, 0] == pytest.approx((5 + np.arange(24)) * 0.44704 * 1.15)
    np.testing.assert_allclose(weather.temperature_c, (28 + np.arange(24)) / 1.8)
    np.testing.assert_allclose(weather.humidity, 40 - np.arange(24))


def test_a_wet_bulb_is_no_humidity_and_a_short_record_is_named(tmp_path: Path) -> None:
    wet = read(WindSource(files=(table(tmp_path / "a.fw9", *[record(hour, moisture="1") for hour in range(24)]),)))
    assert wet.weather is not None and not wet.weather.has_air
    path = table(tmp_path / "b.fw9", *[record(hour) for hour in range(23)], record(23)[:30])
    assert "line 24" in refused(WindSource(files=(path,)))

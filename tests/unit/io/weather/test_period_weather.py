from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.grid import Grid
from firegui.domain.weather import PeriodWeather, on_blocks
from firegui.io.georeference import Georeference
from firegui.io.weather import period_stack
from firegui.io.weather.air_names import AirPart, parse_air
from firegui.io.weather.conventions import SpeedUnit, WindConventions
from firegui.io.weather.wind import WindSource
from tests.unit.io.weather.weather_files import GRID, START, read, refused, table, tiff, turned, vector


def written(path: Path, header: str, rows: list[str], first: datetime = START, step_h: float = 1.0) -> Path:
    times = [first + timedelta(hours=step_h * n) for n in range(len(rows))]
    return table(
        path, f"time_utc,{header}", *[f"{time:%Y-%m-%d %H:%M},{row}" for time, row in zip(times, rows, strict=True)]
    )


def weather_of(path: Path) -> PeriodWeather:
    weather = read(WindSource(files=(path,))).weather
    assert weather is not None
    assert weather.problems(GRID.shape, weather.days) == []
    return weather


def test_every_hour_of_a_table_is_kept_beside_the_mean_of_its_day(tmp_path: Path) -> None:
    rows = [f"{1 + n % 7},{n * 11 % 360}" for n in range(48)]
    weather = weather_of(written(tmp_path / "w.csv", "wind_speed_ms,dir_from", rows))
    assert (weather.periods_per_day, weather.days, weather.has_air) == (24, 2, False)
    assert weather.block == 8 and weather.speed.shape == (48, 1, 1)  # one wind for the whole raster
    assert weather.speed[:, 0, 0] == pytest.approx([1 + n % 7 for n in range(48)])
    wanted = [np.angle(vector(1.0, n * 11 % 360)) for n in range(48)]
    assert turned(weather.towards[:, 0, 0], wanted).max() < 0.07


@pytest.mark.parametrize(("step_h", "periods"), [(0.5, 24), (3.0, 8), (6.0, 4), (5.0, 4)])
def test_the_periods_follow_from_the_time_between_samples(tmp_path: Path, step_h: float, periods: int) -> None:
    rows = [f"{n + 1},90" for n in range(round(24 / step_h))]
    weather = weather_of(written(tmp_path / "w.csv", "wind_speed_ms,dir_from", rows, step_h=step_h))
    assert weather.periods_per_day == periods
    if step_h == 0.5:
        assert weather.speed[:3, 0, 0] == pytest.approx([1.5, 3.5, 5.5])


def test_daily_winds_have_no_periods(tmp_path: Path) -> None:
    path = written(tmp_path / "w.csv", "wind_speed_ms,dir_from", ["3,90", "4,90", "5,90"], step_h=24.0)
    assert read(WindSource(files=(path,))).weather is None


def test_an_hour_without_a_wind_has_that_of_the_hour_before_and_it_is_said(tmp_path: Path) -> None:
    lines = [f"{START + timedelta(hours=n):%Y-%m-%d %H:%M},{n + 1},90" for n in range(24) if n not in (0, 5, 6)]
    winds = read(WindSource(files=(table(tmp_path / "w.csv", "time_utc,wind_speed_ms,dir_from", *lines),)))
    assert winds.weather is not None
    assert winds.weather.speed[:8, 0, 0] == pytest.approx([2, 2, 3, 4, 5, 5, 5, 8])
    assert "3 of its 24 periods have no wind" in " ".join(winds.notes)


def test_after_the_last_hour_the_hours_of_the_day_before_go_on(tmp_path: Path) -> None:
    rows = [f"{hour % 24 + 1},270,{hour % 24},50" for hour in range(30)]
    path = written(tmp_path / "w.csv", "wind_speed_ms,wind_from,temp_c,rh", rows)
    winds = read(WindSource(files=(path,)), 3)
    assert winds.until == START + timedelta(hours=30)
    weather = winds.weather
    assert weather is not None and weather.temperature_c is not None
    assert weather.speed[:, 0, 0].tolist() == [hour % 24 + 1 for hour in range(72)]
    assert weather.temperature_c.tolist() == [hour % 24 for hour in range(72)]
    assert any("42 of its 72 periods have no wind" in note for note in winds.notes)


def test_before_the_first_hour_those_of_the_next_day_stand_in_where_there_is_one(tmp_path: Path) -> None:
    rows = [f"{hour % 24 + 1},270" for hour in range(20, 48)]
    path = written(tmp_path / "w.csv", "wind_speed_ms,wind_from", rows, START + timedelta(hours=20))
    weather = read(WindSource(files=(path,)), 2).weather
    assert weather is not None and weather.speed[:20, 0, 0].tolist() == list(range(1, 21))
    path = written(tmp_path / "w.csv", "wind_speed_ms,wind_from", rows[:2], START + timedelta(hours=20))
    weather = read(WindSource(files=(path,)), 1).weather
    assert weather is not None and weather.speed[:, 0, 0].tolist() == [21.0] * 21 + [22.0] * 3


@pytest.mark.parametrize(("step_h", "until"), [(24.0, 72), (3.0, 9)])
def test_weather_lasts_until_its_last_sample_ends(tmp_path: Path, step_h: float, until: int) -> None:
    path = written(tmp_path / "w.csv", "wind_speed_ms,wind_from", ["3,270"] * 3, START, step_h)
    assert read(WindSource(files=(path,)), 3).until == START + timedelta(hours=until)


def test_rasters_are_kept_on_blocks_that_are_no_larger_than_need_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = Grid(60, 80, 30.0, (30.0, 0.0, 500_000.0, 0.0, -30.0, 4_400_000.0), "EPSG:32610")
    column = np.broadcast_to(np.arange(80.0), (24, 60, 80)).copy()
    files = (
        tiff(tmp_path / "ws.tif", column, grid, unit="m/s"),
        tiff(tmp_path / "wd.tif", np.full((24, 60, 80), 270.0), grid),
    )
    source = WindSource(files=files, conventions=WindConventions(speed_unit=SpeedUnit.MS), first=START, step_h=1.0)
    fine = read(source, 1, grid).weather
    assert fine is not None and fine.block == 8 and fine.speed.shape == (24, 8, 10)
    np.testing.assert_allclose(fine.speed[0, 0], np.arange(10) * 8 + 3.5, rtol=1e-6)
    monkeypatch.setattr(period_stack, "MOST_VALUES", 500)
    coarse = read(source, 1, grid).weather
    assert coarse is not None and coarse.block == 16


@pytest.mark.parametrize(("cell", "tolerance"), [(300.0, 0.02), (60.0, 1e-5)])
def test_the_wind_of_a_block_is_the_mean_of_its_cells(tmp_path: Path, cell: float, tolerance: float) -> None:
    grid = Grid(61, 83, 30.0, (30.0, 0.0, 500_000.0, 0.0, -30.0, 4_400_000.0), "EPSG:32610")
    shape = round(1_800.0 / cell) + 2, round(2_400.0 / cell) + 2
    source_grid = Grid(*shape, cell, (cell, 0.0, 500_000.0 - cell, 0.0, -cell, 4_400_000.0 + cell), "EPSG:32610")
    rng = np.random.default_rng(0)
    speed, angle = rng.uniform(5.0, 7.0, shape), rng.uniform(230.0, 250.0, shape)
    files = (
        tiff(tmp_path / "ws.tif", np.broadcast_to(speed, (24, *shape)).copy(), source_grid, unit="m/s"),
        tiff(tmp_path / "wd.tif", np.broadcast_to(angle, (24, *shape)).copy(), source_grid),
    )
    source = WindSource(files=files, conventions=WindConventions(speed_unit=SpeedUnit.MS), first=START, step_h=1.0)
    winds = read(source, 1, grid)
    assert winds.weather is not None and winds.weather.block == 8
    # All hours are alike, so the wind of the day is that of each hour in every cell.
    wanted = on_blocks(winds.speed[0], 8)
    np.testing.assert_allclose(winds.weather.speed[7], wanted, rtol=tolerance)
    means = [on_blocks(part(winds.towards[0]), 8) for part in (np.sin, np.cos)]
    assert turned(winds.weather.towards[7], np.arctan2(*means)).max() < max(75.0 * tolerance, 0.01)


def test_the_wind_of_a_block_around_a_station_is_the_mean_of_its_cells(tmp_path: Path) -> None:
    grid = Grid(61, 83, 30.0, (30.0, 0.0, 500_000.0, 0.0, -30.0, 4_400_000.0), "EPSG:32610")
    place = Georeference(grid)
    first, second = place.lonlat(30.0, 37.0), place.lonlat(30.0, 45.0)
    assert first is not None and second is not None
    at = {"a": (first, 15), "b": (second, 2)}
    hours = [f"{START + timedelta(hours=n):%Y-%m-%d %H:%M}" for n in range(24)]
    rows = [f"{name},{lon},{lat},{hour},{speed},270" for hour in hours for name, ((lon, lat), speed) in at.items()]
    path = table(tmp_path / "w.csv", "station,lon,lat,time,speed_ms,dir_from", *rows)
    winds = read(WindSource(files=(path,)), 1, grid)
    assert winds.weather is not None and winds.weather.block == 8
    np.testing.assert_allclose(winds.weather.speed[7], on_blocks(winds.speed[0], 8), rtol=1e-4)


def test_temperature_and_humidity_are_kept_in_celsius_and_percent(tmp_path: Path) -> None:
    rows = [f"3,90,{50 + n},{20 + n}" for n in range(24)]
    path = written(tmp_path / "w.csv", "wind_speed_ms,dir_from,air_temp_f,RH (%)", rows)
    winds = read(WindSource(files=(path,)))
    weather = winds.weather
    assert weather is not None and weather.temperature_c is not None and weather.humidity is not None
    np.testing.assert_allclose(weather.temperature_c, (18.0 + np.arange(24)) / 1.8)
    np.testing.assert_array_equal(weather.humidity, 20.0 + np.arange(24))
    notes = " ".join(winds.notes)
    assert "converted from °F" in notes and "with temperature and humidity" in notes


def test_a_temperature_without_a_unit_is_in_kelvin_where_it_can_be_nothing_else(tmp_path: Path) -> None:
    path = written(tmp_path / "w.csv", "wind_speed_ms,dir_from,temperature,rh", ["3,90,293.15,20"] * 24)
    winds = read(WindSource(files=(path,)))
    assert winds.weather is not None and winds.weather.temperature_c is not None
    np.testing.assert_allclose(winds.weather.temperature_c, 20.0)
    assert "temperature names no unit: K was taken." in " ".join(winds.notes)


def test_without_humidity_there_is_no_air_and_it_is_said(tmp_path: Path) -> None:
    path = written(tmp_path / "w.csv", "wind_speed_ms,dir_from,temperature_c", ["3,90,20"] * 24)
    winds = read(WindSource(files=(path,)))
    assert winds.weather is not None and not winds.weather.has_air
    assert "no humidity of the air" in " ".join(winds.notes)


@pytest.mark.parametrize(("cell", "said"), [("120", "humidity of 120 %"), ("dry", "'dry'")])
def test_a_humidity_that_cannot_be_is_refused_with_its_line(tmp_path: Path, cell: str, said: str) -> None:
    rows = ["3,90,20,30"] * 5 + [f"3,90,20,{cell}"] + ["3,90,20,30"] * 18
    found = refused(WindSource(files=(written(tmp_path / "w.csv", "wind_speed_ms,dir_from,temp_c,rh", rows),)))
    assert said in found and "line 7" in found


@pytest.mark.parametrize(
    ("title", "unit", "role", "meant"),
    [
        ("air_temp_set_1", "Celsius", AirPart.TEMPERATURE, "C"),
        ("relative_humidity_set_1", "%", AirPart.HUMIDITY, ""),
        ("Temperature (F)", "", AirPart.TEMPERATURE, "F"),
        ("tmpf", "", AirPart.TEMPERATURE, "F"),
        ("relh", "", AirPart.HUMIDITY, ""),
        ("t2m", "K", AirPart.TEMPERATURE, "K"),
        ("TEMP", "", AirPart.TEMPERATURE, ""),
        ("RelHum", "", AirPart.HUMIDITY, ""),
    ],
)
def test_titles_of_weather_services_are_known(title: str, unit: str, role: AirPart, meant: str) -> None:
    found = parse_air(title, unit)
    assert found is not None and (found.role, found.unit) == (role, meant)


@pytest.mark.parametrize(
    "title", ["dew_point_temperature", "fuel_temp", "max temperature", "wind_speed", "time", "humidity max"]
)
def test_other_columns_are_left_out(title: str) -> None:
    assert parse_air(title) is None

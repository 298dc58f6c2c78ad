from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from firegui.errors import CancelledError, Problems
from firegui.io.georeference import Georeference
from firegui.io.weather.conventions import (
    Components,
    Height,
    Role,
    Sense,
    SpeedUnit,
    TimeBasis,
    WindConventions,
    parse_name,
)
from firegui.io.weather.wind import WindSource, read_wind, survey_wind
from tests.support import stop
from tests.unit.io.builders import UNPLACED
from tests.unit.io.weather.weather_files import GRID, OFFSET, START, mean_wind, read, refused, table, turned, vector


def hourly(
    path: Path, rows: list[tuple[float, float]], first: datetime, header: str = "time_utc,speed_mph,dir_from"
) -> Path:
    lines = [f"{first + timedelta(hours=n):%Y-%m-%d %H:%M},{s:g},{d:g}" for n, (s, d) in enumerate(rows)]
    return table(path, header, *lines)


def test_the_hours_of_a_day_become_its_mean_speed_and_the_direction_of_its_mean_vector(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [(s / 8, d / 2) for s, d in zip(rng.integers(1, 240, 48), rng.integers(0, 720, 48), strict=True)]
    winds = read(WindSource(files=(hourly(tmp_path / "w.csv", rows, START),)))
    assert winds.speed.shape == (2, *GRID.shape)
    for day in range(2):
        speed, towards = mean_wind([vector(s * 0.44704, d) for s, d in rows[24 * day : 24 * day + 24]])
        assert winds.speed[day] == pytest.approx(speed, rel=1e-6)
        assert turned(winds.towards[day], towards).max() < 0.07
    notes = " ".join(winds.notes)
    assert "every hour" in notes and "mean of its speeds" in notes and "one wind a day" in notes
    assert "0.44704" in notes
    assert winds.course.times[0] == START and len(winds.course.times) == 48
    assert winds.course.mean_speed == pytest.approx([s * 0.44704 for s, _ in rows])
    assert turned(np.radians(winds.course.mean_from), np.radians([d for _, d in rows])).max() < 1e-6


def test_days_are_those_of_the_event_and_not_of_utc(tmp_path: Path) -> None:
    """Local midnight is 07:00 UTC: what blows before belongs to no day, and the closing hour makes none of its own."""
    rows = [(1.0, 0.0)] * 7 + [(10.0, 90.0)] * 24 + [(50.0, 180.0)]
    path = hourly(tmp_path / "w.csv", rows, START - timedelta(hours=7), "time_utc,wind_speed_ms,dir_from")
    winds = read(WindSource(files=(path,)))
    assert winds.speed.shape[0] == 1
    assert winds.speed == pytest.approx(10.0)
    local = read(WindSource(files=(path,), conventions=WindConventions(clock=TimeBasis.UTC)), 2)
    assert local.speed[1] == pytest.approx(50.0)
    assert any("Days of which the file has a part only: 2020-08-20 (1 of 24)" in note for note in local.notes)


def test_local_times_are_read_at_the_fire(tmp_path: Path) -> None:
    first = datetime(2020, 8, 19)
    path = hourly(tmp_path / "w.csv", [(10.0, 90.0)] * 24 + [(20.0, 90.0)] * 24, first, "time,speed_ms,dir_from")
    winds = read(WindSource(files=(path,), conventions=WindConventions(clock=TimeBasis.LOCAL)))
    assert winds.speed[:, 0, 0] == pytest.approx([10.0, 20.0])
    assert any("local at the fire" in note for note in winds.notes)
    utc = read(WindSource(files=(path,)))
    assert utc.speed[0, 0, 0] == pytest.approx((17 * 10 + 7 * 20) / 24)
    assert any("no offset and are read as UTC" in note for note in utc.notes)


def test_offsets_in_the_times_win(tmp_path: Path) -> None:
    path = table(tmp_path / "w.csv", "time,speed_ms,dir_from", *[
        f"2020-08-19T{hour:02d}:00-07:00,{5 + hour % 2},270" for hour in range(24)
    ])  # fmt: skip
    winds = read(WindSource(files=(path,), conventions=WindConventions(clock=TimeBasis.UTC)))
    assert winds.speed == pytest.approx(np.full((1, *GRID.shape), 5.5))


def test_daily_rows_stand_for_local_days(tmp_path: Path) -> None:
    path = table(tmp_path / "w.csv", "Date;Wind Speed (km/h);Wind From", "2020-08-19;36;270", "2020-08-20;18,0;0")
    source = WindSource(files=(path,))
    winds = read(source)
    assert winds.speed[:, 2, 3] == pytest.approx([10.0, 5.0])
    assert turned(winds.towards[:, 2, 3], [0.0, -np.pi / 2]).max() < 0.07
    survey = survey_wind(source)
    assert survey.first_date(OFFSET) == date(2020, 8, 19)
    assert survey.days_from(START, OFFSET) == 2
    assert not survey.problems and survey.conventions.speed_unit is SpeedUnit.KMH


def test_u_and_v_towards_east_and_north(tmp_path: Path) -> None:
    path = table(tmp_path / "w.csv", "date,u_ms,v_ms", "2020-08-19,3,-4")
    winds = read(WindSource(files=(path,)))
    assert winds.speed == pytest.approx(5.0)
    assert turned(winds.towards, np.arctan2(-4, 3)).max() < 0.07


def test_what_is_said_goes_before_the_file_and_what_neither_says_is_guessed_with_a_note(tmp_path: Path) -> None:
    path = table(tmp_path / "w.csv", "date,ws,wd", "2020-08-19,10,180")
    guessed = survey_wind(WindSource(files=(path,)))
    notes = " ".join(guessed.notes)
    assert guessed.conventions.speed_unit is SpeedUnit.MS and "unit is not said: m/s is assumed" in notes
    assert guessed.conventions.height is Height.M10 and "height is not said: 10 m is assumed" in notes
    assert guessed.conventions.sense is Sense.FROM and "taken for where the wind blows from" in notes
    told = WindConventions(Components.SPEED_DIRECTION, SpeedUnit.KNOTS, Height.FT20, Sense.TOWARDS)
    winds = read(WindSource(files=(path,), conventions=told))
    assert winds.speed == pytest.approx(10 * 1852 / 3600 * 1.15)
    assert turned(winds.towards, -np.pi / 2).max() < 0.07
    strong = table(tmp_path / "s.csv", "date,ws,wd", "2020-08-19,55,180")
    survey = survey_wind(WindSource(files=(strong,)))
    assert survey.conventions.speed_unit is SpeedUnit.MPH and any("mph is assumed" in note for note in survey.notes)


def test_between_stations_the_wind_is_weighted_by_the_inverse_square_of_the_distance(tmp_path: Path) -> None:
    place = Georeference(GRID)
    at = [(0.0, 0.0), (5.0, 7.0)]
    lonlat = [place.lonlat(*where) for where in at]
    rows = [f"{name},{where[0]:.9f},{where[1]:.9f},2020-08-19T12:00-07:00,{speed},{angle}"
            for name, where, speed, angle in zip("ab", lonlat, (4, 8), (270, 180), strict=True) if where]  # fmt: skip
    winds = read(WindSource(files=(table(tmp_path / "w.csv", "station,lon,lat,time,speed_ms,dir_from", *rows),)), 1)
    y, x = 2, 5
    weights = np.array([1 / ((y - a) ** 2 + (x - b) ** 2) for a, b in at])
    weights /= weights.sum()
    both = weights @ np.array([vector(4, 270), vector(8, 180)])
    assert winds.speed[0, y, x] == pytest.approx(weights @ np.array([4.0, 8.0]), rel=1e-4)
    assert turned(winds.towards[0, y, x], np.angle(both)) < 0.07
    assert winds.speed[0, 0, 0] == pytest.approx(4.0, rel=1e-4)
    assert any("inverse square of the distance" in note for note in winds.notes)


def test_a_station_that_fails_for_an_hour_takes_no_part_in_it(tmp_path: Path) -> None:
    place = Georeference(GRID)
    west, east = place.lonlat(3.0, 0.0), place.lonlat(3.0, 7.0)
    assert west is not None and east is not None
    rows = [f"a,{west[0]},{west[1]},2020-08-19T08:{m:02d}-07:00,{s},270" for m, s in ((10, 4), (50, ""))]
    rows += [f"b,{east[0]},{east[1]},2020-08-19T08:{m:02d}-07:00,8,270" for m in (20, 55)]
    path = table(tmp_path / "w.csv", "station,lon,lat,time,speed_ms,dir_from", *rows)
    winds = read(WindSource(files=(path,)), 1)
    assert winds.speed[0, 3, 0] == pytest.approx(4.0, rel=1e-4)
    assert winds.speed[0, 3, 7] == pytest.approx(8.0, rel=1e-4)
    assert any("No wind in 5 of 8 values of the file" in note for note in winds.notes)


def test_the_place_of_one_station_may_stand_in_comments_and_units_in_a_second_line(tmp_path: Path) -> None:
    """As the weather services' downloads do it."""
    path = table(
        tmp_path / "KSTS.csv", "# STATION: KSTS", "# LATITUDE: 39.72", "# LONGITUDE: -122.95",
        "Station_ID,Date_Time,wind_speed_set_1,wind_direction_set_1,wind_gust_set_1",
        ",,m/s,Degrees,m/s",
        "KSTS,2020-08-19T07:00:00Z,2.0,90,", "KSTS,2020-08-19T08:00:00Z,4.0,90,9.9", "KSTS,2020-08-19T09:00:00Z,0.0,,",
    )  # fmt: skip
    winds = read(WindSource(files=(path,)), 1)
    assert winds.speed == pytest.approx(2.0)
    notes = " ".join(winds.notes)
    assert "One station stands for the whole raster" in notes and "unit is not said" not in notes


@pytest.mark.parametrize(
    "lines",
    [
        ("year,month,day,hour,speed_ms,dir_from", "2020,8,19,10,5,270", "2020,8,19,11,5,270"),
        ("Date,Hour,speed_ms,dir_from", "2020-08-19,1000,5,270", "2020-08-19,1100,5,270"),
        ("Date\tTime\tspeed_ms\tdir_from", "8/19/2020\t10:00 AM\t5\t270", "8/19/2020\t11:00 AM\t5\t270"),
        ("valid,drct,sknt", "2020-08-19 17:53,270,9.7192224", "2020-08-19 18:53,270,9.7192224"),
        ("Date_Time,wind_speed_ms,wind_direction", "08/19/2020 10:53 PDT,5,270", "08/19/2020 11:53 PDT,5,270"),
    ],
)
def test_times_are_recognised_in_the_forms_that_services_write(tmp_path: Path, lines: tuple[str, ...]) -> None:
    assert read(WindSource(files=(table(tmp_path / "w.csv", *lines),)), 1).speed == pytest.approx(5.0, rel=1e-6)


def test_a_table_as_fire_weather_programs_and_spreadsheets_write_it(tmp_path: Path) -> None:
    fw21 = table(
        tmp_path / "fw21.csv",
        "StationID,DateTime,Temperature(F),WindSpeed(mph),WindAzimuth(degrees),GustSpeed(mph),GustAzimuth(degrees)",
        *(f"41302,2020-08-19T{hour:02d}:00:00-07:00,80,10,290,30,270" for hour in range(24)),
    )
    found = survey_wind(WindSource(files=(fw21,)))
    assert not found.problems and found.conventions.speed_unit is SpeedUnit.MPH and found.samples == 24
    wide = tmp_path / "wide.txt"
    wide.write_bytes(fw21.read_text().replace(",", "\t").encode("utf-16"))
    assert survey_wind(WindSource(files=(wide,))).speed_range == found.speed_range


def test_an_hour_that_clocks_repeat_is_refused_with_what_helps(tmp_path: Path) -> None:
    rows = [f"2020-11-01 {hour:02d}:00,5,180" for hour in (0, 1, 1, 2)]
    (problem,) = survey_wind(WindSource(files=(table(tmp_path / "w.csv", "time_local,speed_ms,dir", *rows),))).problems
    assert "line 4 (2020-11-01 01:00) is the same time as line 3" in problem.what
    assert "where clocks were put back, write times in UTC or with their offset" in problem.remedy
    zones = [f"2020-11-01 {time},5,180" for time in ("00:00 PDT", "01:00 PDT", "01:00 PST", "02:00 PST")]
    found = survey_wind(WindSource(files=(table(tmp_path / "z.csv", "time,speed_ms,dir", *zones),)))
    assert not found.problems and found.step_h == 1.0


def test_a_table_without_times_takes_the_first_time_and_the_step_that_are_given(tmp_path: Path) -> None:
    path = table(tmp_path / "w.csv", "speed_ms,dir_from", *[f"{n},270" for n in range(8)])
    assert "nothing says how far apart they are" in refused(WindSource(files=(path,)))
    winds = read(WindSource(files=(path,), first=START, step_h=6.0))
    assert winds.speed[:, 0, 0] == pytest.approx([1.5, 5.5])
    later = read(WindSource(files=(path,), first=START + timedelta(hours=12), step_h=6.0))
    assert later.speed[:, 0, 0] == pytest.approx([0.5, 3.5, 6.5])
    assert any("part only: 2020-08-19 (2 of 4), 2020-08-21 (2 of 4)" in note for note in later.notes)
    naive = read(
        WindSource(
            files=(path,), first=datetime(2020, 8, 19), step_h=6.0, conventions=WindConventions(clock=TimeBasis.LOCAL)
        )
    )
    assert naive.speed[:, 0, 0] == pytest.approx([1.5, 5.5])
    one = table(tmp_path / "one.csv", "speed_ms,dir_from", "4,270")
    assert read(WindSource(files=(one,)), 3).speed == pytest.approx(4.0)


def test_days_without_wind_are_named_and_take_that_of_the_day_before_or_after(tmp_path: Path) -> None:
    path = table(tmp_path / "w.csv", "date,speed_ms,dir_from", "2020-08-20,1,0", "2020-08-22,3,0", "2020-08-23,,")
    winds = read(WindSource(files=(path,)), 6)
    assert winds.speed[:, 0, 0] == pytest.approx([1, 1, 1, 3, 3, 3])
    notes = " ".join(winds.notes)
    assert "No wind on 2020-08-21, 2020-08-23, 2020-08-24: the wind of the day before stands in." in notes
    assert "No wind on 2020-08-19: the wind of the day after stands in." in notes


def test_a_wind_of_other_days_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "w.csv", "date,speed_ms,dir_from", "2019-08-20,1,0", "2019-08-21,1,0")
    assert "is of 2019-08-20" in refused(WindSource(files=(path,)), 3)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("time,ws_ms,dir", "2020-08-19 02:00,1,0", "2020-08-19 01:00,1,0"), "line 3 (2020-08-19 01:00) comes before"),
        (("time,ws_ms,dir", "2020-08-19 01:00,1,0", "2020-08-19 01:00,1,0"), "line 3 (2020-08-19 01:00) is the same"),
        (("time,speed_ms,dir_from", "2020-08-19 01:00,abc,0"), "line 2 has 'abc': not a number"),
        (("time,speed_ms,dir_from", "gestern,1,0"), "line 2 has 'gestern': not a time"),
        (("time,speed_ms,dir_from", "08/09/2020,1,0", "08/10/2020,1,0"), "order of day and month is open"),
        (("time,speed_ms,dir_from", "2020-08-19 01:00,1"), "has 3 columns in its header, but not in line 2"),
        (("time,speed_ms,dir_from", "2020-08-19 01:00,-1,0"), "has a speed of -1"),
        (("time,speed_ms,dir_from", "2020-08-19 01:00,1,999"), "has a direction of 999"),
        (("time,speed_ms,dir_from", "2020-08-19 01:00,400,9"), "has a wind of 400 m/s"),
        (("time,speed_ms,dir_from", "2020-08-19 01:00,nan,9"), "every value that was looked at is no data"),
        (("time,speed_ms,dir_from", "2020-08-19 01:00,inf,9"), "line 2 has 'inf': not a number"),
        (("time,wind_furlongs", "2020-08-19 01:00,20"), "that are recognised (columns: time, wind_furlongs)"),
        (("time,speed_ms,speed_mph,dir", "2020-08-19 01:00,1,2,3"), "holds speed twice (speed_ms, speed_mph)"),
        (("time,speed_ms,dir_from",), "holds no rows"),
        (("Station_ID,Date_Time,wind_speed_set_1,wind_direction_set_1", ",,m/s,Degrees"), "holds no rows"),
        (("station,time,ws_ms,dir", "a,2020-08-19 01:00,1,0", "b,2020-08-19 02:00,1,0"), "2 stations (a, b) without"),
        (("lon,lat,time,speed_ms,dir", "-122,95,2020-08-19 01:00,1,0"), "not on the Earth"),
        (("lon,lat,time,speed_ms,dir", "38.6,-122.6,2020-08-19 01:00,1,0"), "not on the Earth"),
        (("lon,lat,time,speed_ms,dir", "122.9,39.7,2020-08-19 01:00,1,0"), "km from the raster"),
        (("time,speed_ms,dir", "2020-08-19T01:00Z,1,0", "2020-08-19T02:00,1,0"), "has no offset from UTC"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_table_is_named_with_its_line(tmp_path: Path, lines: tuple[str, ...], said: str) -> None:
    path = table(tmp_path / "wind mit Käse.csv", *lines)
    assert said in refused(WindSource(files=(path,)), 1)
    survey = survey_wind(WindSource(files=(path,)))
    if "km from" not in said:
        assert any(said in str(problem) for problem in survey.problems)


def test_stations_need_layers_with_a_place(tmp_path: Path) -> None:
    path = table(tmp_path / "w.csv", "lon,lat,date,speed_ms,dir", "-123,39.7,2020-08-19,1,0")
    assert "the layers have none" in refused(WindSource(files=(path,)), 1, UNPLACED)


def test_a_file_that_is_no_wind_is_named_for_what_it_is(tmp_path: Path) -> None:
    for name, data, said in (
        ("a.csv", b"PK\x03\x04zip", "zip archive"), ("b.nc", b"GRIB....", "GRIB file"),
        ("c.tif", b"\0\0\1\2" * 9, "is not a table"), ("d.csv", b"", "is empty"),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(data)
        assert said in refused(WindSource(files=(tmp_path / name,)))
    assert "does not exist" in refused(WindSource(files=(tmp_path / "none.csv",)))
    assert "is a folder" in refused(WindSource(files=(tmp_path,)))
    assert "as a file and as a number" in refused(WindSource(1.0, 2.0, (tmp_path / "a.csv",)))


def test_reading_stops_when_it_is_told_to(tmp_path: Path) -> None:
    path = hourly(tmp_path / "w.csv", [(1.0, 0.0)] * 30, datetime(2020, 8, 19, 7, tzinfo=UTC))
    with pytest.raises(CancelledError):
        read_wind(WindSource(files=(path,)), GRID, START, OFFSET, 1, Problems(), stop)


def test_a_table_that_is_none_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(b"a\n" * 3_000_000)
    assert "holds 3,000,000 rows" in refused(WindSource(files=(tmp_path / "rows.csv",)))
    (tmp_path / "line.csv").write_bytes(b"a," * 3_000_000)
    assert "a line of 6,000,000 letters" in refused(WindSource(files=(tmp_path / "line.csv",)))


@pytest.mark.parametrize(
    ("title", "unit"),
    [
        ("Wind Speed km/h", SpeedUnit.KMH), ("WSPD mi/hr", SpeedUnit.MPH), ("wind_speed_kmhr", SpeedUnit.KMH),
        ("WindSpeedMph", SpeedUnit.MPH), ("windspeedkmh", SpeedUnit.KMH), ("Wind speed mi/h", SpeedUnit.MPH),
        ("SpeedKMH", SpeedUnit.KMH), ("speed in mph", SpeedUnit.MPH), ("wind (km/h)", SpeedUnit.KMH),
    ],
)  # fmt: skip
def test_the_unit_of_a_speed_is_read_from_its_title(title: str, unit: SpeedUnit) -> None:
    found = parse_name(title)
    assert found is not None and (found.role, found.unit) == (Role.SPEED, unit)


@pytest.mark.parametrize("title", ["wind_deg", "wind_degree", "Wind (°)", "WIND DEGREES", "Wind (deg true)"])
def test_a_wind_in_degrees_is_a_direction(tmp_path: Path, title: str) -> None:
    rows = [f"2020-08-19 {hour:02d}:00,4,270" for hour in range(7, 24)]
    source = WindSource(files=(table(tmp_path / "w.csv", f"time,wind_speed,{title}", *rows),))
    assert turned(read(source).towards, 0.0).max() < 0.07
    found = parse_name(title)
    assert found is not None and found.role is Role.DIRECTION


def test_a_unit_before_the_height_is_read_and_gusts_are_no_wind() -> None:
    found = parse_name("WIND SPEED MPH 20FT")
    assert found is not None and (found.unit, found.height) == (SpeedUnit.MPH, Height.FT20)
    assert parse_name("HourlyWindGustSpeed") is None and parse_name("max wind speed mph") is None


@pytest.mark.parametrize("title", ["HOURLY", "HOUR", "Hour"])
def test_the_hour_of_a_date_may_have_a_column_of_its_own(tmp_path: Path, title: str) -> None:
    rows = [f"20200819,{100 * hour:04d},{hour + 1},270" for hour in range(7, 24)]
    winds = read(WindSource(files=(table(tmp_path / "w.csv", f"DATE,{title},speed_ms,dir_from", *rows),)))
    assert winds.weather is not None and winds.weather.speed[3, 0, 0] == 11.0


def test_the_titles_of_noaas_local_climatological_data_are_known(tmp_path: Path) -> None:
    header = "STATION,DATE,HourlyWindSpeed,HourlyWindDirection,HourlyDryBulbTemperature,HourlyRelativeHumidity"
    rows = [f"724957,2020-08-19T{hour:02d}:00:00,{hour},270,{60 + hour},30" for hour in range(7, 24)]
    source = WindSource(files=(table(tmp_path / "w.csv", header, *rows),))
    assert survey_wind(source).conventions.clock is TimeBasis.LOCAL
    weather = read(source).weather
    assert weather is not None and weather.temperature_c is not None and weather.humidity is not None
    assert weather.temperature_c[9] == pytest.approx((69 - 32) / 1.8) and weather.humidity[9] == 30.0
    assert weather.speed[9, 0, 0] == pytest.approx(9 * 0.44704), "with °F goes mph"


def test_stations_are_placed_by_a_list_beside_their_table(tmp_path: Path) -> None:
    place = Georeference(GRID)
    at = [place.lonlat(0.0, 0.0), place.lonlat(5.0, 7.0)]
    speeds = (("A", 4), ("B", 8))
    rows = [f"{name},2020-08-19 {hour:02d}:00,{speed},270" for hour in range(7, 24) for name, speed in speeds]
    source = WindSource(files=(table(tmp_path / "w.csv", "station,time_utc,speed_ms,dir_from", *rows),))
    assert "without their places" in refused(source)
    listed = [f"{name},{where[1]:.9f},{where[0]:.9f}" for name, where in zip(("a", "b"), at, strict=True) if where]
    table(tmp_path / "list.csv", "STID,Latitude,Longitude", *listed[:1])
    table(tmp_path / "cut.csv", "Latitude,Longitude,STID", "39.7,-122.9,c", "39.7,-122.9")
    assert "without their places" in refused(source)
    table(tmp_path / "list.csv", "STID,Latitude,Longitude", *listed)
    winds = read(source)
    assert winds.speed[0, 0, 0] == pytest.approx(4.0) and winds.speed[0, 5, 7] == pytest.approx(8.0)
    assert "that of its station in list.csv" in " ".join(winds.notes)


def test_a_table_of_one_station_is_placed_by_its_files_name_or_by_a_list_of_one(tmp_path: Path) -> None:
    rows = [f"2020-08-19 {hour:02d}:00,4,270" for hour in range(7, 24)]
    source = WindSource(files=(table(tmp_path / "KSTS.csv", "time_utc,speed_ms,dir_from", *rows),))
    table(tmp_path / "list.csv", "name,lat,lon", "KSTS,10.0,10.0", "other,11.0,11.0")
    assert "km from the raster" in refused(source)
    table(tmp_path / "list.csv", "lat,lon", "10.0,10.0")
    assert "km from the raster" in refused(source)
    table(tmp_path / "list.csv", "name,lat,lon", "one,10.0,10.0", "other,11.0,11.0")
    assert read(source).speed[0, 0, 0] == 4.0

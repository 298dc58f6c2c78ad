from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import h5netcdf
import numpy as np
import pytest
from pyproj import CRS, Transformer

from firegui.domain.grid import Grid
from firegui.errors import Problems
from firegui.io.weather.conventions import Components, Height, North, SpeedUnit, TimeBasis, WindConventions
from firegui.io.weather.locations import ALL_CELLS
from firegui.io.weather.raster_locations import AxisRaster
from firegui.io.weather.wind import WindSource, survey_wind
from tests.unit.io.weather.weather_files import (
    GRID,
    START,
    Variable,
    era5,
    hours_since_1900,
    netcdf4,
    read,
    refused,
    turned,
)

scipy_io = pytest.importorskip("scipy.io", reason="scipy writes the classic files that are read here")

LATS, LONS = np.arange(40.25, 39.0, -0.25), np.arange(-123.75, -122.0, 0.25)

Write = Callable[[Path, Mapping[str, Variable]], Path]


def classic(path: Path, variables: Mapping[str, Variable]) -> Path:
    """The same in the classic format, as another program writes it; times run along the record dimension."""
    with scipy_io.netcdf_file(path, "w") as file:
        file.createDimension("time", None)
        for dimensions, values, _ in variables.values():
            for name, size in zip(dimensions, values.shape, strict=True):
                if name not in file.dimensions:
                    file.createDimension(name, size)
        for name, (dimensions, values, attributes) in variables.items():
            kind = values.dtype.newbyteorder(">") if values.dtype.itemsize > 1 else values.dtype
            variable = file.createVariable(name, kind, dimensions)
            variable[:] = values.astype(kind)
            for key, value in attributes.items():
                setattr(variable, key, value)
    return path


def linear(days: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """u and v that are linear in longitude, latitude and time: means and bilinear interpolation are exact."""
    hour = np.arange(24 * days)[:, None, None]
    lat, lon = LATS[None, :, None], LONS[None, None, :]
    return 4.0 + 2 * (lon + 123) + 0.1 * hour + 0 * lat, -3.0 + 4 * (lat - 39.7) + 0.05 * hour + 0 * lon


def expected(y: int, x: int, day: int) -> tuple[float, complex]:
    """Mean speed of the corners' speeds, interpolated, and the mean vector at a cell."""
    lon, lat = Transformer.from_crs(GRID.crs, "EPSG:4326", always_xy=True).transform(*GRID.to_world(y, x))
    u, v = linear()
    corner = int((LATS[0] - lat) // 0.25), int((lon - LONS[0]) // 0.25)
    a, b = (LATS[0] - lat) / 0.25 - corner[0], (lon - LONS[0]) / 0.25 - corner[1]
    speeds = np.hypot(u, v)[24 * day : 24 * day + 24].mean(axis=0)[corner[0] : corner[0] + 2, corner[1] : corner[1] + 2]
    strength = np.array([1 - a, a]) @ speeds @ np.array([1 - b, b])
    hour = 24 * day + 11.5
    return float(strength), complex(4 + 2 * (lon + 123) + 0.1 * hour, -3 + 4 * (lat - 39.7) + 0.05 * hour)


@pytest.mark.parametrize("write", [netcdf4, classic])
@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("to_360", [False, True])
def test_era5_is_read_whichever_way_its_axes_run(tmp_path: Path, write: Write, flip: bool, to_360: bool) -> None:
    u, v = linear()
    lats, lons = LATS[::-1] if flip else LATS, LONS + 360.0 if to_360 else LONS
    u, v = (part[:, ::-1] if flip else part for part in (u, v))
    path = write(tmp_path / "era5.nc", era5(u, v, lats, lons, hours_since_1900(START, 48)))
    source = WindSource(files=(path,))
    survey = survey_wind(source)
    assert not survey.problems
    assert survey.conventions == WindConventions(
        Components.U_V, SpeedUnit.MS, Height.M10, None, North.TRUE, TimeBasis.UTC
    )
    assert (survey.kind, survey.samples, survey.step_h, survey.places) == (
        "NetCDF",
        48,
        1.0,
        "7 × 5 cells (width × height)",
    )
    winds = read(source)
    assert winds.speed.shape == (2, *GRID.shape)
    for day, y, x in ((0, 0, 0), (0, 5, 7), (1, 2, 3)):
        strength, blows = expected(y, x, day)
        assert winds.speed[day, y, x] == pytest.approx(strength, rel=1e-5)
        assert turned(winds.towards[day, y, x], np.angle(blows)) < 0.07
    assert not any("not said" in note or "assumed" in note for note in winds.notes)


def test_where_a_files_longitudes_begin_and_end_the_nearest_stand_in() -> None:
    # A file that was cut at Greenwich: what is east of it comes first, what is west of it counts to 360.
    axis = AxisRaster(np.array([51.0, 52.0]), np.array([0.0, 0.5, 1.0, 359.0, 359.5]), "EPSG:4326")
    grid = Grid(3, 60, 1000.0, (1000.0, 0.0, 678_500.0, 0.0, -1000.0, 5_720_000.0), "EPSG:32630")
    problems = Problems()
    placement = axis.on(grid, "era5.nc", problems)
    assert placement is not None and placement.window is not None and not problems
    values = np.array([[[10.0, 10.0, 1000.0, 1000.0, 20.0]] * 2])
    across = placement.spread(values[:, :, placement.window.columns], ALL_CELLS)[0, 1]
    lons, _ = Transformer.from_crs(grid.crs, "EPSG:4326", always_xy=True).transform(
        *np.array([grid.to_world(1, x) for x in range(60)]).T
    )
    assert lons.min() < -0.4 and 0.3 < lons.max() < 0.5
    # The columns at 1° and −1° are far from here.
    np.testing.assert_allclose(across, np.where(lons > -0.25, 10.0, 20.0), rtol=1e-3)


@pytest.mark.parametrize("write", [netcdf4, classic])
def test_packed_numbers_are_scaled_and_their_fill_values_are_no_wind(tmp_path: Path, write: Write) -> None:
    u = np.full((24, 5, 7), 500, np.int16)
    u[:, 0, 0] = -32767
    packed = {"scale_factor": 0.01, "add_offset": 1.0, "_FillValue": np.int16(-32767), "units": "m/s"}
    variables = era5(u, u, LATS, LONS, hours_since_1900(START, 24))
    variables = {name: (dims, values, packed if name in ("u10", "v10") else attrs)
                 for name, (dims, values, attrs) in variables.items()}  # fmt: skip
    winds = read(WindSource(files=(write(tmp_path / "w.nc", variables),)))
    assert winds.speed == pytest.approx(6.0 * np.sqrt(2.0))


def test_valid_time_expver_and_the_order_of_dimensions_of_newer_files(tmp_path: Path) -> None:
    seconds = (
        hours_since_1900(START, 24).astype(np.int64) - hours_since_1900(datetime(1970, 1, 1, tzinfo=UTC), 1)[0]
    ) * 3600
    u = np.full((24, 2, 7, 5), np.nan)
    u[:10, 0], u[10:, 1] = 3.0, 3.0
    dims = ("valid_time", "expver", "longitude", "latitude")
    variables: dict[str, Variable] = {
        "longitude": (("longitude",), LONS, {"standard_name": "longitude"}),
        "latitude": (("latitude",), LATS, {"standard_name": "latitude"}),
        "valid_time": (
            ("valid_time",),
            seconds,
            {"units": "seconds since 1970-01-01", "calendar": "proleptic_gregorian"},
        ),
        "expver": (("expver",), np.array([1, 5]), {}),
        "u10": (dims, u, {"units": "m s**-1"}),
        "v10": (dims, -u, {"units": "m s**-1"}),
    }
    winds = read(WindSource(files=(netcdf4(tmp_path / "w.nc", variables),)))
    assert winds.speed == pytest.approx(3.0 * np.sqrt(2.0))
    assert turned(winds.towards, -np.pi / 4).max() < 0.07
    assert any("comes in 2 versions" in note for note in winds.notes)


def test_speed_and_direction_by_their_standard_names_and_units(tmp_path: Path) -> None:
    variables = era5(np.full((24, 5, 7), 10.0), np.full((24, 5, 7), 45.0), LATS, LONS, hours_since_1900(START, 24))
    speed, towards = variables.pop("u10"), variables.pop("v10")
    variables["FF"] = (speed[0], speed[1], {"standard_name": "wind_speed", "units": "knots"})
    variables["DD"] = (towards[0], towards[1], {"standard_name": "wind_to_direction", "units": "degree"})
    winds = read(WindSource(files=(netcdf4(tmp_path / "w.nc", variables),)))
    assert winds.speed == pytest.approx(10 * 1852 / 3600)
    assert turned(winds.towards, np.pi / 4).max() < 0.07


LCC = CRS.from_proj4("+proj=lcc +lat_0=38.5 +lon_0=-97.5 +lat_1=38.5 +lat_2=38.5 +R=6371229 +units=m +no_defs")


def projected() -> tuple[np.ndarray, np.ndarray, Transformer]:
    """Axes of a 3 km grid as the HRRR model's, around the event."""
    change = Transformer.from_crs("EPSG:4326", LCC, always_xy=True)
    x, y = change.transform(-122.95, 39.72)
    return x + np.arange(-10, 11) * 3000.0, y + np.arange(-10, 11) * 3000.0, change


def true_north_up(grid: Grid) -> float:
    """Radians towards, on the event's grid, of a wind that blows to the north of the model's grid at its middle."""
    there = Transformer.from_crs(LCC, grid.crs, always_xy=True)
    here = Transformer.from_crs(grid.crs, LCC, always_xy=True)
    x, y = here.transform(*grid.to_world(3, 4))
    one, other = there.transform(x, y), there.transform(x, y + 20.0)
    return float(np.arctan2(other[1] - one[1], other[0] - one[0]))


@pytest.mark.parametrize("curved", [False, True])
def test_a_model_on_a_projected_grid_is_placed_and_turned_to_the_events_north(tmp_path: Path, curved: bool) -> None:
    """Of a wind along the model's own north, 25° of longitude from its central meridian."""
    xs, ys, change = projected()
    shape = (2, len(ys), len(xs))
    v = 5.0 + 0.1 * np.broadcast_to(np.arange(21.0)[None, :, None], shape)
    variables: dict[str, Variable] = {
        "time": (("time",), np.array([10.0, 20.0]), {"units": "hours since 2020-08-19 07:00:00"}),
        "u": (("time", "y", "x"), np.zeros(shape), {"units": "m/s", "grid_mapping": "lcc", "GRIB_uvRelativeToGrid": 1}),
        "v": (("time", "y", "x"), v, {"units": "m/s", "grid_mapping": "lcc"}),
    }  # fmt: skip
    if curved:
        x, y = np.meshgrid(xs, ys)
        lons, lats = change.transform(x, y, direction="INVERSE")
        variables["longitude"] = (("y", "x"), lons, {"units": "degrees_east"})
        variables["latitude"] = (("y", "x"), lats, {"units": "degrees_north"})
    else:
        variables["x"] = (("x",), xs, {"standard_name": "projection_x_coordinate", "units": "m"})
        variables["y"] = (("y",), ys, {"standard_name": "projection_y_coordinate", "units": "m"})
        cf = {key: value for key, value in LCC.to_cf().items() if key != "crs_wkt"}
        variables["lcc"] = (("one",), np.zeros(1), cf)
    winds = read(WindSource(files=(netcdf4(tmp_path / "hrrr.nc", variables),)))
    row = (Transformer.from_crs(GRID.crs, LCC, always_xy=True).transform(*GRID.to_world(3, 4))[1] - ys[0]) / 3000.0
    assert winds.speed[0, 3, 4] == pytest.approx(5.0 + 0.1 * row, rel=2e-3)
    assert abs(np.degrees(true_north_up(GRID)) - 90.0) > 10.0  # it does matter
    assert turned(winds.towards[0, 3, 4], true_north_up(GRID)) < 0.25
    if not curved:
        true = read(WindSource(files=(tmp_path / "hrrr.nc",), conventions=WindConventions(north=North.TRUE)))
        assert turned(true.towards, np.pi / 2).max() < 0.07


def spoiled(changes: Mapping[str, Variable | None]) -> dict[str, Variable]:
    u = np.full((4, 5, 7), 3.0)
    whole = {**era5(u, u, LATS, LONS, hours_since_1900(START, 4)), **changes}
    return {name: variable for name, variable in whole.items() if variable is not None}


HOURS = "hours since 2020-08-19"
SPACE = ("time", "latitude", "longitude")
MEMBERS = ("member", *SPACE)
NOTHING = np.full((4, 5, 7), np.nan)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"time": (("time",), np.array([3, 2, 1, 0]), {"units": HOURS})}, "time 2 (2020-08-19 02:00) comes before"),
        ({"time": (("time",), np.array([0, 1, np.nan, 3]), {"units": HOURS})}, "1 of 4 times are not numbers"),
        ({"time": (("time",), np.arange(4), {"units": HOURS, "calendar": "noleap"})}, "calendar noleap"),
        ({"time": (("time",), np.arange(4), {"units": "hours since then"})}, "which is not a unit since a date"),
        ({"time": (("time",), np.arange(4), {"units": "days since 0001-01-01"})}, "counts time from the year 1"),
        ({"time": (("time",), np.arange(4) * 1e7, {"units": HOURS})}, "its times run from"),
        ({"u10": (SPACE, np.full((4, 5, 7), 280.0), {"units": "K"})}, "u10 says its unit is 'K', which is not a speed"),
        ({"v10": None}, "no wind that is recognised (variables: u10)"),
        ({"latitude": (("latitude",), np.array([1.0, 2, 1, 2, 3]), {"units": "degrees_north"})}, "not run one way"),
        ({"latitude": (("latitude",), np.arange(5.0) * 50, {"units": "degrees_north"})}, "reaches 200°"),
        ({"latitude": None, "longitude": None}, "does not say where u10"),
        ({"longitude": (("longitude",), LONS + 60, {"units": "degrees_east"})}, "lies off the raster of the layers"),
        ({"u10": (SPACE, NOTHING, {}), "v10": (SPACE, NOTHING, {})}, "is no data"),
        ({"u10": (SPACE, np.full((4, 5, 7), 700.0), {"units": "m/s"})}, "has a wind of 700 m/s"),
        ({"u10": (MEMBERS, np.zeros((3, 4, 5, 7)), {}), "v10": (MEMBERS, np.zeros((3, 4, 5, 7)), {})}, "3 entries"),
        ({"v10": (("time", "latitude"), np.zeros((4, 5)), {})}, "are not on the same dimensions"),
        ({"u10": None, "v10": None}, "variables: none"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_named(tmp_path: Path, changes: Mapping[str, Any], said: str) -> None:
    assert said in refused(WindSource(files=(netcdf4(tmp_path / "w.nc", spoiled(changes)),)), 1)


@pytest.mark.parametrize("write", [netcdf4, classic])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.97])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, write: Write, share: float) -> None:
    u = np.random.default_rng(1).uniform(1, 9, (48, 5, 7))
    path = write(tmp_path / "w.nc", era5(u, u, LATS, LONS, hours_since_1900(START, 48)))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    assert "w.nc" in refused(WindSource(files=(path,)), 2)


def test_a_file_that_claims_too_much_is_refused_before_it_is_read(tmp_path: Path) -> None:

    with h5netcdf.File(tmp_path / "big.nc", "w") as file:
        file.dimensions = {"time": 2, "latitude": 40_000, "longitude": 40_000}
        for name in ("u10", "v10"):
            file.create_variable(name, SPACE, "f4", chunks=(1, 100, 100)).attrs["units"] = "m/s"
        file.create_variable("time", ("time",), "i4", data=np.array([0, 1])).attrs["units"] = HOURS
        for name, unit, first in (("latitude", "degrees_north", 39.0), ("longitude", "degrees_east", -123.5)):
            axis = first + np.arange(40_000) * 2e-5
            file.create_variable(name, (name,), "f8", data=axis).attrs["units"] = unit
    assert "cells" in refused(WindSource(files=(tmp_path / "big.nc",)), 1)


def test_without_times_the_first_and_the_step_are_asked_for(tmp_path: Path) -> None:
    changes = {"time": None}
    path = netcdf4(tmp_path / "w.nc", spoiled(changes))
    assert "holds 4 samples, but no times" in refused(WindSource(files=(path,)))
    assert read(WindSource(files=(path,), first=START, step_h=24.0)).speed.shape[0] == 4


def test_daily_means_of_utc_days_fall_on_the_day_they_mostly_cover(tmp_path: Path) -> None:
    days = era5(np.arange(1.0, 4)[:, None, None] + np.zeros((3, 5, 7)), np.zeros((3, 5, 7)), LATS, LONS,
                hours_since_1900(datetime(2020, 8, 19, tzinfo=UTC), 3, 24))  # fmt: skip
    source = WindSource(files=(netcdf4(tmp_path / "w.nc", days),))
    winds = read(source)
    assert winds.speed[:, 0, 0] == pytest.approx([1.0, 2.0, 3.0])
    assert survey_wind(source).first_date(-7.0) == (START + timedelta(hours=-7)).date()


def test_a_file_whose_pieces_unpack_to_more_than_there_is_room_for_is_refused(tmp_path: Path) -> None:
    with h5netcdf.File(tmp_path / "bomb.nc", "w") as file:
        file.dimensions = {"time": 400, "latitude": 400, "longitude": 400}
        for name in ("u10", "v10"):
            file.create_variable(name, SPACE, "f8", chunks=(400, 400, 400), compression="gzip").attrs["units"] = "m/s"
        file.create_variable("time", ("time",), "i4", data=np.arange(400)).attrs["units"] = HOURS
        for name, unit, first in (("latitude", "degrees_north", 39.0), ("longitude", "degrees_east", -123.5)):
            file.create_variable(name, (name,), "f8", data=first + np.arange(400) * 0.005).attrs["units"] = unit
    assert "stored in pieces of 512,000,000 bytes" in refused(WindSource(files=(tmp_path / "bomb.nc",)), 1)


@pytest.mark.parametrize("by", ["dew point", "humidity", "share", "wgrib2", "dew point of wgrib2"])
def test_temperature_and_humidity_beside_the_wind_are_those_around_the_raster(tmp_path: Path, by: str) -> None:
    u, v = linear(1)
    heat = np.full(u.shape, 293.15)
    heat[:, :, -1] = 330.0  # far from the raster
    name, unit, damp = {
        "dew point": ("d2m", "K", 283.15), "humidity": ("r2", "%", 52.5), "share": ("rh", "1", 0.525),
        "wgrib2": ("RH_2maboveground", "percent", 52.5), "dew point of wgrib2": ("DPT_2maboveground", "K", 283.15),
    }[by]  # fmt: skip
    space = ("time", "latitude", "longitude")
    more: dict[str, Variable] = {
        "TMP_2maboveground" if "wgrib2" in by else "t2m": (space, heat, {"units": "K"}),
        name: (
            space,
            np.full(u.shape, damp),
            {"units": unit, "standard_name": "relative_humidity"} if name == "r2" else {"units": unit},
        ),
    }
    path = netcdf4(tmp_path / "era5.nc", era5(u, v, LATS, LONS, hours_since_1900(START, 24)) | more)
    winds = read(WindSource(files=(path,)))
    assert winds.weather is not None and winds.weather.temperature_c is not None and winds.weather.humidity is not None
    np.testing.assert_allclose(winds.weather.temperature_c, 20.0)
    np.testing.assert_allclose(winds.weather.humidity, 52.5, atol=0.3)
    assert any(f"humidity from {name}" in note for note in winds.notes)


def test_a_temperature_alone_makes_no_air(tmp_path: Path) -> None:
    u, v = linear(1)
    more: dict[str, Variable] = {"t2m": (("time", "latitude", "longitude"), np.full(u.shape, 290.0), {"units": "K"})}
    path = netcdf4(tmp_path / "era5.nc", era5(u, v, LATS, LONS, hours_since_1900(START, 24)) | more)
    winds = read(WindSource(files=(path,)))
    assert winds.weather is not None and not winds.weather.has_air
    assert any("has no humidity and no dew point of the air" in note for note in winds.notes)

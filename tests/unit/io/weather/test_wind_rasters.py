from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import rasterio
from pyproj import Transformer

from firegui.domain.grid import Grid
from firegui.io.rasters.geotiff import without_place_warnings
from firegui.io.safe_open import rasters
from firegui.io.safe_open.processes import READERS
from firegui.io.weather.conventions import Components, Height, North, Sense, SpeedUnit, TimeBasis, WindConventions
from firegui.io.weather.locations import unit_area
from firegui.io.weather.wind import WindSource, survey_wind
from tests.unit.io.builders import UNPLACED, assert_same_bits
from tests.unit.io.weather.weather_files import (
    GRID,
    OFFSET,
    START,
    mean_wind,
    read,
    refused,
    tiff,
    turned,
    vector,
)

COARSE = Grid(4, 5, 3000.0, (3000.0, 0.0, 497_000.0, 0.0, -3000.0, 4_403_000.0), "EPSG:32610")
DAILY = ["2020-08-19", "2020-08-20"]


def pair(folder: Path, one: np.ndarray, other: np.ndarray, grid: Grid = GRID, names: tuple[str, str] = ("ws", "wd"),
         **more: object) -> tuple[Path, ...]:  # fmt: skip
    return tuple(
        tiff(folder / f"{name}.tif", bands.astype(np.float32), grid, **more)  # type: ignore[arg-type]
        for name, bands in zip(names, (one, other), strict=True)
    )


def bilinear(values: np.ndarray, grid: Grid, x: float, y: float) -> complex:
    """Between the four nearest centres, by hand."""
    row, column = grid.from_world(x, y)
    r, c = int(np.floor(row)), int(np.floor(column))
    a, b = row - r, column - c
    return complex(
        values[r, c] * (1 - a) * (1 - b) + values[r, c + 1] * (1 - a) * b
        + values[r + 1, c] * a * (1 - b) + values[r + 1, c + 1] * a * b
    )  # fmt: skip


def test_hourly_bands_of_speed_and_direction_are_averaged_and_warped_as_vectors(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    speed, angle = rng.uniform(1, 40, (25, 4, 5)), rng.uniform(0, 360, (25, 4, 5))
    source = WindSource(
        files=pair(tmp_path, speed, angle, COARSE),
        conventions=WindConventions(speed_unit=SpeedUnit.MPH, height=Height.FT20),
    )
    winds = read(source)
    assert winds.speed.shape == (1, *GRID.shape)
    stored = zip(speed[:24].astype(np.float32).ravel(), angle[:24].astype(np.float32).ravel(), strict=True)
    hours = np.array([vector(float(s) * 0.44704 * 1.15, float(d)) for s, d in stored]).reshape(24, 4, 5)
    for y, x in ((0, 0), (2, 3), (5, 7)):
        place = GRID.to_world(y, x)
        strength = bilinear(np.abs(hours).mean(axis=0), COARSE, *place).real
        blows = bilinear(hours.mean(axis=0), COARSE, *place)
        assert winds.speed[0, y, x] == pytest.approx(strength, rel=1e-5)
        assert turned(winds.towards[0, y, x], np.angle(blows)) < 0.07
    notes = " ".join(winds.notes)
    assert "carries no times: its 25 samples are taken to be hourly" in notes
    assert "at the start of day 0 (2020-08-19 07:00 UTC)" in notes
    assert "Turner and Lawson" in notes


def test_either_side_of_north_the_mean_is_north_and_not_south(tmp_path: Path) -> None:
    speed = np.full((1, 4, 5), 5.0)
    angle = np.tile([350.0, 10.0, 350.0, 10.0, 350.0], (4, 1))[np.newaxis]
    winds = read(WindSource(files=pair(tmp_path, speed, angle, COARSE)))
    assert turned(winds.towards, -np.pi / 2).max() <= 10.1
    assert winds.speed == pytest.approx(5.0)


def test_the_bands_of_u_and_v_in_another_crs_and_resolution(tmp_path: Path) -> None:
    """True components on latitudes and longitudes: linear in place, so that bilinear interpolation is exact."""
    there = Grid(12, 14, 1.0, (0.02, 0.0, -123.1, 0.0, -0.02, 39.9), "EPSG:4326")
    rows, columns = np.mgrid[0:12, 0:14]
    lon, lat = -123.1 + (columns + 0.5) * 0.02, 39.9 - (rows + 0.5) * 0.02
    u, v = 3.0 + 10 * (lon + 123), -2.0 + 5 * (lat - 39.7)
    winds = read(WindSource(files=pair(tmp_path, u[None], v[None], there, ("u10", "v10"))))
    back = Transformer.from_crs(GRID.crs, "EPSG:4326", always_xy=True)
    for y, x in ((0, 0), (3, 4), (5, 7)):
        east, north = back.transform(*GRID.to_world(y, x))
        expected = complex(3.0 + 10 * (east + 123), -2.0 + 5 * (north - 39.7))
        assert abs(winds.speed[0, y, x] - abs(expected)) < 2e-3
        assert turned(winds.towards[0, y, x], np.angle(expected)) < 0.1
    assert not any("grid north" in note for note in winds.notes[:-1])


def test_a_raster_of_the_grid_itself_comes_back_to_the_bit_of_its_speed(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    speed = rng.uniform(0, 20, (2, *GRID.shape)).astype(np.float32)
    towards = rng.uniform(-np.pi, np.pi, (2, *GRID.shape)).astype(np.float32)
    files = pair(tmp_path, speed, (270.0 - np.degrees(towards)) % 360.0, GRID, names=("ws", "wd"))
    conventions = WindConventions(Components.SPEED_DIRECTION, SpeedUnit.MS, Height.M10, Sense.FROM, North.GRID)
    winds = read(WindSource(files=files, conventions=conventions, first=START, step_h=24.0))
    assert np.array_equal(winds.speed, speed)
    assert turned(winds.towards, towards).max() < 1e-4


def test_the_bands_of_a_day_are_read_by_few_requests_within_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(2)
    speed, angle = rng.uniform(1, 10, (24, 4, 5)), rng.uniform(0, 360, (24, 4, 5))
    source = WindSource(files=pair(tmp_path, speed, angle, COARSE))
    counts: list[int] = []
    call = READERS.call

    def counted(operation: str, *arguments: object) -> object:
        counts[-1] += operation == "rasters.read"
        return call(operation, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(READERS, "call", counted)
    found = []
    for most in (rasters._BYTES_AT_ONCE, 1):
        monkeypatch.setattr(rasters, "_BYTES_AT_ONCE", most)
        counts.append(0)
        found.append(read(source))
    # Both files, once for their units and once for the day.
    assert counts == [4, 4 * 24]
    assert_same_bits(found[0].speed, found[1].speed)
    assert_same_bits(found[0].towards, found[1].towards)


def test_bands_called_by_their_times_carry_their_times(tmp_path: Path) -> None:
    hours = [f"{datetime(2020, 8, 19, 6) + timedelta(hours=6 * n):%Y-%m-%dT%H:%MZ}" for n in range(9)]
    files = pair(
        tmp_path, np.arange(9.0)[:, None, None] + np.zeros((9, 4, 5)), np.zeros((9, 4, 5)), COARSE, names=("ws", "wd")
    )
    files = tuple(
        tiff(path, np.arange(9.0, dtype=np.float32)[:, None, None] + np.zeros((9, 4, 5), np.float32), COARSE, hours)
        for path in files
    )
    source = WindSource(files=files)
    survey = survey_wind(source)
    assert (survey.first, survey.last, survey.step_h) == (datetime(2020, 8, 19, 6), datetime(2020, 8, 21, 6), 6.0)
    assert survey.first_date(OFFSET) == date(2020, 8, 18)
    assert read(source).speed[:, 0, 0] == pytest.approx([2.5, 6.5])
    daily = tuple(tiff(path, np.full((2, 4, 5), 3.0, np.float32), COARSE, DAILY) for path in files)
    assert survey_wind(WindSource(files=daily)).days_from(START, OFFSET) == 2


def test_one_file_may_hold_both_parts_if_its_bands_say_which(tmp_path: Path) -> None:
    bands = np.array([3.0, -4.0], np.float32)[:, None, None] + np.zeros((2, 4, 5), np.float32)
    path = tiff(tmp_path / "wind.tif", bands, COARSE, ["u10", "v10"], "m s-1")
    winds = read(WindSource(files=(path,)))
    assert winds.speed == pytest.approx(5.0)
    assert turned(winds.towards, np.arctan2(-4, 3)).max() < 0.07
    assert not any("unit is not said" in note for note in winds.notes)
    mute = tiff(tmp_path / "mute.tif", bands, COARSE)
    assert "do not say which" in refused(WindSource(files=(mute,)))


def test_two_files_are_told_by_their_names_whatever_their_order(tmp_path: Path) -> None:
    speed, angle = pair(tmp_path, np.full((1, 4, 5), 6.0), np.full((1, 4, 5), 90.0), COARSE)
    assert read(WindSource(files=(angle, speed))).speed == pytest.approx(6.0)
    nameless = pair(tmp_path, np.full((1, 4, 5), 6.0), np.full((1, 4, 5), 8.0), COARSE, ("a", "b"))
    assert "do not say by their names" in refused(WindSource(files=nameless))
    said = read(WindSource(files=nameless, conventions=WindConventions(Components.U_V)))
    assert said.speed == pytest.approx(10.0)


def test_scale_offset_and_no_data_are_those_of_the_file(tmp_path: Path) -> None:
    speed = np.full((1, 4, 5), 30, np.int16)
    speed[0, 0, 0] = -9999
    path = tiff(tmp_path / "ws.tif", speed, COARSE, nodata=-9999)

    with rasterio.open(path, "r+") as target:
        target.scales = (0.1,)
    other = tiff(tmp_path / "wd.tif", np.full((1, 4, 5), 90, np.int16), COARSE, nodata=-9999)
    winds = read(WindSource(files=(path, other)))
    assert winds.speed == pytest.approx(3.0)
    holes = speed.copy()
    holes[:] = -9999
    holes[0, :, :2] = 20
    part = tiff(tmp_path / "part_ws.tif", holes, COARSE, nodata=-9999)
    winds = read(WindSource(files=(part, other)))
    assert winds.speed == pytest.approx(20.0)
    assert any("the day's mean stands in" in note for note in winds.notes)


def test_cells_beyond_the_raster_take_the_nearest_wind_and_it_is_said(tmp_path: Path) -> None:
    half = replace(GRID, columns=4)
    winds = read(WindSource(files=pair(tmp_path, np.full((1, 6, 4), 6.0), np.full((1, 6, 4), 90.0), half)))
    assert winds.speed == pytest.approx(6.0)
    assert any("does not reach 24 of 48 cells" in note for note in winds.notes)


def test_directions_of_the_rasters_own_north_are_turned_with_it(tmp_path: Path) -> None:
    albers = Grid(20, 20, 4000.0, (4000.0, 0.0, -300_000.0, 0.0, -4000.0, 240_000.0), "EPSG:3310")
    files = pair(tmp_path, np.zeros((1, 20, 20)), np.full((1, 20, 20), 5.0), albers, ("u", "v"))
    winds = read(WindSource(files=files, conventions=WindConventions(north=North.GRID)))
    there = Transformer.from_crs("EPSG:3310", GRID.crs, always_xy=True)
    here = Transformer.from_crs(GRID.crs, "EPSG:3310", always_xy=True)
    x, y = here.transform(*GRID.to_world(3, 4))
    one, other = there.transform(x, y), there.transform(x, y + 10.0)
    assert turned(winds.towards[0, 3, 4], np.arctan2(other[1] - one[1], other[0] - one[0])) < 1e-3
    assert any("the wind's own raster" in note for note in winds.notes)


def test_a_raster_without_a_place_has_to_be_on_the_cells_of_the_layers(tmp_path: Path) -> None:
    bare = replace(UNPLACED, rows=6, columns=8)
    files = pair(tmp_path, np.full((1, 6, 8), 6.0), np.full((1, 6, 8), 90.0), bare)
    assert read(WindSource(files=files)).speed == pytest.approx(6.0)
    assert "has no CRS or no transform" in refused(WindSource(files=files), grid=replace(GRID, columns=9))


def test_what_is_wrong_with_rasters_is_named(tmp_path: Path) -> None:
    good = pair(tmp_path, np.full((2, 4, 5), 6.0), np.full((2, 4, 5), 90.0), COARSE)
    three = tiff(tmp_path / "wd3.tif", np.zeros((3, 4, 5), np.float32), COARSE)
    assert "has 3 bands, ws.tif has 2" in refused(WindSource(files=(good[0], three)))
    moved = tiff(tmp_path / "wd2.tif", np.zeros((2, 4, 5), np.float32), replace(COARSE, crs="EPSG:32611"))
    assert "does not lie on the raster of ws.tif" in refused(WindSource(files=(good[0], moved)))
    far = replace(COARSE, transform=(3000.0, 0.0, 9e5, 0.0, -3000.0, 4e5))
    away = pair(tmp_path, np.full((1, 4, 5), 6.0), np.full((1, 4, 5), 90.0), far, ("away_ws", "away_wd"))
    assert "lies off the raster of the layers" in refused(WindSource(files=away))
    data = good[0].read_bytes()
    good[0].write_bytes(data[: len(data) // 3])
    assert "ws.tif" in refused(WindSource(files=good, first=START, step_h=24.0), 1)
    warm = tiff(tmp_path / "warm_ws.tif", np.full((2, 4, 5), 6.0, np.float32), COARSE, unit="degC")
    assert "its unit is 'degC', which is not a speed" in refused(WindSource(files=(warm, good[1]), step_h=24.0), 1)
    (tmp_path / "text.tif").write_text("II*\0 no raster")
    assert "cannot be read as a GeoTIFF" in refused(WindSource(files=(tmp_path / "text.tif", good[1])))
    backwards = pair(tmp_path, np.full((2, 4, 5), 6.0), np.full((2, 4, 5), 9.0), COARSE, ("b_ws", "b_wd"))
    backwards = tuple(tiff(path, np.full((2, 4, 5), 6.0, np.float32), COARSE, DAILY[::-1]) for path in backwards)
    assert "band 2 (2020-08-19 00:00) comes before band 1" in refused(WindSource(files=backwards))
    assert "3 files" in refused(WindSource(files=(*good, moved)))


def test_a_header_that_claims_a_thousand_million_cells_is_refused_before_it_is_read(tmp_path: Path) -> None:
    for name in ("ws", "wd"):
        told = {"driver": "GTiff", "width": 40_000, "height": 30_000, "count": 1, "dtype": "float32", "tiled": True}
        with without_place_warnings(), rasterio.open(tmp_path / f"{name}.tif", "w", **told, SPARSE_OK=True):
            pass
    assert "claims 1,200,000,000 cells" in refused(WindSource(files=(tmp_path / "ws.tif", tmp_path / "wd.tif")))


def test_a_place_with_spaces_and_umlauts_is_no_obstacle(tmp_path: Path) -> None:
    folder = tmp_path / "Wetter über Käsewil — 日本"
    folder.mkdir()
    files = pair(folder, np.full((1, 4, 5), 6.0), np.full((1, 4, 5), 90.0), COARSE)
    assert read(WindSource(files=files, conventions=WindConventions(clock=TimeBasis.UTC))).speed == pytest.approx(6.0)


def test_the_independent_mean_is_what_it_says() -> None:
    assert mean_wind([vector(2.0, 270.0), vector(2.0, 180.0)]) == pytest.approx((2.0, np.pi / 4))


def test_a_file_whose_blocks_unpack_to_more_than_there_is_room_for_is_refused(tmp_path: Path) -> None:
    """A cell is read by unpacking its block, here of all bands at once."""
    told = {"driver": "GTiff", "width": 2000, "height": 2000, "count": 60, "dtype": "float32", "interleave": "pixel"}
    for name in ("ws", "wd"):
        told |= {"tiled": True, "blockxsize": 2000, "blockysize": 2000, "SPARSE_OK": True}
        with without_place_warnings(), rasterio.open(tmp_path / f"{name}.tif", "w", **told):
            pass
    files = (tmp_path / "ws.tif", tmp_path / "wd.tif")
    assert "is stored in blocks of 960,000,000 bytes" in refused(WindSource(files=files, step_h=1.0))


def test_a_projection_without_area_has_no_directions() -> None:
    found = unit_area(np.stack([np.eye(2), np.zeros((2, 2))], axis=2))
    assert found[:, :, 0].tolist() == [[1.0, 0.0], [0.0, 1.0]] and np.isnan(found[:, :, 1]).all()


@pytest.mark.parametrize(
    "names",
    [
        ["20200819_u10", "20200819_v10", "20200820_u10", "20200820_v10"],
        ["u_component_of_wind_10m_20200819", "v_component_of_wind_10m_20200819", "u 20200820", "v 20200820"],
        ["20200819T00_u10", "20200819T00_v10", "20200820T00_u10", "20200820T00_v10"],
        ["2020_08_19_u", "2020_08_19_v", "2020_08_20_u", "2020_08_20_v"],
    ],
)
def test_bands_may_be_named_by_date_and_variable(tmp_path: Path, names: list[str]) -> None:
    parts = np.stack([np.full(GRID.shape, value, np.float32) for value in (3.0, -4.0, 6.0, -8.0)])
    source = WindSource(files=(tiff(tmp_path / "w.tif", parts, GRID, names),))
    assert survey_wind(source).first_date(OFFSET) == date(2020, 8, 19)
    assert read(source).speed[:, 0, 0] == pytest.approx([5.0, 10.0])

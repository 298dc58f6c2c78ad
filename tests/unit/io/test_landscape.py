from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.domain.grid import Grid
from firegui.domain.scenario import Scenario
from firegui.errors import InputError
from firegui.io.georeference import Georeference
from firegui.io.importers.landscape import import_landscape
from firegui.io.importers.landscape_source import LandscapeSource, LayerBand
from firegui.io.vectors.perimeters import PerimeterSource
from firegui.io.weather.wind import WindSource
from tests.unit.io.builders import PLACED, UNPLACED, assert_each_said, assert_same_bits, said
from tests.unit.io.landscape_files import SHAPE, full, write_layer
from tests.unit.io.vectors.test_perimeters import DATES, TWO, write

WIND = {"wind_speed": 3.0, "wind_from": 270.0}


def layers(folder: Path, grid: Grid = PLACED) -> dict[str, Path]:
    """Slope and canopy cover on one grid."""
    rng = np.random.default_rng(4)
    return {
        "slope": write_layer(folder / "slope.tif", rng.integers(0, 40, grid.shape).astype(np.int16), grid),
        "canopy_cover": write_layer(folder / "cover.tif", rng.integers(0, 90, grid.shape).astype(np.float32), grid),
    }


def source_of(files: Mapping[str, Path], **changes: Any) -> LandscapeSource:
    """The files as layers, with a west wind of 3 m/s and what else is said."""
    asked = WIND | changes
    wind = WindSource(asked.pop("wind_speed"), asked.pop("wind_from"))
    if "perimeters" in asked:
        asked["perimeters"] = PerimeterSource(asked["perimeters"])
    return LandscapeSource({key: LayerBand(path) for key, path in files.items()}, wind=wind, **asked)


def take(files: dict[str, Path], **changes: Any) -> Scenario:
    return import_landscape(source_of(files, **changes))


def refusal(files: dict[str, Path], **changes: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        take(files, **changes)
    return caught.value


def notes_of(event: Scenario) -> str:
    return "\n".join(event.notes)


# -- layers on one grid ------------------------------------------------------------------------------------------------
def test_layers_become_an_event_on_their_grid_and_what_is_missing_is_said(tmp_path: Path) -> None:
    files = layers(tmp_path)
    event = take(files, ignition=Georeference(PLACED).lonlat(2, 3))
    assert event.grid == PLACED
    assert event.missing_layers == ("elevation", "aspect", "fuel", "canopy_height", "canopy_density")
    assert event.layers["slope"].dtype == np.float32
    assert event.name == tmp_path.name
    notes = notes_of(event)
    assert "Missing layers: elevation, aspect, fuel model, canopy height, canopy bulk density." in notes
    assert "Layers read as slope" in notes
    assert "The wind is 3 m/s from 270°" in notes


def test_one_layer_is_enough(tmp_path: Path) -> None:
    event = take({"slope": layers(tmp_path)["slope"]})
    assert list(event.layers) == ["slope"]
    assert event.observed is None and event.ignition is None
    assert "There are no observed perimeters and no ignition" in notes_of(event)


def test_without_any_layer_there_is_no_grid(tmp_path: Path) -> None:
    assert "give at least one landscape layer" in str(refusal({}))


def test_coordinates_that_are_only_rounded_differently_are_one_grid(tmp_path: Path) -> None:
    files = layers(tmp_path)
    a, b, c, d, e, f = PLACED.transform or (0.0,) * 6
    rounded = replace(PLACED, transform=(a, b, c + 1e-4, d, e, f - 1e-4))
    files["aspect"] = write_layer(tmp_path / "asp.tif", full(20), rounded)
    assert take(files).grid == PLACED


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        (replace(PLACED, crs="EPSG:32611"), "does not overlap slope (slope.tif)"),
        (UNPLACED, "has no CRS, while slope (slope.tif) is on the map"),
        (replace(PLACED, transform=(30.0, 0.0, 4400000.0, 0.0, -30.0, 500000.0)), "outside the area of its CRS"),
        (replace(PLACED, transform=(30.0, 0.0, 9e9, 0.0, -30.0, 9e9)), "lies off the Earth"),
        (Grid(6, 8, 30.0, (0.001, 0.0, 40.0, 0.0, -0.001, -122.0), "EPSG:4326"), "in latitude, off the Earth"),
    ],
)
def test_a_layer_that_cannot_be_of_one_place_with_the_others_is_named(tmp_path: Path, grid: Grid, said: str) -> None:
    files = layers(tmp_path) | {"fuel": write_layer(tmp_path / "fuel.tif", np.full(grid.shape, 101, np.int16), grid)}
    (problem,) = refusal(files).problems
    assert problem.where == "fuel model (fuel.tif)"
    assert said in problem.what


def test_every_problem_is_listed_at_once(tmp_path: Path) -> None:
    files = layers(tmp_path) | {
        "elevation": tmp_path / "none.tif",
        "aspect": write_layer(tmp_path / "two.tif", np.zeros((2, *SHAPE), np.float32)),
        "canopy_height": write_layer(tmp_path / "ch.tif", full(2000)),
        "canopy_density": tmp_path / "cover.tif",
    }
    error = refusal(
        files, wind_speed=None, wind_from=400.0, days=0, perimeters=tmp_path / "p.shp", ignition=(0.0, 0.0),
        utc_offset_h=99.0, start=datetime(2, 1, 1),
    )  # fmt: skip
    assert_each_said(
        error,
        [
            "none.tif: the file does not exist",
            "holds 2 bands",
            "hold 2000",
            "is also given as canopy cover",
            "its speed is not given",
            "0 days of weather",
            "p.shp): the file does not exist",
            "lies off the raster",
            "perimeters are given as well",
            "99.0 hours",
            "start",
        ],
    )


@pytest.mark.parametrize(
    ("crs", "said"),
    [(None, "a transform without a CRS")],
)
def test_a_grid_that_cannot_be_planned_on_is_refused(tmp_path: Path, crs: str | None, said: str) -> None:
    place = (0.001, 0.0, -122.0, 0.0, -0.001, 40.0)
    assert said in str(refusal({"slope": write_layer(tmp_path / "s.tif", full(3), Grid(*SHAPE, 30.0, place, crs))}))


def test_layers_without_a_place_are_taken_with_30_m_cells_and_it_is_said(tmp_path: Path) -> None:
    files = layers(tmp_path, UNPLACED)
    event = take(files)
    assert event.grid == UNPLACED
    assert "cells are taken to be 30 m" in notes_of(event)


def test_a_crs_without_a_code_is_kept_in_a_text_that_people_can_read(tmp_path: Path) -> None:
    local = "+proj=aea +lat_0=36.1 +lon_0=-118.7 +lat_1=36 +lat_2=36.2 +x_0=0 +y_0=0 +datum=NAD83 +units=m +no_defs"
    event = take(layers(tmp_path, replace(PLACED, crs=local, transform=(30.0, 0.0, -90.0, 0.0, -30.0, 60.0))))
    assert event.grid.crs == local


def test_a_crs_that_is_no_place_on_the_earth_is_refused(tmp_path: Path) -> None:
    site = 'LOCAL_CS["site plan",UNIT["metre",1]]'
    path = write_layer(tmp_path / "s.tif", full(3), crs=site)
    assert "is not a map projection" in str(refusal({"slope": path}))


def test_the_scale_and_offset_of_a_file_are_applied_and_said(tmp_path: Path) -> None:
    raw = full(9, np.int16)
    raw[0, 0], raw[0, 1] = -9999, 1
    path = write_layer(tmp_path / "e.tif", raw, scales=(10.0,), offsets=(5.0,), nodata=-9999)
    event = take({"elevation": path})
    assert np.array_equal(event.layers["elevation"][0, :3], [np.nan, 15.0, 95.0], equal_nan=True)
    assert "Elevation: the file's own scale 10 and offset 5 were applied." in event.notes


def test_a_grid_too_small_to_plan_on_is_refused(tmp_path: Path) -> None:
    grid = replace(PLACED, rows=2, columns=2)
    assert "at least 3 × 3" in str(refusal({"slope": write_layer(tmp_path / "s.tif", np.ones((2, 2), np.int16), grid)}))


# -- wind --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("wind_from", "east", "north"), [(270.0, 1, 0), (0.0, 0, -1), (90.0, -1, 0), (180.0, 0, 1), (360.0, 0, -1)]
)
def test_the_wind_blows_away_from_where_it_comes_from(
    tmp_path: Path, wind_from: float, east: float, north: float
) -> None:
    event = take(layers(tmp_path), wind_from=wind_from, wind_speed=4.5)
    assert event.wind_speed.shape == event.wind_dir.shape == (15, *SHAPE)
    assert (event.wind_speed == np.float32(4.5)).all()
    assert np.allclose(
        [np.cos(event.wind_dir), np.sin(event.wind_dir)], np.reshape([east, north], (2, 1, 1, 1)), atol=1e-4
    )


def test_without_wind_it_says_what_to_give(tmp_path: Path) -> None:
    (problem,) = refusal(layers(tmp_path), wind_speed=None, wind_from=None).problems
    assert problem.where == "wind"
    assert "--wind-speed, --wind-from" in problem.what
    assert "none is assumed" in problem.remedy


@pytest.mark.parametrize(
    "changes", [{"wind_speed": -1.0}, {"wind_speed": 101.0}, {"wind_from": -5.0}, {"wind_speed": float("nan")}]
)
def test_a_wind_that_cannot_be_is_refused(tmp_path: Path, changes: dict[str, float]) -> None:
    (problem,) = refusal(layers(tmp_path), **changes).problems
    assert problem.where in ("wind speed", "wind direction")


# -- fire and dates ----------------------------------------------------------------------------------------------------
def test_increments_become_cumulative_perimeters_and_set_start_and_days(tmp_path: Path) -> None:
    dates = {"Date": ["2020-08-22", "2020-08-19"]}
    event = take(layers(tmp_path), perimeters=write(tmp_path / "p.gpkg", TWO, dates))
    assert event.observed_dates == (date(2020, 8, 19), date(2020, 8, 22))
    assert event.observed is not None and (event.observed[1] >= event.observed[0]).all()
    assert event.days == 4
    assert event.date_of_day(0) == date(2020, 8, 19)
    assert event.start == datetime(2020, 8, 19, 8, tzinfo=UTC)
    assert "Observed perimeters on 2 of 4 days" in notes_of(event)


def test_times_in_utc_fall_on_the_days_of_the_events_own_clock(tmp_path: Path) -> None:
    # 00:30 in the daylight time that the start is given in; half past eleven the day before by the sun.
    dates = {"Date": ["2020-08-19T07:30:00Z", "2020-08-20T07:30:00Z"]}
    perimeters = write(tmp_path / "p.gpkg", TWO, dates)
    event = take(layers(tmp_path), perimeters=perimeters, start=datetime(2020, 8, 19, 7, tzinfo=UTC))
    assert event.utc_offset_h == -7.0
    assert event.observed_dates == (date(2020, 8, 19), date(2020, 8, 20))


@pytest.mark.parametrize("offset", [float("nan"), 1e12])
@pytest.mark.parametrize("start", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, tzinfo=UTC)])
def test_times_that_cannot_be_are_refused_beside_perimeters(tmp_path: Path, offset: float, start: datetime) -> None:
    perimeters = write(tmp_path / "p.gpkg", TWO, {"Date": ["2020-08-19T07:30:00Z", "2020-08-20T07:30:00Z"]})
    asked = source_of(layers(tmp_path), perimeters=perimeters, start=start, utc_offset_h=offset)
    assert asked.perimeters is not None
    with pytest.raises(InputError) as caught:
        import_landscape(replace(asked, perimeters=replace(asked.perimeters, utc_offset_h=offset)))
    assert {problem.where for problem in caught.value.problems} == {"start", "UTC offset"}


def test_what_is_said_of_days_and_start_wins(tmp_path: Path) -> None:
    perimeters = write(tmp_path / "p.gpkg", TWO, DATES)
    event = take(
        layers(tmp_path), perimeters=perimeters, days=3, start=datetime(2020, 8, 18, 7, tzinfo=UTC), utc_offset_h=-7.0,
        name="Mine",
    )  # fmt: skip
    assert (event.days, event.name, event.utc_offset_h) == (3, "Mine", -7.0)
    assert "Day 0 (2020-08-18) has no perimeter yet" in notes_of(event)


def test_a_start_before_the_perimeters_lengthens_the_weather(tmp_path: Path) -> None:
    perimeters = write(tmp_path / "p.gpkg", TWO, DATES)
    assert take(layers(tmp_path), perimeters=perimeters, start=datetime(2020, 8, 17, 8, tzinfo=UTC)).days == 4
    assert take(layers(tmp_path), perimeters=perimeters, start=datetime(2021, 8, 17, 8, tzinfo=UTC)).days == 15


def test_perimeters_years_apart_do_not_make_years_of_weather(tmp_path: Path) -> None:
    perimeters = write(tmp_path / "p.gpkg", TWO, {"Date": ["2020-08-19", "2012-08-19"]})
    assert "2,923 days of weather from 2012-08-19" in str(refusal(layers(tmp_path), perimeters=perimeters))
    assert take(layers(tmp_path), perimeters=perimeters, days=5).days == 5


def test_an_ignition_lights_the_cell_that_holds_it(tmp_path: Path) -> None:
    event = take(layers(tmp_path), ignition=Georeference(PLACED).lonlat(4.4, 6.6))
    assert event.ignition is not None
    assert np.argwhere(event.ignition).tolist() == [[4, 7]]
    assert event.days == 15
    assert "date of the fire is not known" in notes_of(event)


@pytest.mark.parametrize("corner", [(-0.49, -0.49), (5.49, 7.49)])
def test_the_raster_reaches_to_the_edges_of_its_cells(tmp_path: Path, corner: tuple[float, float]) -> None:
    assert take(layers(tmp_path), ignition=Georeference(PLACED).lonlat(*corner)).ignition is not None


def test_latitude_given_first_is_recognised(tmp_path: Path) -> None:
    lon, lat = Georeference(PLACED).lonlat(2, 3) or (0.0, 0.0)
    assert lon < -90.0, "then the exchange is not on the Earth at all"
    assert "give longitude, then latitude" in str(refusal(layers(tmp_path), ignition=(lat, lon)))
    grid = replace(PLACED, crs="EPSG:32634")
    lon, lat = Georeference(grid).lonlat(2, 3) or (0.0, 0.0)
    (tmp_path / "there").mkdir()
    assert "give longitude first" in str(refusal(layers(tmp_path / "there", grid), ignition=(lat, lon)))


def test_an_ignition_off_the_raster_is_told_what_the_raster_spans(tmp_path: Path) -> None:
    assert "the raster spans -123.0000 to -122.9972 in longitude" in str(
        refusal(layers(tmp_path), ignition=(-100.0, 40.0))
    )


def test_an_ignition_on_what_does_not_burn_is_refused(tmp_path: Path) -> None:
    fuel = full(101, np.int16)
    fuel[2, 3] = 98
    files = layers(tmp_path) | {"fuel": write_layer(tmp_path / "f.tif", fuel)}
    assert "is fuel 98, which does not burn" in str(refusal(files, ignition=Georeference(PLACED).lonlat(2, 3)))
    assert take(files, ignition=Georeference(PLACED).lonlat(2, 4)).ignition is not None


def test_an_ignition_needs_a_place_on_the_map(tmp_path: Path) -> None:
    files = layers(tmp_path, UNPLACED)
    assert "have no place on the map" in " ".join(said(refusal(files, ignition=(-122.0, 40.0))))


def test_the_same_files_give_the_same_event(tmp_path: Path) -> None:
    files = layers(tmp_path)
    one, other = take(files), take(files)
    assert_same_bits(one.layers["slope"], other.layers["slope"])
    assert one.notes == other.notes


def test_a_hurricane_is_told_because_it_mostly_is_another_unit(tmp_path: Path) -> None:
    files = layers(tmp_path)
    assert "The wind reaches 45 m/s (101 mph), which is a hurricane" in notes_of(take(files, wind_speed=45.0))
    assert "hurricane" not in notes_of(take(files, wind_speed=30.0))

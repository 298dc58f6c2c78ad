"""An event as rasters, and back."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.domain.grid import Grid
from firegui.domain.scenario import LAYERS, Scenario
from firegui.errors import CancelledError, InputError
from firegui.io.exporters.geotiff import write_layers_folder
from firegui.io.importers.folder import recognise
from firegui.io.importers.landscape import import_landscape
from firegui.io.importers.landscape_source import LANDSCAPE_FILE
from firegui.io.rasters.geotiff import read_raster
from tests.support import StopAt
from tests.unit.io.builders import PLACED, UNPLACED, assert_same_bits, change_text

LCC = "+proj=lcc +lat_0=35.5 +lon_0=-122.7 +lat_1=35.5 +lat_2=41.5 +x_0=0 +y_0=0 +R=6371200 +units=m +no_defs"


def full_event(grid: Grid = PLACED, **changes: Any) -> Scenario:
    """Every layer with holes and odd digits, a wind that differs everywhere, two perimeters and an ignition."""
    rng = np.random.default_rng(8)

    def draw(high: float, low: float = 0.0) -> Any:
        values = (low + rng.random(grid.shape) * (high - low)).astype(np.float32)
        values[0, 0] = np.nan
        return values

    layers = {
        "elevation": draw(2000.0, -3.0), "slope": draw(60.0), "aspect": draw(359.9),
        "fuel": rng.choice(np.array([8, 98, 101, 188, np.nan], np.float32), grid.shape), "canopy_cover": draw(95.0),
        "canopy_height": draw(50.0), "canopy_base_height": draw(9.0), "canopy_density": draw(0.45),
    }  # fmt: skip
    layers["aspect"][1, 1] = -1.0
    speed = (rng.random((3, *grid.shape)) * 20.0).astype(np.float32)
    towards = (rng.random((3, *grid.shape)) * 2.0 * np.pi - np.pi).astype(np.float32)
    seen = np.zeros((2, *grid.shape), np.bool_)
    seen[:, 2, 3] = seen[1, 2:5, 4] = True
    event = Scenario(
        "Ridge “Ü”", grid, datetime(2020, 8, 19, 7, tzinfo=UTC), -7.0, speed, towards, layers, seen[0].copy(), seen,
        (date(2020, 8, 19), date(2020, 8, 21)),
    )  # fmt: skip
    return replace(event, **changes)


def again(event: Scenario, folder: Path) -> Scenario:
    write_layers_folder(event, folder)
    return import_landscape(recognise(folder).source)


def same_direction(one: Any, other: Any) -> None:
    """The same to the last bit of float32, but for whole turns."""
    whole = (one.astype(np.float64) - other) / (2.0 * np.pi)
    assert np.abs(whole - np.round(whole)).max() < 1e-7


@pytest.mark.parametrize(
    "grid", [PLACED, Grid(6, 8, 30.0, (30.0, 0.0, -11054.812826814792, 0.0, -30.0, 347429.40833807114), LCC)]
)
def test_an_event_comes_back_as_it_was(tmp_path: Path, grid: Grid) -> None:
    before = full_event(grid)
    after = again(before, tmp_path / "out ü")
    assert after.grid == before.grid
    assert (after.name, after.start, after.utc_offset_h, after.days) == (
        before.name, before.start, before.utc_offset_h, before.days,
    )  # fmt: skip
    assert list(after.layers) == list(LAYERS)
    for key, values in before.layers.items():
        assert_same_bits(after.layers[key], values)
    assert_same_bits(after.wind_speed, before.wind_speed)
    same_direction(after.wind_dir, before.wind_dir)
    assert after.observed_dates == before.observed_dates
    for one, other in ((after.observed, before.observed), (after.ignition, before.ignition)):
        assert one is not None and other is not None
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    "changes",
    [
        {"observed": None, "observed_dates": ()},
        {"observed": None, "observed_dates": (), "ignition": None},
        {"ignition": None},
        {"layers": {"elevation": full_event().layers["elevation"]}},
    ],
)
def test_what_an_event_lacks_is_lacking_afterwards(tmp_path: Path, changes: dict[str, Any]) -> None:
    before = full_event(**changes)
    after = again(before, tmp_path / "out")
    assert list(after.layers) == list(before.layers)
    assert (after.observed is None, after.ignition is None) == (before.observed is None, before.ignition is None)


def test_the_files_say_what_they_hold(tmp_path: Path) -> None:
    files = write_layers_folder(full_event(), tmp_path / "out")
    assert sorted(path.name for path in files) == sorted(path.name for path in (tmp_path / "out").iterdir())
    wind = read_raster(tmp_path / "out" / "wind_direction.tif")
    assert wind.descriptions == ("2020-08-19", "2020-08-20", "2020-08-21")
    assert wind.tags["UNIT"] == "degrees clockwise from grid north, from"
    assert (wind.bands >= 0.0).all() and (wind.bands <= 360.0).all()
    # What blows towards the east comes from the west.
    east = full_event(wind_dir=np.zeros((3, *PLACED.shape), np.float32))
    write_layers_folder(east, tmp_path / "east")
    assert (read_raster(tmp_path / "east" / "wind_direction.tif").bands == 270.0).all()


def test_an_event_without_a_place_and_a_folder_that_holds_something_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no place on the map"):
        write_layers_folder(full_event(UNPLACED), tmp_path / "out")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(InputError):
        write_layers_folder(full_event(), tmp_path / "full")
    assert [path.name for path in tmp_path.rglob("*")] == ["full", "mine.txt"]


def test_a_cancelled_export_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(CancelledError):
        write_layers_folder(full_event(), tmp_path / "out", StopAt(4))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("format = 1", "format = 9", "format is 9"),
        ('elevation = "elevation.tif"', 'elevation = "../elevation.tif"', "lies outside the folder"),
        ('elevation = "elevation.tif"', 'moss = "elevation.tif"', "there is no layer 'moss'"),
        ("[wind]", "[winds]", "wind is missing"),
        ('speed = "wind_speed.tif"', 'pace = "wind_speed.tif"', "pace is not known here"),
        ("days = 3", 'days = "three"', "is text, not a whole number"),
    ],
)
def test_a_text_that_was_spoilt_is_refused(tmp_path: Path, old: str, new: str, what: str) -> None:
    write_layers_folder(full_event(), tmp_path / "out")
    change_text(tmp_path / "out" / LANDSCAPE_FILE, (old, new))
    with pytest.raises(InputError, match=what):
        recognise(tmp_path / "out")

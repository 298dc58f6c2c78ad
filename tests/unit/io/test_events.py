from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from firegui.domain.scenario import Scenario
from firegui.errors import InputError
from firegui.io.importers.events import EventFileSource, import_events, list_events
from tests.unit.io.builders import PLACED, assert_each_said, refused_for
from tests.unit.io.landscape_files import (
    EASTWARD,
    FIRE,
    FIRST,
    NORTHWARD,
    SHAPE,
    event_arrays,
    full,
    write_events,
)


def dates(count: int) -> tuple[date, ...]:
    return tuple(FIRST + timedelta(days=day) for day in range(count))


def take(path: Path, arrays: dict[str, Any], **more: Any) -> Scenario:
    """Write one event and import it."""
    return import_events(EventFileSource(write_events(path / "fires.hdf5", {"Bear_2020": arrays}), **more))


def refusal(path: Path, arrays: dict[str, Any], **more: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        take(path, arrays, **more)
    return caught.value


# -- what is read ------------------------------------------------------------------------------------------------------
def test_layers_come_into_our_units_and_it_is_said_how(tmp_path: Path) -> None:
    event = take(tmp_path, event_arrays())
    found = {key: layer[0, 0] for key, layer in event.layers.items()}
    assert found == {
        "elevation": 1200.0, "slope": 12.0, "aspect": -1.0, "fuel": 122.0, "canopy_cover": 45.0, "canopy_height": 15.0,
        "canopy_density": np.float32(0.09),
    }  # fmt: skip
    assert "canopy height 150 to 150 m × 10, canopy bulk density 9 to 9 kg/m³ × 100" in "\n".join(event.notes)
    assert not any("Missing" in note for note in event.notes)


def test_the_layout_states_the_units_whatever_the_numbers_look_like(tmp_path: Path) -> None:
    arrays = event_arrays() | {"230CH": full(30, np.int16), "230CBD": full(0.5), "230CC": full(0.5)}
    event = take(tmp_path, arrays)
    assert event.layers["canopy_height"][0, 0] == 3.0
    assert event.layers["canopy_density"][0, 0] == np.float32(0.005)
    assert event.layers["canopy_cover"][0, 0] == 0.5


def test_minus_9999_is_no_data_in_every_layer(tmp_path: Path) -> None:
    arrays = event_arrays()
    for value in arrays.values():
        if not isinstance(value, dict):
            value[1, 1] = -9999
    event = take(tmp_path, arrays)
    assert all(np.isnan(layer[1, 1]) and np.isnan(layer).sum() == 1 for layer in event.layers.values())
    assert any("No data: elevation in 1 cell, slope in 1 cell" in note for note in event.notes)


@pytest.mark.parametrize("fire_value", [1, 255])
def test_fire_rasters_become_cumulative_perimeters(tmp_path: Path, fire_value: int) -> None:
    event = take(tmp_path, event_arrays(3, fire_value))
    assert event.observed_dates == dates(3)
    assert event.observed is not None and event.observed.dtype == np.bool_
    assert event.observed.sum(axis=(1, 2)).tolist() == [4, 6, 8]


def test_daily_increments_are_joined(tmp_path: Path) -> None:
    arrays = event_arrays(2)
    increment = full(0, np.int16)
    increment[5, 5] = 1
    increment[0, 0] = -9999
    arrays[FIRE]["2020-08-20"] = increment
    event = take(tmp_path, arrays)
    assert event.observed is not None
    assert event.observed[1].sum() == 4 + 1
    assert any("No data in 1 cell of the fire rasters" in note for note in event.notes)


def test_a_fire_raster_without_fire_is_no_observation(tmp_path: Path) -> None:
    arrays = event_arrays(3)
    arrays[FIRE]["2020-08-20"] = full(0, np.uint8)
    event = take(tmp_path, arrays)
    assert event.observed_dates == (dates(3)[0], dates(3)[2])
    assert any("left out (1 of 3)" in note for note in event.notes)
    assert any("2020-08-20" in note for note in event.notes)


def test_boolean_fire_rasters_are_read(tmp_path: Path) -> None:
    arrays = event_arrays(1)
    arrays[FIRE] = {"2020-08-19": np.eye(*SHAPE) > 0}
    event = take(tmp_path, arrays)
    assert event.observed is not None and event.observed.sum() == 6


def test_wind_parts_become_daily_wind_from_the_first_day_that_has_it(tmp_path: Path) -> None:
    event = take(tmp_path, event_arrays(3))
    assert event.wind_speed.shape == (3, *SHAPE)
    assert event.wind_speed[0, 0, 0] == 5.0
    assert event.wind_dir[0, 0, 0] == pytest.approx(np.arctan2(4, 3))
    assert event.date_of_day(0) == FIRST
    assert any("Day 0 is 2020-08-19" in note for note in event.notes)


def test_missing_dates_of_wind_are_filled_from_the_day_before_and_said(tmp_path: Path) -> None:
    arrays = event_arrays(4)
    del arrays[EASTWARD]["2020-08-20"], arrays[NORTHWARD]["2020-08-21"]
    event = take(tmp_path, arrays)
    assert event.days == 4
    assert any("No wind on 2020-08-20, 2020-08-21" in note for note in event.notes)


def test_perimeters_before_the_wind_are_kept_and_set_the_start(tmp_path: Path) -> None:
    arrays = event_arrays(3)
    for key in (EASTWARD, NORTHWARD):
        del arrays[key]["2020-08-19"]
    event = take(tmp_path, arrays)
    assert event.date_of_day(0) == date(2020, 8, 20)
    ignition = event.fire_on(0)
    assert ignition is not None and ignition.sum() == 6


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y%m%d", "%Y_%m_%d", "%Y-%m-%dT00:00:00"])
def test_dates_are_read_in_the_usual_forms(tmp_path: Path, form: str) -> None:
    arrays = event_arrays(2)
    renamed = {
        key: {date.fromisoformat(when).strftime(form): raster for when, raster in value.items()}
        if isinstance(value, dict)
        else value
        for key, value in arrays.items()
    }
    assert take(tmp_path, renamed).observed_dates == dates(2)


def test_subgroups_of_dates_that_hold_the_three_rasters_are_read_as_well(tmp_path: Path) -> None:
    arrays = event_arrays(2)
    turned = {key: value for key, value in arrays.items() if not isinstance(value, dict)}
    for when in ("2020-08-19", "2020-08-20"):
        turned[when] = {key: arrays[key][when] for key in (FIRE, EASTWARD, NORTHWARD)}
    event, usual = take(tmp_path, turned), take(tmp_path, arrays)
    assert event.observed is not None and usual.observed is not None
    assert np.array_equal(event.observed, usual.observed)
    assert np.array_equal(event.wind_dir, usual.wind_dir)


def test_other_versions_of_a_layer_are_known_and_the_newest_is_used(tmp_path: Path) -> None:
    arrays = event_arrays() | {"140CC": full(10, np.int16), "ELEV2020": None, "ELEV2016": full(77, np.int16)}
    event = take(tmp_path, arrays)
    assert (event.layers["canopy_cover"] == 45.0).all()
    assert (event.layers["elevation"] == 77.0).all()
    assert "Not used: 140CC." in event.notes


def test_an_axis_of_length_one_is_taken_off(tmp_path: Path) -> None:
    assert take(tmp_path, event_arrays() | {"SLPD2020": full(9)[np.newaxis]}).layers["slope"].shape == SHAPE


# -- what is missing ---------------------------------------------------------------------------------------------------
def test_missing_layers_are_said(tmp_path: Path) -> None:
    event = take(tmp_path, event_arrays() | {"ELEV2020": None, "230FBFM40": None})
    assert event.missing_layers == ("elevation", "fuel")
    assert "Missing layers: elevation, fuel model." in event.notes


def test_an_event_without_fire_is_read_and_says_that_nothing_burns(tmp_path: Path) -> None:
    event = take(tmp_path, event_arrays() | {FIRE: None})
    assert event.observed is None
    assert any("nothing burns in this event" in note for note in event.notes)


def test_an_event_without_wind_is_refused(tmp_path: Path) -> None:
    assert "Bear_2020: has no day with wind" in str(refusal(tmp_path, event_arrays() | {NORTHWARD: None}))


def test_what_is_not_known_is_named(tmp_path: Path) -> None:
    arrays = event_arrays() | {"NDVI": full(1), "temperature": {"2020-08-19": full(300)}}
    arrays[FIRE]["notes"] = full(0)
    assert "Not used: NDVI, fire/notes, temperature." in take(tmp_path, arrays).notes


# -- place and time ----------------------------------------------------------------------------------------------------
def test_the_layout_has_no_place_and_30_m_cells_are_assumed_and_said(tmp_path: Path) -> None:
    event = take(tmp_path, event_arrays())
    assert (event.grid.cell_size_m, event.grid.is_georeferenced) == (30.0, False)
    assert any("no CRS and transform" in note and "taken to be 30 m" in note for note in event.notes)
    assert event.start == datetime(2020, 8, 19, tzinfo=UTC)


def test_a_place_and_a_local_time_can_be_given(tmp_path: Path) -> None:
    event = take(tmp_path, event_arrays(), crs=PLACED.crs, transform=PLACED.transform, utc_offset_h=-7.0, name="Mine")
    assert event.grid == PLACED
    assert event.start == datetime(2020, 8, 19, 7, tzinfo=UTC)
    assert event.name == "Mine"


# -- which event -------------------------------------------------------------------------------------------------------
@pytest.fixture
def several(tmp_path: Path) -> Path:
    return write_events(tmp_path / "six.hdf5", {"Pier_2017": event_arrays(2), "Bear_2020": event_arrays(3)})


def test_the_events_of_a_file_are_listed_by_name(several: Path) -> None:
    found = [(entry.name, entry.shape, entry.dates) for entry in list_events(several)]
    assert found == [("Bear_2020", SHAPE, dates(3)), ("Pier_2017", SHAPE, dates(2))]


def test_the_named_event_is_read(several: Path) -> None:
    event = import_events(EventFileSource(several, "Pier_2017"))
    assert (event.name, event.days) == ("Pier 2017", 2)


@pytest.mark.parametrize(
    ("name", "said"), [(None, "holds 2 events: Bear_2020, Pier_2017"), ("Carr", "no event 'Carr', but Bear_2020, Pie")]
)
def test_without_a_name_or_with_a_wrong_one_the_events_are_listed(several: Path, name: str | None, said: str) -> None:
    with pytest.raises(InputError, match="name one of them") as caught:
        import_events(EventFileSource(several, name))
    assert said in str(caught.value)


def test_a_wrong_event_does_not_hide_a_wrong_place(several: Path) -> None:
    source = EventFileSource(several, "Carr", crs="EPSG:999999", transform=(1.0, 2.0), utc_offset_h=50.0)
    with refused_for("no event 'Carr'", "EPSG:999999' is unknown", "transform", "50.0 hours"):
        import_events(source)


def test_the_only_event_needs_no_name(tmp_path: Path) -> None:
    assert take(tmp_path, event_arrays()).name == "Bear 2020"


def test_a_file_without_height_and_width_is_sized_by_its_rasters(tmp_path: Path) -> None:
    path = write_events(tmp_path / "f.hdf5", {"Bear_2020": event_arrays()}, attributes=False)
    assert list_events(path)[0].shape == SHAPE
    assert import_events(EventFileSource(path)).grid.shape == SHAPE


# -- bad files ---------------------------------------------------------------------------------------------------------
def test_every_bad_raster_is_listed_at_once(tmp_path: Path) -> None:
    arrays = event_arrays(2) | {
        "SLPD2020": full(120, np.int16), "230CC": np.zeros((3, 3), np.int16), "230CH": np.array([["a"] * 8] * 6, "S1"),
        "230CBD": np.zeros((2, 6, 8), np.int16),
    }  # fmt: skip
    arrays[FIRE]["2020-08-20"] = full(7, np.uint8)
    arrays[FIRE]["20200819"] = full(1, np.uint8)
    arrays[EASTWARD] = {"2020-08-19": full(300.0)}
    error = refusal(tmp_path, arrays, crs="EPSG:999999", transform=PLACED.transform, utc_offset_h=50.0)
    assert_each_said(
        error,
        [
            "Bear_2020/SLPD2020: 48 of 48 cells hold 120",
            "Bear_2020/230CC: has 3 × 3 cells, not the 6 × 8 that height and width of the event say",
            "Bear_2020/230CH: holds |S1 values, not numbers",
            "Bear_2020/230CBD: has shape [2, 6, 8]",
            "Bear_2020/fire/2020-08-20: 48 cells hold neither 0 nor 1 nor 255 (such as 7)",
            "is a second raster for 2020-08-19",
            "wind of 2020-08-19: is above 100 m/s",
            "EPSG:999999' is unknown",
            "50.0 hours",
        ],
    )


def test_a_file_that_is_not_hdf5_is_refused(tmp_path: Path) -> None:
    (tmp_path / "f.hdf5").write_text("not at all")
    with pytest.raises(InputError, match=r"f\.hdf5: is not an HDF5 file"):
        list_events(tmp_path / "f.hdf5")
    with pytest.raises(InputError, match="the file does not exist"):
        list_events(tmp_path / "none.hdf5")


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = write_events(tmp_path / "f.hdf5", {"Bear_2020": event_arrays()})
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InputError, match=r"f\.hdf5: cannot be read"):
        list_events(path)


def test_a_file_without_an_event_is_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "f.hdf5", "w") as file:
        file.create_group("empty")
        file["ELEV2020"] = full(3)
    with pytest.raises(InputError, match="holds no event — give a file with one group an event"):
        list_events(tmp_path / "f.hdf5")


def test_a_link_that_leads_nowhere_is_passed_over(tmp_path: Path) -> None:
    path = write_events(tmp_path / "f.hdf5", {"Bear_2020": event_arrays()})
    with h5py.File(path, "a") as file:
        file["Bear_2020/230CC_old"] = h5py.SoftLink("/nowhere")
    assert import_events(EventFileSource(path)).days == 3

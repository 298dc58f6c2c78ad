from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from firegui.errors import CancelledError, InputError
from firegui.io.importers.folder import recognise
from firegui.io.importers.landscape import import_landscape
from tests.support import stop
from tests.unit.io.builders import SHARED_DATA
from tests.unit.io.importers.places import GRID, hills, write
from tests.unit.io.importers.test_lcp import bands
from tests.unit.io.vectors.test_perimeters import DATES, TWO
from tests.unit.io.vectors.test_perimeters import write as write_polygons


def fill(folder: Path) -> Path:
    """LANDFIRE's names, a wind, a readme."""
    whole = np.full(GRID.shape, 12, np.int16)
    for name in ("LC20_Elev_220", "LC20_SlpP_220", "LF2020_CC_200", "LF2020_CBH_200", "extra"):
        write(folder, name, hills() if "Elev" in name else whole)
    write(folder, "ws", np.full((25, *GRID.shape), 5.0, np.float32))
    write(folder, "wd", np.full((25, *GRID.shape), 45.0, np.float32))
    (folder / "readme.md").write_text("mine")
    (folder / ".hidden").write_text("hidden")
    return folder


def test_the_files_of_a_folder_are_told_by_their_names_and_it_is_said_which(tmp_path: Path) -> None:
    found = recognise(fill(tmp_path))
    assert {key: file.path.name for key, file in found.source.layers.items()} == {
        "elevation": "LC20_Elev_220.tif", "slope": "LC20_SlpP_220.tif", "canopy_cover": "LF2020_CC_200.tif",
        "canopy_base_height": "LF2020_CBH_200.tif",
    }  # fmt: skip
    assert found.source.layers["slope"].unit == "percent"
    assert [path.name for path in found.source.wind.files] == ["ws.tif", "wd.tif"]
    assert "Not known: extra.tif, readme.md." in found.notes
    assert any(note.startswith("LF2020_CBH_200.tif: canopy base height") for note in found.notes)
    event = import_landscape(found.source)
    assert event.days == 1 and event.name == tmp_path.name


def test_perimeters_are_told_by_what_they_hold(tmp_path: Path) -> None:
    write_polygons(tmp_path / "anything.gpkg", TWO, DATES)
    found = recognise(fill(tmp_path))
    assert found.source.perimeters is not None
    assert found.source.perimeters.file.name == "anything.gpkg"


def test_a_landscape_file_is_told_by_its_bands(tmp_path: Path) -> None:
    path = write(tmp_path, "anything", bands()).path
    found = recognise(path.parent)
    assert found.source.lcp == path
    assert "anything.tif: a landscape file of 8 bands." in found.notes


def test_files_that_were_chosen_are_looked_at_without_their_folder(tmp_path: Path) -> None:
    fill(tmp_path)
    found = recognise([tmp_path / "LF2020_CC_200.tif", tmp_path / "readme.md"])
    assert list(found.source.layers) == ["canopy_cover"]
    assert "Not known: readme.md." in found.notes


def test_of_two_files_for_one_layer_the_first_is_taken_and_the_other_named(tmp_path: Path) -> None:
    for name in ("dem_a", "dem_b"):
        write(tmp_path, name, hills())
    found = recognise(tmp_path)
    assert found.source.layers["elevation"].path.name == "dem_a.tif"
    assert "dem_b.tif: also called like elevation; dem_a.tif was taken." in found.notes


def test_half_a_wind_is_not_used_and_a_broken_raster_is_named(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "wd.tif").write_bytes(b"II*\0broken")
    found = recognise(tmp_path)
    assert found.source.wind.files == ()
    assert any("wd.tif" in text and "cannot be read" in text for text in found.unreadable)
    assert any("Only one part of a wind" in note for note in found.notes)


def test_where_nothing_is_known_it_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("mine")
    for where in (tmp_path, tmp_path / "none", tmp_path / "readme.md", [tmp_path / "readme.md"], []):
        with pytest.raises(InputError) as caught:
            recognise(where)
        assert all(problem.remedy for problem in caught.value.problems)


def test_looking_through_a_folder_can_be_cancelled(tmp_path: Path) -> None:
    with pytest.raises(CancelledError):
        recognise(fill(tmp_path), stop)


@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the real fires are not beside the repository (../shared/data)")
def test_the_folder_of_tubbs_is_known_whole() -> None:
    found = recognise(SHARED_DATA / "tubbs2017")
    assert len(found.source.layers) == 8
    assert [path.name for path in found.source.wind.files] == ["ws.tif", "wd.tif"]
    assert found.source.perimeters is not None
    assert found.source.perimeters.file.name == "ignition_mask.tif"
    assert any(note.startswith("viirs_tubbs.shp: not used") for note in found.notes)


def test_a_damaged_raster_stops_the_import_if_its_name_says_what_it_is_and_is_named_otherwise(tmp_path: Path) -> None:
    folder = fill(tmp_path)
    for name in ("LC20_SlpP_220", "extra"):
        (folder / f"{name}.tif").write_bytes(b"no raster at all")
    found = recognise(folder)
    assert any("extra.tif" in text and "left out" in text for text in found.unreadable)
    with pytest.raises(InputError, match=r"LC20_SlpP_220\.tif"):
        import_landscape(found.source)


def test_files_that_cannot_be_read_are_named_where_nothing_else_is_there(tmp_path: Path) -> None:
    (tmp_path / "xyz.tif").write_bytes(b"no raster at all")
    with pytest.raises(InputError, match=r"xyz\.tif"):
        recognise(tmp_path)


def test_observed_perimeters_go_before_what_a_fire_model_made(tmp_path: Path) -> None:
    for name, columns in (
        ("a_farsite_perimeters", DATES),
        ("b_run", DATES | {"Elapsed_Mi": ["60", "120"]}),
        ("run_12_perimeters", DATES),
        ("z_observed_2020-08-19", {"Name": ["x", "y"]}),
    ):
        write_polygons(tmp_path / f"{name}.gpkg", TWO, columns)
    write(tmp_path, "simulated_fire", np.ones(GRID.shape, np.uint8))
    found = recognise(fill(tmp_path))
    assert found.source.perimeters is not None
    assert found.source.perimeters.file.name == "z_observed_2020-08-19.gpkg"
    for name in ("a_farsite_perimeters.gpkg", "b_run.gpkg", "run_12_perimeters.gpkg", "simulated_fire.tif"):
        assert any(note.startswith(f"{name}: not used, it is what a fire model computed") for note in found.notes)


def test_of_several_observed_files_that_with_most_dates_is_taken_and_then_the_earliest(tmp_path: Path) -> None:
    write_polygons(tmp_path / "a.gpkg", TWO[:1], {"Date": ["2020-08-21"]})
    write_polygons(tmp_path / "b.gpkg", TWO[:1], {"Date": ["2020-08-20"]})
    found = recognise(fill(tmp_path))
    assert found.source.perimeters is not None and found.source.perimeters.file.name == "b.gpkg"
    write_polygons(tmp_path / "c.gpkg", TWO, DATES)
    found = recognise(tmp_path)
    assert found.source.perimeters is not None and found.source.perimeters.file.name == "c.gpkg"


def test_the_40_fuel_models_go_before_the_13(tmp_path: Path) -> None:
    for name in ("LC20_F13_220", "LC20_F40_220"):
        write(tmp_path, name, np.full(GRID.shape, 5 if "13" in name else 101, np.int16))
    found = recognise(tmp_path)
    assert found.source.layers["fuel"].path.name == "LC20_F40_220.tif"
    assert "LC20_F13_220.tif: the 13 original models; LC20_F40_220.tif was taken." in found.notes


def test_a_list_of_stations_is_no_wind_and_is_named(tmp_path: Path) -> None:
    (tmp_path / "stations.csv").write_text("Station,Latitude,Longitude\nA,39.7,-122.9\n")
    write(tmp_path, "dem", hills())
    assert "stations.csv: places of weather stations." in recognise(tmp_path).notes

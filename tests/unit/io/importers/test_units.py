from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rasterio.shutil import copy

from firegui.errors import InputError, Problems
from firegui.io.importers.landscape import import_landscape
from firegui.io.importers.landscape_source import LayerBand
from firegui.io.importers.layer_values import UNITS, ImportedLayer, find_unit, read_values
from firegui.io.rasters.warp import RasterGeometry, horn, north_angle
from tests.unit.io.builders import assert_same_bits
from tests.unit.io.importers.places import GRID, event, hills, source, write
from tests.unit.io.importers.test_lcp import bands


def read(key: str, raw: Any, unit: str | None = None) -> ImportedLayer:
    problems = Problems()
    layer = read_values(key, np.asarray(raw), f"{key}.tif", problems, unit=unit)
    assert layer is not None, list(problems)
    return layer


@pytest.mark.parametrize(
    ("key", "raw", "unit", "value"),
    [
        ("elevation", 1000.0, "ft", 304.8),
        ("elevation", 12_000, None, 3657.6),
        ("slope", 100, "percent", 45.0),
        ("slope", 173.205, None, 60.0),
        ("aspect", 90.0, "degrees from east", 0.0),
        ("aspect", 360.0, "degrees from east", 90.0),
        ("aspect", 0.0, "degrees from east", -1.0),
        ("canopy_cover", 3, None, 65.0),
        ("canopy_cover", 3, "percent", 3.0),
        ("canopy_cover", 0.5, "fraction", 50.0),
        ("canopy_height", 100, "ft", 30.48),
        ("canopy_height", 1000, "ft×10", 30.48),
        ("canopy_height", 120, "m", 120.0),
        ("canopy_density", 10.0, "lb/ft3×1000", 0.1601846),
        ("canopy_density", 12.0, "kg/m3×100", 0.12),
    ],
)
def test_a_unit_that_is_said_or_seen_is_converted(key: str, raw: float, unit: str | None, value: float) -> None:
    assert read(key, [[raw]], unit).values[0, 0] == pytest.approx(value, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize(("key", "raw"), [("elevation", 12_000), ("slope", 200), ("canopy_cover", 4)])
def test_an_unusual_unit_that_is_guessed_is_said(key: str, raw: float) -> None:
    (note,) = read(key, [[raw]]).notes
    assert "read as such" in note or "are taken to be" in note


def test_values_that_the_unit_cannot_hold_are_refused() -> None:
    problems = Problems()
    assert read_values("canopy_height", np.array([[130.0]]), "ch", problems, unit="m") is None
    assert "hold 130" in str(next(iter(problems)))


@pytest.mark.parametrize(
    ("key", "text", "unit"),
    [
        ("canopy_height", "m x 10", "m×10"), ("canopy_height", "m*10", "m×10"), ("canopy_height", "feet", "ft"),
        ("slope", "%", "percent"), ("canopy_density", "kg/m³ × 100", "kg/m3×100"),
        ("canopy_density", "kg/m^3", "kg/m3"), ("aspect", "degrees from east", "degrees from east"),
        ("fuel", "fbfm13", "FBFM13"), ("elevation", "fathoms", None),
    ],
)  # fmt: skip
def test_units_are_understood_in_the_ways_people_write_them(key: str, text: str, unit: str | None) -> None:
    assert find_unit(key, text) == unit


def test_every_unit_is_found_by_its_own_name() -> None:
    assert all(find_unit(key, unit) == unit for key, units in UNITS.items() for unit in units)


def test_codes_of_the_13_models_are_recognised_and_said() -> None:
    layer = read("fuel", [[8, 10, 4, 99, 98]])
    assert layer.reading == "fuel model FBFM13 codes"
    assert layer.unit == "FBFM13"
    assert layer.values.tolist() == [[8.0, 10.0, 4.0, 99.0, 98.0]]
    assert layer.notes == ("Fuel model: codes of the 13 original models in 3 cells; no network knows them.",)
    assert read("fuel", [[8, 188]]).reading == "fuel model FBFM40 and FBFM13 codes"
    assert np.isnan(read("fuel", [[188, 188, 8]], "FBFM40").values[0, 2])


def terrain(folder: Path, elevation: Any, slope: Any, aspect: Any = None) -> dict[str, LayerBand]:
    files = {"elevation": write(folder, "dem", elevation), "slope": write(folder, "slp", slope)}
    return files if aspect is None else files | {"aspect": write(folder, "asp", aspect)}


def test_elevation_in_feet_is_seen_beside_a_slope(tmp_path: Path) -> None:
    slope = horn(hills(), 30.0)[0]
    found = event(terrain(tmp_path, hills() / np.float32(0.3048), slope))
    assert np.abs(found.layers["elevation"] - hills()).max() < 1e-2
    assert any(note.startswith("Elevation taken to be in feet") for note in found.notes)
    (reading,) = (note for note in found.notes if note.startswith("Layers read as"))
    assert " ft, slope " in reading and " m," not in reading


def test_slope_in_percent_is_seen_beside_an_elevation(tmp_path: Path) -> None:
    slope = horn(hills(), 30.0)[0]
    percent = (np.tan(np.deg2rad(slope)) * 100.0).astype(np.float32)
    assert percent.max() < 90.0, "else it would be seen without an elevation"
    found = event(terrain(tmp_path, hills(), percent))
    assert np.abs(found.layers["slope"] - slope).max() < 1e-3
    assert any(note.startswith("Slope taken to be in percent") for note in found.notes)


def test_a_unit_that_is_said_is_never_changed(tmp_path: Path) -> None:
    percent = (np.tan(np.deg2rad(horn(hills(), 30.0)[0])) * 100.0).astype(np.float32)
    files = terrain(tmp_path, hills(), percent)
    files = {key: LayerBand(file.path, unit={"elevation": "m", "slope": "degrees"}[key]) for key, file in files.items()}
    found = event(files)
    assert_same_bits(found.layers["slope"], percent)
    assert any("check the units" in note for note in found.notes)


def test_a_slope_that_has_nothing_to_do_with_the_elevation_changes_no_unit(tmp_path: Path) -> None:
    found = event(terrain(tmp_path, hills(), np.full(hills().shape, 5, np.float32)))
    assert_same_bits(found.layers["elevation"], hills())
    assert any("are of one place" in note for note in found.notes)


@pytest.mark.parametrize(
    ("turn", "what"), [(0.0, "agrees with the elevation"), (180.0, "point uphill"), (15.0, "turned by +15°")]
)
def test_an_aspect_that_faces_another_way_is_said(tmp_path: Path, turn: float, what: str) -> None:
    slope, aspect = horn(hills(), 30.0)
    found = event(terrain(tmp_path, hills(), slope, (aspect + np.float32(turn)) % np.float32(360.0)))
    assert any("aspect layer" in note and what in note for note in found.notes)


def test_a_unit_that_is_unknown_and_a_band_that_is_not_there_are_refused(tmp_path: Path) -> None:
    dem = write(tmp_path, "dem", hills())
    files = {"elevation": LayerBand(dem.path, unit="fathoms"), "slope": LayerBand(dem.path, band=2)}
    with pytest.raises(InputError) as caught:
        import_landscape(source(files))
    assert "the unit 'fathoms' is unknown" in str(caught.value)
    assert "has no band 2; it holds 1" in str(caught.value)


def test_percent_in_a_slope_whose_file_says_degrees_is_seen_by_the_elevation(tmp_path: Path) -> None:
    slope, aspect = horn(hills(), 30.0)
    stack = bands()
    stack[0], stack[1], stack[2] = hills(), np.tan(np.deg2rad(slope)) * 100.0, aspect
    tif = write(tmp_path, "in_order", stack.round().astype(np.int16)).path
    copy(tif, tmp_path / "a.lcp", driver="LCP", SLOPE_UNIT="DEGREES")
    found = import_landscape(source({}, lcp=tmp_path / "a.lcp"))
    assert np.abs(found.layers["slope"] - slope).max() < 1.0
    assert any(note.startswith("Slope taken to be in percent") for note in found.notes)


def test_an_aspect_that_counts_from_true_north_is_turned_to_the_grids(tmp_path: Path) -> None:
    """Three degrees west of the central meridian grid north lies 1.9° from true north."""
    west = replace(GRID, transform=(30.0, 0.0, 250_000.0, 0.0, -30.0, 4_400_010.0))
    heights = hills()
    slope, aspect = horn(heights, 30.0)
    turn = north_angle(RasterGeometry(west.shape, west.transform, "EPSG:4326"), west)
    assert 1.5 < abs(turn) < 2.5
    true = np.where(aspect < 0.0, aspect, (aspect - turn) % 360.0).astype(np.float32)
    files = {"elevation": write(tmp_path, "dem", heights, west)}
    for name, values in (("true", true), ("grid", aspect)):
        found = event(files | {"aspect": write(tmp_path, name, values, west)})
        steep = slope > 1.0
        apart = (found.layers["aspect"] - aspect + 180.0) % 360.0 - 180.0
        assert np.abs(apart[steep]).max() < 0.1
        assert any("counts from true north" in note for note in found.notes) == (name == "true")

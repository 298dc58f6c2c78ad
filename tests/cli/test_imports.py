"""Landscapes and event files of one's own, from the command line to a saved project."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from firegui.io.project.store import load_project
from tests.cli.conftest import Run
from tests.unit.io.builders import PLACED, SHARED_DATA
from tests.unit.io.landscape_files import event_arrays, full, write_events, write_layer
from tests.unit.io.vectors.test_perimeters import DATES, TWO, write

WIND = ("--wind-speed", 3, "--wind-from", 270)


@pytest.fixture
def layers(tmp_path: Path) -> tuple[object, ...]:
    """The words that name a slope and a density."""
    return (
        "--slope", write_layer(tmp_path / "slope.tif", full(12, np.int16)),
        "--canopy-density", write_layer(tmp_path / "cbd.tif", full(9, np.int16)),
    )  # fmt: skip


@pytest.fixture
def six_fires(tmp_path: Path) -> Path:
    """An event file of two events."""
    return write_events(tmp_path / "six.hdf5", {"Bear_2020": event_arrays(3), "Pier_2017": event_arrays(2, 255)})


def test_a_landscape_becomes_a_saved_project(firegui: Run, layers: tuple[object, ...], tmp_path: Path) -> None:
    out = tmp_path / "mine.firegui"
    perimeters = write(tmp_path / "p.gpkg", TWO, DATES)
    answer = firegui("import", "landscape", *layers, *WIND, "--perimeters", perimeters, "--out", out, "--json")
    assert answer.code == 0
    found = answer.json
    assert found["layers"]["present"] == ["slope", "canopy_density"]
    assert found["dates"]["first"] == "2020-08-19" and found["dates"]["days"] == 2
    assert found["perimeters"]["dates"] == ["2020-08-19", "2020-08-20"]
    assert found["problems"] == []
    assert any("canopy bulk density 9 to 9 kg/m³ × 100" in note for note in found["notes"])
    saved = load_project(out)
    assert saved.scenario.grid == PLACED
    assert (saved.scenario.layers["canopy_density"] == np.float32(0.09)).all()
    assert (saved.scenario.wind_speed == 3.0).all() and np.allclose(saved.scenario.wind_dir, 0.0, atol=1e-4)


def test_an_ignition_takes_the_place_of_perimeters(firegui: Run, layers: tuple[object, ...], tmp_path: Path) -> None:
    words = ("--ignition", "-122.9990,39.7490", "--days", 4, "--start", "2020-08-19T07:00Z", "--name", "Ridge")
    answer = firegui("import", "landscape", *layers, *WIND, *words, "--out", tmp_path / "i.firegui", "--json")
    assert answer.code == 0, answer.err
    saved = load_project(tmp_path / "i.firegui").scenario
    assert saved.name == "Ridge"
    assert saved.ignition is not None and saved.ignition.sum() == 1
    assert answer.json["dates"] | {"days": 4, "first": "2020-08-19"} == answer.json["dates"]


def test_every_problem_of_a_landscape_is_listed_and_nothing_is_written(
    firegui: Run, layers: tuple[object, ...], project: Path, tmp_path: Path
) -> None:
    cover = write_layer(tmp_path / "cover.tif", np.full((9, 9), 400, np.int16))
    before = sorted(project.rglob("*"))
    answer = firegui(
        "import",
        "landscape",
        *layers,
        "--canopy-cover",
        cover,
        "--ignition",
        "here",
        "--start",
        "soon",
        "--out",
        project,
    )
    assert answer.code == 2
    for said in (
        "exists already",
        "--ignition: 'here' is not a place",
        "--start: 'soon' is not a time",
        "canopy cover (cover.tif): 48 of 48 cells hold 400",
        "is not given (--wind-speed, --wind-from",
    ):
        assert said in answer.err
    assert sorted(project.rglob("*")) == before


def test_an_event_of_an_hdf5_file_becomes_a_saved_project(firegui: Run, six_fires: Path, tmp_path: Path) -> None:
    out = tmp_path / "bear.firegui"
    answer = firegui("import", "events", six_fires, "--event", "Bear_2020", "--out", out, "--json")
    assert answer.code == 0
    found = answer.json
    assert found["name"] == "Bear 2020"
    assert found["layers"]["missing"] == []
    assert found["perimeters"]["cells_by_day"] == {"0": 4, "1": 6, "2": 8}
    assert found["grid"]["crs"] is None
    assert any("cells are taken to be 30 m" in note for note in found["notes"])
    assert load_project(out).scenario.wind_speed[0, 0, 0] == 5.0


def test_an_event_is_placed_where_it_is_said_to_be(firegui: Run, six_fires: Path, tmp_path: Path) -> None:
    words = ("--crs", "EPSG:32610", "--transform", "30,0,500000,0,-30,4400000", "--utc-offset", -7)
    answer = firegui("import", "events", six_fires, "--event", "Pier_2017", *words, "--out", tmp_path / "p.firegui")
    assert answer.code == 0
    assert load_project(tmp_path / "p.firegui").scenario.grid == PLACED


@pytest.mark.parametrize("words", [(), ("--event", "Carr_2018")])
def test_without_the_name_of_an_event_they_are_listed(
    firegui: Run, six_fires: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    answer = firegui("import", "events", six_fires, *words, "--out", tmp_path / "x.firegui")
    answer.assert_refused("Bear_2020, Pier_2017")
    assert not (tmp_path / "x.firegui").exists()


def test_a_file_that_is_not_hdf5_is_refused_with_the_other_problems(
    firegui: Run, project: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.hdf5").write_text("text")
    answer = firegui("import", "events", tmp_path / "a.hdf5", "--transform", "1,2", "--out", project)
    answer.assert_refused("a.hdf5: is not an HDF5 file", "'1,2' is not six numbers", "exists already")


@pytest.mark.slow
@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the real fires are not beside the repository (../shared/data)")
@pytest.mark.parametrize(("name", "cells"), [("pier2017", 23_398), ("buck2017", 8_808)])
def test_pier_and_buck_are_imported_by_the_same_words(firegui: Run, tmp_path: Path, name: str, cells: int) -> None:
    data = SHARED_DATA / name
    files = ("--slope", data / "slope.tif", "--canopy-cover", data / "canopy.tif")
    more = ("--canopy-density", data / "density.tif", "--perimeters", data)
    answer = firegui("import", "landscape", *files, *more, *WIND, "--out", tmp_path / "p.firegui", "--json")
    assert answer.code == 0
    assert answer.json["perimeters"]["cells_by_day"]["0"] == cells
    assert answer.json["problems"] == []

"""``firegui import landscape``: files that lie apart, landscape files, whole folders, and what the fuel requires."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from firegui.io.exporters.geotiff import write_layers_folder
from firegui.io.project.store import load_project
from tests.cli.conftest import Run
from tests.unit.io.builders import SHARED_DATA, assert_same_bits
from tests.unit.io.importers.places import GRID, degrees, hills, write
from tests.unit.io.importers.test_lcp import USUAL, bands

WIND = ("--wind-speed", 3, "--wind-from", 270)
FIRE = ("--ignition", "-122.9955,39.7445", "--days", 2)


@pytest.fixture
def files(tmp_path: Path) -> tuple[object, ...]:
    """A terrain model in degrees and fuel on the grid."""
    fine = degrees()
    codes = np.full(GRID.shape, 188, np.int16)
    codes[:10] = 101
    return (
        "--elevation", write(tmp_path, "dem", hills(fine), fine).path,
        "--fuel", write(tmp_path, "fuel", codes).path,
    )  # fmt: skip


def test_layers_of_two_grids_become_a_project_on_one(firegui: Run, files: tuple[object, ...], tmp_path: Path) -> None:
    out = tmp_path / "p.firegui"
    answer = firegui("import", "landscape", *files, *WIND, *FIRE, "--out", out, "--json")
    assert answer.code == 0, answer.err
    assert answer.json["layers"]["present"] == ["elevation", "slope", "aspect", "fuel"]
    assert answer.json["problems"] == []
    assert load_project(out).scenario.grid == GRID
    assert any("Resampled to the grid (bilinear): elevation." in note for note in answer.json["notes"])


def test_codes_of_custom_fuel_models_are_kept_and_the_project_has_the_models(firegui: Run, tmp_path: Path) -> None:
    codes = np.full(GRID.shape, 101, np.int16)
    codes[:10], codes[10] = 14, 15
    fuel, own, out = write(tmp_path, "fuel", codes).path, tmp_path / "own.fmd", tmp_path / "p.firegui"
    own.write_text("14 CH1 2.0 1.5 0 0 2.5 static 2000 1500 1600 3.0 20 8000 8000 Chaparral", encoding="utf-8")
    words = ("import", "landscape", "--fuel", fuel, "--fuel-models", own, *WIND, *FIRE, "--out", out)
    answer = firegui(*words, "--json")
    assert answer.code == 0, answer.err
    found = load_project(out)
    layer = found.scenario.layers["fuel"]
    assert (layer[:10] == 14.0).all() and np.isnan(layer[10]).all() and (layer[11:] == 101.0).all()
    assert [(fuel.code, fuel.name) for fuel in found.fire_model.fuels] == [(14, "CH1")]
    assert any("codes of custom models" in note and "14 (" in note for note in found.scenario.notes)
    assert firegui("configure", out, "--model", "physical").code == 0
    own.write_text("95 CH1 2.0 1.5 0 0 2.5 static 2000 1500 1600 0 20 8000 8000", encoding="utf-8")
    firegui(*words[:-1], tmp_path / "q.firegui").assert_refused("91 to 99 do not burn", "its depth in ft is 0")
    assert not (tmp_path / "q.firegui").exists()


def test_weather_that_ends_early_is_a_warning_until_the_plan_is_shorter(
    firegui: Run, files: tuple[object, ...], tmp_path: Path
) -> None:
    lines = [f"2020 8 {19 + hour // 24} {hour % 24 * 100:04d} 60 30 0.00 5 225 10" for hour in range(30)]
    wind, out = tmp_path / "a.wxs", tmp_path / "p.firegui"
    wind.write_text("\n".join(["RAWS_UNITS: English", "RAWS: 30", *lines]), encoding="utf-8")
    words = ("--wind", wind, *FIRE, "--utc-offset", -7, "--out", out, "--json")
    answer = firegui("import", "landscape", *files, *words)
    said = "The weather of a.wxs ends on 2020-08-20 at 06:00 local time, 18 hours before the plan"
    assert [text for text in answer.json["warnings"] if text.startswith(said)], answer.json["warnings"]
    assert [text for text in firegui("info", out, "--json").json["warnings"] if text.startswith(said)]
    assert not [text for text in firegui("configure", out, "--days", 1, "--json").json["warnings"] if "a.wxs" in text]


def test_the_grid_can_be_said(firegui: Run, files: tuple[object, ...], tmp_path: Path) -> None:
    out = tmp_path / "p.firegui"
    words = ("--crs", "EPSG:3310", "--cell-size", 60)
    assert firegui("import", "landscape", *files, *WIND, *FIRE, *words, "--out", out).code == 0
    grid = load_project(out).scenario.grid
    assert (grid.crs, grid.cell_size_m) == ("EPSG:3310", 60.0)
    box = ("--bounds", "500310,4399110,500910,4399710")
    assert firegui("import", "landscape", *files, *WIND, *FIRE, *box, "--out", tmp_path / "q.firegui").code == 0
    assert load_project(tmp_path / "q.firegui").scenario.grid.shape == (20, 20)


def test_what_cannot_be_read_of_the_options_is_listed_at_once(
    firegui: Run, files: tuple[object, ...], tmp_path: Path
) -> None:
    words = (
        "--bounds", "1,2,3", "--unit", "moss=m", "--unit", "elevation=fathoms", "--band", "slope=1",
        "--band", "elevation=zero", "--wind-first", "soon", "--perimeters-date", "Day", "--cell-size", -3,
    )  # fmt: skip
    answer = firegui("import", "landscape", *files, *WIND, *FIRE, *words, "--out", tmp_path / "p.firegui")
    assert answer.code == 2
    for said in (
        "'1,2,3' is not a box", "'moss=m' names no layer", "'fathoms' is not a unit of elevation",
        "slope is given no file", "'zero' is not a band of elevation", "'soon' is not a time",
        "is given without --perimeters", "-3 m",
    ):  # fmt: skip
        assert said in answer.err, answer.err
    assert not (tmp_path / "p.firegui").exists()


def test_units_and_bands_can_be_said(firegui: Run, tmp_path: Path) -> None:
    both = np.stack([hills() / np.float32(0.3048), np.full(GRID.shape, 15, np.float32)])
    path = write(tmp_path, "two", both).path
    words = ("--elevation", path, "--band", "elevation=1", "--unit", "elevation=feet")
    more = ("--canopy-height", path, "--band", "canopy-height=2", "--unit", "canopy-height=ft")
    answer = firegui("import", "landscape", *words, *more, *WIND, *FIRE, "--out", tmp_path / "p.firegui", "--json")
    assert answer.code == 0, answer.err
    layers = load_project(tmp_path / "p.firegui").scenario.layers
    assert np.abs(layers["elevation"] - hills()).max() < 1e-2
    assert layers["canopy_height"].max() == np.float32(15 * 0.3048)


def test_a_landscape_file_says_its_bands_and_lets_them_be_said(firegui: Run, tmp_path: Path) -> None:
    path = write(tmp_path, "lcp", bands()).path
    answer = firegui("import", "landscape", "--lcp", path, *WIND, *FIRE, "--out", tmp_path / "p.firegui", "--json")
    assert answer.code == 0, answer.err
    assert answer.json["name"] == "lcp"
    assert any("1 elevation, 2 slope" in note and "guessed" in note for note in answer.json["notes"])
    order = ",".join(name.replace("_", "-") for name in ("-", *USUAL[1:]))
    words = ("--lcp-bands", order, "--out", tmp_path / "q.firegui", "--json")
    answer = firegui("import", "landscape", "--lcp", path, *WIND, *FIRE, *words)
    assert answer.code == 0, answer.err
    assert "elevation" in answer.json["layers"]["missing"]


def test_bands_without_a_landscape_file_are_refused(firegui: Run, files: tuple[object, ...], tmp_path: Path) -> None:
    answer = firegui("import", "landscape", *files, "--lcp-bands", "elevation,slope", "--out", tmp_path / "p.firegui")
    answer.assert_refused("--lcp-bands", "given without a landscape file")
    assert not (tmp_path / "p.firegui").exists()


def test_an_exported_event_is_imported_from_its_folder(firegui: Run, files: tuple[object, ...], tmp_path: Path) -> None:
    assert firegui("import", "landscape", *files, *WIND, *FIRE, "--out", tmp_path / "p.firegui").code == 0
    before = load_project(tmp_path / "p.firegui").scenario
    write_layers_folder(before, tmp_path / "rasters")
    answer = firegui("import", "landscape", "--folder", tmp_path / "rasters", "--out", tmp_path / "q.firegui")
    assert answer.code == 0, answer.err
    after = load_project(tmp_path / "q.firegui").scenario
    for key, values in before.layers.items():
        assert_same_bits(after.layers[key], values)
    assert (after.grid, after.start, after.days) == (before.grid, before.start, before.days)
    # Options go before what the folder says.
    words = ("--name", "Mine", *WIND, "--out", tmp_path / "r.firegui")
    assert firegui("import", "landscape", "--folder", tmp_path / "rasters", *words).code == 0
    assert load_project(tmp_path / "r.firegui").scenario.name == "Mine"


# -- required coverage -------------------------------------------------------------------------------------------------
def test_what_the_fuel_requires_is_shown_and_can_be_changed(
    firegui: Run, files: tuple[object, ...], tmp_path: Path
) -> None:
    out = tmp_path / "p.firegui"
    firegui("import", "landscape", *files, *WIND, *FIRE, "--out", out)
    found = firegui("info", out, "--json").json["required_coverage"]
    assert found["c_req"] == pytest.approx(0.25 * 1.0 + 0.75 * 4.0)
    assert [(row["name"], row["share"], row["coverage"]) for row in found["levels"]] == [
        ("TL8 (FBFM40 188)", 0.75, 4.0), ("GR1 (FBFM40 101)", 0.25, 1.0),
    ]  # fmt: skip
    assert "3.25 gal/100 ft² required: area-weighted over 2,000 cells of fuel" in firegui("info", out).out
    levels = tmp_path / "levels.toml"
    levels.write_text('source = "mine"\n[[model]]\ncode = 188\ncoverage = 6\n', encoding="utf-8")
    assert firegui("configure", out, "--coverage", levels).code == 0
    assert load_project(out).coverage.c_req == 6.0
    assert firegui("configure", out, "--coverage", "2.7", "--json").json["required_coverage"]["source"] == "chosen"
    assert firegui("configure", out, "--coverage", "fuel", "--json").json["required_coverage"]["c_req"] == 3.25


@pytest.mark.parametrize(
    ("text", "said"), [("0", "is 0 gal/100 ft²"), ("-3", "is -3 gal"), ("none.toml", "the file does not exist")]
)
def test_a_coverage_that_cannot_be_changes_nothing(firegui: Run, project: Path, text: str, said: str) -> None:
    before = (project / "project.toml").read_bytes()
    answer = firegui("configure", project, f"--coverage={text}")
    assert answer.code == 2
    assert said in answer.err
    assert (project / "project.toml").read_bytes() == before


# -- the real ones -----------------------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the real fires are not beside the repository (../shared/data)")
def test_the_folder_of_tubbs_becomes_a_project_that_plans(firegui: Run, tmp_path: Path) -> None:
    out = tmp_path / "tubbs.firegui"
    words = ("--wind-unit", "mph", "--wind-height", "20 ft", "--start", "2017-10-09T04:00Z", "--days", 1)
    answer = firegui("import", "landscape", "--folder", SHARED_DATA / "tubbs2017", *words, "--out", out, "--json")
    assert answer.code == 0, answer.err
    assert answer.json["layers"]["missing"] == [] and answer.json["problems"] == []
    event = load_project(out).scenario
    # Diablo winds: out of the north-east, at more than 10 m/s on the day's mean.
    assert np.cos(np.median(event.wind_dir) - np.deg2rad(225.0)) > 0.7
    assert event.wind_speed.mean() > 10.0
    assert firegui("plan", out, "--out", out / "runs" / "run-1", "--epochs", 5, "--margin", "none").code == 0


@pytest.mark.slow
@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the real fires are not beside the repository (../shared/data)")
def test_a_landscape_file_becomes_a_project_that_plans(firegui: Run, tmp_path: Path) -> None:
    out = tmp_path / "lcp.firegui"
    words = ("--ignition", "-114.17,46.69", "--days", 2, "--wind-speed", 5, "--wind-from", 270)
    lcp = SHARED_DATA / "landscape" / "example_lcp.tif"
    answer = firegui("import", "landscape", "--lcp", lcp, *words, "--out", out, "--json")
    assert answer.code == 0, answer.err
    assert answer.json["required_coverage"]["c_req"] == pytest.approx(2.33, abs=0.01)
    assert firegui("plan", out, "--out", out / "runs" / "run-1", "--epochs", 5, "--margin", "none").code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_links_that_lead_in_a_circle_are_refused(firegui: Run, tmp_path: Path) -> None:
    one, other = tmp_path / "one.tif", tmp_path / "other.tif"
    one.symlink_to(other)
    other.symlink_to(one)
    answer = firegui("import", "landscape", "--elevation", one, "--slope", other, "--out", tmp_path / "p.firegui")
    answer.assert_refused("one.tif", "other.tif")

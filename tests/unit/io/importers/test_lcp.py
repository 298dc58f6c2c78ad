from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from rasterio.shutil import copy

from firegui.errors import InputError
from firegui.io.importers.landscape import import_landscape
from firegui.io.importers.landscape_source import LandscapeSource
from firegui.io.importers.landscape_survey import survey_landscape
from firegui.io.importers.lcp import ORDERS, role_of
from firegui.io.rasters.warp import horn
from tests.unit.io.builders import SHARED_DATA
from tests.unit.io.importers.places import WIND, hills, write

USUAL = ORDERS[8]


def bands(order: Sequence[str] = USUAL) -> Any:
    """The bands of a landscape file in LANDFIRE's whole numbers."""
    rng = np.random.default_rng(3)
    slope, aspect = horn(hills(), 30.0)
    shape = hills().shape
    cover = rng.choice([0, 15, 25, 45, 65], shape)
    height = np.where(cover > 0, rng.choice([80, 120, 180, 250], shape), 0)
    found = {
        "elevation": hills().round(), "slope": slope.round(), "aspect": aspect.round() % 360,
        "fuel": rng.choice([98, 101, 122, 165, 188], shape), "canopy_cover": cover, "canopy_height": height,
        "canopy_base_height": np.where(cover > 0, rng.integers(3, 60, shape), 0),
        "canopy_density": np.where(cover > 0, rng.integers(4, 30, shape), 0), "duff": rng.integers(0, 9, shape),
        "woody": rng.integers(0, 9, shape),
    }  # fmt: skip
    return np.stack([found[role] for role in order]).astype(np.int16)


def lcp(path: Path, **more: Any) -> LandscapeSource:
    asked: dict[str, Any] = {"wind": WIND, "days": 2} | more
    return LandscapeSource(lcp=path, **asked)


def refusal(source: LandscapeSource) -> str:
    with pytest.raises(InputError) as caught:
        import_landscape(source)
    return str(caught.value)


def test_bands_in_the_usual_order_are_taken_as_such_and_it_is_said(tmp_path: Path) -> None:
    event = import_landscape(lcp(write(tmp_path, "lcp", bands()).path))
    assert event.missing_layers == ()
    assert np.array_equal(event.layers["elevation"], hills().round())
    assert event.layers["canopy_height"].max() == 25.0
    assert event.layers["canopy_density"].max() == np.float32(0.29)
    (note,) = [note for note in event.notes if note.startswith("Bands of the landscape file")]
    assert "1 elevation, 2 slope, 3 aspect, 4 fuel model, 5 canopy cover, 6 canopy height, 7 canopy base height" in note
    assert "guessed: the usual order" in note


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_another_order_is_found_from_what_the_bands_hold(tmp_path: Path, seed: int) -> None:
    order = tuple(np.random.default_rng(seed).permutation(USUAL))
    survey = survey_landscape(lcp(write(tmp_path, "lcp", bands(order)).path))
    assert survey.lcp_bands == order
    assert "guessed from the values, since in the usual order" in survey.lcp_reason
    assert not survey.problems


def test_the_order_that_is_said_wins(tmp_path: Path) -> None:
    path = write(tmp_path, "lcp", bands()[[1, 0, 4]]).path
    event = import_landscape(lcp(path, lcp_bands=("slope", "elevation", "-")))
    assert list(event.layers) == ["elevation", "slope", "aspect"]
    assert any("1 slope, 2 elevation, 3 left out (as given)" in note for note in event.notes)


@pytest.mark.parametrize(
    ("order", "what"),
    [
        (("slope",), "names 1 bands; landscape file (lcp.tif) holds 8"),
        ((*USUAL[:7], "moss"), "moss is not a band"),
        ((*USUAL[:7], "slope"), "slope is given twice"),
    ],
)
def test_an_order_that_does_not_fit_is_refused(tmp_path: Path, order: tuple[str, ...], what: str) -> None:
    assert what in refusal(lcp(write(tmp_path, "lcp", bands()).path, lcp_bands=order))


def test_what_is_no_landscape_file_is_refused_with_what_speaks_against_it(tmp_path: Path) -> None:
    noise = np.random.default_rng(1).integers(0, 3000, (8, 40, 50)).astype(np.int16)
    said = refusal(lcp(write(tmp_path, "lcp", noise).path))
    assert "does not hold the usual bands" in said and "cannot be slope" in said
    assert "holds 6 bands without names" in refusal(lcp(write(tmp_path, "six", noise[:6]).path))


def test_a_layer_of_its_own_goes_before_the_band(tmp_path: Path) -> None:
    cover = write(tmp_path, "cover", np.full(hills().shape, 33, np.int16))
    event = import_landscape(lcp(write(tmp_path, "lcp", bands()).path, layers={"canopy_cover": cover}))
    assert (event.layers["canopy_cover"] == 33.0).all()


@pytest.mark.parametrize("count", [5, 7, 8, 10])
def test_a_binary_landscape_file_names_its_bands_and_units(tmp_path: Path, count: int) -> None:
    write(tmp_path, "lcp", bands(ORDERS[10])[: 10 if count == 10 else 8])
    order = ORDERS[count]
    tif = write(tmp_path, "in_order", bands(order)).path
    copy(tif, tmp_path / "a b ü.lcp", driver="LCP", ELEVATION_UNIT="METERS")
    event = import_landscape(lcp(tmp_path / "a b ü.lcp"))
    assert np.array_equal(event.layers["elevation"], hills().round())
    assert ("canopy_height" in event.layers) == (count >= 8)
    if count >= 8:
        base = bands(("canopy_base_height",))[0] / 10.0
        np.testing.assert_allclose(event.layers["canopy_base_height"], base, atol=1e-6)
    assert any("(the file names its bands)" in note for note in event.notes)


def test_feet_in_a_binary_landscape_file_are_feet(tmp_path: Path) -> None:
    feet = bands()
    feet[0] = (hills() / 0.3048).round()
    tif = write(tmp_path, "in_feet", feet).path
    copy(tif, tmp_path / "a.lcp", driver="LCP", ELEVATION_UNIT="FEET")
    with rasterio.open(tmp_path / "a.lcp") as file:
        assert file.tags(1)["ELEVATION_UNIT_NAME"] == "Feet"
    event = import_landscape(lcp(tmp_path / "a.lcp"))
    assert np.abs(event.layers["elevation"] - hills()).max() < 0.2


def test_a_binary_landscape_file_that_ends_too_soon_is_refused(tmp_path: Path) -> None:
    tif = write(tmp_path, "in_order", bands()).path
    copy(tif, tmp_path / "a.lcp", driver="LCP")
    whole = (tmp_path / "a.lcp").read_bytes()
    for size in (30, 5000, len(whole) - 100):
        (tmp_path / "a.lcp").write_bytes(whole[:size])
        assert "a.lcp" in refusal(lcp(tmp_path / "a.lcp"))


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("dem", "elevation"), ("US_200CC", "canopy_cover"), ("LC20_CBH_220", "canopy_base_height"),
        ("LF2020_FBFM40_200", "fuel"), ("asp", "aspect"), ("LC20_SlpD_220", "slope"), ("ch", "canopy_height"),
        ("cbd_100kgm3_LF230", "canopy_density"), ("canopy_cover_pct", "canopy_cover"), ("canopy", "canopy_cover"),
        ("Canopy bulk density", "canopy_density"), ("wd", None), ("chart", None), ("LC22_F40_230", "fuel"),
        ("US_200F13", "fuel"), ("leaf40", None), ("f400", None),
    ],
)  # fmt: skip
def test_names_tell_what_files_and_bands_hold(name: str, role: str | None) -> None:
    assert role_of(name) == role


@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the real fires are not beside the repository (../shared/data)")
def test_windninjas_example_is_a_landscape_file_whose_slopes_face_the_right_way() -> None:
    event = import_landscape(lcp(SHARED_DATA / "landscape" / "example_lcp.tif"))
    assert event.missing_layers == ()
    assert event.grid.shape == (515, 502)
    slope, aspect = horn(event.layers["elevation"], 30.0)
    steep = (slope > 15.0) & (event.layers["aspect"] >= 0.0)
    apart = np.abs((aspect - event.layers["aspect"] + 180.0) % 360.0 - 180.0)[steep]
    assert np.median(apart) < 12.0
    assert np.median(np.abs(slope - event.layers["slope"])) < 1.5

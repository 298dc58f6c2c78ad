from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import rasterio

from firegui.domain.grid import Grid
from firegui.errors import InputError
from firegui.io.rasters.geotiff import read_raster, write_raster
from tests.unit.io.builders import PLACED, UNPLACED, assert_same_bits, files_below


@pytest.mark.parametrize("grid", [PLACED, UNPLACED])
def test_float32_bands_read_back_bit_for_bit(tmp_path: Path, grid: Grid) -> None:
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**32, (3, *grid.shape), dtype=np.uint32).view(np.float32)
    bits[0, 0] = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-45, -9999.0, 3.4e38]
    write_raster(tmp_path / "a.tif", bits, grid)
    assert_same_bits(read_raster(tmp_path / "a.tif").bands, bits)


def test_a_large_raster_reads_back_bit_for_bit(tmp_path: Path) -> None:
    grid = Grid(300, 517, 30.0)
    values = np.random.default_rng(1).random((2, *grid.shape), np.float32)
    write_raster(tmp_path / "a.tif", values, grid)
    assert_same_bits(read_raster(tmp_path / "a.tif").bands, values)


def test_place_descriptions_and_tags_are_kept(tmp_path: Path) -> None:
    write_raster(
        tmp_path / "a.tif",
        np.zeros((2, *PLACED.shape), np.float32),
        PLACED,
        descriptions=["ä", "b"],
        tags={"NOTICE": "x – y"},
    )
    raster = read_raster(tmp_path / "a.tif")
    assert raster.transform == PLACED.transform
    assert raster.descriptions == ("ä", "b")
    assert raster.tags["NOTICE"] == "x – y"
    assert raster.nodata is not None and np.isnan(raster.nodata)
    with rasterio.open(tmp_path / "a.tif") as source:
        assert source.crs.to_epsg() == 32610
        assert source.profile["compress"] == "deflate"


def test_some_bands_are_read_without_the_others(tmp_path: Path) -> None:
    bands = np.arange(4 * PLACED.rows * PLACED.columns, dtype=np.float32).reshape(4, *PLACED.shape)
    write_raster(tmp_path / "a.tif", bands, PLACED, descriptions=list("abcd"))
    found = read_raster(tmp_path / "a.tif", (3, 2))
    assert_same_bits(found.bands, bands[[2, 1]])
    assert found.descriptions == ("a", "b", "c", "d")
    nothing = read_raster(tmp_path / "a.tif", ())
    assert nothing.bands.shape == (0, *PLACED.shape) and nothing.descriptions == found.descriptions


def test_masks_are_stored_as_bytes(tmp_path: Path) -> None:
    mask = np.random.default_rng(1).random(PLACED.shape) > 0.5
    write_raster(tmp_path / "a.tif", mask, PLACED)
    bands = read_raster(tmp_path / "a.tif").bands
    assert bands.dtype == np.uint8
    assert np.array_equal(bands[0].astype(bool), mask)


def test_a_raster_without_a_place_is_written_and_read_without_a_warning(tmp_path: Path) -> None:
    write_raster(tmp_path / "a.tif", np.zeros(UNPLACED.shape, np.float32), UNPLACED)
    assert read_raster(tmp_path / "a.tif").crs is None
    bare = {"driver": "GTiff", "height": 3, "width": 3, "count": 1, "dtype": "uint8"}
    with (
        pytest.warns(rasterio.errors.NotGeoreferencedWarning),
        rasterio.open(tmp_path / "bare.tif", "w", **bare) as target,
    ):
        target.write(np.zeros((1, 3, 3), np.uint8))
    assert read_raster(tmp_path / "bare.tif").transform is None


def test_a_missing_file_or_one_that_is_no_raster_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_raster(tmp_path / "none.tif")
    with pytest.raises(InputError, match="is a folder, not a raster file"):
        read_raster(tmp_path)
    (tmp_path / "text.tif").write_text("not a raster")
    with pytest.raises(InputError, match="cannot be read as a raster"):
        read_raster(tmp_path / "text.tif")


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="on a grid of shape"):
        write_raster(tmp_path / "a.tif", np.zeros((1, 2, 2), np.float32), PLACED)
    with pytest.raises(InputError):
        write_raster(tmp_path / "none" / "a.tif", np.zeros(PLACED.shape, np.float32), PLACED)
    assert files_below(tmp_path) == set()


def test_a_crs_that_proj_does_not_know_does_not_stop_the_writing(tmp_path: Path) -> None:
    grid = dataclasses.replace(PLACED, crs="EPSG:999999")
    write_raster(tmp_path / "a.tif", np.ones(PLACED.shape, np.float32), grid)
    assert read_raster(tmp_path / "a.tif").crs is None

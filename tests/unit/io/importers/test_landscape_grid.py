"""Layers of different grids on one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from rasterio import Affine

from firegui.domain.grid import Grid
from firegui.errors import CancelledError, InputError
from firegui.io.importers.landscape import import_landscape
from firegui.io.importers.landscape_source import LandscapeSource, LayerBand, TargetGrid
from firegui.io.rasters.warp import horn
from tests.support import stop
from tests.unit.io.builders import assert_same_bits
from tests.unit.io.importers.places import GRID, UTM, WIND, degrees, event, hills, source, write


def said(files: dict[str, LayerBand], **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        import_landscape(source(files, **more))
    return str(caught.value)


def test_layers_that_share_a_grid_are_not_touched(tmp_path: Path) -> None:
    files = {"elevation": write(tmp_path, "dem", hills()), "slope": write(tmp_path, "slp", horn(hills(), 30.0)[0])}
    found = event(files)
    assert found.grid == GRID
    assert_same_bits(found.layers["elevation"], hills())
    assert not any("Resampled" in note or "Grid of" in note for note in found.notes)


def test_a_finer_layer_in_degrees_comes_onto_the_grid_of_the_others(tmp_path: Path) -> None:
    fine = degrees()
    codes = np.full(GRID.shape, 101, np.int16)
    files = {
        "elevation": write(tmp_path, "dem", hills(fine), fine),
        "fuel": write(tmp_path, "fuel", codes),
        "canopy_cover": write(tmp_path, "cover", np.full(GRID.shape, 40, np.int16)),
    }
    found = event(files)
    assert found.grid == GRID
    assert np.abs(found.layers["elevation"] - hills()).max() < 1.5
    assert_same_bits(found.layers["fuel"], codes.astype(np.float32))
    assert any("Resampled to the grid (bilinear): elevation." in note for note in found.notes)
    assert any("the CRS of fuel model (fuel.tif) (EPSG:32610), cells of 30 m" in note for note in found.notes)


def test_the_grid_is_what_all_layers_share(tmp_path: Path) -> None:
    small = Grid(20, 25, 30.0, (30.0, 0.0, 500010.0 + 150.0, 0.0, -30.0, 4400010.0 - 90.0), UTM)
    files = {
        "elevation": write(tmp_path, "dem", hills()),
        "slope": write(tmp_path, "slope", np.full(GRID.shape, 9, np.int16)),
        "canopy_cover": write(tmp_path, "cover", np.full(small.shape, 40, np.int16), small),
    }
    found = event(files)
    assert found.grid == small
    assert_same_bits(found.layers["elevation"], np.ascontiguousarray(hills()[3:23, 5:30]))
    assert any("Cut to the grid: elevation, slope." in note for note in found.notes)


def test_layers_in_degrees_are_warped_to_utm_in_cells_of_their_own_size(tmp_path: Path) -> None:
    fine = degrees()
    found = event({"elevation": write(tmp_path, "dem", hills(fine), fine)})
    assert found.grid.crs == "EPSG:32610"
    # 1e-4° is 8.6 m by 11.1 m here.
    assert found.grid.cell_size_m == 9.8
    assert np.abs(found.layers["elevation"] - hills(found.grid)).max() < 0.5
    assert any("since EPSG:4326 of elevation (dem.tif) counts in degrees" in note for note in found.notes)


def test_web_mercator_is_not_kept_because_its_metres_are_none(tmp_path: Path) -> None:
    x, y = -13691000.0, 4838000.0
    mercator = Grid(60, 60, 39.0, (39.0, 0.0, x, 0.0, -39.0, y), "EPSG:3857")
    found = event({"slope": write(tmp_path, "s", np.full(mercator.shape, 3, np.int16), mercator)})
    assert found.grid.crs == "EPSG:32610"
    assert found.grid.cell_size_m == 30.0
    assert any("EPSG:3857 of slope (s.tif) is not true to scale here" in note for note in found.notes)
    files = {"slope": write(tmp_path, "t", np.full(GRID.shape, 3, np.int16))}
    assert "draws lengths 30 % wrong here" in said(files, target=TargetGrid("EPSG:3857", 39.0))


def test_the_grid_that_is_asked_for_is_the_one_that_is_made(tmp_path: Path) -> None:
    files = {"elevation": write(tmp_path, "dem", hills())}
    coarse = event(files, target=TargetGrid(cell_size_m=60.0))
    assert (coarse.grid.cell_size_m, coarse.grid.crs) == (60.0, UTM)
    assert np.abs(coarse.layers["elevation"] - hills(coarse.grid)).max() < 8.0
    part = event(files, target=TargetGrid(bounds=(500300.0, 4399200.0, 500900.0, 4399800.0)))
    # Moved outward to whole cells, so that none is resampled.
    assert part.grid.transform == (30.0, 0.0, 500280.0, 0.0, -30.0, 4399800.0)
    assert part.grid.shape == (20, 21)
    assert_same_bits(part.layers["elevation"], np.ascontiguousarray(hills()[7:27, 9:30]))
    albers = event(files, target=TargetGrid(crs="EPSG:3310"))
    assert albers.grid.crs == "EPSG:3310"
    assert albers.grid.cell_size_m == pytest.approx(30.0, abs=0.5)
    known = ~np.isnan(albers.layers["elevation"])
    assert known.mean() > 0.9
    assert np.abs(albers.layers["elevation"] - hills(albers.grid))[known].max() < 5.0


@pytest.mark.parametrize(
    ("target", "what"),
    [
        (TargetGrid(crs="EPSG:999999"), "unknown to PROJ"),
        (TargetGrid(crs="EPSG:4326"), "counts in degrees"),
        (TargetGrid(cell_size_m=0.0), "0 m"),
        (TargetGrid(cell_size_m=0.01), "claims"),
        (TargetGrid(cell_size_m=1e5), "at least 3 × 3"),
        (TargetGrid(bounds=(5.0, 5.0, 4.0, 9.0)), "is not a box"),
        (TargetGrid(bounds=(0.0, 0.0, 300.0, 300.0)), "has no cell on the grid"),
        (TargetGrid(bounds=(0.0, 0.0, 1e7, 1e7)), "claims"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(tmp_path: Path, target: TargetGrid, what: str) -> None:
    assert what in said({"elevation": write(tmp_path, "dem", hills())}, target=target)


def test_files_without_a_crs_are_taken_to_be_in_the_one_that_is_given(tmp_path: Path) -> None:
    files = {"elevation": write(tmp_path, "dem", hills(), crs=None)}
    assert "grid CRS (--crs): elevation (dem.tif) has a transform without a CRS" in said(files)
    found = event(files, target=TargetGrid(crs=UTM))
    assert found.grid == GRID
    assert any("No layer names its CRS; they are taken to be in EPSG:32610" in note for note in found.notes)


def test_a_raster_whose_crs_leaves_it_no_ground_is_refused(tmp_path: Path) -> None:
    huge = "+proj=tmerc +lon_0=-123 +k=1e12 +datum=WGS84 +units=m +type=crs"
    assert "covers no ground in its CRS" in said(
        {"elevation": write(tmp_path, "dem", hills(), replace(GRID, crs=huge))}
    )


def test_a_raster_upside_down_or_mirrored_is_brought_upright_cell_by_cell(tmp_path: Path) -> None:
    a, _, c, _, e, f = GRID.transform or (0.0,) * 6
    # Off the round coordinates that a grid of its own would begin at.
    upright = replace(GRID, transform=(a, 0.0, c + 7.0, 0.0, e, f + 11.0))
    from_south = replace(GRID, transform=(a, 0.0, c + 7.0, 0.0, -e, f + 11.0 + GRID.rows * e))
    from_east = replace(GRID, transform=(-a, 0.0, c + 7.0 + GRID.columns * a, 0.0, e, f + 11.0))
    codes = np.random.default_rng(2).integers(101, 110, GRID.shape).astype(np.int16)
    files = {
        "elevation": write(tmp_path, "dem", hills()[::-1], from_south),
        "fuel": write(tmp_path, "fuel", codes[:, ::-1], from_east),
    }
    found = event(files)
    assert found.grid == upright
    np.testing.assert_allclose(found.layers["elevation"], hills(), rtol=1e-6)
    assert_same_bits(found.layers["fuel"], codes.astype(np.float32))
    said = "\n".join(found.notes)
    assert "elevation is upside down, its first row in the south; it was brought north up" in said
    assert "fuel model is mirrored, its first column in the east; it was brought north up" in said


def test_slope_and_aspect_are_derived_on_the_events_grid_and_it_is_said(tmp_path: Path) -> None:
    files = {"elevation": write(tmp_path, "dem", hills())}
    found = event(files)
    slope, aspect = horn(hills(), 30.0)
    assert_same_bits(found.layers["slope"], slope)
    assert_same_bits(found.layers["aspect"], aspect)
    assert "Slope and aspect derived from elevation by Horn's method, on cells of 30 m." in found.notes
    assert list(found.layers) == ["elevation", "slope", "aspect"]
    assert list(event(files, derive=False).layers) == ["elevation"]


@pytest.mark.slow
def test_every_header_is_judged_before_a_band_is_read(tmp_path: Path) -> None:
    huge = write(tmp_path, "huge", np.zeros((3, 3), np.int16), height=40_000, width=40_000, sparse_ok=True, tiled=True)
    assert "claims 1,600,000,000 cells" in said({"slope": huge})
    part = event({"slope": huge}, target=TargetGrid(bounds=(500010.0, 4399710.0, 500310.0, 4400010.0)))
    assert part.grid.shape == (10, 10)


def test_a_block_that_unpacks_to_gigabytes_is_not_unpacked(tmp_path: Path) -> None:
    tile = {"tiled": True, "blockxsize": 65536, "blockysize": 65536, "compress": "deflate", "sparse_ok": True}
    path = tmp_path / "tile.tif"
    place = {"crs": UTM, "transform": Affine(*GRID.transform or ())}
    with rasterio.open(path, "w", driver="GTiff", count=1, height=40, width=50, dtype="uint8", **place, **tile):
        pass
    assert path.stat().st_size < 10_000
    assert "is packed in blocks of 4,294,967,296 bytes" in said({"slope": LayerBand(path)})


def test_more_days_than_can_be_planned_on_so_many_cells_are_refused(tmp_path: Path) -> None:
    wide = write(tmp_path, "wide", np.zeros((3, 3), np.int16), height=4000, width=4000, sparse_ok=True, tiled=True)
    assert "give at most 6" in said({"canopy_cover": wide}, days=7)


@pytest.mark.parametrize(("content", "what"), [(b"<VRTDataset/>", "it is no GeoTIFF"), (b"II*\0xx", "cannot be read")])
def test_what_is_no_raster_is_refused(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "a.tif").write_bytes(content)
    assert what in said({"slope": LayerBand(tmp_path / "a.tif")})


def test_an_import_can_be_cancelled(tmp_path: Path) -> None:
    fine = degrees()
    asked = source({"elevation": write(tmp_path, "dem", hills(fine), fine)})
    calls = 0

    def count() -> None:
        nonlocal calls
        calls += 1

    import_landscape(asked, count)
    assert calls >= 3

    with pytest.raises(CancelledError):
        import_landscape(asked, stop)


def test_nothing_at_all_is_said_to_be_nothing() -> None:
    with pytest.raises(InputError, match="give at least one landscape layer"):
        import_landscape(LandscapeSource(wind=WIND))

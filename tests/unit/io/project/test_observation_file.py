"""An observed fire from whatever a person has."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
import rasterio
from numpy.typing import NDArray
from rasterio import Affine
from rasterio.warp import Resampling, reproject

from firegui.domain.grid import Grid
from firegui.errors import InputError
from firegui.io.georeference import Georeference
from firegui.io.project.observation_file import read_mask, read_observation
from firegui.io.rasters.geotiff import write_raster
from tests.support import GRID, SHAPE, watched_project

DAY = date(2020, 8, 21)


def square() -> NDArray[np.bool_]:
    mask = np.zeros(SHAPE, bool)
    mask[4:10, 5:14] = True
    return mask


def geojson(path: Path, dates: dict[str, tuple[int, int, int, int]]) -> Path:
    """Rectangles of cells ``(row, end, column, end)`` in longitude and latitude, by their date (``""`` for none)."""
    place, features = Georeference(GRID), []
    for when, (top, bottom, left, right) in dates.items():
        rows = np.array([top, top, bottom, bottom, top]) - 0.5
        columns = np.array([left, right, right, left, left]) - 0.5
        found = place.lonlat_many(rows, columns)
        assert found is not None
        ring = [[float(lon), float(lat)] for lon, lat in zip(*found, strict=True)]
        properties = {"Date": when} if when else {"name": "fire"}
        geometry = {"type": "Polygon", "coordinates": [ring]}
        features.append({"type": "Feature", "properties": properties, "geometry": geometry})
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def problems(path: Path, grid: Grid = GRID) -> str:
    with pytest.raises(InputError) as caught:
        read_mask(path, grid, DAY)
    return "\n".join(map(str, caught.value.problems))


def test_a_raster_on_the_grid_is_taken_as_it_is(tmp_path: Path) -> None:
    write_raster(tmp_path / "fire.tif", square(), GRID)
    np.testing.assert_array_equal(read_mask(tmp_path / "fire.tif", GRID, DAY), square())


def test_a_raster_in_another_crs_is_warped_onto_the_grid(tmp_path: Path) -> None:
    assert GRID.transform is not None
    here, (height, width) = Affine(*GRID.transform), (SHAPE[0] * 8, SHAPE[1] * 8)
    corners = Georeference(GRID).lonlat_many(np.array([0.0, 0.0, 15.0, 15.0]), np.array([0.0, 19.0, 0.0, 19.0]))
    assert corners is not None
    (west, east), (south, north) = ((values.min() - 0.001, values.max() + 0.001) for values in corners)
    there = Affine((east - west) / width, 0.0, west, 0.0, (south - north) / height, north)
    fine = np.zeros((height, width), np.uint8)
    reproject(
        square().astype(np.uint8) * 255, fine, src_transform=here, src_crs=GRID.crs, dst_transform=there,
        dst_crs="EPSG:4326", resampling=Resampling.nearest,
    )  # fmt: skip
    profile = {"driver": "GTiff", "count": 1, "height": height, "width": width, "dtype": "uint8"}
    with rasterio.open(tmp_path / "fire.tif", "w", **profile, transform=there, crs="EPSG:4326") as target:
        target.write(fine, 1)
    np.testing.assert_array_equal(read_mask(tmp_path / "fire.tif", GRID, DAY), square())


def test_a_raster_elsewhere_is_said_to_lie_off_the_grid(tmp_path: Path) -> None:
    far = replace(GRID, transform=(30.0, 0.0, 500_000.0, 0.0, -30.0, 900_000.0))
    write_raster(tmp_path / "fire.tif", square(), far)
    assert "lies off the grid" in problems(tmp_path / "fire.tif")


def test_a_raster_of_probabilities_or_of_nothing_is_refused(tmp_path: Path) -> None:
    write_raster(tmp_path / "p.tif", np.full(SHAPE, 0.4, np.float32), GRID)
    assert "320 cells hold neither 0, 1 nor 255" in problems(tmp_path / "p.tif")
    write_raster(tmp_path / "none.tif", np.zeros(SHAPE, bool), GRID)
    assert "nothing has burned" in problems(tmp_path / "none.tif")
    write_raster(tmp_path / "two.tif", np.zeros((2, *SHAPE), bool), GRID)
    assert "has 2 bands" in problems(tmp_path / "two.tif")


def test_a_raster_without_a_place_has_to_have_the_grids_shape(tmp_path: Path) -> None:
    bare = Grid(*SHAPE, 30.0)
    write_raster(tmp_path / "fire.tif", square(), bare)
    np.testing.assert_array_equal(read_mask(tmp_path / "fire.tif", GRID, DAY), square())
    assert "its shape is [16, 20]" in problems(tmp_path / "fire.tif", Grid(17, 20, 30.0))


def test_an_archive_holds_one_mask_of_the_grids_shape(tmp_path: Path) -> None:
    np.savez(tmp_path / "fire.npz", fire=square())
    np.testing.assert_array_equal(read_mask(tmp_path / "fire.npz", GRID, DAY), square())
    np.savez(tmp_path / "two.npz", a=square(), b=square())
    assert "holds 2 arrays" in problems(tmp_path / "two.npz")
    np.savez(tmp_path / "small.npz", square()[:5])
    assert "has shape [5, 20], the grid [16, 20]" in problems(tmp_path / "small.npz")
    np.savez(tmp_path / "half.npz", np.full(SHAPE, 0.5))
    assert "neither 0 nor 1" in problems(tmp_path / "half.npz")
    assert "does not exist" in problems(tmp_path / "absent.npz")


def test_polygons_without_a_date_are_one_perimeter(tmp_path: Path) -> None:
    path = geojson(tmp_path / "fire.geojson", {"": (4, 10, 5, 14)})
    np.testing.assert_array_equal(read_mask(path, GRID, DAY), square())


def test_of_polygons_with_dates_later_ones_are_left_out(tmp_path: Path) -> None:
    rings = {"2020-08-20": (4, 7, 5, 14), "2020-08-21": (7, 10, 5, 14), "2020-08-22": (0, 16, 0, 20)}
    path = geojson(tmp_path / "fire.geojson", rings)
    np.testing.assert_array_equal(read_mask(path, GRID, DAY), square())
    late = geojson(tmp_path / "late.geojson", {"2020-08-22": (0, 16, 0, 20)})
    assert "none is of 2020-08-21 or before" in problems(late)


def test_kml_is_read(tmp_path: Path) -> None:
    place = Georeference(GRID)
    found = place.lonlat_many(np.array([3.5, 3.5, 9.5, 9.5, 3.5]), np.array([4.5, 13.5, 13.5, 4.5, 4.5]))
    assert found is not None
    ring = " ".join(f"{lon},{lat}" for lon, lat in zip(*found, strict=True))
    outline = f"<outerBoundaryIs><LinearRing><coordinates>{ring}</coordinates></LinearRing></outerBoundaryIs>"
    (tmp_path / "fire.kml").write_text(
        '<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><Folder><name>f</name><Placemark>'
        f"<name>a</name><Polygon>{outline}</Polygon></Placemark></Folder></Document></kml>"
    )
    np.testing.assert_array_equal(read_mask(tmp_path / "fire.kml", GRID, DAY), square())


def test_the_projects_own_perimeters_serve_where_no_file_is_given() -> None:
    project = watched_project()
    seen = read_observation(None, project, 2)
    assert seen.earlier is not None
    assert (int(seen.fire.sum()), int(seen.earlier.sum())) == (36, 16)
    assert (seen.source, seen.sha256, seen.notes) == ("the project", "", ())


def test_the_last_perimeter_before_a_gap_is_the_earlier_one_and_it_is_said() -> None:
    seen = read_observation(None, watched_project(skipped=(1,)), 2)
    assert seen.earlier is not None
    assert int(seen.earlier.sum()) == 4
    assert "no perimeter of day 1" in seen.notes[0]


def test_a_day_without_a_perimeter_asks_for_a_file() -> None:
    with pytest.raises(InputError, match="no perimeter of day 2"):
        read_observation(None, watched_project(skipped=(2,)), 2)


def test_the_file_and_its_hash_are_noted(tmp_path: Path) -> None:
    np.savez(tmp_path / "fire.npz", fire=square())
    seen = read_observation(tmp_path / "fire.npz", watched_project(skipped=(2,)), 2)
    assert seen.source == str(tmp_path / "fire.npz")
    assert len(seen.sha256) == 64
    np.testing.assert_array_equal(seen.fire, square())

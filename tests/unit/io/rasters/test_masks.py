from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

from firegui.domain.regions import Region
from firegui.errors import Problems
from firegui.io.rasters.masks import band_dates, mask_rings, region_masks
from tests.unit.io.weather.weather_files import GRID, tiff

SHAPE = (619, 748)


def centres_inside(region: Region, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The rule itself, cell by cell."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    inside = np.zeros(shape, np.bool_)
    for part in region.parts:
        polygon = shapely.Polygon([(c, r) for r, c in part[0]], [[(c, r) for r, c in ring] for ring in part[1:]])
        inside |= shapely.contains_xy(polygon, columns + 0.5, rows + 0.5)
    return inside


def test_the_papers_rectangles_have_the_papers_cells() -> None:
    regions = [
        Region.rectangle("R1", (0, 200), (0, 744)),
        Region.rectangle("R2", (201, 549), (450, 744)),
        Region.rectangle("R3", (550, 618), (0, 744)),
    ]
    masks = region_masks(regions, SHAPE)
    assert masks.dtype == np.bool_
    assert [int(mask.sum()) for mask in masks] == [148_800, 102_312, 50_592]
    assert int(masks.any(axis=0).sum()) == 301_704
    assert masks[1, 201, 450] and not masks[1, 200, 450] and not masks[1, 549, 743] and not masks[1, 548, 744]


def test_a_cell_belongs_to_a_polygon_when_its_centre_lies_inside() -> None:
    rng = np.random.default_rng(2)
    shape = (40, 55)
    for number in range(40):
        angles = np.sort(rng.random(9)) * 2 * np.pi
        radii = 3 + rng.random(9) * 18
        centre = rng.random(2) * shape
        ring = tuple(
            (float(centre[0] + r * np.sin(a)), float(centre[1] + r * np.cos(a)))
            for a, r in zip(angles, radii, strict=True)
        )
        region = Region(f"{number}", ((ring,),))
        assert np.array_equal(region_masks([region], shape)[0], centres_inside(region, shape))


def test_holes_are_left_out_and_overlapping_parts_do_not_cancel() -> None:
    def square(low: float, high: float) -> tuple[tuple[float, float], ...]:
        return (low, low), (low, high), (high, high), (high, low)

    region = Region("r", ((square(1, 9), square(3, 5)), (square(7, 12),)))
    mask = region_masks([region], (12, 12))[0]
    assert np.array_equal(mask, centres_inside(region, (12, 12)))
    assert mask[8, 8] and not mask[3, 3] and mask[11, 11]


def test_what_sticks_out_of_the_raster_is_cut_off() -> None:
    masks = region_masks([Region.rectangle("r", (-5, 2), (3, 99)), Region.rectangle("off", (50, 60), (0, 3))], (4, 6))
    assert masks[0].sum() == 6
    assert not masks[1].any()


def test_no_regions_give_no_masks() -> None:
    assert region_masks([], (4, 6)).shape == (0, 4, 6)


# -- masks to polygons -------------------------------------------------------------------------------------------------
def ring_area(ring: list[tuple[float, float]]) -> float:
    return sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in pairwise(ring)) / 2


def test_the_outline_of_a_block_has_four_corners() -> None:
    mask = np.zeros((6, 8), bool)
    mask[1:4, 2:7] = True
    ((ring,),) = mask_rings(mask)
    assert {(2, 1), (7, 1), (7, 4), (2, 4)} == set(ring) and abs(ring_area(ring)) == 15


@pytest.mark.parametrize("seed", range(5))
def test_the_areas_inside_the_rings_add_up_to_the_cells(seed: int) -> None:
    mask = np.random.default_rng(seed).random((12, 15)) < 0.6
    rings = [ring for polygon in mask_rings(mask) for ring in polygon]
    # Outer rings run one way and holes the other, so their signed areas add up.
    assert abs(sum(map(ring_area, rings))) == mask.sum()
    assert all(a != b for ring in rings for a, b in pairwise(ring))


def test_an_empty_mask_has_no_rings() -> None:
    assert mask_rings(np.zeros((3, 3), bool)) == []


def test_rings_are_found_in_several_threads_at_once_without_a_warning() -> None:
    masks = [np.eye(8, dtype=bool)] * 1_000
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(mask_rings, masks))
    finally:
        sys.setswitchinterval(interval)

    assert all(len(rings) == 8 for rings in found)


def test_bands_may_say_more_than_their_dates(tmp_path: Path) -> None:
    stack = np.ones((2, *GRID.shape), np.uint8)
    path = tiff(tmp_path / "fire.tif", stack, GRID, ["fire 2020-08-19", "20200820_fire"])
    assert band_dates(path, Problems()) == (date(2020, 8, 19), date(2020, 8, 20))

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from firegui.domain.grid import Grid
from firegui.errors import Problems
from firegui.io.georeference import Georeference
from firegui.io.importers.georeferencing import GridPlacement
from firegui.io.importers.observations import Ignition, Observed, observe, read_ignition
from firegui.io.rasters.geotiff import read_raster, write_raster
from firegui.io.vectors.perimeter_survey import survey_perimeters
from firegui.io.vectors.perimeters import PerimeterGrowth, PerimeterSource
from tests.unit.io.builders import PLACED, SHARED_DATA
from tests.unit.io.vectors.test_perimeters import DATES, TWO, write

PLACE = GridPlacement(PLACED, ())


def seen(source: Path | PerimeterSource, place: GridPlacement = PLACE) -> Observed:
    problems = Problems()
    found = observe(source, place, problems)
    assert not problems, [str(problem) for problem in problems]
    return found


def refused(source: Path | PerimeterSource) -> str:
    problems = Problems()
    assert observe(source, PLACE, problems) == Observed() or problems
    assert problems and all(problem.where.startswith(("perimeters", "ignition")) for problem in problems)
    return "\n".join(map(str, problems))


def lit(where: Any, fuel: Any = None, grid: Grid = PLACED) -> Ignition:
    problems = Problems()
    found = read_ignition(where, grid, fuel, problems)
    assert found is not None, [str(problem) for problem in problems]
    return found


def spread() -> NDArray[np.bool_]:
    masks = np.zeros((2, *PLACED.shape), np.bool_)
    masks[0, 2, 2:4], masks[1, 2:4, 2:4] = True, True
    return masks


def points(path: Path, cells: Sequence[tuple[float, float]]) -> Path:
    place = Georeference(PLACED)
    features = [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": place.lonlat(*cell)}}
        for cell in cells
    ]
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


def test_nothing_is_seen_where_nothing_is_given() -> None:
    found = observe(None, PLACE, Problems())
    assert (found.masks, found.dates, found.ignition, found.notes) == (None, (), None, ())


def test_dated_polygons_are_perimeters_with_notes(tmp_path: Path) -> None:
    found = seen(write(tmp_path / "p.gpkg", TWO, DATES))
    assert found.masks is not None and found.masks.shape == (2, *PLACED.shape)
    assert found.dates == (date(2020, 8, 19), date(2020, 8, 20)) and found.ignition is None
    assert any("daily increments" in note for note in found.notes)
    whole = seen(PerimeterSource(tmp_path / "p.gpkg", growth=PerimeterGrowth.CUMULATIVE))
    assert whole.masks is not None and whole.masks.sum() < found.masks.sum()


def test_a_raster_with_a_band_for_every_date_gives_perimeters(tmp_path: Path) -> None:
    write_raster(tmp_path / "p.tif", spread(), PLACED, descriptions=["2020-08-19", "2020-08-20"])
    found = seen(tmp_path / "p.tif")
    assert found.masks is not None and np.array_equal(found.masks, spread())
    assert found.dates == (date(2020, 8, 19), date(2020, 8, 20))
    assert survey_perimeters(PerimeterSource(tmp_path / "p.tif")).dates == found.dates
    write_raster(tmp_path / "q.tif", spread(), PLACED, descriptions=["2020-08-20", "2020-08-19"])
    assert "band 2 (2020-08-19) does not come after band 1" in refused(tmp_path / "q.tif")
    write_raster(tmp_path / "r.tif", spread(), PLACED)
    assert "2 bands that are not called by their dates" in refused(tmp_path / "r.tif")


def test_a_mask_of_one_band_is_where_the_fire_starts(tmp_path: Path) -> None:
    write_raster(tmp_path / "start.tif", spread()[1], PLACED)
    found = seen(tmp_path / "start.tif")
    assert found.masks is None and found.ignition is not None and np.array_equal(found.ignition, spread()[1])
    assert any("starts in the 4 cells of start.tif" in note for note in found.notes)
    assert survey_perimeters(PerimeterSource(tmp_path / "start.tif")).ignition
    write_raster(tmp_path / "none.tif", np.zeros(PLACED.shape, np.bool_), PLACED)
    assert "nothing has burned on the grid" in refused(tmp_path / "none.tif")


def test_points_without_dates_are_where_the_fire_starts(tmp_path: Path) -> None:
    found = seen(points(tmp_path / "start.geojson", [(2.2, 3.3), (4.0, 5.0)]))
    assert found.ignition is not None and list(zip(*np.nonzero(found.ignition), strict=True)) == [(2, 3), (4, 5)]
    assert any("starts in 2 cells of start.geojson" in note for note in found.notes)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names on this system")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    for name in ("p.gpkg", "p.tif"):
        os.mkfifo(tmp_path / name)
        assert "is a pipe or a device" in refused(tmp_path / name)
        assert "is a pipe or a device" in str(survey_perimeters(PerimeterSource(tmp_path / name)).problems[0])


def test_a_missing_file_is_said_even_without_a_grid(tmp_path: Path) -> None:
    problems = Problems()
    observe(tmp_path / "none.gpkg", None, problems)
    assert "none.gpkg: the file does not exist" in str(next(iter(problems)))


def test_an_ignition_is_a_place_points_a_mask_or_a_polygon(tmp_path: Path) -> None:
    place = Georeference(PLACED).lonlat(3.0, 4.0)
    assert place is not None
    one = np.zeros(PLACED.shape, np.bool_)
    one[3, 4] = True
    write_raster(tmp_path / "mask.tif", one, PLACED)
    for where in (place, points(tmp_path / "p.geojson", [(3.0, 4.0)]), tmp_path / "mask.tif"):
        assert np.array_equal(lit(where).mask, one)
    assert lit(write(tmp_path / "poly.gpkg", [TWO[1]], {"name": ["a"]})).mask.sum() == 9


def test_cells_that_do_not_burn_are_left_out_of_an_ignition_and_it_is_said(tmp_path: Path) -> None:
    write_raster(tmp_path / "start.tif", spread()[1], PLACED)
    fuel = np.full(PLACED.shape, 102.0, np.float32)
    fuel[2] = 98.0
    found = lit(tmp_path / "start.tif", fuel)
    assert found.mask.sum() == 2 and "2 others do not burn" in found.notes[0]
    problems = Problems()
    assert read_ignition(tmp_path / "start.tif", PLACED, np.full(PLACED.shape, 98.0, np.float32), problems) is None
    assert "none of the cells of start.tif has fuel that burns" in str(next(iter(problems)))


def test_a_point_off_the_raster_and_detections_are_refused_as_ignitions(tmp_path: Path) -> None:
    problems = Problems()
    assert read_ignition(points(tmp_path / "p.geojson", [(1.0, 1.0), (90.0, 1.0)]), PLACED, None, problems) is None
    assert "point 2 lies off the raster" in str(next(iter(problems)))


@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the real fires are not beside the repository (../shared/data)")
def test_tubbs_starts_in_the_cells_of_its_mask_and_not_in_detections() -> None:
    tubbs = SHARED_DATA / "tubbs2017"
    raster = read_raster(tubbs / "ignition_mask.tif")
    grid = Grid(900, 700, 30.0, raster.transform, raster.crs)
    found = seen(tubbs / "ignition_mask.tif", GridPlacement(grid, ()))
    assert found.ignition is not None
    assert np.array_equal(found.ignition, raster.bands[0] == 1) and found.ignition.sum() == 357
    problems = Problems()
    assert read_ignition(tubbs / "viirs_tubbs.shp", grid, None, problems) is None
    assert "places where a satellite saw heat" in str(next(iter(problems)))

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyogrio
import pytest
import shapely

from firegui.errors import InputError
from firegui.io.crs import transformer
from firegui.io.vectors.perimeters import read_perimeters
from tests.unit.io.builders import PLACED, UNPLACED, refused_for, said


def box(rows: tuple[float, float], columns: tuple[float, float]) -> Any:
    west, north = PLACED.to_world(rows[0] - 0.5, columns[0] - 0.5)
    east, south = PLACED.to_world(rows[1] - 0.5, columns[1] - 0.5)
    return shapely.box(west, south, east, north)


def write(
    path: Path, geometries: Sequence[Any], fields: Mapping[str, Sequence[Any]], crs: str | None = "EPSG:32610"
) -> Path:
    wkb = np.array([None if g is None else shapely.to_wkb(g) for g in geometries], object)
    data = [
        np.array(values) if not isinstance(values[0], str) else np.array(values, object) for values in fields.values()
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a CRS is missing is what some tests are about
        pyogrio.raw.write(
            path,
            wkb,
            data,
            list(fields),
            geometry_type="Unknown" if path.suffix == ".gpkg" else "Polygon",
            crs=crs,
            driver="LIBKML" if path.suffix == ".kml" else None,
        )
    return path


TWO = [box((0, 2), (0, 3)), box((1, 4), (1, 4))]
DATES = {"Date": ["2020-08-20", "2020-08-19"]}


def test_increments_become_cumulative_masks_in_the_order_of_their_dates(tmp_path: Path) -> None:
    found = read_perimeters(write(tmp_path / "p.gpkg", TWO, DATES), PLACED)
    masks, dates = found.masks, found.dates
    assert dates == (date(2020, 8, 19), date(2020, 8, 20))
    assert masks.dtype == np.bool_
    expected = np.zeros((2, 6, 8), np.bool_)
    expected[:, 1:4, 1:4] = True
    expected[1, 0:2, 0:3] = True
    assert np.array_equal(masks, expected)


def test_several_polygons_of_a_date_are_joined(tmp_path: Path) -> None:
    found = read_perimeters(write(tmp_path / "p.gpkg", TWO, {"Date": ["2020-08-19", "2020-08-19"]}), PLACED)
    masks, dates = found.masks, found.dates
    assert dates == (date(2020, 8, 19),)
    assert masks.sum() == 6 + 9 - 2


@pytest.mark.parametrize(
    "fields",
    [
        {"DATE": ["20200820", "20200819"]},
        {"poly_date": ["2020/08/20", "2020/8/19"]},
        {"Date": ["2020-08-20T14:00:00", "2020-08-19 03:00"]},
        {"date_int": np.array([20200820, 20200819], np.int32)},
        {"when": ["2020-08-20", "2020-08-19"], "name": ["a", "b"]},
        {"Year": [2020, 2020], "Month": [8, 8], "Day": [20, 19], "JulianDay": [233, 232]},
        {"stamp": np.array(["2020-08-20", "2020-08-19"], "datetime64[ms]")},
    ],
)
def test_the_column_of_dates_is_recognised(tmp_path: Path, fields: Mapping[str, Sequence[Any]]) -> None:
    assert read_perimeters(write(tmp_path / "p.gpkg", TWO, fields), PLACED).dates == (
        date(2020, 8, 19),
        date(2020, 8, 20),
    )


def test_a_file_in_another_crs_is_reprojected(tmp_path: Path) -> None:
    change = transformer("EPSG:32610", "EPSG:4326")
    lonlat = shapely.transform(np.array(TWO), change.transform, interleaved=False)
    there = read_perimeters(write(tmp_path / "p.gpkg", list(lonlat), DATES, "EPSG:4326"), PLACED)
    here = read_perimeters(write(tmp_path / "q.gpkg", TWO, DATES), PLACED)
    assert np.array_equal(there.masks, here.masks)
    assert there.dates == here.dates


def test_in_a_folder_a_geopackage_goes_before_geojson_before_a_shapefile(tmp_path: Path) -> None:
    write(tmp_path / "c.shp", TWO[:1], {"Date": ["2020-01-03"]})
    assert read_perimeters(tmp_path, PLACED).dates == (date(2020, 1, 3),)
    write(tmp_path / "b.geojson", TWO[:1], {"Date": ["2020-01-02"]})
    assert read_perimeters(tmp_path, PLACED).dates == (date(2020, 1, 2),)
    write(tmp_path / "a.gpkg", TWO[:1], {"Date": ["2020-01-01"]})
    assert read_perimeters(tmp_path, PLACED).dates == (date(2020, 1, 1),)


def test_a_folder_with_several_or_no_candidates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no \.gpkg"):
        read_perimeters(tmp_path, PLACED)
    for name in ("a.gpkg", "b.gpkg"):
        write(tmp_path / name, TWO, DATES)
    with pytest.raises(InputError, match=r"a\.gpkg, b\.gpkg"):
        read_perimeters(tmp_path, PLACED)


def test_perimeters_off_the_grid_are_taken_for_a_crs_mismatch(tmp_path: Path) -> None:
    path = write(tmp_path / "p.gpkg", TWO, DATES, "EPSG:32611")
    with pytest.raises(InputError, match=r"off the grid .* likely a CRS mismatch"):
        read_perimeters(path, PLACED)


def test_perimeters_between_cell_centres_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "p.gpkg", [box((0.6, 1.4), (0.6, 1.4))], {"Date": ["2020-08-19"]})
    with pytest.raises(InputError, match="covers the centre of a cell"):
        read_perimeters(path, PLACED)


def test_a_file_that_does_not_say_its_crs_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "p.shp", TWO, DATES)
    (tmp_path / "p.prj").unlink()
    with pytest.raises(InputError, match="does not say its CRS"):
        read_perimeters(path, PLACED)


def test_every_problem_is_reported_at_once(tmp_path: Path) -> None:
    geometries = [TWO[0], shapely.Point(0, 0), None, TWO[1]]
    path = write(
        tmp_path / "p.gpkg", geometries, {"Date": ["2020-08-19", "2020-08-20", "yesterday", "2020-13-01"]}, None
    )
    grid = replace(PLACED, crs="EPSG:999999")
    with refused_for(
        "EPSG:999999' is unknown",
        "feature 2: is a Point",
        "feature 3: has no geometry",
        "'yesterday', which is not a date",
        "'2020-13-01', which is not a date",
        "does not say its CRS",
    ):
        read_perimeters(path, grid)


def test_a_grid_without_a_place_and_a_missing_file_are_both_reported(tmp_path: Path) -> None:
    with refused_for("has no place on the map", "does not exist"):
        read_perimeters(tmp_path / "none.gpkg", UNPLACED)


def test_a_file_without_dates_names_the_columns_it_has(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no column holds dates \(columns: area, who\)"):
        read_perimeters(write(tmp_path / "p.gpkg", TWO, {"area": [1.0, 2.0], "who": ["a", "b"]}), PLACED)


def test_dates_in_an_ambiguous_form_are_shown_and_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no column holds dates \(Date holds '08/09/2020'\)"):
        read_perimeters(write(tmp_path / "p.gpkg", TWO, {"Date": ["08/09/2020", "08/10/2020"]}), PLACED)


def test_a_file_that_is_no_vector_data_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.geojson").write_text("{ not json")
    with pytest.raises(InputError, match="cannot be read as vector data"):
        read_perimeters(tmp_path / "p.geojson", PLACED)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": []}))
    with pytest.raises(InputError) as caught:
        read_perimeters(tmp_path / "p.geojson", PLACED)
    assert "holds no perimeter" in " ".join(said(caught.value))


@pytest.mark.parametrize("corner", [np.nan, np.inf])
def test_corners_that_are_not_finite_are_refused(tmp_path: Path, corner: float) -> None:
    with np.errstate(invalid="ignore"):
        shape = shapely.transform(box((0, 2), (0, 3)), lambda at: np.where(at == at.max(), corner, at))
    file = write(tmp_path / "p.gpkg", [shape], {"Date": ["2020-08-20"]})
    with refused_for("corners that are not a number or infinite (feature 1)"):
        read_perimeters(file, PLACED)

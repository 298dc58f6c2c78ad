from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.domain.grid import Grid
from firegui.errors import InputError
from firegui.io.exporters import csv as csv_exporter
from firegui.io.exporters import export
from firegui.io.exporters.geotiff import write_occupancy_tif
from firegui.io.exporters.table import NOTICE
from firegui.io.georeference import Georeference
from firegui.io.rasters import read_raster
from tests.unit.io.builders import PLACED, UNPLACED, assert_each_said, assert_same_bits, drop, files_below, project

COLUMNS = [
    "step",
    "aircraft",
    "y",
    "x",
    "theta",
    "day",
    "time_utc",
    "time_local",
    "type",
    "material",
    "payload_gal",
    "executed",
    "lon",
    "lat",
    "easting",
    "northing",
    "run_heading_true",
    "run_heading_magnetic",
    "landing_lon",
    "landing_lat",
    "notice",
]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def written(folder: Path, grid: Grid = PLACED, **changes: Any) -> dict[str, str]:
    whole = project(grid)
    csv_exporter.write_schedule_csv(folder / "s.csv", [drop(60, 1, **changes)], whole)
    return rows(folder / "s.csv")[0]


def test_the_csv_has_exactly_the_promised_columns_the_required_first(tmp_path: Path) -> None:
    assert list(written(tmp_path)) == COLUMNS
    assert list(csv_exporter.COLUMNS) == COLUMNS


def test_times_count_from_the_plans_start_and_are_local_too(tmp_path: Path) -> None:
    row = written(tmp_path)  # the plan starts on event day 1, step 60 is 4.8 h into its day 1
    assert row["day"] == "1"
    assert row["time_utc"] == "2020-08-21T11:48:00Z"
    assert row["time_local"] == "2020-08-21T04:48:00-07:00"


def test_places_are_those_of_the_release_and_of_the_landing(tmp_path: Path) -> None:
    row = written(tmp_path)
    place = Georeference(PLACED)
    released, landed = place.lonlat(0.1 + 0.2, 1 / 3), place.lonlat(1.25, 3.5)
    assert released is not None and landed is not None
    assert (float(row["lon"]), float(row["lat"])) == pytest.approx(released, abs=1e-7)
    assert (float(row["landing_lon"]), float(row["landing_lat"])) == pytest.approx(landed, abs=1e-7)
    assert (float(row["easting"]), float(row["northing"])) == pytest.approx(PLACED.to_world(0.1 + 0.2, 1 / 3), abs=0.01)


def test_the_heading_is_the_axis_and_the_magnetic_one_is_left_empty(tmp_path: Path) -> None:
    for theta, heading in ((0.0, 90.0), (np.pi / 2, 0.0), (np.pi / 4, 45.0)):
        row = written(tmp_path, theta=float(theta))
        assert abs((float(row["run_heading_true"]) - heading + 90) % 180 - 90) <= 0.1
        assert 0 <= float(row["run_heading_true"]) < 180
        assert row["run_heading_magnetic"] == ""


def test_poses_are_written_so_that_they_read_back_bit_for_bit(tmp_path: Path) -> None:
    row = written(tmp_path, y=np.float64(0.1) * 3, x=1e-17)
    assert row["y"] == "0.30000000000000004" and row["x"] == "1e-17"


def test_without_a_place_the_csv_leaves_places_and_headings_empty(tmp_path: Path) -> None:
    row = written(tmp_path, UNPLACED)
    for name in ("lon", "lat", "easting", "northing", "run_heading_true", "landing_lon", "landing_lat"):
        assert row[name] == ""
    assert row["step"] == "60" and row["notice"] == NOTICE


def test_drops_are_written_by_step_and_then_by_the_aircrafts_column(tmp_path: Path) -> None:
    drops = [drop(5, 2), drop(5, 0, executed=False), drop(1, 1)]
    csv_exporter.write_schedule_csv(tmp_path / "s.csv", drops, project())
    held = rows(tmp_path / "s.csv")
    assert [(row["step"], row["aircraft"], row["executed"]) for row in held] == [
        ("1", "S-2T-2", "true"),
        ("5", "S-2T-1", "false"),
        ("5", "CL-415-1", "true"),
    ]
    assert (held[2]["material"], held[2]["payload_gal"]) == ("water", "1200")


def test_quotes_in_a_type_survive_the_csv(tmp_path: Path) -> None:
    assert written(tmp_path)["type"] == 'Turbo "Tracker"'


def test_geojson_has_one_point_per_drop_with_its_properties(tmp_path: Path) -> None:
    (path,) = export([drop(60, 1), drop(70, 2, executed=False)], project(), ["geojson"], tmp_path, "plan")
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["type"] == "FeatureCollection" and document["notice"] == NOTICE and "crs" not in document
    first, second = document["features"]
    assert first["geometry"]["type"] == "Point"
    assert first["geometry"]["coordinates"] == pytest.approx(Georeference(PLACED).lonlat(0.1 + 0.2, 1 / 3), abs=1e-7)
    assert first["properties"]["aircraft"] == "S-2T-2" and first["properties"]["theta"] == 2 / 3
    assert first["properties"]["sigma_parallel_m"] == pytest.approx(111.0)
    assert second["properties"]["executed"] is False
    assert all(item["properties"]["notice"] == NOTICE for item in document["features"])


def test_every_product_says_that_it_is_planned_model_output(tmp_path: Path) -> None:
    assert NOTICE == "PLANNED – MODEL OUTPUT, not for operational use without review"
    paths = export([drop(60, 1)], project(), ["csv", "geojson"], tmp_path / "new", "plan")
    write_occupancy_tif(tmp_path / "o.tif", np.zeros((3, *PLACED.shape), np.float32), project())
    assert all(NOTICE in path.read_text(encoding="utf-8") for path in paths)
    assert read_raster(tmp_path / "o.tif").tags["NOTICE"] == NOTICE


def test_files_are_named_after_the_stem_and_returned_in_order(tmp_path: Path) -> None:
    paths = export([drop(1, 1)], project(), ["geojson", "CSV", "csv"], tmp_path / "a" / "b", "plan")
    assert [path.name for path in paths] == ["plan.geojson", "plan.csv"]
    assert files_below(tmp_path / "a" / "b") == {"plan.csv", "plan.geojson"}


def test_a_schedule_without_drops_is_exported(tmp_path: Path) -> None:
    for path in export([], project(), ["csv", "geojson"], tmp_path, "plan"):
        assert path.exists()


def test_every_format_that_does_not_work_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        export([drop(1, 1)], project(UNPLACED), ["csv", "doc", "geojson", "xls"], tmp_path, "plan")
    assert_each_said(caught.value, ["format doc: is not known", "format xls", "GeoJSON needs a georeferenced grid"])
    assert files_below(tmp_path) == set()
    with pytest.raises(InputError, match="none was given"):
        export([drop(1, 1)], project(), [], tmp_path, "plan")


def test_a_folder_that_cannot_be_made_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot be written"):
        export([drop(1, 1)], project(), ["csv"], tmp_path / "file" / "sub", "plan")


def test_occupancy_is_one_band_per_day_boundary_bit_for_bit(tmp_path: Path) -> None:
    p_fire = np.random.default_rng(1).random((3, *PLACED.shape), np.float32)
    write_occupancy_tif(tmp_path / "o.tif", p_fire, project())
    raster = read_raster(tmp_path / "o.tif")
    assert_same_bits(raster.bands, p_fire)
    assert raster.descriptions == tuple(f"P(fire) 2020-08-{day}T00:00-07:00" for day in (20, 21, 22))
    assert raster.transform == PLACED.transform
    write_occupancy_tif(tmp_path / "u.tif", p_fire, replace(project(UNPLACED)))
    assert_same_bits(read_raster(tmp_path / "u.tif").bands, p_fire)

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import h5netcdf
import numpy as np
import pytest
import rasterio
from pyproj import CRS, Transformer

from firegui.domain.grid import Grid
from firegui.io.exporters import export
from firegui.io.exporters.content import Occupancy, arrival_days, arrival_hours
from firegui.io.exporters.geotiff import write_occupancy_tif
from firegui.io.exporters.table import NOTICE
from firegui.io.rasters.geotiff import read_raster, without_place_warnings
from tests.unit.io.builders import PLACED, UNPLACED, assert_same_bits, project
from tests.unit.io.exporters.plans import SPHERE_LCC, grid_at, plan, states

SPHERE = grid_at(SPHERE_LCC, -6000.0, 4500.0, shape=(40, 60))


def test_occupancy_of_a_run_is_one_band_per_day_boundary_bit_for_bit(tmp_path: Path) -> None:
    p_fire = np.random.default_rng(1).random((3, *PLACED.shape), np.float32)
    write_occupancy_tif(tmp_path / "o.tif", p_fire, project())
    raster = read_raster(tmp_path / "o.tif")
    assert_same_bits(raster.bands, p_fire)
    assert raster.descriptions == tuple(f"P(fire) 2020-08-{day}T00:00-07:00" for day in (20, 21, 22))
    assert raster.transform == PLACED.transform and raster.tags["NOTICE"] == NOTICE
    write_occupancy_tif(tmp_path / "u.tif", p_fire, project(UNPLACED))
    assert_same_bits(read_raster(tmp_path / "u.tif").bands, p_fire)


@pytest.mark.parametrize("grid", [PLACED, UNPLACED, SPHERE], ids=["utm", "no place", "sphere"])
def test_exported_rasters_are_cloud_optimised_and_keep_every_bit(tmp_path: Path, grid: Grid) -> None:
    content = plan(grid)
    paths = export(content, ["geotiff"], tmp_path, "plan")
    assert [path.name for path in paths] == [
        "plan-occupancy.tif", "plan-arrival.tif", "plan-baseline-occupancy.tif", "plan-baseline-arrival.tif",
    ]  # fmt: skip
    for path, fire in ((paths[0], content.plan), (paths[2], content.baseline)):
        assert fire is not None
        raster = read_raster(path)
        assert_same_bits(raster.bands, fire.days)
        assert raster.descriptions[-1].endswith("2020-08-22T00:00-07:00") and raster.tags["NOTICE"] == NOTICE
        assert raster.transform == grid.transform or grid is UNPLACED
    for path in paths:
        with without_place_warnings(), rasterio.open(path) as file:
            assert file.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
            assert file.crs is None if grid.crs is None else CRS(file.crs.to_wkt()).is_projected


def test_without_a_baseline_only_the_plans_rasters_are_written(tmp_path: Path) -> None:
    assert len(export(plan(baseline=False), ["geotiff"], tmp_path, "plan")) == 2


def test_arrival_is_the_first_boundary_and_the_hour_on_the_line_between_two() -> None:
    days = np.zeros((3, 3, 3), np.float32)
    days[:, 0, 0] = 1.0, 1.0, 1.0  # burns at the start
    days[:, 0, 1] = 0.0, 0.5, 0.9  # as likely as not at the first boundary
    days[:, 0, 2] = 0.25, 0.25, 0.75  # halfway through the second day
    days[:, 1, 0] = 0.0, 0.8, 0.2  # water may take probability away again
    days[:, 1, 1] = 0.1, 0.2, 0.49
    fire = Occupancy(days, 0)
    expected_days = [[0.0, 1.0, 2.0], [1.0, np.nan, np.nan], [np.nan] * 3]
    expected_hours = [[0.0, 24.0, 36.0], [15.0, np.nan, np.nan], [np.nan] * 3]
    np.testing.assert_array_equal(arrival_days(fire), np.array(expected_days, np.float32))
    np.testing.assert_allclose(arrival_hours(fire), np.array(expected_hours), rtol=1e-6)
    later = Occupancy(days[1:], 5)
    assert arrival_days(later)[0, 0] == 5.0 and arrival_hours(later)[0, 2] == 132.0


def test_the_arrival_raster_says_its_units_and_its_origin(tmp_path: Path) -> None:
    content = plan()
    path = export(content, ["geotiff"], tmp_path, "plan")[1]
    with rasterio.open(path) as file:
        assert file.units == ("days", "hours") and np.isnan(file.nodata)
        assert file.tags()["TIME_ORIGIN_UTC"] == "2020-08-20T07:00:00Z"
        assert content.plan is not None
        assert_same_bits(file.read(1), arrival_days(content.plan))
        assert_same_bits(file.read(2), arrival_hours(content.plan))


@pytest.mark.parametrize("grid", [PLACED, SPHERE], ids=["utm", "sphere"])
def test_netcdf_follows_the_conventions(tmp_path: Path, grid: Grid) -> None:
    content = plan(grid)
    (path,) = export(content, ["netcdf"], tmp_path, "plan")
    with h5netcdf.File(path) as file:
        assert file.attrs["Conventions"] == "CF-1.8" and file.attrs["notice"] == NOTICE
        assert file["time"].attrs["units"] == "hours since 2020-08-20 07:00:00"
        assert list(file["time"][...]) == [0.0, 24.0, 48.0]
        fire = file["fire_probability"]
        assert fire.dimensions == ("time", "y", "x") and fire.attrs["units"] == "1"
        mapping = file[fire.attrs["grid_mapping"]]
        assert CRS.from_wkt(mapping.attrs["crs_wkt"]).equals(CRS.from_user_input(grid.crs), ignore_axis_order=True)
        assert mapping.attrs["grid_mapping_name"]
        assert content.plan is not None and content.baseline is not None
        assert_same_bits(np.asarray(fire[...]), content.plan.days)
        baseline = np.asarray(file["baseline_fire_probability"][...])
        assert np.isnan(baseline[0]).all()  # the fire without drops is known from the first day's end on
        assert_same_bits(baseline[1:], content.baseline.days)
        x, y = file["x"], file["y"]
        assert (x.attrs["standard_name"], y.attrs["units"]) == ("projection_x_coordinate", "m")
        lon, lat = Transformer.from_crs(grid.crs, "EPSG:4326", always_xy=True).transform(x[2], y[4])
        assert (float(file["lon"][4, 2]), float(file["lat"][4, 2])) == pytest.approx((lon, lat), abs=1e-9)


def test_gis_programs_find_the_place_of_the_netcdf(tmp_path: Path) -> None:
    (path,) = export(plan(SPHERE), ["netcdf"], tmp_path, "plan")
    with rasterio.open(f"netcdf:{path}:fire_probability") as file:
        assert file.count == 3 and tuple(file.transform)[:6] == pytest.approx(SPHERE.transform)
        assert_same_bits(file.read(2), states(SPHERE, 2)[1])


def test_netcdf_of_a_grid_without_a_place_counts_metres_from_its_corner(tmp_path: Path) -> None:
    (path,) = export(plan(UNPLACED), ["netcdf"], tmp_path, "plan")
    with h5netcdf.File(path) as file:
        assert "crs" not in file.variables and "grid_mapping" not in file["fire_probability"].attrs
        assert (float(file["x"][0]), float(file["y"][0])) == (15.0, 165.0)
        assert "standard_name" not in file["x"].attrs


def test_a_grid_in_feet_says_its_unit(tmp_path: Path) -> None:
    feet = grid_at("EPSG:2226", 6_000_000.0, 2_000_000.0, cell=100.0, shape=(6, 8))
    (path,) = export(plan(feet), ["netcdf"], tmp_path, "plan")
    with h5netcdf.File(path) as file:
        assert file["x"].attrs["units"].startswith("0.3048006")


@pytest.mark.parametrize("name", ["geotiff", "netcdf"])
def test_the_same_plan_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    made = datetime(2020, 8, 19, 12, tzinfo=UTC)
    one, other = (export(plan(made=made), [name], tmp_path / part, "plan") for part in ("one", "other"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]

"""Where a drop is and how it lies, worked out a second time from PROJ and the ellipsoid alone."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pyogrio
import pytest
import shapely
from numpy.typing import NDArray
from pygeomag import GeoMag
from pyproj import CRS, Transformer

from firegui.domain.grid import Grid
from firegui.io.exporters import export
from firegui.io.exporters.content import ExportContent
from firegui.io.georeference import decimal_year
from tests.unit.io.builders import project
from tests.unit.io.exporters.plans import GRIDS, plan, random_drops

COUNT = 200
_A, _F = 6378137.0, 1 / 298.257223563


@cache
def many(name: str) -> ExportContent:
    grid = GRIDS[name]
    whole = project(grid)
    whole = replace(whole, plan=replace(whole.plan, start_day=0, days=10))
    return plan(grid, project=whole, drops=random_drops(grid, COUNT), plan=None, baseline=False)


def world(grid: Grid, y: float, x: float) -> tuple[float, float]:
    assert grid.transform is not None
    return grid.transform[2] + (x + 0.5) * grid.cell_size_m, grid.transform[5] - (y + 0.5) * grid.cell_size_m


@cache
def to_wgs84(grid: Grid) -> Transformer:
    return Transformer.from_crs(CRS.from_user_input(grid.crs), CRS.from_epsg(4326), always_xy=True)


def azimuth(grid: Grid, y: float, x: float, theta: float) -> float:
    """Of the long axis, by a step of 2 m along it and the ellipsoid's radii of curvature at the place."""
    east, north = world(grid, y, x)
    place = to_wgs84(grid)
    lon0, lat0 = place.transform(east - math.cos(theta), north - math.sin(theta))
    lon1, lat1 = place.transform(east + math.cos(theta), north + math.sin(theta))
    lat = math.radians((lat0 + lat1) / 2)
    e2 = _F * (2 - _F)
    root = 1 - e2 * math.sin(lat) ** 2
    dn, de = (lat1 - lat0) * _A * (1 - e2) / root**1.5, (lon1 - lon0) * _A / math.sqrt(root) * math.cos(lat)
    return math.degrees(math.atan2(de, dn)) % 180.0


def apart(one: float, other: float) -> float:
    """Degrees between two axes."""
    return abs((one - other + 90.0) % 180.0 - 90.0)


def from_ddm(text: str) -> tuple[float, float]:
    found = re.fullmatch(r"(\d{2})°(\d{2}\.\d{3})′ ([NS]) (\d{3})°(\d{2}\.\d{3})′ ([EW])", text)
    assert found is not None, text
    lat, lon = (int(found[at]) * 60 + float(found[at + 1]) for at in (1, 4))
    assert float(found[2]) < 60.0 and float(found[5]) < 60.0
    return lon * (1 if found[6] == "E" else -1), lat * (1 if found[3] == "N" else -1)


@pytest.mark.parametrize("name", GRIDS)
def test_places_in_degrees_and_minutes_agree_with_proj_to_a_thousandth_of_a_minute(name: str) -> None:
    grid, content = GRIDS[name], many(name)
    assert len(content.rows) == COUNT
    for row in content.rows:
        drop = row.drop
        for text, (y, x) in ((row.release_ddm, (drop.y, drop.x)), (row.landing_ddm, (drop.landing_y, drop.landing_x))):
            lon, lat = to_wgs84(grid).transform(*world(grid, y, x))
            assert text is not None
            assert from_ddm(text) == pytest.approx((lon * 60, lat * 60), abs=0.000501)


@pytest.mark.parametrize("name", GRIDS)
def test_true_headings_agree_with_the_ellipsoid_to_a_tenth_of_a_degree(name: str) -> None:
    grid, content = GRIDS[name], many(name)
    for row in content.rows:
        drop = row.drop
        assert row.heading_true is not None and 0.0 <= row.heading_true < 180.0
        assert apart(row.heading_true, azimuth(grid, drop.y, drop.x, drop.theta)) < 0.01


@pytest.mark.parametrize("name", GRIDS)
def test_magnetic_headings_agree_with_the_model_asked_at_every_drop(name: str, tmp_path: Path) -> None:
    grid, content = GRIDS[name], many(name)
    model, calendar = GeoMag(base_year=2020), content.project.calendar
    (path,) = export(content, ["csv"], tmp_path, "plan")
    with path.open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    for row, line in zip(content.rows, written, strict=True):
        lon, lat = to_wgs84(grid).transform(*world(grid, row.drop.y, row.drop.x))
        year = decimal_year(calendar.time_of_step(row.drop.step))
        turn = model.calculate(glat=lat, glon=lon, alt=0.0, time=year).d
        assert abs(float(line["declination"]) - turn) < 0.02
        true = azimuth(grid, row.drop.y, row.drop.x, row.drop.theta)
        # 0.05° of it is the rounding of the table.
        assert apart(float(line["run_heading_magnetic"]), true - turn) < 0.1
        assert apart(float(line["run_heading_true"]), true) < 0.1


@pytest.mark.parametrize("name", GRIDS)
def test_drops_read_back_from_every_format_lie_within_a_decimetre(name: str, tmp_path: Path) -> None:
    grid, content = GRIDS[name], many(name)
    expected = np.array([world(grid, row.drop.y, row.drop.x) for row in content.rows])
    back = Transformer.from_crs(CRS.from_epsg(4326), CRS.from_user_input(grid.crs), always_xy=True)
    for path in export(content, ["geojson", "kml", "gpkg", "gpx"], tmp_path, "plan"):
        found = np.column_stack(back.transform(*points_in(path).T))
        # KML and GPX are by aircraft and day; a drop is the one that is nearest.
        nearest = np.linalg.norm(found[:, None] - expected[None], axis=2).min(axis=0)
        assert len(found) == COUNT
        assert nearest.max() < 0.1, path.name


def points_in(path: Path) -> NDArray[np.float64]:
    """Longitudes and latitudes of the drops in a file."""
    names = [str(name) for name, _ in pyogrio.list_layers(path)]
    kept = {".kml": [n for n in names if n.endswith("drops")], ".gpkg": ["drops"], ".gpx": ["waypoints"]}
    points = []
    for layer in kept.get(path.suffix, names):
        points.append(shapely.get_coordinates(shapely.from_wkb(pyogrio.raw.read(path, layer=layer)[2])))
    return np.asarray(np.concatenate(points), np.float64)

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import gpxpy
import pyogrio
import pytest
import shapely

from firegui.io.exporters import export
from firegui.io.exporters.table import NOTICE
from firegui.io.georeference import Georeference
from tests.unit.io.builders import PLACED, drop
from tests.unit.io.exporters.plans import grid_at, plan

DROPS = [drop(2, 0), drop(20, 0, y=3.0), drop(21, 2), drop(60, 0), drop(61, 1, executed=False)]


def test_a_receiver_gets_a_waypoint_with_its_time_for_every_flown_drop(tmp_path: Path) -> None:
    (path,) = export(plan(drops=DROPS), ["gpx"], tmp_path, "plan")
    gpx = gpxpy.parse(path.read_text(encoding="utf-8"))
    assert [point.name for point in gpx.waypoints] == [
        "S-2T-1 D01 #1", "S-2T-1 D01 #2", "CL-415-1 D01 #3", "S-2T-1 D02 #4",
    ]  # fmt: skip
    second = gpx.waypoints[1]
    assert second.time == datetime(2020, 8, 20, 16, 36, tzinfo=UTC)
    assert (second.longitude, second.latitude) == pytest.approx(Georeference(PLACED).lonlat(3.0, 1 / 3), abs=1e-9)
    assert second.magnetic_variation == pytest.approx(13.9, abs=0.1) and second.type == "retardant"
    assert "39°44.9" in (second.description or "") and NOTICE in (second.description or "")
    assert (gpx.description or "").startswith(NOTICE)


def test_an_aircrafts_day_with_two_drops_is_a_route_that_gdal_reads(tmp_path: Path) -> None:
    (path,) = export(plan(drops=DROPS), ["gpx"], tmp_path, "plan")
    routes = {route.name: route.points for route in gpxpy.parse(path.read_text(encoding="utf-8")).routes}
    assert {name: len(points) for name, points in routes.items()} == {"S-2T-1, day 1, 2020-08-20": 2}
    _, _, shapes, _ = pyogrio.raw.read(path, layer="routes")
    assert [shapely.get_num_coordinates(shapely.from_wkb(shape)) for shape in shapes] == [2]
    assert [point.name for point in routes["S-2T-1, day 1, 2020-08-20"]] == ["S-2T-1 D01 #1", "S-2T-1 D01 #2"]


def test_a_western_declination_counts_on_from_three_hundred_and_sixty(tmp_path: Path) -> None:
    maine = grid_at("EPSG:32619", 440000.0, 4_980_000.0, shape=(6, 8))
    (path,) = export(plan(maine, drops=DROPS), ["gpx"], tmp_path, "plan")
    first = gpxpy.parse(path.read_text(encoding="utf-8")).waypoints[0]
    assert first.magnetic_variation == pytest.approx(360.0 - 15.6, abs=0.5)
    assert "° W)" in (first.description or "")

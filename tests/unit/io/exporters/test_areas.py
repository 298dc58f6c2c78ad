from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import shapely
from pyproj import Geod

from firegui.domain.grid import Grid
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.regions import Region
from firegui.errors import InputError
from firegui.io.exporters import export
from firegui.io.exporters.areas import Kind, bounds_of, drawn_areas, footprints, perimeters, to_wgs84
from firegui.io.exporters.content import Occupancy
from firegui.io.georeference import Georeference
from tests.unit.io.builders import PLACED, drop, project
from tests.unit.io.exporters.plans import GRIDS, plan, random_drops

ZONE = Region("creek", ((((0.0, 0.0), (0.0, 2.0), (2.0, 0.0)),),))
# 180° lies within this grid of UTM zone 1 in Fiji.
ACROSS = Grid(20, 200, 100.0, (100.0, 0.0, 170000.0, 0.0, -100.0, 8_040_000.0), "EPSG:32701")


@pytest.mark.parametrize("name", ["California Albers", "a conformal conic on a sphere", "UTM in the south"])
def test_a_footprint_lies_along_its_heading_around_its_landing_point(name: str) -> None:
    content = plan(GRIDS[name], drops=random_drops(GRIDS[name], 60))
    geod = Geod(ellps="WGS84")
    for area in footprints(content):
        assert area.row is not None and area.row.landing_lonlat is not None and area.row.heading_true is not None
        ring = np.array(area.shape.exterior.coords)[:-1]
        # Opposite points of an ellipse are as far apart as it is long at most.
        half = len(ring) // 2
        courses, _, lengths = geod.inv(ring[:half, 0], ring[:half, 1], ring[half:, 0], ring[half:, 1])
        longest = int(np.argmax(lengths))
        cells = area.row.drop.sigma_parallel_cells * 4.0
        assert lengths[longest] == pytest.approx(cells * Georeference(GRIDS[name]).ground_cell_m, rel=0.005)
        assert abs((courses[longest] - area.row.heading_true + 90.0) % 180.0 - 90.0) < 0.1
        middle = ring.mean(axis=0)
        off = geod.inv(middle[0], middle[1], *area.row.landing_lonlat)[2]
        assert off < 0.1


def test_outer_rings_turn_left_and_holes_turn_right() -> None:
    for area in [*footprints(plan()), *drawn_areas(plan()), *perimeters(plan())]:
        for part in shapely.get_parts(area.shape):
            assert shapely.is_ccw(part.exterior)
            assert not any(shapely.is_ccw(hole) for hole in part.interiors)
    (odd,) = [area for area in drawn_areas(plan()) if area.name.startswith("odd")]
    assert len(odd.shape.geoms) == 2 and len(odd.shape.geoms[0].interiors) == 1 and odd.weight == 2.5


def test_perimeters_are_those_observed_and_where_either_fire_is_as_likely_as_not() -> None:
    states = np.zeros((3, *PLACED.shape), np.float32)
    states[1, 2, 3], states[2, 2:4, 3], states[2, 5, 5] = 0.5, 0.9, 0.49
    content = plan(plan=Occupancy(states, 0), baseline=False)
    found = {(area.kind, area.name): area for area in perimeters(content)}
    assert [str(kind) for kind, _ in found] == ["observed perimeter"] * 2 + ["planned perimeter"] * 2
    last = found[Kind.PLANNED, "with the plan, 2020-08-22 00:00-07:00"]
    assert last.begin == datetime(2020, 8, 22, 7, tzinfo=UTC)
    place = Georeference(PLACED)
    corners = {place.lonlat(row, column) for row in (1.5, 3.5) for column in (2.5, 3.5)}
    assert set(last.shape.geoms[0].exterior.coords) == corners
    first = found[Kind.OBSERVED, "observed 2020-08-19"]
    assert (first.begin, first.end) == (datetime(2020, 8, 19, 7, tzinfo=UTC), datetime(2020, 8, 21, 7, tzinfo=UTC))


def test_a_hole_in_a_perimeter_stays_a_hole() -> None:
    states = np.zeros((3, *PLACED.shape), np.float32)
    states[2, 1:4, 1:4] = 1.0
    states[2, 2, 2] = 0.0
    (area,) = perimeters(replace(plan(plan=Occupancy(states, 0), baseline=False), project=bare()))
    assert len(area.shape.geoms) == 1 and len(area.shape.geoms[0].interiors) == 1


def bare() -> Project:
    whole = project()
    return replace(whole, scenario=replace(whole.scenario, observed=None, observed_dates=()))


def test_no_drop_zones_are_areas_of_their_own_kind(tmp_path: Path) -> None:
    whole = replace(project(), operations=Operations(no_drop_zones=(ZONE,)))
    (path,) = export(plan(project=whole), ["geojson-areas"], tmp_path, "plan")
    features = json.loads(path.read_text(encoding="utf-8"))["features"]
    kinds = [feature["properties"]["kind"] for feature in features]
    assert kinds.count("no-drop zone") == 1 and kinds.count("footprint") == 2
    assert {"protected region", "observed perimeter", "planned perimeter", "perimeter without drops"} < set(kinds)
    assert all(one["properties"]["plan_day"] == one["properties"]["day"] + 1 for one in features[:2])


def test_what_crosses_the_antimeridian_is_cut_there() -> None:
    # Columns 90 to 110 lie on either side of it.
    lonlat = [Georeference(ACROSS).lonlat(10.0, column) for column in (0.0, 199.0)]
    assert lonlat[0] is not None and lonlat[1] is not None and lonlat[0][0] > 179.8 and lonlat[1][0] < -179.9
    box = shapely.box(0.0, 5.0, 200.0, 10.0)
    (cut,) = to_wgs84([box], ACROSS)
    west, east = sorted(cut.geoms, key=lambda part: part.bounds[0])
    assert west.bounds[0] == pytest.approx(-180.0) and east.bounds[2] == pytest.approx(180.0)
    assert east.bounds[0] == pytest.approx(lonlat[0][0], abs=1e-3)
    assert all(shapely.is_ccw(part.exterior) for part in cut.geoms)
    bounds = bounds_of([cut])
    assert bounds is not None and bounds[0] > 179.8 and bounds[2] < -179.9


def test_a_plan_across_the_antimeridian_has_a_box_across_it(tmp_path: Path) -> None:
    drops = [drop(1, 0, x=2.0, y=3.0), drop(40, 1, x=190.0, y=4.0)]
    content = plan(ACROSS, drops=drops, project=project(ACROSS))
    paths = export(content, ["geojson", "geojson-areas", "kml", "gpkg", "gpx"], tmp_path, "plan")
    for path in paths[:2]:
        west, south, east, north = json.loads(path.read_text(encoding="utf-8"))["bbox"]
        assert west > 179.8 and east < -179.9 and south < north


def test_a_shape_that_has_no_place_on_the_earth_is_refused() -> None:
    far = Grid(6, 8, 30.0, (30.0, 0.0, 1e9, 0.0, -30.0, 1e9), "EPSG:3310")
    with pytest.raises(InputError, match="no longitude and latitude"):
        to_wgs84([shapely.box(0, 0, 1, 1)], far)

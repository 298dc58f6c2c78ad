"""Bases from CSV and GeoJSON: places, columns, assumptions, and every mistake of a bad file in one list."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firegui.domain.bases import BaseKind
from firegui.domain.grid import Grid
from firegui.errors import InputError
from firegui.io.georeference import Georeference
from firegui.io.importers.bases import BaseSource, read_bases

GRID = Grid(200, 300, 30.0, (30.0, 0.0, 550_000.0, 0.0, -30.0, 4_500_000.0), "EPSG:32610")


def lonlat(y: float, x: float) -> tuple[float, float]:
    found = Georeference(GRID).lonlat(y, x)
    assert found is not None
    return found


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def refused(source: BaseSource, grid: Grid = GRID) -> str:
    with pytest.raises(InputError) as error:
        read_bases(source, grid)
    return "\n".join(map(str, error.value.problems))


def test_a_table_gives_bases_far_outside_the_grid(tmp_path: Path) -> None:
    lon, lat = lonlat(-900.0, 2500.0)
    file = written(
        tmp_path / "bases.csv",
        "Name,lon,lat,kind,reload_min,opens,closes,serves\n"
        f"Redding,{lon:.9f},{lat:.9f},airtanker base,12,08:00,20:30,S-2T; BAe-146\n"
        f"Lake,{lon:.9f},{lat:.9f},scooping_lake,,,,\n",
    )
    redding, lake = read_bases(BaseSource(file, serves=("CL-415",)), GRID).bases
    assert (redding.y, redding.x) == pytest.approx((-900.0, 2500.0), abs=0.01)
    assert (redding.kind, redding.reload_min) == (BaseKind.AIRTANKER, 12.0)
    assert (redding.opens_h, redding.closes_h, redding.serves) == (8.0, 20.5, ("S-2T", "BAe-146"))
    assert (lake.kind, lake.reload_min, lake.has_hours, lake.serves) == (BaseKind.LAKE, 1.0, False, ("CL-415",))


def test_coordinates_of_the_projects_crs_are_read_and_assumptions_are_told(tmp_path: Path) -> None:
    east, north = GRID.to_world(20.0, 30.0)
    found = read_bases(BaseSource(written(tmp_path / "b.csv", f"name,x,y\nPond,{east},{north}\n"), BaseKind.DIP), GRID)
    (pond,) = found.bases
    assert (pond.y, pond.x, pond.kind, pond.reload_min) == pytest.approx((20.0, 30.0, BaseKind.DIP, 2.0))
    assert "taken for kind dip_site" in found.notes[0]
    assert "Reload times that are not given are assumed" in found.notes[1]


def test_points_and_lakes_of_geojson_are_read(tmp_path: Path) -> None:
    corners = [lonlat(row, column) for row, column in ((10.0, 10.0), (10.0, 20.0), (20.0, 20.0), (20.0, 10.0))]
    features = [
        {"type": "Feature", "properties": {"name": "Chico", "serves": "S-2T"},
         "geometry": {"type": "Point", "coordinates": lonlat(50.0, 60.0)}},
        {"type": "Feature", "properties": {"name": "Reservoir", "kind": "scooping_lake"},
         "geometry": {"type": "Polygon", "coordinates": [[*corners, corners[0]]]}},
    ]  # fmt: skip
    file = written(tmp_path / "b.geojson", json.dumps({"type": "FeatureCollection", "features": features}))
    chico, reservoir = read_bases(BaseSource(file), GRID).bases
    assert (chico.name, chico.serves) == ("Chico", ("S-2T",))
    assert (chico.y, chico.x) == pytest.approx((50.0, 60.0), abs=0.01)
    assert reservoir.kind is BaseKind.LAKE
    assert 10.0 < reservoir.y < 20.0
    assert 10.0 < reservoir.x < 20.0


def test_every_mistake_of_a_table_is_in_one_list(tmp_path: Path) -> None:
    file = written(
        tmp_path / "bad.csv",
        "name,lon,lat,kind,reload_min,opens,closes\n"
        "A,-122.0,40.0,harbour,10,,\n"
        "B,-122.0,95.0,dip_site,10,,\n"
        "C,-122.0,nan,dip_site,10,,\n"
        "D,-122.0,40.0,dip_site,-1,,\n"
        "E,-122.0,40.0,dip_site,soon,8:75,20:00\n"
        "a,-122.0,40.0,dip_site,10,8,\n"
        ",-122.0,40.0,dip_site,10,,\n",
    )
    said = refused(BaseSource(file))
    for part in (
        "row 2: the kind 'harbour' is unknown", "row 3: has coordinates that are not on the Earth",
        "row 4: has coordinates", "base D: Reload time is -1.0",
        "row 6: reload_min is 'soon'", "row 6: opens is '8:75'",
        "base a: one of its hours is missing", "base (no name): the name is empty", "A and a differ only in letter",
    ):  # fmt: skip
        assert part in said


def test_what_columns_lack_and_what_values_say_is_in_one_list(tmp_path: Path) -> None:
    said = refused(BaseSource(written(tmp_path / "b.csv", "town,kind,reload_min\nA,harbour,10\nB,dip_site,soon\n")))
    for part in (
        "no columns of longitude and latitude", "no column of names", "row 2: the kind 'harbour' is unknown",
        "row 3: reload_min is 'soon'",
    ):  # fmt: skip
        assert part in said
    assert "empty" not in said and "nan" not in said
    said = refused(BaseSource(written(tmp_path / "c.csv", "name,lon,lat,kind\nA,east,40,harbour\nB,0,95,\n")))
    assert "row 2: has no numbers for its place" in said and "row 2: the kind 'harbour'" in said
    assert "row 3: has coordinates that are not on the Earth" in said and "cannot be shown" not in said


def test_a_table_without_names_or_places_and_a_grid_without_a_place_are_refused(tmp_path: Path) -> None:
    said = refused(BaseSource(written(tmp_path / "b.csv", "place,town\n1,2\n")))
    assert "no columns of longitude and latitude" in said
    assert "no column of names" in said
    assert "holds no row" in refused(BaseSource(written(tmp_path / "c.csv", "name,lon,lat\n")))
    bare = Grid(20, 30, 30.0)
    assert "has no place on the map" in refused(BaseSource(written(tmp_path / "d.csv", "name,lon,lat\nA,1,2\n")), bare)

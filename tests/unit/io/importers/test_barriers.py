"""Barriers from vector files: categories of NWCG, kinds, times, and every mistake of a bad file in one list."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from firegui.domain.barriers import Barrier, BarrierKind
from firegui.domain.grid import Grid
from firegui.errors import InputError
from firegui.io.georeference import Georeference
from firegui.io.importers.barriers import BarrierSource, free_names, read_barriers, write_barriers

GRID = Grid(200, 300, 30.0, (30.0, 0.0, 550_000.0, 0.0, -30.0, 4_500_000.0), "EPSG:32610")
PLACE = Georeference(GRID)
LINE = ((10.0, 10.0), (40.0, 90.0), (42.0, 120.0))


def points(corners: Sequence[tuple[float, float]]) -> list[list[float]]:
    found = [PLACE.lonlat(row - 0.5, column - 0.5) for row, column in corners]
    return [list(at) for at in found if at is not None]


def feature(
    corners: Sequence[tuple[float, float]] = LINE, shape: str = "LineString", **properties: Any
) -> dict[str, Any]:
    held: Any = points(corners)
    held = [[*held, held[0]]] if shape == "Polygon" else held[0] if shape == "Point" else held
    return {"type": "Feature", "properties": properties, "geometry": {"type": shape, "coordinates": held}}


def written(path: Path, *features: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), encoding="utf-8")
    return path


def refused(source: BarrierSource, grid: Grid = GRID) -> str:
    with pytest.raises(InputError) as error:
        read_barriers(source, grid)
    return "\n".join(map(str, error.value.problems))


def test_categories_of_nwcg_decide_kinds_and_what_is_left_out(tmp_path: Path) -> None:
    categories = (
        "Completed Dozer Line", "Completed Hand Line", "Road as Completed Line", "Completed Fuel Break",
        "Completed Burnout", "Contained Line", "Contained Fire Edge", "Completed Plow Line",
    )  # fmt: skip
    none = ("Uncontrolled Fire Edge", "Proposed Dozer Line", "Proposed Dozer Line", "Division Break", "Fire Edge")
    file = written(
        tmp_path / "lines.geojson",
        *(feature(FeatureCategory=category) for category in categories),
        *(feature(FeatureCategory=category) for category in none),
        feature(FeatureCategory="Goat Trail"),
        feature(FeatureCategory="Completed Hand Line", FeatureStatus="Proposed"),
        feature(FeatureCategory="Completed Hand Line", DeleteThis="Yes - Editing Mistake"),
    )
    found = read_barriers(BarrierSource(file), GRID)
    kinds = [barrier.kind for barrier in found.barriers]
    k = BarrierKind
    assert kinds == [k.DOZER, k.HAND, k.ROAD, k.FUEL_BREAK, k.BURNED_OUT, k.OTHER, k.OTHER, k.DOZER]
    names = [barrier.name for barrier in found.barriers]
    assert names[0] == "Dozer line 1" and names[-1] == "Dozer line 2" and len(set(names)) == len(names)
    told = " ".join(found.notes)
    for words in (
        "2 features of the category 'Proposed Dozer Line' left out", "'Uncontrolled Fire Edge'", "'Division Break'",
        "'Fire Edge'", "unknown category 'Goat Trail'", "the status 'Proposed'", "marked as deleted",
        "Widths that are not given are assumed",
    ):  # fmt: skip
        assert words in told
    np.testing.assert_allclose(found.barriers[0].lines[0], LINE, atol=0.01)
    assert [barrier.width_m for barrier in found.barriers[:4]] == [4.0, 1.0, 8.0, 60.0]
    # A kind that is given reads unknown categories, too.
    named = read_barriers(BarrierSource(file, BarrierKind.HAND, width_m=2.5), GRID)
    assert (named.barriers[-1].kind, named.barriers[-1].width_m) == (BarrierKind.HAND, 2.5)


def test_labels_are_numbered_and_names_cut_by_a_shapefile_are_found(tmp_path: Path) -> None:
    file = tmp_path / "lines.shp"
    lines = [shapely.LineString(points(LINE)), shapely.LineString(points(LINE[::-1]))]
    _write_shape(file, lines, {"FeatureCat": ["Completed Hand Line"] * 2, "Label": ["H-1", "H-1"]})
    found = read_barriers(BarrierSource(file), GRID)
    assert [barrier.name for barrier in found.barriers] == ["H-1", "H-1 2"]
    assert {barrier.kind for barrier in found.barriers} == {BarrierKind.HAND}


def _write_shape(path: Path, lines: list[Any], columns: dict[str, list[str]]) -> None:
    import pyogrio.raw

    pyogrio.raw.write(
        path, np.array(shapely.to_wkb(lines), object), [np.array(each, object) for each in columns.values()],
        list(columns), geometry_type="LineString", crs="EPSG:4326", driver="ESRI Shapefile",
    )  # fmt: skip


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    hole = ((22.0, 22.0), (22.0, 25.0), (25.0, 25.0), (25.0, 22.0))
    before = (
        Barrier("Dozer ’1’", BarrierKind.DOZER, (LINE, LINE[::-1]), width_m=4.5, strength=0.85,
                exists_from=datetime(2020, 8, 20, 21, 30, tzinfo=UTC)),
        Barrier("Lake", BarrierKind.RIVER, areas=((((20.0, 20.0), (20.0, 30.0), (30.0, 30.0), (30.0, 20.0)), hole),)),
    )  # fmt: skip
    file = tmp_path / "barriers.geojson"
    write_barriers(before, file, GRID)
    after = read_barriers(BarrierSource(file), GRID)
    assert after.notes == ()
    for one, other in zip(before, after.barriers, strict=True):
        assert replace(one, lines=(), areas=()) == replace(other, lines=(), areas=())
        np.testing.assert_allclose(list(one.corners), list(other.corners), atol=1e-3)


def test_defaults_are_for_what_a_feature_does_not_say(tmp_path: Path) -> None:
    when = datetime(2020, 8, 21, tzinfo=UTC)
    file = written(
        tmp_path / "b.geojson",
        feature(name="river", kind="river", strength=0.7, width_m=40, exists_from="2020-08-20T14:00-07:00"),
        feature(LINE[:3], "Polygon", name="burn"),
    )
    river, burn = read_barriers(BarrierSource(file, BarrierKind.BURNED_OUT, None, None, 0.9, when), GRID).barriers
    assert (river.kind, river.width_m, river.strength) == (BarrierKind.RIVER, 40.0, 0.7)
    assert river.exists_from is not None and river.exists_from.astimezone(UTC) == datetime(2020, 8, 20, 21, tzinfo=UTC)
    assert (burn.kind, burn.strength, burn.exists_from) == (BarrierKind.BURNED_OUT, 0.9, when)
    assert burn.is_area


def test_every_mistake_is_in_one_list(tmp_path: Path) -> None:
    crossed = ((10.0, 10.0), (50.0, 50.0), (50.0, 10.0), (10.0, 50.0))
    far = ((900.0, 900.0), (950.0, 980.0))
    file = written(
        tmp_path / "bad.geojson",
        feature(name="a", strength=1.5), feature(name="A", width_m=0), feature(name="b", width_m="wide"),
        feature(name="c", exists_from="2020-08-20 14:00"), feature(name="d", exists_from="soon"),
        feature(crossed, name="e"), feature(far, name="f"), feature(name="g", kind="wall"),
        feature(LINE, "Point", name="h"),
    )  # fmt: skip
    said = refused(BarrierSource(file))
    for words in (
        "Strength is 1.5", "Width is 0.0", "width_m is 'wide'", "has no offset from UTC", "'soon' is not a time",
        "barrier e: crosses itself", "barrier f: lies outside the grid", "the kind 'wall' is unknown", "is a point",
        "differ only in letter case",
    ):  # fmt: skip
        assert words in said, words


def test_a_file_without_barriers_and_a_grid_without_a_place_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "planned.geojson", feature(FeatureCategory="Proposed Hand Line"))
    said = refused(BarrierSource(file))
    assert "holds no barrier" in said and "'Proposed Hand Line' left out" in said
    assert "no place on the map" in refused(BarrierSource(file), Grid(20, 30, 30.0))
    assert "does not exist" in refused(BarrierSource(tmp_path / "gone.geojson"))


def test_imported_names_that_are_taken_get_a_number() -> None:
    one = Barrier("H-1", BarrierKind.HAND, (LINE,))
    assert [barrier.name for barrier in free_names([one, one], [one])] == ["H-1 2", "H-1 3"]

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.fire_hours import FireByHour, match_overpasses
from firegui.domain.grid import Grid
from firegui.errors import InputError
from firegui.io.vectors.detections import read_overpasses
from tests.unit.io.builders import SHARED_DATA

WEST, NORTH = 500_000.0, 4_200_000.0
GRID = Grid(40, 50, 100.0, (100.0, 0.0, WEST, 0.0, -100.0, NORTH), "EPSG:32610")


def detections(
    path: Path, rows: Sequence[tuple[float, float, str, str]], scan: float = 0.4, track: float = 0.6
) -> Path:
    """Write points ``(row, column, date, HHMM)`` of the grid, in its own CRS."""
    features = [
        {
            "type": "Feature",
            "properties": {"ACQ_DATE": day, "ACQ_TIME": clock, "SCAN": scan, "TRACK": track},
            "geometry": {
                "type": "Point", "coordinates": [WEST + 100.0 * (column + 0.5), NORTH - 100.0 * (row + 0.5)],
            },
        }
        for row, column, day, clock in rows
    ]  # fmt: skip
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32610"}}
    path.write_text(json.dumps({"type": "FeatureCollection", "crs": crs, "features": features}))
    return path


def test_a_pixel_is_as_large_as_its_columns_say(tmp_path: Path) -> None:
    (one,) = read_overpasses(detections(tmp_path / "v.geojson", [(10, 20, "2017-10-09", "1015")]), GRID)

    rows, columns = np.nonzero(one.seen)

    assert (one.time, one.count) == (datetime(2017, 10, 9, 10, 15, tzinfo=UTC), 1)
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (7, 13, 18, 22)
    assert one.seen.sum() == 7 * 5


def test_a_pixel_smaller_than_a_cell_is_the_cell_of_its_point(tmp_path: Path) -> None:
    path = detections(tmp_path / "v.geojson", [(10.4, 19.6, "2017-10-09", "1015")], scan=0.02, track=0.02)

    (one,) = read_overpasses(path, GRID)

    assert np.argwhere(one.seen).tolist() == [[10, 20]]


def test_passes_are_ordered_by_time_and_those_off_the_grid_left_out(tmp_path: Path) -> None:
    rows = [(5, 5, "2017-10-10", "0954"), (5, 5, "2017-10-09", "1015"), (500, 5, "2017-10-09", "0800")]

    found = read_overpasses(detections(tmp_path / "v.geojson", rows), GRID)

    assert [one.time.day for one in found] == [9, 10]
    assert [one.count for one in found] == [1, 1]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([(5.0, 5.0, "2017-10-09", "2561")], "not a date and HHMM"),
        ([(5.0, 5.0, "yesterday", "1015")], "not a date and HHMM"),
        ([(500.0, 5.0, "2017-10-09", "1015")], "no detection on the grid"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(
    tmp_path: Path, rows: list[tuple[float, float, str, str]], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        read_overpasses(detections(tmp_path / "v.geojson", rows), GRID)


def test_points_without_date_and_time_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "points.geojson"
    path.write_text(
        '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"a": 1}, '
        '"geometry": {"type": "Point", "coordinates": [-123, 37.9]}}]}'
    )
    with pytest.raises(InputError, match="no column ACQ_DATE and ACQ_TIME"):
        read_overpasses(path, GRID)


def test_a_match_counts_the_pixels_of_earlier_passes(tmp_path: Path) -> None:
    start = datetime(2017, 10, 9, 4, tzinfo=UTC)
    rows = [(5, 5, "2017-10-09", "0600"), (5, 15, "2017-10-09", "0800"), (5, 25, "2017-10-09", "0300")]
    passes = read_overpasses(detections(tmp_path / "v.geojson", rows, scan=0.1, track=0.1), GRID)
    arrival = np.full(GRID.shape, np.nan, np.float32)
    arrival[5, 5], arrival[5, 6] = 1.0, 4.0

    early, late = match_overpasses(FireByHour(np.arange(25.0), np.zeros(25), arrival), passes, start, GRID)

    # The pass before the start gives a pixel of both, but no match.
    assert (early.hour, early.detections, early.seen_ha, early.fire_ha, early.both_ha) == (2.0, 2, 2.0, 1.0, 1.0)
    assert (late.hour, late.detections, late.seen_ha, late.fire_ha, late.both_ha) == (4.0, 3, 3.0, 2.0, 1.0)
    assert late.found == pytest.approx(1 / 3)
    assert late.confirmed == 0.5
    assert match_overpasses(FireByHour(np.arange(2.0), np.zeros(2), arrival), passes, start, GRID) == ()
    assert early.time - start == timedelta(hours=2)


@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the real fires are not beside the repository (../shared/data)")
def test_the_detections_of_tubbs_come_in_their_passes() -> None:
    grid = Grid(140, 180, 500.0, (500.0, 0.0, 500_000.0, 0.0, -500.0, 4_300_000.0), "EPSG:32610")

    found = read_overpasses(SHARED_DATA / "tubbs2017" / "viirs_tubbs.shp", grid)

    assert len(found) == 12
    assert sum(one.count for one in found) == 1168
    assert found[0].time == datetime(2017, 10, 9, 10, 15, tzinfo=UTC)

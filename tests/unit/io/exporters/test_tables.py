from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firegui.domain.calendar import to_the_minute
from firegui.domain.fleet import Fleet
from firegui.domain.grid import Grid
from firegui.io.exporters import csv as csv_exporter
from firegui.io.exporters import export
from firegui.io.exporters.table import NOTICE, drop_rows
from firegui.io.georeference import Georeference
from firegui.io.project.schedule_file import read_schedule
from tests.unit.io.builders import PLACED, UNPLACED, drop, project
from tests.unit.io.exporters.plans import plan

COLUMNS = [
    "step", "aircraft", "y", "x", "theta", "day", "time_utc", "time_local", "type", "material", "payload_gal",
    "executed", "lon", "lat", "easting", "northing", "run_heading_true", "run_heading_magnetic", "landing_lon",
    "landing_lat", "declination", "release_ddm", "landing_ddm", "height_agl_ft", "speed_kt", "near_water", "notice",
    "drop", "plan_day",
]  # fmt: skip


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def written(folder: Path, grid: Grid = PLACED, **changes: Any) -> dict[str, str]:
    csv_exporter.write_schedule_csv(folder / "s.csv", [drop(60, 1, **changes)], project(grid))
    return rows(folder / "s.csv")[0]


def test_the_csv_has_exactly_the_promised_columns_the_required_first(tmp_path: Path) -> None:
    assert list(written(tmp_path)) == COLUMNS
    assert list(csv_exporter.COLUMNS) == COLUMNS


def test_a_handed_over_table_begins_with_what_pilots_need_and_reads_back_as_the_same_plan(tmp_path: Path) -> None:
    what = plan()
    csv_exporter.write_csv(tmp_path / "plan.csv", what)
    table = rows(tmp_path / "plan.csv")
    assert list(table[0])[:11] == [
        "drop", "date_local", "clock_local", "aircraft", "material", "release_ddm", "landing_ddm",
        "run_heading_magnetic", "run_heading_true", "length_ft", "width_ft",
    ]  # fmt: skip
    assert set(COLUMNS) < set(table[0])
    drops = [row.drop for row in what.rows]
    csv_exporter.write_schedule_csv(tmp_path / "schedule.csv", drops, what.project)
    for handed, kept in zip(table, rows(tmp_path / "schedule.csv"), strict=True):
        assert {name: handed[name] for name in COLUMNS} == kept
    first = drops[0]
    local = datetime.fromisoformat(table[0]["time_local"])
    minute = to_the_minute(local)
    assert (table[0]["date_local"], table[0]["clock_local"]) == (f"{minute:%Y-%m-%d}", f"{minute:%H:%M}")
    cell_ft = what.project.scenario.grid.cell_size_m / 0.3048
    assert float(table[0]["length_ft"]) == round(4.0 * first.sigma_parallel_cells * cell_ft)
    shape, steps = what.project.scenario.grid.shape, what.project.calendar.n_steps
    read = [
        read_schedule(tmp_path / name, what.project.planned_fleet, steps, shape)
        for name in ("plan.csv", "schedule.csv")
    ]
    np.testing.assert_array_equal(read[0].logits, read[1].logits)
    np.testing.assert_array_equal(read[0].poses, read[1].poses)


def test_flame_lengths_are_the_last_column_where_they_are_known_and_nothing_elsewhere(tmp_path: Path) -> None:
    flames = {(20, 1): 3.456, (60, 2): 0.0}
    plain, known = plan(), plan(flames=flames)
    for name, what in (("plain", plain), ("known", known)):
        export(what, ["csv", "geojson", "gpkg"], tmp_path, name)
    before, after = rows(tmp_path / "plain.csv"), rows(tmp_path / "known.csv")
    assert list(after[0]) == [*before[0], "flame_length_m"]
    assert [row["flame_length_m"] for row in after] == ["3.46", "0.00", ""]
    assert [{**row, "flame_length_m": ""} for row in after] == [{**row, "flame_length_m": ""} for row in before]
    points = [json.loads((tmp_path / f"{name}.geojson").read_text(encoding="utf-8")) for name in ("plain", "known")]
    without, found = ([each["properties"] for each in one["features"]] for one in points)
    assert list(found[0]) == [*without[0], "flame_length_m"]
    assert [each["flame_length_m"] for each in found] == [3.46, 0.0, None]
    with closing(sqlite3.connect(tmp_path / "known.gpkg")) as base:
        assert [length for (length,) in base.execute("SELECT flame_length_m FROM drops")] == [3.46, 0.0, None]
    drops = [row.drop for row in plain.rows]
    csv_exporter.write_schedule_csv(tmp_path / "schedule.csv", drops, plain.project, flames)
    assert [row["flame_length_m"] for row in rows(tmp_path / "schedule.csv")] == ["3.46", "0.00", ""]


def test_flight_hours_and_cost_are_the_last_columns_where_the_fleet_has_prices(tmp_path: Path) -> None:
    flames = {(20, 1): 3.456}
    base = plan(flames=flames)
    first, *others = base.project.fleet.types
    fleet = Fleet((replace(first, turnaround_h=0.5, hour_price=3000.0), *others), "CAD")
    drops, project = [row.drop for row in base.rows], replace(base.project, fleet=fleet)
    paid = replace(base, project=project, rows=tuple(drop_rows(drops, project, flames=flames)))
    for name, what in (("plain", base), ("paid", paid)):
        export(what, ["csv", "geojson", "gpkg"], tmp_path, name)
    before, after = rows(tmp_path / "plain.csv"), rows(tmp_path / "paid.csv")
    assert list(after[0]) == [*before[0], "flight_hours", "cost", "currency"]
    types = {tail.name: tail.type for tail in fleet.tails}
    expected = ["1500.00" if types[row["aircraft"]].id == first.id else "" for row in after]
    assert [row["cost"] for row in after] == expected and {"1500.00"} <= set(expected)
    assert {row["currency"] for row in after} == {"CAD"}
    point = json.loads((tmp_path / "paid.geojson").read_text(encoding="utf-8"))["features"][0]["properties"]
    assert list(point)[-4:] == ["flame_length_m", "flight_hours", "cost", "currency"]
    with closing(sqlite3.connect(tmp_path / "paid.gpkg")) as data:
        assert {text for (text,) in data.execute("SELECT currency FROM drops")} == {"CAD"}
    shape, steps = project.scenario.grid.shape, project.calendar.n_steps
    read = read_schedule(tmp_path / "paid.csv", project.planned_fleet, steps, shape)
    assert read.proposed.sum() == len(drops)


def test_an_export_says_how_many_drops_land_in_long_flames() -> None:
    warnings = plan(flames={(20, 1): 3.5, (60, 2): 1.0, (61, 0): 9.0}).warnings
    assert "1 of 2 drops land where flames are over 2.4 m long: drops rarely work there" in warnings
    assert plan(flames={(20, 1): 3.5}).summary.long_flames == 1
    failing = project(PLACED)
    failing = replace(failing, plan=replace(failing.plan, drops_fail_in_flames=True))
    said = "1 of 2 drops land where flames are over 2.4 m long: drops have no effect there"
    assert said in plan(flames={(20, 1): 3.5}, project=failing).warnings
    for quiet in (plan(), plan(flames={(20, 1): 2.4})):
        assert not any("flames" in warning for warning in quiet.warnings)


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
    assert row["release_ddm"] == "39°44.981′ N 122°59.982′ W"


def test_the_heading_is_the_axis_and_the_magnetic_one_lies_the_declination_below(tmp_path: Path) -> None:
    for theta, heading in ((0.0, 90.0), (np.pi / 2, 0.0), (np.pi / 4, 45.0)):
        row = written(tmp_path, theta=float(theta))
        true, magnetic, turn = (
            float(row[name]) for name in ("run_heading_true", "run_heading_magnetic", "declination")
        )
        assert abs((true - heading + 90) % 180 - 90) <= 0.1
        assert 0 <= true < 180 and 0 <= magnetic < 360
        # The same way of the two, not the opposite one.
        assert abs((true - turn - magnetic + 180) % 360 - 180) <= 0.11
        assert 13.0 < turn < 14.5  # NOAA gives 13.9° E for northern California in 2020


def test_aircraft_are_told_in_feet_and_knots(tmp_path: Path) -> None:
    row = written(tmp_path)  # 56.1 m and 66.4 m/s
    assert (row["height_agl_ft"], row["speed_kt"], row["payload_gal"]) == ("184", "129", "1200")


def test_outside_the_magnetic_models_dates_there_is_no_magnetic_heading_and_that_is_said(tmp_path: Path) -> None:
    whole = project()
    old = replace(whole, scenario=replace(whole.scenario, start=datetime(2009, 8, 19, 7, tzinfo=UTC)))
    content = plan(project=old)
    (path,) = export(content, ["csv"], tmp_path, "plan")
    assert {(row["run_heading_magnetic"], row["declination"]) for row in rows(path)} == {("", "")}
    assert all(row["run_heading_true"] for row in rows(path))
    assert any("no magnetic heading for 3 drops" in note and "2010 to 2030" in note for note in content.notes)


def test_poses_are_written_so_that_they_read_back_bit_for_bit(tmp_path: Path) -> None:
    row = written(tmp_path, y=np.float64(0.1) * 3, x=1e-17)
    assert row["y"] == "0.30000000000000004" and row["x"] == "1e-17"


def test_without_a_place_the_csv_leaves_places_and_headings_empty(tmp_path: Path) -> None:
    row = written(tmp_path, UNPLACED)
    for name in ("lon", "lat", "easting", "northing", "run_heading_true", "run_heading_magnetic", "landing_lon",
                 "landing_lat", "declination", "release_ddm", "landing_ddm"):  # fmt: skip
        assert row[name] == ""
    assert row["step"] == "60" and row["notice"] == NOTICE


def test_drops_are_written_by_step_and_then_by_the_aircrafts_column(tmp_path: Path) -> None:
    drops = [drop(5, 2), drop(5, 0, executed=False), drop(1, 1)]
    csv_exporter.write_schedule_csv(tmp_path / "s.csv", drops, project())
    (exported,) = export(plan(drops=drops), ["csv"], tmp_path, "plan")
    held = rows(tmp_path / "s.csv")
    assert [(row["step"], row["aircraft"]) for row in rows(exported)] == [
        (row["step"], row["aircraft"]) for row in held
    ]
    assert [(row["step"], row["aircraft"], row["executed"]) for row in held] == [
        ("1", "S-2T-2", "true"),
        ("5", "S-2T-1", "false"),
        ("5", "CL-415-1", "true"),
    ]
    assert (held[2]["material"], held[2]["payload_gal"]) == ("water", "1200")


def test_quotes_in_a_type_survive_the_csv(tmp_path: Path) -> None:
    assert written(tmp_path)["type"] == 'Turbo "Tracker"'


def test_water_is_marked_only_where_somebody_knows_where_it_is(tmp_path: Path) -> None:
    assert written(tmp_path)["near_water"] == ""
    whole = project()
    fuel = np.full(PLACED.shape, 101.0, np.float32)
    fuel[5, 7] = 98.0
    wet = replace(whole, scenario=replace(whole.scenario, layers={"fuel": fuel}))
    far, close = drop(1, 1, landing_y=0.0, landing_x=0.0), drop(2, 0, landing_y=4.0, landing_x=4.5)
    assert [row.near_water for row in drop_rows([far, close], wet)] == [False, True]


def test_geojson_has_one_point_per_drop_with_its_properties(tmp_path: Path) -> None:
    content = plan(drops=[drop(60, 1), drop(70, 2, executed=False)])
    (path,) = export(content, ["geojson"], tmp_path, "plan")
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["type"] == "FeatureCollection" and document["notice"] == NOTICE and "crs" not in document
    first, second = document["features"]
    assert first["geometry"]["type"] == "Point"
    lon, lat = first["geometry"]["coordinates"]
    assert (lon, lat) == pytest.approx(Georeference(PLACED).lonlat(0.1 + 0.2, 1 / 3), abs=1e-7)
    assert document["bbox"] == [lon, lat, lon, lat]
    assert first["properties"]["aircraft"] == "S-2T-2" and first["properties"]["theta"] == 2 / 3
    assert first["properties"]["sigma_parallel_m"] == pytest.approx(111.0)
    assert first["properties"]["release_ddm"] == "39°44.981′ N 122°59.982′ W"
    assert second["properties"]["executed"] is False and second["properties"]["near_water"] is None
    assert all(item["properties"]["notice"] == NOTICE for item in document["features"])

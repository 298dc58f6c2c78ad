"""Order sheets: one for each aircraft and day, as pages and as a table."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from pyproj import Geod

from firegui.domain.airspace import AirspaceRule
from firegui.domain.bases import Base, BaseKind, distance_km
from firegui.domain.crew_notes import RadioFrequency
from firegui.domain.fleet import Fleet, Material
from firegui.domain.operations import Operations
from firegui.domain.project import Project
from firegui.domain.scenario import UNKNOWN_START
from firegui.errors import CancelledError
from firegui.io.exporters import export, file_names
from firegui.io.exporters.briefing import notes_of
from firegui.io.exporters.content import ExportContent, Paper, Sheet
from firegui.io.exporters.order_sheets import NO_ORDERS, order_pages, write_order_sheets
from firegui.io.exporters.orders import COLUMNS, orders_of, write_orders_csv
from firegui.io.exporters.table import NOTICE, heading_pair
from tests.support import StopAt
from tests.unit.io.builders import UNPLACED, aircraft, drop
from tests.unit.io.exporters.plans import GRIDS, plan, random_drops
from tests.unit.io.exporters.sheets import GRID, around, content, outside, overlaps, planned, texts_of

DDM = re.compile(r"(\d+)°([\d.]+)′ ([NS]) (\d+)°([\d.]+)′ ([EW])")
CHANNEL = RadioFrequency("Air/Ground", "122.925", "168.275 T110.9")


def rows_of(what: ExportContent, folder: Path) -> list[dict[str, str]]:
    write_orders_csv(folder / "orders.csv", what)
    with (folder / "orders.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def pages(what: ExportContent) -> list[list[str]]:
    return [texts_of(page.figure) for page in order_pages(what)]


def place(text: str) -> tuple[float, float]:
    found = DDM.fullmatch(text)
    assert found is not None, text
    lat, lon = float(found[1]) + float(found[2]) / 60.0, float(found[4]) + float(found[5]) / 60.0
    return lon * (1 if found[6] == "E" else -1), lat * (1 if found[3] == "N" else -1)


def based(whole: Project, bases: Mapping[str, float], **changes: object) -> Project:
    """The project with bases of these names, as many kilometres north of the fire, for its first type."""
    kind = replace(whole.fleet.types[0], cruise_ms=100.0, most_flight_h=7.0, **changes)  # type: ignore[arg-type]
    made = tuple(
        Base(name, BaseKind.AIRTANKER, 30.0 - 1000.0 * km / 30.0, 40.0, 12.0, serves=(kind.id,))
        for name, km in bases.items()
    )
    fleet = replace(whole.fleet, types=(kind, *whole.fleet.types[1:]))
    changed = replace(whole, fleet=fleet, operations=replace(whole.operations, bases=made))
    return changed.with_centres(((30.0, 40.0),) * whole.plan.days)


def noted(whole: Project, *frequencies: RadioFrequency, hazards: tuple[str, ...] = ()) -> Project:
    return replace(whole, operations=replace(whole.operations, frequencies=frequencies, hazards=hazards))


# -- which orders there are --------------------------------------------------------------------------------------------
def test_every_aircraft_has_an_order_for_each_day_on_which_it_drops() -> None:
    what = content(drops=[*around(GRID, 6, 0), *around(GRID, 2, 2)])
    found = [(order.period.day, order.aircraft, len(order.lines)) for order in orders_of(what)]
    assert found == [(0, "S-2T-1", 2), (0, "S-2T-2", 2), (0, "CL-415-1", 2), (2, "S-2T-1", 1), (2, "S-2T-2", 1)]
    heads = [(page[4], next(text for text in page if re.match(r"Day \d, ", text))) for page in pages(what)]
    assert heads == [
        ("S-2T-1", "Day 1, 20 Aug 2020"), ("S-2T-2", "Day 1, 20 Aug 2020"), ("CL-415-1", "Day 1, 20 Aug 2020"),
        ("S-2T-1", "Day 3, 22 Aug 2020"), ("S-2T-2", "Day 3, 22 Aug 2020"),
    ]  # fmt: skip


def test_only_chosen_days_and_flown_drops_are_ordered(tmp_path: Path) -> None:
    drops = [*around(GRID, 3, 0), *around(GRID, 3, 2)]
    drops[0] = replace(drops[0], executed=False)
    what = content(drops=drops)
    assert [order.aircraft for order in orders_of(what)] == ["S-2T-2", "CL-415-1", "S-2T-1", "S-2T-2", "CL-415-1"]
    one = replace(what, sheet=Sheet(first_day=2, last_day=2))
    assert {row["plan_day"] for row in rows_of(one, tmp_path)} == {"3"}
    assert len(pages(one)) == 3


def test_a_plan_without_flights_says_so_on_one_page_and_has_a_table_of_titles(tmp_path: Path) -> None:
    for what in (content(0), replace(content(4), sheet=Sheet(first_day=1, last_day=1))):
        (page,) = pages(what)
        assert NO_ORDERS in page and NOTICE in page and "Page 1 of 1" in page
        assert rows_of(what, tmp_path) == []
    assert (tmp_path / "orders.csv").read_text(encoding="utf-8").strip() == ",".join(COLUMNS)


def test_the_format_writes_a_pdf_and_a_table(tmp_path: Path) -> None:
    names = [path.name for path in export(content(4), ["orders"], tmp_path, "bear")]
    assert names == ["bear-orders.pdf", "bear-orders.csv"]
    standard = file_names(content(4), ["orders"])
    assert standard[0].startswith("airops_letter_land_") and standard[0].endswith("_orders.pdf")
    assert standard[1].endswith("_orders.csv") and not standard[1].startswith("airops")


# -- what stands in an order -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", GRIDS)
def test_a_line_runs_from_start_to_end_along_its_heading_through_the_landing(name: str, tmp_path: Path) -> None:
    grid, geod = GRIDS[name], Geod(ellps="WGS84")
    what = plan(grid, drops=random_drops(grid, 40))
    found = {row["drop"]: row for row in rows_of(what, tmp_path)}
    assert len(found) == 40
    for drop_row in what.flown:
        row = found[str(drop_row.number)]
        start, end = place(row["line_start_ddm"]), place(row["line_end_ddm"])
        azimuth, _, length = geod.inv(*start, *end)
        # Thousandths of a minute are up to 2 m at either end; a conformal conic stretches by some 3 %.
        assert abs(length - 4.0 * drop_row.drop.sigma_parallel_cells * grid.cell_size_m) < 0.04 * length + 4.0
        apart = (azimuth - float(row["run_heading_true"]) + 180.0) % 360.0 - 180.0
        assert abs(apart) < math.degrees(4.0 / length) + 0.2
        assert drop_row.landing_lonlat is not None
        middle = geod.inv((start[0] + end[0]) / 2.0, (start[1] + end[1]) / 2.0, *drop_row.landing_lonlat)[2]
        assert middle < 5.0
        turn = (float(row["run_heading_true"]) - float(row["run_heading_magnetic"]) + 180.0) % 360.0 - 180.0
        assert drop_row.declination == pytest.approx(turn, abs=0.06)


@pytest.mark.parametrize(
    ("degrees", "text"), [(0.0, "360/180"), (4.6, "005/185"), (179.6, "180/360"), (352.3, "352/172"), (None, "")]
)
def test_a_heading_is_named_with_the_opposite_one(degrees: float | None, text: str) -> None:
    assert heading_pair(degrees) == text


def test_a_row_tells_times_load_and_hours(tmp_path: Path) -> None:
    kind = aircraft(most_flight_h=3.0, most_duty_h=9.0)
    whole = replace(planned(), fleet=Fleet((kind,)), grounded={})
    drops = [drop(20, 0), drop(25, 0), drop(40, 0), drop(30, 1)]
    rows = rows_of(content(project=whole, drops=drops), tmp_path)
    first, second, third, other = rows
    assert [row["aircraft"] for row in rows] == ["S-2T-1"] * 3 + ["S-2T-2"]
    wanted = {
        "plan_day": "1", "date_local": "2020-08-20", "type": "S-2T", "material": "retardant", "order_drop": "2",
        "drop": "2", "clock_local": "12:00", "clock_utc": "19:00", "time_local": "2020-08-20T12:00:00-07:00",
        "time_utc": "2020-08-20T19:00:00Z", "coverage_level": "2.7", "payload_gal": "1200", "speed_kt": "129",
        "height_agl_ft": "184", "turnaround_min": "30", "flight_hours": "0.50", "flight_hours_so_far": "1.00",
        "flight_hours_of_day": "1.50", "flight_hours_limit": "3", "duty_hours_of_day": "10.10", "duty_hours_limit": "9",
        "base": "", "base_ddm": "", "frequencies": "", "hazards": "", "at_night": "false", "notice": NOTICE,
    }  # fmt: skip
    assert {name: second[name] for name in wanted} == wanted
    assert (first["flight_hours_so_far"], third["flight_hours_so_far"]) == ("0.50", "1.50")
    # Twenty steps of 0.48 h, and the half hour of a drop.
    assert float(third["duty_hours_of_day"]) == pytest.approx(20 * 0.48 + 0.5)
    assert (other["flight_hours_of_day"], other["duty_hours_of_day"]) == ("0.50", "0.50")


def test_the_page_says_what_the_table_says(tmp_path: Path) -> None:
    whole = noted(based(planned(), {"Redding": 36.0}), CHANNEL, hazards=("Wires across the river",))
    what = content(4, project=whole, sheet=Sheet(first_day=0, last_day=0))
    rows = rows_of(what, tmp_path)
    order, page = orders_of(what)[0], pages(what)[0]
    own = [row for row in rows if row["aircraft"] == order.aircraft]
    assert len(own) == 2
    for row in own:
        assert {row["line_start_ddm"], row["line_end_ddm"], row["release_ddm"], row["drop"]} <= set(page)
        assert {row["clock_local"].replace(":", ""), f"{row['clock_utc'].replace(':', '')}Z", "1,200", "2.7"} <= set(
            page
        )
        assert {heading_pair(float(row["run_heading_true"])), heading_pair(float(row["run_heading_magnetic"]))} <= set(
            page
        )
        assert row["turnaround_min"] in page and f"{float(row['flight_hours_so_far']):.1f}" in page
        assert (row["base"], row["base_hours"]) == ("Redding", "always") and DDM.fullmatch(row["base_ddm"])
        assert row["frequencies"] == "Air/Ground: AM 122.925, FM 168.275 T110.9"
        assert row["hazards"] == "Wires across the river"
    assert {"Air/Ground", "122.925", "168.275 T110.9", "1. Wires across the river"} <= set(page)
    said = " ".join(page)
    assert f"flight hours of the day (at most 7), turnaround {own[0]['turnaround_min']} min." in said
    assert f"Base 1: Redding, {own[0]['base_ddm']}; 36 km, 6 min to the fire. Airtanker base, always open" in said


def test_an_aircraft_takes_off_so_early_that_it_drops_in_time(tmp_path: Path) -> None:
    whole = based(planned(), {"Near": 20.0, "Far": 60.0})
    near, far = whole.operations.bases
    # The near base opens at noon: what drops earlier loads at the far one after its drop.
    bases = (replace(near, opens_h=12.0, closes_h=20.0), far)
    whole = replace(whole, operations=replace(whole.operations, bases=bases)).with_centres(whole.burning_centres)
    what = content(project=whole, drops=[drop(18, 0), drop(30, 0), drop(40, 0)])
    kind = whole.planned_fleet.types[0]
    legs = {base.name: distance_km(base, (30.0, 40.0), 30.0) / (3.6 * (kind.cruise_ms or 0.0)) for base in bases}
    order, rows = orders_of(what)[0], rows_of(what, tmp_path)
    used = [line.take_off_base for line in order.lines]
    assert [None if base is None else base.name for base in used] == ["Near", "Far", "Near"]
    for line, row in zip(order.lines, rows, strict=True):
        assert line.take_off is not None and line.take_off_base is not None
        hours = (whole.calendar.time_of_step(line.row.drop.step) - line.take_off).total_seconds() / 3600.0
        assert hours == pytest.approx(legs[line.take_off_base.name] + (kind.target_min or 0.0) / 60.0, abs=0.02)
        assert row["take_off_local"] == whole.calendar.clock_text(line.take_off)
        assert row["take_off_local"].replace(":", "") in pages(what)[0]
    assert "Take off" in pages(what)[0]
    assert all(row["take_off_utc"] == row["take_off_base"] == "" for row in rows_of(content(1), tmp_path))


@pytest.mark.parametrize(
    ("steps", "dates"), [((0, 3), "20 Aug 2020"), ((10, 20), "21 Aug 2020"), ((0, 20), "20 to 21 Aug 2020")]
)
def test_a_sheet_has_the_dates_of_its_drops_where_the_day_begins_in_the_evening(
    steps: tuple[int, int], dates: str
) -> None:
    whole = planned()
    begin = whole.scenario.start + timedelta(hours=21)
    evening = replace(whole, scenario=replace(whole.scenario, start=begin))
    page = pages(content(project=evening, drops=[drop(step, 0) for step in steps]))[0]
    assert f"Day 1, {dates}" in page


def test_without_bases_and_notes_a_sheet_has_room_to_write_on() -> None:
    page = pages(content(1))[0]
    assert "Base: none in the project; the turnaround is the fixed one of the type." in page
    assert "None typed in the project." in page and "Radio frequencies" in page
    assert not {"Base", "Take off"} & set(page)
    assert not any("km" in text and "to the fire" in text for text in page)


def test_airspace_rules_stand_in_the_briefing_and_on_the_sheets_of_the_types_that_they_limit() -> None:
    whole = planned()
    first = whole.fleet.types[0].id
    rules = (AirspaceRule(1, 60.0, 300.0), AirspaceRule(6, 60.0, None, (first,)))
    what = content(3, project=replace(whole, operations=replace(whole.operations, airspace=rules)))
    said = [f"Airspace rule of the plan: {rule.text(what.sheet.units)}." for rule in rules]
    assert set(said) <= set(notes_of(what))
    orders = orders_of(what)
    assert {order.kind.id == first for order in orders if order.kind} == {True, False}
    for order in orders:
        (page, *_) = [page for page in pages(what) if order.aircraft in page]
        assert order.kind is not None
        assert [text for text in said if text in page] == (said if order.kind.id == first else said[:1])
    assert not any("Airspace" in text for page in pages(content(3)) for text in page)


def test_a_type_that_no_base_serves_has_none_on_its_sheet(tmp_path: Path) -> None:
    what = content(3, project=based(planned(), {"Redding": 36.0}), sheet=Sheet(first_day=0, last_day=0))
    assert [row["base"] for row in rows_of(what, tmp_path)] == ["Redding", "Redding", ""]
    assert "Base: none serves this type; the turnaround is the fixed one of the type." in pages(what)[2]


def test_a_base_that_is_closed_sends_the_aircraft_to_another_one(tmp_path: Path) -> None:
    whole = based(planned(), {"Near": 20.0, "Far": 60.0})
    near, far = whole.operations.bases
    bases = (replace(near, opens_h=12.0, closes_h=20.0), far)
    whole = replace(whole, operations=replace(whole.operations, bases=bases)).with_centres(whole.burning_centres)
    what = content(project=whole, drops=[drop(18, 0), drop(30, 0)], sheet=Sheet(first_day=0, last_day=0))
    assert [row["base"] for row in rows_of(what, tmp_path)] == ["Far", "Near"]
    page = pages(what)[0]
    assert any(text.startswith("Base 1: Far") for text in page) and any(
        text.startswith("Base 2: Near") for text in page
    )
    assert "1" in page and "2" in page


def test_an_event_without_a_place_or_a_date_has_cells_and_hours(tmp_path: Path) -> None:
    what = plan(UNPLACED)
    (first, _) = rows_of(what, tmp_path)
    assert first["line_start_ddm"].startswith("row ") and first["run_heading_true"] == ""
    assert not [page for page in order_pages(what) if overlaps(page.figure)]
    whole = planned()
    undated = replace(whole, scenario=replace(whole.scenario, start=UNKNOWN_START))
    row = rows_of(content(1, project=undated), tmp_path)[0]
    assert (row["date_local"], row["clock_utc"], row["time_utc"]) == ("", "", "") and row["clock_local"].endswith(
        "+00:00 h"
    )
    assert "Day 1" in pages(content(1, project=undated))[0]


# -- pages -------------------------------------------------------------------------------------------------------------
def test_long_names_are_broken_and_many_lines_go_on_over_pages() -> None:
    name = "Northern California Interagency Airtanker Base at Redding Municipal Airport, west side of runway 34 " * 3
    channels = tuple(
        RadioFrequency(f"{number:02d} " + "W" * 57, f"1{number:02d}." + "8" * 35, f"2{number:02d} T")
        for number in range(40)
    )
    hazards = tuple(f"Hazard {number:02d} " + "wires and drones " * 17 for number in range(40))
    whole = noted(based(planned(), {name: 36.0}), *channels, hazards=hazards)
    types = tuple(replace(kind, type="Lockheed C-130H Hercules with a long name " * 4) for kind in whole.fleet.types)
    whole = replace(whole, fleet=replace(whole.fleet, types=types)).with_centres(whole.burning_centres)
    sheet = Sheet(first_day=0, last_day=0, paper=Paper.A4, author="Ångström " * 20)
    drops = [replace(each, column=0, aircraft="S-2T-1") for each in around(GRID, 90) if each.column == 0]
    what = content(project=whole, drops=drops, sheet=sheet)
    drawn = list(order_pages(what))
    for page in drawn:
        assert overlaps(page.figure) == []
        assert outside(page.figure) == []
    said = [texts_of(page.figure) for page in drawn]
    count = next(int(text.split()[3]) for text in said[0] if text.endswith("of this sheet"))
    assert count > 2 and all("S-2T-1" in page for page in said[:count])
    own = [text for page in said[:count] for text in page]
    for number in range(40):
        assert sum(text.startswith(f"{number + 1}. Hazard {number:02d} ") for text in own) == 1
        assert own.count(f"2{number:02d} T") == 1
    assert sum(len(text) for text in own if set(text) == {"W"} and len(text) > 1) == 40 * 57
    assert not [text for text in own if text.endswith("…")]
    words = " ".join(own)
    assert words.count("runway 34") == 3 and "with a long name · retardant" in words
    numbers = [row.number for order in orders_of(what)[:1] for row in (line.row for line in order.lines)]
    assert all(f"{number}" in own for number in numbers)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("W" * 1000, marks=pytest.mark.slow),
        "=1+1 \u202egnp.exe",
        "a\x00b\nc",
        pytest.param(" ", marks=pytest.mark.slow),
        pytest.param("火災 $x$ _{2}", marks=pytest.mark.slow),
    ],
)
def test_hostile_names_are_printed_or_shortened_and_no_formula(name: str, tmp_path: Path) -> None:
    whole = based(planned(days=1), {name: 36.0})
    whole = noted(whole, RadioFrequency(name, name, name), hazards=(name, name))
    drops = [replace(each, aircraft=name, type=name) for each in around(GRID, 3)]
    what = content(project=replace(whole, scenario=replace(whole.scenario, name=name)), drops=drops, days=1)
    for page in order_pages(what):
        assert overlaps(page.figure) == []
        assert outside(page.figure) == []
    rows = rows_of(what, tmp_path)
    assert len(rows) == 3 and {len(row) for row in rows} == {len(COLUMNS)}
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+1", "@"))]
    write_order_sheets(tmp_path / "orders.pdf", what)
    assert (tmp_path / "orders.pdf").read_bytes().startswith(b"%PDF")


def test_every_page_is_numbered_and_says_that_it_is_model_output() -> None:
    found = pages(content(drops=[*around(GRID, 9, 0), *around(GRID, 3, 1)]))
    for number, page in enumerate(found, start=1):
        assert f"Page {number} of {len(found)}" in page and page.count(NOTICE) == 2


def test_the_same_plan_makes_the_same_bytes_and_stopping_leaves_no_file(tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf"):
        write_order_sheets(tmp_path / name, content(2))
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()
    with pytest.raises(CancelledError):
        write_order_sheets(tmp_path / "c.pdf", content(3), StopAt(2))
    assert not (tmp_path / "c.pdf").exists()


def test_an_aircraft_without_a_type_in_the_fleet_keeps_its_sheet(tmp_path: Path) -> None:
    whole = replace(planned(), fleet=Fleet((aircraft(id="UH", material=Material.WATER),)), operations=Operations())
    what = content(2, project=whole)
    (row, _) = rows_of(what, tmp_path)
    assert (row["aircraft"], row["type"], row["flight_hours"], row["speed_kt"]) == ("S-2T-1", "", "", "")
    assert "S-2T-1" in pages(what)[0]

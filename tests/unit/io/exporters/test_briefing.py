"""The briefing: every block of the form, every drop of every day, on numbered pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from firegui.domain.calendar import to_the_minute
from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.domain.operations import Grounding, Operations
from firegui.domain.stress import GROWTH_LEFT, NOMINAL, StressDraw, StressResult, StressScenario, StressTable
from firegui.domain.units import Units
from firegui.errors import CancelledError
from firegui.io.daylight import place_of, sunlight
from firegui.io.exporters.briefing import briefing_pages, day_lines, write_briefing
from firegui.io.exporters.briefing_days import periods_of, type_lines
from firegui.io.exporters.content import ExportContent, Paper, Sheet
from firegui.io.exporters.ics220 import FREQUENCIES, PERSONNEL, TITLES
from firegui.io.exporters.table import NOTICE, both_ways
from tests.support import StopAt
from tests.unit.io.builders import aircraft
from tests.unit.io.exporters.sheets import GRID, around, content, outside, overlaps, planned, texts_of

ONE = Sheet(author="A. Núñez", first_day=0, last_day=0)


def pages(what: ExportContent) -> list[list[str]]:
    """The texts of every page."""
    return [texts_of(page.figure) for page in briefing_pages(what)]


def forms(what: ExportContent) -> Iterator[list[str]]:
    """The texts of the pages that begin a form."""
    return (page for page in pages(what) if TITLES[7] in page)


def joined(what: ExportContent) -> str:
    return "\n".join(text for page in pages(what) for text in page)


def test_every_page_is_numbered_and_says_that_it_is_model_output() -> None:
    found = pages(content(40))
    for number, page in enumerate(found, start=1):
        assert f"Page {number} of {len(found)}" in page
        assert NOTICE in page


def test_every_block_of_the_form_is_there_and_what_a_plan_cannot_know_is_blank() -> None:
    (form,) = forms(content(sheet=replace(ONE, incident_number="CA-PNF-001308")))
    said = " ".join(form)
    for number in range(1, 12):
        assert " ".join(TITLES[number].split()[:3]) in said
    assert any(text.startswith("12. Task/Mission/Assignment") for page in pages(content(sheet=ONE)) for text in page)
    assert set(PERSONNEL) | set(FREQUENCIES) <= set(form)
    assert {"Medivac:", "New Incident:", "Altitude:", "Center Point:", "Position/Title:", "Signature:"} <= set(form)
    assert "Tëst “fire”, CA-PNF-001308" in form
    assert {"2020-08-20", "2020-08-21", "0000 UTC-7", "A. Núñez", "2020-08-18 1405 UTC-7"} <= set(form)


def test_the_worst_stress_case_stands_beside_the_expected_fire() -> None:
    draw = StressDraw(54.0, 0.0, 0.5, 3)
    nominal = StressResult(NOMINAL, 4.0, 104.0, (StressDraw(5.0, 0.0, 0.01, 3),))
    late = StressResult(StressScenario("late", delay_minutes=30.0), 4.0, 104.0, (draw,))
    what = replace(content(sheet=ONE), stress=StressTable(3, nominal, (late,)))
    said = f"• {GROWTH_LEFT}: 1.0 % in the model, 50 % in the worst case (late: every drop 30 min late)."
    overview, *_ = pages(what)
    assert any(text.startswith(said) for text in overview)
    assert {"What differs from the model", "every drop 30 min late", "as in the model"} <= set(overview)
    assert said in " ".join(text for form in forms(what) for text in form)
    words = [text for page in pages(content(sheet=ONE)) for text in page]
    assert [text for text in words if "stress" in text] == ["Verdict: not stress-tested"]


def test_sunrise_and_sunset_are_those_of_the_place_and_day() -> None:
    (form,) = forms(content(sheet=ONE))
    place = place_of(GRID)
    assert place is not None
    ((rise, down),) = sunlight(place, date(2020, 8, 20), date(2020, 8, 20))
    for when in (rise, down):
        assert f"{to_the_minute(when) - timedelta(hours=7):%H%M} UTC-7" in form


def test_there_is_a_form_a_map_and_a_table_for_every_day() -> None:
    what = content(drops=[*around(GRID, 4, 0), *around(GRID, 5, 2)])
    heads = [(page[1], page[2].split(":")[0]) for page in pages(what)]
    form, chart = "Air Operations Summary (ICS 220)", "Air operations map, planned drops"
    assert heads == [
        ("Briefing: the plan at a glance", "Days 1 to 3 of 3"), (chart, "Days 1 to 3 of 3"),
        (form, "Day 1 of 3"), (chart, "Day 1 of 3"), (form, "Day 1 of 3"),
        (form, "Day 2 of 3"), (chart, "Day 2 of 3"),
        (form, "Day 3 of 3"), (chart, "Day 3 of 3"), (form, "Day 3 of 3"),
    ]  # fmt: skip


def test_a_drop_is_told_with_time_place_run_load_height_and_speed() -> None:
    what = content(1, sheet=ONE)
    table = pages(what)[-1]
    (row,) = what.flown
    assert row.release_ddm in table and row.landing_ddm in table
    assert {"0000", "0700Z", "S-2T-1", "retardant", "1,200", "184", "129"} <= set(table)
    assert table[table.index("Local") + 1] == "UTC-7"  # one title on two lines
    assert all(both_ways(heading) in table for heading in row.run_headings)
    assert "N" in table  # midnight is not daylight
    assert any(text.startswith("Total: 1 drops (1 retardant, 0 water); 4.5 m³ retardant") for text in table)


@pytest.mark.parametrize(
    ("heading", "text"), [(0.0, "360/180"), (179.6, "360/180"), (9.4, "009/189"), (90.0, "090/270"), (None, "")]
)
def test_a_run_is_named_by_both_its_headings(heading: float | None, text: str) -> None:
    assert both_ways(heading) == text


def test_a_thousand_drops_are_all_there_once_and_in_order() -> None:
    drops = [replace(item, step=number % 150) for number, item in enumerate(around(GRID, 1050))]
    what = content(drops=drops, plan=None, baseline=None)
    for day, period in enumerate(periods_of(what)):
        assert len(period.rows) == 350
        assert [row.drop.step for row in period.rows] == sorted(row.drop.step for row in period.rows)
        assert all(row.day == day for row in period.rows)


def test_a_long_table_goes_on_over_pages_with_its_titles() -> None:
    what = content(75, sheet=ONE, plan=None, baseline=None)
    tables = [page for page in pages(what) if any(text.startswith("12. Task") for text in page)]
    assert len(tables) == 3
    numbers = [int(text) for page in tables for text in page if text.isdigit() and len(text) < 3 and text != "00"]
    assert [number for number in numbers if number <= 75] == list(range(1, 76))
    assert all("Aircraft" in page and "Run mag." in page for page in tables)
    assert [any(text.startswith("Total:") for text in page) for page in tables] == [False, False, True]


def test_no_text_covers_another_and_none_leaves_the_page() -> None:
    sheet = replace(ONE, author="Ångström " * 20, incident_number="CA-PNF-001308 " * 8, paper=Paper.A4)
    whole = planned()
    whole = replace(whole, scenario=replace(whole.scenario, name="Überlange Straße 火災 $x$ " * 9))
    for page in briefing_pages(content(40, project=whole, sheet=sheet)):
        assert overlaps(page.figure) == []
        assert outside(page.figure) == []


def many_types(count: int, **changes: float) -> Fleet:
    kinds = (replace(aircraft(count=1, **changes), id=f"T{n}", type=f"Type {n} " + "long " * 20) for n in range(count))
    return Fleet(tuple(kinds))


@pytest.mark.slow
def test_a_fleet_of_many_types_goes_on_over_pages() -> None:
    whole = replace(planned(), fleet=Fleet((*many_types(40).types, *many_types_slow(15).types)))
    found = [page for page in pages(content(0, project=whole, sheet=ONE)) if "Air Operations Summary (ICS 220)" in page]
    said = [text.split(" ")[1] for page in found for text in page if text.startswith("Type ")]
    assert said == [str(n) for n in range(40)] + [str(n) for n in range(100, 115)]
    assert any(text == f"{TITLES[9]} (continued)" for page in found for text in page)
    for page in briefing_pages(content(0, project=whole, sheet=ONE)):
        assert overlaps(page.figure) == []


def many_types_slow(count: int) -> Fleet:
    kinds = many_types(count, speed_ms=20.0).types
    return Fleet(tuple(replace(kind, id=f"H{n}", type=f"Type {n + 100} hel") for n, kind in enumerate(kinds)))


def test_slow_types_are_listed_with_the_helicopters() -> None:
    slow = AircraftType("UH", "UH-60", 1, Material.WATER, 900.0, 0.2, 15.0, 5.0, 30.0, 20.0, 5.0)
    whole = replace(planned(), fleet=Fleet((aircraft(), slow)))
    what = content(0, project=whole, sheet=ONE)
    assert [line.is_helicopter for line in type_lines(what.project, periods_of(what)[0])] == [False, True]
    assert "Helicopter, water" in joined(what) and "Fixed-wing, retardant" in joined(what)


def test_remarks_say_what_is_grounded_dark_near_water_and_out_of_bounds() -> None:
    base = planned()
    late = Grounding("S-2T-2", datetime(2020, 8, 20, 15, tzinfo=UTC), datetime(2020, 8, 20, 20, tzinfo=UTC))
    rules = Operations(no_drop_zones=base.operations.no_drop_zones, groundings=(late,))
    whole = replace(base, grounded={"CL-415": (date(2020, 8, 20),)}, operations=rules)
    (form,) = forms(content(12, project=whole, sheet=ONE))
    said = " ".join(form)
    for part in (
        "12 drops planned", "before sunrise or after sunset", 'Grounded all day in the plan: Turbo "Tracker"',
        "Grounded in the plan: S-2T-2, 2020-08-20 08:00 to 2020-08-20 13:00", "No-drop zones on the map: Camp",
        "steps of 28.8 minutes", "made without a daylight rule",
    ):  # fmt: skip
        assert part in said, part


def test_water_that_nobody_looked_for_is_not_reported_as_far() -> None:
    base = planned()
    dry = replace(base, scenario=replace(base.scenario, layers={"elevation": base.scenario.layers["elevation"]}))
    assert "Drops were not checked against water." in joined(content(3, project=dry, sheet=ONE))
    assert "?" in pages(content(3, project=dry, sheet=ONE))[0]


def test_a_plan_without_drops_makes_a_briefing_without_tables() -> None:
    found = pages(content(0))
    assert len(found) == 2 + 2 * 3
    assert sum("No drops planned in this period." in text for page in found for text in page) == 3


def test_the_overview_adds_up() -> None:
    drops = [*around(GRID, 12, 0), *around(GRID, 7, 1)]
    what = content(drops=drops)
    first = pages(what)[0]
    total = first[first.index("Total") :][:7]
    retardant = sum(item.payload_gal for item in drops if item.material == "retardant")
    assert total[1:4] == ["19", "13", "6"]
    assert Units.METRIC.volume_number(retardant) in total
    assert what.plan is not None
    hectares = float(what.plan.days[1].sum()) * 900 / 10_000
    assert f"{hectares:,.1f}" in first and "Fire at the day's end, ha" in first
    assert f"Final size: {dict(what.summary.headline())['Final size']}" in first
    us = replace(what, sheet=replace(what.sheet, units=Units.US))
    printed = pages(us)[0]
    assert f"Final size: {dict(what.summary.headline(Units.US))['Final size']}" in printed
    assert f"{hectares * 10_000 / 4046.8564:,.1f}" in printed and "Fire at the day's end, acres" in printed


def test_many_days_take_more_pages_and_none_is_lost() -> None:
    whole = planned(days=60)
    what = content(5, project=whole, days=60, plan=None, baseline=None)
    overview = list(pages_until_maps(what))
    days = [text for page in overview for text in page if re.fullmatch(r"\d{4}-\d\d-\d\d", text)]
    assert len(days) == 60 == len(set(days))


def pages_until_maps(what: ExportContent) -> Iterator[list[str]]:
    for page in briefing_pages(what):
        said = texts_of(page.figure)
        if said[1] != "Briefing: the plan at a glance":
            return
        yield said


@pytest.mark.slow
def test_the_same_plan_makes_the_same_bytes_with_fonts_inside(tmp_path: Path) -> None:
    what = content(3, sheet=ONE)
    for name in ("a.pdf", "b.pdf"):
        write_briefing(tmp_path / name, what)
    data = (tmp_path / "a.pdf").read_bytes()
    assert data == (tmp_path / "b.pdf").read_bytes()
    assert b"/FontFile2" in data and b"CreationDate" not in data
    assert len(re.findall(rb"/Type /Page\b", data)) == len(pages(what))


def test_stopping_between_pages_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(CancelledError):
        write_briefing(tmp_path / "plan.pdf", content(3), StopAt(3))
    assert list(tmp_path.iterdir()) == []


def test_times_are_given_to_the_nearest_minute() -> None:
    assert to_the_minute(datetime(2020, 8, 20, 23, 59, 30, tzinfo=UTC)) == datetime(2020, 8, 21, tzinfo=UTC)
    assert to_the_minute(datetime(2020, 8, 20, 0, 28, 48, tzinfo=UTC)).minute == 29


@pytest.mark.parametrize(
    ("grounded", "types", "text"),
    [(2, 4, "T0, T1"), (3, 4, "all but T3"), (4, 4, "all types"), (3, 6, "3 of 6 types"), (0, 4, "")],
)
def test_the_days_name_what_is_grounded_or_what_is_not(grounded: int, types: int, text: str) -> None:
    fleet = Fleet(tuple(aircraft(id=f"T{number}", count=1) for number in range(types)))
    days = {f"T{number}": (date(2020, 8, 20),) for number in range(grounded)}
    what = content(drops=[], project=replace(planned(), fleet=fleet, grounded=days))
    assert text in {line[-1] for line in day_lines(what, periods_of(what))[:-1]}

"""The fleet: columns, checks and the availability cap."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from firegui.domain.calendar import Calendar
from firegui.domain.fleet import Fleet, FleetUse, availability_cap
from tests.unit.domain.samples import aircraft, paper_fleet

FIFTEEN_DAYS = Calendar(datetime(2020, 8, 19, 7, tzinfo=UTC), days=15, steps_per_day=50)


def test_the_papers_fleet_can_make_4037_drops_in_fifteen_days() -> None:
    assert availability_cap(paper_fleet(), FIFTEEN_DAYS) == 4037


def test_an_aircraft_drops_every_turnaround_plus_one_step() -> None:
    one_day = Calendar(datetime(2020, 8, 19, tzinfo=UTC), days=1, steps_per_day=50)

    assert availability_cap(Fleet((aircraft(count=1, turnaround_h=0.5),)), one_day) == 17
    assert availability_cap(Fleet((aircraft(count=1, turnaround_h=0.0),)), one_day) == 50


def test_a_fleet_grounded_every_day_makes_no_drop() -> None:
    assert availability_cap(Fleet((aircraft(grounded_days=tuple(range(15))),)), FIFTEEN_DAYS) == 0


def test_the_timer_runs_on_through_a_grounded_day() -> None:
    slow = aircraft(count=1, turnaround_h=30.0, grounded_days=(1,))
    three_days = Calendar(datetime(2020, 8, 19, tzinfo=UTC), days=3, steps_per_day=50)

    assert availability_cap(Fleet((slow,)), three_days) == 2


def test_aircraft_are_columns_in_the_order_of_the_file() -> None:
    fleet = Fleet((aircraft("S-2T", count=2), aircraft("none", count=0), aircraft("CL-415", count=1)))

    assert [(tail.index, tail.name) for tail in fleet.tails] == [(0, "S-2T-1"), (1, "S-2T-2"), (2, "CL-415-1")]
    assert fleet.n_aircraft == 3


def test_replacing_a_row_leaves_the_others() -> None:
    fleet = Fleet((aircraft("a"), aircraft("b"), aircraft("c")))

    assert [kind.id for kind in fleet.replace_type(1, aircraft("z")).types] == ["a", "z", "c"]
    assert [kind.id for kind in fleet.types] == ["a", "b", "c"]


def test_grounded_days_are_kept_sorted_and_once() -> None:
    assert aircraft().with_grounded_days((4, 2, 4)).grounded_days == (2, 4)


def test_the_papers_fleet_has_no_problem() -> None:
    assert paper_fleet().problems() == []


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"payload_gal": -1.0}, "Payload is -1.0"),
        ({"payload_gal": math.nan}, "Payload is nan"),
        ({"sigma_parallel_m": 0.0}, "Length scale is 0.0"),
        ({"sigma_perpendicular_m": math.inf}, "Width scale is inf"),
        ({"turnaround_h": -0.1}, "Turnaround is -0.1"),
        ({"turnaround_h": 72.5}, "Turnaround is 72.5"),
        ({"drop_height_m": math.nan}, "Drop height is nan"),
        ({"count": -1}, "Number of aircraft is -1"),
        ({"count": 1.5}, "Number of aircraft is 1.5"),
        ({"grounded_days": (-1,)}, "a day that no plan has"),
        ({"id": "  "}, "the id is empty"),
    ],
)
def test_a_bad_field_is_named(changes: dict[str, Any], named: str) -> None:
    problems = aircraft(**changes).problems()

    assert any(named in problem.what for problem in problems)
    assert all(problem.remedy for problem in problems)


def test_every_bad_field_of_every_row_is_reported() -> None:
    fleet = Fleet((aircraft("a", payload_gal=0.0, speed_ms=-1.0), aircraft("b", count=-2), aircraft("c")))

    assert [problem.where for problem in fleet.problems()] == ["aircraft a", "aircraft a", "aircraft b"]


def test_two_types_with_one_id_are_refused() -> None:
    assert any("S-2T is used 2 times" in problem.what for problem in Fleet((aircraft(), aircraft())).problems())


def test_ids_that_differ_only_in_letter_case_are_refused() -> None:
    found = Fleet((aircraft(), replace(aircraft(), id="s-2t"))).problems()
    assert [str(problem) for problem in found] == ["fleet: S-2T and s-2t differ only in letter case — use other names"]


def test_an_empty_fleet_is_refused() -> None:
    assert [problem.what for problem in Fleet((aircraft(count=0),)).problems()] == ["Aircraft is 0 for every type"]
    assert [problem.what for problem in Fleet(()).problems()] == ["no aircraft type is listed"]


@pytest.mark.parametrize("text", ["S\n2T", "S\x00", "S\t2T", "S\r", "S\x7f", "S\u2028T", "S\ud800", "S\uffff"])
def test_control_characters_in_a_name_are_refused_and_shown_as_codes(text: str) -> None:
    code = f"U+{ord(next(c for c in text if c not in 'S2T')):04X}"
    for kind in (aircraft(text), aircraft(type=text)):
        (problem,) = kind.problems()
        assert code in problem.what and "\n" not in str(problem)


def test_letters_of_every_script_and_spaces_are_allowed_in_a_name() -> None:
    assert aircraft("Бе-200\u00a0ЧС é 消防").problems() == []


def test_a_drop_costs_its_flight_hours_its_load_and_what_is_paid_for_each() -> None:
    assert aircraft().drop_cost is None
    assert aircraft(turnaround_h=0.5, hour_price=8000.0).drop_cost == 4000.0
    assert aircraft(drop_price=0.0).drop_cost == 0.0
    whole = aircraft(payload_gal=1000.0, turnaround_h=0.5, hour_price=8000.0, drop_price=100.0, gallon_price=4.0)
    assert whole.drop_cost == 8100.0


def test_a_fleet_says_what_drops_take_and_which_types_have_no_price() -> None:
    priced = aircraft("A", count=2, payload_gal=1000.0, turnaround_h=0.5, gallon_price=4.0)
    fleet = Fleet((priced, aircraft("B", count=1, turnaround_h=2.0, payload_gal=500.0), aircraft("C", count=0)), "CAD")

    assert fleet.unpriced == ("B",)
    assert fleet.used([2, 1, 0]) == FleetUse(3000.0, 1.5, 12_000.0)
    assert fleet.used([0, 1, 2]) == FleetUse(2000.0, 4.5, None)
    assert fleet.used([0, 0, 0]) == FleetUse(0.0, 0.0, 0.0)
    assert fleet.replace_type(1, priced).currency == "CAD"


@pytest.mark.parametrize("price", [-1.0, math.nan, math.inf, 1e10])
def test_prices_that_cannot_be_are_refused_each_by_its_title(price: float) -> None:
    fleet = Fleet((aircraft(hour_price=price, drop_price=price, gallon_price=price),), "US\nD")

    assert [problem.what for problem in fleet.problems()] == [
        f"Price of a flight hour is {price}", f"Price of a drop is {price}", f"Price of a gallon is {price}",
        "the currency has control characters (U+000A)",
    ]  # fmt: skip
    assert all(problem.remedy for problem in fleet.problems())


@pytest.mark.parametrize(("currency", "what"), [(" ", "is empty"), ("D" * 13, "has 13 letters")])
def test_a_currency_is_a_short_label(currency: str, what: str) -> None:
    assert [problem.what for problem in Fleet((aircraft(),), currency).problems()] == [f"the currency {what}"]
    assert Fleet((aircraft(),), "CA$").problems() == []

"""The fleet: columns, checks and the availability cap."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from firegui.domain.calendar import Calendar
from firegui.domain.fleet import Fleet, availability_cap
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
    assert any(problem.what == "no aircraft" for problem in Fleet((aircraft(count=0),)).problems())


@pytest.mark.parametrize("text", ["S\n2T", "S\x00", "S\t2T", "S\r", "S\x7f", "S\u2028T", "S\ud800", "S\uffff"])
def test_control_characters_in_a_name_are_refused_and_shown_as_codes(text: str) -> None:
    code = f"U+{ord(next(c for c in text if c not in 'S2T')):04X}"
    for kind in (aircraft(text), aircraft(type=text)):
        (problem,) = kind.problems()
        assert code in problem.what and "\n" not in str(problem)


def test_letters_of_every_script_and_spaces_are_allowed_in_a_name() -> None:
    assert aircraft("Бе-200\u00a0ЧС é 消防").problems() == []

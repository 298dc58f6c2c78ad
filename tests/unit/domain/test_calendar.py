"""Days, steps and clock time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firegui.domain.calendar import Calendar, turnaround_steps
from tests.unit.domain.samples import PAPER_FLEET

BEAR = Calendar(datetime(2020, 8, 19, 7, tzinfo=UTC), days=15, steps_per_day=50, utc_offset_h=-7.0)


def test_the_papers_aircraft_are_blocked_for_these_many_steps() -> None:
    assert [turnaround_steps(hours, 50) for _, _, hours, _ in PAPER_FLEET] == [2, 2, 3, 3, 2, 4, 5, 1]


@pytest.mark.parametrize(("hours", "steps"), [(0.0, 0), (0.48, 1), (0.481, 2), (0.96, 2), (1.44, 3), (12.0, 25)])
def test_a_whole_number_of_steps_is_not_rounded_up_to_one_more(hours: float, steps: int) -> None:
    assert turnaround_steps(hours, 50) == steps


def test_other_step_lengths_change_the_turnaround() -> None:
    assert turnaround_steps(1.0, steps_per_day=24) == 1
    assert turnaround_steps(1.0, steps_per_day=48) == 2


@given(step=st.integers(1, 500), per_day=st.integers(1, 200))
def test_the_hours_of_a_number_of_steps_give_that_number(step: int, per_day: int) -> None:
    assert turnaround_steps(step * 24.0 / per_day, per_day) == step


def test_fifteen_days_are_750_steps_of_0_48_hours() -> None:
    assert BEAR.n_steps == 750
    assert BEAR.hours_per_step == pytest.approx(0.48)


@pytest.mark.parametrize(("per_day", "stride"), [(1, 5), (24, 5), (50, 5), (59, 5), (480, 48), (5000, 500)])
def test_at_most_twelve_states_of_a_day_are_displayed(per_day: int, stride: int) -> None:
    found = Calendar(BEAR.start, days=1, steps_per_day=per_day).frame_stride
    assert found == stride and per_day / found < 12


def test_step_0_is_the_start_and_step_50_a_day_later() -> None:
    assert BEAR.time_of_step(0) == datetime(2020, 8, 19, 7, tzinfo=UTC)
    assert BEAR.time_of_step(50) == datetime(2020, 8, 20, 7, tzinfo=UTC)
    assert BEAR.time_of_step(1) == datetime(2020, 8, 19, 7, 28, 48, tzinfo=UTC)


@pytest.mark.parametrize(("step", "day"), [(0, 0), (49, 0), (50, 1), (749, 14)])
def test_a_day_is_fifty_steps(step: int, day: int) -> None:
    assert BEAR.day_of_step(step) == day


def test_dates_are_local() -> None:
    evening = Calendar(datetime(2020, 8, 20, 3, tzinfo=UTC), days=3, steps_per_day=50, utc_offset_h=-7.0)

    assert evening.date_of_day(0) == date(2020, 8, 19)


@given(day=st.integers(-400, 400))
def test_the_date_of_a_day_leads_back_to_the_day(day: int) -> None:
    assert BEAR.day_of_date(BEAR.date_of_day(day)) == day


@pytest.mark.parametrize(
    ("offset", "text"), [(0, "UTC"), (-7, "UTC-7"), (5.5, "UTC+5:30"), (-3.5, "UTC-3:30"), (13, "UTC+13")]
)
def test_offsets_are_written_as_people_do(offset: float, text: str) -> None:
    assert Calendar(BEAR.start, days=3, steps_per_day=50, utc_offset_h=offset).zone_name == text


def test_days_are_called_from_1_and_the_state_after_the_last_step_is_the_end_of_the_last_day() -> None:
    assert [BEAR.day_name(step) for step in (0, 49, 50, 749, 750)] == [
        "Day 1", "Day 1", "Day 2", "Day 15", "End of day 15",
    ]  # fmt: skip


def test_a_day_that_does_not_begin_at_midnight_says_when_it_began() -> None:
    morning = Calendar(datetime(2020, 7, 1, 13, tzinfo=UTC), 8, 48, -7.0)
    assert morning.day_title(5) == "Day 6 · 6 Jul"
    assert morning.day_span_text(5) == "6 Jul 06:00 to 7 Jul 06:00 UTC-7"
    assert [morning.began_text(5 * 48 + step) for step in (0, 35, 36, 47)] == ["", "", "began 6 Jul", "began 6 Jul"]
    assert morning.began_text(8 * 48) == "began 8 Jul"
    midnight = replace(morning, start=datetime(2020, 7, 1, 7, tzinfo=UTC))
    undated = replace(morning, is_dated=False)
    for each in (midnight, undated):
        assert [each.day_span_text(5), each.began_text(5 * 48 + 47), each.began_text(8 * 48)] == [""] * 3


def test_a_clock_time_is_rounded_to_the_minute_as_printed_tables_round_it() -> None:
    calendar = Calendar(datetime(2020, 8, 19, 6, tzinfo=UTC), 2, 50)
    assert calendar.clock_text(calendar.time_of_step(1)) == "06:29"

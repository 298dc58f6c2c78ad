from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from firegui.io.times import Stamp, parse_stamp, parse_stamps

PDT = timezone(timedelta(hours=-7))


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("2020-08-19", Stamp(datetime(2020, 8, 19), False)),
        ("20200819", Stamp(datetime(2020, 8, 19), False)),
        (" 2020/8/9 ", Stamp(datetime(2020, 8, 9), False)),
        ("2020-08-19 14:30", Stamp(datetime(2020, 8, 19, 14, 30), True)),
        ("20200819T1430Z", Stamp(datetime(2020, 8, 19, 14, 30, tzinfo=UTC), True)),
        ("2020-08-19T14:30:05.250+00:00", Stamp(datetime(2020, 8, 19, 14, 30, 5, tzinfo=UTC), True)),
        ("2020-08-19 14:30 PDT", Stamp(datetime(2020, 8, 19, 14, 30, tzinfo=PDT), True)),
        ("2020-08-19T14:30-0700", Stamp(datetime(2020, 8, 19, 14, 30, tzinfo=PDT), True)),
        ("2020-08-19 24:00", Stamp(datetime(2020, 8, 20), True)),
        ("8/19/2020 11:30:00 PM", Stamp(datetime(2020, 8, 19, 23, 30), True)),
        ("8/19/2020 12:05 AM", Stamp(datetime(2020, 8, 19, 0, 5), True)),
        ("19.8.2020", Stamp(datetime(2020, 8, 19), False)),
        ("8/8/2020", Stamp(datetime(2020, 8, 8), False)),
        ("19-Aug-2020", Stamp(datetime(2020, 8, 19), False)),
        ("Aug 19, 2020 11:30 PM", Stamp(datetime(2020, 8, 19, 23, 30), True)),
    ],
)
def test_a_time_is_read_as_people_and_programs_write_it(text: str, stamp: Stamp) -> None:
    assert parse_stamp(text) == stamp


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "8/9/2020", "2020-13-01", "2020-02-30", "2020232", "1597881600000", "2020-08-19 14:30 here",
     "2020-08-19 25:00", "8/19/2020 13:00 PM", "0020-08-19", "2020-08/19"],
)  # fmt: skip
def test_what_is_no_time_or_open_is_none(text: str) -> None:
    assert parse_stamp(text) is None


def test_a_column_tells_whether_the_month_or_the_day_comes_first() -> None:
    assert parse_stamps(["8/9/2020", "8/13/2020"]).month_first is True
    assert parse_stamps(["9/8/2020", "13/8/2020"]).stamps[0] == Stamp(datetime(2020, 8, 9), False)
    assert parse_stamps(["8/9/2020", "8/10/2020"]).stamps == (None, None)
    assert parse_stamps(["10/09/2017 04:53 PDT"]).stamps[0] == Stamp(datetime(2017, 10, 9, 4, 53, tzinfo=PDT), True)
    # What contradicts the column is not a date.
    assert parse_stamps(["8/13/2020", "13/8/2020"]).stamps[0] is None

"""Coordinates as text, in every format and with mistakes."""

from __future__ import annotations

import pytest

from firegui.errors import InputError
from firegui.io.coordinates import CoordinateFormat, format_place, parse_place

PLACES = ((-122.6401, 38.5612), (16.3725, 48.20833), (151.21, -33.868), (-0.0004, 0.0004), (-70.65, -33.4489))


@pytest.mark.parametrize("form", CoordinateFormat)
@pytest.mark.parametrize("place", PLACES)
def test_a_written_place_is_read_again(place: tuple[float, float], form: CoordinateFormat) -> None:
    lon, lat = parse_place(format_place(*place, form))
    assert (lon, lat) == pytest.approx(place, abs=2e-5)


@pytest.mark.parametrize(
    "text",
    [
        "38.5612 -122.6401", "38.5612, -122.6401", "38.5612;−122.6401", "N 38.5612 W 122.6401", "122.6401W 38.5612N",
        "38°33.672′ N 122°38.406′ W", "38 33.672 N, 122 38.406 W", "N38 33.672 W122 38.406", "38 33.672 -122 38.406",
        "38°33'40.32\"N 122°38'24.36\"W", "38:33:40.32 -122:38:24.36", "38 33 40.32 n / 122 38 24.36 w",
        "10S 531356 4268146", "UTM 10S 531 356 E 4 268 146 N", "10 S 531356 mE 4268146 mN", "10S 531356, 4268146",
    ],
)  # fmt: skip
def test_people_write_the_same_place_in_many_ways(text: str) -> None:
    assert parse_place(text) == pytest.approx((-122.6401, 38.5612), abs=2e-5)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "not a pair"), ("38.5", "not a pair"), ("somewhere", "not a pair"), ("1 2 3", "not a pair"),
        ("1,2,3", "not a pair"),
        ("95 10", "at most 90"), ("10 200", "at most 90"), ("38 61 N 122 10 W", "below 60"),
        ("38 N 122 N", "one latitude"),
        ("61S 531234 4268725", "zones"), ("10S 5 4268725", "eastings"), ("38,5 122,6", "not a pair"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_ends_in_one_message_with_examples(text: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_place(text)
    (problem,) = caught.value.problems
    assert what in problem.what and "UTM" in problem.remedy and text in problem.what


def test_a_message_shows_the_beginning_of_a_text_that_is_no_place() -> None:
    with pytest.raises(InputError) as caught:
        parse_place("1" * 201)
    (problem,) = caught.value.problems
    assert problem.what == f"“{'1' * 40}…” cannot be read: it has more than 200 characters"


def test_seconds_and_minutes_are_never_sixty() -> None:
    assert format_place(9.99999, 49.99999, CoordinateFormat.DMS) == "50°00′00.0″ N 010°00′00.0″ E"

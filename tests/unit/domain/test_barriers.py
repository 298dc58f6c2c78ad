"""Barriers: what is wrong with them, which is nearest, and what a project says of them."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from firegui.domain.barriers import Barrier, BarrierKind, barrier_at, barrier_problems, crossing, with_corner
from firegui.domain.names import with_named, without_named
from firegui.domain.project import BARRIERS, changed_inputs, changes_text, differing_words, same_spread
from firegui.domain.region_geometry import clipped
from firegui.domain.regions import Vertex
from tests.unit.domain.samples import project

SHAPE = (20, 30)
LINE = Barrier("Dozer 1", BarrierKind.DOZER, (((2.0, 3.0), (8.0, 20.0)),))
AREA = Barrier("Lake", BarrierKind.RIVER, areas=((((1.0, 1.0), (1.0, 5.0), (6.0, 5.0)),),))


def said(*barriers: Barrier) -> str:
    return "\n".join(str(problem) for problem in barrier_problems(barriers, SHAPE))


def changed(**changes: Any) -> Barrier:
    return replace(LINE, **changes)


def test_sound_barriers_have_no_problem() -> None:
    late = changed(name="later", exists_from=datetime(2020, 8, 20, 21, tzinfo=UTC))
    beyond = changed(name="partly off the grid", lines=(((-9.0, -9.0), (50.0, 50.0)),))
    closed = changed(name="closed", lines=(((1.0, 1.0), (1.0, 9.0), (9.0, 9.0), (1.0, 1.0)),))
    assert said(LINE, AREA, late, beyond, closed) == ""


@pytest.mark.parametrize(
    ("barrier", "words"),
    [
        (changed(name=" "), "the name is empty"),
        (changed(name="a\nb"), "control characters"),
        (changed(strength=1.2), "Strength is 1.2"),
        (changed(strength=-0.1), "Strength is -0.1"),
        (changed(strength=math.nan), "Strength is nan"),
        (changed(width_m=0.0), "Width is 0.0"),
        (changed(width_m=-3.0), "Width is -3.0"),
        (changed(width_m=math.inf), "Width is inf"),
        (changed(exists_from=datetime(2020, 8, 20, 14)), "has no offset from UTC"),
        (changed(lines=()), "has no line and no area"),
        (changed(areas=AREA.areas), "has both lines and areas"),
        (changed(lines=(((1.0, math.nan), (2.0, 2.0)),)), "a corner is not a number"),
        (changed(lines=(((1.0, 2.0), (1.0, 2.0)),)), "at least two different corners"),
        (replace(AREA, areas=((((1.0, 1.0), (2.0, 2.0)),),)), "at least three corners"),
        (changed(lines=(((1.0, 1.0), (9.0, 9.0), (9.0, 1.0), (1.0, 9.0)),)), "crosses itself near row 5.0, column 5.0"),
        (replace(AREA, areas=((((1.0, 1.0), (9.0, 9.0), (9.0, 1.0), (1.0, 9.0)),),)), "crosses itself"),
        (changed(lines=(((1.0, 40.0), (9.0, 44.0)),)), "lies outside the grid"),
    ],
)
def test_everything_that_is_wrong_is_said(barrier: Barrier, words: str) -> None:
    assert words in said(barrier)


def test_all_problems_come_in_one_list() -> None:
    found = said(changed(strength=2.0, width_m=0.0), changed(name="DOZER 1", exists_from=datetime(2020, 1, 1)), AREA)
    for words in ("Strength is 2.0", "Width is 0.0", "no offset", "differ only in letter case"):
        assert words in found
    assert "the name Lake is used 2 times" in said(AREA, AREA)


def test_a_crossing_is_found_among_many_corners_and_touching_is_none() -> None:
    spiral = tuple((0.01 * k * math.sin(0.05 * k), 0.01 * k * math.cos(0.05 * k)) for k in range(4_000))
    assert crossing(spiral, is_ring=False) is None
    place = crossing((*spiral, (0.0, 0.0)), is_ring=False)
    assert place is not None
    assert crossing(((0.0, 0.0), (0.0, 4.0), (2.0, 4.0), (2.0, 2.0), (0.0, 2.0)), is_ring=False) is None
    assert crossing(((0.0, 0.0), (4.0, 4.0), (4.0, 0.0), (0.0, 4.0)), is_ring=True) == (2.0, 2.0)


def test_the_nearest_barrier_is_found_within_reach() -> None:
    assert barrier_at((LINE, AREA), 7.0, 17.0, 1.0) == LINE
    assert barrier_at((LINE, AREA), 3.0, 4.0, 0.1) == AREA
    assert barrier_at((LINE, AREA), 15.0, 4.0, 2.0) is None


def test_only_the_outline_of_an_area_counts_where_it_is_not_filled() -> None:
    square = Barrier("Square", BarrierKind.RIVER, areas=(
        (((0.0, 0.0), (0.0, 20.0), (20.0, 20.0), (20.0, 0.0)), ((8.0, 8.0), (8.0, 12.0), (12.0, 12.0), (12.0, 8.0))),
    ))  # fmt: skip
    assert barrier_at([square], 4.0, 4.0, 1.0) == square
    assert barrier_at([square], 4.0, 4.0, 1.0, fills=False) is None
    assert barrier_at([square], 10.0, 10.0, 1.0) is None, "in the hole"
    # The side from the last corner to the first one belongs to it.
    assert barrier_at([square], 10.0, 0.5, 1.0, fills=False) == square
    assert barrier_at([square], 10.0, 8.5, 1.0, fills=False) == square


def test_corners_are_added_to_lines_and_areas_as_they_are_drawn() -> None:
    line = Barrier("Line", BarrierKind.ROAD, (((0.0, 0.0), (10.0, 0.0)), ((0.0, 5.0), (10.0, 5.0), (10.0, 9.0))))
    longer = with_corner(line, 5.004, 5.3, 1.0)
    assert longer == replace(line, lines=(line.lines[0], ((0.0, 5.0), (5.0, 5.0), (10.0, 5.0), (10.0, 9.0))))
    assert with_corner(line, 5.0, 7.0, 1.0) is None, "the ends of a line are not joined"
    area = Barrier("Area", BarrierKind.RIVER, areas=((((0.0, 0.0), (0.0, 8.0), (8.0, 8.0)),),))
    closed = with_corner(area, 4.0, 4.0, 1.0)
    assert closed is not None and closed.areas[0][0][-1] == (4.0, 4.0)


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        ((2.0, 3.0), (5.0, 6.0), ((2.0, 3.0), (5.0, 6.0))),
        ((-5.0, 4.0), (25.0, 4.0), ((0.0, 4.0), (20.0, 4.0))),
        ((10.0, -10.0), (10.0, 50.0), ((10.0, 0.0), (10.0, 30.0))),
        ((-5.0, -5.0), (5.0, 5.0), ((0.0, 0.0), (5.0, 5.0))),
        ((-5.0, 0.0), (0.0, -5.0), None),
        ((25.0, 4.0), (30.0, 4.0), None),
        ((4.0, 31.0), (9.0, 31.0), None),
    ],
)
def test_an_edge_is_clipped_to_the_grid(start: Vertex, end: Vertex, found: tuple[Vertex, Vertex] | None) -> None:
    assert clipped(start, end, (20, 30)) == found


def test_barriers_take_the_place_of_those_of_the_same_name() -> None:
    other = changed(strength=0.5)
    assert with_named((LINE, AREA), (other,)) == (AREA, other)
    assert without_named((LINE, AREA), ["Lake", "gone"]) == (LINE,)


def test_a_project_with_other_barriers_has_another_fire() -> None:
    before = project()
    after = replace(before, barriers=(LINE,))
    assert changed_inputs(before, after) == (BARRIERS,)
    assert not same_spread(before, after)
    assert same_spread(after, replace(after, barriers=(replace(LINE),)))
    assert changes_text(before, after, without_drops=True) == ("barriers changed since",)
    assert differing_words(before, after) == ("1 barrier",)
    assert differing_words(after, replace(after, barriers=(changed(strength=0.5),))) == ("other barriers",)
    assert any("Strength" in str(problem) for problem in replace(before, barriers=(changed(strength=2.0),)).problems())

"""Protected regions."""

from __future__ import annotations

import math

import pytest

from firegui.domain.regions import Region, region_problems

SHAPE = (20, 30)
TRIANGLE = Region("Reservoir", ((((2.0, 3.0), (8.0, 3.0), (5.0, 9.0)),),))
VILLAGE = Region.rectangle("Village", (2, 6), (3, 9))


def test_a_rectangle_knows_its_half_open_rows_and_columns() -> None:
    assert VILLAGE.as_rectangle == ((2, 6), (3, 9))
    assert VILLAGE.bounds == (2, 3, 6, 9)


def test_another_shape_is_no_rectangle() -> None:
    assert TRIANGLE.as_rectangle is None
    assert Region("Skew", ((((0.0, 0.0), (0.0, 5.0), (4.0, 6.0), (4.0, 1.0)),),)).as_rectangle is None
    assert Region("Two", (VILLAGE.parts[0], TRIANGLE.parts[0])).as_rectangle is None


def test_the_bounds_enclose_every_part() -> None:
    far = Region.rectangle("Far", (10, 12), (20, 25))

    assert Region("Both", TRIANGLE.parts + far.parts).bounds == (2, 3, 12, 25)


def test_moving_shifts_every_corner_and_keeps_name_and_weight() -> None:
    moved = Region.rectangle("Village", (2, 6), (3, 9), weight=2.5).moved(1.0, -2.0)

    assert moved.as_rectangle == ((3, 7), (1, 7))
    assert (moved.name, moved.weight) == ("Village", 2.5)


def test_good_regions_have_no_problem() -> None:
    assert region_problems([VILLAGE, TRIANGLE], SHAPE) == []


def test_a_region_that_sticks_out_is_not_refused() -> None:
    assert region_problems([Region.rectangle("Edge", (-5, 3), (25, 40))], SHAPE) == []


@pytest.mark.parametrize(
    ("rows", "columns"),
    [((-5, 0), (3, 9)), ((20, 25), (3, 9)), ((2, 6), (-4, 0)), ((2, 6), (30, 40))],
    ids=["north", "south", "west", "east"],
)
def test_a_region_beyond_the_grid_is_refused(rows: tuple[float, float], columns: tuple[float, float]) -> None:
    problems = region_problems([Region.rectangle("Away", rows, columns)], SHAPE)

    assert len(problems) == 1
    assert "outside the grid" in problems[0].what
    assert problems[0].where == "region Away"


@pytest.mark.parametrize(
    ("region", "named"),
    [
        (Region("Line", ((((0.0, 0.0), (1.0, 1.0)),),)), "three corners"),
        (Region("Nothing", ()), "three corners"),
        (Region("Hole", ((),)), "three corners"),
        (Region("Lost", ((((0.0, 0.0), (1.0, math.nan), (2.0, 0.0)),),)), "not a number"),
        (Region(" ", VILLAGE.parts), "name is empty"),
        (Region("two\nlines", VILLAGE.parts), "control characters (U+000A)"),
        (Region("a\u202eb", VILLAGE.parts), "control characters (U+202E)"),
        (Region("Light", VILLAGE.parts, -1.0), "weight is -1"),
        (Region("Heavy", VILLAGE.parts, math.inf), "weight is inf"),
    ],
)
def test_a_bad_region_is_named(region: Region, named: str) -> None:
    assert any(named in problem.what for problem in region_problems([VILLAGE, region], SHAPE))


def test_names_must_differ() -> None:
    problems = region_problems([VILLAGE, VILLAGE.moved(1, 1)], SHAPE)

    assert ["Village is used 2 times" in problem.what for problem in problems] == [True]


def test_names_that_differ_only_in_letter_case_are_refused_in_one_line() -> None:
    regions = [Region.rectangle(name, (0, 5), (0, 5)) for name in ("Ranch", "ranch ", "RANCH", "Road")]
    (problem,) = region_problems(regions, (60, 80))
    assert str(problem) == "regions: Ranch, ranch and RANCH differ only in letter case — use other names"


def test_some_region_must_weigh_something() -> None:
    weightless = [Region("A", VILLAGE.parts, 0.0), Region("B", VILLAGE.parts, 0.0)]

    assert [problem.what for problem in region_problems(weightless, SHAPE)] == ["every weight is 0"]
    assert region_problems([*weightless, VILLAGE], SHAPE) == []


def test_every_problem_of_every_region_is_reported() -> None:
    bad = [Region("", ((((0.0, 0.0),),),), -1.0), Region.rectangle("Away", (50, 60), (3, 9))]

    assert len(region_problems(bad, SHAPE)) == 4


def test_a_negative_weight_is_the_only_problem_and_is_written_in_few_digits() -> None:
    negative = Region("A", VILLAGE.parts, -5.0)
    for others in ([], [VILLAGE]):
        (problem,) = region_problems([negative, *others], SHAPE)
        assert (problem.what, problem.remedy) == ("weight is -5", "use 0 or more")


@pytest.mark.parametrize(
    ("rows", "covers"), [((0.1, 0.3), False), ((0.1, 0.6), True), ((3.6, 4.4), False), ((3.6, 4.6), True)]
)
def test_a_region_that_covers_no_cell_centre_is_a_problem(rows: tuple[float, float], covers: bool) -> None:
    found = region_problems([Region.rectangle("thin", rows, (0, 5))], (10, 10))
    assert (found == []) is covers
    assert covers or "thin" in found[0].where

"""Geometry of regions under the mouse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firegui.domain.region_geometry import (
    area,
    cell_rectangle,
    contains,
    handles_of,
    region_at,
    shift_on_grid,
    with_handle_at,
    with_vertex_on_edge,
    without_vertex,
)
from firegui.domain.regions import Region
from firegui.io.project.regions_file import is_simple
from firegui.io.rasters.masks import region_masks

SHAPE = (40, 60)
OUTER = ((5.0, 5.0), (5.0, 25.0), (25.0, 25.0), (25.0, 5.0))
HOLE = ((10.0, 10.0), (10.0, 20.0), (20.0, 20.0), (20.0, 10.0))
RING = Region("ring", ((OUTER, HOLE),))
L_SHAPE = Region("L", ((((2.0, 2.0), (2.0, 30.0), (10.0, 30.0), (10.0, 12.0), (30.0, 12.0), (30.0, 2.0)),),))


@pytest.mark.parametrize("region", [RING, L_SHAPE, Region.rectangle("box", (3, 9), (4, 30))])
def test_the_cells_inside_a_region_are_those_that_the_planner_protects(region: Region) -> None:
    mask = region_masks((region,), SHAPE)[0]
    inside = [[contains(region, i + 0.5, j + 0.5) for j in range(SHAPE[1])] for i in range(SHAPE[0])]
    assert np.array_equal(mask, np.array(inside))
    assert area(region) == mask.sum()


def test_a_region_with_a_hole_has_a_handle_on_every_corner_of_both_rings() -> None:
    handles = handles_of(RING)
    assert len(handles) == 8 and {handle.ring for handle in handles} == {0, 1}
    moved = with_handle_at(RING, handles[5], 11.0, 21.0, SHAPE)
    assert moved.parts[0][0] == OUTER and moved.parts[0][1][1] == (11.0, 21.0)


def test_a_hole_outside_its_outline_and_a_bow_tie_are_not_simple() -> None:
    assert is_simple(RING) and is_simple(L_SHAPE)
    assert not is_simple(Region("x", ((OUTER, ((30.0, 30.0), (30.0, 35.0), (35.0, 35.0))),)))
    assert not is_simple(Region("x", ((((0.0, 0.0), (5.0, 5.0), (0.0, 5.0), (5.0, 0.0)),),)))


def test_of_regions_on_top_of_each_other_the_selected_or_the_smallest_is_meant() -> None:
    small, large = Region.rectangle("small", (4, 8), (4, 8)), Region.rectangle("large", (0, 30), (0, 30))
    assert region_at((small, large), 6.0, 6.0) == small
    assert region_at((small, large), 6.0, 6.0, prefer="large") == large
    assert region_at((small, large), 35.0, 6.0) is None


def test_a_corner_is_added_only_where_an_edge_is_near() -> None:
    assert with_vertex_on_edge(L_SHAPE, 20.0, 7.0, within=1.0) is None
    changed = with_vertex_on_edge(L_SHAPE, 2.3, 15.0, within=1.0)
    assert changed is not None and (2.0, 15.0) in changed.parts[0][0] and area(changed) == area(L_SHAPE)


def test_removing_a_corner_leaves_the_others() -> None:
    changed = without_vertex(L_SHAPE, handles_of(L_SHAPE)[3])
    assert changed is not None and len(changed.parts[0][0]) == 5 and (10.0, 12.0) not in changed.parts[0][0]


places = st.tuples(st.floats(-20, 80), st.floats(-20, 80))


@pytest.mark.slow
@given(places, places)
def test_a_drawn_rectangle_always_has_cells_and_never_leaves_the_grid(
    start: tuple[float, float], end: tuple[float, float]
) -> None:
    (top, bottom), (left, right) = cell_rectangle(start, end, SHAPE)
    assert 0 <= top < bottom <= SHAPE[0] and 0 <= left < right <= SHAPE[1]


@given(places)
def test_a_moved_region_stays_on_the_grid_and_keeps_its_size(shift: tuple[float, float]) -> None:
    moved = L_SHAPE.moved(*shift_on_grid(L_SHAPE, *shift, SHAPE))
    top, left, bottom, right = moved.bounds
    assert 0 <= top < bottom <= SHAPE[0] and 0 <= left < right <= SHAPE[1]
    assert math.isclose(area(moved), area(L_SHAPE))


@given(places, st.integers(0, 7))
def test_a_rectangle_reshaped_by_any_handle_stays_a_rectangle_of_whole_cells(
    to: tuple[float, float], which: int
) -> None:
    box = Region.rectangle("box", (3, 9), (4, 30))
    changed = with_handle_at(box, handles_of(box)[which], *to, SHAPE)
    sides = changed.as_rectangle
    assert sides is not None
    (top, bottom), (left, right) = sides
    assert 0 <= top < bottom <= SHAPE[0] and 0 <= left < right <= SHAPE[1]
    assert all(value == int(value) for value in (top, bottom, left, right))


def test_a_region_that_sticks_out_may_be_moved_back_but_not_further_out() -> None:
    outside = Region.rectangle("out", (-5, 10), (0, 10))
    assert shift_on_grid(outside, -3.0, 0.0, SHAPE) == (0, 0)
    assert shift_on_grid(outside, 6.0, 0.0, SHAPE) == (6, 0)

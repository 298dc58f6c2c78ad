"""A plan as drops that are flown: what is changed, what stays, where the change begins."""

from __future__ import annotations

import numpy as np

from firegui.domain.drops import Drop, DropList, half_turn
from firegui.domain.schedule import DropRecord
from tests.support import SHAPE

A, B, C = Drop(3, 1, 4.5, 6.25, 0.5), Drop(3, 0, 1.0, 2.0, 1.0), Drop(12, 1, 8.0, 9.0, 2.0)


def record(drop: Drop, *, executed: bool = True) -> DropRecord:
    return DropRecord(
        drop.step, "x", drop.column, "X", "water", 1.0, executed, drop.y, drop.x, drop.theta, 0.0, 0.0, 1.0, 1.0
    )


def test_only_what_is_flown_is_taken_over_exactly_and_in_order() -> None:
    found = DropList.of([record(C), record(A), record(B), record(Drop(5, 0, 0.0, 0.0, 0.0), executed=False)])
    assert found.drops == (B, A, C)


def test_the_schedule_proposes_these_drops_at_their_poses_and_nothing_else() -> None:
    schedule = DropList((B, A, C)).schedule(20, 3)
    assert sorted(map(tuple, np.argwhere(schedule.proposed).tolist())) == [(3, 0), (3, 1), (12, 1)]
    assert tuple(schedule.poses[3, 1]) == (4.5, 6.25, 0.5)


def test_an_exchange_keeps_the_order_and_every_other_drop() -> None:
    later = Drop(15, 1, 4.5, 6.25, 0.5)
    assert DropList((B, A, C)).exchanged(A, later).drops == (B, C, later)
    assert DropList((B, A)).minus(B).drops == (A,)
    assert DropList((A,)).at((3, 1)) == A and DropList((A,)).at((3, 0)) is None


def test_a_change_begins_at_the_earliest_step_that_differs() -> None:
    plan = DropList((B, A, C))
    assert plan.first_change(plan) is None
    assert plan.first_change(plan.minus(C)) == 12
    # Moved from step 12 to step 2: the fire can differ from step 2 on.
    assert plan.first_change(plan.exchanged(C, Drop(2, 1, 8.0, 9.0, 2.0))) == 2


def test_a_drop_is_not_moved_off_the_raster() -> None:
    assert A.moved(-100.0, 100.0, SHAPE) == Drop(3, 1, 0.0, SHAPE[1] - 1.0, 0.5)


def test_an_axis_direction_stays_below_180() -> None:
    assert half_turn(180.0) == 0.0
    assert half_turn(-1e-17) == 0.0
    assert half_turn(-30.0) == 150.0
    assert half_turn(359.0) == 179.0

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from firegui.domain.removal_curve import MOST_POINTS, RemovalCurve, given_up_text
from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule

STEPS, AIRCRAFT = 40, 4


def metrics(extent: float, drops: int = 0, protected: float = 0.0) -> Metrics:
    return Metrics(extent, extent, 0.0, protected, 0.0, 0.0, 0.0, drops, drops, 0.0)


def plan(drops: int, shift: float = 0.0) -> Schedule:
    """The last ``drops`` of 150 drops, each at a place of its own."""
    schedule = Schedule.empty(STEPS, AIRCRAFT)
    flat = np.arange(150)[150 - drops :]
    schedule.logits.ravel()[flat] = 0.5 + 0.01 * flat
    schedule.poses[...] = np.arange(schedule.poses.size).reshape(schedule.poses.shape) / 7.0 + shift
    return schedule


def curve_of(*drops: int, extent: float = 10.0) -> RemovalCurve:
    curve = RemovalCurve.of(plan(150))
    for count in drops:
        curve = curve.with_plan(plan(count), metrics(extent), math.nan, is_taken=True)
    return curve


def test_every_point_gives_its_own_plan_back() -> None:
    curve = curve_of(150, 90).with_plan(plan(60, shift=1.0), metrics(30.0), 0.7, is_taken=True)
    assert [point.drops for point in curve.points] == [150, 90, 60]
    for index, (drops, shift) in enumerate(((150, 0.0), (90, 0.0), (60, 1.0))):
        expected, found = plan(drops, shift), curve.schedule(index)
        assert np.array_equal(found.logits, expected.logits)
        assert np.array_equal(found.poses[found.proposed], expected.poses[expected.proposed])
    # Plans that differ in their drops alone share their poses.
    assert len(curve.poses) == 2


def test_a_bounded_number_of_points_stays_with_the_bend_both_ends_and_the_plan_taken() -> None:
    curve = RemovalCurve.of(plan(150))
    for drops in range(150, 9, -1):
        extent = 10.0 if drops > 77 else 680.0
        curve = curve.with_plan(plan(drops), metrics(extent), math.nan, is_taken=drops >= 20)
    found = [point.drops for point in curve.points]
    assert len(found) == MOST_POINTS
    assert {150, 78, 77, 20, 10} <= set(found)
    assert len(curve.fewer(12)) == 12
    assert {150, 78, 77, 20, 10} <= {curve.points[index].drops for index in curve.fewer(12)}


def test_points_lie_evenly_where_the_fire_hardly_changes() -> None:
    curve = RemovalCurve.of(plan(150))
    for drops in range(150, 0, -1):
        curve = curve.with_plan(plan(drops), metrics(8.0 + 1e-6 / drops), math.nan, is_taken=True)
    shown = [curve.points[index].drops for index in curve.fewer(12)]
    gaps = [more - fewer for more, fewer in pairwise(shown)]
    assert len(shown) == 12 and max(gaps) <= 4 * min(gaps)


def test_of_plans_with_as_many_drops_the_one_that_holds_better_stays() -> None:
    curve = curve_of(150)
    for excess in (1.4, 1.2, math.nan, 1.3):
        curve = curve.with_plan(
            plan(100, shift=excess if excess == excess else 9.0), metrics(1.0), excess, is_taken=False
        )
    assert [point.excess for point in curve.points[1:]] == [1.2]
    taken = curve.with_plan(plan(100), metrics(2.0), 1.5, is_taken=True)
    assert taken.points[1].excess == 1.5
    assert taken.with_plan(plan(100), metrics(3.0), 0.1, is_taken=False).points[1].excess == 1.5
    # The poses of plans that are gone are not stored.
    assert len(taken.poses) == 1


def test_it_reads_back_what_it_wrote() -> None:
    curve = curve_of(150, 90).with_plan(plan(60, shift=1.0), metrics(30.0), 0.7, is_taken=True)
    curve = curve.with_point(1, curve.points[1].with_nominal(metrics(8.0, protected=2.0)))
    read = RemovalCurve.of_arrays(curve.arrays())
    assert read is not None
    assert repr(read.points) == repr(curve.points)
    assert (read.size, read.taken, read.pose_of) == (curve.size, curve.taken, curve.pose_of)
    for index in range(3):
        assert np.array_equal(read.schedule(index).logits, curve.schedule(index).logits)
        assert np.array_equal(read.schedule(index).poses, curve.schedule(index).poses)
    assert RemovalCurve.of_arrays({"kept": np.zeros(3)}) is None


@pytest.mark.parametrize("name", ["kept", "poses", "points", "elements", "logits", "pose_of"])
def test_a_damaged_one_is_refused(name: str) -> None:
    arrays = curve_of(150, 90).arrays()
    with pytest.raises(ValueError, match="fit together"):
        RemovalCurve.of_arrays(arrays | {f"curve.{name}": arrays[f"curve.{name}"][:0]})
    del arrays[f"curve.{name}"]
    with pytest.raises(ValueError, match=name):
        RemovalCurve.of_arrays(arrays)


def test_numbers_are_at_nominal_effectiveness_once_every_point_was_scored() -> None:
    curve = curve_of(150, 90, extent=10.0)
    half = curve.with_point(0, curve.points[0].with_nominal(metrics(7.0)))
    assert half.extents() == (10.0, 10.0) and not half.is_scored
    whole = half.with_point(1, half.points[1].with_nominal(metrics(8.0)))
    assert whole.extents() == (7.0, 8.0) and whole.is_scored


def test_a_removal_that_gave_up_containment_is_said() -> None:
    bare, before, after = metrics(1204.0), metrics(10.4, 345), metrics(680.3, 149)
    text = "Removing drops gave up containment: 10.4 ha with 345 drops became 680 ha with 149"
    assert given_up_text(before, after, bare) == text
    assert given_up_text(before, metrics(12.0, 149), bare) == ""
    assert given_up_text(before, replace(after, drops_executed=345), bare) == ""
    assert given_up_text(None, after, bare) == given_up_text(before, None, bare) == ""

"""A schedule and the optimizer's variables behind it."""

from __future__ import annotations

import numpy as np
import pytest

from firegui.domain.schedule import Schedule, pose_scale


def test_an_empty_schedule_proposes_nothing() -> None:
    schedule = Schedule.empty(50, 3)

    assert (schedule.n_steps, schedule.n_aircraft) == (50, 3)
    assert not schedule.proposed.any()


def test_a_pair_is_proposed_when_its_logit_is_positive() -> None:
    schedule = Schedule(np.array([[-1.0, 0.0, 1e-12]]), np.zeros((1, 3, 3)))

    assert schedule.proposed.tolist() == [[False, False, True]]


def test_poses_that_do_not_fit_the_logits_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        Schedule(np.zeros((4, 2)), np.zeros((4, 3, 3)))


def test_pose_logits_reach_every_edge_of_the_raster_and_no_further() -> None:
    quarter = np.pi / 2
    variables = np.array([[[-quarter, quarter, 0.0], [quarter, -quarter, quarter], [0.0, 0.0, -quarter]]])

    poses = Schedule.from_pose_logits(np.zeros((1, 3)), variables, (20, 30)).poses[0]

    assert poses == pytest.approx(np.array([[0.0, 29.0, np.pi / 2], [19.0, 0.0, np.pi], [9.5, 14.5, 0.0]]))
    assert pose_scale((20, 30)).tolist() == [19.0, 29.0, np.pi]


def test_pose_logits_are_kept() -> None:
    variables = np.full((2, 1, 3), 7.5)
    schedule = Schedule.from_pose_logits(np.zeros((2, 1)), variables, (20, 30))

    assert schedule.pose_logits is not None
    assert np.array_equal(schedule.pose_logits, variables)

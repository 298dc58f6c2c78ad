"""A plane front that is computed along its normal only."""

from __future__ import annotations

import numpy as np
import pytest

from firegui.domain.front import FrontSettings
from firegui.domain.stencil import stencil_of
from firegui.rollout.front_speed import directions_of, ellipse_speed, fit_gains, front_speed
from firegui.rollout.line_front import BEHIND, line_front_speeds


def gains_of(ratio: float, towards: float = 0.0, neighbours: int = 16) -> np.ndarray:
    where = directions_of()
    return fit_gains(ellipse_speed(FrontSettings(0.6, ratio, towards), where), neighbours, 30.0, where)


def speeds(gains: np.ndarray, where: np.ndarray, first: int, last: int, dtype: type = np.float64) -> np.ndarray:
    ahead = np.ceil(np.maximum(front_speed(gains, 30.0, where), 0.0) * last).astype(np.int64) + 5
    steps = np.full(len(where), first), np.full(len(where), last)
    return line_front_speeds(gains, 30.0, where, steps, ahead, dtype)


@pytest.mark.parametrize("neighbours", [8, 16])
def test_a_front_along_a_row_is_that_of_a_raster(neighbours: int) -> None:
    gains, steps, cells = gains_of(1.5, neighbours=neighbours), 90, 60
    burned = np.zeros((7, BEHIND + cells))
    burned[:, :BEHIND] = 1.0
    burning, places = burned.copy(), []
    for _ in range(steps):
        # Rows are alike, and the edges take what is next to them.
        padded = np.pad(burning, 2, mode="edge")
        exposure = np.zeros_like(burned)
        for n, gain in enumerate(gains):
            south, east = stencil_of(neighbours).displacement(n)
            exposure += gain * padded[2 - south : 2 - south + 7, 2 - east : 2 - east + burned.shape[1]]
        ignited = (1.0 - burned) * (1.0 - np.exp(-exposure))
        burned, burning = burned + ignited, (1.0 - 1.0 / 30.0) * burning + ignited
        places.append(int((burned[3] >= 0.5).sum()))
    times = [next(step for step, place in enumerate(places, 1) if place >= BEHIND + cell) for cell in (11, 41)]
    found = speeds(gains, np.zeros(1), times[0], times[1])[0]
    assert found == pytest.approx(30.0 / (times[1] - times[0]), rel=0.04)


@pytest.mark.parametrize(("ratio", "towards"), [pytest.param(1.0, 0.0, marks=pytest.mark.slow), (2.0, 22.5)])
def test_a_front_that_goes_far_comes_near_to_the_formula(ratio: float, towards: float) -> None:
    gains, where = gains_of(ratio, towards), directions_of(8)
    formula = front_speed(gains, 30.0, where)
    near, far = (speeds(gains, where, steps // 2, steps) / formula - 1.0 for steps in (100, 1600))
    assert far.max() < 0.0 and np.abs(far).max() < 0.03
    assert np.abs(far).mean() < 0.5 * np.abs(near).mean()


def test_the_cut_off_of_float32_slows_a_front_against_the_wind_most() -> None:
    gains, where = gains_of(3.0), np.array([0.0, np.pi])
    half, whole = (speeds(gains, where, 400, 800, dtype) for dtype in (np.float32, np.float64))
    ahead, against = 1.0 - half / whole
    assert 0.0 <= ahead < 0.02 and 0.1 < against < 0.4


def test_a_front_that_does_not_move_a_cell_has_no_speed() -> None:
    assert speeds(np.full(16, 0.001), np.zeros(1), 50, 100)[0] == 0.0
    assert speeds(gains_of(4.0), np.array([np.pi]), 2, 4)[0] == 0.0

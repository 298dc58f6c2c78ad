"""Sizes of which no rollout can be made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from firegui.domain.maps import FireMaps, speed_problems
from firegui.errors import InputError
from tests.unit.io.builders import maps


@pytest.mark.parametrize(
    ("neighbours", "steps", "periods", "parts"),
    [
        (9, 50, 1, ["maps: have 9 neighbours"]),
        (8, 50, 2, ["periods_per_day: is 2, and there are 3 maps in a row: no whole number of days"]),
        (8, 50, 3, ["periods_per_day: is 3, and a day of 50 steps cannot be divided into that many equal periods"]),
        (16, 1, 3, ["periods_per_day: is 3, and a day of 1 steps has fewer steps than periods"]),
        (8, 49, 2, ["no whole number of days", "a day of 49 steps cannot be divided"]),
    ],
)
def test_maps_of_which_no_rollout_can_be_made_are_refused(
    neighbours: int, steps: int, periods: int, parts: list[str]
) -> None:
    held = maps()
    with pytest.raises(InputError) as refused:
        replace(
            held, phi=np.zeros((3, neighbours, *held.shape), np.float32), steps_per_day=steps, periods_per_day=periods
        )
    assert len(refused.value.problems) == len(parts)
    for problem, part in zip(refused.value.problems, parts, strict=True):
        assert part in str(problem) and problem.remedy


def of_gain(neighbours: int, phi: float, at: int, gamma: float = 1.0) -> FireMaps:
    """Maps whose spread is 0 but for that of one neighbour of one cell, at (2, 2) on the last day."""
    held = maps()
    spread = np.zeros((3, neighbours, *held.shape), np.float32)
    spread[2, at, 2, 2] = phi
    return replace(held, phi=spread, gamma=np.full_like(held.gamma, gamma), burnable=np.ones(held.shape, bool))


@pytest.mark.parametrize(("neighbours", "at"), [(16, 7), (8, 0), (8, 7)])
def test_a_gain_of_one_or_more_of_the_papers_eight_is_legal(neighbours: int, at: int) -> None:
    fast = of_gain(neighbours, 40.0, at)
    assert speed_problems(np.asarray(fast.phi), fast.gamma, fast.burnable) == []


@pytest.mark.parametrize("at", range(8, 16))
def test_a_gain_of_one_or_more_of_a_knights_move_is_too_fast(at: int) -> None:
    for phi, gamma, is_fast in ((0.999, 1.0, False), (1.0, 1.0, True), (4.0, 0.2, False), (4.0, 0.5, True)):
        found = of_gain(16, phi, at, gamma)
        problems = speed_problems(np.asarray(found.phi), found.gamma, found.burnable)
        assert len(problems) == is_fast
        nowhere = found.burnable.copy()
        nowhere[2, 2] = False
        assert speed_problems(np.asarray(found.phi), found.gamma, nowhere) == []
        if is_fast:
            assert f"1 values of the knight's moves, times gamma, are 1 or more (up to {phi * gamma:.3g})" in str(
                problems
            )
            assert "more steps a day (S_day)" in problems[0].remedy

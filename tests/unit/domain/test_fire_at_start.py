from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from firegui.domain.observation import fire_at_start
from firegui.domain.scenario import Scenario
from firegui.domain.settings import BurningAtStart
from tests.unit.fire.events import event


def observed() -> Scenario:
    """Perimeters of the first and the third day: a square of 3 and one of 9 cells."""
    seen = np.zeros((2, 15, 15), bool)
    seen[0, 6:9, 6:9] = True
    seen[1, 3:12, 3:12] = True
    bare = event((15, 15), days=5)
    first = bare.date_of_day(0)
    return replace(bare, observed=seen, observed_dates=(first, date(first.year, first.month, first.day + 2)))


def test_the_whole_perimeter_burns_unless_something_else_is_asked_for() -> None:
    state = fire_at_start(observed(), 2, BurningAtStart.WHOLE)
    assert state is not None and state.burning.sum() == 81 and not state.burned.any()


@pytest.mark.parametrize("day", [2, 4])
def test_of_the_growth_burns_what_the_perimeter_before_does_not_have(day: int) -> None:
    scenario = observed()
    state = fire_at_start(scenario, day, BurningAtStart.GROWTH)
    assert state is not None and scenario.observed is not None
    np.testing.assert_array_equal(state.burned, scenario.observed[0])
    np.testing.assert_array_equal(state.fire, scenario.observed[1])


@pytest.mark.parametrize("day", [0, 1])
def test_without_an_earlier_perimeter_the_whole_one_burns(day: int) -> None:
    state = fire_at_start(observed(), day, BurningAtStart.GROWTH)
    assert state is not None and state.burning.sum() == 9 and not state.burned.any()


def test_where_nothing_grew_the_whole_perimeter_burns() -> None:
    scenario = observed()
    assert scenario.observed is not None
    same = replace(scenario, observed=np.stack([scenario.observed[1]] * 2))
    state = fire_at_start(same, 2, BurningAtStart.GROWTH)
    assert state is not None and state.burning.sum() == 81


def test_the_edge_is_two_cells_wide() -> None:
    state = fire_at_start(observed(), 2, BurningAtStart.EDGE)
    assert state is not None and state.burned.sum() == 25 and state.burned[5:10, 5:10].all()
    small = fire_at_start(observed(), 0, BurningAtStart.EDGE)
    assert small is not None and small.burning.sum() == 9


def test_the_rim_of_the_raster_is_no_edge() -> None:
    scenario = observed()
    seen = np.zeros((2, 15, 15), bool)
    seen[:, :, :8] = True
    state = fire_at_start(replace(scenario, observed=seen), 2, BurningAtStart.EDGE)
    assert state is not None and state.burning.sum() == 30 and state.burning[:, 6:8].all()


def test_without_a_fire_there_is_no_state() -> None:
    assert fire_at_start(replace(event((5, 5)), ignition=None), 0, BurningAtStart.EDGE) is None

from __future__ import annotations

import itertools

import pytest

from firegui.runs.events import StateChanged
from firegui.runs.stages import RunState
from firegui.runs.state import LEGAL, IllegalMoveError, RunMachine

Q, P, R, H, S, F = RunState
ALLOWED = {(Q, P), (P, R), (R, H), (H, R), (P, S), (R, S), (H, S), (S, F), (Q, F), (P, F), (R, F), (H, F)}


@pytest.mark.parametrize(("before", "after"), list(itertools.product(RunState, RunState)))
def test_a_run_moves_only_as_the_table_allows(before: RunState, after: RunState) -> None:
    said: list[StateChanged] = []
    machine = RunMachine(said.append, before)
    if (before, after) in ALLOWED:
        machine.move(after)
        assert machine.state is after
        assert said == [StateChanged(after)]
        return
    with pytest.raises(IllegalMoveError, match=f"from {before} to {after}"):
        machine.move(after)
    assert machine.state is before
    assert not said


def test_every_state_is_in_the_table_and_only_the_last_has_no_way_out() -> None:
    assert set(LEGAL) == set(RunState)
    assert [state for state, onward in LEGAL.items() if not onward] == [RunState.FINISHED]

"""States of a run and the transitions between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from firegui.runs.events import StateChanged
from firegui.runs.stages import RunState

LEGAL: Mapping[RunState, frozenset[RunState]] = MappingProxyType(
    {
        RunState.QUEUED: frozenset({RunState.PREPARING, RunState.FINISHED}),
        RunState.PREPARING: frozenset({RunState.RUNNING, RunState.STOPPING, RunState.FINISHED}),
        RunState.RUNNING: frozenset({RunState.PAUSED, RunState.STOPPING, RunState.FINISHED}),
        RunState.PAUSED: frozenset({RunState.RUNNING, RunState.STOPPING, RunState.FINISHED}),
        RunState.STOPPING: frozenset({RunState.FINISHED}),
        RunState.FINISHED: frozenset(),
    }
)
"""From each state the states that may follow. Failure may come at any time, so all but the last lead to FINISHED."""


class IllegalMoveError(RuntimeError):
    """Transition that :data:`LEGAL` does not allow: an error in the program, never in the input."""


class RunMachine:
    """State machine of one run. It announces every change."""

    def __init__(self, announce: Callable[[StateChanged], None], state: RunState = RunState.QUEUED) -> None:
        self._announce = announce
        self._state = state

    @property
    def state(self) -> RunState:
        """Current state."""
        return self._state

    def move(self, state: RunState) -> None:
        """Change to ``state`` and announce it. Raises :class:`IllegalMoveError`."""
        if state not in LEGAL[self._state]:
            raise IllegalMoveError(f"a run cannot go from {self._state} to {state}")
        self._state = state
        self._announce(StateChanged(state))

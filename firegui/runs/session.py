"""What the stages of a plan share while they work: the folder, the clock, pausing, and saving that may fail."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from firegui.errors import InputError
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Message, RunEvent, RunState
from firegui.runs.folder import RunFolder
from firegui.runs.spec import PlanSpec
from firegui.runs.state import RunMachine

if TYPE_CHECKING:
    from firegui.rollout.model import Model


Keep = Callable[[], None]


class RunSession:
    """One process's work on one run folder; ``before`` are the seconds that earlier ones spent on it."""

    def __init__(
        self, spec: PlanSpec, emit: Callable[[RunEvent], None], control: RunControl, engine: Engine,
        machine: RunMachine, folder: RunFolder, model: Model, before: float,
    ) -> None:  # fmt: skip
        self.spec, self.emit, self.control, self.engine = spec, emit, control, engine
        self.machine, self.folder, self.model = machine, folder, model
        self._began = time.monotonic() - before
        self._saved_at = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long the run has worked in all, without its pauses."""
        return time.monotonic() - self._began

    def breathe(self, keep: Keep) -> None:
        """Between two pieces of work: hold while paused, and raise once a stop was asked for."""
        if self.control.pause_requested:
            self.save(keep)
            self.move(RunState.PAUSED)
            held = time.monotonic()
            self.control.wait_while_paused()
            self._began += time.monotonic() - held
            self.control.check()
            self.move(RunState.RUNNING)
        self.control.check()

    def save_if_due(self, keep: Keep) -> None:
        """Save when the last time is long enough ago."""
        if time.monotonic() - self._saved_at >= self.spec.checkpoint_seconds:
            self.save(keep)

    def save(self, keep: Keep) -> None:
        """Save what resuming needs. A disk that is full for a moment does not end a run that has hours behind it."""
        self._saved_at = time.monotonic()
        try:
            keep()
        except InputError as error:
            self.warn(f"no checkpoint could be written ({error.problems[0]}); the run goes on")

    def move(self, state: RunState) -> None:
        """Go to ``state`` and say so in the run folder, where other programs look; if it cannot be told, no matter."""
        self.machine.move(state)
        with suppress(InputError):
            self.folder.update(state=state)

    def warn(self, text: str) -> None:
        """A line that people should read."""
        self.emit(Message(text, "warning"))

"""State that the stages of a plan share: folder, elapsed time, pausing, and saving that may fail.

:class:`SessionRun` is the base class of the runs that have such stages.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from firegui.errors import InputError
from firegui.runs.base_run import BaseRun
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.engine_messages import EngineMessages
from firegui.runs.events import Emit, Message, RunEvent
from firegui.runs.header import RunHeader
from firegui.runs.run_folder import RunFolder
from firegui.runs.run_repair import remove_damaged
from firegui.runs.spec import PlanSpec, ReplanSpec
from firegui.runs.stages import FinishReason, RunState
from firegui.runs.state import RunMachine

if TYPE_CHECKING:
    from firegui.rollout.model import Model


SaveFunction = Callable[[], None]
SessionSpec = TypeVar("SessionSpec", bound=PlanSpec | ReplanSpec)
Folder = TypeVar("Folder", bound=RunFolder)


class RunSession:
    """Work of one process on one run folder; ``before`` are the seconds of earlier sessions."""

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
        """Seconds of all sessions without pauses."""
        return time.monotonic() - self._began

    def pause_or_stop(self, keep: SaveFunction) -> None:
        """Wait while paused, and raise :class:`~firegui.errors.CancelledError` once a stop was requested."""
        if self.control.pause_requested:
            self.save(keep)
            self.move(RunState.PAUSED)
            held = time.monotonic()
            self.control.wait_while_paused()
            self._began += time.monotonic() - held
            self.control.check()
            self.move(RunState.RUNNING)
        self.control.check()

    def save_if_due(self, keep: SaveFunction) -> None:
        """Save if ``checkpoint_seconds`` have passed since the last time."""
        if time.monotonic() - self._saved_at >= self.spec.checkpoint_seconds:
            self.save(keep)

    def save(self, keep: SaveFunction) -> None:
        """Save a checkpoint. A full disk is only a warning, because the run may have worked for hours."""
        self._saved_at = time.monotonic()
        try:
            keep()
        except InputError as error:
            self.warn(f"no checkpoint could be written ({error.problems[0]}); the run goes on")

    def move(self, state: RunState) -> None:
        """Change to ``state`` and write it to the run folder for other programs. A failed write is ignored."""
        self.machine.move(state)
        with suppress(InputError):
            self.folder.update(state=state)

    def warn(self, text: str) -> None:
        """Emit a warning."""
        self.emit(Message(text, "warning"))


class SessionRun(BaseRun[SessionSpec], Generic[SessionSpec, Folder]):
    """Base class of runs that write the folder of a plan. Subclasses define ``title`` and ``run``."""

    title: ClassVar[str]

    def __init__(
        self, spec: SessionSpec, emit: Emit, control: RunControl, engine: Engine, machine: RunMachine, folder: Folder
    ) -> None:
        super().__init__(spec, emit, control, engine, machine)
        self._speaker = EngineMessages(emit, engine, spec.backend)
        self._session: RunSession | None = None
        self._folder = folder

    @property
    def written_folder(self) -> Path | None:
        """Run folder, once something was written to it."""
        return None if self._session is None else self._folder.path

    def note_failure(self, message: str) -> None:
        """Write to the run folder, if there is one, that the run failed. The last checkpoint stays."""
        if self._session is not None:
            reason, seconds = FinishReason.FAILED, self._session.seconds
            self._folder.update(state=RunState.FINISHED, reason=reason, message=message, seconds=seconds)

    def close(self) -> None:
        """Unlock the run folder. Nothing is written to it afterwards."""
        self._folder.close()

    def _begin_session(self, plan: PlanSpec, model: Model, then: RunHeader | None, header: RunHeader) -> RunSession:
        """Lock the folder, whose header was ``then``, write ``header``, and return the session of ``plan``.

        Damaged files that the run makes again are removed first.
        """
        self._folder.claim(then, header, self.title)
        damaged = [] if then is None else remove_damaged(self._folder.path, then)
        self._folder.write_header()
        if damaged:
            text = "files did not hold what the run wrote and are made again"
            self._emit(Message(f"{text}: {', '.join(damaged)}", "warning"))
        self._session = RunSession(
            plan, self._emit, self._control, self._engine, self._machine, self._folder, model,
            self._folder.header.seconds,
        )  # fmt: skip
        return self._session

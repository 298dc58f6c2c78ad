"""Base classes of runs: of those that keep nothing, and of those that save a result in a folder."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from firegui.domain.results import Metrics
from firegui.errors import InputError
from firegui.runs.control import RunControl
from firegui.runs.drops_not_flown import drops_not_flown
from firegui.runs.engine import Engine
from firegui.runs.engine_messages import EngineMessages
from firegui.runs.events import Emit, Message, Progress, RunEvent, RunFinished
from firegui.runs.header import SavedHeader, SavedResultSpec
from firegui.runs.result_store import ResultStore, SavedResultFolder
from firegui.runs.stages import FinishReason, RunState
from firegui.runs.state import RunMachine

if TYPE_CHECKING:
    from firegui.rollout.model import Model


class SavedRunSpec(SavedResultSpec, Protocol):
    """Spec of a run whose result is saved."""

    @property
    def resume(self) -> bool:
        """Whether to resume the result in the folder."""

    @property
    def backend(self) -> str:
        """Requested backend: ``auto``, ``cpu`` or ``cuda``."""


Spec = TypeVar("Spec")
SavedSpec = TypeVar("SavedSpec", bound=SavedRunSpec)
Header = TypeVar("Header", bound=SavedHeader)


class BaseRun(Generic[Spec]):
    """Base class of runs, a :class:`~firegui.runs.runner.Job` without a result. Subclasses define ``run``."""

    baseline_metrics: Metrics | None = None

    def __init__(self, spec: Spec, emit: Emit, control: RunControl, engine: Engine, machine: RunMachine) -> None:
        self._spec, self._emit, self._control, self._engine, self._machine = spec, emit, control, engine, machine

    @property
    def written_folder(self) -> Path | None:
        """Folder that the run wrote to, if any."""
        return None

    def note_failure(self, message: str) -> None:
        """Write to the folder of the run, if there is one, that the run failed."""

    def close(self) -> None:
        """Release the folder and other resources."""

    def _say(self, done: int, total: int, text: str, share: float | None = None) -> None:
        """Emit the progress. Raises :class:`~firegui.errors.CancelledError` once a stop was requested."""
        self._control.check()
        self._emit(Progress(done, total, text, share))


class SavedRun(BaseRun[SavedSpec], Generic[SavedSpec, Header]):
    """Base class of runs whose result is saved in a folder of its own.

    Subclasses define ``store`` and ``run``. Runs with unfinished work to save also define ``_save``, and name that
    work in ``unfinished``.
    """

    store: ClassVar[ResultStore[Any]]
    unfinished: ClassVar[str] = "the result"

    def __init__(self, spec: SavedSpec, emit: Emit, control: RunControl, engine: Engine, machine: RunMachine) -> None:
        super().__init__(spec, emit, control, engine, machine)
        self._speaker = EngineMessages(emit, engine, spec.backend)
        self._folder: SavedResultFolder[Header] = SavedResultFolder(self.store, spec.out, spec.resume)

    @property
    def written_folder(self) -> Path | None:
        """Folder of the result, once something was written to it."""
        return self._folder.written

    def note_failure(self, message: str) -> None:
        """Save unfinished work and write to the folder, if there is one, that the run failed."""
        if self.written_folder is None:
            return
        with suppress(InputError):
            self._save()
        self._update(state=RunState.FINISHED, reason=FinishReason.FAILED, message=message)

    def close(self) -> None:
        """Unlock the folder. Nothing is written to it afterwards."""
        self._folder.close()

    # -- hooks -------------------------------------------------------------------------------------------------------
    def _save(self) -> None:
        """Save unfinished work, to resume from."""

    def _header_fields(self) -> dict[str, Any]:
        """Return header fields of this kind that change during the run."""
        return {}

    # -- for subclasses ----------------------------------------------------------------------------------------------
    def _nominal_model(self, backend: str = "") -> Model:
        """Build the model at nominal effectiveness, on ``backend`` or as requested, and emit its device."""
        project = self._spec.project
        tell, check = self._speaker.pass_on, self._control.check
        chosen = backend or self._spec.backend
        model = self._engine.build(project, project.plan.nominal, chosen, tell=tell, check=check)
        self._speaker.say_device(model)
        self._tell_not_flown()
        return model

    def _tell_not_flown(self) -> None:
        """Emit which drops of the given schedule the constraints of the project refuse."""
        file: Path | None = getattr(self._spec, "schedule_file", None)
        if file is None:
            return
        with suppress(InputError):
            if text := drops_not_flown(file, self._spec.project).text:
                self._emit(Message(text, "warning"))

    def _update(self, *, state: RunState, reason: FinishReason | None = None, message: str = "") -> None:
        """Write the state of the run to the header."""
        self._folder.update(state=state, reason=reason, message=message, **self._header_fields())

    def _save_or_warn(self) -> None:
        """Save unfinished work. A disk that is full for a moment does not end a run."""
        try:
            self._save()
        except InputError as error:
            text = f"{self.unfinished} could not be saved ({error.problems[0]}); the run goes on"
            self._emit(Message(text, "warning"))

    def _hold(self) -> float:
        """Save unfinished work and wait for the end of a pause. Return its seconds, which do not count.

        Raises :class:`~firegui.errors.CancelledError` where a stop ended the pause.
        """
        self._save_or_warn()
        self._machine.move(RunState.PAUSED)
        began = time.monotonic()
        self._control.wait_while_paused()
        seconds = time.monotonic() - began
        self._folder.rest(seconds)
        self._control.check()
        self._machine.move(RunState.RUNNING)
        return seconds

    def _nothing_left(self, then: Header, ready: RunEvent) -> RunFinished:
        """Emit ``ready``, the event of a result that was complete before, and return how the run ended."""
        self._emit(ready)
        text = f"nothing left to do: {then.message}"
        return RunFinished(FinishReason.COMPLETED, text, None, None, self._spec.out)

    def _finish(self, reason: FinishReason, message: str, plan: Metrics | None = None) -> RunFinished:
        """Write to the header that the run ended, and return it. ``plan`` are the metrics of its schedule."""
        self._update(state=RunState.FINISHED, reason=reason, message=message)
        return RunFinished(reason, message, plan, self.baseline_metrics, self._spec.out)

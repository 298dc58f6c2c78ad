"""One field of an error model, to be looked at (paper, section ``uq``, source 2)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from firegui.domain.results import Metrics
from firegui.errors import Problems
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import FieldDrawn, FinishReason, RunEvent, RunFinished, RunState
from firegui.runs.spec import ErrorFieldSpec
from firegui.runs.state import RunMachine


class FieldDraw:
    """Run of an :class:`~firegui.runs.spec.ErrorFieldSpec`; writes nothing."""

    written_folder: Path | None = None
    baseline_metrics: Metrics | None = None

    def __init__(
        self,
        spec: ErrorFieldSpec,
        emit: Callable[[RunEvent], None],
        control: RunControl,
        engine: Engine,
        machine: RunMachine,
    ) -> None:
        self._spec, self._emit, self._control, self._engine, self._machine = spec, emit, control, engine, machine

    def run(self) -> RunFinished:
        """Draw the field."""
        spec, problems = self._spec, Problems()
        for name in ("seed", "member", "day"):
            if getattr(spec, name) < 0:
                problems.add(name, f"is {getattr(spec, name)}", "count from 0")
        if min(spec.shape) < 1:
            problems.add("raster", f"has {spec.shape[0]} × {spec.shape[1]} cells", "give at least one")
        problems.raise_if_any("The field cannot be drawn")
        self._machine.move(RunState.RUNNING)
        field = self._engine.error_field(spec.error, spec.shape, spec.seed, spec.member, spec.day)
        self._control.check()
        self._emit(FieldDrawn(spec, field))
        return RunFinished(FinishReason.COMPLETED, "the field is drawn", None, None, None)

    def note_failure(self, message: str) -> None:
        """Nothing is kept of a field."""

    def close(self) -> None:
        """Nothing is held by a field."""

"""One field of an error model, to be looked at (paper, section ``uq``, source 2)."""

from __future__ import annotations

from firegui.errors import Problems
from firegui.runs.base_run import BaseRun
from firegui.runs.events import FieldDrawn, FinishReason, RunFinished, RunState
from firegui.runs.spec import ErrorFieldSpec


class FieldDraw(BaseRun[ErrorFieldSpec]):
    """Run of an :class:`~firegui.runs.spec.ErrorFieldSpec`; writes nothing."""

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

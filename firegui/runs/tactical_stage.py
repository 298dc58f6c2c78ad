"""Tactical heuristic of a run: passes and the best plan."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.errors import Problem
from firegui.runs.events import Progress
from firegui.runs.run_folder import TACTICAL_CHECKPOINT, TacticalProgress
from firegui.runs.session import RunSession
from firegui.runs.stages import FinishReason

if TYPE_CHECKING:
    from firegui.planning.tactical_plan import TacticalPlan


_FIRST = "forecasting the fire without drops and placing drops on it"
_AGAIN = "forecasting the fire under these drops and placing them anew"


def budget_problems(budget: int | None, project: Project | None) -> Iterator[Problem]:
    """Yield the problems of a drop budget. ``project`` is ``None`` where it has problems itself."""
    if budget is None:
        return
    pins = () if project is None else project.operations.planned_pins(project.planned_fleet, project.calendar)
    if budget < 1:
        yield Problem("budget", f"is {budget}", "give at least 1 drop, or leave it out for no limit")
    elif budget < len(pins):
        yield Problem("budget", f"is {budget} and {len(pins)} drops are pinned", "raise it or remove pins")


class TacticalStage:
    """Tactical heuristic, continued from the checkpoint in the folder if there is one."""

    def __init__(self, session: RunSession, budget: int | None) -> None:
        self._session = session
        checkpoint = session.folder.path / TACTICAL_CHECKPOINT
        self._search: TacticalPlan = session.engine.tactical(
            session.model, session.spec.project.plan.optimizer, budget, checkpoint if checkpoint.is_file() else None
        )

    @property
    def best(self) -> Schedule | None:
        """Best plan so far; ``None`` before the end of the first pass."""
        return self._search.best if self._search.passes_done else None

    @property
    def swept(self) -> TacticalProgress:
        """Progress of the heuristic."""
        search = self._search
        return TacticalProgress(search.passes_done, search.passes, search.rollouts)

    def run(self) -> FinishReason:
        """Run to the end. Raises :class:`~firegui.errors.CancelledError` on request."""
        session, search = self._session, self._search
        while search.passes_done < search.passes:
            session.pause_or_stop(self.save)
            session.emit(Progress(search.passes_done, search.passes, _AGAIN if search.passes_done else _FIRST))
            search.advance(session.control.check)
            session.save(self.save)
        return FinishReason.COMPLETED

    def save(self) -> None:
        """Write the checkpoint, the best plan so far, and an empty history."""
        folder, plan = self._session.folder, self.best
        folder.write_history(())
        self._search.state().save(folder.path / TACTICAL_CHECKPOINT)
        if plan is not None:
            folder.write_plan(plan)
        folder.update(state=self._session.machine.state, seconds=self._session.seconds)

"""Both stages on the rest of a plan, whose schedule begins later than that of its folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from firegui.domain.schedule import Schedule
from firegui.domain.settings import PlanSettings
from firegui.io.project.schedule_file import read_schedule
from firegui.runs.events import StageBegan
from firegui.runs.first_stage import MAIN, FirstStage
from firegui.runs.run_folder import CHECKPOINT, PLAN, REFERENCE, EliminationSummary, RunFolder, RunRecord
from firegui.runs.second_stage import SecondStage
from firegui.runs.session import RunSession
from firegui.runs.stages import REMOVAL_TEXT, FinishReason, Stage

if TYPE_CHECKING:
    from firegui.planning.replan import RemainingProblem


_FIRST = "gradient descent on the days that are left"


class ReplanFolder(RunFolder):
    """A run folder whose plan is the whole one, whatever part of it the stages work on."""

    def __init__(self, path: Path, resume: bool) -> None:
        super().__init__(path, resume)
        self.whole: Callable[[Schedule], Schedule] = lambda rest: rest

    def write_plan(self, schedule: Schedule, name: str = PLAN) -> None:
        """Replace the plan by ``schedule`` with what was flown before; any other file by ``schedule`` alone."""
        super().write_plan(self.whole(schedule) if name == PLAN else schedule, name)


@dataclass(frozen=True, slots=True)
class ReplanResult:
    """How the stages ended: the better schedule of what is left, and the second stage's account."""

    rest: Schedule
    pruned: EliminationSummary | None
    best_epoch: int


class RestStages:
    """Both stages on ``left``, warm-started from the rest of the old schedule.

    With ``previous`` it goes on from the checkpoints in the folder; without, it overwrites them.
    """

    def __init__(
        self, session: RunSession, plan: PlanSettings, left: RemainingProblem, previous: RunRecord | None = None
    ) -> None:
        self._session, self._plan, self._left, self._previous = session, plan, left, previous
        self._first: FirstStage | None = None
        self._second: SecondStage | None = None

    def run(self) -> FinishReason:
        """Run both stages.

        Raises :class:`~firegui.errors.CancelledError`; :attr:`ended` then has the best so far.
        """
        reference = self._reference()
        session = self._session
        session.emit(StageBegan(Stage.PRUNE, 2, 2, REMOVAL_TEXT))
        rows = () if self._previous is None else self._previous.elimination
        epoch = session.folder.header.best_epoch
        self._second = SecondStage(
            session,
            self._left.design,
            self._plan,
            reference,
            rows,
            epoch,
            resume=self._previous is not None,
            keeps_curve=False,
        )
        self._second.run()
        return FinishReason.COMPLETED

    def save(self) -> None:
        """Write what there is of the stage at work, or the old plan where there is nothing yet."""
        stage = self._second or self._first
        self._session.folder.write_plan(self.ended.rest)
        if stage is not None:
            stage.save()

    @property
    def ended(self) -> ReplanResult:
        """The best so far; the old plan before the first epoch."""
        first = self._first
        epoch = -1 if first is None else first.planner.best_epoch
        if self._second is not None:
            return ReplanResult(self._second.schedule, self._second.pruned, epoch)
        return ReplanResult(self._left.rest if first is None or epoch < 0 else first.planner.best, None, epoch)

    def _reference(self) -> Schedule:
        model = self._left.design
        if self._has(REFERENCE):
            place = self._session.folder.path / REFERENCE
            return read_schedule(place, model.fleet, model.maps.n_steps, model.maps.shape)
        self._optimize()
        assert self._first is not None
        best = self._first.planner.best
        if self._resumable:
            self._session.folder.write_plan(best, REFERENCE)
        return best

    def _optimize(self) -> None:
        session, model, settings = self._session, self._left.design, self._plan.optimizer
        session.emit(StageBegan(Stage.OPTIMIZE, 1, 2, _FIRST))
        if self._has(CHECKPOINT):
            planner = session.engine.restore_planner(model, settings, session.folder.path / CHECKPOINT)
        else:
            begin = session.engine.start_schedule(model, settings, self._left.rest, session.control.check, reopen=True)
            planner = session.engine.planner(model, settings, begin, session.control.check)
        rows = () if self._previous is None else self._previous.history
        self._first = FirstStage(session, model, planner, MAIN, rows)
        self._first.run()
        if self._resumable:
            session.save(self._first.save)

    @property
    def _resumable(self) -> bool:
        return self._session.spec.checkpoint_seconds < float("inf")

    def _has(self, name: str) -> bool:
        return self._previous is not None and (self._session.folder.path / name).is_file()

"""First stage of a run: gradient epochs, their history, the best plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firegui.domain.results import Metrics
from firegui.runs.plan_snapshots import PlanSnapshots
from firegui.runs.run_folder import CHECKPOINT, HISTORY, PRELIMINARY_CHECKPOINT, PRELIMINARY_HISTORY
from firegui.runs.session import RunSession
from firegui.runs.stages import EpochDone, FinishReason

if TYPE_CHECKING:
    from firegui.planning.gradient import EpochReport, GradientPlanner
    from firegui.rollout.model import Model


_REASONS = {"epochs": FinishReason.COMPLETED, "patience": FinishReason.PATIENCE}


@dataclass(frozen=True, slots=True)
class StageFiles:
    """File names of a first stage: the planner's checkpoint and the history."""

    checkpoint: str
    history: str


MAIN = StageFiles(CHECKPOINT, HISTORY)
PRELIMINARY = StageFiles(PRELIMINARY_CHECKPOINT, PRELIMINARY_HISTORY)
"""Setting A's first stage, ahead of setting B's (paper, section ``scope_objective``)."""


class FirstStage:
    """First stage: runs ``planner`` on ``model`` until it is finished."""

    def __init__(
        self, session: RunSession, model: Model, planner: GradientPlanner, ledger: StageFiles, rows: Sequence[EpochDone]
    ) -> None:
        self._session, self._model, self._ledger = session, model, ledger
        self.planner = planner
        # A kill between the two writes leaves the history ahead of the checkpoint.
        self.rows = [row for row in rows if row.epoch < planner.epochs_done]
        self.best_metrics: Metrics | None = None

    def run(self) -> FinishReason:
        """Run epochs until the planner is finished. Raises :class:`~firegui.errors.CancelledError` on request."""
        session, planner, check = self._session, self.planner, self._session.control.check
        spec = session.spec
        pictures = PlanSnapshots(session.engine, self._model, session.emit, spec.stride, spec.snapshot_seconds)
        while not planner.finished:
            session.pause_or_stop(self.save)
            report = planner.epoch(check, pictures.stride_if_due())
            if report.improved:
                self.best_metrics = report.metrics if report.is_whole else None
            self.rows.append(self._row(report))
            session.emit(self.rows[-1])
            pictures.offer(report, planner.best, check)
            session.save_if_due(self.save)
        return _REASONS[planner.finished]

    def save(self) -> None:
        """Write history, planner and best plan."""
        folder, planner = self._session.folder, self.planner
        folder.write_history(self.rows, self._ledger.history)
        planner.state().save(folder.path / self._ledger.checkpoint)
        if planner.best_epoch >= 0:
            folder.write_plan(planner.best)
        folder.update(
            state=self._session.machine.state,
            epochs_done=planner.epochs_done,
            best_epoch=planner.best_epoch,
            seconds=self._session.seconds,
        )

    def _row(self, report: EpochReport) -> EpochDone:
        metrics = report.metrics
        return EpochDone(
            epoch=report.epoch,
            epochs=self.planner.epochs,
            rollouts=self.planner.rollouts,
            objective=metrics.objective,
            best=report.best,
            burn=metrics.loss_burn,
            final=metrics.loss_final,
            prot=metrics.loss_prot,
            drops=metrics.drops_executed,
            grad_norm=report.grad_norm,
            seconds=self._session.seconds,
            val=metrics.loss_val,
        )

"""Stage 2 in a run: test after test, each into the log, what is left kept."""

from __future__ import annotations

from collections.abc import Sequence

from firegui.runs.elimination_log import elimination_text
from firegui.runs.events import EliminationStep
from firegui.runs.folder import ELIMINATION, ELIMINATION_CHECKPOINT
from firegui.runs.pictures import Pictures
from firegui.runs.protocols import EliminationResult, Eliminator
from firegui.runs.session import RunSession


class SecondStage:
    """Drives ``eliminator`` to its end; ``best_epoch`` is that of the first stage, for the pictures."""

    def __init__(
        self, session: RunSession, eliminator: Eliminator, rows: Sequence[EliminationStep], epoch: int
    ) -> None:
        self._session, self.eliminator, self._epoch = session, eliminator, epoch
        # A kill may have come between the log and the state: the log is then ahead.
        self.rows = [row for row in rows if row.rollouts <= eliminator.report.rollouts]
        self._before = session.seconds - (self.rows[-1].seconds if self.rows else 0.0)

    def run(self) -> str:
        """Go on until the elimination is finished, and return how it ended. Raises for a stop on request."""
        session, eliminator, check = self._session, self.eliminator, self._session.control.check
        spec = session.spec
        pictures = Pictures(session.engine, session.model, session.emit, spec.frame_stride, spec.snapshot_seconds)
        while not eliminator.finished:
            session.breathe(self.save)
            self._note(eliminator.advance(check))
            pictures.follow(self._epoch, eliminator.report.drops, eliminator.schedule, check)
            session.save_if_due(self.save)
        return eliminator.finished

    def save(self) -> None:
        """Write log, elimination and what is left of the plan."""
        folder = self._session.folder
        folder.write_text(ELIMINATION, elimination_text(self.rows))
        self.eliminator.state().save(folder.path / ELIMINATION_CHECKPOINT)
        folder.write_plan(self.eliminator.schedule)
        folder.update(state=self._session.machine.state, seconds=self._session.seconds)

    def _note(self, report: EliminationResult) -> None:
        held = report.ratios
        step = EliminationStep(
            report.rollouts, report.passes, report.drops, report.drops_before, report.removed, report.tested,
            report.to_test, report.batch, held["burn"], held["final"], held["prot"],
            self._session.seconds - self._before,
        )  # fmt: skip
        self.rows.append(step)
        self._session.emit(step)

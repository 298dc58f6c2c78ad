"""Second stage of a run: elimination tests and their log, then the smoothing if requested."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from firegui.domain.removal_curve import RemovalCurve
from firegui.domain.schedule import Schedule
from firegui.domain.settings import PlanSettings
from firegui.errors import Check
from firegui.runs.events import Message, Progress, RemovalCurveReady
from firegui.runs.history import elimination_text
from firegui.runs.plan_snapshots import PlanSnapshots
from firegui.runs.run_folder import (
    ELIMINATION,
    ELIMINATION_CHECKPOINT,
    SMOOTHING_CHECKPOINT,
    EliminationSummary,
    read_removal_curve,
)
from firegui.runs.session import RunSession
from firegui.runs.stages import EliminationStep

if TYPE_CHECKING:
    from firegui.planning.elimination import Elimination, EliminationReport
    from firegui.planning.fast_removal import FastRemoval
    from firegui.planning.margin import MarginPlanning
    from firegui.planning.stress_pruning import StressPruning
    from firegui.planning.two_stage import PoseSmoothing
    from firegui.rollout.model import Model


class SecondStage:
    """Second stage: elimination of ``reference`` on ``model`` and smoothing of the remaining drops.

    With ``margin`` it is the pruning that keeps the plan within the limits of the margin, without smoothing.
    ``rows`` are the log so far and ``epoch`` is the best epoch of the first stage, for snapshots. With ``resume`` it
    continues from the checkpoints in the folder. ``curve`` is the removal curve so far, empty without ``keeps_curve``.
    """

    def __init__(
        self, session: RunSession, model: Model, plan: PlanSettings, reference: Schedule,
        rows: Sequence[EliminationStep], epoch: int, *, resume: bool, margin: MarginPlanning | None = None,
        keeps_curve: bool = True,
    ) -> None:  # fmt: skip
        self._session, self._model, self._plan, self._reference = session, model, plan, reference
        self._epoch, self._resume = epoch, resume
        checkpoint = self._checkpoint(ELIMINATION_CHECKPOINT)
        check = session.control.check
        self.eliminator: Elimination | FastRemoval | StressPruning
        self._pruning: StressPruning | None = None
        if margin is None:
            self.eliminator = session.engine.eliminator(model, plan, reference, checkpoint, check)
        else:
            self.eliminator = self._pruning = margin.second_stage(model, reference, checkpoint, check)
        self._smooths = margin is None and plan.elimination.smoothing > 0
        # A kill between the two writes leaves the log ahead of the checkpoint.
        self.rows = [row for row in rows if row.rollouts <= self.eliminator.report.rollouts]
        self._before = session.seconds - (self.rows[-1].seconds if self.rows else 0.0)
        self._smoother: PoseSmoothing | None = None
        self._keeps_curve = keeps_curve
        saved = None if checkpoint is None or not keeps_curve else read_removal_curve(session.folder.path)
        self.curve = RemovalCurve.of(self.eliminator.schedule) if saved is None else saved
        if saved is None and keeps_curve:
            # A run that an older version began has the points from here on.
            metrics = self.eliminator.report.metrics
            self.curve = self.curve.with_plan(self.eliminator.schedule, metrics, math.nan, is_taken=True)
        self._earlier = self._earlier_taken()

    @property
    def schedule(self) -> Schedule:
        """Schedule of the remaining drops, or the earlier one that was taken instead."""
        if self._earlier is not None:
            return self._earlier
        return self.eliminator.schedule if self._smoother is None else self._smoother.best

    @property
    def pruned(self) -> EliminationSummary:
        """Result of the elimination, or its progress."""
        report, seconds = self.eliminator.report, self.rows[-1].seconds if self.rows else 0.0
        smoothed = 0 if self._smoother is None else self._smoother.epochs_done
        missed = None if self._pruning is None else self._pruning.missed
        drops, removed_to = report.drops, 0
        if self._earlier is not None:
            drops, removed_to = self.curve.taken, report.drops
        return EliminationSummary(
            self.eliminator.finished, report.drops_before, drops, report.passes, report.rollouts, seconds, smoothed,
            missed, removed_to,
        )  # fmt: skip

    def run(self) -> None:
        """Run to the end. Raises :class:`~firegui.errors.CancelledError` on request."""
        session, eliminator, check = self._session, self.eliminator, self._session.control.check
        spec = session.spec
        pictures = PlanSnapshots(session.engine, self._model, session.emit, spec.stride, spec.snapshot_seconds)
        session.emit(RemovalCurveReady(self.curve))
        while not eliminator.finished:
            session.pause_or_stop(self.save)
            self._note(eliminator.advance(check))
            self._add_to_curve(check)
            pictures.follow(self._epoch, eliminator.report.metrics, eliminator.schedule, check)
            session.save_if_due(self.save)
        if self._smooths and eliminator.report.drops > 0:
            session.save(self.save)
            self._smooth()
        metrics = eliminator.report.metrics if self._smoother is None and self._earlier is None else None
        pictures.follow(self._epoch, metrics, self.schedule, check, is_last=True)

    def save(self) -> None:
        """Write the log, the checkpoints and the remaining schedule."""
        folder = self._session.folder
        folder.write_text(ELIMINATION, elimination_text(self.rows))
        # After a stop in the middle of a step its points are still to be added.
        self._add_to_curve(None)
        self._save_state()
        if self._smoother is not None:
            self._smoother.state().save(folder.path / SMOOTHING_CHECKPOINT)
        folder.write_plan(self.schedule)
        folder.update(state=self._session.machine.state, seconds=self._session.seconds)

    def earlier_that_held(self) -> tuple[int, ...]:
        """Return the points with more drops than are left that held, the fewest drops first.

        They are indices of the removal curve.
        """
        left = self.eliminator.report.drops
        places = [place for place, point in enumerate(self.curve.points) if point.drops > left]
        # The end of the removal holds, so that a point without a test is on the way to one that does.
        return tuple(place for place in reversed(places) if not self.curve.points[place].excess > 1.0)

    def _earlier_taken(self) -> Schedule | None:
        """Return the earlier plan that a session before took instead of the last one; ``None`` without any."""
        taken, is_over = self.curve.taken, bool(self.eliminator.finished)
        place = self.curve.place_of(taken) if is_over and taken > self.eliminator.report.drops else None
        return None if place is None else self.curve.schedule(place)

    def take_earlier(self, index: int) -> None:
        """Take the plan of a point of the removal curve instead of the last one."""
        self._earlier = self.curve.schedule(index)
        self.curve = replace(self.curve, taken=self.curve.points[index].drops)
        self.save()

    def score_curve(self, model: Model) -> None:
        """Score every point of the curve on ``model``, which is at nominal effectiveness, and save the curve."""
        check, session = self._session.control.check, self._session
        if not self._keeps_curve or self.curve.is_scored:
            return
        session.emit(Message("scoring the removal curve"))
        for index, point in enumerate(self.curve.points):
            if not point.is_scored:
                metrics = session.engine.simulate(model, self.curve.schedule(index), check=check).metrics
                self.curve = self.curve.with_point(index, point.with_nominal(metrics))
        self._save_state()
        session.emit(RemovalCurveReady(self.curve))

    def _save_state(self) -> None:
        """Write the state of the elimination and the curve in one file: a kill must not leave one ahead."""
        curve = self.curve.arrays() if self._keeps_curve else {}
        self.eliminator.state().save(self._session.folder.path / ELIMINATION_CHECKPOINT, curve)

    def _add_to_curve(self, check: Check | None) -> None:
        """Add the plans that the latest step came through. Those without metrics are rolled out here."""
        tried, before = self.eliminator.tried, self.curve
        while tried and self._keeps_curve:
            plan = tried[0]
            metrics = plan.metrics
            if metrics is None:
                metrics = self._session.engine.simulate(self._model, plan.schedule, check=check).metrics
            self.curve = self.curve.with_plan(plan.schedule, metrics, plan.excess, is_taken=plan.is_taken)
            tried.pop(0)
        if self.curve is not before:
            self._session.emit(RemovalCurveReady(self.curve))

    def _smooth(self) -> None:
        session, check, epochs = self._session, self._session.control.check, self._plan.elimination.smoothing
        checkpoint = self._checkpoint(SMOOTHING_CHECKPOINT)
        smoother = self._smoother = session.engine.smoother(
            self._model, self._plan, self._reference, self.eliminator.schedule, checkpoint, check
        )
        while not smoother.finished:
            session.pause_or_stop(self.save)
            session.emit(Progress(smoother.epochs_done, epochs, "smoothing the poses"))
            smoother.epoch(check)
            session.save_if_due(self.save)

    def _checkpoint(self, name: str) -> Path | None:
        path = self._session.folder.path / name
        return path if self._resume and path.is_file() else None

    def _note(self, report: EliminationReport) -> None:
        held = report.ratios
        step = EliminationStep(
            report.rollouts, report.passes, report.drops, report.drops_before, report.removed, report.tested,
            report.to_test, report.batch, held["burn"], held["final"], held["prot"],
            self._session.seconds - self._before, held["val"],
        )  # fmt: skip
        self.rows.append(step)
        self._session.emit(step)

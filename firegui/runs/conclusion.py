"""The end of a run with a plan: write it down, audit it, score it at nominal effectiveness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.domain.schedule import DropRecord, Schedule
from firegui.errors import CancelledError, Check
from firegui.planning.audit import AuditReport, Conditions
from firegui.runs.engine import Engine
from firegui.runs.events import PlanUpdated
from firegui.runs.folder import Pruned, RunFolder, RunScores, Swept
from firegui.runs.spec import Stage

if TYPE_CHECKING:
    from firegui.rollout.model import Model
    from firegui.rollout.simulate import Rollout


@dataclass(frozen=True, slots=True, eq=False)
class Conclusion:
    """What is known when the stages are over.

    ``design`` is the plan's score at design effectiveness, if this session saw it. With a second stage, ``reference``
    is what that began with and ``pruned`` how it ended; ``swept`` is how far the tactical heuristic came.
    """

    engine: Engine
    model: Model
    project: Project
    best: Schedule
    best_epoch: int
    baseline: Metrics | None
    design: Metrics | None
    frame_stride: int
    reference: Schedule | None = None
    pruned: Pruned | None = None
    swept: Swept | None = None

    def write(self, folder: RunFolder, check: Check) -> PlanUpdated | None:
        """Write the plan, then its scores; returns the plan at nominal effectiveness, for the map.

        The schedule is safe before the first rollout begins. When ``check`` cancels the rollouts, the nominal score is
        left out and ``None`` returned. Raises :class:`~firegui.errors.InputError` where the folder cannot be written.
        """
        drops = self.engine.drops(self.model, self.best)
        folder.write_drops(drops, self.project)
        audit = self._audit(drops)
        try:
            scored = self._score(check)
            design = self.design or self.engine.simulate(self.model, self.best, check=check).metrics
            reference = None if self.reference is None else self._at_nominal(self.reference, check).metrics
        except CancelledError:
            folder.write_scores(RunScores(self.baseline, None, self.design, audit, None, self.pruned, self.swept))
            return None
        scores = RunScores(self.baseline, scored.metrics, design, audit, reference, self.pruned, self.swept)
        folder.write_scores(scores)
        if scored.p_fire_days is not None:
            folder.write_occupancy(scored.p_fire_days, self.project)
        if scored.frames is None:
            return None
        stage = Stage.OPTIMIZE if self.pruned is None else Stage.PRUNE
        return PlanUpdated(self.best_epoch, scored.metrics, scored.frames, drops, stage)

    def _audit(self, drops: tuple[DropRecord, ...]) -> AuditReport:
        maps = self.model.maps
        # What the rollout's gates executed, checked by code that shares nothing with them.
        executed = [(drop.step, drop.column) for drop in drops if drop.executed]
        conditions = Conditions.of(self.project)
        return self.engine.audit(
            self.best, self.model.fleet, maps.steps_per_day, maps.shape, executed, conditions=conditions
        )

    def _score(self, check: Check) -> Rollout:
        nominal = self.model.with_effectiveness(self.project.plan.nominal)
        return self.engine.simulate(nominal, self.best, check=check, frame_stride=self.frame_stride, keep_days=True)

    def _at_nominal(self, schedule: Schedule, check: Check) -> Rollout:
        return self.engine.simulate(self.model.with_effectiveness(self.project.plan.nominal), schedule, check=check)

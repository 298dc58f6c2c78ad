"""The end of a run with a plan: write it down, audit it, score it at nominal effectiveness."""

from __future__ import annotations

from dataclasses import dataclass

from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.domain.schedule import DropRecord, Schedule
from firegui.errors import CancelledError
from firegui.planning.audit import AuditReport
from firegui.runs.events import PlanUpdated
from firegui.runs.folder import RunFolder, RunScores
from firegui.runs.protocols import Check, Engine, EngineModel, RolloutResult


@dataclass(frozen=True, slots=True, eq=False)
class Conclusion:
    """What is known when the epochs are over. ``design`` is the best plan's score in them, if this session saw it."""

    engine: Engine
    model: EngineModel
    project: Project
    best: Schedule
    best_epoch: int
    baseline: Metrics | None
    design: Metrics | None
    frame_stride: int

    def write(self, folder: RunFolder, check: Check) -> PlanUpdated | None:
        """Write the plan, then its scores; returns the plan at nominal effectiveness, for the map.

        The schedule is safe before the first rollout begins. When ``check`` cancels the rollouts, the nominal score is
        left out and ``None`` returned. Raises :class:`~firegui.errors.InputError` where the folder cannot be written.
        """
        drops = self.engine.drops(self.model.maps, self.model.fleet, self.best)
        folder.write_drops(drops, self.project)
        audit = self._audit(drops)
        try:
            scored = self._score(check)
            design = self.design or self.engine.simulate(self.model, self.best, check=check).metrics
        except CancelledError:
            folder.write_scores(RunScores(self.baseline, None, self.design, audit))
            return None
        folder.write_scores(RunScores(self.baseline, scored.metrics, design, audit))
        if scored.p_fire_days is not None:
            folder.write_occupancy(scored.p_fire_days, self.project)
        return None if scored.frames is None else PlanUpdated(self.best_epoch, scored.metrics, scored.frames, drops)

    def _audit(self, drops: tuple[DropRecord, ...]) -> AuditReport:
        maps = self.model.maps
        # What the rollout's gates executed, checked by code that shares nothing with them.
        executed = [(drop.step, drop.column) for drop in drops if drop.executed]
        return self.engine.audit(self.best, self.model.fleet, maps.steps_per_day, maps.shape, executed)

    def _score(self, check: Check) -> RolloutResult:
        nominal = self.model.with_effectiveness(self.project.plan.nominal)
        return self.engine.simulate(nominal, self.best, check=check, frame_stride=self.frame_stride, keep_days=True)

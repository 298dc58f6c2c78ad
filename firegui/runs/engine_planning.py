"""The engine's planners as runs see them; see :mod:`firegui.runs.engine`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from firegui.domain.benchmark import PlannerName, TaskTerms
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.sensitivity import Row, SensitivityKind, SensitivitySettings
from firegui.domain.settings import OptimizerSettings, PlanSettings
from firegui.rollout.remark import Tell, silent
from firegui.runs.engine_values import Check
from firegui.runs.planner_protocols import Eliminator, Planner, ScalingBench, Smoother, TacticalSearch, TaskRun
from firegui.runs.replan_protocols import Replanner
from firegui.runs.warm_start import reopened, warmed


class PlanningCalls:
    """Planners, the two stages, tasks of a benchmark."""

    def start(
        self, model: Any, settings: OptimizerSettings, warm_start: Schedule | None, check: Check | None, *,
        reopen: bool = False,
    ) -> Schedule:  # fmt: skip
        """See :mod:`firegui.planning.initialization`."""
        module = import_module("firegui.planning.initialization")
        if warm_start is None:
            begin: Schedule = module.start_schedule(model, settings, check=check)
            return begin
        front: Schedule = module.front_schedule(model, settings, check=check)
        begin = warmed(front, warm_start, module.pose_logits_of(warm_start.poses, model.shape))
        return reopened(front, begin) if reopen else begin

    def planner(self, model: Any, settings: OptimizerSettings, start: Schedule) -> Planner:
        """See :class:`firegui.planning.gradient.GradientPlanner`."""
        planner: Planner = import_module("firegui.planning.gradient").GradientPlanner(model, settings, start)
        return planner

    def restore(self, model: Any, settings: OptimizerSettings, checkpoint: Path) -> Planner:
        """See :meth:`firegui.planning.gradient.GradientPlanner.restore`."""
        module = import_module("firegui.planning.gradient")
        planner: Planner = module.GradientPlanner.restore(model, settings, module.PlannerState.load(checkpoint))
        return planner

    def eliminator(
        self, model: Any, plan: PlanSettings, reference: Schedule, checkpoint: Path | None, check: Check | None
    ) -> Eliminator:
        """See :func:`firegui.planning.two_stage.eliminator`."""
        eliminator: Eliminator = import_module("firegui.planning.two_stage").eliminator(
            model, plan, reference, checkpoint, check
        )
        return eliminator

    def smoother(
        self, model: Any, plan: PlanSettings, reference: Schedule, schedule: Schedule, checkpoint: Path | None,
        check: Check | None,
    ) -> Smoother:  # fmt: skip
        """See :func:`firegui.planning.two_stage.smoother`."""
        smoother: Smoother = import_module("firegui.planning.two_stage").smoother(
            model, plan, reference, schedule, checkpoint, check
        )
        return smoother

    def tactical(
        self, model: Any, settings: OptimizerSettings, budget: int | None, checkpoint: Path | None
    ) -> TacticalSearch:
        """See :func:`firegui.planning.tactical_plan.tactical_plan`."""
        module = import_module("firegui.planning.tactical_plan")
        search: TacticalSearch = module.tactical_plan(model, settings, budget, checkpoint)
        return search

    def sensitivity_rows(
        self,
        model: Any,
        schedule: Schedule,
        kind: SensitivityKind,
        settings: SensitivitySettings,
        *,
        hear: Callable[[int, int, str], None],
        check: Check,
    ) -> tuple[Row, ...]:
        """See :func:`firegui.planning.sensitivity.rows_of`."""
        module = import_module("firegui.planning.sensitivity")
        rows: tuple[Row, ...] = module.rows_of(model, schedule, kind, settings, hear=hear, check=check)
        return rows

    def missing_extra(self, planner: PlannerName) -> str:
        """See :func:`firegui.planning.benchmark.missing_extra`."""
        return str(import_module("firegui.planning.benchmark").missing_extra(planner))

    def task_run(self, model: Any, plan: PlanSettings, terms: TaskTerms, checkpoint: Path | None) -> TaskRun:
        """See :class:`firegui.planning.trial_run.TaskRun`."""
        task: TaskRun = import_module("firegui.planning.trial_run").TaskRun(model, plan, terms, checkpoint)
        return task

    def smoothing_charge(self, plan: PlanSettings) -> int:
        """See :func:`firegui.planning.two_stage.smoothing_charge`."""
        return int(import_module("firegui.planning.two_stage").smoothing_charge(plan.elimination))

    def scaling(self, project: Project, backend: str, *, tell: Tell, check: Check) -> ScalingBench:
        """See :class:`firegui.planning.scaling.ScalingBench`."""
        bench: ScalingBench = import_module("firegui.planning.scaling").ScalingBench(project, backend, tell, check)
        return bench

    def replanner(
        self, project: Project, backend: str, *, tell: Tell = silent, check: Check | None = None
    ) -> Replanner:
        """See :class:`firegui.planning.replan.Replanner`."""
        module = import_module("firegui.planning.replan")
        replanner: Replanner = module.Replanner(project, backend=backend, tell=tell, check=check)
        return replanner

"""The engine as runs and commands see it, loaded when the first run needs it.

torch takes seconds to load and the window must not wait for it, so the modules of ``fire``, ``rollout`` and
``planning`` are imported by name at the first call. It is the one place with a late import of the engine; importing
any module of :mod:`firegui.runs` loads no torch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.benchmark import BenchmarkTable, PlannerName, TaskTerms
from firegui.domain.ensemble import Ensemble, EnsembleProgress, EnsembleState
from firegui.domain.fit import FitProgress, FitState, NetworkFitSettings
from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.project import Project
from firegui.domain.scaling import ScalingTable
from firegui.domain.scenario import Scenario
from firegui.domain.schedule import DropRecord, Schedule
from firegui.domain.sensitivity import Row, SensitivityKind, SensitivitySettings, SensitivityTable
from firegui.domain.settings import Effectiveness, OptimizerSettings, PlanSettings
from firegui.domain.study_table import StudyTable
from firegui.domain.uncertainty import ErrorFit, ErrorModel, UncertaintySettings, WeatherDraw
from firegui.domain.weights import NetworkWeights
from firegui.fire.skill_report import SkillReport
from firegui.planning.audit import AuditReport, Conditions
from firegui.rollout.remark import Tell, silent
from firegui.runs.protocols import (
    Check,
    Eliminator,
    EngineModel,
    GradientResult,
    Planner,
    Replanner,
    RolloutResult,
    ScalingBench,
    Smoother,
    TacticalSearch,
    TaskRun,
)
from firegui.runs.spec import MemberOf
from firegui.runs.torch_library import load_ahead, undisturbed
from firegui.runs.warm_start import reopened, warmed


class LazyEngine:
    """The real engine. Each call imports the module that it needs, and no more: an audit loads no torch."""

    def build(
        self,
        project: Project,
        effectiveness: Effectiveness,
        backend: str,
        precision: str = "float32",
        *,
        tell: Tell = silent,
        check: Check | None = None,
        maps: FireMaps | None = None,
    ) -> EngineModel:
        """See :func:`firegui.planning.problem.build`."""
        if "torch" not in sys.modules:
            with undisturbed():
                load_ahead()
                import_module("firegui.planning.problem")
        model: EngineModel = import_module("firegui.planning.problem").build(
            project, effectiveness=effectiveness, backend=backend, precision=precision, tell=tell, check=check,
            maps=maps,
        )  # fmt: skip
        return model

    def method(self, model: Any) -> str:
        """See :func:`firegui.rollout.backend.method`."""
        return str(import_module("firegui.rollout.backend").method(model))

    def simulate(
        self,
        model: Any,
        schedule: Schedule,
        *,
        check: Check | None = None,
        frame_stride: int | None = None,
        keep_days: bool = False,
    ) -> RolloutResult:
        """See :func:`firegui.rollout.simulate.simulate`."""
        module = import_module("firegui.rollout.simulate")
        rollout: RolloutResult = module.simulate(
            model, schedule, check=check, frame_stride=frame_stride, keep_days=keep_days
        )
        return rollout

    def glance(
        self, model: Any, schedule: Schedule, steps: Collection[int], *, start: Any = None, keep_states: bool = False,
        check: Check | None = None,
    ) -> Any:  # fmt: skip
        """See :func:`firegui.rollout.glance.glance`."""
        module = import_module("firegui.rollout.glance")
        return module.glance(model, schedule, steps, start=start, keep_states=keep_states, check=check)

    def gradient(
        self, model: Any, schedule: Schedule, *, check: Check | None = None
    ) -> tuple[RolloutResult, GradientResult]:
        """See :func:`firegui.rollout.simulate.simulate_with_gradient`."""
        module = import_module("firegui.rollout.simulate")
        rollout, gradient = module.simulate_with_gradient(model, schedule, check=check)
        return rollout, gradient

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

    def fit_error(self, project: Project, model: Any, settings: UncertaintySettings, *, check: Check) -> ErrorFit:
        """See :func:`firegui.uncertainty.residuals.fit_error_model`."""
        module = import_module("firegui.uncertainty.residuals")
        event, start = project.scenario, project.plan.start_day
        fit: ErrorFit = module.fit_error_model(model, event, start, settings, check=check)
        return fit

    def ensemble(
        self,
        project: Project,
        model: Any,
        schedule: Schedule | None,
        settings: UncertaintySettings,
        error: ErrorModel | None,
        *,
        state: EnsembleState | None,
        progress: Callable[[EnsembleProgress], None],
        keep: Callable[[EnsembleState], None],
        check: Check,
    ) -> Ensemble:
        """See :func:`firegui.uncertainty.ensemble.run_ensemble`."""
        module = import_module("firegui.uncertainty.ensemble")
        found: Ensemble = module.run_ensemble(
            project, model, schedule, settings, error=error, state=state, progress=progress, keep=keep, check=check
        )
        return found

    def member(
        self, project: Project, model: Any, schedule: Schedule | None, member: MemberOf, *, frame_stride: int | None,
        check: Check,
    ) -> RolloutResult:  # fmt: skip
        """See :func:`firegui.uncertainty.ensemble.member_rollout`."""
        module = import_module("firegui.uncertainty.ensemble")
        rollout: RolloutResult = module.member_rollout(
            project, model, schedule, member.settings, member.number, error=member.error, frame_stride=frame_stride,
            check=check,
        )  # fmt: skip
        return rollout

    def weather(self, settings: UncertaintySettings) -> tuple[WeatherDraw, ...]:
        """See :func:`firegui.uncertainty.ensemble.all_weather`."""
        winds: tuple[WeatherDraw, ...] = import_module("firegui.uncertainty.ensemble").all_weather(settings)
        return winds

    def error_field(
        self, error: ErrorModel, shape: tuple[int, int], seed: int, member: int, day: int
    ) -> NDArray[np.float32]:
        """See :func:`firegui.uncertainty.random_field.error_field`."""
        module = import_module("firegui.uncertainty.random_field")
        field: NDArray[np.float32] = module.error_field(error, shape, seed, member, day)
        return field

    def draw_ensemble(self, ensemble: Ensemble, project: Project, folder: Path) -> list[Path]:
        """See :func:`firegui.uncertainty.ensemble_figures.draw`; matplotlib takes a moment to load."""
        files: list[Path] = import_module("firegui.uncertainty.ensemble_figures").draw(ensemble, project, folder)
        return files

    def draw_sensitivity(self, table: SensitivityTable[Row], folder: Path) -> list[Path]:
        """See :func:`firegui.planning.sensitivity_figures.draw`; matplotlib takes a moment to load."""
        files: list[Path] = import_module("firegui.planning.sensitivity_figures").draw(table, folder)
        return files

    def draw_benchmark(self, table: BenchmarkTable, project: Project, folder: Path) -> list[Path]:
        """See :func:`firegui.planning.benchmark_figures.draw`."""
        files: list[Path] = import_module("firegui.planning.benchmark_figures").draw(table, project, folder)
        return files

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

    def draw_scaling(self, table: ScalingTable, folder: Path) -> list[Path]:
        """See :func:`firegui.planning.scaling_figures.draw`; matplotlib takes a moment to load."""
        files: list[Path] = import_module("firegui.planning.scaling_figures").draw(table, folder)
        return files

    def drops(self, model: Any, schedule: Schedule) -> tuple[DropRecord, ...]:
        """See :func:`firegui.rollout.drops.drop_records`."""
        module = import_module("firegui.rollout.drops")
        records: tuple[DropRecord, ...] = module.drop_records(model.maps, model.fleet, schedule, model.rules)
        return records

    def audit(
        self,
        schedule: Schedule,
        fleet: Fleet,
        steps_per_day: int,
        shape: tuple[int, int],
        executed: Sequence[tuple[int, int]],
        conditions: Conditions | None = None,
    ) -> AuditReport:
        """See :func:`firegui.planning.audit.audit`."""
        module = import_module("firegui.planning.audit")
        report: AuditReport = module.audit(schedule, fleet, steps_per_day, shape, list(executed), conditions=conditions)
        return report

    def replanner(
        self, project: Project, backend: str, *, tell: Tell = silent, check: Check | None = None
    ) -> Replanner:
        """See :class:`firegui.planning.replan.Replanner`."""
        module = import_module("firegui.planning.replan")
        replanner: Replanner = module.Replanner(project, backend=backend, tell=tell, check=check)
        return replanner

    def executed(self, schedule: Schedule, project: Project) -> list[tuple[int, int]]:
        """``(step, column)`` of the drops that the rollout's gates let through (:mod:`firegui.rollout.gates`).

        Raises :class:`~firegui.errors.InputError` where the project's operational constraints cannot be kept.
        """
        gates = import_module("firegui.planning.flight_rules").project_gates(schedule, project)
        return [(int(step), int(column)) for step, column in np.argwhere(gates.executed)]

    def project_maps(self, project: Project, check: Check | None = None) -> FireMaps:
        """The frozen model's maps of the planned days (:func:`firegui.fire.maps.project_maps`)."""
        maps: FireMaps = import_module("firegui.fire.maps").project_maps(project, check)
        return maps

    def blown(self, project: Project, draw: WeatherDraw) -> Project:
        """See :func:`firegui.uncertainty.weather.blown`."""
        changed: Project = import_module("firegui.uncertainty.weather").blown(project, draw)
        return changed

    def chosen(self, backend: str) -> str:
        """The backend that computes when ``backend`` is asked for here (:func:`firegui.rollout.backend.choose`)."""
        return str(import_module("firegui.rollout.backend").choose(backend)[0])

    def draw_study(self, table: StudyTable, project: Project, folder: Path) -> list[Path]:
        """See :func:`firegui.planning.study_figures.draw`; matplotlib takes a moment to load."""
        files: list[Path] = import_module("firegui.planning.study_figures").draw(table, project, folder)
        return files

    def forecast(
        self, project: Project, days: int, *, backend: str, check: Check | None, tell: Tell
    ) -> NDArray[np.float32]:
        """See :func:`firegui.calibration.forecast.forecast`."""
        module = import_module("firegui.calibration.forecast")
        states: NDArray[np.float32] = module.forecast(project, days, backend=backend, check=check, tell=tell)
        return states

    def fit_network(
        self,
        events: Sequence[Scenario],
        settings: NetworkFitSettings,
        *,
        begin: NetworkWeights | None,
        state: FitState | None,
        progress: Callable[[FitProgress], None],
        keep: Callable[[FitState], None],
        check: Check | None,
        tell: Tell,
    ) -> FitState:
        """See :func:`firegui.calibration.network_fit.fit_network`."""
        module = import_module("firegui.calibration.network_fit")
        end: FitState = module.fit_network(
            events, settings, begin=begin, state=state, progress=progress, keep=keep, check=check, tell=tell
        )
        return end

    def fitted_weights(
        self, events: Sequence[Scenario], settings: NetworkFitSettings, state: FitState, begin: NetworkWeights | None
    ) -> NetworkWeights:
        """See :func:`firegui.calibration.network_fit.weights_of_state`."""
        module = import_module("firegui.calibration.network_fit")
        weights: NetworkWeights = module.weights_of_state(events, settings, state, begin)
        return weights

    def draw_skill(self, report: SkillReport, states: NDArray[np.float32], event: Scenario, folder: Path) -> list[Path]:
        """See :func:`firegui.calibration.skill_figures.draw`; matplotlib takes a moment to load."""
        module = import_module("firegui.calibration.skill_figures")
        files: list[Path] = module.draw(report, states, event, folder)
        return files

    def demo(self) -> Project:
        """The synthetic demo fire (:func:`firegui.fire.demo.make_demo`)."""
        project: Project = import_module("firegui.fire.demo").make_demo()
        return project

    def check_backend(self, name: str) -> None:
        """Raise :class:`~firegui.errors.InputError` for a backend that is unknown or not there. ``auto`` always is."""
        if name != "auto":
            import_module("firegui.rollout.backend").choose(name)

    def device_name(self, device: str) -> str:
        """``the CPU``, ``the GPU NVIDIA H200``; ``the GPU`` where it is not on this machine."""
        if not device.startswith("cuda"):
            return "the CPU"
        cards = self.devices()["cuda"]
        return f"the GPU {cards[0]}" if cards else "the GPU"

    def benchmark(
        self, fire: tuple[str, FireMaps] | None, fleet: Fleet, rounds: int, say: Callable[[str], None]
    ) -> dict[str, Any]:
        """See :func:`firegui.rollout.benchmark.benchmark`; ``fire`` is a name and its maps, None a synthetic one."""
        module = import_module("firegui.rollout.benchmark")
        if fire is None:
            say("making a synthetic fire")
            fire = "synthetic fire", import_module("firegui.rollout.yardstick").synthetic_fire()
        backends = ("cpu", "cuda") if self.devices()["cuda"] else ("cpu",)
        found: dict[str, Any] = module.benchmark(*fire, fleet, module.Extent(backends=backends, rounds=rounds), say)
        return found

    def kernels(self) -> dict[str, Any]:
        """What compiles the kernels (:mod:`firegui.rollout.machine`); ``trouble`` is why the CPU has none."""
        trouble = import_module("firegui.rollout.backend").NO_KERNELS
        found: dict[str, Any] = import_module("firegui.rollout.machine").compilers()
        return {**found, "trouble": trouble}

    def devices(self) -> dict[str, Any]:
        """What the engine can compute on: torch's version, the kernels' threads and the graphics cards."""
        torch = import_module("torch")
        cards = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
        backend = import_module("firegui.rollout.backend")
        backend.use_threads()
        return {"torch": str(torch.__version__), "threads": int(backend.kernel_threads()), "cuda": cards}


def load_engine() -> LazyEngine:
    """The engine; nothing is imported until it is used."""
    return LazyEngine()

"""One schedule, rolled out for the map."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from firegui.domain.observation import FireRecord
from firegui.domain.schedule import Schedule
from firegui.errors import Problems
from firegui.rollout.engine_message import ignore_message
from firegui.runs.base_run import BaseRun
from firegui.runs.engine_messages import EngineMessages
from firegui.runs.events import BaselineReady, PlanUpdated, RunFinished
from firegui.runs.kept_fire import fire_problems
from firegui.runs.messages import gain_message
from firegui.runs.spec import EvaluateSpec, StressDrawOf
from firegui.runs.stages import FinishReason, RunState

if TYPE_CHECKING:
    from firegui.planning.run_fire import RunFire
    from firegui.planning.stress import StressWorld
    from firegui.rollout.model import Model
    from firegui.rollout.simulate import Rollout


FILE_EPOCH = -1
"""``PlanUpdated.epoch`` of a plan that comes from a file."""


class Evaluation(BaseRun[EvaluateSpec]):
    """Run of an :class:`~firegui.runs.spec.EvaluateSpec`; writes nothing."""

    def run(self) -> RunFinished:
        """Roll out the fire without drops, or what stands in its place, then the schedule."""
        spec, project = self._spec, self._spec.project
        problems = Problems()
        problems.extend(project.problems())
        if spec.against_project is not None:
            problems.extend(spec.against_project.problems())
        if spec.member is not None and not 0 <= spec.member.number < spec.member.settings.members:
            what = f"{spec.member.number} of an ensemble of {spec.member.settings.members}"
            problems.add("member", what, "members are counted from 0")
        for kept, other in ((spec.fire, project), (spec.against_fire, spec.against_project or project)):
            if kept is not None:
                problems.extend(fire_problems(kept, other.scenario.grid.shape, other.calendar))
        alone = spec.against_project is None and spec.fire is None and spec.against_fire is None
        if spec.stress is not None and not alone:
            problems.add("stress scenario", "holds for plans of one project and no kept fire", "leave those out")
        problems.raise_if_any("The project cannot be run")
        speaker = EngineMessages(self._emit, self._engine, spec.backend)
        check, tell = self._control.check, speaker.pass_on
        blown = project if spec.wind is None else self._engine.with_wind(project, spec.wind)
        nominal = project.plan.nominal
        model = self._engine.build(blown, nominal, spec.backend, tell=tell, check=check, waits=spec.waits)
        speaker.say_device(model)
        self._machine.move(RunState.RUNNING)
        model, spec = self._stressed(model)
        self._spec = spec
        second = self._model_of_other(model)
        baseline = self._first_fire(model, second)
        self.baseline_metrics = baseline.metrics
        if baseline.frames is not None:
            drops = () if spec.against is None else self._engine.drops(second, spec.against)
            self._emit(BaselineReady(baseline.metrics, baseline.frames, drops))
        if spec.schedule is None:
            text = f"{self._which()}the fire without drops is ready"
            return RunFinished(FinishReason.COMPLETED, text, None, baseline.metrics, None)
        plan = self._fire(model, spec.schedule, spec.fire)
        if plan.frames is not None:
            drops = self._engine.drops(model, spec.schedule)
            self._emit(PlanUpdated(FILE_EPOCH, plan.metrics, plan.frames, drops))
        text = f"{self._which()}{gain_message(baseline.metrics, plan.metrics)}"
        if spec.against is not None:
            text = f"objective {plan.metrics.objective:.4g}, {baseline.metrics.objective:.4g} for the other plan"
        return RunFinished(FinishReason.COMPLETED, text, plan.metrics, baseline.metrics, None)

    def _stressed(self, model: Model) -> tuple[Model, EvaluateSpec]:
        """Return the model, and what is rolled out in it: in a draw of a stress scenario, or as it stands."""
        spec, drawn = self._spec, self._spec.stress
        if drawn is None:
            return model, spec
        world = self._engine.stress_world(spec.project, model, drawn.scenario, check=self._control.check)
        if drawn.scenario.repair_hours:
            return world.model, self._exercised(model, world, drawn)
        plan, other = (
            None if one is None else self._engine.flown_in(world, model, one, drawn.number, drawn.seed)
            for one in (spec.schedule, spec.against)
        )
        return world.model, replace(spec, schedule=plan, against=other)

    def _exercised(self, model: Model, world: StressWorld, drawn: StressDrawOf) -> EvaluateSpec:
        """Return the plans as repaired in a draw, on the fires that were drawn."""
        spec, check = self._spec, self._control.check
        repair = self._engine.plan_repair(spec.project, model, check=check)
        exercise = self._engine.exercise(world, model, repair, drawn.number, drawn.seed)
        if spec.schedule is not None:
            schedule, fire = exercise.flown(spec.schedule, check)
            spec = replace(spec, schedule=schedule, fire=FireRecord((fire,)))
        if spec.against is not None:
            schedule, fire = exercise.flown(spec.against, check)
            spec = replace(spec, against=schedule, against_fire=FireRecord((fire,)))
        return spec

    def _model_of_other(self, model: Model) -> Model:
        """Return the model of the first fire: ``model``, unless it is of a plan for another project."""
        other = self._spec.against_project
        if other is None:
            return model
        check = self._control.check
        return self._engine.build(other, other.plan.nominal, self._spec.backend, tell=ignore_message, check=check)

    def _first_fire(self, model: Model, other: Model) -> Rollout | RunFire:
        """Return the fire without drops, or that of the plan to compare with, whose model is ``other``."""
        spec = self._spec
        if spec.against is not None:
            return self._fire(other, spec.against, spec.against_fire)
        if spec.fire is None or spec.schedule is None:
            return self._rollout(other, None)
        stride, check = spec.stride, self._control.check
        return self._engine.fire_without_drops(model, spec.schedule, spec.fire, frame_stride=stride, check=check)

    def _fire(self, model: Model, schedule: Schedule, kept: FireRecord | None) -> Rollout | RunFire:
        """Return the fire of ``schedule``, as its run kept it or as simulated."""
        if kept is None:
            return self._rollout(model, schedule)
        stride, check = self._spec.stride, self._control.check
        return self._engine.run_fire(model, schedule, kept.plan, frame_stride=stride, check=check)

    def _rollout(self, model: Model, schedule: Schedule | None) -> Rollout:
        spec, check = self._spec, self._control.check
        if spec.member is not None:
            member, stride = spec.member, spec.stride
            return self._engine.member(
                spec.project, model, schedule, member.settings, member.number, error=member.error, frame_stride=stride,
                check=check,
            )  # fmt: skip
        flown = Schedule.empty(model.maps.n_steps, model.fleet.n_aircraft) if schedule is None else schedule
        return self._engine.simulate(model, flown, check=check, frame_stride=spec.stride)

    def _which(self) -> str:
        """Return the label of a fire, ``member 12: `` or ``late, draw 0: ``.

        It is counted from 0 as in the tables.
        """
        if self._spec.stress is not None:
            return f"{self._spec.stress.scenario.name}, draw {self._spec.stress.number}: "
        return "" if self._spec.member is None else f"member {self._spec.member.number}: "

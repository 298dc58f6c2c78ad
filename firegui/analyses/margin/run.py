"""A margin curve as a run: a plan for each margin, and its stress test, one after the other."""

from __future__ import annotations

from dataclasses import replace

from firegui.analyses.margin.report import curve_message, plan_title
from firegui.analyses.margin.results import (
    STORE,
    TITLE,
    MarginHeader,
    plan_folder,
    read_curve,
    resume_problems,
    stress_test_folder,
    write_curve,
)
from firegui.analyses.nested_plan import PASSED_ON, follow_pauses, nested_spec, planned, stress_tested
from firegui.domain.margin_curve import CurvePlan, MarginCurve, MarginPoint
from firegui.errors import CancelledError, Problem
from firegui.runs.base_run import SavedRun
from firegui.runs.events import MarginReady, Message, Progress, RunEvent, RunFinished, StressTestProgress
from firegui.runs.header import common_fields
from firegui.runs.run_folder import PLAN, RunRecord, kept_schedule, read_drops
from firegui.runs.spec import MarginSpec, StressSpec
from firegui.runs.stages import FinishReason, RunState

_REPLANNED = "it is replanned, and counts in the test with replanning alone"
_NOT_REPLANNED = "it is replanned, and the curve has no test with replanning"


def margin_problems(spec: MarginSpec) -> list[Problem]:
    """Return the problems of ``spec``, except those of its folder."""
    project = spec.project
    return project.problems() + spec.settings.problems(project.stress, project.scenario.steps_per_day)


class MarginRun(SavedRun[MarginSpec, MarginHeader]):
    """Run of a :class:`~firegui.runs.spec.MarginSpec`."""

    store = STORE
    _done = 0
    _device_said = False
    _step_text = ""

    def run(self) -> RunFinished:
        """Make and test the plans that are missing. Writes nothing before the input is known to be good."""
        spec = self._spec
        then = self._folder.checked(margin_problems(spec), lambda then: resume_problems(then, spec))
        if then is not None and then.reason is FinishReason.COMPLETED:
            return self._nothing_left(then, MarginReady(read_curve(spec.out)))
        self._machine.move(RunState.RUNNING)
        backend = then.backend if then is not None else ""
        self._folder.claim(then, MarginHeader(**common_fields(spec, then, backend), settings=spec.settings))
        self._update(state=RunState.RUNNING)
        project = spec.project
        name, model, plan = project.scenario.name, project.fire_model.label, project.plan
        curve, reason = MarginCurve(name, model, plan.setting, plan.margin.limit, spec.settings), FinishReason.COMPLETED
        try:
            for wanted in spec.settings.plans:
                curve = self._with_plan(curve, wanted)
                self._keep(curve)
        except CancelledError:
            reason = FinishReason.STOPPED
            self._machine.move(RunState.STOPPING)
        return self._conclude(curve, reason)

    # -- the plans ---------------------------------------------------------------------------------------------------
    def _with_plan(self, curve: MarginCurve, plan: CurvePlan) -> MarginCurve:
        """Return the curve with ``plan``, which is made and tested where that was not done before."""
        title = plan_title(plan, self._spec.settings)
        self._begin_step(f"{title}: planning")
        record = self._planned(plan)
        self.baseline_metrics = self.baseline_metrics or record.baseline
        self._folder.update(state=RunState.RUNNING, backend=record.header.backend)
        self._done += 1
        self._begin_step(f"{title}: stress test")
        spec = self._stress_spec(plan, record)
        table = stress_tested(spec, self._pass_on, self._control, self._engine, follow_pauses(self._machine))
        self._done += 1
        if not table.results:
            return curve.without(plan, "; ".join(dict.fromkeys(reason for _, reason in table.left_out)))
        if plan is not CurvePlan.REPLANNED:
            why = _REPLANNED if self._spec.settings.repair_hours else _NOT_REPLANNED
            own = tuple((one.name, why) for one in self._spec.project.stress.repaired)
            table = replace(table, left_out=table.left_out + own)
        gallons = sum(drop.payload_gal for drop in read_drops(record.folder) if drop.executed)
        names = record.folder.name, spec.out.name
        return curve.with_point(MarginPoint.of(plan, *names, table, gallons, record.header.seconds))

    def _planned(self, plan: CurvePlan) -> RunRecord:
        spec = self._spec
        project, out = spec.project.with_margin(plan.margin), spec.out / plan_folder(plan)
        made = nested_spec(project, out, spec.backend, spec.checkpoint_seconds, spec.project_folder)
        follow = follow_pauses(self._machine)
        return planned(made, self._pass_on, self._control, self._engine, follow, TITLE)

    def _stress_spec(self, plan: CurvePlan, record: RunRecord) -> StressSpec:
        spec = self._spec
        project = spec.project.with_margin(plan.margin)
        settings = spec.settings.test(plan, project.stress)
        return StressSpec(
            project=project,
            out=spec.out / stress_test_folder(plan),
            command="",
            settings=settings,
            schedule=kept_schedule(record.folder, project),
            backend=spec.backend,
            checkpoint_seconds=spec.checkpoint_seconds,
            project_folder=spec.project_folder,
            schedule_file=record.folder / PLAN,
        )

    def _pass_on(self, event: RunEvent) -> None:
        if isinstance(event, Message) and event.device is not None:
            # Every plan and every test says what it computes on.
            if self._device_said:
                return
            self._device_said = True
        if isinstance(event, (Progress, StressTestProgress)):
            self._emit(replace(self._step, text=f"{self._step_text}, {event.text}"))
        elif isinstance(event, PASSED_ON):
            self._emit(event)

    # -- the end -----------------------------------------------------------------------------------------------------
    def _conclude(self, curve: MarginCurve, reason: FinishReason) -> RunFinished:
        message = curve_message(curve, reason)
        self._keep(curve)
        if reason is FinishReason.COMPLETED:  # a stop does not wait for matplotlib
            self._engine.draw_margin(curve, self._spec.out)
        return self._finish(reason, message)

    def _keep(self, curve: MarginCurve) -> None:
        write_curve(self._spec.out, curve)
        self._emit(MarginReady(curve))

    # -- small things ------------------------------------------------------------------------------------------------
    @property
    def _step(self) -> Progress:
        """What is being done: each plan is two steps, to make it and to test it."""
        return Progress(self._done, 2 * len(self._spec.settings.plans), self._step_text)

    def _begin_step(self, text: str) -> None:
        self._control.check()
        self._step_text = text
        self._emit(self._step)

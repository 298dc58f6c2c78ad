"""Run that plans: first stage, second stage, both, the tactical heuristic, or a schedule as it is."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.domain.scenario import LAYERS
from firegui.domain.schedule import DropRecord, Schedule
from firegui.domain.settings import Margin, ObjectiveWeights, Setting
from firegui.domain.stress import StressTable, growth_left_text, missed_text
from firegui.errors import CancelledError, Check, InputError, Problems
from firegui.io.project.schedule_file import read_schedule
from firegui.planning.audit import AuditReport, Conditions, stated_use
from firegui.planning.flight_rules import with_pins
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import (
    BaselineReady,
    Emit,
    Message,
    PlanUpdated,
    RunFinished,
    StageBegan,
    StressReady,
    StressTestProgress,
)
from firegui.runs.failures import failure_message, is_foreseen, write_log
from firegui.runs.first_stage import MAIN, PRELIMINARY, FirstStage, StageFiles
from firegui.runs.header import new_header
from firegui.runs.history import read_history
from firegui.runs.leaks import Bools, LeakCounts, write_leaks
from firegui.runs.messages import finish_message, gain_message, pruned_message, tactical_message
from firegui.runs.resume import resume_problems
from firegui.runs.run_folder import (
    LEAK,
    PRELIMINARY_HISTORY,
    REFERENCE,
    EliminationSummary,
    RunFolder,
    RunRecord,
    RunScores,
    TacticalProgress,
)
from firegui.runs.run_folder import PRELIMINARY as PRELIMINARY_PLAN
from firegui.runs.run_repair import check_out
from firegui.runs.second_stage import SecondStage
from firegui.runs.session import RunSession, SessionRun
from firegui.runs.spec import PlanSpec
from firegui.runs.stages import REMOVAL_TEXT, FinishReason, RunState, Stage
from firegui.runs.state import RunMachine
from firegui.runs.summary import write_summary
from firegui.runs.tactical_stage import TacticalStage, budget_problems
from firegui.runs.titles import warm_start_text

if TYPE_CHECKING:
    from firegui.planning.gradient import GradientPlanner
    from firegui.planning.margin import MarginPlanning
    from firegui.rollout.model import Model
    from firegui.rollout.simulate import Rollout


class Planning(SessionRun[PlanSpec, RunFolder]):
    """Run of a :class:`~firegui.runs.spec.PlanSpec`."""

    title = "The run cannot start"

    def __init__(self, spec: PlanSpec, emit: Emit, control: RunControl, engine: Engine, machine: RunMachine) -> None:
        super().__init__(spec, emit, control, engine, machine, RunFolder(spec.out, spec.resume))
        self._settings = spec.project.plan.optimizer
        self._first: FirstStage | None = None
        self._second: SecondStage | None = None
        self._tactical: TacticalStage | None = None
        self._margin: MarginPlanning | None = None
        self._kept: Schedule | None = None  # where no stage has anything better
        self._warm = spec.warm_start is not None
        self._tests_stopped = False

    def run(self) -> RunFinished:
        """Prepare, execute the stages, conclude. Writes nothing before the input is checked."""
        previous = self._checked()
        project, tell = self._spec.project, self._speaker.pass_on
        check, design = self._control.check, project.plan.design
        model = self._engine.build(project, design, self._spec.backend, tell=tell, check=check)
        session = self._open(model, previous)
        try:
            self._baseline(session)
            self._margin = self._margin_planning(session)
            reason = self._stages(session, previous)
        except CancelledError:
            reason = FinishReason.STOPPED
            self._machine.move(RunState.STOPPING)
        return self._conclude(session, reason)

    # -- before the first stage --------------------------------------------------------------------------------------
    def _checked(self) -> RunRecord | None:
        problems = Problems()
        found = self._spec.project.problems()
        problems.extend([*found, *budget_problems(self._spec.budget, None if found else self._spec.project)])
        previous = None
        try:
            previous = check_out(self._spec.out, self._spec.resume)
        except InputError as error:
            problems.extend(error.problems)
        if previous is not None and not problems:
            problems.extend(resume_problems(previous, self._spec))
        alone = self._spec.stages in ((Stage.PRUNE,), (Stage.KEEP,))
        if alone and self._spec.warm_start is None and not self._has(REFERENCE):
            problems.add("schedule", f"there is none to {self._spec.stages[0].value}", "give the schedule")
        problems.raise_if_any(self.title)
        # A resumed run is not given the schedule again that it started from.
        self._warm = self._warm or (previous is not None and previous.header.warm_start != "")
        return previous

    def _open(self, model: Model, previous: RunRecord | None) -> RunSession:
        then = previous.header if previous else None
        header = new_header(self._spec, model.backend, model.device, then)
        session = self._begin_session(self._spec, model, then, header)
        if previous is not None:
            # The plan that was tested may change from now on.
            (session.folder.path / LEAK).unlink(missing_ok=True)
            if previous.scores.stress is not None:
                session.folder.write_scores(replace(previous.scores, stress=None))
            was = (previous.header.backend, previous.header.device)
            if was != (model.backend, model.device):
                session.warn(f"the run was started on {self._words(*was)}: the last digits may differ from then on")
        self._speaker.say_device(model)
        missing = self._spec.project.scenario.missing_layers
        if missing and self._spec.project.maps is None:
            self._emit(Message("planned without the layers " + ", ".join(LAYERS[key][0].lower() for key in missing)))
        file = self._spec.warm_start_file
        if self._spec.warm_start is not None and file is not None and Stage.KEEP not in self._spec.stages:
            self._emit(Message(warm_start_text(file, self._spec.project.plan)))
        return session

    def _baseline(self, session: RunSession) -> None:
        model, stride = session.model, self._spec.stride
        nothing = Schedule.empty(model.maps.n_steps, model.fleet.n_aircraft)
        check = self._control.check
        baseline = self._engine.simulate(model, nothing, check=check, frame_stride=stride, keep_days=True)
        self.baseline_metrics = baseline.metrics
        if baseline.p_fire_days is not None:
            session.folder.write_baseline(baseline.p_fire_days, self._spec.project)
        plan = self._spec.project.plan
        if plan.setting is Setting.B and baseline.metrics.loss_prot <= plan.elimination.floor:
            session.warn(
                "without drops the fire reaches no protected region in these days: there is nothing to protect"
            )
        if baseline.frames is not None:
            self._emit(BaselineReady(baseline.metrics, baseline.frames))

    def _margin_planning(self, session: RunSession) -> MarginPlanning | None:
        """Return the stages of a plan with a margin, or nothing where none of them runs."""
        project = self._spec.project
        searches = Stage.OPTIMIZE in self._spec.stages or Stage.PRUNE in self._spec.stages
        if project.plan.margin.kind is Margin.NONE or not searches:
            return None
        margin = self._engine.margin_planning(project, session.model, check=self._control.check)
        for name, reason in margin.left_out:
            self._emit(Message(f"the stress scenario {name} is left out: {reason}"))
        return margin

    # -- the stages --------------------------------------------------------------------------------------------------
    def _stages(self, session: RunSession, previous: RunRecord | None) -> FinishReason:
        session.move(RunState.RUNNING)
        if Stage.TACTICAL in self._spec.stages:
            return self._sweep(session)
        if Stage.KEEP in self._spec.stages:
            return self._keep(session)
        if Stage.PRUNE not in self._spec.stages:
            return self._optimize(session, previous, session.model, MAIN, self._spec.warm_start, 1)
        reference = self._reference(session, previous)
        self._prune(session, previous, reference)
        return FinishReason.COMPLETED

    @property
    def _borrows(self) -> bool:
        """Whether setting B begins with setting A's first stage (paper, section ``scope_objective``)."""
        plan = self._spec.project.plan
        return plan.setting is Setting.B and Stage.OPTIMIZE in self._spec.stages and not self._warm

    @property
    def _count(self) -> int:
        return len(self._spec.stages) + self._borrows

    def _reference(self, session: RunSession, previous: RunRecord | None) -> Schedule:
        """Return what the second stage begins with."""
        if self._has(REFERENCE):
            return self._read(session, REFERENCE)
        start = self._spec.warm_start
        if Stage.OPTIMIZE in self._spec.stages:
            if self._borrows:
                start = self._of_setting_a(session, previous)
            if start is None or not self._satisfied(session, start):
                self._optimize(session, previous, session.model, MAIN, start, self._count - 1)
                assert self._first is not None
                start = self._first.planner.best
        assert start is not None
        start = with_pins(start, session.model)
        session.folder.write_plan(start, REFERENCE)
        return start

    def _of_setting_a(self, session: RunSession, previous: RunRecord | None) -> Schedule:
        if self._has(PRELIMINARY_PLAN):
            return self._read(session, PRELIMINARY_PLAN)
        model = session.model.with_weights(ObjectiveWeights.of(Setting.A))
        self._optimize(session, previous, model, PRELIMINARY, None, 1)
        assert self._first is not None
        best = self._first.planner.best
        session.folder.write_plan(best, PRELIMINARY_PLAN)
        return best

    def _satisfied(self, session: RunSession, start: Schedule) -> bool:
        """Return whether ``start`` already protects the regions, so that setting B has nothing to find."""
        plan = self._spec.project.plan
        if plan.setting is not Setting.B or self._margin is not None:
            return False
        self._kept, self._first = start, None
        exposure = self._engine.simulate(session.model, start, check=self._control.check).metrics.loss_prot
        met = exposure <= plan.elimination.floor
        if met:
            text = f"protected exposure {exposure:.2g} is below {plan.elimination.floor:g} from the start"
            self._emit(Message(f"{text}: no search is needed"))
        return met

    def _optimize(
        self, session: RunSession, previous: RunRecord | None, model: Model, ledger: StageFiles,
        start: Schedule | None, number: int,
    ) -> FinishReason:  # fmt: skip
        text = "search for the whole fire, to begin with" if ledger is PRELIMINARY else "search: place drops"
        self._emit(StageBegan(Stage.OPTIMIZE, number, self._count, text))
        rows = () if previous is None else previous.history
        if ledger is PRELIMINARY:
            rows = read_history(self._spec.out / PRELIMINARY_HISTORY, self._settings.epochs)
        if self._has(ledger.checkpoint):
            planner = self._restored_planner(model, self._spec.out / ledger.checkpoint)
            stage = FirstStage(session, model, planner, ledger, rows)
        else:
            begin = self._engine.start_schedule(model, self._settings, start, self._control.check)
            stage = FirstStage(session, model, self._planner(model, begin), ledger, ())
            session.save(stage.save)
        self._first = stage
        reason = stage.run()
        session.save(stage.save)
        return reason

    def _planner(self, model: Model, start: Schedule) -> GradientPlanner:
        if self._margin is not None:
            return self._margin.first_stage(model, self._settings, start)
        return self._engine.planner(model, self._settings, start, self._control.check)

    def _restored_planner(self, model: Model, checkpoint: Path) -> GradientPlanner:
        if self._margin is not None:
            nothing = Schedule.empty(model.n_steps, model.fleet.n_aircraft)
            return self._margin.first_stage(model, self._settings, nothing, checkpoint)
        return self._engine.restore_planner(model, self._settings, checkpoint)

    def _prune(self, session: RunSession, previous: RunRecord | None, reference: Schedule) -> None:
        self._kept = reference
        self._emit(StageBegan(Stage.PRUNE, self._count, self._count, REMOVAL_TEXT))
        rows = () if previous is None else previous.elimination
        epoch, plan = session.folder.header.best_epoch, self._spec.project.plan
        # A folder that is not resumed held nothing of this run.
        self._second = SecondStage(
            session, session.model, plan, reference, rows, epoch, resume=previous is not None, margin=self._margin
        )
        self._second.run()

    def _sweep(self, session: RunSession) -> FinishReason:
        self._emit(StageBegan(Stage.TACTICAL, 1, 1, "drops placed by the quick plan"))
        self._tactical = TacticalStage(session, self._spec.budget)
        return self._tactical.run()

    def _keep(self, session: RunSession) -> FinishReason:
        start, kept = self._spec.warm_start, REFERENCE
        self._emit(StageBegan(Stage.KEEP, 1, 1, "a schedule kept as it is"))
        self._kept = with_pins(self._read(session, kept) if start is None else start, session.model)
        session.folder.write_plan(self._kept, kept)
        session.folder.write_plan(self._kept)
        session.folder.write_history(())
        return FinishReason.COMPLETED

    def _has(self, name: str) -> bool:
        return (self._spec.out / name).is_file()

    def _read(self, session: RunSession, name: str) -> Schedule:
        model = session.model
        return read_schedule(self._spec.out / name, model.fleet, model.maps.n_steps, model.maps.shape)

    # -- the end -----------------------------------------------------------------------------------------------------
    def _plan(self) -> Schedule | None:
        """Return the best schedule so far."""
        if self._tactical is not None:
            return self._tactical.best
        if self._second is not None:
            return self._second.schedule
        if self._first is not None and self._first.planner.best_epoch >= 0:
            return self._first.planner.best
        return self._kept

    def _conclude(self, session: RunSession, reason: FinishReason) -> RunFinished:
        stage = self._second or self._first or self._tactical
        plan = self._plan()
        if stage is not None:
            stage.save()
        elif plan is not None:
            session.folder.write_plan(plan)
        nominal, stress = (None, None) if plan is None else self._score(session, plan, reason)
        self._score_curve(session, reason)
        message = self._message(session, reason, stress)
        if nominal is not None and self.baseline_metrics is not None:
            done = session.folder.header.epochs_done if self._is_unpruned_search() else None
            message = f"{message}. At expected effectiveness: {gain_message(self.baseline_metrics, nominal, done)}"
        if stress is not None:
            message = f"{message}. {growth_left_text(stress)}"
        ended: dict[str, Any] = {"state": RunState.FINISHED, "reason": reason, "message": message}
        session.folder.update(**ended, seconds=session.seconds, tests_stopped=self._tests_stopped)
        return RunFinished(reason, message, nominal, self.baseline_metrics, session.folder.path)

    def _is_unpruned_search(self) -> bool:
        """Return whether a search of this run made the plan, and no drop was removed from it."""
        if self._second is None:
            return self._first is not None
        # A search that is resumed in the removal of drops has no first stage.
        return Stage.OPTIMIZE in self._spec.stages and self._second.pruned.drops_before == 0

    def _message(self, session: RunSession, reason: FinishReason, stress: StressTable | None) -> str:
        if self._second is not None:
            return pruned_message(reason, self._second.pruned, self._spec.project.plan, stress)
        if Stage.TACTICAL in self._spec.stages:
            return tactical_message(reason, None if self._tactical is None else self._tactical.swept)
        if Stage.KEEP in self._spec.stages:
            return "stopped on request; resume the run to go on" if self._kept is None else "kept as it was given"
        if self._first is None and self._kept is not None:
            return "stopped on request before drops were removed; resume the run to go on"
        header, rows = session.folder.header, [] if self._first is None else self._first.rows
        best = rows[-1].best if rows else math.nan
        return finish_message(reason, self._settings, header.epochs_done, header.best_epoch, best)

    def _score(
        self, session: RunSession, plan: Schedule, reason: FinishReason
    ) -> tuple[Metrics | None, StressTable | None]:
        metrics, scores = self._write_scores(session, plan)
        # An ordinary stop still waits for the score of what it kept, but not for the stress test.
        if reason is FinishReason.STOPPED or scores.nominal is None:
            return metrics, None
        fires = StressFires()
        stress = self._stress_test(session, plan, scores, fires)
        if stress is not None and (earlier := self._earlier_that_holds(session, stress)) is not None:
            assert self._second is not None
            place, stress, fires = earlier
            self._second.take_earlier(place)
            metrics, scores = self._write_scores(session, self._second.schedule)
            self._write_test(session, stress, fires, scores)
        if stress is not None:
            stress = self._test_with_repair(session, stress, scores, fires)
            self._emit(StressReady(stress))
        return metrics, stress

    def _write_scores(self, session: RunSession, plan: Schedule) -> tuple[Metrics | None, RunScores]:
        """Write a plan and its scores. Return its metrics where it has a picture, and the scores."""
        first_only = self._second is None and self._first is not None
        conclusion = PlanConclusion(
            engine=self._engine,
            model=session.model,
            project=self._spec.project,
            best=plan,
            best_epoch=session.folder.header.best_epoch,
            baseline=self.baseline_metrics,
            design=self._first.best_metrics if first_only and self._first is not None else None,
            frame_stride=self._spec.stride,
            reference=self._read(session, REFERENCE) if self._second is not None else None,
            pruned=None if self._second is None else self._second.pruned,
            swept=None if self._tactical is None else self._tactical.swept,
        )
        shown, scores = conclusion.write(session.folder, self._control.check_abandoned)
        if shown is not None:
            self._emit(shown)
        return None if shown is None else shown.metrics, scores

    def _earlier_that_holds(
        self, session: RunSession, table: StressTable
    ) -> tuple[int, StressTable, StressFires] | None:
        """Return the point with the fewest drops that holds in the stress test, with its table and its fires.

        It is an index of the removal curve.
        ``None`` where the plan of ``table`` holds and where no earlier one does. The removal tests its plans on other
        random draws. A plan within its limits there may exceed them in the draws of the stress test.
        """
        second, margin, plan = self._second, self._margin, self._spec.project.plan
        if second is None or margin is None or plan.margin.kind is not Margin.STRESS or not missed_text(table, plan):
            return None
        places = second.earlier_that_held()
        failed = table.worst_held(plan.weights).scenario.name
        if places:
            self._emit(Message("the plan does not hold in the stress test; testing earlier plans of the removal"))
        with self._keeping_plan(session, "earlier plans of the removal could not be stress-tested"):
            for place in places:
                session.pause_or_stop(lambda: None)
                schedule = second.curve.schedule(place)
                # The scenario that failed refuses most of them.
                for only in (failed, ""):
                    fires, check = StressFires(), self._control.check
                    found = margin.table(session.model, schedule, only=only, burned=fires.add, check=check)
                    if missed_text(found, plan):
                        break
                else:
                    return place, found, fires
        return None

    def _score_curve(self, session: RunSession, reason: FinishReason) -> None:
        """Score the removal curve at nominal effectiveness. A stop leaves it for the next session."""
        if self._second is None or reason is FinishReason.STOPPED:
            return
        with self._keeping_plan(session, "the removal curve could not be scored"):
            self._second.score_curve(session.model.with_effectiveness(self._spec.project.plan.nominal))

    def _stress_test(
        self, session: RunSession, plan: Schedule, scores: RunScores, fires: StressFires
    ) -> StressTable | None:
        """Return the stress table of the plan and add it to the saved scores; ``None`` where it has none.

        The plan is complete before it. So a stop or an error ends only the test. ``fires`` are given its draws.
        """
        project = self._spec.project
        if not project.stress.unrepaired:
            return None

        began, check = self._tells_progress(session), self._control.check

        def table() -> StressTable:
            told: dict[str, Any] = {"began": began, "burned": fires.add, "check": check}
            if self._margin is not None:
                return self._margin.table(session.model, plan, **told)
            return self._engine.stress_table(project, session.model, plan, project.stress, **told)

        return self._tested(session, scores, table, fires, "the plan could not be stress-tested")

    def _test_with_repair(
        self, session: RunSession, table: StressTable, scores: RunScores, fires: StressFires
    ) -> StressTable:
        """Return the table of a plan that holds with the scenarios in which it is replanned, and save it.

        A plan that does not hold has its verdict without them. A stop or an error keeps the table as it is.
        """
        plan, margin = self._plan(), self._margin
        if margin is None or plan is None or not self._repaired_draws or missed_text(table, self._spec.project.plan):
            return table
        began, check, model = self._tells_progress(session, repairs=True), self._control.check, session.model
        what = "the plan could not be tested with replanning"
        told: dict[str, Any] = {"began": began, "burned": fires.add, "check": check}
        found = self._tested(session, scores, lambda: margin.repaired(model, plan, table, **told), fires, what)
        return table if found is None else found

    @property
    def _repaired_draws(self) -> int:
        """Draws that the stress test flies with repair, if the plan holds without."""
        if self._margin is None or not self._spec.tests_repair:
            return 0
        return sum(one.n_draws for one in self._spec.project.stress.repaired)

    def _tells_progress(self, session: RunSession, *, repairs: bool = False) -> Callable[[int, int, str], None]:
        """Return what tells how far the stress test is: its scenarios, or its draws with repair."""
        stress = self._spec.project.stress
        repaired = stress.repaired if self._repaired_draws else ()
        n_unrepaired, ends = len(stress.unrepaired), list(accumulate(one.n_draws for one in repaired))
        steps = 1 + n_unrepaired + self._repaired_draws

        def began(number: int, _total: int, name: str) -> None:
            session.pause_or_stop(lambda: None)
            # The model itself is the first step, and none of the scenarios.
            over = n_unrepaired + bisect_right(ends, number) if repairs else max(number - 1, 0)
            step = 1 + n_unrepaired + number if repairs else number
            text = f"stress test: {name}"
            self._emit(StressTestProgress(over, n_unrepaired + len(repaired), text, step / steps))

        return began

    def _tested(
        self, session: RunSession, scores: RunScores, test: Callable[[], StressTable], fires: StressFires, failed: str
    ) -> StressTable | None:
        """Return the table of a test and add it to the saved scores; ``None`` where the test did not end."""
        with self._keeping_plan(session, failed, "the stress test was stopped; the plan is complete"):
            table = test()
            self._write_test(session, table, fires, scores)
            return table
        return None

    @contextmanager
    def _keeping_plan(self, session: RunSession, failed: str, stopped: str = "") -> Iterator[None]:
        """Let a stop or an error end only what is done in the context: the plan is there.

        A stop is noted for the next session, and told by ``stopped``. An error is a warning that begins with
        ``failed``; the traceback of an unforeseen one goes into the log.
        """
        try:
            yield
        except CancelledError:
            self._tests_stopped = True
            if stopped:
                self._emit(Message(stopped))
        except Exception as error:
            if not is_foreseen(error):
                write_log(error, session.folder.path)
            session.warn(f"{failed} ({failure_message(error)})")

    def _write_test(self, session: RunSession, table: StressTable, fires: StressFires, scores: RunScores) -> None:
        """Write where fire gets through in a test, then the scores with its table."""
        if fires.leaks is not None:
            write_leaks(session.folder.path, fires.leaks.maps(table), self._spec.project)
        session.folder.write_scores(replace(scores, stress=table))

    def _words(self, backend: str, device: str) -> str:
        name = self._engine.device_name(device)
        return f"{name}, plain reference" if backend == "reference" else name


class StressFires:
    """Where fire gets through in the draws of a stress test; the nominal world comes first."""

    def __init__(self) -> None:
        self.leaks: LeakCounts | None = None

    def add(self, name: str, burns: Bools) -> None:
        """Add the next draw of a scenario."""
        self.leaks = LeakCounts(burns) if self.leaks is None else self.leaks.with_draw(name, burns)


@dataclass(frozen=True, slots=True, eq=False)
class PlanConclusion:
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
    pruned: EliminationSummary | None = None
    swept: TacticalProgress | None = None

    def write(self, folder: RunFolder, check: Check) -> tuple[PlanUpdated | None, RunScores]:
        """Write the plan, then its scores. Return the plan at nominal effectiveness, and the scores.

        The schedule is safe before the first rollout begins. When ``check`` cancels the rollouts, the nominal score is
        left out and no picture returned. Raises :class:`~firegui.errors.InputError` where the folder cannot be written.
        """
        drops = self.engine.drops(self.model, self.best)
        flames = folder.write_drops(drops, self.project)
        try:
            scored = self._score(check)
            design = self.design or self.engine.simulate(self.model, self.best, check=check).metrics
            reference = None if self.reference is None else self._at_nominal(self.reference, check).metrics
        except CancelledError:
            audit = self._audit(drops, None)
            scores = RunScores(self.baseline, None, self.design, audit, None, self.pruned, self.swept)
            folder.write_scores(scores)
            return None, scores
        audit = self._audit(drops, scored.metrics)
        scores = RunScores(self.baseline, scored.metrics, design, audit, reference, self.pruned, self.swept)
        folder.write_scores(scores)
        if scored.p_fire_days is not None:
            folder.write_occupancy(scored.p_fire_days, self.project)
        write_summary(folder.path, self.project, flames)
        if scored.frames is None:
            return None, scores
        stage = Stage.OPTIMIZE if self.pruned is None else Stage.PRUNE
        return PlanUpdated(self.best_epoch, scored.metrics, scored.frames, drops, stage), scores

    def _audit(self, drops: tuple[DropRecord, ...], scored: Metrics | None) -> AuditReport:
        maps = self.model.maps
        # What the rollout's gates executed, checked by code that shares nothing with them.
        executed = [(drop.step, drop.column) for drop in drops if drop.executed]
        conditions, stated = Conditions.of(self.project), [] if scored is None else [stated_use(executed, scored)]
        return self.engine.audit(
            self.best, self.model.fleet, maps.steps_per_day, maps.shape, executed, conditions=conditions, stated=stated
        )

    def _score(self, check: Check) -> Rollout:
        nominal = self.model.with_effectiveness(self.project.plan.nominal)
        return self.engine.simulate(nominal, self.best, check=check, frame_stride=self.frame_stride, keep_days=True)

    def _at_nominal(self, schedule: Schedule, check: Check) -> Rollout:
        return self.engine.simulate(self.model.with_effectiveness(self.project.plan.nominal), schedule, check=check)

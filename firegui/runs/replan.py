"""Run of one turn of a receding horizon: read the observed fire, keep what was flown, plan the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from firegui.domain.observation import DayStates, FireRecord, FireState
from firegui.domain.results import Metrics
from firegui.domain.units import Units
from firegui.errors import CancelledError, InputError, Problem
from firegui.planning.audit import AuditReport
from firegui.runs.events import BaselineReady, Message, PlanUpdated, RunFinished
from firegui.runs.kept_fire import write_kept_fire
from firegui.runs.messages import counted
from firegui.runs.replan_base import TITLE, ReplanJob, ReplanScores, note_of
from firegui.runs.replan_stages import ReplanFolder, ReplanResult, RestStages
from firegui.runs.session import RunSession
from firegui.runs.stages import FinishReason, RunState, Stage
from firegui.runs.summary import write_summary

if TYPE_CHECKING:
    from firegui.planning.replan import RemainingProblem, Replanner
    from firegui.planning.run_fire import RunFire


@dataclass(frozen=True, slots=True)
class _Outlook:
    """From the observed fire on, at nominal effectiveness: no further drop, and the old plan continued."""

    nothing: Metrics
    continued: Metrics


class Replanning(ReplanJob):
    """Run of a :class:`~firegui.runs.spec.ReplanSpec` with an observed fire."""

    def run(self) -> RunFinished:
        """Prepare, plan what is left, conclude. Writes nothing before the input is known to be good."""
        spec, check = self._spec, self._control.check
        previous = self._checked(note_of(spec))
        replanner = self._engine.replanner(spec.project, backend=spec.backend, tell=self._speaker.pass_on, check=check)
        state, notes = self._state(replanner)
        kept = FireRecord((DayStates.observed(spec.day, state),))
        left = replanner.left(spec.schedule, spec.day, state, check, is_observed=True)
        note = note_of(spec, state, notes)
        if previous is not None and previous.header.replan is not None and previous.header.replan.fire != note.fire:
            problem = Problem(str(spec.out), "was run from another fire", "give the project it was started on")
            raise InputError([problem], TITLE)
        nothing = self._engine.fire_without_drops(
            replanner.whole, spec.schedule, kept, frame_stride=self._stride, keep_days=True, check=check
        )
        self.baseline_metrics = nothing.metrics
        outlook = _Outlook(nothing.metrics, left.score(left.rest, check=check).metrics)
        session = self._open(left.design, previous, note, self._plan)
        self._folder.whole = left.joined
        write_kept_fire(self._folder.path, kept.fires)
        assert nothing.p_fire_days is not None
        self._folder.write_baseline(nothing.p_fire_days, spec.project, spec.day)
        if nothing.frames is not None:
            self._emit(BaselineReady(nothing.metrics, nothing.frames))
        stages = RestStages(session, spec.project.plan, left, previous)
        try:
            session.move(RunState.RUNNING)
            reason = stages.run()
        except CancelledError:
            reason = FinishReason.STOPPED
            self._machine.move(RunState.STOPPING)
        stages.save()
        return self._conclude(_Work(replanner, left, kept, outlook, stages.ended), session, self._folder, reason)

    def _state(self, replanner: Replanner) -> tuple[FireState, list[str]]:
        """Return the observed fire, and what was assumed of it."""
        spec, seen = self._spec, self._spec.observed
        assert seen is not None
        notes, earlier = list(seen.notes), seen.earlier
        if earlier is None:
            earlier = replanner.simulated(spec.schedule, spec.day - 1, self._control.check)
            notes.append(f"no earlier perimeter: day {spec.day} as simulated (P > 0.5) tells new fire from old")
        state = FireState.between(earlier, seen.fire)
        gone = int((earlier & ~seen.fire).sum())
        if gone:
            notes.append(f"{counted(gone, 'cell')} of the day before lie outside the perimeter and count as not burned")
        if not state.burning.any():
            what = "nothing is new since the perimeter before it, so nothing burns any more"
            raise InputError([Problem("observed", what, "give a later perimeter; no drop is needed until then")], TITLE)
        for note in notes:
            self._emit(Message(note))
        text = f"day {spec.day + 1}: {counted(int(state.burning.sum()), 'cell')} burning"
        self._emit(Message(f"{text}, {counted(int(state.burned.sum()), 'cell')} burned out"))
        return state, notes

    def _conclude(self, work: _Work, session: RunSession, folder: ReplanFolder, reason: FinishReason) -> RunFinished:
        drops, audit = work.replanner.table(work.left.joined(work.ended.rest))
        flames = folder.write_drops(drops, self._spec.project)
        message = _opening(reason, self._spec.day)
        fire = None
        try:
            fire = self._score(work, folder, audit, flames)
        except CancelledError:
            self._write_scores(work, folder, audit, None, None)
        if fire is not None:
            message = f"{message}. {_gain(work, fire.metrics)}"
            if fire.frames is not None:
                stage = Stage.OPTIMIZE if work.ended.pruned is None else Stage.PRUNE
                self._emit(PlanUpdated(work.ended.best_epoch, fire.metrics, fire.frames, drops, stage))
        folder.update(state=RunState.FINISHED, reason=reason, message=message, seconds=session.seconds)
        nominal = None if fire is None else fire.metrics
        return RunFinished(reason, message, nominal, work.outlook.nothing, folder.path)

    def _score(
        self, work: _Work, folder: ReplanFolder, audit: AuditReport, flames: dict[tuple[int, int], float] | None
    ) -> RunFire:
        check = self._control.check_abandoned
        plan = work.left.joined(work.ended.rest)
        fire = self._engine.run_fire(
            work.replanner.whole, plan, work.kept.plan, frame_stride=self._stride, keep_days=True, check=check
        )
        design = work.left.score(work.ended.rest, design=True, check=check).metrics
        self._write_scores(work, folder, audit, fire.metrics, design)
        assert fire.p_fire_days is not None
        folder.write_occupancy(fire.p_fire_days, self._spec.project, self._spec.day)
        write_summary(folder.path, self._spec.project, flames)
        return fire

    def _write_scores(
        self, work: _Work, folder: ReplanFolder, audit: AuditReport, nominal: Metrics | None, design: Metrics | None
    ) -> None:
        folder.write_scores(
            ReplanScores(
                baseline=work.outlook.nothing,
                nominal=nominal,
                design=design,
                audit=audit,
                pruned=work.ended.pruned,
                day=self._spec.day,
                drops_flown=work.left.flown,
                continued=work.outlook.continued,
            )
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    replanner: Replanner
    left: RemainingProblem
    kept: FireRecord
    outlook: _Outlook
    ended: ReplanResult


def _opening(reason: FinishReason, day: int) -> str:
    if reason is FinishReason.STOPPED:
        return f"stopped on request; the best plan from day {day + 1} on is saved; resume the run to go on"
    return f"replanned from day {day + 1} on"


def _gain(work: _Work, nominal: Metrics) -> str:
    old = work.outlook.continued
    area = Units.METRIC.area
    new, before = area(nominal.final_extent_ha), area(old.final_extent_ha)
    drops = f"{counted(nominal.drops_executed, 'further drop')}, {old.drops_executed:,} in the old plan"
    return (
        f"At expected effectiveness the fire ends at {new} ({before} with the old plan, "
        f"{area(work.outlook.nothing.final_extent_ha)} without further drops), with {drops}"
    )

"""Simulated receding horizon: observe a drawn fire, replan the rest, fly until the next observation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from firegui.domain.exercise import Decision, LoopDay, decision_between, drops_apart
from firegui.domain.observation import FIXED, NO_DROPS, REPLANNED, DayStates, FireRecord, FireState
from firegui.domain.schedule import Schedule
from firegui.domain.stress import NOMINAL, NOMINAL_NAME
from firegui.domain.units import Units
from firegui.errors import CancelledError, InputError, Problem
from firegui.io.array_files import read_arrays, write_arrays
from firegui.io.tables import csv_text
from firegui.runs.events import BaselineReady, LoopAdvanced, Message, PlanUpdated, Progress, RunFinished
from firegui.runs.kept_fire import read_kept_fire, write_kept_fire
from firegui.runs.messages import counted
from firegui.runs.replan_base import TITLE, ReplanJob, ReplanScores, no_drops, note_of
from firegui.runs.replan_stages import ReplanFolder, RestStages
from firegui.runs.run_folder import LOOP_STATE, LOOP_TABLE, RunRecord, read_run
from firegui.runs.session import RunSession
from firegui.runs.spec import ReplanSpec
from firegui.runs.stages import FinishReason, RunState
from firegui.runs.summary import write_summary

if TYPE_CHECKING:
    from firegui.planning.exercise import Exercise, FlownWorld
    from firegui.planning.replan import Replanner
    from firegui.planning.run_fire import RunFire


class ClosedLoop(ReplanJob):
    """Run of a :class:`~firegui.runs.spec.ReplanSpec` whose fire is drawn (``closed_loop``).

    The fire of each branch (replanned daily, the old schedule, no drops) is deterministic within a day and drawn at its
    end with the same random numbers, from ``SeedSequence([seed, day])``; drops act on it at nominal effectiveness. What
    has burned by then is observed without error, and the plan goes on from it as from any observed perimeter. The
    folder keeps the fire of every branch at the start of every day.

    In an exercise the world is that of a stress scenario and the plan is repaired by
    :class:`~firegui.planning.repair.PlanRepair`, as often as the scenario says. It is the draw of a stress test of the
    same number, with the seed of the project's stress set. What is a day below is then the time until the next
    observation.
    """

    _drawn: dict[str, list[NDArray[np.uint8]]]
    _world: _World

    def run(self) -> RunFinished:
        """Day after day to the end of the plan. Writes nothing before the input is known to be good."""
        spec, check = self._spec, self._control.check
        note = note_of(spec)
        previous = self._checked(note)
        drawn = None if previous is None else read_kept_fire(previous.folder, previous.header)
        replanner = self._engine.replanner(spec.project, backend=spec.backend, tell=self._speaker.pass_on, check=check)
        self._world = self._true_world(replanner)
        # A day that was broken off begins anew, so its stages need no checkpoints.
        plan = replace(self._plan, checkpoint_seconds=math.inf)
        before = None if previous is not None and previous.can_resume else self._before(replanner)
        session = self._open(replanner.whole, previous, note, plan)
        state = self._begin(replanner, previous, drawn) if before is None else before
        self._keep_fire(state)
        if before is not None:
            state.save(self._folder.path / STATE)
        self._emit(LoopAdvanced(state.rows))
        reason = FinishReason.COMPLETED
        try:
            session.move(RunState.RUNNING)
            while state.day < self._world.count:
                if spec.stop_at is not None and self._world.step(state.day) >= self._world.steps_of(spec.stop_at):
                    raise CancelledError
                state = self._day(replanner, session, self._folder, state)
                # Before the checkpoint: a day that is flown again after a crash replaces the one that was kept.
                self._keep_fire(state)
                state.save(self._folder.path / STATE)
                self._emit(LoopAdvanced(state.rows))
        except CancelledError:
            reason = FinishReason.STOPPED
            self._machine.move(RunState.STOPPING)
        return self._conclude(replanner, session, self._folder, state, reason)

    def _begin(self, replanner: Replanner, previous: RunRecord | None, drawn: FireRecord | None) -> LoopState:
        path = self._spec.out / STATE
        if previous is not None and path.is_file():
            state = LoopState.load(path)
            self._drawn = _until(drawn, state.day)
            if state.day and not self._drawn:
                text = f"the fires before day {state.day + 1} were not kept, so none is kept of this run"
                self._emit(Message(text, "warning"))
            return state
        self._drawn = {}
        start = replanner.whole.maps.start
        true = self._world.truth.start()
        level = start.burning.astype(np.float32) if self._world.exercise is not None else None
        seen = start.burned if level is None else start.fire
        return LoopState((), self._spec.schedule, self._spec.schedule, seen, true, true, true, level)

    def _before(self, replanner: Replanner) -> LoopState | None:
        """Return the state of the closed loop that this one continues, with the drops edited since.

        Raises :class:`~firegui.errors.InputError` where it has ended or drops were edited that have been flown.
        """
        spec, world = self._spec, self._world
        if spec.after is None:
            return None
        state, record = LoopState.load(spec.after / STATE), read_run(spec.after)
        self._drawn = _until(read_kept_fire(record.folder, record.header), state.day)
        step, where = world.step(state.day), str(spec.after)
        before, after = (world.truth.ordered(schedule) for schedule in (state.schedule, spec.schedule))
        flown = drops_apart(before, after)[:step].any(axis=1)
        if state.day >= world.count:
            raise InputError([Problem(where, "was flown to its end", "give an exercise that was stopped")], TITLE)
        if not self._drawn:
            raise InputError([Problem(where, "has lost fires that were drawn", "start it again")], TITLE)
        if flown.any():
            what = f"changes drops of day {int(flown.argmax()) // world.per_day + 1}, which have been flown"
            day, rest = divmod(step, world.per_day)
            since = f"{rest * 24 / world.per_day:g} h into day {day + 1}" if rest else f"day {day + 1}"
            remedy = f"change drops from {since} on, or stop the exercise earlier"
            raise InputError([Problem("schedule", what, remedy)], TITLE)
        if decision_between(before, after, step) is Decision.KEPT:
            return state
        kept = state.schedule
        logits, poses = np.array(spec.schedule.logits), np.array(spec.schedule.poses)
        logits[:step], poses[:step] = kept.logits[:step], kept.poses[:step]
        return replace(state, schedule=Schedule(logits, poses), by_hand=True)

    def _true_world(self, replanner: Replanner) -> _World:
        """Return the world that burns, and what repairs the plan there. Nothing is written yet."""
        spec, whole, check = self._spec, replanner.whole, self._control.check
        per_day, scenario = whole.maps.steps_per_day, spec.exercise
        world = self._engine.stress_world(spec.project, whole, scenario or NOMINAL, check=check)
        if scenario is None:
            truth = self._engine.flown_world.without_errors(world, lambda step: self._generator(step // per_day - 1))
            return _World(truth, None, per_day, whole.n_steps, per_day)
        repair = self._engine.plan_repair(spec.project, whole, check=check)
        truth = self._engine.flown_world.of_draw(world, whole, spec.draw, spec.project.stress.seed)
        every = scenario.repair_steps(per_day)
        return _World(truth, self._engine.exercise_in(truth, repair, every), every, whole.n_steps, per_day)

    def _keep_fire(self, state: LoopState) -> None:
        """Add the start of the day to the fires that the run keeps, unless earlier days are missing."""
        if state.day and not self._drawn:
            return
        for flown, branch in zip(_FLOWN, _BRANCHES, strict=True):
            fire: FireState = getattr(state, branch)
            days = self._drawn.setdefault(flown, [])
            days[state.day :] = [fire.codes]
        write_kept_fire(self._spec.out, self._kept.fires)

    @property
    def _kept(self) -> FireRecord:
        project, scenario, world = self._spec.project, self._spec.exercise, self._world
        seed = project.plan.optimizer.seed if scenario is None else project.stress.seed
        name = NOMINAL_NAME if scenario is None else scenario.name
        steps = tuple(map(world.step, range(max(map(len, self._drawn.values()))))) if world.has_parts else ()
        return FireRecord(
            tuple(DayStates(flown, name, 0, np.stack(days), seed, steps) for flown, days in self._drawn.items())
        )

    def _day(self, replanner: Replanner, session: RunSession, folder: ReplanFolder, state: LoopState) -> LoopState:
        """Observe, replan, fly, draw."""
        spec, world, check = self._spec, self._world, self._control.check
        check()
        step, end = world.step(state.day), world.step(state.day + 1)
        when, fire = step / world.per_day, int(state.loop.fire.sum())
        self._emit(Progress(state.day, world.count, f"after {when:g} days: {counted(fire, 'cell')}"))
        if world.exercise is not None:
            now = self._observed(world.exercise, state, step)
        elif when >= spec.day and not state.by_hand:
            now = self._replanned(replanner, session, folder, state)
        else:
            now = _Morning(state.schedule, state.loop.fire)
        schedule, order = now.schedule, world.truth.ordered
        decision = Decision.BY_HAND
        if not state.by_hand:
            decision = decision_between(order(state.schedule), order(schedule), step)
        unflown = no_drops(replanner.whole)
        draws = [(schedule, state.loop), (state.fixed, state.open), (unflown, state.none)]
        loop, fixed, none = (world.truth.advanced(flown, step, end, before, check=check)[0] for flown, before in draws)
        row = LoopDay(
            day=step // world.per_day,
            loop_cells=int(loop.fire.sum()),
            open_cells=int(fixed.fire.sum()),
            none_cells=int(none.fire.sum()),
            loop_protected=replanner.protected_cells(loop.fire),
            open_protected=replanner.protected_cells(fixed.fire),
            none_protected=replanner.protected_cells(none.fire),
            loop_drops=int(world.truth.executed(schedule)[step:end].sum()),
            open_drops=int(world.truth.executed(state.fixed)[step:end].sum()),
            expected=now.expected,
            until=end / world.per_day if world.has_parts else 0.0,
            forecast=now.forecast,
            decision=decision,
            seen=int(now.seen.sum()),
        )
        return LoopState((*state.rows, row), schedule, state.fixed, now.seen, loop, fixed, none, now.level)

    def _generator(self, day: int) -> np.random.Generator:
        seed = self._spec.project.plan.optimizer.seed
        return np.random.default_rng(np.random.SeedSequence([seed, day]))

    def _observed(self, exercise: Exercise, state: LoopState, step: int) -> _Morning:
        """Return what the planner of an exercise sees and decides. At the start it takes the plan as it is."""
        check = self._control.check
        assert state.level is not None
        belief = self._engine.belief(state.seen, state.level)
        now = self._engine.exercise_state(step, state.schedule, state.loop, belief)
        if step > 0:
            now = exercise.observed(now, check, by_hand=state.by_hand)
        forecast = exercise.forecast(now, check)
        return _Morning(now.schedule, now.belief.seen, now.belief.level, forecast=forecast)

    def _replanned(self, replanner: Replanner, session: RunSession, folder: ReplanFolder, state: LoopState) -> _Morning:
        """Return the plan of the paper's stages from now on; the old one where nothing burns."""
        seen = FireState.between(state.seen, state.loop.fire)
        if not seen.burning.any():
            self._emit(Message(f"day {state.day + 1}: nothing is new, so the schedule stays as it is"))
            return _Morning(state.schedule, state.loop.fire)
        left = replanner.left(state.schedule, state.day, seen, self._control.check)
        folder.whole = left.joined
        stages = RestStages(session, self._spec.project.plan, left)
        stages.run()
        rest = stages.ended.rest
        expected = left.score(rest, check=self._control.check).metrics.final_extent_cells
        return _Morning(left.joined(rest), state.loop.fire, expected=expected)

    def _conclude(
        self, replanner: Replanner, session: RunSession, folder: ReplanFolder, state: LoopState, reason: FinishReason
    ) -> RunFinished:
        folder.whole = _as_it_is
        folder.write_plan(state.schedule)
        drops, audit = replanner.table(state.schedule)
        flames = folder.write_drops(drops, self._spec.project)
        folder.write_text(TABLE, table_text(state.rows))
        nothing = plan = None
        count = self._world.count
        try:
            if reason is FinishReason.COMPLETED and self._drawn:
                self._emit(Progress(count, count, "scoring the fires that were drawn"))
                nothing, plan = self._fires(replanner, state, folder)
        except CancelledError:
            reason = FinishReason.STOPPED
            self._machine.move(RunState.STOPPING)
        bare, nominal = (None if fire is None else fire.metrics for fire in (nothing, plan))
        flown = sum(row.loop_drops for row in state.rows)
        scores = ReplanScores(
            baseline=bare, nominal=nominal, audit=audit, day=self._spec.day, drops_flown=flown, loop=state.rows
        )
        folder.write_scores(scores)
        if plan is not None:
            write_summary(folder.path, self._spec.project, flames)
        if nothing is not None and nothing.frames is not None:
            self._emit(BaselineReady(nothing.metrics, nothing.frames))
        if plan is not None and plan.frames is not None:
            self._emit(PlanUpdated(-1, plan.metrics, plan.frames, drops))
        message = ". ".join(filter(None, (_message(reason, state.rows, self._spec), scores.failed_text())))
        folder.update(state=RunState.FINISHED, reason=reason, message=message, seconds=session.seconds)
        return RunFinished(reason, message, nominal, bare, folder.path)

    def _fires(self, replanner: Replanner, state: LoopState, folder: ReplanFolder) -> tuple[RunFire, RunFire]:
        """Return the drawn fires without drops and with the plan. Their days are written to the folder."""
        whole, kept, project = replanner.whole, self._kept, self._spec.project
        how: dict[str, Any] = {"frame_stride": self._stride, "keep_days": True, "check": self._control.check}
        nothing = self._engine.fire_without_drops(whole, state.schedule, kept, **how)
        plan = self._engine.run_fire(whole, state.schedule, kept.plan, **how)
        assert nothing.p_fire_days is not None and plan.p_fire_days is not None
        folder.write_baseline(nothing.p_fire_days, project)
        folder.write_occupancy(plan.p_fire_days, project)
        return nothing, plan


def _as_it_is(schedule: Schedule) -> Schedule:
    return schedule


def _message(reason: FinishReason, rows: tuple[LoopDay, ...], spec: ReplanSpec) -> str:
    if not rows:
        return "stopped on request before a day was flown; resume the run to go on"
    last, exercise, cell_ha = rows[-1], spec.exercise, spec.project.scenario.grid.cell_area_ha
    loop, fixed, bare = (Units.METRIC.area(n * cell_ha) for n in (last.loop_cells, last.open_cells, last.none_cells))
    flown = f"{sum(row.loop_drops for row in rows):,} and {sum(row.open_drops for row in rows):,} drops"
    when, how = f"after day {last.day + 1} of one fire drawn at random", "daily"
    if exercise is not None:
        when, how = (
            f"{exercise.name}: after {last.end:g} days of one fire drawn at random",
            f"every {exercise.repair_hours:g} h",
        )
    text = f"{when}: {loop} burned replanned {how}, {fixed} with the fixed schedule ({flown}), {bare} without drops"
    return f"stopped on request; {text}; resume the run to go on" if reason is FinishReason.STOPPED else text


@dataclass(frozen=True, slots=True, eq=False)
class _Morning:
    """An observation: the schedule from now on, the remembered perimeter, and the planner's belief.

    ``level`` is that of :class:`LoopState`; ``expected`` and ``forecast`` are those of the day.
    """

    schedule: Schedule
    seen: NDArray[np.bool_]
    level: NDArray[np.float32] | None = None
    expected: float | None = None
    forecast: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _World:
    """The true world, the repair of plans in an exercise, and the steps between two observations."""

    truth: FlownWorld
    exercise: Exercise | None
    every: int
    n_steps: int
    per_day: int

    @property
    def count(self) -> int:
        """Observations, that at the start of the plan included."""
        return -(-self.n_steps // self.every)

    @property
    def has_parts(self) -> bool:
        """Whether the fire is not observed once a day."""
        return self.every != self.per_day

    def step(self, number: int) -> int:
        """Return the step of an observation; the end of the plan after the last."""
        return min(number * self.every, self.n_steps)

    def steps_of(self, days: float) -> float:
        """Return the steps in so many days, a little fewer: 1.1 days of 50 steps must not be more than 55."""
        return days * self.per_day - _SLACK


_SLACK = 1e-6
"""Part of a step by which a time may miss its step: no decimal number of days is exact."""

STATE, TABLE = LOOP_STATE, LOOP_TABLE
COLUMNS = tuple(item.name for item in fields(LoopDay))
_FRACTIONS = ("expected", "until", "forecast")
_DECISIONS = tuple(Decision)
_BRANCHES = ("loop", "open", "none")
_FLOWN = (REPLANNED, FIXED, NO_DROPS)
"""What is flown in each branch."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopState:
    """The start of a day: the ``rows`` before, the fire of every branch and the schedule that is flown.

    ``fixed`` is the schedule of the branch that is not replanned. With ``by_hand`` the schedule was edited at this
    observation, so that it is flown as it is until the next one. ``seen [H, W]`` is the loop's perimeter of the day
    before, which tells new fire from old. ``level [H, W]`` is the probability that a cell of it burned on, as the
    planner of an exercise believed.
    """

    rows: tuple[LoopDay, ...]
    schedule: Schedule
    fixed: Schedule
    seen: NDArray[np.bool_]
    loop: FireState
    open: FireState
    none: FireState
    level: NDArray[np.float32] | None = None
    by_hand: bool = False

    @property
    def day(self) -> int:
        """Number of the day, or of the time until the next observation, that begins."""
        return len(self.rows)

    def save(self, path: Path) -> None:
        """Write it, atomically."""
        arrays: dict[str, NDArray[np.generic]] = {
            "rows": np.array([_numbers(row) for row in self.rows], np.float64).reshape(-1, len(COLUMNS)),
            "seen": self.seen.astype(np.uint8),
            "by_hand": np.array(self.by_hand, np.uint8),
        }
        for prefix, schedule in (("", self.schedule), ("fixed_", self.fixed)):
            for name in ("logits", "poses", "pose_logits"):
                if (part := getattr(schedule, name)) is not None:
                    arrays[prefix + name] = part
        if self.level is not None:
            arrays["level"] = self.level
        for name in _BRANCHES:
            state: FireState = getattr(self, name)
            arrays[name] = state.burning.astype(np.uint8) + 2 * state.burned.astype(np.uint8)
        write_arrays(path, arrays)

    @staticmethod
    def load(path: Path) -> LoopState:
        """Read what :meth:`save` wrote. Raises :class:`~firegui.errors.InputError` for an unusable file."""
        stored = read_arrays(path)
        try:
            fires = {name: FireState(stored[name] == 1, stored[name] == 2) for name in _BRANCHES}
            schedule, fixed = (
                Schedule(stored[f"{prefix}logits"], stored[f"{prefix}poses"], stored.get(f"{prefix}pose_logits"))
                for prefix in ("", "fixed_")
            )
            rows, seen = tuple(_row(values) for values in stored["rows"].tolist()), stored["seen"].astype(bool)
            level, by_hand = stored.get("level"), bool(stored["by_hand"])
            return LoopState(rows, schedule, fixed, seen, **fires, level=level, by_hand=by_hand)
        except (LookupError, ValueError, TypeError) as error:
            remedy = "start the run again without resuming"
            raise InputError([Problem(str(path), f"cannot be read ({error})", remedy)]) from error


def table_text(rows: Sequence[LoopDay]) -> str:
    """Return ``closed_loop.csv``. Numbers read back exactly.

    A day that was not replanned has no expectation.
    """
    return csv_text([COLUMNS, *map(astuple, rows)])


def _until(drawn: FireRecord | None, day: int) -> dict[str, list[NDArray[np.uint8]]]:
    """Return the starts of days 0 to ``day`` of every fire in ``drawn``; nothing where one is missing."""
    if drawn is None or any(fire.first or len(fire.codes) <= day for fire in drawn.fires):
        return {}
    return {fire.flown: list(fire.codes[: day + 1]) for fire in drawn.fires}


def _numbers(row: LoopDay) -> list[float]:
    """Return the row as numbers. None becomes NaN, which no other value can be."""
    values: tuple[Any, ...] = astuple(row)
    return [_DECISIONS.index(v) if isinstance(v, Decision) else math.nan if v is None else v for v in values]


def _row(values: list[float]) -> LoopDay:
    named: dict[str, Any] = {
        name: None if math.isnan(value) else value if name in _FRACTIONS else int(value)
        for name, value in zip(COLUMNS, values, strict=True)
    }
    decision = named.pop("decision")
    return LoopDay(**named, decision=None if decision is None else _DECISIONS[decision])

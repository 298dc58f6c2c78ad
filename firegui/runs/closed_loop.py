"""The receding horizon, simulated: every day a drawn fire is observed, the rest is replanned, and a day is flown."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from firegui.domain.observation import FIXED, NO_DROPS, REPLANNED, DayStates, FireState, KeptFire
from firegui.domain.schedule import Schedule
from firegui.domain.stress import NOMINAL_NAME
from firegui.errors import CancelledError, InputError, Problem
from firegui.io import atomic
from firegui.runs.events import BaselineReady, FinishReason, Message, PlanUpdated, Progress, RunFinished, RunState
from firegui.runs.kept_fire import read_kept_fire, write_kept_fire
from firegui.runs.messages import counted
from firegui.runs.replan_base import LoopDay, ReplanJob, ReplanScores, no_drops, note_of
from firegui.runs.replan_stages import ReplanFolder, RestStages
from firegui.runs.run_folder import LOOP_STATE, RunRecord
from firegui.runs.session import RunSession

if TYPE_CHECKING:
    from firegui.planning.replan import Replanner
    from firegui.planning.run_fire import RunFire


class ClosedLoop(ReplanJob):
    """Run of a :class:`~firegui.runs.spec.ReplanSpec` whose fire is drawn (``closed_loop``).

    The fire of each branch (replanned daily, the old schedule, no drops) is deterministic within a day and drawn at its
    end with the same random numbers, from ``SeedSequence([seed, day])``; drops act on it at nominal effectiveness. What
    has burned by then is observed without error, and the plan goes on from it as from any observed perimeter. The
    folder keeps the fire of every branch at the start of every day.
    """

    _drawn: dict[str, list[NDArray[np.uint8]]]

    def run(self) -> RunFinished:
        """Day after day to the end of the plan. Writes nothing before the input is known to be good."""
        spec, check = self._spec, self._control.check
        note = note_of(spec)
        previous = self._checked(note)
        drawn = None if previous is None else read_kept_fire(previous.folder, previous.header)
        replanner = self._engine.replanner(spec.project, backend=spec.backend, tell=self._speaker.pass_on, check=check)
        # A day that was broken off begins anew, so its stages need no checkpoints.
        plan = replace(self._plan, checkpoint_seconds=math.inf)
        session = self._open(replanner.whole, previous, note, plan)
        assert self._folder is not None
        state = self._begin(replanner, previous, drawn)
        self._keep_fire(state)
        reason = FinishReason.COMPLETED
        try:
            session.move(RunState.RUNNING)
            while state.day < spec.project.plan.days:
                state = self._day(replanner, session, self._folder, state)
                # Before the checkpoint: a day that is flown again after a crash replaces the one that was kept.
                self._keep_fire(state)
                state.save(self._folder.path / STATE)
        except CancelledError:
            reason = FinishReason.STOPPED
            self._machine.move(RunState.STOPPING)
        return self._conclude(replanner, session, self._folder, state, reason)

    def _begin(self, replanner: Replanner, previous: RunRecord | None, drawn: KeptFire | None) -> LoopState:
        path = self._spec.out / STATE
        if previous is not None and path.is_file():
            state = LoopState.load(path)
            self._drawn = _until(drawn, state.day)
            if state.day and not self._drawn:
                text = (
                    f"the fires before day {state.day} were not kept when they were drawn, so none is kept of this run"
                )
                self._emit(Message(text, "warning"))
            return state
        self._drawn = {}
        ignition = replanner.whole.maps.ignition
        nothing = np.zeros_like(ignition)
        fire = FireState(ignition, nothing)
        return LoopState((), self._spec.schedule, nothing, fire, fire, fire)

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
    def _kept(self) -> KeptFire:
        seed = self._spec.project.plan.optimizer.seed
        return KeptFire(
            tuple(DayStates(flown, NOMINAL_NAME, 0, np.stack(days), seed) for flown, days in self._drawn.items())
        )

    def _day(self, replanner: Replanner, session: RunSession, folder: ReplanFolder, state: LoopState) -> LoopState:
        """Observe, replan, fly, draw."""
        spec, day, check = self._spec, state.day, self._control.check
        check()
        total, fire = spec.project.plan.days, int(state.loop.fire.sum())
        self._emit(Progress(day, total, f"day {day}: {counted(fire, 'cell')}"))
        schedule, expected = (
            self._replanned(replanner, session, folder, state) if day >= spec.day else (state.schedule, None)
        )
        unflown = no_drops(replanner.whole)
        draws = [(schedule, state.loop), (spec.schedule, state.open), (unflown, state.none)]
        loop, fixed, none = (
            replanner.next_day(flown, day, before, self._generator(day), check) for flown, before in draws
        )
        row = LoopDay(
            day=day,
            loop_cells=int(loop.fire.sum()),
            open_cells=int(fixed.fire.sum()),
            none_cells=int(none.fire.sum()),
            loop_protected=replanner.protected_cells(loop.fire),
            open_protected=replanner.protected_cells(fixed.fire),
            none_protected=replanner.protected_cells(none.fire),
            loop_drops=replanner.drops_on(schedule, day),
            open_drops=replanner.drops_on(spec.schedule, day),
            expected=expected,
        )
        return LoopState((*state.rows, row), schedule, state.loop.fire, loop, fixed, none)

    def _generator(self, day: int) -> np.random.Generator:
        seed = self._spec.project.plan.optimizer.seed
        return np.random.default_rng(np.random.SeedSequence([seed, day]))

    def _replanned(
        self, replanner: Replanner, session: RunSession, folder: ReplanFolder, state: LoopState
    ) -> tuple[Schedule, float | None]:
        """The schedule from this day on, and the final extent that it expects; the old one where nothing burns."""
        seen = FireState.between(state.seen, state.loop.fire)
        if not seen.burning.any():
            self._emit(Message(f"day {state.day}: nothing is new, so the schedule stays as it is"))
            return state.schedule, None
        left = replanner.left(state.schedule, state.day, seen, self._control.check)
        folder.whole = left.joined
        stages = RestStages(session, self._spec.project.plan, left)
        stages.run()
        rest = stages.ended.rest
        expected = left.score(rest, check=self._control.check).metrics.final_extent_cells
        return left.joined(rest), expected

    def _conclude(
        self, replanner: Replanner, session: RunSession, folder: ReplanFolder, state: LoopState, reason: FinishReason
    ) -> RunFinished:
        folder.whole = _as_it_is
        folder.write_plan(state.schedule)
        drops, audit = replanner.table(state.schedule)
        folder.write_drops(drops, self._spec.project)
        folder.write_text(TABLE, table_text(state.rows))
        nothing = plan = None
        days = self._spec.project.plan.days
        try:
            if reason is FinishReason.COMPLETED and self._drawn:
                self._emit(Progress(days, days, "scoring the fires that were drawn"))
                nothing, plan = self._fires(replanner, state, folder)
        except CancelledError:
            reason = FinishReason.STOPPED
            self._machine.move(RunState.STOPPING)
        bare, nominal = (None if fire is None else fire.metrics for fire in (nothing, plan))
        flown = sum(row.loop_drops for row in state.rows)
        folder.write_scores(
            ReplanScores(
                baseline=bare, nominal=nominal, audit=audit, day=self._spec.day, drops_flown=flown, loop=state.rows
            )
        )
        if nothing is not None and nothing.frames is not None:
            self._emit(BaselineReady(nothing.metrics, nothing.frames))
        if plan is not None and plan.frames is not None:
            self._emit(PlanUpdated(-1, plan.metrics, plan.frames, drops))
        message = _message(reason, state.rows)
        folder.update(state=RunState.FINISHED, reason=reason, message=message, seconds=session.seconds)
        return RunFinished(reason, message, nominal, bare, folder.path)

    def _fires(self, replanner: Replanner, state: LoopState, folder: ReplanFolder) -> tuple[RunFire, RunFire]:
        """The drawn fires without drops and with the plan, their days written to the folder."""
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


def _message(reason: FinishReason, rows: tuple[LoopDay, ...]) -> str:
    if not rows:
        return "stopped on request before a day was flown; resume the run to go on"
    last = rows[-1]
    flown = f"{sum(row.loop_drops for row in rows):,} and {sum(row.open_drops for row in rows):,} drops"
    text = (
        f"after day {last.day} of one drawn fire: {last.loop_cells:,} cells replanned daily, {last.open_cells:,} with "
        f"the fixed schedule ({flown}), {last.none_cells:,} without drops"
    )
    return f"stopped on request; {text}; resume the run to go on" if reason is FinishReason.STOPPED else text


STATE, TABLE = LOOP_STATE, "closed_loop.csv"
COLUMNS = tuple(item.name for item in fields(LoopDay))
_BRANCHES = ("loop", "open", "none")
_FLOWN = (REPLANNED, FIXED, NO_DROPS)
"""What is flown in each branch."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopState:
    """The start of a day: the ``rows`` of the days before, the fire of every branch and the schedule that is flown.

    ``seen [H, W]`` is the loop's perimeter of the day before, which tells new fire from old.
    """

    rows: tuple[LoopDay, ...]
    schedule: Schedule
    seen: NDArray[np.bool_]
    loop: FireState
    open: FireState
    none: FireState

    @property
    def day(self) -> int:
        """The day that begins."""
        return len(self.rows)

    def save(self, path: Path) -> None:
        """Write it, atomically."""
        schedule = self.schedule
        arrays: dict[str, NDArray[np.generic]] = {
            # None becomes NaN, which no other column can be.
            "rows": np.array([astuple(row) for row in self.rows], np.float64).reshape(-1, len(COLUMNS)),
            "logits": np.ascontiguousarray(schedule.logits),
            "poses": np.ascontiguousarray(schedule.poses),
            "seen": self.seen.astype(np.uint8),
        }
        if schedule.pose_logits is not None:
            arrays["pose_logits"] = np.ascontiguousarray(schedule.pose_logits)
        for name in _BRANCHES:
            state: FireState = getattr(self, name)
            arrays[name] = state.burning.astype(np.uint8) + 2 * state.burned.astype(np.uint8)
        with atomic.replacing(path) as temporary:
            temporary.write_bytes(save(arrays))

    @staticmethod
    def load(path: Path) -> LoopState:
        """Read what :meth:`save` wrote. Raises :class:`~firegui.errors.InputError` when the file cannot be used."""
        try:
            stored = load_file(path)
            fires = {name: FireState(stored[name] == 1, stored[name] == 2) for name in _BRANCHES}
            schedule = Schedule(stored["logits"], stored["poses"], stored.get("pose_logits"))
            rows = tuple(_row(values) for values in stored["rows"].tolist())
            return LoopState(rows, schedule, stored["seen"].astype(bool), **fires)
        except Exception as error:  # safetensors raises its own and OSError alike
            remedy = "start the run again without resuming"
            raise InputError([Problem(str(path), f"cannot be read ({error})", remedy)]) from error


def table_text(rows: Sequence[LoopDay]) -> str:
    """``closed_loop.csv``; numbers read back exactly, and a day that was not replanned has no expectation."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow(["" if value is None else repr(value) for value in astuple(row)])
    return out.getvalue()


def _until(drawn: KeptFire | None, day: int) -> dict[str, list[NDArray[np.uint8]]]:
    """Return the starts of days 0 to ``day`` of every fire in ``drawn``; nothing where one is missing."""
    if drawn is None or any(fire.first or fire.last < day for fire in drawn.fires):
        return {}
    return {fire.flown: list(fire.codes[: day + 1]) for fire in drawn.fires}


def _row(values: list[float]) -> LoopDay:
    named: dict[str, Any] = {name: int(value) for name, value in zip(COLUMNS[:-1], values[:-1], strict=True)}
    return LoopDay(**named, expected=None if math.isnan(values[-1]) else values[-1])

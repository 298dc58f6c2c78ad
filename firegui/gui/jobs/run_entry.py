"""State of one run in the window, whether it is active or was found in the project's folder."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from firegui.domain.exercise import LoopDay
from firegui.domain.plan_summary import PlanSummary, misfit_text
from firegui.domain.project import NOT_PROTECTED, Project, changes_text
from firegui.domain.removal_curve import RemovalCurve
from firegui.domain.results import Metrics
from firegui.domain.settings import Margin
from firegui.domain.stress import StressTable, fire_grows, missed_text, verdict_text
from firegui.domain.units import Units
from firegui.errors import InputError
from firegui.runs.events import Progress, RunFinished, StageBegan, StressTestProgress
from firegui.runs.history import COLUMNS
from firegui.runs.kept_fire import kind_of_fire
from firegui.runs.messages import counted, kept_drops_text
from firegui.runs.replan_base import ReplanScores
from firegui.runs.run_folder import RunRecord, read_removal_curve, read_run
from firegui.runs.stages import DONE_REASONS, EliminationStep, EpochDone, FinishReason, ReplanNote, RunState, Stage
from firegui.runs.summary import run_summary, saved_summary

_FIRST_CAPACITY = 256
_ROWS_FOR_PACE = 20
_FIRST_ROWS = 5
"""Steps after which the time left can be estimated."""
_FAR_OFF, _LEAST_SECONDS = 1.6, 5.0
"""Factor, and seconds, by which an estimate must differ to replace the time left at once."""
_SHARE_TAKEN = 0.1
"""Share of the difference to a shorter estimate that the time left takes over with each step."""
NO_DROPS = "Computing the fire without drops…"

Row = TypeVar("Row")


class EventColumns(Generic[Row]):
    """Events of one type as columns. Appending rarely copies. ``key`` is a column that only rises."""

    names: ClassVar[tuple[str, ...]] = ()
    key: ClassVar[str] = ""

    def __init__(self, rows: Sequence[Row] = ()) -> None:
        self._data = np.empty((_FIRST_CAPACITY, len(self.names)))
        self._size = 0
        self.extend(rows)

    def __len__(self) -> int:
        return self._size

    def extend(self, rows: Sequence[Row]) -> None:
        """Append rows and replace those from the first of them on: a resumed run repeats unsaved rows."""
        if not rows:
            return
        self._size = int(np.searchsorted(self.column(self.key), getattr(rows[0], self.key)))
        self._append(np.array([[getattr(row, name) for name in self.names] for row in rows], float))

    def column(self, name: str) -> NDArray[np.float64]:
        """Return one column as a view, which later appends leave unchanged.

        Raises ``ValueError`` for an unknown name.
        """
        return self._data[: self._size, self.names.index(name)]

    def last(self, name: str) -> float | None:
        """Return the latest value of a column; ``None`` before the first row."""
        return float(self._data[self._size - 1, self.names.index(name)]) if self._size else None

    def _append(self, rows: NDArray[np.float64]) -> None:
        needed = self._size + len(rows)
        if needed > len(self._data):
            grown = np.empty((max(needed, 2 * len(self._data)), len(self.names)))
            grown[: self._size] = self._data[: self._size]
            self._data = grown
        self._data[self._size : needed] = rows
        self._size = needed


class EpochHistory(EventColumns[EpochDone]):
    """Epochs of the first stage, with the columns of ``history.csv``."""

    names = COLUMNS
    key = "epoch"


class EliminationHistory(EventColumns[EliminationStep]):
    """Decisions of the second stage, with the columns of ``elimination.csv``."""

    names = tuple(item.name for item in fields(EliminationStep))
    key = "rollouts"


def epochs_left(history: EpochHistory, epochs: int) -> float | None:
    """Return the time of the remaining ``epochs`` at the latest pace, in seconds; ``None`` if unknown.

    The pace is that of the latest half of the steps: a few alone are too uneven.
    """
    if len(history) <= _FIRST_ROWS:
        return None
    seconds = history.column("seconds")[-max(_ROWS_FOR_PACE, len(history) // 2) - 1 :]
    pace = (seconds[-1] - seconds[0]) / (len(seconds) - 1)
    return float(max(epochs - history.column("epoch")[-1] - 1, 0) * pace)


def pass_left(removals: EliminationHistory) -> float | None:
    """Return the time of the pass's undecided drops at its latest pace, in seconds; ``None`` if unknown.

    Late in a pass, batches are small and every drop takes longer. So only the last twenty reports count, or the whole
    pass if those decided nothing.
    """
    if not len(removals):
        return None
    passes = removals.column("passes")
    first = int(np.searchsorted(passes, passes[-1]))
    tested, seconds = removals.column("tested")[first:], removals.column("seconds")[first:]
    for rows in (_ROWS_FOR_PACE + 1, len(tested)):
        decided, took = tested[-1] - tested[-rows:][0], seconds[-1] - seconds[-rows:][0]
        if decided > 0:
            return float((removals.column("to_test")[-1] - tested[-1]) * took / decided)
    return None


class TimeLeft:
    """Time left that counts down, and rises only where the estimate was far off.

    A shorter estimate makes it fall faster for some steps, a longer one makes it stand still.
    """

    def __init__(self) -> None:
        self._end: float | None = None
        self._latest = math.inf
        """Time left at the latest update."""

    def clear(self) -> None:
        """Forget the estimate."""
        self._end = None

    def update(self, now: float, estimate: float | None) -> None:
        """Set the estimate at the time ``now`` of the stage, in seconds; ``None`` for unknown."""
        before = self.at(now)
        if estimate is None:
            self._end = None
            return
        if before is None or max(estimate, before) > _FAR_OFF * min(estimate, before) + _LEAST_SECONDS:
            left = estimate
        elif estimate > before:
            left = min(estimate, self._latest)
        else:
            left = before + _SHARE_TAKEN * (estimate - before)
        self._end, self._latest = now + left, left

    def at(self, now: float) -> float | None:
        """Return the time left at a time of the stage, in seconds; ``None`` if unknown."""
        return None if self._end is None else max(self._end - now, 0.0)


STAGE_STATUS = {
    Stage.OPTIMIZE: "placing drops", Stage.PRUNE: "removing drops", Stage.TACTICAL: "placing drops",
    Stage.KEEP: "scoring",
}  # fmt: skip
"""Status of a run in each stage."""


@dataclass(slots=True, eq=False)
class RunEntry:
    """Run in the list. Only the queue changes it, in the GUI thread; the notes panel changes ``notes``.

    Attributes:
        project: Project the run was made from; ``None`` for a run on disk that was made on another event.
        stages: All stages of the run.
        stage: Current or last stage, number ``number`` of ``count``.
        baseline, plan, nominal: Scores without drops, at design and at nominal effectiveness.
        reference: Score of the plan before the second stage, at nominal effectiveness.
        changes: What the run lacks of the open project, as :func:`~firegui.domain.project.changes_text` says it.
        has_other_regions: The regions of the run are not those of the open project.
        compared: The open project.
        pausing: The run was requested to pause and has not paused yet.
        interrupted: The run was found on disk without an end.
        elsewhere: Another process was writing the run when it was found.
        read_only: Another window has the project of the run.
        run_number: Number of the run among those of its project; ``None`` for a run elsewhere or of an earlier version.
        label: The title that the run was given when it was made, after its number; empty for that of its folder.
        is_named: The title is a name that a person gave the run.
        missing: The folder of the run was moved or deleted after the run was listed.
        replans: The run plans the rest of another plan, as ``note`` says, which was read from ``source``.
        replan: Scores of a replanned run at its end.
        loop: Days of a closed loop so far.
        edited_from: Folder of the run whose plan was edited by hand to make this one.
        parent: Name of that run, empty for none.
        fire: Kind of fire that the run's folder keeps, ``"observed"`` or ``"drawn"``.
        swept: Passes of the tactical heuristic or days of a closed loop, done and in total.
        rollouts: Cost of the passes.
        stressed: Scenarios of the stress test at the end, done and in total; ``stress_share`` of its draws is done.
        stress: Table of the stress test.
        curve: Removal curve of the second stage; that of a saved run is read when it is shown.
        kept_drops: Why the plan may have more drops than it needs, as sentences.
        removal_end: Why the second stage ended, as in its summary; empty while it is at work, or without one.
        summary: What is reported of the plan first, once its run has ended.
        curve_sought: The folder was searched for a removal curve, and is not searched again.
        summary_sought: The same for a summary.
        seconds: Time of the whole run in seconds, once it has ended.
    """

    title: str
    folder: Path
    project: Project | None = None
    state: RunState = RunState.QUEUED
    reason: FinishReason | None = None
    epochs: int = 0
    stages: tuple[Stage, ...] = (Stage.OPTIMIZE,)
    stage: Stage | None = None
    number: int = 0
    count: int = 0
    baseline: Metrics | None = None
    plan: Metrics | None = None
    nominal: Metrics | None = None
    reference: Metrics | None = None
    message: str = ""
    preparation: str = ""
    changes: tuple[str, ...] = ()
    has_other_regions: bool = False
    compared: Project | None = None
    pausing: bool = False
    discarding: bool = False
    interrupted: bool = False
    elsewhere: bool = False
    read_only: bool = False
    run_number: int | None = None
    label: str = ""
    is_named: bool = False
    missing: bool = False
    replans: bool = False
    replan: ReplanScores | None = None
    note: ReplanNote | None = None
    source: Path | None = None
    edited_from: Path | None = None
    parent: str = ""
    loop: tuple[LoopDay, ...] = ()
    fire: str = ""
    swept: tuple[int, int] = (0, 0)
    rollouts: int | None = None
    stressed: tuple[int, int] = (0, 0)
    stress_share: float = 0.0
    stress: StressTable | None = None
    curve: RemovalCurve | None = None
    kept_drops: str = ""
    removal_end: str = ""
    summary: PlanSummary | None = None
    curve_sought: bool = False
    summary_sought: bool = False
    seconds: float | None = None
    notes: str = ""
    time_left: TimeLeft = field(default_factory=TimeLeft)
    history: EpochHistory = field(default_factory=EpochHistory)
    removals: EliminationHistory = field(default_factory=EliminationHistory)

    # -- the first stage ---------------------------------------------------------------------------------------------
    @property
    def epoch(self) -> int:
        """Number of finished epochs."""
        last = self.history.last("epoch")
        return 0 if last is None else int(last) + 1

    @property
    def best(self) -> float | None:
        """Best objective of the first stage so far; that of the plan for a run without a first stage."""
        if self.flew_loop:
            return None
        found = self.history.last("best")
        return self.plan.objective if found is None and self.plan is not None else found

    # -- the second --------------------------------------------------------------------------------------------------
    @property
    def prunes(self) -> bool:
        """Whether the run reached the second stage."""
        return self.stage is Stage.PRUNE or len(self.removals) > 0

    @property
    def drops_before(self) -> int | None:
        """Executed drops at the start of the second stage."""
        return _whole(self.removals.last("drops_before"))

    @property
    def passes(self) -> int:
        """The pass of the second stage, from 1; 0 before the first."""
        return _whole(self.removals.last("passes")) or 0

    @property
    def tested(self) -> tuple[int, int]:
        """Number of decided drops of the pass, and their total."""
        return _whole(self.removals.last("tested")) or 0, _whole(self.removals.last("to_test")) or 0

    @property
    def round_text(self) -> str:
        """Text on the removal, as far as it is known: ``round 4, 128 of 530 drops tried``.

        A round of a plan with a margin has parts that are counted anew. Its text has the fire simulations so far, of
        which there are only more: ``round 5, 2,612 fire simulations``.
        """
        done, of = self.tested
        what = f"{done:,} of {of:,} drops tried" if of else ""
        if self.has_margin:
            rollouts = _whole(self.removals.last("rollouts"))
            what = counted(rollouts, "fire simulation") if rollouts else ""
        return ", ".join(filter(None, (f"round {self.passes}" if self.passes else "", what)))

    @property
    def is_unmeasured(self) -> bool:
        """Whether the run works for a time of which no part is known, so that its bar moves without filling.

        It prepares, or removes drops from a plan with a margin: how many rounds that takes shows only at the end.
        """
        is_removing = self.prunes and self.has_margin and not self.is_stress_testing
        return bool(self.preparing) or (is_removing and self.state is RunState.RUNNING)

    # -- neither -----------------------------------------------------------------------------------------------------
    @property
    def tactical(self) -> bool:
        """Whether the run is the tactical heuristic alone, which has no epochs and removes nothing."""
        return Stage.TACTICAL in self.stages

    # -- both --------------------------------------------------------------------------------------------------------
    @property
    def drops(self) -> int | None:
        """Executed drops: of the saved plan if any, else of the latest report; all flown in a closed loop."""
        if self.replan is not None and self.flew_loop:
            return sum(day.loop_drops for day in self.replan.loop)
        if self.nominal is not None:
            return self.nominal.drops_executed
        if len(self.removals):
            return _whole(self.removals.last("drops"))
        if self.plan is not None:
            return self.plan.drops_executed
        return _whole(self.history.last("drops"))

    @property
    def flies_loop(self) -> bool:
        """Whether the run is a closed loop, flown or not."""
        return self.note is not None and self.note.closed_loop

    @property
    def flew_loop(self) -> bool:
        """Whether the run flew a closed loop. The objective of each of its replannings covers other days."""
        return self.replan is not None and bool(self.replan.loop)

    @property
    def flown_text(self) -> str:
        """Where the plan of a closed loop was flown, such as ``Flown in “weak”``; empty for another run."""
        if self.note is None or not self.note.closed_loop:
            return ""
        return "Flown" if self.note.exercise is None else f"Flown in “{self.note.exercise.title}”"

    @property
    def elapsed(self) -> float | None:
        """Time of the whole run in seconds, with its stress test; of an active one to the latest report."""
        parts = [part for part in (self.history.last("seconds"), self.removals.last("seconds")) if part is not None]
        return self.seconds or (sum(parts) if parts else None)

    @property
    def pace(self) -> float | None:
        """Time of a fire simulation while drops were placed, in seconds; ``None`` if unknown."""
        if len(self.history) < 2:
            return None
        # The first row includes what is done once, such as compiling.
        rollouts, seconds = (self.history.column(name) for name in ("rollouts", "seconds"))
        count = rollouts[-1] - rollouts[0]
        return float((seconds[-1] - seconds[0]) / count) if count > 0 else None

    @property
    def eta(self) -> float | None:
        """Time left of the epochs, or of the pass, in seconds; ``None`` if over or unknown.

        A second stage and further passes cannot be predicted; see :attr:`more_follows`.
        """
        columns = self.removals if self.prunes else self.history
        now = columns.last("seconds")
        is_unknown = self.is_over or self.state is RunState.STOPPING or self.is_stress_testing or bool(self.preparing)
        return None if is_unknown or now is None else self.time_left.at(now)

    def _estimate(self) -> float | None:
        """Return the time left at the latest pace."""
        if not self.prunes:
            return epochs_left(self.history, self.epochs)
        # Each round of a plan with a margin has several parts, whose steps are counted one part after the other.
        return None if self.has_margin else pass_left(self.removals)

    @property
    def has_margin(self) -> bool:
        """Whether the plan is made to hold in more than the model."""
        return self.project is not None and self.project.plan.margin.kind is not Margin.NONE

    @property
    def preparing(self) -> str:
        """What an active run does before its first step: ``Computing the fire without drops…``; else empty."""
        if self.state not in (RunState.PREPARING, RunState.RUNNING) or self.discarding or self.stressed[1]:
            return ""
        if self.preparation:
            return self.preparation
        if self.state is RunState.PREPARING:
            if self.baseline is None:
                return NO_DROPS
            return "Preparing the stress scenarios…" if self.has_margin and not self.tactical else "Preparing the plan…"
        if self.tactical or self.flies_loop:
            return "" if self.swept[1] else "Preparing the first round…"
        if self.prunes:
            return "" if len(self.removals) else "Finding drops that the plan does not need…"
        if self.stage is Stage.KEEP or self.epoch:
            return ""
        return f"Making the first of {self.epochs:,} steps…" if self.epochs else "Preparing the search…"

    @property
    def more_follows(self) -> str:
        """Text on what follows after :attr:`eta`; empty for nothing."""
        if self.prunes:
            return "left of this round; rounds go on until one removes nothing"
        return "left of the search if it uses all steps; then drops are removed" if Stage.PRUNE in self.stages else ""

    @property
    def progress(self) -> float:
        """Share of the stage, pass or stress test done, 0 if unknown; 1 for a run that ended by itself."""
        if self.reason in DONE_REASONS:
            return 1.0
        if self.is_stress_testing:
            return self.stress_share
        if self.tactical or self.flies_loop:
            done, of = self.swept
        elif self.prunes:
            done, of = (0, 0) if self.has_margin else self.tested
        else:
            done, of = self.epoch, self.epochs
        return min(done / of, 1.0) if of else 0.0

    @property
    def is_stress_testing(self) -> bool:
        """Whether the plan is complete and its stress test goes on."""
        return bool(self.stressed[1]) and not self.is_over

    @property
    def is_over(self) -> bool:
        """Whether the run ended."""
        return self.state is RunState.FINISHED

    @property
    def is_resumable(self) -> bool:
        """Whether the run was stopped before its end and can be resumed from its folder."""
        return self.is_over and self.reason is FinishReason.STOPPED and not self._is_locked

    @property
    def stop_text(self) -> str:
        """Text on where a run that can be resumed stopped: ``Stopped at placing drops, step 120 of 10,000``."""
        if self.prunes:
            place = self.round_text
        elif self.tactical:
            place = f"round {self.swept[0] + 1}"
        elif self.flies_loop:
            place = f"observation {len(self.loop) + 1}"
        else:
            place = f"step {self.epoch:,} of {self.epochs:,}"
        stage = "" if self.stage is None or self.flies_loop else STAGE_STATUS[self.stage]
        how, _, _holds = self.status.partition(", ")
        return f"{how.capitalize()} at {', '.join(filter(None, (stage, place)))}"

    @property
    def _is_locked(self) -> bool:
        return self.elsewhere or self.read_only or self.missing

    @property
    def is_unscored(self) -> bool:
        """Whether the run was stopped before its plan was scored at nominal effectiveness."""
        stopped = self.is_over and self.reason is FinishReason.STOPPED and not self.interrupted
        return stopped and self.nominal is None and not self.flew_loop

    def compare_inputs(self, project: Project, unreached: Collection[str] = ()) -> None:
        """Set what of ``project``, the open one, differs from the inputs of the run.

        ``unreached`` are its regions that the fire without drops does not reach.
        """
        self.changes = changes_text(self.project, project, unreached=unreached)
        self.has_other_regions = self.project is not None and self.project.regions != project.regions
        self.compared = project

    @property
    def stale(self) -> bool:
        """Whether the inputs have changed since."""
        return bool(self.changes)

    @property
    def leaves_unprotected(self) -> bool:
        """Whether the plan leaves a region without protection that the open project protects."""
        return any(change.startswith(NOT_PROTECTED) for change in self.changes)

    @property
    def misfit(self) -> str:
        """Which drops the aircraft of the open project cannot fly, as a clause; empty without any."""
        if not self.changes or self.summary is None or self.project is None or self.compared is None:
            return ""
        return misfit_text(self.summary, self.project, self.compared)

    @property
    def missed(self) -> str:
        """By what the plan misses its limit, as a clause; empty where it holds or was not tested."""
        return "" if self.project is None else missed_text(self.stress, self.project.plan)

    @property
    def grows(self) -> bool:
        """Whether the plan was tested, and misses its limit or lets the whole fire grow beyond it."""
        if self.project is None or self.stress is None:
            return False
        return bool(self.missed) or fire_grows(self.stress, self.project.plan)

    @property
    def removal_failed(self) -> bool:
        """Whether the plan missed its limit in the test of the removal; :attr:`kept_drops` says so."""
        return self.removal_end == "leaking"

    @property
    def ends_at_limit(self) -> bool:
        """Whether drops were removed until the limit of the goal allowed no more, and the plan holds."""
        return self.is_over and self.removal_end == "held" and not self.grows

    def verdict(self, units: Units = Units.METRIC) -> str:
        """Return whether the plan holds in every stress scenario; empty where it was not tested."""
        if self.project is None:
            return ""
        cell_ha = self.project.scenario.grid.cell_area_ha
        return units.restate(verdict_text(self.stress, self.project.plan, cell_ha))

    @property
    def origin_text(self) -> str:
        """Name of the run whose plan was edited by hand, such as ``edited from Evening plan``."""
        return f"edited from {self.parent}" if self.parent else ""

    @property
    def status(self) -> str:
        """Status for the list, in a few words."""
        if self.is_over and self.missing:
            return "missing"
        if self.is_over and self.elsewhere:
            return "running elsewhere"
        if self.is_over and self.interrupted:
            return "interrupted"
        if self.is_over:
            label = self.reason.label if self.reason is not None else "unknown"
            return f"{label}, does not hold" if self.missed else label
        if self.discarding:
            return "deleting"
        if self.state is not RunState.RUNNING:
            return self.state.value
        return "pausing" if self.pausing else self._at_work

    @property
    def _at_work(self) -> str:
        if self.stressed[1]:
            return f"stress test, scenario {self.stressed[0] + 1}/{self.stressed[1]}"
        if self.stage is None:
            return self.state.value
        return STAGE_STATUS[self.stage] + (f" {self.number}/{self.count}" if self.count > 1 else "")

    def begin(self) -> None:
        """Forget the result of a run that was stopped: it works again, and reports a new one at its end."""
        self.baseline = self.nominal = self.reference = self.summary = self.stress = self.replan = self.seconds = None
        self.summary_sought, self.message, self.stressed = False, "", (0, 0)
        self.preparation = self.kept_drops = ""
        self.removal_end = ""
        self.time_left.clear()

    # -- what it reports ---------------------------------------------------------------------------------------------
    def add_epochs(self, epochs: list[EpochDone]) -> None:
        """Add the epochs that a live run reports."""
        self.history.extend(epochs)
        self.epochs, self.preparation = epochs[-1].epochs, ""
        self.time_left.update(epochs[-1].seconds, self._estimate())

    def add_removals(self, steps: list[EliminationStep]) -> None:
        """Add the decisions of the second stage that a live run reports."""
        self.removals.extend(steps)
        self.preparation = ""
        self.time_left.update(steps[-1].seconds, self._estimate())

    def add_progress(self, event: Progress) -> None:
        """Update the passes of the tactical heuristic or the days of a closed loop.

        Other runs report their progress as epochs and decisions.
        """
        if self.tactical or self.flies_loop:
            self.swept = event.done, event.total

    def add_stress_progress(self, event: StressTestProgress) -> None:
        """Update the scenarios of the stress test at the end."""
        self.stressed, self.stress_share = (event.done, event.total), event.share

    def begin_stage(self, event: StageBegan) -> None:
        """Set the current stage."""
        if event.number > self.number > 0 and self.number <= event.count - len(self.stages):
            # Setting B begins with a first stage of setting A, whose epochs are not its own.
            self.history = EpochHistory()
        self.stage, self.number, self.count, self.stressed = event.stage, event.number, event.count, (0, 0)
        self.preparation = ""
        self.time_left.clear()

    def read_saved(self, record: RunRecord) -> None:
        """Read the data that only the run's folder has."""
        swept, self.seconds = record.scores.swept, record.header.seconds or None
        self.stress, pruned = record.scores.stress, record.scores.pruned
        plan = None if self.project is None else self.project.plan
        self.kept_drops = kept_drops_text(pruned, plan, self.stress)
        self.removal_end = "" if pruned is None else pruned.finished
        # Without a readable summary, the result is computed from the plan's other files when the run is shown.
        with suppress(InputError):
            self.summary = saved_summary(record)
        self.fire = kind_of_fire(record.folder, record.header)
        if swept is not None:
            self.swept, self.rollouts = (swept.done, swept.passes), swept.rollouts

    def complete_curve(self) -> None:
        """Read the removal curve of a saved run, once; a folder that cannot be read has none."""
        if self.curve is None and not self.curve_sought and self.is_over and self.prunes and not self.replans:
            self.curve_sought = True
            with suppress(InputError):
                self.curve = read_removal_curve(self.folder)

    def complete_summary(self) -> None:
        """Compute the summary of a run that was made before runs kept one, or one with regions, once."""
        if self._lacks_summary and not self.summary_sought and self.is_over and self.nominal is not None:
            self.summary_sought = True
            with suppress(InputError):
                self.summary = run_summary(read_run(self.folder))

    @property
    def _lacks_summary(self) -> bool:
        regions = () if self.project is None else self.project.regions
        return self.summary is None or len(self.summary.regions) < len(regions)

    def finish(self, event: RunFinished) -> None:
        """Set how the run ended."""
        self.state, self.reason, self.message = RunState.FINISHED, event.reason, event.message
        self.nominal = event.nominal or self.nominal
        self.baseline = event.baseline or self.baseline
        self.pausing = self.interrupted = False


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)

"""What the window knows of one run, whether it works now or was found in the project's folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.gui.jobs.remaining_time import epochs_left, pass_left
from firegui.gui.jobs.run_history import History, Removals
from firegui.runs.events import EpochDone, FinishReason, Progress, RunFinished, RunState, StageBegan
from firegui.runs.folder import RunRecord
from firegui.runs.replan_base import ReplanScores
from firegui.runs.spec import Stage

AT_WORK = {
    Stage.OPTIMIZE: "optimizing", Stage.PRUNE: "pruning", Stage.TACTICAL: "placing", Stage.KEEP: "scoring",
}  # fmt: skip
"""What a stage does, in a word."""


@dataclass(slots=True, eq=False)
class RunEntry:
    """One line of the runs list. Changed only by the queue, in the window's thread; the ``notes`` by who writes them.

    ``project`` is the value the run was made from, ``None`` for a run found on disk that was made on another event.
    ``stages`` are those it was asked for and ``stage`` the one it is in, or got to; at work it is the one of that
    ``number`` of so many (``count``). ``baseline``, ``plan`` (at design effectiveness) and ``nominal`` are its scores,
    ``reference`` that of the plan the second stage began with, at nominal effectiveness. ``pausing`` is set between the
    wish to pause and the run holding; ``interrupted``: found without an end; ``elsewhere``: found while another process
    was at it; ``read_only``: another window has its project, so nothing is written to it. ``replans``: it plans what is
    left of another plan; ``replan`` are its numbers, once it has ended. ``swept`` are the passes of the tactical
    heuristic, done and in all, and ``rollouts`` what they took; ``seconds`` what the whole run did, once it has ended.
    :attr:`elapsed` and :attr:`eta` are seconds, too.
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
    stale: bool = False
    pausing: bool = False
    discarding: bool = False
    interrupted: bool = False
    elsewhere: bool = False
    read_only: bool = False
    replans: bool = False
    replan: ReplanScores | None = None
    swept: tuple[int, int] = (0, 0)
    rollouts: int | None = None
    seconds: float | None = None
    notes: str = ""
    history: History = field(default_factory=History)
    removals: Removals = field(default_factory=Removals)

    # -- the first stage ---------------------------------------------------------------------------------------------
    @property
    def epoch(self) -> int:
        """Epochs done."""
        last = self.history.last("epoch")
        return 0 if last is None else int(last) + 1

    @property
    def best(self) -> float | None:
        """Best objective of the first stage so far; that of the plan where there was no first stage."""
        if self._loops:
            return None
        found = self.history.last("best")
        return self.plan.objective if found is None and self.plan is not None else found

    # -- the second --------------------------------------------------------------------------------------------------
    @property
    def prunes(self) -> bool:
        """Whether it got to the second stage."""
        return self.stage is Stage.PRUNE or len(self.removals) > 0

    @property
    def drops_before(self) -> int | None:
        """Executed drops that the second stage began with."""
        return _whole(self.removals.last("drops_before"))

    @property
    def passes(self) -> int:
        """The pass of the second stage, from 1; 0 before the first."""
        return _whole(self.removals.last("passes")) or 0

    @property
    def tested(self) -> tuple[int, int]:
        """How many drops of the pass are decided, and of how many."""
        return _whole(self.removals.last("tested")) or 0, _whole(self.removals.last("to_test")) or 0

    # -- neither -----------------------------------------------------------------------------------------------------
    @property
    def tactical(self) -> bool:
        """Whether it is the tactical heuristic by itself, which has no epochs and removes nothing."""
        return Stage.TACTICAL in self.stages

    # -- both --------------------------------------------------------------------------------------------------------
    @property
    def drops(self) -> int | None:
        """Executed drops: of the kept plan once there is one, else of the latest report; all flown in a closed loop."""
        if self.replan is not None and self._loops:
            return sum(day.loop_drops for day in self.replan.loop)
        if self.nominal is not None:
            return self.nominal.drops_executed
        if len(self.removals):
            return _whole(self.removals.last("drops"))
        if self.plan is not None:
            return self.plan.drops_executed
        return _whole(self.history.last("drops"))

    @property
    def _loops(self) -> bool:
        """Whether it flew a closed loop, whose replannings have each an objective of their own days."""
        return self.replan is not None and bool(self.replan.loop)

    @property
    def elapsed(self) -> float | None:
        """Seconds worked, to the latest report."""
        parts = [part for part in (self.history.last("seconds"), self.removals.last("seconds")) if part is not None]
        return sum(parts) if parts else self.seconds

    @property
    def eta(self) -> float | None:
        """Seconds left of the epochs, or of the pass at the pace of late; ``None`` when over or unknown.

        What comes after that, a second stage or further passes, nobody can tell: see :attr:`more_follows`.
        """
        if self.is_over:
            return None
        return pass_left(self.removals) if self.prunes else epochs_left(self.history, self.epochs)

    @property
    def more_follows(self) -> str:
        """What comes after :attr:`eta`, in words; empty for nothing."""
        if self.prunes:
            return "left of this pass; passes go on until one removes nothing"
        return "left of the first stage if it uses all epochs; the second follows" if Stage.PRUNE in self.stages else ""

    @property
    def progress(self) -> float:
        """Share of the stage, or of its pass, that is done; 1 for a run that ended by itself."""
        if self.reason in (FinishReason.COMPLETED, FinishReason.PATIENCE):
            return 1.0
        done, of = self.swept if self.tactical else self.tested if self.prunes else (self.epoch, self.epochs)
        return min(done / of, 1.0) if of else 0.0

    @property
    def is_over(self) -> bool:
        """Whether it ended."""
        return self.state is RunState.FINISHED

    @property
    def can_go_on(self) -> bool:
        """Whether it was stopped before its end and can be resumed from its folder."""
        return self.is_over and self.reason is FinishReason.STOPPED and not self.elsewhere and not self.read_only

    @property
    def is_unscored(self) -> bool:
        """Whether it was stopped before its plan was scored at nominal effectiveness."""
        stopped = self.is_over and self.reason is FinishReason.STOPPED and not self.interrupted
        return stopped and self.nominal is None and not self._loops

    @property
    def status(self) -> str:
        """One word or two for the list."""
        if self.is_over and self.elsewhere:
            return "running elsewhere"
        if self.is_over and self.interrupted:
            return "interrupted"
        if self.is_over:
            return self.reason.value if self.reason is not None else "unknown"
        if self.discarding:
            return "discarding"
        if self.state is not RunState.RUNNING:
            return self.state.value
        return "pausing" if self.pausing else self._at_work

    @property
    def _at_work(self) -> str:
        if self.stage is None:
            return self.state.value
        return AT_WORK[self.stage] + (f" {self.number}/{self.count}" if self.count > 1 else "")

    # -- what it reports ---------------------------------------------------------------------------------------------
    def add_epochs(self, epochs: list[EpochDone]) -> None:
        """Add the epochs that a live run reports."""
        self.history.extend(epochs)
        self.epochs = epochs[-1].epochs

    def add_progress(self, event: Progress) -> None:
        """Update the passes of the tactical heuristic. Other runs report their progress as epochs and decisions."""
        if self.tactical:
            self.swept = event.done, event.total

    def begin_stage(self, event: StageBegan) -> None:
        """Take in which stage works from now on."""
        if event.number > self.number > 0 and self.number <= event.count - len(self.stages):
            # Setting B begins with a first stage of setting A, whose epochs are not its own.
            self.history = History()
        self.stage, self.number, self.count = event.stage, event.number, event.count

    def take_saved(self, record: RunRecord) -> None:
        """Take in what only the run's folder says."""
        swept, self.seconds = record.scores.swept, record.header.seconds or None
        if swept is not None:
            self.swept, self.rollouts = (swept.done, swept.passes), swept.rollouts

    def finish(self, event: RunFinished) -> None:
        """Take in how it ended."""
        self.state, self.reason, self.message = RunState.FINISHED, event.reason, event.message
        self.nominal = event.nominal or self.nominal
        self.baseline = event.baseline or self.baseline
        self.pausing = self.interrupted = False


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)

"""What the window knows of one run, whether it works now or was found in the project's folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.results import Metrics
from firegui.gui.jobs.history import History
from firegui.runs.events import EpochDone, FinishReason, RunFinished, RunState

_EPOCHS_FOR_PACE = 20


@dataclass(slots=True, eq=False)
class RunEntry:
    """One line of the runs list. Changed only by the queue, in the window's thread.

    ``project`` is the value the run was made from, ``None`` for a run found on disk that was made on another event.
    ``baseline``, ``plan`` (at design effectiveness) and ``nominal`` are its scores. ``pausing`` is set between the wish
    to pause and the run holding; ``interrupted``: found without an end; ``elsewhere``: found while another process
    was at it. :attr:`elapsed` and :attr:`eta` are seconds.
    """

    title: str
    folder: Path
    project: Project | None = None
    state: RunState = RunState.QUEUED
    reason: FinishReason | None = None
    epochs: int = 0
    baseline: Metrics | None = None
    plan: Metrics | None = None
    nominal: Metrics | None = None
    message: str = ""
    stale: bool = False
    pausing: bool = False
    discarding: bool = False
    interrupted: bool = False
    elsewhere: bool = False
    history: History = field(default_factory=History)

    @property
    def epoch(self) -> int:
        """Epochs done."""
        last = self.history.last("epoch")
        return 0 if last is None else int(last) + 1

    @property
    def best(self) -> float | None:
        """Best objective so far."""
        return self.history.last("best")

    @property
    def drops(self) -> int | None:
        """Executed drops: of the kept plan once there is one, else of the latest epoch."""
        if self.nominal is not None:
            return self.nominal.drops_executed
        if self.plan is not None:
            return self.plan.drops_executed
        last = self.history.last("drops")
        return None if last is None else int(last)

    @property
    def elapsed(self) -> float | None:
        """Seconds from the start to the latest epoch."""
        return self.history.last("seconds")

    @property
    def eta(self) -> float | None:
        """Seconds that the remaining epochs take at the pace of the last twenty; ``None`` when over or unknown."""
        seconds = self.history.column("seconds")[-_EPOCHS_FOR_PACE - 1 :]
        if self.is_over or len(seconds) < 2:
            return None
        pace = (seconds[-1] - seconds[0]) / (len(seconds) - 1)
        return float(max(self.epochs - self.epoch, 0) * pace)

    @property
    def progress(self) -> float:
        """Share of the epochs that is done, 1 for a run that ended by itself."""
        if self.reason in (FinishReason.COMPLETED, FinishReason.PATIENCE):
            return 1.0
        return min(self.epoch / self.epochs, 1.0) if self.epochs else 0.0

    @property
    def is_over(self) -> bool:
        """Whether it ended."""
        return self.state is RunState.FINISHED

    @property
    def can_go_on(self) -> bool:
        """Whether it was stopped before its end and can be resumed from its folder."""
        return self.is_over and self.reason is FinishReason.STOPPED and not self.elsewhere

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
        if self.pausing and self.state is RunState.RUNNING:
            return "pausing"
        return self.state.value

    def add_epochs(self, epochs: list[EpochDone]) -> None:
        """Take in what a live run reports."""
        self.history.extend(epochs)
        self.epochs = epochs[-1].epochs

    def finish(self, event: RunFinished) -> None:
        """Take in how it ended."""
        self.state, self.reason, self.message = RunState.FINISHED, event.reason, event.message
        self.nominal = event.nominal or self.nominal
        self.baseline = event.baseline or self.baseline
        self.pausing = self.interrupted = False

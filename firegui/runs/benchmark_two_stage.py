"""The two-stage plan as a task of a benchmark: a run of its own, and what it is charged."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from firegui.domain.benchmark import GRADIENT_CHARGE, Task
from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.io import atomic
from firegui.runs.benchmark_folder import TITLE
from firegui.runs.benchmark_line import Listener
from firegui.runs.command import with_command
from firegui.runs.engine import Engine
from firegui.runs.events import EliminationStep, EpochDone, RunEvent, StageBegan
from firegui.runs.folder import HISTORY, PRELIMINARY_HISTORY, RUN, RunRecord
from firegui.runs.history import read_history
from firegui.runs.nested_plan import planned
from firegui.runs.spec import PlanSpec, Stage

SECONDS = "processor.json"
"""Processor time of all sessions so far, beside the run's own files."""
_STAGES = (Stage.OPTIMIZE, Stage.PRUNE)
_TOLD_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class Made:
    """A finished two-stage plan.

    ``charge`` counts three rollouts for an epoch of every first stage (setting B has two), the rollouts of the
    elimination, three for the gradient that orders each of its passes, and for an epoch of smoothing its gradients and
    trials; as in the paper, not the one to five rollouts that a start is made with. ``curve`` is the main first
    stage's best at design effectiveness; the elimination has no objective.
    """

    folder: Path
    charge: int
    seconds: float
    curve: tuple[tuple[int, float], ...]


class TwoStage:
    """The plan of both stages of ``project`` in ``folder``, with the task's seed."""

    def __init__(
        self, project: Project, engine: Engine, task: Task, folder: Path, project_folder: Path, backend: str
    ) -> None:  # fmt: skip
        optimizer = replace(project.plan.optimizer, seed=task.seed)
        self._project = replace(project, plan=replace(project.plan, optimizer=optimizer))
        self._engine, self._folder = engine, folder
        self._project_folder, self._backend = project_folder, backend

    @property
    def dimension(self) -> int:
        """A logit and three pose variables for every step and aircraft."""
        return 4 * self._project.calendar.n_steps * self._project.fleet.n_aircraft

    def run(self, line: Listener, checkpoint_seconds: float) -> Made:
        """Make the plan, or what is missing of it. Raises :class:`~firegui.errors.CancelledError` when stopped."""
        self._folder.mkdir(parents=True, exist_ok=True)
        teller = _Teller(self._folder, line, checkpoint_seconds)
        project, where = self._project, self._project_folder
        spec = PlanSpec(
            project=project,
            out=self._folder,
            command="",
            stages=_STAGES,
            backend=self._backend,
            frame_stride=project.calendar.n_steps,
            snapshot_seconds=math.inf,
            checkpoint_seconds=checkpoint_seconds,
            project_folder=where,
        )
        try:
            record = planned(with_command(spec), teller.hear, line.control, self._engine, lambda event: None, TITLE)
        finally:
            teller.keep()
        return self._made(record, teller.seconds)

    def _made(self, record: RunRecord, seconds: float) -> Made:
        before = GRADIENT_CHARGE * _epochs(self._folder, PRELIMINARY_HISTORY)
        charge = before + GRADIENT_CHARGE * len(record.history)
        pruned = record.scores.pruned
        if pruned is not None:
            smoothing = self._engine.smoothing_charge(self._project.plan.elimination) if pruned.smoothed else 0
            charge += elimination_charge(pruned.rollouts, pruned.passes) + pruned.smoothed * smoothing
        return Made(self._folder, charge, seconds, tuple(_improvements(before, record.history)))


class _Teller:
    """Passes on how far the plan is, and keeps its processor time: that of this session after those before."""

    def __init__(self, folder: Path, line: Listener, every: float) -> None:
        self._folder, self._line, self._every = folder, line, every
        self._before, self._began = _read_seconds(folder), time.process_time()
        self._charged, self._best = 0, math.nan
        self._told = self._kept = time.monotonic()

    @property
    def seconds(self) -> float:
        """Processor time of every session."""
        return self._before + time.process_time() - self._began

    def hear(self, event: RunEvent) -> None:
        """An event of the plan's run."""
        match event:
            case StageBegan():
                self._charged = self._charged_before(event)
                self._best = math.nan
            case EpochDone():
                self._best = event.best
                self._tell(self._charged + event.rollouts)
            case EliminationStep():
                self._tell(self._charged + elimination_charge(event.rollouts, event.passes))
            case _:
                pass

    def keep(self) -> None:
        """Save the time; a disk that is full costs no more than the time's last digits."""
        self._kept = time.monotonic()
        if not (self._folder / RUN).is_file():  # alone, the file would keep the run out of its folder
            return
        with suppress(InputError):
            atomic.write_text(self._folder / SECONDS, msgspec.json.encode(self.seconds).decode() + "\n")

    def _charged_before(self, began: StageBegan) -> int:
        if began.stage is Stage.PRUNE:
            return GRADIENT_CHARGE * (_epochs(self._folder, PRELIMINARY_HISTORY) + _epochs(self._folder, HISTORY))
        preliminary = began.number < began.count - 1
        return 0 if preliminary else GRADIENT_CHARGE * _epochs(self._folder, PRELIMINARY_HISTORY)

    def _tell(self, spent: int) -> None:
        moment = time.monotonic()
        if moment - self._told >= _TOLD_SECONDS:
            self._told = moment
            self._line.say_progress(spent, self._best, self.seconds)
        if moment - self._kept >= self._every:
            self.keep()


def elimination_charge(rollouts: int, passes: int) -> int:
    """What an elimination is charged that counted ``rollouts``, the one behind the gradient of each pass among them."""
    return rollouts + (GRADIENT_CHARGE - 1) * passes


def _epochs(folder: Path, history: str) -> int:
    return len(read_history(folder / history, 0))


def _improvements(before: int, rows: Sequence[EpochDone]) -> Iterator[tuple[int, float]]:
    best = math.inf
    for row in rows:
        if row.best < best:
            best = row.best
            yield before + row.rollouts, best


def _read_seconds(folder: Path) -> float:
    try:
        return float(msgspec.json.decode((folder / SECONDS).read_bytes(), type=float))
    except (OSError, msgspec.MsgspecError):
        return 0.0

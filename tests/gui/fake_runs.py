"""Test doubles of the engine: runs that report what a test needs, without a simulation."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
from pytestqt.qtbot import QtBot

from firegui.domain.exercise import LoopDay
from firegui.domain.film import Film
from firegui.domain.project import Project
from firegui.domain.results import Frames, Metrics
from firegui.domain.schedule import DropRecord
from firegui.gui.jobs.run_queue import RunQueue
from firegui.io.project.schedule_file import write_plan_safetensors
from firegui.runs.control import RunControl
from firegui.runs.events import (
    BaselineReady,
    Message,
    PlanUpdated,
    Progress,
    RunEvent,
    RunFinished,
    StageBegan,
    StateChanged,
)
from firegui.runs.header import new_header
from firegui.runs.replan_base import ReplanScores, note_of
from firegui.runs.spec import EvaluateSpec, PlanSpec, ReplanSpec, RunSpec
from firegui.runs.stages import EliminationStep, EpochDone, FinishReason, RunState, Stage
from tests.unit.domain.samples import untreated

Emit = Callable[[RunEvent], None]
STRIDE = 5


def metrics(objective: float = 10.0, drops: int = 0) -> Metrics:
    """Return scores of a rollout."""
    return Metrics(100.0, 9.0, 200.0, 3.0, 0.1, 0.2, 0.3, drops, drops, objective)


def frames(project: Project, size: int = 4) -> Frames:
    """Return a square of certain fire that grows by a row and a column per frame."""
    count = -(-project.calendar.n_steps // STRIDE) + 1
    fire = np.zeros((count, *project.scenario.grid.shape), np.uint8)
    for k in range(count):
        fire[k, : size + k, : size + k] = 255
    whole = Film.of(fire)
    return Frames(STRIDE, whole, Film.of(np.zeros_like(fire)), untreated(whole))


def drop(step: int, material: str = "retardant", *, executed: bool = True) -> DropRecord:
    """Return a drop of the small fleet."""
    aircraft, column = ("S-2T-1", 0) if material == "retardant" else ("CL-415-1", 2)
    return DropRecord(step, aircraft, column, "type", material, 1200.0, executed, 10.0, 20.0, 0.5, 10.5, 20.5, 3.7, 0.2)


def epoch_done(epoch: int, epochs: int = 40) -> EpochDone:
    """Return an epoch whose objective falls by the epoch."""
    value = 20.0 / (epoch + 1)
    return EpochDone(epoch, epochs, 3 * (epoch + 1), value, value, 0.3, 0.2, 0.1, epoch, 0.5, 0.1 * (epoch + 1))


def removal(number: int, *, before: int = 12, passes: int = 1) -> EliminationStep:
    """Return the ``number``-th decision of a second stage, counted from 1.

    Every decision removes a drop of a pass that tests ten.
    """
    return EliminationStep(
        rollouts=3 * number, passes=passes, drops=before - number, drops_before=before, removed=number, tested=number,
        to_test=10, batch=4, burn=0.9 + 0.01 * number, final=0.98, prot=math.nan, seconds=0.5 * number,
    )  # fmt: skip


def replan_scores(day: int, *, loop: bool = False) -> ReplanScores:
    """Return the scores of a replanned run: 3 drops instead of 7, or a closed loop of two days."""
    if loop:
        days = tuple(LoopDay(k, 10 + k, 20 + k, 300 + k, 0, 0, 0, 2, 5, 12.0 if k else None) for k in range(2))
        return ReplanScores(day=day, loop=days)
    return ReplanScores(metrics(24.6), metrics(2.0, 3), day=day, drops_flown=4, continued=metrics(2.5, 7))


class FakeExecute:
    """Test double of the runner.

    Evaluations end at once; a run does ``epochs`` epochs and ``removals`` removals. Drops are removed only if the run
    prunes. An ``endless`` run continues its first stage until it is stopped. It obeys the control like the real runner,
    and records requests and threads.
    """

    def __init__(
        self, *, epochs: int = 3, removals: int = 4, endless: bool = False, raises: Exception | None = None
    ) -> None:
        self.epochs, self.removals, self.endless, self.raises = epochs, removals, endless, raises
        self.specs: list[RunSpec] = []
        self.threads: list[int] = []
        self.living = 0

    def __call__(self, spec: RunSpec, emit: Emit, control: RunControl) -> None:
        self.specs.append(spec)
        self.threads.append(threading.get_ident())
        self.living += 1
        try:
            if self.raises is not None and isinstance(spec, PlanSpec):
                raise self.raises
            if isinstance(spec, EvaluateSpec):
                self._evaluate(spec, emit)
            elif isinstance(spec, PlanSpec):
                self._plan(spec, emit, control)
            elif isinstance(spec, ReplanSpec):
                self._replan(spec, emit)
        finally:
            self.living -= 1

    @property
    def runs(self) -> list[PlanSpec]:
        """The runs that were started."""
        return [spec for spec in self.specs if isinstance(spec, PlanSpec)]

    @property
    def replannings(self) -> list[ReplanSpec]:
        """The replannings that were started."""
        return [spec for spec in self.specs if isinstance(spec, ReplanSpec)]

    @property
    def evaluations(self) -> list[EvaluateSpec]:
        """The evaluations for the map."""
        return [spec for spec in self.specs if isinstance(spec, EvaluateSpec)]

    @staticmethod
    def _evaluate(spec: EvaluateSpec, emit: Emit) -> None:
        emit(StateChanged(RunState.RUNNING))
        emit(BaselineReady(metrics(24.6), frames(spec.project, 6)))
        if spec.schedule is not None:
            emit(PlanUpdated(-1, metrics(3.0, 2), frames(spec.project), (drop(3), drop(60, "water"))))
        emit(RunFinished(FinishReason.COMPLETED, "ready", None, metrics(24.6), None))

    @staticmethod
    def _replan(spec: ReplanSpec, emit: Emit) -> None:
        """Save scores like a real replanning; a closed loop makes no pictures."""
        spec.out.mkdir(parents=True, exist_ok=True)
        header = new_header(spec.as_plan(), "cpu", "cpu", None)
        (spec.out / "run.toml").write_text(replace(header, replan=note_of(spec)).text(), encoding="utf-8")
        emit(StateChanged(RunState.RUNNING))
        scores = replan_scores(spec.day, loop=spec.closed_loop)
        (spec.out / "metrics.json").write_bytes(msgspec.json.encode(scores))
        write_plan_safetensors(spec.out / "plan.safetensors", spec.schedule)
        if not spec.closed_loop:
            emit(BaselineReady(metrics(24.6), frames(spec.project, 6)))
            emit(PlanUpdated(-1, metrics(2.0, 3), frames(spec.project), (drop(3), drop(60, "water"))))
        emit(StateChanged(RunState.FINISHED))
        emit(RunFinished(FinishReason.COMPLETED, "replanned", scores.nominal, scores.baseline, spec.out))

    def _plan(self, spec: PlanSpec, emit: Emit, control: RunControl) -> None:
        spec.out.mkdir(parents=True, exist_ok=True)
        (spec.out / "run.toml").write_text("format = 1\n")
        emit(StateChanged(RunState.PREPARING))
        emit(BaselineReady(metrics(24.6), frames(spec.project, 6)))
        emit(StateChanged(RunState.RUNNING))
        work = {
            Stage.OPTIMIZE: (self._epoch, self.epochs),
            Stage.PRUNE: (self._remove, self.removals),
            Stage.TACTICAL: (self._pass, 3),
            Stage.KEEP: (self._pass, 1),
        }
        for number, stage in enumerate(spec.stages):
            emit(StageBegan(stage, number + 1, len(spec.stages), f"the {stage.value} stage"))
            piece, count = work[stage]
            self._pieces(lambda k, piece=piece: piece(spec, emit, k), count, emit, control)  # type: ignore[misc]
        reason = FinishReason.STOPPED if control.stop_requested else FinishReason.COMPLETED
        emit(Message("almost done"))
        emit(StateChanged(RunState.FINISHED))
        emit(
            RunFinished(
                reason, f"{reason.value}; allow more search steps to go on", metrics(2.5, 3), metrics(24.6), spec.out
            )
        )

    def _pieces(self, piece: Callable[[int], None], count: int, emit: Emit, control: RunControl) -> None:
        done = 0
        while (self.endless or done < count) and not control.stop_requested:
            if control.pause_requested:
                emit(StateChanged(RunState.PAUSED))
                control.wait_while_paused()
                if not control.stop_requested:
                    emit(StateChanged(RunState.RUNNING))
                continue
            piece(done)
            done += 1
            if self.endless:
                time.sleep(0.002)

    def _epoch(self, spec: PlanSpec, emit: Emit, k: int) -> None:
        emit(epoch_done(k, max(self.epochs, k + 1)))
        drops = (drop(3), drop(9), drop(60, "water"))
        emit(PlanUpdated(k, metrics(20.0 / (k + 1), 2), frames(spec.project), drops, is_cautious=True))

    def _remove(self, spec: PlanSpec, emit: Emit, k: int) -> None:
        emit(removal(k + 1, before=max(12, k + 2)))
        drops = (drop(3), drop(9), drop(60, "water"))[: max(3 - k, 1)]
        score = metrics(2.6, len(drops))
        emit(PlanUpdated(self.epochs - 1, score, frames(spec.project), drops, Stage.PRUNE, is_cautious=True))

    @staticmethod
    def _pass(spec: PlanSpec, emit: Emit, k: int) -> None:
        emit(Progress(k % 3, 3, "forecasting"))


def run_spec(project: Project, out: Path) -> PlanSpec:
    """Return a run of ``project`` to ``out``."""
    return PlanSpec(project, out, "firegui optimize P --out R")


def wait_idle(qtbot: QtBot, queue: RunQueue, timeout: int = 5_000) -> None:
    """Wait until ``queue`` has no run and no other work."""
    qtbot.waitUntil(lambda: not queue.is_busy and not queue.activity, timeout=timeout)

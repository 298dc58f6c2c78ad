"""Stages, states and steps that a run folder records. Reading a folder loads no other event or spec."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from firegui.domain.stress import StressScenario


class Stage(StrEnum):
    """A stage of a plan: the paper's first (step 4), second (step 5), or its tactical heuristic alone.

    Or none of them: a schedule that was made elsewhere, or by hand, is kept as it is.
    """

    OPTIMIZE = "optimize"
    PRUNE = "prune"
    TACTICAL = "tactical"
    KEEP = "keep"


class RunState(StrEnum):
    """Where a run is."""

    QUEUED = "queued"
    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    FINISHED = "finished"


class FinishReason(StrEnum):
    """Why a run ended."""

    COMPLETED = "completed"
    PATIENCE = "patience"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def label(self) -> str:
        """The reason for people."""
        return _REASONS.get(self.value, self.value)


REMOVAL_TEXT = "remove drops"
"""Text of the second stage in events."""
DONE_REASONS = (FinishReason.COMPLETED, FinishReason.PATIENCE)
"""Reasons of runs that did all they had to do."""
_REASONS = {FinishReason.COMPLETED.value: "finished", FinishReason.PATIENCE.value: "finished, no more gain"}


@dataclass(frozen=True, slots=True)
class EpochDone:
    """One gradient epoch, charged as three ``rollouts`` as in the paper; ``seconds`` since the start."""

    epoch: int
    epochs: int
    rollouts: int
    objective: float
    best: float
    burn: float
    final: float
    prot: float
    drops: int
    grad_norm: float
    seconds: float
    val: float = 0.0


@dataclass(frozen=True, slots=True)
class EliminationStep:
    """Stage 2 has decided on some batches (paper, step 5); ``seconds`` since the stage began.

    ``passes`` is the pass at work, from 1, ``drops`` what is left of ``drops_before``, and ``removed`` how many this
    pass has removed so far; ``tested`` of the ``to_test`` drops of this pass are decided. ``burn``, ``final``,
    ``prot`` and ``val`` are ``ℓ_k / τ_k`` of the plan as it is, at most 1, NaN where the term is not constrained.
    """

    rollouts: int
    passes: int
    drops: int
    drops_before: int
    removed: int
    tested: int
    to_test: int
    batch: int
    burn: float
    final: float
    prot: float
    seconds: float
    val: float = math.nan


@dataclass(frozen=True, slots=True)
class ReplanNote:
    """What a run folder remembers of a :class:`~firegui.runs.spec.ReplanSpec`; hashes are sha256.

    ``observed`` says where the perimeter came from, ``observed_file`` is the hash of its file, empty for the project's
    own; ``fire`` hashes the state that was planned from and ``flown`` the schedule whose drops before ``day`` were
    flown. ``notes`` say what was assumed of the perimeter. ``exercise``, ``draw`` and ``after`` are those of the spec.
    """

    day: int
    flown: str
    closed_loop: bool = False
    observed: str = ""
    observed_file: str = ""
    fire: str = ""
    notes: tuple[str, ...] = ()
    exercise: StressScenario | None = None
    draw: int = 0
    after: str = ""

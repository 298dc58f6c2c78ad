"""Robustness tables of a plan (paper, section ``design_eta``): settings and rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, stdev
from typing import Generic, TypeVar

from firegui.domain.options import bounds_problems, option
from firegui.domain.results import Metrics
from firegui.domain.settings import Effectiveness, ObjectiveWeights, RetardantSide, Setting
from firegui.domain.uncertainty import SOURCE_FLAGS, SOURCE_TITLES, ErrorSource
from firegui.errors import Problem


class SensitivityKind(StrEnum):
    """Quantity that is varied.

    It is the effectiveness in the score, the landing points, the pose logits as in the paper, the effectiveness of the
    design, or the side that retardant acts on.
    """

    EFFECTIVENESS = "effectiveness"
    OFF_TARGET = "off-target"
    POSE = "pose"
    DESIGN = "design"
    RETARDANT_SIDE = "retardant-side"


KIND_TITLES = {
    SensitivityKind.EFFECTIVENESS: "How well drops work, to score",
    SensitivityKind.OFF_TARGET: "Drops laid off target",
    SensitivityKind.POSE: "Drops laid off target, as in the paper",
    SensitivityKind.DESIGN: "How well drops work, to plan",
    SensitivityKind.RETARDANT_SIDE: "Where retardant acts",
}


PAIRS = tuple(
    Effectiveness(retardant, water)
    for retardant, water in (
        (0.90, 0.90), (0.895, 0.895), (0.89, 0.88), (0.88, 0.88), (0.86, 0.83), (0.85, 0.80), (0.70, 0.60),
    )
)  # fmt: skip
"""η_ret and η_w of the paper's Table ``eta_sens``, in its order."""

SCALES = (0.0, 1e-5, 1e-4, 3e-4, 1e-3)
"""Standard deviations of the pose logits in the paper's Table ``pose_sens``; 0 is the schedule as it is."""

DISTANCES_M = (0.0, 7.5, 15.0, 30.0, 60.0)
"""Standard deviations of landing points, metres: from a quarter of a 30 m cell to two cells; 0 is the plan as it is."""

DESIGNS = (Effectiveness(0.90, 0.90), Effectiveness(0.85, 0.75), Effectiveness(0.80, 0.70))
"""Design effectiveness of the paper's Table ``design_eta``."""

SIDES = (RetardantSide.BOTH, RetardantSide.EMITTER, RetardantSide.RECEIVER)

FARTHEST_M = 10_000.0
"""Largest standard deviation of landing points, metres."""

DESIGN_PREFIX = "design-"
"""How the folders of a sweep's plans begin."""

_PAIR_HELP = "pairs of retardant/water with commas between, such as 0.9/0.9, 0.85/0.8"
NO_MEMBERS_REASON = "not asked for: give a number of fires"


@dataclass(frozen=True, slots=True)
class SensitivitySettings:
    """Settings of the tables; each kind reads its own.

    ``members`` sampled fires make each of the Monte Carlo columns of the sweep, the second with the model error
    ``error``. ``seed`` decides the draws, and every random choice of a sweep's plans.
    """

    pairs: tuple[Effectiveness, ...] = option(
        PAIRS, "Effectiveness", "effectiveness to score at: " + _PAIR_HELP, label="Scored with",
        read=Effectiveness.parse, metavar="R/W", kinds=(SensitivityKind.EFFECTIVENESS,),
        about="effectiveness of retardant/water", default_text="the paper's seven",
    )  # fmt: skip
    distances: tuple[float, ...] = option(
        DISTANCES_M, "Drops laid off by, m",
        "standard deviations of the landing points north and east, in metres with commas between; 0 is no error",
        kinds=(SensitivityKind.OFF_TARGET,), about="error of the landing points in metres",
    )  # fmt: skip
    scales: tuple[float, ...] = option(
        SCALES, "Noise",
        "standard deviations of the noise on the pose logits, with commas between; 0 is no noise",
        kinds=(SensitivityKind.POSE,), about="noise on the pose logits",
    )  # fmt: skip
    draws: int = option(
        4, "Draws", "displaced plans per displacement", low=1, high=10_000,
        kinds=(SensitivityKind.OFF_TARGET, SensitivityKind.POSE),
    )  # fmt: skip
    designs: tuple[Effectiveness, ...] = option(
        DESIGNS, "Assumed effectiveness", "effectiveness to plan with: " + _PAIR_HELP, label="Planned with",
        read=Effectiveness.parse, metavar="R/W", kinds=(SensitivityKind.DESIGN,), about="effectiveness to plan with",
    )  # fmt: skip
    sides: tuple[RetardantSide, ...] = option(
        SIDES, "Retardant side", "where retardant acts: both, emitter, receiver, with commas between",
        label="Retardant acts on", kinds=(SensitivityKind.RETARDANT_SIDE,), default_text="all",
        metavar="SIDE", about="both, emitter, receiver",
    )  # fmt: skip
    members: int = option(
        0, "Number of fires", "sampled fires for each Monte Carlo column of the sweep", low=0,
        high=100_000, kinds=(SensitivityKind.DESIGN,), about="sampled fires for the Monte Carlo columns",
        default_text="0, none",
    )  # fmt: skip
    seed: int = option(
        0, "Random seed", "seed of the draws and the sampled fires", low=0, high=2**32 - 1,
        kinds=(SensitivityKind.OFF_TARGET, SensitivityKind.POSE, SensitivityKind.DESIGN),
        about="seed of every random choice", default_text="0, of a design the project's",
    )  # fmt: skip
    error: ErrorSource = option(
        ErrorSource.FITTED, "Error model",
        "fitted from the project's own perimeters, or the paper's numbers for Bear 2020",
        choices=SOURCE_TITLES, flags=SOURCE_FLAGS, about="model error", kinds=(SensitivityKind.DESIGN,),
    )  # fmt: skip

    def problems(self, kind: SensitivityKind) -> list[Problem]:
        """Return everything that is wrong for a table of ``kind``."""
        found = bounds_problems(self, "sensitivity")
        match kind:
            case SensitivityKind.EFFECTIVENESS:
                found += _pairs_problems(self.pairs, "effectiveness")
            case SensitivityKind.DESIGN:
                found += _pairs_problems(self.designs, "design")
            case SensitivityKind.OFF_TARGET:
                found += _deviation_problems(self.distances, "distance", "the landing points", FARTHEST_M)
            case SensitivityKind.POSE:
                found += _deviation_problems(self.scales, "scale", "a pose logit", 1.0)
            case SensitivityKind.RETARDANT_SIDE:
                found += _repeated([side.value for side in self.sides], "retardant side")
        return found


@dataclass(frozen=True, slots=True)
class RolloutSummary:
    """One rollout as the tables show it.

    ``fire_objective`` is ``J_fire = λ_burn 𝓛_burn + λ_final 𝓛_final + λ_prot 𝓛_prot + λ_val 𝓛_val``, without the
    budget term.
    """

    fire_objective: float
    final_extent_cells: float
    final_extent_ha: float
    protected_cells: float
    drops: int

    @staticmethod
    def of(metrics: Metrics, weights: ObjectiveWeights) -> RolloutSummary:
        """Return the summary of ``metrics``."""
        return RolloutSummary(
            fire_objective(metrics, weights),
            metrics.final_extent_cells,
            metrics.final_extent_ha,
            metrics.protected_cells,
            metrics.drops_executed,
        )

    @property
    def protected_ha(self) -> float:
        """Expected burned hectares of the protected regions."""
        # The area of a cell is that of the final size; where that is nothing, no region burns.
        cell_ha = self.final_extent_ha / self.final_extent_cells if self.final_extent_cells else 0.0
        return self.protected_cells * cell_ha


def fire_objective(metrics: Metrics, weights: ObjectiveWeights) -> float:
    """Return ``J_fire``, the objective without what drops cost (paper, section ``design_eta``)."""
    regions = weights.burn * metrics.loss_burn + weights.final * metrics.loss_final + weights.prot * metrics.loss_prot
    return regions + weights.val * metrics.loss_val


def ratio(value: float, reference: float) -> float:
    """Return ``value / reference``; NaN where there is nothing to compare with."""
    return value / reference if reference else math.nan


@dataclass(frozen=True, slots=True)
class EffectivenessRow:
    """Result of the schedule at another effectiveness.

    ``relative`` is its final extent over that at the nominal effectiveness.
    """

    effectiveness: Effectiveness
    reading: RolloutSummary
    relative: float


@dataclass(frozen=True, slots=True)
class PoseRow:
    """Results of the schedule with noise on all poses, one per draw.

    The noise is Gaussian with standard deviation ``scale``: that of the pose logits, or of the landing points in metres
    where it is ``in_metres``. Without noise there is one draw.
    """

    scale: float
    draws: tuple[RolloutSummary, ...]
    in_metres: bool = False

    @property
    def text(self) -> str:
        """Size of the noise: ``30 m``, ``0.001`` or ``none``."""
        return (f"{self.scale:g} m" if self.in_metres else f"{self.scale:g}") if self.scale else "none"

    @property
    def mean(self) -> float:
        """Mean of ``J_fire`` over the draws."""
        return fmean(reading.fire_objective for reading in self.draws)

    @property
    def lowest(self) -> float:
        """Smallest ``J_fire``."""
        return min(reading.fire_objective for reading in self.draws)

    @property
    def highest(self) -> float:
        """Largest ``J_fire``."""
        return max(reading.fire_objective for reading in self.draws)

    @property
    def mean_extent(self) -> float:
        """Mean final extent over the draws, cells."""
        return fmean(reading.final_extent_cells for reading in self.draws)

    @property
    def mean_extent_ha(self) -> float:
        """Mean final extent over the draws, hectares."""
        return fmean(reading.final_extent_ha for reading in self.draws)


@dataclass(frozen=True, slots=True)
class SideRow:
    """The schedule with retardant acting on ``side``; ``relative`` as in :class:`EffectivenessRow`."""

    side: RetardantSide
    reading: RolloutSummary
    relative: float


@dataclass(frozen=True, slots=True)
class MonteCarlo:
    """Reduction of the mean final extent over sampled fires, a fraction.

    It is ``None`` where it cannot be computed, and ``reason`` says why. ``error`` is its standard error, with
    ``members`` pairs of a plan and the fire without drops.
    """

    reduction: float | None
    members: int = 0
    error: float | None = None
    reason: str = ""

    @staticmethod
    def of(extents: Sequence[float], without: Sequence[float]) -> MonteCarlo:
        """Return the reduction from ``without`` drops to ``extents`` with them, member by member.

        The error is that of a ratio of paired means: ``sd(a − r b) / (mean(b) √n)``; none for a single member.
        """
        left = ratio(fmean(extents), fmean(without))
        rests = [one - left * other for one, other in zip(extents, without, strict=True)]
        count = len(rests)
        error = stdev(rests) / (fmean(without) * math.sqrt(count)) if count > 1 else None
        return MonteCarlo(1.0 - left, count, error)


@dataclass(frozen=True, slots=True)
class DesignRow:
    """A plan made with the effectiveness ``design``, scored at the nominal one.

    ``reduction`` is that of the mean field's final extent, a fraction. ``epochs`` of stage 1 and ``pruning_rollouts``
    of stage 2 are what it cost, in ``seconds``. ``folder`` is its run inside the table's folder.
    """

    design: Effectiveness
    folder: str
    reading: RolloutSummary
    reduction: float
    state_sampling: MonteCarlo
    model_error: MonteCarlo
    epochs: int
    pruning_rollouts: int
    seconds: float


Row = EffectivenessRow | PoseRow | DesignRow | SideRow
RowT = TypeVar("RowT", bound=Row, covariant=True)


@dataclass(frozen=True, slots=True)
class SensitivityTable(Generic[RowT]):
    """A table with what it was made of.

    ``baseline`` is the fire without drops and ``scored`` the schedule at nominal effectiveness (``None``: none was
    given, as a sweep needs none); ``schedule`` says which it was. ``complete`` is false while rows of a sweep are
    missing.
    """

    kind: SensitivityKind
    event: str
    fire_model: str
    setting: Setting
    weights: ObjectiveWeights
    nominal: Effectiveness
    retardant_acts_on: RetardantSide
    schedule: str
    baseline: RolloutSummary
    scored: RolloutSummary | None
    rows: tuple[RowT, ...]
    settings: SensitivitySettings
    complete: bool = True


def design_folder(design: Effectiveness) -> str:
    """Return the name of the run that plans with ``design``: ``design-0.85-0.75``."""
    return f"{DESIGN_PREFIX}{design.retardant:g}-{design.water:g}"


def _pairs_problems(pairs: Sequence[Effectiveness], where: str) -> list[Problem]:
    found = _repeated([f"{pair.retardant:g}/{pair.water:g}" for pair in pairs], where)
    for pair in pairs:
        found += bounds_problems(pair, f"{where} {pair.retardant:g}/{pair.water:g}")
    return found


def _deviation_problems(values: Sequence[float], name: str, of: str, most: float) -> list[Problem]:
    found = _repeated([f"{value:g}" for value in values], name)
    for value in values:
        if not (math.isfinite(value) and 0.0 <= value <= most):
            found.append(Problem(name, f"{value:g} is not a standard deviation of {of}", f"use 0 to {most:g}"))
    return found


def _repeated(names: Sequence[str], where: str) -> list[Problem]:
    if not names:
        return [Problem(where, "none is given", "give at least one, or leave the option out")]
    twice = sorted({name for name in names if names.count(name) > 1})
    return [Problem(where, f"{name} is given twice", "give it once") for name in twice]

"""One small robustness table of each kind, made up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firegui.domain.sensitivity import (
    SIDES,
    DesignRow,
    EffectivenessRow,
    MonteCarlo,
    PoseRow,
    RolloutSummary,
    Row,
    SensitivityKind,
    SensitivitySettings,
    SensitivityTable,
    SideRow,
)
from firegui.domain.settings import DESIGN, NOMINAL, ObjectiveWeights, RetardantSide, Setting

BASELINE = RolloutSummary(24.0, 1000.0, 90.0, 50.0, 0)


def reading(extent: float) -> RolloutSummary:
    """A reading that follows from its extent."""
    return RolloutSummary(extent / 50.0, extent, 0.09 * extent, 1.0, 12)


def sensitivity_tables() -> list[SensitivityTable[Row]]:
    """One of each kind, in the order of the kinds; the sweep has a Monte Carlo column in its first row alone."""
    sampled, left_out = MonteCarlo(0.85, 20), MonteCarlo(None, reason="not asked for")
    designs = [
        DesignRow(design, "design", reading(100.0 + k), 0.9 - k / 1000.0, column, left_out, 40, 90, 7.5)
        for k, (design, column) in enumerate(((NOMINAL, sampled), (DESIGN, left_out)))
    ]
    return [
        _table(
            SensitivityKind.EFFECTIVENESS, [EffectivenessRow(eta, reading(150.0), 1.5) for eta in (NOMINAL, DESIGN)]
        ),
        _table(
            SensitivityKind.OFF_TARGET,
            [PoseRow(0.0, (reading(100.0),), True), PoseRow(30.0, (reading(120.0), reading(160.0)), True)],
        ),
        _table(
            SensitivityKind.POSE, [PoseRow(0.0, (reading(100.0),)), PoseRow(1e-3, (reading(110.0), reading(150.0)))]
        ),
        _table(SensitivityKind.DESIGN, designs),
        _table(SensitivityKind.RETARDANT_SIDE, [SideRow(side, reading(200.0), 2.0) for side in SIDES]),
    ]


def _table(kind: SensitivityKind, rows: Sequence[Any]) -> SensitivityTable[Row]:
    return SensitivityTable(
        kind=kind,
        event="Tiny",
        fire_model="made up",
        setting=Setting.A,
        weights=ObjectiveWeights(),
        nominal=NOMINAL,
        retardant_acts_on=RetardantSide.BOTH,
        schedule="" if kind is SensitivityKind.DESIGN else "plan.safetensors, 12 drops",
        baseline=BASELINE,
        scored=None if kind is SensitivityKind.DESIGN else reading(100.0),
        rows=tuple(rows),
        settings=SensitivitySettings(),
    )

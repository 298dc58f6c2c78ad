"""What a robustness table is called and says, in words for people, and the command that repeats it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from firegui.domain.sensitivity import (
    DesignRow,
    EffectivenessRow,
    PoseRow,
    Reading,
    Row,
    SensitivityKind,
    SensitivitySettings,
    SensitivityTable,
    SideRow,
)
from firegui.domain.settings import Effectiveness
from firegui.domain.uncertainty import ErrorSource
from firegui.runs.events import FinishReason
from firegui.runs.messages import counted

PRESET = "bear"
"""How the command line calls the paper's error model."""


def schedule_text(file: Path | None, reading: Reading | None) -> str:
    """Which schedule a table is of: where it lies and how many drops it executes; empty for none."""
    if reading is None:
        return ""
    drops = counted(reading.drops, "drop")
    return drops if file is None else f"{file.resolve().parent.name}/{file.name}, {drops}"


def pair_text(effectiveness: Effectiveness) -> str:
    """``0.85/0.75``: retardant, then water."""
    return f"{effectiveness.retardant:g}/{effectiveness.water:g}"


def table_message(table: SensitivityTable[Row], reason: FinishReason) -> str:
    """What the table shows, in one sentence; of one that was stopped, how far it came."""
    wanted = len(table.settings.designs)
    if reason is FinishReason.STOPPED:
        return f"stopped on request after {len(table.rows)} of {counted(wanted, 'design')}; resume to go on"
    text = _worst(table.rows)
    return text if table.scored is None else f"J_fire {table.scored.fire_objective:.4g} as planned for; {text}"


def _worst(rows: Sequence[Row]) -> str:
    by_mean = max((row for row in rows if isinstance(row, PoseRow)), key=lambda row: row.mean, default=None)
    if by_mean is not None:
        spread = f"{by_mean.lowest:.4g} to {by_mean.highest:.4g}"
        return f"at most {by_mean.mean:.4g} on average ({spread}), at a perturbation of {by_mean.scale:g}"
    plans = [row for row in rows if isinstance(row, DesignRow)]
    if plans:
        best = min(plans, key=lambda row: row.reading.fire_objective)
        drops = counted(best.reading.drops, "drop")
        text = f"lowest J_fire {best.reading.fire_objective:.4g}, planned at {pair_text(best.design)} with {drops}"
        return f"{counted(len(plans), 'design')}; {text}"
    scored = [row for row in rows if isinstance(row, (EffectivenessRow, SideRow))]
    worst = max(scored, key=lambda row: row.reading.fire_objective)
    if isinstance(worst, SideRow):
        return f"at most {worst.reading.fire_objective:.4g}, with retardant acting on: {worst.side.value}"
    return f"at most {worst.reading.fire_objective:.4g}, at η {pair_text(worst.effectiveness)}"


def sensitivity_command(
    project: Path,
    out: Path,
    kind: SensitivityKind,
    settings: SensitivitySettings,
    *,
    schedule: Path | None = None,
    epochs: int | None = None,
    backend: str = "auto",
) -> str:
    """``firegui sensitivity …`` with every option that decides it spelled out; ``epochs`` cap a sweep's plans."""
    words = ["firegui", "sensitivity", str(project), "--kind", kind.value, "--out", str(out)]
    if schedule is not None:
        words += ["--schedule", str(schedule)]
    match kind:
        case SensitivityKind.EFFECTIVENESS:
            words += ["--pairs", _exactly(settings.pairs)]
        case SensitivityKind.POSE:
            words += ["--scales", ",".join(map(repr, settings.scales))]
            words += ["--draws", str(settings.draws), "--seed", str(settings.seed)]
        case SensitivityKind.DESIGN:
            words += ["--designs", _exactly(settings.designs)]
            words += [] if epochs is None else ["--epochs", str(epochs)]
            words += ["--members", str(settings.members), "--seed", str(settings.seed)]
            words += ["--preset", PRESET] if settings.error is ErrorSource.PAPER else []
        case SensitivityKind.RETARDANT_SIDE:
            words += ["--sides", ",".join(side.value for side in settings.sides)]
    if backend != "auto":
        words += ["--backend", backend]
    return shlex.join(words)


def _exactly(pairs: Sequence[Effectiveness]) -> str:
    return ",".join(f"{pair.retardant!r}/{pair.water!r}" for pair in pairs)

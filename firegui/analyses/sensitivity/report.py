"""What a robustness table is called and says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firegui.domain.sensitivity import (
    DesignRow,
    EffectivenessRow,
    PoseRow,
    RolloutSummary,
    Row,
    SensitivityTable,
    SideRow,
)
from firegui.runs.events import FinishReason
from firegui.runs.messages import counted, pair_text


def schedule_text(file: Path | None, reading: RolloutSummary | None) -> str:
    """Which schedule a table is of: where it lies and how many drops it executes; empty for none."""
    if reading is None:
        return ""
    drops = counted(reading.drops, "drop")
    return drops if file is None else f"{file.resolve().parent.name}/{file.name}, {drops}"


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

"""What a study says at its end, in words for people."""

from __future__ import annotations

from firegui.domain.study_table import MEASURES, StudyTable
from firegui.runs.events import FinishReason
from firegui.runs.messages import counted

_SHOWN = 3


def study_message(table: StudyTable, reason: FinishReason) -> str:
    """How far it came and what was found, in one sentence."""
    done, asked = len(table.rows), counted(len(table.cells), "cell")
    if reason is FinishReason.STOPPED:
        return f"stopped on request after {done:,} of {asked}; resume to go on"
    if reason is FinishReason.FAILED:
        return f"{done:,} of {asked} done and kept; {failures_text(table)}; resume to try the others again"
    measure = table.settings.measure[0]
    found = [table.measured(cell, measure) for cell in table.done if table.has(cell, measure)]
    span = f"from {min(found):.4g} to {max(found):.4g}" if found else "is not known"
    return f"{asked}; {MEASURES[measure].label.lower()} {span}"


def failures_text(table: StudyTable) -> str:
    """Why cells failed: the first few, each reason once."""
    reasons: dict[str, list[int]] = {}
    for cell, why in sorted(table.failed.items()):
        reasons.setdefault(why, []).append(cell)
    said = [f"{_cells(cells)}: {why}" for why, cells in list(reasons.items())[:_SHOWN]]
    more = len(reasons) - len(said)
    return "; ".join([*said, *([f"and {counted(more, 'more reason')}"] if more > 0 else [])]) or "some are missing"


def _cells(cells: list[int]) -> str:
    shown = ", ".join(map(str, cells[:_SHOWN]))
    more = f" and {len(cells) - _SHOWN:,} more" if len(cells) > _SHOWN else ""
    return f"cell{'s' if len(cells) > 1 else ''} {shown}{more}"

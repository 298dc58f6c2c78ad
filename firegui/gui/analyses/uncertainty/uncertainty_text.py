"""What an ensemble is of, in words beside its pictures."""

from __future__ import annotations

from pathlib import Path

from firegui.domain.uncertainty import KIND_TITLES
from firegui.gui.analyses.uncertainty.uncertainty_controller import EnsembleResult
from firegui.runs.uq_text import UNBURNED, below_start_text, error_text

NOTHING = "No ensemble is shown: draw one, or open an earlier one."
_APPROXIMATE = "The paper's, of Bear 2020 and its own fire model: approximate here."
_PRESET = "paper"


def error_words(shown: EnsembleResult | None) -> str:
    """The numbers of an error model, and where they are from."""
    if shown is None or shown.error is None:
        return ""
    preset = shown.error.source.startswith(_PRESET)
    return "\n".join([error_text(shown.error), *([_APPROXIMATE] if preset else [])])


def caution_text(shown: EnsembleResult | None) -> str:
    """What is approximate about an ensemble and what must not be overlooked in it, or empty."""
    if shown is None:
        return ""
    said = [] if shown.header is None else [note for note in shown.header.notes if note != UNBURNED]
    below = "" if shown.ensemble is None or not shown.ensemble.members else below_start_text(shown.ensemble)
    texts = [*said, *([below] if below else [])]
    return f"⚠ {'. '.join(texts)}" if texts else ""


def head_text(shown: EnsembleResult) -> str:
    """What an ensemble is of."""
    ensemble, header = shown.ensemble, shown.header
    if ensemble is None:
        return NOTHING
    size = f"{ensemble.members:,}" if ensemble.complete else f"{ensemble.members:,} of {ensemble.asked:,}"
    parts = [KIND_TITLES[ensemble.kind], f"{size} members"]
    if header is not None:
        plan = Path(header.schedule_file)
        parts.append(f"of {plan.parent.name}/{plan.name}" if header.schedule_file else "no drops only")
        parts.append(f"seed {header.seed}")
    return " · ".join(parts)

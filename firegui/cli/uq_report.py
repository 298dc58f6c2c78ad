"""An ensemble as people read it, with the columns of the paper's tables, and as one object for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from firegui.cli.output import table
from firegui.domain.ensemble import Ensemble
from firegui.domain.sensitivity import ratio
from firegui.domain.uncertainty import KIND_TITLES
from firegui.runs.events import RunFinished
from firegui.runs.sensitivity_text import pair_text
from firegui.runs.uq_folder import Deterministic, EnsembleHeader, summary_content
from firegui.runs.uq_summary import Summary, SummaryRow, summarised
from firegui.runs.uq_text import below_start_text, error_text

_NAMES = {
    "final_extent": "final extent, cells",
    "final_area": "final extent, ha",
    "exposure": "exposure, cell-days",
    "protected": "protected, cells",
    "protected_exposure": "protected, cell-days",
}
_SHOWN_WORST = 5


def result(ensemble: Ensemble, header: EnsembleHeader, finished: RunFinished) -> dict[str, Any]:
    """The object that ``uq --json`` prints."""
    summary = summarised(ensemble, regions=bool(header.project.regions))
    assert finished.baseline is not None
    return {
        "run": str(finished.folder),
        "reason": finished.reason.value,
        "message": finished.message,
        "complete": ensemble.complete,
        "seconds": header.seconds,
        "backend": header.backend,
        "device": header.device,
        **summary_content(header, summary, Deterministic(finished.baseline, finished.nominal)),
    }


def lines(ensemble: Ensemble, header: EnsembleHeader, finished: RunFinished) -> Iterator[str]:
    """The report for people."""
    summary = summarised(ensemble, regions=bool(header.project.regions))
    done = f"{summary.members:,}" if ensemble.complete else f"{summary.members:,} of {summary.asked:,}"
    kind = f"{KIND_TITLES[summary.kind].lower()} ({summary.kind.value})"
    yield f"{header.project.name}: {kind}, {done} members, seed {header.seed}, nominal η {_nominal(header)}"
    yield f"Fire model: {header.project.fire_model.label}. Extents are sums of probabilities at the end of the plan."
    if header.error is not None:
        yield f"Model error: {error_text(header.error)}"
    yield from (f"{note}." for note in header.notes)
    yield from table([*_heads(ensemble), *(_row(row) for row in summary.rows)])
    yield from filter(None, [below_start_text(ensemble)])
    yield from _benefit(summary)
    yield from _without_chance(finished)
    yield from _worst(summary)
    yield finished.message
    yield f"ensemble: {finished.folder}"


def _nominal(header: EnsembleHeader) -> str:
    return pair_text(header.project.plan.nominal)


def _heads(ensemble: Ensemble) -> list[tuple[str, ...]]:
    head = ("", "no drops, mean", "sd")
    return [(*head, "plan, mean", "sd", "reduction", "worse") if ensemble.has_plan else head]


def _row(row: SummaryRow) -> tuple[str, ...]:
    start = (_NAMES[row.quantity], _number(row.baseline.mean), _number(row.baseline.sd))
    if row.plan is None or row.benefit is None:
        return start
    gain = row.benefit
    return (
        *start,
        _number(row.plan.mean),
        _number(row.plan.sd),
        "–" if gain.reduction is None else f"{gain.reduction:.1%}",
        f"{gain.worse:.1%}",
    )


def _benefit(summary: Summary) -> Iterator[str]:
    row = summary.row("final_extent")
    if row is None or row.benefit is None:
        return
    gain = row.benefit
    low, _, middle, _, high = (_number(value) for value in gain.spread.quantiles)
    spread = f"{_number(gain.spread.mean)} ± {_number(gain.spread.sd)} cells, median {middle}"
    yield f"Benefit, member by member: {spread}, 95 % of members {low} to {high}"
    yield f"More burns with the plan in {gain.worse:.1%} ± {gain.worse_error:.1%} of the members"


def _without_chance(finished: RunFinished) -> Iterator[str]:
    if finished.baseline is None:
        return
    text = f"Without chance: {_number(finished.baseline.final_extent_cells)} cells with no drops"
    if finished.nominal is not None:
        share = 1.0 - ratio(finished.nominal.final_extent_cells, finished.baseline.final_extent_cells)
        text += f", {_number(finished.nominal.final_extent_cells)} with the plan ({share:.1%} less)"
    yield text


def _worst(summary: Summary) -> Iterator[str]:
    shown = summary.worst[:_SHOWN_WORST]
    title = "Largest fires, cells" if shown[0].benefit is None else "Least benefit, cells"
    values = (member.baseline if member.benefit is None else member.benefit for member in shown)
    named = (f"member {member.member}: {_number(value)}" for member, value in zip(shown, values, strict=True))
    yield f"{title}: {', '.join(named)}"


def _number(value: float) -> str:
    if value != value:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"

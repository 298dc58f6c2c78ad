"""``firegui uq``: uncertainty of a plan over an ensemble of fires."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from firegui.analyses.uncertainty.report import MEAN_OF_DRAWS, below_start_text, error_text
from firegui.analyses.uncertainty.results import Deterministic, EnsembleHeader, summary_content
from firegui.analyses.uncertainty.summary import Summary, SummaryRow, summarised
from firegui.api.ensembles import EnsembleRequest, carry_out_ensemble
from firegui.cli.arguments import FILE, option_group, project_argument
from firegui.cli.carry_out import exit_code, interruptible
from firegui.cli.options import backend_option, schedule_option
from firegui.cli.output import json_option, report, table
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.ensemble import Ensemble
from firegui.domain.sensitivity import ratio
from firegui.domain.settings import pair_text
from firegui.domain.uncertainty import KIND_TITLES, ErrorSource, UncertaintyKind, UncertaintySettings
from firegui.domain.units import percent_text, sampled_percent_text
from firegui.domain.workers import WorkerSettings
from firegui.errors import Problems
from firegui.runs.events import RunFinished

_STOPPING, _AGAIN = "stopping; the fires that are done are being saved", "already stopping"


_options = option_group(
    click.option("--kind", "kind_name", metavar="|".join(UncertaintyKind), required=True, help="What is drawn."),
    click.option("--out", metavar="RUN", type=FILE, required=True, help="Folder for the ensemble; new or empty."),
    setting_options(UncertaintySettings(), skip=("kind",)),
    setting_options(WorkerSettings()),
    click.option("--resume", is_flag=True, help="Go on with the ensemble in RUN; --members may be raised."),
)  # fmt: skip


@click.command()
@project_argument
@schedule_option(required=False)
@_options
@backend_option
@plain_progress_option
@json_option
def uq(
    project_folder: Path,
    schedule_file: Path | None,
    kind_name: str,
    out: Path,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Draw an ensemble of fires of PROJECT and write its tables into RUN.

    Every member is a fire without drops and one with the schedule. aleatoric draws every cell's state at the ends
    of days, epistemic disturbs the fire by a correlated error of the fire model there, weather perturbs the wind of
    whole members. Both fires of a member meet the same random numbers, at expected effectiveness; the schedule stays as
    it is. Without a schedule there are only the fires without drops.
    """

    def settings(base: UncertaintySettings | None, problems: Problems) -> UncertaintySettings | None:
        return _settings(kind_name, given, base or UncertaintySettings(), problems)

    def workers(base: WorkerSettings, problems: Problems) -> WorkerSettings:
        return given_settings(base, given, problems)

    ready = EnsembleRequest(project_folder, schedule_file, out, settings, resume, backend, workers).read()
    with interruptible(_STOPPING, _AGAIN) as control:
        ended = carry_out_ensemble(ready, emitter(progress), control)
    ensemble, header, finished = ended.ensemble, ended.header, ended.finished
    report(as_json, result(ensemble, header, finished), lambda: lines(ensemble, header, finished))
    click.get_current_context().exit(exit_code(finished))


def _settings(
    name: str, given: Mapping[str, Any], base: UncertaintySettings, problems: Problems
) -> UncertaintySettings | None:
    """Return ``base`` with what is given replaced, ``None`` for an unknown kind; every problem is noted."""
    kind = UncertaintyKind(name) if name in tuple(UncertaintyKind) else None
    if kind is None:
        problems.add("--kind", f"{name!r} is not known", f"give one of {', '.join(UncertaintyKind)}")
    settings = given_settings(replace(base, kind=kind or base.kind), given, problems, kind=kind)
    if settings.error is ErrorSource.PAPER and given["softening"] is not None and kind is UncertaintyKind.EPISTEMIC:
        problems.add("--softening", "is part of a fit, and the preset is fitted already", "leave it out, or give --fit")
    return None if kind is None else settings


_NAMES = {
    "final_extent": "final size, cells",
    "final_area": "final size, ha",
    "exposure": "exposure, cell-days",
    "protected": "protected, cells",
    "protected_exposure": "protected, cell-days",
}
_SHOWN_WORST = 5


def result(ensemble: Ensemble, header: EnsembleHeader, finished: RunFinished) -> dict[str, Any]:
    """Return the object that ``uq --json`` prints."""
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
    """Yield the report for people."""
    summary = summarised(ensemble, regions=bool(header.project.regions))
    done = f"{summary.members:,}" if ensemble.complete else f"{summary.members:,} of {summary.asked:,}"
    kind = f"{KIND_TITLES[summary.kind].lower()} ({summary.kind.value})"
    yield f"{header.project.name}: {kind}, {done} fires, seed {header.seed}, effectiveness {_nominal(header)}"
    yield f"Fire model: {header.project.fire_model.label}. Extents are sums of probabilities at the end of the plan."
    if header.error is not None:
        yield f"Model error: {error_text(header.error)}"
    yield from (f"{note}." for note in header.notes)
    yield from table([*_heads(ensemble), *(_row(row) for row in summary.rows)])
    yield from filter(None, [below_start_text(ensemble)])
    yield f"{MEAN_OF_DRAWS}."
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
        "–" if gain.reduction is None else percent_text(gain.reduction, 1),
        percent_text(gain.worse, 1),
    )


def _benefit(summary: Summary) -> Iterator[str]:
    row = summary.row("final_extent")
    if row is None or row.benefit is None:
        return
    gain = row.benefit
    low, _, middle, _, high = (_number(value) for value in gain.spread.quantiles)
    spread = f"{_number(gain.spread.mean)} ± {_number(gain.spread.sd)} cells, median {middle}"
    yield f"Benefit, fire by fire: {spread}, 95 % of fires {low} to {high}"
    yield f"More burns with the plan in {sampled_percent_text(gain.worse, gain.worse_error)} of the fires"


def _without_chance(finished: RunFinished) -> Iterator[str]:
    if finished.baseline is None:
        return
    text = f"Without chance: {_number(finished.baseline.final_extent_cells)} cells with no drops"
    if finished.nominal is not None:
        share = 1.0 - ratio(finished.nominal.final_extent_cells, finished.baseline.final_extent_cells)
        text += f", {_number(finished.nominal.final_extent_cells)} with the plan ({percent_text(share)} less)"
    yield text


def _worst(summary: Summary) -> Iterator[str]:
    shown = summary.worst[:_SHOWN_WORST]
    title = "Largest fires, cells" if shown[0].benefit is None else "Least benefit, cells"
    values = (member.baseline if member.benefit is None else member.benefit for member in shown)
    named = (f"fire {member.member}: {_number(value)}" for member, value in zip(shown, values, strict=True))
    yield f"{title}: {', '.join(named)}"


def _number(value: float) -> str:
    if value != value:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"

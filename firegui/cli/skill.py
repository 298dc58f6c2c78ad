"""``firegui skill``: how good the fire model's forecast of an event is, day by day, beside references."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from firegui.analyses.skill.results import write_skill
from firegui.analyses.skill.run import default_settings, skill_problems
from firegui.api.gather import Gather
from firegui.cli.arguments import FILE, project_argument
from firegui.cli.options import backend_option
from firegui.cli.output import json_option, report, table
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.cli.shell import BAD_INPUT, FAILED, INTERRUPTED, report_problems
from firegui.cli.words import date_text
from firegui.domain.fit import SkillSettings
from firegui.errors import Problems
from firegui.fire.skill import ForecastSkill
from firegui.fire.skill_report import SkillReport, Span
from firegui.io.project.store import load_project
from firegui.io.project.weights_file import read_weights
from firegui.runs.control import RunControl
from firegui.runs.engine import Engine
from firegui.runs.events import Emit, RunEvent, RunFinished, SkillReady
from firegui.runs.runner import execute
from firegui.runs.spec import SkillSpec
from firegui.runs.stages import FinishReason

_TITLE = "The fire model cannot be checked"


@click.command()
@project_argument
@click.option(
    "--weights", "weights_file", metavar="F.safetensors", type=FILE, help="Weights in place of the project's model."
)
@setting_options(SkillSettings())
@click.option("--out", metavar="DIR", type=FILE, help="Folder for tables, pictures and the daily probabilities.")
@backend_option
@plain_progress_option
@json_option
def skill(
    project_folder: Path,
    weights_file: Path | None,
    out: Path | None,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Score the forecast of PROJECT's fire model, from the perimeter of day 0 on.

    It is compared with the perimeters that follow.
    No later perimeter is read but to score. Beside it stand the constant-parameter model, the last perimeter held that
    training could read and, for a fire that has one, a published curve.
    """
    gather, engine = Gather(), Engine()
    project = gather.attempt(lambda: load_project(project_folder))
    weights = None if weights_file is None else gather.attempt(lambda: read_weights(weights_file))
    gather.attempt(lambda: engine.check_backend(backend))
    _check_folder(out, gather)
    spec = None
    if project is not None:
        project = project if weights is None else project.with_network(weights)
        settings = given_settings(default_settings(project), given, gather)
        spec = SkillSpec(project, settings.days, settings.fit_days, backend)
        gather.extend(skill_problems(spec))
    gather.raise_if_any(_TITLE)
    assert spec is not None
    ready, finished = _carry_out(spec, emitter(progress))
    if ready is None:
        report_problems(_TITLE if finished.problems else finished.message, finished.problems, as_json)
        code = INTERRUPTED if finished.reason is FinishReason.STOPPED else BAD_INPUT if finished.problems else FAILED
        click.get_current_context().exit(code)
    files = [] if out is None else write_skill(ready.report, ready.states, spec.project, out, engine)
    data = {"project": str(project_folder), **skill_summary(ready.report), "files": [str(path) for path in files]}
    report(as_json, data, lambda: [*skill_lines(ready.report), *(f"Wrote {path}" for path in files)])


def skill_summary(found: SkillReport) -> dict[str, Any]:
    """Return the object that ``skill --json`` prints."""
    return {
        "event": found.event,
        "start": found.start,
        "days": found.days,
        "fit_days": found.fit_days,
        "not_scored": list(found.not_scored),
        "model": _model(found, found.model),
        "references": {item.key: _model(found, item) for item in found.references},
        "published": None if found.published is None else asdict(found.published),
        "reliability": {
            "all": _diagram(found.reliability),
            "after": _diagram(found.reliability_after),
        },
        "notes": list(found.notes),
    }


def skill_lines(found: SkillReport) -> list[str]:
    """Yield the report for people."""
    seen = min(found.fit_days, found.days)
    fitted = f", of which {seen} may have been read in training" if seen else ""
    head = f"{found.event}: {found.days} days from {found.start:%d %b %Y}{fitted}. Model: {found.model.label}"
    return [
        head,
        *table(list(_day_rows(found))),
        "",
        *table(list(_mean_rows(found))),
        "",
        *_growth(found),
        *found.notes,
    ]


def _day_rows(found: SkillReport) -> Iterator[tuple[str, ...]]:
    names = [
        "day",
        "observed",
        "expected",
        "area",
        "overlap",
        "soft",
        "prec.",
        "recall",
        "Σ|P−O|",
        "Brier",
        "new overlap",
    ]
    others = [*(_short(item) for item in found.references), *(["published"] if found.published else [])]
    yield (*names, *others)
    for day, skill in found.model.days.items():
        mark = "*" if day <= found.fit_days else ""
        published = [_number(found.published.iou.get(day))] if found.published else []
        yield (
            f"{day} ({date_text(found.date_of_day(day))}){mark}",
            f"{skill.overlap.observed:,}",
            f"{skill.expected:,.0f}",
            f"{100.0 * skill.area_error:+.0f} %",
            *map(_number, (skill.iou, skill.soft_iou, skill.precision, skill.recall)),
            f"{skill.manhattan:,.0f}",
            f"{skill.brier:.3f}",
            _number(skill.new_iou),
            *(_number(item.days[day].iou) for item in found.references),
            *published,
        )


def _mean_rows(found: SkillReport) -> Iterator[tuple[str, ...]]:
    spans = [span for span in found.spans if found.model.pooled(span.first, span.last) is not None]
    yield ("mean overlap, IoU (lowest, pooled)", *(span.label for span in spans), "new overlap, pooled", "growth")
    for item in found.forecasts:
        growth = "" if item.growth is None else f"{item.growth.expected:,.0f}"
        pooled = item.pooled(1, found.days)
        new = "" if pooled is None else _number(pooled.new_iou)
        yield (item.label if item is not found.model else "this model", *(_mean(item, s) for s in spans), new, growth)
    if found.published is not None:
        yield (found.published.label, f"{found.published.mean:.2f}", *("" for _ in spans[1:]), "", "")


def _mean(item: ForecastSkill, span: Span) -> str:
    days = span.first, span.last
    mean, lowest, pooled = item.mean_iou(*days), item.lowest(*days), item.pooled(*days)
    assert mean is not None and lowest is not None and pooled is not None
    return f"{mean:.2f} ({lowest[1]:.2f}, {pooled.iou:.2f})"


def _growth(found: SkillReport) -> list[str]:
    growth = found.model.growth
    lines = [f"* perimeter up to day {found.fit_days} may have been read in training"] if found.fit_days else []
    if growth is not None:
        lines.append(
            f"Growth from day {found.fit_days} to {growth.day}: observed {growth.observed:,} cells, expected "
            f"{growth.expected:,.0f} ({growth.ratio:.2f}×), likely {growth.likely:,}; outside the perimeter of day "
            f"{found.fit_days} {growth.expected_outside:,.0f} expected, {growth.likely_outside:,} likely"
        )
    if found.reliability.error is not None:
        text = (
            f"Reliability: mean |P − share burned| {found.reliability.error:.2f} over {found.reliability.count:,} cells"
        )
        lines.append(f"{text}; {found.reliability.missed:,} burned that had P ≤ 0.001")
    return lines


def _model(found: SkillReport, item: ForecastSkill) -> dict[str, Any]:
    growth = None if item.growth is None else {**asdict(item.growth), "ratio": item.growth.ratio}
    return {
        "label": item.label,
        "days": [{"day": day, **skill.scores()} for day, skill in item.days.items()],
        **{span.key: _span(item, span) for span in found.spans},
        "growth": growth,
    }


def _span(item: ForecastSkill, span: Span) -> Mapping[str, Any] | None:
    pooled, lowest = item.pooled(span.first, span.last), item.lowest(span.first, span.last)
    if pooled is None or lowest is None:
        return None
    means = {"mean_iou": item.mean_iou(span.first, span.last), "lowest_iou": lowest[1], "lowest_day": lowest[0]}
    return {**means, "pooled": pooled.scores()}


def _diagram(found: Any) -> dict[str, Any]:
    return {"error": found.error, "missed_cells": found.missed, "bins": [asdict(item) for item in found.bins]}


def _short(item: ForecastSkill) -> str:
    return {"scalar": "constant", "held": "held", "uncorrected": "uncorrected"}.get(item.key, item.key)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _carry_out(spec: SkillSpec, show: Emit) -> tuple[SkillReady | None, RunFinished]:
    """Run ``spec`` in this thread. Ctrl-C ends it as it ends every command: nothing is there to be kept."""
    heard: list[RunEvent] = []

    def emit(event: RunEvent) -> None:
        show(event)
        if isinstance(event, (SkillReady, RunFinished)):
            heard.append(event)

    execute(spec, emit, RunControl())
    ready = next((event for event in heard if isinstance(event, SkillReady)), None)
    finished = heard[-1]
    assert isinstance(finished, RunFinished)
    return ready, finished


def _check_folder(out: Path | None, problems: Problems) -> None:
    """Note what keeps a folder from being made or written to, before the work whose result it is to hold."""
    if out is None:
        return
    if out.exists() and not out.is_dir():
        problems.add(str(out), "is a file", "give the name of a folder")
        return
    nearest = next(path for path in (out.absolute(), *out.absolute().parents) if path.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        problems.add(str(out), "cannot be written", "give a folder you may write to")

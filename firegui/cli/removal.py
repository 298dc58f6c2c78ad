"""``firegui removal``: the removal curve of a run, and one of its points as a schedule."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from firegui.api.inputs import check_target
from firegui.cli.arguments import FILE, WHOLE
from firegui.cli.output import json_option, report
from firegui.cli.output import table as aligned
from firegui.cli.words import command_text
from firegui.domain.removal_curve import RemovalCurve, given_up_text
from firegui.errors import InputError, Problem, Problems
from firegui.io.project.schedule_file import is_plan, write_plan_safetensors
from firegui.runs.messages import counted
from firegui.runs.run_folder import RunRecord, read_removal_curve, read_run

TITLE = "The removal curve cannot be used"
MOST_LINES = 12
_NEAREST = 3


@click.command()
@click.argument("run_folder", metavar="RUN", type=FILE)
@click.option("--drops", metavar="N", type=WHOLE, help="Write the plan with so many drops, which must be on the curve.")
@click.option("--out", metavar="F.safetensors", type=FILE, help="File for the plan with --drops.")
@json_option
def removal(run_folder: Path, drops: int | None, out: Path | None, as_json: bool) -> None:
    """Show how the fire grew while RUN removed drops, and write a point of this curve as a plan.

    The second stage of plan and prune keeps points of its way: drops, hectares at the end, protected cells burned, and
    for a plan with a margin the worst scenario. --drops N --out F.safetensors writes the plan with N drops. Every
    command with --schedule reads that file; keep saves it as a run.
    """
    if (drops is None) is not (out is None):
        raise click.UsageError("give --drops and --out together")
    problems = Problems()
    record, curve = read_run(run_folder), read_removal_curve(run_folder)
    if curve is None or not len(curve):
        what = "has no removal curve: it has not removed drops, replans, or was made by an earlier version"
        problems.add(str(run_folder), what, "give a run of plan or prune")
    place = None if curve is None or drops is None else curve.place_of(drops)
    if curve is not None and drops is not None and place is None:
        problems.extend([_missing(curve, drops)])
    if out is not None and not is_plan(out):
        problems.add(str(out), "is not a name for a plan", "let it end in .safetensors")
    check_target(out, problems)
    problems.raise_if_any(TITLE)
    assert curve is not None
    if place is not None and out is not None:
        write_plan_safetensors(out, curve.schedule(place))
    data = {"run": str(run_folder), "file": None if out is None else str(out), **curve_data(curve)}
    lines = curve_lines(curve, len(curve)) if out is None else _written(record, out, drops or 0)
    report(as_json, data, lambda: lines)


def given_up(record: RunRecord) -> str:
    """Return what the removal of a run lost, where it gave up containment; empty where it did not."""
    scores = record.scores
    return given_up_text(scores.reference, scores.nominal, scores.baseline)


def curve_data(curve: RemovalCurve) -> dict[str, Any]:
    """Return a removal curve as an object for programs. A number that is not known is null."""
    rows = zip(curve.points, curve.extents(), curve.protected(), strict=True)
    return {
        "effectiveness": "nominal" if curve.is_scored else "design",
        "plan_drops": curve.taken,
        "points": [
            {"drops": point.drops, "final_extent_ha": extent, "protected_cells": protected, "excess": point.excess}
            for point, extent, protected in rows
        ],
    }


def curve_lines(curve: RemovalCurve, count: int) -> Iterator[str]:
    """Yield at most ``count`` points of a removal curve, for people."""
    shown = curve.fewer(count)
    rest = f", {len(shown)} of {counted(len(curve), 'point')}" if len(shown) < len(curve) else ""
    yield f"Removal curve at {'expected' if curve.is_scored else 'cautious'} effectiveness{rest}:"
    rows = [["", "drops", "fire at the end, ha", "protected cells burned", "worst scenario ÷ limit"]]
    for index in shown:
        point = curve.points[index]
        excess = f"{point.excess:.2f}" if point.is_tested else "not tested"
        mark = "this run's plan" if point.drops == curve.taken else ""
        numbers = [f"{curve.extents()[index]:,.1f}", f"{curve.protected()[index]:,.1f}", excess]
        rows.append([mark, f"{point.drops:,}", *numbers])
    yield from aligned(rows if curve.has_margin else [row[:-1] for row in rows])


def _missing(curve: RemovalCurve, drops: int) -> Problem:
    counts = sorted((point.drops for point in curve.points), key=lambda count: (abs(count - drops), count))
    nearest = ", ".join(f"{count:,}" for count in sorted(counts[:_NEAREST]))
    return Problem("--drops", f"the curve has no plan with {counted(drops, 'drop')}", f"use one of these: {nearest}")


def _written(record: RunRecord, out: Path, drops: int) -> Iterator[str]:
    yield f"Wrote {out}: the plan with {counted(drops, 'drop')}"
    keep = command_text("keep", record.header.project_folder or "PROJECT", "--schedule", out, "--out", "RUN")
    yield f"As a run: {keep}"


def saved_curve(folder: Path) -> RemovalCurve | None:
    """Return the removal curve of a run for its report, ``None`` where there is none that can be read."""
    try:
        curve = read_removal_curve(folder)
    except InputError:
        return None
    return curve if curve is not None and len(curve) else None

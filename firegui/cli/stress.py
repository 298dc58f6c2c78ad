"""``firegui stress``: how a plan does in worlds that differ from the model."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from firegui.analyses.stress.results import table_data
from firegui.api.stress_tests import StressTestRequest, carry_out_stress_test
from firegui.cli.arguments import FILE, project_argument
from firegui.cli.carry_out import exit_code, interruptible
from firegui.cli.options import backend_option, schedule_option
from firegui.cli.output import json_option, report, table
from firegui.cli.progress import emitter, plain_progress_option
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.stress import StressResult, StressTable, StressTestSettings, case_text, left_out_texts
from firegui.domain.units import percent_text
from firegui.errors import Problems
from firegui.runs.events import RunFinished
from firegui.runs.messages import counted


@click.command()
@project_argument
@schedule_option(required=True)
@click.option(
    "--scenarios", "scenarios_file", metavar="F.toml", type=FILE, help="Scenarios.  [default: those of the project]"
)
@setting_options(StressTestSettings())
@click.option("--out", metavar="RUN", type=FILE, required=True, help="Folder for the table; new or empty.")
@click.option("--resume", is_flag=True, help="Go on with the stress test in RUN; finished draws are kept.")
@backend_option
@plain_progress_option
@json_option
def stress(
    project_folder: Path,
    schedule_file: Path,
    scenarios_file: Path | None,
    out: Path,
    resume: bool,
    backend: str,
    progress: str,
    as_json: bool,
    **given: Any,
) -> None:
    """Fly a schedule of PROJECT in worlds that differ from the model and write the table into RUN.

    In each scenario the fire spreads otherwise, drops work less, or they come late, off target or not at all. The share
    is the growth of the fire that is left: 0 % is a plan that holds, 100 % the fire without drops.
    """

    def settings(base: StressTestSettings, problems: Problems) -> StressTestSettings:
        return given_settings(base, given, problems)

    request = StressTestRequest(project_folder, schedule_file, out, settings, scenarios_file, resume, backend)
    ready = request.read()
    with interruptible("stopping; finished draws are kept") as control:
        ended = carry_out_stress_test(ready, emitter(progress), control)
    finished = ended.finished
    extra = {"run": str(finished.folder), "reason": finished.reason.value, "message": finished.message}
    report(as_json, table_data(ended.table) | extra, lambda: _lines(ended.table, finished))
    click.get_current_context().exit(exit_code(finished))


def _lines(found: StressTable, finished: RunFinished) -> Iterator[str]:
    yield from stress_lines(found)
    yield finished.message
    yield f"table: {finished.folder}"


_HEAD = ("scenario", "worst", "mean")


def _hours(result: StressResult) -> float:
    return result.scenario.repair_hours


def stress_lines(found: StressTable) -> Iterator[str]:
    """Yield the table of a stress test for people, the worst scenario first.

    Scenarios without repair come before those with repair. There is a column for the protected regions if the fire
    without drops grows in them.
    """
    nominal = found.nominal
    extent = f"{nominal.cells_worst:,.0f} of {nominal.cells_no_drops:,.0f} cells"
    left = f"{percent_text(nominal.share_worst)} of the growth is left"
    yield f"{counted(found.drops, 'drop')}; in the model's world {left}, {extent}"
    has_regions = any((result.protected_no_drops or 0.0) > result.start_protected for result in found.results)
    blocks = groupby(sorted(found.worst_first, key=_hours), _hours)
    for hours, results in blocks:
        yield f"replanned every {hours:g} h:" if hours else "without repair:"
        head = (*_HEAD, *(["in regions, worst"] if has_regions else []), "cells, worst", "no drops", "drops flown",
                "draws", *(["not repaired, worst"] if hours else []))  # fmt: skip
        yield from table([head, *(_row(result, has_regions=has_regions) for result in results)])
    yield from (f"  {text}" for text in left_out_texts(found))


def _row(result: StressResult, *, has_regions: bool) -> tuple[str, ...]:
    in_regions = result.region_share()
    return (
        case_text(result.scenario),
        percent_text(result.share_worst),
        percent_text(result.share_mean),
        *([] if not has_regions else ["–" if in_regions is None else percent_text(in_regions)]),
        f"{result.cells_worst:,.0f}",
        f"{result.cells_no_drops:,.0f}",
        f"{result.flown_mean:,.0f}",
        str(len(result.draws)),
        *(() if result.fixed_share_worst is None else (percent_text(result.fixed_share_worst),)),
    )

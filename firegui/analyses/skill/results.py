"""What is kept of a scored forecast: tables, pictures, and its daily probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.project import Project
from firegui.errors import InputError
from firegui.fire.reliability import Reliability
from firegui.fire.skill_report import SkillReport
from firegui.io.atomic import write_problem, write_text, writing
from firegui.io.exporters.geotiff import write_occupancy_tif
from firegui.io.tables import csv_text
from firegui.runs.engine import Engine

SCORES, DIAGRAM, RASTER, STATES = "skill.csv", "reliability.csv", "forecast.tif", "forecast.npz"


def write_skill(
    report: SkillReport, states: NDArray[np.float32], project: Project, folder: Path, engine: Engine
) -> list[Path]:
    """Write everything into ``folder``, made if absent, and return the paths; each file is replaced whole.

    Scores and reliability as CSV, curves and maps as PNG, ``P [D + 1, H, W]`` at day boundaries as GeoTIFF and as
    ``p_fire`` in an NPZ. Raises :class:`~firegui.errors.InputError` where the system refuses to write.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError([write_problem(folder, error)], "Nothing was written") from error
    write_text(folder / SCORES, scores_csv(report))
    write_text(folder / DIAGRAM, reliability_csv(report))
    pictures = engine.draw_skill(report, states, project.scenario, folder)
    window = replace(project, plan=replace(project.plan, start_day=0, days=report.days))
    write_occupancy_tif(folder / RASTER, states, window)
    with writing(folder / STATES) as file:
        np.savez_compressed(file, p_fire=states)
    return [folder / SCORES, folder / DIAGRAM, *pictures, folder / RASTER, folder / STATES]


def scores_csv(report: SkillReport) -> str:
    """Return one row per model and scored day, then the published values.

    Of the latter only the IoU is known.
    """
    names = list(next(iter(report.model.days.values())).scores())
    rows: list[Sequence[object]] = [("model", "label", "day", "date", "fitted", *names)]
    for forecast in report.forecasts:
        for day, skill in forecast.days.items():
            rows.append((forecast.key, forecast.label, *_day(report, day), *skill.scores().values()))
    if report.published is not None:
        for day, value in report.published.iou.items():
            values = (value if name == "iou" else None for name in names)
            rows.append(("published", report.published.source, *_day(report, day), *values))
    return _text(rows)


def reliability_csv(report: SkillReport) -> str:
    """Return a row per bin, over all scored days and over those after the fitted ones."""
    rows: list[Sequence[object]] = [("days", "low", "high", "cells", "predicted", "observed", "missed_cells")]
    found: tuple[tuple[str, Reliability], ...] = (("all", report.reliability), ("after", report.reliability_after))
    for name, diagram in found:
        for item in diagram.bins:
            rows.append((name, item.low, item.high, item.count, item.predicted, item.observed, diagram.missed))
    return _text(rows)


def _day(report: SkillReport, day: int) -> tuple[object, ...]:
    return day, report.date_of_day(day).isoformat(), "true" if day <= report.fit_days else "false"


def _text(rows: Iterable[Sequence[object]]) -> str:
    return csv_text([_cell(value) for value in row] for row in rows)


def _cell(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)

"""``firegui front-speed``: speed of the front on uniform maps, by formula and measured."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from firegui.api.gather import Gather
from firegui.cli.output import json_option, report, table
from firegui.cli.setting_options import given_settings, setting_options
from firegui.domain.front import EllipseFront, Floats, FrontSettings
from firegui.runs.engine import Engine
from firegui.runs.messages import counted

_DIFFERENCES = {
    "from_formula": "from formula", "corrected_from_formula": "corrected", "from_ellipse": "from ellipse"
}  # fmt: skip
_ENOUGH_CELLS = 3
"""Cells that a front has to move for its speed to be known well enough for a correction."""


@click.command("front-speed")
@setting_options(FrontSettings())
@json_option
def front_speed(as_json: bool, **given: Any) -> None:
    """Measure how fast the front moves on uniform maps in 32 directions, beside the formula.

    The maps are fitted to an ellipse that grows from a spot. Speeds are in cells per step.
    """
    gather = Gather()
    settings = given_settings(FrontSettings(), given, gather)
    gather.raise_if_any("The front cannot be measured")
    front: EllipseFront = Engine().ellipse_front(settings)
    report(as_json, front_data(front), lambda: front_lines(front))


def front_data(front: EllipseFront) -> dict[str, Any]:
    """Return what was measured as plain values; differences in percent."""
    speeds = front.speeds
    columns: dict[str, NDArray[Any]] = {
        "direction_deg": np.degrees(speeds.directions),
        "ellipse": front.ellipse,
        "formula": speeds.formula,
        "line": speeds.line,
        "measured": speeds.measured,
        "from_formula_percent": 100.0 * front.from_formula,
        "corrected_from_formula_percent": 100.0 * front.corrected_from_formula,
        "from_ellipse_percent": 100.0 * front.from_ellipse,
        "measured_steps": speeds.steps,
    }
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return {
        **asdict(front.settings),
        "gains": front.gains.tolist(),
        "directions": [dict(zip(columns, row, strict=True)) for row in rows],
    }


def front_lines(front: EllipseFront) -> list[str]:
    """Return the table for people, and why the measured front is slower than the formula."""
    settings, data = front.settings, front_data(front)["directions"]
    head = f"{settings.speed:g} cells a step towards {settings.wind_towards:g}°"
    heads = ("direction", "ellipse", "formula v(n)", "on a line", "measured", *_DIFFERENCES.values())
    rows: list[tuple[str, ...]] = [heads]
    for row in data:
        speeds = (f"{row[key]:.4f}" for key in ("ellipse", "formula", "line", "measured"))
        shares = (f"{row[f'{key}_percent']:+.1f} %" for key in _DIFFERENCES)
        rows.append((f"{row['direction_deg']:.2f}°", *speeds, *shares))
    return [
        f"Front on uniform maps of {settings.neighbours} neighbours: {head}, length to width "
        f"{settings.length_to_width:g}, burn duration {settings.burn_steps:g} steps",
        "Speeds in cells per step; directions counter-clockwise from east of the grid.",
        *table(rows),
        _spread("formula", front.from_formula),
        _spread("formula, corrected", front.corrected_from_formula),
        _spread("ellipse", front.from_ellipse),
        "The formula holds after an infinite time. The front comes close to it like 1/t, and float32 cuts its tail.",
        "“on a line” is a plane front that is computed along its normal only, over the same steps in float32.",
        "“corrected” is the difference without what the front on a line lacks.",
        *_correction_lines(front),
    ]


def _spread(title: str, differences: Floats) -> str:
    least, most, rms = (100.0 * value for value in (differences.min(), differences.max(), _rms(differences)))
    return f"From the {title}: {least:+.1f} to {most:+.1f} %, root mean square {rms:.1f} %"


def _rms(values: Floats) -> float:
    return math.sqrt(float(np.mean(values**2)))


def _correction_lines(front: EllipseFront) -> list[str]:
    """Return how the difference from the ellipse is corrected, and where the front hardly moved."""
    times, moved = front.settings.corrections, front.speeds.cells_moved
    way = "to the ellipse times what the measurement lacks"
    done = f"Corrected {counted(times, 'time')}" if times else "Not corrected"
    lines = [
        f"While its speed was measured, the front moved {moved.min():.1f} to {moved.max():.1f} cells: "
        "it differs most where it moves least.",
        f"{done}; a correction (--corrections) fits the maps again, {way}.",
    ]
    if moved.min() < _ENOUGH_CELLS:
        short = (
            f"In {counted(int((moved < _ENOUGH_CELLS).sum()), 'direction')} it moved less than {_ENOUGH_CELLS} cells"
        )
        lines.append(f"{short}: corrections may not converge there. Give a larger --distance or --burn-steps.")
    return lines

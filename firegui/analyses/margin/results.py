"""The folder of a margin curve on disk.

``margin.toml`` says what was asked, with what. ``margin.json`` is the curve, ``margin.csv`` a row for each plan, and
``margin.png`` and ``.svg`` its picture once every plan is done. ``margin-*`` are the run folders of the plans and
``stress-*`` those of their stress tests. Every file is replaced whole.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from firegui.domain.margin_curve import CurvePlan, MarginCurve, MarginCurveSettings, MarginPoint
from firegui.errors import Problem
from firegui.io import atomic
from firegui.io.tables import records_csv
from firegui.runs.header import SavedHeader
from firegui.runs.result_store import ResultStore
from firegui.runs.resume import ResumeCheck
from firegui.runs.spec import MarginSpec

HEADER, CURVE, SHEET = "margin.toml", "margin.json", "margin.csv"
TITLE = "The margin curve cannot be made"

_CHECK = ResumeCheck("made", "made of", "set it back, or make the curve in another folder")
_AGAIN = "make the margin curve again elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginHeader(SavedHeader):
    """The content of ``margin.toml``."""

    settings: MarginCurveSettings


def _plan_begun(names: list[str]) -> bool:
    return CURVE in names or any(name.startswith("margin-") for name in names)


STORE = ResultStore("a margin curve", HEADER, TITLE, MarginHeader, _AGAIN, _plan_begun)


def plan_folder(plan: CurvePlan) -> str:
    """Return the name of the run folder of a plan, below that of the curve."""
    return f"margin-{plan.margin.value}"


def stress_test_folder(plan: CurvePlan) -> str:
    """Return the name of the folder of a plan's stress test, below that of the curve."""
    return f"stress-{plan.value}"


def resume_problems(then: MarginHeader, spec: MarginSpec) -> list[Problem]:
    """Return what keeps ``spec`` from going on with ``then``."""
    more = []
    if then.project.stress.scenarios != spec.project.stress.scenarios:
        what = "was made with other stress scenarios"
        more.append(Problem(str(spec.out), what, "set them back, or give another folder"))
    return _CHECK.problems(spec, then, then.settings, more=more)


def write_curve(folder: Path, curve: MarginCurve) -> None:
    """Replace ``margin.csv`` and ``margin.json``."""
    atomic.write_text(folder / SHEET, curve_csv(curve))
    atomic.write_json(folder / CURVE, curve)


def read_curve(folder: Path) -> MarginCurve:
    """Read the curve in ``folder``. Raises :class:`~firegui.errors.InputError` where it cannot."""
    return STORE.read_json(folder / CURVE, MarginCurve)


def point_data(point: MarginPoint) -> dict[str, Any]:
    """Return a point as plain values, for the CSV and ``margin --json``."""
    data = asdict(point) | {"plan": point.plan.value}
    data["left_out"] = [{"name": name, "reason": reason} for name, reason in point.left_out]
    return data


def curve_csv(curve: MarginCurve) -> str:
    """Return ``margin.csv``: a row for each plan; numbers read back exactly, what is not known is empty."""
    names = [item.name for item in fields(MarginPoint) if item.name != "left_out"]
    return records_csv([point_data(point) for point in curve.points], names)

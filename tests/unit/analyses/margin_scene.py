"""A small project whose margin curve is made in seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from firegui.analyses.requests import MarginRequest, Paths
from firegui.domain.margin_curve import MarginCurveSettings
from firegui.domain.project import Project
from firegui.domain.settings import Effectiveness, EliminationSettings, MarginSettings
from firegui.domain.stress import StressScenario, StressSet
from firegui.runs.spec import MarginSpec
from tests.support import make_project

STRESS = StressSet(
    (
        StressScenario("weak", effectiveness=Effectiveness(0.3, 0.2)),
        StressScenario("failing", failure_rate=0.4, draws=2),
        StressScenario("windy", wind_speed_factor=1.3),
        StressScenario("mended", failure_rate=0.1, repair_hours=24.0),
    ),
    seed=5,
)
SETTINGS = MarginCurveSettings(24.0, seed=7)


def margin_project() -> Project:
    """Return a project whose plans are made in under a second."""
    project = replace(make_project(epochs=4), stress=STRESS)
    margin = MarginSettings(search_epochs=4, training_epochs=3, adapt_epochs=2, draws=2)
    plan = replace(project.plan, margin=margin, elimination=EliminationSettings(allowance=40))
    return replace(project, plan=plan)


def margin_spec(out: Path, settings: MarginCurveSettings = SETTINGS, **changes: Any) -> MarginSpec:
    """Return the spec of a curve of :func:`margin_project`, or of another ``project``."""
    project = changes.pop("project", None) or margin_project()
    return replace(MarginRequest(settings).spec(project, Paths(Path("tiny.firegui"), out), "cpu"), **changes)

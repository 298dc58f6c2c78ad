"""Registry of the analyses: the window makes the controller and the panel of each entry.

To add an analysis, write its controller and its panel in a folder of its own, and describe them in :data:`ANALYSES`.
:mod:`firegui.gui` lists the other places. An analysis that runs only from the command line, such as ``scaling``, has no
entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from firegui.gui.analyses.benchmark.benchmark_controller import BenchmarkController
from firegui.gui.analyses.benchmark.benchmark_panel import BenchmarkPanel
from firegui.gui.analyses.calibration.calibration_controller import CalibrationController
from firegui.gui.analyses.calibration.calibration_panel import CalibrationPanel
from firegui.gui.analyses.controller import AnalysisController
from firegui.gui.analyses.margin.margin_controller import MarginController
from firegui.gui.analyses.margin.margin_panel import MarginPanel
from firegui.gui.analyses.panel import AnalysisPanel
from firegui.gui.analyses.sensitivity.sensitivity_controller import SensitivityController
from firegui.gui.analyses.sensitivity.sensitivity_panel import SensitivityPanel
from firegui.gui.analyses.skill.skill_controller import SkillController
from firegui.gui.analyses.skill.skill_panel import SkillPanel
from firegui.gui.analyses.stress.stress_controller import StressController
from firegui.gui.analyses.stress.stress_panel import StressPanel
from firegui.gui.analyses.study.study_controller import StudyController
from firegui.gui.analyses.study.study_panel import StudyPanel
from firegui.gui.analyses.uncertainty.uncertainty_controller import UncertaintyController
from firegui.gui.analyses.uncertainty.uncertainty_panel import UncertaintyPanel

Controller = AnalysisController[Any, Any, Any]


class SaveFirst(Enum):
    """What must be saved before an analysis starts."""

    NOTHING = auto()
    FOLDER = auto()
    """The project must have a folder, because results are saved in it."""
    PROJECT = auto()
    """The project must have no unsaved edits: the saved command repeats the run on the saved project."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """Description of an analysis. ``name`` names its place in the window, its icon and its help page."""

    name: str
    controller: Callable[..., Controller]
    make_panel: Callable[..., AnalysisPanel[Any, Any]]
    save_first: SaveFirst

    @property
    def topic(self) -> str:
        """Name of the help page."""
        return self.name.lower()


ANALYSES = (
    Analysis("Skill", SkillController, SkillPanel, SaveFirst.NOTHING),
    Analysis("Calibrate", CalibrationController, CalibrationPanel, SaveFirst.FOLDER),
    Analysis("Sensitivity", SensitivityController, SensitivityPanel, SaveFirst.PROJECT),
    Analysis("Stress", StressController, StressPanel, SaveFirst.PROJECT),
    Analysis("Margin", MarginController, MarginPanel, SaveFirst.PROJECT),
    Analysis("Uncertainty", UncertaintyController, UncertaintyPanel, SaveFirst.PROJECT),
    Analysis("Benchmark", BenchmarkController, BenchmarkPanel, SaveFirst.PROJECT),
    Analysis("Study", StudyController, StudyPanel, SaveFirst.PROJECT),
)

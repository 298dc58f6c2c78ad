"""The engine's figures as runs see them; see :mod:`firegui.runs.engine`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from firegui.domain.benchmark import BenchmarkTable
from firegui.domain.ensemble import Ensemble
from firegui.domain.project import Project
from firegui.domain.scaling import ScalingTable
from firegui.domain.scenario import Scenario
from firegui.domain.sensitivity import Row, SensitivityTable
from firegui.domain.study_table import StudyTable
from firegui.fire.skill_report import SkillReport


class FigureCalls:
    """Pictures on disk; matplotlib takes a moment to load."""

    def draw_ensemble(self, ensemble: Ensemble, project: Project, folder: Path) -> list[Path]:
        """See :func:`firegui.uncertainty.ensemble_figures.draw`; matplotlib takes a moment to load."""
        files: list[Path] = import_module("firegui.uncertainty.ensemble_figures").draw(ensemble, project, folder)
        return files

    def draw_sensitivity(self, table: SensitivityTable[Row], folder: Path) -> list[Path]:
        """See :func:`firegui.planning.sensitivity_figures.draw`; matplotlib takes a moment to load."""
        files: list[Path] = import_module("firegui.planning.sensitivity_figures").draw(table, folder)
        return files

    def draw_benchmark(self, table: BenchmarkTable, project: Project, folder: Path) -> list[Path]:
        """See :func:`firegui.planning.benchmark_figures.draw`."""
        files: list[Path] = import_module("firegui.planning.benchmark_figures").draw(table, project, folder)
        return files

    def draw_scaling(self, table: ScalingTable, folder: Path) -> list[Path]:
        """See :func:`firegui.planning.scaling_figures.draw`; matplotlib takes a moment to load."""
        files: list[Path] = import_module("firegui.planning.scaling_figures").draw(table, folder)
        return files

    def draw_study(self, table: StudyTable, project: Project, folder: Path) -> list[Path]:
        """See :func:`firegui.planning.study_figures.draw`; matplotlib takes a moment to load."""
        files: list[Path] = import_module("firegui.planning.study_figures").draw(table, project, folder)
        return files

    def draw_skill(self, report: SkillReport, states: NDArray[np.float32], event: Scenario, folder: Path) -> list[Path]:
        """See :func:`firegui.calibration.skill_figures.draw`; matplotlib takes a moment to load."""
        module = import_module("firegui.calibration.skill_figures")
        files: list[Path] = module.draw(report, states, event, folder)
        return files

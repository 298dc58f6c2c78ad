"""Scores of the forecast of the open project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firegui.domain.project import Project
from firegui.gui.analyses.controller import AnalysisController, AnalysisResult
from firegui.gui.analyses.saved_results import SavedResult
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.runs.events import SkillReady
from firegui.runs.spec import SkillSpec

SkillResult = AnalysisResult[SkillReady, None]


@dataclass(frozen=True, slots=True)
class SkillRequest:
    """Request to score a forecast of ``days`` days.

    The model may have been fitted to the perimeters of the first ``fit_days`` days.
    """

    days: int
    fit_days: int


class SkillController(AnalysisController[SkillRequest, SkillResult, SavedResult[Any]]):
    """Controller of forecast scores. They are held in memory only, until the next ones."""

    title = "The model check"

    @property
    def result(self) -> SkillReady | None:
        """The latest scores, for the project as it was then."""
        return None if self._shown is None else self._shown.table

    @property
    def scored(self) -> Project | None:
        """The project that :attr:`result` belongs to."""
        return None if self._shown is None else self._shown.project

    @property
    def is_stale(self) -> bool:
        """Whether the event or its fire model has changed since the scores were computed."""
        return self.scored is not None and self._session.has_project and not _same(self.scored, self._session.project)

    def _new_spec(self, request: SkillRequest, project: Project) -> SkillSpec:
        return SkillSpec(project, request.days, request.fit_days, self._session.backend)

    def _connect_events(self, bridge: EventBridge) -> None:
        bridge.subscribe(SkillReady, self._on_scores)

    def _on_scores(self, event: SkillReady) -> None:
        if self._job is not None and isinstance(self._job.spec, SkillSpec):
            self._show(AnalysisResult(Path(), self._job.spec.project, event))


def _same(one: Project, other: Project) -> bool:
    return (
        one.scenario is other.scenario
        and one.fire_model == other.fire_model
        and one.maps is other.maps
        and one.weights is other.weights
    )

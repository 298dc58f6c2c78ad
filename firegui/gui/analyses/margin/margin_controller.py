"""Margin curves of the open project: the run and the saved curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from firegui.analyses.margin.results import CURVE, STORE, MarginHeader, read_curve
from firegui.analyses.requests import MarginRequest, Paths
from firegui.domain.margin_curve import MarginCurve, MarginPoint
from firegui.domain.project import Project
from firegui.domain.units import percent_text
from firegui.gui.analyses.controller import AnalysisResult, PlanningController
from firegui.gui.analyses.saved_results import SavedResults, TabulatedResult
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.runs.events import MarginReady
from firegui.runs.messages import counted
from firegui.runs.spec import MarginSpec


@dataclass(frozen=True, slots=True)
class SavedCurve(TabulatedResult[MarginHeader]):
    """A margin curve in a project's folder."""

    table_file = CURVE

    @property
    def subject(self) -> str:
        """Setting, number of plans and limit."""
        plan = self.header.project.plan
        plans, limit = counted(len(self.header.settings.plans), "plan"), percent_text(plan.margin.limit)
        return f"{plan.setting.value} · {plans}, limit {limit}"


SAVED_CURVES = SavedResults("margin", STORE, SavedCurve.load)
MarginResult = AnalysisResult[MarginCurve, MarginHeader]


class MarginController(PlanningController[MarginRequest, MarginResult, SavedCurve]):
    """Controller of margin curves. The previous curve stays on screen until a new one has a plan."""

    title, kept = "The margin curve", "finished plans"
    export_suffixes = (".csv", ".json", ".png", ".svg")
    saved_results = SAVED_CURVES

    @property
    def curve(self) -> MarginCurve | None:
        """The curve on screen."""
        return None if self._shown is None else self._shown.table

    def run_folder(self, point: MarginPoint) -> Path | None:
        """Return the run folder of a plan of the curve on screen."""
        return None if self._shown is None else self._shown.folder / point.folder

    # -- the run -----------------------------------------------------------------------------------------------------
    def _new_spec(self, request: MarginRequest, project: Project) -> MarginSpec:
        paths = Paths(self._project_folder, self._new_folder(project.plan.setting.value))
        return request.spec(project, paths, self._session.backend)

    def _resumed_spec(self, saved: SavedCurve, request: MarginRequest | None) -> MarginSpec | None:
        """Return the spec that resumes ``saved``. Its settings and the way to make plans are kept."""
        if not saved.can_resume():
            return None
        header, project = saved.header, self._session.project
        then = header.project.plan
        plan = replace(project.plan, optimizer=then.optimizer, elimination=then.elimination, margin=then.margin)
        paths = Paths(self._project_folder, saved.folder)
        spec = MarginRequest(header.settings).spec(replace(project, plan=plan), paths, self._session.backend)
        return replace(spec, resume=True)

    def _read(self, folder: Path) -> MarginResult:
        return self._opened(folder, STORE.read(folder), read_curve(folder))

    def _connect_events(self, bridge: EventBridge) -> None:
        super()._connect_events(bridge)
        bridge.subscribe(MarginReady, self._on_curve)

    def _on_curve(self, event: MarginReady) -> None:
        self._show_table(event.curve)

"""Margin curves of the open project: the run and the saved curves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from firegui.domain.margin_curve import MarginCurve, MarginPoint
from firegui.gui.analyses.controller import AnalysisResult, PlanningController
from firegui.gui.analyses.saved_results import SavedResult, SavedResults
from firegui.gui.jobs.event_bridge import EventBridge
from firegui.runs.events import FinishReason, MarginReady
from firegui.runs.margin_folder import CURVE, STORE, MarginHeader, read_curve
from firegui.runs.messages import counted
from firegui.runs.requests import MarginRequest, Paths
from firegui.runs.spec import MarginSpec


@dataclass(frozen=True, slots=True)
class SavedCurve(SavedResult[MarginHeader]):
    """A margin curve in a project's folder."""

    has_curve: bool

    @property
    def is_complete(self) -> bool:
        """Whether every plan is done."""
        return self.header.reason is FinishReason.COMPLETED

    @property
    def label(self) -> str:
        """Setting, number of plans and limit."""
        plan = self.header.project.plan
        size = (
            f"{plan.setting.value} · {counted(len(self.header.settings.plans), 'plan')}, limit {plan.margin.limit:.1%}"
        )
        return f"{size}{' · unfinished' if self.can_resume() else ''}"

    @staticmethod
    def load(folder: Path, header: MarginHeader, is_held: bool) -> SavedCurve | None:
        """Return the curve in ``folder``, ``None`` if there is nothing to show or to resume."""
        saved = SavedCurve(folder, header, is_held, (folder / CURVE).is_file())
        return saved if saved.has_curve or saved.can_resume() else None


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
    def _new_spec(self, request: MarginRequest) -> MarginSpec:
        project = self._session.project
        paths = Paths(self._project_folder, self._new_folder(project.plan.setting.value))
        return request.spec(project, paths, self._session.backend)

    def _resumed_spec(self, saved: SavedCurve, request: MarginRequest | None) -> MarginSpec | None:
        """Return the spec that resumes ``saved``. Its settings, and how its plans are made, are kept."""
        if not saved.can_resume():
            return None
        header, project = saved.header, self._session.project
        then = header.project.plan
        plan = replace(project.plan, optimizer=then.optimizer, elimination=then.elimination, margin=then.margin)
        paths = Paths(self._project_folder, saved.folder)
        spec = MarginRequest(header.settings).spec(replace(project, plan=plan), paths, self._session.backend)
        return replace(spec, resume=True)

    def _read(self, folder: Path) -> MarginResult:
        curve, header = read_curve(folder), STORE.read(folder)
        return AnalysisResult(folder, header.project.on(self._session.project), curve, header)

    def _connect_events(self, bridge: EventBridge) -> None:
        super()._connect_events(bridge)
        bridge.subscribe(MarginReady, self._on_curve)

    def _on_curve(self, event: MarginReady) -> None:
        if self._job is None or not isinstance(self._job.spec, MarginSpec):
            return
        self._show(AnalysisResult(self._job.spec.out, self._job.spec.project, event.curve))
        if not self._listed:
            self._listed = True
            self.saved_changed.emit()

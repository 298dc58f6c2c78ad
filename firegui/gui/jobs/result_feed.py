"""Puts what the shown run delivers into the session, and keeps its mark of staleness right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from firegui.domain.project import Project
from firegui.gui.jobs.run_requests import same_fire, same_inputs, same_spread
from firegui.gui.session.session import Session, ShownResult
from firegui.runs.events import BaselineReady, PlanUpdated


class ResultFeed:
    """Writes :attr:`Session.result`; the only part of the window that does while runs report."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def begin(
        self, title: str, project: Project, *, of_member: bool = False, plan_name: str = "", against: str = "",
        folder: Path | None = None,
    ) -> None:  # fmt: skip
        """A run of ``project`` is shown from now on: drop the plan of another, and the baseline of another fire.

        Other regions or weights change the numbers told of the fire without drops, not its pictures, which stay. A
        member of an ensemble has a fire without drops of its own; ``against`` another plan there is none. ``folder`` is
        the run's.
        """
        shown = self._session.result
        apart = of_member or shown.of_ensemble or bool(against or shown.against)
        old = ShownResult() if apart else shown
        pictures = old.baseline if old.project is not None and same_spread(old.project, project) else None
        numbers = old.baseline_metrics if old.project is not None and same_fire(old.project, project) else None
        self._show(
            ShownResult(
                title, pictures, numbers, project=project, member=of_member, plan_name=plan_name, against=against,
                folder=folder,
            )
        )  # fmt: skip

    def baseline(self, event: BaselineReady) -> None:
        """The fire without drops is known."""
        self._show(replace(self._session.result, baseline=event.frames, baseline_metrics=event.metrics))

    def plan(self, event: PlanUpdated) -> None:
        """There is a new picture of the plan."""
        self._show(
            replace(
                self._session.result, plan=event.frames, plan_metrics=event.metrics, drops=event.drops,
                epoch=event.epoch, stage=event.stage,
            )
        )  # fmt: skip

    def means(self, means: ShownResult) -> None:
        """Show means over an ensemble, which need no working out."""
        self._show(means)

    def refresh_stale(self) -> None:
        """Look again whether the result still belongs to the open project, which undo may have brought back."""
        shown = self._session.result
        if shown.project is not None and shown.stale != self._is_stale(shown):
            self._session.show_result(replace(shown, stale=not shown.stale))

    def _show(self, result: ShownResult) -> None:
        self._session.show_result(replace(result, stale=self._is_stale(result)))

    def _is_stale(self, result: ShownResult) -> bool:
        if result.project is None or not self._session.has_project:
            return False
        # The fire without drops depends on neither fleet nor optimizer: an edit of those leaves it true.
        same = same_fire if result.plan is None else same_inputs
        return not same(result.project, self._session.project)

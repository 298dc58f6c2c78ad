"""Mean maps of the ensemble on screen, shown on the map in place of a run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from firegui.domain.ensemble import BASELINE, PLAN, Ensemble
from firegui.domain.film import Film
from firegui.domain.project import Project
from firegui.domain.results import Frames
from firegui.domain.uncertainty import KIND_TITLES
from firegui.errors import InputError
from firegui.gui.analyses.uncertainty.uncertainty_controller import UncertaintyController
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session, ShownResult
from firegui.runs.messages import counted
from firegui.runs.saved_fires import ensemble_project_on_same_days
from firegui.runs.uncertainty_folder import EnsembleHeader

_NO_RETARDANT = Film((1, 1), ())


class MeanMaps(QObject):
    """Puts the mean maps on the map and takes them off. While they are there, :meth:`follow` updates them."""

    def __init__(
        self, session: Session, queue: RunQueue, controller: UncertaintyController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._queue, self._controller = session, queue, controller
        self._frames: Frames | None = None
        self._drawn: Ensemble | None = None
        self._before: RunEntry | None = None

    @property
    def are_shown(self) -> bool:
        """Whether the map shows mean maps."""
        return self._frames is not None and self._session.result.baseline is self._frames

    @property
    def can_show(self) -> bool:
        """Whether there are mean maps to show, or to take off the map again."""
        shown = self._controller.shown
        if shown is None or shown.header is None or shown.ensemble is None:
            return self.are_shown
        return shown.ensemble.members > 0

    def toggle(self) -> None:
        """Show the mean maps. If they are there, show the run before them, or else the fire without drops."""
        if not self.are_shown:
            self._before = self._queue.shown
            self._show()
        elif self._before is not None and self._before in self._queue.entries:
            self._queue.show(self._before)
        else:
            self._queue.show_baseline()

    def follow(self) -> None:
        """Replace mean maps of another ensemble, or of fewer members, once the ensemble on screen is settled."""
        shown = self._controller.shown
        if self.are_shown and self._controller.is_settled and shown is not None and shown.ensemble is not self._drawn:
            self._show()

    def _show(self) -> None:
        shown = self._controller.shown
        if shown is None or shown.header is None or shown.ensemble is None:
            return
        self._drawn = shown.ensemble
        try:
            result = mean_result(shown.header, shown.ensemble, self._session.project)
        except InputError as error:
            self._frames = None
            self._session.refuse(error)
            return
        self._frames = result.baseline
        self._queue.show_means(result)
        calendar = self._session.project.calendar
        if self._session.step < calendar.steps_per_day:
            # Every member begins alike: there is nothing to see before the first day's end.
            self._session.set_step(calendar.n_steps)


def mean_result(header: EnsembleHeader, ensemble: Ensemble, project: Project) -> ShownResult:
    """Return the mean maps of an ensemble for the map of the open ``project``, one picture a day boundary.

    Raises :class:`InputError` if the event changed, or the plan has other days by now.
    """
    then = ensemble_project_on_same_days(header, project)
    per_day, cases = then.scenario.steps_per_day, range(len(ensemble.fire))
    frames = [Frames(per_day, _codes(ensemble.fire[case]), _codes(ensemble.burning[case]), _NO_RETARDANT)
              for case in cases]  # fmt: skip
    so_far = "" if ensemble.complete else f"{ensemble.members:,} of "
    title = f"Mean of {so_far}{counted(ensemble.asked, 'member')} ({KIND_TITLES[ensemble.kind].lower()})"
    plan = frames[PLAN] if ensemble.has_plan else None
    return ShownResult(title, frames[BASELINE], plan=plan, project=then, mean_of=ensemble.members)


def _codes(probability: NDArray[np.float32]) -> Film:
    return Film.of(np.asarray(255.0 * probability + 0.5, np.uint8))

"""The mean maps of the ensemble that is on screen, put on the map and taken off it again."""

from __future__ import annotations

from PySide6.QtCore import QObject

from firegui.domain.ensemble import Ensemble
from firegui.domain.results import Frames
from firegui.errors import InputError
from firegui.gui.analyses.uncertainty.saved_ensembles import means
from firegui.gui.analyses.uncertainty.uncertainty_controller import UncertaintyController
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session


class MeanMaps(QObject):
    """While they are on the map they follow the desk to another ensemble, or to more members of it."""

    def __init__(
        self, session: Session, queue: RunQueue, desk: UncertaintyController, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._queue, self._desk = session, queue, desk
        self._frames: Frames | None = None
        self._drawn: Ensemble | None = None
        self._before: RunEntry | None = None

    @property
    def are_shown(self) -> bool:
        """Whether the map shows what was put on it here."""
        return self._frames is not None and self._session.result.baseline is self._frames

    @property
    def can_show(self) -> bool:
        """Whether there is something to show, or to take off the map again."""
        shown = self._desk.shown
        if shown is None or shown.header is None or shown.ensemble is None:
            return self.are_shown
        return shown.ensemble.members > 0

    def toggle(self) -> None:
        """Show the mean maps, or the run that was shown before them, or else the fire without drops."""
        if not self.are_shown:
            self._before = self._queue.shown
            self._show()
        elif self._before is not None and self._before in self._queue.entries:
            self._queue.show(self._before)
        else:
            self._queue.show_baseline()

    def follow(self) -> None:
        """Show the ensemble that is on screen by now, once nobody adds to it, where another one is on the map."""
        shown = self._desk.shown
        if self.are_shown and self._desk.is_settled and shown is not None and shown.ensemble is not self._drawn:
            self._show()

    def _show(self) -> None:
        shown = self._desk.shown
        if shown is None or shown.header is None or shown.ensemble is None:
            return
        self._drawn = shown.ensemble
        try:
            result = means(shown.header, shown.ensemble, self._session.project)
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

"""The tail of stage 2 where it was asked for: the poses of what is left are made to hold when laid a little off."""

from __future__ import annotations

from firegui.domain.schedule import Schedule
from firegui.runs.events import Progress
from firegui.runs.folder import SMOOTHING_CHECKPOINT
from firegui.runs.protocols import Smoother
from firegui.runs.session import RunSession


class Smoothing:
    """Drives ``smoother`` for ``epochs`` epochs."""

    def __init__(self, session: RunSession, smoother: Smoother, epochs: int) -> None:
        self._session, self._smoother, self._epochs = session, smoother, epochs

    @property
    def schedule(self) -> Schedule:
        """The same drops at their best poses so far."""
        return self._smoother.best

    @property
    def epochs_done(self) -> int:
        """How many epochs there were, over all sessions."""
        return self._smoother.epochs_done

    def run(self) -> None:
        """Go on to the end. Raises :class:`~firegui.errors.CancelledError` on request."""
        session, smoother = self._session, self._smoother
        while not smoother.finished:
            session.breathe(self.save)
            session.emit(Progress(smoother.epochs_done, self._epochs, "smoothing the poses"))
            smoother.epoch(session.control.check)
            session.save_if_due(self.save)

    def save(self) -> None:
        """Write the smoothing and its best."""
        folder = self._session.folder
        self._smoother.state().save(folder.path / SMOOTHING_CHECKPOINT)
        folder.write_plan(self.schedule)
        folder.update(state=self._session.machine.state, seconds=self._session.seconds)

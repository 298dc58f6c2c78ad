"""Notices over the map on the run at work: the way back to it, and its end."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton

from firegui.domain.units import Units
from firegui.gui.jobs.run_entry import RunEntry
from firegui.gui.jobs.run_queue import RunQueue
from firegui.gui.session.session import Session
from firegui.gui.widgets.notice import OverlayNotice
from firegui.runs.messages import counted
from firegui.runs.stages import FinishReason, RunState


class FollowNotice(OverlayNotice):
    """Notice that a run is at work while the map shows something else, with a button that shows the run."""

    def __init__(self, queue: RunQueue) -> None:
        super().__init__(QPushButton("Follow the run"))
        self._queue = queue
        self.button.setToolTip("Show the run at work on the map again, as it goes on")
        self.button.clicked.connect(lambda _checked=False: self._follow())
        for signal in (queue.changed, queue.shown_changed):
            signal.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        active = self._queue.active
        if active is None or active is self._queue.shown or active.state is RunState.STOPPING or active.discarding:
            self.show_text("")
            return
        # The title of the map names what it shows.
        state = "is paused" if active.state is RunState.PAUSED else "goes on"
        self.show_text(f"{active.title} {state}; the map shows another result.")

    def _follow(self) -> None:
        if self._queue.active is not None:
            self._queue.show(self._queue.active)


class RunEndNotice(OverlayNotice):
    """Notice of the result of a run that has ended, with a button that shows it.

    ``is_visible`` returns whether the result of a run is in view. Then the notice is not shown; :meth:`follow` takes it
    away.
    """

    show_requested = Signal(object)
    """Show the result of this ``RunEntry``."""

    def __init__(self, session: Session, queue: RunQueue, is_visible: Callable[[RunEntry], bool]) -> None:
        super().__init__(QPushButton("Show result"))
        self._session, self._queue, self._is_visible = session, queue, is_visible
        self._entry: RunEntry | None = None
        self.button.setToolTip("Show the run that has ended and its result")
        self.button.clicked.connect(lambda _checked=False: self._show())
        queue.ended.connect(self._on_ended)
        for signal in (queue.changed, queue.shown_changed, session.project_opened):
            signal.connect(self.follow)
        session.units_changed.connect(self._on_units)

    def follow(self) -> None:
        """Take the notice away once the result is in view, or the run was deleted or goes on."""
        entry = self._entry
        if entry is not None and (not entry.is_over or entry not in self._queue.entries or self._is_visible(entry)):
            self.dismiss()

    def dismiss(self) -> None:
        """Take the notice away."""
        self._entry = None
        self.show_text("")

    def _on_ended(self, entry: RunEntry) -> None:
        if self._is_visible(entry):
            self.dismiss()
        else:
            self._entry = entry
            self.tell(self._text(entry))

    def _on_units(self) -> None:
        if self._entry is not None:
            self.show_text(self._text(self._entry))

    def _text(self, entry: RunEntry) -> str:
        return end_text(entry, self._session.units, is_named=entry is not self._queue.shown)

    def _show(self) -> None:
        if (entry := self._entry) is not None:
            self.dismiss()
            self.show_requested.emit(entry)


def end_text(entry: RunEntry, units: Units = Units.METRIC, *, is_named: bool = False) -> str:
    """Return the result of an ended run in one line: ``Plan ready: 5.5 ha (−99 %), 312 drops · Holds …``.

    ``is_named`` adds the name of the run.
    """
    name = f" ({entry.title})" if is_named else ""
    if entry.reason is FinishReason.FAILED:
        return f"The run failed{name}: {units.restate(entry.message)}"
    ready = "Exercise ready" if entry.flies_loop else "Plan ready"
    ended = "Stopped, best plan so far" if entry.reason is FinishReason.STOPPED else ready
    if entry.summary is None:
        without_numbers = "Run stopped" if entry.reason is FinishReason.STOPPED else "Run finished"
        return f"{without_numbers}{name}: {units.restate(entry.message)}"
    result = f"{entry.summary.short_size_text(units)}, {counted(entry.summary.drops, 'drop')}"
    return " · ".join(filter(None, (f"{ended}{name}: {result}", entry.flown_text or entry.verdict(units))))

"""Flame lengths where the drops of a plan land, by the physical fire model, computed in a thread."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject, Signal

from firegui.domain.project import Project
from firegui.domain.schedule import DropRecord
from firegui.errors import Check
from firegui.fire.drop_flames import flame_lengths
from firegui.gui.base.tasks import LatestTask

FlameLengths = Mapping[tuple[int, int], float]


class DropFlames(QObject):
    """Flame lengths of one plan at a time. :meth:`shutdown` must be called before the program ends."""

    changed = Signal()
    """Flame lengths that were requested are there."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._made_for: tuple[object, ...] = ()
        self._drops: tuple[DropRecord, ...] = ()
        self._lengths: FlameLengths | None = None
        self._worker = LatestTask(self)
        self._worker.returned.connect(self._take)

    def lengths(self, project: Project, drops: tuple[DropRecord, ...]) -> FlameLengths | None:
        """Return the flame lengths in m, by step and column.

        Those before until they are computed, which is requested. ``None`` for a project without the physical model, and
        as long as there are none at all.
        """
        if project.fire_model.kind != "physical":
            return None
        made_for = project.scenario, project.fire_model, project.plan.start_day, project.plan.days
        if made_for != self._made_for or drops != self._drops:
            if made_for != self._made_for:
                self._lengths = None
            self._made_for, self._drops = made_for, drops
            self._worker.request(partial(_computed, project, drops))
        return self._lengths

    def forget(self) -> None:
        """Forget the plan."""
        self._worker.cancel()
        self._made_for, self._drops, self._lengths = (), (), None

    def shutdown(self) -> None:
        """End the thread."""
        self._worker.shutdown()

    def _take(self, lengths: FlameLengths | None) -> None:
        self._lengths = lengths
        self.changed.emit()


def _computed(project: Project, drops: tuple[DropRecord, ...], check: Check) -> FlameLengths | None:
    check()
    return flame_lengths(project, drops)

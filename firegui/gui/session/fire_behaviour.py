"""Behaviour of the physical fire model over the map at a period of the weather, computed in a thread."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from firegui.domain.project import Project
from firegui.errors import Check, InputError
from firegui.fire.crown_fire import CrownSpread
from firegui.fire.physical import PhysicalGround
from firegui.gui.base.tasks import LatestTask
from firegui.runs.failures import failure_message

if TYPE_CHECKING:
    from firegui.gui.session.session import Session

Raster = NDArray[np.float32]

_MOST_PERIODS = 12
"""Periods whose rasters are kept."""
_MOST_BYTES = 256 << 20


@dataclass(frozen=True, slots=True, eq=False)
class BehaviourPicture:
    """Fire at ``period`` of the event, each ``[H, W]`` and NaN where nothing burns.

    ``spread_rate`` is the head's along the ground in m/min, ``flame_length`` in m, ``intensity`` in kW/m.
    ``crown_fraction`` is the share of the crowns that burns, ``None`` where none can.
    """

    period: int
    spread_rate: Raster
    flame_length: Raster
    intensity: Raster
    crown_fraction: Raster | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    ground: PhysicalGround
    picture: BehaviourPicture


class FireBehaviour(QObject):
    """Behaviour of a session's fire. :meth:`shutdown` must be called before the program ends."""

    changed = Signal()
    """A picture that was requested is there, or cannot be computed."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.trouble = ""
        """Why the last request failed; empty if it did not."""
        self._made_for: tuple[object, ...] = ()
        self._ground: PhysicalGround | None = None
        self._pictures: OrderedDict[int, BehaviourPicture] = OrderedDict()
        self._wanted: int | None = None
        self._last: BehaviourPicture | None = None
        self._worker = LatestTask(self, settle_ms=0)
        self._worker.returned.connect(self._take)
        self._worker.raised.connect(self._on_trouble)
        session.project_opened.connect(self._on_opened)

    def known(self, project: Project, period: int) -> BehaviourPicture | None:
        """Return the picture of a period of the project's weather, if it was computed."""
        return self._pictures.get(period) if self._is_of(project) else None

    def picture(self, project: Project, period: int) -> BehaviourPicture | None:
        """Return the picture of a period; until it is computed, which is requested, that of the one before.

        ``None`` for a project without the physical model, and as long as there is no picture at all.
        """
        if project.fire_model.kind != "physical":
            return None
        if not self._is_of(project):
            self._forget()
            self._made_for = _key(project)
        found = self._pictures.get(period)
        if found is not None:
            self._pictures.move_to_end(period)
            self._last = found
            if self._wanted is not None:
                self._wanted = None
                self._worker.cancel()
            return found
        if self._wanted != period and not self.trouble:
            self._wanted = period
            self._worker.request(partial(_computed, project, self._ground, period))
        return self._last

    def complete(self, project: Project, period: int) -> None:
        """Compute the picture of a period now, for a film."""
        self.picture(project, period)
        if self._wanted == period:
            self._worker.cancel()
            try:
                self._take(_computed(project, self._ground, period, lambda: None))
            except InputError as error:
                self._on_trouble(error)

    def shutdown(self) -> None:
        """End the thread."""
        self._worker.shutdown()

    def _is_of(self, project: Project) -> bool:
        mine, others = self._made_for, _key(project)
        return bool(mine) and mine[0] is others[0] and mine[1:] == others[1:]

    def _take(self, found: _Found) -> None:
        picture = found.picture
        self._ground, self._last, self._wanted = found.ground, picture, None
        self._pictures[picture.period] = picture
        most = max(1, min(_MOST_PERIODS, _MOST_BYTES // (4 * picture.intensity.nbytes)))
        while len(self._pictures) > most:
            self._pictures.popitem(last=False)
        self.changed.emit()

    def _on_trouble(self, error: Exception) -> None:
        self._wanted = None
        self.trouble = failure_message(error)
        self.changed.emit()

    def _on_opened(self) -> None:
        if not self._session.has_project or not self._is_of(self._session.project):
            self._forget()

    def _forget(self) -> None:
        self._worker.cancel()
        self._made_for = ()
        self._ground, self._last, self._wanted, self.trouble = None, None, None, ""
        self._pictures.clear()


def _key(project: Project) -> tuple[object, ...]:
    return project.scenario, project.fire_model


def _computed(project: Project, ground: PhysicalGround | None, period: int, check: Check) -> _Found:
    check()
    model = project.fire_model
    ground = ground or PhysicalGround.of(project.scenario, model.physical, model.fuels)
    check()
    fire = ground.fire(period, ground.wind(period))
    parts = [fire.head, fire.flame_length, fire.intensity]
    parts += [fire.fraction] if isinstance(fire, CrownSpread) else []
    rasters = (np.where(ground.burnable, part, np.nan).astype(np.float32) for part in parts)
    return _Found(ground, BehaviourPicture(period, *rasters))

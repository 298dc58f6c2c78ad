"""What is left of a plan that is being flown, named without importing the engine."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from firegui.domain.observation import FireState
from firegui.domain.results import Frames, Metrics
from firegui.domain.schedule import DropRecord, Schedule
from firegui.planning.audit import AuditReport
from firegui.runs.engine_values import Check, EngineModel


class ScoredRest(Protocol):
    """What is left of a plan, rolled out; cells that had burned out before count as fire."""

    @property
    def metrics(self) -> Metrics:
        """Its numbers."""

    @property
    def p_fire_days(self) -> NDArray[np.float32] | None:
        """``P`` at day boundaries from the first day that is left, if asked for."""


class LeftToPlan(Protocol):
    """See :class:`firegui.planning.replan.Left`."""

    @property
    def design(self) -> EngineModel:
        """The problem at design effectiveness."""

    @property
    def rest(self) -> Schedule:
        """The old schedule of the days that are left."""

    @property
    def flown(self) -> int:
        """Drops executed before them."""

    def joined(self, rest: Schedule) -> Schedule:
        """The whole plan with ``rest`` at its end."""

    def score(
        self, rest: Schedule, *, design: bool = False, keep_days: bool = False, check: Check | None = None
    ) -> ScoredRest:
        """Roll ``rest`` out."""

    def pictures(self, rest: Schedule, stride: int, check: Check | None = None) -> Frames | None:
        """The whole plan for the map; ``None`` where ``stride`` does not divide what was flown."""


class Replanner(Protocol):
    """See :class:`firegui.planning.replan.Replanner`."""

    @property
    def whole(self) -> EngineModel:
        """The whole plan at nominal effectiveness."""

    def simulated(self, schedule: Schedule, day: int, check: Check | None = None) -> NDArray[np.bool_]:
        """Where the model has fire with ``P > 0.5`` at the start of ``day``."""

    def left(self, schedule: Schedule, day: int, state: FireState, check: Check | None = None) -> LeftToPlan:
        """What is left on ``day``."""

    def next_day(
        self, schedule: Schedule, day: int, state: FireState, generator: np.random.Generator,
        check: Check | None = None,
    ) -> FireState:  # fmt: skip
        """The fire a day later, drawn."""

    def drops_on(self, schedule: Schedule, day: int) -> int:
        """Drops executed on ``day``."""

    def protected_cells(self, fire: NDArray[np.bool_]) -> int:
        """Cells of the protected regions in ``fire``."""

    def table(self, schedule: Schedule) -> tuple[tuple[DropRecord, ...], AuditReport]:
        """The drops of the whole plan, and their audit."""

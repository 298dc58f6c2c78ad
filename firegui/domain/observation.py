"""A fire as it was seen on a later day, and the three-state field that a plan goes on from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firegui.domain.grid import widened
from firegui.domain.scenario import Scenario
from firegui.domain.settings import BurningAtStart

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class FireState:
    """Burning and burned-out cells, ``[H, W]`` each and disjoint.

    All other cells have not burned.
    """

    burning: Bools
    burned: Bools

    @property
    def fire(self) -> Bools:
        """Everything that has burned so far."""
        return np.asarray(self.burning | self.burned)

    @property
    def codes(self) -> NDArray[np.uint8]:
        """``[H, W]``: 0 not burned, 1 burning, 2 burned out."""
        return np.asarray(self.burning.astype(np.uint8) + 2 * self.burned.astype(np.uint8))

    @staticmethod
    def of_codes(codes: NDArray[np.uint8]) -> FireState:
        """Return the state of :attr:`codes`."""
        return FireState(codes == 1, codes == 2)

    @staticmethod
    def between(earlier: Bools, fire: Bools) -> FireState:
        """Return the state from the perimeters of two days.

        What is new burns; what was there before has burned out. A cell of ``earlier`` that is not in ``fire`` counts as
        never burned: the later perimeter is the better one.
        """
        return FireState(np.asarray(fire & ~earlier), np.asarray(fire & earlier))


EDGE_CELLS = 2
"""Width of the edge of a perimeter, in cells."""


def fire_at_start(event: Scenario, day: int, burning: BurningAtStart) -> FireState | None:
    """Return what burns and what has burned out at the start of a plan on ``day``.

    It is ``None`` without a fire. Of the growth burns what the perimeter before does not have, of the edge what lies
    within :data:`EDGE_CELLS` rows and columns of a cell outside. Where that is nothing, the whole perimeter burns.
    """
    fire = event.fire_on(day)
    if fire is None:
        return None
    if burning is BurningAtStart.GROWTH:
        earlier = event.observed_before(day)
        inside = np.zeros_like(fire) if earlier is None else earlier & fire
    elif burning is BurningAtStart.EDGE:
        # The fire is taken to go on beyond the raster: its rim is no edge.
        inside = fire & ~widened(~fire, EDGE_CELLS)
    else:
        inside = np.zeros_like(fire)
    if not (fire & ~inside).any():
        inside = np.zeros_like(fire)
    return FireState(np.asarray(fire & ~inside), np.asarray(inside))


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """The perimeter ``fire [H, W]`` at the start of a day and, where there is one, an ``earlier`` one.

    ``source`` says where it comes from, ``sha256`` is the hash of that file, empty for the project's own. ``notes`` say
    what was assumed.
    """

    fire: Bools
    earlier: Bools | None
    source: str
    sha256: str = ""
    notes: tuple[str, ...] = ()


OBSERVED = "observed"
"""World of :class:`DayStates` that was not drawn; any other is named like its stress scenario."""
DRAWN = "drawn"
"""Kind of a :class:`FireRecord` that was not observed."""
REPLANNED, FIXED, NO_DROPS = "replanned", "fixed", "no drops"
"""What is flown in a fire: the plan as it was replanned, the plan as it was before, nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class DayStates:
    """Known states of one fire.

    They are at the starts of days ``first``, ``first + 1``, … of the plan, or at some of its ``steps``.
    ``codes [N, H, W]`` are those of :class:`FireState`. ``steps`` is empty where it is known once a day; else it has
    the step of every state, the first of which starts day ``first``. ``flown`` is what was flown in it. ``world`` names
    the scenario that it was drawn in and ``seed`` is that of the draws; an observed fire has no seed.
    """

    flown: str
    world: str
    first: int
    codes: NDArray[np.uint8]
    seed: int | None = None
    steps: tuple[int, ...] = ()

    @staticmethod
    def observed(day: int, state: FireState) -> DayStates:
        """Return the fire that was observed at the start of ``day``."""
        return DayStates(REPLANNED, OBSERVED, day, state.codes[None])

    def steps_known(self, steps_per_day: int) -> tuple[int, ...]:
        """Return the steps of the plan at which it is known, as many as there are states."""
        return self.steps or tuple((self.first + k) * steps_per_day for k in range(len(self.codes)))

    def state(self, number: int) -> FireState:
        """Return state ``number``, counted from 0."""
        return FireState.of_codes(self.codes[number])


@dataclass(frozen=True, slots=True, eq=False)
class FireRecord:
    """Fires that a replanned run saves.

    One is the fire that its plan was flown in; the others are for comparison.
    """

    fires: tuple[DayStates, ...]

    def where(self, flown: str) -> DayStates | None:
        """Return the first fire in which ``flown`` was flown."""
        return next((fire for fire in self.fires if fire.flown == flown), None)

    @property
    def plan(self) -> DayStates:
        """The fire in which the replanned plan is flown."""
        found = self.where(REPLANNED)
        assert found is not None
        return found

    @property
    def is_drawn(self) -> bool:
        """Whether the fire was drawn day by day; else it was observed."""
        return self.plan.world != OBSERVED

    @property
    def kind(self) -> str:
        """``"observed"`` or ``"drawn"``."""
        return DRAWN if self.is_drawn else OBSERVED

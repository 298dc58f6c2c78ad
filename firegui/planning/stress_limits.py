"""Whether a plan holds: its shares in the worlds of a stress set against a limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from firegui.domain.schedule import Schedule
from firegui.domain.stress import NOMINAL
from firegui.errors import Check
from firegui.planning.stress import StressWorld, executed_only, scores

TRAINING, TESTS = 1, 2
"""Streams of a planner's seed: the draws of its training, and those of its tests, which the training never sees."""

OWN_WORLDS, OWN_LIMIT = (NOMINAL.name, "design"), 0.2
"""The worlds that a plan is made for, without errors: there it must leave a fifth of what it may in others."""


MEAN_LIMIT, WORST_LIMIT = 0.4, 2.0
"""Factors of the limit that the mean and the worst of random draws must stay within."""


@dataclass(frozen=True, slots=True)
class WorldTest:
    """The shares of the growth that are left in the draws of one scenario; ``name`` is the scenario's."""

    name: str
    shares: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean share."""
        return fmean(self.shares)

    @property
    def worst(self) -> float:
        """Largest share."""
        return max(self.shares)

    def excess(self, limit: float) -> float:
        """Return by what factor the test exceeds its limits, at most 1 where it holds.

        The worlds of the model itself must stay within :data:`OWN_LIMIT` of ``limit``. In another, a single draw must
        stay within ``limit``; of several, the mean and the worst must stay within :data:`MEAN_LIMIT` and
        :data:`WORST_LIMIT` times ``limit``.
        """
        if self.name in OWN_WORLDS:
            return self.worst / (OWN_LIMIT * limit)
        if len(self.shares) == 1:
            return self.worst / limit
        return max(self.mean / (MEAN_LIMIT * limit), self.worst / (WORST_LIMIT * limit))


class StressTests:
    """Tests of plans in the worlds of a stress set, on draws that no training sees.

    ``worlds[0]`` is the nominal one. ``limit`` is the largest share of a scenario's growth that may burn, ``draws`` the
    number of draws of a random scenario.
    """

    def __init__(self, worlds: Sequence[StressWorld], limit: float, draws: int, seed: int) -> None:
        self._worlds, self.limit, self._draws, self._seed = tuple(worlds), limit, draws, seed

    def __len__(self) -> int:
        """Number of worlds, the nominal one included."""
        return len(self._worlds)

    @property
    def nominal(self) -> StressWorld:
        """The nominal world."""
        return self._worlds[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the worlds in order."""
        return tuple(world.scenario.name for world in self._worlds)

    def shares(
        self, schedule: Schedule, test: int, *, first: str = "", draws: int | None = None, check: Check | None = None
    ) -> Iterator[WorldTest]:
        """Yield the result of each world, the one called ``first`` first. Test number ``test`` has draws of its own."""
        flown = executed_only(self._worlds[0].model, schedule)
        for world in sorted(self._worlds, key=lambda world: world.scenario.name != first):
            count = (draws or self._draws) if world.scenario.is_random else 1
            found = scores(world, flown, range(count), (self._seed, TESTS, test), check=check)
            yield WorldTest(world.scenario.name, tuple(world.held_share(one) for one in found))

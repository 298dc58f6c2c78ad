"""Whether a plan holds: its shares in the worlds of a stress set against a limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from firegui.domain.schedule import Schedule
from firegui.domain.stress import OWN_WORLDS, LimitCheck, StressScenario
from firegui.errors import Check
from firegui.planning.stress import FlightErrors, Seed, StressWorld, errors_in, executed_only, rollouts
from firegui.rollout.simulate import Rollout, simulate, simulate_many

TRAINING, TESTS, REMOVALS = 1, 2, 3
"""Streams of a planner's seed: the draws of its training, of its tests, and of the removals between two tests. A test's
draws are new when it is made. Those that leaked are trained on afterwards."""

OWN_LIMIT = 0.2
"""In the worlds that a plan is made for, without errors, it must leave a fifth of what it may in others."""


RANKING_BOUND = 4.0
"""A rollout that ranks a drop is given up at so many times the limit, or what the whole plan leaves if that is more."""

MEAN_LIMIT, WORST_LIMIT, ONE_IN, WORST_IN = 0.25, 2.0, 24, 192
"""Factors of the limit that the mean and the worst of random draws must stay within. One draw in :data:`ONE_IN` may
leave more than the limit, and one in :data:`WORST_IN` more than the worst. The mean depends less on luck than the tail,
so its limit is that of a plan with a small tail."""


STRICT_FAILURES, STRICT_ERRORS = 2.0, 1.2
"""Factors of failures and of other random errors in every other draw of a strict test. A fire that escapes once in
hundreds of draws is seldom seen in a test of a hundred. In harder draws it escapes several times as often."""


def harder_scenario(scenario: StressScenario, failures: float, errors: float, most_failing: float) -> StressScenario:
    """Return a scenario with so many times the ``failures`` and the other random ``errors``.

    At most ``most_failing`` of the drops fail.
    """
    return replace(
        scenario,
        failure_rate=min(failures * scenario.failure_rate, most_failing),
        pose_noise_m=errors * scenario.pose_noise_m,
        heading_noise_deg=min(errors * scenario.heading_noise_deg, 180.0),
    )


def strict_errors_in(world: StressWorld, draw: int, seed: Seed) -> FlightErrors:
    """Return the errors of a draw in a strict test: in those with an odd number the scenario is harder."""
    if draw % 2 == 0:
        return errors_in(world, draw, seed)
    harder = harder_scenario(world.scenario, STRICT_FAILURES, STRICT_ERRORS, most_failing=1.0)
    return errors_in(replace(world, scenario=harder), draw, seed)


class LimitMeasure(IntEnum):
    """Which limit of a test is exceeded most.

    ``WORST`` is the largest share but for one draw in :data:`WORST_IN`, ``MOST`` the largest but for one draw in
    :data:`ONE_IN`, and ``MEAN`` the mean share.
    """

    UNKNOWN = 0
    WORST = 1
    MOST = 2
    MEAN = 3


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

    def nearest(self, limit: float) -> int:
        """Return the worst draw that stays within ``limit``; the best where none does."""
        within = [draw for draw, share in enumerate(self.shares) if share <= limit]
        if within:
            return max(within, key=lambda draw: self.shares[draw])
        return min(range(len(self.shares)), key=lambda draw: self.shares[draw])

    def excess(self, limit: float) -> float:
        """Return by what factor the test exceeds its limits, at most 1 where it holds.

        The worlds of the model itself must stay within :data:`OWN_LIMIT` of ``limit``. In another, a single draw must
        stay within ``limit``; of several, the mean and the worst must stay within :data:`MEAN_LIMIT` and
        :data:`WORST_LIMIT` times ``limit``, and all but one in :data:`ONE_IN` within ``limit``. One draw in
        :data:`WORST_IN` does not count for the worst.
        """
        return self.nearest_limit(limit)[0]

    def nearest_limit(self, limit: float) -> tuple[float, LimitMeasure]:
        """Return by what factor the test exceeds its limits, and which of them it exceeds by that."""
        shares = {LimitMeasure.WORST: self.worst}
        if self.name not in OWN_WORLDS and len(self.shares) > 1:
            ordered, draws = sorted(self.shares, reverse=True), len(self.shares)
            shares[LimitMeasure.WORST] = ordered[draws // WORST_IN]
            shares |= {LimitMeasure.MOST: ordered[draws // ONE_IN], LimitMeasure.MEAN: self.mean}
        return max(
            (share / allowed_share(measure, self.name, len(self.shares), limit), measure)
            for measure, share in shares.items()
        )


def allowed_share(measure: LimitMeasure, name: str, draws: int, limit: float) -> float:
    """Return the largest share that a ``measure`` of so many draws of the scenario ``name`` may have."""
    if measure is LimitMeasure.MEAN:
        return MEAN_LIMIT * limit
    return limit if measure is LimitMeasure.MOST else largest_share(name, draws, limit)


def largest_share(name: str, draws: int, limit: float) -> float:
    """Return the largest share that one of so many draws of the scenario ``name`` may leave."""
    if name in OWN_WORLDS:
        return OWN_LIMIT * limit
    return limit if draws < ONE_IN else WORST_LIMIT * limit


class StressTests:
    """Tests of plans in the worlds of a stress set, on draws that no training has seen.

    ``worlds[0]`` is the nominal one. ``limit`` is the largest share of a scenario's growth that may burn, ``draws`` the
    number of draws of a random scenario. Those of a test that ``is_strict`` have the errors of
    :func:`strict_errors_in`.
    """

    def __init__(
        self, worlds: Sequence[StressWorld], limit: float, draws: int, seed: int, *, is_strict: bool = False
    ) -> None:
        self._worlds, self.limit, self._draws, self._seed = tuple(worlds), limit, draws, seed
        self._errors_of = strict_errors_in if is_strict else errors_in

    def __len__(self) -> int:
        """Return the number of worlds, the nominal one included."""
        return len(self._worlds)

    @property
    def nominal(self) -> StressWorld:
        """The nominal world."""
        return self._worlds[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the worlds in order."""
        return tuple(world.scenario.name for world in self._worlds)

    def limit_check(self, world: int, excess: float, measure: LimitMeasure, draws: int) -> LimitCheck | None:
        """Return the test of ``world`` that exceeds the limit of ``measure`` by the factor ``excess``.

        It took so many ``draws`` of a random scenario. ``None`` where the measure is not known.
        """
        if measure is LimitMeasure.UNKNOWN:
            return None
        name, draws = self.names[world], len(_draws(self._worlds[world], draws))
        allowed = allowed_share(measure, name, draws, self.limit)
        return LimitCheck(name, excess * allowed, allowed, is_mean=measure is LimitMeasure.MEAN)

    def shares(
        self, schedule: Schedule, test: int, *, first: str = "", draws: int | None = None, stream: int = TESTS,
        check: Check | None = None,
    ) -> Iterator[WorldTest]:  # fmt: skip
        """Yield the result of each world, the one called ``first`` first.

        Test number ``test`` has draws of its own in each ``stream``.
        """
        flown = executed_only(self._worlds[0].model, schedule)
        for world in sorted(self._worlds, key=lambda world: world.scenario.name != first):
            count = _draws(world, draws or self._draws)
            found = rollouts(world, flown, count, (self._seed, stream, test), errors_of=self._errors_of, check=check)
            yield WorldTest(world.scenario.name, tuple(world.held_share(one.metrics) for one in found))

    def shares_in(
        self, world: int, draw: int, whole: Schedule, others: Sequence[Schedule], test: int, *,
        check: Check | None = None,
    ) -> tuple[float, NDArray[np.float64]]:  # fmt: skip
        """Return the share of ``whole`` and of each of ``others`` in one draw of the stream of removals.

        1 stands for a share beyond :data:`RANKING_BOUND`. All schedules come from :func:`executed_only`.
        """
        of = self._worlds[world]
        errors = self._errors_of(of, draw, (self._seed, REMOVALS, test))
        share = of.held_share(simulate(of.model, errors.applied(whole, of.model.shape), check=check).metrics)
        flown = [errors.applied(schedule, of.model.shape) for schedule in others]
        bounds = of.bounds(RANKING_BOUND * max(self.limit, share))
        found = simulate_many(of.model, flown, bounds=bounds, check=check)
        return share, np.array([_share(of, one) for one in found])

    def first_refused(
        self, flown: Schedule, test: int, allowed: NDArray[np.float64], first: int, *, check: Check | None = None
    ) -> tuple[int, int]:
        """Return the first world whose limits ``flown`` exceeds by more than ``allowed [W]``.

        The number of rollouts is returned, too. −1 where there is none. World ``first`` is tested first. The draws are
        those of the stream of removals. ``flown`` comes from :func:`executed_only`.
        """
        count, seed = 0, (self._seed, REMOVALS, test)
        for index in sorted(range(len(self)), key=lambda index: index != first):
            world = self._worlds[index]
            name, chosen = world.scenario.name, _draws(world, self._draws)
            # Beyond the largest share the test is lost, and the rollout need not be finished.
            bounds = world.bounds(allowed[index] * largest_share(name, len(chosen), self.limit))
            found = rollouts(world, flown, chosen, seed, errors_of=self._errors_of, bounds=bounds, check=check)
            count += len(found)
            if WorldTest(name, tuple(_share(world, one) for one in found)).excess(self.limit) > allowed[index]:
                return index, count
        return -1, count


def _share(world: StressWorld, rollout: Rollout) -> float:
    return 1.0 if rollout.exceeded is not None else world.held_share(rollout.metrics)


def _draws(world: StressWorld, draws: int) -> range:
    return range(draws if world.scenario.is_random else 1)

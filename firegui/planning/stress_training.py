"""Gradients of the objective over the scenarios of a stress set, with fresh draws at every step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Effectiveness
from firegui.domain.stress import StressScenario
from firegui.errors import Check
from firegui.planning.flight_rules import uncapped, within_cap
from firegui.planning.gradient import Slope, mean_gradient, slope_of
from firegui.planning.stress import ErrorsOf, FlightErrors, StressWorld, errors_in, flight_errors
from firegui.planning.stress_limits import TESTS, TRAINING, WorldTest, harder_scenario, strict_errors_in
from firegui.rollout.backend import kernel_threads
from firegui.rollout.model import Model
from firegui.rollout.reused_threads import ReusedThreads
from firegui.rollout.simulate import Gradient, Rollout, simulate_with_gradient

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


LEAST_WEIGHT, LARGEST_WEIGHT = 0.15, 2.0
"""Bounds of a scenario's weight in the training."""

KNOWN = 0.3
"""Share of the slopes that are of a draw known to leak. With more of them the other scenarios are forgotten."""

SMOOTHING_CELLS, SMOOTHING_DEG = 0.5, 2.5
"""Least errors of landing points and headings in a slope. They keep a plan from depending on the exact place of a
drop, without which a line that is closed in one world opens in another."""

HARDER_FAILURES, FAST_HARDER_FAILURES = 2.0, 3.0
"""Factor of the failures of a scenario in a draw that is harder than the scenario. Where two drops that are side by
side fail together, a fire escapes: with three times the failures that is met nine times as often."""

HARDER_EFFECTIVENESS = 0.96
"""Factor of an effectiveness of a scenario's own in a draw that is harder than the scenario."""

FOLLOWED = 1.2
"""A scenario's rollout is followed until so many times the limit has burned. The slope says where a fire escapes, and
what becomes of one that has escaped would outweigh that."""

FAST_FOLLOWED, FAST_FLOOR = 0.4, 0.2
"""The same in the fast search. There a rollout has no slope where less than so many times the limit burns: a draw that
holds says next to nothing, and its slope takes half of the time."""

MOST_DRAWS, FAST_MOST_DRAWS = 12, 24
"""Most leaking draws that are remembered, and most in the fast search. A third of them may be of one world."""


@dataclass(frozen=True, slots=True, eq=False)
class Leaks:
    """What the latest tests say of the scenarios of a training.

    ``weights [W]`` is how often each is met: by what factor it exceeds the limit, within bounds. ``draws [m, 3]`` are
    draws that leaked: scenario, number of the test, and draw; −1 where there is none.
    """

    weights: Floats
    draws: Ints

    @staticmethod
    def unknown(worlds: int, most: int = MOST_DRAWS) -> Leaks:
        """Return equal weights for so many scenarios, and none of the ``most`` draws that can be remembered."""
        return Leaks(np.ones(worlds), np.full((most, 3), -1, np.int64))

    @staticmethod
    def of_array(values: Floats, worlds: int) -> Leaks:
        """Return the inverse of :meth:`array`."""
        return Leaks(values[:worlds], values[worlds:].astype(np.int64).reshape(-1, 3))

    def array(self) -> Floats:
        """Return everything in one array, to be saved."""
        return np.concatenate([self.weights, self.draws.ravel().astype(np.float64)])

    def after(self, index: int, test: WorldTest, number: int, limit: float) -> Leaks:
        """Return the leaks after test number ``number`` of the scenario ``index``."""
        weights = self.weights.copy()
        weights[index] = min(max(test.excess(limit), LEAST_WEIGHT), LARGEST_WEIGHT)
        most = len(self.draws)
        worst = np.argsort(np.array(test.shares))[::-1][: most // 3].tolist()
        new = [(index, number, draw) for draw in worst if test.shares[draw] > limit]
        old = [tuple(row) for row in self.draws.tolist() if row[0] not in (-1, index)]
        rows = [*new, *old][:most]
        return Leaks(weights, np.array(rows + [(-1, -1, -1)] * (most - len(rows)), np.int64))


class ScenarioTraining:
    """The objective in the scenarios' worlds, for stochastic gradient descent.

    A part of the slopes is of draws in which the latest tests leaked, where there are some: most draws hold, and their
    gradients say nothing. The others are of a world drawn with the weights of :class:`Leaks`, half of them harder than
    the scenario: with more failures, larger random errors, and less effective. All have at least the errors of
    :data:`SMOOTHING_CELLS`. Slope number ``k`` depends on ``seed``, ``k`` and the leaks alone, so a resumed training
    goes on as an unbroken one. The gradient follows the burning state from step to step (full carry): the cut one
    leads into no gap through which the fire leaks. It follows a fire no further than :data:`FOLLOWED` times ``limit``,
    the share of the growth that may burn.

    The training of the fast search has the ``nominal`` world. It follows fires less far, that at design effectiveness
    too, and leaves out what holds; see :data:`FAST_FOLLOWED`. More drops fail in its harder draws, and its tests are
    strict (:func:`~firegui.planning.stress_limits.strict_errors_in`).

    With ``flown_only`` the slopes by logits are those of drops that are flown.
    """

    def __init__(
        self, design: Model, worlds: Sequence[StressWorld], limit: float, seed: int, nominal: StressWorld | None = None,
        *, flown_only: bool = False,
    ) -> None:  # fmt: skip
        # within_cap has chosen what may fly; a cap on the gates would only take later pairs' gradient away.
        self._capped, self._seed = design, seed
        self._design = replace(design, rules=uncapped(design.rules), full_carry=True, flown_only=flown_only)
        if nominal is not None:
            self._design = _followed(self._design, nominal, limit)
        models = [
            replace(world.model, rules=uncapped(world.model.rules), full_carry=True, flown_only=flown_only)
            for world in worlds
        ]
        self._worlds = [
            replace(world, model=replace(model, gradient_extent=world.cells_at(FOLLOWED * limit)))
            if nominal is None
            else replace(world, model=_followed(model, world, limit))
            for world, model in zip(worlds, models, strict=True)
        ]
        is_fast = nominal is not None
        self._harder_failures = FAST_HARDER_FAILURES if is_fast else HARDER_FAILURES
        self._tested_errors: ErrorsOf = strict_errors_in if is_fast else errors_in
        self.no_leaks = Leaks.unknown(len(worlds), FAST_MOST_DRAWS if is_fast else MOST_DRAWS)
        """What is known of leaks before the first test."""
        side_by_side = design.backend == "cpu" and kernel_threads() > 1
        self._threads = ReusedThreads(kernel_threads(), "firegui gradient") if side_by_side else None

    def __len__(self) -> int:
        """Return the number of worlds."""
        return len(self._worlds)

    def is_whole(self, metrics: Metrics) -> bool:
        """Return whether a rollout at design effectiveness was followed to the end."""
        return metrics.final_extent_cells <= self._design.gradient_extent

    def design(
        self, schedule: Schedule, *, frame_stride: int | None = None, check: Check | None = None
    ) -> tuple[Rollout, Slope]:
        """Return the rollout at design effectiveness without errors, and its slope."""
        rollout, gradient = self._of_design(schedule, frame_stride, check)
        return rollout, slope_of(gradient, schedule, self._design)

    def step(
        self, schedule: Schedule, first: int, count: int, leaks: Leaks, *, frame_stride: int | None = None,
        check: Check | None = None,
    ) -> tuple[Rollout, Slope, Slope]:  # fmt: skip
        """Return the rollout at design effectiveness and two slopes.

        They are its own, and the mean of that and of ``count`` scenarios.
        """
        found: list[Rollout] = []

        def design(alone: bool) -> Gradient:
            rollout, gradient = self._of_design(schedule, frame_stride, check, alone=alone)
            found.append(rollout)
            return gradient

        gradients = self._together([_Job(design, is_long=True), *self._jobs(schedule, first, count, leaks, check)])
        of_design, mean = (slope_of(each, schedule, self._design) for each in (gradients[0], mean_gradient(gradients)))
        return found[0], of_design, mean

    def mean(self, schedule: Schedule, first: int, count: int, leaks: Leaks, *, check: Check | None = None) -> Slope:
        """Return the mean slope of ``count`` scenarios alone."""
        gradients = self._together(self._jobs(schedule, first, count, leaks, check))
        return slope_of(mean_gradient(gradients), schedule, self._design)

    def _of_design(
        self, schedule: Schedule, frame_stride: int | None, check: Check | None, *, alone: bool = False
    ) -> tuple[Rollout, Gradient]:
        capped = within_cap(schedule, self._capped)
        return simulate_with_gradient(self._design, capped, check=check, frame_stride=frame_stride, alone=alone)

    def _together(self, jobs: Sequence[_Job]) -> list[Gradient]:
        """Return what the jobs return; each depends on its own number alone, so threads change no bit.

        Long ones begin first. The last has a second thread, when that has no job of its own any more.
        """
        if self._threads is None:
            return [job.gradient(True) for job in jobs]
        order = sorted(range(len(jobs)), key=lambda number: not jobs[number].is_long)
        last = order[-1:]
        found = self._threads.results([partial(jobs[number].gradient, number not in last) for number in order])
        return [found[order.index(number)] for number in range(len(jobs))]

    def _jobs(self, schedule: Schedule, first: int, count: int, leaks: Leaks, check: Check | None) -> list[_Job]:
        schedule = within_cap(schedule, self._capped)
        return [self._job(schedule, number, leaks, check) for number in range(first, first + count)]

    def _job(self, schedule: Schedule, number: int, leaks: Leaks, check: Check | None) -> _Job:
        """Return the gradient in a draw, which is ``number`` or one that is known to leak."""
        generator = np.random.default_rng(np.random.SeedSequence((self._seed, TRAINING, number)))
        known = leaks.draws[leaks.draws[:, 0] >= 0]
        draws: Callable[[], FlightErrors]
        is_known = len(known) > 0 and bool(generator.random() < KNOWN)
        if is_known:
            # Each world that leaks is as likely as any other, however many of its draws are known.
            index = generator.choice(np.unique(known[:, 0]))
            known = known[known[:, 0] == index]
            index, test, draw = known[generator.integers(len(known))].tolist()
            world = self._worlds[index]
            draws = partial(self._tested_errors, world, draw, (self._seed, TESTS, test))
        else:
            world = self._worlds[int(generator.choice(len(self._worlds), p=leaks.weights / leaks.weights.sum()))]
            world = _harder(world, self._harder_failures) if generator.random() < 0.5 else world
            draws = partial(flight_errors, _smoothed(world), world.model, number, (self._seed, TRAINING))

        def gradient(alone: bool) -> Gradient:
            errors = draws()
            flown = errors.applied(schedule, world.model.shape)
            return errors.pulled_back(simulate_with_gradient(world.model, flown, check=check, alone=alone)[1])

        return _Job(gradient, is_long=is_known)


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """Computes a gradient, on one thread where the argument is true.

    One that ``is_long`` has most likely to be swept back, because the fire escapes.
    """

    gradient: Callable[[bool], Gradient]
    is_long: bool


def _followed(model: Model, world: StressWorld, limit: float) -> Model:
    """Return the model of a world whose gradients are those of the fast search."""
    floor = world.cells_at(FAST_FLOOR * limit)
    # A small fire may be one in a protected region or where values are.
    weights = world.model.weights
    floor = floor if math.isfinite(floor) and weights.prot == weights.val == 0.0 else 0.0
    return replace(model, gradient_extent=world.cells_at(FAST_FOLLOWED * limit), gradient_floor=floor)


def falling(high: float, low: float, share: float) -> float:
    """Return a step size that falls from ``high`` to ``low`` along half a cosine.

    ``share`` rises from 0 to 1.
    """
    return low + (high - low) * 0.5 * (1.0 + math.cos(math.pi * min(max(share, 0.0), 1.0)))


def _harder(world: StressWorld, failures: float) -> StressWorld:
    """Return a world with so many times the ``failures``, twice the other random errors, and weaker drops."""
    scenario, model = world.scenario, world.model
    harder = harder_scenario(scenario, failures, errors=2.0, most_failing=0.5)
    if scenario.effectiveness is not None:
        retardant, water = (HARDER_EFFECTIVENESS * each for each in astuple(model.effectiveness))
        model = replace(model, effectiveness=Effectiveness(retardant, water))
    return replace(world, scenario=harder, model=model)


def _smoothed(world: StressWorld) -> StressScenario:
    """Return the scenario of a world with at least the errors of :data:`SMOOTHING_CELLS`."""
    scenario, cell = world.scenario, world.model.maps.cell_size_m
    return replace(
        scenario,
        pose_noise_m=max(scenario.pose_noise_m, SMOOTHING_CELLS * cell),
        heading_noise_deg=max(scenario.heading_noise_deg, SMOOTHING_DEG),
    )

"""Gradients of the objective over the scenarios of a stress set, with fresh draws at every step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.schedule import Schedule, pose_scale
from firegui.domain.stress import StressScenario
from firegui.errors import Check
from firegui.planning.flight_rules import uncapped, within_cap
from firegui.planning.stress import StressWorld, flight_errors
from firegui.planning.stress_limits import TRAINING
from firegui.rollout.model import Model
from firegui.rollout.simulate import Rollout, simulate_with_gradient

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Slope:
    """A mean loss and its derivatives by logits ``[T, A]`` and pose logits ``[T, A, 3]``."""

    loss: float
    logit: Floats
    pose: Floats

    @property
    def norm(self) -> float:
        """Norm of all derivatives together."""
        return float(np.sqrt(np.sum(self.logit**2) + np.sum(self.pose**2)))

    def clipped(self, norm: float) -> Slope:
        """Return the slope with a norm of at most ``norm``."""
        factor = min(1.0, norm / (self.norm + 1e-6))
        return Slope(self.loss, self.logit * factor, self.pose * factor)


class ScenarioTraining:
    """The objective in the scenarios' worlds, for stochastic gradient descent.

    Slope number ``k`` is of a world drawn with given weights, so that scenarios that leak are met more often. Every
    second draw has larger random errors than the scenario: a rare bad draw then counts for more. World and draw depend
    on ``seed``, ``k`` and the weights alone, so a resumed training goes on as an unbroken one. The gradient follows the
    burning state from step to step (full carry): the cut one leads into no gap through which the fire leaks.
    """

    def __init__(self, design: Model, worlds: Sequence[StressWorld], seed: int) -> None:
        # within_cap has chosen what may fly; a cap on the gates would only take later pairs' gradient away.
        self._capped, self._seed = design, seed
        self._design = replace(design, rules=uncapped(design.rules), full_carry=True)
        self._worlds = [
            replace(world, model=replace(world.model, rules=uncapped(world.model.rules), full_carry=True))
            for world in worlds
        ]

    def __len__(self) -> int:
        """Number of worlds."""
        return len(self._worlds)

    def design(
        self, schedule: Schedule, *, frame_stride: int | None = None, check: Check | None = None
    ) -> tuple[Rollout, Slope]:
        """Return the rollout at design effectiveness without errors, and its slope."""
        schedule = within_cap(schedule, self._capped)
        rollout, gradient = simulate_with_gradient(self._design, schedule, check=check, frame_stride=frame_stride)
        return rollout, self._slope(schedule, gradient.loss, gradient.logit, gradient.pose)

    def scenario(self, schedule: Schedule, number: int, weights: Floats, *, check: Check | None = None) -> Slope:
        """Return slope number ``number`` of a world drawn with ``weights [W]``, which need not sum to 1."""
        generator = np.random.default_rng(np.random.SeedSequence((self._seed, TRAINING, number)))
        world = self._worlds[int(generator.choice(len(self._worlds), p=weights / weights.sum()))]
        scenario = world.scenario
        if generator.random() < 0.5:
            scenario = _harder(scenario)
        errors = flight_errors(scenario, world.model, number, (self._seed, TRAINING))
        flown = errors.applied(within_cap(schedule, self._capped), world.model.shape)
        _, gradient = simulate_with_gradient(world.model, flown, check=check)
        return self._slope(schedule, gradient.loss, *errors.pulled_back(gradient))

    def _slope(self, schedule: Schedule, loss: float, logit: Floats, pose: Floats) -> Slope:
        assert schedule.pose_logits is not None
        slope = pose * pose_scale(self._design.shape) * np.cos(schedule.pose_logits) / 2.0
        pinned = None if self._design.rules is None else self._design.rules.pinned
        if pinned is not None:
            logit, slope = np.where(pinned, 0.0, logit), np.where(pinned[:, :, None], 0.0, slope)
        return Slope(loss, logit, slope)


def mean_slope(slopes: Sequence[Slope]) -> Slope:
    """Return the mean of slopes."""
    count = len(slopes)
    return Slope(
        sum(one.loss for one in slopes) / count,
        np.asarray(sum(one.logit for one in slopes) / count),
        np.asarray(sum(one.pose for one in slopes) / count),
    )


def falling(high: float, low: float, share: float) -> float:
    """Return a step size that falls from ``high`` to ``low`` along half a cosine as ``share`` goes from 0 to 1."""
    return low + (high - low) * 0.5 * (1.0 + math.cos(math.pi * min(max(share, 0.0), 1.0)))


def _harder(scenario: StressScenario) -> StressScenario:
    """Return a scenario with twice the failures and half as much again of the other random errors."""
    return replace(
        scenario,
        failure_rate=min(2.0 * scenario.failure_rate, 0.5),
        pose_noise_m=1.5 * scenario.pose_noise_m,
        heading_noise_deg=1.5 * scenario.heading_noise_deg,
    )


LEAST_WEIGHT, LARGEST_WEIGHT = 0.2, 3.0
"""Bounds of a scenario's weight in the training."""


def leak_weights(excess: Floats) -> Floats:
    """Return the weights of worlds that exceed their limits by the factors ``excess [W]``."""
    return np.clip(excess, LEAST_WEIGHT, LARGEST_WEIGHT)

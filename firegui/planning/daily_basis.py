"""Variables and start vector of the derivative-free planners (paper, appendix ``planners``)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from firegui.domain.schedule import Schedule, pose_logits_of
from firegui.errors import Check
from firegui.planning.budget_calibration import proposals_within
from firegui.planning.placement import across_wind
from firegui.planning.planner_context import PlannerContext
from firegui.rollout.model import Model
from firegui.rollout.simulate import watch

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LIMIT = 3.0
"""Variables are bounded to ``[−3, 3]``, which takes a sine through all its values: every pose can be reached."""


@dataclass(frozen=True, slots=True)
class Basis:
    """Basis of ``K × N_a × 4`` variables.

    They are an activation and the three pose logits ``z`` of an aircraft in a block of steps. All ``span`` steps of a
    block have the same. A block is a day in the daily basis, with 1,260 variables for 15 days of 21 aircraft, and a
    step in the native space, with 63,000. The activation is the drop logit; ``z`` goes through the optimizer's own sine
    map onto the raster ``shape``.
    """

    n_steps: int
    n_aircraft: int
    span: int
    shape: tuple[int, int]

    @staticmethod
    def daily(model: Model) -> Basis:
        """Return the basis with one block for each day."""
        return Basis(model.n_steps, model.fleet.n_aircraft, model.maps.steps_per_day, model.shape)

    @staticmethod
    def native(model: Model) -> Basis:
        """Return the basis with one block for each step."""
        return Basis(model.n_steps, model.fleet.n_aircraft, 1, model.shape)

    @property
    def n_blocks(self) -> int:
        """``K``; the last may be shorter."""
        return -(-self.n_steps // self.span)

    @property
    def dimension(self) -> int:
        """Number of variables."""
        return self.n_blocks * self.n_aircraft * 4

    def schedule(self, vector: NDArray[np.floating]) -> Schedule:
        """Return the schedule ``[T, N_a]`` of the variables ``[K · N_a · 4]``.

        Their order is block, aircraft, (D, z).
        """
        blocks = vector.reshape(self.n_blocks, self.n_aircraft, 4)
        mapped = Schedule.from_pose_logits(blocks[:, :, 0], blocks[:, :, 1:], self.shape)
        if self.span == 1:
            return mapped
        assert mapped.pose_logits is not None
        return Schedule(
            self.over_steps(mapped.logits), self.over_steps(mapped.poses), self.over_steps(mapped.pose_logits)
        )

    def vector(self, activations: Floats, poses: Floats) -> Floats:
        """Return the variables of logits ``[K, N_a]`` and poses ``[K, N_a, 3]``, within the bounds."""
        blocks = np.concatenate([activations[:, :, None], pose_logits_of(poses, self.shape)], axis=2)
        return np.asarray(np.clip(blocks.ravel(), -LIMIT, LIMIT))

    def over_steps(self, blocks: Floats) -> Floats:
        """Return ``[K, …]`` repeated to ``[T, …]``."""
        return np.repeat(blocks, self.span, axis=0)[: self.n_steps]


def front_places(context: PlannerContext, check: Check | None = None) -> Floats:
    """Return ``[D, 2]``: the centroid ``(y, x)`` of ``Σ_t p^B_t`` over each day's steps.

    It is that of the baseline, in cells. One rollout, charged. A day on which nothing burns keeps the place of the day
    before it.
    """
    model = context.model
    per_day = model.maps.steps_per_day
    days = -(-model.n_steps // per_day)
    rows, columns = np.zeros((days, model.shape[0])), np.zeros((days, model.shape[1]))

    def see(step: int, burning: Tensor) -> None:
        if step < model.n_steps:
            mass = burning.double()
            rows[step // per_day] += mass.sum(dim=1).cpu().numpy()
            columns[step // per_day] += mass.sum(dim=0).cpu().numpy()

    watch(model, Schedule.empty(model.n_steps, model.fleet.n_aircraft), see, check=check)
    context.evaluations.charge(1)  # the fire without drops is no answer of these planners
    places = np.zeros((days, 2))
    for day, total in enumerate(rows.sum(axis=1)):
        if total > 0.0:
            places[day] = (
                rows[day] @ np.arange(model.shape[0]) / total,
                columns[day] @ np.arange(model.shape[1]) / total,
            )
        elif day > 0:
            places[day] = places[day - 1]
    return places


def start_vector(context: PlannerContext, basis: Basis, places: Floats) -> Floats:
    """Return the start vector of a search.

    Every pose is at its day's place (``places [D, 2]``) and across the wind there. Every block of an aircraft has a
    random priority. The active blocks are those that fly nearest to the budget, within five drops of it where whole
    blocks can (:func:`~firegui.planning.budget_calibration.proposals_within`). Activations are spaced evenly in the
    order of priority, active ones above 0 and idle ones below, as wide as the bounds allow. A search that disturbs them
    switches about as many on as off.
    """
    model = context.model
    day = np.arange(basis.n_blocks) * basis.span // model.maps.steps_per_day
    nearest = np.rint(places).astype(np.int64)
    headings = [
        across_wind(model.maps.wind_dir[d * model.maps.periods_per_day], *nearest[d : d + 1].T)[0]
        for d in range(len(places))
    ]
    pose = np.column_stack([places, headings])[day]
    poses = np.repeat(pose[:, None], basis.n_aircraft, axis=1)
    generator = np.random.default_rng([context.settings.seed, 0])
    priorities = generator.uniform(size=(basis.n_blocks, basis.n_aircraft))
    proposed = proposals_within(model, basis.over_steps(priorities), context.budget, basis.over_steps(poses))
    return basis.vector(spread(priorities, proposed[:: basis.span]), poses)


def spread(priorities: Floats, active: Bools) -> Floats:
    """Return evenly spaced numbers in the order of ``priorities``.

    Those that are ``active`` are above 0, all others below. The smallest distance from 0 is half the spacing, the
    largest less than :data:`LIMIT`.
    """
    order = np.lexsort((priorities.ravel(), active.ravel()))
    idle = int(active.size - active.sum())
    values = np.empty(active.size)
    values[order] = (np.arange(active.size) - idle + 0.5) * LIMIT / max(idle, active.size - idle)
    return values.reshape(active.shape)

"""Repair of a plan that is being flown: in seconds, from an observed perimeter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from firegui.domain.compact_maps import SpreadOnDemand
from firegui.domain.grid import widened
from firegui.domain.observation import FireState
from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.stress import DESIGN_NAME, OWN_WORLDS, StressScenario
from firegui.errors import Check
from firegui.planning.initialization import initial_schedule
from firegui.planning.replan import ground_factor, remaining, rows
from firegui.planning.stress import StressWorld, stress_worlds
from firegui.planning.stress_limits import StressTests, WorldTest
from firegui.planning.stress_placing import StressPlanner
from firegui.planning.stress_training import ScenarioTraining
from firegui.rollout.measure import value_loss
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate

Bools = NDArray[np.bool_]
Singles = NDArray[np.float32]

LEAST_LEVEL = 1e-3
"""A cell that burns with a smaller probability counts as burned out."""

HORIZON_DAYS = 5
"""Days that a repair looks ahead. Three days without flights lie within it."""

MOST_LAYERS = 60
"""Most parts of days that a repair looks ahead, which limits its memory."""

SEARCH_EPOCHS, TRAINING_EPOCHS, TEST_DRAWS = 60, 75, 4
"""Length of a repair that has to move drops, and draws of a random scenario in its tests."""

LOOK_EVERY, EARLY_END = 15, 0.5
"""Epochs between tests of whether a repair may end early, and the part of the limits that the plan has to stay within
for that."""

HARD = StressScenario("hard", spread_factor=1.15)
"""A fire that is faster than the model's, met at design effectiveness: what a plan is looked after with."""

SAME_SHARE = 1e-4
"""Drops without which no more than this share of the growth burns beyond what burns with them are not flown."""


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """Belief of a planner after the perimeters so far.

    ``seen [H, W]`` has burned; ``level [H, W]`` is the probability that it still burns. Cells that are new in the
    latest perimeter burn for certain. Older ones burn with the probability that a cell burns on that long,
    ``(1 − 1 / T_burn)^k`` after ``k`` steps. A perimeter does not tell a cell that burns from one that has burned out,
    so the edge of the fire may go on from there.
    """

    seen: Bools
    level: Singles

    @staticmethod
    def start(state: FireState) -> Belief:
        """Return the belief at the start of a plan."""
        return Belief(state.fire, state.burning.astype(np.float32))

    def after(self, perimeter: Bools, still_burning: float) -> Belief:
        """Return the belief once ``perimeter [H, W]`` is seen; an older cell burns on with that probability."""
        older = np.where(self.seen, self.level * np.float32(still_burning), np.float32(1.0))
        level = np.where(perimeter & (older >= LEAST_LEVEL), older, np.float32(0.0))
        return Belief(perimeter, level.astype(np.float32))

    def state(self, burnable: Bools) -> FireState:
        """Return the cells that may burn and can still ignite others, and the burned-out cells."""
        edge = widened(burnable & ~self.seen, 1)
        burning = (self.level > 0.0) & edge
        return FireState(np.asarray(burning), np.asarray(self.seen & ~burning))


class PlanRepair:
    """Planner of an exercise.

    It keeps a plan while the plan holds, and replans the rest where it does not. What holds is judged in the model at
    nominal and at design effectiveness, and for a faster fire (:data:`HARD`). A repair trains in the scenarios of the
    project's stress set, without those that are repaired themselves. It ends where the plan holds in all of them, and
    at the latest after a fixed number of epochs, so that it depends on what it is given and on the seed alone.
    """

    def __init__(
        self, project: Project, model: Model, others: Sequence[StressWorld] = (), *, check: Check | None = None
    ) -> None:
        """Prepare :attr:`worlds`, those that the planner knows of. ``model`` is that of ``project``.

        ``others`` are worlds of the project that lend their fires.
        """
        self.epochs = 0
        """Epochs of all replannings of plans that did not hold."""
        plan = project.plan
        self._settings, self._margin, self._seed = plan.optimizer, plan.margin, plan.optimizer.seed
        design = StressScenario(DESIGN_NAME, effectiveness=plan.design)
        known = tuple(one for one in project.stress.scenarios if not one.repair_hours and one.name not in OWN_WORLDS)
        worlds, _ = stress_worlds(
            project, model, (design, replace(HARD, effectiveness=plan.design), *known), others, check=check
        )
        self._watched, self._trained = worlds[:3], (*worlds[:2], *worlds[3:])
        self._maps = worlds[0].model.maps
        self.worlds = worlds

    def still_burning(self, steps: int) -> float:
        """Return the probability that a burning cell burns on for ``steps`` steps."""
        return float((1.0 - 1.0 / self._maps.t_burn) ** steps)

    def withdrawn(self, schedule: Schedule, first: int, end: int) -> Schedule:
        """Return ``schedule`` without drops from step ``first`` to ``end``, but for pinned ones."""
        step, rules = np.arange(schedule.n_steps)[:, None], self._watched[0].model.rules
        elsewhere = (step < first) | (step >= end)
        return schedule.only(elsewhere if rules is None or rules.pinned is None else elsewhere | rules.pinned)

    def repaired(
        self, schedule: Schedule, first: int, end: int, belief: Belief, reported: Bools, check: Check | None = None
    ) -> Schedule:
        """Return the whole plan with what is flown from step ``first`` on; ``end`` is the next observation.

        ``reported [T, A]`` are the drops before ``first`` that happened.
        """
        problem = _Problem(
            schedule, first, self._horizon(first, end), belief.state(self._maps.burnable), belief, reported
        )
        if not problem.state.burning.any():
            return self.withdrawn(schedule, first, end)
        watched = [problem.world(world, check) for world in self._watched]
        rest = problem.rest(schedule)
        with_drops = self._shares(watched, rest, check)
        holds = self._holds(watched, with_drops)
        if holds:
            waiting = self.withdrawn(schedule, first, end)
            without = self._shares(watched, problem.rest(waiting), check)
            spared = all(less <= more + SAME_SHARE for less, more in zip(without, with_drops, strict=True))
            return waiting if spared else schedule
        return problem.joined(self._replanned(problem, watched, rest, check))

    def forecast(
        self, schedule: Schedule, first: int, end: int, belief: Belief, reported: Bools, check: Check | None = None
    ) -> float:
        """Return the cells that the model expects to have burned at step ``end``.

        It starts from the belief at ``first``. ``reported [T, A]`` are the drops before ``first`` that happened. A cell
        that burns with probability ``level`` has burned out with the rest.
        """
        problem = _Problem(schedule, first, end - first, belief.state(self._maps.burnable), belief, reported)
        burned, burning = float(problem.state.burned.sum()), problem.state.burning
        if not burning.any():
            return burned
        model = problem.world(self._watched[0], check).model
        days = simulate(model, problem.rest(schedule), check=check, keep_days=True).p_fire_days
        assert days is not None
        out = np.where(burning, 1.0 - belief.level, 0.0)
        return burned + float((out + (1.0 - out) * days[-1]).sum())

    def _horizon(self, first: int, end: int) -> int:
        """Return how many steps a repair at ``first`` looks ahead, in whole parts of days."""
        n_steps, per_day = self._maps.n_steps, self._maps.steps_per_day
        part = math.gcd(first, per_day)
        most = max(MOST_LAYERS * part, 2 * -(-(end - first) // part) * part)
        return min(n_steps - first, HORIZON_DAYS * per_day, most)

    def _shares(self, worlds: Sequence[StressWorld], rest: Schedule, check: Check | None) -> list[float]:
        return [world.held_share(simulate(world.model, rest, check=check).metrics) for world in worlds]

    def _holds(self, worlds: Sequence[StressWorld], shares: Sequence[float]) -> bool:
        tests = [WorldTest(world.scenario.name, (share,)) for world, share in zip(worlds, shares, strict=True)]
        return self._stays_within(1.0, tests)

    def _stays_within(self, part: float, tests: Iterable[WorldTest]) -> bool:
        """Return whether no test exceeds this part of its limits."""
        return all(test.excess(self._margin.limit) <= part for test in tests)

    def _replanned(
        self, problem: _Problem, watched: Sequence[StressWorld], rest: Schedule, check: Check | None
    ) -> Schedule:
        """Place drops on the fire's front, train them with those that are left, and return the plan.

        It is the first that holds well in every test, or in the end the better one of that and ``rest``.
        """
        worlds = [*watched[:2], *(problem.world(world, check) for world in self._trained[2:])]
        model = worlds[1].model  # at design effectiveness
        margin = replace(self._margin, search_epochs=SEARCH_EPOCHS, training_epochs=TRAINING_EPOCHS)
        settings = replace(self._settings, epochs=margin.placing_epochs)
        tests = StressTests(worlds, margin.limit, TEST_DRAWS, self._seed)
        training = ScenarioTraining(model, worlds[1:], margin.limit, self._seed)
        start = initial_schedule(model, settings, rest, check, reopen=True)
        planner = StressPlanner(model, settings, start, margin, training, tests)
        while not planner.finished:
            planner.epoch(check)
            self.epochs += 1
            if planner.epochs_done % LOOK_EVERY == 0:
                looked_at = tests.shares(planner.best, planner.epochs_done, check=check)
                if self._stays_within(EARLY_END, looked_at):
                    return planner.best
        found = [rest, planner.best]
        # Both are tested on the same draws, which the training has not seen.
        scores = [sum(test.mean for test in tests.shares(one, margin.placing_epochs, check=check)) for one in found]
        return found[int(np.argmin(scores))]


@dataclass(frozen=True, slots=True, eq=False)
class _Problem:
    """Remaining problem of a plan from step ``first`` on, ``n_steps`` steps ahead."""

    schedule: Schedule
    first: int
    n_steps: int
    state: FireState
    belief: Belief
    reported: Bools

    def rest(self, schedule: Schedule) -> Schedule:
        """Return the steps that it looks ahead."""
        return rows(schedule, self.first, self.first + self.n_steps)

    def joined(self, rest: Schedule) -> Schedule:
        """Return the whole plan with ``rest`` in its place. All other steps keep their bits."""
        old, end = self.schedule, self.first + self.n_steps
        logits, poses = old.logits.copy(), old.poses.copy()
        logits[self.first : end], poses[self.first : end] = rest.logits, rest.poses
        if old.pose_logits is None or rest.pose_logits is None:
            return Schedule(logits, poses)
        z = old.pose_logits.copy()
        z[self.first : end] = rest.pose_logits
        return Schedule(logits, poses, z)

    def world(self, world: StressWorld, check: Check | None = None) -> StressWorld:
        """Return the remaining problem in one world, if it were the true one.

        Shares are of the growth of the whole plan. A share counts what is still to burn; what has burned by now cannot
        be helped.
        """
        whole, burning = _by_cell(world.model), self.state.burning
        ground = ground_factor(whole, self.schedule, self.reported[: self.first])
        model = remaining(
            whole, self.schedule, self.first, self.state, self.n_steps, check=check, ground=ground,
            level=self.belief.level,
        )  # fmt: skip
        start, protected = float(burning.sum()), float(burning[model.protected.cpu().numpy()].sum())
        lost = value_loss(model, burning)
        no_drops = replace(
            world.no_drops,
            final_extent_cells=start + world.cells_no_drops - world.start_cells,
            protected_cells=protected + world.no_drops.protected_cells - world.start_protected,
            loss_val=lost + world.no_drops.loss_val - world.start_val,
        )
        # A day of the model may be a part of a day; the delay stays as many steps.
        scale = whole.maps.steps_per_day / model.maps.steps_per_day
        scenario = replace(world.scenario, delay_minutes=world.scenario.delay_minutes * scale)
        return StressWorld(scenario, model, start, protected, no_drops, lost)


def _by_cell(whole: Model) -> Model:
    """Return the model with spread that is treated and laid out where a fire is.

    A repair computes little with each of its models. To lay a raster out whole takes ten times as long as that.
    """
    maps = whole.maps
    if isinstance(maps.phi, SpreadOnDemand):
        return whole
    return replace(
        whole, maps=replace(maps, phi=whole.gains.layout("by cell", partial(SpreadOnDemand.of_array, maps.phi)))
    )

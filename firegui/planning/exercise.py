"""Exercise: a plan is flown in a world that differs from the model, and repaired at observations.

The world is a :class:`~firegui.planning.stress.StressWorld` with the errors of one draw in flying. It burns on without
chance between two observations. At an observation every cell is drawn: it has not burned, burns, or has burned out. So
an observed perimeter has no cell that is only half burned, and equal random numbers make branches comparable. It is
the sampling of the paper's aleatoric ensembles at the interval of the observations.

The planner knows the model, the stress set of its project and which of its drops happened. It does not know the world:
neither how the drops work there, nor where they fell. Of the fire it sees the perimeter. The drops until the next
observation are fixed at each one.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.observation import REPLANNED, DayStates, FireState
from firegui.domain.schedule import Schedule
from firegui.domain.stress import StressDraw, growth_share
from firegui.errors import Check
from firegui.planning.repair import Belief, PlanRepair
from firegui.planning.replan import drawn_state, executed, ground_factor
from firegui.planning.stress import FlightErrors, Seed, StressWorld, errors_in, executed_only
from firegui.rollout.measure import value_loss
from firegui.rollout.model import Model

Bools = NDArray[np.bool_]
Singles = NDArray[np.float32]
Numbers = Callable[[int], np.random.Generator]
"""The random numbers of the cells at a step."""

_FIRE = 0x66697265
"""Keeps the draws of the fire apart from those of the flights."""


def fire_numbers(world: StressWorld, draw: int, seed: Seed) -> Numbers:
    """Return the random numbers of a draw's fire.

    They depend on the scenario, ``seed``, ``draw`` and the step.
    """
    scenario = world.scenario
    name = zlib.crc32(scenario.name.encode())

    def numbers(step: int) -> np.random.Generator:
        key = (_FIRE, scenario.seed, name, draw, step)
        return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))

    return numbers


@dataclass(frozen=True, slots=True, eq=False)
class FlownWorld:
    """True world of an exercise: its fire, and the errors in flying plans of ``plan_model``."""

    world: StressWorld
    plan_model: Model
    errors: FlightErrors
    numbers: Numbers

    @staticmethod
    def of_draw(world: StressWorld, plan_model: Model, draw: int, seed: Seed) -> FlownWorld:
        """Return draw number ``draw`` of a stress scenario."""
        errors = errors_in(world, draw, seed)
        return FlownWorld(world, plan_model, errors, fire_numbers(world, draw, seed))

    @staticmethod
    def without_errors(world: StressWorld, numbers: Numbers) -> FlownWorld:
        """Return a world in which every plan of its own model is flown as it is."""
        return FlownWorld(world, world.model, FlightErrors(), numbers)

    def start(self) -> FireState:
        """Return the fire at the start of the plan."""
        return self.world.model.maps.start

    def flown(self, schedule: Schedule) -> Schedule:
        """Return ``schedule`` as it is flown.

        An error belongs to a step and an aircraft, whatever is planned there.
        """
        return self.errors.applied(self.ordered(schedule), self.world.model.shape)

    def ordered(self, schedule: Schedule) -> Schedule:
        """Return the drops of ``schedule`` that the rules of the plan let happen."""
        return executed_only(self.plan_model, schedule)

    def executed(self, schedule: Schedule) -> Bools:
        """Return which drops happen, ``[T, A]``, at the steps at which they happen."""
        return executed(self.world.model, self.flown(schedule))

    def reported(self, schedule: Schedule, step: int) -> Bools:
        """Return which drops the planner takes for flown at ``step``, ``[T, A]``, at the steps of the plan.

        Crews report what did not happen. A drop that is late and still to come counts as flown.
        """
        ordered = executed(self.plan_model, schedule)
        ordered[step:] = False
        happened = self.executed(schedule)
        delay = self.errors.delay
        if delay:
            happened = np.concatenate([happened[delay:], np.zeros_like(happened[:delay])])
        happened[max(step - delay, 0) :] = True
        return ordered & happened

    def advanced(
        self, schedule: Schedule, first: int, end: int, fire: FireState, ground: Singles | None = None,
        check: Check | None = None,
    ) -> tuple[FireState, Singles | None]:  # fmt: skip
        """Return the fire at step ``end`` and the ground there.

        ``ground [H, W]`` is that at ``first``, where known.
        """
        if not fire.burning.any():
            return fire, None
        model, flown = self.world.model, self.flown(schedule)
        gone = executed(model, flown)
        if ground is None:
            ground = ground_factor(model, flown, gone[:first])
        now = drawn_state(model, flown, first, end, fire, self.numbers(end), check, ground)
        return now, ground_factor(model, flown, gone[:end], first, ground)


@dataclass(frozen=True, slots=True, eq=False)
class ExerciseState:
    """An exercise at an observation, at ``step``.

    ``schedule`` is the whole plan: what was ordered before, and what is planned from here on. ``fire`` is the true one,
    ``belief`` what the planner makes of the perimeters before this one. ``ground [H, W]`` is the true fuel factor.
    """

    step: int
    schedule: Schedule
    fire: FireState
    belief: Belief
    ground: Singles | None = None


def exercise_of_draw(world: StressWorld, model: Model, repair: PlanRepair, draw: int, seed: Seed) -> Exercise:
    """Return the exercise of draw number ``draw`` of a scenario with repair.

    ``model`` is that of the plan.
    """
    every = world.scenario.repair_steps(model.maps.steps_per_day)
    return Exercise(FlownWorld.of_draw(world, model, draw, seed), repair, every)


class Exercise:
    """A plan that is flown in ``truth`` and repaired every ``every`` steps."""

    def __init__(self, truth: FlownWorld, repair: PlanRepair, every: int) -> None:
        self._truth, self._repair, self._every = truth, repair, every

    def begin(self, schedule: Schedule) -> ExerciseState:
        """Return the start of the plan. The planner takes the project's fire for the true one."""
        return ExerciseState(0, schedule, self._truth.start(), Belief.start(self._truth.plan_model.maps.start))

    def finished(self, state: ExerciseState) -> bool:
        """Return whether the plan has been flown to its end."""
        return state.step >= self._truth.world.model.n_steps

    def advance(self, state: ExerciseState, check: Check | None = None) -> ExerciseState:
        """Observe, repair the plan and fly it until the next observation.

        At the start the plan is flown as it is.
        """
        step, n_steps, seen = state.step, self._truth.world.model.n_steps, state
        if step > 0:
            seen = self.observed(state, check)
            if not seen.belief.level.any() and not state.fire.burning.any():
                # Nothing burns and the planner knows: nothing will be ordered any more.
                return replace(seen, step=n_steps, schedule=self._repair.withdrawn(seen.schedule, step, n_steps))
        end = min(step + self._every, n_steps)
        fire, ground = self._truth.advanced(seen.schedule, step, end, state.fire, state.ground, check)
        return ExerciseState(end, seen.schedule, fire, seen.belief, ground)

    def observed(self, state: ExerciseState, check: Check | None = None, *, by_hand: bool = False) -> ExerciseState:
        """Return the state after the observation.

        It has the planner's belief and the plan that it repaired. A plan that was edited ``by_hand`` is not repaired.
        """
        step, end = state.step, self._end(state)
        belief = state.belief.after(state.fire.fire, self._repair.still_burning(self._every))
        if by_hand:
            return replace(state, belief=belief)
        reported = self._truth.reported(state.schedule, step)
        schedule = self._repair.repaired(state.schedule, step, end, belief, reported, check)
        return replace(state, schedule=schedule, belief=belief)

    def forecast(self, state: ExerciseState, check: Check | None = None) -> float:
        """Return the cells that the planner expects at the next observation; ``state`` is that after this one."""
        reported = self._truth.reported(state.schedule, state.step)
        return self._repair.forecast(state.schedule, state.step, self._end(state), state.belief, reported, check)

    def _end(self, state: ExerciseState) -> int:
        return min(state.step + self._every, self._truth.world.model.n_steps)

    def flown(self, schedule: Schedule, check: Check | None = None) -> tuple[Schedule, DayStates]:
        """Fly a plan to its end.

        Returns what was flown, with its errors, and the true fire at every observation.
        """
        states = [self.begin(schedule)]
        while not self.finished(states[-1]):
            states.append(self.advance(states[-1], check))
        codes, steps = np.stack([one.fire.codes for one in states]), tuple(one.step for one in states)
        name = self._truth.world.scenario.name
        return self._truth.flown(states[-1].schedule), DayStates(REPLANNED, name, 0, codes, steps=steps)

    def fixed_fire(self, schedule: Schedule, check: Check | None = None) -> FireState:
        """Return the fire at the end with a plan that is not repaired, drawn at the same steps."""
        fire, ground, n_steps = self._truth.start(), None, self._truth.world.model.n_steps
        for step in range(0, n_steps, self._every):
            end = min(step + self._every, n_steps)
            fire, ground = self._truth.advanced(schedule, step, end, fire, ground, check)
        return fire

    def result(self, state: ExerciseState, fixed: FireState | None = None) -> StressDraw:
        """Return what burned and what was flown.

        ``fixed`` is the fire of the plan as it was, where that is known. The growth without drops is that of the
        scenario's world.
        """
        world, fire = self._truth.world, state.fire.fire
        protected = float(fire[world.model.protected.cpu().numpy()].sum())
        flown = int(self._truth.executed(state.schedule).sum())
        fixed_share = None if fixed is None else self._share(fixed)
        lost = value_loss(world.model, fire)
        return StressDraw(float(fire.sum()), protected, self._share(state.fire), flown, fixed_share, lost)

    def _share(self, fire: FireState) -> float:
        world = self._truth.world
        return growth_share(float(fire.fire.sum()), world.start_cells, world.cells_no_drops)

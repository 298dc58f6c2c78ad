"""Both stages of a plan with a margin, on the worlds that a project's settings ask for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from firegui.domain.project import Project
from firegui.domain.schedule import Schedule
from firegui.domain.settings import Margin, OptimizerSettings
from firegui.domain.stress import DESIGN_NAME, StressDraw, StressScenario, StressTable
from firegui.errors import Check, InputError
from firegui.planning.exercise import exercise_of_draw
from firegui.planning.fast_stress import FastStressPlanner, pace_of
from firegui.planning.gradient import PlannerState
from firegui.planning.repair import SEARCH_EPOCHS, TRAINING_EPOCHS, PlanRepair
from firegui.planning.stress import (
    DrawBurned,
    ScenarioBegan,
    StressWorld,
    reason_of,
    stress_table,
    stress_world,
    stress_worlds,
)
from firegui.planning.stress_limits import StressTests
from firegui.planning.stress_placing import StressPlanner
from firegui.planning.stress_pruning import PruningState, StressPruning
from firegui.planning.stress_training import ScenarioTraining
from firegui.rollout.model import Model

MOST_REPLANNING_EPOCHS = 6 * (SEARCH_EPOCHS + TRAINING_EPOCHS)
"""Epochs of replanning that the test of a plan may take: more would take longer than half of the plan itself.

A plan that holds needs few: that of the demo about a hundred for eight draws of four days.
"""


class MarginPlanning:
    """The stages of a plan with the margin that the settings of ``project`` name.

    With :attr:`Margin.DESIGN` a plan must hold in the model at nominal and at design effectiveness. With
    :attr:`Margin.STRESS` it must hold in every scenario of its set that flies without repair and can be computed.
    ``left_out`` names the others, with the reason. Scenarios with repair are easier: their plan is mended on the way.
    """

    def __init__(self, project: Project, model: Model, *, check: Check | None = None) -> None:
        """Prepare the worlds. ``model`` is at design effectiveness."""
        self._project = project
        settings = project.plan.margin
        if settings.kind is Margin.STRESS:
            scenarios = project.stress.unrepaired
        else:
            scenarios = (StressScenario(DESIGN_NAME, effectiveness=project.plan.design),)
        worlds, self.left_out = stress_worlds(project, model, scenarios, check=check)
        self._worlds = worlds
        trained: tuple[StressWorld, ...] = worlds[1:] if settings.kind is Margin.STRESS else ()
        self._trained, self._settings = trained, settings

    def first_stage(
        self, model: Model, settings: OptimizerSettings, start: Schedule, checkpoint: Path | None = None
    ) -> StressPlanner:
        """Return the first stage from ``start`` on, or from a checkpoint.

        ``model`` has the objective: that of setting A where setting B borrows its first stage.
        """
        kind = FastStressPlanner if self._is_fast else StressPlanner
        planner = kind(model, settings, start, self._settings, *self._parts(model, settings.seed))
        if checkpoint is not None:
            planner.go_on_from(PlannerState.load(checkpoint))
        return planner

    def second_stage(
        self, model: Model, reference: Schedule, checkpoint: Path | None = None, check: Check | None = None
    ) -> StressPruning:
        """Return the second stage of ``reference``, from its beginning or from a checkpoint."""
        plan = self._project.plan
        state = None if checkpoint is None else PruningState.load(checkpoint)
        training, tests = self._parts(model, plan.optimizer.seed, flown_only=self._is_fast)
        pace = pace_of(self._settings) if self._is_fast else None
        return StressPruning(
            model, plan.elimination, self._settings, reference, training, tests, pace=pace, state=state, check=check
        )

    def table(
        self, model: Model, schedule: Schedule, *, only: str = "", began: ScenarioBegan | None = None,
        burned: DrawBurned | None = None, check: Check | None = None,
    ) -> StressTable:  # fmt: skip
        """Return the stress table of a schedule, on the draws of the set's own seed.

        With ``only`` it has that scenario alone, beside the nominal one. ``began`` and ``burned`` are as in the
        function.
        """
        stress = self._project.stress
        if only:
            stress = replace(stress, scenarios=tuple(one for one in stress.scenarios if one.name == only))
        return stress_table(
            self._project, model, schedule, stress, self._worlds, began=began, burned=burned, check=check
        )

    def repaired(
        self, model: Model, schedule: Schedule, table: StressTable, *, began: ScenarioBegan | None = None,
        burned: DrawBurned | None = None, check: Check | None = None,
    ) -> StressTable:  # fmt: skip
        """Return ``table`` with the scenarios in which ``schedule`` is replanned on the way.

        The draws are those of a stress test. Scenarios stay left out from :data:`MOST_REPLANNING_EPOCHS` on.
        ``began`` is called before each draw, with its number among all of them, and ``burned`` after it.
        """
        project, seed = self._project, self._project.stress.seed
        scenarios = project.stress.repaired
        repair = PlanRepair(project, model, self._worlds, check=check)
        total, done = sum(one.n_draws for one in scenarios), 0
        for scenario in scenarios:
            try:
                world = stress_world(project, model, scenario, repair.worlds, check=check)
            except InputError as error:
                found = replace(table, results=(), left_out=((scenario.name, reason_of(error)),))
                table, done = table.completed_by(found), done + scenario.n_draws
                continue
            draws: list[StressDraw] = []
            for draw in range(scenario.n_draws):
                if began is not None:
                    began(done, total, f"{scenario.name}, draw {draw + 1} of {scenario.n_draws}")
                done += 1
                exercise = exercise_of_draw(world, model, repair, draw, seed)
                state = exercise.begin(schedule)
                while not exercise.finished(state):
                    state = exercise.advance(state, check)
                    if repair.epochs > MOST_REPLANNING_EPOCHS:
                        return table
                draws.append(exercise.result(state, exercise.fixed_fire(schedule, check)))
                if burned is not None:
                    burned(scenario.name, state.fire.fire)
            found = replace(table, results=(replace(world.result([]), draws=tuple(draws)),), left_out=())
            table = table.completed_by(found)
        return table

    def _parts(self, model: Model, seed: int, *, flown_only: bool = False) -> tuple[ScenarioTraining, StressTests]:
        weights = model.weights
        worlds = [world.with_weights(weights) for world in self._worlds]
        trained = [world.with_weights(weights) for world in self._trained]
        limit = self._settings.limit
        nominal = worlds[0] if self._is_fast else None
        training = ScenarioTraining(model, trained, limit, seed, nominal, flown_only=flown_only)
        return training, StressTests(worlds, limit, self._settings.draws, seed, is_strict=self._is_fast)

    @property
    def _is_fast(self) -> bool:
        return self._project.plan.is_fast

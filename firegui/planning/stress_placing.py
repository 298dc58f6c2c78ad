"""First stage with a margin: place drops by the objective, then train them in the scenarios."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from firegui.domain.benchmark import GRADIENT_CHARGE
from firegui.domain.schedule import Schedule
from firegui.domain.settings import MarginSettings, OptimizerSettings
from firegui.errors import Check
from firegui.planning.flight_rules import within_cap
from firegui.planning.gradient import EpochReport, Floats, GradientPlanner, PlannerState
from firegui.planning.stress import executed_only
from firegui.planning.stress_limits import OWN_LIMIT, StressTests
from firegui.planning.stress_training import Leaks, ScenarioTraining, falling
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate_many

SCENARIOS = 3
"""Slopes in scenarios in an epoch of the training, beside that of the design."""

SEARCH_FALL, TRAINING_FALL = 1.0 / 3.0, 0.1
"""By what factor the step size falls. Adam at a constant 0.003 moves a drop by about a cell a step: too coarse to
close a line."""

TEST_EVERY = 50
"""Epochs of the training between two tests."""

TEST_DRAWS = 4
"""Draws of a random scenario in a test of the training."""

RESERVE = 2.0
"""How many times the drops that end the nominal fire the training may use, in whole days."""

SCORE, LAST_DAY, LEAKS = 3, 4, 5
"""Places in :attr:`PlannerState.progress` after a planner's own: best score, last day, and the leaks from there on."""


class StressPlanner(GradientPlanner):
    """Adam with a falling step size, first on the objective alone, then on the mean over scenarios.

    In the search the best schedule is the one with the lowest objective at design effectiveness; in the training it is
    the one with the lowest mean share over the test draws. Without scenarios there is only the search.

    The training uses the first days alone, where drops of these end the nominal fire: until the day by which the plan
    flies :data:`RESERVE` times as many drops as that takes. What leaks early is worth more to prevent than to fight for
    the rest of the plan, and a plan that may do both learns to fight.
    """

    def __init__(
        self, model: Model, settings: OptimizerSettings, start: Schedule, margin: MarginSettings,
        training: ScenarioTraining, tests: StressTests,
    ) -> None:  # fmt: skip
        super().__init__(model, settings, start)
        self._training, self._tests = training, tests
        epochs = min(settings.epochs, margin.placing_epochs if len(training) else margin.search_epochs)
        self._search = epochs if not len(training) else round(epochs * margin.search_epochs / margin.placing_epochs)
        self._epochs = epochs
        progress = np.array([*self._state.progress, np.inf, model.maps.days, *training.no_leaks.array()])
        self._state = replace(self._state, progress=progress)

    @property
    def finished(self) -> str:
        """``""`` while it can go on, ``"epochs"`` at the end."""
        return "epochs" if self.epochs_done >= self.epochs else ""

    @property
    def epochs(self) -> int:
        """Epochs of search and training."""
        return self._epochs

    @property
    def searched(self) -> int:
        """Epochs of the search."""
        return self._search

    @property
    def rollouts(self) -> int:
        """What the epochs so far cost in rollouts, without the tests."""
        searched = min(self.epochs_done, self.searched)
        return GRADIENT_CHARGE * (searched + (1 + SCENARIOS) * (self.epochs_done - searched))

    @property
    def last_day(self) -> int:
        """The first day that the training leaves without drops; the number of days where it uses all."""
        return int(self._state.progress[LAST_DAY])

    def epoch(self, check: Check | None = None, frame_stride: int | None = None) -> EpochReport:
        """Search or train, and remember the best."""
        return (
            self._train(check, frame_stride)
            if self.epochs_done >= self.searched
            else self._descend(check, frame_stride)
        )

    def _descend(self, check: Check | None, frame_stride: int | None) -> EpochReport:
        now, epoch = self._state, self.epochs_done
        schedule = within_cap(self._schedule(now), self._model)
        rollout, slope = self._training.design(self._schedule(now), frame_stride=frame_stride, check=check)
        objective = rollout.metrics.objective
        improved = objective < self.best_objective
        rate = self._settings.learning_rate
        stepped = self._stepped(now, slope, falling(rate, rate * SEARCH_FALL, epoch / max(self._search, 1)), epoch + 1)
        self._state = self._remembered(stepped, now, objective if improved else None, np.inf)
        return EpochReport(epoch, rollout.metrics, self.best_objective, improved, slope.norm, rollout, schedule)

    def _train(self, check: Check | None, frame_stride: int | None) -> EpochReport:
        now, epoch = self._state, self.epochs_done
        trained, length = epoch - self.searched, self.epochs - self.searched
        if trained == 0:
            now = self._shortened(without_moments(now), self._last_day(check))
        leaks, rate = Leaks.of_array(self._leaks_of(now), len(self._training)), self._settings.learning_rate
        rollout, design, slope = self._training.step(
            self._schedule(now), SCENARIOS * trained, SCENARIOS, leaks, frame_stride=frame_stride, check=check
        )
        last = int(now.progress[LAST_DAY]) * self._model.maps.steps_per_day
        slope.logit[last:], slope.pose[last:] = 0.0, 0.0
        at = self._stepped(now, slope, falling(rate, rate * TRAINING_FALL, trained / length), trained + 1)
        score = np.inf
        if (trained + 1) % TEST_EVERY == 0 or trained + 1 == length:
            score, leaks = self._tested(self._schedule(at), epoch, leaks, check)
        improved = score < float(now.progress[SCORE])
        kept = self._remembered(at, at, rollout.metrics.objective if improved else None, score)
        known = leaks.array()
        more = kept.progress[LEAKS + len(known) :]
        self._state = replace(
            kept, progress=np.array([*kept.progress[:LAST_DAY], now.progress[LAST_DAY], *known, *more])
        )
        schedule, is_whole = within_cap(self._schedule(now), self._model), self._training.is_whole(rollout.metrics)
        best = self.best_objective
        return EpochReport(epoch, rollout.metrics, best, improved, design.norm, rollout, schedule, is_whole)

    def _leaks_of(self, state: PlannerState) -> Floats:
        """Return the part of a state's progress that says what leaks."""
        return state.progress[LEAKS : LEAKS + len(self._training.no_leaks.array())]

    def _last_day(self, check: Check | None) -> int:
        """Return the day from which on the training uses no drops; see :attr:`last_day`."""
        world, days = self._tests.nominal, self._model.maps.days
        flown = executed_only(world.model, within_cap(self._schedule(self._state), self._model))
        per_day = self._model.maps.steps_per_day
        until = [flown.until(day * per_day) for day in range(1, days)]
        shares = [world.held_share(one.metrics) for one in simulate_many(world.model, until, check=check)]
        ended = [day for day, share in enumerate(shares, 1) if share <= OWN_LIMIT * self._tests.limit]
        if not ended:
            return days
        drops = [int(one.proposed.sum()) for one in until]
        return next((day for day, count in enumerate(drops, 1) if count >= RESERVE * drops[ended[0] - 1]), days)

    def _shortened(self, state: PlannerState, last_day: int) -> PlannerState:
        """Return ``state`` as the training begins: no drops from ``last_day`` on, but for pinned ones."""
        logits = state.logits.copy()
        first = last_day * self._model.maps.steps_per_day
        logits[first:] = -self._settings.logit_clamp
        if self._pinned is not None:
            logits = np.where(self._pinned, state.logits, logits)
        return replace(
            state, logits=logits, progress=np.array([*state.progress[:LAST_DAY], last_day, *state.progress[LEAKS:]])
        )

    def _tested(self, schedule: Schedule, epoch: int, leaks: Leaks, check: Check | None) -> tuple[float, Leaks]:
        """Return the mean share over the worlds, and the leaks."""
        means = []
        for test in self._tests.shares(schedule, epoch, draws=TEST_DRAWS, check=check):
            means.append(np.mean(test.shares))
            if (index := self._tests.names.index(test.name) - 1) >= 0:
                leaks = leaks.after(index, test, epoch, self._tests.limit)
        return float(np.mean(means)), leaks

    def _schedule(self, state: PlannerState) -> Schedule:
        return Schedule.from_pose_logits(state.logits, state.pose_logits, self._model.shape)

    def _remembered(
        self, state: PlannerState, best: PlannerState, objective: float | None, score: float
    ) -> PlannerState:
        """Return ``state`` after another epoch.

        ``best`` is its best schedule where ``objective`` is the schedule's own.
        """
        epoch = self.epochs_done
        if objective is None:
            return replace(state, progress=np.array([epoch + 1.0, *self._state.progress[1:]]))
        progress = np.array([epoch + 1.0, epoch, objective, score, *self._state.progress[LAST_DAY:]])
        kept = within_cap(self._schedule(best), self._model)
        return replace(state, best_logits=kept.logits, best_pose_logits=best.pose_logits, progress=progress)


def without_moments(state: PlannerState) -> PlannerState:
    """Return ``state`` as a descent begins."""
    logits, poses = np.zeros_like(state.logits), np.zeros_like(state.pose_logits)
    return replace(state, logits_mean=logits, logits_square=logits, pose_mean=poses, pose_square=poses)

"""Fast first stage with a margin: hold the model's fire, then train a reserve in the scenarios.

The search holds the fire of the model with few drops, as it does without a margin. The training begins with these, and
with every drop that the fleet can fly until it has flown :data:`~firegui.planning.stress_placing.RESERVE` times as
many. The reserve lies beside the others, where the lines of the plan are: on the front of a fire that is not fought it
would have nothing to learn from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from firegui.domain.schedule import Schedule, pose_logits_of
from firegui.domain.settings import MarginSettings, OptimizerSettings
from firegui.errors import Check
from firegui.planning.fast_search import FastPlanner
from firegui.planning.gradient import EpochReport, PlannerState, Slope
from firegui.planning.stress import executed_only
from firegui.planning.stress_limits import OWN_LIMIT, StressTests
from firegui.planning.stress_placing import RESERVE, StressPlanner
from firegui.planning.stress_pruning import Pace
from firegui.planning.stress_training import ScenarioTraining
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate_many

SEARCH_PART, TRAINING_PART, ADAPTING_PART, SETTLING_PART = 1 / 2, 5 / 6, 9 / 26, 8 / 13
"""Parts of the epochs of the settings that it takes: those of the search with one extent, those of the training, and
those of the adaptation in the first round of the removal and while the plan settles."""

SLOPES = 4
"""Slopes in scenarios in an epoch of the removal. On two cores an odd number leaves one of them idle at the end."""

FAST_LOOK_EVERY = 100
"""Epochs of an adaptation between looks at what leaks, each of which takes as long as 20 epochs."""

FAST_SETTLING_RATES = (0.2, 0.01)
"""First and last step size in cells while the plan settles. On a plan of Bear, small steps and more of them halved the
draws off target in which a fire escapes. They changed nothing where drops fail."""

TRAINING_RATE = 1.12
"""First step size of the poses in cells: how far Adam moves a drop in the middle of the raster at the most."""

RESERVE_LOGIT, FLOWN_LOGIT = 0.5, 0.7
"""Logits at which the training begins: of the reserve, and the least of the drops before it."""

NEAR_CELLS, NEAR_RADIANS = 3.0, 0.1
"""Standard deviations of places and headings of the reserve from those of the drops that it lies beside."""

RESERVE_STREAM = 0x72657376
"""Keeps the draws of the reserve apart from whatever else is drawn from the same seed."""


MORE = 5
"""Places at the end of :attr:`PlannerState.progress`: those of the search after a planner's own, and the epochs of the
search once it is over."""


def pace_of(margin: MarginSettings) -> Pace:
    """Return how long the plan adapts while drops are removed.

    The design takes no part: its fire holds as soon as those of the scenarios do.
    """
    return Pace(
        first_cut=0.3, smallest_cut=0.2, slopes=SLOPES, adapt_epochs=_part(ADAPTING_PART, margin.adapt_epochs),
        attempts=2, mending=0.75, settling_epochs=_part(SETTLING_PART, margin.adapt_epochs), is_ranked=False,
        with_design=False, eased_below=1.0, mends_below=2.5, tests=8, gives_back=False, compares=True,
        looks=3, look_every=FAST_LOOK_EVERY, last_rate=0.03, settling_rates=FAST_SETTLING_RATES,
    )  # fmt: skip


def _part(share: float, epochs: int) -> int:
    return max(1, round(share * epochs))


class FastStressPlanner(StressPlanner):
    """The fast search on the model's fire, then the training of :class:`StressPlanner` with a reserve.

    ``training`` has to be one of the fast search.
    """

    def __init__(
        self, model: Model, settings: OptimizerSettings, start: Schedule, margin: MarginSettings,
        training: ScenarioTraining, tests: StressTests,
    ) -> None:  # fmt: skip
        super().__init__(model, settings, start, margin, training, tests)
        self._first = FastPlanner(model, settings, start, epochs=_part(SEARCH_PART, margin.search_epochs))
        self._trained = _part(TRAINING_PART, margin.training_epochs) if len(training) else 0
        self._state = self._searched_to(self._first.state())

    def go_on_from(self, state: PlannerState) -> None:
        """Go on from a saved state. Raises :class:`~firegui.errors.InputError` for one of another size."""
        super().go_on_from(state)
        progress = np.array([*state.progress[:3], *state.progress[-MORE:-1]])
        self._first.go_on_from(replace(state, progress=progress))

    @property
    def searched(self) -> int:
        """Epochs of the search: as many as it took, or may take up to the end of those with the extent of now."""
        return int(self._state.progress[-1]) or self._first.epochs

    @property
    def epochs(self) -> int:
        """Epochs of search and training."""
        return min(self._settings.epochs, self.searched + self._trained)

    @property
    def finished(self) -> str:
        """``""`` while it can go on, ``"epochs"`` at the end."""
        return super().finished if self._state.progress[-1] else ""

    def epoch(self, check: Check | None = None, frame_stride: int | None = None) -> EpochReport:
        """Search or train, and remember the best."""
        if self._state.progress[-1]:
            return self._train(check, frame_stride)
        report = self._first.epoch(check, frame_stride)
        self._state = self._searched_to(self._first.state())
        return report

    def _stepped(
        self, now: PlannerState, slope: Slope, rate: float, step: int, pose_rate: float | None = None
    ) -> PlannerState:
        half = max(*self._model.shape, 3) / 2.0
        return super()._stepped(now, slope, rate, step, TRAINING_RATE / half * rate / self._settings.learning_rate)

    def _searched_to(self, state: PlannerState) -> PlannerState:
        """Return ``state`` of the search as one of this planner."""
        own = self._state.progress[3 : 5 + len(self._leaks_of(self._state))]
        over = state.progress[0] if self._first.finished else 0.0
        return replace(state, progress=np.array([*state.progress[:3], *own, *state.progress[3:], over]))

    def _last_day(self, check: Check | None) -> int:
        """Return the day from which on the training uses no drops; see :attr:`last_day`.

        What the fleet can fly counts, not what the search flies: it leaves later drops out.
        """
        world, days, per_day = self._tests.nominal, self._model.maps.days, self._model.maps.steps_per_day
        flown = executed_only(world.model, self.best)
        until = [flown.until(day * per_day) for day in range(1, days)]
        shares = [world.held_share(one.metrics) for one in simulate_many(world.model, until, check=check)]
        ended = [one for one, share in zip(until, shares, strict=True) if share <= OWN_LIMIT * self._tests.limit]
        if not ended:
            return days
        everything = replace(flown, logits=np.full_like(flown.logits, self._settings.logit_clamp))
        can = gates_of(everything, self._model.fleet, self._model.maps, self._model.rules).executed
        drops = [int(can[: day * per_day].sum()) for day in range(1, days + 1)]
        wanted = min(RESERVE * int(ended[0].proposed.sum()), drops[-1])
        return next(day for day, count in enumerate(drops, 1) if count >= wanted)

    def _shortened(self, state: PlannerState, last_day: int) -> PlannerState:
        """Return the best plan of the search and a reserve beside it, without drops from ``last_day`` on."""
        state = replace(state, logits=state.best_logits, pose_logits=state.best_pose_logits)
        flown, plan = executed_only(self._model, self.best), self._schedule(state)
        idle = ~flown.proposed
        idle[last_day * self._model.maps.steps_per_day :] = False
        if self._pinned is not None:
            idle &= ~self._pinned
        logits = np.where(flown.proposed, np.maximum(plan.logits, FLOWN_LOGIT), plan.logits)
        logits[idle] = RESERVE_LOGIT
        beside, count = flown.poses[flown.proposed], int(idle.sum())
        z = state.pose_logits
        if len(beside):
            generator = np.random.default_rng(np.random.SeedSequence((self._settings.seed, RESERVE_STREAM)))
            poses = plan.poses.copy()
            poses[idle] = beside[generator.integers(len(beside), size=count)]
            poses[idle] += generator.standard_normal((count, 3)) * [NEAR_CELLS, NEAR_CELLS, NEAR_RADIANS]
            rows, columns = self._model.shape
            poses[..., :2] = np.clip(poses[..., :2], 0.0, [rows - 1, columns - 1])
            z = np.where(idle[:, :, None], pose_logits_of(poses, self._model.shape), z)
        return super()._shortened(replace(state, logits=logits, pose_logits=z), last_day)

"""Second stage with a margin: remove drops in rounds, let the others adapt, and keep what holds in the scenarios.

A round removes, little by little, the drops that the scenarios' mean gradient says are worth least, while the poses of
the others adapt, and goes on adapting until the steps are small. Then it tests the plan in every scenario on draws that
no training has seen. A plan that fails gets some drops back and adapts again; in the end it is refused, and the next
round removes fewer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from firegui.domain.benchmark import GRADIENT_CHARGE
from firegui.domain.schedule import LISTED_LOGIT, UNLISTED_LOGIT, Schedule, pose_logits_of
from firegui.domain.settings import EliminationSettings, MarginSettings
from firegui.errors import Check, InputError, Problem
from firegui.planning.checkpoint import Checkpoint
from firegui.planning.elimination import EliminationReport
from firegui.planning.gradient import adam_step
from firegui.planning.stress_limits import StressTests, WorldTest
from firegui.planning.stress_placing import SCENARIOS
from firegui.planning.stress_training import Leaks, ScenarioTraining, falling
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

AT_WORK, HELD, LEAKING, EXHAUSTED, ENOUGH = "", "held", "leaking", "allowance", "enough"
ENDS = (AT_WORK, HELD, LEAKING, EXHAUSTED, ENOUGH)

FIRST_CUT, SMALLEST_CUT = 0.2, 0.08
"""Shares of the drops that a round removes: the first, halved after each refused round, and the least."""

ATTEMPTS = 2
"""How often a round may adapt before it is refused."""

GIVEN_BACK = 4
"""A refused plan gets one in so many of the removed drops back before it adapts again."""

REMOVING, LOOKING = 0.5, 0.1
"""Parts of a round: drops are removed until the first, and not before the second."""

RATE, LAST_RATE = 0.5, 0.06
"""Step sizes of an adaptation in cells: how far Adam moves a drop in the middle of the raster at the most."""

MEMORY = 0.98
"""Decay of the mean worth of a drop."""

TOLERATED = 1.2
"""By what factor a scenario that leaks may leak more than in the latest plan that was kept."""


class Count(IntEnum):
    """Places in :attr:`PruningState.counts`. ``END`` is an index of :data:`ENDS`; ``FAILED`` is a world's, −1: none."""

    ROUND = 0
    ATTEMPT = 1
    EPOCH = 2
    SLOPES = 3
    ROLLOUTS = 4
    TESTS = 5
    REMOVED = 6
    END = 7
    FAILED = 8


@dataclass(frozen=True, slots=True, eq=False)
class PruningState(Checkpoint):
    """Everything that decides how the pruning goes on.

    ``kept`` and ``pose_logits`` are the latest plan that held, ``trial`` and ``trial_poses`` the one at work.
    ``worth [T, A]`` is the mean of ``−∂𝓛/∂D``, ``mean`` and ``square`` are Adam's moments, ``leaks`` what
    the tests say of the scenarios (:class:`~firegui.planning.stress_training.Leaks`). ``counts`` are those of
    :class:`Count`. ``numbers``: the next cut, the largest excess of the latest plan that held, then the tolerated
    excess of every world.
    """

    kept: Bools
    pose_logits: Floats
    trial: Bools
    trial_poses: Floats
    worth: Floats
    mean: Floats
    square: Floats
    leaks: Floats
    counts: Ints
    numbers: Floats


class StressPruning:
    """The pruning of one reference schedule within the limits of a stress set.

    Scenarios in which the reference leaks may leak about as much after the first round. While they do, the next rounds
    adapt and remove nothing. It ends when so few drops can be removed that it is not worth a round. A cancelled call
    leaves everything as it was.
    """

    def __init__(
        self, model: Model, settings: EliminationSettings, margin: MarginSettings, reference: Schedule,
        training: ScenarioTraining, tests: StressTests, *, state: PruningState | None = None,
        check: Check | None = None,
    ) -> None:  # fmt: skip
        """Begin with ``reference``, or go on from ``state``.

        Raises :class:`~firegui.errors.InputError` for the state of another schedule.
        """
        self._model, self._settings, self._margin = model, settings, margin
        self._training, self._tests = training, tests
        executed = gates_of(reference, model.fleet, model.maps, model.rules).executed
        self._before = int(executed.sum())
        pinned = None if model.rules is None else model.rules.pinned
        self._pinned = np.zeros_like(executed) if pinned is None else executed & pinned
        z = reference.pose_logits
        z = pose_logits_of(reference.poses, model.shape) if z is None else z
        if state is not None and (state.kept.shape != executed.shape or len(state.numbers) != 2 + len(tests)):
            remedy = "resume with the project the run was started on"
            raise InputError([Problem("pruning checkpoint", "is not of this schedule", remedy)])
        nothing = np.zeros_like(z)
        # The reference is tested before a drop is removed.
        counts = np.zeros(len(Count), np.int64)
        counts[Count.EPOCH], counts[Count.FAILED] = margin.adapt_epochs, -1
        numbers = np.array([FIRST_CUT, np.inf, *np.ones(len(tests))])
        leaks = Leaks.unknown(len(training)).array()
        self._state = state or PruningState(
            executed, z, executed, z, np.zeros(executed.shape), nothing, nothing, leaks, counts, numbers
        )  # fmt: skip
        self._metrics = simulate(model, self.schedule, check=check).metrics
        if state is None and self._before <= self._fewest:
            self._change(Count.END, ENDS.index(ENOUGH))

    # -- what it is now ----------------------------------------------------------------------------------------------
    @property
    def schedule(self) -> Schedule:
        """The latest plan that held; before any did, the one that leaks least."""
        return self._schedule(self._state.kept, self._state.pose_logits)

    @property
    def finished(self) -> str:
        """Why it ended; empty while it is at work.

        ``"held"``: what is left holds in every scenario; ``"leaking"``: it does not, and did not before pruning;
        ``"allowance"``: the rollouts are used up before it did; ``"enough"``: as few are left as were to be kept.
        """
        return ENDS[self._count(Count.END)]

    @property
    def report(self) -> EliminationReport:
        """Where it is."""
        now = self._state
        drops, excess = int(self.schedule.proposed.sum()), float(now.numbers[1])
        weights = self._model.weights
        ratios = {
            "burn": excess if weights.burn > 0.0 else np.nan,
            "final": excess if weights.final > 0.0 else np.nan,
            "prot": excess if weights.prot > 0.0 else np.nan,
        }
        tested, batch = self._count(Count.EPOCH), int(now.kept.sum() - now.trial.sum())
        return EliminationReport(
            self._count(Count.ROUND), self._count(Count.ROLLOUTS), drops, self._before, self._count(Count.REMOVED),
            tested, self._margin.adapt_epochs, max(batch, 0), ratios, self._metrics,
        )  # fmt: skip

    def state(self) -> PruningState:
        """A value to go on from."""
        return self._state

    # -- the search --------------------------------------------------------------------------------------------------
    def advance(self, check: Check | None = None) -> EliminationReport:
        """Take an epoch of the adaptation, or test the plan and begin the next attempt or round."""
        if not self.finished:
            before, metrics = self._state, self._metrics
            try:
                if self._count(Count.EPOCH) < self._margin.adapt_epochs:
                    self._adapt(check)
                else:
                    self._judge(check)
            except BaseException:
                self._state, self._metrics = before, metrics
                raise
        return self.report

    def _adapt(self, check: Check | None) -> None:
        """Take a step with the poses of the drops at work, and remove those that are due."""
        now, epoch, number = self._state, self._count(Count.EPOCH), self._count(Count.SLOPES)
        count = min(SCENARIOS, len(self._training))
        leaks = Leaks.of_array(now.leaks, len(self._training))
        schedule = self._schedule(now.trial, now.trial_poses)
        _, _, slope = self._training.step(schedule, number, count, leaks, check=check)
        half = max(*self._model.shape, 3) / 2.0
        done = (epoch + 1) / self._margin.adapt_epochs
        rate = falling(RATE, LAST_RATE, epoch / self._margin.adapt_epochs) / half
        z, mean, square = adam_step(now.trial_poses, slope.clipped(1.0).pose, now.mean, now.square, epoch + 1, rate)
        worth = MEMORY * now.worth - (1.0 - MEMORY) * slope.logit
        trial = now.trial
        mends = self._count(Count.ROUND) > 1 and now.numbers[1] > 1.0
        if self._count(Count.ATTEMPT) == 0 and done > LOOKING and not mends:
            cut = self._cut_of(int(now.kept.sum()), now.numbers[0]) * min(done / REMOVING, 1.0)
            trial = self._without_least(trial, worth, int(now.kept.sum()) - round(cut))
        self._state = replace(now, trial=trial, trial_poses=z, mean=mean, square=square, worth=worth)
        self._change(Count.EPOCH, epoch + 1)
        self._change(Count.SLOPES, number + count)
        self._charge(GRADIENT_CHARGE * (1 + count))

    def _without_least(self, trial: Bools, worth: Floats, wanted: int) -> Bools:
        """Return ``trial`` with ``wanted`` drops: without those that are worth least and not pinned."""
        flat = np.flatnonzero(trial & ~self._pinned)
        count = min(int(trial.sum()) - wanted, len(flat))
        if count <= 0:
            return trial
        fewer = trial.copy()
        fewer.ravel()[flat[np.lexsort((flat, worth.ravel()[flat]))][:count]] = False
        return fewer

    def _judge(self, check: Check | None) -> None:
        """Test the plan at work; take it over, let it adapt again, or go back."""
        self._change(Count.TESTS, self._count(Count.TESTS) + 1)
        now, first = self._state, self._count(Count.ROUND) == 0
        excess = self._excess(check, until_refused=not first)
        if first or (excess <= now.numbers[2:]).all():
            tolerated = np.maximum(1.0, TOLERATED * excess)
            if not first:
                tolerated = np.minimum(tolerated, now.numbers[2:])
            self._state = replace(self._state, numbers=np.array([*now.numbers[:2], *tolerated]))
            self._accept(float(excess.max()), check)
            return
        self._change(Count.FAILED, int(np.argmax(excess / now.numbers[2:])))
        if self._count(Count.ATTEMPT) + 1 < ATTEMPTS and self._count(Count.ROLLOUTS) < self._settings.allowance:
            self._change(Count.ATTEMPT, self._count(Count.ATTEMPT) + 1)
            self._state = replace(self._state, trial=self._with_drops_back(now))
            self._begin_adapting()
            return
        # What the refused plan has learned is kept as a beginning; the plan that held stays as it is.
        learned = np.where(now.trial[:, :, None], now.trial_poses, now.pose_logits)
        self._begin_round(now.numbers[0] / 2.0, learned)

    def _accept(self, excess: float, check: Check | None) -> None:
        """Take the plan at work over as the latest that held."""
        now = self._state
        kept = self._flown(now.trial, now.trial_poses)
        self._change(Count.REMOVED, int(now.kept.sum() - kept.sum()))
        numbers = np.array([now.numbers[0], excess, *now.numbers[2:]])
        self._state = replace(self._state, kept=kept, trial=kept, pose_logits=now.trial_poses, numbers=numbers)
        self._metrics = simulate(self._model, self.schedule, check=check).metrics
        if int(kept.sum()) <= self._fewest:
            self._change(Count.END, ENDS.index(ENOUGH))
        else:
            self._begin_round(float(numbers[0]), self._state.pose_logits)

    def _begin_round(self, cut: float, poses: Floats) -> None:
        """Begin to remove a share ``cut`` of the latest plan that held and to adapt at ``poses``; or end."""
        now = self._state
        self._state = replace(now, trial=now.kept, trial_poses=poses, numbers=np.array([cut, *now.numbers[1:]]))
        if cut < SMALLEST_CUT or self._count(Count.ROLLOUTS) >= self._settings.allowance:
            ended = HELD if now.numbers[1] <= 1.0 else LEAKING if cut < SMALLEST_CUT else EXHAUSTED
            self._state = replace(self._state, trial_poses=now.pose_logits)
            self._change(Count.END, ENDS.index(ended))
            return
        self._change(Count.ROUND, self._count(Count.ROUND) + 1)
        self._change(Count.ATTEMPT, 0)
        self._begin_adapting()

    def _cut_of(self, drops: int, cut: float) -> int:
        """Return how many of ``drops`` a round removes."""
        return min(max(1, int(cut * drops)), drops - self._fewest)

    @property
    def _fewest(self) -> int:
        """How many drops must be left."""
        return max(self._settings.keep, int(self._pinned.sum()))

    def _begin_adapting(self) -> None:
        nothing = np.zeros_like(self._state.mean)
        self._state = replace(self._state, mean=nothing, square=nothing)
        self._change(Count.EPOCH, 0)

    def _with_drops_back(self, now: PruningState) -> Bools:
        """Return the trial with the drops that it misses most, where the gates let them fly beside the others."""
        count = int(now.kept.sum() - now.trial.sum()) // GIVEN_BACK
        flat = np.flatnonzero(~now.trial & (now.worth > 0.0))
        order = flat[np.lexsort((flat, -now.worth.ravel()[flat]))]
        trial = now.trial
        for index in order[: 4 * count]:
            if count == 0:
                break
            wider = trial.copy()
            wider.ravel()[index] = True
            executed = self._flown(wider, now.trial_poses)
            if (executed == wider).all():
                trial, count = wider, count - 1
        return trial

    def _excess(self, check: Check | None, *, until_refused: bool) -> Floats:
        """Return by what factor each world exceeds its limits; worlds after the first refusal count as 0."""
        now = self._state
        schedule = self._schedule(now.trial, now.trial_poses)
        names, last = self._tests.names, self._count(Count.FAILED)
        found: dict[str, WorldTest] = {}
        first = "" if last < 0 else names[last]
        rollouts = 0
        for test in self._tests.shares(schedule, self._count(Count.TESTS), first=first, check=check):
            found[test.name], rollouts = test, rollouts + len(test.shares)
            if len(self._training) and names.index(test.name) > 0:
                leaks = Leaks.of_array(self._state.leaks, len(self._training))
                leaks = leaks.after(names.index(test.name) - 1, test, self._count(Count.TESTS), self._tests.limit)
                self._state = replace(self._state, leaks=leaks.array())
            tolerated = now.numbers[2 + names.index(test.name)]
            if until_refused and test.excess(self._tests.limit) > tolerated:
                break
        self._charge(rollouts)
        return np.array([found[name].excess(self._tests.limit) if name in found else 0.0 for name in names])

    # -- small things ------------------------------------------------------------------------------------------------
    def _schedule(self, kept: Bools, pose_logits: Floats) -> Schedule:
        logits = np.where(kept, LISTED_LOGIT, UNLISTED_LOGIT)
        return Schedule.from_pose_logits(logits, pose_logits, self._model.shape)

    def _flown(self, kept: Bools, pose_logits: Floats) -> Bools:
        schedule = self._schedule(kept, pose_logits)
        return gates_of(schedule, self._model.fleet, self._model.maps, self._model.rules).executed

    def _count(self, index: Count) -> int:
        return int(self._state.counts[index])

    def _change(self, index: Count, value: int) -> None:
        counts = self._state.counts.copy()
        counts[index] = value
        self._state = replace(self._state, counts=counts)

    def _charge(self, rollouts: int) -> None:
        self._change(Count.ROLLOUTS, self._count(Count.ROLLOUTS) + rollouts)

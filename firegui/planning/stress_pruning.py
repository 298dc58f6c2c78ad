"""Second stage with a margin: remove drops in rounds, let the others adapt, and keep what holds in the scenarios.

A round removes the drops that the scenarios' mean gradient says are worth least, lets the poses of the others adapt,
and tests the plan in every scenario on draws that no training has seen. A plan that fails may have drops given back
where it leaks, and adapt again; in the end it is refused, and the next round removes fewer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

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
from firegui.planning.stress_training import Leaks, ScenarioTraining, falling, mean_slope
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

AT_WORK, HELD, LEAKING, EXHAUSTED, ENOUGH = "", "held", "leaking", "allowance", "enough"
ENDS = (AT_WORK, HELD, LEAKING, EXHAUSTED, ENOUGH)

FIRST_CUT, LARGEST_CUT, SMALLEST_CUT, GROWTH = 0.1, 0.15, 0.004, 1.15
"""Shares of the drops that a round removes: the first, the bounds, and the factor after a round that held."""

ATTEMPTS, SETTLING = 4, 6
"""How often a round may adapt before it is refused, and the plan that pruning begins with before its leaks count."""

GIVEN_BACK = 4
"""A refused plan gets one in so many of the removed drops back before it adapts again."""

RATE, LAST_RATE = 0.5, 0.06
"""Step sizes of an adaptation in cells: how far Adam moves a drop in the middle of the raster at the most."""

MEMORY = 0.98
"""Decay of the mean worth of a drop."""

SLOPES = 2
"""Scenarios in an epoch of the adaptation; every third epoch the design is added."""

TOLERATED, WELL_WITHIN = 1.2, 0.7
"""A scenario that leaks before anything was removed may leak this much more than it did, until it leaks this much less
than its limit allows."""


@dataclass(frozen=True, slots=True, eq=False)
class PruningState(Checkpoint):
    """Everything that decides how the pruning goes on.

    ``kept`` and ``pose_logits`` are the latest plan that held, ``trial`` and ``trial_poses`` the one at work.
    ``worth [T, A]`` is the mean of ``−∂𝓛/∂D``, ``mean`` and ``square`` are Adam's moments, ``leaks`` what
    the tests say of the scenarios (:class:`~firegui.planning.stress_training.Leaks`). ``counts``: round, attempt,
    epoch of the attempt, slopes taken, rollouts, tests, removed in the latest round that held, index of :data:`ENDS`,
    index of the world that failed last (−1: none), and whether the plan has settled. ``numbers``: the next cut, the
    largest excess of the latest plan that held, then the tolerated excess of every world.
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

    First the poses of all its drops adapt until the plan holds, or for :data:`SETTLING` attempts, of which the best is
    kept; scenarios in which it still leaks then have to stay about as they are. Rounds follow until so few drops can be
    removed that it is not worth a round. A cancelled call leaves everything as it was.
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
        # The reference is tested before it adapts: placing may have made it hold.
        counts = np.array([0, 0, margin.adapt_epochs, 0, 0, 0, 0, 0, -1, 0], np.int64)
        numbers = np.array([FIRST_CUT, np.inf, *np.ones(len(tests))])
        self._state = state or PruningState(
            executed,
            z,
            executed,
            z,
            np.zeros(executed.shape),
            nothing,
            nothing,
            Leaks.unknown(len(training)).array(),
            counts,
            numbers,
        )
        self._metrics = simulate(model, self.schedule, check=check).metrics
        if state is None and self._before <= max(settings.keep, int(self._pinned.sum())):
            self._change(7, ENDS.index(ENOUGH))

    # -- what it is now ----------------------------------------------------------------------------------------------
    @property
    def schedule(self) -> Schedule:
        """The latest plan that held; before any did, the one that leaks least."""
        return self._schedule(self._state.kept, self._state.pose_logits)

    @property
    def finished(self) -> str:
        """Why it ended; empty while it is at work.

        ``"held"``: what is left holds in every scenario; ``"leaking"``: it does not, and did not before pruning;
        ``"allowance"``: the rollouts are used up; ``"enough"``: as few are left as were to be kept.
        """
        return ENDS[self._count(7)]

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
        tested, batch = self._count(2), int(now.kept.sum() - now.trial.sum())
        return EliminationReport(
            self._count(0), self._count(4), drops, self._before, self._count(6), tested, self._margin.adapt_epochs,
            max(batch, 0), ratios, self._metrics,
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
                if self._count(2) < self._margin.adapt_epochs:
                    self._adapt(check)
                else:
                    self._judge(check)
            except BaseException:
                self._state, self._metrics = before, metrics
                raise
        return self.report

    def _adapt(self, check: Check | None) -> None:
        now, epoch = self._state, self._count(2)
        schedule, number = self._schedule(now.trial, now.trial_poses), self._count(3)
        count = min(SLOPES, len(self._training))
        leaks = Leaks.of_array(now.leaks, len(self._training))
        slopes = [self._training.scenario(schedule, number + each, leaks, check=check) for each in range(count)]
        if epoch % 3 == 0 or not slopes:
            slopes.append(self._training.design(schedule, check=check)[1])
        slope = mean_slope(slopes)
        clipped = slope.clipped(1.0)
        half = max(*self._model.shape, 3) / 2.0
        rate = falling(RATE, LAST_RATE, epoch / self._margin.adapt_epochs) / half
        z, mean, square = adam_step(now.trial_poses, clipped.pose, now.mean, now.square, epoch + 1, rate)
        worth = MEMORY * now.worth - (1.0 - MEMORY) * slope.logit
        self._state = replace(now, trial_poses=z, mean=mean, square=square, worth=worth)
        self._change(2, epoch + 1)
        self._change(3, number + count)
        self._charge(GRADIENT_CHARGE * len(slopes))

    def _judge(self, check: Check | None) -> None:
        """Test the plan at work; take it over, let it adapt again, or go back."""
        self._change(5, self._count(5) + 1)
        if not self._settled:
            self._settle(check)
            return
        now = self._state
        excess = self._excess(check, until_refused=True)
        if (excess <= now.numbers[2:]).all():
            # A scenario that has come well within its limit stays there; one lucky test is no reason.
            tolerated = np.where(excess <= WELL_WITHIN, 1.0, now.numbers[2:])
            self._state = replace(self._state, numbers=np.array([*now.numbers[:2], *tolerated]))
            self._accept(float(excess.max()), check)
            return
        self._change(8, int(np.argmax(excess / now.numbers[2:])))
        if self._count(1) + 1 < ATTEMPTS:
            self._change(1, self._count(1) + 1)
            self._state = replace(self._state, trial=self._with_drops_back(now))
            self._begin_adapting()
            return
        # What the refused plan has learned is kept as a beginning; the plan that held stays as it is.
        learned = np.where(now.trial[:, :, None], now.trial_poses, now.pose_logits)
        self._begin_round(now.numbers[0] / 2.0, learned)

    def _settle(self, check: Check | None) -> None:
        """Accept the reference once it holds, or after so many attempts the best of them with its leaks."""
        excess = self._excess(check, until_refused=False)
        now = self._state
        if excess.max() < now.numbers[1]:
            numbers = np.array([now.numbers[0], excess.max(), *np.where(excess > 1.0, excess * TOLERATED, 1.0)])
            self._state = replace(now, pose_logits=now.trial_poses, numbers=numbers)
        if now.numbers[1] > 1.0 and excess.max() > 1.0 and self._count(1) < SETTLING:
            self._change(1, self._count(1) + 1)
            self._begin_adapting()
            return
        best = self._state
        self._state = replace(best, trial=best.kept, trial_poses=best.pose_logits)
        self._change(9, 1)
        self._accept(float(best.numbers[1]), check, removed=0)

    def _accept(self, excess: float, check: Check | None, removed: int | None = None) -> None:
        """Take the plan at work over as the latest that held."""
        now = self._state
        kept = self._flown(now.trial, now.trial_poses)
        self._change(6, int(now.kept.sum() - kept.sum()) if removed is None else removed)
        numbers = np.array([now.numbers[0], excess, *now.numbers[2:]])
        self._state = replace(self._state, kept=kept, trial=kept, pose_logits=now.trial_poses, numbers=numbers)
        self._metrics = simulate(self._model, self.schedule, check=check).metrics
        if int(kept.sum()) <= max(self._settings.keep, int(self._pinned.sum())):
            self._change(7, ENDS.index(ENOUGH))
        else:
            cut = min(numbers[0] * (1.0 if removed == 0 else GROWTH), LARGEST_CUT)
            self._begin_round(cut, self._state.pose_logits)

    def _begin_round(self, cut: float, poses: Floats) -> None:
        """Remove a share ``cut`` of the latest plan that held, and begin to adapt at ``poses``; or end."""
        now = self._state
        drops = int(now.kept.sum())
        numbers = np.array([cut, *now.numbers[1:]])
        removable = now.kept & ~self._pinned
        count = min(max(1, int(cut * drops)), drops - self._settings.keep, int(removable.sum()))
        flat = np.flatnonzero(removable)
        order = flat[np.lexsort((flat, now.worth.ravel()[flat]))]
        trial = now.kept.copy()
        trial.ravel()[order[:count]] = False
        self._state = replace(now, trial=trial, trial_poses=poses, numbers=numbers)
        if cut < SMALLEST_CUT or self._count(4) >= self._settings.allowance:
            ended = EXHAUSTED if cut >= SMALLEST_CUT else HELD if now.numbers[1] <= 1.0 else LEAKING
            self._state = replace(self._state, trial=now.kept, trial_poses=now.pose_logits)
            self._change(7, ENDS.index(ended))
            return
        self._change(0, self._count(0) + 1)
        self._change(1, 0)
        self._begin_adapting()

    def _begin_adapting(self) -> None:
        nothing = np.zeros_like(self._state.mean)
        self._state = replace(self._state, mean=nothing, square=nothing)
        self._change(2, 0)

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
        names, last = self._tests.names, self._count(8)
        found: dict[str, WorldTest] = {}
        first = "" if last < 0 else names[last]
        rollouts = 0
        for test in self._tests.shares(schedule, self._count(5), first=first, check=check):
            found[test.name], rollouts = test, rollouts + len(test.shares)
            if len(self._training) and names.index(test.name) > 0:
                leaks = Leaks.of_array(self._state.leaks, len(self._training))
                leaks = leaks.after(names.index(test.name) - 1, test, self._count(5), self._tests.limit)
                self._state = replace(self._state, leaks=leaks.array())
            tolerated = now.numbers[2 + names.index(test.name)]
            if until_refused and test.excess(self._tests.limit) > tolerated:
                break
        self._charge(rollouts)
        return np.array([found[name].excess(self._tests.limit) if name in found else 0.0 for name in names])

    # -- small things ------------------------------------------------------------------------------------------------
    @property
    def _settled(self) -> bool:
        return bool(self._count(9))

    def _schedule(self, kept: Bools, pose_logits: Floats) -> Schedule:
        logits = np.where(kept, LISTED_LOGIT, UNLISTED_LOGIT)
        return Schedule.from_pose_logits(logits, pose_logits, self._model.shape)

    def _flown(self, kept: Bools, pose_logits: Floats) -> Bools:
        schedule = self._schedule(kept, pose_logits)
        return gates_of(schedule, self._model.fleet, self._model.maps, self._model.rules).executed

    def _count(self, index: int) -> int:
        return int(self._state.counts[index])

    def _change(self, index: int, value: int) -> None:
        counts = self._state.counts.copy()
        counts[index] = value
        self._state = replace(self._state, counts=counts)

    def _charge(self, rollouts: int) -> None:
        self._change(4, self._count(4) + rollouts)

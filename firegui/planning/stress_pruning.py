"""Second stage with a margin: remove drops in rounds, let the others adapt, keep what holds.

A round removes, little by little, the drops that the scenarios' mean gradient says are worth least, while the poses of
the others adapt, and goes on adapting until the steps are small. Then it tests the plan in every scenario on draws that
no training has seen. A plan that fails adapts again, the second time with some drops back; in the end it is refused.
The round after one that did not hold at once removes half as many. The last round finds what each drop is worth, which
is how much more burns without it, and removes the drops of least worth that the limits do not need.

At the very end the plan settles: no drop goes, and all move by small steps that become smaller still. What the removals
left just within the limits then holds in more draws. The settled plan is taken if it leaks less than the one before in
a test of both on the same fresh draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from firegui.domain.benchmark import GRADIENT_CHARGE
from firegui.domain.schedule import Schedule, pose_logits_of
from firegui.domain.settings import EliminationSettings, MarginSettings
from firegui.domain.stress import LimitCheck
from firegui.errors import Check, InputError, Problem
from firegui.planning.adapting_removal import AdaptingRemoval, CountedState
from firegui.planning.elimination import (
    Batches,
    EliminationReport,
    PlanTried,
    per_cost,
    pinned_drops,
    removal_costs,
)
from firegui.planning.gradient import adam_step
from firegui.planning.stress import executed_only
from firegui.planning.stress_limits import REMOVALS, WORST_LIMIT, LimitMeasure, StressTests, WorldTest
from firegui.planning.stress_placing import SCENARIOS
from firegui.planning.stress_training import Leaks, ScenarioTraining, falling
from firegui.rollout.day_state import TERMS
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import simulate

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

AT_WORK, HELD, LEAKING, EXHAUSTED, ENOUGH = "", "held", "leaking", "allowance", "enough"
ENDS = (AT_WORK, HELD, LEAKING, EXHAUSTED, ENOUGH)

FIRST_CUT, SMALLEST_CUT = 0.25, 0.06
"""Shares of the drops that a round removes: the first, halved after each round that did not hold at once, and the
least. The epochs of a round are in proportion."""

ATTEMPTS = 3
"""How often a round may adapt before it is refused."""

MENDING = 1.0 / 3.0
"""Part of the epochs of the first round in which a plan that fails adapts again; at most those of its own round."""

GIVEN_BACK = 4
"""A plan that has failed twice gets one in so many of the removed drops back."""

REMOVING, LOOKING = 0.6, 0.1
"""Parts of a round: drops are removed until the first, and not before the second."""

LOOK_EVERY = 75
"""Epochs of an adaptation between looks at what leaks."""

MEMORY = 0.98
"""Decay of the mean gradient of a drop."""

EASED, LEAST = 1.05, 0.9
"""By what factor a scenario may leak more when drops are removed in the last round, within the limits, and what it may
leak in any case."""

GIVE_UP = 48
"""The last round ends when so many single drops in a row could not be removed."""

WATCHED = 3
"""So many scenarios, those nearest to their limits, say what a drop is worth, each in one draw."""

RANKED_AT_ONCE, FIRST_BATCH, LARGEST_BATCH = 32, 32, 128
"""Drops that are ranked in one step, and that are removed at once."""

RATE, LAST_RATE, RATE_POWER = 0.5, 0.06, 0.75
"""Step sizes of the first round in cells: how far Adam moves a drop in the middle of the raster at the most. A shorter
adaptation begins with a step size that is less by this power of its length: it could not settle again after a larger
one."""

SETTLING = 6.0 / 13.0
"""Part of the epochs of the first round in which the plan settles."""

SETTLING_RATES = (0.3, 0.03)
"""First and last step size in cells while a plan settles."""

SETTLING_DRAWS = 4
"""How many times the draws of the settings decide whether the settled plan is taken, if a test has no more: the
difference is small."""

LEAST_EFFORT = 0.125
"""Least part of its epochs that an adaptation takes."""

TOLERATED = 1.5
"""By what factor a scenario may exceed its limits in a plan that follows one that leaks, if it did not already."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a plan adapts while drops are removed.

    An epoch takes ``slopes`` in scenarios, and that at design effectiveness, too, if it is ``with_design`` or if there
    are no scenarios. ``adapt_epochs`` are those of the first round, which removes ``first_cut`` of the drops; none
    removes less than ``smallest_cut``. A round may adapt so many ``attempts`` times, after the first in at most the
    part ``mending`` of these epochs. There is a last round, which ranks drops by what burns without them, if it
    ``is_ranked``. In the end the plan settles in ``settling_epochs``. A plan that leaks less than ``eased_below`` times
    what it may takes fewer epochs, in proportion, but :data:`LEAST_EFFORT` of them. One that exceeds a limit by more
    than the factor ``mends_below`` is refused at once. A test of a plan takes so many times the draws of the settings
    (``tests``). A look at what leaks, every ``look_every`` epochs, takes ``looks`` times as many. A plan that has
    failed twice gets drops back if it ``gives_back``. If it ``compares``, one with fewer drops than the latest plan,
    which leaks as well, is taken over at once where it leaks less, or leaves less in the same draws. The last step of
    an adaptation is ``last_rate`` cells; ``settling_rates`` are the first and the last step size while the plan
    settles.
    """

    first_cut: float
    smallest_cut: float
    slopes: int
    adapt_epochs: int
    attempts: int
    mending: float
    settling_epochs: int
    is_ranked: bool
    with_design: bool
    eased_below: float
    mends_below: float
    tests: int
    gives_back: bool
    look_every: int
    compares: bool = False
    looks: int = 1
    last_rate: float = LAST_RATE
    settling_rates: tuple[float, float] = SETTLING_RATES


class Count(IntEnum):
    """Places in :attr:`PruningState.counts`.

    ``END`` is an index of :data:`ENDS`; ``FAILED`` is a world's, −1: none. ``REFUSED`` is how many single drops in a
    row could not be removed. In the ``LAST`` round drops are removed and nothing adapts until the plan is ``SETTLING``.
    ``GRADIENTS`` are those of all epochs, which the allowance does not count. ``MEASURE`` is the
    :class:`~firegui.planning.stress_limits.LimitMeasure` that the latest plan taken over exceeds most. A round is
    ``STRAINED`` that takes all its epochs because the one before did not hold at once.
    """

    ROUND = 0
    ATTEMPT = 1
    EPOCH = 2
    SLOPES = 3
    ROLLOUTS = 4
    TESTS = 5
    REMOVED = 6
    END = 7
    FAILED = 8
    PHASE = 9
    RANKED = 10
    POSITION = 11
    SIZE = 12
    HOPEFUL = 13
    REFUSED = 14
    LAST = 15
    GRADIENTS = 16
    SETTLING = 17
    MEASURE = 18
    STRAINED = 19


class Phase(IntEnum):
    """What :meth:`StressPruning.advance` does next."""

    TESTING = 0
    RANKING = 1
    REMOVING = 2
    ADAPTING = 3


@dataclass(frozen=True, slots=True, eq=False)
class PruningState(CountedState):
    """Everything that decides how the pruning goes on.

    ``kept`` and ``pose_logits`` are the latest plan taken over, ``trial`` and ``trial_poses`` the one at work.
    ``worth [T, A]`` is the mean of ``−∂𝓛/∂D``; in the last round the mean share that burns more without a drop in the
    ``watched [w, 2]`` worlds and draws. ``order [n]`` and ``stack [m, 3]`` are those of that round's removal
    (:class:`~firegui.planning.elimination.Batches`), ``allowed [W]`` the excess that it allows in every world.
    ``mean`` and ``square`` are Adam's moments, ``leaks`` what the tests say of the scenarios
    (:class:`~firegui.planning.stress_training.Leaks`), ``excess [W]`` by what factor the latest plan taken over exceeds
    its limits. ``cut [1]`` is the share of the drops that the next round removes. ``counts`` are those of
    :class:`Count`.
    """

    kept: Bools
    pose_logits: Floats
    trial: Bools
    trial_poses: Floats
    worth: Floats
    watched: Ints
    order: Ints
    stack: Ints
    mean: Floats
    square: Floats
    leaks: Floats
    excess: Floats
    allowed: Floats
    cut: Floats


class StressPruning(AdaptingRemoval[PruningState]):
    """The pruning of one reference schedule within the limits of a stress set.

    After a reference that leaks, plans are taken that leak no more over all. While they leak, the rounds after the
    first adapt and remove nothing. It ends when so few drops can be removed that it is not worth a round. A cancelled
    call leaves everything as it was.
    """

    def __init__(
        self, model: Model, settings: EliminationSettings, margin: MarginSettings, reference: Schedule,
        training: ScenarioTraining, tests: StressTests, *, pace: Pace | None = None,
        state: PruningState | None = None, check: Check | None = None,
    ) -> None:  # fmt: skip
        """Begin with ``reference``, or go on from ``state``. Without a ``pace`` it is that of ``margin``.

        Raises :class:`~firegui.errors.InputError` for the state of another schedule.
        """
        self._model, self._settings, self._margin = model, settings, margin
        self._training, self._tests = training, tests
        epochs = margin.adapt_epochs
        self._pace = pace or Pace(
            FIRST_CUT, SMALLEST_CUT, SCENARIOS, epochs, ATTEMPTS, MENDING, max(1, round(SETTLING * epochs)),
            is_ranked=True, with_design=True, eased_below=0.0, mends_below=math.inf, tests=1, gives_back=True,
            look_every=LOOK_EVERY,
        )  # fmt: skip
        executed = gates_of(reference, model.fleet, model.maps, model.rules).executed
        self._before = int(executed.sum())
        self._pinned = pinned_drops(model, executed)
        z = reference.pose_logits
        z = pose_logits_of(reference.poses, model.shape) if z is None else z
        if state is not None and (state.kept.shape != executed.shape or len(state.excess) != len(tests)):
            remedy = "resume with the project the run was started on"
            raise InputError([Problem("pruning checkpoint", "is not of this schedule", remedy)])
        nothing = np.zeros_like(z)
        if state is not None:
            # A run of an older version knows of no settling and no measure.
            missing = len(Count) - len(state.counts)
            state = replace(state, counts=np.append(state.counts, np.zeros(missing, np.int64)))
        # The reference is tested before a drop is removed.
        counts = np.zeros(len(Count), np.int64)
        counts[Count.FAILED] = -1
        # The tests of the first stage are numbered by its epochs.
        counts[Count.TESTS] = margin.placing_epochs
        self._state = state or PruningState(
            kept=executed, pose_logits=z, trial=executed, trial_poses=z, worth=np.zeros(executed.shape),
            watched=np.empty((0, 2), np.int64), order=np.empty(0, np.int64), stack=np.empty((0, 3), np.int64),
            mean=nothing, square=nothing, leaks=training.no_leaks.array(),
            excess=np.full(len(tests), np.inf), allowed=np.ones(len(tests)), cut=np.array([self._pace.first_cut]),
            counts=counts,
        )  # fmt: skip
        self.tried: list[PlanTried] = []
        """Plans that the latest :meth:`advance` tested, whether it took them over or not."""
        self._metrics = simulate(model, self.schedule, check=check).metrics
        if state is None and self._before <= self._fewest:
            self._change(Count.END, ENDS.index(ENOUGH))
        elif self.finished == EXHAUSTED and not self._allowance_used:
            # Resumed with a larger allowance.
            self._change(Count.END, ENDS.index(AT_WORK))
            self._begin_round(self._cut, self._state.pose_logits)

    # -- what it is now ----------------------------------------------------------------------------------------------
    @property
    def schedule(self) -> Schedule:
        """The latest plan taken over: one that holds, or before any did, the one that leaks least."""
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
        drops, excess = int(now.kept.sum()), float(now.excess.max())
        weights = self._model.weights
        ratios = {term: excess if getattr(weights, term) > 0.0 else np.nan for term in TERMS}
        tested, to_test = {
            Phase.RANKING: (self._count(Count.RANKED), int((now.trial & ~self._pinned).sum())),
            Phase.REMOVING: (self._batches.decided, self._batches.count),
        }.get(self._phase, (min(self._count(Count.EPOCH), self._length), self._length))
        return EliminationReport(
            self._count(Count.ROUND), self._count(Count.ROLLOUTS), drops, self._before, self._count(Count.REMOVED),
            tested, to_test, int(now.kept.sum() - now.trial.sum()), ratios, self._metrics,
        )  # fmt: skip

    @property
    def missed(self) -> LimitCheck | None:
        """The limit that the latest plan taken over exceeds most.

        ``None`` where it exceeds none, and where that is not known.
        """
        excess = self._state.excess
        if not self._leaks or not np.isfinite(excess).all():
            return None
        world = int(np.argmax(excess))
        measure = LimitMeasure(self._count(Count.MEASURE))
        return self._tests.limit_check(world, float(excess[world]), measure, self._draws)

    def state(self) -> PruningState:
        """Return a state from which the pruning can resume."""
        return self._state

    # -- the search --------------------------------------------------------------------------------------------------
    def advance(self, check: Check | None = None) -> EliminationReport:
        """Take the next step of the pruning.

        It ranks some drops, removes a batch, takes an epoch of the adaptation, or tests the plan and begins what
        follows.
        """
        steps = {
            Phase.RANKING: self._rank, Phase.REMOVING: self._remove, Phase.ADAPTING: self._adapt,
            Phase.TESTING: self._judge,
        }  # fmt: skip
        self.tried.clear()
        if not self.finished:
            if check is not None:
                check()
            before, metrics = self._state, self._metrics
            try:
                steps[self._phase](check)
            except BaseException:
                self._state, self._metrics = before, metrics
                self.tried.clear()
                raise
        return self.report

    def _rank(self, check: Check | None) -> None:
        """Find the worth of the next drops; before the first, what each scenario leaks with all of them."""
        now, done = self._state, self._count(Count.RANKED)
        whole, number = self._flown(now.trial, now.trial_poses), self._count(Count.TESTS)
        if done == 0:
            tests = list(self._tests.shares(whole, number, stream=REMOVALS, check=check))
            self._charge(sum(len(test.shares) for test in tests))
            excess = np.array([test.excess(self._tests.limit) for test in tests])
            nearest = np.argsort(-excess, kind="stable")[:WATCHED].tolist()
            watched = np.array([(world, tests[world].nearest(self._tests.limit)) for world in nearest], np.int64)
            allowed, worth = np.clip(EASED * excess, LEAST, 1.0), np.zeros(now.worth.shape)
            now = self._state = replace(self._state, watched=watched, allowed=allowed, worth=worth)
        elements = np.flatnonzero(now.trial & ~self._pinned)
        some = elements[done : done + RANKED_AT_ONCE]
        worth = now.worth.copy()
        fewer = [whole.only(_without(now.trial, drop)) for drop in some]
        for world, draw in now.watched.tolist():
            share, shares = self._tests.shares_in(world, draw, whole, fewer, number, check=check)
            worth.ravel()[some] += np.maximum(shares - share, 0.0) / len(now.watched)
            self._charge(1 + len(fewer))
        self._state = replace(self._state, worth=worth)
        self._change(Count.RANKED, done + len(some))
        if done + len(some) == len(elements):
            self._state = replace(self._state, order=_ascending(elements, per_cost(worth, self._costs)))
            self._set_batches(Batches(len(elements), LARGEST_BATCH, FIRST_BATCH))
            self._change(Count.PHASE, Phase.REMOVING)

    def _remove(self, check: Check | None) -> None:
        """Remove the next batch of drops if the scenarios allow it."""
        now, batches = self._state, self._batches
        left = int(now.trial.sum()) - self._fewest
        if batches.is_done or left <= 0 or self._count(Count.REFUSED) >= GIVE_UP:
            if now.trial.sum() < now.kept.sum():
                self._change(Count.PHASE, Phase.TESTING)
            else:
                self._settle()
            return
        begin, end = batches.next
        if end - begin > left:
            # A batch that is too large is as good as one that is refused: its halves are next.
            self._set_batches(batches.after(feasible=False))
            return
        fewer = _without(now.trial, now.order[begin:end])
        plan, number, first = self._flown(fewer, now.trial_poses), self._count(Count.TESTS), self._count(Count.FAILED)
        refused, rollouts = self._tests.first_refused(plan, number, now.allowed, first, check=check)
        self._charge(rollouts)
        if refused < 0:
            self._state = replace(self._state, trial=fewer)
            self._change(Count.REFUSED, 0)
            self.tried.append(PlanTried(plan, None, is_taken=False))
        else:
            self._change(Count.FAILED, refused)
            self._change(Count.REFUSED, self._count(Count.REFUSED) + (end - begin == 1))
        self._set_batches(batches.after(refused < 0))

    def _adapt(self, check: Check | None) -> None:
        """Take a step with the poses of the drops at work, and remove those that are due."""
        now, epoch, number = self._state, self._count(Count.EPOCH), self._count(Count.SLOPES)
        count = min(self._pace.slopes, len(self._training))
        leaks = Leaks.of_array(now.leaks, len(self._training))
        schedule = self._schedule(now.trial, now.trial_poses)
        if self._with_design:
            _, _, slope = self._training.step(schedule, number, count, leaks, check=check)
        else:
            slope = self._training.mean(schedule, number, count, leaks, check=check)
        gradients = count + self._with_design
        half = max(*self._model.shape, 3) / 2.0
        done = (epoch + 1) / self._length
        rate = falling(*self._rates, epoch / self._length) / half
        z, mean, square = adam_step(now.trial_poses, slope.clipped(1.0).pose, now.mean, now.square, epoch + 1, rate)
        worth = MEMORY * now.worth - (1.0 - MEMORY) * slope.logit
        trial = now.trial
        # A plan that still leaks adapts before more drops are removed.
        mends = self._settles or (self._count(Count.ROUND) > 1 and self._leaks)
        if self._count(Count.ATTEMPT) == 0 and done > LOOKING and not mends:
            cut = self._cut_of(int(now.kept.sum()), self._cut) * min(done / REMOVING, 1.0)
            trial = self._without_least(trial, worth, int(now.kept.sum()) - round(cut))
        self._state = replace(now, trial=trial, trial_poses=z, mean=mean, square=square, worth=worth)
        self._change(Count.EPOCH, epoch + 1)
        self._change(Count.SLOPES, number + count)
        self._change(Count.GRADIENTS, self._count(Count.GRADIENTS) + gradients)
        self._charge(GRADIENT_CHARGE * gradients)
        if epoch + 1 >= self._length:
            self._change(Count.PHASE, Phase.TESTING)
        elif (epoch + 1) % self._pace.look_every == 0:
            self._look(check)

    def _look(self, check: Check | None) -> None:
        """Find out what leaks from the plan at work, so that the slopes to come are of that."""
        now = self._state
        self._change(Count.TESTS, self._count(Count.TESTS) + 1)
        number, schedule = self._count(Count.TESTS), self._schedule(now.trial, now.trial_poses)
        for test in self._tests.shares(schedule, number, draws=self._pace.looks * self._margin.draws, check=check):
            self._record_leaks(test)
            self._charge(len(test.shares))

    def _without_least(self, trial: Bools, worth: Floats, wanted: int) -> Bools:
        """Return ``trial`` with ``wanted`` drops: without those that are worth least and not pinned."""
        flat = np.flatnonzero(trial & ~self._pinned)
        count = min(int(trial.sum()) - wanted, len(flat))
        return trial if count <= 0 else _without(trial, _ascending(flat, per_cost(worth, self._costs))[:count])

    def _record_leaks(self, test: WorldTest) -> None:
        """Remember what a test says of its scenario."""
        index = self._tests.names.index(test.name) - 1
        if len(self._training) and index >= 0:
            leaks = Leaks.of_array(self._state.leaks, len(self._training))
            leaks = leaks.after(index, test, self._count(Count.TESTS), self._tests.limit)
            self._state = replace(self._state, leaks=leaks.array())

    def _judge(self, check: Check | None) -> None:
        """Test the plan at work; take it over, let it adapt again, or go back."""
        self._change(Count.TESTS, self._count(Count.TESTS) + 1)
        if self._settles:
            self._judge_settled(check)
            return
        now, first = self._state, self._count(Count.ROUND) == 0
        known, holds = now.excess, not self._leaks
        excess, measure = self._excess(check, until_refused=holds)
        # While the latest plan leaks, one that leaks less over all is taken, if no scenario gets much worse. Where
        # drops were removed from it, it may mend first.
        less = _leak(excess) <= _leak(known) and bool((excess <= np.maximum(TOLERATED, known)).all())
        may_mend = not self._count(Count.LAST) and self._count(Count.ATTEMPT) + 1 < self._pace.attempts
        # One that leaks much after all its epochs would not hold after more of them.
        may_mend &= bool(excess.max() <= self._pace.mends_below) or not holds or self._effort < 1.0
        fewer = bool(now.trial.sum() < now.kept.sum())
        waits = may_mend and fewer and not self._pace.compares
        if not less and not holds and fewer and self._pace.compares:
            less = self._leaves_less(check)
        if first or excess.max() <= 1.0 or (less and not holds and not waits):
            self._take_over(excess, measure, check)
            return
        flown = self._flown(now.trial, now.trial_poses)
        self.tried.append(PlanTried(flown, None, float(excess.max()), is_taken=False))
        self._change(Count.FAILED, int(np.argmax(excess if holds else excess / np.maximum(known, 1.0))))
        if self._count(Count.LAST):
            self._give_back()
        elif may_mend:
            self._change(Count.ATTEMPT, self._count(Count.ATTEMPT) + 1)
            if self._count(Count.ATTEMPT) > 1 and self._pace.gives_back:
                self._state = replace(self._state, trial=self._with_drops_back(now))
            self._begin_adapting()
        else:
            # What the refused plan has learned is kept as a beginning; the latest plan stays as it is. With its
            # further adaptations it had all the epochs of a round.
            learned = np.where(now.trial[:, :, None], now.trial_poses, now.pose_logits)
            self._change(Count.STRAINED, 1)
            self._begin_round(self._cut / 2.0, learned)

    def _judge_settled(self, check: Check | None) -> None:
        """Take the settled plan over if it leaks less than the latest one in the same draws, and end."""
        now, limit = self._state, self._tests.limit
        draws = max(SETTLING_DRAWS * self._margin.draws, self._draws)
        before, after = self._both_tested(draws, check)
        # A scenario without chance must hold as before. In the others, which draws leak differs in any case.
        holds = all(
            len(new.shares) > 1 or new.excess(limit) <= max(old.excess(limit), 1.0)
            for old, new in zip(before, after, strict=True)
        )
        if holds and _leaked(after, limit) < _leaked(before, limit):
            nearest = [replace(test, shares=test.shares[: self._draws]).nearest_limit(limit) for test in after]
            # A plan that leaks less than one that holds does hold.
            excess = np.array([factor for factor, _ in nearest]) if self._leaks else now.excess
            self._change(Count.MEASURE, max(nearest)[1])
            flown = self._flown(now.trial, now.trial_poses).proposed
            self._state = replace(self._state, kept=flown, pose_logits=now.trial_poses, excess=excess)
            self._metrics = simulate(self._model, self.schedule, check=check).metrics
            self.tried.append(PlanTried(self.schedule, self._metrics, float(excess.max())))
        self._end()

    def _leaves_less(self, check: Check | None) -> bool:
        """Return whether the plan at work leaves no more than the latest one in the same draws.

        By how much a limit is exceeded depends on one draw in many, and differs from test to test.
        """
        latest, trial = self._both_tested(self._draws, check)
        return _leaked(trial, self._tests.limit) <= _leaked(latest, self._tests.limit)

    def _both_tested(self, draws: int, check: Check | None) -> tuple[list[WorldTest], list[WorldTest]]:
        """Return the tests of the latest plan and of the plan at work in the same draws."""
        now, number = self._state, self._count(Count.TESTS)
        latest, trial = (
            list(self._tests.shares(plan, number, draws=draws, check=check))
            for plan in (self.schedule, self._schedule(now.trial, now.trial_poses))
        )
        self._charge(sum(len(test.shares) for test in (*latest, *trial)))
        return latest, trial

    def _give_back(self) -> None:
        """Take the more valuable half of the removed drops back, to be tested again; end without any."""
        now = self._state
        gone = np.flatnonzero(now.kept & ~now.trial)
        if len(gone) < 2:
            self._settle()
            return
        trial = now.trial.copy()
        trial.ravel()[_ascending(gone, -now.worth)[: (len(gone) + 1) // 2]] = True
        self._state = replace(now, trial=trial)

    def _take_over(self, excess: Floats, measure: LimitMeasure, check: Check | None) -> None:
        """Take the plan at work over, which exceeds its limits by ``excess [W]``, and begin what follows.

        ``measure`` is the one that exceeds its limit most.
        """
        now, effort = self._state, self._effort
        kept = self._flown(now.trial, now.trial_poses).proposed
        self._change(Count.REMOVED, int(now.kept.sum() - kept.sum()))
        self._change(Count.MEASURE, measure)
        self._state = replace(self._state, kept=kept, trial=kept, pose_logits=now.trial_poses, excess=excess)
        self._metrics = simulate(self._model, self.schedule, check=check).metrics
        self.tried.append(PlanTried(self.schedule, self._metrics, float(excess.max())))
        if int(kept.sum()) <= self._fewest and not self._leaks:
            self._change(Count.END, ENDS.index(ENOUGH))
        elif self._count(Count.LAST):
            self._settle()
        else:
            mended = self._count(Count.ATTEMPT) > 0
            self._change(Count.STRAINED, int(mended))
            # A round that had all its epochs and did not hold at once is followed by one that removes half as many.
            halves = mended and effort == 1.0
            halves |= self._pace.compares and self._count(Count.ROUND) > 0 and self._leaks
            self._begin_round(self._cut / 2.0 if halves else self._cut, self._state.pose_logits)

    def _begin_round(self, cut: float, poses: Floats) -> None:
        """Begin to remove a share ``cut`` of the latest plan from ``poses``, or begin the last round."""
        now = self._state
        last = cut < self._pace.smallest_cut or self._allowance_used
        poses = now.pose_logits if last else poses
        self._state = replace(now, trial=now.kept, trial_poses=poses, cut=np.array([cut]))
        if last and (self._leaks or not self._pace.is_ranked):
            self._settle()
            return
        self._change(Count.ROUND, self._count(Count.ROUND) + 1)
        self._change(Count.ATTEMPT, 0)
        self._change(Count.LAST, int(last))
        self._change(Count.SETTLING, 0)
        if not last:
            self._begin_adapting()
            return
        self._change(Count.RANKED, 0)
        self._change(Count.REFUSED, 0)
        self._change(Count.PHASE, Phase.RANKING)

    def _settle(self) -> None:
        """Let the latest plan taken over settle; without scenarios or drops, end."""
        now = self._state
        self._state = replace(now, trial=now.kept, trial_poses=now.pose_logits)
        if len(self._training) and now.kept.any():
            self._change(Count.SETTLING, 1)
            self._begin_adapting()
        else:
            self._end()

    def _end(self) -> None:
        """End with the latest plan taken over."""
        now = self._state
        used_up = self._cut >= self._pace.smallest_cut and self._allowance_used
        ended = HELD if not self._leaks else EXHAUSTED if used_up else LEAKING
        self._state = replace(now, trial=now.kept, trial_poses=now.pose_logits)
        self._change(Count.END, ENDS.index(ended))

    def _cut_of(self, drops: int, cut: float) -> int:
        """Return how many of ``drops`` a round removes."""
        return min(max(1, int(cut * drops)), drops - self._fewest)

    @property
    def _costs(self) -> Floats | None:
        return removal_costs(self._model, self._settings)

    @property
    def _fewest(self) -> int:
        """How many drops must be left."""
        return max(self._settings.keep, int(self._pinned.sum()))

    def _begin_adapting(self) -> None:
        nothing = np.zeros_like(self._state.mean)
        self._state = replace(self._state, mean=nothing, square=nothing)
        self._change(Count.EPOCH, 0)
        self._change(Count.PHASE, Phase.ADAPTING)

    @property
    def _leaks(self) -> bool:
        """Whether the latest plan taken over exceeds a limit. One that was not tested yet counts as leaking."""
        return bool(self._state.excess.max() > 1.0)

    @property
    def _allowance_used(self) -> bool:
        """Whether tests and removals have used the allowance.

        The adaptation is not counted: its epochs have a setting of their own.
        """
        tests = self._count(Count.ROLLOUTS) - GRADIENT_CHARGE * self._count(Count.GRADIENTS)
        return tests >= self._settings.allowance

    @property
    def _draws(self) -> int:
        """Draws of a random scenario in a test of a plan."""
        return self._pace.tests * self._margin.draws

    @property
    def _settles(self) -> bool:
        return bool(self._count(Count.SETTLING))

    @property
    def _rates(self) -> tuple[float, float]:
        """First and last step size of the adaptation at work, in cells."""
        if self._settles:
            return self._pace.settling_rates
        last = self._pace.last_rate
        return max(RATE * (self._length / self._pace.adapt_epochs) ** RATE_POWER, last), last

    @property
    def _length(self) -> int:
        """Epochs of the adaptation at work."""
        if self._settles:
            return max(1, round(self._effort * self._pace.settling_epochs))
        part = self._cut / self._pace.first_cut
        part = min(part, self._pace.mending) if self._count(Count.ATTEMPT) > 0 else self._effort * part
        return max(1, round(part * self._pace.adapt_epochs))

    @property
    def _effort(self) -> float:
        """Part of the epochs that a plan needs which leaks as little as the latest one taken over."""
        excess = float(self._state.excess.max())
        if self._count(Count.STRAINED) or excess >= self._pace.eased_below:
            return 1.0
        return max(LEAST_EFFORT, excess / self._pace.eased_below)

    @property
    def _with_design(self) -> bool:
        return self._pace.with_design or not len(self._training)

    @property
    def _cut(self) -> float:
        return float(self._state.cut[0])

    @property
    def _phase(self) -> Phase:
        return Phase(self._count(Count.PHASE))

    @property
    def _batches(self) -> Batches:
        """Where the removal is."""
        size, position, hopeful = (self._count(each) for each in (Count.SIZE, Count.POSITION, Count.HOPEFUL))
        stack = Batches.stack_of(self._state.stack)
        return Batches(len(self._state.order), LARGEST_BATCH, size, position, stack, bool(hopeful))

    def _set_batches(self, batches: Batches) -> None:
        """Go on with the removal at ``batches``."""
        self._state = replace(self._state, stack=batches.stack_array())
        self._change(Count.SIZE, batches.size)
        self._change(Count.POSITION, batches.position)
        self._change(Count.HOPEFUL, int(batches.hopeful))

    def _with_drops_back(self, now: PruningState) -> Bools:
        """Return the trial with the removed drops that it misses most.

        The gates let them fly beside the others. Drops that the plan never had do not come: those that fight a fire
        which has escaped seem to be worth much, and what they save in one draw is of no use in another.
        """
        gone = now.kept & ~now.trial
        count = int(gone.sum()) // GIVEN_BACK
        flat = np.flatnonzero(gone & (now.worth > 0.0))
        trial = now.trial
        for index in _ascending(flat, -now.worth)[: 4 * count]:
            if count == 0:
                break
            wider = trial.copy()
            wider.ravel()[index] = True
            if (self._flown(wider, now.trial_poses).proposed == wider).all():
                trial, count = wider, count - 1
        return trial

    def _excess(self, check: Check | None, *, until_refused: bool) -> tuple[Floats, LimitMeasure]:
        """Return by what factor each world exceeds its limits, and the measure that exceeds its limit most.

        Worlds after the first refusal count as 0.
        """
        now = self._state
        schedule = self._schedule(now.trial, now.trial_poses)
        names, last = self._tests.names, self._count(Count.FAILED)
        found: dict[str, WorldTest] = {}
        first = "" if last < 0 else names[last]
        rollouts = 0
        number = self._count(Count.TESTS)
        for test in self._tests.shares(schedule, number, first=first, draws=self._draws, check=check):
            found[test.name], rollouts = test, rollouts + len(test.shares)
            self._record_leaks(test)
            if until_refused and test.excess(self._tests.limit) > 1.0:
                break
        self._charge(rollouts)
        nearest = {name: test.nearest_limit(self._tests.limit) for name, test in found.items()}
        excess = np.array([nearest[name][0] if name in nearest else 0.0 for name in names])
        return excess, nearest[names[int(np.argmax(excess))]][1]

    # -- small things ------------------------------------------------------------------------------------------------
    def _flown(self, kept: Bools, pose_logits: Floats) -> Schedule:
        """Return the drops of ``kept`` that the gates let fly."""
        return executed_only(self._model, self._schedule(kept, pose_logits))

    def _charge(self, rollouts: int) -> None:
        self._change(Count.ROLLOUTS, self._count(Count.ROLLOUTS) + rollouts)


def _leak(excess: Floats) -> float:
    """Return by what factors the worlds exceed their limits, together."""
    return float(np.maximum(excess - 1.0, 0.0).sum())


def _leaked(tests: Sequence[WorldTest], limit: float) -> float:
    """Return the mean shares that are left in the worlds, together.

    A share counts up to the largest that any draw may leave: how far a fire goes that has escaped is luck.
    """
    return sum(fmean(min(share, WORST_LIMIT * limit) for share in test.shares) for test in tests)


def _ascending(drops: Ints, worth: Floats) -> Ints:
    """Return the flat indices ``drops`` by ``worth [T, A]``, on ties by index."""
    return drops[np.lexsort((drops, worth.ravel()[drops]))]


def _without(kept: Bools, some: Ints | np.int64) -> Bools:
    fewer = kept.copy()
    fewer.ravel()[some] = False
    return fewer

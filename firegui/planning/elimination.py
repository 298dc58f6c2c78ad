"""Stage 2: backward elimination of the drops that the constraints do not need (paper, ``step5``).

The decision set holds the schedules ``u(S)`` with ``S`` a subset of what the reference executes: its poses, its logits
on ``S`` and −3 elsewhere, so that no drop which a turnaround had blocked takes the place of a removed one. Removals are
tested in batches by rollouts and accepted only when every constraint holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.results import Metrics
from firegui.domain.schedule import Schedule
from firegui.domain.settings import EliminationSettings, RemovalOrder
from firegui.errors import Check, InputError, Problem
from firegui.planning.checkpoint import Checkpoint
from firegui.planning.trials import Trial, constraint_weights, passes, ratios, run
from firegui.rollout.day_state import DayState
from firegui.rollout.gates import gates_of
from firegui.rollout.model import Model
from firegui.rollout.simulate import Rollout, simulate, simulate_many, simulate_with_gradient

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

AT_WORK, MINIMAL, EXHAUSTED, INFEASIBLE, ENOUGH = "", "minimal", "allowance", "infeasible", "enough"
ENDS = (AT_WORK, MINIMAL, EXHAUSTED, INFEASIBLE, ENOUGH)


@dataclass(frozen=True, slots=True, eq=False)
class EliminationState(Checkpoint):
    """State from which the elimination can resume.

    ``kept [T, A]`` is ``S``, ``order [n]`` the flat indices of this pass in the order of their tests, ``stack [m, 3]``
    what of the batch at work is open (:class:`~firegui.planning.elimination.Batches`). ``counts``: passes, rollouts,
    removed in this pass, how it ended (an index of :data:`ENDS`), and of the batches position, size and hopeful.
    """

    kept: Bools
    order: Ints
    stack: Ints
    counts: Ints


@dataclass(frozen=True, slots=True, eq=False)
class EliminationReport:
    """Progress of the elimination.

    ``rollouts`` counts those that the rule asks for. ``ratios`` are ``ℓ_k / τ_k`` of the plan as it is, by term;
    ``rollout`` that of the plan as it is.
    """

    passes: int
    rollouts: int
    drops: int
    drops_before: int
    removed: int
    tested: int
    to_test: int
    batch: int
    ratios: dict[str, float]
    metrics: Metrics


@dataclass(frozen=True, slots=True, eq=False)
class PlanTried:
    """A plan with fewer drops that a removal came through.

    ``metrics`` are at design effectiveness, ``None`` where they were not needed. ``excess`` is as in
    :class:`~firegui.domain.removal_curve.RemovalPoint`. ``is_taken``: the removal goes on from it.
    """

    schedule: Schedule
    metrics: Metrics | None
    excess: float = np.nan
    is_taken: bool = True


class Elimination:
    """The backward elimination of one reference schedule.

    Independent tests are rolled out together, on a guess of how the ones before them end; an answer whose guess was
    wrong is thrown away, so the accepted set is the one of the sequential rule whatever the number of threads.
    """

    def __init__(
        self, model: Model, settings: EliminationSettings, trials: Sequence[Trial], reference: Schedule, *,
        ahead: int = 2, state: EliminationState | None = None, check: Check | None = None,
    ) -> None:  # fmt: skip
        """Begin with ``reference``, or resume from ``state``.

        ``trials[0]`` is the undisturbed rollout on ``model``. ``ahead`` tests are rolled out at a time.
        """
        self._model, self._settings, self._trials, self._ahead = model, settings, tuple(trials), max(1, ahead)
        gates = gates_of(reference, model.fleet, model.maps, model.rules)
        self._reference, self._executed = reference, gates.executed
        self._pinned = pinned_drops(model, gates.executed)
        self._order, self._batches = np.empty(0, np.int64), self._pass_over(0, hopeful=True)
        self._passes = self._rollouts = self._removed = 0
        self._kept = gates.executed.copy()
        self._finished = AT_WORK
        self.tried: list[PlanTried] = []
        """Plans that the latest :meth:`advance` took over, in order."""
        if state is not None:
            self._restore(state)
        self._now = simulate(self._trials[0].model, self.schedule, check=check, keep_states=True)
        if state is None:
            holds, more = self._others_hold(self._kept, check)
            self._rollouts = 1 + more
            if not (holds and passes(self._trials[0], self._now)):
                self._finished = INFEASIBLE
            elif self._kept.sum() <= settings.keep:
                self._finished = ENOUGH
            elif self._rollouts >= settings.allowance:
                self._finished = EXHAUSTED

    # -- what it is now ----------------------------------------------------------------------------------------------
    @property
    def schedule(self) -> Schedule:
        """``u(S)``."""
        return self._reference.only(self._kept)

    @property
    def kept(self) -> Bools:
        """``S`` as bool ``[T, A]``."""
        return self._kept

    @property
    def finished(self) -> str:
        """Why it ended; empty while it is at work.

        ``"minimal"``: no single drop can be removed; ``"allowance"``: the rollouts are used up; ``"infeasible"``: the
        reference itself breaks a constraint; ``"enough"``: as few are left as were to be kept.
        """
        return self._finished

    @property
    def report(self) -> EliminationReport:
        """Progress of the elimination."""
        return EliminationReport(
            self._passes, self._rollouts, int(self._kept.sum()), int(self._executed.sum()), self._removed,
            self._batches.decided, self._batches.count, self._batches.size,
            ratios(self._now.metrics, self._trials[0].bounds), self._now.metrics,
        )  # fmt: skip

    def state(self) -> EliminationState:
        """Return a state from which the elimination can resume."""
        batches = self._batches
        counts = [self._passes, self._rollouts, self._removed, ENDS.index(self._finished)]
        counts += [batches.position, batches.size, int(batches.hopeful)]
        return EliminationState(self._kept, self._order, batches.stack_array(), np.array(counts, np.int64))

    # -- the search --------------------------------------------------------------------------------------------------
    def advance(self, check: Check | None = None) -> EliminationReport:
        """Decide on the next tests, or begin a pass. A cancelled call leaves everything as it was."""
        self.tried.clear()
        if self._finished:
            return self.report
        if self._batches.is_done:
            self._next_pass(check)
            return self.report
        tests = self._likely_tests()
        if not tests:  # the next removal would leave fewer than are to be kept
            self._batches = self._batches.after(feasible=False)
            return self.report
        rollouts = self._nominal([candidate for candidate, _ in tests], check)
        for (candidate, guess), rollout in zip(tests, rollouts, strict=True):
            asked = 1
            feasible = passes(self._trials[0], rollout)
            if feasible:
                feasible, more = self._others_hold(candidate, check)
                asked += more
            self._decide(candidate, rollout, feasible, asked)
            if self._finished or feasible is not guess:
                break
        return self.report

    def _likely_tests(self) -> list[tuple[Bools, bool]]:
        """Return the next test and those that follow if the guesses are right.

        Each has the drops that are left, and the guess.
        """
        tests: list[tuple[Bools, bool]] = []
        batches, kept = self._batches, self._kept
        while len(tests) < self._ahead and not batches.is_done:
            begin, end = batches.next
            left = kept.copy()
            left.ravel()[self._order[begin:end]] = False
            if left.sum() < self._settings.keep:
                break
            tests.append((left, batches.guess))
            kept = left if batches.guess else kept
            batches = batches.after(batches.guess)
        return tests

    def _decide(self, candidate: Bools, rollout: Rollout, feasible: bool, asked: int) -> None:
        self._rollouts += asked
        if feasible:
            begin, end = self._batches.next
            self._kept, self._removed = candidate, self._removed + end - begin
            unchanged = len(self._now.states) - len(rollout.states)
            self._now = replace(rollout, states=(*self._now.states[:unchanged], *rollout.states))
            self.tried.append(PlanTried(self.schedule, rollout.metrics))
        self._batches = self._batches.after(feasible)
        if self._rollouts >= self._settings.allowance:
            self._finished = EXHAUSTED
        elif feasible and self._kept.sum() <= self._settings.keep:
            self._finished = ENOUGH

    def _next_pass(self, check: Check | None) -> None:
        if self._passes > 0 and self._removed == 0:
            self._finished = MINIMAL
            return
        elements = self._kept & ~self._pinned
        order = removal_order(
            self._model, self._trials[0], self._reference, elements, self.schedule, check,
            costs=removal_costs(self._model, self._settings),
        )  # fmt: skip
        self._order, self._batches = order, self._pass_over(len(order), hopeful=self._passes == 0)
        self._passes, self._removed, self._rollouts = self._passes + 1, 0, self._rollouts + 1
        if self._rollouts >= self._settings.allowance:
            self._finished = EXHAUSTED

    def _pass_over(self, count: int, *, hopeful: bool) -> Batches:
        largest = self._settings.largest_batch
        return Batches(count, largest, min(self._settings.first_batch, largest), hopeful=hopeful)

    def _nominal(self, candidates: Sequence[Bools], check: Check | None) -> list[Rollout]:
        """Roll every candidate out on the first trial, from the last day boundary before what it removes."""
        trial, per_day = self._trials[0], self._model.maps.steps_per_day
        starts: list[DayState | None] = []
        for candidate in candidates:
            first = int(np.flatnonzero((self._kept & ~candidate).any(axis=1))[0]) // per_day
            starts.append(self._now.states[first] if self._now.states else None)
        schedules = [self._reference.only(candidate) for candidate in candidates]
        return simulate_many(trial.model, schedules, starts=starts, bounds=trial.bounds, keep_states=True, check=check)

    def _others_hold(self, candidate: Bools, check: Check | None) -> tuple[bool, int]:
        """Return whether the other trials hold, and how many rollouts that took."""
        schedule = self._reference.only(candidate)
        for number, trial in enumerate(self._trials[1:], 1):
            if not passes(trial, run(trial, schedule, check=check)):
                return False, number
        return True, len(self._trials) - 1

    def _restore(self, state: EliminationState) -> None:
        if state.kept.shape != self._executed.shape or (state.kept & ~self._executed).any():
            remedy = "resume with the project the run was started on"
            raise InputError([Problem("elimination checkpoint", "is not of this schedule", remedy)])
        self._kept, self._order = state.kept, state.order
        self._passes, self._rollouts, self._removed, ended, position, size, hopeful = map(int, state.counts)
        rollouts = self._rollouts
        self._finished = ENDS[ended]
        if self._finished == EXHAUSTED and rollouts < self._settings.allowance:
            self._finished = AT_WORK  # resumed with a larger one
        self._batches = Batches(
            len(state.order), self._settings.largest_batch, size, position, Batches.stack_of(state.stack), bool(hopeful)
        )


def removal_order(
    model: Model, trial: Trial, reference: Schedule, elements: Bools, schedule: Schedule, check: Check | None, *,
    costs: Floats | None = None,
) -> Ints:  # fmt: skip
    """Return flat indices of ``elements [T, A]`` in the order of their tests.

    The order is from the paper, ``step5``, "Order of removals". By ``−g`` increasing, with ``g = ∂/∂D Σ_k ℓ_k / τ_k``
    the straight-through gradient at ``schedule``; on ties by ``D^ref`` increasing, then by step and column. With
    ``costs [A]`` the dearest come first, and that order decides between drops of one cost.
    """
    scored = replace(model, weights=constraint_weights(trial.bounds))
    _, gradient = simulate_with_gradient(scored, schedule, check=check)
    flat = np.flatnonzero(elements)
    rise, logit = -gradient.logit.ravel()[flat], reference.logits.ravel()[flat]
    keys = (flat, logit, rise) if costs is None else (flat, logit, rise, -costs[flat % elements.shape[1]])
    return flat[np.lexsort(keys)].astype(np.int64)


def removal_costs(model: Model, settings: EliminationSettings) -> Floats | None:
    """Return the cost of a drop of each aircraft ``[A]`` where drops are removed by cost, else ``None``."""
    return model.relative_costs if settings.order is RemovalOrder.COST else None


def per_cost(worth: Floats, costs: Floats | None) -> Floats:
    """Return ``worth [T, A]`` for each unit of cost, as it is without ``costs [A]``.

    The dearest drops then are worth least. A worth below 0 is multiplied, so that the dearest stay the least. A drop
    without a cost is worth its own, infinite where that is positive.
    """
    if costs is None:
        return worth
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(worth > 0.0, worth / costs, worth * costs)


def pinned_drops(model: Model, executed: Bools) -> Bools:
    """Return ``[T, A]``: executed drops that planning keeps whatever they are worth."""
    pinned = None if model.rules is None else model.rules.pinned
    return np.zeros_like(executed) if pinned is None else executed & pinned


Interval = tuple[int, int, bool]


@dataclass(frozen=True, slots=True)
class Batches:
    """Position of a pass over ``count`` sorted elements in the sequence of the paper's rule.

    A batch is an interval of the order, ``size`` long. One that is feasible is removed and doubles the next, up to
    ``largest``; one that is not halves the next and is split in two, which are tested in the same way, down to single
    elements. ``stack`` holds what is open of the batch at work as ``(begin, end, first)``, the next one last;
    ``position`` is where the next batch begins. ``first``: the one below it on the stack is its other half, and without
    both nothing is feasible, so when it goes the other half need not be rolled out whole. ``hopeful`` says that the
    last batch was feasible.
    """

    count: int
    largest: int
    size: int
    position: int = 0
    stack: tuple[Interval, ...] = ()
    hopeful: bool = True

    @property
    def is_done(self) -> bool:
        """Whether every element is decided."""
        return not self.stack and self.position >= self.count

    @property
    def decided(self) -> int:
        """Number of decided elements."""
        return self.position - sum(end - begin for begin, end, _ in self.stack)

    @property
    def next(self) -> tuple[int, int]:
        """The interval to test."""
        if self.stack:
            begin, end, _ = self.stack[-1]
            return begin, end
        return self.position, min(self.position + self.size, self.count)

    @property
    def guess(self) -> bool:
        """Probable result of the next test.

        A batch ends as the last one did, half of a refused batch badly.
        """
        return self.hopeful and not self.stack

    def after(self, feasible: bool) -> Batches:
        """Return where the pass is once the next test has ended so."""
        begin, end = self.next
        if not self.stack:
            grown = min(2 * self.size, self.largest) if feasible else max(self.size // 2, 1)
            open_ = () if feasible else _halves(begin, end)
            return replace(self, size=grown, position=end, stack=open_, hopeful=feasible)
        *below, (_, _, first) = self.stack
        if not feasible:
            return replace(self, stack=(*below, *_halves(begin, end)))
        if not first:
            return replace(self, stack=tuple(below))
        *below, (begin, end, _) = below
        return replace(self, stack=(*below, *_halves(begin, end)))

    def stack_array(self) -> NDArray[np.int64]:
        """Return ``stack`` as ``[m, 3]``, to be saved."""
        return np.array(self.stack, np.int64).reshape(-1, 3)

    @staticmethod
    def stack_of(rows: NDArray[np.int64]) -> tuple[Interval, ...]:
        """Return the inverse of :meth:`stack_array`."""
        return tuple((int(begin), int(end), bool(first)) for begin, end, first in rows)


def _halves(begin: int, end: int) -> tuple[Interval, ...]:
    """Return both halves of a refused interval, the first one last.

    A single element is decided: it stays.
    """
    if end - begin < 2:
        return ()
    middle = (begin + end) // 2
    return (middle, end, False), (begin, middle, True)

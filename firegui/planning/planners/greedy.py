"""The greedy marginal-benefit planner (paper, appendix ``planners``): batches of single additions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.fleet import Material
from firegui.domain.schedule import LISTED_LOGIT, Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.errors import Check
from firegui.planning.evaluations import Arrays
from firegui.planning.flight_rules import with_pins
from firegui.planning.placement import across_wind, dispersed_maxima
from firegui.planning.planner_context import PlannerContext
from firegui.rollout.gates import Gates, gates_of, waits_of
from firegui.rollout.model import Model

CANDIDATES = 32
"""Most candidates of a round; the paper did not tune it."""

COMMITTED = 21
"""Most drops committed in a round."""

_LEAST = 3
"""A round takes a forecast, a candidate and the combined schedule; the first may be the forecast alone."""


class Greedy:
    """Greedy search. A round forecasts the schedule, scores candidates in turn and commits improving ones.

    Each candidate is one more drop: a free aircraft at a time at which it keeps none of the schedule's drops from being
    flown (:func:`drawn_times`), on the predicted front (:class:`_CandidatePlacer`). Of those that improve the objective
    alone, the best are committed, one of each aircraft, at most :data:`COMMITTED` and never beyond the budget, and
    their combined schedule is scored. Where it is worse than the one before, which the paper does not speak of, the
    best candidate is committed alone. It ends at the budget, at the allowance, and after a round without an improving
    candidate.
    """

    dimension = 0

    def __init__(self, context: PlannerContext, state: Arrays | None = None) -> None:
        self._context, self._model = context, context.model
        self._schedule = with_pins(Schedule.empty(self._model.n_steps, self._model.fleet.n_aircraft), self._model)
        self._round, self._stuck = 0, False
        if state is not None:
            self._schedule = Schedule(state["logits"], state["poses"])
            self._round, self._stuck = int(state["progress"][0]), bool(state["progress"][1])

    @property
    def finished(self) -> bool:
        """At the budget, without the allowance for one more candidate, or after a round that improved nothing."""
        if self._round == 0:  # no drops at all are an answer
            return self._context.evaluations.left < 1
        full = self._room(self._gates(self._schedule)) == 0
        return self._stuck or full or self._context.evaluations.left < _LEAST

    def advance(self, check: Check | None = None) -> None:
        """Run one round."""
        evaluations, settings, schedule = self._context.evaluations, self._context.settings, self._schedule
        generator = np.random.default_rng([settings.seed, self._round])
        gates = self._gates(schedule)
        room = self._room(gates)
        count = max(min(CANDIDATES, evaluations.left - _LEAST + 1), 0) if room else 0
        pairs = drawn_times(self._model, gates, count, generator)
        aim = _CandidatePlacer(self._model, settings, pairs, generator)
        current = evaluations.forecast(schedule, aim.see, check)
        candidates = [one for one in aim.found if self._adds(one, gates)]
        scores = evaluations.score([_with(schedule, [one]) for one in candidates], check)
        better = [one for score, one in sorted(zip(scores, candidates, strict=True), key=_score) if score < current]
        chosen = self._flown_together(_one_per_aircraft(better))[: min(COMMITTED, room)]
        if len(chosen) > 1 and evaluations.score([_with(schedule, chosen)], check)[0] >= current:
            chosen = chosen[:1]
        self._schedule = _with(schedule, chosen)
        self._stuck = not chosen
        self._round += 1

    def state(self) -> Arrays:
        """Return the schedule, the round, and whether the last one improved nothing."""
        progress = np.array([self._round, self._stuck], np.int64)
        return {"logits": self._schedule.logits, "poses": self._schedule.poses, "progress": progress}

    def _gates(self, schedule: Schedule) -> Gates:
        return gates_of(schedule, self._model.fleet, self._model.maps, self._model.rules)

    def _room(self, gates: Gates) -> int:
        """Return how many more drops the budget and a hard cap allow."""
        rules = self._model.rules
        most = self._context.budget if rules is None or rules.cap is None else min(self._context.budget, rules.cap)
        return max(most - int(gates.executed.sum()), 0)

    def _flown_together(self, candidates: list[Candidate]) -> list[Candidate]:
        """Return the candidates that can be flown beside those before them.

        Only under airspace rules does one keep another from being flown.
        """
        if self._model.rules is None or not self._model.rules.airspace:
            return candidates
        chosen: list[Candidate] = []
        flown = self._gates(self._schedule).executed.copy()
        for one in candidates:
            more = flown.copy()
            more[one.step, one.column] = True
            if np.array_equal(self._gates(_with(self._schedule, [*chosen, one])).executed, more):
                chosen, flown = [*chosen, one], more
        return chosen

    def _adds(self, candidate: Candidate, gates: Gates) -> bool:
        """Return whether the schedule flies the candidate and still everything that it flew."""
        flown = gates.executed.copy()
        flown[candidate.step, candidate.column] = True
        return np.array_equal(self._gates(_with(self._schedule, [candidate])).executed, flown)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One more drop."""

    step: int
    column: int
    pose: tuple[float, float, float]


def drawn_times(model: Model, gates: Gates, count: int, generator: np.random.Generator) -> list[tuple[int, int]]:
    """Return at most ``count`` different ``(step, column)`` at which one more drop can be flown.

    They are in order of time. Aircraft take turns in random order, so that the candidates are of as many as possible.
    Each time is one at which the aircraft is open, has no drop, and has none within its turnaround after, drawn with
    the probability ``∝ 1/(t + 1)``: as many in every doubling of the time, because on a fire that grows an early drop
    is worth more. The paper does not say how it draws; uniform times, which are mostly late, leave most of the benefit
    behind.
    """
    free = gates.open & ~gates.executed & ~_before_drops(model, gates)
    order = generator.permutation(model.fleet.n_aircraft).tolist()
    times = {column: _early_first(np.flatnonzero(free[:, column]), generator) for column in order}
    most = max((len(steps) for steps in times.values()), default=0)
    turns = [(times[column][turn], column) for turn in range(most) for column in order if turn < len(times[column])]
    return sorted(turns[:count])


def _early_first(steps: NDArray[np.int64], generator: np.random.Generator) -> list[int]:
    """Return ``steps`` in a random order, drawn one after another with weights ``1/(t + 1)``."""
    waits = generator.exponential(size=len(steps)) * (steps + 1.0)  # the first to come is such a draw, and so on
    drawn: list[int] = steps[np.argsort(waits)].tolist()
    return drawn


def _before_drops(model: Model, gates: Gates) -> NDArray[np.bool_]:
    """Return ``[T, A]``: where a drop would keep one from being flown that is."""
    before = np.zeros_like(gates.executed)
    waits = waits_of(model.fleet, model.n_steps, model.maps.steps_per_day, model.rules)
    for step, column in np.argwhere(gates.executed).tolist():
        earlier = np.arange(step)
        before[:step, column] |= earlier + waits[:step, column] >= step
    return before


class _CandidatePlacer:
    """Placer of candidates during a forecast.

    It holds the states of half a day at which retardant is dropped. As in the tactical heuristic: water at dispersed
    maxima of ``b_t``, retardant at those of ``max(0, b_{t + S_day/2} − b_t)``, across the wind. As many maxima are
    looked for as aircraft carry the material, a wave of all of them; each candidate takes a random one, with the
    jitter, so that rounds do not try the one strongest place again and again. Where nothing burns there is no
    candidate.
    """

    def __init__(
        self,
        model: Model,
        settings: OptimizerSettings,
        pairs: Sequence[tuple[int, int]],
        generator: np.random.Generator,
    ) -> None:
        self._model, self._settings = model, settings
        lead = model.maps.half_day
        self._pairs: dict[tuple[int, int], list[_Draw]] = {}  # by the step dropped at and the one waited for
        for step, column in pairs:
            dry = model.fleet.tails[column].type.material is Material.RETARDANT
            draw = _Draw(column, float(generator.random()), generator.normal(0.0, settings.jitter_cells, 2))
            self._pairs.setdefault((step, min(step + lead, model.n_steps) if dry else step), []).append(draw)
        self._held: dict[int, NDArray[np.float32]] = {}
        self.found: list[Candidate] = []

    def see(self, step: int, burning: torch.Tensor) -> None:
        """Take in ``p^B`` at ``step`` and place whatever can be placed."""
        due = [pair for pair in self._pairs if pair[1] == step]
        opened = [pair for pair in self._pairs if pair[0] == step < pair[1]]
        if not due and not opened:
            return
        now = burning.cpu().numpy().copy()
        if opened:
            self._held[step] = now
        for begin, _ in sorted(due):
            field = now if begin == step else np.maximum(now - self._held.pop(begin), 0.0)
            self._place(begin, field, self._pairs[begin, step])

    def _place(self, step: int, field: NDArray[np.float32], draws: list[_Draw]) -> None:
        material = self._model.fleet.tails[draws[0].column].type.material
        cells = dispersed_maxima(field, len(self._model.columns_of(material)), self._settings.exclusion_cells)
        wind = self._model.maps.wind_dir[step // self._model.maps.steps_per_period]
        rows, width = self._model.shape
        for draw in draws if len(cells) else []:
            place = np.clip(cells[int(draw.share * len(cells))] + draw.jitter, 0.0, [rows - 1, width - 1])
            nearest = np.rint(place).astype(np.int64)
            heading = across_wind(wind, nearest[:1], nearest[1:])[0]
            self.found.append(Candidate(step, draw.column, (float(place[0]), float(place[1]), float(heading))))


@dataclass(frozen=True, slots=True, eq=False)
class _Draw:
    """Random numbers of a candidate.

    They are its aircraft, its maximum as a share of their number, and its jitter ``[2]``.
    """

    column: int
    share: float
    jitter: NDArray[np.float64]


def _score(scored: tuple[float, Candidate]) -> float:
    return scored[0]


def _one_per_aircraft(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the first of each aircraft."""
    first: dict[int, Candidate] = {}
    for candidate in candidates:
        first.setdefault(candidate.column, candidate)
    return list(first.values())


def _with(schedule: Schedule, drops: Sequence[Candidate]) -> Schedule:
    """Return ``schedule`` with ``drops`` listed."""
    logits, poses = schedule.logits.copy(), schedule.poses.copy()
    for drop in drops:
        logits[drop.step, drop.column] = LISTED_LOGIT
        poses[drop.step, drop.column] = drop.pose
    return replace(schedule, logits=logits, poses=poses, pose_logits=None)

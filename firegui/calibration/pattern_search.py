"""Search of a few bounded numbers: random candidates, then a pattern search from the best."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

PENALTY = 0.01
STEP_SHARE = 0.2
STEP_SHRINK = 0.6

Values = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SearchedParameter:
    """A searched parameter: its bounds, and the plausible value it is drawn to where the fire says little."""

    name: str
    low: float
    high: float
    plausible: float
    spread: float
    logarithmic: bool = False

    def value(self, share: float) -> float:
        """Map a share in ``[0, 1]`` to the bounds."""
        if self.logarithmic:
            return self.low * math.exp(share * math.log(self.high / self.low))
        return self.low + (self.high - self.low) * share

    def share(self, value: float) -> float:
        """Return the inverse of :meth:`value`, clipped to ``[0, 1]``."""
        if self.logarithmic:
            found = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            found = (value - self.low) / (self.high - self.low)
        return min(max(found, 0.0), 1.0)

    def penalty(self, value: float) -> float:
        """Return ``PENALTY ((value − plausible) / spread)²``, of logarithms where it is logarithmic."""
        off = math.log(value / self.plausible) if self.logarithmic else value - self.plausible
        return PENALTY * (off / self.spread) ** 2


class PatternSearch:
    """State of a search: the best values, their loss, and how many candidates were tried.

    ``misfit`` gives that of candidate values; the loss adds the penalties. ``heard`` is told after each candidate its
    loss and whether it is the best so far. A candidate whose misfit is infinite cannot be tried and does not count. No
    more than ``most`` are tried. The first is ``start``.
    """

    def __init__(
        self,
        parameters: Sequence[SearchedParameter],
        start: Values,
        misfit: Callable[[Values], float],
        heard: Callable[[PatternSearch, float, bool], None],
        most: int,
    ) -> None:
        self._parameters, self._misfit, self._heard = parameters, misfit, heard
        self.most, self.done = most, 0
        self.best, self.best_loss = dict(start), math.inf
        self._try(start)

    def sample(self, count: int, seed: int) -> None:
        """Try random candidates over the whole of the bounds."""
        generator = np.random.default_rng(seed)
        for shares in generator.random((count, len(self._parameters))).tolist():
            self._try({one.name: one.value(share) for one, share in zip(self._parameters, shares, strict=True)})

    def refine(self, sweeps: int, step: float = STEP_SHARE) -> None:
        """Run a pattern search (Hooke and Jeeves).

        Each parameter is moved up, else down, at first by ``step`` of its bounds. Then the whole move is made once
        more.
        """
        for _ in range(sweeps):
            before = self.best
            for one in self._parameters:
                if not self._move({one: step}):
                    self._move({one: -step})
            if self.best == before:
                step *= STEP_SHRINK
            else:
                self._move({one: one.share(self.best[one.name]) - one.share(before[one.name])
                            for one in self._parameters})  # fmt: skip

    def _move(self, steps: Mapping[SearchedParameter, float]) -> bool:
        """Step from the best, within the bounds; says whether that was better."""
        shares = {one: min(max(one.share(self.best[one.name]) + step, 0.0), 1.0) for one, step in steps.items()}
        moved = self.best | {one.name: one.value(share) for one, share in shares.items()}
        return moved != self.best and self._try(moved)

    def _try(self, candidate: Values) -> bool:
        if self.done >= self.most:
            return False
        loss = self._misfit(candidate) + sum(one.penalty(candidate[one.name]) for one in self._parameters)
        if math.isinf(loss):
            return False
        better = loss < self.best_loss
        if better:
            self.best, self.best_loss = dict(candidate), loss
        self.done += 1
        self._heard(self, loss, better)
        return better

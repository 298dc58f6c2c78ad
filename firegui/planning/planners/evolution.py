"""Differential evolution and particle swarm optimization (paper, appendix ``planners``), both by nevergrad."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from firegui.planning.contest import Contest
from firegui.planning.daily_basis import LIMIT, Basis, Floats
from firegui.planning.evaluations import Arrays
from firegui.planning.recorded_search import RecordedSearch, library

BATCH = 10
"""Vectors asked for before the search is told of them; the default populations are of 30 and of 40."""


def differential_evolution(contest: Contest, state: Arrays | None = None) -> RecordedSearch:
    """On the daily basis. Raises :class:`~firegui.errors.InputError` where nevergrad is not installed."""
    return _search("DE", contest, state)


def particle_swarm(contest: Contest, state: Arrays | None = None) -> RecordedSearch:
    """On the daily basis. Raises :class:`~firegui.errors.InputError` where nevergrad is not installed."""
    return _search("PSO", contest, state)


def _search(algorithm: str, contest: Contest, state: Arrays | None) -> RecordedSearch:
    """``algorithm`` is its name in nevergrad's registry."""
    nevergrad, basis = library("nevergrad"), Basis.daily(contest.model)
    return RecordedSearch(contest, basis, lambda start: _Population(nevergrad, algorithm, start, contest), state)


class _Population:
    """Asks for :data:`BATCH` vectors at a time.

    The first is the start vector. One setting is not nevergrad's default: the rest of the first population is drawn
    around the start, with its standard deviation of 1, because an array with two bounds is otherwise sampled uniformly
    between them and no start would count. It draws from its own generator alone.
    """

    def __init__(self, nevergrad: Any, algorithm: str, start: Floats, contest: Contest) -> None:
        array = nevergrad.p.Array(init=start)
        array.random_state = np.random.RandomState([contest.settings.seed, 1])  # before anything asks for one
        array.set_bounds(-LIMIT, LIMIT, full_range_sampling=False)
        make = nevergrad.optimizers.registry[algorithm]
        self._optimizer = make(parametrization=array, budget=contest.evaluations.allowance, num_workers=BATCH)
        self._optimizer.suggest(start)
        self._asked: list[Any] = []

    def ask(self) -> Sequence[Floats]:
        """The next batch."""
        self._asked = [self._optimizer.ask() for _ in range(BATCH)]
        return [candidate.value for candidate in self._asked]

    def tell(self, values: Sequence[float]) -> None:
        """What the batch is worth."""
        for candidate, value in zip(self._asked, values, strict=True):
            self._optimizer.tell(candidate, value)

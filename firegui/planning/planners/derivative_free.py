"""Derivative-free planners (paper, appendix ``planners``).

CMA-ES is from ``cma``, evolution and swarms are from nevergrad.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from firegui.planning.daily_basis import LIMIT, Basis, Floats
from firegui.planning.evaluations import Arrays
from firegui.planning.planner_context import PlannerContext
from firegui.planning.recorded_search import RecordedSearch, library

STEP = 0.5
"""``σ_0``, which the paper does not give: a twelfth of the range.

On the Bear fire with 379 drops the first generation flies about a quarter more than the budget that its start is
calibrated to; with the sixth that the package suggests it is four fifths more, which the penalty makes worse than none.
"""


def cma_es(context: PlannerContext, state: Arrays | None = None, *, native: bool = False) -> RecordedSearch:
    """Return CMA-ES on the daily basis.

    With ``native`` it has one activation and pose for every step and aircraft.

    Raises :class:`~firegui.errors.InputError` where ``cma`` is not installed.
    """
    basis = Basis.native(context.model) if native else Basis.daily(context.model)
    cma = library("cma")
    return RecordedSearch(context, basis, lambda start: _Generations(cma, start, context.settings.seed), state)


class _Generations:
    """Driver of one generation at a time.

    Everything that the paper does not name is at the package's default. That is a population of ``⌊4 + 3 ln n⌋`` and,
    from 300 variables on, a two-point adaptation of the step size. The stopping criteria of the package are not used:
    the allowance alone ends a search, without restarts. Given a generator, the package neither seeds numpy's global one
    nor draws from it, and with this verbosity it writes no file.
    """

    def __init__(self, cma: Any, start: Floats, seed: int) -> None:
        generator = np.random.default_rng([seed, 1])
        options = {
            "CMA_diagonal": True,
            "bounds": [-LIMIT, LIMIT],
            "randn": lambda *size: generator.standard_normal(size),
            "seed": np.nan,
            "verbose": -9,
        }
        self._strategy = cma.CMAEvolutionStrategy(start, STEP, options)
        self._asked: Sequence[Floats] = ()

    def ask(self) -> Sequence[Floats]:
        """Return the next generation."""
        self._asked = self._strategy.ask()
        return self._asked

    def tell(self, values: Sequence[float]) -> None:
        """Report the objectives of the generation."""
        self._strategy.tell(self._asked, list(values))


BATCH = 10
"""Vectors asked for before the search is told of them; the default populations are of 30 and of 40."""


def differential_evolution(context: PlannerContext, state: Arrays | None = None) -> RecordedSearch:
    """Return differential evolution on the daily basis.

    Raises :class:`~firegui.errors.InputError` where nevergrad is not installed.
    """
    return _search("DE", context, state)


def particle_swarm(context: PlannerContext, state: Arrays | None = None) -> RecordedSearch:
    """Return a particle swarm on the daily basis.

    Raises :class:`~firegui.errors.InputError` where nevergrad is not installed.
    """
    return _search("PSO", context, state)


def _search(algorithm: str, context: PlannerContext, state: Arrays | None) -> RecordedSearch:
    """Return a search with the optimizer ``algorithm`` of nevergrad's registry."""
    nevergrad, basis = library("nevergrad"), Basis.daily(context.model)
    return RecordedSearch(context, basis, lambda start: _Population(nevergrad, algorithm, start, context), state)


class _Population:
    """Driver of :data:`BATCH` vectors at a time.

    The first is the start vector. One setting is not nevergrad's default: the rest of the first population is drawn
    around the start, with its standard deviation of 1, because an array with two bounds is otherwise sampled uniformly
    between them and no start would count. It draws from its own generator alone.
    """

    def __init__(self, nevergrad: Any, algorithm: str, start: Floats, context: PlannerContext) -> None:
        array = nevergrad.p.Array(init=start)
        array.random_state = np.random.RandomState([context.settings.seed, 1])  # before anything asks for one
        array.set_bounds(-LIMIT, LIMIT, full_range_sampling=False)
        make = nevergrad.optimizers.registry[algorithm]
        self._optimizer = make(parametrization=array, budget=context.evaluations.allowance, num_workers=BATCH)
        self._optimizer.suggest(start)
        self._asked: list[Any] = []

    def ask(self) -> Sequence[Floats]:
        """Return the next batch."""
        self._asked = [self._optimizer.ask() for _ in range(BATCH)]
        return [candidate.value for candidate in self._asked]

    def tell(self, values: Sequence[float]) -> None:
        """Report the objectives of the batch."""
        for candidate, value in zip(self._asked, values, strict=True):
            self._optimizer.tell(candidate, value)

"""Derivative-free planners (paper, appendix ``planners``), whose objectives are recorded.

CMA-ES is from ``cma``, evolution and swarms are from nevergrad.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np

from firegui.errors import Check, InputError, Problem
from firegui.planning.daily_basis import LIMIT, Basis, Floats, front_places, start_vector
from firegui.planning.evaluations import Arrays
from firegui.planning.planner_context import PlannerContext

AT_ONCE = 16
"""Vectors scored in one call, so that a call is short; a generation may take several."""


STEP = 0.5
"""``σ_0``, which the paper does not give: a twelfth of the range.

On the Bear fire with 379 drops the first generation flies about a quarter more than the budget that its start is
calibrated to; with the sixth that the package suggests it is four fifths more, which the penalty makes worse than none.
"""
BATCH = 10
"""Vectors asked for before the search is told of them; the default populations are of 30 and of 40."""


def library(name: str) -> Any:
    """Return the package of a search, loaded only when a search begins.

    Loading takes seconds, and the package may not be installed.

    Raises :class:`~firegui.errors.InputError` where it is not.
    """
    if find_spec(name) is None:
        problem = Problem(name, "is not installed", f"pip install {name}, or leave out the planners that need it")
        raise InputError([problem], "This planner cannot be run")
    # Loading nevergrad draws from numpy's global generator, which is not this program's to change.
    before = np.random.get_state(legacy=False)
    package = import_module(name)
    np.random.set_state(before)
    return package


class Search(Protocol):
    """Interface of a search library.

    Its vectors may depend on nothing but its seed and the values that it is told.
    """

    def ask(self) -> Sequence[Floats]:
        """Return the next vectors ``[dimension]``, each within the bounds."""

    def tell(self, values: Sequence[float]) -> None:
        """Report the objectives of the vectors of the last :meth:`ask`."""


class RecordedSearch:
    """Search that runs to the end of the allowance.

    ``begin`` makes the search from its start vector. Its state is what the vectors were worth, in their order. A
    restored search asks for the same vectors and is told the same values, without a rollout, and continues with the
    same bits. ``places [D, 2]`` of the baseline, which the start vector is made of, are kept with it, and a ``digest``
    of the vectors told of: another version of a library would be told what other vectors were worth. A search is told
    of whole generations only; of the last, what is beyond the allowance is never scored. Raises
    :class:`~firegui.errors.InputError` where the vectors are others.
    """

    def __init__(
        self, context: PlannerContext, basis: Basis, begin: Callable[[Floats], Search], state: Arrays | None = None
    ) -> None:
        self._context, self._basis, self._begin = context, basis, begin
        self._search: Search | None = None
        self._asked: Sequence[Floats] = ()
        self._places = state["places"] if state else None
        self._values: list[float] = state["values"].tolist() if state else []
        self._expected = state["digest"].tobytes() if state else b""
        self._told, self._digest = 0, sha256()

    @property
    def dimension(self) -> int:
        """How many variables are searched."""
        return self._basis.dimension

    @property
    def finished(self) -> bool:
        """Whether the allowance is used up; nothing else ends a search."""
        return self._context.evaluations.left <= 0

    def advance(self, check: Check | None = None) -> None:
        """Evaluate up to :data:`AT_ONCE` vectors, recorded ones first.

        The first call makes the baseline's forecast.
        """
        if self._places is None:
            self._places = front_places(self._context, check)
            return
        if self._search is None:
            self._search = self._replayed(self._places, check)
        if not self._asked:
            self._asked = self._search.ask()
        evaluations = self._context.evaluations
        done = len(self._values) - self._told
        vectors = self._asked[done : done + min(AT_ONCE, evaluations.left)]
        self._values += evaluations.score([self._basis.schedule(vector) for vector in vectors], check)
        self._tell_whole(self._search)

    def state(self) -> Arrays:
        """Return the objectives in the order of their vectors, and the places once there are any."""
        if self._places is None:
            return {}
        digest = self._expected if self._search is None else self._digest.digest()
        return {"places": self._places, "values": np.array(self._values), "digest": np.frombuffer(digest, np.uint8)}

    def _tell_whole(self, search: Search) -> None:
        """Tell of the vectors asked for last, once all of them are scored."""
        values = self._values[self._told : self._told + len(self._asked)]
        if len(values) == len(self._asked):
            search.tell(values)
            for vector in self._asked:
                self._digest.update(np.asarray(vector, np.float64).tobytes())
            self._told += len(values)
            self._asked = ()

    def _replayed(self, places: Floats, check: Check | None) -> Search:
        """Return the search after everything that is recorded."""
        search = self._begin(start_vector(self._context, self._basis, places))
        while self._told < len(self._values) and not self._asked:
            if check is not None:
                check()
            self._asked = search.ask()
            self._tell_whole(search)
        if self._expected and self._digest.digest() != self._expected:
            what = "the search asks for other vectors than when it was interrupted"
            remedy = "begin it anew, or go on with the versions of the libraries that it was begun with"
            raise InputError([Problem("checkpoint", what, remedy)], "This planner cannot go on")
        return search


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

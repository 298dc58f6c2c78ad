"""CMA-ES, differential evolution and particle swarm as the benchmark relies on them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from firegui.domain.schedule import Schedule
from firegui.domain.settings import OptimizerSettings
from firegui.errors import CancelledError, InputError
from firegui.planning.daily_basis import start_vector
from firegui.planning.evaluations import Arrays, Evaluations
from firegui.planning.planner_context import PlannerContext
from firegui.planning.planners import derivative_free
from firegui.planning.planners.derivative_free import (
    AT_ONCE,
    RecordedSearch,
    cma_es,
    differential_evolution,
    particle_swarm,
)
from firegui.planning.shared_objective import SharedObjective
from firegui.rollout.model import Model
from tests.numerics.cases import model_of, random_maps, small_fleet
from tests.support import stop

Make = Callable[..., RecordedSearch]
PLANNERS: dict[str, Make] = {
    "cma-es": cma_es,
    "cma-es-native": partial(cma_es, native=True),
    "differential-evolution": differential_evolution,
    "particle-swarm": particle_swarm,
}
BUDGET, ALLOWANCE = 12, 107

every_planner = pytest.mark.parametrize("make", PLANNERS.values(), ids=PLANNERS)


@pytest.fixture(scope="module")
def model() -> Model:
    return small_model()


def small_model() -> Model:
    return model_of(random_maps(4), small_fleet())


def contest_of(model: Model, allowance: int = ALLOWANCE, seed: int = 1, spent: Arrays | None = None) -> PlannerContext:
    evaluations = Evaluations(model, SharedObjective(BUDGET), allowance, spent)
    return PlannerContext(model, evaluations, OptimizerSettings(seed=seed))


def finished(context: PlannerContext, make: Make, state: Arrays | None = None) -> RecordedSearch:
    planner = make(context, state)
    while not planner.finished:
        planner.advance()
    return planner


@dataclass(frozen=True, slots=True)
class Whole:
    """What an unbroken search ends with, and what was spent after each call."""

    planner: Arrays
    evaluations: Arrays
    spent: tuple[int, ...]


@pytest.fixture(scope="module")
def wholes(model: Model) -> dict[Make, Whole]:
    found = {}
    for make in PLANNERS.values():
        context = contest_of(model)
        planner, spent = make(context), [0]
        while not planner.finished:
            planner.advance()
            spent.append(context.evaluations.spent)
        found[make] = Whole(planner.state(), context.evaluations.state(), tuple(spent))
    return found


@every_planner
def test_the_allowance_is_used_to_the_last_rollout(wholes: dict[Make, Whole], make: Make) -> None:
    spent = wholes[make].spent

    assert spent[:2] == (0, 1)  # the forecast that the start vector is made of
    assert spent[-1] == ALLOWANCE
    assert max(np.diff(spent)) <= AT_ONCE
    assert len(wholes[make].planner["values"]) == ALLOWANCE - 1


@every_planner
def test_every_drop_is_searched(model: Model, make: Make) -> None:
    blocks = model.n_steps if make is PLANNERS["cma-es-native"] else model.maps.days
    assert make(contest_of(model)).dimension == blocks * model.fleet.n_aircraft * 4


@every_planner
def test_it_finds_something_better_than_no_drops_and_than_where_it_starts(model: Model, make: Make) -> None:
    context = contest_of(model, 300)
    nothing = Evaluations(model, SharedObjective(BUDGET), 1).score(
        [Schedule.empty(model.n_steps, model.fleet.n_aircraft)]
    )

    values = finished(context, make).state()["values"]

    assert context.evaluations.best_objective == min(values) < nothing[0]
    assert min(values[100:]) < min(values[:20])


@every_planner
def test_the_same_seed_gives_the_same_bits_and_another_gives_others(
    model: Model, wholes: dict[Make, Whole], make: Make
) -> None:
    same, other = (finished(contest_of(model, 40, seed), make).state()["values"] for seed in (1, 2))

    assert np.array_equal(wholes[make].planner["values"][:39], same)
    assert not np.array_equal(same, other)


@every_planner
@pytest.mark.parametrize("advances", [0, 1, 2, 3, 7])
def test_a_restored_search_ends_with_the_bits_of_an_unbroken_one(
    model: Model, wholes: dict[Make, Whole], make: Make, advances: int
) -> None:
    broken = contest_of(model)
    planner = make(broken)
    for _ in range(advances):
        planner.advance()

    resumed = contest_of(model, spent=broken.evaluations.state())
    end = finished(resumed, make, planner.state()).state()

    for name, value in wholes[make].planner.items():
        np.testing.assert_array_equal(end[name], value)
    for name in ("counts", "curve", "best_logits", "best_poses"):
        np.testing.assert_array_equal(resumed.evaluations.state()[name], wholes[make].evaluations[name])


@every_planner
def test_values_of_other_vectors_are_not_told(model: Model, make: Make) -> None:
    """As another version of a library would ask for; here it is another seed."""
    broken = contest_of(model)
    planner = make(broken)
    for _ in range(5):
        planner.advance()
    other = contest_of(model, seed=2, spent=broken.evaluations.state())
    with pytest.raises(InputError, match="asks for other vectors"):
        make(other, planner.state()).advance()
    assert other.evaluations.spent == broken.evaluations.spent


def asked_for(make: Make) -> str:
    """A digest of what a search asks for on a function that needs no rollout."""
    context = contest_of(model_of(random_maps(4), small_fleet(), backend="reference"))
    planner = make(context)
    places = np.full((context.model.maps.days, 2), 6.5)
    search = planner._begin(start_vector(context, planner._basis, places))
    digest = hashlib.sha256()
    for _ in range(12):
        vectors = np.array(search.ask())
        digest.update(vectors.tobytes())
        search.tell(((vectors - 0.5) ** 2).sum(axis=1).tolist())
    return digest.hexdigest()


PROGRAM = """
from tests.unit.planning.planners.test_derivative_free import PLANNERS, asked_for
for make in PLANNERS.values():
    print(asked_for(make))
"""


@pytest.mark.slow
def test_another_process_with_another_order_of_hashes_asks_for_the_same_bits() -> None:
    order = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": order, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [asked_for(make) for make in PLANNERS.values()]


@every_planner
def test_numpys_global_generator_is_neither_used_nor_changed(model: Model, make: Make) -> None:
    values = []
    for seed in (3, 4):
        np.random.seed(seed)
        before = np.random.get_state(legacy=False)
        values.append(finished(contest_of(model, 30), make).state()["values"])
        after = np.random.get_state(legacy=False)
        np.testing.assert_equal(after, before)

    assert np.array_equal(values[0], values[1])


@every_planner
def test_nothing_is_written_or_printed(
    model: Model, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    finished(contest_of(model, 30), make)

    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


@every_planner
def test_a_cancelled_call_charges_nothing_and_the_state_before_it_goes_on(
    model: Model, wholes: dict[Make, Whole], make: Make
) -> None:
    context = contest_of(model)
    planner = make(context)
    for _ in range(5):
        planner.advance()
    state, spent = planner.state(), context.evaluations.state()

    with pytest.raises(CancelledError):
        planner.advance(stop)

    assert context.evaluations.spent == spent["counts"][0]
    end = finished(contest_of(model, spent=spent), make, state).state()
    np.testing.assert_array_equal(end["values"], wholes[make].planner["values"])


@every_planner
def test_a_search_that_is_being_repeated_can_be_cancelled(model: Model, wholes: dict[Make, Whole], make: Make) -> None:
    """Between its generations: it is stopped when it asks for the second time, which no rollout has done yet."""
    state = {**wholes[make].planner, "values": wholes[make].planner["values"][:90]}
    context = contest_of(model)
    heard = []

    def stop() -> None:
        heard.append(context.evaluations.spent)
        if len(heard) == 2:
            raise CancelledError("stopped")

    with pytest.raises(CancelledError):
        make(context, state).advance(stop)

    assert heard == [0, 0]


@every_planner
def test_an_allowance_that_ends_within_the_first_generation_is_kept(model: Model, make: Make) -> None:
    context = contest_of(model, 4)

    assert len(finished(context, make).state()["values"]) == 3
    assert context.evaluations.left == 0


@pytest.mark.parametrize(("make", "package"), [(cma_es, "cma"), (particle_swarm, "nevergrad")])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    model: Model, monkeypatch: pytest.MonkeyPatch, make: Make, package: str
) -> None:
    monkeypatch.setattr(derivative_free, "find_spec", lambda name: None)

    with pytest.raises(InputError, match=f"{package}: is not installed — pip install {package}"):
        make(contest_of(model))


def test_the_covariance_of_cma_es_is_diagonal_and_follows_the_objective() -> None:
    """The option is passed on as the package understands it: variances differ by variable, nothing is quadratic."""
    generations = cma_es.__globals__["_Generations"](derivative_free.library("cma"), np.zeros(40), 0)
    scale = np.logspace(0, 3, 40)
    for _ in range(300):
        vectors = generations.ask()
        generations.tell([float(scale @ vector**2) for vector in vectors])

    strategy = generations._strategy
    deviations = np.asarray(strategy.sigma_vec.scaling) * np.ones(40)
    assert strategy.opts["CMA_diagonal"] is True
    assert strategy.sm.covariance_matrix is None
    assert deviations[:5].mean() > 5.0 * deviations[-5:].mean()
    assert np.abs(np.array(generations.ask())).max() <= 3.0

"""Speed of this machine: dense torch, each engine, two fires, three rasters, and the memory."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from firegui.domain.fleet import Fleet, Material
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights
from firegui.domain.stencil import EIGHT, NEIGHBOURS
from firegui.errors import InputError, Problem
from firegui.rollout.deposits import StepDose, step_doses
from firegui.rollout.gates import gates_of
from firegui.rollout.machine import available_memory, peak_memory
from firegui.rollout.model import Model
from firegui.rollout.simulate import prepare, simulate, simulate_many, simulate_with_gradient
from firegui.rollout.suppression import MAXIMUM_DOSE
from firegui.rollout.synthetic_fires import bytes_of, enlarged, holding_schedule, poised_schedule

Say = Callable[[str], None]
Work = Callable[[], object]

DISTANCES = (8, 6, 10, 4, 12)
"""How far off the fire the holding band is tried, in cells."""
LEAST_MS = 20.0
"""A round repeats work that is shorter than this."""
PAUSE_S = 0.02
"""Between two pieces of work, so that threads that still wait for more of the one do not slow the next."""


@dataclass(frozen=True, slots=True)
class Extent:
    """Extent of the measurements: every backend, ``rounds`` times in turn.

    The held fire gets ``drops`` and is to stay within ``held_cells``. ``factors`` make the raster so many times as high
    and as wide, for the first ``raster_days``. A GPU computes ``batch`` schedules at once.
    """

    backends: tuple[str, ...] = ("cpu",)
    rounds: int = 5
    drops: int = 1000
    held_cells: float = 5000.0
    factors: tuple[int, ...] = (1, 2, 4)
    raster_days: int = 3
    batch: int = 64


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of each round."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Of the rounds, in ms."""
        return statistics.median(self.rounds)

    @property
    def least(self) -> float:
        """The fastest of the rounds, in ms."""
        return min(self.rounds)

    def plain(self) -> dict[str, float]:
        """For people and JSON."""
        return {
            "median_ms": self.median,
            "least_ms": self.least,
            "most_ms": max(self.rounds),
            "rounds": len(self.rounds),
        }


def interleaved(works: Mapping[str, Work], rounds: int, say: Say) -> dict[str, Times]:
    """Time every one of ``works`` in turn, ``rounds`` times, after one call of each that does not count."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for name, work in works.items():
        say(f"warming up: {name}")
        work()
    for number in range(rounds):
        for name, work in works.items():
            say(f"round {number + 1} of {rounds}: {name}")
            time.sleep(PAUSE_S)
            found[name].append(once(work))
    return {name: Times(tuple(times)) for name, times in found.items()}


def once(work: Work) -> float:
    """Return milliseconds a call, over as many calls as make :data:`LEAST_MS`."""
    calls, began = 0, time.perf_counter()
    while True:
        work()
        calls += 1
        spent = 1000.0 * (time.perf_counter() - began)
        if spent >= LEAST_MS:
            return spent / calls


@contextmanager
def all_cores() -> Iterator[None]:
    """Let torch use every core while the block runs."""
    before = torch.get_num_threads()
    torch.set_num_threads(os.cpu_count() or 1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


# -- the whole run ----------------------------------------------------------------------------------------------------
def benchmark(name: str, maps: FireMaps, fleet: Fleet, extent: Extent, say: Say) -> dict[str, Any]:
    """Measure ``extent`` on the fire ``maps``, which is called ``name``; all numbers as plain values.

    ``say`` is told what is being done. The engines come first, so that their peak of memory is their own.
    """
    bench = _TimingSuite(maps, fleet, extent, say)
    for backend in extent.backends:
        bench.add_engine(backend)
    bench.add_dense()
    times = interleaved(bench.works, extent.rounds, say)
    raster, skipped = _rasters(maps, fleet, extent, say)
    return {
        "fire": bench.fire(name),
        "dense": {"threads": os.cpu_count() or 1, **_plain(times, "dense", ("unsuppressed", "contained"))},
        "engines": {backend: bench.answer(backend, times) for backend in extent.backends},
        "raster": raster,
        "skipped": skipped,
    }


def benchmark_machine(name: str, maps: FireMaps, fleet: Fleet, rounds: int, say: Say) -> dict[str, Any]:
    """Measure every backend of this machine on the fire ``maps`` as :func:`benchmark` does."""
    backends = ("cpu", "cuda") if torch.cuda.device_count() else ("cpu",)
    return benchmark(name, maps, fleet, Extent(backends=backends, rounds=rounds), say)


class _TimingSuite:
    """Suite of timed work, by names such as ``cpu rollout contained``, with its findings."""

    def __init__(self, maps: FireMaps, fleet: Fleet, extent: Extent, say: Say) -> None:
        self._maps, self._fleet, self._extent, self._say = maps, fleet, extent, say
        self.works: dict[str, Work] = {}
        self._models: dict[str, Model] = {}
        self._engines: dict[str, dict[str, Any]] = {}
        self._schedules: dict[str, Schedule] = {}
        self._fire: dict[str, Any] = {}

    def add_engine(self, backend: str) -> None:
        """Prepare an engine, run everything once, and note what that took."""
        self._say(f"{backend}: laying out the maps, compiling")
        began = time.perf_counter()
        model = self._models[backend] = _model(self._maps, self._fleet, backend)
        prepared = time.perf_counter()
        if not self._schedules:
            self._choose(model)
        self._say(f"{backend}: first rollouts")
        for fire, schedule in self._schedules.items():
            self.works[f"{backend} rollout {fire}"] = _rollout(model, schedule)
            self.works[f"{backend} gradient {fire}"] = _gradient(model, schedule)
            self.works[f"{backend} gradient of listed drops {fire}"] = _gradient(model, _listed(schedule))
        many = [self._schedules["contained"]] * (self._extent.batch if backend == "cuda" else os.cpu_count() or 1)
        self.works[f"{backend} many contained"] = lambda: simulate_many(model, many)
        for name, work in self.works.items():
            if name.startswith(backend):
                work()
        self._engines[backend] = {
            "device": model.device,
            "prepare_s": prepared - began,
            "schedules_at_once": len(many),
            "peak_memory_bytes": peak_memory(),
            "gpu_peak_memory_bytes": torch.cuda.max_memory_allocated() if model.device == "cuda" else None,
        }

    def add_dense(self) -> None:
        """Time the same rollouts in dense torch."""
        dense = DenseRollout(_model(self._maps, self._fleet, "reference"))
        for fire, schedule in self._schedules.items():
            self.works[f"dense rollout {fire}"] = _dense(dense, schedule)

    def _choose(self, model: Model) -> None:
        """Look how the fire goes without drops, then for a band that holds it."""
        self._say("looking for a schedule that holds the fire")
        free = simulate(model, Schedule.empty(model.n_steps, model.fleet.n_aircraft), keep_days=True)
        assert free.p_fire_days is not None
        self._schedules["unsuppressed"] = poised_schedule(model, free.p_fire_days[-1])
        held = _best_held(model, self._extent)
        self._schedules["contained"] = held.pop("schedule")
        self._fire = {"extent_cells": free.metrics.final_extent_cells, "held": held}

    def fire(self, name: str) -> dict[str, Any]:
        """Return the properties of the fire that is timed."""
        rows, columns = self._maps.shape
        size = {"rows": rows, "columns": columns, "days": self._maps.days, "steps": self._maps.n_steps}
        start = int(self._maps.start.fire.sum())
        return {"name": name, **size, "aircraft": self._fleet.n_aircraft, "start_cells": start, **self._fire}

    def answer(self, backend: str, times: Mapping[str, Times]) -> dict[str, Any]:
        """Return times and ratios of one engine."""
        found = dict(self._engines[backend])
        # Its best round: with a core taken, torch's threads wait for each other and take many times as long.
        dense = times["dense rollout unsuppressed"].least
        for fire in self._schedules:
            kinds = ("rollout", "gradient", "gradient of listed drops")
            rollout, gradient, listed = (times[f"{backend} {what} {fire}"] for what in kinds)
            found[fire] = {
                "rollout": rollout.plain(),
                "gradient": gradient.plain(),
                "gradient_of_listed": listed.plain(),
                "gradient_to_rollout": gradient.median / rollout.median,
                "gradient_of_listed_to_rollout": listed.median / rollout.median,
                # Against dense torch without drops, which costs the same whatever the fire does.
                "dense_to_rollout": dense / rollout.median,
                "dense_to_gradient": dense / gradient.median,
            }
        many, one = times[f"{backend} many contained"], times[f"{backend} rollout contained"]
        found["many"] = {**many.plain(), "to_one": many.median / one.median}
        return found


def _best_held(model: Model, extent: Extent) -> dict[str, Any]:
    """Return the first band that holds the fire, else the one that lets the least burn."""
    found: list[dict[str, Any]] = []
    for distance in DISTANCES:
        found.append(_held(model, extent, distance))
        if _cells(found[-1]) <= extent.held_cells:
            break
    return min(found, key=_cells)


def _held(model: Model, extent: Extent, distance: int) -> dict[str, Any]:
    schedule = holding_schedule(model, extent.drops, distance)
    rollout = simulate(model, schedule, keep_days=True)
    assert rollout.p_fire_days is not None
    most = float(rollout.p_fire_days.sum(axis=(1, 2), dtype=np.float64).max())
    return {"schedule": schedule, "cells": most, "drops": rollout.metrics.drops_executed, "distance_cells": distance,
            "within_cells": extent.held_cells}  # fmt: skip


def _cells(held: Mapping[str, Any]) -> float:
    return float(held["cells"])


# -- the raster around the fire ---------------------------------------------------------------------------------------
def _rasters(maps: FireMaps, fleet: Fleet, extent: Extent, say: Say) -> tuple[list[dict[str, Any]], list[str]]:
    """Time each engine on the first days of the same fire on larger and larger rasters.

    Also return what had to be left out.
    """
    first = maps.window(0, min(extent.raster_days, maps.days))
    works: dict[str, Work] = {}
    skipped: list[str] = []
    factors: list[int] = []
    for factor in extent.factors:
        need = 3 * bytes_of(first) * factor**2  # the maps, the gains made of them, and the way there
        room = available_memory()
        if room is not None and need > room:
            skipped.append(
                f"a raster of {factor**2}× the cells needs {need / 1e9:.1f} GB, {room / 1e9:.1f} GB are free"
            )
            continue
        say(f"making a raster of {factor**2}× the cells")
        larger = enlarged(first, factor)
        factors.append(factor)
        for backend in extent.backends:
            model = _model(larger, fleet, backend)
            idle = Schedule.empty(model.n_steps, fleet.n_aircraft)
            works[f"{backend} raster {factor}"] = _rollout(model, idle)
    times = interleaved(works, extent.rounds, say)
    rows = [
        {
            "factor": factor**2,
            "cells": maps.shape[0] * maps.shape[1] * factor**2,
            "days": first.days,
            **{backend: _growth(times, backend, factor, factors[0]) for backend in extent.backends},
        }
        for factor in factors
    ]
    return rows, skipped


def _growth(times: Mapping[str, Times], backend: str, factor: int, first: int) -> dict[str, float]:
    one, this = times[f"{backend} raster {first}"], times[f"{backend} raster {factor}"]
    return {**this.plain(), "to_first": this.median / one.median}


# -- pieces -----------------------------------------------------------------------------------------------------------
def _model(maps: FireMaps, fleet: Fleet, backend: str) -> Model:
    nothing = np.zeros((0, *maps.shape), bool)
    return prepare(maps, fleet, nothing, [], weights=ObjectiveWeights(), effectiveness=NOMINAL, backend=backend)


def _rollout(model: Model, schedule: Schedule) -> Work:
    return lambda: simulate(model, schedule)


def _gradient(model: Model, schedule: Schedule) -> Work:
    return lambda: simulate_with_gradient(model, schedule)


def _listed(schedule: Schedule) -> Schedule:
    """Return the schedule as a file would give it: only its drops have a pose.

    Every other aircraft waits in the corner.
    """
    return Schedule(schedule.logits, schedule.poses * schedule.proposed[:, :, None])


def _dense(dense: DenseRollout, schedule: Schedule) -> Work:
    def work() -> None:
        with all_cores():
            dense(schedule)

    return work


def _plain(times: Mapping[str, Times], who: str, fires: Sequence[str]) -> dict[str, dict[str, float]]:
    return {fire: times[f"{who} rollout {fire}"].plain() for fire in fires}


class DenseRollout:
    """Buffers of one rollout on ``model.device``; call it as often as wanted.

    ``unburned [H, W]`` and ``burning [H, W]`` are ``U_T`` and ``B_T`` after a call, ``occupied [H, W]`` is
    ``Σ_t P_t`` over all ``T + 1`` states.
    """

    def __init__(self, model: Model) -> None:
        if model.maps.stencil is not EIGHT:
            what = f"have {len(model.maps.stencil.offsets)} neighbours"
            raise InputError([Problem("maps", what, "the dense rollout of the benchmark takes 8")])
        self._model, self._gains = model, model.K
        rows, columns = model.shape
        self._ignition, self._start = (
            torch.from_numpy(cells).to(model.device).to(model.dtype)
            for cells in (model.maps.ignition, model.maps.start.fire)
        )
        self.unburned, self.burning, self.occupied = (torch.empty_like(self._ignition) for _ in range(3))
        self._retardant, self._heat, self._burnout = (torch.empty_like(self._ignition) for _ in range(3))
        self._padded = self._ignition.new_zeros((rows + 2, columns + 2))
        self._source = self._padded[1:-1, 1:-1]
        self._shifted = [self._padded[1 + i : 1 + i + rows, 1 + j : 1 + j + columns] for i, j in NEIGHBOURS]

    def __call__(self, schedule: Schedule) -> DenseRollout:
        """Roll ``schedule`` out, its footprints included."""
        model, per_period = self._model, self._model.maps.steps_per_period
        gates = gates_of(schedule, model.fleet, model.maps, model.rules)
        doses = step_doses(model, schedule, gates.executed)
        self.burning.copy_(self._ignition)
        torch.sub(1.0, self._start, out=self.unburned)
        torch.sub(1.0, self.unburned, out=self.occupied)
        self._retardant.fill_(1.0)
        treated = False
        for step in range(model.n_steps):
            water, laid = (doses[material].get(step) for material in (Material.WATER, Material.RETARDANT))
            if water is not None:
                self._wet(water)
            if laid is not None:
                self._retardant.view(-1)[laid.cells] *= _survival(laid, model.dtype)
                treated = True
            self._step(self._gains[step // per_period], treated)
        return self

    def _wet(self, water: StepDose) -> None:
        """Apply water: ``U ← clip(U + B (1 − s), 0, 1)`` and ``B ← B s``."""
        unburned, burning = self.unburned.view(-1), self.burning.view(-1)
        before, survival = burning[water.cells], _survival(water, self._model.dtype)
        unburned[water.cells] = (unburned[water.cells] + before * (1.0 - survival)).clamp_(0.0, 1.0)
        burning[water.cells] = before * survival

    def _step(self, gains: Tensor, treated: bool) -> None:
        """Run ``h = ρ_x Σ_n (ρ_e B)(n) K_n``, ``new = U (1 − e^{−h})``, then the three-state update."""
        model, heat = self._model, self._heat
        if treated and model.emitter_treated:
            torch.mul(self.burning, self._retardant, out=self._source)
        else:
            self._source.copy_(self.burning)
        torch.mul(self._shifted[0], gains[0], out=heat)
        for n in range(1, len(self._shifted)):
            heat.addcmul_(self._shifted[n], gains[n])
        if treated and model.receiver_treated:
            heat.mul_(self._retardant)
        new = heat.neg_().exp_().neg_().add_(1.0).mul_(self.unburned)
        torch.mul(self.burning, 1.0 - (1.0 - 1.0 / model.maps.t_burn), out=self._burnout)
        self.burning.add_(new).sub_(self._burnout).clamp_(0.0, 1.0)
        self.unburned.sub_(new).clamp_(0.0, 1.0)
        self.occupied.add_(1.0).sub_(self.unburned)


def _survival(dose: StepDose, dtype: torch.dtype) -> Tensor:
    """Return ``exp(−min(E, 50))``, formed in float64."""
    return torch.exp(-dose.dose.clamp(max=MAXIMUM_DOSE)).to(dtype)

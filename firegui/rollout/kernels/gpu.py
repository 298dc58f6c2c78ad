"""GPU engine: Triton kernels that skip sleeping tiles, in captured graphs, for many schedules."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import RLock
from typing import Generic, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.compact_maps import MOST_BYTES, SpreadOnDemand
from firegui.domain.schedule import Schedule
from firegui.errors import Check
from firegui.rollout.gains import SpreadGains
from firegui.rollout.kernels.gpu_arena import Arena, RolloutHistory
from firegui.rollout.kernels.gpu_drops import Tiling, band_size
from firegui.rollout.kernels.gpu_launch import Graphs, Kernels, KernelSetting, TritonKernels, triton_is_there
from firegui.rollout.kernels.gpu_rollout import GpuDayState, Rollouts
from firegui.rollout.kernels.gpu_sweep import AdjointPass
from firegui.rollout.kernels.gpu_torch import TorchKernels
from firegui.rollout.model import Model
from firegui.rollout.observe import Observer
from firegui.rollout.outcome import WHOLE, Hear, Outcome, RolloutOptions, Slopes

Result = TypeVar("Result")

Notice = Callable[[str], None]
"""Takes one plain sentence for the person at the window."""


def quiet(_: str) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True)
class MemoryStrategy(Generic[Result]):
    """One way to compute: ``run`` it, and if memory runs out say ``failed`` and take the next."""

    run: Callable[[], Result]
    failed: str = ""


@dataclass(slots=True)
class MemoryFit:
    """Sizes that fit into memory for one fire.

    They are kept so that nothing is tried, or reported, at every call. ``batch`` schedules at once, and per kind of
    work the rung that it has come down to.
    """

    batch: int
    rung: dict[str, int] = field(default_factory=dict)


def run_first_that_fits(rungs: Sequence[MemoryStrategy[Result]], notice: Notice, found: MemoryFit, kind: str) -> Result:
    """Return the result of the first rung that fits in memory.

    It starts at the rung that ``kind`` of work has come down to.
    Raises :class:`torch.cuda.OutOfMemoryError` when not even the last one does.
    """
    begin = min(found.rung.get(kind, 0), len(rungs) - 1)
    for number, rung in enumerate(rungs[begin:-1], begin):
        try:
            return rung.run()
        except torch.cuda.OutOfMemoryError:
            # The traceback holds the tensors that were allocated until here; leaving this block lets them go.
            found.rung[kind] = number + 1
        release()
        notice(rung.failed)
    return rungs[-1].run()


def release() -> None:
    """Give unused memory of the device back to it."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def free_bytes(device: str) -> int:
    """Return bytes that can be allocated on ``device``; plenty on a CPU."""
    return int(torch.cuda.mem_get_info()[0]) if device.startswith("cuda") else 2**33


Gradients = tuple[Outcome, NDArray[np.float64], NDArray[np.float64]]

TILE = (8, 32)
BATCH = 64
ON_THE_CPU = "The GPU's memory does not suffice: this is computed on the processor instead, which is slower."
SMALLER_BATCH = "The GPU's memory does not suffice for {} schedules at once: they are computed {} at a time."
TOO_LARGE = (
    "The GPU needs the spread maps whole, and these are too large for that: this is computed on the processor instead."
)
FULL_CARRY = "Gradients with the full carry are computed on the processor."
LESS_HISTORY = "The GPU's memory does not suffice for the whole history: each day is computed twice instead."


class FallbackEngine(Protocol):
    """Engine that computes when the GPU cannot."""

    def prepare(self, model: Model) -> None:
        """Lay out what a model needs."""

    def simulate(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, wanted: RolloutOptions
    ) -> Outcome:
        """Roll a schedule out."""

    def simulate_many(
        self, model: Model, schedules: Sequence[Schedule], check: Check | None, wanted: Sequence[RolloutOptions]
    ) -> list[Outcome]:
        """Roll schedules out that do not depend on each other."""

    def gain_slopes(
        self, model: Model, slopes: Slopes, hear: Hear, check: Check | None, *, through_days: bool
    ) -> NDArray[np.float32]:
        """Differentiate a misfit by the gains."""

    def gradient(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, *, alone: bool = False
    ) -> Gradients:
        """Roll a schedule out and differentiate the objective."""


class FireResources:
    """Device memory and captured graphs of one fire, made at need and kept from call to call."""

    def __init__(self, model: Model, tile: tuple[int, int], *, triton: bool) -> None:
        self.lock = RLock()
        self.kernels: Kernels = TritonKernels() if triton else TorchKernels()
        self._maps, self._gains = model.maps, model.gains
        self._tiling = Tiling(*model.shape, *tile)
        self._arenas: dict[tuple[int, int], tuple[Arena, Graphs]] = {}
        self._histories: dict[tuple[int, int], RolloutHistory] = {}
        self._span: int | None = None

    def arena(self, runs: int, span: int) -> tuple[Arena, Graphs]:
        """Return room for ``runs`` rollouts whose drops are laid out ``span`` days at a time."""
        key = (runs, span)
        if key not in self._arenas:
            if runs > 1:  # batches come in few sizes, and are large
                self.drop_batches()
            arena = Arena(self._maps, self._gains.dense(), self._tiling, runs, span)
            self._arenas[key] = (arena, Graphs(arena.device))
        return self._arenas[key]

    def history(self, span: int, n_aircraft: int) -> RolloutHistory:
        """Return room for the history of ``span`` days. Another size takes the place of the last one."""
        key = (span, n_aircraft)
        if key not in self._histories:
            self._histories.clear()
            for (_, of), (_, graphs) in self._arenas.items():
                if of == span:
                    graphs.forget()
            self._histories[key] = RolloutHistory(self._maps, self._tiling, span, n_aircraft, self._gains.device)
        return self._histories[key]

    def drop_batches(self) -> None:
        """Let the room of batches go."""
        for key in [key for key in self._arenas if key[0] > 1]:
            del self._arenas[key]

    def best_span(self) -> int:
        """Return all days where their history fits in half of the free memory, else one."""
        if self._span is None:
            days, per_day = self._maps.days, self._maps.steps_per_day
            fits = RolloutHistory.bytes_of(self._tiling, days, days, per_day) < free_bytes(self._gains.device) // 2
            self._span = days if fits else 1
        return self._span


class Gpu:
    """Engine for float32 on a CUDA device, or in Triton's interpreter on a CPU.

    ``spare`` computes when the device's memory does not suffice, ``notice`` is told so. ``tile`` is the size of a tile;
    ``dense`` runs every tile at every step, for comparison; ``span`` fixes how many days of history are kept at once;
    without ``triton`` the same launches are done in torch.
    """

    def __init__(
        self, spare: FallbackEngine, notice: Notice = quiet, *, tile: tuple[int, int] = TILE, dense: bool = False,
        span: int | None = None, triton: bool | None = None,
    ) -> None:  # fmt: skip
        self._spare, self._notice, self._tile, self._dense, self._span = spare, notice, tile, dense, span
        self._triton = triton_is_there() if triton is None else triton

    def prepare(self, model: Model) -> None:
        """Lay the gains out and compile the forward kernels."""
        empty, runs = Schedule.empty(model.n_steps, model.fleet.n_aircraft), 1 if model.device == "cpu" else 2

        def on_device() -> None:
            for _ in range(runs):  # the first compiles, the second captures
                self._many(model, [(empty, WHOLE)], None, None)

        def on_processor() -> None:
            self._spare.prepare(on_cpu(model))

        self._climb("rollout", model, [MemoryStrategy(on_device, ON_THE_CPU), MemoryStrategy(on_processor)])

    def simulate(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, wanted: RolloutOptions
    ) -> Outcome:
        """Roll a schedule out.

        The CPU is used for a start that it computed, and where the state is changed between days.
        """

        def on_device() -> Outcome:
            return self._many(model, [(schedule, wanted)], observer, check)[0]

        def on_processor() -> Outcome:
            return _ours(model, self._spare.simulate(on_cpu(model), schedule, observer, check, afresh(wanted)))

        if is_foreign(wanted) or wanted.alter is not None:
            return on_processor()
        return self._climb("rollout", model, [MemoryStrategy(on_device, ON_THE_CPU), MemoryStrategy(on_processor)])

    def gain_slopes(
        self, model: Model, slopes: Slopes, hear: Hear, check: Check | None, *, through_days: bool
    ) -> NDArray[np.float32]:
        """Compute the slopes on the CPU.

        A fit is bound by the network, and by the memory of its days.
        """
        return self._spare.gain_slopes(on_cpu(model), slopes, hear, check, through_days=through_days)

    def simulate_many(
        self, model: Model, schedules: Sequence[Schedule], check: Check | None, wanted: Sequence[RolloutOptions]
    ) -> list[Outcome]:
        """Roll schedules out side by side."""
        if any(how.alter is not None for how in wanted):
            rolled = self._spare.simulate_many(on_cpu(model), schedules, check, [afresh(how) for how in wanted])
            return [_ours(model, outcome) for outcome in rolled]
        found, jobs = self._found(model), list(zip(schedules, wanted, strict=True))
        outcomes: list[Outcome] = []
        while len(outcomes) < len(jobs):
            size = found.batch
            part = jobs[len(outcomes) : len(outcomes) + size]
            if len(part) == 1 or any(is_foreign(how) for _, how in part) or found.rung.get("rollout"):
                (one, how), nobody = part[0], Observer(model, None, keep_days=False)
                outcomes.append(self.simulate(model, one, how.last or nobody, check, how))
                continue
            rung = MemoryStrategy(partial(self._many, model, part, None, check), SMALLER_BATCH.format(size, size // 2))
            done = run_first_that_fits([rung, MemoryStrategy(list[Outcome])], self._notice, found, f"{size} at once")
            if not done:
                found.batch = size // 2
                self.stock(model).drop_batches()
            outcomes += done
        return outcomes

    def gradient(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, *, alone: bool = False
    ) -> Gradients:
        """Roll a schedule out and differentiate the objective.

        With the full carry this happens on the CPU, which is reported once.
        """
        if model.full_carry or math.isfinite(model.gradient_extent) or model.gradient_floor > 0.0:
            model.gains.layout("full carry", lambda: self._notice(FULL_CARRY))
            return self._spare.gradient(on_cpu(model), schedule, observer, check, alone=alone)
        return self._climb("gradient", model, [
            MemoryStrategy(lambda: self._gradient(model, schedule, observer, check, self._span), LESS_HISTORY),
            MemoryStrategy(lambda: self._gradient(model, schedule, observer, check, 1), ON_THE_CPU),
            MemoryStrategy(lambda: self._spare.gradient(on_cpu(model), schedule, observer, check, alone=alone)),
        ])  # fmt: skip

    def _climb(self, kind: str, model: Model, rungs: Sequence[MemoryStrategy[Result]]) -> Result:
        return run_first_that_fits(rungs, self._notice, self._found(model), kind)

    def _found(self, model: Model) -> MemoryFit:
        """Return what fits; for maps that are not laid out whole nothing does, which is reported once."""

        def find() -> MemoryFit:
            phi = model.maps.phi
            if not isinstance(phi, SpreadOnDemand) or phi.nbytes <= MOST_BYTES:
                return MemoryFit(BATCH)
            self._notice(TOO_LARGE)
            return MemoryFit(1, {"rollout": 1, "gradient": 2})

        return model.gains.layout("gpu memory", find)

    def _many(
        self,
        model: Model,
        jobs: Sequence[tuple[Schedule, RolloutOptions]],
        observer: Observer | None,
        check: Check | None,
    ) -> list[Outcome]:
        """Roll out many schedules side by side.

        Sizes are powers of two, so that few are captured. Excess runs hold no fire.
        """
        stock, runs = self.stock(model), 1 << max(len(jobs) - 1, 0).bit_length()
        schedules, wanted = [job[0] for job in jobs], [job[1] for job in jobs]
        with stock.lock:
            arena, graphs = stock.arena(runs, 1)
            rollouts = Rollouts(model, arena, stock.kernels, graphs, self._setting(model), schedules, wanted)
            return rollouts.run(observer, check)

    def _gradient(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, span: int | None
    ) -> Gradients:
        stock = self.stock(model)
        with stock.lock:
            span = span or stock.best_span()
            history = stock.history(span, model.fleet.n_aircraft)
            arena, graphs = stock.arena(1, span)
            setting = self._setting(model)
            rollouts = Rollouts(model, arena, stock.kernels, graphs, setting, [schedule], [WHOLE], history)
            (outcome,) = rollouts.run(observer, check)
            sweep = AdjointPass(rollouts, history, schedule)
            decision, pose = sweep.run(check)
        probability = 1.0 / (1.0 + np.exp(-schedule.logits))
        soft = probability * (1.0 - probability) * rollouts.lanes[0].gates.open
        return outcome, (decision + model.drop_weights) * soft, pose

    def stock(self, model: Model) -> FireResources:
        """Return device memory of the model's fire, shared by every model of the same maps."""
        model.gains.dense()
        return model.gains.layout(
            f"gpu {self._tile} {self._triton}", lambda: FireResources(model, self._tile, triton=self._triton)
        )

    def _setting(self, model: Model) -> KernelSetting:
        protected = bool(model.weights.prot) or bool(model.protected.any())
        return KernelSetting(model.receiver_treated, model.emitter_treated, protected, *band_size(model), self._dense)


def on_cpu(model: Model) -> Model:
    """Return the same model for an engine on the processor; its gains are laid out there once."""
    gains = model.gains.layout("on the processor", lambda: SpreadGains(model.maps, model.dtype, "cpu"))
    return replace(
        model, backend="cpu", device="cpu", gains=gains, protection=model.protection.cpu(),
        protected=model.protected.cpu(),
        values=None if model.values is None else model.values.on("cpu"),
    )  # fmt: skip


def _ours(model: Model, outcome: Outcome) -> Outcome:
    """Return the result of the CPU engine with states for this model."""
    return replace(outcome, states=tuple(replace(state, backend=model.backend) for state in outcome.states))


def is_foreign(wanted: RolloutOptions) -> bool:
    """Return whether the rollout goes on from a state that was computed on the processor."""
    return wanted.start is not None and not isinstance(wanted.start.body, GpuDayState)


def afresh(wanted: RolloutOptions) -> RolloutOptions:
    """Return the same options without a state that only the GPU can read.

    A state of the CPU engine is kept.
    """
    if wanted.start is None or not is_foreign(wanted):
        return replace(wanted, start=None)
    return replace(wanted, start=replace(wanted.start, backend="cpu"))

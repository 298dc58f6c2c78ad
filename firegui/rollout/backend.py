"""Picks who computes a rollout. The only place that reaches an implementation."""

from __future__ import annotations

import atexit
import hashlib
import os
import platform
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from firegui.domain.compact_maps import SpreadOnDemand
from firegui.domain.fleet import AircraftType, Fleet, Material
from firegui.domain.maps import FireMaps
from firegui.domain.schedule import Schedule
from firegui.domain.settings import NOMINAL, ObjectiveWeights, RetardantSide
from firegui.errors import Check, InputError, Problem
from firegui.io.cache_folder import processor
from firegui.io.python_process import python_command
from firegui.rollout import closed_form, reference
from firegui.rollout.alteration import Alteration
from firegui.rollout.day_state import UNBOUNDED, Bounds, exceeded, state_of
from firegui.rollout.engine_message import ACTIVE_FRONT, ACTIVE_TILES, EngineMessage, MessageCallback
from firegui.rollout.kernels.gpu import ON_THE_CPU, TOO_LARGE, Gpu
from firegui.rollout.kernels.gpu_launch import triton_is_there
from firegui.rollout.machine import compilers, kernel_folder
from firegui.rollout.measure import Losses, metrics_of
from firegui.rollout.model import Model, build
from firegui.rollout.observe import Observer, StateView
from firegui.rollout.outcome import Hear, Outcome, RolloutOptions, Slopes

try:
    import numba  # noqa: F401
except ImportError as error:
    NO_KERNELS = str(error)
else:
    from firegui.rollout.kernels.cpu import ActiveFront

    NO_KERNELS = ""

BACKENDS = ("auto", "reference", "cpu", "cuda")
PRECISIONS = ("float32", "float64")
IN_TORCH = "windowed torch"
NOT_ON_THE_GPU = (
    "The processor makes the spread maps where the fire goes, and computes the fire there too. A GPU needs the maps "
    "whole; choose it as the device if they are to be laid out for it."
)

Gradients = tuple[Outcome, NDArray[np.float64], NDArray[np.float64]]


class RolloutBackend(Protocol):
    """Interface of a backend."""

    def prepare(self, model: Model) -> None:
        """Lay out the model's maps and compile the kernels, so that no rollout pays for it."""

    def simulate(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, wanted: RolloutOptions
    ) -> Outcome:
        """Roll a schedule out."""

    def simulate_many(
        self, model: Model, schedules: Sequence[Schedule], check: Check | None, wanted: Sequence[RolloutOptions]
    ) -> list[Outcome]:
        """Roll schedules out that do not depend on each other."""

    def gradient(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, *, alone: bool = False
    ) -> Gradients:
        """Roll a schedule out and differentiate the objective."""

    def gain_slopes(
        self, model: Model, slopes: Slopes, hear: Hear, check: Check | None, *, through_days: bool
    ) -> NDArray[np.float32]:
        """Roll the fire out without drops and differentiate a misfit of its days by the gains."""


def use_threads() -> int:
    """Give torch half of the cores, or ``FIREGUI_THREADS``, and return how many.

    A thread of torch that has to wait for a core makes the others spin: with a window or a second run on the same cores
    the rollout becomes many times slower than on one thread. The number is the same for every run on a machine, so that
    sums are formed in the same order.
    """
    threads = _asked_threads() or max(1, (os.cpu_count() or 1) // 2)
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    return threads


def kernel_threads() -> int:
    """Return how many threads the kernels use: every core, or ``FIREGUI_THREADS`` of them.

    Unlike torch's, none waits for one that was not given a core.
    """
    cores = os.cpu_count() or 1
    return min(_asked_threads() or cores, cores)


def _asked_threads() -> int:
    asked = os.environ.get("FIREGUI_THREADS", "")
    return int(asked) if asked.isdecimal() else 0


def choose(name: str) -> tuple[str, str]:
    """Return ``(backend, torch device)`` for a name of :data:`BACKENDS`.

    ``auto`` takes a GPU where there is one.

    Raises :class:`~firegui.errors.InputError` for an unknown name and for a GPU that is not there.
    """
    if name not in BACKENDS:
        raise InputError([Problem("backend", f"{name!r} is unknown", f"choose one of {', '.join(BACKENDS)}")])
    use_threads()
    has_gpu = torch.cuda.is_available()
    if name == "cuda" and not has_gpu:
        raise InputError([Problem("backend", "no CUDA device is available", "choose auto or cpu")])
    if name == "auto":
        name = "cuda" if has_gpu else "cpu"
    return name, "cuda" if name == "cuda" else "cpu"


def device_for(maps: FireMaps, name: str, tell: MessageCallback) -> tuple[str, str]:
    """Return :func:`choose` for these maps.

    ``auto`` leaves maps that are made where the fire goes to the processor, with a message: a GPU needs them whole,
    although a fire reads a small part.
    """
    backend, device = choose(name)
    if device == "cpu" or name != "auto" or not isinstance(maps.phi, SpreadOnDemand):
        return backend, device
    tell(EngineMessage(NOT_ON_THE_GPU, device="cpu"))
    return "cpu", "cpu"


def devices() -> dict[str, Any]:
    """Return torch's version, the number of kernel threads and the names of the graphics cards."""
    cards = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    use_threads()
    return {"torch": str(torch.__version__), "threads": kernel_threads(), "cuda": cards}


def kernel_compilers() -> dict[str, Any]:
    """Return :func:`~firegui.rollout.machine.compilers` and, as ``trouble``, why the CPU has no kernels."""
    return {**compilers(), "trouble": NO_KERNELS}


def dtype_of(precision: str) -> torch.dtype:
    """Return the number type called ``precision``.

    Raises :class:`~firegui.errors.InputError` for an unknown name.
    """
    if precision not in PRECISIONS:
        raise InputError([Problem("precision", f"{precision!r} is unknown", f"choose one of {', '.join(PRECISIONS)}")])
    return torch.float64 if precision == "float64" else torch.float32


def engine(model: Model) -> RolloutBackend:
    """Return the implementation behind ``model.backend``.

    The kernels compute in float32, as the fire model is meant to be.
    """
    if model.backend == "reference":
        return _Reference()
    if model.dtype != torch.float32 or model.in_torch:
        return _ClosedForm()
    on_cpu: RolloutBackend = _ClosedForm() if NO_KERNELS else ActiveFront(kernel_threads())
    return on_cpu if model.backend == "cpu" else Gpu(on_cpu, partial(_pass_on, model))


def prepare(model: Model, check: Check | None = None) -> None:
    """Prepare a model for rollouts. What the kernels compile on their first use is compiled now."""
    chosen = engine(model)
    if model.backend == "cpu" and not isinstance(chosen, _ClosedForm):
        compile_once(chosen, kernel_folder(), model.tell, len(model.maps.stencil.offsets), check)
    chosen.prepare(model)


def without_waiting(model: Model) -> Model:
    """Return a model that can be rolled out at once.

    Where the kernels are not compiled yet, a process begins to, and a small fire is computed by torch: it is there in
    seconds, the kernels in half a minute. The last digits of its numbers differ. A larger fire is left to the kernels.
    """
    folder, neighbours = kernel_folder(), len(model.maps.stencil.offsets)
    is_small = model.n_cells * model.n_steps <= MOST_IN_TORCH
    if model.backend != "cpu" or isinstance(engine(model), _ClosedForm) or folder is None or not is_small:
        return model
    if (folder / _name(neighbours)).exists() or _compiling(neighbours) is None:
        return model
    return replace(model, in_torch=True)


def method(model: Model) -> str:
    """Return how the model is computed, for people: ``active-front kernels``."""
    if model.backend == "reference":
        return "plain reference (slow)"
    if model.dtype != torch.float32:
        return f"{IN_TORCH}, in double precision"
    if model.backend == "cpu":
        return f"{IN_TORCH} (slower, for want of numba)" if NO_KERNELS else ACTIVE_FRONT
    return ACTIVE_TILES if triton_is_there() else "active-tile kernels in torch (Triton is missing)"


def _pass_on(model: Model, text: str) -> None:
    """Tell what the GPU's engine says when its memory does not suffice."""
    model.tell(EngineMessage(text, "warning", "cpu" if text in (ON_THE_CPU, TOO_LARGE) else ""))


class _Whole:
    """Base class of engines that know only whole rollouts.

    A later start and a bound change the result, but not the work.
    """

    def prepare(self, model: Model) -> None:
        model.gains.dense()

    def simulate(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, wanted: RolloutOptions
    ) -> Outcome:
        outcome = self._roll(model, schedule, observer, check, wanted.alter)
        first = wanted.start.day if wanted.start is not None else 0
        days = range(first, model.maps.days) if wanted.keep_states else ()
        states = tuple(state_of(model, schedule, outcome.executed, day, None) for day in days)
        return replace(outcome, states=states, exceeded=exceeded(model, outcome.metrics, wanted.bounds))

    def simulate_many(
        self, model: Model, schedules: Sequence[Schedule], check: Check | None, wanted: Sequence[RolloutOptions]
    ) -> list[Outcome]:
        nobody = Observer(model, None, keep_days=False)
        pairs = zip(schedules, wanted, strict=True)
        return [self.simulate(model, schedule, how.last or nobody, check, how) for schedule, how in pairs]

    def gain_slopes(
        self, model: Model, slopes: Slopes, hear: Hear, check: Check | None, *, through_days: bool
    ) -> NDArray[np.float32]:
        return reference.gain_slopes(model, slopes, hear, check, through_days=through_days)

    def _roll(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, alter: Alteration | None
    ) -> Outcome:
        raise NotImplementedError


class _ClosedForm(_Whole):
    """Windowed torch: any precision, any device."""

    def _roll(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, alter: Alteration | None
    ) -> Outcome:
        return closed_form.simulate(model, schedule, observer, check, alter)

    def gradient(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, *, alone: bool = False
    ) -> Gradients:
        return closed_form.gradient(model, schedule, observer, check)


class _Reference(_Whole):
    """Dense torch and autograd, adapted to the same answers."""

    def _roll(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, alter: Alteration | None
    ) -> Outcome:
        trajectory = reference.simulate(model, schedule, alter=alter, check=check)
        return self._outcome(model, schedule, trajectory, observer)

    def gradient(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, *, alone: bool = False
    ) -> Gradients:
        values = reference.variables(schedule, differentiable=True)
        trajectory = reference.simulate(
            model,
            schedule,
            differentiable=True,
            full_carry=model.full_carry,
            values=values,
            extent=model.gradient_extent,
            check=check,
        )
        outcome = self._outcome(model, schedule, trajectory, observer)
        empty = np.zeros(schedule.logits.shape)
        if not model.is_differentiated(outcome.metrics):
            return outcome, empty, np.zeros(schedule.poses.shape)
        logit, pose = torch.autograd.grad(trajectory.objective, [values.logits, values.poses], allow_unused=True)
        executed = outcome.executed[:, :, None]
        return (
            outcome,
            empty if logit is None else logit.numpy(),
            np.zeros(schedule.poses.shape) if pose is None else pose.numpy() * executed,
        )

    @staticmethod
    def _outcome(model: Model, schedule: Schedule, trajectory: reference.Trajectory, observer: Observer) -> Outcome:
        whole = (slice(0, model.shape[0]), slice(0, model.shape[1]))
        states = zip(trajectory.unburned, trajectory.burning, trajectory.retardant, strict=True)
        total = 0.0
        for step, (unburned, burning, retardant) in enumerate(states):
            total += float((1.0 - unburned.detach()).double().sum())
            observer.see(step, StateView(whole, unburned.detach(), burning.detach(), whole, retardant.detach()))
        last = (1.0 - trajectory.unburned[-1]).detach().double()
        terms = (trajectory.burn, trajectory.final, trajectory.prot, trajectory.objective, trajectory.val)
        values = model.values
        lost = () if values is None else values.on("cpu").lost(last)
        burn, final, prot, objective, val = (float(term.detach()) for term in terms)
        losses = Losses(burn, final, prot, objective, val, lost)
        proposed, executed = int(schedule.proposed.sum()), trajectory.gates.executed.sum(axis=0)
        metrics = metrics_of(
            model, float(last.sum()), float(last[model.protected.cpu()].sum()), total, losses, proposed, executed,
            trajectory.gates.executed,
        )  # fmt: skip
        return Outcome(metrics, trajectory.gates.executed)


COMPILING = "Compiling the kernels, once on this computer (about half a minute)…"
SHAPE, DAYS, STEPS_PER_DAY = (24, 40), 2, 6
MOST_IN_TORCH = 100_000_000
"""Cells times steps up to which torch computes a fire sooner than the kernels are compiled; the demo has 14 million."""
_EVERY_SECONDS = 0.1
_STARTING, _COMPILERS = threading.Lock(), dict[int, "subprocess.Popen[bytes]"]()
"""Processes that compile, by the neighbours of their stencil."""
_COMPILE = "from firegui.rollout.backend import ActiveFront, exercise; exercise(ActiveFront(1), int(sys.argv[2]))"


class Compiled(Protocol):
    """An engine that compiles what it calls."""

    def prepare(self, model: Model) -> None:
        """Lay out what a model needs."""

    def simulate(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, wanted: RolloutOptions
    ) -> Outcome:
        """Roll a schedule out."""

    def gradient(
        self, model: Model, schedule: Schedule, observer: Observer, check: Check | None, *, alone: bool = False
    ) -> tuple[Outcome, NDArray[np.float64], NDArray[np.float64]]:
        """Roll a schedule out and differentiate the objective."""

    def gain_slopes(
        self, model: Model, slopes: Slopes, hear: Hear, check: Check | None, *, through_days: bool
    ) -> NDArray[np.float32]:
        """Differentiate a misfit by the gains."""


def compile_once(
    engine: Compiled, folder: Path | None, tell: MessageCallback, neighbours: int, check: Check | None = None
) -> None:
    """Compile everything for a stencil.

    Nothing is done if ``folder``, where that is kept, says that it has been.
    """
    note = None if folder is None else folder / _name(neighbours)
    if note is not None and note.exists():
        return
    tell(EngineMessage(COMPILING))
    if folder is not None:
        _compile_elsewhere(neighbours, check)
    exercise(engine, neighbours)
    if note is not None:
        with suppress(OSError):
            note.touch()


def _compile_elsewhere(neighbours: int, check: Check | None) -> None:
    """Compile in another process, which keeps the result for this one.

    Compilation cannot be interrupted, and this process would not answer meanwhile. When ``check`` raises, the other
    goes on for the next caller, and ends with this process at the latest. What it does not compile is compiled here.
    """
    process = _compiling(neighbours)
    if process is None:
        return
    while process.poll() is None:
        if check is not None:
            check()
        time.sleep(_EVERY_SECONDS)
    with _STARTING:
        _COMPILERS.pop(neighbours, None)


def _compiling(neighbours: int) -> subprocess.Popen[bytes] | None:
    """Return the process that compiles, started unless there is one; ``None`` where none can be started."""
    with _STARTING:
        process = _COMPILERS.get(neighbours) or _compiler(neighbours)
        if process is not None:
            _COMPILERS[neighbours] = process
        return process


def _compiler(neighbours: int) -> subprocess.Popen[bytes] | None:
    """Start a process that compiles; ``None`` where none can be started."""
    command, silent = python_command(_COMPILE, str(neighbours)), subprocess.DEVNULL
    try:
        process = subprocess.Popen(command, stdin=silent, stdout=silent, stderr=silent, start_new_session=True)
    except OSError:
        return None
    atexit.register(process.kill)
    return process


def exercise(engine: Compiled, neighbours: int) -> None:
    """Do everything that an engine can do, on a fire of a few cells."""
    model, schedule = _fire(neighbours)
    engine.prepare(model)
    observer = Observer(model, 1, keep_days=True)
    whole = engine.simulate(model, schedule, observer, None, RolloutOptions(None, UNBOUNDED, keep_states=True))
    tight = Bounds(burn=0.5 * whole.metrics.loss_burn)
    nobody = Observer(model, None, keep_days=False)
    engine.simulate(model, schedule, nobody, None, RolloutOptions(whole.states[-1], tight, keep_states=False))
    dimmer = Alteration(lambda day, window, unburned, burning: (unburned, burning * 0.5))
    engine.simulate(model, schedule, nobody, None, RolloutOptions(alter=dimmer))
    engine.gradient(model, schedule, nobody, None)
    engine.gradient(replace(model, full_carry=True), schedule, nobody, None)
    engine.gain_slopes(model, np.ones_like, lambda day, slopes: None, None, through_days=True)


def _fire(neighbours: int) -> tuple[Model, Schedule]:
    """Return a fire in calm air with an aircraft of each material; some drop, some only might."""
    days = (DAYS, *SHAPE)
    ignition = np.zeros(SHAPE, bool)
    ignition[8:12, 12:20] = True
    maps = FireMaps(
        phi=np.full((DAYS, neighbours, *SHAPE), 0.8 / neighbours, np.float32), gamma=np.ones(days, np.float32),
        burnable=np.ones(SHAPE, bool), wind_speed=np.zeros(days, np.float32), wind_dir=np.zeros(days, np.float32),
        ignition=ignition, t_burn=6.0, steps_per_day=STEPS_PER_DAY, cell_size_m=30.0, c_req=2.7,
    )  # fmt: skip
    fleet = Fleet(tuple(_aircraft(material) for material in Material))
    schedule = Schedule.empty(maps.n_steps, fleet.n_aircraft)
    schedule.logits[:] = np.where(np.arange(maps.n_steps) % 3 == 1, 1.0, -1.0)[:, None]
    schedule.poses[:] = (10.0, 16.0, 0.3)
    model = build(
        maps, fleet, ignition[None], [1.0], weights=ObjectiveWeights(1.0, 1.0, 1.0, 1e-6), effectiveness=NOMINAL,
        retardant_acts_on=RetardantSide.BOTH, backend="cpu", device="cpu",
    )  # fmt: skip
    return model, schedule


def _aircraft(material: Material) -> AircraftType:
    return AircraftType(
        id=material.name, type=material.name, count=1, material=material, payload_gal=900.0, turnaround_h=0.0,
        speed_ms=60.0, drop_duration_s=3.0, drop_height_m=50.0, sigma_parallel_m=70.0, sigma_perpendicular_m=12.0,
    )  # fmt: skip


def _name(neighbours: int) -> str:
    compiled = f"{Path(__file__).parent} {processor()} {platform.machine()} {platform.python_version()}"
    return f"complete-{neighbours}-{hashlib.sha256(compiled.encode()).hexdigest()[:16]}"

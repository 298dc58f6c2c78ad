"""Functions and classes of the engine that runs and commands use, each imported on first use.

torch takes seconds to load and the window must not wait for it. Importing any module of :mod:`firegui.runs` loads no
torch.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

CPU_NAME = "the CPU"
"""Name of the device that is this computer's processor."""

T = TypeVar("T")


class LazyPackage:
    """Stand-in for a package: ``LazyPackage("a").b.c`` imports the module ``a.b`` and returns ``c``."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        module = import_module(self._path)
        return LazyPackage(f"{self._path}.{name}") if hasattr(module, "__path__") else getattr(module, name)


class Lazy(Generic[T]):
    """Class attribute whose value is looked up at each access, so that defining it imports nothing."""

    def __init__(self, find: Callable[[], T]) -> None:
        self._find = find

    def __get__(self, instance: object, owner: type) -> T:
        return self._find()


if TYPE_CHECKING:
    import firegui.calibration.factor_fit
    import firegui.calibration.forecast
    import firegui.calibration.network_fit
    import firegui.calibration.skill_figures
    import firegui.ensembles.ensemble
    import firegui.ensembles.ensemble_figures
    import firegui.ensembles.random_field
    import firegui.ensembles.residuals
    import firegui.ensembles.weather
    import firegui.fire.demo
    import firegui.fire.maps
    import firegui.planning.audit
    import firegui.planning.benchmark
    import firegui.planning.benchmark_figures
    import firegui.planning.exercise
    import firegui.planning.fast_search
    import firegui.planning.flight_rules
    import firegui.planning.initialization
    import firegui.planning.margin
    import firegui.planning.margin_figures
    import firegui.planning.problem
    import firegui.planning.repair
    import firegui.planning.replan
    import firegui.planning.run_fire
    import firegui.planning.scaling
    import firegui.planning.scaling_figures
    import firegui.planning.sensitivity
    import firegui.planning.sensitivity_figures
    import firegui.planning.stress
    import firegui.planning.study_figures
    import firegui.planning.tactical_plan
    import firegui.planning.trial_run
    import firegui.planning.two_stage
    import firegui.rollout.backend
    import firegui.rollout.benchmark
    import firegui.rollout.front_speed
    import firegui.rollout.preview
    import firegui.rollout.simulate
    import firegui.rollout.synthetic_fires
else:
    firegui = LazyPackage("firegui")


ALWAYS_THERE = ("auto", "cpu", "reference")
"""Backends that every machine has."""


class Engine:
    """The engine's functions and classes. Tests replace the whole engine or single names."""

    # Fire and rollouts.
    make_demo = Lazy(lambda: firegui.fire.demo.make_demo)
    project_maps = Lazy(lambda: firegui.fire.maps.project_maps)
    with_burning_centres = Lazy(lambda: _after_torch(lambda: firegui.planning.problem.with_burning_centres))
    build = Lazy(lambda: _after_torch(lambda: firegui.planning.problem.build))
    simulate = Lazy(lambda: firegui.rollout.simulate.simulate)
    gradient = Lazy(lambda: firegui.rollout.simulate.simulate_with_gradient)
    fire_by_hour = Lazy(lambda: firegui.rollout.simulate.fire_by_hour)
    preview_rollout = Lazy(lambda: firegui.rollout.preview.preview_rollout)
    drops = Lazy(lambda: firegui.rollout.simulate.model_drops)

    # Planning.
    start_schedule = Lazy(lambda: firegui.planning.initialization.initial_schedule)
    planner = Lazy(lambda: firegui.planning.fast_search.planner)
    restore_planner = Lazy(lambda: firegui.planning.fast_search.restore_planner)
    eliminator = Lazy(lambda: firegui.planning.two_stage.eliminator)
    margin_planning = Lazy(lambda: firegui.planning.margin.MarginPlanning)
    smoother = Lazy(lambda: firegui.planning.two_stage.smoother)
    smoothing_charge = Lazy(lambda: firegui.planning.two_stage.smoothing_charge)
    tactical = Lazy(lambda: firegui.planning.tactical_plan.tactical_plan)
    replanner = Lazy(lambda: firegui.planning.replan.Replanner)
    run_fire = Lazy(lambda: firegui.planning.run_fire.run_fire)
    fire_without_drops = Lazy(lambda: firegui.planning.run_fire.fire_without_drops)
    task_run = Lazy(lambda: firegui.planning.trial_run.TaskRun)
    missing_extra = Lazy(lambda: firegui.planning.benchmark.missing_extra)
    sensitivity_rows = Lazy(lambda: firegui.planning.sensitivity.rows_of)
    stress_table = Lazy(lambda: firegui.planning.stress.stress_table)
    stress_world = Lazy(lambda: firegui.planning.stress.stress_world)
    flown_in = Lazy(lambda: firegui.planning.stress.flown_in)
    stress_draw = Lazy(lambda: firegui.planning.stress.stress_draw)
    plan_repair = Lazy(lambda: firegui.planning.repair.PlanRepair)
    exercise = Lazy(lambda: firegui.planning.exercise.exercise_of_draw)
    flown_world = Lazy(lambda: firegui.planning.exercise.FlownWorld)
    exercise_in = Lazy(lambda: firegui.planning.exercise.Exercise)
    exercise_state = Lazy(lambda: firegui.planning.exercise.ExerciseState)
    belief = Lazy(lambda: firegui.planning.repair.Belief)
    scaling = Lazy(lambda: firegui.planning.scaling.ScalingTimer)
    audit = Lazy(lambda: firegui.planning.audit.audit)
    executed = Lazy(lambda: firegui.planning.flight_rules.executed_drops)

    # Ensembles and fits.
    fit_error = Lazy(lambda: firegui.ensembles.residuals.fit_error_model)
    ensemble = Lazy(lambda: firegui.ensembles.ensemble.run_ensemble)
    member_portions = Lazy(lambda: firegui.ensembles.ensemble.MemberPortions)
    member = Lazy(lambda: firegui.ensembles.ensemble.member_rollout)
    member_winds = Lazy(lambda: firegui.ensembles.ensemble.all_weather)
    error_field = Lazy(lambda: firegui.ensembles.random_field.error_field)
    with_wind = Lazy(lambda: firegui.ensembles.weather.with_wind)
    forecast = Lazy(lambda: firegui.calibration.forecast.forecast)
    fit_factors = Lazy(lambda: firegui.calibration.factor_fit.fit_factors)
    fit_network = Lazy(lambda: firegui.calibration.network_fit.fit_network)
    fitted_weights = Lazy(lambda: firegui.calibration.network_fit.weights_of_state)

    # Figures: matplotlib takes a moment to load.
    draw_benchmark = Lazy(lambda: firegui.planning.benchmark_figures.draw)
    draw_ensemble = Lazy(lambda: firegui.ensembles.ensemble_figures.draw)
    draw_margin = Lazy(lambda: firegui.planning.margin_figures.draw)
    draw_scaling = Lazy(lambda: firegui.planning.scaling_figures.draw)
    draw_sensitivity = Lazy(lambda: firegui.planning.sensitivity_figures.draw)
    draw_skill = Lazy(lambda: firegui.calibration.skill_figures.draw)
    draw_study = Lazy(lambda: firegui.planning.study_figures.draw)

    # The machine.
    choose = Lazy(lambda: firegui.rollout.backend.choose)
    method = Lazy(lambda: firegui.rollout.backend.method)
    devices = Lazy(lambda: firegui.rollout.backend.devices)
    compilers = Lazy(lambda: firegui.rollout.backend.kernel_compilers)
    benchmark = Lazy(lambda: firegui.rollout.benchmark.benchmark_machine)
    ellipse_front = Lazy(lambda: firegui.rollout.front_speed.ellipse_front)
    synthetic_fire = Lazy(lambda: firegui.rollout.synthetic_fires.synthetic_fire)

    def check_backend(self, name: str) -> None:
        """Raise :class:`~firegui.errors.InputError` for a backend that is unknown or not there.

        Those of :data:`ALWAYS_THERE` are accepted without loading torch.
        """
        if name not in ALWAYS_THERE:
            self.choose(name)

    def device_name(self, device: str) -> str:
        """Return ``the CPU`` or ``the GPU NVIDIA H200``; ``the GPU`` where it is not on this machine."""
        if not device.startswith("cuda"):
            return CPU_NAME
        cards = self.devices()["cuda"]
        return f"the GPU {cards[0]}" if cards else "the GPU"


def _after_torch(find: Callable[[], T]) -> T:
    """Import torch without stalling other threads, then return what ``find`` finds."""
    if "torch" not in sys.modules:
        with _garbage_collection_off():
            _load_torch_libraries()
            import_module("torch")
            return find()
    return find()


# In the order in which torch loads them on Linux; their dependencies are in the same folder.
_LIBRARIES = ("libtorch_global_deps.so", "libc10.so", "libtorch_cpu.so")


def _load_torch_libraries() -> None:
    """Load torch's shared libraries ahead of its import. Where that fails, torch loads them itself.

    They are 430 MB. The import of torch loads them while it holds the interpreter's lock, half a second from memory and
    over a second from disk, in which no thread can run. ``ctypes.CDLL`` would hold it, too. A function that ``ctypes``
    calls runs without the lock, so this calls the loader as one.
    """
    if "torch" in sys.modules or sys.platform != "linux":
        return
    with suppress(ImportError, AttributeError, OSError, ValueError):
        spec = find_spec("torch")
        if spec is None or spec.origin is None:
            return
        folder = Path(spec.origin).parent / "lib"
        load = ctypes.CDLL(None).dlopen
        load.argtypes, load.restype = (ctypes.c_char_p, ctypes.c_int), ctypes.c_void_p
        for name in _LIBRARIES:
            file = folder / name
            if file.is_file():
                # torch loads the first one with global symbols.
                load(os.fsencode(file), os.RTLD_NOW | (os.RTLD_GLOBAL if name == _LIBRARIES[0] else os.RTLD_LOCAL))


@contextmanager
def _garbage_collection_off() -> Iterator[None]:
    """Disable the garbage collector inside, and exempt the objects made from later collections.

    A collection visits every object while it holds the interpreter's lock. torch makes a million objects, which take a
    fifth of a second each time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()

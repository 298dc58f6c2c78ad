"""The engine as runs and commands see it, loaded when the first run needs it.

torch takes seconds to load and the window must not wait for it, so the modules of ``fire``, ``rollout`` and
``planning`` are imported by name at the first call. This module and its parts, ``engine_*``, are the one place with a
late import of the engine; importing any module of :mod:`firegui.runs` loads no torch.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.runs.engine_figures import FigureCalls
from firegui.runs.engine_fits import FitCalls
from firegui.runs.engine_planning import PlanningCalls
from firegui.runs.engine_rollouts import RolloutCalls


class LazyEngine(RolloutCalls, PlanningCalls, FitCalls, FigureCalls):
    """The real engine. Each call imports the module that it needs, and no more: an audit loads no torch."""

    def chosen(self, backend: str) -> str:
        """The backend that computes when ``backend`` is asked for here (:func:`firegui.rollout.backend.choose`)."""
        return str(import_module("firegui.rollout.backend").choose(backend)[0])

    def check_backend(self, name: str) -> None:
        """Raise :class:`~firegui.errors.InputError` for a backend that is unknown or not there. ``auto`` always is."""
        if name != "auto":
            import_module("firegui.rollout.backend").choose(name)

    def device_name(self, device: str) -> str:
        """``the CPU``, ``the GPU NVIDIA H200``; ``the GPU`` where it is not on this machine."""
        if not device.startswith("cuda"):
            return "the CPU"
        cards = self.devices()["cuda"]
        return f"the GPU {cards[0]}" if cards else "the GPU"

    def benchmark(
        self, fire: tuple[str, FireMaps] | None, fleet: Fleet, rounds: int, say: Callable[[str], None]
    ) -> dict[str, Any]:
        """See :func:`firegui.rollout.benchmark.benchmark`; ``fire`` is a name and its maps, None a synthetic one."""
        module = import_module("firegui.rollout.benchmark")
        if fire is None:
            say("making a synthetic fire")
            fire = "synthetic fire", import_module("firegui.rollout.yardstick").synthetic_fire()
        backends = ("cpu", "cuda") if self.devices()["cuda"] else ("cpu",)
        found: dict[str, Any] = module.benchmark(*fire, fleet, module.Extent(backends=backends, rounds=rounds), say)
        return found

    def kernels(self) -> dict[str, Any]:
        """What compiles the kernels (:mod:`firegui.rollout.machine`); ``trouble`` is why the CPU has none."""
        trouble = import_module("firegui.rollout.backend").NO_KERNELS
        found: dict[str, Any] = import_module("firegui.rollout.machine").compilers()
        return {**found, "trouble": trouble}

    def devices(self) -> dict[str, Any]:
        """What the engine can compute on: torch's version, the kernels' threads and the graphics cards."""
        torch = import_module("torch")
        cards = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
        backend = import_module("firegui.rollout.backend")
        backend.use_threads()
        return {"torch": str(torch.__version__), "threads": int(backend.kernel_threads()), "cuda": cards}


def load_engine() -> LazyEngine:
    """The engine; nothing is imported until it is used."""
    return LazyEngine()

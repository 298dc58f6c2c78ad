"""firegui plans the aerial attack on a wildfire by gradient descent through a frozen fire model.

The names in ``__all__`` are the public Python interface. Each is loaded on first use: ``import firegui`` loads neither
torch nor the window.
"""

from __future__ import annotations

from importlib import import_module

# What typing.TYPE_CHECKING is; loading typing would take longer than all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from firegui.api.benchmarks import benchmark as benchmark
    from firegui.api.ensembles import uncertainty as uncertainty
    from firegui.api.exports import export as export
    from firegui.api.fronts import front_speed as front_speed
    from firegui.api.new_projects import demo as demo
    from firegui.api.new_projects import import_landscape as import_landscape
    from firegui.api.new_projects import import_maps as import_maps
    from firegui.api.plans import plan as plan
    from firegui.api.plans import prune as prune
    from firegui.api.projects import open_project as open
    from firegui.api.replans import replan as replan
    from firegui.api.rollouts import evaluate as evaluate
    from firegui.api.stress_tests import stress_test as stress_test
    from firegui.errors import InputError as InputError
    from firegui.runs.control import RunControl as RunControl

_PUBLIC = {
    "InputError": "firegui.errors:InputError",
    "RunControl": "firegui.runs.control:RunControl",
    "benchmark": "firegui.api.benchmarks:benchmark",
    "demo": "firegui.api.new_projects:demo",
    "evaluate": "firegui.api.rollouts:evaluate",
    "export": "firegui.api.exports:export",
    "front_speed": "firegui.api.fronts:front_speed",
    "import_landscape": "firegui.api.new_projects:import_landscape",
    "import_maps": "firegui.api.new_projects:import_maps",
    "open": "firegui.api.projects:open_project",
    "plan": "firegui.api.plans:plan",
    "prune": "firegui.api.plans:prune",
    "replan": "firegui.api.replans:replan",
    "stress_test": "firegui.api.stress_tests:stress_test",
    "uncertainty": "firegui.api.ensembles:uncertainty",
}
"""Module and name of every public name."""

__all__ = [
    "InputError",
    "RunControl",
    "benchmark",
    "demo",
    "evaluate",
    "export",
    "front_speed",
    "import_landscape",
    "import_maps",
    "open",
    "plan",
    "prune",
    "replan",
    "stress_test",
    "uncertainty",
]


if not TYPE_CHECKING:  # with it a type checker would accept every name

    def __getattr__(name: str) -> Any:
        """Return a public name, imported now."""
        if name not in _PUBLIC:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module, attribute = _PUBLIC[name].split(":")
        found = getattr(import_module(module), attribute)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """Return the names of the module, public ones that were not used yet among them."""
    return sorted({*globals(), *__all__})

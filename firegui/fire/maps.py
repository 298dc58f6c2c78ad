"""The maps of a project's planning window, from whichever fire model it names."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firegui.assets import installed_version
from firegui.domain.coverage import RequiredCoverage
from firegui.domain.fleet import Fleet
from firegui.domain.maps import FireMaps
from firegui.domain.observation import FireState, fire_at_start
from firegui.domain.operations import Operations
from firegui.domain.project import KINDS, Project
from firegui.domain.settings import PlanSettings
from firegui.errors import Check, InputError, Problem, Problems
from firegui.fire.barriers import with_barriers
from firegui.fire.learned import network_maps
from firegui.fire.parameters import ScalarParameters
from firegui.fire.physical_maps import physical_maps
from firegui.fire.scalar import scalar_maps
from firegui.io.array_cache import maps_cache
from firegui.io.cache_folder import code_digest, processor
from firegui.io.project.store import project_hash

Maker = Callable[[Project, NDArray[np.bool_], Check | None], FireMaps]
"""From a project and where it burns, ``[H, W]``, to the maps of its planning window; a check may raise to cancel."""


def project_maps(project: Project, check: Check | None = None) -> FireMaps:
    """Return :func:`compute_maps` of a project, from disk where they are kept.

    The arrays are kept from one process to the next without barriers, and are the same bit for bit.
    Raises :class:`~firegui.errors.InputError` like it.
    """
    large = project.scenario.grid.n_cells * project.plan.days >= LEAST_CELL_DAYS
    cache = maps_cache() if large and project.fire_model.kind in _KEPT_KINDS else None
    key = None if cache is None else maps_key(project)
    if cache is None or key is None:
        return compute_maps(project, check)
    state = _start_of(project)
    kept = cache.read(key, _KEPT)
    if kept is None:
        maps = _bare_maps(project, check)
        cache.write(key, {name: np.asarray(getattr(maps, name)) for name in _KEPT})
        return with_barriers(maps, project)
    plan, event = project.plan, project.scenario
    window = slice(plan.start_day, plan.start_day + plan.days)
    found = FireMaps(
        kept["phi"], kept["gamma"], kept["burnable"], event.wind_speed[window], event.wind_dir[window], state.burning,
        float(kept["t_burn"]), event.steps_per_day, event.grid.cell_size_m, project.coverage.c_req,
    ).with_ignition(state.burning, state.burned)  # fmt: skip
    return with_barriers(found, project)


def compute_maps(project: Project, check: Check | None = None) -> FireMaps:
    """Return the spread maps of days ``plan.start_day … plan.start_day + plan.days − 1``, computed anew.

    They burn from the perimeter of the start day, as the plan says.

    Kind ``"maps"`` cuts the window out of the imported maps and keeps their burn duration, steps a day and required
    coverage; the others evaluate a model on the event, with the project's required coverage. All are reduced by the
    project's barriers (:mod:`firegui.fire.barriers`). ``check`` may raise to cancel.
    Raises :class:`~firegui.errors.InputError` when there is no such model, no weather for the window or nothing that
    burns.
    """
    return with_barriers(_bare_maps(project, check), project)


def _bare_maps(project: Project, check: Check | None) -> FireMaps:
    """Return the same without barriers."""
    state = _start_of(project)
    kind = project.fire_model.kind
    maps = _MAKERS[kind](project, state.burning, check).with_ignition(state.burning, state.burned)
    return maps if kind == "maps" else replace(maps, c_req=project.coverage.c_req)


LEAST_CELL_DAYS = 100_000
"""Cells times days of the smallest maps that are kept; smaller ones are computed in no time."""

_KEPT_KINDS = ("network", "scalar")
"""Fire models whose maps are kept: those of the physical model are made where the fire goes, imported ones read."""

_KEPT = ("phi", "gamma", "burnable", "t_burn")
"""Fields of maps that are kept. The others are the project's own."""

_LIBRARIES = ("numpy", "torch", "numba")
_SETTINGS = ("MKL_CBWR", "ATEN_CPU_CAPABILITY")
"""Variables of the environment on which the last bits of torch's functions depend."""


def maps_key(project: Project) -> str | None:
    """Return the hash of all that decides the maps of a project but where it burns at first.

    They are the event, the fire model, the planned days, the code, and the processor, which decides the last bits.
    Barriers are applied to what is kept. ``None`` means that the version of the code is not known.
    """
    code = code_digest(("domain", "fire", "native"), [f"{name} {installed_version(name)}" for name in _LIBRARIES])
    if code is None:
        return None
    plan = PlanSettings(start_day=project.plan.start_day, days=project.plan.days)
    bare = replace(
        project, fleet=Fleet(()), grounded={}, regions=(), operations=Operations(), coverage=RequiredCoverage(),
        plan=plan, maps=None, values=(), barriers=(),
    )  # fmt: skip
    # The name decides which correction of a network fits.
    others = [project.scenario.name, processor(), *(os.environ.get(key, "") for key in _SETTINGS)]
    return hashlib.sha256("\0".join([code, project_hash(bare), *others]).encode()).hexdigest()


def _start_of(project: Project) -> FireState:
    """Return what burns at the start of the plan.

    Raises :class:`~firegui.errors.InputError` where the fire model cannot be run.
    """
    plan, problems = project.plan, Problems()
    problems.extend(_window_problems(project))
    state = fire_at_start(project.scenario, plan.start_day, plan.burning_at_start)
    if state is None or not state.burning.any():
        problems.add("plan", f"nothing burns on day {plan.start_day}", "start on a day that has an observed perimeter")
    problems.raise_if_any("The fire model cannot be run")
    assert state is not None
    return state


def _window_problems(project: Project) -> list[Problem]:
    kind, plan = project.fire_model.kind, project.plan
    if kind not in KINDS:
        return [Problem("fire model", f"the kind {kind!r} is unknown", f"use one of {', '.join(KINDS)}")]
    if kind == "maps" and project.maps is None:
        return [Problem("fire model", "the project has no imported maps", "import them again")]
    if kind == "network" and project.weights is None:
        return [Problem("fire model", "the project has no weights for the network", "choose the model again")]
    days = (project.imported_maps or project.scenario).days
    if plan.start_day < 0 or plan.days < 1 or plan.start_day + plan.days > days:
        first, window = (
            max(plan.start_day, 0),
            f"days {plan.start_day} to {plan.start_day + plan.days - 1} with maps for {days} days",
        )
        return [Problem("plan", window, f"plan at most {max(days - first, 0)} days from day {first}")]
    return []


def _network(project: Project, ignition: NDArray[np.bool_], check: Check | None) -> FireMaps:
    assert project.weights is not None
    plan = project.plan
    return network_maps(project.scenario, project.weights, ignition, plan.start_day, plan.days, check)


def _scalar(project: Project, ignition: NDArray[np.bool_], check: Check | None) -> FireMaps:
    plan, parameters = project.plan, ScalarParameters.of(project.fire_model.parameters)
    return scalar_maps(project.scenario, parameters, ignition, plan.start_day, plan.days)


def _imported(project: Project, ignition: NDArray[np.bool_], check: Check | None) -> FireMaps:
    maps, shape = project.maps, project.scenario.grid.shape
    assert maps is not None
    if maps.shape != shape:
        what = f"cover {maps.shape[0]} × {maps.shape[1]} cells, the event {shape[0]} × {shape[1]}"
        raise InputError([Problem("imported maps", what, "import maps made for this grid")])
    return maps.window(project.plan.start_day, project.plan.days)


def _physical(project: Project, ignition: NDArray[np.bool_], check: Check | None) -> FireMaps:
    plan = project.plan
    return physical_maps(
        project.scenario, project.fire_model, ignition, plan.start_day, plan.days, plan.failing_flame_m
    )


_MAKERS: Mapping[str, Maker] = {
    "network": _network,
    "scalar": _scalar,
    "physical": _physical,
    "maps": _imported,
}
"""Who makes the maps of each of :data:`~firegui.domain.project.KINDS`."""

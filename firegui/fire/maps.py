"""The maps of a project's planning window, from whichever fire model it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from firegui.domain.maps import FireMaps
from firegui.domain.observation import fire_at_start
from firegui.domain.project import KINDS, Project
from firegui.errors import Check, InputError, Problem, Problems
from firegui.fire.learned import network_maps
from firegui.fire.parameters import ScalarParameters
from firegui.fire.physical_maps import physical_maps
from firegui.fire.scalar import scalar_maps

Maker = Callable[[Project, NDArray[np.bool_], Check | None], FireMaps]
"""From a project and where it burns, ``[H, W]``, to the maps of its planning window; a check may raise to cancel."""


def project_maps(project: Project, check: Check | None = None) -> FireMaps:
    """Return the spread maps of days ``plan.start_day … + plan.days − 1``.

    They burn from the perimeter of the start day, as the plan says.

    Kind ``"maps"`` cuts the window out of the imported maps and keeps their burn duration, steps a day and required
    coverage; the others evaluate a model on the event, with the project's required coverage. ``check`` may raise to
    cancel.
    Raises :class:`~firegui.errors.InputError` when there is no such model, no weather for the window or nothing that
    burns.
    """
    plan, event = project.plan, project.scenario
    problems = Problems()
    problems.extend(_window_problems(project))
    state = fire_at_start(event, plan.start_day, plan.burning_at_start)
    if state is None or not state.burning.any():
        problems.add("plan", f"nothing burns on day {plan.start_day}", "start on a day that has an observed perimeter")
    problems.raise_if_any("The fire model cannot be run")
    assert state is not None
    kind = project.fire_model.kind
    maps = _MAKERS[kind](project, state.burning, check).with_ignition(state.burning, state.burned)
    return maps if kind == "maps" else replace(maps, c_req=project.coverage.c_req)


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
    plan, settings = project.plan, project.fire_model.physical
    return physical_maps(project.scenario, settings, ignition, plan.start_day, plan.days)


_MAKERS: Mapping[str, Maker] = {
    "network": _network,
    "scalar": _scalar,
    "physical": _physical,
    "maps": _imported,
}
"""Who makes the maps of each of :data:`~firegui.domain.project.KINDS`."""

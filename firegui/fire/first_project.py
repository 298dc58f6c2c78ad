"""First project of an imported event, and a change of its fire model.

It has the paper's fleet and setting A.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from firegui.domain.fuel_models import FuelModel
from firegui.domain.maps import FireMaps
from firegui.domain.operations import Daylight, Operations
from firegui.domain.project import FireModel, Project
from firegui.domain.scenario import Scenario
from firegui.domain.settings import PlanSettings
from firegui.errors import Check, InputError, Problem
from firegui.fire.physical import fuel_problems, with_physical_model
from firegui.fire.shipped import network_weights, scalar_model
from firegui.io.project.scenario_toml import coverage_of, default_fleet

PAPER_DAYS = 15
_MODELS: Mapping[str, Callable[[], FireModel]] = {
    "scalar": scalar_model,
}
"""The fire models that have parameters and neither weights nor maps."""


def first_project(
    event: Scenario,
    maps: FireMaps | None = None,
    *,
    of_paper: bool = True,
    fuels: tuple[FuelModel, ...] = (),
    check: Check | None = None,
) -> Project:
    """Return a project on ``event`` without regions, from the first day on which something burns.

    ``maps`` are its fire model where they were imported, and then all their days are planned, because their author
    chose the horizon. Otherwise the plan has the paper's 15 days or as many as there is weather. Where the fuel is
    known, the fire burns by the physical model, unless that would need more steps than a day can have; without fuel,
    and in a project ``of_paper``, by the shipped network.

    The required coverage is that of the event's fuel, the paper's where it has no fuel layer. A project ``of_paper``
    has the paper's grounded days and lets aircraft drop at night. Any other has no grounded days, and drops only in
    daylight where the sun is known. ``fuels`` are the custom fuel models of the project. ``check`` may raise to cancel.
    """
    start = next((day for day in range(event.days) if _burns(event, day)), 0)
    available = max(1, event.days - start)
    plan = PlanSettings(start_day=start, days=available if maps is not None else min(PAPER_DAYS, available))
    model = replace(scalar_model() if maps is None else _imported(event), fuels=fuels)
    fleet = default_fleet()
    operations = Operations()
    if not of_paper:
        if event.is_dated and event.grid.is_georeferenced:
            operations = Operations(daylight=Daylight())
        fleet = replace(fleet, types=tuple(kind.with_grounded_days(()) for kind in fleet.types))
    project = Project(
        event, fleet, {}, (), plan, model, maps, operations=operations, coverage=coverage_of(event)
    ).with_fleet(fleet)
    if maps is not None:
        return project
    if not of_paper and not fuel_problems(event, fuels):
        with suppress(InputError):  # too fast: the notes of the project name the physical model
            return with_physical_model(project, project.physical, check)
    return with_model(project, "network")


def with_model(project: Project, kind: str) -> Project:
    """Return the project with another fire model.

    ``kind`` is ``"network"`` (the shipped one), one of :data:`_MODELS`, ``"physical"`` with the settings that it
    begins with, or ``"maps"`` for those that it was imported with.

    Raises :class:`~firegui.errors.InputError` when the project has no maps, and like
    :func:`~firegui.fire.physical.with_physical_model`.
    """
    if kind == "network":
        return project.with_network(network_weights())
    if kind in _MODELS:
        return project.with_model(_MODELS[kind]())
    if kind == "physical":
        return with_physical_model(project, project.first_physical)
    if project.maps is None:
        remedy = "use network, scalar or physical"
        raise InputError([Problem("fire model", "the project was not imported with maps", remedy)])
    return project.with_model(_imported(project.scenario))


def _imported(event: Scenario) -> FireModel:
    return FireModel("maps", f"imported maps ({event.name})", {})


def _burns(event: Scenario, day: int) -> bool:
    ignition = event.fire_on(day)
    return ignition is not None and bool(ignition.any())
